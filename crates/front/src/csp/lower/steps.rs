//! The steps of terms: the operational semantics of CSP#.

use std::sync::Arc;

use fairly_model::{
    BinaryOp, Communication, Expr, LocalId as Cell, Order, Pattern, Pick, Place, Statement,
    StatementKind,
};
use fairly_source::Span;
use fairly_system::{Annotation, FaultKind};

use super::LowerError;
use super::before::before;
use super::environment::{Environment, Value, as_cell, substituted, whole};
use super::events::Concrete;
use super::expression::folded;
use super::joint::{alone, interleaved, specialised, together};
use super::names::program_names;
use super::program::{Programs, Scratch};
use super::term::Term;
use super::terms::{ENDLESS, FEW_INSIDE, MAX_HEADS, MAX_UNFOLDED, Terms, too_long};
use crate::csp::syntax as csp;
use crate::csp::syntax::{ActionKind, ChannelId, IfKind, NodeId, Operator, ProcessKind};

/// Observation of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StepLabel {
    /// Termination.
    Tick,
    /// Nothing; the name of the event, if one is hidden.
    Internal(Option<String>),
    /// An event.
    Event {
        /// The first word.
        family: csp::EventId,
        /// The data.
        values: Vec<Expr>,
        /// Whether others can take part: a program keeps them away.
        shared: bool,
    },
    /// Half of a communication, or one with a buffer.
    Message(ChannelId),
    /// Both halves of a communication, over the channel with this number in the model.
    Joint(u32, Vec<Expr>),
    /// It is never made: see [`Terms::may_fail`].
    Never,
}

/// One step of a term.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// When it can be made.
    pub(super) guard: Expr,
    /// The label for an observer.
    pub(super) label: StepLabel,
    /// The communication over a channel.
    pub(super) communication: Communication,
    /// The fairness asked of it.
    pub(super) annotation: Option<Annotation>,
    /// The effect on global variables.
    pub(super) program: Vec<Statement>,
    /// How many cells that live for one step it uses.
    pub(super) scratch: u32,
    /// The continuation, with captured values.
    pub(super) target: Term,
    /// Whether it is inside `atomic`.
    pub(super) atomic: bool,
    /// Where it is written.
    pub(super) span: Span,
}

impl Step {
    pub(super) fn new(label: StepLabel, target: Term, span: Span) -> Step {
        Step {
            guard: Expr::TRUE,
            label,
            communication: Communication::None,
            annotation: None,
            program: Vec::new(),
            scratch: 0,
            target,
            atomic: false,
            span,
        }
    }

    pub(super) fn is_internal(&self) -> bool {
        matches!(self.label, StepLabel::Internal(_))
    }

    /// Whether nothing is left of the process around it: it has terminated.
    pub(super) fn ends(&self) -> bool {
        matches!(self.label, StepLabel::Tick | StepLabel::Never)
    }

    /// The event, if others can take part in it and its data are known.
    pub(super) fn shared(&self) -> Option<Concrete> {
        match &self.label {
            StepLabel::Event { family, values, shared: true } => known(*family, values),
            _ => None,
        }
    }
}

/// The event, if its data are known.
pub(super) fn known(family: csp::EventId, values: &[Expr]) -> Option<Concrete> {
    let value = |expr: &Expr| match expr {
        Expr::Const(value) => Some(*value),
        _ => None,
    };
    Some(Concrete { family, values: values.iter().map(value).collect::<Option<_>>()? })
}

