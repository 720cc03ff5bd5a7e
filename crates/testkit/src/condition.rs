//! Acceptance conditions with an evaluation of their own.

use std::fmt;

/// A positive Boolean combination of `Inf` and `Fin` over marks, as written: nothing is flattened
/// or simplified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TinyCondition {
    /// Every infinite run.
    True,
    /// No run.
    False,
    /// The mark is met infinitely often.
    Inf(u32),
    /// The mark is not met infinitely often.
    Fin(u32),
    /// All of them; of none, every run.
    And(Vec<TinyCondition>),
    /// One of them; of none, no run.
    Or(Vec<TinyCondition>),
}

impl TinyCondition {
    /// Whether a run is accepted that meets exactly the marks in `seen` infinitely often.
    pub fn accepts(&self, seen: u64) -> bool {
        match self {
            TinyCondition::True => true,
            TinyCondition::False => false,
            TinyCondition::Inf(mark) => seen & (1 << mark) != 0,
            TinyCondition::Fin(mark) => seen & (1 << mark) == 0,
            TinyCondition::And(parts) => {
                for part in parts {
                    if !part.accepts(seen) {
                        return false;
                    }
                }
                true
            }
            TinyCondition::Or(parts) => {
                for part in parts {
                    if part.accepts(seen) {
                        return true;
                    }
                }
                false
            }
        }
    }

    /// `Fin(fin) | Inf(inf)`.
    pub fn streett_pair(fin: u32, inf: u32) -> Self {
        TinyCondition::Or(vec![TinyCondition::Fin(fin), TinyCondition::Inf(inf)])
    }

    /// `Fin(fin) & Inf(inf)`.
    pub fn rabin_pair(fin: u32, inf: u32) -> Self {
        TinyCondition::And(vec![TinyCondition::Fin(fin), TinyCondition::Inf(inf)])
    }
}

impl fmt::Display for TinyCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |parts: &[TinyCondition], sign: &str| {
            let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
            format!("({})", parts.join(sign))
        };
        match self {
            TinyCondition::True => write!(f, "t"),
            TinyCondition::False => write!(f, "f"),
            TinyCondition::Inf(mark) => write!(f, "Inf({mark})"),
            TinyCondition::Fin(mark) => write!(f, "Fin({mark})"),
            TinyCondition::And(parts) if parts.is_empty() => write!(f, "t"),
            TinyCondition::Or(parts) if parts.is_empty() => write!(f, "f"),
            TinyCondition::And(parts) => write!(f, "{}", joined(parts, " & ")),
            TinyCondition::Or(parts) => write!(f, "{}", joined(parts, " | ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TinyCondition::{self, And, Fin, Inf, Or};

    #[test]
    fn conditions_are_judged_on_what_is_seen() {
        let pair = TinyCondition::streett_pair(0, 1);
        assert_eq!(
            [0b00, 0b01, 0b10, 0b11].map(|seen| pair.accepts(seen)),
            [true, false, true, true]
        );
        let pair = TinyCondition::rabin_pair(0, 1);
        assert_eq!(
            [0b00, 0b01, 0b10, 0b11].map(|seen| pair.accepts(seen)),
            [false, false, true, false]
        );
        assert!(And(vec![]).accepts(0) && !Or(vec![]).accepts(0));
        let nested = And(vec![Or(vec![Inf(0), Fin(63)]), Inf(1)]);
        assert_eq!(nested.to_string(), "((Inf(0) | Fin(63)) & Inf(1))");
        assert!(nested.accepts(0b10) && !nested.accepts(1 << 63 | 0b10));
    }
}
