//! The programs of events as effects of edges.

use fairly_model::{
    Expr, LocalId as Cell, Pattern, Pick, Place, Statement, StatementKind, UnaryOp, VariableId,
};
use fairly_source::Span;
use hashbrown::HashMap;

use super::LowerError;
use super::collections::{Room, Writer, each_call, math};
use super::environment::as_cell;
use super::expression::{Scope, folded, operator};
use crate::csp::library::{MathFunction, Method};
use crate::csp::syntax as csp;

/// Where the cells of a template that live for one step only begin; before them are those that
/// belong to the state.
pub(super) const SCRATCH: u32 = 64;

/// A variable that holds only the values that [`super::cases`] foresees: another one is a limit of the tool.
pub(super) const LIMIT: Cell = Cell(u32::MAX);

/// Cells that live for one step.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    next: u32,
    most: u32,
}

impl Scratch {
    /// One more.
    pub(super) fn fresh(&mut self) -> Cell {
        self.next += 1;
        self.most = self.most.max(self.next);
        Cell(SCRATCH + self.next - 1)
    }

    /// Current position, for [`Scratch::release`].
    fn mark(&self) -> u32 {
        self.next
    }

    /// Gives back all that were taken since.
    fn release(&mut self, mark: u32) {
        self.next = mark;
    }

    /// Goes on behind variables that are in use already.
    pub(super) fn after(used: u32) -> Scratch {
        Scratch { next: used, most: used }
    }

    /// How many.
    pub(super) fn used(&self) -> u32 {
        self.most
    }
}

/// Turns a program into statements of the model.
pub(super) struct Programs<'a> {
    /// Values of names outside the program.
    pub(super) scope: &'a Scope<'a>,
    /// The cells of the program's own variables.
    pub(super) scratch: &'a mut Scratch,
    pub(super) cells: HashMap<csp::LocalId, Cell>,
    /// Where the program is called, if it is one of a library.
    pub(super) called_at: Option<Span>,
    /// Matrices that have got a timer, and where.
    pub(super) grown: Vec<(Room, Writer)>,
}

impl<'a> Programs<'a> {
    /// For programs in this scope.
    pub(super) fn new(scope: &'a Scope<'a>, scratch: &'a mut Scratch) -> Self {
        Programs { scope, scratch, cells: HashMap::new(), called_at: None, grown: Vec::new() }
    }

    /// The statements of a program.
    pub(super) fn block(
        &mut self,
        statements: &[csp::Statement],
    ) -> Result<Vec<Statement>, LowerError> {
        let mut out = Vec::with_capacity(statements.len());
        for statement in statements {
            // The variables of the program stay; what a statement needs for itself does not.
            if let csp::StatementKind::Declare { local, .. } = &statement.kind {
                self.cell(*local);
            }
            let mark = self.scratch.mark();
            self.statement(statement, &mut out)?;
            self.scratch.release(mark);
        }
        Ok(out)
    }

    /// Looks at the first message of a channel.
    fn peek(
        &self,
        target: csp::VariableId,
        channel: &csp::ChannelUse,
    ) -> Result<StatementKind, LowerError> {
        let lengths = self.scope.lengths[channel.channel.index()];
        let variable = &self.scope.specification.variables[target.index()];
        let declared = &self.scope.specification.channels[channel.channel.index()];
        let length: u32 = variable.dimensions.iter().product();
        if lengths.differ || lengths.most != length as usize || declared.capacity == 0 {
            return Err(LowerError {
                code: "E1091",
                message: format!(
                    "`cpeek` gives a whole message of {} parts: assign it to an array of that \
                     length",
                    lengths.most
                ),
                span: channel.span,
            });
        }
        let number = self.with_scope(|scope| scope.channel(channel))?;
        let place = |at: u32| Place {
            variable: fairly_model::AnyVariable::Global(VariableId(target.0)),
            index: (!variable.dimensions.is_empty()).then(|| Box::new(Expr::Const(i64::from(at)))),
        };
        Ok(StatementKind::Take {
            channel: number,
            pattern: vec![Pattern::Any; lengths.most],
            into: (0..length).map(|at| Some(place(at))).collect(),
            pick: Pick::Head,
            keep: true,
        })
    }

