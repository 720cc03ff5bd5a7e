//! Constraints as marks on the steps of a system.
//!
//! A weak constraint has one mark, on the steps where nothing is owed: `Inf`. A strong one has two:
//! `Fin(when) ∨ Inf(then)`. The marks of a step are those its state gives to all of its steps and
//! those its action gives it in every state, so they are computed once a state and once an action.
//! Nothing is laid out by event or move, so events and moves may be met while the marks are asked for.

use fairly_omega::{Acceptance, Mark, MarkSet, StateId};
use fairly_system::{ActionId, MoveId, Transition, TransitionSystem};

use crate::constraint::{Constraint, Predicate, Selector, Strength};

/// The marks of one constraint.
#[derive(Clone, Copy, Debug)]
enum Marks {
    Weak { settled: Mark },
    Strong { when: Mark, then: Mark },
}

/// Constraints with the marks that stand for them.
#[derive(Clone, Debug)]
pub struct Lowering {
    constraints: Vec<Constraint>,
    marks: Vec<Marks>,
    /// What an action contributes, by action; filled as actions are met.
    of_action: Vec<Option<OfAction>>,
    next_mark: u32,
    /// How many events of the system the constraints have learned of.
    events: usize,
    ready_asked: bool,
    steps_asked: bool,
}

/// What an action means to the constraints, wherever it is taken or enabled.
#[derive(Clone, Debug)]
struct OfAction {
    /// Marks of every step that takes it.
    taken: MarkSet,
    /// The constraints whose *when* asks for something enabled and is answered by this action, as
    /// `Mark(2 · constraint)`, and those whose *then* is, as `Mark(2 · constraint + 1)`.
    enables: MarkSet,
}

impl Lowering {
    /// Gives marks from `first` on to the constraints.
    pub fn new(constraints: Vec<Constraint>, first: Mark) -> Self {
        let mut next = first.0;
        let mut fresh = || {
            next += 1;
            Mark(next - 1)
        };
        let marks = constraints
            .iter()
            .map(|constraint| match constraint.strength {
                Strength::Weak => Marks::Weak { settled: fresh() },
                Strength::Strong => Marks::Strong { when: fresh(), then: fresh() },
            })
            .collect();
        let asked = |kind: fn(&Predicate) -> bool| {
            constraints.iter().any(|constraint| kind(&constraint.when) || kind(&constraint.then))
        };
        let ready_asked = asked(|predicate| matches!(predicate, Predicate::Ready(_)));
        let steps_asked = asked(|predicate| matches!(predicate, Predicate::Step(_)));
        let of_action = Vec::new();
        Lowering {
            constraints,
            marks,
            of_action,
            next_mark: next,
            events: 0,
            ready_asked,
            steps_asked,
        }
    }

    /// The constraints.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// The first mark that is not used here.
    pub fn end(&self) -> Mark {
        Mark(self.next_mark)
    }

    /// The condition that the marks of a fair run satisfy.
    pub fn acceptance(&self) -> Acceptance {
        Acceptance::and((0..self.marks.len()).map(|constraint| self.acceptance_of(constraint)))
    }

    /// The condition of one constraint alone.
    pub fn acceptance_of(&self, constraint: usize) -> Acceptance {
        match self.marks[constraint] {
            Marks::Weak { settled } => Acceptance::Inf(settled),
            Marks::Strong { when, then } => {
                Acceptance::or([Acceptance::Fin(when), Acceptance::Inf(then)])
            }
        }
    }

