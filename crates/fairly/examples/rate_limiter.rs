//! A rate limiter: requests take tokens from a bucket that is filled again with time.

use fairly::{Model, check, leads_to, strong, weak};

/// Two clients and a bucket of so many tokens.
#[derive(Clone)]
struct Limiter {
    bucket: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    tokens: u8,
    /// Who waits for an answer.
    waits: [bool; 2],
    /// Requests that were let through since the last tick.
    passed: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Action {
    Tick,
    Ask(usize),
    Pass(usize),
}

impl Model for Limiter {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        vec![State { tokens: self.bucket, waits: [false; 2], passed: 0 }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.push(Action::Tick);
        for client in 0..2 {
            match state.waits[client] {
                false => actions.push(Action::Ask(client)),
                true if state.tokens > 0 => actions.push(Action::Pass(client)),
                true => {}
            }
        }
    }

    fn next(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        match action {
            Action::Tick => {
                next.tokens = self.bucket.min(state.tokens + 1);
                next.passed = 0;
            }
            Action::Ask(client) => next.waits[client] = true,
            Action::Pass(client) => {
                next.waits[client] = false;
                next.tokens -= 1;
                next.passed += 1;
            }
        }
        Some(next)
    }

    fn processes(&self) -> Vec<String> {
        ["Clock", "Client0", "Client1"].map(str::to_owned).to_vec()
    }

    fn process(&self, action: &Action) -> usize {
        match *action {
            Action::Tick => 0,
            Action::Ask(client) | Action::Pass(client) => client + 1,
        }
    }
}

#[test]
fn no_more_than_a_bucket_goes_through_between_ticks() {
    let limiter = Limiter { bucket: 2 };
    check(&limiter)
        .always("limited", |s| s.passed <= 2)
        .always("full", |s| s.tokens <= 2)
        .assert_holds();
}

/// A client can be late for every token: it needs a limiter that is fair to its clients.
#[test]
fn a_client_may_be_late_for_every_token() {
    let limiter = Limiter { bucket: 1 };
    let served = || {
        let served = leads_to(|s: &State| s.waits[0], "Pass.0");
        check(&limiter).property("served", served).save_nothing()
    };
    assert!(served().assume(weak().processes()).verdict().is_violated());
    served().assume(weak().process("Clock")).assume(strong().process("Client0")).assert_holds();
}
