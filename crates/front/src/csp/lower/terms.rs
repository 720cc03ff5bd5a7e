//! Operations on terms: their heads, their operands, the scopes of their expressions.

use std::cell::Cell;
use std::sync::Arc;

use fairly_model::Expr;
use hashbrown::HashSet;

use super::LowerError;
use super::alike::AlikeParts;
use super::alphabet::Which;
use super::collections::Collections;
use super::environment::{Environment, Value};
use super::events::{SetId, Sets};
use super::expression::{MAX_COPIES, Scope};
use super::message::{Lengths, lengths};
use super::names::{free_names, parameters_that_matter};
use super::shapes::{Shapes, shapes};
use super::term::Term;
use crate::csp::syntax as csp;
use crate::csp::syntax::{DefinitionId, LocalId, NodeId, Operator, ProcessKind, Specification};

/// How deep a term may be taken apart for one step. Deeper ones come from a process that refers to
/// itself before it makes a step.
pub(super) const MAX_HEADS: usize = 400;

/// The code of a process that refers to itself before it makes a step.
pub(super) const ENDLESS: &str = "E1097";

/// How many references are taken apart for the steps of one term. More come from a process that refers to
/// itself under several guards before it makes a step, each time with other arguments.
pub(super) const MAX_UNFOLDED: usize = 5_000;

/// How many references inside each other do not count for [`MAX_UNFOLDED`].
pub(super) const FEW_INSIDE: usize = 8;

/// A specification, with what is needed to make steps of its terms.
pub(super) struct Terms {
    /// The specification.
    pub(super) specification: Arc<Specification>,
    /// The number in the model of the first channel of each declared channel.
    pub(super) channels: Vec<u32>,
    /// How long the messages of each declared channel are.
    pub(super) lengths: Vec<Lengths>,
    /// Where there are arrays in them.
    pub(super) shapes: Shapes,
    /// Where collections are in the model.
    pub(super) collections: Collections,
    /// The free names of every node.
    free: Vec<Vec<LocalId>>,
    /// The parameters of every definition that alphabets depend on.
    pub(super) matter: Vec<Vec<LocalId>>,
    /// Alphabets and hidden sets.
    pub(super) sets: Sets,
    /// Which parts of processes are alike.
    pub(super) alike: AlikeParts,
    /// For each node, whether it is nothing but `Skip`: see [`skips`].
    skips: Vec<bool>,
    /// References that are being taken apart for one step, each inside the one before.
    pub(super) unfolding: Vec<(DefinitionId, Environment)>,
    /// How many references have been taken apart for the steps of one term.
    pub(super) unfolded: usize,
    /// Whether the last process that was given up was only too deep to be taken apart.
    pub(super) deep: Cell<bool>,
    /// Whether a step may assign to [`super::program::LIMIT`].
    pub(super) limited: Cell<bool>,
    /// How many operators and operands the expression that is read has been written out to.
    written: Cell<usize>,
    /// How many operands, steps and parts have been looked at.
    pub(super) work: Cell<u64>,
}

/// Error for an array that is too long to be given to a process.
pub(super) fn too_long(span: fairly_source::Span) -> LowerError {
    LowerError {
        code: "E1099",
        message:
            "this array is too long to be passed to a process or received; use it as a global one"
                .to_owned(),
        span,
    }
}

impl Terms {
    /// For a specification.
    pub(super) fn new(specification: Arc<Specification>) -> Terms {
        let free = free_names(&specification);
        let mut channels = Vec::new();
        let mut next = 0;
        for channel in &specification.channels {
            channels.push(next);
            next += channel.size.unwrap_or(1);
        }
        let matter = parameters_that_matter(&specification);
        let alike = AlikeParts::new(&specification);
        let skips = skips(&specification);
        let shapes = shapes(&specification);
        let lengths = lengths(&specification, &shapes);
        let (sets, work) = (Sets::default(), Cell::new(0));
        let collections = Collections::new(&specification);
        Terms {
            specification,
            channels,
            lengths,
            shapes,
            collections,
            free,
            matter,
            sets,
            alike,
            skips,
            unfolding: Vec::new(),
            unfolded: 0,
            deep: Cell::default(),
            limited: Cell::new(false),
            written: Cell::new(0),
            work,
        }
    }

