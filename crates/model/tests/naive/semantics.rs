//! The meaning of a model once more: written for being read, from the documentation of the model
//! alone, without packing, tables or reuse.

use std::collections::BTreeSet;

use fairly_model::{
    Atomicity, Communication, Edge, Exit, Expr, Gathering, Label, Location, Model, Pick, Storage,
    Target, WhenFull,
};
use fairly_source::Span;
use fairly_system::{Annotation, EventId, EventKind};

use super::values::{Env, Run, fit, lets};

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct State {
    pub(crate) variables: Vec<Vec<i64>>,
    pub(crate) channels: Vec<Vec<Vec<i64>>>,
    pub(crate) slots: Vec<Option<Process>>,
    /// `None` unless the model is one whose states remember it.
    pub(crate) holder: Option<usize>,
    /// -1 unless the model is one whose states remember it.
    pub(crate) last: i64,
}

/// A process. Its scratch variables are those of the start of an action.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Process {
    pub(crate) template: usize,
    pub(crate) location: usize,
    pub(crate) locals: Vec<Vec<i64>>,
}

/// Something went wrong there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Wrong(pub(crate) Option<Span>);

pub(crate) type Maybe<T> = Result<T, Wrong>;

pub(crate) const WRONG: Wrong = Wrong(None);

/// A participant's move: slot, event, annotation, place.
pub(crate) type Part = (usize, String, Option<Annotation>, Option<Span>);

/// A step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Step {
    pub(crate) event: String,
    pub(crate) parts: Vec<Part>,
    pub(crate) target: Result<State, Wrong>,
}

/// A step of one edge of one process.
#[derive(Clone, Debug)]
pub(crate) struct Can<'m> {
    pub(crate) slot: usize,
    edge: &'m Edge,
    what: What,
    /// The event of its own label, and the number if it is one of the model.
    event: (String, Option<EventId>),
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    Plain,
    Put(usize, Vec<i64>),
    Get(usize, usize, Vec<i64>),
    Send(usize, Vec<i64>),
    /// Pattern of each cell.
    Receive(usize, Vec<Option<i64>>),
    Wrong(Wrong),
}

/// Several at once, the fault instead if there is one.
pub(crate) struct Together<'m> {
    pub(crate) members: Vec<Can<'m>>,
    wrong: Option<Wrong>,
}

impl<'m> Together<'m> {
    /// Those whose step it is: not who receives in a rendezvous.
    fn movers(&self) -> &[Can<'m>] {
        match self.members.first().map(|can| &can.what) {
            Some(What::Send(..)) if self.wrong.is_none() => &self.members[..1],
            _ => &self.members,
        }
    }
}

pub(crate) struct Naive<'m> {
    pub(crate) model: &'m Model,
    remembers_last: bool,
}

impl<'m> Naive<'m> {
    pub(crate) fn new(model: &'m Model) -> Naive<'m> {
        Naive { model, remembers_last: format!("{model:?}").contains("LastMover") }
    }

    pub(crate) fn initial(&self) -> Maybe<State> {
        let model = self.model;
        let mut state = State {
            variables: model.variables.iter().map(|variable| variable.initial.clone()).collect(),
            channels: vec![vec![]; model.channels.len()],
            slots: vec![None; model.slots.len()],
            holder: None,
            last: if self.remembers_last { 0 } else { -1 },
        };
        let mut count = 0;
        // One after the other, so that none sees those behind it.
        for (at, slot) in model.slots.iter().enumerate() {
            if let Some((template, arguments)) = &slot.start {
                state.slots[at] = Some(self.process(template.index(), arguments)?);
                self.begin(&mut state, at, &mut count)?;
            }
        }
        self.reset_dead_scratch(&mut state);
        Ok(state)
    }

    fn reset_dead_scratch(&self, state: &mut State) {
        for process in state.slots.iter_mut().flatten() {
            let of = &self.model.templates[process.template].locals;
            for (variable, values) in of.iter().zip(&mut process.locals) {
                if variable.storage == Storage::Scratch {
                    values.clone_from(&variable.initial);
                }
            }
        }
    }

    /// First statements of a new process.
    pub(crate) fn begin(&self, state: &mut State, slot: usize, count: &mut u64) -> Maybe<()> {
        let template = state.slots[slot].as_ref().unwrap().template;
        Run { naive: self, state, own: slot, received: None, timeout: false, count }
            .all(&self.model.templates[template].start)
    }

    pub(crate) fn process(&self, template: usize, arguments: &[i64]) -> Maybe<Process> {
        let of = &self.model.templates[template];
        let mut locals: Vec<Vec<i64>> = of.locals.iter().map(|it| it.initial.clone()).collect();
        for (at, &argument) in arguments.iter().enumerate() {
            locals[at][0] = fit(of.locals[at].range, of.locals[at].overflow, argument)?;
        }
        Ok(Process { template, location: 0, locals })
    }

    fn location(&self, process: &Process) -> &'m Location {
        &self.model.templates[process.template].locations[process.location]
    }

