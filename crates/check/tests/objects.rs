//! The objects that a check is made of, printed and read back: their emptiness is the verdict.

use fairly_check::{Assumption, Object, Options, Outcome, Parts, Property, check, objects};
use fairly_explore::Explored;
use fairly_fairness::{AnnotationLevel, Level, Notion};
use fairly_front::csp::syntax::Claim;
use fairly_omega::emptiness::find_lasso;
use fairly_omega::formats::hoa;
use fairly_omega::ops::{ProductConfig, product};
use fairly_omega::{Acceptance, Automaton};
use fairly_reduce::Reducible;
use fairly_system::{EventPosition, Network, TransitionSystem};
use fairly_testkit::Rng;
use fairly_testkit::ltl::{LtlShape, random_formula};
use fairly_testkit::network::{NetworkShape, random_network, random_propositions};

use crate::common::files::files;
use crate::common::languages::{CspFile, PromelaFile};
use crate::common::{holds, network_of, property, seeds, written};

/// Prints an object and reads it back.
fn read(
    network: &mut Explored<Network>,
    object: Object,
    text: &str,
    reading: EventPosition,
    notion: Notion,
) -> Option<Vec<Automaton>> {
    let mut property = property(network, text, reading);
    read_of(network, object, &mut property, &Assumption::of(notion), 2_000)
}

/// The same for a property that is there.
fn read_of<S: TransitionSystem>(
    system: &mut S,
    object: Object,
    property: &mut Property,
    assumption: &Assumption,
    most: usize,
) -> Option<Vec<Automaton>> {
    let reading = property.reading;
    let parts = Parts { property: Some(property), assumption, reading, most };
    let made = objects(system, object, parts, &Options::default()).ok()??;
    let printed: String = made.iter().map(hoa::print).collect();
    let back = hoa::parse(&printed).unwrap_or_else(|wrong| panic!("{wrong:?}\n{printed}"));
    assert_eq!(back.len(), made.len());
    Some(back)
}

fn is_empty(automaton: &Automaton) -> bool {
    find_lasso(&mut automaton.graph()).expect("small").is_none()
}

/// Whether no word is accepted by both.
fn meet(one: &Automaton, other: &Automaton) -> bool {
    is_empty(&product(one, other, &ProductConfig::default()).expect("small"))
}

#[test]
fn what_is_printed_has_the_same_verdict() {
    let shape = NetworkShape { most_components: 2, ..NetworkShape::default() };
    let mut answers = [0, 0];
    for seed in seeds(60) {
        let mut rng = Rng::new(seed);
        let tiny = random_network(&mut rng, &shape);
        let propositions = random_propositions(&mut rng, &tiny, 2);
        let formula =
            random_formula(&mut rng, &LtlShape { size: 6, atoms: 2, ..LtlShape::default() });
        let mut network = network_of(&tiny);
        let text = written(&formula, &propositions, &network);
        for reading in [EventPosition::Leaving, EventPosition::Entering] {
            let mut get = |object, notion| read(&mut network, object, &text, reading, notion);
            let Some(negation) = get(Object::Negation, Notion::None) else { continue };
            let system = get(Object::System, Notion::None).expect("a system");
            assert_eq!(*system[0].acceptance(), Acceptance::buchi());
            let weak = get(Object::WeaklyMonitored, Notion::None).expect("with its monitor");
            let strong = get(Object::StronglyMonitored, Notion::None).expect("with monitors");
            for notion in [
                Notion::None,
                Notion::Weak(Level::Process),
                Notion::Strong(Level::Process),
                Notion::Strong(Level::Event),
            ] {
                let whole = read(&mut network, Object::Product, &text, reading, notion);
                let fair = read(&mut network, Object::Fair, &text, reading, notion);
                let mut asked = property(&mut network, &text, reading);
                let expected = holds(&mut network, &mut asked, &Assumption::of(notion));
                let story = || format!("FAIRLY_SEED={seed} {tiny} {text} {reading:?} {notion}");
                assert_eq!(is_empty(&whole.expect("a product")[0]), expected, "{}", story());
                let fair = fair.expect("a fair system");
                assert_eq!(meet(&fair[0], &negation[0]), expected, "{}", story());
                let with = match notion {
                    Notion::None => Some(&system),
                    Notion::Weak(Level::Process) => Some(&weak),
                    Notion::Strong(Level::Process) => Some(&strong),
                    _ => None,
                };
                if let Some(with) = with {
                    assert_eq!(meet(&with[0], &negation[0]), expected, "{}", story());
                }
                answers[usize::from(expected)] += 1;
            }
        }
    }
    assert!(answers[0] > 50 && answers[1] > 50, "{answers:?}");
}

