//! Small automata, fast: the default translator.
//!
//! The steps, each bounded so that a formula that is too much ends in a refusal within seconds:
//!
//! 1. The formula is simplified ([`fairly_logic::Simplifier`]); premises `GF b` of a conjunction
//!    are set aside ([`crate::translate_lifted`]).
//! 2. The rest becomes a transition-based generalized Büchi automaton whose states are obligations
//!    (`explore.rs`), in up to three ways, each reduced by simulation ([`ops::reduce`]); the
//!    premises come back as marks.
//! 3. An obligation property gets its minimal weak deterministic automaton (`weak.rs`), if that
//!    is no larger.
//! 4. States are merged as long as the automaton does not meet that of the negation (`merge.rs`),
//!    and marks are shared between components (`pack.rs`).
//!
//! Of several results the one with fewest states is kept, of these a deterministic one.

mod explore;
mod merge;
mod pack;
mod rewrite;
mod successors;
mod weak;

use fairly_logic::{Entailment, Formula, Formulas, Premise, Simplifier};
use fairly_omega::ops::{self, ReduceConfig};
use fairly_omega::{Automaton, BudgetError, Label, Limits};

use crate::lifted::{LetterConstraint, fold, guess, label_of};
use explore::{Bounds, Shape, explore};

pub(crate) use weak::powerset as weak_powerset;

/// Larger automata are translated in one way only, and not compared with their negation.
const MOST_POLISHED: usize = 200;

/// Automata with more edges than this are reduced by bisimulation only.
const MOST_SIMULATED: usize = 30_000;

/// Most premises `GF b` for which edges are split into all combinations, which keeps the automaton
/// deterministic, and for which the formula is translated whole as well.
const FEW_PREMISES: usize = 3;

/// Most premises `GF a -> GF b` for which the formula is translated whole as well.
const FEW_COMPASSIONS: usize = 4;

/// A small transition-based generalized Büchi automaton for any formula.
///
/// ```
/// use fairly_logic::Formulas;
/// use fairly_omega::Limits;
/// let mut formulas = Formulas::new();
/// let f = formulas.parse("GF p & GF q").unwrap();
/// let automaton = fairly_translate::fast(&mut formulas, f, Limits::default()).unwrap();
/// assert_eq!(automaton.state_count(), 1);
/// ```
///
/// # Errors
/// When the automaton or the decision diagrams on the way to it would be too large.
pub fn fast(formulas: &mut Formulas, f: Formula, limits: Limits) -> Result<Automaton, BudgetError> {
    let mut simplifier = Simplifier::new();
    let simple = simplifier.simplify(formulas, f);
    let mut work = Work { formulas, entailment: Entailment::new(), whole: f, limits };
    let mut best = work.candidates(simple, Effort::All)?;
    if best.state_count() <= 1 {
        return Ok(best);
    }
    let negated = work.formulas.negate(simple);
    let negated = simplifier.simplify(work.formulas, negated);
    // Without the negation some steps are left out; its automaton may well be too large.
    let opposite = if best.state_count() <= MOST_POLISHED {
        work.limits = Limits { states: 2_000, edges: 20_000 };
        work.candidates(negated, Effort::One).ok()
    } else {
        None
    };
    let obligation = work.formulas.classes(simple).obligation;
    if let Some(weak) = weak::minimal_weak(&best, opposite.as_ref(), obligation) {
        best = smaller(best, weak);
    }
    if let Some(opposite) = &opposite {
        best = merge::merge_states(best, opposite)?;
    }
    Ok(pack::pack_marks(best))
}

/// How many ways to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effort {
    One,
    All,
}

struct Work<'a> {
    formulas: &'a mut Formulas,
    entailment: Entailment,
    /// The formula as it was given: its atoms are the propositions.
    whole: Formula,
    limits: Limits,
}

