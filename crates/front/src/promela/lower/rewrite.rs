//! Parts of expressions and statements put in the place of others.

use fairly_model::{AnyVariable, Communication, Expr, Pattern, Place, Statement, StatementKind};

/// Says what an expression becomes, if not the same with its parts rewritten.
pub(super) type Rule<'r> = &'r dyn Fn(&Expr) -> Option<Expr>;

pub(super) fn expr(of: &Expr, rule: Rule<'_>) -> Expr {
    if let Some(other) = rule(of) {
        return other;
    }
    let inner = |inner: &Expr| Box::new(expr(inner, rule));
    match of {
        Expr::Const(_)
        | Expr::Received(_)
        | Expr::Own
        | Expr::Running
        | Expr::LastMover
        | Expr::Timeout => of.clone(),
        Expr::Load(from) => Expr::Load(place(from, rule)),
        Expr::Unary(op, operand) => Expr::Unary(*op, inner(operand)),
        Expr::Binary(op, operands) => {
            Expr::binary(*op, expr(&operands.0, rule), expr(&operands.1, rule))
        }
        Expr::Conditional(parts) => {
            let parts = (expr(&parts.0, rule), expr(&parts.1, rule), expr(&parts.2, rule));
            Expr::Conditional(Box::new(parts))
        }
        Expr::Checked { index, length } => Expr::Checked { index: inner(index), length: *length },
        Expr::Channel(query, channel) => Expr::Channel(*query, inner(channel)),
        Expr::Poll { channel, pattern, pick } => {
            let (channel, pattern) = (inner(channel), cells(pattern, rule));
            Expr::Poll { channel, pattern, pick: *pick }
        }
        Expr::At { slot, template, locations } => {
            let (slot, locations) = (inner(slot), locations.clone());
            Expr::At { slot, template: *template, locations }
        }
        Expr::Executable(slot) => Expr::Executable(inner(slot)),
    }
}

pub(super) fn place(of: &Place, rule: Rule<'_>) -> Place {
    let variable = match &of.variable {
        AnyVariable::Remote { slot, template, local } => AnyVariable::Remote {
            slot: Box::new(expr(slot, rule)),
            template: *template,
            local: *local,
        },
        known @ (AnyVariable::Global(_) | AnyVariable::Local(_)) => known.clone(),
    };
    Place { variable, index: of.index.as_ref().map(|index| Box::new(expr(index, rule))) }
}

fn cells(pattern: &[Pattern], rule: Rule<'_>) -> Vec<Pattern> {
    let one = |cell: &Pattern| match cell {
        Pattern::Any => Pattern::Any,
        Pattern::Equal(value) => Pattern::Equal(expr(value, rule)),
    };
    pattern.iter().map(one).collect()
}

fn all(of: &[Expr], rule: Rule<'_>) -> Vec<Expr> {
    of.iter().map(|one| expr(one, rule)).collect()
}

pub(super) fn communication(of: &Communication, rule: Rule<'_>) -> Communication {
    match of {
        Communication::None => Communication::None,
        Communication::Send { channel, message, order } => Communication::Send {
            channel: expr(channel, rule),
            message: all(message, rule),
            order: *order,
        },
        Communication::Receive { channel, pattern, pick, keep } => Communication::Receive {
            channel: expr(channel, rule),
            pattern: cells(pattern, rule),
            pick: *pick,
            keep: *keep,
        },
    }
}

pub(super) fn statements(of: &[Statement], rule: Rule<'_>) -> Vec<Statement> {
    let one = |of: &Statement| Statement { kind: statement(&of.kind, rule), span: of.span };
    of.iter().map(one).collect()
}

fn statement(of: &StatementKind, rule: Rule<'_>) -> StatementKind {
    match of {
        StatementKind::Assign(pairs) => {
            let pairs = pairs.iter().map(|(to, value)| (place(to, rule), expr(value, rule)));
            StatementKind::Assign(pairs.collect())
        }
        StatementKind::If { condition, then, otherwise } => StatementKind::If {
            condition: expr(condition, rule),
            then: statements(then, rule),
            otherwise: statements(otherwise, rule),
        },
        StatementKind::While { condition, body } => {
            StatementKind::While { condition: expr(condition, rule), body: statements(body, rule) }
        }
        StatementKind::Assert { condition, message, kind } => StatementKind::Assert {
            condition: expr(condition, rule),
            message: message.clone(),
            kind: *kind,
        },
        StatementKind::Start { template, arguments, slot } => StatementKind::Start {
            template: *template,
            arguments: all(arguments, rule),
            slot: slot.as_ref().map(|slot| place(slot, rule)),
        },
        StatementKind::Put { channel, message, order } => StatementKind::Put {
            channel: expr(channel, rule),
            message: all(message, rule),
            order: *order,
        },
        StatementKind::Take { channel, pattern, into, pick, keep } => StatementKind::Take {
            channel: expr(channel, rule),
            pattern: cells(pattern, rule),
            into: into.iter().map(|to| to.as_ref().map(|to| place(to, rule))).collect(),
            pick: *pick,
            keep: *keep,
        },
    }
}
