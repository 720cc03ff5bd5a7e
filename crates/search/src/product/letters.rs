//! Which edges of the automaton a letter lets it take, found out once a letter.
//!
//! The propositions that hold in a state are a set, and those of an event another; systems have many states and
//! events, but few such sets. Both are numbered, a letter is a pair of their numbers, and for a letter and a
//! state of the automaton the edges are listed when they are first asked for. A state of the system costs four
//! bytes, and none if no proposition is about states.

use std::hash::BuildHasher;
use std::ops::Range;

use fairly_fairness::Selector;
use fairly_omega::tables::grow;
use fairly_omega::{Automaton, Label, MarkSet, MarkSetId, Prop, StateId};
use fairly_system::{Action, ActionId, AtomIndex, EventSet, Signature, TransitionSystem};
use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

use super::joins::Joins;
use super::{Binding, LetterMark};

/// The number of a set of propositions that hold in a state.
pub(super) type Valuation = u32;
/// The number of a set of event propositions that hold of an event.
pub(super) type Happening = u32;
/// The number of a letter.
pub(super) type Letter = u32;

/// No event: what is read before the first step.
pub(super) const NO_EVENT: Happening = 0;

/// Not asked yet.
const UNASKED: u32 = u32::MAX;
/// Combinations of a letter and a state of the automaton whose edges are remembered. Beyond that
/// they are found out each time.
const REMEMBERED: usize = 1 << 20;

/// Where the truth of a proposition of the automaton is found.
#[derive(Clone, Copy)]
enum Place {
    State(usize),
    Event(usize),
}

/// Question about a step.
#[derive(Clone, PartialEq, Eq)]
enum Happens {
    Event(EventSet),
    Taken(Selector),
}

/// An edge that a letter lets the automaton take.
#[derive(Clone, Copy)]
pub(super) struct Taken {
    pub(super) target: StateId,
    pub(super) marks: MarkSetId,
}

/// The letters that have been read.
pub(super) struct Letters<'a> {
    automaton: &'a Automaton,
    /// Marks of an edge in the product's table, by the automaton's.
    edge_marks: Vec<MarkSetId>,
    premises: Vec<LetterMark>,
    places: Vec<Place>,
    happens: Vec<Happens>,
    /// The propositions of states that anything in the product asks for.
    atoms: Vec<AtomIndex>,
    /// Of which actions it is asked whether one is enabled; these come behind the propositions.
    enabled: Vec<Selector>,
    valuations: Sets,
    happenings: Sets,
    /// By state of the system.
    of_state: Vec<Valuation>,
    /// By valuation and happening.
    numbers: Vec<Vec<Letter>>,
    /// By letter.
    read: Vec<Read>,
    /// By letter and state of the automaton: where its edges are.
    remembered: Vec<(u32, u32)>,
    edges: Vec<Taken>,
    /// How many of the edges are remembered. What follows is only good until the next question.
    kept: usize,
}

#[derive(Clone, Copy)]
struct Read {
    valuation: Valuation,
    happening: Happening,
    premises: MarkSetId,
}

/// The marks of the automaton's edges, by their number there.
///
/// Its table may hold sets that no edge carries any more, with marks of a condition that was rewritten.
/// A mark that the automaton does not declare means nothing there, and is a mark of something else here.
fn edge_marks(automaton: &Automaton, marks: &mut Joins) -> Vec<MarkSetId> {
    let declared = MarkSet::first(automaton.mark_count());
    let mut known = vec![None; automaton.mark_table().len()];
    for edge in automaton.states().flat_map(|state| automaton.edges(state)) {
        known[edge.marks.index()].get_or_insert_with(|| {
            marks.intern(automaton.marks(edge.marks).intersection(&declared))
        });
    }
    known.into_iter().map(|set| set.unwrap_or(MarkSetId::EMPTY)).collect()
}

impl<'a> Letters<'a> {
    /// For an automaton; `atoms` are propositions whose truth is to be known besides.
    pub(super) fn new(
        automaton: &'a Automaton,
        bindings: Vec<Binding>,
        premises: Vec<LetterMark>,
        mut atoms: Vec<AtomIndex>,
        marks: &mut Joins,
    ) -> Self {
        let mut happens = Vec::new();
        let mut enabled = Vec::new();
        let mut places = Vec::new();
        for binding in &bindings {
            if let Binding::State(atom) = binding {
                position(&mut atoms, *atom);
            }
        }
        for binding in bindings {
            places.push(match binding {
                Binding::Event(set) => Place::Event(position(&mut happens, Happens::Event(set))),
                Binding::Taken(of) => Place::Event(position(&mut happens, Happens::Taken(of))),
                Binding::State(atom) => Place::State(position(&mut atoms, atom)),
                Binding::Enabled(of) => Place::State(atoms.len() + position(&mut enabled, of)),
            });
        }
        let edge_marks = edge_marks(automaton, marks);
        let valuations = Sets::new(atoms.len() + enabled.len());
        let mut happenings = Sets::new(happens.len());
        let nothing = happenings.number(|_| false);
        debug_assert_eq!(nothing, NO_EVENT);
        Letters {
            automaton,
            edge_marks,
            premises,
            places,
            happens,
            atoms,
            enabled,
            valuations,
            happenings,
            of_state: Vec::new(),
            numbers: Vec::new(),
            read: Vec::new(),
            remembered: Vec::new(),
            edges: Vec::new(),
            kept: 0,
        }
    }

