//! The steps of a model: what single processes offer, what comes of it together, and what it does.
//!
//! The meaning of a model is defined in the documentation of `ModelSpace` in the crate `fairly-model`; this is
//! another reading of it, which shares no code with that one. Where something goes wrong in a step, the
//! certificate is not accepted, so a fault needs no state of its own.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use crate::effect::Runner;
use crate::fir::{Communication, Edge, Expr, Gathering, Kind, Label, Model, Op};
use crate::rejected::{Rejected, Rule, reject};
use crate::state::{Faulty, LIMIT, Layout, StepError, View, decode, matches, wrong};

/// One process's part in an action: the edge that it takes, and the event of the edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Move {
    pub(crate) slot: usize,
    pub(crate) template: usize,
    pub(crate) location: usize,
    pub(crate) edge: usize,
    pub(crate) event: usize,
}

/// A step: its event, the moves that are made in it, and the values of the state that it leads to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Step {
    pub(crate) event: usize,
    pub(crate) moves: Vec<Move>,
    pub(crate) cells: Vec<i64>,
}

/// Combinations of moves that are tried in one state, and states inside atomic sequences that are passed.
const COMBINATIONS: usize = 1 << 20;
/// Processes that may meet in one state, and values that the targets of its steps may have.
const MEETINGS: usize = 1 << 16;
const VALUES: usize = 1 << 25;

/// The event of the idle step.
pub(crate) const IDLE: usize = 0;

/// The events of a model: those that are listed, the one of a fault, those of processes that wait for a
/// rendezvous, one for each channel, and then those whose names are made of values, as they are met.
#[derive(Clone, Debug, Default)]
struct Events {
    names: Vec<String>,
    by_name: HashMap<String, usize>,
    met: HashMap<(usize, String, Vec<i64>), usize>,
}

/// A model that makes steps.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) model: Model,
    pub(crate) layout: Layout,
    gatherings: Vec<Option<Gathering>>,
    /// Whether an edge is annotated whose event depends on the state.
    pub(crate) annotates_by_state: bool,
    events: RefCell<Events>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    Alone,
    Put(usize),
    Get(usize, usize),
    Send(usize),
    Receive(usize),
    Fault(StepError),
}

/// A step that one process can take, whether or not others join in.
#[derive(Clone, Debug)]
struct Offer {
    is: Move,
    rank: u8,
    role: Role,
    /// The message.
    row: Vec<i64>,
    /// In a rendezvous: the cells that are wanted.
    wanted: Vec<Option<i64>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Event,
    /// The first sends to the second.
    Rendezvous,
    Fault(StepError),
}

#[derive(Clone, Debug)]
struct Joint {
    way: Way,
    /// Offers, in the order in which they happen.
    members: Vec<usize>,
}

impl Joint {
    /// Those whose step it is.
    fn movers(&self) -> &[usize] {
        if self.way == Way::Rendezvous { &self.members[..1] } else { &self.members }
    }
}

/// The actions that are enabled in a state.
struct Enabled {
    offers: Vec<Offer>,
    joints: Vec<Joint>,
    /// By slot: the least rank of what is possible.
    least: Vec<u8>,
    timeout: bool,
}

/// Position of an edge's separator in the names of events: what happens on a channel, or a family.
const RENDEZVOUS: &str = ".";

