//! Reduced systems against whole ones: the same verdicts on random models and networks, under random
//! formulas and fairness, and on the adversarial cases of the papers.
//!
//! `FAIRLY_RANDOM_CASES` raises the number of cases, `FAIRLY_SEED` is the first seed.

#[path = "../../model/tests/common/mod.rs"]
mod given;

use fairly_check::claim::{self, ClaimOutcome, Effort};
use fairly_check::soundness::{Refusal, RowKind, SOUNDNESS};
use fairly_check::{Assumption, Options, Outcome, Property, Reduction, check};
use fairly_fairness::{AnnotationLevel, Constraint, Level, Notion, Predicate, Selector, Strength};
use fairly_logic::Formulas;
use fairly_model::{Collapsed, Expr, Gathering, Interpreter, Label, Model, SlotId, verify};
use fairly_omega::emptiness::{self, Engine};
use fairly_omega::{Acceptance, Automaton, Graph, MarkSet, StateId};
use fairly_reduce::{Reduced, Reducible, Watched};
use fairly_search::{Binding, Bounds, Negation, Product, reach};
use fairly_system::{
    Annotation, ComponentBuilder, Composition, EventReading, Network, ProcessId, TransitionSystem,
};
use fairly_testkit::Rng;
use given::{Shape, cases, first_seed, random_model};

/// What came of many comparisons.
#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    /// Those in which something was left out.
    reduced: usize,
    violated: usize,
    refused: usize,
    /// By which reduction.
    by: Reduction,
}

/// A formula over these propositions, as text: of a form that is often asked for, or any.
fn any_formula(rng: &mut Rng, atoms: &[String]) -> String {
    let (a, b) = (rng.pick(atoms).clone(), rng.pick(atoms).clone());
    match rng.below(12) {
        0 => format!("G F {a}"),
        1 => format!("F G !{a}"),
        2 => format!("G !{a}"),
        3 => format!("F {a}"),
        4 => format!("G ({a} -> F {b})"),
        5 => format!("!{a} U {b}"),
        6 => format!("!{a} W {b}"),
        7 => format!("F ({a} && F {b})"),
        8 => format!("G F {a} -> G F {b}"),
        9 => "false".to_owned(),
        _ => {
            let depth = 1 + rng.below(3) as u32;
            formula(rng, atoms, depth)
        }
    }
}

/// A formula over these propositions, as text.
fn formula(rng: &mut Rng, atoms: &[String], depth: u32) -> String {
    if depth == 0 || rng.chance(1, 6) {
        let atom = rng.pick(atoms).clone();
        return if rng.chance(1, 3) { format!("!{atom}") } else { atom };
    }
    let mut part = || formula(rng, atoms, depth - 1);
    let (a, b) = (part(), part());
    match rng.below(9) {
        0 => format!("(F ({a}))"),
        1 => format!("(G ({a}))"),
        2 => format!("(({a}) U ({b}))"),
        3 => format!("(({a}) R ({b}))"),
        4 => format!("(({a}) W ({b}))"),
        5 => format!("(({a}) && ({b}))"),
        6 => format!("(({a}) || ({b}))"),
        7 => format!("(G F ({a}))"),
        _ => format!("(G (({a}) -> F ({b})))"),
    }
}

const NOTIONS: [Notion; 10] = [
    Notion::None,
    Notion::Weak(Level::Process),
    Notion::Strong(Level::Process),
    Notion::Weak(Level::Event),
    Notion::Strong(Level::Event),
    Notion::Weak(Level::Action),
    Notion::Strong(Level::Action),
    Notion::WeakLive,
    Notion::StrongLive,
    Notion::Annotated(AnnotationLevel::Name),
];