impl Work<'_> {
    /// The best of the automata that exploring gives, reduced.
    fn candidates(&mut self, f: Formula, effort: Effort) -> Result<Automaton, BudgetError> {
        let prepared = rewrite::prepare(self.formulas, f);
        let lifted = self.formulas.lift(prepared);
        let mut rest = vec![lifted.rest];
        let mut justice = Vec::new();
        let mut compassion = Vec::new();
        for premise in lifted.premises {
            match premise {
                Premise::Justice(b) => justice.push(b),
                Premise::Compassion(a, b) => compassion.push((a, b)),
                Premise::Persistence(_) => rest.push(premise.formula(self.formulas)),
            }
        }
        let few = justice.len() <= FEW_PREMISES && compassion.len() <= FEW_COMPASSIONS;
        if justice.is_empty() && compassion.is_empty() {
            let best = self.explored(prepared, effort)?;
            return Ok(self.or_else(best, f, (prepared != f).then_some(effort)));
        }
        let rest = self.formulas.and(rest);
        let rest = rewrite::prepare(self.formulas, rest);
        let mut automaton = self.explored(rest, effort)?;
        if !compassion.is_empty() {
            let mut labels = Vec::new();
            for (a, b) in compassion {
                labels.push((self.label(a, &mut automaton)?, self.label(b, &mut automaton)?));
            }
            automaton = ops::reduce(&guess(&automaton, &labels, self.limits)?)?;
        }
        let mut constraints = Vec::new();
        for b in justice {
            constraints.push(LetterConstraint::Justice(self.label(b, &mut automaton)?));
        }
        let folded = fold(&automaton, &constraints, FEW_PREMISES, self.limits)?;
        Ok(self.or_else(ops::reduce(&folded)?, f, few.then_some(effort)))
    }

    /// The automaton, or that of `f` as it is if that is smaller. The laws and the lifting help
    /// nearly always, not always.
    fn or_else(&mut self, best: Automaton, f: Formula, effort: Option<Effort>) -> Automaton {
        if effort != Some(Effort::All) || best.state_count() <= 1 {
            return best;
        }
        match self.explored(f, Effort::All) {
            Ok(other) => smaller(best, other),
            Err(_) => best,
        }
    }

    fn label(&self, b: Formula, automaton: &mut Automaton) -> Result<Label, BudgetError> {
        label_of(self.formulas, b, self.whole, automaton.letters_mut())
    }

    fn explored(&mut self, f: Formula, effort: Effort) -> Result<Automaton, BudgetError> {
        let first = self.explore(f, Shape::Split, self.limits)?;
        if effort == Effort::One || !(2..=MOST_POLISHED).contains(&first.state_count()) {
            return Ok(first);
        }
        let most = 4 * first.state_count() + 16;
        let limits = Limits { states: most.min(self.limits.states), ..self.limits };
        let mut best = first;
        for shape in [Shape::Cubes, Shape::Postponed] {
            if let Ok(other) = self.explore(f, shape, limits) {
                best = smaller(best, other);
            }
        }
        Ok(best)
    }

    fn explore(
        &mut self,
        f: Formula,
        shape: Shape,
        limits: Limits,
    ) -> Result<Automaton, BudgetError> {
        let bounds = Bounds { limits, groups: 256, cubes: 4096, nodes: 1 << 19 };
        let found = explore(self.formulas, &mut self.entailment, (f, self.whole), shape, &bounds)?;
        let mut config = ReduceConfig::default();
        if found.edge_count() > MOST_SIMULATED {
            config.simulation_states = 0;
        }
        ops::reduce_with(&found, &config)
    }
}

