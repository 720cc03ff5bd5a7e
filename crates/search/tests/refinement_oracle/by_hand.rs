//! Systems that a book or a mistake made worth writing down.

use std::time::Instant;

use fairly_omega::StateId;
use fairly_search::refinement::{
    Answer, Determinism, Model, Nondeterminism, Violation, ViolationKind, deterministic,
    divergence_free, nonterminating, refines, visible,
};
use fairly_search::{Bounds, Cut};
use fairly_system::{
    Action, ActionId, AtomIndex, Event, EventId, EventKind, MoveId, Signature, Transition,
    TransitionSystem,
};

use super::answer;
use super::lts::{A, B, C, TAU, TICK, Tiny};

fn violation(implementation: &Tiny, specification: &Tiny, model: Model) -> Violation {
    let mut systems = (implementation.system(), specification.system());
    match refines(&mut systems.0, &mut systems.1, model, Bounds::default()).unwrap() {
        Answer::Violated(violation) => violation,
        Answer::Refines => panic!("{implementation} refines {specification}"),
    }
}

fn answers(implementation: &Tiny, specification: &Tiny) -> [bool; 3] {
    Model::ALL.map(|model| answer(implementation, specification, model))
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// a → (b □ c) and (a → b) □ (a → c).
#[test]
fn an_early_choice_has_the_traces_of_a_late_one_and_more_refusals() {
    let late = Tiny::of(4, &[(0, A, 1), (1, B, 2), (1, C, 3)]);
    let early = Tiny::of(5, &[(0, A, 1), (0, A, 2), (1, B, 3), (2, C, 4)]);
    assert_eq!(answers(&early, &late), [true, false, false]);
    assert_eq!(answers(&late, &early), [true, true, true]);
    let found = violation(&early, &late, Model::Failures);
    assert_eq!(found.trace.steps.len(), 1);
    let allowed = vec![strings(&["b", "c"])];
    assert_eq!(found.kind, ViolationKind::Refuses { offered: strings(&["b"]), allowed });
}

#[test]
fn divergence_is_the_best_of_failures_and_the_worst_of_divergences() {
    let stop = Tiny::of(1, &[]);
    let diverge = Tiny::of(1, &[(0, TAU, 0)]);
    let run = Tiny::of(1, &[(0, A, 0)]);
    assert_eq!(answers(&diverge, &stop), [true, true, false]);
    assert_eq!(answers(&stop, &diverge), [true, false, true]);
    assert_eq!(answers(&run, &diverge), [false, false, true]);
    let found = violation(&diverge, &stop, Model::FailuresDivergences);
    assert!(found.trace.steps.is_empty());
    assert!(matches!(found.kind, ViolationKind::Diverges { cycle } if cycle.len() == 1));
}

/// From Roscoe's examples: a ⊓ b and a ⊓ (b → DIV), each better than the other in one model.
#[test]
fn failures_and_failures_divergences_order_oppositely() {
    let edges = [(0, TAU, 1), (0, TAU, 2), (1, A, 3), (2, B, 4)];
    let quiet = Tiny::of(5, &edges);
    let mut loud = quiet.clone();
    loud.edges.push((4, TAU, 4));
    assert_eq!(answers(&loud, &quiet), [true, true, false]);
    assert_eq!(answers(&quiet, &loud), [true, false, true]);
}

/// PAT answers that this refines, as soon as it comes to the branch where the specification
/// diverges.
#[test]
fn divergence_on_one_branch_excuses_nothing_on_another() {
    let specification = Tiny::of(3, &[(0, A, 1), (1, TAU, 1), (0, B, 2)]);
    let implementation = Tiny::of(4, &[(0, A, 1), (0, B, 2), (2, C, 3)]);
    let found = violation(&implementation, &specification, Model::FailuresDivergences);
    assert_eq!(found.kind, ViolationKind::ExtraEvent("c".to_owned()));
}

/// SKIP □ a: it may terminate whatever the environment wants, so it may refuse a.
#[test]
fn what_can_terminate_can_refuse_the_rest() {
    let skip = Tiny::of(2, &[(0, TICK, 1)]);
    let both = Tiny::of(2, &[(0, TICK, 1), (0, A, 1)]);
    let either = Tiny::of(4, &[(0, TAU, 1), (0, TAU, 2), (1, TICK, 3), (2, A, 3)]);
    assert_eq!(answers(&skip, &both), [true, true, true]);
    assert_eq!(answers(&both, &skip), [false, false, false]);
    assert_eq!(answers(&both, &either), [true, true, true]);
    // But a alone is not what both may insist on: it has to be able to terminate.
    assert_eq!(answers(&either, &both), [true, false, false]);
    let found = violation(&either, &both, Model::Failures);
    let allowed = vec![strings(&["terminate"])];
    assert_eq!(found.kind, ViolationKind::Refuses { offered: strings(&["a"]), allowed });
    let stop = Tiny::of(1, &[]);
    assert_eq!(answers(&stop, &skip), [true, false, false]);
}

#[test]
fn nothing_counts_after_termination() {
    let skip = Tiny::of(2, &[(0, TICK, 1)]);
    let undead = Tiny::of(2, &[(0, TICK, 1), (1, A, 1), (1, TAU, 1)]);
    assert_eq!(answers(&undead, &skip), [true, true, true]);
    assert_eq!(answers(&skip, &undead), [true, true, true]);
    assert_eq!(divergence_free(&mut undead.system(), Bounds::default()), Ok(None));
    for determinism in [Determinism::Failures, Determinism::Transitions] {
        assert_eq!(deterministic(&mut undead.system(), determinism, Bounds::default()), Ok(None));
    }
}

#[test]
fn the_visible_trace_leaves_out_hidden_events_with_a_visible_name() {
    let implementation = Tiny::of(5, &[(0, TAU, 2), (2, B, 3), (3, TAU, 4), (4, A, 4)]);
    let specification = Tiny::of(2, &[(0, B, 1)]);
    let mut system = implementation.system();
    let answer =
        refines(&mut system, &mut specification.system(), Model::Traces, Bounds::default());
    let Ok(Answer::Violated(found)) = answer else { panic!("{answer:?}") };
    assert_eq!(visible(&system, &found.trace.steps), ["b", "a"]);
    assert_eq!(found.trace.steps.len(), 4);
}

/// P = a -> Stop [] a -> Skip, the example of PAT's manual.
#[test]
fn an_event_with_two_outcomes_is_not_deterministic() {
    let choice = Tiny::of(4, &[(0, A, 1), (0, A, 2), (2, TICK, 3)]);
    let found = deterministic(&mut choice.system(), Determinism::Transitions, Bounds::default());
    let Ok(Some(Nondeterminism::Branches { event, one, other })) = found else {
        panic!("{found:?}")
    };
    assert_eq!((event, one.steps.len(), other.steps.len()), (Some("a".to_owned()), 1, 1));
    let found = deterministic(&mut choice.system(), Determinism::Failures, Bounds::default());
    let Ok(Some(Nondeterminism::Refusable { event, accepts, refuses })) = found else {
        panic!("{found:?}")
    };
    assert_eq!((event.as_str(), accepts.steps.len(), refuses.steps.len()), ("terminate", 2, 1));
}

#[test]
fn neither_notion_of_determinism_implies_the_other() {
    let ask = |tiny: &Tiny| {
        [Determinism::Failures, Determinism::Transitions].map(|determinism| {
            deterministic(&mut tiny.system(), determinism, Bounds::default()).unwrap().is_none()
        })
    };
    assert_eq!(ask(&Tiny::of(3, &[(0, TAU, 1), (0, TAU, 2), (1, A, 0), (2, A, 0)])), [true, false]);
    assert_eq!(ask(&Tiny::of(3, &[(0, A, 0), (0, TAU, 1), (1, B, 0)])), [false, true]);
    // The same event to states that behave alike.
    assert_eq!(ask(&Tiny::of(3, &[(0, A, 1), (0, A, 2), (1, B, 0), (2, B, 0)])), [true, false]);
    assert_eq!(ask(&Tiny::of(2, &[(0, A, 1), (1, A, 0)])), [true, true]);
}

/// P = a -> Skip does not deadlock but ends: the example of PAT's manual.
#[test]
fn a_run_ends_with_termination_or_a_deadlock() {
    let length = |tiny: &Tiny| {
        let found = nonterminating(&mut tiny.system(), Bounds::default()).unwrap();
        found.map(|prefix| prefix.steps.len())
    };
    assert_eq!(length(&Tiny::of(3, &[(0, A, 1), (1, TICK, 2)])), Some(2));
    assert_eq!(length(&Tiny::of(2, &[(0, A, 1)])), Some(1));
    assert_eq!(length(&Tiny::of(1, &[])), Some(0));
    assert_eq!(length(&Tiny::of(1, &[(0, TAU, 0)])), None);
}

#[test]
fn who_cannot_start_does_nothing() {
    let nobody = Tiny { states: 1, initial: vec![], edges: vec![] };
    let stop = Tiny::of(1, &[]);
    assert_eq!(answers(&nobody, &stop), [true; 3]);
    assert_eq!(answers(&nobody, &nobody), [true; 3]);
    assert_eq!(answers(&stop, &nobody), [true, false, false]);
}

/// The set of all states that the last letters may have led to: 2ⁿ of them to make a deterministic
/// specification of, of which the antichain visits few.
#[test]
fn an_antichain_spares_a_determinisation() {
    let states = 18;
    let mut edges = vec![(0, A, 0), (0, B, 0), (0, A, 1)];
    for at in 1..states {
        edges.extend([(at, A, at + 1), (at, B, at + 1)]);
    }
    let specification = Tiny::of(states + 1, &edges);
    let run = Tiny::of(1, &[(0, A, 0), (0, B, 0)]);
    let bounds = Bounds { nodes: Some(10_000), ..Bounds::default() };
    let mut systems = (run.system(), specification.system());
    let answer = refines(&mut systems.0, &mut systems.1, Model::Traces, bounds);
    assert_eq!(answer, Ok(Answer::Refines));
}

#[test]
fn a_bound_that_is_reached_is_never_an_answer() {
    let length = 50;
    let mut edges: Vec<_> = (0..length).map(|at| (at, A, at + 1)).collect();
    edges.push((length, A, 0));
    let ring = Tiny::of(length + 1, &edges);
    let mut most = 0;
    for nodes in 0.. {
        let bounds = Bounds { nodes: Some(nodes), ..Bounds::default() };
        let cut = Err(Cut::Nodes(nodes));
        let mut done = true;
        for model in Model::ALL {
            let answer = refines(&mut ring.system(), &mut ring.system(), model, bounds);
            assert!(answer == cut || answer == Ok(Answer::Refines), "{answer:?}");
            done &= answer.is_ok();
        }
        for determinism in [Determinism::Failures, Determinism::Transitions] {
            let answer = deterministic(&mut ring.system(), determinism, bounds);
            assert!(answer == Ok(None) || answer == Err(Cut::Nodes(nodes)), "{answer:?}");
            done &= answer.is_ok();
        }
        let answer = divergence_free(&mut ring.system(), bounds);
        assert!(answer == Ok(None) || answer == Err(Cut::Nodes(nodes)), "{answer:?}");
        let answer = nonterminating(&mut ring.system(), bounds);
        assert!(answer == Ok(None) || answer == Err(Cut::Nodes(nodes)), "{answer:?}");
        if done {
            most = nodes;
            break;
        }
    }
    assert!((length..10 * length).contains(&most), "{most}");
    let over = Bounds { deadline: Some(Instant::now()), ..Bounds::default() };
    let answer = refines(&mut ring.system(), &mut ring.system(), Model::Traces, over);
    assert!(matches!(answer, Err(Cut::Time(_))), "{answer:?}");
    assert!(matches!(nonterminating(&mut ring.system(), over), Err(Cut::Time(_))));
    assert!(matches!(divergence_free(&mut ring.system(), over), Err(Cut::Time(_))));
}

/// A ring of very many states with one kind of step.
struct Ring {
    length: u32,
    signature: Signature,
    step: Action,
}

impl Ring {
    fn of(kind: EventKind) -> Ring {
        let length = std::env::var("FAIRLY_LONG_PATH").map_or(200_000, |it| it.parse().unwrap());
        let signature = Signature::new(vec![]);
        signature.events.push(Event { name: "a".to_owned(), kind });
        let step = Action { event: EventId(1), participants: vec![], moves: vec![] };
        Ring { length, signature, step }
    }
}

impl TransitionSystem for Ring {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn initial(&mut self) -> Vec<StateId> {
        vec![StateId(0)]
    }

    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>) {
        let target = StateId((state.0 + 1) % self.length);
        out.push(Transition { target, action: ActionId(1) });
    }

    fn action(&self, _: ActionId) -> &Action {
        &self.step
    }

    fn offered(&mut self, _: StateId, _: &mut Vec<MoveId>) {}

    fn atom(&mut self, _: &str) -> Option<AtomIndex> {
        None
    }

    fn holds(&self, _: StateId, _: AtomIndex) -> bool {
        false
    }

    fn describe(&self, state: StateId) -> String {
        state.to_string()
    }
}

