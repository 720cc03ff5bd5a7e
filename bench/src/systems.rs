//! The two systems of Malinen and Luukkainen (2003, section 5), as networks of explicit components,
//! for any number of processes.
//!
//! A shared variable is a component whose states are its values; what a process does to it is an
//! event that both take together. Only the processes are assumed to be fair, never the variables.
//!
//! # Peterson's protocol
//!
//! The filter generalisation. Process `i` climbs the levels `1 … n-1`; at level `l` it
//!
//! 1. writes `pos[i] := l` (event `try.i` at the first level, `climb.i.l` at the others),
//! 2. writes `step[l] := i` (event `last.i.l`),
//! 3. waits until no other process is at level `l` or above (event `alone.i.l`), or another process
//!    has come to the level after it, `step[l] ≠ i` (event `pushed.i.l`).
//!
//! Past the last level it is in its critical section; `exit.i` writes `pos[i] := 0`. Passing the
//! last level is called `enter.i.alone` and `enter.i.pushed`. The test that all others are below
//! level `l` is one step, shared with all their `pos` variables: each admits it at its values below
//! `l`. So the guard of the protocol is atomic, as it is in the models that other tools were
//! measured on. Weak fairness is enough because a guard that has become true through `step` stays
//! true until its process goes on.
//!
//! # The semaphore
//!
//! Process `i` goes round `try.i`, `enter.i`, `exit.i`; the semaphore is one component that takes
//! part in `enter.*` and `exit.*`. There are `(n + 2) · 2ⁿ⁻¹` states. A waiting process is disabled
//! whenever another has entered, so weak fairness promises it nothing.

use std::fmt;

use fairly_explore::Explored;
use fairly_fairness::{Constraint, Selector, Strength};
use fairly_system::{Component, ComponentBuilder, Composition, Network, TransitionSystem};

/// A family of systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Peterson's mutual exclusion for `n` processes.
    Peterson,
    /// Processes that wait at a semaphore.
    Semaphore,
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Family::Peterson => "Peterson",
            Family::Semaphore => "Semaphore",
        })
    }
}

impl Family {
    /// Both.
    pub const ALL: [Family; 2] = [Family::Peterson, Family::Semaphore];

    /// The system of `n` processes, which are called `P0`, `P1` and so on.
    ///
    /// # Panics
    /// With fewer than two processes.
    pub fn network(self, n: usize) -> Explored<Network> {
        assert!(n >= 2, "one process excludes nobody");
        let components = match self {
            Family::Peterson => peterson(n),
            Family::Semaphore => semaphore(n),
        };
        Explored::new(Network::new(components, &Composition::default()).expect("names differ"))
    }

    /// That process 0 enters whenever it wants to.
    pub fn property(self) -> &'static str {
        match self {
            Family::Peterson => "G(try.0 -> F enter.0.*)",
            Family::Semaphore => "G(try.0 -> F enter.0)",
        }
    }

    /// Whether the property holds when every process is fair in this sense.
    pub fn holds(self, strength: Strength) -> bool {
        self == Family::Peterson || strength == Strength::Strong
    }
}

/// Fairness of each of the `n` processes of a network.
///
/// # Panics
/// If there are fewer processes.
pub fn constraints(network: &Explored<Network>, n: usize, strength: Strength) -> Vec<Constraint> {
    (0..n)
        .map(|i| {
            let name = format!("P{i}");
            let process = network.signature().process(&name).expect("the process exists");
            Constraint::fair(strength, &name, Selector::Process(process))
        })
        .collect()
}

/// A component with states `0 … states - 1`, the first of them initial.
fn component(name: &str, states: usize, transitions: &[(usize, String, usize)]) -> Component {
    let mut builder = ComponentBuilder::new(name);
    let ids: Vec<u32> = (0..states).map(|state| builder.add_state(state.to_string())).collect();
    builder.add_initial(ids[0]);
    for (from, event, to) in transitions {
        builder.add_transition(ids[*from], event, ids[*to], None);
    }
    builder.build()
}

