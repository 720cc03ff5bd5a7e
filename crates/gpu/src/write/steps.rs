//! The regions of all processes, and of those that act together.

use std::collections::BTreeMap;

use fairly_model::native::plan::{Plan, Role, small};
use fairly_model::{Communication, Edge, Exit, Expr, Label, Range, Target, WhenFull};

use super::place::Element;
use super::{Known, Writer, bits};
use crate::Refusal;

/// The steps of a model as text.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    /// Regions, each followed by `EMIT(ok, act)`.
    pub(crate) text: String,
    /// By number of an action: the edges that it takes, by their numbers in the plan. Those of an action that has no
    /// fixed event are there, too.
    pub(crate) actions: Vec<Vec<u32>>,
    /// Whether the events of all actions are known before there is a state.
    pub(crate) all_named: bool,
    /// Values of scratch variables.
    pub(crate) scratch: usize,
    /// Statements that set `end` to whether all processes, if any, are where they may stay.
    pub(crate) end: String,
}

/// More regions are not written.
const REGIONS: usize = 6000;
/// More combinations of edges of one event are not written.
const COMBINATIONS: usize = 64;

/// By variant and location: edges by number.
type ByLocation = BTreeMap<(usize, usize), Vec<u32>>;

struct Regions<'a> {
    plan: &'a Plan,
    steps: Steps,
    count: usize,
    /// Regions with a result between two flushes, and those since the last one.
    group: usize,
    since: usize,
    has_gatherings: bool,
}

/// Writes the steps of a model, with `FLUSH` behind so many results at the most.
///
/// # Errors
/// When there are too many.
pub(crate) fn write(plan: &Plan, group: usize) -> Result<Steps, Refusal> {
    let layout = &plan.layout;
    let steps = Steps {
        text: String::new(),
        actions: vec![Vec::new()],
        all_named: true,
        scratch: layout.cells - layout.state_cells,
        end: String::new(),
    };
    if steps.scratch > 256 {
        return Err(Refusal::new("its actions use too many variables of their own"));
    }
    let has_gatherings = !plan.model.gatherings.is_empty();
    let mut regions = Regions { plan, steps, count: 0, group, since: 0, has_gatherings };
    if let Some(holder) = layout.holding() {
        let held = format!("if (w[{}] & {}) declined = 1;\n", holder.word, bits(holder.mask));
        regions.steps.text.push_str(&held);
    }
    // Before anything is emitted: such locations may take away steps of other processes.
    for slot in 0..layout.slots.len() {
        regions.left(slot)?;
    }
    for slot in 0..layout.slots.len() {
        regions.alone(slot)?;
    }
    regions.rendezvous()?;
    for meeting in 0..plan.meetings.len() {
        regions.gathered(meeting)?;
    }
    regions.end();
    Ok(regions.steps)
}

