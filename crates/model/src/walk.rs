//! Going through all expressions of a model.

use crate::expression::{AnyVariable, Expr, Pattern, Place};
use crate::model::Model;
use crate::process::{Communication, Edge, Label, Statement, StatementKind};

/// Question asked of each expression.
pub(crate) type Ask<'a> = &'a mut dyn FnMut(&Expr) -> bool;

impl Expr {
    /// Whether it is so of the expression or of one inside it.
    pub fn any(&self, ask: Ask<'_>) -> bool {
        if ask(self) {
            return true;
        }
        match self {
            Expr::Const(_)
            | Expr::Received(_)
            | Expr::Own
            | Expr::Running
            | Expr::LastMover
            | Expr::Timeout => false,
            Expr::Load(place) => place.any(ask),
            Expr::Unary(_, operand)
            | Expr::Checked { index: operand, .. }
            | Expr::Channel(_, operand)
            | Expr::At { slot: operand, .. }
            | Expr::Executable(operand) => operand.any(ask),
            Expr::Binary(_, operands) => operands.0.any(ask) || operands.1.any(ask),
            Expr::Conditional(parts) => parts.0.any(ask) || parts.1.any(ask) || parts.2.any(ask),
            Expr::Poll { channel, pattern, .. } => channel.any(ask) || any_pattern(pattern, ask),
        }
    }

    /// Whether it reads the message that is received.
    pub fn reads_received(&self) -> bool {
        self.any(&mut |expr| matches!(expr, Expr::Received(_)))
    }
}

fn any_pattern(pattern: &[Pattern], ask: Ask<'_>) -> bool {
    pattern.iter().any(|cell| match cell {
        Pattern::Any => false,
        Pattern::Equal(value) => value.any(ask),
    })
}

impl Place {
    fn any(&self, ask: Ask<'_>) -> bool {
        let remote = match &self.variable {
            AnyVariable::Remote { slot, .. } => slot.any(ask),
            AnyVariable::Global(_) | AnyVariable::Local(_) => false,
        };
        remote || self.index.as_ref().is_some_and(|index| index.any(ask))
    }
}

impl Edge {
    /// Whether it is so of an expression of the edge.
    pub fn any(&self, ask: Ask<'_>) -> bool {
        let communication = match &self.communication {
            Communication::None => false,
            Communication::Send { channel, message, .. } => {
                channel.any(ask) || message.iter().any(|cell| cell.any(ask))
            }
            Communication::Receive { channel, pattern, .. } => {
                channel.any(ask) || any_pattern(pattern, ask)
            }
        };
        let label = match &self.label {
            Label::Event(_) | Label::Message => false,
            Label::Data { values, .. } => values.iter().any(|value| value.any(ask)),
        };
        communication || label || self.guard.any(ask) || any_statement(&self.effect, ask)
    }
}

pub(crate) fn any_statement(statements: &[Statement], ask: Ask<'_>) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StatementKind::Assign(pairs) => {
            pairs.iter().any(|(place, value)| place.any(ask) || value.any(ask))
        }
        StatementKind::If { condition, then, otherwise } => {
            condition.any(ask) || any_statement(then, ask) || any_statement(otherwise, ask)
        }
        StatementKind::While { condition, body } => condition.any(ask) || any_statement(body, ask),
        StatementKind::Assert { condition, .. } => condition.any(ask),
        StatementKind::Start { arguments, slot, .. } => {
            arguments.iter().any(|argument| argument.any(ask))
                || slot.as_ref().is_some_and(|place| place.any(ask))
        }
        StatementKind::Put { channel, message, .. } => {
            channel.any(ask) || message.iter().any(|cell| cell.any(ask))
        }
        StatementKind::Take { channel, pattern, into, .. } => {
            channel.any(ask)
                || any_pattern(pattern, ask)
                || into.iter().flatten().any(|place| place.any(ask))
        }
    })
}

impl Model {
    /// Whether it is so of some expression of the model.
    pub fn any_expression(&self, ask: Ask<'_>) -> bool {
        self.any_step_expression(ask) || self.propositions.iter().any(|(_, expr)| expr.any(ask))
    }

    /// Whether it is so of some expression that processes evaluate.
    pub fn any_step_expression(&self, ask: Ask<'_>) -> bool {
        let locations = self.templates.iter().flat_map(|template| &template.locations);
        let mut edges = locations.filter_map(|location| location.edges.as_ref()).flatten();
        edges.any(|edge| edge.any(ask))
            || self.templates.iter().any(|template| any_statement(&template.start, ask))
    }
}