    fn atomic(&self, state: &State, slot: usize) -> bool {
        state.slots[slot].as_ref().is_some_and(|process| self.location(process).atomic)
    }

    /// The steps of a state.
    pub(crate) fn steps(&self, state: &State) -> Vec<Step> {
        let timeout = self.possible(state, false).is_empty();
        let mut possible = self.possible(state, timeout);
        let first: Vec<bool> = possible
            .iter()
            .map(|it| match self.model.atomicity {
                Atomicity::Priority => {
                    it.members.iter().any(|can| can.edge.rank == 0 && self.atomic(state, can.slot))
                }
                Atomicity::Exclusive => match state.holder {
                    Some(holder) => it.movers().iter().any(|can| can.slot == holder),
                    None => false,
                },
            })
            .collect();
        if first.contains(&true) {
            let mut keep = first.iter();
            possible.retain(|_| *keep.next().unwrap());
        }
        let mut steps: Vec<Step> =
            possible.iter().map(|together| self.step(state, together, timeout)).collect();
        steps.sort();
        steps.dedup_by(|a, b| a == b && a.target.is_err());
        steps
    }

    /// Whether nothing is possible but after a timeout.
    pub(crate) fn waits(&self, state: &State) -> bool {
        self.possible(state, false).is_empty()
    }

    /// Offers of processes by themselves.
    pub(crate) fn offered(&self, state: &State) -> Vec<Part> {
        let timeout = self.possible(state, false).is_empty();
        let all = self.all(state, timeout);
        let least = self.least(state, &self.unranked(state, timeout));
        let exclusive = self.model.atomicity == Atomicity::Exclusive;
        let moved = |can: &Can<'_>| exclusive && matches!(can.what, What::Receive(..));
        let mut parts: Vec<Part> = all
            .iter()
            .filter(|can| moved(can) || can.edge.rank <= least[can.slot])
            .map(|can| self.part(can))
            .collect();
        parts.sort();
        parts
    }

    /// `deadlock` and `terminated`.
    pub(crate) fn ended(&self, state: &State) -> (bool, bool) {
        let stuck = self.steps(state).is_empty();
        let fine = state.slots.iter().flatten().all(|process| self.location(process).may_end);
        (stuck && !fine, stuck && fine)
    }

    /// A proposition; what goes wrong is false.
    pub(crate) fn holds(&self, state: &State, proposition: usize) -> bool {
        let timeout = self.possible(state, false).is_empty();
        let env = Env { naive: self, state, own: None, received: None, timeout };
        env.eval(&self.model.propositions[proposition].1).is_ok_and(|value| value != 0)
    }

    /// The move of a participant. Edges whose event depends on nothing have one whatever happens.
    fn part(&self, can: &Can<'m>) -> Part {
        let constant = match &can.edge.label {
            Label::Event(_) => true,
            Label::Message => false,
            Label::Data { values, .. } => {
                values.iter().all(|value| matches!(value, Expr::Const(_)))
            }
        };
        let event = match &can.what {
            What::Wrong(_) if !constant => "fault".to_owned(),
            What::Receive(channel, _) if can.edge.label == Label::Message => {
                format!("{}?", self.model.channels[*channel].name)
            }
            _ => can.event.0.clone(),
        };
        (can.slot, event, can.edge.annotation, can.edge.span)
    }