impl<'a> Regions<'a> {
    fn region(&mut self) -> Result<Writer<'a>, Refusal> {
        self.count += 1;
        if self.count > REGIONS {
            return Err(Refusal::new("its processes have too many edges for code on a card"));
        }
        Ok(Writer::new(self.plan, self.count))
    }

    /// Appends a region, and what becomes of it.
    fn push(&mut self, writer: &Writer<'_>, emits: bool) {
        let label = writer.label;
        let text = &mut self.steps.text;
        text.push_str("{ int ok = 0; u32 act = 0; u64 d[WORDS]; COPY(d, w);\n");
        if self.steps.scratch > 0 {
            text.push_str("i64 x[SCRATCH]; RESET(x);\n");
        }
        // What is left by a jump has a scope of its own, so that no jump goes past a declaration.
        text.push_str(&format!("{{\n{}}}\nout{label}: ;\n", writer.out));
        text.push_str(if emits { "EMIT(ok, act) }\n" } else { "(void)ok; (void)act; }\n" });
        self.since += usize::from(emits);
        if self.since == self.group {
            self.steps.text.push_str("FLUSH\n");
            self.since = 0;
        }
    }

    /// The number of an action.
    fn action(&mut self, edges: &[u32]) -> usize {
        let named = edges.iter().all(|&edge| self.plan.places[edge as usize].role != Role::Left);
        self.steps.all_named &= named;
        self.steps.actions.push(edges.to_vec());
        self.steps.actions.len() - 1
    }

    /// All variants and locations of a slot.
    fn locations(&self, slot: usize) -> Vec<(usize, usize)> {
        let variants = 0..self.plan.layout.slots[slot].variants.len();
        let of = |variant| (0..self.plan.locations(slot, variant)).map(move |at| (variant, at));
        variants.flat_map(of).collect()
    }

    fn numbered(&self, slot: usize, (variant, at): (usize, usize)) -> Vec<u32> {
        let first = self.plan.first_edge(slot, variant, at);
        let count = small(self.plan.edges(slot, variant, at).len());
        (first..first + count).collect()
    }

    /// Whether the location is left to the interpreter.
    fn is_left(&self, slot: usize, (variant, at): (usize, usize)) -> bool {
        let edges = self.plan.edges(slot, variant, at);
        let received =
            |edge: &&Edge| self.plan.may_meet(edge, true) && !self.plan.may_meet(edge, false);
        let mut ranks = edges.iter().filter(received).map(|edge| edge.rank);
        let first = ranks.next();
        self.plan.is_intricate(slot, variant, at)
            || ranks.any(|rank| Some(rank) != first)
            || edges.len() > 2000
    }

    /// The rendezvous channel of an edge that sends or receives, if it is one that is known.
    fn meets_at(&self, slot: usize, variant: usize, edge: &Edge) -> Option<usize> {
        let (channel, cells) = match &edge.communication {
            Communication::Send { channel, message, .. } => (channel, message.len()),
            Communication::Receive { channel, pattern, .. } => (channel, pattern.len()),
            Communication::None => return None,
        };
        let mut writer = Writer::new(self.plan, 0);
        writer.own = Some((slot, variant));
        let channel = writer.fixed_channel(channel)?;
        let of = &self.plan.model.channels[channel];
        (of.capacity == 0 && of.cells.len() == cells).then_some(channel)
    }

    /// A region that declines where the process in a slot is at a location that is left to the interpreter.
    fn left(&mut self, slot: usize) -> Result<(), Refusal> {
        let left = self.locations(slot).into_iter().filter(|&at| self.is_left(slot, at));
        let cases: Vec<_> = left.map(|at| (at, ())).collect();
        if !cases.is_empty() {
            let mut writer = self.region()?;
            writer.switch(slot, cases, false, |writer, _, ()| writer.give_up());
            self.push(&writer, false);
        }
        Ok(())
    }

    /// Regions of what a process does alone, and of what declines whether or not others join in.
    fn alone(&mut self, slot: usize) -> Result<(), Refusal> {
        let plan = self.plan;
        let mut by_location = ByLocation::new();
        let mut ranked = false;
        for at in self.locations(slot) {
            if self.is_left(slot, at) {
                continue;
            }
            let mut edges: Vec<u32> = Vec::new();
            for number in self.numbered(slot, at) {
                if self.needs_region(slot, at.0, number)? {
                    edges.push(number);
                }
            }
            edges.sort_by_key(|&number| plan.edge(number).rank);
            ranked |=
                edges.windows(2).any(|pair| plan.edge(pair[0]).rank != plan.edge(pair[1]).rank);
            by_location.insert(at, edges);
        }
        if ranked {
            self.steps.text.push_str(&format!("int rank{slot} = 255;\n"));
        }
        let most = by_location.values().map(Vec::len).max().unwrap_or(0);
        for nth in 0..most {
            let mut writer = self.region()?;
            let cases: Vec<_> = by_location
                .iter()
                .filter_map(|(&at, edges)| edges.get(nth).map(|&edge| (at, edge)))
                .collect();
            writer.switch(slot, cases, false, |writer, (variant, _), number| {
                writer.own = Some((slot, variant));
                self.edge(writer, number, ranked.then_some(slot));
                writer.received.clear();
                writer.words = "w";
            });
            self.push(&writer, true);
        }
        Ok(())
    }

    /// Whether an edge has a region among what its process does alone: all but those that are taken with others and
    /// in whose offer nothing declines.
    fn needs_region(&self, slot: usize, variant: usize, number: u32) -> Result<bool, Refusal> {
        let edge = self.plan.edge(number);
        let role = self.plan.places[number as usize].role;
        let is_offer = self.meets_at(slot, variant, edge).is_some()
            || matches!(role, Role::Gathered(_)) && edge.communication == Communication::None;
        if !is_offer {
            return Ok(true);
        }
        let mut writer = Writer::new(self.plan, 0);
        writer.own = Some((slot, variant));
        self.offer(&mut writer, edge);
        Ok(writer.declines > 0)
    }

    /// What is evaluated of an edge that is taken with others, before anybody joins in.
    fn offer(&self, writer: &mut Writer<'_>, edge: &Edge) {
        let Some((slot, variant)) = writer.own else { return };
        writer.may_exit(edge);
        let receives = matches!(edge.communication, Communication::Receive { .. });
        if !(receives && edge.guard.reads_received()) && edge.guard != Expr::TRUE {
            let holds = writer.test(&edge.guard);
            writer.require(&holds);
        }
        if let Label::Data { values, .. } = &edge.label {
            for value in values {
                writer.eval(value);
            }
        }
        let Some(channel) = self.meets_at(slot, variant, edge) else { return };
        writer.insist_on_owner(channel);
        match &edge.communication {
            Communication::Send { message, .. } => {
                writer.cells_to_send(channel, message);
            }
            Communication::Receive { pattern, .. } => {
                writer.wanted(pattern);
            }
            Communication::None => {}
        }
    }

    /// One edge that a process takes alone: what must hold, then what it does.
    fn edge(&mut self, writer: &mut Writer<'a>, number: u32, ranked: Option<usize>) {
        let edge = writer.plan.edge(number);
        let Some((slot, variant)) = writer.own else { return };
        if let Some(slot) = ranked {
            writer.require(&format!("rank{slot} >= {}", edge.rank));
        }
        let role = writer.plan.places[number as usize].role;
        let is_gathered = matches!(role, Role::Gathered(_));
        if self.meets_at(slot, variant, edge).is_some()
            || is_gathered && edge.communication == Communication::None
        {
            return self.offer(writer, edge);
        }
        writer.may_exit(edge);
        let receives = matches!(edge.communication, Communication::Receive { .. });
        let reads_message = receives && edge.guard.reads_received();
        if !reads_message && edge.guard != Expr::TRUE {
            let holds = writer.test(&edge.guard);
            writer.require(&holds);
        }
        // The event of a communication where there is none is a fault.
        let is_senseless =
            edge.label == Label::Message && edge.communication == Communication::None;
        let is_declined = is_gathered || is_senseless || role == Role::Left && self.has_gatherings;
        match &edge.communication {
            Communication::None => self.act(writer, number, edge, ranked, is_declined, |_| {}),
            Communication::Send { channel, message, order } => {
                let cells = message.len();
                self.on_channel(writer, channel, cells, |regions, writer, channel| {
                    let of = &writer.plan.model.channels[channel];
                    if of.capacity == 0 {
                        return writer.give_up();
                    }
                    if of.when_full == WhenFull::Wait {
                        let length = writer.messages(channel);
                        writer.require(&format!("{} < {}", length.text, of.capacity));
                    }
                    let row = writer.cells_to_send(channel, message);
                    regions.act(writer, number, edge, ranked, is_declined, |writer| {
                        writer.put(channel, &row, *order);
                    });
                });
            }
            Communication::Receive { channel, pattern, pick, keep } => {
                self.on_channel(writer, channel, pattern.len(), |regions, writer, channel| {
                    if writer.plan.model.channels[channel].capacity == 0 {
                        return writer.give_up();
                    }
                    let guard = reads_message.then_some(&edge.guard);
                    let at = writer.find_message(channel, pattern, *pick, guard);
                    writer.require(&format!("{at} >= 0"));
                    regions.act(writer, number, edge, ranked, is_declined, |writer| {
                        if !keep {
                            writer.remove(channel, &at);
                        }
                    });
                });
            }
        }
    }

    /// Writes something for the channel that an expression gives: once for each that it may be.
    fn on_channel(
        &mut self,
        writer: &mut Writer<'a>,
        channel: &Expr,
        cells: usize,
        mut write: impl FnMut(&mut Self, &mut Writer<'a>, usize),
    ) {
        let Some(candidates) = writer.channels(channel, Some(cells)) else {
            return writer.give_up();
        };
        let number = writer.eval(channel);
        writer.line(format!("switch ({}) {{", number.text));
        for candidate in candidates {
            writer.line(format!("case {candidate}: {{"));
            writer.insist_on_owner(candidate);
            write(self, writer, candidate);
            writer.received.clear();
            writer.words = "w";
            writer.line("} break;");
        }
        writer.line("default: {");
        writer.give_up();
        writer.line("} }");
    }

    /// What happens when everything that an edge needs is there.
    fn act(
        &mut self,
        writer: &mut Writer<'a>,
        number: u32,
        edge: &Edge,
        ranked: Option<usize>,
        is_declined: bool,
        deed: impl FnOnce(&mut Writer<'a>),
    ) {
        let Some((slot, _)) = writer.own else { return };
        if is_declined {
            return writer.give_up();
        }
        if let Label::Data { values, .. } = &edge.label {
            // Only whether they have values matters here.
            for value in values {
                writer.eval(value);
            }
        }
        let plan = writer.plan;
        let mut edges = vec![number];
        edges.extend(plan.sequence(number));
        let last = plan.edge(edges[edges.len() - 1]);
        if plan.layout.holder.is_some() && last.hold {
            return writer.give_up();
        }
        writer.words = "d";
        deed(writer);
        for (at, &next) in edges.iter().enumerate() {
            let edge = plan.edge(next);
            if at > 0 && self.steps.scratch > 0 {
                writer.line("RESET(x);");
            }
            writer.take(edge);
        }
        writer.settle(slot);
        let act = self.action(&edges);
        if let Some(slot) = ranked {
            writer.line(format!("rank{slot} = {};", edge.rank));
        }
        writer.line(format!("ok = 1; act = {act};"));
    }

    /// By slot: the edges that meet at a channel.
    fn meeting_at(&self, channel: usize, sends: bool) -> Vec<(usize, ByLocation)> {
        let mut all = Vec::new();
        for slot in 0..self.plan.layout.slots.len() {
            let mut by_location = ByLocation::new();
            for at in self.locations(slot) {
                if self.is_left(slot, at) {
                    continue;
                }
                let meets = |&number: &u32| {
                    let edge = self.plan.edge(number);
                    let is_sent = matches!(edge.communication, Communication::Send { .. });
                    is_sent == sends && self.meets_at(slot, at.0, edge) == Some(channel)
                };
                let edges: Vec<u32> = self.numbered(slot, at).into_iter().filter(meets).collect();
                if !edges.is_empty() {
                    by_location.insert(at, edges);
                }
            }
            if !by_location.is_empty() {
                all.push((slot, by_location));
            }
        }
        all
    }

    /// Regions of every pair that can meet.
    fn rendezvous(&mut self) -> Result<(), Refusal> {
        for channel in 0..self.plan.model.channels.len() {
            if self.plan.model.channels[channel].capacity > 0 {
                continue;
            }
            let (senders, receivers) =
                (self.meeting_at(channel, true), self.meeting_at(channel, false));
            for (from, sending) in &senders {
                for (to, receiving) in &receivers {
                    if from == to {
                        continue;
                    }
                    for nth in 0..sending.values().map(Vec::len).max().unwrap_or(0) {
                        for other in 0..receiving.values().map(Vec::len).max().unwrap_or(0) {
                            let (one, two) = (nths(sending, nth), nths(receiving, other));
                            self.pair(channel, (*from, &one), (*to, &two))?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// A region in which one process sends and another receives.
    fn pair(
        &mut self,
        channel: usize,
        (from, sending): (usize, &[Case]),
        (to, receiving): (usize, &[Case]),
    ) -> Result<(), Refusal> {
        let plan = self.plan;
        let ranges: Vec<Range> = plan.model.channels[channel].cells.iter().map(|it| it.0).collect();
        let cell = |(at, range): (usize, &Range)| Known {
            text: format!("m{at}"),
            low: range.low,
            high: range.high,
        };
        let message: Vec<Known> = ranges.iter().enumerate().map(cell).collect();
        let mut writer = self.region()?;
        for at in 0..ranges.len() {
            writer.line(format!("i64 m{at} = 0;"));
        }
        writer.line("u32 c0 = 0, c1 = 0;");
        writer.switch(from, numbered(sending), true, |writer, (variant, _), (nth, number)| {
            writer.own = Some((from, variant));
            let edge = plan.edge(number);
            let Communication::Send { message, .. } = &edge.communication else { return };
            writer.may_exit(edge);
            let holds = writer.test(&edge.guard);
            writer.require(&holds);
            writer.insist_on_owner(channel);
            let row = writer.cells_to_send(channel, message);
            for (at, value) in row.iter().enumerate() {
                writer.line(format!("m{at} = {};", value.text));
            }
            writer.line(format!("c0 = {nth};"));
        });
        writer.switch(to, numbered(receiving), true, |writer, (variant, _), (nth, number)| {
            writer.own = Some((to, variant));
            let edge = plan.edge(number);
            let Communication::Receive { pattern, .. } = &edge.communication else { return };
            writer.may_exit(edge);
            let reads = edge.guard.reads_received();
            if !reads {
                let holds = writer.test(&edge.guard);
                writer.require(&holds);
            }
            writer.insist_on_owner(channel);
            let wanted = writer.wanted(pattern);
            let matches = writer.matches(&wanted, &message);
            writer.require(&matches);
            if reads {
                writer.received.clone_from(&message);
                let holds = writer.test(&edge.guard);
                writer.require(&holds);
                writer.received.clear();
            }
            writer.line(format!("c1 = {nth};"));
        });
        for (slot, cases, receives) in [(from, sending, false), (to, receiving, true)] {
            writer.switch(slot, cases.to_vec(), true, |writer, (variant, _), number| {
                writer.own = Some((slot, variant));
                let edge = plan.edge(number);
                if receives && plan.layout.holder.is_some() && edge.hold {
                    return writer.give_up();
                }
                if receives {
                    writer.received.clone_from(&message);
                }
                writer.take(edge);
                writer.received.clear();
                writer.words = "w";
            });
        }
        writer.words = "d";
        writer.settle(to);
        let base = self.steps.actions.len();
        for &(_, one) in sending {
            for &(_, two) in receiving {
                self.action(&[one, two]);
            }
        }
        writer.line(format!("ok = 1; act = {base} + c0 * {} + c1;", receiving.len()));
        self.push(&writer, true);
        Ok(())
    }

    /// Regions of every way to take an event together.
    fn gathered(&mut self, meeting: usize) -> Result<(), Refusal> {
        let plan = self.plan;
        for slots in &plan.meetings[meeting].alternatives {
            let of = |&slot: &usize| {
                let mut by_location = ByLocation::new();
                for at in self.locations(slot) {
                    if self.is_left(slot, at) {
                        continue;
                    }
                    let role = Role::Gathered(small(meeting));
                    let takes = |&number: &u32| {
                        plan.places[number as usize].role == role
                            && plan.edge(number).communication == Communication::None
                    };
                    let edges: Vec<u32> =
                        self.numbered(slot, at).into_iter().filter(takes).collect();
                    if !edges.is_empty() {
                        by_location.insert(at, edges);
                    }
                }
                (slot, by_location)
            };
            let parts: Vec<(usize, ByLocation)> = slots.iter().map(of).collect();
            let wheels: Vec<usize> =
                parts.iter().map(|(_, by)| by.values().map(Vec::len).max().unwrap_or(0)).collect();
            let ways = wheels.iter().copied().fold(1, usize::saturating_mul);
            if ways > COMBINATIONS {
                return Err(Refusal::new("an event can be taken together in very many ways"));
            }
            if slots.is_empty() {
                continue;
            }
            for way in 0..ways {
                let mut rest = way;
                let mut cases = Vec::new();
                for ((slot, by), &wheel) in parts.iter().zip(&wheels) {
                    cases.push((*slot, nths(by, rest % wheel)));
                    rest /= wheel;
                }
                self.together(&cases)?;
            }
        }
        Ok(())
    }

    /// A region in which several processes take an event.
    fn together(&mut self, parts: &[(usize, Vec<Case>)]) -> Result<(), Refusal> {
        let plan = self.plan;
        let sizes = parts.iter().map(|(_, cases)| cases.len());
        let actions = sizes.fold(1, usize::saturating_mul);
        if self.steps.actions.len().saturating_add(actions) > 1 << 20 {
            return Err(Refusal::new("its events can be taken together in very many ways"));
        }
        let mut writer = self.region()?;
        for (at, (slot, cases)) in parts.iter().enumerate() {
            writer.line(format!("u32 c{at} = 0;"));
            writer.switch(*slot, numbered(cases), true, |writer, (variant, _), (nth, number)| {
                writer.own = Some((*slot, variant));
                let edge = plan.edge(number);
                writer.may_exit(edge);
                let holds = writer.test(&edge.guard);
                writer.require(&holds);
                writer.line(format!("c{at} = {nth};"));
            });
        }
        let last = parts.len() - 1;
        for (at, (slot, cases)) in parts.iter().enumerate() {
            writer.switch(*slot, cases.clone(), true, |writer, (variant, _), number| {
                writer.own = Some((*slot, variant));
                let edge = plan.edge(number);
                if at == last && plan.layout.holder.is_some() && edge.hold {
                    return writer.give_up();
                }
                writer.take(edge);
                writer.words = "w";
            });
        }
        writer.words = "d";
        writer.settle(parts[last].0);
        let base = self.steps.actions.len();
        let mut combination = vec![0; parts.len()];
        for _ in 0..actions {
            let edges: Vec<u32> =
                combination.iter().zip(parts).map(|(&nth, (_, cases))| cases[nth].1).collect();
            self.action(&edges);
            // The last part turns fastest.
            for at in (0..parts.len()).rev() {
                combination[at] += 1;
                if combination[at] < parts[at].1.len() {
                    break;
                }
                combination[at] = 0;
            }
        }
        let mut text = "0".to_owned();
        for (at, (_, cases)) in parts.iter().enumerate() {
            text = format!("({text} * {} + c{at})", cases.len());
        }
        writer.line(format!("ok = 1; act = {base} + {text};"));
        self.push(&writer, true);
        Ok(())
    }

    /// Whether all processes are where they may stay.
    fn end(&mut self) {
        let mut writer = Writer::new(self.plan, 0);
        for slot in 0..self.plan.layout.slots.len() {
            let template = |variant: usize| self.plan.layout.slots[slot].variants[variant].template;
            let stays = |&(variant, at): &(usize, usize)| {
                !self.plan.model.template(template(variant)).locations[at].may_end
            };
            let cases = self.locations(slot).into_iter().filter(stays).map(|at| (at, ())).collect();
            writer.switch(slot, cases, false, |writer, _, ()| writer.line("end = 0;"));
        }
        self.steps.end = writer.out;
    }
}

/// A variant and a location, with something for a process there: mostly the number of an edge.
type Case<T = u32> = ((usize, usize), T);

/// The edges at a position among those of their locations.
fn nths(by_location: &ByLocation, nth: usize) -> Vec<Case> {
    by_location.iter().filter_map(|(&at, edges)| edges.get(nth).map(|&edge| (at, edge))).collect()
}

/// The same with positions.
fn numbered(cases: &[Case]) -> Vec<Case<(usize, u32)>> {
    cases.iter().enumerate().map(|(nth, &(at, edge))| (at, (nth, edge))).collect()
}

impl<'a> Writer<'a> {
    /// Writes something for each case of what is in a slot; the region is left elsewhere, if it is `strict`.
    fn switch<T>(
        &mut self,
        slot: usize,
        cases: Vec<Case<T>>,
        strict: bool,
        mut write: impl FnMut(&mut Self, (usize, usize), T),
    ) {
        self.words = "w";
        let of = &self.plan.layout.slots[slot];
        let label = self.label;
        let kind = self.raw(&of.kind, &Element::Fixed(0));
        let location = self.raw(&of.location, &Element::Fixed(0));
        let otherwise =
            if strict { format!("default: goto out{label}; }}") } else { "}".to_owned() };
        let mut by_variant: BTreeMap<usize, Vec<(usize, T)>> = BTreeMap::new();
        for ((variant, at), case) in cases {
            by_variant.entry(variant).or_default().push((at, case));
        }
        // What is stored of a kind begins with its base.
        let base = usize::try_from(of.kind.base).unwrap_or(0);
        self.line(format!("switch ((int){kind}) {{"));
        for (variant, cases) in by_variant {
            self.line(format!("case {}: switch ((u32){location}) {{", variant + 1 - base));
            for (at, case) in cases {
                self.line(format!("case {at}: {{"));
                write(self, (variant, at), case);
                self.words = "w";
                self.line("} break;");
            }
            self.line(&otherwise);
            self.line("break;");
        }
        self.line(&otherwise);
    }

    /// Leaves the region if an edge ends a process that may not end yet.
    fn may_exit(&mut self, edge: &Edge) {
        let Some((slot, _)) = self.own else { return };
        if edge.target != Target::Exit || self.plan.model.exit == Exit::Any {
            return;
        }
        for later in slot + 1..self.plan.layout.slots.len() {
            let kind = self.kind(later);
            self.require(&format!("{} == 0", kind.text));
        }
    }
}

/// Statements that set a bit of `props` if a condition on states holds. One in which something goes wrong declines.
///
/// # Errors
/// When it cannot be evaluated on a card.
pub(crate) fn proposition(plan: &Plan, at: usize, expr: &Expr) -> Result<String, Refusal> {
    let waits = expr.any(&mut |expr| matches!(expr, Expr::Timeout | Expr::Executable(_)));
    if waits || at >= 32 {
        return Err(Refusal::new("a proposition asks what is enabled"));
    }
    let label = 1_000_000 + at;
    let mut writer = Writer::new(plan, label);
    let holds = writer.test(expr);
    writer.line(format!("props |= (u32)({holds}) << {at};"));
    Ok(format!("{{ {{\n{}}}\nout{label}: ;\n}}\n", writer.out))
}
