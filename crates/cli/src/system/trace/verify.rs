//! `fairly trace verify`: a trace walked on its model, judged, and written once more.
//!
//! Nothing in a trace is believed. It names a model, a question and an assumption, which are looked up again;
//! its run is walked by the reference interpreter and judged by the definitions. Then the trace is written
//! again, from what was found, and the two documents have to be equal. So no field escapes: one that is not as
//! the model has it, or that has no source, is named.

use fairly_check::claim::{ClaimOutcome, Effort, Shown};
use fairly_check::{
    Asked, Assumption, Claim, Ending, Listed, Property, SystemIndex, Systems, certify, refutes,
    with_system,
};
use fairly_fairness::{AnnotationLevel, Level, Notion};
use fairly_omega::StateId;
use fairly_report::Source;
use fairly_report::itf::{self, Asked as AskedHow, Guilty, Origin};
use fairly_report::trace::Saved;
use fairly_search::{Bounds, Prefix};
use fairly_source::Span;
use fairly_system::{Run, Trace, TransitionSystem};
use serde_json::Value;

use super::super::arguments::Model;
use super::super::file::File;
use super::super::load;
use super::super::names::without_errors;
use super::super::questions::Question;
use super::{About, arguments, document, saved, trail, walk};
use crate::failure::{self, CliError};
use crate::output;

/// Why a trace is not verified: in words.
type Refuted = String;

/// Says whether a file is what it says it is, and gives the exit code for it.
pub(super) fn verify(file: &str, about: &About, bounds: Bounds) -> Result<u8, CliError> {
    let said = if trail::is_one(file) {
        of_trail(file, about)?
    } else {
        about.refuse_property(file)?;
        let value = document(file)?;
        let trace = saved(file, &value)?;
        of_trace(&trace, &value, &about.model, bounds)?
    };
    let (text, code) = match said {
        Ok(said) => (format!("verified: {said}\n"), 0),
        Err(why) => (format!("not verified: {why}\n"), failure::NO),
    };
    output::write(&text, None)?;
    Ok(code)
}

fn of_trace(
    trace: &Saved,
    value: &Value,
    files: &[String],
    bounds: Bounds,
) -> Result<Result<String, Refuted>, CliError> {
    let model = arguments(trace, files)?;
    let mut file = load::read(&model.files, &model)?;
    let (written, said) = of_file(trace, (value, bounds), &model, &mut file)?;
    Ok(match said {
        Err(why) => Err(why),
        Ok(said) => match difference(value, &written, &mut String::new()) {
            None => Ok(said),
            Some(difference) => Err(difference),
        },
    })
}

/// Result of judging a trace: the document as it should be, and the remark on it.
type Judged = (Value, Result<String, Refuted>);

fn refuted(why: impl Into<String>) -> Judged {
    (Value::Null, Err(why.into()))
}

/// How many steps are possible.
fn possible(run: &Run) -> String {
    match run.stem.len() + run.cycle.len() {
        0 => "the model starts there".to_owned(),
        1 => "its step is possible".to_owned(),
        count => format!("all {count} steps are possible"),
    }
}

/// Every notion under which a run can be guilty.
const NOTIONS: [Notion; 12] = [
    Notion::None,
    Notion::Weak(Level::Process),
    Notion::Weak(Level::Event),
    Notion::Weak(Level::Action),
    Notion::Strong(Level::Process),
    Notion::Strong(Level::Event),
    Notion::Strong(Level::Action),
    Notion::WeakLive,
    Notion::StrongLive,
    Notion::Annotated(AnnotationLevel::Name),
    Notion::Annotated(AnnotationLevel::Occurrence),
    Notion::Global,
];

/// The notions that a trace may mean with its words for the fairness assumed. Where there are constraints,
/// the words of "no fairness" are left out, so any text may mean that.
fn notions(fairness: &str) -> impl Iterator<Item = Notion> {
    NOTIONS.into_iter().filter(move |notion| {
        let words = notion.to_string();
        let rest = fairness.strip_prefix(&words);
        *notion == Notion::None || rest.is_some_and(|it| it.is_empty() || it.starts_with(" and "))
    })
}

