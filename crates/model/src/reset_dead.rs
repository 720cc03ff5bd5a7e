//! Resets dead variables: those that no process will read again.
//!
//! A variable that is dead where its process is (`liveness.rs`) may have any value there: nothing that can
//! happen from then on depends on it, nor does anything that is seen. So in a [`ResettingDead`] space a
//! step also gives such variables of those who take part in it their initial values, and states that
//! differ in nothing else become one. What is left is strongly bisimilar to the whole system: the same
//! actions, what is enabled, offered and ready, the same propositions, deadlocks and faults, and the same
//! number of steps. Only the identity of states is lost.
//!
//! Rows and actions are of the same kinds as those of the model, so a run is led back to what really happened by
//! taking its actions again where nothing is reset.
//!
//! SPIN does the same (`spin -o1 -o2` turns it off). Here what only a formula reads is kept only where that
//! formula is asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fairly_system::{
    ActionId, Holder, Scratch, SequenceLimits, Sequences, Space, Steps, delegate_space,
};

use crate::eval::convert;
use crate::expression::Expr;
use crate::interpreter::ModelSpace;
use crate::layout::Strip;
use crate::liveness::{Dead, Read};
use crate::native::Part;
use crate::process::{Statement, StatementKind, Target};
use crate::variable::Variable;

/// How much has been reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeadResets {
    /// Steps that were made.
    pub steps: usize,
    /// Those of them in which something was reset that was not as it is at first.
    pub changed: usize,
}

/// Bits of a packed state that are given a value.
#[derive(Clone, Copy, Debug)]
struct Reset {
    word: u32,
    mask: u64,
    bits: u64,
}

/// Dead variables of a slot, by variant and location.
type Places = Vec<Vec<Vec<Reset>>>;

/// Variables to reset, by state.
#[derive(Debug)]
pub struct DeadValues {
    /// By slot: where it keeps its kind and its location, and what is dead there.
    places: Vec<(Strip, Strip, Places)>,
    /// In every state.
    always: Vec<Reset>,
    /// The variables.
    read: Read,
}

/// Variables to reset after an action.
#[derive(Clone, Copy, Debug, Default)]
enum After {
    /// It has not been met.
    #[default]
    Unmet,
    /// Those between these positions of the pool.
    Some(u32, u32),
    /// All dead variables: the action starts processes, and where they are depends on the state.
    All,
}

impl DeadValues {
    /// Dead variables of a model, if nothing is asked of states but the values of these expressions; `None` if
    /// nothing is.
    pub fn dead(space: &ModelSpace, seen: &[Expr]) -> Option<DeadValues> {
        DeadValues::of(space, &Dead::of(space.model(), space.layout(), seen))
    }

    /// Variables that nothing depends on in any state: neither the model nor the values of these expressions.
    pub fn faint(space: &ModelSpace, seen: &[Expr]) -> Option<DeadValues> {
        DeadValues::of(space, &Dead::everywhere(space.model(), space.layout(), seen))
    }

    fn of(space: &ModelSpace, dead: &Dead) -> Option<DeadValues> {
        if dead.is_empty() {
            return None;
        }
        let (model, layout) = (space.model(), space.layout());
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
            (slot.kind, slot.location, variants.collect())
        });
        let mut always = Vec::new();
        for &global in &dead.globals {
            let at = global.index();
            reset(&model.variables[at], &layout.variables[at], &mut always);
        }
        let mut read = Read::default();
        read.join(dead.all());
        Some(DeadValues { places: slots.collect(), always: merged(always), read })
    }

    fn at(&self, slot: usize, variant: usize, location: usize) -> &[Reset] {
        self.places[slot].2[variant].get(location).map_or(&[], Vec::as_slice)
    }

    /// Resets all that is dead in a packed state; whether anything changes.
    pub fn everywhere(&self, row: &mut [u64]) -> bool {
        let mut changes = apply(&self.always, row);
        for (slot, (kind, location, _)) in self.places.iter().enumerate() {
            let Ok(kind) = usize::try_from(kind.get(row, 0)) else { continue };
            let Ok(location) = usize::try_from(location.get(row, 0)) else { continue };
            if kind > 0 {
                changes |= apply(self.at(slot, kind - 1, location), row);
            }
        }
        changes
    }

    /// Whether an expression reads something that is reset in some state.
    pub fn touches(&self, expr: &Expr) -> bool {
        let mut read = Read::default();
        read.add(expr);
        read.meets(&self.read)
    }
}

/// A space of a model in which every step resets what is dead behind it.
pub struct ResettingDead<S> {
    inner: S,
    model: Arc<ModelSpace>,
    reset_dead: Arc<DeadValues>,
    steps: AtomicUsize,
    changed: AtomicUsize,
}

/// Memory for one worker.
struct Work {
    inner: Scratch,
    /// By action.
    actions: Vec<After>,
    pool: Vec<Reset>,
}

