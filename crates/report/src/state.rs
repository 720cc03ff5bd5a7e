//! A state as JSON: variables by name, with their types.

use fairly_system::{ProcessValues, StateValues, Value as Typed};
use serde_json::{Map, Value, json};

/// A value: a number, a truth value, the name of a constant, a list or an object.
pub(crate) fn value(of: &Typed) -> Value {
    match of {
        Typed::Number(number) => json!(number),
        Typed::Truth(truth) => json!(truth),
        Typed::Name(name) => json!(name),
        Typed::List(items) => Value::Array(items.iter().map(value).collect()),
        Typed::Record(fields) => Value::Object(by_name(fields)),
    }
}

fn by_name(values: &[(String, Typed)]) -> Map<String, Value> {
    values.iter().map(|(name, it)| (name.clone(), value(it))).collect()
}

/// The messages of a channel: a list of lists of fields.
pub(crate) fn messages(of: &[Vec<Typed>]) -> Value {
    let message = |fields: &Vec<Typed>| Value::Array(fields.iter().map(value).collect());
    Value::Array(of.iter().map(message).collect())
}

/// A whole state.
pub(crate) fn state(of: &StateValues) -> Value {
    let StateValues { variables, channels, processes } = of;
    let channels: Map<String, Value> =
        channels.iter().map(|(name, all)| (name.clone(), messages(all))).collect();
    let process = |ProcessValues { name, at, variables }: &ProcessValues| {
        (name.clone(), json!({ "at": at, "variables": by_name(variables) }))
    };
    let processes: Map<String, Value> = processes.iter().map(process).collect();
    json!({ "variables": by_name(variables), "channels": channels, "processes": processes })
}
