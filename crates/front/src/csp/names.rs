//! The global names, and which of them a misspelt one may have meant.

use fairly_source::Span;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::syntax::{ChannelId, DefineId, DefinitionId, Value, VariableId};

/// What a global name stands for, process definitions apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Global {
    /// A `#define` or enumeration whose value is known.
    Constant(Value),
    /// A variable or array.
    Variable(VariableId),
    /// A channel.
    Channel(ChannelId),
    /// A `#define` that is not constant.
    Define(DefineId),
    /// A `#define` that has not been read yet, or could not be.
    Pending,
    /// Something that was declared and could not be read: nothing more is said about it.
    Broken,
}

impl Global {
    /// What it is, for errors.
    pub(super) fn what(self) -> &'static str {
        match self {
            Global::Constant(_) => "a constant",
            Global::Variable(_) => "a variable",
            Global::Channel(_) => "a channel",
            Global::Define(_) | Global::Pending => "a `#define`",
            Global::Broken => "something that could not be read",
        }
    }
}

/// All global names. Processes have names of their own: a variable and a process may share one.
#[derive(Default)]
pub(super) struct Names<'a> {
    values: HashMap<&'a str, (Global, Span)>,
    definitions: HashMap<&'a str, (DefinitionId, Span)>,
}

impl<'a> Names<'a> {
    /// Declares a name; the place of the earlier declaration if there is one.
    pub(super) fn declare(&mut self, name: &'a str, global: Global, span: Span) -> Option<Span> {
        match self.values.entry(name) {
            Entry::Occupied(known) => Some(known.get().1),
            Entry::Vacant(free) => {
                free.insert((global, span));
                None
            }
        }
    }

    /// Says what a declared name stands for.
    pub(super) fn settle(&mut self, name: &str, global: Global) {
        if let Some((known, _)) = self.values.get_mut(name) {
            *known = global;
        }
    }

    /// Declares a process; the place of the earlier definition if there is one.
    pub(super) fn define(&mut self, name: &'a str, id: DefinitionId, span: Span) -> Option<Span> {
        match self.definitions.entry(name) {
            Entry::Occupied(known) => Some(known.get().1),
            Entry::Vacant(free) => {
                free.insert((id, span));
                None
            }
        }
    }

    pub(super) fn value(&self, name: &str) -> Option<Global> {
        self.values.get(name).map(|&(global, _)| global)
    }

    /// Where a value was declared.
    pub(super) fn declared(&self, name: &str) -> Option<Span> {
        self.values.get(name).map(|&(_, span)| span)
    }

    pub(super) fn definition(&self, name: &str) -> Option<DefinitionId> {
        self.definitions.get(name).map(|&(id, _)| id)
    }

    pub(super) fn near_definition(&self, name: &str) -> Option<&'a str> {
        let few = self.definitions.len() <= MOST_CANDIDATES;
        few.then(|| near(name, self.definitions.keys().copied())).flatten()
    }

    /// The nearest name of a value for which `fits`.
    pub(super) fn near_value(&self, name: &str, fits: impl Fn(Global) -> bool) -> Option<&'a str> {
        if self.values.len() > MOST_CANDIDATES {
            return None;
        }
        let fitting = self.values.iter().filter(|(_, (global, _))| fits(*global));
        near(name, fitting.map(|(name, _)| *name))
    }
}

/// With more names than this there are no suggestions: to compare them all, for each error, would
/// take longer than everything else.
pub(super) const MOST_CANDIDATES: usize = 5000;

/// Names longer than this get no suggestions: the time to compare grows with the length.
const LONGEST: usize = 40;

/// The candidate that needs the fewest changes to become `name`: letters more, less or other, and
/// neighbours swapped. At most one change in short names and two in longer ones; case is free. Of
/// two that are as near, the first in the alphabet, so that the answer does not depend on a hash.
pub(super) fn near<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let lower = |text: &str| -> Vec<char> { text.to_lowercase().chars().collect() };
    let wanted = lower(name);
    let allowed = match wanted.len() {
        0 | 1 => 0,
        2..=5 => 1,
        6..=LONGEST => 2,
        _ => return None,
    };
    candidates
        .into_iter()
        .take(MOST_CANDIDATES)
        .filter(|candidate| {
            *candidate != name && candidate.len().abs_diff(name.len()) <= 2 * allowed
        })
        .map(|candidate| (distance(&wanted, &lower(candidate), allowed), candidate))
        .filter(|&(changes, candidate)| changes <= allowed && candidate.len() > changes)
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many changes there are between the two, or some number above `most`. Only places that are
/// at most so far apart are compared, because there may be as many candidates as names in a text.
fn distance(a: &[char], b: &[char], most: usize) -> usize {
    let far = most + 1;
    let mut before: Vec<usize> = vec![far; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![far; b.len() + 1];
        row[0] = i;
        for j in i.saturating_sub(most).max(1)..=(i + most).min(b.len()) {
            let other = usize::from(a[i - 1] != b[j - 1]);
            let mut least = (last[j - 1] + other).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row[j] = least;
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn the_nearest_name_is_suggested() {
        assert_eq!(near("Phill", ["Fork", "Phil"]), Some("Phil"));
        assert_eq!(
            near("Specfication", ["Specification", "Implementation"]),
            Some("Specification")
        );
        assert_eq!(near("ab", ["ba", "xy"]), Some("ba"));
        assert_eq!(near("X", ["x"]), Some("x"));
        assert_eq!(near("x", ["y"]), None);
        assert_eq!(near("x1", ["x"]), None);
        assert_eq!(near("abc", ["abc"]), None);
        assert_eq!(near("eat1", ["eat2", "eat0"]), Some("eat0"));
        assert_eq!(near(&"a".repeat(100), ["b"]), None);
    }
}
