//! Terms: what is left of a process at a point of a run.

use std::sync::Arc;

use fairly_model::{Expr, LocalId as Cell};
use hashbrown::HashMap;

use super::environment::{Environment, Value, as_cell, substituted};
use super::events::SetId;
use crate::csp::syntax::NodeId;

/// A process expression with values for its free names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Term {
    /// Nothing more happens.
    Stop,
    /// It can terminate.
    Skip,
    /// It has terminated.
    Done,
    /// An expression of the text, which has made no step.
    Node(NodeId, Environment),
    /// `P; Q`. The second has made no step.
    Sequence(Arc<Term>, Arc<Term>),
    /// `P interrupt Q`.
    Interrupt(Arc<Term>, Arc<Term>),
    /// `P [*] Q`.
    External(Vec<Arc<Term>>),
    /// `P ||| Q`.
    Interleave(Vec<Arc<Term>>),
    /// `P || Q`: the events in their alphabets are taken together.
    Parallel(Vec<(Arc<Term>, SetId)>),
    /// `P \ A`.
    Hide(Arc<Term>, SetId),
    /// `atomic { P }`.
    Atomic(Arc<Term>),
}

impl Term {
    /// Rebuilds the term with other environments, from left to right.
    fn mapped(&self, change: &mut impl FnMut(&Environment) -> Environment) -> Term {
        let mut each =
            |terms: &[Arc<Term>]| terms.iter().map(|term| Arc::new(term.mapped(change))).collect();
        match self {
            Term::Stop | Term::Skip | Term::Done => self.clone(),
            Term::Node(node, environment) => Term::Node(*node, change(environment)),
            Term::Sequence(first, second) => {
                let first = Arc::new(first.mapped(change));
                Term::Sequence(first, Arc::new(second.mapped(change)))
            }
            Term::Interrupt(first, second) => {
                let first = Arc::new(first.mapped(change));
                Term::Interrupt(first, Arc::new(second.mapped(change)))
            }
            Term::External(terms) => Term::External(each(terms)),
            Term::Interleave(terms) => Term::Interleave(each(terms)),
            Term::Parallel(terms) => Term::Parallel(
                terms
                    .iter()
                    .map(|(term, alphabet)| (Arc::new(term.mapped(change)), *alphabet))
                    .collect(),
            ),
            Term::Hide(term, events) => Term::Hide(Arc::new(term.mapped(change)), *events),
            Term::Atomic(term) => Term::Atomic(Arc::new(term.mapped(change))),
        }
    }

    /// The term with the values that its names have now, for what comes after the step.
    pub(super) fn captured(&self) -> Term {
        self.mapped(&mut |environment| environment.mapped(Value::captured))
    }

    /// The term with every expression changed.
    pub(super) fn with_exprs(&self, change: &mut impl FnMut(&Expr) -> Expr) -> Term {
        self.mapped(&mut |environment| {
            environment.mapped(|value| match value {
                Value::Known(known) => Value::Known(*known),
                Value::Deferred(expr) => Value::deferred(change(expr)),
                Value::Captured(expr) => Value::Captured(change(expr)),
            })
        })
    }

    /// How many expressions and operators it is made of, counted up to a limit.
    pub(super) fn size(&self, limit: usize) -> usize {
        let mut open: Vec<&Term> = vec![self];
        let mut size = 0;
        while let Some(term) = open.pop() {
            size += 1;
            if size >= limit {
                break;
            }
            match term {
                Term::Stop | Term::Skip | Term::Done | Term::Node(..) => {}
                Term::Sequence(a, b) | Term::Interrupt(a, b) => open.extend([&**a, &**b]),
                Term::External(terms) | Term::Interleave(terms) => {
                    open.extend(terms.iter().map(|term| &**term));
                }
                Term::Parallel(terms) => open.extend(terms.iter().map(|(term, _)| &**term)),
                Term::Hide(term, _) | Term::Atomic(term) => open.push(term),
            }
        }
        size
    }
}

/// A term whose values are numbers, cells, and expressions over cells and global variables, with the
/// cells numbered in the order in which they are met: equal behaviour has equal terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settled {
    /// The term.
    pub(super) term: Term,
    /// Value of each of its cells, evaluated in the state before the step.
    pub(super) cells: Vec<Expr>,
}

/// Gives every captured value a cell, and numbers the cells anew.
pub(super) fn settle(term: &Term) -> Settled {
    let mut numbers: HashMap<Expr, Cell> = HashMap::new();
    let mut cells: Vec<Expr> = Vec::new();
    let mut number = |expr: &Expr| {
        let cell = *numbers.entry(expr.clone()).or_insert_with(|| {
            cells.push(expr.clone());
            Cell::from_index(cells.len() - 1)
        });
        Expr::local(cell)
    };
    let term = term.mapped(&mut |environment| {
        environment.mapped(|value| match value {
            Value::Known(known) => Value::Known(*known),
            Value::Captured(Expr::Const(known)) => Value::Known(*known),
            Value::Captured(expr) => Value::Deferred(number(expr)),
            Value::Deferred(expr) => {
                Value::Deferred(substituted(expr, &mut |leaf| as_cell(leaf).map(|_| number(leaf))))
            }
        })
    });
    Settled { term, cells }
}
