//! The functions of a model, each made once it is worth it.
//!
//! A search of a hundred states is over before a function is compiled, so states are interpreted first. A
//! function that is missing declines the state and counts that. An attempt to make it is given up as soon as
//! it gets longer than the states that it declined are [worth](crate::Settings::worth), and repeated when
//! they are worth twice as much. So it need not be known before how long a function gets, and no more is
//! compiled than what was interpreted is worth. All this counts states and not time, so a search does the
//! same whenever it is run.
//!
//! While a thread makes a function, others that ask for it are declined rather than made to wait.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use fairly_model::Expr;

use crate::cells::Cells;
use crate::emit::Purpose;
use crate::machine::{Code, CodeError, Machine};
use fairly_model::native::plan::Plan;

/// All functions of a model. None of them is made before it is worth it.
pub(crate) struct Functions {
    pub(crate) machine: Machine,
    /// By slot and variant: the functions, each for some locations.
    chunks: Vec<Vec<Vec<Chunk>>>,
    /// All slots in order, those that one function is enough for together.
    pub(crate) groups: Vec<Group>,
    /// The functions of all groups, once they are there; `None` if some group does without.
    for_all: OnceLock<Option<Vec<Code>>>,
    /// By edge: what it does after its communication.
    effects: Cells<Function>,
    guards: Cells<Function>,
    propositions: Cells<Function>,
    /// Instructions that are made for each state that was left to the interpreter.
    pub(crate) worth: usize,
}

/// Slots whose steps are looked for together.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) slots: Range<usize>,
    /// For all of them; none if the slot needs several functions of its own.
    function: Option<Function>,
}

/// The functions for some locations of a process.
#[derive(Debug)]
struct Chunk {
    end: usize,
    steps: Function,
    probe: Function,
}

/// A function that is made once it has been asked for often enough.
#[derive(Debug, Default)]
struct Function {
    code: OnceLock<Option<Code>>,
    /// How often it was asked for before it was there.
    asked: AtomicU32,
    /// How often it has to be until an attempt is made; [`TAKEN`] while a thread makes one.
    wait: AtomicU32,
}

/// State of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found {
    Code(Code),
    /// It is not worth it yet, or a thread is making it.
    Cold,
    /// It cannot be had.
    Never,
}

impl Found {
    pub(crate) fn code(self) -> Option<Code> {
        match self {
            Found::Code(code) => Some(code),
            Found::Cold | Found::Never => None,
        }
    }
}

/// A thread makes the function.
const TAKEN: u32 = u32::MAX;

impl Function {
    /// The function, if it is there or can be made: `make` does so with this many instructions at most,
    /// `worth` for each time that it was asked for.
    #[inline]
    fn get(&self, worth: usize, make: impl FnOnce(usize) -> Result<Code, CodeError>) -> Found {
        match self.code.get() {
            Some(Some(code)) => Found::Code(*code),
            Some(None) => Found::Never,
            None => self.warm_up(worth, make),
        }
    }

    /// Counts, and makes an attempt if it is time for one.
    #[cold]
    fn warm_up(&self, worth: usize, make: impl FnOnce(usize) -> Result<Code, CodeError>) -> Found {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        let wait = self.wait.load(Ordering::Relaxed);
        // Others interpret meanwhile.
        let take = || self.wait.compare_exchange(wait, TAKEN, Ordering::Acquire, Ordering::Relaxed);
        if asked < wait || take().is_err() {
            return Found::Cold;
        }
        let most = worth.saturating_mul(asked as usize);
        let made = match make(most) {
            Ok(code) => Some(code),
            Err(CodeError::Never) => None,
            Err(CodeError::TooLong) => {
                // Not before it is worth twice as much.
                self.wait.store(asked.saturating_mul(2).min(TAKEN - 1), Ordering::Release);
                return Found::Cold;
            }
        };
        let made = *self.code.get_or_init(|| made);
        made.map_or(Found::Never, Found::Code)
    }
}

/// So many edges are put into one function. The time to compile one grows faster than its length.
const EDGES: usize = 120;
/// Slots in which processes come and go get functions of their own, for each that is met there, if
/// there are more edges in all of them.
const OPEN_EDGES: usize = 600;

impl Functions {
    /// None yet. Those of so many instructions are worth a state that is left to the interpreter.
    pub(crate) fn new(plan: &Plan, machine: Machine, worth: usize) -> Functions {
        let chunks = plan.layout.slots.iter().enumerate().map(|(slot, of)| {
            let variants = 0..of.variants.len();
            variants.map(|variant| chunks_of(plan, slot, variant)).collect()
        });
        let chunks: Vec<_> = chunks.collect();
        Functions {
            groups: groups_of(plan, &chunks),
            chunks,
            machine,
            for_all: OnceLock::new(),
            effects: Cells::new(),
            guards: Cells::new(),
            propositions: Cells::new(),
            worth,
        }
    }

    fn get(
        &self,
        plan: &Plan,
        function: &Function,
        purpose: impl FnOnce() -> Purpose<'static>,
    ) -> Found {
        function.get(self.worth, |most| self.machine.compile(plan, &purpose(), most))
    }

