//! Whether a permutation of processes leaves a model as it is.
//!
//! A permutation acts on all of a model. The process in slot `s` goes to slot `p(s)`; a number of a process,
//! where the [`Scheme`] says that a value is one, becomes that of the process that takes its place; the cells
//! of an array whose index is such a number go with it; an event becomes the one that the process in the
//! other slot has in its place (`events.rs`). The permutation is an *automorphism* if the model that comes of
//! it equals the model. Then it turns steps into steps, whatever state they leave, and what is watched is the
//! same after it.
//!
//! Here both models are gone through side by side, and the permuted one is never made: an expression `a` of
//! the process in `s` is compared with the expression `b` that the process in `p(s)` has in its place, for a
//! value of a known kind. `b` must have, in the permuted state, the permuted value of `a`. So numbers of
//! processes may be compared for equality with others of their kind, assigned, sent and used as indices; what
//! computes with them, orders them or takes them for truth values is not the same afterwards (a *scalarset*;
//! Ip and Dill, *Better verification through symmetry*, 1996).
//!
//! The scheme is a guess: if it is wrong, the models differ, and nothing is permuted. Every structure of the
//! model is taken apart in full and every enumeration matched in full, so that what is added to the model has
//! to be dealt with here before this compiles.
//!
//! # What may differ
//!
//! - Names that are shown, messages of faults and places in a source: nothing depends on them. Labels of
//!   locations are looked up once, and then the locations themselves are watched.
//! - Initial values of processes and variables, unless they have them again later: the initial state is a state
//!   like others, and need not be its own image.
//! - Propositions that are not watched.
//! - The order of what is gathered. The order of edges is part of a model, since actions are told apart by it.

use std::cell::RefCell;

use fairly_model::{
    AnyVariable, Channel, Communication, Edge, Exit, Expr, Label, Layout, Location, Model,
    ModelSpace, Order, Overflow, Pattern, Place, Range, Slot, Statement, StatementKind, Storage,
    Strip, Target, Template, TemplateId, Variable,
};
use fairly_system::EventId;
use hashbrown::{HashMap, HashSet};

use super::events::{EventMap, Events};
use super::named::Families;
use super::permutations::Permutation;
use super::scheme::{Kind, Kinds, SLOTS, Scheme};
use crate::watched::Watched;

/// The model and the question, which must be the same after a permutation.
pub(super) struct Subject<'a> {
    pub(super) system: &'a ModelSpace,
    pub(super) model: &'a Model,
    pub(super) layout: &'a Layout,
    pub(super) scheme: &'a Scheme,
    pub(super) watched: &'a Watched,
    /// Watched propositions over states, as expressions.
    pub(super) atoms: &'a [Expr],
    /// By slot: the constraints about its process, in the same order for all that are alike.
    pub(super) families: &'a Families,
    /// By slot: the events that only its process has, in the same order for all that are alike.
    pub(super) own: &'a [Vec<EventId>],
    pub(super) events: Events<'a>,
    /// Templates of processes that are started.
    started: HashSet<TemplateId>,
    /// By template: how many slots can hold it.
    users: HashMap<TemplateId, usize>,
}

/// The models differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Differs;

pub(super) type Same<T = ()> = Result<T, Differs>;

pub(super) fn same(is_so: bool) -> Same {
    if is_so { Ok(()) } else { Err(Differs) }
}

