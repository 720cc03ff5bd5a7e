//! Continuations of processes, compared as PAT compares them: as terms in which the names have been replaced by
//! their values, not as places in the text.
//!
//! `a -> c -> D [] a -> c -> D` has one state after `a`, though `c -> D` is written twice. The body of
//! a definition is known by the name of the definition, so that it is not the same as the same text
//! elsewhere.

use std::sync::Arc;

use fairly_model::{
    Communication, Expr, LocalId as Cell, Pattern, Place, Statement, StatementKind,
};
use hashbrown::{HashMap, HashSet};

use super::LowerError;
use super::environment::{Environment, Value, as_cell, substituted};
use super::events::SetId;
use super::steps::{Step, StepLabel};
use super::term::Term;
use super::terms::Terms;
use crate::csp::syntax as csp;
use crate::csp::syntax::{
    ActionKind, ChannelId, DefinitionId, Domain, EventId, LocalId, NodeId, Operator, ProcessKind,
    Specification,
};

/// Where the cells begin that stand for names which an expression binds itself. They never get into
/// a model.
const BOUND: u32 = 1 << 24;

/// A part of a process, the same number for all that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Alike(u32);

/// An expression of the text with values for its free names.
type Part = (NodeId, Environment);

/// An expression without its operands and without its results.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Shape {
    Stop,
    Skip,
    /// Like nothing but itself.
    Itself(NodeId, Environment),
    Reference(DefinitionId),
    Event(EventId, usize, bool),
    Silent,
    Send(ChannelId),
    Receive(ChannelId, Vec<Pattern>),
    Alternatives(Vec<(EventId, usize)>),
    Assert,
    Guard,
    If(u8, bool),
    Case(bool),
    Compose(Operator),
    Synchronised(Vec<SetId>),
    /// An operator, and for each index whether it has a range.
    Replicate(Operator, Vec<(bool, usize)>),
    Copies,
    Hide(SetId),
    Atomic,
}

/// A line of a program, so that programs can be compared without their places in the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Line {
    Assign(Vec<(Place, Expr)>),
    If(Expr),
    Else,
    While(Expr),
    Assert(Expr),
    End,
}

/// An expression with its names replaced by their values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Residual {
    shape: Shape,
    exprs: Vec<Expr>,
    program: Vec<Line>,
    parts: Vec<Alike>,
    /// The cells that its names have, even where what they are is of no interest: a part that takes
    /// the place of another must not bring others.
    cells: Vec<Cell>,
}

impl Residual {
    fn new(shape: Shape) -> Residual {
        Residual {
            shape,
            exprs: Vec::new(),
            program: Vec::new(),
            parts: Vec::new(),
            cells: Vec::new(),
        }
    }
}

/// Which parts are alike.
#[derive(Debug, Default)]
pub(super) struct AlikeParts {
    /// The bodies of definitions.
    bodies: HashSet<NodeId>,
    numbers: HashMap<Part, Alike>,
    known: HashMap<Residual, Alike>,
    /// The first part with each number.
    first: Vec<Part>,
    /// Numbers for the names of binders.
    names: HashMap<String, u32>,
    /// For each node, the definition it is written in.
    owners: Vec<DefinitionId>,
}

impl AlikeParts {
    /// For a specification.
    pub(super) fn new(specification: &Specification) -> AlikeParts {
        let bodies = specification.definitions.iter().map(|definition| definition.body).collect();
        AlikeParts { bodies, owners: owners(specification), ..AlikeParts::default() }
    }
}

/// For each node, the definition it is written in.
pub(super) fn owners(specification: &Specification) -> Vec<DefinitionId> {
    let mut by_start: Vec<(usize, usize)> = specification
        .definitions
        .iter()
        .enumerate()
        .map(|(at, definition)| (definition.span.start, at))
        .collect();
    by_start.sort_unstable();
    let owner = |node: &csp::Process| {
        let next = by_start.partition_point(|&(start, _)| start <= node.span.start);
        DefinitionId::from_index(next.checked_sub(1).map_or(0, |before| by_start[before].1))
    };
    specification.nodes.iter().map(owner).collect()
}

