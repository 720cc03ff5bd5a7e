//! Random networks under random properties and every notion of fairness, by every engine that can
//! decide the condition, against the testkit's oracle, which has its own idea of what a network,
//! an enabled event and a fair run are. Every run that is found is judged step by step.
//!
//! `FAIRLY_RANDOM_CASES` raises the number of (network, property, notion) combinations, of which
//! there are at least 20,000; `FAIRLY_SEED` is the first seed.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use fairly_explore::Explored;
use fairly_fairness::{AnnotationLevel, Constraint, Level, Notion, Selector, Strength};
use fairly_logic::Formulas;
use fairly_omega::{Acceptance, Automaton, Builder, Hop, Label, Lasso, Mark, Prop, StateId, Stop};
use fairly_search::engines::{Choice, Engine};
use fairly_search::inherent::{self, PrefixKind, Procedure};
use fairly_search::shared_product::{SharedProduct, SharedRun, SharedRunStep};
use fairly_search::{Binding, Bounds, Negation, Product, closure, global, ufscc};
use fairly_system::{
    ActionId, Annotation, ComponentBuilder, Composition, EventPosition, MoveId, Network, ProcessId,
    TransitionSystem,
};
use fairly_testkit::ltl::{Ltl, LtlShape, random_formula};
use fairly_testkit::network::{
    NetworkShape, Prefixes, TinyAnnotation, TinyDemand, TinyNetwork, TinyNotion, TinyProperty,
    TinyProposition, TinyRun, TinySystem, demands, event_demand, has_fair_run, holds_inherently,
    is_feasible, is_machine_closed, judge_run, moves_demand, process_demand, random_network,
    random_property, random_propositions,
};
use fairly_testkit::{Rng, TinyCondition, TinyEdge, TinyGraph, TinyWord};
use fairly_translate::{Options, translate};

/// The most strong constraints that `ndfs` is asked to watch.
const MOST_MONITORS: usize = 4;

fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).map_or(usual, |text| text.parse().expect("a number"))
}

/// The network under test; component `n` is `Pn`, event `n` is `en`, states are numbers.
fn network_of(tiny: &TinyNetwork) -> Explored<Network> {
    let mut components = Vec::new();
    for (at, component) in tiny.components.iter().enumerate() {
        let mut builder = ComponentBuilder::new(&format!("P{at}"));
        (0..component.states).for_each(|state| _ = builder.add_state(state.to_string()));
        component.initial.iter().for_each(|&state| builder.add_initial(state as u32));
        component.alphabet.iter().for_each(|event| builder.add_event(&format!("e{event}")));
        for it in &component.transitions {
            let annotation = it.annotation.map(annotation);
            let event = format!("e{}", it.event);
            builder.add_transition(it.from as u32, &event, it.to as u32, annotation);
        }
        components.push(builder.build());
    }
    let interleaved = tiny.interleaved.iter().map(|event| format!("e{event}")).collect();
    Explored::new(
        Network::new(components, &Composition { interleaved }).expect("names are different"),
    )
}

fn annotation(kind: TinyAnnotation) -> Annotation {
    match kind {
        TinyAnnotation::WeakFair => Annotation::WeakFair,
        TinyAnnotation::StrongFair => Annotation::StrongFair,
        TinyAnnotation::WeakLive => Annotation::WeakLive,
        TinyAnnotation::StrongLive => Annotation::StrongLive,
    }
}

fn notion_of(tiny: TinyNotion) -> Notion {
    match tiny {
        TinyNotion::None => Notion::None,
        TinyNotion::WeakProcess => Notion::Weak(Level::Process),
        TinyNotion::StrongProcess => Notion::Strong(Level::Process),
        TinyNotion::WeakEvent => Notion::Weak(Level::Event),
        TinyNotion::StrongEvent => Notion::Strong(Level::Event),
        TinyNotion::WeakAction => Notion::Weak(Level::Action),
        TinyNotion::StrongAction => Notion::Strong(Level::Action),
        TinyNotion::WeakLive => Notion::WeakLive,
        TinyNotion::StrongLive => Notion::StrongLive,
        TinyNotion::AnnotatedName => Notion::Annotated(AnnotationLevel::Name),
        TinyNotion::AnnotatedOccurrence => Notion::Annotated(AnnotationLevel::Occurrence),
        TinyNotion::Global => Notion::Global,
    }
}

