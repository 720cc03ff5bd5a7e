//! Why a command ended without an answer, and the exit code for it.

use std::io::Write;
use std::process::ExitCode;

use fairly_omega::BudgetError;
use fairly_report::document::{Document, Problem};
use fairly_search::Engine;
use fairly_source::{Diagnostic, Style, escape, render};
use fairly_system::Run;

/// The answer is no.
pub(crate) const NO: u8 = 1;
/// The arguments or an input are wrong.
pub(crate) const USAGE: u8 = 2;
/// A limit was reached.
pub(crate) const UNKNOWN: u8 = 3;
/// There is nothing to check.
pub(crate) const NOTHING: u8 = 4;
/// A bug in fairly.
pub(crate) const INTERNAL: u8 = 70;

/// Advice for an engine that cannot decide a question.
pub(crate) fn other_engine() -> String {
    format!("leave out --engine, or use --engine {}", Engine::general().name)
}

/// A name of the arguments that nothing in a model has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Absent {
    /// The option that gives it.
    pub(crate) option: &'static str,
    /// The name.
    pub(crate) name: String,
    /// The error, in a sentence.
    pub(crate) message: String,
    /// The names that are nearest.
    pub(crate) help: Option<String>,
}

/// A bug of ours.
#[derive(Clone, Debug)]
pub(crate) struct Bug {
    /// The error.
    pub(crate) message: String,
    /// The run that does not stand up to replay, if it is one.
    pub(crate) run: Option<Run>,
}

/// Why there is no answer.
pub(crate) enum CliError {
    /// Something is wrong at a place in a text.
    Input { name: String, text: String, diagnostic: Box<Diagnostic> },
    /// The arguments do not make sense together, or a file cannot be read.
    Usage { message: String, help: Option<String> },
    /// Names of the arguments that nothing has.
    NoSuchName(Vec<Absent>),
    /// A file cannot be read, or is too large to be.
    Unreadable { code: &'static str, message: String },
    /// Several things are wrong in one text.
    Inputs { name: String, text: String, diagnostics: Vec<Diagnostic> },
    /// There is nothing to check.
    Nothing(String),
    /// An answer that does not stand up to our own replay.
    Internal(Bug),
    /// A limit was reached before there was anything to answer.
    Unknown(String),
    /// The work was given up.
    Refused(BudgetError),
    /// The user asked to stop, or the time was over, before there was an answer.
    Stopped(String),
}

impl CliError {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        CliError::Usage { message: message.into(), help: None }
    }

    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        match self {
            CliError::Input { .. }
            | CliError::Inputs { .. }
            | CliError::Usage { .. }
            | CliError::Unreadable { .. }
            | CliError::NoSuchName(_) => USAGE,
            CliError::Nothing(_) => NOTHING,
            CliError::Internal(_) => INTERNAL,
            CliError::Refused(_) | CliError::Unknown(_) | CliError::Stopped(_) => UNKNOWN,
        }
    }

    /// The failure, in a few words.
    pub(crate) fn in_short(&self) -> String {
        let coded =
            |diagnostic: &Diagnostic| format!("{}: {}", diagnostic.code, diagnostic.message);
        match self {
            CliError::Input { diagnostic, .. } => coded(diagnostic),
            CliError::Inputs { diagnostics, .. } => {
                diagnostics.first().map_or(String::new(), coded)
            }
            CliError::Usage { message, .. } | CliError::Nothing(message) => message.clone(),
            CliError::NoSuchName(absent) => {
                absent.first().map_or(String::new(), |absent| absent.message.clone())
            }
            CliError::Unreadable { code, message } => format!("{code}: {message}"),
            CliError::Internal(bug) => format!("internal error: {}", bug.message),
            CliError::Unknown(why) => format!("unknown: {why}"),
            CliError::Refused(refused) => format!("unknown: {refused}"),
            CliError::Stopped(why) => format!("unknown: {why}"),
        }
    }

    /// The errors, as documents for other programs. `file` is the file of the question.
    pub(crate) fn documents(&self, file: &str) -> Vec<Document> {
        let problems = match self {
            CliError::Input { name, text, diagnostic } => vec![Problem::at(diagnostic, name, text)],
            CliError::Inputs { name, text, diagnostics } => {
                diagnostics.iter().map(|it| Problem::at(it, name, text)).collect()
            }
            CliError::Unreadable { code, message } => {
                vec![Problem::new(Some(code), message, Some(file))]
            }
            other => vec![Problem::new(None, &other.in_short(), Some(file))],
        };
        problems.into_iter().map(Document::Problem).collect()
    }

    /// Tells the person what happened and gives the exit code.
    pub(crate) fn report(self, style: Style) -> ExitCode {
        let code = self.code();
        let text = match self {
            CliError::Input { name, text, diagnostic } => render(&diagnostic, &name, &text, style),
            CliError::Usage { message, help } => shown(&with_help(&message, help.as_deref())),
            CliError::NoSuchName(absent) => {
                let said = absent.iter().map(|it| with_help(&it.message, it.help.as_deref()));
                shown(&said.collect::<String>())
            }
            CliError::Unreadable { code, message } => {
                format!("error[{code}]: {}\n", escape::in_line(&message))
            }
            CliError::Inputs { name, text, diagnostics } => {
                let drawn: Vec<String> = diagnostics
                    .iter()
                    .map(|diagnostic| render(diagnostic, &name, &text, style))
                    .collect();
                drawn.join("\n")
            }
            CliError::Nothing(message) => shown(&format!("{message}\n")),
            CliError::Internal(bug) => {
                shown(&format!("internal error: {}\nPlease report this.\n", bug.message))
            }
            CliError::Unknown(why) => shown(&format!("unknown: {why}\n")),
            CliError::Refused(refused) => format!("unknown: {refused}\n"),
            CliError::Stopped(why) => shown(&format!("unknown: {why}\n")),
        };
        // If stderr is gone too, the exit code still tells.
        let _ = std::io::stderr().write_all(text.as_bytes());
        ExitCode::from(code)
    }
}

fn with_help(message: &str, help: Option<&str>) -> String {
    let help = help.map_or(String::new(), |help| format!("  help: {help}\n"));
    format!("error: {message}\n{help}")
}

/// A message that may quote what strangers wrote.
fn shown(message: &str) -> String {
    escape::visible(message).into_owned()
}

impl From<BudgetError> for CliError {
    fn from(refused: BudgetError) -> Self {
        CliError::Refused(refused)
    }
}

impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        CliError::usage(format!("cannot write: {error}"))
    }
}
