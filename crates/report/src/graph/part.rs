//! Which part of a state space is drawn: the neighbourhood of a state, or its strongly connected component.

use std::collections::HashMap;

use fairly_omega::StateId;
use fairly_system::{Transition, TransitionSystem};

use super::view::{Place, View};
use crate::condition::Condition;

/// Part of the graph to draw.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// A state, by its number or by a condition; where runs start without one.
    pub around: Option<String>,
    /// Steps that lead to what is drawn, forwards and backwards.
    pub depth: Option<usize>,
    /// Whether only the component of the state is drawn.
    pub component: bool,
}

/// States that are explored to find a part of them.
pub const EXPLORED: usize = 100_000;

/// A state space, or the beginning of one.
struct Explored {
    states: Vec<StateId>,
    steps: Vec<Vec<Transition>>,
    /// By state, where its steps lead; those that lead beyond are left out.
    after: Vec<Vec<usize>>,
    is_complete: bool,
}

fn explore<S: TransitionSystem>(system: &mut S, most: usize) -> Explored {
    let mut number: HashMap<StateId, usize> = HashMap::new();
    let mut states = Vec::new();
    for state in system.initial() {
        number.entry(state).or_insert_with(|| {
            states.push(state);
            states.len() - 1
        });
    }
    let (mut steps, mut after, mut is_complete) = (Vec::new(), Vec::new(), true);
    let mut at = 0;
    while at < states.len() {
        let mut own = Vec::new();
        system.steps(states[at], &mut own);
        let mut leads = Vec::new();
        for step in &own {
            let known = number.get(&step.target).copied();
            if known.is_none() && states.len() >= most {
                is_complete = false;
                continue;
            }
            let to = known.unwrap_or_else(|| {
                number.insert(step.target, states.len());
                states.push(step.target);
                states.len() - 1
            });
            leads.push(to);
        }
        steps.push(own);
        after.push(leads);
        at += 1;
    }
    Explored { states, steps, after, is_complete }
}

/// Part of the graph that can be drawn, and whether more could have been found.
pub struct Found<'a, S> {
    /// The part, as a system of its own.
    pub view: View<'a, S>,
    /// Whether all states were explored.
    pub is_complete: bool,
}

/// Finds the part of a system, at most so many states of it; none if it has more.
///
/// # Errors
/// The error in the question.
pub fn find<'a, S: TransitionSystem>(
    system: &'a mut S,
    part: &Part,
    most: usize,
) -> Result<Option<Found<'a, S>>, String> {
    let explored = explore(system, EXPLORED);
    let centre = match &part.around {
        None if part.component => most_common(&components(&explored.after), &explored.after),
        None => Some(0),
        Some(text) => Some(centre(system, text, &explored)?),
    };
    let Some(centre) = centre.filter(|&it| it < explored.states.len()) else {
        return Err("no state is on a cycle, so there is no component to draw".to_owned());
    };
    let mut chosen: Vec<usize> = match part.component {
        true => {
            let component = components(&explored.after);
            (0..component.len()).filter(|&it| component[it] == component[centre]).collect()
        }
        false => near(&explored.after, centre, part.depth.unwrap_or(2)),
    };
    if chosen.len() > most {
        return Ok(None);
    }
    // The state in question comes first.
    chosen.retain(|&it| it != centre);
    chosen.insert(0, centre);
    let place: HashMap<StateId, usize> =
        chosen.iter().enumerate().map(|(at, &it)| (explored.states[it], at)).collect();
    let places = chosen.iter().map(|&it| {
        let inside = |step: &Transition| place.get(&step.target).copied();
        let all = &explored.steps[it];
        let drawn = all.iter().filter_map(|step| {
            let target = StateId::from_index(inside(step)?);
            Some(Transition { target, ..*step })
        });
        let steps: Vec<Transition> = drawn.collect();
        let left_out = all.len() - steps.len();
        let behind = match left_out {
            0 => String::new(),
            1 => "(1 step elsewhere)".to_owned(),
            count => format!("({count} steps elsewhere)"),
        };
        // Who leaves a component does not come back, if all of it is known.
        let is_open = left_out > 0 && !(part.component && explored.is_complete);
        Place { state: explored.states[it], before: format!("s{it}"), behind, steps, is_open }
    });
    let places = places.collect();
    let is_complete = explored.is_complete;
    Ok(Some(Found { view: View { system, places, initial: 1 }, is_complete }))
}

/// The state that a text means.
fn centre<S: TransitionSystem>(
    system: &mut S,
    text: &str,
    explored: &Explored,
) -> Result<usize, String> {
    let seen = if explored.is_complete { "" } else { " among those that were explored" };
    let number = text.strip_prefix('s').unwrap_or(text).parse::<usize>();
    if let Ok(number) = number {
        return match number < explored.states.len() {
            true => Ok(number),
            false => Err(format!("there is no state {number}{seen}")),
        };
    }
    let Some(&first) = explored.states.first() else {
        return Err("the model has no initial state".to_owned());
    };
    let condition = Condition::read(text, system, first)?;
    let found = explored.states.iter().position(|&state| condition.holds(system, state));
    found.ok_or_else(|| format!("`{text}` is true in no state{seen}"))
}

