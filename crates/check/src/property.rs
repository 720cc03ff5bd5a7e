//! A formula whose propositions have a meaning in a system.

use std::cell::RefCell;
use std::fmt;

use fairly_fairness::{Notion, Predicate, Selector};
use fairly_front::case;
use fairly_logic::{Atom, AtomId, Formula, Formulas};
use fairly_omega::{Automaton, BudgetError, Prop, Stop};
use fairly_search::{Binding, Bounds};
use fairly_source::Diagnostic;
use fairly_source::suggest::near;
use fairly_system::{AtomIndex, EventKind, EventPosition, EventSet, Run, TransitionSystem};
use fairly_witness::{Meaning, accepted_until, enabled_on_until};
use hashbrown::HashMap;

use crate::assumption::Assumption;

/// A formula bound to a system.
pub struct Property {
    /// Name of the property.
    pub name: String,
    /// The arena of the formula.
    pub formulas: Formulas,
    /// The promise.
    pub formula: Formula,
    /// Which event a position reads.
    pub reading: EventPosition,
    bindings: HashMap<AtomId, Binding>,
    /// The runs that violate it, where it is no formula.
    pub(crate) never: Option<Never>,
}

impl Property {
    /// The same for another thread; `None` if the formula is not read again as it is printed.
    pub(crate) fn copy(&self) -> Option<Property> {
        let text = self.formulas.display(self.formula);
        let mut formulas = Formulas::new();
        let formula = formulas.parse(&text).ok()?;
        let known = self.formulas.atoms(self.formula);
        let mut bindings = HashMap::new();
        for atom in formulas.atoms(formula) {
            let is_it = |known: &AtomId| self.formulas.atom_of(*known) == formulas.atom_of(atom);
            let own = known.iter().copied().find(is_it)?;
            bindings.insert(atom, self.bindings.get(&own)?.clone());
        }
        if formulas.display(formula) != text {
            return None;
        }
        let (name, never) = (self.name.clone(), self.never.clone());
        Some(Property { name, formulas, formula, reading: self.reading, bindings, never })
    }
}

/// The runs that violate a property, given by an automaton.
#[derive(Clone)]
pub(crate) struct Never {
    pub(crate) automaton: Automaton,
    /// Meanings of its propositions.
    pub(crate) bindings: Vec<Binding>,
}

impl Never {
    /// Whether the automaton accepts a run; `None` if it is time to stop before that is known.
    ///
    /// # Errors
    /// When its condition is too large.
    pub(crate) fn accepts<S: TransitionSystem>(
        &self,
        system: &mut S,
        run: &Run,
        stop: Stop,
    ) -> Result<Option<bool>, BudgetError> {
        let meanings = self.bindings.iter().map(|binding| meaning_on(binding, system, run, stop));
        let Some(meanings) = meanings.collect::<Option<Vec<Meaning>>>() else { return Ok(None) };
        let meaning = |prop: Prop| meanings[prop.0 as usize].clone();
        accepted_until(system, run, &self.automaton, meaning, stop)
    }

    /// Meaning of a proposition, for the witness.
    pub(crate) fn meaning(&self, prop: Prop) -> Option<Meaning> {
        meaning(&self.bindings[prop.0 as usize])
    }
}

/// None if it takes the system to find out.
fn meaning(binding: &Binding) -> Option<Meaning> {
    match binding {
        Binding::Event(events) => Some(Meaning::Event(events.clone())),
        Binding::State(atom) => Some(Meaning::State(*atom)),
        Binding::Taken(selector) => Some(Meaning::Taken(selector.clone())),
        Binding::Enabled(_) => None,
    }
}

/// Meaning of a proposition on a run; `None` if it is time to stop before that is known.
pub(crate) fn meaning_on<S: TransitionSystem>(
    binding: &Binding,
    system: &mut S,
    run: &Run,
    stop: Stop,
) -> Option<Meaning> {
    match binding {
        Binding::Enabled(selector) => {
            enabled_on_until(system, run, selector, stop).map(Meaning::Among)
        }
        other => meaning(other),
    }
}

/// A proposition that the system does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyError {
    /// The proposition.
    pub atom: Atom,
    /// A name of the system that looks like it.
    pub similar: Option<String>,
}

impl fmt::Display for PropertyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.atom {
            Atom::Event(_) => "no event",
            Atom::State(_) => "no state proposition",
            Atom::Name(_) => "neither an event nor a state proposition",
        };
        write!(f, "the system has {what} `{}`", self.atom.text())
    }
}