impl Terms {
    /// Appends the steps of a term.
    pub(super) fn steps(
        &mut self,
        term: &Term,
        depth: usize,
        out: &mut Vec<Step>,
    ) -> Result<(), LowerError> {
        match term {
            Term::Stop | Term::Done => {}
            // Termination is written nowhere in particular.
            Term::Skip => out.push(Step::new(StepLabel::Tick, Term::Done, Span::at(0))),
            Term::Node(node, environment) => {
                if depth > MAX_HEADS {
                    return Err(self.too_deep(*node));
                }
                self.steps_of_node(*node, environment, depth, out)?;
            }
            Term::Sequence(first, second) => {
                for mut step in self.inner(first, depth)? {
                    if step.label == StepLabel::Tick {
                        step.label = StepLabel::Internal(None);
                        step.target = Term::clone(second);
                    } else if !step.ends() {
                        step.target = Term::Sequence(Arc::new(step.target), Arc::clone(second));
                    }
                    out.push(step);
                }
            }
            Term::Interrupt(first, second) => {
                for mut step in self.inner(first, depth)? {
                    if !step.ends() {
                        step.target = Term::Interrupt(Arc::new(step.target), Arc::clone(second));
                    }
                    out.push(step);
                }
                for mut step in self.inner(second, depth)? {
                    if step.is_internal() {
                        step.target = Term::Interrupt(Arc::clone(first), Arc::new(step.target));
                    }
                    out.push(step);
                }
            }
            Term::External(terms) => {
                for (at, term) in terms.iter().enumerate() {
                    for mut step in self.inner(term, depth)? {
                        if step.is_internal() {
                            let mut others = terms.clone();
                            others[at] = Arc::new(step.target);
                            step.target = Term::External(others);
                        }
                        out.push(step);
                    }
                }
            }
            Term::Interleave(terms) => {
                let mut parts = Vec::with_capacity(terms.len());
                for term in terms {
                    parts.push(self.inner(term, depth)?);
                }
                let rebuild = |changed: &[(usize, Term)]| {
                    let mut others = terms.clone();
                    for (at, term) in changed {
                        others[*at] = Arc::new(term.clone());
                    }
                    Term::Interleave(others)
                };
                alone(&parts, &rebuild, &|_, step| step.label != StepLabel::Tick, out);
                interleaved(self, &parts, &rebuild, out)?;
            }
            Term::Parallel(terms) => {
                let mut parts = Vec::with_capacity(terms.len());
                for (term, _) in terms {
                    let steps = self.inner(term, depth)?;
                    // An event whose data are only known when it happens is one of those in the
                    // alphabets, or another.
                    let mut exact = Vec::with_capacity(steps.len());
                    for step in steps {
                        let sets = terms.iter().map(|(_, set)| self.sets.get(*set));
                        specialised(step, sets, &mut exact);
                    }
                    parts.push(exact);
                }
                let rebuild = |changed: &[(usize, Term)]| {
                    let mut others = terms.clone();
                    for (at, term) in changed {
                        others[*at].0 = Arc::new(term.clone());
                    }
                    Term::Parallel(others)
                };
                let sets = &self.sets;
                let is_alone = |at: usize, step: &Step| match step.shared() {
                    Some(event) => !sets.get(terms[at].1).contains(&event),
                    None => step.label != StepLabel::Tick,
                };
                alone(&parts, &rebuild, &is_alone, out);
                together(
                    self,
                    &parts,
                    &rebuild,
                    &|at, event| sets.get(terms[at].1).contains(event),
                    out,
                )?;
                interleaved(self, &parts, &rebuild, out)?;
            }
            Term::Hide(term, events) => {
                let mut exact = Vec::new();
                for step in self.inner(term, depth)? {
                    specialised(step, [self.sets.get(*events)].into_iter(), &mut exact);
                }
                for mut step in exact {
                    if let StepLabel::Event { family, values, .. } = &step.label
                        && let Some(event) = known(*family, values)
                        && self.sets.get(*events).contains(&event)
                    {
                        step.label = StepLabel::Internal(Some(event.name(&self.specification)));
                    }
                    if !step.ends() {
                        step.target = Term::Hide(Arc::new(step.target), *events);
                    }
                    out.push(step);
                }
            }
            Term::Atomic(term) => {
                for mut step in self.inner(term, depth)? {
                    step.atomic = true;
                    if !step.ends() {
                        step.target = Term::Atomic(Arc::new(step.target));
                    }
                    out.push(step);
                }
            }
        }
        Ok(())
    }

