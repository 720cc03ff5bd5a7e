//! Memory that code and its callers share: the found steps and offers.
//!
//! The code knows the fields by their offsets.

use std::mem::offset_of;
use std::ptr::null_mut;

/// One for each run of the code.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Context {
    /// Where the words of the next step go.
    pub(crate) row: *mut u64,
    /// Where the command of the next step goes.
    pub(crate) command: *mut u32,
    /// How many more steps there is room for.
    pub(crate) room: i64,
    /// Where the next offer goes.
    pub(crate) offer: *mut i64,
    /// How many more offers there is room for.
    pub(crate) offer_room: i64,
    /// The scratch variables.
    pub(crate) scratch: *mut i64,
    /// Whether nothing is enabled without a timeout.
    pub(crate) timeout: i64,
    /// Statements that a process may run in a step.
    pub(crate) statements: i64,
}

impl Context {
    /// Without room for anything.
    pub(crate) fn empty() -> Context {
        Context {
            row: null_mut(),
            command: null_mut(),
            room: 0,
            offer: null_mut(),
            offer_room: 0,
            scratch: null_mut(),
            timeout: 0,
            statements: 0,
        }
    }
}

pub(crate) const ROW: usize = offset_of!(Context, row);
pub(crate) const COMMAND: usize = offset_of!(Context, command);
pub(crate) const ROOM: usize = offset_of!(Context, room);
pub(crate) const OFFER: usize = offset_of!(Context, offer);
pub(crate) const OFFER_ROOM: usize = offset_of!(Context, offer_room);
pub(crate) const SCRATCH: usize = offset_of!(Context, scratch);
pub(crate) const TIMEOUT: usize = offset_of!(Context, timeout);
pub(crate) const STATEMENTS: usize = offset_of!(Context, statements);

/// An offer is a row of this many values before the cells of its message: the number of the edge, and
/// that of the channel.
pub(crate) const OFFER_HEAD: usize = 2;
