//! Reports beside a counterexample: the reasons why processes wait in a deadlock, and the strength of fairness
//! under which a violated property holds.

use fairly_check::{Assumption, Options, Outcome, check, ladder, strengths};
use fairly_fairness::{Level, Notion};
use fairly_omega::StateId;
use fairly_system::{Blocked, Missing, ProcessId, TransitionSystem, Value};

use crate::common::languages::{CspFile, PromelaFile, Question};

/// The only state without successors that runs from the start lead to.
fn deadlock<S: TransitionSystem>(system: &mut S) -> StateId {
    let mut open = system.initial();
    let mut met = open.clone();
    let mut found = Vec::new();
    while let Some(state) = open.pop() {
        let mut steps = Vec::new();
        system.enabled(state, &mut steps);
        if steps.is_empty() {
            found.push(state);
        }
        for step in steps {
            if !met.contains(&step.target) {
                met.push(step.target);
                open.push(step.target);
            }
        }
    }
    assert_eq!(found.len(), 1, "one deadlock");
    found[0]
}

/// Reason why each process waits: its name, and words with the missing condition.
fn told<S: TransitionSystem>(system: &mut S, state: StateId) -> Vec<(String, String, Missing)> {
    let blocked = system.blocked(state);
    let name = |of: &Blocked| system.signature().process_name(of.process).to_owned();
    let told = blocked.iter().flat_map(|of| {
        let name = name(of);
        of.on.iter().map(move |on| (name.clone(), on.words.clone(), on.missing.clone()))
    });
    told.collect()
}

#[test]
fn a_process_of_promela_waits_for_a_statement() {
    let text = "mtype = { ping, pong }; bool go; \
                chan narrow = [1] of { mtype }; chan silent = [1] of { byte }; \
                chan meet = [0] of { byte }; \
                active proctype Filler() { narrow!ping; narrow!pong } \
                active proctype Taker() { silent?_ } \
                active proctype Picky() { narrow?pong } \
                active proctype Sender() { meet!1 } \
                active proctype Guard() { if :: go :: meet?2 fi }";
    let mut file = PromelaFile::parse(text, &[]).expect("a model");
    let system = file.interpreter();
    let state = deadlock(system);
    let expected = [
        ("Filler[0]", "narrow!pong", Missing::Room("narrow".to_owned())),
        ("Taker[1]", "silent?_", Missing::Message("silent".to_owned())),
        ("Picky[2]", "narrow?pong", Missing::OtherMessage("narrow".to_owned())),
        ("Sender[3]", "meet!1", Missing::Receiver("meet".to_owned())),
        ("Guard[4]", "go", Missing::Condition),
        ("Guard[4]", "meet?2", Missing::Sender("meet".to_owned())),
    ];
    let expected = expected.map(|(who, what, why)| (who.to_owned(), what.to_owned(), why));
    assert_eq!(told(system, state), expected);
    let values = system.state_values(state);
    assert_eq!(values.variables, [("go".to_owned(), Value::Truth(false))]);
    let ping = Value::Name("ping".to_owned());
    assert_eq!(values.channels[0], ("narrow".to_owned(), vec![vec![ping]]));
}

#[test]
fn a_process_of_csp_waits_for_those_who_refuse() {
    let text = "P = a -> b -> Stop; Q = b -> a -> Stop; System = P || Q; \
                #assert System deadlockfree;";
    let mut file = CspFile::parse(text).expect("a model");
    let process = file.specification().assertions[0].process.clone();
    let of = file.system(&process).expect("a system");
    let system = file.interpreter(of);
    let state = deadlock(system);
    let [p, q] = [0, 1].map(|at| Missing::Partners(vec![ProcessId::from_index(at)]));
    let expected = [("P", "a", q), ("Q", "b", p)];
    let expected = expected.map(|(who, what, why)| (who.to_owned(), what.to_owned(), why));
    assert_eq!(told(system, state), expected);
}

/// The same answers as the ladder, which searches otherwise.
#[test]
fn strengths_are_those_of_the_ladder() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/promela");
    let mut compared = 0;
    for name in ["msi", "lock_order", "semaphore", "two_phase_commit", "peterson", "lossy_line"] {
        let text = std::fs::read_to_string(format!("{examples}/{name}.pml")).expect("a model");
        let mut file = PromelaFile::parse(&text, &[]).expect("a model");
        for question in file.questions() {
            if !matches!(question, Question::Formula(_)) {
                continue;
            }
            let mut property = file.property(&question).expect("a formula").expect("a formula");
            let (assumption, options) = (Assumption::of(Notion::None), Options::default());
            let system = file.interpreter();
            let verdict = check(system, &mut property, &assumption, &options).expect("an answer");
            let found = strengths(system, &mut property, &assumption, &verdict, &options);
            let Some(found) = found.expect("an answer") else {
                continue;
            };
            assert!(matches!(verdict.outcome, Outcome::Violated(_)));
            let rungs = ladder(system, &mut property, &[], &options).expect("a ladder").rungs;
            let rung = |notion: Notion| {
                let rung = rungs.iter().find(|rung| rung.notion == notion).expect("the rung");
                rung.holds.clone().ok()
            };
            let expected =
                [Notion::None, Notion::Weak(Level::Process), Notion::Strong(Level::Process)];
            let answers = [found.none, found.weak, found.strong];
            for (notion, answer) in expected.into_iter().zip(answers) {
                if answer.is_some() {
                    assert_eq!(answer, rung(notion), "{name} {} {notion}", property.name);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 8, "{compared}");
}
