//! The procedure of Section 4: five steps, each on a whole automaton, one after the other.
//!
//! 1. The product of the system and the property, reduced to the states that are live: `B ∩ P`.
//! 2. All of its states are final: an automaton for `pre(B ∩ P)`.
//! 3. It is made deterministic and complete, and what is not final becomes final: everything else.
//! 4. The product of that with the system: the beginnings of runs that are not in `pre(B ∩ P)`.
//! 5. Is there one?
//!
//! `fairly aut` has these steps as operations on automata in files. Deviations from the paper: the system need
//! not be deterministic (003-5), and its dead ends idle (003-4). The sink of step 3 is the empty set; steps to
//! it are not stored.

use fairly_omega::StateId;
use fairly_system::{RunStep, TransitionSystem};
use hashbrown::HashMap;

use crate::bounded::{Bounds, Budget, Cut};
use crate::prefix::Prefix;
use crate::product::is_limit;
use crate::stored::Stored;

use super::labels::{LabelId, Labels};

/// Sizes of the automata of the five steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FiveSteps {
    /// States of the product.
    pub product: usize,
    /// Those that are live: the states of the automaton for prefixes.
    pub prefixes: usize,
    /// States of the deterministic automaton, the sink among them, and of its complement.
    pub deterministic: usize,
    /// States of the second product that were met.
    pub beginnings: usize,
}

/// A finite-word automaton after step 3. State 0 is the sink, the only one that is final once final and other
/// states are interchanged.
struct Complement {
    sets: Vec<Box<[StateId]>>,
    numbers: HashMap<Box<[StateId]>, u32>,
    /// By state: where each letter leads, in the order of the letters; all others lead to the sink.
    steps: Vec<Vec<(LabelId, u32)>>,
}

const SINK: u32 = 0;

impl Complement {
    fn number(&mut self, set: Box<[StateId]>) -> u32 {
        if let Some(&known) = self.numbers.get(&set) {
            return known;
        }
        let fresh = u32::try_from(self.sets.len()).expect("sets are counted before");
        self.sets.push(set.clone());
        self.numbers.insert(set, fresh);
        fresh
    }

    fn after(&self, state: u32, letter: LabelId) -> u32 {
        let steps = &self.steps[state as usize];
        let at = steps.binary_search_by_key(&letter, |&(letter, _)| letter);
        at.map_or(SINK, |at| steps[at].1)
    }
}

/// A state of the second product.
struct Beginning {
    state: StateId,
    set: u32,
    came: Option<(u32, RunStep)>,
}

/// A shortest beginning outside `pre(B ∩ P)`, with the sizes of what was built.
pub(super) fn check<S: TransitionSystem>(
    system: &mut S,
    stored: &Stored,
    labels: &mut Labels,
    of_step: &[LabelId],
    live: &[bool],
    bounds: Bounds,
) -> Result<(Option<Prefix>, FiveSteps), Cut> {
    let budget = Budget::new(bounds);
    let mut sizes = FiveSteps {
        product: stored.explored.node_count(),
        prefixes: live.iter().filter(|&&live| live).count(),
        ..FiveSteps::default()
    };
    let mut complement =
        Complement { sets: Vec::new(), numbers: HashMap::new(), steps: Vec::new() };
    complement.number(Box::default());
    // The letters that a run has read before its first step may depend on where it starts.
    let mut begin: Vec<Beginning> = Vec::new();
    for state in system.initial() {
        let starts = stored.explored.starts().filter(|node| live[node.index()]);
        let alike = |node: &StateId| labels.start_alike(system, state, stored.states[node.index()]);
        let set: Vec<StateId> = starts.filter(alike).collect();
        begin.push(Beginning { state, set: complement.number(set.into()), came: None });
    }
    determinize(&mut complement, stored, of_step, live, &budget, &|| system.bytes())?;
    sizes.deterministic = complement.sets.len();
    let (found, met) = second_product(system, labels, &complement, begin, &budget)?;
    sizes.beginnings = met;
    Ok((found, sizes))
}

/// Step 3.
fn determinize(
    complement: &mut Complement,
    stored: &Stored,
    of_step: &[LabelId],
    live: &[bool],
    budget: &Budget,
    held: &dyn Fn() -> usize,
) -> Result<(), Cut> {
    let mut reached: Vec<(LabelId, StateId)> = Vec::new();
    let mut at = 0;
    while at < complement.sets.len() {
        budget.allows(at, held)?;
        reached.clear();
        for &node in &complement.sets[at] {
            let steps = stored.explored.steps_of(node).zip(stored.explored.positions(node));
            let steps = steps.map(|(step, position)| (of_step[position], step.target));
            reached.extend(steps.filter(|&(_, target)| live[target.index()]));
        }
        reached.sort_unstable();
        reached.dedup();
        let by_letter = reached.chunk_by(|one, other| one.0 == other.0);
        let steps: Vec<(LabelId, u32)> = by_letter
            .map(|chunk| (chunk[0].0, complement.number(chunk.iter().map(|&(_, it)| it).collect())))
            .collect();
        complement.steps.push(steps);
        at += 1;
    }
    Ok(())
}

/// Steps 4 and 5: a shortest way to the sink, and how many pairs were met.
fn second_product<S: TransitionSystem>(
    system: &mut S,
    labels: &mut Labels,
    complement: &Complement,
    begin: Vec<Beginning>,
    budget: &Budget,
) -> Result<(Option<Prefix>, usize), Cut> {
    let mut queue = begin;
    let mut met: HashMap<(StateId, u32), ()> =
        queue.iter().map(|it| ((it.state, it.set), ())).collect();
    let mut limit = None;
    let mut steps = Vec::new();
    let mut at = 0;
    while at < queue.len() {
        let Beginning { state, set, .. } = queue[at];
        if set == SINK {
            return Ok((Some(prefix(&queue, at)), queue.len()));
        }
        budget.allows(at, || system.bytes())?;
        let number = u32::try_from(at).map_err(|_| Cut::Nodes(at))?;
        at += 1;
        if is_limit(system, state) {
            limit = limit.or(Some(state));
            continue;
        }
        steps.clear();
        system.steps(state, &mut steps);
        for &transition in &steps {
            if system.is_committed(transition.target) {
                continue;
            }
            let letter = labels.of(system, state, transition);
            let pair = (transition.target, complement.after(set, letter));
            if met.insert(pair, ()).is_none() {
                let step =
                    RunStep { from: state, action: transition.action, to: transition.target };
                queue.push(Beginning { state: pair.0, set: pair.1, came: Some((number, step)) });
            }
        }
    }
    limit.map_or(Ok((None, queue.len())), |state| Err(Cut::Limit(state)))
}

fn prefix(queue: &[Beginning], at: usize) -> Prefix {
    let mut steps = Vec::new();
    let mut beginning = &queue[at];
    while let Some((before, step)) = beginning.came {
        steps.push(step);
        beginning = &queue[before as usize];
    }
    steps.reverse();
    Prefix { start: beginning.state, steps }
}
