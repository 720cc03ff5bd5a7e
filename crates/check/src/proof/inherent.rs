//! Certificates of inherent fairness: that every beginning of a run can go on such that the run satisfies the formula, or
//! that one cannot.
//!
//! The first lists the live nodes of the product with the automaton of the formula, each with its distances to the next
//! step that does not postpone an until, one distance for each until; and with each state the sets of live
//! nodes that beginnings lead to. Of the sets that a step leads to, one that contains a set which is listed already is
//! left out. The second is a beginning, and classes of all nodes behind it.

use fairly_fairness::PrefixKind;
use fairly_omega::{Graph, Mark, StateId, Step};
use fairly_search::{Binding, Negation, Product};
use fairly_system::{EventKind, EventPosition, RunStep, Transition};
use hashbrown::{HashMap, HashSet};

use super::source::Source;
use super::tableau::Tableau;
use super::{
    Asked, Patience, Proof, ProofError, Ranked, Writer, explore, finished, positions, ranked,
    reachable, run_lines, statement,
};

/// The product, with the transition behind each edge.
struct Nodes {
    /// By node: the state of the system and that of the automaton.
    pairs: Vec<(StateId, StateId)>,
    /// By node: its edges, each with the untils that it does not postpone, by position.
    edges: Vec<Vec<(Transition, usize, Vec<usize>)>>,
    starts: Vec<usize>,
}

/// The visible part of a step.
type Seen = (Option<u32>, Vec<bool>);

/// A set of nodes.
type Family = Vec<usize>;

fn bindings(asked: &Asked<'_>) -> Vec<Binding> {
    let property = asked.property;
    property.formulas.atoms(property.formula).iter().map(|&atom| property.binding(atom)).collect()
}

/// The visible part of a transition out of a state.
fn seen<S: Source>(
    system: &S,
    asked: &Asked<'_>,
    bindings: &[Binding],
    from: StateId,
    transition: Transition,
) -> Seen {
    let event = system.action(transition.action).event;
    let is_internal = system.signature().event_kind(event) == EventKind::Internal;
    let read = match asked.property.reading {
        EventPosition::Leaving => from,
        EventPosition::Entering => transition.target,
    };
    let holds = bindings.iter().filter_map(|binding| match binding {
        Binding::State(atom) => Some(system.holds(read, *atom)),
        _ => None,
    });
    ((!is_internal).then_some(event.0), holds.collect())
}

fn nodes_of<S: Source>(
    system: &mut S,
    asked: &Asked<'_>,
    tableau: &Tableau,
    patience: &mut Patience,
) -> Result<Nodes, ProofError> {
    let untils = tableau.untils.len();
    let negation =
        Negation::new(&tableau.automaton, bindings(asked)).reading(asked.property.reading);
    let mut product = Product::new(system, negation, Vec::new());
    let mut nodes = Nodes { pairs: Vec::new(), edges: Vec::new(), starts: Vec::new() };
    let (mut found, mut numbers) = (Vec::new(), HashMap::new());
    let number =
        |node: StateId, found: &mut Vec<StateId>, numbers: &mut HashMap<StateId, usize>| {
            *numbers.entry(node).or_insert_with(|| {
                found.push(node);
                found.len() - 1
            })
        };
    for node in product.initial() {
        nodes.starts.push(number(node, &mut found, &mut numbers));
    }
    let (mut steps, mut transitions): (Vec<Step>, Vec<Transition>) = (Vec::new(), Vec::new());
    while let Some(&node) = found.get(nodes.edges.len()) {
        patience.tick()?;
        steps.clear();
        transitions.clear();
        product.steps(node, &mut steps);
        product.transitions(node, &mut transitions);
        let mut edges = Vec::new();
        for (step, &transition) in steps.iter().zip(&transitions) {
            let marks = product.marks(step.marks);
            let kept = (0u32..).take(untils).filter(|&at| marks.contains(Mark(at)));
            let kept = kept.map(|at| at as usize).collect();
            edges.push((transition, number(step.target, &mut found, &mut numbers), kept));
        }
        nodes.edges.push(edges);
    }
    if product.cut().is_some() {
        return Err(ProofError::Bound);
    }
    nodes.pairs = found.iter().map(|&node| product.pair(node)).collect();
    Ok(nodes)
}

