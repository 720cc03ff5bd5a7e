//! The skeleton of a model.
//!
//! Parts of a state are: elements of variables of the model, those variables of processes that others
//! read, the two ends of every buffered channel, the location of every process, whether a slot is in
//! use, and who moved last.
//!
//! A send that can be done changes only the end of a channel where messages come in, a receive only the other
//! one: a process with an end for itself is not disturbed by steps at the other. Whether the channel is empty
//! or full decides if they can be done at all, so a send or receive that cannot be done depends on both ends.
//! That is more than footprints know ([`fairly_model::Footprints`]), so here they are asked about edges without
//! their communication.

use fairly_model::{
    Access, AnyVariable, Atomicity, BinaryOp, Communication, Edge, Exit, Expr, Faint, Footprint,
    Footprints, Gathering, Label, LocalId, LocationId, Model, ModelSpace, Order, Owner, Pattern,
    Pick, SlotId, Statement, StatementKind, Storage, Strip, Target, TemplateId, WhenFull,
};
use fairly_omega::Stop;
use fairly_system::{EventId, EventKind, MoveId, Space};
use hashbrown::{HashMap, HashSet};

use crate::anonymous::are_anonymous;
use crate::bits::Bits;
use crate::cycles;
use crate::demand;
use crate::known::{Known, SlotEdge};
use crate::reduced::Unsuited;
use crate::skeleton::{Change, Climb, Fill, Need, Skeleton, Spot, Step, Tone, Users};
use crate::watched::{self, Names, Place, Watched};

/// Steps of all processes that are compared with each other, at the most.
const MOST_STEPS: usize = 20_000;

/// The skeleton of a model, unless it is time to stop before it is made.
pub(crate) fn skeleton(
    space: &ModelSpace,
    watched: &Watched,
    stop: Stop,
) -> Result<Skeleton, Unsuited> {
    let mut skeleton = without_cycles(space, watched, stop)?;
    let model = space.model();
    // Variables that may be reset in some question are not seen to grow.
    let dead_resets = Faint::new(model, space.layout(), &[]);
    let climb = |slot: usize, variant: usize, local: u32, by: i64| {
        let of = &space.layout().slots[slot].variants[variant];
        if dead_resets.has_local(of.template, LocalId(local)) {
            return None;
        }
        let range = model.template(of.template).local(LocalId(local)).range;
        let strip = of.locals[local as usize];
        Some(Climb { strip, by, low: range.low, high: range.high })
    };
    if stop.is_due() {
        return Err(Unsuited::Stopped);
    }
    cycles::break_all(&mut skeleton, &climb);
    Ok(skeleton)
}

/// The same without the condition on cycles.
pub(crate) fn without_cycles(
    space: &ModelSpace,
    watched: &Watched,
    stop: Stop,
) -> Result<Skeleton, Unsuited> {
    let model = space.model();
    let locations = || model.templates.iter().flat_map(|template| &template.locations);
    if locations().any(|location| location.edges.is_none()) {
        return Err(Unsuited::Open);
    }
    if model.atomicity == Atomicity::Priority && locations().any(|location| location.atomic) {
        return Err(Unsuited::Priorities);
    }
    let mut atoms = watched.values.clone();
    for atom in watched.all_atoms() {
        atoms.push(space.atom_expression(atom).ok_or(Unsuited::Stuck)?);
    }
    let variants = space.layout().slots.iter().map(|slot| &slot.variants);
    let kinds = variants.map(|all| all.iter().map(|variant| variant.template).collect());
    let kinds: Vec<Vec<TemplateId>> = kinds.collect();
    let edges = |template: &TemplateId| -> usize {
        let locations = model.template(*template).locations.iter();
        locations.map(|location| location.edges.as_ref().map_or(0, Vec::len)).sum()
    };
    if kinds.iter().flatten().map(edges).sum::<usize>() > MOST_STEPS {
        return Err(Unsuited::Large);
    }
    let looked_up = watched.looked_up.and_then(|atom| space.atom_expression(atom));
    let seen: Vec<Expr> = atoms.iter().cloned().chain(looked_up).collect();
    let mut maker = Maker::new(model, space.signature(), kinds, &atoms);
    maker.anonymous = are_anonymous(model, space.layout(), watched, &seen);
    maker.faint = Faint::new(model, space.layout(), &seen);
    maker.known = Known::of(model, &maker.kinds, stop);
    maker.lengths = space.layout().channels.iter().map(|channel| channel.length).collect();
    let mut skeleton = maker.skeleton(stop)?;
    skeleton.holder = space.layout().holder;
    skeleton.complete();
    if stop.is_due() {
        return Err(Unsuited::Stopped);
    }
    let (reads, places) = maker.watched(&atoms);
    watched::hide_from_atoms(&mut skeleton, &reads, &places);
    let part = |id: MoveId| space.part(id);
    let names = Names { signature: space.signature(), part: &part };
    demand::hide_from_constraints(&mut skeleton, &watched.constraints, &names);
    Ok(skeleton)
}

