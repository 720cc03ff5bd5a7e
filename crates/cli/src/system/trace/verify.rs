//! `fairly trace verify`: a trace walked on its model, judged, and written once more.
//!
//! What a trace says is believed of nothing. It names a model, a question and an assumption, which are looked
//! up again; its run is walked by the reference interpreter and judged by the definitions. Then the trace is
//! written again, from what was found, and the two documents have to be equal. So no field escapes: one that
//! is not as the model has it, or that nobody wrote, is named.

use fairly_check::claim::{ClaimOutcome, Shown};
use fairly_check::{Assumption, Claim, Ending, Listed, Property, SystemIndex, certify, refutes};
use fairly_fairness::{AnnotationLevel, Level, Notion};
use fairly_omega::StateId;
use fairly_report::Source;
use fairly_report::itf::{self, Asked as AskedHow, Guilty, Origin};
use fairly_report::trace::Saved;
use fairly_search::{Bounds, Prefix};
use fairly_source::Span;
use fairly_system::{AtomIndex, Run, Trace, TransitionSystem};
use serde_json::Value;

use super::super::arguments::Model;
use super::super::file::File;
use super::super::load::{self, Loaded, Read};
use super::super::names::without_errors;
use super::super::questions::{Asked, Question};
use super::{About, arguments, document, saved, trail, walk};
use crate::failure::{self, Failure};
use crate::output;

/// Why a trace is not verified: in words.
type Refuted = String;

/// Says whether a file is what it says it is, and gives the exit code for it.
pub(super) fn verify(file: &str, about: &About, bounds: Bounds) -> Result<u8, Failure> {
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
) -> Result<Result<String, Refuted>, Failure> {
    let model = arguments(trace, files)?;
    let (written, said) = match load::read(&model.files, &model)? {
        Read::Network(mut loaded) => of_network(trace, (value, bounds), &model, &mut loaded)?,
        Read::File(mut file) => of_file(trace, (value, bounds), &model, &mut file)?,
    };
    Ok(match said {
        Err(why) => Err(why),
        Ok(said) => match difference(value, &written, &mut String::new()) {
            None => Ok(said),
            Some(difference) => Err(difference),
        },
    })
}

/// What comes of judging a trace: the document as it should be, and what is to be said of it.
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
struct From<'a> {
    trace: &'a Saved,
    model: &'a Model,
    options: Vec<String>,
    source: Option<Source<'a>>,
    property: AskedHow,
    place: Option<Span>,
}

impl From<'_> {
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

fn of_network(
    trace: &Saved,
    (value, bounds): (&Value, Bounds),
    model: &Model,
    loaded: &mut Loaded,
) -> Result<Judged, Failure> {
    let mut properties = load::properties(model, loaded)?;
    let (Some(property), true) = (properties.pop(), properties.is_empty()) else {
        return Ok(refuted("it does not say which property it violates"));
    };
    let mut assumed = Vec::new();
    for notion in notions(&trace.fairness) {
        assumed.push(load::assumption(notion, &trace.constraints, loaded)?);
    }
    let text = loaded.text().map(str::to_owned);
    let place = loaded.places().into_iter().find(|(name, _)| *name == property.name);
    let from = From {
        trace,
        model,
        options: model.of_the_files(),
        source: text.as_deref().zip(trace.files.first()).map(|(text, name)| Source { name, text }),
        property: asked_how(model, &property.name),
        place: place.map(|(_, place)| place),
    };
    let formula = property.text();
    let (run, _) = match walk(trace, &mut loaded.network) {
        Ok(walked) => walked,
        Err(why) => return Ok(refuted(why)),
    };
    Ok(guilty(&from, (value, bounds), &mut loaded.network, &property, &formula, &assumed, &run))
}

/// Judges a run with a loop against a formula.
fn guilty<S: TransitionSystem>(
    from: &From<'_>,
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
            Err(fairly_check::Failure::Internal { flaw, .. }) => return refuted(flaw.to_string()),
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
) -> Result<Judged, Failure> {
    if trace.asked_property.is_none() && trace.asked_formula.is_none() {
        return Ok(refuted("it does not say what it is a run against"));
    }
    let mut questions = file.questions(model)?;
    let (Some(question), true) = (questions.pop(), questions.is_empty()) else {
        return Ok(refuted("it asks several questions at once"));
    };
    let Question { title, system, asked, place, choice, .. } = question;
    let text = file.text().to_owned();
    let name = trace.files.first().map_or("", String::as_str);
    let from = From {
        trace,
        model,
        options: model.of_the_files(),
        source: Some(Source { name, text: &text }),
        property: asked_how(model, choice.as_deref().unwrap_or(&title)),
        place,
    };
    let (run, start) = match walk(trace, file.interpreter(system)) {
        Ok(walked) => walked,
        Err(why) => return Ok(refuted(why)),
    };
    // An answer "holds" would hide an error of the model, so these are looked for beside every question.
    let errors = without_errors(&title);
    if trace.property == errors {
        let from = From { place: None, ..from };
        let propositions = propositions(file, &from, system)?;
        return Ok(faulty(&from, file, system, &propositions, &errors, &run, start));
    }
    match asked {
        Asked::Formula(property, formula) => {
            let mut assumed = Vec::new();
            for notion in notions(&trace.fairness) {
                let bounds = model.options()?.bounds;
                assumed.push(file.assumption(notion, &trace.constraints, system, bounds)?);
            }
            let system = file.interpreter(system);
            Ok(guilty(&from, (value, bounds), system, &property, &formula, &assumed, &run))
        }
        Asked::Claim(claim) => match claim.ending() {
            Some(ending) => {
                Ok(ended(&from, file.interpreter(system), &ending, &title, &run, start))
            }
            None => again(&from, (file, bounds), system, &claim, &title, (&run, start)),
        },
    }
}