/// A notion and constraints of single processes and events: fairness of some is harder than of all.
fn assumption<S: TransitionSystem>(rng: &mut Rng, system: &mut S) -> Assumption {
    let mut assumption = Assumption::of(match rng.below(3) {
        0 => *rng.pick(&NOTIONS),
        _ => Notion::None,
    });
    let signature = system.signature().clone();
    for _ in 0..rng.below(3) {
        let strength = *rng.pick(&[Strength::Weak, Strength::Strong]);
        let process = ProcessId::from_index(rng.below(signature.processes.len()));
        let event = signature.event_ids().nth(1 + rng.below(signature.events.len() - 1));
        let constraint = match (rng.below(5), event) {
            (0, Some(event)) => Constraint::fair(strength, "e", Selector::Events(event.into())),
            (1, Some(event)) => Constraint::live(strength, "e", Selector::Events(event.into())),
            (2, Some(event)) => {
                Constraint::fair(strength, "part", Selector::Part(process, event.into()))
            }
            (3, _) if !signature.moves.is_empty() => {
                let id = signature.move_ids().nth(rng.below(signature.moves.len()));
                let selector = Selector::Moves(id.into_iter().collect());
                let then = Predicate::Taken(selector.clone());
                let when = match rng.below(3) {
                    0 => Predicate::Taken(Selector::Process(process)),
                    1 => Predicate::Disabled(selector),
                    _ => Predicate::Enabled(selector),
                };
                Constraint { name: "moves".to_owned(), strength, when, then }
            }
            _ => Constraint::fair(strength, "process", Selector::Process(process)),
        };
        assumption.extra.push(constraint);
    }
    assumption
}

fn verdict<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    assumption: &Assumption,
    reduction: Reduction,
) -> Option<(bool, bool, bool)> {
    let bounds = Bounds { nodes: Some(20_000), ..Bounds::default() };
    let options = Options { bounds, reduction, any_run: true, ..Options::default() };
    let verdict = check(system, property, assumption, &options).expect("runs stand up to replay");
    let left_out = !verdict.stamp.reductions.is_empty();
    let refused = verdict.stamp.unreduced.is_some();
    match verdict.outcome {
        Outcome::Holds(_) => Some((true, left_out, refused)),
        Outcome::Violated(_) => Some((false, left_out, refused)),
        _ => None,
    }
}

/// Whether the system has errors, and whether it gets stuck.
fn claims<S: Reducible>(system: &mut S, reduction: Reduction) -> [bool; 2] {
    let effort = Effort { bounds: Bounds::default(), reduction, any_run: true };
    let errors = claim::faultless(system, &[], |_, _| None, effort).expect("no failure");
    let stuck = claim::deadlock_free(system, effort).expect("no failure");
    [errors, stuck].map(|verdict| matches!(verdict.outcome, ClaimOutcome::Holds(_)))
}

/// Compares the system with what a reduction leaves of it, on some formulas.
fn compare<S: Reducible>(
    rng: &mut Rng,
    system: &mut S,
    atoms: &[String],
    tally: &mut Tally,
    what: &dyn Fn() -> String,
) {
    assert_eq!(
        claims(system, Reduction::Off),
        claims(system, tally.by),
        "errors and deadlocks of\n{}",
        what()
    );
    for _ in 0..3 {
        // What few propositions speak of leaves much to be left out.
        let few: Vec<String> = (0..1 + rng.below(2)).map(|_| rng.pick(atoms).clone()).collect();
        let mut text = any_formula(rng, &few);
        if tally.by == Reduction::Symmetry && rng.chance(1, 4) {
            text = format!("G ({} -> X ({text}))", few[0]);
        }
        let reading = *rng.pick(&[EventReading::Leaving, EventReading::Entering]);
        let assumption = assumption(rng, system);
        let ask = |system: &mut S, reduction| {
            let mut formulas = Formulas::new();
            let parsed = formulas.parse(&text).expect("a formula");
            let mut property = Property::bind("it", formulas, parsed, system).ok()?;
            property.reading = reading;
            verdict(system, &mut property, &assumption, reduction)
        };
        let Some((holds, ..)) = ask(system, Reduction::Off) else { continue };
        let Some((same, left_out, refused)) = ask(system, tally.by) else { continue };
        tally.compared += 1;
        tally.reduced += usize::from(left_out);
        tally.violated += usize::from(!holds);
        tally.refused += usize::from(refused);
        assert_eq!(
            holds,
            same,
            "{text} under {assumption} ({:?}), {reading:?}\n{}",
            assumption.extra,
            what()
        );
    }
}

