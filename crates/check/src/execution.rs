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

impl Execution {
    /// What to say where it cannot be had: of a machine that code can be made for, or cannot.
    fn remark(self, is_available: bool) -> Option<&'static str> {
        (self == Execution::Native && !is_available)
            .then_some("no machine code can be made on this machine, so models are interpreted")
    }

    /// What to say where it cannot be had on this machine.
    pub fn shortfall(self) -> Option<&'static str> {
        self.remark(fairly_jit::is_available())
    }
}

/// The system of a model.
pub(crate) fn system(mut interpreter: Interpreter, execution: Execution) -> Collapsed {
    if execution == Execution::Native {
        fairly_jit::accelerate_sequences(&mut interpreter);
    }
    Collapsed::new(interpreter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_code_is_spoken_of() {
        assert!(Execution::Native.remark(false).is_some());
        assert_eq!(Execution::Native.remark(true), None);
        // Nobody asked for it.
        assert_eq!(Execution::Interpreted.remark(false), None);
        assert_eq!(Execution::Interpreted.shortfall(), None);
    }
}
