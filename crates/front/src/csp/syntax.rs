//! The syntax tree of CSP#, with every name resolved.
//!
//! Process expressions live in one arena, [`Specification::nodes`], and point at each other by
//! [`NodeId`]: a node's id is its index, and a child's id is smaller than its parent's. Each node
//! has one parent, or is the body of one definition. Expressions are ordinary boxed trees. Both
//! are at most [`MAX_DEPTH`] deep, so that recursion over them is safe.
//!
//! Names are gone: a global variable is a [`VariableId`], a channel a [`ChannelId`], a process
//! definition a [`DefinitionId`], a `#define` that is not constant a [`DefineId`]. Whatever is
//! bound inside a definition (parameters, indices, received values, variables of a program) is a
//! [`LocalId`], an index into the locals of that definition; no two binders of one definition
//! share an id, so a local needs no scope. Constants, enumerations and everything that can be
//! computed from them have become [`ExprKind::Int`] and [`ExprKind::Bool`].

pub use fairly_source::Fragment as Name;
use fairly_source::{Fragment, Span};
use fairly_system::Annotation;

pub use crate::loaded::{Extreme, FormulaText, Refinement};

use super::library::{Collection, Library, MathFunction, MethodCall, ObjectValue};

/// How deep process expressions and expressions may be: no path from a root down is longer.
pub const MAX_DEPTH: usize = 1000;

fairly_source::ids! {
    /// A process expression: an index into [`Specification::nodes`].
    NodeId;
    /// A global variable or array: an index into [`Specification::variables`].
    VariableId;
    /// A channel or array of channels: an index into [`Specification::channels`].
    ChannelId;
    /// A `#define` that depends on the state: an index into [`Specification::defines`].
    DefineId;
    /// A process definition: an index into [`Specification::definitions`].
    DefinitionId;
    /// The first word of events, `get` of `get.0.1`: an index into [`Specification::events`].
    EventId;
    /// A name bound inside a definition or `#define`: an index into its `locals`.
    LocalId;
}

/// A whole file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Specification {
    /// Libraries that `#import` names, in the order of the text.
    pub imports: Vec<Library>,
    /// `#define N 3;` and the members of enumerations, in the order of the text. Only for showing
    /// values by name: where they are used, they have been replaced.
    pub constants: Vec<Constant>,
    /// Global variables and arrays.
    pub variables: Vec<Variable>,
    /// Channels.
    pub channels: Vec<Channel>,
    /// Conditions and other `#define`s that are not constant. One refers only to earlier ones.
    pub defines: Vec<Define>,
    /// Process definitions.
    pub definitions: Vec<Definition>,
    /// The first words of all events of prefixes, alphabets and hidden sets, each once.
    pub events: Vec<String>,
    /// All process expressions; a child stands before its parent.
    pub nodes: Vec<Process>,
    /// `#assert`, in the order of the text.
    pub assertions: Vec<Assertion>,
    /// `// expect:` comments that stand at no assertion.
    pub stray_remarks: Vec<Fragment>,
}

impl Specification {
    /// The node with that id.
    ///
    /// # Panics
    /// If the id is of another specification.
    pub fn node(&self, id: NodeId) -> &Process {
        &self.nodes[id.index()]
    }
}

/// A value that is known before the system runs. Integers are those of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// An integer.
    Int(i32),
    /// A truth value.
    Bool(bool),
}

/// Type of an expression. PAT decides when it runs; here a difference is found before, except where only
/// running tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// An integer.
    Int,
    /// A truth value.
    Bool,
    /// A parameter, an index from a list, a received value: either of the two.
    Unknown,
}

/// A named constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its name.
    pub name: Name,
    /// Its value.
    pub value: Value,
}

/// Bounds of a variable, `{lo..hi}`, both included; a side that is left open is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The least value.
    pub low: Option<i32>,
    /// The greatest value.
    pub high: Option<i32>,
}

/// A global variable or array.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// `hvar`: PAT leaves it out when it compares states.
    pub hidden: bool,
    /// The size of each dimension; empty for a scalar. All at least 1.
    pub dimensions: Vec<u32>,
    /// The bounds of each value.
    pub bounds: Option<Bounds>,
    /// Type of the initial values: [`Type::Int`] or [`Type::Bool`], never unknown.
    pub ty: Type,
    /// The initial values: one for a scalar, all elements with the last index running fastest for
    /// an array. Within the bounds. For a collection, what it holds at first.
    pub initial: Vec<Value>,
    /// Set for a collection, which is neither a scalar nor an array.
    pub collection: Option<Collection>,
}

/// A channel or array of channels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Its name.
    pub name: Name,
    /// How many there are in an array of channels; `None` for a single one.
    pub size: Option<u32>,
    /// How many messages it holds; 0 for a channel on which sender and receiver meet.
    pub capacity: u32,
}

