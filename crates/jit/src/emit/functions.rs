//! The functions that a model is compiled to. All of them have the same parameters: the address of a
//! packed state, that of a received message, and that of the [context](crate::context); they return a
//! [`Status`].

use std::ops::Range;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, JumpTableData, Value, types};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::FunctionBuilder;
use fairly_model::{Communication, Edge, Exit, Expr, Order, Target, WhenFull};

use super::channel::MOST_CHANNELS;
use super::place::Element;
use super::{Emitter, Known, Status, flags};
use crate::commands::Commands;
use crate::context::{self, OFFER_HEAD};
use fairly_model::native::plan::{Plan, Role};

/// Purpose of a function.
#[derive(Clone, Debug)]
pub(crate) enum Purpose<'a> {
    /// Appends the steps that a process takes alone, and what it offers to others, at some locations.
    Steps { slot: usize, variant: usize, locations: Range<usize> },
    /// The same for all processes that can be in several slots, at all of their locations.
    Together { slots: Range<usize> },
    /// Whether a process can take a step.
    Probe { slot: usize, variant: usize, locations: Range<usize> },
    /// Changes the state as an edge does, after its communication.
    Effect { edge: u32 },
    /// Whether a guard that reads the received message holds.
    Guard { edge: u32 },
    /// Whether a proposition holds.
    Proposition { expr: &'a Expr },
}

impl Purpose<'_> {
    /// How many edges it is about.
    pub(crate) fn edges(&self, plan: &Plan) -> usize {
        let of = |slot: usize, variant: usize, locations: Range<usize>| -> usize {
            locations.map(|at| plan.edges(slot, variant, at).len()).sum()
        };
        match self {
            Purpose::Steps { slot, variant, locations }
            | Purpose::Probe { slot, variant, locations } => of(*slot, *variant, locations.clone()),
            Purpose::Together { slots } => slots
                .clone()
                .flat_map(|slot| {
                    let variants = 0..plan.layout.slots[slot].variants.len();
                    variants.map(move |variant| (slot, variant))
                })
                .map(|(slot, variant)| of(slot, variant, 0..plan.locations(slot, variant)))
                .sum(),
            Purpose::Effect { .. } | Purpose::Guard { .. } | Purpose::Proposition { .. } => 1,
        }
    }
}

/// Writes a function; of one that gets longer than so many instructions, only a part.
pub(crate) fn write(
    mut builder: FunctionBuilder<'_>,
    plan: &Plan,
    commands: &Commands,
    purpose: &Purpose<'_>,
    (target, most): (TargetFrontendConfig, usize),
) {
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    builder.seal_block(entry);
    let &[words, message, context] = builder.block_params(entry) else {
        unreachable!("three parameters")
    };
    let decline = builder.create_block();
    builder.set_cold_block(decline);
    let mut emitter = Emitter {
        builder,
        plan,
        commands,
        words,
        context,
        own: None,
        received: Vec::new(),
        decline,
        then: None,
        constants: None,
        written_out: 0,
        statements: None,
        most,
    };
    match purpose {
        Purpose::Steps { slot, variant, locations } => {
            emitter.own = Some((*slot, *variant));
            emitter.locations(locations.clone(), false);
        }
        Purpose::Together { slots } => {
            for slot in slots.clone() {
                let next = emitter.builder.create_block();
                emitter.then = Some(next);
                emitter.variants(slot, next);
                emitter.builder.seal_block(next);
                emitter.builder.switch_to_block(next);
            }
            emitter.finish(Status::DONE);
        }
        Purpose::Probe { slot, variant, locations } => {
            emitter.own = Some((*slot, *variant));
            emitter.locations(locations.clone(), true);
        }
        Purpose::Effect { edge } => {
            emitter.receive(*edge, message);
            emitter.take(plan.edge(*edge));
            emitter.finish(Status::DONE);
        }
        Purpose::Guard { edge } => {
            emitter.receive(*edge, message);
            let holds = emitter.test(&plan.edge(*edge).guard);
            emitter.answer(holds);
        }
        Purpose::Proposition { expr } => {
            let holds = emitter.test(expr);
            emitter.answer(holds);
        }
    }
    emitter.builder.switch_to_block(decline);
    emitter.builder.seal_block(decline);
    emitter.finish(Status::DECLINED);
    emitter.builder.seal_all_blocks();
    emitter.builder.finalize(target);
}

