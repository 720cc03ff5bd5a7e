//! A small CSP# of its own, and its text.
//!
//! It shares nothing with the front end: what a specification of it means is in `naive.rs`.

use std::fmt::{self, Write as _};
use std::sync::Arc;

/// A name bound in a definition, written `v3`.
pub type Name = u32;

/// A whole specification; the first definition is the one that is looked at, without parameters.
#[derive(Clone, Debug)]
pub struct Spec {
    pub variables: Vec<Variable>,
    pub channels: Vec<Channel>,
    pub definitions: Vec<Definition>,
}

/// A global variable, or an array if it has a length.
#[derive(Clone, Debug)]
pub struct Variable {
    pub low: i64,
    pub high: i64,
    pub initial: Vec<i64>,
    pub is_array: bool,
}

/// A channel, or an array of channels.
#[derive(Clone, Debug)]
pub struct Channel {
    pub capacity: usize,
    pub width: usize,
    pub size: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct Definition {
    pub parameters: Vec<Name>,
    pub body: Arc<P>,
    pub alphabet: Option<Vec<EventSet>>,
}

/// An expression; truth values are 0 and 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ex {
    Int(i64),
    Bool(bool),
    Name(Name),
    Global(usize),
    Element(usize, Box<Ex>),
    Not(Box<Ex>),
    Binary(Op, Box<(Ex, Ex)>),
    /// `cempty`, `cfull`, `ccount`.
    Query(Query, usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    And,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Query {
    Empty,
    Full,
    Count,
}

/// An event: the first word by number, and its data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    pub word: usize,
    pub data: Vec<Ex>,
}

/// `a.1`, or `v0:{0..1}@a.v0`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EventSet {
    pub binding: Option<(Name, i64, i64)>,
    pub event: Event,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    Range(Ex, Ex),
    List(Vec<Ex>),
}

/// A statement of a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Statement {
    Set(usize, Option<Ex>, Ex),
    Declare(Name, Ex),
    SetName(Name, Ex),
    If(Ex, Vec<Statement>, Vec<Statement>),
    While(Ex, Vec<Statement>),
    /// Only of the process `assert`, never in a program.
    Assert(Ex),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    Bind(Name),
    Match(Ex),
}

/// A channel and, of an array of channels, which.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Use {
    pub channel: usize,
    pub index: Option<Ex>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    Event(Event),
    /// `x := e`: its text, and the values of the names in it. The program is the assignment.
    Assign(String, Vec<Ex>),
    Tau,
    Send(Use, Vec<Ex>),
    Receive(Use, Option<Ex>, Vec<Pattern>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    Interleave,
    Parallel,
    General,
    Internal,
    External,
    Interrupt,
    Sequence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IfKind {
    Plain,
    Atomic,
    Blocking,
    /// `P <|b|> Q`.
    Between,
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum P {
    Stop,
    Skip,
    /// A terminated process; cannot be written.
    Done,
    Refer(usize, Vec<Ex>),
    Prefix(Action, Vec<Statement>, Arc<P>),
    Alternatives(Vec<Event>, Arc<P>),
    Assert(Ex),
    Guard(Ex, Arc<P>),
    If(IfKind, Ex, Arc<P>, Option<Arc<P>>),
    Case(Vec<(Ex, Arc<P>)>, Option<Arc<P>>),
    Compose(Operator, Vec<Arc<P>>),
    /// `P |[X]| Q`, `P |[X|Y]| Q`.
    Synchronised([Arc<P>; 2], Vec<Vec<EventSet>>),
    Indexed(Operator, Name, Domain, Arc<P>),
    Copies(Ex, Arc<P>),
    Hide(Arc<P>, Vec<EventSet>),
    Atomic(Arc<P>),
    /// `||` that has made a step: its alphabets are fixed. Cannot be written.
    Joined(Vec<(Arc<P>, Arc<Vec<String>>)>),
}

/// The first words of events.
pub const WORDS: [&str; 4] = ["a", "b", "d", "e"];

/// `x0`, a global variable.
pub fn variable_name(at: usize) -> String {
    format!("x{at}")
}

/// `c0`, a channel.
pub fn channel_name(at: usize) -> String {
    format!("c{at}")
}

fn list<T>(items: &[T], between: &str, each: impl Fn(&T) -> String) -> String {
    items.iter().map(each).collect::<Vec<_>>().join(between)
}

impl fmt::Display for Ex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ex::Int(value) if *value < 0 => write!(f, "(0-{})", -value),
            Ex::Int(value) => write!(f, "{value}"),
            Ex::Bool(value) => write!(f, "{value}"),
            Ex::Name(name) => write!(f, "v{name}"),
            Ex::Global(at) => write!(f, "{}", variable_name(*at)),
            Ex::Element(at, index) => write!(f, "{}[{index}]", variable_name(*at)),
            Ex::Not(inner) => write!(f, "(!{inner})"),
            Ex::Binary(op, both) => {
                let sign = match op {
                    Op::Add => "+",
                    Op::Subtract => "-",
                    Op::Multiply => "*",
                    Op::Divide => "/",
                    Op::Modulo => "%",
                    Op::Equal => "==",
                    Op::NotEqual => "!=",
                    Op::Less => "<",
                    Op::LessEqual => "<=",
                    Op::And => "&&",
                    Op::Or => "||",
                };
                write!(f, "({} {sign} {})", both.0, both.1)
            }
            Ex::Query(query, channel) => {
                let word = match query {
                    Query::Empty => "cempty",
                    Query::Full => "cfull",
                    Query::Count => "ccount",
                };
                write!(f, "call({word}, {})", channel_name(*channel))
            }
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", WORDS[self.word])?;
        self.data.iter().try_for_each(|part| write!(f, ".({part})"))
    }
}