/// A model in which much is independent.
fn loose_model(rng: &mut Rng) -> Model {
    let shape = Shape {
        variables: 1 + rng.below(3),
        channels: rng.below(3),
        templates: 1 + rng.below(3),
        locations: 2 + rng.below(3),
        edges: 1 + rng.below(2),
        slots: 2 + rng.below(2),
        depth: 1,
        timeout: rng.chance(1, 4),
        last_mover: false,
        remote: rng.chance(1, 3),
        atomic: rng.chance(1, 3),
        decorated: false,
    };
    let mut model = random_model(rng, &shape);
    // Effects and guards, but fewer of them, so that processes leave each other alone now and then.
    let locations = model.templates.iter_mut().flat_map(|template| &mut template.locations);
    let atomic = rng.chance(1, 4);
    for location in locations {
        location.atomic &= atomic;
        for edge in location.edges.iter_mut().flatten() {
            if rng.chance(1, 2) {
                edge.effect.clear();
            }
            if rng.chance(1, 2) {
                edge.guard = Expr::TRUE;
            }
            if rng.chance(2, 3) {
                edge.rank = 0;
            }
        }
    }
    if rng.chance(1, 2) {
        model.gatherings.clear();
    }
    model
}

fn small_enough(system: &mut Collapsed) -> bool {
    let bounds = Bounds { nodes: Some(300), ..Bounds::default() };
    reach::count(system, bounds).is_ok_and(|size| size.states > 3 && size.transitions < 2000)
}

/// Seeds of models that once were reduced too far: termination by another name, an event that is made
/// of values taken for another, a process that may do something else only until it can leave.
const ONCE_WRONG: [u64; 3] = [1_107_305, 2_006_602, 3_051_920];

#[test]
fn random_models() {
    let mut tally = Tally::default();
    let (first, wanted) = (first_seed(1), cases(12_000));
    for seed in ONCE_WRONG.into_iter().chain(first..) {
        if tally.compared as u64 >= wanted {
            break;
        }
        let mut rng = Rng::new(seed);
        let model = loose_model(&mut rng);
        if verify(&model).is_err() {
            continue;
        }
        let mut whole = Collapsed::new(Interpreter::new(model.clone()));
        if !small_enough(&mut whole) {
            continue;
        }
        let mut atoms: Vec<String> =
            model.propositions.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        for slot in &model.slots {
            let template = model.template(slot.templates[0]);
            let location = rng.pick(&template.locations);
            atoms.push(format!("\"{}@{}\"", slot.name, location.name));
        }
        let events = model.events.iter().skip(1);
        atoms.extend(events.map(|event| format!("event({})", event.name)));
        let what = || format!("seed {seed}\n{}", fairly_model::text::print(&model));
        compare(&mut rng, &mut whole, &atoms, &mut tally, &what);
    }
    println!("models: {tally:?}");
    assert!(tally.reduced * 12 > tally.compared, "{tally:?}: too little was left out");
}

/// Components as numbers of local states and transitions.
type Tiny = Vec<(u32, Vec<(u32, String, u32, Option<Annotation>)>)>;

