//! `never` claims as automata.
//!
//! A claim looks at each state once, with one step. Statements in `atomic` look at the same state: what
//! follows the first of them is drawn into its step, and if one of them blocks there is no such step.
//! An assertion that fails completes the claim.

use fairly_model::Expr;
use hashbrown::HashMap;

use super::expression::both;
use super::flow::{ElementId, Flow, Node};
use super::machine::{Machine, Step};
use super::processes::{Lowering, Scope};
use super::properties::Propositions;
use super::{Lower, trouble};
use crate::promela::ast::{Proctype, Stmt, StmtKind};

/// A `never` claim: an automaton that reads the states of a run and must not accept.
///
/// It takes a step in every state of the run, the first included, by a step whose guard holds there.
/// The run is wrong if the claim comes to a state that [ends](ClaimState::ends), or passes states that
/// [accept](ClaimState::accepts) again and again. If no guard holds, the run is fine. A run that
/// ends in a deadlock stays in its last state for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// Its states; it starts in the first.
    pub states: Vec<ClaimState>,
}

/// A state of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimState {
    /// As it is shown.
    pub name: String,
    /// Whether it has a label that starts with `accept`.
    pub accepts: bool,
    /// Whether the claim is complete here: the run is wrong whatever follows.
    pub ends: bool,
    /// The steps onwards.
    pub steps: Vec<ClaimStep>,
}

/// A step of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimStep {
    /// The name of the proposition of the model that must hold; `None` for true.
    pub guard: Option<String>,
    /// The position of the state it leads to.
    pub target: usize,
}

/// How many ways there may be through an atomic sequence, and how long it may be.
const MOST_WAYS: usize = 1_000;
const MOST_STEPS: usize = 100;

/// A condition on states, and how it is written.
#[derive(Clone, Debug)]
struct Guard {
    expr: Expr,
    words: Vec<String>,
}

impl Guard {
    const TRUE: Guard = Guard { expr: Expr::TRUE, words: Vec::new() };

    fn and(self, other: Guard) -> Guard {
        let words = [self.words, other.words].concat();
        Guard { expr: both(self.expr, other.expr), words }
    }

    fn negated(self) -> Guard {
        let words = format!("!({})", self.words.join(" && "));
        Guard { expr: self.expr.negated(), words: vec![words] }
    }
}

/// Where a step leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Goal {
    At(ElementId),
    /// An assertion has failed.
    Failed,
}

/// A claim while its states are found.
struct Maker<'l, 'a> {
    lowering: &'l Lowering<'a>,
    of: &'a Proctype,
    flow: Flow<'a>,
    machine: Machine,
    /// Open branches: the condition so far, the number of steps, and the element.
    open: Vec<(Guard, usize, ElementId)>,
    /// The ways out of a state.
    ways: Vec<(Guard, Goal)>,
}

impl<'a> Lowering<'a> {
    pub(super) fn claim(&self, of: &'a Proctype, propositions: &mut Propositions) -> Lower<Claim> {
        let mut flow = Flow::of(of);
        let machine = Machine::of(&mut flow, &of.labels).map_err(|circle| {
            let place = flow.elements[circle.0].stmt.map_or(of.place, |stmt| stmt.place);
            trouble("E1193", "jumps that lead in a circle without a statement", place)
        })?;
        let (open, ways) = (Vec::new(), Vec::new());
        let maker = Maker { lowering: self, of, flow, machine, open, ways };
        maker.claim(propositions)
    }
}