    /// Counts work: see [`Terms::work`].
    pub(super) fn worked(&self, count: usize) {
        self.work.set(self.work.get() + count as u64);
    }

    /// The free names of a node, in order.
    pub(super) fn free(&self, node: NodeId) -> &[LocalId] {
        &self.free[node.index()]
    }

    /// Whether an expression of the text is nothing but `Skip`: see [`skips`].
    pub(super) fn skips(&self, node: NodeId) -> bool {
        self.skips[node.index()]
    }

    /// Whether a term is nothing but `Skip`: see [`skips`].
    fn is_skip(&self, term: &Term) -> bool {
        match term {
            Term::Skip => true,
            Term::Stop | Term::Done | Term::Interrupt(..) | Term::Hide(..) => false,
            Term::Node(node, _) => self.skips(*node),
            Term::Sequence(first, second) => self.is_skip(first) && self.is_skip(second),
            Term::External(terms) | Term::Interleave(terms) => {
                terms.iter().all(|term| self.is_skip(term))
            }
            Term::Parallel(terms) => terms.iter().all(|(term, _)| self.is_skip(term)),
            Term::Atomic(inner) => self.is_skip(inner),
        }
    }

    /// The scope of expressions whose names mean this.
    pub(super) fn scope<'a>(&'a self, names: &'a dyn Fn(LocalId) -> Option<Expr>) -> Scope<'a> {
        self.written.set(0);
        Scope {
            specification: &self.specification,
            channels: &self.channels,
            lengths: &self.lengths,
            collections: &self.collections,
            placed: None,
            assumed: None,
            written: &self.written,
            names,
        }
    }

    /// An expression where the names have these values.
    pub(super) fn expr(
        &self,
        expr: &csp::Expr,
        environment: &Environment,
    ) -> Result<Expr, LowerError> {
        self.scope(&|local| environment.get(local).map(Value::expr)).expr(expr)
    }

    /// Whether evaluating an expression of the model can be a fault.
    pub(super) fn is_partial(&self, expr: &Expr) -> bool {
        self.scope(&|_| None).is_partial(expr)
    }

    /// Whether evaluating an expression of the model is a fault in every state.
    pub(super) fn always_fails(&self, expr: &Expr) -> bool {
        self.scope(&|_| None).always_fails(expr)
    }

    /// An expression of the text, where its names have these values.
    pub(super) fn node(&self, node: NodeId, environment: &Environment) -> Term {
        match self.specification.node(node).kind {
            ProcessKind::Stop => Term::Stop,
            ProcessKind::Skip => Term::Skip,
            _ => Term::Node(node, environment.restricted(&self.free[node.index()])),
        }
    }

    /// The values of the parameters of a definition.
    pub(super) fn arguments(
        &self,
        arguments: &[csp::Expr],
        environment: &Environment,
    ) -> Result<Environment, LowerError> {
        let mut inner = Environment::default();
        let names = |local| environment.get(local).map(Value::expr);
        let scope = self.scope(&names);
        for (at, argument) in arguments.iter().enumerate() {
            let local = LocalId::from_index(at);
            let Some(elements) = scope.array(argument)? else {
                inner.set(local, Value::deferred(scope.expr(argument)?));
                continue;
            };
            let elements = elements.into_iter().map(Value::deferred).collect();
            inner.set_all(local, elements).ok_or_else(|| too_long(argument.span))?;
        }
        Ok(inner)
    }

