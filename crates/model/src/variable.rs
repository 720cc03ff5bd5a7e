//! Variables and channels: what a state remembers beside control.

use fairly_source::Span;

use crate::ids::{SlotId, TemplateId, VariableId};
use crate::shown::{Kind, Shown};

/// A range of integers, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    /// The least value.
    pub low: i64,
    /// The greatest value.
    pub high: i64,
}

impl Range {
    /// Truth values.
    pub const BOOL: Range = Range { low: 0, high: 1 };
    /// The integers of most languages, 32 bits wide.
    pub const INT: Range = Range { low: i32::MIN as i64, high: i32::MAX as i64 };

    /// The range with these ends.
    pub fn new(low: i64, high: i64) -> Range {
        Range { low, high }
    }

    /// Whether it has the value.
    pub fn contains(self, value: i64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// Treatment of a value outside a variable's range when it is assigned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Overflow {
    /// The step is a fault.
    #[default]
    Fault,
    /// The step reaches a limit of the tool, and its successors are unknown: the range is the room
    /// that something unbounded has been given.
    Limit,
    /// The value is taken modulo the size of the range, as Promela's types do. The size is then a
    /// power of two.
    Wrap,
}

/// Whether a variable is remembered from one state to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Storage {
    /// It is part of the state.
    #[default]
    State,
    /// It has its initial value at the start of every action, and is reset at the end.
    Scratch,
}

/// A variable or an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// As it is shown.
    pub name: String,
    /// The values of each element.
    pub range: Range,
    /// Treatment of other values.
    pub overflow: Overflow,
    /// The length of an array, whose elements are numbered from 0; `None` for a single value.
    pub length: Option<u32>,
    /// The variable of the model that says how many of the first elements are in use. It matters only
    /// when states are shown: the other elements are left out.
    pub count: Option<VariableId>,
    /// The value of each element at the start.
    pub initial: Vec<i64>,
    /// Whether it is remembered.
    pub storage: Storage,
    /// How its values are shown.
    pub shown: Shown,
    /// Where it is declared.
    pub span: Option<Span>,
}

impl Variable {
    /// A single value that is part of the state.
    pub fn scalar(name: impl Into<String>, range: Range, initial: i64) -> Variable {
        Variable {
            name: name.into(),
            range,
            overflow: Overflow::Fault,
            length: None,
            count: None,
            initial: vec![initial],
            storage: Storage::State,
            shown: Shown::default(),
            span: None,
        }
    }

    /// How many values it holds.
    pub fn cells(&self) -> usize {
        self.length.map_or(1, |length| length as usize)
    }
}

/// A cell that a message does not have, in a channel whose messages have different lengths: such cells
/// are at the end of a message, and are not shown. Integers of 32 bits do not reach it.
pub const ABSENT: i64 = i32::MIN as i64 - 1;

/// A channel. Messages are rows of cells, the same number for every message of a channel; shorter ones
/// end with [`ABSENT`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// As it is shown.
    pub name: String,
    /// How many messages it holds; 0 for a rendezvous, where sender and receiver act together.
    pub capacity: u32,
    /// The values of each cell of a message, and what happens to others on sending.
    pub cells: Vec<(Range, Overflow)>,
    /// Meaning of the values of each cell; numbers, where there is no entry.
    pub kinds: Vec<Kind>,
    /// Treatment of a message that is sent when the channel is full.
    pub when_full: WhenFull,
    /// The process that the channel belongs to, if any: the channel is there while a process of this
    /// template is in this slot. It is emptied when the process leaves, and using it while there is
    /// none is a fault.
    pub owner: Option<(SlotId, TemplateId)>,
    /// Where it is declared.
    pub span: Option<Span>,
}

/// Treatment of a message that is sent when the channel is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WhenFull {
    /// Sending waits.
    #[default]
    Wait,
    /// The message is lost.
    Lose,
}
