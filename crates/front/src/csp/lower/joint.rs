//! Steps that several parts of one term make together, or that one of them makes alone.

use fairly_model::{
    AnyVariable, BinaryOp, Communication, Expr, LocalId as Cell, Pattern, Place, Statement,
    StatementKind,
};
use fairly_source::Span;
use hashbrown::{HashMap, HashSet};

use super::LowerError;
use super::environment::{Leaf, as_cell, substituted};
use super::events::Concrete;
use super::expression::folded;
use super::message::without_absent;
use super::program::{SCRATCH, Scratch};
use super::steps::{Step, StepLabel, equal, known, possible};
use super::term::Term;
use super::terms::Terms;
use crate::csp::syntax::{ChannelId, EventId};

/// Ways to make one step together that are tried.
const MAX_WAYS: usize = 1 << 16;

/// Puts a term together again when some of its parts have changed.
type Rebuild<'a> = &'a dyn Fn(&[(usize, Term)]) -> Term;

/// Appends the steps that a part makes alone.
pub(super) fn alone(
    parts: &[Vec<Step>],
    rebuild: Rebuild<'_>,
    is_alone: &dyn Fn(usize, &Step) -> bool,
    out: &mut Vec<Step>,
) {
    for (at, steps) in parts.iter().enumerate() {
        for step in steps.iter().filter(|step| is_alone(at, step)) {
            let target = rebuild(&[(at, step.target.clone())]);
            out.push(Step { target, ..step.clone() });
        }
    }
}

/// Appends the events that all parts with the event in their alphabet make together.
pub(super) fn together(
    terms: &Terms,
    parts: &[Vec<Step>],
    rebuild: Rebuild<'_>,
    has: &dyn Fn(usize, &Concrete) -> bool,
    out: &mut Vec<Step>,
) -> Result<(), LowerError> {
    // The steps of each part by their event, and the events in the order in which they are met.
    let mut by_event: Vec<HashMap<Concrete, Vec<&Step>>> = Vec::with_capacity(parts.len());
    let mut order: Vec<(usize, Concrete)> = Vec::new();
    for (at, steps) in parts.iter().enumerate() {
        let mut found: HashMap<Concrete, Vec<&Step>> = HashMap::new();
        for step in steps {
            let Some(event) = step.shared() else { continue };
            if !has(at, &event) {
                continue;
            }
            let same = found.entry(event.clone()).or_default();
            if same.is_empty() {
                order.push((at, event));
            }
            same.push(step);
        }
        by_event.push(found);
    }
    for (at, event) in order {
        // The first of those who share an event finds all the ways to take it.
        if (0..at).any(|other| has(other, &event)) {
            continue;
        }
        terms.worked(parts.len());
        let sharing: Vec<usize> = (at..parts.len()).filter(|&other| has(other, &event)).collect();
        let none = Vec::new();
        let choices: Vec<&[&Step]> = sharing
            .iter()
            .map(|&part| by_event[part].get(&event).unwrap_or(&none).as_slice())
            .collect();
        for way in ways(&choices)? {
            let mut joint = merged(&way);
            let changed: Vec<(usize, Term)> =
                sharing.iter().zip(&way).map(|(&part, step)| (part, step.target.clone())).collect();
            joint.target = rebuild(&changed);
            out.push(joint);
        }
    }
    Ok(())
}

/// Appends what parts do together in every composition: termination, and both halves of a
/// communication without a buffer.
pub(super) fn interleaved(
    terms: &Terms,
    parts: &[Vec<Step>],
    rebuild: Rebuild<'_>,
    out: &mut Vec<Step>,
) -> Result<(), LowerError> {
    let before = out.len();
    let ticks: Vec<Vec<&Step>> = parts
        .iter()
        .map(|steps| {
            // Of several that do the same one is enough. With all of them, their number would double
            // with each composition that stands inside another.
            let mut different: Vec<&Step> = Vec::new();
            for step in steps.iter().filter(|step| step.label == StepLabel::Tick) {
                let same = |other: &&Step| {
                    (&other.guard, &other.program, other.annotation, other.atomic)
                        == (&step.guard, &step.program, step.annotation, step.atomic)
                };
                if !different.iter().any(same) {
                    different.push(step);
                }
            }
            different
        })
        .collect();
    let ticks: Vec<&[&Step]> = ticks.iter().map(Vec::as_slice).collect();
    for way in ways(&ticks)? {
        match way.as_slice() {
            // No part at all: terminated from the start.
            [] => out.push(Step::new(StepLabel::Tick, Term::Done, Span::at(0))),
            way => out.push(Step { target: Term::Done, ..merged(way) }),
        }
    }
    // Only channels without a buffer are for two at once.
    let meets = |step: &Step| match step.label {
        StepLabel::Message(channel) => {
            let declared = &terms.specification.channels[channel.index()];
            (declared.capacity == 0).then_some(channel)
        }
        _ => None,
    };
    let mut receives: HashMap<ChannelId, Vec<(usize, &Step)>> = HashMap::new();
    for (receiver, steps) in parts.iter().enumerate() {
        for step in steps.iter().filter(|step| is_receive(step)) {
            if let Some(channel) = meets(step) {
                receives.entry(channel).or_default().push((receiver, step));
            }
        }
    }
    for (sender, sends) in parts.iter().enumerate() {
        for send in sends.iter().filter(|step| !is_receive(step)) {
            let Some(channel) = meets(send) else { continue };
            let declared = &terms.specification.channels[channel.index()];
            let first = terms.channels[channel.index()];
            for &(receiver, receive) in receives.get(&channel).into_iter().flatten() {
                terms.worked(1);
                if receiver == sender {
                    continue;
                }
                // Each channel of an array has events of its own.
                for number in first..first + declared.size.unwrap_or(1) {
                    let Some((mut joint, received)) = rendezvous(terms, send, receive, number)
                    else {
                        continue;
                    };
                    let changed = [(sender, send.target.clone()), (receiver, received)];
                    joint.target = rebuild(&changed);
                    out.push(joint);
                }
            }
        }
    }
    possible(out, before);
    Ok(())
}

