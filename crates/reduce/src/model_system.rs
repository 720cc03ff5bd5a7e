//! The system of a model.

use std::sync::Arc;

use fairly_explore::{Collapsed, Explored};
use fairly_model::native::{Compile, Native, Part};
use fairly_model::{
    Expr, Forget, Forgetting, Forgotten, Kept, Limits, Merged, Model, ModelSpace, Passed, Strip,
};
use fairly_omega::{StateId, Stop};
use fairly_system::{
    Action, ActionId, AtomIndex, Blocked, EventId, Fault, Growth, Interrupt, MoveId, Packed,
    Scratch, Sequences, Signature, Space, StateValues, Steps, Transition, TransitionSystem,
};

use crate::of_model;
use crate::reduced::{Position, Reducible, Unsuited};
use crate::skeleton::Skeleton;
use crate::symmetry::{self, Asymmetric, Permutation, Symmetry};
use crate::watched::Watched;

/// The system of a model: its atomic sequences are single steps, and native code makes them if there is any.
pub struct ModelSystem {
    model: Arc<ModelSpace>,
    compile: Option<Compile>,
    native: Option<Arc<dyn Native>>,
    /// The whole model by the reference interpreter, and memory to ask it with.
    reference: Arc<dyn Space>,
    scratch: Scratch,
    explored: Explored<Arc<dyn Space>>,
    by_reference: bool,
    merging: Option<Merging>,
    forgetting: Option<Arc<Forgetting<Arc<dyn Sequences>>>>,
    forget: Option<Arc<Forget>>,
    /// All that has ever been forgotten and merged.
    ever_forgotten: Vec<Arc<Forget>>,
    ever_passed: Vec<Passed>,
    /// Expressions that were read when something was forgotten last.
    seen: Option<Vec<Expr>>,
    stop: Stop,
}

/// The model with statements merged.
struct Merging {
    model: Arc<ModelSpace>,
    native: Option<Arc<dyn Native>>,
    passed: Passed,
    in_use: bool,
}

/// A space whose atomic sequences are single steps, if it has any.
fn collapsed(space: Arc<dyn Sequences>) -> Arc<dyn Space> {
    match space.may_hold() {
        true => Arc::new(Collapsed::new(space)),
        false => space,
    }
}

impl ModelSystem {
    /// Of a model. With `compile`, native code makes steps where it can.
    pub fn new(model: ModelSpace, compile: Option<Compile>) -> ModelSystem {
        let model = Arc::new(model);
        let native = compile.as_ref().and_then(|compile| compile(&model));
        let reference = collapsed(Arc::clone(&model) as Arc<dyn Sequences>);
        let whole = match &native {
            Some(native) => collapsed(Arc::clone(native) as Arc<dyn Sequences>),
            None => Arc::clone(&reference),
        };
        ModelSystem {
            compile,
            native,
            scratch: reference.scratch(),
            reference,
            explored: Explored::new(whole),
            by_reference: false,
            merging: None,
            forgetting: None,
            forget: None,
            ever_forgotten: Vec::new(),
            ever_passed: Vec::new(),
            seen: None,
            stop: Stop::default(),
            model,
        }
    }

    /// The model as the reference interpreter has it.
    pub fn space(&self) -> &ModelSpace {
        &self.model
    }

    /// The model.
    pub fn model(&self) -> &Model {
        self.model.model()
    }

    /// Sets how much work one step may take, and begins anew.
    ///
    /// # Panics
    /// If the model is shared.
    pub fn set_limits(&mut self, limits: Limits) {
        let nothing = ModelSystem::new(ModelSpace::new(Model::new(), None), None);
        let ModelSystem { model, compile, .. } = std::mem::replace(self, nothing);
        let mut model = Arc::into_inner(model).expect("a model that is not shared");
        model.set_limits(limits);
        *self = ModelSystem::new(model, compile);
    }

    /// The number of states that have been met.
    pub fn state_count(&self) -> usize {
        self.explored.state_count()
    }

    /// The words of a state; those of the state before if something went wrong in the step to it.
    pub fn row(&self, state: StateId) -> Vec<u64> {
        self.explored.row(state)
    }

    /// The number of the state with a row, which has one from now on.
    pub fn number(&mut self, row: &[u64]) -> StateId {
        self.explored.number(row)
    }

    /// Whether a process holds in a state, so that nobody else can move there.
    pub fn is_held(&self, state: StateId) -> bool {
        self.model.may_hold()
            && self.explored.own_row(state).is_some_and(|row| self.model.is_held(&row))
    }

    /// The value of an expression in a state, which no process evaluates.
    ///
    /// # Errors
    /// When something goes wrong in it.
    pub fn value(&self, state: StateId, expr: &Expr) -> Result<i64, Fault> {
        self.model.value(&self.row(state), expr)
    }

