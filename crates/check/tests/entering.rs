//! Events read where they lead to, as CSP# does: `(s0, –) (s1, e0) …`, not `(s0, e0) (s1, e1) …`.

use fairly_check::{Assumption, Least, Options, Outcome, check, ladder, least};
use fairly_explore::Explored;
use fairly_fairness::{Level, Notion, PrefixKind};
use fairly_system::{ComponentBuilder, Composition, EventPosition, Network};
use fairly_testkit::Rng;
use fairly_testkit::ltl::{LtlShape, random_formula};
use fairly_testkit::network::{NetworkShape, TinyProposition, random_network, random_propositions};

use crate::common::{self, holds, network_of, property, written};

/// `0 -on-> 1 -off-> 0 …`
fn switch() -> Explored<Network> {
    let mut builder = ComponentBuilder::new("P");
    for state in ["dark", "light"] {
        builder.add_state(state);
    }
    builder.add_initial(0);
    builder.add_transition(0, "on", 1, None);
    builder.add_transition(1, "off", 0, None);
    Explored::new(Network::new(vec![builder.build()], &Composition::default()).unwrap())
}

#[test]
fn the_two_readings_by_hand() {
    // The formula, whether it holds with events leaving, and with events entering.
    for (formula, leaving, entering) in [
        // A proposition that is true after the event, and one that is true before it.
        ("G(on -> \"P@light\")", false, true),
        ("G(on -> \"P@dark\")", true, false),
        ("G(off -> \"P@dark\")", false, true),
        // Nothing has happened at the first position.
        ("on", true, false),
        ("!on & !off", false, true),
        ("X on", false, true),
        ("on & X off", true, false),
        ("X(on & X off)", false, true),
        ("\"P@dark\" & X \"P@light\"", true, true),
        ("!off U on", true, true),
        ("G(on | off)", true, false),
        ("X G(on | off)", true, true),
        ("G(on -> X off)", true, true),
        // Premises, which become marks on letters.
        ("G F(on & \"P@light\") -> G F false", true, false),
        ("G F(on & \"P@dark\") -> G F false", false, true),
        ("F G !(off & \"P@dark\") -> false", false, true),
        ("(G F(on & \"P@light\") -> G F false) -> G F off", true, true),
        ("idle", false, false),
    ] {
        let mut network = switch();
        for (reading, expected) in
            [(EventPosition::Leaving, leaving), (EventPosition::Entering, entering)]
        {
            for notion in [
                Notion::None,
                Notion::Strong(Level::Event),
                Notion::Global,
                Notion::Inherent(PrefixKind::Trace),
                Notion::Inherent(PrefixKind::Run),
            ] {
                let mut property = property(&mut network, formula, reading);
                let found = holds(&mut network, &mut property, &Assumption::of(notion));
                assert_eq!(found, expected, "{formula} {reading:?} under {notion}");
            }
        }
    }
}

#[test]
fn an_antecedent_that_never_occurs_depends_on_the_reading() {
    let mut network = switch();
    let none = Assumption::of(Notion::None);
    for (formula, reading, vacuous) in [
        ("G(on && \"P@light\" -> F off)", EventPosition::Leaving, true),
        ("G(on && \"P@light\" -> F off)", EventPosition::Entering, false),
        // Only at the first position.
        ("G(!on && !off -> F on)", EventPosition::Leaving, true),
        ("G(!on && !off -> F on)", EventPosition::Entering, false),
    ] {
        let mut property = property(&mut network, formula, reading);
        let verdict = check(&mut network, &mut property, &none, &Options::default()).unwrap();
        assert!(matches!(verdict.outcome, Outcome::Holds(_)), "{formula} {reading:?}");
        let noted = verdict.notes.iter().any(|note| note.contains("never occurs"));
        assert_eq!(noted, vacuous, "{formula} {reading:?}: {:?}", verdict.notes);
    }
}

/// The formula with events entering against the formula that says the same with events leaving,
/// through everything that takes a property. Runs that are found are confirmed by the witness, which
/// has the definition.
#[test]
fn random_networks_with_events_moved_in_the_formula() {
    let seeds = common::seeds(400);
    let (mut yes, mut no, mut different) = (0u32, 0u32, 0u32);
    for seed in seeds.clone() {
        let mut rng = Rng::new(seed);
        let tiny = random_network(&mut rng, &NetworkShape::default());
        let propositions = random_propositions(&mut rng, &tiny, 3);
        let mut network = network_of(&tiny);
        let shape = LtlShape { size: 2 + rng.below(5), ..LtlShape::default() };
        let mut formula = random_formula(&mut rng, &shape);
        if rng.chance(1, 2) {
            // A premise is lifted out of the automaton.
            let premise = ["G F p0", "F G p1", "i G F p0 G F p1"][rng.below(3)];
            let text = format!("i {premise} {}", formula.lbt());
            formula = fairly_testkit::ltl::Ltl::from_lbt(&text).expect("well formed");
        }
        let numbered = propositions.iter().enumerate();
        let events = numbered
            .filter(|(_, it)| !matches!(it, TinyProposition::At(..)))
            .fold(0, |bits, (at, _)| bits | 1 << at);
        let text = written(&formula, &propositions, &network);
        let moved = written(&formula.events_entering(events), &propositions, &network);
        let place = format!("seed {seed}: {text}");
        let mut plain = property(&mut network, &text, EventPosition::Leaving);
        let mut one = property(&mut network, &text, EventPosition::Entering);
        let mut other = property(&mut network, &moved, EventPosition::Leaving);
        for notion in [
            Notion::None,
            Notion::Weak(Level::Process),
            Notion::Strong(Level::Event),
            Notion::StrongLive,
            Notion::Global,
            Notion::Inherent(PrefixKind::Run),
        ] {
            let assumption = Assumption::of(notion);
            let found = holds(&mut network, &mut one, &assumption);
            let expected = holds(&mut network, &mut other, &assumption);
            assert_eq!(found, expected, "{place} under {notion}");
            different += u32::from(found != holds(&mut network, &mut plain, &assumption));
            *(if found { &mut yes } else { &mut no }) += 1;
        }
        let options = Options::default();
        let climb = |network: &mut Explored<Network>, property: &mut _| -> Vec<Result<bool, _>> {
            let ladder = ladder(network, property, &[], &options).unwrap();
            // The traces of the two readings are not the same, so what is inherent in them is not.
            let same = ladder
                .rungs
                .into_iter()
                .filter(|rung| rung.notion != Notion::Inherent(PrefixKind::Trace));
            same.map(|rung| rung.holds).collect()
        };
        assert_eq!(climb(&mut network, &mut one), climb(&mut network, &mut other), "{place}");
        let sets = |network: &mut Explored<Network>, property: &mut _| {
            let answer = least(network, property, Level::Process, &[], &options).unwrap();
            let Least::Sets { mut sets, .. } = answer else { panic!("{place}: {answer:?}") };
            sets.sort();
            sets
        };
        assert_eq!(sets(&mut network, &mut one), sets(&mut network, &mut other), "{place}");
    }
    println!("seeds {seeds:?}: {yes} hold, {no} do not, {different} differ from the usual reading");
    assert!(seeds.end - seeds.start < 100 || yes.min(no).min(different) > 100);
}
