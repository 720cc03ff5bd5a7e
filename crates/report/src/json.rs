//! Verdicts and tables as JSON documents. Their schemas have versions; fields are added, never changed, within one.
//! States are objects since version 2.

use std::collections::BTreeMap;

use fairly_check::{
    Cause, CauseKind, Elsewhere, Fairness, Ladder, Least, Said, Shows, Upgrade, Verdict,
};
use fairly_fairness::Notion;
use fairly_source::escape;
use fairly_system::{Part, StateValues, Trace, TraceStep};
use fairly_witness::{Entry, Ledger, Reason};
use serde::Serialize;
use serde_json::Value;

use crate::stuck::{self, Waits};

/// The schema of verdicts.
pub const VERDICT_SCHEMA: &str = "fairly.verdict/2";

/// A document as text, in which nothing stands that a terminal would obey.
pub fn text(document: &Value) -> String {
    escape::json(&format!("{document:#}\n")).into_owned()
}

/// A document as a value, with its keys in order.
pub fn value(document: &impl Serialize) -> Value {
    serde_json::to_value(document).unwrap_or_default()
}

/// A verdict. An outer `Option` is a field that only some verdicts have; an inner one may be null.
#[derive(Serialize)]
pub(crate) struct VerdictDocument<'a> {
    schema: &'static str,
    property: &'a str,
    outcome: Said,
    stamp: &'a fairly_check::Basis,
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feasible: Option<Option<bool>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine_closed: Option<Option<bool>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    doomed_prefix: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunDocument<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conclusion: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violated_after: Option<Option<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ledger: Option<Vec<LedgerLine<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upgrade: Option<Option<&'a Upgrade>>,
}

impl<'a> From<&'a Verdict> for VerdictDocument<'a> {
    fn from(verdict: &'a Verdict) -> Self {
        let closure = verdict.closure.as_ref();
        let (feasible, machine_closed) = match closure {
            None => (None, None),
            Some(Fairness::NotAssumed | Fairness::MachineClosed) => {
                (Some(Some(true)), Some(Some(true)))
            }
            Some(Fairness::NotMachineClosed(_)) => (Some(Some(true)), Some(Some(false))),
            Some(Fairness::Infeasible) => (Some(Some(false)), Some(Some(false))),
            Some(Fairness::NotKnown) => (Some(None), Some(None)),
        };
        let shows = verdict.evidence.as_ref().map(|it| &it.shows);
        let violation = verdict.violation().map(|(_, violation)| violation);
        VerdictDocument {
            schema: VERDICT_SCHEMA,
            property: &verdict.property,
            outcome: verdict.outcome,
            stamp: &verdict.stamp,
            formula: verdict.formula.as_deref(),
            notes: (verdict.formula.is_some() || !verdict.notes.is_empty())
                .then_some(verdict.notes.as_slice()),
            why: verdict.why.as_deref(),
            feasible,
            machine_closed,
            doomed_prefix: match (closure, shows) {
                (Some(Fairness::NotMachineClosed(prefix)), _)
                | (_, Some(Shows::Doomed(prefix))) => Some(prefix),
                _ => None,
            },
            run: verdict.evidence.as_ref().map(|it| run(&it.run)),
            conclusion: match shows {
                Some(Shows::End { conclusion, .. }) => Some(conclusion),
                _ => None,
            },
            violated_after: violation.map(|it| it.decided),
            ledger: violation.map(|it| ledger(&it.ledger).collect()),
            upgrade: violation.map(|it| it.upgrade.as_ref()),
        }
    }
}

/// A run, step by step. That of a finite one begins its loop behind its last step.
#[derive(Serialize)]
pub struct RunDocument<'a> {
    steps: Vec<StepDocument<'a>>,
    #[serde(rename = "loop")]
    back: usize,
    /// The state that a finite run ends in.
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<&'a StateValues>,
    /// Reason why each process waits, where a finite run ends and nothing can happen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting: Vec<Waits>,
}

#[derive(Serialize)]
struct StepDocument<'a> {
    state: &'a StateValues,
    event: &'a str,
    action: &'a str,
    who: &'a str,
    processes: BTreeMap<&'a str, Part>,
}

