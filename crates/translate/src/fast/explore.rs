//! From successor functions to an automaton: states are obligations.
//!
//! A state is a formula that the rest of the word has to satisfy. Two obligations with the same
//! successor function are one state. Which cubes of a function become edges is a choice
//! ([`Shape`]); no choice gives the fewest states every time, so [`super::fast`] tries several.
//!
//! Obligations may only be made simpler in ways that keep the promises in view. Replacing one by an
//! equivalent formula with other promises is unsound: a run could go back and forth between the
//! two, keep neither promise and yet carry both marks again and again. Dropping a conjunct that
//! another one entails is sound only if the reasons do not go in a circle: `F p` may be dropped for
//! `G F p`, but not for `G F(!p & F p)`, which entails it and rests on it. So a conjunct `x` is
//! dropped for `y` only if there is no way from `y` back to `x`, where a formula leads to the
//! obligations in its successor function and to whatever it was itself dropped for, in any state.
//! Then "what stands in the run holds of the rest of the word" is shown by induction along these
//! ways: an obligation is renewed until it is met, or some simpler one takes its place.

use hashbrown::{HashMap, HashSet};

use fairly_logic::{Entailment, Formula, Formulas};
use fairly_omega::{
    Acceptance, Automaton, BudgetError, Builder, Import, Label, Limits, Mark, MarkSet, Resource,
    StateId,
};

use super::successors::{Successors, Variable};
use crate::propositions_of;

/// Which cubes of a successor function become edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Letters are told apart first, then each group of letters has its cubes of obligations:
    /// deterministic where no choice is left.
    Split,
    /// The same, and obligations to choose from after the same letters and the same promises are
    /// one obligation, their disjunction: the choice is put off.
    Postponed,
    /// Cubes of the whole function: fewer edges, less deterministic.
    Cubes,
}

/// Budget of an exploration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) limits: Limits,
    /// Most groups of letters to tell apart at one state.
    pub(crate) groups: usize,
    /// Most cubes at one state, or for one group of letters.
    pub(crate) cubes: usize,
    /// Most nodes of the decision diagrams.
    pub(crate) nodes: usize,
}

/// The automaton of a formula in negation normal form over the propositions of `whole`.
pub(crate) fn explore(
    formulas: &mut Formulas,
    entailment: &mut Entailment,
    (f, whole): (Formula, Formula),
    shape: Shape,
    bounds: &Bounds,
) -> Result<Automaton, BudgetError> {
    let successors = Successors::new(formulas, f, bounds.nodes);
    let explorer = Explorer {
        formulas,
        entailment,
        successors,
        shape,
        bounds,
        obligations: Vec::new(),
        known: HashMap::new(),
        by_function: HashMap::new(),
        reasons: HashMap::new(),
        resting: HashMap::new(),
    };
    explorer.run(f, whole)
}

struct Explorer<'a> {
    formulas: &'a mut Formulas,
    entailment: &'a mut Entailment,
    successors: Successors,
    shape: Shape,
    bounds: &'a Bounds,
    /// The obligation and the function of each state.
    obligations: Vec<(Formula, Label)>,
    known: HashMap<Formula, StateId>,
    by_function: HashMap<Label, StateId>,
    /// Support of a formula: the obligations in its function, and the reason that it was dropped for.
    reasons: HashMap<Formula, HashSet<Formula>>,
    /// Whether the first rests on the second, where that was asked.
    resting: HashMap<(Formula, Formula), bool>,
}

/// Obligations pile up in sets; beyond this size comparing all pairs costs more than a few
/// superfluous parts do.
const MOST_COMPARED: usize = 64;

/// A way out of a state: the promises that are made, and where to.
type Way = (Vec<u32>, StateId);

