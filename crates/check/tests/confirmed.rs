//! Systems that lie to a search: what comes of it is an internal error, never a verdict.
//!
//! `Lying` says something else to a search than to the confirmation: it leaves a step out, adds one, or has a
//! proposition hold that does not. `Unwatched` is a quotient that is wrong: it permutes processes, and leaves
//! steps out, regardless of the question.

use std::sync::atomic::{AtomicUsize, Ordering};

use fairly_check::claim::{self, ClaimOutcome, ClaimVerdict, Effort, Extreme};
use fairly_check::{Assumption, CheckError, Options, Outcome, Reduction, check, ladder, least};
use fairly_explore::Explored;
use fairly_fairness::{Level, Notion};
use fairly_omega::{StateId, Stop};
use fairly_reduce::{Base, ModelSystem, Reducible, Watched};
use fairly_search::Bounds;
use fairly_search::refinement::{Determinism, Model};
use fairly_system::{
    Action, ActionId, AtomIndex, Fault, MoveId, Network, Signature, Transition, TransitionSystem,
};

use crate::common;
use crate::common::languages::CspFile;

/// Lie that a system tells a search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lie {
    /// The last step of a state is left out where there are several, or any.
    LeavesOut { if_more_than: usize },
    /// In every state there is one step more: the first one leads back.
    AddsLoop,
    /// The first step also leads to the initial state.
    AddsBranch,
    /// Every proposition holds where it does not, and does not where it does.
    Inverts,
}

struct Lying {
    network: Explored<Network>,
    lie: Option<Lie>,
    reference: Option<Box<Lying>>,
}

impl TransitionSystem for Lying {
    fn signature(&self) -> &Signature {
        self.network.signature()
    }
    fn initial(&mut self) -> Vec<StateId> {
        self.network.initial()
    }
    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>) {
        let before = out.len();
        self.network.enabled(state, out);
        let count = out.len() - before;
        match self.lie {
            Some(Lie::LeavesOut { if_more_than }) if count > if_more_than => _ = out.pop(),
            Some(Lie::AddsLoop) if count > 0 => {
                out.push(Transition { target: state, action: out[before].action });
            }
            Some(Lie::AddsBranch) if count > 0 => {
                let target = self.network.initial()[0];
                out.push(Transition { target, action: out[before].action });
            }
            _ => {}
        }
    }
    fn action(&self, action: ActionId) -> &Action {
        self.network.action(action)
    }
    fn offered(&mut self, state: StateId, out: &mut Vec<MoveId>) {
        self.network.offered(state, out);
    }
    fn atom(&mut self, text: &str) -> Option<AtomIndex> {
        self.network.atom(text)
    }
    fn holds(&self, state: StateId, atom: AtomIndex) -> bool {
        self.network.holds(state, atom) != (self.lie == Some(Lie::Inverts))
    }
    fn describe(&self, state: StateId) -> String {
        self.network.describe(state)
    }
    fn reference(&mut self, states: &[StateId], _stop: Stop) -> Option<(&mut Self, Vec<StateId>)> {
        self.lie?;
        let network = Explored::of(self.network.shared());
        let honest = Lying { network, lie: None, reference: None };
        let reference = self.reference.insert(Box::new(honest));
        let there = states.iter().map(|&it| reference.network.number_of(&self.network, it));
        let there = there.collect();
        Some((reference, there))
    }
}

impl Reducible for Lying {
    fn own_row(&self, state: StateId) -> Option<Vec<u64>> {
        self.network.own_row(state)
    }
}

/// `0 -a-> 1 -b-> 0`, in which nothing goes wrong.
fn lying(lie: impl Into<Option<Lie>>) -> Lying {
    let mut builder = fairly_system::ComponentBuilder::new("P");
    (0..3).for_each(|state: u32| _ = builder.add_state(state.to_string()));
    builder.add_initial(0);
    builder.add_transition(0, "a", 1, None);
    builder.add_transition(1, "b", 0, None);
    let network = Explored::new(
        Network::new(vec![builder.build()], &fairly_system::Composition::default()).unwrap(),
    );
    Lying { network, lie: lie.into(), reference: None }
}

