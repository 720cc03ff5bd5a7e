//! Reading and writing the elements of a packed state.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use fairly_model::{AnyVariable, Expr, Overflow, Place, Range, Storage, Strip, Variable};

use super::{Emitter, Known};
use crate::context;

/// An element of a strip: which, as far as it is known before.
#[derive(Clone, Copy)]
pub(super) enum Element {
    Fixed(u32),
    /// Within the strip.
    Dynamic(Value),
}

/// Where the bits of an element are: an address with an offset, and how far they are shifted.
#[derive(Clone, Copy)]
struct Bits {
    address: Value,
    offset: usize,
    shift: Shift,
}

#[derive(Clone, Copy)]
enum Shift {
    Fixed(u32),
    Dynamic(Value),
}

impl<'a> Emitter<'a> {
    fn bits(&mut self, strip: &Strip, element: Element) -> Bits {
        match element {
            Element::Fixed(element) => {
                let (word, shift) = strip.position(element);
                Bits { address: self.words, offset: word * 8, shift: Shift::Fixed(shift) }
            }
            Element::Dynamic(element) if strip.length <= strip.per_word => {
                let shift = self.times(element, strip.width.into());
                let shift = self.add_number(shift, strip.shift.into());
                let offset = strip.word as usize * 8;
                Bits { address: self.words, offset, shift: Shift::Dynamic(shift) }
            }
            Element::Dynamic(element) => {
                let per_word = self.number(strip.per_word.into()).value;
                let word = self.builder.ins().udiv(element, per_word);
                let rest = self.builder.ins().urem(element, per_word);
                let bytes = self.times(word, 8);
                let address = self.builder.ins().iadd(self.words, bytes);
                let shift = self.times(rest, strip.width.into());
                let shift = self.add_number(shift, strip.shift.into());
                let offset = strip.word as usize * 8;
                Bits { address, offset, shift: Shift::Dynamic(shift) }
            }
        }
    }

    /// The bits of an element: what is stored, without what is added to it.
    pub(super) fn raw(&mut self, strip: &Strip, element: Element) -> Value {
        if strip.width == 0 {
            return self.number(0).value;
        }
        let bits = self.bits(strip, element);
        let word = self.load(bits.address, bits.offset);
        let moved = match bits.shift {
            Shift::Fixed(0) => word,
            Shift::Fixed(shift) => {
                let shift = self.number(shift.into()).value;
                self.builder.ins().ushr(word, shift)
            }
            Shift::Dynamic(shift) => self.builder.ins().ushr(word, shift),
        };
        let top = matches!(bits.shift, Shift::Fixed(shift) if shift + strip.width == 64);
        if top { moved } else { self.and_bits(moved, strip.mask()) }
    }

    /// Stores the bits of an element.
    pub(super) fn set_raw(&mut self, strip: &Strip, element: Element, value: Value) {
        if strip.width == 0 {
            return;
        }
        let bits = self.bits(strip, element);
        if strip.width == 64 {
            return self.store(value, bits.address, bits.offset);
        }
        let word = self.load(bits.address, bits.offset);
        let (cleared, moved) = match bits.shift {
            Shift::Fixed(shift) => {
                let cleared = self.and_bits(word, !(strip.mask() << shift));
                let shift = self.number(shift.into()).value;
                (cleared, self.builder.ins().ishl(value, shift))
            }
            Shift::Dynamic(shift) => {
                let mask = self.number(strip.mask().cast_signed()).value;
                let mask = self.builder.ins().ishl(mask, shift);
                let kept = self.builder.ins().bnot(mask);
                (self.builder.ins().band(word, kept), self.builder.ins().ishl(value, shift))
            }
        };
        let word = self.builder.ins().bor(cleared, moved);
        self.store(word, bits.address, bits.offset);
    }

    /// Gives an element a value that is known before.
    pub(super) fn set_number(&mut self, strip: &Strip, value: i64) {
        let bits = self.number(value.wrapping_sub(strip.base)).value;
        self.set_raw(strip, Element::Fixed(0), bits);
    }

