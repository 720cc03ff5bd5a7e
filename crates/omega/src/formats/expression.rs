//! Boolean formulas over propositions, for every format that has them.
//!
//! HOA, never claims and words write negation, conjunction, disjunction and parentheses with
//! different signs but the same priorities. Each lexer offers its tokens as [`Term`]s; [`label`]
//! turns them into a [`Label`]. Nesting costs heap, not stack, so there is no limit on it.

use crate::letters::{Label, Letters, Prop};
use crate::refused::{BudgetError, Resource};

/// One token of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Term {
    Not,
    And,
    Or,
    Open,
    Close,
    /// A proposition.
    Prop(Prop),
    /// A constant or a formula that has a name.
    Label(Label),
    /// Something that cannot be in a formula: it ends here.
    Other,
}

/// Where terms come from.
pub(super) trait Terms {
    /// Error of the format's parser.
    type Error;
    /// Meaning of the current token in a formula.
    fn term(&mut self) -> Result<Term, Self::Error>;
    /// Moves to the next token.
    fn next(&mut self) -> Result<(), Self::Error>;
    /// The store that labels are made in.
    fn letters(&mut self) -> &mut Letters;
    /// An error at the current token: something else is needed.
    fn unexpected(&self, expected: &str) -> Self::Error;
    /// The error for a formula whose diagram is too large.
    fn refused(&self, refused: BudgetError) -> Self::Error;
}

/// One level of parentheses: a disjunction, and in it the conjunction being read. Literals are
/// collected and made into one diagram at the end: adding them one by one would walk down the
/// whole conjunction each time.
struct Frame {
    or: Label,
    and: Label,
    literals: Vec<(Prop, bool)>,
    /// An odd number of `!` stands before the next operand.
    negated: bool,
}

impl Frame {
    fn new() -> Self {
        Frame { or: Label::FALSE, and: Label::TRUE, literals: Vec::new(), negated: false }
    }

    fn operand(&mut self, letters: &mut Letters, label: Label) -> Result<(), BudgetError> {
        let label = if std::mem::take(&mut self.negated) { letters.not(label)? } else { label };
        self.and = letters.and(self.and, label)?;
        Ok(())
    }

    fn end_conjunction(&mut self, letters: &mut Letters) -> Result<(), BudgetError> {
        self.literals.sort_unstable();
        self.literals.dedup();
        let contradictory = self.literals.windows(2).any(|pair| pair[0].0 == pair[1].0);
        let cube = if contradictory { Label::FALSE } else { letters.cube(&self.literals)? };
        let conjunction = letters.and(self.and, cube)?;
        self.or = letters.or(self.or, conjunction)?;
        self.and = Label::TRUE;
        self.literals.clear();
        Ok(())
    }
}

/// Reads one formula and stops at the first token that cannot continue it.
pub(super) fn label<S: Terms>(source: &mut S) -> Result<Label, S::Error> {
    let mut outer: Vec<Frame> = Vec::new();
    let mut frame = Frame::new();
    loop {
        // An operand.
        match source.term()? {
            Term::Not => {
                frame.negated = !frame.negated;
                source.next()?;
                continue;
            }
            Term::Open => {
                outer.push(std::mem::replace(&mut frame, Frame::new()));
                source.next()?;
                continue;
            }
            Term::Prop(prop) => {
                let value = !std::mem::take(&mut frame.negated);
                frame.literals.push((prop, value));
            }
            Term::Label(label) => {
                let done = frame.operand(source.letters(), label);
                done.map_err(|refused| source.refused(refused))?;
            }
            _ => return Err(source.unexpected("a formula")),
        }
        source.next()?;
        // The operator that joins it to the next one.
        loop {
            match source.term()? {
                Term::And => {
                    source.next()?;
                    break;
                }
                Term::Or => {
                    let done = frame.end_conjunction(source.letters());
                    done.map_err(|refused| source.refused(refused))?;
                    source.next()?;
                    break;
                }
                Term::Close if !outer.is_empty() => {
                    let inner = std::mem::replace(&mut frame, outer.pop().expect("not empty"));
                    let done = close(source.letters(), inner, &mut frame);
                    done.map_err(|refused| source.refused(refused))?;
                    source.next()?;
                }
                _ if outer.is_empty() => {
                    let done = frame.end_conjunction(source.letters());
                    done.map_err(|refused| source.refused(refused))?;
                    return Ok(frame.or);
                }
                _ => return Err(source.unexpected("`)` or an operator")),
            }
        }
    }
}

