//! Priorities: a process moves only if none with a higher priority could, as SPIN 6 has it.
//!
//! Where every process of a proctype always has the same priority, it is a number. Otherwise the
//! priorities stand in an array of the model, one for each slot, with 0 where no process is.

use fairly_model::{
    AnyVariable, BinaryOp, Expr, Overflow, Place, Range, Shown, Statement, StatementKind, Storage,
    TemplateId, Variable, VariableId,
};

use super::executable::any_of;
use super::expression::{Value, both};
use super::outside::Outside;
use super::processes::{Lowering, Scope, small};
use super::{Lower, trouble};
use crate::promela::ast::{self, Base, Ltl, ProcessKind, Proctype, Sequence, Stmt, StmtKind};
use crate::promela::finish::{asks_priority, find_priority, inner, runs};

/// How priorities are kept.
#[derive(Clone, Debug, Default)]
pub(super) enum Priorities {
    /// All processes have the same.
    #[default]
    Equal,
    /// By proctype.
    Fixed(Vec<i64>),
    /// In an array, by slot.
    Kept(VariableId),
}

/// The priorities that SPIN has.
const RANGE: Range = Range { low: 0, high: 255 };
/// How many conditions priorities may add to a model.
const MOST_CONDITIONS: usize = 1_000_000;

/// Uses of priorities in a model.
#[derive(Default)]
pub(super) struct Used {
    /// By proctype: those that its processes start with.
    starts: Vec<Vec<i64>>,
    /// Whether they change, or are asked for by number of the process.
    kept: bool,
    /// Where one is given; nowhere if all are the same.
    pub(super) place: Option<crate::promela::place::Place>,
}

impl<'a> Lowering<'a> {
    /// Finds out how priorities are kept.
    pub(super) fn add_priorities(&mut self, used: &Used) -> Lower<()> {
        let Some(place) = used.place else { return Ok(()) };
        if self.has_rendezvous() {
            let message = "priorities of processes, beside a rendezvous,";
            return Err(trouble("E1190", message, place));
        }
        let fixed = used.starts.iter().all(|starts| starts.len() <= 1);
        if fixed && !used.kept {
            let first = |starts: &Vec<i64>| starts.first().copied().unwrap_or(1);
            let all: Vec<i64> = used.starts.iter().map(first).collect();
            if all.iter().any(|one| one != &all[0]) {
                self.priorities = Priorities::Fixed(all);
            }
            return Ok(());
        }
        let initial = |plan: &super::slots::Plan| match plan.start {
            Some(template) => declared(self.processes[template.index()].of),
            None => 0,
        };
        let variable = Variable {
            name: "_priority".to_owned(),
            range: RANGE,
            overflow: Overflow::Wrap,
            length: Some(small(self.slots.len()).max(1)),
            count: None,
            initial: self.slots.iter().map(initial).collect(),
            storage: Storage::State,
            shown: Shown::default(),
            span: Some(place.span),
        };
        self.priorities = Priorities::Kept(VariableId::from_index(self.model.variables.len()));
        self.model.variables.push(variable);
        Ok(())
    }

    /// Collects the uses of priorities in the model.
    pub(super) fn used_priorities(&self) -> Lower<Used> {
        let mut used =
            Used { starts: vec![Vec::new(); self.ast.processes.len()], ..Used::default() };
        for (at, process) in self.ast.processes.iter().enumerate() {
            if let Some(priority) = process.priority {
                check(priority, process.place)?;
                used.place = used.place.or(Some(process.place));
            }
            if is_active(process) {
                used.starts[at].push(declared(process));
            }
        }
        for process in self.ast.processes.iter().chain(&self.ast.claims) {
            used.sequence(&process.body)?;
        }
        for formula in &self.ast.formulas {
            used.formula(&formula.ltl);
        }
        Ok(used)
    }

    /// The priority of the process that evaluates this.
    pub(super) fn own_priority(&self, scope: Scope) -> Value {
        let expr = match (&self.priorities, scope) {
            (Priorities::Fixed(all), Scope::Process(at)) => Expr::Const(all[at]),
            (Priorities::Kept(variable), Scope::Process(_)) => element(*variable, Expr::Own),
            _ => Expr::Const(1),
        };
        Value { expr, range: RANGE }
    }

    /// `get_priority(pid)`: 0 if there is no such process.
    pub(super) fn priority_of(&self, pid: Expr) -> Value {
        let expr = match self.priorities {
            Priorities::Kept(variable) => {
                let count = Expr::Const(i64::try_from(self.slots.len()).unwrap_or(0));
                let there = self.is_slot(&pid, count);
                let parts = (there, element(variable, pid), Expr::Const(0));
                Expr::Conditional(Box::new(parts))
            }
            _ => self.is_slot(&pid, Expr::Running),
        };
        Value { expr, range: RANGE }
    }

    /// That a number is one of the first slots.
    fn is_slot(&self, pid: &Expr, count: Expr) -> Expr {
        let least = Expr::binary(BinaryOp::GreaterEqual, pid.clone(), Expr::Const(0));
        both(least, Expr::binary(BinaryOp::Less, pid.clone(), count))
    }

    /// `_priority = …`.
    pub(super) fn set_own_priority(&self, value: Expr) -> Option<StatementKind> {
        let Priorities::Kept(variable) = self.priorities else { return None };
        Some(StatementKind::Assign(vec![(place(variable, Expr::Own), value)]))
    }

