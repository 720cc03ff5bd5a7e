//! Variables that have few values, by process.
//!
//! Two stations of a ring are of one kind, and each uses the channels that it was started with. A model says so with
//! parameters, so an edge alone does not tell which channels it is about, nor which element of an array. Here every
//! variable gets the values that it may ever have, if they are few: from the beginning, the arguments, the assignments
//! and the messages, whenever they may happen, until nothing is added. Each process has its own variables, so the
//! edges of each can be written with the numbers that never change ([`Known::edges`]).
//!
//! It is `Ranges` of the model with sets for intervals, and for each process instead of each kind. What starts a
//! process with which arguments is followed more closely, by `started.rs`.

use fairly_model::{
    AnyVariable, BinaryOp, ChannelQuery, Communication, Edge, Expr, Label, Model, Overflow,
    Pattern, Place, Range, Statement, StatementKind, TemplateId, UnaryOp, Variable,
};
use fairly_omega::Stop;
use hashbrown::{HashMap, HashSet};

use crate::of_model::each;
use crate::started::{self, assigned, unary};

/// Numbers in a set, at the most.
const MOST: usize = 40;
/// Rounds after which a set that still grows holds any number.
const PATIENCE: usize = 6;
/// Rounds after which nothing is known.
const ROUNDS: usize = 60;
/// Edges that are looked at in all rounds together.
const WORK: usize = 200_000;

/// A few numbers, in increasing order, or any number.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Few {
    These(Vec<i64>),
    Any,
}

impl Few {
    fn none() -> Few {
        Few::These(Vec::new())
    }

    fn one(value: i64) -> Few {
        Few::These(vec![value])
    }

    fn truth() -> Few {
        Few::These(vec![0, 1])
    }

    fn of(values: impl IntoIterator<Item = i64>) -> Few {
        let mut all = Vec::new();
        for value in values {
            if let Err(at) = all.binary_search(&value) {
                all.insert(at, value);
            }
            if all.len() > MOST {
                return Few::Any;
            }
        }
        Few::These(all)
    }

    fn with(&self, other: &Few) -> Few {
        match (self, other) {
            (Few::These(one), Few::These(two)) => Few::of(one.iter().chain(two).copied()),
            _ => Few::Any,
        }
    }

    fn map(&self, of: impl Fn(i64) -> Option<i64>) -> Few {
        match self {
            Few::These(all) => Few::of(all.iter().filter_map(|&value| of(value))),
            Few::Any => Few::Any,
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self, Few::These(all) if all.is_empty())
    }

    fn only(&self) -> Option<i64> {
        match self {
            Few::These(all) if all.len() == 1 => Some(all[0]),
            _ => None,
        }
    }

    /// The values of a variable after one of these was assigned to it.
    fn converted(&self, range: Range, overflow: Overflow) -> Few {
        match self {
            Few::These(all) if all.iter().all(|&value| range.contains(value)) => self.clone(),
            // Wrapped values are not worked out.
            _ if overflow == Overflow::Wrap => Few::Any,
            Few::These(_) => self.map(|value| range.contains(value).then_some(value)),
            Few::Any => Few::Any,
        }
    }
}

/// Values of variables and messages.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// By slot and kind of process.
    locals: HashMap<(usize, TemplateId), Vec<Few>>,
    globals: Vec<Few>,
    /// By variable of the model: its values, if nothing ever assigns it.
    fixed: Vec<Option<Vec<i64>>>,
    /// By channel, the cells of its messages.
    cells: Vec<Vec<Few>>,
    /// Slots with a kind of process that is never there.
    absent: HashSet<(usize, TemplateId)>,
}

/// An edge as a process in one slot has it.
pub(crate) struct SlotEdge {
    /// The edge, with numbers for the variables of the process that have one value only.
    pub(crate) edge: Edge,
    /// The channels that it may send to or receive from; none if it does neither.
    pub(crate) channels: Vec<usize>,
}

