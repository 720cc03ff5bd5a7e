//! Which values variables and messages can have, found without exploring: intervals that nothing in the
//! model leaves.
//!
//! Languages have few types, and a variable of eight or 32 bits mostly counts to three. A state is packed
//! by what is found here, so it often fits one word where the types would take five; what a model means
//! depends on the types alone.
//!
//! The interval of a variable begins with its initial values and grows with every assignment, whichever
//! process makes it and whenever, until nothing grows any more: so each holds whatever the variable ever
//! holds, also in the middle of a step. Within one edge more is known: what its guard says, and the
//! conditions on the way, until the variable is assigned again. An end that grows goes to the next power
//! of two at once: that takes no more bits, and few rounds.

use fairly_system::EventId;
use hashbrown::HashSet;

use crate::expression::{AnyVariable, BinaryOp, ChannelQuery, Expr, Place, UnaryOp};
use crate::ids::TemplateId;
use crate::model::Model;
use crate::origins::assigned;
use crate::process::{Communication, Edge, Label, Statement, StatementKind};
use crate::variable::{Overflow, Range, Variable};

/// The values of everything that a state remembers, and of scratch variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ranges {
    pub(crate) variables: Vec<Range>,
    /// By channel, the cells of its messages.
    pub(crate) cells: Vec<Vec<Range>>,
    /// By template, its variables.
    pub(crate) locals: Vec<Vec<Range>>,
}

/// Rounds after which what still grows may be anything. An end moves at most 64 times.
const ROUNDS: usize = 40;
/// Edges that are looked at in all rounds together. In larger models things may be anything.
const WORK: usize = 400_000;

impl Ranges {
    /// Ranges that the types allow.
    pub(crate) fn declared(model: &Model) -> Ranges {
        let of = |variables: &[Variable]| variables.iter().map(|it| it.range).collect();
        Ranges {
            variables: of(&model.variables),
            cells: model
                .channels
                .iter()
                .map(|channel| channel.cells.iter().map(|cell| cell.0).collect())
                .collect(),
            locals: model.templates.iter().map(|template| of(&template.locals)).collect(),
        }
    }

    /// Ranges of values that can occur in a model, all of whose locations have their edges.
    pub(crate) fn of(model: &Model) -> Ranges {
        let declared = Ranges::declared(model);
        let edges = model.templates.iter().flat_map(|template| &template.locations);
        let edges: usize = edges.map(|it| it.edges.as_ref().map_or(0, Vec::len)).sum();
        if edges.saturating_mul(4) > WORK {
            return declared;
        }
        let mut analysis = Analysis::new(model);
        for _ in 0..ROUNDS.min(WORK / edges.max(1)) {
            analysis.changed = false;
            analysis.round();
            if !analysis.changed {
                return analysis.ranges();
            }
        }
        declared
    }
}

/// Values of something; `None` as long as it has none.
type Values = Option<Range>;

fn hull(one: Values, other: Values) -> Values {
    match (one, other) {
        (Some(one), Some(other)) => {
            Some(Range::new(one.low.min(other.low), one.high.max(other.high)))
        }
        _ => one.or(other),
    }
}

fn common(one: Range, other: Range) -> Values {
    let both = Range::new(one.low.max(other.low), one.high.min(other.high));
    (both.low <= both.high).then_some(both)
}

/// The interval between two numbers of any size; beyond 64 bits there are only faults.
fn between(low: i128, high: i128) -> Range {
    let cut = |end: i128| i64::try_from(end).unwrap_or(if end < 0 { i64::MIN } else { i64::MAX });
    Range::new(cut(low), cut(high))
}

const ANY: Range = Range { low: i64::MIN, high: i64::MAX };

/// The values of a variable that values of this interval are assigned to.
fn converted(values: Range, range: Range, overflow: Overflow) -> Values {
    match (common(values, range), overflow) {
        (Some(inside), _) if inside == values => Some(values),
        (inside, Overflow::Fault | Overflow::Limit) => inside,
        (_, Overflow::Wrap) => Some(range),
    }
}

