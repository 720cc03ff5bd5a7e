//! Elements of a packed state.

use fairly_model::{
    AnyVariable, Expr, Overflow, Place, Range, Storage, Strip, TemplateId, Variable,
};

use super::{Known, Writer, bits, number};

/// An element of a strip.
#[derive(Clone)]
pub(super) enum Element {
    Fixed(u32),
    /// A value within the strip.
    Dynamic(String),
}

impl<'a> Writer<'a> {
    /// The word and the shift of an element.
    fn position(&mut self, strip: &Strip, element: &Element) -> (String, String) {
        match element {
            Element::Fixed(element) => {
                let (word, shift) = strip.position(*element);
                (word.to_string(), shift.to_string())
            }
            Element::Dynamic(at) if strip.length <= strip.per_word => {
                (strip.word.to_string(), format!("(({at}) * {} + {})", strip.width, strip.shift))
            }
            Element::Dynamic(at) => {
                let per = strip.per_word;
                let word = format!("({} + ({at}) / {per})", strip.word);
                (word, format!("(({at}) % {per} * {} + {})", strip.width, strip.shift))
            }
        }
    }

    /// The bits of an element: what is stored, without what is added to it.
    pub(super) fn raw(&mut self, strip: &Strip, element: &Element) -> String {
        if strip.width == 0 {
            return "0".to_owned();
        }
        let (word, shift) = self.position(strip, element);
        let words = self.words;
        if strip.width == 64 {
            return format!("(i64){words}[{word}]");
        }
        format!("(i64)(({words}[{word}] >> {shift}) & {})", bits(strip.mask()))
    }

    /// Stores the bits of an element.
    pub(super) fn set_raw(&mut self, strip: &Strip, element: &Element, value: &str) {
        if strip.width == 0 {
            return;
        }
        let (word, shift) = self.position(strip, element);
        let words = self.words;
        if strip.width == 64 {
            return self.line(format!("{words}[{word}] = (u64)({value});"));
        }
        let mask = bits(strip.mask());
        self.line(format!(
            "{words}[{word}] = ({words}[{word}] & ~({mask} << {shift})) | ((u64)({value}) << {shift});"
        ));
    }

    /// Gives an element a value that is known before.
    pub(super) fn set_number(&mut self, strip: &Strip, value: i64) {
        let raw = value.wrapping_sub(strip.base).cast_unsigned();
        self.set_raw(strip, &Element::Fixed(0), &bits(raw));
    }

    /// The value of an element whose values are in a range.
    pub(super) fn get(&mut self, strip: &Strip, element: &Element, range: Range) -> Known {
        if strip.width == 0 {
            return Writer::number(strip.base);
        }
        let raw = self.raw(strip, element);
        let room = strip.range();
        let (low, high) = (range.low.max(room.low), range.high.min(room.high));
        match strip.base {
            0 => self.named(&raw, low, high),
            base => self.named(&format!("(i64)((u64)({raw}) + (u64){})", number(base)), low, high),
        }
    }

    /// The bits of a value in a strip; declines if there is no room for it.
    pub(super) fn fitted(&mut self, strip: &Strip, value: Known) -> String {
        let room = strip.range();
        let value = self.insist_within(value, room.low, room.high);
        match strip.base {
            0 => value.text,
            base => format!("((u64)({}) - (u64){})", value.text, number(base)),
        }
    }

    /// The value of a slot's kind: 0 if it is free.
    pub(super) fn kind(&mut self, slot: usize) -> Known {
        let strip = self.plan.layout.slots[slot].kind;
        let most = i64::try_from(self.plan.layout.slots[slot].variants.len()).expect("a length");
        self.get(&strip, &Element::Fixed(0), Range::new(strip.base, most))
    }

    /// Whether the process in a slot is of a variant.
    pub(super) fn is_variant(&mut self, slot: usize, variant: usize) -> String {
        let kind = self.kind(slot);
        format!("({} == {})", kind.text, variant + 1)
    }

    /// The position of a template among the variants of a slot.
    pub(super) fn variant_of(&self, slot: usize, template: TemplateId) -> Option<usize> {
        let variants = &self.plan.layout.slots.get(slot)?.variants;
        variants.iter().position(|variant| variant.template == template)
    }

    /// The value of a variable or an element of an array.
    pub(super) fn read(&mut self, place: &Place) -> Known {
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
                let Some(slot) = self.fixed(slot) else { return self.unknown() };
                let slot = usize::try_from(slot).unwrap_or(usize::MAX);
                let Some(variant) = self.variant_of(slot, *template) else {
                    return Writer::number(0);
                };
                return self.read_remote(slot, variant, local.index(), place.index.as_deref());
            }
        };
        let Some(element) = self.element(&strip, place.index.as_deref()) else {
            return self.unknown();
        };
        self.value_of(variable, &strip, &element)
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
        let known = self.value_of(variable, &strip, &element);
        let text = format!("{there} ? {} : 0", known.text);
        self.named(&text, known.low.min(0), known.high.max(0))
    }

    pub(super) fn own_variable(&self, local: usize) -> Option<(&'a Variable, Strip)> {
        let (slot, variant) = self.own?;
        let plan = self.plan;
        let of = &plan.layout.slots[slot].variants[variant];
        Some((&plan.model.template(of.template).locals[local], of.locals[local]))
    }

    fn value_of(&mut self, variable: &Variable, strip: &Strip, element: &Element) -> Known {
        if variable.storage == Storage::Scratch {
            let place = self.scratch(strip, element);
            return self.named(&place, variable.range.low, variable.range.high);
        }
        self.get(strip, element, variable.range)
    }

    /// Where a scratch variable is.
    fn scratch(&mut self, strip: &Strip, element: &Element) -> String {
        let first = strip.cell as usize - self.plan.layout.state_cells;
        match element {
            Element::Fixed(element) => format!("x[{}]", first + *element as usize),
            Element::Dynamic(at) => format!("x[{first} + ({at})]"),
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
        // An index that is not negative is divided faster.
        Some(Element::Dynamic(format!("(u32){}", index.text)))
    }

    /// Assigns a value.
    pub(super) fn write(&mut self, place: &Place, value: Known) {
        let plan = self.plan;
        let (variable, strip) = match &place.variable {
            AnyVariable::Global(id) => {
                (&plan.model.variables[id.index()], plan.layout.variables[id.index()])
            }
            AnyVariable::Local(id) => match self.own_variable(id.index()) {
                Some(of) => of,
                None => return self.give_up(),
            },
            AnyVariable::Remote { .. } => return self.give_up(),
        };
        let Some(element) = self.element(&strip, place.index.as_deref()) else {
            return self.give_up();
        };
        let value = self.converted(value, variable.range, variable.overflow);
        if variable.storage == Storage::Scratch {
            let place = self.scratch(&strip, &element);
            return self.line(format!("{place} = {};", value.text));
        }
        let raw = self.fitted(&strip, value);
        self.set_raw(&strip, &element, &raw);
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
                let low = number(range.low);
                let text = format!(
                    "(i64)((((u64)({}) - (u64){low}) & {}) + (u64){low})",
                    value.text,
                    bits(size)
                );
                self.named(&text, range.low, range.high)
            }
            Overflow::Wrap if size == u64::MAX => value,
            Overflow::Wrap => self.unknown(),
            Overflow::Fault | Overflow::Limit => self.insist_within(value, range.low, range.high),
        }
    }
}
