//! Fairness that is assumed of runs, as the verifier reads it.
//!
//! A constraint has two predicates on steps, *when* and *then*. A weak one asks that again and again *when* is
//! false or *then* is true; a strong one that *then* is true again and again if *when* is.
//!
//! A notion of fairness is a set of constraints: of each of its *subjects*, *when* is that it is enabled, or ready, and
//! *then* that it is taken. A certificate names the subjects that its classes speak of; the others may be left out, since
//! what holds on more runs holds on fewer. So each subject is only checked for being one of the notion's
//! ([`Rule::Constraint`]). A run of a violation is fair to every subject of the notion that is asked for on its loop.

use std::collections::BTreeSet;

use crate::fir::{ANNOTATIONS, Annotation, Kind};
use crate::forms::{Forms, shown};
use crate::rejected::{Rejected, Rule, reject};
use crate::step::{IDLE, Machine, Move};

/// Events: all visible ones with a name, or one that is no visible one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Events {
    Named(String),
    Other(usize),
}

/// A slot, a template, a location, an edge, and the events that it has there.
pub(crate) type OneMove = (usize, usize, usize, usize, Events);

/// Moves: those that satisfy all that is given.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Selector {
    Process(usize),
    Events(Vec<Events>),
    Part(usize, Vec<Events>),
    Moves(Vec<OneMove>),
    /// Those of the process in a slot with an event whose edges have an annotation.
    Annotated(Annotation, usize, Events),
}

#[derive(Clone, Debug)]
pub(crate) enum Predicate {
    True,
    Enabled(usize),
    Disabled(usize),
    Ready(usize),
    Taken(usize),
    /// A formula without temporal operators, by its position.
    Step(usize),
}

/// A constraint; its selectors are positions in a table.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    pub(crate) strong: bool,
    pub(crate) when: Predicate,
    pub(crate) then: Predicate,
    /// As it is written.
    pub(crate) text: String,
}

/// Constraints of a notion: whether they are strong, and about what is ready; and of whom they are.
pub(crate) type Subject = (Annotation, Selector);

/// A notion of fairness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Notion {
    None,
    /// Each process, event or move, all in the same way.
    Process(Annotation),
    Event(Annotation),
    Move(Annotation),
    /// Each event that an edge annotates; each process with the edges that have the same event and annotation.
    AnnotatedName,
    AnnotatedOccurrence,
    Global,
    /// Every finite beginning can go on such that the run satisfies the formula: that run, or another that reads the
    /// same.
    Inherent {
        run: bool,
    },
}

const WEAK: Annotation = ANNOTATIONS[0].1;
const STRONG: Annotation = ANNOTATIONS[1].1;
pub(crate) const NOTIONS: [(&str, Notion); 14] = [
    ("none", Notion::None),
    ("weak process", Notion::Process(WEAK)),
    ("weak event", Notion::Event(WEAK)),
    ("weak action", Notion::Move(WEAK)),
    ("strong process", Notion::Process(STRONG)),
    ("strong event", Notion::Event(STRONG)),
    ("strong action", Notion::Move(STRONG)),
    ("weak live", Notion::Event(ANNOTATIONS[2].1)),
    ("strong live", Notion::Event(ANNOTATIONS[3].1)),
    ("annotated name", Notion::AnnotatedName),
    ("annotated occurrence", Notion::AnnotatedOccurrence),
    ("global", Notion::Global),
    ("inherent run", Notion::Inherent { run: true }),
    ("inherent trace", Notion::Inherent { run: false }),
];

impl Events {
    /// `"name"`, `e3`, `fault`, or `c2` of those who wait to receive on a channel.
    pub(crate) fn read(words: &mut Forms<'_>, machine: &Machine) -> Result<Events, Rejected> {
        let (events, channels) = (machine.model.events.len(), machine.model.channels.len());
        let before = *words;
        Ok(if words.takes("fault") {
            Events::Other(machine.fault_event())
        } else if let Some(event) = words.takes_id('e').filter(|&event| event < events) {
            Events::Other(event)
        } else if let Some(channel) = words.takes_id('c').filter(|&channel| channel < channels) {
            Events::Other(machine.waiting(channel))
        } else if words.peek().is_empty() {
            Events::Named(words.name()?)
        } else {
            return before.fail("an event");
        })
    }

    /// All events that are the same as one for whoever looks from outside.
    fn of(event: usize, machine: &Machine) -> Events {
        match machine.kind(event) {
            Kind::Visible => Events::Named(machine.event_name(event)),
            _ => Events::Other(event),
        }
    }

