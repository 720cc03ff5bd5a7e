//! How the steps of models are made.

use fairly_model::{Collapsed, Interpreter};

/// How the steps of models are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Execution {
    /// By machine code, as far as there is any for this machine and the model; the interpreter makes
    /// those that it declines.
    #[default]
    Native,
    /// By the reference interpreter alone.
    Interpreted,
}

/// The system of a model.
pub(crate) fn system(mut interpreter: Interpreter, execution: Execution) -> Collapsed {
    if execution == Execution::Native {
        fairly_jit::accelerate_sequences(&mut interpreter);
    }
    Collapsed::new(interpreter)
}
