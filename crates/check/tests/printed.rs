//! Ample sets as Sun, Liu, Dong and Wang print them (`docs/papers.md` 004-20 to 004-26) against the whole system and
//! against the reductions that are used otherwise: the same verdicts where the table allows them; refused where
//! it does not, and wrong there if they are followed all the same.
//!
//! `FAIRLY_RANDOM_CASES` raises the number of cases, `FAIRLY_SEED` is the first seed.

use std::fmt::Write;
use std::path::Path;

use fairly_check::claim::{self, Effort};
use fairly_check::soundness::{PRINTED, Refusal, RowKind};
use fairly_check::{Assumption, CheckError, Options, Outcome, Property, Reduction, check};
use fairly_explore::Explored;
use fairly_fairness::{AnnotationLevel, Level, Notion, PrefixKind};
use fairly_logic::{Atom, Formulas};
use fairly_modelkit::{cases, first_seed};
use fairly_reduce::{Flaw, Reduced, Reducible, Watched};
use fairly_search::{Binding, Negation};
use fairly_system::{EventPosition, EventSet, Network, TransitionSystem};
use fairly_testkit::Rng;

use crate::common::languages::CspFile;
use crate::reduced::{any_formula, has_run, loose_network, network_of};

/// Two processes with steps of their own, which never end.
const LOOSE: &str = "
component P {
  initial 0
  0 -a-> 1
  1 -b-> 2
  2 -s-> 0
}
component Q {
  initial 0
  0 -c-> 1
  1 -d-> 2
  2 -s-> 0
}
";

fn network_in(text: &str) -> Explored<Network> {
    let case = fairly_front::case::parse(text).expect("a network");
    Explored::new(case.network().expect("a network"))
}

fn corpus(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(file);
    std::fs::read_to_string(path).expect("a case of the corpus")
}

/// Verdict of a question, and whether steps were left out; or why it is refused.
fn ask<S: Reducible>(
    system: &mut S,
    text: &str,
    assumption: &Assumption,
    reading: EventPosition,
    reduction: Reduction,
) -> Result<(bool, bool), String> {
    let mut formulas = Formulas::new();
    let parsed = formulas.parse(text).expect("a formula");
    let mut property = Property::bind("it", formulas, parsed, system).expect("its names");
    property.reading = reading;
    let options = Options { reduction, any_run: true, ..Options::default() };
    let answer = match check(system, &mut property, assumption, &options) {
        Ok(answer) => answer,
        Err(CheckError::Reduction(why)) => return Err(why),
        Err(failure) => panic!("{failure}"),
    };
    let left_out = !answer.stamp.reductions.is_empty();
    match answer.outcome {
        Outcome::Holds(_) => Ok((true, left_out)),
        Outcome::Violated(_) => Ok((false, left_out)),
        other => panic!("{other:?}"),
    }
}

fn ask_network(
    text: &str,
    formula: &str,
    constraint: Option<&str>,
    notion: Notion,
) -> Result<(bool, bool), String> {
    let mut network = network_in(text);
    let mut assumption = Assumption::of(notion);
    if let Some(text) = constraint {
        let parsed = fairly_front::case::parse_constraint(text).expect("a constraint");
        assumption.add(&parsed, &mut network).expect("its names");
    }
    ask(&mut network, formula, &assumption, EventPosition::Leaving, Reduction::Paper)
}

fn ask_csp(text: &str, formula: &str) -> Result<(bool, bool), String> {
    let mut file = CspFile::parse(text).expect("a model");
    let assertion = file.specification().assertions[0].clone();
    let system = file.system(&assertion.process).expect("a system");
    let system = file.interpreter(system);
    let none = Assumption::of(Notion::None);
    ask(system, formula, &none, EventPosition::Entering, Reduction::Paper)
}

/// The row of a refusal.
fn refused(kind: RowKind) -> String {
    format!("--reduction paper is refused for {}", Refusal::Printed(kind))
}

