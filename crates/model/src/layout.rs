//! Where everything of a state is: in a row of integers while a step is computed, and in a row of
//! 64-bit words while the state is stored.
//!
//! # What code that reads packed states may rely on
//!
//! - A [`Strip`] says where its elements are, and that formula ([`Strip::position`]) is all there is
//!   to it: no element straddles a word, so that reading one is a load, a shift and a mask.
//! - The bits hold `value - base`, without a sign. A strip of width 0 has the value `base` and no bits.
//! - Two states are the same if and only if their words are. Cells of messages that are not in a
//!   channel are zero bits, and so is everything of a slot that is free, and all bits of a slot that
//!   belong to a template which is not the one in it.
//! - The layout depends on nothing but the model, and on the model only as it was before anything of
//!   it was unfolded. Of a model that is not, values have room that can happen, not all of their type.
//! - Transient variables come last (`transient.rs`).

use std::borrow::Cow;

use fairly_system::Holder;

use crate::expression::Expr;
use crate::ids::TemplateId;
use crate::model::{Atomicity, Model};
use crate::origins::{Origin, origins};
use crate::process::{Slot, Target};
use crate::ranges::Ranges;
use crate::transient::Transient;
use crate::variable::{Channel, Range, Storage, Variable};

/// A value, or values of the same kind: the elements of an array, or one cell of all messages that a
/// channel can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strip {
    /// The first of its elements in the unpacked state; the others follow.
    pub cell: u32,
    /// How many elements.
    pub length: u32,
    /// Number that is added to the bits.
    pub base: i64,
    /// How many bits an element has: 0 to 64.
    pub width: u32,
    /// The word that the first element is in.
    pub word: u32,
    /// The lowest bit of the first element in that word.
    pub shift: u32,
    /// How many elements follow each other in one word.
    pub per_word: u32,
}

impl Strip {
    /// The word of an element and the lowest of its bits there.
    #[inline]
    pub fn position(&self, element: u32) -> (usize, u32) {
        // Most strips are not arrays, and a division takes long.
        if element == 0 {
            return (self.word as usize, self.shift);
        }
        let word = self.word + element / self.per_word;
        (word as usize, self.shift + element % self.per_word * self.width)
    }

    /// The bits of an element, moved to the lowest ones.
    #[inline]
    pub fn mask(&self) -> u64 {
        u64::MAX.checked_shr(64 - self.width).unwrap_or(0)
    }

    /// The value of an element of a packed state.
    #[inline]
    pub fn get(&self, words: &[u64], element: u32) -> i64 {
        if self.width == 0 {
            return self.base;
        }
        let (word, shift) = self.position(element);
        self.base.wrapping_add((words[word] >> shift & self.mask()).cast_signed())
    }

    /// Gives an element a value in a packed state.
    ///
    /// # Panics
    /// If there is no room for it: a state must never be taken for another one.
    pub fn set(&self, words: &mut [u64], element: u32, value: i64) {
        let bits = value.wrapping_sub(self.base).cast_unsigned();
        assert_eq!(bits & !self.mask(), 0, "{value} does not fit {self:?}");
        if self.width > 0 {
            let (word, shift) = self.position(element);
            let mask = self.mask() << shift;
            words[word] = words[word] & !mask | bits << shift & mask;
        }
    }

    /// The values that there is room for.
    pub fn range(&self) -> Range {
        let most = i128::from(self.base) + i128::from(self.mask());
        Range::new(self.base, i64::try_from(most).unwrap_or(i64::MAX))
    }

    /// Its elements in an unpacked state.
    pub fn cells(&self) -> std::ops::Range<usize> {
        self.cell as usize..(self.cell + self.length) as usize
    }

    /// A place that is not known yet.
    fn later(length: u32) -> Strip {
        Strip { cell: 0, length, base: 0, width: 0, word: 0, shift: 0, per_word: 1 }
    }

    fn pack(&self, cells: &[i64], words: &mut [u64], count: u32) {
        for element in 0..count {
            self.set(words, element, cells[(self.cell + element) as usize]);
        }
    }

    /// Sets elements beyond `count` to 0.
    fn unpack(&self, words: &[u64], cells: &mut [i64], count: u32) {
        for element in 0..self.length {
            let value = if element < count { self.get(words, element) } else { 0 };
            cells[(self.cell + element) as usize] = value;
        }
    }
}

