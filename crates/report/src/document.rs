//! Answers to be printed in any format: verdicts with their places, and what keeps a model from being checked.

use std::sync::Arc;

use fairly_check::Verdict;
use fairly_source::{Diagnostic, Position, Span, parts};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::itf::Asked;
use crate::json::VerdictDocument;
use crate::look::Source;

/// An answer.
#[derive(Clone, Debug)]
pub enum Document {
    /// A verdict, and where it belongs.
    Verdict(Arc<Verdict>, Place),
    /// Something keeps a model from being checked.
    Problem(Problem),
    /// A ladder or least sets, which are JSON only.
    Table(Value),
}

/// Where a verdict belongs, and what else there is to say of it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Place {
    /// Name of the question.
    pub title: String,
    /// The file.
    pub file: String,
    /// The line of the question.
    pub line: Option<usize>,
    /// The answer that was expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<&'static str>,
    /// A bug was in the way.
    #[serde(flatten)]
    pub bug: Option<Bug>,
    /// How many states SPIN would store; `Some(None)` if that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored: Option<Option<StoredStates>>,
    /// Facts about the model that a page shows beside the verdict.
    #[serde(skip)]
    pub origin: Option<Arc<Origin>>,
}

/// Origin of a verdict.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The files of the model.
    pub files: Vec<String>,
    /// Options of the command line that make another model of them.
    pub options: Vec<String>,
    /// The text of the model.
    pub text: Option<Arc<str>>,
    /// How the question is asked again.
    pub asked: Asked,
    /// Where it is written.
    pub place: Option<Span>,
    /// Constraints of the command line.
    pub constraints: Vec<String>,
    /// The command that gives the answer.
    pub command: String,
}

impl Default for Origin {
    /// Nothing is known of it.
    fn default() -> Self {
        Origin {
            files: Vec::new(),
            options: Vec::new(),
            text: None,
            asked: Asked::Nothing,
            place: None,
            constraints: Vec::new(),
            command: String::new(),
        }
    }
}

impl Origin {
    /// The text of the model, for lines.
    pub fn source(&self) -> Option<Source<'_>> {
        let (name, text) = (self.files.first()?, self.text.as_deref()?);
        Some(Source { name, text })
    }
}

/// A bug of ours.
#[derive(Clone, Debug, Serialize)]
pub struct Bug {
    /// Always so.
    pub internal: bool,
    /// The file that says more, if it could be written.
    pub bundle: Option<String>,
}

/// States that are stored as SPIN stores them, or with another automaton.
#[derive(Clone, Debug, Serialize)]
pub struct StoredStates {
    /// How many.
    pub states: usize,
    /// Whether SPIN stores so many.
    pub as_spin: bool,
}

/// Something that keeps a model from being checked.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Problem {
    schema: &'static str,
    outcome: &'static str,
    /// The file.
    pub file: Option<String>,
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
    pub(crate) end_line: Option<usize>,
    pub(crate) end_column: Option<usize>,
    pub(crate) code: Option<String>,
    pub(crate) message: String,
    pub(crate) label: Option<String>,
    pub(crate) help: Option<String>,
}

impl Problem {
    /// A problem that is at no place in a text.
    pub fn new(code: Option<&str>, message: &str, file: Option<&str>) -> Problem {
        Problem {
            schema: "fairly.error/1",
            outcome: "error",
            file: file.map(str::to_owned),
            code: code.map(str::to_owned),
            message: message.to_owned(),
            ..Problem::default()
        }
    }

    /// A problem at a place in the text of a file.
    pub fn at(diagnostic: &Diagnostic, file: &str, text: &str) -> Problem {
        let part = parts::locate(file, text, diagnostic.span.start);
        let start = Position::of(part.text, part.offset);
        let end = Position::of(part.text, diagnostic.span.end.saturating_sub(part.start));
        Problem {
            line: Some(start.line),
            column: Some(start.column),
            end_line: Some(end.line),
            end_column: Some(end.column),
            label: Some(diagnostic.label.clone()),
            help: diagnostic.help.clone(),
            ..Problem::new(Some(diagnostic.code), &diagnostic.message, Some(part.file))
        }
    }
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Placed<'a> {
            #[serde(flatten)]
            verdict: VerdictDocument<'a>,
            #[serde(flatten)]
            place: &'a Place,
        }
        match self {
            Document::Verdict(verdict, place) => {
                Placed { verdict: VerdictDocument::from(&**verdict), place }.serialize(to)
            }
            Document::Problem(problem) => problem.serialize(to),
            Document::Table(value) => value.serialize(to),
        }
    }
}
