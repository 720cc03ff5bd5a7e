//! State propositions.

use std::hash::BuildHasher;

use fairly_system::{AtomIndex, Fault, Growing, Interner, Seen};

use super::{ModelSpace, nothing};
use crate::eval::{Faulty, View};
use crate::expression::{BinaryOp, Expr};
use crate::ids::LocationId;
use crate::model::Model;
use crate::sure::Scope;

/// Kind of a state proposition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Atom {
    Deadlock,
    Terminated,
    /// The proposition at this position.
    Proposition(usize),
    /// The process in a slot is at a location with this name or label.
    At {
        slot: usize,
        label: String,
    },
}

/// The propositions that have been asked for.
pub(crate) struct Atoms {
    /// Named conditions: those of the model, and those that were added.
    propositions: Growing<(String, Expr)>,
    atoms: Interner<Atom>,
}

impl Atoms {
    pub(super) fn new(model: &Model) -> Atoms {
        let propositions = model.propositions.iter().cloned().collect();
        Atoms { propositions, atoms: Interner::new() }
    }

    fn intern(&self, atom: &Atom) -> AtomIndex {
        let hash = |atom: &Atom, hasher: &hashbrown::DefaultHashBuilder| hasher.hash_one(atom);
        let is = |known: &Atom| known == atom;
        AtomIndex(self.atoms.intern(&mut Seen::default(), atom, is, hash, || atom.clone()))
    }

    /// Named conditions: those of the model, and those that were added.
    pub(super) fn conditions(&self) -> Vec<(String, Expr)> {
        self.propositions.iter().cloned().collect()
    }

    fn get(&self, atom: AtomIndex) -> &Atom {
        &self.atoms.members()[atom.0 as usize]
    }
}

impl ModelSpace {
    /// Adds a named condition on states, which no process evaluates: it speaks of variables of the
    /// model, and of processes by their slots. If it reads [`Expr::LastMover`], something of the
    /// model does too.
    pub fn add_proposition(&self, name: impl Into<String>, expr: Expr) -> AtomIndex {
        let at = self.atoms.propositions.push((name.into(), expr));
        self.atoms.intern(&Atom::Proposition(at))
    }

    /// The position and the expression of a proposition that is a condition on states.
    pub fn condition(&self, atom: AtomIndex) -> Option<(usize, &Expr)> {
        match self.atoms.get(atom) {
            Atom::Proposition(at) => Some((*at, &self.atoms.propositions[*at].1)),
            _ => None,
        }
    }

    /// Whether nothing can go wrong in a proposition, as the ranges of variables show.
    pub fn is_sure(&self, atom: AtomIndex) -> bool {
        let (model, layout) = (&self.program.model, &self.program.layout);
        let is_sure = |expr| Scope::Model { model, layout }.values(expr).is_some();
        self.condition(atom).is_none_or(|(_, expr)| is_sure(expr))
    }

    /// Whether a proposition asks if nothing is enabled.
    pub fn asks_whether_stuck(&self, atom: AtomIndex) -> bool {
        matches!(self.atoms.get(atom), Atom::Deadlock | Atom::Terminated)
    }

    /// The propositions that have been asked for and are [expressions](ModelSpace::atom_expression).
    pub fn asked_for(&self) -> Vec<Expr> {
        let count = u32::try_from(self.atoms.atoms.members().len()).expect("few propositions");
        (0..count).filter_map(|at| self.atom_expression(AtomIndex(at))).collect()
    }

    /// A proposition as an expression over the state, if it is one: whether the system is stuck is
    /// not.
    pub fn atom_expression(&self, atom: AtomIndex) -> Option<Expr> {
        match self.atoms.get(atom) {
            Atom::Deadlock | Atom::Terminated => None,
            Atom::Proposition(at) => Some(self.atoms.propositions[*at].1.clone()),
            Atom::At { slot, label } => {
                let model = &self.program.model;
                let mut any = Expr::FALSE;
                for &template in &model.slots[*slot].templates {
                    let all = model.template(template).locations.iter().enumerate();
                    let called = all.filter(|(_, location)| location.is_called(label));
                    let locations = called.map(|(at, _)| LocationId::from_index(at)).collect();
                    let number = i64::try_from(*slot).expect("a slot");
                    let slot = Box::new(Expr::Const(number));
                    let here = Expr::At { slot, template, locations };
                    any = Expr::binary(BinaryOp::Or, any, here);
                }
                Some(any)
            }
        }
    }

