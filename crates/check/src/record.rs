//! Verdicts: answers as plain data, to be stored, shown and compared without the system that was asked.
//!
//! Searches answer with runs of numbered states. A verdict is what is left when the system is gone: the same answer
//! with every run [recorded](Trace). There is one type for formulas and for claims.

use std::time::Duration;

use fairly_fairness::Notion;
use fairly_omega::{StateId, Stop};
use fairly_search::probe::Order;
use fairly_system::{Growth, Run, RunStep, Trace, TransitionSystem};
use fairly_witness::Ledger;
use serde::{Deserialize, Serialize};

use crate::claim::{ClaimOutcome, ClaimVerdict, Shown};
use crate::hunt::Lossy;
use crate::property::Property;
use crate::soundness::Refusal;
use crate::statistics::{Lengths, Statistics};
use crate::strengths::Strengths;
use crate::verdict::{
    Answer, Counterexample, Fairness, Outcome, Reason, Stamp, Upgrade, WhyUnknown,
};
use crate::waiting::{Waiting, waiting_until};

/// Steps of the longest run that is written down: a million of them are gigabytes of names and values.
const LONGEST: usize = 200_000;

/// Remark on an answer whose run of so many steps was left out.
fn unwritten(steps: usize) -> String {
    let why = match steps > LONGEST {
        true => format!("runs of more than {LONGEST} steps are not written down"),
        false => "there was no time or memory left to write it down".to_owned(),
    };
    format!("the run is not shown: it has {steps} steps, and {why}")
}

/// A run as plain data; `None` if it is too long, or it is time to stop before that is done.
fn trace<S: TransitionSystem>(
    system: &mut S,
    start: Option<StateId>,
    run: &Run,
    stop: Stop,
) -> Option<Trace> {
    let is_long = run.steps().count() > LONGEST;
    if is_long { None } else { Trace::until(system, start, run, stop) }
}

/// Holds, violated or unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Said {
    /// It holds.
    Holds,
    /// It is violated.
    Violated,
    /// There is no answer.
    Unknown,
}

impl Said {
    /// The answer in a word.
    pub fn word(self) -> &'static str {
        match self {
            Said::Holds => "holds",
            Said::Violated => "violated",
            Said::Unknown => "unknown",
        }
    }
}

/// The answer to one question, as plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The property's name, or the claim.
    pub property: String,
    /// The formula as it is shown; none for a claim.
    pub formula: Option<String>,
    /// The names of the system's processes.
    pub processes: Vec<String>,
    /// Holds, violated or unknown.
    pub outcome: Said,
    /// The kind of reason why there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Why there is no answer, in words.
    pub why: Option<String>,
    /// The variable or collection that kept growing until a search for the answer stopped.
    pub growth: Option<Growth>,
    /// For a formula that holds: the effect of the fairness assumed, with the events of a prefix that it discards.
    pub closure: Option<Fairness<Vec<String>>>,
    /// The run that shows the answer, if one does.
    pub evidence: Option<Evidence>,
    /// Basis of the answer.
    pub stamp: Basis,
    /// Remarks: vacuity, constraints without effect.
    pub notes: Vec<String>,
}

/// A run and what it shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The run.
    pub run: Trace,
    /// Conclusion from the run.
    pub shows: Shows,
}

/// Conclusion from a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shows {
    /// A fair run violates the formula.
    Violation(Violation),
    /// Under inherent fairness: no run that satisfies the formula continues these events.
    Doomed(Vec<String>),
    /// The end of the run answers the claim.
    End {
        /// The observation there, in a sentence.
        conclusion: String,
        /// Another run to compare it with, for determinism.
        other: Option<Trace>,
        /// The fairness under which the run counts, in words, if the claim is about fair runs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fairness: Option<String>,
    },
}

/// Why a run counts against a formula.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Violation {
    /// Why it counts as fair.
    pub ledger: Ledger,
    /// The smallest single constraint that would exclude it.
    pub upgrade: Option<Upgrade>,
    /// After how many steps the formula is violated, whatever follows.
    pub decided: Option<usize>,
    /// The condition that the run waits for in vain.
    pub waiting: Option<Waiting>,
    /// Under which strengths of fairness the formula holds.
    pub strengths: Option<Strengths>,
}