#[test]
fn every_row_of_the_table() {
    let none = Notion::None;
    let silent = corpus("csp/printed_silent_step.csp");
    let guarded = corpus("csp/printed_guard_of_another.csp");
    let ends = corpus("systems/c24-reduction-terminated.net");
    for row in PRINTED {
        let said = match row.kind {
            RowKind::StateFormula => ask_network(LOOSE, "G F \"P@2\"", None, none),
            RowKind::EventFormula => ask_network(LOOSE, "G (s -> F b)", None, none),
            RowKind::NoFairness => ask_network(LOOSE, "G F a", None, none),
            RowKind::Annotated => ask_network(LOOSE, "G F d", Some("sf(event b)"), none),
            RowKind::Deadlocks => {
                let effort =
                    Effort { reduction: Reduction::Paper, any_run: true, ..Effort::default() };
                let verdict = claim::deadlock_free(&mut network_in(LOOSE), effort);
                let verdict = verdict.expect("no failure");
                Ok((true, !verdict.reductions.is_empty()))
            }
            RowKind::Next => ask_network(LOOSE, "G (a -> X b)", None, none),
            RowKind::PrintedEvents => ask_network(LOOSE, "a U b", None, none),
            RowKind::PrintedEnds => ask_network(&ends, "G !b", None, none),
            RowKind::PrintedSilent => ask_csp(&silent, "G !b"),
            RowKind::PrintedGuards => ask_csp(&guarded, "G !bad"),
            RowKind::Unannotated => {
                for notion in [
                    Notion::Weak(Level::Process),
                    Notion::Global,
                    Notion::Inherent(PrefixKind::Run),
                ] {
                    let said = ask_network(LOOSE, "G F a", None, notion);
                    assert_eq!(said, Err(refused(row.kind)), "{notion:?}");
                }
                ask_network(LOOSE, "G F a", Some("justice(b)"), none)
            }
            RowKind::Stopping => ask_network(LOOSE, "G !\"deadlock\"", None, none),
            RowKind::Never => ask_network(LOOSE, "G F \"taken(P)\"", None, none),
            RowKind::Foreign => ask_csp(
                "P() = a -> atomic{b -> c -> P()}; Q() = d -> e -> Q(); S() = P() ||| Q();
                         #assert S() deadlockfree;",
                "G F a",
            ),
            RowKind::Unprintable => {
                let bounds = fairly_search::Bounds::default();
                let verdict = claim::nonterminating(&mut network_in(LOOSE), bounds);
                let unreduced = verdict.expect("no failure").unreduced;
                assert_eq!(unreduced, Some(Refusal::Table(RowKind::Refinement)));
                Err(refused(row.kind))
            }
            other => panic!("{other:?}: a row of another table"),
        };
        match row.kept {
            true => assert!(matches!(said, Ok((_, true))), "{}: {said:?}", row.what),
            false => assert_eq!(said, Err(refused(row.kind)), "{}", row.what),
        }
    }
}

/// Whether a run is found that violates a formula, in the whole system and in what the printed procedure
/// leaves of it, flaw or not.
fn followed_all_the_same<S: Reducible>(
    system: &mut S,
    formula: &str,
) -> (bool, bool, Option<Flaw>) {
    let mut formulas = Formulas::new();
    let parsed = formulas.parse(&format!("!({formula})")).expect("a formula");
    let (mut watched, mut bindings) = (Watched::default(), Vec::new());
    for id in formulas.atoms(parsed) {
        let (Atom::Event(name) | Atom::Name(name) | Atom::State(name)) = formulas.atom_of(id);
        let events = EventSet::matching(name, system.signature());
        watched.events.push(events.clone());
        bindings.push(Binding::Event(events));
    }
    let options = fairly_translate::Options::default();
    let automaton = fairly_translate::translate(&mut formulas, parsed, &options);
    let automaton = automaton.expect("a small automaton");
    let negation = || Negation::new(&automaton, bindings.clone());
    let whole = has_run(system, negation(), &[]);
    let mut small = Reduced::whole(system);
    let figure = small.figure3(&watched).expect("a known system");
    let flaw = figure.flaw(small.signature());
    small.follow_as_printed(&figure).expect("a small system");
    (whole, has_run(&mut small, negation(), &[]), flaw)
}