/// Components that mostly keep to themselves.
fn loose_network(rng: &mut Rng) -> Tiny {
    let shared = 1 + rng.below(3);
    let component = |(at, rng): (usize, &mut Rng)| {
        let states = 1 + rng.below(4) as u32;
        let mut transitions = Vec::new();
        let turns_back = rng.chance(2, 3);
        for _ in 0..1 + rng.below(5) {
            let from = rng.below(states as usize) as u32;
            let to = match turns_back {
                true => rng.below(states as usize) as u32,
                false => from + rng.below((states - from) as usize) as u32,
            };
            let event = match rng.chance(1, 3) {
                true => format!("s{}", rng.below(shared)),
                false => format!("p{at}_{}", rng.below(3)),
            };
            let annotation = rng.chance(1, 4).then(|| *rng.pick(&Annotation::ALL));
            transitions.push((from, event, to, annotation));
        }
        (states, transitions)
    };
    (0..2 + rng.below(3)).map(|at| component((at, &mut *rng))).collect()
}

fn network_of(tiny: &Tiny) -> Network {
    let mut components = Vec::new();
    for (at, (states, transitions)) in tiny.iter().enumerate() {
        let mut builder = ComponentBuilder::new(&format!("P{at}"));
        (0..*states).for_each(|state| _ = builder.add_state(state.to_string()));
        builder.add_initial(0);
        for (from, event, to, annotation) in transitions {
            builder.add_transition(*from, event, *to, *annotation);
        }
        components.push(builder.build());
    }
    Network::new(components, &Composition::default()).expect("a network")
}

#[test]
fn random_networks() {
    let mut tally = Tally::default();
    let (first, wanted) = (first_seed(1), cases(12_000));
    for seed in first.. {
        if tally.compared as u64 >= wanted {
            break;
        }
        let mut rng = Rng::new(seed);
        let tiny = loose_network(&mut rng);
        let mut whole = network_of(&tiny);
        let components = tiny.iter().enumerate();
        let mut atoms: Vec<String> = components
            .map(|(at, (states, _))| format!("\"P{at}@{}\"", rng.below(*states as usize)))
            .collect();
        let events: Vec<String> =
            whole.signature().events.iter().skip(1).map(|event| event.name.clone()).collect();
        atoms.extend(events.iter().map(|event| format!("event({event})")));
        if events.is_empty() {
            continue;
        }
        let what = || format!("seed {seed}\n{tiny:#?}");
        compare(&mut rng, &mut whole, &atoms, &mut tally, &what);
    }
    println!("networks: {tally:?}");
    assert!(tally.reduced * 12 > tally.compared, "{tally:?}: too little was left out");
}

/// The same language, by an automaton that flips a bit at every step, guesses the bit it begins with, and
/// accepts only where the bit is not set.
fn counting(automaton: &Automaton) -> Automaton {
    let count = automaton.state_count();
    let mut builder = automaton.like();
    builder.add_states(2 * count);
    let twin = |state: StateId, bit: usize| StateId::from_index(state.index() + bit * count);
    let starts = automaton.initial().iter().flat_map(|&it| [twin(it, 0), twin(it, 1)]);
    builder.set_initial(starts.collect());
    for state in automaton.states() {
        for edge in automaton.edges(state) {
            for bit in [0, 1] {
                let marks =
                    if bit == 0 { automaton.marks(edge.marks).clone() } else { MarkSet::new() };
                builder.add_edge(twin(state, bit), edge.label, marks, twin(edge.target, 1 - bit));
            }
        }
    }
    builder.build()
}

