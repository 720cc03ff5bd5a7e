//! Reduced systems against whole ones where nearly everything is fair: steps that change what a constraint
//! asks for are followed alone only if the demand lasts and something of the set is owed (`docs/papers.md`
//! 004-31). Counted are the comparisons in which such steps really were.
//!
//! `FAIRLY_RANDOM_CASES` raises the number of cases, `FAIRLY_SEED` is the first seed.

use fairly_explore::Explored;
use fairly_fairness::{Constraint, Selector, Strength};
use fairly_logic::{Atom, Formulas};
use fairly_model::ModelSpace;
use fairly_model::{Gathering, Label, Model, SlotId, verify};
use fairly_reduce::{ModelSystem, Reduced, Reducible, Watched};
use fairly_search::{Binding, Bounds, Negation, closure};
use fairly_system::{
    Annotation, Composition, EventPosition, EventSet, Network, ProcessId, Signature,
    TransitionSystem,
};
use fairly_testkit::Rng;

use crate::reduced::{Tiny, composed, has_run, loose_model, small_enough};
use fairly_modelkit::{cases, first_seed};

/// Counts over many comparisons.
#[derive(Debug, Default)]
struct Tally {
    compared: u64,
    /// Those in which steps were left out.
    reduced: u64,
    /// Those in which a step was followed alone that changes a demand.
    early: u64,
    violated: u64,
    /// Those in which some state has no fair continuation.
    doomed: u64,
}

/// Formula to look for: of forms that allow steps in between anywhere.
fn wanted(rng: &mut Rng, atoms: &[String]) -> String {
    let (a, b) = (rng.pick(atoms).clone(), rng.pick(atoms).clone());
    match rng.below(9) {
        0 => format!("G F {a}"),
        1 => format!("F G !{a}"),
        2 => format!("G !{a}"),
        3 => format!("F {a}"),
        // A state and then an event: `soundness.rs` refuses it, for one of the readings of events.
        4 | 5 if b.starts_with("event") && !a.starts_with("event") => format!("F {b}"),
        4 => format!("F ({a} && G !{b})"),
        5 => format!("!{a} U {b}"),
        6 => format!("G F {a} && F G !{b}"),
        7 => format!("G F {a} && G F {b}"),
        _ => "true".to_owned(),
    }
}

/// Constraints of nearly everything, by name, by process, by part, by transition, or mixed.
fn constraints(rng: &mut Rng, signature: &Signature) -> Vec<Constraint> {
    let annotation = |rng: &mut Rng, only: Option<Annotation>| match only {
        Some(only) => only,
        None => *rng.pick(&Annotation::ALL),
    };
    let only = rng.chance(1, 2).then(|| *rng.pick(&Annotation::ALL));
    let share = 2 + rng.below(5) as u32;
    let mut all = Vec::new();
    let kind = rng.below(6);
    if kind == 0 || kind == 5 {
        for process in (0..signature.processes.len()).map(ProcessId::from_index) {
            let strength = *rng.pick(&[Strength::Weak, Strength::Strong]);
            if kind == 0 || rng.chance(1, 3) {
                all.push(Constraint::fair(strength, "process", Selector::Process(process)));
            }
        }
    }
    if kind == 1 || kind == 5 {
        for id in signature.move_ids() {
            if kind == 1 && !rng.chance(1, share) || kind == 5 && rng.chance(1, 4) {
                let selector = Selector::Moves(vec![id]);
                all.push(Constraint::annotated(annotation(rng, only), "move", selector));
            }
        }
    }
    if kind == 2 || kind == 5 {
        for id in signature.move_ids() {
            let of = &signature.moves[id.index()];
            if !rng.chance(1, share) {
                let selector = Selector::Part(of.process, of.event.into());
                let it = Constraint::annotated(annotation(rng, only), "part", selector);
                all.push(it);
            }
        }
    }
    if kind >= 3 {
        for event in signature.event_ids().skip(1) {
            if !rng.chance(1, share) {
                let selector = Selector::Events(event.into());
                all.push(Constraint::annotated(annotation(rng, only), "event", selector));
            }
        }
    }
    all.dedup();
    all
}

/// Compares the system with what a reduction leaves of it.
fn compare<S: Reducible>(
    rng: &mut Rng,
    system: &mut S,
    atoms: &[String],
    tally: &mut Tally,
    what: &dyn Fn() -> String,
) {
    for _ in 0..3 {
        let constraints = constraints(rng, system.signature());
        let few: Vec<String> = (0..1 + rng.below(2)).map(|_| rng.pick(atoms).clone()).collect();
        let text = wanted(rng, &few);
        let mut formulas = Formulas::new();
        let parsed = formulas.parse(&text).expect("a formula");
        let mut watched = Watched { constraints: constraints.clone(), ..Watched::default() };
        let mut bindings = Vec::new();
        for id in formulas.atoms(parsed) {
            bindings.push(match formulas.atom_of(id) {
                Atom::Event(event) => {
                    let events = EventSet::matching(event, system.signature());
                    watched.events.push(events.clone());
                    Binding::Event(events)
                }
                Atom::Name(name) | Atom::State(name) => {
                    // Some names of places stand for none.
                    let Some(atom) = system.atom(name) else { return };
                    watched.atoms.push(atom);
                    Binding::State(atom)
                }
            });
        }
        let options = fairly_translate::Options::default();
        let automaton = fairly_translate::translate(&mut formulas, parsed, &options);
        let automaton = automaton.expect("a small automaton");
        let reading = *rng.pick(&[EventPosition::Leaving, EventPosition::Entering]);
        let negation = || Negation::new(&automaton, bindings.clone()).reading(reading);
        let whole = has_run(system, negation(), &constraints);
        let said = || format!("{text} under {constraints:#?}, {reading:?}\n{}", what());
        let Ok(mut small) = Reduced::new(system, &watched) else { continue };
        let less = has_run(&mut small, negation(), &constraints);
        let saved = small.saved();
        drop(small);
        assert_eq!(whole, less, "a run with {}", said());
        tally.compared += 1;
        tally.reduced += u64::from(saved.reduced > 0);
        tally.early += u64::from(saved.early > 0);
        tally.violated += u64::from(whole);
        // Whether every finite run has a fair continuation.
        let watched = Watched { constraints: constraints.clone(), ..Watched::default() };
        let closed = |closure: closure::Closure| (closure.feasible, closure.doomed.is_some());
        let find = |system: &mut Reduced<'_, S>| {
            closure::check(system, constraints.clone(), Bounds::default()).map(closed)
        };
        let whole = find(&mut Reduced::whole(system)).expect("a small system");
        let Ok(mut small) = Reduced::new(system, &watched) else { continue };
        assert_eq!(Ok(whole), find(&mut small).map_err(|_| ()), "machine closure, {}", said());
        tally.doomed += u64::from(whole.1);
    }
}

