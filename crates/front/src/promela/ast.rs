//! A Promela model with every name resolved.
//!
//! The tree has the shape in which SPIN itself builds control flow, so that a later stage needs no
//! rule of SPIN's grammar or scoping. What SPIN writes out while it parses is written out here too:
//!
//! - **Inlines** are replaced by a [`StmtKind::Block`]: their braces are a sequence of their own.
//! - **`for`** becomes an assignment and a [`StmtKind::Do`], as two statements of the sequence it
//!   stands in. A label before `for` is on the `do`, *after* the first assignment, as in SPIN.
//! - **`select`** becomes an [`StmtKind::If`] of assignments if the bounds are numbers, lie at most
//!   32 apart, and the variable's name has no underscore (not inside an inline); otherwise an
//!   assignment and a `do` that counts up or breaks.
//! - **`x++`** is `x = x + 1`.
//! - **`L: { a } unless { b }`** is a labelled block round the `unless`, and with `atomic` or
//!   `d_step` in place of the braces the *whole* `unless` is inside it.
//! - **Messages** with a struct are spread into its elementary fields, each element of an array
//!   being one.
//!
//! # When locals get their values
//!
//! A declaration before the first statement of a body takes effect when the process is created
//! ([`Start::AtCreation`]), in the order of the text, whatever the block of its variable. Any later
//! declaration, and every one inside braces, an option, `atomic`, `d_step` or an inline, is a
//! *statement* with a control state of its own, [`StmtKind::Declare`]: it assigns its initial value
//! or 0 each time it is reached. Of an array it sets element 0 only; of a struct nothing, but the
//! step is there. Before it is reached, such a variable is 0: all locals exist, zeroed, as long as
//! their process.
//!
//! # Scopes
//!
//! Each pair of braces is a scope, options are not. A local is visible from its declaration to the
//! end of its scope. It hides nothing: SPIN refuses a name that is already visible, and so do we.
//! Locals of different scopes are different [`LocalId`]s.
//!
//! # Numbers of mtypes
//!
//! The constants of one declaration count down: in `mtype = { a, b, c }`, `a` is 3 and `c` is 1. A
//! further declaration of the same set goes on above: `mtype = { d, e }` then makes `d` 5 and `e` 4.
//! Named sets count on their own.

pub use fairly_model::BinaryOp;
use fairly_source::Fragment;
use fairly_system::Annotation;

use super::place::{Expansion, Place};

fairly_source::ids! {
    /// A position in [`Model::processes`].
    ProctypeId;
    /// A position in [`Model::globals`].
    GlobalId;
    /// A position in [`Proctype::locals`].
    LocalId;
    /// A position in [`Proctype::labels`].
    LabelId;
    /// A position in [`Model::typedefs`].
    TypedefId;
    /// A position in [`Model::mtypes`].
    MtypeId;
}

/// A whole model.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The structs, in the order of the text; each uses only earlier ones.
    pub typedefs: Vec<Typedef>,
    /// The sets of symbolic constants, the unnamed one among them if it is used.
    pub mtypes: Vec<Mtype>,
    /// The global variables, in the order of the text, which is the order of initialisation.
    pub globals: Vec<Variable>,
    /// The proctypes and `init`, in the order of the text, which is the order in which those that
    /// are active get their numbers.
    pub processes: Vec<Proctype>,
    /// The `never` claims.
    pub claims: Vec<Proctype>,
    /// `trace` or `notrace`.
    pub trace: Option<Proctype>,
    /// The formulas, in the order of the text.
    pub formulas: Vec<Formula>,
    /// Each use of a macro or an inline; see [`Place`].
    pub expansions: Vec<Expansion>,
    /// Text behind `expect:` in comments that start so, in the order of the text.
    pub expectations: Vec<Fragment>,
}

/// A struct.
#[derive(Clone, Debug)]
pub struct Typedef {
    /// Its name.
    pub name: String,
    /// Where it is named.
    pub place: Place,
    /// Its fields.
    pub fields: Vec<Variable>,
}

/// A set of symbolic constants.
#[derive(Clone, Debug)]
pub struct Mtype {
    /// Its name; `None` for plain `mtype`.
    pub name: Option<String>,
    /// Its constants, the one with value 1 first.
    pub constants: Vec<Constant>,
}

