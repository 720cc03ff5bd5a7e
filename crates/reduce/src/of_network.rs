//! The skeleton of a network of explicit components: no variables, and events that several take
//! together.

use fairly_explore::Explored;
use fairly_model::{Strip, native::Part};
use fairly_omega::StateId;
use fairly_system::{ActionId, MoveId, Network, ProcessId, Transition, TransitionSystem};

use crate::bits::Bits;
use crate::cycles;
use crate::demand;
use crate::reduced::{Position, Reducible, Unsuited};
use crate::skeleton::{Need, Skeleton, Spot, Step, Tone, Users};
use crate::watched::{self, Names, Place, Watched};

impl Reducible for Explored<Network> {
    fn skeleton(&self, watched: &Watched) -> Result<Skeleton, Unsuited> {
        let network = self.space();
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
            offers: self.signature().events.len(),
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
                let event = self.signature().moves[id.index()].event;
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
                    rank: 0,
                    enabling: Bits::new(count),
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
                    tone: Tone::Quiet,
                    owed: false,
                    climb: None,
                    lonely: false,
                });
            }
        }
        skeleton.complete();
        watched::hide_from_atoms(&mut skeleton, &Bits::new(count), &places);
        let part = |id: MoveId| Reducible::part(self, id);
        let names = Names { signature: self.signature(), part: &part };
        demand::hide_from_constraints(&mut skeleton, &watched.constraints, &names);
        cycles::break_all(&mut skeleton, &|_, _, _, _| None);
        Ok(skeleton)
    }

    fn look(&mut self, state: StateId) -> bool {
        Explored::look(self, state)
    }

    fn pending(&self) -> &[ActionId] {
        &self.looked_steps().actions
    }

    fn is_faulty(&self, _at: usize) -> bool {
        false
    }

    fn positions(&self, out: &mut Vec<Option<Position>>) {
        out.clear();
        let tuple = self.space().tuple(self.looked_row()).into_iter();
        out.extend(tuple.map(|location| Some(Position { variant: 0, location })));
    }

    fn value(&self, strip: &Strip) -> i64 {
        strip.base
    }

    fn part(&self, id: MoveId) -> Option<Part> {
        let slot = self.signature().moves[id.index()].process.0;
        let (location, edge) = self.space().place_of(id);
        Some(Part { slot, variant: 0, location, edge })
    }

    fn follow(&mut self, state: StateId, keep: Option<&[bool]>, out: &mut Vec<Transition>) {
        Explored::follow(self, state, |at| keep.is_none_or(|keep| keep[at]), out);
    }
}
