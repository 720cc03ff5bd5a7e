//! Evaluation of operators.

use crate::expression::BinaryOp;

impl BinaryOp {
    /// The result, if it exists and fits 64 bits: a divisor must not be zero, and a shift is by 0 to 63 places.
    ///
    /// ```
    /// use fairly_model::BinaryOp;
    /// assert_eq!(BinaryOp::Remainder.apply(-7, 3), Some(-1));
    /// assert_eq!(BinaryOp::Modulo.apply(-7, 3), Some(2));
    /// assert_eq!(BinaryOp::Divide.apply(1, 0), None);
    /// assert_eq!(BinaryOp::ShiftLeft.apply(1, 63), None);
    /// ```
    #[inline]
    pub fn apply(self, left: i64, right: i64) -> Option<i64> {
        let places = || u32::try_from(right).ok().filter(|&places| places < 64);
        Some(match self {
            BinaryOp::Add => left.checked_add(right)?,
            BinaryOp::Subtract => left.checked_sub(right)?,
            BinaryOp::Multiply => left.checked_mul(right)?,
            BinaryOp::Divide => left.checked_div(right)?,
            BinaryOp::Remainder | BinaryOp::Modulo if right == 0 => return None,
            // The remainder of the one division that overflows is 0.
            BinaryOp::Remainder => left.wrapping_rem(right),
            BinaryOp::Modulo => {
                let rest = left.wrapping_rem(right);
                if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest }
            }
            BinaryOp::Equal => i64::from(left == right),
            BinaryOp::NotEqual => i64::from(left != right),
            BinaryOp::Less => i64::from(left < right),
            BinaryOp::LessEqual => i64::from(left <= right),
            BinaryOp::Greater => i64::from(left > right),
            BinaryOp::GreaterEqual => i64::from(left >= right),
            BinaryOp::And => i64::from(left != 0 && right != 0),
            BinaryOp::Or => i64::from(left != 0 || right != 0),
            BinaryOp::BitAnd => left & right,
            BinaryOp::BitOr => left | right,
            BinaryOp::BitXor => left ^ right,
            BinaryOp::ShiftLeft => {
                let places = places()?;
                Some(left << places).filter(|shifted| shifted >> places == left)?
            }
            BinaryOp::ShiftRight => left >> places()?,
        })
    }

    /// Tells whether the result is a truth value.
    pub fn is_truth(self) -> bool {
        matches!(
            self,
            BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Equal
                | BinaryOp::NotEqual
                | BinaryOp::Less
                | BinaryOp::LessEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterEqual
        )
    }
}
