//! The subset exploration: pairs of a state of the system and the product states that the same
//! beginning can lead to, breadth first.

use fairly_omega::StateId;
use fairly_system::{RunStep, Transition, TransitionSystem};
use hashbrown::{HashMap, HashSet};

use crate::bounded::{Budget, Cut};
use crate::prefix::Prefix;
use crate::product::is_limit;
use crate::stored::Stored;

use super::labels::{LabelId, Labels};
use super::{Options, SetMember};

/// The number of a set of product states.
type SetId = u32;

/// A pair, and how it was reached.
struct Pair {
    state: StateId,
    set: SetId,
    /// The pair before and the step from there; none for a start.
    came: Option<(u32, RunStep)>,
    depth: u32,
    /// Another one with a smaller set, found at the same depth, does its work.
    dropped: bool,
}

/// The exploration.
pub(super) struct Pairs<'a, S> {
    system: &'a mut S,
    stored: &'a Stored,
    labels: Labels,
    /// The labels of the product's steps, by position.
    of_step: Vec<LabelId>,
    /// Which product states are live. Where this is known already, sets hold no others and only
    /// minimal sets are kept.
    live: Option<Vec<bool>>,
    pairs: Vec<Pair>,
    sets: Vec<Box<[StateId]>>,
    set_ids: HashMap<Box<[StateId]>, SetId>,
    /// Pairs that have been met, where all are kept.
    met: HashSet<(StateId, SetId)>,
    /// By state: the pairs with minimal sets, where only those are kept.
    minimal: HashMap<StateId, Vec<u32>>,
    /// Steps of the system in a state, with the labels.
    steps: HashMap<StateId, Box<[(Transition, LabelId)]>>,
}

impl<'a, S: TransitionSystem> Pairs<'a, S> {
    pub(super) fn new(
        system: &'a mut S,
        stored: &'a Stored,
        labels: Labels,
        of_step: Vec<LabelId>,
        live: Option<Vec<bool>>,
    ) -> Self {
        Pairs {
            system,
            stored,
            labels,
            of_step,
            live,
            pairs: Vec::new(),
            sets: Vec::new(),
            set_ids: HashMap::new(),
            met: HashSet::new(),
            minimal: HashMap::new(),
            steps: HashMap::new(),
        }
    }

    /// How many pairs there are.
    pub(super) fn count(&self) -> usize {
        self.pairs.len()
    }

    /// Explores until a pair has an empty set, and returns it, or until there are no more.
    pub(super) fn explore(&mut self, options: &Options) -> Result<Option<u32>, Cut> {
        let budget = Budget::new(options.bounds);
        for state in self.system.initial() {
            let mut set = Vec::new();
            for node in self.stored.explored.starts() {
                let other = self.stored.states[node.index()];
                if self.labels.start_alike(self.system, state, other) && self.may_hold(node) {
                    set.push(node);
                }
            }
            if let Some(empty) = self.meet(state, set.into_boxed_slice(), None) {
                return Ok(Some(empty));
            }
        }
        let mut reached: Vec<(LabelId, StateId)> = Vec::new();
        // Where the system goes no further and the property's automaton does not follow, the product
        // has not met that state.
        let mut limit = None;
        let mut at = 0;
        while at < self.pairs.len() {
            budget.allows(at, || self.system.bytes())?;
            let pair = u32::try_from(at).map_err(|_| Cut::Nodes(at))?;
            let Pair { state, set, dropped, .. } = self.pairs[at];
            at += 1;
            if dropped {
                continue;
            }
            if is_limit(self.system, state) {
                limit = limit.or(Some(state));
                continue;
            }
            reached.clear();
            for &node in &self.sets[set as usize] {
                let steps = self.stored.explored.steps_of(node);
                let steps = steps.zip(self.stored.explored.positions(node));
                let steps = steps.map(|(step, position)| (self.of_step[position], step.target));
                reached.extend(steps.filter(|&(_, target)| self.may_hold(target)));
            }
            reached.sort_unstable();
            reached.dedup();
            for number in 0..self.steps_of(state).len() {
                let (transition, label) = self.steps_of(state)[number];
                // A beginning that gave up other ways to go on is none that has to go on well.
                if self.system.is_committed(transition.target) {
                    continue;
                }
                let begin = reached.partition_point(|&(other, _)| other < label);
                let end = reached.partition_point(|&(other, _)| other <= label);
                let set = reached[begin..end].iter().map(|&(_, target)| target).collect();
                let step =
                    RunStep { from: state, action: transition.action, to: transition.target };
                if let Some(empty) = self.meet(transition.target, set, Some((pair, step))) {
                    return Ok(Some(empty));
                }
            }
        }
        limit.map_or(Ok(None), |state| Err(Cut::Limit(state)))
    }

