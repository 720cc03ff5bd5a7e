//! Boolean combinations of `GF` and `FG` as acceptance conditions.
//!
//! Conditions on the letters that come infinitely often need no states: `GF b` is a mark under `Inf`, `FG c`
//! one under `Fin`, and `&` and `|` are those of the condition. The formula is taken apart into such a part and
//! a rest; the rest is translated as usual. If you want the part as data for a search, take
//! [`crate::translate_lifted`].
//!
//! - [`translate_generic`] gives a nondeterministic automaton with an Emerson–Lei condition;
//! - [`translate_alternating`] gives one that branches universally, and is linear where the first
//!   is exponential.
//!
//! # Marks on edges
//!
//! `GF b`: an edge *may* carry the mark if its letter satisfies `b`. A run that wants the mark
//! infinitely often takes such an edge again and again, and one mark at a time is enough, so n of
//! them cost n more edges and not 2ⁿ. This is right because conditions have no negation: a mark
//! that is not taken can only make less accepted.
//!
//! `FG c`: an edge *must* carry the mark if its letter does not satisfy `c`. Where several such
//! marks are needed, an edge is split into one for each combination of them. Where `FG c` has to
//! hold anyway, one mark does for all, on edges that need no other marks.
//!
//! # Why some formulas need 2ⁿ edges
//!
//! Let an automaton with any condition accept the words of `(GF p1 -> GF q1) & … & (GF pn -> GF qn)`.
//! For a set J of numbers let x be the letter with the `p` of J and y that with the `q` of J. The
//! word x y x y … is accepted; let e be an edge that an accepting run takes infinitely often on
//! x. For every letter z that e can be taken on, put z in the place of x there: the same run
//! accepts that word, so the `p` of z are among those of J. If the same edge served J and
//! K, each would be a subset of the other. So there are at least 2ⁿ edges, however many states
//! and marks there are, and whatever the translation. An automaton that branches universally has
//! a state for each conjunct.

use fairly_logic::{Formula, Formulas, Node, Premise};
use fairly_omega::ops::{self, alternating_conjunction};
use fairly_omega::{
    Acceptance, Alternating, Automaton, BudgetError, Builder, Components, Label, Letters, Mark,
    MarkSet, Resource, StateId,
};

use crate::lifted::{classes, label_of, over};
use crate::{Options, translate};

/// Most `GF` and `FG` in the part that becomes the condition; with more, the rest is translated.
const MOST_ATOMS: usize = 1 << 12;

/// Most clauses of a condition, for an automaton with a state for each.
const MOST_CLAUSES: usize = 1 << 12;

/// Most marks for `GF` for which edges are split, which keeps a deterministic automaton so.
const FEW: usize = 2;

/// Most alternatives with an `FG` that one state tells apart; with more, a run chooses one.
const FEW_ALTERNATIVES: usize = 6;

/// A condition on the letters that come infinitely often. Operands are propositional and in
/// negation normal form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Limit {
    /// `GF b`
    Often(Formula),
    /// `FG c`
    Always(Formula),
    All(Vec<Limit>),
    Any(Vec<Limit>),
}

impl Limit {
    /// Calls `see` with every `GF` and `FG`.
    fn visit(&self, see: &mut impl FnMut(&Limit)) {
        match self {
            Limit::Often(_) | Limit::Always(_) => see(self),
            Limit::All(parts) | Limit::Any(parts) => parts.iter().for_each(|part| part.visit(see)),
        }
    }

    /// How many different `FG` there are.
    fn always_count(&self) -> usize {
        let mut found = hashbrown::HashSet::new();
        self.visit(&mut |atom| {
            if let Limit::Always(c) = atom {
                found.insert(*c);
            }
        });
        found.len()
    }
}

/// `FG c1 | FG c2 | … | GF b`, where `b` may be false.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Clause {
    always: Vec<Formula>,
    often: Formula,
}

/// A conjunction: what is said of the limit, and the rest.
struct Parts {
    limits: Vec<Limit>,
    rest: Formula,
}

