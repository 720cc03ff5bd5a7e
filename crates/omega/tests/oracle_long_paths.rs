//! Graphs with millions of nodes in a row: nothing may overflow, and the answer is still right.
//!
//! `FAIRLY_LONG_PATH` says how many nodes; the default is what the tests can afford on every run, and CI sets
//! it to ten million. Each search runs on a thread with a small stack, so that a recursion on the depth of the
//! graph fails here and not on the machine of a user.

use std::borrow::Cow;

use fairly_omega::emptiness::{self, Algorithm};
use fairly_omega::{Acceptance, Graph, Lasso, Mark, MarkSet, MarkSetId, MarkTable, StateId, Step};
use fairly_testkit::side_by_side;

/// Behaviour of the last node of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Nothing: the row is a dead end.
    Stop,
    /// It loops on itself, with mark 1.
    Loop,
    /// It returns to the first node, with mark 1.
    Return,
    /// It returns to the first node with mark 0, and loops on itself with mark 1.
    ReturnAndLoop,
    /// Every node returns to the one before with mark 0, and the last one loops with mark 1.
    BackAndLoop,
}

/// Nodes `0..length`, each with a step to the next one that carries no mark: a counter, not a
/// table, so that the memory measured is the engine's.
struct Row {
    length: u32,
    end: End,
    acceptance: Acceptance,
    table: MarkTable,
    marks: [MarkSetId; 2],
}

impl Row {
    fn new(length: u32, end: End, acceptance: Acceptance) -> Self {
        let mut table = MarkTable::new();
        let marks = [0, 1].map(|mark| table.intern(MarkSet::from_iter([Mark(mark)])));
        Row { length, end, acceptance, table, marks }
    }

    fn targets(&self, node: u32) -> Vec<(u32, MarkSetId)> {
        let mut targets = Vec::new();
        if self.end == End::BackAndLoop && node > 0 {
            targets.push((node - 1, self.marks[0]));
        }
        if node + 1 < self.length {
            targets.push((node + 1, MarkSetId::EMPTY));
            return targets;
        }
        match self.end {
            End::Stop => {}
            End::Loop | End::BackAndLoop => targets.push((node, self.marks[1])),
            End::Return => targets.push((0, self.marks[1])),
            End::ReturnAndLoop => targets.extend([(0, self.marks[0]), (node, self.marks[1])]),
        }
        targets
    }
}

impl Graph for Row {
    fn initial(&mut self) -> Vec<StateId> {
        vec![StateId(0)]
    }

    fn steps(&mut self, node: StateId, steps: &mut Vec<Step>) {
        let targets = self.targets(node.0);
        steps.extend(
            targets.into_iter().map(|(target, marks)| Step { target: StateId(target), marks }),
        );
    }

    fn marks(&self, id: MarkSetId) -> Cow<'_, MarkSet> {
        Cow::Borrowed(self.table.get(id))
    }

    fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }
}

/// The testkit's judge is for tiny graphs; this one knows rows.
fn judge(row: &Row, lasso: &Lasso) {
    let mut at = 0;
    let mut seen = MarkSet::new();
    let start = lasso.cycle.first().expect("the cycle has a step").from.0;
    for (position, hop) in lasso.stem.iter().chain(&lasso.cycle).enumerate() {
        assert_eq!(hop.from.0, at, "step {position} does not follow the one before");
        let (target, marks) = row.targets(at)[hop.nth as usize];
        assert_eq!(hop.to.0, target, "step {position} leads elsewhere");
        if position >= lasso.stem.len() {
            seen.union_with(row.table.get(marks));
        }
        at = target;
    }
    assert_eq!(at, start, "the cycle is not closed");
    assert!(row.acceptance.accepts(&seen), "{} is not met by {seen:?}", row.acceptance);
}

#[test]
fn a_long_path_overflows_nothing() {
    let length = std::env::var("FAIRLY_LONG_PATH").ok();
    let length: u32 = length.map_or(2_000_000, |text| text.parse().expect("a number of nodes"));
    let inf = |mark| Acceptance::Inf(Mark(mark));
    let fin = |mark| Acceptance::Fin(Mark(mark));
    let streett = || Acceptance::and([Acceptance::or([fin(0), inf(2)]), inf(1)]);
    // The searches that take the longest have a tenth of the nodes: what is deep is deep enough.
    let less = length / 10;
    let cases = [
        (length, End::Stop, inf(1), false),
        (length, End::Loop, inf(1), true),
        (less, End::Return, inf(1), true),
        (less, End::Return, Acceptance::generalized_buchi(2), false),
        (less, End::ReturnAndLoop, Acceptance::generalized_buchi(2), true),
        (less, End::Stop, streett(), false),
        // The big component falls into a row of single nodes and the loop.
        (length, End::ReturnAndLoop, streett(), true),
        (less, End::ReturnAndLoop, Acceptance::and([fin(1), fin(0)]), false),
        (less, End::BackAndLoop, streett(), true),
        (less, End::BackAndLoop, Acceptance::or([Acceptance::and([fin(1), inf(2)]), fin(0)]), true),
    ];
    side_by_side(&cases, |&(length, end, ref acceptance, expected)| {
        for algorithm in Algorithm::ALL.into_iter().filter(|it| it.decides(acceptance)) {
            let mut row = Row::new(length, end, acceptance.clone());
            let search = move || {
                let started = std::time::Instant::now();
                let answer = emptiness::check(&mut row, algorithm).expect("an answer");
                assert_eq!(answer.lasso.is_some(), expected, "{algorithm:?}");
                if let Some(lasso) = &answer.lasso {
                    judge(&row, lasso);
                }
                println!(
                    "{algorithm:?}: {:?} {} with {length} nodes: {:.2?}, {} bytes a node",
                    row.end,
                    row.acceptance,
                    started.elapsed(),
                    answer.effort.bytes / length as usize
                );
            };
            let small_stack = std::thread::Builder::new().stack_size(256 << 10).spawn(search);
            small_stack.expect("a thread").join().unwrap_or_else(|_| {
                panic!("{algorithm:?} fails on {end:?} with {acceptance} and {length} nodes")
            });
        }
    });
}
