//! Questions of [`claim`](crate::claim) where the states do not fit into memory.
//!
//! A search that does not keep all states finds what is wrong or what is reached, with a run that is
//! walked again like every other. If it finds nothing the answer is unknown, whatever was explored.

use std::time::{Duration, Instant};

use fairly_search::engines::{Engine, Procedure};
use fairly_search::lossy::{self, Hunt, Room, Wanted};
use fairly_search::{Bounds, Cut, Prefix};
use fairly_system::{AtomIndex, Packed};
use serde::{Deserialize, Serialize};

use crate::claim::{ClaimOutcome, ClaimVerdict, Shown};
use crate::confirm::{self, Confirmed};
use crate::ending::Ending;
use crate::verdict::{CheckError, WhyUnknown};

/// Memory of a lossy search, and the states that it may have left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lossy {
    /// The part of a state that was kept.
    pub kept: String,
    /// Bytes for that.
    pub table_bytes: usize,
    /// Bytes for the states that wait to be expanded.
    pub frontier_bytes: usize,
    /// How many states were probably taken for others; those behind them are not counted.
    pub expected_omissions: f64,
    /// The probability that some state was taken for another.
    pub omission_probability: f64,
    /// How often a new state was not entered because there was no room to wait.
    pub not_entered: usize,
}

impl Lossy {
    /// In a sentence. Where something was found, it does not matter what was left out.
    pub fn sentence(&self, found: bool) -> String {
        let kept = format!("lossy: {} in {}", self.kept, bytes(self.table_bytes));
        if found {
            return kept;
        }
        let (expected, chance) =
            (about(self.expected_omissions), about(self.omission_probability * 100.0));
        let waiting = match self.not_entered {
            0 => String::new(),
            1 => "; once there was no room for a new state to wait".to_owned(),
            times => format!("; {times} times there was no room for a new state to wait"),
        };
        format!(
            "{kept}; left out by mistake: {expected} states expected, {chance} % chance of any{waiting}"
        )
    }
}

