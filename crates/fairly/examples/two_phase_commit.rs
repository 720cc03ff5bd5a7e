//! Two-phase commit: resource managers prepare, and a transaction manager decides.
//!
//! The protocol is the one of Gray and Lamport, *Consensus on Transaction Commit* (2006): messages are never lost nor
//! removed, so that the set of those that were sent is all there is to say of the network.

use std::collections::BTreeSet;

use fairly::{Model, check, strong, weak};

/// A transaction manager and so many resource managers.
#[derive(Clone)]
pub(crate) struct TwoPhaseCommit {
    pub(crate) managers: u8,
    /// Whether the transaction manager may fail, and then does nothing more.
    pub(crate) may_fail: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Manager {
    Working,
    Prepared,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Coordinator {
    Undecided,
    Committed,
    Aborted,
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Message {
    Prepared(u8),
    Commit,
    Abort,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    pub(crate) managers: Vec<Manager>,
    pub(crate) coordinator: Coordinator,
    /// The managers of which the coordinator knows that they are prepared.
    known: BTreeSet<u8>,
    sent: BTreeSet<Message>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    Learn(u8),
    Commit,
    Abort,
    Fail,
    Prepare(u8),
    Refuse(u8),
    Obey(u8, Manager),
}

impl Model for TwoPhaseCommit {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        vec![State {
            managers: vec![Manager::Working; self.managers.into()],
            coordinator: Coordinator::Undecided,
            known: BTreeSet::new(),
            sent: BTreeSet::new(),
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if state.coordinator == Coordinator::Undecided {
            if state.known.len() == usize::from(self.managers) {
                actions.push(Action::Commit);
            }
            actions.push(Action::Abort);
            if self.may_fail {
                actions.push(Action::Fail);
            }
            let sent = (0..self.managers).filter(|&it| state.sent.contains(&Message::Prepared(it)));
            actions.extend(sent.map(Action::Learn));
        }
        for (manager, is) in (0..).zip(&state.managers) {
            if *is == Manager::Working {
                actions.extend([Action::Prepare(manager), Action::Refuse(manager)]);
            }
            if state.sent.contains(&Message::Commit) {
                actions.push(Action::Obey(manager, Manager::Committed));
            }
            if state.sent.contains(&Message::Abort) {
                actions.push(Action::Obey(manager, Manager::Aborted));
            }
        }
    }

    fn next(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        match action {
            Action::Learn(manager) => {
                next.known.insert(manager);
            }
            Action::Commit => {
                next.coordinator = Coordinator::Committed;
                next.sent.insert(Message::Commit);
            }
            Action::Abort => {
                next.coordinator = Coordinator::Aborted;
                next.sent.insert(Message::Abort);
            }
            Action::Fail => next.coordinator = Coordinator::Failed,
            Action::Prepare(manager) => {
                next.managers[usize::from(manager)] = Manager::Prepared;
                next.sent.insert(Message::Prepared(manager));
            }
            Action::Refuse(manager) => next.managers[usize::from(manager)] = Manager::Aborted,
            Action::Obey(manager, decided) => next.managers[usize::from(manager)] = decided,
        }
        Some(next)
    }

    fn processes(&self) -> Vec<String> {
        let managers = (0..self.managers).map(|manager| format!("RM{manager}"));
        managers.chain(["TM".to_owned()]).collect()
    }

    fn process(&self, action: &Action) -> usize {
        match *action {
            Action::Prepare(manager) | Action::Refuse(manager) | Action::Obey(manager, _) => {
                manager.into()
            }
            _ => self.managers.into(),
        }
    }
}

fn is_over(state: &State) -> bool {
    state.managers.iter().all(|it| matches!(it, Manager::Committed | Manager::Aborted))
}

pub(crate) fn disagree(state: &State) -> bool {
    state.managers.contains(&Manager::Committed) && state.managers.contains(&Manager::Aborted)
}

#[test]
fn nobody_commits_what_another_aborts() {
    let commit = TwoPhaseCommit { managers: 3, may_fail: true };
    check(&commit).never("they disagree", disagree).assert_holds();
}

/// Every manager learns the decision if the coordinator and the managers go on at all.
#[test]
fn a_decision_comes_if_everyone_goes_on() {
    let commit = TwoPhaseCommit { managers: 2, may_fail: false };
    let over = || check(&commit).eventually("over", is_over).save_nothing();
    assert!(over().verdict().is_violated());
    // The coordinator may hear of the same manager again and again.
    assert!(over().assume(weak().processes()).verdict().is_violated());
    over().assume(weak().events()).assert_holds();
}

/// A prepared manager waits for a coordinator that has failed: the protocol blocks.
#[test]
fn it_blocks_when_the_coordinator_fails() {
    let commit = TwoPhaseCommit { managers: 2, may_fail: true };
    let over = check(&commit).assume(strong().events()).eventually("over", is_over);
    let verdict = over.save_nothing().verdict();
    assert!(verdict.is_violated());
    assert!(verdict.run().actions().contains(&Action::Fail), "{}", verdict.run());
}

/// The counts that stateright has for its own example.
#[test]
fn it_has_as_many_states_as_elsewhere() {
    for (managers, states) in [(3, 288), (4, 1568), (5, 8832), (6, 50_816)] {
        let commit = TwoPhaseCommit { managers, may_fail: false };
        assert_eq!(check(&commit).size().map(|size| size.states), Ok(states), "{managers}");
    }
}

/// Seven managers take seconds: `FAIRLY_RANDOM_CASES` asks for what takes long.
#[test]
fn it_has_as_many_states_as_elsewhere_where_there_are_many() {
    if std::env::var_os("FAIRLY_RANDOM_CASES").is_none() {
        return;
    }
    let commit = TwoPhaseCommit { managers: 7, may_fail: false };
    assert_eq!(check(&commit).size().map(|size| size.states), Ok(296_448));
}
