//! The usual families of constraints.

use std::fmt;

use fairly_system::{Annotation, EventId, EventKind, EventSet, MoveId, ProcessId, Signature};

use hashbrown::HashMap;

use crate::constraint::{Constraint, Predicate, Selector, Strength};

/// The subject of a notion of fairness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Every process.
    Process,
    /// Every event name, no matter which process takes it.
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

/// The object that an annotation in the model is attached to.
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
    /// Fairness as the annotations of the model ask for it.
    Annotated(AnnotationLevel),
    /// Every transition of a state that is visited again and again is taken again and again.
    Global,
    /// Not a condition on runs: every finite prefix has a satisfying continuation.
    Inherent(PrefixKind),
}

/// Meaning of a finite prefix under inherent fairness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PrefixKind {
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
            Notion::Inherent(PrefixKind::Trace) => write!(f, "inherent fairness, of traces"),
            Notion::Inherent(PrefixKind::Run) => write!(f, "inherent fairness, of runs"),
        }
    }
}

impl Notion {
    /// The constraints of the notion; `None` for the two notions that are no sets of constraints.
    ///
    /// There is one for each event or move that is listed. Where more may come and
    /// [`Notion::needs_tables`], the system must have been explored first.
    ///
    /// Events are all but the idle step's, which belongs to no process. Internal ones count: fairness is about
    /// what the system does, not about what an observer sees of it. So does termination.
    pub fn constraints(self, signature: &Signature) -> Option<Vec<Constraint>> {
        Some(match self {
            Notion::None => vec![],
            Notion::Weak(level) => at_level(signature, level, Strength::Weak),
            Notion::Strong(level) => at_level(signature, level, Strength::Strong),
            Notion::WeakLive => live(signature, Strength::Weak),
            Notion::StrongLive => live(signature, Strength::Strong),
            Notion::Annotated(level) => annotated(signature, level),
            Notion::Global | Notion::Inherent(_) => return None,
        })
    }

    /// Whether its constraints are one for each of the system's events or moves, so that all of them
    /// have to be known.
    pub fn needs_tables(self) -> bool {
        match self {
            Notion::None
            | Notion::Weak(Level::Process)
            | Notion::Strong(Level::Process)
            | Notion::Global
            | Notion::Inherent(_) => false,
            Notion::Weak(Level::Event | Level::Action)
            | Notion::Strong(Level::Event | Level::Action)
            | Notion::WeakLive
            | Notion::StrongLive
            | Notion::Annotated(_) => true,
        }
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
    pub fn live(strength: Strength, what: &str, selector: Selector) -> Constraint {
        let prefix = match strength {
            Strength::Weak => "wl",
            Strength::Strong => "sl",
        };
        Constraint {
            name: format!("{prefix}({what})"),
            strength,
            when: Predicate::Ready(selector.clone()),
            then: Predicate::Taken(selector),
        }
    }

    /// Constraint that an annotation asks for.
    pub fn annotated(annotation: Annotation, what: &str, selector: Selector) -> Constraint {
        match annotation {
            Annotation::WeakFair => Constraint::fair(Strength::Weak, what, selector),
            Annotation::StrongFair => Constraint::fair(Strength::Strong, what, selector),
            Annotation::WeakLive => Constraint::live(Strength::Weak, what, selector),
            Annotation::StrongLive => Constraint::live(Strength::Strong, what, selector),
        }
    }
}

fn at_level(signature: &Signature, level: Level, strength: Strength) -> Vec<Constraint> {
    match level {
        Level::Process => (0..signature.processes.len())
            .map(|at| {
                let process = ProcessId::from_index(at);
                let name = signature.process_name(process);
                Constraint::fair(strength, name, Selector::Process(process))
            })
            .collect(),
        Level::Event => events(signature)
            .into_iter()
            .map(|(name, events)| Constraint::fair(strength, name, Selector::Events(events)))
            .collect(),
        Level::Action => signature
            .move_ids()
            .map(|id| {
                let of = &signature.moves[id.index()];
                let name = format!("{}@{}", signature.process_name(of.process), of.name);
                Constraint::fair(strength, &name, Selector::Moves(vec![id]))
            })
            .collect(),
    }
}

/// The real events; `idle` belongs to no process. A name that can be seen is one event, also where it is listed several
/// times: an event of CSP# that processes take together is another one where it has a program.
fn events(signature: &Signature) -> Vec<(&str, EventSet)> {
    let mut found: Vec<(&str, Vec<EventId>)> = Vec::new();
    let mut positions: HashMap<&str, usize> = HashMap::new();
    for event in signature.event_ids() {
        let name = signature.event_name(event);
        let at = match signature.event_kind(event) {
            EventKind::Idle => continue,
            EventKind::Visible => *positions.entry(name).or_insert(found.len()),
            _ => found.len(),
        };
        match found.get_mut(at) {
            Some((_, events)) => events.push(event),
            None => found.push((name, vec![event])),
        }
    }
    found.into_iter().map(|(name, events)| (name, EventSet::from(events))).collect()
}

fn live(signature: &Signature, strength: Strength) -> Vec<Constraint> {
    events(signature)
        .into_iter()
        .map(|(name, events)| Constraint::live(strength, name, Selector::Events(events)))
        .collect()
}

/// The annotated moves that are listed: one entry for each process, event and annotation.
fn annotations(signature: &Signature) -> Vec<(ProcessId, EventId, Annotation, Vec<MoveId>)> {
    let mut found: Vec<(ProcessId, EventId, Annotation, Vec<MoveId>)> = Vec::new();
    let mut positions = HashMap::new();
    for id in signature.move_ids() {
        let of = &signature.moves[id.index()];
        let Some(annotation) = of.annotation else { continue };
        let key = (of.process, of.event, annotation);
        let at = *positions.entry(key).or_insert_with(|| {
            found.push((of.process, of.event, annotation, Vec::new()));
            found.len() - 1
        });
        found[at].3.push(id);
    }
    found
}

fn annotated(signature: &Signature, level: AnnotationLevel) -> Vec<Constraint> {
    let mut constraints: Vec<Constraint> = Vec::new();
    let by_name = events(signature);
    let named = |event: EventId| {
        let of = by_name.iter().find(|(_, events)| events.contains(event, signature));
        of.map_or_else(|| event.into(), |(_, events)| events.clone())
    };
    for (process, event, annotation, moves) in annotations(signature) {
        let name = signature.event_name(event);
        let (what, selector) = match level {
            AnnotationLevel::Name => (name.to_owned(), Selector::Events(named(event))),
            AnnotationLevel::Occurrence => {
                let process = signature.process_name(process);
                (format!("{process}.{name}"), Selector::Moves(moves))
            }
        };
        let constraint = Constraint::annotated(annotation, &what, selector);
        // By name, two processes may annotate the same event in the same way.
        if !constraints.contains(&constraint) {
            constraints.push(constraint);
        }
    }
    constraints
}