/// Takes a formula in negation normal form apart.
fn parts(formulas: &mut Formulas, f: Formula) -> Parts {
    let lifted = formulas.lift(f);
    let mut limits = Vec::new();
    for premise in lifted.premises {
        limits.push(match premise {
            Premise::Justice(b) => Limit::Often(b),
            Premise::Persistence(c) => Limit::Always(c),
            Premise::Compassion(a, b) => {
                Limit::Any(vec![Limit::Always(formulas.negate(a)), Limit::Often(b)])
            }
        });
    }
    let mut rest = Vec::new();
    let conjuncts = match formulas.node(lifted.rest) {
        Node::And(items) => items.to_vec(),
        _ => vec![lifted.rest],
    };
    for conjunct in conjuncts {
        match limit(formulas, conjunct, &mut MOST_ATOMS.clone()) {
            Some(limit) => limits.push(limit),
            None => rest.push(conjunct),
        }
    }
    Parts { limits, rest: formulas.and(rest) }
}

/// `f` as a condition on the limit, if it is one that is seen easily; `left` bounds its size.
fn limit(formulas: &Formulas, f: Formula, left: &mut usize) -> Option<Limit> {
    *left = left.checked_sub(1)?;
    let both = |items: &[Formula], left: &mut usize| {
        items.iter().map(|&item| limit(formulas, item, left)).collect::<Option<Vec<Limit>>>()
    };
    match formulas.node(f) {
        Node::And(items) => both(items, left).map(Limit::All),
        Node::Or(items) => both(items, left).map(Limit::Any),
        Node::Globally(a) => match formulas.node(a) {
            Node::Finally(b) if formulas.is_propositional(b) => Some(Limit::Often(b)),
            _ => limit(formulas, a, left),
        },
        Node::Finally(a) => match formulas.node(a) {
            Node::Globally(b) if formulas.is_propositional(b) => Some(Limit::Always(b)),
            _ => limit(formulas, a, left),
        },
        // The same limit decides at every position.
        Node::Next(a) | Node::Until(_, a) | Node::Release(_, a) => limit(formulas, a, left),
        _ => None,
    }
}

/// A nondeterministic automaton with any acceptance condition, which is small where the formula
/// says much about what happens infinitely often.
///
/// ```
/// use fairly_logic::Formulas;
/// use fairly_translate::{Options, translate_generic};
/// let mut formulas = Formulas::new();
/// let f = formulas.parse("(GF a -> GF b) & FG c & GF d").unwrap();
/// let automaton = translate_generic(&mut formulas, f, &Options::default()).unwrap();
/// assert_eq!(automaton.state_count(), 1);
/// assert_eq!(automaton.acceptance().to_string(), "Inf(0) & (Fin(1) | Inf(2)) & Fin(3)");
/// ```
///
/// # Errors
/// When the automaton of the rest would be too large, or there would be too many edges.
pub fn translate_generic(
    formulas: &mut Formulas,
    f: Formula,
    options: &Options,
) -> Result<Automaton, BudgetError> {
    let simple = formulas.simplify(f);
    let simple = formulas.nnf(simple);
    let automaton = disjunction(formulas, simple, f, options)?;
    ops::reduce(&automaton)
}

/// A disjunction: a run chooses a disjunct at the start, unless one state can tell them apart.
fn disjunction(
    formulas: &mut Formulas,
    g: Formula,
    whole: Formula,
    options: &Options,
) -> Result<Automaton, BudgetError> {
    let items = match formulas.node(g) {
        Node::Or(items) => items.to_vec(),
        _ => return conjunction(formulas, g, whole, options),
    };
    let (mut limits, mut others, mut mixed) = (Vec::new(), Vec::new(), Vec::new());
    for item in items {
        match limit(formulas, item, &mut MOST_ATOMS.clone()) {
            Some(limit) => limits.push(limit),
            None if parts(formulas, item).limits.is_empty() => others.push(item),
            None => mixed.push(item),
        }
    }
    let mut all = Vec::new();
    let together = Limit::Any(limits.clone());
    if limits.is_empty() {
    } else if together.always_count() <= FEW_ALTERNATIVES {
        all.push(folded(formulas, Formula::TRUE, &[together], whole, options)?);
    } else {
        for limit in limits {
            all.push(folded(formulas, Formula::TRUE, &[limit], whole, options)?);
        }
    }
    if !others.is_empty() {
        let others = formulas.or(others);
        all.push(folded(formulas, others, &[], whole, options)?);
    }
    for item in mixed {
        all.push(conjunction(formulas, item, whole, options)?);
    }
    union(all, options)
}

