//! The processes of a system, an automaton each, and their product without the values that they read of each other.
//!
//! "Processes as automata" and "interleaving as asynchronous product" in Tsay's slides, the components of Definition 5 of
//! Malinen and Luukkainen (`docs/papers.md` 000 and 001). The product of a system with its values is the system.

use fairly_omega::{
    Acceptance, Automaton, BudgetError, Builder, Label, Mark, MarkSet, Prop, StateId,
};
use fairly_system::{EventKind, TransitionSystem};
use hashbrown::{HashMap, HashSet};

use super::shown;

/// The steps between the places of processes that happen in some state.
pub(super) struct LocalSteps {
    processes: Vec<Process>,
    /// Places of all processes in which the system may start.
    initial: Vec<Vec<usize>>,
    /// Local steps that are taken together: mostly a single one.
    joint: Vec<Vec<LocalStep>>,
}

/// A process with the places and events that were met.
struct Process {
    name: String,
    places: Names,
    events: Names,
    /// Events that it takes alone, even if another process has one of that name.
    own: HashSet<usize>,
}

/// A step of one process between its places.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct LocalStep {
    process: usize,
    from: usize,
    event: usize,
    to: usize,
}

/// Names with a number each.
#[derive(Default)]
struct Names {
    list: Vec<String>,
    number: HashMap<String, usize>,
}

impl Names {
    fn of(&mut self, name: String) -> usize {
        let list = &mut self.list;
        *self.number.entry(name).or_insert_with_key(|name| {
            list.push(name.clone());
            list.len() - 1
        })
    }
}

/// Explores the system for the steps of its processes. None if there are more states than `most`.
pub(super) fn local_steps<S: TransitionSystem>(system: &mut S, most: usize) -> Option<LocalSteps> {
    let of_name = |name: &String| Process {
        name: name.clone(),
        places: Names::default(),
        events: Names::default(),
        own: HashSet::new(),
    };
    let mut processes: Vec<Process> = system.signature().processes.iter().map(of_name).collect();
    let (mut met, mut open) = (HashSet::new(), system.initial());
    let initial = open.iter().map(|&state| {
        let place = |it: &mut Process| it.places.of(place(system, state, &it.name));
        processes.iter_mut().map(place).collect()
    });
    let (initial, mut joint) = (initial.collect(), Vec::new());
    let mut known: HashSet<Vec<LocalStep>> = HashSet::new();
    let mut steps = Vec::new();
    while let Some(state) = open.pop() {
        if !met.insert(state) {
            continue;
        }
        if met.len() > most {
            return None;
        }
        steps.clear();
        system.enabled(state, &mut steps);
        for step in &steps {
            open.push(step.target);
            let mut together = Vec::new();
            for id in system.action(step.action).moves.clone() {
                let signature = system.signature();
                let of = &signature.moves[id.index()];
                let process = of.process.index();
                // A statement says more than the place where it stands.
                let event = match signature.event_kind(of.event) {
                    EventKind::Internal => of.name.clone(),
                    _ => signature.event_name(of.event).to_owned(),
                };
                let it = &mut processes[process];
                let event = it.events.of(event);
                let from = it.places.of(place(system, state, &it.name));
                let to = it.places.of(place(system, step.target, &it.name));
                together.push(LocalStep { process, from, event, to });
            }
            if let [step] = together.as_slice() {
                processes[step.process].own.insert(step.event);
            }
            if !together.is_empty() && known.insert(together.clone()) {
                joint.push(together);
            }
        }
    }
    Some(LocalSteps { processes, initial, joint })
}

/// Where a process is in a state.
fn place<S: TransitionSystem>(system: &S, state: StateId, name: &str) -> String {
    let shown = shown(system, state).into_iter();
    let mut places =
        shown.filter_map(|it| Some(it.strip_prefix(name)?.strip_prefix('@')?.to_owned()));
    // A process that has not begun, or is over, is shown nowhere.
    places.next().unwrap_or_else(|| "not there".to_owned())
}

impl LocalSteps {
    /// The processes, an automaton each. A letter is the event of a step.
    pub(super) fn automata(self) -> Result<Vec<Automaton>, BudgetError> {
        let LocalSteps { processes, initial, joint } = self;
        let of = |(at, process): (usize, Process)| {
            let mut builder = all_accepting(process.events.list, process.places.list);
            builder.set_name(Some(process.name));
            start(&mut builder, initial.iter().map(|places| places[at]));
            let mut added = HashSet::new();
            for step in joint.iter().flatten().filter(|step| step.process == at) {
                if added.insert(*step) {
                    add(&mut builder, step.from, &[step.event], step.to)?;
                }
            }
            Ok(builder.build())
        };
        processes.into_iter().enumerate().map(of).collect()
    }

