//! The control states of a process and what leads from one to the next, as SPIN's verifier has them.
//!
//! [`Machine::of`] does what SPIN does between its elements and its table of transitions: jumps and
//! joins are passed over (`huntele`), the options of nested choices are drawn together into the
//! state of the outermost one (`retrans`), and the steps of escapes are put before those of the
//! statements they guard.

use super::flow::{Element, ElementId, Flow, Node, Sequence, SequenceId};
use crate::promela::ast::{ExprKind, Label, StmtKind};

/// A step out of a control state.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The statement that is executed.
    pub(super) element: ElementId,
    /// Where it leads; nowhere if the process ends.
    pub(super) target: Option<ElementId>,
    /// Whether the process goes on alone.
    pub(super) atomic: bool,
    /// The states that escapes from the statement begin in, the outermost first.
    escapes: Vec<ElementId>,
    /// The state of the escape it belongs to.
    pub(super) escape: Option<ElementId>,
}

/// Work to do in a state.
#[derive(Clone, Debug)]
enum State {
    /// Nothing is known: the element is no state.
    None,
    Step(Step),
    /// Steps that begin at one of these.
    Choice(Vec<ElementId>),
}

/// Meaning of a state for properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    pub(super) end: bool,
    pub(super) progress: bool,
    pub(super) accept: bool,
}

impl Marks {
    fn join(&mut self, other: Marks) {
        self.end |= other.end;
        self.progress |= other.progress;
        self.accept |= other.accept;
    }
}

/// The control states of a process.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) start: ElementId,
    /// By element: what leads on from there, in the order in which SPIN tries it.
    pub(super) steps: Vec<Vec<Step>>,
    /// By element.
    pub(super) marks: Vec<Marks>,
}

/// Jumps that lead in a circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CycleError(pub(super) ElementId);

/// How many jumps lie between two statements at most; SPIN's own bound.
const JUMPS: usize = 500;

struct Maker<'f, 'a> {
    flow: &'f mut Flow<'a>,
    states: Vec<State>,
    done: Vec<bool>,
}

impl Machine {
    /// The control states of the process.
    ///
    /// # Errors
    /// When a jump never arrives at a statement.
    pub(super) fn of(flow: &mut Flow<'_>, labels: &[Label]) -> Result<Machine, CycleError> {
        let count = flow.elements.len();
        let body = flow.body;
        let mut maker = Maker { flow, states: vec![State::None; count], done: vec![false; count] };
        maker.sequence(body)?;
        let first = maker.flow.sequences[body].first;
        let start = maker.arrive(first, maker.flow.elements[first].atomic)?;
        let Maker { flow, states, .. } = maker;
        let mut marks: Vec<Marks> = flow.elements.iter().map(|it| own_marks(it, labels)).collect();
        let steps = gather(&draw_together(states, &mut marks), &mut marks);
        Ok(Machine { start, steps: escape(steps), marks })
    }
}

fn own_marks(element: &Element<'_>, labels: &[Label]) -> Marks {
    let mut marks = Marks { end: matches!(element.node, Node::End), ..Marks::default() };
    for label in element.labels.iter().filter_map(|label| labels.get(label.index())) {
        marks.join(Marks {
            end: label.is_end(),
            progress: label.is_progress(),
            accept: label.is_accept(),
        });
    }
    marks
}

impl Maker<'_, '_> {
    /// The element at which something arrives that goes to `element`. Inside an atomic chain a
    /// jump that leaves it is a step of its own.
    fn arrive(&self, element: ElementId, atomic: bool) -> Result<ElementId, CycleError> {
        let elements = &self.flow.elements;
        let mut at = element;
        for _ in 0..JUMPS {
            let onward = match elements[at].node {
                Node::Goto(_) | Node::Leave(_) => self.flow.jump(at),
                Node::Join | Node::Break => elements[at].next,
                Node::Unless => {
                    elements[at].parts.first().map(|&main| self.flow.sequences[main].first)
                }
                _ => return Ok(at),
            };
            let Some(onward) = onward else { return Ok(at) };
            if atomic && !elements[onward].atomic {
                return Ok(at);
            }
            at = onward;
        }
        Err(CycleError(element))
    }

    /// The element that an option begins with.
    fn begin(&self, element: ElementId) -> Result<ElementId, CycleError> {
        let elements = &self.flow.elements;
        let mut at = element;
        for _ in 0..JUMPS {
            at = match (elements[at].node, elements[at].next) {
                (Node::Join, Some(next)) => next,
                (Node::Unless, _) => match elements[at].parts.first() {
                    Some(&main) => self.flow.sequences[main].first,
                    None => return Ok(at),
                },
                _ => return Ok(at),
            };
        }
        Err(CycleError(element))
    }

    fn sequence(&mut self, sequence: SequenceId) -> Result<(), CycleError> {
        let Sequence { first, last, .. } = self.flow.sequences[sequence];
        let mut at = Some(first);
        while let Some(element) = at {
            if !std::mem::replace(&mut self.done[element], true) {
                self.element(element)?;
            }
            at = if element == last { None } else { self.flow.elements[element].next };
        }
        Ok(())
    }

