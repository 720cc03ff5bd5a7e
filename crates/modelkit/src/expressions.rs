//! Random expressions, patterns and statements within what a model's tables offer.

use fairly_model::{
    AnyVariable, BinaryOp, ChannelId, ChannelQuery, Expr, LocalId, LocationId, Model, Order,
    Overflow, Pattern, Pick, Place, Range, Statement, StatementKind, Storage, TemplateId, UnaryOp,
    Variable, VariableId,
};
use fairly_testkit::Rng;

use super::models::{Shape, span};

/// Where an expression stands, which decides what it may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// A named condition on states.
    Proposition,
    /// The guard of an edge.
    Guard,
    /// A channel, a message, a pattern or a value of a label.
    Communication,
    /// A statement.
    Effect,
    /// A statement of what a new process does first.
    Start,
}

/// Purpose of an expression or statement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'m> {
    pub(super) model: &'m Model,
    pub(super) shape: &'m Shape,
    /// `None` in a proposition.
    pub(super) template: Option<TemplateId>,
    pub(super) place: Position,
    /// How many cells are received, if the expression may read them.
    pub(super) received: u32,
}

const OPS: [BinaryOp; 19] = [
    BinaryOp::Add,
    BinaryOp::Subtract,
    BinaryOp::Multiply,
    BinaryOp::Divide,
    BinaryOp::Remainder,
    BinaryOp::Modulo,
    BinaryOp::Equal,
    BinaryOp::NotEqual,
    BinaryOp::Less,
    BinaryOp::LessEqual,
    BinaryOp::Greater,
    BinaryOp::GreaterEqual,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::ShiftLeft,
    BinaryOp::ShiftRight,
];

