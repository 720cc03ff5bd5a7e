//! The system of a model.

use std::sync::Arc;

use fairly_explore::Explored;
use fairly_model::native::{Compile, Native};
use fairly_model::{DeadValues, Expr, Kept, Limits, Merged, Model, ModelSpace};
use fairly_omega::{StateId, Stop};
use fairly_system::{
    Action, ActionId, AtomIndex, Blocked, EventId, Fault, Growth, MoveId, Packed, Sequences,
    Signature, Space, StateValues, Steps, Transition, TransitionSystem,
};

use crate::base::Base;
use crate::reduced::{Fork, Reducible, collapsed};
use crate::watched::Watched;

/// A model, and native code for it.
type Made = (Arc<ModelSpace>, Option<Arc<dyn Native>>);

/// The system of a model: its atomic sequences are single steps, and native code makes them if there is any.
pub struct ModelSystem {
    model: Arc<ModelSpace>,
    compile: Option<Compile>,
    native: Option<Arc<dyn Native>>,
    explored: Explored<dyn Space>,
    /// The same without native code, if it was asked for.
    reference: Option<Box<ModelSystem>>,
    /// The model with statements merged, as it was asked for last, and its steps.
    merged: Option<Made>,
    /// Whether it is known that no run comes to an error.
    nothing_fails: bool,
    /// Propositions that may go wrong, and are known to do so in no state.
    sound: Vec<AtomIndex>,
    /// Expressions that are read, if nothing else is asked of states.
    seen: Option<Vec<Expr>>,
    /// Variables that make no difference in any state if these expressions are all that is read.
    faint: Option<(Vec<Expr>, Option<DeadValues>)>,
    stop: Stop,
}

impl ModelSystem {
    /// Of a model. With `compile`, native code makes steps where it can.
    pub fn new(model: ModelSpace, compile: Option<Compile>) -> ModelSystem {
        ModelSystem::of(Arc::new(model), compile)
    }

    fn of(model: Arc<ModelSpace>, compile: Option<Compile>) -> ModelSystem {
        let native = compile.as_ref().and_then(|compile| compile(&model));
        ModelSystem::sharing(model, native, compile, Stop::default())
    }

    /// Of the same model and native code.
    fn sharing(
        model: Arc<ModelSpace>,
        native: Option<Arc<dyn Native>>,
        compile: Option<Compile>,
        stop: Stop,
    ) -> ModelSystem {
        let explored = Explored::of(collapsed(single_steps(&model, native.as_ref())));
        ModelSystem {
            compile,
            native,
            explored,
            reference: None,
            merged: None,
            nothing_fails: false,
            sound: Vec::new(),
            seen: None,
            faint: None,
            stop,
            model,
        }
    }

    /// The model as the reference interpreter has it.
    pub fn space(&self) -> &ModelSpace {
        &self.model
    }

    /// The same, for several threads.
    pub fn shared_space(&self) -> Arc<ModelSpace> {
        Arc::clone(&self.model)
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

    /// Whether a process holds in a state, so that no other can move there.
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

    /// Fault of a proposition in a state, where it then does not hold.
    pub fn proposition_fault(&self, state: StateId, atom: AtomIndex) -> Option<Fault> {
        self.model.proposition_fault(&self.row(state), atom)
    }

    /// Makes the native code that every state needs now, rather than when it is worth it.
    pub fn prepare_natively(&self) {
        if let Some(native) = &self.native {
            native.prepare();
        }
    }

    /// How many states native code has declined, and how many it has made the steps of.
    pub fn native_counts(&self) -> (u64, u64) {
        let merged = self.merged.iter().flat_map(|(_, native)| native);
        let counts = self.native.iter().chain(merged).map(|native| native.counts());
        counts.fold((0, 0), |all, (declined, made)| (all.0 + declined, all.1 + made))
    }

    /// Whether it is known that no run comes to an error, and that nothing goes wrong in these propositions: then
    /// there is no need to look for it. It is known if the whole system has been explored, or what is left of it
    /// when statements are merged and variables reset, and the propositions were evaluated there.
    pub fn is_known_to_be_faultless(&self, propositions: &[AtomIndex]) -> bool {
        let is_open = |atom: &&AtomIndex| !self.sound.contains(atom) && !self.model.is_sure(**atom);
        let open: Vec<AtomIndex> = propositions.iter().filter(is_open).copied().collect();
        (self.nothing_fails && open.is_empty())
            || (self.explored.is_known_to_be_faultless()
                && open.iter().all(|&atom| self.is_sound(atom, &self.explored)))
    }

    /// Whether a proposition has a value in every state that has been met of a space.
    fn is_sound(&self, atom: AtomIndex, explored: &Explored<dyn Space>) -> bool {
        let mut states = (0..explored.state_count()).map(StateId::from_index);
        states.all(|state| self.model.proposition_fault(&explored.row(state), atom).is_none())
    }
}

/// The steps of a model, one by one.
fn single_steps(model: &Arc<ModelSpace>, native: Option<&Arc<dyn Native>>) -> Arc<dyn Sequences> {
    match native {
        Some(native) => Arc::clone(native) as Arc<dyn Sequences>,
        None => Arc::clone(model) as Arc<dyn Sequences>,
    }
}

impl Reducible for ModelSystem {
    fn heed(&mut self, stop: Stop) {
        self.stop = stop;
        if let Some(native) = &self.native {
            native.heed(stop);
        }
    }

