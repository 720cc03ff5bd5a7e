//! Whole arrays: copied by an assignment, compared, or given to another process.
//!
//! The first two are written out element by element, so that nothing after the parser knows of them.

use fairly_source::{Diagnostic, Span};

use super::codes;
use super::declaration::MOST_ELEMENTS;
use super::expression::{Deep, constant, count};
use super::lexer::Kind;
use super::names::Global;
use super::parser::{Parsed, Parser};
use super::syntax::{
    BinaryOperator, Expr, ExprKind, Place, PlaceKind, Statement, StatementKind, Type, Value,
    VariableId,
};

impl Parser<'_> {
    /// The error for an array where a single value should stand.
    pub(super) fn whole_array(&self, name: &str, span: Span) -> Diagnostic {
        let dimensions = match self.global(name) {
            Some(Global::Variable(id)) => self.spec.variables[id.index()].dimensions.len(),
            _ => 1,
        };
        let zeros = "[0]".repeat(dimensions.min(4));
        Diagnostic::error(
            codes::ARRAY,
            format!("the array `{name}` stands where a single value should"),
            span,
        )
        .label("an index is missing")
        .help(format!(
            "name an element, for example `{name}{zeros}`; a whole array can only be copied, \
             `a = b`, compared, passed to a process or sent"
        ))
    }

    /// An expression, or a whole array, to be given to another process.
    pub(super) fn value_or_array(&mut self) -> Parsed<Expr> {
        let span = self.span();
        if self.sees("[") {
            let elements = self.bracketed("[", Self::array_values)?.unwrap_or_default();
            let span = self.since(span);
            if elements.is_empty() {
                return Err(self.stop(
                    Diagnostic::error(codes::ELEMENTS, "an array has an element at least", span)
                        .label("there is no value here"),
                ));
            }
            return Ok(Expr { kind: ExprKind::List(elements), ty: Type::Unknown, span });
        }
        let is_alone = match self.kind_at(self.at + 1) {
            Some(Kind::Sign(sign)) => matches!(sign, "." | "," | "->" | "{"),
            Some(_) => false,
            None => true,
        };
        if let (Some(Kind::Name), true) = (self.kind(), is_alone)
            && self.local(self.slice(span)).is_none()
            && let Some(Global::Variable(id)) = self.global(self.slice(span))
            && !self.spec.variables[id.index()].dimensions.is_empty()
        {
            self.at += 1;
            let kind = ExprKind::Element(id, Vec::new());
            return Ok(Expr { kind, ty: Type::Unknown, span });
        }
        self.expression()
    }

    /// Whether the name that was just taken is an operand of `==` or `!=`.
    pub(super) fn is_compared(&self) -> bool {
        let compares = |sign: &str| matches!(sign, "==" | "!=");
        let before = self.at.checked_sub(2).is_some_and(|at| compares(self.sign_at(at)));
        compares(self.sign_at(self.at)) || before
    }

    /// Notes an array where a single value should stand.
    pub(super) fn single(&mut self, expr: &Expr) {
        if as_array(expr).is_some() {
            let wrong = self.whole_array(self.slice(expr.span), expr.span);
            self.note(wrong);
        }
    }

    /// `a == b` and `a != b`, if one of them is a whole array. An array never equals a single
    /// value, nor an array of another length.
    pub(super) fn compared_arrays(
        &mut self,
        operator: BinaryOperator,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Parsed<Option<Deep>> {
        let unequal = operator == BinaryOperator::NotEqual;
        let known = |value| {
            let kind = ExprKind::Bool(value);
            Ok(Some(Deep { expr: Expr { kind, ty: Type::Bool, span }, depth: 1 }))
        };
        let (a, b) = match (as_array(left), as_array(right)) {
            (None, None) => return Ok(None),
            (Some(a), Some(b)) => (a, b),
            _ => return known(unequal),
        };
        let (first, second) = (self.elements_of(a, left.span), self.elements_of(b, right.span));
        let types = (self.spec.variables[a.index()].ty, self.spec.variables[b.index()].ty);
        if first.len() != second.len() || types.0 != types.1 {
            return known(unequal);
        }
        self.written_out(first.len(), span)?;
        let pairs = first.into_iter().zip(second).map(|(a, b)| {
            let kind = ExprKind::Binary(operator, Box::new(a), Box::new(b));
            Expr { kind, ty: Type::Bool, span }
        });
        let joint = if unequal { BinaryOperator::Or } else { BinaryOperator::And };
        // Halves, so that the expression is not as deep as the array is long.
        let mut level: Vec<Expr> = pairs.collect();
        let mut depth = 3;
        while level.len() > 1 {
            let mut next = Vec::with_capacity(level.len().div_ceil(2));
            let mut rest = level.into_iter();
            while let Some(a) = rest.next() {
                next.push(match rest.next() {
                    Some(b) => {
                        let kind = ExprKind::Binary(joint, Box::new(a), Box::new(b));
                        Expr { kind, ty: Type::Bool, span }
                    }
                    None => a,
                });
            }
            level = next;
            depth += 1;
        }
        Ok(level.pop().map(|expr| Deep { expr, depth }))
    }

    /// `a = b;` or `a = [1, 2(3), x];`, after the name of the array `a`.
    pub(super) fn array_assignment(&mut self, id: VariableId) -> Parsed<StatementKind> {
        let start = self.previous();
        self.expect("=")?;
        let begin = self.span();
        let whole = Place { kind: PlaceKind::Variable(id), span: start };
        if let Some(peek) = self.peek(Some(&whole))? {
            return Ok(peek);
        }
        let values = if self.sees("[") {
            self.bracketed("[", Self::array_values)?
        } else {
            let name = self.slice(begin);
            match (self.local(name), self.global(name)) {
                (None, Some(Global::Variable(other)))
                    if !self.spec.variables[other.index()].dimensions.is_empty()
                        && self.sign_at(self.at + 1) != "[" =>
                {
                    self.at += 1;
                    Some(self.elements_of(other, begin))
                }
                _ => {
                    let value = self.expression()?;
                    let wrong = self.whole_array(self.slice(start), start);
                    if !matches!(value.kind, ExprKind::Int(_)) || constant(&value).is_some() {
                        self.note(wrong);
                    }
                    None
                }
            }
        };
        let span = self.since(begin);
        self.end_of_statement()?;
        let nothing = Ok(StatementKind::Block(Vec::new()));
        let Some(values) = values else { return nothing };
        let places = self.elements_of(id, start);
        if places.len() != values.len() {
            let name = self.slice(start);
            self.note(
                Diagnostic::error(
                    codes::ELEMENTS,
                    format!("`{name}` has {}", count(places.len(), "element")),
                    span,
                )
                .label(count(values.len(), "value"))
                .help("an array keeps its length; give every element a value"),
            );
            return nothing;
        }
        self.written_out(places.len(), span)?;
        let ty = self.spec.variables[id.index()].ty;
        if let Some(wrong) = values.iter().find(|value| reads(value, id)) {
            // All values are taken before the first is stored; one after the other would not do.
            let span = wrong.span;
            if values.iter().zip(&places).any(|(value, place)| value.kind != place.kind) {
                return Err(self.stop(
                    Diagnostic::error(codes::ARRAY, "the array is assigned to itself", span)
                        .label("this reads the array that is changed")
                        .help("copy the array into another one first"),
                ));
            }
            return nothing;
        }
        let mut statements = Vec::with_capacity(values.len());
        for (place, value) in places.into_iter().zip(values) {
            self.same_type(ty, &value);
            if let Some(Value::Int(number)) = constant(&value) {
                self.in_bounds(id, number, value.span);
            }
            let ExprKind::Element(array, indices) = place.kind else { continue };
            let target = Place { kind: PlaceKind::Element(array, indices), span: start };
            let kind = StatementKind::Assign { target, value };
            statements.push(Statement { kind, span: start.to(span) });
        }
        Ok(StatementKind::Block(statements))
    }

    /// `1, x + 1, 0(3), 4..6`: the values of a list.
    fn array_values(&mut self) -> Parsed<Vec<Expr>> {
        let mut values = Vec::new();
        while self.at < self.end {
            let value = self.expression()?;
            if self.takes("..") {
                let last = self.expression()?;
                let what = "the end of a range of values";
                let bounds = (self.known_int(&value, what), self.known_int(&last, what));
                let (Some(from), Some(to)) = bounds else { return Err(super::parser::ParseError) };
                let span = self.since(value.span);
                let length = usize::try_from(from.abs_diff(to)).unwrap_or(usize::MAX);
                self.written_out(length, span)?;
                let one = |value| Expr { kind: ExprKind::Int(value), ty: Type::Int, span };
                if from <= to {
                    values.extend((from..=to).map(one));
                } else {
                    values.extend((to..=from).rev().map(one));
                }
            } else if self.sees("(") {
                let times = self.bracketed("(", Self::expression)?;
                let times = times.and_then(|times| self.known_int(&times, "a number of values"));
                let times = usize::try_from(times.unwrap_or(1)).unwrap_or(0);
                self.written_out(times, value.span)?;
                values.extend(std::iter::repeat_n(value, times));
            } else {
                self.written_out(1, value.span)?;
                values.push(value);
            }
            if !self.takes(",") {
                break;
            }
        }
        Ok(values)
    }

    /// All elements of an array, the last index running fastest.
    fn elements_of(&self, id: VariableId, span: Span) -> Vec<Expr> {
        let variable = &self.spec.variables[id.index()];
        let count: u32 = variable.dimensions.iter().product();
        (0..count)
            .map(|at| {
                let mut rest = at;
                let mut indices = Vec::with_capacity(variable.dimensions.len());
                for &size in variable.dimensions.iter().rev() {
                    let value = i32::try_from(rest % size).unwrap_or(0);
                    indices.push(Expr { kind: ExprKind::Int(value), ty: Type::Int, span });
                    rest /= size;
                }
                indices.reverse();
                Expr { kind: ExprKind::Element(id, indices), ty: variable.ty, span }
            })
            .collect()
    }

    /// Counts elements that are written out; an error if there are too many of them.
    fn written_out(&mut self, elements: usize, span: Span) -> Parsed<()> {
        self.copied = self.copied.saturating_add(elements);
        if self.copied <= MOST_ELEMENTS {
            return Ok(());
        }
        Err(self.stop(
            Diagnostic::error(codes::ARRAY_SIZE, "too many elements are copied", span)
                .label(format!("more than {MOST_ELEMENTS} in the whole text"))
                .help("copy elements in a loop: `while (i < N) {a[i] = b[i]; i++}`"),
        ))
    }
}

/// The array, if that is all the expression is.
fn as_array(expr: &Expr) -> Option<VariableId> {
    match &expr.kind {
        ExprKind::Element(id, indices) if indices.is_empty() => Some(*id),
        _ => None,
    }
}

/// Whether an expression reads an array.
fn reads(expr: &Expr, array: VariableId) -> bool {
    match &expr.kind {
        ExprKind::Element(id, indices) => {
            *id == array || indices.iter().any(|index| reads(index, array))
        }
        ExprKind::ElementOf(_, operand) | ExprKind::Unary(_, operand) => reads(operand, array),
        ExprKind::Binary(_, left, right) => reads(left, array) || reads(right, array),
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Variable(_) | ExprKind::Local(_) => false,
        ExprKind::Math(_, operands) | ExprKind::List(operands) => {
            operands.iter().any(|operand| reads(operand, array))
        }
        // The operands of these are not followed.
        ExprKind::Define(_)
        | ExprKind::Query(..)
        | ExprKind::Quantified(..)
        | ExprKind::Method(_)
        | ExprKind::SameContents(..) => true,
    }
}
