//! Acceptance conditions: Emerson–Lei formulas over marks, and the classic classes among them.
//!
//! `Inf(m)` says that edges with the mark `m` are taken infinitely often, `Fin(m)` that they are
//! not. A condition is judged on the set of marks of the edges that a run takes infinitely often:
//! [`Acceptance::accepts`]. Büchi, Streett and the other named conditions are ordinary formulas
//! that [`Acceptance::class`] recognises, so nothing needs to be told twice and no operation can
//! leave a name and a formula in disagreement.
//!
//! ```
//! use fairly_omega::{Acceptance, Class, Mark};
//! let two_pairs = Acceptance::streett(2);
//! assert_eq!(two_pairs.to_string(), "(Fin(0) | Inf(1)) & (Fin(2) | Inf(3))");
//! assert_eq!(two_pairs.class(), Class::Streett(2));
//! assert!(two_pairs.accepts(&[Mark(1), Mark(0)].into_iter().collect()));
//! assert!(!two_pairs.accepts(&[Mark(1), Mark(2)].into_iter().collect()));
//! ```

use std::fmt;

use hashbrown::HashSet;

use crate::marks::{Mark, MarkSet};
use crate::refused::{BudgetError, Resource};

/// Formulas nested deeper than this are refused by every reader, so that the walks over a formula
/// may recurse.
pub const MAX_DEPTH: u32 = 500;

/// A positive Boolean formula over `Inf` and `Fin`.
///
/// Build it with [`Acceptance::and`] and [`Acceptance::or`], which keep it flat: no conjunction
/// directly inside a conjunction, no constants inside, at least two members.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Acceptance {
    /// Every infinite run.
    True,
    /// No run.
    False,
    /// Infinitely often an edge with this mark.
    Inf(Mark),
    /// Only finitely often an edge with this mark.
    Fin(Mark),
    /// All of them.
    And(Vec<Acceptance>),
    /// One of them.
    Or(Vec<Acceptance>),
}

/// The name of a condition, in the numbering and with the parameters that HOA gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Class {
    /// `t`
    All,
    /// `f`
    None,
    /// `Inf(0)`
    Buchi,
    /// `Inf(0) & … & Inf(n-1)`, n ≥ 2
    GeneralizedBuchi(u32),
    /// `Fin(0)`
    CoBuchi,
    /// `Fin(0) | … | Fin(n-1)`, n ≥ 2
    GeneralizedCoBuchi(u32),
    /// `(Fin(0) | Inf(1)) & …`
    Streett(u32),
    /// `(Fin(0) & Inf(1)) | …`
    Rabin(u32),
    /// `(Fin(0) & Inf(1) & … & Inf(m0)) | …`: how many `Inf` in each pair
    GeneralizedRabin(Vec<u32>),
    /// Parity of the largest or smallest mark seen infinitely often.
    Parity {
        /// The largest mark decides, not the smallest.
        max: bool,
        /// Odd marks accept, not even ones.
        odd: bool,
        /// How many marks.
        colours: u32,
    },
    /// None of the above.
    EmersonLei,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Class::All => write!(f, "all"),
            Class::None => write!(f, "none"),
            Class::Buchi => write!(f, "Buchi"),
            Class::GeneralizedBuchi(n) => write!(f, "generalized-Buchi {n}"),
            Class::CoBuchi => write!(f, "co-Buchi"),
            Class::GeneralizedCoBuchi(n) => write!(f, "generalized-co-Buchi {n}"),
            Class::Streett(n) => write!(f, "Streett {n}"),
            Class::Rabin(n) => write!(f, "Rabin {n}"),
            Class::GeneralizedRabin(pairs) => {
                write!(f, "generalized-Rabin {}", pairs.len())?;
                pairs.iter().try_for_each(|infs| write!(f, " {infs}"))
            }
            Class::Parity { max, odd, colours } => write!(
                f,
                "parity {} {} {colours}",
                if *max { "max" } else { "min" },
                if *odd { "odd" } else { "even" }
            ),
            Class::EmersonLei => write!(f, "Emerson-Lei"),
        }
    }
}

