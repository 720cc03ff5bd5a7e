//! Making machine code and calling it: the only module with `unsafe` code.
//!
//! # Contracts
//!
//! Code reads and writes memory without checks. It relies on this, which [`Machine::call`] provides:
//!
//! - the state and the message that it is given have as many words and cells as the plan says, and
//!   what it writes to is writable and nobody else's while it runs;
//! - the context has room for as many steps and offers as it says, each as long as the plan says, and
//!   scratch cells for all scratch variables;
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
use crate::emit::{Purpose, write};
use crate::plan::Plan;

/// A function of a [`Machine`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Code(u32);

type Raw = unsafe extern "C" fn(*mut u64, *const i64, *mut Context) -> i64;

/// Machine code, and memory that it works in.
pub(crate) struct Machine {
    /// Only taken when the machine is dropped.
    module: Option<JITModule>,
    functions: Vec<Raw>,
    /// What the steps are called that functions append.
    pub(crate) names: Commands,
    function_context: FunctionBuilderContext,
    code_context: cranelift_codegen::Context,
    /// Words of a state.
    words: usize,
    /// Values of an offer.
    stride: usize,
    cells: usize,
    /// Room for steps: their words and their commands.
    rows: Vec<u64>,
    commands: Vec<u32>,
    /// Room for offers, and for how many.
    offers: Vec<i64>,
    offer_room: usize,
    scratch: Vec<i64>,
    initial_scratch: Vec<i64>,
    /// Points into what is above, and nowhere before [`begin`](Machine::begin).
    context: Context,
}

/// How much has been found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) steps: usize,
    pub(crate) offers: usize,
}

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
        let (words, steps) = (plan.layout.words, 16);
        let initial_scratch = plan.initial_scratch();
        Some(Machine {
            code_context: module.make_context(),
            module: Some(module),
            functions: Vec::new(),
            names: Commands::new(plan),
            function_context: FunctionBuilderContext::new(),
            words,
            stride,
            cells: plan.cells,
            rows: vec![0; steps * words],
            commands: vec![0; steps],
            offers: vec![0; steps * stride],
            offer_room: steps,
            scratch: initial_scratch.clone(),
            initial_scratch,
            context: Context::empty(),
        })
    }

    /// Makes functions; `None` if that fails, for want of memory for instance.
    pub(crate) fn compile(&mut self, plan: &Plan, purposes: &[Purpose<'_>]) -> Option<Vec<Code>> {
        let module = self.module.as_mut()?;
        let mut made = Vec::new();
        for purpose in purposes {
            let code = &mut self.code_context;
            module.clear_context(code);
            code.func.signature.params.extend([AbiParam::new(types::I64); 3]);
            code.func.signature.returns.push(AbiParam::new(types::I64));
            let builder = FunctionBuilder::new(&mut code.func, &mut self.function_context);
            write(builder, plan, &mut self.names, purpose, module.target_config());
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

    /// Forgets what has been found, and sets the value of a timeout.
    pub(crate) fn begin(&mut self, timeout: bool) {
        self.context = Context {
            row: self.rows.as_mut_ptr(),
            command: self.commands.as_mut_ptr(),
            room: self.commands.len().cast_signed() as i64,
            offer: self.offers.as_mut_ptr(),
            offer_room: self.offer_room.cast_signed() as i64,
            scratch: self.scratch.as_mut_ptr(),
            timeout: i64::from(timeout),
        };
    }

    /// How much has been found since [`begin`](Machine::begin).
    pub(crate) fn found(&self) -> Found {
        let left = |room: i64| room.cast_unsigned() as usize;
        Found {
            steps: self.commands.len() - left(self.context.room),
            offers: self.offer_room - left(self.context.offer_room),
        }
    }

    /// Forgets the last steps that have been found, but for so many.
    pub(crate) fn keep(&mut self, steps: usize) {
        self.context.row = self.rows[steps * self.words..].as_mut_ptr();
        self.context.command = self.commands[steps..].as_mut_ptr();
        self.context.room = i64::try_from(self.commands.len() - steps).expect("a length");
    }

    /// Calls a function for a state, which is not changed; what it finds is added to what has been
    /// found since [`begin`](Machine::begin).
    ///
    /// # Panics
    /// If the state has another number of words.
    pub(crate) fn call(&mut self, code: Code, words: &[u64]) -> i64 {
        assert_eq!(words.len(), self.words, "words of a state");
        let function = self.functions[code.0 as usize];
        // SAFETY: the contracts at the top. A function that is called for a state only reads it. The
        // context is as `begin` made it and functions changed it: the buffers have not been touched,
        // since `grow` makes the context empty.
        unsafe { function(words.as_ptr().cast_mut(), std::ptr::null(), &raw mut self.context) }
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
            ..Context::empty()
        };
        let function = self.functions[code.0 as usize];
        // SAFETY: the contracts at the top; such a function appends neither steps nor offers.
        unsafe { function(words.as_mut_ptr(), message.as_ptr(), &raw mut context) }
    }

    /// Makes room for twice as many steps and offers.
    pub(crate) fn grow(&mut self) {
        self.rows.resize(self.rows.len() * 2, 0);
        self.commands.resize(self.commands.len() * 2, 0);
        self.offers.resize(self.offers.len() * 2, 0);
        self.offer_room *= 2;
        self.context = Context::empty();
    }

    /// Gives scratch variables what they hold at the start of an action.
    pub(crate) fn reset_scratch(&mut self) {
        self.scratch.copy_from_slice(&self.initial_scratch);
    }

    /// The steps that have been found.
    pub(crate) fn steps(&self, found: Found) -> (&[u32], &[u64]) {
        (&self.commands[..found.steps], &self.rows[..found.steps * self.words])
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
