//! Answers of a check.

use std::fmt;
use std::time::{Duration, Instant};

use fairly_omega::BudgetError;
use fairly_search::probe::Order;
use fairly_search::{Bounds, Cut, Engine, Watch};
use fairly_system::{Growth, Run, RunStep, TransitionSystem};
use fairly_witness::{Ledger, WitnessError};
use serde::{Deserialize, Serialize};

use crate::confirm::Confirmed;
use crate::lint::Needless;
use crate::soundness::Refusal;
use crate::statistics::Statistics;

/// The answer to one property under one assumption, with runs of the system that was asked.
/// [`Answer::record`] makes a [`Verdict`](crate::Verdict) of it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The property's name.
    pub property: String,
    /// Its formula, as shown.
    pub formula: String,
    /// Holds, violated or unknown.
    pub outcome: Outcome,
    /// Basis of the answer.
    pub stamp: Stamp,
    /// Further remarks: vacuity, constraints without effect.
    pub notes: Vec<String>,
    /// Assumptions made in vain, if they were looked for ([`crate::needless`]).
    pub needless: Option<Needless>,
}

/// Holds, violated or unknown.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Every fair run satisfies the property.
    Holds(Fairness),
    /// A fair run violates it.
    Violated(Box<Counterexample>),
    /// Under inherent fairness: a finite prefix that no run satisfying the property continues.
    Doomed(Box<Doomed>),
    /// Not known, and why.
    Unknown(WhyUnknown),
}

/// The effect of the fairness assumed on the system. A prefix is given by its steps, or by their events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fairness<P = Confirmed<Vec<RunStep>>> {
    /// Every run counts, so there is nothing to ask.
    NotAssumed,
    /// Every finite prefix can be continued to a fair run.
    MachineClosed,
    /// Fair runs exist, but this prefix has no fair continuation.
    NotMachineClosed(P),
    /// No run is fair: everything holds.
    Infeasible,
    /// A bound was reached before it was known whether fair runs exist everywhere.
    NotKnown,
}

/// A fair run that violates the property.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The run.
    pub run: Confirmed<Run>,
    /// Why it counts as fair.
    pub ledger: Ledger,
    /// The smallest single constraint that would exclude this run; not looked for where the property is
    /// [violated for good](Counterexample::decided).
    pub upgrade: Option<Upgrade>,
    /// After how many steps the property is violated whatever follows, if the run shows that: these steps
    /// are a bad prefix, and the rest of the run is one fair way to go on.
    pub decided: Option<usize>,
}

/// A constraint that a run does not meet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upgrade {
    /// The constraint.
    pub constraint: String,
    /// Whether the property holds once it is added; `None` if that was not found out.
    pub suffices: Option<bool>,
}

/// A prefix from which the property cannot be satisfied any more.
#[derive(Clone, Debug)]
pub struct Doomed {
    /// A shortest such prefix.
    pub prefix: Confirmed<Vec<RunStep>>,
    /// Some run that continues it.
    pub run: Confirmed<Run>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhyUnknown {
    /// A bound was reached.
    Cut(Cut),
    /// A bound was reached, and something kept growing until then.
    Growing(Cut, Box<Growth>),
    /// Something would have become too large.
    Refused(BudgetError),
    /// The system itself goes no further somewhere: what it says of that.
    Limit(String),
    /// Nothing was found by a search that does not keep all states.
    Lossy,
    /// It is no question for such a search.
    NotLossy,
    /// A bug of ours was in the way: what went wrong.
    Internal(String),
    /// The question was not begun.
    NotBegun(NotBegun),
    /// The work on it was ended from outside, with the reason.
    Ended(String),
    /// It holds of an abstraction, from which it does not follow for the system: why not.
    Hidden(String),
    /// No run refutes it, but it is not known whether errors of the model are in the way: why not.
    Errors(Box<WhyUnknown>),
}

/// Kind of reason why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// The limit on states was reached.
    States,
    /// The time was up.
    Time,
    /// The limit on memory was reached.
    Memory,
    /// The user asked to stop.
    Interrupted,
    /// An automaton or a condition would have become too large.
    Size,
    /// The system itself goes no further somewhere.
    Limit,
    /// A search that does not keep all states was chosen.
    Lossy,
    /// A bug.
    Internal,
    /// The work was ended from outside.
    Ended,
    /// Errors of the model may be in the way.
    Errors,
    /// An abstraction was asked, which says too little.
    Hidden,
}

/// Reason why a question was not begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotBegun {
    /// The time was up.
    Time,
    /// The time was up once everything was ready for the search.
    Preparing,
    /// The user asked to stop.
    Interrupted,
}

