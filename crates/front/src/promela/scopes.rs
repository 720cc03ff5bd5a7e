//! The names inside one process: which variable or label a word is.
//!
//! Variables and labels share their names, and each pair of braces is a scope. SPIN keeps a label
//! in the scope where its name was first met, be it in a `goto`; that decides which label a `goto`
//! means when several have its name.

use std::rc::Rc;

use hashbrown::{HashMap, HashSet};

use super::ast::{LabelId, LocalId};
use super::place::{ParseError, Place};

/// Role of a word inside a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inside {
    Variable(LocalId),
    /// A label that belongs to this scope.
    Label(u32),
}

struct Scope {
    number: u32,
    names: HashMap<Rc<str>, Inside>,
}

/// A label where it stands.
#[derive(Clone, Copy)]
struct Marked {
    label: LabelId,
    /// The `d_step` it is in; 0 if none.
    d_step: u32,
}

/// The labels of one name. Each answer is at hand, since an inline may repeat a label often.
#[derive(Default)]
struct Homonyms {
    first: Option<Marked>,
    latest: Option<Marked>,
    /// The first and the latest label of each scope.
    scopes: HashMap<u32, (Marked, Marked)>,
    /// Where it is declared, with the inline it comes from: other inlines may declare it again.
    known: HashSet<(u32, Option<usize>)>,
}

/// A `goto`.
pub(super) struct Jump {
    pub(super) name: Rc<str>,
    pub(super) place: Place,
    scope: u32,
    d_step: u32,
}

/// The scopes of one process.
pub(super) struct Scopes {
    open: Vec<Scope>,
    /// The scope around each scope.
    parents: Vec<u32>,
    labels: HashMap<Rc<str>, Homonyms>,
    pub(super) jumps: Vec<Jump>,
    /// The innermost open `d_step`; 0 if none.
    pub(super) d_step: u32,
}

impl Scopes {
    /// With the scope of the body open.
    pub(super) fn new() -> Scopes {
        Scopes {
            open: vec![Scope { number: 0, names: HashMap::new() }],
            parents: vec![0],
            labels: HashMap::new(),
            jumps: Vec::new(),
            d_step: 0,
        }
    }

    pub(super) fn enter(&mut self) {
        let number = u32::try_from(self.parents.len()).unwrap_or(u32::MAX);
        self.parents.push(self.current());
        self.open.push(Scope { number, names: HashMap::new() });
    }

    pub(super) fn leave(&mut self) {
        self.open.pop();
    }

    pub(super) fn current(&self) -> u32 {
        self.open.last().map_or(0, |scope| scope.number)
    }

    pub(super) fn find(&self, name: &str) -> Option<Inside> {
        self.open.iter().rev().find_map(|scope| scope.names.get(name).copied())
    }

    /// The variables that are visible.
    pub(super) fn visible(&self) -> impl Iterator<Item = &str> {
        self.open.iter().flat_map(|scope| {
            let names = scope.names.iter();
            names
                .filter(|(_, inside)| matches!(inside, Inside::Variable(_)))
                .map(|(name, _)| &**name)
        })
    }

    pub(super) fn declare(&mut self, name: Rc<str>, local: LocalId) {
        if let Some(scope) = self.open.last_mut() {
            scope.names.insert(name, Inside::Variable(local));
        }
    }

    /// The scope a label's name belongs to; the name is new or already that of a label.
    fn label_scope(&mut self, name: &Rc<str>) -> u32 {
        if let Some(Inside::Label(scope)) = self.find(name) {
            return scope;
        }
        let number = self.current();
        if let Some(scope) = self.open.last_mut() {
            scope.names.insert(name.clone(), Inside::Label(number));
        }
        number
    }

    /// Puts a label here; the answer is whether it is new.
    pub(super) fn mark(&mut self, name: &Rc<str>, label: LabelId, inline: Option<usize>) -> bool {
        let scope = self.label_scope(name);
        let marked = Marked { label, d_step: self.d_step };
        let known = self.labels.entry(name.clone()).or_default();
        let new = known.known.insert((scope, inline));
        if new {
            known.first.get_or_insert(marked);
            known.latest = Some(marked);
            known.scopes.entry(scope).or_insert((marked, marked)).1 = marked;
        }
        new
    }

    /// Notes a `goto`; the answer is its number.
    pub(super) fn jump(&mut self, name: Rc<str>, place: Place) -> usize {
        let scope = self.label_scope(&name);
        self.jumps.push(Jump { name, place, scope, d_step: self.d_step });
        self.jumps.len() - 1
    }

    /// The label of that name that is meant from outside the process.
    pub(super) fn remote(&self, name: &str) -> Option<LabelId> {
        // SPIN takes one in the outermost scope, and otherwise the first.
        let known = self.labels.get(name)?;
        known.scopes.get(&0).map(|found| found.0).or(known.first).map(|found| found.label)
    }

    pub(super) fn label_names(&self) -> impl Iterator<Item = &str> {
        self.labels.keys().map(|name| &**name)
    }

    /// The label that a `goto` means: of those with its name one in the very scope of the name, the
    /// latest; or else the earliest one in a scope around that; or else the latest of all.
    pub(super) fn target(&self, jump: &Jump) -> Result<LabelId, ParseError> {
        let known = self.labels.get(&jump.name);
        let same = known.and_then(|known| known.scopes.get(&jump.scope)).map(|found| found.1);
        let around = || self.earliest_around(known?, jump.scope);
        let Some(found) = same.or_else(around).or_else(|| known?.latest) else {
            let help = fairly_source::suggest::did_you_mean(&jump.name, self.label_names());
            let message = format!("there is no label `{}` in this process", jump.name);
            return Err(ParseError::new("E1145", message, jump.place).help(
                help.unwrap_or_else(|| "a label stands before a statement: `L: skip`".into()),
            ));
        };
        if found.d_step != jump.d_step {
            let message = "a jump into or out of `d_step`";
            return Err(d_step_jump(message, jump.place));
        }
        Ok(found.label)
    }

    /// The earliest label in a scope around this one.
    fn earliest_around(&self, known: &Homonyms, mut scope: u32) -> Option<Marked> {
        let mut found: Option<Marked> = None;
        while scope != 0 {
            scope = self.parents[scope as usize];
            if let Some((first, _)) = known.scopes.get(&scope)
                && found.is_none_or(|found| first.label < found.label)
            {
                found = Some(*first);
            }
        }
        found
    }
}

pub(super) fn d_step_jump(message: &str, place: Place) -> ParseError {
    ParseError::new("E1134", message, place)
        .label("`d_step` is one step")
        .help("use `atomic`, which may be left, or jump after the `d_step`")
}
