//! The alphabetised product: components that synchronise on the events they share.
//!
//! This is the product of Malinen and Luukkainen (2003), Definition 5. A component is an
//! automaton whose propositions are its events, of which exactly one happens at each step: a letter is one event.
//! An event is taken jointly by all components that have it in their alphabet; the others stay
//! where they are. If every automaton reads every letter you want [`crate::ops::product`].
//!
//! Where this departs from the paper (the numbers are rows of `docs/papers.md`):
//!
//! - *Acceptance* (000-3). The definition distinguishes two cases and leaves one out. Here
//!   the condition is the conjunction of the components' conditions, whatever they are; a
//!   component that accepts everything contributes nothing.
//! - *Components that stay* (000-4). A component that waits for ever never takes one of its own edges, so it
//!   has no infinite run to judge; the paper judges it by the state it waits in, and so the product of two
//!   components may accept a word whose projection on one of them is finite. [`Waiting`] says which reading is
//!   meant. For the intersection of languages give all components the same alphabet: then both readings agree,
//!   because no component waits.

use hashbrown::HashMap;

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, Builder, StateId};
use crate::letters::{Cube, Label, Prop};
use crate::marks::MarkSet;
use crate::ops::parts::{Renumbered, join_propositions, within};
use crate::refused::{BudgetError, Limits};

/// Which marks a component contributes to a step in which it stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Waiting {
    /// The marks that all edges out of the state it waits in have in common: with acceptance on
    /// states, as in Definition 5, the marks of that state, so that a component may wait for ever
    /// in an accepting state. Marks that only some of the edges carry say something of a step
    /// that is not taken, and do not count. A state without edges has no marks.
    #[default]
    RepeatsStateMarks,
    /// None: under a Büchi condition a component must move infinitely often.
    Silent,
}

/// How [`alphabetised_product`] is built.
#[derive(Clone, Copy, Debug, Default)]
pub struct AlphabetisedConfig {
    /// How a component that waits is judged.
    pub waiting: Waiting,
    /// How large the result may become.
    pub limits: Limits,
}

