//! Fairness premises as conditions on letters.
//!
//! A property `(∧ cᵢ) -> ψ` is checked by its negation `(∧ cᵢ) ∧ ¬ψ`. Each `cᵢ` that is `GF b`, `FG b` or `GF a
//! -> GF b` over one position says something of the letters that are read again and again, and nothing else;
//! [`translate_lifted`] leaves it out of the automaton and hands it over as a [`LetterConstraint`]. A search
//! over a system evaluates its labels on the system's own letters, so a premise costs a mark there and nothing
//! here (`docs/papers.md` 004-30).
//!
//! [`Lifted::fold`] puts the constraints back as marks, for callers that need one automaton.

use hashbrown::HashMap;

use fairly_logic::{Formula, Formulas, Node, Premise};
use fairly_omega::{
    Acceptance, Automaton, BudgetError, Builder, Components, Import, Label, Letters, Limits, Mark,
    MarkSet, Prop, Resource, StateId,
};

use crate::{Options, translate};

/// A condition on the letters that a run reads again and again. Labels are of the automaton that
/// the constraint comes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LetterConstraint {
    /// Infinitely many letters are of these.
    Justice(Label),
    /// From some point on all letters are of these.
    Persistence(Label),
    /// If infinitely many letters are of the first, infinitely many are of the second.
    Compassion(Label, Label),
}

/// An automaton and conditions on letters; a word is accepted if the automaton accepts it and
/// every condition holds of it.
#[derive(Clone, Debug)]
pub struct Lifted {
    /// The automaton of the remaining formula.
    pub automaton: Automaton,
    /// The premises.
    pub constraints: Vec<LetterConstraint>,
}

/// The automaton of a formula with its fairness premises kept apart. For a property, give its
/// negation.
///
/// ```
/// use fairly_logic::Formulas;
/// use fairly_translate::{Options, translate_lifted};
/// let mut formulas = Formulas::new();
/// let f = formulas.parse("!((GF p && (GF a -> GF b)) -> G(q -> F r))").unwrap();
/// let lifted = translate_lifted(&mut formulas, f, &Options::default()).unwrap();
/// assert_eq!(lifted.constraints.len(), 2);
/// assert_eq!(lifted.automaton.state_count(), 2);
/// ```
///
/// # Errors
/// When the automaton of the rest would be too large.
pub fn translate_lifted(
    formulas: &mut Formulas,
    f: Formula,
    options: &Options,
) -> Result<Lifted, BudgetError> {
    let simple = formulas.simplify(f);
    let lifted = formulas.lift(simple);
    let rest = formulas.simplify(lifted.rest);
    let mut automaton = over(&translate(formulas, rest, options)?, formulas, rest, f)?;
    let mut constraints = Vec::with_capacity(lifted.premises.len());
    for premise in lifted.premises {
        let letters = automaton.letters_mut();
        let mut label = |b: Formula| label_of(formulas, b, f, letters);
        constraints.push(match premise {
            Premise::Justice(b) => LetterConstraint::Justice(label(b)?),
            Premise::Persistence(b) => LetterConstraint::Persistence(label(b)?),
            Premise::Compassion(a, b) => LetterConstraint::Compassion(label(a)?, label(b)?),
        });
    }
    Ok(Lifted { automaton, constraints })
}

impl Lifted {
    /// One automaton with the constraints as marks on its edges: `Inf` for justice, `Fin` for
    /// persistence, `Fin | Inf` for compassion. No states are added. An edge carries one `Inf` mark
    /// of a constraint at a time, which is enough, since a run may take the next one the next time;
    /// `Fin` marks are carried whenever the letter says so, which doubles the edges for each
    /// compassion.
    ///
    /// # Errors
    /// When there would be too many edges.
    pub fn fold(&self, limits: Limits) -> Result<Automaton, BudgetError> {
        fold(&self.automaton, &self.constraints, 0, limits)
    }
}

