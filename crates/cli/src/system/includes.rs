//! The files that a model may include: those in its own folder, and in the folders that `-I` names.

use std::path::{Path, PathBuf};

use fairly_front::include::{IncludeError, Included, Includes};
use fairly_front::languages::Encoding;

use crate::failure::CliError;
use crate::input::{self, Input, Patience};

/// The folders whose files may be included.
pub(super) struct Folders<'a> {
    /// The folder of the model and those of the arguments, as they are without links.
    allowed: Vec<PathBuf>,
    /// The folders of the arguments, as they are written.
    named: &'a [String],
    patience: Patience,
    /// Why reading was given up.
    stopped: Option<CliError>,
}

impl<'a> Folders<'a> {
    /// The folders for a model with this name.
    pub(super) fn of(model: &str, named: &'a [String], patience: Patience) -> Folders<'a> {
        let own = folder(model).canonicalize();
        let named_too = named.iter().map(|path| Path::new(path).canonicalize());
        let allowed = [own].into_iter().chain(named_too).filter_map(Result::ok).collect();
        Folders { allowed, named, patience, stopped: None }
    }

    /// Fails if the time was over before a file was read.
    pub(super) fn stopped(self) -> Result<(), CliError> {
        self.stopped.map_or(Ok(()), Err)
    }
}

/// The folder that a file is in; standard input is in the current one.
fn folder(file: &str) -> PathBuf {
    let parent = Path::new(file).parent().unwrap_or(Path::new(""));
    if parent.as_os_str().is_empty() { PathBuf::from(".") } else { parent.to_owned() }
}

impl Includes for Folders<'_> {
    fn include(&mut self, path: &str, from: &str) -> Result<Included, IncludeError> {
        let beside = Path::new(from).parent().unwrap_or(Path::new("")).to_owned();
        let folders = [beside].into_iter().chain(self.named.iter().map(PathBuf::from));
        let mut searched = Vec::new();
        for folder in folders {
            let candidate = folder.join(path);
            // The target of a link counts, and is read.
            let Ok(real) = candidate.canonicalize() else {
                let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
                searched.push(shown.to_string_lossy().into_owned());
                continue;
            };
            if !self.allowed.iter().any(|allowed| real.starts_with(allowed)) {
                return Err(IncludeError::Outside);
            }
            if real.is_dir() {
                return Err(IncludeError::Unreadable("it is a folder".to_owned()));
            }
            let name = candidate.to_string_lossy().into_owned();
            return match input::read_as(name, Some(&real), Encoding::Latin1, self.patience) {
                Ok(Input { name, text }) => Ok(Included { name, text }),
                Err(failure) => {
                    let why = failure.in_short();
                    if let CliError::Stopped(_) = failure {
                        self.stopped = Some(failure);
                    }
                    Err(IncludeError::Unreadable(why))
                }
            };
        }
        Err(IncludeError::Missing(searched))
    }
}
