//! Statements that are executed: when they can be, and what they do.

use fairly_model::{
    AnyVariable, ChannelQuery, Communication, Expr, Order, Pick, Place, Statement, StatementKind,
    TemplateId,
};

use super::channels::run;
use super::expression::Channel;
use super::processes::{Lowering, Scope};
use super::rewrite;
use super::trace::Happening;
use super::variables::Stored;
use super::{Lower, trouble};
use crate::promela::ast::{self, LocalId, Stmt, StmtKind, Type};
use crate::promela::finish::{certain_run, runs};

/// Effect of a statement.
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

    /// One that does nothing but to wait.
    pub(super) fn when(guard: Expr) -> Action {
        let alone = guard.clone();
        Action { guard, communication: Communication::None, effect: Vec::new(), alone }
    }

    /// One that can always be executed.
    pub(super) fn effect(effect: Vec<Statement>) -> Action {
        Action { effect, ..Action::nothing() }
    }

    /// The same as actions that read `timeout` in their guards only: if need be one for each value.
    pub(super) fn settled(self) -> Vec<Action> {
        let with = |value: Expr| {
            let rule = |part: &Expr| (*part == Expr::Timeout).then(|| value.clone());
            Action {
                communication: rewrite::communication(&self.communication, &rule),
                effect: rewrite::statements(&self.effect, &rule),
                ..self.clone()
            }
        };
        let before = with(Expr::FALSE);
        if (&before.communication, &before.effect) == (&self.communication, &self.effect) {
            return vec![self];
        }
        let after = with(Expr::TRUE);
        vec![
            Action { guard: before.guard.and(Expr::Timeout.negated()), ..before },
            Action { guard: Expr::Timeout.and(after.guard), ..after },
        ]
    }
}

impl<'a> Lowering<'a> {
    /// Effect of a statement of a process.
    pub(super) fn action(&self, stmt: &'a Stmt, at: usize) -> Lower<Action> {
        match self.started(stmt)? {
            Some(run) => self.start_action(stmt, run, at),
            None => self.plain_action(stmt, Scope::Process(at)),
        }
    }

