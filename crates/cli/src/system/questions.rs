//! Questions of models, and those that the arguments choose.

use fairly_check::{Asked, BindingError, Question as Bound, SystemIndex};
use fairly_front::loaded::{self, Naming};
use fairly_source::Span;

use super::arguments::{Model, squeezed};
use super::file::File;
use super::names::{self, Known};
use super::tally::{About, Choice};
use crate::failure::{Absent, CliError};

/// Everything to be answered.
pub(super) struct Questions {
    pub(super) asked: Vec<Question>,
    /// Names of the arguments that this model does not have, where another one may.
    pub(super) absent: Vec<Absent>,
}

/// One thing to be answered.
pub(super) struct Question {
    pub(super) title: String,
    pub(super) bound: Bound,
    /// Where it is asked, if that is in the file.
    pub(super) place: Option<Span>,
    /// Name that `-p` chooses it by; `None` for questions of the arguments.
    pub(super) choice: Option<String>,
}

impl Question {
    /// The system that it is about.
    pub(super) fn system(&self) -> SystemIndex {
        self.bound.system
    }

    /// The formula as it is shown, if it is one.
    pub(super) fn formula(&self) -> Option<&str> {
        match &self.bound.asked {
            Asked::Formula(_, shown) => Some(shown),
            Asked::Claim(_) => None,
        }
    }

    /// Names that arguments may call it by.
    pub(super) fn names(&self) -> Vec<&str> {
        [Some(&self.title), self.choice.as_ref()]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect()
    }

    /// Subject of its answer.
    pub(super) fn about(&self) -> About {
        let choice = match (&self.choice, self.formula()) {
            (Some(choice), _) => Choice::Property(choice.clone()),
            (None, Some(formula)) => Choice::Formula(formula.to_owned()),
            (None, None) => Choice::Property(self.title.clone()),
        };
        About { title: self.title.clone(), place: self.place, choice }
    }
}

impl File {
    /// Questions of the model and the arguments; every name of the arguments must be there.
    pub(super) fn questions(&mut self, model: &Model) -> Result<Vec<Question>, CliError> {
        Ok(self.chosen(model)?.asked)
    }

    /// The same, where there must be a question.
    pub(super) fn some_questions(&mut self, model: &Model) -> Result<Questions, CliError> {
        let chosen = self.chosen(model)?;
        if chosen.asked.is_empty() { Err(self.nothing()) } else { Ok(chosen) }
    }

    fn nothing(&self) -> CliError {
        CliError::Nothing(format!("nothing to check: {}", self.systems.loaded().nothing))
    }

    /// Questions of the model and the arguments, and names of the arguments that another model must have.
    pub(super) fn chosen(&mut self, model: &Model) -> Result<Questions, CliError> {
        let loaded = self.systems.loaded();
        if loaded.systems.is_empty() && model.properties.is_empty() {
            return Err(self.nothing());
        }
        let (all, naming) = (&loaded.questions, loaded.naming);
        let known = Known {
            what: naming.word,
            titles: all.iter().map(|question| question.title.clone()).collect(),
            numbered: naming.numbered,
        };
        let mut absent = known
            .chosen(model, |wanted| all.iter().any(|question| means(naming, wanted, question)))?;
        absent.extend(known.expected(model)?);
        absent.extend(known.timed(model)?);
        let is_chosen = |question: &loaded::Question| match model.properties.as_slice() {
            // Formulas of the command line are asked instead of what the file asks.
            [] => question.choice.is_none() != model.formulas.is_empty(),
            wanted => wanted.iter().any(|wanted| means(naming, wanted, question)),
        };
        let chosen: Vec<usize> = (0..all.len()).filter(|&at| is_chosen(&all[at])).collect();
        let asked = chosen.into_iter().map(|at| self.question(at)).collect::<Result<_, _>>()?;
        Ok(Questions { asked, absent })
    }

    fn question(&mut self, at: usize) -> Result<Question, CliError> {
        let bound = self.systems.bind(at).map_err(|why| match why {
            BindingError::InModel(diagnostics) => self.wrong(diagnostics),
            BindingError::InFormula(wrong) => wrong.into(),
        })?;
        let loaded::Question { title, place, choice, .. } = &self.systems.loaded().questions[at];
        Ok(Question { title: title.clone(), bound, place: *place, choice: choice.clone() })
    }
}

/// Whether a name that was given means a question.
pub(super) fn means(naming: Naming, wanted: &str, question: &loaded::Question) -> bool {
    let loaded::Question { title, choice, .. } = question;
    if !naming.numbered {
        return names::means(wanted, title) || choice.as_deref() == Some(wanted);
    }
    // By number, or by any part of what is written.
    if wanted.parse::<usize>().is_ok() {
        return choice.as_deref() == Some(wanted);
    }
    let (wanted, title) = (squeezed(wanted), squeezed(title));
    !wanted.is_empty() && (title.contains(&wanted) || names::means(&wanted, &title))
}