/// Process `i` writes `pos[i] := l`.
fn climb(i: usize, l: usize) -> String {
    if l == 1 { format!("try.{i}") } else { format!("climb.{i}.{l}") }
}

/// Process `i` leaves level `l` of `n - 1`, for this reason.
fn pass(i: usize, l: usize, n: usize, why: &str) -> String {
    if l == n - 1 { format!("enter.{i}.{why}") } else { format!("{why}.{i}.{l}") }
}

fn peterson(n: usize) -> Vec<Component> {
    let others = |i: usize| (0..n).filter(move |&j| j != i);
    let processes = (0..n).map(|i| {
        // Before level `l` it is in state `3 (l - 1)`; the last state is the critical section.
        let mut moves = vec![(3 * (n - 1), format!("exit.{i}"), 0)];
        for l in 1..n {
            let below = 3 * (l - 1);
            moves.push((below, climb(i, l), below + 1));
            moves.push((below + 1, format!("last.{i}.{l}"), below + 2));
            moves.push((below + 2, pass(i, l, n, "alone"), below + 3));
            moves.push((below + 2, pass(i, l, n, "pushed"), below + 3));
        }
        component(&format!("P{i}"), 3 * (n - 1) + 1, &moves)
    });
    let positions = (0..n).map(|i| {
        let mut moves = vec![(n - 1, format!("exit.{i}"), 0)];
        for l in 1..n {
            moves.push((l - 1, climb(i, l), l));
            for value in 0..l {
                moves.extend(others(i).map(|j| (value, pass(j, l, n, "alone"), value)));
            }
        }
        component(&format!("pos{i}"), n, &moves)
    });
    let steps = (1..n).map(|l| {
        let mut moves = Vec::new();
        for value in 0..n {
            moves.extend((0..n).map(|i| (value, format!("last.{i}.{l}"), i)));
            moves.extend(others(value).map(|i| (value, pass(i, l, n, "pushed"), value)));
        }
        component(&format!("step{l}"), n, &moves)
    });
    processes.chain(positions).chain(steps).collect()
}

fn semaphore(n: usize) -> Vec<Component> {
    let mut semaphore = Vec::new();
    let mut components = Vec::new();
    for i in 0..n {
        let (enter, exit) = (format!("enter.{i}"), format!("exit.{i}"));
        semaphore.push((0, enter.clone(), 1));
        semaphore.push((1, exit.clone(), 0));
        let moves = [(0, format!("try.{i}"), 1), (1, enter, 2), (2, exit, 0)];
        components.push(component(&format!("P{i}"), 3, &moves));
    }
    components.push(component("semaphore", 2, &semaphore));
    components
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many states and transitions there are, and in how many states several processes are in
    /// their critical section.
    fn explore(network: &mut Explored<Network>, n: usize, critical: u32) -> (usize, usize, usize) {
        let mut states = network.initial();
        let mut seen = states.len();
        let (mut transitions, mut bad) = (0, 0);
        while let Some(state) = states.pop() {
            let inside = network.space().tuple(&network.row(state))[..n]
                .iter()
                .filter(|&&at| at == critical)
                .count();
            bad += usize::from(inside > 1);
            let mut steps = Vec::new();
            network.enabled(state, &mut steps);
            assert!(!steps.is_empty(), "deadlock");
            transitions += steps.len();
            for step in steps {
                if step.target.index() >= seen {
                    seen = step.target.index() + 1;
                    states.push(step.target);
                }
            }
        }
        (network.state_count(), transitions, bad)
    }

    #[test]
    fn processes_exclude_each_other() {
        for n in 2..=4 {
            let critical = u32::try_from(3 * (n - 1)).unwrap();
            let (states, _, bad) = explore(&mut Family::Peterson.network(n), n, critical);
            assert_eq!(bad, 0, "{n} processes, {states} states");
        }
        for n in 2..=8 {
            let (states, _, bad) = explore(&mut Family::Semaphore.network(n), n, 2);
            assert_eq!((states, bad), ((n + 2) << (n - 1), 0));
        }
    }
}