    /// The marks that every step out of `state` carries, given the transitions enabled there (the
    /// idle step does not count as one).
    pub fn state_marks<S: TransitionSystem>(
        &mut self,
        system: &mut S,
        state: StateId,
        enabled: &[Transition],
    ) -> MarkSet {
        let mut offered: Vec<MoveId> = Vec::new();
        if self.ready_asked {
            system.offered(state, &mut offered);
        }
        self.learn(system);
        let mut enables = MarkSet::new();
        for transition in enabled.iter().filter(|transition| transition.action != ActionId::IDLE) {
            enables.union_with(&self.of_action(transition.action, system).enables);
        }
        let signature = system.signature();
        let ready =
            |selector: &Selector| offered.iter().any(|&id| selector.selects_move(id, signature));
        let known = |predicate: &Predicate, bit: Mark| match predicate {
            Predicate::True => Some(true),
            Predicate::Enabled(_) => Some(enables.contains(bit)),
            Predicate::Disabled(_) => Some(!enables.contains(bit)),
            Predicate::Ready(selector) => Some(ready(selector)),
            Predicate::Taken(_) | Predicate::Step(_) => None,
        };
        let mut set = MarkSet::new();
        for ((at, constraint), marks) in (0u32..).zip(&self.constraints).zip(&self.marks) {
            let when = known(&constraint.when, Mark(2 * at));
            let then = known(&constraint.then, Mark(2 * at + 1));
            marks.put(when, then, &mut set);
        }
        set
    }

    /// The marks that neither the state nor the action alone decides: those of constraints about
    /// combinations of both. `None` when there are no such constraints.
    pub fn step_marks<S: TransitionSystem>(
        &self,
        system: &S,
        state: StateId,
        action: ActionId,
    ) -> Option<MarkSet> {
        if !self.steps_asked {
            return None;
        }
        let (event, signature) = (system.action(action).event, system.signature());
        let known = |predicate: &Predicate| match predicate {
            Predicate::Step(formula) => {
                Some(formula.holds(event, signature, &|atom| system.holds(state, atom)))
            }
            _ => None,
        };
        let mut set = MarkSet::new();
        for (constraint, marks) in self.constraints.iter().zip(&self.marks) {
            marks.put(known(&constraint.when), known(&constraint.then), &mut set);
        }
        Some(set)
    }

    /// The marks that steps with this action carry in every state.
    pub fn action_marks<S: TransitionSystem>(&mut self, id: ActionId, system: &S) -> &MarkSet {
        &self.of_action(id, system).taken
    }

    /// Tells the constraints of the events that have been met since.
    fn learn<S: TransitionSystem>(&mut self, system: &S) {
        let signature = system.signature();
        if signature.events.len() > self.events {
            self.constraints.iter_mut().for_each(|constraint| constraint.learn(signature));
            self.events = signature.events.len();
        }
    }

    fn of_action<S: TransitionSystem>(&mut self, id: ActionId, system: &S) -> &OfAction {
        if id.index() >= self.of_action.len() {
            self.of_action.resize(id.index() + 1, None);
        }
        let (constraints, marks) = (&self.constraints, &self.marks);
        self.of_action[id.index()].get_or_insert_with(|| {
            let (action, signature) = (system.action(id), system.signature());
            let taken = |predicate: &Predicate| match predicate {
                Predicate::Taken(selector) => Some(selector.selects(action, signature)),
                _ => None,
            };
            let enabled = |predicate: &Predicate| match predicate {
                Predicate::Enabled(selector) | Predicate::Disabled(selector) => {
                    selector.selects(action, signature)
                }
                _ => false,
            };
            let mut of_action = OfAction { taken: MarkSet::new(), enables: MarkSet::new() };
            for ((at, constraint), marks) in (0u32..).zip(constraints).zip(marks) {
                marks.put(taken(&constraint.when), taken(&constraint.then), &mut of_action.taken);
                if enabled(&constraint.when) {
                    of_action.enables.insert(Mark(2 * at));
                }
                if enabled(&constraint.then) {
                    of_action.enables.insert(Mark(2 * at + 1));
                }
            }
            of_action
        })
    }
}

impl Marks {
    /// Adds the marks that follow from what is known of *when* and *then*; `None` is not known
    /// here, and then another part of the step decides: its state, its action, or both together.
    fn put(self, when: Option<bool>, then: Option<bool>, set: &mut MarkSet) {
        match self {
            Marks::Weak { settled } => {
                if when == Some(false) || then == Some(true) {
                    set.insert(settled);
                }
            }
            Marks::Strong { when: asked, then: given } => {
                if when == Some(true) {
                    set.insert(asked);
                }
                if then == Some(true) {
                    set.insert(given);
                }
            }
        }
    }
}