fn is_internal<T>(answer: &Result<T, CheckError>) -> bool {
    matches!(answer, Err(CheckError::Internal { .. }))
}

const OUT: Lie = Lie::LeavesOut { if_more_than: 0 };

type Ask = fn(&mut Lying) -> Result<ClaimVerdict, CheckError>;

#[test]
fn claims() {
    // Each is right of the system as it is, and wrong of what it says to a search.
    let asked: [(&str, Lie, Ask); 8] = [
        ("deadlock", OUT, |it| claim::deadlock_free(it, Bounds::default())),
        ("end", OUT, |it| claim::nonterminating(it, Bounds::default())),
        ("reached", Lie::Inverts, |it| {
            let goal = it.atom("P@2").expect("a place");
            claim::reaches(it, goal, Bounds::default())
        }),
        ("greatest", Lie::AddsBranch, |it| {
            // A value that is read has no other way than through the lie.
            // It is another one once both states have been asked.
            let asked = AtomicUsize::new(0);
            let value = |row: &[u64]| {
                let is_lie = asked.fetch_add(1, Ordering::Relaxed) < 2;
                Some(row[0].cast_signed() + i64::from(is_lie))
            };
            claim::reaches_extreme(it, Extreme::Greatest, Vec::new(), value, Bounds::default())
        }),
        ("error", Lie::AddsLoop, |it| {
            // Only when it is asked first.
            let asked = AtomicUsize::new(0);
            let wrong = |_: &[u64]| {
                let is_lie = asked.fetch_add(1, Ordering::Relaxed) == 0;
                is_lie.then(|| Fault::error("wrong", None))
            };
            claim::faultless(it, &[], wrong, Bounds::default())
        }),
        ("deterministic", Lie::AddsLoop, |it| {
            claim::deterministic(it, Determinism::Transitions, Bounds::default())
        }),
        ("refusable", Lie::AddsBranch, |it| {
            claim::deterministic(it, Determinism::Failures, Bounds::default())
        }),
        ("refines", Lie::AddsLoop, |it| {
            claim::refines(it, &mut lying(None), Model::Traces, Bounds::default())
        }),
    ];
    for (name, lie, ask) in asked {
        let lied = ask(&mut lying(lie));
        assert!(is_internal(&lied), "{name}: {:?}", lied.map(|verdict| verdict.outcome));
        if !["greatest", "error"].contains(&name) {
            let told = ask(&mut lying(None)).expect("nothing is wrong");
            assert!(!matches!(told.outcome, ClaimOutcome::Unknown(_)), "{name}");
        }
    }
}

#[test]
fn specifications() {
    for model in Model::ALL {
        let lied = claim::refines(&mut lying(None), &mut lying(OUT), model, Bounds::default());
        assert!(is_internal(&lied), "{model:?}: {:?}", lied.map(|verdict| verdict.outcome));
        let told = claim::refines(&mut lying(None), &mut lying(None), model, Bounds::default());
        assert!(matches!(told.unwrap().outcome, ClaimOutcome::Holds(None)));
    }
    // An offer that is missing, of the implementation.
    let refused =
        claim::refines(&mut lying(OUT), &mut lying(None), Model::Failures, Bounds::default());
    assert!(is_internal(&refused), "{:?}", refused.map(|verdict| verdict.outcome));
}