    /// The operands of a composition, replicated or not; where a variable has a value, if one is given.
    pub(super) fn operands(
        &self,
        node: NodeId,
        environment: &Environment,
        assumed: Option<(&Expr, i64)>,
    ) -> Result<Vec<(NodeId, Environment)>, LowerError> {
        let process = self.specification.node(node);
        let operands: Vec<(NodeId, Environment)> = match &process.kind {
            ProcessKind::Compose { operands, .. } => {
                operands.iter().map(|&operand| (operand, environment.clone())).collect()
            }
            ProcessKind::Synchronised { operands, .. } => {
                operands.iter().map(|&operand| (operand, environment.clone())).collect()
            }
            ProcessKind::Replicate { bindings, body, .. } => {
                let mut copies = Vec::new();
                let names = |local| environment.get(local).map(Value::expr);
                let scope = Scope { assumed, ..self.scope(&names) };
                scope.each(bindings, process.span, &mut |scope| {
                    let mut inner = environment.clone();
                    for binding in bindings {
                        let value = (scope.names)(binding.local).expect("just bound");
                        inner.set(binding.local, Value::deferred(value));
                    }
                    copies.push((*body, inner));
                    Ok(())
                })?;
                copies
            }
            ProcessKind::Copies { count, body } => match self.expr(count, environment)? {
                Expr::Const(count) if (0..=MAX_COPIES as i64).contains(&count) => {
                    (0..count).map(|_| (*body, environment.clone())).collect()
                }
                _ => {
                    return Err(LowerError {
                        code: "E1093",
                        message: format!(
                            "the number of copies must be known before the search, and be at most \
                             {MAX_COPIES}"
                        ),
                        span: count.span,
                    });
                }
            },
            _ => Vec::new(),
        };
        self.worked(operands.len());
        Ok(operands)
    }

    /// The alphabet of an operand of `||`, as a set.
    pub(super) fn alphabet_set(
        &mut self,
        node: NodeId,
        environment: &Environment,
    ) -> Result<SetId, LowerError> {
        let alphabet = self.alphabet(node, environment, Which::Alphabet)?;
        Ok(self.sets.intern(alphabet))
    }

    /// The alphabet of one side of `P |[X]| Q` or `P |[X|Y]| Q`.
    pub(super) fn own_alphabet(
        &mut self,
        alphabets: &[Vec<csp::EventSet>],
        side: usize,
        environment: &Environment,
    ) -> Result<SetId, LowerError> {
        let own = alphabets.get(side).or(alphabets.first());
        self.hidden_set(own.map_or(&[], Vec::as_slice), environment)
    }

    /// A set of hidden events.
    pub(super) fn hidden_set(
        &mut self,
        events: &[csp::EventSet],
        environment: &Environment,
    ) -> Result<SetId, LowerError> {
        let hidden: HashSet<_> = self.event_set(events, environment)?;
        Ok(self.sets.intern(hidden))
    }

    /// The term with references, compositions and the like taken apart wherever it could make its
    /// next step, so that the same process has the same term however it is written.
    pub(super) fn head(&mut self, term: &Term, depth: usize) -> Result<Term, LowerError> {
        let each = |this: &mut Terms, term: &Arc<Term>| this.head(term, depth + 1).map(Arc::new);
        Ok(match term {
            Term::Stop | Term::Skip | Term::Done => term.clone(),
            Term::Node(node, environment) => return self.head_of_node(*node, environment, depth),
            // `Skip; Q` is `Q`, and makes no step to become it.
            Term::Sequence(first, second) if self.is_skip(first) => {
                return self.head(second, depth + 1);
            }
            Term::Sequence(first, second) => {
                let first = each(self, first)?;
                match &*first {
                    Term::Stop => Term::Stop,
                    Term::Atomic(inner) if **inner == Term::Stop => Term::Stop,
                    _ => Term::Sequence(first, second.clone()),
                }
            }
            Term::Interrupt(first, second) => {
                Term::Interrupt(each(self, first)?, each(self, second)?)
            }
            Term::External(terms) => {
                Term::External(terms.iter().map(|term| each(self, term)).collect::<Result<_, _>>()?)
            }
            Term::Interleave(terms) => Term::Interleave(
                terms.iter().map(|term| each(self, term)).collect::<Result<_, _>>()?,
            ),
            Term::Parallel(terms) => Term::Parallel(
                terms
                    .iter()
                    .map(|(term, alphabet)| Ok((each(self, term)?, *alphabet)))
                    .collect::<Result<_, LowerError>>()?,
            ),
            Term::Hide(term, events) => {
                let inner = each(self, term)?;
                self.hide(inner, *events)
            }
            Term::Atomic(term) => atomic(each(self, term)?),
        })
    }