fn bindings(network: &mut Explored<Network>, propositions: &[TinyProposition]) -> Vec<Binding> {
    let meaning = |proposition: &TinyProposition| match proposition {
        TinyProposition::Idle => Binding::Event(network.signature().event("idle").unwrap().into()),
        // An event that no component has does not exist in the network, and never happens.
        TinyProposition::Event(events) => Binding::Event(
            events.iter().filter_map(|it| network.signature().event(&format!("e{it}"))).collect(),
        ),
        TinyProposition::At(component, state) => {
            Binding::State(network.atom(&format!("P{component}@{state}")).expect("a place"))
        }
    };
    propositions.iter().map(meaning).collect()
}

fn acceptance(condition: &TinyCondition) -> Acceptance {
    match condition {
        TinyCondition::True => Acceptance::True,
        TinyCondition::False => Acceptance::False,
        TinyCondition::Inf(mark) => Acceptance::Inf(Mark(*mark)),
        TinyCondition::Fin(mark) => Acceptance::Fin(Mark(*mark)),
        TinyCondition::And(parts) => Acceptance::and(parts.iter().map(acceptance)),
        TinyCondition::Or(parts) => Acceptance::or(parts.iter().map(acceptance)),
    }
}

fn automaton_of(property: &TinyProperty) -> Automaton {
    let count = property.graph.propositions;
    let mut builder = Builder::new((0..count).map(|at| format!("p{at}")).collect());
    builder.add_states(property.graph.nodes);
    property.graph.initial.iter().for_each(|&it| builder.add_initial(StateId::from_index(it)));
    for edge in &property.graph.edges {
        let mut label = Label::FALSE;
        for letter in (0..1u32 << count).filter(|letter| edge.letters >> letter & 1 == 1) {
            let cube: Vec<_> = (0..count).map(|at| (Prop(at), letter >> at & 1 == 1)).collect();
            let cube = builder.letters_mut().cube(&cube).expect("a tiny diagram");
            label = builder.letters_mut().or(label, cube).expect("a tiny diagram");
        }
        let marks = (0..64).filter(|mark| edge.marks >> mark & 1 == 1).map(Mark).collect();
        builder.add_edge(
            StateId::from_index(edge.from),
            label,
            marks,
            StateId::from_index(edge.to),
        );
    }
    builder.set_acceptance(acceptance(&property.condition), 64);
    builder.build()
}

/// An automaton of the translator as the oracle reads it.
fn property_of(automaton: &Automaton, propositions: &[TinyProposition]) -> TinyProperty {
    // The automaton knows the atoms that the formula has, by name.
    let name = |text: &String| -> usize { text[1..].parse().expect("p0, p1 or p2") };
    let used = automaton.propositions().iter().map(|text| propositions[name(text)].clone());
    let used: Vec<TinyProposition> = used.collect();
    let mut edges = Vec::new();
    for state in automaton.states() {
        for edge in automaton.edges(state) {
            let on = |letter: &u32| {
                automaton.letters().holds(edge.label, |prop| letter >> prop.0 & 1 == 1)
            };
            let letters = (0..1u32 << used.len()).filter(on).fold(0, |set, it| set | 1 << it);
            let marks = automaton.marks(edge.marks).iter().fold(0, |set, it| set | 1 << it.0);
            edges.push(TinyEdge { from: state.index(), to: edge.target.index(), marks, letters });
        }
    }
    let clauses = automaton.acceptance().inf_clauses().expect("generalized Büchi");
    let condition = clauses
        .iter()
        .map(|clause| {
            TinyCondition::Or(clause.iter().map(|mark| TinyCondition::Inf(mark.0)).collect())
        })
        .collect();
    let graph = TinyGraph {
        nodes: automaton.state_count(),
        initial: automaton.initial().iter().map(|it| it.index()).collect(),
        propositions: used.len() as u32,
        edges,
    };
    TinyProperty { graph, condition: TinyCondition::And(condition), propositions: used }
}

fn translated(formula: &Ltl) -> Automaton {
    let mut formulas = Formulas::new();
    let read = formulas.parse(&formula.infix()).expect("a formula");
    translate(&mut formulas, read, &Options::default()).expect("a small one")
}