/// A run chooses one of these at the start.
fn union(all: Vec<Automaton>, options: &Options) -> Result<Automaton, BudgetError> {
    let mut all = all.into_iter();
    let first = all.next().expect("a disjunction has members");
    all.try_fold(first, |left, right| ops::union(&left, &right, options.limits))
}

fn conjunction(
    formulas: &mut Formulas,
    g: Formula,
    whole: Formula,
    options: &Options,
) -> Result<Automaton, BudgetError> {
    let Parts { limits, rest } = parts(formulas, g);
    folded(formulas, rest, &limits, whole, options)
}

/// The automaton of `rest`, with the limits as marks on its edges.
fn folded(
    formulas: &mut Formulas,
    rest: Formula,
    limits: &[Limit],
    whole: Formula,
    options: &Options,
) -> Result<Automaton, BudgetError> {
    let rest = formulas.simplify(rest);
    let automaton = over(&translate(formulas, rest, options)?, formulas, rest, whole)?;
    if limits.is_empty() {
        return Ok(automaton);
    }
    // A disjunction with many `FG` in it that is no clause is left to the run to choose from.
    if let [Limit::Any(members)] = limits
        && limits[0].always_count() > FEW_ALTERNATIVES
    {
        let member =
            |member| marked(formulas, &automaton, std::slice::from_ref(member), whole, options);
        let all: Result<Vec<Automaton>, BudgetError> = members.iter().map(member).collect();
        return union(all?, options);
    }
    marked(formulas, &automaton, limits, whole, options)
}

/// The marks that conditions on the limit need.
struct Marks<'a> {
    formulas: &'a mut Formulas,
    whole: Formula,
    next: u32,
    /// Marks to be carried exactly on these letters.
    exact: Vec<(Mark, Label)>,
    /// Marks that may be carried on these letters.
    offered: Vec<(Mark, Label)>,
}

impl Marks<'_> {
    fn fresh(&mut self) -> Mark {
        self.next += 1;
        Mark(self.next - 1)
    }

    fn condition(
        &mut self,
        limit: &Limit,
        letters: &mut Letters,
    ) -> Result<Acceptance, BudgetError> {
        Ok(match limit {
            Limit::Always(c) => {
                let bad = self.formulas.negate(*c);
                let on = label_of(self.formulas, bad, self.whole, letters)?;
                Acceptance::Fin(self.mark(on, true))
            }
            Limit::Often(b) => {
                let on = label_of(self.formulas, *b, self.whole, letters)?;
                Acceptance::Inf(self.mark(on, false))
            }
            Limit::All(parts) | Limit::Any(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.push(self.condition(part, letters)?);
                }
                match limit {
                    Limit::All(_) => Acceptance::and(all),
                    _ => Acceptance::or(all),
                }
            }
        })
    }

    /// The mark of these letters. One that is carried exactly does under `Inf` as well; one that was
    /// only offered becomes exact.
    fn mark(&mut self, on: Label, exact: bool) -> Mark {
        if let Some(&(mark, _)) = self.exact.iter().find(|(_, letters)| *letters == on) {
            return mark;
        }
        let offered = self.offered.iter().position(|(_, letters)| *letters == on);
        match offered {
            Some(at) if exact => {
                let found = self.offered.remove(at);
                self.exact.push(found);
                found.0
            }
            Some(at) => self.offered[at].0,
            None => {
                let mark = self.fresh();
                if exact { &mut self.exact } else { &mut self.offered }.push((mark, on));
                mark
            }
        }
    }
}

