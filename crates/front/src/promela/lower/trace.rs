//! `trace` and `notrace`: an automaton that reads what is sent and received.
//!
//! Its state is a variable of the model, as it is part of SPIN's states. A send or receive on a channel
//! that the automaton sends to or receives from takes it further, in the same step. If it cannot go
//! on, a `trace` is violated; a `notrace` is when it comes to its end, and is over when it cannot go
//! on. A rendezvous is a send and then a receive.

use fairly_model::{
    BinaryOp, Expr, Overflow, Pattern, Pick, Place, Range, Shown, Statement, StatementKind,
    Storage, Variable, VariableId,
};
use fairly_source::Span;
use hashbrown::HashMap;

use super::channels;
use super::dstep::select;
use super::executable::any_of;
use super::expression::{Value, both, either, equal};
use super::flow::{ElementId, Flow, Node};
use super::machine::Machine;
use super::processes::{Lowering, Scope};
use super::{Lower, trouble};
use crate::promela::ast::{self, ExprKind, ProcessKind, Proctype, Stmt, StmtKind};
use crate::promela::finish::find_look;

/// The automaton of a `trace` or `notrace`.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    /// Where its state is kept; it starts with the first.
    variable: VariableId,
    states: Vec<State>,
    /// The position of the state in which it is complete.
    end: usize,
    /// `notrace`: it must not be completed.
    forbids: bool,
    channels: Vec<Channel>,
}

#[derive(Clone, Debug, Default)]
struct State {
    moves: Vec<Move>,
    /// Whether the system may stop here.
    may_end: bool,
}

#[derive(Clone, Debug)]
struct Move {
    /// The next message; any, for the step of a label that stands alone.
    with: Option<Message>,
    target: usize,
}

#[derive(Clone, Debug)]
struct Message {
    sent: bool,
    /// The position of its channel.
    channel: usize,
    /// Condition on each field, where there is one.
    fields: Vec<Option<Expr>>,
}

/// A channel that a trace speaks of.
#[derive(Clone, Debug)]
struct Channel {
    number: Expr,
    /// The values of each cell of a message.
    cells: Vec<Range>,
    /// Whether what is sent, and what is received, is looked at.
    sent: bool,
    received: bool,
}

/// Events of a process that a trace may observe.
pub(super) enum Happening<'v> {
    /// It sends these values.
    Sends(&'v [Value]),
    /// It receives a message, which can be read.
    Receives,
    /// It takes the first message out of a channel.
    Takes,
}

/// A send or a receive on a channel that a trace speaks of.
struct Event<'e> {
    /// The position of the channel.
    channel: usize,
    happening: &'e Happening<'e>,
    words: &'e str,
    span: Option<Span>,
    /// Whether something is wrong if the trace says so.
    assertions: bool,
}

impl<'a> Lowering<'a> {
    /// Makes the automaton of the trace, if there is one, and gives it a variable.
    pub(super) fn add_trace(&mut self) -> Lower<()> {
        let Some(of) = &self.ast.trace else { return Ok(()) };
        let trace = self.trace_of(of)?;
        let last = i64::try_from(trace.states.len() - 1).unwrap_or(0);
        self.model.variables.push(Variable {
            name: of.name.clone(),
            range: Range::new(0, last),
            overflow: Overflow::Fault,
            length: None,
            count: None,
            initial: vec![0],
            storage: Storage::State,
            shown: Shown::default(),
            span: Some(of.place.span),
        });
        self.trace = Some(trace);
        Ok(())
    }

    fn trace_of(&self, of: &'a Proctype) -> Lower<Trace> {
        let mut flow = Flow::of(of);
        let machine = Machine::of(&mut flow, &of.labels).map_err(|circle| {
            let place = flow.elements[circle.0].stmt.map_or(of.place, |stmt| stmt.place);
            trouble("E1193", "jumps that lead in a circle without a statement", place)
        })?;
        let mut channels = Vec::new();
        let mut found: Vec<ElementId> = vec![machine.start];
        let mut number: HashMap<ElementId, usize> = HashMap::from([(machine.start, 0)]);
        let (mut states, mut end) = (Vec::new(), None);
        while let Some(&from) = found.get(states.len()) {
            if matches!(flow.elements[from].node, Node::End) {
                end = Some(states.len());
                states.push(State { moves: Vec::new(), may_end: true });
                continue;
            }
            let mut moves = Vec::new();
            for step in &machine.steps[from] {
                let with = match flow.elements[step.element].node {
                    Node::Basic(stmt) => self.traced(stmt, &mut channels)?,
                    _ => None,
                };
                let Some(target) = step.target else { continue };
                let next = found.len();
                let target = *number.entry(target).or_insert_with(|| {
                    found.push(target);
                    next
                });
                moves.push(Move { with, target });
            }
            states.push(State { moves, may_end: machine.marks[from].end });
        }
        let end = end.unwrap_or_else(|| {
            states.push(State { moves: Vec::new(), may_end: true });
            states.len() - 1
        });
        let variable = VariableId::from_index(self.model.variables.len());
        let forbids = of.kind == ProcessKind::NoTrace;
        Ok(Trace { variable, states, end, forbids, channels })
    }

