//! Constraints as marks on the steps of a system.
//!
//! A weak constraint has one mark, on the steps where nothing is owed: `Inf`. A strong one has two:
//! `Fin(when) ∨ Inf(then)`. The marks of a step are those its state gives to all of its steps and
//! those its action gives it in every state.
//!
//! The marks of a state depend on which predicates are *answered* there, by an action that is enabled or a move
//! that is offered. So a caller can find out once per action or move which predicates it answers, and once per
//! set of answers which marks follow; [`Mark`]s number the predicates in such a set. Nothing is laid out by
//! event or move, so events and moves may be met while the marks are asked for.

use fairly_omega::{Acceptance, Mark, MarkSet};
use fairly_system::{Action, ActionId, AtomIndex, EventId, MoveId, Signature};

use crate::constraint::{Constraint, Predicate, Strength};

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
    next_mark: u32,
    ready_asked: bool,
    steps_asked: bool,
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
        Lowering { constraints, marks, next_mark: next, ready_asked, steps_asked }
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

    /// The constraint that a mark belongs to.
    pub fn constraint_of(&self, mark: Mark) -> Option<&Constraint> {
        let is_its = |marks: &Marks| match *marks {
            Marks::Weak { settled } => settled == mark,
            Marks::Strong { when, then } => when == mark || then == mark,
        };
        self.marks.iter().position(is_its).map(|at| &self.constraints[at])
    }

    /// Whether a constraint asks what processes offer.
    pub fn asks_ready(&self) -> bool {
        self.ready_asked
    }

    /// Whether a constraint is about combinations of states and events.
    pub fn asks_steps(&self) -> bool {
        self.steps_asked
    }

    /// The state propositions in those combinations.
    pub fn step_atoms(&self) -> Vec<AtomIndex> {
        let mut atoms = Vec::new();
        for constraint in &self.constraints {
            for predicate in [&constraint.when, &constraint.then] {
                if let Predicate::Step(formula) = predicate {
                    formula.collect_atoms(&mut atoms);
                }
            }
        }
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// The marks of every step that takes an action, and the predicates that it answers where it is
    /// enabled. The idle step is not enabled, and answers nothing.
    pub fn of_action(
        &self,
        id: ActionId,
        action: &Action,
        signature: &Signature,
    ) -> (MarkSet, MarkSet) {
        let taken = |predicate: &Predicate| match predicate {
            Predicate::Taken(selector) => Some(selector.selects(action, signature)),
            _ => None,
        };
        let mut marked = MarkSet::new();
        for (constraint, marks) in self.constraints.iter().zip(&self.marks) {
            marks.put(taken(&constraint.when), taken(&constraint.then), &mut marked);
        }
        let answered = self.answered(|predicate| match predicate {
            Predicate::Enabled(selector) | Predicate::Disabled(selector) => {
                id != ActionId::IDLE && selector.selects(action, signature)
            }
            _ => false,
        });
        (marked, answered)
    }

    /// The predicates that a move answers where it is offered.
    pub fn of_move(&self, id: MoveId, signature: &Signature) -> MarkSet {
        self.answered(|predicate| match predicate {
            Predicate::Ready(selector) => selector.selects_move(id, signature),
            _ => false,
        })
    }

    /// The predicates for which this is true.
    fn answered(&self, is_answered: impl Fn(&Predicate) -> bool) -> MarkSet {
        let predicates = self.constraints.iter().flat_map(|it| [&it.when, &it.then]);
        let answered = (0u32..).zip(predicates).filter(|(_, predicate)| is_answered(predicate));
        answered.map(|(at, _)| Mark(at)).collect()
    }

    /// The marks that every step out of a state carries, given the predicates that the actions enabled
    /// there and the moves offered there answer.
    pub fn state_marks(&self, answered: &MarkSet) -> MarkSet {
        let mut set = MarkSet::new();
        for ((at, constraint), marks) in (0u32..).zip(&self.constraints).zip(&self.marks) {
            let when = constraint.when.in_state(answered.contains(Mark(2 * at)));
            let then = constraint.then.in_state(answered.contains(Mark(2 * at + 1)));
            marks.put(when, then, &mut set);
        }
        set
    }

    /// How many predicates there are that may be answered.
    pub fn predicate_count(&self) -> usize {
        2 * self.constraints.len()
    }

    /// Marks that one predicate adds to those of a state, by whether it is answered there. The marks of a state
    /// are the union over its predicates.
    pub fn state_marks_by(&self, predicate: usize, is_answered: bool) -> MarkSet {
        let (constraint, marks) = (&self.constraints[predicate / 2], self.marks[predicate / 2]);
        let mut set = MarkSet::new();
        if predicate.is_multiple_of(2) {
            marks.put(constraint.when.in_state(is_answered), None, &mut set);
        } else {
            marks.put(None, constraint.then.in_state(is_answered), &mut set);
        }
        set
    }

    /// The marks that neither the state nor the action alone decides: those of constraints about
    /// combinations of both, for a step with this event out of a state with these propositions.
    pub fn step_marks(
        &self,
        event: EventId,
        signature: &Signature,
        holds: &impl Fn(AtomIndex) -> bool,
    ) -> MarkSet {
        let known = |predicate: &Predicate| match predicate {
            Predicate::Step(formula) => Some(formula.holds(event, signature, holds)),
            _ => None,
        };
        let mut set = MarkSet::new();
        for (constraint, marks) in self.constraints.iter().zip(&self.marks) {
            marks.put(known(&constraint.when), known(&constraint.then), &mut set);
        }
        set
    }
}

impl Predicate {
    /// Whether it is true in a state, as far as the state decides that, given whether it is answered.
    fn in_state(&self, is_answered: bool) -> Option<bool> {
        match self {
            Predicate::True => Some(true),
            Predicate::Enabled(_) | Predicate::Ready(_) => Some(is_answered),
            Predicate::Disabled(_) => Some(!is_answered),
            Predicate::Taken(_) | Predicate::Step(_) => None,
        }
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
