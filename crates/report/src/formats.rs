//! Answers for other programs: annotations of GitHub, SARIF, JUnit, Markdown.
//!
//! An answer that was expected is no failure in any of them.
//!
//! JSON is made by `serde` from the types of the documents. JUnit's XML is made by `quick-junit`, which knows the
//! schema that other programs read and takes out characters that XML does not allow; it brings ten small crates, for
//! XML, dates and identifiers. Strings of the model still pass [`fairly_source::escape`] first, so that control
//! characters are shown and not lost.

use std::fmt::Write;
use std::time::Duration;

use fairly_check::{Said, Shows, Upgrade};
use fairly_source::escape::{in_line, visible};
use fairly_system::Trace;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde::Serialize;

use crate::document::Document;
use crate::markup::{self, Command, block, code, github as github_part, uri, xml};

/// How an answer counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    Passed,
    Failed,
    Unknown,
    /// Nothing was answered: the model could not be read.
    Error,
    /// A bug of ours was in the way.
    Broken,
}

impl Document {
    fn counts(&self) -> Counts {
        let Document::Verdict(verdict, place) = self else { return Counts::Error };
        match verdict.outcome {
            _ if place.bug.is_some() => Counts::Broken,
            Said::Unknown => Counts::Unknown,
            outcome if outcome.word() == place.expected.unwrap_or("holds") => Counts::Passed,
            _ => Counts::Failed,
        }
    }

    fn file(&self) -> &str {
        match self {
            Document::Verdict(_, place) => &place.file,
            Document::Problem(problem) => problem.file.as_deref().unwrap_or_default(),
            Document::Table(_) => "",
        }
    }

    /// Heading: the property, with its formula where it has one.
    fn title(&self) -> String {
        let (verdict, place) = match self {
            Document::Verdict(verdict, place) => (verdict, place),
            Document::Problem(problem) => {
                return problem.code.as_ref().map_or("error".into(), |it| format!("error {it}"));
            }
            Document::Table(_) => return String::new(),
        };
        let title = if place.title.is_empty() { &verdict.property } else { &place.title };
        match verdict.formula.as_deref() {
            Some(formula) if !title.contains(formula) => format!("{title}: {formula}"),
            _ => title.clone(),
        }
    }

    /// The line, and the column if it is known, both from 1.
    fn position(&self) -> (usize, Option<usize>) {
        match self {
            Document::Verdict(_, place) => (place.line.unwrap_or(1), None),
            Document::Problem(problem) => (problem.line.unwrap_or(1), problem.column),
            Document::Table(_) => (1, None),
        }
    }

    /// Assumption, answer and reason, in a sentence or two.
    fn message(&self) -> String {
        let (verdict, place) = match self {
            Document::Verdict(verdict, place) => (verdict, place),
            Document::Problem(problem) => {
                let more = [problem.label.as_ref(), problem.help.as_ref()].into_iter().flatten();
                let more = more.filter(|it| !it.is_empty()).map(|it| format!("; {it}"));
                return problem.message.clone() + &more.collect::<String>();
            }
            Document::Table(_) => return String::new(),
        };
        let is = if verdict.outcome == Said::Holds { "" } else { "is " };
        let mut out = format!("{} {is}{}", self.title(), verdict.outcome.word());
        if let Some(fairness) = &verdict.stamp.fairness {
            let _ = write!(out, " under {fairness}");
        }
        if let Some(expected) = place.expected {
            let _ = write!(out, ", expected {expected}");
        }
        out.push('.');
        let conclusion = match verdict.evidence.as_ref().map(|it| &it.shows) {
            Some(Shows::End { conclusion, .. }) => Some(conclusion),
            _ => None,
        };
        for said in verdict.why.iter().chain(conclusion).filter(|said| !said.is_empty()) {
            let _ = write!(out, " {}.", said.trim_end_matches('.'));
        }
        let upgrade = verdict.violation().and_then(|(_, violation)| violation.upgrade.as_ref());
        if let Some(Upgrade { constraint, suffices }) = upgrade {
            let _ = write!(out, " {constraint} excludes this run");
            out.push_str(match suffices {
                Some(true) => "; checked again with it, the property holds.",
                Some(false) => "; checked again with it, the property still fails.",
                None => ".",
            });
        }
        for note in &verdict.notes {
            let _ = write!(out, " Note: {note}.");
        }
        out
    }

