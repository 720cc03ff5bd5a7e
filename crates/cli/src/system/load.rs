//! From files and flags to a model.

use fairly_check::{Assumption, Execution, WhyUnknown};
use fairly_front::case;
use fairly_front::guess::{Foreign, Guess, guess};
use fairly_front::languages::{Encoding, LANGUAGES, Language, LanguageError, language_of};
use fairly_front::loaded::{LoadError, Loaded, Settings, Text, TextError};
use fairly_search::Bounds;
use fairly_source::Span;
use fairly_system::TransitionSystem;

use super::arguments::Model;
use super::file::File;
use super::includes::Folders;
use crate::failure::CliError;
use crate::input;
use crate::output;

/// Reads files that make one model.
pub(super) fn read(files: &[String], model: &Model) -> Result<File, CliError> {
    read_as(files, model, model.execution())
}

/// Reads files that make one model, whose steps are made in a given way.
pub(super) fn read_as(
    files: &[String],
    model: &Model,
    execution: Execution,
) -> Result<File, CliError> {
    if files.is_empty() {
        return Err(CliError::usage("there is no model: name a file"));
    }
    model.reading(files)?;
    let texts = input::read_all(files, |path| encoding(path, model.lang), model.patience())?;
    let language = language(&texts, model.lang)?;
    let loaded = load(&texts, language, model, true).map_err(|failure| {
        // Errors of a text of another language are of no interest.
        let text = &texts[0];
        match (&failure, language.option.map(|_| guess(&text.text))) {
            (CliError::Inputs { .. }, Some(Guess::Foreign(foreign))) => other(&text.name, foreign),
            (CliError::Inputs { .. }, Some(Guess::Binary)) => no_text(&text.name),
            _ => failure,
        }
    })?;
    if let Some(remark) = execution.shortfall().filter(|_| language.option.is_some()) {
        output::remark(&format!("fairly: {remark}"));
    }
    Ok(File::new(texts, language, loaded, execution))
}

/// Which bytes a file is made of; `chosen` is the language that an option names.
pub(super) fn encoding(path: &str, chosen: Option<&'static Language>) -> Encoding {
    chosen.or_else(|| Language::of(path)).map_or(Encoding::Utf8, |language| language.encoding)
}

/// The language of texts that make one model; `chosen` is the one that an option names.
pub(super) fn language(
    texts: &[Text],
    chosen: Option<&'static Language>,
) -> Result<&'static Language, CliError> {
    language_of(texts, chosen).map_err(|why| no_language(why, &texts[0]))
}

/// Reads the texts of a language; `assertions` says whether assertions inside the model are checked.
pub(super) fn load(
    texts: &[Text],
    language: &Language,
    model: &Model,
    assertions: bool,
) -> Result<Loaded, CliError> {
    let mut includes = Folders::of(&texts[0].name, &model.include_dirs, model.patience());
    let settings = Settings {
        formulas: &model.formulas,
        defines: &model.defines,
        undefines: &model.undefines,
        includes: &mut includes,
        processes: model.max_processes,
        assertions,
        interleaved: &model.interleave,
        alphabets: &model.alphabet,
    };
    let loaded = language.loader.load(texts, settings);
    includes.stopped()?;
    loaded.map_err(|why| match why {
        LoadError::Wrong(wrong) => wrong.into(),
        LoadError::Refused(why) => CliError::usage(why),
    })
}

impl From<TextError> for CliError {
    fn from(wrong: TextError) -> Self {
        let TextError { text: Text { name, text }, diagnostics } = wrong;
        CliError::Inputs { name, text, diagnostics }
    }
}

/// Why texts have no language; the first of them is named.
fn no_language(why: LanguageError, Text { name, .. }: &Text) -> CliError {
    let offered = LANGUAGES.iter().filter(|language| language.option.is_some());
    let titles: Vec<&str> = offered.map(|language| language.title).collect();
    match why {
        LanguageError::Foreign(foreign) => other(name, foreign),
        LanguageError::Binary => no_text(name),
        LanguageError::Several => {
            CliError::usage(format!("a {} file is checked alone", titles.join(" or ")))
        }
        LanguageError::Unknown => CliError::Unreadable {
            code: "E0006",
            message: format!(
                "{name} is no model: it is neither {}, a network nor an automaton; if it is, \
                 say so with --lang or by the ending of its name",
                titles.join(", ")
            ),
        },
    }
}

/// A text in the language of another tool.
fn other(name: &str, foreign: Foreign) -> CliError {
    let Foreign { name: language, help } = foreign;
    CliError::Unreadable { code: "E0005", message: format!("{name} is {language}: {help}") }
}

fn no_text(name: &str) -> CliError {
    CliError::Unreadable { code: "E0006", message: format!("{name} is no model: it is no text") }
}

/// Adds the constraints of the command line. Those about single actions may need the system to be explored,
/// within these bounds.
pub(super) fn add_within<S: TransitionSystem>(
    assumption: &mut Assumption,
    texts: &[String],
    system: &mut S,
    bounds: Bounds,
) -> Result<(), CliError> {
    for text in texts {
        let wrong = |diagnostic| CliError::Input {
            name: "<constraint>".to_owned(),
            text: text.clone(),
            diagnostic: Box::new(diagnostic),
        };
        let constraint = case::parse_constraint(text).map_err(wrong)?;
        let added = assumption.add_within(&constraint, system, bounds).map_err(|cut| {
            let why = WhyUnknown::cut(cut, system);
            CliError::Unknown(format!("looking for the actions that {text} may mean: {why}"))
        })?;
        added.map_err(|unusable| wrong(unusable.diagnostic(Span::new(0, text.len()))))?;
    }
    Ok(())
}
