//! Where the processes of a system are, and which steps are behind its moves.

use fairly_model::ModelSpace;
use fairly_model::native::Part;
use fairly_system::{MoveId, Network, Space};

/// Where a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Which of the kinds that can be in its slot.
    pub variant: u32,
    /// Its location.
    pub location: u32,
}

/// Where the processes of a system are in a row, and which steps are behind its moves.
pub trait Processes: Send + Sync {
    /// Makes `out` the positions of all processes, by slot.
    fn positions(&self, row: &[u64], out: &mut Vec<Option<Position>>);

    /// The step behind a move, if there is one.
    fn part(&self, id: MoveId) -> Option<Part>;
}

/// The processes of a space of which nothing is known but its steps.
pub(crate) struct Unplaced;

impl Processes for Unplaced {
    fn positions(&self, _row: &[u64], out: &mut Vec<Option<Position>>) {
        out.clear();
    }

    fn part(&self, _id: MoveId) -> Option<Part> {
        None
    }
}

impl Processes for ModelSpace {
    fn positions(&self, row: &[u64], out: &mut Vec<Option<Position>>) {
        out.clear();
        out.extend(self.layout().slots.iter().map(|slot| {
            let kind = slot.kind.get(row, 0);
            let small = |value: i64| u32::try_from(value).expect("a position");
            (kind > 0).then(|| Position {
                variant: small(kind - 1),
                location: small(slot.location.get(row, 0)),
            })
        }));
    }

    fn part(&self, id: MoveId) -> Option<Part> {
        ModelSpace::part(self, id)
    }
}

impl Processes for Network {
    fn positions(&self, row: &[u64], out: &mut Vec<Option<Position>>) {
        out.clear();
        let tuple = self.tuple(row).into_iter();
        out.extend(tuple.map(|location| Some(Position { variant: 0, location })));
    }

    fn part(&self, id: MoveId) -> Option<Part> {
        let slot = self.signature().moves[id.index()].process.0;
        let (location, edge) = self.place_of(id);
        Some(Part { slot, variant: 0, location, edge })
    }
}