/// A symbolic constant. Its value is its position in [`Mtype::constants`] plus 1.
#[derive(Clone, Debug)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub place: Place,
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `bit`.
    Bit,
    /// `bool`, which is a `bit`.
    Bool,
    /// `byte`.
    Byte,
    /// `pid`, which is a `byte`.
    Pid,
    /// `short`, 16 bits with a sign.
    Short,
    /// `int`, 32 bits with a sign.
    Int,
    /// `unsigned x : n`, with 1 to 31 bits.
    Unsigned(u8),
    /// `mtype`, one byte: a set of constants.
    Mtype(MtypeId),
    /// `chan`, one byte: the number of a channel, 0 for none.
    Chan,
    /// A typedef.
    Struct(TypedefId),
}

/// Effect of `hidden`, `show` and `local`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Visibility {
    /// None of them.
    #[default]
    Normal,
    /// `hidden`: not part of the state.
    Hidden,
    /// `show`: reported in a simulation.
    Show,
    /// `local`: a global that only one process uses.
    Local,
}

/// A variable or a field.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub place: Place,
    /// The type of the variable or of each element.
    pub kind: Type,
    /// The number of elements, at least 1; `None` if it is no array.
    pub length: Option<u32>,
    /// The initial value.
    pub initial: Initial,
    /// Its visibility.
    pub visibility: Visibility,
}

/// The first value of a variable.
#[derive(Clone, Debug)]
pub enum Initial {
    /// 0.
    Zero,
    /// A value, for every element of an array.
    Value(Expr),
    /// A value for each element; 0 for those that are not listed.
    List(Vec<i32>),
    /// A new channel, one for every element of an array.
    Channel(Channel),
}

/// Contents of a channel.
#[derive(Clone, Debug)]
pub struct Channel {
    /// How many messages; 0 for a rendezvous.
    pub capacity: u32,
    /// The types as they are declared.
    pub declared: Vec<Type>,
    /// The same with structs spread into elementary fields.
    pub fields: Vec<Type>,
}

/// Where a local comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// It is a parameter; the parameters are the first locals.
    Parameter,
    /// Its initial value is assigned when the process is created, after the parameters.
    AtCreation,
    /// It is 0 until a [`StmtKind::Declare`] is executed, which has its initial value.
    ByStatement,
    /// SPIN's own counter of a `for … in` a channel.
    Counter,
}

/// A local variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// The variable; [`Initial::Zero`] unless it starts [`Start::AtCreation`].
    pub variable: Variable,
    /// How it starts.
    pub start: Start,
    /// The scope it is declared in: 0 for the body, every other pair of braces has its own number.
    pub scope: u32,
}

/// Kind of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessKind {
    /// `proctype`.
    Proctype {
        /// How many are there from the start.
        active: u32,
        /// `D_proctype`.
        deterministic: bool,
    },
    /// `init`.
    Init,
    /// `never`.
    Never,
    /// `trace`.
    Trace,
    /// `notrace`.
    NoTrace,
}

/// A proctype, `init`, `never` or `trace`.
#[derive(Clone, Debug)]
pub struct Proctype {
    /// Its name: `init` for `init`, `never_0` for the first unnamed claim.
    pub name: String,
    /// Where it is named.
    pub place: Place,
    /// The kind.
    pub kind: ProcessKind,
    /// How many of the locals are parameters.
    pub parameters: usize,
    /// Its variables.
    pub locals: Vec<Local>,
    /// Its labels.
    pub labels: Vec<Label>,
    /// `priority`.
    pub priority: Option<i32>,
    /// `provided`.
    pub provided: Option<Expr>,
    /// `xr` and `xs`.
    pub exclusive: Vec<Exclusive>,
    /// The body. May be empty if it only declares variables.
    pub body: Sequence,
}

/// `xr` or `xs`: only this proctype receives from, or sends to, the channel.
#[derive(Clone, Debug)]
pub struct Exclusive {
    /// The channel.
    pub channel: VarRef,
    /// Whether it is about sending.
    pub sends: bool,
}

/// A label.
#[derive(Clone, Debug)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub place: Place,
}