/// States of a product of the corpus that is printed, at the most; what has more is passed over.
const MOST: usize = 150;

/// Prints the product for a property of the corpus, and the system with its fairness, reads them back, and
/// compares with the verdict; whether they were small enough.
fn compare<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    assumption: &Assumption,
    what: &str,
) -> Option<bool> {
    let whole = read_of(system, Object::Product, property, assumption, MOST)?;
    let fair = read_of(system, Object::Fair, property, assumption, MOST)?;
    let negation = read_of(system, Object::Negation, property, assumption, MOST)?;
    let answer = check(system, property, assumption, &Options::default()).ok()?;
    let expected = match answer.outcome {
        Outcome::Holds(_) => true,
        Outcome::Violated(_) | Outcome::Doomed(_) => false,
        Outcome::Unknown(_) => return None,
    };
    assert_eq!(is_empty(&whole[0]), expected, "{what}: the product, under {assumption}");
    assert_eq!(meet(&fair[0], &negation[0]), expected, "{what}: fair system, under {assumption}");
    Some(expected)
}

const NOTIONS: [Notion; 4] = [
    Notion::None,
    Notion::Weak(Level::Process),
    Notion::Strong(Level::Event),
    Notion::Annotated(AnnotationLevel::Name),
];

/// The automata that the command prints for the corpus and the examples of the papers are empty exactly if the command says "holds".
#[test]
fn the_corpus_is_printed_with_its_verdicts() {
    let mut answers = [0, 0];
    let mut count = |answer: Option<bool>| {
        answer.into_iter().for_each(|holds| answers[usize::from(holds)] += 1);
    };
    for path in files(&["corpus/systems"], "net") {
        let what = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("a file");
        let case = fairly_front::case::parse(&text).expect("a case");
        for property in &case.properties {
            let mut network = Explored::new(case.network().expect("a network"));
            let reading = EventPosition::Leaving;
            let mut property = self::property(&mut network, &property.formula.text, reading);
            for notion in NOTIONS {
                let mut assumption = Assumption::of(notion);
                for constraint in &case.constraints {
                    assumption.add(constraint, &mut network).expect("its names");
                }
                count(compare(&mut network, &mut property, &assumption, &what));
            }
        }
    }
    for path in files(&["corpus/csp", "examples/csp/paper"], "csp") {
        let what = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("a file");
        let Ok(mut file) = CspFile::parse(&text) else { continue };
        for assertion in file.specification().assertions.clone() {
            let Claim::Satisfies(formula) = &assertion.claim else { continue };
            let Ok(system) = file.system(&assertion.process) else { continue };
            let Ok(mut property) = file.property(system, "it", formula) else { continue };
            let system = file.interpreter(system);
            for notion in NOTIONS {
                count(compare(system, &mut property, &Assumption::of(notion), &what));
            }
        }
    }
    for path in files(&["corpus/promela", "examples/promela/paper"], "pml") {
        let what = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("a file");
        let Ok(mut file) = PromelaFile::parse(&text, &[]) else { continue };
        for question in file.questions() {
            let Ok(Some(mut property)) = file.property(&question) else { continue };
            let system = file.interpreter();
            for notion in &NOTIONS[..3] {
                count(compare(system, &mut property, &Assumption::of(*notion), &what));
            }
        }
    }
    println!("violated and held: {answers:?}");
    assert!(answers[0] > 100 && answers[1] > 100, "{answers:?}");
}

