//! Contents of a state, as typed values: for reports and for other programs.
//!
//! [`TransitionSystem::valuation`](crate::TransitionSystem::valuation) gives the same facts as a flat list of
//! texts, for tables and comparisons.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A value of a variable. As data it is a number, a truth value, the name of a constant, a list or a map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
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
    Record(#[serde(with = "pairs")] Vec<(String, Value)>),
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateValues {
    /// The variables that all processes share, with their values.
    #[serde(with = "pairs")]
    pub variables: Vec<(String, Value)>,
    /// The channels with room for messages: the messages from the first to be received to the last,
    /// each with its fields.
    #[serde(with = "pairs")]
    pub channels: Vec<(String, Vec<Vec<Value>>)>,
    /// The processes that there are in this state.
    #[serde(with = "processes")]
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

/// Lists of names with something each, as maps.
mod pairs {
    use std::fmt;
    use std::marker::PhantomData;

    use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
    use serde::ser::{Serialize, Serializer};

    pub(super) fn serialize<S: Serializer, V: Serialize>(
        pairs: &[(String, V)],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_map(pairs.iter().map(|(name, value)| (name, value)))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>, V: Deserialize<'de>>(
        from: D,
    ) -> Result<Vec<(String, V)>, D::Error> {
        struct Pairs<V>(PhantomData<V>);

        impl<'de, V: Deserialize<'de>> Visitor<'de> for Pairs<V> {
            type Value = Vec<(String, V)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(pairs)
            }
        }

        from.deserialize_map(Pairs(PhantomData))
    }
}

/// Processes as a map from their names.
mod processes {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{ProcessValues, Value, pairs};

    #[derive(Serialize, Deserialize)]
    struct Process {
        at: String,
        #[serde(with = "pairs")]
        variables: Vec<(String, Value)>,
    }

    pub(super) fn serialize<S: Serializer>(
        all: &[ProcessValues],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let process = |it: &ProcessValues| {
            (it.name.clone(), Process { at: it.at.clone(), variables: it.variables.clone() })
        };
        pairs::serialize(&all.iter().map(process).collect::<Vec<_>>(), to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<ProcessValues>, D::Error> {
        let pairs: Vec<(String, Process)> = pairs::deserialize(from)?;
        let process = |(name, Process { at, variables })| ProcessValues { name, at, variables };
        Ok(pairs.into_iter().map(process).collect())
    }
}