    /// `set_priority(pid, …)`, which does nothing if there is no such process.
    pub(super) fn set_priority(&self, stmt: &'a Stmt, pid: Expr, value: Expr) -> Vec<Statement> {
        let Priorities::Kept(variable) = self.priorities else { return Vec::new() };
        let span = Some(stmt.place.span);
        let least = Expr::binary(BinaryOp::GreaterEqual, value.clone(), Expr::Const(1));
        let most = Expr::binary(BinaryOp::LessEqual, value.clone(), Expr::Const(RANGE.high));
        let message = "a priority is 1 to 255".to_owned();
        let kind = StatementKind::Assert {
            condition: both(least, most),
            message,
            kind: fairly_system::FaultKind::Error,
        };
        let check = Statement { kind, span };
        let there = self.is_slot(&pid, Expr::Running);
        let kind = StatementKind::Assign(vec![(place(variable, pid), value)]);
        let then = vec![check, Statement { kind, span }];
        let kind = StatementKind::If { condition: there, then, otherwise: Vec::new() };
        vec![Statement { kind, span }]
    }

    /// Statement for a process that has been started, whose number is there.
    pub(super) fn give_priority(&self, run: &ast::Run, number: Expr) -> Option<StatementKind> {
        let Priorities::Kept(variable) = self.priorities else { return None };
        let value = Expr::Const(run.priority.unwrap_or(1).into());
        Some(StatementKind::Assign(vec![(place(variable, number), value)]))
    }

    /// Statement for a process that ends.
    pub(super) fn drop_priority(&self) -> Option<Statement> {
        self.set_own_priority(Expr::Const(0)).map(Statement::new)
    }

    /// That no process with a higher priority than one of this proctype could move.
    pub(super) fn is_highest(&self, at: usize) -> Lower<Expr> {
        let mut above = Vec::new();
        if matches!(self.priorities, Priorities::Equal) {
            return Ok(Expr::TRUE);
        }
        self.check_size()?;
        for other in 0..self.processes.len() {
            for who in self.outsides(TemplateId::from_index(other)) {
                let higher = match &self.priorities {
                    Priorities::Equal => Expr::FALSE,
                    Priorities::Fixed(all) => Expr::Const(i64::from(all[other] > all[at])),
                    Priorities::Kept(variable) => {
                        let theirs = element(*variable, Expr::Const(who.slot.0.into()));
                        Expr::binary(BinaryOp::Greater, theirs, element(*variable, Expr::Own))
                    }
                };
                if higher != Expr::FALSE {
                    above.push(both(higher, self.would_move(who)?));
                }
            }
        }
        Ok(any_of(above).negated())
    }

    /// That a process could move, were it not for priorities.
    fn would_move(&self, who: Outside) -> Lower<Expr> {
        let can_move = self.can_move(who)?;
        Ok(match &self.processes[who.template.index()].of.provided {
            Some(provided) => {
                let scope = Scope::Process(who.template.index());
                both(who.expr(&self.expr(provided, scope)?.expr), can_move)
            }
            None => can_move,
        })
    }

    /// Refuses a model that would become too large: every step looks at all other processes.
    fn check_size(&self) -> Lower<()> {
        let places = |plan: &super::slots::Plan| -> usize {
            plan.templates.iter().map(|it| self.processes[it.index()].locations.len()).sum()
        };
        let all: usize = self.slots.iter().map(places).sum();
        let steps: usize = self.processes.iter().map(|process| process.locations.len()).sum();
        match all.saturating_mul(steps) > MOST_CONDITIONS {
            true => {
                let place = self.processes[0].of.place;
                Err(trouble("E1190", "priorities in a model of this size", place))
            }
            false => Ok(()),
        }
    }
}

impl Used {
    fn formula(&mut self, ltl: &Ltl) {
        match ltl {
            Ltl::Proposition(expr) => self.kept |= find_priority(expr).is_some(),
            Ltl::Asked(_) => {}
            Ltl::Unary(_, operand) => self.formula(operand),
            Ltl::Binary(_, left, right) => {
                self.formula(left);
                self.formula(right);
            }
        }
    }

    fn sequence(&mut self, sequence: &Sequence) -> Lower<()> {
        for stmt in &sequence.steps {
            let changes = match &stmt.kind {
                StmtKind::SetPriority(..) => true,
                StmtKind::Assign(target, _) => target.base == Base::Priority,
                _ => false,
            };
            self.kept |= changes || asks_priority(stmt);
            if changes {
                self.place = self.place.or(Some(stmt.place));
            }
            for run in runs(stmt) {
                if let Some(priority) = run.priority {
                    check(priority, stmt.place)?;
                    self.place = self.place.or(Some(stmt.place));
                }
                let starts = &mut self.starts[run.proctype.index()];
                let priority = i64::from(run.priority.unwrap_or(1));
                if !starts.contains(&priority) {
                    starts.push(priority);
                }
            }
            for inner in inner(&stmt.kind) {
                self.sequence(inner)?;
            }
        }
        Ok(())
    }
}

fn check(priority: i32, place: crate::promela::place::Place) -> Lower<()> {
    match (1..=255).contains(&priority) {
        true => Ok(()),
        false => Err(trouble("E1190", "a priority that is not 1 to 255", place)),
    }
}

fn declared(process: &Proctype) -> i64 {
    process.priority.unwrap_or(1).into()
}

fn is_active(process: &Proctype) -> bool {
    match process.kind {
        ProcessKind::Proctype { active, .. } => active > 0,
        ProcessKind::Init => true,
        _ => false,
    }
}

fn place(variable: VariableId, slot: Expr) -> Place {
    Place { variable: AnyVariable::Global(variable), index: Some(Box::new(slot)) }
}

fn element(variable: VariableId, slot: Expr) -> Expr {
    Expr::Load(place(variable, slot))
}
