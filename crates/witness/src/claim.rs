//! Does an automaton accept the run?
//!
//! For properties that are given by an automaton of the runs that violate them, as SPIN's never
//! claims are. The answer is worked out from the definition: the automaton has an accepting run on the word if a
//! cycle of positions and states can be reached whose marks satisfy the condition. No engine, no product and no
//! decomposition of `omega` takes part; only the automaton itself and its condition are read.

use fairly_omega::{Automaton, BudgetError, Disjunct, MarkSet, Prop, StateId, Stop};
use fairly_system::{Run, RunStep, TransitionSystem};

use crate::formula::Meaning;

/// Positions between two questions whether to stop.
const ASKED: usize = 1 << 14;
/// More disjuncts of a condition are not looked at.
const DISJUNCTS: usize = 1 << 12;

/// Whether the automaton accepts the run. `meaning` tells what each of its propositions stands for;
/// events are read where they leave a state.
///
/// # Errors
/// When the automaton's condition has too many disjuncts.
pub fn accepted<S: TransitionSystem>(
    system: &S,
    run: &Run,
    automaton: &Automaton,
    meaning: impl Fn(Prop) -> Meaning,
) -> Result<bool, BudgetError> {
    let known = accepted_until(system, run, automaton, meaning, Stop::default())?;
    Ok(known.expect("there is no time to stop"))
}

/// The same; `None` if it is time to stop before that is known.
///
/// # Errors
/// As [`accepted`].
pub fn accepted_until<S: TransitionSystem>(
    system: &S,
    run: &Run,
    automaton: &Automaton,
    meaning: impl Fn(Prop) -> Meaning,
    stop: Stop,
) -> Result<Option<bool>, BudgetError> {
    let holds = |step: &RunStep, prop: usize| {
        let prop = Prop(u32::try_from(prop).unwrap_or(u32::MAX));
        match meaning(prop) {
            Meaning::Event(events) => {
                events.contains(system.action(step.action).event, system.signature())
            }
            Meaning::State(atom) => system.holds(step.from, atom),
            Meaning::Among(states) => states.contains(&step.from),
            Meaning::Taken(selector) => {
                selector.selects(system.action(step.action), system.signature())
            }
        }
    };
    let props = 0..automaton.propositions().len();
    let letter = |(at, step): (usize, &RunStep)| {
        let is_late = at.is_multiple_of(ASKED) && stop.is_due();
        (!is_late).then(|| props.clone().map(|prop| holds(step, prop)).collect())
    };
    let letters: Option<Vec<Vec<bool>>> = run.steps().enumerate().map(letter).collect();
    let Some(letters) = letters else { return Ok(None) };
    reads(automaton, &letters, run.stem.len(), stop)
}

/// Whether the automaton accepts the word that reads all letters once and those from `back` on for ever. A letter
/// has the value of each proposition. `None` if it is time to stop before that is known.
///
/// # Errors
/// When the automaton's condition has too many disjuncts.
fn reads(
    automaton: &Automaton,
    letters: &[Vec<bool>],
    back: usize,
    stop: Stop,
) -> Result<Option<bool>, BudgetError> {
    if back >= letters.len() {
        return Ok(Some(false));
    }
    let Some(graph) = Positions::of(automaton, letters, back, stop) else { return Ok(None) };
    for disjunct in &automaton.acceptance().disjuncts(DISJUNCTS)? {
        if stop.is_due() {
            return Ok(None);
        }
        if graph.has_cycle(disjunct, back) {
            return Ok(Some(true));
        }
    }
    Ok(Some(false))
}

/// The states that the automaton can be in at each position, with the steps between them.
struct Positions {
    /// The position of each node.
    at: Vec<usize>,
    /// From each node: the marks of a step, and where it leads.
    steps: Vec<Vec<(MarkSet, usize)>>,
}

impl Positions {
    /// `None` if it is time to stop before all are known.
    fn of(
        automaton: &Automaton,
        letters: &[Vec<bool>],
        back: usize,
        stop: Stop,
    ) -> Option<Positions> {
        const NONE: usize = usize::MAX;
        let states = automaton.state_count();
        let mut number = vec![NONE; states * letters.len()];
        let (mut at, mut nodes): (Vec<usize>, Vec<StateId>) = (Vec::new(), Vec::new());
        let mut node =
            |at: &mut Vec<usize>, nodes: &mut Vec<StateId>, position: usize, state: StateId| {
                let known = &mut number[position * states + state.index()];
                if *known == NONE {
                    *known = nodes.len();
                    at.push(position);
                    nodes.push(state);
                }
                *known
            };
        for &state in automaton.initial() {
            node(&mut at, &mut nodes, 0, state);
        }
        let mut steps = Vec::new();
        while steps.len() < nodes.len() {
            if steps.len().is_multiple_of(ASKED) && stop.is_due() {
                return None;
            }
            let (position, state) = (at[steps.len()], nodes[steps.len()]);
            let next = if position + 1 == letters.len() { back } else { position + 1 };
            let mut own = Vec::new();
            for edge in automaton.edges(state) {
                let value = |prop: Prop| letters[position].get(prop.0 as usize) == Some(&true);
                if automaton.letters().holds(edge.label, value) {
                    let to = node(&mut at, &mut nodes, next, edge.target);
                    own.push((automaton.marks(edge.marks).clone(), to));
                }
            }
            steps.push(own);
        }
        Some(Positions { at, steps })
    }

