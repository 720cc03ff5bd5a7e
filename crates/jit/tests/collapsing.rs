//! Atomic sequences as single steps, compared with what is said of them at `Collapsed`: by a naive
//! procedure on the graph of all states, with the interpreter and with native code.

use std::collections::{BTreeMap, BTreeSet};

use std::sync::Arc;

use fairly_explore::{Collapsed, Explored};
use fairly_jit::{NativeSpace, Settings};
use fairly_model::{Atomicity, Edge, Expr, Limits, Model, ModelSpace, text, verify};
use fairly_modelkit::{cases, first_seed, lively_model};
use fairly_omega::StateId;
use fairly_system::{
    ActionId, FaultKind, MoveId, Sequences, Signature, Space, Transition, TransitionSystem,
};
use fairly_testkit::Rng;

/// Larger graphs are not looked at.
const STATES: usize = 300;
/// Steps of one state, with the moves on the way, that are looked at.
const WAYS: usize = 3000;

type Row = Vec<u64>;

/// Target of a step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Row(Row),
    Fault(String),
}

/// A step: its event, which moves are made, and where it leads.
type Step = (String, BTreeSet<String>, Target);

/// Enabled actions: an event and moves.
type Enabled = (String, BTreeSet<String>);

/// A step of the interpreter, and whether a process holds after it.
type Raw = (Step, bool);

fn shown(space: &ModelSpace, action: ActionId) -> (String, Vec<String>) {
    let signature: &Signature = space.signature();
    let action = signature.action(action);
    // Moves are numbered as they are met.
    let part = |id: &MoveId| {
        let event = signature.moves[id.index()].event;
        format!("{:?} {}", space.part(*id), signature.event_name(event))
    };
    let event = signature.event_name(action.event).to_owned();
    (event, action.moves.iter().map(part).collect())
}

/// All states of the interpreter, with their steps; `None` if there are too many.
fn graph(model: &Model) -> Option<(Row, BTreeMap<Row, Vec<Raw>>)> {
    let mut system = Explored::new(ModelSpace::new(model.clone(), None));
    let start = system.initial()[0];
    if system.fault(start).is_some() {
        return None;
    }
    let first = system.row(start);
    let mut graph = BTreeMap::new();
    let mut open = vec![start];
    while let Some(state) = open.pop() {
        let row = system.row(state);
        if graph.contains_key(&row) {
            continue;
        }
        if graph.len() == STATES {
            return None;
        }
        let mut out = Vec::new();
        system.enabled(state, &mut out);
        let mut steps = Vec::new();
        for step in out {
            let (event, moves) = shown(system.space(), step.action);
            let target = match system.fault(step.target) {
                Some(fault) => Target::Fault(fault.message.clone()),
                None => {
                    open.push(step.target);
                    Target::Row(system.row(step.target))
                }
            };
            let held = system.own_row(step.target).is_some_and(|row| system.space().is_held(&row));
            steps.push(((event, moves.into_iter().collect(), target), held));
        }
        graph.insert(row, steps);
    }
    Some((first, graph))
}

/// The states that are reached in one step or more in which a process holds all the time.
fn inside(graph: &BTreeMap<Row, Vec<Raw>>, from: &Row) -> BTreeSet<Row> {
    let mut found = BTreeSet::new();
    let mut open = vec![from.clone()];
    while let Some(row) = open.pop() {
        for ((_, _, target), held) in &graph[&row] {
            if let (Target::Row(target), true) = (target, held)
                && found.insert(target.clone())
            {
                open.push(target.clone());
            }
        }
    }
    found
}

/// Whether two states, in which a process holds, are on one cycle on which it always does.
fn together(graph: &BTreeMap<Row, Vec<Raw>>, one: &Row, other: &Row) -> bool {
    inside(graph, one).contains(other) && inside(graph, other).contains(one)
}