    pub(crate) fn has(&self, event: usize, machine: &Machine) -> bool {
        match self {
            Events::Named(name) => {
                machine.kind(event) == Kind::Visible && machine.event_name(event) == *name
            }
            Events::Other(other) => *other == event,
        }
    }
}

fn process(words: &mut Forms<'_>, machine: &Machine) -> Result<usize, Rejected> {
    match words.id('p')? {
        process if process < machine.model.slots.len() => Ok(process),
        process => reject(Rule::Statement, format!("there is no process `p{process}`")),
    }
}

impl Selector {
    /// `(process p0)`, `(events EVENT…)`, `(part p0 EVENT…)`, `(moves (p0 t0 q1 2 EVENT)…)` or `(wf p0 EVENT)`.
    pub(crate) fn read(words: &mut Forms<'_>, machine: &Machine) -> Result<Selector, Rejected> {
        let mut words = words.next()?;
        let event = |words: &mut Forms<'_>| Events::read(words, machine);
        let selector = match words.peek() {
            "process" | "events" | "part" | "moves" => match words.word()? {
                "process" => Selector::Process(process(&mut words, machine)?),
                "events" => Selector::Events(words.each(event)?),
                "part" => Selector::Part(process(&mut words, machine)?, words.each(event)?),
                _ => Selector::Moves(words.each(|words| {
                    let mut words = words.next()?;
                    let slot = process(&mut words, machine)?;
                    let (template, location) = (words.id('t')?, words.id('q')?);
                    Ok((slot, template, location, words.number()?, event(&mut words)?))
                })?),
            },
            _ => {
                let annotation = words.one_of(&ANNOTATIONS)?;
                Selector::Annotated(annotation, process(&mut words, machine)?, event(&mut words)?)
            }
        };
        words.ends()?;
        Ok(selector)
    }

    /// Whether a move is selected.
    pub(crate) fn has(&self, of: &Move, machine: &Machine) -> bool {
        let among = |events: &[Events]| events.iter().any(|it| it.has(of.event, machine));
        match self {
            Selector::Process(process) => of.slot == *process,
            Selector::Events(events) => among(events),
            Selector::Part(process, events) => of.slot == *process && among(events),
            Selector::Moves(moves) => {
                moves.iter().any(|(slot, template, location, edge, event)| {
                    (*slot, *template, *location, *edge)
                        == (of.slot, of.template, of.location, of.edge)
                        && event.has(of.event, machine)
                })
            }
            Selector::Annotated(annotation, slot, event) => {
                let edge = machine.edge(of).and_then(|edge| edge.annotation);
                of.slot == *slot && event.has(of.event, machine) && edge == Some(*annotation)
            }
        }
    }

    /// Whether an action is selected: it makes a move that is, or has an event that is.
    pub(crate) fn has_action(&self, event: usize, moves: &[Move], machine: &Machine) -> bool {
        let named = match self {
            Selector::Events(events) => events.iter().any(|it| it.has(event, machine)),
            _ => false,
        };
        named || moves.iter().any(|it| self.has(it, machine))
    }
}

/// The selectors of a certificate, each once.
pub(crate) type Selectors = Vec<Selector>;

pub(crate) fn position(selectors: &mut Selectors, selector: Selector) -> usize {
    match selectors.iter().position(|other| *other == selector) {
        Some(at) => at,
        None => {
            selectors.push(selector);
            selectors.len() - 1
        }
    }
}

impl Predicate {
    /// `true`, `(step 3)`, or `(enabled SELECTOR)` and the like.
    fn read(
        words: &mut Forms<'_>,
        machine: &Machine,
        selectors: &mut Selectors,
    ) -> Result<Predicate, Rejected> {
        let mut words = words.next()?;
        let word = words.word()?;
        Ok(match word {
            "true" => Predicate::True,
            "step" => Predicate::Step(words.number()?),
            "enabled" | "disabled" | "ready" | "taken" => {
                let selector = position(selectors, Selector::read(&mut words, machine)?);
                match word {
                    "enabled" => Predicate::Enabled(selector),
                    "disabled" => Predicate::Disabled(selector),
                    "ready" => Predicate::Ready(selector),
                    _ => Predicate::Taken(selector),
                }
            }
            _ => return words.fail("a predicate"),
        })
    }
}

impl Constraint {
    /// `weak` or `strong`, then *when* and *then*.
    pub(crate) fn read(
        words: &mut Forms<'_>,
        machine: &Machine,
        selectors: &mut Selectors,
    ) -> Result<Constraint, Rejected> {
        let text = shown(words.rest);
        let strong = words.one_of(&[("weak", false), ("strong", true)])?;
        let when = Predicate::read(words, machine, selectors)?;
        let then = Predicate::read(words, machine, selectors)?;
        Ok(Constraint { strong, when, then, text })
    }