    /// Whether there is a closed walk without the marks that must not come again, with all of those that must.
    ///
    /// Nodes that reach each other by steps without such marks lie on one closed walk with all of these steps
    /// between them, so it is enough to look at each such set (found by two searches: Kosaraju, Sharir 1981).
    fn has_cycle(&self, disjunct: &Disjunct, back: usize) -> bool {
        let inside = |node: usize| self.at[node] >= back;
        let allowed = |from: usize| {
            let steps = self.steps[from].iter().filter(move |_| inside(from));
            steps.filter(|(marks, _)| !marks.intersects(&disjunct.fin))
        };
        let mut backward: Vec<Vec<usize>> = vec![Vec::new(); self.steps.len()];
        for from in 0..self.steps.len() {
            allowed(from).for_each(|(_, to)| backward[*to].push(from));
        }
        let mut done = vec![false; self.steps.len()];
        let mut order = Vec::new();
        for start in 0..self.steps.len() {
            if std::mem::replace(&mut done[start], true) {
                continue;
            }
            let mut path = vec![(start, allowed(start))];
            while let Some((node, rest)) = path.last_mut() {
                match rest.next() {
                    None => {
                        order.push(*node);
                        path.pop();
                    }
                    Some(&(_, to)) if !std::mem::replace(&mut done[to], true) => {
                        path.push((to, allowed(to)));
                    }
                    Some(_) => {}
                }
            }
        }
        let mut set_of = vec![usize::MAX; self.steps.len()];
        for &root in order.iter().rev() {
            if set_of[root] != usize::MAX {
                continue;
            }
            let mut members = vec![root];
            set_of[root] = root;
            let mut next = 0;
            while next < members.len() {
                for &from in &backward[members[next]] {
                    if set_of[from] == usize::MAX {
                        set_of[from] = root;
                        members.push(from);
                    }
                }
                next += 1;
            }
            let (mut marks, mut is_cycle) = (MarkSet::new(), false);
            for &node in &members {
                for (own, _) in allowed(node).filter(|(_, to)| set_of[*to] == root) {
                    is_cycle = true;
                    own.iter().for_each(|mark| marks.insert(mark));
                }
            }
            if is_cycle && disjunct.inf.iter().all(|mark| marks.contains(mark)) {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use fairly_omega::{Acceptance, Builder, Label, Mark};
    use fairly_testkit::{
        ConditionKind, GraphShape, Rng, TinyCondition, TinyGraph, accepts_word, random_condition,
        random_graph, random_word,
    };

    use super::*;

    fn condition(of: &TinyCondition) -> Acceptance {
        match of {
            TinyCondition::True => Acceptance::True,
            TinyCondition::False => Acceptance::False,
            TinyCondition::Inf(mark) => Acceptance::Inf(Mark(*mark)),
            TinyCondition::Fin(mark) => Acceptance::Fin(Mark(*mark)),
            TinyCondition::And(parts) => Acceptance::and(parts.iter().map(condition)),
            TinyCondition::Or(parts) => Acceptance::or(parts.iter().map(condition)),
        }
    }

    fn automaton(graph: &TinyGraph, of: &TinyCondition, marks: u32) -> Automaton {
        let names = (0..graph.propositions).map(|prop| format!("p{prop}")).collect();
        let mut builder = Builder::new(names);
        builder.add_states(graph.nodes);
        builder.set_acceptance(condition(of), marks);
        graph.initial.iter().for_each(|&node| builder.add_initial(StateId::from_index(node)));
        for edge in &graph.edges {
            let mut label = Label::FALSE;
            for letter in (0..graph.letter_count()).filter(|bit| edge.letters & (1 << bit) != 0) {
                let value = |prop: u32| (Prop(prop), letter & (1 << prop) != 0);
                let cube: Vec<_> = (0..graph.propositions).map(value).collect();
                let letters = builder.letters_mut();
                let cube = letters.cube(&cube).expect("few letters");
                label = letters.or(label, cube).expect("few letters");
            }
            let marks = (0..marks).filter(|mark| edge.marks & (1 << mark) != 0).map(Mark);
            let (from, to) = (StateId::from_index(edge.from), StateId::from_index(edge.to));
            builder.add_edge(from, label, MarkSet::from_iter(marks), to);
        }
        builder.build()
    }

    /// Against the oracle, which enumerates lassos.
    #[test]
    fn random_words() {
        const KINDS: [ConditionKind; 4] = [
            ConditionKind::Buchi,
            ConditionKind::GeneralizedBuchi,
            ConditionKind::Streett,
            ConditionKind::EmersonLei,
        ];
        let mut outcomes = [0; 2];
        for seed in 0..3000 {
            let mut rng = Rng::new(seed);
            let shape = GraphShape { marks: 4, propositions: 2, ..GraphShape::default() };
            let graph = random_graph(&mut rng, &shape);
            let kind = *rng.pick(&KINDS);
            let of = random_condition(&mut rng, kind, shape.marks);
            let (stem, cycle) = (rng.below(3), 1 + rng.below(3));
            let word = random_word(&mut rng, graph.propositions, stem, cycle);
            let letter = |letter: &u8| -> Vec<bool> {
                (0..graph.propositions).map(|prop| letter & (1 << prop) != 0).collect()
            };
            let letters: Vec<Vec<bool>> = word.stem.iter().chain(&word.cycle).map(letter).collect();
            let automaton = automaton(&graph, &of, shape.marks);
            let found = reads(&automaton, &letters, word.stem.len(), Stop::default());
            let found = found.expect("few disjuncts").expect("there is no time to stop");
            assert_eq!(found, accepts_word(&graph, &of, &word), "seed {seed}: {word} {of} {graph}");
            outcomes[usize::from(found)] += 1;
        }
        assert!(outcomes.iter().all(|&count| count > 200), "{outcomes:?}");
    }
}
