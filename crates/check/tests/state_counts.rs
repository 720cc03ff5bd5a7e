//! How many states and transitions some examples have, for several sizes.
//!
//! The numbers are not taken from what is tested: each model is written down here once more, as a
//! function from a state to its successors, and enumerated by a few lines that share no code with
//! Fairly; and where there is a formula for the number, it is given, too.

use std::collections::{HashSet, VecDeque};
use std::path::Path;

use fairly_search::{Bounds, reach};

use crate::common::languages::CspFile;

/// States and transitions.
type Counts = (usize, usize);

/// The successors of a state, one for each transition.
type Successors = dyn Fn(&[u8]) -> Vec<Vec<u8>>;

/// Enumerates everything that can be reached.
fn enumerated(start: Vec<u8>, successors: &Successors) -> Counts {
    let mut known = HashSet::from([start.clone()]);
    let mut open = VecDeque::from([start]);
    let mut transitions = 0;
    while let Some(state) = open.pop_front() {
        for next in successors(&state) {
            transitions += 1;
            if known.insert(next.clone()) {
                open.push_back(next);
            }
        }
    }
    (known.len(), transitions)
}

/// The same state with one place changed.
fn with(state: &[u8], at: usize, value: u8) -> Vec<u8> {
    let mut next = state.to_vec();
    next[at] = value;
    next
}

/// An example with other constants, and the size of the process of its first assertion.
fn counted(example: &str, constants: &[(&str, usize)]) -> Counts {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/csp").join(example);
    let text = std::fs::read_to_string(path).expect("the example is there");
    let mut changed = 0;
    let lines: Vec<String> = text
        .lines()
        .map(|line| {
            let defined = |name: &str| line.starts_with(&format!("#define {name} "));
            match constants.iter().find(|(name, _)| defined(name)) {
                Some((name, value)) => {
                    changed += 1;
                    format!("#define {name} {value};")
                }
                None => line.to_owned(),
            }
        })
        .collect();
    assert_eq!(changed, constants.len(), "{example} defines each of these constants once");
    let mut file = CspFile::parse(&lines.join("\n"))
        .unwrap_or_else(|errors| panic!("{example} with {constants:?}: {}", errors[0]));
    let specification = file.specification().clone();
    let first = &specification.assertions[0].process;
    let system = file.system(first).expect("a model");
    let size = reach::count(file.interpreter(system), Bounds::default()).expect("no bound");
    (size.states, size.transitions)
}

/// Philosophers: 0 thinks, 1 has the left fork, 2 has both, 3 has eaten, 4 has the left fork again.
fn philosophers(n: usize) -> Counts {
    let has_left = |at: u8| at > 0;
    let has_right = |at: u8| at == 2 || at == 3;
    enumerated(vec![0; n], &move |state| {
        let mut successors = Vec::new();
        for (i, &at) in state.iter().enumerate() {
            let (before, after) = (state[(i + n - 1) % n], state[(i + 1) % n]);
            let can = match at {
                0 => !has_right(before),
                1 => !has_left(after),
                _ => true,
            };
            if can {
                successors.push(with(state, i, (at + 1) % 5));
            }
        }
        successors
    })
}

/// In a ring, a philosopher with both forks stands before one without any: of the ways to go around with 1
/// place without forks, 2 with the left one and 2 with both there are t(n) = 3 t(n-1) + 2 t(n-2). All of them
/// are reached but the one in which all have eaten and kept the left fork: the last to come there would have
/// needed it.
fn philosopher_states(n: usize) -> usize {
    let (mut before, mut now) = (3, 13);
    for _ in 2..n {
        (before, now) = (now, 3 * now + 2 * before);
    }
    now - 1
}

#[test]
fn dining_philosophers() {
    let table = [
        (2, (12, 16)),
        (3, (44, 90)),
        (4, (160, 440)),
        (5, (572, 1970)),
        (6, (2040, 8436)),
        (7, (7268, 35070)),
    ];
    for (n, expected) in table {
        assert_eq!(philosophers(n), expected, "{n} philosophers, by enumeration");
        assert_eq!(philosopher_states(n), expected.0, "{n} philosophers, by formula");
        assert_eq!(counted("philosophers.csp", &[("N", n)]), expected, "{n} philosophers");
    }
}

/// Cyclers: 0 is about to start, 1 to pass on, 2 has a job that runs, 3 the token and such a job, 4
/// neither.
fn milner(n: usize) -> Counts {
    let mut start = vec![4; n];
    start[0] = 0;
    enumerated(start, &move |state| {
        let mut successors = Vec::new();
        for (i, &at) in state.iter().enumerate() {
            match at {
                0 => successors.push(with(state, i, 1)),
                1 => {
                    let to = (i + 1) % n;
                    let received = match state[to] {
                        2 => 3,
                        4 => 0,
                        _ => continue,
                    };
                    successors.push(with(&with(state, i, 2), to, received));
                }
                2 => successors.push(with(state, i, 4)),
                3 => successors.push(with(state, i, 0)),
                _ => {}
            }
        }
        successors
    })
}

