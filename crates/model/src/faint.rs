//! Which variables are *faint*: they are assigned, and perhaps read for the sake of themselves and of other faint
//! variables, and nothing else depends on them.
//!
//! A counter that is never looked at is the simplest: `n = n + 1` reads it, and yet its value makes no
//! difference to anything. Liveness (`liveness.rs`) does not see that. Here a variable *matters* if it decides
//! whether a step can be taken, what is sent, received, started with, asserted or called, which way an effect
//! goes, or whether something goes wrong; if a proposition reads it; or if a variable that matters is computed
//! from it. All others are faint, wherever processes are (strong or faint variables in the words of compilers;
//! a slice in those of debuggers).
//!
//! States that differ in faint variables only have the same future: the same actions are enabled, offered and
//! ready, lead to states that again differ in nothing else, and go wrong alike. So faint variables are reset
//! with the dead ones (`reset_dead.rs`), and a run that comes back to a state but for faint variables can go on for
//! ever as it did ([`has_same_future`]). Unlike that of dead variables, their value may be another one in
//! every round.
//!
//! An assignment may go wrong if its value has none, such as a division by zero, or leaves the range of a variable
//! that does not wrap. What such a value is computed from matters, unless the ranges of the layout exclude it. Of an
//! element whose index may be outside of the array, the index matters.
//!
//! [`has_same_future`]: fairly_system::TransitionSystem::has_same_future

use crate::expression::{AnyVariable, BinaryOp, Expr, Pattern, Place, UnaryOp};
use crate::ids::{LocalId, TemplateId, VariableId};
use crate::layout::{Layout, Strip};
use crate::model::Model;
use crate::process::{Communication, Label, Statement, StatementKind};
use crate::ranges::binary;
use crate::variable::{Overflow, Range, Storage, Variable};

/// The faint variables of a model: nothing depends on their values.
#[derive(Clone, Debug, Default)]
pub struct Faint {
    globals: Vec<bool>,
    /// By template.
    locals: Vec<Vec<bool>>,
}

impl Faint {
    /// Whether nothing depends on a variable of the model.
    pub fn has_global(&self, global: VariableId) -> bool {
        self.globals.get(global.index()).is_some_and(|&faint| faint)
    }

    /// Whether nothing depends on a variable of the processes of a template.
    pub fn has_local(&self, template: TemplateId, local: LocalId) -> bool {
        let locals = self.locals.get(template.index());
        locals.and_then(|locals| locals.get(local.index())).is_some_and(|&faint| faint)
    }

    /// The faint variables, if propositions read these expressions, and these variables matter in any case.
    /// Every location has its edges.
    pub(crate) fn of(
        model: &Model,
        layout: &Layout,
        seen: &[Expr],
        kept: impl Iterator<Item = Named>,
    ) -> Faint {
        let mut slice = Slice::new(model, layout);
        seen.iter().for_each(|expr| slice.matters(None, expr));
        for variable in kept {
            slice.note(variable);
        }
        for (at, template) in model.templates.iter().enumerate() {
            let own = Some(TemplateId::from_index(at));
            slice.statements(own, &template.start);
            let locations = template.locations.iter();
            for edge in locations.flat_map(|location| location.edges.iter().flatten()) {
                slice.matters(own, &edge.guard);
                match &edge.communication {
                    Communication::None => {}
                    Communication::Send { channel, message, .. } => {
                        slice.matters(own, channel);
                        message.iter().for_each(|cell| slice.matters(own, cell));
                    }
                    Communication::Receive { channel, pattern, .. } => {
                        slice.matters(own, channel);
                        slice.pattern(own, pattern);
                    }
                }
                if let Label::Data { values, .. } = &edge.label {
                    values.iter().for_each(|value| slice.matters(own, value));
                }
                slice.statements(own, &edge.effect);
            }
        }
        slice.finish()
    }
}

/// A variable of the model, or of the processes of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Named {
    Global(VariableId),
    Local(TemplateId, LocalId),
}

/// Dependencies between variables.
struct Slice<'m> {
    model: &'m Model,
    /// By variable of the model, and by template and variable: the values that there is room for.
    globals: Vec<Range>,
    locals: Vec<Vec<Range>>,
    /// By template: the number of its first variable.
    first: Vec<usize>,
    matters: Vec<bool>,
    /// By variable: those that it is computed from.
    computed: Vec<Vec<u32>>,
}