    fn inner(&mut self, term: &Term, depth: usize) -> Result<Vec<Step>, LowerError> {
        let mut steps = Vec::new();
        self.steps(term, depth + 1, &mut steps)?;
        self.worked(steps.len());
        Ok(steps)
    }

    fn steps_of_node(
        &mut self,
        node: NodeId,
        environment: &Environment,
        depth: usize,
        out: &mut Vec<Step>,
    ) -> Result<(), LowerError> {
        let specification = Arc::clone(&self.specification);
        let process = specification.node(node);
        let before = out.len();
        // A silent step to a part of the expression, under a condition.
        let silent = |this: &Terms, guard: Expr, node: NodeId| {
            let target = this.after(node, environment);
            Step { guard, ..Step::new(StepLabel::Internal(None), target, process.span) }
        };
        match &process.kind {
            ProcessKind::Stop => {}
            ProcessKind::Skip => {
                out.push(Step::new(StepLabel::Tick, Term::Done, process.span));
            }
            ProcessKind::Prefix { action, then } => {
                out.extend(self.prefix(action, *then, environment)?);
            }
            ProcessKind::Alternatives { events, then } => {
                for event in events {
                    let label = self.label(event, true, environment)?;
                    out.push(Step::new(label, self.after(*then, environment), event.span));
                }
            }
            ProcessKind::Assert(condition) => {
                let asserted = self.expr(condition, environment)?;
                let kind = StatementKind::Assert {
                    condition: asserted,
                    message: String::new(),
                    kind: FaultKind::Error,
                };
                out.push(Step {
                    program: vec![Statement { kind, span: Some(condition.span) }],
                    ..Step::new(StepLabel::Tick, Term::Done, process.span)
                });
            }
            ProcessKind::Guard { condition, body } => {
                let condition = self.expr(condition, environment)?;
                self.guarded(&condition, *body, environment, depth, out)?;
            }
            ProcessKind::If { kind, condition, then, otherwise } => {
                let condition = self.expr(condition, environment)?;
                let negated = condition.clone().negated();
                match kind {
                    IfKind::Plain => {
                        out.push(silent(self, condition, *then));
                        out.push(match otherwise {
                            Some(otherwise) => silent(self, negated, *otherwise),
                            None => self.to_skip(negated, process.span),
                        });
                    }
                    IfKind::Blocking => out.push(silent(self, condition, *then)),
                    IfKind::Atomic => {
                        self.guarded(&condition, *then, environment, depth, out)?;
                        match otherwise {
                            Some(otherwise) => {
                                self.guarded(&negated, *otherwise, environment, depth, out)?;
                            }
                            None => out.push(Step {
                                guard: negated,
                                ..Step::new(StepLabel::Tick, Term::Done, process.span)
                            }),
                        }
                    }
                }
            }
            ProcessKind::Case { branches, otherwise } => {
                let mut none = Expr::TRUE;
                for (condition, then) in branches {
                    let condition = self.expr(condition, environment)?;
                    out.push(silent(self, none.clone().and(condition.clone()), *then));
                    none = none.and(condition.negated());
                }
                out.push(match otherwise {
                    Some(otherwise) => silent(self, none, *otherwise),
                    None => self.to_skip(none, process.span),
                });
            }
            ProcessKind::Compose { operator: Operator::GeneralChoice, .. }
            | ProcessKind::Replicate { operator: Operator::GeneralChoice, .. } => {
                for (condition, operands) in self.cases(node, environment, out)? {
                    for (node, environment) in operands {
                        let (term, first) = (self.node(node, &environment), out.len());
                        self.steps(&term, depth + 1, out)?;
                        if condition != Expr::TRUE {
                            for step in &mut out[first..] {
                                let guard = std::mem::replace(&mut step.guard, Expr::TRUE);
                                step.guard = condition.clone().and(guard);
                            }
                        }
                    }
                }
            }
            ProcessKind::Compose { operator: Operator::InternalChoice, .. }
            | ProcessKind::Replicate { operator: Operator::InternalChoice, .. } => {
                for (condition, operands) in self.cases(node, environment, out)? {
                    for (node, environment) in operands {
                        out.push(Step {
                            guard: condition.clone(),
                            ..Step::new(
                                StepLabel::Internal(None),
                                self.after(node, &environment),
                                process.span,
                            )
                        });
                    }
                }
            }
            ProcessKind::Reference { definition, arguments } => {
                let inner = self.arguments(arguments, environment)?;
                let body = specification.definitions[definition.index()].body;
                let key = (*definition, inner);
                // Wide choices are not meant, but what branches again and again.
                self.unfolded += usize::from(self.unfolding.len() > FEW_INSIDE);
                if self.unfolding.contains(&key) {
                    return Err(self.endless(node));
                }
                if self.unfolded > MAX_UNFOLDED {
                    return Err(self.too_deep(node));
                }
                let inner = key.1.clone();
                self.unfolding.push(key);
                let unfolded = self.unfolded_steps(body, arguments, &inner, depth, out);
                self.unfolding.pop();
                unfolded?;
            }
            ProcessKind::Compose { .. }
            | ProcessKind::Synchronised { .. }
            | ProcessKind::Replicate { .. }
            | ProcessKind::Copies { .. }
            | ProcessKind::Hide { .. }
            | ProcessKind::Atomic(_) => {
                let term = self.node(node, environment);
                let head = self.head(&term, depth + 1)?;
                self.steps(&head, depth + 1, out)?;
            }
        }
        possible(out, before);
        Ok(())
    }