impl Known {
    /// Values in a model all of whose locations have their edges. `kinds` has, by slot, the kinds of process that
    /// the layout has room for.
    pub(crate) fn of(model: &Model, kinds: &[Vec<TemplateId>], stop: Stop) -> Known {
        let edges = |kind: &TemplateId| -> usize {
            let locations = model.template(*kind).locations.iter();
            locations.map(|location| location.edges.as_ref().map_or(0, Vec::len)).sum()
        };
        let edges: usize = kinds.iter().flatten().map(edges).sum();
        let mut finder = Finder::new(model, kinds, stop);
        for round in 0..ROUNDS.min(WORK / edges.max(1)) {
            finder.changed = false;
            finder.is_patient = round < PATIENCE;
            finder.round();
            if stop.is_due() {
                break;
            }
            if !finder.changed {
                return finder.known;
            }
        }
        Known::default()
    }

    /// Whether a kind of process is never in a slot.
    pub(crate) fn is_absent(&self, slot: usize, kind: TemplateId) -> bool {
        self.absent.contains(&(slot, kind))
    }

    /// The edges of a kind of process in a slot, by location.
    pub(crate) fn edges(&self, model: &Model, slot: usize, kind: TemplateId) -> Vec<Vec<SlotEdge>> {
        let locals = self.locals.get(&(slot, kind));
        let writer = Writer { known: self, slot, locals, there: Vec::new() };
        let of = |edge: &Edge| {
            let channels = match &edge.communication {
                Communication::None => Vec::new(),
                Communication::Send { channel, .. } | Communication::Receive { channel, .. } => {
                    self.channels(model, slot, kind, channel)
                }
            };
            SlotEdge { edge: writer.edge(edge), channels }
        };
        let locations = model.template(kind).locations.iter();
        locations.map(|location| location.edges.iter().flatten().map(of).collect()).collect()
    }

    /// The channels that an expression may stand for.
    fn channels(&self, model: &Model, slot: usize, kind: TemplateId, channel: &Expr) -> Vec<usize> {
        let count = model.channels.len();
        let here = Here { slot, kind, received: &[] };
        let found: Vec<usize> = match self.values(channel, &here) {
            Few::These(all) => {
                let numbers = all.iter().filter_map(|&number| usize::try_from(number).ok());
                numbers.filter(|&number| number < count).collect()
            }
            Few::Any => Vec::new(),
        };
        // Nothing is known, or it is never done or always an error: then more do not matter.
        if found.is_empty() { (0..count).collect() } else { found }
    }

    fn values(&self, expr: &Expr, here: &Here<'_>) -> Few {
        match expr {
            Expr::Const(value) => Few::one(*value),
            Expr::Own => i64::try_from(here.slot).map_or(Few::Any, Few::one),
            Expr::Received(cell) => here.received.get(*cell as usize).cloned().unwrap_or(Few::Any),
            Expr::Load(place) => self.load(place, here),
            Expr::Unary(op, operand) => match (op, self.values(operand, here)) {
                (UnaryOp::Not, Few::Any) => Few::truth(),
                (UnaryOp::Int, Few::These(all))
                    if all.iter().any(|&it| unary(*op, it).is_none()) =>
                {
                    Few::Any
                }
                (_, values) => values.map(|value| unary(*op, value)),
            },
            Expr::Binary(op, sides) => {
                let both = (self.values(&sides.0, here), self.values(&sides.1, here));
                match both {
                    // The right side may not be evaluated.
                    _ if matches!(op, BinaryOp::And | BinaryOp::Or) => Few::truth(),
                    (Few::These(left), Few::These(right)) if left.len() * right.len() <= 256 => {
                        let right = &right;
                        Few::of(left.iter().flat_map(|&left| {
                            right.iter().filter_map(move |&right| op.apply(left, right))
                        }))
                    }
                    _ if op.is_truth() => Few::truth(),
                    _ => Few::Any,
                }
            }
            Expr::Conditional(parts) => match self.values(&parts.0, here).only() {
                Some(0) => self.values(&parts.2, here),
                Some(_) => self.values(&parts.1, here),
                None => self.values(&parts.1, here).with(&self.values(&parts.2, here)),
            },
            Expr::Checked { index, length } => {
                let inside = |value: &i64| (0..i64::from(*length)).contains(value);
                match self.values(index, here) {
                    Few::Any => Few::of(0..i64::from(*length).min(MOST as i64 + 1)),
                    few => few.map(|value| Some(value).filter(inside)),
                }
            }
            Expr::Channel(ChannelQuery::Empty | ChannelQuery::Full, _)
            | Expr::Poll { .. }
            | Expr::At { .. }
            | Expr::Timeout
            | Expr::Executable(_) => Few::truth(),
            Expr::Channel(ChannelQuery::Length | ChannelQuery::Capacity, _)
            | Expr::Running
            | Expr::LastMover => Few::Any,
        }
    }

