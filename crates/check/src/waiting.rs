//! The condition that a violating run waits for in vain, for the sentence that explains it.

use fairly_logic::{AtomId, Formula, Node};
use fairly_omega::Stop;
use fairly_search::Binding;
use fairly_system::{EventPosition, Run, TransitionSystem};
use fairly_witness::Truth;
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use crate::property::Property;

/// A part of a formula, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phrase {
    /// The formula.
    pub text: String,
    /// Whether it is one event, or a pattern of events.
    pub is_event: bool,
}

/// Why a run violates a property. Steps are counted from 0 over the whole run; none is the start, where
/// nothing has happened yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Waiting {
    /// Something was asked for at a step and is not answered: `G(asked -> F wanted)`.
    Unanswered {
        /// The formula that asks.
        asked: Phrase,
        /// When.
        at: Option<usize>,
        /// The formula that never holds.
        wanted: Phrase,
    },
    /// Something does not come again: `G F wanted`.
    Forgotten {
        /// The formula that does not hold.
        wanted: Phrase,
        /// When it came for the last time, if it did.
        last: Option<usize>,
    },
    /// Something never comes: `F wanted`.
    Never(Phrase),
    /// Something does not stay: `F G kept`.
    Broken {
        /// The formula that should stay true.
        kept: Phrase,
        /// A step of the loop at which it does not hold.
        at: Option<usize>,
    },
    /// Something is not so that should always be: `G kept`. However the run goes on, it violates the
    /// property, so fairness is beside the point.
    Wrong {
        /// The formula that should be true.
        kept: Phrase,
        /// When it is not, for the first time.
        at: Moment,
    },
}

/// When something is so that is read at one position of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Moment {
    /// Before the first step.
    Start,
    /// In the state that this step leads to.
    After(usize),
    /// At this step itself: its event is read, too.
    At(usize),
}

/// Why the run violates the property; none if its formula has no shape that can be told in a sentence.
pub fn waiting<S: TransitionSystem>(system: &S, property: &Property, run: &Run) -> Option<Waiting> {
    waiting_until(system, property, run, Stop::default())
}

/// The same; none, too, if it is time to stop before that is known.
pub(crate) fn waiting_until<S: TransitionSystem>(
    system: &S,
    property: &Property,
    run: &Run,
    stop: Stop,
) -> Option<Waiting> {
    if property.never.is_some() || run.cycle.is_empty() {
        return None;
    }
    let Property { formulas, formula, reading, .. } = property;
    let mut meanings = HashMap::new();
    for atom in formulas.atoms(*formula) {
        meanings.insert(atom, property.meaning(atom)?);
    }
    let meaning = |atom: AtomId| meanings[&atom].clone();
    let truth = Truth::until(system, run, (formulas, *formula), *reading, meaning, stop)?;
    Explained { property, truth }.at_start(*formula)
}

struct Explained<'a> {
    property: &'a Property,
    truth: Truth,
}

