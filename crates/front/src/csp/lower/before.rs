//! Contents of channels before a step that sends or receives.
//!
//! An edge of the model communicates first and then runs its effect, but the values that a process
//! remembers are those before the step.

use fairly_model::{BinaryOp, ChannelQuery, Communication, Expr};

use super::environment::substituted;
use super::steps::equal;

/// An expression over the state before a step as one over the state after its communication.
pub(super) fn before(expr: &Expr, communication: &Communication) -> Expr {
    let (used, more) = match communication {
        Communication::None => return expr.clone(),
        Communication::Send { channel, .. } => (channel, -1),
        Communication::Receive { channel, .. } => (channel, 1),
    };
    substituted(expr, &mut |leaf| {
        let Expr::Channel(query, channel) = leaf else { return None };
        let ask = |query| Expr::Channel(query, channel.clone());
        let length = Expr::binary(BinaryOp::Add, ask(ChannelQuery::Length), Expr::Const(more));
        let then = match query {
            ChannelQuery::Length => length,
            ChannelQuery::Empty => Expr::binary(BinaryOp::Equal, length, Expr::Const(0)),
            ChannelQuery::Full => {
                Expr::binary(BinaryOp::Equal, length, ask(ChannelQuery::Capacity))
            }
            ChannelQuery::Capacity => return Some(leaf.clone()),
        };
        Some(match equal(channel, used) {
            Expr::TRUE => then,
            Expr::FALSE => leaf.clone(),
            same => Expr::Conditional(Box::new((same, then, leaf.clone()))),
        })
    })
}
