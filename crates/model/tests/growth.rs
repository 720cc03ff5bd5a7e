//! Growth in the states that were met.

use fairly_explore::Explored;
use fairly_model::{ModelSpace, text};
use fairly_system::{Grown, Growth, TransitionSystem, Trend};

/// One process that does some things for ever, explored breadth first up to some states.
fn explored(variables: &str, steps: &[&str], states: usize) -> Option<Growth> {
    let edge = |step: &&str| {
        let (guard, effect) = step.split_once("do").expect("an effect");
        format!("-> q0 {guard} on e1 do{effect} as tick\n")
    };
    let edges: String = steps.iter().map(edge).collect();
    let model = text::parse(&format!(
        "model atomicity priority, exit any
         event e0 idle : idle
         event e1 tick : visible
         {variables}
         template t0 P parameters 0 {{ location q0 on {{ {edges} }} }}
         slot p0 P : t0 start t0()"
    ))
    .expect("a model");
    let mut system = Explored::new(ModelSpace::new(model, None));
    let mut queue = system.initial();
    let (mut at, mut enabled) = (0, Vec::new());
    while at < queue.len() && at < states {
        enabled.clear();
        system.enabled(queue[at], &mut enabled);
        for step in &enabled {
            if step.target.index() == queue.len() {
                queue.push(step.target);
            }
        }
        at += 1;
    }
    system.growth()
}

const INT: &str = "-2147483648..2147483647";

#[test]
fn a_counter_grows_and_the_faster_one_is_named() {
    let variables = format!("variable g0 x : {INT} = 0\nvariable g1 y : {INT} = 0");
    let steps = ["do { g0 := g0 + 1 }", "if g0 % 4 == 0 do { g1 := g1 - 1 }"];
    let growth = explored(&variables, &steps, 2000).expect("both grow");
    assert_eq!(growth.what, Grown::Variable("x".to_owned()));
    assert!(matches!(growth.trend, Trend::Rises(most) if most > 20), "{growth:?}");
    assert_eq!(growth.others, ["`y`"]);
    assert_eq!(growth.states, growth.compared);
}

#[test]
fn what_is_bounded_does_not_grow() {
    let small = "variable g0 x : wrap 0..255 = 0\nvariable g1 y : wrap 0..255 = 0";
    let count = ["do { g0 := g0 + 1 }", "do { g1 := g1 + 1 }"];
    assert_eq!(explored(small, &count, 2000), None);
    let large = format!("variable g0 x : {INT} = 0\nvariable g1 y : {INT} = 0");
    let both = |limit: i64| {
        [
            format!("if g0 < {limit} do {{ g0 := g0 + 1 }}"),
            format!("if g1 < {limit} do {{ g1 := g1 + 1 }}"),
        ]
    };
    // It may stop there, and does; or it has gone beyond it.
    let [one, other] = both(900);
    assert_eq!(explored(&large, &[&one, &other], 2000), None);
    let beyond = ["if g0 != 5 || g1 > 3 do { g0 := g0 + 1 }", "do { g1 := g1 + 1 }"];
    assert!(explored(&large, &beyond, 2000).is_some());
}

#[test]
fn few_states_say_nothing() {
    let variables = format!("variable g0 x : {INT} = 0");
    assert_eq!(explored(&variables, &["do { g0 := g0 + 1 }"], 100), None);
    assert!(explored(&variables, &["do { g0 := g0 + 1 }"], 200).is_some());
}
