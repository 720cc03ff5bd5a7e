//! Fairness that is assumed of runs, as the verifier reads it.
//!
//! A constraint has two predicates on steps, *when* and *then*. A weak one asks that again and again *when* is
//! false or *then* is true; a strong one that *then* is true again and again if *when* is.
//!
//! A notion of fairness is a set of constraints. A certificate lists those that its classes speak of; the
//! others may be left out, since what holds on more runs holds on fewer. So each constraint is only checked for
//! being one of the notion's, or one that is assumed besides ([`Rule::Constraint`]).

use std::collections::BTreeSet;

use crate::fir::{Kind, Label};
use crate::ltl::Formula;
use crate::rejected::{Rejected, Rule, reject};
use crate::step::{IDLE, Machine, Move};
use crate::words::Words;

/// Events: all visible ones with a name, or one that is no visible one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Events {
    Named(String),
    Other(usize),
}

/// A slot, a template, a location, an edge, and the events that it has there.
pub(crate) type OneMove = (usize, usize, usize, usize, Events);

/// Moves: those that satisfy all that is given.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Selector {
    Process(usize),
    Events(Vec<Events>),
    Part(usize, Vec<Events>),
    Moves(Vec<OneMove>),
}

#[derive(Clone, Debug)]
pub(crate) enum Predicate {
    True,
    Enabled(usize),
    Disabled(usize),
    Ready(usize),
    Taken(usize),
    Step(Formula),
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

/// A notion of fairness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Notion {
    None,
    Process {
        strong: bool,
    },
    Event {
        strong: bool,
    },
    Action {
        strong: bool,
    },
    Live {
        strong: bool,
    },
    AnnotatedName,
    AnnotatedOccurrence,
    Global,
    /// Every finite beginning can go on such that the run satisfies the formula: that run, or another that reads the
    /// same.
    Inherent {
        run: bool,
    },
}

const NOTIONS: [(&str, Notion); 14] = [
    ("none", Notion::None),
    ("weak process", Notion::Process { strong: false }),
    ("weak event", Notion::Event { strong: false }),
    ("weak action", Notion::Action { strong: false }),
    ("strong process", Notion::Process { strong: true }),
    ("strong event", Notion::Event { strong: true }),
    ("strong action", Notion::Action { strong: true }),
    ("weak live", Notion::Live { strong: false }),
    ("strong live", Notion::Live { strong: true }),
    ("annotated name", Notion::AnnotatedName),
    ("annotated occurrence", Notion::AnnotatedOccurrence),
    ("global", Notion::Global),
    ("inherent run", Notion::Inherent { run: true }),
    ("inherent trace", Notion::Inherent { run: false }),
];

impl Notion {
    pub(crate) fn read(text: &str) -> Result<Notion, Rejected> {
        match NOTIONS.iter().find(|(name, _)| *name == text) {
            Some((_, notion)) => Ok(*notion),
            None => reject(Rule::Statement, format!("there is no fairness `{text}`")),
        }
    }
}

