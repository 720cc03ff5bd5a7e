//! `enabled(…)` and `taken(…)` in formulas: fairness written as a premise gives the same verdicts as fairness that is
//! assumed, both those of the testkit's oracle; and other formulas about them say what they should of every step.

use fairly_check::{Assumption, Options, check};
use fairly_fairness::{Level, Notion, PrefixKind};
use fairly_system::{EventPosition, TransitionSystem};
use fairly_testkit::Rng;
use fairly_testkit::network::{
    NetworkShape, TinyNetwork, TinyNotion, TinyProperty, TinyProposition, TinyStep, TinySystem,
    demands, has_fair_run, random_network,
};

use crate::common::languages::PromelaFile;
use crate::common::{holds, network_of, property, seeds};

/// The premise of one constraint: `weak` or strong fairness of what is named.
fn premise(name: &str, weak: bool) -> String {
    match weak {
        true => format!("(F G enabled({name}) -> G F taken({name}))"),
        false => format!("(G F enabled({name}) -> G F taken({name}))"),
    }
}

/// Names of what the constraints of a notion are about. Events in no alphabet have none.
fn targets(tiny: &TinyNetwork, level: Level) -> Vec<String> {
    match level {
        Level::Process => (0..tiny.components.len()).map(|at| format!("process P{at}")).collect(),
        Level::Event => events(tiny).into_iter().map(|it| format!("event e.{it}")).collect(),
        Level::Action => {
            let moves = tiny.components.iter().map(|it| it.transitions.len()).sum::<usize>();
            (1..=moves).map(|at| format!("action #{at}")).collect()
        }
    }
}

fn events(tiny: &TinyNetwork) -> Vec<usize> {
    let has = |event: &usize| tiny.components.iter().any(|it| it.alphabet.contains(event));
    (0..tiny.events).filter(has).collect()
}

#[test]
fn fairness_as_a_premise_is_fairness_that_is_assumed() {
    let shape = NetworkShape { most_components: 3, most_states: 3, most_events: 4 };
    let notions = [
        (TinyNotion::WeakProcess, Notion::Weak(Level::Process)),
        (TinyNotion::StrongProcess, Notion::Strong(Level::Process)),
        (TinyNotion::WeakEvent, Notion::Weak(Level::Event)),
        (TinyNotion::StrongEvent, Notion::Strong(Level::Event)),
        (TinyNotion::WeakAction, Notion::Weak(Level::Action)),
        (TinyNotion::StrongAction, Notion::Strong(Level::Action)),
    ];
    let mut answers = [0, 0];
    for seed in seeds(60) {
        let mut rng = Rng::new(seed);
        let tiny = random_network(&mut rng, &shape);
        let system = tiny.expand();
        let Some(&event) = events(&tiny).first() else { continue };
        let never = TinyProperty::eventually_never(TinyProposition::Event(vec![event]));
        for (oracle, notion) in notions {
            let (Notion::Weak(level) | Notion::Strong(level)) = notion else { continue };
            let targets = targets(&tiny, level);
            // One conjunct each; the translation of many is beside the point.
            if targets.len() > 6 {
                continue;
            }
            let weak = matches!(notion, Notion::Weak(_));
            let premises: Vec<String> = targets.iter().map(|it| premise(it, weak)).collect();
            let promise = format!("G F e.{event}");
            let written = match premises.is_empty() {
                true => promise.clone(),
                false => format!("({}) -> {promise}", premises.join(" && ")),
            };
            let Some(violated) = has_fair_run(&system, &demands(&tiny, &system, oracle), &never)
            else {
                continue;
            };
            for reading in [EventPosition::Leaving, EventPosition::Entering] {
                let mut network = network_of(&tiny);
                let mut assumed = property(&mut network, &promise, reading);
                let built_in = holds(&mut network, &mut assumed, &Assumption::of(notion));
                let mut formula = property(&mut network, &written, reading);
                let none = Assumption::of(Notion::None);
                let as_premise = holds(&mut network, &mut formula, &none);
                assert_eq!(built_in, !violated, "FAIRLY_SEED={seed} {tiny} {promise} {notion}");
                assert_eq!(as_premise, !violated, "FAIRLY_SEED={seed} {tiny} {written}");
            }
            answers[usize::from(violated)] += 1;
        }
    }
    println!("{answers:?} hold and are violated");
    assert!(answers[0] > 30 && answers[1] > 30, "{answers:?}");
}

/// Whether some cycle that can be reached has only steps of the kind.
fn cycles_with(system: &TinySystem, kind: impl Fn(&TinyStep) -> bool) -> bool {
    let steps: Vec<&TinyStep> = system.steps.iter().filter(|step| kind(step)).collect();
    let reaches = |from: usize, to: usize| {
        let (mut seen, mut open) = (vec![false; system.states.len()], vec![from]);
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                open.extend(steps.iter().filter(|step| step.from == at).map(|step| step.to));
            }
        }
        seen[to]
    };
    steps.iter().any(|step| reaches(step.to, step.from))
}