/// Basis of an answer. Formulas have a fairness, an engine and a product; claims have none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Basis {
    /// The fairness assumed, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fairness: Option<String>,
    /// Every constraint of it, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraints: Option<Vec<String>>,
    /// The engine that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The order in which the run was found.
    pub order: Option<String>,
    /// Reductions used, and how much they left out.
    pub reductions: Vec<String>,
    /// Why nothing was left out, if nothing was.
    pub unreduced: Option<String>,
    /// Why symmetry was not used although some processes look alike.
    pub asymmetric: Option<String>,
    /// Whether everything that could matter was explored.
    pub exhaustive: bool,
    /// States of the system that were explored, where they were counted.
    pub states: Option<usize>,
    /// Its transitions.
    pub transitions: Option<usize>,
    /// Nodes of the product that were explored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product_nodes: Option<usize>,
    /// Its steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product_steps: Option<usize>,
    /// Seconds that the answer took.
    pub seconds: f64,
    /// Seconds of them that were spent on a short run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortening_seconds: Option<f64>,
    /// How the search for a run went, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistics: Option<Statistics>,
    /// The part of each state that was kept, if not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lossy: Option<Lossy>,
    /// Whether a certificate of the answer was made and accepted by the independent verifier.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub certified: bool,
}

impl Verdict {
    /// There is no answer, and why.
    pub fn unknown(property: &str, why: &WhyUnknown) -> Verdict {
        let (reason, why) = (Some(why.reason()), Some(why.to_string()));
        Verdict { outcome: Said::Unknown, reason, why, ..Verdict::holds(property) }
    }

    /// A property holds, of which nothing else is said.
    pub fn holds(property: &str) -> Verdict {
        Verdict {
            property: property.to_owned(),
            formula: None,
            processes: Vec::new(),
            outcome: Said::Holds,
            reason: None,
            why: None,
            growth: None,
            closure: None,
            evidence: None,
            stamp: Basis::default(),
            notes: Vec::new(),
        }
    }

    /// The evidence against a formula.
    pub fn violation(&self) -> Option<(&Trace, &Violation)> {
        match self.evidence.as_ref()? {
            Evidence { run, shows: Shows::Violation(violation) } => Some((run, violation)),
            _ => None,
        }
    }
}

impl Stamp {
    fn record(&self) -> Basis {
        let seconds = |time: Duration| time.as_secs_f64();
        Basis {
            fairness: Some(self.fairness.clone()),
            constraints: Some(self.constraints.clone()),
            engine: Some(self.engine.map_or("none", |engine| engine.name).to_owned()),
            order: self.order.map(Order::words).map(str::to_owned),
            reductions: self.reductions.clone(),
            unreduced: self.unreduced.as_ref().map(Refusal::to_string),
            asymmetric: self.asymmetric.as_ref().map(Refusal::to_string),
            exhaustive: self.exhaustive,
            states: Some(self.system.0),
            transitions: Some(self.system.1),
            product_nodes: Some(self.product.0),
            product_steps: Some(self.product.1),
            seconds: seconds(self.time),
            shortening_seconds: Some(seconds(self.shortening)),
            statistics: self.statistics.clone(),
            lossy: None,
            certified: false,
        }
    }
}

/// The events of a finite run.
pub fn events<S: TransitionSystem>(system: &S, steps: &[RunStep]) -> Vec<String> {
    let name = |step: &RunStep| system.signature().event_name(system.action(step.action).event);
    steps.iter().map(|step| name(step).to_owned()).collect()
}

impl Answer {
    /// The answer as plain data, with the strengths of fairness under which it would be another one.
    pub fn record<S: TransitionSystem>(
        &self,
        system: &mut S,
        property: &Property,
        strengths: Option<Strengths>,
    ) -> Verdict {
        self.record_until(system, property, strengths, Stop::default())
    }

    /// The same. A run that cannot be written down before it is time to stop is left out, as is a very long one: the
    /// answer stands without.
    pub fn record_until<S: TransitionSystem>(
        &self,
        system: &mut S,
        property: &Property,
        strengths: Option<Strengths>,
        stop: Stop,
    ) -> Verdict {
        let known = match &self.outcome {
            Outcome::Holds(_) => Verdict::holds(&self.property),
            Outcome::Violated(_) | Outcome::Doomed(_) => {
                Verdict { outcome: Said::Violated, ..Verdict::holds(&self.property) }
            }
            Outcome::Unknown(why) => Verdict::unknown(&self.property, why),
        };
        let mut verdict = Verdict {
            formula: Some(self.formula.clone()),
            processes: system.signature().processes.clone(),
            stamp: self.stamp.record(),
            notes: self.notes.clone(),
            ..known
        };
        let mut steps = 0;
        match &self.outcome {
            Outcome::Holds(closure) => verdict.closure = Some(closure.record(system)),
            Outcome::Violated(found) => {
                let Counterexample { run, ledger, upgrade, decided } = &**found;
                let (ledger, upgrade) = (ledger.clone(), upgrade.clone());
                let decided = *decided;
                let waiting = waiting_until(system, property, run, stop);
                if let Some(statistics) = &mut verdict.stamp.statistics {
                    statistics.shown =
                        Some(Lengths { stem: run.stem.len(), cycle: run.cycle.len() });
                }
                steps = run.steps().count();
                let run = trace(system, None, run, stop);
                let violation = Violation { ledger, upgrade, decided, waiting, strengths };
                let shows = Shows::Violation(violation);
                verdict.evidence = run.map(|run| Evidence { run, shows });
            }
            Outcome::Doomed(doomed) => {
                let shows = Shows::Doomed(events(system, &doomed.prefix));
                steps = doomed.run.steps().count();
                let run = trace(system, None, &doomed.run, stop);
                verdict.evidence = run.map(|run| Evidence { run, shows });
            }
            Outcome::Unknown(why) => verdict.growth = why.growth().cloned(),
        }
        if verdict.outcome == Said::Violated && verdict.evidence.is_none() {
            verdict.notes.push(unwritten(steps));
        }
        verdict
    }
}