/// A run of the network as the oracle reads it.
fn run_of(
    network: &Explored<Network>,
    stem: &[(StateId, ActionId)],
    cycle: &[(StateId, ActionId)],
) -> TinyRun {
    let moves = |&(_, action): &(StateId, ActionId)| -> Vec<(usize, usize)> {
        let ids = network.action(action).moves.iter();
        ids.map(|&id| {
            let process = network.signature().moves[id.index()].process;
            let earlier = network.space().components()[..process.index()].iter();
            let offset: usize = earlier.map(|it| it.transitions().len()).sum();
            (process.index(), id.index() - offset)
        })
        .collect()
    };
    let first = stem.first().or(cycle.first()).expect("a run has a step").0;
    TinyRun {
        start: network.space().tuple(&network.row(first)).iter().map(|&it| it as usize).collect(),
        stem: stem.iter().map(moves).collect(),
        cycle: cycle.iter().map(moves).collect(),
    }
}

fn lasso_steps(
    product: &mut Product<'_, Explored<Network>>,
    lasso: &Lasso,
) -> [Vec<(StateId, ActionId)>; 2] {
    let mut steps = |hops: &[Hop]| -> Vec<(StateId, ActionId)> {
        let step =
            |hop: &Hop| (product.pair(hop.from).0, product.transition(hop.from, hop.nth).action);
        hops.iter().map(step).collect()
    };
    [steps(&lasso.stem), steps(&lasso.cycle)]
}

/// One network with one automaton, and what was asked about them.
struct Asked {
    seed: u64,
    tiny: TinyNetwork,
    system: TinySystem,
    network: Explored<Network>,
    property: TinyProperty,
    automaton: Automaton,
    bindings: Vec<Binding>,
    reading: EventPosition,
}

#[derive(Default)]
struct Counts {
    violated: u64,
    fair: u64,
    too_large: u64,
    by_engine: BTreeMap<&'static str, u64>,
}

impl Counts {
    fn combinations(&self) -> u64 {
        self.violated + self.fair
    }
}

impl Asked {
    fn new(seed: u64, tiny: TinyNetwork, property: TinyProperty, automaton: Automaton) -> Self {
        let mut network = network_of(&tiny);
        let bindings = bindings(&mut network, &property.propositions);
        let system = tiny.expand();
        let reading = EventPosition::Leaving;
        Asked { seed, tiny, system, network, property, automaton, bindings, reading }
    }

    /// The search is to read `automaton` with events entering; the oracle goes on reading its own
    /// property, which says the same with events leaving.
    fn entering(mut self, automaton: Automaton, propositions: &[TinyProposition]) -> Self {
        let used = property_of(&automaton, propositions).propositions;
        self.bindings = bindings(&mut self.network, &used);
        self.automaton = automaton;
        self.reading = EventPosition::Entering;
        self
    }

    /// Compares every engine with the oracle; gives the word of each run that was found.
    fn compare(
        &mut self,
        what: &str,
        constraints: &[Constraint],
        demands: &[TinyDemand],
        counts: &mut Counts,
    ) -> Vec<TinyRun> {
        let Some(expected) = has_fair_run(&self.system, demands, &self.property) else {
            counts.too_large += 1;
            return vec![];
        };
        *(if expected { &mut counts.violated } else { &mut counts.fair }) += 1;
        let mut runs = Vec::new();
        for engine in Engine::of_graphs() {
            let place = || format!("seed {}, {what}, {}: {}", self.seed, engine.name, self.tiny);
            let negation =
                Negation::new(&self.automaton, self.bindings.clone()).reading(self.reading);
            let mut product = Product::new(&mut self.network, negation, constraints.to_vec());
            if !engine.decides(fairly_omega::Graph::acceptance(&product)) {
                continue;
            }
            // Monitors multiply: beyond a few strong constraints `ndfs` would be all of the time.
            let strong = demands.iter().filter(|it| it.strong).count();
            if engine.choice == Choice::Reference && strong > MOST_MONITORS {
                continue;
            }
            *counts.by_engine.entry(engine.name).or_default() += 1;
            let answer = engine.find_path(&mut product).expect("the engine decides this");
            assert_eq!(answer.lasso.is_some(), expected, "{}", place());
            let Some(lasso) = answer.lasso else { continue };
            let [stem, cycle] = lasso_steps(&mut product, &lasso);
            let run = run_of(&self.network, &stem, &cycle);
            judge_run(&self.tiny, &self.system, demands, &self.property, &run)
                .unwrap_or_else(|wrong| panic!("{}: {wrong}", place()));
            runs.push(run);
        }
        runs.extend(self.compare_shared(what, constraints, demands, expected, counts));
        runs
    }