/// Components that go round by themselves, and together now and then.
fn fair_network(rng: &mut Rng) -> Tiny {
    let shared = 1 + rng.below(3);
    let choices = rng.below(3) as u32;
    let component = |(at, rng): (usize, &mut Rng)| {
        let states = 1 + rng.below(4) as u32;
        let mut transitions = Vec::new();
        for from in 0..states {
            for choice in 0..1 + usize::from(rng.chance(choices, 3)) {
                if rng.chance(1, 8) {
                    continue;
                }
                let to = match choice {
                    0 => (from + 1) % states,
                    _ => rng.below(states as usize) as u32,
                };
                let event = match rng.chance(1, 3) {
                    true => format!("s{}", rng.below(shared)),
                    false => format!("p{at}_{}", rng.below(4)),
                };
                transitions.push((from, event, to, None));
            }
        }
        (states, transitions)
    };
    (0..2 + rng.below(3)).map(|at| component((at, &mut *rng))).collect()
}

fn atoms_of(tiny: &Tiny, network: &Explored<Network>, rng: &mut Rng) -> Vec<String> {
    let components = tiny.iter().enumerate();
    let mut atoms: Vec<String> = components
        .map(|(at, (states, _))| format!("\"P{at}@{}\"", rng.below(*states as usize)))
        .collect();
    let events = network.signature().events.iter().skip(1);
    atoms.extend(events.map(|event| format!("event({})", event.name)));
    atoms
}

#[test]
fn random_networks_in_which_much_is_fair() {
    let mut tally = Tally::default();
    for seed in first_seed(1).. {
        if tally.early >= cases(3_000) {
            break;
        }
        let mut rng = Rng::new(seed);
        let tiny = fair_network(&mut rng);
        // An event of several processes that each take for themselves.
        let alone = rng.chance(1, 3).then(|| "s0".to_owned());
        let composition = Composition { interleaved: alone.into_iter().collect() };
        let mut whole = composed(&tiny, &composition);
        let atoms = atoms_of(&tiny, &whole, &mut rng);
        let what = || format!("seed {seed}, {composition:?}\n{tiny:?}");
        compare(&mut rng, &mut whole, &atoms, &mut tally, &what);
    }
    println!("networks: {tally:?}");
    assert!(tally.early * 8 > tally.compared, "{tally:?}: the rule was hardly used");
    assert!(tally.violated * 4 > tally.compared && tally.doomed > 0, "{tally:?}");
}

/// Lets some events be taken together, by slots that all have them.
fn gather(rng: &mut Rng, model: &mut Model) {
    let slots = (0..model.slots.len()).map(|at| Gathering::Slot(SlotId::from_index(at)));
    let slots: Vec<Gathering> = slots.collect();
    let locations = model.templates.iter_mut().flat_map(|template| &mut template.locations);
    let mut labels = locations.flat_map(|location| location.edges.iter_mut().flatten());
    let event = labels.find_map(|edge| match edge.label {
        Label::Event(event) if rng.chance(1, 3) => Some(event),
        _ => None,
    });
    if let Some(event) = event.filter(|event| event.index() > 0)
        && model.gatherings.iter().all(|(other, _)| *other != event)
    {
        model.gatherings.push((event, Gathering::All(slots)));
    }
}

#[test]
fn random_models_in_which_much_is_fair() {
    let mut tally = Tally::default();
    for seed in first_seed(1).. {
        if tally.early >= cases(1_500) {
            break;
        }
        let mut rng = Rng::new(seed);
        let mut model = loose_model(&mut rng);
        if rng.chance(1, 2) {
            gather(&mut rng, &mut model);
        }
        // Where ranks, guards and holding keep demands from lasting, nothing is compared here.
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
            let location = rng.pick(&model.template(slot.templates[0]).locations);
            atoms.push(format!("\"{}@{}\"", slot.name, location.name));
        }
        let events = model.events.iter().skip(1);
        atoms.extend(events.map(|event| format!("event({})", event.name)));
        let what = || format!("seed {seed}\n{}", fairly_model::text::print(&model));
        compare(&mut rng, &mut whole, &atoms, &mut tally, &what);
    }
    println!("models: {tally:?}");
    assert!(tally.early * 40 > tally.compared, "{tally:?}: the rule was hardly used");
}
