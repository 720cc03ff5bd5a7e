//! Looks for something ahead of a breadth-first walk, in a small share of its effort.
//!
//! A walk finds what is near the start. What is far away in every order of the processes but one, such as the
//! end of a long loop, or a deadlock that takes a step of each of twenty processes, is behind millions of
//! states for it, and near for a search that follows one process, or that prefers states in which little can
//! happen. So a few such searches take turns beside the walk:
//!
//! - depth first, the steps of the first process first;
//! - the states first that are met where the fewest steps are enabled, which is how deadlocks are approached
//!   (Edelkamp, Lluch Lafuente and Leue 2004 call it the heuristic of active processes);
//! - depth first with another process first, or in a random order that is the same each time.
//!
//! They see the states as rows and give none a number, so that the walk is as it would be without them. What
//! they find is real, but seldom nearest. That they find nothing says nothing.

use std::hash::BuildHasher;

use fairly_system::{ActionId, FaultKind, Packed, Steps};
use hashbrown::{DefaultHashBuilder, HashTable};

use crate::bounded::{Bounds, Budget};
use crate::lossy::{Found, Wanted, retrace};
use crate::prefix::Prefix;
use crate::walk::is_termination;

/// States of the walk for each state that is looked at ahead of it.
const SHARE: usize = 16;
/// Bytes that the searches may hold together.
const BYTES: usize = 256 << 20;
/// Of a limit on all memory, the part that they may hold.
const PART: usize = 16;

/// In which order states are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The nearest first; what is found is as near as possible.
    Breadth,
    /// One process first, as far as it goes.
    Depth,
    /// Where the fewest steps are enabled.
    Fewest,
}

impl Order {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Order::Breadth => "breadth first",
            Order::Depth => "depth first",
            Order::Fewest => "fewest steps first",
        }
    }
}

/// Searches ahead of a walk.
pub struct Ahead {
    wanted: Wanted,
    /// Rows that were looked at.
    spent: usize,
    depth: Option<Search>,
    fewest: Option<Search>,
    /// How many searches in other orders there have been.
    others: u64,
}

/// Which steps of a row are taken first.
#[derive(Clone, Copy)]
enum First {
    /// Those of this process, then of those after it.
    Process(usize),
    /// Any, by a hash with this seed.
    Random(u64),
}

impl Ahead {
    /// Nothing has been looked at yet.
    pub fn new(wanted: Wanted) -> Ahead {
        let search = |order| Some(Search::new(order, First::Process(0)));
        let (depth, fewest) = (search(Order::Depth), search(Order::Fewest));
        Ahead { wanted, spent: 0, depth, fewest, others: 0 }
    }

    /// Goes on as far as a walk that has expanded so many states allows. Gives the way to what is wanted, if
    /// it is found, and the order in which it was.
    pub fn advance(
        &mut self,
        system: &mut dyn Packed,
        walked: usize,
        bounds: Bounds,
    ) -> Option<(Prefix, Order)> {
        let budget = Budget::new(Bounds { nodes: None, bytes: None, ..bounds });
        let room = bounds.bytes.map_or(BYTES, |bytes| (bytes / PART).min(BYTES)) / 3;
        let share = (walked / SHARE).saturating_sub(self.spent);
        self.spent += share;
        let mut effort = Effort { budget: &budget, wanted: self.wanted, room };
        let mut found = None;
        for (search, share) in [(&mut self.fewest, share / 8), (&mut self.depth, share * 5 / 8)] {
            let Some(running) = search else { continue };
            match running.run(system, share, &mut effort) {
                Ended::Found(way) => {
                    found = Some((way, running.order));
                    break;
                }
                Ended::Later => {}
                // It has seen everything, or has no room: it will not find anything any more.
                Ended::Never => *search = None,
            }
        }
        if found.is_none() {
            let processes = system.signature().processes.len().max(1);
            let last = processes - 1;
            let first = match self.others % 3 {
                0 => First::Process(last - (self.others / 3) as usize % processes),
                1 => First::Random(self.others),
                _ => First::Process((1 + self.others / 3) as usize % processes),
            };
            self.others += 1;
            let mut other = Search::new(Order::Depth, first);
            if let Ended::Found(way) = other.run(system, share / 4, &mut effort) {
                found = Some((way, Order::Depth));
            }
        }
        let (way, order) = found?;
        // The tables of the searches are not needed any more, and the way takes memory too.
        (self.depth, self.fewest) = (None, None);
        Some((retrace(system, &way), order))
    }
}

