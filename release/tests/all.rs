//! What is released may be released.

use std::path::{Path, PathBuf};

use fairly_release::{licenses, parts, sbom};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn every_part_has_a_license_that_is_allowed() {
    let allowed = licenses::allowed(&root().join("deny.toml")).expect("the policy");
    let parts = parts::of(&root(), &["fairly-cli", "fairly-verify"]).expect("the parts");
    assert!(parts.iter().any(|part| part.name == "clap"), "the command has dependencies");
    let refused = licenses::refused(&parts, &allowed);
    assert!(refused.is_empty(), "{refused:#?}");
    // A policy that allows nothing refuses everything: the test can fail.
    assert_eq!(licenses::refused(&parts, &Default::default()).len(), parts.len());
}

#[test]
fn what_only_tests_use_is_no_part() {
    let parts = parts::of(&root(), &["fairly-cli"]).expect("the parts");
    for name in ["fairly-testkit", "fairly-modelkit", "insta"] {
        assert!(parts.iter().all(|part| part.name != name), "{name}");
    }
}

#[test]
fn the_verifier_is_made_of_nothing_else() {
    let parts = parts::of(&root(), &["fairly-verify"]).expect("the parts");
    let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["fairly-verify"]);
}

#[test]
fn the_bill_of_materials_names_every_part_once_and_its_needs() {
    let parts = parts::of(&root(), &["fairly-cli"]).expect("the parts");
    let bill = sbom::cyclone_dx("fairly", "0.0.0", &parts);
    assert_eq!(bill, sbom::cyclone_dx("fairly", "0.0.0", &parts));
    let components = bill["components"].as_array().expect("a list");
    let mut names: Vec<&str> =
        components.iter().map(|it| it["bom-ref"].as_str().expect("a name")).collect();
    assert_eq!(names.len(), parts.len());
    names.dedup();
    assert_eq!(names.len(), parts.len());
    for entry in bill["dependencies"].as_array().expect("a list") {
        for need in entry["dependsOn"].as_array().expect("a list") {
            assert!(names.contains(&need.as_str().expect("a name")), "{need} is a part");
        }
    }
    for part in components {
        let is_ours = part["name"].as_str().expect("a name").starts_with("fairly");
        assert_eq!(part["hashes"].is_array(), !is_ours, "{part}");
    }
}
