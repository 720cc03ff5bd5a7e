//! Runs of what is left of a system are led back to runs of the system, and a deadlock or an error can be reached in
//! what is left if and only if it can be reached in the system.

use fairly_model::{
    Communication, Expr, Label, LocationId, Model, ModelSpace, Target, text, verify,
};
use fairly_modelkit::{Shape, cases, first_seed, random_model};
use fairly_omega::StateId;
use fairly_reduce::{ModelSystem, Reduced, Watched};
use fairly_system::{EventKind, RunStep, Transition, TransitionSystem};
use fairly_testkit::Rng;

/// Larger systems are not looked at.
const STATES: usize = 300;

/// Whether states without steps and errors can be reached, and how many states can; `None` if there are many.
fn ends<T: TransitionSystem>(system: &mut T) -> Option<(bool, bool, usize)> {
    let mut states = system.initial();
    let (mut at, mut is_stuck, mut is_wrong) = (0, false, false);
    while at < states.len() {
        if states.len() > STATES {
            return None;
        }
        let state = states[at];
        at += 1;
        let mut out = Vec::new();
        system.enabled(state, &mut out);
        let fails = system.fault(state).is_some();
        is_wrong |= fails;
        is_stuck |= out.is_empty() && !fails;
        for step in out {
            if !states.contains(&step.target) {
                states.push(step.target);
            }
        }
    }
    Some((is_stuck, is_wrong, states.len()))
}

/// A random walk.
fn walk<T: TransitionSystem>(rng: &mut Rng, system: &mut T) -> (StateId, Vec<RunStep>) {
    let start = system.initial()[0];
    let (mut at, mut steps) = (start, Vec::new());
    for _ in 0..12 {
        let mut out = Vec::new();
        system.enabled(at, &mut out);
        if out.is_empty() {
            break;
        }
        let Transition { action, target } = *rng.pick(&out);
        steps.push(RunStep { from: at, action, to: target });
        at = target;
    }
    (start, steps)
}

/// Lets processes often do something that is only about themselves.
fn keep_to_themselves(rng: &mut Rng, model: &mut Model) {
    let own = model.add_event("own", EventKind::Visible);
    for template in &mut model.templates {
        for location in template.locations.iter_mut().skip(1) {
            let Some(edges) = location.edges.as_mut().filter(|_| rng.chance(2, 3)) else {
                continue;
            };
            edges.truncate(1);
            for edge in edges {
                (edge.guard, edge.communication) = (Expr::TRUE, Communication::None);
                (edge.label, edge.hold) = (Label::Event(own), false);
                edge.effect.clear();
                if edge.target == Target::Exit {
                    edge.target = Target::Location(LocationId(0));
                }
            }
        }
    }
}

/// A way to reduce a system, if there is one.
type Reduce = fn(&mut ModelSystem) -> Option<Reduced<'_, ModelSystem>>;

const WAYS: [(&str, Reduce); 4] = [
    ("dead variables", |system| {
        let reduced = Reduced::whole(system).resetting_dead(&Watched::default());
        reduced.dead_resets().is_some().then_some(reduced)
    }),
    ("merging", |system| {
        let reduced = Reduced::whole(system).merging(&Watched::default());
        (reduced.merged() > 0).then_some(reduced)
    }),
    ("ample", |system| Reduced::new(system, &Watched::default()).ok()),
    ("symmetry", |system| {
        let reduced = Reduced::whole(system);
        let symmetry = reduced.find_symmetry(&Watched::default()).ok()?;
        Some(reduced.up_to(symmetry))
    }),
];

#[test]
fn what_is_left_ends_as_the_system_does_and_its_runs_are_runs() {
    let mut counts = [(0, 0); WAYS.len()];
    for seed in first_seed(1)..first_seed(1) + cases(4000) {
        let mut rng = Rng::new(seed);
        let shape = Shape { variables: 2, depth: 1, remote: rng.chance(1, 3), ..Shape::default() };
        let mut model = random_model(&mut rng, &shape);
        if rng.chance(1, 2) {
            let first = model.slots[0].clone();
            for slot in &mut model.slots {
                let (name, renamed) = (slot.name.clone(), slot.renamed.clone());
                *slot = fairly_model::Slot { name, renamed, ..first.clone() };
            }
        }
        if rng.chance(1, 3) {
            keep_to_themselves(&mut rng, &mut model);
        }
        if verify(&model).is_err() {
            continue;
        }
        let mut system = ModelSystem::new(ModelSpace::new(model.clone(), None), None);
        let Some(expected) = ends(&mut system) else { continue };
        for ((name, reduce), count) in WAYS.iter().zip(&mut counts) {
            let told = || format!("{name}, seed {seed}\n{}", text::print(&model));
            let Some(mut reduced) = reduce(&mut system) else { continue };
            let found = ends(&mut reduced).unwrap_or_else(|| panic!("larger: {}", told()));
            assert_eq!((found.0, found.1), (expected.0, expected.1), "{}", told());
            assert!(found.2 <= expected.2, "more states: {}", told());
            count.0 += 1;
            count.1 += usize::from(found.2 < expected.2);
            let (start, steps) = walk(&mut rng, &mut reduced);
            let lifted = reduced.lift_steps(start, &steps);
            let lifted = lifted.unwrap_or_else(|lost| panic!("{lost:?}: {}", told()));
            let start = reduced.start_of(start).expect("an initial state");
            assert!(lifted.len() >= steps.len(), "{}", told());
            drop(reduced);
            let mut at = start;
            assert!(system.initial().contains(&at));
            for step in lifted {
                assert_eq!(step.from, at, "{}", told());
                let mut out = Vec::new();
                system.enabled(at, &mut out);
                let taken = Transition { target: step.to, action: step.action };
                assert!(out.contains(&taken), "no such step: {}", told());
                at = step.to;
            }
        }
    }
    println!("compared, and smaller: {counts:?}");
    assert!(counts.iter().all(|&(compared, smaller)| compared > 20 && smaller > 5), "{counts:?}");
}
