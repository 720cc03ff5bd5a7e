//! Certificates: runs from elsewhere, judged by the definitions and without a search.
//!
//! A search judges its own runs with [`judge`](crate::judge); runs from files are judged here: the constraints
//! are those of the assumption, not those that the file lists.

use fairly_fairness::Notion;
use fairly_omega::Stop;
use fairly_search::{Bounds, Prefix};
use fairly_system::{ActionId, Run, RunStep, TransitionSystem};
use fairly_witness::Ledger;

use crate::assumption::{Assumption, constraints_of};
use crate::confirm;
use crate::property::Property;
use crate::verdict::CheckError;
use crate::waiting::{Moment, Waiting, waiting};

/// How the constraints of a notion are listed that is about every event or move.
#[derive(Clone, Copy, Debug)]
pub enum Listed {
    /// Those of what is enabled or offered on the run: no other is ever asked for.
    OnTheRun,
    /// All of them, after the whole system has been explored, within bounds.
    Everywhere(Bounds),
}

/// Judges a run: it is one of the system, violates the property, and meets the assumption.
///
/// # Errors
/// When it does not, with the [`WitnessError`](fairly_witness::WitnessError), or when the assumption is no condition on runs.
pub fn certify<S: TransitionSystem>(
    system: &mut S,
    property: &Property,
    assumption: &Assumption,
    run: &Run,
    listed: Listed,
) -> Result<Ledger, CheckError> {
    if let Notion::Inherent(_) = assumption.notion {
        return Err(CheckError::Senseless("inherent fairness is no condition on single runs"));
    }
    // Everything that is asked for on the cycle is in the tables of the system afterwards.
    for step in &run.cycle {
        system.enabled(step.from, &mut Vec::new());
        system.offered(step.from, &mut Vec::new());
    }
    let mut constraints = match listed {
        Listed::Everywhere(bounds) => {
            constraints_of(assumption.notion, system, bounds).map_err(|_| {
                CheckError::Senseless("the system is too large to list its constraints")
            })?
        }
        Listed::OnTheRun => assumption.notion.constraints(system.signature()).unwrap_or_default(),
    };
    for constraint in &assumption.extra {
        if !constraints.contains(constraint) {
            constraints.push(constraint.clone());
        }
    }
    let (_, ledger) = match assumption.notion {
        Notion::Global => {
            confirm::global(system, property, &constraints, run.clone(), Stop::default())?
        }
        _ => confirm::lasso(system, property, &constraints, run.clone(), Stop::default())?,
    };
    Ok(ledger)
}

/// Whether every run that continues a finite one violates the property, as far as the shape of its formula
/// tells: something is so, somewhere on the finite run, that should never be.
///
/// # Errors
/// Why it cannot be said.
pub fn refutes<S: TransitionSystem>(
    system: &mut S,
    property: &Property,
    prefix: &Prefix,
) -> Result<(), String> {
    let name = &property.name;
    let run = continued(system, prefix).ok_or("its last state leads to no loop")?;
    let is_on_it = |at: &Moment| match *at {
        Moment::Start => true,
        Moment::After(step) | Moment::At(step) => step < prefix.steps.len(),
    };
    match waiting(system, property, &run) {
        Some(Waiting::Wrong { at, .. }) if is_on_it(&at) => Ok(()),
        Some(Waiting::Wrong { .. }) => Err(format!("nothing on it is against {name}")),
        _ => Err(format!(
            "it has no loop, so it is not known whether every run that begins so violates {name}"
        )),
    }
}

/// Some run that begins so.
fn continued<S: TransitionSystem>(system: &mut S, prefix: &Prefix) -> Option<Run> {
    const MOST: usize = 1_000_000;
    let mut steps = prefix.steps.clone();
    let mut at = prefix.end();
    let mut met: hashbrown::HashMap<_, usize> = hashbrown::HashMap::new();
    while steps.len() < MOST {
        if let Some(&back) = met.get(&at) {
            let cycle = steps.split_off(back);
            return Some(Run { stem: steps, cycle });
        }
        met.insert(at, steps.len());
        let mut possible = Vec::new();
        system.steps(at, &mut possible);
        let step = possible.first()?;
        let (action, to): (ActionId, _) = (step.action, step.target);
        steps.push(RunStep { from: at, action, to });
        at = to;
    }
    None
}
