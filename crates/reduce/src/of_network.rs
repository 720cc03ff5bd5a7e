//! The skeleton of a network of explicit components: no variables, and events that several take
//! together.

use fairly_explore::Explored;
use fairly_omega::StateId;
use fairly_system::{MoveId, Network, ProcessId, Space};

use crate::base::Base;

use crate::bits::Bits;
use crate::cycles;
use crate::demand;
use crate::processes::Processes;
use crate::reduced::{Fork, Reducible, Unsuited};
use crate::skeleton::{Need, Skeleton, Spot, Step, Tone, Users};
use crate::watched::{self, Names, Place, Watched};

/// The skeleton of a network.
pub(crate) fn skeleton(network: &Network, watched: &Watched) -> Result<Skeleton, Unsuited> {
    let mut skeleton = without_cycles(network, watched)?;
    cycles::break_all(&mut skeleton, &|_, _, _, _| None);
    Ok(skeleton)
}

/// The same without the condition on cycles.
pub(crate) fn without_cycles(network: &Network, watched: &Watched) -> Result<Skeleton, Unsuited> {
    let mut places = Vec::new();
    for atom in watched.all_atoms() {
        let (component, inside) = network.atom_places(atom).ok_or(Unsuited::Stuck)?;
        places.push(Place { slot: component, variant: 0, inside });
    }
    let count = network.components().len();
    let slots: Vec<Vec<Vec<Spot>>> = (0..count)
        .map(|component| {
            let states = network.components()[component].states().len();
            vec![(0..states).map(|_| Spot::default()).collect()]
        })
        .collect();
    let mut skeleton = Skeleton {
        slots,
        // The location of each component.
        parts: count,
        offers: network.signature().events.len(),
        last_first: false,
        starts: false,
        own: vec![Bits::new(count); count],
        anonymous: false,
        holder: None,
        ends_together: true,
        users: Users::default(),
    };
    let mut position = 0;
    for (slot, component) in network.components().iter().enumerate() {
        for transition in component.transitions() {
            let id = MoveId::from_index(position);
            position += 1;
            let event = network.signature().moves[id.index()].event;
            let sharing = network.sharing(event);
            let own = ProcessId::from_index(slot);
            let others = sharing.iter().filter(|&&it| it != own).map(|it| it.0).collect();
            let is_shared = sharing.len() > 1 && sharing.contains(&own);
            let mut writes = Bits::new(count);
            if transition.from != transition.to {
                writes.insert(slot);
            }
            skeleton.slots[slot][0][transition.from as usize].steps.push(Step {
                target: Some(transition.to),
                holds: false,
                waits: false,
                never: false,
                rank: 0,
                enabling: Bits::new(count),
                at_head: None,
                reads: Bits::new(count),
                writes,
                all_reads: Bits::default(),
                all_writes: Bits::default(),
                later: Bits::default(),
                offers: if is_shared { vec![event.0] } else { vec![] },
                needs: match is_shared {
                    true => vec![Need::All { slots: others, offer: event.0 }],
                    false => vec![],
                },
                varies: false,
                event: Some(event),
                ends: false,
                starts: vec![],
                start_count: 0,
                always_enabled: !is_shared,
                always_offered: true,
                changes: vec![],
                fills: vec![],
                tone: Tone::Quiet,
                owed: false,
                climb: None,
                lonely: false,
            });
        }
    }
    skeleton.complete();
    watched::hide_from_atoms(&mut skeleton, &Bits::new(count), &places);
    let part = |id: MoveId| Processes::part(network, id);
    let names = Names { signature: network.signature(), part: &part };
    demand::hide_from_constraints(&mut skeleton, &watched.constraints, &names);
    Ok(skeleton)
}

impl Reducible for Explored<Network> {
    fn fork(&self) -> Option<Fork<Explored<Network>>> {
        let network = self.shared();
        Some(Box::new(move || Explored::of(network)))
    }

    fn base(&self) -> Option<Base> {
        Some(Base::of_network(self.shared()))
    }

    fn own_row(&self, state: StateId) -> Option<Vec<u64>> {
        Explored::own_row(self, state)
    }
}
