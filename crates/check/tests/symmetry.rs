//! Processes that are alike: how much is saved, what is refused, and the runs that are shown. Verdicts are
//! compared on random models in `reduction.rs`.

use std::sync::Arc;

use fairly_check::claim;
use fairly_check::soundness::{Refusal, RowKind, SYMMETRY};
use fairly_check::{Answer, Assumption, CheckError, Options, Outcome, Property, Reduction, check};
use fairly_fairness::{Constraint, Level, Notion, PrefixKind, Selector, Strength};
use fairly_logic::Formulas;
use fairly_model::ModelSpace;
use fairly_omega::emptiness::{self, Algorithm};
use fairly_omega::{Graph, StateId, Stop};
use fairly_reduce::{
    Asymmetric, Base, ModelSystem, Quotient, Reduced, Reducible, Symmetry, Watched,
};
use fairly_search::{Binding, Bounds, Negation, Product};
use fairly_system::{
    ActionId, AtomIndex, EventSet, MoveId, ProcessId, Space, Steps, Transition, TransitionSystem,
};

use crate::common::languages::{CspFile, PromelaFile, Question};
use crate::workers::reduced_for_several;

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
fn with_system<T>(text: &str, work: impl FnOnce(&mut ModelSystem) -> T) -> T {
    let mut file = CspFile::parse(text).expect("a model");
    let process = file.specification().assertions[0].process.clone();
    let system = file.system(&process).expect("a system");
    work(file.interpreter(system))
}

fn ask(
    system: &mut ModelSystem,
    text: &str,
    assumption: &Assumption,
    reduction: Reduction,
) -> Answer {
    let mut formulas = Formulas::new();
    let parsed = formulas.parse(text).expect("a formula");
    let mut property = Property::bind("it", formulas, parsed, system).expect("its names");
    let options = Options { reduction, any_run: true, ..Options::default() };
    check(system, &mut property, assumption, &options).expect("runs stand up to replay")
}

fn holds(verdict: &Answer) -> bool {
    match verdict.outcome {
        Outcome::Holds(_) => true,
        Outcome::Violated(_) => false,
        _ => panic!("{:?}", verdict.outcome),
    }
}

