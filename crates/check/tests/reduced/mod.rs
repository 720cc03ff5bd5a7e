//! Random formulas, models and networks for the tests of reductions, and the search that they compare.

use std::collections::HashMap;

use fairly_explore::Explored;
use fairly_fairness::Constraint;
use fairly_model::{Expr, Model};
use fairly_omega::emptiness::{self, Algorithm};
use fairly_omega::{Graph, StateId};
use fairly_reduce::{ModelSystem, Reduced};
use fairly_search::{Bounds, Negation, Product, reach};
use fairly_system::{
    ActionId, Annotation, ComponentBuilder, Composition, Network, Transition, TransitionSystem,
};
use fairly_testkit::Rng;

use fairly_modelkit::{Shape, random_model};

/// A formula over these propositions, as text: of a form that is often asked for, or any.
pub(crate) fn any_formula(rng: &mut Rng, atoms: &[String]) -> String {
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
pub(crate) fn formula(rng: &mut Rng, atoms: &[String], depth: u32) -> String {
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

/// A model in which much is independent.
pub(crate) fn loose_model(rng: &mut Rng) -> Model {
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

/// Whether all of it can be explored in no time.
pub(crate) fn small_enough(system: &mut ModelSystem) -> bool {
    let bounds = Bounds { nodes: Some(300), ..Bounds::default() };
    reach::count(system, bounds).is_ok_and(|size| size.states > 3 && size.transitions < 2000)
}

/// Components as numbers of local states and transitions.
pub(crate) type Tiny = Vec<(u32, Vec<(u32, String, u32, Option<Annotation>)>)>;

/// Components that mostly keep to themselves.
pub(crate) fn loose_network(rng: &mut Rng) -> Tiny {
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

/// The network of these components.
pub(crate) fn network_of(tiny: &Tiny) -> Explored<Network> {
    composed(tiny, &Composition::default())
}

/// The network of these components, put together in some way.
pub(crate) fn composed(tiny: &Tiny, composition: &Composition) -> Explored<Network> {
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
    Explored::new(Network::new(components, composition).expect("a network"))
}

/// Whether there is a fair run that the automaton accepts.
pub(crate) fn has_run<S: TransitionSystem>(
    system: &mut S,
    negation: Negation<'_>,
    constraints: &[Constraint],
) -> bool {
    let mut product = Product::new(system, negation, constraints.to_vec());
    let algorithm = Algorithm::for_condition(product.acceptance());
    emptiness::check(&mut product, algorithm).expect("an answer").lasso.is_some()
}

/// A state, and its steps with the positions of what they lead to.
pub(crate) type Numbered = (StateId, Vec<(ActionId, usize)>);

/// The states of a system in the order in which they are met; `None` if there are more than so many.
pub(crate) fn numbered(
    system: &mut Reduced<'_, ModelSystem>,
    most: usize,
) -> Option<Vec<Numbered>> {
    let mut order = system.initial();
    let mut numbers: HashMap<StateId, usize> = HashMap::new();
    numbers.extend(order.iter().enumerate().map(|(at, &state)| (state, at)));
    let mut found = Vec::new();
    while let Some(&state) = order.get(found.len()) {
        if found.len() == most {
            return None;
        }
        let mut out: Vec<Transition> = Vec::new();
        system.enabled(state, &mut out);
        let mut number = |target: StateId| {
            *numbers.entry(target).or_insert_with(|| {
                order.push(target);
                order.len() - 1
            })
        };
        found.push((state, out.iter().map(|step| (step.action, number(step.target))).collect()));
    }
    Some(found)
}
