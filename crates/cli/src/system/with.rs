//! Work on the system of a model.

use fairly_check::{SystemIndex, with_system};
use fairly_report::Source;
use fairly_system::TransitionSystem;

use super::arguments::Model;
use super::load;
use super::questions::Question;
use crate::failure::CliError;

/// Something to do with a system.
pub(super) trait Work {
    /// Result of the work.
    type Output;

    /// Does it; the source is the text of the model, if it has one.
    fn run<S: TransitionSystem>(
        self,
        system: &mut S,
        source: Option<Source<'_>>,
    ) -> Result<Self::Output, CliError>;
}

/// Reads a model and works on its system: of a file that asks about several processes, on the one of
/// the first question, or of the one that `-p` chooses.
pub(super) fn on_system<W: Work>(model: &Model, work: W) -> Result<W::Output, CliError> {
    let mut file = load::read(&model.files, model)?;
    // Names that are given must be there, though one system is all there is.
    let questions = file.questions(model)?;
    let which = questions.first().map_or(SystemIndex::ONLY, Question::system);
    let other = questions.iter().find(|question| question.system() != which);
    if let Some(other) = other.filter(|_| !model.properties.is_empty()) {
        let first = questions.first().map_or("", |first| first.title.as_str());
        return Err(CliError::Usage {
            message: format!("`{first}` and `{}` are about different processes", other.title),
            help: Some("choose the assertions of one process with -p".to_owned()),
        });
    }
    let text = file.text().map(str::to_owned);
    let source = text.as_deref().map(|text| Source { name: &model.files[0], text });
    let system = file.system(which)?;
    with_system!(system, system => work.run(system, source))
}