/// Where a channel's messages are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelLayout {
    /// How many messages there are.
    pub length: Strip,
    /// The first cell of all messages, the second of all messages, …; the first message is the one
    /// that has waited longest, unless they are sorted.
    pub columns: Vec<Strip>,
}

/// Where a slot's process is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotLayout {
    /// 0 if the slot is free, else one more than the position of the process's template among the
    /// [`variants`](SlotLayout::variants).
    pub kind: Strip,
    /// Its location.
    pub location: Strip,
    /// The templates that can be in the slot. Their variables lie in the same bits.
    pub variants: Vec<VariantLayout>,
}

impl SlotLayout {
    /// Whether the slot always has a process, of the only template that can be there.
    pub fn is_fixed(&self) -> bool {
        self.kind.width == 0 && self.kind.base == 1 && self.variants.len() == 1
    }
}

/// Where the variables of a process are if it is of one template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantLayout {
    /// The template.
    pub template: TemplateId,
    /// Its variables; a scratch variable has cells and no bits.
    pub locals: Vec<Strip>,
    /// The cells of scratch variables with what they hold at the start of an action.
    scratch: Vec<(u32, i64)>,
}

/// Where everything of a state is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How many words a packed state has; at least one.
    pub words: usize,
    /// How many of them there are before those that have nothing but what passes within a step; at least one.
    pub lasting: usize,
    /// How many cells an unpacked state has, those of scratch variables included, which come last.
    pub cells: usize,
    /// How many of them are part of the state.
    pub state_cells: usize,
    /// The model's variables; a scratch variable has cells and no bits.
    pub variables: Vec<Strip>,
    /// The channels; for a rendezvous a length that is always 0, and columns without elements.
    pub channels: Vec<ChannelLayout>,
    /// The slots.
    pub slots: Vec<SlotLayout>,
    /// The slot that alone may move, or -1: only if [`Atomicity::Exclusive`] and there are edges that
    /// hold.
    pub holder: Option<Strip>,
    /// The slot that moved last: only if something reads it.
    pub last_mover: Option<Strip>,
    scratch: Vec<(u32, i64)>,
}

/// Gives out bits and cells.
#[derive(Clone)]
struct Room {
    /// How many bits of each word are taken, from the lowest on.
    used: Vec<u32>,
    /// The last words that are not full, at most [`WINDOW`] of them.
    open: Vec<usize>,
    cells: u32,
}

/// A value that fits into none of the last words with room begins a new one. Looking further back
/// would save a few bits and scatter what belongs together.
const WINDOW: usize = 8;

impl Room {
    fn strip(&mut self, range: Range, length: u32) -> Strip {
        let size = range.high.wrapping_sub(range.low).cast_unsigned();
        let width = if range.high < range.low { 0 } else { 64 - size.leading_zeros() };
        let cell = self.cells;
        self.cells += length;
        let mut strip =
            Strip { cell, length, base: range.low, width, word: 0, shift: 0, per_word: 1 };
        if length == 0 || width == 0 {
            return strip;
        }
        strip.per_word = 64 / width;
        let fits =
            |word: &usize| length <= strip.per_word && self.used[*word] + length * width <= 64;
        let word = self.open.iter().copied().find(fits).unwrap_or(self.used.len());
        strip.word = u32::try_from(word).expect("fewer than 2^32 words");
        if word < self.used.len() {
            strip.shift = self.used[word];
            self.used[word] += length * width;
        } else {
            let whole = (length / strip.per_word) as usize;
            // The rest of the words that a long array fills is not used.
            self.used.extend(std::iter::repeat_n(64, whole));
            if !length.is_multiple_of(strip.per_word) {
                self.open.push(self.used.len());
                self.used.push(length % strip.per_word * width);
            }
        }
        self.tidy();
        strip
    }

    fn tidy(&mut self) {
        self.open.retain(|&word| self.used[word] < 64);
        self.open.drain(..self.open.len().saturating_sub(WINDOW));
    }

    /// Takes what another has taken that began as this one did.
    fn join(&mut self, other: Room) {
        self.cells = self.cells.max(other.cells);
        self.used.resize(self.used.len().max(other.used.len()), 0);
        for (used, other) in self.used.iter_mut().zip(other.used) {
            *used = (*used).max(other);
        }
        self.open.extend(other.open);
        self.open.sort_unstable();
        self.open.dedup();
        self.tidy();
    }

