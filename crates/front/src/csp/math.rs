//! `call(Max, a, b)`: the functions of `PAT.Math`.

use fairly_source::{Diagnostic, Span};

use super::codes;
use super::expression::{Deep, Level, are, constant, count};
use super::library::{Library, MathFunction};
use super::parser::{Parsed, Parser};
use super::syntax::{ExprKind, Type, Value};

/// A function and how many arguments it takes.
#[derive(Clone, Copy)]
pub(super) struct Function {
    function: MathFunction,
    arity: usize,
}

impl Parser<'_> {
    /// The function of that name, if `PAT.Math` is imported. PAT's own names begin with a capital
    /// letter; its manual writes some without.
    pub(super) fn math_function(&self, name: &str) -> Option<Function> {
        if !self.spec.imports.contains(&Library::Math) {
            return None;
        }
        let found = MathFunction::ALL.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name));
        found.map(|&(_, function, arity)| Function { function, arity })
    }

    /// `call(Max, a, b)`, at `call`.
    pub(super) fn math(&mut self, of: Function, start: Span) -> Parsed<Deep> {
        self.at += 1;
        let read = self.bracketed("(", |parser| {
            let mut operands = Vec::new();
            parser.at += 1;
            while parser.at < parser.end {
                parser.expect(",")?;
                let operand = parser.nested(|parser| parser.binary(Level::Or))?;
                parser.want(&operand.expr, Type::Int);
                operands.push(operand);
            }
            Ok(operands)
        })?;
        let span = self.since(start);
        let Some(operands) = read else { return Ok(Deep::stand_in(span)) };
        if operands.len() != of.arity {
            self.note(
                Diagnostic::error(
                    codes::ARGUMENTS,
                    format!(
                        "this function takes {} and {} given",
                        count(of.arity, "argument"),
                        are(operands.len(), "argument", "arguments"),
                    ),
                    span,
                )
                .label(format!("expected {}", count(of.arity, "argument")))
                .help("look at the functions of `PAT.Math` in the documentation of CSP#"),
            );
            return Ok(Deep::stand_in(span));
        }
        let number = |operand: &Deep| match constant(&operand.expr) {
            Some(Value::Int(value)) => Some(value),
            _ => None,
        };
        if let Some(numbers) = operands.iter().map(number).collect::<Option<Vec<i32>>>() {
            let Some(value) = compute(of.function, &numbers) else {
                self.note(
                    Diagnostic::error(codes::OVERFLOW, "this has no value", span)
                        .label("not an integer of 32 bits")
                        .help("look at the constants it is computed from"),
                );
                return Ok(Deep::stand_in(span));
            };
            return Ok(Deep::value(Value::Int(value), span));
        }
        let depth = operands.iter().map(|operand| operand.depth).max().unwrap_or(1);
        let mut operands: Vec<_> = operands.into_iter().map(|operand| operand.expr).collect();
        if of.function == MathFunction::Same {
            return Ok(Deep { expr: operands.remove(0), depth });
        }
        self.above(depth, ExprKind::Math(of.function, operands), Type::Int, span)
    }
}

/// The value of a function, if it is an integer of 32 bits.
pub(super) fn compute(function: MathFunction, operands: &[i32]) -> Option<i32> {
    let (x, y) = (i64::from(*operands.first()?), operands.get(1).map(|&y| i64::from(y)));
    let value = match function {
        MathFunction::Abs => x.abs(),
        MathFunction::Max => x.max(y?),
        MathFunction::Min => x.min(y?),
        MathFunction::Sign => x.signum(),
        MathFunction::Same => x,
        MathFunction::Sqrt => root(x)?,
        MathFunction::Pow => power(x, y?)?,
    };
    i32::try_from(value).ok()
}

/// The integer that is nearest to the square root. There is no tie: the root of an integer is no
/// half.
fn root(x: i64) -> Option<i64> {
    if x < 0 {
        return None;
    }
    let floor = x.isqrt();
    // `(floor + 1/2)²` is no integer.
    Some(if x > floor * floor + floor { floor + 1 } else { floor })
}

/// `x` to the power of `y`, rounded to the nearest integer, and to 0 from a half.
fn power(x: i64, y: i64) -> Option<i64> {
    match (x, y) {
        (1, _) | (_, 0) => Some(1),
        (-1, _) => Some(if y % 2 == 0 { 1 } else { -1 }),
        (0, _) => (y > 0).then_some(0),
        _ if y < 0 => Some(0),
        _ => x.checked_pow(u32::try_from(y).ok()?),
    }
}
