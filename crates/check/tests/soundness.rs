//! The table of what partial-order reduction keeps, row by row: what is kept is reduced, what is refused is
//! refused with that row; and for refusals, where a small system shows it, what would go wrong otherwise.
//! That the answers of kept rows are the same is compared at random in `reduction.rs` and `lasting.rs`.

use fairly_check::claim::{self, Effort};
use fairly_check::soundness::{Refusal, RowKind, SOUNDNESS};
use fairly_check::{Assumption, Fairness, Least, Options, Outcome, Property, Reduction, check};
use fairly_explore::Explored;
use fairly_fairness::{AnnotationLevel, Constraint, Level, Notion, Predicate, Selector, Strength};
use fairly_logic::Formulas;
use fairly_model::{Model, ModelSpace, text};
use fairly_omega::Automaton;
use fairly_reduce::{ModelSystem, Reduced, Watched};
use fairly_search::{Binding, Bounds, Negation, reach};
use fairly_system::{Network, ProcessId, TransitionSystem};

use crate::common::languages::{PromelaFile, Question};
use crate::reduced::has_run;
use crate::workers::reduced_for_several;

/// Two processes that have little to do with each other, and one that needs both.
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

/// Refusal of a formula under an assumption; `None` if it is not refused.
fn refusal(text: &str, constraint: Option<Constraint>, notion: Notion) -> Option<Refusal> {
    let mut network = network_in(LOOSE);
    let mut formulas = Formulas::new();
    let parsed = formulas.parse(text).expect("a formula");
    let mut property = Property::bind("it", formulas, parsed, &mut network).expect("its names");
    let mut assumption = Assumption::of(notion);
    assumption.extra.extend(constraint);
    let options = Options { any_run: true, ..Options::default() };
    let verdict = check(&mut network, &mut property, &assumption, &options);
    let stamp = verdict.expect("no failure").stamp;
    assert_eq!(stamp.reductions.is_empty(), stamp.unreduced.is_some(), "{text}");
    stamp.unreduced
}

fn network_in(text: &str) -> Explored<Network> {
    let case = fairly_front::case::parse(text).expect("a network");
    Explored::new(case.network().expect("a network"))
}

