//! Models in their core form, as the verifier reads them.
//!
//! The core form has everything of the text form `.fir` that a step depends on, as forms: operators before their
//! operands, and neither precedence, nor remarks, nor the places in the source. Names of variables, templates, slots and
//! locations are there for people alone. Ids are checked where they are used, so that one out of range is an error
//! and never another thing. The grammar is in the book, with the format.

use crate::forms::{Forms, forms};
use crate::rejected::{Rejected, Rule, reject};

/// An expression: an operator and its operands.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) op: Op,
    pub(crate) args: Vec<Expr>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Op {
    Const(i64),
    /// A cell of a message that matches whatever it is, or that goes nowhere.
    Any,
    /// A variable of the model, or of the process. An operand is an index.
    Global(usize),
    Local(usize),
    /// The variable of the process in a slot, the first operand, if it is of a template; a second one is an index.
    Remote(usize, usize),
    /// A cell of the message that is received.
    Received(usize),
    Not,
    Int,
    Binary(Binary),
    /// The second or the third operand.
    Choice,
    /// The operand, which is at least 0 and less than the length.
    Checked(i64),
    /// How many messages are in a channel, and how many it can hold.
    Length,
    Capacity,
    /// Whether a channel, the first operand, has a message with these cells: among all, or at its head.
    PollAll,
    PollHead,
    /// Whether the process in a slot is of a template and at one of these locations.
    At(usize, Vec<usize>),
    Own,
    Running,
    Last,
    Timeout,
    Executable,
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[rustfmt::skip]
pub(crate) enum Binary {
    Or, And, BitOr, BitXor, BitAnd, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, ShiftLeft,
    ShiftRight, Add, Subtract, Multiply, Divide, Remainder, Modulo,
}

/// What leaving a range is: an error of the model, a limit of the tool, or nothing, as the value is taken modulo
/// the size of the range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Overflow {
    Error,
    Limit,
    Wrap,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) low: i64,
    pub(crate) high: i64,
    pub(crate) overflow: Overflow,
}

/// A variable: a cell for each initial value.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) range: Range,
    pub(crate) initial: Vec<i64>,
    /// Whether it is no part of the state, and has its initial value at the start of every action.
    pub(crate) scratch: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Channel {
    pub(crate) name: String,
    pub(crate) loses: bool,
    /// The slot and the template of the process that it belongs to.
    pub(crate) owner: Option<(usize, usize)>,
    pub(crate) capacity: usize,
    pub(crate) cells: Vec<Range>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Idle,
    Visible,
    Internal,
    Termination,
}

/// Who takes part in an event: the process in a slot, all of some, or one of them.
#[derive(Clone, Debug)]
pub(crate) enum Gathering {
    Slot(usize),
    All(Vec<Gathering>),
    One(Vec<Gathering>),
}

#[derive(Clone, Debug)]
pub(crate) enum Label {
    Event(usize),
    /// The event whose name is made of a family and values.
    Data(String, Vec<Expr>),
    /// The event whose name is made of a channel and a message.
    Message,
}

impl Label {
    /// Whether its event does not depend on the state.
    pub(crate) fn is_fixed(&self) -> bool {
        match self {
            Label::Event(_) => true,
            Label::Data(_, values) => values.iter().all(|it| matches!(it.op, Op::Const(_))),
            Label::Message => false,
        }
    }
}

/// A message that goes through a channel.
#[derive(Clone, Debug)]
pub(crate) struct Transfer {
    pub(crate) channel: Expr,
    pub(crate) cells: Vec<Expr>,
    /// Sent: before the first message that is greater. Received: the first one that matches, not only the head.
    pub(crate) inside: bool,
    /// Whether the message stays in the channel.
    pub(crate) keep: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Communication {
    None,
    Send(Transfer),
    Receive(Transfer),
}

#[derive(Clone, Debug)]
pub(crate) struct Edge {
    /// The location it leads to; `None` if the process leaves its slot.
    pub(crate) target: Option<usize>,
    pub(crate) guard: Expr,
    pub(crate) rank: u8,
    pub(crate) hold: bool,
    pub(crate) communication: Communication,
    pub(crate) label: Label,
    pub(crate) annotation: Option<Annotation>,
    pub(crate) effect: Vec<Statement>,
    /// Whether it receives and its guard is about the message.
    pub(crate) reads_received: bool,
}

/// An annotation of an edge: whether it is strong, and whether it is about what is ready, not what is enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Annotation {
    pub(crate) strong: bool,
    pub(crate) ready: bool,
}

