//! Blocks of C, which are not run: they are found and reported together, whatever is written in them.

use super::super::place::{ParseError, Place, position};
use super::super::token::{Kind, Sign, Token};
use super::Preprocessor;

/// Words that C stands behind.
const WORDS: [&str; 5] = ["c_code", "c_decl", "c_expr", "c_state", "c_track"];

/// How many blocks are named.
const SHOWN: usize = 5;

impl Preprocessor<'_> {
    /// Reports all C of a text as one error. The answer is whether there is any.
    pub(super) fn report_c(&mut self, tokens: &[Token]) -> bool {
        let found = blocks(tokens);
        let Some((word, first)) = found.first() else { return false };
        let mut label = "this is C".to_owned();
        if found.len() > 1 {
            let line = |place: &Place| {
                let at = position(&self.text, self.expansions.root(*place).start);
                // The column is of no use in a list.
                at.rsplit_once(':').map_or(at.clone(), |(line, _)| line.to_owned())
            };
            let mut lines: Vec<String> = found[1..].iter().map(|(_, place)| line(place)).collect();
            lines.dedup();
            let left = lines.len().saturating_sub(SHOWN);
            lines.truncate(SHOWN);
            let more = if left > 0 { format!(" and {left} more") } else { String::new() };
            label = format!("this is C, and so are lines {}{more}", lines.join(", "));
        }
        let message = match found.len() {
            1 => format!("C code (`{word}`) is not supported"),
            count => format!("C code is not supported; there are {count} blocks of it"),
        };
        let wrong = ParseError::new("E1125", message, *first)
            .label(label)
            .help("C is not run; the chapter \"C in Promela models\" of the book shows what to write instead");
        self.wrong(wrong);
        true
    }
}

/// The blocks of C among the tokens.
fn blocks(tokens: &[Token]) -> Vec<(&'static str, Place)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        let Some(&word) = WORDS.iter().find(|word| token.is_word(word)) else { continue };
        found.push((word, token.place));
        // A condition in brackets, or strings, may stand before the braces or instead of them.
        while let Some(next) = tokens.get(at) {
            let is_open = next.is(Sign::OpenBrace);
            if is_open {
                at = behind_braces(tokens, at);
            } else if next.is(Sign::OpenBracket) {
                at = tokens[at..]
                    .iter()
                    .position(|token| token.is(Sign::CloseBracket))
                    .map_or(tokens.len(), |close| at + close + 1);
                continue;
            } else if matches!(next.kind, Kind::Text(_)) {
                at += 1;
                continue;
            }
            break;
        }
    }
    found
}

/// The position behind the brace that closes the one at `open`.
fn behind_braces(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.is(Sign::OpenBrace) {
            depth += 1;
        } else if token.is(Sign::CloseBrace) {
            depth = depth.saturating_sub(1);
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}