#[test]
fn every_step_says_what_is_enabled_and_taken() {
    let mut answers = [0, 0];
    for seed in seeds(300) {
        let mut rng = Rng::new(seed);
        let tiny = random_network(&mut rng, &NetworkShape::default());
        let system = tiny.expand();
        let at = rng.below(tiny.components.len());
        let takes = |step: &TinyStep| step.moves.iter().any(|&(component, _)| component == at);
        let enabled =
            |state: usize| system.steps.iter().any(|step| step.from == state && takes(step));
        let all = |holds: &dyn Fn(&TinyStep) -> bool| system.steps.iter().all(holds);
        let (asks, has) = (format!("enabled(P{at})"), format!("taken(P{at})"));
        for (text, expected) in [
            (format!("G({has} -> {asks})"), true),
            (format!("G({asks} -> {has})"), all(&|step| !enabled(step.from) || takes(step))),
            (format!("G F {asks}"), !cycles_with(&system, |step| !enabled(step.from))),
            (
                format!("F G !{has}"),
                !cycles_with(&system, |_| true) || {
                    // Violated if a step of the process is on a cycle.
                    let on_cycle = |it: &TinyStep| {
                        takes(it) && {
                            let (mut seen, mut open) =
                                (vec![false; system.states.len()], vec![it.to]);
                            while let Some(state) = open.pop() {
                                if !std::mem::replace(&mut seen[state], true) {
                                    let leads =
                                        system.steps.iter().filter(|step| step.from == state);
                                    open.extend(leads.map(|step| step.to));
                                }
                            }
                            seen[it.from]
                        }
                    };
                    !system.steps.iter().any(on_cycle)
                },
            ),
            (
                format!("X {asks}"),
                all(&|step| !system.initial.contains(&step.from) || enabled(step.to)),
            ),
            (
                format!("{has} | X X true & !{asks}"),
                all(&|step| {
                    !system.initial.contains(&step.from) || takes(step) || !enabled(step.from)
                }),
            ),
        ] {
            let mut network = network_of(&tiny);
            let mut property = property(&mut network, &text, EventPosition::Leaving);
            let found = holds(&mut network, &mut property, &Assumption::of(Notion::None));
            assert_eq!(found, expected, "FAIRLY_SEED={seed} {tiny} {text}");
            answers[usize::from(found)] += 1;
        }
    }
    assert!(answers[0] > 200 && answers[1] > 200, "{answers:?}");
}

#[test]
fn where_events_lead_to_a_state_so_does_what_is_taken() {
    let tiny = random_network(&mut Rng::new(3), &NetworkShape::default());
    for event in events(&tiny) {
        let mut network = network_of(&tiny);
        if network.signature().event(&format!("e.{event}")).is_none() {
            continue;
        }
        for reading in [EventPosition::Leaving, EventPosition::Entering] {
            let text = format!("G(e.{event} <-> taken(event e.{event}))");
            let mut both = property(&mut network, &text, reading);
            assert!(holds(&mut network, &mut both, &Assumption::of(Notion::None)), "{text}");
        }
    }
}

#[test]
fn what_is_not_there_is_not_asked() {
    let tiny = random_network(&mut Rng::new(1), &NetworkShape::default());
    let mut network = network_of(&tiny);
    for text in [
        "enabled(Nobody)",
        "taken(event e.99)",
        "enabled(action P0@nothing)",
        "enabled(",
        "taken()",
    ] {
        let mut formulas = fairly_logic::Formulas::new();
        let bound = formulas
            .parse(text)
            .ok()
            .and_then(|it| fairly_check::Property::bind("it", formulas, it, &mut network).ok());
        assert!(bound.is_none(), "{text}");
    }
    let mut asked = property(&mut network, "G F enabled(P0)", EventPosition::Leaving);
    for reading in [PrefixKind::Run, PrefixKind::Trace] {
        let inherent = Assumption::of(Notion::Inherent(reading));
        let refused = check(&mut network, &mut asked, &inherent, &Options::default());
        assert!(refused.is_err(), "prefixes do not read it");
    }
}

/// In `ltl` blocks of Promela: a name asks what fairness asks; a number is SPIN's question.
#[test]
fn ltl_blocks_of_promela_ask_of_processes() {
    let text = "byte x, y;
        active proctype P() { do :: x = 1 - x od }
        active proctype Q() { do :: y = 1 - y od }
        ltl plain { []<> (y == 1) }
        ltl premise { (<>[] enabled(Q) -> []<> taken(Q)) -> []<> (y == 1) }
        ltl numbered { (<>[] enabled(1) -> []<> taken(Q[1])) -> []<> (y == 1) }
        ltl other { (<>[] enabled(P) -> []<> taken(P)) -> []<> (y == 1) }";
    let mut file = PromelaFile::parse(text, &[]).expect("a model");
    let questions = file.questions();
    let mut answers = Vec::new();
    for question in questions {
        let Some(mut property) = file.property(&question).expect("its names") else { continue };
        let weak = Assumption::of(Notion::Weak(Level::Process));
        for assumption in [Assumption::of(Notion::None), weak] {
            answers.push(holds(file.interpreter(), &mut property, &assumption));
        }
    }
    assert_eq!(answers, [false, true, true, true, true, true, false, true]);
    let both = "active [2] proctype R() { skip } ltl { <> taken(R) }";
    let codes = PromelaFile::parse(both, &[]).err().expect("two processes");
    assert_eq!(codes[0].code, "E1130");
}
