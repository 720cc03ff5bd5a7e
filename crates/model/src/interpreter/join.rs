//! Which actions come of what single processes offer.
//!
//! First everything is put together that fits, whatever the ranks of the edges: single processes,
//! pairs in a rendezvous, gatherings. Then ranks and atomicity take actions away.

use fairly_system::{EventId, Fault};

use super::offers::{Offer, Offers, Role, matches};
use super::program::{Meeting, Program};
use crate::eval::{Faulty, View};
use crate::model::Atomicity;
use crate::process::{Communication, Edge, Gathering};

/// How many combinations of moves are tried for all events of a state.
const COMBINATIONS: usize = 1 << 20;

/// Joint actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Everyone takes the event.
    Event,
    /// The first sends to the second.
    Rendezvous,
    /// The fault with this number.
    Fault(u32),
}

/// An action in a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joint {
    pub(crate) way: Way,
    start: u32,
    end: u32,
}

/// All actions of a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Joints {
    pub(crate) all: Vec<Joint>,
    /// Those of several processes, while they are found.
    together: Vec<Joint>,
    members: Vec<u32>,
    /// By event of the model: the round in which it was last dealt with.
    done: Vec<u32>,
    round: u32,
    least: Vec<u8>,
    wheel: Vec<u32>,
}

impl Joint {
    fn of(self, members: &[u32]) -> &[u32] {
        &members[self.start as usize..self.end as usize]
    }

    /// Those of its members whose step it is.
    fn movers(self, members: &[u32]) -> &[u32] {
        let all = self.of(members);
        if self.way == Way::Rendezvous { &all[..1] } else { all }
    }
}

impl Joints {
    /// The offers that make up an action, by position and in the order in which they happen.
    pub(crate) fn members(&self, joint: Joint) -> &[u32] {
        &self.members[joint.start as usize..joint.end as usize]
    }

