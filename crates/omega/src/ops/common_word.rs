//! A word that several automata all accept, found without the edges of their product.
//!
//! A state of the product is a state of each automaton, and there may be few; but between two of
//! them there is an edge for each combination of edges, three to the power of n for n automata with
//! one state and three edges each. Here the edges of each automaton are kept apart: a step has
//! a set of them for each, and the letters that some combination allows are the conjunction of the
//! disjunctions of their labels.
//!
//! The search is that for Streett conditions (Lichtenstein and Pnueli, POPL 1985; Emerson and Lei,
//! 1987) on components of steps: an edge can be taken if its label shares a letter with that
//! conjunction. A clause `Fin(f) | Inf(i)` of an automaton none of whose edges with `i` can be
//! taken bans its edges with `f`, and the component is taken apart again. If you want an
//! automaton and not a word, see [`super::intersection`].

use std::collections::{BTreeMap, VecDeque};

use hashbrown::HashMap;

use super::membership::{accepted_word, definite};
use super::parts::{first_edges, import_labels, join_propositions};
use super::{intersection, trim};
use crate::acceptance::Clause;
use crate::automaton::{Automaton, Builder, StateId};
use crate::letters::{Cube, Label, Letters};
use crate::marks::{MarkSet, MarkSetId};
use crate::refused::{BudgetError, Limits, Resource};
use crate::scc::Components;
use crate::word::{DefiniteWord, Word};

/// A word that all automata accept, over the union of their propositions, or `None` if there is
/// none. Conditions other than Streett's are decided by way of the intersection.
///
/// ```
/// use fairly_omega::{Limits, formats::hoa, ops};
/// let often = |name: &str| {
///     let text = format!("HOA: v1 Start: 0 AP: 1 \"{name}\" Acceptance: 1 Inf(0)
///                         --BODY-- State: 0 [0] 0 {{0}} [!0] 0 --END--");
///     hoa::parse(&text).unwrap().remove(0)
/// };
/// let automata: Vec<_> = (0..30).map(|at| often(&format!("p{at}"))).collect();
/// assert!(ops::common_word(&automata, Limits::default()).unwrap().is_some());
/// ```
///
/// # Errors
/// When there are too many states or steps between them.
pub fn common_word(
    automata: &[Automaton],
    limits: Limits,
) -> Result<Option<DefiniteWord>, BudgetError> {
    let clauses = |automaton: &Automaton| {
        let clauses = automaton.acceptance().clauses()?;
        clauses.iter().all(|clause| clause.fin.len() <= 1).then_some(clauses)
    };
    let Some(clauses) = automata.iter().map(clauses).collect::<Option<Vec<_>>>() else {
        let mut all = automata.iter();
        let first = all.next().map_or_else(|| Builder::new(Vec::new()).build(), trim);
        let product = all.try_fold(first, |left, right| intersection(&left, right, limits))?;
        return accepted_word(&product);
    };
    let all: Vec<&Automaton> = automata.iter().collect();
    let (propositions, renames) = join_propositions(&all);
    let mut letters = Letters::new();
    let mut labels = Vec::new();
    for (automaton, rename) in automata.iter().zip(&renames) {
        labels.push(import_labels(automaton, rename, &mut letters)?);
    }
    let mut joint =
        Joint { automata, labels, clauses, letters, nodes: Vec::new(), steps: Vec::new() };
    joint.explore(limits)?;
    let Some(Word { stem, cycle }) = joint.search()? else { return Ok(None) };
    let count = propositions.len();
    let cubes = |labels: Vec<Label>| -> Vec<Cube> {
        labels.into_iter().map(|label| definite(&joint.letters, label, count)).collect()
    };
    let (stem, cycle) = (cubes(stem), cubes(cycle));
    Ok(Some(DefiniteWord { propositions, stem, cycle }))
}

/// A step between two states of the product: for each automaton its edges.
struct Step {
    to: usize,
    edges: Vec<Vec<(Label, MarkSetId)>>,
}

/// Several automata, and the states of their product.
struct Joint<'a> {
    automata: &'a [Automaton],
    /// The label of each edge, in a common store.
    labels: Vec<Vec<Label>>,
    clauses: Vec<Vec<Clause>>,
    letters: Letters,
    nodes: Vec<Vec<StateId>>,
    steps: Vec<Vec<Step>>,
}

/// A step that can be taken: from, its number, the letters, to.
#[derive(Clone, Copy)]
struct Live {
    from: usize,
    nth: usize,
    letters: Label,
    to: usize,
}