/// The automaton with fewer states, of two such the deterministic one, then the one with fewer
/// edges and marks, then the first.
fn smaller(one: Automaton, other: Automaton) -> Automaton {
    let key = |automaton: &Automaton| {
        let deterministic = automaton.is_deterministic().unwrap_or(false);
        (automaton.state_count(), !deterministic, automaton.edge_count(), automaton.mark_count())
    };
    if key(&other) < key(&one) { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairly_omega::{Prop, Word};
    use fairly_testkit::{Rng, TinyWord, ltl, random_word};

    /// Whether the automaton, over `p0`, `p1` …, accepts the word.
    fn accepts(automaton: &Automaton, word: &TinyWord) -> bool {
        let mut automaton = automaton.clone();
        let names: Vec<u32> =
            automaton.propositions().iter().map(|name| name[1..].parse().unwrap()).collect();
        let mut read = |letters: &[u8]| -> Vec<Label> {
            let cube = |letter: &u8| -> Vec<(Prop, bool)> {
                (0..).map(Prop).zip(&names).map(|(p, bit)| (p, letter >> bit & 1 == 1)).collect()
            };
            letters.iter().map(|l| automaton.letters_mut().cube(&cube(l)).unwrap()).collect()
        };
        let word = Word { stem: read(&word.stem), cycle: read(&word.cycle) };
        ops::accepts(&automaton, &word).unwrap().is_some()
    }

    /// Every way of exploring by itself, nothing reduced and nothing merged: what the best of several
    /// hides would show here.
    #[test]
    fn every_shape_is_right_by_itself() {
        for seed in 0..700 {
            let mut rng = Rng::new(seed);
            let shape = ltl::LtlShape { size: 2 + rng.below(11), ..Default::default() };
            let formula = ltl::random_formula(&mut rng, &shape);
            let mut formulas = Formulas::new();
            let f = formulas.parse(&formula.infix()).expect("well-formed");
            let plain = formulas.nnf(f);
            let simple = formulas.simplify(f);
            let prepared = rewrite::prepare(&mut formulas, simple);
            let limits = Limits { states: 2_000, edges: 20_000 };
            let bounds = Bounds { limits, groups: 256, cubes: 4096, nodes: 1 << 18 };
            let mut automata = Vec::new();
            for shape in [Shape::Split, Shape::Cubes, Shape::Postponed] {
                for g in [plain, prepared] {
                    let known = &mut Entailment::new();
                    automata.extend(explore(&mut formulas, known, (g, f), shape, &bounds).ok());
                }
            }
            assert!(!automata.is_empty(), "seed {seed}: {}", formula.infix());
            for _ in 0..10 {
                let word = random_word(&mut rng, 3, 4, 4);
                for (at, automaton) in automata.iter().enumerate() {
                    assert_eq!(
                        accepts(automaton, &word),
                        formula.holds(&word),
                        "seed {seed}, way {at}: {} on {word}",
                        formula.infix()
                    );
                }
            }
        }
    }

    /// A promise may not be dropped for something that rests on it, even if that entails it.
    #[test]
    fn reasons_do_not_go_in_a_circle() {
        let mut formulas = Formulas::new();
        let f = formulas.parse("GF(!p0 & F p0)").expect("well-formed");
        let bounds = Bounds { limits: Limits::default(), groups: 256, cubes: 256, nodes: 1 << 16 };
        let known = &mut Entailment::new();
        let automaton = explore(&mut formulas, known, (f, f), Shape::Split, &bounds).unwrap();
        assert!(!accepts(&automaton, &TinyWord { stem: vec![], cycle: vec![0] }));
        assert!(accepts(&automaton, &TinyWord { stem: vec![], cycle: vec![0, 1] }));
    }

    #[test]
    fn a_deterministic_automaton_is_preferred_to_another_of_its_size() {
        let mut formulas = Formulas::new();
        for text in ["G(p -> F q)", "p U q", "F p | G q", "G(p -> X X q)", "GF p & GF q"] {
            let f = formulas.parse(text).expect("well-formed");
            let automaton = fast(&mut formulas, f, Limits::default()).unwrap();
            assert!(automaton.is_deterministic().unwrap(), "{text}");
        }
    }
}
