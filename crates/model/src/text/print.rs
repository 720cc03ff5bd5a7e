//! A model as text. The grammar is in [`super`].

use std::fmt::{self, Display, Write};

use fairly_source::Span;
use fairly_system::{EventKind, FaultKind};

use super::lexer::{is_plain, quote};
use crate::expression::{AnyVariable, BinaryOp, ChannelQuery, Expr, Pattern, Pick, Place, UnaryOp};
use crate::model::{Atomicity, Exit, Model};
use crate::process::{
    Communication, Edge, Gathering, Label, Location, Order, Slot, Statement, StatementKind, Target,
    Template,
};
use crate::shown::{Kind, Part, Shown};
use crate::variable::{Channel, Overflow, Range, Storage, Variable, WhenFull};

/// The model as text that [`parse`](super::parse()) reads back. It recurses on what is nested, so a
/// model nested deeper than [`NESTING`](crate::NESTING) is not meant for it.
pub fn print(model: &Model) -> String {
    let mut text = String::new();
    write_model(&mut text, model).expect("a string takes everything");
    text
}

fn write_model(f: &mut String, model: &Model) -> fmt::Result {
    let atomicity = match model.atomicity {
        Atomicity::Priority => "priority",
        Atomicity::Exclusive => "exclusive",
    };
    let exit = match model.exit {
        Exit::Any => "any",
        Exit::LastFirst => "last_first",
    };
    writeln!(f, "model atomicity {atomicity}, exit {exit}\n")?;
    for (at, event) in model.events.iter().enumerate() {
        let kind = match event.kind {
            EventKind::Idle => "idle",
            EventKind::Visible => "visible",
            EventKind::Internal => "internal",
            EventKind::Termination => "termination",
        };
        writeln!(f, "event e{at} {} : {kind}", Name(&event.name))?;
    }
    for (event, gathering) in &model.gatherings {
        writeln!(f, "gather e{event} : {}", Show(gathering))?;
    }
    for (at, variable) in model.variables.iter().enumerate() {
        writeln!(f, "variable g{at} {}", Show(variable))?;
    }
    for (at, channel) in model.channels.iter().enumerate() {
        writeln!(f, "channel c{at} {}", Show(channel))?;
    }
    for (at, template) in model.templates.iter().enumerate() {
        write_template(f, at, template)?;
    }
    if !model.slots.is_empty() || !model.propositions.is_empty() {
        writeln!(f)?;
    }
    for (at, slot) in model.slots.iter().enumerate() {
        write_slot(f, at, slot)?;
    }
    for (name, condition) in &model.propositions {
        writeln!(f, "proposition {} : {}", Name(name), Show(condition))?;
    }
    Ok(())
}

fn write_template(f: &mut String, at: usize, template: &Template) -> fmt::Result {
    let Template { name, locals, parameters, locations, start, span } = template;
    writeln!(f, "\ntemplate t{at} {} parameters {parameters}{} {{", Name(name), Where(*span))?;
    for (at, local) in locals.iter().enumerate() {
        writeln!(f, "  local l{at} {}", Show(local))?;
    }
    if !start.is_empty() {
        writeln!(f, "  begin {}", Show(start.as_slice()))?;
    }
    for (at, location) in locations.iter().enumerate() {
        let Location { name, edges, atomic, may_end, labels, span } = location;
        write!(f, "  location q{at} {}", Name(name))?;
        f.write_str(if *atomic { " atomic" } else { "" })?;
        f.write_str(if *may_end { " ends" } else { "" })?;
        if !labels.is_empty() {
            write!(f, " labels ({})", List(labels.iter().map(|label| Name(label))))?;
        }
        write!(f, "{}", Where(*span))?;
        match edges {
            None => writeln!(f, " unexplored")?,
            Some(edges) if edges.is_empty() => writeln!(f, " {{}}")?,
            Some(edges) => {
                writeln!(f, " {{")?;
                for edge in edges {
                    writeln!(f, "    {}", Show(edge))?;
                }
                writeln!(f, "  }}")?;
            }
        }
    }
    writeln!(f, "}}")
}

fn write_slot(f: &mut String, at: usize, slot: &Slot) -> fmt::Result {
    let Slot { name, templates, start, renamed } = slot;
    write!(f, "slot p{at} {} : {}", Name(name), List(templates.iter()))?;
    if let Some((template, arguments)) = start {
        write!(f, " start {template}({})", List(arguments.iter()))?;
    }
    for (at, (name, event)) in renamed.iter().enumerate() {
        let before = if at == 0 { " rename" } else { "," };
        write!(f, "{before} {} to e{event}", Name(name))?;
    }
    writeln!(f)
}

