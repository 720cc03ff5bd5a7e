//! Ultimately periodic words as text: `a & !b; 1; cycle{a; !a | b}`.
//!
//! The syntax is Spot's: letters separated by `;`, the part that is read for ever in `cycle{…}` at
//! the end. A letter is a formula over the propositions with `!`, `&`, `|`, parentheses, `1` or
//! `true`, and `0` or `false`; `&&` and `||` are the same as `&` and `|`. A proposition that is not
//! an identifier is written in double quotes.
//!
//! ```
//! use fairly_omega::formats::word;
//! use fairly_omega::Letters;
//! let propositions = ["a".to_string(), "b".to_string()];
//! let mut letters = Letters::new();
//! let read = word::parse("a & !b; 1; cycle{a; !a | b}", &mut letters, &propositions).unwrap();
//! assert_eq!((read.stem.len(), read.cycle.len()), (2, 2));
//! let written = word::print(&read, &letters, &propositions).unwrap();
//! assert_eq!(written, "a & !b; 1; cycle{a; !a | b}");
//! ```
//!
//! # Errors
//!
//! | code | what is wrong |
//! |---|---|
//! | `E0601` | a character that means nothing |
//! | `E0602` | a string that does not end |
//! | `E0603` | something else was expected |
//! | `E0604` | a proposition that the automaton does not have |
//! | `E0605` | no `cycle{…}`, or an empty one |
//! | `E0606` | a formula that no letter satisfies |
//! | `E0607` | a formula whose decision diagram is too large |

use std::fmt::Write;

use fairly_source::{Cursor, Diagnostic, Span, unescaped};
use hashbrown::HashMap;

use crate::formats::expression::{self, Signs, Term, Terms};
use crate::letters::{Label, Letters, Prop};
use crate::refused::BudgetError;
use crate::word::{DefiniteWord, Word};
use fairly_source::suggest::near;

/// Reads a word over these propositions; its labels are made in `letters`.
///
/// # Errors
/// See the table of this module.
pub fn parse(
    text: &str,
    letters: &mut Letters,
    propositions: &[String],
) -> Result<Word, Diagnostic> {
    let numbers = (0..).map(Prop);
    let known = propositions.iter().map(String::as_str).zip(numbers).collect();
    let cursor = Cursor::new(text);
    let mut reader =
        Reader { cursor, start: 0, token: Token::Finish, known, propositions, letters };
    reader.advance().and_then(|()| reader.word()).map_err(|wrong| *wrong)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    /// An identifier or a number.
    Name,
    /// A quoted string.
    Quoted,
    /// A sign, the double ones as one.
    Sign(u8),
    Finish,
}

type ParseError = Box<Diagnostic>;

struct Reader<'a> {
    /// Behind the current token.
    cursor: Cursor<'a>,
    start: usize,
    token: Token,
    known: HashMap<&'a str, Prop>,
    propositions: &'a [String],
    letters: &'a mut Letters,
}

impl<'a> Reader<'a> {
    fn word(&mut self) -> Result<Word, ParseError> {
        let mut stem = Vec::new();
        loop {
            if self.token == Token::Finish {
                let message = "the word has no `cycle{…}`";
                return Err(Box::new(
                    Diagnostic::error("E0605", message, Span::at(self.cursor.text().len()))
                        .help("words are infinite: `a; cycle{b}` is an `a` and then `b` for ever"),
                ));
            }
            if self.token == Token::Name && self.slice() == "cycle" && self.brace_follows() {
                break;
            }
            stem.push(self.letter()?);
            if self.token == Token::Sign(b';') {
                self.advance()?;
            } else if self.token != Token::Finish {
                return Err(self.unexpected("`;` or an operator"));
            }
        }
        let start = self.start;
        self.advance()?;
        self.advance()?;
        let mut cycle = Vec::new();
        while self.token != Token::Sign(b'}') {
            cycle.push(self.letter()?);
            if self.token == Token::Sign(b';') {
                self.advance()?;
            } else if self.token != Token::Sign(b'}') {
                return Err(self.unexpected("`;`, `}` or an operator"));
            }
        }
        if cycle.is_empty() {
            let span = self.cursor.since(start);
            return Err(Box::new(Diagnostic::error("E0605", "the cycle is empty", span)));
        }
        self.advance()?;
        if self.token != Token::Finish {
            return Err(self.unexpected("the end of the word"));
        }
        Ok(Word { stem, cycle })
    }

    fn brace_follows(&self) -> bool {
        self.cursor.rest().trim_start().starts_with('{')
    }

    fn letter(&mut self) -> Result<Label, ParseError> {
        let start = self.start;
        let label = expression::label(self)?;
        if label == Label::FALSE {
            let end = start + self.cursor.text()[start..self.start].trim_end().len();
            let message = "no letter satisfies this";
            return Err(Box::new(Diagnostic::error("E0606", message, Span::new(start, end))));
        }
        Ok(label)
    }