impl Terms {
    /// The term with every part replaced by the first part that is alike.
    pub(super) fn alike(&mut self, term: &Term) -> Term {
        let each = |this: &mut Terms, terms: &[Arc<Term>]| {
            terms.iter().map(|term| Arc::new(this.alike(term))).collect()
        };
        match term {
            Term::Stop | Term::Skip | Term::Done => term.clone(),
            Term::Node(node, environment) => {
                let part = (*node, environment.clone());
                if self.alike.bodies.contains(node) {
                    return term.clone();
                }
                let Alike(number) = self.number(&part);
                let (node, environment) = &self.alike.first[number as usize];
                Term::Node(*node, environment.clone())
            }
            Term::Sequence(first, second) => {
                let first = Arc::new(self.alike(first));
                Term::Sequence(first, Arc::new(self.alike(second)))
            }
            Term::Interrupt(first, second) => {
                let first = Arc::new(self.alike(first));
                Term::Interrupt(first, Arc::new(self.alike(second)))
            }
            Term::External(terms) => Term::External(each(self, terms)),
            Term::Interleave(terms) => Term::Interleave(each(self, terms)),
            Term::Parallel(terms) => Term::Parallel(
                terms
                    .iter()
                    .map(|(term, alphabet)| (Arc::new(self.alike(term)), *alphabet))
                    .collect(),
            ),
            Term::Hide(inner, events) => Term::Hide(Arc::new(self.alike(inner)), *events),
            Term::Atomic(inner) => Term::Atomic(Arc::new(self.alike(inner))),
        }
    }

    /// The number of a part, without going deep into the call stack.
    fn number(&mut self, part: &Part) -> Alike {
        let mut open = vec![part.clone()];
        while let Some(next) = open.last() {
            if self.alike.numbers.contains_key(next) {
                open.pop();
                continue;
            }
            let next = next.clone();
            self.worked(1);
            let parts = self.parts(next.0, &next.1);
            let missing = open.len();
            open.extend(
                parts.iter().filter(|part| !self.alike.numbers.contains_key(*part)).cloned(),
            );
            if open.len() > missing {
                continue;
            }
            let mut residual = self
                .residual(next.0, &next.1)
                .unwrap_or_else(|_| Residual::new(Shape::Itself(next.0, next.1.clone())));
            residual.parts = parts.iter().map(|part| self.alike.numbers[part]).collect();
            residual.cells = cells(&next.1);
            let fresh = Alike(u32::try_from(self.alike.first.len()).expect("fewer than 2^32"));
            let number = *self.alike.known.entry(residual).or_insert(fresh);
            if number == fresh {
                self.alike.first.push(next.clone());
            }
            self.alike.numbers.insert(next, number);
            open.pop();
        }
        self.alike.numbers[part]
    }

