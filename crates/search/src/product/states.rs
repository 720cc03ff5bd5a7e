//! Answers of the system about its states, asked once.

use fairly_omega::tables::{grow, reserve};
use fairly_omega::{MarkSetId, StateId};
use fairly_system::{ActionId, Transition};

/// Nothing has been said of the state.
const UNASKED: u32 = u32::MAX;
/// The state has no transitions.
const NONE: u32 = u32::MAX - 1;
/// On the action of the last transition of a state. It saves a state its number of transitions.
const LAST: u32 = 1 << 31;

/// The transitions of states, and the marks that a state gives to each of them.
#[derive(Default)]
pub(super) struct States {
    /// Where its transitions begin, by state.
    first: Vec<u32>,
    transitions: Vec<Transition>,
    /// By state; empty as long as no state gives any.
    marks: Vec<MarkSetId>,
    count: usize,
}

impl States {
    /// Whether the transitions of a state are known.
    pub(super) fn knows(&self, state: StateId) -> bool {
        self.first.get(state.index()).is_some_and(|&first| first != UNASKED)
    }

    /// The list that transitions of a state are to be appended to, before [`States::keep`].
    pub(super) fn room(&mut self) -> &mut Vec<Transition> {
        // More than most states have; the list grows by itself for those that have more.
        reserve(&mut self.transitions, 64);
        &mut self.transitions
    }

    /// How many transitions there are.
    pub(super) fn transition_count(&self) -> usize {
        self.transitions.len()
    }

    /// The action of a transition that has not been kept for a state yet.
    pub(super) fn action_at(&self, position: usize) -> ActionId {
        self.transitions[position].action
    }

    /// The transitions from position `begin` on are those of `state`. Tells whether they could be
    /// kept: where there are too many to number, the state has none.
    pub(super) fn keep(&mut self, state: StateId, begin: usize, marks: MarkSetId) -> bool {
        let numbered = u32::try_from(self.transitions.len()).is_ok_and(|end| end < NONE);
        if !numbered {
            self.transitions.truncate(begin);
        }
        if state.index() >= self.first.len() {
            grow(&mut self.first, state.index(), UNASKED);
        }
        self.first[state.index()] = match self.transitions[begin..].last_mut() {
            Some(last) => {
                assert!(last.action.0 < LAST, "fewer than 2^31 actions");
                last.action.0 |= LAST;
                u32::try_from(begin).expect("less than the end")
            }
            None => NONE,
        };
        if marks != MarkSetId::EMPTY {
            if state.index() >= self.marks.len() {
                grow(&mut self.marks, state.index(), MarkSetId::EMPTY);
            }
            self.marks[state.index()] = marks;
        }
        self.count += 1;
        numbered
    }

    /// Where the transitions of a known state begin, if it has any.
    pub(super) fn begin(&self, state: StateId) -> Option<usize> {
        let first = self.first[state.index()];
        (first != NONE).then_some(first as usize)
    }

    /// The transition at a position, and the position of the next one of the same state.
    #[inline]
    pub(super) fn at(&self, position: usize) -> (Transition, Option<usize>) {
        let Transition { target, action } = self.transitions[position];
        let next = (action.0 & LAST == 0).then_some(position + 1);
        (Transition { target, action: ActionId(action.0 & !LAST) }, next)
    }

    /// The transitions that begin at a position, as far as they are those of one state.
    #[inline]
    pub(super) fn row(&self, begin: usize) -> impl Iterator<Item = Transition> + '_ {
        let mut is_last = false;
        self.transitions[begin..].iter().map_while(move |&Transition { target, action }| {
            let transition = Transition { target, action: ActionId(action.0 & !LAST) };
            (!std::mem::replace(&mut is_last, action.0 & LAST != 0)).then_some(transition)
        })
    }

    /// The marks that a state gives to all of its transitions.
    pub(super) fn marks(&self, state: StateId) -> MarkSetId {
        self.marks.get(state.index()).copied().unwrap_or(MarkSetId::EMPTY)
    }

    /// How many states and transitions are known.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.count, self.transitions.len())
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        (self.first.len() + self.marks.len()) * 4 + self.transitions.len() * size_of::<Transition>()
    }
}