#[test]
fn kripke_structures_read_the_states_that_steps_lead_to() {
    let mut answers = [0, 0];
    for seed in seeds(100) {
        let mut rng = Rng::new(seed);
        let tiny = random_network(&mut rng, &NetworkShape::default());
        let mut network = network_of(&tiny);
        for text in ["G F \"P0@0\"", "\"P0@0\" U \"P0@1\"", "F G !\"P0@0\"", "X \"P0@0\""] {
            if tiny.components[0].states < 2 {
                continue;
            }
            let mut get = |object| {
                read(&mut network, object, text, EventPosition::Leaving, Notion::None)
                    .expect("small")
            };
            let (kripke, negation) = (get(Object::Kripke), get(Object::Negation));
            let mut asked = property(&mut network, text, EventPosition::Leaving);
            let expected = holds(&mut network, &mut asked, &Assumption::of(Notion::None));
            assert_eq!(
                meet(&kripke[0], &negation[0]),
                expected,
                "FAIRLY_SEED={seed} {tiny} {text}"
            );
            answers[usize::from(expected)] += 1;
        }
    }
    assert!(answers[0] > 50 && answers[1] > 50, "{answers:?}");
}

/// Each process is an automaton of its own, with the events that it takes part in.
#[test]
fn processes_are_automata() {
    let text = "
component P {
  initial 0
  0 -a-> 1
  1 -s-> 0
}
component Q {
  initial 0
  0 -b-> 1
  1 -c-> 0
  0 -s-> 0
}
";
    let case = fairly_front::case::parse(text).expect("a network");
    let mut network = Explored::new(case.network().expect("a network"));
    let assumption = Assumption::of(Notion::None);
    let reading = EventPosition::Leaving;
    let mut parts = |object| {
        let parts = Parts { property: None, assumption: &assumption, reading, most: 100 };
        objects(&mut network, object, parts, &Options::default()).expect("made").expect("small")
    };
    let alone = parts(Object::Processes);
    let sizes: Vec<_> = alone.iter().map(|it| (it.state_count(), it.edge_count())).collect();
    assert_eq!(sizes, [(2, 2), (2, 3)]);
    assert_eq!(alone[0].name(), Some("P"));
    let mut events = alone[1].propositions().to_vec();
    events.sort();
    assert_eq!(events, ["b", "c", "s"]);
    assert_eq!(parts(Object::System)[0].state_count(), 4);
}

/// Components read nothing of each other, so their asynchronous product has the states of the system.
#[test]
fn without_values_the_asynchronous_product_is_the_system() {
    for seed in 0..200 {
        let tiny = random_network(&mut Rng::new(seed), &NetworkShape::default());
        let mut network = network_of(&tiny);
        let assumption = Assumption::of(Notion::None);
        let mut get = |object| {
            let reading = EventPosition::Leaving;
            let parts = Parts { property: None, assumption: &assumption, reading, most: 10_000 };
            let made = objects(&mut network, object, parts, &Options::default());
            made.expect("made").expect("small").remove(0)
        };
        let (product, system) = (get(Object::Interleaving), get(Object::System));
        assert_eq!(product.state_count(), system.state_count(), "seed {seed}: {tiny}");
        assert_eq!(product.initial().len(), system.initial().len(), "seed {seed}: {tiny}");
        let names = |automaton: &Automaton| {
            let names = automaton.states().map(|it| automaton.state_name(it).unwrap().to_owned());
            let mut names: Vec<String> = names.collect();
            names.sort();
            names
        };
        assert_eq!(names(&product), names(&system), "seed {seed}: {tiny}");
    }
}

#[test]
fn conditions_are_those_of_the_papers() {
    let tiny = random_network(&mut Rng::new(2), &NetworkShape::default());
    let mut network = network_of(&tiny);
    let count = u32::try_from(tiny.components.len()).expect("few");
    let mut get = |object, notion| {
        read(&mut network, object, "true", EventPosition::Leaving, notion).expect("small")
    };
    let weak = get(Object::Fair, Notion::Weak(Level::Process));
    assert_eq!(*weak[0].acceptance(), Acceptance::generalized_buchi(count));
    let strong = get(Object::Fair, Notion::Strong(Level::Process));
    assert_eq!(*strong[0].acceptance(), Acceptance::streett(count));
    let monitor = get(Object::WeakMonitor, Notion::None);
    assert_eq!((monitor.len(), monitor[0].state_count()), (1, tiny.components.len() + 1));
    let monitors = get(Object::StrongMonitors, Notion::None);
    assert_eq!(monitors.len(), tiny.components.len());
    assert!(monitors.iter().all(|it| it.state_count() == 3));
}
