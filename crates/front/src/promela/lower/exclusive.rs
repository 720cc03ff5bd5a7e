//! `xr` and `xs`: a process claims that it alone receives from, or sends to, a channel.
//!
//! SPIN makes the claim when the process is created, and checks it wherever another process comes to
//! a statement that uses the channel, whether or not that can be executed. Here an edge of its own,
//! which only such a process can take, ends in a fault. A claim lasts as long as its process; that
//! of the only process of its kind, which is there from the start, for ever.

use fairly_model::{BinaryOp, ChannelQuery, Expr, Statement, StatementKind, TemplateId};

use super::Lower;
use super::executable::any_of;
use super::expression::{both, equal};
use super::flow::{ElementId, Node};
use super::outside::Outside;
use super::processes::{Lowering, Scope};
use super::statement::Action;
use crate::promela::ast::{self, Exclusive, ExprKind, Pattern, Probe, Stmt, StmtKind, VarRef};

/// Use of a channel, as far as claims go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind {
    receives: bool,
    sends: bool,
}

impl Kind {
    const RECEIVES: Kind = Kind { receives: true, sends: false };
    const SENDS: Kind = Kind { receives: false, sends: true };
    /// Conditions on the fill of a channel can be changed from both ends.
    const LOOKS: Kind = Kind { receives: true, sends: true };

    fn concerns(self, claim: &Exclusive) -> bool {
        if claim.sends { self.sends } else { self.receives }
    }
}

/// How a claim is broken.
struct Intrusion {
    when: Expr,
    /// The error in that case.
    message: String,
}

/// A use of a channel.
struct Use<'a> {
    channel: &'a VarRef,
    kind: Kind,
    /// When it comes to it: operators may leave out what is behind them.
    when: Expr,
}

impl<'a> Lowering<'a> {
    /// Replacement for a step that breaks a claim; `None` if it cannot break one.
    pub(super) fn intrusion(&self, at: usize, element: ElementId) -> Lower<Option<Action>> {
        let first = match self.processes[at].flow.elements[element].node {
            Node::Basic(stmt) => Some(stmt),
            Node::DStep(inner) => self.first_of(at, self.processes[at].flow.sequences[inner].first),
            _ => None,
        };
        let Some(stmt) = first else { return Ok(None) };
        Ok(self.intrudes(at, stmt)?.map(|Intrusion { when, message }| {
            let kind = StatementKind::Assert {
                condition: Expr::FALSE,
                message,
                kind: fairly_system::FaultKind::Error,
            };
            let effect = vec![Statement { kind, span: Some(stmt.place.span) }];
            Action { effect, ..Action::when(when) }
        }))
    }

    /// Assertion of a statement inside a `d_step` because of claims.
    pub(super) fn assert_unclaimed(&self, at: usize, stmt: &'a Stmt) -> Lower<Option<Statement>> {
        Ok(self.intrudes(at, stmt)?.map(|Intrusion { when, message }| {
            let kind = StatementKind::Assert {
                condition: when.negated(),
                message,
                kind: fairly_system::FaultKind::Error,
            };
            Statement { kind, span: Some(stmt.place.span) }
        }))
    }