fn of_events(system: &ModelSystem, strength: Strength, events: &[&str]) -> Assumption {
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

/// C28: sorting the two processes resets which one moved, and `a.0 b.1 a.0 b.1 …` would look fair.
const TWO: &str = "P(i) = a.i -> b.i -> P(i);
    System() = ||| i:{0..1}@P(i);
    #assert System() |= []<> a.1;";

#[test]
fn c28_processes_that_are_named_are_not_permuted() {
    with_system(TWO, |system| {
        let seen = |text: &str, system: &ModelSystem| Watched {
            events: EventSet::named(text, system.signature()).into_iter().collect(),
            ..Watched::default()
        };
        assert_eq!(
            system.base().expect("a model").symmetry(&seen("a.1", system), Stop::default()).err(),
            Some(Asymmetric::Named)
        );
        assert!(
            system.base().expect("a model").symmetry(&seen("a.*", system), Stop::default()).is_ok()
        );
        assert!(
            system.base().expect("a model").symmetry(&Watched::default(), Stop::default()).is_ok()
        );
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

/// Every row of the table; most of them on readers and writers.
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
            RowKind::Followed => {
                one(Notion::Weak(Level::Process), None, "G F startwrite")
                    && one(Notion::Strong(Level::Process), None, "G F startread")
            }
            RowKind::Numbered => permutes(MUTEX, "safe", Notion::Strong(Level::Process)),
            RowKind::Changed => with_system(CHANNELS, |system| {
                let changed = |watched: &Watched| match system
                    .base()
                    .expect("a model")
                    .symmetry(watched, Stop::default())
                {
                    Err(Asymmetric::Changed(what)) => assert!(what.contains("d!"), "{what}"),
                    other => panic!("{other:?}"),
                };
                changed(&Watched::default());
                let none = Assumption::of(Notion::None);
                let verdict = ask(system, "G X !bad", &none, Reduction::Symmetry);
                assert!(!holds(&verdict));
                assert!(matches!(verdict.stamp.asymmetric, Some(Refusal::Changed(_))));
                !verdict.stamp.reductions.is_empty()
            }),
            RowKind::Numbers => permutes(RING, "safe", Notion::Weak(Level::Process)),
            RowKind::Indexed => permutes(MUTEX, "all_named", Notion::Weak(Level::Process)),
            RowKind::Several => with_system(&text, |system| {
                let none = Assumption::of(Notion::None);
                reduced_for_several(system, plain, &none, Reduction::Symmetry)
            }),
            RowKind::FollowedBySeveral => with_system(&text, |system| {
                let fair = Assumption::of(Notion::Weak(Level::Process));
                reduced_for_several(system, "G F startwrite", &fair, Reduction::Symmetry)
            }),
            RowKind::Global => one(Notion::Global, None, plain),
            RowKind::Inherent => {
                let trace = one(Notion::Inherent(PrefixKind::Trace), None, plain);
                trace || one(Notion::Inherent(PrefixKind::Run), None, plain)
            }
            RowKind::Refinement => with_system(&text, |system| {
                let verdict = claim::nonterminating(system, Bounds::default());
                verdict.expect("no failure").unreduced != Some(Refusal::Table(row.kind))
            }),
            RowKind::Open => {
                let text = "P(n) = a.n -> P(n + 1); System() = P(0) ||| P(0);
                    #assert System() deadlockfree;";
                with_system(text, |system| {
                    let symmetry = system
                        .base()
                        .expect("a model")
                        .symmetry(&Watched::default(), Stop::default());
                    symmetry.err() != Some(Asymmetric::Open)
                })
            }
            // A row without a test is a mistake.
            other => panic!("{other:?} is not tested"),
        };
        assert_eq!(used, row.kept, "{}", row.what);
    }
}

/// A lock for processes that know their numbers: who has it, who wants it, and who came last.
const MUTEX: &str = "#define N 4
    #define NOBODY 255
    bool want[N]; byte owner = NOBODY; byte last = NOBODY; byte inside;
    active [N] proctype P() {
        do
        :: want[_pid] = true;
           atomic { owner == NOBODY -> owner = _pid };
           inside++;
    critical:
           assert(owner == _pid && inside == 1);
           inside--;
           want[_pid] = false;
           d_step { last = owner; owner = NOBODY }
        od
    }
    ltl safe { [] (inside <= 1) }
    ltl again { [] <> (inside == 1) }
    ltl last_known { <> [] (last != NOBODY) }
    ltl first { [] <> P[0]@critical }
    ltl second { [] (want[1] -> <> (owner == 1)) }
    ltl all_named { [] !(want[0] && want[1] && want[2] && want[3] && inside == 2) }";

/// Each has a channel, so it can be told who has sent.
const CHANNELS: &str = "channel d[2] 1;
    P(i) = d[i]!1 -> d[i]?1 -> bad -> P(i);
    System() = P(0) ||| P(1);
    #assert System() |= [] X !bad;";

/// Whose turn it is goes round.
const RING: &str = "#define N 4
    byte turn; byte inside;
    active [N] proctype P() {
        do :: turn == _pid -> inside++; inside--; turn = (turn + 1) % N od
    }
    ltl safe { [] (inside <= 1) }";

fn asked(text: &str, name: &str, notion: Notion, reduction: Reduction) -> Answer {
    let mut file = PromelaFile::parse(text, &[]).expect("a program");
    let is_it = |file: &PromelaFile, question: &Question| file.title(question).contains(name);
    let question = file.questions().into_iter().find(|it| is_it(&file, it)).expect("a formula");
    let mut property = file.property(&question).expect("its names").expect("a formula");
    let options = Options { reduction, any_run: true, ..Options::default() };
    let assumption = Assumption::of(notion);
    let verdict = check(file.interpreter(), &mut property, &assumption, &options);
    verdict.expect("runs stand up to replay")
}

/// Whether processes are permuted; the answer is the same in any case.
fn permutes(text: &str, name: &str, notion: Notion) -> bool {
    let whole = asked(text, name, notion, Reduction::Off);
    let small = asked(text, name, notion, Reduction::Symmetry);
    assert_eq!(holds(&whole), holds(&small), "{name} under {notion}");
    let used = !small.stamp.reductions.is_empty();
    assert_eq!(used, small.stamp.system.0 < whole.stamp.system.0 || !holds(&whole), "{name}");
    used
}

/// Formulas that name one process, and none, under every fairness of processes.
#[test]
fn processes_are_permuted_with_their_numbers() {
    for name in ["safe", "again", "last_known", "first", "second"] {
        for notion in [Notion::None, Notion::Weak(Level::Process), Notion::Strong(Level::Process)] {
            assert!(permutes(MUTEX, name, notion), "{name} under {notion}");
        }
    }
    let verdict = asked(MUTEX, "first", Notion::Weak(Level::Process), Reduction::Symmetry);
    assert!(!holds(&verdict));
    assert!(holds(&asked(MUTEX, "first", Notion::Strong(Level::Process), Reduction::Symmetry)));
}

/// Processes that are alike but for their initial values could be permuted, and few states would stand for
/// others. They are not taken for processes that cannot be.
#[test]
fn processes_that_are_different_at_the_start_are_not_permuted() {
    let counters = |given: &str| {
        format!(
            "byte left[5] = {{ {given} }}; bit turns;
            active [5] proctype P() {{
                do
                :: atomic {{ left[_pid] > 0 -> left[_pid]--; turns = 1 - turns }}
                :: atomic {{ left[_pid] == 0 -> left[_pid] = 3; turns = 1 - turns }}
                od
            }}
            ltl safe {{ [] (turns <= 1) }}"
        )
    };
    let is_permuted = |text: &str, reduction| {
        let verdict = asked(text, "safe", Notion::None, reduction);
        assert!(holds(&verdict));
        assert_eq!(verdict.stamp.asymmetric, None);
        verdict.stamp.reductions.iter().any(|it| it.starts_with("symmetry"))
    };
    let (same, different) = (counters("2, 2, 2, 2, 2"), counters("0, 1, 2, 3, 1"));
    assert!(is_permuted(&same, Reduction::Sound));
    assert!(!is_permuted(&different, Reduction::Sound));
    // Who asks for nothing else gets it.
    assert!(is_permuted(&different, Reduction::Symmetry));
}

/// A use of a number that is no name is reported.
#[test]
fn what_is_done_with_numbers_is_said() {
    let why = |text: &str| {
        let verdict = asked(text, "safe", Notion::None, Reduction::Symmetry);
        assert_eq!(verdict.stamp.unreduced, verdict.stamp.asymmetric);
        verdict.stamp.asymmetric.expect("it is refused").to_string()
    };
    assert!(why(RING).contains("turn = (turn + 1) % N of P"), "{}", why(RING));
    let ordered = MUTEX.replace("owner == NOBODY ->", "owner > _pid ->");
    assert!(why(&ordered).contains("owner > _pid"), "{}", why(&ordered));
    let truth = MUTEX.replace("inside++;", "inside = inside + 1; _pid;");
    assert!(why(&truth).contains("_pid of P"), "{}", why(&truth));
    let narrow = MUTEX.replace("byte last = NOBODY", "bit last");
    assert!(why(&narrow).contains("last, which has no room"), "{}", why(&narrow));
}

/// The one process stays where it is while the other goes round between places before and behind it, so
/// either slot is served. Only who follows the processes sees that one of them never is.
#[test]
fn slots_that_are_served_are_not_processes_that_are() {
    let text = "byte all;
        active [2] proctype P() {
            byte place = 1; bool started;
            do
            :: !started -> started = true; all++
            :: started && place == 0 -> place = 1
            :: started && place == 1 -> place = 2
            :: started && place == 2 -> place = 0
            od
        }
        ltl every { <> (all == 2) }";
    let fair = Notion::Weak(Level::Process);
    let verdict = asked(text, "every", fair, Reduction::Symmetry);
    assert_eq!(verdict.stamp.engine.map(|engine| engine.name), Some("threaded"));
    assert!(holds(&verdict) && holds(&asked(text, "every", fair, Reduction::Off)));
    // The same quotient without threads.
    let mut file = PromelaFile::parse(text, &[]).expect("a program");
    let system = file.interpreter();
    let constraints = fair.constraints(system.signature()).expect("constraints");
    let watched =
        Watched { constraints: constraints.clone(), followed: true, ..Watched::default() };
    let symmetry = system
        .base()
        .expect("a model")
        .symmetry(&watched, Stop::default())
        .expect("they are alike");
    let atom = system.atom("all == 2").expect("a proposition");
    let mut formulas = Formulas::new();
    let negated = formulas.parse("G !p").expect("a formula");
    let options = fairly_translate::Options::default();
    let automaton = fairly_translate::translate(&mut formulas, negated, &options).expect("small");
    let mut quotient = Reduced::whole(system).up_to(symmetry);
    let negation = Negation::new(&automaton, vec![Binding::State(atom)]);
    let mut product = Product::new(&mut quotient, negation, constraints);
    let algorithm = Algorithm::for_condition(product.acceptance());
    let answer = emptiness::check(&mut product, algorithm).expect("an answer");
    assert!(answer.lasso.is_some(), "without threads there is a false alarm");
}

/// A state with very many ways through its atomic sequences.
#[test]
fn atomic_sequences_with_many_ways() {
    let choices = ":: x = x ^ 1 :: x = x ^ 2 :: x = x ^ 4 :: x = x ^ 8 :: x = x ^ 16";
    let text = format!(
        "byte x; bit y;
        active [2] proctype P() {{
            do :: atomic {{ if {choices} fi; if {choices} fi; if {choices} fi;
                if {choices} fi; if {choices} fi; if {choices} fi; x = 0; y = 1 - y }} od
        }}
        ltl safe {{ [] (x <= 31) }}
        ltl again {{ [] <> (y == 1) }}"
    );
    for name in ["safe", "again"] {
        let verdict = asked(&text, name, Notion::Weak(Level::Process), Reduction::Symmetry);
        assert!(!verdict.stamp.reductions.is_empty(), "{name}: {:?}", verdict.stamp.unreduced);
        let whole = asked(&text, name, Notion::Weak(Level::Process), Reduction::Off);
        assert_eq!(holds(&verdict), holds(&whole), "{name}");
    }
}

/// A system of which wrong permutations are said to be right.
struct Mistaken {
    system: ModelSystem,
    groups: Vec<Vec<usize>>,
}

impl TransitionSystem for Mistaken {
    fn signature(&self) -> &fairly_system::Signature {
        self.system.signature()
    }

    fn initial(&mut self) -> Vec<StateId> {
        self.system.initial()
    }

    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>) {
        self.system.enabled(state, out);
    }

    fn action(&self, action: ActionId) -> &fairly_system::Action {
        self.system.action(action)
    }

    fn offered(&mut self, state: StateId, out: &mut Vec<MoveId>) {
        self.system.offered(state, out);
    }

    fn atom(&mut self, text: &str) -> Option<AtomIndex> {
        self.system.atom(text)
    }

    fn holds(&self, state: StateId, atom: AtomIndex) -> bool {
        self.system.holds(state, atom)
    }

    fn describe(&self, state: StateId) -> String {
        self.system.describe(state)
    }

    fn fault(&self, state: StateId) -> Option<&fairly_system::Fault> {
        self.system.fault(state)
    }
}

