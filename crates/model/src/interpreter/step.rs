//! What an action does to the state.

use super::Work;
use super::join::{Joint, Way, edge, next_holder};
use super::offers::Role;
use super::program::Program;
use crate::eval::{Faulty, fault};
use crate::exec::Runner;
use crate::process::Communication;

/// Makes the state that an action leads to, in `work.next`.
///
/// One participant after the other communicates, runs its effect and goes to its next location: in
/// the order of their slots, in a rendezvous the sender first. What each of them offered was found
/// in the state before. If a participant's message is no longer there because one before it took it,
/// or the room for it is not, something went wrong.
pub(crate) fn take(program: &Program, work: &mut Work, joint: Joint, timeout: bool) -> Faulty<()> {
    let Work { offers, joints, cells, next, values, .. } = work;
    if let Way::Fault(number) = joint.way {
        return Err(Box::new(offers.faults[number as usize].clone()));
    }
    next.copy_from_slice(cells);
    let members = joints.members(joint);
    let mut statements = 0;
    for &at in members {
        let offer = &offers.all[at as usize];
        let edge = edge(program, offer);
        let slot = offer.slot as usize;
        let locals = &program.layout.slots[slot].variants[offer.variant as usize].locals;
        let received = match offer.role {
            Role::Get { .. } => Some(offer.row.of(&offers.pool)),
            Role::Receive { .. } => Some(offers.all[members[0] as usize].row.of(&offers.pool)),
            _ => None,
        };
        let mut runner = Runner {
            program,
            cells: next,
            own: (slot, locals),
            received,
            timeout,
            statements: &mut statements,
            values,
        };
        let mut act = || {
            match (offer.role, &edge.communication) {
                (Role::Put { channel }, Communication::Send { order, .. }) => {
                    runner.put(channel as usize, offer.row.of(&offers.pool), *order)?;
                }
                (Role::Get { channel, message }, Communication::Receive { keep, .. }) => {
                    if !runner.holds(channel as usize, message, offer.row.of(&offers.pool)) {
                        return fault("another participant has taken the message");
                    }
                    if !keep {
                        runner.remove(channel as usize, message);
                    }
                }
                _ => {}
            }
            runner.run(&edge.effect)
        };
        act().map_err(|mut fault| {
            fault.span = fault.span.or(edge.span);
            fault
        })?;
        runner.go(edge.target);
    }
    let mut slots = members.iter().map(|&at| offers.all[at as usize].slot as usize);
    let number = |slot: usize| i64::try_from(slot).expect("a position");
    if let Some(strip) = program.layout.holder {
        let holder = next_holder(program, cells, next, joint.way, slots.clone());
        next[strip.cell as usize] = holder.map_or(-1, number);
    }
    if let Some(strip) = program.layout.last_mover {
        next[strip.cell as usize] = slots.next().map_or(-1, number);
    }
    Ok(())
}