/// The propositions of all formulas that are asked about a system.
fn propositions(
    file: &mut File,
    from: &From<'_>,
    system: SystemIndex,
) -> Result<Vec<AtomIndex>, Failure> {
    let all = file.questions(&from.model.everything())?;
    let of_system = all.iter().filter(|question| question.system == system);
    let formulas = of_system.filter_map(|question| match &question.asked {
        Asked::Formula(property, _) => Some(property.propositions()),
        _ => None,
    });
    Ok(formulas.flatten().collect())
}

/// Judges a finite run at whose end something goes wrong, in the model or in a proposition.
fn faulty(
    from: &From<'_>,
    file: &mut File,
    system: SystemIndex,
    propositions: &[AtomIndex],
    title: &str,
    run: &Run,
    start: StateId,
) -> Judged {
    let system = file.interpreter(system);
    let prefix = Prefix { start, steps: run.stem.clone() };
    let end = prefix.end();
    let seen = match Ending::Error.judge(system, run, start) {
        Ok(seen) => seen,
        Err(why) => {
            let fault = propositions.iter().find_map(|&atom| system.proposition_fault(end, atom));
            let is_finite = run.cycle.is_empty() && system.fault(end).is_none();
            let Some(fault) = fault.filter(|_| is_finite) else { return refuted(why) };
            let conclusion = fault.message.clone();
            let shown = Shown { prefix, cycle: Vec::new(), conclusion, other: None };
            let written = itf::finite(title, &shown.record(system), &from.origin());
            let seen = format!("a proposition has no value in its last state: {}", fault.message);
            return (written, Ok(format!("{}, and {seen}", possible(run))));
        }
    };
    let shown = Ending::Error.shown(system, run, start);
    let written = itf::finite(title, &shown.record(system), &from.origin());
    (written, Ok(format!("{}, and {seen}", possible(run))))
}

/// Judges a run by what it ends with.
fn ended<S: TransitionSystem>(
    from: &From<'_>,
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
    from: &From<'_>,
    (file, bounds): (&mut File, Bounds),
    system: SystemIndex,
    claim: &Claim,
    title: &str,
    (run, start): (&Run, StateId),
) -> Result<Judged, Failure> {
    let verdict = file.claim(claim, system, bounds)?;
    let shown = match verdict.outcome {
        ClaimOutcome::Violated(Some(shown)) => shown,
        ClaimOutcome::Violated(None) => return Ok(refuted("no run shows that it is violated")),
        ClaimOutcome::Holds(_) => return Ok(refuted(format!("{title} holds"))),
        ClaimOutcome::Unknown(why) => return Err(Failure::Stopped(why.to_string())),
    };
    let prefix = Prefix { start, steps: run.stem.clone() };
    if (&shown.prefix.steps, shown.prefix.start, &shown.cycle)
        != (&prefix.steps, prefix.start, &run.cycle)
    {
        return Ok(refuted(format!("it is not the run that shows that {title} is violated")));
    }
    let evidence = shown.record(file.interpreter(system));
    let written = itf::finite(title, &evidence, &from.origin());
    Ok((written, Ok(format!("{}, and {}", possible(run), shown.conclusion))))
}

/// Judges a trail of SPIN. It says less than a trace: its steps have to be possible, and where a property is
/// named, it has to violate that.
fn of_trail(file: &str, about: &About) -> Result<Result<String, Refuted>, Failure> {
    let trail::Followed { name, mut promela, run, start, .. } = trail::follow(file, about)?;
    let possible = possible(&run);
    let Some(wanted) = &about.property else {
        if run.stem.is_empty() && run.cycle.is_empty() {
            let why = "it has no steps, so it shows nothing; say what it is a run against with -p";
            return Ok(Err(why.to_owned()));
        }
        return Ok(Ok(format!("{possible}, one after the other")));
    };
    let questions = promela.questions();
    let Some(question) = questions.iter().find(|it| promela.title(it) == *wanted) else {
        return Err(Failure::usage(format!("`{wanted}` of {name} cannot be judged on a trail")));
    };
    let property = promela
        .property(question)
        .map_err(|_| Failure::usage(format!("`{wanted}` of {name} cannot be judged on a trail")))?;
    let Some(property) = property else {
        let ending = promela.claimed(question).and_then(|claim| claim.ending());
        let seen = match ending {
            Some(ending) => ending.judge(promela.interpreter(), &run, start),
            None => Err(format!("{wanted} cannot be judged on a trail")),
        };
        return Ok(seen.map(|seen| format!("{possible}, and {seen}")));
    };
    let system = promela.interpreter();
    let violates = Ok(format!("{possible}, and the run violates {wanted}"));
    if run.cycle.is_empty() {
        let prefix = Prefix { start, steps: run.stem };
        return Ok(refutes(system, &property, &prefix).and(violates));
    }
    let assumption = Assumption::of(Notion::None);
    Ok(match certify(system, &property, &assumption, &run, Listed::OnTheRun) {
        Ok(_) => violates,
        Err(fairly_check::Failure::Internal { flaw, .. }) => Err(flaw.to_string()),
        Err(failure) => Err(failure.to_string()),
    })
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