    fn slice(&self) -> &'a str {
        &self.cursor.text()[self.start..self.cursor.at()]
    }

    fn span(&self) -> Span {
        self.cursor.since(self.start)
    }

    fn advance(&mut self) -> Result<(), ParseError> {
        self.cursor.skip_space();
        self.start = self.cursor.at();
        let Some(first) = self.cursor.peek() else {
            self.token = Token::Finish;
            return Ok(());
        };
        self.token = match first {
            '"' => {
                if self.cursor.take_quoted().is_none() {
                    let span = Span::new(self.start, self.start + 1);
                    let wrong = Diagnostic::error("E0602", "this string does not end", span);
                    return Err(Box::new(wrong));
                }
                Token::Quoted
            }
            '&' | '|' | '!' | '(' | ')' | ';' | '{' | '}' => {
                let is_double = self.cursor.sees("&&") || self.cursor.sees("||");
                self.cursor.skip(1 + usize::from(is_double));
                Token::Sign(first as u8)
            }
            first if is_name(first) => {
                self.cursor.take_while(is_name);
                Token::Name
            }
            _ => {
                let wrong = self.cursor.stray("E0601", "in a word");
                let help = "a proposition that is not an identifier is written in quotes";
                return Err(Box::new(wrong.help(help)));
            }
        };
        Ok(())
    }

    fn proposition(&self, name: &str) -> Result<Prop, ParseError> {
        if let Some(&prop) = self.known.get(name) {
            return Ok(prop);
        }
        let message = format!("there is no proposition `{}`", name.escape_debug());
        let mut wrong = Diagnostic::error("E0604", message, self.span());
        if let Some(near) = near(name, self.propositions.iter().map(String::as_str)) {
            wrong = wrong.help(format!("there is a proposition `{near}`"));
        } else if self.propositions.is_empty() {
            wrong = wrong.label("there are no propositions at all");
        } else if self.propositions.len() <= 8 {
            wrong = wrong.label(format!("there are {}", self.propositions.join(", ")));
        }
        Err(Box::new(wrong))
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

impl Terms for Reader<'_> {
    type Error = ParseError;

    fn term(&mut self) -> Result<Term, ParseError> {
        Ok(match self.token {
            Token::Sign(b'!') => Term::Not,
            Token::Sign(b'&') => Term::And,
            Token::Sign(b'|') => Term::Or,
            Token::Sign(b'(') => Term::Open,
            Token::Sign(b')') => Term::Close,
            Token::Name => match self.slice() {
                "1" | "true" => Term::Label(Label::TRUE),
                "0" | "false" => Term::Label(Label::FALSE),
                name => Term::Prop(self.proposition(name)?),
            },
            Token::Quoted => {
                let written = self.slice();
                let name = unescaped(&written[1..written.len() - 1], |_| true);
                Term::Prop(self.proposition(&name)?)
            }
            _ => Term::Other,
        })
    }

    fn next(&mut self) -> Result<(), ParseError> {
        self.advance()
    }

    fn letters(&mut self) -> &mut Letters {
        self.letters
    }

    fn unexpected(&self, expected: &str) -> ParseError {
        let found = match self.token {
            Token::Finish => "the end of the word".into(),
            _ => format!("`{}`", self.slice().escape_debug()),
        };
        let message = format!("expected {expected}, found {found}");
        Box::new(Diagnostic::error("E0603", message, self.span()))
    }

    fn refused(&self, refused: BudgetError) -> ParseError {
        let message = format!("this formula is too complicated: {refused}");
        Box::new(Diagnostic::error("E0607", message, self.span()))
    }
}

/// The word as text. `propositions` must be those that the labels of `letters` are about.
///
/// # Errors
/// When a label is too complicated to be written down.
pub fn print(
    word: &Word,
    letters: &Letters,
    propositions: &[String],
) -> Result<String, BudgetError> {
    let mut letters = letters.clone();
    let mut text = String::new();
    for (at, label) in word.labels().enumerate() {
        if at > 0 {
            text.push_str("; ");
        }
        if at == word.stem.len() {
            text.push_str("cycle{");
        }
        text.push_str(&print_letter(label, &mut letters, propositions)?);
    }
    text.push('}');
    Ok(text)
}

/// One label as text, as it stands in a word.
///
/// # Errors
/// When it is too complicated to be written down.
pub fn print_letter(
    label: Label,
    letters: &mut Letters,
    propositions: &[String],
) -> Result<String, BudgetError> {
    const SIGNS: Signs = Signs { and: " & ", or: " | ", yes: "1", no: "0" };
    let mut name = |text: &mut String, prop: Prop| {
        let name = &propositions[prop.0 as usize];
        if needs_quotes(name) {
            let escaped = name.replace('\\', "\\\\").replace('"', "\\\"");
            write!(text, "\"{escaped}\"").expect("a string takes everything");
        } else {
            text.push_str(name);
        }
    };
    expression::print(letters, label, &SIGNS, &mut name)
}

/// A word with definite letters as text.
///
/// # Errors
/// When its letters do not fit in a store.
pub fn print_definite(word: &DefiniteWord) -> Result<String, BudgetError> {
    let mut letters = Letters::new();
    let labels = word.translated(&mut letters, Some)?;
    print(&labels, &letters, &word.propositions)
}

/// Whether a proposition cannot stand by itself, here or in Spot, which reads `GFa` and `Xa` as
/// temporal operators.
fn needs_quotes(name: &str) -> bool {
    let identifier = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(is_name);
    let reserved = matches!(
        name,
        "true"
            | "false"
            | "cycle"
            | "t"
            | "f"
            | "U"
            | "V"
            | "R"
            | "W"
            | "M"
            | "xor"
            | "first_match"
    );
    !identifier || reserved || name.starts_with(['F', 'G', 'X'])
}