pub(crate) const ANNOTATIONS: [(&str, Annotation); 4] = [
    ("wf", Annotation { strong: false, ready: false }),
    ("sf", Annotation { strong: true, ready: false }),
    ("wl", Annotation { strong: false, ready: true }),
    ("sl", Annotation { strong: true, ready: true }),
];

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    /// All values are evaluated before the first is assigned.
    Assign(Vec<(Expr, Expr)>),
    If(Expr, Vec<Statement>, Vec<Statement>),
    While(Expr, Vec<Statement>),
    /// A condition, and whether it is a limit of the tool that it holds.
    Assert(Expr, bool),
    /// A template, arguments, and where the slot goes.
    Start(usize, Vec<Expr>, Expr),
    Put(Transfer),
    /// The last are the places of the cells.
    Take(Transfer, Vec<Expr>),
}

#[derive(Clone, Debug)]
pub(crate) struct Location {
    pub(crate) edges: Vec<Edge>,
    pub(crate) atomic: bool,
    pub(crate) may_end: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Template {
    pub(crate) locals: Vec<Variable>,
    pub(crate) locations: Vec<Location>,
    /// First statements of a new process.
    pub(crate) begin: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) templates: Vec<usize>,
    /// The template and the arguments of the process that is there at first.
    pub(crate) start: Option<(usize, Vec<i64>)>,
    pub(crate) renamed: Vec<(String, usize)>,
}

/// A model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    /// Whether atomicity is that of Promela: the process that holds moves.
    pub(crate) exclusive: bool,
    /// Whether a process leaves its slot only when those behind are free.
    pub(crate) last_first: bool,
    /// Whether the state says who moved last.
    pub(crate) tells_last: bool,
    pub(crate) events: Vec<(String, Kind)>,
    pub(crate) gatherings: Vec<(usize, Gathering)>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) templates: Vec<Template>,
    pub(crate) slots: Vec<Slot>,
}

impl Model {
    pub(crate) fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.templates.iter().flat_map(|it| &it.locations).flat_map(|it| &it.edges)
    }
}

impl Expr {
    /// Whether it is true of the operator of the expression or of one inside it.
    pub(crate) fn any(&self, is: &impl Fn(&Op) -> bool) -> bool {
        is(&self.op) || self.args.iter().any(|inner| inner.any(is))
    }
}

/// How long a name may be from which names of events are made: each of these is kept.
const LONGEST: usize = 1000;

/// Operators and how many operands each has.
#[rustfmt::skip]
const OPERATORS: [(&str, (Op, usize)); 31] = [
    ("||", (Op::Binary(Binary::Or), 2)), ("&&", (Op::Binary(Binary::And), 2)),
    ("|", (Op::Binary(Binary::BitOr), 2)), ("^", (Op::Binary(Binary::BitXor), 2)),
    ("&", (Op::Binary(Binary::BitAnd), 2)), ("==", (Op::Binary(Binary::Equal), 2)),
    ("!=", (Op::Binary(Binary::NotEqual), 2)), ("<", (Op::Binary(Binary::Less), 2)),
    ("<=", (Op::Binary(Binary::LessEqual), 2)), (">", (Op::Binary(Binary::Greater), 2)),
    (">=", (Op::Binary(Binary::GreaterEqual), 2)), ("<<", (Op::Binary(Binary::ShiftLeft), 2)),
    (">>", (Op::Binary(Binary::ShiftRight), 2)), ("+", (Op::Binary(Binary::Add), 2)),
    ("-", (Op::Binary(Binary::Subtract), 2)), ("*", (Op::Binary(Binary::Multiply), 2)),
    ("/", (Op::Binary(Binary::Divide), 2)), ("%", (Op::Binary(Binary::Remainder), 2)),
    ("mod", (Op::Binary(Binary::Modulo), 2)), ("!", (Op::Not, 1)), ("int", (Op::Int, 1)),
    ("?", (Op::Choice, 3)), ("length", (Op::Length, 1)), ("capacity", (Op::Capacity, 1)),
    ("executable", (Op::Executable, 1)), ("_", (Op::Any, 0)), ("own", (Op::Own, 0)),
    ("running", (Op::Running, 0)), ("last", (Op::Last, 0)), ("timeout", (Op::Timeout, 0)),
    ("true", (Op::Const(1), 0)),
];

type Parsed<T> = Result<T, Rejected>;