fn close(letters: &mut Letters, mut inner: Frame, frame: &mut Frame) -> Result<(), BudgetError> {
    inner.end_conjunction(letters)?;
    frame.operand(letters, inner.or)
}

/// How a format writes formulas.
pub(super) struct Signs {
    pub(super) and: &'static str,
    pub(super) or: &'static str,
    pub(super) yes: &'static str,
    pub(super) no: &'static str,
}

/// Writes `label` through [`Letters::cover`]; `None` when that takes more than `most` cubes or more
/// nodes than the store may hold.
pub(super) fn print_cover(
    letters: &mut Letters,
    label: Label,
    most: usize,
    signs: &Signs,
    literal: &mut dyn FnMut(&mut String, Prop),
) -> Option<String> {
    match label {
        Label::TRUE => return Some(signs.yes.into()),
        Label::FALSE => return Some(signs.no.into()),
        _ => {}
    }
    let cubes = letters.cover(label, most).ok()??;
    let mut text = String::new();
    for (nth, cube) in cubes.iter().enumerate() {
        if nth > 0 {
            text.push_str(signs.or);
        }
        for (nth, &(prop, value)) in cube.iter().enumerate() {
            if nth > 0 {
                text.push_str(signs.and);
            }
            if !value {
                text.push('!');
            }
            literal(&mut text, prop);
        }
    }
    Some(text)
}

/// Writes `label` for a format without a way to name parts of a formula: as few cubes, or else as
/// nested decisions.
///
/// # Errors
/// When that takes more than a megabyte.
pub(super) fn print(
    letters: &mut Letters,
    label: Label,
    signs: &Signs,
    literal: &mut dyn FnMut(&mut String, Prop),
) -> Result<String, BudgetError> {
    const MOST_CUBES: usize = 64;
    const MOST_BYTES: usize = 1 << 20;
    if let Some(text) = print_cover(letters, label, MOST_CUBES, signs, literal) {
        return Ok(text);
    }
    print_nested(letters, label, MOST_BYTES, signs, literal)
        .ok_or(BudgetError { resource: Resource::LabelText, limit: MOST_BYTES })
}

/// Writes `label` as nested decisions: as long as its diagram has paths, `None` above `most` bytes.
fn print_nested(
    letters: &Letters,
    label: Label,
    most: usize,
    signs: &Signs,
    literal: &mut dyn FnMut(&mut String, Prop),
) -> Option<String> {
    enum Task {
        Label(Label),
        Text(&'static str),
        Literal(Prop, bool),
    }
    let mut text = String::new();
    let mut tasks = vec![Task::Label(label)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Text(fixed) => text.push_str(fixed),
            Task::Literal(prop, value) => {
                if !value {
                    text.push('!');
                }
                literal(&mut text, prop);
            }
            Task::Label(at) => match letters.branch(at) {
                None => text.push_str(if at == Label::TRUE { signs.yes } else { signs.no }),
                Some((prop, low, high)) => {
                    tasks.push(Task::Text(")"));
                    for (value, child) in [(false, low), (true, high)] {
                        tasks.push(Task::Label(child));
                        tasks.push(Task::Text(signs.and));
                        tasks.push(Task::Literal(prop, value));
                        if !value {
                            tasks.push(Task::Text(signs.or));
                        }
                    }
                    tasks.push(Task::Text("("));
                }
            },
        }
        if text.len() > most {
            return None;
        }
    }
    Some(text)
}