impl Explained<'_> {
    /// Why a formula is false at the start.
    fn at_start(&self, formula: Formula) -> Option<Waiting> {
        let first = |part: Formula, value: bool| {
            (0..self.truth.count).find(|&at| self.truth.at(part, at) == value)
        };
        match self.property.formulas.node(formula) {
            Node::And(parts) => {
                let wrong = parts.iter().find(|&&part| !self.truth.at(part, 0));
                wrong.and_then(|&part| self.at_start(part))
            }
            // The premise is true, or the whole would be.
            Node::Implies(_, then) => self.at_start(then),
            Node::Globally(inner) => {
                let at = first(inner, false)?;
                Some(match self.property.formulas.node(inner) {
                    Node::Finally(wanted) => {
                        let last =
                            (0..self.truth.count).rev().find(|&at| self.truth.at(wanted, at));
                        let last = last.map(|at| self.step(at).unwrap_or(0));
                        Waiting::Forgotten { wanted: self.phrase(wanted), last }
                    }
                    Node::Implies(asked, then) => match self.property.formulas.node(then) {
                        Node::Finally(wanted) => Waiting::Unanswered {
                            asked: self.phrase(asked),
                            at: self.step(at),
                            wanted: self.phrase(wanted),
                        },
                        _ => self.wrong(inner, at)?,
                    },
                    _ => self.wrong(inner, at)?,
                })
            }
            Node::Finally(inner) => Some(match self.property.formulas.node(inner) {
                Node::Globally(kept) => {
                    let at = (self.truth.start..self.truth.count)
                        .find(|&at| !self.truth.at(kept, at))?;
                    Waiting::Broken { kept: self.phrase(kept), at: self.step(at) }
                }
                _ => Waiting::Never(self.phrase(inner)),
            }),
            _ => None,
        }
    }

    /// Something about one position that should always be and is not.
    fn wrong(&self, kept: Formula, at: usize) -> Option<Waiting> {
        let is_local = self.property.formulas.is_propositional(kept);
        is_local.then(|| Waiting::Wrong { kept: self.phrase(kept), at: self.moment(kept, at) })
    }

    /// When a formula about one position is read there.
    fn moment(&self, formula: Formula, position: usize) -> Moment {
        let property = self.property;
        let is_event = |&atom: &AtomId| {
            matches!(property.binding(atom), Binding::Event(_) | Binding::Taken(_))
        };
        let reads_events = property.formulas.atoms(formula).iter().any(is_event);
        match (property.reading, position) {
            (EventPosition::Leaving, _) if reads_events => Moment::At(position),
            (_, 0) => Moment::Start,
            (_, position) => Moment::After(position - 1),
        }
    }

    /// The step at which a position is read; none for the start, before anything happens.
    fn step(&self, position: usize) -> Option<usize> {
        match self.property.reading {
            EventPosition::Leaving => Some(position),
            EventPosition::Entering => position.checked_sub(1),
        }
    }

    fn phrase(&self, formula: Formula) -> Phrase {
        let formulas = &self.property.formulas;
        let text = formulas.display(formula);
        let is_event = match formulas.node(formula) {
            Node::Atom(atom) => matches!(self.property.binding(atom), Binding::Event(_)),
            _ => false,
        };
        // Quotes around names, and quotes and brackets around the whole, are for parsers.
        let text = without_quotes(&text);
        let bare = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let bare = bare.filter(|text| !text.contains('"')).unwrap_or(&text).trim();
        let inner = bare.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        let inner = inner.filter(|text| !text.contains(['(', ')']));
        Phrase { text: inner.unwrap_or(bare).to_owned(), is_event }
    }
}

/// The text of a formula with its names bare: `!"big"` is `!big`. Letters and words that a formula means something
/// else by keep their quotes.
fn without_quotes(text: &str) -> String {
    if text.contains('\\') {
        return text.to_owned();
    }
    let is_name = |text: &str| {
        text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && text.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
            && !matches!(text, "true" | "false" | "xor" | "not" | "and" | "or" | "state" | "event")
            && !text.chars().all(|it| "FGXURWMV".contains(it))
    };
    let mut out = String::new();
    for (at, part) in text.split('"').enumerate() {
        match at % 2 == 1 && !is_name(part) {
            true => out.extend(["\"", part, "\""]),
            false => out.push_str(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::without_quotes;

    #[test]
    fn names_lose_their_quotes_and_nothing_else_does() {
        for (text, plain) in [
            ("!\"big\"", "!big"),
            ("\"a\" || \"b_1\"", "a || b_1"),
            ("\"x == 3\" && \"G\"", "\"x == 3\" && \"G\""),
            ("\"true\" U p", "\"true\" U p"),
            ("\"s == \\\"a\\\"\"", "\"s == \\\"a\\\"\""),
        ] {
            assert_eq!(without_quotes(text), plain);
        }
    }
}