impl Machine {
    pub(crate) fn new(model: Model) -> Result<Machine, Rejected> {
        let layout = Layout::of(&model)?;
        let count = model.events.len();
        let mut gatherings: Vec<Option<Gathering>> = vec![None; count];
        for (event, gathering) in &model.gatherings {
            match gatherings.get_mut(*event) {
                Some(known @ None) => *known = Some(gathering.clone()),
                _ => return reject(Rule::Model, "an event is gathered twice, or is not there"),
            }
        }
        // An event that is not listed would be another one: the numbers behind have meanings of their own.
        let renamed = model.slots.iter().flat_map(|it| &it.renamed).map(|(_, event)| *event);
        let label = |edge: &Edge| match edge.label {
            Label::Event(event) => Some(event),
            Label::Data(..) | Label::Message => None,
        };
        let absent = |event: &usize| !(1..count).contains(event);
        if let Some(event) = renamed.chain(model.edges().filter_map(label)).find(absent) {
            return reject(Rule::Model, format!("there is no event `e{event}` to be taken"));
        }
        let sizes = model.templates.iter().map(|it| it.locations.iter().map(|at| at.edges.len()));
        let sizes: Vec<usize> = sizes.map(Iterator::sum).collect();
        let moves = model.slots.iter().flat_map(|slot| &slot.templates).map(|&of| sizes[of]);
        if moves.sum::<usize>() > COMBINATIONS {
            return reject(Rule::Limit, "a model has too many moves");
        }
        let mut events = Events::default();
        for (at, (name, kind)) in model.events.iter().enumerate() {
            events.names.push(name.clone());
            if matches!(kind, Kind::Visible | Kind::Termination) {
                events.by_name.entry(name.clone()).or_insert(at);
            }
        }
        events.names.push("fault".to_owned());
        events.names.extend(model.channels.iter().map(|channel| format!("{}?", channel.name)));
        let annotates_by_state =
            model.edges().any(|edge| edge.annotation.is_some() && !edge.label.is_fixed());
        let events = RefCell::new(events);
        Ok(Machine { model, layout, gatherings, annotates_by_state, events })
    }

    /// The event of a step in which something goes wrong before its own event is known.
    pub(crate) fn fault_event(&self) -> usize {
        self.model.events.len()
    }

    /// The event of a process that is ready to receive in a rendezvous.
    pub(crate) fn waiting(&self, channel: usize) -> usize {
        self.model.events.len() + 1 + channel
    }

    pub(crate) fn kind(&self, event: usize) -> Kind {
        match self.model.events.get(event) {
            Some((_, kind)) => *kind,
            None if event <= self.model.events.len() + self.model.channels.len() => Kind::Internal,
            None => Kind::Visible,
        }
    }

    pub(crate) fn event_name(&self, event: usize) -> String {
        self.events.borrow().names.get(event).cloned().unwrap_or_default()
    }

    pub(crate) fn edge(&self, of: &Move) -> Option<&Edge> {
        let template = self.model.templates.get(of.template)?;
        template.locations.get(of.location)?.edges.get(of.edge)
    }

    /// The event whose name is made of a first part and values, unless the slot renames it.
    fn named(&self, slot: usize, (first, separator): (&str, &str), values: &[i64]) -> usize {
        /// A cell that a message does not have.
        const ABSENT: i64 = i32::MIN as i64 - 1;
        let renamed = &self.model.slots[slot].renamed;
        let scope = if renamed.is_empty() { usize::MAX } else { slot };
        let mut events = self.events.borrow_mut();
        let key = (scope, format!("{first}{separator}"), values.to_vec());
        if let Some(&known) = events.met.get(&key) {
            return known;
        }
        let (mut name, mut separator) = (first.to_owned(), separator);
        for value in values.iter().filter(|&&value| value != ABSENT) {
            name.push_str(&format!("{separator}{value}"));
            separator = ".";
        }
        let renamed = renamed.iter().find(|(other, _)| *other == name).map(|(_, event)| *event);
        let known = renamed.or_else(|| events.by_name.get(&name).copied());
        let event = known.unwrap_or_else(|| {
            events.names.push(name.clone());
            let event = events.names.len() - 1;
            events.by_name.insert(name, event);
            event
        });
        events.met.insert(key, event);
        event
    }

