//! Models in the core form that certificates have: everything of the text form that a step depends on, with operators
//! before their operands. The grammar is in the book, with the format of certificates.

use std::fmt::{self, Display};

use fairly_model::{
    AnyVariable, Atomicity, BinaryOp, Channel, ChannelQuery, Communication, Edge, Exit, Expr,
    Gathering, Label, Model, Order, Overflow, Pattern, Pick, Place, Range, Slot, Statement,
    StatementKind, Storage, Target, Template, UnaryOp, Variable, WhenFull,
};
use fairly_system::{EventKind, FaultKind};

use super::source::quoted;

/// The model; its states say who moved last if something reads that.
pub(super) fn print(model: &Model, tells_last: bool) -> String {
    let mut lines = vec![format!(
        "(model{}{}{})",
        if model.atomicity == Atomicity::Exclusive { " exclusive" } else { "" },
        if model.exit == Exit::LastFirst { " last_first" } else { "" },
        if tells_last { " last" } else { "" },
    )];
    for event in &model.events {
        let kind = match event.kind {
            EventKind::Idle => "idle",
            EventKind::Visible => "visible",
            EventKind::Internal => "internal",
            EventKind::Termination => "termination",
        };
        lines.push(format!("(event {} {kind})", quoted(&event.name)));
    }
    for (event, gathering) in &model.gatherings {
        lines.push(format!("(gather e{} {})", event.index(), Form(gathering)));
    }
    lines.extend(model.variables.iter().map(|it| format!("(variable {})", Form(it))));
    lines.extend(model.channels.iter().map(|it| Form(it).to_string()));
    model.templates.iter().for_each(|it| template(it, &mut lines));
    lines.extend(model.slots.iter().map(|it| Form(it).to_string()));
    lines.join("\n") + "\n"
}

fn template(template: &Template, lines: &mut Vec<String>) {
    lines.push(format!("(template {}", quoted(&template.name)));
    lines.extend(template.locals.iter().map(|it| format!("  (local {})", Form(it))));
    if !template.start.is_empty() {
        lines.push(format!("  (begin{})", All(&template.start)));
    }
    for location in &template.locations {
        let atomic = if location.atomic { " atomic" } else { "" };
        let ends = if location.may_end { " ends" } else { "" };
        // The verifier knows no such word, so a location that was not explored is not taken for one without edges.
        let edges = location.edges.as_deref().unwrap_or_default();
        let unknown = if location.edges.is_none() { " unexplored" } else { "" };
        lines.push(format!("  (location {}{atomic}{ends}{unknown}", quoted(&location.name)));
        lines.extend(edges.iter().map(|edge| format!("    {}", Form(edge))));
        lines.push("  )".to_owned());
    }
    lines.push(")".to_owned());
}

/// A part of a model as a form.
pub(super) struct Form<'a, T: ?Sized>(pub(super) &'a T);

/// Parts with a blank before each.
struct All<'a, T>(&'a [T]);

impl<'a, T> Display for All<'a, T>
where
    Form<'a, T>: Display,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|it| write!(f, " {}", Form(it)))
    }
}

impl Display for Form<'_, (Range, Overflow)> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Range { low, high }, overflow) = self.0;
        let overflow = match overflow {
            Overflow::Fault => "",
            Overflow::Limit => " limit",
            Overflow::Wrap => " wrap",
        };
        write!(f, "({low} {high}{overflow})")
    }
}

impl Display for Form<'_, Variable> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Variable { name, range, overflow, initial, storage, .. } = self.0;
        let scratch = if *storage == Storage::Scratch { " scratch" } else { "" };
        write!(f, "{}{scratch} {}", quoted(name), Form(&(*range, *overflow)))?;
        initial.iter().try_for_each(|value| write!(f, " {value}"))
    }
}