/// There is no row without a test: the match names every kind, and none is passed over.
#[test]
fn every_row_of_the_table() {
    let fair = |strength, event: &str| {
        let network = network_in(LOOSE);
        let event = network.signature().event(event).expect("an event");
        Constraint::fair(strength, "it", Selector::Events(event.into()))
    };
    let live = |event: &str| {
        let network = network_in(LOOSE);
        let event = network.signature().event(event).expect("an event");
        Constraint::live(Strength::Weak, "it", Selector::Events(event.into()))
    };
    let of_process =
        |process| Constraint::fair(Strength::Weak, "P", Selector::Process(ProcessId(process)));
    let step = |text: &str| {
        let mut network = network_in(LOOSE);
        let mut assumption = Assumption::of(Notion::None);
        let parsed = fairly_front::case::parse_constraint(text).expect("a constraint");
        assumption.add(&parsed, &mut network).expect("its names");
        assumption.extra.pop()
    };
    let none = Notion::None;
    for row in SOUNDNESS {
        let table = Some(Refusal::Table(row.kind));
        let refused = match row.kind {
            RowKind::StateFormula => refusal("G F \"P@2\"", None, none),
            RowKind::EventFormula => refusal("G (a -> F b)", None, none),
            RowKind::NoFairness => refusal("G F a", None, none),
            RowKind::ProcessFairness => refusal("G F a", Some(of_process(0)), none),
            RowKind::EventFairness => refusal("G F a", Some(fair(Strength::Strong, "a")), none),
            RowKind::ActionFairness => {
                let id = fairly_system::MoveId(0);
                let it = Constraint::fair(Strength::Weak, "it", Selector::Moves(vec![id]));
                refusal("G F a", Some(it), none)
            }
            RowKind::Liveness => refusal("G F a", Some(live("a")), none),
            RowKind::Justice => refusal("G F a", step("justice(b)"), none),
            RowKind::Own => {
                let id = vec![fairly_system::MoveId(0)];
                let it = Constraint {
                    name: "own".to_owned(),
                    strength: Strength::Strong,
                    when: Predicate::Taken(Selector::Moves(id.clone())),
                    then: Predicate::Taken(Selector::Moves(id)),
                };
                refusal("G F a", Some(it), none)
            }
            RowKind::Next => refusal("G (a -> X b)", None, none),
            RowKind::Asked => refusal("G F \"taken(P)\" || F G \"enabled(event c)\"", None, none),
            RowKind::Counting => refusal("a U b", None, none),
            RowKind::Stopping => refusal("G !\"deadlock\"", None, none),
            RowKind::CountingConstraint => refusal("G F a", step("justice(!a)"), none),
            RowKind::Global => refusal("G F a", None, Notion::Global),
            RowKind::Inherent => {
                refusal("G F a", None, Notion::Inherent(fairly_fairness::PrefixKind::Trace))
            }
            RowKind::Errors | RowKind::Deadlocks => {
                let mut network = network_in(LOOSE);
                let effort = Effort { any_run: true, ..Effort::default() };
                match row.kind {
                    RowKind::Errors => claim::faultless(&mut network, &[], |_| None, effort),
                    _ => claim::deadlock_free(&mut network, effort),
                }
                .expect("no failure")
                .unreduced
            }
            RowKind::Reachability => {
                let mut network = network_in(LOOSE);
                let goal = network.atom("P@2").expect("a place");
                let effort = Effort { any_run: true, ..Effort::default() };
                let verdict = claim::reaches(&mut network, goal, effort);
                verdict.expect("no failure").unreduced
            }
            RowKind::Refinement => {
                let mut network = network_in(LOOSE);
                claim::nonterminating(&mut network, Bounds::default())
                    .expect("no failure")
                    .unreduced
            }
            RowKind::Open => of_process_in_csp("P(i) = a.i -> P(i + 1)", "P(0) ||| Q()"),
            RowKind::Priorities => of_process_in_csp("P() = atomic{a -> b -> Skip}", "P() ||| Q()"),
            RowKind::Last => {
                // Nothing says so in advance: no step is independent of another, so none is left out.
                let [whole, reduced] = [Reduction::Off, Reduction::Sound].map(last_mover);
                assert_eq!(whole, reduced);
                table.clone()
            }
            RowKind::MachineClosure => {
                let [whole, reduced] = [Reduction::Off, Reduction::Sound].map(closed);
                assert_eq!((whole.0, reduced.0), (true, true));
                assert!(whole.1 > reduced.1, "nothing was left out");
                None
            }
            RowKind::Never => {
                let mut network = network_in(LOOSE);
                let (automaton, bindings) = place_at_second_position(&mut network);
                let mut property = Property::never("it", automaton, bindings);
                let assumption = Assumption::of(none);
                let options = Options { any_run: true, ..Options::default() };
                let verdict = check(&mut network, &mut property, &assumption, &options);
                verdict.expect("no failure").stamp.unreduced
            }
            RowKind::Least => {
                explored_as_a_whole(|system, property, options| {
                    let found = fairly_check::least(system, property, Level::Process, &[], options);
                    matches!(found, Ok(Least::Unknown(_)))
                });
                table.clone()
            }
            RowKind::Termination => {
                let mut system = ModelSystem::new(ModelSpace::new(one_ends(), None), None);
                let effort = Effort { any_run: true, ..Effort::default() };
                claim::deadlock_free(&mut system, effort).expect("no failure").unreduced
            }
            RowKind::Survey => {
                explored_as_a_whole(|system, property, options| {
                    let assumption = Assumption::of(Notion::Weak(Level::Event));
                    let found = check(system, property, &assumption, options);
                    matches!(found.expect("no failure").outcome, Outcome::Unknown(_))
                });
                table.clone()
            }
            RowKind::Started => {
                let text = "proctype W(byte p) { byte x; x = p }
                    init { byte i; do :: i < 5 -> run W(i); i++ :: else -> break od }";
                let mut file = PromelaFile::parse(text, &[]).expect("a model");
                let effort = Effort { any_run: true, ..Effort::default() };
                file.claim(&Question::Errors, effort).expect("no failure").unreduced
            }
            RowKind::Several => {
                let (mut network, free) = (network_in(LOOSE), Assumption::of(none));
                let used = reduced_for_several(&mut network, "G F a", &free, Reduction::Sound);
                assert!(used, "several workers leave steps out");
                None
            }
            RowKind::FollowedBySeveral
            | RowKind::Annotated
            | RowKind::Unannotated
            | RowKind::Unprintable
            | RowKind::PrintedEvents
            | RowKind::PrintedEnds
            | RowKind::PrintedSilent
            | RowKind::PrintedGuards
            | RowKind::Foreign
            | RowKind::Faint
            | RowKind::Faulty
            | RowKind::Rounds
            | RowKind::Alike
            | RowKind::Followed
            | RowKind::Indexed
            | RowKind::Numbered
            | RowKind::Numbers
            | RowKind::Changed
            | RowKind::Meeting
            | RowKind::Waiting
            | RowKind::Looked => {
                panic!("{}: a row of another table", row.what)
            }
        };
        match row.kept {
            true => assert_eq!(refused, None, "{}", row.what),
            false => assert_eq!(refused, table, "{}", row.what),
        }
    }
}

