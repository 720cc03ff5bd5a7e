//! The tokens of a model in its text form: words with inner dots, names in quotes, numbers and signs. What follows a `#`
//! on a line is a remark.

use crate::rejected::{Rejected, Rule, reject};
use crate::words::quoted;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    Word(&'a str),
    Quoted(String),
    Number(u64),
    Sign(&'static str),
    End,
}

#[rustfmt::skip]
const SIGNS: [&str; 38] = [
    "->", ":=", "..", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "{", "}", "(", ")", "[", "]", ",", ";",
    ":", "?", ".", "@", "$", "=", "<", ">", "+", "-", "*", "/", "%", "!", "~", "&", "|", "^", "_",
];

fn is_inner(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// How many bytes at the start are a word: letters, digits, underscores and inner dots.
fn word_length(bytes: &[u8]) -> usize {
    let starts = bytes.first().is_some_and(|&byte| is_inner(byte) && !byte.is_ascii_digit());
    let inner_at = |at: usize| bytes.get(at).is_some_and(|&byte| is_inner(byte));
    if !starts || bytes.first() == Some(&b'_') && !inner_at(1) {
        return 0;
    }
    let mut length = 1;
    while inner_at(length) || bytes.get(length) == Some(&b'.') && inner_at(length + 1) {
        length += 1;
    }
    length
}

/// The tokens of a text.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Rejected> {
    let (mut tokens, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let word = word_length(rest.as_bytes());
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if first == '#' {
            rest.find('\n').unwrap_or(rest.len())
        } else if first == '"' {
            let (name, length) = quoted(rest)?;
            tokens.push(Token::Quoted(name));
            length
        } else if first.is_ascii_digit() {
            let length = rest.bytes().take_while(u8::is_ascii_digit).count();
            match rest[..length].parse() {
                Ok(number) => tokens.push(Token::Number(number)),
                Err(_) => return reject(Rule::Model, "a number is too large"),
            }
            length
        } else if word > 0 {
            tokens.push(Token::Word(&rest[..word]));
            word
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            tokens.push(Token::Sign(sign));
            sign.len()
        } else {
            return reject(Rule::Model, format!("the character {first:?} means nothing"));
        };
        rest = &rest[length..];
    }
    tokens.push(Token::End);
    Ok(tokens)
}