/// The constraints as marks; up to `split` constraints with `Inf`, edges are split so that each
/// letter carries all its `Inf` marks, and a deterministic automaton stays so.
pub(crate) fn fold(
    automaton: &Automaton,
    constraints: &[LetterConstraint],
    split: usize,
    limits: Limits,
) -> Result<Automaton, BudgetError> {
    let mut builder = automaton.like();
    builder.add_states(automaton.state_count());
    for &state in automaton.initial() {
        builder.add_initial(state);
    }
    let letters = builder.letters_mut();
    let mut marks = automaton.mark_count();
    let mut fresh = || {
        marks += 1;
        Mark(marks - 1)
    };
    // Marks to be carried exactly on these letters, and marks that may be carried on these.
    let mut exact: Vec<(Mark, Label)> = Vec::new();
    let mut offered: Vec<(Mark, Label)> = Vec::new();
    let mut always = Label::TRUE;
    let mut condition = vec![automaton.acceptance().clone()];
    for &constraint in constraints {
        match constraint {
            LetterConstraint::Justice(b) => {
                let mark = fresh();
                offered.push((mark, b));
                condition.push(Acceptance::Inf(mark));
            }
            LetterConstraint::Persistence(b) => always = letters.and(always, b)?,
            LetterConstraint::Compassion(a, b) => {
                let (seen, answered) = (fresh(), fresh());
                exact.push((seen, a));
                offered.push((answered, b));
                condition.push(Acceptance::or([Acceptance::Fin(seen), Acceptance::Inf(answered)]));
            }
        }
    }
    if always != Label::TRUE {
        let bad = fresh();
        exact.push((bad, letters.not(always)?));
        condition.push(Acceptance::Fin(bad));
    }
    if offered.len() <= split {
        exact.append(&mut offered);
    }
    let classes = classes(letters, Label::TRUE, &exact, offered.len(), limits)?;
    builder.set_acceptance(Acceptance::and(condition), marks);

    let components = Components::of(automaton);
    for state in automaton.states() {
        for &edge in automaton.edges(state) {
            if !components.together(state, edge.target) {
                // Taken at most once: its marks do not matter.
                builder.add_interned(state, edge);
                continue;
            }
            for (class, set) in &classes {
                let label = builder.letters_mut().and(edge.label, *class)?;
                let set = set.union(automaton.marks(edge.marks));
                builder.add_edge(state, label, set.clone(), edge.target);
                for &(mark, on) in &offered {
                    let label = builder.letters_mut().and(label, on)?;
                    let mut with = set.clone();
                    with.insert(mark);
                    builder.add_edge(state, label, with, edge.target);
                }
            }
            if builder.edge_count() > limits.edges {
                return Err(BudgetError { resource: Resource::Edges, limit: limits.edges });
            }
        }
    }
    Ok(builder.build())
}

/// The letters of `all`, split by which of the marks are carried on them; an edge for each class and `offered` more
/// must not be too many.
pub(crate) fn classes(
    letters: &mut Letters,
    all: Label,
    marks: &[(Mark, Label)],
    offered: usize,
    limits: Limits,
) -> Result<Vec<(Label, MarkSet)>, BudgetError> {
    let mut classes = vec![(all, MarkSet::new())];
    for &(mark, on) in marks {
        let mut split = Vec::with_capacity(2 * classes.len());
        for (class, set) in classes {
            let mut with = set.clone();
            with.insert(mark);
            split.push((letters.and(class, on)?, with));
            split.push((letters.minus(class, on)?, set));
        }
        split.retain(|(class, _)| *class != Label::FALSE);
        if split.len().saturating_mul(1 + offered) > limits.edges {
            return Err(BudgetError { resource: Resource::Edges, limit: limits.edges });
        }
        classes = split;
    }
    Ok(classes)
}