    /// The parts of an expression, with values for their names.
    fn parts(&mut self, node: NodeId, environment: &Environment) -> Vec<Part> {
        let specification = Arc::clone(&self.specification);
        let process = specification.node(node);
        let mut inner = environment.clone();
        match &process.kind {
            ProcessKind::Prefix { action, .. } => {
                if let ActionKind::Input { message, .. } = &action.kind {
                    for part in message {
                        if let csp::Pattern::Bind(local, _) = part {
                            let name = self.bound(node, *local);
                            inner.set(*local, Value::Deferred(name));
                        }
                    }
                }
            }
            ProcessKind::Replicate { bindings, .. } => {
                for binding in bindings {
                    let name = self.bound(node, binding.local);
                    inner.set(binding.local, Value::Deferred(name));
                }
            }
            _ => {}
        }
        let part = |node: NodeId| (node, inner.restricted(self.free(node)));
        match &process.kind {
            ProcessKind::Stop
            | ProcessKind::Skip
            | ProcessKind::Reference { .. }
            | ProcessKind::Assert(_) => Vec::new(),
            ProcessKind::Prefix { then, .. } | ProcessKind::Alternatives { then, .. } => {
                vec![part(*then)]
            }
            ProcessKind::Guard { body, .. }
            | ProcessKind::Replicate { body, .. }
            | ProcessKind::Copies { body, .. }
            | ProcessKind::Hide { body, .. }
            | ProcessKind::Atomic(body) => vec![part(*body)],
            ProcessKind::If { then, otherwise, .. } => {
                [then].into_iter().chain(otherwise).map(|&node| part(node)).collect()
            }
            ProcessKind::Case { branches, otherwise } => {
                branches.iter().map(|(_, node)| node).chain(otherwise).map(|&n| part(n)).collect()
            }
            ProcessKind::Compose { operands, .. } => {
                operands.iter().map(|&node| part(node)).collect()
            }
            ProcessKind::Synchronised { operands, .. } => operands.map(part).to_vec(),
        }
    }

    /// Stand-in for a name that an expression binds itself: the same for the same name.
    fn bound(&mut self, node: NodeId, local: LocalId) -> Expr {
        let owner = self.alike.owners[node.index()];
        let name = &self.specification.definitions[owner.index()].locals[local.index()].name.text;
        let number = match self.alike.names.get(name) {
            Some(&number) => number,
            None => {
                let number = u32::try_from(self.alike.names.len()).expect("fewer than 2^32");
                self.alike.names.insert(name.clone(), number);
                number
            }
        };
        Expr::local(Cell(BOUND + number))
    }

    /// An expression with its names replaced, without its parts.
    ///
    /// # Errors
    /// When it cannot be compared with others.
    fn residual(
        &mut self,
        node: NodeId,
        environment: &Environment,
    ) -> Result<Residual, LowerError> {
        let specification = Arc::clone(&self.specification);
        let itself = || Residual::new(Shape::Itself(node, environment.clone()));
        let mut exprs = Vec::new();
        let shape = match &specification.node(node).kind {
            ProcessKind::Stop => Shape::Stop,
            ProcessKind::Skip => Shape::Skip,
            ProcessKind::Reference { definition, arguments } => {
                for argument in arguments {
                    exprs.push(self.expr(argument, environment)?);
                }
                Shape::Reference(*definition)
            }
            ProcessKind::Prefix { action, then } => {
                // Which occurrence an annotation belongs to is part of what it says.
                if action.annotation.is_some() {
                    return Ok(itself());
                }
                let mut steps = self.prefix(action, *then, environment)?;
                // With arrays in messages there may be several; then it is like no other.
                let (Some(step), true) = (steps.pop(), steps.is_empty()) else {
                    return Ok(Residual::new(Shape::Itself(node, environment.clone())));
                };
                return Ok(of_step(&step).unwrap_or_else(itself));
            }
            ProcessKind::Alternatives { events, .. } => {
                for argument in events.iter().flat_map(|event| &event.arguments) {
                    exprs.push(self.expr(argument, environment)?);
                }
                let words = events.iter().map(|event| (event.name, event.arguments.len()));
                Shape::Alternatives(words.collect())
            }
            ProcessKind::Assert(condition) => {
                exprs.push(self.expr(condition, environment)?);
                Shape::Assert
            }
            ProcessKind::Guard { condition, .. } => {
                exprs.push(self.expr(condition, environment)?);
                Shape::Guard
            }
            ProcessKind::If { kind, condition, otherwise, .. } => {
                exprs.push(self.expr(condition, environment)?);
                Shape::If(*kind as u8, otherwise.is_some())
            }
            ProcessKind::Case { branches, otherwise } => {
                for (condition, _) in branches {
                    exprs.push(self.expr(condition, environment)?);
                }
                Shape::Case(otherwise.is_some())
            }
            ProcessKind::Compose { operator, .. } => Shape::Compose(*operator),
            ProcessKind::Synchronised { alphabets, .. } => {
                let mut sets = Vec::with_capacity(alphabets.len());
                for alphabet in alphabets {
                    sets.push(self.hidden_set(alphabet, environment)?);
                }
                Shape::Synchronised(sets)
            }
            ProcessKind::Replicate { operator, bindings, .. } => {
                let mut inner = environment.clone();
                let mut domains = Vec::with_capacity(bindings.len());
                for binding in bindings {
                    let values: Vec<&csp::Expr> = match &binding.domain {
                        Domain::Range(low, high) => vec![low, high],
                        Domain::List(values) => values.iter().collect(),
                    };
                    for value in &values {
                        exprs.push(self.expr(value, &inner)?);
                    }
                    let is_range = matches!(binding.domain, Domain::Range(..));
                    domains.push((is_range, values.len()));
                    let name = self.bound(node, binding.local);
                    exprs.push(name.clone());
                    inner.set(binding.local, Value::Deferred(name));
                }
                Shape::Replicate(*operator, domains)
            }
            ProcessKind::Copies { count, .. } => {
                exprs.push(self.expr(count, environment)?);
                Shape::Copies
            }
            ProcessKind::Hide { events, .. } => Shape::Hide(self.hidden_set(events, environment)?),
            ProcessKind::Atomic(_) => Shape::Atomic,
        };
        Ok(Residual { exprs, ..Residual::new(shape) })
    }
}

