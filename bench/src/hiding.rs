//! Hiding for inherent fairness: a family on which the check of the abstraction is exponentially cheaper than that of the
//! system.
//!
//! The system takes `a` and `b` in any order, beside `n` switches that are turned on and off at will. A promise about
//! `a` and `b` is asked of the whole system, which has 2ⁿ states, and of what is seen when the switches are hidden, which
//! has one. Deciding that the abstraction carries over closes a set of states after every word of the system, which is
//! quadratic in its states where a set holds many of them, as here. It is done once, for all promises together; asking
//! takes the product with the automaton of each.

use std::fmt::Write;
use std::time::Duration;

use fairly_explore::Explored;
use fairly_fairness::PrefixKind;
use fairly_logic::Formulas;
use fairly_search::hiding::hide;
use fairly_search::inherent::{self, Verdict};
use fairly_search::{Binding, Bounds};
use fairly_system::{
    Component, ComponentBuilder, Composition, EventSet, Network, TransitionSystem,
};
use fairly_translate::{Options, translate};

use crate::clock::timed;
use crate::units::{duration, grouped};

/// What is promised: of the whole system and of the abstraction alike, since it does not matter when switches are turned.
const PROMISE: &str = "G F a && G F b && G (a -> F b) && F G (b -> F a)";

fn component(name: &str, moves: &[(u32, &str, u32)]) -> Component {
    let mut builder = ComponentBuilder::new(name);
    let states = moves.iter().map(|step| step.0.max(step.2)).max().unwrap_or(0);
    (0..=states).for_each(|state| _ = builder.add_state(state.to_string()));
    builder.add_initial(0);
    for &(from, event, to) in moves {
        builder.add_transition(from, event, to, None);
    }
    builder.build()
}

/// The system with so many switches.
pub fn network(switches: usize) -> Explored<Network> {
    let mut components = vec![component("P", &[(0, "a", 0), (0, "b", 0)])];
    for at in 0..switches {
        let (on, off) = (format!("on.{at}"), format!("off.{at}"));
        let moves = [(0, on.as_str(), 1), (1, off.as_str(), 0)];
        components.push(component(&format!("S{at}"), &moves));
    }
    Explored::new(Network::new(components, &Composition::default()).expect("names differ"))
}

/// Nodes and pairs of a check, and its time.
fn asked<S: TransitionSystem>(system: &mut S) -> (usize, usize, Duration) {
    let mut formulas = Formulas::new();
    let formula = formulas.parse(PROMISE).expect("the promise is well formed");
    let automaton = translate(&mut formulas, formula, &Options::default()).expect("it is small");
    let signature = system.signature();
    let events = |text: &str| Binding::Event(EventSet::matching(text, signature));
    let atoms = formulas.atoms(formula);
    let bindings = atoms.iter().map(|&atom| events(formulas.atom_of(atom).text())).collect();
    let (answer, time) = timed(|| {
        inherent::check(system, &automaton, bindings, &inherent::Options::default())
            .expect("there is no bound")
    });
    assert_eq!(answer.verdict, Verdict::Holds, "either event can always come");
    (answer.effort.nodes, answer.effort.pairs, time)
}

/// What is hidden.
fn hidden() -> Vec<String> {
    vec!["on.*".to_owned(), "off.*".to_owned()]
}

/// The table, in Markdown.
pub fn table(most: usize) -> String {
    let mut text = String::from(
        "| switches | states | whole: nodes | pairs | time | hiding, once: time | states left | abstraction: nodes | \
         pairs | time |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for switches in (2..=most).step_by(2) {
        let mut whole = network(switches);
        let (nodes, pairs, time) = asked(&mut whole);
        let (made, hiding) = timed(|| {
            hide(&mut network(switches), &hidden(), PrefixKind::Trace, Bounds::default())
                .expect("an `a` can always come")
        });
        assert_eq!(made.broken, None, "switches decide nothing");
        let mut small = Explored::new(made.network);
        let (few_nodes, few_pairs, short) = asked(&mut small);
        let _ = writeln!(
            text,
            "| {switches} | {} | {} | {} | {} | {} | {} | {few_nodes} | {few_pairs} | {} |",
            grouped(made.whole),
            grouped(nodes),
            grouped(pairs),
            duration(time),
            duration(hiding),
            made.left,
            duration(short),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_abstraction_stays_small() {
        let mut sizes = Vec::new();
        for switches in [2, 6] {
            let made =
                hide(&mut network(switches), &hidden(), PrefixKind::Trace, Bounds::default());
            let made = made.expect("an `a` can always come");
            assert_eq!((made.whole, made.left, &made.broken), (1 << switches, 1, &None));
            let whole = asked(&mut network(switches)).0;
            let small = asked(&mut Explored::new(made.network)).0;
            sizes.push((whole, small));
        }
        assert_eq!(sizes[0].1, sizes[1].1, "the abstraction does not grow");
        assert!(sizes[1].0 >= 8 * sizes[0].0, "the system does: {sizes:?}");
    }
}