/// The automaton, which is generalized Büchi, with compassion constraints put in and still
/// generalized Büchi: a run guesses when it has entered the component that it stays in, and which
/// constraints it meets by never reading their first letters again; for the others the second
/// letters give marks. With n constraints an accepting component gets 2ⁿ copies; that generalized
/// Büchi automata for such conditions grow exponentially is inherent (ALGORITHMS.md B1).
pub(crate) fn guess(
    automaton: &Automaton,
    compassions: &[(Label, Label)],
    limits: Limits,
) -> Result<Automaton, BudgetError> {
    let too_many = |resource, limit| Err(BudgetError { resource, limit });
    let components = Components::of(automaton);
    let inside = |state: StateId| {
        components.component(state).is_some_and(|id| {
            !components.is_trivial(id) && automaton.acceptance().accepts(components.marks(id))
        })
    };
    let kept: Vec<StateId> = automaton.states().filter(|&state| inside(state)).collect();
    let copies = u32::try_from(compassions.len()).ok().and_then(|n| 1usize.checked_shl(n));
    let states = copies.and_then(|copies| copies.checked_mul(kept.len()));
    let Some((copies, states)) = copies.zip(states).filter(|&(_, n)| n < limits.states) else {
        return too_many(Resource::States, limits.states);
    };
    let plain = automaton.state_count();
    let copy = |state: StateId, number: usize| {
        let at = kept.binary_search(&state).ok()?;
        Some(StateId::from_index(plain + number * kept.len() + at))
    };
    let mut builder = automaton.like();
    let own = automaton.mark_count();
    let all = own + compassions.len() as u32;
    builder.set_acceptance(Acceptance::generalized_buchi(all), all);
    builder.add_states(plain + states);
    automaton.initial().iter().for_each(|&state| builder.add_initial(state));
    for state in automaton.states() {
        for edge in automaton.edges(state) {
            builder.add_edge(state, edge.label, MarkSet::new(), edge.target);
        }
    }
    for number in 0..copies {
        let never = |i: usize| number >> i & 1 == 1;
        let mut quiet = Label::TRUE;
        let mut met = MarkSet::new();
        for (i, &(a, _)) in compassions.iter().enumerate().filter(|&(i, _)| never(i)) {
            quiet = builder.letters_mut().minus(quiet, a)?;
            met.insert(Mark(own + i as u32));
        }
        for state in automaton.states() {
            for edge in automaton.edges(state) {
                let Some(target) = copy(edge.target, number) else { continue };
                builder.add_edge(state, edge.label, MarkSet::new(), target);
                let from = copy(state, number);
                let Some(from) = from.filter(|_| components.together(state, edge.target)) else {
                    continue;
                };
                let label = builder.letters_mut().and(edge.label, quiet)?;
                let marks = met.union(automaton.marks(edge.marks));
                for (i, &(_, b)) in compassions.iter().enumerate().filter(|&(i, _)| !never(i)) {
                    let label = builder.letters_mut().and(label, b)?;
                    let mut with = marks.clone();
                    with.insert(Mark(own + i as u32));
                    builder.add_edge(from, label, with, target);
                }
                builder.add_edge(from, label, marks, target);
            }
            if builder.edge_count() > limits.edges {
                return too_many(Resource::Edges, limits.edges);
            }
        }
    }
    Ok(builder.build())
}

/// The automaton of `part` over all propositions of `whole`, of which it has some.
pub(crate) fn over(
    automaton: &Automaton,
    formulas: &Formulas,
    part: Formula,
    whole: Formula,
) -> Result<Automaton, BudgetError> {
    let propositions = crate::propositions(formulas, whole);
    if propositions == automaton.propositions() {
        return Ok(automaton.clone());
    }
    let atoms = formulas.atoms(whole);
    let rename: Vec<Prop> = formulas
        .atoms(part)
        .iter()
        .map(|atom| {
            let at = atoms.binary_search(atom);
            Prop(at.expect("a part has no other propositions") as u32)
        })
        .collect();
    let mut builder = Builder::new(propositions);
    builder.set_acceptance(automaton.acceptance().clone(), automaton.mark_count());
    builder.add_states(automaton.state_count());
    for &state in automaton.initial() {
        builder.add_initial(state);
    }
    let mut import = Import::new(automaton.letters(), &rename);
    for state in automaton.states() {
        for edge in automaton.edges(state) {
            let label = import.label(builder.letters_mut(), edge.label)?;
            builder.add_edge(state, label, automaton.marks(edge.marks).clone(), edge.target);
        }
    }
    Ok(builder.build())
}

/// The letters of a propositional formula, in the letters of an automaton over the propositions of
/// `whole`.
pub(crate) fn label_of(
    formulas: &Formulas,
    b: Formula,
    whole: Formula,
    letters: &mut Letters,
) -> Result<Label, BudgetError> {
    let atoms = formulas.atoms(whole);
    let mut done: HashMap<Formula, Label> = HashMap::new();
    for g in formulas.subformulas(b) {
        let label = match formulas.node(g) {
            Node::True => Label::TRUE,
            Node::False => Label::FALSE,
            Node::Atom(atom) => {
                let at = atoms.binary_search(&atom).expect("an atom of the formula");
                letters.prop(Prop(at as u32))?
            }
            Node::Not(a) => letters.not(done[&a])?,
            Node::And(parts) => {
                let mut all = Label::TRUE;
                for part in parts {
                    all = letters.and(all, done[part])?;
                }
                all
            }
            Node::Or(parts) => {
                let mut any = Label::FALSE;
                for part in parts {
                    any = letters.or(any, done[part])?;
                }
                any
            }
            other => unreachable!("{other:?} is not propositional in negation normal form"),
        };
        done.insert(g, label);
    }
    Ok(done[&b])
}
