//! Processes that are alike: how much is saved, what is refused, and the runs that are shown. Verdicts are
//! compared on random models in `reduction.rs`.

use fairly_check::csp::CspFile;
use fairly_check::soundness::{Refusal, RowKind, SYMMETRY};
use fairly_check::{Assumption, Options, Outcome, Property, Reduction, Verdict, check};
use fairly_fairness::{Constraint, Level, Notion, Selector, Strength};
use fairly_logic::Formulas;
use fairly_model::Collapsed;
use fairly_reduce::{Asymmetric, Reducible, Watched};
use fairly_system::{EventSet, ProcessId, TransitionSystem};

/// Readers and writers as in paper 004, section 5: so many of both.
fn readers_writers(count: usize) -> String {
    format!(
        "var reading = 0; var writing = false;
         Reader() = [!writing] startread{{reading++}} -> stopread{{reading--}} -> Reader();
         Writer() = [reading == 0 && !writing] startwrite{{writing = true}}
                 -> stopwrite{{writing = false}} -> Writer();
         #define wrong reading > 0 && writing;
         System() = (||| x:{{1..{count}}}@Reader()) ||| (||| x:{{1..{count}}}@Writer());
         #assert System() |= [] !wrong;"
    )
}

/// Does something with the system of the first assertion.
fn with_system<T>(text: &str, work: impl FnOnce(&mut Collapsed) -> T) -> T {
    let mut file = CspFile::parse(text).expect("a model");
    let process = file.specification().assertions[0].process.clone();
    let system = file.system(&process).expect("a system");
    work(file.interpreter(system))
}

fn ask(
    system: &mut Collapsed,
    text: &str,
    assumption: &Assumption,
    reduction: Reduction,
) -> Verdict {
    let mut formulas = Formulas::new();
    let parsed = formulas.parse(text).expect("a formula");
    let mut property = Property::bind("it", formulas, parsed, system).expect("its names");
    let options = Options { reduction, any_run: true, ..Options::default() };
    check(system, &mut property, assumption, &options).expect("runs stand up to replay")
}

fn holds(verdict: &Verdict) -> bool {
    match verdict.outcome {
        Outcome::Holds(_) => true,
        Outcome::Violated(_) => false,
        _ => panic!("{:?}", verdict.outcome),
    }
}

fn of_events(system: &Collapsed, strength: Strength, events: &[&str]) -> Assumption {
    let mut assumption = Assumption::of(Notion::None);
    for event in events {
        let set = EventSet::named(event, system.signature()).expect("an event");
        assumption.extra.push(Constraint::fair(strength, event, Selector::Events(set)));
    }
    assumption
}

#[test]
fn readers_and_writers_grow_with_their_number_only() {
    for count in [2, 10, 100] {
        with_system(&readers_writers(count), |system| {
            for fair in [&[][..], &["stopread", "stopwrite"]] {
                let assumption = of_events(system, Strength::Weak, fair);
                let verdict = ask(system, "G !\"wrong\"", &assumption, Reduction::Sound);
                assert!(holds(&verdict));
                assert_eq!(verdict.stamp.system, (count + 2, 2 * count + 2));
            }
        });
    }
}

#[test]
fn runs_are_those_of_the_system() {
    with_system(&readers_writers(4), |system| {
        for formula in
            ["G F startread", "G F startwrite", "G (startread -> X stopread)", "G !stopread"]
        {
            for strength in [Strength::Weak, Strength::Strong] {
                let assumption = of_events(system, strength, &["stopread", "stopwrite"]);
                let whole = ask(system, formula, &assumption, Reduction::Off);
                let small = ask(system, formula, &assumption, Reduction::Sound);
                assert_eq!(small.stamp.reductions.len(), 1, "{formula}");
                assert_eq!(holds(&whole), holds(&small), "{formula}");
            }
        }
    });
}

/// C28: sorting the two processes forgets which one moved, and `a.0 b.1 a.0 b.1 …` would look fair.
const TWO: &str = "P(i) = a.i -> b.i -> P(i);
    System() = ||| i:{0..1}@P(i);
    #assert System() |= []<> a.1;";

#[test]
fn c28_processes_that_are_named_are_not_exchanged() {
    with_system(TWO, |system| {
        let seen = |text: &str, system: &Collapsed| Watched {
            events: EventSet::named(text, system.signature()).into_iter().collect(),
            ..Watched::default()
        };
        assert_eq!(system.symmetry(&seen("a.1", system)).err(), Some(Asymmetric::Named));
        assert!(system.symmetry(&seen("a.*", system)).is_ok());
        assert!(system.symmetry(&Watched::default()).is_ok());
        let fair = Assumption::of(Notion::Weak(Level::Process));
        let verdict = ask(system, "G F a.1", &fair, Reduction::Symmetry);
        assert!(holds(&verdict));
        assert_eq!(verdict.stamp.reductions, Vec::<String>::new());
        let verdict = ask(system, "G F a.1", &Assumption::of(Notion::None), Reduction::Symmetry);
        assert!(!holds(&verdict));
    });
}

/// Two processes swap places with either event; the run with `s` and `t` in turn takes only one of them in
/// either state, and both in the one that stands for the two.
#[test]
fn strong_global_fairness_is_not_kept() {
    let text = "A() = s -> B() [] t -> B(); B() = s -> A() [] t -> A();
        P(i) = case { i == 0: A() default: B() };
        System() = P(0) || P(1);
        #assert System() |= []<> s;";
    with_system(text, |system| {
        let fair = Assumption::of(Notion::Global);
        let formula = "!F G ((s -> X t) && (t -> X s))";
        let verdict = ask(system, formula, &fair, Reduction::Sound);
        assert!(holds(&verdict));
        assert!(verdict.stamp.reductions.is_empty());
    });
}

/// Every row of the table, on readers and writers.
#[test]
fn every_row_of_the_table() {
    let text = readers_writers(3);
    for row in SYMMETRY {
        let one = |notion, constraint: Option<Constraint>, formula: &str| {
            with_system(&text, |system| {
                let mut assumption = Assumption::of(notion);
                assumption.extra.extend(constraint);
                let whole = ask(system, formula, &assumption, Reduction::Off);
                let small = ask(system, formula, &assumption, Reduction::Symmetry);
                assert_eq!(holds(&whole), holds(&small), "{}", row.what);
                !small.stamp.reductions.is_empty()
            })
        };
        let plain = "G !\"wrong\"";
        let used = match row.kind {
            RowKind::Reachability | RowKind::NoFairness => one(Notion::None, None, plain),
            RowKind::Alike => one(Notion::None, None, "G (startread -> X stopread)"),
            RowKind::EventFairness => one(Notion::Strong(Level::Event), None, "G F stopread"),
            RowKind::ProcessFairness | RowKind::MachineClosure => {
                let of = Selector::Process(ProcessId(0));
                let it = Constraint::fair(Strength::Weak, "one", of);
                one(Notion::None, Some(it), plain)
            }
            RowKind::Indexed => one(Notion::Weak(Level::Process), None, plain),
            RowKind::Global => one(Notion::Global, None, plain),
            // Asked elsewhere, where no reduction is used; models of these kinds are below.
            _ => continue,
        };
        assert_eq!(used, row.kept, "{}", row.what);
    }
    assert!(Refusal::Table(RowKind::Indexed).to_string().contains("another process is due"));
}
