//! Queries and changes of a tree that has been read.

use hashbrown::HashSet;

use super::ast::{
    Base, BinaryOp, Expr, ExprKind, LabelId, Origin, Pattern, Run, Sequence, Stmt, StmtKind, VarRef,
};
use super::place::Place;

/// Puts the labels in the place of the numbers of the jumps.
pub(super) fn set_targets(sequence: &mut Sequence, targets: &[LabelId]) {
    for stmt in &mut sequence.steps {
        if let StmtKind::Goto(jump) = &mut stmt.kind {
            *jump = targets.get(jump.index()).copied().unwrap_or(LabelId(0));
        }
        for inner in inner_mut(&mut stmt.kind) {
            set_targets(inner, targets);
        }
    }
}

/// The sequences inside a statement.
pub(super) fn inner(kind: &StmtKind) -> Vec<&Sequence> {
    match kind {
        StmtKind::If(choices) | StmtKind::Do(choices) => {
            choices.iter().map(|choice| &choice.body).collect()
        }
        StmtKind::Unless(main, escape) => vec![main, escape],
        StmtKind::Atomic(inner) | StmtKind::DStep(inner) | StmtKind::Block(inner) => vec![inner],
        _ => Vec::new(),
    }
}

/// The same, to be changed.
fn inner_mut(kind: &mut StmtKind) -> Vec<&mut Sequence> {
    match kind {
        StmtKind::If(choices) | StmtKind::Do(choices) => {
            choices.iter_mut().map(|choice| &mut choice.body).collect()
        }
        StmtKind::Unless(main, escape) => vec![main, escape],
        StmtKind::Atomic(inner) | StmtKind::DStep(inner) | StmtKind::Block(inner) => vec![inner],
        _ => Vec::new(),
    }
}

/// Gives labels that are looked at from outside a state of their own, if they are on a jump.
pub(super) fn separate_jumps(sequence: &mut Sequence, looked_at: &HashSet<LabelId>) {
    let mut steps = Vec::with_capacity(sequence.steps.len());
    for mut stmt in std::mem::take(&mut sequence.steps) {
        let seen = stmt.labels.iter().any(|label| looked_at.contains(label));
        if seen && matches!(stmt.kind, StmtKind::Goto(_) | StmtKind::Break) {
            let labels = std::mem::take(&mut stmt.labels);
            let place = stmt.place;
            let kind = StmtKind::Condition(Expr { kind: ExprKind::Number(1), place, height: 1 });
            steps.push(Stmt { labels, kind, place, annotation: None, origin: Origin::Label });
        }
        for inner in inner_mut(&mut stmt.kind) {
            separate_jumps(inner, looked_at);
        }
        steps.push(stmt);
    }
    sequence.steps = steps;
}

/// Calls `visit` on the expression and all in it.
pub(super) fn walk<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    visit(expr);
    let variable = |variable: &'a VarRef, visit: &mut dyn FnMut(&'a Expr)| {
        for index in indices(variable) {
            walk(index, visit);
        }
    };
    match &expr.kind {
        ExprKind::Number(_)
        | ExprKind::Constant(..)
        | ExprKind::Timeout
        | ExprKind::NonProgress => {}
        ExprKind::Variable(inner) | ExprKind::Length(inner) | ExprKind::Probe(_, inner) => {
            variable(inner, visit);
        }
        ExprKind::Unary(_, operand)
        | ExprKind::Enabled(operand)
        | ExprKind::PcValue(operand)
        | ExprKind::GetPriority(operand) => walk(operand, visit),
        ExprKind::Binary(_, left, right) => {
            walk(left, visit);
            walk(right, visit);
        }
        ExprKind::Conditional(parts) => parts.iter().for_each(|part| walk(part, visit)),
        ExprKind::Run(run) => run.arguments.iter().for_each(|part| walk(part, visit)),
        ExprKind::Poll { channel, fields, .. } => {
            variable(channel, visit);
            for field in fields {
                match field {
                    Pattern::Store(inner) => variable(inner, visit),
                    Pattern::Any => {}
                    Pattern::Equal(value) => walk(value, visit),
                }
            }
        }
        ExprKind::RemoteLabel(_, pid, _) => {
            if let Some(pid) = pid {
                walk(pid, visit);
            }
        }
        ExprKind::RemoteVariable(remote) => {
            remote.pid.iter().chain(&remote.index).for_each(|part| walk(part, visit));
        }
    }
}

