//! Searches on a graphics card.
//!
//! For each model, and each question about it, kernels are written from the plan that machine code is made from, too
//! ([`fairly_model::native::plan`]), and compiled when the question is asked. The states are packed rows as everywhere.
//! Nothing is needed to build this crate; the driver and its compiler are loaded when a card is asked for.
//!
//! | module | subject |
//! |---|---|
//! | `write` | the steps of a model as C |
//! | `source` | the text of a program: tables, steps, and the kernels of `kernels.c` |
//! | `card` | what is asked of a card |
//! | `cuda` | a card by its driver; all `unsafe` code |
//! | `reach` | reachable states, breadth first, and shortest ways |
//! | `product` | property and fairness as tables |
//! | `hull` | the set-based search for fair runs |
//!
//! # What is never wrong
//!
//! Tables hold whole rows, so nothing is lost; a table that cannot grow ends the search without an answer. A row in
//! which something goes wrong, or whose steps cannot be written, is *declined*: the space that defines the steps makes
//! them, and its rows go back to the card. A question that this crate cannot answer is refused with the reason.
//!
//! # The text is C
//!
//! With one thread a block and one block a grid, the kernels are a program for a processor. The tests compile it with
//! the C compiler that is there, and run whole searches with it.

mod card;
mod cuda;
mod hull;
mod product;
mod reach;
mod source;
mod write;

pub use card::{Buffer, Call, Card, CardError};
pub use cuda::{Cuda, open};
pub use hull::{Hull, fair_run_exists};
pub use product::Question;
pub use reach::{Ended, Found, IsWrong, Limits, Reached, Sought, reach};

/// Why a question is not answered on a card.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    reason: String,
}

impl Refusal {
    /// For a reason, which goes on from "the model cannot be searched on a card:".
    pub fn new(reason: impl Into<String>) -> Refusal {
        Refusal { reason: reason.into() }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// The question cannot be answered on a card.
    #[error("the model cannot be searched on a card: {0}")]
    Refused(#[from] Refusal),
    /// The card failed, or there is none.
    #[error(transparent)]
    Card(#[from] CardError),
}
