//! Making machine code and calling it: the only module with `unsafe` code.
//!
//! # Contracts
//!
//! Code reads and writes memory without checks. It relies on this, which [`Machine::call`] provides:
//!
//! - the state and the message that it is given have as many words and cells as the plan says, and
//!   what it writes to is writable and nobody else's while it runs;
//! - the context has room for as many steps and offers as it says, each as long as the plan says, and
//!   scratch cells for all scratch variables. Of the room for steps it fills as much as it takes, from
//!   the front;
//! - a function is called only while the [`Machine`] that made it is alive. Functions are numbers
//!   ([`Code`]) that mean something to their machine only, so they cannot outlive it.
//!
//! Code never unwinds and calls nothing, so nothing can unwind through it.
#![allow(unsafe_code)]

use cranelift_codegen::ir::{AbiParam, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};

use crate::commands::Commands;
use crate::context::{Context, OFFER_HEAD};
use crate::emit::{Purpose, Status, write};
use crate::plan::Plan;
use fairly_model::native::{Rows, Stop};

/// A function of a [`Machine`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Code(u32);

type Raw = unsafe extern "C" fn(*mut u64, *const i64, *mut Context) -> i64;

/// Machine code, and memory that it works in.
pub(crate) struct Machine {
    /// Only taken when the machine is dropped.
    module: Option<JITModule>,
    functions: Vec<Raw>,
    /// How many instructions have been written, before they were compiled.
    written: usize,
    stop: Stop,
    /// What the steps are called that functions append.
    pub(crate) names: Commands,
    function_context: FunctionBuilderContext,
    code_context: cranelift_codegen::Context,
    /// Words of a state.
    words: usize,
    /// Values of an offer.
    stride: usize,
    cells: usize,
    /// Room for offers, and for how many.
    offers: Vec<i64>,
    offer_room: usize,
    scratch: Vec<i64>,
    initial_scratch: Vec<i64>,
    /// How many have been made since [`begin`](Machine::begin).
    offers_made: usize,
    timeout: bool,
    /// Statements that a process may run in a step.
    pub(crate) statements: i64,
}

/// Functions with more edges, or more instructions, are not made, nor any more once there are so many
/// instructions in all: the interpreter goes on without.
const EDGES: usize = 2000;
const LONGEST: usize = 150_000;
const INSTRUCTIONS: usize = 3_000_000;

/// Whether code can be made for this machine.
pub(crate) fn is_available() -> bool {
    cranelift_native::builder().is_ok()
}

