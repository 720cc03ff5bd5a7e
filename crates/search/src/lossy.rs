//! Looking for faults in systems whose states do not fit into memory: breadth first, keeping less than
//! the states.
//!
//! A run that is found is real: it is walked once more, over whole states. A search that finds nothing says
//! little: a state may have been taken for another one, and everything behind it was left out.
//! [`reach`](crate::reach) is the search for states that fit.
//!
//! States that wait to be expanded are whole, and which steps led to them is remembered as long as they
//! wait. Breadth first, because runs are then short ones. Depth first was tried, with the path and what
//! is beside it on a stack in a quarter of the memory, not half of it: with bits in 4 MiB it missed an
//! error of four counters that is found now; in 400 KiB it explored 49,574 of the 49,578 states of
//! `paxos.pml`, of which 29,984 are explored now. So neither is better in general.
//!
//! If there is no room for another one to wait, states are asked for what is wanted and not entered: they
//! stay unknown to the table, and may be entered later from elsewhere.

mod frontier;

use std::fmt;

use fairly_omega::Stop;
use fairly_store::{Bitstate, Fingerprint, Fingerprints, States};
use fairly_system::{AtomIndex, Fault, FaultKind, Packed, RunStep, Steps, Transition};

use self::frontier::Frontier;
use crate::bounded::{Bounds, Budget, Cut};
use crate::prefix::Prefix;
use crate::reach::Size;
use crate::walk::is_termination;

/// Bits that a state sets if it is kept as bits.
const BITS: u32 = 3;

/// Part of a state that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// A hash of 32 bits, in a place that says about as much again.
    Fingerprints32,
    /// A hash of 64 bits.
    Fingerprints64,
    /// Three bits in a large array.
    Bits,
}

impl Keep {
    fn table(self, bytes: usize) -> Result<Box<dyn States>, Cut> {
        let table: Result<Box<dyn States>, _> = match self {
            Keep::Fingerprints32 => {
                Fingerprints::new(Fingerprint::Half, bytes).map(|it| Box::new(it) as _)
            }
            Keep::Fingerprints64 => {
                Fingerprints::new(Fingerprint::Full, bytes).map(|it| Box::new(it) as _)
            }
            Keep::Bits => Bitstate::new(BITS, bytes).map(|it| Box::new(it) as _),
        };
        table.map_err(|_| Cut::Memory(bytes))
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Keep::Fingerprints32 => "fingerprints of 32 bits",
            Keep::Fingerprints64 => "fingerprints of 64 bits",
            Keep::Bits => "3 bits a state",
        })
    }
}

/// Part of a state that is kept, and in how much memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Part of a state that is kept.
    pub keep: Keep,
    /// Bytes for that.
    pub table: usize,
    /// Bytes for the states that wait, and the ways to them.
    pub frontier: usize,
}

/// Goal of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A step in which an [error](FaultKind::Error) of the model happens.
    Error,
    /// A state that is left by no transition although nothing has ended there, as for
    /// [`reach::deadlock`](crate::reach::deadlock). It has ended where `end` holds and `unfinished`
    /// does not.
    Stuck {
        /// Where a run may end.
        end: Option<AtomIndex>,
        /// Where it may not all the same.
        unfinished: Option<AtomIndex>,
    },
    /// A state that is left by no transition, for whatever reason.
    Last,
    /// A state with this proposition.
    State(AtomIndex),
}

/// Result of a lossy search.
#[derive(Clone, Debug, PartialEq)]
pub struct Hunt {
    /// A way to what was wanted, if it was found; a shortest one if nothing was left out.
    pub prefix: Option<Prefix>,
    /// The part that had been explored by then.
    pub size: Size,
    /// How many states were probably taken for others.
    pub omissions: f64,
    /// How often a new state was not entered because there was no room to wait.
    pub not_entered: usize,
    /// Why the search ended before its time.
    pub cut: Option<Cut>,
    /// The reason of the system, where it goes no further itself.
    pub limit: Option<String>,
}

/// Where something was found.
pub(crate) enum Found {
    /// Behind these steps from the first state; if `by_other`, the last of them is another one than
    /// termination.
    Row { way: Vec<usize>, by_other: bool },
    /// In a step that follows these.
    Fault { way: Vec<usize>, fault: Fault },
    /// Before there is any state.
    Start,
}

/// Looks for something until it is found, everything has been met that the table can tell apart, or a
/// bound is reached. What is held in memory is limited by the room alone.
pub fn hunt<S: Packed>(system: &mut S, room: Room, bounds: Bounds, wanted: Wanted) -> Hunt {
    let mut hunt = Hunt {
        prefix: None,
        size: Size::default(),
        omissions: 0.0,
        not_entered: 0,
        cut: None,
        limit: None,
    };
    // The table and what waits are gone before the way is walked again, which takes memory too.
    match search(system, room, bounds, wanted, &mut hunt) {
        Ok(None) => {}
        Ok(Some(found)) => hunt.prefix = Some(retrace(system, &found)),
        Err(cut) => hunt.cut = Some(cut),
    }
    hunt
}

fn search<S: Packed>(
    system: &mut S,
    room: Room,
    bounds: Bounds,
    wanted: Wanted,
    hunt: &mut Hunt,
) -> Result<Option<Found>, Cut> {
    let budget = Budget::new(Bounds { bytes: None, ..bounds });
    let table = room.keep.table(room.table)?;
    let mut frontier = Frontier::new(system.width(), room.frontier)?;
    system.stop_at(bounds.stop());
    let found = breadth_first(system, &budget, wanted, table.as_ref(), &mut frontier, hunt);
    system.stop_at(Stop::default());
    hunt.omissions = table.expected_omissions();
    found
}

