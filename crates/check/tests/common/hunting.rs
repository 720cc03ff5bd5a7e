//! Lossy searches beside exact ones.

use fairly_check::claim::{ClaimOutcome, ClaimVerdict, Shown};
use fairly_front::csp::syntax::Claim;
use fairly_reduce::ModelSystem;
use fairly_search::Bounds;
use fairly_search::lossy::{Keep, Room};
use fairly_system::{EventKind, FaultKind, TransitionSystem};

use super::languages::{CspFile, PromelaFile, Question};

/// The most states of a system of which nothing is left out in [`LARGE`]: the hashes are the same
/// everywhere and always, so that is no matter of chance.
const ALL: usize = 20_000;

const LARGE: [Room; 3] = [
    Room { keep: Keep::Fingerprints64, table: 1 << 20, frontier: 8 << 20 },
    Room { keep: Keep::Fingerprints32, table: 1 << 20, frontier: 8 << 20 },
    Room { keep: Keep::Bits, table: 8 << 20, frontier: 8 << 20 },
];

/// Tables for a few states, and with room for few that wait.
const TINY: [Room; 4] = [
    Room { keep: Keep::Fingerprints64, table: 256, frontier: 8 << 10 },
    Room { keep: Keep::Fingerprints32, table: 4 << 10, frontier: 1 << 10 },
    Room { keep: Keep::Bits, table: 8, frontier: 8 << 10 },
    Room { keep: Keep::Bits, table: 64, frontier: 1 << 10 },
];

/// The run that shows something, if one was found.
fn shown(verdict: &ClaimVerdict) -> Option<&Shown> {
    match &verdict.outcome {
        ClaimOutcome::Holds(shown) | ClaimOutcome::Violated(shown) => {
            shown.as_deref().map(|shown| &**shown)
        }
        ClaimOutcome::Unknown(_) => None,
    }
}

/// Asks in every room and compares with the exact answer: what is found is there, what is not found is
/// unknown, and with enough room what is there is found by a run as short as can be, but for so much
/// `slack`. `ends` says whether
/// a run ends where the answer says. How many answers said that something was found.
fn compare(
    (exact, slack): (&ClaimVerdict, usize),
    mut hunt: impl FnMut(Room) -> ClaimVerdict,
    mut ends: impl FnMut(&Shown) -> bool,
) -> Result<usize, String> {
    if let ClaimOutcome::Unknown(_) = exact.outcome {
        return Ok(0);
    }
    let mut count = 0;
    for (room, is_large) in LARGE.map(|it| (it, true)).into_iter().chain(TINY.map(|it| (it, false)))
    {
        let verdict = hunt(room);
        let lossy = verdict.lossy.as_ref().ok_or("it does not say that it is lossy")?;
        let told = || format!("{room:?}\nexact {exact:?}\nlossy {verdict:?}");
        match (shown(exact), shown(&verdict)) {
            (_, None) if !matches!(verdict.outcome, ClaimOutcome::Unknown(_)) => {
                return Err(format!(
                    "nothing was found, and that is taken for an answer: {}",
                    told()
                ));
            }
            (None, Some(_)) => {
                return Err(format!("something was found that is not there: {}", told()));
            }
            (Some(there), found) if is_large => match found {
                Some(found) if found.prefix.steps.len() > there.prefix.steps.len() + slack => {
                    return Err(format!("it is not the shortest run: {}", told()));
                }
                None if lossy.expected_omissions < 0.1 => {
                    return Err(format!("it was not found: {}", told()));
                }
                _ => {}
            },
            (None, None) if is_large => {
                // A state that something went wrong in the step to is one of an exact search only.
                let size = |verdict: &ClaimVerdict| verdict.size.unwrap_or_default();
                let (all, seen) = (size(exact), size(&verdict));
                if all.states <= ALL && seen.transitions < all.transitions {
                    return Err(format!("not everything was explored: {}", told()));
                }
            }
            _ => {}
        }
        if let Some(found) = shown(&verdict) {
            count += 1;
            if !ends(found) {
                return Err(format!("that is not where the run ends: {}", told()));
            }
        }
    }
    Ok(count)
}

/// Whether nothing is enabled at the end of a run, and nothing went wrong or ended there.
fn is_stuck(system: &mut ModelSystem, shown: &Shown) -> bool {
    let mut enabled = Vec::new();
    system.enabled(shown.prefix.end(), &mut enabled);
    let ended = shown.prefix.steps.last().is_some_and(|step| {
        let event = system.action(step.action).event;
        system.signature().event_kind(event) == EventKind::Termination
    });
    enabled.is_empty() && !ended && system.fault(shown.prefix.end()).is_none()
}

fn goes_wrong(system: &ModelSystem, shown: &Shown) -> bool {
    system.fault(shown.prefix.end()).is_some_and(|fault| fault.kind == FaultKind::Error)
}

/// Compares the answers to a question of a Promela file about reachable states.
pub(crate) fn promela(
    file: &mut PromelaFile,
    question: &Question,
    bounds: Bounds,
) -> Result<usize, String> {
    let exact = file.claim(question, bounds).map_err(|failure| failure.to_string())?;
    let claim = file.claimed(question).expect("it is about reachable states");
    let file = std::cell::RefCell::new(file);
    let hunt = |room| {
        let mut file = file.borrow_mut();
        file.hunt(&claim, room, bounds).expect("it stands up to replay")
    };
    let ends = |found: &Shown| {
        let mut file = file.borrow_mut();
        match question {
            Question::Errors => goes_wrong(file.interpreter(), found),
            _ => is_stuck(file.interpreter(), found),
        }
    };
    compare((&exact, 0), hunt, ends)
}

/// Compares the answers to the assertions of a CSP# file that are for lossy searches; the others stay
/// unknown.
pub(crate) fn csp(file: &mut CspFile, bounds: Bounds) -> Result<usize, String> {
    let specification = file.specification().clone();
    let mut count = 0;
    for assertion in &specification.assertions {
        let claim = &assertion.claim;
        let Ok(system) = file.system(&assertion.process) else { continue };
        match claim {
            Claim::DeadlockFree | Claim::NonTerminating | Claim::Reaches { optimum: None, .. } => {}
            Claim::Satisfies(_) => continue,
            _ => {
                let claimed = file.claimed(claim).map_err(|why| format!("{why:?}"))?;
                let verdict = file.hunt(&claimed, system, LARGE[0], bounds);
                let verdict = verdict.map_err(|why| format!("{why:?}"))?;
                assert!(matches!(verdict.outcome, ClaimOutcome::Unknown(_)), "{claim:?}");
                continue;
            }
        }
        let exact = file.claim(system, claim, bounds).map_err(|why| format!("{why:?}"))?;
        let claimed = file.claimed(claim).map_err(|why| format!("{why:?}"))?;
        let file = std::cell::RefCell::new(&mut *file);
        let hunt = |room| {
            let mut file = file.borrow_mut();
            file.hunt(&claimed, system, room, bounds).expect("an answer")
        };
        let ends = |found: &Shown| {
            let mut file = file.borrow_mut();
            match claim {
                Claim::DeadlockFree => is_stuck(file.interpreter(system), found),
                Claim::NonTerminating => {
                    let mut enabled = Vec::new();
                    file.interpreter(system).enabled(found.prefix.end(), &mut enabled);
                    enabled.is_empty()
                }
                _ => found.conclusion.starts_with("reached"),
            }
        };
        // An error is seen in the step to it, an end only when its turn has come.
        let slack = usize::from(matches!(claim, Claim::NonTerminating));
        count += compare((&exact, slack), hunt, ends)?;
    }
    Ok(count)
}