    /// The message behind the place of an error, for formats that have no place for it.
    fn placed(&self) -> String {
        match self.position() {
            (line, Some(column)) => format!("{}:{line}:{column}: {}", self.file(), self.message()),
            _ => self.message(),
        }
    }

    fn trace(&self) -> Option<&Trace> {
        let Document::Verdict(verdict, _) = self else { return None };
        verdict.evidence.as_ref().map(|it| &it.run)
    }

    /// The run, a line a step.
    fn run(&self) -> String {
        let mut out = String::new();
        let Some(run) = self.trace() else { return out };
        for (at, step) in run.steps.iter().enumerate() {
            let mark = if at >= run.stem() { "│ " } else { "  " };
            let _ = writeln!(out, "{mark}{:>3}  {}  {}", at + 1, step.who, step.action);
        }
        if let Some(back) = run.loops_to {
            let _ = writeln!(out, "repeat from {}", back + 1);
        }
        out
    }

    fn has_notes(&self) -> bool {
        matches!(self, Document::Verdict(verdict, _) if !verdict.notes.is_empty())
    }

    fn seconds(&self) -> f64 {
        match self {
            Document::Verdict(verdict, _) => verdict.stamp.seconds,
            _ => 0.0,
        }
    }
}

/// Commands that GitHub Actions shows as annotations at the lines.
pub fn github(documents: &[Document]) -> String {
    let mut out = String::new();
    for document in documents {
        let kind = match document.counts() {
            Counts::Failed | Counts::Error | Counts::Broken => "error",
            Counts::Unknown => "warning",
            Counts::Passed if document.has_notes() => "notice",
            Counts::Passed => continue,
        };
        let file = github_part(document.file(), Command::Property);
        let (line, column) = document.position();
        let column = column.map_or(String::new(), |column| format!(",col={column}"));
        let title = github_part(&document.title(), Command::Property);
        let said = format!("{}\n{}", document.message(), document.run());
        let said = github_part(said.trim_end(), Command::Message);
        let _ = writeln!(out, "::{kind} file={file},line={line}{column},title={title}::{said}");
    }
    out
}

#[derive(Serialize)]
struct Sarif {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [SarifRun; 1],
}