/// Automata that count steps, of properties that do not (Siegel, CAV 2019): what is left out must not
/// depend on them.
#[test]
fn automata_that_count() {
    let (mut compared, mut reduced) = (0, 0);
    for seed in first_seed(1).. {
        if compared >= cases(4_000) {
            break;
        }
        let mut rng = Rng::new(seed);
        let tiny = loose_network(&mut rng);
        let mut network = network_of(&tiny);
        let at = rng.below(tiny.len());
        let atom = network.atom(&format!("P{at}@{}", rng.below(tiny[at].0 as usize)));
        let atom = atom.expect("a place");
        let mut formulas = Formulas::new();
        // What is to be found: each is accepted by an automaton with one mark or none.
        let text = *rng.pick(&["F p", "G p", "F G p", "G F p", "F (p && F !p)", "!p U p"]);
        let formula = formulas.parse(text).expect("a formula");
        let options = fairly_translate::Options::default();
        let automaton = fairly_translate::translate(&mut formulas, formula, &options);
        let automaton = automaton.expect("a small automaton");
        if !matches!(automaton.acceptance(), Acceptance::True | Acceptance::Inf(_)) {
            continue;
        }
        let counting = counting(&automaton);
        let constraints = match rng.chance(1, 2) {
            true => vec![Constraint::fair(
                *rng.pick(&[Strength::Weak, Strength::Strong]),
                "process",
                Selector::Process(ProcessId::from_index(rng.below(tiny.len()))),
            )],
            false => vec![],
        };
        let watched =
            Watched { atoms: vec![atom], constraints: constraints.clone(), ..Watched::default() };
        let found = |system: &mut dyn FnMut(Negation<'_>) -> bool, automaton: &Automaton| {
            system(Negation::new(automaton, vec![Binding::State(atom)]))
        };
        let whole = found(&mut |it| has_run(&mut network, it, &constraints), &automaton);
        let Ok(mut small) = Reduced::new(&mut network, &watched) else { continue };
        let less = found(&mut |it| has_run(&mut small, it, &constraints), &counting);
        let left_out = small.saved().reduced > 0;
        compared += 1;
        reduced += u64::from(left_out);
        assert_eq!(whole, less, "seed {seed}: {text}");
    }
    println!("automata that count: {compared} compared, {reduced} with steps left out");
    assert!(reduced * 5 > compared);
}

fn has_run<S: TransitionSystem>(
    system: &mut S,
    negation: Negation<'_>,
    constraints: &[Constraint],
) -> bool {
    let mut product = Product::new(system, negation, constraints.to_vec());
    let engine = Engine::for_condition(product.acceptance());
    emptiness::check(&mut product, engine).expect("an answer").lasso.is_some()
}

/// Two processes that have little to do with each other, and one that needs both.
const LOOSE: &str = "
component P {
  initial 0
  0 -a-> 1
  1 -b-> 2
  2 -s-> 0
}
component Q {
  initial 0
  0 -c-> 1
  1 -d-> 2
  2 -s-> 0
}
";

/// What a formula under an assumption is refused for; `None` if it is not.
fn refusal(text: &str, constraint: Option<Constraint>, notion: Notion) -> Option<Refusal> {
    let mut network = network_in(LOOSE);
    let mut formulas = Formulas::new();
    let parsed = formulas.parse(text).expect("a formula");
    let mut property = Property::bind("it", formulas, parsed, &mut network).expect("its names");
    let mut assumption = Assumption::of(notion);
    assumption.extra.extend(constraint);
    let options = Options { any_run: true, ..Options::default() };
    let verdict = check(&mut network, &mut property, &assumption, &options);
    let stamp = verdict.expect("no failure").stamp;
    assert_eq!(stamp.reductions.is_empty(), stamp.unreduced.is_some(), "{text}");
    stamp.unreduced
}

fn network_in(text: &str) -> Network {
    let case = fairly_front::case::parse(text).expect("a network");
    case.network().expect("a network")
}