impl Joint<'_> {
    /// Finds the states of the product; those at the front are initial.
    fn explore(&mut self, limits: Limits) -> Result<(), BudgetError> {
        let first: Vec<Vec<usize>> = self.automata.iter().map(first_edges).collect();
        let mut numbers: HashMap<Vec<StateId>, usize> = HashMap::new();
        let mut starts: Vec<Vec<StateId>> = vec![Vec::new()];
        for automaton in self.automata {
            let longer = starts.iter().flat_map(|start| {
                let with = |&state| start.iter().copied().chain([state]).collect::<Vec<_>>();
                automaton.initial().iter().map(with)
            });
            starts = longer.collect();
            if starts.len() > limits.states {
                return Err(BudgetError { resource: Resource::States, limit: limits.states });
            }
        }
        for start in starts {
            numbers.insert(start.clone(), self.nodes.len());
            self.nodes.push(start);
        }
        let mut edges = 0;
        while self.steps.len() < self.nodes.len() {
            let node = self.nodes[self.steps.len()].clone();
            let mut ways: Vec<(Label, Vec<StateId>)> = vec![(Label::TRUE, Vec::new())];
            let mut by_target: Vec<BTreeMap<StateId, Vec<(Label, MarkSetId)>>> = Vec::new();
            for (part, &state) in node.iter().enumerate() {
                let mut targets: BTreeMap<StateId, Vec<(Label, MarkSetId)>> = BTreeMap::new();
                for (nth, edge) in self.automata[part].edges(state).iter().enumerate() {
                    let label = self.labels[part][first[part][state.index()] + nth];
                    targets.entry(edge.target).or_default().push((label, edge.marks));
                }
                let mut next = Vec::new();
                for (label, way) in &ways {
                    for (&target, edges) in &targets {
                        let mut any = Label::FALSE;
                        for &(label, _) in edges {
                            any = self.letters.or(any, label)?;
                        }
                        let label = self.letters.and(*label, any)?;
                        if label != Label::FALSE {
                            let way = way.iter().copied().chain([target]).collect();
                            next.push((label, way));
                        }
                    }
                    if edges + next.len() > limits.edges {
                        return Err(BudgetError { resource: Resource::Edges, limit: limits.edges });
                    }
                }
                ways = next;
                by_target.push(targets);
            }
            edges += ways.len();
            let mut steps = Vec::with_capacity(ways.len());
            for (_, targets) in ways {
                let edges = by_target.iter().zip(&targets).map(|(of, target)| of[target].clone());
                let edges = edges.collect();
                let fresh = self.nodes.len();
                let to = *numbers.entry(targets).or_insert_with_key(|targets| {
                    self.nodes.push(targets.clone());
                    fresh
                });
                if self.nodes.len() > limits.states {
                    return Err(BudgetError { resource: Resource::States, limit: limits.states });
                }
                steps.push(Step { to, edges });
            }
            self.steps.push(steps);
        }
        Ok(())
    }

    /// The letters of a word that all accept.
    fn search(&mut self) -> Result<Option<Word>, BudgetError> {
        let nothing = vec![MarkSet::new(); self.automata.len()];
        let everywhere: Vec<usize> = (0..self.nodes.len()).collect();
        let all = self.live(&everywhere, &nothing)?;
        let mut todo = vec![(everywhere, nothing)];
        while let Some((nodes, banned)) = todo.pop() {
            let live = self.live(&nodes, &banned)?;
            let components = self.components(&live);
            for id in components.ids().filter(|&id| !components.is_trivial(id)) {
                let inside: Vec<Live> = live
                    .iter()
                    .copied()
                    .filter(|step| {
                        let [from, to] = [step.from, step.to].map(StateId::from_index);
                        components.component(from) == Some(id) && components.together(from, to)
                    })
                    .collect();
                let members = components.members(id).iter().map(|state| state.index()).collect();
                match self.judge(&inside, &banned)? {
                    Judgement::Rejected => {}
                    Judgement::Ban(banned) => todo.push((members, banned)),
                    Judgement::Accepted(met) => return Ok(Some(self.word(&all, &inside, &met))),
                }
            }
        }
        Ok(None)
    }

    /// The steps between these states that can be taken without edges with a banned mark.
    fn live(&mut self, nodes: &[usize], banned: &[MarkSet]) -> Result<Vec<Live>, BudgetError> {
        let among: hashbrown::HashSet<usize> = nodes.iter().copied().collect();
        let mut live = Vec::new();
        for &from in nodes {
            for (nth, step) in self.steps[from].iter().enumerate() {
                if !among.contains(&step.to) {
                    continue;
                }
                let mut letters = Label::TRUE;
                for (part, edges) in step.edges.iter().enumerate() {
                    let mut any = Label::FALSE;
                    for &(label, marks) in edges {
                        if !self.automata[part].marks(marks).intersects(&banned[part]) {
                            any = self.letters.or(any, label)?;
                        }
                    }
                    letters = self.letters.and(letters, any)?;
                }
                if letters != Label::FALSE {
                    live.push(Live { from, nth, letters, to: step.to });
                }
            }
        }
        Ok(live)
    }

    fn components(&self, live: &[Live]) -> Components {
        let mut builder = Builder::new(Vec::new());
        builder.add_states(self.nodes.len());
        for step in live {
            let [from, to] = [step.from, step.to].map(StateId::from_index);
            builder.add_edge(from, Label::TRUE, MarkSet::new(), to);
        }
        builder.set_initial((0..self.nodes.len()).map(StateId::from_index).collect());
        Components::of(&builder.build())
    }

    /// Evaluates the clauses on a component of steps.
    fn judge(&mut self, inside: &[Live], banned: &[MarkSet]) -> Result<Judgement, BudgetError> {
        let mut met = Vec::new();
        let mut more = banned.to_vec();
        for part in 0..self.automata.len() {
            for at in 0..self.clauses[part].len() {
                let Clause { fin, inf } = self.clauses[part][at].clone();
                if let Some(step) = self.taken(inside, part, &banned[part], &inf)? {
                    met.push(step);
                } else if fin.is_empty() {
                    return Ok(Judgement::Rejected);
                } else if self.taken(inside, part, &banned[part], &fin)?.is_some() {
                    more[part].union_with(&fin);
                }
            }
        }
        Ok(if more == banned { Judgement::Accepted(met) } else { Judgement::Ban(more) })
    }

    /// A step in which an automaton takes an edge with one of the marks, and the letters for it.
    fn taken(
        &mut self,
        inside: &[Live],
        part: usize,
        banned: &MarkSet,
        marks: &MarkSet,
    ) -> Result<Option<Live>, BudgetError> {
        for step in inside {
            for &(label, carried) in &self.steps[step.from][step.nth].edges[part] {
                let carried = self.automata[part].marks(carried);
                if carried.intersects(marks) && !carried.intersects(banned) {
                    let letters = self.letters.and(label, step.letters)?;
                    if letters != Label::FALSE {
                        return Ok(Some(Live { letters, ..*step }));
                    }
                }
            }
        }
        Ok(None)
    }

    /// From the start into the component, and round in it by way of all steps in `met`.
    fn word(&self, all: &[Live], inside: &[Live], met: &[Live]) -> Word {
        let start = inside[0].from;
        // Initial states are numbered first; any of them will do that leads here.
        let initial: usize = self.automata.iter().map(|it| it.initial().len()).product();
        let stem = (0..initial)
            .find_map(|from| path(all, from, start, self.nodes.len()))
            .expect("every state is reached");
        let mut cycle = Vec::new();
        let mut at = start;
        for step in met.iter().chain(&inside[..usize::from(met.is_empty())]) {
            let way = path(inside, at, step.from, self.nodes.len());
            cycle.extend(way.expect("a component is connected"));
            cycle.push(step.letters);
            at = step.to;
        }
        cycle.extend(path(inside, at, start, self.nodes.len()).expect("a component is connected"));
        Word { stem, cycle }
    }
}

/// Outcome for a component.
enum Judgement {
    Rejected,
    /// Without these marks, some part of it may do.
    Ban(Vec<MarkSet>),
    /// All clauses hold of a cycle that takes all its steps, these among them.
    Accepted(Vec<Live>),
}

/// The letters of a shortest path.
fn path(steps: &[Live], from: usize, to: usize, nodes: usize) -> Option<Vec<Label>> {
    let mut before: Vec<Option<Live>> = vec![None; nodes];
    let mut by_source: Vec<Vec<Live>> = vec![Vec::new(); nodes];
    steps.iter().for_each(|step| by_source[step.from].push(*step));
    let mut todo = VecDeque::from([from]);
    while let Some(at) = todo.pop_front() {
        if at == to {
            break;
        }
        for step in &by_source[at] {
            if step.to != from && before[step.to].is_none() {
                before[step.to] = Some(*step);
                todo.push_back(step.to);
            }
        }
    }
    let mut letters = Vec::new();
    let mut at = to;
    while at != from {
        let step = before[at]?;
        letters.push(step.letters);
        at = step.from;
    }
    letters.reverse();
    Some(letters)
}