/// Budget of a search.
struct Effort<'a> {
    budget: &'a Budget,
    wanted: Wanted,
    /// Bytes for each search.
    room: usize,
}

/// Result of a part of a search.
enum Ended {
    Found(Found),
    Later,
    Never,
}

/// A row that was met and waits: the node it was met from, by which step, and whether that was termination.
#[derive(Clone, Copy)]
struct Met {
    parent: u32,
    step: u32,
    terminated: bool,
}

/// Rows that wait, the last one first.
#[derive(Default)]
struct Pile {
    rows: Vec<u64>,
    met: Vec<Met>,
}

/// One search. All states that it has entered are kept, so nothing is entered twice.
struct Search {
    order: Order,
    first: First,
    /// By how early they are entered.
    open: Vec<Pile>,
    waiting: usize,
    /// The rows of the nodes, and how they were entered.
    rows: Vec<u64>,
    met: Vec<Met>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// The process that comes first in each action.
    actors: Vec<Option<u32>>,
    is_begun: bool,
}

/// The parent of the first row.
const NONE: u32 = u32::MAX;
/// Numbers of enabled steps that are told apart.
const PILES: usize = 256;

impl Search {
    fn new(order: Order, first: First) -> Search {
        Search {
            order,
            first,
            open: Vec::new(),
            waiting: 0,
            rows: Vec::new(),
            met: Vec::new(),
            table: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            actors: Vec::new(),
            is_begun: false,
        }
    }

    /// Enters so many rows.
    fn run(&mut self, system: &mut dyn Packed, share: usize, effort: &mut Effort<'_>) -> Ended {
        let width = system.width();
        if !self.is_begun {
            self.is_begun = true;
            let Ok(first) = system.first_row() else { return Ended::Never };
            self.push(0, &first, Met { parent: NONE, step: 0, terminated: false });
        }
        let mut row = Vec::with_capacity(width);
        let mut steps = Steps::default();
        let mut order = Vec::new();
        for entered in 0..share {
            if entered.is_multiple_of(64) {
                if effort.budget.in_time().is_err() {
                    return Ended::Later;
                }
                if self.bytes() > effort.room {
                    return Ended::Never;
                }
            }
            let node = loop {
                let Some(met) = self.pop(width, &mut row) else { return Ended::Never };
                if let Some(node) = self.enter(width, &row, met) {
                    break node;
                }
            };
            let terminated = self.met[node as usize].terminated;
            if effort.wanted.is_met(system, &row) {
                return Ended::Found(self.found(node, false));
            }
            system.expand_row(&row, &mut steps);
            let count = steps.actions.len();
            if count == 0 && effort.wanted.is_last(system, &row, terminated) {
                return Ended::Found(self.found(node, effort.wanted.asks_how()));
            }
            let goes_wrong = |kind| kind == FaultKind::Error && effort.wanted.is_error();
            if let Some((_, fault)) = steps.faults.iter().find(|(_, it)| goes_wrong(it.kind)) {
                return Ended::Found(Found::Fault { way: self.way(node), fault: fault.clone() });
            }
            self.arrange(system, &steps.actions, u64::from(node), &mut order);
            let pile = match self.order {
                Order::Fewest => count.min(PILES - 1),
                Order::Breadth | Order::Depth => 0,
            };
            // The last one that is added is entered first.
            for &at in order.iter().rev() {
                let is_faulty = steps.faults.binary_search_by_key(&at, |(step, _)| *step).is_ok();
                let (Ok(step), false) = (u32::try_from(at), is_faulty) else { continue };
                let next = &steps.rows[at * width..][..width];
                let by_termination =
                    effort.wanted.asks_how() && is_termination(system, steps.actions[at]);
                if self.find(width, next, by_termination).is_none() {
                    self.push(pile, next, Met { parent: node, step, terminated: by_termination });
                }
            }
        }
        Ended::Later
    }