#[test]
fn formulas() {
    let assumptions = [Notion::None, Notion::Strong(Level::Process), Notion::Global];
    for (text, lie) in [("G F a", OUT), ("G F b", Lie::AddsLoop), ("G !\"P@2\"", Lie::Inverts)] {
        for notion in assumptions {
            let ask = |lie: Option<Lie>| {
                let mut system = lying(lie);
                let mut property =
                    common::property(&mut system, text, fairly_system::EventPosition::Leaving);
                check(&mut system, &mut property, &Assumption::of(notion), &Options::default())
            };
            let told = ask(None).expect("nothing is wrong");
            assert!(matches!(told.outcome, Outcome::Holds(_)), "{text} under {notion}");
            match ask(Some(lie)) {
                // Under fairness the lie may make no difference.
                Ok(verdict) => {
                    assert!(matches!(verdict.outcome, Outcome::Holds(_)), "{text} under {notion}");
                    assert_ne!(notion, Notion::None, "{text}");
                }
                Err(failure) => {
                    assert!(matches!(failure, CheckError::Internal { .. }), "{failure}");
                }
            }
        }
        let mut system = lying(lie);
        let mut property =
            common::property(&mut system, text, fairly_system::EventPosition::Leaving);
        let answer = ladder(&mut system, &mut property, &[], &Options::default());
        assert!(is_internal(&answer), "{text}: {answer:?}");
        let answer = least(&mut system, &mut property, Level::Process, &[], &Options::default());
        assert!(is_internal(&answer), "{text}: {answer:?}");
    }
}

/// A system that is reduced as if nothing were watched.
struct Unwatched<'a>(&'a mut ModelSystem);

impl TransitionSystem for Unwatched<'_> {
    fn signature(&self) -> &Signature {
        self.0.signature()
    }
    fn initial(&mut self) -> Vec<StateId> {
        self.0.initial()
    }
    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>) {
        self.0.enabled(state, out);
    }
    fn action(&self, action: ActionId) -> &Action {
        TransitionSystem::action(self.0, action)
    }
    fn offered(&mut self, state: StateId, out: &mut Vec<MoveId>) {
        self.0.offered(state, out);
    }
    fn atom(&mut self, text: &str) -> Option<AtomIndex> {
        self.0.atom(text)
    }
    fn holds(&self, state: StateId, atom: AtomIndex) -> bool {
        self.0.holds(state, atom)
    }
    fn describe(&self, state: StateId) -> String {
        self.0.describe(state)
    }
    fn fault(&self, state: StateId) -> Option<&Fault> {
        self.0.fault(state)
    }
}

impl Reducible for Unwatched<'_> {
    fn base(&self) -> Option<Base> {
        self.0.base().map(|base| base.as_if_watched(Watched::default()))
    }
    fn own_row(&self, state: StateId) -> Option<Vec<u64>> {
        self.0.own_row(state)
    }
}

#[test]
fn a_wrong_quotient_is_an_internal_error() {
    // One of the processes stands for all. If a search finds what is asked of that one, the run behind it
    // may be another's.
    let mut internal = 0;
    for at in 0..3 {
        let others: Vec<String> =
            (0..3).filter(|&it| it != at).map(|it| format!("x[{it}] == 0")).collect();
        let others = others.join(" && ");
        let text = format!(
            "var x[3]; P(i) = a.i{{x[i] = 1;}} -> b.i -> Stop;
             System() = P(0) ||| P(1) ||| P(2);
             #define first x[{at}] == 1 && {others};
             #assert System() reaches first;"
        );
        let mut file = CspFile::parse(&text).expect("a model");
        let process = file.specification().assertions[0].process.clone();
        let system = file.system(&process).expect("a system");
        let mut wrong = Unwatched(file.interpreter(system));
        let goal = wrong.atom("first").expect("a proposition");
        let effort = Effort { reduction: Reduction::Symmetry, any_run: true, ..Effort::default() };
        match claim::reaches(&mut wrong, goal, effort) {
            Err(CheckError::Internal { .. }) => internal += 1,
            Err(other) => panic!("{other}"),
            Ok(verdict) => {
                if let ClaimOutcome::Holds(Some(shown)) = verdict.outcome {
                    assert!(wrong.holds(shown.prefix.end(), goal), "confirmed, and not there");
                }
            }
        }
    }
    assert!(internal > 0, "no quotient was wrong");
}