impl fmt::Display for NotBegun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotBegun::Time => "the time was up",
            NotBegun::Preparing => "the time was up while the search was prepared",
            NotBegun::Interrupted => "interrupted",
        })
    }
}

impl WhyUnknown {
    /// Why a question is not begun, if the bounds leave nothing for it.
    pub fn not_begun(bounds: &Bounds) -> Option<Self> {
        if bounds.watch.is_some_and(Watch::is_stopped) {
            return Some(WhyUnknown::NotBegun(NotBegun::Interrupted));
        }
        let is_late = bounds.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        is_late.then_some(WhyUnknown::NotBegun(NotBegun::Time))
    }

    /// Why a search is not begun that has been prepared, if the bounds leave nothing for it.
    pub(crate) fn unsearched(bounds: &Bounds) -> Option<Self> {
        WhyUnknown::not_begun(bounds).map(|why| match why {
            WhyUnknown::NotBegun(NotBegun::Time) => WhyUnknown::NotBegun(NotBegun::Preparing),
            why => why,
        })
    }

    /// Why there is no answer although a run was found.
    pub(crate) fn unconfirmed() -> Self {
        WhyUnknown::Ended("stopped while the run that was found was replayed".to_owned())
    }

    /// Why a search was cut, with what kept growing until then.
    pub(crate) fn cut_while(cut: Cut, growth: Option<Growth>) -> Self {
        match growth {
            Some(growth) => WhyUnknown::Growing(cut, Box::new(growth)),
            None => WhyUnknown::Cut(cut),
        }
    }

    /// Why a search in a system was cut.
    pub fn cut<S: TransitionSystem>(cut: Cut, system: &S) -> Self {
        let said = match cut {
            Cut::Limit(state) => system.fault(state).map(|fault| fault.message.clone()),
            Cut::Nodes(_) | Cut::Time(_) | Cut::Memory(_) | Cut::Interrupted(_) => {
                return WhyUnknown::cut_while(cut, system.growth());
            }
            Cut::Hard(_) => None,
        };
        said.map_or(WhyUnknown::Cut(cut), WhyUnknown::Limit)
    }

    /// The same without what kept growing: it is known to come to an end.
    #[must_use]
    pub fn without_growth(self) -> Self {
        match self {
            WhyUnknown::Growing(cut, _) => WhyUnknown::Cut(cut),
            WhyUnknown::Errors(why) => WhyUnknown::Errors(Box::new(why.without_growth())),
            other => other,
        }
    }

    /// The kind of reason.
    pub fn reason(&self) -> Reason {
        match self {
            WhyUnknown::Cut(cut) | WhyUnknown::Growing(cut, _) => match cut {
                Cut::Nodes(_) => Reason::States,
                Cut::Time(_) => Reason::Time,
                Cut::Memory(_) => Reason::Memory,
                Cut::Interrupted(_) => Reason::Interrupted,
                Cut::Hard(_) => Reason::Size,
                Cut::Limit(_) => Reason::Limit,
            },
            WhyUnknown::NotBegun(NotBegun::Time | NotBegun::Preparing) => Reason::Time,
            WhyUnknown::NotBegun(NotBegun::Interrupted) => Reason::Interrupted,
            WhyUnknown::Refused(_) => Reason::Size,
            WhyUnknown::Limit(_) => Reason::Limit,
            WhyUnknown::Lossy | WhyUnknown::NotLossy => Reason::Lossy,
            WhyUnknown::Internal(_) => Reason::Internal,
            WhyUnknown::Ended(_) => Reason::Ended,
            WhyUnknown::Errors(_) => Reason::Errors,
            WhyUnknown::Hidden(_) => Reason::Hidden,
        }
    }

    /// Growth until a bound was reached, if there was any.
    pub fn growth(&self) -> Option<&Growth> {
        match self {
            WhyUnknown::Growing(_, growth) => Some(growth),
            WhyUnknown::Errors(why) => why.growth(),
            _ => None,
        }
    }
}

fn states(count: usize) -> &'static str {
    if count == 1 { "state" } else { "states" }
}

