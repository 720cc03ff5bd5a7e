//! State propositions.

use std::hash::BuildHasher;

use fairly_omega::StateId;
use fairly_system::{AtomIndex, Fault, Growing, Interner, Seen, TransitionSystem};

use super::{Interpreter, ModelSpace, Reading, index, nothing};
use crate::eval::{Faulty, View};
use crate::expression::{BinaryOp, Expr};
use crate::ids::LocationId;
use crate::model::Model;

/// What a state proposition says.
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

    fn get(&self, atom: AtomIndex) -> &Atom {
        &self.atoms.members()[atom.0 as usize]
    }

    /// The number of propositions that have been asked for.
    pub(crate) fn count(&self) -> usize {
        self.atoms.members().len()
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
    fn value(&self, cells: &[i64], expr: &Expr) -> Result<i64, Fault> {
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

    fn test_condition(&self, expr: &Expr, cells: &[i64]) -> Faulty<bool> {
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

impl Interpreter {
    /// Adds a named condition on states: see [`ModelSpace::add_proposition`].
    pub fn add_proposition(&mut self, name: impl Into<String>, expr: Expr) -> AtomIndex {
        self.space.add_proposition(name, expr)
    }

    /// A proposition as an expression over the state: see [`ModelSpace::atom_expression`].
    pub fn atom_expression(&self, atom: AtomIndex) -> Option<Expr> {
        self.space.atom_expression(atom)
    }

    /// What goes wrong in a proposition in a state, where it then does not hold.
    pub fn proposition_fault(&self, state: StateId, atom: AtomIndex) -> Option<Fault> {
        let (_, expr) = self.space.condition(atom)?;
        let test = |cells: &[i64]| self.space.test_condition(expr, cells);
        self.reading(state, test)?.err().map(|fault| *fault)
    }

    /// Whether everything that can be reached has been met, its steps included, and nothing goes wrong
    /// there, nor in these propositions: then there is no need to look for it. Where something was
    /// forgotten, the same goes wrong as otherwise, but in propositions that would have read it; where
    /// steps were merged, too.
    pub fn is_known_to_be_faultless(&self, propositions: &[AtomIndex]) -> bool {
        let is_explored = self.faults.is_empty()
            && !self.left_out
            && self.stuck.len() == self.states.len()
            && self.stuck.iter().all(Option::is_some);
        let all = || (0..self.states.len()).map(StateId::from_index);
        let never_fails = |&atom: &AtomIndex| match self.space.condition(atom) {
            Some((at, expr)) if !expr.is_total() => {
                // Native code declines where something goes wrong.
                !self.memory.touches(expr)
                    && !self.may_have_been_passed(expr)
                    && all().all(|state| {
                        self.test_natively(state, at, expr).is_some()
                            || self.proposition_fault(state, atom).is_none()
                    })
            }
            _ => true,
        };
        is_explored && propositions.iter().all(never_fails)
    }

    /// Whether a process holds in a state, so that nobody else can move there.
    pub fn is_held(&self, state: StateId) -> bool {
        let Some(strip) = self.layout().holder else { return false };
        self.fault(state).is_none()
            && self.reading(state, |cells| cells[strip.cell as usize] >= 0).unwrap_or(false)
    }

    /// The value of an expression in a state, which no process evaluates.
    ///
    /// # Errors
    /// When something goes wrong in it.
    pub fn value(&self, state: StateId, expr: &Expr) -> Result<i64, Fault> {
        self.reading(state, |cells| self.space.value(cells, expr))
            .unwrap_or_else(|| Err(Fault::error("the run has not even started", None)))
    }

    /// Does something with an unpacked state: the one before, if something went wrong in the step to
    /// this one. `None` if there is none before.
    pub(super) fn reading<T>(&self, state: StateId, read: impl FnOnce(&[i64]) -> T) -> Option<T> {
        let state = self.shown(state)?;
        let mut reading = self.reading.borrow_mut();
        let reading = &mut *reading;
        self.turn_to(state, reading);
        if !reading.unpacked {
            self.layout().unpack(&reading.words, &mut reading.cells);
            reading.unpacked = true;
        }
        Some(read(&reading.cells))
    }

    /// Makes a state the one that is read: several propositions are asked of one after the other.
    fn turn_to(&self, state: StateId, reading: &mut Reading) {
        if reading.state != Some(state) {
            self.states.get(index(state), &mut reading.words);
            reading.state = Some(state);
            reading.unpacked = false;
        }
    }

    /// What native code says of a proposition in a state.
    fn test_natively(&self, state: StateId, at: usize, expr: &Expr) -> Option<bool> {
        let native = self.native.as_ref()?;
        let state = self.shown(state)?;
        let mut reading = self.reading.borrow_mut();
        let reading = &mut *reading;
        self.turn_to(state, reading);
        native.code.holds(&reading.words, at, expr)
    }

    pub(super) fn test_atom(&self, state: StateId, atom: AtomIndex) -> bool {
        if let Some((at, expr)) = self.space.condition(atom)
            && let Some(known) = self.test_natively(state, at, expr)
        {
            return known;
        }
        let test =
            |cells: &[i64]| self.space.test_cells(atom, cells, || self.is_stuck(state, cells));
        self.reading(state, test).unwrap_or(false)
    }

    /// As [`test_atom`](Interpreter::test_atom), of a packed state that has no number.
    pub(crate) fn row_holds(&mut self, row: &[u64], atom: AtomIndex) -> bool {
        if let (Some((at, expr)), Some(native)) = (self.space.condition(atom), &self.native)
            && let Some(known) = native.code.holds(row, at, expr)
        {
            return known;
        }
        self.space.unpack(row, &mut self.work);
        let cells = &self.work.cells;
        self.space.test_cells(atom, cells, || self.space.has_nothing(cells))
    }

    fn is_stuck(&self, state: StateId, cells: &[i64]) -> bool {
        if self.fault(state).is_some() {
            return false;
        }
        match self.stuck.get(state.index()) {
            Some(Some(known)) => *known,
            _ => self.space.has_nothing(cells),
        }
    }
}

impl crate::process::Location {
    fn is_called(&self, label: &str) -> bool {
        self.name == label || self.labels.iter().any(|other| other == label)
    }
}
