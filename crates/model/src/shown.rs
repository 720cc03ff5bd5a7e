//! How values are shown: what a number stands for in the language that the model comes from.
//!
//! Nothing here changes what a model does. A report asks the [space](fairly_system::Space::values),
//! which applies it.

use std::sync::Arc;

use fairly_system::Value;

/// Meaning of the numbers in a variable or a cell of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Themselves.
    #[default]
    Number,
    /// Truth values: 0 is false, 1 is true.
    Truth,
    /// Symbolic constants: 1 is the first. Other numbers stand for themselves.
    Named(Arc<[String]>),
    /// Channels: 1 is the first of the model, 0 is none.
    Channel,
}

impl Kind {
    /// The value that a number stands for; `channel` gives the names of channels.
    pub fn value<'a>(&self, number: i64, channel: impl Fn(usize) -> Option<&'a str>) -> Value {
        let position = || usize::try_from(number).ok()?.checked_sub(1);
        match self {
            Kind::Number => Value::Number(number),
            Kind::Truth => match number {
                0 => Value::Truth(false),
                1 => Value::Truth(true),
                other => Value::Number(other),
            },
            Kind::Named(names) => match position().and_then(|at| names.get(at)) {
                Some(name) => Value::Name(name.clone()),
                None => Value::Number(number),
            },
            Kind::Channel => match position().and_then(channel) {
                Some(name) => Value::Name(name.to_owned()),
                None => Value::Number(number),
            },
        }
    }
}

/// How a variable is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Meaning of its numbers.
    pub kind: Kind,
    /// The parts of its name with the lengths of the arrays that they are: `cache[2].line[3]` is `cache` with
    /// 2 and `line` with 3. The product of all lengths is that of the variable, whose elements are in the
    /// order of the indices, the last of them running fastest. Empty for a variable that has its own name and
    /// length.
    pub parts: Vec<Part>,
}

/// A part of the name of a variable: the variable as it is declared, or a field of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The name.
    pub name: String,
    /// The lengths of its dimensions; empty if it is no array.
    pub lengths: Vec<u32>,
}

impl Shown {
    /// A plain variable whose numbers stand for this.
    pub fn of(kind: Kind) -> Shown {
        Shown { kind, parts: Vec::new() }
    }

    /// Whether the parts describe an array of so many elements; they are ignored if not.
    fn fits(&self, length: Option<u32>) -> bool {
        let lengths = || self.parts.iter().flat_map(|part| &part.lengths);
        let product = lengths().try_fold(1_u32, |all, &one| all.checked_mul(one));
        !self.parts.is_empty()
            && product == Some(length.unwrap_or(1))
            && lengths().next().is_none() == length.is_none()
    }

    /// The parts of the name, those of the variable with this name and length if there are none of its own.
    pub fn parts_of(&self, name: &str, length: Option<u32>) -> Vec<Part> {
        if self.fits(length) {
            return self.parts.clone();
        }
        vec![Part { name: name.to_owned(), lengths: length.into_iter().collect() }]
    }
}

/// The name of an element of a variable with these parts, by its position.
pub fn element_name(parts: &[Part], position: usize) -> String {
    let lengths = parts.iter().flat_map(|part| &part.lengths);
    let mut rest: usize = lengths.map(|&length| length as usize).product();
    let mut position = position;
    let mut name = String::new();
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            name.push('.');
        }
        name.push_str(&part.name);
        for &length in &part.lengths {
            rest /= (length as usize).max(1);
            let (index, left) = (position / rest.max(1), position % rest.max(1));
            name.push_str(&format!("[{index}]"));
            position = left;
        }
    }
    name
}

/// Adds the elements of a variable to the values that are known so far: arrays become lists and structs
/// records, also where another field of the same struct has been added before.
pub(crate) fn insert(known: &mut Vec<(String, Value)>, parts: &[Part], elements: &[Value]) {
    let Some((part, inner)) = parts.split_first() else { return };
    let at = known.iter().position(|(name, _)| *name == part.name).unwrap_or_else(|| {
        known.push((part.name.clone(), Value::List(Vec::new())));
        known.len() - 1
    });
    spread(&mut known[at].1, &part.lengths, inner, elements);
}

fn spread(known: &mut Value, lengths: &[u32], inner: &[Part], elements: &[Value]) {
    if let Some((&length, lengths)) = lengths.split_first() {
        let each = elements.len() / (length as usize).max(1);
        if !matches!(known, Value::List(_)) {
            *known = Value::List(Vec::new());
        }
        if let Value::List(items) = known {
            items.resize(length as usize, Value::List(Vec::new()));
            for (item, elements) in items.iter_mut().zip(elements.chunks(each.max(1))) {
                spread(item, lengths, inner, elements);
            }
        }
    } else if inner.is_empty() {
        if let Some(element) = elements.first() {
            *known = element.clone();
        }
    } else {
        if !matches!(known, Value::Record(_)) {
            *known = Value::Record(Vec::new());
        }
        if let Value::Record(fields) = known {
            insert(fields, inner, elements);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, lengths: &[u32]) -> Part {
        Part { name: name.to_owned(), lengths: lengths.to_vec() }
    }

    #[test]
    fn elements_are_named_as_they_are_written() {
        let parts = [part("cache", &[2]), part("line", &[3])];
        let names: Vec<String> = (0..6).map(|at| element_name(&parts, at)).collect();
        assert_eq!(names[0], "cache[0].line[0]");
        assert_eq!(names[2], "cache[0].line[2]");
        assert_eq!(names[5], "cache[1].line[2]");
        assert_eq!(element_name(&[part("board", &[3, 3])], 5), "board[1][2]");
        assert_eq!(element_name(&[part("x", &[])], 0), "x");
    }

    #[test]
    fn structs_and_arrays_are_put_together_again() {
        let numbers = |from: i64, count: i64| (from..from + count).map(Value::Number);
        let mut known = Vec::new();
        insert(&mut known, &[part("a", &[2]), part("x", &[])], &numbers(0, 2).collect::<Vec<_>>());
        insert(&mut known, &[part("a", &[2]), part("y", &[2])], &numbers(4, 4).collect::<Vec<_>>());
        let record = |x: i64, y: i64| {
            let y = Value::List(numbers(y, 2).collect());
            Value::Record(vec![("x".to_owned(), Value::Number(x)), ("y".to_owned(), y)])
        };
        let list = Value::List(vec![record(0, 4), record(1, 6)]);
        assert_eq!(known, [("a".to_owned(), list)]);
    }

    #[test]
    fn numbers_without_a_name_stay_numbers() {
        let names: Arc<[String]> = ["a", "b"].map(str::to_owned).into();
        let value = |number| Kind::Named(Arc::clone(&names)).value(number, |_| None);
        assert_eq!(value(1), Value::Name("a".to_owned()));
        assert_eq!(value(2), Value::Name("b".to_owned()));
        assert_eq!([value(0), value(3), value(-1)], [0, 3, -1].map(Value::Number));
    }
}
