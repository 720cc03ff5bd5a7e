//! `fairly.toml`: what a project always asks, so that `fairly check` alone is its test.
//!
//! Settings are written as arguments in front of those that were given, and the environment between the
//! two, so that the later ones count: the file, then `FAIRLY_…`, then flags. Nothing else in the program
//! knows of them.

use std::path::{Path, PathBuf};

use fairly_front::languages::Encoding;
use fairly_source::escape::in_line;
use fairly_source::{Diagnostic, Span};
use toml::{Table, Value};

use crate::failure::CliError;
use crate::input::{self, Input, Patience};

/// The settings that are names of options with one value.
const OPTIONS: [&str; 11] = [
    "fairness",
    "level",
    "annotations",
    "reading",
    "engine",
    "max-states",
    "timeout",
    "max-memory",
    "max-processes",
    "format",
    "workers",
];

/// The options that every command on models has.
const COMMON: [&str; 7] =
    ["engine", "max-states", "timeout", "max-memory", "max-processes", "format", "workers"];

/// The options of a command that settings may give.
fn options_of(command: &str) -> &'static [&'static str] {
    match command {
        "check" => &OPTIONS,
        "ladder" | "least" | "compare" => &COMMON,
        _ => &[],
    }
}

/// Whether settings mean anything to a command.
pub(crate) fn concerns(command: &str) -> bool {
    !options_of(command).is_empty()
}

/// The settings of a project.
#[derive(Debug, Default)]
pub(crate) struct Config {
    /// Where the file is.
    folder: PathBuf,
    defaults: Table,
    models: Vec<(String, Table)>,
}

impl Config {
    /// Reads the nearest `fairly.toml`, from a folder upwards, but not beyond the repository.
    pub(crate) fn find(from: &Path) -> Result<Option<Config>, CliError> {
        for folder in from.ancestors() {
            let path = folder.join("fairly.toml");
            if path.is_file() {
                let (name, patience) = (path.to_string_lossy().into_owned(), Patience::default());
                let text = input::read_as(name, Some(&path), Encoding::Utf8, patience)?;
                return Config::parse(text, folder).map(Some);
            }
            if folder.join(".git").exists() {
                break;
            }
        }
        Ok(None)
    }

    /// Reads the text of a `fairly.toml` that is in a folder.
    pub(crate) fn parse(input: Input, folder: &Path) -> Result<Config, CliError> {
        let Input { name, text } = input;
        let table = match text.parse::<Table>() {
            Ok(table) => table,
            Err(error) => {
                let span = error.span().map_or(Span::at(0), |it| Span::new(it.start, it.end));
                let wrong = Diagnostic::error("E0004", error.message(), span);
                return Err(CliError::Input { name, text, diagnostic: Box::new(wrong) });
            }
        };
        let wrong = |why: String| CliError::usage(in_line(&format!("{name}: {why}")));
        Config::read(table, folder).map_err(wrong)
    }

    fn read(mut table: Table, folder: &Path) -> Result<Config, String> {
        let defaults = match table.remove("check") {
            None => Table::new(),
            Some(Value::Table(defaults)) => defaults,
            Some(_) => return Err("`check` is no table".to_owned()),
        };
        let mut models = Vec::new();
        let listed = match table.remove("model") {
            None => Vec::new(),
            Some(Value::Array(models)) => models,
            Some(_) => return Err("write models as [[model]]".to_owned()),
        };
        for model in listed {
            let Value::Table(mut model) = model else {
                return Err("write models as [[model]]".to_owned());
            };
            let Some(Value::String(file)) = model.remove("file") else {
                return Err("a [[model]] has no `file`".to_owned());
            };
            models.push((file, model));
        }
        if let Some(unknown) = table.keys().next() {
            return Err(format!("`{unknown}` is neither [check] nor [[model]]"));
        }
        let config = Config { folder: folder.to_owned(), defaults, models };
        // An error is reported at once, not when a file is checked.
        words(folder, &config.defaults, "check")?;
        for (_, model) in &config.models {
            words(folder, model, "check")?;
        }
        Ok(config)
    }

    /// The models that are listed, as they are named from a folder.
    pub(crate) fn files(&self, from: &Path) -> Vec<String> {
        let path = |file: &String| {
            let whole = self.folder.join(file);
            let near = whole.strip_prefix(from).map(Path::to_owned).unwrap_or(whole);
            near.to_string_lossy().into_owned()
        };
        self.models.iter().map(|(file, _)| path(file)).collect()
    }

