//! The breadth-first search of several workers against a naive one: the same sizes, the same distances, and ways
//! that are runs.

use std::collections::{HashMap, HashSet};

use fairly_explore::breadth::{Breadth, Cut, Ended, Everything, Pace, Size, Sought, Way};
use fairly_model::{ModelSpace, text};
use fairly_modelkit::{cases, first_seed, lively_model};
use fairly_omega::Stop;
use fairly_store::StoreError;
use fairly_system::{
    ActionId, AtomIndex, EventKind, Fault, FaultKind, MoveId, Scratch, Signature, Space,
    StateValues, Steps,
};
use fairly_testkit::Rng;

const WORKERS: [usize; 4] = [1, 2, 3, 8];

/// In pieces as small as they can be, so that workers meet.
const FINE: Pace = Pace { batch: 1, share: 1 };

fn with(workers: usize, pace: Pace) -> Breadth {
    Breadth { workers, memory: 1 << 26, states: None, stop: Stop::default(), pace }
}

/// All rows with their distances, in the order in which one worker meets them.
struct Naive {
    distances: HashMap<Vec<u64>, usize>,
    steps: usize,
    /// Steps in which something goes wrong.
    faults: usize,
    /// The distance of the nearest row without steps that is not only entered by termination, and of the nearest step that is an error.
    stuck: Option<usize>,
    error: Option<usize>,
    has_limits: bool,
}

impl Naive {
    /// `None` if there are more rows than this.
    fn of(space: &impl Space, most: usize) -> Option<Naive> {
        let mut found = Naive {
            distances: HashMap::new(),
            steps: 0,
            faults: 0,
            stuck: None,
            error: None,
            has_limits: false,
        };
        let (mut scratch, mut steps) = (space.scratch(), Steps::default());
        let mut queue = Vec::new();
        space.initial(&mut scratch, &mut steps);
        found.meet(space, &steps, 0, &mut queue);
        let (mut ended, mut entered) = (HashSet::new(), Vec::new());
        let mut next = 0;
        while next < queue.len() {
            let row: Vec<u64> = queue[next].clone();
            next += 1;
            let distance = found.distances[&row];
            steps.clear();
            space.expand(&row, &mut scratch, &mut steps);
            found.steps += steps.actions.len();
            if steps.actions.is_empty() {
                ended.insert(row.clone());
                if distance == 0 {
                    found.stuck = Some(0);
                }
            }
            for (&action, target) in
                steps.actions.iter().zip(steps.rows.chunks_exact(space.width()))
            {
                let event = space.signature().action(action).event;
                if space.signature().events[event.index()].kind != EventKind::Termination {
                    entered.push((target.to_vec(), distance + 1));
                }
            }
            found.meet(space, &steps, distance + 1, &mut queue);
            if queue.len() > most {
                return None;
            }
        }
        let stuck = entered.iter().filter(|(row, _)| ended.contains(row));
        let nearest = stuck.map(|(_, distance)| *distance).min();
        found.stuck = found.stuck.or(nearest);
        Some(found)
    }

    fn meet(&mut self, space: &impl Space, steps: &Steps, at: usize, queue: &mut Vec<Vec<u64>>) {
        self.faults += steps.faults.len();
        for (step, row) in steps.rows.chunks_exact(space.width()).enumerate() {
            match steps.fault(step).map(|fault| fault.kind) {
                Some(FaultKind::Error) => _ = self.error.get_or_insert(at),
                Some(FaultKind::Limit) => self.has_limits = true,
                None if self.distances.contains_key(row) => {}
                None => {
                    self.distances.insert(row.to_vec(), at);
                    queue.push(row.to_vec());
                }
            }
        }
    }

    fn size(&self) -> Size {
        Size { states: self.distances.len(), steps: self.steps, faults: self.faults }
    }
}

struct Errors;

impl Sought for Errors {
    fn fault(&self, fault: &Fault) -> bool {
        fault.kind == FaultKind::Error
    }
}

struct Stuck;

