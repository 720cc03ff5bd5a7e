//! Effect of an action on the state.

use super::join::{Joint, Way, edge};
use super::offers::Role;
use super::program::Program;
use super::space::Work;
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
    let Work { offers, joints, cells, next, values, effort, .. } = work;
    if let Way::Fault(number) = joint.way {
        return Err(Box::new(offers.faults[number as usize].clone()));
    }
    next.copy_from_slice(cells);
    let members = joints.members(joint);
    for &at in members {
        effort.statements = 0;
        let offer = &offers.all[at as usize];
        let edge = edge(program, offer);
        let slot = offer.slot as usize;
        let locals = &program.layout.slots[slot].variants[offer.variant as usize].locals;
        let received = match offer.role {
            Role::Get { .. } => Some(offer.row.of(&offers.pool)),
            Role::Receive { .. } => Some(offers.all[members[0] as usize].row.of(&offers.pool)),
            _ => None,
        };
        let mut runner =
            Runner { program, cells: next, own: (slot, locals), received, timeout, effort, values };
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
    let last = members.last().map(|&at| &offers.all[at as usize]);
    if let Some(strip) = program.layout.holder {
        let holder = last.filter(|offer| edge(program, offer).hold);
        next[strip.cell as usize] = holder.map_or(-1, |offer| i64::from(offer.slot));
    }
    if let (Some(strip), Some(last)) = (program.layout.last_mover, last) {
        next[strip.cell as usize] = i64::from(last.slot);
    }
    Ok(())
}
