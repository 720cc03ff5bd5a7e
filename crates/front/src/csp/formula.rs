//! The formula of `#assert P |= …;`.
//!
//! PAT reads formulas with LTL2BA's grammar: `!`, `[]`, `<>`, `X` (and `G`, `F`) bind tightest,
//! then `U` and `V` (also written `R`), and then `&&`, `||`, `->` and `<->` **all alike**, and all
//! of them group to the left: `a || b && c` is `(a || b) && c`, and `a -> b -> c` is
//! `(a -> b) -> c`. `fairly_logic` groups as Spot does. So the formula is read here, and written
//! out for it with parentheses where the two differ, and with every name decided.

use std::collections::VecDeque;

use fairly_logic::Formulas;
use fairly_source::{Diagnostic, Span};

use super::codes;
use super::expression::constant;
use super::lexer::Kind;
use super::macros::Extent;
use super::names::Global;
use super::parser::{Parsed, Parser};
use super::syntax::{Define, ExprKind, FormulaText, Name, Type, Value};

/// The outermost operator.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Top {
    /// An operand, or something with a prefix operator or parentheses.
    Tight,
    /// `U` and the like.
    Until,
    /// A connective.
    Connective(&'static str),
}

/// A formula that has been written out: texts, and where what they say stands in the file.
struct Written {
    pieces: VecDeque<(String, usize)>,
    top: Top,
    /// How deep parentheses, prefixes and right sides nest.
    depth: usize,
}

impl Written {
    fn new(text: impl Into<String>, place: usize) -> Written {
        Written { pieces: VecDeque::from([(text.into(), place)]), top: Top::Tight, depth: 1 }
    }

    fn in_parentheses(mut self, start: usize, end: usize) -> Written {
        self.pieces.push_front(("(".to_owned(), start));
        self.pieces.push_back((")".to_owned(), end));
        Written { top: Top::Tight, depth: self.depth + 1, ..self }
    }
}