impl Fairness {
    fn record<S: TransitionSystem>(&self, system: &S) -> Fairness<Vec<String>> {
        match self {
            Fairness::NotAssumed => Fairness::NotAssumed,
            Fairness::MachineClosed => Fairness::MachineClosed,
            Fairness::NotMachineClosed(prefix) => {
                Fairness::NotMachineClosed(events(system, prefix))
            }
            Fairness::Infeasible => Fairness::Infeasible,
            Fairness::NotKnown => Fairness::NotKnown,
        }
    }
}

impl ClaimVerdict {
    /// The answer as plain data.
    pub fn record<S: TransitionSystem>(&self, system: &mut S, claim: &str) -> Verdict {
        self.record_until(system, claim, Stop::default())
    }

    /// The same. A run that cannot be written down before it is time to stop is left out: the answer stands without.
    pub fn record_until<S: TransitionSystem>(
        &self,
        system: &mut S,
        claim: &str,
        stop: Stop,
    ) -> Verdict {
        let (known, shown) = match &self.outcome {
            ClaimOutcome::Holds(shown) => (Verdict::holds(claim), shown.as_deref()),
            ClaimOutcome::Violated(shown) => {
                let violated = Verdict { outcome: Said::Violated, ..Verdict::holds(claim) };
                (violated, shown.as_deref())
            }
            ClaimOutcome::Unknown(why) => {
                let growth = why.growth().cloned();
                (Verdict { growth, ..Verdict::unknown(claim, why) }, None)
            }
        };
        let stamp = Basis {
            fairness: self.fairness.as_ref().map(Notion::to_string),
            order: self.order.map(Order::words).map(str::to_owned),
            reductions: self.reductions.clone(),
            unreduced: self.unreduced.as_ref().map(Refusal::to_string),
            asymmetric: self.asymmetric.as_ref().map(Refusal::to_string),
            exhaustive: shown.is_none() && known.outcome != Said::Unknown,
            states: self.size.map(|size| size.states),
            transitions: self.size.map(|size| size.transitions),
            seconds: self.time.as_secs_f64(),
            lossy: self.lossy.clone(),
            certified: false,
            ..Basis::default()
        };
        let evidence = shown.and_then(|shown| shown.record_until(system, stop));
        let evidence = evidence.map(|evidence| evidence.under(self.fairness));
        let lost = shown.filter(|_| evidence.is_none());
        let steps = |shown: &Shown| shown.prefix.steps.len() + shown.cycle.len();
        let notes = lost.map(|shown| unwritten(steps(shown))).into_iter().collect();
        let processes = system.signature().processes.clone();
        Verdict { processes, stamp, evidence, notes, ..known }
    }
}

impl Evidence {
    /// The same for a claim about runs that are fair in this sense.
    #[must_use]
    pub fn under(mut self, notion: Option<Notion>) -> Evidence {
        if let Shows::End { fairness, .. } = &mut self.shows {
            *fairness = notion.as_ref().map(Notion::to_string);
        }
        self
    }
}

impl Shown {
    /// The run as plain data, with what it shows.
    pub fn record<S: TransitionSystem>(&self, system: &mut S) -> Evidence {
        let written = self.written(|start, run| Some(Trace::from_start(system, start, run)));
        written.expect("a run of any length is written down")
    }

    /// The same; `None` if it is too long, or it is time to stop before that is done.
    fn record_until<S: TransitionSystem>(&self, system: &mut S, stop: Stop) -> Option<Evidence> {
        self.written(|start, run| trace(system, Some(start), run, stop))
    }

    fn written(&self, mut write: impl FnMut(StateId, &Run) -> Option<Trace>) -> Option<Evidence> {
        let run = Run { stem: self.prefix.steps.clone(), cycle: self.cycle.clone() };
        let other = match &self.other {
            None => None,
            Some(other) => {
                let run = Run { stem: other.steps.clone(), cycle: Vec::new() };
                Some(write(other.start, &run)?)
            }
        };
        let conclusion = self.conclusion.clone();
        let run = write(self.prefix.start, &run)?;
        Some(Evidence { run, shows: Shows::End { conclusion, other, fairness: None } })
    }
}
