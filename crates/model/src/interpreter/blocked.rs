//! Obstacles that keep processes from moving, for reports of deadlocks.

use fairly_system::{Blocked, EventId, Missing, MoveId, Obstacle, ProcessId};

use super::ModelSpace;
use super::names::MoveKey;
use super::offers::may_exit;
use super::program::Meeting;
use crate::eval::View;
use crate::process::{Communication, Edge, Gathering, Target};
use crate::variable::WhenFull;

impl ModelSpace {
    /// Obstacles that keep each process of an unpacked state from moving. `offered` are the moves that the
    /// processes offer there.
    pub(super) fn find_blocked(&self, cells: &[i64], offered: &[MoveId]) -> Vec<Blocked> {
        let offers: Vec<MoveKey> = offered.iter().map(|&id| self.program.names.key(id)).collect();
        let layout = &self.program.layout;
        let mut all = Vec::new();
        for slot in 0..layout.slots.len() {
            let Some(variant) = layout.variant(cells, slot) else { continue };
            let at = layout.location(cells, slot);
            let template = layout.slots[slot].variants[variant].template;
            let location = self.program.location(template, at);
            let view = View::of(&self.program, cells, slot);
            let mut on: Vec<Obstacle> = Vec::new();
            for (number, edge) in self.program.edges(slot, variant, at).iter().enumerate() {
                let offer = offers
                    .iter()
                    .find(|key| key.slot as usize == slot && key.edge as usize == number);
                let missing = match offer {
                    Some(key) => self.missing_partner(edge, &view, key, &offers),
                    None => self.missing_condition(edge, &view, cells, slot),
                };
                let obstacle =
                    Obstacle { words: self.words(edge, offer), span: edge.span, missing };
                if !on.contains(&obstacle) {
                    on.push(obstacle);
                }
            }
            all.push(Blocked {
                process: ProcessId::from_index(slot),
                at: location.name.clone(),
                may_end: location.may_end,
                on,
            });
        }
        all
    }

    /// An edge as it is shown: by its event where that says more, as `get.0.1` does than `get`.
    fn words(&self, edge: &Edge, offer: Option<&MoveKey>) -> String {
        let signature = &self.program.names.signature;
        let event = offer.map(|key| signature.event_name(key.event));
        match event {
            Some(event) if event.starts_with(edge.name.as_str()) => event.to_owned(),
            _ => edge.name.clone(),
        }
    }

    /// Who is missing for an edge that its process offers.
    fn missing_partner(
        &self,
        edge: &Edge,
        view: &View<'_>,
        offer: &MoveKey,
        offers: &[MoveKey],
    ) -> Missing {
        let channels = &self.program.model.channels;
        let meets = |channel: &crate::Expr| {
            let at = view.channel(channel).ok()?;
            (channels[at].capacity == 0).then(|| channels[at].name.clone())
        };
        match &edge.communication {
            Communication::Send { channel, .. } => meets(channel).map(Missing::Receiver),
            Communication::Receive { channel, .. } => meets(channel).map(Missing::Sender),
            Communication::None => {
                let offered = |slot: usize, event: EventId| {
                    offers.iter().any(|key| key.slot as usize == slot && key.event == event)
                };
                let mut absent = Vec::new();
                match self.program.meeting(offer.event) {
                    Some(Meeting::All(slots)) => {
                        absent.extend(slots.iter().map(|slot| slot.index()));
                    }
                    Some(Meeting::Tree(gathering)) => {
                        with(gathering, offer.slot as usize, &mut absent);
                    }
                    None => {}
                }
                absent.retain(|&slot| !offered(slot, offer.event));
                absent.sort_unstable();
                absent.dedup();
                let absent: Vec<ProcessId> =
                    absent.into_iter().map(ProcessId::from_index).collect();
                (!absent.is_empty()).then_some(Missing::Partners(absent))
            }
        }
        .unwrap_or(Missing::Other)
    }

    /// Missing condition of an edge that its process does not offer.
    fn missing_condition(
        &self,
        edge: &Edge,
        view: &View<'_>,
        cells: &[i64],
        slot: usize,
    ) -> Missing {
        if edge.target == Target::Exit && !may_exit(&self.program, cells, slot) {
            return Missing::LaterProcesses;
        }
        let channels = &self.program.model.channels;
        let guard = view.test(&edge.guard);
        match &edge.communication {
            Communication::None => match guard {
                Ok(true) => Missing::Other,
                _ => Missing::Condition,
            },
            // A guard that reads the message cannot be evaluated without one.
            Communication::Send { channel, .. } => match (guard, view.channel(channel)) {
                (Ok(true), Ok(at))
                    if channels[at].capacity > 0
                        && view.messages(at) == channels[at].capacity
                        && channels[at].when_full == WhenFull::Wait =>
                {
                    Missing::Room(channels[at].name.clone())
                }
                _ => Missing::Condition,
            },
            Communication::Receive { channel, .. } => match (guard, view.channel(channel)) {
                (Ok(false), _) | (_, Err(_)) => Missing::Condition,
                (_, Ok(at)) if channels[at].capacity == 0 => Missing::Other,
                (_, Ok(at)) if view.messages(at) == 0 => {
                    Missing::Message(channels[at].name.clone())
                }
                (_, Ok(at)) => Missing::OtherMessage(channels[at].name.clone()),
            },
        }
    }
}

/// The slots that take an event together with one of them, under every choice that includes it.
fn with(gathering: &Gathering, slot: usize, found: &mut Vec<usize>) {
    let mut open = vec![gathering];
    while let Some(next) = open.pop() {
        match next {
            Gathering::Slot(other) => found.push(other.index()),
            Gathering::All(parts) => open.extend(parts),
            Gathering::One(parts) => {
                // Its own part, or all of them where it is in none.
                let own = parts.iter().find(|part| holds(part, slot));
                match own {
                    Some(own) => open.push(own),
                    None => open.extend(parts),
                }
            }
        }
    }
}

fn holds(gathering: &Gathering, slot: usize) -> bool {
    let mut open = vec![gathering];
    while let Some(next) = open.pop() {
        match next {
            Gathering::Slot(other) if other.index() == slot => return true,
            Gathering::Slot(_) => {}
            Gathering::All(parts) | Gathering::One(parts) => open.extend(parts),
        }
    }
    false
}