/// A disjunction of `Fin` and `Inf` over some marks: the clause of a generalised Streett
/// condition. It holds when some mark of `fin` is not seen or some mark of `inf` is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Marks under `Fin`.
    pub fin: MarkSet,
    /// Marks under `Inf`.
    pub inf: MarkSet,
}

impl Clause {
    /// Whether the clause holds when exactly the marks `seen` occur infinitely often.
    pub fn accepts(&self, seen: &MarkSet) -> bool {
        self.inf.intersects(seen) || !self.fin.is_subset(seen)
    }
}

/// One disjunct of a condition in disjunctive form: no mark of `fin`, every mark of `inf`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disjunct {
    /// Marks to be avoided from some point on.
    pub fin: MarkSet,
    /// Marks to be met again and again.
    pub inf: MarkSet,
}

impl Acceptance {
    /// `Inf(0)`.
    pub fn buchi() -> Self {
        Acceptance::Inf(Mark(0))
    }

    /// `Inf(0) & … & Inf(sets-1)`.
    pub fn generalized_buchi(sets: u32) -> Self {
        Acceptance::and((0..sets).map(|mark| Acceptance::Inf(Mark(mark))))
    }

    /// `Fin(0)`.
    pub fn co_buchi() -> Self {
        Acceptance::Fin(Mark(0))
    }

    /// `(Fin(0) | Inf(1)) & (Fin(2) | Inf(3)) & …`.
    pub fn streett(pairs: u32) -> Self {
        Acceptance::and((0..pairs).map(|pair| {
            Acceptance::or([Acceptance::Fin(Mark(2 * pair)), Acceptance::Inf(Mark(2 * pair + 1))])
        }))
    }

    /// `(Fin(0) & Inf(1)) | (Fin(2) & Inf(3)) | …`.
    pub fn rabin(pairs: u32) -> Self {
        Acceptance::or((0..pairs).map(|pair| {
            Acceptance::and([Acceptance::Fin(Mark(2 * pair)), Acceptance::Inf(Mark(2 * pair + 1))])
        }))
    }

    /// One `Fin` and several `Inf` a pair, numbered in a row.
    pub fn generalized_rabin(infs: &[u32]) -> Self {
        let mut next = 0;
        let mut fresh = || {
            next += 1;
            Mark(next - 1)
        };
        let mut pairs = Vec::new();
        for &count in infs {
            let mut pair = vec![Acceptance::Fin(fresh())];
            pair.extend((0..count).map(|_| Acceptance::Inf(fresh())));
            pairs.push(Acceptance::and(pair));
        }
        Acceptance::or(pairs)
    }

    /// The parity condition over the marks `0..colours`.
    pub fn parity(max: bool, odd: bool, colours: u32) -> Self {
        // Built from the least significant mark inwards-out. With no mark seen, `min odd` and
        // `max even` conditions differ in what they say of the empty set; HOA fixes it: the
        // innermost is `Fin` or `Inf` of the last mark, and zero colours is `t` for "min even" and
        // "max odd" and `f` for the others.
        let good = |mark: u32| (mark % 2 == 1) == odd;
        let order: Vec<u32> =
            if max { (0..colours).collect() } else { (0..colours).rev().collect() };
        let mut formula = match (max, odd) {
            (false, false) | (true, true) => Acceptance::True,
            _ => Acceptance::False,
        };
        for (at, &mark) in order.iter().enumerate() {
            let (inf, fin) = (Acceptance::Inf(Mark(mark)), Acceptance::Fin(Mark(mark)));
            formula = match (at, good(mark)) {
                (0, true) => inf,
                (0, false) => fin,
                (_, true) => Acceptance::or([inf, formula]),
                (_, false) => Acceptance::and([fin, formula]),
            };
        }
        formula
    }

    /// The conjunction.
    pub fn and(parts: impl IntoIterator<Item = Acceptance>) -> Self {
        Self::join(parts, true)
    }