    /// The strips of variables that are part of the state and do not pass; the others get theirs later.
    fn variables(
        &mut self,
        variables: &[Variable],
        ranges: &[Range],
        transient: &[bool],
    ) -> Vec<Strip> {
        let strip = |((variable, range), passes): ((&Variable, &Range), &bool)| {
            let length = u32::try_from(variable.cells()).expect("a length has 32 bits");
            match variable.storage {
                Storage::State if !passes => self.strip(*range, length),
                _ => Strip::later(length),
            }
        };
        variables.iter().zip(ranges).zip(transient).map(strip).collect()
    }

    /// The strips of variables that pass.
    fn transient(
        &mut self,
        variables: &[Variable],
        ranges: &[Range],
        transient: &[bool],
        strips: &mut [Strip],
    ) {
        for (at, strip) in strips.iter_mut().enumerate() {
            if transient[at] && variables[at].storage == Storage::State {
                *strip = self.strip(ranges[at], strip.length);
            }
        }
    }

    /// Cells without bits for scratch variables, and what is in them at first.
    fn scratch(&mut self, variables: &[Variable], strips: &mut [Strip]) -> Vec<(u32, i64)> {
        let mut initial = Vec::new();
        for (variable, strip) in variables.iter().zip(strips) {
            if variable.storage == Storage::Scratch {
                strip.cell = self.cells;
                self.cells += strip.length;
                let values = variable.initial.iter().copied().chain(std::iter::repeat(0));
                initial.extend((strip.cell..self.cells).zip(values));
            }
        }
        initial
    }
}

impl Layout {
    /// Where a packed state says whether a process may move alone.
    #[inline]
    pub fn holding(&self) -> Option<Holder> {
        // The value for no process, -1, is the least one, and so has no bits.
        self.holder.map(|strip| {
            debug_assert_eq!(strip.base, -1, "the least value");
            Holder { word: strip.word as usize, mask: strip.mask() << strip.shift }
        })
    }

    /// Whether a process may move alone in a packed state.
    #[inline]
    pub fn is_held(&self, words: &[u64]) -> bool {
        self.holding().is_some_and(|holder| holder.is_held(words))
    }

    /// How many values a state can have, scratch included.
    pub const MOST_CELLS: u64 = 1 << 22;

    /// Whether the values of a state are not too many.
    pub fn fits(model: &Model) -> bool {
        let all = |variables: &[Variable]| -> u64 {
            variables.iter().map(|it| u64::from(it.length.unwrap_or(1))).sum()
        };
        let channel = |channel: &Channel| {
            u64::try_from(channel.cells.len())
                .unwrap_or(u64::MAX)
                .saturating_mul(channel.capacity.into())
        };
        let slot = |slot: &Slot| -> u64 {
            let locals = |id: &TemplateId| all(&model.template(*id).locals);
            2 + slot.templates.iter().map(locals).sum::<u64>()
        };
        let channels = model.channels.iter().map(channel).fold(0, u64::saturating_add);
        let slots = model.slots.iter().map(slot).fold(0, u64::saturating_add);
        all(&model.variables).saturating_add(channels).saturating_add(slots) <= Layout::MOST_CELLS
    }

    /// The layout of a model's states, with room for all values of their types. The templates of `open`
    /// have, or will have, locations that are made while the model is explored.
    ///
    /// The model is one that [`verify()`](crate::verify()) accepts.
    ///
    /// # Panics
    /// If it does not [fit](Layout::fits), or an id is no position.
    pub fn of(model: &Model, open: &[TemplateId]) -> Layout {
        let (ranges, none) = (Ranges::declared(model), vec![None; model.slots.len()]);
        Layout::with(model, open, &ranges, &Transient::none(model), &none)
    }

    /// As [`Layout::of`], with room for what can happen only.
    ///
    /// # Panics
    /// As there.
    pub fn fitted(model: &Model, open: &[TemplateId]) -> Layout {
        match open {
            [] => {
                let (ranges, transient) = (Ranges::of(model), Transient::of(model));
                Layout::with(model, open, &ranges, &transient, &origins(model))
            }
            _ => Layout::of(model, open),
        }
    }

