//! Tokens to declarations: where each starts and ends, and whether its brackets match.
//!
//! This is done before anything is parsed, so that an error in one declaration says nothing about
//! the next, and so that the names of all are known before the first is read: PAT lets a process
//! be used above its definition. The only difficulty is the semicolon, which ends a definition and
//! also composes processes. It ends one if a declaration follows; none looks like a process,
//! because of the `=` after its name.

use fairly_source::{Diagnostic, Span};

use super::lexer::{Kind, Token};
use super::{MOST_ERRORS, codes};

/// The words that stand after `#`.
pub(super) const DIRECTIVES: [&str; 5] = ["define", "assert", "alphabet", "import", "include"];

/// A declaration: the tokens from `start` up to, not including, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether its brackets match; if not, that has been reported, and there is no use in parsing.
    pub(super) whole: bool,
}

/// The declarations of a text.
pub(super) struct Items {
    pub(super) items: Vec<Item>,
    /// For every opening bracket the index of its partner; itself for all other tokens.
    pub(super) partners: Vec<usize>,
    pub(super) errors: Vec<Diagnostic>,
}

/// Cuts the tokens of `text` into declarations.
pub(super) fn items(text: &str, tokens: &[Token]) -> Items {
    let mut found =
        Items { items: Vec::new(), partners: (0..tokens.len()).collect(), errors: Vec::new() };
    let view = View { text, tokens };
    let mut start = 0;
    while start < tokens.len() {
        // A text that is tried twice may reach to the end of the file each time.
        let strict = found.errors.len() >= MOST_ERRORS;
        let mut end = view.end(start, strict);
        let mut matched = view.brackets(start, end, &mut found.partners);
        if matched.is_err() && !strict {
            // Perhaps a brace is missing and the following definitions were taken for statements.
            end = view.end(start, true);
            matched = view.brackets(start, end, &mut found.partners);
        }
        found.items.push(Item { start, end, whole: matched.is_ok() });
        if let Err(mismatch) = matched
            && found.errors.len() < MOST_ERRORS
        {
            found.errors.push(view.report(mismatch));
        }
        start = end;
    }
    found
}

/// A bracket without partner.
#[derive(Clone, Copy)]
enum BracketError {
    /// Opened here and not closed; another bracket closes there instead.
    Unclosed(usize, Option<usize>),
    Unopened(usize),
}

struct View<'a> {
    text: &'a str,
    tokens: &'a [Token],
}