impl Explorer<'_> {
    fn run(mut self, f: Formula, whole: Formula) -> Result<Automaton, BudgetError> {
        let atoms = self.formulas.atoms(whole);
        let mut builder = Builder::new(propositions_of(self.formulas, &atoms));
        let marks = self.successors.promises();
        builder.set_acceptance(Acceptance::generalized_buchi(marks), marks);
        let all = MarkSet::first(marks);
        let positions = self.successors.letter_positions(&atoms);

        let mut edges: Vec<(StateId, Label, MarkSet, StateId)> = Vec::new();
        let initial = self.state(f)?;
        let mut at = 0;
        while at < self.obligations.len() {
            let source = StateId::from_index(at);
            let function = self.obligations[at].1;
            at += 1;
            for (label, (promises, target)) in self.ways(function)? {
                let made: MarkSet = promises.into_iter().map(Mark).collect();
                edges.push((source, label, all.difference(&made), target));
            }
            if edges.len() > self.bounds.limits.edges {
                let limit = self.bounds.limits.edges;
                return Err(BudgetError { resource: Resource::Edges, limit });
            }
        }
        builder.add_states(self.obligations.len());
        builder.add_initial(initial);
        let mut import = Import::new(&self.successors.diagrams, &positions);
        for (source, label, marks, target) in edges {
            let label = import.label(builder.letters_mut(), label)?;
            builder.add_edge(source, label, marks, target);
        }
        Ok(builder.build())
    }

    /// The state of an obligation, a new one if it has none.
    fn state(&mut self, obligation: Formula) -> Result<StateId, BudgetError> {
        if let Some(&known) = self.known.get(&obligation) {
            return Ok(known);
        }
        let function = self.successors.function(self.formulas, obligation)?;
        let fresh = StateId::from_index(self.obligations.len());
        let state = *self.by_function.entry(function).or_insert(fresh);
        self.known.insert(obligation, state);
        if state == fresh {
            if self.obligations.len() >= self.bounds.limits.states {
                let limit = self.bounds.limits.states;
                return Err(BudgetError { resource: Resource::States, limit });
            }
            self.obligations.push((obligation, function));
        }
        Ok(state)
    }

    /// The edges of a state, one for each way out.
    fn ways(&mut self, function: Label) -> Result<Vec<(Label, Way)>, BudgetError> {
        if function == Label::FALSE {
            return Ok(Vec::new());
        }
        let groups = match self.shape {
            Shape::Cubes => None,
            Shape::Split | Shape::Postponed => {
                match self.successors.cofactors(function, self.bounds.groups) {
                    Ok(groups) => Some(groups),
                    // Too many letters to tell apart, and so it will be in other states; cubes may
                    // still be few.
                    Err(BudgetError { resource: Resource::LetterClasses, .. }) => {
                        self.shape = Shape::Cubes;
                        None
                    }
                    Err(refused) => return Err(refused),
                }
            }
        };
        let mut order: Vec<Way> = Vec::new();
        let mut labels: HashMap<Way, Label> = HashMap::new();
        let whole = [(Label::TRUE, function)];
        let groups = groups.as_deref().unwrap_or(&whole);
        for &(on, left) in groups {
            for (cube, way) in self.cubes(left)? {
                let label = self.successors.diagrams.and(on, cube)?;
                let known = labels.get(&way).copied();
                if known.is_none() {
                    order.push(way.clone());
                }
                let known = known.unwrap_or(Label::FALSE);
                labels.insert(way, self.successors.diagrams.or(known, label)?);
            }
        }
        Ok(order.into_iter().map(|way| (labels[&way], way)).collect())
    }

    /// The cubes of a function: the letters each is for, and the way out.
    fn cubes(&mut self, function: Label) -> Result<Vec<(Label, Way)>, BudgetError> {
        let most = self.bounds.cubes;
        let Some(cubes) = self.successors.diagrams.cover(function, most)? else {
            return Err(BudgetError { resource: Resource::LetterClasses, limit: most });
        };
        // The remaining choices for the same letters and promises.
        let mut choices: Vec<(Label, Vec<u32>, Vec<Formula>)> = Vec::new();
        for cube in cubes {
            let mut letters = Vec::new();
            let mut promises = Vec::new();
            let mut next = Vec::new();
            for (prop, value) in cube {
                match self.successors.variable(prop) {
                    Variable::Letter(_) => letters.push((prop, value)),
                    Variable::Next(g) => next.push(g),
                    Variable::Promise(number) => promises.push(number),
                }
            }
            promises.sort_unstable();
            let label = self.successors.diagrams.cube(&letters)?;
            let obligation = self.conjunction(next)?;
            let same = choices.iter_mut().find(|(other, made, _)| {
                self.shape == Shape::Postponed && *other == label && *made == promises
            });
            match same {
                Some((_, _, obligations)) => obligations.push(obligation),
                None => choices.push((label, promises, vec![obligation])),
            }
        }
        let choices: Vec<(Label, Vec<u32>, Formula)> = choices
            .into_iter()
            .map(|(label, promises, parts)| (label, promises, self.disjunction(parts)))
            .collect();
        let mut ways = Vec::with_capacity(choices.len());
        for (label, promises, obligation) in self.unmatched(choices)? {
            ways.push((label, (promises, self.state(obligation)?)));
        }
        Ok(ways)
    }

    /// The choices without those that another one makes superfluous: taken on more letters, with
    /// fewer promises, to a weaker obligation.
    fn unmatched(
        &mut self,
        mut choices: Vec<(Label, Vec<u32>, Formula)>,
    ) -> Result<Vec<(Label, Vec<u32>, Formula)>, BudgetError> {
        let mut at = 0;
        while choices.len() <= MOST_COMPARED && at < choices.len() {
            let (label, promises, obligation) = &choices[at];
            let mut matched = false;
            for (other, (more, fewer, weaker)) in choices.iter().enumerate() {
                matched = other != at
                    && fewer.iter().all(|promise| promises.contains(promise))
                    && self.entailment.entails(self.formulas, *obligation, *weaker)
                    && self.successors.diagrams.implies(*label, *more)?;
                if matched {
                    break;
                }
            }
            if matched {
                choices.remove(at);
            } else {
                at += 1;
            }
        }
        Ok(choices)
    }

    /// The conjunction without parts that others entail.
    fn conjunction(&mut self, mut parts: Vec<Formula>) -> Result<Formula, BudgetError> {
        parts.sort_unstable();
        parts.dedup();
        let mut at = 0;
        while parts.len() <= MOST_COMPARED && at < parts.len() {
            let part = parts[at];
            let mut stronger = None;
            for &other in parts.iter().filter(|&&other| other != part) {
                if self.entailment.entails(self.formulas, other, part)
                    && !self.rests_on(other, part)?
                {
                    stronger = Some(other);
                    break;
                }
            }
            match stronger {
                Some(other) => {
                    self.reasons_of(part)?.insert(other);
                    parts.remove(at);
                }
                None => at += 1,
            }
        }
        Ok(self.formulas.and(parts))
    }

    /// Whether the reasons for `from` rest on `to`.
    fn rests_on(&mut self, from: Formula, to: Formula) -> Result<bool, BudgetError> {
        if let Some(&known) = self.resting.get(&(from, to)) {
            return Ok(known);
        }
        let found = self.search_reasons(from, to)?;
        // Reasons are only added, so "yes" is for ever. After "no", `to` is dropped for `from`, and
        // from then on a way from `from` to `to` would be a circle, which is never closed.
        self.resting.insert((from, to), found);
        Ok(found)
    }

    fn search_reasons(&mut self, from: Formula, to: Formula) -> Result<bool, BudgetError> {
        let mut seen = HashSet::new();
        let mut stack = vec![from];
        while let Some(at) = stack.pop() {
            if at == to {
                return Ok(true);
            }
            if !seen.insert(at) {
                continue;
            }
            stack.extend(self.reasons_of(at)?.iter());
        }
        Ok(false)
    }

    fn reasons_of(&mut self, f: Formula) -> Result<&mut HashSet<Formula>, BudgetError> {
        if !self.reasons.contains_key(&f) {
            let function = self.successors.function(self.formulas, f)?;
            let next = self.successors.obligations(function);
            self.reasons.insert(f, next.collect());
        }
        Ok(self.reasons.get_mut(&f).expect("just made"))
    }

    /// The disjunction without parts that entail others.
    fn disjunction(&mut self, mut parts: Vec<Formula>) -> Formula {
        parts.sort_unstable();
        parts.dedup();
        let mut at = 0;
        while parts.len() <= MOST_COMPARED && at < parts.len() {
            let part = parts[at];
            let weaker = parts
                .iter()
                .any(|&other| other != part && self.entailment.entails(self.formulas, part, other));
            if weaker {
                parts.remove(at);
            } else {
                at += 1;
            }
        }
        self.formulas.or(parts)
    }
}
