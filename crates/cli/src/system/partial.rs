//! Ladders and least sets as far as they are known when the work on them is ended from outside.

use fairly_check::{Errors, Ladder, Least, WhyUnknown};
use fairly_report::{human, json};

use super::arguments::{Format, Model};
use super::{Shown, ladder_code, least_code};
use crate::interim::Answer;

/// The question that is being answered.
pub(super) struct Partial<'a> {
    pub(super) model: &'a Model,
    pub(super) name: &'a str,
    pub(super) formula: &'a str,
    /// Whether "holds" is not known before errors of the model have been looked for.
    pub(super) is_doubted: bool,
}

impl Partial<'_> {
    /// The ladder so far.
    pub(super) fn ladder(&self, ladder: &Ladder) {
        let (name, formula) = (self.name.to_owned(), self.formula.to_owned());
        let (is_doubted, format, look) = (self.is_doubted, self.model.format, self.model.look);
        let ladder = ladder.clone();
        let answer = move |why: &str| {
            let mut ladder = ladder.clone().ended(why);
            if is_doubted {
                Errors::Unknown(WhyUnknown::Ended(why.to_owned())).qualify_ladder(&mut ladder);
            }
            let shown = match format {
                Format::Human => Shown::Text(human::ladder(&name, &formula, &ladder, None, &look)),
                _ => Shown::Json(json::ladder(&name, &formula, &ladder)),
            };
            Answer::of(shown, ladder_code(&ladder))
        };
        self.model.so_far(self.name, Box::new(answer));
    }

    /// The least sets so far.
    pub(super) fn least(&self, sets: &[Vec<String>]) {
        let (name, formula) = (self.name.to_owned(), self.formula.to_owned());
        let (is_doubted, format, look) = (self.is_doubted, self.model.format, self.model.look);
        let sets = sets.to_vec();
        let answer = move |why: &str| {
            let mut least = Least::Some { sets: sets.clone(), why: why.to_owned() };
            if is_doubted {
                Errors::Unknown(WhyUnknown::Ended(why.to_owned())).qualify_least(&mut least);
            }
            let shown = match format {
                Format::Human => Shown::Text(human::least(&name, &formula, &least, None, &look)),
                _ => Shown::Json(json::least(&name, &formula, &least)),
            };
            Answer::of(shown, least_code(&least))
        };
        self.model.so_far(self.name, Box::new(answer));
    }
}
