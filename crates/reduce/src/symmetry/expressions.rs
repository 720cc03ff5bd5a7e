//! Whether expressions mean the same after a permutation: values, where they are kept, and how they are computed.
//!
//! It is a part of `automorphism.rs`, which says what is compared and why.

use fairly_model::{AnyVariable, BinaryOp, ChannelQuery, Expr, Pick, Place, TemplateId};

use super::automorphism::{Check, Context, Differs, Same, indices, same};
use super::scheme::{Kind, SLOTS};

impl Check<'_> {
    /// A value that goes to a place.
    pub(super) fn stored(&self, context: &Context, value: &Expr, place: &Place) -> Same {
        let variable = match &place.variable {
            AnyVariable::Global(id) => &self.of.model.variables[id.index()],
            AnyVariable::Local(id) => {
                let [template, _] = context.templates.ok_or(Differs)?;
                &self.of.model.templates[template].locals[id.index()]
            }
            AnyVariable::Remote { .. } => return Err(Differs),
        };
        let kind = self.place_kind(context, place)?;
        self.assigned(context, value, kind, variable.range, variable.overflow)
    }

    fn place_kind(&self, context: &Context, place: &Place) -> Same<Kind> {
        let scheme = self.of.scheme;
        Ok(match &place.variable {
            AnyVariable::Global(id) => scheme.variables[id.index()].value,
            AnyVariable::Local(id) => {
                let [template, _] = context.templates.ok_or(Differs)?;
                scheme.locals[template][id.index()].value
            }
            AnyVariable::Remote { slot: _, template, local } => {
                scheme.locals[template.index()][local.index()].value
            }
        })
    }

    /// A place, and the kind of what is there.
    pub(super) fn place(&mut self, context: &Context, one: &Place, other: &Place) -> Same<Kind> {
        let Place { variable, index } = one;
        let Place { variable: other_variable, index: other_index } = other;
        let scheme = self.of.scheme;
        let kinds = match (variable, other_variable) {
            (AnyVariable::Global(id), AnyVariable::Global(other)) => {
                same(id == other)?;
                scheme.variables[id.index()]
            }
            (AnyVariable::Local(id), AnyVariable::Local(other)) => {
                same(id == other)?;
                let [template, there] = context.templates.ok_or(Differs)?;
                let kinds = scheme.locals[template][id.index()];
                same(scheme.locals[there][id.index()] == kinds)?;
                kinds
            }
            (
                AnyVariable::Remote { slot, template, local },
                AnyVariable::Remote {
                    slot: other_slot,
                    template: other_template,
                    local: other_local,
                },
            ) => {
                same(local == other_local)?;
                self.process(context, [slot, other_slot], [*template, *other_template])?;
                let kinds = scheme.locals[template.index()][local.index()];
                same(scheme.locals[other_template.index()][local.index()] == kinds)?;
                // The value that is read where there is no such process.
                same(self.after(kinds.value, 0) == 0)?;
                kinds
            }
            (AnyVariable::Global(_) | AnyVariable::Local(_) | AnyVariable::Remote { .. }, _) => {
                return Err(Differs);
            }
        };
        match (index, other_index) {
            (None, None) => {}
            (Some(index), Some(other)) => self.expr(context, index, other, kinds.index)?,
            (None | Some(_), _) => return Err(Differs),
        }
        Ok(kinds.value)
    }

    /// The number of a slot, and a template that its process must be of.
    fn process(
        &mut self,
        context: &Context,
        slots: [&Expr; 2],
        templates: [TemplateId; 2],
    ) -> Same {
        self.expr(context, slots[0], slots[1], Some(SLOTS))?;
        let [template, other] = templates;
        if let Expr::Const(number) = slots[0]
            && let Ok(slot) = usize::try_from(*number)
            && self.moved.try_of(slot) == Some(slot)
        {
            // A slot that stays has the same process.
            return same(template == other);
        }
        same(self.templates.get(&template).copied().unwrap_or(Some(template)) == Some(other))
    }

    /// The kind of an expression's value; `None` if it may be of any kind.
    pub(super) fn kind_of(&self, context: &Context, expr: &Expr) -> Option<Kind> {
        match expr {
            Expr::Const(_) => None,
            Expr::Load(place) => self.place_kind(context, place).ok(),
            Expr::Received(cell) => {
                Some(context.received.get(*cell as usize).and_then(|(kind, _)| *kind))
            }
            Expr::Own => context.moves.then_some(Some(SLOTS)),
            Expr::Conditional(parts) => {
                self.kind_of(context, &parts.1).or_else(|| self.kind_of(context, &parts.2))
            }
            Expr::Checked { index, length: _ } => self.kind_of(context, index),
            Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Channel(..)
            | Expr::Poll { .. }
            | Expr::At { .. }
            | Expr::Running
            | Expr::LastMover
            | Expr::Timeout
            | Expr::Executable(_) => Some(None),
        }
    }

    /// Whether an expression has, in a permuted state, the permuted value of another one, as a value of a kind.
    pub(super) fn expr(&mut self, context: &Context, one: &Expr, other: &Expr, kind: Kind) -> Same {
        match (one, other) {
            (Expr::Const(value), Expr::Const(other)) => same(self.after(kind, *value) == *other),
            (Expr::Load(place), Expr::Load(other)) => {
                let of = self.place(context, place, other)?;
                same(of == kind)
            }
            (Expr::Received(cell), Expr::Received(other)) => {
                let of = context.received.get(*cell as usize).and_then(|(kind, _)| *kind);
                same(cell == other && of == kind)
            }
            (Expr::Unary(op, operand), Expr::Unary(other_op, other)) => {
                same(op == other_op && kind.is_none())?;
                self.expr(context, operand, other, None)
            }
            (Expr::Binary(op, operands), Expr::Binary(other_op, others)) => {
                same(op == other_op && kind.is_none())?;
                let compares = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
                let of = match compares {
                    true => self
                        .kind_of(context, &operands.0)
                        .or_else(|| self.kind_of(context, &operands.1))
                        .unwrap_or(None),
                    false => None,
                };
                self.expr(context, &operands.0, &others.0, of)?;
                self.expr(context, &operands.1, &others.1, of)
            }
            (Expr::Conditional(parts), Expr::Conditional(others)) => {
                self.expr(context, &parts.0, &others.0, None)?;
                self.expr(context, &parts.1, &others.1, kind)?;
                self.expr(context, &parts.2, &others.2, kind)
            }
            (
                Expr::Checked { index, length },
                Expr::Checked { index: other_index, length: other_length },
            ) => {
                same(length == other_length)?;
                same(self.is_closed(kind, indices(*length)))?;
                self.expr(context, index, other_index, kind)
            }
            (Expr::Channel(query, channel), Expr::Channel(other_query, other)) => {
                same(query == other_query && kind.is_none())?;
                match query {
                    ChannelQuery::Length
                    | ChannelQuery::Empty
                    | ChannelQuery::Full
                    | ChannelQuery::Capacity => {}
                }
                // Channels stay where they are.
                self.expr(context, channel, other, None)
            }
            (
                Expr::Poll { channel, pattern, pick },
                Expr::Poll { channel: other, pattern: others, pick: other_pick },
            ) => {
                same(pick == other_pick && kind.is_none())?;
                match pick {
                    Pick::Head | Pick::First => {}
                }
                self.receive(context, [channel, other], [pattern, others])?;
                Ok(())
            }
            (
                Expr::At { slot, template, locations },
                Expr::At { slot: other_slot, template: other, locations: others },
            ) => {
                same(locations == others && kind.is_none())?;
                self.process(context, [slot, other_slot], [*template, *other])
            }
            (Expr::Own, Expr::Own) => match context.moves {
                true => same(kind == Some(SLOTS)),
                // The number of a process that stays is a number like others, but not of others.
                false => same(kind.is_none_or(|domain| domain == SLOTS)),
            },
            (Expr::Running, Expr::Running) | (Expr::Timeout, Expr::Timeout) => same(kind.is_none()),
            (Expr::Executable(slot), Expr::Executable(other)) => {
                same(kind.is_none())?;
                self.expr(context, slot, other, Some(SLOTS))
            }
            // It is unknown with which values the number of the last mover is compared.
            (Expr::LastMover, _) => Err(Differs),
            (
                Expr::Const(_)
                | Expr::Load(_)
                | Expr::Received(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Conditional(_)
                | Expr::Checked { .. }
                | Expr::Channel(..)
                | Expr::Poll { .. }
                | Expr::At { .. }
                | Expr::Own
                | Expr::Running
                | Expr::Timeout
                | Expr::Executable(_),
                _,
            ) => Err(Differs),
        }
    }

    /// Whether a condition on states is the same after the permutation.
    pub(super) fn atom(&mut self, expr: &Expr) -> Same {
        self.expr(&Context::default(), expr, expr, None)
    }
}