impl Reducible for Mistaken {
    fn base(&self) -> Option<Base> {
        let symmetry = Symmetry::unchecked(self.system.space(), &self.groups);
        self.system.base().map(|base| base.permuted_unchecked(symmetry))
    }

    fn own_row(&self, state: StateId) -> Option<Vec<u64>> {
        self.system.own_row(state)
    }
}

/// `a` once and `b` once: a search that takes one process for the other finds a run with `a` twice. It is no
/// run of the system, so there is no verdict, whatever a search of the whole system would say.
#[test]
fn a_quotient_that_is_wrong_is_an_internal_error() {
    let text = "var x = 0;
        P() = a{x = x + 1;} -> Stop; Q() = b{x = x + 5;} -> Stop;
        System() = P() ||| Q();
        #define twice x == 2;
        #assert System() |= [] !twice;";
    let mistaken = || {
        let mut file = CspFile::parse(text).expect("a model");
        let process = file.specification().assertions[0].process.clone();
        let specification = file.specification().clone();
        file.system(&process).expect("a system");
        let lowered = fairly_front::csp::lower(&specification, &process).expect("a model");
        let system = ModelSystem::new(ModelSpace::new(lowered.model, None), None);
        // Processes that are told apart are not permuted by honest detection.
        assert!(
            system.base().expect("a model").symmetry(&Watched::default(), Stop::default()).is_err()
        );
        Mistaken { system, groups: vec![vec![0, 1]] }
    };
    for reduction in [Reduction::Symmetry, Reduction::Sound] {
        for formula in ["G !\"twice\"", "G (a -> X !a)", "G (a -> X G !a)"] {
            let mut system = mistaken();
            let mut formulas = Formulas::new();
            let parsed = formulas.parse(formula).expect("a formula");
            let mut property =
                Property::bind("it", formulas, parsed, &mut system).expect("its names");
            let options = Options { reduction, ..Options::default() };
            let answer = check(&mut system, &mut property, &Assumption::of(Notion::None), &options);
            assert!(matches!(answer, Err(CheckError::Internal { .. })), "{formula}: {answer:?}");
        }
        let mut system = mistaken();
        let twice = system.atom("twice").expect("a proposition");
        let effort = claim::Effort { reduction, ..claim::Effort::default() };
        let answer = claim::reaches(&mut system, twice, effort);
        assert!(matches!(answer, Err(CheckError::Internal { .. })), "{answer:?}");
    }
}