#[test]
fn every_row_of_the_table() {
    let fair = |strength, event: &str| {
        let network = network_in(LOOSE);
        let event = network.signature().event(event).expect("an event");
        Constraint::fair(strength, "it", Selector::Events(event.into()))
    };
    let live = |event: &str| {
        let network = network_in(LOOSE);
        let event = network.signature().event(event).expect("an event");
        Constraint::live(Strength::Weak, "it", Selector::Events(event.into()))
    };
    let of_process =
        |process| Constraint::fair(Strength::Weak, "P", Selector::Process(ProcessId(process)));
    let step = |text: &str| {
        let mut network = network_in(LOOSE);
        let mut assumption = Assumption::of(Notion::None);
        let parsed = fairly_front::case::parse_constraint(text).expect("a constraint");
        assumption.add(&parsed, &mut network).expect("its names");
        assumption.extra.pop()
    };
    let none = Notion::None;
    for row in SOUNDNESS {
        let table = Some(Refusal::Table(row.kind));
        let refused = match row.kind {
            RowKind::StateFormula => refusal("G F \"P@2\"", None, none),
            RowKind::EventFormula => refusal("G (a -> F b)", None, none),
            RowKind::NoFairness => refusal("G F a", None, none),
            RowKind::ProcessFairness => refusal("G F a", Some(of_process(0)), none),
            RowKind::EventFairness => refusal("G F a", Some(fair(Strength::Strong, "a")), none),
            RowKind::ActionFairness => {
                let id = fairly_system::MoveId(0);
                let it = Constraint::fair(Strength::Weak, "it", Selector::Moves(vec![id]));
                refusal("G F a", Some(it), none)
            }
            RowKind::Liveness => refusal("G F a", Some(live("a")), none),
            RowKind::Justice => refusal("G F a", step("justice(b)"), none),
            RowKind::Own => {
                let id = vec![fairly_system::MoveId(0)];
                let it = Constraint {
                    name: "own".to_owned(),
                    strength: Strength::Strong,
                    when: Predicate::Taken(Selector::Moves(id.clone())),
                    then: Predicate::Taken(Selector::Moves(id)),
                };
                refusal("G F a", Some(it), none)
            }
            RowKind::Next => refusal("G (a -> X b)", None, none),
            RowKind::Counting => refusal("a U b", None, none),
            RowKind::Stopping => refusal("G !\"deadlock\"", None, none),
            RowKind::CountingConstraint => refusal("G F a", step("justice(!a)"), none),
            RowKind::Global => refusal("G F a", None, Notion::Global),
            RowKind::Inherent => {
                refusal("G F a", None, Notion::Inherent(fairly_fairness::Reading::Trace))
            }
            RowKind::Errors | RowKind::Deadlocks => {
                let mut network = network_in(LOOSE);
                let effort = Effort { any_run: true, ..Effort::default() };
                match row.kind {
                    RowKind::Errors => claim::faultless(&mut network, &[], |_, _| None, effort),
                    _ => claim::deadlock_free(&mut network, effort),
                }
                .expect("no failure")
                .unreduced
            }
            RowKind::Reachability => {
                let mut network = network_in(LOOSE);
                let goal = network.atom("P@2").expect("a place");
                let effort = Effort { any_run: true, ..Effort::default() };
                let verdict = claim::reaches(&mut network, goal, effort);
                verdict.expect("no failure").unreduced
            }
            RowKind::Refinement => {
                let mut network = network_in(LOOSE);
                claim::nonterminating(&mut network, Bounds::default())
                    .expect("no failure")
                    .unreduced
            }
            RowKind::Open | RowKind::Priorities | RowKind::Last => {
                let text = match row.kind {
                    RowKind::Priorities => "atomic{a -> b -> Skip} ||| c -> d -> Skip",
                    _ => continue,
                };
                let text = format!("P() = {text};\n#assert P() deadlockfree;");
                let mut file = fairly_check::csp::CspFile::parse(&text).expect("a model");
                let assertion = file.specification().assertions[0].clone();
                let system = file.system(&assertion.process).expect("a system");
                let effort = Effort { any_run: true, ..Effort::default() };
                let verdict = file.claim(system, &assertion.claim, effort);
                verdict.expect("no failure").unreduced
            }
            // Decided where they are asked, which does not come here: `fairly least` and the others
            // have no reduction at all.
            RowKind::MachineClosure
            | RowKind::Never
            | RowKind::Least
            | RowKind::Termination
            | RowKind::Survey
            | RowKind::Alike
            | RowKind::Followed
            | RowKind::Indexed
            | RowKind::Numbered
            | RowKind::Numbers => continue,
        };
        match row.kept {
            true => assert_eq!(refused, None, "{}", row.what),
            false => assert_eq!(refused, table, "{}", row.what),
        }
    }
}