    /// Puts offers together; the offers' events are known as far as they are listed. First comes what
    /// processes do alone, then what they do together, each by their offers: native code has them in
    /// the same order.
    pub(crate) fn find(
        &mut self,
        program: &Program,
        cells: &[i64],
        offers: &mut Offers,
        timeout: bool,
        nested: bool,
    ) {
        self.all.clear();
        self.members.clear();
        self.done.resize(program.model.events.len(), 0);
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.done.fill(0);
            self.round = 1;
        }
        let mut tried = 0;
        for at in 0..offers.all.len() {
            let offer = offers.all[at];
            match offer.role {
                Role::Fault(number) => self.push(Way::Fault(number), &[at]),
                Role::Send { channel } => {
                    for other in 0..offers.all.len() {
                        let partner = offers.all[other];
                        if partner.role != (Role::Receive { channel }) || partner.slot == offer.slot
                        {
                            continue;
                        }
                        let row = offer.row.of(&offers.pool);
                        let wanted = partner.row.of(&offers.pool);
                        let view = View {
                            received: Some(row),
                            timeout,
                            nested,
                            ..View::of(program, cells, partner.slot as usize)
                        };
                        let edge = edge(program, &partner);
                        match receives(program, &view, edge, &partner, wanted, row) {
                            Ok(true) => {
                                self.push(Way::Rendezvous, &[at, other]);
                                self.together.extend(self.all.pop());
                            }
                            Ok(false) => {}
                            Err(mut fault) => {
                                fault.span = fault.span.or(edge.span);
                                self.fail(offers, other, *fault);
                            }
                        }
                    }
                }
                Role::Receive { .. } => {}
                Role::Alone | Role::Put { .. } | Role::Get { .. } => {
                    let meeting =
                        offer.event.and_then(|event| Some((event, program.meeting(event)?)));
                    match meeting {
                        None => self.push(Way::Event, &[at]),
                        // The first participant finds all the ways to take an event.
                        Some((event, _)) if self.done[event.index()] == self.round => {}
                        Some((event, meeting)) => {
                            self.done[event.index()] = self.round;
                            if !self.gather(offers, event, meeting, &mut tried) {
                                let name = program.names.signature.event_name(event);
                                let message = format!(
                                    "the event `{name}` can be taken together in more than \
                                     {COMBINATIONS} ways in one state"
                                );
                                self.fail(offers, at, Fault::limit(message, None));
                            }
                        }
                    }
                }
            }
        }
        self.all.append(&mut self.together);
        if offers.ranked {
            self.rank(program, cells, offers);
        }
    }

    fn push(&mut self, way: Way, members: &[usize]) {
        let small = |at: usize| u32::try_from(at).expect("fewer than 2^32 offers");
        let start = small(self.members.len());
        self.members.extend(members.iter().map(|&at| small(at)));
        self.all.push(Joint { way, start, end: small(self.members.len()) });
    }

    fn fail(&mut self, offers: &mut Offers, at: usize, fault: Fault) {
        let number = u32::try_from(offers.faults.len()).expect("fewer than 2^32 faults");
        offers.faults.push(fault);
        self.push(Way::Fault(number), &[at]);
    }

    /// Finds all the ways to take an event; `false` if there are too many.
    fn gather(
        &mut self,
        offers: &Offers,
        event: EventId,
        meeting: &Meeting,
        tried: &mut usize,
    ) -> bool {
        match meeting {
            Meeting::All(slots) => {
                let count = |slot: usize| offers.with(slot, event).count();
                let ways = slots.iter().map(|slot| count(slot.index()));
                *tried = tried.saturating_add(ways.fold(1, usize::saturating_mul));
                if *tried > COMBINATIONS {
                    return false;
                }
                // An odometer over one offer a slot, the last one turning fastest.
                self.wheel.clear();
                for slot in slots {
                    let Some(first) = offers.with(slot.index(), event).next() else { return true };
                    self.wheel.push(first);
                }
                while !self.wheel.is_empty() {
                    let start = u32::try_from(self.members.len()).expect("fewer than 2^32");
                    self.members.extend_from_slice(&self.wheel);
                    let end = u32::try_from(self.members.len()).expect("fewer than 2^32");
                    self.together.push(Joint { way: Way::Event, start, end });
                    let turn = (0..slots.len()).rev().find_map(|at| {
                        let mut with = offers.with(slots[at].index(), event);
                        Some((at, with.find(|&next| next > self.wheel[at])?))
                    });
                    let Some((at, next)) = turn else { break };
                    self.wheel[at] = next;
                    for (place, slot) in self.wheel.iter_mut().zip(slots).skip(at + 1) {
                        let mut with = offers.with(slot.index(), event);
                        *place = with.next().expect("it has been found before");
                    }
                }
                true
            }
            Meeting::Tree(gathering) => {
                let Some(mut ways) = solve(offers, event, gathering, tried) else { return false };
                ways.sort_unstable();
                for way in ways {
                    let start = u32::try_from(self.members.len()).expect("fewer than 2^32");
                    self.members.extend_from_slice(&way);
                    let end = u32::try_from(self.members.len()).expect("fewer than 2^32");
                    self.together.push(Joint { way: Way::Event, start, end });
                }
                true
            }
        }
    }

    /// Takes away actions with an edge although one of smaller rank is possible.
    fn rank(&mut self, program: &Program, cells: &[i64], offers: &Offers) {
        self.least.clear();
        self.least.resize(program.layout.slots.len(), u8::MAX);
        match program.model.atomicity {
            Atomicity::Priority => {
                for &at in &self.members {
                    let offer = &offers.all[at as usize];
                    if !is_atomic(program, cells, offer.slot as usize) {
                        let least = &mut self.least[offer.slot as usize];
                        *least = offer.rank.min(*least);
                    }
                }
                let (members, least) = (&self.members, &self.least);
                self.all.retain(|joint| {
                    members[joint.start as usize..joint.end as usize].iter().all(|&at| {
                        let offer = &offers.all[at as usize];
                        offer.rank <= least[offer.slot as usize]
                    })
                });
            }
            Atomicity::Exclusive => self.rank_movers(offers),
        }
    }

    /// As [`Atomicity::Exclusive`] has it: the ranks of a process that receives in a rendezvous decide
    /// only between its ways to receive this message.
    fn rank_movers(&mut self, offers: &Offers) {
        for joint in &self.all {
            for &at in joint.movers(&self.members) {
                let offer = &offers.all[at as usize];
                let least = &mut self.least[offer.slot as usize];
                *least = offer.rank.min(*least);
            }
        }
        let (members, least, all) = (&self.members, &self.least, &self.all);
        let offer = |at: u32| &offers.all[at as usize];
        let received_before = |joint: &Joint| {
            let &[sender, receiver] = joint.of(members) else { return false };
            joint.way == Way::Rendezvous
                && all.iter().any(|other| match *other.of(members) {
                    [from, to] => {
                        other.way == Way::Rendezvous
                            && from == sender
                            && offer(to).slot == offer(receiver).slot
                            && offer(to).rank < offer(receiver).rank
                    }
                    _ => false,
                })
        };
        let keep: Vec<bool> = all
            .iter()
            .map(|joint| {
                let first = |&at: &u32| offer(at).rank <= least[offer(at).slot as usize];
                joint.movers(members).iter().all(first) && !received_before(joint)
            })
            .collect();
        let mut keep = keep.iter();
        self.all.retain(|_| keep.next() == Some(&true));
    }

    /// Whether an edge of smaller rank keeps an offer from being made.
    pub(crate) fn barred(&self, program: &Program, offers: &Offers, offer: &Offer) -> bool {
        let moved = program.model.atomicity == Atomicity::Exclusive
            && matches!(offer.role, Role::Receive { .. });
        offers.ranked && !moved && offer.rank > self.least[offer.slot as usize]
    }

    /// Whether the process in a slot can take a step, as [`Atomicity::Exclusive`] counts steps.
    pub(crate) fn moves(&self, offers: &Offers, slot: usize) -> bool {
        let is = |at: &u32| offers.all[*at as usize].slot as usize == slot;
        self.all.iter().any(|joint| joint.movers(&self.members).iter().any(is))
    }

    /// Keeps what atomic locations leave of the actions.
    ///
    /// With [`Atomicity::Priority`], those with an edge of rank 0 out of an atomic location, if there
    /// are any. With [`Atomicity::Exclusive`], those that the holder takes; a rendezvous is taken by
    /// the one that sends.
    pub(crate) fn restrict(&mut self, program: &Program, cells: &[i64], offers: &Offers) {
        let members = std::mem::take(&mut self.members);
        let of = |joint: &Joint| &members[joint.start as usize..joint.end as usize];
        let slot = |at: &u32| offers.all[*at as usize].slot as usize;
        match program.model.atomicity {
            Atomicity::Priority => {
                let goes_first = |at: &u32| {
                    offers.all[*at as usize].rank == 0 && is_atomic(program, cells, slot(at))
                };
                let first = |joint: &Joint| of(joint).iter().any(goes_first);
                if self.all.iter().any(first) {
                    self.all.retain(first);
                }
            }
            Atomicity::Exclusive => {
                let holder = program.layout.holder.map_or(-1, |strip| cells[strip.cell as usize]);
                if let Ok(holder) = usize::try_from(holder) {
                    let takes =
                        |joint: &Joint| joint.movers(&members).iter().any(|at| slot(at) == holder);
                    if self.all.iter().any(takes) {
                        self.all.retain(takes);
                    }
                }
            }
        }
        self.members = members;
    }
}