impl<'m> Slice<'m> {
    fn new(model: &'m Model, layout: &Layout) -> Slice<'m> {
        // Scratch is in no state, so the layout knows nothing of it.
        let held = |variable: &Variable, strip: &Strip| match variable.storage {
            Storage::State => strip.range(),
            Storage::Scratch => variable.range,
        };
        let globals = model.variables.iter().zip(&layout.variables);
        let globals = globals.map(|(variable, strip)| held(variable, strip)).collect();
        // A template that no slot has is never run.
        let declared = |template: &crate::process::Template| {
            template.locals.iter().map(|variable| variable.range).collect::<Vec<_>>()
        };
        let mut locals: Vec<Vec<Range>> = model.templates.iter().map(declared).collect();
        let mut met = vec![false; locals.len()];
        for variant in layout.slots.iter().flat_map(|slot| &slot.variants) {
            let at = variant.template.index();
            let is_first = !std::mem::replace(&mut met[at], true);
            let variables = model.templates[at].locals.iter().zip(&variant.locals);
            for (range, (variable, strip)) in locals[at].iter_mut().zip(variables) {
                let here = held(variable, strip);
                *range = match is_first {
                    true => here,
                    false => Range::new(range.low.min(here.low), range.high.max(here.high)),
                };
            }
        }
        let mut count = model.variables.len();
        let mut first = Vec::new();
        for template in &model.templates {
            first.push(count);
            count += template.locals.len();
        }
        let computed = vec![Vec::new(); count];
        Slice { model, globals, locals, first, matters: vec![false; count], computed }
    }

    fn number(&self, variable: Named) -> usize {
        match variable {
            Named::Global(global) => global.index(),
            Named::Local(template, local) => self.first[template.index()] + local.index(),
        }
    }

    fn note(&mut self, variable: Named) {
        let number = self.number(variable);
        self.matters[number] = true;
    }

    /// The variable of a place; `None` if that cannot be assigned, or the expression belongs to no process.
    fn named(&self, own: Option<TemplateId>, place: &Place) -> Option<Named> {
        match &place.variable {
            AnyVariable::Global(global) => Some(Named::Global(*global)),
            AnyVariable::Local(local) => Some(Named::Local(own?, *local)),
            AnyVariable::Remote { template, local, .. } => Some(Named::Local(*template, *local)),
        }
    }

    fn variable(&self, named: Named) -> &'m Variable {
        match named {
            Named::Global(global) => &self.model.variables[global.index()],
            Named::Local(template, local) => self.model.template(template).local(local),
        }
    }

    /// The variables that an expression reads.
    fn read(&self, own: Option<TemplateId>, expr: &Expr) -> Vec<usize> {
        let mut read = Vec::new();
        expr.any(&mut |part| {
            if let Expr::Load(place) = part {
                read.extend(self.named(own, place).map(|named| self.number(named)));
            }
            false
        });
        read
    }

    /// All that an expression reads matters.
    fn matters(&mut self, own: Option<TemplateId>, expr: &Expr) {
        for number in self.read(own, expr) {
            self.matters[number] = true;
        }
    }

    fn pattern(&mut self, own: Option<TemplateId>, pattern: &[Pattern]) {
        for cell in pattern {
            if let Pattern::Equal(value) = cell {
                self.matters(own, value);
            }
        }
    }

    /// An expression's operands matter if it may go wrong, or if the variable that is computed from it does.
    fn computes(&mut self, own: Option<TemplateId>, target: Named, expr: &Expr, may_fail: bool) {
        if may_fail {
            return self.matters(own, expr);
        }
        let read = self.read(own, expr);
        let number = self.number(target);
        self.computed[number].extend(read.into_iter().filter_map(|it| u32::try_from(it).ok()));
    }

    /// A value is assigned to a place of the process that runs the statement.
    fn assigned(&mut self, own: Option<TemplateId>, place: &Place, value: Option<&Expr>) {
        let Some(target) = self.named(own, place) else {
            value.into_iter().for_each(|value| self.matters(own, value));
            return;
        };
        if let Some(index) = &place.index {
            self.indices(own, index);
            let is_inside = self.is_inside(own, target, index);
            self.computes(own, target, index, !is_inside);
        }
        if let Some(value) = value {
            self.indices(own, value);
            let may_fail = self.may_fail(own, target, value);
            self.computes(own, target, value, may_fail);
        }
    }

    /// Indices that may be outside of their arrays matter; the elements do not, for them.
    fn indices(&mut self, own: Option<TemplateId>, expr: &Expr) {
        let mut outside = Vec::new();
        expr.any(&mut |part| {
            if let Expr::Load(place) = part
                && let Some(index) = &place.index
                && let Some(named) = self.named(own, place)
                && !self.is_inside(own, named, index)
            {
                outside.extend(self.read(own, index));
            }
            false
        });
        for number in outside {
            self.matters[number] = true;
        }
    }

    fn may_fail(&self, own: Option<TemplateId>, target: Named, value: &Expr) -> bool {
        let variable = self.variable(target);
        self.values(own, value).is_none_or(|values| {
            variable.overflow != Overflow::Wrap && !is_within(values, variable.range)
        })
    }

    fn is_inside(&self, own: Option<TemplateId>, target: Named, index: &Expr) -> bool {
        let Some(length) = self.variable(target).length else { return false };
        let range = Range::new(0, i64::from(length) - 1);
        self.values(own, index).is_some_and(|values| is_within(values, range))
    }