    /// The same by one worker or several at once: more with each seed.
    fn compare_shared(
        &mut self,
        what: &str,
        constraints: &[Constraint],
        demands: &[TinyDemand],
        expected: bool,
        counts: &mut Counts,
    ) -> Vec<TinyRun> {
        let mut runs = Vec::new();
        let workers = 1 + self.seed as usize % 3;
        let negation = Negation::new(&self.automaton, self.bindings.clone()).reading(self.reading);
        let space = self.network.space();
        let bounds = Bounds::default();
        let product = SharedProduct::new(space, negation, constraints.to_vec(), 1 << 24, bounds);
        let product = product.expect("memory");
        let place = || format!("seed {}, {what}, {workers} workers: {}", self.seed, self.tiny);
        *counts.by_engine.entry("ufscc").or_default() += 1;
        let alone = if self.seed.is_multiple_of(2) { 0 } else { ufscc::Options::ALONE };
        let kept = if self.seed.is_multiple_of(3) { ufscc::Options::KEPT } else { alone % 7 };
        let memory = 1 << 26;
        let options = ufscc::Options {
            workers,
            memory,
            nodes: None,
            alone,
            kept,
            stop: Stop::default(),
            watch: None,
        };
        let outcome = ufscc::search(&product, &options);
        assert_eq!((outcome.cut, product.cut()), (None, None), "{}", place());
        assert_eq!(outcome.lasso.is_some(), expected, "{}", place());
        let Some(lasso) = outcome.lasso else { return runs };
        let SharedRun { stem, cycle } = product.run(&lasso);
        drop(product);
        let [stem, cycle] = [stem, cycle].map(|steps| {
            let step = |step: SharedRunStep| (self.network.number(&step.row), step.action);
            steps.into_iter().map(step).collect::<Vec<_>>()
        });
        let run = run_of(&self.network, &stem, &cycle);
        judge_run(&self.tiny, &self.system, demands, &self.property, &run)
            .unwrap_or_else(|wrong| panic!("seed {}, {workers} workers: {wrong}", self.seed));
        runs.push(run);
        runs
    }

    /// All notions that are constraints, strong global fairness, and a mixture.
    fn compare_all(&mut self, rng: &mut Rng, counts: &mut Counts) -> Vec<TinyRun> {
        let mut runs = Vec::new();
        for tiny in TinyNotion::ALL {
            let demands = demands(&self.tiny, &self.system, tiny);
            if tiny == TinyNotion::Global {
                self.compare_global(&demands, counts);
                continue;
            }
            let constraints =
                notion_of(tiny).constraints(self.network.signature()).expect("constraints");
            runs.extend(self.compare(&format!("{tiny:?}"), &constraints, &demands, counts));
        }
        let (constraints, demands) = self.mixture(rng);
        let names: Vec<&str> = constraints.iter().map(|it| it.name.as_str()).collect();
        runs.extend(self.compare(&names.join(" "), &constraints, &demands, counts));
        runs
    }

    fn compare_global(&mut self, demands: &[TinyDemand], counts: &mut Counts) {
        let Some(expected) = has_fair_run(&self.system, demands, &self.property) else {
            counts.too_large += 1;
            return;
        };
        *(if expected { &mut counts.violated } else { &mut counts.fair }) += 1;
        let negation = Negation::new(&self.automaton, self.bindings.clone()).reading(self.reading);
        let found = global::find(&mut self.network, negation, vec![], Bounds::default());
        let found = found.expect("no bound is set");
        let place = format!("seed {}, global: {}", self.seed, self.tiny);
        assert_eq!(found.is_some(), expected, "{place}");
        if let Some(run) = found {
            let steps = |steps: &[fairly_system::RunStep]| -> Vec<(StateId, ActionId)> {
                steps.iter().map(|step| (step.from, step.action)).collect()
            };
            let run = run_of(&self.network, &steps(&run.stem), &steps(&run.cycle));
            judge_run(&self.tiny, &self.system, demands, &self.property, &run)
                .unwrap_or_else(|wrong| panic!("{place}: {wrong}"));
        }
    }