    pub(crate) fn view<'a>(
        &'a self,
        cells: &'a [i64],
        own: Option<usize>,
        timeout: bool,
    ) -> View<'a> {
        let (model, layout) = (&self.model, &self.layout);
        View { model, layout, cells, own, received: None, timeout, executable: None }
    }

    /// The values of a state in bytes.
    pub(crate) fn decode(&self, bytes: &[u8], cells: &mut Vec<i64>) -> Option<()> {
        decode(&self.model, &self.layout, bytes, cells)
    }

    pub(crate) fn encode(&self, cells: &[i64], out: &mut Vec<u8>) {
        self.view(cells, None, false).encode(out);
    }

    /// The initial state.
    pub(crate) fn initial(&self) -> Result<Vec<i64>, Rejected> {
        self.first().or_else(|StepError(why)| reject(Rule::Fault, format!("at the start, {why}")))
    }

    fn first(&self) -> Faulty<Vec<i64>> {
        let mut cells = self.layout.initial(&self.model)?;
        for (at, slot) in self.model.slots.iter().enumerate() {
            let Some((template, arguments)) = &slot.start else { continue };
            let variant = slot.templates.iter().position(|other| other == template);
            let variant = variant.ok_or(StepError("a process does not fit its slot"))?;
            self.layout.start(&self.model, &mut cells, (at, variant), arguments)?;
            self.begin(&mut cells, at, &mut 0)?;
        }
        self.layout.reset_scratch(&self.model, &mut cells);
        Ok(cells)
    }

    /// Runs the first statements of a new process.
    pub(crate) fn begin(&self, cells: &mut Vec<i64>, slot: usize, count: &mut u64) -> Faulty<()> {
        let Some(id) = self.view(cells, None, false).template(slot) else { return Ok(()) };
        let begin = &self.model.templates[id].begin;
        Runner { machine: self, cells, slot, received: None, timeout: false, count }.run(begin)
    }

    /// The offers of all processes in a state.
    fn offers(&self, cells: &[i64], timeout: bool, may_ask: bool) -> Vec<Offer> {
        let executable = |slot: usize| self.is_executable(cells, timeout, slot);
        let mut offers = Vec::new();
        for slot in 0..self.model.slots.len() {
            let view = self.view(cells, Some(slot), timeout);
            let view = View { executable: may_ask.then_some(&executable), ..view };
            let Some((template, of)) = view.template_of(slot) else { continue };
            let location = view.location(slot);
            let edges = of.locations.get(location).map_or(&[][..], |it| it.edges.as_slice());
            for (at, edge) in edges.iter().enumerate() {
                let event = self.fault_event();
                let is = Move { slot, template, location, edge: at, event };
                let role = Role::Alone;
                let mut offer =
                    Offer { is, rank: edge.rank, role, row: Vec::new(), wanted: Vec::new() };
                let others = slot + 1..self.model.slots.len();
                if edge.target.is_none()
                    && self.model.last_first
                    && others.into_iter().any(|other| view.template(other).is_some())
                {
                    continue;
                }
                match self.offer(&view, edge, &mut offer) {
                    Ok(true) => offers.push(offer),
                    Ok(false) => {}
                    Err(fault) => {
                        // A label that does not depend on the state is known whatever goes wrong.
                        offer.is.event = self.fixed_event(slot, edge).unwrap_or(event);
                        offers.push(Offer { role: Role::Fault(fault), ..offer });
                    }
                }
            }
        }
        offers
    }

    /// The event of an edge, if it does not depend on the state.
    pub(crate) fn fixed_event(&self, slot: usize, edge: &Edge) -> Option<usize> {
        let constant = |value: &Expr| match value.op {
            Op::Const(value) => Some(value),
            _ => None,
        };
        match &edge.label {
            Label::Event(event) => Some(*event),
            Label::Message => None,
            Label::Data(family, values) => {
                let values: Option<Vec<i64>> = values.iter().map(constant).collect();
                Some(self.named(slot, (family, "."), &values?))
            }
        }
    }

    /// Whether a process offers an edge, and how. The order is that of the definition, since what goes wrong
    /// behind the first part that says no does not go wrong.
    fn offer(&self, view: &View<'_>, edge: &Edge, offer: &mut Offer) -> Faulty<bool> {
        if !edge.reads_received && !view.test(&edge.guard)? {
            return Ok(false);
        }
        let mut happening = None;
        match &edge.communication {
            Communication::None => {}
            Communication::Send(how) => {
                let channel = view.channel(&how.channel)?;
                let of = &self.model.channels[channel];
                if of.capacity > 0 && view.messages(channel) == of.capacity && !of.loses {
                    return Ok(false);
                }
                offer.row = view.row(channel, &how.cells)?;
                let meets = of.capacity == 0;
                offer.role = if meets { Role::Send(channel) } else { Role::Put(channel) };
                happening = Some((channel, if meets { RENDEZVOUS } else { "!" }));
            }
            Communication::Receive(how) => {
                let channel = view.channel(&how.channel)?;
                if self.model.channels[channel].capacity == 0 {
                    offer.wanted = view.wanted(&how.cells)?;
                    offer.role = Role::Receive(channel);
                    if matches!(edge.label, Label::Message) {
                        offer.is.event = self.waiting(channel);
                        return Ok(true);
                    }
                } else {
                    let all = view.messages(channel);
                    let count = if how.inside { all } else { all.min(1) };
                    if count == 0 {
                        return Ok(false);
                    }
                    let wanted = view.wanted(&how.cells)?;
                    let width = how.cells.len().min(view.width(channel));
                    let mut found = None;
                    for message in 0..count {
                        let row = &view.message(channel, message)[..width];
                        let bound = View { received: Some(row), ..*view };
                        if matches(&wanted, row)
                            && (!edge.reads_received || bound.test(&edge.guard)?)
                        {
                            found = Some(message);
                            offer.row = row.to_vec();
                            break;
                        }
                    }
                    let Some(message) = found else { return Ok(false) };
                    view.fits(channel, how)?;
                    offer.role = Role::Get(channel, message);
                    happening = Some((channel, "?"));
                }
            }
        }
        offer.is.event = match (&edge.label, happening) {
            (Label::Event(event), _) => *event,
            (Label::Data(family, values), _) => {
                let values: Faulty<Vec<i64>> =
                    values.iter().map(|value| view.eval(value)).collect();
                self.named(offer.is.slot, (family, "."), &values?)
            }
            (Label::Message, Some((channel, RENDEZVOUS))) => {
                let name = &self.model.channels[channel].name;
                self.named(offer.is.slot, (name, RENDEZVOUS), &offer.row)
            }
            (Label::Message, Some((channel, what))) => {
                let name = format!("{}{what}", self.model.channels[channel].name);
                self.named(offer.is.slot, (&name, ""), &offer.row)
            }
            (Label::Message, None) => return wrong("the event of a communication without one"),
        };
        Ok(true)
    }

    /// The actions that the offers of a state make together, whatever atomic locations say.
    fn joints(&self, cells: &[i64], timeout: bool, may_ask: bool) -> Enabled {
        let offers = self.offers(cells, timeout, may_ask);
        let (mut joints, mut gathered, mut tried) = (Vec::new(), BTreeSet::new(), 0);
        let fault = |why, at| Joint { way: Way::Fault(why), members: vec![at] };
        for (at, offer) in offers.iter().enumerate() {
            match offer.role {
                Role::Fault(why) => joints.push(fault(why, at)),
                Role::Receive(_) => {}
                Role::Send(_) if joints.len() > MEETINGS => {
                    joints.push(fault(StepError("a limit of ways to meet is exceeded"), at));
                    break;
                }
                Role::Send(channel) => {
                    let meets = |it: &Offer| {
                        it.role == Role::Receive(channel) && it.is.slot != offer.is.slot
                    };
                    for (other, partner) in offers.iter().enumerate().filter(|it| meets(it.1)) {
                        match self.receives(cells, timeout, partner, &offer.row) {
                            Ok(true) => {
                                let members = vec![at, other];
                                joints.push(Joint { way: Way::Rendezvous, members });
                            }
                            Ok(false) => {}
                            Err(why) => joints.push(fault(why, other)),
                        }
                    }
                }
                Role::Alone | Role::Put(_) | Role::Get(..) => {
                    let event = offer.is.event;
                    let joint = |members| Joint { way: Way::Event, members };
                    match self.gatherings.get(event).and_then(Option::as_ref) {
                        None => joints.push(joint(vec![at])),
                        Some(_) if !gathered.insert(event) => {}
                        Some(gathering) => match ways(&offers, event, gathering, &mut tried) {
                            Some(ways) => joints.extend(ways.into_iter().map(joint)),
                            None => {
                                let limit = "a limit of ways to take an event is exceeded";
                                joints.push(fault(StepError(limit), at));
                            }
                        },
                    }
                }
            }
        }
        let mut enabled =
            Enabled { offers, joints, least: vec![u8::MAX; self.model.slots.len()], timeout };
        self.rank(cells, &mut enabled);
        enabled
    }

    /// Whether a process takes a message in a rendezvous.
    fn receives(&self, cells: &[i64], timeout: bool, partner: &Offer, row: &[i64]) -> Faulty<bool> {
        let Some(edge) = self.edge(&partner.is) else { return Ok(false) };
        let Communication::Receive(how) = &edge.communication else { return Ok(false) };
        if !matches(&partner.wanted, row) {
            return Ok(false);
        }
        let view = View { received: Some(row), ..self.view(cells, Some(partner.is.slot), timeout) };
        if edge.reads_received && !view.test(&edge.guard)? {
            return Ok(false);
        }
        if let Role::Receive(channel) = partner.role {
            view.fits(channel, how)?;
        }
        Ok(true)
    }

    fn is_atomic(&self, cells: &[i64], slot: usize) -> bool {
        let view = self.view(cells, None, false);
        let location =
            view.template_of(slot).and_then(|(_, it)| it.locations.get(view.location(slot)));
        location.is_some_and(|location| location.atomic)
    }

    /// Takes actions away with an edge although one of smaller rank is possible.
    fn rank(&self, cells: &[i64], enabled: &mut Enabled) {
        let Enabled { offers, joints, least, .. } = enabled;
        for joint in joints.iter() {
            let members = if self.model.exclusive { joint.movers() } else { &joint.members };
            for offer in members.iter().map(|&at| &offers[at]) {
                if self.model.exclusive || !self.is_atomic(cells, offer.is.slot) {
                    least[offer.is.slot] = least[offer.is.slot].min(offer.rank);
                }
            }
        }
        let first = |at: &usize| offers[*at].rank <= least[offers[*at].is.slot];
        if !self.model.exclusive {
            joints.retain(|joint| joint.members.iter().all(first));
            return;
        }
        // The ranks of a process that receives decide only between its ways to receive this message.
        let before = |joint: &Joint, other: &Joint| match (&*joint.members, &*other.members) {
            (&[sender, receiver], &[from, to]) => {
                joint.way == Way::Rendezvous
                    && other.way == Way::Rendezvous
                    && sender == from
                    && offers[to].is.slot == offers[receiver].is.slot
                    && offers[to].rank < offers[receiver].rank
            }
            _ => false,
        };
        let all = joints.clone();
        joints.retain(|joint| {
            joint.movers().iter().all(first) && !all.iter().any(|other| before(joint, other))
        });
    }

    /// Whether the process in a slot has an enabled edge.
    fn is_executable(&self, cells: &[i64], timeout: bool, slot: usize) -> bool {
        let Enabled { offers, joints, .. } = self.joints(cells, timeout, false);
        joints.iter().any(|joint| joint.members.iter().any(|&at| offers[at].is.slot == slot))
    }

    /// The actions enabled in a state before atomicity is asked: without a timeout, if there are any.
    fn enabled(&self, cells: &[i64]) -> Enabled {
        let enabled = self.joints(cells, false, true);
        if enabled.joints.is_empty() { self.joints(cells, true, true) } else { enabled }
    }

    /// Whether nothing is enabled in a state.
    pub(crate) fn is_stuck(&self, cells: &[i64]) -> bool {
        self.enabled(cells).joints.is_empty()
    }

    /// Whether all processes are where they may stay for ever.
    pub(crate) fn all_may_end(&self, cells: &[i64]) -> bool {
        let view = self.view(cells, None, false);
        (0..self.model.slots.len()).all(|slot| match view.template_of(slot) {
            None => true,
            Some((_, it)) => it.locations.get(view.location(slot)).is_some_and(|at| at.may_end),
        })
    }

    /// Whether a proposition holds in a state.
    pub(crate) fn holds(&self, cells: &[i64], proposition: &Expr, waits: bool) -> Faulty<bool> {
        let timeout = waits && self.joints(cells, false, true).joints.is_empty();
        let executable = |slot: usize| self.is_executable(cells, timeout, slot);
        let view = View { executable: Some(&executable), ..self.view(cells, None, timeout) };
        view.test(proposition)
    }

    /// The moves that single processes offer in a state, unless ranks bar them.
    pub(crate) fn offered(&self, cells: &[i64]) -> Vec<Move> {
        let Enabled { offers, least, .. } = self.enabled(cells);
        let open = offers.iter().filter(|offer| {
            let moved = self.model.exclusive && matches!(offer.role, Role::Receive(_));
            moved || offer.rank <= least[offer.is.slot]
        });
        open.map(|offer| offer.is).collect()
    }

    /// The process that moves next if it can.
    fn holder(&self, cells: &[i64]) -> Option<usize> {
        self.layout.holder.and_then(|at| usize::try_from(cells[at]).ok())
    }

    /// The single steps out of a state, each by itself.
    fn single(&self, cells: &[i64], skips: bool) -> Faulty<Vec<Step>> {
        let mut enabled = self.enabled(cells);
        let Enabled { offers, joints, .. } = &mut enabled;
        if self.model.exclusive {
            if let Some(holder) = self.holder(cells) {
                let takes =
                    |joint: &Joint| joint.movers().iter().any(|&at| offers[at].is.slot == holder);
                if joints.iter().any(takes) {
                    joints.retain(takes);
                }
            }
        } else {
            let goes =
                |at: &usize| offers[*at].rank == 0 && self.is_atomic(cells, offers[*at].is.slot);
            let first = |joint: &Joint| joint.members.iter().any(goes);
            if joints.iter().any(first) {
                joints.retain(first);
            }
        }
        if enabled.joints.len().saturating_mul(cells.len()) > VALUES {
            return wrong("a limit of values of all targets of a state is exceeded");
        }
        let steps = enabled.joints.iter().map(|joint| self.take(cells, &enabled, joint));
        steps.filter(|step| !skips || step.is_ok()).collect()
    }

    /// The step of an action. One participant after the other communicates, runs its effect and goes on.
    fn take(&self, cells: &[i64], enabled: &Enabled, joint: &Joint) -> Faulty<Step> {
        if let Way::Fault(wrong) = joint.way {
            return Err(wrong);
        }
        let offers = &enabled.offers;
        let mut next = cells.to_vec();
        for &at in &joint.members {
            let offer = &offers[at];
            let edge = self.edge(&offer.is).ok_or(StepError("an edge that is not there"))?;
            let (row, slot) = (&offer.row, offer.is.slot);
            let received = match offer.role {
                Role::Get(..) => Some(&row[..]),
                Role::Receive(_) => Some(&offers[joint.members[0]].row[..]),
                _ => None,
            };
            let (timeout, count) = (enabled.timeout, &mut 0);
            let mut runner =
                Runner { machine: self, cells: &mut next, slot, received, timeout, count };
            match (offer.role, &edge.communication) {
                (Role::Put(channel), Communication::Send(how)) => {
                    runner.put(channel, row, how.inside)?;
                }
                (Role::Get(channel, message), Communication::Receive(how)) => {
                    let view = runner.view();
                    let there = message < view.messages(channel)
                        && view.message(channel, message).starts_with(row);
                    if !there {
                        return wrong("another participant has taken the message");
                    }
                    if !how.keep {
                        runner.remove(channel, message);
                    }
                }
                _ => {}
            }
            runner.run(&edge.effect)?;
            match edge.target {
                Some(location) => {
                    let templates = &self.model.templates;
                    let known = templates[offer.is.template].locations.get(location);
                    known.ok_or(StepError("a location that is not there"))?;
                    next[self.layout.slots[slot] + 1] = location as i64;
                }
                None => self.layout.leave(&self.model, &mut next, slot),
            }
        }
        let last =
            joint.members.last().map(|&at| &offers[at]).ok_or(StepError("nobody takes part"))?;
        if let Some(cell) = self.layout.holder {
            let holds = self.edge(&last.is).is_some_and(|edge| edge.hold);
            next[cell] = if holds { last.is.slot as i64 } else { -1 };
        }
        if let Some(cell) = self.layout.last {
            next[cell] = last.is.slot as i64;
        }
        self.layout.reset_scratch(&self.model, &mut next);
        self.release(&mut next);
        let mut moves: Vec<Move> = joint.members.iter().map(|&at| offers[at].is).collect();
        let event = moves[0].event;
        moves.sort_unstable();
        Ok(Step { event, moves, cells: next })
    }

    /// Takes the privilege away from a process that cannot use it. Scratch variables are then as they are at
    /// the start of an action.
    fn release(&self, cells: &mut [i64]) {
        let (Some(cell), Some(holder)) = (self.layout.holder, self.holder(cells)) else { return };
        let Enabled { offers, joints, .. } = self.joints(cells, false, true);
        let moves = |joint: &Joint| joint.movers().iter().any(|&at| offers[at].is.slot == holder);
        if !joints.iter().any(moves) {
            cells[cell] = -1;
        }
    }

    /// The steps out of a state, where what a process does while it holds is one step: its event is that of
    /// the first step on the way, and its moves are those of all. A sequence that may go on for ever is not
    /// covered. Steps in which something goes wrong may be skipped where one step is all that is asked for.
    pub(crate) fn steps(&self, cells: &[i64], skips: bool) -> Result<Vec<Step>, Rejected> {
        let fault = |StepError(why): StepError| {
            let rule = if why.starts_with(LIMIT) { Rule::Limit } else { Rule::Fault };
            Rejected { rule, why: why.to_owned() }
        };
        let first = self.single(cells, skips).map_err(fault)?;
        if !first.iter().any(|step| self.holder(&step.cells).is_some()) {
            return Ok(first);
        }
        let mut inside = HashSet::new();
        let (mut steps, mut open, mut work) = (BTreeSet::new(), BTreeSet::from_iter(first), 0);
        // What is open in a round has been inside for so many steps. Without a cycle, nothing is for more than there are
        // states inside; with one, something is.
        for round in 0.. {
            let mut onwards = BTreeSet::new();
            for step in open {
                if self.holder(&step.cells).is_none() {
                    steps.insert(step);
                    continue;
                }
                for next in self.single(&step.cells, skips).map_err(fault)? {
                    let mut moves = [&step.moves[..], &next.moves].concat();
                    moves.sort_unstable();
                    moves.dedup();
                    onwards.insert(Step { event: step.event, moves, cells: next.cells });
                }
                inside.insert(step.cells);
                work += 1;
                if work > COMBINATIONS {
                    let why = "an atomic sequence has too many states or ways inside";
                    return reject(Rule::Limit, why);
                }
            }
            if onwards.is_empty() {
                break;
            }
            if round > inside.len() {
                let why = "an atomic sequence may go on for ever, which is not covered";
                return reject(Rule::Limit, why);
            }
            open = onwards;
        }
        Ok(steps.into_iter().collect())
    }
}

