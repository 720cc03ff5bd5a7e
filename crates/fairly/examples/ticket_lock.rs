//! A ticket lock: everyone who comes draws a number, and is served when it is called.

use fairly::{Model, check, leads_to, weak};

/// A lock for so many threads. Numbers are drawn modulo the number of threads, so that there are finitely many.
#[derive(Clone)]
struct TicketLock {
    threads: usize,
    /// Whether threads draw in two steps: they read the counter, and write it later.
    is_torn: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Thread {
    Outside,
    Read(usize),
    Waits(usize),
    Inside,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    threads: Vec<Thread>,
    next: usize,
    serving: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Action {
    Read(usize),
    Draw(usize),
    Enter(usize),
    Leave(usize),
}

impl Model for TicketLock {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        vec![State { threads: vec![Thread::Outside; self.threads], next: 0, serving: 0 }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (me, thread) in state.threads.iter().enumerate() {
            match *thread {
                Thread::Outside if self.is_torn => actions.push(Action::Read(me)),
                Thread::Outside | Thread::Read(_) => actions.push(Action::Draw(me)),
                Thread::Waits(ticket) if ticket == state.serving => actions.push(Action::Enter(me)),
                Thread::Waits(_) => {}
                Thread::Inside => actions.push(Action::Leave(me)),
            }
        }
    }

    fn next(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        match action {
            Action::Read(me) => next.threads[me] = Thread::Read(state.next),
            Action::Draw(me) => {
                let ticket = match state.threads[me] {
                    Thread::Read(seen) => seen,
                    _ => state.next,
                };
                next.threads[me] = Thread::Waits(ticket);
                next.next = (ticket + 1) % self.threads;
            }
            Action::Enter(me) => next.threads[me] = Thread::Inside,
            Action::Leave(me) => {
                next.threads[me] = Thread::Outside;
                next.serving = (state.serving + 1) % self.threads;
            }
        }
        Some(next)
    }

    fn processes(&self) -> Vec<String> {
        (0..self.threads).map(|thread| format!("T{thread}")).collect()
    }

    fn process(&self, action: &Action) -> usize {
        match *action {
            Action::Read(me) | Action::Draw(me) | Action::Enter(me) | Action::Leave(me) => me,
        }
    }
}

fn inside(state: &State) -> usize {
    state.threads.iter().filter(|thread| **thread == Thread::Inside).count()
}

#[test]
fn everyone_is_served_in_turn() {
    let lock = TicketLock { threads: 3, is_torn: false };
    let served = leads_to(
        |s: &State| matches!(s.threads[2], Thread::Waits(_)),
        |s: &State| s.threads[2] == Thread::Inside,
    );
    check(&lock)
        .assume(weak().processes())
        .always("exclusive", |s| inside(s) <= 1)
        .property("served", served)
        .assert_holds();
}

/// The number has to be drawn in one step.
#[test]
fn a_number_that_is_read_and_written_is_drawn_twice() {
    let torn = TicketLock { threads: 2, is_torn: true };
    let verdict = check(&torn).always("exclusive", |s| inside(s) <= 1).save_nothing().verdict();
    assert!(verdict.is_violated());
    let run = verdict.run();
    let reads = run.actions().iter().filter(|action| matches!(action, Action::Read(_))).count();
    assert_eq!(reads, 2, "{run}");
    assert_eq!(run.replay(&torn).expect("the same run").states(), run.states());
    assert!(run.replay(&TicketLock { threads: 2, is_torn: false }).is_err());
}
