//! Aldebaran files.

use fairly_omega::formats::aut::{parse, print};
use fairly_omega::formats::{Format, PrintError};
use fairly_omega::{Acceptance, Builder, Label, StateId};

use super::random::Random;

#[test]
fn styles_of_cadp_and_mcrl2() {
    let automaton = parse(
        "des (1, 5, 3)\r\n(0, PUSH !1, 1)\n\n (1,\"a(1, \"x\")\",2) \n(1, \"PUSH !1\", 2)\n( 2 , i , 0 )\n(2,,0)",
    )
    .unwrap();
    assert_eq!(automaton.propositions(), ["PUSH !1", "a(1, \"x\")", "i", ""]);
    assert_eq!(automaton.initial(), [StateId(1)]);
    assert_eq!((automaton.state_count(), automaton.edge_count()), (3, 5));
    // Exactly one event is true in a letter.
    let label = automaton.edges(StateId(1))[1].label;
    assert_eq!(label, automaton.edges(StateId(0))[0].label);
    let holds = |events: &[u32]| automaton.letters().holds(label, |p| events.contains(&p.0));
    assert!(holds(&[0]) && !holds(&[]) && !holds(&[0, 1]) && !holds(&[1]));
    assert_eq!(parse(&print(&automaton).unwrap()).unwrap(), automaton);
}

#[test]
fn a_lonely_initial_state() {
    let automaton = parse("des (0, 0, 1)").unwrap();
    assert_eq!((automaton.state_count(), automaton.edge_count()), (1, 0));
}

#[test]
fn declared_numbers_buy_no_memory() {
    assert_eq!(parse("des (0,1000000000,1000000000)").unwrap_err().code, "E0405");
    assert_eq!(parse("des (0,0,1000000000)").unwrap_err().code, "E0406");
    assert_eq!(parse("des (0,0,99999999999999999999999)").unwrap_err().code, "E0403");
    assert_eq!(parse("").unwrap_err().code, "E0401");
}

#[test]
fn print_then_parse_is_the_identity() {
    for seed in 0..1000 {
        let mut random = Random::new(seed);
        let states = 1 + random.below(8);
        let transitions = random.below(20);
        let mut text = format!("des ({}, {transitions}, {states})\n", random.below(states));
        for _ in 0..transitions {
            let event = random.name().replace('\n', "N");
            let (from, to) = (random.below(states), random.below(states));
            text += &format!("({from}, \"{event}\", {to})\n");
        }
        let automaton = parse(&text).unwrap();
        let printed = print(&automaton).unwrap();
        assert_eq!(parse(&printed).unwrap(), automaton, "{seed}\n{text}\n{printed}");
    }
}

#[test]
fn what_would_be_lost_is_refused() {
    let mut builder = Builder::new(vec!["a".into(), "b".into()]);
    let state = builder.add_state();
    builder.add_edge(state, Label::TRUE, Default::default(), state);
    let none = builder.clone().build();
    let format = Format::Aldebaran;
    assert_eq!(print(&none), Err(PrintError::InitialStates { format, found: 0 }));
    builder.add_initial(state);
    let a = builder.letters_mut().prop(fairly_omega::Prop(0)).unwrap();
    builder.add_edge(state, a, Default::default(), state);
    let plain = builder.clone().build();
    assert_eq!(print(&plain).unwrap(), "des (0, 2, 1)\n(0, \"1\", 0)\n(0, \"a\", 0)\n");
    builder.set_acceptance(Acceptance::buchi(), 1);
    let lost = print(&builder.build()).unwrap_err();
    assert!(matches!(lost, PrintError::Acceptance { .. }), "{lost}");
}
