//! Offers: steps that single processes can take in a state, whether or not others join in.
//!
//! [`crate::ModelSpace`] says in which order the parts of an edge are evaluated. Something that goes
//! wrong on the way is an offer of its own, to make the fault. A process that sends or receives in a
//! rendezvous offers that without knowing of a partner, and a guard that reads the message is left
//! to [`super::join`].

use fairly_system::{EventId, Fault, MoveId};

use super::names::{Happening, Head, MoveKey, Used};
use super::program::{Prepared, Program};
use crate::eval::{Faulty, View, fault};
use crate::expression::{Pattern, Pick};
use crate::model::Exit;
use crate::process::{Communication, Edge, Label, Target};
use crate::variable::WhenFull;

/// A part of the pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slice {
    start: u32,
    end: u32,
}

impl Slice {
    pub(crate) fn of(self, pool: &[i64]) -> &[i64] {
        &pool[self.start as usize..self.end as usize]
    }

    fn since(start: usize, pool: &[i64]) -> Slice {
        let small = |at: usize| u32::try_from(at).expect("fewer than 2^32 values");
        Slice { start: small(start), end: small(pool.len()) }
    }
}

/// Part of the offer beside the effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Nothing with others, or only its event.
    Alone,
    /// Put the message into the channel.
    Put { channel: u32 },
    /// Receive the message at this place in the channel.
    Get { channel: u32, message: u32 },
    /// Send the message in a rendezvous.
    Send { channel: u32 },
    /// Receive a message that matches the row in a rendezvous.
    Receive { channel: u32 },
    /// Make the fault with this number.
    Fault(u32),
}

/// Step that one process can take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    pub(crate) slot: u32,
    pub(crate) variant: u32,
    pub(crate) location: u32,
    /// `u32::MAX` if the process has no edges because they could not be worked out.
    pub(crate) edge: u32,
    pub(crate) rank: u8,
    pub(crate) role: Role,
    /// The message, or the values of the pattern with 0 where anything will do.
    pub(crate) row: Slice,
    /// The head and the values of its event, if it is made of values.
    made_of: Option<(Head, Slice)>,
    /// Its event, if it has been met.
    pub(crate) event: Option<EventId>,
    /// Its move, if it has been met.
    pub(crate) id: Option<MoveId>,
}

/// All offers of a state, in the order of slots and edges.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offers {
    pub(crate) all: Vec<Offer>,
    pub(crate) pool: Vec<i64>,
    pub(crate) faults: Vec<Fault>,
    /// By slot: where its offers begin; one more for the end.
    starts: Vec<u32>,
    /// Whether a process is at a location whose edges have different ranks.
    pub(crate) ranked: bool,
}

impl Offers {
    /// The offers of a slot, by position.
    pub(crate) fn of(&self, slot: usize) -> std::ops::Range<usize> {
        self.starts[slot] as usize..self.starts[slot + 1] as usize
    }

    /// Finds all offers. `nested` is that of [`View`].
    pub(crate) fn collect(
        &mut self,
        program: &Program,
        cells: &[i64],
        timeout: bool,
        nested: bool,
    ) {
        self.all.clear();
        self.pool.clear();
        self.faults.clear();
        self.starts.clear();
        self.ranked = false;
        for slot in 0..program.layout.slots.len() {
            self.starts.push(self.count());
            let Some(variant) = program.layout.variant(cells, slot) else { continue };
            let location = program.layout.location(cells, slot);
            let small = |value: usize| u32::try_from(value).expect("fewer than 2^32");
            let blank = Offer {
                slot: small(slot),
                variant: small(variant),
                location: small(location),
                edge: u32::MAX,
                rank: 0,
                role: Role::Alone,
                row: Slice::default(),
                made_of: None,
                event: None,
                id: None,
            };
            let Some(ready) = program.ready(slot, variant, location) else {
                let growth = program.failure(slot, variant, location);
                self.fail(blank, Fault::limit(growth.message, growth.span));
                continue;
            };
            self.ranked |= ready.ranked;
            let view = View { timeout, nested, ..View::of(program, cells, slot) };
            let edges = program.edges(slot, variant, location);
            for (at, (edge, prepared)) in edges.iter().zip(&ready.edges).enumerate() {
                let blank = Offer { edge: small(at), rank: edge.rank, ..blank };
                let blank = match prepared.known {
                    Some((event, id)) => Offer { event: Some(event), id: Some(id), ..blank },
                    None => blank,
                };
                if edge.target == Target::Exit && !may_exit(program, cells, slot) {
                    continue;
                }
                match self.offer(&view, edge, prepared, blank) {
                    Ok(Some(offer)) => self.all.push(offer),
                    Ok(None) => {}
                    Err(mut fault) => {
                        fault.span = fault.span.or(edge.span);
                        self.fail(blank, *fault);
                    }
                }
            }
        }
        self.starts.push(self.count());
    }

    fn count(&self) -> u32 {
        u32::try_from(self.all.len()).expect("fewer than 2^32 offers")
    }

    fn fail(&mut self, blank: Offer, fault: Fault) {
        let number = u32::try_from(self.faults.len()).expect("fewer than 2^32 faults");
        self.faults.push(fault);
        self.all.push(Offer { role: Role::Fault(number), ..blank });
    }

