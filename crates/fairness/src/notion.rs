//! The usual families of constraints.

use std::fmt;

use fairly_system::{Annotation, EventId, MoveId, Network, ProcessId, TransitionSystem};

use crate::constraint::{Constraint, Predicate, Selector, Strength};

/// What a fairness notion is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Every process.
    Process,
    /// Every event name, whoever takes it.
    Event,
    /// Every move: one local transition of one process.
    Action,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Process => "process",
            Level::Event => "event",
            Level::Action => "action",
        })
    }
}

/// What an annotation in the model is attached to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AnnotationLevel {
    /// The event's name: any process's occurrence counts, as in the papers.
    #[default]
    Name,
    /// The annotated transitions themselves: one constraint for each process, event and kind.
    Occurrence,
}

/// A fairness notion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Notion {
    /// Every run counts.
    None,
    /// Weak fairness of everything at a level.
    Weak(Level),
    /// Strong fairness of everything at a level.
    Strong(Level),
    /// Weak liveness of every event: not ready for ever without being taken.
    WeakLive,
    /// Strong liveness of every event.
    StrongLive,
    /// What the model's annotations ask for.
    Annotated(AnnotationLevel),
    /// Every transition of a state that is visited again and again is taken again and again.
    Global,
    /// Not a condition on runs: every finite prefix has a satisfying continuation.
    Inherent(Reading),
}

/// What a finite prefix is, under inherent fairness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reading {
    /// The word it reads: events, and the propositions of the property. Another run that reads the
    /// same may be the one that is continued.
    #[default]
    Trace,
    /// The run itself.
    Run,
}

impl fmt::Display for Notion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notion::None => write!(f, "no fairness"),
            Notion::Weak(level) => write!(f, "{level}-level weak fairness"),
            Notion::Strong(level) => write!(f, "{level}-level strong fairness"),
            Notion::WeakLive => write!(f, "weak liveness of events"),
            Notion::StrongLive => write!(f, "strong liveness of events"),
            Notion::Annotated(AnnotationLevel::Name) => {
                write!(f, "the model's annotations, by name")
            }
            Notion::Annotated(AnnotationLevel::Occurrence) => {
                write!(f, "the model's annotations, by occurrence")
            }
            Notion::Global => write!(f, "strong global fairness"),
            Notion::Inherent(Reading::Trace) => write!(f, "inherent fairness, of traces"),
            Notion::Inherent(Reading::Run) => write!(f, "inherent fairness, of runs"),
        }
    }
}

impl Notion {
    /// The constraints of the notion; `None` for the two notions that are no sets of constraints.
    pub fn constraints(self, network: &Network) -> Option<Vec<Constraint>> {
        Some(match self {
            Notion::None => vec![],
            Notion::Weak(level) => at_level(network, level, Strength::Weak),
            Notion::Strong(level) => at_level(network, level, Strength::Strong),
            Notion::WeakLive => live(network, Strength::Weak),
            Notion::StrongLive => live(network, Strength::Strong),
            Notion::Annotated(level) => annotated(network, level),
            Notion::Global | Notion::Inherent(_) => return None,
        })
    }
}

fn prefix(strength: Strength) -> &'static str {
    match strength {
        Strength::Weak => "wf",
        Strength::Strong => "sf",
    }
}

impl Constraint {
    /// Fairness of the actions of a selector: `wf` or `sf` of what is enabled.
    pub fn fair(strength: Strength, what: &str, selector: Selector) -> Constraint {
        Constraint {
            name: format!("{}({what})", prefix(strength)),
            strength,
            when: Predicate::Enabled(selector.clone()),
            then: Predicate::Taken(selector),
        }
    }

    /// Liveness: `wl` or `sl` of what is ready.
    pub fn live(strength: Strength, what: &str, ready: Vec<MoveId>, taken: Selector) -> Constraint {
        let prefix = match strength {
            Strength::Weak => "wl",
            Strength::Strong => "sl",
        };
        Constraint {
            name: format!("{prefix}({what})"),
            strength,
            when: Predicate::Ready(ready),
            then: Predicate::Taken(taken),
        }
    }
}

fn at_level(network: &Network, level: Level, strength: Strength) -> Vec<Constraint> {
    let signature = network.signature();
    match level {
        Level::Process => (0..signature.processes.len())
            .map(|at| {
                let process = ProcessId::from_index(at);
                let name = signature.process_name(process);
                Constraint::fair(strength, name, Selector::Process(process))
            })
            .collect(),
        Level::Event => events(network)
            .map(|event| {
                let name = signature.event_name(event);
                Constraint::fair(strength, name, Selector::Events(vec![event]))
            })
            .collect(),
        Level::Action => (0..network.move_count())
            .map(|at| {
                let id = MoveId::from_index(at);
                let (process, local) = network.local(id);
                let states = network.components()[process.index()].states();
                let name = format!(
                    "{}@{}.{}->{}",
                    signature.process_name(process),
                    states[local.from as usize],
                    local.event,
                    states[local.to as usize],
                );
                Constraint::fair(strength, &name, Selector::Moves(vec![id]))
            })
            .collect(),
    }
}

/// The real events: `idle` is nobody's.
fn events(network: &Network) -> impl Iterator<Item = EventId> + '_ {
    (1..network.signature().events.len()).map(EventId::from_index)
}

fn moves_of(network: &Network, event: EventId) -> Vec<MoveId> {
    (0..network.move_count())
        .map(MoveId::from_index)
        .filter(|&id| network.move_event(id) == event)
        .collect()
}

fn live(network: &Network, strength: Strength) -> Vec<Constraint> {
    events(network)
        .map(|event| {
            let name = network.signature().event_name(event);
            let ready = moves_of(network, event);
            Constraint::live(strength, name, ready, Selector::Events(vec![event]))
        })
        .collect()
}

fn annotated(network: &Network, level: AnnotationLevel) -> Vec<Constraint> {
    let mut constraints: Vec<Constraint> = Vec::new();
    for (process, event, annotation, moves) in network.annotations() {
        let name = network.signature().event_name(event);
        let (what, ready, selector) = match level {
            AnnotationLevel::Name => {
                (name.to_owned(), moves_of(network, event), Selector::Events(vec![event]))
            }
            AnnotationLevel::Occurrence => {
                let process = network.signature().process_name(process);
                (format!("{process}.{name}"), moves.clone(), Selector::Moves(moves))
            }
        };
        let constraint = match annotation {
            Annotation::WeakFair => Constraint::fair(Strength::Weak, &what, selector),
            Annotation::StrongFair => Constraint::fair(Strength::Strong, &what, selector),
            Annotation::WeakLive => Constraint::live(Strength::Weak, &what, ready, selector),
            Annotation::StrongLive => Constraint::live(Strength::Strong, &what, ready, selector),
        };
        // By name, two processes may annotate the same event in the same way.
        if !constraints.contains(&constraint) {
            constraints.push(constraint);
        }
    }
    constraints
}