    /// A few constraints of different kinds, and the same for the oracle.
    fn mixture(&self, rng: &mut Rng) -> (Vec<Constraint>, Vec<TinyDemand>) {
        let (mut constraints, mut demands) = (Vec::new(), Vec::new());
        let moves = |wanted: &dyn Fn(usize, usize, usize) -> bool| -> Vec<MoveId> {
            let mut next = 0..;
            let mut found = Vec::new();
            for (at, component) in self.tiny.components.iter().enumerate() {
                for (number, it) in component.transitions.iter().enumerate() {
                    let id = MoveId::from_index(next.next().expect("endless"));
                    if wanted(at, number, it.event) {
                        found.push(id);
                    }
                }
            }
            found
        };
        for _ in 0..1 + rng.below(4) {
            let component = rng.below(self.tiny.components.len());
            let event = rng.below(self.tiny.events);
            let kind = *rng.pick(&TinyAnnotation::ALL);
            let strength = match kind {
                TinyAnnotation::WeakFair | TinyAnnotation::WeakLive => Strength::Weak,
                TinyAnnotation::StrongFair | TinyAnnotation::StrongLive => Strength::Strong,
            };
            let live = matches!(kind, TinyAnnotation::WeakLive | TinyAnnotation::StrongLive);
            match rng.below(3) {
                0 => {
                    let process = ProcessId::from_index(component);
                    let name = format!("P{component}");
                    constraints.push(Constraint::fair(strength, &name, Selector::Process(process)));
                    let strong = strength == Strength::Strong;
                    demands.push(process_demand(&self.system, strong, component));
                }
                1 => {
                    let Some(id) = self.network.signature().event(&format!("e{event}")) else {
                        continue;
                    };
                    let (name, selector) = (format!("e{event}"), Selector::Events(id.into()));
                    constraints.push(if live {
                        Constraint::live(strength, &name, selector)
                    } else {
                        Constraint::fair(strength, &name, selector)
                    });
                    demands.push(event_demand(&self.tiny, &self.system, kind, event));
                }
                _ => {
                    let chosen: Vec<usize> = (0..self.tiny.components[component].transitions.len())
                        .filter(|_| rng.chance(1, 2))
                        .collect();
                    let ids = moves(&|at, number, _| at == component && chosen.contains(&number));
                    let name = format!("P{component}.{chosen:?}");
                    constraints.push(if live {
                        Constraint::live(strength, &name, Selector::Moves(ids))
                    } else {
                        Constraint::fair(strength, &name, Selector::Moves(ids))
                    });
                    demands.push(moves_demand(&self.tiny, &self.system, kind, component, &chosen));
                }
            }
        }
        (constraints, demands)
    }
}

fn report(what: &str, first: u64, next: u64, counts: &Counts, taken: Duration) {
    let Counts { violated, fair, too_large, by_engine } = counts;
    println!(
        "{what}: seeds {first}..{next}, {violated} with and {fair} without a fair run, {too_large} \
         too large for the oracle, by engine {by_engine:?}, {taken:.1?}"
    );
}

#[test]
fn random_automata() {
    let (wanted, first) = (number("FAIRLY_RANDOM_CASES", 60_000), number("FAIRLY_SEED", 0));
    let (mut counts, started) = (Counts::default(), Instant::now());
    let mut seed = first;
    while counts.combinations() < wanted {
        let mut rng = Rng::new(seed);
        let tiny = random_network(&mut rng, &NetworkShape::default());
        let property = random_property(&mut rng, &tiny);
        let automaton = automaton_of(&property);
        Asked::new(seed, tiny, property, automaton).compare_all(&mut rng, &mut counts);
        seed += 1;
    }
    report("automata", first, seed, &counts, started.elapsed());
    let enough = wanted / 10;
    assert!(
        counts.violated > enough && counts.fair > enough,
        "{} {}",
        counts.violated,
        counts.fair
    );
    assert!(
        Engine::of_graphs()
            .all(|it| counts.by_engine.get(it.name).is_some_and(|&count| count > enough)),
        "{:?}",
        counts.by_engine
    );
}