/// The alphabetised product of the components, over the union of their events. Letters of the
/// result are one-hot: each edge is labelled with one event and the negation of all others.
/// Letters of a component in which not exactly one event holds are never taken.
///
/// The product of no components is one state without edges.
///
/// # Errors
/// When the result would pass the limits.
///
/// ```
/// use fairly_omega::ops::{AlphabetisedConfig, alphabetised_product};
/// use fairly_omega::{Builder, Prop};
/// // Two components that alternate an event of their own with a shared one.
/// let component = |own: &str| {
///     let mut builder = Builder::new(vec![own.into(), "meet".into()]);
///     let first = builder.add_states(2);
///     let second = fairly_omega::StateId(1);
///     builder.add_initial(first);
///     let own = builder.letters_mut().cube(&[(Prop(0), true), (Prop(1), false)]).unwrap();
///     let meet = builder.letters_mut().cube(&[(Prop(0), false), (Prop(1), true)]).unwrap();
///     builder.add_edge(first, own, Default::default(), second);
///     builder.add_edge(second, meet, Default::default(), first);
///     builder.build()
/// };
/// let (a, b) = (component("a"), component("b"));
/// let both = alphabetised_product(&[&a, &b], &AlphabetisedConfig::default()).unwrap();
/// assert_eq!(both.propositions(), ["a", "meet", "b"]);
/// assert_eq!((both.state_count(), both.edge_count()), (4, 5));
/// ```
pub fn alphabetised_product(
    components: &[&Automaton],
    config: &AlphabetisedConfig,
) -> Result<Automaton, BudgetError> {
    let (events, rename) = join_propositions(components);
    let mut builder = Builder::new(events);
    let mut offset = 0;
    let mut conditions = Vec::new();
    let mut parts = Vec::with_capacity(components.len());
    for (automaton, rename) in components.iter().zip(&rename) {
        let marks = Renumbered::of(automaton, offset);
        offset += marks.width;
        conditions.push(marks.acceptance);
        parts.push(Part::new(automaton, rename, &marks.sets, config));
    }
    builder.set_acceptance(Acceptance::and(conditions), offset);
    let event_count = builder.propositions().len();
    let mut labels: Vec<Option<Label>> = vec![None; event_count];
    let mut takers: Vec<Vec<usize>> = vec![Vec::new(); event_count];
    for (part, rename) in rename.iter().enumerate() {
        rename.iter().for_each(|event| takers[event.0 as usize].push(part));
    }

    let mut nodes = Tuples::new(components.len());
    let sizes: Vec<usize> = components.iter().map(|automaton| automaton.initial().len()).collect();
    let mut choice = Choices::new(sizes);
    while let Some(chosen) = choice.next() {
        let pick = |(automaton, &at): (&&Automaton, &usize)| automaton.initial()[at];
        let tuple: Vec<StateId> = components.iter().zip(chosen).map(pick).collect();
        let node = nodes.id(&tuple);
        builder.add_states(nodes.len() - builder.state_count());
        builder.add_initial(node);
        within(&builder, config.limits)?;
    }
    let mut next = 0;
    while next < nodes.len() {
        let node = StateId::from_index(next);
        next += 1;
        let tuple = nodes.tuple(node).to_vec();
        // Only events that the state of some component offers can happen here.
        let mut offered: Vec<u32> = Vec::new();
        for (part, &state) in parts.iter().zip(&tuple) {
            offered.extend(part.moves[state.index()].iter().map(|step| step.event));
        }
        offered.sort_unstable();
        offered.dedup();
        for event in offered {
            let joint = &takers[event as usize];
            let mut waiting = MarkSet::new();
            let mut rest = joint.iter().peekable();
            for (at, (part, &state)) in parts.iter().zip(&tuple).enumerate() {
                if rest.next_if(|&&taker| taker == at).is_none() {
                    waiting.union_with(&part.waiting[state.index()]);
                }
            }
            // Every combination of the takers' moves; none if one of them cannot move.
            let moves: Vec<Vec<&Move>> = joint
                .iter()
                .map(|&taker| {
                    let all = parts[taker].moves[tuple[taker].index()].iter();
                    all.filter(|step| step.event == event).collect()
                })
                .collect();
            let mut choice = Choices::new(moves.iter().map(Vec::len).collect());
            while let Some(chosen) = choice.next() {
                let (mut way, mut marks) = (tuple.clone(), waiting.clone());
                for ((&taker, moves), &at) in joint.iter().zip(&moves).zip(chosen) {
                    way[taker] = moves[at].target;
                    marks.union_with(&moves[at].marks);
                }
                let label = match labels[event as usize] {
                    Some(label) => label,
                    None => {
                        let one_hot: Cube = (0..event_count as u32)
                            .map(|other| (Prop(other), other == event))
                            .collect();
                        *labels[event as usize].insert(builder.letters_mut().cube(&one_hot)?)
                    }
                };
                let target = nodes.id(&way);
                builder.add_states(nodes.len() - builder.state_count());
                builder.add_edge(node, label, marks, target);
                within(&builder, config.limits)?;
            }
        }
    }
    for at in 0..nodes.len() {
        let node = StateId::from_index(at);
        let names: Option<Vec<&str>> = components
            .iter()
            .zip(nodes.tuple(node))
            .map(|(automaton, &state)| automaton.state_name(state))
            .collect();
        if let Some(names) = names.filter(|names| !names.is_empty()) {
            builder.set_state_name(node, names.join(","));
        }
    }
    Ok(builder.build())
}

/// A step of one component on one event.
struct Move {
    event: u32,
    target: StateId,
    marks: MarkSet,
}

