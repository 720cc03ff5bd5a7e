//! A lock-free stack as operations on memory: the list of nodes has a top that is exchanged if it is still the same.
//!
//! After Treiber, *Systems programming: coping with parallelism* (1986). A node that is taken off is used again, so a
//! top that is the same may be another one: that is the ABA problem, and a counter beside the top is its remedy.

use fairly::{Model, check};

/// Two threads. One takes two nodes off and puts the first back; the other takes one off.
#[derive(Clone)]
struct Stack {
    /// Whether the top has a counter that every exchange increases.
    has_counter: bool,
}

/// A node by its address.
type Node = Option<u8>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Line {
    /// Before an operation: reads the top.
    Start,
    /// Has read the top and its counter; reads the next node.
    Seen(Node, u8),
    /// Has read the next node; exchanges the top.
    Knows(Node, u8, Node),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Thread {
    /// The operation that comes next.
    at: u8,
    line: Line,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    top: (Node, u8),
    next: [Node; 3],
    threads: [Thread; 2],
    /// The threads that own the nodes that are not in the stack.
    owners: [Option<u8>; 3],
    /// Whether a node was taken that another thread owns.
    is_torn: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Pop,
    Push(u8),
}

/// The operations of the threads, one after the other.
const PROGRAMS: [&[Operation]; 2] =
    [&[Operation::Pop], &[Operation::Pop, Operation::Pop, Operation::Push(0)]];

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Action {
    Read(u8),
    Follow(u8),
    Exchange(u8),
    Fail(u8),
}

impl Stack {
    fn operation(state: &State, thread: u8) -> Option<Operation> {
        PROGRAMS[usize::from(thread)]
            .get(usize::from(state.threads[usize::from(thread)].at))
            .copied()
    }

    /// Whether a thread may begin its next operation: it can only push a node that it has.
    fn may_begin(state: &State, thread: u8) -> bool {
        match Stack::operation(state, thread) {
            None => false,
            Some(Operation::Pop) => true,
            Some(Operation::Push(node)) => state.owners[usize::from(node)] == Some(thread),
        }
    }

    fn exchange(&self, state: &mut State, thread: u8, seen: Node, new: Node) {
        let count = if self.has_counter { state.top.1 + 1 } else { 0 };
        state.top = (new, count);
        let me = usize::from(thread);
        match Stack::operation(state, thread) {
            Some(Operation::Push(node)) => state.owners[usize::from(node)] = None,
            _ => {
                if let Some(node) = seen {
                    state.is_torn |= state.owners[usize::from(node)].is_some();
                    state.owners[usize::from(node)] = Some(thread);
                }
                // The new top may be a node that another thread has taken off meanwhile.
                if let Some(node) = new {
                    state.is_torn |= state.owners[usize::from(node)].is_some();
                }
            }
        }
        state.threads[me] = Thread { at: state.threads[me].at + 1, line: Line::Start };
    }
}

impl Model for Stack {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        let thread = Thread { at: 0, line: Line::Start };
        vec![State {
            top: (Some(0), 0),
            next: [Some(1), Some(2), None],
            threads: [thread; 2],
            owners: [None; 3],
            is_torn: false,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (thread, it) in (0..).zip(&state.threads) {
            match it.line {
                Line::Start if Stack::may_begin(state, thread) => {
                    actions.push(Action::Read(thread));
                }
                Line::Start => {}
                Line::Seen(..) => actions.push(Action::Follow(thread)),
                Line::Knows(seen, count, _) if state.top == (seen, count) => {
                    actions.push(Action::Exchange(thread));
                }
                Line::Knows(..) => actions.push(Action::Fail(thread)),
            }
        }
    }

    fn next(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        let (Action::Read(thread)
        | Action::Follow(thread)
        | Action::Exchange(thread)
        | Action::Fail(thread)) = action;
        let me = usize::from(thread);
        let operation = Stack::operation(state, thread)?;
        match (action, state.threads[me].line) {
            (Action::Read(_), _) => next.threads[me].line = Line::Seen(state.top.0, state.top.1),
            (Action::Follow(_), Line::Seen(seen, count)) => {
                let new = match operation {
                    Operation::Pop => seen.and_then(|node| state.next[usize::from(node)]),
                    Operation::Push(node) => {
                        next.next[usize::from(node)] = seen;
                        Some(node)
                    }
                };
                next.threads[me].line = Line::Knows(seen, count, new);
            }
            (Action::Exchange(_), Line::Knows(seen, _, new)) => {
                self.exchange(&mut next, thread, seen, new);
            }
            (Action::Fail(_), _) => next.threads[me].line = Line::Start,
            _ => return None,
        }
        Some(next)
    }

    fn processes(&self) -> Vec<String> {
        vec!["T0".to_owned(), "T1".to_owned()]
    }

    fn process(&self, action: &Action) -> usize {
        match *action {
            Action::Read(thread)
            | Action::Follow(thread)
            | Action::Exchange(thread)
            | Action::Fail(thread) => usize::from(thread),
        }
    }
}

#[test]
fn a_top_that_is_the_same_may_be_another_one() {
    let plain = Stack { has_counter: false };
    let verdict = check(&plain).never("torn", |s| s.is_torn).save_nothing().verdict();
    assert!(verdict.is_violated());
    let counted = Stack { has_counter: true };
    check(&counted).never("torn", |s| s.is_torn).assert_holds();
}

/// No thread waits for another: if an exchange fails, another one has succeeded. So the first thread comes to its end
/// whatever the scheduler does.
#[test]
fn an_operation_comes_to_its_end_without_any_fairness() {
    let counted = Stack { has_counter: true };
    check(&counted).eventually("over", |s| s.threads[0].at == 1).assert_holds();
}
