//! The answers of one command, as they come and as they are printed.

use std::process::ExitCode;

use fairly_check::claim::{ClaimOutcome, ClaimVerdict};
use fairly_check::{Outcome, Verdict};
use fairly_report::{claim, human, itf, json};
use fairly_system::TransitionSystem;

use super::arguments::Format;
use crate::failure::{self, Failure};
use crate::output;

/// The answers so far.
pub(super) struct Tally {
    format: Format,
    text: String,
    documents: Vec<serde_json::Value>,
    holding: usize,
    violated: usize,
    unknown: usize,
}

impl Tally {
    pub(super) fn new(format: Format) -> Tally {
        Tally {
            format,
            text: String::new(),
            documents: Vec::new(),
            holding: 0,
            violated: 0,
            unknown: 0,
        }
    }

    /// Adds the verdict on a formula.
    pub(super) fn verdict<S: TransitionSystem>(&mut self, system: &mut S, verdict: &Verdict) {
        match &verdict.outcome {
            Outcome::Holds(_) => self.holding += 1,
            Outcome::Violated(_) | Outcome::Doomed(_) => self.violated += 1,
            Outcome::Unknown(_) => self.unknown += 1,
        }
        match self.format {
            Format::Json => self.documents.push(json::verdict(system, verdict)),
            Format::Human => {
                self.text.push_str(&human::verdict(system, verdict));
                self.text.push('\n');
            }
        }
    }

    /// Adds the answer to a claim.
    pub(super) fn claim<S: TransitionSystem>(
        &mut self,
        system: &mut S,
        title: &str,
        verdict: &ClaimVerdict,
    ) {
        match &verdict.outcome {
            ClaimOutcome::Holds(_) => self.holding += 1,
            ClaimOutcome::Violated(_) => self.violated += 1,
            ClaimOutcome::Unknown(_) => self.unknown += 1,
        }
        match self.format {
            Format::Json => self.documents.push(claim::json(system, title, verdict)),
            Format::Human => {
                self.text.push_str(&claim::text(system, title, verdict));
                self.text.push('\n');
            }
        }
    }

    /// Adds something to read beside the answers.
    pub(super) fn remark(&mut self, text: &str) {
        if self.format == Format::Human {
            self.text.push_str(text);
            self.text.push('\n');
        }
    }

    /// Prints everything and gives the exit code.
    pub(super) fn finish(mut self) -> Result<ExitCode, Failure> {
        match self.format {
            Format::Json => {
                self.text = format!("{:#}\n", serde_json::Value::Array(self.documents));
            }
            Format::Human => {
                let all = self.holding + self.violated + self.unknown;
                let counts = [
                    (self.holding, "holds"),
                    (self.violated, "violated"),
                    (self.unknown, "unknown"),
                ];
                let counts: Vec<String> = counts
                    .iter()
                    .filter(|(count, _)| *count > 0)
                    .map(|(count, word)| format!("{count} {word}"))
                    .collect();
                let word = if all == 1 { "property" } else { "properties" };
                self.text.push_str(&format!("{all} {word}: {}\n", counts.join(", ")));
            }
        }
        output::write(&self.text, None)?;
        Ok(ExitCode::from(match (self.violated, self.unknown) {
            (0, 0) => 0,
            (0, _) => failure::UNKNOWN,
            _ => failure::NO,
        }))
    }
}

/// Writes the violating run of a verdict to a file, if there is one and a file is given. With several
/// properties each violated one has a file of its own.
pub(super) fn trace<S: TransitionSystem>(
    system: &mut S,
    verdict: &Verdict,
    path: Option<&str>,
    several: bool,
) -> Result<(), Failure> {
    let (Some(path), Outcome::Violated(found)) = (path, &verdict.outcome) else { return Ok(()) };
    let path = if several { format!("{path}.{}", verdict.property) } else { path.to_owned() };
    let trace = itf::trace(system, verdict, found);
    output::write(&format!("{trace:#}\n"), Some(&path))?;
    Ok(())
}
