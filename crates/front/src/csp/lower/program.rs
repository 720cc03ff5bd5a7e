//! The programs of events as effects of edges.

use fairly_model::{
    Expr, LocalId as Cell, Pattern, Pick, Place, Statement, StatementKind, VariableId,
};
use hashbrown::HashMap;

use super::Trouble;
use super::expression::Scope;
use crate::csp::syntax as csp;

/// Where the cells of a template that live for one step only begin; before them are those that
/// belong to the state.
pub(super) const SCRATCH: u32 = 64;

/// Cells that live for one step.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    next: u32,
}

impl Scratch {
    /// One more.
    pub(super) fn fresh(&mut self) -> Cell {
        self.next += 1;
        Cell(SCRATCH + self.next - 1)
    }

    /// Goes on behind those that somebody else has used.
    pub(super) fn after(used: u32) -> Scratch {
        Scratch { next: used }
    }

    /// How many.
    pub(super) fn used(&self) -> u32 {
        self.next
    }
}

/// Turns a program into statements of the model.
pub(super) struct Programs<'a> {
    /// What names outside the program stand for.
    pub(super) scope: &'a Scope<'a>,
    /// The cells of the program's own variables.
    pub(super) scratch: &'a mut Scratch,
    cells: HashMap<csp::LocalId, Cell>,
}

impl<'a> Programs<'a> {
    /// For programs in this scope.
    pub(super) fn new(scope: &'a Scope<'a>, scratch: &'a mut Scratch) -> Self {
        Programs { scope, scratch, cells: HashMap::new() }
    }

    /// The statements of a program.
    pub(super) fn block(
        &mut self,
        statements: &[csp::Statement],
    ) -> Result<Vec<Statement>, Trouble> {
        let mut out = Vec::with_capacity(statements.len());
        for statement in statements {
            let kind = match &statement.kind {
                csp::StatementKind::Assign { target, value } => {
                    let value = self.expr(value)?;
                    let place = match &target.kind {
                        csp::PlaceKind::Variable(id) => Place::global(VariableId(id.0)),
                        csp::PlaceKind::Element(id, indices) => {
                            self.with_scope(|scope| scope.element(*id, indices))?
                        }
                        csp::PlaceKind::Local(local) => Place::local(self.cell(*local)),
                    };
                    StatementKind::Assign(vec![(place, value)])
                }
                csp::StatementKind::Declare { local, value } => {
                    let value = self.expr(value)?;
                    let cell = self.cell(*local);
                    StatementKind::Assign(vec![(Place::local(cell), value)])
                }
                csp::StatementKind::If { condition, then, otherwise } => StatementKind::If {
                    condition: self.expr(condition)?,
                    then: self.block(then)?,
                    otherwise: self.block(otherwise)?,
                },
                csp::StatementKind::While { condition, body } => StatementKind::While {
                    condition: self.expr(condition)?,
                    body: self.block(body)?,
                },
                csp::StatementKind::Peek { target, channel } => self.peek(*target, channel)?,
                csp::StatementKind::Block(inner) => {
                    out.extend(self.block(inner)?);
                    continue;
                }
            };
            out.push(Statement { kind, span: Some(statement.span) });
        }
        Ok(out)
    }

    /// Looks at the first message of a channel.
    fn peek(
        &self,
        target: csp::VariableId,
        channel: &csp::ChannelUse,
    ) -> Result<StatementKind, Trouble> {
        let lengths = self.scope.lengths[channel.channel.index()];
        let variable = &self.scope.specification.variables[target.index()];
        let declared = &self.scope.specification.channels[channel.channel.index()];
        let length: u32 = variable.dimensions.iter().product();
        if lengths.differ || lengths.most != length as usize || declared.capacity == 0 {
            return Err(Trouble {
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

    fn cell(&mut self, local: csp::LocalId) -> Cell {
        let scratch = &mut *self.scratch;
        *self.cells.entry(local).or_insert_with(|| scratch.fresh())
    }

    fn expr(&self, expr: &csp::Expr) -> Result<Expr, Trouble> {
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
