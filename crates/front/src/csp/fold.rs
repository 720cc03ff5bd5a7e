//! Evaluation of operators on constants, as PAT does it.

use super::syntax::{BinaryOperator, UnaryOperator, Value};

/// Why there is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldError {
    /// The divisor is zero.
    Zero,
    /// The result is no integer of 32 bits.
    Overflow,
}

/// The result of `operator` on two values; `Ok(None)` if they are of the wrong type.
///
/// # Errors
/// If the result does not exist.
///
/// ```
/// use fairly_front::csp::fold::{FoldError, binary};
/// use fairly_front::csp::syntax::{BinaryOperator::Modulo, Value::Int};
/// assert_eq!(binary(Modulo, Int(-1), Int(3)), Ok(Some(Int(2))));
/// assert_eq!(binary(Modulo, Int(1), Int(0)), Err(FoldError::Zero));
/// ```
pub fn binary(operator: BinaryOperator, a: Value, b: Value) -> Result<Option<Value>, FoldError> {
    use BinaryOperator as B;
    let value = match (operator, a, b) {
        (B::Equal, Value::Int(a), Value::Int(b)) => Value::Bool(a == b),
        (B::Equal, Value::Bool(a), Value::Bool(b)) => Value::Bool(a == b),
        (B::NotEqual, Value::Int(a), Value::Int(b)) => Value::Bool(a != b),
        (B::NotEqual, Value::Bool(a), Value::Bool(b)) => Value::Bool(a != b),
        (B::Or, Value::Bool(a), Value::Bool(b)) => Value::Bool(a || b),
        (B::And, Value::Bool(a), Value::Bool(b)) => Value::Bool(a && b),
        (B::Xor, Value::Bool(a), Value::Bool(b)) => Value::Bool(a != b),
        (_, Value::Int(a), Value::Int(b)) => return integers(operator, a, b),
        _ => return Ok(None),
    };
    Ok(Some(value))
}

fn integers(operator: BinaryOperator, a: i32, b: i32) -> Result<Option<Value>, FoldError> {
    use BinaryOperator as B;
    let result = match operator {
        B::Less => return Ok(Some(Value::Bool(a < b))),
        B::LessEqual => return Ok(Some(Value::Bool(a <= b))),
        B::Greater => return Ok(Some(Value::Bool(a > b))),
        B::GreaterEqual => return Ok(Some(Value::Bool(a >= b))),
        B::Divide | B::Modulo if b == 0 => return Err(FoldError::Zero),
        B::BitAnd => Some(a & b),
        B::BitOr => Some(a | b),
        B::BitXor => Some(a ^ b),
        B::Add => a.checked_add(b),
        B::Subtract => a.checked_sub(b),
        B::Multiply => a.checked_mul(b),
        B::Divide => a.checked_div(b),
        B::Modulo => {
            // The remainder has the sign of `a`; PAT then adds the divisor, whatever its sign.
            let rest = a.wrapping_rem(b);
            if rest >= 0 { Some(rest) } else { rest.checked_add(b) }
        }
        B::Or | B::And | B::Xor | B::Equal | B::NotEqual => return Ok(None),
    };
    result.map(|value| Some(Value::Int(value))).ok_or(FoldError::Overflow)
}

/// The result of `operator` on a value; `Ok(None)` if it is of the wrong type.
///
/// # Errors
/// If the result does not exist.
pub fn unary(operator: UnaryOperator, a: Value) -> Result<Option<Value>, FoldError> {
    match (operator, a) {
        (UnaryOperator::Not, Value::Bool(a)) => Ok(Some(Value::Bool(!a))),
        (UnaryOperator::Negate, Value::Int(a)) => {
            a.checked_neg().map(|value| Some(Value::Int(value))).ok_or(FoldError::Overflow)
        }
        _ => Ok(None),
    }
}
