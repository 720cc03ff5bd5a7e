//! The parts of a check as explicit automata that can be printed, drawn and computed with: the system, the
//! automaton of a negated property, monitors for fairness, and their products. What is searched is
//! [`crate::check()`]'s business; here everything is built, so it is for small systems.
//!
//! The objects are those of Malinen and Luukkainen 2003 and of Tsay's slides (`docs/papers.md` 000 and 001). Two things
//! are ours: the counter of the weak monitor wraps behind its last state (000-8), and marks are on edges, of which
//! marks on states are a special case.

mod processes;

use fairly_fairness::{Constraint, Notion, Selector};
use fairly_logic::AtomId;
use fairly_omega::ops::{self, ProductConfig};
use fairly_omega::{
    Acceptance, Automaton, BudgetError, Builder, Graph, Label, Mark, MarkSet, Prop, StateId,
};
use fairly_search::{Binding, Negation, Product};
use fairly_system::{ActionId, EventKind, EventPosition, EventSet, ProcessId, TransitionSystem};
use fairly_translate::translate;
use hashbrown::HashMap;

use crate::assumption::Assumption;
use crate::property::Property;
use crate::verdict::WhyUnknown;
use crate::verify::Options;
use processes::{LocalSteps, local_steps};

/// A part of a check that can be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// The processes, one automaton each: the steps between their locations that happen in some state. All states
    /// are accepting.
    Processes,
    /// The asynchronous product of the processes without the values that they read: every step of one of them, or of
    /// those that move together, wherever it is in its own automaton. All states are accepting.
    Interleaving,
    /// The system as a Büchi automaton all of whose runs are accepted.
    System,
    /// The system as a Kripke structure that was turned into an automaton, with a state before the first one.
    Kripke,
    /// The system with marks for fairness: generalized Büchi, Streett, or both.
    Fair,
    /// The automaton of the negated property.
    Negation,
    /// The system, the fairness and the automaton of the negated property.
    Product,
    /// The monitor of weak fairness of processes.
    WeakMonitor,
    /// The monitors of strong fairness of processes, one each.
    StrongMonitors,
    /// The system with the monitor of weak fairness.
    WeaklyMonitored,
    /// The system with the monitors of strong fairness.
    StronglyMonitored,
}

/// Systems and automata that an object is made of.
pub struct Parts<'a> {
    /// The property, if there is one: its propositions are the letters.
    pub property: Option<&'a mut Property>,
    /// Assumptions about runs.
    pub assumption: &'a Assumption,
    /// Which event a position reads where there is no property.
    pub reading: EventPosition,
    /// More states of the system or the product are not built.
    pub most: usize,
}

