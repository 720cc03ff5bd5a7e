//! One question at a time: a bug of ours that shows in one answer takes no other answer with it.
//!
//! The guard leaves a bundle: a file with the command, the model and the failure, for the search for the bug.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use fairly_check::ModelSystem;
use fairly_report::json;
use fairly_system::{Run, Trace, TransitionSystem};
use serde_json::{Value, json};

use super::runs;
use crate::failure::{Bug, CliError};

/// Does the work on a question; a bug is no failure of the command.
///
/// # Errors
/// Why the command cannot go on.
pub(super) fn guarded<T>(
    title: &str,
    work: impl FnOnce() -> Result<T, CliError>,
) -> Result<Result<T, Bug>, CliError> {
    let done = catch_unwind(AssertUnwindSafe(|| {
        inject(title);
        work()
    }));
    match done {
        Ok(Ok(answer)) => Ok(Ok(answer)),
        Ok(Err(CliError::Internal(bug))) => Ok(Err(bug)),
        Ok(Err(failure)) => Err(failure),
        Err(panic) => {
            let said = panic.downcast_ref::<&str>().map(|said| (*said).to_owned());
            let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
            let message = said.unwrap_or_else(|| "a panic that says nothing".to_owned());
            Ok(Err(Bug { message, run: None }))
        }
    }
}

/// Fails on purpose, so that tests can see what becomes of the other answers. Not in releases.
fn inject(title: &str) {
    if cfg!(debug_assertions) && std::env::var("FAIRLY_INJECT_PANIC").is_ok_and(|it| it == title) {
        panic!("injected");
    }
}

/// Writes a bundle and gives its name, if it could be written.
pub(super) fn bundle<S: TransitionSystem>(
    files: &[String],
    question: &str,
    bug: &Bug,
    system: Option<&mut S>,
) -> Option<String> {
    // A run that is none may not even be shown.
    let run = system
        .zip(bug.run.as_ref())
        .and_then(|(system, run)| catch_unwind(AssertUnwindSafe(|| recorded(system, run))).ok());
    let raw = bug.run.as_ref().map(|run| format!("{run:?}"));
    let models: Vec<Value> = files
        .iter()
        .map(|name| json!({ "name": name, "text": std::fs::read_to_string(name).ok() }))
        .collect();
    let arguments: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let document = json!({
        "schema": "fairly.bug/1",
        "version": env!("CARGO_PKG_VERSION"),
        "arguments": arguments,
        "question": question,
        "message": bug.message,
        "run": run,
        "steps": raw,
        "models": models,
    });
    runs::keep_bundle(files.first().map_or("", String::as_str), question, &document).ok()
}

/// A run as a document.
fn recorded<S: TransitionSystem>(system: &mut S, run: &Run) -> Value {
    json::value(&json::run(&Trace::of(system, run)))
}

/// Says what went wrong with a question, and leaves a bundle behind.
pub(super) fn report<S: TransitionSystem>(
    files: &[String],
    question: &str,
    bug: &Bug,
    system: Option<&mut S>,
) {
    let bundle = bundle(files, question, bug, system);
    eprintln!("{question}: internal error: {}", bug.message);
    eprintln!("Please report it{}.", bundle.map_or(String::new(), |it| format!(" with {it}")));
}

/// Leaves a bundle behind for a command that failed as a whole.
pub(crate) fn whole_command(bug: &Bug) {
    let arguments = std::env::args_os().skip(1);
    let files = arguments.map(|word| word.to_string_lossy().into_owned());
    let files: Vec<String> = files.filter(|word| Path::new(word).is_file()).collect();
    if let Some(bundle) = bundle::<ModelSystem>(&files, "command", bug, None) {
        eprintln!("Please report it with {bundle}.");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bug_is_told_from_a_failure_of_the_command() {
        let quiet = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let panics = guarded("a", || -> Result<(), CliError> { panic!("it {}", "broke") });
        let plain = guarded("a", || -> Result<(), CliError> { panic!("plain") });
        std::panic::set_hook(quiet);
        let message = |done: Result<Result<(), Bug>, CliError>| match done {
            Ok(Err(bug)) => bug.message,
            _ => String::new(),
        };
        assert_eq!(message(panics), "it broke");
        assert_eq!(message(plain), "plain");
        let internal = CliError::Internal(Bug { message: "replay".to_owned(), run: None });
        assert_eq!(message(guarded("a", || Err(internal))), "replay");
        assert!(guarded("a", || Err::<(), _>(CliError::usage("no"))).is_err());
        assert!(matches!(guarded("a", || Ok(3)), Ok(Ok(3))));
    }
}
