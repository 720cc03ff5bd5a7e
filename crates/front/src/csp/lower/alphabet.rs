//! Alphabets: the events that a process takes together with others of a parallel composition.
//!
//! As in PAT, the alphabet of a process is what `#alphabet` says of it, and otherwise all events
//! that are written in its definition and in the definitions it refers to. Events with a program,
//! `tau`, and what is said over channels are never taken together.

use std::collections::BTreeSet;
use std::sync::Arc;

use fairly_model::Expr;
use fairly_source::Span;
use hashbrown::HashSet;

use super::LowerError;
use super::environment::{Environment, Value};
use super::events::Concrete;
use super::expression::Scope;
use super::terms::Terms;
use crate::csp::syntax as csp;
use crate::csp::syntax::{ActionKind, NodeId, ProcessKind};

/// How many combinations of a definition and its arguments are looked at for one alphabet.
const MAX_REFERENCES: usize = 50_000;

/// A value that is not known.
const UNKNOWN: Expr = Expr::Received(0);

/// Which events count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// Those that are taken together: what `#alphabet` says, or what is written and can be.
    Alphabet,
    /// All that are written, whatever `#alphabet` says.
    Written,
}

impl Terms {
    /// The alphabet of a process expression.
    pub(super) fn alphabet(
        &self,
        node: NodeId,
        environment: &Environment,
        which: Which,
    ) -> Result<HashSet<Concrete>, LowerError> {
        let mut search = Search {
            terms: self,
            which,
            found: HashSet::new(),
            open: vec![(node, environment.clone(), Arc::default())],
            met: HashSet::new(),
        };
        while let Some((node, environment, hidden)) = search.open.pop() {
            self.worked(1);
            search.node(node, &environment, &hidden)?;
        }
        Ok(search.found)
    }

    /// The events of sets such as `{a, x:{0..2}@b.x}`.
    pub(super) fn event_set(
        &self,
        sets: &[csp::EventSet],
        environment: &Environment,
    ) -> Result<HashSet<Concrete>, LowerError> {
        let mut events = HashSet::new();
        let names = |local| environment.get(local).map(Value::expr);
        for set in sets {
            self.scope(&names).each(&set.bindings, set.event.span, &mut |scope| {
                events.insert(concrete(scope, &set.event)?.ok_or_else(|| LowerError {
                    code: "E1094",
                    message: "the events of a set must be known before the search".to_owned(),
                    span: set.event.span,
                })?);
                Ok(())
            })?;
        }
        Ok(events)
    }
}

/// The event, if its data are known.
fn concrete(scope: &Scope<'_>, event: &csp::Event) -> Result<Option<Concrete>, LowerError> {
    let mut values = Vec::with_capacity(event.arguments.len());
    for argument in &event.arguments {
        match scope.expr(argument)? {
            Expr::Const(value) => values.push(value),
            _ => return Ok(None),
        }
    }
    Ok(Some(Concrete { family: event.name, values }))
}

struct Search<'a> {
    terms: &'a Terms,
    which: Which,
    found: HashSet<Concrete>,
    open: Vec<(NodeId, Environment, Hidden)>,
    met: HashSet<(NodeId, Environment, Hidden)>,
}

/// The events that are hidden around a part of a process.
type Hidden = Arc<BTreeSet<Concrete>>;

impl Search<'_> {
    fn node(
        &mut self,
        node: NodeId,
        environment: &Environment,
        hidden: &Hidden,
    ) -> Result<(), LowerError> {
        let with = |node: NodeId| (node, environment.clone(), hidden.clone());
        let terms = self.terms;
        let process = terms.specification.node(node);
        match &process.kind {
            ProcessKind::Stop | ProcessKind::Skip | ProcessKind::Assert(_) => {}
            ProcessKind::Reference { definition, arguments } => {
                let matter = &terms.matter[definition.index()];
                let definition = &terms.specification.definitions[definition.index()];
                let inner = terms.arguments(arguments, environment)?;
                match (&definition.alphabet, self.which) {
                    (Some(sets), Which::Alphabet) => {
                        let events = terms.event_set(sets, &inner)?;
                        self.found.extend(events.into_iter().filter(|it| !hidden.contains(it)));
                    }
                    _ => {
                        if self.met.len() >= MAX_REFERENCES {
                            return Err(LowerError {
                                code: "E1095",
                                message: format!(
                                    "the alphabet of `{}` has no end; say it with `#alphabet`",
                                    definition.name.text
                                ),
                                span: process.span,
                            });
                        }
                        // A value that is unknown now stays unknown; as an expression it would grow each time
                        // around, and there would be no end. Neither would there be with counters that no event
                        // speaks of.
                        let inner = inner.mapped_with_names(|name, value| match value {
                            Value::Known(_) if matter.contains(&name) => value.clone(),
                            _ => Value::Deferred(UNKNOWN),
                        });
                        let entry = (definition.body, inner, hidden.clone());
                        if self.met.insert(entry.clone()) {
                            self.open.push(entry);
                        }
                    }
                }
            }
            ProcessKind::Prefix { action, then } => {
                let counts = action.program.is_empty() || self.which == Which::Written;
                if let (ActionKind::Event(event), true) = (&action.kind, counts) {
                    self.event(event, environment, hidden)?;
                }
                let mut inner = environment.clone();
                if let ActionKind::Input { message, .. } = &action.kind {
                    for part in message {
                        if let csp::Pattern::Bind(local, _) = part {
                            inner.set(*local, Value::Deferred(UNKNOWN));
                        }
                    }
                }
                self.open.push((*then, inner, hidden.clone()));
            }
            ProcessKind::Alternatives { events, then } => {
                for event in events {
                    self.event(event, environment, hidden)?;
                }
                self.open.push(with(*then));
            }
            ProcessKind::Guard { body, .. } | ProcessKind::Atomic(body) => {
                self.open.push(with(*body));
            }
            ProcessKind::If { then, otherwise, .. } => {
                self.open.push(with(*then));
                self.open.extend(otherwise.map(with));
            }
            ProcessKind::Case { branches, otherwise } => {
                self.open.extend(branches.iter().map(|(_, node)| with(*node)));
                self.open.extend(otherwise.map(with));
            }
            ProcessKind::Compose { .. }
            | ProcessKind::Synchronised { .. }
            | ProcessKind::Replicate { .. }
            | ProcessKind::Copies { .. } => {
                let operands = terms.operands(node, environment, None)?;
                self.open.extend(
                    operands.into_iter().map(|(node, inner)| (node, inner, hidden.clone())),
                );
            }
            ProcessKind::Hide { body, events } => {
                let mut more = BTreeSet::clone(hidden);
                more.extend(terms.event_set(events, environment)?);
                self.open.push((*body, environment.clone(), Arc::new(more)));
            }
        }
        Ok(())
    }

    fn event(
        &mut self,
        event: &csp::Event,
        environment: &Environment,
        hidden: &Hidden,
    ) -> Result<(), LowerError> {
        let names = |local| environment.get(local).map(Value::expr);
        match concrete(&self.terms.scope(&names), event)? {
            Some(event) => {
                if !hidden.contains(&event) {
                    self.found.insert(event);
                }
                Ok(())
            }
            None => Err(unknown(event.span)),
        }
    }
}

fn unknown(span: Span) -> LowerError {
    LowerError {
        code: "E1096",
        message: "this event has data that are only known when it happens, so it is not clear who \
                  takes it together; say it with `#alphabet`"
            .to_owned(),
        span,
    }
}
