//! The table `bench/record/inherent.md`: the three procedures for inherent fairness side by side, and where each
//! gives up.
//!
//! The system takes `a` and `b` in any order. The property, that some `a` is followed by `b` after exactly `k`
//! steps, has an automaton of about `k` states that guesses the `a`; sets of its states are as many as sets of
//! places where an `a` was. Only counts are printed, which do not depend on how busy the machine is.

use std::fmt::Write;
use std::time::Duration;

use fairly_explore::Explored;
use fairly_logic::Formulas;
use fairly_search::inherent::{self, PrefixKind, Procedure, Verdict};
use fairly_search::{Binding, Bounds};
use fairly_system::{ComponentBuilder, Composition, EventSet, Network, TransitionSystem};
use fairly_translate::{Options, translate};

use crate::clock::timed;
use crate::units::{duration, grouped};

/// The procedures, in the order of the columns.
const COMPARED: [(&str, Procedure); 3] = [
    ("naive", Procedure::Naive),
    ("section-6", Procedure::SectionSix),
    ("improved", Procedure::Improved),
];

fn network() -> Explored<Network> {
    let mut builder = ComponentBuilder::new("P");
    let state = builder.add_state("s");
    builder.add_initial(state);
    builder.add_transition(state, "a", state, None);
    builder.add_transition(state, "b", state, None);
    let components = vec![builder.build()];
    Explored::new(Network::new(components, &Composition::default()).expect("names differ"))
}

/// Pairs and states of automata that a procedure built, and the time; `None` if that were too many.
fn run(steps: usize, procedure: Procedure, most: usize) -> Option<(usize, Duration)> {
    let mut network = network();
    let mut formulas = Formulas::new();
    let text = format!("F (a && {}b)", "X ".repeat(steps));
    let formula = formulas.parse(&text).expect("the property is well formed");
    let automaton = translate(&mut formulas, formula, &Options::default()).expect("it is small");
    let signature = network.signature();
    let atoms = formulas.atoms(formula);
    let events = |text: &str| Binding::Event(EventSet::matching(text, signature));
    let bindings = atoms.iter().map(|&atom| events(formulas.atom_of(atom).text())).collect();
    let bounds = Bounds { nodes: Some(most), ..Bounds::default() };
    let options =
        inherent::Options { reading: PrefixKind::Trace, procedure, bounds, ..Default::default() };
    let (answer, time) =
        timed(|| inherent::check(&mut network, &automaton, bindings, &options).ok());
    let answer = answer?;
    assert_eq!(answer.verdict, Verdict::Holds, "an `a` can always come");
    Some((answer.effort.pairs, time))
}

/// The table, in Markdown, with times beside the counts or without.
pub fn table(most: usize, with_times: bool) -> String {
    let mut text = format!(
        "# Inherent fairness\n\nThe property `F (a && X…X b)` of a system that takes `a` and `b` in any order. \
         Pairs of a state and a set, and states of\nautomata, that each procedure built; given up at {}.\n\n\
         | steps between |",
        grouped(most)
    );
    COMPARED.iter().for_each(|(name, _)| {
        let _ = write!(text, " {name} |");
        if with_times {
            text.push_str(" time |");
        }
    });
    text.push_str("\n|---:|");
    text.push_str(&"---:|".repeat(COMPARED.len() * if with_times { 2 } else { 1 }));
    text.push('\n');
    for steps in [2, 4, 6, 8, 10, 12, 14, 16, 18, 20] {
        let _ = write!(text, "| {steps} |");
        for (_, procedure) in COMPARED {
            let (pairs, time) = match run(steps, procedure, most) {
                Some((pairs, time)) => (grouped(pairs), duration(time)),
                None => ("given up".to_owned(), "–".to_owned()),
            };
            let _ = write!(text, " {pairs} |");
            if with_times {
                let _ = write!(text, " {time} |");
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_explode_for_two_procedures_and_not_for_the_third() {
        let most = 1_000;
        assert!(run(12, Procedure::Naive, most).is_none());
        assert!(run(12, Procedure::SectionSix, most).is_none());
        assert!(run(12, Procedure::Improved, most).is_some());
    }
}