/// The steps of a state by definition, and what is enabled beside them; `None` if there are too many.
fn expected(
    graph: &BTreeMap<Row, Vec<Raw>>,
    from: &Row,
    is_held: bool,
) -> Option<(BTreeSet<Step>, BTreeSet<Enabled>)> {
    let (mut steps, mut leaving) = (BTreeSet::new(), BTreeSet::new());
    if is_held && together(graph, from, from) {
        for (step, held) in &graph[from] {
            match &step.2 {
                Target::Row(row) if *held && together(graph, from, row) => {
                    steps.insert(step.clone());
                }
                _ => {
                    leaving.insert((step.0.clone(), step.1.clone()));
                }
            }
        }
        return Some((steps, leaving));
    }
    let mut known = BTreeSet::new();
    let mut open = vec![(from.clone(), None, BTreeSet::new())];
    while let Some((row, event, moves)) = open.pop() {
        if known.len() > WAYS {
            return None;
        }
        for ((own, more, target), held) in &graph[&row] {
            let event: String = event.clone().unwrap_or_else(|| own.clone());
            let moves: BTreeSet<String> = moves.union(more).cloned().collect();
            let step = (event.clone(), moves.clone(), target.clone());
            match target {
                Target::Row(next) if *held => {
                    let enters = together(graph, next, next) && !together(graph, &row, next);
                    if enters {
                        steps.insert(step);
                    }
                    if known.insert((next.clone(), event.clone(), moves.clone())) {
                        open.push((next.clone(), Some(event), moves));
                    }
                }
                _ => {
                    steps.insert(step);
                }
            }
        }
    }
    Some((steps, leaving))
}

fn found(Both { model, system }: &mut Both, state: StateId) -> (Vec<Step>, Vec<Transition>) {
    let mut out = Vec::new();
    system.enabled(state, &mut out);
    let mut again = Vec::new();
    system.enabled_in_all(&[state], &mut again, &mut Vec::new());
    assert_eq!(out, again, "the same state has the same steps");
    let show = |step: &Transition| {
        let (event, moves) = shown(model, step.action);
        let set: BTreeSet<String> = moves.iter().cloned().collect();
        assert_eq!(set.len(), moves.len(), "each move is listed once");
        let target = match system.fault(step.target) {
            Some(fault) => Target::Fault(fault.message.clone()),
            None => Target::Row(system.row(step.target)),
        };
        (event, set, target)
    };
    (out.iter().map(show).collect(), out)
}

/// A random model with many atomic sequences.
fn atomic_model(rng: &mut Rng) -> Model {
    let mut model = lively_model(rng);
    model.atomicity = Atomicity::Exclusive;
    let holds = u32::try_from(1 + rng.below(8)).expect("few");
    let locations = model.templates.iter_mut().flat_map(|template| &mut template.locations);
    let edges = locations.filter_map(|location| location.edges.as_mut()).flatten();
    for edge in edges {
        let edge: &mut Edge = edge;
        edge.hold = rng.chance(holds, 8);
        if rng.chance(1, 4) {
            edge.guard = Expr::TRUE;
        }
    }
    model
}

/// A model, and its system with sequences as single steps.
struct Both {
    model: Arc<ModelSpace>,
    system: Explored<Arc<dyn Space>>,
}

fn collapsed(model: &Model, limits: Limits, natively: bool) -> Both {
    let mut space = ModelSpace::new(model.clone(), None);
    space.set_limits(limits);
    let model = Arc::new(space);
    let settings = Settings { sequences: true, ..Settings::EAGER };
    let native = NativeSpace::new(Arc::clone(&model), settings).filter(|_| natively);
    let space: Arc<dyn Space> = match native {
        Some(native) => Arc::new(Collapsed::new(Arc::new(native))),
        None => Arc::new(Collapsed::new(Arc::clone(&model))),
    };
    Both { model, system: Explored::new(space) }
}

#[derive(Default)]
struct Tally {
    states: usize,
    shown: usize,
    left: usize,
    inside: usize,
}

fn compare(model: &Model, tally: &mut Tally) -> Result<(), String> {
    let Some((first, graph)) = graph(model) else { return Ok(()) };
    for natively in [false, true] {
        let mut both = collapsed(model, Limits::default(), natively);
        let mut open = both.system.initial();
        let mut seen: BTreeSet<Row> = BTreeSet::from([first.clone()]);
        while let Some(state) = open.pop() {
            let row = both.system.row(state);
            let is_held = both.model.is_held(&row);
            let Some((steps, leaving)) = expected(&graph, &row, is_held) else { return Ok(()) };
            let (found, transitions) = found(&mut both, state);
            let Both { model: space, system } = &mut both;
            let all: BTreeSet<Step> = found.iter().cloned().collect();
            let is_listed_once = all.len() == found.len();
            if all != steps || !is_listed_once {
                return Err(format!(
                    "natively: {natively}, in {}\nexpected {steps:#?}\nfound {found:#?}",
                    system.describe(state)
                ));
            }
            let mut left = Vec::new();
            system.left_out(state, &mut left);
            assert_eq!(system.is_committed(state), !left.is_empty());
            let left: BTreeSet<_> = left.iter().map(|&action| shown(space, action)).collect();
            let left: BTreeSet<Enabled> = left
                .into_iter()
                .map(|(event, moves)| (event, moves.into_iter().collect()))
                .collect();
            if left != leaving {
                return Err(format!("{leaving:#?} leave, and not {left:#?}"));
            }
            tally.states += 1;
            tally.shown += usize::from(is_held);
            tally.left += usize::from(!left.is_empty());
            tally.inside += inside(&graph, &row).len();
            for step in transitions {
                if system.fault(step.target).is_none() && seen.insert(system.row(step.target)) {
                    open.push(step.target);
                }
            }
        }
    }
    Ok(())
}

