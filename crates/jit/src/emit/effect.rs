//! Effect of a step on the state that it leads to.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use fairly_model::{Edge, Expr, Place, Statement, StatementKind, Storage, Target};

use super::Emitter;
use crate::context;

impl Emitter<'_> {
    /// The effect of an edge, and the move to its next location.
    pub(super) fn take(&mut self, edge: &Edge) {
        self.begin(edge);
        self.begin_constants(edge);
        self.run(&edge.effect);
        self.end_constants();
        self.go(edge.target);
    }

    /// Prepares to count statements if there are loops.
    fn begin(&mut self, edge: &Edge) {
        let loops = has_loop(&edge.effect);
        self.statements = loops.then(|| {
            let variable = self.builder.declare_var(types::I64);
            let count = i64::try_from(size(&edge.effect)).unwrap_or(i64::MAX);
            let zero = self.number(count).value;
            self.builder.def_var(variable, zero);
            variable
        });
        if size(&edge.effect) as u64 > self.plan.statements {
            self.give_up();
        }
    }

    /// Gives the scratch variables that can be seen what they hold at the start of an action.
    pub(super) fn reset_scratch(&mut self) {
        let plan = self.plan;
        let layout = &plan.layout;
        let mut initial = Vec::new();
        let globals = plan.model.variables.iter().zip(&layout.variables);
        let own = self.own.map(|(slot, variant)| &layout.slots[slot].variants[variant]);
        let locals = own
            .into_iter()
            .flat_map(|of| plan.model.template(of.template).locals.iter().zip(&of.locals));
        for (variable, strip) in globals.chain(locals) {
            if variable.storage == Storage::Scratch {
                let values = variable.initial.iter().copied().chain(std::iter::repeat(0));
                let first = strip.cell as usize - layout.state_cells;
                initial.extend((first..first + strip.length as usize).zip(values));
            }
        }
        if initial.is_empty() {
            return;
        }
        let base = self.load(self.context, context::SCRATCH);
        for (cell, value) in initial {
            let value = self.number(value).value;
            self.store(value, base, cell * 8);
        }
    }

    pub(super) fn run(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.written_out += 1;
            match &statement.kind {
                StatementKind::Assign(pairs) => self.assign(pairs),
                StatementKind::If { condition, then, otherwise } => {
                    self.branch(condition, then, otherwise);
                }
                StatementKind::While { condition, body } => self.repeat(condition, body),
                StatementKind::Assert { condition, .. } => {
                    let holds = self.test(condition);
                    self.insist(holds);
                }
                StatementKind::Start { .. } => self.give_up(),
                StatementKind::Put { channel, message, order } => {
                    match self.fixed_channel(channel) {
                        Some(channel) if self.can_hold(channel, message.len()) => {
                            self.insist_on_owner(channel);
                            let row = self.cells_to_send(channel, message);
                            self.put(channel, &row, *order);
                        }
                        _ => self.give_up(),
                    }
                }
                StatementKind::Take { channel, pattern, into, pick, keep } => {
                    match self.fixed_channel(channel) {
                        Some(channel) if self.can_hold(channel, pattern.len()) => {
                            self.insist_on_owner(channel);
                            let received = std::mem::take(&mut self.received);
                            let decline = self.decline;
                            let at = self.find_message(channel, pattern, *pick, None, decline);
                            if !keep {
                                self.remove(channel, at);
                            }
                            let cells = std::mem::replace(&mut self.received, received);
                            for (place, value) in into.iter().zip(cells) {
                                if let Some(place) = place {
                                    self.write(place, value);
                                }
                            }
                        }
                        _ => self.give_up(),
                    }
                }
            }
        }
    }

    fn can_hold(&self, channel: usize, cells: usize) -> bool {
        let of = &self.plan.model.channels[channel];
        of.capacity > 0 && of.cells.len() == cells
    }

    /// All values, then one place after the other.
    fn assign(&mut self, pairs: &[(Place, Expr)]) {
        let values: Vec<_> =
            pairs.iter().map(|(_, value)| (self.fixed(value), self.eval(value))).collect();
        for ((place, _), (fixed, value)) in pairs.iter().zip(values) {
            if !fixed.is_some_and(|fixed| self.remember(place, fixed)) {
                self.write(place, value);
            }
        }
    }

    fn branch(&mut self, condition: &Expr, then: &[Statement], otherwise: &[Statement]) {
        if let Some(fixed) = self.fixed(condition) {
            return self.run(if fixed != 0 { then } else { otherwise });
        }
        let condition = self.test(condition);
        let (yes, no) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(condition, yes, &[], no, &[]);
        self.run_either([then, otherwise], [yes, no]);
    }

    fn repeat(&mut self, condition: &Expr, body: &[Statement]) {
        let round = size(body).saturating_add(1);
        while let Some(fixed) = self.fixed(condition) {
            if fixed == 0 {
                return;
            }
            if !self.may_write_out() {
                break;
            }
            self.count(round);
            self.run(body);
        }
        self.forget_all();
        let (head, exit) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().jump(head, &[]);
        self.builder.switch_to_block(head);
        let condition = self.test(condition);
        self.require(condition, exit);
        if let Some(count) = self.count(round) {
            let most = self.load(self.context, context::STATEMENTS);
            // As many as may be: what is counted is the most that can have been run.
            let few = self.builder.ins().icmp(IntCC::SignedLessThanOrEqual, count, most);
            self.insist(few);
        }
        self.run(body);
        self.forget_all();
        self.builder.ins().jump(head, &[]);
        self.builder.seal_block(head);
        self.builder.seal_block(exit);
        self.builder.switch_to_block(exit);
    }

    /// Counts statements; the number of those run so far, where it is counted.
    fn count(&mut self, more: usize) -> Option<Value> {
        let statements = self.statements?;
        let count = self.builder.use_var(statements);
        let count = self.add_number(count, i64::try_from(more).unwrap_or(i64::MAX));
        self.builder.def_var(statements, count);
        Some(count)
    }

    /// Goes where an edge leads.
    fn go(&mut self, target: Target) {
        let Some((slot, variant)) = self.own else { return };
        let plan = self.plan;
        let of = &plan.layout.slots[slot];
        match target {
            Target::Location(location) => self.set_number(&of.location, location.0.into()),
            Target::Exit => {
                for (at, channel) in plan.model.channels.iter().enumerate() {
                    if channel.owner.is_some_and(|(owner, _)| owner.index() == slot) {
                        self.clear(at);
                    }
                }
                let locals = &plan.model.template(of.variants[variant].template).locals;
                for (variable, strip) in locals.iter().zip(&of.variants[variant].locals) {
                    if variable.storage == Storage::State {
                        self.clear_strip(strip);
                    }
                }
                self.clear_strip(&of.kind);
                self.clear_strip(&of.location);
            }
        }
    }
}

fn has_loop(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StatementKind::While { .. } => true,
        StatementKind::If { then, otherwise, .. } => has_loop(then) || has_loop(otherwise),
        _ => false,
    })
}

/// The most statements that are run if every loop is passed once.
fn size(statements: &[Statement]) -> usize {
    let one = |statement: &Statement| match &statement.kind {
        StatementKind::While { body, .. } => 2 + size(body),
        StatementKind::If { then, otherwise, .. } => 1 + size(then).max(size(otherwise)),
        _ => 1,
    };
    statements.iter().map(one).sum()
}