    /// The function for the process in a slot where it is.
    pub(crate) fn process(
        &self,
        plan: &Plan,
        (slot, variant): (usize, usize),
        words: &[u64],
        probe: bool,
    ) -> Option<Code> {
        let chunks = &self.chunks[slot][variant];
        let at = if chunks.len() == 1 {
            0
        } else {
            let strip = plan.layout.slots[slot].location;
            let location = usize::try_from(strip.get(words, 0)).unwrap_or(0);
            chunks.partition_point(|chunk| chunk.end <= location)
        };
        let chunk = &chunks[at];
        let function = if probe { &chunk.probe } else { &chunk.steps };
        let purpose = || {
            let start = if at == 0 { 0 } else { chunks[at - 1].end };
            let locations = start..chunk.end;
            match probe {
                true => Purpose::Probe { slot, variant, locations },
                false => Purpose::Steps { slot, variant, locations },
            }
        };
        self.get(plan, function, purpose).code()
    }

    /// The function of a group.
    #[inline]
    pub(crate) fn group(&self, plan: &Plan, group: &Group) -> Found {
        let Some(function) = &group.function else { return Found::Never };
        self.get(plan, function, || Purpose::Together { slots: group.slots.clone() })
    }

    /// Those of all groups, if they are there and no group does without.
    #[inline]
    pub(crate) fn for_all(&self) -> Option<&[Code]> {
        self.for_all.get()?.as_deref()
    }

    /// Takes note that no group waits for its function any more.
    pub(crate) fn settle(&self) {
        self.for_all.get_or_init(|| {
            let code = |group: &Group| *group.function.as_ref()?.code.get()?;
            self.groups.iter().map(code).collect()
        });
    }

    /// Makes those of all groups now.
    pub(crate) fn prepare(&self, plan: &Plan) {
        for group in &self.groups {
            if let Some(function) = &group.function {
                let purpose = Purpose::Together { slots: group.slots.clone() };
                function.get(usize::MAX, |most| self.machine.compile(plan, &purpose, most));
            }
        }
    }

    /// Effect of an edge after its communication.
    pub(crate) fn effect(&self, plan: &Plan, edge: u32) -> Option<Code> {
        self.get(plan, self.effects.at(edge as usize), || Purpose::Effect { edge }).code()
    }

    /// The guard of an edge that reads the received message.
    pub(crate) fn guard(&self, plan: &Plan, edge: u32) -> Option<Code> {
        self.get(plan, self.guards.at(edge as usize), || Purpose::Guard { edge }).code()
    }

    /// The proposition at a position.
    pub(crate) fn proposition(&self, plan: &Plan, at: usize, expr: &Expr) -> Option<Code> {
        let function = self.propositions.at(at);
        let found = function.get(self.worth, |most| {
            // Whether something waits for a timeout would have to be found out first.
            match expr.any(&mut |expr| matches!(expr, Expr::Timeout)) {
                true => Err(CodeError::Never),
                false => self.machine.compile(plan, &Purpose::Proposition { expr }, most),
            }
        });
        found.code()
    }
}

/// Puts slots into groups: as many neighbours as fit into one function.
fn groups_of(plan: &Plan, chunks: &[Vec<Vec<Chunk>>]) -> Vec<Group> {
    let slots = &plan.layout.slots;
    // Code for processes that never come is not worth it if there is much of that.
    let open = (0..slots.len()).filter(|&slot| !slots[slot].is_fixed());
    let few = open.map(|slot| edges_of(plan, slot)).sum::<usize>() <= OPEN_EDGES;
    let fits = |slot: usize| {
        let is_chunked = chunks[slot].iter().any(|chunks| chunks.len() > 1);
        !is_chunked && (few || slots[slot].is_fixed())
    };
    let mut groups = Vec::new();
    let mut first = 0;
    while first < slots.len() {
        let (mut end, mut edges) = (first, 0);
        while end < slots.len() && fits(end) {
            edges += edges_of(plan, end);
            if edges > EDGES && end > first {
                break;
            }
            end += 1;
        }
        let function = (end > first).then(Function::default);
        let slots = first..end.max(first + 1);
        first = slots.end;
        groups.push(Group { slots, function });
    }
    groups
}

fn chunks_of(plan: &Plan, slot: usize, variant: usize) -> Vec<Chunk> {
    let locations = plan.locations(slot, variant);
    let mut chunks = Vec::new();
    let mut edges = 0;
    for location in 0..locations {
        edges += plan.edges(slot, variant, location).len();
        if edges > EDGES || location + 1 == locations {
            let (steps, probe) = (Function::default(), Function::default());
            chunks.push(Chunk { end: location + 1, steps, probe });
            edges = 0;
        }
    }
    chunks
}

/// How many edges all processes have that can be in a slot.
fn edges_of(plan: &Plan, slot: usize) -> usize {
    let variants = 0..plan.layout.slots[slot].variants.len();
    let places = variants
        .flat_map(|variant| (0..plan.locations(slot, variant)).map(move |at| (variant, at)));
    places.map(|(variant, at)| plan.edges(slot, variant, at).len()).sum()
}