    /// The disjunction.
    pub fn or(parts: impl IntoIterator<Item = Acceptance>) -> Self {
        Self::join(parts, false)
    }

    fn join(parts: impl IntoIterator<Item = Acceptance>, conjunction: bool) -> Self {
        let (neutral, absorbing) = if conjunction {
            (Acceptance::True, Acceptance::False)
        } else {
            (Acceptance::False, Acceptance::True)
        };
        let mut flat: Vec<Acceptance> = Vec::new();
        let mut known: HashSet<Acceptance> = HashSet::new();
        let mut add = |part: Acceptance| {
            if known.insert(part.clone()) {
                flat.push(part);
            }
        };
        for part in parts {
            match part {
                part if part == absorbing => return absorbing,
                part if part == neutral => {}
                Acceptance::And(inner) if conjunction => inner.into_iter().for_each(&mut add),
                Acceptance::Or(inner) if !conjunction => inner.into_iter().for_each(&mut add),
                part => add(part),
            }
        }
        match flat.len() {
            0 => neutral,
            1 => flat.pop().expect("one part"),
            _ if conjunction => Acceptance::And(flat),
            _ => Acceptance::Or(flat),
        }
    }

    /// Whether a run that takes exactly the marks `seen` infinitely often is accepted.
    pub fn accepts(&self, seen: &MarkSet) -> bool {
        match self {
            Acceptance::True => true,
            Acceptance::False => false,
            Acceptance::Inf(mark) => seen.contains(*mark),
            Acceptance::Fin(mark) => !seen.contains(*mark),
            Acceptance::And(parts) => parts.iter().all(|part| part.accepts(seen)),
            Acceptance::Or(parts) => parts.iter().any(|part| part.accepts(seen)),
        }
    }

    /// The condition that accepts exactly the runs this one rejects.
    #[must_use]
    pub fn dual(&self) -> Self {
        match self {
            Acceptance::True => Acceptance::False,
            Acceptance::False => Acceptance::True,
            Acceptance::Inf(mark) => Acceptance::Fin(*mark),
            Acceptance::Fin(mark) => Acceptance::Inf(*mark),
            Acceptance::And(parts) => Acceptance::or(parts.iter().map(Acceptance::dual)),
            Acceptance::Or(parts) => Acceptance::and(parts.iter().map(Acceptance::dual)),
        }
    }

    /// The condition with each `Inf` and `Fin` replaced by what `replace` makes of it.
    #[must_use]
    pub fn map(&self, replace: &mut impl FnMut(&Acceptance) -> Acceptance) -> Self {
        match self {
            Acceptance::True | Acceptance::False => self.clone(),
            Acceptance::Inf(_) | Acceptance::Fin(_) => replace(self),
            Acceptance::And(parts) => {
                Acceptance::and(parts.iter().map(|part| part.map(replace)).collect::<Vec<_>>())
            }
            Acceptance::Or(parts) => {
                Acceptance::or(parts.iter().map(|part| part.map(replace)).collect::<Vec<_>>())
            }
        }
    }

    /// The condition with every mark renumbered.
    #[must_use]
    pub fn rename(&self, mut rename: impl FnMut(Mark) -> Mark) -> Self {
        self.map(&mut |atom| match atom {
            Acceptance::Inf(mark) => Acceptance::Inf(rename(*mark)),
            Acceptance::Fin(mark) => Acceptance::Fin(rename(*mark)),
            other => other.clone(),
        })
    }

    /// Restricts the condition to the marks `present`, the only ones that can be seen.
    #[must_use]
    pub fn restrict(&self, present: &MarkSet) -> Self {
        self.map(&mut |atom| match atom {
            Acceptance::Inf(mark) if !present.contains(*mark) => Acceptance::False,
            Acceptance::Fin(mark) if !present.contains(*mark) => Acceptance::True,
            other => other.clone(),
        })
    }