    /// The steps of the body of a definition, whose names have these values.
    fn unfolded_steps(
        &mut self,
        body: NodeId,
        arguments: &[csp::Expr],
        inner: &Environment,
        depth: usize,
        out: &mut Vec<Step>,
    ) -> Result<(), LowerError> {
        let term = self.node(body, inner);
        let head = self.head(&term, depth + 1)?;
        if inner.is_stable() {
            return self.steps(&head, depth + 1, out);
        }
        for (local, value) in inner.entries() {
            let argument = arguments.get(whole(*local).index());
            let span = argument.map_or(Span::at(0), |argument| argument.span);
            self.may_fail(&value.expr(), span, out);
        }
        for step in self.inner(&head, depth)? {
            out.push(Step { target: step.target.captured(), ..step });
        }
        Ok(())
    }

    fn to_skip(&self, guard: Expr, span: Span) -> Step {
        Step { guard, ..Step::new(StepLabel::Internal(None), Term::Skip, span) }
    }

    fn guarded(
        &mut self,
        condition: &Expr,
        body: NodeId,
        environment: &Environment,
        depth: usize,
        out: &mut Vec<Step>,
    ) -> Result<(), LowerError> {
        if *condition == Expr::FALSE {
            return Ok(());
        }
        self.may_fail(condition, self.specification.node(body).span, out);
        let term = self.node(body, environment);
        let steps = match self.inner(&term, depth) {
            Ok(steps) => steps,
            // It goes on without end only where the condition holds, which may never be: an error there, unless the
            // end may only be far away.
            Err(trouble) if trouble.code == ENDLESS && *condition != Expr::TRUE => {
                let LowerError { message, span, .. } = trouble;
                let (message, kind) = match self.deep.take() {
                    true => {
                        (format!("{message}, or only after very many references"), FaultKind::Limit)
                    }
                    false => (message, FaultKind::Error),
                };
                let kind = StatementKind::Assert { condition: Expr::FALSE, message, kind };
                out.push(Step {
                    guard: condition.clone(),
                    program: vec![Statement { kind, span: Some(span) }],
                    ..Step::new(StepLabel::Internal(None), Term::Stop, span)
                });
                return Ok(());
            }
            Err(trouble) => return Err(trouble),
        };
        for mut step in steps {
            step.guard = condition.clone().and(step.guard);
            out.push(step);
        }
        Ok(())
    }

