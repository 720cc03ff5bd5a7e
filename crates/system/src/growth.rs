//! Growth, as far as the states that have been met show it: a hint for a search that was cut.

use fairly_source::Span;
use serde::{Deserialize, Serialize};

/// Something of a state that took new values until the search stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Growth {
    /// The kind.
    pub what: Grown,
    /// Where it is declared.
    pub span: Option<Span>,
    /// States that had been met.
    pub states: usize,
    /// How many of them were compared, evenly spread over the order in which they were met.
    pub compared: usize,
    /// Different values in those.
    pub values: usize,
    /// How it grew.
    pub trend: Trend,
    /// Names of other things that grew, with fewer different values.
    pub others: Vec<String>,
}

/// Things that can grow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Grown {
    /// The value of a variable, or of elements of an array.
    Variable(String),
    /// The number of elements of a collection.
    Elements(String),
    /// The number of messages in a channel, which has room for so many.
    Messages(String, u32),
    /// The number of processes.
    Processes,
    /// The remaining term of a process, in a language whose processes are terms.
    Terms(String),
}

impl Grown {
    /// Its name, in words for the processes.
    pub fn name(&self) -> String {
        match self {
            Grown::Variable(name)
            | Grown::Elements(name)
            | Grown::Messages(name, _)
            | Grown::Terms(name) => format!("`{name}`"),
            Grown::Processes => "the number of processes".to_owned(),
        }
    }
}

/// How something grew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Trend {
    /// Its greatest value rose until the end, to this one.
    Rises(i64),
    /// Its least value fell until the end, to this one.
    Falls(i64),
    /// It took new values until the end, in no order.
    Scatters,
}
