//! `#define` with parameters or a program: written out where it is used.
//!
//! `#define sum(i, j) i + j;` is used as `call(sum, 1, x)`, `#define reset(i) {x = i; y = i};` as the
//! statement `call(reset, 0);`, and `#define clear {x = 0};` as `clear;`. As in PAT, what stands for a
//! parameter is put in its place without being evaluated first.

use fairly_source::{Diagnostic, Span};

use super::codes;
use super::expression::{Deep, are, count};
use super::library::{MethodCall, ObjectValue};
use super::names::Global;
use super::parser::{Parsed, Parser};
use super::syntax::{
    Binding, DefineId, Domain, Expr, ExprKind, LocalId, LocalKind, MAX_DEPTH, Name, Place,
    PlaceKind, Statement, StatementKind,
};

/// How many signs and words all uses of macros in a text may be written out to.
const MOST_WRITTEN_OUT: usize = 1 << 20;

/// How much a `#define` is written out to, with those that it uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Signs and words.
    pub(super) size: usize,
    /// How deep the expression is.
    pub(super) depth: usize,
}

/// A macro.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    parameters: Vec<Name>,
    /// The tokens it stands for.
    start: usize,
    end: usize,
    /// Whether it stands for a program.
    program: bool,
}

impl Parser<'_> {
    /// The parameters and the text of a macro, after its name.
    pub(super) fn macro_definition(&mut self) -> Parsed<Macro> {
        let mut parameters = Vec::new();
        if self.sees("(") {
            let close = self.partners[self.at];
            self.at += 1;
            while self.at < close {
                parameters.push(self.name("a parameter")?);
                if self.at < close {
                    self.expect(",")?;
                }
            }
            self.at = close + 1;
        }
        let start = self.at;
        let program = self.sees("{");
        let end = match program {
            true => self.partners[start] + 1,
            // Up to the semicolon.
            false => self.end.saturating_sub(1).max(start),
        };
        self.at = end;
        self.end_of_item()?;
        Ok(Macro { parameters, start, end, program })
    }

    /// The macro of that name, if there is one.
    pub(super) fn macro_named(&self, name: &str) -> Option<Macro> {
        match self.global(name) {
            Some(Global::Macro(at)) if self.local(name).is_none() => self.macros.get(at).cloned(),
            _ => None,
        }
    }

    /// `call(f, 1, x)` of a macro that is an expression.
    pub(super) fn macro_value(&mut self, start: Span) -> Parsed<Deep> {
        let Some((used, arguments, depth)) = self.macro_call(start)? else {
            return Ok(Deep::stand_in(self.since(start)));
        };
        let span = self.since(start);
        if used.program {
            return Err(self.stop(
                Diagnostic::error(codes::MACRO, "this `#define` is a program, not a value", span)
                    .label("a value is needed here")
                    .help("call it as a statement of a program"),
            ));
        }
        let (body, inner) = self.measured(|parser| {
            parser.written_at(&used, span, |parser, locals| {
                let body = parser.expression()?;
                if parser.at < parser.end {
                    return Err(parser.unexpected("an operator or `;`"));
                }
                Ok(replaced_expr(&body, &|local| substitute(local, locals, &arguments)))
            })
        });
        let body = body?;
        let depth = depth + inner;
        if depth >= MAX_DEPTH {
            return Err(self.too_deep(span, MAX_DEPTH));
        }
        Ok(Deep { expr: body, depth })
    }

    /// `call(f, 1, x);` or `f;` of a macro that is a program.
    pub(super) fn macro_statement(&mut self, start: Span) -> Parsed<Option<StatementKind>> {
        let call = if self.sees_word("call") {
            self.macro_call(start)?
        } else {
            let name = self.slice(self.span());
            let used = self.macro_named(name);
            self.at += 1;
            used.map(|used| (used, Vec::new(), 0))
        };
        let Some((used, arguments, _)) = call else {
            return Ok(Some(StatementKind::Block(Vec::new())));
        };
        let span = self.since(start);
        if !used.program {
            return Ok(None);
        }
        if used.parameters.len() != arguments.len() {
            self.macro_arity(&used, arguments.len(), span);
            return Ok(Some(StatementKind::Block(Vec::new())));
        }
        self.end_of_statement()?;
        let statements = self.written_at(&used, span, |parser, locals| {
            let statements = parser.program()?;
            let value = |local| substitute(local, locals, &arguments);
            Ok(statements.iter().map(|statement| replaced(statement, &value)).collect())
        })?;
        Ok(Some(StatementKind::Block(statements)))
    }

    /// The macro that is called, the arguments and how deep these are; nothing if something is wrong.
    fn macro_call(&mut self, start: Span) -> Parsed<Option<(Macro, Vec<Expr>, usize)>> {
        let name = self.word_at(self.at + 2);
        let Some(used) = self.macro_named(name) else { return Ok(None) };
        self.at += 1;
        let (arguments, depth) = self.measured(|parser| {
            parser.bracketed("(", |parser| {
                parser.at += 1;
                let mut arguments = Vec::new();
                while parser.takes(",") {
                    arguments.push(parser.expression()?);
                }
                Ok(arguments)
            })
        });
        let Some(arguments) = arguments? else { return Ok(None) };
        if used.parameters.len() != arguments.len() {
            let span = self.since(start);
            self.macro_arity(&used, arguments.len(), span);
            return Ok(None);
        }
        Ok(Some((used, arguments, depth)))
    }

    fn macro_arity(&mut self, used: &Macro, given: usize, span: Span) {
        let wanted = used.parameters.len();
        let message = format!(
            "the `#define` has {} and {} given",
            count(wanted, "parameter"),
            are(given, "argument", "arguments")
        );
        self.note(
            Diagnostic::error(codes::ARGUMENTS, message, span)
                .label(format!("expected {}", count(wanted, "argument")))
                .help("give one argument for each parameter"),
        );
    }

    /// Counts so many signs and words that a use of a `#define` is written out to.
    fn write_out(&mut self, size: usize, span: Span) -> Parsed<()> {
        self.written_out = self.written_out.saturating_add(size);
        if self.written_out <= MOST_WRITTEN_OUT {
            return Ok(());
        }
        Err(self.stop(
            Diagnostic::error(codes::MACRO, "the uses of `#define`s are too long", span)
                .label(format!("more than {MOST_WRITTEN_OUT} words and signs in all"))
                .help("a `#define` that uses others twice doubles with each of them"),
        ))
    }

    /// A `#define` that is used as a value. It is one node of the tree and written out by the lowering, so it is as
    /// deep and as long as what it stands for.
    pub(super) fn define_value(&mut self, id: DefineId, span: Span) -> Parsed<Deep> {
        let Extent { size, depth } = self.extents[id.index()];
        self.write_out(size, span)?;
        if depth + 1 >= MAX_DEPTH {
            return Err(self.too_deep(span, MAX_DEPTH));
        }
        let ty = self.spec.defines[id.index()].body.ty;
        Ok(Deep { depth: depth + 1, ..Deep::leaf(ExprKind::Define(id), ty, span) })
    }

    /// Reads the text of a macro as if it stood here, with its parameters visible.
    fn written_at<T>(
        &mut self,
        used: &Macro,
        span: Span,
        inner: impl FnOnce(&mut Self, &[LocalId]) -> Parsed<T>,
    ) -> Parsed<T> {
        self.write_out(used.end - used.start, span)?;
        let here = (self.at, self.end);
        let visible = self.visible();
        let locals: Vec<LocalId> = used
            .parameters
            .iter()
            .map(|name| self.bind(name.clone(), LocalKind::Index, super::syntax::Type::Unknown))
            .collect();
        (self.at, self.end) = (used.start, used.end);
        let read = self.nested(|parser| inner(parser, &locals));
        self.leave(visible);
        (self.at, self.end) = here;
        read
    }
}

