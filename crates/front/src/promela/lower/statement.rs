//! Statements that are executed: when they can be, and what they do.

use fairly_model::{
    AnyVariable, ChannelQuery, Communication, Expr, Order, Pick, Place, Statement, StatementKind,
    TemplateId,
};

use super::channels::run;
use super::processes::{Lowering, Scope};
use super::variables::Stored;
use super::{Lower, trouble};
use crate::promela::ast::{self, LocalId, Stmt, StmtKind, Type};

/// What a statement does.
#[derive(Clone, Debug)]
pub(super) struct Action {
    /// When it can be executed, beside what its communication needs.
    pub(super) guard: Expr,
    pub(super) communication: Communication,
    pub(super) effect: Vec<Statement>,
    /// When the process can execute it by itself: never, if it takes another one to receive from or
    /// send to in a rendezvous. An `else` asks for this.
    pub(super) alone: Expr,
}

impl Action {
    /// One that does nothing.
    pub(super) fn nothing() -> Action {
        Action::when(Expr::TRUE)
    }

    fn when(guard: Expr) -> Action {
        let alone = guard.clone();
        Action { guard, communication: Communication::None, effect: Vec::new(), alone }
    }

    fn effect(effect: Vec<Statement>) -> Action {
        Action { effect, ..Action::nothing() }
    }
}

impl<'a> Lowering<'a> {
    /// What a statement of a process does.
    pub(super) fn action(&self, stmt: &'a Stmt, scope: Scope) -> Lower<Action> {
        let span = Some(stmt.place.span);
        let one = |kind: StatementKind| Action::effect(vec![Statement { kind, span }]);
        Ok(match &stmt.kind {
            StmtKind::Condition(condition) => match run(condition) {
                Some(run) => one(self.run(run, None, scope)?),
                None => Action::when(self.expr(condition, scope)?.expr),
            },
            StmtKind::Assign(target, value) => {
                let place = self.place(target, scope)?;
                match (run(value), place) {
                    (Some(run), place) => one(self.run(run, place, scope)?),
                    (None, Some(place)) => {
                        let value = self.expr(value, scope)?.expr;
                        one(StatementKind::Assign(vec![(place, value)]))
                    }
                    (None, None) => {
                        if target.base == ast::Base::Priority {
                            return Err(trouble("E1190", "priorities of processes", stmt.place));
                        }
                        Action::nothing()
                    }
                }
            }
            StmtKind::Declare(local, value) => match self.declared(*local, scope) {
                None => Action::nothing(),
                Some(place) => {
                    let value = match value {
                        Some(value) => self.expr(value, scope)?.expr,
                        None => Expr::Const(0),
                    };
                    one(StatementKind::Assign(vec![(place, value)]))
                }
            },
            StmtKind::Send { channel, fields, sorted } => {
                let channel = self.channel(channel, scope)?;
                let mut message = Vec::with_capacity(fields.len());
                for field in fields {
                    message.push(self.expr(field, scope)?.expr);
                }
                if let Some(declared) = channel.declared {
                    message.resize(declared.fields.len(), Expr::Const(0));
                }
                let number = channel.number;
                let full = Expr::Channel(ChannelQuery::Full, Box::new(number.clone()));
                let order = if *sorted { Order::Sorted } else { Order::Fifo };
                Action {
                    communication: Communication::Send { channel: number, message, order },
                    alone: full.negated(),
                    ..Action::nothing()
                }
            }
            StmtKind::Receive { channel, fields, random, peek } => {
                let channel = self.channel(channel, scope)?;
                let pattern = self.pattern(&channel, fields, scope)?;
                let pick = if *random { Pick::First } else { Pick::Head };
                let mut stores = Vec::new();
                for (cell, field) in (0..).zip(fields) {
                    if let ast::Pattern::Store(variable) = field
                        && let Some(place) = self.place(variable, scope)?
                    {
                        stores.push((place, Expr::Received(cell)));
                    }
                }
                let number = Box::new(channel.number.clone());
                let alone = Expr::Poll { channel: number, pattern: pattern.clone(), pick };
                let kind = StatementKind::Assign(stores);
                let communication =
                    Communication::Receive { channel: channel.number, pattern, pick, keep: *peek };
                Action { communication, alone, ..one(kind) }
            }
            StmtKind::Assert(condition) => {
                let asserted = self.expr(condition, scope)?.expr;
                if !self.options.assertions {
                    return Ok(Action::nothing());
                }
                let words = self.words.at(condition.place);
                let message = format!("the assertion `{words}` does not hold");
                one(StatementKind::Assert { condition: asserted, message })
            }
            StmtKind::SetPriority(..) => {
                return Err(trouble("E1190", "priorities of processes", stmt.place));
            }
            _ => Action::nothing(),
        })
    }

