//! The Hanoi Omega-Automata format, versions 1 and 1.1, in and out.
//!
//! Read [`parse`] for a whole text and [`Reader`] to take the automata of a stream one by one;
//! [`print()`] writes what both read back unchanged. The format is specified at
//! <http://adl.github.io/hoaf/>; if you do not know which format a text has, take
//! [`crate::formats::read_any`].
//!
//! ```
//! use fairly_omega::formats::hoa;
//! let stream = "HOA: v1 States: 0 Acceptance: 0 t --BODY-- --END--
//!               HOA: v1 States: 7 /* something went wrong here */ --ABORT--
//!               HOA: v1 States: 0 Acceptance: 0 f --BODY-- --END--";
//! assert_eq!(hoa::parse(stream).unwrap().len(), 2);
//! ```
//!
//! # What the specification leaves open, and what is done here
//!
//! - **States.** "Should all be listed": a state that something leads to must have its `State:`; one
//!   that nothing leads to may lack it, which is a warning. The number of states is then bounded by
//!   the size of the text, whatever `States:` says.
//! - **`acc-name:`** that disagrees with `Acceptance:` is a warning, since one of the two is not
//!   what the author meant; the specification lets `Acceptance:` decide. Unknown names are ignored.
//!   Members in another order, and for up to ten sets any formula with the same meaning, count as
//!   agreeing.
//! - **`properties:`** that the file contradicts are an error where this is cheap to see:
//!   labels, marks, `colored`, `deterministic`, `complete`, `!univ-branch`. Others are ignored.
//! - **Universal branching** is kept by the [`Reader`] ([`Alternating`]) and removed by [`parse`].
//! - **A mistake in a stream** costs the automaton it stands in.
//! - **`Inf(!n)` and `Fin(!n)`** become `Inf(m)` and `Fin(m)` with a new mark `m`, after the
//!   declared ones, on the edges that are not in set `n`.
//! - **Unknown headers** with a capital are an error, others are ignored; any header but `Start:`,
//!   `Alias:` and `properties:` may come once. Header names may hold dots, which Spot uses.
//! - **Strings.** A backslash stands for the next character, whichever it is.
//! - **`--ABORT--`** drops the automaton it stands in, and means nothing between two of them.
//! - **Edges with an unsatisfiable label** are left out: they can never be taken.
//! - **Marks of a state without edges** are dropped, since marks live on edges.
//!
//! # Errors
//!
//! | code | what is wrong |
//! |---|---|
//! | `E0201` | a character that means nothing |
//! | `E0202` | a comment that does not end |
//! | `E0203` | a string that does not end |
//! | `E0204` | a number of 2³¹ or more, or with a leading zero |
//! | `E0205` | something else was expected |
//! | `E0206` | an automaton that does not start with `HOA:` |
//! | `E0207` | an acceptance set that is not declared |
//! | `E0208` | a version other than `v1` and `v1.1` |
//! | `E0209` | a header given twice |
//! | `E0210` | an unknown header with a capital |
//! | `E0211` | no `Acceptance:` |
//! | `E0212` | `acc-name:` disagrees with `Acceptance:`; a warning |
//! | `E0213` | an acceptance condition nested deeper than [`crate::MAX_DEPTH`] |
//! | `E0214` | more than 2²⁰ acceptance sets declared |
//! | `E0215` | not as many propositions as announced |
//! | `E0216` | a proposition listed twice |
//! | `E0217` | a proposition that is not declared |
//! | `E0218` | an alias that is not defined |
//! | `E0219` | an alias defined twice |
//! | `E0220` | universal branching that cannot be removed, or where a Kripke structure is read |
//! | `E0221` | a state beyond the number of states |
//! | `E0222` | a state defined twice |
//! | `E0223` | a state not defined; a warning if nothing leads to it |
//! | `E0224` | labelled and unlabelled edges mixed in one state |
//! | `E0225` | not one edge for each letter where labels are implicit |
//! | `E0226` | a property that the file contradicts |
//! | `E0227` | labels whose decision diagrams are too large |
//! | `E0228` | too many complemented acceptance sets |
//! | `E0229` | the text ends in the middle of an automaton |
//! | `E0230` | a state without a label where a Kripke structure is read |
//! | `E0231` | an acceptance condition where a Kripke structure is read |

mod body;
mod claims;
mod condition;
mod header;
mod lexer;
mod printer;

use fairly_source::{Diagnostic, Span};

use crate::acceptance::Acceptance;
use crate::alternating::Alternating;
use crate::automaton::Automaton;
use crate::letters::Label;
use crate::ops::{Kripke, remove_alternation};
use crate::refused::Limits;
use lexer::{Lexer, ParseError, Token};

pub use printer::{print, print_alternating, write};

/// How large an automaton may become when [`parse`] removes its alternation.
pub const ALTERNATION: Limits = Limits { states: 50_000, edges: 200_000 };

/// All automata of a text; none if there is none or all were aborted. Alternating automata are made
/// nondeterministic; take a [`Reader`] to see them as they are, and to go on after a mistake.
///
/// # Errors
/// The first thing that is wrong; see the table of this module.
pub fn parse(text: &str) -> Result<Vec<Automaton>, Diagnostic> {
    Reader::new(text).map(|read| read?.automaton(ALTERNATION)).collect()
}