    /// The value of an expression in an unpacked state, which no process evaluates.
    pub(super) fn value_of_cells(&self, cells: &[i64], expr: &Expr) -> Result<i64, Fault> {
        let program = &self.program;
        View { program, cells, own: None, received: None, timeout: false, nested: false }
            .eval(expr)
            .map_err(|fault| *fault)
    }

    pub(super) fn find_atom(&self, text: &str) -> Option<AtomIndex> {
        let atom = match text {
            "deadlock" => Atom::Deadlock,
            "terminated" => Atom::Terminated,
            _ => {
                let mut named = self.atoms.propositions.iter();
                match named.position(|(name, _)| name == text) {
                    Some(at) => Atom::Proposition(at),
                    None => self.at(text)?,
                }
            }
        };
        Some(self.atoms.intern(&atom))
    }

    fn at(&self, text: &str) -> Option<Atom> {
        let (name, label) = text.rsplit_once('@')?;
        let (name, label) = (name.trim(), label.trim());
        let model = &self.program.model;
        let slot = model.slots.iter().position(|slot| slot.name == name)?;
        let known = self.program.layout.slots[slot].variants.iter().any(|variant| {
            let locations = &model.template(variant.template).locations;
            // Further locations may come, with names that are not known yet.
            locations.iter().any(|location| location.edges.is_none())
                || locations.iter().any(|location| location.is_called(label))
        });
        known.then(|| Atom::At { slot, label: label.to_owned() })
    }

    pub(super) fn test_condition(&self, expr: &Expr, cells: &[i64]) -> Faulty<bool> {
        let waits = expr.any(&mut |expr| matches!(expr, Expr::Timeout | Expr::Executable(_)));
        let timeout = waits && nothing(&self.program, cells, false);
        let program = &self.program;
        View { program, cells, own: None, received: None, timeout, nested: false }.test(expr)
    }

    /// Whether a proposition holds in an unpacked state.
    pub(super) fn test_cells(
        &self,
        atom: AtomIndex,
        cells: &[i64],
        is_stuck: impl Fn() -> bool,
    ) -> bool {
        match self.atoms.get(atom) {
            Atom::Deadlock => is_stuck() && !self.all_may_end(cells),
            Atom::Terminated => is_stuck() && self.all_may_end(cells),
            Atom::Proposition(at) => {
                self.test_condition(&self.atoms.propositions[*at].1, cells).unwrap_or(false)
            }
            Atom::At { slot, label } => {
                let location = self.location(cells, *slot);
                location.is_some_and(|location| location.is_called(label))
            }
        }
    }

    /// Whether nothing is enabled in an unpacked state.
    pub(super) fn has_nothing(&self, cells: &[i64]) -> bool {
        [false, true].iter().all(|&timeout| nothing(&self.program, cells, timeout))
    }

    fn all_may_end(&self, cells: &[i64]) -> bool {
        let slots = 0..self.program.layout.slots.len();
        slots.filter_map(|slot| self.location(cells, slot)).all(|location| location.may_end)
    }

    /// The location of the process in a slot, if there is one.
    fn location(&self, cells: &[i64], slot: usize) -> Option<&crate::process::Location> {
        let layout = &self.program.layout;
        let variant = layout.variant(cells, slot)?;
        let template = layout.slots[slot].variants[variant].template;
        Some(self.program.location(template, layout.location(cells, slot)))
    }
}

impl crate::process::Location {
    fn is_called(&self, label: &str) -> bool {
        self.name == label || self.labels.iter().any(|other| other == label)
    }
}