impl Label {
    /// Whether stopping here is fine: the name starts with `end`.
    pub fn is_end(&self) -> bool {
        self.name.starts_with("end")
    }

    /// Whether passing here is progress: the name starts with `progress`.
    pub fn is_progress(&self) -> bool {
        self.name.starts_with("progress")
    }

    /// Whether passing here again and again is accepted: the name starts with `accept`.
    pub fn is_accept(&self) -> bool {
        self.name.starts_with("accept")
    }
}

/// Statements one after the other.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// The statements.
    pub steps: Vec<Stmt>,
    /// Where it stands.
    pub place: Place,
}

/// Where a statement comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is written.
    Written,
    /// It is part of what a `for` stands for.
    For,
    /// It is part of what a `select` stands for.
    Select,
    /// It is what a label without a statement labels.
    Label,
    /// It is the body of an inline.
    Inline,
    /// It is part of what a receive into `_pid` stands for.
    Receive,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The labels before it, in the order of the text.
    pub labels: Vec<LabelId>,
    /// The kind.
    pub kind: StmtKind,
    /// Where it stands.
    pub place: Place,
    /// The fairness asked of it.
    pub annotation: Option<Annotation>,
    /// Where it comes from.
    pub origin: Origin,
}

/// Effect of a statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Waits until the expression is not 0. `skip` is the expression 1.
    Condition(Expr),
    /// `else`: always the first statement of an option, maybe inside blocks. Elsewhere SPIN can
    /// always take it, so there it is a [`StmtKind::Condition`] with the value 1.
    Else,
    /// `target = value`.
    Assign(VarRef, Expr),
    /// The declaration of a local where it is a statement; see the [module](self).
    Declare(LocalId, Option<Expr>),
    /// `c!…` or, `sorted`, `c!!…`.
    Send {
        /// The channel.
        channel: VarRef,
        /// The fields of the message. Fields that are missing are 0.
        fields: Vec<Expr>,
        /// Whether the message is put in its numerical place.
        sorted: bool,
    },
    /// `c?…`.
    Receive {
        /// The channel.
        channel: VarRef,
        /// Pattern of each field. Fields that are missing are dropped.
        fields: Vec<Pattern>,
        /// `??`: the first message that fits, not only the oldest.
        random: bool,
        /// `<…>`: the message stays.
        peek: bool,
    },
    /// `assert`.
    Assert(Expr),
    /// `printf`: the text as it is written, with its quotes, and the values.
    Printf(String, Vec<Expr>),
    /// `printm`.
    Printm(Expr),
    /// `set_priority(pid, priority)`.
    SetPriority(Expr, Expr),
    /// `goto`.
    Goto(LabelId),
    /// `break`, out of the innermost `do`.
    Break,
    /// `if`.
    If(Vec<Choice>),
    /// `do`.
    Do(Vec<Choice>),
    /// `main unless escape`.
    Unless(Sequence, Sequence),
    /// `atomic`.
    Atomic(Sequence),
    /// `d_step`.
    DStep(Sequence),
    /// Braces, or an inline.
    Block(Sequence),
}

/// An option of `if` or `do`.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The body; never empty.
    pub body: Sequence,
    /// The fairness asked of it.
    pub annotation: Option<Annotation>,
}

/// Treatment of a field of a received message.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// It is stored.
    Store(VarRef),
    /// It is dropped: `_`.
    Any,
    /// It must be equal to this: a constant, or what `eval` is around.
    Equal(Expr),
}

/// The start of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// A global variable.
    Global(GlobalId),
    /// A local variable of the process it stands in.
    Local(LocalId),
    /// `_pid`.
    Pid,
    /// `_nr_pr`.
    Processes,
    /// `_last`.
    Last,
    /// `_priority`.
    Priority,
    /// `_`, which is only written.
    Scratch,
}

/// One step into a struct.
#[derive(Clone, Debug)]
pub struct FieldRef {
    /// The position in [`Typedef::fields`].
    pub field: usize,
    /// Which element, if the field is an array.
    pub index: Option<Expr>,
}

