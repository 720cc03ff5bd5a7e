//! Which names are free in each process expression.

use std::collections::VecDeque;

use super::alike::owners;
use crate::csp::library::ObjectValue;
use crate::csp::syntax::{
    Action, ActionKind, Binding, ChannelUse, Domain, Event, EventSet, Expr, ExprKind, LocalId,
    NodeId, Pattern, PlaceKind, ProcessKind, Specification, Statement, StatementKind,
};

/// The free names of every node, in order.
pub(super) fn free_names(specification: &Specification) -> Vec<Vec<LocalId>> {
    let mut free: Vec<Vec<LocalId>> = Vec::with_capacity(specification.nodes.len());
    for node in &specification.nodes {
        let mut names = Names { used: Vec::new(), bound: Vec::new(), free: &free };
        names.process(&node.kind);
        let Names { mut used, bound, .. } = names;
        used.sort_unstable();
        used.dedup();
        // No two binders of a definition share a name, so what is bound here is bound for all uses.
        used.retain(|name| !bound.contains(name));
        free.push(used);
    }
    free
}

struct Names<'a> {
    used: Vec<LocalId>,
    bound: Vec<LocalId>,
    /// Of the nodes before this one, its children among them.
    free: &'a [Vec<LocalId>],
}

impl Names<'_> {
    fn child(&mut self, node: NodeId) {
        self.used.extend(&self.free[node.index()]);
    }

    fn process(&mut self, kind: &ProcessKind) {
        match kind {
            ProcessKind::Stop | ProcessKind::Skip => {}
            ProcessKind::Reference { arguments, .. } => self.exprs(arguments),
            ProcessKind::Prefix { action, then } => {
                self.action(action);
                self.child(*then);
            }
            ProcessKind::Alternatives { events, then } => {
                events.iter().for_each(|event| self.event(event));
                self.child(*then);
            }
            ProcessKind::Assert(condition) => self.expr(condition),
            ProcessKind::Guard { condition, body } => {
                self.expr(condition);
                self.child(*body);
            }
            ProcessKind::If { condition, then, otherwise, .. } => {
                self.expr(condition);
                self.child(*then);
                otherwise.iter().for_each(|&node| self.child(node));
            }
            ProcessKind::Case { branches, otherwise } => {
                for (condition, node) in branches {
                    self.expr(condition);
                    self.child(*node);
                }
                otherwise.iter().for_each(|&node| self.child(node));
            }
            ProcessKind::Compose { operands, .. } => {
                operands.iter().for_each(|&node| self.child(node));
            }
            ProcessKind::Synchronised { operands, alphabets } => {
                operands.iter().for_each(|&node| self.child(node));
                alphabets.iter().flatten().for_each(|set| self.set(set));
            }
            ProcessKind::Replicate { bindings, body, .. } => {
                self.bindings(bindings);
                self.child(*body);
            }
            ProcessKind::Copies { count, body } => {
                self.expr(count);
                self.child(*body);
            }
            ProcessKind::Hide { body, events } => {
                self.child(*body);
                events.iter().for_each(|set| self.set(set));
            }
            ProcessKind::Atomic(body) => self.child(*body),
        }
    }

    fn action(&mut self, action: &Action) {
        match &action.kind {
            ActionKind::Event(event) => self.event(event),
            ActionKind::Tau => {}
            ActionKind::Output { channel, message } => {
                self.channel(channel);
                self.exprs(message);
            }
            ActionKind::Input { channel, guard, message } => {
                self.channel(channel);
                guard.iter().for_each(|guard| self.expr(guard));
                for part in message {
                    match part {
                        Pattern::Bind(local, _) => self.bound.push(*local),
                        Pattern::Match(expr) => self.expr(expr),
                    }
                }
            }
        }
        self.statements(&action.program);
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Assign { target, value } => {
                    match &target.kind {
                        PlaceKind::Variable(_) => {}
                        PlaceKind::Element(_, indices) => self.exprs(indices),
                        PlaceKind::Local(local) => self.used.push(*local),
                    }
                    self.expr(value);
                }
                StatementKind::Declare { local, value } => {
                    self.bound.push(*local);
                    self.expr(value);
                }
                StatementKind::If { condition, then, otherwise } => {
                    self.expr(condition);
                    self.statements(then);
                    self.statements(otherwise);
                }
                StatementKind::While { condition, body } => {
                    self.expr(condition);
                    self.statements(body);
                }
                StatementKind::Peek { channel, .. } => self.channel(channel),
                StatementKind::Block(inner) => self.statements(inner),
                StatementKind::Method(call) => self.exprs(&call.arguments),
                StatementKind::Replace { value, .. } => match value {
                    ObjectValue::New(_, elements) => self.exprs(elements),
                    ObjectValue::Kept(call) => self.exprs(&call.arguments),
                    ObjectValue::Copy(_) | ObjectValue::Combined(..) => {}
                },
            }
        }
    }

    fn set(&mut self, set: &EventSet) {
        self.bindings(&set.bindings);
        self.event(&set.event);
    }

    fn event(&mut self, event: &Event) {
        self.exprs(&event.arguments);
    }

    fn channel(&mut self, channel: &ChannelUse) {
        channel.index.iter().for_each(|index| self.expr(index));
    }

    fn bindings(&mut self, bindings: &[Binding]) {
        for binding in bindings {
            self.bound.push(binding.local);
            match &binding.domain {
                Domain::Range(low, high) => {
                    self.expr(low);
                    self.expr(high);
                }
                Domain::List(values) => self.exprs(values),
            }
        }
    }

    fn exprs(&mut self, exprs: &[Expr]) {
        exprs.iter().for_each(|expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            // A `#define` is over global variables only.
            ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Variable(_)
            | ExprKind::Define(_)
            | ExprKind::SameContents(..) => {}
            ExprKind::Method(call) => self.exprs(&call.arguments),
            ExprKind::Math(_, operands) | ExprKind::List(operands) => self.exprs(operands),
            ExprKind::Element(_, indices) => self.exprs(indices),
            ExprKind::Local(local) => self.used.push(*local),
            ExprKind::ElementOf(local, index) => {
                self.used.push(*local);
                self.expr(index);
            }
            ExprKind::Unary(_, operand) => self.expr(operand),
            ExprKind::Binary(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Query(_, channel) => self.channel(channel),
            ExprKind::Quantified(_, bindings, body) => {
                self.bindings(bindings);
                self.expr(body);
            }
        }
    }
}