    fn offer(
        &mut self,
        view: &View<'_>,
        edge: &Edge,
        prepared: &Prepared,
        mut offer: Offer,
    ) -> Faulty<Option<Offer>> {
        if !prepared.reads_received && !view.test(&edge.guard)? {
            return Ok(None);
        }
        let model = &view.program.model;
        let small = |channel: usize| u32::try_from(channel).expect("fewer than 2^32 channels");
        let mut happening = None;
        match &edge.communication {
            Communication::None => {}
            Communication::Send { channel, message, .. } => {
                let channel = view.channel(channel)?;
                let of = &model.channels[channel];
                let full = view.messages(channel) == of.capacity;
                if of.capacity > 0 && full && of.when_full == WhenFull::Wait {
                    return Ok(None);
                }
                view.arity(channel, message.len())?;
                let start = self.pool.len();
                view.message(channel, message, &mut self.pool)?;
                offer.row = Slice::since(start, &self.pool);
                let meets = of.capacity == 0;
                offer.role = match meets {
                    true => Role::Send { channel: small(channel) },
                    false => Role::Put { channel: small(channel) },
                };
                let what = if meets { Happening::Rendezvous } else { Happening::Send };
                happening = Some((channel, what));
            }
            Communication::Receive { channel, pattern, pick, keep } => {
                let channel = view.channel(channel)?;
                let start = self.pool.len();
                if model.channels[channel].capacity == 0 {
                    self.pattern(view, pattern)?;
                    offer.row = Slice::since(start, &self.pool);
                    offer.role = Role::Receive { channel: small(channel) };
                    if edge.label == Label::Message {
                        offer.event = Some(view.program.names.waiting(channel));
                        return Ok(Some(offer));
                    }
                } else {
                    let count = match pick {
                        Pick::Head => view.messages(channel).min(1),
                        Pick::First => view.messages(channel),
                    };
                    if count == 0 {
                        return Ok(None);
                    }
                    self.pattern(view, pattern)?;
                    let guard = prepared.reads_received.then_some(&edge.guard);
                    let values = Slice::since(start, &self.pool);
                    let start = self.pool.len();
                    let mut found = None;
                    for message in 0..count {
                        let cells = (0..pattern.len().min(view.width(channel)))
                            .map(|cell| view.message_cell(channel, message, cell));
                        self.pool.extend(cells);
                        let row = Slice::since(start, &self.pool).of(&self.pool);
                        let bound = View { received: Some(row), ..*view };
                        if matches(pattern, values.of(&self.pool), row)
                            && guard.map_or(Ok(true), |guard| bound.test(guard))?
                        {
                            found = Some(message);
                            break;
                        }
                        self.pool.truncate(start);
                    }
                    let Some(message) = found else { return Ok(None) };
                    view.fits(channel, pattern.len(), *keep)?;
                    offer.row = Slice::since(start, &self.pool);
                    offer.role = Role::Get { channel: small(channel), message };
                    happening = Some((channel, Happening::Receive));
                }
            }
        }
        if offer.event.is_none() {
            self.label(view, edge, prepared, &mut offer, happening)?;
        }
        Ok(Some(offer))
    }

    /// Finds the event of a label that depends on the state.
    fn label(
        &mut self,
        view: &View<'_>,
        edge: &Edge,
        prepared: &Prepared,
        offer: &mut Offer,
        happening: Option<(usize, Happening)>,
    ) -> Faulty<()> {
        let names = &view.program.names;
        let (head, values) = match (&edge.label, prepared.head, happening) {
            (Label::Data { values, .. }, Some(head), _) => {
                let start = self.pool.len();
                for value in values {
                    let value = view.eval(value)?;
                    self.pool.push(value);
                }
                (head, Slice::since(start, &self.pool))
            }
            (Label::Message, _, Some((channel, what))) => (names.channel(channel, what), offer.row),
            _ => return fault("the event of a communication, but there is none"),
        };
        offer.made_of = Some((head, values));
        Ok(())
    }

    fn pattern(&mut self, view: &View<'_>, pattern: &[Pattern]) -> Faulty<()> {
        for cell in pattern {
            let value = match cell {
                Pattern::Any => 0,
                Pattern::Equal(value) => view.eval(value)?,
            };
            self.pool.push(value);
        }
        Ok(())
    }

    /// Lists the events and moves of all offers.
    pub(crate) fn resolve(&mut self, program: &Program, used: &mut Used) {
        for offer in &mut self.all {
            if offer.id.is_some() {
                continue;
            }
            let names = &program.names;
            let event = match (offer.event, offer.made_of, offer.role) {
                (_, _, Role::Fault(_)) => names.fault,
                (Some(event), ..) => event,
                (None, Some((head, values)), _) => {
                    names.event(used, offer.slot as usize, head, values.of(&self.pool))
                }
                (None, None, _) => names.fault,
            };
            offer.event = Some(event);
            let Offer { slot, variant, location, edge, .. } = *offer;
            let edges = program.edges(slot as usize, variant as usize, location as usize);
            let key = MoveKey { slot, variant, location, edge, event };
            offer.id = Some(names.move_id(used, key, edges.get(edge as usize)));
        }
    }

    /// Finds the events of all offers that are listed. Events that are not are taken alone, so that
    /// this is enough to know what is enabled.
    pub(crate) fn look_up(&mut self, program: &Program) {
        for offer in &mut self.all {
            if let (None, Some((head, values))) = (offer.event, offer.made_of) {
                let values = values.of(&self.pool);
                offer.event = program.names.listed(offer.slot as usize, head, values);
            }
        }
    }
}

/// Whether a row is one that the pattern, with these values, lets through.
pub(crate) fn matches(pattern: &[Pattern], values: &[i64], row: &[i64]) -> bool {
    let mut cells = pattern.iter().zip(values).zip(row);
    cells.all(|((cell, value), found)| *cell == Pattern::Any || value == found)
}

/// Whether the rule for leaving allows it to the process in a slot.
pub(crate) fn may_exit(program: &Program, cells: &[i64], slot: usize) -> bool {
    match program.model.exit {
        Exit::Any => true,
        Exit::LastFirst => (slot + 1..program.layout.slots.len())
            .all(|later| program.layout.variant(cells, later).is_none()),
    }
}