    fn element(&mut self, element: ElementId) -> Result<(), CycleError> {
        match self.flow.elements[element].node {
            Node::Unless => {
                if let Some(&main) = self.flow.elements[element].parts.first() {
                    self.sequence(main)?;
                }
                Ok(())
            }
            Node::Choice => {
                let parts = self.flow.elements[element].parts.clone();
                let mut options = Vec::with_capacity(parts.len());
                for &part in &parts {
                    let option = self.begin(self.flow.sequences[part].first)?;
                    if !self.is_dead(option) {
                        options.push(option);
                    }
                }
                self.states[element] = State::Choice(options);
                parts.into_iter().try_for_each(|part| self.sequence(part))
            }
            Node::Atomic(inner) | Node::Block(inner) => {
                self.patch(inner);
                let Sequence { first, last, .. } = self.flow.sequences[inner];
                let option = self.begin(first)?;
                self.flow.elements[last].next = self.flow.elements[element].next;
                self.states[element] = State::Choice(vec![option]);
                self.sequence(inner)
            }
            Node::DStep(inner) => {
                self.patch(inner);
                let last = self.flow.sequences[inner].last;
                self.flow.elements[last].next = self.flow.elements[element].next;
                self.step(element)
            }
            _ => self.step(element),
        }
    }

    /// Whether an option can never be taken.
    fn is_dead(&self, option: ElementId) -> bool {
        let Element { node, escapes, .. } = &self.flow.elements[option];
        let Node::Basic(stmt) = node else { return false };
        match &stmt.kind {
            StmtKind::Condition(condition) => {
                matches!(condition.kind, ExprKind::Number(0)) && escapes.is_empty()
            }
            _ => false,
        }
    }

    fn step(&mut self, element: ElementId) -> Result<(), CycleError> {
        let Element { node, next, atomic, ref escapes, .. } = self.flow.elements[element];
        let onward = match node {
            Node::Goto(_) | Node::Leave(_) => self.flow.jump(element),
            _ => next,
        };
        let target = onward.map(|onward| self.arrive(onward, atomic)).transpose()?;
        let escapes = if matches!(node, Node::Join) { Vec::new() } else { escapes.clone() };
        let begins: Result<Vec<ElementId>, CycleError> = escapes
            .iter()
            .map(|&escape| self.arrive(self.flow.sequences[escape].first, atomic))
            .collect();
        let step = Step { element, target, atomic, escapes: begins?, escape: None };
        self.states[element] = State::Step(step);
        escapes.into_iter().try_for_each(|escape| self.sequence(escape))
    }

    /// Ends the atomic chain at jumps that leave it, and keeps it up at jumps into another.
    fn patch(&mut self, sequence: SequenceId) {
        let Sequence { first, extent, .. } = self.flow.sequences[sequence];
        let mut at = Some(first);
        while let Some(element) = at {
            if let Some(target) = self.flow.jump(element) {
                let Element { atomic, last_atomic, .. } = self.flow.elements[target];
                let there = atomic || last_atomic;
                let jump = &mut self.flow.elements[element];
                if (jump.atomic || jump.last_atomic) && !there {
                    (jump.atomic, jump.last_atomic) = (false, true);
                }
                if jump.last_atomic && there {
                    (jump.atomic, jump.last_atomic) = (true, false);
                }
            } else {
                for part in self.flow.elements[element].parts.clone() {
                    self.patch(part);
                }
            }
            at = if element == extent { None } else { self.flow.elements[element].next };
        }
    }
}

/// Puts the options of choices that begin an option of another one in its place. What the inner
/// state is for properties, its options are then.
fn draw_together(mut states: Vec<State>, marks: &mut [Marks]) -> Vec<State> {
    loop {
        let mut changed = false;
        for at in 0..states.len() {
            let State::Choice(options) = &states[at] else { continue };
            let nested = |option: &ElementId| matches!(&states[*option], State::Choice(inner) if !inner.is_empty());
            if !options.iter().any(nested) {
                continue;
            }
            let mut all = Vec::new();
            for &option in options {
                match &states[option] {
                    State::Choice(inner) if !inner.is_empty() => {
                        for &first in inner {
                            let from = marks[option];
                            marks[first].join(from);
                            all.push(first);
                        }
                    }
                    _ => all.push(option),
                }
            }
            changed = true;
            states[at] = State::Choice(all);
        }
        if !changed {
            return states;
        }
    }
}

/// Gives choices the steps of their options. What the passed state is for properties, the state
/// behind the step is then.
fn gather(states: &[State], marks: &mut [Marks]) -> Vec<Vec<Step>> {
    let step = |state: &State| match state {
        State::Step(step) => Some(step.clone()),
        State::None | State::Choice(_) => None,
    };
    let mut all = Vec::with_capacity(states.len());
    for state in states {
        all.push(match state {
            State::None => Vec::new(),
            State::Step(step) => vec![step.clone()],
            State::Choice(options) => {
                let mut steps = Vec::with_capacity(options.len());
                for &option in options {
                    let Some(step) = step(&states[option]) else { continue };
                    if let Some(target) = step.target {
                        let from = marks[option];
                        marks[target].join(from);
                    }
                    steps.push(step);
                }
                steps
            }
        });
    }
    all
}

/// Puts the steps of escapes first. An escape that can be escaped from has its own escapes in front
/// already if it comes earlier in the text, as in SPIN.
fn escape(mut all: Vec<Vec<Step>>) -> Vec<Vec<Step>> {
    for at in 0..all.len() {
        let mut steps = all[at].clone();
        for step in &all[at] {
            for &begin in step.escapes.iter().rev() {
                for escape in &all[begin] {
                    if steps.iter().all(|known| known.element != escape.element) {
                        steps.insert(0, Step { escape: Some(begin), ..escape.clone() });
                    }
                }
            }
        }
        all[at] = steps;
    }
    all
}