/// Whether there is a process in the slot and it is at an atomic location.
fn is_atomic(program: &Program, cells: &[i64], slot: usize) -> bool {
    let Some(variant) = program.layout.variant(cells, slot) else { return false };
    let template = program.layout.slots[slot].variants[variant].template;
    program.is_atomic(template, program.layout.location(cells, slot))
}

impl Offers {
    /// The offers of a slot with this event, by position.
    fn with(&self, slot: usize, event: EventId) -> impl Iterator<Item = u32> + '_ {
        self.of(slot)
            .filter(move |&at| {
                let offer = &self.all[at];
                let together =
                    matches!(offer.role, Role::Alone | Role::Put { .. } | Role::Get { .. });
                together && offer.event == Some(event)
            })
            .map(|at| u32::try_from(at).expect("fewer than 2^32 offers"))
    }
}

/// All the ways in which an event can be taken, each a sorted list of offers; `None` if there are too
/// many. The depth is that of the tree, which the front ends bound.
fn solve(
    offers: &Offers,
    event: EventId,
    gathering: &Gathering,
    tried: &mut usize,
) -> Option<Vec<Vec<u32>>> {
    match gathering {
        Gathering::Slot(slot) => {
            Some(offers.with(slot.index(), event).map(|at| vec![at]).collect())
        }
        Gathering::One(parts) => {
            let mut ways = Vec::new();
            for part in parts {
                ways.append(&mut solve(offers, event, part, tried)?);
            }
            Some(ways)
        }
        Gathering::All(parts) => {
            let mut ways = vec![Vec::new()];
            for part in parts {
                let more = solve(offers, event, part, tried)?;
                *tried = tried.saturating_add(ways.len().saturating_mul(more.len()));
                if *tried > COMBINATIONS {
                    return None;
                }
                let both = |way: &Vec<u32>, other: &Vec<u32>| {
                    let mut both = [way.as_slice(), other].concat();
                    both.sort_unstable();
                    both
                };
                ways = ways
                    .iter()
                    .flat_map(|way| more.iter().map(move |other| both(way, other)))
                    .collect();
            }
            Some(ways)
        }
    }
}

/// The edge of an offer.
pub(crate) fn edge<'a>(program: &'a Program, offer: &Offer) -> &'a Edge {
    let edges = program.edges(offer.slot as usize, offer.variant as usize, offer.location as usize);
    &edges[offer.edge as usize]
}

/// Whether a process takes a message in a rendezvous.
fn receives(
    program: &Program,
    view: &View<'_>,
    edge: &Edge,
    offer: &Offer,
    wanted: &[i64],
    row: &[i64],
) -> Faulty<bool> {
    let Communication::Receive { pattern, keep, .. } = &edge.communication else {
        return Ok(false);
    };
    if !matches(pattern, wanted, row) {
        return Ok(false);
    }
    let ready = program.ready(offer.slot as usize, offer.variant as usize, offer.location as usize);
    let receives = match ready.is_some_and(|ready| ready.edges[offer.edge as usize].reads_received)
    {
        true => view.test(&edge.guard)?,
        false => true,
    };
    if receives && let Role::Receive { channel } = offer.role {
        view.fits(channel as usize, pattern.len(), *keep)?;
    }
    Ok(receives)
}