/// The states that so many steps lead to, or from which so many lead here.
fn near(after: &[Vec<usize>], centre: usize, depth: usize) -> Vec<usize> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); after.len()];
    for (from, leads) in after.iter().enumerate() {
        leads.iter().for_each(|&to| before[to].push(from));
    }
    let mut is_near = vec![false; after.len()];
    for edges in [after, &before] {
        let mut seen = vec![false; after.len()];
        let mut ring = vec![centre];
        seen[centre] = true;
        for _ in 0..=depth {
            // Nothing lies behind the last states, however large the number is.
            if ring.is_empty() {
                break;
            }
            let mut next = Vec::new();
            for &it in &ring {
                is_near[it] = true;
                for &to in &edges[it] {
                    if !seen[to] {
                        seen[to] = true;
                        next.push(to);
                    }
                }
            }
            ring = next;
        }
    }
    (0..after.len()).filter(|&it| is_near[it]).collect()
}

/// The strongly connected component of each state, by the two passes of Kosaraju and Sharir.
fn components(after: &[Vec<usize>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let count = after.len();
    let (mut finished, mut seen) = (Vec::with_capacity(count), vec![false; count]);
    for root in 0..count {
        if seen[root] {
            continue;
        }
        seen[root] = true;
        let mut path = vec![(root, 0)];
        while let Some((at, next)) = path.pop() {
            match after[at].get(next) {
                Some(&to) => {
                    path.push((at, next + 1));
                    if !seen[to] {
                        seen[to] = true;
                        path.push((to, 0));
                    }
                }
                None => finished.push(at),
            }
        }
    }
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, leads) in after.iter().enumerate() {
        leads.iter().for_each(|&to| before[to].push(from));
    }
    let mut component = vec![NONE; count];
    for &root in finished.iter().rev() {
        if component[root] != NONE {
            continue;
        }
        component[root] = root;
        let mut open = vec![root];
        while let Some(at) = open.pop() {
            for &from in &before[at] {
                if component[from] == NONE {
                    component[from] = root;
                    open.push(from);
                }
            }
        }
    }
    component
}

/// The first state of the largest component with a cycle.
fn most_common(component: &[usize], after: &[Vec<usize>]) -> Option<usize> {
    let mut sizes: HashMap<usize, usize> = HashMap::new();
    component.iter().for_each(|&it| *sizes.entry(it).or_default() += 1);
    let is_cyclic = |it: usize| sizes[&component[it]] > 1 || after[it].contains(&it);
    let all = (0..component.len()).filter(|&it| is_cyclic(it));
    all.max_by_key(|&it| (sizes[&component[it]], usize::MAX - it))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two components, {1, 2, 3} and {4, 5}, behind a state that is on no cycle.
    fn edges() -> Vec<Vec<usize>> {
        vec![vec![1], vec![2], vec![3, 4], vec![1], vec![5], vec![4]]
    }

    #[test]
    fn a_part_of_any_depth_ends() {
        let whole: Vec<usize> = (0..6).collect();
        assert_eq!(near(&edges(), 1, usize::MAX), whole);
        assert_eq!(near(&edges(), 1, 1), [0, 1, 2, 3]);
    }

    #[test]
    fn components_are_found() {
        let component = components(&edges());
        let same = |one: usize, other: usize| component[one] == component[other];
        assert!(same(1, 2) && same(2, 3) && same(4, 5));
        assert!(!same(0, 1) && !same(3, 4) && !same(0, 4));
        assert_eq!(most_common(&component, &edges()), Some(1));
        assert_eq!(most_common(&components(&[vec![1], vec![]]), &[vec![1], vec![]]), None);
        let alone = [vec![0]];
        assert_eq!(most_common(&components(&alone), &alone), Some(0));
    }

    /// Every graph with four states and few edges: two states are in one component if each leads to the
    /// other.
    #[test]
    fn components_of_small_graphs_are_as_the_definition_says() {
        const COUNT: usize = 4;
        for bits in 0u32..1 << (COUNT * COUNT) {
            if bits.count_ones() > 6 {
                continue;
            }
            let is_edge = |from: usize, to: usize| bits >> (from * COUNT + to) & 1 == 1;
            let after: Vec<Vec<usize>> = (0..COUNT)
                .map(|from| (0..COUNT).filter(|&to| is_edge(from, to)).collect())
                .collect();
            let mut leads = [[false; COUNT]; COUNT];
            for (from, row) in leads.iter_mut().enumerate() {
                row[from] = true;
            }
            for at in 0..COUNT.pow(4) {
                let (from, over, to) = (at / 16 % COUNT, at / 4 % COUNT, at % COUNT);
                leads[from][to] |= leads[from][over] && is_edge(over, to);
            }
            let component = components(&after);
            for at in 0..COUNT.pow(2) {
                let (one, other) = (at / COUNT, at % COUNT);
                let expected = leads[one][other] && leads[other][one];
                assert_eq!(component[one] == component[other], expected, "{after:?}");
            }
        }
    }

    #[test]
    fn neighbours_are_before_and_behind() {
        assert_eq!(near(&edges(), 2, 0), [2]);
        assert_eq!(near(&edges(), 2, 1), [1, 2, 3, 4]);
        assert_eq!(near(&edges(), 2, 2), [0, 1, 2, 3, 4, 5]);
        assert_eq!(near(&edges(), 4, 1), [2, 4, 5]);
    }
}
