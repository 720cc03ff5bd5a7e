//! The states inside the sequences that begin in one state.
//!
//! Each is expanded once, however many ways lead to it. Cycles among them are found as the components
//! of this graph.

use fairly_system::{ActionId, Fault, Holder, Scratch, Sequences, Steps};
use hashbrown::HashTable;

use super::ASKED;

/// How much of the states inside is looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// States in which a process holds.
    pub(super) states: usize,
    /// Words of them together.
    pub(super) words: usize,
    /// Whether several steps may be made at once.
    pub(super) at_once: bool,
}

/// Too many states inside.
#[derive(Debug)]
pub(super) struct LimitError;

/// Where a step inside leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum To {
    /// A state in which a process holds, by its number.
    Held(u32),
    /// Any other, or one in which something goes wrong, by position.
    Out(u32),
}

/// The states inside, and their steps.
pub(super) struct Passage {
    width: usize,
    holder: Option<Holder>,
    /// The states in which a process holds, one after the other. The state where it all begins is
    /// none of them, and has the first steps.
    held: Vec<u64>,
    table: HashTable<u32>,
    /// Steps, those of one state after those of the one before.
    edges: Vec<(ActionId, To)>,
    /// By state: where its steps end.
    ends: Vec<usize>,
    /// Targets of steps to the outside.
    out: Vec<u64>,
    faults: Vec<(u32, Fault)>,
    /// Whether two steps lead to the same state inside: otherwise they are a tree.
    meets: bool,
    /// By state: the component it is in, if that has a cycle; otherwise [`NO_CYCLE`]. Empty if there
    /// is none.
    cycles: Vec<u32>,
    /// The state that is expanded, and its steps.
    row: Vec<u64>,
    steps: Steps,
}

/// A state that is on no cycle.
pub(super) const NO_CYCLE: u32 = u32::MAX;

/// States are compared with all others if there are at most so many, and looked up otherwise.
const FEW: usize = 16;

impl Passage {
    pub(super) fn new(width: usize, holder: Option<Holder>) -> Passage {
        Passage {
            width,
            holder,
            held: Vec::new(),
            table: HashTable::new(),
            edges: Vec::new(),
            ends: Vec::new(),
            out: Vec::new(),
            faults: Vec::new(),
            meets: false,
            cycles: Vec::new(),
            row: Vec::new(),
            steps: Steps::default(),
        }
    }

    /// Explores all states inside, after the steps out of a state.
    pub(super) fn explore<S: Sequences>(
        &mut self,
        inner: &S,
        scratch: &mut Scratch,
        first: &Steps,
        extent: Extent,
    ) -> Result<(), LimitError> {
        self.clear();
        self.add(first);
        self.go_on(inner, scratch, extent)
    }

    /// The same, of a state inside, which is then the first one.
    pub(super) fn explore_from<S: Sequences>(
        &mut self,
        inner: &S,
        scratch: &mut Scratch,
        words: &[u64],
        extent: Extent,
    ) -> Result<(), LimitError> {
        self.clear();
        self.held.extend_from_slice(words);
        self.edges.push((ActionId::IDLE, To::Held(0)));
        self.ends.push(1);
        self.go_on(inner, scratch, extent)
    }

    fn clear(&mut self) {
        self.held.clear();
        self.table.clear();
        self.edges.clear();
        self.ends.clear();
        self.out.clear();
        self.faults.clear();
        self.cycles.clear();
        self.meets = false;
    }

    fn go_on<S: Sequences>(
        &mut self,
        inner: &S,
        scratch: &mut Scratch,
        extent: Extent,
    ) -> Result<(), LimitError> {
        let mut row = std::mem::take(&mut self.row);
        row.resize(self.width, 0);
        let mut steps = std::mem::take(&mut self.steps);
        let mut at = 0;
        let mut is_small = true;
        while at < self.states() {
            is_small = self.states() <= extent.states
                && self.held.len() <= extent.words
                && !(at % ASKED == ASKED - 1 && scratch.stop.is_due());
            if !is_small {
                break;
            }
            row.copy_from_slice(self.state(at));
            steps.clear();
            if extent.at_once {
                inner.expand(&row, scratch, &mut steps);
            } else {
                inner.expand_singly(&row, scratch, &mut steps);
            }
            self.add(&steps);
            at += 1;
        }
        (self.row, self.steps) = (row, steps);
        if !is_small {
            return Err(LimitError);
        }
        if self.meets {
            self.find_cycles();
        }
        Ok(())
    }

    /// Adds the steps of the next state.
    fn add(&mut self, steps: &Steps) {
        for (at, (&action, row)) in
            steps.actions.iter().zip(steps.rows.chunks_exact(self.width)).enumerate()
        {
            let fault = steps.fault(at);
            let to = if fault.is_none() && self.holder.is_some_and(|holder| holder.is_held(row)) {
                To::Held(self.number(row))
            } else {
                let position = small(self.out.len() / self.width);
                if let Some(fault) = fault {
                    self.faults.push((position, fault.clone()));
                }
                self.out.extend_from_slice(row);
                To::Out(position)
            };
            self.edges.push((action, to));
        }
        self.ends.push(self.edges.len());
    }

