//! Damage: whichever byte of a certificate is changed, it is not accepted, and a rule is named.

mod made;

use std::io::sink;
use std::process::Command;

use fairly_verify::{Rejected, Rule, checksum, text, verify};

use made::{LISTS, MODEL, STATEMENT, STATES, certificate};

/// A certificate with parts that nothing else looks at: a title and names.
fn whole() -> Vec<u8> {
    let statement = format!("(title \"every beginning goes on\")\n{STATEMENT}");
    certificate(&statement, MODEL, &LISTS, &STATES)
}

/// Every file with one byte changed: each of its bits, and one other value.
fn damaged(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    (0..bytes.len()).flat_map(move |at| {
        let bits = (0..8).map(|bit| 1u8 << bit);
        // Any value but the byte itself; another one at each place.
        let other = (checksum(&bytes[..at]) as u8).max(1);
        bits.chain([other]).map(move |change| {
            let mut damaged = bytes.to_vec();
            damaged[at] ^= change;
            damaged
        })
    })
}

fn rule(answer: Result<impl Sized, Rejected>) -> Option<Rule> {
    answer.err().map(|rejected| {
        assert!(!rejected.why.contains("a bug"), "{rejected}");
        rejected.rule
    })
}

#[test]
fn no_change_of_a_byte_is_accepted() {
    let bytes = whole();
    assert!(verify(&bytes).is_ok(), "{:?}", verify(&bytes));
    let mut only_by_checksum = 0;
    for damaged in damaged(&bytes) {
        let rule = rule(verify(&damaged));
        assert!(rule.is_some(), "accepted: {}", String::from_utf8_lossy(&damaged));
        only_by_checksum += usize::from(rule == Some(Rule::Checksum));
    }
    // Names and the title are a part of it.
    assert!(only_by_checksum > 9 * "every beginning goes on".len(), "{only_by_checksum}");
}

#[test]
fn no_change_of_a_byte_is_printed_as_text() {
    let bytes = whole();
    assert!(text(&mut &bytes[..], &mut sink()).is_ok());
    for damaged in damaged(&bytes) {
        assert!(rule(text(&mut &damaged[..], &mut sink())).is_some());
    }
}

#[test]
fn nothing_is_lost_or_added_unseen() {
    let bytes = whole();
    let two = [&bytes[..], &bytes].concat();
    for at in 0..bytes.len() {
        let without = [&bytes[..at], &bytes[at + 1..]].concat();
        let with = [&bytes[..at], &[bytes[at]], &bytes[at..]].concat();
        let mut second = two.clone();
        second[bytes.len() + at] ^= 4;
        for damaged in [&bytes[..at], &without, &with, &second] {
            assert!(rule(verify(damaged)).is_some(), "byte {at}");
        }
    }
}

#[test]
fn the_program_names_the_rule_and_exits_with_one() {
    let folder = std::env::temp_dir().join(format!("fairly-verify-damage-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("p.fcert");
    let bytes = whole();
    let run = |bytes: &[u8], arguments: &[&str]| {
        std::fs::write(&file, bytes).expect("a file");
        let mut program = Command::new(env!("CARGO_BIN_EXE_fairly-verify"));
        let done = program.args(arguments).arg(&file).output().expect("it runs");
        (done.status.code(), String::from_utf8_lossy(&done.stdout).into_owned())
    };
    let (code, said) = run(&bytes, &[]);
    assert!(code == Some(0) && said.contains(": verified: "), "{code:?} {said}");
    for damaged in damaged(&bytes).step_by(97) {
        for arguments in [&[][..], &["--text"]] {
            let (code, said) = run(&damaged, arguments);
            assert_eq!(code, Some(1), "{said}");
            assert!(said.contains("not verified: the rule `"), "{said}");
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
}

#[test]
fn what_is_no_file_is_no_panic() {
    let folder = std::env::temp_dir().to_string_lossy().into_owned();
    let mut odd = vec![folder, "nowhere.fcert".to_owned()];
    if cfg!(unix) {
        odd.extend(["/dev/null", "/dev/zero"].map(str::to_owned));
    }
    for file in odd {
        let mut program = Command::new(env!("CARGO_BIN_EXE_fairly-verify"));
        let done = program.arg(&file).output().expect("it runs");
        let said = String::from_utf8_lossy(&done.stdout);
        // What cannot be read is 2, and what is no certificate is 1.
        let expected = if file.starts_with("/dev") { 1 } else { 2 };
        assert_eq!(done.status.code(), Some(expected), "{file}: {said}");
    }
}
