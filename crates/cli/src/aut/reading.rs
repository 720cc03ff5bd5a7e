//! Reading automata: all of them or none, or those of a stream that are right.

use std::cell::Cell;
use std::io::Write;

use fairly_front::languages::Encoding;
use fairly_omega::Automaton;
use fairly_omega::formats::hoa::{self, Read, Shape};
use fairly_omega::formats::{self, Format};
use fairly_source::{Diagnostic, Style, render};

use crate::failure::CliError;
use crate::input::{self, Input, Patience};
use crate::output;

/// An automaton with the name of the input it came from.
pub(super) struct Named {
    pub(super) source: String,
    pub(super) automaton: Automaton,
}

/// Kind of automaton in a file, with the name of the input it came from.
pub(super) struct NamedShape {
    pub(super) source: String,
    pub(super) shape: Shape,
}

/// Error in one automaton of an input.
struct ReadError {
    source: String,
    failure: CliError,
}

/// Reads automata and tells on standard error what is odd about them.
pub(super) struct Reader {
    style: Style,
    left_out: Cell<bool>,
}

impl Reader {
    pub(super) fn new(style: Style) -> Reader {
        Reader { style, left_out: Cell::new(false) }
    }

    /// Whether an automaton was wrong and left out.
    pub(super) fn left_out(&self) -> bool {
        self.left_out.get()
    }

    /// Every automaton of every input that is right, for operations on each by itself. If none is,
    /// the first mistake is the failure.
    pub(super) fn each(&self, paths: &[String]) -> Result<Vec<Named>, CliError> {
        let (shapes, wrong) = self.read(paths, true)?;
        self.without_wrong(shapes, wrong)
    }

    /// The same with alternating automata as they are.
    pub(super) fn each_shape(&self, paths: &[String]) -> Result<Vec<NamedShape>, CliError> {
        let (shapes, wrong) = self.read(paths, false)?;
        self.without_wrong(shapes, wrong)
    }

    /// Every automaton of every input; all of them, or none.
    pub(super) fn all(&self, paths: &[String]) -> Result<Vec<Named>, CliError> {
        let (shapes, wrong) = self.read(paths, true)?;
        match wrong.into_iter().next() {
            Some(wrong) => Err(wrong.failure),
            None => self.without_wrong(shapes, Vec::new()),
        }
    }

    /// Exactly two automata, from one input or two.
    pub(super) fn two(&self, paths: &[String]) -> Result<(Named, Named), CliError> {
        let automata = self.all(paths)?;
        let count = automata.len();
        <[Named; 2]>::try_from(automata)
            .map(|[first, second]| (first, second))
            .map_err(|_| CliError::usage(format!("this takes two automata; the input has {count}")))
    }

    /// At least two automata.
    pub(super) fn several(&self, paths: &[String]) -> Result<Vec<Automaton>, CliError> {
        let automata = self.all(paths)?;
        if automata.len() < 2 {
            return Err(CliError::usage("this takes at least two automata"));
        }
        Ok(automata.into_iter().map(|named| named.automaton).collect())
    }

    fn without_wrong<T: From<NamedShape>>(
        &self,
        shapes: Vec<NamedShape>,
        wrong: Vec<ReadError>,
    ) -> Result<Vec<T>, CliError> {
        if shapes.is_empty() {
            return Err(match wrong.into_iter().next() {
                Some(wrong) => wrong.failure,
                None => CliError::usage("no automaton in the input"),
            });
        }
        for ReadError { source, failure } in wrong {
            self.left_out.set(true);
            failure.report(self.style);
            output::note(&format!("{source} is left out"));
        }
        Ok(shapes.into_iter().map(T::from).collect())
    }

    /// Everything in the inputs; without alternation if `plain`.
    fn read(
        &self,
        paths: &[String],
        plain: bool,
    ) -> Result<(Vec<NamedShape>, Vec<ReadError>), CliError> {
        let (mut shapes, mut wrong) = (Vec::new(), Vec::new());
        for Input { name, text } in input::read_all(paths, |_| Encoding::Utf8, Patience::default())?
        {
            let reads = reads(&text);
            let several = reads.len() > 1;
            for (at, read) in (1..).zip(reads) {
                let source = if several { format!("{name}#{at}") } else { name.clone() };
                let shape = read.and_then(|read| {
                    self.warn(&read, &name, &text);
                    match read.shape {
                        Shape::Alternating(_) if plain => self.removed(read, &source),
                        shape => Ok(shape),
                    }
                });
                match shape {
                    Ok(shape) => shapes.push(NamedShape { source, shape }),
                    Err(diagnostic) => {
                        let (name, text) = (name.clone(), text.clone());
                        let diagnostic = Box::new(diagnostic);
                        let failure = CliError::Input { name, text, diagnostic };
                        wrong.push(ReadError { source, failure });
                    }
                }
            }
        }
        Ok((shapes, wrong))
    }

    fn warn(&self, read: &Read, name: &str, text: &str) {
        for warning in &read.warnings {
            write_error(&render(warning, name, text, self.style));
        }
    }

    fn removed(&self, read: Read, source: &str) -> Result<Shape, Diagnostic> {
        let before = match &read.shape {
            Shape::Alternating(automaton) => automaton.state_count(),
            Shape::Plain(automaton) => automaton.state_count(),
        };
        let automaton = read.automaton(hoa::ALTERNATION)?;
        let states = |count: usize| match count {
            1 => "1 state".to_owned(),
            more => format!("{more} states"),
        };
        let (before, after) = (states(before), states(automaton.state_count()));
        output::note(&format!(
            "{source} is alternating, with {before}; nondeterministic it has {after}"
        ));
        Ok(Shape::Plain(automaton))
    }
}

impl From<NamedShape> for Named {
    fn from(NamedShape { source, shape }: NamedShape) -> Named {
        match shape {
            Shape::Plain(automaton) => Named { source, automaton },
            Shape::Alternating(_) => unreachable!("its alternation was removed"),
        }
    }
}

/// The automata of one text in any format, one by one.
fn reads(text: &str) -> Vec<Result<Read, Diagnostic>> {
    if Format::detect(text) == Some(Format::Hoa) {
        return hoa::Reader::new(text).collect();
    }
    let plain = |automaton| Read {
        shape: Shape::Plain(automaton),
        warnings: Vec::new(),
        conjunction: None,
    };
    match formats::read_any(text) {
        Ok(automata) => automata.into_iter().map(|automaton| Ok(plain(automaton))).collect(),
        Err(diagnostic) => vec![Err(diagnostic)],
    }
}

fn write_error(text: &str) {
    // If stderr is gone, notes have no reader.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
