//! The tokens of Promela and of its preprocessor.

use std::fmt;
use std::rc::Rc;
use std::sync::LazyLock;

use fairly_model::BinaryOp;
use hashbrown::HashSet;

use super::place::Place;

macro_rules! signs {
    ($($name:ident $text:literal,)*) => {
        /// A sign of the language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Sign { $($name,)* }

        impl Sign {
            pub(super) fn text(self) -> &'static str {
                match self { $(Sign::$name => $text,)* }
            }
        }

        /// All signs; a sign that starts with another stands before it.
        pub(super) const SIGNS: &[Sign] = &[$(Sign::$name,)*];
    };
}

signs! {
    Separator "::", Arrow "->", Decrement "--", Increment "++", ShiftLeft "<<", LessEqual "<=",
    ShiftRight ">>", GreaterEqual ">=", Equal "==", NotEqual "!=", SortedSend "!!",
    RandomReceive "??", And "&&", Or "||", Range "..", Paste "##",
    Colon ":", Minus "-", Plus "+", Less "<", Greater ">", Assign "=", Send "!", Receive "?",
    BitAnd "&", BitOr "|", BitXor "^", BitNot "~", Times "*", Divide "/", Modulo "%", Semicolon ";",
    Comma ",", Dot ".", At "@", Hash "#", Backslash "\\", OpenParen "(", CloseParen ")",
    OpenBrace "{", CloseBrace "}", OpenBracket "[", CloseBracket "]",
}

/// The operators with two operands: the sign, what it computes, and how tightly it binds. Operators of temporal
/// logic are at 1 and 4.
pub(super) const OPERATORS: &[(Sign, BinaryOp, u8)] = &[
    (Sign::Or, BinaryOp::Or, 2),
    (Sign::And, BinaryOp::And, 3),
    (Sign::BitOr, BinaryOp::BitOr, 5),
    (Sign::BitXor, BinaryOp::BitXor, 6),
    (Sign::BitAnd, BinaryOp::BitAnd, 7),
    (Sign::Equal, BinaryOp::Equal, 8),
    (Sign::NotEqual, BinaryOp::NotEqual, 8),
    (Sign::Less, BinaryOp::Less, 9),
    (Sign::LessEqual, BinaryOp::LessEqual, 9),
    (Sign::Greater, BinaryOp::Greater, 9),
    (Sign::GreaterEqual, BinaryOp::GreaterEqual, 9),
    (Sign::ShiftLeft, BinaryOp::ShiftLeft, 10),
    (Sign::ShiftRight, BinaryOp::ShiftRight, 10),
    (Sign::Plus, BinaryOp::Add, 11),
    (Sign::Minus, BinaryOp::Subtract, 11),
    (Sign::Times, BinaryOp::Multiply, 12),
    (Sign::Divide, BinaryOp::Divide, 12),
    (Sign::Modulo, BinaryOp::Remainder, 12),
];

impl Sign {
    /// The operator with two operands that it is, and how tightly that binds.
    pub(super) fn operator(self) -> Option<(BinaryOp, u8)> {
        let mut all = OPERATORS.iter();
        all.find(|(sign, ..)| *sign == self).map(|&(_, op, level)| (op, level))
    }
}

/// Kinds of tokens.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Word(Rc<str>),
    /// A number or a character in quotes. The flag says that it was a number.
    Number(i32, bool),
    /// A string with its quotes, as it is written.
    Text(Rc<str>),
    Sign(Sign),
    /// A separator that SPIN puts at the end of a line.
    LineEnd,
    /// Something that cannot be read: the code, what it is, and the label. It is reported where it
    /// is used, since it may stand in a part that is left out.
    Bad(&'static str, &'static str, &'static str),
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) place: Place,
    /// Whether a line ends before it.
    pub(super) newline: bool,
    /// Whether it is the name of a macro that is not to be expanded any more.
    pub(super) painted: bool,
    /// The annotation before it: its position in the list of annotations, counted from 1.
    pub(super) note: u32,
}

impl Token {
    pub(super) fn is(&self, sign: Sign) -> bool {
        self.kind == Kind::Sign(sign)
    }

    pub(super) fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    /// Whether `next` follows without a space.
    pub(super) fn touches(&self, next: &Token) -> bool {
        self.place.expansion == next.place.expansion && self.place.span.end == next.place.span.start
    }
}

/// How the token reads in a message.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Word(word) => write!(f, "`{word}`"),
            Kind::Number(value, true) => write!(f, "`{value}`"),
            Kind::Number(..) => write!(f, "a character"),
            Kind::Text(_) => write!(f, "a string"),
            Kind::Sign(sign) => write!(f, "`{}`", sign.text()),
            Kind::LineEnd => write!(f, "the end of the line"),
            Kind::Bad(..) => write!(f, "something unreadable"),
            Kind::End => write!(f, "the end of the text"),
        }
    }
}

/// The words for which [`is_keyword`] says so.
static KEYWORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let all = "active assert atomic bit bool break byte c_code c_decl c_expr c_state c_track \
               D_proctype do chan else empty enabled eval false fi for full get_priority goto \
               hidden if init inline int len local ltl mtype nempty never nfull notrace np_ od of \
               pc_value pid printf printm priority proctype provided return run d_step select \
               set_priority short skip timeout trace true show typedef unless unsigned xr xs";
    all.split(' ').collect()
});

/// Tells whether SPIN keeps a word for itself. `in` is such a word only inside the head of a `for`.
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(word)
}
