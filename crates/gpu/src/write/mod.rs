//! Writes the steps of a model as text that is C for a processor and CUDA C for a card.
//!
//! What is written reads a packed state `w` and makes packed states `d`. Each *region* tries one thing: the n-th edge
//! of a process at its location, or a combination of edges of several processes. It ends in `EMIT(ok, act)`, a macro
//! of whoever uses the text, so that all threads of a card come together again before a state is looked up. What
//! goes wrong, and what cannot be written, ends in `DECLINE`: the row is then left to the interpreter.
//!
//! | module | subject |
//! |---|---|
//! | `steps` | the regions of all processes, and of those that act together |
//! | `effect` | what an edge does to a state |
//! | `expression` | values, with what is known of their ranges |
//! | `place` | elements of a packed state |
//! | `channel` | messages |
//!
//! The order of evaluation, and what declines, are those of machine code (`fairly_jit`).

mod channel;
mod effect;
mod expression;
mod place;
mod steps;

use std::fmt::Write;

use fairly_model::native::plan::Plan;

pub(crate) use self::steps::{Steps, proposition, write};

/// A value with what is known of it before it is computed.
#[derive(Clone, Debug)]
struct Known {
    text: String,
    low: i64,
    high: i64,
}

/// The text of one region while it is written.
struct Writer<'a> {
    plan: &'a Plan,
    out: String,
    temporaries: usize,
    /// The slot and the variant of the process that evaluates, if one does.
    own: Option<(usize, usize)>,
    /// The cells of the message that is received.
    received: Vec<Known>,
    /// The state that is read and written: `w` or `d`.
    words: &'static str,
    /// The label behind the region.
    label: usize,
    /// How often something declines in what has been written.
    declines: usize,
    /// Whether a loop has been written that counts its rounds.
    loops: usize,
}

/// A number as C has it.
fn number(value: i64) -> String {
    match value {
        i64::MIN => "(-9223372036854775807LL-1)".to_owned(),
        0..=0x7fff_ffff => value.to_string(),
        _ => format!("({value}LL)"),
    }
}

/// A mask as C has it.
fn bits(value: u64) -> String {
    format!("0x{value:x}ULL")
}

impl<'a> Writer<'a> {
    fn new(plan: &'a Plan, label: usize) -> Writer<'a> {
        Writer {
            plan,
            out: String::new(),
            temporaries: 0,
            own: None,
            received: Vec::new(),
            words: "w",
            label,
            declines: 0,
            loops: 0,
        }
    }

    fn line(&mut self, text: impl AsRef<str>) {
        self.out.push_str(text.as_ref());
        self.out.push('\n');
    }

    fn number(value: i64) -> Known {
        Known { text: number(value), low: value, high: value }
    }

    /// A name that is new in the region.
    fn fresh(&mut self) -> String {
        self.temporaries += 1;
        format!("t{}", self.temporaries)
    }

    /// Names a value.
    fn named(&mut self, text: &str, low: i64, high: i64) -> Known {
        let name = self.fresh();
        let _ = writeln!(self.out, "const i64 {name} = {text};");
        Known { text: name, low, high }
    }

    /// Names a truth value.
    fn truth(&mut self, text: &str) -> String {
        let name = self.fresh();
        let _ = writeln!(self.out, "const int {name} = {text};");
        name
    }

    /// Leaves the row to the interpreter unless the condition holds.
    fn insist(&mut self, condition: &str) {
        self.declines += 1;
        let label = self.label;
        let _ = writeln!(self.out, "if (!({condition})) DECLINE({label});");
    }

    /// Leaves the region unless the condition holds.
    fn require(&mut self, condition: &str) {
        let label = self.label;
        let _ = writeln!(self.out, "if (!({condition})) goto out{label};");
    }

    /// Leaves the row to the interpreter.
    fn give_up(&mut self) {
        self.declines += 1;
        let label = self.label;
        let _ = writeln!(self.out, "DECLINE({label});");
    }

    /// Leaves the row to the interpreter unless `low <= value <= high`, as far as that is not known.
    fn insist_within(&mut self, known: Known, low: i64, high: i64) -> Known {
        if known.low < low {
            self.insist(&format!("{} >= {}", known.text, number(low)));
        }
        if known.high > high {
            self.insist(&format!("{} <= {}", known.text, number(high)));
        }
        Known { text: known.text, low: known.low.max(low), high: known.high.min(high) }
    }

    /// Stands for a value where the row is left to the interpreter.
    fn unknown(&mut self) -> Known {
        self.give_up();
        Known { text: "0".to_owned(), low: i64::MIN, high: i64::MAX }
    }

    /// What `work` writes, apart, and whether something in it declines.
    fn apart<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (String, T, bool) {
        let before = std::mem::take(&mut self.out);
        let declines = self.declines;
        let result = work(self);
        let written = std::mem::replace(&mut self.out, before);
        (written, result, self.declines > declines)
    }
}