/// Where a trace comes from, if it is what it says.
struct Claimed<'a> {
    trace: &'a Saved,
    options: Vec<String>,
    source: Option<Source<'a>>,
    property: AskedHow,
    place: Option<Span>,
}

impl Claimed<'_> {
    fn origin(&self) -> Origin<'_> {
        Origin {
            // Wherever the model is now.
            files: &self.trace.files,
            source: self.source,
            options: &self.options,
            property: self.property.clone(),
            place: self.place,
        }
    }
}

/// How the question is asked that the arguments ask.
fn asked_how(model: &Model, name: &str) -> AskedHow {
    match model.formulas.first() {
        Some(formula) => AskedHow::Formula(formula.clone()),
        None => AskedHow::Property(name.to_owned()),
    }
}

/// Judges a run with a loop against a formula.
fn guilty<S: TransitionSystem>(
    from: &Claimed<'_>,
    (value, bounds): (&Value, Bounds),
    system: &mut S,
    property: &Property,
    formula: &str,
    assumed: &[Assumption],
    run: &Run,
) -> Judged {
    let said = &from.trace.fairness;
    let Some(assumption) = assumed.iter().find(|it| it.to_string() == *said) else {
        return refuted(format!(
            "{UNTRUE}: #meta.fairness: \"{said}\" is no fairness that it could assume"
        ));
    };
    if run.cycle.is_empty() {
        return refuted(format!("it has no loop, and {} is about whole runs", property.name));
    }
    let recorded = Trace::of(system, run);
    let mut written = Value::Null;
    // Names of constraints may depend on what there is besides. Finding that out takes longer, and for a
    // trace that was edited it is in vain, so it is not done at any price.
    const MOST: usize = 1_000_000;
    let near = Bounds { nodes: Some(MOST), ..bounds };
    for listed in [Listed::OnTheRun, Listed::Everywhere(near)] {
        let ledger = match certify(system, property, assumption, run, listed) {
            Ok(ledger) => ledger,
            Err(fairly_check::CheckError::Internal { flaw, .. }) => {
                return refuted(flaw.to_string());
            }
            Err(failure) => return refuted(failure.to_string()),
        };
        let guilty = Guilty {
            property: &property.name,
            formula,
            fairness: &assumption.to_string(),
            constraints: &from.trace.constraints,
            run: &recorded,
            ledger: &ledger,
        };
        written = itf::trace(&guilty, &from.origin());
        if written["#meta"]["ledger"] == value["#meta"]["ledger"] {
            break;
        }
    }
    let under = match assumption.to_string() {
        all if all == Notion::None.to_string() => String::new(),
        fairness => format!(", under {fairness}"),
    };
    let name = &property.name;
    (written, Ok(format!("{}, and the run violates {name}{under}", possible(run))))
}

fn of_file(
    trace: &Saved,
    (value, bounds): (&Value, Bounds),
    model: &Model,
    file: &mut File,
) -> Result<Judged, CliError> {
    if trace.asked_property.is_none() && trace.asked_formula.is_none() {
        return Ok(refuted("it does not say what it is a run against"));
    }
    let mut questions = file.questions(model)?;
    let (Some(question), true) = (questions.pop(), questions.is_empty()) else {
        return Ok(refuted("it asks several questions at once"));
    };
    let Question { title, bound, place, choice } = question;
    let system = bound.system;
    let text = file.text().map(str::to_owned);
    let from = Claimed {
        trace,
        options: model.of_the_files(),
        source: text.as_deref().zip(trace.files.first()).map(|(text, name)| Source { name, text }),
        property: asked_how(model, choice.as_deref().unwrap_or(&title)),
        place,
    };
    let walked = with_system!(file.system(system)?, system => walk(trace, system));
    let (run, start) = match walked {
        Ok(walked) => walked,
        Err(why) => return Ok(refuted(why)),
    };
    // An answer "holds" would hide an error of the model, so these are looked for beside every question.
    let errors = without_errors(&title);
    if trace.property == errors {
        let from = Claimed { place: None, ..from };
        // Every formula of the model may have a proposition that goes wrong.
        file.questions(&model.everything())?;
        return Ok(faulty(&from, &mut file.systems, system, &errors, &run, start));
    }
    match bound.asked {
        Asked::Formula(property, formula) => {
            let mut assumed = Vec::new();
            for notion in notions(&trace.fairness) {
                let bounds = model.options()?.bounds;
                assumed.push(file.assumption(notion, &trace.constraints, system, bounds)?);
            }
            Ok(with_system!(file.system(system)?, system => {
                guilty(&from, (value, bounds), system, &property, &formula, &assumed, &run)
            }))
        }
        Asked::Claim(claim) => match Ending::refuting(&claim) {
            Some(ending) => Ok(with_system!(file.system(system)?, system => {
                ended(&from, system, &ending, &title, &run, start)
            })),
            None => again(&from, (file, bounds), system, &claim, &title, (&run, start)),
        },
    }
}

