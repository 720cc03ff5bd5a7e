//! `fairly check --lossy`: what is wrong, found without keeping all states.

use fairly_check::claim::{ClaimOutcome, ClaimVerdict};
use fairly_check::csp::Unanswered;
use fairly_check::hunt;
use fairly_search::Bounds;
use fairly_search::lossy::Room;

use super::{File, Read};
use crate::failure::Failure;
use crate::system::arguments::Format;
use crate::system::questions::{Asked, Question, Which};
use crate::system::tally::{Answered, Tally};

impl File {
    /// Answers what it can of the questions; the others stay unknown.
    pub(super) fn hunt(
        &mut self,
        format: Format,
        room: Room,
        bounds: Bounds,
        questions: Vec<Question>,
    ) -> Result<Answered, Failure> {
        let mut tally = Tally::new(format);
        let mut processes: Vec<(Which, String)> = Vec::new();
        for Question { title, system, asked, .. } in questions {
            let verdict = self.hunt_for(&asked, system, room, bounds)?;
            tally.claim(self.interpreter(system), &title, &verdict);
            let process = title.split_whitespace().next().unwrap_or_default().to_owned();
            if processes.iter().all(|(known, _)| *known != system) {
                processes.push((system, process));
            }
        }
        // A Promela file asks for assertions itself, unless something else was chosen.
        if let Read::Csp(_) = self.read {
            for (system, process) in processes {
                let interpreter = self.interpreter(system);
                let verdict = hunt::faultless(interpreter, room, bounds)?;
                if let ClaimOutcome::Violated(_) = verdict.outcome {
                    tally.claim(interpreter, &format!("{process} runs without errors"), &verdict);
                }
            }
        }
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
