//! A verdict as a document with everything that a page shows of it.

use fairly_check::{Said, Shows, Verdict};
use fairly_report::document::{Document, Place};
use fairly_report::human::{self, Aside};
use fairly_report::{Source, itf, json};
use fairly_source::Span;
use serde::Serialize;
use serde_json::Value;

/// The schema of answers.
const SCHEMA: &str = "fairly.answer/1";

/// Where an answer belongs.
#[derive(Clone, Debug)]
pub struct Origin<'a> {
    /// The files that make the model.
    pub files: &'a [String],
    /// Options that make another model of them.
    pub options: &'a [String],
    /// The text of the model.
    pub source: Option<Source<'a>>,
    /// How the question is chosen.
    pub asked: itf::Asked,
    /// Where it is written.
    pub place: Option<Span>,
    /// The title of the question.
    pub title: &'a str,
    /// Constraints that were assumed besides those of the fairness and of the model.
    pub constraints: &'a [String],
    /// The command that gives the same answer.
    pub command: &'a str,
}

/// A verdict as a page has it.
#[derive(Serialize)]
struct AnswerDocument<'a> {
    schema: &'static str,
    /// `fairly.verdict/2`.
    verdict: Value,
    /// The run that shows the answer, as `fairly.trace/2`.
    trace: Option<Value>,
    command: &'a str,
    /// Sentences about the run.
    says: Vec<String>,
    /// The report of the command line.
    text: String,
    /// Single constraints that exclude the run, the smallest first.
    excluded_by: &'a [String],
}

/// Gives a verdict as a document, with the constraints that exclude its run.
pub fn answer(verdict: &Verdict, excluded_by: &[String], origin: &Origin<'_>) -> Value {
    let trace_origin = itf::Origin {
        files: origin.files,
        source: origin.source,
        options: origin.options,
        property: origin.asked.clone(),
        place: origin.place,
    };
    let trace = verdict.evidence.as_ref().and_then(|evidence| {
        match (&evidence.shows, verdict.violation()) {
            (_, Some((run, violation))) => {
                let guilty = itf::Guilty {
                    property: &verdict.property,
                    formula: verdict.formula.as_deref().unwrap_or_default(),
                    fairness: verdict.stamp.fairness.as_deref().unwrap_or_default(),
                    constraints: origin.constraints,
                    run,
                    ledger: &violation.ledger,
                };
                Some(itf::trace(&guilty, &trace_origin))
            }
            (Shows::End { .. }, None) => Some(itf::finite(origin.title, evidence, &trace_origin)),
            // A run that continues a doomed prefix claims nothing by itself.
            _ => None,
        }
    });
    let aside = Aside { source: origin.source, place: origin.place, ..Aside::default() };
    let text = human::verdict(verdict, &aside);
    let at = origin.source.zip(origin.place);
    let place = Place {
        title: origin.title.to_owned(),
        file: at
            .and_then(|(source, place)| source.included(place.start))
            .map_or_else(|| origin.files.join(" "), str::to_owned),
        line: at.and_then(|(source, place)| source.line(place.start)),
        ..Place::default()
    };
    let says = human::sentences(verdict);
    let is_violated = verdict.outcome == Said::Violated;
    let verdict = Document::Verdict(std::sync::Arc::new(verdict.clone()), place);
    json::value(&AnswerDocument {
        schema: SCHEMA,
        verdict: json::value(&verdict),
        trace,
        command: origin.command,
        says,
        text,
        excluded_by: if is_violated { excluded_by } else { &[] },
    })
}