/// Judges a finite run at whose end something goes wrong, in the model or in a proposition.
fn faulty(
    from: &Claimed<'_>,
    systems: &mut Systems,
    system: SystemIndex,
    title: &str,
    run: &Run,
    start: StateId,
) -> Judged {
    let in_model = with_system!(systems.made(system), system => {
        let judged = Ending::Error.judge(system, run, start);
        judged.map(|seen| (seen, Ending::Error.shown(system, run, start).record(system)))
    });
    let found = in_model.or_else(|why| {
        let prefix = Prefix { start, steps: run.stem.clone() };
        let fault = systems.proposition_fault(system, prefix.end());
        let Some(fault) = fault.filter(|_| run.cycle.is_empty()) else { return Err(why) };
        let seen = format!("a proposition has no value in its last state: {}", fault.message);
        let shown = Shown { prefix, cycle: Vec::new(), conclusion: fault.message, other: None };
        Ok((seen, with_system!(systems.made(system), system => shown.record(system))))
    });
    match found {
        Ok((seen, evidence)) => {
            let written = itf::finite(title, &evidence, &from.origin());
            (written, Ok(format!("{}, and {seen}", possible(run))))
        }
        Err(why) => refuted(why),
    }
}

/// Judges a run by what it ends with.
fn ended<S: TransitionSystem>(
    from: &Claimed<'_>,
    system: &mut S,
    ending: &Ending,
    title: &str,
    run: &Run,
    start: StateId,
) -> Judged {
    let seen = match ending.judge(system, run, start) {
        Ok(seen) => seen,
        Err(why) => return refuted(why),
    };
    let shown = ending.shown(system, run, start);
    let written = itf::finite(title, &shown.record(system), &from.origin());
    (written, Ok(format!("{}, and {seen}", possible(run))))
}

/// Answers the question again, where a single run does not show the answer: the trace has to be what comes
/// of it.
fn again(
    from: &Claimed<'_>,
    (file, bounds): (&mut File, Bounds),
    system: SystemIndex,
    claim: &Claim,
    title: &str,
    (run, start): (&Run, StateId),
) -> Result<Judged, CliError> {
    let mut notions = notions(&from.trace.fairness).filter(|notion| *notion != Notion::None);
    let effort = Effort { fairness: notions.next(), ..bounds.into() };
    let verdict = file.systems.claim(claim, system, effort);
    let verdict = verdict.map_err(|why| file.unanswered(why))?;
    let fairness = verdict.fairness;
    let shown = match verdict.outcome {
        ClaimOutcome::Violated(Some(shown)) => shown,
        ClaimOutcome::Violated(None) => return Ok(refuted("no run shows that it is violated")),
        ClaimOutcome::Holds(_) => return Ok(refuted(format!("{title} holds"))),
        ClaimOutcome::Unknown(why) => return Err(CliError::Stopped(why.to_string())),
    };
    let prefix = Prefix { start, steps: run.stem.clone() };
    if (&shown.prefix.steps, shown.prefix.start, &shown.cycle)
        != (&prefix.steps, prefix.start, &run.cycle)
    {
        return Ok(refuted(format!("it is not the run that shows that {title} is violated")));
    }
    let evidence =
        with_system!(file.system(system)?, system => shown.record(system)).under(fairness);
    let written = itf::finite(title, &evidence, &from.origin());
    Ok((written, Ok(format!("{}, and {}", possible(run), shown.conclusion))))
}