    /// What goes wrong in a proposition in a state, where it then does not hold.
    pub fn proposition_fault(&self, state: StateId, atom: AtomIndex) -> Option<Fault> {
        self.model.proposition_fault(&self.row(state), atom)
    }

    /// How many states native code has declined, and how many it has made the steps of.
    pub fn native_counts(&self) -> (u64, u64) {
        self.native.as_ref().map_or((0, 0), |native| native.counts())
    }

    /// Whether everything that can be reached has been met, its steps included, and nothing goes wrong
    /// there, nor in these propositions: then there is no need to look for it. Where something was
    /// forgotten, the same goes wrong as otherwise, but in propositions that would have read it; where
    /// steps were merged, too.
    pub fn is_known_to_be_faultless(&self, propositions: &[AtomIndex]) -> bool {
        let states = || (0..self.state_count()).map(StateId::from_index);
        let may_have_been_passed = |expr: &Expr| {
            expr.any(&mut |part| match part {
                Expr::Load(place) => match place.variable {
                    fairly_model::AnyVariable::Remote { template, .. } => {
                        self.ever_passed.iter().any(|passed| passed.any_of(template))
                    }
                    _ => false,
                },
                _ => false,
            })
        };
        let never_fails = |&atom: &AtomIndex| match self.model.condition(atom) {
            Some((_, expr)) if !expr.is_total() => {
                !self.ever_forgotten.iter().any(|forget| forget.touches(expr))
                    && !may_have_been_passed(expr)
                    && states().all(|state| self.proposition_fault(state, atom).is_none())
            }
            _ => true,
        };
        self.explored.is_known_to_be_faultless() && propositions.iter().all(never_fails)
    }

    /// The model whose steps are taken now: as it is, or with statements merged.
    fn current(&self) -> (&Arc<ModelSpace>, Option<&Arc<dyn Native>>) {
        match self.merging.as_ref().filter(|merging| merging.in_use) {
            Some(merging) => (&merging.model, merging.native.as_ref()),
            None => (&self.model, self.native.as_ref()),
        }
    }

    /// Takes steps as they are to be taken now.
    fn take_steps(&mut self) {
        let (model, native) = self.current();
        let mut space: Arc<dyn Sequences> = match native.filter(|_| !self.by_reference) {
            Some(native) => Arc::clone(native) as Arc<dyn Sequences>,
            None => Arc::clone(model) as Arc<dyn Sequences>,
        };
        let forget = self.forget.as_ref();
        let forgetting = forget.map(|forget| {
            let model = Arc::clone(model);
            Arc::new(Forgetting::new(Arc::clone(&space), model, Arc::clone(forget)))
        });
        if let Some(forgetting) = &forgetting {
            space = Arc::clone(forgetting) as Arc<dyn Sequences>;
        }
        self.forgetting = forgetting;
        self.explored.replace_space(collapsed(space));
    }

    fn seen(&self, watched: &Watched) -> Vec<Expr> {
        let mut seen = watched.values.clone();
        // Whether the system is stuck is no expression, and depends on nothing that is dead.
        let atoms = watched.all_atoms();
        seen.extend(atoms.into_iter().filter_map(|atom| self.model.atom_expression(atom)));
        seen
    }
}

impl Reducible for ModelSystem {
    fn packed(&mut self) -> Option<&mut dyn Packed> {
        Some(&mut self.explored)
    }

    fn heed(&mut self, stop: Stop) {
        self.stop = stop;
        if let Some(native) = &self.native {
            native.heed(stop);
        }
    }

    fn skeleton(&self, watched: &Watched) -> Result<Skeleton, Unsuited> {
        of_model::skeleton(self.current().0, watched, self.stop)
    }

    fn look(&mut self, state: StateId) -> bool {
        self.explored.look(state)
    }

    fn pending(&self) -> &[ActionId] {
        &self.explored.looked_steps().actions
    }

    fn is_faulty(&self, at: usize) -> bool {
        self.explored.looked_steps().fault(at).is_some()
    }

    fn positions(&self, out: &mut Vec<Option<Position>>) {
        let words = self.explored.looked_row();
        out.clear();
        out.extend(self.model.layout().slots.iter().map(|slot| {
            let kind = slot.kind.get(words, 0);
            let small = |value: i64| u32::try_from(value).expect("a position");
            (kind > 0).then(|| Position {
                variant: small(kind - 1),
                location: small(slot.location.get(words, 0)),
            })
        }));
    }

    fn value(&self, strip: &Strip) -> i64 {
        strip.get(self.explored.looked_row(), 0)
    }