/// A name, in quotes if it needs them.
struct Name<'a>(&'a str);

impl Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_plain(self.0) { f.write_str(self.0) } else { f.write_str(&quote(self.0)) }
    }
}

/// Where something is written, with a blank before it.
struct Where(Option<Span>);

impl Display for Where {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(Span { start, end }) => write!(f, " @{start}..{end}"),
            None => Ok(()),
        }
    }
}

/// Several things with commas between them.
struct List<I>(I);

impl<I: Iterator<Item: Display> + Clone> Display for List<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, item) in self.0.clone().enumerate() {
            f.write_str(if at == 0 { "" } else { ", " })?;
            write!(f, "{item}")?;
        }
        Ok(())
    }
}

/// A part of a model as text. The parts have no `Display` of their own: a name would be expected
/// of most, not their whole content.
struct Show<'a, T: ?Sized>(&'a T);

fn shown<T>(items: &[T]) -> List<impl Iterator<Item = Show<'_, T>> + Clone> {
    List(items.iter().map(Show))
}

impl Display for Show<'_, (Range, Overflow)> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &(Range { low, high }, overflow) = self.0;
        let overflow = match overflow {
            Overflow::Fault => "",
            Overflow::Limit => "limit ",
            Overflow::Wrap => "wrap ",
        };
        write!(f, "{overflow}{low}..{high}")
    }
}

impl Display for Show<'_, Variable> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Variable { name, range, overflow, length, count, initial, storage, shown, span } =
            self.0;
        write!(f, "{}", Name(name))?;
        if let Some(length) = length {
            write!(f, "[{length}]")?;
        }
        if let Some(count) = count {
            write!(f, " count {count}")?;
        }
        let scratch = if *storage == Storage::Scratch { "scratch " } else { "" };
        write!(f, " : {scratch}{} = ", Show(&(*range, *overflow)))?;
        write!(f, "{}{}{}", List(initial.iter()), Show(shown), Where(*span))
    }
}

impl Display for Show<'_, Shown> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shown { kind, parts } = self.0;
        if *kind != Kind::Number {
            write!(f, " shown {}", Show(kind))?;
        }
        if !parts.is_empty() {
            write!(f, " parts ({})", shown(parts))?;
        }
        Ok(())
    }
}

impl Display for Show<'_, Kind> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Kind::Number => f.write_str("number"),
            Kind::Truth => f.write_str("truth"),
            Kind::Channel => f.write_str("channel"),
            Kind::Named(names) => write!(f, "({})", List(names.iter().map(|name| Name(name)))),
        }
    }
}

impl Display for Show<'_, Part> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Name(&self.0.name))?;
        self.0.lengths.iter().try_for_each(|length| write!(f, "[{length}]"))
    }
}

impl Display for Show<'_, Channel> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Channel { name, capacity, cells, kinds, when_full, owner, span } = self.0;
        let lose = if *when_full == WhenFull::Lose { " lose" } else { "" };
        write!(f, "{}{lose}", Name(name))?;
        if let Some((slot, template)) = owner {
            write!(f, " of {slot} {template}")?;
        }
        write!(f, " capacity {capacity} : ")?;
        write!(f, "({})", shown(cells))?;
        if !kinds.is_empty() {
            write!(f, " shown ({})", shown(kinds))?;
        }
        write!(f, "{}", Where(*span))
    }
}

impl Display for Show<'_, Gathering> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Gathering::Slot(slot) => write!(f, "{slot}"),
            Gathering::All(parts) => write!(f, "all({})", shown(parts)),
            Gathering::One(parts) => write!(f, "one({})", shown(parts)),
        }
    }
}