    /// The marks under `Fin` and the marks under `Inf`.
    pub fn polarity(&self) -> (MarkSet, MarkSet) {
        let (mut fin, mut inf) = (MarkSet::new(), MarkSet::new());
        self.visit(&mut |atom| match atom {
            Acceptance::Fin(mark) => fin.insert(*mark),
            Acceptance::Inf(mark) => inf.insert(*mark),
            _ => {}
        });
        (fin, inf)
    }

    /// All marks of the formula.
    pub fn marks(&self) -> MarkSet {
        let (fin, inf) = self.polarity();
        fin.union(&inf)
    }

    fn visit(&self, see: &mut impl FnMut(&Acceptance)) {
        see(self);
        if let Acceptance::And(parts) | Acceptance::Or(parts) = self {
            parts.iter().for_each(|part| part.visit(see));
        }
    }

    /// The condition as a conjunction of clauses, if it is written as one: every acceptance that
    /// weak and strong fairness give rise to.
    pub fn clauses(&self) -> Option<Vec<Clause>> {
        let clause = |part: &Acceptance| {
            let mut clause = Clause { fin: MarkSet::new(), inf: MarkSet::new() };
            let atoms = match part {
                Acceptance::Or(atoms) => atoms.as_slice(),
                atom => std::slice::from_ref(atom),
            };
            for atom in atoms {
                match atom {
                    Acceptance::Inf(mark) => clause.inf.insert(*mark),
                    Acceptance::Fin(mark) => clause.fin.insert(*mark),
                    _ => return None,
                }
            }
            Some(clause)
        };
        match self {
            Acceptance::True => Some(Vec::new()),
            Acceptance::False => Some(vec![Clause { fin: MarkSet::new(), inf: MarkSet::new() }]),
            Acceptance::And(parts) => parts.iter().map(clause).collect(),
            other => clause(other).map(|clause| vec![clause]),
        }
    }

    /// The condition as a conjunction of sets of marks each of which must be met infinitely often,
    /// if it is written as one: Büchi, generalised Büchi, `t` and `f`.
    pub fn inf_clauses(&self) -> Option<Vec<MarkSet>> {
        let clauses = self.clauses()?;
        clauses.into_iter().map(|clause| clause.fin.is_empty().then_some(clause.inf)).collect()
    }

