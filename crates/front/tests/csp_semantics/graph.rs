//! Labelled graphs, and whether their first nodes can be told apart.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use fairly_explore::Explored;
use fairly_front::csp::Lowered;
use fairly_model::{ModelSpace, text, verify, verify_open};
use fairly_system::{EventKind, FaultKind, TransitionSystem};

use super::naive;

/// A node: what is seen of it, and where its steps lead. Node 0 is where something went wrong.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    pub(crate) seen: String,
    pub(crate) steps: Vec<(String, usize)>,
}

/// A graph. Its first node is node 1.
pub(crate) type Graph = Vec<Node>;

/// The graph of the naive semantics.
pub(crate) fn of_naive(states: &[naive::State]) -> Graph {
    let mut graph = vec![Node { seen: "fault".to_owned(), steps: Vec::new() }];
    for state in states {
        let seen = format!("{:?} {}", state.shown, state.terminated);
        let steps = state.steps.iter().map(|(event, target)| match target {
            Some(target) => (event.clone(), target + 1),
            None => ("fault".to_owned(), 0),
        });
        graph.push(Node { seen, steps: steps.collect() });
    }
    graph
}

/// The graph of a model; `None` if it has too many states, or one that is not worked out.
///
/// # Errors
/// When the model is not in order.
pub(crate) fn of_model(lowered: Lowered, most: usize) -> Result<Option<Graph>, String> {
    let Lowered { model, unfold } = lowered;
    let checked = if unfold.is_some() { verify_open(&model) } else { verify(&model) };
    checked.map_err(|flaws| format!("the verifier says {flaws:?}"))?;
    let printed = text::print(&model);
    if unfold.is_none() {
        let again = text::parse(&printed).map_err(|wrong| format!("{wrong:?}\n{printed}"))?;
        if text::print(&again) != printed {
            return Err(format!("the text does not come back the same:\n{printed}"));
        }
    }
    let seen_first: usize =
        model.variables.iter().map(fairly_model::Variable::cells).sum::<usize>()
            + model.channels.iter().filter(|channel| channel.capacity > 0).count();
    let mut system = match unfold {
        Some(unfold) => Explored::new(ModelSpace::new(model, Some(unfold))),
        None => Explored::new(ModelSpace::new(model, None)),
    };
    let terminated = system.atom("terminated").ok_or("there is no `terminated`")?;
    let mut graph = vec![Node { seen: "fault".to_owned(), steps: Vec::new() }];
    let mut numbers = HashMap::new();
    let mut open = VecDeque::new();
    for state in system.initial() {
        numbers.insert(state, 1);
        open.push_back(state);
    }
    while let Some(state) = open.pop_front() {
        if numbers.len() > most {
            return Ok(None);
        }
        let mut enabled = Vec::new();
        system.enabled(state, &mut enabled);
        let mut steps = Vec::new();
        for transition in enabled {
            if let Some(fault) = system.fault(transition.target) {
                if fault.kind == FaultKind::Limit {
                    return Ok(None);
                }
                steps.push(("fault".to_owned(), 0));
                continue;
            }
            let event = system.action(transition.action).event;
            let signature = system.signature();
            let label = match signature.event_kind(event) {
                EventKind::Internal => "τ",
                EventKind::Termination => "✓",
                EventKind::Visible | EventKind::Idle => signature.event_name(event),
            };
            let fresh = numbers.len() + 1;
            let number = *numbers.entry(transition.target).or_insert_with(|| {
                open.push_back(transition.target);
                fresh
            });
            steps.push((label.to_owned(), number));
        }
        let shown = system.valuation(state);
        let seen = format!("{:?} {}", &shown[..seen_first], system.holds(state, terminated));
        graph.push(Node { seen, steps });
    }
    Ok(Some(graph))
}

/// Why the first nodes of two graphs are not strongly bisimilar; `None` if they are.
pub(crate) fn difference(left: &Graph, right: &Graph) -> Option<String> {
    let nodes: Vec<&Node> = left.iter().chain(right).collect();
    let shift = |at: usize| if at < left.len() { 0 } else { left.len() };
    let mut blocks: Vec<usize> = number(nodes.iter().map(|node| node.seen.clone()));
    let mut rounds = vec![blocks.clone()];
    loop {
        let next = number(nodes.iter().enumerate().map(|(at, node)| {
            let steps: BTreeSet<(&str, usize)> = node
                .steps
                .iter()
                .map(|(label, target)| (label.as_str(), blocks[target + shift(at)]))
                .collect();
            (blocks[at], steps)
        }));
        let count = |blocks: &[usize]| blocks.iter().max().copied();
        let settled = count(&next) == count(&blocks);
        blocks = next;
        rounds.push(blocks.clone());
        if settled {
            break;
        }
    }
    let (mut a, mut b) = (1, left.len() + 1);
    if blocks[a] == blocks[b] {
        return None;
    }
    // Walk along what tells them apart.
    let mut story = String::new();
    loop {
        let round = rounds.iter().position(|blocks| blocks[a] != blocks[b]).unwrap_or(0);
        let Some(before) = round.checked_sub(1).map(|round| &rounds[round]) else {
            story += &format!("\n{} is not {}", nodes[a].seen, nodes[b].seen);
            return Some(story);
        };
        let steps = |at: usize| -> BTreeMap<(&str, usize), usize> {
            let of = nodes[at].steps.iter();
            of.map(|(label, target)| {
                let target = target + shift(at);
                ((label.as_str(), before[target]), target)
            })
            .collect()
        };
        let (ours, theirs) = (steps(a), steps(b));
        let only_left = ours.iter().find(|(key, _)| !theirs.contains_key(*key));
        let only_right = theirs.iter().find(|(key, _)| !ours.contains_key(*key));
        let labels = |steps: &BTreeMap<(&str, usize), usize>| -> Vec<String> {
            steps.keys().map(|(label, _)| (*label).to_owned()).collect()
        };
        story += &format!(
            "\nin {}: left {:?}, right {:?}",
            nodes[a].seen,
            labels(&ours),
            labels(&theirs)
        );
        let next = match (only_left, only_right) {
            (Some(((label, _), &target)), _) => {
                story += &format!("\nleft {label}");
                let other = theirs.iter().find(|((other, _), _)| other == label);
                other.map(|(_, &other)| (target, other))
            }
            (None, Some(((label, _), &target))) => {
                story += &format!("\nright {label}");
                let other = ours.iter().find(|((other, _), _)| other == label);
                other.map(|(_, &other)| (other, target))
            }
            (None, None) => None,
        };
        match next {
            Some(next) => (a, b) = next,
            None => return Some(story),
        }
    }
}

/// Numbers for keys, the same for equal ones.
fn number<K: std::hash::Hash + Eq>(keys: impl Iterator<Item = K>) -> Vec<usize> {
    let mut numbers: HashMap<K, usize> = HashMap::new();
    keys.map(|key| {
        let fresh = numbers.len();
        *numbers.entry(key).or_insert(fresh)
    })
    .collect()
}
