//! A program's own type as a space: it says what can happen, by names, and numbers neither states nor actions. It is
//! checked under fairness like any other system.

use fairly_check::{Assumption, Least, Options, Outcome, Property, check, ladder, least};
use fairly_explore::Explored;
use fairly_fairness::{Level, Notion};
use fairly_logic::Formulas;
use fairly_omega::StateId;
use fairly_reduce::Reducible;
use fairly_system::{
    Action, ActionId, AtomIndex, EventKind, Fault, Move, MoveId, ProcessId, Scratch, Seen,
    Signature, Space, StateValues, Steps, Transition, TransitionSystem,
};

/// Users of one lock, as a program has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lock {
    /// Who is inside.
    holder: Option<u8>,
    /// Who waits.
    waiting: [bool; USERS],
}

const USERS: usize = 2;
const DONE: [&str; 3] = ["ask", "enter", "leave"];

impl Lock {
    fn next(self, user: usize, done: &str) -> Option<Lock> {
        let mut next = self;
        let (is_inside, waits) = (self.holder == Some(user as u8), self.waiting[user]);
        match done {
            "ask" if !is_inside && !waits => next.waiting[user] = true,
            "enter" if waits && self.holder.is_none() => {
                (next.holder, next.waiting[user]) = (Some(user as u8), false);
            }
            "leave" if is_inside => next.holder = None,
            _ => return None,
        }
        Some(next)
    }

    fn packed(self) -> u64 {
        let waiting = self.waiting.iter().fold(0, |word, &waits| word << 1 | u64::from(waits));
        waiting << 8 | self.holder.map_or(0, |user| u64::from(user) + 1)
    }

    fn unpacked(word: u64) -> Lock {
        let waiting = std::array::from_fn(|user| word >> (8 + USERS - 1 - user) & 1 == 1);
        Lock { holder: (word as u8).checked_sub(1), waiting }
    }
}

/// The space of the lock. What can happen is listed by name, and found by name.
struct Locks {
    signature: Signature,
}

impl Locks {
    fn new() -> Locks {
        let signature = Signature::new((0..USERS).map(|user| format!("user{user}")).collect());
        for user in 0..USERS {
            for done in DONE {
                let event = signature.add_event(format!("{done}.{user}"), EventKind::Visible);
                let process = ProcessId::from_index(user);
                let name = done.to_owned();
                signature.moves.push(Move { process, event, annotation: None, name, span: None });
            }
        }
        Locks { signature }
    }

    /// The steps out of a state: the move, and the state after it.
    fn steps(&self, lock: Lock) -> Vec<(MoveId, Lock)> {
        let all = self.signature.move_ids().filter_map(|id| {
            let it = &self.signature.moves[id.index()];
            Some((id, lock.next(it.process.index(), &it.name)?))
        });
        all.collect()
    }
}

impl Space for Locks {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn width(&self) -> usize {
        1
    }

    fn scratch(&self) -> Scratch {
        Scratch::new(Seen::default())
    }

    fn initial(&self, _: &mut Scratch, out: &mut Steps) {
        let first = Lock { holder: None, waiting: [false; USERS] };
        out.push(ActionId::IDLE, &[first.packed()]);
        out.end_row();
    }

    fn expand(&self, rows: &[u64], scratch: &mut Scratch, out: &mut Steps) {
        for &row in rows {
            for (id, next) in self.steps(Lock::unpacked(row)) {
                let event = self.signature.moves[id.index()].event;
                let action = self.signature.action_id(scratch.of(), event, &[id]);
                out.push(action, &[next.packed()]);
            }
            out.end_row();
        }
    }

    fn offered(&self, row: &[u64], _: &mut Scratch, out: &mut Vec<MoveId>) {
        out.extend(self.steps(Lock::unpacked(row[0])).into_iter().map(|(id, _)| id));
    }

    fn atom(&self, text: &str) -> Option<AtomIndex> {
        (text == "free").then_some(AtomIndex(0))
    }

