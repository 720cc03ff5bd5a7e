//! A token ring: the token goes round, and the station that has it may work.

use fairly::{Model, check, ltl, weak};

/// So many stations. One that wants to work keeps the token until it has.
#[derive(Clone)]
struct Ring(usize);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    token: usize,
    wants: Vec<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Action {
    Want(usize),
    Work(usize),
    Pass(usize),
}

impl Ring {
    fn wants(&self, state: &State, station: usize) -> bool {
        state.wants[station]
    }
}

impl Model for Ring {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        vec![State { token: 0, wants: vec![false; self.0] }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for station in 0..self.0 {
            match (state.wants[station], state.token == station) {
                (true, true) => actions.push(Action::Work(station)),
                (true, false) => {}
                (false, true) => actions.extend([Action::Want(station), Action::Pass(station)]),
                (false, false) => actions.push(Action::Want(station)),
            }
        }
    }

    fn next(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        match action {
            Action::Want(station) => next.wants[station] = true,
            Action::Work(station) => next.wants[station] = false,
            Action::Pass(station) => next.token = (station + 1) % self.0,
        }
        Some(next)
    }

    fn processes(&self) -> Vec<String> {
        (0..self.0).map(|station| format!("S{station}")).collect()
    }

    fn process(&self, action: &Action) -> usize {
        match *action {
            Action::Want(station) | Action::Work(station) | Action::Pass(station) => station,
        }
    }
}

/// A station may find more work for ever, and keep the token: fair processes are not enough, fair steps are.
#[test]
fn a_station_may_keep_the_token_for_ever() {
    let ring = Ring(3);
    let model = ring.clone();
    let works = ltl("G (wants -> F Work.2)").atom("wants", move |s| model.wants(s, 2));
    let served = || check(&ring).property("served", works.clone()).save_nothing();
    let verdict = served().assume(weak().processes()).verdict();
    assert!(verdict.is_violated());
    assert!(verdict.run().actions().iter().all(|action| *action != Action::Work(2)));
    // A station that has worked passes the token on before it wants to work again, again and again.
    served().assume(weak().processes()).assume("sf(Pass.0)").assume("sf(Pass.1)").assert_holds();
}
