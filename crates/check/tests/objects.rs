//! The objects that a check is made of, printed and read back: their emptiness is the verdict.

use fairly_check::{Assumption, Object, Options, Parts, objects};
use fairly_explore::Explored;
use fairly_fairness::{Level, Notion};
use fairly_omega::emptiness::find_lasso;
use fairly_omega::formats::hoa;
use fairly_omega::ops::{ProductConfig, product};
use fairly_omega::{Acceptance, Automaton};
use fairly_system::{EventReading, Network};
use fairly_testkit::Rng;
use fairly_testkit::ltl::{LtlShape, random_formula};
use fairly_testkit::network::{NetworkShape, random_network, random_propositions};

use crate::common::{holds, network_of, property, seeds, written};

/// Prints an object and reads it back.
fn read(
    network: &mut Explored<Network>,
    object: Object,
    text: &str,
    reading: EventReading,
    notion: Notion,
) -> Option<Vec<Automaton>> {
    let mut property = property(network, text, reading);
    let assumption = Assumption::of(notion);
    let parts =
        Parts { property: Some(&mut property), assumption: &assumption, reading, most: 2_000 };
    let made = objects(network, object, parts, &Options::default()).ok()??;
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
        for reading in [EventReading::Leaving, EventReading::Entering] {
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
                read(&mut network, object, text, EventReading::Leaving, Notion::None)
                    .expect("small")
            };
            let (kripke, negation) = (get(Object::Kripke), get(Object::Negation));
            let mut asked = property(&mut network, text, EventReading::Leaving);
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

#[test]
fn conditions_are_those_of_the_papers() {
    let tiny = random_network(&mut Rng::new(2), &NetworkShape::default());
    let mut network = network_of(&tiny);
    let count = u32::try_from(tiny.components.len()).expect("few");
    let mut get = |object, notion| {
        read(&mut network, object, "true", EventReading::Leaving, notion).expect("small")
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
