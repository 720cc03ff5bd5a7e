//! Forgetting what no process will read again.
//!
//! A variable that is dead where its process is (`liveness.rs`) may have any value there: nothing that can
//! happen from then on depends on it, nor does anything that is seen. So while an interpreter *forgets*, a
//! step also gives such variables of those who take part in it their initial values, and states that
//! differ in nothing else become one. What is left is strongly bisimilar to the whole system: the same
//! actions, what is enabled, offered and ready, the same propositions, deadlocks and faults, and the same
//! number of steps. Only the identity of states is lost.
//!
//! States are numbered together whether anything is forgotten or not, and actions are the same ones, so a
//! run is led back to what really happened by taking its actions again with forgetting turned off.
//!
//! SPIN does the same (`spin -o1 -o2` turns it off). Here what only a formula reads is kept only where that
//! formula is asked.

use fairly_omega::StateId;
use fairly_system::{ActionId, AtomIndex};

use crate::collapsed::Collapsed;
use crate::eval::convert;
use crate::expression::Expr;
use crate::interpreter::{Interpreter, Program};
use crate::layout::{Layout, Strip};
use crate::liveness::{Dead, Read};
use crate::model::Model;
use crate::process::{Statement, StatementKind, Target};
use crate::variable::Variable;

/// How much has been forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Steps that were made.
    pub steps: usize,
    /// Those of them in which something was forgotten that was not as it is at first.
    pub changed: usize,
}

/// Bits of a packed state that are given a value.
#[derive(Clone, Copy, Debug)]
struct Reset {
    word: u32,
    mask: u64,
    bits: u64,
}

/// What to forget in which state.
pub(crate) struct Forget {
    /// By slot, variant and location.
    places: Vec<Vec<Vec<Vec<Reset>>>>,
    /// In every state.
    always: Vec<Reset>,
    /// By action.
    actions: Vec<After>,
    pool: Vec<Reset>,
    forgotten: Forgotten,
    /// A number for what is forgotten, not zero.
    pub(crate) version: u32,
}

/// What to forget after an action.
#[derive(Clone, Copy, Debug, Default)]
enum After {
    /// It has not been met.
    #[default]
    Unmet,
    /// What is between these positions of the pool.
    Some(u32, u32),
    /// Whatever is dead: it starts processes, and where they are depends on the state.
    All,
}

impl Forget {
    fn new(model: &Model, layout: &Layout, dead: &Dead) -> Forget {
        let slots = layout.slots.iter().map(|slot| {
            let variants = slot.variants.iter().map(|variant| {
                let template = model.template(variant.template);
                let at = |location: usize| {
                    let mut resets = Vec::new();
                    for local in dead.at(variant.template, location) {
                        reset(template.local(*local), &variant.locals[local.index()], &mut resets);
                    }
                    merged(resets)
                };
                (0..template.locations.len()).map(at).collect()
            });
            variants.collect()
        });
        let mut always = Vec::new();
        for &global in &dead.globals {
            let at = global.index();
            reset(&model.variables[at], &layout.variables[at], &mut always);
        }
        Forget {
            places: slots.collect(),
            always: merged(always),
            actions: Vec::new(),
            pool: Vec::new(),
            forgotten: Forgotten::default(),
            version: 0,
        }
    }

    /// Forgets what is dead after steps out of a state in which nothing is left to forget.
    pub(crate) fn after(&mut self, program: &Program, actions: &[ActionId], rows: &mut [u64]) {
        let width = program.layout.words;
        self.forgotten.steps += actions.len();
        for (row, &action) in rows.chunks_exact_mut(width).zip(actions) {
            let mut after = self.actions.get(action.index()).copied().unwrap_or_default();
            if let After::Unmet = after {
                after = self.meet(program, action);
            }
            let changes = match after {
                After::Some(from, to) => apply(&self.pool[from as usize..to as usize], row),
                After::All | After::Unmet => self.everywhere(&program.layout, row),
            };
            self.forgotten.changed += usize::from(changes);
        }
    }