fn is_receive(step: &Step) -> bool {
    matches!(step.communication, Communication::Receive { .. })
}

/// Both halves of a communication over the channel with this number, and what is left of the
/// receiver.
fn rendezvous(terms: &Terms, send: &Step, receive: &Step, number: u32) -> Option<(Step, Term)> {
    let (StepLabel::Message(channel), StepLabel::Message(other)) = (&send.label, &receive.label)
    else {
        return None;
    };
    let (
        Communication::Send { channel: to, message, .. },
        Communication::Receive { channel: from, pattern, .. },
    ) = (&send.communication, &receive.communication)
    else {
        return None;
    };
    let capacity = terms.specification.channels[channel.index()].capacity;
    if channel != other || capacity != 0 || message.len() != pattern.len() {
        return None;
    }
    let here = Expr::Const(i64::from(number));
    let (sends_here, receives_here) = (equal(to, &here), equal(from, &here));
    if sends_here == Expr::FALSE || receives_here == Expr::FALSE {
        return None;
    }
    let mut guard = send.guard.clone().and(sends_here).and(receives_here);
    for (part, wanted) in message.iter().zip(pattern) {
        if let Pattern::Equal(wanted) = wanted {
            guard = guard.and(equal(part, wanted));
        }
    }
    let received = |leaf: &Expr| match leaf {
        Expr::Received(at) => message.get(*at as usize).cloned(),
        _ => None,
    };
    guard = guard.and(substituted(&receive.guard, &mut |leaf| received(leaf)));
    let left = receive.target.with_exprs(&mut |expr| substituted(expr, &mut |leaf| received(leaf)));
    // Programs may change what the message is made of, so it is kept while they run.
    let mut scratch = Scratch::after(send.scratch + receive.scratch);
    let mut program = Vec::new();
    let mut kept = message.clone();
    if !receive.program.is_empty() {
        let mut first = Vec::new();
        for part in &mut kept {
            let cell = scratch.fresh();
            first.push((Place::local(cell), std::mem::replace(part, Expr::local(cell))));
        }
        program.push(Statement::new(StatementKind::Assign(first)));
    }
    program.extend(send.program.iter().cloned());
    program.extend(receive.program.iter().map(|statement| {
        replaced(statement, &mut |leaf| match leaf {
            Expr::Received(at) => kept.get(*at as usize).cloned(),
            other => shifted(other, send.scratch),
        })
    }));
    let joint = Step {
        guard,
        label: joint_label(terms, *channel, number, message),
        communication: Communication::None,
        annotation: send.annotation.or(receive.annotation),
        program,
        scratch: scratch.used(),
        target: Term::Stop,
        atomic: send.atomic || receive.atomic,
        span: send.span,
    };
    Some((joint, left))
}

/// Label of both halves for an observer. A hidden set or an alphabet may name it as an event, `c.1`.
fn joint_label(terms: &Terms, channel: ChannelId, number: u32, message: &[Expr]) -> StepLabel {
    let declared = &terms.specification.channels[channel.index()];
    let family = terms.specification.events.iter().position(|it| *it == declared.name.text);
    match family {
        Some(family) if declared.size.is_none() => StepLabel::Event {
            family: EventId::from_index(family),
            values: without_absent(message),
            shared: false,
        },
        _ => StepLabel::Joint(number, without_absent(message)),
    }
}