/// Reads a model.
pub(crate) fn parse(text: &str) -> Parsed<Model> {
    let mut model = Model::default();
    for form in &forms(text, Rule::Model)? {
        let parts = &mut Forms::of(form, Rule::Model);
        match parts.word()? {
            "model" => {
                model.exclusive = parts.takes("exclusive");
                model.last_first = parts.takes("last_first");
                model.tells_last = parts.takes("last");
            }
            "event" => model.events.push((parts.name()?, kind(parts)?)),
            "gather" => model.gatherings.push((parts.id('e')?, gathering(parts)?)),
            "variable" => model.variables.push(variable(parts)?),
            "channel" => model.channels.push(channel(parts)?),
            "template" => model.templates.push(template(parts)?),
            "slot" => model.slots.push(slot(parts)?),
            _ => return parts.fail("a part of a model"),
        }
        parts.ends()?;
    }
    if model.events.first().is_none_or(|(_, kind)| *kind != Kind::Idle) {
        return reject(Rule::Model, "the first event is not the one of the idle step");
    }
    Ok(model)
}

fn kind(parts: &mut Forms<'_>) -> Parsed<Kind> {
    parts.one_of(&[
        ("idle", Kind::Idle),
        ("visible", Kind::Visible),
        ("internal", Kind::Internal),
        ("termination", Kind::Termination),
    ])
}

/// `p0`, `(all …)` or `(one …)`.
fn gathering(parts: &mut Forms<'_>) -> Parsed<Gathering> {
    if let Some(slot) = parts.takes_id('p') {
        return Ok(Gathering::Slot(slot));
    }
    let mut inner = parts.next()?;
    let all = inner.one_of(&[("all", true), ("one", false)])?;
    let of = inner.each(gathering)?;
    Ok(if all { Gathering::All(of) } else { Gathering::One(of) })
}

/// `(LOW HIGH)`, and `limit` or `wrap` behind it.
fn range(parts: &mut Forms<'_>) -> Parsed<Range> {
    let mut inner = parts.next()?;
    let (low, high) = (inner.integer()?, inner.integer()?);
    let overflow = match inner.is_over() {
        true => Overflow::Error,
        false => inner.one_of(&[("limit", Overflow::Limit), ("wrap", Overflow::Wrap)])?,
    };
    inner.ends()?;
    Ok(Range { low, high, overflow })
}

/// `variable NAME scratch RANGE VALUE…`
fn variable(parts: &mut Forms<'_>) -> Parsed<Variable> {
    parts.name()?;
    let (scratch, range) = (parts.takes("scratch"), range(parts)?);
    Ok(Variable { range, scratch, initial: parts.each(Forms::integer)? })
}

/// `channel NAME CAPACITY (RANGE…) lose of p0 t0`
fn channel(parts: &mut Forms<'_>) -> Parsed<Channel> {
    let (name, capacity) = (short_name(parts)?, parts.number()?);
    let cells = parts.next()?.each(range)?;
    let loses = parts.takes("lose");
    let owner = if parts.takes("of") { Some((parts.id('p')?, parts.id('t')?)) } else { None };
    Ok(Channel { name, loses, owner, capacity, cells })
}

fn short_name(parts: &mut Forms<'_>) -> Parsed<String> {
    let name = parts.name()?;
    if name.len() > LONGEST { reject(Rule::Limit, "a name is too long") } else { Ok(name) }
}

/// `slot NAME (t0…) (start t0 VALUE…) (rename NAME e0)…`
fn slot(parts: &mut Forms<'_>) -> Parsed<Slot> {
    parts.name()?;
    let templates = parts.next()?.each(|parts| parts.id('t'))?;
    let (mut start, mut renamed) = (None, Vec::new());
    while !parts.is_over() {
        let mut part = parts.next()?;
        match part.word()? {
            "start" => start = Some((part.id('t')?, part.each(Forms::integer)?)),
            _ => renamed.push((part.name()?, part.id('e')?)),
        }
    }
    Ok(Slot { templates, start, renamed })
}

/// `template NAME` with `(local …)`, `(begin STATEMENT…)` and `(location NAME atomic ends EDGE…)`
fn template(parts: &mut Forms<'_>) -> Parsed<Template> {
    parts.name()?;
    let mut template = Template::default();
    while !parts.is_over() {
        let mut part = parts.next()?;
        match part.word()? {
            "local" => template.locals.push(variable(&mut part)?),
            "begin" => template.begin = part.each(statement)?,
            "location" => {
                part.name()?;
                let (atomic, may_end) = (part.takes("atomic"), part.takes("ends"));
                template.locations.push(Location { atomic, may_end, edges: part.each(edge)? });
            }
            _ => return part.fail("a part of a template"),
        }
        part.ends()?;
    }
    if template.locations.is_empty() {
        return reject(Rule::Model, "a template has no location to start at");
    }
    Ok(template)
}

