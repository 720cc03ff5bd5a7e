//! Models as the program that serves them gives them.

use fairly_fairness::Notion;
use fairly_front::loaded::Loaded;
use fairly_report::document::Problem;

/// A text of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The file's name.
    pub name: String,
    /// Its contents.
    pub text: String,
    /// Whether it may be saved.
    pub is_editable: bool,
}

/// A model that can be read again and again. Its files are read and written by the program that serves it, never by
/// the explorer.
pub trait Model: Send + Sync {
    /// The names of its files, as they stand on a command line; none if it has no files.
    fn files(&self) -> Vec<String>;

    /// What it is called where it has no files.
    fn name(&self) -> String {
        "model".to_owned()
    }

    /// The fairness that is assumed unless another one is chosen; models that are annotated say it themselves.
    fn fairness(&self) -> Notion {
        Notion::None
    }

    /// Options of the command line without which the files are another model.
    fn options(&self) -> Vec<String> {
        Vec::new()
    }

    /// The text that a person edits, if there is one.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn text(&self) -> Result<Option<Text>, Vec<Problem>>;

    /// Reads the model: the files as they are, or with this text instead of the one that a person edits; with formulas
    /// that are asked although they are not in the file.
    ///
    /// # Errors
    /// Errors in it.
    fn load(&self, text: Option<&str>, formulas: &[String]) -> Result<Loaded, Vec<Problem>>;

    /// Writes the text that a person edited.
    ///
    /// # Errors
    /// Why it cannot be written.
    fn save(&self, _text: &str) -> Result<(), String> {
        Err("this model has no file".to_owned())
    }

    /// How a program says that this is assumed, for a model that is a part of one and that no command line can name.
    fn assumptions(&self, _notion: Notion, _constraints: &[String]) -> String {
        String::new()
    }

    /// A saved run that is shown at first, as a document.
    fn trace(&self) -> Option<serde_json::Value> {
        None
    }
}