/// One step of several. What is left is for the caller to say.
fn merged(way: &[&Step]) -> Step {
    let mut joint = way[0].clone();
    for step in &way[1..] {
        joint.guard = joint.guard.and(step.guard.clone());
        joint.annotation = joint.annotation.or(step.annotation);
        joint.atomic |= step.atomic;
        let used = joint.scratch;
        joint.program.extend(
            step.program
                .iter()
                .map(|statement| replaced(statement, &mut |leaf| shifted(leaf, used))),
        );
        joint.scratch += step.scratch;
    }
    joint
}

/// A cell that lives for one step, moved behind those of others.
fn shifted(leaf: &Expr, by: u32) -> Option<Expr> {
    as_cell(leaf).filter(|cell| cell.0 >= SCRATCH).map(|cell| Expr::local(Cell(cell.0 + by)))
}

/// The statement with its leaves replaced; a cell that is assigned becomes the cell that it would
/// be read as.
pub(super) fn replaced(statement: &Statement, leaf: Leaf<'_>) -> Statement {
    let block = |statements: &[Statement], leaf: Leaf<'_>| -> Vec<Statement> {
        statements.iter().map(|statement| replaced(statement, leaf)).collect()
    };
    let kind = match &statement.kind {
        StatementKind::Assign(pairs) => StatementKind::Assign(
            pairs
                .iter()
                .map(|(place, value)| (replaced_place(place, leaf), substituted(value, leaf)))
                .collect(),
        ),
        StatementKind::If { condition, then, otherwise } => StatementKind::If {
            condition: substituted(condition, leaf),
            then: block(then, leaf),
            otherwise: block(otherwise, leaf),
        },
        StatementKind::While { condition, body } => StatementKind::While {
            condition: substituted(condition, leaf),
            body: block(body, leaf),
        },
        StatementKind::Assert { condition, message, kind } => StatementKind::Assert {
            condition: substituted(condition, leaf),
            message: message.clone(),
            kind: *kind,
        },
        StatementKind::Take { channel, pattern, into, pick, keep } => StatementKind::Take {
            channel: substituted(channel, leaf),
            pattern: pattern.clone(),
            into: into.clone(),
            pick: *pick,
            keep: *keep,
        },
        // Programs of CSP# have no others.
        other => other.clone(),
    };
    Statement { kind, span: statement.span }
}

fn replaced_place(place: &Place, leaf: Leaf<'_>) -> Place {
    if let Place { variable: AnyVariable::Local(cell), index: None } = place {
        return match leaf(&Expr::local(*cell)).as_ref().and_then(as_cell) {
            Some(other) => Place::local(other),
            None => place.clone(),
        };
    }
    let index = place.index.as_ref().map(|index| Box::new(substituted(index, leaf)));
    Place { variable: place.variable.clone(), index }
}

/// All ways to choose one step of each.
fn ways<'a>(choices: &[&[&'a Step]]) -> Result<Vec<Vec<&'a Step>>, LowerError> {
    let count = choices.iter().map(|choice| choice.len()).try_fold(1usize, usize::checked_mul);
    if count.is_none_or(|count| count > MAX_WAYS) {
        return Err(LowerError {
            code: "E1098",
            message: format!("a step can be made together in more than {MAX_WAYS} ways"),
            span: choices[0][0].span,
        });
    }
    let mut all: Vec<Vec<&Step>> = vec![Vec::new()];
    for &choice in choices {
        all = all
            .iter()
            .flat_map(|way| {
                choice.iter().map(move |step| {
                    let mut longer = way.clone();
                    longer.push(*step);
                    longer
                })
            })
            .collect();
    }
    Ok(all)
}

/// Splits a step whose event has data that are only known when it happens: it is one of the events
/// of these sets, or another.
pub(super) fn specialised<'a>(
    step: Step,
    sets: impl Iterator<Item = &'a HashSet<Concrete>>,
    out: &mut Vec<Step>,
) {
    let StepLabel::Event { family, values, shared } = &step.label else {
        out.push(step);
        return;
    };
    if known(*family, values).is_some() {
        out.push(step);
        return;
    }
    let mut candidates: Vec<&Concrete> = sets
        .flatten()
        .filter(|event| event.family == *family && event.values.len() == values.len())
        .collect();
    candidates.sort();
    candidates.dedup();
    let mut other = step.guard.clone();
    for event in candidates {
        let is_it = values.iter().zip(&event.values).fold(Expr::TRUE, |all, (value, &wanted)| {
            all.and(folded(BinaryOp::Equal, value.clone(), Expr::Const(wanted)))
        });
        if is_it == Expr::FALSE {
            continue;
        }
        other = other.and(is_it.clone().negated());
        let values = event.values.iter().map(|&value| Expr::Const(value)).collect();
        out.push(Step {
            guard: step.guard.clone().and(is_it),
            label: StepLabel::Event { family: *family, values, shared: *shared },
            ..step.clone()
        });
    }
    out.push(Step { guard: other, ..step });
}
