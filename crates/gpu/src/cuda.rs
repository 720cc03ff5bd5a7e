//! A card by the driver of its maker. All `unsafe` code of this crate is here.
//!
//! # What the `unsafe` code relies on
//!
//! - A kernel is called with one argument, a [`Params`], whose layout is that of `Params` in `kernels.c`.
//! - Its addresses are those of buffers that are there until [`Card::free`], which nobody calls while a kernel runs:
//!   every call waits for the kernel to end.
//! - Kernels keep within their buffers: they are given how many rows, slots and reports there is room for.
#![allow(unsafe_code)]

use std::collections::HashMap;
use std::sync::Arc;

use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, DeviceRepr, DriverError,
    LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::{CompileOptions, compile_ptx_with_opts};

use crate::card::{Buffer, Call, Card, CardError};
use crate::source::BLOCK;

/// A card of NVIDIA.
pub struct Cuda {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    functions: HashMap<&'static str, CudaFunction>,
    buffers: Vec<Option<CudaSlice<u64>>>,
    blocks: u32,
}

/// As in `kernels.c`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Params {
    buffers: [u64; 10],
    numbers: [u64; 8],
}

// SAFETY: it is plain words, laid out as C has them.
unsafe impl DeviceRepr for Params {}

fn failed(error: DriverError) -> CardError {
    CardError::Failed(error.to_string())
}

/// The first card.
///
/// # Errors
/// With [`CardError::Missing`] if there is no driver, no compiler for kernels or no card.
pub fn open() -> Result<Cuda, CardError> {
    // SAFETY: libraries of these names are those of the driver and the compiler, and are only looked for.
    let (driver, compiler) = unsafe {
        (cudarc::driver::sys::is_culib_present(), cudarc::nvrtc::sys::is_culib_present())
    };
    if !driver {
        return Err(CardError::Missing("no driver for CUDA is installed".to_owned()));
    }
    if !compiler {
        return Err(CardError::Missing(
            "the library NVRTC, which compiles kernels, is not installed".to_owned(),
        ));
    }
    let missing = |error: DriverError| CardError::Missing(error.to_string());
    let context = CudaContext::new(0).map_err(missing)?;
    let (major, minor) = context.compute_capability().map_err(missing)?;
    if major < 7 {
        return Err(CardError::Missing(format!(
            "it has compute capability {major}.{minor}, and 7.0 is needed"
        )));
    }
    let stream = context.default_stream();
    let attribute =
        cudarc::driver::sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
    let processors = context.attribute(attribute).map_err(missing)?;
    let blocks = u32::try_from(processors).unwrap_or(1) * 8;
    Ok(Cuda { context, stream, functions: HashMap::new(), buffers: Vec::new(), blocks })
}

impl Cuda {
    fn slice(&self, buffer: Buffer) -> &CudaSlice<u64> {
        self.buffers[buffer.0].as_ref().expect("a buffer that has not been freed")
    }

    fn slice_mut(&mut self, buffer: Buffer) -> &mut CudaSlice<u64> {
        self.buffers[buffer.0].as_mut().expect("a buffer that has not been freed")
    }
}

/// A length or position in the memory of a card.
fn whole(number: u64) -> usize {
    usize::try_from(number).expect("addresses have 64 bits")
}

impl Card for Cuda {
    fn name(&self) -> String {
        self.context.name().unwrap_or_else(|_| "a graphics card".to_owned())
    }

    fn free_bytes(&mut self) -> u64 {
        self.context.mem_get_info().map_or(0, |(free, _)| free as u64)
    }

    fn compile(&mut self, text: &str, kernels: &[&'static str]) -> Result<(), CardError> {
        let (major, minor) = self.context.compute_capability().map_err(failed)?;
        let options = CompileOptions {
            options: vec![
                format!("--gpu-architecture=compute_{major}{minor}"),
                "--std=c++17".to_owned(),
            ],
            ..CompileOptions::default()
        };
        let compiled = compile_ptx_with_opts(text, options)
            .map_err(|error| CardError::Failed(format!("a kernel does not compile: {error}")))?;
        let module = self.context.load_module(compiled).map_err(failed)?;
        for &kernel in kernels {
            let function = module.load_function(kernel).map_err(failed)?;
            self.functions.insert(kernel, function);
        }
        Ok(())
    }

    fn allocate(&mut self, words: u64) -> Result<Buffer, CardError> {
        let slice = self.stream.alloc_zeros::<u64>(whole(words.max(1)));
        let slice = slice.map_err(|_| CardError::Memory(words * 8))?;
        self.buffers.push(Some(slice));
        Ok(Buffer(self.buffers.len() - 1))
    }

    fn free(&mut self, buffer: Buffer) {
        self.buffers[buffer.0] = None;
    }

    fn zero(&mut self, buffer: Buffer) -> Result<(), CardError> {
        let stream = Arc::clone(&self.stream);
        stream.memset_zeros(self.slice_mut(buffer)).map_err(failed)
    }

    fn copy(&mut self, from: Buffer, to: Buffer, words: u64) -> Result<(), CardError> {
        if words == 0 {
            return Ok(());
        }
        let mut target = self.buffers[to.0].take().expect("a buffer that has not been freed");
        let source = self.slice(from).slice(..whole(words));
        let copied = self.stream.memcpy_dtod(&source, &mut target);
        self.buffers[to.0] = Some(target);
        copied.map_err(failed)
    }

    fn write(&mut self, buffer: Buffer, at: u64, words: &[u64]) -> Result<(), CardError> {
        if words.is_empty() {
            return Ok(());
        }
        let stream = Arc::clone(&self.stream);
        let (first, end) = (whole(at), whole(at) + words.len());
        let mut target = self.slice_mut(buffer).slice_mut(first..end);
        stream.memcpy_htod(words, &mut target).map_err(failed)?;
        stream.synchronize().map_err(failed)
    }

    fn read(&mut self, buffer: Buffer, at: u64, words: &mut [u64]) -> Result<(), CardError> {
        if words.is_empty() {
            return Ok(());
        }
        let source = self.slice(buffer).slice(whole(at)..whole(at) + words.len());
        self.stream.memcpy_dtoh(&source, words).map_err(failed)?;
        self.stream.synchronize().map_err(failed)
    }

    fn launch(&mut self, kernel: &'static str, items: u64, call: &Call) -> Result<(), CardError> {
        let address = |buffer: Option<Buffer>| match buffer {
            Some(buffer) => self.slice(buffer).device_ptr(&self.stream).0,
            None => 0,
        };
        let params = Params { buffers: call.buffers.map(address), numbers: call.numbers };
        let blocks = items.div_ceil(u64::from(BLOCK)).clamp(1, self.blocks.into());
        let config = LaunchConfig {
            grid_dim: (u32::try_from(blocks).expect("few blocks"), 1, 1),
            block_dim: (BLOCK, 1, 1),
            shared_mem_bytes: 0,
        };
        let function = self.functions.get(kernel).expect("a kernel that has been compiled");
        let mut launch = self.stream.launch_builder(function);
        launch.arg(&params);
        // SAFETY: the kernel takes one `Params`, and keeps within its buffers: see the module.
        unsafe { launch.launch(config) }.map_err(failed)?;
        self.stream.synchronize().map_err(failed)
    }
}
