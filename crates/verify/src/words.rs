//! Words of the statement of a certificate: names with or without quotes, and brackets.

use crate::rejected::{Rejected, Rule, reject};

/// The words of one line, read from left to right.
#[derive(Debug)]
pub(crate) struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    pub(crate) fn new(line: &'a str) -> Words<'a> {
        Words { rest: line.trim_start() }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.rest.is_empty()
    }

    /// All that is left, as it is written.
    pub(crate) fn rest(&self) -> &'a str {
        self.rest
    }

    /// The next word, a bracket, or a name in quotes as it is written.
    pub(crate) fn peek(&self) -> &'a str {
        let end = match self.rest.as_bytes().first() {
            Some(b'(' | b')') => 1,
            Some(b'"') => quoted(self.rest).map_or(self.rest.len(), |(_, length)| length),
            _ => self.rest.find([' ', '(', ')']).unwrap_or(self.rest.len()),
        };
        &self.rest[..end]
    }

    pub(crate) fn next(&mut self) -> Result<&'a str, Rejected> {
        let word = self.peek();
        if word.is_empty() {
            return reject(Rule::Statement, "a line ends too early");
        }
        self.rest = self.rest[word.len()..].trim_start();
        Ok(word)
    }

    pub(crate) fn takes(&mut self, word: &str) -> bool {
        let is = self.peek() == word;
        if is {
            self.rest = self.rest[word.len()..].trim_start();
        }
        is
    }

    pub(crate) fn expect(&mut self, word: &str) -> Result<(), Rejected> {
        if self.takes(word) {
            return Ok(());
        }
        reject(Rule::Statement, format!("`{word}` is expected before `{}`", self.rest))
    }

    pub(crate) fn number(&mut self) -> Result<usize, Rejected> {
        let word = self.next()?;
        let plain = word.bytes().all(|byte| byte.is_ascii_digit());
        match word.parse::<u32>().ok().filter(|_| plain) {
            Some(number) => Ok(number as usize),
            None => reject(Rule::Statement, format!("`{word}` is no number")),
        }
    }

    /// The number behind a letter.
    pub(crate) fn id(&mut self, letter: char) -> Result<usize, Rejected> {
        match self.rest.strip_prefix(letter) {
            Some(rest) => {
                self.rest = rest;
                self.number()
            }
            None => reject(Rule::Statement, format!("an id `{letter}` is expected")),
        }
    }

    pub(crate) fn name(&mut self) -> Result<String, Rejected> {
        let word = self.next()?;
        if word.starts_with('"') { Ok(quoted(word)?.0) } else { Ok(word.to_owned()) }
    }

    /// All that is left, as numbers.
    pub(crate) fn numbers(&mut self) -> Result<Vec<usize>, Rejected> {
        let mut numbers = Vec::new();
        while !self.is_over() {
            numbers.push(self.number()?);
        }
        Ok(numbers)
    }

    pub(crate) fn ends(&self) -> Result<(), Rejected> {
        if self.is_over() {
            return Ok(());
        }
        reject(Rule::Statement, format!("`{}` is too much", self.rest))
    }

    /// Several items in brackets.
    pub(crate) fn several<T>(
        &mut self,
        mut item: impl FnMut(&mut Words<'a>) -> Result<T, Rejected>,
    ) -> Result<Vec<T>, Rejected> {
        self.expect("(")?;
        let mut items = Vec::new();
        while !self.takes(")") {
            items.push(item(self)?);
        }
        Ok(items)
    }
}

/// The name at the start, which is a quote, and how many bytes it takes.
pub(crate) fn quoted(text: &str) -> Result<(String, usize), Rejected> {
    let (mut name, mut chars) = (String::new(), text.char_indices().skip(1));
    while let Some((at, character)) = chars.next() {
        match character {
            '"' => return Ok((name, at + 1)),
            '\n' => break,
            '\\' => {
                let escaped = chars.next().map(|(_, character)| character);
                name.push(match escaped {
                    Some(same @ ('\\' | '"')) => same,
                    Some('n') => '\n',
                    Some('r') => '\r',
                    Some('t') => '\t',
                    Some('u') => {
                        let digits: String = chars
                            .by_ref()
                            .map(|(_, character)| character)
                            .take_while(|&character| character != '}')
                            .skip(1)
                            .take(8)
                            .collect();
                        let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                        match code {
                            Some(character) => character,
                            None => return reject(Rule::Model, "an escape that does not exist"),
                        }
                    }
                    _ => return reject(Rule::Model, "an escape that does not exist"),
                });
            }
            other => name.push(other),
        }
    }
    reject(Rule::Model, "a name that does not end")
}