/// Makes a skeleton.
struct Maker<'m> {
    model: &'m Model,
    signature: &'m fairly_system::Signature,
    /// By slot: the kinds of process that can be in it, in the order of a state's layout.
    kinds: Vec<Vec<TemplateId>>,
    /// The model without communication.
    silent: Model,
    /// The model without communication and effects.
    guards: Model,
    /// Where each variable of the model begins, and whether its elements are told apart.
    variables: Vec<(usize, bool)>,
    /// Variables of processes that others read.
    shared: HashMap<(u32, TemplateId, LocalId), usize>,
    /// Where the ends of channels, the locations and the slots begin.
    channels: usize,
    controls: usize,
    running: usize,
    last_mover: usize,
    parts: usize,
    /// By event: what it is as an offer, and who takes it together.
    gathered: HashMap<EventId, (u32, Gathered)>,
    /// Where the offers in rendezvous begin: to send, to receive, by channel.
    meetings: usize,
    offers: usize,
    /// Whether slots of processes, and so the slots in use, cannot be told apart.
    anonymous: bool,
    /// Variables that nothing depends on, whose order of assignments makes no difference.
    faint: Faint,
    /// Values of variables that have few.
    known: Known,
    /// By channel: where a state has how many messages are in it.
    lengths: Vec<Strip>,
}

/// Who takes an event together.
#[derive(Clone)]
struct Gathered {
    slots: Vec<u32>,
    /// Whether it is all of them.
    all: bool,
}

