//! Reduced systems against whole ones: the same verdicts on random models and networks, under random
//! formulas and fairness, and on the adversarial cases of the papers.
//!
//! `FAIRLY_RANDOM_CASES` raises the number of cases, `FAIRLY_SEED` is the first seed.

use fairly_check::claim::{self, ClaimOutcome, Effort};
use fairly_check::{Assumption, CheckError, Options, Outcome, Property, Reduction, check};
use fairly_fairness::{AnnotationLevel, Constraint, Level, Notion, Predicate, Selector, Strength};
use fairly_logic::Formulas;
use fairly_model::{Gathering, Label, Model, ModelSpace, SlotId, verify};
use fairly_omega::{Acceptance, Automaton, MarkSet, StateId};
use fairly_reduce::{ModelSystem, Reduced, Reducible, Watched};
use fairly_search::{Binding, Bounds, Negation};
use fairly_system::{EventPosition, ProcessId, TransitionSystem};
use fairly_testkit::Rng;

use crate::reduced::{any_formula, has_run, loose_model, loose_network, network_of, small_enough};
use fairly_modelkit::{cases, first_seed};

/// Counts over many comparisons.
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
pub(crate) fn assumption<S: TransitionSystem>(rng: &mut Rng, system: &mut S) -> Assumption {
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
fn claims<S: Reducible>(system: &mut S, reduction: Reduction) -> Result<[bool; 2], CheckError> {
    let effort =
        Effort { bounds: Bounds::default(), reduction, any_run: true, ..Effort::default() };
    let errors = claim::faultless(system, &[], |_| None, effort)?;
    let stuck = claim::deadlock_free(system, effort)?;
    Ok([errors, stuck].map(|verdict| matches!(verdict.outcome, ClaimOutcome::Holds(_))))
}

/// Compares the system with what a reduction leaves of it, on some formulas.
fn compare<S: Reducible>(
    rng: &mut Rng,
    system: &mut S,
    atoms: &[String],
    tally: &mut Tally,
    what: &dyn Fn() -> String,
) {
    let told = |why| panic!("{why}: errors and deadlocks of\n{}", what());
    assert_eq!(
        claims(system, Reduction::Off).unwrap_or_else(told),
        claims(system, tally.by).unwrap_or_else(told),
        "errors and deadlocks of\n{}",
        what()
    );
    for _ in 0..3 {
        // Formulas with few propositions leave much to be left out.
        let few: Vec<String> = (0..1 + rng.below(2)).map(|_| rng.pick(atoms).clone()).collect();
        let mut text = any_formula(rng, &few);
        if tally.by != Reduction::Sound && rng.chance(1, 4) {
            text = format!("G ({} -> X ({text}))", few[0]);
        }
        let reading = *rng.pick(&[EventPosition::Leaving, EventPosition::Entering]);
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
        let mut whole = ModelSystem::new(ModelSpace::new(model.clone(), None), None);
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
        // Formula to find: each is accepted by an automaton with one mark or none.
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

/// Milner's scheduler as PAT has it: a ring of cyclers, of which one holds the token; with fairness, the work
/// and passing the token on are weakly fair.
fn milner(cyclers: usize, fair: bool) -> String {
    let wf = |event: &str| if fair { format!("wf({event})") } else { event.to_owned() };
    let (work, next) = (wf("work.i"), wf("c.((i+1)%N)"));
    format!(
        "#define N {cyclers};
        Cycle0() = a.0 -> {} -> {} -> c.0 -> Cycle0();
        Cycle(i) = c.i -> a.i -> ({work} -> {next} -> Cycle(i) [] {next} -> {work} -> Cycle(i));
        Milner() = Cycle0() || (|| x:{{1..N-1}} @ Cycle(x));
        #assert Milner() deadlockfree;",
        wf("c.1"),
        wf("work.0")
    )
}

/// The whole system has exponentially many states.
#[test]
fn milners_scheduler_grows_linearly() {
    for (cyclers, fair) in [4, 10, 40, 100].into_iter().flat_map(|it| [(it, false), (it, true)]) {
        let text = milner(cyclers, fair);
        let mut file = crate::common::languages::CspFile::parse(&text).expect("a model");
        let assertion = file.specification().assertions[0].clone();
        let system = file.system(&assertion.process).expect("a system");
        let verdict = file.claim(system, &assertion.claim, Effort::default()).expect("an answer");
        assert_eq!(verdict.size.map(|size| size.states), Some(2 * cyclers), "{cyclers} cyclers");
        let system = file.interpreter(system);
        let mut formulas = Formulas::new();
        let parsed = formulas.parse("G F work.0").expect("a formula");
        let mut property = Property::bind("it", formulas, parsed, system).expect("its names");
        property.reading = EventPosition::Entering;
        let assumption = Assumption::of(match fair {
            true => Notion::Annotated(AnnotationLevel::Name),
            false => Notion::None,
        });
        let verdict = check(system, &mut property, &assumption, &Options::default());
        let verdict = verdict.expect("no failure");
        assert!(matches!(verdict.outcome, Outcome::Holds(_)));
        assert!(verdict.stamp.system.0 <= 8 * cyclers, "{cyclers}: {:?}", verdict.stamp);
    }
}

/// The states of every Promela example: all of them, those that are met here, and those that SPIN stores
/// with its reduction, statement merging and dead variables (`spin -a`, `-DSAFETY -DNOCLAIM`, `pan -c0`).
const STATES: [(&str, usize, usize, usize); 14] = [
    ("dolev_klawe_rodeh", 1640, 662, 752),
    ("sieve", 3415, 1002, 1117),
    ("chang_roberts", 568, 460, 462),
    ("dijkstra", 1122, 430, 890),
    ("go_back_n", 1968, 437, 850),
    ("paxos", 49578, 21628, 41649),
    ("bakery", 960, 567, 800),
    ("channel_passing", 43, 5, 29),
    ("else_timeout", 241, 102, 241),
    ("elevator", 4719, 816, 4719),
    ("peterson_n", 2973, 834, 1124),
    ("sliding_window", 1381, 373, 746),
    ("token_ring", 92, 19, 35),
    ("watchdog", 46, 32, 46),
];

#[test]
fn states_of_promela_examples() {
    for (name, whole, reduced, _) in STATES {
        let path = format!("{}/../../examples/promela/{name}.pml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).expect("an example");
        for (reduction, most) in [(Reduction::Off, whole), (Reduction::Sound, reduced)] {
            let mut file =
                crate::common::languages::PromelaFile::parse(&text, &[]).expect("a model");
            let effort =
                Effort { bounds: Bounds::default(), reduction, any_run: true, ..Effort::default() };
            let question = crate::common::languages::Question::Errors;
            let verdict = file.claim(&question, effort).expect("no failure");
            assert!(matches!(verdict.outcome, ClaimOutcome::Holds(None)), "{name}");
            assert!(verdict.size.expect("counted").states <= most, "{name}: {:?}", verdict.size);
        }
    }
}

/// Makes processes of a model several, each in a slot of its own: of the same template, or of one with
/// other events.
pub(crate) fn multiply(rng: &mut Rng, model: &mut Model) {
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

/// Atoms of formulas about a model: its propositions, a place, how it ends, its events.
pub(crate) fn names(rng: &mut Rng, model: &Model) -> Vec<String> {
    let propositions = model.propositions.iter();
    let mut names: Vec<String> = propositions.map(|(name, _)| format!("\"{name}\"")).collect();
    let slot = rng.pick(&model.slots);
    let location = rng.pick(&model.template(slot.templates[0]).locations);
    names.push(format!("\"{}@{}\"", slot.name, location.name));
    names.extend(["deadlock", "terminated"].map(str::to_owned));
    let events = model.events.iter().skip(1);
    names.extend(events.map(|event| format!("event({})", event.name)));
    names
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
        let mut whole = ModelSystem::new(ModelSpace::new(model.clone(), None), None);
        if !small_enough(&mut whole)
            || Reduced::whole(&mut whole).find_symmetry(&Watched::default()).is_err()
        {
            continue;
        }
        let atoms = names(&mut rng, &model);
        let what = || format!("seed {seed}\n{}", fairly_model::text::print(&model));
        compare(&mut rng, &mut whole, &atoms, &mut tally, &what);
    }
    println!("alike: {tally:?}");
    assert!(tally.reduced * 4 > tally.compared, "{tally:?}: too little was permuted");
}

#[test]
fn random_models_with_dead_variables() {
    let mut tally = Tally { by: Reduction::DeadVariables, ..Tally::default() };
    let (first, wanted) = (first_seed(1), cases(6_000));
    for seed in first.. {
        if tally.compared as u64 >= wanted {
            break;
        }
        let mut rng = Rng::new(seed);
        let model = loose_model(&mut rng);
        if verify(&model).is_err() {
            continue;
        }
        let mut whole = ModelSystem::new(ModelSpace::new(model.clone(), None), None);
        let resetting_dead = Reduced::whole(&mut whole).resetting_dead(&Watched::default());
        let dead = resetting_dead.dead_resets().is_some();
        if !dead || !small_enough(&mut whole) {
            continue;
        }
        let atoms = names(&mut rng, &model);
        let what = || format!("seed {seed}\n{}", fairly_model::text::print(&model));
        compare(&mut rng, &mut whole, &atoms, &mut tally, &what);
    }
    println!("dead: {tally:?}");
    assert!(tally.reduced * 8 > tally.compared, "{tally:?}: too little was forgotten");
}
