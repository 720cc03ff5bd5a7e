//! Whether another process could take a step, as an expression: for priorities and `enabled`.
//!
//! The condition that a process waits for is read off the steps of its control states, as others see it.

use fairly_model::{BinaryOp, Expr, LocationId, SlotId, TemplateId};

use super::dstep::Scratch;
use super::expression::{both, either, equal};
use super::flow::{ElementId, Node};
use super::outside::Outside;
use super::processes::Lowering;
use super::{Lower, trouble};
use crate::promela::place::Place;

/// One of many, without nesting deep.
pub(super) fn any_of(mut parts: Vec<Expr>) -> Expr {
    if parts.len() <= 1 {
        return parts.pop().unwrap_or(Expr::FALSE);
    }
    let right = parts.split_off(parts.len() / 2);
    either(any_of(parts), any_of(right))
}

/// The sum of many, without nesting deep.
fn sum_of(mut parts: Vec<Expr>) -> Expr {
    if parts.len() <= 1 {
        return parts.pop().unwrap_or(Expr::Const(0));
    }
    let right = parts.split_off(parts.len() / 2);
    Expr::binary(BinaryOp::Add, sum_of(parts), sum_of(right))
}

impl<'a> Lowering<'a> {
    /// That the process in a slot, if it is of this proctype, could take a step by itself, whatever
    /// `provided` and priorities say.
    pub(super) fn can_move(&self, who: Outside) -> Lower<Expr> {
        let at = who.template.index();
        let mut always: Vec<LocationId> = Vec::new();
        let mut parts = Vec::new();
        for (number, &element) in self.processes[at].locations.iter().enumerate() {
            let location = LocationId::from_index(number);
            match self.moves_from(at, element, who)? {
                Expr::TRUE => always.push(location),
                Expr::FALSE => {}
                condition => {
                    parts.push(both(who.at(vec![location]), who.expr(&condition)));
                }
            }
        }
        if !always.is_empty() {
            parts.push(who.at(always));
        }
        Ok(any_of(parts))
    }

    /// That some step of a control state can be taken, as the process itself sees it.
    fn moves_from(&self, at: usize, from: ElementId, who: Outside) -> Lower<Expr> {
        let mut any = Expr::FALSE;
        for step in &self.processes[at].machine.steps[from] {
            let possible = match self.processes[at].flow.elements[step.element].node {
                Node::Basic(stmt) => self.action(stmt, at)?.alone,
                Node::DStep(inner) => {
                    // The effect is of no interest here, so neither are its variables.
                    self.d_step(at, inner, &mut Scratch::new(0))?.alone
                }
                // It is the last process that may leave.
                Node::End => equal(Expr::Running, Expr::Const(i64::from(who.slot.0) + 1)),
                // `else` among them: it is possible if nothing before it is.
                _ => Expr::TRUE,
            };
            any = either(any, possible);
        }
        Ok(any)
    }

    /// `enabled(pid)` inside a process.
    pub(super) fn enabled(&self, pid: &Expr, place: Place) -> Lower<Expr> {
        if self.has_rendezvous() {
            let message = "`enabled` inside a process, beside a rendezvous,";
            return Err(trouble("E1191", message, place));
        }
        if self.asks_who_is_enabled.replace(true) {
            let message = "`enabled` of a process that itself asks who is enabled";
            return Err(trouble("E1191", message, place));
        }
        let mut parts = Vec::new();
        for (slot, template) in self.residents() {
            let same = equal(pid.clone(), Expr::Const(slot.0.into()));
            if same != Expr::FALSE {
                parts.push(both(same, self.can_move(Outside { slot, template })?));
            }
        }
        self.asks_who_is_enabled.set(false);
        Ok(any_of(parts))
    }

    /// `pc_value(pid)`: the number that SPIN, without optimisations, has for the control state.
    pub(super) fn pc_value(&self, pid: &Expr) -> Expr {
        let mut parts = Vec::new();
        for (slot, template) in self.residents() {
            let who = Outside { slot, template };
            let same = equal(pid.clone(), Expr::Const(slot.0.into()));
            let locations = &self.processes[template.index()].locations;
            for (at, &element) in locations.iter().enumerate() {
                let here = both(same.clone(), who.at(vec![LocationId::from_index(at)]));
                let number = Expr::Const(i64::try_from(element + 1).unwrap_or(0));
                if here != Expr::FALSE {
                    parts.push(Expr::binary(BinaryOp::Multiply, here, number));
                }
            }
        }
        sum_of(parts)
    }

    /// Which processes can be in which slots.
    fn residents(&self) -> Vec<(SlotId, TemplateId)> {
        let slots = self.slots.iter().enumerate();
        let pairs = slots.flat_map(|(at, plan)| {
            plan.templates.iter().map(move |&template| (SlotId::from_index(at), template))
        });
        pairs.collect()
    }

    pub(super) fn has_rendezvous(&self) -> bool {
        self.model.channels.iter().any(|channel| channel.capacity == 0)
    }
}