/// Finding out what can be permuted takes about as long as reading the model.
#[test]
fn many_processes_are_looked_at_in_little_time() {
    for (text, groups) in [
        ("P() = [x == 0] go{x = 1;} -> back{x = 0;} -> P(); System() = ||| i:{0..8191} @ P();", 1),
        (
            "P(i) = [x == 0] go.i{x = 1;} -> back.i{x = 0;} -> P(i); System() = ||| i:{0..8191} @ P(i);",
            1,
        ),
    ] {
        let text = format!("var x = 0; {text} #assert System() deadlockfree;");
        with_system(&text, |system| {
            let started = std::time::Instant::now();
            let symmetry = system
                .base()
                .expect("a model")
                .symmetry(&Watched::default(), Stop::default())
                .expect("they are alike");
            let all = Watched {
                constraints: Notion::Weak(Level::Process)
                    .constraints(system.signature())
                    .expect("constraints"),
                followed: true,
                ..Watched::default()
            };
            let followed = system
                .base()
                .expect("a model")
                .symmetry(&all, Stop::default())
                .expect("they are alike");
            println!("{:.2} s", started.elapsed().as_secs_f64());
            assert_eq!(symmetry.groups().collect::<Vec<_>>(), [8192; 1][..groups]);
            assert_eq!(followed.groups().collect::<Vec<_>>(), [8192; 1][..groups]);
            // Comparing them pair by pair took minutes.
            assert!(started.elapsed().as_secs() < 60);
        });
    }
}

