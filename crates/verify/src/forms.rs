//! Forms, the notation of all texts in a certificate: a word, a name in quotes, or forms in brackets.

use std::fmt;

use crate::rejected::{Rejected, Rule, reject};

/// A form. A name is in quotes where it is written, and has `\"`, `\\` and `\n` for what cannot be there as it is.
#[derive(Debug, PartialEq)]
pub(crate) enum Form<'a> {
    Word(&'a str),
    Name(String),
    List(Vec<Form<'a>>),
}

/// How deep forms may be nested: they are read over and over by recursion.
const NESTING: usize = 2000;

/// The forms of a text. Those that are wrong break a rule.
pub(crate) fn forms(text: &str, rule: Rule) -> Result<Vec<Form<'_>>, Rejected> {
    let mut open: Vec<Vec<Form<'_>>> = Vec::new();
    let (mut forms, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let (form, length) = match first {
            '(' => {
                open.push(std::mem::take(&mut forms));
                if open.len() > NESTING {
                    return reject(rule, "something is nested too deep");
                }
                rest = rest[1..].trim_start();
                continue;
            }
            ')' => match open.pop() {
                Some(outer) => (Form::List(std::mem::replace(&mut forms, outer)), 1),
                None => return reject(rule, "a bracket closes that was not opened"),
            },
            '"' => match quoted(rest) {
                Some((name, length)) => (Form::Name(name), length),
                None => return reject(rule, "a name does not end"),
            },
            _ => {
                let ends = |it: char| it.is_whitespace() || matches!(it, '(' | ')' | '"');
                let length = rest.find(ends).unwrap_or(rest.len());
                (Form::Word(&rest[..length]), length)
            }
        };
        forms.push(form);
        rest = rest[length..].trim_start();
    }
    if open.is_empty() { Ok(forms) } else { reject(rule, "a bracket is not closed") }
}

/// The name that a quote begins, and how many bytes it takes.
fn quoted(text: &str) -> Option<(String, usize)> {
    let (mut name, mut rest) = (String::new(), text.char_indices().skip(1));
    while let Some((at, character)) = rest.next() {
        match character {
            '"' => return Some((name, at + 1)),
            '\\' => match rest.next()?.1 {
                'n' => name.push('\n'),
                same => name.push(same),
            },
            other => name.push(other),
        }
    }
    None
}

impl fmt::Display for Form<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Word(word) => f.write_str(word),
            Form::Name(name) => write!(f, "{name:?}"),
            Form::List(parts) => write!(f, "({})", shown(parts)),
        }
    }
}

/// Forms as they are written.
pub(crate) fn shown(forms: &[Form<'_>]) -> String {
    forms.iter().map(Form::to_string).collect::<Vec<_>>().join(" ")
}

/// Forms that are read from left to right.
#[derive(Clone, Copy)]
pub(crate) struct Forms<'f> {
    pub(crate) rest: &'f [Form<'f>],
    rule: Rule,
}

impl<'f> Forms<'f> {
    /// The parts of a list; of another form, the form alone.
    pub(crate) fn of(form: &'f Form<'f>, rule: Rule) -> Forms<'f> {
        match form {
            Form::List(parts) => Forms { rest: parts, rule },
            single => Forms { rest: std::slice::from_ref(single), rule },
        }
    }

    pub(crate) fn fail<T>(&self, wanted: &str) -> Result<T, Rejected> {
        let found: String = shown(self.rest.get(..1).unwrap_or(&[])).chars().take(60).collect();
        reject(self.rule, format!("{wanted} is expected, not `{found}`"))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn ends(&self) -> Result<(), Rejected> {
        if self.is_over() { Ok(()) } else { self.fail("nothing more") }
    }

    /// The next form, taken apart.
    pub(crate) fn next(&mut self) -> Result<Forms<'f>, Rejected> {
        let Some((first, rest)) = self.rest.split_first() else { return self.fail("more") };
        self.rest = rest;
        Ok(Forms::of(first, self.rule))
    }

    /// The next word; an empty one if there is none.
    pub(crate) fn peek(&self) -> &'f str {
        if let Some(Form::Word(word)) = self.rest.first() { word } else { "" }
    }

    pub(crate) fn word(&mut self) -> Result<&'f str, Rejected> {
        let word = self.peek();
        if word.is_empty() {
            return self.fail("a word");
        }
        self.rest = &self.rest[1..];
        Ok(word)
    }

    pub(crate) fn takes(&mut self, word: &str) -> bool {
        let is = self.peek() == word;
        self.rest = &self.rest[usize::from(is)..];
        is
    }

    /// A word or a name in quotes.
    pub(crate) fn name(&mut self) -> Result<String, Rejected> {
        let Some(Form::Name(name)) = self.rest.first() else { return Ok(self.word()?.to_owned()) };
        self.rest = &self.rest[1..];
        Ok(name.clone())
    }

    /// What a table has beside the next name.
    pub(crate) fn one_of<T: Clone>(&mut self, table: &[(&str, T)]) -> Result<T, Rejected> {
        let (before, name) = (*self, self.name()?);
        match table.iter().find(|(known, _)| *known == name) {
            Some((_, it)) => Ok(it.clone()),
            None => before.fail("another word"),
        }
    }

    pub(crate) fn integer(&mut self) -> Result<i64, Rejected> {
        match self.peek().parse() {
            Ok(number) => self.word().map(|_| number),
            Err(_) => self.fail("a number"),
        }
    }

    /// A length or a position.
    pub(crate) fn number(&mut self) -> Result<usize, Rejected> {
        match self.peek().parse::<u32>() {
            Ok(number) => self.word().map(|_| number as usize),
            Err(_) => self.fail("a position"),
        }
    }

    /// The number behind a letter, if that comes next.
    pub(crate) fn takes_id(&mut self, letter: char) -> Option<usize> {
        let id = self.peek().strip_prefix(letter)?.parse::<u32>().ok()?;
        self.rest = &self.rest[1..];
        Some(id as usize)
    }

    pub(crate) fn id(&mut self, letter: char) -> Result<usize, Rejected> {
        self.takes_id(letter).map_or_else(|| self.fail(&format!("an id `{letter}`")), Ok)
    }

    /// All that is left, one after the other.
    pub(crate) fn each<T>(
        &mut self,
        mut one: impl FnMut(&mut Forms<'f>) -> Result<T, Rejected>,
    ) -> Result<Vec<T>, Rejected> {
        let mut all = Vec::new();
        while !self.is_over() {
            all.push(one(self)?);
        }
        Ok(all)
    }
}
