//! Explores a model natively and interpreted, and compares.

use std::collections::HashSet;

use std::sync::Arc;

use fairly_explore::Explored;
use fairly_jit::{NativeSpace, Settings};
use fairly_model::native::Native;
use fairly_model::{Model, ModelSpace};
use fairly_omega::StateId;
use fairly_system::{Space, Transition, TransitionSystem};

/// States of a random model that are looked at.
const STATES: usize = 80;

/// A step as both can be asked about it: what happens, and what it leads to.
type Shown = (String, Vec<String>, Vec<u64>, Option<String>);

fn show<S: Space>(system: &Explored<S>, step: Transition) -> Shown {
    let action = system.action(step.action);
    let signature = system.signature();
    let part = |id: &fairly_system::MoveId| {
        let part = &signature.moves[id.index()];
        // Events that depend on the state are numbered as they are met.
        format!("{:?} {} {}", part.process, part.name, signature.event_name(part.event))
    };
    (
        signature.event_name(action.event).to_owned(),
        action.moves.iter().map(part).collect(),
        system.row(step.target),
        system.fault(step.target).map(|fault| fault.message.clone()),
    )
}

/// Explores both at once and compares; how many states were looked at, and how many of those by
/// native code.
pub fn compare(model: &Model) -> Result<(usize, usize), String> {
    compare_up_to(model, STATES)
}

/// The same, of so many states at the most.
pub fn compare_up_to(model: &Model, most: usize) -> Result<(usize, usize), String> {
    let space = || Arc::new(ModelSpace::new(model.clone(), None));
    let mut plain = Explored::new(space());
    let Some(native) = NativeSpace::new(space(), Settings::EAGER) else { return Ok((0, 0)) };
    let mut native = Explored::new(native);
    let names: Vec<String> = model.propositions.iter().map(|(name, _)| name.clone()).collect();
    let mut pairs: Vec<(StateId, StateId)> =
        plain.initial().into_iter().zip(native.initial()).collect();
    let mut seen = HashSet::new();
    let mut at = 0;
    let (mut one, mut other) = (Vec::new(), Vec::new());
    while at < pairs.len().min(most) {
        let (state, twin) = pairs[at];
        at += 1;
        one.clear();
        other.clear();
        plain.enabled(state, &mut one);
        native.enabled(twin, &mut other);
        let mut expected: Vec<(Shown, StateId)> =
            one.iter().map(|&step| (show(&plain, step), step.target)).collect();
        let mut found: Vec<(Shown, StateId)> =
            other.iter().map(|&step| (show(&native, step), step.target)).collect();
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        found.sort_by(|a, b| a.0.cmp(&b.0));
        let shown = |steps: &[(Shown, StateId)]| -> Vec<Shown> {
            steps.iter().map(|(shown, _)| shown.clone()).collect()
        };
        if shown(&expected) != shown(&found) {
            return Err(format!(
                "in {}\ninterpreted {:#?}\nnative {:#?}",
                plain.describe(state),
                shown(&expected),
                shown(&found)
            ));
        }
        for name in &names {
            let (here, there) = (plain.atom(name).expect("it"), native.atom(name).expect("it"));
            if plain.holds(state, here) != native.holds(twin, there) {
                return Err(format!("{name} in {}", plain.describe(state)));
            }
        }
        for ((_, target), (_, twin)) in expected.iter().zip(&found) {
            if seen.insert(*target) {
                pairs.push((*target, *twin));
            }
        }
    }
    let (declined, made) = native.space().counts();
    Ok((usize::try_from(declined + made).expect("few"), usize::try_from(made).expect("few")))
}
