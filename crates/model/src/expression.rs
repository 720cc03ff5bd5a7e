//! Expressions over variables, channels and control. Values are integers; truth is not zero, and
//! operators give 0 or 1 for it.
//!
//! Arithmetic is that of the integers within 64 bits; leaving them is a fault, and so is a division
//! by zero. `&&`, `||` and the conditional evaluate their right sides only where needed.

use crate::ids::{ChannelId, LocalId, LocationId, TemplateId, VariableId};

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A number.
    Const(i64),
    /// The value of a variable, or of an element of an array.
    Load(Place),
    /// A cell of the message that the edge receives: in the guard and the effect of an edge that
    /// receives.
    Received(u32),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<(Expr, Expr)>),
    /// The second if the first is true, else the third.
    Conditional(Box<(Expr, Expr, Expr)>),
    /// The operand, which is a fault unless it is at least 0 and less than `length`: one index of
    /// several into a flattened array.
    Checked {
        /// The index.
        index: Box<Expr>,
        /// The length of this dimension.
        length: u32,
    },
    /// Something about a channel, whose number the operand gives.
    Channel(ChannelQuery, Box<Expr>),
    /// Whether a message that matches is waiting in a buffered channel.
    Poll {
        /// The channel's number.
        channel: Box<Expr>,
        /// Pattern of each cell of the message.
        pattern: Vec<Pattern>,
        /// At the head of the channel, or anywhere in it.
        pick: Pick,
    },
    /// Whether the process in a slot is of a template, at one of these locations.
    At {
        /// The slot's number.
        slot: Box<Expr>,
        /// The template.
        template: TemplateId,
        /// The locations.
        locations: Vec<LocationId>,
    },
    /// The slot of the process that evaluates the expression.
    Own,
    /// How many slots have a running process.
    Running,
    /// The slot that moved last; 0 at the start. A model that reads it remembers it in its states.
    LastMover,
    /// Whether the system would otherwise have no step: see [`crate::Edge::guard`].
    Timeout,
    /// Whether the process in a slot has an enabled edge.
    Executable(Box<Expr>),
}

/// Where a value is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The variable.
    pub variable: AnyVariable,
    /// The element; `None` for a variable that is no array. Outside the array it is a fault.
    pub index: Option<Box<Expr>>,
}

/// A variable of any scope.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AnyVariable {
    /// Of the model.
    Global(VariableId),
    /// Of the process that evaluates the expression.
    Local(LocalId),
    /// Of the process in a slot, which must be of the template; else 0 is read. It cannot be
    /// assigned.
    Remote {
        /// The slot's number.
        slot: Box<Expr>,
        /// The template.
        template: TemplateId,
        /// Its variable.
        local: LocalId,
    },
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `!`: 1 for 0, else 0.
    Not,
    /// `-`
    Negate,
    /// `~`: all bits of two's complement turned over.
    Complement,
    /// `int`: what is left of it in 32 bits with a sign.
    Int,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, towards zero.
    Divide,
    /// `%`: the remainder of `/`, with the sign of the dividend.
    Remainder,
    /// `mod`: the remainder with the sign of the divisor, so that it is an index for a positive one.
    Modulo,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`: by 0 to 63 places, else a fault.
    ShiftLeft,
    /// `>>`: by 0 to 63 places, with the sign kept, else a fault.
    ShiftRight,
}

/// Question about a channel. A number that is no channel is a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelQuery {
    /// How many messages are in it.
    Length,
    /// Whether there are none.
    Empty,
    /// Whether there is no room.
    Full,
    /// How many it can hold.
    Capacity,
}

/// Pattern of a cell of a message to be received.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// Anything.
    Any,
    /// This value.
    Equal(Expr),
}

/// Which message is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pick {
    /// The first one.
    #[default]
    Head,
    /// The first one that matches.
    First,
}

impl Expr {
    /// The guard that is always true.
    pub const TRUE: Expr = Expr::Const(1);
    /// The guard that is never true.
    pub const FALSE: Expr = Expr::Const(0);

    /// The value of a variable of the model that is no array.
    pub fn global(variable: VariableId) -> Expr {
        Expr::Load(Place { variable: AnyVariable::Global(variable), index: None })
    }

    /// The value of a variable of the process that is no array.
    pub fn local(local: LocalId) -> Expr {
        Expr::Load(Place { variable: AnyVariable::Local(local), index: None })
    }

    /// The number of a channel.
    pub fn channel(channel: ChannelId) -> Expr {
        Expr::Const(i64::from(channel.0))
    }

    /// Two operands.
    pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new((left, right)))
    }

    /// One operand.
    pub fn unary(op: UnaryOp, operand: Expr) -> Expr {
        Expr::Unary(op, Box::new(operand))
    }

    /// `!`, without stacking up.
    #[must_use]
    pub fn negated(self) -> Expr {
        match self {
            Expr::Const(value) => Expr::Const(i64::from(value == 0)),
            other => Expr::unary(UnaryOp::Not, other),
        }
    }

    /// `&&`, leaving out what is always true.
    #[must_use]
    pub fn and(self, other: Expr) -> Expr {
        match (self, other) {
            (Expr::TRUE, other) => other,
            (first, Expr::TRUE) => first,
            (Expr::FALSE, _) => Expr::FALSE,
            (first, other) => Expr::binary(BinaryOp::And, first, other),
        }
    }
}

impl Place {
    /// A variable of the model that is no array.
    pub fn global(variable: VariableId) -> Place {
        Place { variable: AnyVariable::Global(variable), index: None }
    }

    /// A variable of the process that is no array.
    pub fn local(local: LocalId) -> Place {
        Place { variable: AnyVariable::Local(local), index: None }
    }
}
