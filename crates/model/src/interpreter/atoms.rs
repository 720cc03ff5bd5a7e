//! State propositions.

use fairly_omega::StateId;
use fairly_system::{AtomIndex, Fault, TransitionSystem};

use super::{Interpreter, Reading, nothing};
use crate::eval::{Faulty, View};
use crate::expression::Expr;
use crate::ids::LocationId;

/// What a state proposition says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Atom {
    Deadlock,
    Terminated,
    /// The proposition at this position of the model.
    Proposition(usize),
    /// The process in a slot is at a location with this name or label.
    At {
        slot: usize,
        label: String,
    },
}

impl Interpreter {
    /// Adds a named condition on states, which no process evaluates: it speaks of variables of the
    /// model, and of processes by their slots. If it reads [`Expr::LastMover`], something of the
    /// model does too.
    pub fn add_proposition(&mut self, name: impl Into<String>, expr: Expr) -> AtomIndex {
        self.program.model.propositions.push((name.into(), expr));
        self.intern_atom(Atom::Proposition(self.program.model.propositions.len() - 1))
    }

    /// What goes wrong in a proposition in a state, where it then does not hold.
    pub fn proposition_fault(&self, state: StateId, atom: AtomIndex) -> Option<Fault> {
        let Atom::Proposition(at) = self.atoms[atom.0 as usize] else { return None };
        let test = |cells: &[i64]| self.test_proposition(at, cells);
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
        let never_fails = |&atom: &AtomIndex| match self.atoms[atom.0 as usize] {
            Atom::Proposition(at) if !self.program.model.propositions[at].1.is_total() => {
                // Native code declines where something goes wrong.
                let expr = &self.program.model.propositions[at].1;
                !self.memory.touches(expr)
                    && !self.may_have_been_passed(expr)
                    && all().all(|state| {
                        self.test_natively(state, at).is_some()
                            || self.proposition_fault(state, atom).is_none()
                    })
            }
            _ => true,
        };
        is_explored && propositions.iter().all(never_fails)
    }

    /// How many propositions have been asked for.
    pub(crate) fn atom_count(&self) -> usize {
        self.atoms.len()
    }