/// A component, its edges taken apart into events.
struct Part {
    moves: Vec<Vec<Move>>,
    waiting: Vec<MarkSet>,
}

impl Part {
    fn new(
        automaton: &Automaton,
        rename: &[Prop],
        sets: &[MarkSet],
        config: &AlphabetisedConfig,
    ) -> Self {
        // The events of each label, found once. Whether an event is in a label is a walk down
        // the diagram that never branches.
        let mut events_of: HashMap<Label, Vec<u32>> = HashMap::new();
        let mut moves = Vec::with_capacity(automaton.state_count());
        let mut waiting = Vec::with_capacity(automaton.state_count());
        for state in automaton.states() {
            let mut list = Vec::new();
            let mut shared: Option<MarkSet> = None;
            for edge in automaton.edges(state) {
                let events = events_of.entry(edge.label).or_insert_with(|| {
                    let alphabet = 0..rename.len() as u32;
                    alphabet
                        .filter(|&event| {
                            automaton.letters().holds(edge.label, |prop| prop.0 == event)
                        })
                        .collect()
                });
                if events.is_empty() {
                    continue;
                }
                let marks = &sets[edge.marks.index()];
                shared = Some(match shared {
                    Some(shared) => shared.intersection(marks),
                    None => marks.clone(),
                });
                list.extend(events.iter().map(|&event| Move {
                    event: rename[event as usize].0,
                    target: edge.target,
                    marks: marks.clone(),
                }));
            }
            moves.push(list);
            waiting.push(match config.waiting {
                Waiting::RepeatsStateMarks => shared.unwrap_or_default(),
                Waiting::Silent => MarkSet::new(),
            });
        }
        Part { moves, waiting }
    }
}

/// One of several things from each of several lists, in every possible way, one after the other.
struct Choices {
    sizes: Vec<usize>,
    chosen: Vec<usize>,
    begun: bool,
}

impl Choices {
    fn new(sizes: Vec<usize>) -> Self {
        Choices { chosen: vec![0; sizes.len()], sizes, begun: false }
    }

    /// The next positions, the last list's first.
    fn next(&mut self) -> Option<&[usize]> {
        if !self.begun {
            self.begun = true;
            return self.sizes.iter().all(|&size| size > 0).then_some(&self.chosen);
        }
        for at in (0..self.sizes.len()).rev() {
            self.chosen[at] += 1;
            if self.chosen[at] < self.sizes[at] {
                return Some(&self.chosen);
            }
            self.chosen[at] = 0;
        }
        None
    }
}

/// Tuples of states numbered in the order they come up, in one flat array.
struct Tuples {
    width: usize,
    flat: Vec<StateId>,
    count: usize,
    index: hashbrown::HashTable<u32>,
    hasher: hashbrown::DefaultHashBuilder,
}

impl Tuples {
    fn new(width: usize) -> Self {
        Tuples {
            width,
            flat: Vec::new(),
            count: 0,
            index: hashbrown::HashTable::new(),
            hasher: Default::default(),
        }
    }

    fn len(&self) -> usize {
        self.count
    }

    fn tuple(&self, id: StateId) -> &[StateId] {
        &self.flat[id.index() * self.width..(id.index() + 1) * self.width]
    }

    fn id(&mut self, tuple: &[StateId]) -> StateId {
        use std::hash::BuildHasher;
        let (flat, width, hasher) = (&self.flat, self.width, &self.hasher);
        let stored = |id: u32| &flat[id as usize * width..(id as usize + 1) * width];
        let entry = self.index.entry(
            hasher.hash_one(tuple),
            |&id| stored(id) == tuple,
            |&id| hasher.hash_one(stored(id)),
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(found) => StateId(*found.get()),
            hashbrown::hash_table::Entry::Vacant(free) => {
                let id = StateId::from_index(self.count);
                free.insert(id.0);
                self.count += 1;
                self.flat.extend_from_slice(tuple);
                id
            }
        }
    }
}
