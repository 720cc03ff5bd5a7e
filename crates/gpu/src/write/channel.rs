//! Channels: what can be asked of them, and what is put into them and taken out.

use fairly_model::{ChannelQuery, Expr, Order, Pattern, Pick, Range, Strip, WhenFull};

use super::place::Element;
use super::{Known, Writer, bits};

/// Longer columns of messages that do not fit a word are left to the interpreter.
const LONGEST: u32 = 64;
/// Text for more channels at one place is not worth it.
const MOST_CHANNELS: usize = 24;

impl Writer<'_> {
    /// The channel with a number that does not depend on the state.
    pub(super) fn fixed_channel(&self, channel: &Expr) -> Option<usize> {
        let number = usize::try_from(self.fixed(channel)?).ok()?;
        (number < self.plan.model.channels.len()).then_some(number)
    }

    /// The channels that an expression may give, if there are few, whose messages have so many cells.
    pub(super) fn channels(&self, channel: &Expr, cells: Option<usize>) -> Option<Vec<usize>> {
        let fits = |channel: &usize| {
            cells.is_none_or(|cells| self.plan.model.channels[*channel].cells.len() == cells)
        };
        let all: Vec<usize> = match self.fixed(channel) {
            Some(_) => self.fixed_channel(channel).into_iter().filter(fits).collect(),
            None => (0..self.plan.model.channels.len()).filter(fits).collect(),
        };
        (all.len() <= MOST_CHANNELS).then_some(all)
    }

    /// Declines if the process that the channel belongs to is gone.
    pub(super) fn insist_on_owner(&mut self, channel: usize) {
        if let Some((slot, template)) = self.plan.model.channels[channel].owner {
            match self.variant_of(slot.index(), template) {
                Some(variant) => {
                    let there = self.is_variant(slot.index(), variant);
                    self.insist(&there);
                }
                None => self.give_up(),
            }
        }
    }

    /// How many messages are in a channel.
    pub(super) fn messages(&mut self, channel: usize) -> Known {
        let capacity = self.plan.model.channels[channel].capacity;
        let strip = self.plan.layout.channels[channel].length;
        self.get(&strip, &Element::Fixed(0), Range::new(0, capacity.into()))
    }

    /// A value asked of the channel that an expression gives.
    fn of_channel(
        &mut self,
        channel: &Expr,
        cells: Option<usize>,
        high: i64,
        mut value: impl FnMut(&mut Self, usize) -> String,
    ) -> Known {
        let result = self.fresh();
        self.line(format!("i64 {result} = 0;"));
        let Some(candidates) = self.channels(channel, cells) else {
            self.give_up();
            return Known { text: result, low: 0, high };
        };
        let number = self.eval(channel);
        self.line(format!("switch ({}) {{", number.text));
        for candidate in candidates {
            self.line(format!("case {candidate}: {{"));
            let found = value(self, candidate);
            self.line(format!("{result} = {found}; }} break;"));
        }
        self.line("default: {");
        self.give_up();
        self.line("} }");
        Known { text: result, low: 0, high }
    }

    pub(super) fn query(&mut self, query: ChannelQuery, channel: &Expr) -> Known {
        let high = match query {
            ChannelQuery::Length | ChannelQuery::Capacity => {
                let channels = self.plan.model.channels.iter();
                channels.map(|channel| i64::from(channel.capacity)).max().unwrap_or(0)
            }
            ChannelQuery::Empty | ChannelQuery::Full => 1,
        };
        self.of_channel(channel, None, high, |writer, channel| {
            writer.insist_on_owner(channel);
            let capacity = writer.plan.model.channels[channel].capacity;
            let length = writer.messages(channel).text;
            match query {
                ChannelQuery::Length => length,
                ChannelQuery::Capacity => capacity.to_string(),
                ChannelQuery::Empty => format!("({length} == 0)"),
                ChannelQuery::Full => format!("({length} == {capacity})"),
            }
        })
    }

    /// The cells of a message.
    pub(super) fn message(&mut self, channel: usize, at: &Element) -> Vec<Known> {
        let plan = self.plan;
        let columns = plan.layout.channels[channel].columns.iter();
        let ranges = plan.model.channels[channel].cells.iter();
        columns.zip(ranges).map(|(strip, &(range, _))| self.get(strip, at, range)).collect()
    }

    /// Whether a message matches.
    pub(super) fn matches(&mut self, wanted: &[Option<Known>], cells: &[Known]) -> String {
        let same = |(wanted, cell): (&Option<Known>, &Known)| {
            wanted.as_ref().map(|wanted| format!("({} == {})", wanted.text, cell.text))
        };
        let all: Vec<String> = wanted.iter().zip(cells).filter_map(same).collect();
        if all.is_empty() { "1".to_owned() } else { self.truth(&all.join(" & ")) }
    }

    /// The values that a pattern asks for.
    pub(super) fn wanted(&mut self, pattern: &[Pattern]) -> Vec<Option<Known>> {
        let value = |cell: &Pattern| match cell {
            Pattern::Any => None,
            Pattern::Equal(value) => Some(self.eval(value)),
        };
        pattern.iter().map(value).collect()
    }

    /// Whether a message that matches is waiting.
    pub(super) fn poll(&mut self, channel: &Expr, pattern: &[Pattern], pick: Pick) -> String {
        let found = self.of_channel(channel, Some(pattern.len()), 1, |writer, channel| {
            writer.insist_on_owner(channel);
            // An edge whose guard polls may be receiving another message.
            let received = writer.received.clone();
            let at = writer.find_message(channel, pattern, pick, None);
            writer.received = received;
            format!("({at} >= 0)")
        });
        self.truth(&format!("{} != 0", found.text))
    }

    /// Where a message is that matches and satisfies a guard that reads it, or -1. The message is then the one that
    /// is received; its cells mean nothing if there is none.
    pub(super) fn find_message(
        &mut self,
        channel: usize,
        pattern: &[Pattern],
        pick: Pick,
        guard: Option<&Expr>,
    ) -> String {
        let length = self.messages(channel);
        let at = self.fresh();
        let columns = self.plan.layout.channels[channel].columns.len();
        let ranges: Vec<Range> =
            self.plan.model.channels[channel].cells.iter().map(|it| it.0).collect();
        let names: Vec<String> = (0..columns).map(|_| self.fresh()).collect();
        self.line(format!("i64 {at} = -1;"));
        for name in &names {
            self.line(format!("i64 {name} = 0;"));
        }
        let most = match pick {
            Pick::Head => format!("({0} < 1 ? {0} : 1)", length.text),
            Pick::First => length.text,
        };
        self.line(format!("if ({most} > 0) {{"));
        let wanted = self.wanted(pattern);
        let nth = self.fresh();
        self.line(format!("for (u32 {nth} = 0; {nth} < {most}; {nth}++) {{"));
        let element = match pick {
            Pick::Head => Element::Fixed(0),
            Pick::First => Element::Dynamic(nth.clone()),
        };
        let cells = self.message(channel, &element);
        let matches = self.matches(&wanted, &cells);
        self.line(format!("if ({matches}) {{"));
        self.received = cells;
        let holds = guard.map_or("1".to_owned(), |guard| self.test(guard));
        self.line(format!("if ({holds}) {{ {at} = {nth};"));
        for (name, cell) in names.iter().zip(&self.received.clone()) {
            self.line(format!("{name} = {};", cell.text));
        }
        self.line("break; } } } }");
        let known =
            |(text, range): (String, Range)| Known { text, low: range.low, high: range.high };
        self.received = names.into_iter().zip(ranges).map(known).collect();
        at
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
        let plan = self.plan;
        let of = &plan.model.channels[channel];
        let columns = &plan.layout.channels[channel].columns;
        let is_wide = |strip: &Strip| strip.length > strip.per_word && strip.width > 0;
        if order == Order::Sorted && columns.iter().any(is_wide) {
            return self.give_up();
        }
        self.line("{");
        let length = self.messages(channel);
        let room = format!("{} < {}", length.text, of.capacity);
        if of.when_full == WhenFull::Wait {
            self.insist(&room);
        }
        self.line(format!("if ({room}) {{"));
        let at = match order {
            Order::Fifo => length.text.clone(),
            Order::Sorted => self.place_of(channel, row, &length.text),
        };
        for (strip, value) in columns.iter().zip(row) {
            let raw = self.fitted(strip, value.clone());
            if strip.width == 0 {
                continue;
            }
            if order == Order::Sorted {
                self.insert_bits(strip, &at, &raw);
                continue;
            }
            let element = match of.capacity {
                1 => Element::Fixed(0),
                _ => Element::Dynamic(format!("(u32){at}")),
            };
            self.set_raw(strip, &element, &raw);
        }
        let strip = plan.layout.channels[channel].length;
        self.set_raw(&strip, &Element::Fixed(0), &format!("{} + 1", length.text));
        self.line("} }");
    }

    /// The position before the first message that is greater than a row.
    fn place_of(&mut self, channel: usize, row: &[Known], length: &str) -> String {
        let at = self.fresh();
        self.line(format!("u32 {at} = 0; for (; {at} < {length}; {at}++) {{"));
        let cells = self.message(channel, &Element::Dynamic(at.clone()));
        let mut greater = "0".to_owned();
        for (cell, value) in cells.iter().zip(row).rev() {
            let (cell, value) = (&cell.text, &value.text);
            greater = format!("({cell} > {value} || ({cell} == {value} && {greater}))");
        }
        self.line(format!("if ({greater}) break; }}"));
        at
    }

    /// Puts bits between those of a strip that is in one word.
    fn insert_bits(&mut self, strip: &Strip, at: &str, raw: &str) {
        let whole = whole(strip);
        let field = self.raw(&whole, &Element::Fixed(0));
        let (width, words) = (strip.width, self.words);
        let (all, shift, word) = (bits(whole.mask()), whole.shift, whole.word);
        if width == 64 {
            return self.line(format!("{words}[{word}] = (u64)({raw});"));
        }
        self.line(format!(
            "{{ const u64 f = (u64)({field}); const u64 below = (1ULL << ({at} * {width})) - 1; const u64 g = \
             ((f & below) | ((f & ~below) << {width}) | ((u64)({raw}) << ({at} * {width}))) & {all}; {words}[{word}] = \
             ({words}[{word}] & ~({all} << {shift})) | (g << {shift}); }}"
        ));
    }

    /// Removes a message from a buffered channel.
    pub(super) fn remove(&mut self, channel: usize, at: &str) {
        let plan = self.plan;
        for strip in &plan.layout.channels[channel].columns {
            if strip.width == 0 {
                continue;
            }
            if strip.length > strip.per_word {
                self.remove_across_words(strip, at);
                continue;
            }
            let whole = whole(strip);
            let field = self.raw(&whole, &Element::Fixed(0));
            let (width, words) = (strip.width, self.words);
            let (all, shift, word) = (bits(whole.mask()), whole.shift, whole.word);
            if strip.length == 1 {
                self.set_raw(strip, &Element::Fixed(0), "0");
                continue;
            }
            // Several elements in a word are narrower than that.
            self.line(format!(
                "{{ const u64 f = (u64)({field}); const u64 below = (1ULL << ((u64){at} * {width})) - 1; const u64 g = \
                 (f & below) | ((f >> {width}) & ~below); {words}[{word}] = ({words}[{word}] & ~({all} << {shift})) | \
                 (g << {shift}); }}"
            ));
        }
        let strip = plan.layout.channels[channel].length;
        let length = self.raw(&strip, &Element::Fixed(0));
        self.set_raw(&strip, &Element::Fixed(0), &format!("{length} - 1"));
    }

    fn remove_across_words(&mut self, strip: &Strip, at: &str) {
        if strip.length > LONGEST {
            return self.give_up();
        }
        let last = strip.length - 1;
        let next = self.raw(strip, &Element::Dynamic("(k + 1)".to_owned()));
        self.line(format!("for (u32 k = (u32){at}; k < {last}; k++) {{ const i64 next = {next};"));
        self.set_raw(strip, &Element::Dynamic("k".to_owned()), "next");
        self.line("}");
        self.set_raw(strip, &Element::Fixed(last), "0");
    }

    /// Removes all messages from a channel.
    pub(super) fn clear(&mut self, channel: usize) {
        let of = self.plan.layout.channels[channel].clone();
        for strip in of.columns.iter().chain([&of.length]) {
            self.clear_strip(strip);
        }
    }

    /// Sets all bits of a strip to 0.
    pub(super) fn clear_strip(&mut self, strip: &Strip) {
        if strip.width == 0 || strip.length == 0 {
            return;
        }
        if strip.length <= strip.per_word {
            return self.set_raw(&whole(strip), &Element::Fixed(0), "0");
        }
        self.line(format!("for (u32 k = 0; k < {}; k++) {{", strip.length));
        self.set_raw(strip, &Element::Dynamic("k".to_owned()), "0");
        self.line("}");
    }
}

/// A strip that is in one word as a single element.
fn whole(strip: &Strip) -> Strip {
    let width = strip.length * strip.width;
    Strip { length: 1, base: 0, width, per_word: 64 / width.max(1), ..*strip }
}
