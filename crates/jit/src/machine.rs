//! Making machine code and calling it: the only module with `unsafe` code.
//!
//! # Contracts
//!
//! Code reads and writes memory without checks. It relies on this, which the methods of [`Machine`]
//! provide:
//!
//! - the state and the message that it is given have as many words and cells as the plan says. Of the
//!   two it writes to the state only, and only if it is the code of an effect: that state is borrowed
//!   mutably. States that steps are looked for in, and the scratch cells that a proposition is given,
//!   are read only, so that threads may share them;
//! - the context has room for as many steps and offers as it says, each as long as the plan says, and
//!   scratch cells for all scratch variables. Of the room for steps it fills as much as it takes, from
//!   the front. Rows and [`Memory`] are borrowed mutably while it runs, and a memory is used with the
//!   machine that made it only, which is checked;
//! - a function is called only while the [`Machine`] that made it is alive. A [`Code`] is kept beside
//!   its machine, in [`Functions`](crate::functions::Functions), never leaves that, and is called
//!   through that machine.
//!
//! Code never unwinds and calls nothing, so nothing can unwind through it.
//!
//! # Threads
//!
//! Any number of threads call functions at once; one at a time makes them, under a lock that callers do
//! not take.
//!
//! - Code does not change once it has a [`Code`]. It is published through cells that are written once
//!   (`OnceLock`), after it has been written, relocated and made executable, so that a thread that reads the
//!   cell sees all of it.
//! - Making more code leaves that which runs alone. `cranelift-jit` puts what is finalised into
//!   mappings of whole pages that it then neither writes to nor protects anew: finalising closes the
//!   current mapping, and the next function begins another. It is the `SystemMemoryProvider` that does
//!   so, which [`Machine::new`] asks for by name. Where a processor needs it, finalising also makes
//!   other cores forget instructions that they have fetched.
//! - Code is freed when its machine is dropped: that takes the machine, so no thread calls it.
//! - Each call writes to its caller's rows and memory only.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cranelift_codegen::ir::{AbiParam, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITMemoryProvider, JITModule, SystemMemoryProvider};
use cranelift_module::{FuncId, Module, default_libcall_names};

use crate::commands::Commands;
use crate::context::{Context, OFFER_HEAD};
use crate::emit::{Purpose, Status, write};
use crate::rows::Rows;
use fairly_model::native::Stop;
use fairly_model::native::plan::Plan;

/// A function of a [`Machine`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code(Raw);

/// Why there is no function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeError {
    /// It has more instructions than were asked for.
    TooLong,
    /// It cannot be had: for want of memory, for instance, or because it would take too long.
    Never,
}

type Raw = unsafe extern "C" fn(*mut u64, *const i64, *mut Context) -> i64;

/// Machine code, for all threads.
pub(crate) struct Machine {
    maker: Mutex<Maker>,
    stop: Mutex<Stop>,
    /// Names of the steps that functions append.
    pub(crate) commands: Commands,
    /// Words of a state.
    words: usize,
    /// Values of an offer.
    stride: usize,
    cells: usize,
    initial_scratch: Vec<i64>,
    /// Statements that a process may run in a step.
    statements: AtomicI64,
    /// One of its own for each machine, by which it knows its [`Memory`].
    identity: Arc<()>,
}

/// Makes code.
struct Maker {
    /// Only taken when the machine is dropped.
    module: Option<JITModule>,
    /// How many instructions have been written, before they were compiled.
    written: usize,
    function_context: FunctionBuilderContext,
    code_context: cranelift_codegen::Context,
}