#[test]
fn random_formulas() {
    let (wanted, first) = (number("FAIRLY_RANDOM_CASES", 20_000), number("FAIRLY_SEED", 0));
    let (mut counts, started) = (Counts::default(), Instant::now());
    let mut seed = first;
    while counts.combinations() < wanted {
        let mut rng = Rng::new(seed);
        let tiny = random_network(&mut rng, &NetworkShape::default());
        let propositions = random_propositions(&mut rng, &tiny, 3);
        let shape = LtlShape { size: 3 + rng.below(5), ..LtlShape::default() };
        let formula = random_formula(&mut rng, &shape);
        let automaton = translated(&formula);
        let property = property_of(&automaton, &propositions);
        let mut asked = Asked::new(seed, tiny, property, automaton);
        let runs = asked.compare_all(&mut rng, &mut counts);
        // The runs satisfy the formula by the definition of LTL, whatever the translator did.
        let judge = TinyProperty { propositions, ..TinyProperty::anything() };
        for run in runs {
            let word = word(&asked, &judge, &run);
            assert!(formula.holds(&word), "seed {seed}: {} on {word}", formula.infix());
        }
        seed += 1;
    }
    report("formulas", first, seed, &counts, started.elapsed());
    let enough = wanted / 20;
    assert!(
        counts.violated > enough && counts.fair > enough,
        "{} {}",
        counts.violated,
        counts.fair
    );
}

/// The propositions that are events, as bits of a letter.
fn event_bits(propositions: &[TinyProposition]) -> u8 {
    let is_event = |it: &TinyProposition| !matches!(it, TinyProposition::At(..));
    let numbered = propositions.iter().enumerate();
    numbered.filter(|(_, it)| is_event(it)).fold(0, |bits, (at, _)| bits | 1 << at)
}

/// Events that are read where they lead to. The oracle is asked about the formula that says the same
/// of the usual reading, and the runs found are judged on the word with the events moved.
#[test]
fn random_formulas_with_events_entering() {
    let (wanted, first) = (number("FAIRLY_RANDOM_CASES", 20_000), number("FAIRLY_SEED", 0));
    let (mut counts, started) = (Counts::default(), Instant::now());
    let (mut seed, mut different, mut runs_judged) = (first, 0u64, 0u64);
    while counts.combinations() < wanted {
        let mut rng = Rng::new(seed);
        let tiny = random_network(&mut rng, &NetworkShape::default());
        let propositions = random_propositions(&mut rng, &tiny, 3);
        let shape = LtlShape { size: 2 + rng.below(4), ..LtlShape::default() };
        let formula = random_formula(&mut rng, &shape);
        let events = event_bits(&propositions);
        let automaton = translated(&formula.events_entering(events));
        let property = property_of(&automaton, &propositions);
        let mut asked = Asked::new(seed, tiny, property, automaton)
            .entering(translated(&formula), &propositions);
        // `compare` also has the oracle judge every run by its own property.
        let runs = asked.compare_all(&mut rng, &mut counts);
        let judge = TinyProperty { propositions, ..TinyProperty::anything() };
        for run in runs {
            let word = word(&asked, &judge, &run);
            let moved = word.events_entering(events);
            assert!(formula.holds(&moved), "seed {seed}: {} on {moved}", formula.infix());
            different += u64::from(!formula.holds(&word));
            runs_judged += 1;
        }
        seed += 1;
    }
    report("entering", first, seed, &counts, started.elapsed());
    println!("{different} of {runs_judged} runs are none of the usual reading");
    let enough = wanted / 20;
    assert!(
        counts.violated > enough && counts.fair > enough,
        "{} {}",
        counts.violated,
        counts.fair
    );
    assert!(different > runs_judged / 20, "{different} of {runs_judged}");
}

/// The letters of a run.
fn word(asked: &Asked, letters: &TinyProperty, run: &TinyRun) -> TinyWord {
    let mut at = run.start.clone();
    let mut read = Vec::new();
    for moves in run.stem.iter().chain(&run.cycle) {
        let from = asked.system.states.iter().position(|it| *it == at).expect("judged already");
        let step = asked.system.steps.iter().find(|it| it.from == from && it.moves == *moves);
        let step = step.expect("judged already");
        read.push(letters.letter(&asked.system, step));
        at.clone_from(&asked.system.states[step.to]);
    }
    let cycle = read.split_off(run.stem.len());
    TinyWord { stem: read, cycle }
}

