//! A limit that is reached is *unknown*, whatever is asked; and atomic sequences of any length, with any
//! number of ways through them, and without end, mean the same to both back ends.

use fairly_check::claim::ClaimOutcome;
use fairly_check::{
    Assumption, Execution, Least, Options, Outcome, Reduction, WhyUnknown, check, ladder, least,
};
use fairly_fairness::{Level, Notion, PrefixKind};
use fairly_front::csp::syntax::Claim;
use fairly_model::Limits;
use fairly_search::lossy::{Keep, Room};
use fairly_search::{Bounds, reach};

use crate::common::languages::{CspFile, PromelaFile, Question};

const NOTIONS: [Notion; 10] = [
    Notion::None,
    Notion::Weak(Level::Process),
    Notion::Weak(Level::Action),
    Notion::Strong(Level::Process),
    Notion::Strong(Level::Event),
    Notion::Strong(Level::Action),
    Notion::WeakLive,
    Notion::Global,
    Notion::Inherent(PrefixKind::Trace),
    Notion::Inherent(PrefixKind::Run),
];

const ROOM: Room = Room { keep: Keep::Bits, table: 1 << 20, frontier: 1 << 20 };

const REDUCTIONS: [Reduction; 3] = [Reduction::Sound, Reduction::Symmetry, Reduction::Off];

fn program(text: &str, execution: Execution) -> PromelaFile {
    let mut file = PromelaFile::parse(text, &[]).expect("a program");
    file.execute(execution);
    file
}

fn named(file: &PromelaFile, name: &str) -> Question {
    let is_it = |question: &Question| file.title(question).contains(name);
    file.questions().into_iter().find(is_it).expect("a formula of this name")
}

/// `true` and `false` for holds and violated.
fn asked(text: &str, name: &str, notion: Notion, options: &Options, how: Execution) -> bool {
    let mut file = program(text, how);
    let question = named(&file, name);
    let mut property = file.property(&question).expect("its names").expect("a formula");
    let assumption = Assumption::of(notion);
    let verdict = check(file.interpreter(), &mut property, &assumption, options).expect("replayed");
    match verdict.outcome {
        Outcome::Holds(_) => true,
        Outcome::Violated(_) | Outcome::Doomed(_) => false,
        other => panic!("{name} under {notion}: {other:?}"),
    }
}

/// The same answer by both back ends and all reductions.
fn answer(text: &str, name: &str, notion: Notion) -> bool {
    let mut all = Vec::new();
    for reduction in REDUCTIONS {
        for how in [Execution::Native, Execution::Interpreted] {
            let options = Options { reduction, any_run: true, ..Options::default() };
            all.push(asked(text, name, notion, &options, how));
        }
    }
    assert!(all.iter().all(|one| *one == all[0]), "{name} under {notion}: {all:?}\n{text}");
    all[0]
}

/// A sequence that never ends shows all states of its cycle. SPIN gives no answer: it looks no further
/// than the depth it was given.
#[test]
fn an_endless_sequence_shows_its_cycle() {
    let text = "byte y, z;
        active proctype A() { atomic { z = 1; z = 0; do :: y = 1 - y od } }
        active proctype B() { z = 2 }
        ltl once { []<> (y == 1) }
        ltl other { []<> (y == 0) }
        ltl stays { <>[] (y == 0) }
        ltl unseen { [] (z != 1) }
        ltl served { <> (z == 2) }";
    for notion in NOTIONS {
        // B is ready all the time, which is what liveness of events asks.
        let is_owed = matches!(notion, Notion::Inherent(_) | Notion::WeakLive);
        assert!(answer(text, "once", notion), "{notion}");
        assert!(answer(text, "other", notion), "{notion}");
        assert!(!answer(text, "stays", notion), "{notion}");
        assert!(answer(text, "unseen", notion), "{notion}");
        // No other process can move while A holds, so nothing is owed to B.
        assert!(!answer(text, "served", notion) || is_owed, "{notion}");
    }
}

