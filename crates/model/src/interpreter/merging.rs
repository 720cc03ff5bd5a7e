//! Taking the steps of a model as they are, or merged.

use fairly_omega::StateId;

use super::natively::Accelerator;
use super::{Interpreter, ModelSpace};
use crate::expression::{AnyVariable, Expr, Place};
use crate::merge::{Kept, Merged};

/// The steps that are not in use, as they are or merged, and the native code made of them.
pub(super) struct Apart {
    space: ModelSpace,
    native: Option<Accelerator>,
    /// By template and location: whether it is passed.
    passed: Vec<Vec<bool>>,
    count: usize,
    /// Whether it is the merged ones that are in use.
    is_merged: bool,
    /// How often other templates have been merged.
    version: u32,
}

impl Apart {
    /// A number for what is merged now; zero if nothing is.
    pub(super) fn version(&self) -> u32 {
        if self.is_merged { self.version } else { 0 }
    }
}

impl Interpreter {
    /// From now on merges steps that nobody can see or disturb into those before them: see `merge.rs`.
    /// How many locations are then passed.
    pub fn merge(&mut self, kept: &Kept<'_>) -> usize {
        self.unmerge();
        let Some(merged) = Merged::of(self.model(), self.layout(), kept) else {
            return 0;
        };
        let count = merged.count();
        // One question after the other is asked of the same steps.
        let is_known = self
            .apart
            .as_ref()
            .is_some_and(|apart| apart.space.model().templates == merged.templates);
        if !is_known {
            let of = |native: &Accelerator| native.code.with(&merged.templates);
            let native = self.native.as_ref().and_then(of).map(Accelerator::new);
            let Merged { templates, passed } = merged;
            let space = self.space.with_templates(templates);
            let version = self.apart.as_ref().map_or(0, |apart| apart.version) + 1;
            let is_merged = false;
            self.apart = Some(Apart { space, native, passed, count, is_merged, version });
        }
        let passed = self.apart.iter().flat_map(|apart| &apart.passed);
        for (ever, passed) in self.ever_passed.iter_mut().zip(passed) {
            *ever |= passed.contains(&true);
        }
        self.exchange();
        count
    }

    /// Merges nothing any more.
    pub fn unmerge(&mut self) {
        if self.merged() > 0 {
            self.exchange();
        }
    }

    /// How many locations are passed now.
    pub fn merged(&self) -> usize {
        self.apart.as_ref().filter(|apart| apart.is_merged).map_or(0, |apart| apart.count)
    }

    /// Puts the templates to use that are not.
    pub(crate) fn exchange(&mut self) {
        let Some(apart) = &mut self.apart else { return };
        std::mem::swap(&mut apart.space, &mut self.space);
        std::mem::swap(&mut apart.native, &mut self.native);
        apart.is_merged = !apart.is_merged;
    }

    /// A slot and a location that its process passes, if one is at such a location in a state.
    pub(crate) fn passing(&self, state: StateId) -> Option<(u32, u32)> {
        let apart = self.apart.as_ref()?;
        let words = self.packed(state);
        let slots = self.space.program.layout.slots.iter().enumerate();
        slots.into_iter().find_map(|(at, slot)| {
            let variant = usize::try_from(slot.kind.get(&words, 0) - 1).ok()?;
            let location = slot.location.get(&words, 0);
            let template = slot.variants[variant].template.index();
            let is_passed = *apart.passed[template].get(usize::try_from(location).ok()?)?;
            is_passed.then_some((u32::try_from(at).ok()?, u32::try_from(location).ok()?))
        })
    }

    /// Whether an expression reads variables of processes some of whose steps have ever been merged: it may
    /// have other values in states that were passed over.
    pub(super) fn may_have_been_passed(&self, expr: &Expr) -> bool {
        expr.any(&mut |part| match part {
            Expr::Load(Place { variable: AnyVariable::Remote { template, .. }, .. }) => {
                self.ever_passed[template.index()]
            }
            _ => false,
        })
    }
}
