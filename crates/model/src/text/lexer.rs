//! Text to tokens. The grammar and the table of error codes are in [`super`].

use fairly_source::{Cursor, Diagnostic, Span};

/// Kind of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters, digits, underscores and inner dots, not starting with a digit.
    Word,
    /// A name in quotes, without them and with its escapes replaced.
    Quoted(String),
    /// Digits.
    Number(u64),
    /// A sign.
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// A token.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
    /// Whether it is the first of its line.
    pub(super) leads: bool,
}

/// Signs, the longer before its own beginning.
const SIGNS: [&str; 38] = [
    "->", ":=", "..", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "{", "}", "(", ")", "[", "]",
    ",", ";", ":", "?", ".", "@", "$", "=", "<", ">", "+", "-", "*", "/", "%", "!", "~", "&", "|",
    "^", "_",
];

/// Whether a name can stand without quotes.
pub(super) fn is_plain(name: &str) -> bool {
    !name.is_empty() && word_length(name) == name.len()
}

/// How many bytes at the start of the text are a word.
fn word_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let starts = bytes.first().is_some_and(|&byte| inner(byte) && !byte.is_ascii_digit());
    // A lone underscore is the pattern that matches anything.
    if !starts || bytes[0] == b'_' && !bytes.get(1).is_some_and(|&byte| inner(byte)) {
        return 0;
    }
    let mut length = 1;
    while let Some(&byte) = bytes.get(length) {
        let dot = byte == b'.' && bytes.get(length + 1).is_some_and(|&next| inner(next));
        if !inner(byte) && !dot {
            break;
        }
        length += 1;
    }
    length
}

/// The tokens, ending with [`Kind::End`]. What is no token is left out and reported.
pub(super) fn tokens(text: &str, errors: &mut Vec<Diagnostic>, most: usize) -> Vec<Token> {
    let mut tokens = Vec::new();
    let (mut cursor, mut leads) = (Cursor::new(text), true);
    while let Some(first) = cursor.peek()
        && errors.len() < most
    {
        let (rest, at) = (cursor.rest(), cursor.at());
        let (kind, length) = if first.is_whitespace() {
            leads |= cursor.skip_space().contains('\n');
            continue;
        } else if first == '#' {
            cursor.take_line();
            continue;
        } else if first == '"' {
            let (name, length) = quoted(rest, at, errors);
            (Kind::Quoted(name), length)
        } else if first.is_ascii_digit() {
            let digits = cursor.word(|sign| sign.is_ascii_digit());
            let number = digits.parse().ok();
            if number.is_none() {
                let span = cursor.next(digits.len());
                errors.push(Diagnostic::error("E0903", "a number that is too large", span));
            }
            (Kind::Number(number.unwrap_or(0)), digits.len())
        } else if word_length(rest) > 0 {
            (Kind::Word, word_length(rest))
        } else if let Some(sign) = cursor.sign(&SIGNS) {
            (Kind::Sign(sign), sign.len())
        } else {
            errors.push(cursor.stray("E0900", "here"));
            cursor.skip(first.len_utf8());
            continue;
        };
        tokens.push(Token { kind, span: cursor.skip(length), leads });
        leads = false;
    }
    tokens.push(Token { kind: Kind::End, span: Span::at(text.len()), leads: true });
    tokens
}

/// The name at the start of the text, which is a quote, and how many bytes it takes.
fn quoted(text: &str, start: usize, errors: &mut Vec<Diagnostic>) -> (String, usize) {
    let mut name = String::new();
    let mut rest = &text[1..];
    loop {
        let mut chars = rest.chars();
        match chars.next() {
            Some('"') => return (name, text.len() - chars.as_str().len()),
            Some('\\') => {
                let escape = start + text.len() - rest.len();
                let found = escaped(chars.as_str());
                let (character, length) = found.unwrap_or(('?', 0));
                if found.is_none() {
                    let span = Span::new(escape, escape + 1);
                    let known = r#"there are \\, \", \n, \r, \t and \u{…}"#;
                    errors.push(
                        Diagnostic::error("E0902", "an escape that does not exist", span)
                            .help(known),
                    );
                }
                name.push(character);
                rest = &chars.as_str()[length..];
            }
            Some(character) if character != '\n' => {
                name.push(character);
                rest = chars.as_str();
            }
            // A name ends at its line's end at the latest, or one quote would swallow the text.
            _ => {
                let length = text.len() - rest.len();
                let span = Span::new(start, start + 1);
                let wrong = Diagnostic::error("E0901", "a name that does not end", span);
                errors.push(wrong.label("the `\"` for this one is missing"));
                return (name, length);
            }
        }
    }
}

/// The character that stands behind a backslash, and how many bytes it takes.
fn escaped(rest: &str) -> Option<(char, usize)> {
    let simple = match rest.chars().next()? {
        '\\' => Some('\\'),
        '"' => Some('"'),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        _ => None,
    };
    if let Some(character) = simple {
        return Some((character, 1));
    }
    let digits = rest.strip_prefix("u{")?;
    let end = digits.find('}').filter(|&end| (1..=6).contains(&end))?;
    let hexadecimal = digits[..end].bytes().all(|byte| byte.is_ascii_hexdigit());
    let code = u32::from_str_radix(&digits[..end], 16).ok().filter(|_| hexadecimal)?;
    Some((char::from_u32(code)?, end + 3))
}

/// The name in quotes.
pub(super) fn quote(name: &str) -> String {
    let mut quoted = String::from('"');
    for character in name.chars() {
        match character {
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            other if other.is_control() => {
                quoted.push_str(&format!("\\u{{{:x}}}", u32::from(other)));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_or_quoted() {
        for plain in ["a", "_a", "get.0.1", "A_b", "x.y"] {
            assert!(is_plain(plain), "{plain}");
        }
        for strange in ["", "_", "0", ".a", "a.", "a..b", "é", "a b", "a-b", "_.a"] {
            assert!(!is_plain(strange), "{strange}");
        }
        for name in ["", "é\u{1f600}", "\"\\\n\r\t\u{0}\u{85}\u{7f}", "#\\u{41}"] {
            let mut errors = Vec::new();
            let (read, length) = quoted(&quote(name), 0, &mut errors);
            assert_eq!((read.as_str(), length, errors.len()), (name, quote(name).len(), 0));
        }
    }

    #[test]
    fn escapes_that_do_not_exist_are_reported_and_end() {
        for text in
            ["\"\\x\"", "\"\\u{}\"", "\"\\u{110000}\"", "\"\\u{d800}\"", "\"\\u{+1}\"", "\"\\"]
        {
            let mut errors = Vec::new();
            quoted(text, 0, &mut errors);
            assert_eq!(errors[0].code, "E0902", "{text}");
        }
    }
}