/// A number that is not exact, in as many digits as say something.
fn about(number: f64) -> String {
    match number {
        0.0 => "0".to_owned(),
        _ if number < 1e-6 => "less than 0.000001".to_owned(),
        _ if number < 10.0 => {
            let digits = (1.0 - number.log10().floor()).max(1.0) as usize;
            let text = format!("{number:.digits$}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => format!("{number:.0}"),
    }
}

fn bytes(count: usize) -> String {
    match count {
        _ if count >= 10 << 20 => format!("{} MiB", count >> 20),
        _ if count >= 10 << 10 => format!("{} KiB", count >> 10),
        _ => format!("{count} bytes"),
    }
}

/// Answer that follows from a search.
fn answer<S: Packed>(
    system: &mut S,
    (wanted, room, bounds): (Wanted, Room, Bounds),
    found: fn(Option<Box<Confirmed<Shown>>>) -> ClaimOutcome,
    shown: impl FnOnce(&mut S, Prefix) -> Shown,
    evidence: impl FnOnce(&mut S, &Shown) -> Result<(), String>,
) -> Result<ClaimVerdict, CheckError> {
    let started = Instant::now();
    if let Some(why) = WhyUnknown::not_begun(&bounds) {
        return Ok(ClaimVerdict { outcome: ClaimOutcome::Unknown(why), ..not_lossy() });
    }
    let Hunt { prefix, size, omissions, not_entered, cut, limit } =
        lossy::hunt(system, room, bounds, wanted);
    let lossy = Lossy {
        kept: room.keep.to_string(),
        table_bytes: room.table,
        frontier_bytes: room.frontier,
        expected_omissions: omissions,
        omission_probability: -(-omissions).exp_m1(),
        not_entered,
    };
    let outcome = match (prefix, cut, limit) {
        (Some(prefix), ..) => {
            let shown = shown(system, prefix);
            match confirm::shown(system, shown, evidence, bounds.stop()) {
                Ok(shown) => found(Some(Box::new(shown))),
                Err(CheckError::Stopped) => ClaimOutcome::Unknown(WhyUnknown::unconfirmed()),
                Err(failure) => return Err(failure),
            }
        }
        (None, Some(Cut::Memory(_)), _) => {
            let all = Cut::Memory(room.table + room.frontier);
            ClaimOutcome::Unknown(WhyUnknown::Cut(all))
        }
        (None, Some(cut), _) => ClaimOutcome::Unknown(WhyUnknown::cut(cut, system)),
        (None, None, Some(limit)) => ClaimOutcome::Unknown(WhyUnknown::Limit(limit)),
        (None, None, None) => ClaimOutcome::Unknown(WhyUnknown::Lossy),
    };
    let (size, time) = (Some(size), started.elapsed());
    Ok(ClaimVerdict { outcome, size, time, lossy: Some(lossy), ..not_lossy() })
}

/// The answer to what is no question for a lossy search.
pub fn not_lossy() -> ClaimVerdict {
    let outcome = ClaimOutcome::Unknown(WhyUnknown::NotLossy);
    let (size, time, reductions) = (None, Duration::ZERO, Vec::new());
    let (unreduced, asymmetric, lossy, order) = (None, None, None, None);
    let engine = Engine::of(Procedure::Lossy);
    let fairness = None;
    ClaimVerdict {
        engine,
        outcome,
        size,
        reductions,
        unreduced,
        asymmetric,
        time,
        lossy,
        order,
        fairness,
    }
}

/// No run comes to an error of the model: [`claim::faultless`](crate::claim::faultless).
///
/// # Errors
/// When what was found does not stand up to replay, which is a bug; so for all.
pub fn faultless<S: Packed>(
    system: &mut S,
    room: Room,
    bounds: Bounds,
) -> Result<ClaimVerdict, CheckError> {
    let shown = |system: &mut S, prefix: Prefix| {
        let fault = system.fault(prefix.end()).map(|fault| fault.message.clone());
        Shown::new(prefix, fault.unwrap_or_default())
    };
    let evidence = confirm::ends(&Ending::Error);
    answer(system, (Wanted::Error, room, bounds), ClaimOutcome::Violated, shown, evidence)
}

/// No run gets stuck before it has ended, or where something is still missing:
/// [`claim::stops_well`](crate::claim::stops_well).
///
/// # Errors
/// As [`faultless`].
pub fn stops_well<S: Packed>(
    system: &mut S,
    unfinished: Option<&str>,
    room: Room,
    bounds: Bounds,
) -> Result<ClaimVerdict, CheckError> {
    let end = system.atom("terminated");
    let missing = unfinished.and_then(|name| system.atom(name));
    let wanted = Wanted::Stuck { end, unfinished: missing };
    let shown = |system: &mut S, prefix: Prefix| Shown::stuck(system, prefix, unfinished);
    let ending = Ending::Stuck(unfinished.map(str::to_owned));
    let evidence = confirm::ends(&ending);
    answer(system, (wanted, room, bounds), ClaimOutcome::Violated, shown, evidence)
}

/// No run ends: [`claim::nonterminating`](crate::claim::nonterminating).
///
/// # Errors
/// As [`faultless`].
pub fn nonterminating<S: Packed>(
    system: &mut S,
    room: Room,
    bounds: Bounds,
) -> Result<ClaimVerdict, CheckError> {
    let evidence = confirm::ends(&Ending::Over);
    answer(system, (Wanted::Last, room, bounds), ClaimOutcome::Violated, Shown::last, evidence)
}

/// Some run comes to a state with the proposition: [`claim::reaches`](crate::claim::reaches).
///
/// # Errors
/// As [`faultless`].
pub fn reaches<S: Packed>(
    system: &mut S,
    goal: AtomIndex,
    room: Room,
    bounds: Bounds,
) -> Result<ClaimVerdict, CheckError> {
    let evidence = confirm::reaches(|system: &mut S, state| system.holds(state, goal));
    let wanted = Wanted::State(goal);
    answer(system, (wanted, room, bounds), ClaimOutcome::Holds, Shown::reached, evidence)
}
