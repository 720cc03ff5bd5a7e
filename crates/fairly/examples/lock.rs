use fairly::{Model, check, leads_to};

/// Two users of one lock that has no queue.
#[derive(Clone)]
struct Lock;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    holder: Option<usize>,
    waits: [bool; 2],
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Action {
    Ask(usize),
    Enter(usize),
    Leave(usize),
}

impl Model for Lock {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        vec![State { holder: None, waits: [false; 2] }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for user in 0..2 {
            if state.holder == Some(user) {
                actions.push(Action::Leave(user));
            } else if !state.waits[user] {
                actions.push(Action::Ask(user));
            } else if state.holder.is_none() {
                actions.push(Action::Enter(user));
            }
        }
    }

    fn next(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        match action {
            Action::Ask(user) => next.waits[user] = true,
            Action::Enter(user) => {
                next.holder = Some(user);
                next.waits[user] = false;
            }
            Action::Leave(_) => next.holder = None,
        }
        Some(next)
    }

    fn processes(&self) -> Vec<String> {
        vec!["User0".to_owned(), "User1".to_owned()]
    }

    fn process(&self, action: &Action) -> usize {
        match *action {
            Action::Ask(user) | Action::Enter(user) | Action::Leave(user) => user,
        }
    }
}

#[test]
fn whoever_waits_enters() {
    let served = leads_to(|s: &State| s.waits[0], |s: &State| s.holder == Some(0));
    check(&Lock).assume("sf(User0)").property("served", served).assert_holds();
}
