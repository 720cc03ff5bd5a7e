//! The global names, and which of them a misspelt one may have meant.

use fairly_source::Span;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::syntax::{ChannelId, DefineId, DefinitionId, Value, VariableId};
use fairly_source::suggest::{MOST_CANDIDATES, near};

/// Meaning of a global name, process definitions apart.
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
    /// A `#define` with parameters or a program: an index into those of the parser.
    Macro(usize),
    /// A `#define` that has not been read yet, or could not be.
    Pending,
    /// Something that was declared and could not be read: nothing more is said about it.
    Broken,
}

impl Global {
    /// Description, for errors.
    pub(super) fn what(self) -> &'static str {
        match self {
            Global::Constant(_) => "a constant",
            Global::Variable(_) => "a variable",
            Global::Channel(_) => "a channel",
            Global::Define(_) | Global::Macro(_) | Global::Pending => "a `#define`",
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