impl Machine {
    /// Without code; `None` on a machine that no code can be made for.
    pub(crate) fn new(plan: &Plan) -> Option<Machine> {
        let mut flags = settings::builder();
        flags.set("opt_level", "speed").ok()?;
        flags.set("use_colocated_libcalls", "false").ok()?;
        flags.set("is_pic", "false").ok()?;
        flags.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }).ok()?;
        let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        let module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let stride = OFFER_HEAD + plan.cells;
        let (words, offers) = (plan.layout.words, 16);
        let initial_scratch = plan.initial_scratch();
        Some(Machine {
            code_context: module.make_context(),
            module: Some(module),
            functions: Vec::new(),
            written: 0,
            stop: Stop::default(),
            names: Commands::new(plan),
            function_context: FunctionBuilderContext::new(),
            words,
            stride,
            cells: plan.cells,
            offers: vec![0; offers * stride],
            offer_room: offers,
            scratch: initial_scratch.clone(),
            initial_scratch,
            offers_made: 0,
            timeout: false,
            statements: i64::try_from(plan.statements).unwrap_or(i64::MAX),
        })
    }

    /// Makes no more functions once it is time to stop.
    pub(crate) fn heed(&mut self, stop: Stop) {
        self.stop = stop;
    }

    pub(crate) fn stop(&self) -> Stop {
        self.stop
    }

    /// Makes functions; `None` if that fails, for want of memory for instance, or would take too long.
    pub(crate) fn compile(&mut self, plan: &Plan, purposes: &[Purpose<'_>]) -> Option<Vec<Code>> {
        if self.written > INSTRUCTIONS || self.stop.is_due() {
            return None;
        }
        let module = self.module.as_mut()?;
        let mut made = Vec::new();
        for purpose in purposes {
            if purpose.edges(plan) > EDGES {
                return None;
            }
            let code = &mut self.code_context;
            module.clear_context(code);
            code.func.signature.params.extend([AbiParam::new(types::I64); 3]);
            code.func.signature.returns.push(AbiParam::new(types::I64));
            let builder = FunctionBuilder::new(&mut code.func, &mut self.function_context);
            write(builder, plan, &mut self.names, purpose, module.target_config());
            let instructions = code.func.dfg.num_insts();
            self.written += instructions;
            if instructions > LONGEST {
                return None;
            }
            let signature = &code.func.signature;
            let id = module.declare_anonymous_function(signature).ok()?;
            module.define_function(id, code).ok()?;
            made.push(id);
        }
        module.clear_context(&mut self.code_context);
        module.finalize_definitions().ok()?;
        let mut codes = Vec::new();
        for id in made {
            let address = module.get_finalized_function(id);
            // SAFETY: the code at this address was made with this signature, three addresses and a
            // number of 64 bits in the C convention of this machine; it stays until the module is
            // freed, which is when this value is dropped.
            let raw = unsafe { std::mem::transmute::<*const u8, Raw>(address) };
            codes.push(Code(u32::try_from(self.functions.len()).ok()?));
            self.functions.push(raw);
        }
        Some(codes)
    }

    /// Forgets offers, and sets the value of a timeout.
    pub(crate) fn begin(&mut self, timeout: bool) {
        self.offers_made = 0;
        self.timeout = timeout;
    }

    /// How many offers have been made since [`begin`](Machine::begin).
    pub(crate) fn offers_made(&self) -> usize {
        self.offers_made
    }

    /// Calls a function for a state, which is not changed; the steps that it finds are appended to
    /// `out`, and the offers to those since [`begin`](Machine::begin).
    ///
    /// # Panics
    /// If the state has another number of words.
    #[inline]
    pub(crate) fn call(&mut self, code: Code, words: &[u64], out: &mut Rows) -> i64 {
        assert_eq!(words.len(), self.words, "words of a state");
        let (mut context, room) = self.context(out);
        let offer_room = context.offer_room;
        let function = self.functions[code.0 as usize];
        // SAFETY: the contracts at the top. A function that is called for a state only reads it.
        let status =
            unsafe { function(words.as_ptr().cast_mut(), std::ptr::null(), &raw mut context) };
        // SAFETY: the function has filled this much of the room, which is not more than there was.
        unsafe { self.take(out, room - context.room.cast_unsigned() as usize) };
        self.offers_made += (offer_room - context.offer_room).cast_unsigned() as usize;
        status
    }

    /// A context for functions that append steps to `out`, and for how many steps there is room.
    fn context(&mut self, out: &mut Rows) -> (Context, usize) {
        let Rows { commands, words, .. } = out;
        // There is room for a row for each command that there is room for.
        let is_room = commands.len() * self.words == words.len()
            && commands.capacity() * self.words <= words.capacity();
        let room = if is_room { commands.capacity() - commands.len() } else { 0 };
        let offer_room = self.offer_room - self.offers_made;
        let context = Context {
            row: words.spare_capacity_mut().as_mut_ptr().cast(),
            command: commands.spare_capacity_mut().as_mut_ptr().cast(),
            room: room.cast_signed() as i64,
            offer: self.offers[self.offers_made * self.stride..].as_mut_ptr(),
            offer_room: offer_room.cast_signed() as i64,
            scratch: self.scratch.as_mut_ptr(),
            timeout: i64::from(self.timeout),
            statements: self.statements,
        };
        (context, room)
    }

    /// Counts steps that functions have appended.
    ///
    /// # Safety
    /// They have filled the room for so many, which was there.
    unsafe fn take(&self, out: &mut Rows, steps: usize) {
        // SAFETY: as the caller says.
        unsafe {
            out.commands.set_len(out.commands.len() + steps);
            out.words.set_len(out.words.len() + steps * self.words);
        }
    }

    /// Calls functions for one state after the other, as [`call`](Machine::call) does, and appends where
    /// the steps of each end; how many states. Stops before one that a function is not done with or makes
    /// an offer in, and if `some` before one that has no steps: of that one nothing is appended.
    ///
    /// # Panics
    /// If the states are not whole.
    pub(crate) fn call_for_all(
        &mut self,
        codes: &[Code],
        states: &[u64],
        some: bool,
        out: &mut Rows,
    ) -> usize {
        assert!(states.len().is_multiple_of(self.words), "words of states");
        let before = out.ends.len();
        let first = out.commands.len();
        let (mut context, room) = self.context(out);
        let offer_room = context.offer_room;
        let mut kept = room;
        'states: for words in states.chunks_exact(self.words) {
            for code in codes {
                let function = self.functions[code.0 as usize];
                // SAFETY: as in `call`.
                let status = unsafe {
                    function(words.as_ptr().cast_mut(), std::ptr::null(), &raw mut context)
                };
                if status != Status::DONE {
                    break 'states;
                }
            }
            let left = context.room.cast_unsigned() as usize;
            if context.offer_room != offer_room || some && left == kept {
                break;
            }
            kept = left;
            out.ends.push(first + room - kept);
        }
        // SAFETY: functions have filled at least this much of the room.
        unsafe { self.take(out, room - kept) };
        out.ends.len() - before
    }

    /// Calls a function that changes a state, or asks about it, with a message that is received.
    ///
    /// # Panics
    /// If the state has another number of words, or the message too few cells.
    pub(crate) fn apply(
        &mut self,
        code: Code,
        words: &mut [u64],
        message: &[i64],
        timeout: bool,
    ) -> i64 {
        assert_eq!(words.len(), self.words, "words of a state");
        assert!(message.len() >= self.cells, "cells of a message");
        let mut context = Context {
            scratch: self.scratch.as_mut_ptr(),
            timeout: i64::from(timeout),
            statements: self.statements,
            ..Context::empty()
        };
        let function = self.functions[code.0 as usize];
        // SAFETY: the contracts at the top; such a function appends neither steps nor offers.
        unsafe { function(words.as_mut_ptr(), message.as_ptr(), &raw mut context) }
    }

    /// Makes room for more of what there was no room for: offers, or steps.
    pub(crate) fn grow(&mut self, out: &mut Rows) {
        if self.offers_made == self.offer_room {
            self.offers.resize(self.offers.len() * 2, 0);
            self.offer_room *= 2;
            return;
        }
        // The two lists may come from different places.
        let wanted = out.commands.capacity() * self.words;
        if wanted > out.words.capacity() {
            return out.words.reserve(wanted - out.words.len());
        }
        // More than there is room for now, however much of that is used.
        out.commands.reserve(2 * out.commands.capacity().max(8));
        out.words.reserve(out.commands.capacity() * self.words - out.words.len());
    }

    /// Gives scratch variables what they hold at the start of an action.
    pub(crate) fn reset_scratch(&mut self) {
        self.scratch.copy_from_slice(&self.initial_scratch);
    }

    /// The channel of an offer that has been found, or -1.
    #[inline]
    pub(crate) fn channel(&self, at: usize) -> i64 {
        self.offers[at * self.stride + 1]
    }

    /// An offer that has been found: the edge, the channel and the message.
    pub(crate) fn offer(&self, at: usize) -> (u32, i64, &[i64]) {
        let offer = &self.offers[at * self.stride..][..self.stride];
        (u32::try_from(offer[0]).expect("an edge"), offer[1], &offer[OFFER_HEAD..])
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.functions.clear();
        if let Some(module) = self.module.take() {
            // SAFETY: nobody calls the code any more: only this value knows the addresses.
            unsafe { module.free_memory() };
        }
    }
}