/// The end of an interval with room to grow: a power of two further on.
fn rounded(values: Range, range: Range) -> Range {
    let high = match u64::try_from(values.high) {
        Ok(high) => i64::try_from((high + 1).next_power_of_two() - 1).unwrap_or(i64::MAX),
        Err(_) => 0,
    };
    let low = match u64::try_from(values.low) {
        Ok(_) => 0,
        Err(_) => values
            .low
            .unsigned_abs()
            .checked_next_power_of_two()
            .map_or(i64::MIN, |size| i64::try_from(size).map_or(i64::MIN, |size| -size)),
    };
    common(Range::new(low, high), range).unwrap_or(range)
}

/// A variable that is no array, of the model or of the process that acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scalar {
    Global(usize),
    Local(usize),
}

/// Known ranges while an edge is looked at.
#[derive(Clone)]
struct Here {
    own: Option<TemplateId>,
    /// The cells of the message that is received.
    received: Vec<Values>,
    /// Variables that are known better than elsewhere.
    narrow: Vec<(Scalar, Range)>,
}

impl Here {
    fn of(own: Option<TemplateId>) -> Here {
        Here { own, received: Vec::new(), narrow: Vec::new() }
    }

    fn invalidate(&mut self, scalar: Scalar) {
        self.narrow.retain(|(known, _)| *known != scalar);
    }

    fn know(&mut self, scalar: Scalar, values: Range) {
        self.invalidate(scalar);
        self.narrow.push((scalar, values));
    }

    /// Known ranges after one of two ways.
    fn join(&mut self, other: &Here) {
        self.narrow.retain_mut(|(scalar, values)| {
            let known = other.narrow.iter().find(|(known, _)| known == scalar);
            let both = known.and_then(|(_, other)| hull(Some(*values), Some(*other)));
            *values = both.unwrap_or(*values);
            both.is_some()
        });
    }
}

struct Analysis<'a> {
    model: &'a Model,
    variables: Vec<Values>,
    cells: Vec<Vec<Values>>,
    locals: Vec<Vec<Values>>,
    changed: bool,
    /// The events that several processes take together.
    gathered: HashSet<EventId>,
}

fn initial(variable: &Variable) -> Values {
    let values = variable.initial.iter().copied();
    let rest = (variable.initial.len() < variable.cells()).then_some(0);
    let all = values.chain(rest).map(|value| Some(Range::new(value, value)));
    all.reduce(hull).flatten().or(Some(variable.range))
}

impl<'a> Analysis<'a> {
    fn new(model: &'a Model) -> Self {
        let of =
            |variables: &[Variable]| -> Vec<Values> { variables.iter().map(initial).collect() };
        let cells = model.channels.iter().map(|channel| vec![None; channel.cells.len()]).collect();
        let locals = model.templates.iter().map(|template| of(&template.locals)).collect();
        let variables = of(&model.variables);
        let gathered = model.gatherings.iter().map(|&(event, _)| event).collect();
        Analysis { model, variables, cells, locals, changed: false, gathered }
    }

    fn ranges(&self) -> Ranges {
        // A message that is never sent takes no bits.
        let of = |values: &Vec<Values>| -> Vec<Range> {
            values.iter().map(|values| values.unwrap_or(Range::new(0, 0))).collect()
        };
        Ranges {
            variables: of(&self.variables),
            cells: self.cells.iter().map(of).collect(),
            locals: self.locals.iter().map(of).collect(),
        }
    }

    /// Everything that the model can do, once.
    fn round(&mut self) {
        let model = self.model;
        for slot in &model.slots {
            if let Some((template, arguments)) = &slot.start {
                let arguments = arguments.iter().map(|&value| Some(Range::new(value, value)));
                self.start(*template, arguments.collect());
            }
        }
        for (at, template) in model.templates.iter().enumerate() {
            let own = Some(TemplateId::from_index(at));
            self.run(&template.start, &mut Here::of(own));
            for edge in template.locations.iter().flat_map(|it| it.edges.iter().flatten()) {
                self.edge(edge, own);
            }
        }
    }

