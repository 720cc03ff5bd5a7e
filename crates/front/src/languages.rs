//! The table of languages: endings of names, guesses and options, and the loader of each.
//!
//! This is the only place that lists languages. A new one is a module with a [`Loader`], and a row here.

use std::path::Path;

use fairly_omega::formats::Format;

use crate::guess::{Foreign, Guess, foreign_ending, guess};
use crate::loaded::{Loader, Text};
use crate::{aut, case, csp, promela};

/// A language that models are written in.
pub struct Language {
    /// Its name.
    pub title: &'static str,
    /// Its name as an option, with a line about it, where it can be chosen.
    pub option: Option<(&'static str, &'static str)>,
    /// Endings of names, the usual one first.
    pub endings: &'static [&'static str],
    /// The guess that means it.
    guess: Option<Guess>,
    /// Which bytes its texts are made of.
    pub encoding: Encoding,
    /// Whether a text of it is a model by itself; otherwise several make one together.
    pub is_whole: bool,
    /// Whether another tool leaves runs behind that are read and written as trails.
    pub has_trails: bool,
    /// Reads it.
    pub loader: &'static dyn Loader,
}

/// Which bytes a text may be made of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, and nothing else.
    Utf8,
    /// UTF-8, where a byte that does not belong is a character of Latin-1. Models with comments of other times
    /// are read so; what stands outside comments and strings means nothing to their languages.
    Latin1,
}

/// Every language.
pub static LANGUAGES: [Language; 4] = [
    Language {
        title: "CSP#",
        option: Some(("csp", "CSP#, the language of PAT")),
        endings: &["csp"],
        guess: Some(Guess::Csp),
        encoding: Encoding::Utf8,
        is_whole: true,
        has_trails: false,
        loader: &csp::Csp,
    },
    Language {
        title: "Promela",
        option: Some(("promela", "Promela, the language of SPIN")),
        endings: &["pml", "promela", "prom", "pr"],
        guess: Some(Guess::Promela),
        encoding: Encoding::Latin1,
        is_whole: true,
        has_trails: true,
        loader: &promela::Promela,
    },
    Language {
        title: "network",
        option: None,
        endings: &["net"],
        guess: Some(Guess::Network),
        encoding: Encoding::Utf8,
        is_whole: true,
        has_trails: false,
        loader: &case::Networks,
    },
    Language {
        title: "automaton",
        option: None,
        endings: &["aut"],
        guess: None,
        encoding: Encoding::Utf8,
        is_whole: false,
        has_trails: false,
        loader: &aut::Components,
    },
];

impl Language {
    /// The language of a file, by the ending of its name.
    pub fn of(name: &str) -> Option<&'static Language> {
        let ending = Path::new(name).extension()?.to_str()?;
        LANGUAGES.iter().find(|language| language.endings.contains(&ending))
    }

    /// The language that an option names.
    pub fn named(option: &str) -> Option<&'static Language> {
        LANGUAGES.iter().find(|language| language.option.is_some_and(|(name, _)| name == option))
    }

    /// The language whose runs are read and written as trails.
    pub fn with_trails() -> Option<&'static Language> {
        LANGUAGES.iter().find(|language| language.has_trails)
    }
}

/// Why texts have no language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LanguageError {
    /// Another tool's.
    Foreign(Foreign),
    /// It is no text.
    Binary,
    /// Nothing is known of it.
    Unknown,
    /// Several texts, of which one is a model by itself.
    Several,
}

/// The language of texts that make one model, by the endings of their names and by what they are. `chosen` is the
/// language that an option names.
///
/// # Errors
/// When they have none.
pub fn language_of(
    texts: &[Text],
    chosen: Option<&'static Language>,
) -> Result<&'static Language, LanguageError> {
    let components = &LANGUAGES[LANGUAGES.len() - 1];
    let offered = |language: &&Language| language.option.is_some();
    let named = || texts.iter().find_map(|text| Language::of(&text.name).filter(offered));
    match (chosen.or_else(named), texts) {
        (Some(language), [_]) => Ok(language),
        (Some(_), _) => Err(LanguageError::Several),
        (None, [text]) => language_of_one(text),
        (None, _) => Ok(components),
    }
}

fn language_of_one(text: &Text) -> Result<&'static Language, LanguageError> {
    let of_guess = |guess| LANGUAGES.iter().find(|language| language.guess == Some(guess));
    let components = LANGUAGES.iter().find(|language| !language.is_whole);
    // An automaton is known by its first line, whatever the name of its file says.
    if Format::detect(&text.text).is_some() {
        return components.ok_or(LanguageError::Unknown);
    }
    if Language::of(&text.name).is_some() {
        return of_guess(Guess::Network).ok_or(LanguageError::Unknown);
    }
    if let Some(foreign) = foreign_ending(&text.name) {
        return Err(LanguageError::Foreign(foreign));
    }
    match guess(&text.text) {
        Guess::Foreign(foreign) => Err(LanguageError::Foreign(foreign)),
        Guess::Binary => Err(LanguageError::Binary),
        guessed => of_guess(guessed).ok_or(LanguageError::Unknown),
    }
}