    /// The next message of a statement of a trace.
    fn traced(&self, stmt: &'a Stmt, channels: &mut Vec<Channel>) -> Lower<Option<Message>> {
        let mut wanted = Vec::new();
        let (channel, sent) = match &stmt.kind {
            StmtKind::Send { channel, fields, .. } => {
                for field in fields {
                    // Only constants are compared.
                    wanted.push(match field.kind {
                        ExprKind::Number(value) | ExprKind::Constant(_, value) => {
                            Some(Expr::Const(value.into()))
                        }
                        _ => None,
                    });
                }
                (channel, true)
            }
            StmtKind::Receive { channel, fields, .. } => {
                for field in fields {
                    wanted.push(match field {
                        ast::Pattern::Equal(value) => Some(self.expr(value, Scope::Property)?.expr),
                        ast::Pattern::Store(_) | ast::Pattern::Any => None,
                    });
                }
                (channel, false)
            }
            _ => return Ok(None),
        };
        let found = self.channel(channel, Scope::Property)?;
        let Some(declared) = found.declared else {
            let message = "a trace over a channel that changes";
            return Err(trouble("E1195", message, channel.place));
        };
        let known = channels.iter().position(|known: &Channel| known.number == found.number);
        let at = known.unwrap_or_else(|| {
            let of = channels::channel(self.ast, String::new(), declared, None, channel.place.span);
            let cells = of.cells.iter().map(|cell| cell.0).collect();
            channels.push(Channel { number: found.number, cells, sent: false, received: false });
            channels.len() - 1
        });
        channels[at].sent |= sent;
        channels[at].received |= !sent;
        Ok(Some(Message { sent, channel: at, fields: wanted }))
    }

    /// Statements of a trace for a process that sends or receives on a channel.
    pub(super) fn observe(
        &self,
        stmt: &'a Stmt,
        channel: &Expr,
        happening: &Happening<'_>,
    ) -> Lower<Vec<Statement>> {
        let Some(trace) = &self.trace else { return Ok(Vec::new()) };
        let sends = matches!(happening, Happening::Sends(_));
        let (span, words) = (Some(stmt.place.span), self.words.at(stmt.place));
        let mut observed = Vec::new();
        for (at, of) in trace.channels.iter().enumerate().rev() {
            let condition = equal(channel.clone(), of.number.clone());
            if condition == Expr::FALSE || !(if sends { of.sent } else { of.received }) {
                continue;
            }
            check_readable(stmt, happening)?;
            let assertions = self.options.assertions;
            let event = Event { channel: at, happening, words: &words, span, assertions };
            let then = trace.go_on(&event);
            observed = decide(condition, then, observed);
        }
        Ok(observed)
    }

    /// That a trace is not complete although the system has stopped. SPIN does not ask this if no
    /// process is left.
    pub(super) fn trace_unfinished(&self) -> Option<Expr> {
        let trace = self.trace.as_ref().filter(|trace| !trace.forbids)?;
        let states = trace.states.iter().enumerate();
        let open = states.filter(|(_, state)| !state.may_end).map(|(at, _)| trace.is_at(at));
        Some(both(any_of(open.collect()), Expr::Running))
    }
}

impl Trace {
    fn is_at(&self, state: usize) -> Expr {
        equal(Expr::global(self.variable), number(state))
    }

    /// Goes on from whatever state it is in.
    fn go_on(&self, event: &Event<'_>) -> Vec<Statement> {
        let pieces = self.states.iter().map(|state| self.go_on_from(state, event)).collect();
        select(&Expr::global(self.variable), pieces, 0)
    }

