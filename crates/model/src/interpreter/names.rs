//! The events, moves and actions that have been met.

use std::fmt::Write;
use std::hash::BuildHasher;
use std::sync::{PoisonError, RwLock};

use fairly_system::{
    ActionId, Event, EventId, EventKind, Growing, Interner, Move, MoveId, ProcessId, Seen,
    Signature,
};
use hashbrown::HashMap;

use crate::model::Model;
use crate::variable::ABSENT;

/// The part of an event's name before its values: a family, or a channel with what happens there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Head(u32);

/// Operation on a channel.
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

/// The tables. They grow while a model is explored, by any number of threads.
pub(crate) struct Names {
    pub(crate) signature: Signature,
    /// The event of a step in which something goes wrong before its own event is known.
    pub(crate) fault: EventId,
    /// Events that observers see.
    by_name: RwLock<HashMap<String, EventId>>,
    /// By slot: what is renamed; most rename nothing.
    renamed: Vec<HashMap<String, EventId>>,
    heads: Growing<(String, &'static str)>,
    families: RwLock<HashMap<String, Head>>,
    met: Interner<Met>,
    /// The event that a process waits for that is ready to receive in a rendezvous, by channel.
    waiting: Vec<EventId>,
    /// By move.
    keys: Interner<MoveKey>,
}

/// The names that one worker has used.
#[derive(Clone, Debug, Default)]
pub(crate) struct Used {
    met: Seen,
    moves: Seen,
    actions: Seen,
}

impl Names {
    pub(crate) fn new(model: &Model) -> Names {
        let processes = model.slots.iter().map(|slot| slot.name.clone()).collect();
        let mut signature = Signature::new(processes);
        signature.events = model.events.iter().cloned().collect();
        let mut by_name = HashMap::new();
        for event in signature.event_ids() {
            if matches!(signature.event_kind(event), EventKind::Visible | EventKind::Termination) {
                by_name.entry(signature.event_name(event).to_owned()).or_insert(event);
            }
        }
        let fault = signature.add_event("fault", EventKind::Internal);
        let meets = |at: usize| model.channels[at].capacity == 0;
        let mut waiting = vec![fault; model.channels.len()];
        if model.has_message_labels() {
            for at in (0..model.channels.len()).filter(|&at| meets(at)) {
                let name = format!("{}?", model.channels[at].name);
                waiting[at] = signature.add_event(name, EventKind::Internal);
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
            by_name: RwLock::new(by_name),
            renamed: model.slots.iter().map(renamed).collect(),
            heads: heads.collect(),
            families: RwLock::default(),
            met: Interner::new(),
            waiting,
            keys: Interner::new(),
        }
    }

    /// The head of a family's events.
    pub(crate) fn family(&self, family: &str) -> Head {
        let mut families = self.families.write().unwrap_or_else(PoisonError::into_inner);
        *families.entry_ref(family).or_insert_with(|| {
            let at = self.heads.push((family.to_owned(), "."));
            Head(u32::try_from(at).expect("fewer than 2^32 families"))
        })
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

    /// The event made of values, if it is listed.
    pub(crate) fn listed(&self, slot: usize, head: Head, values: &[i64]) -> Option<EventId> {
        let scope = self.scope(slot);
        match self.met.find(&(scope, head, values), |met| met.is(scope, head, values)) {
            Some(at) => Some(self.met.members()[at as usize].event),
            None => self.named(slot, &self.name(head, values)),
        }
    }

    fn named(&self, slot: usize, name: &str) -> Option<EventId> {
        self.renamed[slot].get(name).copied().or_else(|| {
            let by_name = self.by_name.read().unwrap_or_else(PoisonError::into_inner);
            by_name.get(name).copied()
        })
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
    pub(crate) fn event(
        &self,
        used: &mut Used,
        slot: usize,
        head: Head,
        values: &[i64],
    ) -> EventId {
        let scope = self.scope(slot);
        let at = self.met.intern(
            &mut used.met,
            &(scope, head, values),
            |met| met.is(scope, head, values),
            |met, hasher| hasher.hash_one((met.scope, met.head, met.values.as_slice())),
            || {
                let name = self.name(head, values);
                let event = self.named(slot, &name).unwrap_or_else(|| self.add_event(name));
                Met { scope, head, values: values.to_vec(), event }
            },
        );
        self.met.members()[at as usize].event
    }

    /// Lists an event that observers see, unless another thread just did.
    fn add_event(&self, name: String) -> EventId {
        let mut by_name = self.by_name.write().unwrap_or_else(PoisonError::into_inner);
        *by_name.entry(name).or_insert_with_key(|name| {
            let event = Event { name: name.clone(), kind: EventKind::Visible };
            EventId::from_index(self.signature.events.push(event))
        })
    }

    /// The move with this key, by an edge if there is one.
    pub(crate) fn move_id(
        &self,
        used: &mut Used,
        key: MoveKey,
        edge: Option<&crate::process::Edge>,
    ) -> MoveId {
        let at = self.keys.intern(
            &mut used.moves,
            &key,
            |known| *known == key,
            |known, hasher| hasher.hash_one(known),
            || {
                // Both lists grow under the lock of the keys, so positions agree.
                self.signature.moves.push(Move {
                    process: ProcessId(key.slot),
                    event: key.event,
                    annotation: edge.and_then(|edge| edge.annotation),
                    name: edge.map_or("fault".to_owned(), |edge| edge.name.clone()),
                    span: edge.and_then(|edge| edge.span),
                });
                key
            },
        );
        MoveId(at)
    }

    /// The process of a move, and its edge.
    pub(crate) fn key(&self, id: MoveId) -> MoveKey {
        self.keys.members()[id.index()]
    }

    /// The action of an event and moves, which are in the order of their processes.
    #[inline]
    pub(crate) fn action_id(&self, used: &mut Used, event: EventId, moves: &[MoveId]) -> ActionId {
        self.signature.action_id(&mut used.actions, event, moves)
    }
}

impl Met {
    fn is(&self, scope: u32, head: Head, values: &[i64]) -> bool {
        self.scope == scope && self.head == head && self.values == values
    }
}
