//! Peterson's algorithm for two processes: a lock made of reads and writes alone.

use fairly::{Model, check, infinitely_often, leads_to, strong};

/// The algorithm. Each line of the program is an action.
#[derive(Clone)]
struct Peterson;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Line {
    /// Does something else; it may do so for ever.
    Rest,
    /// Has said that it wants to enter.
    Wants,
    /// Has let the other go first, and waits.
    Waits,
    /// Is inside.
    Critical,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    line: [Line; 2],
    wants: [bool; 2],
    turn: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Action {
    Ask(usize),
    Yield(usize),
    Enter(usize),
    Leave(usize),
}
use Action::{Ask, Enter, Leave, Yield};

impl Model for Peterson {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        vec![State { line: [Line::Rest; 2], wants: [false; 2], turn: 0 }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for me in 0..2 {
            let other = 1 - me;
            match state.line[me] {
                Line::Rest => actions.push(Ask(me)),
                Line::Wants => actions.push(Yield(me)),
                Line::Waits if !state.wants[other] || state.turn == me => actions.push(Enter(me)),
                Line::Waits => {}
                Line::Critical => actions.push(Leave(me)),
            }
        }
    }

    fn next(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        match action {
            Ask(me) => (next.wants[me], next.line[me]) = (true, Line::Wants),
            Yield(me) => (next.turn, next.line[me]) = (1 - me, Line::Waits),
            Enter(me) => next.line[me] = Line::Critical,
            Leave(me) => (next.wants[me], next.line[me]) = (false, Line::Rest),
        }
        Some(next)
    }

    fn processes(&self) -> Vec<String> {
        vec!["P0".to_owned(), "P1".to_owned()]
    }

    fn process(&self, action: &Action) -> usize {
        match *action {
            Ask(me) | Yield(me) | Enter(me) | Leave(me) => me,
        }
    }
}

#[test]
fn two_are_never_inside() {
    check(&Peterson).never("both", |s| s.line == [Line::Critical; 2]).never_stuck().assert_holds();
}

/// Who wants to enter does: the other one can go round only once before it has to wait.
#[test]
fn whoever_asks_is_served_whatever_the_scheduler_does() {
    let served =
        leads_to(|s: &State| s.line[0] == Line::Wants, |s: &State| s.line[0] == Line::Critical);
    check(&Peterson).property("served", served).assert_holds();
}

/// A process that is never asked does not work. It takes a fair scheduler.
#[test]
fn a_fair_scheduler_lets_both_work() {
    let works = || check(&Peterson).property("works", infinitely_often("Enter.0")).save_nothing();
    let verdict = works().verdict();
    assert!(verdict.is_violated());
    assert_eq!(verdict.least(), Some(&["wf(P0)".to_owned()][..]), "{verdict}");
    works().assume("wf(P0)").assert_holds();
    works().assume(strong().processes()).assert_holds();
}