    fn go_on_from(&self, state: &State, event: &Event<'_>) -> Vec<Statement> {
        let words = event.words;
        let mut otherwise = match self.forbids {
            true => vec![self.go(self.end)],
            false => {
                let message = format!("the trace does not go on with `{words}`");
                event.assert(Expr::FALSE, message).into_iter().collect()
            }
        };
        // Whether a move further on could be made, too.
        let mut later = Expr::FALSE;
        for one in state.moves.iter().rev() {
            let condition = self.fits(one, event);
            if condition == Expr::FALSE {
                continue;
            }
            let mut then = Vec::new();
            if later != Expr::FALSE {
                let message = format!("the trace can go on with `{words}` in two ways");
                then.extend(event.assert(later.clone().negated(), message));
            }
            if self.forbids && one.target == self.end {
                let message = format!("the notrace is completed by `{words}`");
                then.extend(event.assert(Expr::FALSE, message));
            }
            then.push(self.go(one.target));
            later = either(condition.clone(), later);
            otherwise = decide(condition, then, otherwise);
        }
        otherwise
    }

    fn go(&self, target: usize) -> Statement {
        let place = Place::global(self.variable);
        Statement::new(StatementKind::Assign(vec![(place, number(target))]))
    }

    /// That a move can be made.
    fn fits(&self, one: &Move, event: &Event<'_>) -> Expr {
        let Some(message) = &one.with else { return Expr::TRUE };
        if message.sent != matches!(event.happening, Happening::Sends(_)) {
            return Expr::FALSE;
        }
        let (here, there) = (&self.channels[event.channel], &self.channels[message.channel]);
        let mut fits = match message.channel == event.channel {
            true => Expr::TRUE,
            false => equal(here.number.clone(), there.number.clone()),
        };
        let mut head = vec![Pattern::Any; here.cells.len()];
        for (at, field) in message.fields.iter().enumerate() {
            let (Some(field), Some(&range)) = (field.clone(), here.cells.get(at)) else { continue };
            match event.happening {
                Happening::Sends(values) => {
                    let value = values.get(at).map_or(Expr::Const(0), |it| stored(it, range));
                    fits = both(fits, equal(value, field));
                }
                Happening::Receives => {
                    let cell = u32::try_from(at).unwrap_or(u32::MAX);
                    fits = both(fits, equal(Expr::Received(cell), field));
                }
                Happening::Takes => head[at] = Pattern::Equal(field),
            }
        }
        if matches!(event.happening, Happening::Takes) {
            let channel = Box::new(here.number.clone());
            fits = both(fits, Expr::Poll { channel, pattern: head, pick: Pick::Head });
        }
        fits
    }
}

impl Event<'_> {
    /// Assertion, if assertions are checked.
    fn assert(&self, condition: Expr, message: String) -> Option<Statement> {
        let kind =
            StatementKind::Assert { condition, message, kind: fairly_system::FaultKind::Error };
        self.assertions.then_some(Statement { kind, span: self.span })
    }
}

/// Refuses what a trace could not see: a message is looked at when it has been sent, or before it is
/// taken.
fn check_readable(stmt: &Stmt, happening: &Happening<'_>) -> Lower<()> {
    match (&stmt.kind, happening) {
        (StmtKind::Send { fields, .. }, _) => match fields.iter().find_map(find_look) {
            Some(place) => {
                let message = "a message that looks at channels, under a trace,";
                Err(trouble("E1195", message, place))
            }
            None => Ok(()),
        },
        (StmtKind::Receive { random: true, .. }, Happening::Takes) => {
            Err(trouble("E1195", "`??` inside `d_step`, under a trace,", stmt.place))
        }
        _ => Ok(()),
    }
}

/// The value that a cell of this range has when it gets this one.
fn stored(value: &Value, range: Range) -> Expr {
    if range.contains(value.range.low) && range.contains(value.range.high) {
        return value.expr.clone();
    }
    // The size of a range is a power of two.
    let (low, mask) = (Expr::Const(range.low), Expr::Const(range.high - range.low));
    let above = Expr::binary(BinaryOp::Subtract, value.expr.clone(), low.clone());
    Expr::binary(BinaryOp::Add, Expr::binary(BinaryOp::BitAnd, above, mask), low)
}

fn decide(condition: Expr, then: Vec<Statement>, otherwise: Vec<Statement>) -> Vec<Statement> {
    match condition {
        Expr::TRUE => then,
        condition => vec![Statement::new(StatementKind::If { condition, then, otherwise })],
    }
}

fn number(state: usize) -> Expr {
    Expr::Const(i64::try_from(state).unwrap_or(0))
}
