//! Remarks beside a verdict that take another search or walk to find: fairness that is assumed in vain, and
//! steps that a model never takes.

use std::fmt;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use fairly_fairness::{Constraint, Level, Notion};
use fairly_reduce::Reducible;
use fairly_search::Bounds;
use fairly_source::Span;
use fairly_system::{ActionId, MoveId, TransitionSystem};
use hashbrown::HashSet;

use crate::assumption::{Assumption, constraints_of};
use crate::property::Property;
use crate::vacuity::{Walked, walk};
use crate::verdict::{Answer, CheckError, Outcome, Stamp};
use crate::verify::{Found, Options, aside, decide};

/// A remark must not cost more than a moment: properties that took longer are not checked again for one.
const AFFORDABLE: Duration = Duration::from_secs(1);

/// Fairness that is assumed in vain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Needless {
    /// All of it.
    Everything,
    /// Its strength; in words, what is enough.
    Strength(&'static str),
}

impl fmt::Display for Needless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Needless::Everything => {
                f.write_str("it holds without any fairness; nothing needs to be assumed")
            }
            Needless::Strength(enough) => {
                write!(f, "strong is more than it needs: it holds under {enough}, too")
            }
        }
    }
}

/// Assumptions made in vain, if a property holds under a weaker assumption, too; `None` if there is none among
/// those that were tried, or if it was not found with little effort.
///
/// # Errors
/// When the engine that was chosen cannot decide it.
pub fn needless<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    assumption: &Assumption,
    verdict: &Answer,
    options: &Options,
) -> Result<Option<Needless>, CheckError> {
    let Outcome::Holds(_) = verdict.outcome else { return Ok(None) };
    // Global and inherent fairness have searches of their own; their neighbours are in the ladder.
    let is_plain = !matches!(assumption.notion, Notion::Global | Notion::Inherent(_));
    let is_dear = verdict.stamp.time > AFFORDABLE;
    if !is_plain || is_dear || verdict.stamp.constraints.is_empty() {
        return Ok(None);
    }
    let bounds = aside(options.bounds, &verdict.stamp);
    let options = Options { bounds, ..options.for_another_question() };
    let mut holds = |system: &mut S, constraints: &[Constraint]| {
        let found = decide(system, property, constraints, &options, &mut Stamp::default())?;
        Ok::<bool, CheckError>(matches!(found, Found::Nothing))
    };
    if holds(system, &[])? {
        return Ok(Some(Needless::Everything));
    }
    let weaker = match assumption.notion {
        Notion::Strong(level) => Notion::Weak(level),
        Notion::StrongLive => Notion::WeakLive,
        _ => return Ok(None),
    };
    let Ok(mut constraints) = constraints_of(weaker, system, bounds) else { return Ok(None) };
    constraints.extend(assumption.extra.iter().cloned());
    if !holds(system, &constraints)? {
        return Ok(None);
    }
    let enough = match assumption.notion {
        Notion::Strong(Level::Process) => "weak fairness of processes",
        Notion::Strong(Level::Event) => "weak fairness of events",
        Notion::Strong(Level::Action) => "weak fairness of actions",
        _ => "weak liveness of events",
    };
    Ok(Some(Needless::Strength(enough)))
}

/// The moves that some run makes, and those that none makes; none if that was not found out, or if all are
/// made. A system that lists its moves as they are met knows only of the first.
pub fn coverage<S: TransitionSystem>(system: &mut S, options: &Options) -> Option<Coverage> {
    let mut is_made = vec![false; system.signature().moves.len()];
    let mut missing = if system.signature().complete { is_made.len() } else { usize::MAX };
    let walked = walk(system, options.bounds, |system, _, steps| {
        for step in steps.iter().filter(|step| step.action != ActionId::IDLE) {
            for id in &system.action(step.action).moves {
                if id.index() >= is_made.len() {
                    is_made.resize(id.index() + 1, false);
                }
                if !std::mem::replace(&mut is_made[id.index()], true) {
                    missing = missing.saturating_sub(1);
                }
            }
        }
        if missing == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if walked != Walked::All {
        return None;
    }
    let all = system.signature().move_ids();
    let (made, unmade) = all.partition(|id| is_made.get(id.index()) == Some(&true));
    Some(Coverage { made, unmade })
}

/// Which of these places of a model some run executes; none if that was not found out.
pub fn executed<S: TransitionSystem>(
    system: &mut S,
    places: &HashSet<Span>,
    options: &Options,
) -> Option<HashSet<Span>> {
    let mut executed = HashSet::new();
    let mut is_known: Vec<bool> = Vec::new();
    let soon = Instant::now() + AFFORDABLE;
    let deadline = options.bounds.deadline.map_or(soon, |deadline| deadline.min(soon));
    let bounds = Bounds { deadline: Some(deadline), ..options.bounds };
    let walked = walk(system, bounds, |system, _, steps| {
        for step in steps.iter().filter(|step| step.action != ActionId::IDLE) {
            let at = step.action.index();
            if is_known.len() <= at {
                is_known.resize(at + 1, false);
            }
            if std::mem::replace(&mut is_known[at], true) {
                continue;
            }
            let moves = &system.signature().moves;
            let spans = system.action(step.action).moves.iter().map(|id| moves[id.index()].span);
            executed.extend(spans.flatten().filter(|span| places.contains(span)));
        }
        let nothing_missing = executed.len() == places.len();
        if nothing_missing { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    (walked == Walked::All || executed.len() == places.len()).then_some(executed)
}

/// Coverage of a system by its runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Moves that some run makes.
    pub made: Vec<MoveId>,
    /// Moves that no run makes.
    pub unmade: Vec<MoveId>,
}
