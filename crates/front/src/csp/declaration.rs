//! Constants, enumerations, variables, channels and conditions.

use fairly_source::{Diagnostic, Position, Span};

use super::codes;
use super::expression::constant;
use super::fold;
use super::lexer::Kind;
use super::macros::Extent;
use super::names::Global;
use super::parser::{ParseError, Parsed, Parser};
use super::syntax::{
    Bounds, Channel, ChannelId, Constant, Define, DefineId, Expr, ExprKind, Name, Type, Value,
    Variable, VariableId,
};

/// How many elements all arrays of a text may have together.
pub const MOST_ELEMENTS: usize = 1 << 20;

impl Parser<'_> {
    /// Declares a name, or notes that it has been declared before.
    pub(super) fn declare(&mut self, span: Span, global: Global) -> bool {
        let name = self.slice(span);
        let earlier = self.names.declare(name, global, span);
        if let Some(earlier) = earlier {
            self.twice(name, span, earlier);
        }
        earlier.is_none()
    }

    /// Notes that a name is declared a second time.
    pub(super) fn twice(&mut self, name: &str, span: Span, earlier: Span) {
        if self.is_full() {
            return;
        }
        let line = Position::of(self.text, earlier.start).line;
        self.note(
            Diagnostic::error(codes::TWICE, format!("`{name}` is declared twice"), span)
                .label(format!("first declared in line {line}"))
                .help("rename one of the two"),
        );
    }

    /// The semicolon at the end of a declaration.
    pub(super) fn end_of_item(&mut self) -> Parsed<()> {
        if self.at == self.end {
            let span = Span::at(self.previous().end);
            return Err(self.stop(
                Diagnostic::error(codes::SEMICOLON, "a semicolon is missing", span)
                    .label("expected `;`")
                    .help("every declaration ends with `;`"),
            ));
        }
        if !self.takes(";") {
            return Err(self.unexpected("an operator or `;`"));
        }
        if self.at < self.end {
            return Err(self.unexpected("a declaration"));
        }
        Ok(())
    }

    /// `#define`, if everything it uses is a constant that is known already. Returns whether it
    /// was read; if not, it is a matter for [`Parser::condition_define`].
    pub(super) fn constant_define(&mut self) -> Parsed<bool> {
        let body = self.at + 3;
        let constant = (body..self.end).all(|at| match self.kind_at(at) {
            Some(Kind::Name) => {
                matches!(self.global(self.word_at(at)), Some(Global::Constant(_)))
            }
            _ => !matches!(self.sign_at(at), "{" | "#"),
        });
        // The shape decides what the errors are, so a wrong one is left for later as well.
        let constant = constant && body < self.end && !self.has_parameters(body);
        if constant {
            self.define()?;
        }
        Ok(constant)
    }

    /// Whether the parameters of a macro stand at `at`: names in parentheses, and then neither the
    /// end nor an operator.
    fn has_parameters(&self, at: usize) -> bool {
        if self.sign_at(at) != "(" {
            return false;
        }
        let close = self.partners[at];
        let names = (at + 1..close).all(|inside| {
            if (inside - at) % 2 == 1 {
                matches!(self.kind_at(inside), Some(Kind::Name))
            } else {
                self.sign_at(inside) == ","
            }
        });
        let follows = matches!(self.kind_at(close + 1), Some(Kind::Name | Kind::Number(_)))
            || matches!(self.word_at(close + 1), "call" | "true" | "false" | "if")
            || matches!(self.sign_at(close + 1), "(" | "{" | "!");
        names && close > at + 1 && follows
    }

    /// A `#define` that is not constant, or is wrong.
    pub(super) fn condition_define(&mut self) -> Parsed<()> {
        self.define()
    }

    fn define(&mut self) -> Parsed<()> {
        self.fresh();
        self.at += 2;
        let name = self.name("a constant or condition")?;
        let key = self.slice(name.span);
        // Of two with one name, the first counts.
        let first = self.names.declared(key) == Some(name.span);
        if self.sees("{") || self.has_parameters(self.at) {
            let read = self.macro_definition()?;
            if first {
                self.names.settle(key, Global::Macro(self.macros.len()));
                self.macros.push(read);
            }
            return Ok(());
        }
        if self.sees("#") {
            return Err(self.refuse(
                codes::COUNTER,
                "a variable that counts processes",
                name.span,
                "count with a variable that the processes change",
            ));
        }
        if self.at == self.end || self.sees(";") {
            return Err(self.unexpected_with(
                "a value or condition",
                Some("PAT has no conditional compilation: a `#define` gives a name to a value"),
            ));
        }
        let (before, from) = (self.written_out, self.at);
        let (body, depth) = self.measured(Self::expression);
        let body = body?;
        let size = (self.at - from) + (self.written_out - before);
        self.end_of_item()?;
        if !first {
            return Ok(());
        }
        let global = match constant(&body) {
            Some(value) => {
                self.spec.constants.push(Constant { name, value });
                Global::Constant(value)
            }
            None if matches!(body.kind, ExprKind::Int(_)) => Global::Broken,
            None => {
                let id = DefineId::from_index(self.spec.defines.len());
                let locals = std::mem::take(&mut self.locals);
                self.spec.defines.push(Define { name, inline: false, body, locals });
                self.extents.push(Extent { size, depth });
                Global::Define(id)
            }
        };
        self.names.settle(key, global);
        Ok(())
    }

    /// `enum {A, B, C};`. Declares the names as well.
    pub(super) fn enumeration(&mut self) -> Parsed<()> {
        self.at += 1;
        let members = self.bracketed("{", |parser| {
            let mut members = Vec::new();
            loop {
                members.push(parser.name("a constant")?);
                if !parser.takes(",") {
                    return Ok(members);
                }
            }
        })?;
        for (number, name) in members.into_iter().flatten().enumerate() {
            let value = Value::Int(i32::try_from(number).unwrap_or(i32::MAX));
            if self.declare(name.span, Global::Constant(value)) {
                self.spec.constants.push(Constant { name, value });
            }
        }
        self.end_of_item()
    }

    /// `channel c[K] N;`.
    pub(super) fn channel(&mut self) -> Parsed<()> {
        self.fresh();
        self.at += 1;
        let name = self.name("a channel")?;
        let first = self.names.declared(self.slice(name.span)) == Some(name.span);
        let mut size = None;
        if self.sees("[") {
            let expr = self.bracketed("[", Self::sum)?;
            let count = expr.and_then(|expr| self.size(&expr, "the number of channels", 1));
            size = Some(count.unwrap_or(1));
        }
        let capacity = self.sum()?;
        let capacity = self.size(&capacity, "the capacity of a channel", 0).unwrap_or(0);
        self.end_of_item()?;
        if first {
            let id = ChannelId::from_index(self.spec.channels.len());
            self.names.settle(self.slice(name.span), Global::Channel(id));
            self.spec.channels.push(Channel { name, size, capacity });
        }
        Ok(())
    }

    /// A constant of at least `least` that counts something.
    fn size(&mut self, expr: &Expr, what: &str, least: i32) -> Option<u32> {
        let value = self.known_int(expr, what)?;
        let most = i32::try_from(MOST_ELEMENTS).unwrap_or(i32::MAX);
        if (least..=most).contains(&value) {
            return u32::try_from(value).ok();
        }
        self.note(
            Diagnostic::error(codes::ARRAY_SIZE, format!("{what} cannot be {value}"), expr.span)
                .label(format!("expected {least} to {most}"))
                .help("look at the constants it is computed from"),
        );
        None
    }

    /// `var x:{0..3} = 1;`, `var a[2][3] = [1, 2(4), 5];`.
    pub(super) fn variable(&mut self) -> Parsed<()> {
        self.fresh();
        let hidden = self.takes_word("hvar");
        if !hidden {
            self.at += 1;
        }
        if self.sees("<") {
            return self.collection(hidden);
        }
        let name = self.name("a variable")?;
        let key = self.slice(name.span);
        let first = self.names.declared(key) == Some(name.span);
        let dimensions = self.dimensions()?;
        let bounds = if self.takes(":") { self.bounds()? } else { None };
        let initial = if self.takes("=") { Some(self.initial(&dimensions)?) } else { None };
        self.end_of_item()?;
        if !first {
            return Ok(());
        }
        let Some(variable) = self.filled(name, hidden, dimensions, bounds, initial) else {
            self.names.settle(key, Global::Broken);
            return Ok(());
        };
        let id = VariableId::from_index(self.spec.variables.len());
        self.names.settle(key, Global::Variable(id));
        self.spec.variables.push(variable);
        Ok(())
    }

    /// The sizes; `None` for one that is wrong.
    fn dimensions(&mut self) -> Parsed<Vec<Option<u32>>> {
        let mut dimensions = Vec::new();
        while self.sees("[") {
            let size = self.bracketed("[", Self::expression)?;
            dimensions.push(size.and_then(|size| self.size(&size, "the size of an array", 1)));
        }
        Ok(dimensions)
    }

    /// `{lo..hi}`, after the colon.
    pub(super) fn bounds(&mut self) -> Parsed<Option<Bounds>> {
        let read = self.bracketed("{", |parser| {
            let start = parser.span();
            let low = if parser.sees("..") { None } else { Some(parser.sum()?) };
            parser.expect("..")?;
            let high = if parser.at == parser.end { None } else { Some(parser.sum()?) };
            let span = parser.since(start);
            let what = "the bound of a variable";
            let low = low.and_then(|low| parser.known_int(&low, what));
            let high = high.and_then(|high| parser.known_int(&high, what));
            if let (Some(low), Some(high)) = (low, high)
                && low > high
            {
                parser.empty_range(span);
                return Ok(None);
            }
            Ok(Some(Bounds { low, high }))
        })?;
        Ok(read.flatten())
    }

    /// Parses the text behind the `=` of a variable: values, and their positions.
    fn initial(&mut self, dimensions: &[Option<u32>]) -> Parsed<Initial> {
        let start = self.span();
        if self.sees("*") {
            return Err(self.refuse(
                codes::WILDCARD,
                "an initial value that is left open",
                start,
                "let the first step choose: `Start() = [] i:{0..3}@choose.i{x = i} -> System();`",
            ));
        }
        if self.sees("[") {
            let items = self.bracketed("[", Self::elements)?;
            return Ok(Initial { items, list: true, span: self.since(start) });
        }
        if let Some(copied) = self.initial_copy(start) {
            return Ok(copied);
        }
        let value = self.expression()?;
        if !dimensions.is_empty() {
            self.note(
                Diagnostic::error(
                    codes::ELEMENTS,
                    "an array starts with a list of values",
                    value.span,
                )
                .label("expected `[…]`")
                .help(
                    "for the same value everywhere write `[value(count)]`; without `=` all are 0",
                ),
            );
            return Ok(Initial { items: None, list: true, span: value.span });
        }
        let known = self.known_at_first(&value);
        let items = known.map(|known| vec![(known, value.span, 1)]);
        Ok(Initial { items, list: false, span: value.span })
    }

    /// `var a = b;` where `b` is an array that has been declared before.
    fn initial_copy(&mut self, start: Span) -> Option<Initial> {
        let Some(Global::Variable(id)) = self.global(self.slice(start)) else { return None };
        let variable = &self.spec.variables[id.index()];
        if variable.dimensions.is_empty() || self.sign_at(self.at + 1) == "[" {
            return None;
        }
        let items = variable.initial.iter().map(|&value| (value, start, 1)).collect();
        self.at += 1;
        Some(Initial { items: Some(items), list: true, span: start })
    }

    /// An initial value. It may be computed from the initial values of variables above.
    fn known_at_first(&mut self, expr: &Expr) -> Option<Value> {
        self.at_first(expr).or_else(|| self.known(expr, "an initial value"))
    }

    /// The value of an expression before anything has happened.
    fn at_first(&self, expr: &Expr) -> Option<Value> {
        let initial =
            |id: VariableId, at: usize| self.spec.variables[id.index()].initial.get(at).copied();
        match &expr.kind {
            ExprKind::Variable(id) => initial(*id, 0),
            ExprKind::Element(id, indices) => {
                let mut flat = 0usize;
                for (index, &size) in
                    indices.iter().zip(&self.spec.variables[id.index()].dimensions)
                {
                    let Some(Value::Int(index)) = self.at_first(index) else { return None };
                    let index = u32::try_from(index).ok().filter(|&index| index < size)?;
                    flat = flat * size as usize + index as usize;
                }
                initial(*id, flat)
            }
            ExprKind::Unary(operator, operand) => {
                fold::unary(*operator, self.at_first(operand)?).ok().flatten()
            }
            ExprKind::Binary(operator, left, right) => {
                let (left, right) = (self.at_first(left)?, self.at_first(right)?);
                fold::binary(*operator, left, right).ok().flatten()
            }
            _ => constant(expr),
        }
    }

    /// `1, 2(3), 5..8`: each value, where it stands and how often it comes.
    fn elements(&mut self) -> Parsed<Vec<(Value, Span, usize)>> {
        let mut items = Vec::new();
        let mut total = 0usize;
        let mut complete = true;
        loop {
            // A row of an array of several dimensions; the rows follow each other.
            if self.sees("[") {
                let row = self.bracketed("[", Self::elements)?;
                complete &= row.is_some();
                let row = row.unwrap_or_default();
                let length = row.iter().map(|&(.., times)| times).sum();
                total = total.saturating_add(length);
                let span = self.previous();
                self.not_too_many(total, span)?;
                items.extend(row);
                if self.takes(",") {
                    continue;
                }
                return if complete { Ok(items) } else { Err(ParseError) };
            }
            let first = self.expression()?;
            let span = first.span;
            let value = self.known_at_first(&first);
            complete &= value.is_some();
            if self.takes("..") {
                let last = self.expression()?;
                self.want(&first, Type::Int);
                let last = self.known_int(&last, "an initial value");
                complete &= last.is_some();
                if let (Some(Value::Int(from)), Some(to)) = (value, last) {
                    let span = self.since(span);
                    // PAT counts down if the first is the greater.
                    let count = usize::try_from(from.abs_diff(to)).unwrap_or(usize::MAX);
                    total = total.saturating_add(count).saturating_add(1);
                    self.not_too_many(total, span)?;
                    let one = |value| (Value::Int(value), span, 1);
                    if from <= to {
                        items.extend((from..=to).map(one));
                    } else {
                        items.extend((to..=from).rev().map(one));
                    }
                }
            } else {
                let mut times = 1;
                if self.sees("(") {
                    let count = self.bracketed("(", Self::expression)?;
                    let count = count.and_then(|count| self.size(&count, "a number of values", 0));
                    times = count.map_or(1, |count| count as usize);
                }
                total = total.saturating_add(times);
                self.not_too_many(total, span)?;
                items.extend(value.map(|value| (value, span, times)));
            }
            if !self.takes(",") {
                return if complete { Ok(items) } else { Err(ParseError) };
            }
        }
    }

    pub(super) fn not_too_many(&mut self, total: usize, span: Span) -> Parsed<()> {
        if self.elements.saturating_add(total) <= MOST_ELEMENTS {
            return Ok(());
        }
        Err(self.stop(
            Diagnostic::error(codes::ARRAY_SIZE, "the arrays are too large", span)
                .label(format!("more than {MOST_ELEMENTS} elements in all"))
                .help("every element is part of every state; use smaller arrays"),
        ))
    }

    /// The variable, if nothing is wrong with it.
    fn filled(
        &mut self,
        name: Name,
        hidden: bool,
        dimensions: Vec<Option<u32>>,
        bounds: Option<Bounds>,
        initial: Option<Initial>,
    ) -> Option<Variable> {
        let mut dimensions: Vec<u32> = dimensions.into_iter().collect::<Option<_>>()?;
        let size = dimensions.iter().fold(1usize, |all, &size| all.saturating_mul(size as usize));
        self.not_too_many(size, name.span).ok()?;
        let (items, span) = match initial {
            Some(Initial { items, list, span }) => {
                let items = items?;
                let given: usize = items.iter().map(|&(.., times)| times).sum();
                if dimensions.is_empty() && list {
                    dimensions.push(u32::try_from(given).ok()?);
                } else if given != size {
                    self.note(
                        Diagnostic::error(
                            codes::ELEMENTS,
                            format!("`{}` has {size} elements", name.text),
                            span,
                        )
                        .label(super::expression::count(given, "value"))
                        .help("give every element a value, row by row; `0(3)` is three zeros"),
                    );
                    return None;
                }
                (items, span)
            }
            None => (vec![(Value::Int(0), name.span, size)], name.span),
        };
        if items.is_empty() || dimensions.contains(&0) {
            self.note(
                Diagnostic::error(
                    codes::ELEMENTS,
                    format!("`{}` has no elements", name.text),
                    span,
                )
                .label("at least one is needed")
                .help("give the array a value"),
            );
            return None;
        }
        let ty = type_of(items[0].0);
        let mut values = Vec::new();
        for &(value, span, times) in &items {
            if type_of(value) != ty {
                let kind = ExprKind::Int(0);
                self.same_type(ty, &Expr { kind, ty: type_of(value), span });
                return None;
            }
            if let (Some(bounds), Value::Int(number)) = (bounds, value)
                && times > 0
                && self.outside(bounds, &name.text, number, span)
            {
                return None;
            }
            values.extend(std::iter::repeat_n(value, times));
        }
        self.elements += values.len();
        Some(Variable { name, hidden, dimensions, bounds, ty, initial: values, collection: None })
    }

    /// Notes a value outside the bounds; whether it is.
    pub(super) fn outside(&mut self, bounds: Bounds, name: &str, value: i32, span: Span) -> bool {
        let below = bounds.low.is_some_and(|low| value < low);
        let above = bounds.high.is_some_and(|high| value > high);
        if !below && !above {
            return false;
        }
        let end = |end: Option<i32>| end.map_or(String::new(), |end| end.to_string());
        let (low, high) = (end(bounds.low), end(bounds.high));
        self.note(
            Diagnostic::error(codes::OUTSIDE, format!("`{name}` cannot be {value}"), span)
                .label(format!("its bounds are {{{low}..{high}}}"))
                .help("a variable without an initial value starts with 0; change the value or the bounds"),
        );
        true
    }

    /// The place of the name of a declaration that starts at `start`, after its keyword.
    pub(super) fn name_at(&self, at: usize) -> Option<Span> {
        match self.kind_at(at) {
            Some(Kind::Name) => Some(self.tokens[at].span),
            _ => None,
        }
    }
}

/// Initial values, each with its place and how often it comes; no values if they are wrong.
struct Initial {
    items: Option<Vec<(Value, Span, usize)>>,
    list: bool,
    span: Span,
}

fn type_of(value: Value) -> Type {
    match value {
        Value::Int(_) => Type::Int,
        Value::Bool(_) => Type::Bool,
    }
}