    /// The asynchronous product: each step wherever the processes that take it are where it begins. None if it has more
    /// states than `most`.
    pub(super) fn interleaved(self, most: usize) -> Result<Option<Automaton>, BudgetError> {
        let LocalSteps { processes, initial, joint } = self;
        let mut letters = Names::default();
        let letter_of: Vec<Vec<usize>> = (0..processes.len())
            .map(|at| {
                let of = |(event, name): (usize, &String)| {
                    letters.of(letter(&processes, at, event, name))
                };
                processes[at].events.list.iter().enumerate().map(of).collect()
            })
            .collect();
        let mut number: HashMap<Vec<usize>, usize> = HashMap::new();
        let mut order: Vec<Vec<usize>> = Vec::new();
        let mut meet = |places: Vec<usize>, order: &mut Vec<Vec<usize>>| {
            *number.entry(places).or_insert_with_key(|places| {
                order.push(places.clone());
                order.len() - 1
            })
        };
        let starts: Vec<usize> =
            initial.into_iter().map(|places| meet(places, &mut order)).collect();
        let mut edges: Vec<(usize, Vec<usize>, usize)> = Vec::new();
        let mut at = 0;
        while at < order.len() {
            if order.len() > most {
                return Ok(None);
            }
            for together in &joint {
                let here = &order[at];
                if together.iter().any(|step| here[step.process] != step.from) {
                    continue;
                }
                let mut there = here.clone();
                together.iter().for_each(|step| there[step.process] = step.to);
                let to = meet(there, &mut order);
                let taken = together.iter().map(|step| letter_of[step.process][step.event]);
                edges.push((at, taken.collect(), to));
            }
            at += 1;
        }
        let name = |places: &Vec<usize>| {
            let of = |(process, &place): (&Process, &usize)| {
                format!("{}@{}", process.name, process.places.list[place])
            };
            processes.iter().zip(places).map(of).collect::<Vec<_>>().join(" ")
        };
        let mut builder = all_accepting(letters.list, order.iter().map(name).collect());
        start(&mut builder, starts.into_iter());
        for (from, taken, to) in edges {
            add(&mut builder, from, &taken, to)?;
        }
        Ok(Some(builder.build()))
    }
}

/// The letter of an event in the product: its name, and whose it is if others have an event of their own of that name.
fn letter(processes: &[Process], process: usize, event: usize, name: &str) -> String {
    let is_elsewhere = |other: &Process| {
        other.events.number.get(name).is_some_and(|event| other.own.contains(event))
    };
    let mut others = processes.iter().enumerate().filter(|(at, _)| *at != process);
    match processes[process].own.contains(&event) && others.any(|(_, other)| is_elsewhere(other)) {
        true => format!("{}.{name}", processes[process].name),
        false => name.to_owned(),
    }
}

/// States with names, all of them accepting.
fn all_accepting(letters: Vec<String>, states: Vec<String>) -> Builder {
    let mut builder = Builder::new(letters);
    builder.set_acceptance(Acceptance::buchi(), 1);
    for name in states {
        let at = builder.add_state();
        builder.set_state_name(at, name);
    }
    builder
}

/// Begins in these states, each once.
fn start(builder: &mut Builder, states: impl Iterator<Item = usize>) {
    let mut known = HashSet::new();
    let new = states.filter(|&it| known.insert(it));
    new.for_each(|it| builder.add_initial(StateId::from_index(it)));
}

/// Adds a step whose letter is that these events happen, and no others.
fn add(builder: &mut Builder, from: usize, events: &[usize], to: usize) -> Result<(), BudgetError> {
    let count = u32::try_from(builder.propositions().len()).unwrap_or(u32::MAX);
    let cube: Vec<_> = (0..count).map(|at| (Prop(at), events.contains(&(at as usize)))).collect();
    let label: Label = builder.letters_mut().cube(&cube)?;
    let all: MarkSet = [Mark(0)].into_iter().collect();
    builder.add_edge(StateId::from_index(from), label, all, StateId::from_index(to));
    Ok(())
}