    fn holds(&self, row: &[u64], _: AtomIndex, _: &mut Scratch) -> bool {
        Lock::unpacked(row[0]).holder.is_none()
    }

    fn values(&self, _: &[u64]) -> StateValues {
        StateValues::default()
    }

    fn describe(&self, row: &[u64]) -> String {
        format!("{:?}", Lock::unpacked(row[0]))
    }
}

/// The explored space, of which no step is left out.
struct Whole(Explored<Locks>);

impl Reducible for Whole {}

impl TransitionSystem for Whole {
    fn signature(&self) -> &Signature {
        self.0.signature()
    }

    fn initial(&mut self) -> Vec<StateId> {
        self.0.initial()
    }

    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>) {
        self.0.enabled(state, out);
    }

    fn action(&self, action: ActionId) -> &Action {
        self.0.action(action)
    }

    fn offered(&mut self, state: StateId, out: &mut Vec<MoveId>) {
        self.0.offered(state, out);
    }

    fn atom(&mut self, text: &str) -> Option<AtomIndex> {
        self.0.atom(text)
    }

    fn holds(&self, state: StateId, atom: AtomIndex) -> bool {
        self.0.holds(state, atom)
    }

    fn describe(&self, state: StateId) -> String {
        self.0.describe(state)
    }

    fn fault(&self, state: StateId) -> Option<&Fault> {
        self.0.fault(state)
    }
}

fn property(text: &str, system: &mut Whole) -> Property {
    let mut formulas = Formulas::new();
    let formula = formulas.parse(text).expect("a formula");
    Property::bind("it", formulas, formula, system).expect("its names")
}

#[test]
fn rows_are_states_and_states_are_rows() {
    for word in 0..=2u64 {
        for waiting in 0..4u64 {
            assert_eq!(Lock::unpacked(waiting << 8 | word).packed(), waiting << 8 | word);
        }
    }
}

#[test]
fn a_type_of_a_program_is_checked_under_fairness() {
    let options = Options::default();
    for (text, notion, expected) in [
        ("G (enter.0 -> X (!enter.1 W leave.0))", Notion::None, true),
        ("G (ask.0 -> F enter.0)", Notion::None, false),
        // The lock is free again and again, and taken again and again by the other user.
        ("G (ask.0 -> F enter.0)", Notion::Weak(Level::Process), false),
        ("G (ask.0 -> F enter.0)", Notion::Strong(Level::Process), true),
        // While one is inside, the others can ask once, and then only it can go on.
        ("G F \"free\"", Notion::None, true),
        ("F G \"free\"", Notion::Weak(Level::Process), false),
    ] {
        let mut system = Whole(Explored::new(Locks::new()));
        let mut property = property(text, &mut system);
        let answer = check(&mut system, &mut property, &Assumption::of(notion), &options);
        let answer = answer.expect("no bug");
        let holds = match answer.outcome {
            Outcome::Holds(_) => true,
            Outcome::Violated(_) => false,
            other => panic!("{text} {notion}: {other:?}"),
        };
        assert_eq!(holds, expected, "{text} under {notion}");
    }
}

#[test]
fn it_has_a_ladder_and_least_fairness() {
    let mut system = Whole(Explored::new(Locks::new()));
    let mut served = property("G (ask.0 -> F enter.0)", &mut system);
    let options = Options::default();
    let table = ladder(&mut system, &mut served, &[], &options).expect("a ladder");
    let holds =
        |wanted: Notion| table.rungs.iter().find(|it| it.notion == wanted)?.holds.clone().ok();
    assert_eq!(holds(Notion::Weak(Level::Process)), Some(false));
    assert_eq!(holds(Notion::Strong(Level::Process)), Some(true));
    let sets = least(&mut system, &mut served, Level::Process, &[], &options);
    assert!(matches!(sets, Ok(Least::Sets { ref sets, .. }) if !sets.is_empty()), "{sets:?}");
}