    /// Everything that single processes can do.
    fn all(&self, state: &State, timeout: bool) -> Vec<Can<'m>> {
        let mut all = Vec::new();
        for (slot, process) in state.slots.iter().enumerate() {
            let Some(process) = process else { continue };
            for edge in self.location(process).edges.as_ref().unwrap() {
                let last = state.slots[slot + 1..].iter().all(Option::is_none);
                if edge.target == Target::Exit && self.model.exit == Exit::LastFirst && !last {
                    continue;
                }
                let env = Env { naive: self, state, own: Some(slot), received: None, timeout };
                match self.can(&env, slot, edge) {
                    Ok(None) => {}
                    Ok(Some(can)) => all.push(can),
                    Err(Wrong(span)) => {
                        let event = match &edge.label {
                            Label::Event(event) => self.named(*event),
                            Label::Data { family, values } => {
                                let value = |value: &Expr| match value {
                                    Expr::Const(value) => *value,
                                    _ => 0,
                                };
                                let values: Vec<i64> = values.iter().map(value).collect();
                                self.made(slot, family, ".", &values)
                            }
                            Label::Message => ("fault".to_owned(), None),
                        };
                        let what = What::Wrong(Wrong(span.or(edge.span)));
                        all.push(Can { slot, edge, what, event });
                    }
                }
            }
        }
        all
    }

    fn named(&self, event: EventId) -> (String, Option<EventId>) {
        (self.model.events[event.index()].name.clone(), Some(event))
    }

    /// An event made of values.
    fn made(
        &self,
        slot: usize,
        head: &str,
        separator: &str,
        values: &[i64],
    ) -> (String, Option<EventId>) {
        let values: Vec<String> = values.iter().map(i64::to_string).collect();
        let separator = if values.is_empty() { "" } else { separator };
        let name = format!("{head}{separator}{}", values.join("."));
        if let Some((_, event)) =
            self.model.slots[slot].renamed.iter().find(|(from, _)| *from == name)
        {
            return self.named(*event);
        }
        let known = self.model.events.iter().position(|event| {
            event.name == name && matches!(event.kind, EventKind::Visible | EventKind::Termination)
        });
        (name, known.map(EventId::from_index))
    }

    fn can(&self, env: &Env<'_, 'm>, slot: usize, edge: &'m Edge) -> Maybe<Option<Can<'m>>> {
        let about_message = matches!(edge.communication, Communication::Receive { .. })
            && format!("{:?}", edge.guard).contains("Received(");
        if !about_message && env.eval(&edge.guard)? == 0 {
            return Ok(None);
        }
        let mut event = match &edge.label {
            Label::Event(event) => Some(self.named(*event)),
            _ => None,
        };
        let what = match &edge.communication {
            Communication::None => What::Plain,
            Communication::Send { channel, message, .. } => {
                let channel = env.channel(channel)?;
                let of = &self.model.channels[channel];
                if of.cells.len() != message.len() {
                    return Err(WRONG);
                }
                let full = env.state.channels[channel].len() == of.capacity as usize;
                if of.capacity > 0 && full && of.when_full == WhenFull::Wait {
                    return Ok(None);
                }
                let row = env.message(channel, message)?;
                let (head, separator) = match of.capacity {
                    0 => (of.name.clone(), "."),
                    _ => (format!("{}!", of.name), ""),
                };
                if edge.label == Label::Message {
                    event = Some(self.made(slot, &head, separator, &row));
                }
                match of.capacity {
                    0 => What::Send(channel, row),
                    _ => What::Put(channel, row),
                }
            }
            Communication::Receive { channel, pattern, pick, .. } => {
                let channel = env.channel(channel)?;
                let of = &self.model.channels[channel];
                if of.cells.len() != pattern.len() {
                    return Err(WRONG);
                }
                let waiting = &env.state.channels[channel];
                if of.capacity > 0 && waiting.is_empty() {
                    return Ok(None);
                }
                let wanted = env.wanted(pattern)?;
                if of.capacity == 0 {
                    if edge.label == Label::Message {
                        event = Some((format!("{}?", of.name), None));
                    }
                    What::Receive(channel, wanted)
                } else {
                    let mut found = None;
                    for (at, row) in waiting.iter().enumerate() {
                        if *pick == Pick::Head && at > 0 {
                            break;
                        }
                        let bound = Env { received: Some(row), ..*env };
                        if lets(&wanted, row) && (!about_message || bound.eval(&edge.guard)? != 0) {
                            found = Some((at, row.clone()));
                            break;
                        }
                    }
                    let Some((at, row)) = found else { return Ok(None) };
                    if edge.label == Label::Message {
                        event = Some(self.made(slot, &format!("{}?", of.name), "", &row));
                    }
                    What::Get(channel, at, row)
                }
            }
        };
        if let Label::Data { family, values } = &edge.label {
            let values: Vec<i64> =
                values.iter().map(|value| env.eval(value)).collect::<Maybe<_>>()?;
            event = Some(self.made(slot, family, ".", &values));
        }
        Ok(Some(Can { slot, edge, what, event: event.ok_or(WRONG)? }))
    }

    /// Joint steps of processes, regardless of ranks.
    fn unranked(&self, state: &State, timeout: bool) -> Vec<Together<'m>> {
        let all = self.all(state, timeout);
        let mut found = Vec::new();
        for can in &all {
            match &can.what {
                What::Wrong(wrong) => {
                    found.push(Together { members: vec![can.clone()], wrong: Some(*wrong) });
                }
                What::Send(channel, row) => {
                    for other in &all {
                        let What::Receive(there, wanted) = &other.what else { continue };
                        if there != channel || other.slot == can.slot || !lets(wanted, row) {
                            continue;
                        }
                        let env = Env {
                            naive: self,
                            state,
                            own: Some(other.slot),
                            received: Some(row),
                            timeout,
                        };
                        match env.eval(&other.edge.guard) {
                            Ok(0) => {}
                            Ok(_) => found.push(Together {
                                members: vec![can.clone(), other.clone()],
                                wrong: None,
                            }),
                            Err(Wrong(span)) => found.push(Together {
                                members: vec![other.clone()],
                                wrong: Some(Wrong(span.or(other.edge.span))),
                            }),
                        }
                    }
                }
                What::Receive(..) => {}
                _ if self.gathering(can.event.1).is_none() => {
                    found.push(Together { members: vec![can.clone()], wrong: None });
                }
                _ => {}
            }
        }
        for (event, gathering) in &self.model.gatherings {
            for slots in sets(gathering) {
                let mut ways: Vec<Vec<Can<'m>>> = vec![vec![]];
                for slot in slots {
                    let fits = |can: &&Can<'m>| {
                        can.slot == slot
                            && can.event.1 == Some(*event)
                            && matches!(can.what, What::Plain | What::Put(..) | What::Get(..))
                    };
                    ways = ways
                        .iter()
                        .flat_map(|way| {
                            all.iter().filter(fits).map(|can| {
                                let mut longer = way.clone();
                                longer.push(can.clone());
                                longer
                            })
                        })
                        .collect();
                }
                let ways = ways.into_iter().filter(|way| !way.is_empty());
                found.extend(ways.map(|members| Together { members, wrong: None }));
            }
        }
        found
    }

    fn gathering(&self, event: Option<EventId>) -> Option<&Gathering> {
        let gatherings = &self.model.gatherings;
        gatherings.iter().find(|(of, _)| Some(*of) == event).map(|(_, gathering)| gathering)
    }

    /// By slot: the least rank with which the process can do something, where ranks decide that.
    fn least(&self, state: &State, possible: &[Together<'m>]) -> Vec<u8> {
        let priority = self.model.atomicity == Atomicity::Priority;
        (0..self.model.slots.len())
            .map(|slot| {
                if priority && self.atomic(state, slot) {
                    return u8::MAX;
                }
                let exclusive = self.model.atomicity == Atomicity::Exclusive;
                let all = |it: &'_ Together<'m>| match exclusive {
                    true => it.movers().to_vec(),
                    false => it.members.clone(),
                };
                let cans = possible.iter().flat_map(all);
                let ranks = cans.filter(|can| can.slot == slot).map(|can| can.edge.rank);
                ranks.min().unwrap_or(u8::MAX)
            })
            .collect()
    }

    pub(crate) fn possible(&self, state: &State, timeout: bool) -> Vec<Together<'m>> {
        let mut found = self.unranked(state, timeout);
        let least = self.least(state, &found);
        if self.model.atomicity == Atomicity::Priority {
            found.retain(|it| it.members.iter().all(|can| can.edge.rank <= least[can.slot]));
            return found;
        }
        // Who receives in a rendezvous is moved by who sends: only other ways to receive the same
        // message go before.
        let meets = |it: &Together<'m>| match it.members.as_slice() {
            [send, get] if it.movers().len() == 1 => {
                Some((send.slot, std::ptr::from_ref(send.edge), get.slot, get.edge.rank))
            }
            _ => None,
        };
        let ways: Vec<_> = found.iter().filter_map(meets).collect();
        found.retain(|it| {
            let first = |other: &(usize, *const Edge, usize, u8)| {
                meets(it).is_some_and(|(from, edge, to, rank)| {
                    (other.0, other.1, other.2) == (from, edge, to) && other.3 < rank
                })
            };
            it.movers().iter().all(|can| can.edge.rank <= least[can.slot])
                && !ways.iter().any(first)
        });
        found
    }

    fn step(&self, state: &State, together: &Together<'m>, timeout: bool) -> Step {
        let members = &together.members;
        let mut parts: Vec<Part> = members.iter().map(|can| self.part(can)).collect();
        parts.sort_by_key(|part| part.0);
        let target = match together.wrong {
            Some(wrong) => Err(wrong),
            None => self.target(state, members, timeout),
        };
        let event = match together.wrong {
            Some(_) => "fault".to_owned(),
            None => members[0].event.0.clone(),
        };
        Step { event, parts, target }
    }

    fn target(&self, before: &State, members: &[Can<'m>], timeout: bool) -> Maybe<State> {
        let mut state = before.clone();
        for can in members {
            let mut count = 0;
            let received: Option<Vec<i64>> = match (&can.what, &members[0].what) {
                (What::Get(_, _, row), _) | (What::Receive(..), What::Send(_, row)) => {
                    Some(row.clone())
                }
                _ => None,
            };
            let mut run = Run {
                naive: self,
                state: &mut state,
                own: can.slot,
                received: received.as_deref(),
                timeout,
                count: &mut count,
            };
            let mut act = || {
                match (&can.what, &can.edge.communication) {
                    (What::Put(channel, row), Communication::Send { order, .. }) => {
                        run.put(*channel, row, *order)?;
                    }
                    (What::Get(channel, at, row), Communication::Receive { keep, .. }) => {
                        if run.state.channels[*channel].get(*at) != Some(row) {
                            return Err(WRONG);
                        }
                        if !keep {
                            run.state.channels[*channel].remove(*at);
                        }
                    }
                    _ => {}
                }
                run.all(&can.edge.effect)
            };
            act().map_err(|Wrong(span)| Wrong(span.or(can.edge.span)))?;
            match can.edge.target {
                Target::Exit => {
                    state.slots[can.slot] = None;
                    for (channel, content) in self.model.channels.iter().zip(&mut state.channels) {
                        if channel.owner.is_some_and(|(slot, _)| slot.index() == can.slot) {
                            content.clear();
                        }
                    }
                }
                Target::Location(to) => {
                    state.slots[can.slot].as_mut().unwrap().location = to.index();
                }
            }
        }
        if self.model.atomicity == Atomicity::Exclusive {
            state.holder = members.last().filter(|can| can.edge.hold).map(|can| can.slot);
        }
        if self.remembers_last {
            state.last = members.last().unwrap().slot as i64;
        }
        self.reset_dead_scratch(&mut state);
        // Who cannot go on does not keep the others from it.
        if let Some(holder) = state.holder {
            let possible = self.possible(&state, false);
            let moves = |it: &Together<'m>| it.movers().iter().any(|can| can.slot == holder);
            if !possible.iter().any(moves) {
                state.holder = None;
            }
        }
        Ok(state)
    }
}

/// The sets of slots that take an event together.
fn sets(gathering: &Gathering) -> BTreeSet<BTreeSet<usize>> {
    match gathering {
        Gathering::Slot(slot) => BTreeSet::from([BTreeSet::from([slot.index()])]),
        Gathering::One(parts) => parts.iter().flat_map(sets).collect(),
        Gathering::All(parts) => {
            parts.iter().fold(BTreeSet::from([BTreeSet::new()]), |all, part| {
                let more = sets(part);
                all.iter().flat_map(|one| more.iter().map(move |other| one | other)).collect()
            })
        }
    }
}