/// All Kripke structures of a text: automata in which every state has a label and every run counts.
///
/// [`parse`] puts the label of a state on its edges, so it forgets those of states without edges;
/// here they are kept, and a deadlock has its propositions.
///
/// # Errors
/// The first thing that is wrong; `E0230` and `E0231` if it is no Kripke structure.
///
/// ```
/// use fairly_omega::formats::hoa;
/// let text = "HOA: v1 Start: 0 AP: 1 \"p\" Acceptance: 0 t
///             --BODY-- State: [!0] 0 1 State: [0] 1 --END--";
/// let kripke = &hoa::parse_kripke(text).unwrap()[0];
/// assert_eq!((kripke.state_count(), kripke.deadlocks().count()), (2, 1));
/// ```
pub fn parse_kripke(text: &str) -> Result<Vec<Kripke>, Diagnostic> {
    let mut lexer = Lexer::new(text);
    let mut structures = Vec::new();
    loop {
        match kripke(&mut lexer) {
            Ok(Some(structure)) => structures.push(structure),
            Ok(None) => return Ok(structures),
            Err(ParseError::Abort) => {}
            Err(ParseError::Wrong(diagnostic)) => return Err(*diagnostic),
        }
    }
}

fn kripke(lexer: &mut Lexer<'_>) -> Result<Option<Kripke>, ParseError> {
    lexer.advance()?;
    if lexer.token == Token::Finish {
        return Ok(None);
    }
    let header = header::read(lexer)?;
    let body = body::read(lexer, header)?;
    if let Some(span) = body.unlabelled {
        let message = "a state of a Kripke structure has a label";
        let wrong = Diagnostic::error("E0230", message, span);
        return Err(wrong.label("this one has none: `State: [label] number`").into());
    }
    let automaton = match body.shape {
        Shape::Plain(automaton) => automaton,
        Shape::Alternating(_) => {
            let span = body.conjunction.expect("what makes it alternating");
            let message = "a step of a Kripke structure leads to one state";
            let wrong = Diagnostic::error("E0220", message, span);
            return Err(wrong.label("these are several at once").into());
        }
    };
    if *automaton.acceptance() != Acceptance::True {
        let message = "every run of a Kripke structure counts";
        let wrong = Diagnostic::error("E0231", message, body.condition);
        return Err(wrong.label("expected `Acceptance: 0 t`").into());
    }
    let mut labels = vec![Label::FALSE; automaton.state_count()];
    body.labels.iter().for_each(|&(state, label)| labels[state.index()] = label);
    Ok(Some(Kripke::of(&automaton, labels)))
}

/// An automaton as a file gives it.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Every edge leads to one state.
    Plain(Automaton),
    /// Some edge or `Start:` leads to several states at once.
    Alternating(Alternating),
}

/// One automaton of a stream.
#[derive(Clone, Debug)]
pub struct Read {
    /// The automaton.
    pub shape: Shape,
    /// Oddities of the automaton, which do not keep it from being read.
    pub warnings: Vec<Diagnostic>,
    /// The first conjunction of states, if there is one, for diagnostics about it.
    pub conjunction: Option<Span>,
}

impl Read {
    /// The automaton, made nondeterministic if it is alternating.
    ///
    /// # Errors
    /// `E0220` when that passes `limits`.
    pub fn automaton(self, limits: Limits) -> Result<Automaton, Diagnostic> {
        match self.shape {
            Shape::Plain(automaton) => Ok(automaton),
            Shape::Alternating(alternating) => {
                remove_alternation(&alternating, limits).map_err(|refused| {
                    let message =
                        format!("the alternation of this automaton cannot be removed: {refused}");
                    let span = self.conjunction.unwrap_or(Span::at(0));
                    Diagnostic::error("E0220", message, span)
                        .label("a run is in several states at once")
                })
            }
        }
    }
}

/// Reads the automata of a text one by one. One that is wrong costs that one only: the reader goes
/// on after its `--END--`, or with the next `HOA:` if that comes first.
///
/// ```
/// use fairly_omega::formats::hoa;
/// let stream = "HOA: v1 States: 1 Acceptance: 0 t --BODY-- State: 5 --END--
///               HOA: v1 States: 0 Acceptance: 0 t --BODY-- --END--";
/// let read: Vec<bool> = hoa::Reader::new(stream).map(|one| one.is_ok()).collect();
/// assert_eq!(read, [false, true]);
/// ```
#[derive(Debug)]
pub struct Reader<'a> {
    lexer: Lexer<'a>,
    over: bool,
}

impl<'a> Reader<'a> {
    /// A reader before the first automaton of `text`.
    pub fn new(text: &'a str) -> Self {
        Reader { lexer: Lexer::new(text), over: false }
    }

    /// The next automaton, or `None` at the end of the text.
    fn automaton(&mut self) -> Result<Option<Read>, ParseError> {
        self.lexer.advance()?;
        if self.lexer.token == Token::Finish {
            return Ok(None);
        }
        let header = header::read(&mut self.lexer)?;
        let body = body::read(&mut self.lexer, header)?;
        let body::Labelled { shape, warnings, conjunction, .. } = body;
        Ok(Some(Read { shape, warnings, conjunction }))
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Read, Diagnostic>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.over {
            match self.automaton() {
                Ok(Some(read)) => return Some(Ok(read)),
                Err(ParseError::Abort) => {}
                Ok(None) => self.over = true,
                Err(ParseError::Wrong(diagnostic)) => {
                    self.lexer.skip_automaton();
                    return Some(Err(*diagnostic));
                }
            }
        }
        None
    }
}