impl<'a> Subject<'a> {
    pub(super) fn new(
        system: &'a ModelSpace,
        scheme: &'a Scheme,
        watched: &'a Watched,
        atoms: &'a [Expr],
        (families, own): (&'a Families, &'a [Vec<EventId>]),
    ) -> Subject<'a> {
        let (model, layout) = (system.model(), system.layout());
        let mut users = HashMap::new();
        for variant in layout.slots.iter().flat_map(|slot| &slot.variants) {
            *users.entry(variant.template).or_default() += 1;
        }
        let events = Events::of(model, scheme);
        let started = super::detect::kinds_started(model);
        Subject {
            system,
            model,
            layout,
            scheme,
            watched,
            atoms,
            families,
            own,
            events,
            started,
            users,
        }
    }

    /// Whether one of these slots is for processes that are started.
    pub(super) fn starts_in(&self, slots: &[usize]) -> bool {
        slots.iter().any(|&slot| self.model.slots[slot].start.is_none())
    }

    /// Whether processes that are started in one of these slots are started in these only.
    pub(super) fn starts_only_in(&self, slots: &[usize]) -> bool {
        slots.iter().filter(|&&slot| self.model.slots[slot].start.is_none()).all(|&slot| {
            let [only] = self.layout.slots[slot].variants.as_slice() else { return false };
            super::detect::slots_to_start_in(self.model, self.layout, only.template)
                .is_some_and(|all| all.iter().all(|slot| slots.contains(slot)))
        })
    }

    /// Checks that a permutation of these slots leaves the model and what is watched as they are.
    ///
    /// # Errors
    /// With what would change, in words.
    pub(super) fn keeps(&self, moved: &Permutation, slots: &[usize]) -> Result<(), String> {
        let Model {
            variables,
            channels,
            templates: _,
            slots: all_slots,
            events: _,
            gatherings: _,
            propositions: _,
            atomicity: _,
            exit,
        } = self.model;
        let mut check = Check::new(self, moved, slots)?;
        for (at, variable) in variables.iter().enumerate() {
            let kinds = self.scheme.variables[at];
            let strip = &self.layout.variables[at];
            let is_reset = variable.storage == Storage::Scratch;
            check
                .variable([variable, variable], [kinds, kinds], is_reset)
                .and_then(|()| check.room(strip, kinds.value))
                .map_err(|Differs| variable.name.clone())?;
        }
        for (at, channel) in channels.iter().enumerate() {
            check.channel_as_declared(at, channel).map_err(|Differs| channel.name.clone())?;
        }
        for (slot, of) in all_slots.iter().enumerate() {
            let is_moved = moved.of(slot) != slot;
            if is_moved {
                check.slot(slot, *exit).map_err(|Differs| of.name.clone())?;
            }
            for variant in &self.layout.slots[slot].variants {
                let kinds = &self.scheme.locals[variant.template.index()];
                for (strip, kinds) in variant.locals.iter().zip(kinds) {
                    check.room(strip, kinds.value).map_err(|Differs| of.name.clone())?;
                }
            }
        }
        for &slot in slots {
            let [from, to] =
                [slot, moved.of(slot)].map(|it| self.layout.slots[it].variants[0].template);
            check.templates(from, to)?;
        }
        for (&template, &users) in &self.users {
            if check.moved_users(template) < users {
                check.templates(template, template)?;
            }
        }
        for (slot, of) in all_slots.iter().enumerate() {
            check.renaming(slot).map_err(|Differs| format!("the events hidden in {}", of.name))?;
        }
        check.events()?;
        check.watched()
    }
}

/// One permutation.
pub(super) struct Check<'a> {
    pub(super) of: &'a Subject<'a>,
    pub(super) moved: &'a Permutation,
    pub(super) slots: &'a [usize],
    /// By domain: the numbers that change.
    pub(super) numbers: Vec<HashMap<i64, i64>>,
    pub(super) map: EventMap,
    /// Templates whose processes move, with the one that stands where they go; `None` if there are several.
    pub(super) templates: HashMap<TemplateId, Option<TemplateId>>,
    /// How many slots with the template move.
    moved_users: HashMap<TemplateId, usize>,
    compared: HashSet<(TemplateId, TemplateId)>,
    /// By domain and range: whether the range has what its numbers become.
    closed: RefCell<HashMap<(usize, i64, i64), bool>>,
}

/// Whose expressions are compared.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    /// Their templates; `None` for what no process evaluates.
    pub(super) templates: Option<[usize; 2]>,
    /// Whether processes of the template move.
    pub(super) moves: bool,
    /// The cells of the message that is received.
    pub(super) received: Vec<(Kind, Range)>,
}