/// Replacement for a parameter.
fn substitute(local: LocalId, locals: &[LocalId], arguments: &[Expr]) -> Option<Expr> {
    locals.iter().position(|&it| it == local).map(|at| arguments[at].clone())
}

/// Replacement for a name.
type Named<'a> = &'a dyn Fn(LocalId) -> Option<Expr>;

fn replaced_exprs(exprs: &[Expr], named: Named<'_>) -> Vec<Expr> {
    exprs.iter().map(|expr| replaced_expr(expr, named)).collect()
}

/// The expression with names replaced. What has become constant is computed where the model is made.
fn replaced_expr(expr: &Expr, named: Named<'_>) -> Expr {
    let boxed = |expr: &Expr| Box::new(replaced_expr(expr, named));
    let kind = match &expr.kind {
        ExprKind::Local(local) => match named(*local) {
            Some(value) => return value,
            None => ExprKind::Local(*local),
        },
        // A parameter of a `#define` has no elements.
        ExprKind::ElementOf(local, index) => ExprKind::ElementOf(*local, boxed(index)),
        ExprKind::Element(id, indices) => ExprKind::Element(*id, replaced_exprs(indices, named)),
        ExprKind::Unary(operator, operand) => ExprKind::Unary(*operator, boxed(operand)),
        ExprKind::Binary(operator, left, right) => {
            ExprKind::Binary(*operator, boxed(left), boxed(right))
        }
        ExprKind::Query(query, channel) => {
            let mut channel = channel.clone();
            channel.index = channel.index.as_deref().map(boxed);
            ExprKind::Query(*query, channel)
        }
        ExprKind::Quantified(operator, bindings, body) => {
            let bindings = bindings
                .iter()
                .map(|binding| Binding {
                    domain: match &binding.domain {
                        Domain::Range(low, high) => {
                            Domain::Range(replaced_expr(low, named), replaced_expr(high, named))
                        }
                        Domain::List(values) => Domain::List(replaced_exprs(values, named)),
                    },
                    ..binding.clone()
                })
                .collect();
            ExprKind::Quantified(*operator, bindings, boxed(body))
        }
        ExprKind::Method(call) => ExprKind::Method(Box::new(replaced_call(call, named))),
        ExprKind::List(elements) => ExprKind::List(replaced_exprs(elements, named)),
        ExprKind::Math(function, operands) => {
            ExprKind::Math(*function, replaced_exprs(operands, named))
        }
        ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Variable(_)
        | ExprKind::Define(_)
        | ExprKind::SameContents(..) => return expr.clone(),
    };
    Expr { kind, ..expr.clone() }
}