    /// Whether a proposition of the automaton is about steps.
    pub(super) fn read_events(&self) -> bool {
        !self.happens.is_empty()
    }

    /// Propositions that hold in a state, asked once.
    pub(super) fn valuation<S: TransitionSystem>(
        &mut self,
        system: &mut S,
        state: StateId,
    ) -> Valuation {
        if self.atoms.is_empty() && self.enabled.is_empty() {
            return 0;
        }
        if state.index() >= self.of_state.len() {
            grow(&mut self.of_state, state.index(), UNASKED);
        }
        let Letters { atoms, enabled, valuations, of_state, .. } = self;
        let valuation = &mut of_state[state.index()];
        if *valuation == UNASKED {
            let actions = actions(system, state, enabled);
            let system = &*system;
            *valuation = valuations.number(|at| match at.checked_sub(atoms.len()) {
                None => system.holds(state, atoms[at]),
                Some(of) => actions
                    .iter()
                    .any(|&it| enabled[of].selects(system.action(it), system.signature())),
            });
        }
        *valuation
    }

    /// Whether a proposition holds in the states with a valuation. It must be one of those that were
    /// to be known.
    pub(super) fn holds(&self, valuation: Valuation, atom: AtomIndex) -> bool {
        let at = self.atoms.iter().position(|&other| other == atom);
        self.valuations.has(valuation, at.expect("it was to be known"))
    }

    /// Meaning of an action to the automaton.
    pub(super) fn happening(&mut self, action: &Action, signature: &Signature) -> Happening {
        let Letters { happens, happenings, .. } = self;
        happenings.number(|at| match &happens[at] {
            Happens::Event(events) => events.contains(action.event, signature),
            Happens::Taken(of) => of.selects(action, signature),
        })
    }

    /// The letter with this valuation and this happening.
    #[inline]
    pub(super) fn letter(
        &mut self,
        valuation: Valuation,
        happening: Happening,
        marks: &mut Joins,
    ) -> Letter {
        let known = self.numbers.get(valuation as usize).and_then(|of| of.get(happening as usize));
        match known {
            Some(&letter) if letter != UNASKED => letter,
            _ => self.read(valuation, happening, marks),
        }
    }

    /// Reads a letter for the first time.
    fn read(&mut self, valuation: Valuation, happening: Happening, marks: &mut Joins) -> Letter {
        let letter = u32::try_from(self.read.len()).expect("fewer letters than steps");
        let read = Read { valuation, happening, premises: MarkSetId::EMPTY };
        let holding = self.premises.iter().filter(|premise| self.satisfies(read, premise.label));
        let premises = marks.intern(holding.map(|premise| premise.mark).collect());
        self.read.push(Read { premises, ..read });
        if valuation as usize >= self.numbers.len() {
            self.numbers.resize(valuation as usize + 1, Vec::new());
        }
        let of_valuation = &mut self.numbers[valuation as usize];
        if happening as usize >= of_valuation.len() {
            of_valuation.resize(happening as usize + 1, UNASKED);
        }
        of_valuation[happening as usize] = letter;
        letter
    }

    /// The marks that the premises give to steps with this letter.
    pub(super) fn premises(&self, letter: Letter) -> MarkSetId {
        self.read[letter as usize].premises
    }

    /// The edges that leave `at` with this letter, in the order of the automaton, to be looked up with
    /// [`Letters::edge`] before the next question of this kind.
    #[inline]
    pub(super) fn edges(&mut self, at: StateId, letter: Letter) -> Range<usize> {
        let place = letter as usize * self.automaton.state_count() + at.index();
        match self.remembered.get(place) {
            Some(&(first, end)) if first != UNASKED => first as usize..end as usize,
            _ => self.find_edges(at, letter, place),
        }
    }

    /// The edge with this number.
    #[inline]
    pub(super) fn edge(&self, number: usize) -> Taken {
        self.edges[number]
    }

