//! The texts of files that a model includes.
//!
//! A front end takes text and reads no files. Where a text names another one, the front end asks an
//! [`Includes`], which the outermost crate implements: it decides what may be read. [`NoFiles`] gives nothing.

/// A text that another one includes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Included {
    /// Name to show for it, and to ask for what it includes itself.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Why a file is not included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IncludeError {
    /// There is no such file. The folders that were searched.
    Missing(Vec<String>),
    /// The file is outside the folders that may be read.
    Outside,
    /// It cannot be read, in a sentence without a full stop.
    Unreadable(String),
    /// Nothing is read at all: the text came without its folder.
    NoFiles,
}

/// Gives the texts that a model includes.
pub trait Includes {
    /// The file that is written as `path` in the file with the name `from`.
    ///
    /// # Errors
    /// Why it is not included.
    fn include(&mut self, path: &str, from: &str) -> Result<Included, IncludeError>;
}

/// Includes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Includes for NoFiles {
    fn include(&mut self, _: &str, _: &str) -> Result<Included, IncludeError> {
        Err(IncludeError::NoFiles)
    }
}
