//! Everything that `fairly explore` opens: models of each language, automata in two formats, and a saved trace.

use std::process::{Command, Stdio};

use serde_json::json;

use super::views::{ANSWERED, browser, is_clean};
use super::{Explorer, write};
use crate::common::Folder;

const HOA: &str = "HOA: v1\nname: \"light\"\nStates: 2\nStart: 0\nAP: 2 \"on\" \"off\"\nacc-name: all\n\
    Acceptance: 0 t\n--BODY--\nState: 0\n[0&!1] 1\nState: 1\n[!0&1] 0\n[0&!1] 1\n--END--\n";
const AUT: &str = "des (0, 3, 2)\n(0, \"on\", 1)\n(1, \"off\", 0)\n(1, \"on\", 1)\n";
const NET: &str = "component Light {\n  initial dark\n  dark -on-> bright\n  bright -off-> dark\n  bright -on-> bright\n}\n";
const CSP: &str = "Dark() = on -> Bright();\nBright() = off -> Dark() [] on -> Bright();\n#assert Dark() |= [] <> off;\n";

#[test]
fn every_kind_of_model_is_opened_asked_and_simulated() {
    for (name, text) in
        [("light.hoa", HOA), ("light.aut", AUT), ("light.net", NET), ("light.csp", CSP)]
    {
        let explorer = Explorer::start(&name.replace('.', "-"), name, text, &[]);
        let answer = explorer.ask("check", &json!({ "formula": "G F off" })).wait("answer");
        assert_eq!(answer["verdict"]["outcome"], "violated", "{name}: {answer}");
        let fair = json!({ "formula": "G F off", "fairness": "strong", "level": "event" });
        assert_eq!(
            explorer.ask("check", &fair).wait("answer")["verdict"]["outcome"],
            "holds",
            "{name}"
        );
        let (status, run) = explorer.call("simulate", &json!({ "path": [0] }));
        assert!(status == 200 && run["possible"] == 2, "{name}: {run}");
        let (status, drawn) = explorer.call("space", &json!({}));
        assert!(
            status == 200 && drawn["graph"]["states"].as_array().map(Vec::len) == Some(2),
            "{name}: {drawn}"
        );
        let (status, product) = explorer.call("product", &json!({ "formula": "G F off" }));
        assert!(
            status == 200
                && product["automaton"]["hoa"]
                    .as_str()
                    .is_some_and(|hoa| hoa.starts_with("HOA: v1")),
            "{name}: {product}"
        );
    }
}

#[test]
fn an_automaton_is_looked_at_in_the_browser() {
    for (name, text) in [("light.hoa", HOA), ("light.aut", AUT)] {
        let explorer =
            Explorer::start(&format!("seen-{}", name.replace('.', "-")), name, text, &[]);
        let Some(mut page) = browser(name) else { return };
        page.look((1280, 800), "light");
        page.open(&explorer.url);
        page.wait("document.querySelector('#formula')");
        page.value("document.querySelector('#formula').focus()");
        page.type_in("[] <> off");
        page.press("Enter", 13);
        page.wait("document.querySelector('.answer.violated .lasso')");
        assert!(page.text(".lasso .row.in-loop").contains("on"), "{name}");
        page.value("location.hash = 'states'");
        page.wait("document.querySelectorAll('.graph .node').length === 2");
        is_clean(&mut page, &explorer.url);
    }
}

#[test]
fn a_saved_trace_is_opened_with_its_model() {
    let folder = Folder::new("explorer-saved");
    write(&folder.0, "lock.pml", include_str!("../../src/new/lock.pml"));
    let status = Command::new(env!("CARGO_BIN_EXE_fairly"))
        .args(["check", "-q", "-p", "served", "--trace", "run.itf.json", "lock.pml"])
        .current_dir(&folder.0)
        .stdout(Stdio::null())
        .status()
        .expect("the binary runs");
    assert_eq!(status.code(), Some(1));
    let explorer = Explorer::of(folder, "run.itf.json", &[]);
    let (status, trace) = explorer.get(&format!("{}api/v1/trace", explorer.path()), "");
    assert!(status == 200 && trace.contains("fairly.trace/2"), "{trace}");
    let Some(mut page) = browser("saved") else { return };
    page.look((1280, 800), "light");
    page.open(&explorer.url);
    page.wait("document.querySelector('.detail h2')?.textContent.includes('The saved run')");
    page.wait("document.querySelector('.lasso .row.in-loop')");
    assert!(page.text(".file").contains("lock.pml"), "{}", page.text(".file"));
    page.wait(ANSWERED);
    // It stays until another answer is chosen, and another run can begin in any step of it.
    assert!(page.text(".detail h2").contains("The saved run"));
    page.value("document.querySelector('.lasso .scroll').focus()");
    page.press("ArrowRight", 39);
    page.press("ArrowRight", 39);
    page.click("button", "Simulate from the chosen step");
    page.wait("document.querySelector('.offered h2')?.textContent.startsWith('Step 3')");
    // From there to a step that the automaton of the negated formula accepts by.
    page.value(
        "(() => { const it = document.querySelector('.simulate select'); it.value = '3'; })()",
    );
    page.click(".simulate button", "To an acceptance");
    page.wait("document.querySelector('.said').textContent.includes('¬served accepts')");
    is_clean(&mut page, &explorer.url);
}

/// One process loops, another can leave once: who stays for ever is not fair to it. A picture of a part must not say
/// otherwise because the way out is not drawn.
#[test]
fn a_part_is_not_called_fair_for_what_is_left_out_of_it() {
    let text =
        "component P {\n  initial 0\n  0 -a-> 0\n}\ncomponent Q {\n  initial 0\n  0 -b-> 1\n}\n";
    let explorer = Explorer::start("part", "part.net", text, &[]);
    let kinds = |body: serde_json::Value| {
        let (status, drawn) = explorer.call("space", &body);
        assert_eq!(status, 200, "{drawn}");
        drawn["graph"]["components"].clone()
    };
    assert_eq!(kinds(json!({})), json!(["strong", "unfair"]));
    assert_eq!(kinds(json!({ "around": "s0", "component": true })), json!(["unfair"]));
    assert_eq!(kinds(json!({ "around": "s1", "component": true })), json!(["strong"]));
    assert_eq!(kinds(json!({ "around": "s0", "depth": 0 })), json!(["open"]));
}