    fn base(&self) -> Option<Base> {
        let steps = single_steps(&self.model, self.native.as_ref());
        Some(Base::of_model(steps, Arc::clone(&self.model), None))
    }

    fn merged(&mut self, watched: &Watched) -> Option<Base> {
        let mut seen = watched.values.clone();
        for atom in watched.all_atoms() {
            // Whether the system is stuck is no expression, and a step on the way to that tells.
            seen.push(self.model.atom_expression(atom)?);
        }
        let signature = self.signature().clone();
        let event = |event: EventId| watched.asks_for(event, &signature);
        let kept = Kept { seen: &seen, event: &event, enabled: watched.asks_who_is_enabled() };
        let Merged { templates, passed } = Merged::of(&self.model, &kept)?;
        // One question after the other is asked of the same steps.
        let known = self.merged.take().filter(|(known, _)| known.model().templates == templates);
        let (model, native) = known.unwrap_or_else(|| {
            let model = Arc::new(self.model.with_templates(templates));
            let compile = self.native.as_ref().and(self.compile.as_ref());
            let native = compile.and_then(|compile| compile(&model));
            (model, native)
        });
        if let Some(native) = &native {
            native.heed(self.stop);
        }
        let space = single_steps(&model, native.as_ref());
        self.merged = Some((Arc::clone(&model), native));
        Some(Base::of_model(space, model, Some(Arc::new(passed))))
    }

    fn own_row(&self, state: StateId) -> Option<Vec<u64>> {
        self.explored.own_row(state)
    }

    fn ask(&mut self, seen: Vec<Expr>) {
        self.seen = Some(seen);
    }

    fn learn_that_nothing_fails(
        &mut self,
        explored: Option<&Explored<dyn Space>>,
        watched: &[AtomIndex],
    ) {
        self.nothing_fails = true;
        let Some(explored) = explored else { return };
        for &atom in watched {
            let is_open = !self.sound.contains(&atom) && !self.model.is_sure(atom);
            if is_open && self.is_sound(atom, explored) {
                self.sound.push(atom);
            }
        }
    }

    fn fork(&self) -> Option<Fork<ModelSystem>> {
        let (model, native) = (Arc::clone(&self.model), self.native.clone());
        let (compile, stop) = (self.compile.clone(), self.stop);
        Some(Box::new(move || ModelSystem::sharing(model, native, compile, stop)))
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
        if self.faint.as_ref().is_none_or(|(known, _)| *known != seen) {
            let faint = DeadValues::faint(&self.model, &seen);
            self.faint = Some((seen, faint));
        }
        let Some((_, Some(faint))) = &self.faint else { return false };
        faint.everywhere(&mut one);
        faint.everywhere(&mut other);
        one == other
    }

    fn reference(&mut self, states: &[StateId], stop: Stop) -> Option<(&mut Self, Vec<StateId>)> {
        self.native.as_ref()?;
        let fresh = || Box::new(ModelSystem::of(Arc::clone(&self.model), None));
        let reference: &mut ModelSystem = self.reference.get_or_insert_with(fresh);
        reference.seen.clone_from(&self.seen);
        // Short runs are no reason to look at the clock.
        let is_late = |at: usize| at % (1 << 12) == (1 << 12) - 1 && stop.is_due();
        let states = states.iter().enumerate().take_while(|&(at, _)| !is_late(at));
        let there = |(_, &state)| reference.explored.number_of(&self.explored, state);
        let states = states.map(there).collect();
        Some((reference, states))
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

    fn stop_at(&mut self, stop: Stop) {
        self.explored.stop_at(stop);
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