    fn head_of_node(
        &mut self,
        node: NodeId,
        environment: &Environment,
        depth: usize,
    ) -> Result<Term, LowerError> {
        let specification = Arc::clone(&self.specification);
        let process = specification.node(node);
        if depth > MAX_HEADS {
            return Err(self.too_deep(node));
        }
        let head = |this: &mut Terms, node: NodeId, environment: &Environment| {
            let term = this.node(node, environment);
            this.head(&term, depth + 1).map(Arc::new)
        };
        Ok(match &process.kind {
            ProcessKind::Reference { definition, arguments } => {
                let inner = self.arguments(arguments, environment)?;
                // Arguments are evaluated when the process makes its first step, whichever part of
                // it does: until then it stays whole.
                if !inner.is_stable() {
                    return Ok(self.node(node, environment));
                }
                let body = specification.definitions[definition.index()].body;
                let term = self.node(body, &inner);
                let unfolded = self.head(&term, depth + 1)?;
                // A name is not `Skip`, whatever it stands for: `P; Q` makes a step to become `Q`.
                if self.is_skip(&unfolded) {
                    return Ok(self.node(node, environment));
                }
                return Ok(unfolded);
            }
            // The operands of a choice are looked at when it makes a step, not each time that a step
            // leads to it.
            ProcessKind::Compose {
                operator: Operator::GeneralChoice | Operator::InternalChoice,
                ..
            }
            | ProcessKind::Replicate {
                operator: Operator::GeneralChoice | Operator::InternalChoice,
                ..
            } => self.node(node, environment),
            ProcessKind::Synchronised { operands, alphabets } => {
                let mut terms = Vec::with_capacity(operands.len());
                for (side, &operand) in operands.iter().enumerate() {
                    let alphabet = self.own_alphabet(alphabets, side, environment)?;
                    terms.push((head(self, operand, environment)?, alphabet));
                }
                Term::Parallel(terms)
            }
            ProcessKind::Compose { operator, .. } | ProcessKind::Replicate { operator, .. } => {
                let operands = self.operands(node, environment, None)?;
                match operator {
                    Operator::GeneralChoice | Operator::InternalChoice => {
                        unreachable!("it stays as it is written")
                    }
                    Operator::Interleave => self.interleave(&operands, depth)?,
                    Operator::Parallel => {
                        let mut terms = Vec::with_capacity(operands.len());
                        for (node, environment) in &operands {
                            let alphabet = self.alphabet_set(*node, environment)?;
                            terms.push((head(self, *node, environment)?, alphabet));
                        }
                        Term::Parallel(terms)
                    }
                    Operator::ExternalChoice => {
                        let mut terms = Vec::with_capacity(operands.len());
                        for (node, environment) in &operands {
                            terms.push(head(self, *node, environment)?);
                        }
                        Term::External(terms)
                    }
                    Operator::Interrupt => {
                        let mut terms = operands.iter();
                        let (node, environment) = terms.next().expect("at least two operands");
                        let mut all = head(self, *node, environment)?;
                        for (node, environment) in terms {
                            all = Arc::new(Term::Interrupt(all, head(self, *node, environment)?));
                        }
                        Arc::unwrap_or_clone(all)
                    }
                    Operator::Sequence => {
                        let mut terms = operands.iter().rev();
                        let (node, environment) = terms.next().expect("at least two operands");
                        let mut rest = Arc::new(self.node(*node, environment));
                        for (node, environment) in terms {
                            let first = Arc::new(self.node(*node, environment));
                            rest = Arc::new(Term::Sequence(first, rest));
                        }
                        return self.head(&rest, depth + 1);
                    }
                }
            }
            ProcessKind::Copies { .. } => {
                let operands = self.operands(node, environment, None)?;
                self.interleave(&operands, depth)?
            }
            ProcessKind::Hide { body, events } => {
                let hidden = self.hidden_set(events, environment)?;
                let inner = head(self, *body, environment)?;
                self.hide(inner, hidden)
            }
            ProcessKind::Atomic(body) => atomic(head(self, *body, environment)?),
            _ => self.node(node, environment),
        })
    }