/// A variable, an element of an array, or a field.
#[derive(Clone, Debug)]
pub struct VarRef {
    /// The variable.
    pub base: Base,
    /// Which element, if the variable is an array.
    pub index: Option<Box<Expr>>,
    /// The way into the struct.
    pub fields: Vec<FieldRef>,
    /// The type of what is referred to.
    pub kind: Type,
    /// Where it stands.
    pub place: Place,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The kind.
    pub kind: ExprKind,
    /// Where it stands, without parentheses around it.
    pub place: Place,
    /// How high the tree is; bounded, so that it can be walked by recursion.
    pub(super) height: u32,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `!`.
    Not,
    /// `-`.
    Minus,
    /// `~`.
    BitNot,
}

/// Question about a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// `full`.
    Full,
    /// `empty`.
    Empty,
    /// `nfull`.
    NotFull,
    /// `nempty`.
    NotEmpty,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number, a character, `true`, `false` or `skip`.
    Number(i32),
    /// A symbolic constant: its set and its value.
    Constant(MtypeId, i32),
    /// The value of a variable.
    Variable(VarRef),
    /// An operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(condition -> then : otherwise)`.
    Conditional(Box<[Expr; 3]>),
    /// `run`; the value is the new process's number, 0 if there are too many.
    Run(Box<Run>),
    /// `len`.
    Length(VarRef),
    /// `full`, `empty`, `nfull` or `nempty`.
    Probe(Probe, VarRef),
    /// `c?[…]` or, `random`, `c??[…]`: whether such a message could be received.
    Poll {
        /// The channel.
        channel: VarRef,
        /// Pattern of each field; [`Pattern::Store`] stores nothing and fits always.
        fields: Vec<Pattern>,
        /// Whether any message will do, not only the oldest.
        random: bool,
    },
    /// `timeout`.
    Timeout,
    /// `np_`.
    NonProgress,
    /// `enabled(pid)`.
    Enabled(Box<Expr>),
    /// `pc_value(pid)`.
    PcValue(Box<Expr>),
    /// `get_priority(pid)`.
    GetPriority(Box<Expr>),
    /// `P[pid]@label`; without `[pid]` the process of that type.
    RemoteLabel(ProctypeId, Option<Box<Expr>>, LabelId),
    /// `P[pid]:variable`; without `[pid]` the process of that type.
    RemoteVariable(Box<RemoteVariable>),
}

/// `run P(…)`.
#[derive(Clone, Debug)]
pub struct Run {
    /// The started proctype.
    pub proctype: ProctypeId,
    /// The arguments, as many as it has parameters. A struct is a variable of that type.
    pub arguments: Vec<Expr>,
    /// `priority`.
    pub priority: Option<i32>,
}

/// A variable of another process.
#[derive(Clone, Debug)]
pub struct RemoteVariable {
    /// The type of the process.
    pub proctype: ProctypeId,
    /// Its number.
    pub pid: Option<Expr>,
    /// The variable, of that proctype.
    pub local: LocalId,
    /// Which element, if the variable is an array.
    pub index: Option<Expr>,
}

/// An `ltl` property.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Its name: `ltl_0` for the first unnamed one.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// The formula.
    pub ltl: Ltl,
}

/// A temporal formula. What has no temporal operator in it is one proposition.
#[derive(Clone, Debug)]
pub enum Ltl {
    /// An expression without temporal operators; it holds if it is not 0.
    Proposition(Expr),
    /// An operator with one operand.
    Unary(UnaryLtl, Box<Ltl>),
    /// An operator with two operands.
    Binary(BinaryLtl, Box<Ltl>, Box<Ltl>),
    /// `enabled(P)` or `taken(P)`, as fairness asks it of a process.
    Asked(Asked),
}

/// A question of fairness about a process. SPIN has none: its `enabled` wants a number.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Whether it is `taken`, and not `enabled`.
    pub is_taken: bool,
    /// The proctype of the process.
    pub proctype: ProctypeId,
    /// The number of the process, if it is written.
    pub pid: Option<i32>,
    /// Where it stands.
    pub place: Place,
}

/// Operators on one formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The names say it.
pub enum UnaryLtl {
    Not,
    Next,
    Always,
    Eventually,
}

/// Operators on two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The names say it.
pub enum BinaryLtl {
    And,
    Or,
    Implies,
    Equivalent,
    Until,
    WeakUntil,
    Release,
}