/// Each case that the table names is violated, and held by the printed procedure if nobody stops it.
#[test]
fn what_is_refused_would_be_answered_wrongly() {
    let network =
        |file: &str, formula: &str| followed_all_the_same(&mut network_in(&corpus(file)), formula);
    let csp = |file: &str, formula: &str| {
        let mut file = CspFile::parse(&corpus(file)).expect("a model");
        let assertion = file.specification().assertions[0].clone();
        let system = file.system(&assertion.process).expect("a system");
        followed_all_the_same(file.interpreter(system), formula)
    };
    let ends = network("systems/c24-reduction-terminated.net", "G !b");
    assert_eq!(ends, (true, false, Some(Flaw::Ends)));
    let silent = csp("csp/printed_silent_step.csp", "G !b");
    assert_eq!(silent, (true, false, Some(Flaw::Silent)));
    let guarded = csp("csp/printed_guard_of_another.csp", "G !bad");
    assert_eq!(guarded, (true, false, Some(Flaw::Guards)));
    // Without a process that ends, so that it is the formula alone that is at fault.
    let text = corpus("systems/c25-reduction-event-until.net")
        .replace("0 -tau-> 1", "0 -tau-> 1\n  1 -t-> 1");
    let until = followed_all_the_same(&mut network_in(&text), "!(a U b)");
    assert_eq!(until, (true, false, None));
    assert_eq!(
        ask_network(&text, "!(a U b)", None, Notion::None),
        Err(refused(RowKind::PrintedEvents))
    );
}

/// What depends on how the paper is read is read so that these are answered rightly. Their processes end; here they
/// go on, so that nothing is refused.
#[test]
fn what_is_a_matter_of_reading_is_read_well() {
    let parity =
        corpus("systems/c27-reduction-parity.net").replace("0 -b-> 1", "0 -b-> 1\n  1 -c-> 1");
    let said = ask_network(&parity, "G !\"P1@1\"", None, Notion::None);
    assert_eq!(said.map(|(holds, _)| holds), Ok(false));
    let visible = corpus("systems/c26-reduction-visibility.net")
        .replace("1 -x(sf)-> 2", "1 -x(sf)-> 2\n  2 -y-> 2");
    for level in [AnnotationLevel::Name, AnnotationLevel::Occurrence] {
        let said = ask_network(&visible, "F x", None, Notion::Annotated(level));
        assert_eq!(said.map(|(holds, _)| holds), Ok(false), "{level:?}");
    }
}

const NOTIONS: [Notion; 7] = [
    Notion::None,
    Notion::Weak(Level::Event),
    Notion::Strong(Level::Event),
    Notion::WeakLive,
    Notion::StrongLive,
    Notion::Annotated(AnnotationLevel::Name),
    Notion::Annotated(AnnotationLevel::Occurrence),
];

/// Counts over many comparisons.
#[derive(Debug, Default)]
struct Tally {
    compared: u64,
    /// Those in which the printed procedure left something out.
    reduced: u64,
    violated: u64,
    refused: u64,
}

fn compare<S: Reducible>(
    rng: &mut Rng,
    system: &mut S,
    atoms: &[String],
    tally: &mut Tally,
    what: &dyn Fn() -> String,
) {
    for _ in 0..3 {
        let few: Vec<String> = (0..1 + rng.below(2)).map(|_| rng.pick(atoms).clone()).collect();
        let text = any_formula(rng, &few);
        let notion = if rng.chance(1, 3) { Notion::None } else { *rng.pick(&NOTIONS) };
        let assumption = Assumption::of(notion);
        let reading = *rng.pick(&[EventPosition::Leaving, EventPosition::Entering]);
        let mut said = |reduction| ask(system, &text, &assumption, reading, reduction);
        let Ok((printed, left_out)) = said(Reduction::Paper) else {
            tally.refused += 1;
            continue;
        };
        let (whole, _) = said(Reduction::Off).expect("an answer");
        let (ours, _) = said(Reduction::Sound).expect("an answer");
        assert_eq!(
            (printed, ours),
            (whole, whole),
            "{text} under {notion:?}, {reading:?}\n{}",
            what()
        );
        tally.compared += 1;
        tally.reduced += u64::from(left_out);
        tally.violated += u64::from(!whole);
    }
}