/// Memory that code works in: one for each thread that calls it.
pub(crate) struct Memory {
    /// That of the machine.
    identity: Arc<()>,
    /// Room for offers, and for how many.
    offers: Vec<i64>,
    offer_room: usize,
    scratch: Vec<i64>,
    /// How many have been made since [`begin`](Memory::begin).
    offers_made: usize,
    timeout: bool,
    stride: usize,
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

/// Makes a function that has been written executable.
fn define(module: &mut JITModule, code: &mut cranelift_codegen::Context) -> Option<FuncId> {
    let id = module.declare_anonymous_function(&code.func.signature).ok()?;
    module.define_function(id, code).ok()?;
    module.clear_context(code);
    module.finalize_definitions().ok()?;
    Some(id)
}

impl Machine {
    /// Without code; `None` on a machine that no code can be made for.
    pub(crate) fn new(plan: &Plan) -> Option<Machine> {
        Machine::with(plan, Box::new(SystemMemoryProvider::new()))
    }

    /// The same with memory for code from elsewhere, which stays as it is once it is finalised.
    fn with(plan: &Plan, memory: Box<dyn JITMemoryProvider + Send>) -> Option<Machine> {
        let mut flags = settings::builder();
        flags.set("opt_level", "speed").ok()?;
        flags.set("use_colocated_libcalls", "false").ok()?;
        flags.set("is_pic", "false").ok()?;
        flags.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }).ok()?;
        let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        builder.memory_provider(memory);
        let module = JITModule::new(builder);
        let maker = Maker {
            code_context: module.make_context(),
            module: Some(module),
            written: 0,
            function_context: FunctionBuilderContext::new(),
        };
        Some(Machine {
            maker: Mutex::new(maker),
            stop: Mutex::default(),
            commands: Commands::new(plan),
            words: plan.layout.words,
            stride: OFFER_HEAD + plan.cells,
            cells: plan.cells,
            initial_scratch: plan.initial_scratch(),
            statements: AtomicI64::new(i64::try_from(plan.statements).unwrap_or(i64::MAX)),
            identity: Arc::default(),
        })
    }

    /// Memory for a thread to call functions with.
    pub(crate) fn memory(&self) -> Memory {
        let room = 16;
        Memory {
            identity: self.identity.clone(),
            offers: vec![0; room * self.stride],
            offer_room: room,
            scratch: self.initial_scratch.clone(),
            offers_made: 0,
            timeout: false,
            stride: self.stride,
        }
    }

    /// Makes no more functions once it is time to stop.
    pub(crate) fn heed(&self, stop: Stop) {
        *self.stop.lock().unwrap_or_else(PoisonError::into_inner) = stop;
    }

    pub(crate) fn stop(&self) -> Stop {
        *self.stop.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets functions decline where a process runs more statements in a step.
    pub(crate) fn limit_statements(&self, most: u64) {
        self.statements.store(i64::try_from(most).unwrap_or(i64::MAX), Ordering::Relaxed);
    }

    /// Makes a function of so many instructions at most. Others that want to make one wait.
    pub(crate) fn compile(
        &self,
        plan: &Plan,
        purpose: &Purpose<'_>,
        most: usize,
    ) -> Result<Code, CodeError> {
        // If making a function has panicked there is no telling what is left of it.
        let mut maker = self.maker.lock().map_err(|_| CodeError::Never)?;
        if maker.written > INSTRUCTIONS || purpose.edges(plan) > EDGES || self.stop().is_due() {
            return Err(CodeError::Never);
        }
        let Maker { module, written, function_context, code_context: code } = &mut *maker;
        let module = module.as_mut().ok_or(CodeError::Never)?;
        module.clear_context(code);
        code.func.signature.params.extend([AbiParam::new(types::I64); 3]);
        code.func.signature.returns.push(AbiParam::new(types::I64));
        let builder = FunctionBuilder::new(&mut code.func, function_context);
        let most = most.min(LONGEST);
        write(builder, plan, &self.commands, purpose, (module.target_config(), most));
        let instructions = code.func.dfg.num_insts();
        if instructions > most {
            return Err(if most == LONGEST { CodeError::Never } else { CodeError::TooLong });
        }
        *written += instructions;
        let id = define(module, code).ok_or(CodeError::Never)?;
        let address = module.get_finalized_function(id);
        // SAFETY: the code at this address was made with this signature, three addresses and a
        // number of 64 bits in the C convention of this machine; it stays as it is until the module
        // is freed, which is when this value is dropped.
        Ok(Code(unsafe { std::mem::transmute::<*const u8, Raw>(address) }))
    }

    /// Calls a function for a state, which is not changed; the steps that it finds are appended to
    /// `out`, and the offers to those since [`begin`](Memory::begin).
    ///
    /// # Panics
    /// If the state has another number of words, or the memory is that of another machine.
    #[inline]
    pub(crate) fn call(
        &self,
        code: Code,
        words: &[u64],
        memory: &mut Memory,
        out: &mut Rows,
    ) -> i64 {
        assert_eq!(words.len(), self.words, "words of a state");
        let (mut context, room) = self.context(memory, out);
        let offer_room = context.offer_room;
        // SAFETY: the contracts at the top. A function that is called for a state only reads it.
        let status =
            unsafe { (code.0)(words.as_ptr().cast_mut(), std::ptr::null(), &raw mut context) };
        // SAFETY: the function has filled this much of the room, which is not more than there was.
        unsafe { self.take(out, room - context.room.cast_unsigned() as usize) };
        memory.offers_made += (offer_room - context.offer_room).cast_unsigned() as usize;
        status
    }

    /// A context for functions that append steps to `out`, and for how many steps there is room.
    fn context(&self, memory: &mut Memory, out: &mut Rows) -> (Context, usize) {
        assert!(Arc::ptr_eq(&memory.identity, &self.identity), "memory of this machine");
        let Rows { commands, words, .. } = out;
        // There is room for a row for each command that there is room for.
        let is_room = commands.len() * self.words == words.len()
            && commands.capacity() * self.words <= words.capacity();
        let room = if is_room { commands.capacity() - commands.len() } else { 0 };
        let offer_room = memory.offer_room - memory.offers_made;
        let context = Context {
            row: words.spare_capacity_mut().as_mut_ptr().cast(),
            command: commands.spare_capacity_mut().as_mut_ptr().cast(),
            room: room.cast_signed() as i64,
            offer: memory.offers[memory.offers_made * self.stride..].as_mut_ptr(),
            offer_room: offer_room.cast_signed() as i64,
            scratch: memory.scratch.as_mut_ptr(),
            timeout: i64::from(memory.timeout),
            statements: self.statements.load(Ordering::Relaxed),
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
    /// If the states are not whole, or the memory is that of another machine.
    pub(crate) fn call_for_all(
        &self,
        codes: &[Code],
        states: &[u64],
        some: bool,
        memory: &mut Memory,
        out: &mut Rows,
    ) -> usize {
        assert!(states.len().is_multiple_of(self.words), "words of states");
        let before = out.ends.len();
        let first = out.commands.len();
        let (mut context, room) = self.context(memory, out);
        let offer_room = context.offer_room;
        let mut kept = room;
        'states: for words in states.chunks_exact(self.words) {
            for code in codes {
                // SAFETY: as in `call`.
                let status = unsafe {
                    (code.0)(words.as_ptr().cast_mut(), std::ptr::null(), &raw mut context)
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
    /// If the state has another number of words, the message too few cells, or the memory is that of
    /// another machine.
    pub(crate) fn apply(
        &self,
        code: Code,
        words: &mut [u64],
        message: &[i64],
        timeout: bool,
        memory: &mut Memory,
    ) -> i64 {
        assert!(Arc::ptr_eq(&memory.identity, &self.identity), "memory of this machine");
        assert_eq!(words.len(), self.words, "words of a state");
        assert!(message.len() >= self.cells, "cells of a message");
        let mut context = Context {
            scratch: memory.scratch.as_mut_ptr(),
            timeout: i64::from(timeout),
            statements: self.statements.load(Ordering::Relaxed),
            ..Context::empty()
        };
        // SAFETY: the contracts at the top; such a function appends neither steps nor offers.
        unsafe { (code.0)(words.as_mut_ptr(), message.as_ptr(), &raw mut context) }
    }

    /// Calls the function of a proposition.
    ///
    /// # Panics
    /// If the state has another number of words.
    pub(crate) fn ask(&self, code: Code, words: &[u64]) -> i64 {
        assert_eq!(words.len(), self.words, "words of a state");
        let mut context =
            Context { scratch: self.initial_scratch.as_ptr().cast_mut(), ..Context::empty() };
        // SAFETY: the contracts at the top; such a function writes to nothing at all.
        unsafe { (code.0)(words.as_ptr().cast_mut(), std::ptr::null(), &raw mut context) }
    }

    /// Gives scratch variables what they hold at the start of an action.
    pub(crate) fn reset_scratch(&self, memory: &mut Memory) {
        memory.scratch.copy_from_slice(&self.initial_scratch);
    }

    /// Makes room for more of what there was no room for: offers, or steps.
    pub(crate) fn grow(&self, memory: &mut Memory, out: &mut Rows) {
        if memory.offers_made == memory.offer_room {
            memory.offers.resize(memory.offers.len() * 2, 0);
            memory.offer_room *= 2;
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
}

impl Drop for Machine {
    fn drop(&mut self) {
        let maker = self.maker.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = maker.module.take() {
            // SAFETY: no thread calls the code any more: that takes this machine.
            unsafe { module.free_memory() };
        }
    }
}

impl Memory {
    /// Clears offers, and sets the value of a timeout.
    pub(crate) fn begin(&mut self, timeout: bool) {
        self.offers_made = 0;
        self.timeout = timeout;
    }

    /// How many offers have been made since [`begin`](Memory::begin).
    pub(crate) fn offers_made(&self) -> usize {
        self.offers_made
    }

    /// The channel of an offer that has been found, or -1.
    #[inline]
    pub(crate) fn channel(&self, at: usize) -> i64 {
        self.offers[at * self.stride + 1]
    }

    /// The edge of an offer that has been found.
    #[inline]
    pub(crate) fn edge(&self, at: usize) -> u32 {
        self.offers[at * self.stride] as u32
    }

    /// An offer that has been found: the edge, the channel and the message.
    pub(crate) fn offer(&self, at: usize) -> (u32, i64, &[i64]) {
        let offer = &self.offers[at * self.stride..][..self.stride];
        (u32::try_from(offer[0]).expect("an edge"), offer[1], &offer[OFFER_HEAD..])
    }
}

/// A machine that runs out of memory for code.
#[cfg(test)]
pub(crate) mod starved {
    use std::io;

    use cranelift_jit::{BranchProtection, JITMemoryKind};
    use cranelift_module::{ModuleError, ModuleResult};

    use super::*;

    struct Starved {
        inner: SystemMemoryProvider,
        room: usize,
    }

    /// One that gives memory for code so many times, and then fails to get some or to make it executable.
    pub(crate) fn machine(plan: &Plan, room: usize) -> Option<Machine> {
        Machine::with(plan, Box::new(Starved { inner: SystemMemoryProvider::new(), room }))
    }

    impl JITMemoryProvider for Starved {
        fn allocate(
            &mut self,
            size: usize,
            align: u64,
            kind: JITMemoryKind,
        ) -> io::Result<*mut u8> {
            if self.room == 0 {
                return Err(io::ErrorKind::OutOfMemory.into());
            }
            self.room -= 1;
            self.inner.allocate(size, align, kind)
        }

        unsafe fn free_memory(&mut self) {
            // SAFETY: as the caller says.
            unsafe { self.inner.free_memory() };
        }

        fn finalize(&mut self, protection: BranchProtection) -> ModuleResult<()> {
            if self.room == 3 {
                self.room -= 1;
                let err = io::ErrorKind::OutOfMemory.into();
                return Err(ModuleError::Allocation { err });
            }
            self.inner.finalize(protection)
        }
    }
}