impl Sought for Stuck {
    fn stuck(&self, _: &[u64], _: &mut Scratch) -> bool {
        true
    }
}

struct Row(Vec<u64>);

impl Sought for Row {
    fn state(&self, row: &[u64], _: &mut Scratch) -> bool {
        row == self.0
    }
}

/// Walks a way again, and gives its length, the step that goes wrong counted.
fn walked(space: &impl Space, way: &Way) -> usize {
    let (mut scratch, mut steps) = (space.scratch(), Steps::default());
    space.initial(&mut scratch, &mut steps);
    if let Some(first) = way.rows.first() {
        assert!(
            steps.rows.chunks_exact(space.width()).any(|row| *row == **first),
            "an initial row"
        );
    }
    assert_eq!(way.actions.len() + 1, way.rows.len().max(1));
    for (pair, &action) in way.rows.windows(2).zip(&way.actions) {
        steps.clear();
        space.expand(&pair[0], &mut scratch, &mut steps);
        let mut targets = steps.actions.iter().zip(steps.rows.chunks_exact(space.width()));
        assert!(targets.any(|(&taken, row)| taken == action && *row == *pair[1]), "a step");
    }
    let Some((action, fault)) = &way.fault else { return way.actions.len() };
    if let (Some(action), Some(last)) = (action, way.rows.last()) {
        steps.clear();
        space.expand(last, &mut scratch, &mut steps);
        let mut faults = steps.faults.iter();
        assert!(faults.any(|(at, other)| other == fault && steps.actions[*at] == *action));
        return way.actions.len() + 1;
    }
    0
}

fn compare(space: &impl Space, rng: &mut Rng) -> bool {
    let Some(naive) = Naive::of(space, 2000) else { return false };
    let mut rows: Vec<(&Vec<u64>, usize)> =
        naive.distances.iter().map(|(row, &at)| (row, at)).collect();
    rows.sort();
    let some = (!rows.is_empty()).then(|| rows[rng.below(rows.len())]);
    for workers in WORKERS {
        let search = with(workers, FINE);
        let (ended, size) = search.search(space, &Everything);
        match ended {
            Ended::Exhausted => assert!(!naive.has_limits),
            Ended::Cut(Cut::Limit(_)) => assert!(naive.has_limits),
            other => panic!("{other:?}"),
        }
        assert_eq!(size, naive.size(), "{workers} workers");
        match (search.search(space, &Errors).0, naive.error) {
            (Ended::Found(way), Some(distance)) => assert_eq!(walked(space, &way), distance),
            (Ended::Exhausted | Ended::Cut(Cut::Limit(_)), None) => {}
            (other, expected) => panic!("{other:?} for an error at {expected:?}"),
        }
        match (search.search(space, &Stuck).0, naive.stuck) {
            (Ended::Found(way), Some(distance)) => assert_eq!(walked(space, &way), distance),
            (Ended::Exhausted | Ended::Cut(Cut::Limit(_)), None) => {}
            (other, expected) => panic!("{other:?} for a stuck state at {expected:?}"),
        }
        if let Some((row, distance)) = some {
            match search.search(space, &Row(row.clone())).0 {
                Ended::Found(way) => {
                    assert_eq!(walked(space, &way), distance);
                    assert_eq!(**way.rows.last().unwrap(), **row);
                }
                other => panic!("{other:?}"),
            }
        }
    }
    true
}

#[test]
fn random_models_are_as_large_and_as_deep_as_a_naive_search_says() {
    let first = first_seed(1);
    let (mut compared, all) = (0, cases(300));
    for seed in first..first + all {
        let mut rng = Rng::new(seed);
        let model = lively_model(&mut rng);
        let shown = text::print(&model);
        let result = std::panic::catch_unwind(move || {
            compare(&ModelSpace::new(model, None), &mut Rng::new(seed + 1))
        });
        compared += u64::from(result.unwrap_or_else(|_| panic!("seed {seed}\n{shown}")));
    }
    assert!(compared > all / 2, "{compared} of {all} compared");
}

