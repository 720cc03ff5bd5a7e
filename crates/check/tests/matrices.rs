//! Random programs on difference bound matrices, and a naive meaning of them: a map of bounds, whose closure is found
//! by adding up paths. Each program is one step of a process, whose last answers are compared.
//!
//! `FAIRLY_RANDOM_CASES` says how many programs, `FAIRLY_SEED` the seed of the first.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use fairly_check::claim::ClaimOutcome;
use fairly_search::Bounds;
use fairly_testkit::Rng;

use crate::common::languages::CspFile;
use crate::common::seeds;

const INFINITE: i64 = 2_147_483_647;

/// A matrix: the greatest difference of two timers, of which 0 is always there.
#[derive(Clone)]
struct Matrix {
    timers: BTreeSet<i64>,
    bounds: BTreeMap<(i64, i64), i64>,
    tight: bool,
    ceiling: i64,
}

impl Matrix {
    fn new(ceiling: i64) -> Matrix {
        let bounds = BTreeMap::from([((0, 0), 0)]);
        Matrix { timers: BTreeSet::from([0]), bounds, tight: true, ceiling }
    }

    fn get(&self, i: i64, j: i64) -> i64 {
        self.bounds[&(i, j)]
    }

    fn set(&mut self, i: i64, j: i64, bound: i64) {
        self.bounds.insert((i, j), bound);
    }

    fn tighten(&mut self) {
        if self.tight {
            return;
        }
        self.tight = true;
        let timers: Vec<i64> = self.timers.iter().copied().collect();
        for &k in &timers {
            for &i in &timers {
                for &j in &timers {
                    let (first, second) = (self.get(i, k), self.get(k, j));
                    if first == INFINITE || second == INFINITE {
                        continue;
                    }
                    let bound = self.get(i, j).min(first + second);
                    let high = if bound > self.ceiling { INFINITE } else { bound };
                    self.set(i, j, if high < -self.ceiling { 0 } else { high });
                }
            }
        }
    }

    fn add(&mut self, timer: i64) {
        self.tighten();
        if !self.timers.insert(timer) {
            return;
        }
        for other in self.timers.clone() {
            if other != timer && other != 0 {
                self.set(other, timer, self.get(other, 0));
                self.set(timer, other, self.get(0, other));
            }
        }
        self.set(0, timer, 0);
        self.set(timer, 0, self.get(0, 0));
        self.set(timer, timer, 0);
    }

    fn reset(&mut self, timer: i64) {
        self.set(timer, 0, 0);
        self.set(0, timer, 0);
        for other in self.timers.clone().into_iter().filter(|&other| other != 0) {
            self.set(other, timer, self.get(other, 0));
            self.set(timer, other, self.get(0, other));
        }
    }

    fn constrain(&mut self, timer: i64, operator: i64, constant: i64) {
        if operator != 1 {
            self.set(timer, 0, self.get(timer, 0).min(constant));
        }
        if operator != 2 {
            self.set(0, timer, self.get(0, timer).min(-constant));
        }
        self.tight = false;
    }

    fn delay(&mut self) {
        for timer in self.timers.clone().into_iter().filter(|&timer| timer != 0) {
            self.set(timer, 0, INFINITE);
        }
    }

    fn keep(&mut self, kept: &BTreeSet<i64>) {
        self.timers.retain(|timer| *timer == 0 || kept.contains(timer));
        let timers = &self.timers;
        self.bounds.retain(|(i, j), _| timers.contains(i) && timers.contains(j));
        self.tight = true;
        self.ceiling = 0;
    }

    fn fresh(&self) -> i64 {
        let rests = |timer: &&i64| self.get(**timer, 0) == 0 && self.get(0, **timer) == 0;
        let resting = self.timers.iter().filter(|&&timer| timer != 0).find(rests);
        let free = (1..).find(|timer| !self.timers.contains(timer));
        resting.copied().or(free).expect("some number is free")
    }

