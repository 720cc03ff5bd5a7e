//! Arrays as values: which names can stand for an array, and which messages have one as a part.
//!
//! As in PAT, a whole array can be an argument of a process and a part of a message, and the process that gets it can
//! read its elements. A message is sent as its elements, one after the other, so that the channel of the model must know
//! how long that can be; and the receiver must know which of its names stands for how many of them.

use std::collections::BTreeSet;

use hashbrown::HashSet;

use super::alike::owners;
use crate::csp::syntax::{
    ActionKind, Expr, ExprKind, LocalId, Pattern, ProcessKind, Specification,
};

/// How many kinds of messages one channel may have, as far as arrays in them are concerned.
const MAX_SHAPES: usize = 64;

/// Lengths of the parts of a message: the length of an array, or 0 for a single value.
pub(super) type Shape = Vec<u32>;

/// How many elements the parts of a message have together.
pub(super) fn total(shape: &[u32]) -> usize {
    shape.iter().map(|&length| length.max(1) as usize).sum()
}

/// The shapes of the messages of each channel. Nothing where all parts of all messages are single values.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    channels: Vec<BTreeSet<Shape>>,
}

impl Shapes {
    /// The shapes of the messages that a pattern with so many parts may receive; at least one.
    pub(super) fn of(&self, channel: usize, parts: usize) -> Vec<Shape> {
        let known = self.channels.get(channel).into_iter().flatten();
        let found: Vec<Shape> = known.filter(|shape| shape.len() == parts).cloned().collect();
        if found.is_empty() { vec![vec![0; parts]] } else { found }
    }

    /// Whether two messages of a channel can have the same elements although one has an array where the other has not.
    pub(super) fn is_ambiguous(&self, channel: usize) -> bool {
        let mut totals = HashSet::new();
        let shapes = self.channels.get(channel);
        shapes.is_some_and(|shapes| {
            shapes.len() > MAX_SHAPES || !shapes.iter().all(|shape| totals.insert(total(shape)))
        })
    }
}

/// Computes the shapes of names and messages without exploring. A name has every shape that is ever given to
/// it, in whichever process.
pub(super) fn shapes(specification: &Specification) -> Shapes {
    let passes_arrays = |expr: &Expr| match &expr.kind {
        ExprKind::Element(_, indices) => indices.is_empty(),
        ExprKind::List(_) => true,
        _ => false,
    };
    let uses_arrays = specification.nodes.iter().any(|node| match &node.kind {
        ProcessKind::Reference { arguments, .. } => arguments.iter().any(passes_arrays),
        ProcessKind::Prefix { action, .. } => match &action.kind {
            ActionKind::Output { message, .. } => message.iter().any(passes_arrays),
            _ => false,
        },
        _ => false,
    });
    if !uses_arrays {
        return Shapes::default();
    }
    let mut names: Vec<Vec<BTreeSet<u32>>> =
        specification.definitions.iter().map(|it| vec![BTreeSet::new(); it.locals.len()]).collect();
    let mut found = Shapes { channels: vec![BTreeSet::new(); specification.channels.len()] };
    let owners = owners(specification);
    loop {
        let mut changed = false;
        for (node, owner) in specification.nodes.iter().zip(&owners) {
            let owner = owner.index();
            match &node.kind {
                ProcessKind::Reference { definition, arguments } => {
                    for (at, argument) in arguments.iter().enumerate() {
                        for length in lengths(specification, argument, &names[owner]) {
                            let into = names[definition.index()].get_mut(at);
                            changed |= into.is_some_and(|into| into.insert(length));
                        }
                    }
                }
                ProcessKind::Prefix { action, .. } => match &action.kind {
                    ActionKind::Output { channel, message } => {
                        let into = &mut found.channels[channel.channel.index()];
                        for shape in product(specification, message, &names[owner]) {
                            // One too many says that there are too many.
                            changed |= into.len() <= MAX_SHAPES && into.insert(shape);
                        }
                    }
                    ActionKind::Input { channel, message, .. } => {
                        for shape in &found.channels[channel.channel.index()] {
                            for (part, &length) in message.iter().zip(shape) {
                                if let (Pattern::Bind(local, _), true) =
                                    (part, shape.len() == message.len())
                                {
                                    let into = names[owner].get_mut(local.index());
                                    changed |= into.is_some_and(|into| into.insert(length));
                                }
                            }
                        }
                    }
                    ActionKind::Event(_) | ActionKind::Tau => {}
                },
                _ => {}
            }
        }
        if !changed {
            return found;
        }
    }
}

/// Possible lengths of an expression.
fn lengths(specification: &Specification, expr: &Expr, names: &[BTreeSet<u32>]) -> Vec<u32> {
    let of = |local: &LocalId| names.get(local.index()).filter(|lengths| !lengths.is_empty());
    match &expr.kind {
        ExprKind::Element(id, indices) if indices.is_empty() => {
            vec![specification.variables[id.index()].dimensions.iter().product()]
        }
        ExprKind::List(elements) => u32::try_from(elements.len()).into_iter().collect(),
        ExprKind::Local(local) => match of(local) {
            Some(lengths) => lengths.iter().copied().collect(),
            None => vec![0],
        },
        _ => vec![0],
    }
}

/// Possible shapes of a message.
fn product(specification: &Specification, message: &[Expr], names: &[BTreeSet<u32>]) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = vec![Vec::new()];
    for part in message {
        let lengths = lengths(specification, part, names);
        let longer = |shape: &Shape| {
            lengths
                .iter()
                .map(|&length| shape.iter().copied().chain([length]).collect())
                .collect::<Vec<Shape>>()
        };
        shapes = shapes.iter().flat_map(longer).take(MAX_SHAPES + 1).collect();
    }
    shapes
}