fn replaced_call(call: &MethodCall, named: Named<'_>) -> MethodCall {
    MethodCall { arguments: replaced_exprs(&call.arguments, named), ..call.clone() }
}

fn replaced(statement: &Statement, named: Named<'_>) -> Statement {
    let block = |statements: &[Statement]| -> Vec<Statement> {
        statements.iter().map(|statement| replaced(statement, named)).collect()
    };
    let kind = match &statement.kind {
        StatementKind::Assign { target, value } => StatementKind::Assign {
            target: Place {
                kind: match &target.kind {
                    PlaceKind::Element(id, indices) => {
                        PlaceKind::Element(*id, replaced_exprs(indices, named))
                    }
                    other => other.clone(),
                },
                span: target.span,
            },
            value: replaced_expr(value, named),
        },
        StatementKind::Declare { local, value } => {
            StatementKind::Declare { local: *local, value: replaced_expr(value, named) }
        }
        StatementKind::If { condition, then, otherwise } => StatementKind::If {
            condition: replaced_expr(condition, named),
            then: block(then),
            otherwise: block(otherwise),
        },
        StatementKind::While { condition, body } => {
            StatementKind::While { condition: replaced_expr(condition, named), body: block(body) }
        }
        StatementKind::Peek { target, channel } => {
            let mut channel = channel.clone();
            channel.index =
                channel.index.as_deref().map(|index| Box::new(replaced_expr(index, named)));
            StatementKind::Peek { target: *target, channel }
        }
        StatementKind::Block(statements) => StatementKind::Block(block(statements)),
        StatementKind::Method(call) => StatementKind::Method(replaced_call(call, named)),
        StatementKind::Replace { target, value } => {
            let value = match value {
                ObjectValue::New(class, elements) => {
                    ObjectValue::New(*class, replaced_exprs(elements, named))
                }
                ObjectValue::Kept(call) => ObjectValue::Kept(Box::new(replaced_call(call, named))),
                ObjectValue::Copy(_) | ObjectValue::Combined(..) => value.clone(),
            };
            StatementKind::Replace { target: *target, value }
        }
    };
    Statement { kind, span: statement.span }
}
