//! The tableau of Gerth, Peled, Vardi and Wolper, the reference.
//!
//! R. Gerth, D. Peled, M. Y. Vardi, P. Wolper, "Simple on-the-fly automatic verification of linear
//! temporal logic", PSTV 1995, as Tsay's lecture slides present it. A node holds the formulas
//! that were processed (*old*), those to be processed (*new*) and those for the next position (*next*); it
//! is finished when nothing is new, and finished nodes with the same *old* and *next* are one.
//! Marks are on states: one for each `a U b`, held by the nodes that have `b` in *old* or do not
//! have `a U b` there.
//!
//! Deviations:
//!
//! - `false` discards the node and `true` moves to *old* (`docs/papers.md` 001-2): the slides have
//!   no rule for them, and both are needed since `F a = true U a` and `G a = false R a`.
//! - Nodes to be processed lie on a stack; the slides recurse.
//! - `&` and `|` take any number of operands; `W` and `M` are rewritten to `R` and `U`.
//! - The formula is not simplified and the result is not reduced. Small automata are
//!   [`crate::fast`]'s business; this one is here to be believed.

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use fairly_logic::{Formula, Formulas, Node};
use fairly_omega::{
    Acceptance, Automaton, BudgetError, Builder, Limits, Mark, MarkSet, Prop, Resource, StateId,
};

use crate::propositions;

/// A set of formulas, ascending.
type Set = Vec<Formula>;

/// Adds a formula to a set; false if it was there.
fn insert(set: &mut Set, f: Formula) -> bool {
    match set.binary_search(&f) {
        Ok(_) => false,
        Err(at) => {
            set.insert(at, f);
            true
        }
    }
}

struct Pending {
    /// Its number; copies made by a split have new ones.
    name: u32,
    /// The finished node that led here; `None` for the initial state.
    from: Option<u32>,
    new: Set,
    old: Set,
    next: Set,
}

/// A generalized Büchi automaton with marks on states for any formula, by the textbook tableau.
///
/// ```
/// use fairly_logic::Formulas;
/// use fairly_omega::Limits;
/// let mut formulas = Formulas::new();
/// let f = formulas.parse("p U q").unwrap();
/// let automaton = fairly_translate::gpvw(&mut formulas, f, Limits::default()).unwrap();
/// assert_eq!(automaton.state_count(), 4);
/// assert!(automaton.state_marks().is_some());
/// ```
///
/// # Errors
/// When the tableau passes the limits.
pub fn gpvw(formulas: &mut Formulas, f: Formula, limits: Limits) -> Result<Automaton, BudgetError> {
    tableau(formulas, f, limits, None)
}

/// A step of the construction, as plain data. Formulas are written out; nodes have numbers, states too, as in the
/// automaton: 0 is the initial state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Expansion {
    /// A formula was taken from *New* and processed.
    Processed {
        /// The node.
        node: u32,
        /// The formula.
        formula: String,
        /// The node with what is left in *New*, before.
        sets: NodeSets,
        /// The nodes that go on: one, two after a split, none if the node was discarded.
        into: Vec<u32>,
    },
    /// Nothing was left in *New*: the node becomes a state, or adds an incoming edge to the one with the same
    /// *Old* and *Next*.
    Finished {
        /// The node.
        node: u32,
        /// The state.
        state: u32,
        /// Whether the state was there.
        joined: bool,
        /// The node.
        sets: NodeSets,
    },
}

/// The sets of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeSets {
    /// The states from which an edge leads here.
    pub incoming: Vec<u32>,
    /// Formulas to be processed.
    pub new: Vec<String>,
    /// Formulas that were processed.
    pub old: Vec<String>,
    /// Formulas for the next position.
    pub next: Vec<String>,
}

/// The construction step by step, and its states.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    /// The formula in negation normal form with `X`, `U` and `R` only.
    pub formula: String,
    /// The steps.
    pub steps: Vec<Expansion>,
    /// The states from number 1 on, with all of their incoming edges.
    pub states: Vec<NodeSets>,
}