impl Display for Show<'_, Edge> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let edge = self.0;
        match edge.target {
            Target::Location(location) => write!(f, "-> {location}")?,
            Target::Exit => write!(f, "-> exit")?,
        }
        if edge.guard != Expr::TRUE {
            write!(f, " if {}", Show(&edge.guard))?;
        }
        if edge.rank != 0 {
            write!(f, " rank {}", edge.rank)?;
        }
        f.write_str(if edge.hold { " hold" } else { "" })?;
        match &edge.communication {
            Communication::None => {}
            Communication::Send { channel, message, order } => {
                let sorted = sorted(*order);
                write!(f, " send{sorted} {} ({})", Show(channel), shown(message))?;
            }
            Communication::Receive { channel, pattern, pick, keep } => {
                let how = how(*pick, *keep);
                write!(f, " receive{how} {} ({})", Show(channel), shown(pattern))?;
            }
        }
        match &edge.label {
            Label::Event(event) => write!(f, " on e{event}")?,
            Label::Data { family, values } => {
                write!(f, " on data {}({})", Name(family), shown(values))?;
            }
            Label::Message => write!(f, " on message")?,
        }
        if let Some(annotation) = edge.annotation {
            write!(f, " {annotation}")?;
        }
        if !edge.effect.is_empty() {
            write!(f, " do {}", Show(edge.effect.as_slice()))?;
        }
        write!(f, " as {}{}", Name(&edge.name), Where(edge.span))
    }
}

fn sorted(order: Order) -> &'static str {
    match order {
        Order::Fifo => "",
        Order::Sorted => " sorted",
    }
}

fn how(pick: Pick, keep: bool) -> &'static str {
    match (pick, keep) {
        (Pick::Head, false) => "",
        (Pick::Head, true) => " keep",
        (Pick::First, false) => " first",
        (Pick::First, true) => " first keep",
    }
}

impl Display for Show<'_, [Statement]> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, statement) in self.0.iter().enumerate() {
            f.write_str(if at == 0 { "{ " } else { "; " })?;
            write!(f, "{}", Show(statement))?;
        }
        f.write_str(if self.0.is_empty() { "{}" } else { " }" })
    }
}

impl Display for Show<'_, Statement> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            StatementKind::Assign(all) if all.is_empty() => write!(f, "skip")?,
            StatementKind::Assign(all) => {
                let places = List(all.iter().map(|(place, _)| Show(place)));
                let values = List(all.iter().map(|(_, value)| Show(value)));
                write!(f, "{places} := {values}")?;
            }
            StatementKind::If { condition, then, otherwise } => {
                write!(f, "if {} {}", Show(condition), Show(then.as_slice()))?;
                if !otherwise.is_empty() {
                    write!(f, " else {}", Show(otherwise.as_slice()))?;
                }
            }
            StatementKind::While { condition, body } => {
                write!(f, "while {} {}", Show(condition), Show(body.as_slice()))?;
            }
            StatementKind::Assert { condition, message, kind } => {
                let word = if *kind == FaultKind::Limit { "limit" } else { "assert" };
                write!(f, "{word} {}", Show(condition))?;
                if !message.is_empty() {
                    write!(f, " else {}", Name(message))?;
                }
            }
            StatementKind::Start { template, arguments, slot } => {
                write!(f, "start {template}({})", shown(arguments))?;
                if let Some(place) = slot {
                    write!(f, " into {}", Show(place))?;
                }
            }
            StatementKind::Put { channel, message, order } => {
                write!(f, "put{} {} ({})", sorted(*order), Show(channel), shown(message))?;
            }
            StatementKind::Take { channel, pattern, into, pick, keep } => {
                let how = how(*pick, *keep);
                write!(f, "take{how} {} ({})", Show(channel), shown(pattern))?;
                write!(f, " into ({})", shown(into))?;
            }
        }
        write!(f, "{}", Where(self.0.span))
    }
}

impl Display for Show<'_, Option<Place>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(place) => write!(f, "{}", Show(place)),
            None => f.write_str("_"),
        }
    }
}

impl Display for Show<'_, Pattern> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Pattern::Any => f.write_str("_"),
            Pattern::Equal(value) => write!(f, "{}", Show(value)),
        }
    }
}

impl Display for Show<'_, Place> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.variable {
            AnyVariable::Global(variable) => write!(f, "{variable}")?,
            AnyVariable::Local(local) => write!(f, "{local}")?,
            AnyVariable::Remote { slot, template, local } => {
                write!(f, "{template}[{}].{local}", Show(slot.as_ref()))?;
            }
        }
        match &self.0.index {
            Some(index) => write!(f, "[{}]", Show(index.as_ref())),
            None => Ok(()),
        }
    }
}

/// How tightly a prefix operator binds.
const PREFIX: u8 = 11;

