//! Native code in place of interpretation.

pub mod plan;

use std::sync::Arc;

pub use fairly_omega::Stop;
pub use fairly_system::MOST_AT_ONCE;
use fairly_system::Sequences;

use crate::interpreter::ModelSpace;

/// One process's part in an action: an edge that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    /// The slot.
    pub slot: u32,
    /// The position of its template among the slot's variants.
    pub variant: u32,
    /// Where it is.
    pub location: u32,
    /// Which edge out of there.
    pub edge: u32,
}

/// A space with the rows of a [`ModelSpace`] whose steps native code makes.
pub trait Native: Sequences {
    /// Makes no more code once it is time to stop: the interpreter makes steps instead.
    fn heed(&self, stop: Stop);

    /// Makes the code that every state needs now, rather than when it is worth it.
    fn prepare(&self);

    /// How many rows the code has declined, and how many it has made the steps of.
    fn counts(&self) -> (u64, u64);
}

/// Makes native code for a model, if there can be any.
pub type Compile = Arc<dyn Fn(&Arc<ModelSpace>) -> Option<Arc<dyn Native>> + Send + Sync>;