/// The same automaton with the construction step by step.
///
/// ```
/// use fairly_logic::Formulas;
/// use fairly_omega::Limits;
/// let mut formulas = Formulas::new();
/// let f = formulas.parse("p U q").unwrap();
/// let (_, explanation) =
///     fairly_translate::gpvw_explained(&mut formulas, f, Limits::default()).unwrap();
/// assert_eq!(explanation.states[0].old, ["q", "p U q"]);
/// ```
///
/// # Errors
/// As [`gpvw`].
pub fn gpvw_explained(
    formulas: &mut Formulas,
    f: Formula,
    limits: Limits,
) -> Result<(Automaton, Explanation), BudgetError> {
    let mut explanation = Explanation::default();
    let automaton = tableau(formulas, f, limits, Some(&mut explanation))?;
    Ok((automaton, explanation))
}

/// Sets of formulas as text, in the order in which the formulas were first met.
fn shown(formulas: &Formulas, set: &[Formula]) -> Vec<String> {
    set.iter().map(|&f| formulas.display(f).to_string()).collect()
}

impl Pending {
    fn sets(&self, formulas: &Formulas) -> NodeSets {
        NodeSets {
            incoming: vec![self.from.map_or(0, |from| from + 1)],
            new: shown(formulas, &self.new),
            old: shown(formulas, &self.old),
            next: shown(formulas, &self.next),
        }
    }
}

fn tableau(
    formulas: &mut Formulas,
    f: Formula,
    limits: Limits,
    mut explained: Option<&mut Explanation>,
) -> Result<Automaton, BudgetError> {
    let core = to_core(formulas, f);
    let untils: Vec<(Formula, Formula)> = formulas
        .subformulas(core)
        .into_iter()
        .filter_map(|g| match formulas.node(g) {
            Node::Until(_, b) => Some((g, b)),
            _ => None,
        })
        .collect();

    // Finished nodes by their old and next formulas; `edges` leads from where to which.
    let mut nodes: Vec<Set> = Vec::new();
    let mut index: HashMap<(Set, Set), u32> = HashMap::new();
    let mut edges: Vec<(Option<u32>, u32)> = Vec::new();
    let mut stack =
        vec![Pending { name: 1, from: None, new: vec![core], old: Set::new(), next: Set::new() }];
    let mut steps = 0usize;
    let mut names = 1u32;
    if let Some(explained) = &mut explained {
        explained.formula = formulas.display(core).to_string();
    }
    while let Some(mut node) = stack.pop() {
        // Many copies of a node are discarded, so there are more steps than edges.
        steps += 1;
        if steps > limits.edges.saturating_mul(8) || edges.len() > limits.edges {
            return Err(BudgetError { resource: Resource::Edges, limit: limits.edges });
        }
        let Some(eta) = node.new.pop() else {
            let sets = explained.is_some().then(|| node.sets(formulas));
            let key = (node.old, node.next);
            let known = index.get(&key).copied();
            if let Some((explained, sets)) = explained.as_deref_mut().zip(sets) {
                let state = known.map_or(nodes.len(), |known| known as usize);
                let number = state as u32 + 1;
                match known {
                    Some(_) => explained.states[state].incoming.extend(&sets.incoming),
                    None => explained.states.push(sets.clone()),
                }
                let (node, joined) = (node.name, known.is_some());
                explained.steps.push(Expansion::Finished { node, state: number, joined, sets });
            }
            if let Some(known) = known {
                edges.push((node.from, known));
                continue;
            }
            if nodes.len() >= limits.states {
                return Err(BudgetError { resource: Resource::States, limit: limits.states });
            }
            let fresh = nodes.len() as u32;
            edges.push((node.from, fresh));
            nodes.push(key.0.clone());
            let new = key.1.clone();
            names += 1;
            let (from, old, next) = (Some(fresh), Set::new(), Set::new());
            stack.push(Pending { name: names, from, new, old, next });
            index.insert(key, fresh);
            continue;
        };
        if !insert(&mut node.old, eta) {
            stack.push(node);
            continue;
        }
        let (name, before) = (node.name, stack.len());
        let sets = explained.is_some().then(|| node.sets(formulas));
        expand(formulas, eta, node, &mut stack);
        let copies = &mut stack[before..];
        if copies.len() > 1 {
            for copy in copies.iter_mut() {
                names += 1;
                copy.name = names;
            }
        }
        if let Some((explained, sets)) = explained.as_deref_mut().zip(sets) {
            let into = copies.iter().rev().map(|copy| copy.name).collect();
            let formula = formulas.display(eta).to_string();
            explained.steps.push(Expansion::Processed { node: name, formula, sets, into });
        }
    }

    let mut builder = Builder::new(propositions(formulas, f));
    let atoms = formulas.atoms(f);
    let count = untils.len() as u32;
    builder.set_acceptance(Acceptance::generalized_buchi(count), count);
    builder.add_states(nodes.len() + 1);
    builder.add_initial(StateId(0));
    let mut labels = Vec::with_capacity(nodes.len());
    let mut marks: Vec<MarkSet> = vec![MarkSet::new()];
    for old in &nodes {
        let literals: Vec<(Prop, bool)> = old
            .iter()
            .filter_map(|&g| {
                let (atom, value) = formulas.literal(g)?;
                let at = atoms.binary_search(&atom).expect("atoms of a part are atoms of it");
                Some((Prop(at as u32), value))
            })
            .collect();
        labels.push(builder.letters_mut().cube(&literals)?);
        let has = |g: Formula| old.binary_search(&g).is_ok();
        let held = (0..).zip(&untils).filter(|&(_, &(until, b))| has(b) || !has(until));
        marks.push(held.map(|(mark, _)| Mark(mark)).collect());
    }
    let number = |node: u32| StateId(node + 1);
    for (from, to) in edges {
        let source = from.map_or(StateId(0), number);
        let set = marks[source.index()].clone();
        builder.add_edge(source, labels[to as usize], set, number(to));
    }
    Ok(builder.build())
}