/// Refusal of deadlock freedom of a process beside a loose one.
fn of_process_in_csp(definition: &str, process: &str) -> Option<Refusal> {
    let text = format!(
        "{definition};
        Q() = c -> d -> Q();
        System() = {process};
        #assert System() deadlockfree;"
    );
    let mut file = crate::common::languages::CspFile::parse(&text).expect("a model");
    let assertion = file.specification().assertions[0].clone();
    let system = file.system(&assertion.process).expect("a system");
    let bounds = Bounds { nodes: Some(1000), ..Bounds::default() };
    let effort = Effort { bounds, any_run: true, ..Effort::default() };
    let verdict = file.claim(system, &assertion.claim, effort);
    verdict.expect("no failure").unreduced
}

/// Two processes that read who moved last, and the states that are met.
fn last_mover(reduction: Reduction) -> usize {
    let text = "byte x;
        active proctype P() { do :: _last == 1 && x < 2 -> x = 1 - x od }
        active proctype Q() { byte y; do :: y < 2 -> y++ od }";
    let mut file = crate::common::languages::PromelaFile::parse(text, &[]).expect("a model");
    let effort =
        Effort { bounds: Bounds::default(), reduction, any_run: true, ..Effort::default() };
    let verdict =
        file.claim(&crate::common::languages::Question::Errors, effort).expect("no failure");
    assert_eq!(verdict.reductions, Vec::<String>::new());
    verdict.size.expect("counted").states
}

/// Q may go astray, and then `s` is ready for ever and cannot be taken.
const ASTRAY: &str = "
component P {
  initial 0
  0 -a-> 1
  1 -b-> 2
  2 -s(sl)-> 0
}
component Q {
  initial 0
  0 -c-> 1
  1 -d-> 2
  2 -s-> 0
  0 -e-> 3
  3 -f-> 3
}
component R {
  initial 0
  0 -g-> 1
  1 -h-> 2
}
";

/// Whether every finite run has a fair continuation, and how many states were met for the property.
fn closed(reduction: Reduction) -> (bool, usize) {
    let mut network = network_in(ASTRAY);
    let mut formulas = Formulas::new();
    let parsed = formulas.parse("G F a -> G F s").expect("a formula");
    let mut property = Property::bind("it", formulas, parsed, &mut network).expect("its names");
    let assumption = Assumption::of(Notion::Annotated(AnnotationLevel::Name));
    let options = Options { reduction, any_run: true, ..Options::default() };
    let verdict = check(&mut network, &mut property, &assumption, &options).expect("no failure");
    let Outcome::Holds(fairness) = verdict.outcome else { panic!("{:?}", verdict.outcome) };
    (matches!(fairness, Fairness::NotMachineClosed(_)), verdict.stamp.system.0)
}