    fn statements(&mut self, own: Option<TemplateId>, statements: &[Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Assign(pairs) => {
                    pairs.iter().for_each(|(place, value)| self.assigned(own, place, Some(value)));
                }
                StatementKind::If { condition, then, otherwise } => {
                    self.matters(own, condition);
                    self.statements(own, then);
                    self.statements(own, otherwise);
                }
                StatementKind::While { condition, body } => {
                    self.matters(own, condition);
                    self.statements(own, body);
                }
                StatementKind::Assert { condition, .. } => self.matters(own, condition),
                StatementKind::Start { template, arguments, slot } => {
                    for (at, argument) in arguments.iter().enumerate() {
                        let target = Named::Local(*template, LocalId::from_index(at));
                        self.indices(own, argument);
                        let may_fail = self.may_fail(own, target, argument);
                        self.computes(own, target, argument, may_fail);
                    }
                    slot.iter().for_each(|place| self.assigned(own, place, None));
                }
                StatementKind::Put { channel, message, .. } => {
                    self.matters(own, channel);
                    message.iter().for_each(|cell| self.matters(own, cell));
                }
                StatementKind::Take { channel, pattern, into, .. } => {
                    self.matters(own, channel);
                    self.pattern(own, pattern);
                    into.iter().flatten().for_each(|place| self.assigned(own, place, None));
                }
            }
        }
    }

    /// The values of an expression; `None` if it may have none for another reason than an index.
    fn values(&self, own: Option<TemplateId>, expr: &Expr) -> Option<Range> {
        match expr {
            Expr::Const(value) => Some(Range::new(*value, *value)),
            Expr::Load(place) => {
                if let AnyVariable::Remote { .. } = place.variable {
                    return None;
                }
                let named = self.named(own, place)?;
                if place.index.is_some() != self.variable(named).length.is_some() {
                    return None;
                }
                Some(match named {
                    Named::Global(global) => self.globals[global.index()],
                    Named::Local(template, local) => self.locals[template.index()][local.index()],
                })
            }
            // There is one, of a size that is not looked up.
            Expr::Received(_) => Some(Range::new(i64::MIN, i64::MAX)),
            Expr::Own => Some(Range::new(0, self.slots().checked_sub(1)?)),
            Expr::Running | Expr::LastMover => Some(Range::new(0, self.slots())),
            Expr::Unary(op, operand) => {
                let Range { low, high } = self.values(own, operand)?;
                match op {
                    UnaryOp::Not => Some(Range::BOOL),
                    UnaryOp::Negate => Some(Range::new(high.checked_neg()?, low.checked_neg()?)),
                    UnaryOp::Complement => Some(Range::new(!high, !low)),
                    UnaryOp::Int => Some(Range::INT),
                }
            }
            Expr::Binary(op, sides) => {
                let (left, right) = (self.values(own, &sides.0)?, self.values(own, &sides.1)?);
                let values = binary(*op, left, right);
                // An end of all numbers stands for what leaves them.
                let stays = values.low > i64::MIN && values.high < i64::MAX;
                let is_sure = match op {
                    BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply => stays,
                    BinaryOp::Divide | BinaryOp::Remainder | BinaryOp::Modulo => {
                        !right.contains(0) && left.low > i64::MIN
                    }
                    BinaryOp::ShiftLeft => stays && is_within(right, Range::new(0, 63)),
                    BinaryOp::ShiftRight => is_within(right, Range::new(0, 63)),
                    _ => true,
                };
                is_sure.then_some(values)
            }
            Expr::Conditional(parts) => {
                self.values(own, &parts.0)?;
                let one = self.values(own, &parts.1)?;
                let other = self.values(own, &parts.2)?;
                Some(Range::new(one.low.min(other.low), one.high.max(other.high)))
            }
            Expr::Checked { index, length } => {
                let values = self.values(own, index)?;
                is_within(values, Range::new(0, i64::from(*length) - 1)).then_some(values)
            }
            Expr::Channel(..)
            | Expr::Poll { .. }
            | Expr::At { .. }
            | Expr::Timeout
            | Expr::Executable(_) => None,
        }
    }

    /// How many processes there can be.
    fn slots(&self) -> i64 {
        i64::try_from(self.model.slots.len()).expect("a length")
    }

    /// The variables that do not matter, once all those that others are computed from do.
    fn finish(mut self) -> Faint {
        let mut waiting: Vec<usize> =
            (0..self.matters.len()).filter(|&number| self.matters[number]).collect();
        while let Some(number) = waiting.pop() {
            for from in std::mem::take(&mut self.computed[number]) {
                if !std::mem::replace(&mut self.matters[from as usize], true) {
                    waiting.push(from as usize);
                }
            }
        }
        let faint = |from: usize, count: usize| {
            self.matters[from..from + count].iter().map(|matters| !matters).collect::<Vec<bool>>()
        };
        Faint {
            globals: faint(0, self.model.variables.len()),
            locals: self
                .first
                .iter()
                .zip(&self.model.templates)
                .map(|(&first, template)| faint(first, template.locals.len()))
                .collect(),
        }
    }
}

fn is_within(values: Range, range: Range) -> bool {
    range.contains(values.low) && range.contains(values.high)
}
