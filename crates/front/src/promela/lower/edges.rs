//! The locations of a process and the edges between them.

use fairly_model::{Communication, Edge, Expr, Label, Location, LocationId, Target, Variable};
use fairly_system::EventId;
use hashbrown::HashMap;

use super::flow::{Element, ElementId, Node};
use super::machine::Step;
use super::names::Unique;
use super::processes::{Lowering, Scope};
use super::statement::Action;
use super::{Lower, dstep};

/// The events of a process.
#[derive(Debug, Default)]
struct Events {
    of: HashMap<ElementId, (EventId, String)>,
    unique: Unique,
}

impl<'a> Lowering<'a> {
    /// The locations of a process with their edges, and the variables that its steps need.
    pub(super) fn locations(&mut self, at: usize) -> Lower<(Vec<Location>, Vec<Variable>)> {
        let provided = match &self.processes[at].of.provided {
            Some(provided) => self.expr(provided, Scope::Process(at))?.expr,
            None => Expr::TRUE,
        };
        let may_move = provided.and(self.is_highest(at)?);
        let mut scratch = dstep::Scratch::new(self.processes[at].variables.len());
        let mut events = Events::default();
        let mut unique = Unique::default();
        let mut locations = Vec::new();
        for number in 0..self.processes[at].locations.len() {
            let from = self.processes[at].locations[number];
            let steps = self.processes[at].machine.steps[from].clone();
            let mut edges = Vec::with_capacity(steps.len());
            // Condition of an `else` further on: none before it can be executed.
            let mut blocked = Some(Expr::TRUE);
            let (mut rank, mut group) = (0_u8, None);
            // Whether another process decides if one before can be executed, and whether an `else` has asked
            // for that.
            let (mut meets, mut asked) = (false, false);
            for (position, step) in steps.iter().enumerate() {
                let node = self.processes[at].flow.elements[step.element].node;
                let action = match node {
                    Node::Basic(stmt) => self.action(stmt, at)?,
                    Node::DStep(inner) => self.d_step(at, inner, &mut scratch)?,
                    Node::Else => match &blocked {
                        Some(blocked) => Action { guard: blocked.clone(), ..Action::nothing() },
                        None => Action { guard: Expr::FALSE, ..Action::nothing() },
                    },
                    Node::End => Action::effect(self.drop_priority().into_iter().collect()),
                    _ => Action::nothing(),
                };
                blocked = match (blocked, node) {
                    // After an `else` something has been executed.
                    (_, Node::Else) | (None, _) => None,
                    (Some(blocked), _) => Some(blocked.and(action.alone.clone().negated())),
                };
                if position > 0 && step.escape != group {
                    rank = rank.saturating_add(1 + u8::from(asked));
                    (meets, asked) = (false, false);
                }
                group = step.escape;
                let behind = matches!(node, Node::Else) && meets;
                asked |= behind;
                meets |= self.may_meet(&action.communication);
                let rank = rank.saturating_add(u8::from(behind));
                let intrusion = self.intrusion(at, step.element)?;
                for mut action in action.settled().into_iter().chain(intrusion) {
                    action.guard = may_move.clone().and(action.guard);
                    edges.push(self.edge(at, step, rank, action, &mut events));
                }
            }
            let process = &self.processes[at];
            let element = &process.flow.elements[from];
            let name = process.location_name(from, &self.words);
            let labels = element.labels.iter().filter_map(|it| process.of.labels.get(it.index()));
            locations.push(Location {
                name: unique.name(&name, '.'),
                edges: Some(edges),
                atomic: false,
                may_end: process.machine.marks[from].end,
                labels: labels.map(|label| label.name.clone()).collect(),
                span: Some(element.stmt.map_or(process.of.place, |stmt| stmt.place).span),
            });
        }
        Ok((locations, scratch.variables(self)))
    }

    /// Whether something may be sent in a rendezvous, which is the sender's step.
    fn may_meet(&self, communication: &Communication) -> bool {
        let Communication::Send { channel, .. } = communication else { return false };
        let known = match channel {
            Expr::Const(number) => usize::try_from(*number).ok(),
            _ => None,
        };
        match known.and_then(|number| self.model.channels.get(number)) {
            Some(channel) => channel.capacity == 0,
            None => self.model.channels.iter().any(|channel| channel.capacity == 0),
        }
    }

    fn edge(
        &mut self,
        at: usize,
        step: &Step,
        rank: u8,
        action: Action,
        events: &mut Events,
    ) -> Edge {
        let (event, name) = self.named(at, step.element, events);
        let process = &self.processes[at];
        let element = &process.flow.elements[step.element];
        let target = match (element.node, step.target) {
            (Node::End, _) => Target::Exit,
            (_, Some(target)) => {
                let location = process.location_of.get(&target).copied();
                Target::Location(location.unwrap_or(LocationId(0)))
            }
            (_, None) => Target::Exit,
        };
        Edge {
            target,
            guard: action.guard,
            rank,
            hold: step.atomic,
            communication: action.communication,
            label: Label::Event(event),
            annotation: element.annotation,
            effect: action.effect,
            name,
            span: Some(element.stmt.map_or(process.of.place, |stmt| stmt.place).span),
        }
    }

    /// The event of an element, and how the step is written.
    fn named(&mut self, at: usize, id: ElementId, events: &mut Events) -> (EventId, String) {
        if let Some(known) = events.of.get(&id) {
            return known.clone();
        }
        let process = &self.processes[at];
        let element = &process.flow.elements[id];
        let of = &process.of.name;
        let label = element.labels.iter().find_map(|label| process.of.labels.get(label.index()));
        let name = match (label, element.node, element.stmt) {
            (Some(label), ..) => format!("{of}.{}", label.name),
            (None, Node::End, _) => format!("{of}:end"),
            (None, _, Some(stmt)) => format!("{of}:{}", self.words.line(stmt.place)),
            (None, _, None) => format!("{of}:{}", self.words.line(process.of.place)),
        };
        let shown = self.shown(element);
        let name = events.unique.name(&name, '.');
        let event = self.event(name);
        self.number(event, at, id);
        events.of.insert(id, (event, shown.clone()));
        (event, shown)
    }

    /// A step in the words of the source.
    fn shown(&self, element: &Element<'_>) -> String {
        /// A `d_step` can be thousands of statements, too long for a list of steps.
        const MOST: usize = 200;
        let shown = self.written(element);
        match shown.char_indices().nth(MOST) {
            Some((end, _)) => format!("{}…", shown[..end].trim_end()),
            None => shown,
        }
    }

    fn written(&self, element: &Element<'_>) -> String {
        match (element.node, element.stmt) {
            (Node::End, _) => "-end-".to_owned(),
            (Node::Else, _) => "else".to_owned(),
            (Node::Goto(_), Some(stmt)) => self.words.at(stmt.place),
            (Node::Leave(_) | Node::Break, _) => "break".to_owned(),
            (Node::Join, _) => "goto".to_owned(),
            (Node::Skip, _) | (_, None) => "skip".to_owned(),
            (_, Some(stmt)) => self.words.at(stmt.place),
        }
    }
}