    /// The edges with these numbers.
    pub(super) fn listed(&self, numbers: Range<usize>) -> &[Taken] {
        &self.edges[numbers]
    }

    fn find_edges(&mut self, at: StateId, letter: Letter, place: usize) -> Range<usize> {
        self.edges.truncate(self.kept);
        let read = self.read[letter as usize];
        for edge in self.automaton.edges(at) {
            if self.satisfies(read, edge.label) {
                let marks = self.edge_marks[edge.marks.index()];
                self.edges.push(Taken { target: edge.target, marks });
            }
        }
        let range = self.kept..self.edges.len();
        if place < REMEMBERED
            && let (Ok(first), Ok(end)) = (u32::try_from(range.start), u32::try_from(range.end))
        {
            if place >= self.remembered.len() {
                self.remembered.resize(place + 1, (UNASKED, UNASKED));
            }
            self.remembered[place] = (first, end);
            self.kept = range.end;
        }
        range
    }

    /// Whether a label holds of a letter.
    fn satisfies(&self, read: Read, label: Label) -> bool {
        self.automaton.letters().holds(label, |Prop(prop)| match self.places[prop as usize] {
            Place::State(at) => self.valuations.has(read.valuation, at),
            Place::Event(at) => self.happenings.has(read.happening, at),
        })
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let numbers = self.numbers.iter().map(|of| of.capacity() * 4 + size_of::<Vec<Letter>>());
        self.of_state.len() * 4
            + self.valuations.bytes()
            + self.happenings.bytes()
            + numbers.sum::<usize>()
            + self.read.capacity() * size_of::<Read>()
            + self.remembered.capacity() * 8
            + self.edges.capacity() * size_of::<Taken>()
    }
}

/// The position of something in the list, where it is put if it is not there.
fn position<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    list.iter().position(|other| *other == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}

/// The actions that are enabled in a state, if that is asked. The idle step is none.
fn actions<S: TransitionSystem>(
    system: &mut S,
    state: StateId,
    asked: &[Selector],
) -> Vec<ActionId> {
    let mut actions = Vec::new();
    if !asked.is_empty() {
        let mut steps = Vec::new();
        system.enabled(state, &mut steps);
        system.left_out(state, &mut actions);
        actions.extend(steps.into_iter().map(|step| step.action));
    }
    actions
}

/// Distinct sets of small numbers, numbered as they are met.
struct Sets {
    members: usize,
    /// Words of bits, one set after the other.
    bits: Vec<u64>,
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Sets {
    /// Sets of numbers below `members`.
    fn new(members: usize) -> Self {
        let (numbers, hasher) = (HashTable::new(), DefaultHashBuilder::default());
        Sets { members, bits: Vec::new(), numbers, hasher }
    }

    fn words(&self) -> usize {
        self.members.div_ceil(64)
    }

    /// The number of the set with the members that `is_member` says.
    fn number(&mut self, is_member: impl Fn(usize) -> bool) -> u32 {
        let words = self.words();
        let begin = self.bits.len();
        self.bits.resize(begin + words, 0);
        for at in (0..self.members).filter(|&at| is_member(at)) {
            self.bits[begin + at / 64] |= 1 << (at % 64);
        }
        let (old, new) = self.bits.split_at(begin);
        let set = |number: u32| &old[number as usize * words..][..words];
        let count = u32::try_from(self.numbers.len()).expect("fewer sets than states or events");
        let hasher = &self.hasher;
        let entry = self.numbers.entry(
            hasher.hash_one(new),
            |&number| set(number) == new,
            |&number| hasher.hash_one(set(number)),
        );
        match entry {
            Entry::Occupied(known) => {
                let number = *known.get();
                self.bits.truncate(begin);
                number
            }
            Entry::Vacant(free) => {
                free.insert(count);
                count
            }
        }
    }

    /// Whether a set has a member.
    fn has(&self, number: u32, member: usize) -> bool {
        self.bits[number as usize * self.words() + member / 64] >> (member % 64) & 1 == 1
    }

    fn bytes(&self) -> usize {
        self.bits.capacity() * 8 + self.numbers.allocation_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_any_width_are_told_apart() {
        for members in [0, 1, 63, 64, 65, 200] {
            let mut sets = Sets::new(members);
            let mut numbers = vec![sets.number(|_| false)];
            numbers.extend((0..members).map(|only| sets.number(|at| at == only)));
            for (number, &again) in (0..).zip(&numbers) {
                assert_eq!(number, again, "each one is new");
            }
            for only in 0..members {
                assert_eq!(sets.number(|at| at == only), numbers[only + 1]);
                assert!((0..members).all(|at| sets.has(numbers[only + 1], at) == (at == only)));
            }
        }
    }
}