impl Events {
    /// `"name"`, `#e3`, `#fault`, or `#c2` of those who wait to receive on a channel.
    pub(crate) fn read(words: &mut Words<'_>, machine: &Machine) -> Result<Events, Rejected> {
        let word = words.peek();
        let Some(id) = word.strip_prefix('#') else { return Ok(Events::Named(words.name()?)) };
        words.next()?;
        let number = |letter: char| -> Option<usize> { id.strip_prefix(letter)?.parse().ok() };
        let (events, channels) = (machine.model.events.len(), machine.model.channels.len());
        let event = match (id, number('e'), number('c')) {
            ("fault", ..) => machine.fault_event(),
            (_, Some(event), _) if event < events => event,
            (_, _, Some(channel)) if channel < channels => machine.waiting(channel),
            _ => return reject(Rule::Statement, format!("there is no event `{word}`")),
        };
        Ok(Events::Other(event))
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

impl Selector {
    pub(crate) fn read(words: &mut Words<'_>, machine: &Machine) -> Result<Selector, Rejected> {
        let process = |words: &mut Words<'_>| -> Result<usize, Rejected> {
            let process = words.id('p')?;
            if process < machine.model.slots.len() {
                return Ok(process);
            }
            reject(Rule::Statement, format!("there is no process `p{process}`"))
        };
        let events = |words: &mut Words<'_>| words.several(|words| Events::read(words, machine));
        Ok(match words.next()? {
            "process" => Selector::Process(process(words)?),
            "events" => Selector::Events(events(words)?),
            "part" => Selector::Part(process(words)?, events(words)?),
            "moves" => Selector::Moves(words.several(|words| {
                words.expect("(")?;
                let slot = process(words)?;
                let (template, location, edge) = (words.id('t')?, words.id('q')?, words.number()?);
                let event = Events::read(words, machine)?;
                words.expect(")")?;
                Ok((slot, template, location, edge, event))
            })?),
            other => return reject(Rule::Statement, format!("`{other}` selects no moves")),
        })
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
    fn read(
        words: &mut Words<'_>,
        machine: &Machine,
        selectors: &mut Selectors,
    ) -> Result<Predicate, Rejected> {
        let word = words.next()?;
        Ok(match word {
            "true" => Predicate::True,
            "step" => Predicate::Step(Formula::read(words, 0)?),
            "enabled" | "disabled" | "ready" | "taken" => {
                let selector = position(selectors, Selector::read(words, machine)?);
                match word {
                    "enabled" => Predicate::Enabled(selector),
                    "disabled" => Predicate::Disabled(selector),
                    "ready" => Predicate::Ready(selector),
                    _ => Predicate::Taken(selector),
                }
            }
            other => return reject(Rule::Statement, format!("`{other}` is no predicate")),
        })
    }
}

impl Constraint {
    /// `weak` or `strong`, then *when* and *then*.
    pub(crate) fn read(
        line: &str,
        machine: &Machine,
        selectors: &mut Selectors,
    ) -> Result<Constraint, Rejected> {
        let words = &mut Words::new(line);
        let strong = words.takes("strong");
        if !strong {
            words.expect("weak")?;
        }
        let when = Predicate::read(words, machine, selectors)?;
        let then = Predicate::read(words, machine, selectors)?;
        if !words.is_over() {
            return reject(Rule::Statement, "a constraint has words behind it");
        }
        Ok(Constraint { strong, when, then, text: line.trim().to_owned() })
    }

    /// Whether the constraint is one of a notion's. `annotated` are the annotated moves that are known.
    pub(crate) fn is_of(
        &self,
        notion: Notion,
        selectors: &Selectors,
        machine: &Machine,
        annotated: &Annotated,
    ) -> bool {
        let (ready, asked) = match self.when {
            Predicate::Enabled(selector) => (false, selector),
            Predicate::Ready(selector) => (true, selector),
            _ => return false,
        };
        if !matches!(self.then, Predicate::Taken(given) if given == asked) {
            return false;
        }
        let selector = &selectors[asked];
        // A visible event is all that have its name; the idle step is nobody's.
        let single = match selector {
            Selector::Events(events) => match &events[..] {
                [Events::Named(_)] => true,
                [Events::Other(event)] => *event != IDLE && machine.kind(*event) != Kind::Visible,
                _ => false,
            },
            _ => false,
        };
        let word = match (self.strong, ready) {
            (false, false) => "wf",
            (true, false) => "sf",
            (false, true) => "wl",
            (true, true) => "sl",
        };
        let here = |known: &&(String, Move)| known.0 == word && selector.has(&known.1, machine);
        match notion {
            Notion::None | Notion::Global | Notion::Inherent { .. } => false,
            Notion::Process { strong } => {
                !ready && strong == self.strong && matches!(selector, Selector::Process(_))
            }
            Notion::Event { strong } => !ready && strong == self.strong && single,
            Notion::Action { strong } => {
                let one = matches!(selector, Selector::Moves(moves) if moves.len() == 1);
                !ready && strong == self.strong && one
            }
            Notion::Live { strong } => ready && strong == self.strong && single,
            Notion::AnnotatedName => single && annotated.iter().any(|known| here(&known)),
            // All moves of one process with one event and this annotation that are met. Others with this annotation
            // change nothing: they are never ready, nor taken.
            Notion::AnnotatedOccurrence => {
                let Selector::Moves(moves) = selector else { return false };
                let Some((slot, .., events)) = moves.first() else { return false };
                let is_alike = |other: &OneMove| {
                    let &(at, template, location, edge, ref of) = other;
                    let of_edge = Move { slot: at, template, location, edge, event: IDLE };
                    let edge = machine.edge(&of_edge);
                    (at, of) == (*slot, events)
                        && edge.is_some_and(|it| it.annotation.as_deref() == Some(word))
                };
                let is_met = |it: &&(String, Move)| {
                    it.0 == word && it.1.slot == *slot && events.has(it.1.event, machine)
                };
                let mut met = annotated.iter().filter(is_met);
                moves.iter().all(is_alike) && met.all(|(_, it)| selector.has(it, machine))
            }
        }
    }

    /// The formulas that it has.
    pub(crate) fn formulas(&self) -> impl Iterator<Item = &Formula> {
        [&self.when, &self.then].into_iter().filter_map(|predicate| match predicate {
            Predicate::Step(formula) => Some(formula),
            _ => None,
        })
    }
}

/// Annotated moves, with their annotations.
pub(crate) type Annotated = BTreeSet<(String, Move)>;

/// Those of some moves that are annotated.
pub(crate) fn annotated<'m>(
    machine: &Machine,
    moves: impl Iterator<Item = &'m Move>,
) -> Vec<(String, Move)> {
    let word = |of: &Move| machine.edge(of).and_then(|edge| edge.annotation.clone());
    moves.filter_map(|of| Some((word(of)?, *of))).collect()
}

/// The annotated moves whose event does not depend on the state.
pub(crate) fn fixed_annotated(machine: &Machine) -> Annotated {
    let mut moves = Vec::new();
    for (slot, of) in machine.model.slots.iter().enumerate() {
        for &template in &of.templates {
            let Some(it) = machine.model.templates.get(template) else { continue };
            for (location, at) in it.locations.iter().enumerate() {
                for (edge, label) in at.edges.iter().map(|edge| &edge.label).enumerate() {
                    if let Label::Event(event) = *label {
                        moves.push(Move { slot, template, location, edge, event });
                    }
                }
            }
        }
    }
    annotated(machine, moves.iter()).into_iter().collect()
}