    /// The value of an element whose values are in a range.
    pub(super) fn get(&mut self, strip: &Strip, element: Element, range: Range) -> Known {
        if strip.width == 0 {
            return self.number(strip.base);
        }
        let bits = self.raw(strip, element);
        let value = self.add_number(bits, strip.base);
        let room = strip.range();
        Known { value, low: range.low.max(room.low), high: range.high.min(room.high) }
    }

    /// The bits of a value in a strip; declines if there is no room for it, which cannot happen if the
    /// layout is right.
    pub(super) fn fitted(&mut self, strip: &Strip, value: Known) -> Value {
        let room = strip.range();
        let value = self.insist_within(value, room.low, room.high);
        self.add_number(value.value, strip.base.wrapping_neg())
    }

    /// The value of a slot's kind: 0 if it is free.
    pub(super) fn kind(&mut self, slot: usize) -> Known {
        let strip = self.plan.layout.slots[slot].kind;
        let most = i64::try_from(self.plan.layout.slots[slot].variants.len()).expect("a length");
        self.get(&strip, Element::Fixed(0), Range::new(strip.base, most))
    }

    /// Whether the process in a slot is of a variant.
    pub(super) fn is_variant(&mut self, slot: usize, variant: usize) -> Value {
        let kind = self.kind(slot);
        let wanted = i64::try_from(variant).expect("a position") + 1;
        self.compare_to(IntCC::Equal, kind.value, wanted)
    }

    /// The position of a template among the variants of a slot.
    pub(super) fn variant_of(
        &self,
        slot: usize,
        template: fairly_model::TemplateId,
    ) -> Option<usize> {
        let variants = &self.plan.layout.slots.get(slot)?.variants;
        variants.iter().position(|variant| variant.template == template)
    }

    /// The value of a variable or an element of an array.
    pub(super) fn read(&mut self, place: &Place) -> Known {
        if let Some(value) = self.constant(place) {
            return self.number(value);
        }
        if self.is_remembered(place) {
            return self.unknown();
        }
        let plan = self.plan;
        let (variable, strip): (&Variable, Strip) = match &place.variable {
            AnyVariable::Global(id) => {
                (&plan.model.variables[id.index()], plan.layout.variables[id.index()])
            }
            AnyVariable::Local(id) => match self.own_variable(id.index()) {
                Some(of) => of,
                None => return self.unknown(),
            },
            AnyVariable::Remote { slot, template, local } => {
                let slot = match self.fixed(slot) {
                    Some(slot) => usize::try_from(slot).unwrap_or(usize::MAX),
                    None => return self.unknown(),
                };
                let Some(variant) = self.variant_of(slot, *template) else {
                    return self.number(0);
                };
                return self.read_remote(slot, variant, local.index(), place.index.as_deref());
            }
        };
        let Some(element) = self.element(&strip, place.index.as_deref()) else {
            return self.unknown();
        };
        self.value_of(variable, &strip, element)
    }

    /// A variable of the process in a slot if it is of a variant; otherwise 0.
    fn read_remote(
        &mut self,
        slot: usize,
        variant: usize,
        local: usize,
        index: Option<&Expr>,
    ) -> Known {
        let plan = self.plan;
        let of = &plan.layout.slots[slot].variants[variant];
        let (variable, strip) = (&plan.model.template(of.template).locals[local], of.locals[local]);
        if variable.storage == Storage::Scratch {
            return self.unknown();
        }
        let there = self.is_variant(slot, variant);
        let Some(element) = self.element(&strip, index) else { return self.unknown() };
        let known = self.value_of(variable, &strip, element);
        let nothing = self.number(0).value;
        let value = self.builder.ins().select(there, known.value, nothing);
        Known { value, low: known.low.min(0), high: known.high.max(0) }
    }

    pub(super) fn own_variable(&self, local: usize) -> Option<(&'a Variable, Strip)> {
        let (slot, variant) = self.own?;
        let plan = self.plan;
        let of = &plan.layout.slots[slot].variants[variant];
        Some((&plan.model.template(of.template).locals[local], of.locals[local]))
    }

