//! Whole searches with a processor in place of a card, compared with the interpreter and the other engines.

mod twin;

use std::collections::HashSet;
use std::sync::Arc;

use fairly_explore::{Collapsed, Explored};
use fairly_fairness::{Level, Notion};
use fairly_logic::Formulas;
use fairly_model::{Model, ModelSpace, text};
use fairly_modelkit::{Shape, cases, first_seed, lively_model, random_model};
use fairly_omega::Acceptance;
use fairly_search::engines::Asked;
use fairly_search::{Binding, Bounds, Engine, Negation, Product};
use fairly_system::{EventPosition, Fault, FaultKind, Sequences, Space, Steps};
use fairly_testkit::Rng;
use fairly_translate::translate;

use self::twin::Twin;
use fairly_gpu::{Ended, GpuError, Limits, Question, Sought, fair_run_exists, reach};

/// Larger random models are not compared.
const STATES: usize = 3000;

/// What is known of a space from going through it.
struct Known {
    states: u64,
    steps: u64,
    /// The rows with their distances, the nearest first, and whether they have no steps.
    rows: Vec<(Vec<u64>, usize, bool)>,
}

impl Known {
    /// The distance of the nearest row of which something is true.
    fn nearest(&self, mut is_sought: impl FnMut(&[u64], bool) -> bool) -> Option<usize> {
        let mut rows = self.rows.iter();
        rows.find(|(row, _, is_stuck)| is_sought(row, *is_stuck)).map(|(_, distance, _)| *distance)
    }
}

/// Goes through a space; `None` if it is large, or a step reaches a limit.
fn explored(space: &dyn Space) -> Option<Known> {
    let (mut scratch, mut steps) = (space.scratch(), Steps::default());
    space.initial(&mut scratch, &mut steps);
    if !steps.faults.is_empty() {
        return None;
    }
    let width = space.width();
    let mut seen: HashSet<Vec<u64>> = steps.rows.chunks_exact(width).map(<[u64]>::to_vec).collect();
    let mut rows: Vec<(Vec<u64>, usize, bool)> =
        seen.iter().map(|row| (row.clone(), 0, false)).collect();
    let (mut count, mut at) = (0, 0);
    while at < rows.len() {
        let (row, distance, _) = rows[at].clone();
        steps.clear();
        space.expand(&row, &mut scratch, &mut steps);
        let is_limit = |fault: &Fault| fault.kind == FaultKind::Limit;
        if steps.faults.iter().any(|(_, fault)| is_limit(fault)) || seen.len() > STATES {
            return None;
        }
        rows[at].2 = steps.actions.is_empty() && steps.omitted.is_empty();
        at += 1;
        count += steps.actions.len() as u64;
        for (step, target) in steps.rows.chunks_exact(width).enumerate() {
            if steps.fault(step).is_none() && seen.insert(target.to_vec()) {
                rows.push((target.to_vec(), distance + 1, false));
            }
        }
    }
    Some(Known { states: rows.len() as u64, steps: count, rows })
}

fn collapsed(model: &Arc<ModelSpace>) -> Arc<dyn Space> {
    match model.may_hold() {
        true => Arc::new(Collapsed::new(Arc::clone(model))),
        false => Arc::clone(model) as Arc<dyn Space>,
    }
}