/// Judges a trail of SPIN. It says less than a trace: its steps have to be possible, and where a property is
/// named, it has to violate that.
fn of_trail(file: &str, about: &About) -> Result<Result<String, Refuted>, CliError> {
    let trail::Followed { name, mut model, question, run, start, .. } = trail::follow(file, about)?;
    let possible = possible(&run);
    let (Some(wanted), Some(question)) = (&about.property, question) else {
        if run.stem.is_empty() && run.cycle.is_empty() {
            let why = "it has no steps, so it shows nothing; say what it is a run against with -p";
            return Ok(Err(why.to_owned()));
        }
        return Ok(Ok(format!("{possible}, one after the other")));
    };
    let unjudged = || CliError::usage(format!("`{wanted}` of {name} cannot be judged on a trail"));
    let bound = model.systems.bind(question).map_err(|_| unjudged())?;
    let system = model.systems.made(bound.system);
    Ok(match bound.asked {
        Asked::Claim(claim) => match Ending::refuting(&claim) {
            Some(ending) => with_system!(system, system => ending.judge(system, &run, start))
                .map(|seen| format!("{possible}, and {seen}")),
            None => Err(format!("{wanted} cannot be judged on a trail")),
        },
        Asked::Formula(property, _) => {
            with_system!(system, system => violates(system, &property, run, start))
                .map(|()| format!("{possible}, and the run violates {wanted}"))
        }
    })
}

/// Whether a run violates a property, whatever is assumed.
fn violates<S: TransitionSystem>(
    system: &mut S,
    property: &Property,
    run: Run,
    start: StateId,
) -> Result<(), Refuted> {
    if run.cycle.is_empty() {
        let prefix = Prefix { start, steps: run.stem };
        return refutes(system, property, &prefix);
    }
    let assumption = Assumption::of(Notion::None);
    match certify(system, property, &assumption, &run, Listed::OnTheRun) {
        Ok(_) => Ok(()),
        Err(fairly_check::CheckError::Internal { flaw, .. }) => Err(flaw.to_string()),
        Err(failure) => Err(failure.to_string()),
    }
}

/// The code of what is not as the model has it.
const UNTRUE: &str = "E0810";

/// The first place where a document is not as it should be, in words.
fn difference(is: &Value, should: &Value, at: &mut String) -> Option<String> {
    let place = |at: &str| if at.is_empty() { "the trace".to_owned() } else { at.to_owned() };
    match (is, should) {
        (Value::Object(is), Value::Object(should)) => {
            for name in is.keys().chain(should.keys()) {
                let before = at.len();
                if !at.is_empty() {
                    at.push('.');
                }
                at.push_str(name);
                let found = match (is.get(name), should.get(name)) {
                    (Some(is), Some(should)) => difference(is, should, at),
                    (Some(_), None) => Some(format!("{UNTRUE}: {at}: the model has no such thing")),
                    _ => Some(format!("{UNTRUE}: {at} is missing")),
                };
                if found.is_some() {
                    return found;
                }
                at.truncate(before);
            }
            None
        }
        (Value::Array(is), Value::Array(should)) => {
            for (number, (is, should)) in is.iter().zip(should).enumerate() {
                let before = at.len();
                at.push_str(&format!("[{number}]"));
                if let Some(found) = difference(is, should, at) {
                    return Some(found);
                }
                at.truncate(before);
            }
            let (is, should) = (is.len(), should.len());
            let place = place(at);
            (is != should)
                .then(|| format!("{UNTRUE}: {place} has {is} entries, and should have {should}"))
        }
        (is, should) if is == should => None,
        (is, should) => Some(format!("{UNTRUE}: {} is {is}, and should be {should}", place(at))),
    }
}