impl<'m> Maker<'m> {
    fn new(
        model: &'m Model,
        signature: &'m fairly_system::Signature,
        kinds: Vec<Vec<TemplateId>>,
        atoms: &[Expr],
    ) -> Maker<'m> {
        let mut silent = model.clone();
        // Who has to leave first is known better here.
        silent.exit = Exit::Any;
        edges_mut(&mut silent).for_each(silence);
        let mut guards = silent.clone();
        for template in &mut guards.templates {
            for (at, location) in template.locations.iter_mut().enumerate() {
                let at = LocationId::from_index(at);
                location.edges.iter_mut().flatten().for_each(|edge| guard_only(edge, at));
            }
        }
        let mut parts = 0;
        let mut variables = Vec::new();
        for variable in &model.variables {
            let apart = variable.cells() <= 256;
            variables.push((parts, apart));
            parts += if apart { variable.cells() } else { 1 };
        }
        let mut shared = HashMap::new();
        for (template, local) in remote_reads(model, atoms) {
            for (slot, of) in (0u32..).zip(&model.slots) {
                if of.templates.contains(&template) {
                    shared.entry((slot, template, local)).or_insert_with(|| {
                        parts += 1;
                        parts - 1
                    });
                }
            }
        }
        let channels = parts;
        let controls = channels + 2 * model.channels.len();
        let running = controls + model.slots.len();
        let last_mover = running + model.slots.len();
        let mut gathered = HashMap::new();
        for (number, (event, gathering)) in (0u32..).zip(&model.gatherings) {
            let mut slots = Vec::new();
            let all = flatten(gathering, &mut slots);
            slots.sort_unstable();
            slots.dedup();
            gathered.insert(*event, (number, Gathered { slots, all }));
        }
        let meetings = model.gatherings.len();
        Maker {
            model,
            signature,
            kinds,
            silent,
            guards,
            variables,
            shared,
            channels,
            controls,
            running,
            last_mover,
            parts: last_mover + 1,
            gathered,
            meetings,
            offers: meetings + 2 * model.channels.len(),
            anonymous: false,
            faint: Faint::default(),
            known: Known::default(),
            lengths: Vec::new(),
        }
    }

    fn skeleton(&self, stop: Stop) -> Result<Skeleton, Unsuited> {
        let silent = Footprints::new(&self.silent);
        let guards = Footprints::new(&self.guards);
        let plain = Footprints::new(self.model);
        let mut slots = Vec::new();
        for (slot, kinds) in self.kinds.iter().enumerate() {
            let mut variants = Vec::new();
            for &template in kinds {
                let mut spots = Vec::new();
                let locations = self.known.edges(self.model, slot, template);
                for (at, edges) in locations.iter().enumerate() {
                    let from = LocationId::from_index(at);
                    if stop.is_due() {
                        return Err(Unsuited::Stopped);
                    }
                    let mut plainer: Vec<Edge> = edges.iter().map(|it| it.edge.clone()).collect();
                    plainer.iter_mut().for_each(silence);
                    let taken = silent.location(template, from, &plainer);
                    plainer.iter_mut().for_each(|edge| guard_only(edge, from));
                    let guard = guards.location(template, from, &plainer);
                    let hindrances = self.hindrances(slot, edges, &plain);
                    let steps = edges.iter().zip(taken.iter().zip(&guard)).map(|(of, both)| {
                        let before = hindrances.iter().rfind(|(rank, _)| *rank < of.edge.rank);
                        let before = before.map(|(_, parts)| parts);
                        self.step(slot, template, of, before, [both.0, both.1], &plain)
                    });
                    spots.push(Spot { steps: steps.collect(), ..Spot::default() });
                }
                variants.push(spots);
            }
            slots.push(variants);
        }
        let starts = slots.iter().flatten().flatten().flat_map(|spot: &Spot| &spot.steps);
        let starts = starts.into_iter().any(|step| !step.starts.is_empty());
        // A termination that fewer than all take is one after which others go on.
        let ends_together = slots.iter().flatten().flatten().all(|spot: &Spot| {
            spot.steps.iter().filter(|step| step.ends).all(|step| match step.needs.as_slice() {
                [Need::All { slots, .. }] => slots.len() + 1 == self.model.slots.len(),
                _ => self.model.slots.len() == 1,
            })
        });
        Ok(Skeleton {
            slots,
            parts: self.parts,
            offers: self.offers,
            last_first: self.model.exit == Exit::LastFirst,
            starts,
            own: (0..self.model.slots.len()).map(|slot| self.own(slot)).collect(),
            anonymous: self.anonymous,
            holder: None,
            ends_together,
            users: Users::default(),
        })
    }

    /// Parts that belong to the process in a slot: its location, and its variables.
    fn own(&self, slot: usize) -> Bits {
        let mut own = Bits::new(self.parts);
        own.insert(self.controls + slot);
        let shared = self.shared.iter().filter(|((of, ..), _)| *of as usize == slot);
        shared.for_each(|(_, &part)| _ = own.insert(part));
        own
    }

    /// Those behind have to leave first.
    fn waits_to_leave(&self, slot: usize, edge: &Edge, bits: &mut Bits) {
        let waits = self.model.exit == Exit::LastFirst && !self.anonymous;
        if edge.target == Target::Exit && waits {
            for behind in slot + 1..self.model.slots.len() {
                bits.insert(self.running + behind);
            }
        }
    }

    /// By rank among the edges of a location, in increasing order: what decides whether an edge of that rank or
    /// a smaller one can be taken, which keeps all others from it.
    fn hindrances(
        &self,
        slot: usize,
        edges: &[SlotEdge],
        plain: &Footprints<'_>,
    ) -> Vec<(u8, Bits)> {
        let mut ranks: Vec<u8> = edges.iter().map(|of| of.edge.rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        // Nothing comes after the last one.
        ranks.pop();
        let mut all = Bits::new(self.parts);
        ranks
            .into_iter()
            .map(|rank| {
                for of in edges.iter().filter(|of| of.edge.rank == rank) {
                    self.waits_to_leave(slot, &of.edge, &mut all);
                    self.both_ends(of, &mut all);
                    all.join(&self.spoken(slot, of, plain));
                    if self.is_joint(slot, of) {
                        all.fill();
                    }
                }
                (rank, all.clone())
            })
            .collect()
    }

    fn step(
        &self,
        slot: usize,
        template: TemplateId,
        of: &SlotEdge,
        before: Option<&Bits>,
        [taken, guard]: [&Footprint; 2],
        plain: &Footprints<'_>,
    ) -> Step {
        let edge = &of.edge;
        let mut reads = self.bits(slot, &taken.reads, false);
        let mut writes = self.bits(slot, &taken.writes, true);
        let mut enabling = self.bits(slot, &guard.reads, false);
        let spoken = self.spoken(slot, of, plain);
        reads.join(&spoken);
        enabling.join(&spoken);
        self.ends(of, &mut reads, &mut writes);
        let mut at_head = self.at_head(of).map(|(length, end)| {
            let mut enabling = enabling.clone();
            enabling.insert(end);
            (length, enabling)
        });
        self.both_ends(of, &mut enabling);
        let mut others = Bits::new(self.parts);
        self.waits_to_leave(slot, edge, &mut others);
        // An edge of smaller rank that can be taken keeps this one from it.
        if let Some(before) = before {
            others.join(before);
        }
        reads.join(&others);
        enabling.join(&others);
        at_head.iter_mut().for_each(|(_, enabling)| _ = enabling.join(&others));
        let exits = edge.target == Target::Exit;
        let (offers, needs, varies) = self.meetings(slot, of);
        let waits = waits(&edge.guard);
        let asks_timeout =
            edge.any(&mut |expr| matches!(expr, Expr::Timeout | Expr::Executable(_)));
        let starts = self.starts(&edge.effect);
        let sure = edge.guard == Expr::TRUE;
        let silent = edge.communication == Communication::None;
        let may_leave = !exits || self.model.exit == Exit::Any;
        let alone = needs.is_empty() && silent;
        let event = match &edge.label {
            Label::Event(event) => Some(*event),
            Label::Data { .. } | Label::Message => None,
        };
        let ends = self.events(slot, edge).into_iter().any(|event| self.is_termination(event));
        Step {
            target: match edge.target {
                Target::Location(to) => Some(to.0),
                Target::Exit => None,
            },
            holds: edge.hold,
            waits,
            never: edge.guard == Expr::FALSE,
            rank: edge.rank,
            enabling,
            at_head,
            reads,
            writes,
            all_reads: Bits::default(),
            all_writes: Bits::default(),
            later: Bits::default(),
            offers,
            needs,
            varies,
            event,
            always_enabled: sure && alone && may_leave && !varies,
            always_offered: sure && silent && may_leave,
            changes: changes(&self.model.template(template).locals, &edge.effect),
            fills: self.fills(of),
            tone: match (starts.is_empty() || self.anonymous) && !asks_timeout && !ends {
                true => Tone::Quiet,
                false => Tone::Loud,
            },
            owed: false,
            ends,
            starts,
            start_count: start_count(&edge.effect),
            climb: None,
            lonely: false,
        }
    }

    fn is_termination(&self, event: EventId) -> bool {
        self.signature.event_kind(event) == EventKind::Termination
    }

    /// The parts that accesses of a process in a slot are about.
    fn bits(&self, slot: usize, accesses: &[Access], writes: bool) -> Bits {
        let mut bits = Bits::new(self.parts);
        for &access in accesses {
            self.access(slot, access, writes, &mut bits);
        }
        bits
    }

    fn access(&self, slot: usize, access: Access, writes: bool, bits: &mut Bits) {
        let count = self.model.slots.len();
        let all = |owner: Owner| match owner {
            Owner::Own => slot..slot + 1,
            Owner::Slot(slot) => slot.index()..(slot.index() + 1).min(count),
            Owner::Any => 0..count,
        };
        // A process that starts another gives it all its variables and its location; who reads them
        // reads whether the slot is in use, too, and the slot was not.
        let another = |owner: Owner| writes && owner != Owner::Own;
        match access {
            Access::Everything => bits.fill(),
            Access::Global(variable, _) if self.faint.has_global(variable) => {}
            Access::Global(variable, element) => {
                let (first, apart) = self.variables[variable.index()];
                let cells = self.model.variables[variable.index()].cells();
                match element {
                    _ if !apart => {
                        bits.insert(first);
                    }
                    Some(element) if (element as usize) < cells => {
                        bits.insert(first + element as usize);
                    }
                    _ => (first..first + cells).for_each(|part| {
                        bits.insert(part);
                    }),
                }
            }
            Access::Local { owner, .. } | Access::Control(owner) if another(owner) => {}
            Access::Local { owner, template, local, .. } => {
                for slot in all(owner) {
                    let slot = u32::try_from(slot).expect("a slot");
                    if let Some(&part) = self.shared.get(&(slot, template, local)) {
                        bits.insert(part);
                    }
                }
            }
            Access::Channel(channel) => {
                let all = match channel {
                    Some(channel) if channel.index() < self.model.channels.len() => {
                        channel.index()..channel.index() + 1
                    }
                    _ => 0..self.model.channels.len(),
                };
                for channel in all {
                    bits.insert(self.channels + 2 * channel);
                    bits.insert(self.channels + 2 * channel + 1);
                }
            }
            // No other process moves a process.
            Access::Control(Owner::Own) if !writes => {}
            Access::Control(owner) => all(owner).for_each(|slot| {
                bits.insert(self.controls + slot);
            }),
            Access::Running(_) if self.anonymous => {}
            Access::Running(owner) => all(owner).for_each(|slot| {
                bits.insert(self.running + slot);
            }),
            // In a state in which no process holds, the next one to hold makes no difference to steps before.
            Access::Holder => {}
            Access::LastMover => {
                bits.insert(self.last_mover);
            }
        }
    }

    /// Parts that the values of a communication, and the existence of its channel, depend on.
    fn spoken(&self, slot: usize, of: &SlotEdge, plain: &Footprints<'_>) -> Bits {
        let mut bits = Bits::new(self.parts);
        let mut read = |expr: &Expr| {
            bits.join(&self.bits(slot, &plain.proposition(expr).reads, false));
        };
        let channel = match &of.edge.communication {
            Communication::None => return bits,
            Communication::Send { channel, message, .. } => {
                message.iter().for_each(&mut read);
                channel
            }
            Communication::Receive { channel, pattern, .. } => {
                for cell in pattern {
                    if let Pattern::Equal(value) = cell {
                        read(value);
                    }
                }
                channel
            }
        };
        read(channel);
        // A channel is there as long as its owner.
        for &channel in &of.channels {
            if let Some((owner, _)) = self.model.channels[channel].owner
                && owner.index() != slot
                && !self.anonymous
            {
                bits.insert(self.running + owner.index());
            }
        }
        bits
    }

    /// Accesses of a communication to the ends of channels.
    fn ends(&self, of: &SlotEdge, reads: &mut Bits, writes: &mut Bits) {
        match &of.edge.communication {
            Communication::None => {}
            Communication::Send { order, .. } => {
                for &channel in &of.channels {
                    let of = &self.model.channels[channel];
                    if of.capacity > 0 {
                        writes.insert(self.channels + 2 * channel);
                        if of.when_full == WhenFull::Lose || *order == Order::Sorted {
                            writes.insert(self.channels + 2 * channel + 1);
                        }
                    }
                }
            }
            Communication::Receive { keep, .. } => {
                for &channel in &of.channels {
                    if self.model.channels[channel].capacity > 0 {
                        let end = self.channels + 2 * channel + 1;
                        if *keep {
                            reads.insert(end)
                        } else {
                            writes.insert(end)
                        };
                    }
                }
            }
        }
    }

    /// Both ends of the channels that decide whether a communication can be done.
    fn both_ends(&self, of: &SlotEdge, bits: &mut Bits) {
        for &channel in &of.channels {
            if self.model.channels[channel].capacity > 0 {
                bits.insert(self.channels + 2 * channel);
                bits.insert(self.channels + 2 * channel + 1);
            }
        }
    }

    /// The length of the channel whose first message an edge waits for, in a state, and the end where that is taken.
    fn at_head(&self, of: &SlotEdge) -> Option<(Strip, usize)> {
        let Communication::Receive { pick: Pick::Head, .. } = &of.edge.communication else {
            return None;
        };
        let [channel] = of.channels[..] else { return None };
        let is_buffered = self.model.channels[channel].capacity > 0;
        is_buffered.then(|| (self.lengths[channel], self.channels + 2 * channel + 1))
    }

    /// Effects of an edge on the numbers of messages in buffered channels.
    fn fills(&self, of: &SlotEdge) -> Vec<(u32, Fill)> {
        let small = |number: usize| u32::try_from(number).expect("a channel");
        let mut fills = Vec::new();
        let buffered = || of.channels.iter().filter(|&&it| self.model.channels[it].capacity > 0);
        let is_certain = of.channels.len() == 1;
        match &of.edge.communication {
            Communication::None | Communication::Receive { keep: true, .. } => {}
            Communication::Send { .. } => fills.extend(buffered().map(|&channel| {
                let waits = self.model.channels[channel].when_full == WhenFull::Wait;
                (small(channel), if is_certain && waits { Fill::Puts } else { Fill::MayPut })
            })),
            Communication::Receive { keep: false, .. } => {
                fills.extend(buffered().map(|&channel| {
                    (small(channel), if is_certain { Fill::Takes } else { Fill::MayTake })
                }));
            }
        }
        each(&of.edge.effect, &mut |kind| {
            let (channel, fill) = match kind {
                StatementKind::Put { channel, .. } => (channel, Fill::MayPut),
                StatementKind::Take { channel, keep: false, .. } => (channel, Fill::MayTake),
                _ => return,
            };
            let only = constant(channel).and_then(|number| usize::try_from(number).ok());
            let channels = match only.filter(|&number| number < self.model.channels.len()) {
                Some(only) => only..only + 1,
                None => 0..self.model.channels.len(),
            };
            fills.extend(channels.map(|channel| (small(channel), fill)));
        });
        fills
    }

    fn is_joint(&self, slot: usize, of: &SlotEdge) -> bool {
        let (_, needs, varies) = self.meetings(slot, of);
        !needs.is_empty() || varies
    }

    /// Offers of an edge to others, the partners that it needs, and whether that depends on the state.
    fn meetings(&self, slot: usize, of: &SlotEdge) -> (Vec<u32>, Vec<Need>, bool) {
        let edge = &of.edge;
        let (mut offers, mut needs) = (Vec::new(), Vec::new());
        let mut buffered = true;
        let small = |number: usize| u32::try_from(number).expect("an offer");
        if edge.communication != Communication::None {
            let sends = usize::from(matches!(edge.communication, Communication::Receive { .. }));
            buffered = false;
            for &channel in &of.channels {
                if self.model.channels[channel].capacity > 0 {
                    buffered = true;
                    continue;
                }
                offers.push(small(self.meetings + 2 * channel + sends));
                needs.push(Need::Partner { offer: small(self.meetings + 2 * channel + 1 - sends) });
            }
        }
        // A rendezvous is not gathered.
        if !buffered {
            return (offers, needs, false);
        }
        let mut varies = false;
        let gathered = self.events(slot, edge);
        varies |= !matches!(edge.label, Label::Event(_));
        let mut is_gathered = false;
        for event in gathered {
            let Some((offer, of)) = self.gathered.get(&event) else { continue };
            let own = u32::try_from(slot).expect("a slot");
            is_gathered = true;
            offers.push(*offer);
            let slots = of.slots.iter().copied().filter(|&slot| slot != own).collect();
            // An event that is taken by others only is never taken here.
            needs.push(match of.all && !varies && of.slots.contains(&own) {
                true => Need::All { slots, offer: *offer },
                false => Need::Some { slots, offer: *offer },
            });
        }
        needs.retain(|need| !matches!(need, Need::All { slots, .. } if slots.is_empty()));
        (offers, needs, varies && is_gathered)
    }

    /// The events of the model that an edge of a slot may take.
    fn events(&self, slot: usize, edge: &Edge) -> Vec<EventId> {
        match &edge.label {
            Label::Event(event) => vec![*event],
            Label::Data { family, .. } => self.family(slot, |name| is_of(name, family, &['.'])),
            Label::Message => self.family(slot, |name| {
                let mut channels = self.model.channels.iter();
                channels.any(|channel| is_of(name, &channel.name, &['!', '?', '.']))
            }),
        }
    }

    /// The events of the model that an edge of a slot may take whose name is made of values.
    fn family(&self, slot: usize, is_of: impl Fn(&str) -> bool) -> Vec<EventId> {
        let events = (0..self.model.events.len()).map(EventId::from_index);
        let named = events.filter(|event| is_of(&self.model.events[event.index()].name));
        let renamed = self.model.slots[slot].renamed.iter();
        let renamed = renamed.filter(|(name, _)| is_of(name)).map(|(_, event)| *event);
        let mut all: Vec<EventId> = named.chain(renamed).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Slots and kinds of the processes that statements may start.
    fn starts(&self, statements: &[Statement]) -> Vec<(u32, u32)> {
        let mut started = Vec::new();
        each(statements, &mut |kind| {
            if let StatementKind::Start { template, .. } = kind {
                for (slot, kinds) in (0u32..).zip(&self.kinds) {
                    if self.known.is_absent(slot as usize, *template) {
                        continue;
                    }
                    let variant = kinds.iter().position(|other| other == template);
                    started.extend(variant.map(|it| (slot, u32::try_from(it).expect("few kinds"))));
                }
            }
        });
        started
    }

    /// Parts that expressions over states read, and locations of processes that they name.
    fn watched(&self, atoms: &[Expr]) -> (Bits, Vec<Place>) {
        let footprints = Footprints::new(self.model);
        let mut places = Vec::new();
        let mut reads = Bits::new(self.parts);
        for atom in atoms {
            let rest = self.without_places(atom, &mut places);
            reads.join(&self.bits(0, &footprints.proposition(&rest).reads, false));
        }
        (reads, places)
    }

    /// An expression with the questions where processes are taken out, to be asked exactly.
    fn without_places(&self, expr: &Expr, places: &mut Vec<Place>) -> Expr {
        let mut again = |inner: &Expr| self.without_places(inner, places);
        match expr {
            Expr::At { slot, template, locations } => {
                let Some(slot) = constant(slot).and_then(|slot| usize::try_from(slot).ok()) else {
                    return expr.clone();
                };
                let Some(kinds) = self.kinds.get(slot) else { return expr.clone() };
                if let Some(variant) = kinds.iter().position(|it| it == template) {
                    let count = self.model.template(*template).locations.len();
                    let mut inside = vec![false; count];
                    locations.iter().for_each(|location| inside[location.index()] = true);
                    places.push(Place { slot, variant, inside });
                }
                // A process that leaves is seen to leave its location, and no quiet step starts one.
                Expr::FALSE
            }
            Expr::Unary(op, inner) => Expr::unary(*op, again(inner)),
            Expr::Binary(op, both) => {
                let left = again(&both.0);
                Expr::binary(*op, left, again(&both.1))
            }
            Expr::Conditional(parts) => {
                let (first, second) = (again(&parts.0), again(&parts.1));
                Expr::Conditional(Box::new((first, second, again(&parts.2))))
            }
            other => other.clone(),
        }
    }
}

/// Whether the name of an event begins with this part.
fn is_of(name: &str, first: &str, separators: &[char]) -> bool {
    name.strip_prefix(first).is_some_and(|rest| rest.is_empty() || rest.starts_with(separators))
}

/// The slots of a gathering; whether all of them take the event together.
fn flatten(gathering: &Gathering, slots: &mut Vec<u32>) -> bool {
    match gathering {
        Gathering::Slot(SlotId(slot)) => {
            slots.push(*slot);
            true
        }
        Gathering::All(parts) => {
            // Every part has to be asked for its slots.
            let all: Vec<bool> = parts.iter().map(|part| flatten(part, slots)).collect();
            all.into_iter().all(|it| it)
        }
        Gathering::One(parts) => {
            parts.iter().for_each(|part| {
                flatten(part, slots);
            });
            parts.len() == 1 && matches!(parts[0], Gathering::Slot(_))
        }
    }
}

/// Takes the communication out of an edge.
fn silence(edge: &mut Edge) {
    edge.communication = Communication::None;
    // Later steps of the same action are put together with it.
    edge.hold = false;
}

/// Leaves of an edge out of a location only what decides whether it can be taken.
fn guard_only(edge: &mut Edge, from: LocationId) {
    edge.effect.clear();
    edge.label = Label::Event(EventId::IDLE);
    edge.target = Target::Location(from);
}

fn edges_mut(model: &mut Model) -> impl Iterator<Item = &mut Edge> {
    let locations = model.templates.iter_mut().flat_map(|template| &mut template.locations);
    locations.filter_map(|location| location.edges.as_mut()).flatten()
}

/// Variables of processes that another process or a proposition reads.
fn remote_reads(model: &Model, atoms: &[Expr]) -> HashSet<(TemplateId, LocalId)> {
    let mut found = HashSet::new();
    let footprints = Footprints::new(model);
    let mut note = |reads: &[Access]| {
        for access in reads {
            if let Access::Local { owner, template, local, .. } = access
                && *owner != Owner::Own
            {
                found.insert((*template, *local));
            }
        }
    };
    for (at, template) in model.templates.iter().enumerate() {
        let id = TemplateId::from_index(at);
        for (from, location) in template.locations.iter().enumerate() {
            let from = fairly_model::LocationId::from_index(from);
            for edge in 0..location.edges.as_ref().map_or(0, Vec::len) {
                note(&footprints.edge(id, from, edge).reads);
            }
        }
    }
    for atom in atoms {
        note(&footprints.proposition(atom).reads);
    }
    found
}

/// The value of an expression that is clearly constant.
fn constant(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Const(value) => Some(*value),
        Expr::Checked { index, length } => {
            constant(index).filter(|&index| (0..i64::from(*length)).contains(&index))
        }
        Expr::Binary(BinaryOp::Add, both) => constant(&both.0)?.checked_add(constant(&both.1)?),
        _ => None,
    }
}