/// By live node: its distances. Nodes without one are removed until all that are left have all (Emerson and Lei 1986).
fn distances(nodes: &Nodes, untils: usize) -> Vec<Option<Vec<usize>>> {
    let count = nodes.pairs.len();
    let marks = untils.max(1);
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, edges) in nodes.edges.iter().enumerate() {
        edges.iter().for_each(|(_, to, _)| before[*to].push(from));
    }
    let mut is_live = vec![true; count];
    loop {
        let mut all: Vec<Vec<usize>> = vec![vec![usize::MAX; marks]; count];
        #[expect(
            clippy::needless_range_loop,
            reason = "a mark is a column, and a position in sets"
        )]
        for mark in 0..marks {
            let comes = |kept: &Vec<usize>| untils == 0 || kept.contains(&mark);
            let mut queue: Vec<usize> = (0..count).filter(|&from| is_live[from]).collect();
            queue.retain(|&from| {
                nodes.edges[from].iter().any(|(_, to, kept)| is_live[*to] && comes(kept))
            });
            queue.iter().for_each(|&node| all[node][mark] = 0);
            let mut at = 0;
            while let Some(&node) = queue.get(at) {
                at += 1;
                for &from in &before[node] {
                    if is_live[from] && all[from][mark] == usize::MAX {
                        all[from][mark] = all[node][mark] + 1;
                        queue.push(from);
                    }
                }
            }
        }
        let gone: Vec<usize> =
            (0..count).filter(|&at| is_live[at] && all[at].contains(&usize::MAX)).collect();
        if gone.is_empty() {
            return all.into_iter().zip(is_live).map(|(it, live)| live.then_some(it)).collect();
        }
        gone.iter().for_each(|&at| is_live[at] = false);
    }
}

/// The certificate that every beginning can go on.
pub(super) fn continued<S: Source>(
    system: &mut S,
    asked: &Asked<'_>,
    reading: PrefixKind,
) -> Result<Proof, ProofError> {
    let (property, mut patience) = (asked.property, Patience::new(asked.bounds));
    let atoms = property.formulas.atoms(property.formula);
    let tableau = Tableau::of(&property.formulas, property.formula, &atoms)?;
    let states = reachable(system, asked.bounds)?;
    let nodes = nodes_of(system, asked, &tableau, &mut patience)?;
    let mut distances = distances(&nodes, tableau.untils.len());
    if asked.forged.is_some() {
        // Nodes that are not live are said to be.
        let marks = tableau.untils.len().max(1);
        distances.iter_mut().for_each(|it| _ = it.get_or_insert_with(|| vec![0; marks]));
    }
    let families = families(system, asked, (reading, &nodes, &distances), &mut patience)?;

    let mut writer = Writer::new(system);
    let (mut head, _) = statement(system, &mut writer, asked, "holds")?;
    let set = |set: &Vec<usize>| super::numbered("set", set.iter());
    head.extend(tableau.sets.iter().map(set));
    let mut lists: HashMap<StateId, Vec<(u32, u32)>> = HashMap::new();
    let mut known: HashMap<&Vec<usize>, u32> = HashMap::new();
    for (&(state, set), distances) in nodes.pairs.iter().zip(&distances) {
        let Some(distances) = distances else { continue };
        let next = u32::try_from(known.len()).expect("fewer than 2^32 nodes");
        let at = *known.entry(distances).or_insert_with(|| {
            head.push(super::numbered("distances", distances.iter()));
            next
        });
        lists.entry(state).or_default().push((set.0, at));
    }
    let places = match reading {
        PrefixKind::Run => HashMap::new(),
        PrefixKind::Trace => positions(system, &writer.model, &states),
    };
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let first = u32::try_from(tableau.sets.len()).expect("few sets");
    for (state, families) in families {
        for family in families.into_iter().filter(|family| !family.is_empty()) {
            let mut line = "family".to_owned();
            let (own, others): (Vec<_>, Vec<_>) =
                family.iter().map(|&node| nodes.pairs[node]).partition(|pair| pair.0 == state);
            own.iter().for_each(|pair| line.push_str(&format!(" {}", pair.1.0)));
            for (other, set) in others {
                line.push_str(&format!(" at {} {}", places[&other], set.0));
            }
            let next = first + u32::try_from(numbers.len()).expect("fewer than 2^32 families");
            let at = *numbers.entry(line).or_insert_with_key(|line| {
                head.push(line.clone());
                next
            });
            lists.entry(state).or_default().push((at, 0));
        }
    }
    for list in lists.values_mut() {
        list.sort_unstable();
        list.dedup();
    }
    let count = distances.iter().flatten().count();
    Ok(finished(system, head, writer, (&states, lists, count)))
}