    fn is_bounded(&self, bound: i64) -> bool {
        let within = |value: i64| value.abs() <= bound;
        self.timers.iter().filter(|&&timer| timer != 0).all(|&timer| {
            let high = self.get(timer, 0);
            within(self.get(0, timer)) && (high == INFINITE || within(high))
        })
    }
}

/// A program of one step, and what it answers at its end.
fn random(rng: &mut Rng) -> (String, [i64; 4]) {
    let ceiling = 3 + rng.below(4) as i64;
    let (mut matrix, mut text) = (Matrix::new(ceiling), format!("d = new DBM({ceiling}); "));
    let mut answers = [0; 4];
    for _ in 0..2 + rng.below(12) {
        let there: Vec<i64> = matrix.timers.iter().copied().filter(|&timer| timer != 0).collect();
        let timer = if there.is_empty() { 0 } else { there[rng.below(there.len())] };
        let constant = rng.below(5) as i64;
        let _ = match (rng.below(9), timer) {
            (0 | 1, _) => {
                let timer = 1 + rng.below(3) as i64;
                matrix.add(timer);
                write!(text, "d.AddTimer({timer}); ")
            }
            (2, 1..) => {
                // As the library asks for: it is tight when a timer is reset.
                matrix.tighten();
                answers[0] = i64::from(matrix.get(0, 0) < 0);
                matrix.reset(timer);
                write!(text, "w = d.IsConstraintNotSatisfied(); d.ResetTimer({timer}); ")
            }
            (3 | 4, 1..) => {
                let operator = rng.below(3) as i64;
                matrix.constrain(timer, operator, constant);
                write!(text, "d.AddConstraint({timer}, {operator}, {constant}); ")
            }
            (5, _) => {
                matrix.delay();
                write!(text, "d.Delay(); ")
            }
            (6, _) => {
                let kept: BTreeSet<i64> = (1..4).filter(|_| rng.chance(2, 3)).collect();
                matrix.keep(&kept);
                let bits: i64 = kept.iter().map(|timer| 1 << (timer - 1)).sum();
                write!(
                    text,
                    "s.Add(1); s.Add(2); s.Add(3); d = d.KeepTimers(s.GetSubsetByIndex({bits})); "
                )
            }
            (7, 1..) => {
                matrix.tighten();
                answers[1] = i64::from(matrix.get(timer, 0) <= constant);
                write!(text, "y = d.Implies({timer}, 1, {constant}); ")
            }
            _ => {
                answers[2] = i64::from(matrix.is_bounded(constant));
                write!(text, "z = d.IsTimersBounded({constant}); ")
            }
        };
    }
    answers[3] = matrix.fresh() * 10 + matrix.timers.len() as i64 - 1;
    text.push_str("x = d.GetNewTimerID() * 10 + d.GetTimerCount();");
    (text, answers)
}

#[test]
fn random_programs_answer_as_the_definitions_do() {
    for seed in seeds(60) {
        let mut rng = Rng::new(seed);
        let (program, [w, y, z, x]) = random(&mut rng);
        let is = |answer: i64| if answer == 0 { "false" } else { "true" };
        let text = format!(
            "#import \"PAT.Lib.DBM\"; #import \"PAT.Lib.Set\";
            var<DBM> d = new DBM(0); // capacity: 4
            var<Set> s; // capacity: 3
            var w = false; var y = false; var z = false; var x = 0;
            P = go{{{program}}} -> Stop;
            #define answers x == {x} && w == {} && y == {} && z == {};
            #assert P reaches answers;",
            is(w),
            is(y),
            is(z)
        );
        let mut file = CspFile::parse(&text).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"));
        let asked = file.specification().assertions[0].clone();
        let system = file.system(&asked.process).expect("a system");
        let verdict = file.claim(system, &asked.claim, Bounds::default()).expect("a verdict");
        assert!(matches!(verdict.outcome, ClaimOutcome::Holds(_)), "seed {seed}:\n{text}");
    }
}