impl Display for Form<'_, Channel> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Channel { name, capacity, cells, when_full, owner, .. } = self.0;
        write!(f, "(channel {} {capacity} ({})", quoted(name), All(cells))?;
        f.write_str(if *when_full == WhenFull::Lose { " lose" } else { "" })?;
        if let Some((slot, template)) = owner {
            write!(f, " of {slot} {template}")?;
        }
        f.write_str(")")
    }
}

impl Display for Form<'_, Gathering> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Gathering::Slot(slot) => write!(f, "{slot}"),
            Gathering::All(parts) => write!(f, "(all{})", All(parts)),
            Gathering::One(parts) => write!(f, "(one{})", All(parts)),
        }
    }
}

impl Display for Form<'_, Slot> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Slot { name, templates, start, renamed } = self.0;
        write!(f, "(slot {} (", quoted(name))?;
        templates.iter().try_for_each(|template| write!(f, " {template}"))?;
        f.write_str(")")?;
        if let Some((template, arguments)) = start {
            write!(f, " (start {template}")?;
            arguments.iter().try_for_each(|value| write!(f, " {value}"))?;
            f.write_str(")")?;
        }
        for (name, event) in renamed {
            write!(f, " (rename {} e{event})", quoted(name))?;
        }
        f.write_str(")")
    }
}

impl Display for Form<'_, Edge> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let edge = self.0;
        match edge.target {
            Target::Location(location) => write!(f, "({location}")?,
            Target::Exit => write!(f, "(exit")?,
        }
        f.write_str(if edge.hold { " hold" } else { "" })?;
        match &edge.label {
            Label::Event(event) => write!(f, " e{event}")?,
            Label::Data { family, values } => {
                write!(f, " (data {}{})", quoted(family), All(values))?;
            }
            Label::Message => {}
        }
        if edge.guard != Expr::TRUE {
            write!(f, " (if {})", Form(&edge.guard))?;
        }
        if edge.rank != 0 {
            write!(f, " (rank {})", edge.rank)?;
        }
        match &edge.communication {
            Communication::None => {}
            Communication::Send { channel, message, order } => {
                let inside = if *order == Order::Sorted { " inside" } else { "" };
                write!(f, " (send {} ({}){inside})", Form(channel), All(message))?;
            }
            Communication::Receive { channel, pattern, pick, keep } => {
                let how = how(*pick, *keep);
                write!(f, " (receive {} ({}){how})", Form(channel), All(pattern))?;
            }
        }
        if let Some(annotation) = edge.annotation {
            write!(f, " (fair {annotation})")?;
        }
        if !edge.effect.is_empty() {
            write!(f, " (do{})", All(&edge.effect))?;
        }
        f.write_str(")")
    }
}

fn how(pick: Pick, keep: bool) -> &'static str {
    match (pick, keep) {
        (Pick::Head, false) => "",
        (Pick::Head, true) => " keep",
        (Pick::First, false) => " inside",
        (Pick::First, true) => " inside keep",
    }
}

impl Display for Form<'_, Statement> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            StatementKind::Assign(all) => {
                f.write_str("(set")?;
                all.iter()
                    .try_for_each(|(place, value)| write!(f, " {} {}", Form(place), Form(value)))?;
                f.write_str(")")
            }
            StatementKind::If { condition, then, otherwise } => {
                write!(f, "(if {} ({}) ({}))", Form(condition), All(then), All(otherwise))
            }
            StatementKind::While { condition, body } => {
                write!(f, "(while {}{})", Form(condition), All(body))
            }
            StatementKind::Assert { condition, kind, .. } => {
                let word = if *kind == FaultKind::Limit { "limit" } else { "assert" };
                write!(f, "({word} {})", Form(condition))
            }
            StatementKind::Start { template, arguments, slot } => {
                write!(f, "(start {template} {}{})", Form(slot), All(arguments))
            }
            StatementKind::Put { channel, message, order } => {
                let inside = if *order == Order::Sorted { " inside" } else { "" };
                write!(f, "(put {} ({}){inside})", Form(channel), All(message))
            }
            StatementKind::Take { channel, pattern, into, pick, keep } => {
                let how = how(*pick, *keep);
                write!(f, "(take ({}) {} ({}){how})", All(into), Form(channel), All(pattern))
            }
        }
    }
}

