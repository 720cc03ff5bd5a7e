//! Choices over an index whose values depend on the state, such as `[] t:{0..n-1}@P(t)`.
//!
//! The copies are made for each value of the variable that the index depends on, and a condition says which of them
//! are there. If no bounds are declared for the variable, that is done for the first values only; in a state where it
//! has another one, nothing is known of what follows.

use fairly_model::{AnyVariable, BinaryOp, Expr, Place, Range, Statement, StatementKind, UnaryOp};

use super::LowerError;
use super::environment::Environment;
use super::expression::folded;
use super::program::LIMIT;
use super::steps::{Step, StepLabel};
use super::term::Term;
use super::terms::Terms;
use crate::csp::syntax::{Domain, NodeId, ProcessKind};

/// How many values there are of a variable without bounds, and how many copies for all of them together. Each copy is
/// looked at in each state.
const MAX_CASES: i64 = 8;
const MAX_CASE_COPIES: usize = 64;

/// The same of a variable with bounds.
const MAX_DECLARED_CASES: i64 = 256;
const MAX_DECLARED_COPIES: usize = 4096;

/// Values that a variable without bounds is compared with.
pub(super) const CASES: Range = Range { low: 0, high: MAX_CASES - 1 };

/// The operands of a choice that are there if a condition holds.
pub(super) type Case = (Expr, Vec<(NodeId, Environment)>);

impl Terms {
    /// The operands of a choice. Where they are not known before the search: for each value that they depend on, and
    /// a step that ends the search if it is none of these.
    pub(super) fn cases(
        &self,
        node: NodeId,
        environment: &Environment,
        out: &mut Vec<Step>,
    ) -> Result<Vec<Case>, LowerError> {
        let trouble = match self.operands(node, environment, None) {
            Ok(operands) => return Ok(vec![(Expr::TRUE, operands)]),
            Err(trouble) => trouble,
        };
        let process = self.specification.node(node);
        let (ProcessKind::Replicate { bindings, .. }, "E1093") = (&process.kind, trouble.code)
        else {
            return Err(trouble);
        };
        let mut read = None;
        for binding in bindings {
            let bounds = match &binding.domain {
                Domain::Range(low, high) => vec![low, high],
                Domain::List(values) => values.iter().collect(),
            };
            for bound in bounds {
                // An index before this one has no value here, and it is none of the state.
                let Ok(bound) = self.expr(bound, environment) else { continue };
                if !reads_only(&bound, &mut read) {
                    return Err(trouble);
                }
            }
        }
        let Some(read) = read else { return Err(trouble) };
        let declared = self.declared(&read);
        let (Range { low, high }, most) = match declared {
            Some(range) if range.high - range.low < MAX_DECLARED_CASES => {
                (range, MAX_DECLARED_COPIES)
            }
            Some(_) => return Err(trouble),
            None => (CASES, MAX_CASE_COPIES),
        };
        let (mut cases, mut copies) = (Vec::new(), 0);
        for value in low..=high {
            let operands = match self.operands(node, environment, Some((&read, value))) {
                Ok(operands) => operands,
                Err(_) if declared.is_none() => break,
                Err(other) => return Err(other),
            };
            copies += operands.len();
            if copies > most {
                break;
            }
            cases.push((folded(BinaryOp::Equal, read.clone(), Expr::Const(value)), operands));
        }
        let last = low + i64::try_from(cases.len()).unwrap_or(0) - 1;
        if declared.is_some() {
            return if last == high { Ok(cases) } else { Err(trouble) };
        }
        let beyond = folded(BinaryOp::Less, Expr::Const(last), read.clone());
        let negative = folded(BinaryOp::Less, read.clone(), Expr::Const(low));
        let guard = Expr::binary(BinaryOp::Or, negative, beyond);
        let value = folded(BinaryOp::Add, read, Expr::Const(high - last));
        let kind = StatementKind::Assign(vec![(Place::local(LIMIT), value)]);
        let program = vec![Statement { kind, span: Some(process.span) }];
        self.limited.set(true);
        let label = StepLabel::Internal(None);
        out.push(Step { guard, program, ..Step::new(label, Term::Stop, process.span) });
        Ok(cases)
    }

    /// The bounds that are declared for what an expression reads.
    fn declared(&self, read: &Expr) -> Option<Range> {
        let Expr::Load(Place { variable: AnyVariable::Global(id), .. }) = read else { return None };
        let bounds = self.specification.variables.get(id.index())?.bounds?;
        Some(Range::new(i64::from(bounds.low?), i64::from(bounds.high?)))
    }
}

/// Whether an expression reads nothing but one variable, the same as those before.
fn reads_only(expr: &Expr, read: &mut Option<Expr>) -> bool {
    match expr {
        Expr::Const(_) => true,
        Expr::Load(Place { index, .. }) => {
            let is_single = index.as_deref().is_none_or(|it| matches!(it, Expr::Const(_)));
            let same = read.get_or_insert_with(|| expr.clone()) == expr;
            is_single && same
        }
        Expr::Unary(_, operand) => reads_only(operand, read),
        Expr::Binary(_, operands) => reads_only(&operands.0, read) && reads_only(&operands.1, read),
        Expr::Conditional(parts) => {
            reads_only(&parts.0, read) && reads_only(&parts.1, read) && reads_only(&parts.2, read)
        }
        _ => false,
    }
}

/// An expression where a variable has a value.
pub(super) fn assumed(expr: &Expr, variable: &Expr, value: i64) -> Expr {
    if expr == variable {
        return Expr::Const(value);
    }
    let inner = |expr: &Expr| assumed(expr, variable, value);
    match expr {
        Expr::Unary(op, operand) => match (op, inner(operand)) {
            (UnaryOp::Negate, Expr::Const(value)) => Expr::Const(value.saturating_neg()),
            (UnaryOp::Not, Expr::Const(value)) => Expr::Const(i64::from(value == 0)),
            (op, operand) => Expr::unary(*op, operand),
        },
        Expr::Binary(op, operands) => folded(*op, inner(&operands.0), inner(&operands.1)),
        Expr::Conditional(parts) => match inner(&parts.0) {
            Expr::Const(0) => inner(&parts.2),
            Expr::Const(_) => inner(&parts.1),
            condition => Expr::Conditional(Box::new((condition, inner(&parts.1), inner(&parts.2)))),
        },
        other => other.clone(),
    }
}