/// The automaton with the limits, all of which must hold, as marks.
fn marked(
    formulas: &mut Formulas,
    automaton: &Automaton,
    limits: &[Limit],
    whole: Formula,
    options: &Options,
) -> Result<Automaton, BudgetError> {
    let too_many = BudgetError { resource: Resource::Edges, limit: options.limits.edges };
    let mut builder = automaton.like();
    builder.add_states(automaton.state_count());
    automaton.initial().iter().for_each(|&state| builder.add_initial(state));
    let letters = builder.letters_mut();
    let next = automaton.mark_count();
    let (exact, offered) = (Vec::new(), Vec::new());
    let mut marks = Marks { formulas, whole, next, exact, offered };
    let mut condition = vec![automaton.acceptance().clone()];
    let mut always = Label::TRUE;
    for limit in limits {
        if let Limit::Always(c) = limit {
            let on = label_of(marks.formulas, *c, whole, letters)?;
            always = letters.and(always, on)?;
        } else {
            condition.push(marks.condition(limit, letters)?);
        }
    }
    let never = letters.not(always)?;
    let bad = (never != Label::FALSE).then(|| marks.fresh());
    condition.extend(bad.map(Acceptance::Fin));
    let Marks { next, mut exact, mut offered, .. } = marks;
    if offered.len() + exact.len() <= FEW {
        exact.append(&mut offered);
    }
    let classes = classes(letters, always, &exact, offered.len(), options.limits)?;
    // Each class with what may be carried there, whatever edge it is put on.
    let mut steps: Vec<(Label, MarkSet)> = Vec::new();
    for (class, set) in classes {
        for &(mark, on) in &offered {
            let mut with = set.clone();
            with.insert(mark);
            steps.push((letters.and(class, on)?, with));
        }
        steps.push((class, set));
    }
    if let Some(bad) = bad {
        steps.push((never, [bad].into_iter().collect()));
    }
    steps.retain(|(label, _)| *label != Label::FALSE);
    builder.set_acceptance(Acceptance::and(condition), next);
    let components = Components::of(automaton);
    for state in automaton.states() {
        for &edge in automaton.edges(state) {
            if !components.together(state, edge.target) {
                // Taken at most once: its marks do not matter.
                builder.add_interned(state, edge);
                continue;
            }
            for (label, set) in &steps {
                let label = builder.letters_mut().and(edge.label, *label)?;
                let set = set.union(automaton.marks(edge.marks));
                builder.add_edge(state, label, set, edge.target);
            }
            if builder.edge_count() > options.limits.edges {
                return Err(too_many);
            }
        }
    }
    Ok(builder.build())
}

/// An automaton that starts in all its parts at once: one for each clause `FG c | … | GF b` of what
/// the formula says of the limit, and one for the rest. Its condition is one Streett pair. It is
/// linear in the number of fairness premises; for a nondeterministic automaton take
/// [`fairly_omega::ops::remove_alternation`].
///
/// ```
/// use fairly_logic::Formulas;
/// use fairly_translate::{Options, translate_alternating};
/// let mut formulas = Formulas::new();
/// let pairs: Vec<String> = (0..20).map(|i| format!("(GF p{i} -> GF q{i})")).collect();
/// let f = formulas.parse(&pairs.join(" & ")).unwrap();
/// let automaton = translate_alternating(&mut formulas, f, &Options::default()).unwrap();
/// assert_eq!(automaton.state_count(), 20);
/// ```
///
/// # Errors
/// When the automaton of the rest would be too large, or there would be too many clauses.
pub fn translate_alternating(
    formulas: &mut Formulas,
    f: Formula,
    options: &Options,
) -> Result<Alternating, BudgetError> {
    let simple = formulas.simplify(f);
    let simple = formulas.nnf(simple);
    let Parts { limits, rest } = parts(formulas, simple);
    let mut automata = Vec::new();
    if rest != Formula::TRUE || limits.is_empty() {
        let rest = formulas.simplify(rest);
        let automaton = over(&translate(formulas, rest, options)?, formulas, rest, f)?;
        automata.push(as_pair(&ops::to_buchi(&automaton, options.limits)?));
    }
    let mut clauses: Vec<Clause> = Vec::new();
    for limit in &limits {
        clauses.extend(clauses_of(formulas, limit)?);
    }
    for clause in clauses {
        automata.push(clause_automaton(formulas, &clause, f)?);
    }
    alternating_conjunction(&automata, options.limits)
}