impl Display for Form<'_, Option<Place>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(place) => write!(f, "{}", Form(place)),
            None => f.write_str("_"),
        }
    }
}

impl Display for Form<'_, Pattern> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Pattern::Any => f.write_str("_"),
            Pattern::Equal(value) => write!(f, "{}", Form(value)),
        }
    }
}

impl Display for Form<'_, Place> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let index = self.0.index.as_deref();
        match &self.0.variable {
            AnyVariable::Remote { slot, template, local } => {
                write!(f, "(of {template} {local} {}", Form(slot.as_ref()))?;
            }
            AnyVariable::Global(variable) if index.is_none() => return write!(f, "{variable}"),
            AnyVariable::Local(local) if index.is_none() => return write!(f, "{local}"),
            AnyVariable::Global(variable) => write!(f, "({variable}")?,
            AnyVariable::Local(local) => write!(f, "({local}")?,
        }
        index.iter().try_for_each(|index| write!(f, " {}", Form(*index)))?;
        f.write_str(")")
    }
}

fn sign(operator: BinaryOp) -> &'static str {
    match operator {
        BinaryOp::Or => "||",
        BinaryOp::And => "&&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::BitAnd => "&",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
        BinaryOp::Modulo => "mod",
    }
}

impl Display for Form<'_, Expr> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Expr::Const(value) => write!(f, "{value}"),
            Expr::Load(place) => write!(f, "{}", Form(place)),
            Expr::Received(cell) => write!(f, "(cell {cell})"),
            // Two of the operators are others in disguise, overflow included.
            Expr::Unary(op, operand) => match op {
                UnaryOp::Not => write!(f, "(! {})", Form(operand.as_ref())),
                UnaryOp::Int => write!(f, "(int {})", Form(operand.as_ref())),
                UnaryOp::Negate => write!(f, "(- 0 {})", Form(operand.as_ref())),
                UnaryOp::Complement => write!(f, "(^ -1 {})", Form(operand.as_ref())),
            },
            Expr::Binary(op, operands) => {
                write!(f, "({} {} {})", sign(*op), Form(&operands.0), Form(&operands.1))
            }
            Expr::Conditional(parts) => {
                let (condition, yes, no) = parts.as_ref();
                write!(f, "(? {} {} {})", Form(condition), Form(yes), Form(no))
            }
            Expr::Checked { index, length } => {
                write!(f, "(checked {length} {})", Form(index.as_ref()))
            }
            Expr::Channel(query, channel) => {
                let channel = Form(channel.as_ref());
                match query {
                    ChannelQuery::Length => write!(f, "(length {channel})"),
                    ChannelQuery::Capacity => write!(f, "(capacity {channel})"),
                    ChannelQuery::Empty => write!(f, "(== 0 (length {channel}))"),
                    ChannelQuery::Full => {
                        write!(f, "(== (length {channel}) (capacity {channel}))")
                    }
                }
            }
            Expr::Poll { channel, pattern, pick } => {
                let word = if *pick == Pick::First { "poll_all" } else { "poll" };
                write!(f, "({word} {}{})", Form(channel.as_ref()), All(pattern))
            }
            Expr::At { slot, template, locations } => {
                write!(f, "(at {template} (")?;
                locations.iter().try_for_each(|location| write!(f, " {location}"))?;
                write!(f, ") {})", Form(slot.as_ref()))
            }
            Expr::Own => f.write_str("own"),
            Expr::Running => f.write_str("running"),
            Expr::LastMover => f.write_str("last"),
            Expr::Timeout => f.write_str("timeout"),
            Expr::Executable(slot) => write!(f, "(executable {})", Form(slot.as_ref())),
        }
    }
}
