//! Effect of an edge on the state that it leads to.

use fairly_model::{Edge, Expr, Place, Statement, StatementKind, Storage, Target};

use super::Writer;

/// Rounds of loops in one action; more are left to the interpreter.
const ROUNDS: u64 = 1 << 14;

impl Writer<'_> {
    /// The effect of an edge, and the move to its next location. Text goes on with `d`.
    pub(super) fn take(&mut self, edge: &Edge) {
        self.words = "d";
        self.run(&edge.effect);
        self.go(edge.target);
    }

    fn run(&mut self, statements: &[Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Assign(pairs) => self.assign(pairs),
                StatementKind::If { condition, then, otherwise } => match self.fixed(condition) {
                    Some(0) => self.run(otherwise),
                    Some(_) => self.run(then),
                    None => {
                        let condition = self.test(condition);
                        self.line(format!("if ({condition}) {{"));
                        self.run(then);
                        self.line("} else {");
                        self.run(otherwise);
                        self.line("}");
                    }
                },
                StatementKind::While { condition, body } => {
                    self.loops += 1;
                    let count = format!("rounds{}", self.loops);
                    let most = ROUNDS.min(self.plan.statements / 64);
                    self.line(format!("{{ u32 {count} = 0; for (;;) {{"));
                    let condition = self.test(condition);
                    self.line(format!("if (!{condition}) break;"));
                    self.insist(&format!("++{count} < {most}"));
                    self.run(body);
                    self.line("} }");
                }
                StatementKind::Assert { condition, .. } => {
                    let holds = self.test(condition);
                    self.insist(&holds);
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
                            let at = self.find_message(channel, pattern, *pick, None);
                            self.insist(&format!("{at} >= 0"));
                            if !keep {
                                self.remove(channel, &at);
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
        let values: Vec<_> = pairs.iter().map(|(_, value)| self.eval(value)).collect();
        for ((place, _), value) in pairs.iter().zip(values) {
            self.write(place, value);
        }
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

    /// Who moved last.
    pub(super) fn settle(&mut self, slot: usize) {
        if let Some(strip) = self.plan.layout.last_mover {
            self.set_number(&strip, i64::try_from(slot).expect("a slot"));
        }
    }
}