impl<S: Sequences> ResettingDead<S> {
    /// Of a space that gives the steps of the model.
    pub fn new(inner: S, model: Arc<ModelSpace>, reset_dead: Arc<DeadValues>) -> ResettingDead<S> {
        let (steps, changed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        ResettingDead { inner, model, reset_dead, steps, changed }
    }

    /// How much has been reset.
    pub fn dead_resets(&self) -> DeadResets {
        let count = |of: &AtomicUsize| of.load(Ordering::Relaxed);
        DeadResets { steps: count(&self.steps), changed: count(&self.changed) }
    }

    /// Resets what is dead behind the steps from a position on, which leave states in which nothing is left to
    /// reset.
    fn after(&self, work: &mut Work, first: usize, out: &mut Steps) {
        let width = self.model.layout().words;
        let rows = out.rows[first * width..].chunks_exact_mut(width);
        let mut changed = 0;
        for (row, &action) in rows.zip(&out.actions[first..]) {
            let mut after = work.actions.get(action.index()).copied().unwrap_or_default();
            if let After::Unmet = after {
                after = self.meet(work, action);
            }
            let changes = match after {
                After::Some(from, to) => apply(&work.pool[from as usize..to as usize], row),
                After::All | After::Unmet => self.reset_dead.everywhere(row),
            };
            changed += usize::from(changes);
        }
        self.steps.fetch_add(out.actions.len() - first, Ordering::Relaxed);
        self.changed.fetch_add(changed, Ordering::Relaxed);
    }

    /// Works out what is reset after an action: where its processes are then does not depend on the
    /// state.
    #[cold]
    fn meet(&self, work: &mut Work, action: ActionId) -> After {
        let small = |length: usize| u32::try_from(length).expect("fewer than 2^32");
        let first = small(work.pool.len());
        work.pool.extend_from_slice(&self.reset_dead.always);
        let moves = &self.model.signature().action(action).moves;
        let parts: Vec<Part> = moves.iter().filter_map(|&id| self.model.part(id)).collect();
        let mut starts = false;
        for (at, part) in parts.iter().enumerate() {
            let (slot, variant) = (part.slot as usize, part.variant as usize);
            let edges = self.model.program.edges(slot, variant, part.location as usize);
            let edge = &edges[part.edge as usize];
            starts |= starts_process(&edge.effect);
            // Of a process that takes several steps in one, the last counts.
            let is_last = parts[at + 1..].iter().all(|later| later.slot != part.slot);
            if let (Target::Location(to), true) = (edge.target, is_last) {
                work.pool.extend(self.reset_dead.at(slot, variant, to.index()));
            }
        }
        let after = match starts {
            true => After::All,
            false => After::Some(first, small(work.pool.len())),
        };
        if work.actions.len() <= action.index() {
            work.actions.resize(action.index() + 1, After::Unmet);
        }
        work.actions[action.index()] = after;
        after
    }

    fn with(
        &self,
        scratch: &mut Scratch,
        out: &mut Steps,
        expand: impl FnOnce(&mut Scratch, &mut Steps),
    ) {
        let stop = scratch.stop;
        let work = scratch.of::<Work>();
        work.inner.stop = stop;
        let first = out.actions.len();
        expand(&mut work.inner, out);
        self.after(work, first, out);
    }
}

impl<S: Sequences> Space for ResettingDead<S> {
    delegate_space!(inner, Work);

    fn scratch(&self) -> Scratch {
        let (actions, pool) = (Vec::new(), Vec::new());
        Scratch::new(Work { inner: self.inner.scratch(), actions, pool })
    }

    fn initial(&self, scratch: &mut Scratch, out: &mut Steps) {
        let first = out.actions.len();
        self.inner.initial(&mut scratch.of::<Work>().inner, out);
        let rows = out.rows[first * self.width()..].chunks_exact_mut(self.width());
        rows.for_each(|row| _ = self.reset_dead.everywhere(row));
    }

    fn expand(&self, rows: &[u64], scratch: &mut Scratch, out: &mut Steps) {
        self.with(scratch, out, |scratch, out| self.inner.expand(rows, scratch, out));
    }
}

impl<S: Sequences> Sequences for ResettingDead<S> {
    fn holder(&self) -> Option<Holder> {
        self.inner.holder()
    }

    fn sequence_limits(&self) -> SequenceLimits {
        self.inner.sequence_limits()
    }

    fn most_at_once(&self) -> usize {
        self.inner.most_at_once()
    }

    fn expand_singly(&self, rows: &[u64], scratch: &mut Scratch, out: &mut Steps) {
        self.with(scratch, out, |scratch, out| self.inner.expand_singly(rows, scratch, out));
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
        let dead_resets = *word & !reset.mask | reset.bits;
        changes |= *word != dead_resets;
        *word = dead_resets;
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