/// Pushes the copies of `node` that processing `eta`, in its old set already, leads to.
fn expand(formulas: &mut Formulas, eta: Formula, mut node: Pending, stack: &mut Vec<Pending>) {
    match formulas.node(eta) {
        Node::True => stack.push(node),
        Node::False => {}
        Node::Atom(_) | Node::Not(_) => {
            let negation = formulas.not(eta);
            if node.old.binary_search(&negation).is_err() {
                stack.push(node);
            }
        }
        Node::And(parts) => {
            for &part in parts {
                insert(&mut node.new, part);
            }
            stack.push(node);
        }
        Node::Or(parts) => {
            for &part in parts {
                let (mut new, old, next) = (node.new.clone(), node.old.clone(), node.next.clone());
                insert(&mut new, part);
                stack.push(Pending { name: node.name, from: node.from, new, old, next });
            }
        }
        Node::Next(a) => {
            insert(&mut node.next, a);
            stack.push(node);
        }
        Node::Until(a, b) | Node::Release(a, b) => {
            let until = matches!(formulas.node(eta), Node::Until(..));
            let (mut new, old, mut next) = (node.new.clone(), node.old.clone(), node.next.clone());
            insert(&mut new, if until { a } else { b });
            insert(&mut next, eta);
            stack.push(Pending { name: node.name, from: node.from, new, old, next });
            insert(&mut node.new, b);
            if !until {
                insert(&mut node.new, a);
            }
            stack.push(node);
        }
        other => unreachable!("{other:?} is not in the core"),
    }
}

/// Negation normal form with `X`, `U` and `R` as the only temporal operators.
fn to_core(formulas: &mut Formulas, f: Formula) -> Formula {
    let nnf = formulas.nnf(f);
    let mut done: HashMap<Formula, Formula> = HashMap::new();
    for g in formulas.subformulas(nnf) {
        let children: Vec<Formula> = formulas.children(g).iter().map(|child| done[child]).collect();
        let core = match formulas.node(g) {
            Node::True | Node::False | Node::Atom(_) | Node::Not(_) => g,
            Node::And(_) => formulas.and(children),
            Node::Or(_) => formulas.or(children),
            Node::Next(_) => formulas.next(children[0]),
            Node::Finally(_) => formulas.until(Formula::TRUE, children[0]),
            Node::Globally(_) => formulas.release(Formula::FALSE, children[0]),
            Node::Until(..) => formulas.until(children[0], children[1]),
            Node::Release(..) => formulas.release(children[0], children[1]),
            Node::WeakUntil(..) => {
                let either = formulas.or([children[0], children[1]]);
                formulas.release(children[1], either)
            }
            Node::StrongRelease(..) => {
                let both = formulas.and([children[0], children[1]]);
                formulas.until(children[1], both)
            }
            other => unreachable!("{other:?} is not in negation normal form"),
        };
        done.insert(g, core);
    }
    done[&nnf]
}