    /// The number of a state inside.
    fn number(&mut self, row: &[u64]) -> u32 {
        let count = self.states();
        let width = self.width;
        let state = |at: u32| &self.held[at as usize * width..][..width];
        if count <= FEW {
            if let Some(known) = (0..small(count)).find(|&at| state(at) == row) {
                self.meets = true;
                return known;
            }
            if count == FEW {
                for at in 0..small(count) {
                    self.table.insert_unique(hash(state(at)), at, |&other| hash(state(other)));
                }
            }
        } else if let Some(&known) = self.table.find(hash(row), |&at| state(at) == row) {
            self.meets = true;
            return known;
        }
        let new = small(count);
        if count >= FEW {
            self.table.insert_unique(hash(row), new, |&other| hash(state(other)));
        }
        self.held.extend_from_slice(row);
        new
    }

    /// How many states are inside.
    pub(super) fn states(&self) -> usize {
        self.held.len() / self.width
    }

    /// The words of a state inside.
    pub(super) fn state(&self, number: usize) -> &[u64] {
        &self.held[number * self.width..][..self.width]
    }

    /// The words of what a step to the outside leads to, and what goes wrong in it.
    pub(super) fn outside(&self, position: u32) -> (&[u64], Option<&Fault>) {
        let fault = self.faults.binary_search_by_key(&position, |(at, _)| *at);
        let fault = fault.ok().map(|at| &self.faults[at].1);
        (&self.out[position as usize * self.width..][..self.width], fault)
    }

    /// The steps of the state where it all begins, for `None`, or of one inside.
    pub(super) fn steps(&self, of: Option<u32>) -> &[(ActionId, To)] {
        let at = of.map_or(0, |of| of as usize + 1);
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.edges[begin..self.ends[at]]
    }

    /// Whether different ways lead to the same state inside.
    pub(super) fn meets(&self) -> bool {
        self.meets
    }

    /// Whether some sequence can go on for ever.
    pub(super) fn is_endless(&self) -> bool {
        !self.cycles.is_empty()
    }

    /// The component that a state inside is in, if that has a cycle; otherwise [`NO_CYCLE`].
    pub(super) fn cycle(&self, state: u32) -> u32 {
        self.cycles.get(state as usize).copied().unwrap_or(NO_CYCLE)
    }

    /// Finds the components (Tarjan 1972, without recursion) and gives those with a cycle numbers.
    fn find_cycles(&mut self) {
        const NEW: u32 = u32::MAX;
        const DONE: u32 = u32::MAX - 1;
        let count = self.states();
        // By state: when it was found; then the earliest that it can reach.
        let mut low = vec![NEW; count];
        let mut order = Vec::new();
        let mut path: Vec<(u32, u32, usize)> = Vec::new();
        let (mut found, mut number) = (0, 0);
        let mut cycles = vec![NO_CYCLE; count];
        for start in 0..small(count) {
            if low[start as usize] != NEW {
                continue;
            }
            path.push((start, found, 0));
            low[start as usize] = found;
            found += 1;
            order.push(start);
            while let Some(top) = path.last_mut() {
                let (state, since, next) = *top;
                let Some(&(_, to)) = self.steps(Some(state)).get(next) else {
                    path.pop();
                    let reached = low[state as usize];
                    if let Some(&(before, ..)) = path.last() {
                        low[before as usize] = low[before as usize].min(reached);
                    }
                    if reached == since {
                        let first = order.iter().rposition(|&other| other == state);
                        let members = order.split_off(first.expect("it is on the stack"));
                        let own = |&(_, to): &(ActionId, To)| to == To::Held(state);
                        let is_cycle = members.len() > 1 || self.steps(Some(state)).iter().any(own);
                        for member in members {
                            low[member as usize] = DONE;
                            if is_cycle {
                                cycles[member as usize] = number;
                            }
                        }
                        number += u32::from(is_cycle);
                    }
                    continue;
                };
                top.2 += 1;
                let To::Held(to) = to else { continue };
                match low[to as usize] {
                    NEW => {
                        path.push((to, found, 0));
                        low[to as usize] = found;
                        found += 1;
                        order.push(to);
                    }
                    DONE => {}
                    other => low[state as usize] = low[state as usize].min(other),
                }
            }
        }
        if number > 0 {
            self.cycles = cycles;
        }
    }

    /// Bytes held, about.
    pub(super) fn bytes(&self) -> usize {
        (self.held.capacity() + self.out.capacity() + self.ends.capacity()) * 8
            + self.edges.capacity() * size_of::<(ActionId, To)>()
            + self.table.capacity() * 5
    }

    /// Gives memory back that only a very long sequence needs.
    pub(super) fn shrink(&mut self) {
        const KEPT: usize = 1 << 20;
        if self.bytes() > KEPT {
            *self = Passage::new(self.width, self.holder);
        }
    }
}

/// A hash of a packed state.
pub(super) fn hash(row: &[u64]) -> u64 {
    let mix = |all: u64, &word: &u64| {
        let mixed = (all ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ (mixed >> 32)
    };
    row.iter().fold(0, mix)
}

fn small(position: usize) -> u32 {
    u32::try_from(position).expect("fewer than 2^32")
}