    fn with(
        model: &Model,
        open: &[TemplateId],
        ranges: &Ranges,
        transient: &Transient,
        origins: &[Option<Origin>],
    ) -> Layout {
        assert!(Layout::fits(model), "a state has more than {} values", Layout::MOST_CELLS);
        let mut room = Room { used: Vec::new(), open: Vec::new(), cells: 0 };
        let mut variables =
            room.variables(&model.variables, &ranges.variables, &transient.variables);
        let channels = model
            .channels
            .iter()
            .zip(&ranges.cells)
            .map(|(channel, cells)| ChannelLayout {
                length: room.strip(Range::new(0, channel.capacity.into()), 1),
                columns: cells.iter().map(|&range| room.strip(range, channel.capacity)).collect(),
            })
            .collect();
        let mut slots: Vec<SlotLayout> = Vec::new();
        for (slot, origin) in model.slots.iter().zip(origins) {
            let never_free = slot.start.as_ref().map(|start| start.0).filter(|template| {
                !open.contains(template) && !model.template(*template).can_exit()
            });
            // A process that never leaves is the only one that its slot ever holds.
            let only = never_free.or(origin.as_ref().map(|origin| origin.template));
            let templates = only.map_or(slot.templates.clone(), |only| vec![only]);
            let last = i64::try_from(templates.len()).expect("a length");
            let kind = room.strip(Range::new(i64::from(never_free.is_some()), last), 1);
            let location = match templates.iter().all(|it| transient.locations[it.index()]) {
                true => Strip::later(1),
                false => room.strip(locations(model, open, &templates), 1),
            };
            let before = room.clone();
            let mut variants = Vec::new();
            for &template in &templates {
                // Every template begins where the others do, and what comes next begins behind all.
                let (mut own, at) = (before.clone(), template.index());
                let mut values = Cow::from(&ranges.locals[at]);
                for &(local, value) in origin.iter().flat_map(|origin| &origin.constants) {
                    values.to_mut()[local] = value;
                }
                let variables = &model.template(template).locals;
                let locals = own.variables(variables, &values, &transient.locals[at]);
                variants.push(VariantLayout { template, locals, scratch: Vec::new() });
                room.join(own);
            }
            slots.push(SlotLayout { kind, location, variants });
        }
        let last = i64::try_from(model.slots.len()).expect("a length") - 1;
        let holds = model.atomicity == Atomicity::Exclusive
            && (!open.is_empty() || model.has_holding_edge());
        let last_mover = model
            .any_expression(&mut |expr| *expr == Expr::LastMover)
            .then(|| room.strip(Range::new(0, last.max(0)), 1));
        let lasting = room.used.len().max(1);
        room.transient(&model.variables, &ranges.variables, &transient.variables, &mut variables);
        for slot in &mut slots {
            let templates: Vec<TemplateId> = slot.variants.iter().map(|it| it.template).collect();
            if templates.iter().all(|it| transient.locations[it.index()]) {
                slot.location = room.strip(locations(model, open, &templates), 1);
            }
            if !templates.iter().any(|it| transient.locals[it.index()].contains(&true)) {
                continue;
            }
            let before = room.clone();
            for VariantLayout { template, locals, .. } in &mut slot.variants {
                let (mut own, at) = (before.clone(), template.index());
                let variables = &model.template(*template).locals;
                own.transient(variables, &ranges.locals[at], &transient.locals[at], locals);
                room.join(own);
            }
        }
        let holder = holds.then(|| room.strip(Range::new(-1, last), 1));
        let state_cells = room.cells as usize;
        let scratch = room.scratch(&model.variables, &mut variables);
        for variant in slots.iter_mut().flat_map(|slot| &mut slot.variants) {
            let locals = &model.template(variant.template).locals;
            variant.scratch = room.scratch(locals, &mut variant.locals);
        }
        Layout {
            words: room.used.len().max(1),
            lasting,
            cells: room.cells as usize,
            state_cells,
            variables,
            channels,
            slots,
            holder,
            last_mover,
            scratch,
        }
    }

    /// The position among the variants of the template of the process in a slot; `None` if the slot
    /// is free.
    pub fn variant(&self, cells: &[i64], slot: usize) -> Option<usize> {
        let kind = cells[self.slots[slot].kind.cell as usize];
        usize::try_from(kind - 1).ok()
    }

    /// The location of the process in a slot; 0 if the slot is free.
    pub fn location(&self, cells: &[i64], slot: usize) -> usize {
        usize::try_from(cells[self.slots[slot].location.cell as usize]).expect("a location")
    }