/// The condition as a conjunction of clauses.
fn clauses_of(formulas: &mut Formulas, limit: &Limit) -> Result<Vec<Clause>, BudgetError> {
    let too_many = BudgetError { resource: Resource::Disjuncts, limit: MOST_CLAUSES };
    Ok(match limit {
        Limit::Often(b) => vec![Clause { always: Vec::new(), often: *b }],
        Limit::Always(c) => vec![Clause { always: vec![*c], often: Formula::FALSE }],
        Limit::All(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(clauses_of(formulas, part)?);
                if all.len() > MOST_CLAUSES {
                    return Err(too_many);
                }
            }
            all
        }
        Limit::Any(parts) => {
            let mut all = vec![Clause { always: Vec::new(), often: Formula::FALSE }];
            for part in parts {
                let other = clauses_of(formulas, part)?;
                if all.len().saturating_mul(other.len()) > MOST_CLAUSES {
                    return Err(too_many);
                }
                let mut next = Vec::with_capacity(all.len() * other.len());
                for left in &all {
                    for right in &other {
                        let mut always = left.always.clone();
                        always.extend(&right.always);
                        always.sort_unstable();
                        always.dedup();
                        let often = formulas.or([left.often, right.often]);
                        next.push(Clause { always, often });
                    }
                }
                all = next;
            }
            all
        }
    })
}

/// The condition of every part: `Fin(0) | Inf(1)`.
const SEEN: Mark = Mark(0);
const ANSWERED: Mark = Mark(1);

/// A Büchi automaton with the condition of a Streett pair.
fn as_pair(buchi: &Automaton) -> Automaton {
    let mut builder = buchi.to_builder();
    builder.map_marks(|set| {
        let mark = if set.contains(Mark(0)) { ANSWERED } else { SEEN };
        [mark].into_iter().collect()
    });
    builder.set_acceptance(Acceptance::streett(1), 2);
    builder.build()
}

/// One state if the clause has at most one `FG`; else a state in which the run chooses one of its
/// members by reading a letter, which changes nothing of the limit.
fn clause_automaton(
    formulas: &mut Formulas,
    clause: &Clause,
    whole: Formula,
) -> Result<Automaton, BudgetError> {
    let mut builder = Builder::new(crate::propositions(formulas, whole));
    builder.set_acceptance(Acceptance::streett(1), 2);
    let mut members: Vec<(Formula, Formula)> = Vec::new();
    match clause.always[..] {
        [] => members.push((Formula::FALSE, clause.often)),
        [c] => members.push((c, clause.often)),
        _ => {
            members.extend(clause.always.iter().map(|&c| (c, Formula::FALSE)));
            if clause.often != Formula::FALSE {
                members.push((Formula::FALSE, clause.often));
            }
        }
    }
    let states: Vec<StateId> = members.iter().map(|_| builder.add_state()).collect();
    for (&(always, often), &state) in members.iter().zip(&states) {
        let letters = builder.letters_mut();
        let answered = label_of(formulas, often, whole, letters)?;
        let quiet = label_of(formulas, always, whole, letters)?;
        let quiet = letters.minus(quiet, answered)?;
        let either = letters.or(answered, quiet)?;
        let seen = letters.not(either)?;
        builder.add_edge(state, answered, [ANSWERED].into_iter().collect(), state);
        builder.add_edge(state, quiet, MarkSet::new(), state);
        builder.add_edge(state, seen, [SEEN].into_iter().collect(), state);
    }
    if let [state] = states[..] {
        builder.add_initial(state);
    } else {
        let start = builder.add_state();
        builder.add_initial(start);
        for &state in &states {
            builder.add_edge(start, Label::TRUE, MarkSet::new(), state);
        }
    }
    Ok(builder.build())
}
