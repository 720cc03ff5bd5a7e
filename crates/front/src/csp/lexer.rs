//! Text to tokens. What is wrong with a character or number is reported here; the parser sees a
//! text without it.

use std::sync::LazyLock;

use fairly_source::{Cursor, Diagnostic, Fragment, Span, parts};
use hashbrown::HashSet;

use super::codes;

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word that is no keyword.
    Name,
    /// A word that [`is_keyword`].
    Keyword,
    /// A number.
    Number(i32),
    /// A text in double quotes.
    Text,
    /// A sign of [`SIGNS`].
    Sign(&'static str),
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
    /// Whether nothing but space stands before it on its line.
    pub(super) first: bool,
}

/// The words for which [`is_keyword`] says so.
static KEYWORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let all = "var hvar channel enum if ifa ifb else while case default atomic interrupt Stop Skip \
               assert tau true false xor call new";
    all.split(' ').collect()
});

/// Tells whether a word cannot be a name. PAT reserves some more (`min`, `with`); they are needed only where
/// they cannot be confused with a name.
fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(word)
}

/// Signs, the longer before its own beginning.
const SIGNS: &[&str] = &[
    "|||", "[*]", "<->", "->", "..", ":=", "<|", "|>", "|=", "||", "[]", "<>", "&&", "==", "!=",
    "<=", ">=", "++", "--", "/\\", "\\/", ";", ",", ".", ":", "@", "=", "(", ")", "{", "}", "[",
    "]", "<", ">", "+", "-", "*", "/", "%", "!", "?", "\\", "&", "|", "^", "#", "$",
];

/// The tokens of a text, and the comments that mean something.
#[derive(Default)]
pub(super) struct Lexed {
    pub(super) tokens: Vec<Token>,
    pub(super) remarks: Vec<Fragment>,
    /// `// capacity: 40`: the number and where it stands.
    pub(super) capacities: Vec<Fragment>,
    pub(super) errors: Vec<Diagnostic>,
}

/// Cuts `text` into tokens.
pub(super) fn tokens(text: &str) -> Lexed {
    let cursor = Cursor::new(text);
    let mut lexer = Lexer { cursor, first: true, lexed: Lexed::default() };
    while lexer.step() {}
    lexer.lexed
}

struct Lexer<'a> {
    cursor: Cursor<'a>,
    first: bool,
    lexed: Lexed,
}

fn in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