#[test]
fn feasibility_and_machine_closure() {
    let (wanted, first) = (number("FAIRLY_RANDOM_CASES", 20_000), number("FAIRLY_SEED", 0));
    let (mut seed, mut combinations) = (first, 0);
    // Infeasible, feasible but not machine closed, machine closed.
    let mut kinds = [0u64; 3];
    while combinations < wanted {
        let mut rng = Rng::new(seed);
        let tiny = random_network(&mut rng, &NetworkShape::default());
        let anything = TinyProperty::anything();
        let automaton = automaton_of(&anything);
        let mut asked = Asked::new(seed, tiny, anything, automaton);
        let mixture = asked.mixture(&mut rng);
        let notions = TinyNotion::ALL.iter().map(|&notion| {
            let demands = demands(&asked.tiny, &asked.system, notion);
            (
                format!("{notion:?}"),
                notion_of(notion).constraints(asked.network.signature()),
                demands,
            )
        });
        let questions: Vec<_> =
            notions.chain([("mixture".to_owned(), Some(mixture.0), mixture.1)]).collect();
        for (what, constraints, demands) in questions {
            let expected = is_feasible(&asked.system, &demands)
                .zip(is_machine_closed(&asked.system, &demands));
            let Some((feasible, closed)) = expected else { continue };
            let found = match constraints {
                Some(constraints) => {
                    closure::check(&mut asked.network, constraints, Bounds::default())
                }
                None => global::closure(&mut asked.network, vec![], Bounds::default()),
            };
            let found = found.expect("no bound is set");
            let place = format!("seed {seed}, {what}: {}", asked.tiny);
            assert_eq!((found.feasible, found.machine_closed()), (feasible, closed), "{place}");
            kinds[usize::from(feasible) + usize::from(closed)] += 1;
            combinations += 1;
        }
        seed += 1;
    }
    println!("closure: seeds {first}..{seed}, infeasible, not machine closed, closed: {kinds:?}");
    assert!(kinds.iter().all(|&count| count > wanted / 300), "{kinds:?}");
}

#[test]
fn inherent_fairness() {
    let (wanted, first) = (number("FAIRLY_RANDOM_CASES", 20_000), number("FAIRLY_SEED", 0));
    let (mut seed, mut combinations, mut different) = (first, 0, 0);
    let mut kinds = [0u64; 2];
    while combinations < wanted {
        let mut rng = Rng::new(seed);
        // Few events, so that one word has several runs.
        let most_components = 1 + (seed % 2) as usize;
        let shape = NetworkShape { most_components, most_states: 4, most_events: 2 };
        let tiny = random_network(&mut rng, &shape);
        // Random automata seldom tell the readings apart: they lose what they may not read.
        let (property, automaton) = if rng.chance(1, 3) {
            let property = random_property(&mut rng, &tiny);
            let automaton = automaton_of(&property);
            (property, automaton)
        } else {
            let propositions = random_propositions(&mut rng, &tiny, 2);
            let shape = LtlShape { size: 2 + rng.below(3), atoms: 2, operators: "!|XFG" };
            let formula = random_formula(&mut rng, &shape);
            let automaton = translated(&formula);
            (property_of(&automaton, &propositions), automaton)
        };
        let mut asked = Asked::new(seed, tiny, property, automaton);
        seed += 1;
        let ask = |prefixes| holds_inherently(&asked.system, &asked.property, prefixes);
        let Some((traces, runs)) = ask(Prefixes::Traces).zip(ask(Prefixes::Runs)) else { continue };
        assert!(traces || !runs, "seed {seed}: runs imply traces");
        different += u64::from(traces != runs);
        for (reading, expected) in [(PrefixKind::Trace, traces), (PrefixKind::Run, runs)] {
            for procedure in [Procedure::Naive, Procedure::SectionSix, Procedure::Improved] {
                let options = inherent::Options { reading, procedure, ..Default::default() };
                let bindings = asked.bindings.clone();
                let answer =
                    inherent::check(&mut asked.network, &asked.automaton, bindings, &options);
                let holds = answer.expect("no bound is set").verdict == inherent::Verdict::Holds;
                let seed = asked.seed;
                let place = format!("seed {seed}, {reading:?} {procedure:?}: {}", asked.tiny);
                assert_eq!(holds, expected, "{place}");
            }
            kinds[usize::from(expected)] += 1;
            combinations += 1;
        }
    }
    println!("inherent: seeds {first}..{seed}, violated and holds: {kinds:?}, {different} differ");
    // The readings differ only where the words of a doomed state all go on from another state, too.
    assert!(different > 0 && kinds.iter().all(|&count| count > wanted / 50), "{kinds:?}");
}
