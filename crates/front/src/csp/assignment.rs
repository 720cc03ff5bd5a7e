//! Assignments as events: `x := e -> P`.

use fairly_source::Span;

use super::parser::{Parsed, Parser};
use super::syntax::{
    ActionKind, Domain, Event, Expr, ExprKind, LocalId, PlaceKind, Statement, StatementKind,
};

impl Parser<'_> {
    /// `x := e`: an event of its own, known by its text and the values of the names in it.
    pub(super) fn assignment_event(&mut self) -> Parsed<(ActionKind, Vec<Statement>)> {
        let start = self.span();
        let place = self.place()?;
        self.expect(":=")?;
        let value = self.expression()?;
        let span = self.since(start);
        let Some(target) = place else { return Ok((ActionKind::Tau, Vec::new())) };
        self.storable(&target, &value);
        let name = super::print::assignment_text(&self.spec, &self.locals, &target, &value);
        let kind = StatementKind::Assign { target, value };
        let mut locals = Vec::new();
        locals_of(&kind, &mut locals);
        let arguments = locals
            .into_iter()
            .map(|(local, span)| Expr {
                kind: ExprKind::Local(local),
                ty: self.types[local.index()],
                span,
            })
            .collect();
        let event = Event { name: self.assignment_id(name), arguments, span };
        Ok((ActionKind::Event(event), vec![Statement { kind, span }]))
    }
}

/// The locals that are free in an assignment, each once, in the order of the text.
fn locals_of(assignment: &StatementKind, found: &mut Vec<(LocalId, Span)>) {
    let StatementKind::Assign { target, value } = assignment else { return };
    let mut bound = Vec::new();
    if let PlaceKind::Element(_, indices) = &target.kind {
        indices.iter().for_each(|index| locals_in(index, &mut bound, found));
    }
    locals_in(value, &mut bound, found);
}

fn locals_in(expr: &Expr, bound: &mut Vec<LocalId>, found: &mut Vec<(LocalId, Span)>) {
    let mut meet = |local: LocalId, bound: &[LocalId]| {
        if !bound.contains(&local) && found.iter().all(|(other, _)| *other != local) {
            found.push((local, expr.span));
        }
    };
    match &expr.kind {
        ExprKind::Local(local) => meet(*local, bound),
        // A local that stands for an array has no value that an event could have.
        ExprKind::ElementOf(_, index) => locals_in(index, bound, found),
        ExprKind::Element(_, parts) | ExprKind::Math(_, parts) | ExprKind::List(parts) => {
            parts.iter().for_each(|part| locals_in(part, bound, found));
        }
        ExprKind::Method(call) => {
            call.arguments.iter().for_each(|part| locals_in(part, bound, found));
        }
        ExprKind::Query(_, channel) => {
            channel.index.iter().for_each(|index| locals_in(index, bound, found));
        }
        ExprKind::Unary(_, a) => locals_in(a, bound, found),
        ExprKind::Binary(_, a, b) => {
            locals_in(a, bound, found);
            locals_in(b, bound, found);
        }
        ExprKind::Quantified(_, bindings, body) => {
            let before = bound.len();
            for binding in bindings {
                match &binding.domain {
                    Domain::Range(low, high) => {
                        locals_in(low, bound, found);
                        locals_in(high, bound, found);
                    }
                    Domain::List(values) => {
                        values.iter().for_each(|value| locals_in(value, bound, found));
                    }
                }
                bound.push(binding.local);
            }
            locals_in(body, bound, found);
            bound.truncate(before);
        }
        ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Variable(_)
        | ExprKind::Define(_)
        | ExprKind::SameContents(..) => {}
    }
}