fn breadth_first<S: Packed>(
    system: &mut S,
    budget: &Budget,
    wanted: Wanted,
    table: &dyn States,
    frontier: &mut Frontier,
    hunt: &mut Hunt,
) -> Result<Option<Found>, Cut> {
    let full = |_| Cut::Memory(table.bytes());
    let mut row = match system.first_row() {
        Ok(row) => row,
        Err(fault) => return Ok(goes_wrong(&fault, wanted, hunt).then_some(Found::Start)),
    };
    let mut key = Vec::with_capacity(row.len() + 1);
    let mut steps = Steps::default();
    table.insert(&row).map_err(full)?;
    frontier.start(&row);
    if wanted.is_met(system, &row) {
        return Ok(Some(Found::Row { way: Vec::new(), by_other: false }));
    }
    while let Some((mut way, terminated)) = frontier.enter(&mut row) {
        budget.allows(hunt.size.states, || table.bytes())?;
        if let Some(watch) = budget.watch() {
            watch.see_walk(hunt.size.transitions, frontier.count());
        }
        system.expand_row(&row, &mut steps);
        hunt.size.states += 1;
        hunt.size.transitions += steps.actions.len();
        if steps.actions.is_empty() && wanted.is_last(system, &row, terminated) {
            let by_other = wanted.asks_how();
            return Ok(Some(Found::Row { way: frontier.steps(&way), by_other }));
        }
        let mut faults = steps.faults.iter().peekable();
        for (at, next) in steps.rows.chunks_exact(row.len()).enumerate() {
            if let Some((_, fault)) = faults.next_if(|(step, _)| *step == at) {
                if goes_wrong(fault, wanted, hunt) {
                    let (way, fault) = (frontier.steps(&way), fault.clone());
                    return Ok(Some(Found::Fault { way, fault }));
                }
                continue;
            }
            let terminated = wanted.asks_how() && is_termination(system, steps.actions[at]);
            key.clear();
            key.extend_from_slice(next);
            // A state that was entered by termination is another one than if it was not.
            key.extend(terminated.then_some(1));
            let enters = frontier.has_room(&way, at);
            let is_new =
                if enters { table.insert(&key).map_err(full)? } else { !table.contains(&key) };
            if !is_new {
                continue;
            }
            if wanted.is_met(system, next) {
                let mut way = frontier.steps(&way);
                way.push(at);
                return Ok(Some(Found::Row { way, by_other: false }));
            }
            if enters {
                frontier.push(&mut way, at, next, terminated);
            } else {
                hunt.not_entered += 1;
            }
        }
        frontier.leave(way);
    }
    Ok(None)
}

/// Whether a fault is what is wanted; if it is a limit, it is noted.
fn goes_wrong(fault: &Fault, wanted: Wanted, hunt: &mut Hunt) -> bool {
    match fault.kind {
        FaultKind::Error => wanted.is_error(),
        FaultKind::Limit => {
            hunt.limit.get_or_insert_with(|| fault.message.clone());
            false
        }
    }
}

impl Wanted {
    /// Whether it makes a difference how a state was entered.
    pub(crate) fn asks_how(self) -> bool {
        matches!(self, Wanted::Stuck { .. })
    }

    /// Whether it is an error of the model.
    pub(crate) fn is_error(self) -> bool {
        matches!(self, Wanted::Error | Wanted::Last)
    }

    /// Whether it is a state that has just been met.
    pub(crate) fn is_met<S: Packed + ?Sized>(self, system: &mut S, row: &[u64]) -> bool {
        matches!(self, Wanted::State(atom) if system.row_holds(row, atom))
    }

    /// Whether it is a state without transitions.
    pub(crate) fn is_last<S: Packed + ?Sized>(
        self,
        system: &mut S,
        row: &[u64],
        terminated: bool,
    ) -> bool {
        let mut holds = |atom: Option<AtomIndex>| atom.is_some_and(|it| system.row_holds(row, it));
        match self {
            Wanted::Error | Wanted::State(_) => false,
            Wanted::Stuck { end, unfinished } => !terminated && (!holds(end) || holds(unfinished)),
            Wanted::Last => true,
        }
    }
}

/// Takes the steps of a way again and numbers the states on it.
pub(crate) fn retrace<S: Packed + ?Sized>(system: &mut S, found: &Found) -> Prefix {
    let start = system.initial()[0];
    let (way, by_other) = match found {
        Found::Row { way, by_other } => (way, *by_other),
        Found::Fault { way, .. } => (way, false),
        Found::Start => return Prefix { start, steps: Vec::new() },
    };
    let mut row = system.first_row().expect("it was there before");
    let mut packed = Steps::default();
    let mut enabled: Vec<Transition> = Vec::new();
    let mut steps: Vec<RunStep> = Vec::new();
    let mut from = start;
    for (place, &step) in (1..).zip(way) {
        system.expand_row(&row, &mut packed);
        let width = row.len();
        row.copy_from_slice(&packed.rows[step * width..][..width]);
        let to = system.number(&row);
        enabled.clear();
        system.enabled(from, &mut enabled);
        let by_other = by_other && place == way.len();
        let leads =
            |it: &&Transition| it.target == to && !(by_other && is_termination(system, it.action));
        let action = enabled.iter().find(leads).expect("a row is met by a step").action;
        steps.push(RunStep { from, action, to });
        from = to;
    }
    if let Found::Fault { fault, .. } = found {
        enabled.clear();
        system.enabled(from, &mut enabled);
        let fails = |it: &&Transition| system.fault(it.target) == Some(fault);
        let last = enabled.iter().find(fails).expect("it goes wrong there");
        steps.push(RunStep { from, action: last.action, to: last.target });
    }
    Prefix { start, steps }
}
