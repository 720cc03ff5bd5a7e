//! Writing the code of one function.
//!
//! Faults and omissions end in one block, `decline`: the function then returns [`Status::DECLINED`], and the
//! interpreter makes the steps of that state. So an operation that is not supported is a jump there, and
//! nothing has to be known about it before.

mod channel;
mod constants;
mod effect;
mod expression;
mod functions;
mod place;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::FunctionBuilder;

pub(crate) use self::functions::{Purpose, write};
use crate::commands::Commands;
use fairly_model::native::plan::Plan;

/// Results of functions.
pub(crate) struct Status;

impl Status {
    /// Everything has been done; of a question: no.
    pub(crate) const DONE: i64 = 0;
    /// Of a question: yes.
    pub(crate) const YES: i64 = 1;
    /// It is left to the interpreter.
    pub(crate) const DECLINED: i64 = 2;
    /// There is no room for what was found.
    pub(crate) const FULL: i64 = 3;
    /// Of a question: only if another process joins in.
    pub(crate) const TOGETHER: i64 = 4;
}

/// A value with what is known of it before it is computed.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub(crate) value: Value,
    pub(crate) low: i64,
    pub(crate) high: i64,
}

/// The code of one function.
pub(crate) struct Emitter<'a> {
    pub(crate) builder: FunctionBuilder<'a>,
    pub(crate) plan: &'a Plan,
    commands: &'a Commands,
    /// The address of the packed state that is read and written.
    words: Value,
    /// The address of the context.
    context: Value,
    /// The slot and the variant of the process that evaluates, if one does.
    own: Option<(usize, usize)>,
    /// The cells of the message that is received.
    received: Vec<Known>,
    decline: Block,
    /// Where to go on after a process, if another one follows.
    then: Option<Block>,
    /// Known values of variables, within an effect.
    constants: Option<constants::Constants>,
    /// Statements written in this effect.
    written_out: usize,
    /// Statements that an action has run, if it has loops.
    statements: Option<cranelift_frontend::Variable>,
    /// Instructions that the function may have.
    most: usize,
}

impl Emitter<'_> {
    fn number(&mut self, value: i64) -> Known {
        let low = value;
        Known { value: self.builder.ins().iconst(types::I64, value), low, high: value }
    }

    /// Goes on in a block that is only entered if the condition holds; otherwise in `otherwise`.
    fn require(&mut self, condition: Value, otherwise: Block) {
        let next = self.builder.create_block();
        self.builder.ins().brif(condition, next, &[], otherwise, &[]);
        self.builder.seal_block(next);
        self.builder.switch_to_block(next);
    }

    /// Declines unless the condition holds.
    fn insist(&mut self, condition: Value) {
        self.require(condition, self.decline);
    }

    /// Declines unless `low <= value <= high`, as far as that is not known.
    fn insist_within(&mut self, known: Known, low: i64, high: i64) -> Known {
        if known.low < low {
            let holds = self.compare_to(IntCC::SignedGreaterThanOrEqual, known.value, low);
            self.insist(holds);
        }
        if known.high > high {
            let holds = self.compare_to(IntCC::SignedLessThanOrEqual, known.value, high);
            self.insist(holds);
        }
        Known { value: known.value, low: known.low.max(low), high: known.high.min(high) }
    }

    fn compare_to(&mut self, condition: IntCC, value: Value, number: i64) -> Value {
        let number = self.number(number).value;
        self.builder.ins().icmp(condition, value, number)
    }

    /// Declines in any case. What is written after it is never reached.
    fn give_up(&mut self) {
        self.builder.ins().jump(self.decline, &[]);
        let dead = self.builder.create_block();
        self.builder.seal_block(dead);
        self.builder.switch_to_block(dead);
    }

    fn load(&mut self, address: Value, offset: usize) -> Value {
        let offset = i32::try_from(offset).expect("a context or state of less than 2 GiB");
        self.builder.ins().load(types::I64, flags(), address, offset)
    }

    fn store(&mut self, value: Value, address: Value, offset: usize) {
        let offset = i32::try_from(offset).expect("a context or state of less than 2 GiB");
        self.builder.ins().store(flags(), value, address, offset);
    }

    fn and_bits(&mut self, value: Value, bits: u64) -> Value {
        let bits = self.number(bits.cast_signed()).value;
        self.builder.ins().band(value, bits)
    }

    fn add_number(&mut self, value: Value, number: i64) -> Value {
        if number == 0 {
            return value;
        }
        let number = self.number(number).value;
        self.builder.ins().iadd(value, number)
    }

    fn times(&mut self, value: Value, number: i64) -> Value {
        let number = self.number(number).value;
        self.builder.ins().imul(value, number)
    }

    fn finish(&mut self, status: i64) {
        let status = self.number(status).value;
        self.builder.ins().return_(&[status]);
    }
}

/// Addresses are aligned, and never bad: see [`crate::machine`].
fn flags() -> MemFlagsData {
    MemFlagsData::trusted()
}