/// `(q0 …)` or `(exit …)`, with what differs from an edge that is always open, and says and does nothing.
fn edge(parts: &mut Forms<'_>) -> Parsed<Edge> {
    let mut parts = parts.next()?;
    let mut edge = Edge {
        target: if parts.takes("exit") { None } else { Some(parts.id('q')?) },
        guard: Expr { op: Op::Const(1), args: Vec::new() },
        rank: 0,
        hold: parts.takes("hold"),
        communication: Communication::None,
        label: Label::Message,
        annotation: None,
        effect: Vec::new(),
        reads_received: false,
    };
    while !parts.is_over() {
        if let Some(event) = parts.takes_id('e') {
            edge.label = Label::Event(event);
            continue;
        }
        let mut part = parts.next()?;
        match part.word()? {
            "if" => edge.guard = expr(&mut part)?,
            "rank" => match part.number()?.try_into() {
                Ok(rank) => edge.rank = rank,
                Err(_) => return reject(Rule::Model, "a rank is too large"),
            },
            "send" => edge.communication = Communication::Send(transfer(&mut part)?),
            "receive" => edge.communication = Communication::Receive(transfer(&mut part)?),
            "data" => edge.label = Label::Data(short_name(&mut part)?, part.each(expr)?),
            "fair" => edge.annotation = Some(part.one_of(&ANNOTATIONS)?),
            "do" => edge.effect = part.each(statement)?,
            _ => return part.fail("a part of an edge"),
        }
        part.ends()?;
    }
    let receives = matches!(edge.communication, Communication::Receive(_));
    edge.reads_received = receives && edge.guard.any(&|op| matches!(op, Op::Received(_)));
    Ok(edge)
}

/// `CHANNEL (CELL…) inside keep`
fn transfer(parts: &mut Forms<'_>) -> Parsed<Transfer> {
    let (channel, cells) = (expr(parts)?, parts.next()?.each(expr)?);
    Ok(Transfer { channel, cells, inside: parts.takes("inside"), keep: parts.takes("keep") })
}

fn statement(parts: &mut Forms<'_>) -> Parsed<Statement> {
    let mut parts = parts.next()?;
    let statement = match parts.word()? {
        "set" => Statement::Assign(parts.each(|parts| Ok((expr(parts)?, expr(parts)?)))?),
        "if" => Statement::If(
            expr(&mut parts)?,
            parts.next()?.each(statement)?,
            parts.next()?.each(statement)?,
        ),
        "while" => Statement::While(expr(&mut parts)?, parts.each(statement)?),
        "assert" => Statement::Assert(expr(&mut parts)?, false),
        "limit" => Statement::Assert(expr(&mut parts)?, true),
        "start" => {
            let (template, place) = (parts.id('t')?, expr(&mut parts)?);
            Statement::Start(template, parts.each(expr)?, place)
        }
        "put" => Statement::Put(transfer(&mut parts)?),
        "take" => {
            let places = parts.next()?.each(expr)?;
            Statement::Take(transfer(&mut parts)?, places)
        }
        _ => return parts.fail("a statement"),
    };
    parts.ends()?;
    Ok(statement)
}

/// An expression, or a cell of a pattern.
pub(crate) fn expr(parts: &mut Forms<'_>) -> Parsed<Expr> {
    let mut parts = parts.next()?;
    let (op, count) = if let Ok(value) = parts.peek().parse() {
        parts.word()?;
        (Op::Const(value), 0..=0)
    } else if let Some(id) = parts.takes_id('g') {
        (Op::Global(id), 0..=1)
    } else if let Some(id) = parts.takes_id('l') {
        (Op::Local(id), 0..=1)
    } else {
        match parts.peek() {
            "of" | "at" | "cell" | "checked" | "poll" | "poll_all" => match parts.word()? {
                "of" => (Op::Remote(parts.id('t')?, parts.id('l')?), 1..=2),
                "at" => {
                    let (template, mut all) = (parts.id('t')?, parts.next()?);
                    (Op::At(template, all.each(|parts| parts.id('q'))?), 1..=1)
                }
                "cell" => (Op::Received(parts.number()?), 0..=0),
                "checked" => (Op::Checked(parts.integer()?), 1..=1),
                "poll" => (Op::PollHead, 1..=usize::MAX),
                _ => (Op::PollAll, 1..=usize::MAX),
            },
            _ => parts.one_of(&OPERATORS).map(|(op, count)| (op, count..=count))?,
        }
    };
    let args = parts.each(expr)?;
    if !count.contains(&args.len()) {
        return reject(Rule::Model, "an operator has not so many operands");
    }
    Ok(Expr { op, args })
}
