//! Variables of Promela as variables of the model: structs flattened, types as ranges that wrap.
//!
//! Types are as wide as in SPIN's verifier. A `bit` that is an array, or the only field of a
//! message, is a byte there, and so it is here.

use fairly_model::{Kind, LocalId, Overflow, Part, Range, Shown, Storage, Variable, VariableId};

use crate::promela::ast::{self, Initial, Type};

/// An elementary part of a variable.
#[derive(Clone, Debug)]
pub(super) struct Leaf<'a> {
    /// The positions of the fields that lead to it.
    pub(super) path: Vec<usize>,
    /// The lengths of the arrays on the way, its own included.
    pub(super) lengths: Vec<u32>,
    pub(super) kind: Type,
    /// The declaration: the variable or the field.
    pub(super) declared: &'a ast::Variable,
    pub(super) place: Stored,
    pub(super) range: Range,
    /// How its values are shown, and the names and lengths of the fields that lead to it.
    pub(super) shown: Shown,
}

/// Where the value of a leaf is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    Global(VariableId),
    Local(LocalId),
    /// The channels that it was declared with, for ever: the first of them. A local's number is
    /// one among those of its proctype.
    Channels(u32),
}

/// A variable of Promela.
#[derive(Clone, Debug, Default)]
pub(super) struct Mapping<'a> {
    pub(super) leaves: Vec<Leaf<'a>>,
}

impl<'a> Mapping<'a> {
    /// The leaf that fields lead to.
    pub(super) fn leaf(&self, path: &[usize]) -> Option<&Leaf<'a>> {
        self.leaves.iter().find(|leaf| leaf.path == path)
    }
}

impl Leaf<'_> {
    /// How many values it holds.
    pub(super) fn count(&self) -> u64 {
        self.lengths.iter().map(|&length| u64::from(length)).product()
    }
}

/// The values of a type; `wide` where SPIN has no field of single bits.
pub(super) fn range(kind: Type, wide: bool) -> Range {
    match kind {
        Type::Bit | Type::Bool if !wide => Range::BOOL,
        Type::Bit
        | Type::Bool
        | Type::Byte
        | Type::Pid
        | Type::Mtype(_)
        | Type::Chan
        | Type::Struct(_) => Range::new(0, 255),
        Type::Short => Range::new(i16::MIN.into(), i16::MAX.into()),
        Type::Int => Range::INT,
        Type::Unsigned(bits) => Range::new(0, (1_i64 << bits.clamp(1, 31)) - 1),
    }
}

/// The leaves of a variable, all of them stored at `place`, with their names.
pub(super) fn flatten<'a>(
    model: &'a ast::Model,
    variable: &'a ast::Variable,
    place: Stored,
) -> Vec<(Leaf<'a>, String)> {
    let mut found = Vec::new();
    let mut way = Way::default();
    spread(model, variable, &variable.name, place, &mut way, &mut found);
    found
}

/// The fields on the way to a leaf.
#[derive(Default)]
struct Way {
    /// Their positions.
    path: Vec<usize>,
    /// The lengths of those that are arrays.
    lengths: Vec<u32>,
    /// Their names and lengths.
    parts: Vec<Part>,
}

fn spread<'a>(
    model: &'a ast::Model,
    variable: &'a ast::Variable,
    name: &str,
    place: Stored,
    way: &mut Way,
    found: &mut Vec<(Leaf<'a>, String)>,
) {
    way.lengths.extend(variable.length);
    let lengths = variable.length.into_iter().collect();
    way.parts.push(Part { name: variable.name.clone(), lengths });
    match variable.kind {
        // A struct uses only earlier ones, so this ends.
        Type::Struct(id) => {
            let fields = model.typedefs.get(id.index()).map_or(&[][..], |it| &it.fields);
            for (at, field) in fields.iter().enumerate() {
                way.path.push(at);
                let name = format!("{name}.{}", field.name);
                spread(model, field, &name, place, way, found);
                way.path.pop();
            }
        }
        kind => found.push((
            Leaf {
                path: way.path.clone(),
                lengths: way.lengths.clone(),
                kind,
                declared: variable,
                place,
                range: range(kind, variable.length.is_some()),
                shown: Shown { kind: kind_shown(model, kind), parts: way.parts.clone() },
            },
            name.to_owned(),
        )),
    }
    way.parts.pop();
    if variable.length.is_some() {
        way.lengths.pop();
    }
}

/// Interpretation of the values of a type.
pub(super) fn kind_shown(model: &ast::Model, kind: Type) -> Kind {
    match kind {
        Type::Bool => Kind::Truth,
        Type::Chan => Kind::Channel,
        Type::Mtype(id) => {
            let constants = model.mtypes.get(id.index()).map_or(&[][..], |it| &it.constants);
            Kind::Named(constants.iter().map(|it| it.name.clone()).collect())
        }
        _ => Kind::Number,
    }
}

/// How a leaf is shown that is stored under a name: that of the leaf, perhaps with a number behind it that
/// tells it from a variable of another scope. That number belongs to the variable, not to its field.
pub(super) fn shown(leaf: &Leaf<'_>, name: &str) -> Shown {
    let mut shown = leaf.shown.clone();
    if let (Some((_, number)), Some(first)) = (name.rsplit_once('#'), shown.parts.first_mut()) {
        first.name = format!("{}#{number}", first.name);
    }
    shown
}

/// The variable of the model for a leaf, zero at first.
pub(super) fn variable(leaf: &Leaf<'_>, name: String) -> Variable {
    let length = match leaf.lengths.is_empty() {
        true => None,
        false => Some(u32::try_from(leaf.count()).unwrap_or(u32::MAX)),
    };
    let shown = shown(leaf, &name);
    Variable {
        name,
        range: leaf.range,
        overflow: Overflow::Wrap,
        length,
        count: None,
        initial: vec![0; length.unwrap_or(1) as usize],
        storage: Storage::State,
        shown,
        span: Some(leaf.declared.place.span),
    }
}

/// Whether a declaration makes channels.
pub(super) fn makes_channels(variable: &ast::Variable) -> Option<&ast::Channel> {
    match &variable.initial {
        Initial::Channel(channel) => Some(channel),
        _ => None,
    }
}