    fn part(&self, id: MoveId) -> Option<Part> {
        self.model.part(id)
    }

    fn follow(&mut self, state: StateId, keep: Option<&[bool]>, out: &mut Vec<Transition>) {
        self.explored.follow(state, |at| keep.is_none_or(|keep| keep[at]), out);
    }

    fn symmetry(&self, watched: &Watched) -> Result<Symmetry, Asymmetric> {
        symmetry::detect(self.current().0, watched)
    }

    fn look_up_to(&mut self, state: StateId, symmetry: &mut Symmetry) -> bool {
        if !self.explored.look(state) {
            return false;
        }
        symmetry.turn_to(self.explored.looked_row());
        let signature = self.model.signature();
        self.explored.change_looked(|steps, width| {
            let actions = std::mem::take(&mut steps.actions);
            let keeps = |action: &ActionId| symmetry.keeps(&signature.action(*action).participants);
            let kept: Vec<bool> = actions.iter().map(keeps).collect();
            steps.actions = actions;
            steps.retain(width, |at| kept[at]);
            for (at, row) in steps.rows.chunks_exact_mut(width).enumerate() {
                match steps.faults.iter().any(|(faulty, _)| *faulty == at) {
                    true => symmetry.leave(),
                    false => symmetry.make_canonical(row),
                }
            }
        });
        true
    }

    fn diverges(&self) -> bool {
        let (row, steps) = (self.explored.looked_row(), self.explored.looked_steps());
        let mut targets = steps.rows.chunks_exact(row.len()).enumerate();
        self.model.may_hold()
            && (self.model.is_held(row)
                || targets.any(|(at, to)| self.model.is_held(to) && steps.fault(at).is_none()))
    }

    fn canonical(&mut self, state: StateId, symmetry: &mut Symmetry) -> StateId {
        match self.explored.own_row(state) {
            Some(mut row) => {
                symmetry.make_canonical(&mut row);
                self.explored.number(&row)
            }
            None => {
                symmetry.leave();
                state
            }
        }
    }

    fn forget(&mut self, watched: &Watched) -> bool {
        let seen = self.seen(watched);
        self.forget = Forget::dead(self.current().0, &seen).map(Arc::new);
        self.ever_forgotten.extend(self.forget.clone());
        self.seen = Some(seen);
        self.take_steps();
        self.forget.is_some()
    }

    fn remember(&mut self) {
        if self.forget.take().is_some() {
            self.take_steps();
        }
    }

    fn forgotten(&self) -> Option<Forgotten> {
        self.forgetting.as_ref().map(|forgetting| forgetting.forgotten())
    }

    fn without_dead(&mut self, state: StateId) -> StateId {
        let (Some(forget), Some(mut row)) = (&self.forget, self.explored.own_row(state)) else {
            return state;
        };
        forget.everywhere(&mut row);
        self.explored.number(&row)
    }

    fn merge(&mut self, watched: &Watched) -> usize {
        self.unmerge();
        let mut seen = watched.values.clone();
        for atom in watched.all_atoms() {
            // Whether the system is stuck is no expression, and a step on the way to that tells.
            let Some(expr) = self.model.atom_expression(atom) else { return 0 };
            seen.push(expr);
        }
        let signature = self.signature().clone();
        let event = |event: EventId| watched.asks_for(event, &signature);
        let kept = Kept { seen: &seen, event: &event, enabled: watched.asks_who_is_enabled() };
        let Some(merged) = Merged::of(&self.model, &kept) else { return 0 };
        let Merged { templates, passed } = merged;
        let count = passed.count();
        self.ever_passed.push(passed.clone());
        // One question after the other is asked of the same steps.
        let is_known = |known: &Merging| known.model.model().templates == templates;
        match self.merging.as_mut().filter(|known| is_known(known)) {
            Some(known) => known.in_use = true,
            None => {
                let model = Arc::new(self.model.with_templates(templates));
                let native = self.native.as_ref().and(self.compile.as_ref());
                let native = native.and_then(|compile| compile(&model));
                if let Some(native) = &native {
                    native.heed(self.stop);
                }
                self.merging = Some(Merging { model, native, passed, in_use: true });
            }
        }
        self.take_steps();
        count
    }

    fn unmerge(&mut self) {
        if let Some(merging) = self.merging.as_mut().filter(|merging| merging.in_use) {
            merging.in_use = false;
            self.take_steps();
        }
    }

    fn merged(&self) -> usize {
        let merging = self.merging.as_ref().filter(|merging| merging.in_use);
        merging.map_or(0, |merging| merging.passed.count())
    }

