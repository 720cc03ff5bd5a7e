//! The answers of one command, as they come and as they are printed.

use std::process::ExitCode;

use fairly_check::claim::{ClaimOutcome, ClaimVerdict};
use fairly_check::promela::Stored;
use fairly_check::{Outcome, Verdict, WhyUnknown};
use fairly_report::{claim, human, itf, json};
use fairly_system::TransitionSystem;

use super::arguments::Format;
use crate::failure::{self, Failure};
use crate::output;

/// How many answers there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) holding: usize,
    pub(super) violated: usize,
    pub(super) unknown: usize,
}

impl Counts {
    /// The exit code.
    pub(super) fn code(self) -> u8 {
        match (self.violated, self.unknown) {
            (0, 0) => 0,
            (0, _) => failure::UNKNOWN,
            _ => failure::NO,
        }
    }

    /// The kinds that there are, in words.
    fn in_words(self) -> String {
        let counts =
            [(self.holding, "holds"), (self.violated, "violated"), (self.unknown, "unknown")];
        let some = counts.iter().filter(|(count, _)| *count > 0);
        let words: Vec<String> = some.map(|(count, word)| format!("{count} {word}")).collect();
        words.join(", ")
    }
}

/// Everything that there is to say of one model.
pub(super) struct Answered {
    pub(super) text: String,
    pub(super) documents: Vec<serde_json::Value>,
    pub(super) counts: Counts,
    pub(super) code: u8,
}

impl Answered {
    /// Something that is no verdict on a property.
    pub(super) fn aside(text: String, code: u8) -> Answered {
        Answered { text, documents: Vec::new(), counts: Counts::default(), code }
    }

    /// Prints everything and gives the exit code.
    pub(super) fn print(self) -> Result<ExitCode, Failure> {
        output::write(&self.text, None)?;
        Ok(ExitCode::from(self.code))
    }
}

/// The answers so far.
pub(super) struct Tally {
    format: Format,
    text: String,
    documents: Vec<serde_json::Value>,
    counts: Counts,
}

impl Tally {
    pub(super) fn new(format: Format) -> Tally {
        Tally { format, text: String::new(), documents: Vec::new(), counts: Counts::default() }
    }

    /// Adds the verdict on a formula.
    pub(super) fn verdict<S: TransitionSystem>(&mut self, system: &mut S, verdict: &Verdict) {
        match &verdict.outcome {
            Outcome::Holds(_) => self.counts.holding += 1,
            Outcome::Violated(_) | Outcome::Doomed(_) => self.counts.violated += 1,
            Outcome::Unknown(_) => self.counts.unknown += 1,
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
            ClaimOutcome::Holds(_) => self.counts.holding += 1,
            ClaimOutcome::Violated(_) => self.counts.violated += 1,
            ClaimOutcome::Unknown(_) => self.counts.unknown += 1,
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

    /// Adds how many states SPIN would store for the last answer, or why that is not known.
    pub(super) fn stored(&mut self, stored: &Result<Stored, WhyUnknown>) {
        match self.format {
            Format::Human => {
                let line = match stored {
                    Ok(Stored::AsSpin(count)) => {
                        format!("{count} states stored, as SPIN stores them")
                    }
                    Ok(Stored::UpToErrors(count)) => format!(
                        "{count} states stored up to errors of the model, after which SPIN goes on"
                    ),
                    Ok(Stored::OwnAutomaton(count)) => {
                        format!("{count} states stored; SPIN has another automaton for the formula")
                    }
                    Err(why) => format!("states stored: unknown: {why}"),
                };
                // It belongs to the answer above, which ends with an empty line.
                self.text.pop();
                self.text.push_str(&format!("      {line}\n\n"));
            }
            Format::Json => {
                let document = self.documents.last_mut().expect("an answer came before");
                document["stored"] = match stored {
                    Ok(stored) => serde_json::json!({
                        "states": stored.count(),
                        "as_spin": matches!(stored, Stored::AsSpin(_)),
                    }),
                    Err(_) => serde_json::Value::Null,
                };
            }
        }
    }

    /// Everything that was added.
    pub(super) fn finish(mut self) -> Answered {
        let Counts { holding, violated, unknown } = self.counts;
        match self.format {
            Format::Json => {
                let all = serde_json::Value::Array(self.documents.clone());
                self.text = format!("{all:#}\n");
            }
            Format::Human => {
                let all = holding + violated + unknown;
                let word = if all == 1 { "property" } else { "properties" };
                self.text.push_str(&format!("{all} {word}: {}\n", self.counts.in_words()));
            }
        }
        let Tally { text, documents, counts, .. } = self;
        Answered { text, documents, counts, code: counts.code() }
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