/// Why there is no such object.
#[derive(Clone, Debug)]
pub enum ObjectError {
    /// It makes no sense, with the reason.
    Senseless(&'static str),
    /// It is too large, or was not finished.
    Unknown(WhyUnknown),
}

impl From<BudgetError> for ObjectError {
    fn from(refused: BudgetError) -> Self {
        ObjectError::Unknown(WhyUnknown::Refused(refused))
    }
}

/// Builds an object: one automaton, or several for [`Object::Processes`] and [`Object::StrongMonitors`]. None if there are too many states.
///
/// # Errors
/// When there is no such object.
pub fn objects<S: TransitionSystem>(
    system: &mut S,
    object: Object,
    parts: Parts<'_>,
    options: &Options,
) -> Result<Option<Vec<Automaton>>, ObjectError> {
    let Parts { mut property, assumption, reading, most } = parts;
    if matches!(assumption.notion, Notion::Global | Notion::Inherent(_)) {
        return Err(ObjectError::Senseless("strong global and inherent fairness have no marks"));
    }
    let reading = property.as_ref().map_or(reading, |property| property.reading);
    let constraints = |system: &mut S| -> Result<Vec<Constraint>, ObjectError> {
        let found = assumption.constraints(system, options.bounds);
        found.map_err(|cut| ObjectError::Unknown(WhyUnknown::cut(cut, system)))
    };
    let universal = universal();
    let plain = || Negation::new(&universal, Vec::new());
    let one = |built: Option<Automaton>| built.map(|it| vec![it]);
    match object {
        Object::Negation => {
            let property = property.ok_or(ObjectError::Senseless(NO_FORMULA))?;
            Ok(Some(vec![negation(property, options)?.0]))
        }
        Object::Product => {
            let property = property.ok_or(ObjectError::Senseless(NO_FORMULA))?;
            let (automaton, bindings) = negation(property, options)?;
            let alphabet = Alphabet::of(&automaton, &bindings);
            let constraints = constraints(system)?;
            let negation = Negation::new(&automaton, bindings).reading(reading);
            let product = Product::new(system, negation, constraints);
            built(product, &alphabet, reading, most).map(one)
        }
        Object::System | Object::Fair => {
            let Some(alphabet) = alphabet(system, property.as_deref_mut(), most, options)? else {
                return Ok(None);
            };
            let constraints =
                if object == Object::Fair { constraints(system)? } else { Vec::new() };
            let product = Product::new(system, plain(), constraints);
            built(product, &alphabet, reading, most).map(one)
        }
        Object::Kripke => {
            let Some(mut alphabet) = alphabet(system, property.as_deref_mut(), most, options)?
            else {
                return Ok(None);
            };
            match property.is_some() {
                true if alphabet.tests.iter().any(Test::is_of_step) => {
                    return Err(ObjectError::Senseless("a Kripke structure has no events"));
                }
                true => {}
                false => alphabet.states_only(),
            }
            let product = Product::new(system, plain(), Vec::new());
            built(product, &alphabet, EventPosition::Entering, most).map(one)
        }
        Object::Processes => {
            let made = local_steps(system, most).map(LocalSteps::automata);
            Ok(made.transpose()?)
        }
        Object::Interleaving => match local_steps(system, most) {
            Some(steps) => Ok(steps.interleaved(most)?.map(|it| vec![it])),
            None => Ok(None),
        },
        Object::WeakMonitor => Ok(Some(vec![weak_monitor(&processes(system))?])),
        Object::StrongMonitors => Ok(Some(strong_monitors(&processes(system))?)),
        Object::WeaklyMonitored | Object::StronglyMonitored => {
            let Some(mut alphabet) = alphabet(system, property, most, options)? else {
                return Ok(None);
            };
            let processes = processes(system);
            for (at, name) in processes.iter().enumerate() {
                alphabet.watch(name, ProcessId::from_index(at));
            }
            let monitors = match object {
                Object::WeaklyMonitored => vec![weak_monitor(&processes)?],
                _ => strong_monitors(&processes)?,
            };
            let product = Product::new(system, plain(), Vec::new());
            let Some(mut all) = built(product, &alphabet, reading, most)? else { return Ok(None) };
            let config =
                ProductConfig { limits: options.translation.limits, ..ProductConfig::default() };
            for monitor in &monitors {
                all = ops::product(&all, monitor, &config)?;
            }
            Ok(Some(vec![all]))
        }
    }
}

const NO_FORMULA: &str =
    "this object is about a formula: choose one with -p NAME, or give one with -f LTL";

fn processes<S: TransitionSystem>(system: &S) -> Vec<String> {
    system.signature().processes.clone()
}

/// Accepts every word, reads nothing.
fn universal() -> Automaton {
    let mut builder = Builder::new(Vec::new());
    let state = builder.add_state();
    builder.add_initial(state);
    builder.add_edge(state, Label::TRUE, MarkSet::new(), state);
    builder.build()
}

/// The automaton of the negated property, and what its propositions mean.
fn negation(
    property: &mut Property,
    options: &Options,
) -> Result<(Automaton, Vec<Binding>), ObjectError> {
    if let Some(never) = &property.never {
        return Ok((never.automaton.clone(), never.bindings.clone()));
    }
    let negated = property.formulas.negate(property.formula);
    let automaton = translate(&mut property.formulas, negated, &options.translation)?;
    let atoms: Vec<AtomId> = property.formulas.atoms(negated);
    Ok((automaton, atoms.into_iter().map(|atom| property.binding(atom)).collect()))
}

/// Claim of a proposition of an object about a step.
#[derive(Clone)]
enum Test {
    Binding(Binding),
    /// A value in the state that is read, as it is shown.
    Shown(String),
    /// As a binding, but always of the state that the step leaves.
    EnabledBefore(Selector),
    Taken(Selector),
}

impl Test {
    fn is_of_step(&self) -> bool {
        matches!(self, Test::Binding(Binding::Event(_) | Binding::Taken(_)) | Test::Taken(_))
    }
}

/// The propositions of an object.
struct Alphabet {
    names: Vec<String>,
    tests: Vec<Test>,
}

impl Alphabet {
    /// The propositions of an automaton, with what they mean.
    fn of(automaton: &Automaton, bindings: &[Binding]) -> Alphabet {
        let tests = bindings.iter().cloned().map(Test::Binding).collect();
        Alphabet { names: automaton.propositions().to_vec(), tests }
    }