    /// If evaluating an expression can be a fault: a step that is never made, only to evaluate it.
    /// Without it, whether the fault is met would depend on who takes part in the steps that need
    /// the value.
    fn may_fail(&self, expr: &Expr, span: Span, out: &mut Vec<Step>) {
        if self.is_partial(expr) {
            let guard = Expr::binary(BinaryOp::And, expr.clone(), Expr::FALSE);
            out.push(Step { guard, ..Step::new(StepLabel::Never, Term::Stop, span) });
        }
    }

    /// Continuation after a step: an expression whose names have the values they have now.
    fn after(&self, node: NodeId, environment: &Environment) -> Term {
        self.node(node, &environment.mapped(Value::captured))
    }

    fn label(
        &self,
        event: &csp::Event,
        shared: bool,
        environment: &Environment,
    ) -> Result<StepLabel, LowerError> {
        let values = event
            .arguments
            .iter()
            .map(|argument| self.expr(argument, environment))
            .collect::<Result<_, _>>()?;
        Ok(StepLabel::Event { family: event.name, values, shared })
    }

    /// The steps of a prefix: one, but for messages that may have arrays in several places.
    pub(super) fn prefix(
        &self,
        action: &csp::Action,
        then: NodeId,
        environment: &Environment,
    ) -> Result<Vec<Step>, LowerError> {
        let shapes = match &action.kind {
            ActionKind::Input { channel, message, .. } => {
                self.shapes.of(channel.channel.index(), message.len())
            }
            _ => vec![Vec::new()],
        };
        let mut steps = Vec::with_capacity(shapes.len());
        for shape in &shapes {
            steps.extend(self.prefix_with(action, then, environment, shape)?);
        }
        Ok(steps)
    }

    /// The step of a prefix that receives a message of this shape; nothing if it never does.
    fn prefix_with(
        &self,
        action: &csp::Action,
        then: NodeId,
        environment: &Environment,
        shape: &[u32],
    ) -> Result<Option<Step>, LowerError> {
        let mut environment = environment.clone();
        let mut guard = Expr::TRUE;
        let mut communication = Communication::None;
        let label = match &action.kind {
            ActionKind::Event(event) => {
                self.label(event, action.program.is_empty(), &environment)?
            }
            ActionKind::Tau => StepLabel::Internal(None),
            ActionKind::Output { channel, message } => {
                let names = |local| environment.get(local).map(Value::expr);
                let number = self.scope(&names).channel(channel)?;
                if self.shapes.is_ambiguous(channel.channel.index()) {
                    return Err(LowerError {
                        code: "E1099",
                        message:
                            "the messages of this channel have arrays in different places, and \
                                  it is not clear which of them this is; use several channels"
                                .to_owned(),
                        span: channel.span,
                    });
                }
                let scope = self.scope(&names);
                let mut elements = Vec::with_capacity(message.len());
                for part in message {
                    match scope.array(part)? {
                        Some(array) => elements.extend(array),
                        None => elements.push(scope.expr(part)?),
                    }
                }
                let message = self.lengths[channel.channel.index()].sent(elements);
                communication =
                    Communication::Send { channel: number, message, order: Order::Fifo };
                StepLabel::Message(channel.channel)
            }
            ActionKind::Input { channel, guard: condition, message } => {
                let names = |local| environment.get(local).map(Value::expr);
                let number = self.scope(&names).channel(channel)?;
                let mut pattern = Vec::with_capacity(message.len());
                let mut next = 0u32;
                for (part, &length) in message.iter().zip(shape) {
                    let places = next..next + length.max(1);
                    next = places.end;
                    let values = match part {
                        csp::Pattern::Bind(local, span) => {
                            let received = |at| Value::Deferred(Expr::Received(at));
                            pattern.extend(places.clone().map(|_| Pattern::Any));
                            if length == 0 {
                                environment.set(*local, received(places.start));
                            } else {
                                let values = places.map(received).collect();
                                environment
                                    .set_all(*local, values)
                                    .ok_or_else(|| too_long(*span))?;
                            }
                            continue;
                        }
                        csp::Pattern::Match(expr) => {
                            let names = |local| environment.get(local).map(Value::expr);
                            let scope = self.scope(&names);
                            match scope.array(expr)? {
                                Some(array) if array.len() == length as usize => array,
                                None if length == 0 => vec![scope.expr(expr)?],
                                // An array never equals a single value, nor an array of another length.
                                _ => return Ok(None),
                            }
                        }
                    };
                    for (at, value) in places.zip(values) {
                        pattern.push(match reads_message(&value) {
                            // The value is that of a part before, which only the guard can read.
                            true => {
                                let same = equal(&Expr::Received(at), &value);
                                guard = std::mem::replace(&mut guard, Expr::TRUE).and(same);
                                Pattern::Any
                            }
                            false => Pattern::Equal(value),
                        });
                    }
                }
                let (pattern, whole) = self.lengths[channel.channel.index()].received(pattern);
                guard = whole.and(guard);
                if let Some(condition) = condition {
                    guard = guard.and(self.expr(condition, &environment)?);
                }
                communication = Communication::Receive {
                    channel: number,
                    pattern,
                    pick: Pick::Head,
                    keep: false,
                };
                StepLabel::Message(channel.channel)
            }
        };
        let target = self.after(then, &environment);
        let mut scratch = Scratch::default();
        let program = self.program(&action.program, &environment, &communication, &mut scratch)?;
        Ok(Some(Step {
            guard,
            communication,
            annotation: action.annotation,
            program,
            scratch: scratch.used(),
            ..Step::new(label, target, action.span)
        }))
    }

