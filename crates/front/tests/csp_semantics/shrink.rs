//! Makes a specification that fails small.

use std::sync::Arc;

use super::ast::{Action, Ex, P, Spec, Statement};

/// The smallest specification that still fails and is reached by leaving something out.
pub(crate) fn shrink(mut spec: Spec, fails: &dyn Fn(&Spec) -> bool) -> Spec {
    loop {
        let Some(smaller) = smaller(&spec).into_iter().find(|it| fails(it)) else { return spec };
        spec = smaller;
    }
}

fn smaller(spec: &Spec) -> Vec<Spec> {
    let mut all = Vec::new();
    for at in 0..spec.definitions.len() {
        if spec.definitions[at].alphabet.is_some() {
            let mut copy = spec.clone();
            copy.definitions[at].alphabet = None;
            all.push(copy);
        }
        for body in smaller_process(&spec.definitions[at].body) {
            let mut copy = spec.clone();
            copy.definitions[at].body = Arc::new(body);
            all.push(copy);
        }
    }
    // From the end, so that no other is numbered anew; it fails no more if it is referred to.
    if spec.definitions.len() > 1 {
        let mut copy = spec.clone();
        copy.definitions.pop();
        all.push(copy);
    }
    if !spec.variables.is_empty() {
        let mut copy = spec.clone();
        copy.variables.pop();
        all.push(copy);
    }
    if !spec.channels.is_empty() {
        let mut copy = spec.clone();
        copy.channels.pop();
        all.push(copy);
    }
    all
}

fn smaller_process(process: &Arc<P>) -> Vec<P> {
    let mut all = Vec::new();
    if !matches!(**process, P::Stop | P::Skip) {
        all.extend([P::Stop, P::Skip]);
    }
    let mut take = |child: &Arc<P>, rebuild: &dyn Fn(Arc<P>) -> P| {
        all.push(P::clone(child));
        all.extend(smaller_process(child).into_iter().map(|child| rebuild(Arc::new(child))));
    };
    match &**process {
        P::Prefix(action, program, then) => {
            take(then, &|then| P::Prefix(action.clone(), program.clone(), then));
            let fixed = matches!(action, Action::Assign(..));
            for program in smaller_program(program).into_iter().filter(|_| !fixed) {
                all.push(P::Prefix(action.clone(), program, Arc::clone(then)));
            }
            if let Action::Receive(from, Some(_), message) = action {
                let action = Action::Receive(from.clone(), None, message.clone());
                all.push(P::Prefix(action, program.clone(), Arc::clone(then)));
            }
            if *action != Action::Tau {
                all.push(P::Prefix(Action::Tau, program.clone(), Arc::clone(then)));
            }
        }
        P::Alternatives(events, then) => {
            take(then, &|then| P::Alternatives(events.clone(), then));
            for event in events {
                all.push(P::Prefix(Action::Event(event.clone()), Vec::new(), Arc::clone(then)));
            }
        }
        P::Guard(condition, body) => {
            take(body, &|body| P::Guard(condition.clone(), body));
            for condition in smaller_condition(condition) {
                all.push(P::Guard(condition, Arc::clone(body)));
            }
        }
        P::If(kind, condition, then, otherwise) => {
            take(then, &|then| P::If(*kind, condition.clone(), then, otherwise.clone()));
            if let Some(otherwise) = otherwise {
                take(otherwise, &|otherwise| {
                    P::If(*kind, condition.clone(), Arc::clone(then), Some(otherwise))
                });
            }
            for condition in smaller_condition(condition) {
                all.push(P::If(*kind, condition, Arc::clone(then), otherwise.clone()));
            }
        }
        P::Case(branches, otherwise) => {
            for (at, (condition, body)) in branches.iter().enumerate() {
                take(body, &|body| {
                    let mut branches = branches.clone();
                    branches[at] = (condition.clone(), body);
                    P::Case(branches, otherwise.clone())
                });
            }
            if let Some(otherwise) = otherwise {
                take(otherwise, &|otherwise| P::Case(branches.clone(), Some(otherwise)));
            }
        }
        P::Compose(operator, parts) => {
            for (at, part) in parts.iter().enumerate() {
                take(part, &|part| {
                    let mut parts = parts.clone();
                    parts[at] = part;
                    P::Compose(*operator, parts)
                });
            }
            if parts.len() > 2 {
                for at in 0..parts.len() {
                    let mut parts = parts.clone();
                    parts.remove(at);
                    all.push(P::Compose(*operator, parts));
                }
            }
        }
        P::Synchronised([left, right], sets) => {
            take(left, &|left| P::Synchronised([left, Arc::clone(right)], sets.clone()));
            take(right, &|right| P::Synchronised([Arc::clone(left), right], sets.clone()));
            for at in 0..sets.len() {
                if !sets[at].is_empty() {
                    let mut sets = sets.clone();
                    sets[at].pop();
                    all.push(P::Synchronised([Arc::clone(left), Arc::clone(right)], sets));
                }
            }
        }
        P::Indexed(operator, name, domain, body) => {
            take(body, &|body| P::Indexed(*operator, *name, domain.clone(), body));
        }
        P::Copies(count, body) => {
            take(body, &|body| P::Copies(count.clone(), body));
        }
        P::Hide(body, events) => {
            take(body, &|body| P::Hide(body, events.clone()));
            if events.len() > 1 {
                for at in 0..events.len() {
                    let mut events = events.clone();
                    events.remove(at);
                    all.push(P::Hide(Arc::clone(body), events));
                }
            }
        }
        P::Atomic(body) => take(body, &P::Atomic),
        P::Refer(definition, arguments) => {
            for at in 0..arguments.len() {
                if !matches!(arguments[at], Ex::Int(_)) {
                    let mut arguments = arguments.clone();
                    arguments[at] = Ex::Int(0);
                    all.push(P::Refer(*definition, arguments));
                }
            }
        }
        P::Stop | P::Skip | P::Done | P::Assert(_) | P::Joined(_) => {}
    }
    all
}

fn smaller_condition(condition: &Ex) -> Vec<Ex> {
    match condition {
        Ex::Bool(_) => Vec::new(),
        Ex::Not(inner) => vec![Ex::Bool(true), Ex::Bool(false), Ex::clone(inner)],
        Ex::Binary(super::ast::Op::And | super::ast::Op::Or, both) => {
            vec![Ex::Bool(true), Ex::Bool(false), both.0.clone(), both.1.clone()]
        }
        _ => vec![Ex::Bool(true), Ex::Bool(false)],
    }
}

fn smaller_program(program: &[Statement]) -> Vec<Vec<Statement>> {
    let mut all = Vec::new();
    for at in 0..program.len() {
        let mut fewer = program.to_vec();
        fewer.remove(at);
        all.push(fewer);
        let ways = match &program[at] {
            Statement::If(_, then, otherwise) => vec![then.clone(), otherwise.clone()],
            Statement::While(_, body) => vec![body.clone()],
            Statement::Set(variable, index, value) if !matches!(value, Ex::Int(_)) => (0..2)
                .map(|value| vec![Statement::Set(*variable, index.clone(), Ex::Int(value))])
                .collect(),
            _ => Vec::new(),
        };
        for way in ways {
            let mut other = program.to_vec();
            other.splice(at..=at, way);
            all.push(other);
        }
    }
    all
}