impl fmt::Display for EventSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, low, high)) = self.binding {
            write!(f, "v{name}:{{{low}..{high}}}@")?;
        }
        write!(f, "{}", self.event)
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Statement::Set(at, None, value) => write!(f, "{} = {value};", variable_name(*at)),
            Statement::Set(at, Some(index), value) => {
                write!(f, "{}[{index}] = {value};", variable_name(*at))
            }
            Statement::Declare(name, value) => write!(f, "var v{name} = {value};"),
            Statement::SetName(name, value) => write!(f, "v{name} = {value};"),
            Statement::If(condition, then, otherwise) => {
                write!(f, "if ({condition}) {{ {} }}", program(then))?;
                match otherwise.is_empty() {
                    true => Ok(()),
                    false => write!(f, " else {{ {} }}", program(otherwise)),
                }
            }
            Statement::While(condition, body) => {
                write!(f, "while ({condition}) {{ {} }}", program(body))
            }
            Statement::Assert(condition) => write!(f, "assert({condition});"),
        }
    }
}

fn program(statements: &[Statement]) -> String {
    list(statements, " ", ToString::to_string)
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", channel_name(self.channel))?;
        self.index.iter().try_for_each(|index| write!(f, "[{index}]"))
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Event(event) => write!(f, "{event}"),
            Action::Assign(text, _) => write!(f, "{text}"),
            Action::Tau => write!(f, "tau"),
            Action::Send(to, message) => {
                write!(f, "{to}!{}", list(message, ".", |part| format!("({part})")))
            }
            Action::Receive(from, guard, message) => {
                write!(f, "{from}?")?;
                guard.iter().try_for_each(|guard| write!(f, "[{guard}]"))?;
                let part = |part: &Pattern| match part {
                    Pattern::Bind(name) => format!("v{name}"),
                    Pattern::Match(value) => format!("({value})"),
                };
                write!(f, "{}", list(message, ".", part))
            }
        }
    }
}

impl Operator {
    pub fn sign(self) -> &'static str {
        match self {
            Operator::Interleave => "|||",
            Operator::Parallel => "||",
            Operator::General => "[]",
            Operator::Internal => "<>",
            Operator::External => "[*]",
            Operator::Interrupt => "interrupt",
            Operator::Sequence => ";",
        }
    }
}

