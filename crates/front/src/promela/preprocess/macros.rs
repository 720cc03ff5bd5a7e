//! The expansion of macros.
//!
//! A token from the body of a macro is placed in the definition and remembers the use; one from an
//! argument keeps its own place. A macro is not expanded inside itself: names that were met while
//! it was being expanded are painted, as in every C preprocessor.

use std::rc::Rc;

use fairly_source::Span;

use super::super::lexer::{MAX_TOKENS, lex};
use super::super::place::{Expansion, ExpansionKind, ParseError, Place};
use super::super::token::{Kind, Sign, Token};
use super::Preprocessor;

/// How many expansions may be under way at once.
const MAX_FRAMES: usize = 200;
/// How deep the arguments of macros may hold macros with arguments; each level is a call.
const MAX_ARGUMENTS: usize = 40;
/// How many tokens all expansions together may make.
const MAX_WORK: usize = 4 * MAX_TOKENS;

/// Stands for an empty argument beside `##` until that is carried out.
const NOTHING: Kind = Kind::Bad("", "", "");

/// A `#define`.
pub(super) struct Macro {
    pub(super) parameters: Option<Vec<Rc<str>>>,
    /// Whether the last parameter takes all arguments that are left, with their commas.
    pub(super) is_variadic: bool,
    pub(super) body: Rc<[Token]>,
    pub(super) definition: Span,
}

/// A list of tokens that is being read; those of a macro's body under its name.
struct Frame {
    tokens: Rc<[Token]>,
    at: usize,
    name: Option<Rc<str>>,
    /// Whether the use spans several lines: the C preprocessor ends the line after such a use.
    lines: bool,
}

