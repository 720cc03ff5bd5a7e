//! Channels: what can be asked of them, and what is put into them and taken out.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use fairly_model::{ChannelQuery, Expr, Order, Pattern, Pick, Range, WhenFull};

use super::place::Element;
use super::{Emitter, Known};

/// Longer rows of messages that do not fit a word are left to the interpreter.
const LONGEST: u32 = 64;
/// Code for more channels at one place is not worth it.
pub(super) const MOST_CHANNELS: usize = 24;

impl Emitter<'_> {
    /// The channel with a number that does not depend on the state.
    pub(super) fn fixed_channel(&self, channel: &Expr) -> Option<usize> {
        let number = usize::try_from(self.fixed(channel)?).ok()?;
        (number < self.plan.model.channels.len()).then_some(number)
    }

    /// Declines if the process that the channel belongs to is gone.
    pub(super) fn insist_on_owner(&mut self, channel: usize) {
        if let Some((slot, template)) = self.plan.model.channels[channel].owner {
            match self.variant_of(slot.index(), template) {
                Some(variant) => {
                    let there = self.is_variant(slot.index(), variant);
                    self.insist(there);
                }
                None => self.give_up(),
            }
        }
    }

    /// How many messages are in a channel.
    pub(super) fn messages(&mut self, channel: usize) -> Known {
        let capacity = self.plan.model.channels[channel].capacity;
        let strip = self.plan.layout.channels[channel].length;
        self.get(&strip, Element::Fixed(0), Range::new(0, capacity.into()))
    }

    /// A value that is asked of the channel that an expression gives, with `kind` as its type: once for each that it
    /// may be, where that depends on the state. Declines where it is none that `fits`.
    fn of_channel(
        &mut self,
        channel: &Expr,
        kind: types::Type,
        fits: impl Fn(usize) -> bool,
        mut value: impl FnMut(&mut Self, usize) -> Value,
    ) -> Value {
        let fixed = self.fixed(channel).is_some();
        if let Some(channel) = self.fixed_channel(channel).filter(|&channel| fits(channel)) {
            return value(self, channel);
        }
        let all = 0..self.plan.model.channels.len();
        let candidates: Vec<usize> = all.filter(|&channel| fits(channel)).collect();
        if fixed || candidates.len() > MOST_CHANNELS {
            self.give_up();
            return self.builder.ins().iconst(kind, 0);
        }
        let number = self.eval(channel);
        let join = self.builder.create_block();
        let result = self.builder.append_block_param(join, kind);
        for candidate in candidates {
            let of = i64::try_from(candidate).expect("few channels");
            let same = self.compare_to(IntCC::Equal, number.value, of);
            let other = self.builder.create_block();
            self.require(same, other);
            let found = value(self, candidate);
            self.builder.ins().jump(join, &[found.into()]);
            self.builder.seal_block(other);
            self.builder.switch_to_block(other);
        }
        self.give_up();
        let nothing = self.builder.ins().iconst(kind, 0);
        self.builder.ins().jump(join, &[nothing.into()]);
        self.builder.seal_block(join);
        self.builder.switch_to_block(join);
        result
    }

    pub(super) fn query(&mut self, query: ChannelQuery, channel: &Expr) -> Known {
        if let Some(channel) = self.fixed_channel(channel) {
            return self.query_of(query, channel);
        }
        let high = match query {
            ChannelQuery::Length | ChannelQuery::Capacity => {
                let channels = self.plan.model.channels.iter();
                channels.map(|channel| i64::from(channel.capacity)).max().unwrap_or(0)
            }
            ChannelQuery::Empty | ChannelQuery::Full => 1,
        };
        let of = |emitter: &mut Self, channel| emitter.query_of(query, channel).value;
        let value = self.of_channel(channel, types::I64, |_| true, of);
        Known { value, low: 0, high }
    }

    fn query_of(&mut self, query: ChannelQuery, channel: usize) -> Known {
        self.insist_on_owner(channel);
        let capacity = i64::from(self.plan.model.channels[channel].capacity);
        let length = self.messages(channel);
        let truth = match query {
            ChannelQuery::Length => return length,
            ChannelQuery::Capacity => return self.number(capacity),
            ChannelQuery::Empty => self.compare_to(IntCC::Equal, length.value, 0),
            ChannelQuery::Full => self.compare_to(IntCC::Equal, length.value, capacity),
        };
        let value = self.builder.ins().uextend(types::I64, truth);
        Known { value, low: 0, high: 1 }
    }

    /// The cells of a message.
    pub(super) fn message(&mut self, channel: usize, at: Element) -> Vec<Known> {
        let plan = self.plan;
        let columns = plan.layout.channels[channel].columns.iter();
        let ranges = plan.model.channels[channel].cells.iter();
        columns.zip(ranges).map(|(strip, &(range, _))| self.get(strip, at, range)).collect()
    }

    /// Whether a message matches: a value of 8 bits.
    pub(super) fn matches(&mut self, wanted: &[Option<Known>], cells: &[Known]) -> Value {
        let mut all = self.builder.ins().iconst(types::I8, 1);
        for (wanted, cell) in wanted.iter().zip(cells) {
            if let Some(wanted) = wanted {
                let same = self.builder.ins().icmp(IntCC::Equal, wanted.value, cell.value);
                all = self.builder.ins().band(all, same);
            }
        }
        all
    }

    /// The values that a pattern asks for.
    pub(super) fn wanted(&mut self, pattern: &[Pattern]) -> Vec<Option<Known>> {
        let value = |cell: &Pattern| match cell {
            Pattern::Any => None,
            Pattern::Equal(value) => Some(self.eval(value)),
        };
        pattern.iter().map(value).collect()
    }

    /// Whether a message that matches is waiting: a value of 8 bits.
    pub(super) fn poll(&mut self, channel: &Expr, pattern: &[Pattern], pick: Pick) -> Value {
        let plan = self.plan;
        let fits = |channel: usize| plan.model.channels[channel].cells.len() == pattern.len();
        let of = |emitter: &mut Self, channel| emitter.poll_of(channel, pattern, pick);
        self.of_channel(channel, types::I8, fits, of)
    }

    fn poll_of(&mut self, channel: usize, pattern: &[Pattern], pick: Pick) -> Value {
        self.insist_on_owner(channel);
        let join = self.builder.create_block();
        let result = self.builder.append_block_param(join, types::I8);
        let missed = self.builder.create_block();
        // An edge whose guard polls may be receiving another message.
        let received = self.received.clone();
        self.find_message(channel, pattern, pick, None, missed);
        self.received = received;
        let yes = self.builder.ins().iconst(types::I8, 1);
        self.builder.ins().jump(join, &[yes.into()]);
        self.builder.seal_block(missed);
        self.builder.switch_to_block(missed);
        let no = self.builder.ins().iconst(types::I8, 0);
        self.builder.ins().jump(join, &[no.into()]);
        self.builder.seal_block(join);
        self.builder.switch_to_block(join);
        result
    }

    /// Goes on where a message has been found that matches and satisfies a guard that reads it, or in
    /// `missed`, which is not sealed. The message is then the one that is received.
    pub(super) fn find_message(
        &mut self,
        channel: usize,
        pattern: &[Pattern],
        pick: Pick,
        guard: Option<&Expr>,
        missed: Block,
    ) -> Element {
        let length = self.messages(channel);
        let some = self.compare_to(IntCC::NotEqual, length.value, 0);
        self.require(some, missed);
        let wanted = self.wanted(pattern);
        match pick {
            Pick::Head => {
                let cells = self.message(channel, Element::Fixed(0));
                let matches = self.matches(&wanted, &cells);
                self.require(matches, missed);
                self.received = cells;
                if let Some(guard) = guard {
                    let holds = self.test(guard);
                    self.require(holds, missed);
                }
                Element::Fixed(0)
            }
            Pick::First => {
                let (head, again) = (self.builder.create_block(), self.builder.create_block());
                let at = self.builder.append_block_param(head, types::I64);
                let zero = self.number(0).value;
                self.builder.ins().jump(head, &[zero.into()]);
                self.builder.switch_to_block(head);
                let less = self.builder.ins().icmp(IntCC::SignedLessThan, at, length.value);
                self.require(less, missed);
                let cells = self.message(channel, Element::Dynamic(at));
                let matches = self.matches(&wanted, &cells);
                self.require(matches, again);
                self.received = cells;
                if let Some(guard) = guard {
                    let holds = self.test(guard);
                    self.require(holds, again);
                }
                let found = self.builder.current_block().expect("a block");
                self.builder.seal_block(again);
                self.builder.switch_to_block(again);
                let next = self.add_number(at, 1);
                self.builder.ins().jump(head, &[next.into()]);
                self.builder.seal_block(head);
                self.builder.switch_to_block(found);
                Element::Dynamic(at)
            }
        }
    }

    /// The cells of a message as the channel holds them.
    pub(super) fn cells_to_send(&mut self, channel: usize, message: &[Expr]) -> Vec<Known> {
        let plan = self.plan;
        let cells = message.iter().zip(&plan.model.channels[channel].cells);
        let mut row = Vec::new();
        for (cell, &(range, overflow)) in cells {
            let value = self.eval(cell);
            row.push(self.converted(value, range, overflow));
        }
        row
    }

    /// Puts a message, whose cells are in their ranges, into a buffered channel.
    pub(super) fn put(&mut self, channel: usize, row: &[Known], order: Order) {
        if order == Order::Sorted {
            return self.put_sorted(channel, row);
        }
        let length = self.messages(channel);
        let (done, capacity) = self.room(channel, length);
        for (strip, value) in self.plan.layout.channels[channel].columns.iter().zip(row) {
            let bits = self.fitted(strip, *value);
            let at = if capacity == 1 { Element::Fixed(0) } else { Element::Dynamic(length.value) };
            self.set_raw(strip, at, bits);
        }
        self.lengthen(channel, length, done);
    }

    /// Goes on if there is room, otherwise in the block that is given, or nowhere.
    fn room(&mut self, channel: usize, length: Known) -> (Block, u32) {
        let of = &self.plan.model.channels[channel];
        let done = self.builder.create_block();
        let room = self.compare_to(IntCC::SignedLessThan, length.value, of.capacity.into());
        match of.when_full {
            WhenFull::Lose => self.require(room, done),
            WhenFull::Wait => self.insist(room),
        }
        (done, of.capacity)
    }

    fn lengthen(&mut self, channel: usize, length: Known, done: Block) {
        let strip = self.plan.layout.channels[channel].length;
        let more = self.add_number(length.value, 1);
        self.set_raw(&strip, Element::Fixed(0), more);
        self.builder.ins().jump(done, &[]);
        self.builder.seal_block(done);
        self.builder.switch_to_block(done);
    }

    /// Before the first message that is greater.
    fn put_sorted(&mut self, channel: usize, row: &[Known]) {
        let plan = self.plan;
        let columns = &plan.layout.channels[channel].columns;
        if columns.iter().any(|strip| strip.length > strip.per_word && strip.width > 0) {
            return self.give_up();
        }
        let length = self.messages(channel);
        let (done, _) = self.room(channel, length);
        // Looks for the place.
        let (head, again) = (self.builder.create_block(), self.builder.create_block());
        let found = self.builder.create_block();
        let at = self.builder.append_block_param(head, types::I64);
        let zero = self.number(0).value;
        self.builder.ins().jump(head, &[zero.into()]);
        self.builder.switch_to_block(head);
        let less = self.builder.ins().icmp(IntCC::SignedLessThan, at, length.value);
        self.require(less, found);
        let cells = self.message(channel, Element::Dynamic(at));
        let greater = self.greater(&cells, row);
        self.builder.ins().brif(greater, found, &[], again, &[]);
        self.builder.seal_block(again);
        self.builder.switch_to_block(again);
        let next = self.add_number(at, 1);
        self.builder.ins().jump(head, &[next.into()]);
        self.builder.seal_block(head);
        self.builder.seal_block(found);
        self.builder.switch_to_block(found);
        for (strip, value) in columns.iter().zip(row) {
            let bits = self.fitted(strip, *value);
            if strip.width == 0 {
                continue;
            }
            let (field, below) = self.field(strip, at);
            let width = self.number(strip.width.into()).value;
            let kept = self.builder.ins().band(field, below);
            let above = self.builder.ins().bnot(below);
            let moved = self.builder.ins().band(field, above);
            let moved = self.builder.ins().ishl(moved, width);
            let places = self.times(at, strip.width.into());
            let bits = self.builder.ins().ishl(bits, places);
            let field = self.builder.ins().bor(kept, moved);
            let field = self.builder.ins().bor(field, bits);
            self.set_field(strip, field);
        }
        self.lengthen(channel, length, done);
    }

    /// Whether a message is greater than a row, comparing from the first cell on.
    fn greater(&mut self, cells: &[Known], row: &[Known]) -> Value {
        let mut result = self.builder.ins().iconst(types::I8, 0);
        for (cell, value) in cells.iter().zip(row).rev() {
            let more = self.builder.ins().icmp(IntCC::SignedGreaterThan, cell.value, value.value);
            let same = self.builder.ins().icmp(IntCC::Equal, cell.value, value.value);
            let rest = self.builder.ins().band(same, result);
            result = self.builder.ins().bor(more, rest);
        }
        result
    }

    /// All bits of a strip that is in one word, and a mask of those before an element.
    fn field(&mut self, strip: &fairly_model::Strip, at: Value) -> (Value, Value) {
        let whole = whole(strip);
        let field = self.raw(&whole, Element::Fixed(0));
        let places = self.times(at, strip.width.into());
        let one = self.number(1).value;
        let below = self.builder.ins().ishl(one, places);
        (field, self.add_number(below, -1))
    }

    fn set_field(&mut self, strip: &fairly_model::Strip, field: Value) {
        let whole = whole(strip);
        let field = self.and_bits(field, whole.mask());
        self.set_raw(&whole, Element::Fixed(0), field);
    }

    /// Removes a message from a buffered channel.
    pub(super) fn remove(&mut self, channel: usize, at: Element) {
        let plan = self.plan;
        for strip in &plan.layout.channels[channel].columns {
            if strip.width == 0 {
                continue;
            }
            if strip.length > strip.per_word {
                self.remove_across_words(strip, at);
                continue;
            }
            let width = self.number(strip.width.into()).value;
            match at {
                Element::Fixed(_) if strip.length == 1 => {
                    let zero = self.number(0).value;
                    self.set_raw(strip, Element::Fixed(0), zero);
                }
                Element::Fixed(_) => {
                    let field = self.raw(&whole(strip), Element::Fixed(0));
                    let field = self.builder.ins().ushr(field, width);
                    self.set_raw(&whole(strip), Element::Fixed(0), field);
                }
                Element::Dynamic(at) => {
                    let (field, below) = self.field(strip, at);
                    let kept = self.builder.ins().band(field, below);
                    // A shift by 64 places would be one by none.
                    let moved = if strip.width == 64 {
                        self.number(0).value
                    } else {
                        self.builder.ins().ushr(field, width)
                    };
                    let above = self.builder.ins().bnot(below);
                    let moved = self.builder.ins().band(moved, above);
                    let field = self.builder.ins().bor(kept, moved);
                    self.set_field(strip, field);
                }
            }
        }
        let strip = plan.layout.channels[channel].length;
        let length = self.raw(&strip, Element::Fixed(0));
        let less = self.add_number(length, -1);
        self.set_raw(&strip, Element::Fixed(0), less);
    }

    fn remove_across_words(&mut self, strip: &fairly_model::Strip, at: Element) {
        if strip.length > LONGEST {
            return self.give_up();
        }
        for element in 0..strip.length {
            let next = match element + 1 < strip.length {
                true => self.raw(strip, Element::Fixed(element + 1)),
                false => self.number(0).value,
            };
            let value = match at {
                Element::Fixed(_) => next,
                Element::Dynamic(at) => {
                    let own = self.raw(strip, Element::Fixed(element));
                    let before = self.compare_to(IntCC::SignedGreaterThan, at, element.into());
                    self.builder.ins().select(before, own, next)
                }
            };
            self.set_raw(strip, Element::Fixed(element), value);
        }
    }

    /// Removes all messages from a channel.
    pub(super) fn clear(&mut self, channel: usize) {
        let of = self.plan.layout.channels[channel].clone();
        for strip in of.columns.iter().chain([&of.length]) {
            self.clear_strip(strip);
        }
    }

    /// Sets all bits of a strip to 0.
    pub(super) fn clear_strip(&mut self, strip: &fairly_model::Strip) {
        if strip.width == 0 || strip.length == 0 {
            return;
        }
        let zero = self.number(0).value;
        if strip.length <= strip.per_word {
            return self.set_raw(&whole(strip), Element::Fixed(0), zero);
        }
        for element in 0..strip.length {
            self.set_raw(strip, Element::Fixed(element), zero);
        }
    }
}

/// A strip that is in one word as a single element.
fn whole(strip: &fairly_model::Strip) -> fairly_model::Strip {
    let width = strip.length * strip.width;
    fairly_model::Strip { length: 1, base: 0, width, per_word: 64 / width.max(1), ..*strip }
}
