//! The numbers that SPIN gives to statements, in trails and in what `pan -d` lists.
//!
//! SPIN counts the elements of all processes, claims and traces as it reads them, in the order in which
//! [`Flow`] makes them, with two exceptions. A jump with a label that means something is made before the step
//! that carries the label. And a jump whose label is observed from outside becomes that step where it stands,
//! when the observer is read; it goes on as an element that is made there and then.

use hashbrown::HashSet;

use super::flow::{Flow, Node};
use super::processes::{Process, small};
use crate::promela::ast::{self, ExprKind, LabelId, Origin, Proctype, ProctypeId};
use crate::promela::finish::{expressions, walk};

/// By process and element.
pub(super) fn numbers(ast: &ast::Model, processes: &[Process<'_>]) -> Vec<Vec<u32>> {
    let separate = separated(processes);
    let others: Vec<Flow<'_>> = ast.claims.iter().chain(&ast.trace).map(Flow::of).collect();
    let mut units: Vec<(&Proctype, &Flow<'_>, Option<usize>)> = Vec::new();
    for (at, process) in processes.iter().enumerate() {
        units.push((process.of, &process.flow, Some(at)));
    }
    let of_others = ast.claims.iter().chain(&ast.trace).zip(&others);
    units.extend(of_others.map(|(of, flow)| (of, flow, None)));
    units.sort_by_key(|(of, ..)| of.place.span.start);
    let mut count = Count { next: 0, separate };
    let mut all = vec![Vec::new(); processes.len()];
    for (of, flow, at) in units {
        let numbers = count.unit(of, flow);
        if let Some(at) = at {
            all[at] = numbers;
        }
    }
    all
}

/// A jump that is made into two elements, for its label.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Carried {
    /// The label says something of its state.
    Special,
    /// The label is looked at from outside.
    LookedAt,
}

/// The step that the element carries a label for, if that is its purpose.
fn carried(of: &Proctype, flow: &Flow<'_>, at: usize) -> Option<Carried> {
    let (stmt, jump) = (flow.elements[at].stmt?, flow.elements.get(at + 1)?);
    let is_jump = matches!(jump.node, Node::Goto(_) | Node::Leave(_));
    let is_its = jump.stmt.is_some_and(|jump| jump.place == stmt.place);
    if stmt.origin != Origin::Label || !is_jump || !is_its {
        return None;
    }
    let mut labels = stmt.labels.iter().filter_map(|label| of.labels.get(label.index()));
    let special = labels.any(|label| label.is_end() || label.is_progress() || label.is_accept());
    Some(if special { Carried::Special } else { Carried::LookedAt })
}

/// The labels of jumps that are looked at from outside.
fn separated(processes: &[Process<'_>]) -> HashSet<(ProctypeId, LabelId)> {
    let mut separated = HashSet::new();
    for (number, process) in (0..).zip(processes) {
        for at in 0..process.flow.elements.len() {
            if carried(process.of, &process.flow, at) == Some(Carried::LookedAt) {
                let labels = process.flow.elements[at].stmt.map_or(&[][..], |stmt| &stmt.labels);
                separated.extend(labels.iter().map(|&label| (ProctypeId(number), label)));
            }
        }
    }
    separated
}

struct Count {
    next: usize,
    /// Labels of jumps that have not been observed so far.
    separate: HashSet<(ProctypeId, LabelId)>,
}

impl Count {
    fn unit(&mut self, of: &Proctype, flow: &Flow<'_>) -> Vec<u32> {
        let mut numbers = vec![0; flow.elements.len()];
        if let Some(provided) = &of.provided {
            self.look(provided);
        }
        let mut at = 0;
        while let Some(element) = flow.elements.get(at) {
            if let Node::Basic(stmt) = element.node {
                expressions(stmt).into_iter().for_each(|expr| self.look(expr));
            }
            if element.stmt.is_some_and(|stmt| stmt.origin == Origin::Receive) {
                // For SPIN it is one statement, which is made next here.
                numbers[at] = small(self.next);
                at += 1;
                continue;
            }
            match carried(of, flow, at) {
                None => {
                    numbers[at] = self.take();
                    at += 1;
                }
                Some(Carried::Special) => {
                    numbers[at + 1] = self.take();
                    numbers[at] = self.take();
                    at += 2;
                }
                Some(Carried::LookedAt) => {
                    // The jump is never executed for itself, so it needs no number.
                    numbers[at] = self.take();
                    at += 2;
                }
            }
        }
        numbers
    }

    fn take(&mut self) -> u32 {
        self.next += 1;
        small(self.next - 1)
    }

    /// Passes over the elements that are made for the jumps whose labels are looked at.
    fn look(&mut self, expr: &ast::Expr) {
        walk(expr, &mut |part| {
            if let ExprKind::RemoteLabel(process, _, label) = &part.kind
                && self.separate.remove(&(*process, *label))
            {
                self.next += 1;
            }
        });
    }
}