/// A `#define` that is not constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Define {
    /// Its name; of a condition that stands in a formula, its text.
    pub name: Name,
    /// Whether it is a condition that stands in a formula, and has no `#define`.
    pub inline: bool,
    /// The definition, over global variables only.
    pub body: Expr,
    /// The indices that quantifiers in the body bind.
    pub locals: Vec<Local>,
}

/// A process definition `P(i, j) = …;`.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Its name.
    pub name: Name,
    /// How many parameters: the first so many locals.
    pub parameters: usize,
    /// Everything that is bound in it, the parameters first and in order.
    pub locals: Vec<Local>,
    /// The expression on the right.
    pub body: NodeId,
    /// The sets of `#alphabet` for it, over its parameters; `None` if there is no `#alphabet`.
    pub alphabet: Option<Vec<EventSet>>,
    /// From the name to the semicolon.
    pub span: Span,
}

/// A name bound inside a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// Its name.
    pub name: Name,
    /// The binder.
    pub kind: LocalKind,
}

/// Binder of a local.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalKind {
    /// A parameter, perhaps with bounds.
    Parameter(Option<Bounds>),
    /// `x` of `[] x:{0..2}@…`, of an event set or of a quantifier.
    Index,
    /// `x` of `c?x`.
    Received,
    /// `var x` in a program; lives until the end of its block.
    Program,
}

/// A process expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// Its index among the nodes.
    pub id: NodeId,
    /// The whole expression, without parentheses around it.
    pub span: Span,
    /// The kind.
    pub kind: ProcessKind,
}

/// Kinds of process expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ProcessKind {
    /// `Stop`.
    Stop,
    /// `Skip`.
    Skip,
    /// `P(1, x)`, with as many arguments as `P` has parameters.
    Reference {
        /// The definition.
        definition: DefinitionId,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `action -> then`.
    Prefix {
        /// The first action.
        action: Action,
        /// The continuation.
        then: NodeId,
    },
    /// `(a, b) -> then`: one of the events, then the same.
    Alternatives {
        /// The events, at least two.
        events: Vec<Event>,
        /// The continuation.
        then: NodeId,
    },
    /// `assert(b)`: as `Skip`, but an error where `b` is false.
    Assert(Expr),
    /// `[b] body`.
    Guard {
        /// Condition for the first step.
        condition: Expr,
        /// The guarded process.
        body: NodeId,
    },
    /// `if`, `ifa`, `ifb`.
    If {
        /// Which of the three.
        kind: IfKind,
        /// The condition.
        condition: Expr,
        /// If it holds.
        then: NodeId,
        /// If not; never there for `ifb`, and `Skip` is meant where it is missing otherwise.
        otherwise: Option<NodeId>,
    },
    /// `case { b: P … default: Q }`: the first whose condition holds.
    Case {
        /// Conditions and what they guard, in order; at least one.
        branches: Vec<(Expr, NodeId)>,
        /// If none holds; `Skip` is meant where it is missing.
        otherwise: Option<NodeId>,
    },
    /// `P op Q op R`, from left to right; at least two operands, none of which is an expression of
    /// the same operator without parentheses.
    Compose {
        /// The operator.
        operator: Operator,
        /// The operands.
        operands: Vec<NodeId>,
    },
    /// `P |[X]| Q` and `P |[X|Y]| Q`: as `P || Q`, with the events that each side shares said here.
    Synchronised {
        /// Both sides.
        operands: [NodeId; 2],
        /// `X`, or `X` and `Y`.
        alphabets: Vec<Vec<EventSet>>,
    },
    /// `op x:{0..2}; y:{0, 1} @ body`. Never with [`Operator::Sequence`] or
    /// [`Operator::Interrupt`].
    Replicate {
        /// The operator.
        operator: Operator,
        /// The indices, the first running slowest; at least one.
        bindings: Vec<Binding>,
        /// The replicated process.
        body: NodeId,
    },
    /// `|||{n}@body`: so many copies, interleaved.
    Copies {
        /// How many; if it is constant, at least 1.
        count: Expr,
        /// The copied process.
        body: NodeId,
    },
    /// `body \ {…}`.
    Hide {
        /// Where events are hidden.
        body: NodeId,
        /// The hidden events.
        events: Vec<EventSet>,
    },
    /// `atomic { body }`.
    Atomic(NodeId),
}

/// The three conditionals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfKind {
    /// `if`: testing is a silent step of its own.
    Plain,
    /// `ifa`: testing and the first step are one.
    Atomic,
    /// `ifb`: waits until the condition holds.
    Blocking,
}