/// A run, step by step.
pub fn run(run: &Trace) -> RunDocument<'_> {
    let steps = run.steps.iter().map(|step| StepDocument {
        state: &step.from.values,
        event: &step.event,
        action: &step.action,
        who: &step.who,
        processes: parts(run, step),
    });
    let is_finite = run.loops_to.is_none();
    let stuck = run.stuck.as_ref().filter(|_| is_finite);
    RunDocument {
        steps: steps.collect(),
        back: run.stem(),
        end: run.end.as_ref().filter(|_| is_finite).map(|end| &end.values),
        waiting: stuck::waits(stuck, &run.processes, None),
    }
}

/// The part of each process in a step, by name.
pub(crate) fn parts<'a>(run: &'a Trace, step: &TraceStep) -> BTreeMap<&'a str, Part> {
    run.processes.iter().map(String::as_str).zip(step.parts.iter().copied()).collect()
}

/// A constraint on a loop; steps are counted from 0 over the whole run.
#[derive(Clone, PartialEq, Serialize)]
pub(crate) struct LedgerLine<'a> {
    pub(crate) constraint: &'a str,
    asked: usize,
    of: usize,
    given: usize,
    pub(crate) reason: &'static str,
    step: Option<usize>,
}

pub(crate) fn ledger(ledger: &Ledger) -> impl Iterator<Item = LedgerLine<'_>> {
    ledger.entries.iter().map(|Entry { name, asked, given, reason, .. }| {
        let (reason, step) = match *reason {
            Reason::NeverAsked => ("never asked", None),
            Reason::Lapses(at) => ("lapses", Some(at)),
            Reason::Given(at) => ("given", Some(at)),
            Reason::NotMet => ("not met", None),
        };
        let (asked, given) = (asked.len(), given.len());
        LedgerLine { constraint: name, asked, of: ledger.cycle, given, reason, step }
    })
}

#[derive(Serialize)]
struct LadderDocument<'a> {
    schema: &'static str,
    property: &'a str,
    formula: &'a str,
    rungs: Vec<RungDocument>,
    searches: usize,
    causes: Vec<CauseDocument<'a>>,
}

#[derive(Serialize)]
struct RungDocument {
    fairness: String,
    outcome: Said,
    searched: bool,
}

#[derive(Serialize)]
struct CauseDocument<'a> {
    kind: &'static str,
    constraint: Option<&'a str>,
    run: RunDocument<'a>,
}

/// The ladder.
pub fn ladder(property: &str, formula: &str, ladder: &Ladder) -> Value {
    let causes = ladder.causes.iter().map(|Cause { kind, run: found }| {
        let (kind, constraint) = match kind {
            CauseKind::Deadlock => ("deadlock", None),
            CauseKind::NotWeaklyFair(name) => ("not weakly fair", Some(name.as_str())),
            CauseKind::NotStronglyFair(name) => ("not strongly fair", Some(name.as_str())),
            CauseKind::Fair => ("strongly fair", None),
        };
        CauseDocument { kind, constraint, run: run(found) }
    });
    let rungs = ladder.rungs.iter().map(|rung| RungDocument {
        fairness: rung.notion.to_string(),
        outcome: match rung.holds {
            Ok(true) => Said::Holds,
            Ok(false) => Said::Violated,
            Err(_) => Said::Unknown,
        },
        searched: rung.searched,
    });
    value(&LadderDocument {
        schema: "fairly.ladder/2",
        property,
        formula,
        rungs: rungs.collect(),
        searches: ladder.searches,
        causes: causes.collect(),
    })
}

#[derive(Serialize)]
struct LeastDocument<'a> {
    schema: &'static str,
    property: &'a str,
    formula: &'a str,
    sets: &'a [Vec<String>],
    complete: bool,
    level: Option<String>,
    holds_under: Option<String>,
    why: Option<String>,
}

/// The least sets.
pub fn least(property: &str, formula: &str, least: &Least) -> Value {
    let empty = LeastDocument {
        schema: "fairly.least/1",
        property,
        formula,
        sets: &[],
        complete: false,
        level: None,
        holds_under: None,
        why: None,
    };
    value(&match least {
        Least::Sets { sets, level, elsewhere, .. } => LeastDocument {
            sets,
            complete: true,
            level: Some(level.to_string()),
            holds_under: match elsewhere {
                Some(Elsewhere::Holds(other)) => Some(Notion::Strong(*other).to_string()),
                _ => None,
            },
            ..empty
        },
        Least::Some { sets, why } => LeastDocument { sets, why: Some(why.clone()), ..empty },
        Least::Unknown(why) => LeastDocument { why: Some(why.to_string()), ..empty },
    })
}
