//! Elements of arrays, and channels: whether there is such a thing, and which one is meant.

use fairly_source::{Diagnostic, Span};

use super::codes;
use super::expression::{Deep, Level, are, constant, count, plural};
use super::lexer::Kind;
use super::names::Global;
use super::parser::{Parsed, Parser};
use super::syntax::{ChannelUse, Expr, ExprKind, LocalKind, Type, Value, VariableId};

impl Parser<'_> {
    /// `a[i][j]`, after the name.
    pub(super) fn element(&mut self, start: Span) -> Parsed<Deep> {
        let local = self.local(self.slice(start));
        if let Some(id) = local
            && let LocalKind::Parameter(_) | LocalKind::Received = self.locals[id.index()].kind
        {
            let index = self.bracketed("[", |parser| parser.binary(Level::Or))?;
            let span = self.since(start);
            let Some(index) = index else { return Ok(Deep::stand_in(span)) };
            self.want(&index.expr, Type::Int);
            if self.sees("[") {
                let wrong = Diagnostic::error(codes::INDICES, "an index too many", self.span());
                return Err(self.stop(wrong.label("not expected").help(
                    "whatever dimensions an array has, one that is received has one index",
                )));
            }
            let kind = ExprKind::ElementOf(id, Box::new(index.expr));
            return self.above(index.depth, kind, Type::Unknown, span);
        }
        let Some((id, indices, depth)) = self.indices(start)? else {
            return Ok(Deep::stand_in(self.since(start)));
        };
        let span = self.since(start);
        self.refuse_member(start)?;
        let ty = self.spec.variables[id.index()].ty;
        self.above(depth, ExprKind::Element(id, indices), ty, span)
    }

    /// The indices after the name of an array at `start`, and how deep they are; nothing if there
    /// is no such array.
    pub(super) fn indices(
        &mut self,
        start: Span,
    ) -> Parsed<Option<(VariableId, Vec<Expr>, usize)>> {
        let mut indices = Vec::new();
        let mut depth = 0;
        let mut complete = true;
        while self.sees("[") {
            match self.bracketed("[", |parser| parser.binary(Level::Or))? {
                Some(index) => {
                    self.want(&index.expr, Type::Int);
                    depth = depth.max(index.depth);
                    indices.push(index.expr);
                }
                None => complete = false,
            }
        }
        let name = self.slice(start);
        let known = if self.local(name).is_some() { None } else { self.global(name) };
        let wrong = match known {
            Some(Global::Variable(id)) => {
                let dimensions = self.spec.variables[id.index()].dimensions.clone();
                if dimensions.is_empty() {
                    Diagnostic::error(codes::NO_ARRAY, format!("`{name}` is no array"), start)
                        .label("a single value")
                        .help("remove the index, or declare an array")
                } else if dimensions.len() != indices.len() && complete {
                    let message = format!(
                        "`{name}` has {} and {} given",
                        count(dimensions.len(), "dimension"),
                        are(indices.len(), "index", "indices"),
                    );
                    Diagnostic::error(codes::INDICES, message, self.since(start))
                        .label(format!("expected {}", plural(dimensions.len(), "index", "indices")))
                        .help("give one index for each dimension")
                } else if complete {
                    for (index, &size) in indices.iter().zip(&dimensions) {
                        self.within(index, size, name);
                    }
                    return Ok(Some((id, indices, depth)));
                } else {
                    return Ok(None);
                }
            }
            Some(Global::Broken) => return Ok(None),
            Some(other) => {
                Diagnostic::error(codes::NO_ARRAY, format!("`{name}` is no array"), start)
                    .label(other.what())
                    .help("only variables that are declared with sizes have elements")
            }
            None if self.local(name).is_some() => {
                Diagnostic::error(codes::NO_ARRAY, format!("`{name}` is no array"), start)
                    .label("a parameter, index or received value")
                    .help("only global arrays have elements that can change")
            }
            None => self.unknown_value(name, start),
        };
        self.note(wrong);
        Ok(None)
    }

    /// Notes a constant index that no array of that size has.
    fn within(&mut self, index: &Expr, size: u32, name: &str) {
        if let Some(Value::Int(value)) = constant(index)
            && !u32::try_from(value).is_ok_and(|value| value < size)
        {
            self.note(
                Diagnostic::error(
                    codes::INDEX,
                    format!("`{name}` has no element {value}"),
                    index.span,
                )
                .label(format!("0 to {} are there", size - 1))
                .help("indices are counted from 0"),
            );
        }
    }

    /// `c` or `c[i]`; nothing if there is no such channel.
    pub(super) fn channel_use(&mut self) -> Parsed<Option<ChannelUse>> {
        let start = self.span();
        if !matches!(self.kind(), Some(Kind::Name)) {
            return Err(self.unexpected("the name of a channel"));
        }
        self.at += 1;
        let index = if self.sees("[") {
            let index = self.bracketed("[", Self::expression)?;
            index.inspect(|index| self.want(index, Type::Int)).map(Box::new)
        } else {
            None
        };
        let span = self.since(start);
        let name = self.slice(start);
        let known = self.global(name);
        let Some(Global::Channel(id)) = known else {
            if known != Some(Global::Broken) {
                self.no_channel(name, start);
            }
            return Ok(None);
        };
        match (self.spec.channels[id.index()].size, &index) {
            (Some(size), Some(index)) => self.within(index, size, name),
            (None, None) => {}
            (size, _) => {
                let (message, help) = match size {
                    Some(_) => (
                        format!("`{name}` is an array of channels"),
                        format!("say which one: `{name}[0]`"),
                    ),
                    None => {
                        (format!("`{name}` is a single channel"), "remove the index".to_owned())
                    }
                };
                self.note(
                    Diagnostic::error(codes::CHANNEL_INDEX, message, span)
                        .label(if size.is_some() {
                            "an index is missing"
                        } else {
                            "an index too many"
                        })
                        .help(help),
                );
                return Ok(None);
            }
        }
        Ok(Some(ChannelUse { channel: id, index, span }))
    }

    fn no_channel(&mut self, name: &str, span: Span) {
        if self.is_full() {
            return;
        }
        let near = self.names.near_value(name, |global| matches!(global, Global::Channel(_)));
        let other = match (self.local(name), self.global(name), self.names.definition(name)) {
            (Some(_), ..) => Some("a parameter, index or received value"),
            (_, Some(global), _) => Some(global.what()),
            (.., Some(_)) => Some("a process"),
            _ => None,
        };
        let wrong = match other {
            Some(other) => {
                Diagnostic::error(codes::NO_CHANNEL, format!("`{name}` is no channel"), span)
                    .label(other)
            }
            None => {
                Diagnostic::error(codes::CHANNEL, format!("there is no channel `{name}`"), span)
                    .label("not declared")
            }
        };
        self.note(wrong.help(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "declare it, for example `channel {} 1;`",
                if other.is_some() { "c" } else { name }
            ),
        }));
    }
}