/// Where there is a part that is such.
fn find(expr: &Expr, is: impl Fn(&ExprKind) -> bool) -> Option<Place> {
    let mut found = None;
    walk(expr, &mut |part| {
        if found.is_none() && is(&part.kind) {
            found = Some(part.place);
        }
    });
    found
}

/// Where there is a `run`.
pub(super) fn find_run(expr: &Expr) -> Option<Place> {
    find(expr, |kind| matches!(kind, ExprKind::Run(_)))
}

/// The indices of a reference.
fn indices(variable: &VarRef) -> impl Iterator<Item = &Expr> {
    let fields = variable.fields.iter().filter_map(|field| field.index.as_ref());
    variable.index.as_deref().into_iter().chain(fields)
}

/// The expressions of a statement, without those of statements inside it.
pub(super) fn expressions(stmt: &Stmt) -> Vec<&Expr> {
    let mut found = Vec::new();
    match &stmt.kind {
        StmtKind::Condition(value)
        | StmtKind::Declare(_, Some(value))
        | StmtKind::Assert(value)
        | StmtKind::Printm(value) => found.push(value),
        StmtKind::Assign(target, value) => {
            found.extend(indices(target));
            found.push(value);
        }
        StmtKind::Send { channel, fields, .. } => {
            found.extend(indices(channel));
            found.extend(fields);
        }
        StmtKind::Receive { channel, fields, .. } => {
            found.extend(indices(channel));
            for field in fields {
                match field {
                    Pattern::Store(target) => found.extend(indices(target)),
                    Pattern::Equal(value) => found.push(value),
                    Pattern::Any => {}
                }
            }
        }
        StmtKind::Printf(_, values) => found.extend(values),
        StmtKind::SetPriority(pid, value) => found.extend([pid, value]),
        _ => {}
    }
    found
}

/// Every `run` of a statement, without those of statements inside it.
pub(super) fn runs(stmt: &Stmt) -> Vec<&Run> {
    let mut found = Vec::new();
    for expr in expressions(stmt) {
        walk(expr, &mut |part| {
            if let ExprKind::Run(run) = &part.kind {
                found.push(&**run);
            }
        });
    }
    found
}

/// The `run` that is executed whenever the expression is evaluated, if there is one.
pub(super) fn certain_run(expr: &Expr) -> Option<&Run> {
    match &expr.kind {
        ExprKind::Run(run) => Some(run),
        ExprKind::Unary(_, operand) => certain_run(operand),
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, _) => certain_run(left),
        ExprKind::Binary(_, left, right) => certain_run(left).or_else(|| certain_run(right)),
        ExprKind::Conditional(parts) => certain_run(&parts[0]),
        _ => None,
    }
}

/// Whether a statement asks for the priority of a process by its number.
pub(super) fn asks_priority(stmt: &Stmt) -> bool {
    expressions(stmt).into_iter().any(|expr| find_priority(expr).is_some())
}

/// Where the priority of a process is asked for by its number.
pub(super) fn find_priority(expr: &Expr) -> Option<Place> {
    find(expr, |kind| matches!(kind, ExprKind::GetPriority(_)))
}

/// Where there is something that depends on what is in a channel.
pub(super) fn find_look(expr: &Expr) -> Option<Place> {
    find(expr, |kind| {
        matches!(kind, ExprKind::Length(_) | ExprKind::Probe(..) | ExprKind::Poll { .. })
    })
}

/// Where there is a reference to another process.
pub(super) fn find_remote(expr: &Expr) -> Option<Place> {
    find(expr, |kind| matches!(kind, ExprKind::RemoteLabel(..) | ExprKind::RemoteVariable(_)))
}

pub(super) fn count_runs(expr: &Expr) -> usize {
    let mut count = 0;
    walk(expr, &mut |part| count += usize::from(matches!(part.kind, ExprKind::Run(_))));
    count
}

/// Where there is something that a `provided` clause cannot look at.
pub(super) fn find_unfit(expr: &Expr) -> Option<Place> {
    find(expr, |kind| match kind {
        ExprKind::Run(_)
        | ExprKind::Timeout
        | ExprKind::NonProgress
        | ExprKind::Enabled(_)
        | ExprKind::PcValue(_) => true,
        ExprKind::Variable(variable) => matches!(variable.base, Base::Local(_)),
        _ => false,
    })
}
