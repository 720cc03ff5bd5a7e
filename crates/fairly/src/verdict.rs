//! Answers.

use std::fmt;
use std::path::{Path, PathBuf};

use fairly_check::Said;
use fairly_report::human::{self, Aside};
use fairly_report::terminal;

use crate::model::Model;
use crate::printed;
use crate::run::Run;

/// The answer to the question whether a property holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every fair run satisfies the property.
    Holds,
    /// A fair run violates it.
    Violated,
    /// There is no answer; the [reason](Verdict::why_unknown) says why.
    Unknown,
}

/// The answer for one property.
#[must_use = "a verdict that is not looked at may as well be a violation"]
pub struct Verdict<M: Model> {
    pub(crate) record: fairly_check::Verdict,
    pub(crate) run: Option<Run<M>>,
    pub(crate) saved: Option<PathBuf>,
    /// The least fairness under which a violated property holds, to read, and one such set.
    pub(crate) least: Option<(String, Vec<String>)>,
}

impl<M: Model> Verdict<M> {
    /// The property's name.
    pub fn property(&self) -> &str {
        &self.record.property
    }

    /// Holds, violated or unknown.
    pub fn outcome(&self) -> Outcome {
        match self.record.outcome {
            Said::Holds => Outcome::Holds,
            Said::Violated => Outcome::Violated,
            Said::Unknown => Outcome::Unknown,
        }
    }

    /// Whether every fair run satisfies the property.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.outcome() == Outcome::Holds
    }

    /// Whether a fair run violates the property.
    #[must_use]
    pub fn is_violated(&self) -> bool {
        self.outcome() == Outcome::Violated
    }

    /// Why there is no answer.
    pub fn why_unknown(&self) -> Option<&str> {
        self.record.why.as_deref()
    }

    /// The run that violates the property.
    ///
    /// # Panics
    /// If there is none: see [`counterexample`](Verdict::counterexample).
    #[track_caller]
    pub fn run(&self) -> &Run<M> {
        match &self.run {
            Some(run) => run,
            None => panic!("`{}` is {}, so no run violates it", self.property(), self.word()),
        }
    }

    /// The run that violates the property, if one does.
    pub fn counterexample(&self) -> Option<&Run<M>> {
        self.run.as_ref()
    }

    /// The fairness assumed, in words.
    pub fn fairness(&self) -> &str {
        self.record.stamp.fairness.as_deref().unwrap_or("no fairness")
    }

    /// The smallest single constraint that would exclude the run, as [`assume`](crate::Check::assume) takes it.
    pub fn upgrade(&self) -> Option<&str> {
        let (_, violation) = self.record.violation()?;
        violation.upgrade.as_ref().map(|upgrade| upgrade.constraint.as_str())
    }

    /// One of the least sets of constraints under which the violated property holds, as
    /// [`assume`](crate::Check::assume) takes them.
    pub fn least(&self) -> Option<&[String]> {
        self.least.as_ref().map(|(_, set)| set.as_slice())
    }

    /// Remarks: what makes a "holds" worth less than it seems.
    pub fn notes(&self) -> &[String] {
        &self.record.notes
    }

    /// States of the model that were explored for this answer.
    pub fn states(&self) -> usize {
        self.record.stamp.states.unwrap_or(0)
    }

    /// The file that the run was saved in.
    pub fn saved_in(&self) -> Option<&Path> {
        self.saved.as_deref()
    }

    /// The verdict as plain data, as the command has it.
    pub fn data(&self) -> &fairly_check::Verdict {
        &self.record
    }

    /// The report that a failing test shows.
    pub fn report(&self) -> String {
        let saved = self.saved.as_deref().map(printed::shown_path);
        let aside = Aside { look: printed::look(), trace: saved.as_deref(), ..Aside::default() };
        let mut text = human::verdict(&self.record, &aside);
        if let Some((least, _)) = &self.least {
            text.push('\n');
            text.push_str(least);
        }
        terminal(&text)
    }

    pub(crate) fn word(&self) -> &'static str {
        self.record.outcome.word()
    }
}

impl<M: Model> fmt::Debug for Verdict<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.property(), self.word())
    }
}

impl<M: Model> fmt::Display for Verdict<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.report())
    }
}

/// The answers for all properties of a check, in their order. If the model panics in a run, one more says so.
#[must_use = "verdicts that are not looked at may as well be violations"]
pub struct Verdicts<M: Model> {
    pub(crate) all: Vec<Verdict<M>>,
}

impl<M: Model> Verdicts<M> {
    /// The verdicts.
    pub fn iter(&self) -> std::slice::Iter<'_, Verdict<M>> {
        self.all.iter()
    }

    /// The verdict on a property.
    ///
    /// # Panics
    /// If there is no property with this name.
    #[track_caller]
    pub fn of(&self, property: &str) -> &Verdict<M> {
        let found = self.all.iter().find(|verdict| verdict.property() == property);
        found.unwrap_or_else(|| panic!("no property is called `{property}`"))
    }

    /// Whether there is a property, and all of them hold.
    #[must_use]
    pub fn all_hold(&self) -> bool {
        self.failure(false).is_none()
    }

    /// Why a test with this check fails; none if it passes.
    pub(crate) fn failure(&self, allows_unknown: bool) -> Option<String> {
        if self.all.is_empty() {
            return Some("nothing was promised of the model: add a property".to_owned());
        }
        let fails = |verdict: &Verdict<M>| match verdict.outcome() {
            Outcome::Holds => false,
            Outcome::Violated => true,
            Outcome::Unknown => !allows_unknown,
        };
        if !self.all.iter().any(fails) {
            return None;
        }
        let reports: Vec<String> = self.all.iter().map(Verdict::report).collect();
        Some(format!("\n{}", reports.join("\n")))
    }

    /// The same verdicts on a model with the same states, if none of them has a run.
    pub(crate) fn without_runs<N: Model>(self) -> Verdicts<N> {
        let verdict =
            |it: Verdict<M>| Verdict { record: it.record, run: None, saved: None, least: None };
        Verdicts { all: self.all.into_iter().map(verdict).collect() }
    }

    pub(crate) fn into_first(self) -> Verdict<M> {
        let mut all = self.all;
        // A panic of the model stands for the answer.
        let at = if all.len() > 1 && !all[0].is_violated() { all.len() - 1 } else { 0 };
        all.swap_remove(at)
    }
}

impl<M: Model> fmt::Debug for Verdicts<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.all).finish()
    }
}

impl<M: Model> IntoIterator for Verdicts<M> {
    type Item = Verdict<M>;
    type IntoIter = std::vec::IntoIter<Verdict<M>>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.into_iter()
    }
}

impl<'a, M: Model> IntoIterator for &'a Verdicts<M> {
    type Item = &'a Verdict<M>;
    type IntoIter = std::slice::Iter<'a, Verdict<M>>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.iter()
    }
}

/// A mistake in a check, in a sentence: a formula that is no formula, a process that the model does not have, a limit
/// that leaves no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    message: String,
}

impl Mistake {
    pub(crate) fn new(message: impl Into<String>) -> Mistake {
        Mistake { message: message.into() }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Mistake {}

/// How large a model is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// States that can be reached.
    pub states: usize,
    /// Steps between them, each action for itself.
    pub transitions: usize,
    /// States in which nothing can be done.
    pub stuck: usize,
}