impl Parser<'_> {
    /// The formula up to the semicolon; nothing if it is wrong.
    pub(super) fn formula(&mut self) -> Parsed<Option<FormulaText>> {
        let start = self.span();
        let before = self.errors.len();
        let written = self.connectives()?;
        let span = self.since(start);
        if self.errors.len() > before {
            return Ok(None);
        }
        let mut text = FormulaText { span, logic: String::new(), places: Vec::new() };
        for (piece, place) in written.pieces {
            text.places.push((text.logic.len(), place));
            text.logic.push_str(&piece);
        }
        if let Err(mut wrong) = Formulas::new().parse(&text.logic) {
            wrong.span = text.place(wrong.span);
            return Err(self.stop(wrong));
        }
        Ok(Some(text))
    }

    fn connectives(&mut self) -> Parsed<Written> {
        let mut left = self.untils()?;
        loop {
            let place = self.span().start;
            let operator = match self.sign_at(self.at) {
                "&&" | "/\\" => "&&",
                "||" | "\\/" => "||",
                "->" => "->",
                "<->" => "<->",
                _ if self.sees_word("xor") => "xor",
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.untils()?;
            left = self.joined(left, operator, Top::Connective(operator), place, right)?;
        }
    }

    fn untils(&mut self) -> Parsed<Written> {
        let mut left = self.unary_formula()?;
        loop {
            let place = self.span().start;
            let operator = match self.word_at(self.at) {
                "U" => "U",
                "V" | "R" => "R",
                "W" => "W",
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.unary_formula()?;
            left = self.joined(left, operator, Top::Until, place, right)?;
        }
    }

    /// `left operator right`, with parentheses on the left unless they change nothing.
    fn joined(
        &mut self,
        mut left: Written,
        operator: &str,
        top: Top,
        place: usize,
        right: Written,
    ) -> Parsed<Written> {
        let flat = match left.top {
            Top::Tight => true,
            Top::Until => matches!(top, Top::Connective(_)),
            Top::Connective(before) => before == operator && matches!(operator, "&&" | "||"),
        };
        if !flat {
            let start = left.pieces.front().map_or(place, |&(_, place)| place);
            left = left.in_parentheses(start, place);
        }
        left.pieces.push_back((format!(" {operator} "), place));
        left.pieces.extend(right.pieces);
        let depth = left.depth.max(right.depth + 1);
        let end = self.previous();
        if depth >= super::MAX_NESTING {
            return Err(self.too_deep(end, super::MAX_NESTING));
        }
        Ok(Written { top, depth, ..left })
    }

    fn unary_formula(&mut self) -> Parsed<Written> {
        let place = self.span().start;
        let operator = match self.sign_at(self.at) {
            "!" => "!",
            "[]" => "[]",
            "<>" => "<>",
            _ => match self.word_at(self.at) {
                "X" if self.operand_follows() => "X ",
                "G" if self.operand_follows() => "[]",
                "F" if self.operand_follows() => "<>",
                _ => return self.formula_operand(),
            },
        };
        self.at += 1;
        let mut operand = self.nested(Self::unary_formula)?;
        operand.pieces.push_front((operator.to_owned(), place));
        operand.depth += 1;
        Ok(operand)
    }

    /// Whether the letter here is an operator: if nothing that it could apply to follows, it is a
    /// name.
    fn operand_follows(&self) -> bool {
        match self.kind_at(self.at + 1) {
            Some(Kind::Sign(sign)) => matches!(sign, "!" | "[]" | "<>" | "("),
            Some(Kind::Name) => !matches!(self.word_at(self.at + 1), "U" | "V" | "R" | "W"),
            Some(Kind::Keyword) => self.word_at(self.at + 1) != "xor",
            Some(Kind::Text) => true,
            Some(Kind::Number(_)) | None => false,
        }
    }

    /// Whether a comparison stands here, up to the next operator of formulas; where it ends.
    fn comparison(&self) -> Option<usize> {
        let mut compares = false;
        let mut at = self.at;
        while at < self.end {
            match self.kind_at(at) {
                Some(Kind::Sign(sign)) => match sign {
                    "==" | "!=" | "<" | "<=" | ">" | ">=" => compares = true,
                    "(" | "[" | "." | "*" | "+" | "-" | "/" | "%" | "&" | "|" | "^" | "$" => {}
                    _ => break,
                },
                Some(Kind::Name) if at > self.at && self.stands_alone(at) => break,
                Some(Kind::Keyword) if !matches!(self.word_at(at), "true" | "false" | "call") => {
                    break;
                }
                _ => {}
            }
            at = self.partners[at] + 1;
        }
        compares.then_some(at)
    }

    /// Whether the name at `at` follows a whole operand, as `U` does.
    fn stands_alone(&self, at: usize) -> bool {
        match self.kind_at(at - 1) {
            Some(Kind::Sign(sign)) => matches!(sign, ")" | "]"),
            Some(_) => true,
            None => false,
        }
    }

    /// `x > 0`, which has no name of its own.
    fn inline_condition(&mut self, end: usize) -> Parsed<Written> {
        let span = self.span();
        let outer = std::mem::replace(&mut self.end, end);
        let locals = std::mem::take(&mut self.locals);
        let read = self.condition().and_then(|condition| {
            if self.at < self.end { Err(self.unexpected("an operator")) } else { Ok(condition) }
        });
        self.end = outer;
        let locals = std::mem::replace(&mut self.locals, locals);
        let body = read?;
        match constant(&body) {
            Some(Value::Bool(value)) => {
                return Ok(Written::new(if value { "true" } else { "false" }, span.start));
            }
            _ if matches!(body.kind, ExprKind::Int(_)) => {
                return Ok(Written::new("true", span.start));
            }
            _ => {}
        }
        let text = super::print::condition_text(&self.spec, &locals, &body);
        let same = |define: &Define| define.inline && define.name.text == text;
        if !self.spec.defines.iter().any(same) {
            let name = Name { text: text.clone(), span: body.span };
            self.spec.defines.push(Define { name, inline: true, body, locals });
            // It is not used by name, so nothing is written out for it.
            self.extents.push(Extent { size: 0, depth: 0 });
        }
        Ok(Written::new(format!("state({text})"), span.start))
    }

    fn formula_operand(&mut self) -> Parsed<Written> {
        let span = self.span();
        if let Some(end) = self.comparison() {
            return self.inline_condition(end);
        }
        match self.kind() {
            Some(Kind::Sign("(")) => {
                let inner = self.bracketed("(", Self::connectives)?;
                let end = self.previous().start;
                // If there is nothing, that has been noted, and the formula is not used.
                Ok(inner.map_or(Written::new("true", span.start), |inner| match inner.top {
                    Top::Tight => inner,
                    _ => inner.in_parentheses(span.start, end),
                }))
            }
            Some(Kind::Keyword) => {
                let written = match self.word_at(self.at) {
                    "true" => "true",
                    "false" => "false",
                    "tau" => "event(tau)",
                    _ => return Err(self.unexpected("a condition or an event")),
                };
                self.at += 1;
                Ok(Written::new(written, span.start))
            }
            Some(Kind::Text) => self.quoted_event(span),
            Some(Kind::Name) => self.proposition(span),
            Some(Kind::Number(value @ (0 | 1))) => {
                self.at += 1;
                Ok(Written::new(if value == 1 { "true" } else { "false" }, span.start))
            }
            _ => Err(self.unexpected("a condition or an event")),
        }
    }

    /// `"c!1"`: PAT's way to name any event.
    fn quoted_event(&mut self, span: Span) -> Parsed<Written> {
        self.at += 1;
        let text: String = self.slice(span).trim_matches('"').split_whitespace().collect();
        if text.contains(":=") {
            return Ok(self.quoted_assignment(&text, span));
        }
        let signs = ['.', '!', '?'];
        let first = text.split(signs).next().unwrap_or_default();
        let (base, index) = match first.strip_suffix(']').and_then(|open| open.split_once('[')) {
            Some((base, index)) => (base, Some(index)),
            None => (first, None),
        };
        let mut event = base.to_owned();
        let mut known = self.known_event(base).is_some_and(|id| self.occurring.contains_key(&id));
        let mut channel = false;
        if let Some(Global::Channel(id)) = self.global(base) {
            channel = true;
            let size = self.spec.channels[id.index()].size;
            let index = index.and_then(|index| match self.global(index) {
                Some(Global::Constant(Value::Int(value))) => u32::try_from(value).ok(),
                _ => index.parse::<u32>().ok(),
            });
            known = match (size, index) {
                (Some(size), Some(index)) => {
                    event = format!("{base}[{index}]");
                    index < size
                }
                (None, None) => first == base,
                _ => false,
            };
        } else {
            known &= index.is_none();
        }
        let mut rest = &text[first.len()..];
        let mut parts = 0;
        while let Some(sign) = rest.chars().next() {
            known &= sign == '.' || channel && parts == 0;
            parts += 1;
            let part = rest[1..].split(signs).next().unwrap_or_default();
            rest = &rest[1 + part.len()..];
            event.push(sign);
            let value = match (part, self.global(part)) {
                ("*", _) => Some(part.to_owned()),
                // Truth values in events are the numbers 1 and 0.
                ("true" | "false", _) => Some(u8::from(part == "true").to_string()),
                (_, Some(Global::Constant(Value::Int(value)))) => Some(value.to_string()),
                (_, Some(Global::Constant(Value::Bool(value)))) => {
                    Some(u8::from(value).to_string())
                }
                _ => part.parse::<i32>().ok().map(|value| value.to_string()),
            };
            known &= value.is_some();
            event.push_str(&value.unwrap_or_default());
        }
        if !known || channel && parts == 0 {
            let at = self.slice(span).find(base).filter(|_| !base.is_empty());
            let inside = |at| Span::new(span.start + at, span.start + at + base.len());
            self.no_proposition(at.map_or(span, inside));
        }
        Ok(Written::new(format!("event({event})"), span.start))
    }

    /// `"x := x + i.2"`: the text of an assignment that is an event, and the values of the names in it.
    fn quoted_assignment(&mut self, text: &str, span: Span) -> Written {
        let is_data = |rest: &str| {
            let mut parts = rest.split('.');
            parts.next() == Some("") && parts.all(|part| part == "*" || part.parse::<i32>().is_ok())
        };
        let known = self.assignments.keys().any(|known| {
            text.strip_prefix(known.as_str()).is_some_and(|rest| rest.is_empty() || is_data(rest))
        });
        if !known {
            self.no_proposition(span);
        }
        Written::new(format!("event({text})"), span.start)
    }

    fn proposition(&mut self, span: Span) -> Parsed<Written> {
        let name = self.slice(span);
        if let ("event" | "state", "(") = (name, self.sign_at(self.at + 1)) {
            return self.decided(span, name == "event");
        }
        if let ("enabled" | "taken", "(") = (name, self.sign_at(self.at + 1)) {
            let whole = span.to(self.tokens[self.partners[self.at + 1]].span);
            self.at = self.partners[self.at + 1] + 1;
            return Ok(Written::new(format!("state({})", self.slice(whole)), span.start));
        }
        self.at += 1;
        if matches!(self.sign_at(self.at), "." | "!" | "?" | "[") {
            return self.event_formula(span);
        }
        match self.global(name) {
            Some(Global::Define(id)) => {
                let ty = self.spec.defines[id.index()].body.ty;
                self.truth(ty, span);
                Ok(Written::new(format!("state({name})"), span.start))
            }
            Some(Global::Constant(Value::Bool(value))) => {
                Ok(Written::new(if value { "true" } else { "false" }, span.start))
            }
            Some(Global::Constant(Value::Int(_))) if self.known_event(name).is_none() => {
                self.truth(Type::Int, span);
                Ok(Written::new("true", span.start))
            }
            Some(Global::Variable(_)) if self.known_event(name).is_none() => {
                let help = format!("give a condition on it a name: `#define c {name} == 0;`");
                self.note(
                    Diagnostic::error(
                        codes::PROPOSITION,
                        format!("the variable `{name}` is neither a condition nor an event"),
                        span,
                    )
                    .label("a variable")
                    .help(help),
                );
                Ok(Written::new("true", span.start))
            }
            Some(Global::Broken) => Ok(Written::new("true", span.start)),
            _ => self.event_formula(span),
        }
    }

    fn truth(&mut self, ty: Type, span: Span) {
        let kind = super::syntax::ExprKind::Int(0);
        self.want(&super::syntax::Expr { kind, ty, span }, Type::Bool);
    }

    /// `event(a.0)` and `state(c)`, which PAT has not: for a name that is both.
    fn decided(&mut self, span: Span, event: bool) -> Parsed<Written> {
        self.at += 1;
        let inner = self.bracketed("(", |parser| {
            let inner = parser.span();
            let assigns = (parser.at..parser.end).any(|at| parser.sign_at(at) == ":=");
            if event && assigns {
                let whole = inner.to(parser.tokens[parser.end - 1].span);
                let text = parser.slice(whole).split_whitespace().collect::<String>();
                parser.at = parser.end;
                return Ok(parser.quoted_assignment(&text, whole));
            }
            if event && parser.takes_word("tau") {
                return Ok(Written::new("event(tau)", inner.start));
            }
            if !event && let Some(end) = parser.comparison() {
                return parser.inline_condition(end);
            }
            let name = parser.name("a condition or event")?;
            if event {
                return parser.event_formula(inner);
            }
            if !matches!(parser.global(&name.text), Some(Global::Define(_) | Global::Broken)) {
                parser.no_proposition(inner);
            }
            Ok(Written::new(format!("state({})", name.text), inner.start))
        })?;
        Ok(inner.unwrap_or_else(|| Written::new("true", span.start)))
    }

    /// An event, output or input whose first word was just taken.
    fn event_formula(&mut self, span: Span) -> Parsed<Written> {
        let name = self.slice(span);
        let mut event = name.to_owned();
        let mut parts = 0usize;
        let mut open = false;
        let channel = matches!(self.global(name), Some(Global::Channel(_)));
        if channel {
            // `c[1]`: the index is checked as in a process, and must be constant.
            self.at -= 1;
            let index = self.channel_use()?.and_then(|channel| channel.index);
            let index = index.and_then(|index| self.known_int(&index, "an index in a formula"));
            event.push_str(&index.map_or(String::new(), |index| format!("[{index}]")));
        }
        let communication = matches!(self.sign_at(self.at), "!" | "?");
        while matches!(self.sign_at(self.at), "." | "!" | "?") {
            let sign = self.sign_at(self.at);
            if sign != "." && (parts > 0 || !channel) {
                break;
            }
            self.at += 1;
            event.push_str(sign);
            parts += 1;
            open = self.sees("*");
            if self.takes("*") {
                event.push('*');
                continue;
            }
            let part = self.part()?;
            event.push_str(&part);
        }
        let id = self.known_event(name);
        let counts = id.and_then(|id| self.occurring.get(&id));
        if !channel && !communication {
            match counts {
                None => self.no_proposition(span),
                Some(counts) => {
                    let fits = |&count: &usize| if open { count >= parts } else { count == parts };
                    if !counts.iter().any(fits) {
                        let counts = counts.clone();
                        self.other_parts(name, &counts, self.since(span));
                    }
                }
            }
        } else if !channel {
            self.no_proposition(span);
        } else if parts == 0 {
            self.note(
                Diagnostic::error(
                    codes::PROPOSITION,
                    format!("the channel `{name}` alone is no event"),
                    span,
                )
                .label("what is communicated is missing")
                .help(format!("write `{name}!1`, `{name}?1`, or `{name}!*` for any")),
            );
        }
        Ok(Written::new(format!("event({event})"), span.start))
    }

    /// A part of an event: a number or constant.
    fn part(&mut self) -> Parsed<String> {
        let part = match self.kind() {
            Some(Kind::Keyword) if self.sees_word("true") || self.sees_word("false") => {
                let value = u8::from(self.sees_word("true"));
                self.at += 1;
                return Ok(value.to_string());
            }
            Some(Kind::Number(_) | Kind::Name | Kind::Sign("(" | "-")) => {
                // A single operand: after it may come `->`, which is no part of it.
                let negative = self.takes("-");
                let end = self.partners.get(self.at).map_or(self.at, |&partner| partner) + 1;
                let end = end.min(self.end);
                let outer = std::mem::replace(&mut self.end, end);
                let read = self.expression();
                self.end = outer;
                (read?, negative)
            }
            _ => return Err(self.unexpected("a number or constant")),
        };
        let (expr, negative) = part;
        Ok(match self.known(&expr, "a part of an event in a formula") {
            Some(Value::Int(value)) if negative => i64::from(value).wrapping_neg().to_string(),
            Some(Value::Int(value)) => value.to_string(),
            Some(Value::Bool(value)) => u8::from(value).to_string(),
            None => "0".to_owned(),
        })
    }

    fn other_parts(&mut self, name: &str, counts: &[usize], span: Span) {
        let example = match counts.iter().min() {
            None | Some(0) => name.to_owned(),
            Some(&count) => format!("{name}{}", ".0".repeat(count.min(8))),
        };
        let any = if counts.iter().any(|&count| count > 0) {
            format!(", or `{name}.*` for any")
        } else {
            String::new()
        };
        self.note(
            Diagnostic::error(
                codes::PROPOSITION,
                format!("no event of the model is called `{}`", self.slice(span)),
                span,
            )
            .label("has another number of parts")
            .help(format!("the model has events such as `{example}`{any}")),
        );
    }
}