/// An automaton for "P has moved at the first step": it looks at the second position, so it counts steps.
fn place_at_second_position(network: &mut Explored<Network>) -> (Automaton, Vec<Binding>) {
    let atom = network.atom("P@1").expect("a place");
    let mut formulas = Formulas::new();
    let formula = formulas.parse("X p").expect("a formula");
    let options = fairly_translate::Options::default();
    let automaton = fairly_translate::translate(&mut formulas, formula, &options);
    (automaton.expect("a small automaton"), vec![Binding::State(atom)])
}

/// Why automata are refused: the run in which P moves first is one of those that are left out.
#[test]
fn an_automaton_that_counts_would_miss_a_run() {
    let mut network = network_in(LOOSE);
    let (automaton, bindings) = place_at_second_position(&mut network);
    let negation = || Negation::new(&automaton, bindings.clone());
    assert!(has_run(&mut network, negation(), &[]));
    let Binding::State(atom) = bindings[0] else { panic!("a state proposition") };
    let watched = Watched { atoms: vec![atom], ..Watched::default() };
    let mut small = Reduced::new(&mut network, &watched).expect("something is left out");
    assert!(!has_run(&mut small, negation(), &[]));
}

/// One process ends by itself, the other gets stuck after one step.
fn one_ends() -> Model {
    text::parse(
        "model atomicity priority, exit any
        event e0 idle : idle
        event e1 end : termination
        event e2 a : visible
        template t0 Ends parameters 0 {
          location q0 on { -> q1 on e1 as end }
          location q1 over ends {}
        }
        template t1 Stops parameters 0 {
          location q0 on { -> q1 on e2 as a }
          location q1 stuck {}
        }
        slot p0 Ends : t0 start t0()
        slot p1 Stops : t1 start t1()",
    )
    .expect("a model")
}

/// Why termination one by one is refused: of the two orders only the one is followed in which the process
/// that ends is last, and then nothing seems to be stuck.
#[test]
fn a_process_that_ends_last_would_hide_a_deadlock() {
    let mut system = ModelSystem::new(ModelSpace::new(one_ends(), None), None);
    let found = reach::deadlock(&mut system, Bounds::default(), |_, _| false);
    assert!(found.expect("a small system").prefix.is_some());
    let mut small = Reduced::new(&mut system, &Watched::default()).expect("a step is left out");
    let found = reach::deadlock(&mut small, Bounds::default(), |_, _| false);
    assert!(found.expect("a small system").prefix.is_none());
}

/// Checks, of a model with events that are made of values, that a question is not answered within as many
/// nodes as are enough for the reduced system.
fn explored_as_a_whole(is_unknown: impl Fn(&mut ModelSystem, &mut Property, &Options) -> bool) {
    let text = "var x = 0;
        P(i) = a.i -> b.i -> c.i -> d.i -> P(i);
        R() = e.x{x = 1 - x} -> R();
        System() = (||| i:{0..3} @ P(i)) ||| R();
        #assert System() deadlockfree;";
    let mut file = crate::common::languages::CspFile::parse(text).expect("a model");
    let process = file.specification().assertions[0].process.clone();
    let which = file.system(&process).expect("a system");
    let system = file.interpreter(which);
    assert!(!system.signature().complete);
    let mut formulas = Formulas::new();
    let parsed = formulas.parse("G !e.5").expect("a formula");
    let mut property = Property::bind("it", formulas, parsed, system).expect("its names");
    let bounds = Bounds { nodes: Some(200), ..Bounds::default() };
    let options = Options { bounds, any_run: true, ..Options::default() };
    assert!(reach::count(system, Bounds::default()).expect("small").states > 200);
    let verdict = check(system, &mut property, &Assumption::of(Notion::None), &options);
    assert!(matches!(verdict.expect("no failure").outcome, Outcome::Holds(_)));
    assert!(is_unknown(system, &mut property, &options));
}
