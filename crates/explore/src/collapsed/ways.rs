//! Ways through a sequence: which moves are made, in the order in which each is made first.
//!
//! A sequence may go round a loop any number of times. What formulas and fairness ask of a step is its
//! event and which moves it makes, not how often, so a way is a list of different moves, and two ways
//! with the same moves to the same state are one step.
//!
//! Ways are a tree: a way is a shorter one and one step more. The same moves in another order are
//! another way with the same [set](Ways::set). Neither is written out, so a sequence of *n* statements
//! takes memory for *n* moves, and not for all of its beginnings.

use fairly_system::{ActionId, EventId, MoveId, Seen, Signature};
use hashbrown::{HashMap, HashTable};

/// A way, by its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct WayId(u32);

/// A set of moves with an event, by its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SetId(u32);

impl WayId {
    /// The way without steps.
    pub(super) const EMPTY: WayId = WayId(0);
}

impl SetId {
    const EMPTY: SetId = SetId(0);

    /// The position, for tables indexed by it.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A way and the last of its steps that makes a move for the first time.
struct Way {
    before: WayId,
    last: ActionId,
    set: SetId,
}

/// A set and the last step that added to it.
struct Set {
    before: SetId,
    last: ActionId,
    /// The event of the first step.
    event: EventId,
    /// Sum of a number for each move.
    hash: u64,
    moves: u32,
}

/// All ways that have been met.
pub(super) struct Ways {
    ways: Vec<Way>,
    longer: HashMap<(WayId, ActionId), WayId>,
    sets: Vec<Set>,
    larger: HashMap<(SetId, ActionId), SetId>,
    by_hash: HashTable<SetId>,
    /// By move: the last round in which it was in the set that was looked at.
    marked: Vec<u64>,
    round: u64,
    /// The set whose moves are marked with the round.
    of_round: SetId,
    /// Bytes of the actions that were made of ways, about.
    written: usize,
}

impl Ways {
    pub(super) fn new() -> Ways {
        let (before, last) = (WayId::EMPTY, ActionId::IDLE);
        let set = Set { before: SetId::EMPTY, last, event: EventId::IDLE, hash: 0, moves: 0 };
        Ways {
            ways: vec![Way { before, last, set: SetId::EMPTY }],
            longer: HashMap::new(),
            sets: vec![set],
            larger: HashMap::new(),
            by_hash: HashTable::new(),
            marked: Vec::new(),
            round: 1,
            of_round: SetId::EMPTY,
            written: 0,
        }
    }

    /// The moves of a way, with the event of its first step.
    pub(super) fn set(&self, way: WayId) -> SetId {
        self.ways[way.0 as usize].set
    }

    /// How many sets there are.
    pub(super) fn set_count(&self) -> usize {
        self.sets.len()
    }

    /// A way with one step more.
    pub(super) fn followed(&mut self, inner: &Signature, way: WayId, step: ActionId) -> WayId {
        if let Some(&known) = self.longer.get(&(way, step)) {
            return known;
        }
        let before = self.set(way);
        let set = self.with(inner, before, step);
        let followed = if set == before {
            way
        } else {
            self.ways.push(Way { before: way, last: step, set });
            WayId(small(self.ways.len() - 1))
        };
        self.longer.insert((way, step), followed);
        followed
    }

    /// A set with the moves of a step.
    fn with(&mut self, inner: &Signature, set: SetId, step: ActionId) -> SetId {
        if let Some(&known) = self.larger.get(&(set, step)) {
            return known;
        }
        self.mark(inner, set);
        let action = inner.action(step);
        let Set { event, mut hash, mut moves, .. } = self.sets[set.index()];
        let event = if set == SetId::EMPTY { action.event } else { event };
        for &id in &action.moves {
            if self.add_mark(id) {
                hash = hash.wrapping_add(scattered(id));
                moves += 1;
            }
        }
        let with = if moves == self.sets[set.index()].moves && set != SetId::EMPTY {
            set
        } else {
            let is_same = |&other: &SetId| {
                let Set { event: of, moves: count, .. } = self.sets[other.index()];
                (of, count) == (event, moves) && self.all_are_marked(inner, other)
            };
            match self.by_hash.find(hash, is_same).copied() {
                Some(known) => known,
                None => {
                    let new = SetId(small(self.sets.len()));
                    self.sets.push(Set { before: set, last: step, event, hash, moves });
                    let sets = &self.sets;
                    self.by_hash.insert_unique(hash, new, |other| sets[other.index()].hash);
                    new
                }
            }
        };
        self.of_round = with;
        self.larger.insert((set, step), with);
        with
    }

    /// Marks the moves of a set, which is cheap if they are marked or it is one of those that were.
    fn mark(&mut self, inner: &Signature, set: SetId) {
        if self.of_round == set {
            return;
        }
        self.round += 1;
        self.of_round = set;
        let mut at = set;
        while at != SetId::EMPTY {
            let Set { before, last, .. } = self.sets[at.index()];
            for &id in &inner.action(last).moves {
                self.add_mark(id);
            }
            at = before;
        }
    }

    /// Marks a move; whether it was not marked.
    fn add_mark(&mut self, id: MoveId) -> bool {
        if self.marked.len() <= id.index() {
            self.marked.resize(id.index() + 1, 0);
        }
        std::mem::replace(&mut self.marked[id.index()], self.round) != self.round
    }

    fn all_are_marked(&self, inner: &Signature, set: SetId) -> bool {
        let is_marked = |id: &MoveId| self.marked.get(id.index()) == Some(&self.round);
        let mut at = set;
        while at != SetId::EMPTY {
            let Set { before, last, .. } = self.sets[at.index()];
            if !inner.action(last).moves.iter().all(is_marked) {
                return false;
            }
            at = before;
        }
        true
    }

    /// The action of a way: the event of its first step, and all of its moves.
    pub(super) fn action(&mut self, inner: &Signature, seen: &mut Seen, way: WayId) -> ActionId {
        let mut steps = Vec::new();
        let mut at = way;
        while at != WayId::EMPTY {
            let Way { before, last, .. } = self.ways[at.0 as usize];
            steps.push(last);
            at = before;
        }
        let first = steps.last().map_or(EventId::IDLE, |&first| inner.action(first).event);
        let mut moves = Vec::new();
        // Nothing is marked: each move is made for the first time once.
        self.round += 1;
        self.of_round = SetId::EMPTY;
        for step in steps.into_iter().rev() {
            for &id in &inner.action(step).moves {
                if self.add_mark(id) {
                    moves.push(id);
                }
            }
        }
        self.round += 1;
        self.written += moves.len() * 8 + size_of::<fairly_system::Action>();
        inner.action_id(seen, first, &moves)
    }

    /// Bytes held, about.
    pub(super) fn bytes(&self) -> usize {
        self.ways.len() * (size_of::<Way>() + 3 * size_of::<WayId>())
            + self.sets.len() * (size_of::<Set>() + 4 * size_of::<SetId>())
            + self.marked.len() * size_of::<u64>()
            + self.written
    }
}

/// A number for a move, so that sets with the same sum are nearly always the same.
fn scattered(id: MoveId) -> u64 {
    let mut bits = u64::from(id.0).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

fn small(position: usize) -> u32 {
    u32::try_from(position).expect("fewer than 2^32")
}