/// Compares the numbers of states and steps, and how far it is to a proposition and to a state without steps: the states
/// that were met, and the rows of which the interpreter made the steps. `None` if the card refuses.
fn compare(model: Model) -> Option<(u64, u64)> {
    let model = Arc::new(ModelSpace::new(model, None));
    let space = collapsed(&model);
    let known = explored(&*space)?;
    // Little room, so that the table grows.
    let limits = Limits { slots: Some(64), ..Limits::default() };
    let ask = |sought: &Sought<'_>| {
        let mut twin = Twin::new()?;
        match reach(&mut twin, &*space, &model, sought, limits) {
            Ok(reached) => Some(reached),
            Err(GpuError::Refused(_)) => None,
            Err(failed) => panic!("{failed}"),
        }
    };
    let all = ask(&Sought::default())?;
    assert_eq!(all.ended, Ended::Exhausted);
    assert_eq!((all.states, all.steps), (known.states, known.steps));
    let distance = |ended: &Ended| match ended {
        Ended::Found(found) => Some(found.rows.len() - 1),
        Ended::Exhausted => None,
        ended => panic!("{ended:?}"),
    };
    if let Some((name, _)) = model.model().propositions.first() {
        let goal = model.atom(name).expect("it is there");
        let scratch = &mut space.scratch();
        let nearest = known.nearest(|row, _| space.holds(row, goal, scratch));
        if let Some(found) = ask(&Sought { goal: Some(goal), ..Sought::default() }) {
            assert_eq!(distance(&found.ended), nearest, "{name}");
        }
    }
    let anywhere = |_: &[u64]| true;
    let sought = Sought { stuck: Some(&anywhere), asks_ends: true, ..Sought::default() };
    if let Some(found) = ask(&sought) {
        assert_eq!(distance(&found.ended), known.nearest(|_, is_stuck| is_stuck));
    }
    Some((all.states, all.declined))
}

#[test]
fn random_models_have_the_rows_of_the_interpreter() {
    if Twin::new().is_none() {
        println!("skipped: there is no C compiler");
        return;
    }
    let (mut states, mut declined, mut compared) = (0, 0, 0);
    for seed in first_seed(1)..first_seed(1) + cases(40) {
        let mut rng = Rng::new(seed);
        let model = match seed % 2 {
            0 => lively_model(&mut rng),
            _ => random_model(&mut rng, &Shape::default()),
        };
        println!("seed {seed}");
        if let Some((all, left)) = compare(model) {
            states += all;
            declined += left;
            compared += 1;
        }
    }
    println!("{compared} models, {states} states, {declined} declined");
    assert!(compared > 0 && declined < states);
}

/// A counter of two words whose bits are all used, and one that fits a word with none to spare.
#[test]
fn rows_of_every_width_are_told_apart() {
    if Twin::new().is_none() {
        println!("skipped: there is no C compiler");
        return;
    }
    for words in 1..4 {
        let variables: String = (0..words)
            .map(|at| {
                format!(
                    "variable g{at} x{at} : wrap -9223372036854775808..9223372036854775807 = -3\n"
                )
            })
            .collect();
        let edges: String = (0..words)
            .map(|at| format!("-> q0 if g{at} < 6 on e1 do {{ g{at} := g{at} + 1 }} as up\n"))
            .collect();
        let text = format!(
            "model atomicity priority, exit any\nevent e0 idle : idle\nevent e1 up : visible\n{variables}\
             template t0 P parameters 0 {{ location q0 here {{ {edges} }} }}\nslot p0 P : t0 start t0()"
        );
        let Ok(model) = text::parse(&text) else { panic!("{text}") };
        let (states, declined) = compare(model).expect("few states");
        assert_eq!((states, declined), (10u64.pow(words), 0));
    }
}

/// Formulas over a proposition of states and an event: what runs are looked for.
const FORMULAS: [&str; 8] = [
    "true",
    "G F p",
    "F G !p",
    "G F e",
    "F G !e",
    "F (p & G !e)",
    "G (p -> F !p) & G F e",
    "(G F p -> G F e) & F G (p | !e)",
];

/// What is assumed.
const NOTIONS: [Notion; 6] = [
    Notion::None,
    Notion::Weak(Level::Process),
    Notion::Strong(Level::Process),
    Notion::Weak(Level::Event),
    Notion::Strong(Level::Event),
    Notion::Strong(Level::Action),
];