/// Treatment of a message by an edge.
enum Deed {
    Nothing,
    Put(usize, Vec<Known>, Order),
    Get(usize, Element, bool),
}

impl Emitter<'_> {
    fn answer(&mut self, holds: Value) {
        let status = self.builder.ins().uextend(types::I64, holds);
        self.builder.ins().return_(&[status]);
    }

    /// Makes an edge's process the one that evaluates, and its message the one that is received.
    fn receive(&mut self, edge: u32, message: Value) {
        let part = self.plan.places[edge as usize].part;
        self.own = Some((part.slot as usize, part.variant as usize));
        if matches!(self.plan.edge(edge).communication, Communication::Receive { .. }) {
            let cells = 0..self.plan.cells;
            let whole = (i64::MIN, i64::MAX);
            self.received = cells
                .map(|cell| {
                    let value = self.load(message, cell * 8);
                    Known { value, low: whole.0, high: whole.1 }
                })
                .collect();
        }
    }

    /// Emits the steps of the process in a slot, whichever it is; if there is none, code goes on at `next`.
    fn variants(&mut self, slot: usize, next: Block) {
        let plan = self.plan;
        let of = &plan.layout.slots[slot];
        let variants = of.variants.len();
        if of.is_fixed() {
            self.own = Some((slot, 0));
            return self.locations(0..plan.locations(slot, 0), false);
        }
        let kind = self.kind(slot);
        for variant in 0..variants {
            let (here, other) = (self.builder.create_block(), self.builder.create_block());
            let number = i64::try_from(variant + 1).expect("few variants");
            let same = self.compare_to(IntCC::Equal, kind.value, number);
            self.builder.ins().brif(same, here, &[], other, &[]);
            self.builder.seal_block(here);
            self.builder.switch_to_block(here);
            self.own = Some((slot, variant));
            self.locations(0..plan.locations(slot, variant), false);
            self.builder.seal_block(other);
            self.builder.switch_to_block(other);
        }
        self.own = None;
        self.builder.ins().jump(next, &[]);
    }

    /// One block for each location, and a table to get there.
    fn locations(&mut self, locations: Range<usize>, probe: bool) {
        let Some((slot, variant)) = self.own else { return };
        let plan = self.plan;
        self.reset_scratch();
        let strip = plan.layout.slots[slot].location;
        let at = self.raw(&strip, Element::Fixed(0));
        let at = self.add_number(at, -i64::try_from(locations.start).expect("a location"));
        let nothing = self.builder.create_block();
        let blocks: Vec<Block> = locations
            .clone()
            .map(|location| match plan.edges(slot, variant, location).is_empty() {
                true => nothing,
                false => self.builder.create_block(),
            })
            .collect();
        if blocks.len() == 1 {
            self.builder.ins().jump(blocks[0], &[]);
        } else {
            let at = self.builder.ins().ireduce(types::I32, at);
            let pool = &mut self.builder.func.dfg.value_lists;
            let call =
                |block: Block, pool: &mut _| cranelift_codegen::ir::BlockCall::new(block, [], pool);
            let default = call(nothing, pool);
            let table: Vec<_> = blocks.iter().map(|&block| call(block, pool)).collect();
            let table = self.builder.create_jump_table(JumpTableData::new(default, &table));
            self.builder.ins().br_table(at, table);
        }
        for (location, block) in locations.zip(blocks) {
            if block == nothing {
                continue;
            }
            self.builder.seal_block(block);
            self.builder.switch_to_block(block);
            self.location(location, probe);
        }
        self.builder.seal_block(nothing);
        self.builder.switch_to_block(nothing);
        self.process_done();
    }

    /// Ends what is written for a process.
    fn process_done(&mut self) {
        match self.then {
            Some(next) => {
                self.builder.ins().jump(next, &[]);
            }
            None => self.finish(Status::DONE),
        }
    }

    /// The edges out of a location, those of smaller rank first.
    fn location(&mut self, location: usize, probe: bool) {
        let Some((slot, variant)) = self.own else { return };
        let plan = self.plan;
        /// To compile more at once takes time that grows with the square; the interpreter does it.
        const MOST_EDGES: usize = 2000;
        let edges = plan.edges(slot, variant, location);
        if edges.len() > MOST_EDGES || plan.is_intricate(slot, variant, location) {
            self.give_up();
            return self.finish(Status::DECLINED);
        }
        let first = plan.first_edge(slot, variant, location);
        let mut ranks: Vec<u8> = edges.iter().map(|edge| edge.rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        // Ranks count among what the process does itself, not among what it receives in a rendezvous.
        let before = (ranks.len() > 1 && !probe).then(|| self.load(self.context, context::ROOM));
        for (nth, &rank) in ranks.iter().enumerate() {
            if let (Some(before), true) = (before, nth > 0) {
                let now = self.load(self.context, context::ROOM);
                let same = self.builder.ins().icmp(IntCC::Equal, before, now);
                let rest = self.builder.create_block();
                let done = self.builder.create_block();
                self.builder.ins().brif(same, rest, &[], done, &[]);
                self.builder.seal_block(done);
                self.builder.switch_to_block(done);
                // Steps that others can move it to do not depend on that.
                self.edges(edges, first, rank..=u8::MAX, true, probe);
                self.process_done();
                self.builder.seal_block(rest);
                self.builder.switch_to_block(rest);
            }
            self.edges(edges, first, rank..=rank, false, probe);
        }
        self.process_done();
    }

    fn edges(
        &mut self,
        edges: &[Edge],
        first: u32,
        ranks: std::ops::RangeInclusive<u8>,
        only_received: bool,
        probe: bool,
    ) {
        for (number, edge) in (first..).zip(edges) {
            let received = self.plan.may_meet(edge, true) && !self.plan.may_meet(edge, false);
            if ranks.contains(&edge.rank) && (!only_received || received) {
                self.edge(number, edge, probe);
            }
        }
    }

    /// Whether the function is too long already, so that there is no use in writing the rest.
    fn is_too_long(&self) -> bool {
        self.builder.func.dfg.num_insts() > self.most
    }

    /// One edge: what must hold, then what it does.
    fn edge(&mut self, number: u32, edge: &Edge, probe: bool) {
        if self.is_too_long() {
            return;
        }
        let next = self.builder.create_block();
        if edge.target == Target::Exit && !self.require_last(next) {
            self.builder.seal_block(next);
            self.builder.switch_to_block(next);
            return;
        }
        let receives = matches!(edge.communication, Communication::Receive { .. });
        let reads_message = receives && edge.guard.reads_received();
        if !reads_message && edge.guard != Expr::TRUE {
            let holds = self.test(&edge.guard);
            self.require(holds, next);
        }
        match &edge.communication {
            Communication::None => self.act(number, edge, &Deed::Nothing, probe),
            Communication::Send { channel, message, .. } => {
                let cells = message.len();
                self.on_channel(channel, cells, |emitter, channel| {
                    emitter.send(number, edge, channel, next, probe);
                });
            }
            Communication::Receive { channel, pattern, .. } => {
                let cells = pattern.len();
                self.on_channel(channel, cells, |emitter, channel| {
                    emitter.get_or_meet(number, edge, channel, next, probe);
                });
            }
        }
        self.received.clear();
        self.builder.ins().jump(next, &[]);
        self.builder.seal_block(next);
        self.builder.switch_to_block(next);
    }

    /// Goes on if all slots behind the own one are free; `false` if they never are.
    fn require_last(&mut self, otherwise: Block) -> bool {
        let Some((slot, _)) = self.own else { return false };
        if self.plan.model.exit == Exit::Any {
            return true;
        }
        let later = slot + 1..self.plan.layout.slots.len();
        for later in later {
            let kind = self.kind(later);
            if kind.low > 0 {
                self.builder.ins().jump(otherwise, &[]);
                return false;
            }
            let free = self.compare_to(IntCC::Equal, kind.value, 0);
            self.require(free, otherwise);
        }
        true
    }

    /// Writes something for the channel that an expression gives: once for each that it may be.
    fn on_channel(
        &mut self,
        channel: &Expr,
        cells: usize,
        mut write: impl FnMut(&mut Self, usize),
    ) {
        let plan = self.plan;
        let fits = |channel: &usize| plan.model.channels[*channel].cells.len() == cells;
        if self.fixed(channel).is_some() {
            match self.fixed_channel(channel).filter(fits) {
                Some(channel) => {
                    self.insist_on_owner(channel);
                    write(self, channel);
                }
                None => self.give_up(),
            }
            return;
        }
        let candidates: Vec<usize> = (0..plan.model.channels.len()).filter(fits).collect();
        if candidates.len() > MOST_CHANNELS {
            return self.give_up();
        }
        let number = self.eval(channel);
        let join = self.builder.create_block();
        for candidate in candidates {
            if self.is_too_long() {
                break;
            }
            let same =
                self.compare_to(IntCC::Equal, number.value, i64::try_from(candidate).expect("few"));
            let (here, other) = (self.builder.create_block(), self.builder.create_block());
            self.builder.ins().brif(same, here, &[], other, &[]);
            self.builder.seal_block(here);
            self.builder.switch_to_block(here);
            self.insist_on_owner(candidate);
            write(self, candidate);
            self.builder.ins().jump(join, &[]);
            self.builder.seal_block(other);
            self.builder.switch_to_block(other);
        }
        self.give_up();
        self.builder.ins().jump(join, &[]);
        self.builder.seal_block(join);
        self.builder.switch_to_block(join);
    }

    fn send(&mut self, number: u32, edge: &Edge, channel: usize, next: Block, probe: bool) {
        let Communication::Send { message, order, .. } = &edge.communication else { return };
        let of = &self.plan.model.channels[channel];
        if of.capacity > 0 && of.when_full == WhenFull::Wait {
            let length = self.messages(channel);
            let room = self.compare_to(IntCC::SignedLessThan, length.value, of.capacity.into());
            self.require(room, next);
        }
        let row = self.cells_to_send(channel, message);
        if of.capacity == 0 {
            return match probe {
                _ if self.plan.places[number as usize].role == Role::Left => self.give_up(),
                true => self.conclude(Status::TOGETHER),
                false => self.offer(number, Some(channel), &row),
            };
        }
        self.act(number, edge, &Deed::Put(channel, row, *order), probe);
    }

    fn get_or_meet(&mut self, number: u32, edge: &Edge, channel: usize, next: Block, probe: bool) {
        let Communication::Receive { pattern, pick, keep, .. } = &edge.communication else {
            return;
        };
        if self.plan.model.channels[channel].capacity == 0 {
            // A step of the one that sends, unless processes act on an equal footing.
            if probe {
                return;
            }
            if self.plan.places[number as usize].role == Role::Left {
                return self.give_up();
            }
            let wanted = self.wanted(pattern);
            let zero = self.number(0);
            let row: Vec<Known> = wanted.iter().map(|cell| cell.unwrap_or(zero)).collect();
            return self.offer(number, Some(channel), &row);
        }
        let guard = edge.guard.reads_received().then_some(&edge.guard);
        let at = self.find_message(channel, pattern, *pick, guard, next);
        self.act(number, edge, &Deed::Get(channel, at, *keep), probe);
    }

    /// Returns from here; what is written after it is never reached.
    fn conclude(&mut self, status: i64) {
        self.finish(status);
        let dead = self.builder.create_block();
        self.builder.seal_block(dead);
        self.builder.switch_to_block(dead);
    }

    /// Emits the effect of a process when everything that it needs for it is there.
    fn act(&mut self, number: u32, edge: &Edge, deed: &Deed, probe: bool) {
        match (self.plan.places[number as usize].role, deed) {
            (Role::Left, _) => self.give_up(),
            (Role::Gathered(_), Deed::Nothing) if probe => self.conclude(Status::TOGETHER),
            (Role::Gathered(_), Deed::Nothing) => self.offer(number, None, &[]),
            (Role::Gathered(_), Deed::Put(..) | Deed::Get(..)) => self.give_up(),
            (Role::Alone, _) if probe => self.conclude(Status::YES),
            (Role::Alone, _) => self.step(number, edge, deed),
        }
    }

    /// Appends a step.
    fn step(&mut self, number: u32, edge: &Edge, deed: &Deed) {
        let (room, full) = self.room_for_another(context::ROOM);
        let (base, row) = (self.words, self.load(self.context, context::ROW));
        for word in 0..self.plan.layout.words {
            let value = self.load(base, word * 8);
            self.store(value, row, word * 8);
        }
        self.words = row;
        match deed {
            Deed::Nothing => {}
            Deed::Put(channel, message, order) => self.put(*channel, message, *order),
            Deed::Get(channel, at, keep) => {
                if !keep {
                    self.remove(*channel, *at);
                }
            }
        }
        let plan = self.plan;
        let rest = plan.sequence(number);
        let edges = [edge].into_iter().chain(rest.iter().map(|&next| plan.edge(next)));
        for edge in edges {
            self.take(edge);
            self.settle(edge);
            if !edge.effect.is_empty() {
                self.reset_scratch();
            }
        }
        self.words = base;
        let command = self.load(self.context, context::COMMAND);
        let number = self.commands.alone(number, &rest);
        let value = self.builder.ins().iconst(types::I32, i64::from(number));
        self.builder.ins().store(flags(), value, command, 0);
        let command = self.add_number(command, 4);
        self.store(command, self.context, context::COMMAND);
        let bytes = i64::try_from(self.plan.layout.words * 8).expect("few words");
        let row = self.add_number(row, bytes);
        self.store(row, self.context, context::ROW);
        self.use_room(context::ROOM, room, full);
    }

    /// How much room there is for what is appended, if any; otherwise code goes on in the block that
    /// [`use_room`](Emitter::use_room) is given afterwards.
    fn room_for_another(&mut self, of: usize) -> (Value, Block) {
        let room = self.load(self.context, of);
        let full = self.builder.create_block();
        self.builder.set_cold_block(full);
        self.require(room, full);
        (room, full)
    }

    /// Takes one from the room that there is.
    fn use_room(&mut self, of: usize, room: Value, full: Block) {
        let room = self.add_number(room, -1);
        self.store(room, self.context, of);
        let after = self.builder.create_block();
        self.builder.ins().jump(after, &[]);
        self.builder.seal_block(full);
        self.builder.switch_to_block(full);
        self.finish(Status::FULL);
        self.builder.seal_block(after);
        self.builder.switch_to_block(after);
    }

    /// Who goes on alone, and who moved last.
    fn settle(&mut self, edge: &Edge) {
        let Some((slot, _)) = self.own else { return };
        let slot = i64::try_from(slot).expect("a slot");
        if let Some(strip) = self.plan.layout.holder {
            self.set_number(&strip, if edge.hold { slot } else { -1 });
        }
        if let Some(strip) = self.plan.layout.last_mover {
            self.set_number(&strip, slot);
        }
    }

    /// Appends an offer to act together.
    fn offer(&mut self, number: u32, channel: Option<usize>, row: &[Known]) {
        let (room, full) = self.room_for_another(context::OFFER_ROOM);
        let offer = self.load(self.context, context::OFFER);
        let number = self.number(number.into()).value;
        self.store(number, offer, 0);
        let channel = channel.map_or(-1, |channel| i64::try_from(channel).expect("few"));
        let channel = self.number(channel).value;
        self.store(channel, offer, 8);
        for (cell, value) in row.iter().enumerate() {
            self.store(value.value, offer, (OFFER_HEAD + cell) * 8);
        }
        let bytes = i64::try_from((OFFER_HEAD + self.plan.cells) * 8).expect("few cells");
        let offer = self.add_number(offer, bytes);
        self.store(offer, self.context, context::OFFER);
        self.use_room(context::OFFER_ROOM, room, full);
    }
}