#[test]
fn milners_scheduler() {
    let table = [
        (2, (12, 18)),
        (3, (36, 72)),
        (4, (96, 240)),
        (5, (240, 720)),
        (6, (576, 2016)),
        (7, (1344, 5376)),
        (8, (3072, 13824)),
    ];
    for (n, expected) in table {
        // One of n has the token, in one of three ways, and the jobs of the others run or not; the
        // one with the token has one step, and every job that runs can finish.
        let states = (3 * n) << (n - 1);
        let transitions = states + ((3 * n * (n - 1)) << (n - 2));
        assert_eq!((states, transitions), expected, "{n} cyclers, by formula");
        assert_eq!(milner(n), expected, "{n} cyclers, by enumeration");
        assert_eq!(counted("milner.csp", &[("N", n)]), expected, "{n} cyclers");
    }
}

/// Readers and writers: 1 is inside.
fn readers_writers(readers: usize, writers: usize, most: usize) -> Counts {
    enumerated(vec![0; readers + writers], &move |state| {
        let reading = state[..readers].iter().filter(|&&at| at == 1).count();
        let writing = state[readers..].iter().filter(|&&at| at == 1).count();
        let mut successors = Vec::new();
        for (i, &at) in state.iter().enumerate() {
            let enters = if i < readers { reading < most } else { reading == 0 };
            if at == 1 || enters && writing == 0 {
                successors.push(with(state, i, 1 - at));
            }
        }
        successors
    })
}

fn binomial(n: usize, k: usize) -> usize {
    (0..k).fold(1, |ways, taken| ways * (n - taken) / (taken + 1))
}

#[test]
fn readers_and_writers() {
    let table = [
        ((1, 1, 1), (3, 4)),
        ((3, 2, 2), (9, 22)),
        ((3, 2, 3), (10, 28)),
        ((4, 1, 2), (12, 34)),
        ((5, 3, 1), (9, 16)),
        ((6, 4, 6), (68, 392)),
        ((10, 2, 5), (640, 5124)),
    ];
    for ((readers, writers, most), expected) in table {
        // Any set of up to `most` readers, or one writer. Whatever is entered can be left again.
        let sets = || (0..=most).map(|size| (size, binomial(readers, size)));
        let states = sets().map(|(_, ways)| ways).sum::<usize>() + writers;
        let inside: usize = sets().map(|(size, ways)| size * ways).sum();
        let transitions = 2 * (inside + writers);
        let what = format!("{readers} readers, {writers} writers, {most} at a time");
        assert_eq!((states, transitions), expected, "{what}, by formula");
        assert_eq!(readers_writers(readers, writers, most), expected, "{what}, by enumeration");
        let constants = [("READERS", readers), ("WRITERS", writers), ("M", most)];
        assert_eq!(counted("readers_writers.csp", &constants), expected, "{what}");
    }
}

/// Peterson's algorithm: for each process its place, which is 3 times the level below, plus what it
/// does next: 0 enter, 1 say that it was the last, 2 pass. Then the levels, and who was last.
fn peterson(n: usize) -> Counts {
    let (level, last) = (n, 2 * n);
    let inside = 3 * (n - 1);
    enumerated(vec![0; 3 * n - 1], &move |state| {
        let mut successors = Vec::new();
        for i in 0..n {
            let at = usize::from(state[i]);
            let going_to = at / 3 + 1;
            let mut next = with(state, i, state[i] + 1);
            if at == inside + 1 {
                // Leaves.
                next[i] = 0;
                next[level + i] = 0;
            } else if at < inside {
                let place = last + going_to - 1;
                match at % 3 {
                    0 => next[level + i] = going_to as u8,
                    1 => next[place] = i as u8,
                    _ => {
                        let below =
                            (0..n).all(|k| k == i || usize::from(state[level + k]) < going_to);
                        if usize::from(state[place]) == i && !below {
                            continue;
                        }
                    }
                }
            }
            successors.push(next);
            if at == 0 {
                // Thinks.
                successors.push(state.to_vec());
            }
        }
        successors
    })
}

#[test]
fn petersons_algorithm() {
    for (n, expected) in [(2, (26, 58)), (3, (465, 1299)), (4, (9820, 31820))] {
        assert_eq!(peterson(n), expected, "{n} processes, by enumeration");
        assert_eq!(counted("peterson.csp", &[("N", n)]), expected, "{n} processes");
    }
}