/// Whether a guard is false as long as something else can be done.
fn waits(guard: &Expr) -> bool {
    match guard {
        Expr::Timeout => true,
        Expr::Binary(BinaryOp::And, both) => waits(&both.0) || waits(&both.1),
        _ => false,
    }
}

/// Calls for every statement, those inside others included.
pub(crate) fn each<'a>(statements: &'a [Statement], visit: &mut dyn FnMut(&'a StatementKind)) {
    for statement in statements {
        visit(&statement.kind);
        match &statement.kind {
            StatementKind::If { then, otherwise, .. } => {
                each(then, visit);
                each(otherwise, visit);
            }
            StatementKind::While { body, .. } => each(body, visit),
            _ => {}
        }
    }
}

/// How many processes statements may start.
fn start_count(statements: &[Statement]) -> u32 {
    let of = |statement: &Statement| match &statement.kind {
        StatementKind::Start { .. } => 1,
        StatementKind::If { then, otherwise, .. } => start_count(then).max(start_count(otherwise)),
        StatementKind::While { body, .. } if start_count(body) > 0 => u32::MAX,
        _ => 0,
    };
    statements.iter().map(of).fold(0, u32::saturating_add)
}

/// Changes of an effect to the variables of its process that are part of the state.
fn changes(locals: &[fairly_model::Variable], effect: &[Statement]) -> Vec<(u32, Change)> {
    let mut changes: Vec<(u32, Change)> = Vec::new();
    let mut note = |place: &fairly_model::Place, change: Change| {
        let AnyVariable::Local(local) = &place.variable else { return };
        if locals[local.index()].storage != Storage::State {
            return;
        }
        match changes.iter_mut().find(|(known, _)| *known == local.0) {
            Some((_, known)) => *known = Change::Otherwise,
            None => changes.push((local.0, change)),
        }
    };
    for statement in effect {
        if let StatementKind::Assign(all) = &statement.kind {
            for (place, value) in all {
                note(place, step_of(place, value).map_or(Change::Otherwise, Change::By));
            }
            continue;
        }
        each(std::slice::from_ref(statement), &mut |kind| match kind {
            StatementKind::Assign(all) => {
                all.iter().for_each(|(place, _)| note(place, Change::Otherwise));
            }
            StatementKind::Start { slot: Some(place), .. } => note(place, Change::Otherwise),
            StatementKind::Take { into, .. } => {
                into.iter().flatten().for_each(|place| note(place, Change::Otherwise));
            }
            _ => {}
        });
    }
    changes
}

/// By how much a value is more than what a place holds, if that is clear.
fn step_of(place: &fairly_model::Place, value: &Expr) -> Option<i64> {
    if place.index.is_some() {
        return None;
    }
    let Expr::Binary(op, both) = value else { return None };
    let is_old = |expr: &Expr| matches!(expr, Expr::Load(from) if from == place);
    match (op, is_old(&both.0), constant(&both.1), constant(&both.0), is_old(&both.1)) {
        (BinaryOp::Add, true, Some(by), ..) => Some(by),
        (BinaryOp::Add, _, _, Some(by), true) => Some(by),
        (BinaryOp::Subtract, true, Some(by), ..) => by.checked_neg(),
        _ => None,
    }
    .filter(|&by| by != 0)
}