/// One that can end after any number of laps: runs that end show nothing of it, and those that do not show
/// the cycle. Who is fair to the step that leaves the cycle excludes them.
#[test]
fn a_sequence_that_may_end_shows_its_cycle_to_runs_that_stay() {
    let text = "byte x, y, done, after;
        active proctype A() { atomic { do :: y = 1 - y :: break od }; done = 1; after = 1 }
        ltl ends { <> (done == 1) }
        ltl laps { [] (done == 1 -> y == 0) }
        ltl swings { <>[] (done == 1) || []<> (y == 1) }
        ltl inside { [] (y == 1 -> (<> (done == 1))) }
        ltl unseen { (<> (done == 1)) -> ((y == 0) U (done == 1 || (y == 1 && X (done == 1)))) }";
    let leaves = |notion| {
        matches!(
            notion,
            Notion::Weak(Level::Action | Level::Event)
                | Notion::Strong(Level::Action | Level::Event)
                | Notion::Global
                | Notion::WeakLive
                | Notion::Inherent(_)
        )
    };
    for notion in NOTIONS {
        if notion == Notion::WeakLive {
            continue;
        }
        assert_eq!(answer(text, "ends", notion), leaves(notion), "{notion}");
        let inherent = matches!(notion, Notion::Inherent(_));
        assert!(!answer(text, "laps", notion), "{notion}");
        assert!(answer(text, "swings", notion), "{notion}");
        assert_eq!(answer(text, "inside", notion), leaves(notion), "{notion}");
        assert!(answer(text, "unseen", notion) || inherent, "{notion}");
    }
}

/// Long sequences, and many ways: formulas see the states before and after.
#[test]
fn what_is_inside_is_not_seen_however_long_it_is() {
    for length in [1, 3, 100, 3000, 40_000] {
        let text = format!(
            "byte x, done; int k;
            active proctype A() {{
                do :: atomic {{ x = 1; k = 0; do :: k < {length} -> k++ :: else -> break od; x = 0 }} od
            }}
            active proctype B() {{ done = 1 }}
            ltl seen {{ <> (x == 1) }}
            ltl unseen {{ [] (x == 0) }}
            ltl served {{ <> (done == 1) }}"
        );
        let notions = [Notion::None, Notion::Weak(Level::Process), Notion::Strong(Level::Action)];
        for notion in notions {
            for how in [Execution::Native, Execution::Interpreted] {
                let options = Options::default();
                assert!(!asked(&text, "seen", notion, &options, how), "{length}");
                assert!(asked(&text, "unseen", notion, &options, how), "{length}");
                let served = asked(&text, "served", notion, &options, how);
                assert_eq!(served, notion != Notion::None, "{length} {notion}");
            }
        }
    }
}

/// Exponentially many ways to one state: not followed for ever.
#[test]
fn too_many_ways_are_unknown() {
    let choices: String =
        (0..40).map(|at| format!("if :: a[{at}] = 1 :: b[{at}] = 1 fi; ")).collect();
    let resets: String = (0..40).map(|at| format!("a[{at}] = 0; b[{at}] = 0; ")).collect();
    let text = format!(
        "bit a[40]; bit b[40]; byte x;
        active proctype A() {{ atomic {{ x = 1; {choices} {resets} x = 0 }} }}
        ltl unseen {{ [] (x == 0) }}"
    );
    for how in [Execution::Native, Execution::Interpreted] {
        let mut file = program(&text, how);
        let limits = Limits { inside: 1 << 12, ways: 1 << 12, ..Limits::default() };
        file.interpreter().set_limits(limits);
        let question = named(&file, "unseen");
        let mut property = file.property(&question).expect("its names").expect("a formula");
        let none = Assumption::of(Notion::None);
        let verdict =
            check(file.interpreter(), &mut property, &none, &Options::default()).expect("replayed");
        assert!(is_limit_of(&verdict.outcome, "too many states or ways"), "{:?}", verdict.outcome);
    }
}