    /// The constraint of a notion about a subject.
    pub(crate) fn of((how, selector): &Subject, selectors: &mut Selectors) -> Constraint {
        let selector = position(selectors, selector.clone());
        let (ready, enabled) = (Predicate::Ready(selector), Predicate::Enabled(selector));
        let when = if how.ready { ready } else { enabled };
        let then = Predicate::Taken(selector);
        Constraint { strong: how.strong, when, then, text: format!("subject {selector}") }
    }
}

impl Notion {
    /// Reads a subject: a selector, before it `wf`, `sf`, `wl` or `sl` where events are annotated by name. None if it is
    /// none of the notion's; whether an event is annotated is looked at later.
    pub(crate) fn subject(
        self,
        words: &mut Forms<'_>,
        machine: &Machine,
    ) -> Result<Option<Subject>, Rejected> {
        let how = match self {
            Notion::AnnotatedName => words.one_of(&ANNOTATIONS)?,
            Notion::Process(how) | Notion::Event(how) | Notion::Move(how) => how,
            _ => WEAK,
        };
        let selector = Selector::read(words, machine)?;
        // A visible event is all that have its name; the idle step is nobody's.
        let single = match &selector {
            Selector::Events(events) => match events[..] {
                [Events::Other(event)] => event != IDLE && machine.kind(event) != Kind::Visible,
                [Events::Named(_)] => true,
                _ => false,
            },
            _ => false,
        };
        Ok(match (self, &selector) {
            (Notion::Process(_), Selector::Process(_)) => Some((how, selector)),
            (Notion::Event(_) | Notion::AnnotatedName, _) if single => Some((how, selector)),
            (Notion::Move(_), Selector::Moves(moves)) if moves.len() == 1 => Some((how, selector)),
            (Notion::AnnotatedOccurrence, &Selector::Annotated(how, ..)) => Some((how, selector)),
            _ => None,
        })
    }

    /// The subjects that may be owed something where these moves are offered or made, and these events happen.
    pub(crate) fn subjects(
        self,
        moves: &BTreeSet<Move>,
        events: &BTreeSet<usize>,
        machine: &Machine,
        annotated: &Annotated,
    ) -> BTreeSet<Subject> {
        let named = |event: &usize| Selector::Events(vec![Events::of(*event, machine)]);
        match self {
            Notion::None | Notion::Global | Notion::Inherent { .. } => BTreeSet::new(),
            Notion::Process(how) => {
                moves.iter().map(|of| (how, Selector::Process(of.slot))).collect()
            }
            Notion::Event(how) => events.iter().map(|event| (how, named(event))).collect(),
            Notion::Move(how) => {
                let single = |of: &Move| {
                    let event = Events::of(of.event, machine);
                    Selector::Moves(vec![(of.slot, of.template, of.location, of.edge, event)])
                };
                moves.iter().map(|of| (how, single(of))).collect()
            }
            // An annotation of an event may be anywhere.
            Notion::AnnotatedName => {
                let happens = |of: &Events| events.iter().any(|&event| of.has(event, machine));
                let all = annotated.iter().filter(|(_, of)| happens(of));
                all.map(|(how, of)| (*how, Selector::Events(vec![of.clone()]))).collect()
            }
            Notion::AnnotatedOccurrence => {
                let subject = |of: &Move| {
                    let how = machine.edge(of)?.annotation?;
                    Some((how, Selector::Annotated(how, of.slot, Events::of(of.event, machine))))
                };
                moves.iter().filter_map(subject).collect()
            }
        }
    }
}

/// Annotated events, with their annotations.
pub(crate) type Annotated = BTreeSet<(Annotation, Events)>;

/// The events of those of some moves that are annotated.
pub(crate) fn annotated<'m>(
    machine: &'m Machine,
    moves: impl Iterator<Item = &'m Move>,
) -> impl Iterator<Item = (Annotation, Events)> {
    moves.filter_map(|of| Some((machine.edge(of)?.annotation?, Events::of(of.event, machine))))
}

/// The annotated events that do not depend on the state: an edge annotates them even if it is never open.
pub(crate) fn fixed_annotated(machine: &Machine) -> Annotated {
    let mut all = Annotated::new();
    for (at, slot) in machine.model.slots.iter().enumerate() {
        let templates = slot.templates.iter().map(|&it| &machine.model.templates[it]);
        let edges = templates.flat_map(|it| &it.locations).flat_map(|it| &it.edges);
        for edge in edges {
            let event = machine.fixed_event(at, edge).map(|event| Events::of(event, machine));
            all.extend(edge.annotation.zip(event));
        }
    }
    all
}
