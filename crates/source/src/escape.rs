//! Texts of strangers made harmless to show.
//!
//! Names, strings and lines of a model may hold escape sequences, which a terminal obeys, or signs that
//! turn the direction of writing round, so that a line reads as what it does not say. Wherever such a text
//! is shown, every character that [`is_harmless`] does not know is written out: `\u{1b}`.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character does nothing but stand in its place: it is no control character (of C0 or C1, nor
/// DEL), does not change the direction of writing, and does not end a line.
pub fn is_harmless(sign: char) -> bool {
    let is_special = matches!(
        sign,
        // Marks, embeddings, overrides and isolates of bidirectional text.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        // Separators of lines and paragraphs, annotations, the mark of byte order, tags.
        | '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
        // No characters at all.
        | '\u{fdd0}'..='\u{fdef}' | '\u{fffe}' | '\u{ffff}'
    );
    !sign.is_control() && !is_special
}

/// A text of several lines with everything written out that is not harmless, except ends of lines and tabs.
pub fn visible(text: &str) -> Cow<'_, str> {
    written_out(text, |sign| is_harmless(sign) || sign == '\n' || sign == '\t')
}

/// A part of a line, such as a name, with everything written out that is not harmless.
pub fn in_line(text: &str) -> Cow<'_, str> {
    written_out(text, is_harmless)
}

/// A JSON document with everything escaped in its strings that is not harmless. It is the same document:
/// outside its strings there is nothing of the kind.
pub fn json(document: &str) -> Cow<'_, str> {
    let is_kept = |sign: char| is_harmless(sign) || sign == '\n';
    if document.chars().all(is_kept) {
        return Cow::Borrowed(document);
    }
    let mut out = String::with_capacity(document.len());
    for sign in document.chars() {
        if is_kept(sign) {
            out.push(sign);
        } else {
            for unit in sign.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    Cow::Owned(out)
}

/// The text without the characters that Unicode sets aside for a program's own use (U+FDD0 to U+FDEF), so
/// that the program may use them. Every position stays where it was.
pub fn without_noncharacters(text: String) -> String {
    let is_one = |sign: char| matches!(sign, '\u{fdd0}'..='\u{fdef}');
    if text.contains(is_one) { text.replace(is_one, "\u{fffd}") } else { text }
}

fn written_out(text: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.chars().all(&is_kept) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for sign in text.chars() {
        if is_kept(sign) {
            out.push(sign);
        } else {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(sign));
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_written_out() {
        assert_eq!(in_line("a\u{1b}[31mb\r\nc"), "a\\u{1b}[31mb\\u{d}\\u{a}c");
        assert_eq!(visible("a\u{9b}2J\n\tb\u{7f}\u{202e}"), "a\\u{9b}2J\n\tb\\u{7f}\\u{202e}");
        assert_eq!(in_line("日本語 ω ≠ é"), "日本語 ω ≠ é");
    }

    #[test]
    fn nothing_but_spaces_and_signs_with_a_place_is_harmless() {
        for code in (0..0x20).chain(0x7f..0xa0).chain(0x202a..0x202f).chain(0x2066..0x206a) {
            assert!(!is_harmless(char::from_u32(code).expect("a character")), "{code:x}");
        }
        assert!((' '..='~').all(is_harmless));
    }

    #[test]
    fn positions_stay_where_they_were() {
        assert_eq!(without_noncharacters("a\u{fdd0}b".to_owned()), "a\u{fffd}b");
        assert_eq!("\u{fdd0}".len(), "\u{fffd}".len());
    }

    #[test]
    fn an_escaped_document_is_the_same() {
        assert_eq!(json("{\n \"a\": \"\u{9b}\u{202e}\"}"), "{\n \"a\": \"\\u009b\\u202e\"}");
    }
}
