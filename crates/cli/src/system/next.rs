//! The one command that a report suggests.

use fairly_check::claim::{ClaimOutcome, ClaimVerdict};
use fairly_check::{Needless, Outcome, Upgrade, Verdict};

/// How a question is chosen on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// With `-p`.
    Property(String),
    /// With `-f`.
    Formula(String),
}

/// What the answers so far suggest; a violated property goes before everything else.
#[derive(Default)]
pub(super) struct Next {
    violated: Option<Violated>,
    /// A run that shows something else that is wrong.
    trace: Option<String>,
    /// A formula that holds under an assumption, and one that holds without any.
    assumed: Option<Choice>,
    holding: bool,
    unknown: bool,
}

struct Violated {
    choice: Choice,
    upgrade: Option<Upgrade>,
    /// Whether the upgrade is about a process.
    of_process: bool,
}

impl Next {
    /// Learns from the verdict on a formula.
    pub(super) fn learn(&mut self, verdict: &Verdict, processes: &[String], choice: &Choice) {
        match &verdict.outcome {
            Outcome::Violated(found) if self.violated.is_none() => {
                let upgrade = found.upgrade.clone();
                let of_process = upgrade.as_ref().is_some_and(|upgrade| {
                    let named = upgrade.constraint.split_once('(').map_or("", |(_, name)| name);
                    let named = named.strip_suffix(')').unwrap_or(named);
                    processes.iter().any(|process| process == named)
                });
                self.violated = Some(Violated { choice: choice.clone(), upgrade, of_process });
            }
            Outcome::Violated(_) | Outcome::Doomed(_) => {}
            // There is nothing less to look for.
            Outcome::Holds(_)
                if verdict.stamp.constraints.is_empty()
                    || verdict.needless == Some(Needless::Everything) =>
            {
                self.holding = true;
            }
            Outcome::Holds(_) => {
                self.assumed.get_or_insert_with(|| choice.clone());
            }
            Outcome::Unknown(_) => self.unknown = true,
        }
    }

    /// Something is wrong that no fairness is about, and this run shows it.
    pub(super) fn look_at(&mut self, trace: &str) {
        self.trace.get_or_insert_with(|| trace.to_owned());
    }

    /// Learns from the answer to a claim.
    pub(super) fn learn_claim(&mut self, verdict: &ClaimVerdict, trace: Option<&str>) {
        match &verdict.outcome {
            ClaimOutcome::Violated(_) => {
                if let Some(trace) = trace {
                    self.look_at(trace);
                }
            }
            ClaimOutcome::Holds(_) => self.holding = true,
            ClaimOutcome::Unknown(_) => self.unknown = true,
        }
    }

    /// The command, if there is something to suggest. With several questions it names one. Files come after
    /// the options that make a model of them.
    pub(super) fn command(&self, files: &[String], several: bool) -> Option<String> {
        let is_stdin = files.last().is_some_and(|file| file == "-");
        let files: Vec<String> = files.iter().map(|file| quoted(file)).collect();
        let files = files.join(" ");
        let about = |choice: &Choice| match choice {
            Choice::Formula(text) => format!("-f {} {files}", quoted(text)),
            Choice::Property(name) if several => format!("-p {} {files}", quoted(name)),
            Choice::Property(_) => files.clone(),
        };
        if let Some(Violated { choice, upgrade, of_process }) = &self.violated {
            let Some(Upgrade { constraint, suffices: Some(true) }) = upgrade else {
                return Some(format!("fairly ladder {}", about(choice)));
            };
            let fairness = match constraint.split('(').next() {
                Some("wf") if *of_process => "--fairness weak".to_owned(),
                Some("sf") if *of_process => "--fairness strong".to_owned(),
                _ => format!("--constraint {}", quoted(constraint)),
            };
            return Some(format!("fairly check {fairness} {}", about(choice)));
        }
        if let Some(trace) = &self.trace {
            return Some(format!("fairly trace show {trace}"));
        }
        if let Some(choice) = &self.assumed {
            return Some(format!("fairly least {}", about(choice)));
        }
        (self.holding && !self.unknown && !is_stdin).then(|| format!("fairly sim {files}"))
    }
}

/// A word as a shell reads it.
pub(super) fn quoted(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:,=@%+".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_read_more() {
        assert_eq!(quoted("a/b.pml"), "a/b.pml");
        assert_eq!(quoted("[]<> p"), "'[]<> p'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