    /// `P \ A`. What is hidden twice is hidden at once, or a process that comes back to itself inside
    /// would grow.
    fn hide(&mut self, term: Arc<Term>, events: SetId) -> Term {
        match &*term {
            Term::Hide(inner, more) if *more == events => Term::Hide(Arc::clone(inner), events),
            Term::Hide(inner, more) => {
                let both = self.sets.get(events).union(self.sets.get(*more)).cloned().collect();
                Term::Hide(Arc::clone(inner), self.sets.intern(both))
            }
            _ => Term::Hide(term, events),
        }
    }

    fn interleave(
        &mut self,
        operands: &[(NodeId, Environment)],
        depth: usize,
    ) -> Result<Term, LowerError> {
        let mut terms = Vec::with_capacity(operands.len());
        for (node, environment) in operands {
            let term = self.node(*node, environment);
            terms.push(Arc::new(self.head(&term, depth + 1)?));
        }
        Ok(Term::Interleave(terms))
    }

    /// As [`endless`](Terms::endless), where it may also be that the end is only far away.
    pub(super) fn too_deep(&self, node: NodeId) -> LowerError {
        self.deep.set(true);
        self.endless(node)
    }

    /// A process that refers to itself before it makes a step.
    pub(super) fn endless(&self, node: NodeId) -> LowerError {
        let span = self.specification.node(node).span;
        let inside = |definition: &&csp::Definition| {
            definition.span.start <= span.start && span.end <= definition.span.end
        };
        let name = self.specification.definitions.iter().find(inside);
        LowerError {
            code: ENDLESS,
            message: format!(
                "the process `{}` goes on without end before it makes a step",
                name.map_or("?", |definition| &definition.name.text)
            ),
            span,
        }
    }
}

/// For each node, whether it is nothing but `Skip`, so that what follows it in a sequence follows at
/// once. As in PAT, names, hidden events, conditions and interruptions hide it: `P; Q` makes a silent
/// step although `P = Skip`.
fn skips(specification: &Specification) -> Vec<bool> {
    let mut skips: Vec<bool> = Vec::with_capacity(specification.nodes.len());
    for process in &specification.nodes {
        let is_skip = |node: &NodeId| skips[node.index()];
        let hides = |operator| matches!(operator, Operator::InternalChoice | Operator::Interrupt);
        skips.push(match &process.kind {
            ProcessKind::Skip => true,
            ProcessKind::Compose { operator, operands } => {
                !hides(*operator) && operands.iter().all(is_skip)
            }
            ProcessKind::Synchronised { operands, .. } => operands.iter().all(is_skip),
            ProcessKind::Replicate { operator, body, .. } => !hides(*operator) && is_skip(body),
            ProcessKind::Copies { body, .. } | ProcessKind::Atomic(body) => is_skip(body),
            ProcessKind::Stop
            | ProcessKind::Reference { .. }
            | ProcessKind::Prefix { .. }
            | ProcessKind::Alternatives { .. }
            | ProcessKind::Assert(_)
            | ProcessKind::Guard { .. }
            | ProcessKind::If { .. }
            | ProcessKind::Case { .. }
            | ProcessKind::Hide { .. } => false,
        });
    }
    skips
}

/// `atomic { P }`, which is the same inside another.
fn atomic(term: Arc<Term>) -> Term {
    match &*term {
        Term::Atomic(inner) => Term::Atomic(Arc::clone(inner)),
        _ => Term::Atomic(term),
    }
}