/// The sets of live nodes that beginnings lead to, by state.
fn families<S: Source>(
    system: &mut S,
    asked: &Asked<'_>,
    (reading, nodes, distances): (PrefixKind, &Nodes, &[Option<Vec<usize>>]),
    patience: &mut Patience,
) -> Result<HashMap<StateId, Vec<Family>>, ProofError> {
    let bindings = bindings(asked);
    let live = |node: &usize| distances[*node].is_some();
    let mut families: HashMap<StateId, Vec<Family>> = HashMap::new();
    let mut open: Vec<(StateId, Family)> = Vec::new();
    let starts: Family = nodes.starts.iter().copied().filter(live).collect();
    for state in system.initial() {
        families.insert(state, vec![starts.clone()]);
        open.push((state, starts.clone()));
    }
    let mut at = 0;
    while let Some((state, family)) = open.get(at).cloned() {
        at += 1;
        if family.is_empty() {
            if asked.forged.is_some() {
                continue;
            }
            return Err(ProofError::Contradicted);
        }
        let mut steps = Vec::new();
        system.steps(state, &mut steps);
        for step in steps {
            patience.tick()?;
            if system.is_committed(step.target) {
                return Err(ProofError::NotCovered("an atomic sequence that may go on for ever"));
            }
            let wanted = seen(system, asked, &bindings, state, step);
            let mut reached: Family = Vec::new();
            for &node in &family {
                let from = nodes.pairs[node].0;
                let alike = |other: Transition| match reading {
                    PrefixKind::Run => other == step,
                    PrefixKind::Trace => seen(system, asked, &bindings, from, other) == wanted,
                };
                let edges = nodes.edges[node].iter().filter(|edge| live(&edge.1) && alike(edge.0));
                reached.extend(edges.map(|edge| edge.1));
            }
            reached.sort_unstable();
            reached.dedup();
            let known = families.entry(step.target).or_default();
            let is_part = |other: &Family| other.iter().all(|it| reached.binary_search(it).is_ok());
            if !known.iter().any(is_part) {
                known.push(reached.clone());
                open.push((step.target, reached));
            }
        }
    }
    Ok(families)
}

/// The certificate that a beginning cannot go on.
pub(super) fn doomed<S: Source>(
    system: &mut S,
    asked: &Asked<'_>,
    (reading, prefix): (PrefixKind, &[RunStep]),
) -> Result<Proof, ProofError> {
    let property = asked.property;
    let atoms = property.formulas.atoms(property.formula);
    let tableau = Tableau::of(&property.formulas, property.formula, &atoms)?;
    let bindings = bindings(asked);
    let Some(&start) = system.initial().first() else {
        return Err(ProofError::NotCovered("a system without an initial state"));
    };
    let negation = Negation::new(&tableau.automaton, bindings.clone()).reading(property.reading);
    let mut product = Product::new(system, negation, Vec::new());
    let mut nodes: HashSet<StateId> = product.initial().into_iter().collect();
    for step in prefix {
        let taken = Transition { action: step.action, target: step.to };
        let wanted = seen(product.system(), asked, &bindings, step.from, taken);
        let mut onwards = HashSet::new();
        for &node in &nodes {
            let (mut steps, mut transitions) = (Vec::new(), Vec::new());
            product.steps(node, &mut steps);
            product.transitions(node, &mut transitions);
            let from = product.pair(node).0;
            for (next, other) in steps.iter().zip(transitions) {
                let alike = match reading {
                    PrefixKind::Run => other == taken,
                    PrefixKind::Trace => {
                        seen(product.system(), asked, &bindings, from, other) == wanted
                    }
                };
                if alike {
                    onwards.insert(next.target);
                }
            }
        }
        nodes = onwards;
    }
    let mut starts: Vec<StateId> = nodes.into_iter().collect();
    starts.sort_unstable();
    let mut ends: Vec<StateId> = starts.iter().map(|&node| product.pair(node).0).collect();
    ends.sort_unstable();
    ends.dedup();
    let explored = explore(&mut product, &tableau, (&[], false, starts), asked.bounds)?;
    let states = super::reachable_from(system, ends, asked.bounds)?;
    let mut writer = Writer::new(system);
    let (mut head, _) = statement(system, &mut writer, asked, "violated")?;
    head.extend(run_lines(system, &mut writer, start, prefix)?);
    let ranked_by = Ranked { tableau: &tableau, explored: &explored, constraints: &[] };
    ranked(system, writer, head, (asked, &ranked_by, &states))
}
