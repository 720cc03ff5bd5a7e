//! Emptiness is NP-complete for conditions with several `Fin` in a clause. Such a question may go
//! unanswered, but it ends, and it is never answered wrongly.

use fairly_omega::emptiness::{self, Algorithm, EmptinessError};
use fairly_omega::{Acceptance, Automaton, Builder, Label, Mark, MarkSet};

/// One state whose loops each carry one of two marks of a pair; a run must leave out one mark of
/// every pair, but the only edge with the last mark carries both of the last pair.
fn pairs(count: u32) -> Automaton {
    let mut builder = Builder::new(vec![]);
    let last = Mark(2 * count);
    let condition = (0..count)
        .map(|pair| {
            Acceptance::or([Acceptance::Fin(Mark(2 * pair)), Acceptance::Fin(Mark(2 * pair + 1))])
        })
        .chain([Acceptance::Inf(last)]);
    builder.set_acceptance(Acceptance::and(condition), 2 * count + 1);
    let here = builder.add_state();
    builder.add_initial(here);
    for mark in (0..2 * (count - 1)).map(Mark) {
        builder.add_edge(here, Label::TRUE, MarkSet::from_iter([mark]), here);
    }
    let all = MarkSet::from_iter([Mark(2 * count - 2), Mark(2 * count - 1), last]);
    builder.add_edge(here, Label::TRUE, all, here);
    builder.build()
}

#[test]
fn small_ones_are_answered_and_large_ones_end() {
    let algorithm = Algorithm::Streett;
    let small = emptiness::check(&mut pairs(8).graph(), algorithm).unwrap();
    assert!(small.lasso.is_none());
    let large = emptiness::check(&mut pairs(40).graph(), algorithm);
    assert!(matches!(large, Err(EmptinessError::TooHard(_))), "{large:?}");
}