fn is_limit_of(outcome: &Outcome, what: &str) -> bool {
    matches!(outcome, Outcome::Unknown(WhyUnknown::Limit(why)) if why.contains(what))
}

/// Systems with a step that reaches a limit, in Promela: two are a `d_step` and an atomic sequence.
fn limited(text: &str) -> PromelaFile {
    let mut file = program(text, Execution::Interpreted);
    let limits = Limits { statements: 2000, inside: 100, ways: 100, ..Limits::default() };
    file.interpreter().set_limits(limits);
    file
}

/// Every question about a Promela model is open if a step reaches a limit, unless what violates it is
/// found elsewhere.
#[test]
fn every_question_about_promela_is_open_behind_a_limit() {
    let sequences = [
        "d_step { do :: true -> i++ od }",
        "d_step { do :: i < 5000 -> i++ :: else -> break od }",
        "atomic { do :: i < 5000 -> i++ :: else -> break od }",
    ];
    for sequence in sequences {
        let text = format!(
            "int i; bool bad, seen;
            active proctype P() {{ seen = true; {sequence}; bad = true; progress: false }}
            ltl never_bad {{ [] !bad }}
            ltl never_seen {{ [] !seen }}
            ltl recurs {{ []<> !bad }}"
        );
        for notion in NOTIONS {
            for reduction in REDUCTIONS {
                let options = Options { reduction, ..Options::default() };
                let mut file = limited(&text);
                for question in file.questions() {
                    let title = file.title(&question);
                    let Some(mut property) = file.property(&question).expect("its names") else {
                        let verdict = file.claim(&question, &options).expect("replayed");
                        let is_open =
                            matches!(&verdict.outcome, ClaimOutcome::Unknown(WhyUnknown::Limit(_)));
                        assert!(is_open, "{title} of {sequence}: {:?}", verdict.outcome);
                        continue;
                    };
                    let assumption = Assumption::of(notion);
                    let system = file.interpreter();
                    let verdict = check(system, &mut property, &assumption, &options);
                    let outcome = verdict.expect("replayed").outcome;
                    let is_violated = title.contains("never_seen")
                        && matches!(outcome, Outcome::Violated(_) | Outcome::Doomed(_));
                    assert!(
                        is_violated || matches!(outcome, Outcome::Unknown(WhyUnknown::Limit(_))),
                        "{title} of {sequence} under {notion}: {outcome:?}"
                    );
                }
            }
        }
        let mut file = limited(&text);
        let question = named(&file, "never_bad");
        let mut property = file.property(&question).expect("its names").expect("a formula");
        let rungs = ladder(file.interpreter(), &mut property, &[], &Options::default());
        assert!(rungs.expect("replayed").rungs.iter().all(|rung| rung.holds.is_err()));
        for level in [Level::Process, Level::Event, Level::Action] {
            let answer = least(file.interpreter(), &mut property, level, &[], &Options::default());
            assert!(matches!(answer, Ok(Least::Unknown(WhyUnknown::Limit(_)))), "{answer:?}");
        }
        let count = reach::count(file.interpreter(), Bounds::default());
        assert!(count.is_err(), "{count:?}");
        // Neither do searches that do not keep all states answer.
        for question in file.questions() {
            let Some(claim) = file.claimed(&question) else { continue };
            let verdict = file.hunt(&claim, ROOM, Bounds::default());
            let verdict = verdict.expect("replayed");
            assert!(matches!(verdict.outcome, ClaimOutcome::Unknown(_)), "{verdict:?}");
        }
    }
}