    fn load(&self, place: &Place, here: &Here<'_>) -> Few {
        match &place.variable {
            AnyVariable::Local(id) => {
                let locals = self.locals.get(&(here.slot, here.kind));
                locals.and_then(|locals| locals.get(id.index())).cloned().unwrap_or(Few::Any)
            }
            AnyVariable::Global(id) => {
                let index = match &place.index {
                    Some(index) => self.values(index, here),
                    None => Few::one(0),
                };
                match (self.fixed.get(id.index()), index) {
                    (Some(Some(values)), Few::These(all)) => {
                        let element = |&at: &i64| values.get(usize::try_from(at).ok()?).copied();
                        Few::of(all.iter().filter_map(element))
                    }
                    _ => self.globals.get(id.index()).cloned().unwrap_or(Few::Any),
                }
            }
            AnyVariable::Remote { .. } => Few::Any,
        }
    }
}

/// Whose edge is looked at, and what it receives.
struct Here<'a> {
    slot: usize,
    kind: TemplateId,
    received: &'a [Few],
}

struct Finder<'m> {
    model: &'m Model,
    kinds: &'m [Vec<TemplateId>],
    known: Known,
    /// Whether all processes that are started are known already.
    followed: bool,
    is_patient: bool,
    changed: bool,
}

impl<'m> Finder<'m> {
    fn new(model: &'m Model, kinds: &'m [Vec<TemplateId>], stop: Stop) -> Finder<'m> {
        let begun = started::follow(model, kinds, stop);
        let mut finder = Finder {
            model,
            kinds,
            known: Known::default(),
            followed: begun.is_some(),
            is_patient: true,
            changed: false,
        };
        let mut moving = HashSet::new();
        for template in &model.templates {
            let mut note = |statements: &[Statement]| {
                assigned(statements, &mut |place, _| {
                    if let AnyVariable::Global(id) = place.variable {
                        moving.insert(id.index());
                    }
                });
            };
            note(&template.start);
            template
                .locations
                .iter()
                .flat_map(|location| location.edges.iter().flatten())
                .for_each(|edge| note(&edge.effect));
        }
        for (at, variable) in model.variables.iter().enumerate() {
            let values = || {
                let initial = variable.initial.iter().copied().chain(std::iter::repeat(0));
                initial.take(variable.cells())
            };
            finder.known.globals.push(Few::of(values()));
            let fixed = (!moving.contains(&at) && variable.cells() <= 1 << 12)
                .then(|| values().collect::<Vec<i64>>());
            finder.known.fixed.push(fixed);
        }
        for channel in &model.channels {
            finder.known.cells.push(vec![Few::none(); channel.cells.len()]);
        }
        for (slot, kinds) in kinds.iter().enumerate() {
            for &kind in kinds {
                let template = model.template(kind);
                let first = |(at, variable): (usize, &Variable)| {
                    let initial = variable.initial.iter().copied().chain(std::iter::repeat(0));
                    match at < template.parameters as usize {
                        true => Few::none(),
                        false => Few::of(initial.take(variable.cells())),
                    }
                };
                let locals = template.locals.iter().enumerate().map(first).collect();
                finder.known.locals.insert((slot, kind), locals);
            }
        }
        for (slot, of) in model.slots.iter().enumerate() {
            if let Some((kind, arguments)) = &of.start {
                let arguments: Vec<Few> = arguments.iter().map(|&value| Few::one(value)).collect();
                finder.start(slot, *kind, &arguments);
            }
        }
        if let Some(begun) = &begun {
            for (slot, kinds) in kinds.iter().enumerate() {
                let first = model.slots[slot].start.as_ref().map(|start| start.0);
                let is_there = |kind: &TemplateId| {
                    first == Some(*kind)
                        || begun.iter().any(|it| it.slot == slot && it.template == *kind)
                };
                let absent = kinds.iter().filter(|kind| !is_there(kind));
                finder.known.absent.extend(absent.map(|&kind| (slot, kind)));
            }
        }
        for begun in begun.iter().flatten() {
            let known = |argument: &Option<i64>| argument.map_or(Few::Any, Few::one);
            let arguments: Vec<Few> = begun.arguments.iter().map(known).collect();
            finder.start(begun.slot, begun.template, &arguments);
        }
        finder
    }

    fn start(&mut self, slot: usize, kind: TemplateId, arguments: &[Few]) {
        let parameters = &self.model.template(kind).locals;
        for (at, (argument, parameter)) in arguments.iter().zip(parameters).enumerate() {
            let values = argument.converted(parameter.range, parameter.overflow);
            self.add_local(slot, kind, at, &values);
        }
    }

    fn add_local(&mut self, slot: usize, kind: TemplateId, local: usize, values: &Few) {
        if let Some(of) = self.known.locals.get_mut(&(slot, kind)) {
            add(&mut of[local], values, self.is_patient, &mut self.changed);
        }
    }

    /// Everything that the processes can do, once.
    fn round(&mut self) {
        let model = self.model;
        let kinds = self.kinds;
        for (slot, kinds) in kinds.iter().enumerate() {
            for &kind in kinds {
                let template = model.template(kind);
                self.run(&template.start, &Here { slot, kind, received: &[] });
                for edge in template.locations.iter().flat_map(|it| it.edges.iter().flatten()) {
                    self.edge(edge, slot, kind);
                }
            }
        }
    }

    fn edge(&mut self, edge: &Edge, slot: usize, kind: TemplateId) {
        let mut received = Vec::new();
        if let Communication::Receive { channel, pattern, keep, .. } = &edge.communication {
            received =
                self.messages(channel, pattern.len(), *keep, &Here { slot, kind, received: &[] });
            if received.iter().any(Few::is_empty) {
                return;
            }
        }
        let here = Here { slot, kind, received: &received };
        if let Communication::Send { channel, message, .. } = &edge.communication {
            self.send(channel, message, &here);
        }
        self.run(&edge.effect, &here);
    }

    fn channels(&self, channel: &Expr, here: &Here<'_>) -> Vec<usize> {
        let count = self.model.channels.len();
        match self.known.values(channel, here) {
            Few::These(all) => {
                let numbers = all.iter().filter_map(|&number| usize::try_from(number).ok());
                numbers.filter(|&number| number < count).collect()
            }
            Few::Any => (0..count).collect(),
        }
    }

    /// The cells of messages of so many cells that may be in a channel; longer ones, if they only are looked at.
    fn messages(&self, channel: &Expr, cells: usize, keep: bool, here: &Here<'_>) -> Vec<Few> {
        let mut all = vec![Few::none(); cells];
        for channel in self.channels(channel, here) {
            let of = &self.known.cells[channel];
            if of.len() == cells || keep && of.len() > cells {
                for (known, values) in all.iter_mut().zip(of) {
                    *known = known.with(values);
                }
            }
        }
        all
    }

    fn send(&mut self, channel: &Expr, message: &[Expr], here: &Here<'_>) {
        let values: Vec<Few> = message.iter().map(|cell| self.known.values(cell, here)).collect();
        for channel in self.channels(channel, here) {
            let cells = &self.model.channels[channel].cells;
            if cells.len() != values.len() {
                continue;
            }
            let known = self.known.cells[channel].iter_mut();
            for ((known, values), (range, overflow)) in known.zip(&values).zip(cells) {
                let values = values.converted(*range, *overflow);
                add(known, &values, self.is_patient, &mut self.changed);
            }
        }
    }

    fn run(&mut self, statements: &[Statement], here: &Here<'_>) {
        each(statements, &mut |kind| match kind {
            StatementKind::Assign(pairs) => {
                for (place, value) in pairs {
                    let values = self.known.values(value, here);
                    self.assign(place, &values, here);
                }
            }
            StatementKind::Start { template, arguments, slot } => {
                if !self.followed {
                    let values: Vec<Few> =
                        arguments.iter().map(|it| self.known.values(it, here)).collect();
                    for slot in 0..self.kinds.len() {
                        if self.kinds[slot].contains(template) {
                            self.start(slot, *template, &values);
                        }
                    }
                }
                slot.iter().for_each(|place| self.assign(place, &Few::Any, here));
            }
            StatementKind::Put { channel, message, .. } => self.send(channel, message, here),
            StatementKind::Take { channel, into, keep, .. } => {
                let cells = self.messages(channel, into.len(), *keep, here);
                for (place, values) in into.iter().zip(&cells) {
                    place.iter().for_each(|place| self.assign(place, values, here));
                }
            }
            // Both ways of a condition may be gone.
            StatementKind::If { .. }
            | StatementKind::While { .. }
            | StatementKind::Assert { .. } => {}
        });
    }

    fn assign(&mut self, place: &Place, values: &Few, here: &Here<'_>) {
        match &place.variable {
            AnyVariable::Global(id) => {
                let of = &self.model.variables[id.index()];
                let values = values.converted(of.range, of.overflow);
                let known = &mut self.known.globals[id.index()];
                add(known, &values, self.is_patient, &mut self.changed);
            }
            AnyVariable::Local(id) => {
                let of = self.model.template(here.kind).local(*id);
                let values = values.converted(of.range, of.overflow);
                self.add_local(here.slot, here.kind, id.index(), &values);
            }
            AnyVariable::Remote { .. } => {}
        }
    }
}