impl Preprocessor<'_> {
    /// Puts the expansion of `tokens` at the end of `out`. A line end before a token that vanished
    /// counts for the next one; what is left of that is given back.
    pub(super) fn expand(
        &mut self,
        tokens: Rc<[Token]>,
        depth: usize,
        newline: bool,
        out: &mut Vec<Token>,
    ) -> bool {
        let mut frames = vec![Frame { tokens, at: 0, name: None, lines: false }];
        let (mut newline, mut note) = (newline, 0);
        while let Some(mut token) = self.take(&mut frames) {
            token.newline |= std::mem::take(&mut newline);
            if token.note == 0 {
                token.note = std::mem::take(&mut note);
            }
            let name = match &token.kind {
                Kind::Word(name) if !token.painted && self.macros.contains_key(name) => {
                    name.clone()
                }
                Kind::Word(name) if name.starts_with("__") => {
                    token.kind = self.predefined(name, token.place).unwrap_or(token.kind);
                    out.push(token);
                    continue;
                }
                _ => {
                    out.push(token);
                    continue;
                }
            };
            if self.exhausted || out.len() > MAX_TOKENS {
                out.push(token);
                continue;
            }
            if self.busy.contains(&name) {
                token.painted = true;
                out.push(token);
                continue;
            }
            let found = &self.macros[&name];
            let (body, definition) = (found.body.clone(), found.definition);
            let (parameters, is_variadic) = (found.parameters.clone(), found.is_variadic);
            let mut call = token.place;
            let mut arguments = Vec::new();
            let mut lines = false;
            if let Some(parameters) = &parameters {
                if !self.opens(&frames) {
                    out.push(token);
                    continue;
                }
                let most = if is_variadic { parameters.len() } else { usize::MAX };
                let Some((mut found, close)) =
                    self.arguments(&mut frames, &token, &mut lines, most)
                else {
                    continue;
                };
                if is_variadic && found.len() + 1 == parameters.len() {
                    found.push(Vec::new());
                }
                let one_empty = found.len() == 1 && found[0].is_empty();
                let count = if parameters.is_empty() && one_empty { 0 } else { found.len() };
                call = self.expansions.join(call, close);
                if count != parameters.len() {
                    let wanted = parameters.len();
                    self.wrong(
                        ParseError::new(
                            "E1112",
                            format!("`{name}` is used with {count} arguments"),
                            call,
                        )
                        .label(format!("it has {wanted}"))
                        .help("an argument with a comma in it needs parentheses"),
                    );
                    // Something unreadable in its place, so that nothing more is said of it.
                    let kind = Kind::Bad("E1112", "a macro with wrong arguments", "");
                    out.push(Token { kind, place: call, ..token });
                    continue;
                }
                arguments = found;
            }
            let expansion = self.expansions.add(Expansion {
                kind: ExpansionKind::Macro,
                name: name.to_string(),
                call,
                definition,
            });
            let inside = |token: &Token| {
                let place = Place { span: token.place.span, expansion: Some(expansion) };
                Token { place, newline: false, ..token.clone() }
            };
            let mut tokens = match parameters {
                Some(parameters) if !parameters.is_empty() => {
                    self.substitute(&body, &parameters, &arguments, depth, &inside)
                }
                _ => body.iter().map(inside).collect(),
            };
            if body.iter().any(|token| token.is(Sign::Paste)) {
                if is_variadic {
                    elide_commas(&mut tokens);
                }
                self.paste(&mut tokens);
            }
            self.work += tokens.len() + 1;
            if self.work > MAX_WORK || frames.len() >= MAX_FRAMES {
                self.too_large(call);
                continue;
            }
            match tokens.first_mut() {
                Some(first) => {
                    first.newline = token.newline;
                    if first.note == 0 {
                        first.note = token.note;
                    }
                }
                None => (newline, note) = (token.newline, token.note),
            }
            self.busy.insert(name.clone());
            frames.push(Frame { tokens: tokens.into(), at: 0, name: Some(name), lines });
        }
        newline
    }

    /// The next token; frames that are used up are left.
    fn take(&mut self, frames: &mut Vec<Frame>) -> Option<Token> {
        let mut newline = false;
        while let Some(frame) = frames.last_mut() {
            if let Some(token) = frame.tokens.get(frame.at) {
                frame.at += 1;
                return Some(Token { newline: token.newline | newline, ..token.clone() });
            }
            let frame = frames.pop()?;
            newline |= frame.lines;
            if let Some(name) = frame.name {
                self.busy.remove(&name);
            }
        }
        None
    }

    /// Whether the next token is `(`.
    fn opens(&self, frames: &[Frame]) -> bool {
        let next = frames.iter().rev().find_map(|frame| frame.tokens.get(frame.at));
        next.is_some_and(|token| token.is(Sign::OpenParen))
    }

    /// Takes the arguments of a use, of which the last of `most` takes all that are left; also where their
    /// `)` stands.
    fn arguments(
        &mut self,
        frames: &mut Vec<Frame>,
        used: &Token,
        lines: &mut bool,
        most: usize,
    ) -> Option<(Vec<Vec<Token>>, Place)> {
        let mut arguments = vec![Vec::new()];
        let mut nesting = 0usize;
        while let Some(mut token) = self.take(frames) {
            *lines |= std::mem::take(&mut token.newline);
            match token.kind {
                Kind::Sign(Sign::OpenParen) => {
                    nesting += 1;
                    if nesting == 1 {
                        continue;
                    }
                }
                Kind::Sign(Sign::CloseParen) => {
                    nesting -= 1;
                    if nesting == 0 {
                        return Some((arguments, token.place));
                    }
                }
                Kind::Sign(Sign::Comma) if nesting == 1 && arguments.len() < most => {
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                last.push(token);
            }
        }
        let name = used.word().unwrap_or_default();
        self.wrong(
            ParseError::new("E1113", format!("the arguments of `{name}` do not end"), used.place)
                .label("expected `)` after this")
                .help("a directive ends the arguments of a macro too"),
        );
        None
    }

    /// The body with its parameters replaced.
    fn substitute(
        &mut self,
        body: &[Token],
        parameters: &[Rc<str>],
        arguments: &[Vec<Token>],
        depth: usize,
        inside: &dyn Fn(&Token) -> Token,
    ) -> Vec<Token> {
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; arguments.len()];
        let mut out = Vec::new();
        let index = |token: &Token| {
            token.word().and_then(|word| parameters.iter().position(|name| **name == *word))
        };
        let mut at = 0;
        while at < body.len() {
            let token = &body[at];
            let next = body.get(at + 1);
            if token.is(Sign::Hash)
                && let Some(parameter) = next.and_then(index)
            {
                let text = self.stringify(&arguments[parameter]);
                out.push(Token { kind: Kind::Text(text.into()), ..inside(token) });
                at += 2;
                continue;
            }
            if let Some(parameter) = index(token) {
                let beside = at > 0 && body[at - 1].is(Sign::Paste)
                    || next.is_some_and(|next| next.is(Sign::Paste));
                if beside && arguments[parameter].is_empty() {
                    out.push(Token { kind: NOTHING, ..inside(token) });
                } else if beside {
                    out.extend(arguments[parameter].iter().cloned());
                } else {
                    let value = match expanded[parameter].take() {
                        Some(value) => value,
                        None if depth >= MAX_ARGUMENTS => {
                            self.too_large(token.place);
                            Vec::new()
                        }
                        None => {
                            let mut value = Vec::new();
                            let raw: Rc<[Token]> = arguments[parameter].clone().into();
                            self.expand(raw, depth + 1, false, &mut value);
                            value
                        }
                    };
                    self.work += value.len();
                    if self.work > MAX_WORK {
                        self.too_large(token.place);
                        return out;
                    }
                    out.extend(value.iter().map(|token| Token { newline: false, ..token.clone() }));
                    expanded[parameter] = Some(value);
                }
            } else {
                out.push(inside(token));
            }
            at += 1;
        }
        out
    }

    /// Value of a name that every C preprocessor defines.
    fn predefined(&mut self, name: &str, place: Place) -> Option<Kind> {
        match name {
            "__LINE__" => {
                let at = self.expansions.root(place).start;
                Some(Kind::Number(i32::try_from(self.line(at)).unwrap_or(i32::MAX), true))
            }
            "__FILE__" => {
                let file = self.files.last().map_or("", |file| file.name.as_str());
                let text = file.replace('\\', "\\\\").replace('"', "\\\"");
                Some(Kind::Text(format!("\"{text}\"").into()))
            }
            _ => None,
        }
    }

    /// The line of a place in the file that is being read, from 1. Ends of lines are found once, since a text
    /// may ask for its lines often.
    fn line(&mut self, at: usize) -> usize {
        let known = self.line_ends.last().map_or(0, |end| end + 1);
        let rest = self.text.as_bytes().get(known..).unwrap_or_default();
        let ends = rest.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        self.line_ends.extend(ends.map(|(end, _)| known + end));
        let start = self.files.last().map_or(0, |file| file.start);
        let before = |place: usize| self.line_ends.partition_point(|&end| end < place);
        1 + before(at).saturating_sub(before(start))
    }

    fn spelled(&self, token: &Token) -> String {
        match &token.kind {
            Kind::Word(word) => word.to_string(),
            Kind::Number(value, true) => value.to_string(),
            Kind::Text(text) => text.to_string(),
            Kind::Sign(sign) => sign.text().to_owned(),
            _ => {
                self.text.get(token.place.span.start..token.place.span.end).unwrap_or("").to_owned()
            }
        }
    }

    fn stringify(&self, tokens: &[Token]) -> String {
        let words: Vec<String> = tokens.iter().map(|token| self.spelled(token)).collect();
        format!("\"{}\"", words.join(" ").replace('\\', "\\\\").replace('"', "\\\""))
    }

    /// Carries out `a ## b`.
    fn paste(&mut self, tokens: &mut Vec<Token>) {
        let mut out: Vec<Token> = Vec::new();
        let mut all = std::mem::take(tokens).into_iter();
        while let Some(token) = all.next() {
            if !token.is(Sign::Paste) {
                out.push(token);
                continue;
            }
            let (left, right) = match (out.pop(), all.next()) {
                (Some(left), Some(right)) if left.kind != NOTHING && right.kind != NOTHING => {
                    (left, right)
                }
                (left, right) => {
                    let rest = left.into_iter().chain(right);
                    out.extend(rest.filter(|token| token.kind != NOTHING));
                    continue;
                }
            };
            let glued = format!("{}{}", self.spelled(&left), self.spelled(&right));
            match lex(&glued).tokens.as_slice() {
                [one, _] if !matches!(one.kind, Kind::Bad(..)) => {
                    out.push(Token { kind: one.kind.clone(), ..left });
                }
                _ => {
                    self.wrong(
                        ParseError::new(
                            "E1111",
                            format!("`{glued}` is not one token"),
                            token.place,
                        )
                        .help("`##` glues two words, or a word and a number"),
                    );
                    out.push(left);
                }
            }
        }
        out.retain(|token| token.kind != NOTHING);
        *tokens = out;
    }
}

/// Carries out `, ## arguments` as GCC does: the comma vanishes if there are no arguments, and is not glued to
/// those that there are.
fn elide_commas(tokens: &mut Vec<Token>) {
    let mut all = std::mem::take(tokens).into_iter().peekable();
    while let Some(token) = all.next() {
        let is_glued = token.is(Sign::Comma) && all.peek().is_some_and(|it| it.is(Sign::Paste));
        if !is_glued {
            tokens.push(token);
            continue;
        }
        all.next();
        if all.next_if(|next| next.kind == NOTHING).is_none() {
            tokens.push(token);
        }
    }
}