    /// The statements of a program. What its names stand for is evaluated before it runs, for it
    /// may change the variables that they are made of.
    fn program(
        &self,
        program: &[csp::Statement],
        environment: &Environment,
        communication: &Communication,
        scratch: &mut Scratch,
    ) -> Result<Vec<Statement>, LowerError> {
        let mut first: Vec<(Place, Expr)> = Vec::new();
        let mut inside = environment.clone();
        let read = program_names(program);
        for (local, value) in environment.entries() {
            if let Value::Deferred(expr) = value
                && read.binary_search(&whole(*local)).is_ok()
                && as_cell(expr).is_none()
                && !matches!(expr, Expr::Received(_))
            {
                let cell: Cell = scratch.fresh();
                first.push((Place::local(cell), before(expr, communication)));
                inside.set(*local, Value::Deferred(Expr::local(cell)));
            }
        }
        let names = |local| inside.get(local).map(Value::expr);
        let scope = self.scope(&names);
        let mut programs = Programs::new(&scope, scratch);
        let mut block = programs.block(program)?;
        programs.finish(&mut block);
        let mut statements = Vec::with_capacity(block.len() + 1);
        if !first.is_empty() {
            statements.push(Statement::new(StatementKind::Assign(first)));
        }
        statements.extend(block);
        Ok(statements)
    }
}

/// Takes away the steps from a position on that can never be made.
pub(super) fn possible(steps: &mut Vec<Step>, from: usize) {
    let mut kept = from;
    for at in from..steps.len() {
        if steps[at].guard != Expr::FALSE {
            steps.swap(kept, at);
            kept += 1;
        }
    }
    steps.truncate(kept);
}

/// Whether an expression reads the message that is received.
fn reads_message(expr: &Expr) -> bool {
    let mut reads = false;
    substituted(expr, &mut |leaf| {
        reads |= matches!(leaf, Expr::Received(_));
        None
    });
    reads
}

/// Whether two expressions are equal, as a condition.
pub(super) fn equal(left: &Expr, right: &Expr) -> Expr {
    if left == right { Expr::TRUE } else { folded(BinaryOp::Equal, left.clone(), right.clone()) }
}
