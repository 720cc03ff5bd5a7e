//! Which models the arguments name: one that several files make, several files, whole directories.

use std::path::Path;

use crate::failure::CliError;
use fairly_front::languages::Language;

/// The files of a model: one, or the components that make it together.
pub(super) type Files = Vec<String>;

/// The models that files and directories are, in the order they are named; those of a directory in the
/// order of their names, with those of its directories.
pub(super) fn models(named: &[String]) -> Result<Vec<Files>, CliError> {
    if !names_directory(named) && (named.len() == 1 || !named.iter().any(|name| is_model(name))) {
        return Ok(vec![named.to_vec()]);
    }
    let mut models = Vec::new();
    for name in named {
        if Path::new(name).is_dir() {
            let before = models.len();
            in_directory(Path::new(name), &mut models)?;
            if models.len() == before {
                return Err(CliError::Nothing(format!(
                    "nothing to check: {name} has no model in it (.csp, .pml, .net); components \
                     (.aut, HOA) are given by name"
                )));
            }
        } else if is_model(name) {
            models.push(vec![name.clone()]);
        } else {
            return Err(CliError::Usage {
                message: format!("{name} is a component, and the other files are models"),
                help: Some(
                    "components make one system together; check models in another command"
                        .to_owned(),
                ),
            });
        }
    }
    Ok(models)
}

/// Whether a directory is named, and so possibly many models.
pub(super) fn names_directory(named: &[String]) -> bool {
    named.iter().any(|name| Path::new(name).is_dir())
}

/// Whether a model is one that another tool, SPIN, can read.
pub(super) fn is_of_spin(files: &Files) -> bool {
    files.iter().filter_map(|name| Language::of(name)).any(|language| language.has_trails)
}

/// Whether a file is a model by itself, by its name.
fn is_model(name: &str) -> bool {
    Language::of(name).is_some_and(|language| language.is_whole)
}

fn in_directory(folder: &Path, models: &mut Vec<Files>) -> Result<(), CliError> {
    let unreadable = |error| CliError::usage(format!("cannot read {}: {error}", folder.display()));
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        // A link to a directory may lead back to where we come from.
        let is_folder = entry.file_type().map_err(unreadable)?.is_dir();
        paths.push((entry.path(), is_folder));
    }
    paths.sort();
    for (path, is_folder) in paths {
        if is_hidden(&path) {
            continue;
        }
        let name = path.to_string_lossy().into_owned();
        if is_folder {
            in_directory(&path, models)?;
        } else if is_model(&name) && path.is_file() {
            models.push(vec![name]);
        }
    }
    Ok(())
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}