impl<'a> Check<'a> {
    fn new(
        of: &'a Subject<'a>,
        moved: &'a Permutation,
        slots: &'a [usize],
    ) -> Result<Check<'a>, String> {
        let Subject { model, layout, scheme, .. } = of;
        let mut numbers = Vec::new();
        for domain in &scheme.domains {
            let mut changed = HashMap::new();
            for &slot in slots {
                let [here, there] =
                    [slot, moved.of(slot)].map(|slot| domain.numbers.get(&slot).copied());
                match (here, there) {
                    (Some(here), Some(there)) => changed.insert(here, there),
                    (None, None) => None,
                    // One of the two has a number there and the other does not.
                    _ => return Err(model.slots[slot].name.clone()),
                };
            }
            numbers.push(changed);
        }
        let mut templates: HashMap<TemplateId, Option<TemplateId>> = HashMap::new();
        let mut moved_users = HashMap::new();
        for &slot in slots {
            let template = |slot: usize| match layout.slots[slot].variants.as_slice() {
                [only] => Ok(only.template),
                _ => Err(model.slots[slot].name.clone()),
            };
            let (from, to) = (template(slot)?, template(moved.of(slot))?);
            let known = templates.entry(from).or_insert(Some(to));
            if *known != Some(to) {
                *known = None;
            }
            *moved_users.entry(from).or_default() += 1;
        }
        for (template, to) in &mut templates {
            if of.users[template] > moved_users[template] && *to != Some(*template) {
                *to = None;
            }
        }
        let map = EventMap::new(model);
        let (compared, closed) = (HashSet::new(), RefCell::default());
        Ok(Check { of, moved, slots, numbers, map, templates, moved_users, compared, closed })
    }

    fn moved_users(&self, template: TemplateId) -> usize {
        self.moved_users.get(&template).copied().unwrap_or(0)
    }

    /// The number that a value becomes.
    pub(super) fn after(&self, kind: Kind, value: i64) -> i64 {
        let changed = kind.and_then(|domain| self.numbers[domain].get(&value));
        changed.copied().unwrap_or(value)
    }

    /// Whether a range has a number if and only if it has what the number becomes.
    pub(super) fn is_closed(&self, kind: Kind, range: Range) -> bool {
        let Some(domain) = kind else { return true };
        let key = (domain, range.low, range.high);
        *self.closed.borrow_mut().entry(key).or_insert_with(|| {
            let mut numbers = self.numbers[domain].iter();
            numbers.all(|(&from, &to)| range.contains(from) == range.contains(to))
        })
    }

    /// Whether the state has room for every number or for none, where it keeps them.
    fn room(&self, strip: &Strip, kind: Kind) -> Same {
        let is_stored = (strip.cell as usize) < self.of.layout.state_cells;
        same(!is_stored || self.is_closed(kind, strip.range()))
    }

    /// A variable, and the one that stands in its place. What it has at first matters if it is reset to that.
    fn variable(&self, both: [&Variable; 2], kinds: [Kinds; 2], is_reset: bool) -> Same {
        let [
            Variable {
                name: _,
                range,
                overflow,
                length,
                count: _,
                initial,
                storage,
                shown: _,
                span: _,
            },
            other,
        ] = both;
        let Variable {
            name: _,
            range: other_range,
            overflow: other_overflow,
            length: other_length,
            count: _,
            initial: other_initial,
            storage: other_storage,
            shown: _,
            span: _,
        } = other;
        same(range == other_range && overflow == other_overflow && length == other_length)?;
        same(storage == other_storage && kinds[0] == kinds[1])?;
        let Kinds { value, index } = kinds[0];
        same(self.is_closed(value, *range))?;
        if let Some(length) = length {
            same(self.is_closed(index, indices(*length)))?;
        }
        if !is_reset {
            return Ok(());
        }
        if kinds[0] == Kinds::default() {
            return same(initial == other_initial);
        }
        let count = i64::from(length.unwrap_or(1));
        let at = |initial: &Vec<i64>, element: i64| {
            let element = usize::try_from(element).ok();
            element.and_then(|it| initial.get(it)).copied().unwrap_or(0)
        };
        let index = index.filter(|_| length.is_some());
        same((0..count).all(|element| {
            let there = self.after(index, element);
            at(other_initial, there) == self.after(value, at(initial, element))
        }))
    }

    /// A channel stays where it is, with the numbers in its messages changed.
    fn channel_as_declared(&self, at: usize, channel: &Channel) -> Same {
        let Channel { name: _, capacity: _, cells, kinds: _, when_full: _, owner, span: _ } =
            channel;
        // It is emptied when its process leaves.
        same(owner.is_none_or(|(slot, _)| self.moved.of(slot.index()) == slot.index()))?;
        for ((range, _), &kind) in cells.iter().zip(&self.of.scheme.cells[at]) {
            same(self.is_closed(kind, *range))?;
        }
        for (column, &kind) in
            self.of.layout.channels[at].columns.iter().zip(&self.of.scheme.cells[at])
        {
            if column.length > 0 {
                self.room(column, kind)?;
            }
        }
        Ok(())
    }

    /// A slot whose process moves.
    fn slot(&self, slot: usize, exit: Exit) -> Same {
        // Events that are hidden are compared apart.
        let Slot { name: _, templates: _, start, renamed: _ } = &self.of.model.slots[slot];
        let [from, to] = [slot, self.moved.of(slot)].map(|it| &self.of.layout.slots[it]);
        let ([variant], [other]) = (from.variants.as_slice(), to.variants.as_slice()) else {
            return Err(Differs);
        };
        let shape = |strip: &Strip| (strip.base, strip.width, strip.length);
        same(shape(&from.kind) == shape(&to.kind))?;
        same(shape(&from.location) == shape(&to.location))?;
        same(variant.locals.len() == other.locals.len())?;
        let stored = |strip: &Strip| (strip.cell as usize) < self.of.layout.state_cells;
        for (one, other) in variant.locals.iter().zip(&other.locals) {
            same(stored(one) == stored(other) && shape(one) == shape(other))?;
        }
        // A new process goes to the first slot that is free, which must be one of those that are permuted, and
        // none of them is free again: `detect.rs` has the argument, and `kept_by` looks at the whole group.
        let is_started = self.of.started.contains(&variant.template);
        same(start.is_some() != is_started)?;
        if is_started {
            let template = self.of.model.template(variant.template);
            same(self.of.scheme.is_nameless())?;
            same(!super::detect::can_exit(template) && !super::detect::asks_own(template))?;
        }
        // Processes that leave in order depend on who is behind them, and where a number was kept there is none.
        let kinds = &self.of.scheme.locals[variant.template.index()];
        let keeps_numbers = kinds.iter().any(|kinds| *kinds != Kinds::default());
        let mut edges = super::detect::edges(self.of.model.template(variant.template));
        same(match exit {
            Exit::Any if !keeps_numbers => true,
            Exit::Any | Exit::LastFirst => edges.all(|edge| edge.target != Target::Exit),
        })
    }

    /// Compares a template with the one that stands where its processes go.
    fn templates(&mut self, from: TemplateId, to: TemplateId) -> Result<(), String> {
        if !self.compared.insert((from, to)) {
            return Ok(());
        }
        let [one, other] = [from, to].map(|id| self.of.model.template(id));
        let Template { name, locals, parameters, locations, start, span: _ } = one;
        let Template {
            name: _,
            locals: other_locals,
            parameters: other_parameters,
            locations: other_locations,
            start: other_start,
            span: _,
        } = other;
        let is_started = self.of.started.contains(&from) || self.of.started.contains(&to);
        let context = Context {
            templates: Some([from.index(), to.index()]),
            moves: self.moved_users(from) > 0,
            received: Vec::new(),
        };
        let whole = |Differs| name.clone();
        same(parameters == other_parameters && locals.len() == other_locals.len())
            .map_err(whole)?;
        same(locations.len() == other_locations.len()).map_err(whole)?;
        let kinds = [from, to].map(|id| &self.of.scheme.locals[id.index()]);
        for at in 0..locals.len() {
            let is_reset = is_started || locals[at].storage == Storage::Scratch;
            let both = [&locals[at], &other_locals[at]];
            self.variable(both, [kinds[0][at], kinds[1][at]], is_reset)
                .map_err(|Differs| format!("{} of {name}", locals[at].name))?;
        }
        if is_started {
            self.statements(&context, start, other_start).map_err(whole)?;
        }
        for (location, other) in locations.iter().zip(other_locations) {
            let Location { name: _, edges, atomic, may_end, labels: _, span: _ } = location;
            let Location {
                name: _,
                edges: other_edges,
                atomic: other_atomic,
                may_end: other_may_end,
                labels: _,
                span: _,
            } = other;
            same(atomic == other_atomic && may_end == other_may_end).map_err(whole)?;
            // Unknown edges are not known to be the same.
            let (Some(edges), Some(other_edges)) = (edges, other_edges) else {
                return Err(name.clone());
            };
            same(edges.len() == other_edges.len()).map_err(whole)?;
            for (edge, other) in edges.iter().zip(other_edges) {
                self.edge(&context, edge, other)
                    .map_err(|Differs| format!("{} of {name}", edge.name))?;
            }
        }
        Ok(())
    }

    fn edge(&mut self, context: &Context, one: &Edge, other: &Edge) -> Same {
        let Edge {
            target,
            guard,
            rank,
            hold,
            communication,
            label,
            annotation,
            effect,
            name: _,
            span: _,
        } = one;
        let Edge {
            target: other_target,
            guard: other_guard,
            rank: other_rank,
            hold: other_hold,
            communication: other_communication,
            label: other_label,
            annotation: other_annotation,
            effect: other_effect,
            name: _,
            span: _,
        } = other;
        same(target == other_target && rank == other_rank && hold == other_hold)?;
        same(annotation == other_annotation)?;
        let mut context = context.clone();
        match (communication, other_communication) {
            (Communication::None, Communication::None) => {}
            (
                Communication::Send { channel, message, order },
                Communication::Send { channel: other, message: others, order: other_order },
            ) => {
                same(order == other_order)?;
                self.send(&context, [channel, other], [message, others], *order)?;
            }
            (
                Communication::Receive { channel, pattern, pick, keep },
                Communication::Receive {
                    channel: other,
                    pattern: others,
                    pick: other_pick,
                    keep: other_keep,
                },
            ) => {
                same(pick == other_pick && keep == other_keep)?;
                context.received = self.receive(&context, [channel, other], [pattern, others])?;
            }
            (
                Communication::None | Communication::Send { .. } | Communication::Receive { .. },
                _,
            ) => return Err(Differs),
        }
        self.expr(&context, guard, other_guard, None)?;
        match (label, other_label) {
            (Label::Event(one), Label::Event(other)) => self.map.pair(*one, *other)?,
            (
                Label::Data { family, values },
                Label::Data { family: other_family, values: others },
            ) => {
                same(family == other_family && values.len() == others.len())?;
                let kinds = self.of.events.kinds(family, values.len());
                for (at, (one, other)) in values.iter().zip(others).enumerate() {
                    self.expr(&context, one, other, kinds.and_then(|kinds| kinds[at]))?;
                }
            }
            (Label::Message, Label::Message) => {}
            (Label::Event(_) | Label::Data { .. } | Label::Message, _) => return Err(Differs),
        }
        self.statements(&context, effect, other_effect)
    }

    /// The channels that a channel's number may be, if messages have so many cells; all of them have the same
    /// kinds of cells.
    fn channels(&mut self, context: &Context, both: [&Expr; 2], cells: usize) -> Same<Vec<usize>> {
        // Channels stay where they are.
        self.expr(context, both[0], both[1], None)?;
        let model = self.of.model;
        let known = match both[0] {
            Expr::Const(number) => {
                let at = usize::try_from(*number).ok();
                Some(at.filter(|&at| at < model.channels.len()))
            }
            _ => None,
        };
        let fits = |&at: &usize| model.channels[at].cells.len() == cells;
        let all: Vec<usize> = match known {
            Some(only) => only.into_iter().filter(fits).collect(),
            None => (0..model.channels.len()).filter(fits).collect(),
        };
        let kinds = |at: usize| &self.of.scheme.cells[at];
        same(all.iter().all(|&at| kinds(at) == kinds(all[0])))?;
        Ok(all)
    }

    fn cell_kind(&self, channels: &[usize], cell: usize) -> Kind {
        channels.first().and_then(|&channel| self.of.scheme.cells[channel][cell])
    }

    fn send(
        &mut self,
        context: &Context,
        channel: [&Expr; 2],
        messages: [&[Expr]; 2],
        order: Order,
    ) -> Same {
        let [message, other] = messages;
        same(message.len() == other.len())?;
        let channels = self.channels(context, channel, message.len())?;
        for (cell, (one, other)) in message.iter().zip(other).enumerate() {
            let kind = self.cell_kind(&channels, cell);
            // Messages that are sorted are sorted by their values.
            same(match order {
                Order::Fifo => true,
                Order::Sorted => kind.is_none(),
            })?;
            self.expr(context, one, other, kind)?;
            for &channel in &channels {
                let (range, overflow) = self.of.model.channels[channel].cells[cell];
                self.assigned(context, one, kind, range, overflow)?;
            }
        }
        Ok(())
    }

    /// The kinds and ranges of the cells of the message that is received.
    pub(super) fn receive(
        &mut self,
        context: &Context,
        channel: [&Expr; 2],
        patterns: [&[Pattern]; 2],
    ) -> Same<Vec<(Kind, Range)>> {
        let [pattern, other] = patterns;
        same(pattern.len() == other.len())?;
        let channels = self.channels(context, channel, pattern.len())?;
        let mut received = Vec::with_capacity(pattern.len());
        for (cell, (one, other)) in pattern.iter().zip(other).enumerate() {
            let kind = self.cell_kind(&channels, cell);
            match (one, other) {
                (Pattern::Any, Pattern::Any) => {}
                (Pattern::Equal(one), Pattern::Equal(other)) => {
                    self.expr(context, one, other, kind)?;
                }
                (Pattern::Any | Pattern::Equal(_), _) => return Err(Differs),
            }
            let ranges = channels.iter().map(|&it| self.of.model.channels[it].cells[cell].0);
            received.push((kind, ranges.reduce(union).unwrap_or(Range::new(0, 0))));
        }
        Ok(received)
    }

    /// A value of a kind that is assigned where there is room for a range. A number outside is a fault, and so
    /// is what it becomes. Where values are cut to fit, none may become a number that way.
    pub(super) fn assigned(
        &self,
        context: &Context,
        value: &Expr,
        kind: Kind,
        range: Range,
        overflow: Overflow,
    ) -> Same {
        match overflow {
            Overflow::Fault | Overflow::Limit => Ok(()),
            Overflow::Wrap => same(
                kind.is_none()
                    || self
                        .bounds(context, value)
                        .is_some_and(|of| range.contains(of.low) && range.contains(of.high)),
            ),
        }
    }

    /// The values that an expression with numbers of processes may have.
    fn bounds(&self, context: &Context, expr: &Expr) -> Option<Range> {
        match expr {
            Expr::Const(value) => Some(Range::new(*value, *value)),
            Expr::Load(Place { variable, index: _ }) => Some(match variable {
                AnyVariable::Global(id) => {
                    let declared = self.of.model.variables[id.index()].range;
                    let strip = &self.of.layout.variables[id.index()];
                    match (strip.cell as usize) < self.of.layout.state_cells {
                        true => meet(declared, strip.range()),
                        false => declared,
                    }
                }
                AnyVariable::Local(id) => {
                    let [template, _] = context.templates?;
                    self.of.model.templates[template].locals[id.index()].range
                }
                AnyVariable::Remote { slot: _, template, local } => {
                    let range = self.of.model.template(*template).local(*local).range;
                    union(range, Range::new(0, 0))
                }
            }),
            Expr::Received(cell) => context.received.get(*cell as usize).map(|(_, range)| *range),
            Expr::Own => {
                let last = i64::try_from(self.of.model.slots.len()).ok()? - 1;
                Some(Range::new(0, last))
            }
            Expr::Conditional(parts) => {
                Some(union(self.bounds(context, &parts.1)?, self.bounds(context, &parts.2)?))
            }
            Expr::Checked { index: _, length } => Some(indices(*length)),
            Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Channel(..)
            | Expr::Poll { .. }
            | Expr::At { .. }
            | Expr::Running
            | Expr::LastMover
            | Expr::Timeout
            | Expr::Executable(_) => None,
        }
    }

    fn statements(&mut self, context: &Context, all: &[Statement], others: &[Statement]) -> Same {
        same(all.len() == others.len())?;
        for (one, other) in all.iter().zip(others) {
            let (Statement { kind, span: _ }, Statement { kind: other, span: _ }) = (one, other);
            self.statement(context, kind, other)?;
        }
        Ok(())
    }

    fn statement(&mut self, context: &Context, one: &StatementKind, other: &StatementKind) -> Same {
        match (one, other) {
            (StatementKind::Assign(pairs), StatementKind::Assign(others)) => {
                same(pairs.len() == others.len())?;
                for ((place, value), (other_place, other_value)) in pairs.iter().zip(others) {
                    let kind = self.place(context, place, other_place)?;
                    self.expr(context, value, other_value, kind)?;
                    self.stored(context, value, place)?;
                }
                Ok(())
            }
            (
                StatementKind::If { condition, then, otherwise },
                StatementKind::If {
                    condition: other_condition,
                    then: other_then,
                    otherwise: other_otherwise,
                },
            ) => {
                self.expr(context, condition, other_condition, None)?;
                self.statements(context, then, other_then)?;
                self.statements(context, otherwise, other_otherwise)
            }
            (
                StatementKind::While { condition, body },
                StatementKind::While { condition: other_condition, body: other_body },
            ) => {
                self.expr(context, condition, other_condition, None)?;
                self.statements(context, body, other_body)
            }
            (
                StatementKind::Assert { condition, message: _, kind },
                StatementKind::Assert { condition: other, message: _, kind: other_kind },
            ) if kind == other_kind => self.expr(context, condition, other, None),
            (
                StatementKind::Start { template, arguments, slot },
                StatementKind::Start {
                    template: other_template,
                    arguments: others,
                    slot: other_slot,
                },
            ) => {
                same(template == other_template && arguments.len() == others.len())?;
                // The number of a process that moves must not be kept anywhere.
                same(slot.is_none() || !self.templates.contains_key(template))?;
                let locals = &self.of.model.template(*template).locals;
                for (at, (argument, other)) in arguments.iter().zip(others).enumerate() {
                    let kinds = self.of.scheme.locals[template.index()].get(at);
                    let (Some(kinds), Some(local)) = (kinds, locals.get(at)) else {
                        return Err(Differs);
                    };
                    self.expr(context, argument, other, kinds.value)?;
                    self.assigned(context, argument, kinds.value, local.range, local.overflow)?;
                }
                match (slot, other_slot) {
                    (None, None) => Ok(()),
                    (Some(place), Some(other)) => {
                        let kind = self.place(context, place, other)?;
                        same(kind.is_none_or(|domain| domain == SLOTS))?;
                        self.stored(context, &Expr::Own, place)
                    }
                    (None | Some(_), _) => Err(Differs),
                }
            }
            (
                StatementKind::Put { channel, message, order },
                StatementKind::Put { channel: other, message: others, order: other_order },
            ) => {
                same(order == other_order)?;
                self.send(context, [channel, other], [message, others], *order)
            }
            (
                StatementKind::Take { channel, pattern, into, pick, keep },
                StatementKind::Take {
                    channel: other,
                    pattern: others,
                    into: other_into,
                    pick: other_pick,
                    keep: other_keep,
                },
            ) => {
                same(pick == other_pick && keep == other_keep && into.len() == other_into.len())?;
                let received = self.receive(context, [channel, other], [pattern, others])?;
                for (at, (place, other)) in into.iter().zip(other_into).enumerate() {
                    match (place, other) {
                        (None, None) => {}
                        (Some(place), Some(other)) => {
                            let kind = self.place(context, place, other)?;
                            let of = received.get(at).map(|(kind, _)| *kind);
                            same(of.is_none_or(|of| of == kind))?;
                            let cell = Expr::Received(u32::try_from(at).expect("few cells"));
                            let received = received.clone();
                            let context = Context { received, ..context.clone() };
                            self.stored(&context, &cell, place)?;
                        }
                        (None | Some(_), _) => return Err(Differs),
                    }
                }
                Ok(())
            }
            (
                StatementKind::Assign(_)
                | StatementKind::If { .. }
                | StatementKind::While { .. }
                | StatementKind::Assert { .. }
                | StatementKind::Start { .. }
                | StatementKind::Put { .. }
                | StatementKind::Take { .. },
                _,
            ) => Err(Differs),
        }
    }
}

/// The indices of an array.
pub(super) fn indices(length: u32) -> Range {
    Range::new(0, i64::from(length) - 1)
}

fn union(one: Range, other: Range) -> Range {
    Range::new(one.low.min(other.low), one.high.max(other.high))
}

fn meet(one: Range, other: Range) -> Range {
    Range::new(one.low.max(other.low), one.high.min(other.high))
}