impl std::error::Error for PropertyError {}

/// Reads a formula about a system: words that are its own events or propositions are names, even
/// where they look like operators glued to a name. A name in quotes is a state proposition, or an
/// event if the system has no such proposition.
///
/// # Errors
/// The errors in the text.
pub fn parse_for<S: TransitionSystem>(
    formulas: &mut Formulas,
    text: &str,
    system: &mut S,
) -> Result<Formula, Diagnostic> {
    // A system takes note of the propositions it is asked for, and the reader only asks.
    let system = RefCell::new(system);
    let formula = formulas.parse_with(text, &|word| {
        // A single letter stays the operator; the event can be written in `event(…)`.
        word.len() > 1
            && (EventSet::named(word, system.borrow().signature()).is_some()
                || system.borrow_mut().atom(word).is_some())
    })?;
    let system = system.into_inner();
    Ok(formulas.replace_atoms(formula, |formulas, id| {
        let atom = formulas.atom_of(id).clone();
        let name = atom.clone().unquoted();
        // `state(…)` and braces always mean a state, and an expression is never an event.
        let is_event = name != atom
            && text.contains(&format!("\"{}\"", atom.text()))
            && system.atom(atom.text()).is_none()
            && EventSet::named(atom.text(), system.signature()).is_some();
        formulas.atom(if is_event { name } else { atom })
    }))
}

/// Meaning of a proposition of a formula or a constraint.
pub(crate) enum Bound {
    Event(EventSet),
    State(AtomIndex),
    Enabled(Selector),
    Taken(Selector),
}

/// Meaning of a proposition in a system: a plain name is an event if the system has one of that name, or may
/// come to have one, else a state proposition.
pub(crate) fn bind_atom<S: TransitionSystem>(atom: &Atom, system: &mut S) -> Option<Bound> {
    let text = atom.text();
    let event = |system: &S| EventSet::named(text, system.signature()).map(Bound::Event);
    match atom {
        Atom::Event(_) => event(system),
        Atom::Name(_) => event(system).or_else(|| system.atom(text).map(Bound::State)),
        Atom::State(_) => match system.atom(text) {
            Some(atom) => Some(Bound::State(atom)),
            None => bind_step(text, system),
        },
    }
}

/// States that are explored to learn which actions there are.
const SURVEYED: usize = 100_000;

/// `enabled(P)` and `taken(P)` of a process, an event or an action, which are named as in constraints.
fn bind_step<S: TransitionSystem>(text: &str, system: &mut S) -> Option<Bound> {
    let inside =
        |word: &str| text.strip_prefix(word)?.trim_start().strip_prefix('(')?.strip_suffix(')');
    let (name, is_enabled) = match (inside("enabled"), inside("taken")) {
        (Some(name), _) => (name, true),
        (None, Some(name)) => (name, false),
        (None, None) => return None,
    };
    let constraint = case::parse_constraint(&format!("wf({name})")).ok()?;
    let mut assumption = Assumption::of(Notion::None);
    let bounds = Bounds { nodes: Some(SURVEYED), ..Bounds::default() };
    assumption.add_within(&constraint, system, bounds).ok()?.ok()?;
    match assumption.extra.pop()?.then {
        Predicate::Taken(selector) if is_enabled => Some(Bound::Enabled(selector)),
        Predicate::Taken(selector) => Some(Bound::Taken(selector)),
        _ => None,
    }
}

impl Property {
    /// Binds every proposition of the formula: a plain name is an event if the system has one of
    /// that name, or may come to have one, else a state proposition. Events are read where they leave
    /// a state; [`Property::reading`] changes that.
    ///
    /// # Errors
    /// When a proposition means nothing in the system.
    pub fn bind<S: TransitionSystem>(
        name: &str,
        formulas: Formulas,
        formula: Formula,
        system: &mut S,
    ) -> Result<Property, PropertyError> {
        Property::bind_knowing(name, formulas, formula, system, |_| None)
    }