    /// Effect of a statement, apart from starting a process.
    fn plain_action(&self, stmt: &'a Stmt, scope: Scope) -> Lower<Action> {
        let span = Some(stmt.place.span);
        let one = |kind: StatementKind| Action::effect(vec![Statement { kind, span }]);
        Ok(match &stmt.kind {
            StmtKind::Condition(condition) => match run(condition) {
                Some(_) => Action::nothing(),
                None => Action::when(self.expr(condition, scope)?.expr),
            },
            StmtKind::Assign(target, value) if target.base == ast::Base::Priority => {
                let value = self.expr(value, scope)?.expr;
                self.set_own_priority(value).map_or_else(Action::nothing, one)
            }
            StmtKind::Assign(target, value) => match self.place(target, scope)? {
                Some(place) => {
                    let value = self.expr(value, scope)?.expr;
                    one(StatementKind::Assign(vec![(place, value)]))
                }
                None => Action::nothing(),
            },
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
                let written = channel;
                let channel = self.channel(channel, scope)?;
                if let Some(wrong) = self.misfit(written, &channel, fields.len()) {
                    // SPIN says so when the message is sent, even if there is no receiver.
                    let guard = channel.full().negated();
                    return Ok(Action { effect: vec![wrong], ..Action::when(guard) });
                }
                let mut values = Vec::with_capacity(fields.len());
                for field in fields {
                    values.push(self.expr(field, scope)?);
                }
                let effect = self.observe(stmt, &channel.number, &Happening::Sends(&values))?;
                let message: Vec<Expr> = values.into_iter().map(|value| value.expr).collect();
                let number = channel.number;
                let full = Expr::Channel(ChannelQuery::Full, Box::new(number.clone()));
                let order = if *sorted { Order::Sorted } else { Order::Fifo };
                Action {
                    communication: Communication::Send { channel: number, message, order },
                    alone: full.negated(),
                    ..Action::effect(effect)
                }
            }
            StmtKind::Receive { channel, fields, random, peek } => {
                let written = channel;
                let channel = self.channel(channel, scope)?;
                let (pattern, _) = self.pattern(&channel, fields, scope)?;
                let pick = if *random { Pick::First } else { Pick::Head };
                let looks = |declared: &ast::Channel| *peek && fields.len() < declared.fields.len();
                if let Some(wrong) = self.misfit(written, &channel, fields.len())
                    && !channel.declared.is_some_and(looks)
                {
                    // SPIN says so when a message that matches is received.
                    let number = Box::new(channel.number.clone());
                    let alone = Expr::Poll { channel: number, pattern: pattern.clone(), pick };
                    let channel = channel.number;
                    let communication =
                        Communication::Receive { channel, pattern, pick, keep: *peek };
                    return Ok(Action { communication, alone, ..Action::effect(vec![wrong]) });
                }
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
                let stores = Statement { kind: StatementKind::Assign(stores), span };
                let mut effect = vec![stores];
                // Who only looks at a message does not receive it.
                if !peek {
                    effect.extend(self.observe(stmt, &channel.number, &Happening::Receives)?);
                }
                let communication =
                    Communication::Receive { channel: channel.number, pattern, pick, keep: *peek };
                Action { communication, alone, ..Action::effect(effect) }
            }
            StmtKind::Assert(condition) => {
                let asserted = self.expr(condition, scope)?.expr;
                if !self.options.assertions {
                    return Ok(Action::nothing());
                }
                let words = self.words.at(condition.place);
                let message = format!("the assertion `{words}` does not hold");
                one(StatementKind::Assert {
                    condition: asserted,
                    message,
                    kind: fairly_system::FaultKind::Error,
                })
            }
            StmtKind::SetPriority(pid, value) => {
                let (pid, value) = (self.expr(pid, scope)?.expr, self.expr(value, scope)?.expr);
                Action::effect(self.set_priority(stmt, pid, value))
            }
            _ => Action::nothing(),
        })
    }

    /// The error for a message that has more or fewer fields than those of its channel, if the channel is
    /// known.
    fn misfit(
        &self,
        written: &ast::VarRef,
        channel: &Channel<'_>,
        count: usize,
    ) -> Option<Statement> {
        let fields = channel.declared?.fields.len();
        let name = self.words.at(written.place);
        let shown = if count == 1 { "field" } else { "fields" };
        let message =
            format!("a message of {count} {shown} for `{name}`, whose messages have {fields}");
        let kind = StatementKind::Assert {
            condition: Expr::FALSE,
            message,
            kind: fairly_system::FaultKind::Error,
        };
        (fields != count).then_some(Statement { kind, span: Some(written.place.span) })
    }

    /// Effect of a statement that starts a process: that first, so that its number can be used.
    fn start_action(&self, stmt: &'a Stmt, run: &'a ast::Run, at: usize) -> Lower<Action> {
        let (span, scope) = (Some(stmt.place.span), Scope::Process(at));
        let number = self.processes[at].started.map(Place::local);
        let slot = match (&number, &stmt.kind) {
            (Some(number), _) => Some(number.clone()),
            (None, StmtKind::Assign(target, _)) => self.place(target, scope)?,
            (None, _) => None,
        };
        let mut effect = vec![Statement { kind: self.run(run, slot, scope)?, span }];
        if let Some(number) = number {
            let priority = self.give_priority(run, Expr::Load(number));
            effect.extend(priority.map(|kind| Statement { kind, span }));
            effect.extend(self.plain_action(stmt, scope)?.effect);
        }
        Ok(Action::effect(effect))
    }

    /// The process that a statement starts.
    fn started(&self, stmt: &'a Stmt) -> Lower<Option<&'a ast::Run>> {
        let found = match (runs(stmt).as_slice(), &stmt.kind) {
            ([], _) => return Ok(None),
            ([_], StmtKind::Condition(value)) => run(value),
            ([_], StmtKind::Assign(_, value) | StmtKind::Assert(value)) => certain_run(value),
            ([_], StmtKind::Printf(_, values)) => values.iter().find_map(certain_run),
            _ => None,
        };
        match found {
            Some(run) => Ok(Some(run)),
            None => Err(trouble("E1192", "this use of `run`", stmt.place)),
        }
    }

    fn run(&self, run: &'a ast::Run, slot: Option<Place>, scope: Scope) -> Lower<StatementKind> {
        let mut arguments = Vec::new();
        let process = &self.processes[run.proctype.index()];
        for (argument, parameter) in run.arguments.iter().zip(&process.of.locals) {
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

    /// Target of a declaration: of an array its first element, of a struct none.
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
