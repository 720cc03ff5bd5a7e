//! Messages of different lengths on one channel.
//!
//! As in PAT, a message is only received by a pattern with as many parts. A channel of the model has
//! messages of one length, so that shorter ones are filled up with [`ABSENT`].

use fairly_model::{ABSENT, BinaryOp, Expr, Pattern};

use super::shapes::{Shapes, total};
use crate::csp::syntax::{ActionKind, ProcessKind, Specification};

/// How many parts the messages of a channel have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lengths {
    /// The longest.
    pub(super) most: usize,
    /// Whether there are others.
    pub(super) differ: bool,
}

/// The lengths of the messages of each channel, as they are written. An array counts as its elements.
pub(super) fn lengths(specification: &Specification, shapes: &Shapes) -> Vec<Lengths> {
    let mut all: Vec<Option<Lengths>> = vec![None; specification.channels.len()];
    for node in &specification.nodes {
        let ProcessKind::Prefix { action, .. } = &node.kind else { continue };
        let (channel, parts) = match &action.kind {
            ActionKind::Output { channel, message } => (channel, message.len()),
            ActionKind::Input { channel, message, .. } => (channel, message.len()),
            ActionKind::Event(_) | ActionKind::Tau => continue,
        };
        let known = &mut all[channel.channel.index()];
        for shape in shapes.of(channel.channel.index(), parts) {
            let length = total(&shape);
            *known = Some(match *known {
                None => Lengths { most: length, differ: false },
                Some(known) => Lengths {
                    most: known.most.max(length),
                    differ: known.differ || known.most != length,
                },
            });
        }
    }
    all.into_iter().map(Option::unwrap_or_default).collect()
}

impl Lengths {
    /// A message as the channel of the model has it.
    pub(super) fn sent(self, mut message: Vec<Expr>) -> Vec<Expr> {
        if self.differ {
            message = message.into_iter().map(present).collect();
            message.resize(self.most, Expr::Const(ABSENT));
        }
        message
    }

    /// A pattern as the channel of the model has it, and what else must hold of the message.
    pub(super) fn received(self, mut pattern: Vec<Pattern>) -> (Vec<Pattern>, Expr) {
        if !self.differ {
            return (pattern, Expr::TRUE);
        }
        let last = pattern.len() - 1;
        let whole = match pattern[last] {
            Pattern::Any => Expr::binary(
                BinaryOp::NotEqual,
                Expr::Received(u32::try_from(last).expect("few parts")),
                Expr::Const(ABSENT),
            ),
            Pattern::Equal(_) => Expr::TRUE,
        };
        pattern.resize(self.most, Pattern::Equal(Expr::Const(ABSENT)));
        (pattern, whole)
    }
}

/// A part of a message. A number that is no integer of 32 bits must not be taken for a part that is not
/// there: it is a fault.
fn present(part: Expr) -> Expr {
    match part {
        Expr::Const(_) | Expr::Load(_) | Expr::Received(_) => part,
        other => {
            let absent = Expr::binary(BinaryOp::Equal, other.clone(), Expr::Const(ABSENT));
            let fault = Expr::Checked { index: Box::new(other.clone()), length: 1 };
            Expr::Conditional(Box::new((absent, fault, other)))
        }
    }
}

/// A message without the parts that are not there.
pub(super) fn without_absent(message: &[Expr]) -> Vec<Expr> {
    message.iter().filter(|part| **part != Expr::Const(ABSENT)).cloned().collect()
}