impl fmt::Display for WhyUnknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WhyUnknown::Growing(cut, _) => WhyUnknown::Cut(*cut).fmt(f),
            WhyUnknown::Cut(Cut::Nodes(nodes)) => {
                write!(f, "stopped after {nodes} {}", states(*nodes))
            }
            WhyUnknown::Cut(Cut::Time(time)) => match time.as_secs_f64() {
                seconds if seconds < 0.95 => write!(f, "stopped after {} ms", time.as_millis()),
                seconds => write!(f, "stopped after {seconds:.1} s"),
            },
            WhyUnknown::Internal(message) => write!(f, "internal error: {message}"),
            WhyUnknown::NotBegun(why) => write!(f, "not begun: {why}"),
            WhyUnknown::Ended(why) => write!(f, "{why}"),
            WhyUnknown::Errors(why) => {
                write!(f, "no run refutes it, but errors of the model may be in the way: ")?;
                match &**why {
                    WhyUnknown::NotBegun(why) => write!(f, "they were not looked for: {why}"),
                    WhyUnknown::Ended(why) => write!(f, "not all were looked for: {why}"),
                    why => write!(f, "the search for them {}", Search(why)),
                }
            }
            WhyUnknown::Cut(Cut::Memory(bytes)) => {
                let mebibytes = *bytes as f64 / f64::from(1 << 20);
                write!(f, "stopped at the memory limit of {mebibytes:.0} MiB")
            }
            WhyUnknown::Cut(Cut::Interrupted(nodes)) => {
                write!(f, "interrupted after {nodes} {}", states(*nodes))
            }
            WhyUnknown::Limit(message) | WhyUnknown::Hidden(message) => write!(f, "{message}"),
            WhyUnknown::Lossy => write!(f, "nothing was found, but states may have been left out"),
            WhyUnknown::NotLossy => {
                write!(f, "a lossy search answers only what one reachable state can show")
            }
            WhyUnknown::Cut(Cut::Limit(_)) => write!(f, "the system goes no further in a state"),
            WhyUnknown::Cut(Cut::Hard(refused)) | WhyUnknown::Refused(refused) => {
                write!(f, "{refused}")
            }
        }
    }
}

/// Outcome of a search.
struct Search<'a>(&'a WhyUnknown);

impl fmt::Display for Search<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            WhyUnknown::Growing(..)
            | WhyUnknown::Cut(
                Cut::Nodes(_) | Cut::Time(_) | Cut::Memory(_) | Cut::Interrupted(_),
            ) => {
                write!(f, "was {}", self.0)
            }
            why => write!(f, "did not end: {why}"),
        }
    }
}

/// Basis of an answer.
#[derive(Clone, Debug, Default)]
pub struct Stamp {
    /// The fairness assumed, in words.
    pub fairness: String,
    /// Every constraint of it, by name.
    pub constraints: Vec<String>,
    /// The engine that decided, if one was asked.
    pub engine: Option<&'static Engine>,
    /// Reductions used, and how much they left out.
    pub reductions: Vec<String>,
    /// Why nothing was left out, if nothing was.
    pub unreduced: Option<Refusal>,
    /// Whether runs of the whole system may be shorter than those that were looked for.
    pub detours: bool,
    /// Why processes were not permuted although some look alike.
    pub asymmetric: Option<Refusal>,
    /// Whether everything that could matter was explored.
    pub exhaustive: bool,
    /// States and transitions of the system that were explored.
    pub system: (usize, usize),
    /// Nodes and steps of the product that were explored.
    pub product: (usize, usize),
    /// How long it took.
    pub time: Duration,
    /// In which order the run that is shown was found, if an engine found it.
    pub order: Option<Order>,
    /// How much of the time was spent on finding a short run.
    pub shortening: Duration,
    /// How the search for a run went, if there was one.
    pub statistics: Option<Statistics>,
}

/// Why a check did not come to a verdict.
#[derive(Clone, Debug)]
pub enum CheckError {
    /// The engine asked for cannot decide this.
    Engine(String),
    /// The reduction asked for would be wrong for this, or is not known to be right.
    Reduction(String),
    /// The question makes no sense, with the reason.
    Senseless(&'static str),
    /// A run was found that the witness rejects: a bug.
    Internal {
        /// The error in it.
        flaw: WitnessError,
        /// The run.
        run: Run,
    },
    /// A run was found, and it was time to stop before it was replayed: nothing is known.
    Stopped,
    /// A program's own test of its actions went wrong: what it says of that.
    Test(String),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Engine(message) | CheckError::Reduction(message) => write!(f, "{message}"),
            CheckError::Senseless(why) => write!(f, "{why}"),
            CheckError::Test(said) => write!(f, "{said}"),
            CheckError::Internal { flaw, .. } => {
                write!(f, "a run was found that does not stand up to replay: {flaw}")
            }
            CheckError::Stopped => write!(f, "{}", WhyUnknown::unconfirmed()),
        }
    }
}

impl std::error::Error for CheckError {}
