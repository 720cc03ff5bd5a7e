//! Semantics of Promela where SPIN has no number to compare with: refusals and faults.

use fairly_explore::Explored;
use fairly_front::promela::{Lowered, Options, lower, parse};
use fairly_model::ModelSpace;
use fairly_omega::StateId;
use fairly_system::TransitionSystem;

fn lowered(text: &str) -> Result<Lowered, &'static str> {
    let model = parse(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}"));
    lower(&model, Options::new(text)).map_err(|wrong| wrong[0].code)
}

fn refused(code: &str, text: &str) {
    assert_eq!(lowered(text).err(), Some(code), "{text}");
}

/// Faults in a model, each once.
fn faults(text: &str) -> Vec<String> {
    let lowered = lowered(text).unwrap_or_else(|code| panic!("{code}: {text}"));
    let mut system = Explored::new(ModelSpace::new(lowered.model, None));
    let (mut at, mut steps, mut found) = (0, Vec::new(), Vec::new());
    system.initial();
    while at < system.state_count() {
        let state = StateId::from_index(at);
        at += 1;
        match system.fault(state).map(|fault| fault.message.clone()) {
            Some(message) if found.contains(&message) => {}
            Some(message) => found.push(message),
            None => system.enabled(state, &mut steps),
        }
    }
    found
}

#[test]
fn what_follows_a_receive_in_a_d_step_must_be_possible() {
    let with = |rest: &str| {
        faults(&format!(
            "chan c = [1] of {{ byte }}; byte n;
             active proctype P() {{ byte x; c!1; d_step {{ c?x; {rest}; n = 3 }} }}"
        ))
    };
    assert_eq!(with("x == 2"), ["`x == 2` blocks inside `d_step`"]);
    assert_eq!(with("c?x"), ["`c?x` blocks inside `d_step`"]);
    assert!(with("x == 1").is_empty());
}

#[test]
fn claims_about_channels_are_made_when_a_process_starts() {
    let found = faults("chan c = [0] of { byte }; active proctype P() { xr c; c?1 }");
    assert_eq!(found, ["the assertion `xr c` of `P` is about a rendezvous"]);
    let found = faults("chan c = [1] of { byte }; active [2] proctype P() { xs c; c!1 }");
    assert_eq!(found, ["the assertion `xs c` of `P` does not hold"]);
    // The claim is over when its process is, and the number is used again.
    let one_by_one = "chan c = [1] of { byte };
        proctype P(chan d) { xs d; d!1; d?1 }
        init { run P(c); _nr_pr == 1; run P(c); _nr_pr == 1; c!1 }";
    assert!(faults(one_by_one).is_empty());
}

#[test]
fn a_trace_over_a_rendezvous_sees_the_send_first() {
    let with = |trace: &str| {
        faults(&format!(
            "chan c = [0] of {{ byte }}; {trace}
             active proctype A() {{ c!1; c!2 }} active proctype B() {{ byte x; c?x; c?x }}"
        ))
    };
    assert!(with("trace { do :: c!_; c?_ od }").is_empty());
    assert_eq!(with("trace { c?1; c!1 }"), ["the trace does not go on with `c!1`"]);
    assert_eq!(with("trace { c!1; c?1; c!2; c?1 }"), ["the trace does not go on with `c?x`"]);
    assert_eq!(with("notrace { c?1; c?2 }"), ["the notrace is completed by `c?x`"]);
}

#[test]
fn a_trace_sees_the_message_that_is_moved() {
    let text = "chan c = [2] of { byte }; trace { c!2; c!1; c?2 }
        active proctype A() { c!!2; c!!1; c??2 }";
    assert!(faults(text).is_empty());
}

#[test]
fn a_trace_has_one_way_to_go_on() {
    let text = "chan c = [2] of { byte }; trace { if :: c!1 :: c!_; c!2 fi }
        active proctype A() { c!1 }";
    assert_eq!(faults(text), ["the trace can go on with `c!1` in two ways"]);
}

#[test]
fn priorities_are_1_to_255() {
    refused("E1190", "active proctype P() priority 256 { skip }");
    refused("E1190", "proctype P() { skip } init { run P() priority 0 }");
    refused("E1190", "chan c = [0] of { byte }; active proctype P() { _priority = 2; c!1 }");
    let text = "byte n; active proctype P() { set_priority(_pid, n); set_priority(7, n) }";
    assert_eq!(faults(text), ["a priority is 1 to 255"]);
}

#[test]
fn who_is_enabled_cannot_be_asked_in_a_circle() {
    refused("E1191", "byte n; active [2] proctype P() { enabled(1 - _pid); n++ }");
    refused("E1191", "chan c = [0] of { byte }; active proctype P() { enabled(1); c!1 }");
    refused("E1191", "byte n; active proctype P() { n = 1 } ltl f { [] (_priority == n) }");
}

#[test]
fn a_process_is_started_for_sure_and_alone() {
    let with = |statement: &str| format!("byte x; proctype Q() {{ skip }} init {{ {statement} }}");
    for statement in [
        "x = (x && run Q())",
        "x = (x == 0 -> run Q() : 1)",
        "x = run Q() + run Q()",
        "run Q() > 0",
        "x = 1 + run Q() + (run Q() > 3)",
    ] {
        refused("E1192", &with(statement));
    }
    for statement in ["x = (run Q() && x)", "x = (run Q() -> 1 : 2)", "assert(run Q())"] {
        assert!(lowered(&with(statement)).is_ok(), "{statement}");
    }
}

#[test]
fn claims_and_traces_only_look() {
    let with = |unit: &str| {
        format!("byte x; chan c = [1] of {{ byte }}; active proctype P() {{ c!x }} {unit}")
    };
    refused("E1195", &with("never { x = 1 }"));
    refused("E1195", &with("never { d_step { x == 1; x == 1 } }"));
    refused("E1195", &with("active proctype Q() { c!len(c) } trace { c!1 }"));
    refused("E1195", &with("active proctype Q() { d_step { skip; c??1 } } trace { c?1 }"));
    refused("E1199", &with("never { atomic { do :: x == 0 -> x < 3 :: x == 1 od } }"));
}
