//! How the steps of models are made.

#[cfg(feature = "jit")]
use fairly_jit::{NativeSpace, Settings};
use fairly_model::ModelSpace;
pub use fairly_reduce::ModelSystem;

/// How the steps of models are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Execution {
    /// By the interpreter at first, then by machine code where enough states have been met that making it
    /// is worth it.
    #[default]
    Tiered,
    /// By machine code, as far as there is any for this machine and the model; the interpreter makes
    /// those that it declines.
    Native,
    /// By the reference interpreter alone.
    Interpreted,
}

impl Execution {
    /// Remark where native code cannot be had, by whether the machine has a compiler for it.
    fn remark(self, is_available: bool) -> Option<&'static str> {
        (self != Execution::Interpreted && !is_available)
            .then_some("no machine code can be made on this machine, so models are interpreted")
    }

    /// Remark where native code cannot be had on this machine.
    pub fn shortfall(self) -> Option<&'static str> {
        self.remark(is_available())
    }
}

/// Whether native code can be made on this machine, by a program that was built with the compiler.
#[cfg(feature = "jit")]
fn is_available() -> bool {
    fairly_jit::is_available()
}

#[cfg(not(feature = "jit"))]
fn is_available() -> bool {
    false
}

/// The system of a model.
#[cfg(feature = "jit")]
pub(crate) fn system(model: ModelSpace, execution: Execution) -> ModelSystem {
    let settings = match execution {
        Execution::Tiered => Some(Settings::default()),
        Execution::Native => Some(Settings::EAGER),
        Execution::Interpreted => None,
    };
    let compile =
        settings.map(|settings| NativeSpace::compile(Settings { sequences: true, ..settings }));
    ModelSystem::new(model, compile)
}

/// The system of a model, which is interpreted.
#[cfg(not(feature = "jit"))]
pub(crate) fn system(model: ModelSpace, _: Execution) -> ModelSystem {
    ModelSystem::new(model, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_code_is_spoken_of() {
        for execution in [Execution::Tiered, Execution::Native] {
            assert!(execution.remark(false).is_some());
            assert_eq!(execution.remark(true), None);
        }
        // It was not asked for.
        assert_eq!(Execution::Interpreted.remark(false), None);
        assert_eq!(Execution::Interpreted.shortfall(), None);
    }
}