    /// The settings for a command, as arguments; with those for a file, if one is given.
    pub(crate) fn arguments(&self, command: &str, file: Option<&str>) -> Vec<String> {
        let mut all = words(&self.folder, &self.defaults, command).unwrap_or_default();
        let same = |listed: &str| {
            let whole = |path: PathBuf| path.canonicalize().unwrap_or(path);
            file.is_some_and(|file| whole(self.folder.join(listed)) == whole(PathBuf::from(file)))
        };
        for (_, model) in self.models.iter().filter(|(listed, _)| same(listed)) {
            all.extend(words(&self.folder, model, command).unwrap_or_default());
        }
        all
    }
}

/// Settings as arguments of a command; those that it does not have are left out.
fn words(folder: &Path, table: &Table, command: &str) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    let known = options_of(command);
    for (name, value) in table {
        let wrong = |what: &str| format!("`{name}` is no {what}");
        let texts = |value: &Value| match value {
            Value::String(text) => Ok(vec![text.clone()]),
            Value::Array(texts) => {
                let texts = texts.iter().map(|text| text.as_str().map(str::to_owned));
                texts.collect::<Option<Vec<String>>>().ok_or_else(|| wrong("list of texts"))
            }
            _ => Err(wrong("text or list of texts")),
        };
        match name.as_str() {
            "property" | "define" | "undefine" | "formula" | "constraint" => {
                all.extend(texts(value)?.into_iter().map(|it| format!("--{name}={it}")));
            }
            "include-dir" => {
                // Folders are named from where the settings are, as files are.
                let folders = texts(value)?.into_iter().map(|it| folder.join(it));
                all.extend(folders.map(|it| format!("--include-dir={}", it.display())));
            }
            "expect" if command != "check" => {}
            "expect" => match value {
                Value::String(outcome) => all.push(format!("--expect={outcome}")),
                Value::Table(outcomes) => {
                    for (property, outcome) in outcomes {
                        let outcome = outcome.as_str().ok_or_else(|| wrong("table of texts"))?;
                        all.push(format!("--expect={property}={outcome}"));
                    }
                }
                _ => return Err(wrong("text or table")),
            },
            // Times of single properties; those of all come first.
            "timeout" if value.is_table() => {
                for (property, time) in value.as_table().into_iter().flatten() {
                    let time = written(time).ok_or_else(|| wrong("table of times"))?;
                    if known.contains(&"timeout") {
                        match property.as_str() {
                            "*" => all.insert(0, format!("--timeout={time}")),
                            property => all.push(format!("--timeout={property}={time}")),
                        }
                    }
                }
            }
            option if OPTIONS.contains(&option) => {
                let text = written(value).ok_or_else(|| wrong("text or number"))?;
                if known.contains(&option) {
                    all.push(format!("--{option}={text}"));
                }
            }
            _ => return Err(format!("there is no setting `{name}`")),
        }
    }
    Ok(all)
}

/// A text or a number as an argument.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Settings of the environment, as arguments of a command: `FAIRLY_TIMEOUT=60`.
pub(crate) fn of_environment(command: &str) -> Vec<String> {
    let set = |option: &&str| {
        let name = format!("FAIRLY_{}", option.to_uppercase().replace('-', "_"));
        let value = std::env::var(name).ok().filter(|value| !value.is_empty())?;
        Some(format!("--{option}={value}"))
    };
    options_of(command).iter().filter_map(set).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config, String> {
        Config::read(text.parse().expect("TOML"), Path::new("/project"))
    }

    #[test]
    fn settings_are_arguments_and_a_models_own_come_last() {
        let config = read(
            "[check]\nfairness = \"weak\"\ntimeout = 60\n[[model]]\nfile = \"a.pml\"\nfairness = \
             \"strong\"\nexpect = { served = \"violated\" }\n",
        )
        .expect("it is right");
        assert_eq!(config.arguments("check", None), ["--fairness=weak", "--timeout=60"]);
        assert_eq!(
            config.arguments("check", Some("/project/a.pml")),
            ["--fairness=weak", "--timeout=60", "--expect=served=violated", "--fairness=strong"]
        );
        assert_eq!(config.arguments("least", Some("/project/a.pml")), ["--timeout=60"]);
        assert_eq!(config.files(Path::new("/project")), ["a.pml"]);
    }

    #[test]
    fn properties_may_have_times_of_their_own() {
        let config =
            read("[check]\ntimeout = { served = \"10s\", \"*\" = 60 }\n").expect("it is right");
        assert_eq!(config.arguments("check", None), ["--timeout=60", "--timeout=served=10s"]);
        assert!(read("[check]\ntimeout = { served = [] }").is_err());
    }

    #[test]
    fn what_is_wrong_is_said() {
        let why = |text: &str| read(text).expect_err("it is wrong");
        assert!(why("[check]\nfairnes = \"weak\"").contains("no setting `fairnes`"));
        assert!(why("[model]\nfile = \"a\"").contains("[[model]]"));
        assert!(why("[[model]]\nfairness = \"weak\"").contains("no `file`"));
        assert!(why("[chekc]").contains("neither"));
    }
}