/// Asks both whether there is a fair run; `None` if the card refuses.
fn compare_runs(model: Model, rng: &mut Rng) -> Option<bool> {
    let model = Arc::new(ModelSpace::new(model, None));
    let space = collapsed(&model);
    explored(&*space)?;
    let mut formulas = Formulas::new();
    let formula = formulas.parse(rng.pick::<&str>(&FORMULAS)).expect("a formula");
    let automaton = translate(&mut formulas, formula, &Default::default()).expect("a small one");
    let names: Vec<String> = model.model().propositions.iter().map(|it| it.0.clone()).collect();
    let state = names.first().and_then(|name| model.atom(name));
    let event = rng.pick(&model.signature().event_ids().collect::<Vec<_>>()).to_owned();
    let binding = |name: &String| match (name.trim_matches('"'), state) {
        ("p", Some(atom)) => Some(Binding::State(atom)),
        ("p", None) => None,
        _ => Some(Binding::Event(event.into())),
    };
    let bindings: Vec<Binding> =
        automaton.propositions().iter().map(binding).collect::<Option<_>>()?;
    let reading = *rng.pick(&[EventPosition::Leaving, EventPosition::Entering]);
    let negation = || Negation::new(&automaton, bindings.clone()).reading(reading);
    let constraints = match rng.pick(&NOTIONS) {
        Notion::None => Vec::new(),
        notion => notion.constraints(model.signature())?,
    };
    let mut system = Explored::of(Arc::clone(&space));
    let mut product = Product::new(&mut system, negation(), constraints.clone());
    let engine = Engine::general();
    let searched =
        engine.search(&mut product, Bounds::default(), Asked::default()).expect("an answer");
    assert_eq!(searched.cut, None);
    let mut twin = Twin::new()?;
    let question = Question { negation: negation(), constraints };
    let limits = Limits { slots: Some(64), ..Limits::default() };
    match fair_run_exists(&mut twin, &*space, &model, &question, limits) {
        Ok(hull) => {
            assert_eq!(hull.exists, Some(searched.lasso.is_some()), "{formula:?} {hull:?}");
            if searched.lasso.is_none() {
                assert_eq!(hull.product.0, searched.effort.nodes as u64);
                assert_eq!(hull.states, product.system_size().0 as u64);
            }
            hull.exists
        }
        Err(GpuError::Refused(_)) => None,
        Err(failed) => panic!("{failed}"),
    }
}

#[test]
fn random_models_have_the_fair_runs_of_another_engine() {
    if Twin::new().is_none() {
        println!("skipped: there is no C compiler");
        return;
    }
    let mut answers = [0; 3];
    let first = first_seed(1);
    for seed in first..first + cases(150) {
        let mut rng = Rng::new(seed);
        println!("seed {seed}");
        let shape = Shape { timeout: false, atomic: false, ..Shape::default() };
        let model =
            if rng.chance(1, 2) { lively_model(&mut rng) } else { random_model(&mut rng, &shape) };
        let answer = compare_runs(model, &mut rng);
        answers[answer.map_or(2, usize::from)] += 1;
    }
    println!("no run, a run, refused: {answers:?}");
    assert!(answers[0] > 0 && answers[1] > 0);
}

/// Three processes that take turns at two resources, under the notions that make a difference.
#[test]
fn strong_fairness_is_more_than_weak_fairness() {
    let text = "model atomicity priority, exit any
        event e0 idle : idle
        event e1 take : visible
        event e2 give : visible
        variable g0 free : 0..1 = 1
        template t0 P parameters 0 {
          location q0 out { -> q1 if g0 == 1 on e1 do { g0 := 0 } as take }
          location q1 in { -> q0 on e2 do { g0 := 1 } as give }
        }
        slot p0 A : t0 start t0()
        slot p1 B : t0 start t0()
        proposition inside : t0[0].{q1}";
    let model = Arc::new(ModelSpace::new(text::parse(text).expect("a model"), None));
    let mut formulas = Formulas::new();
    let never = formulas.parse("F G !inside").expect("a formula");
    let automaton = translate(&mut formulas, never, &Default::default()).expect("a small one");
    let atom = model.atom("inside").expect("it");
    assert_eq!(*automaton.acceptance(), Acceptance::buchi());
    for (notion, expected) in
        [(Notion::Weak(Level::Process), true), (Notion::Strong(Level::Process), false)]
    {
        let Some(mut twin) = Twin::new() else {
            println!("skipped: there is no C compiler");
            return;
        };
        let constraints = notion.constraints(model.signature()).expect("they are known");
        let negation = Negation::new(&automaton, vec![Binding::State(atom)]);
        let question = Question { negation, constraints };
        let hull = fair_run_exists(&mut twin, &*model, &model, &question, Limits::default());
        let hull = hull.expect("an answer");
        assert_eq!((hull.exists, hull.states), (Some(expected), 3), "{notion}");
    }
}