/// A grid with wrapped sides, in each state of which every coordinate can go on by one; so wide are its rows.
struct Grid {
    signature: Signature,
    side: u64,
    dimensions: usize,
    width: usize,
}

impl Grid {
    fn new(side: u64, dimensions: usize, width: usize) -> Grid {
        Grid { signature: Signature::new(vec!["walker".to_owned()]), side, dimensions, width }
    }
}

impl Space for Grid {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn width(&self) -> usize {
        self.width
    }

    fn scratch(&self) -> Scratch {
        Scratch::new(())
    }

    fn initial(&self, _: &mut Scratch, out: &mut Steps) {
        out.push(ActionId::IDLE, &vec![0; self.width]);
        out.end_row();
    }

    fn expand(&self, rows: &[u64], _: &mut Scratch, out: &mut Steps) {
        for row in rows.chunks_exact(self.width) {
            for at in 0..self.dimensions {
                let mut next = row.to_vec();
                next[at] = (next[at] + 1) % self.side;
                out.push(ActionId::IDLE, &next);
            }
            out.end_row();
        }
    }

    fn offered(&self, _: &[u64], _: &mut Scratch, _: &mut Vec<MoveId>) {}

    fn atom(&self, _: &str) -> Option<AtomIndex> {
        None
    }

    fn holds(&self, _: &[u64], _: AtomIndex, _: &mut Scratch) -> bool {
        false
    }

    fn values(&self, _: &[u64]) -> StateValues {
        StateValues::default()
    }
}

#[test]
fn large_distances_are_shared_by_the_workers() {
    // Rows that are kept as they are, and as trees.
    for (side, dimensions, width) in [(60, 3, 3), (60, 3, 9)] {
        let grid = Grid::new(side, dimensions, width);
        for workers in WORKERS {
            let search = with(workers, Pace::default());
            let states = side.pow(3) as usize;
            let size = Size { states, steps: 3 * states, faults: 0 };
            assert_eq!(search.search(&grid, &Everything), (Ended::Exhausted, size));
            let mut far = vec![0; width];
            far[..3].copy_from_slice(&[side - 1, side - 2, side - 1]);
            let Ended::Found(way) = search.search(&grid, &Row(far)).0 else {
                panic!("it is there")
            };
            assert_eq!(walked(&grid, &way) as u64, 3 * side - 4);
        }
    }
}

#[test]
fn a_limit_is_no_answer() {
    let grid = Grid::new(100, 3, 3);
    for workers in WORKERS {
        let few = Breadth { states: Some(5000), ..with(workers, Pace::default()) };
        let (ended, size) = few.search(&grid, &Everything);
        assert_eq!(ended, Ended::Cut(Cut::States(5000)));
        assert!(size.states >= 5000 && size.states < 5000 + 64 * workers, "{size:?}");
        let small = Breadth { memory: 1 << 20, ..with(workers, Pace::default()) };
        let (ended, size) = small.search(&grid, &Everything);
        assert!(matches!(ended, Ended::Cut(Cut::Store(StoreError::Budget { .. }))), "{ended:?}");
        assert!(size.states < 1_000_000);
        let stopped = Breadth {
            stop: Stop { deadline: Some(std::time::Instant::now()), ..Stop::default() },
            ..with(workers, Pace::default())
        };
        assert_eq!(stopped.search(&grid, &Everything).0, Ended::Cut(Cut::Interrupted));
    }
}

/// A grid whose worker fails in some row.
struct Failing(Grid);

impl Sought for Failing {
    fn state(&self, row: &[u64], _: &mut Scratch) -> bool {
        assert!(row[0] < 50, "a bug in a worker");
        false
    }
}

#[test]
fn a_worker_that_fails_ends_the_search() {
    let failing = Failing(Grid::new(60, 3, 3));
    let search = with(3, FINE);
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        search.search(&failing.0, &failing)
    }));
    assert!(failed.is_err(), "nothing is answered");
}
