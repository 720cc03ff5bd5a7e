//! One state for all that are the same but for exchanges: the same answers, and nothing believed.

use fairly::{Model, Permute, Symmetric, check, permuted, weak};
use fairly_testkit::{Rng, cases, first_seed};

/// Threads that run one program: a step from a local state to another, if the shared number is right, which it changes.
#[derive(Clone, Debug)]
struct Threads {
    count: usize,
    steps: Vec<(u8, u8, u8, u8)>,
    /// Whether thread 0 has a step that the others have not, or shared values speak of it.
    is_unequal: bool,
}

impl Model for Threads {
    type State = (u8, Vec<u8>);
    type Action = (usize, usize);

    fn init(&self) -> Vec<(u8, Vec<u8>)> {
        vec![(0, vec![0; self.count])]
    }

    fn actions(&self, (shared, locals): &(u8, Vec<u8>), actions: &mut Vec<(usize, usize)>) {
        for (thread, local) in locals.iter().enumerate() {
            for (at, step) in self.steps.iter().enumerate() {
                let is_own = !self.is_unequal || thread == 0 || at > 0;
                if is_own && (step.0, step.2) == (*local, *shared) {
                    actions.push((thread, at));
                }
            }
        }
    }

    fn next(
        &self,
        (_, locals): &(u8, Vec<u8>),
        (thread, at): (usize, usize),
    ) -> Option<(u8, Vec<u8>)> {
        let mut next = locals.clone();
        next[thread] = self.steps[at].1;
        Some((self.steps[at].3, next))
    }
}

impl Symmetric for Threads {
    fn interchangeable(&self) -> usize {
        self.count
    }

    fn permute(&self, (shared, locals): &(u8, Vec<u8>), places: &[usize]) -> (u8, Vec<u8>) {
        (*shared, permuted(locals, places))
    }
}

fn random(rng: &mut Rng) -> Threads {
    let mut small = |most: usize| rng.below(most) as u8;
    let steps = (0..6).map(|_| (small(3), small(3), small(2), small(2))).collect();
    Threads { count: 3, steps, is_unequal: false }
}

#[test]
fn random_threads_have_the_same_answers() {
    let (mut violated, mut smaller, first) = (0, 0, first_seed(1));
    for seed in first..first + cases(60) {
        let threads = random(&mut Rng::new(seed));
        let asked = || {
            let two = |locals: &[u8]| locals.iter().filter(|&&local| local == 2).count();
            check(&threads)
                .never("two inside", move |(_, locals)| two(locals) > 1)
                .leads_to("goes on", |(shared, _)| *shared == 1, |(shared, _)| *shared == 0)
                .eventually("starts", |(_, locals)| locals.contains(&1))
                .save_nothing()
                .without_least()
        };
        let (whole, least) = (asked().run(), asked().up_to_symmetry().expect("a symmetry"));
        for (one, other) in whole.iter().zip(&least) {
            assert_eq!(
                one.outcome(),
                other.outcome(),
                "seed {seed}: {} {threads:?}",
                one.property()
            );
            violated += usize::from(one.is_violated());
            smaller += usize::from(other.states() < one.states());
        }
    }
    assert!(violated > 0 && smaller > 0, "{violated} {smaller}");
}

#[test]
fn what_is_no_symmetry_is_refused() {
    let fair = Threads { count: 3, steps: vec![(0, 1, 0, 0), (1, 2, 0, 0)], is_unequal: false };
    let refused = |checked: fairly::Check<Threads>| {
        checked.save_nothing().up_to_symmetry().expect_err("no symmetry").to_string()
    };
    let unequal = Threads { is_unequal: true, ..fair.clone() };
    assert!(refused(check(&unequal).always("p", |_| true)).contains("other steps"));
    let first = check(&fair).never("p", |(_, locals)| locals[0] == 9 || locals[0] > locals[1]);
    assert!(refused(first).contains("tells"));
    assert!(refused(check(&fair).property("p", "G F x.0")).contains("speaks of actions"));
    assert!(
        refused(check(&fair).always("p", |_| true).assume(weak().processes())).contains("fairness")
    );
    let many = Threads { count: 8, ..fair };
    assert!(refused(check(&many).always("p", |_| true)).contains("most"));
}

/// A lock with a queue, whose states say by attributes where they speak of users.
#[derive(Clone)]
struct Queue(usize);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Permute)]
struct Waiting<T = u8> {
    #[permute(indexed)]
    users: Vec<User>,
    #[permute(index)]
    queue: Vec<usize>,
    turns: T,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Permute)]
enum User {
    Rests,
    Waits {
        #[permute(index)]
        behind: Option<usize>,
    },
}

impl Model for Queue {
    type State = Waiting;
    type Action = usize;

    fn init(&self) -> Vec<Waiting> {
        vec![Waiting { users: vec![User::Rests; self.0], queue: Vec::new(), turns: 0 }]
    }

    fn actions(&self, state: &Waiting, actions: &mut Vec<usize>) {
        let may_go =
            |user: &usize| state.users[*user] == User::Rests || state.queue.first() == Some(user);
        actions.extend((0..self.0).filter(may_go));
    }

    fn next(&self, state: &Waiting, user: usize) -> Option<Waiting> {
        let mut next = state.clone();
        next.users[user] = match state.users[user] {
            User::Rests => {
                next.queue.push(user);
                User::Waits { behind: state.queue.last().copied() }
            }
            User::Waits { .. } => {
                next.queue.remove(0);
                next.turns = (state.turns + 1) % 2;
                User::Rests
            }
        };
        Some(next)
    }
}

impl Symmetric for Queue {
    fn interchangeable(&self) -> usize {
        self.0
    }

    fn permute(&self, state: &Waiting, places: &[usize]) -> Waiting {
        state.permute(places)
    }
}

#[test]
fn a_derived_exchange_is_a_symmetry() {
    let asked = || check(&Queue(4)).save_nothing().without_least();
    let short = || asked().always("short", |s| s.queue.len() <= 4);
    let (whole, less) = (short().verdict(), short().up_to_symmetry().expect("a symmetry"));
    assert!(whole.holds() && less.all_hold());
    // Nobody tells the orders of those who wait apart.
    let (whole, less) = (whole.states(), less.of("short").states());
    assert!(less * 10 < whole, "{less} {whole}");
    // A run is one of the model itself.
    let empties = asked().infinitely_often("empties", |s| s.queue.is_empty());
    let found = empties.up_to_symmetry().expect("a symmetry");
    found.of("empties").run().replay(&Queue(4)).expect("a run");
}