    fn edge(&mut self, edge: &Edge, own: Option<TemplateId>) {
        let mut here = Here::of(own);
        if let Communication::Receive { channel, pattern, keep, .. } = &edge.communication {
            let channels = self.channels(channel, pattern.len(), *keep);
            here.received = self.messages(&channels, pattern.len());
            if here.received.iter().any(Option::is_none) {
                return;
            }
        }
        if !self.suppose(&edge.guard, true, &mut here) {
            return;
        }
        if !self.is_alone(edge) {
            // Another one may change what all share between the guard and the effect.
            here.narrow.retain(|(scalar, _)| matches!(scalar, Scalar::Local(_)));
        }
        if let Communication::Send { channel, message, .. } = &edge.communication {
            self.send(channel, message, &here);
        }
        self.run(&edge.effect, &mut here);
    }

    /// Whether an edge is taken by its process alone.
    fn is_alone(&self, edge: &Edge) -> bool {
        let buffered = match &edge.communication {
            Communication::None => true,
            Communication::Send { channel, .. } | Communication::Receive { channel, .. } => {
                let of = self.fixed_channel(channel);
                of.is_some_and(|channel| self.model.channels[channel].capacity > 0)
            }
        };
        let own_event = match &edge.label {
            Label::Event(event) => !self.gathered.contains(event),
            Label::Data { .. } | Label::Message => false,
        };
        buffered && own_event
    }

    fn fixed_channel(&self, channel: &Expr) -> Option<usize> {
        let Expr::Const(number) = channel else { return None };
        usize::try_from(*number).ok().filter(|&number| number < self.model.channels.len())
    }

    /// The channels that an expression may name, with messages of so many cells; for operations that only look
    /// at messages, also of more.
    fn channels(&self, channel: &Expr, cells: usize, keep: bool) -> Vec<usize> {
        let all = match (self.fixed_channel(channel), channel) {
            (Some(fixed), _) => fixed..fixed + 1,
            (None, Expr::Const(_)) => 0..0,
            (None, _) => 0..self.model.channels.len(),
        };
        let fits = |width: usize| width == cells || keep && width > cells;
        all.filter(|&channel| fits(self.model.channels[channel].cells.len())).collect()
    }

    /// The cells of the messages of some channels.
    fn messages(&self, channels: &[usize], cells: usize) -> Vec<Values> {
        let cell = |cell: usize| {
            channels.iter().map(|&channel| self.cells[channel][cell]).fold(None, hull)
        };
        (0..cells).map(cell).collect()
    }

    fn send(&mut self, channel: &Expr, message: &[Expr], here: &Here) {
        for channel in self.channels(channel, message.len(), false) {
            for (cell, value) in message.iter().enumerate() {
                let (range, overflow) = self.model.channels[channel].cells[cell];
                let values = self.values(value, here);
                let values = values.and_then(|values| converted(values, range, overflow));
                include(&mut self.cells[channel][cell], values, range, &mut self.changed);
            }
        }
    }

    fn start(&mut self, template: TemplateId, arguments: Vec<Values>) {
        let of = self.model.template(template);
        for (local, values) in arguments.into_iter().enumerate().take(of.parameters as usize) {
            let variable = &of.locals[local];
            let values =
                values.and_then(|values| converted(values, variable.range, variable.overflow));
            let known = &mut self.locals[template.index()][local];
            include(known, values, variable.range, &mut self.changed);
        }
    }

