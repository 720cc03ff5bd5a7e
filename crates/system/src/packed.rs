//! Systems whose states are rows of words, for searches that do not keep every state.

use fairly_omega::StateId;

use crate::space::Steps;
use crate::transition_system::{AtomIndex, Fault, TransitionSystem};

/// A system with one initial state whose states are rows of words, equal exactly if their words are.
///
/// Questions about rows give no state a number and store none: a search that keeps less than the states goes
/// from row to row, and has only those numbered that it has something to say about.
pub trait Packed: TransitionSystem {
    /// Words of a row; at least one.
    fn width(&self) -> usize;

    /// The row of the initial state.
    ///
    /// # Errors
    /// When something goes wrong before there is one.
    fn first_row(&mut self) -> Result<Vec<u64>, Fault>;

    /// Makes `out` the steps out of a row that was met: those that are
    /// [enabled](TransitionSystem::enabled).
    fn expand_row(&mut self, row: &[u64], out: &mut Steps);

    /// Whether a proposition holds in the state with a row.
    fn row_holds(&mut self, row: &[u64], atom: AtomIndex) -> bool;

    /// The number of the state with a row, which has one from now on.
    fn number(&mut self, row: &[u64]) -> StateId;
}
