//! `fairly check --lossy`: what is wrong, found without keeping all states.

use fairly_check::claim::ClaimOutcome;
use fairly_check::{SystemIndex, hunt};
use fairly_search::lossy::Room;

use super::{File, Read};
use crate::failure::Failure;
use crate::system::arguments::Check;
use crate::system::guard::guarded;
use crate::system::names::without_errors;
use crate::system::questions::{Asked, Question};
use crate::system::tally::{About, Answered, Tally};

impl File {
    /// Answers what it can of the questions; the others stay unknown.
    pub(super) fn hunt(
        &mut self,
        request: &Check,
        room: Room,
        questions: Vec<Question>,
        trace_to: Option<&str>,
    ) -> Result<Answered, Failure> {
        let model = &request.model;
        let (file, text) = ([self.input.name.clone()], self.input.text.clone());
        let several = questions.len() > 1;
        let mut tally = Tally::new(model, &file, Some(&text), trace_to, several).assuming(request);
        let mut processes: Vec<(SystemIndex, About)> = Vec::new();
        let mut questions = questions;
        for at in 0..questions.len() {
            let Question { system, asked, .. } = &questions[at];
            let (about, system) = (questions[at].about(), *system);
            model.begin(&about.title);
            let mark = tally.mark();
            let bounds = model.options_for(&questions[at].names())?.bounds;
            let done = guarded(&about.title, || {
                let interpreter = self.interpreter(system);
                let verdict = match asked {
                    Asked::Claim(claim) => claim.hunt(interpreter, room, bounds)?,
                    Asked::Formula(..) => hunt::not_lossy(),
                };
                tally.claim(interpreter, &verdict, &about);
                Ok(())
            })?;
            if let Err(bug) = done {
                tally.rewind(mark);
                self.read_again(model)?;
                questions = self.questions(model)?;
                tally.broken(self.interpreter(system), &bug, &about);
            }
            if processes.iter().all(|(known, _)| *known != system) {
                processes.push((system, about));
            }
        }
        // A Promela file asks for assertions itself, unless something else was chosen.
        if let Read::Csp(_) = self.read {
            for (system, about) in processes {
                let interpreter = self.interpreter(system);
                let verdict = hunt::faultless(interpreter, room, model.options()?.bounds)?;
                if let ClaimOutcome::Violated(_) = verdict.outcome {
                    let title = without_errors(&about.title);
                    tally.claim(interpreter, &verdict, &About { title, place: None, ..about });
                }
            }
        }
        model.quiet();
        Ok(tally.finish())
    }
}