/// Milner's scheduler as PAT has it: a ring of cyclers, of which one holds the token.
fn milner(cyclers: usize) -> String {
    format!(
        "#define N {cyclers};
        Cycle0() = a.0 -> c.1 -> work.0 -> c.0 -> Cycle0();
        Cycle(i) = c.i -> a.i -> (work.i -> c.((i+1)%N) -> Cycle(i)
                               [] c.((i+1)%N) -> work.i -> Cycle(i));
        Milner() = Cycle0() || (|| x:{{1..N-1}} @ Cycle(x));
        #assert Milner() deadlockfree;"
    )
}

/// The whole system has exponentially many states.
#[test]
fn milners_scheduler_grows_linearly() {
    for cyclers in [4, 10, 40, 100] {
        let mut file = fairly_check::csp::CspFile::parse(&milner(cyclers)).expect("a model");
        let assertion = file.specification().assertions[0].clone();
        let system = file.system(&assertion.process).expect("a system");
        let verdict = file.claim(system, &assertion.claim, Effort::default()).expect("an answer");
        assert_eq!(verdict.size.map(|size| size.states), Some(4 * cyclers), "{cyclers} cyclers");
        let system = file.interpreter(system);
        let mut formulas = Formulas::new();
        let parsed = formulas.parse("G F work.0").expect("a formula");
        let mut property = Property::bind("it", formulas, parsed, system).expect("its names");
        property.reading = EventReading::Entering;
        let assumption = Assumption::of(Notion::None);
        let verdict = check(system, &mut property, &assumption, &Options::default());
        let verdict = verdict.expect("no failure");
        assert!(matches!(verdict.outcome, Outcome::Holds(_)));
        assert!(verdict.stamp.system.0 <= 8 * cyclers, "{cyclers}: {:?}", verdict.stamp);
    }
}

/// The states of every Promela example: all of them, those that are met here, and those that SPIN stores
/// with its reduction, statement merging and dead variables (`spin -a`, `-DSAFETY -DNOCLAIM`, `pan -c0`).
///
/// Where SPIN stores fewer, that is in the first four because it merges local statements and resets
/// variables that are not read any more: without either it stores 479, 1012, 903 and 1147. In the next two
/// (1156 and 43529 without) channels are passed on in arguments and messages; here such a channel may be any.
const STATES: [(&str, usize, usize, usize); 14] = [
    ("chang_roberts", 568, 482, 462),
    ("dijkstra", 1122, 1001, 890),
    ("dolev_klawe_rodeh", 1640, 903, 752),
    ("go_back_n", 1968, 870, 850),
    ("sieve", 3415, 2225, 1117),
    ("paxos", 49578, 45472, 41649),
    ("bakery", 960, 738, 800),
    ("channel_passing", 43, 11, 29),
    ("else_timeout", 241, 121, 241),
    ("elevator", 4719, 4216, 4719),
    ("peterson_n", 2973, 1005, 1124),
    ("sliding_window", 1381, 587, 746),
    ("token_ring", 92, 34, 35),
    ("watchdog", 46, 35, 46),
];

