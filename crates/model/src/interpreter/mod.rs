//! The reference interpreter: [`ModelSpace`] says what a model means.
//!
//! The steps of a state are worked out in this order, one file each: [`offers`] finds offers of single
//! processes, [`join`] joint actions, as far as ranks and atomicity allow, [`step`] the effect of each action.

mod atoms;
mod blocked;
mod growth;
mod join;
mod names;
mod offers;
mod program;
mod show;
mod space;
mod step;

use self::join::Joints;
use self::offers::Offers;
pub(crate) use self::program::Program;
pub use self::space::ModelSpace;
use crate::eval::View;

/// Whether the process in a slot has an enabled edge; atomic locations make no difference.
pub(crate) fn executable(view: &View<'_>, slot: usize) -> bool {
    let (mut offers, mut joints) = (Offers::default(), Joints::default());
    let View { program, cells, timeout, .. } = *view;
    offers.collect(program, cells, timeout, true);
    offers.look_up(program);
    joints.find(program, cells, &mut offers, timeout, true);
    let slot_of = |at: &u32| offers.all[*at as usize].slot as usize;
    joints.all.iter().any(|&joint| joints.members(joint).iter().any(|at| slot_of(at) == slot))
}

/// Whether nothing is enabled in an unpacked state, with this value of a timeout.
fn nothing(program: &Program, cells: &[i64], timeout: bool) -> bool {
    let (mut offers, mut joints) = (Offers::default(), Joints::default());
    offers.collect(program, cells, timeout, false);
    offers.look_up(program);
    joints.find(program, cells, &mut offers, timeout, false);
    joints.all.is_empty()
}