    /// Works out what is forgotten after an action: where its processes are then does not depend on the
    /// state.
    #[cold]
    fn meet(&mut self, program: &Program, action: ActionId) -> After {
        let small = |length: usize| u32::try_from(length).expect("fewer than 2^32");
        let first = small(self.pool.len());
        self.pool.extend_from_slice(&self.always);
        let keys: Vec<_> = program
            .names
            .signature
            .action(action)
            .moves
            .iter()
            .map(|&id| program.names.key(id))
            .filter(|key| key.edge != u32::MAX)
            .collect();
        let mut starts = false;
        for (at, key) in keys.iter().enumerate() {
            let (slot, variant) = (key.slot as usize, key.variant as usize);
            let edges = program.edges(slot, variant, key.location as usize);
            let edge = &edges[key.edge as usize];
            starts |= starts_process(&edge.effect);
            // Of a process that takes several steps in one, the last counts.
            let is_last = keys[at + 1..].iter().all(|later| later.slot != key.slot);
            if let (Target::Location(to), true) = (edge.target, is_last) {
                let here = self.places[slot][variant].get(to.index());
                self.pool.extend(here.into_iter().flatten());
            }
        }
        let after = match starts {
            true => After::All,
            false => After::Some(first, small(self.pool.len())),
        };
        if self.actions.len() <= action.index() {
            self.actions.resize(action.index() + 1, After::Unmet);
        }
        self.actions[action.index()] = after;
        after
    }

    fn at(&self, slot: usize, variant: usize, location: usize) -> &[Reset] {
        self.places[slot][variant].get(location).map_or(&[], Vec::as_slice)
    }

    /// Forgets all that is dead in a packed state; whether anything changes.
    pub(crate) fn everywhere(&self, layout: &Layout, row: &mut [u64]) -> bool {
        let mut changes = apply(&self.always, row);
        for (slot, of) in layout.slots.iter().enumerate() {
            let Ok(kind) = usize::try_from(of.kind.get(row, 0)) else { continue };
            let Ok(location) = usize::try_from(of.location.get(row, 0)) else { continue };
            if kind > 0 {
                changes |= apply(self.at(slot, kind - 1, location), row);
            }
        }
        changes
    }
}

fn starts_process(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StatementKind::Start { .. } => true,
        StatementKind::If { then, otherwise, .. } => {
            starts_process(then) || starts_process(otherwise)
        }
        StatementKind::While { body, .. } => starts_process(body),
        _ => false,
    })
}

/// Whether anything changes.
fn apply(resets: &[Reset], row: &mut [u64]) -> bool {
    let mut changes = false;
    for reset in resets {
        let word = &mut row[reset.word as usize];
        let forgotten = *word & !reset.mask | reset.bits;
        changes |= *word != forgotten;
        *word = forgotten;
    }
    changes
}

/// One entry for each word.
fn merged(mut resets: Vec<Reset>) -> Vec<Reset> {
    resets.sort_by_key(|reset| reset.word);
    resets.dedup_by(|next, reset| {
        let same = next.word == reset.word;
        if same {
            reset.mask |= next.mask;
            reset.bits |= next.bits;
        }
        same
    });
    resets
}

/// Adds what gives a variable its initial value; a word may have several entries.
fn reset(variable: &Variable, strip: &Strip, resets: &mut Vec<Reset>) {
    if strip.width == 0 {
        return;
    }
    for element in 0..strip.length {
        let initial = variable.initial.get(element as usize).copied().unwrap_or(0);
        let initial = convert(variable.range, variable.overflow, initial);
        // Any value will do, should there be no room for that one.
        let initial = initial.filter(|&it| strip.range().contains(it)).unwrap_or(strip.base);
        let bits = initial.wrapping_sub(strip.base).cast_unsigned();
        let (word, shift) = strip.position(element);
        let word = u32::try_from(word).expect("fewer than 2^32 words");
        let (mask, bits) = (strip.mask() << shift, bits << shift);
        match resets.last_mut().filter(|reset| reset.word == word) {
            Some(reset) => {
                reset.mask |= mask;
                reset.bits |= bits;
            }
            None => resets.push(Reset { word, mask, bits }),
        }
    }
}

