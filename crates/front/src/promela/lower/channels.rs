//! Channels: which there are, and what numbers they have.
//!
//! Global channels are there from the start. A process's own channels are there as long as it is, so
//! each slot has some for each proctype that can be in it. A variable that is declared with a
//! channel and never gets another takes no room in the states.

use fairly_model::{BinaryOp, Channel, Expr, Overflow, SlotId, TemplateId, WhenFull};
use hashbrown::HashSet;

use super::processes::{Lowering, Scope};
use super::variables::{kind_shown, range};
use crate::promela::ast::{self, Base, Expr as Ast, Pattern, Sequence, StmtKind, VarRef};

/// Variables that channels are assigned to: the variable and the fields in it.
pub(super) type Assigned = HashSet<(Base, Vec<usize>)>;

/// Collects the variables that the statements of a process assign to.
pub(super) fn assigned(sequence: &Sequence, found: &mut Assigned) {
    let mut add = |variable: &VarRef| {
        let path = variable.fields.iter().map(|field| field.field).collect();
        found.insert((variable.base, path));
    };
    let mut inner: Vec<&Sequence> = Vec::new();
    for stmt in &sequence.steps {
        match &stmt.kind {
            StmtKind::Assign(variable, _) => add(variable),
            StmtKind::Declare(local, _) => {
                add(&VarRef {
                    base: Base::Local(*local),
                    index: None,
                    fields: Vec::new(),
                    kind: ast::Type::Chan,
                    place: stmt.place,
                });
            }
            StmtKind::Receive { fields, .. } => {
                for field in fields {
                    if let Pattern::Store(variable) = field {
                        add(variable);
                    }
                }
            }
            StmtKind::If(choices) | StmtKind::Do(choices) => {
                inner.extend(choices.iter().map(|choice| &choice.body));
            }
            StmtKind::Unless(main, escape) => inner.extend([main, escape]),
            StmtKind::Atomic(body) | StmtKind::DStep(body) | StmtKind::Block(body) => {
                inner.push(body);
            }
            _ => {}
        }
    }
    for sequence in inner {
        assigned(sequence, found);
    }
}

/// The channels that a proctype's process has for itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Own<'a> {
    /// One for each channel: its name and how it is declared.
    pub(super) all: Vec<(String, &'a ast::Channel, ast::LocalId)>,
    /// By slot: the first of them in the model's table.
    pub(super) first: Vec<(SlotId, u32)>,
}

/// A channel as the model has it.
pub(super) fn channel(
    model: &ast::Model,
    name: String,
    declared: &ast::Channel,
    owner: Option<(SlotId, TemplateId)>,
    span: fairly_source::Span,
) -> Channel {
    let alone = declared.fields.len() == 1;
    Channel {
        name,
        capacity: declared.capacity,
        cells: declared.fields.iter().map(|&kind| (range(kind, alone), Overflow::Wrap)).collect(),
        kinds: declared.fields.iter().map(|&kind| kind_shown(model, kind)).collect(),
        when_full: WhenFull::Wait,
        owner,
        span: Some(span),
    }
}

impl Lowering<'_> {
    /// The number of a channel that a variable has been declared with: the one at `first` and as
    /// many further on as the index says.
    pub(super) fn channel_number(
        &self,
        base: Base,
        first: u32,
        index: Option<Expr>,
        scope: Scope,
    ) -> Expr {
        let start = match (base, scope) {
            (Base::Local(_), Scope::Process(process)) => {
                self.own_channels(&self.processes[process].channels, first)
            }
            _ => Expr::Const(first.into()),
        };
        match (start, index) {
            (start, None | Some(Expr::Const(0))) => start,
            (Expr::Const(start), Some(Expr::Checked { index, length })) => match *index {
                Expr::Const(at) if 0 <= at && at < i64::from(length) => Expr::Const(start + at),
                index => {
                    let index = Expr::Checked { index: Box::new(index), length };
                    Expr::binary(BinaryOp::Add, index, Expr::Const(start))
                }
            },
            (start, Some(index)) => Expr::binary(BinaryOp::Add, start, index),
        }
    }

    /// The number of one of the channels of the process that evaluates the expression.
    fn own_channels(&self, own: &Own<'_>, at: u32) -> Expr {
        let Some(&(slot, first)) = own.first.first() else {
            // No process of this kind is ever there: any number that is not checked in advance.
            return Expr::Own;
        };
        let number = |first: u32| Expr::Const(i64::from(first + at));
        if own.first.len() == 1 {
            return number(first);
        }
        let width = own.all.len() as i64;
        // The slots mostly follow each other, and so do their channels.
        let regular = own.first.iter().zip(0..).all(|(&(other, its), steps)| {
            i64::from(other.0) == i64::from(slot.0) + steps
                && i64::from(its) == i64::from(first) + steps * width
        });
        if regular {
            let offset = i64::from(first + at) - i64::from(slot.0) * width;
            let row = match width {
                1 => Expr::Own,
                _ => Expr::binary(BinaryOp::Multiply, Expr::Own, Expr::Const(width)),
            };
            return Expr::binary(BinaryOp::Add, row, Expr::Const(offset));
        }
        own.first.iter().skip(1).fold(number(first), |otherwise, &(slot, first)| {
            let here = Expr::binary(BinaryOp::Equal, Expr::Own, Expr::Const(slot.0.into()));
            Expr::Conditional(Box::new((here, number(first), otherwise)))
        })
    }
}

/// Whether an expression starts a process.
pub(super) fn run(expr: &Ast) -> Option<&ast::Run> {
    match &expr.kind {
        ast::ExprKind::Run(run) => Some(run),
        _ => None,
    }
}