#[test]
fn random_networks() {
    let mut tally = Tally::default();
    for seed in first_seed(1).. {
        if tally.compared >= cases(1_500) {
            break;
        }
        let mut rng = Rng::new(seed);
        let mut tiny = loose_network(&mut rng);
        for (at, (states, transitions)) in tiny.iter_mut().enumerate() {
            for state in 0..*states {
                if transitions.iter().all(|(from, ..)| *from != state) {
                    let to = rng.below(*states as usize) as u32;
                    transitions.push((state, format!("p{at}_{}", rng.below(4)), to, None));
                }
            }
        }
        let mut network = network_of(&tiny);
        let places = tiny.iter().enumerate();
        let mut atoms: Vec<String> = places
            .map(|(at, (states, _))| format!("\"P{at}@{}\"", rng.below(*states as usize)))
            .collect();
        let events = network.signature().events.iter().skip(1);
        atoms.extend(events.map(|event| format!("event({})", event.name)));
        let what = || format!("seed {seed}\n{tiny:#?}");
        compare(&mut rng, &mut network, &atoms, &mut tally, &what);
    }
    println!("networks: {tally:?}");
    assert!(tally.reduced * 6 > tally.compared, "{tally:?}: too little was left out");
}

/// Processes in the language of the paper: events that may be annotated, may assign to a variable, and may have
/// a guard over a variable of the process; shared events, which all take together.
fn processes(rng: &mut Rng) -> (String, Vec<String>) {
    let (mut text, mut atoms) = ("var x = 0;\n".to_owned(), vec!["\"x == 1\"".to_owned()]);
    let count = 2 + rng.below(2);
    let shared = rng.below(2);
    for process in 0..count {
        let _ = writeln!(text, "var y{process} = 0;");
        atoms.push(format!("\"y{process} == 1\""));
    }
    for process in 0..count {
        let places = 2 + rng.below(3);
        for place in 0..places {
            let branches: Vec<String> = (0..1 + rng.below(2))
                .map(|_| {
                    let (guard, event) = match rng.below(8) {
                        0 if shared > 0 => (String::new(), "s".to_owned()),
                        1 => {
                            let guard = format!("[y{process} == {}] ", rng.below(2));
                            (guard, format!("g{process}{{y{process} = {}}}", rng.below(2)))
                        }
                        2 => (String::new(), format!("w{process}{{y{process} = 1 - y{process}}}")),
                        3 => (String::new(), format!("u{process}{{x = {}}}", rng.below(2))),
                        _ => (String::new(), format!("e{process}.{}", rng.below(3))),
                    };
                    let event = match rng.below(6) {
                        0 if !event.contains('{') => format!("wf({event})"),
                        1 if !event.contains('{') => format!("sf({event})"),
                        2 if !event.contains('{') => format!("wl({event})"),
                        _ => event,
                    };
                    format!("{guard}{event} -> P{process}_{}()", rng.below(places))
                })
                .collect();
            let _ = writeln!(text, "P{process}_{place}() = {};", branches.join(" [] "));
        }
        atoms.push(format!("event(w{process})"));
        atoms.push(format!("event(e{process}.0)"));
        atoms.push(format!("event(g{process})"));
    }
    let all: Vec<String> = (0..count).map(|process| format!("P{process}_0()")).collect();
    let _ = writeln!(text, "System() = {};\n#assert System() deadlockfree;", all.join(" || "));
    (text, atoms)
}

#[test]
fn random_processes() {
    let mut tally = Tally::default();
    for seed in first_seed(1).. {
        if tally.compared >= cases(600) {
            break;
        }
        let mut rng = Rng::new(seed);
        let (text, atoms) = processes(&mut rng);
        let mut file = CspFile::parse(&text).unwrap_or_else(|why| panic!("{why:?}\n{text}"));
        let assertion = file.specification().assertions[0].clone();
        let system = file.system(&assertion.process).expect("a system");
        let system = file.interpreter(system);
        let known = |atom: &&String| {
            let mut formulas = Formulas::new();
            let parsed = formulas.parse(atom).expect("an atom");
            Property::bind("it", formulas, parsed, system).is_ok()
        };
        let atoms: Vec<String> = atoms.iter().filter(known).cloned().collect();
        let what = || format!("seed {seed}\n{text}");
        compare(&mut rng, system, &atoms, &mut tally, &what);
    }
    println!("processes: {tally:?}");
    assert!(tally.reduced * 10 > tally.compared, "{tally:?}: too little was left out");
}