/// The cells that values are made of, in order.
fn cells(environment: &Environment) -> Vec<Cell> {
    let mut cells = Vec::new();
    for value in environment.values() {
        if let Value::Deferred(expr) | Value::Captured(expr) = value {
            substituted(expr, &mut |leaf| {
                cells.extend(as_cell(leaf));
                None
            });
        }
    }
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// A prefix by the step that it makes; `None` if it is not like others.
fn of_step(step: &Step) -> Option<Residual> {
    let mut exprs = vec![step.guard.clone()];
    let shape = match (&step.label, &step.communication) {
        (StepLabel::Event { family, values, shared }, _) => {
            exprs.extend(values.iter().cloned());
            Shape::Event(*family, values.len(), *shared)
        }
        (StepLabel::Internal(None), _) => Shape::Silent,
        (StepLabel::Message(id), Communication::Send { channel, message, .. }) => {
            exprs.push(channel.clone());
            exprs.extend(message.iter().cloned());
            Shape::Send(*id)
        }
        (StepLabel::Message(id), Communication::Receive { channel, pattern, .. }) => {
            exprs.push(channel.clone());
            Shape::Receive(*id, pattern.clone())
        }
        _ => return None,
    };
    let mut program = Vec::new();
    lines(&step.program, &mut program)?;
    Some(Residual { exprs, program, ..Residual::new(shape) })
}

/// The lines of a program; `None` if there are statements that programs of CSP# do not have.
fn lines(statements: &[Statement], out: &mut Vec<Line>) -> Option<()> {
    for statement in statements {
        match &statement.kind {
            StatementKind::Assign(pairs) => out.push(Line::Assign(pairs.clone())),
            StatementKind::If { condition, then, otherwise } => {
                out.push(Line::If(condition.clone()));
                lines(then, out)?;
                out.push(Line::Else);
                lines(otherwise, out)?;
                out.push(Line::End);
            }
            StatementKind::While { condition, body } => {
                out.push(Line::While(condition.clone()));
                lines(body, out)?;
                out.push(Line::End);
            }
            StatementKind::Assert { condition, .. } => out.push(Line::Assert(condition.clone())),
            StatementKind::Start { .. }
            | StatementKind::Put { .. }
            | StatementKind::Take { .. } => {
                return None;
            }
        }
    }
    Some(())
}