/// Where it is time to stop while the steps of a state are put in order, none of them stays.
#[test]
fn a_state_that_is_given_up_keeps_no_step() {
    fn always() -> bool {
        true
    }
    let text = "P(i) = go.i -> back.i -> P(i); System() = ||| i:{0..199} @ P(i);
                #assert System() deadlockfree;";
    with_system(text, |system| {
        let base = system.base().expect("a model");
        let symmetry = base.symmetry(&Watched::default(), Stop::default()).expect("alike");
        let quotient = Quotient::new(Arc::clone(base.space()), symmetry);
        let (mut scratch, mut steps) = (quotient.scratch(), Steps::default());
        quotient.initial(&mut scratch, &mut steps);
        let row = steps.rows.clone();
        steps.clear();
        quotient.expand(&row, &mut scratch, &mut steps);
        assert_eq!((steps.actions.len(), steps.faults.len()), (1, 0), "they are all alike");
        let from = steps.rows.clone();
        let mut all = Steps::default();
        quotient.expand(&from, &mut scratch, &mut all);
        assert_eq!((all.actions.len(), all.faults.len()), (2, 0));
        scratch.stop = Stop { memory: Some(always), ..Stop::default() };
        let (mut rows, mut met) = (Vec::new(), 0);
        for _ in 0..2_000 {
            rows.clear();
            steps.clear();
            (0..64).for_each(|_| rows.extend_from_slice(&from));
            quotient.expand(&rows, &mut scratch, &mut steps);
            for of in steps.by_row() {
                let is_stopped = of.clone().any(|at| steps.fault(at).is_some());
                assert_eq!(of.len(), if is_stopped { 1 } else { 2 });
                met += usize::from(is_stopped);
            }
            if met > 0 {
                break;
            }
        }
        assert!(met > 0, "it is never asked");
    });
}
