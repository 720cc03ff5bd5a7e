//! Variables of Promela as variables of the model: structs flattened, types as ranges that wrap.
//!
//! Types are as wide as in SPIN's verifier. A `bit` that is an array, or the only field of a
//! message, is a byte there, and so it is here.

use fairly_model::{LocalId, Overflow, Range, Storage, Variable, VariableId};

use crate::promela::ast::{self, Initial, Type};

/// An elementary part of a variable.
#[derive(Clone, Debug)]
pub(super) struct Leaf<'a> {
    /// The positions of the fields that lead to it.
    pub(super) path: Vec<usize>,
    /// The lengths of the arrays on the way, its own included.
    pub(super) lengths: Vec<u32>,
    pub(super) kind: Type,
    /// What it is declared as: the variable or the field.
    pub(super) declared: &'a ast::Variable,
    pub(super) place: Stored,
    pub(super) range: Range,
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
    spread(model, variable, &variable.name, place, &mut Vec::new(), &mut Vec::new(), &mut found);
    found
}

fn spread<'a>(
    model: &'a ast::Model,
    variable: &'a ast::Variable,
    name: &str,
    place: Stored,
    path: &mut Vec<usize>,
    lengths: &mut Vec<u32>,
    found: &mut Vec<(Leaf<'a>, String)>,
) {
    lengths.extend(variable.length);
    match variable.kind {
        // A struct uses only earlier ones, so this ends.
        Type::Struct(id) => {
            let fields = model.typedefs.get(id.index()).map_or(&[][..], |it| &it.fields);
            for (at, field) in fields.iter().enumerate() {
                path.push(at);
                let name = format!("{name}.{}", field.name);
                spread(model, field, &name, place, path, lengths, found);
                path.pop();
            }
        }
        kind => found.push((
            Leaf {
                path: path.clone(),
                lengths: lengths.clone(),
                kind,
                declared: variable,
                place,
                range: range(kind, variable.length.is_some()),
            },
            name.to_owned(),
        )),
    }
    if variable.length.is_some() {
        lengths.pop();
    }
}

/// The variable of the model for a leaf, zero at first.
pub(super) fn variable(leaf: &Leaf<'_>, name: String) -> Variable {
    let length = match leaf.lengths.is_empty() {
        true => None,
        false => Some(u32::try_from(leaf.count()).unwrap_or(u32::MAX)),
    };
    Variable {
        name,
        range: leaf.range,
        overflow: Overflow::Wrap,
        length,
        count: None,
        initial: vec![0; length.unwrap_or(1) as usize],
        storage: Storage::State,
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
