//! The events, moves and actions that have been met.

use std::fmt::Write;
use std::hash::BuildHasher;

use fairly_system::{
    Action, ActionId, Event, EventId, EventKind, Move, MoveId, ProcessId, Signature,
};
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use crate::model::Model;
use crate::variable::ABSENT;

/// The part of an event's name before its values: a family, or a channel with what happens there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Head(u32);

/// What happens on a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happening {
    Rendezvous,
    Send,
    Receive,
}

/// Whose move it is, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MoveKey {
    pub(crate) slot: u32,
    pub(crate) variant: u32,
    pub(crate) location: u32,
    pub(crate) edge: u32,
    pub(crate) event: EventId,
}

/// An event made of values that has been met.
#[derive(Clone, Debug)]
struct Met {
    scope: u32,
    head: Head,
    values: Vec<i64>,
    event: EventId,
}

/// Slots that rename nothing see the same events.
const EVERYONE: u32 = u32::MAX;

/// The tables.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub(crate) signature: Signature,
    /// The event of a step in which something goes wrong before its own event is known.
    pub(crate) fault: EventId,
    /// Events that observers see.
    by_name: HashMap<String, EventId>,
    /// By slot: what is renamed; most rename nothing.
    renamed: Vec<HashMap<String, EventId>>,
    heads: Vec<(String, &'static str)>,
    families: HashMap<String, Head>,
    met: Vec<Met>,
    met_table: HashTable<u32>,
    /// The event that a process waits for that is ready to receive in a rendezvous, by channel.
    waiting: Vec<EventId>,
    moves: HashMap<MoveKey, MoveId>,
    /// By move.
    keys: Vec<MoveKey>,
    actions: Vec<Action>,
    action_table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Names {
    pub(crate) fn new(model: &Model) -> Names {
        let processes = model.slots.iter().map(|slot| slot.name.clone()).collect();
        let mut signature = Signature::new(processes);
        signature.events.clone_from(&model.events);
        let mut by_name = HashMap::new();
        for event in signature.event_ids() {
            if matches!(signature.event_kind(event), EventKind::Visible | EventKind::Termination) {
                by_name.entry(signature.event_name(event).to_owned()).or_insert(event);
            }
        }
        let mut add = |name: String| {
            signature.events.push(Event { name, kind: EventKind::Internal });
            EventId::from_index(signature.events.len() - 1)
        };
        let fault = add("fault".to_owned());
        let meets = |at: usize| model.channels[at].capacity == 0;
        let mut waiting = vec![fault; model.channels.len()];
        if model.has_message_labels() {
            for at in (0..model.channels.len()).filter(|&at| meets(at)) {
                waiting[at] = add(format!("{}?", model.channels[at].name));
            }
        }
        let renamed = |slot: &crate::process::Slot| slot.renamed.iter().cloned().collect();
        let heads = model.channels.iter().flat_map(|channel| {
            let name = &channel.name;
            [(name.clone(), "."), (format!("{name}!"), ""), (format!("{name}?"), "")]
        });
        Names {
            signature,
            fault,
            by_name,
            renamed: model.slots.iter().map(renamed).collect(),
            heads: heads.collect(),
            families: HashMap::new(),
            met: Vec::new(),
            met_table: HashTable::new(),
            waiting,
            moves: HashMap::new(),
            keys: Vec::new(),
            actions: vec![Action { event: EventId::IDLE, participants: vec![], moves: vec![] }],
            action_table: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// The head of a family's events.
    pub(crate) fn family(&mut self, family: &str) -> Head {
        if let Some(&known) = self.families.get(family) {
            return known;
        }
        let head = Head(u32::try_from(self.heads.len()).expect("fewer than 2^32 families"));
        self.heads.push((family.to_owned(), "."));
        self.families.insert(family.to_owned(), head);
        head
    }

    /// The head of a channel's events.
    pub(crate) fn channel(&self, channel: usize, happening: Happening) -> Head {
        Head(u32::try_from(3 * channel + happening as usize).expect("fewer than 2^32 channels"))
    }

    /// The event that a process waits for that is ready to receive in a rendezvous.
    pub(crate) fn waiting(&self, channel: usize) -> EventId {
        self.waiting[channel]
    }

    fn scope(&self, slot: usize) -> u32 {
        if self.renamed[slot].is_empty() { EVERYONE } else { u32::try_from(slot).expect("a slot") }
    }

    /// The event made of values, if it has been met.
    pub(crate) fn met(&self, slot: usize, head: Head, values: &[i64]) -> Option<EventId> {
        let scope = self.scope(slot);
        let hash = self.hasher.hash_one((scope, head, values));
        let same = |&at: &u32| {
            let met = &self.met[at as usize];
            met.scope == scope && met.head == head && met.values == values
        };
        self.met_table.find(hash, same).map(|&at| self.met[at as usize].event)
    }

    /// The event made of values, if it is listed.
    pub(crate) fn listed(&self, slot: usize, head: Head, values: &[i64]) -> Option<EventId> {
        self.met(slot, head, values).or_else(|| self.named(slot, &self.name(head, values)))
    }

    fn named(&self, slot: usize, name: &str) -> Option<EventId> {
        self.renamed[slot].get(name).or_else(|| self.by_name.get(name)).copied()
    }

    fn name(&self, head: Head, values: &[i64]) -> String {
        let (first, separator) = &self.heads[head.0 as usize];
        let mut separator = *separator;
        let mut name = first.clone();
        for value in values.iter().filter(|&&value| value != ABSENT) {
            write!(name, "{separator}{value}").expect("a string takes everything");
            separator = ".";
        }
        name
    }

    /// The event made of values.
    pub(crate) fn event(&mut self, slot: usize, head: Head, values: &[i64]) -> EventId {
        if let Some(event) = self.met(slot, head, values) {
            return event;
        }
        let name = self.name(head, values);
        let event = self.named(slot, &name).unwrap_or_else(|| {
            let event = EventId::from_index(self.signature.events.len());
            self.signature.events.push(Event { name: name.clone(), kind: EventKind::Visible });
            self.by_name.insert(name, event);
            event
        });
        let scope = self.scope(slot);
        let hash = self.hasher.hash_one((scope, head, values));
        let at = u32::try_from(self.met.len()).expect("fewer than 2^32 events");
        self.met.push(Met { scope, head, values: values.to_vec(), event });
        let (met, hasher) = (&self.met, &self.hasher);
        self.met_table.insert_unique(hash, at, |&at| {
            let Met { scope, head, values, .. } = &met[at as usize];
            hasher.hash_one((*scope, *head, values.as_slice()))
        });
        event
    }

    /// The move with this key; `make` gives all of it but the process and the event.
    pub(crate) fn move_id(&mut self, key: MoveKey, edge: Option<&crate::process::Edge>) -> MoveId {
        if let Some(&known) = self.moves.get(&key) {
            return known;
        }
        let id = MoveId::from_index(self.signature.moves.len());
        self.signature.moves.push(Move {
            process: ProcessId(key.slot),
            event: key.event,
            annotation: edge.and_then(|edge| edge.annotation),
            name: edge.map_or("fault".to_owned(), |edge| edge.name.clone()),
            span: edge.and_then(|edge| edge.span),
        });
        self.moves.insert(key, id);
        self.keys.push(key);
        id
    }

    /// Whose move it is, and which.
    pub(crate) fn key(&self, id: MoveId) -> MoveKey {
        self.keys[id.index()]
    }

    /// The action of an event and moves, which are in the order of their processes.
    pub(crate) fn action_id(&mut self, event: EventId, moves: &[MoveId]) -> ActionId {
        let hash = self.hasher.hash_one((event, moves));
        let actions = &self.actions;
        let same = |&at: &u32| {
            let action = &actions[at as usize];
            action.event == event && action.moves == moves
        };
        if let Some(&known) = self.action_table.find(hash, same) {
            return ActionId(known);
        }
        let id = ActionId::from_index(self.actions.len());
        let process = |id: &MoveId| self.signature.moves[id.index()].process;
        let participants = moves.iter().map(process).collect();
        self.actions.push(Action { event, participants, moves: moves.to_vec() });
        let (actions, hasher) = (&self.actions, &self.hasher);
        self.action_table.insert_unique(hash, id.0, |&at| {
            let Action { event, moves, .. } = &actions[at as usize];
            hasher.hash_one((*event, moves.as_slice()))
        });
        id
    }

    /// What an action is.
    pub(crate) fn action(&self, id: ActionId) -> &Action {
        &self.actions[id.index()]
    }
}