    /// The first pair whose set has no live member. It is reached by a shortest doomed beginning,
    /// because pairs come in the order of their depth.
    pub(super) fn first_without(&self, live: &[bool]) -> Option<u32> {
        let dead: Vec<bool> =
            self.sets.iter().map(|set| !set.iter().any(|node| live[node.index()])).collect();
        let found = self.pairs.iter().position(|pair| dead[pair.set as usize]);
        found.map(|pair| u32::try_from(pair).expect("pairs are numbered by u32"))
    }

    /// The first pairs, with the states of the property's automaton. `live` says which product states are,
    /// unless sets hold no others.
    pub(super) fn shown(
        &self,
        most: usize,
        live: Option<&[bool]>,
    ) -> Vec<(StateId, Vec<SetMember>)> {
        let member = |node: &StateId| SetMember {
            at: self.stored.property[node.index()],
            live: live.is_none_or(|live| live[node.index()]),
        };
        let pairs = self.pairs.iter().filter(|pair| !pair.dropped).take(most);
        let set = |pair: &Pair| self.sets[pair.set as usize].iter().map(member).collect();
        pairs.map(|pair| (pair.state, set(pair))).collect()
    }

    /// The beginning that led to a pair.
    pub(super) fn prefix(&self, pair: u32) -> Prefix {
        let mut steps = Vec::new();
        let mut at = &self.pairs[pair as usize];
        while let Some((before, step)) = at.came {
            steps.push(step);
            at = &self.pairs[before as usize];
        }
        steps.reverse();
        Prefix { start: at.state, steps }
    }

    fn may_hold(&self, node: StateId) -> bool {
        self.live.as_ref().is_none_or(|live| live[node.index()])
    }

    fn steps_of(&mut self, state: StateId) -> &[(Transition, LabelId)] {
        let Pairs { system, labels, steps, .. } = self;
        steps.entry(state).or_insert_with(|| {
            let mut transitions = Vec::new();
            system.steps(state, &mut transitions);
            let label = |transition| (transition, labels.of(*system, state, transition));
            transitions.into_iter().map(label).collect()
        })
    }

    /// Adds a pair, unless it or one that does its work is there; returns it if its set is empty.
    fn meet(
        &mut self,
        state: StateId,
        set: Box<[StateId]>,
        came: Option<(u32, RunStep)>,
    ) -> Option<u32> {
        let empty = set.is_empty();
        let depth = came.map_or(0, |(before, _)| self.pairs[before as usize].depth + 1);
        let number = u32::try_from(self.pairs.len()).expect("pairs are counted before");
        if self.live.is_some() {
            let Pairs { pairs, sets, minimal, .. } = self;
            let known = minimal.entry(state).or_default();
            let set_of = |pair: &u32| &sets[pairs[*pair as usize].set as usize];
            if known.iter().any(|pair| is_subset(set_of(pair), &set)) {
                return None;
            }
            // Those with a larger set have nothing to add, but one that was found earlier may lead
            // to a shorter beginning, so it is still expanded.
            let larger: Vec<u32> =
                known.iter().copied().filter(|pair| is_subset(&set, set_of(pair))).collect();
            known.retain(|pair| !larger.contains(pair));
            known.push(number);
            for pair in larger {
                let pair = &mut pairs[pair as usize];
                pair.dropped |= pair.depth == depth;
            }
        }
        let set = self.intern(set);
        if self.live.is_none() && !self.met.insert((state, set)) {
            return None;
        }
        self.pairs.push(Pair { state, set, came, depth, dropped: false });
        empty.then_some(number)
    }

    fn intern(&mut self, set: Box<[StateId]>) -> SetId {
        if let Some(&known) = self.set_ids.get(&set) {
            return known;
        }
        let fresh = u32::try_from(self.sets.len()).expect("fewer sets than pairs");
        self.sets.push(set.clone());
        self.set_ids.insert(set, fresh);
        fresh
    }
}

/// Whether every member of `small` is in `large`; both are sorted.
fn is_subset(small: &[StateId], large: &[StateId]) -> bool {
    if small.len() > large.len() {
        return false;
    }
    let mut rest = large.iter();
    small.iter().all(|member| rest.find(|&other| other >= member) == Some(member))
}
