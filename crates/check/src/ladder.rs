//! The verdict under every notion, from as few searches as possible.
//!
//! Notions are ordered by strength: a property that holds under a weaker one holds under a stronger
//! one, so such an answer is not searched for again. And a run found under one notion is judged
//! under all others: where it is fair, the property is violated there too.

use fairly_fairness::{Constraint, Level, Notion, Reading};
use fairly_system::{Network, Run};
use fairly_witness::Ledger;

use crate::assumption::Assumption;
use crate::property::Property;
use crate::verdict::{Failure, Outcome, Stamp, WhyUnknown};
use crate::verify::{Found, Options, confirm, decide};

/// The verdict under one notion.
#[derive(Clone, Debug)]
pub struct Rung {
    /// The notion.
    pub notion: Notion,
    /// Whether the property holds; `Err` if that is not known.
    pub holds: Result<bool, WhyUnknown>,
    /// Whether the answer was searched for, or follows from another one.
    pub searched: bool,
}

/// The verdicts under all notions.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// One entry a notion, the weaker ones first.
    pub rungs: Vec<Rung>,
    /// How many searches it took.
    pub searches: usize,
}

/// The notions of the ladder that are sets of constraints, with those that are weaker: an answer
/// "holds" there is one here.
const RUNGS: [(Notion, &[usize]); 5] = [
    (Notion::None, &[]),
    (Notion::Weak(Level::Process), &[0]),
    (Notion::Weak(Level::Event), &[0]),
    (Notion::Strong(Level::Process), &[0, 1]),
    (Notion::Strong(Level::Event), &[0, 2]),
];

/// The verdict under every notion, each together with the constraints `assumed`. Inherent fairness,
/// which is no condition on runs, is left out when there are some.
///
/// # Errors
/// As [`crate::check`].
pub fn ladder(
    network: &mut Network,
    property: &mut Property,
    assumed: &[Constraint],
    options: &Options,
) -> Result<Ladder, Failure> {
    let mut rungs: Vec<Rung> = Vec::new();
    let mut runs: Vec<Run> = Vec::new();
    let mut searches = 0;
    for (notion, weaker) in RUNGS {
        let constraints = Assumption { notion, extra: assumed.to_vec() }.constraints(network);
        let follows = weaker.iter().any(|&at| rungs[at].holds == Ok(true));
        let refuted = runs.iter().any(|run| Ledger::of(network, run, &constraints).is_fair());
        let (holds, searched) = if follows {
            (Ok(true), false)
        } else if refuted {
            (Ok(false), false)
        } else {
            searches += 1;
            let mut aside = Stamp::default();
            let holds = match decide(network, property, &constraints, options, &mut aside)? {
                Found::Nothing => Ok(true),
                Found::Unknown(why) => Err(why),
                Found::Run(run) => {
                    confirm(network, property, &constraints, &run)?;
                    runs.push(run);
                    Ok(false)
                }
            };
            (holds, true)
        };
        rungs.push(Rung { notion, holds, searched });
    }
    let beyond: &[Notion] = match assumed {
        [] => &[Notion::Global, Notion::Inherent(Reading::Run), Notion::Inherent(Reading::Trace)],
        _ => &[Notion::Global],
    };
    for &notion in beyond {
        let follows = rungs.iter().any(|rung| rung.holds == Ok(true));
        let (holds, searched) = if follows {
            (Ok(true), false)
        } else {
            searches += 1;
            let assumption = Assumption { notion, extra: assumed.to_vec() };
            let verdict = crate::check(network, property, &assumption, options)?;
            let holds = match verdict.outcome {
                Outcome::Holds(_) => Ok(true),
                Outcome::Violated(_) | Outcome::Doomed(_) => Ok(false),
                Outcome::Unknown(why) => Err(why),
            };
            (holds, true)
        };
        rungs.push(Rung { notion, holds, searched });
    }
    Ok(Ladder { rungs, searches })
}