/// Operators between processes, the loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operator {
    /// `|||`.
    Interleave,
    /// `||`.
    Parallel,
    /// `[]`: resolved by the first step of any kind.
    GeneralChoice,
    /// `<>`: resolved by a silent step.
    InternalChoice,
    /// `[*]`: resolved by the first visible step.
    ExternalChoice,
    /// `interrupt`.
    Interrupt,
    /// `;`.
    Sequence,
}

/// Action before an arrow.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// The event or communication.
    pub kind: ActionKind,
    /// `wf(…)`, `sf(…)`, `wl(…)` or `sl(…)` around it.
    pub annotation: Option<Annotation>,
    /// The program that runs with it; empty if there is none.
    pub program: Vec<Statement>,
    /// From the annotation, or the event, to the end of the program.
    pub span: Span,
}

impl Specification {
    /// The assignment of `x := e`, if that is what an action is.
    pub fn assignment<'a>(&self, action: &'a Action) -> Option<(&'a Place, &'a Expr)> {
        match (&action.kind, action.program.as_slice()) {
            (
                ActionKind::Event(event),
                [Statement { kind: StatementKind::Assign { target, value }, .. }],
            ) if self.events[event.name.index()].contains(":=") => Some((target, value)),
            _ => None,
        }
    }
}

/// Kinds of actions.
#[derive(Clone, Debug, PartialEq)]
pub enum ActionKind {
    /// `get.i.(i+1)%N`. Also `x := e`, which has that assignment as its program: its first word is the text of
    /// the assignment, its data are the values of the locals in it.
    Event(Event),
    /// `tau`, or a program that has no event.
    Tau,
    /// `c!e1.e2`.
    Output {
        /// Where to.
        channel: ChannelUse,
        /// The parts of the message; at least one.
        message: Vec<Expr>,
    },
    /// `c?x.1`, `c?[x > 0]x`.
    Input {
        /// Where from.
        channel: ChannelUse,
        /// Condition on the message, over the names that it binds too.
        guard: Option<Expr>,
        /// The parts of the message; at least one.
        message: Vec<Pattern>,
    },
}

/// A part of a message that is received.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// A new name for whatever comes.
    Bind(LocalId, Span),
    /// The message must have this value here. Over constants and locals that were bound before,
    /// not over global variables.
    Match(Expr),
}

/// A channel, or one of an array of channels.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelUse {
    /// The channel.
    pub channel: ChannelId,
    /// Which one, exactly if it is an array of channels.
    pub index: Option<Box<Expr>>,
    /// Name and index.
    pub span: Span,
}

/// An event with its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The word before the first dot.
    pub name: EventId,
    /// Arguments behind the dots.
    pub arguments: Vec<Expr>,
    /// The whole event.
    pub span: Span,
}

/// An element of an alphabet or hidden set: `a.1`, or `x:{0..2}@a.x`.
#[derive(Clone, Debug, PartialEq)]
pub struct EventSet {
    /// The indices; often none.
    pub bindings: Vec<Binding>,
    /// The event.
    pub event: Event,
}

/// `x:{…}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// The index.
    pub local: LocalId,
    /// Its values.
    pub domain: Domain,
    /// From the name to the brace.
    pub span: Span,
}

/// The values of an index.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// `{low..high}`, both included; not empty if both are constant.
    Range(Expr, Expr),
    /// `{a, b, c}`, at least one.
    List(Vec<Expr>),
}

/// A statement of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The kind.
    pub kind: StatementKind,
    /// All of it.
    pub span: Span,
}

/// Kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `x = e`, `a[i] = e`, `x++`.
    Assign {
        /// The changed place.
        target: Place,
        /// To what.
        value: Expr,
    },
    /// `var x = e`; without `= e` the value is 0.
    Declare {
        /// The variable.
        local: LocalId,
        /// Its first value.
        value: Expr,
    },
    /// `if (b) … else …`.
    If {
        /// The condition.
        condition: Expr,
        /// If it holds.
        then: Vec<Statement>,
        /// If not.
        otherwise: Vec<Statement>,
    },
    /// `while (b) …`.
    While {
        /// The condition.
        condition: Expr,
        /// The body of the loop.
        body: Vec<Statement>,
    },
    /// `x = call(cpeek, c)`: the first message of a channel with a buffer, which stays there. An error where
    /// there is none. `x` is not read if it is a scalar; otherwise it is an array with as many elements as the
    /// message has parts.
    Peek {
        /// A global variable or array.
        target: VariableId,
        /// The channel.
        channel: ChannelUse,
    },
    /// `{ … }`: a scope of its own.
    Block(Vec<Statement>),
    /// `s.Add(1)`.
    Method(MethodCall),
    /// `s = new Set()`, `s = t`, `s = s.Union(s, t)`.
    Replace {
        /// The collection.
        target: VariableId,
        /// The new value.
        value: ObjectValue,
    },
}