/// The same of CSP#, with the claims that only it has.
#[test]
fn every_question_about_csp_is_open_behind_a_limit() {
    let text = "var i = 0; var bad = 0;
        Long() = a -> e{ while (i < 5000) { i = i + 1; } } -> b{ bad = 1; } -> Long();
        Short() = a -> e -> Short();
        #define isbad bad == 1;
        #assert Long() deadlockfree;
        #assert Long() nonterminating;
        #assert Long() divergencefree;
        #assert Long() deterministic;
        #assert Long() reaches isbad;
        #assert Long() reaches isbad with max(bad);
        #assert Long() reaches isbad with min(bad);
        #assert Long() |= [] !isbad;
        #assert Long() |= []<> a;
        #assert Long() refines Short();
        #assert Long() refines<F> Short();
        #assert Long() refines<FD> Short();";
    let mut file = CspFile::parse(text).expect("a model");
    file.execute(Execution::Interpreted);
    let assertions = file.specification().assertions.clone();
    for reduction in REDUCTIONS {
        let options = Options { reduction, ..Options::default() };
        for assertion in &assertions {
            let title = file.title(assertion);
            let system = file.system(&assertion.process).expect("a system");
            let limits = Limits { statements: 2000, ..Limits::default() };
            file.interpreter(system).set_limits(limits);
            if let Claim::Satisfies(formula) = &assertion.claim {
                for notion in NOTIONS {
                    let mut property = file.property(system, "it", formula).expect("its names");
                    let assumption = Assumption::of(notion);
                    let verdict =
                        check(file.interpreter(system), &mut property, &assumption, &options);
                    let outcome = verdict.expect("replayed").outcome;
                    assert!(
                        matches!(outcome, Outcome::Unknown(WhyUnknown::Limit(_))),
                        "{title} under {notion}: {outcome:?}"
                    );
                }
                continue;
            }
            let verdict = file.claim(system, &assertion.claim, &options).expect("no error");
            assert!(
                matches!(verdict.outcome, ClaimOutcome::Unknown(WhyUnknown::Limit(_))),
                "{title}: {:?}",
                verdict.outcome
            );
            let claimed = file.claimed(&assertion.claim).expect("its names");
            let hunted = file.hunt(&claimed, system, ROOM, Bounds::default());
            let outcome = hunted.expect("no error").outcome;
            assert!(matches!(outcome, ClaimOutcome::Unknown(_)), "{title}: {outcome:?}");
        }
    }
}

/// A program that does not end, with the limits as they are, by both back ends.
#[test]
fn a_program_without_end_is_unknown() {
    let text =
        "var b = 0; P() = go{ while (b < 2) { b = 1 - b; } } -> Skip; #assert P() deadlockfree;";
    for how in [Execution::Native, Execution::Interpreted] {
        let mut file = CspFile::parse(text).expect("a model");
        file.execute(how);
        let assertion = file.specification().assertions[0].clone();
        let system = file.system(&assertion.process).expect("a system");
        let verdict = file.claim(system, &assertion.claim, Bounds::default()).expect("no error");
        let is_open = matches!(verdict.outcome, ClaimOutcome::Unknown(WhyUnknown::Limit(_)));
        assert!(is_open, "{:?}", verdict.outcome);
    }
}

/// Any number of premises of the form `[]<> p -> []<> q`, whatever is assumed of fairness.
#[test]
fn any_number_of_premises() {
    for count in [1, 2, 16, 17, 31, 32, 33, 34, 80] {
        // A counter that may begin again at any time: every run is at zero again and again.
        let premise = |at: usize| format!("([]<> (x == {at}) -> []<> (x == {}))", at + 1);
        let premises: Vec<String> = (0..count).map(premise).collect();
        let premises = premises.join(" && ");
        let text = format!(
            "byte x; active proctype A() {{ do :: x = (x + 1) % {} :: x = 0 od }}
            ltl zero {{ ({premises}) -> []<> (x == 0) }}
            ltl absent {{ ({premises}) -> []<> (x == 200) }}",
            count + 1
        );
        for notion in NOTIONS {
            let options = Options::default();
            assert!(asked(&text, "zero", notion, &options, Execution::Native), "{count} {notion}");
            // Every beginning has a continuation that stays at zero, which breaks a premise.
            let is_inherent = matches!(notion, Notion::Inherent(_));
            let absent = asked(&text, "absent", notion, &options, Execution::Native);
            assert_eq!(absent, is_inherent, "{count} {notion}");
        }
    }
}