    /// Statements, as far as a step comes.
    fn run(&mut self, statements: &[Statement], here: &mut Here) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Assign(pairs) => {
                    let values: Vec<Values> =
                        pairs.iter().map(|(_, value)| self.values(value, here)).collect();
                    for ((place, _), values) in pairs.iter().zip(values) {
                        self.assign(place, values, here);
                    }
                }
                StatementKind::If { condition, then, otherwise } => {
                    let mut other = here.clone();
                    let is_possible = self.suppose(condition, true, here);
                    if is_possible {
                        self.run(then, here);
                    }
                    if self.suppose(condition, false, &mut other) {
                        self.run(otherwise, &mut other);
                        match is_possible {
                            true => here.join(&other),
                            false => *here = other,
                        }
                    }
                }
                StatementKind::While { condition, body } => {
                    // Variables that the body assigns are as in any other step from the second round on.
                    for place in assigned(body) {
                        scalar(place).inspect(|scalar| here.invalidate(*scalar));
                    }
                    let mut inside = here.clone();
                    if self.suppose(condition, true, &mut inside) {
                        self.run(body, &mut inside);
                    }
                    if !self.suppose(condition, false, here) {
                        return;
                    }
                }
                StatementKind::Assert { condition, .. } => {
                    if !self.suppose(condition, true, here) {
                        return;
                    }
                }
                StatementKind::Start { template, arguments, slot } => {
                    let values = arguments.iter().map(|value| self.values(value, here)).collect();
                    self.start(*template, values);
                    if let Some(place) = slot {
                        self.assign(place, Some(self.slots()), here);
                    }
                }
                StatementKind::Put { channel, message, .. } => self.send(channel, message, here),
                StatementKind::Take { channel, into, keep, .. } => {
                    let channels = self.channels(channel, into.len(), *keep);
                    let cells = self.messages(&channels, into.len());
                    for (place, values) in into.iter().zip(cells) {
                        if let Some(place) = place {
                            self.assign(place, values, here);
                        }
                    }
                }
            }
        }
    }

    fn slots(&self) -> Range {
        between(0, self.model.slots.len() as i128)
    }

    fn assign(&mut self, place: &Place, values: Values, here: &mut Here) {
        let Some((variable, known)) = self.variable(&place.variable, here) else { return };
        let values = values.and_then(|values| converted(values, variable.range, variable.overflow));
        let mut grown = known;
        include(&mut grown, values, variable.range, &mut self.changed);
        match (&place.variable, here.own) {
            (AnyVariable::Global(id), _) => self.variables[id.index()] = grown,
            (AnyVariable::Local(id), Some(own)) => self.locals[own.index()][id.index()] = grown,
            _ => return,
        }
        if let Some(scalar) = scalar(place) {
            match values {
                Some(values) => here.know(scalar, values),
                None => here.invalidate(scalar),
            }
        }
    }

    /// A variable, and what it may hold anywhere.
    fn variable(&self, variable: &AnyVariable, here: &Here) -> Option<(&'a Variable, Values)> {
        match variable {
            AnyVariable::Global(id) => {
                Some((self.model.variables.get(id.index())?, self.variables[id.index()]))
            }
            AnyVariable::Local(id) => {
                let own = here.own?;
                let known = self.locals[own.index()].get(id.index())?;
                Some((&self.model.template(own).locals[id.index()], *known))
            }
            AnyVariable::Remote { template, local, .. } => {
                let known = self.locals.get(template.index())?.get(local.index())?;
                // 0 if the process is not there.
                let known = hull(*known, Some(Range::new(0, 0)));
                Some((&self.model.template(*template).locals[local.index()], known))
            }
        }
    }

    /// The values of an expression; `None` if it has none as far as is known in this round.
    fn values(&self, expr: &Expr, here: &Here) -> Values {
        let bool = Some(Range::BOOL);
        match expr {
            Expr::Const(value) => Some(Range::new(*value, *value)),
            Expr::Load(place) => {
                if let Some(scalar) = scalar(place)
                    && let Some((_, known)) = here.narrow.iter().find(|(it, _)| *it == scalar)
                {
                    return Some(*known);
                }
                self.variable(&place.variable, here).map_or(Some(ANY), |(_, known)| known)
            }
            Expr::Received(cell) => here.received.get(*cell as usize).copied().unwrap_or(Some(ANY)),
            Expr::Unary(op, operand) => {
                let Range { low, high } = self.values(operand, here)?;
                Some(match op {
                    UnaryOp::Not => Range::BOOL,
                    UnaryOp::Negate => between(-i128::from(high), -i128::from(low)),
                    UnaryOp::Complement => Range::new(!high, !low),
                    UnaryOp::Int => {
                        let values = Range::new(low, high);
                        if common(values, Range::INT) == Some(values) { values } else { Range::INT }
                    }
                })
            }
            Expr::Binary(op, sides) => {
                let (left, right) = (self.values(&sides.0, here), self.values(&sides.1, here));
                match op {
                    // The right side may not be evaluated.
                    BinaryOp::And | BinaryOp::Or => bool,
                    _ => Some(binary(*op, left?, right?)),
                }
            }
            Expr::Conditional(parts) => {
                hull(self.values(&parts.1, here), self.values(&parts.2, here))
            }
            Expr::Checked { index, length } => {
                common(self.values(index, here)?, between(0, i128::from(*length) - 1))
            }
            Expr::Channel(ChannelQuery::Empty | ChannelQuery::Full, _)
            | Expr::Poll { .. }
            | Expr::At { .. }
            | Expr::Timeout
            | Expr::Executable(_) => bool,
            Expr::Channel(ChannelQuery::Length | ChannelQuery::Capacity, _) => {
                let most = self.model.channels.iter().map(|channel| channel.capacity).max();
                Some(Range::new(0, most.unwrap_or(0).into()))
            }
            Expr::Own | Expr::Running | Expr::LastMover => Some(self.slots()),
        }
    }

    /// Adds to what is known that a condition is true, or that it is false; whether it can be.
    fn suppose(&self, condition: &Expr, truth: bool, here: &mut Here) -> bool {
        match condition {
            Expr::Const(value) => (*value != 0) == truth,
            Expr::Unary(UnaryOp::Not, operand) => self.suppose(operand, !truth, here),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), sides) => {
                if (*op == BinaryOp::And) == truth {
                    return self.suppose(&sides.0, truth, here)
                        && self.suppose(&sides.1, truth, here);
                }
                let mut other = here.clone();
                let first = self.suppose(&sides.0, truth, here);
                let second = self.suppose(&sides.1, truth, &mut other);
                match (first, second) {
                    (true, true) => here.join(&other),
                    (false, true) => *here = other,
                    _ => {}
                }
                first || second
            }
            Expr::Binary(op, sides) => {
                let op = if truth { Some(*op) } else { opposite(*op) };
                let Some(op) = op else { return true };
                let (Some(left), Some(right)) =
                    (self.values(&sides.0, here), self.values(&sides.1, here))
                else {
                    return false;
                };
                let Some((left, right)) = compared(op, left, right) else { return false };
                for (side, values) in [(&sides.0, left), (&sides.1, right)] {
                    if let Expr::Load(place) = side
                        && let Some(scalar) = scalar(place)
                    {
                        here.know(scalar, values);
                    }
                }
                true
            }
            Expr::Load(place) => {
                let Some(scalar) = scalar(place) else { return true };
                let Some(values) = self.values(condition, here) else { return false };
                let zero = Range::new(0, 0);
                let compared = match truth {
                    true => compared(BinaryOp::NotEqual, values, zero),
                    false => compared(BinaryOp::Equal, values, zero),
                };
                let Some((values, _)) = compared else { return false };
                here.know(scalar, values);
                true
            }
            _ => true,
        }
    }
}

