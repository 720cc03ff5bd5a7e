//! Variables whose values are known while code is written.
//!
//! Within the effect of a step, a variable that is given a constant is remembered rather than stored.
//! So the loops of a `d_step` that count are written out, with every index a number, and counters
//! themselves cost one store at the end. What is remembered is stored before it can be seen: at the end
//! of the effect, before a loop that is not written out, and where branches meet that disagree.

use cranelift_codegen::ir::InstBuilder;
use fairly_model::{AnyVariable, Edge, Expr, Place, Statement, Storage, Strip, Variable};

use super::Emitter;

/// A variable of the model, or of the process that acts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Global(usize),
    Local(usize),
}

impl Name {
    fn of(variable: &AnyVariable) -> Option<Name> {
        match variable {
            AnyVariable::Global(id) => Some(Name::Global(id.index())),
            AnyVariable::Local(id) => Some(Name::Local(id.index())),
            AnyVariable::Remote { .. } => None,
        }
    }
}

#[derive(Clone, Copy)]
struct Constant {
    name: Name,
    value: i64,
    /// Whether the state has it, too.
    is_stored: bool,
}

/// Known values of variables at a point of an effect.
#[derive(Clone, Default)]
pub(super) struct Constants(Vec<Constant>);

impl Constants {
    fn get(&self, name: Name) -> Option<i64> {
        self.0.iter().find(|constant| constant.name == name).map(|constant| constant.value)
    }

    fn invalidate(&mut self, name: Name) {
        self.0.retain(|constant| constant.name != name);
    }

    /// Known values where this and another meet.
    fn meet(&self, other: &Constants) -> Constants {
        let both = self.0.iter().filter_map(|mine| {
            let same = |it: &&Constant| it.name == mine.name && it.value == mine.value;
            let theirs = other.0.iter().find(same)?;
            Some(Constant { is_stored: mine.is_stored && theirs.is_stored, ..*mine })
        });
        Constants(both.collect())
    }
}

/// Statements of an effect after which loops are no longer written out.
const WRITTEN_OUT: usize = 600;

impl<'a> Emitter<'a> {
    /// Begins an effect. Nothing is remembered in one that looks at variables of a process by its
    /// number: that may be the own one.
    pub(super) fn begin_constants(&mut self, edge: &Edge) {
        let is_remote = |expr: &Expr| matches!(expr, Expr::Load(place) if matches!(place.variable, AnyVariable::Remote { .. }));
        let may_remember = !edge.any(&mut |expr| is_remote(expr));
        self.constants = may_remember.then(Constants::default);
        self.written_out = 0;
    }

    /// Ends an effect: the state has everything.
    pub(super) fn end_constants(&mut self) {
        self.store_constants();
        self.constants = None;
    }

    /// The value of a variable, if it is known.
    pub(super) fn constant(&self, place: &Place) -> Option<i64> {
        let value = self.constants.as_ref()?.get(Name::of(&place.variable)?)?;
        match place.index.as_deref() {
            None => Some(value),
            // An array of one.
            Some(index) => (self.fixed(index)? == 0).then_some(value),
        }
    }

    /// The value of a variable that always has the same one.
    pub(super) fn settled(&self, place: &Place) -> Option<i64> {
        let (variable, strip) = self.named(Name::of(&place.variable)?)?;
        let is_one = place.index.is_none() && variable.length.is_none();
        let is_settled = variable.storage == Storage::State && strip.width == 0;
        (is_one && is_settled).then_some(strip.base)
    }

    /// Whether a variable is remembered, though its index may not say that it is this element.
    pub(super) fn is_remembered(&self, place: &Place) -> bool {
        let name = Name::of(&place.variable);
        self.constants
            .as_ref()
            .zip(name)
            .is_some_and(|(constants, name)| constants.get(name).is_some())
    }

    /// Remembers that a variable is given a constant; tells whether that is all that is to be done.
    pub(super) fn remember(&mut self, place: &Place, value: i64) -> bool {
        let Some(name) = Name::of(&place.variable) else { return false };
        let Some((variable, strip)) = self.named(name) else { return false };
        let fits = place.index.is_none()
            && strip.length == 1
            && (variable.range.low..=variable.range.high).contains(&value)
            && (variable.storage == Storage::Scratch || strip.range().contains(value));
        let Some(constants) = &mut self.constants else { return false };
        if fits {
            constants.invalidate(name);
            constants.0.push(Constant { name, value, is_stored: false });
        }
        fits
    }

    /// Clears a variable that is given a value in another way.
    pub(super) fn invalidate(&mut self, place: &Place) {
        if let (Some(constants), Some(name)) = (&mut self.constants, Name::of(&place.variable)) {
            constants.invalidate(name);
        }
    }

    /// Stores what is remembered, and clears it.
    pub(super) fn forget_all(&mut self) {
        self.store_constants();
        if let Some(constants) = &mut self.constants {
            constants.0.clear();
        }
    }

    /// Whether another round of a loop is to be written out.
    pub(super) fn may_write_out(&self) -> bool {
        self.written_out < WRITTEN_OUT
    }

    /// Writes two branches, each of which is in a block of its own, and goes on after both.
    pub(super) fn run_either(&mut self, branches: [&[Statement]; 2], blocks: [super::Block; 2]) {
        let before = self.constants.clone();
        let mut ends = Vec::new();
        for (statements, block) in branches.into_iter().zip(blocks) {
            self.constants.clone_from(&before);
            self.builder.seal_block(block);
            self.builder.switch_to_block(block);
            self.run(statements);
            let end = self.jump_to_new_block();
            ends.push((end, self.constants.take()));
        }
        let agreed = match (&ends[0].1, &ends[1].1) {
            (Some(one), Some(other)) => Some(one.meet(other)),
            _ => None,
        };
        let join = self.builder.create_block();
        for (end, constants) in ends {
            self.builder.switch_to_block(end);
            let is_agreed =
                |it: &Constant| agreed.as_ref().is_some_and(|of| of.get(it.name).is_some());
            let differing = constants.map(|of| {
                Constants(of.0.into_iter().filter(|constant| !is_agreed(constant)).collect())
            });
            self.constants = differing;
            self.store_constants();
            self.builder.ins().jump(join, &[]);
        }
        self.constants = agreed;
        self.builder.seal_block(join);
        self.builder.switch_to_block(join);
    }

    fn jump_to_new_block(&mut self) -> super::Block {
        let next = self.builder.create_block();
        self.builder.ins().jump(next, &[]);
        self.builder.seal_block(next);
        next
    }

    fn store_constants(&mut self) {
        let Some(mut constants) = self.constants.take() else { return };
        for constant in &mut constants.0 {
            if !std::mem::replace(&mut constant.is_stored, true) {
                let (variable, strip) = self.named(constant.name).expect("it was remembered");
                self.store_number(variable, &strip, constant.value);
            }
        }
        self.constants = Some(constants);
    }

    fn named(&self, name: Name) -> Option<(&'a Variable, Strip)> {
        let plan = self.plan;
        match name {
            Name::Global(id) => Some((&plan.model.variables[id], plan.layout.variables[id])),
            Name::Local(id) => self.own_variable(id),
        }
    }
}