impl<'a> Maker<'_, 'a> {
    fn claim(mut self, propositions: &mut Propositions) -> Lower<Claim> {
        let start = Goal::At(self.machine.start);
        let mut found = vec![start];
        let mut number: HashMap<Goal, usize> = HashMap::from([(start, 0)]);
        let mut states = Vec::new();
        while let Some(&from) = found.get(states.len()) {
            let mut state = self.state(from, states.len());
            if let (Goal::At(element), false) = (from, state.ends) {
                self.find_ways(element)?;
            }
            for (guard, goal) in self.ways.drain(..) {
                let next = found.len();
                let target = *number.entry(goal).or_insert_with(|| {
                    found.push(goal);
                    next
                });
                let guard = match guard.expr {
                    Expr::TRUE => None,
                    expr => Some(propositions.name(&guard.words.join(" && "), expr)),
                };
                let step = ClaimStep { guard, target };
                if !state.steps.contains(&step) {
                    state.steps.push(step);
                }
            }
            states.push(state);
        }
        Ok(Claim { name: self.of.name.clone(), states })
    }

    fn state(&self, at: Goal, number: usize) -> ClaimState {
        let Goal::At(element) = at else {
            let name = "assertion".to_owned();
            return ClaimState { name, accepts: false, ends: true, steps: Vec::new() };
        };
        let of = &self.flow.elements[element];
        let label = of.labels.iter().find_map(|label| self.of.labels.get(label.index()));
        ClaimState {
            name: label.map_or_else(|| format!("s{number}"), |label| label.name.clone()),
            accepts: self.machine.marks[element].accept,
            ends: matches!(of.node, Node::End),
            steps: Vec::new(),
        }
    }

    /// Finds all ways out of a state.
    fn find_ways(&mut self, from: ElementId) -> Lower<()> {
        self.open.push((Guard::TRUE, 0, from));
        while let Some((before, steps, at)) = self.open.pop() {
            if steps > MOST_STEPS || self.ways.len() + self.open.len() > MOST_WAYS {
                let message = "a claim with so much in `atomic`";
                return Err(trouble("E1199", message, self.of.place));
            }
            let first = self.open.len();
            self.find_steps(&before, steps, at)?;
            // In the order of the text, though the last that is put aside is taken first.
            self.open[first..].reverse();
        }
        Ok(())
    }

    /// Finds what leads on in one step, or further inside an atomic sequence.
    fn find_steps(&mut self, before: &Guard, steps: usize, at: ElementId) -> Lower<()> {
        // Condition of an `else` further on: none before it is possible.
        let mut blocked = Some(Guard::TRUE);
        for step in self.machine.steps[at].clone() {
            let node = self.flow.elements[step.element].node;
            let mut assertion = None;
            let guard = match node {
                Node::Basic(stmt) => {
                    let (guard, asserts) = self.looks(stmt)?;
                    assertion = asserts;
                    guard
                }
                Node::Else => match blocked.take() {
                    Some(blocked) => blocked,
                    None => continue,
                },
                Node::DStep(_) | Node::Unless => {
                    let message = "a claim with `d_step` or `unless`";
                    return Err(trouble("E1195", message, self.of.place));
                }
                _ => Guard::TRUE,
            };
            blocked = blocked.map(|blocked| blocked.and(guard.clone().negated()));
            let mut whole = before.clone().and(guard);
            if let Some(assertion) = assertion {
                self.fail(&whole, &assertion);
                whole = passing(whole, assertion);
            }
            self.go_on(&step, whole, steps);
        }
        Ok(())
    }

    /// When a statement of a claim can be executed, and what it asserts.
    fn looks(&self, stmt: &'a Stmt) -> Lower<(Guard, Option<Guard>)> {
        let condition = |of| {
            let expr = self.lowering.expr(of, Scope::Property)?.expr;
            Ok(Guard { expr, words: vec![self.lowering.words.at(of.place)] })
        };
        match &stmt.kind {
            StmtKind::Condition(of) => Ok((condition(of)?, None)),
            StmtKind::Printf(..) | StmtKind::Printm(_) => Ok((Guard::TRUE, None)),
            StmtKind::Assert(of) => {
                let asserted = condition(of)?;
                let asserted = self.lowering.options.assertions.then_some(asserted);
                Ok((Guard::TRUE, asserted))
            }
            _ => {
                let message = "a claim that does more than to look at states";
                Err(trouble("E1195", message, stmt.place))
            }
        }
    }

    /// Adds the way that ends with a false assertion.
    fn fail(&mut self, before: &Guard, assertion: &Guard) {
        // As `spin -f` has it: `atomic { p -> assert(!p) }`.
        let sure = assertion.expr == before.expr.clone().negated();
        let failing = match sure {
            true => before.clone(),
            false => before.clone().and(assertion.clone().negated()),
        };
        self.ways.push((failing, Goal::Failed));
    }

    fn go_on(&mut self, step: &Step, guard: Guard, steps: usize) {
        let (Some(target), false) = (step.target, guard.expr == Expr::FALSE) else { return };
        let ends = matches!(self.flow.elements[target].node, Node::End);
        match step.atomic && !ends {
            true => self.open.push((guard, steps + 1, target)),
            false => self.ways.push((guard, Goal::At(target))),
        }
    }
}

/// Condition so far if an assertion holds, too.
fn passing(before: Guard, assertion: Guard) -> Guard {
    if assertion.expr == before.expr.clone().negated() {
        return Guard { expr: Expr::FALSE, words: Vec::new() };
    }
    before.and(assertion)
}