    fn add(&mut self, name: String, test: Test) {
        if !self.names.contains(&name) {
            self.names.push(name);
            self.tests.push(test);
        }
    }

    /// Adds what monitors read of a process.
    fn watch(&mut self, name: &str, process: ProcessId) {
        let selector = Selector::Process(process);
        let [enabled, taken] = of_process(name);
        self.add(enabled, Test::EnabledBefore(selector.clone()));
        self.add(taken, Test::Taken(selector));
    }

    fn states_only(&mut self) {
        let kept = self.tests.iter().map(|test| !test.is_of_step()).collect::<Vec<_>>();
        let mut at = kept.iter();
        self.names.retain(|_| at.next().copied().unwrap_or(false));
        self.tests.retain(|test| !test.is_of_step());
    }
}

/// Names of the propositions of a monitor.
fn of_process(name: &str) -> [String; 2] {
    [format!("enabled({name})"), format!("taken({name})")]
}

/// The propositions of the property; without one, all events that happen and all values that states have. None if
/// there are too many states.
fn alphabet<S: TransitionSystem>(
    system: &mut S,
    property: Option<&mut Property>,
    most: usize,
    options: &Options,
) -> Result<Option<Alphabet>, ObjectError> {
    if let Some(property) = property {
        let (automaton, bindings) = negation(property, options)?;
        return Ok(Some(Alphabet::of(&automaton, &bindings)));
    }
    let mut alphabet = Alphabet { names: Vec::new(), tests: Vec::new() };
    let mut met: HashMap<StateId, ()> = HashMap::new();
    let mut open = system.initial();
    let mut events: Vec<fairly_system::EventId> = Vec::new();
    while let Some(state) = open.pop() {
        if met.insert(state, ()).is_some() {
            continue;
        }
        if met.len() > most {
            return Ok(None);
        }
        for shown in shown(system, state) {
            alphabet.add(shown.clone(), Test::Shown(shown));
        }
        let mut steps = Vec::new();
        system.steps(state, &mut steps);
        for step in steps {
            let event = system.action(step.action).event;
            if !events.contains(&event) {
                events.push(event);
            }
            open.push(step.target);
        }
    }
    let mut pairs: Vec<(String, Test)> = alphabet.names.into_iter().zip(alphabet.tests).collect();
    pairs.sort_by(|one, other| one.0.cmp(&other.0));
    let (names, tests) = pairs.into_iter().unzip();
    alphabet = Alphabet { names, tests };
    for event in events {
        let signature = system.signature();
        // Actions with equal names are one proposition; τ is each action that has none of the others.
        if signature.event_kind(event) != EventKind::Internal {
            let name = signature.event_name(event).to_owned();
            let same = signature.event_ids().filter(|&it| signature.event_name(it) == name);
            let same: EventSet = same.collect::<Vec<_>>().into();
            alphabet.add(name, Test::Binding(Binding::Event(same)));
        }
    }
    Ok(Some(alphabet))
}

/// The values of a state: `x == 4`, `P@ready`.
fn shown<S: TransitionSystem>(system: &S, state: StateId) -> Vec<String> {
    let processes = &system.signature().processes;
    let pair = |(name, value): (String, String)| match () {
        () if value.is_empty() => name,
        () if processes.contains(&name) => format!("{name}@{value}"),
        () => format!("{name} == {value}"),
    };
    let values = system.valuation(state);
    if values.is_empty() {
        // Networks show their places, which are their propositions.
        return system.describe(state).split_whitespace().map(str::to_owned).collect();
    }
    values.into_iter().map(pair).collect()
}

/// The part of a product that can be reached, as an automaton.
fn built<S: TransitionSystem>(
    mut product: Product<'_, S>,
    alphabet: &Alphabet,
    reading: EventPosition,
    most: usize,
) -> Result<Option<Automaton>, ObjectError> {
    let mut builder = Builder::new(alphabet.names.clone());
    let is_buchi = *product.acceptance() == Acceptance::True;
    let acceptance = if is_buchi { Acceptance::buchi() } else { product.acceptance().clone() };
    let count = acceptance.marks().iter().last().map_or(0, |Mark(mark)| mark + 1);
    builder.set_acceptance(acceptance, count);
    // Where a letter is about the state that a step leads to, the first one needs an edge of its own.
    let before = (reading == EventPosition::Entering).then(|| {
        let state = builder.add_state();
        builder.set_state_name(state, "before the first state".to_owned());
        builder.add_initial(state);
        state
    });
    let mut number: HashMap<StateId, StateId> = HashMap::new();
    let mut order = Vec::new();
    let starts = product.initial();
    let all: MarkSet = [Mark(0)].into_iter().collect();
    let mut meet = |node: StateId, order: &mut Vec<StateId>, builder: &mut Builder| {
        *number.entry(node).or_insert_with(|| {
            order.push(node);
            builder.add_state()
        })
    };
    for node in starts {
        let to = meet(node, &mut order, &mut builder);
        match before {
            None => builder.add_initial(to),
            Some(before) => {
                let state = product.pair(node).0;
                let system = product.system_mut();
                let label = letter(system, alphabet, state, None, state, &mut builder)?;
                let marks = if is_buchi { all.clone() } else { MarkSet::new() };
                builder.add_edge(before, label, marks, to);
            }
        }
    }
    let mut at = 0;
    while at < order.len() {
        if order.len() > most {
            return Ok(None);
        }
        let node = order[at];
        at += 1;
        let (state, automaton) = product.pair(node);
        let from = meet(node, &mut order, &mut builder);
        let name = match product.automaton_states() {
            1 => product.system().describe(state),
            _ => format!("{}, q{}", product.system().describe(state), automaton.index()),
        };
        builder.set_state_name(from, name);
        let (mut leaving, mut transitions) = (Vec::new(), Vec::new());
        product.steps(node, &mut leaving);
        product.transitions(node, &mut transitions);
        for (step, transition) in leaving.iter().zip(transitions) {
            let marks = if is_buchi { all.clone() } else { product.marks(step.marks).into_owned() };
            let to = meet(step.target, &mut order, &mut builder);
            let read = match reading {
                EventPosition::Leaving => state,
                EventPosition::Entering => transition.target,
            };
            let action = Some(transition.action);
            let system = product.system_mut();
            let label = letter(system, alphabet, state, action, read, &mut builder)?;
            builder.add_edge(from, label, marks, to);
        }
    }
    if let Some(cut) = product.cut() {
        return Err(ObjectError::Unknown(WhyUnknown::cut(cut, product.system())));
    }
    Ok(Some(builder.build()))
}

/// The letter of a step that leaves a state, with the propositions of the state that is read.
fn letter<S: TransitionSystem>(
    system: &mut S,
    alphabet: &Alphabet,
    from: StateId,
    action: Option<ActionId>,
    read: StateId,
    builder: &mut Builder,
) -> Result<Label, ObjectError> {
    let values = shown(system, read);
    let mut cube = Vec::with_capacity(alphabet.tests.len());
    for (at, test) in (0u32..).zip(&alphabet.tests) {
        let taken = |system: &S, selector: &Selector| {
            action.is_some_and(|it| selector.selects(system.action(it), system.signature()))
        };
        let holds = match test {
            Test::Shown(value) => values.contains(value),
            Test::Binding(Binding::State(atom)) => system.holds(read, *atom),
            Test::Binding(Binding::Event(events)) => action
                .is_some_and(|it| events.contains(system.action(it).event, system.signature())),
            Test::Binding(Binding::Taken(selector)) | Test::Taken(selector) => {
                taken(system, selector)
            }
            Test::Binding(Binding::Enabled(selector)) => enabled(system, read, selector),
            Test::EnabledBefore(selector) => enabled(system, from, selector),
        };
        cube.push((Prop(at), holds));
    }
    Ok(builder.letters_mut().cube(&cube)?)
}

fn enabled<S: TransitionSystem>(system: &mut S, state: StateId, selector: &Selector) -> bool {
    let mut steps = Vec::new();
    system.enabled(state, &mut steps);
    steps.iter().any(|it| selector.selects(system.action(it.action), system.signature()))
}

/// Definition 11 of Malinen and Luukkainen: state *i* waits until process *i* is disabled or takes part, and the first
/// state is accepting. The counter wraps behind the last process, not before it (000-8).
fn weak_monitor(processes: &[String]) -> Result<Automaton, BudgetError> {
    let mut builder = Builder::new(processes.iter().flat_map(|name| of_process(name)).collect());
    builder.set_acceptance(Acceptance::buchi(), 1);
    let first = builder.add_states(processes.len() + 1);
    builder.add_initial(first);
    builder.set_state_name(first, "accepting".to_owned());
    let state = |at: usize| StateId::from_index(at % (processes.len() + 1));
    builder.add_edge(first, Label::TRUE, [Mark(0)].into_iter().collect(), state(1));
    for (at, name) in (0u32..).zip(processes) {
        let (enabled, taken) = (Prop(2 * at), Prop(2 * at + 1));
        let waits = builder.letters_mut().cube(&[(enabled, true), (taken, false)])?;
        let goes_on = builder.letters_mut().not(waits)?;
        let here = state(at as usize + 1);
        builder.set_state_name(here, format!("waits for {name}"));
        builder.add_edge(here, waits, MarkSet::new(), here);
        builder.add_edge(here, goes_on, MarkSet::new(), state(at as usize + 2));
    }
    Ok(builder.build())
}

/// The same definition for strong fairness: a process is disabled from some point on (state 1), or takes part again and
/// again (state 2).
fn strong_monitors(processes: &[String]) -> Result<Vec<Automaton>, BudgetError> {
    let of = |name: &String| -> Result<Automaton, BudgetError> {
        let mut builder = Builder::new(of_process(name).to_vec());
        builder.set_name(Some(name.clone()));
        builder.set_acceptance(Acceptance::buchi(), 1);
        let first = builder.add_states(3);
        builder.add_initial(first);
        let [undecided, disabled, moved] = [0, 1, 2].map(StateId::from_index);
        for (state, name) in
            [(undecided, "undecided"), (disabled, "never enabled again"), (moved, "has moved")]
        {
            builder.set_state_name(state, name.to_owned());
        }
        let (enabled, taken) = (Prop(0), Prop(1));
        let takes = builder.letters_mut().prop(taken)?;
        let rests = builder.letters_mut().not(takes)?;
        let is_off = builder.letters_mut().cube(&[(enabled, false), (taken, false)])?;
        let accepting: MarkSet = [Mark(0)].into_iter().collect();
        builder.add_edge(undecided, Label::TRUE, MarkSet::new(), undecided);
        builder.add_edge(undecided, takes, MarkSet::new(), moved);
        builder.add_edge(undecided, is_off, MarkSet::new(), disabled);
        builder.add_edge(disabled, is_off, accepting.clone(), disabled);
        builder.add_edge(moved, takes, accepting.clone(), moved);
        builder.add_edge(moved, rests, accepting, undecided);
        Ok(builder.build())
    };
    processes.iter().map(of).collect()
}