/// All the ways in which an event can be taken together, each a sorted list of offers.
fn ways(
    offers: &[Offer],
    event: usize,
    gathering: &Gathering,
    tried: &mut usize,
) -> Option<Vec<Vec<usize>>> {
    match gathering {
        Gathering::Slot(slot) => {
            let with = |(_, offer): &(usize, &Offer)| {
                let together = matches!(offer.role, Role::Alone | Role::Put(_) | Role::Get(..));
                together && offer.is.slot == *slot && offer.is.event == event
            };
            Some(offers.iter().enumerate().filter(with).map(|(at, _)| vec![at]).collect())
        }
        Gathering::One(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.append(&mut ways(offers, event, part, tried)?);
            }
            Some(all)
        }
        Gathering::All(parts) => {
            let mut all = vec![Vec::new()];
            for part in parts {
                let more = ways(offers, event, part, tried)?;
                *tried = tried.saturating_add(all.len().saturating_mul(more.len()));
                if *tried > COMBINATIONS {
                    return None;
                }
                let both = |way: &Vec<usize>, other: &Vec<usize>| {
                    let mut both = [&way[..], other].concat();
                    both.sort_unstable();
                    both
                };
                all = all
                    .iter()
                    .flat_map(|way: &Vec<usize>| more.iter().map(move |other| both(way, other)))
                    .collect();
            }
            Some(all)
        }
    }
}