    /// The condition in disjunctive form, without disjuncts that contradict themselves or are
    /// covered by another.
    ///
    /// # Errors
    /// When more than `most` disjuncts come up on the way.
    pub fn disjuncts(&self, most: usize) -> Result<Vec<Disjunct>, BudgetError> {
        let refused = BudgetError { resource: Resource::Disjuncts, limit: most };
        let empty = || Disjunct { fin: MarkSet::new(), inf: MarkSet::new() };
        let result = match self {
            Acceptance::True => vec![empty()],
            Acceptance::False => vec![],
            Acceptance::Inf(mark) => {
                vec![Disjunct { inf: MarkSet::from_iter([*mark]), ..empty() }]
            }
            Acceptance::Fin(mark) => {
                vec![Disjunct { fin: MarkSet::from_iter([*mark]), ..empty() }]
            }
            Acceptance::Or(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(part.disjuncts(most)?);
                    if all.len() > most {
                        return Err(refused);
                    }
                }
                all
            }
            Acceptance::And(parts) => {
                let mut all = vec![empty()];
                for part in parts {
                    let choices = part.disjuncts(most)?;
                    if all.len().saturating_mul(choices.len()) > most {
                        return Err(refused);
                    }
                    let mut next = Vec::with_capacity(all.len() * choices.len());
                    for left in &all {
                        for right in &choices {
                            let joined = Disjunct {
                                fin: left.fin.union(&right.fin),
                                inf: left.inf.union(&right.inf),
                            };
                            if !joined.fin.intersects(&joined.inf) {
                                next.push(joined);
                            }
                        }
                    }
                    all = absorb(next);
                }
                all
            }
        };
        Ok(absorb(result))
    }

    /// The condition's name. Recognised when the formula is the one HOA gives for the name, with
    /// that numbering of the marks; members may come in any order.
    pub fn class(&self) -> Class {
        let marks = self.marks();
        let Ok(width) = u32::try_from(marks.len()) else { return Class::EmersonLei };
        if marks != MarkSet::first(width) {
            return Class::EmersonLei;
        }
        let sorted = self.sorted();
        let is = |candidate: &Acceptance| sorted == candidate.sorted();
        match self {
            Acceptance::True => return Class::All,
            Acceptance::False => return Class::None,
            Acceptance::Inf(_) => return Class::Buchi,
            Acceptance::Fin(_) => return Class::CoBuchi,
            _ => {}
        }
        if is(&Acceptance::generalized_buchi(width)) {
            return Class::GeneralizedBuchi(width);
        }
        if is(&Acceptance::or((0..width).map(|mark| Acceptance::Fin(Mark(mark))))) {
            return Class::GeneralizedCoBuchi(width);
        }
        if width.is_multiple_of(2) && is(&Acceptance::streett(width / 2)) {
            return Class::Streett(width / 2);
        }
        if width.is_multiple_of(2) && is(&Acceptance::rabin(width / 2)) {
            return Class::Rabin(width / 2);
        }
        // A parity formula is as deep as it is wide; readers refuse formulas deeper than this.
        for max in [false, true].into_iter().filter(|_| width <= MAX_DEPTH) {
            for odd in [false, true] {
                if is(&Acceptance::parity(max, odd, width)) {
                    return Class::Parity { max, odd, colours: width };
                }
            }
        }
        if let Acceptance::Or(pairs) = self {
            let mut counted: Vec<(Mark, u32)> = Vec::new();
            for pair in pairs {
                let (fin, inf) = pair.polarity();
                if let (1, Some(first)) = (fin.len(), fin.iter().next()) {
                    counted.push((first, u32::try_from(inf.len()).unwrap_or(u32::MAX)));
                }
            }
            counted.sort_unstable();
            let infs: Vec<u32> = counted.into_iter().map(|(_, infs)| infs).collect();
            let total = infs.iter().map(|&n| u64::from(n) + 1).sum::<u64>();
            if total == u64::from(width) && is(&Acceptance::generalized_rabin(&infs)) {
                return Class::GeneralizedRabin(infs);
            }
        }
        Class::EmersonLei
    }

    /// The formula with members in a fixed order, for comparison up to commutativity.
    fn sorted(&self) -> Self {
        match self {
            Acceptance::And(parts) => {
                let mut parts: Vec<_> = parts.iter().map(Acceptance::sorted).collect();
                parts.sort();
                Acceptance::And(parts)
            }
            Acceptance::Or(parts) => {
                let mut parts: Vec<_> = parts.iter().map(Acceptance::sorted).collect();
                parts.sort();
                Acceptance::Or(parts)
            }
            other => other.clone(),
        }
    }
}

/// Drops disjuncts that a weaker one covers, and repetitions.
fn absorb(disjuncts: Vec<Disjunct>) -> Vec<Disjunct> {
    let covers = |weak: &Disjunct, strong: &Disjunct| {
        weak.fin.is_subset(&strong.fin) && weak.inf.is_subset(&strong.inf)
    };
    let mut kept: Vec<Disjunct> = Vec::new();
    for disjunct in disjuncts {
        if !kept.iter().any(|weak| covers(weak, &disjunct)) {
            kept.retain(|strong| !covers(&disjunct, strong));
            kept.push(disjunct);
        }
    }
    kept
}

