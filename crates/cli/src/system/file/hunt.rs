//! `fairly check --lossy`: what is wrong, found without keeping all states.

use fairly_check::claim::{ClaimOutcome, ClaimVerdict};
use fairly_check::csp::Unanswered;
use fairly_check::hunt;
use fairly_search::Bounds;
use fairly_search::lossy::Room;

use super::{File, Read, errors_of, subject_of};
use crate::failure::Failure;
use crate::system::arguments::Check;
use crate::system::questions::{Asked, Question, Which};
use crate::system::tally::{About, Answered, Choice, Tally};

impl File {
    /// Answers what it can of the questions; the others stay unknown.
    pub(super) fn hunt(
        &mut self,
        request: &Check,
        room: Room,
        bounds: Bounds,
        questions: Vec<Question>,
        trace_to: Option<&str>,
    ) -> Result<Answered, Failure> {
        let model = &request.model;
        let file = std::slice::from_ref(&self.input.name);
        let several = questions.len() > 1;
        let mut tally = Tally::new(model, file, Some(&self.input.text), trace_to, several);
        let mut processes: Vec<(Which, String, Choice)> = Vec::new();
        for Question { title, system, asked, place, choice, .. } in questions {
            model.begin(&title);
            let verdict = self.hunt_for(&asked, system, room, bounds)?;
            let choice = Choice::Property(choice.unwrap_or_else(|| title.clone()));
            let about = About { title: title.clone(), place, choice: choice.clone() };
            tally.claim(self.interpreter(system), &verdict, &about)?;
            let process = subject_of(&title).to_owned();
            if processes.iter().all(|(known, ..)| *known != system) {
                processes.push((system, process, choice));
            }
        }
        // A Promela file asks for assertions itself, unless something else was chosen.
        if let Read::Csp(_) = self.read {
            for (system, process, choice) in processes {
                let interpreter = self.interpreter(system);
                let verdict = hunt::faultless(interpreter, room, bounds)?;
                if let ClaimOutcome::Violated(_) = verdict.outcome {
                    let title = errors_of(&process);
                    tally.claim(interpreter, &verdict, &About { title, place: None, choice })?;
                }
            }
        }
        model.quiet();
        Ok(tally.finish())
    }

    fn hunt_for(
        &mut self,
        asked: &Asked,
        system: Which,
        room: Room,
        bounds: Bounds,
    ) -> Result<ClaimVerdict, Failure> {
        let answer = match (&mut self.read, asked, system) {
            (Read::Csp(file), Asked::Claim(claim), Some(system)) => {
                file.hunt(system, claim, room, bounds)
            }
            (Read::Promela(file), Asked::Reachable(question), _) => {
                file.hunt(question, room, bounds).map_err(Unanswered::from)
            }
            _ => return Ok(hunt::not_lossy()),
        };
        answer.map_err(|why| self.unanswered(why))
    }
}