/// Makes something hold more values. What grows goes on to a power of two within the type.
fn include(known: &mut Values, values: Values, range: Range, changed: &mut bool) {
    let grown = hull(*known, values);
    if grown != *known {
        *known = match *known {
            // A first value may remain the only one.
            None => grown,
            Some(_) => grown.map(|grown| rounded(grown, range)),
        };
        *changed = true;
    }
}

fn scalar(place: &Place) -> Option<Scalar> {
    match (&place.variable, &place.index) {
        (AnyVariable::Global(id), None) => Some(Scalar::Global(id.index())),
        (AnyVariable::Local(id), None) => Some(Scalar::Local(id.index())),
        _ => None,
    }
}

fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::NotEqual => BinaryOp::Equal,
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::GreaterEqual => BinaryOp::Less,
        BinaryOp::Greater => BinaryOp::LessEqual,
        BinaryOp::LessEqual => BinaryOp::Greater,
        _ => return None,
    })
}

/// Ranges of two sides if a comparison is true; `None` if it never is.
fn compared(op: BinaryOp, left: Range, right: Range) -> Option<(Range, Range)> {
    let below = |one: Range, other: Range, by: i64| {
        let most = other.high.checked_sub(by)?;
        let least = one.low.checked_add(by)?;
        let one = common(one, Range::new(i64::MIN, most))?;
        Some((one, common(other, Range::new(least, i64::MAX))?))
    };
    let swapped = |(one, other)| (other, one);
    match op {
        BinaryOp::Equal => common(left, right).map(|both| (both, both)),
        BinaryOp::NotEqual if left == right && left.low == left.high => None,
        BinaryOp::NotEqual => {
            let without = |one: Range, other: Range| match other.low == other.high {
                true if one.low == other.low => Range::new(one.low.saturating_add(1), one.high),
                true if one.high == other.low => Range::new(one.low, one.high.saturating_sub(1)),
                _ => one,
            };
            Some((without(left, right), without(right, left)))
        }
        BinaryOp::Less => below(left, right, 1),
        BinaryOp::LessEqual => below(left, right, 0),
        BinaryOp::Greater => below(right, left, 1).map(swapped),
        BinaryOp::GreaterEqual => below(right, left, 0).map(swapped),
        _ => Some((left, right)),
    }
}