#[test]
fn long_paths_overflow_nothing_and_many_sets_of_one_are_no_burden() {
    let bounds = Bounds::default();
    let run = Tiny::of(1, &[(0, A, 0)]);
    let stop = Tiny::of(1, &[]);
    for model in Model::ALL {
        let mut ring = Ring::of(EventKind::Visible);
        // One state of the implementation meets as many sets as the specification has states.
        assert_eq!(refines(&mut run.system(), &mut ring, model, bounds), Ok(Answer::Refines));
        assert_eq!(refines(&mut ring, &mut run.system(), model, bounds), Ok(Answer::Refines));
    }
    let mut ring = Ring::of(EventKind::Internal);
    let length = ring.length as usize;
    for model in [Model::Traces, Model::Failures] {
        assert_eq!(refines(&mut ring, &mut stop.system(), model, bounds), Ok(Answer::Refines));
    }
    let model = Model::FailuresDivergences;
    assert_eq!(refines(&mut stop.system(), &mut ring, model, bounds), Ok(Answer::Refines));
    let answer = refines(&mut ring, &mut stop.system(), model, bounds);
    let Ok(Answer::Violated(found)) = answer else { panic!("it diverges") };
    assert!(matches!(found.kind, ViolationKind::Diverges { cycle } if cycle.len() == length));
    let run = divergence_free(&mut ring, bounds).unwrap().expect("it diverges");
    assert_eq!((run.stem.len(), run.cycle.len()), (0, length));
    let mut ring = Ring::of(EventKind::Visible);
    assert_eq!(deterministic(&mut ring, Determinism::Failures, bounds), Ok(None));
    assert_eq!(nonterminating(&mut ring, bounds), Ok(None));
}

/// Tables are counted, also where the allocator counts nothing.
#[test]
fn a_limit_on_memory_is_kept() {
    let bounds = Bounds { bytes: Some(1 << 20), ..Bounds::default() };
    let cut = Cut::Memory(1 << 20);
    let run = Tiny::of(1, &[(0, A, 0)]);
    for model in Model::ALL {
        let mut ring = Ring::of(EventKind::Visible);
        assert_eq!(refines(&mut ring, &mut run.system(), model, bounds), Err(cut));
        assert_eq!(refines(&mut run.system(), &mut ring, model, bounds), Err(cut));
    }
    let mut ring = Ring::of(EventKind::Visible);
    assert_eq!(divergence_free(&mut ring, bounds), Err(cut));
    assert_eq!(nonterminating(&mut ring, bounds), Err(cut));
    for determinism in [Determinism::Failures, Determinism::Transitions] {
        assert_eq!(deterministic(&mut ring, determinism, bounds), Err(cut));
    }
}