/// Makes a set hold more values. If there has been enough patience, one that grows holds any.
fn add(known: &mut Few, values: &Few, is_patient: bool, changed: &mut bool) {
    let grown = known.with(values);
    if grown != *known {
        *known = if is_patient || known.is_empty() { grown } else { Few::Any };
        *changed = true;
    }
}

/// Writes edges with the numbers that are known.
struct Writer<'a> {
    known: &'a Known,
    slot: usize,
    locals: Option<&'a Vec<Few>>,
    /// Processes that are there, by a condition that is met where this is evaluated.
    there: Vec<(usize, TemplateId)>,
}

impl Writer<'_> {
    fn edge(&self, edge: &Edge) -> Edge {
        let communication = match &edge.communication {
            Communication::None => Communication::None,
            Communication::Send { channel, message, order } => Communication::Send {
                channel: self.expr(channel),
                message: self.exprs(message),
                order: *order,
            },
            Communication::Receive { channel, pattern, pick, keep } => Communication::Receive {
                channel: self.expr(channel),
                pattern: self.pattern(pattern),
                pick: *pick,
                keep: *keep,
            },
        };
        let label = match &edge.label {
            Label::Data { family, values } => {
                Label::Data { family: family.clone(), values: self.exprs(values) }
            }
            other => other.clone(),
        };
        Edge {
            guard: self.expr(&edge.guard),
            communication,
            label,
            effect: self.statements(&edge.effect),
            ..edge.clone()
        }
    }

    fn statements(&self, statements: &[Statement]) -> Vec<Statement> {
        let of = |statement: &Statement| Statement {
            kind: self.statement(&statement.kind),
            span: statement.span,
        };
        statements.iter().map(of).collect()
    }

    fn statement(&self, kind: &StatementKind) -> StatementKind {
        match kind {
            StatementKind::Assign(pairs) => StatementKind::Assign(
                pairs.iter().map(|(place, value)| (self.place(place), self.expr(value))).collect(),
            ),
            StatementKind::If { condition, then, otherwise } => StatementKind::If {
                condition: self.expr(condition),
                then: self.statements(then),
                otherwise: self.statements(otherwise),
            },
            StatementKind::While { condition, body } => StatementKind::While {
                condition: self.expr(condition),
                body: self.statements(body),
            },
            StatementKind::Assert { condition, message, kind } => StatementKind::Assert {
                condition: self.expr(condition),
                message: message.clone(),
                kind: *kind,
            },
            StatementKind::Start { template, arguments, slot } => StatementKind::Start {
                template: *template,
                arguments: self.exprs(arguments),
                slot: slot.as_ref().map(|place| self.place(place)),
            },
            StatementKind::Put { channel, message, order } => StatementKind::Put {
                channel: self.expr(channel),
                message: self.exprs(message),
                order: *order,
            },
            StatementKind::Take { channel, pattern, into, pick, keep } => StatementKind::Take {
                channel: self.expr(channel),
                pattern: self.pattern(pattern),
                into: into.iter().map(|it| it.as_ref().map(|place| self.place(place))).collect(),
                pick: *pick,
                keep: *keep,
            },
        }
    }

    fn pattern(&self, pattern: &[Pattern]) -> Vec<Pattern> {
        let of = |cell: &Pattern| match cell {
            Pattern::Any => Pattern::Any,
            Pattern::Equal(value) => Pattern::Equal(self.expr(value)),
        };
        pattern.iter().map(of).collect()
    }

    fn exprs(&self, exprs: &[Expr]) -> Vec<Expr> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    /// A place as it is assigned: only its index is written anew.
    fn place(&self, place: &Place) -> Place {
        let variable = match &place.variable {
            AnyVariable::Remote { slot, template, local } => AnyVariable::Remote {
                slot: Box::new(self.expr(slot)),
                template: *template,
                local: *local,
            },
            other => other.clone(),
        };
        let index = place.index.as_ref().map(|index| Box::new(self.expr(index)));
        Place { variable, index }
    }

    fn expr(&self, expr: &Expr) -> Expr {
        match expr {
            Expr::Own => match i64::try_from(self.slot) {
                Ok(slot) => Expr::Const(slot),
                Err(_) => Expr::Own,
            },
            Expr::Load(place) => self.load(place),
            Expr::Unary(op, operand) => match (op, self.expr(operand)) {
                (op, Expr::Const(value)) => match unary(*op, value) {
                    Some(value) => Expr::Const(value),
                    None => Expr::unary(*op, Expr::Const(value)),
                },
                (op, operand) => Expr::unary(*op, operand),
            },
            Expr::Binary(op, sides) => {
                let left = self.expr(&sides.0);
                let right = match op {
                    BinaryOp::And => self.given(&left).expr(&sides.1),
                    _ => self.expr(&sides.1),
                };
                let decided = |value: i64| match op {
                    BinaryOp::And => (value == 0).then_some(0),
                    BinaryOp::Or => (value != 0).then_some(1),
                    _ => None,
                };
                let value = match (&left, &right) {
                    (&Expr::Const(left), &Expr::Const(right)) => op.apply(left, right),
                    (&Expr::Const(left), _) => decided(left),
                    // It is false either way, and nothing goes wrong on the left.
                    (left, &Expr::Const(0)) if *op == BinaryOp::And && has_value(left) => Some(0),
                    _ => None,
                };
                value.map_or_else(|| Expr::binary(*op, left, right), Expr::Const)
            }
            Expr::Conditional(parts) => {
                let all = (self.expr(&parts.0), self.expr(&parts.1), self.expr(&parts.2));
                match all {
                    (Expr::Const(0), _, otherwise) => otherwise,
                    (Expr::Const(_), then, _) => then,
                    all => Expr::Conditional(Box::new(all)),
                }
            }
            Expr::Checked { index, length } => match self.expr(index) {
                Expr::Const(at) if (0..i64::from(*length)).contains(&at) => Expr::Const(at),
                index => Expr::Checked { index: Box::new(index), length: *length },
            },
            Expr::Channel(query, channel) => Expr::Channel(*query, Box::new(self.expr(channel))),
            Expr::Poll { channel, pattern, pick } => Expr::Poll {
                channel: Box::new(self.expr(channel)),
                pattern: self.pattern(pattern),
                pick: *pick,
            },
            Expr::At { slot, template, locations } => {
                let slot = self.expr(slot);
                match position(&slot) {
                    Some(slot) if self.known.is_absent(slot, *template) => Expr::FALSE,
                    _ => {
                        let locations = locations.clone();
                        Expr::At { slot: Box::new(slot), template: *template, locations }
                    }
                }
            }
            Expr::Executable(slot) => Expr::Executable(Box::new(self.expr(slot))),
            Expr::Const(_)
            | Expr::Received(_)
            | Expr::Running
            | Expr::LastMover
            | Expr::Timeout => expr.clone(),
        }
    }

    fn load(&self, place: &Place) -> Expr {
        let place = self.place(place);
        let value = match (&place.variable, &place.index) {
            (AnyVariable::Local(id), None) => {
                self.locals.and_then(|locals| locals.get(id.index())?.only())
            }
            (AnyVariable::Global(id), index) => {
                let fixed = self.known.fixed.get(id.index()).and_then(Option::as_ref);
                let at = match index.as_deref() {
                    None => Some(0),
                    Some(Expr::Const(at)) => usize::try_from(*at).ok(),
                    Some(_) => None,
                };
                fixed.and_then(|values| values.get(at?).copied())
            }
            (AnyVariable::Remote { slot, template, local }, None) => position(slot)
                .filter(|&slot| self.there.contains(&(slot, *template)))
                .and_then(|slot| self.known.locals.get(&(slot, *template)))
                .and_then(|locals| locals.get(local.index())?.only()),
            _ => None,
        };
        value.map_or(Expr::Load(place), Expr::Const)
    }

    /// The same for what is evaluated only where a condition is met.
    fn given(&self, condition: &Expr) -> Writer<'_> {
        let mut there = self.there.clone();
        let mut open = vec![condition];
        while let Some(condition) = open.pop() {
            match condition {
                Expr::Binary(BinaryOp::And, sides) => open.extend([&sides.0, &sides.1]),
                Expr::At { slot, template, .. } => {
                    there.extend(position(slot).map(|slot| (slot, *template)));
                }
                _ => {}
            }
        }
        Writer { known: self.known, slot: self.slot, locals: self.locals, there }
    }
}

/// Whether a condition about numbers and places of processes has a value in every state.
fn has_value(condition: &Expr) -> bool {
    match condition {
        Expr::Const(_) => true,
        Expr::At { slot, .. } => position(slot).is_some(),
        Expr::Binary(op, sides) => op.is_truth() && has_value(&sides.0) && has_value(&sides.1),
        _ => false,
    }
}

/// A slot that is given as a number.
fn position(slot: &Expr) -> Option<usize> {
    match slot {
        Expr::Const(slot) => usize::try_from(*slot).ok(),
        _ => None,
    }
}