/// The operators with two operands, as they are written, and how tightly they bind.
pub(super) const OPERATORS: [(BinaryOp, &str, u8); 19] = [
    (BinaryOp::Or, "||", 1),
    (BinaryOp::And, "&&", 2),
    (BinaryOp::BitOr, "|", 3),
    (BinaryOp::BitXor, "^", 4),
    (BinaryOp::BitAnd, "&", 5),
    (BinaryOp::Equal, "==", 6),
    (BinaryOp::NotEqual, "!=", 6),
    (BinaryOp::Less, "<", 7),
    (BinaryOp::LessEqual, "<=", 7),
    (BinaryOp::Greater, ">", 7),
    (BinaryOp::GreaterEqual, ">=", 7),
    (BinaryOp::ShiftLeft, "<<", 8),
    (BinaryOp::ShiftRight, ">>", 8),
    (BinaryOp::Add, "+", 9),
    (BinaryOp::Subtract, "-", 9),
    (BinaryOp::Multiply, "*", 10),
    (BinaryOp::Divide, "/", 10),
    (BinaryOp::Remainder, "%", 10),
    (BinaryOp::Modulo, "mod", 10),
];

/// The operators with one operand, as they are written.
pub(super) const PREFIXES: [(UnaryOp, &str); 4] = [
    (UnaryOp::Not, "!"),
    (UnaryOp::Negate, "-"),
    (UnaryOp::Complement, "~"),
    (UnaryOp::Int, "int "),
];

/// The questions to a channel, as they are written.
pub(super) const QUERIES: [(ChannelQuery, &str); 4] = [
    (ChannelQuery::Length, "length"),
    (ChannelQuery::Empty, "empty"),
    (ChannelQuery::Full, "full"),
    (ChannelQuery::Capacity, "capacity"),
];

fn spelled<K: PartialEq>(table: &[(K, &'static str)], key: &K) -> &'static str {
    table.iter().find(|(other, _)| other == key).expect("the table is complete").1
}

/// An operand of an operator, in parentheses unless it binds at least as tightly as asked.
struct Operand<'a>(&'a Expr, u8);

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let binds = match self.0 {
            Expr::Conditional(_) => 0,
            Expr::Binary(op, _) => operator(*op).1,
            Expr::Unary(..) => PREFIX,
            _ => PREFIX + 1,
        };
        if binds < self.1 { write!(f, "({})", Show(self.0)) } else { write!(f, "{}", Show(self.0)) }
    }
}

fn operator(op: BinaryOp) -> (&'static str, u8) {
    let row = OPERATORS.iter().find(|(other, ..)| *other == op);
    row.map(|&(_, sign, binds)| (sign, binds)).expect("the table is complete")
}

impl Display for Show<'_, Expr> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Expr::Const(value) => write!(f, "{value}"),
            Expr::Load(place) => write!(f, "{}", Show(place)),
            Expr::Received(cell) => write!(f, "${cell}"),
            Expr::Unary(op, operand) => {
                f.write_str(spelled(&PREFIXES, op))?;
                // `-1` would read as a number.
                match operand.as_ref() {
                    Expr::Const(value) if *op == UnaryOp::Negate => write!(f, "({value})"),
                    operand => write!(f, "{}", Operand(operand, PREFIX)),
                }
            }
            Expr::Binary(op, operands) => {
                let (sign, binds) = operator(*op);
                let (left, right) = (Operand(&operands.0, binds), Operand(&operands.1, binds + 1));
                write!(f, "{left} {sign} {right}")
            }
            Expr::Conditional(parts) => {
                let (condition, yes, no) = parts.as_ref();
                write!(f, "{} ? {} : {}", Operand(condition, 1), Show(yes), Show(no))
            }
            Expr::Checked { index, length } => {
                write!(f, "checked({}, {length})", Show(index.as_ref()))
            }
            Expr::Channel(query, channel) => {
                write!(f, "{}({})", spelled(&QUERIES, query), Show(channel.as_ref()))
            }
            Expr::Poll { channel, pattern, pick } => {
                let word = match pick {
                    Pick::Head => "poll",
                    Pick::First => "poll_first",
                };
                write!(f, "{word}({}; {})", Show(channel.as_ref()), shown(pattern))
            }
            Expr::At { slot, template, locations } => {
                write!(f, "{template}[{}].{{{}}}", Show(slot.as_ref()), List(locations.iter()))
            }
            Expr::Own => f.write_str("own"),
            Expr::Running => f.write_str("running"),
            Expr::LastMover => f.write_str("last"),
            Expr::Timeout => f.write_str("timeout"),
            Expr::Executable(slot) => write!(f, "executable({})", Show(slot.as_ref())),
        }
    }
}