    /// In which order the steps of a node are taken.
    fn arrange(
        &mut self,
        system: &dyn Packed,
        actions: &[ActionId],
        node: u64,
        order: &mut Vec<usize>,
    ) {
        order.clear();
        order.extend(0..actions.len());
        match self.first {
            First::Process(0) => {}
            First::Process(first) => {
                let processes = system.signature().processes.len().max(1);
                let mut rank = |at: usize| {
                    let actor = self.actor(system, actions[at]) as usize;
                    (actor + processes - first) % processes
                };
                order.sort_by_key(|&at| rank(at));
            }
            First::Random(seed) => {
                order.sort_by_key(|&at| mixed(seed ^ mixed(node ^ mixed(at as u64))));
            }
        }
    }

    fn actor(&mut self, system: &dyn Packed, action: ActionId) -> u32 {
        if action.index() >= self.actors.len() {
            self.actors.resize(action.index() + 1, None);
        }
        *self.actors[action.index()].get_or_insert_with(|| {
            let participants = &system.action(action).participants;
            participants.first().map_or(0, |process| process.0)
        })
    }

    fn push(&mut self, pile: usize, row: &[u64], met: Met) {
        if pile >= self.open.len() {
            self.open.resize_with(pile + 1, Pile::default);
        }
        self.open[pile].rows.extend_from_slice(row);
        self.open[pile].met.push(met);
        self.waiting += 1;
    }

    /// Takes the row that is to be entered next.
    fn pop(&mut self, width: usize, row: &mut Vec<u64>) -> Option<Met> {
        let pile = self.open.iter_mut().find(|pile| !pile.met.is_empty())?;
        let met = pile.met.pop()?;
        let begin = pile.rows.len() - width;
        row.clear();
        row.extend(pile.rows.drain(begin..));
        self.waiting -= 1;
        Some(met)
    }

    fn hash(&self, row: &[u64], terminated: bool) -> u64 {
        self.hasher.hash_one((row, terminated))
    }

    /// The node of a row, if it was entered so.
    fn find(&self, width: usize, row: &[u64], terminated: bool) -> Option<u32> {
        let is_same = |&node: &u32| {
            self.met[node as usize].terminated == terminated
                && self.rows[node as usize * width..][..width] == *row
        };
        self.table.find(self.hash(row, terminated), is_same).copied()
    }

    /// A node for a row, unless it has one.
    fn enter(&mut self, width: usize, row: &[u64], met: Met) -> Option<u32> {
        if self.find(width, row, met.terminated).is_some() {
            return None;
        }
        let node = u32::try_from(self.met.len()).ok().filter(|&node| node != NONE)?;
        self.rows.extend_from_slice(row);
        self.met.push(met);
        let Search { rows, met, hasher, table, .. } = self;
        let hash = |&node: &u32| {
            let row = &rows[node as usize * width..][..width];
            hasher.hash_one((row, met[node as usize].terminated))
        };
        table.insert_unique(hash(&node), node, hash);
        Some(node)
    }

    fn found(&self, node: u32, by_other: bool) -> Found {
        Found::Row { way: self.way(node), by_other }
    }

    /// The steps from the first row to a node.
    fn way(&self, node: u32) -> Vec<usize> {
        let mut way = Vec::new();
        let mut at = node;
        while let Some(met) = self.met.get(at as usize).filter(|met| met.parent != NONE) {
            way.push(met.step as usize);
            at = met.parent;
        }
        way.reverse();
        way
    }

    fn bytes(&self) -> usize {
        let open = self.open.iter().map(|pile| {
            pile.rows.capacity() * size_of::<u64>() + pile.met.capacity() * size_of::<Met>()
        });
        open.sum::<usize>()
            + self.rows.capacity() * size_of::<u64>()
            + self.met.capacity() * size_of::<Met>()
            + self.table.allocation_size()
    }
}

/// A number in which every bit depends on every bit of another (Steele, Lea and Flood 2014).
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