    fn value_of(&mut self, variable: &Variable, strip: &Strip, element: Element) -> Known {
        if variable.storage == Storage::Scratch {
            let (address, offset) = self.scratch(strip, element);
            let value = self.load(address, offset);
            return Known { value, low: variable.range.low, high: variable.range.high };
        }
        self.get(strip, element, variable.range)
    }

    /// Where a scratch variable is.
    fn scratch(&mut self, strip: &Strip, element: Element) -> (Value, usize) {
        let base = self.load(self.context, context::SCRATCH);
        let first = strip.cell as usize - self.plan.layout.state_cells;
        match element {
            Element::Fixed(element) => (base, (first + element as usize) * 8),
            Element::Dynamic(element) => {
                let bytes = self.times(element, 8);
                (self.builder.ins().iadd(base, bytes), first * 8)
            }
        }
    }

    /// The element that an index names; declines if there is none.
    fn element(&mut self, strip: &Strip, index: Option<&Expr>) -> Option<Element> {
        let Some(index) = index else { return Some(Element::Fixed(0)) };
        if let Some(fixed) = self.fixed(index) {
            let fixed = u32::try_from(fixed).ok().filter(|&index| index < strip.length)?;
            return Some(Element::Fixed(fixed));
        }
        let index = self.eval(index);
        let last = i64::from(strip.length) - 1;
        if last < 0 {
            return None;
        }
        let index = self.insist_within(index, 0, last);
        Some(Element::Dynamic(index.value))
    }

    /// Assigns a value.
    pub(super) fn write(&mut self, place: &Place, value: Known) {
        self.invalidate(place);
        let plan = self.plan;
        let (variable, strip) = match &place.variable {
            AnyVariable::Global(id) => {
                (&plan.model.variables[id.index()], plan.layout.variables[id.index()])
            }
            AnyVariable::Local(id) => {
                let Some((slot, variant)) = self.own else { return self.give_up() };
                let of = &plan.layout.slots[slot].variants[variant];
                (&plan.model.template(of.template).locals[id.index()], of.locals[id.index()])
            }
            AnyVariable::Remote { .. } => return self.give_up(),
        };
        let Some(element) = self.element(&strip, place.index.as_deref()) else {
            return self.give_up();
        };
        let value = self.converted(value, variable.range, variable.overflow);
        if variable.storage == Storage::Scratch {
            let (address, offset) = self.scratch(&strip, element);
            return self.store(value.value, address, offset);
        }
        let bits = self.fitted(&strip, value);
        self.set_raw(&strip, element, bits);
    }

    /// Gives a variable that is no array a value that it can have.
    pub(super) fn store_number(&mut self, variable: &Variable, strip: &Strip, value: i64) {
        if variable.storage == Storage::Scratch {
            let (address, offset) = self.scratch(strip, Element::Fixed(0));
            let value = self.number(value).value;
            return self.store(value, address, offset);
        }
        self.set_number(strip, value);
    }

    /// The value that something of a range has when this one is assigned.
    pub(super) fn converted(&mut self, value: Known, range: Range, overflow: Overflow) -> Known {
        if range.low <= value.low && value.high <= range.high {
            return value;
        }
        let size = range.high.wrapping_sub(range.low).cast_unsigned();
        match overflow {
            // The size is a power of two.
            Overflow::Wrap if size.wrapping_add(1).is_power_of_two() => {
                let moved = self.add_number(value.value, range.low.wrapping_neg());
                let kept = self.and_bits(moved, size);
                let value = self.add_number(kept, range.low);
                Known { value, low: range.low, high: range.high }
            }
            Overflow::Wrap if size == u64::MAX => value,
            Overflow::Wrap => self.unknown(),
            Overflow::Fault | Overflow::Limit => self.insist_within(value, range.low, range.high),
        }
    }

    /// Stand-in for a value where code never comes.
    pub(super) fn unknown(&mut self) -> Known {
        self.give_up();
        let value = self.builder.ins().iconst(types::I64, 0);
        Known { value, low: i64::MIN, high: i64::MAX }
    }
}