    fn run(&self, run: &'a ast::Run, slot: Option<Place>, scope: Scope) -> Lower<StatementKind> {
        let mut arguments = Vec::new();
        let process = &self.processes[run.proctype.index()];
        for (argument, parameter) in run.arguments.iter().zip(&process.of.locals) {
            if run.priority.is_some_and(|priority| priority > 1) {
                return Err(trouble("E1190", "priorities of processes", argument.place));
            }
            match (&argument.kind, parameter.variable.kind) {
                (ast::ExprKind::Variable(variable), Type::Struct(_)) => {
                    let mapping = &process.locals[arguments_before(process, parameter)];
                    for leaf in &mapping.leaves {
                        arguments.push(self.field(variable, &leaf.path, scope)?);
                    }
                }
                _ => arguments.push(self.expr(argument, scope)?.expr),
            }
        }
        Ok(StatementKind::Start { template: TemplateId(run.proctype.0), arguments, slot })
    }

    /// A field of a struct that is given to a process.
    fn field(&self, variable: &'a ast::VarRef, path: &[usize], scope: Scope) -> Lower<Expr> {
        let mapping = match (variable.base, scope) {
            (ast::Base::Global(id), _) => self.globals.get(id.index()),
            (ast::Base::Local(id), Scope::Process(at)) => self.processes[at].locals.get(id.index()),
            _ => None,
        };
        let before = variable.fields.iter().map(|field| field.field);
        let whole: Vec<usize> = before.chain(path.iter().copied()).collect();
        let leaf = mapping.and_then(|mapping| mapping.leaf(&whole));
        let Some(leaf) = leaf else { return Ok(Expr::Const(0)) };
        let (any, index) = match (leaf.place, leaf.lengths.as_slice()) {
            (Stored::Global(id), lengths) => (AnyVariable::Global(id), lengths),
            (Stored::Local(id), lengths) => (AnyVariable::Local(id), lengths),
            (Stored::Channels(first), _) => {
                let number = self.channel_number(variable.base, first, None, scope);
                let one = Expr::Const(1);
                return Ok(Expr::binary(fairly_model::BinaryOp::Add, number, one));
            }
        };
        let index = match (index, &variable.index) {
            ([], _) => None,
            (_, Some(index)) => Some(Box::new(self.expr(index, scope)?.expr)),
            (_, None) => Some(Box::new(Expr::Const(0))),
        };
        Ok(Expr::Load(Place { variable: any, index }))
    }

    /// What a declaration assigns: of an array its first element, of a struct nothing.
    fn declared(&self, local: LocalId, scope: Scope) -> Option<Place> {
        let Scope::Process(process) = scope else { return None };
        let leaf = self.processes[process].locals.get(local.index())?.leaf(&[])?;
        let Stored::Local(id) = leaf.place else { return None };
        let index = (!leaf.lengths.is_empty()).then(|| Box::new(Expr::Const(0)));
        Some(Place { variable: AnyVariable::Local(id), index })
    }
}

/// The position of a parameter.
fn arguments_before(process: &super::processes::Process<'_>, parameter: &ast::Local) -> usize {
    let all = &process.of.locals;
    all.iter().position(|other| std::ptr::eq(other, parameter)).unwrap_or(0)
}
