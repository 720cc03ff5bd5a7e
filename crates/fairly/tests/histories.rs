//! Linearizability and sequential consistency, compared with the definitions.

use fairly::history::{History, Misuse, Register, RegisterCall, RegisterReturn, Sequential};
use fairly_testkit::{Rng, cases, first_seed};

/// One event of a history as it was observed: who, and what was called or returned.
#[derive(Clone, Debug)]
enum Event {
    Call(usize, RegisterCall<u8>),
    Return(usize, RegisterReturn<u8>),
}

/// A call with the positions of its events.
#[derive(Clone, Debug)]
struct Call {
    who: usize,
    what: RegisterCall<u8>,
    begins: usize,
    ends: Option<(usize, RegisterReturn<u8>)>,
}

fn calls(events: &[Event]) -> Vec<Call> {
    let mut all: Vec<Call> = Vec::new();
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Call(who, what) => {
                all.push(Call { who: *who, what: what.clone(), begins: at, ends: None });
            }
            Event::Return(who, what) => {
                let last = all.iter_mut().rev().find(|call| call.who == *who).expect("a call");
                last.ends = Some((at, what.clone()));
            }
        }
    }
    all
}

/// By the definition: some order of all calls that have returned and of some others keeps what has to be kept, and
/// returns what was returned. All orders of all sets are tried.
fn naive(calls: &[Call], keeps_time: bool) -> bool {
    let comes_before = |one: &Call, other: &Call| {
        let is_earlier = one.ends.as_ref().is_some_and(|(end, _)| *end < other.begins);
        is_earlier && (keeps_time || one.who == other.who)
    };
    fn orders(left: &[Call], order: &mut Vec<Call>, is_right: &impl Fn(&[Call]) -> bool) -> bool {
        if left.iter().all(|call| call.ends.is_none()) && is_right(order) {
            return true;
        }
        (0..left.len()).any(|at| {
            let mut rest = left.to_vec();
            order.push(rest.remove(at));
            let found = orders(&rest, order, is_right);
            order.pop();
            found
        })
    }
    let is_right = |order: &[Call]| {
        let keeps = (0..order.len())
            .all(|late| order[late..].iter().all(|it| !comes_before(it, &order[late])));
        let mut cell = Register(0);
        keeps
            && order.iter().all(|call| {
                let returned = cell.call(&call.what);
                call.ends.as_ref().is_none_or(|(_, expected)| *expected == returned)
            })
    };
    orders(calls, &mut Vec::new(), &is_right)
}

fn random_history(rng: &mut Rng) -> Vec<Event> {
    let mut events = Vec::new();
    let mut busy: [Option<RegisterCall<u8>>; 3] = [None, None, None];
    for _ in 0..rng.below(11) {
        let who = rng.below(3);
        match busy[who].take() {
            None => {
                let call = match rng.below(2) {
                    0 => RegisterCall::Read,
                    _ => RegisterCall::Write(rng.below(3) as u8),
                };
                busy[who] = Some(call.clone());
                events.push(Event::Call(who, call));
            }
            Some(RegisterCall::Read) => {
                events.push(Event::Return(who, RegisterReturn::Read(rng.below(3) as u8)));
            }
            Some(RegisterCall::Write(_)) => {
                events.push(Event::Return(who, RegisterReturn::Written));
            }
        }
    }
    events
}

fn recorded(events: &[Event]) -> History<usize, RegisterCall<u8>, RegisterReturn<u8>> {
    let mut history = History::new();
    for event in events {
        match event.clone() {
            Event::Call(who, call) => history.invoke(who, call).expect("not busy"),
            Event::Return(who, returned) => history.returns(who, returned).expect("called"),
        }
    }
    history
}

#[test]
fn random_histories_are_judged_as_the_definitions_say() {
    let mut counts = [0; 4];
    let first = first_seed(1);
    for seed in first..first + cases(400) {
        let events = random_history(&mut Rng::new(seed));
        let (history, calls) = (recorded(&events), calls(&events));
        let linearizable = history.is_linearizable(&Register(0));
        let consistent = history.is_sequentially_consistent(&Register(0));
        assert_eq!(linearizable, naive(&calls, true), "seed {seed}: {events:?}");
        assert_eq!(consistent, naive(&calls, false), "seed {seed}: {events:?}");
        counts[usize::from(linearizable) + 2 * usize::from(consistent)] += 1;
    }
    assert!(counts[0] > 0 && counts[2] > 0 && counts[3] > 0, "{counts:?}");
    assert_eq!(counts[1], 0, "what is linearizable is sequentially consistent");
}

#[test]
fn misuse_is_told() {
    let mut history = History::new();
    assert_eq!(history.returns(0, RegisterReturn::Read(0)), Err(Misuse::NothingCalled));
    assert_eq!(history.invoke(0, RegisterCall::<u8>::Read), Ok(()));
    assert_eq!(history.invoke(0, RegisterCall::Read), Err(Misuse::Busy));
    assert_eq!(history.returns(0, RegisterReturn::Read(0)), Ok(()));
    assert_eq!(history.returns(0, RegisterReturn::Read(0)), Err(Misuse::NothingCalled));
}