#[test]
fn sequences_are_what_they_are_by_definition() {
    let mut tally = Tally::default();
    for seed in first_seed(1)..first_seed(1) + cases(1500) {
        let model = atomic_model(&mut Rng::new(seed));
        assert_eq!(verify(&model), Ok(()), "seed {seed}");
        if let Err(difference) = compare(&model, &mut tally) {
            panic!(
                "FAIRLY_SEED={seed} FAIRLY_RANDOM_CASES=1\n{}\n{difference}",
                text::print(&model)
            )
        }
    }
    let Tally { states, shown, left, inside } = tally;
    println!(
        "{states} states, {shown} in endless sequences, {left} that can be left; {inside} inside"
    );
    assert!(shown > 100 && left > 20 && inside > states, "{states} {shown} {left} {inside}");
}

/// Small limits: both agree where they are reached, and whatever is found is right.
#[test]
fn limits_are_the_same_for_both() {
    let mut reached = 0;
    for seed in first_seed(1)..first_seed(1) + cases(600) {
        let mut rng = Rng::new(seed);
        let model = atomic_model(&mut rng);
        let (inside, ways) = match rng.chance(1, 2) {
            true => (1 + rng.below(4), 1 + rng.below(8)),
            false => (1 + rng.below(60), 1 + rng.below(120)),
        };
        let limits = Limits { inside, ways, ..Limits::default() };
        let Some((_, graph)) = graph(&model) else { continue };
        let mut both = [false, true].map(|natively| collapsed(&model, limits, natively));
        let mut open = vec![[0, 1].map(|at: usize| both[at].system.initial()[0])];
        let mut seen = BTreeSet::new();
        while let Some(states) = open.pop() {
            let row = both[0].system.row(states[0]);
            let is_held = both[0].model.is_held(&row);
            if !seen.insert(row.clone()) {
                continue;
            }
            let [one, other] = [0, 1].map(|at| found(&mut both[at], states[at]));
            let [mut ours, mut theirs] = [&one.0, &other.0].map(|all| {
                let numbered = all.iter().enumerate().map(|(at, step)| (step.clone(), at));
                numbered.collect::<Vec<_>>()
            });
            ours.sort();
            theirs.sort();
            let shown =
                |all: &[(Step, usize)]| all.iter().map(|it| it.0.clone()).collect::<Vec<_>>();
            assert_eq!(shown(&ours), shown(&theirs), "FAIRLY_SEED={seed} FAIRLY_RANDOM_CASES=1");
            if let Some((steps, _)) = expected(&graph, &row, is_held) {
                let is_limit = |at: usize| {
                    let fault = both[0].system.fault(one.1[at].target);
                    fault.is_some_and(|fault| {
                        fault.kind == FaultKind::Limit && fault.message.contains("atomic sequence")
                    })
                };
                let is_cut = (0..one.0.len()).any(is_limit);
                reached += usize::from(is_cut);
                for (at, step) in one.0.iter().enumerate() {
                    assert!(is_limit(at) || steps.contains(step), "seed {seed}: {step:?}");
                }
                assert!(is_cut || one.0.len() == steps.len(), "FAIRLY_SEED={seed}");
            }
            for (a, b) in ours.iter().zip(&theirs) {
                let targets = [one.1[a.1].target, other.1[b.1].target];
                if both[0].system.fault(targets[0]).is_none() {
                    open.push(targets);
                }
            }
        }
    }
    println!("{reached} limits");
    assert!(reached > 50, "{reached}");
}