impl fmt::Display for P {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            P::Stop => write!(f, "Stop"),
            P::Skip => write!(f, "Skip"),
            P::Done => write!(f, "DONE"),
            P::Refer(definition, arguments) => {
                write!(f, "P{definition}({})", list(arguments, ", ", ToString::to_string))
            }
            P::Prefix(action, statements, then) => {
                write!(f, "{action}")?;
                if !statements.is_empty() && !matches!(action, Action::Assign(..)) {
                    write!(f, "{{ {} }}", program(statements))?;
                }
                write!(f, " -> {then}")
            }
            P::Alternatives(events, then) => {
                write!(f, "({}) -> {then}", list(events, ", ", ToString::to_string))
            }
            P::Assert(condition) => write!(f, "assert({condition})"),
            P::Guard(condition, body) => write!(f, "[{condition}] {body}"),
            P::If(IfKind::Between, condition, then, otherwise) => {
                let otherwise = otherwise.as_deref().unwrap_or(&P::Skip);
                write!(f, "(({then}) <| {condition} |> ({otherwise}))")
            }
            P::If(kind, condition, then, otherwise) => {
                let word = match kind {
                    IfKind::Plain => "if",
                    IfKind::Atomic | IfKind::Between => "ifa",
                    IfKind::Blocking => "ifb",
                };
                write!(f, "{word} ({condition}) {{ {then} }}")?;
                otherwise.iter().try_for_each(|other| write!(f, " else {{ {other} }}"))
            }
            P::Case(branches, otherwise) => {
                write!(f, "case {{ ")?;
                for (condition, body) in branches {
                    write!(f, "{condition}: ({body}) ")?;
                }
                otherwise.iter().try_for_each(|other| write!(f, "default: ({other}) "))?;
                write!(f, "}}")
            }
            P::Compose(operator, operands) => {
                let between = format!(" {} ", operator.sign());
                write!(f, "({})", list(operands, &between, |operand| format!("({operand})")))
            }
            P::Synchronised([left, right], alphabets) => {
                let sets = list(alphabets, " | ", |sets| {
                    format!("{{{}}}", list(sets, ", ", ToString::to_string))
                });
                write!(f, "(({left}) |[{sets}]| ({right}))")
            }
            P::Indexed(operator, name, domain, body) => {
                let values = match domain {
                    Domain::Range(low, high) => format!("{low}..{high}"),
                    Domain::List(values) => list(values, ", ", ToString::to_string),
                };
                write!(f, "({} v{name}:{{{values}}}@({body}))", operator.sign())
            }
            P::Copies(count, body) => write!(f, "(|||{{{count}}}@({body}))"),
            P::Hide(body, events) => {
                write!(f, "(({body}) \\ {{{}}})", list(events, ", ", ToString::to_string))
            }
            P::Atomic(body) => write!(f, "atomic {{ {body} }}"),
            P::Joined(parts) => {
                write!(f, "({})", list(parts, " || ", |part| format!("({})", part.0)))
            }
        }
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, variable) in self.variables.iter().enumerate() {
            let Variable { low, high, initial, is_array } = variable;
            let name = variable_name(at);
            match is_array {
                true => writeln!(
                    f,
                    "var {name}[{}]:{{{low}..{high}}} = [{}];",
                    initial.len(),
                    list(initial, ", ", ToString::to_string)
                )?,
                false => writeln!(f, "var {name}:{{{low}..{high}}} = {};", initial[0])?,
            }
        }
        for (at, channel) in self.channels.iter().enumerate() {
            let size = channel.size.map_or(String::new(), |size| format!("[{size}]"));
            writeln!(f, "channel {}{size} {};", channel_name(at), channel.capacity)?;
        }
        for (at, definition) in self.definitions.iter().enumerate() {
            let mut head = format!("P{at}(");
            for (at, name) in definition.parameters.iter().enumerate() {
                let between = if at == 0 { "" } else { ", " };
                write!(head, "{between}v{name}")?;
            }
            writeln!(f, "{head}) = {};", definition.body)?;
            if let Some(sets) = &definition.alphabet {
                writeln!(f, "#alphabet P{at} {{{}}};", list(sets, ", ", ToString::to_string))?;
            }
        }
        writeln!(f, "#assert P0() deadlockfree;")
    }
}