#[test]
fn states_of_promela_examples() {
    for (name, whole, reduced, _) in STATES {
        let path = format!("{}/../../examples/promela/{name}.pml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).expect("an example");
        for (reduction, most) in [(Reduction::Off, whole), (Reduction::Sound, reduced)] {
            let mut file = fairly_check::promela::PromelaFile::parse(&text, &[]).expect("a model");
            let effort = Effort { bounds: Bounds::default(), reduction, any_run: true };
            let question = fairly_check::promela::Question::Errors;
            let verdict = file.claim(&question, effort).expect("no failure");
            assert!(matches!(verdict.outcome, ClaimOutcome::Holds(None)), "{name}");
            assert!(verdict.size.expect("counted").states <= most, "{name}: {:?}", verdict.size);
        }
    }
}

/// Makes processes of a model several, each in a slot of its own: of the same template, or of one with
/// other events.
fn multiply(rng: &mut Rng, model: &mut Model) {
    let one = rng.below(model.slots.len());
    let apart = rng.chance(1, 3);
    for copy in 0..1 + rng.below(2) {
        let mut slot = model.slots[one].clone();
        slot.name = format!("{}'{copy}", slot.name);
        if let (true, Some((template, _))) = (apart, &mut slot.start) {
            let mut other = model.template(*template).clone();
            other.name = format!("{}'{copy}", other.name);
            let gathered: Vec<_> = model.gatherings.iter().map(|(event, _)| *event).collect();
            for edge in other.locations.iter_mut().flat_map(|it| it.edges.iter_mut().flatten()) {
                let Label::Event(event) = &mut edge.label else { continue };
                if !gathered.contains(event) {
                    let of = &model.events[event.index()];
                    let (name, kind) = (format!("{}_{copy}", of.name), of.kind);
                    let known = model.events.iter().position(|event| event.name == name);
                    *event = match known {
                        Some(at) => fairly_system::EventId::from_index(at),
                        None => model.add_event(name, kind),
                    };
                }
            }
            model.templates.push(other);
            *template = fairly_model::TemplateId::from_index(model.templates.len() - 1);
            slot.templates = vec![*template];
        }
        model.slots.push(slot);
        let new = SlotId::from_index(model.slots.len() - 1);
        for (_, gathering) in &mut model.gatherings {
            if let Gathering::Slot(slot) = gathering
                && slot.index() == one
            {
                let both = vec![Gathering::Slot(*slot), Gathering::Slot(new)];
                *gathering =
                    if rng.chance(1, 2) { Gathering::All(both) } else { Gathering::One(both) };
            } else {
                add_beside(gathering, one, new);
            }
        }
    }
}

fn add_beside(gathering: &mut Gathering, one: usize, new: SlotId) {
    if let Gathering::All(parts) | Gathering::One(parts) = gathering {
        parts.iter_mut().for_each(|part| add_beside(part, one, new));
        if parts.iter().any(|part| matches!(part, Gathering::Slot(slot) if slot.index() == one)) {
            parts.push(Gathering::Slot(new));
        }
    }
}

#[test]
fn random_models_with_processes_that_are_alike() {
    let mut tally = Tally { by: Reduction::Symmetry, ..Tally::default() };
    let (first, wanted) = (first_seed(1), cases(12_000));
    for seed in first.. {
        if tally.compared as u64 >= wanted {
            break;
        }
        let mut rng = Rng::new(seed);
        let mut model = loose_model(&mut rng);
        multiply(&mut rng, &mut model);
        if verify(&model).is_err() {
            continue;
        }
        let mut whole = Collapsed::new(Interpreter::new(model.clone()));
        if !small_enough(&mut whole) || whole.symmetry(&Watched::default()).is_err() {
            continue;
        }
        let mut atoms: Vec<String> =
            model.propositions.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        let slot = rng.pick(&model.slots);
        let location = rng.pick(&model.template(slot.templates[0]).locations);
        atoms.push(format!("\"{}@{}\"", slot.name, location.name));
        atoms.extend(["deadlock", "terminated"].map(str::to_owned));
        let events = model.events.iter().skip(1);
        atoms.extend(events.map(|event| format!("event({})", event.name)));
        let what = || format!("seed {seed}\n{}", fairly_model::text::print(&model));
        compare(&mut rng, &mut whole, &atoms, &mut tally, &what);
    }
    println!("alike: {tally:?}");
    assert!(tally.reduced * 4 > tally.compared, "{tally:?}: too little was exchanged");
}
