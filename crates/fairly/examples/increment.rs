//! Threads that increase a counter by reading and writing it: some increments are lost.

use fairly::{Model, check, weak};

/// So many threads, with a lock or without.
#[derive(Clone)]
struct Increment {
    threads: usize,
    has_lock: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Thread {
    Begins,
    Locked,
    Read(u8),
    Wrote,
    Over,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    count: u8,
    is_locked: bool,
    threads: Vec<Thread>,
}

/// The next line of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Next(usize);

impl Model for Increment {
    type State = State;
    type Action = Next;

    fn init(&self) -> Vec<State> {
        vec![State { count: 0, is_locked: false, threads: vec![Thread::Begins; self.threads] }]
    }

    fn actions(&self, _: &State, actions: &mut Vec<Next>) {
        actions.extend((0..self.threads).map(Next));
    }

    fn next(&self, state: &State, Next(thread): Next) -> Option<State> {
        let mut next = state.clone();
        next.threads[thread] = match state.threads[thread] {
            Thread::Begins if self.has_lock && state.is_locked => return None,
            Thread::Begins if self.has_lock => {
                next.is_locked = true;
                Thread::Locked
            }
            Thread::Begins | Thread::Locked => Thread::Read(state.count),
            Thread::Read(seen) => {
                next.count = seen + 1;
                Thread::Wrote
            }
            Thread::Wrote => {
                next.is_locked = false;
                Thread::Over
            }
            Thread::Over => return None,
        };
        Some(next)
    }

    fn processes(&self) -> Vec<String> {
        (0..self.threads).map(|thread| format!("T{thread}")).collect()
    }

    fn process(&self, Next(thread): &Next) -> usize {
        *thread
    }
}

fn is_over(state: &State) -> bool {
    state.threads.iter().all(|thread| *thread == Thread::Over)
}

fn loses_one(state: &State) -> bool {
    is_over(state) && usize::from(state.count) < state.threads.len()
}

#[test]
fn an_increment_is_lost_without_a_lock() {
    let race = Increment { threads: 2, has_lock: false };
    let verdict = check(&race).never("one is lost", loses_one).save_nothing().verdict();
    assert!(verdict.is_violated());
    assert_eq!(verdict.run().states().last().map(|state| state.count), Some(1));
    let locked = Increment { threads: 3, has_lock: true };
    check(&locked).never("one is lost", loses_one).assert_holds();
}

#[test]
fn every_thread_comes_to_its_end() {
    let locked = Increment { threads: 2, has_lock: true };
    check(&locked).assume(weak().processes()).eventually("over", is_over).assert_holds();
}