impl fmt::Display for Acceptance {
    /// The formula as HOA writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, parts: &[Acceptance], sign: &str| {
            for (at, part) in parts.iter().enumerate() {
                if at > 0 {
                    write!(f, " {sign} ")?;
                }
                match part {
                    Acceptance::And(_) | Acceptance::Or(_) => write!(f, "({part})")?,
                    _ => write!(f, "{part}")?,
                }
            }
            Ok(())
        };
        match self {
            Acceptance::True => write!(f, "t"),
            Acceptance::False => write!(f, "f"),
            Acceptance::Inf(mark) => write!(f, "Inf({mark})"),
            Acceptance::Fin(mark) => write!(f, "Fin({mark})"),
            Acceptance::And(parts) => list(f, parts, "&"),
            Acceptance::Or(parts) => list(f, parts, "|"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subsets(width: u32) -> impl Iterator<Item = MarkSet> {
        (0..1u32 << width)
            .map(move |bits| (0..width).filter(|bit| bits >> bit & 1 == 1).map(Mark).collect())
    }

    #[test]
    fn named_conditions_are_recognised() {
        let named = [
            (Acceptance::True, "all"),
            (Acceptance::False, "none"),
            (Acceptance::buchi(), "Buchi"),
            (Acceptance::generalized_buchi(3), "generalized-Buchi 3"),
            (Acceptance::co_buchi(), "co-Buchi"),
            (Acceptance::generalized_buchi(4).dual(), "generalized-co-Buchi 4"),
            (Acceptance::streett(1), "Streett 1"),
            (Acceptance::streett(3), "Streett 3"),
            (Acceptance::rabin(2), "Rabin 2"),
            (Acceptance::generalized_rabin(&[2, 0, 1]), "generalized-Rabin 3 2 0 1"),
            (Acceptance::parity(true, true, 5), "parity max odd 5"),
            (Acceptance::parity(false, false, 4), "parity min even 4"),
            (Acceptance::Inf(Mark(1)), "Emerson-Lei"),
        ];
        for (condition, name) in named {
            let expected =
                if name == "Emerson-Lei" { Class::EmersonLei } else { condition.class() };
            assert_eq!(condition.class(), expected);
            assert_eq!(condition.class().to_string(), name, "{condition}");
        }
    }

    #[test]
    fn parity_is_what_it_says() {
        for (max, odd, colours) in [
            (true, true, 5),
            (true, false, 4),
            (false, true, 5),
            (false, false, 4),
            (true, true, 1),
        ] {
            let condition = Acceptance::parity(max, odd, colours);
            for seen in subsets(colours).filter(|seen| !seen.is_empty()) {
                let deciding = if max { seen.iter().last() } else { seen.iter().next() };
                let expected = (deciding.unwrap().0 % 2 == 1) == odd;
                assert_eq!(condition.accepts(&seen), expected, "{condition} on {seen:?}");
            }
        }
        assert_eq!(Acceptance::parity(false, true, 3).to_string(), "Fin(0) & (Inf(1) | Fin(2))");
        assert_eq!(Acceptance::parity(true, true, 3).to_string(), "Fin(2) & (Inf(1) | Fin(0))");
    }

    #[test]
    fn dual_disjuncts_and_clauses_keep_the_meaning() {
        let conditions = [
            Acceptance::streett(2),
            Acceptance::rabin(2),
            Acceptance::generalized_rabin(&[2, 1]),
            Acceptance::parity(true, false, 4),
            Acceptance::and([
                Acceptance::or([
                    Acceptance::and([Acceptance::Inf(Mark(0)), Acceptance::Fin(Mark(1))]),
                    Acceptance::Fin(Mark(0)),
                ]),
                Acceptance::or([Acceptance::Inf(Mark(2)), Acceptance::Inf(Mark(1))]),
            ]),
        ];
        for condition in conditions {
            let dual = condition.dual();
            let disjuncts = condition.disjuncts(100).unwrap();
            for seen in subsets(5) {
                let accepted = condition.accepts(&seen);
                assert_eq!(dual.accepts(&seen), !accepted);
                assert_eq!(
                    disjuncts.iter().any(|d| !d.fin.intersects(&seen) && d.inf.is_subset(&seen)),
                    accepted
                );
                if let Some(clauses) = condition.clauses() {
                    assert_eq!(clauses.iter().all(|clause| clause.accepts(&seen)), accepted);
                }
                assert_eq!(condition.restrict(&seen).accepts(&seen), accepted);
            }
        }
        assert!(Acceptance::streett(20).disjuncts(1000).is_err());
    }
}