    fn statement(
        &mut self,
        statement: &csp::Statement,
        out: &mut Vec<Statement>,
    ) -> Result<(), LowerError> {
        let writer = Writer { span: self.called_at.unwrap_or(statement.span) };
        let kind = match &statement.kind {
            csp::StatementKind::Assign { target, value } => {
                let mut value = self.value(value, writer, out)?;
                let place = match &target.kind {
                    csp::PlaceKind::Variable(id) => Place::global(self.scope.variable(*id)),
                    csp::PlaceKind::Element(id, indices) => {
                        if indices.iter().any(needs_statements) {
                            value = self.hold(value, writer, out);
                        }
                        let indices = self.values(indices, writer, out)?;
                        self.with_scope(|scope| scope.element_at(*id, indices))
                    }
                    csp::PlaceKind::Local(local) => Place::local(self.cell(*local)),
                };
                StatementKind::Assign(vec![(place, value)])
            }
            csp::StatementKind::Declare { local, value } => {
                let value = self.value(value, writer, out)?;
                let cell = self.cell(*local);
                StatementKind::Assign(vec![(Place::local(cell), value)])
            }
            csp::StatementKind::If { condition, then, otherwise } => StatementKind::If {
                condition: self.value(condition, writer, out)?,
                then: self.block(then)?,
                otherwise: self.block(otherwise)?,
            },
            csp::StatementKind::While { condition, body } if needs_statements(condition) => {
                let holds = self.scratch.fresh();
                let mut test = Vec::new();
                let value = self.value(condition, writer, &mut test)?;
                test.push(writer.set(Place::local(holds), value));
                out.extend(test.iter().cloned());
                let mut body = self.block(body)?;
                body.extend(test);
                StatementKind::While { condition: Expr::local(holds), body }
            }
            csp::StatementKind::While { condition, body } => {
                StatementKind::While { condition: self.expr(condition)?, body: self.block(body)? }
            }
            csp::StatementKind::Peek { target, channel } => self.peek(*target, channel)?,
            csp::StatementKind::Block(inner) => {
                out.extend(self.block(inner)?);
                return Ok(());
            }
            csp::StatementKind::Method(call) => {
                self.call(call, false, writer, out)?;
                return Ok(());
            }
            csp::StatementKind::Replace { target, value } => {
                return self.replace(*target, value, writer, out);
            }
        };
        out.push(Statement { kind, span: Some(writer.span) });
        Ok(())
    }

    /// The values of several expressions, from the first to the last.
    pub(super) fn values(
        &mut self,
        exprs: &[csp::Expr],
        writer: Writer,
        out: &mut Vec<Statement>,
    ) -> Result<Vec<Expr>, LowerError> {
        let last = exprs.iter().rposition(needs_statements).unwrap_or(0);
        let mut values = Vec::with_capacity(exprs.len());
        for (at, expr) in exprs.iter().enumerate() {
            let value = self.value(expr, writer, out)?;
            values.push(if at < last { self.hold(value, writer, out) } else { value });
        }
        Ok(values)
    }

