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

use fairly_logic::{Formula, Formulas, Node};
use fairly_omega::{
    Acceptance, Automaton, Builder, Limits, Mark, MarkSet, Prop, Refused, Resource, StateId,
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
pub fn gpvw(formulas: &mut Formulas, f: Formula, limits: Limits) -> Result<Automaton, Refused> {
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
        vec![Pending { from: None, new: vec![core], old: Set::new(), next: Set::new() }];
    let mut steps = 0usize;
    while let Some(mut node) = stack.pop() {
        // Many copies of a node are discarded, so there are more steps than edges.
        steps += 1;
        if steps > limits.edges.saturating_mul(8) || edges.len() > limits.edges {
            return Err(Refused { resource: Resource::Edges, limit: limits.edges });
        }
        let Some(eta) = node.new.pop() else {
            let key = (node.old, node.next);
            if let Some(&known) = index.get(&key) {
                edges.push((node.from, known));
                continue;
            }
            if nodes.len() >= limits.states {
                return Err(Refused { resource: Resource::States, limit: limits.states });
            }
            let fresh = nodes.len() as u32;
            edges.push((node.from, fresh));
            nodes.push(key.0.clone());
            let new = key.1.clone();
            stack.push(Pending { from: Some(fresh), new, old: Set::new(), next: Set::new() });
            index.insert(key, fresh);
            continue;
        };
        if !insert(&mut node.old, eta) {
            stack.push(node);
            continue;
        }
        expand(formulas, eta, node, &mut stack);
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
                stack.push(Pending { from: node.from, new, old, next });
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
            stack.push(Pending { from: node.from, new, old, next });
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
