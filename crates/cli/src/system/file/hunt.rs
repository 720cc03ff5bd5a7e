//! `fairly check --lossy`: what is wrong, found without keeping all states.

use fairly_check::claim::ClaimOutcome;
use fairly_check::{Asked, System, SystemIndex, with_system};
use fairly_front::loaded::{self, Claim};
use fairly_search::lossy::Room;

use super::File;
use crate::failure::CliError;
use crate::system::arguments::Check;
use crate::system::guard::guarded;
use crate::system::names::without_errors;
use crate::system::questions::Question;
use crate::system::tally::{About, Answered, Tally};

impl File {
    /// Answers what it can of the questions; the others stay unknown.
    pub(super) fn hunt(
        &mut self,
        request: &Check,
        room: Room,
        questions: Vec<Question>,
        trace_to: Option<&str>,
    ) -> Result<Answered, CliError> {
        if let Some(question) = questions.first()
            && let System::Network(_) = self.system(question.system())?
        {
            return Err(CliError::usage("--lossy is for models in CSP# and Promela"));
        }
        let model = &request.model;
        let (files, text) = (self.files(), self.text().map(str::to_owned));
        let several = questions.len() > 1;
        let mut tally =
            Tally::new(model, &files, text.as_deref(), trace_to, several).assuming(request);
        let mut systems: Vec<(SystemIndex, About)> = Vec::new();
        let mut questions = questions;
        for at in 0..questions.len() {
            let question = &questions[at];
            let (about, system) = (question.about(), question.system());
            model.begin(&about.title);
            let mark = tally.mark();
            let bounds = model.options_for(&question.names())?.bounds;
            let done = guarded(&about.title, || {
                let answer = self.systems.hunt(&question.bound.asked, system, room, bounds);
                let answer = answer.map_err(|why| self.unanswered(why))?;
                tally.answer(self.systems.recorded(system, answer, &about.title), &about);
                Ok(())
            })?;
            if let Err(bug) = done {
                tally.rewind(mark);
                self.systems.restart();
                questions = self.questions(model)?;
                with_system!(self.system(system)?, system => tally.broken(system, &bug, &about));
            }
            if systems.iter().all(|(known, _)| *known != system) {
                systems.push((system, about));
            }
        }
        for (system, about) in systems {
            // Unless something else was chosen, the model asks for errors itself.
            let asks_for_errors = |question: &loaded::Question| {
                question.system == system
                    && matches!(question.asked, Ok(loaded::Asked::Claim(Claim::NoErrors)))
            };
            if self.systems.loaded().questions.iter().any(asks_for_errors) {
                continue;
            }
            let bounds = model.options()?.bounds;
            let answer = self.systems.hunt(&Asked::Claim(Claim::NoErrors), system, room, bounds);
            let answer = answer.map_err(|why| self.unanswered(why))?;
            if let ClaimOutcome::Violated(_) = answer.outcome {
                let title = without_errors(&about.title);
                let answered = self.systems.recorded(system, answer, &title);
                tally.answer(answered, &About { title, place: None, ..about });
            }
        }
        model.quiet();
        Ok(tally.finish())
    }
}
