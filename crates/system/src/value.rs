//! What a state is made of, as typed values: for reports and for other programs.
//!
//! [`TransitionSystem::valuation`](crate::TransitionSystem::valuation) gives the same facts as a flat list of
//! texts, for tables and comparisons.

use std::fmt;

/// A value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(i64),
    /// A truth value.
    Truth(bool),
    /// A symbolic constant, such as one of an `mtype`.
    Name(String),
    /// The elements of an array, or the messages of a channel.
    List(Vec<Value>),
    /// The fields of a struct, in the order in which they are declared.
    Record(Vec<(String, Value)>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Truth(truth) => write!(f, "{truth}"),
            Value::Name(name) => f.write_str(name),
            Value::List(items) => {
                f.write_str("[")?;
                for (at, item) in items.iter().enumerate() {
                    f.write_str(if at == 0 { "" } else { " " })?;
                    write!(f, "{item}")?;
                }
                f.write_str("]")
            }
            Value::Record(fields) => {
                for (at, (_, value)) in fields.iter().enumerate() {
                    f.write_str(if at == 0 { "" } else { "." })?;
                    write!(f, "{value}")?;
                }
                Ok(())
            }
        }
    }
}

/// Everything that a state is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateValues {
    /// The variables that all processes share, with their values.
    pub variables: Vec<(String, Value)>,
    /// The channels with room for messages: the messages from the first to be received to the last,
    /// each with its fields.
    pub channels: Vec<(String, Vec<Vec<Value>>)>,
    /// The processes that there are in this state.
    pub processes: Vec<ProcessValues>,
}

/// A process in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessValues {
    /// As it is shown.
    pub name: String,
    /// The name of its control location.
    pub at: String,
    /// Its own variables with their values.
    pub variables: Vec<(String, Value)>,
}