/// Target of an assignment.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The kind.
    pub kind: PlaceKind,
    /// Name and indices.
    pub span: Span,
}

/// Kinds of places.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaceKind {
    /// A global scalar.
    Variable(VariableId),
    /// An element of a global array, with as many indices as it has dimensions.
    Element(VariableId, Vec<Expr>),
    /// A variable of the program.
    Local(LocalId),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// The kind.
    pub kind: ExprKind,
    /// The type.
    pub ty: Type,
    /// The whole expression, without parentheses around it. Of a constant that was computed, the
    /// expression it was computed from.
    pub span: Span,
}

/// Kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A number, a constant, or what was computed from such.
    Int(i32),
    /// `true`, `false`, or what was computed.
    Bool(bool),
    /// A global scalar.
    Variable(VariableId),
    /// An element of a global array, with as many indices as it has dimensions. Without an index, the whole array:
    /// only as an argument of a process, or as a part of a message that is sent.
    Element(VariableId, Vec<Expr>),
    /// A local of the definition (or `#define`) the expression stands in.
    Local(LocalId),
    /// `z[i]` of a parameter or received value that stands for an array. As in PAT, it has one index, however many
    /// dimensions the array has.
    ElementOf(LocalId, Box<Expr>),
    /// A `#define` that is not constant.
    Define(DefineId),
    /// `!a`, `-a`.
    Unary(UnaryOperator, Box<Expr>),
    /// `a op b`. `&&` and `||` do not look at `b` if `a` decides.
    Binary(BinaryOperator, Box<Expr>, Box<Expr>),
    /// `cfull(c)` and the like.
    Query(ChannelQuery, ChannelUse),
    /// `&& x:{0..2}@b`: the operator over all values. One of `&&`, `||` and `xor`.
    Quantified(BinaryOperator, Vec<Binding>, Box<Expr>),
    /// `s.Count()`. One that changes its collection stands in programs only.
    Method(Box<MethodCall>),
    /// `s == t` of two collections of one class.
    SameContents(VariableId, VariableId),
    /// `[1, x, 2]`: an array that is written where it is passed to a process or sent.
    List(Vec<Expr>),
    /// `call(Max, a, b)`.
    Math(MathFunction, Vec<Expr>),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `!`.
    Not,
    /// `-`.
    Negate,
}

/// Operators with two operands, the loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BinaryOperator {
    /// `||`.
    Or,
    /// `&&`.
    And,
    /// `xor`.
    Xor,
    /// `&`, on integers.
    BitAnd,
    /// `|`, on integers.
    BitOr,
    /// `^`, on integers.
    BitXor,
    /// `==`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterEqual,
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`: towards zero.
    Divide,
    /// `%`: the remainder of `/`, plus the divisor if that is negative. `(0-1) % 3` is 2, as PAT's
    /// own dining philosophers need it.
    Modulo,
}

/// Questions about a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelQuery {
    /// `ccount(c)`: how many messages it holds.
    Count,
    /// `csize(c)`: its capacity.
    Size,
    /// `cempty(c)`.
    Empty,
    /// `cfull(c)`.
    Full,
    /// `cpeek(c)`: the first message.
    Peek,
}

/// `#assert P(1) …;`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assertion {
    /// The process it is about.
    pub process: Subject,
    /// The claim.
    pub claim: Claim,
    /// The `// expect:` comments that stand directly above it or on its last line.
    pub remarks: Vec<Fragment>,
    /// From `#assert` to the semicolon.
    pub span: Span,
}

/// A process of an assertion; its arguments are constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The definition.
    pub definition: DefinitionId,
    /// The arguments.
    pub arguments: Vec<Expr>,
    /// Name and arguments.
    pub span: Span,
}

/// Claim of an assertion about its process.
#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    /// `deadlockfree`.
    DeadlockFree,
    /// `nonterminating`.
    NonTerminating,
    /// `divergencefree`.
    DivergenceFree,
    /// `deterministic`.
    Deterministic,
    /// `reaches condition`, `reaches condition with min(e)`.
    Reaches {
        /// The condition, of type [`Type::Bool`].
        condition: Expr,
        /// The value that must be least or greatest.
        optimum: Option<(Extreme, Expr)>,
    },
    /// `|= formula`, with every proposition decided: a `#define` is written `state(name)`, an event
    /// `event(get.0.1)` with constants computed, an output `event(c!1)`. Parses without error.
    Satisfies(FormulaText),
    /// `refines<fair> Q`.
    RefinesFairly {
        /// The process that is refined.
        specification: Subject,
    },
    /// `refines Q`, `refines<F> Q`, `refines<FD> Q`.
    Refines {
        /// In which model.
        model: Refinement,
        /// The process that is refined.
        specification: Subject,
    },
}