#[derive(Serialize)]
struct SarifRun {
    tool: Tool,
    results: Vec<SarifResult>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
struct Driver {
    name: &'static str,
    version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    short_description: Text,
}

#[derive(Serialize)]
struct Text {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: &'static str,
    level: &'static str,
    message: Text,
    locations: Vec<Location>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Artifact,
    region: Region,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<usize>,
}

impl Document {
    /// Result for SARIF; `None` for a property that passed without a note.
    fn sarif(&self) -> Option<SarifResult> {
        let (rule_id, level) = match self.counts() {
            Counts::Failed => ("violated", "error"),
            Counts::Error => ("error", "error"),
            Counts::Unknown => ("unknown", "warning"),
            Counts::Broken => ("internal", "error"),
            Counts::Passed if self.has_notes() => ("note", "note"),
            Counts::Passed => return None,
        };
        let (start_line, start_column) = self.position();
        let (end_line, end_column) = match self {
            Document::Problem(problem) => (problem.end_line, problem.end_column),
            _ => (None, None),
        };
        let region = Region { start_line, start_column, end_line, end_column };
        // Standard input and formulas of the command line are no artifacts.
        let file = Some(self.file()).filter(|file| !file.is_empty() && !file.starts_with('<'));
        let locations = file.map(|file| {
            let artifact_location = Artifact { uri: uri(file) };
            Location { physical_location: PhysicalLocation { artifact_location, region } }
        });
        let text = format!("{}\n{}", self.message(), self.run()).trim_end().to_owned();
        let (message, locations) = (Text { text }, locations.into_iter().collect());
        Some(SarifResult { rule_id, level, message, locations })
    }
}

/// SARIF 2.1.0.
pub fn sarif(documents: &[Document]) -> impl Serialize + use<> {
    let rules = [
        ("violated", "A property is violated on a fair run"),
        ("unknown", "It is not known whether a property holds"),
        ("internal", "A bug of the checker was in the way of an answer"),
        ("note", "A property holds, but for a reason worth a look"),
        ("error", "A model cannot be checked, because something is wrong in it"),
    ];
    let rule = |(id, says): (&'static str, &str)| Rule {
        id,
        short_description: Text { text: says.to_owned() },
    };
    let driver = Driver {
        name: "fairly",
        version: env!("CARGO_PKG_VERSION"),
        rules: rules.into_iter().map(rule).collect(),
    };
    let results = documents.iter().filter_map(Document::sarif).collect();
    Sarif {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [SarifRun { tool: Tool { driver }, results }],
    }
}

/// JUnit's XML: a suite for each model, a case for each property.
pub fn junit(documents: &[Document]) -> String {
    let mut suites: Vec<TestSuite> = Vec::new();
    for document in documents {
        let at = suites.iter().position(|suite| *suite.name == *in_line(document.file()));
        let suite = match at {
            Some(at) => &mut suites[at],
            None => suites.push_mut(TestSuite::new(in_line(document.file()))),
        };
        suite.time = Some(suite.time.unwrap_or_default() + document.time());
        suite.add_test_case(document.test_case());
    }
    let mut report = Report::new("fairly");
    report.add_test_suites(suites);
    // Writing to a string cannot fail.
    report.to_string().unwrap_or_default()
}

impl Document {
    fn time(&self) -> Duration {
        Duration::try_from_secs_f64(self.seconds()).unwrap_or_default()
    }

    fn test_case(&self) -> TestCase {
        let kind = match self.counts() {
            Counts::Passed => None,
            Counts::Failed => Some(NonSuccessKind::Failure),
            Counts::Unknown | Counts::Error | Counts::Broken => Some(NonSuccessKind::Error),
        };
        let status = kind.map_or_else(TestCaseStatus::success, |kind| {
            let mut status = TestCaseStatus::non_success(kind);
            status.set_message(visible(&self.placed()));
            status.set_description(visible(&self.run()));
            status
        });
        let mut case = TestCase::new(visible(&self.title()), status);
        case.set_classname(in_line(self.file())).set_time(self.time());
        case
    }
}

/// A table of the answers, and the runs below it, folded.
pub fn markdown(documents: &[Document]) -> String {
    let mut out = "| | property | under | states |\n|---|---|---|---:|\n".to_owned();
    for document in documents {
        let sign = match document.counts() {
            Counts::Passed => "✓",
            Counts::Failed => "✗",
            Counts::Unknown | Counts::Error => "?",
            Counts::Broken => "!",
        };
        let (outcome, fairness, states) = match document {
            Document::Verdict(verdict, _) => {
                let states = verdict.stamp.states.map(|it| it.to_string());
                let fairness = verdict.stamp.fairness.as_deref().unwrap_or_default();
                (verdict.outcome.word(), fairness, states.unwrap_or_default())
            }
            _ => ("error", "", String::new()),
        };
        let _ = writeln!(
            out,
            "| {sign} {outcome} | {} {} | {} | {states} |",
            code(&document.title()),
            markup::markdown(document.file()),
            markup::markdown(fairness)
        );
    }
    for document in documents.iter().filter(|document| document.counts() != Counts::Passed) {
        let _ = write!(
            out,
            "\n<details><summary>{}</summary>\n\n{}\n",
            xml(&in_line(&document.title())),
            markup::markdown(&document.placed()),
        );
        if document.trace().is_some() {
            let _ = write!(out, "\n{}", block(&document.run(), ""));
        }
        out.push_str("\n</details>\n");
    }
    out
}