impl View<'_> {
    fn sign(&self, at: usize) -> &'static str {
        match self.tokens.get(at).map(|token| token.kind) {
            Some(Kind::Sign(sign)) => sign,
            _ => "",
        }
    }

    fn word(&self, at: usize) -> &str {
        match self.tokens.get(at) {
            Some(Token { kind: Kind::Name | Kind::Keyword, span, .. }) => {
                &self.text[span.start..span.end]
            }
            _ => "",
        }
    }

    fn is_name(&self, at: usize) -> bool {
        matches!(self.tokens.get(at), Some(Token { kind: Kind::Name, .. }))
    }

    /// Whether `P(i, j:{0..2}) =` stands here. The search ends at what no list of parameters has,
    /// first of all another `Q(`: so every token is looked at only once.
    fn is_head_with_parameters(&self, at: usize) -> bool {
        if !self.is_name(at) || self.sign(at + 1) != "(" {
            return false;
        }
        let mut depth = 0usize;
        for next in at + 1..self.tokens.len() {
            match self.sign(next) {
                "(" => depth += 1,
                ")" => {
                    depth -= 1;
                    if depth == 0 {
                        return self.sign(next + 1) == "=";
                    }
                }
                ";" | "=" | "#" => return false,
                _ if self.is_name(next) && self.sign(next + 1) == "(" => return false,
                _ => {}
            }
        }
        false
    }

    /// Whether a declaration starts at `at`, if one did before. `depth` says how many braces and
    /// other brackets are open.
    fn starts(&self, at: usize, braces: usize, others: usize) -> bool {
        match self.tokens[at].kind {
            Kind::Sign("#") => DIRECTIVES.contains(&self.word(at + 1)),
            Kind::Keyword => match self.word(at) {
                "hvar" | "channel" | "enum" => true,
                "var" => braces == 0,
                _ => false,
            },
            Kind::Name => {
                let fresh = self.tokens[at].first || self.sign(at - 1) == ";";
                let simple = || self.sign(at + 1) == "=" && braces == 0;
                let loose = || others == 0 || self.tokens[at].first;
                fresh && (simple() && loose() || self.is_head_with_parameters(at))
            }
            _ => false,
        }
    }

    /// Where the declaration that starts at `start` ends. If `strict`, whatever looks like one
    /// at the very start of a line is the next, even inside braces.
    fn end(&self, start: usize, strict: bool) -> usize {
        let definition = self.is_name(start);
        let (mut braces, mut others) = (0usize, 0usize);
        for at in start..self.tokens.len() {
            if at > start {
                let margin = || {
                    let begin = self.tokens[at].span.start;
                    begin == 0 || self.text.as_bytes()[begin - 1] == b'\n'
                };
                let named = self.is_name(at) && self.sign(at + 1) == "=";
                let forced = strict && (named || self.word(at) == "var") && margin();
                if forced || self.starts(at, braces, others) {
                    return at;
                }
            }
            match self.sign(at) {
                "{" => braces += 1,
                "}" => braces = braces.saturating_sub(1),
                "(" | "[" => others += 1,
                ")" | "]" => others = others.saturating_sub(1),
                // `i:{0..2}; j:{0..2}@…` goes on: no declaration starts with a name and a colon.
                ";" if self.is_name(at + 1) && self.sign(at + 2) == ":" => {}
                ";" if !definition && braces == 0 && others == 0 => return at + 1,
                _ => {}
            }
        }
        self.tokens.len()
    }

    /// Pairs the brackets between `start` and `end`.
    fn brackets(
        &self,
        start: usize,
        end: usize,
        partners: &mut [usize],
    ) -> Result<(), BracketError> {
        let mut open: Vec<usize> = Vec::new();
        for at in start..end {
            let sign = self.sign(at);
            match sign {
                "(" | "[" | "{" => open.push(at),
                ")" | "]" | "}" => match open.pop() {
                    Some(opened) if closing(self.sign(opened)) == sign => partners[opened] = at,
                    Some(opened) => return Err(BracketError::Unclosed(opened, Some(at))),
                    None => return Err(BracketError::Unopened(at)),
                },
                _ => {}
            }
        }
        open.first().map_or(Ok(()), |&opened| Err(BracketError::Unclosed(opened, None)))
    }

    fn report(&self, mismatch: BracketError) -> Diagnostic {
        match mismatch {
            BracketError::Unclosed(opened, instead) => self.unclosed(opened, instead),
            BracketError::Unopened(at) => self.unopened(at),
        }
    }

    fn unclosed(&self, opened: usize, instead: Option<usize>) -> Diagnostic {
        let sign = self.sign(opened);
        let close = closing(sign);
        let wrong = Diagnostic::error(
            codes::UNCLOSED,
            format!("this `{sign}` is not closed"),
            self.tokens[opened].span,
        )
        .label(format!("the matching `{close}` is missing"));
        match instead {
            Some(at) => {
                let line = fairly_source::Position::of(self.text, self.tokens[at].span.start).line;
                wrong.help(format!("line {line} has `{}` where it should be", self.sign(at)))
            }
            None => wrong.help(format!("add `{close}`, at the latest before the next declaration")),
        }
    }

    fn unopened(&self, at: usize) -> Diagnostic {
        let sign = self.sign(at);
        let span: Span = self.tokens[at].span;
        Diagnostic::error(codes::UNOPENED, format!("this `{sign}` closes nothing"), span)
            .label("no bracket is open here")
            .help("remove it, or add the opening bracket")
    }
}

fn closing(open: &str) -> &'static str {
    match open {
        "(" => ")",
        "[" => "]",
        _ => "}",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csp::lexer::tokens;

    fn cut(text: &str) -> Vec<(&str, bool)> {
        let lexed = tokens(text);
        let place = |at: usize| lexed.tokens[at].span;
        items(text, &lexed.tokens)
            .items
            .iter()
            .map(|item| (&text[place(item.start).start..place(item.end - 1).end], item.whole))
            .collect()
    }

    #[test]
    fn a_semicolon_ends_a_definition_if_a_declaration_follows() {
        assert_eq!(
            cut(
                "var x = 1; P = a -> Skip; Q; b{x = 1; y = 2} -> P; Q(i) = P; P(1); #assert P deadlockfree;"
            ),
            [
                ("var x = 1;", true),
                ("P = a -> Skip; Q; b{x = 1; y = 2} -> P;", true),
                ("Q(i) = P; P(1);", true),
                ("#assert P deadlockfree;", true),
            ]
        );
    }

    #[test]
    fn what_is_missing_in_one_is_not_sought_in_the_next() {
        assert_eq!(
            cut("P = (a -> Skip;\nQ = b{x = 1; -> Q;\nR = c -> R\n#define N 1\nvar y"),
            [
                ("P = (a -> Skip;", false),
                ("Q = b{x = 1; -> Q;", false),
                ("R = c -> R", true),
                ("#define N 1", true),
                ("var y", true),
            ]
        );
        assert_eq!(
            cut("P = a);\n#define c x = 2;"),
            [("P = a);", false), ("#define c x = 2;", true)]
        );
    }
}
