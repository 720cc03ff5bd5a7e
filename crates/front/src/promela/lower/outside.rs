//! State of one process, as others see it.

use fairly_model::{AnyVariable, Expr, LocationId, Place, SlotId, TemplateId};

use super::processes::Lowering;
use super::rewrite;

/// A process as others see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outside {
    pub(super) slot: SlotId,
    pub(super) template: TemplateId,
}

impl Outside {
    fn number(self) -> Expr {
        Expr::Const(i64::from(self.slot.0))
    }

    /// That the process is there, at one of these locations.
    pub(super) fn at(self, locations: Vec<LocationId>) -> Expr {
        Expr::At { slot: Box::new(self.number()), template: self.template, locations }
    }

    /// The value that an expression of the process has for it. It reads no message.
    pub(super) fn expr(self, of: &Expr) -> Expr {
        rewrite::expr(of, &|part| match part {
            Expr::Own => Some(self.number()),
            Expr::Load(Place { variable: AnyVariable::Local(local), index }) => {
                let (slot, template) = (Box::new(self.number()), self.template);
                let variable = AnyVariable::Remote { slot, template, local: *local };
                let index = index.as_ref().map(|index| Box::new(self.expr(index)));
                Some(Expr::Load(Place { variable, index }))
            }
            _ => None,
        })
    }
}

impl Lowering<'_> {
    /// The processes of a proctype that can be, as others see them.
    pub(super) fn outsides(&self, template: TemplateId) -> Vec<Outside> {
        let slots = self.slots_of(template).into_iter();
        slots.map(|slot| Outside { slot, template }).collect()
    }

    /// All locations of a proctype.
    pub(super) fn everywhere(&self, template: TemplateId) -> Vec<LocationId> {
        let count = self.processes[template.index()].locations.len();
        (0..count).map(LocationId::from_index).collect()
    }
}
