//! Values in place of names.

use std::sync::Arc;

use super::ast::{Action, Domain, Event, EventSet, Ex, Name, P, Pattern, Statement, Use};
use super::naive::Values;

fn put_expr(expr: &Ex, values: &Values) -> Ex {
    match expr {
        Ex::Name(name) => values.get(name).map_or(Ex::Name(*name), |&value| Ex::Int(value)),
        Ex::Int(_) | Ex::Bool(_) | Ex::Global(_) | Ex::Query(..) => expr.clone(),
        Ex::Element(at, index) => Ex::Element(*at, Box::new(put_expr(index, values))),
        Ex::Not(inner) => Ex::Not(Box::new(put_expr(inner, values))),
        Ex::Binary(op, both) => {
            Ex::Binary(*op, Box::new((put_expr(&both.0, values), put_expr(&both.1, values))))
        }
    }
}

fn put_exprs(exprs: &[Ex], values: &Values) -> Vec<Ex> {
    exprs.iter().map(|expr| put_expr(expr, values)).collect()
}

fn put_event(event: &Event, values: &Values) -> Event {
    Event { word: event.word, data: put_exprs(&event.data, values) }
}

pub(crate) fn put_program(program: &[Statement], values: &Values) -> Vec<Statement> {
    let put = |expr: &Ex| put_expr(expr, values);
    program
        .iter()
        .map(|statement| match statement {
            Statement::Set(at, index, value) => {
                Statement::Set(*at, index.as_ref().map(put), put(value))
            }
            // No two names of a definition are the same, and a program has its names to itself.
            Statement::Declare(name, value) => Statement::Declare(*name, put(value)),
            Statement::SetName(name, value) => Statement::SetName(*name, put(value)),
            Statement::If(condition, then, otherwise) => Statement::If(
                put(condition),
                put_program(then, values),
                put_program(otherwise, values),
            ),
            Statement::While(condition, body) => {
                Statement::While(put(condition), put_program(body, values))
            }
            Statement::Assert(condition) => Statement::Assert(put(condition)),
        })
        .collect()
}

fn without(values: &Values, names: impl IntoIterator<Item = Name>) -> Values {
    let mut values = values.clone();
    for name in names {
        values.remove(&name);
    }
    values
}

/// The process with values in place of names that are free in it.
pub(crate) fn put(process: &Arc<P>, values: &Values) -> Arc<P> {
    let expr = |expr: &Ex| put_expr(expr, values);
    let inner = |process: &Arc<P>| put(process, values);
    let sets = |sets: &[EventSet]| -> Vec<EventSet> {
        sets.iter()
            .map(|set| {
                let values = without(values, set.binding.map(|(name, ..)| name));
                EventSet { binding: set.binding, event: put_event(&set.event, &values) }
            })
            .collect()
    };
    let channel =
        |channel: &Use| Use { channel: channel.channel, index: channel.index.as_ref().map(&expr) };
    Arc::new(match &**process {
        P::Stop | P::Skip | P::Done => return Arc::clone(process),
        P::Refer(definition, arguments) => P::Refer(*definition, put_exprs(arguments, values)),
        P::Prefix(Action::Receive(from, guard, message), program, then) => {
            let bound = message.iter().filter_map(|part| match part {
                Pattern::Bind(name) => Some(*name),
                Pattern::Match(_) => None,
            });
            let inside = without(values, bound);
            let message = message
                .iter()
                .map(|part| match part {
                    Pattern::Bind(name) => Pattern::Bind(*name),
                    Pattern::Match(wanted) => Pattern::Match(put_expr(wanted, &inside)),
                })
                .collect();
            let guard = guard.as_ref().map(|guard| put_expr(guard, &inside));
            P::Prefix(
                Action::Receive(channel(from), guard, message),
                put_program(program, &inside),
                put(then, &inside),
            )
        }
        P::Prefix(action, program, then) => {
            let action = match action {
                Action::Event(event) => Action::Event(put_event(event, values)),
                Action::Assign(text, data) => Action::Assign(text.clone(), put_exprs(data, values)),
                Action::Send(to, message) => Action::Send(channel(to), put_exprs(message, values)),
                Action::Tau | Action::Receive(..) => action.clone(),
            };
            P::Prefix(action, put_program(program, values), inner(then))
        }
        P::Alternatives(events, then) => P::Alternatives(
            events.iter().map(|event| put_event(event, values)).collect(),
            inner(then),
        ),
        P::Assert(condition) => P::Assert(expr(condition)),
        P::Guard(condition, body) => P::Guard(expr(condition), inner(body)),
        P::If(kind, condition, then, otherwise) => {
            P::If(*kind, expr(condition), inner(then), otherwise.as_ref().map(inner))
        }
        P::Case(branches, otherwise) => P::Case(
            branches.iter().map(|(condition, body)| (expr(condition), inner(body))).collect(),
            otherwise.as_ref().map(inner),
        ),
        P::Compose(operator, parts) => P::Compose(*operator, parts.iter().map(inner).collect()),
        P::Synchronised([left, right], alphabets) => P::Synchronised(
            [inner(left), inner(right)],
            alphabets.iter().map(|alphabet| sets(alphabet)).collect(),
        ),
        P::Indexed(operator, name, domain, body) => {
            let domain = match domain {
                Domain::Range(low, high) => Domain::Range(expr(low), expr(high)),
                Domain::List(list) => Domain::List(put_exprs(list, values)),
            };
            P::Indexed(*operator, *name, domain, put(body, &without(values, [*name])))
        }
        P::Copies(count, body) => P::Copies(expr(count), inner(body)),
        P::Hide(body, events) => P::Hide(inner(body), sets(events)),
        P::Atomic(body) => P::Atomic(inner(body)),
        P::Joined(parts) => P::Joined(
            parts.iter().map(|(part, alphabet)| (inner(part), Arc::clone(alphabet))).collect(),
        ),
    })
}
