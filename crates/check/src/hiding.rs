//! Answers about an abstraction, and what they say about the system.

use fairly_search::hiding::{Hidden, HidingError};
use fairly_source::Diagnostic;
use fairly_system::TransitionSystem;

use crate::verdict::{Answer, Outcome, WhyUnknown};

/// Why there is no abstraction of a system.
#[derive(Clone, Debug)]
pub enum HideError {
    /// The model is wrong.
    Wrong(Vec<Diagnostic>),
    /// Runs are restricted by constraints of the model, which prefixes do not know.
    Constrained,
    /// After this visible word nothing visible can come.
    Ends(Vec<String>),
    /// It is too large, or the system has run-time errors.
    Unknown(WhyUnknown),
}

impl HideError {
    pub(crate) fn of<S: TransitionSystem>(why: HidingError, system: &S) -> HideError {
        match why {
            HidingError::Ends(word) => HideError::Ends(word),
            HidingError::Cut(cut) => HideError::Unknown(WhyUnknown::cut(cut, system)),
            HidingError::TooLarge(refused) => HideError::Unknown(WhyUnknown::Refused(refused)),
            HidingError::Name(why) => HideError::Unknown(WhyUnknown::Limit(why.to_string())),
        }
    }
}

/// Origin of a system that is an abstraction.
#[derive(Clone, Debug)]
pub(crate) struct Hiding {
    whole: usize,
    left: usize,
    broken: Option<Vec<String>>,
}

impl Hiding {
    pub(crate) fn of(hidden: &Hidden) -> Hiding {
        Hiding { whole: hidden.whole, left: hidden.left, broken: hidden.broken.clone() }
    }

    /// Says what an answer about the abstraction rests on. What the abstraction has, the system need not have.
    pub(crate) fn qualify(&self, answer: &mut Answer) {
        let Hiding { whole, left, .. } = self;
        let closed = match (&self.broken, &answer.outcome) {
            (None, Outcome::Holds(_)) => {
                ", weakly continuation-closed: what holds of it holds of the system"
            }
            (None, _) => ", weakly continuation-closed",
            (Some(_), _) => ", not weakly continuation-closed",
        };
        let said = format!("events hidden: {left} of {whole} states left{closed}");
        answer.stamp.reductions.push(said);
        answer.stamp.unreduced = None;
        if let (Some(word), Outcome::Holds(_)) = (&self.broken, &answer.outcome) {
            answer.outcome = Outcome::Unknown(WhyUnknown::Hidden(format!(
                "it holds of the abstraction, which is not weakly continuation-closed: {} the system can no longer do \
                 what the abstraction promises, whatever comes next. Hide fewer events",
                after(word)
            )));
        }
    }
}

/// A beginning in words.
pub(crate) fn after(word: &[String]) -> String {
    match word {
        [] => "from the start".to_owned(),
        word => format!("after {}", word.join(" · ")),
    }
}

impl std::fmt::Display for HideError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            HideError::Wrong(_) => write!(f, "the model is wrong"),
            HideError::Constrained => write!(
                f,
                "events of a model with constraints of its own cannot be hidden: inherent fairness asks of every \
                 prefix, whether or not the run is fair"
            ),
            HideError::Ends(word) => write!(
                f,
                "{} no event comes that is not hidden, so that there is nothing to ask of what an observer sees for \
                 ever: hide fewer events",
                after(word)
            ),
            HideError::Unknown(why) => write!(f, "hiding events: {why}"),
        }
    }
}