    fn enabled_as_it_is(&mut self, state: StateId, out: &mut Vec<Transition>) {
        let Some(row) = self.explored.own_row(state) else { return };
        let mut steps = Steps::default();
        self.reference.expand(&row, &mut self.scratch, &mut steps);
        self.explored.number_steps(state, &steps, out);
    }

    fn passed(&mut self, state: StateId) -> Option<Transition> {
        let merging = self.merging.as_ref().filter(|merging| merging.in_use)?;
        let row = self.explored.own_row(state)?;
        let (slot, location) = merging.passed.at(self.model.layout(), &row)?;
        let mut out = Vec::new();
        self.enabled_as_it_is(state, &mut out);
        out.into_iter().find(|step| {
            let first = self.action(step.action).moves.first().copied();
            let part = first.and_then(|first| self.model.part(first));
            part.is_some_and(|part| (part.slot, part.location) == (slot, location))
        })
    }

    fn exchanges_at_start(&mut self, symmetry: &mut Symmetry) -> u64 {
        match self.initial().as_slice() {
            &[start] => symmetry.exchanges_of(&self.row(start)),
            _ => symmetry.orbit(),
        }
    }

    fn exchanged(
        &mut self,
        state: StateId,
        symmetry: &mut Symmetry,
        moved: &Permutation,
    ) -> StateId {
        let mut row = self.row(state);
        symmetry.exchange(&mut row, moved);
        self.explored.number(&row)
    }
}

impl TransitionSystem for ModelSystem {
    fn has_same_future(&mut self, one: StateId, other: StateId) -> bool {
        if one == other {
            return true;
        }
        let (Some(mut one), Some(mut other)) =
            (self.explored.own_row(one), self.explored.own_row(other))
        else {
            return false;
        };
        let seen = self.seen.clone().unwrap_or_else(|| self.model.asked_for());
        let Some(faint) = Forget::faint(self.current().0, &seen) else { return false };
        faint.everywhere(&mut one);
        faint.everywhere(&mut other);
        one == other
    }

    fn by_reference(&mut self, on: bool) {
        if self.by_reference != on && self.native.is_some() {
            self.by_reference = on;
            self.take_steps();
        }
    }

    fn bytes(&self) -> usize {
        self.explored.bytes()
    }

    fn signature(&self) -> &Signature {
        self.model.signature()
    }

    fn initial(&mut self) -> Vec<StateId> {
        self.explored.initial()
    }

    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>) {
        self.explored.enabled(state, out);
    }

    fn enabled_in_all(
        &mut self,
        states: &[StateId],
        out: &mut Vec<Transition>,
        ends: &mut Vec<usize>,
    ) {
        self.explored.enabled_in_all(states, out, ends);
    }

    fn left_out(&mut self, state: StateId, out: &mut Vec<ActionId>) {
        if self.model.may_hold() {
            self.explored.left_out(state, out);
        }
    }

    fn is_committed(&mut self, state: StateId) -> bool {
        self.model.may_hold() && self.explored.is_committed(state)
    }

    fn interrupt(&mut self, stop: Option<Interrupt>) {
        self.explored.interrupt(stop);
    }

    fn action(&self, action: ActionId) -> &Action {
        self.model.signature().action(action)
    }

    fn offered(&mut self, state: StateId, out: &mut Vec<MoveId>) {
        self.explored.offered(state, out);
    }

    fn atom(&mut self, text: &str) -> Option<AtomIndex> {
        self.model.atom(text)
    }

    fn holds(&self, state: StateId, atom: AtomIndex) -> bool {
        self.explored.holds(state, atom)
    }

    fn describe(&self, state: StateId) -> String {
        self.explored.describe(state)
    }

    fn state_values(&self, state: StateId) -> StateValues {
        self.explored.state_values(state)
    }

    fn blocked(&mut self, state: StateId) -> Vec<Blocked> {
        self.explored.blocked(state)
    }

    fn growth(&self) -> Option<Growth> {
        self.explored.growth()
    }

    fn valuation(&self, state: StateId) -> Vec<(String, String)> {
        self.explored.valuation(state)
    }

    fn fault(&self, state: StateId) -> Option<&Fault> {
        self.explored.fault(state)
    }
}

impl Packed for ModelSystem {
    fn width(&self) -> usize {
        self.model.width()
    }

    fn first_row(&mut self) -> Result<Vec<u64>, Fault> {
        self.explored.first_row()
    }

    fn expand_row(&mut self, row: &[u64], out: &mut Steps) {
        self.explored.expand_row(row, out);
    }

    fn row_holds(&mut self, row: &[u64], atom: AtomIndex) -> bool {
        self.explored.row_holds(row, atom)
    }

    fn number(&mut self, row: &[u64]) -> StateId {
        self.explored.number(row)
    }
}