impl<'m> Context<'m> {
    fn locals(&self) -> &'m [Variable] {
        match self.template {
            Some(template) => &self.model.template(template).locals,
            None => &[],
        }
    }

    /// An expression whose value may be anything.
    pub(super) fn expr(&self, rng: &mut Rng, depth: u32) -> Expr {
        if depth == 0 || rng.chance(1, 4) {
            return self.leaf(rng);
        }
        let depth = depth - 1;
        match rng.below(12) {
            0 => {
                let op =
                    *rng.pick(&[UnaryOp::Not, UnaryOp::Negate, UnaryOp::Complement, UnaryOp::Int]);
                Expr::unary(op, self.expr(rng, depth))
            }
            1..=7 => {
                let op = *rng.pick(&OPS);
                let left = self.expr(rng, depth);
                let right = match op {
                    // Mostly no fault: a model that faults at once exercises nothing else.
                    BinaryOp::Divide | BinaryOp::Remainder | BinaryOp::Modulo
                        if rng.chance(15, 16) =>
                    {
                        Expr::Const(*rng.pick(&[2, 3, -2]))
                    }
                    BinaryOp::ShiftLeft | BinaryOp::ShiftRight if rng.chance(15, 16) => {
                        Expr::Const(rng.below(3) as i64)
                    }
                    _ => self.expr(rng, depth),
                };
                Expr::binary(op, left, right)
            }
            8 => Expr::Conditional(Box::new((
                self.expr(rng, depth),
                self.expr(rng, depth),
                self.expr(rng, depth),
            ))),
            9 => {
                let length = 1 + rng.below(3) as u32;
                let index = self.below(rng, depth, i64::from(length));
                Expr::Checked { index: Box::new(index), length }
            }
            10 => self.special(rng, depth),
            _ => self.load(rng, depth).unwrap_or(Expr::Const(2)),
        }
    }

    /// A condition that is true often enough.
    pub(super) fn condition(&self, rng: &mut Rng, depth: u32) -> Expr {
        match rng.below(4) {
            0 => Expr::TRUE,
            1 => {
                let op = *rng.pick(&[BinaryOp::LessEqual, BinaryOp::NotEqual]);
                Expr::binary(op, self.expr(rng, depth), Expr::Const(rng.below(3) as i64))
            }
            _ => self.expr(rng, depth),
        }
    }

    /// An expression that is mostly at least 0 and below `length`.
    fn below(&self, rng: &mut Rng, depth: u32, length: i64) -> Expr {
        match rng.below(16) {
            0 => self.expr(rng, depth),
            1..=8 => Expr::Const(rng.below(length.max(1) as usize) as i64),
            _ => Expr::binary(BinaryOp::Modulo, self.expr(rng, depth), Expr::Const(length.max(1))),
        }
    }

    /// An expression that is mostly in the range.
    fn within(&self, rng: &mut Rng, depth: u32, range: Range) -> Expr {
        let size = range.high - range.low + 1;
        match self.below(rng, depth, size) {
            Expr::Const(value) => Expr::Const(range.low.saturating_add(value)),
            other if range.low == 0 => other,
            other => Expr::binary(BinaryOp::Add, Expr::Const(range.low), other),
        }
    }

    /// A value that may be assigned to a variable or cell: mostly no fault.
    pub(super) fn value(&self, rng: &mut Rng, range: Range, overflow: Overflow) -> Expr {
        let depth = self.shape.depth;
        match overflow {
            Overflow::Wrap => self.expr(rng, depth),
            Overflow::Fault | Overflow::Limit => self.within(rng, depth, range),
        }
    }

    fn leaf(&self, rng: &mut Rng) -> Expr {
        match rng.below(8) {
            0..=2 => Expr::Const(rng.below(5) as i64 - 1),
            3 if self.received > 0 => Expr::Received(rng.below(self.received as usize) as u32),
            4 => self.special(rng, 0),
            _ => self.load(rng, 0).unwrap_or(Expr::Const(1)),
        }
    }

    fn load(&self, rng: &mut Rng, depth: u32) -> Option<Expr> {
        let remote = self.shape.remote && rng.chance(1, 6);
        if remote && let Some((template, local)) = self.remote(rng) {
            let variable = self.model.template(template).local(local);
            let slot = Box::new(self.slot(rng));
            let index = self.index(rng, depth, variable);
            let variable = AnyVariable::Remote { slot, template, local };
            return Some(Expr::Load(Place { variable, index }));
        }
        let scratch = matches!(self.place, Position::Effect | Position::Start);
        self.place(rng, depth, scratch).map(|(place, _)| Expr::Load(place))
    }

    fn remote(&self, rng: &mut Rng) -> Option<(TemplateId, LocalId)> {
        let template = TemplateId::from_index(rng.below(self.model.templates.len()));
        let locals = &self.model.template(template).locals;
        let local = (0..locals.len()).map(LocalId::from_index);
        let local = local.filter(|local| locals[local.index()].storage == Storage::State);
        let locals: Vec<LocalId> = local.collect();
        (!locals.is_empty()).then(|| (template, *rng.pick(&locals)))
    }

    fn index(&self, rng: &mut Rng, depth: u32, variable: &Variable) -> Option<Box<Expr>> {
        let length = i64::from(variable.length?);
        Some(Box::new(self.below(rng, depth.saturating_sub(1), length)))
    }

    /// A variable of the model or the process.
    fn place(&self, rng: &mut Rng, depth: u32, scratch: bool) -> Option<(Place, &'m Variable)> {
        let globals = (0..).map(VariableId).map(AnyVariable::Global).zip(&self.model.variables);
        let locals = (0..).map(LocalId).map(AnyVariable::Local).zip(self.locals());
        let fits = |(_, variable): &(AnyVariable, &Variable)| {
            (scratch || variable.storage == Storage::State) && variable.name != "loop"
        };
        let all: Vec<(AnyVariable, &Variable)> = globals.chain(locals).filter(fits).collect();
        if all.is_empty() {
            return None;
        }
        let (any, variable) = rng.pick(&all).clone();
        let index = self.index(rng, depth, variable);
        Some((Place { variable: any, index }, variable))
    }

    fn slot(&self, rng: &mut Rng) -> Expr {
        match rng.below(3) {
            0 if self.template.is_some() => Expr::Own,
            _ => Expr::Const(rng.below(self.model.slots.len()) as i64),
        }
    }

    fn special(&self, rng: &mut Rng, depth: u32) -> Expr {
        match rng.below(8) {
            0 => {
                let template = TemplateId::from_index(rng.below(self.model.templates.len()));
                let count = self.model.template(template).locations.len();
                let locations = (0..count).map(LocationId::from_index);
                let locations = locations.filter(|_| rng.chance(1, 2)).collect();
                Expr::At { slot: Box::new(self.slot(rng)), template, locations }
            }
            1 if self.template.is_some() => Expr::Own,
            2 => Expr::Running,
            3 if self.shape.last_mover => Expr::LastMover,
            4 if self.place == Position::Guard && self.shape.timeout => Expr::Timeout,
            5 if self.place == Position::Proposition => Expr::Executable(Box::new(self.slot(rng))),
            _ => self.query(rng, depth),
        }
    }

    fn query(&self, rng: &mut Rng, depth: u32) -> Expr {
        let Some(channel) = self.channel(rng, |_| true) else { return Expr::Running };
        let buffered = self.model.channels[channel.index()].capacity > 0;
        if buffered && rng.chance(1, 2) {
            let pattern = self.pattern(rng, channel, depth.min(1));
            let pick = if rng.chance(1, 2) { Pick::Head } else { Pick::First };
            return Expr::Poll { channel: Box::new(Expr::channel(channel)), pattern, pick };
        }
        let query = *rng.pick(&[
            ChannelQuery::Length,
            ChannelQuery::Empty,
            ChannelQuery::Full,
            ChannelQuery::Capacity,
        ]);
        Expr::Channel(query, Box::new(Expr::channel(channel)))
    }

    /// One of the channels that fit.
    pub(super) fn channel(
        &self,
        rng: &mut Rng,
        fits: impl Fn(ChannelId) -> bool,
    ) -> Option<ChannelId> {
        let all = (0..self.model.channels.len()).map(ChannelId::from_index);
        let all: Vec<ChannelId> = all.filter(|&channel| fits(channel)).collect();
        (!all.is_empty()).then(|| *rng.pick(&all))
    }

    /// The channel's number, or now and then an expression for it.
    pub(super) fn channel_number(&self, rng: &mut Rng, channel: ChannelId) -> Expr {
        let number = Expr::channel(channel);
        if rng.chance(1, 6) { Expr::binary(BinaryOp::Add, number, Expr::Const(0)) } else { number }
    }

    pub(super) fn message(&self, rng: &mut Rng, channel: ChannelId) -> Vec<Expr> {
        let cells = &self.model.channels[channel.index()].cells;
        cells.iter().map(|&(range, overflow)| self.value(rng, range, overflow)).collect()
    }

    pub(super) fn pattern(&self, rng: &mut Rng, channel: ChannelId, depth: u32) -> Vec<Pattern> {
        let cells = &self.model.channels[channel.index()].cells;
        let mut cell = |&(range, _): &(Range, Overflow)| match rng.chance(1, 3) {
            true => Pattern::Equal(self.within(rng, depth, range)),
            false => Pattern::Any,
        };
        cells.iter().map(&mut cell).collect()
    }

    /// At most `most` statements, blocks nested at most `depth` deep.
    pub(super) fn statements(&self, rng: &mut Rng, most: usize, depth: u32) -> Vec<Statement> {
        let count = rng.below(most + 1);
        (0..count).map(|_| self.statement(rng, depth)).collect()
    }

    fn statement(&self, rng: &mut Rng, depth: u32) -> Statement {
        let kind = match rng.below(16) {
            0 | 1 if depth > 0 => StatementKind::If {
                condition: self.condition(rng, self.shape.depth),
                then: self.statements(rng, 2, depth - 1),
                otherwise: self.statements(rng, 1, depth - 1),
            },
            2 | 3 if depth > 0 => self.counted(rng),
            4 => StatementKind::Assert {
                condition: match rng.chance(7, 8) {
                    true => Expr::TRUE,
                    false => self.condition(rng, 1),
                },
                message: if rng.chance(1, 2) { "it \"failed\"".to_owned() } else { String::new() },
                kind: fairly_system::FaultKind::Error,
            },
            5 if self.place != Position::Start => self.start(rng),
            6 => self.put(rng),
            7 => self.take(rng),
            _ => self.assign(rng),
        };
        Statement { kind, span: span(rng, self.shape) }
    }

    fn assign(&self, rng: &mut Rng) -> StatementKind {
        let count = if rng.chance(1, 4) { rng.below(3) } else { 1 };
        let all = (0..count).filter_map(|_| {
            let (place, variable) = self.place(rng, 1, true)?;
            let value = self.value(rng, variable.range, variable.overflow);
            Some((place, value))
        });
        StatementKind::Assign(all.collect())
    }

    /// A loop that counts, in a variable that nothing else assigns, so that it ends.
    fn counted(&self, rng: &mut Rng) -> StatementKind {
        let counter = self.locals().iter().position(|local| local.name == "loop");
        let Some(counter) = counter.map(LocalId::from_index) else { return self.assign(rng) };
        let turns = Expr::Const(rng.below(4) as i64);
        let condition = Expr::binary(BinaryOp::Less, Expr::local(counter), turns);
        let next = Expr::binary(BinaryOp::Add, Expr::local(counter), Expr::Const(1));
        let mut body = self.statements(rng, 2, 0);
        body.push(Statement::new(StatementKind::Assign(vec![(Place::local(counter), next)])));
        StatementKind::While { condition, body }
    }

    fn start(&self, rng: &mut Rng) -> StatementKind {
        let template = TemplateId::from_index(rng.below(self.model.templates.len()));
        let locals = &self.model.template(template).locals;
        let parameters = &locals[..self.model.template(template).parameters as usize];
        let arguments = parameters.iter().map(|local| self.value(rng, local.range, local.overflow));
        let arguments = arguments.collect();
        // The number of a slot fits into every variable that holds two values from 0 on, mostly.
        let slot = if rng.chance(1, 2) { self.place(rng, 1, true) } else { None };
        let start =
            StatementKind::Start { template, arguments, slot: slot.map(|(place, _)| place) };
        let room = Expr::Const(self.model.slots.len() as i64);
        StatementKind::If {
            condition: Expr::binary(BinaryOp::Less, Expr::Running, room),
            then: vec![Statement { kind: start, span: span(rng, self.shape) }],
            otherwise: vec![],
        }
    }

    fn buffered(&self, rng: &mut Rng) -> Option<ChannelId> {
        self.channel(rng, |channel| self.model.channels[channel.index()].capacity > 0)
    }

    fn put(&self, rng: &mut Rng) -> StatementKind {
        let Some(channel) = self.buffered(rng) else { return self.assign(rng) };
        let order = if rng.chance(1, 2) { Order::Fifo } else { Order::Sorted };
        let message = self.message(rng, channel);
        let put = StatementKind::Put { channel: self.channel_number(rng, channel), message, order };
        let full = Expr::Channel(ChannelQuery::Full, Box::new(Expr::channel(channel)));
        StatementKind::If {
            condition: full.negated(),
            then: vec![Statement::new(put)],
            otherwise: vec![],
        }
    }

    fn take(&self, rng: &mut Rng) -> StatementKind {
        let Some(channel) = self.buffered(rng) else { return self.assign(rng) };
        let pattern = self.pattern(rng, channel, 1);
        let pick = if rng.chance(1, 2) { Pick::Head } else { Pick::First };
        let into = pattern.iter().map(|_| {
            let place = if rng.chance(1, 2) { self.place(rng, 1, true) } else { None };
            place.map(|(place, _)| place)
        });
        let into = into.collect();
        let poll = Expr::Poll {
            channel: Box::new(Expr::channel(channel)),
            pattern: pattern.clone(),
            pick,
        };
        let keep = rng.chance(1, 3);
        let channel = self.channel_number(rng, channel);
        let take = StatementKind::Take { channel, pattern, into, pick, keep };
        StatementKind::If { condition: poll, then: vec![Statement::new(take)], otherwise: vec![] }
    }
}