/// Range of the result of an operator.
pub(crate) fn binary(op: BinaryOp, left: Range, right: Range) -> Range {
    let wide = |range: Range| (i128::from(range.low), i128::from(range.high));
    let ((a, b), (c, d)) = (wide(left), wide(right));
    let are_natural = a >= 0 && c >= 0;
    match op {
        BinaryOp::Add => between(a + c, b + d),
        BinaryOp::Subtract => between(a - d, b - c),
        BinaryOp::Multiply => {
            let products = [a * c, a * d, b * c, b * d];
            let least = products.into_iter().min().unwrap_or(i128::MIN);
            between(least, products.into_iter().max().unwrap_or(i128::MAX))
        }
        BinaryOp::Divide if are_natural => between(0, b),
        BinaryOp::Divide => {
            let most = a.abs().max(b.abs());
            between(-most, most)
        }
        BinaryOp::Remainder | BinaryOp::Modulo => {
            // Less than the divisor; the remainder of `/` is not larger than the dividend either.
            // By 0 there is none, and no values are no reason for an interval that ends before it begins.
            let most = (c.abs().max(d.abs()) - 1).max(0);
            match op {
                _ if are_natural => between(0, most.min(b).max(0)),
                BinaryOp::Modulo if c > 0 => between(0, most),
                _ => between(-most, most),
            }
        }
        BinaryOp::BitAnd if are_natural => between(0, b.min(d)),
        BinaryOp::BitOr | BinaryOp::BitXor if are_natural => {
            between(0, (b.max(d) + 1).cast_unsigned().next_power_of_two().cast_signed() - 1)
        }
        BinaryOp::ShiftLeft if are_natural && d < 64 && b << d <= i128::from(i64::MAX) => {
            between(0, b << d)
        }
        BinaryOp::ShiftRight => between(a.min(0), b.max(0)),
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::ShiftLeft => ANY,
        BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual
        | BinaryOp::And
        | BinaryOp::Or => Range::BOOL,
    }
}