/// What an interpreter forgets, and has forgotten.
#[derive(Default)]
pub(crate) struct Memory {
    /// What is forgotten now.
    pub(crate) forget: Option<Forget>,
    /// How often it has begun.
    versions: u32,
    /// Variables that have ever been.
    ever: Read,
    /// What was read by propositions when it began last.
    seen: Option<Vec<Expr>>,
    /// What makes no difference in any state, once it has been asked for, and how many propositions there were;
    /// nothing if there is nothing.
    faint: Option<(usize, Option<Box<Forget>>)>,
}

impl Memory {
    /// Whether an expression reads something that has been forgotten in some state.
    pub(crate) fn touches(&self, expr: &Expr) -> bool {
        let mut read = Read::default();
        read.add(expr);
        read.meets(&self.ever)
    }
}

impl Interpreter {
    /// From now on forgets what is dead, if nothing is asked of states but the values of these
    /// expressions; whether there is anything to forget.
    pub fn forget(&mut self, seen: &[Expr]) -> bool {
        let Program { model, layout, .. } = self.program();
        let dead = Dead::of(model, layout, seen);
        let forget = (!dead.is_empty()).then(|| Forget::new(model, layout, &dead));
        let memory = self.memory_mut();
        memory.ever.join(dead.all());
        (memory.seen, memory.faint) = (Some(seen.to_vec()), None);
        memory.versions += 1;
        let version = memory.versions;
        memory.forget = forget.map(|forget| Forget { version, ..forget });
        memory.forget.is_some()
    }

    /// Whether two states differ in nothing but variables that nothing depends on, neither the model nor what
    /// was asked for when something was forgotten last; or any proposition that has been asked for, if nothing
    /// was.
    pub(crate) fn differ_faintly(&mut self, one: StateId, other: StateId) -> bool {
        if one == other {
            return true;
        }
        let count = self.space().atoms.count();
        if self.memory().faint.as_ref().is_none_or(|(known, _)| *known != count) {
            let atoms = (0..count).filter_map(|at| {
                self.atom_expression(AtomIndex(u32::try_from(at).expect("few propositions")))
            });
            let seen = match &self.memory().seen {
                Some(seen) => seen.clone(),
                None => atoms.collect(),
            };
            let Program { model, layout, .. } = self.program();
            let dead = Dead::everywhere(model, layout, &seen);
            let forget = (!dead.is_empty()).then(|| Box::new(Forget::new(model, layout, &dead)));
            self.memory_mut().faint = Some((count, forget));
        }
        let Some((_, Some(forget))) = &self.memory().faint else { return false };
        let (Some(mut one), Some(mut other)) = (self.packed_well(one), self.packed_well(other))
        else {
            return false;
        };
        let layout = &self.program().layout;
        forget.everywhere(layout, &mut one);
        forget.everywhere(layout, &mut other);
        one == other
    }

    /// Forgets nothing any more.
    pub fn remember(&mut self) {
        self.memory_mut().forget = None;
    }

    /// How much has been forgotten since it began; `None` if nothing is forgotten.
    pub fn forgotten(&self) -> Option<Forgotten> {
        self.memory().forget.as_ref().map(|forget| forget.forgotten)
    }
}

impl Collapsed {
    /// The state in which all is forgotten that is dead in a state; its own number if something went
    /// wrong in the step to it, or nothing is forgotten.
    pub fn without_dead(&mut self, state: StateId) -> StateId {
        self.interpreter_mut().without_dead(state)
    }

    /// Does something with nothing being forgotten or merged.
    pub fn as_it_is<T>(&mut self, work: impl FnOnce(&mut Collapsed) -> T) -> T {
        let forget = self.interpreter_mut().memory_mut().forget.take();
        let is_merged = self.interpreter().merged() > 0;
        if is_merged {
            self.interpreter_mut().exchange();
        }
        let done = work(self);
        if is_merged {
            self.interpreter_mut().exchange();
        }
        self.interpreter_mut().memory_mut().forget = forget;
        done
    }
}