/// Calls `visit` for every name that a program reads and does not declare.
pub(super) fn program_names(program: &[Statement]) -> Vec<LocalId> {
    let mut names = Names { used: Vec::new(), bound: Vec::new(), free: &[] };
    names.statements(program);
    let Names { mut used, bound, .. } = names;
    used.sort_unstable();
    used.dedup();
    used.retain(|name| !bound.contains(name));
    used
}

/// The parameters of each definition that events, hidden sets or numbers of copies depend on, here or
/// in the definitions that it refers to; in order.
pub(super) fn parameters_that_matter(specification: &Specification) -> Vec<Vec<LocalId>> {
    let count = specification.definitions.len();
    let mut nodes: Vec<Vec<NodeId>> = vec![Vec::new(); count];
    // Who has to be looked at again when more parameters of a definition matter.
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (process, owner) in specification.nodes.iter().zip(owners(specification)) {
        nodes[owner.index()].push(process.id);
        if let ProcessKind::Reference { definition, .. } = &process.kind {
            callers[definition.index()].push(owner.index());
        }
    }
    let mut matter: Vec<Vec<LocalId>> = vec![Vec::new(); count];
    // First come, first served: who refers to many waits until they are done.
    let mut open: VecDeque<usize> = (0..count).collect();
    let mut waits = vec![true; count];
    while let Some(at) = open.pop_front() {
        waits[at] = false;
        let mut names = Names { used: Vec::new(), bound: Vec::new(), free: &[] };
        let definition = &specification.definitions[at];
        definition.alphabet.iter().flatten().for_each(|set| names.set(set));
        for &node in &nodes[at] {
            names.events_of(&specification.node(node).kind, &matter);
        }
        let mut used = names.used;
        used.sort_unstable();
        used.dedup();
        if used == matter[at] {
            continue;
        }
        matter[at] = used;
        for &caller in &callers[at] {
            if !waits[caller] {
                waits[caller] = true;
                open.push_back(caller);
            }
        }
    }
    matter
}

impl Names<'_> {
    /// Names that the events of one node depend on, without those of its parts.
    fn events_of(&mut self, kind: &ProcessKind, matter: &[Vec<LocalId>]) {
        match kind {
            ProcessKind::Reference { definition, arguments } => {
                for (at, argument) in arguments.iter().enumerate() {
                    if matter[definition.index()].contains(&LocalId::from_index(at)) {
                        self.expr(argument);
                    }
                }
            }
            ProcessKind::Prefix { action, .. } => {
                if let ActionKind::Event(event) = &action.kind {
                    self.event(event);
                }
            }
            ProcessKind::Alternatives { events, .. } => {
                events.iter().for_each(|event| self.event(event));
            }
            ProcessKind::Replicate { bindings, .. } => self.bindings(bindings),
            ProcessKind::Copies { count, .. } => self.expr(count),
            ProcessKind::Hide { events, .. } => events.iter().for_each(|set| self.set(set)),
            _ => {}
        }
    }
}