    /// The statement that a sequence begins with, if it begins with one.
    fn first_of(&self, at: usize, first: ElementId) -> Option<&'a Stmt> {
        let flow = &self.processes[at].flow;
        let mut element = first;
        loop {
            element = match flow.elements[element].node {
                Node::Basic(stmt) => return Some(stmt),
                Node::Block(inner) | Node::Atomic(inner) | Node::DStep(inner) => {
                    flow.sequences[inner].first
                }
                _ => return None,
            };
        }
    }

    /// How a statement of a process may break a claim.
    fn intrudes(&self, at: usize, stmt: &'a Stmt) -> Lower<Option<Intrusion>> {
        let claimed = self.ast.processes.iter().any(|process| !process.exclusive.is_empty());
        if !claimed || !self.options.assertions {
            return Ok(None);
        }
        let mut when = Vec::new();
        let mut words = String::new();
        for used in self.uses(stmt, Scope::Process(at))? {
            for (by, claim) in self.claims().filter(|(_, claim)| used.kind.concerns(claim)) {
                let breaks = both(used.when.clone(), self.theirs(at, used.channel, by, claim)?);
                if breaks != Expr::FALSE {
                    words = self.claim_words(by, claim);
                    when.push(breaks);
                }
            }
        }
        let when = any_of(when);
        let message = format!("the assertion `{words}` does not hold");
        Ok((when != Expr::FALSE).then_some(Intrusion { when, message }))
    }

    /// All claims, with the proctypes that make them.
    fn claims(&self) -> impl Iterator<Item = (TemplateId, &'a Exclusive)> + use<'a> {
        self.ast.processes.iter().enumerate().flat_map(|(at, process)| {
            let by = TemplateId::from_index(at);
            process.exclusive.iter().map(move |claim| (by, claim))
        })
    }

    fn claim_words(&self, by: TemplateId, claim: &Exclusive) -> String {
        let word = if claim.sends { "xs" } else { "xr" };
        let of = &self.processes[by.index()].of.name;
        format!("{word} {}` of `{of}", self.words.at(claim.channel.place))
    }

    /// That a process other than this one claims the channel for itself.
    fn theirs(
        &self,
        at: usize,
        channel: &'a VarRef,
        by: TemplateId,
        claim: &'a Exclusive,
    ) -> Lower<Expr> {
        let used = self.channel(channel, Scope::Process(at))?.number;
        let claimed = self.channel(&claim.channel, Scope::Process(by.index()))?.number;
        let mut theirs = Vec::new();
        for claimant in self.outsides(by) {
            let same = equal(used.clone(), claimant.expr(&claimed));
            let there = match self.claims_for_ever(claimant) && matches!(claimed, Expr::Const(_)) {
                true => Expr::TRUE,
                false => claimant.at(self.everywhere(by)),
            };
            let other = self.is_other(at, claimant);
            theirs.push(both(other.and(there), same));
        }
        Ok(any_of(theirs))
    }

    /// Whether a process is the only one of its kind, and is there from the start.
    fn claims_for_ever(&self, claimant: Outside) -> bool {
        self.slots_of(claimant.template).len() == 1
            && self.slots[claimant.slot.index()].start == Some(claimant.template)
    }

    /// That the process which evaluates this is another one.
    fn is_other(&self, at: usize, claimant: Outside) -> Expr {
        match *self.slots_of(TemplateId::from_index(at)).as_slice() {
            [only] => Expr::Const(i64::from(only != claimant.slot)),
            _ => {
                let slot = Expr::Const(i64::from(claimant.slot.0));
                Expr::binary(BinaryOp::NotEqual, Expr::Own, slot)
            }
        }
    }

    /// Assertions of a new process because of its own claims: that there is no other like it, and that the
    /// channel is no rendezvous, where SPIN has no use for them.
    pub(super) fn assert_claims(&self, at: usize) -> Lower<Vec<Statement>> {
        let mut asserted = Vec::new();
        if !self.options.assertions {
            return Ok(asserted);
        }
        let by = TemplateId::from_index(at);
        for claim in &self.processes[at].of.exclusive {
            let span = Some(claim.channel.place.span);
            let words = self.claim_words(by, claim);
            let mut assert = |condition: Expr, message: String| {
                let kind = StatementKind::Assert {
                    condition,
                    message,
                    kind: fairly_system::FaultKind::Error,
                };
                asserted.push(Statement { kind, span });
            };
            let number = self.channel(&claim.channel, Scope::Process(at))?.number;
            let buffered = Expr::Channel(ChannelQuery::Capacity, Box::new(number));
            let message = format!("the assertion `{words}` is about a rendezvous");
            assert(buffered, message);
            let mut twice = Vec::new();
            for (other, its) in self.claims().filter(|(_, its)| its.sends == claim.sends) {
                let number = self.channel(&claim.channel, Scope::Process(at))?.number;
                let claimed = self.channel(&its.channel, Scope::Process(other.index()))?.number;
                for claimant in self.outsides(other) {
                    let there = claimant.at(self.everywhere(other));
                    let same = equal(number.clone(), claimant.expr(&claimed));
                    let claims = self.is_other(at, claimant).and(there);
                    twice.push(both(claims, same));
                }
            }
            let twice = any_of(twice);
            if twice != Expr::FALSE {
                assert(twice.negated(), format!("the assertion `{words}` does not hold"));
            }
        }
        Ok(asserted)
    }

    /// The channels that a statement uses.
    fn uses(&self, stmt: &'a Stmt, scope: Scope) -> Lower<Vec<Use<'a>>> {
        let mut found = Vec::new();
        let mut search = Search { lowering: self, scope, found: &mut found };
        match &stmt.kind {
            StmtKind::Condition(value)
            | StmtKind::Assign(_, value)
            | StmtKind::Declare(_, Some(value))
            | StmtKind::Assert(value)
            | StmtKind::Printm(value) => search.expr(value, Expr::TRUE)?,
            StmtKind::Printf(_, values) => {
                for value in values {
                    search.expr(value, Expr::TRUE)?;
                }
            }
            StmtKind::Send { channel, fields, .. } => {
                search.add(channel, Kind::SENDS, Expr::TRUE);
                let number = self.channel(channel, scope)?.number;
                let full = Expr::Channel(ChannelQuery::Full, Box::new(number));
                for field in fields {
                    search.expr(field, full.clone().negated())?;
                }
            }
            StmtKind::Receive { channel, fields, .. } => {
                search.add(channel, Kind::RECEIVES, Expr::TRUE);
                let number = self.channel(channel, scope)?.number;
                let empty = Expr::Channel(ChannelQuery::Empty, Box::new(number));
                search.patterns(fields, &empty.negated())?;
            }
            _ => {}
        }
        Ok(found)
    }
}

/// Looks for uses of channels.
struct Search<'l, 'a> {
    lowering: &'l Lowering<'a>,
    scope: Scope,
    found: &'l mut Vec<Use<'a>>,
}

impl<'a> Search<'_, 'a> {
    fn add(&mut self, channel: &'a VarRef, kind: Kind, when: Expr) {
        self.found.push(Use { channel, kind, when });
    }

    fn patterns(&mut self, fields: &'a [Pattern], when: &Expr) -> Lower<()> {
        for field in fields {
            if let Pattern::Equal(value) = field {
                self.expr(value, when.clone())?;
            }
        }
        Ok(())
    }

    /// Collects the uses of an expression that is evaluated in this case.
    fn expr(&mut self, expr: &'a ast::Expr, when: Expr) -> Lower<()> {
        match &expr.kind {
            ExprKind::Length(channel) => self.add(channel, Kind::LOOKS, when),
            ExprKind::Probe(probe, channel) => {
                let kind = match probe {
                    // These two stay true as long as the one who asks does nothing.
                    Probe::NotEmpty => Kind::RECEIVES,
                    Probe::NotFull => Kind::SENDS,
                    Probe::Full | Probe::Empty => Kind::LOOKS,
                };
                self.add(channel, kind, when);
            }
            ExprKind::Poll { channel, fields, .. } => {
                self.patterns(fields, &when)?;
                self.add(channel, Kind::LOOKS, when);
            }
            ExprKind::Unary(_, operand) => self.expr(operand, when)?,
            ExprKind::Binary(op, left, right) => {
                let first = self.lowering.expr(left, self.scope);
                self.expr(left, when.clone())?;
                let behind = match op {
                    ast::BinaryOp::And => when.and(first?.expr),
                    ast::BinaryOp::Or => when.and(first?.expr.negated()),
                    _ => when,
                };
                self.expr(right, behind)?;
            }
            ExprKind::Conditional(parts) => {
                let [condition, yes, no] = parts.as_ref();
                let decides = self.lowering.expr(condition, self.scope)?.expr;
                self.expr(condition, when.clone())?;
                self.expr(yes, when.clone().and(decides.clone()))?;
                self.expr(no, when.and(decides.negated()))?;
            }
            ExprKind::Run(run) => {
                for argument in &run.arguments {
                    self.expr(argument, when.clone())?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}