impl Lexer<'_> {
    fn push(&mut self, kind: Kind, length: usize) {
        let span = self.cursor.skip(length);
        self.lexed.tokens.push(Token { kind, span, first: self.first });
        self.first = false;
    }

    fn wrong(&mut self, wrong: Diagnostic) {
        // One more than are shown is enough to know that there are too many.
        if self.lexed.errors.len() <= super::MOST_ERRORS {
            self.lexed.errors.push(wrong);
        }
    }

    /// Reads one token, comment or stretch of space; false at the end.
    fn step(&mut self) -> bool {
        let Some(c) = self.cursor.peek() else { return false };
        if c.is_whitespace() {
            self.first |= self.cursor.skip_space().contains('\n');
        } else if parts::is_header(c) {
            // The name of an included file.
            self.cursor.take_line();
        } else if self.cursor.sees("//") {
            self.line_comment();
        } else if self.cursor.sees("/*") {
            self.block_comment();
        } else if c.is_ascii_digit() {
            self.number();
        } else if in_word(c) {
            let word = self.cursor.word(in_word);
            self.push(if is_keyword(word) { Kind::Keyword } else { Kind::Name }, word.len());
        } else if c == '"' {
            self.quoted();
        } else if let Some(sign) = self.cursor.sign(SIGNS) {
            self.push(Kind::Sign(sign), sign.len());
        } else {
            self.unknown(c);
        }
        true
    }

    fn line_comment(&mut self) {
        let comment = self.cursor.take_line();
        let start = self.cursor.at() - comment.len() + 2;
        let Lexed { remarks, capacities, .. } = &mut self.lexed;
        for (word, found) in [("expect:", remarks), ("capacity:", capacities)] {
            found.extend(Fragment::behind(word, &comment[2..], start));
        }
    }

    fn block_comment(&mut self) {
        match self.cursor.take_block("/*", "*/") {
            Some(comment) => self.first |= comment.contains('\n'),
            None => {
                let message = "this comment does not end";
                self.wrong(
                    Diagnostic::error(codes::COMMENT, message, self.cursor.next(2))
                        .label("the matching `*/` is missing")
                        .help("close the comment with `*/`; comments do not nest"),
                );
                self.cursor.go(self.cursor.text().len());
            }
        }
    }

    fn number(&mut self) {
        let word = self.cursor.word(in_word);
        let span = self.cursor.next(word.len());
        let value = word.parse::<i32>();
        if word.bytes().any(|byte| !byte.is_ascii_digit()) {
            self.wrong(
                Diagnostic::error(codes::NUMBER_WORD, "this is neither a number nor a name", span)
                    .label("a name does not start with a digit")
                    .help("start the name with a letter, or put a sign after the number"),
            );
        } else if value.is_err() {
            self.wrong(
                Diagnostic::error(codes::NUMBER, "this number is too large", span)
                    .label("above 2147483647")
                    .help("integers are those of 32 bits, as in PAT"),
            );
        }
        // Something has to stand here, or the parser would report what is missing.
        self.push(Kind::Number(value.unwrap_or(1)), word.len());
    }

    fn quoted(&mut self) {
        let line = self.cursor.rest().lines().next().unwrap_or_default();
        match line[1..].find('"') {
            Some(length) => self.push(Kind::Text, length + 2),
            None => {
                let span = self.cursor.next(line.len());
                self.wrong(
                    Diagnostic::error(codes::QUOTE, "this text does not end", span)
                        .label("the closing `\"` is missing on this line")
                        .help("close the text with `\"`"),
                );
                // Most likely it ends before the semicolon.
                let length = line.trim_end().trim_end_matches(';').len();
                self.push(Kind::Text, length);
            }
        }
    }

    fn unknown(&mut self, c: char) {
        let wrong = self.cursor.stray(codes::CHARACTER, "here");
        let start = self.cursor.at();
        self.cursor.take_while(|other| other == c);
        let help = match c {
            '\'' | '`' => "texts are written in double quotes",
            '~' => "not is written `!`",
            c if c.is_alphabetic() => {
                "names are made of the letters a to z and A to Z, digits and `_`"
            }
            _ => "remove it, or put it into a comment",
        };
        let wrong = wrong.label("no sign or name of CSP# starts so").help(help);
        self.wrong(Diagnostic { span: self.cursor.since(start), ..wrong });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        let lexed = tokens(text);
        assert!(lexed.errors.is_empty(), "{:?}", lexed.errors);
        lexed.tokens.iter().map(|token| &text[token.span.start..token.span.end]).collect()
    }

    #[test]
    fn the_longest_sign_wins() {
        assert_eq!(cut("a|||b||c|d|=e"), ["a", "|||", "b", "||", "c", "|", "d", "|=", "e"]);
        assert_eq!(cut("[][*][x]<>"), ["[]", "[*]", "[", "x", "]", "<>"]);
        assert_eq!(cut("0..3.x->-1"), ["0", "..", "3", ".", "x", "->", "-", "1"]);
        assert_eq!(cut("a<->b<-1"), ["a", "<->", "b", "<", "-", "1"]);
        assert_eq!(
            cut("x:=1:a<|b|>c|[d]|"),
            ["x", ":=", "1", ":", "a", "<|", "b", "|>", "c", "|", "[", "d", "]", "|"]
        );
        assert_eq!(cut("x/**/y//z\n\"c!1\""), ["x", "y", "\"c!1\""]);
    }

    #[test]
    fn only_expectations_are_kept_of_comments() {
        let text = "// a\n//expect: holds  \r\n  // expect:\n/* expect: no */";
        let found: Vec<(String, &str)> = tokens(text)
            .remarks
            .into_iter()
            .map(|remark| (remark.text, &text[remark.span.start..remark.span.end]))
            .collect();
        assert_eq!(found, [("holds".to_owned(), "holds"), (String::new(), "")]);
    }
}