    /// A proposition as an expression over the state, if it is one: whether the system is stuck is
    /// not.
    pub fn atom_expression(&self, atom: AtomIndex) -> Option<Expr> {
        match &self.atoms[atom.0 as usize] {
            Atom::Deadlock | Atom::Terminated => None,
            Atom::Proposition(at) => Some(self.program.model.propositions[*at].1.clone()),
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
                    any = Expr::binary(crate::expression::BinaryOp::Or, any, here);
                }
                Some(any)
            }
        }
    }

    /// Whether a process holds in a state, so that nobody else can move there.
    pub fn is_held(&self, state: StateId) -> bool {
        let Some(strip) = self.program.layout.holder else { return false };
        self.fault(state).is_none()
            && self.reading(state, |cells| cells[strip.cell as usize] >= 0).unwrap_or(false)
    }

    /// The value of an expression in a state, which no process evaluates.
    ///
    /// # Errors
    /// When something goes wrong in it.
    pub fn value(&self, state: StateId, expr: &Expr) -> Result<i64, Fault> {
        let program = &self.program;
        let value = |cells: &[i64]| {
            View { program, cells, own: None, received: None, timeout: false, nested: false }
                .eval(expr)
                .map_err(|fault| *fault)
        };
        self.reading(state, value)
            .unwrap_or_else(|| Err(Fault::error("the run has not even started", None)))
    }

    pub(super) fn find_atom(&mut self, text: &str) -> Option<AtomIndex> {
        let atom = match text {
            "deadlock" => Atom::Deadlock,
            "terminated" => Atom::Terminated,
            _ => {
                let named = self.program.model.propositions.iter();
                match named.map(|(name, _)| name).position(|name| name == text) {
                    Some(at) => Atom::Proposition(at),
                    None => self.at(text)?,
                }
            }
        };
        Some(self.intern_atom(atom))
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

    fn intern_atom(&mut self, atom: Atom) -> AtomIndex {
        let at = self.atoms.iter().position(|other| *other == atom).unwrap_or_else(|| {
            self.atoms.push(atom);
            self.atoms.len() - 1
        });
        AtomIndex(u32::try_from(at).expect("fewer than 2^32 propositions"))
    }

    /// Does something with an unpacked state: the one before, if something went wrong in the step to
    /// this one. `None` if there is none before.
    pub(super) fn reading<T>(&self, state: StateId, read: impl FnOnce(&[i64]) -> T) -> Option<T> {
        let state = self.shown(state)?;
        let mut reading = self.reading.borrow_mut();
        let reading = &mut *reading;
        self.turn_to(state, reading);
        if !reading.unpacked {
            self.program.layout.unpack(&reading.words, &mut reading.cells);
            reading.unpacked = true;
        }
        Some(read(&reading.cells))
    }

    /// Makes a state the one that is read: several propositions are asked of one after the other.
    fn turn_to(&self, state: StateId, reading: &mut Reading) {
        if reading.state != Some(state) {
            self.states.get(state, &mut reading.words);
            reading.state = Some(state);
            reading.unpacked = false;
        }
    }

    /// What native code says of a proposition in a state.
    fn test_natively(&self, state: StateId, proposition: usize) -> Option<bool> {
        let native = self.native.as_ref()?;
        let state = self.shown(state)?;
        let mut reading = self.reading.borrow_mut();
        let reading = &mut *reading;
        self.turn_to(state, reading);
        let expr = &self.program.model.propositions[proposition].1;
        native.code.holds(&reading.words, proposition, expr)
    }

    fn test_proposition(&self, at: usize, cells: &[i64]) -> Faulty<bool> {
        let expr = &self.program.model.propositions[at].1;
        let waits = expr.any(&mut |expr| matches!(expr, Expr::Timeout | Expr::Executable(_)));
        let timeout = waits && nothing(&self.program, cells, false);
        let program = &self.program;
        View { program, cells, own: None, received: None, timeout, nested: false }.test(expr)
    }

    pub(super) fn test_atom(&self, state: StateId, atom: AtomIndex) -> bool {
        let atom = &self.atoms[atom.0 as usize];
        if let Atom::Proposition(at) = atom
            && let Some(known) = self.test_natively(state, *at)
        {
            return known;
        }
        let test = |cells: &[i64]| self.test_cells(atom, cells, || self.is_stuck(state, cells));
        self.reading(state, test).unwrap_or(false)
    }

    /// As [`test_atom`](Interpreter::test_atom), of a packed state that has no number.
    pub(crate) fn row_holds(&mut self, row: &[u64], atom: AtomIndex) -> bool {
        let atom = &self.atoms[atom.0 as usize];
        if let (Atom::Proposition(at), Some(native)) = (atom, &self.native) {
            let expr = &self.program.model.propositions[*at].1;
            if let Some(known) = native.code.holds(row, *at, expr) {
                return known;
            }
        }
        let mut work = std::mem::take(&mut self.work);
        self.program.layout.unpack(row, &mut work.cells);
        if self.unfold.is_some() {
            self.program.prepare_state(&work.cells, &mut self.unfold);
        }
        let holds = self.test_cells(atom, &work.cells, || self.has_nothing(&work.cells));
        self.work = work;
        holds
    }

    fn test_cells(&self, atom: &Atom, cells: &[i64], is_stuck: impl Fn() -> bool) -> bool {
        match atom {
            Atom::Deadlock => is_stuck() && !self.all_may_end(cells),
            Atom::Terminated => is_stuck() && self.all_may_end(cells),
            Atom::Proposition(at) => self.test_proposition(*at, cells).unwrap_or(false),
            Atom::At { slot, label } => {
                let location = self.location(cells, *slot);
                location.is_some_and(|location| location.is_called(label))
            }
        }
    }

    fn is_stuck(&self, state: StateId, cells: &[i64]) -> bool {
        if self.fault(state).is_some() {
            return false;
        }
        match self.stuck.get(state.index()) {
            Some(Some(known)) => *known,
            _ => self.has_nothing(cells),
        }
    }

    fn has_nothing(&self, cells: &[i64]) -> bool {
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
        Some(&self.program.model.template(template).locations[layout.location(cells, slot)])
    }
}

impl crate::process::Location {
    fn is_called(&self, label: &str) -> bool {
        self.name == label || self.labels.iter().any(|other| other == label)
    }
}
