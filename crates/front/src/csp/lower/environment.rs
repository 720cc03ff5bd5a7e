//! Values of the names of a definition at a point of a process.
//!
//! A process is a term: a place in the text, together with values for the names that are free there. Most
//! values are known before the search. Those that are not are kept in *cells*, variables of the process in the
//! model, or are expressions that have not been evaluated yet: as in PAT, the arguments of a process are
//! evaluated when the process makes its first step, not when it becomes the one to go on with.

use fairly_model::{AnyVariable, BinaryOp, Expr, LocalId as Cell, Place};

use crate::csp::syntax::LocalId;

/// Value of a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Value {
    /// A number; truth values are 0 and 1.
    Known(i64),
    /// An expression over cells and global variables, to be evaluated when it is needed.
    Deferred(Expr),
    /// An expression to be evaluated in the state before the step that is being made. Only in terms
    /// that have not been settled: see [`super::term::settle`].
    Captured(Expr),
}

impl Value {
    /// The value as an expression in the state before a step.
    pub(super) fn expr(&self) -> Expr {
        match self {
            Value::Known(value) => Expr::Const(*value),
            Value::Deferred(expr) | Value::Captured(expr) => expr.clone(),
        }
    }

    /// The same value for a reader that will not look before the next step.
    pub(super) fn deferred(expr: Expr) -> Value {
        match expr {
            Expr::Const(value) => Value::Known(value),
            other => Value::Deferred(other),
        }
    }

    /// The value that the name has now, for what comes after the step.
    pub(super) fn captured(&self) -> Value {
        match self {
            Value::Deferred(expr) => Value::Captured(expr.clone()),
            other => other.clone(),
        }
    }
}

/// How many bits the number of a name takes. The elements of an array that a name stands for are names of their own,
/// whose numbers have more.
const NAME_BITS: u32 = 22;

/// The name of an element of the array that a name stands for.
pub(super) fn element(local: LocalId, at: usize) -> Option<LocalId> {
    let at = u32::try_from(at + 1).ok().filter(|&at| at < 1 << (u32::BITS - NAME_BITS))?;
    (local.0 >> NAME_BITS == 0).then_some(LocalId(at << NAME_BITS | local.0))
}

/// The name that an element belongs to; other names are themselves.
pub(super) fn whole(local: LocalId) -> LocalId {
    LocalId(local.0 & ((1 << NAME_BITS) - 1))
}

/// The values of some names of a definition, in the order of the names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Environment(Vec<(LocalId, Value)>);

impl Environment {
    /// Value of a name.
    pub(super) fn get(&self, local: LocalId) -> Option<&Value> {
        let at = self.0.binary_search_by_key(&local, |&(name, _)| name).ok()?;
        Some(&self.0[at].1)
    }

    /// Gives a name a value.
    pub(super) fn set(&mut self, local: LocalId, value: Value) {
        match self.0.binary_search_by_key(&local, |&(name, _)| name) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (local, value)),
        }
    }

    /// Only these names, which are in order.
    #[must_use]
    pub(super) fn restricted(&self, names: &[LocalId]) -> Environment {
        let wanted = |entry: &&(LocalId, Value)| names.binary_search(&whole(entry.0)).is_ok();
        Environment(self.0.iter().filter(wanted).cloned().collect())
    }

    /// The same names with other values.
    #[must_use]
    pub(super) fn mapped(&self, mut change: impl FnMut(&Value) -> Value) -> Environment {
        Environment(self.0.iter().map(|(name, value)| (*name, change(value))).collect())
    }

    /// Whether no value depends on when it is asked for: see [`is_stable`].
    pub(super) fn is_stable(&self) -> bool {
        self.values().all(|value| match value {
            Value::Known(_) | Value::Captured(_) => true,
            Value::Deferred(expr) => is_stable(expr),
        })
    }

    /// The same names with other values, which may depend on the names.
    #[must_use]
    pub(super) fn mapped_with_names(
        &self,
        mut change: impl FnMut(LocalId, &Value) -> Value,
    ) -> Environment {
        Environment(self.0.iter().map(|(name, value)| (*name, change(*name, value))).collect())
    }

    /// Gives a name an array of values, if it is not too long.
    pub(super) fn set_all(&mut self, local: LocalId, values: Vec<Value>) -> Option<()> {
        for (at, value) in values.into_iter().enumerate() {
            self.set(element(local, at)?, value);
        }
        Some(())
    }

    /// The names and their values.
    pub(super) fn entries(&self) -> &[(LocalId, Value)] {
        &self.0
    }

    /// The values.
    pub(super) fn values(&self) -> impl Iterator<Item = &Value> {
        self.0.iter().map(|(_, value)| value)
    }
}

/// The cell that an expression reads, if it does nothing else.
pub(super) fn as_cell(expr: &Expr) -> Option<Cell> {
    match expr {
        Expr::Load(Place { variable: AnyVariable::Local(cell), index: None }) => Some(*cell),
        _ => None,
    }
}

/// Whether an expression has the same value in all states until the process makes a step, and is
/// never a fault: it reads nothing but cells.
pub(super) fn is_stable(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) | Expr::Received(_) => true,
        Expr::Load(Place { variable: AnyVariable::Local(_), index: None }) => true,
        Expr::Unary(_, operand) => is_stable(operand),
        Expr::Binary(op, operands) => {
            let divides = matches!(op, BinaryOp::Divide | BinaryOp::Modulo | BinaryOp::Remainder);
            let (left, right) = &**operands;
            let is_number = matches!(right, Expr::Const(value) if *value != 0);
            is_stable(left) && is_stable(right) && (!divides || is_number)
        }
        Expr::Conditional(parts) => {
            is_stable(&parts.0) && is_stable(&parts.1) && is_stable(&parts.2)
        }
        _ => false,
    }
}

/// Replacement for a leaf, if there is one.
pub(super) type Leaf<'a> = &'a mut dyn FnMut(&Expr) -> Option<Expr>;

/// The expression with its leaves (cells and cells of a message) replaced.
pub(super) fn substituted(expr: &Expr, leaf: Leaf<'_>) -> Expr {
    if let Some(other) = leaf(expr) {
        return other;
    }
    match expr {
        Expr::Unary(op, operand) => Expr::Unary(*op, Box::new(substituted(operand, leaf))),
        Expr::Binary(op, operands) => {
            let (left, right) = &**operands;
            Expr::binary(*op, substituted(left, leaf), substituted(right, leaf))
        }
        Expr::Conditional(parts) => {
            let (a, b, c) = &**parts;
            Expr::Conditional(Box::new((
                substituted(a, leaf),
                substituted(b, leaf),
                substituted(c, leaf),
            )))
        }
        Expr::Checked { index, length } => {
            Expr::Checked { index: Box::new(substituted(index, leaf)), length: *length }
        }
        Expr::Channel(query, channel) => {
            Expr::Channel(*query, Box::new(substituted(channel, leaf)))
        }
        Expr::Load(Place { variable, index: Some(index) }) => Expr::Load(Place {
            variable: variable.clone(),
            index: Some(Box::new(substituted(index, leaf))),
        }),
        // Nothing of the others is made from CSP#, except leaves.
        other => other.clone(),
    }
}