    /// Makes the words of a state. Values are within their ranges; cells of scratch variables, of
    /// free slots and of messages that are not there make no difference.
    ///
    /// # Panics
    /// If there are not [`cells`](Layout::cells) or [`words`](Layout::words) of them.
    pub fn pack(&self, cells: &[i64], words: &mut [u64]) {
        words[..self.words].fill(0);
        for strip in self.always() {
            strip.pack(cells, words, strip.length);
        }
        for ChannelLayout { length, columns } in &self.channels {
            length.pack(cells, words, 1);
            let count = u32::try_from(cells[length.cell as usize]).expect("a length");
            for column in columns {
                column.pack(cells, words, count);
            }
        }
        for (at, slot) in self.slots.iter().enumerate() {
            if let Some(variant) = self.variant(cells, at) {
                slot.kind.pack(cells, words, 1);
                slot.location.pack(cells, words, 1);
                for strip in &slot.variants[variant].locals {
                    if (strip.cell as usize) < self.state_cells {
                        strip.pack(cells, words, strip.length);
                    }
                }
            }
        }
    }

    /// Makes the cells of a state from its words, with scratch variables as they are at the start of
    /// an action. Cells that nothing is in are 0.
    ///
    /// # Panics
    /// If there are not [`cells`](Layout::cells) or [`words`](Layout::words) of them.
    pub fn unpack(&self, words: &[u64], cells: &mut [i64]) {
        for strip in self.always() {
            strip.unpack(words, cells, strip.length);
        }
        for ChannelLayout { length, columns } in &self.channels {
            length.unpack(words, cells, 1);
            let count = u32::try_from(cells[length.cell as usize]).expect("a length");
            for column in columns {
                column.unpack(words, cells, count);
            }
        }
        for (at, slot) in self.slots.iter().enumerate() {
            slot.kind.unpack(words, cells, 1);
            slot.location.unpack(words, cells, 1);
            match self.variant(cells, at) {
                Some(variant) => {
                    // Another variant may have more cells than this one.
                    self.clear_locals(cells, at);
                    for strip in &slot.variants[variant].locals {
                        if (strip.cell as usize) < self.state_cells {
                            strip.unpack(words, cells, strip.length);
                        }
                    }
                    self.reset_scratch(cells, at, variant);
                }
                None => self.clear_locals(cells, at),
            }
        }
        for &(cell, value) in &self.scratch {
            cells[cell as usize] = value;
        }
    }

    /// Sets all cells of a slot's variables to 0.
    pub(crate) fn clear_locals(&self, cells: &mut [i64], slot: usize) {
        for strip in self.slots[slot].variants.iter().flat_map(|variant| &variant.locals) {
            cells[strip.cells()].fill(0);
        }
    }

    /// Gives the scratch variables of a process what they have at the start of an action.
    fn reset_scratch(&self, cells: &mut [i64], slot: usize, variant: usize) {
        for &(cell, value) in &self.slots[slot].variants[variant].scratch {
            cells[cell as usize] = value;
        }
    }

    /// The strips that every state has values for.
    fn always(&self) -> impl Iterator<Item = &Strip> {
        let stored = |strip: &&Strip| (strip.cell as usize) < self.state_cells;
        self.variables.iter().filter(stored).chain(&self.holder).chain(&self.last_mover)
    }
}

/// The locations that a process of one of these kinds can be at.
fn locations(model: &Model, open: &[TemplateId], templates: &[TemplateId]) -> Range {
    let last = |template: &TemplateId| match open.contains(template) {
        true => i64::from(u32::MAX),
        false => i64::try_from(model.template(*template).locations.len()).expect("length") - 1,
    };
    Range::new(0, templates.iter().map(last).max().unwrap_or(0).max(0))
}

impl crate::process::Template {
    /// Whether a process of this kind can leave its slot.
    fn can_exit(&self) -> bool {
        let edges = self.locations.iter().filter_map(|location| location.edges.as_ref()).flatten();
        edges.into_iter().any(|edge| edge.target == Target::Exit)
    }
}

impl Model {
    pub(crate) fn has_holding_edge(&self) -> bool {
        let locations = self.templates.iter().flat_map(|template| &template.locations);
        locations.filter_map(|location| location.edges.as_ref()).flatten().any(|edge| edge.hold)
    }
}