    /// The same, with a meaning for some propositions that has nothing to do with their names.
    ///
    /// # Errors
    /// When another proposition means nothing in the system.
    pub fn bind_knowing<S: TransitionSystem>(
        name: &str,
        formulas: Formulas,
        formula: Formula,
        system: &mut S,
        known: impl Fn(&Atom) -> Option<Binding>,
    ) -> Result<Property, PropertyError> {
        let mut bindings = HashMap::new();
        for id in formulas.atoms(formula) {
            let atom = formulas.atom_of(id).clone();
            if let Some(meaning) = known(&atom) {
                bindings.insert(id, meaning);
                continue;
            }
            let bound = match bind_atom(&atom, system) {
                Some(Bound::Event(events)) => Binding::Event(events),
                Some(Bound::State(index)) => Binding::State(index),
                Some(Bound::Enabled(selector)) => Binding::Enabled(selector),
                Some(Bound::Taken(selector)) => Binding::Taken(selector),
                None => {
                    let similar = similar(system, atom.text());
                    return Err(PropertyError { atom, similar });
                }
            };
            bindings.insert(id, bound);
        }
        let reading = EventPosition::default();
        Ok(Property { name: name.to_owned(), formulas, formula, reading, bindings, never: None })
    }

    /// The property that no run is accepted by an automaton, as with SPIN's never claims; with what
    /// the automaton's propositions mean.
    pub fn never(name: &str, automaton: Automaton, bindings: Vec<Binding>) -> Property {
        Property {
            name: name.to_owned(),
            formulas: Formulas::new(),
            formula: Formula::TRUE,
            reading: EventPosition::default(),
            bindings: HashMap::new(),
            never: Some(Never { automaton, bindings }),
        }
    }

    /// Whether it is a formula, and not the automaton of a never claim.
    pub fn is_formula(&self) -> bool {
        self.never.is_none()
    }

    /// The formula as it is shown.
    pub fn text(&self) -> String {
        match &self.never {
            Some(_) => "never { … }".to_owned(),
            None => self.formulas.display(self.formula),
        }
    }

    /// The state propositions that it speaks of.
    pub fn propositions(&self) -> Vec<AtomIndex> {
        let of_automaton = self.never.iter().flat_map(|never| &never.bindings);
        let all = self.bindings.values().chain(of_automaton);
        let states = all.filter_map(|binding| match binding {
            Binding::State(atom) => Some(*atom),
            Binding::Event(_) | Binding::Enabled(_) | Binding::Taken(_) => None,
        });
        states.collect()
    }

    /// The events that it speaks of.
    pub(crate) fn events(&self) -> Vec<&EventSet> {
        let of_automaton = self.never.iter().flat_map(|never| &never.bindings);
        let all = self.bindings.values().chain(of_automaton);
        let sets = all.filter_map(|binding| match binding {
            Binding::Event(events) => Some(events),
            Binding::State(_) | Binding::Enabled(_) | Binding::Taken(_) => None,
        });
        sets.collect()
    }

    /// Whether it speaks of what is enabled or taken.
    pub fn asks_fairness(&self) -> bool {
        let of_automaton = self.never.iter().flat_map(|never| &never.bindings);
        let mut all = self.bindings.values().chain(of_automaton);
        all.any(|binding| matches!(binding, Binding::Enabled(_) | Binding::Taken(_)))
    }

    /// The proposition of the formula that means this.
    pub(crate) fn bound_to(&self, meaning: &Binding) -> Option<AtomId> {
        let mut all = self.bindings.iter();
        all.find(|(_, binding)| *binding == meaning).map(|(&atom, _)| atom)
    }

    /// Binding of a proposition, for the product.
    pub(crate) fn binding(&self, atom: AtomId) -> Binding {
        self.bindings[&atom].clone()
    }

    /// Meaning of a proposition, for the witness.
    pub(crate) fn meaning(&self, atom: AtomId) -> Option<Meaning> {
        meaning(&self.bindings[&atom])
    }

    /// Meaning of its propositions on a run, for the witness.
    pub(crate) fn meanings_on<S: TransitionSystem>(
        &self,
        system: &mut S,
        run: &Run,
        stop: Stop,
    ) -> Option<HashMap<AtomId, Meaning>> {
        let of = |(&atom, binding): (&AtomId, &Binding)| {
            Some((atom, meaning_on(binding, system, run, stop)?))
        };
        self.bindings.iter().map(of).collect()
    }
}

/// The event whose name is nearest, if one is near.
pub(crate) fn similar<S: TransitionSystem>(system: &S, text: &str) -> Option<String> {
    let spoken_of = system.signature().events.iter().filter(|it| it.kind != EventKind::Internal);
    near(text, spoken_of.map(|event| event.name.as_str())).map(str::to_owned)
}