    /// The value of an expression, behind the statements that it takes to compute it.
    pub(super) fn value(
        &mut self,
        expr: &csp::Expr,
        writer: Writer,
        out: &mut Vec<Statement>,
    ) -> Result<Expr, LowerError> {
        if !needs_statements(expr) {
            return self.expr(expr);
        }
        Ok(match &expr.kind {
            csp::ExprKind::Unary(operator, operand) => {
                let operand = self.value(operand, writer, out)?;
                match operator {
                    csp::UnaryOperator::Not => operand.negated(),
                    csp::UnaryOperator::Negate => Expr::unary(UnaryOp::Negate, operand),
                }
            }
            csp::ExprKind::Binary(op, left, right) => {
                let decides = match op {
                    csp::BinaryOperator::And => Some(true),
                    csp::BinaryOperator::Or => Some(false),
                    _ => None,
                };
                let mut left = self.value(left, writer, out)?;
                let Some(goes_on) = decides else {
                    if needs_statements(right) {
                        left = self.hold(left, writer, out);
                    }
                    let right = self.value(right, writer, out)?;
                    return Ok(folded(operator(*op), left, right));
                };
                let whole = self.scratch.fresh();
                out.push(writer.set(Place::local(whole), left));
                let mut inner = Vec::new();
                let right = self.value(right, writer, &mut inner)?;
                inner.push(writer.set(Place::local(whole), right));
                let whole = Expr::local(whole);
                let test = if goes_on { whole.clone() } else { whole.clone().negated() };
                out.push(writer.when(test, inner, Vec::new()));
                whole
            }
            csp::ExprKind::Element(id, indices) => {
                let indices = self.values(indices, writer, out)?;
                Expr::Load(self.with_scope(|scope| scope.element_at(*id, indices)))
            }
            csp::ExprKind::Method(call) => self.call(call, true, writer, out)?,
            csp::ExprKind::Math(function, operands) => {
                let operands = self.values(operands, writer, out)?;
                let operands: Vec<Expr> =
                    operands.into_iter().map(|value| self.hold(value, writer, out)).collect();
                match function {
                    MathFunction::Sqrt => self.root(&operands[0], writer, out),
                    _ => math(*function, &operands, expr.span)?,
                }
            }
            _ => self.expr(expr)?,
        })
    }

    /// A value that can be read several times and stays as it is.
    pub(super) fn hold(&mut self, value: Expr, writer: Writer, out: &mut Vec<Statement>) -> Expr {
        if matches!(value, Expr::Const(_)) || as_cell(&value).is_some() {
            return value;
        }
        let cell = self.scratch.fresh();
        out.push(writer.set(Place::local(cell), value));
        Expr::local(cell)
    }

    fn cell(&mut self, local: csp::LocalId) -> Cell {
        let scratch = &mut *self.scratch;
        *self.cells.entry(local).or_insert_with(|| scratch.fresh())
    }

    fn expr(&self, expr: &csp::Expr) -> Result<Expr, LowerError> {
        self.with_scope(|scope| scope.expr(expr))
    }

    fn with_scope<T>(&self, work: impl FnOnce(&Scope<'_>) -> T) -> T {
        let names = |local: csp::LocalId| match self.cells.get(&local) {
            Some(&cell) => Some(Expr::local(cell)),
            None => (self.scope.names)(local),
        };
        work(&Scope { names: &names, ..*self.scope })
    }
}

/// Whether an expression of a program takes statements to compute: a method that changes a collection,
/// or something whose operands would be evaluated many times.
pub(super) fn needs_statements(expr: &csp::Expr) -> bool {
    let mut needs = false;
    each_call(expr, &mut |call| {
        // Statements also say better what went wrong.
        let fails = matches!(call.signature.method, Method::First | Method::Last);
        let many = !call.arguments.is_empty() || call.other.is_some();
        needs |= call.signature.changes || many || fails;
    });
    needs || has_function(expr)
}

fn has_function(expr: &csp::Expr) -> bool {
    match &expr.kind {
        csp::ExprKind::Math(..) => true,
        csp::ExprKind::Unary(_, operand) => has_function(operand),
        csp::ExprKind::Binary(_, left, right) => has_function(left) || has_function(right),
        csp::ExprKind::Element(_, operands) | csp::ExprKind::List(operands) => {
            operands.iter().any(has_function)
        }
        csp::ExprKind::Method(call) => call.arguments.iter().any(has_function),
        _ => false,
    }
}
