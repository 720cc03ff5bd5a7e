//! Models that stateright documents: liveness that it misses, and how many states its examples have.

use fairly::{Model, check};

/// A graph given by its edges.
#[derive(Clone)]
struct Edges(&'static [(u8, u8)]);

impl Model for Edges {
    type State = u8;
    type Action = u8;

    fn init(&self) -> Vec<u8> {
        vec![0]
    }

    fn actions(&self, state: &u8, actions: &mut Vec<u8>) {
        actions.extend(self.0.iter().filter(|edge| edge.0 == *state).map(|edge| edge.1));
    }

    fn next(&self, _: &u8, to: u8) -> Option<u8> {
        Some(to)
    }
}

/// A run that never leaves a cycle never comes to the odd number behind it.
#[test]
fn a_cycle_violates_an_eventuality() {
    let cycle = Edges(&[(0, 2), (2, 4), (4, 2)]);
    let verdict = check(&cycle).eventually("odd", |n| n % 2 == 1).save_nothing().verdict();
    assert!(verdict.is_violated());
    assert_eq!(verdict.run().states(), [0, 2, 4, 2]);
    assert_eq!(verdict.run().loops_to(), Some(1));
    let way_out = Edges(&[(0, 2), (2, 4), (4, 2), (4, 5)]);
    assert!(
        check(&way_out).eventually("odd", |n| n % 2 == 1).save_nothing().verdict().is_violated()
    );
}

/// A state that two paths lead to is looked at for both of them: one has met the odd number, the other has not.
#[test]
fn a_join_of_two_paths_violates_an_eventuality() {
    let join = Edges(&[(0, 1), (0, 2), (1, 4), (2, 4), (4, 6)]);
    let verdict = check(&join).eventually("odd", |n| n % 2 == 1).save_nothing().verdict();
    assert!(verdict.is_violated());
    assert_eq!(verdict.run().states(), [0, 2, 4, 6]);
    assert_eq!(verdict.run().loops_to(), None, "the last state is stuck");
}

/// Threads that increase a counter under a lock, each once: what a thread has read, and its line.
#[derive(Clone)]
pub(crate) struct IncrementLock(pub(crate) usize);

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Counted {
    pub(crate) count: u8,
    is_locked: bool,
    pub(crate) threads: Vec<(u8, u8)>,
}

impl Model for IncrementLock {
    type State = Counted;
    type Action = usize;

    fn init(&self) -> Vec<Counted> {
        vec![Counted { threads: vec![(0, 0); self.0], ..Counted::default() }]
    }

    fn actions(&self, _: &Counted, actions: &mut Vec<usize>) {
        actions.extend(0..self.0);
    }

    fn next(&self, state: &Counted, thread: usize) -> Option<Counted> {
        let mut next = state.clone();
        let (read, line) = &mut next.threads[thread];
        match *line {
            0 if !state.is_locked => next.is_locked = true,
            1 => *read = state.count,
            2 => next.count = *read + 1,
            3 => next.is_locked = false,
            _ => return None,
        }
        *line += 1;
        Some(next)
    }
}

/// With the lock, the threads go one after the other: 1 + n + n(n-1) + … orders of four steps each.
#[test]
fn the_increment_lock_has_as_many_states() {
    for (threads, states) in [(1, 5), (2, 17), (3, 61)] {
        let size = check(&IncrementLock(threads)).size().expect("finite");
        assert_eq!(size.states, states, "{threads} threads");
    }
    check(&IncrementLock(3))
        .always("counts", |s| {
            s.threads.iter().filter(|it| it.1 >= 3).count() == usize::from(s.count)
        })
        .never("both inside", |s| s.threads.iter().filter(|it| (1..4).contains(&it.1)).count() > 1)
        .assert_holds();
}
