//! The reference interpreter as a [`Space`].

use std::sync::Arc;

use fairly_system::{
    AtomIndex, Blocked, EventId, MoveId, Scratch, Signature, Space, StateValues, Steps,
};

use super::atoms::Atoms;
use super::expand::Keep;
use super::join::{Joints, Way};
use super::names::Used;
use super::offers::Offers;
use super::program::Program;
use super::step;
use crate::eval::{Faulty, fault};
use crate::exec::{Effort, within};
use crate::layout::Layout;
use crate::limits::{Limits, Long};
use crate::model::{Model, Unfold};
use crate::native::Part;

/// The meaning of a [`Model`], as a [`Space`]: see [`crate::Interpreter`].
pub struct ModelSpace {
    pub(crate) program: Program,
    pub(crate) atoms: Arc<Atoms>,
    /// States with steps that run very many statements.
    long: Long,
}

/// Memory that one worker reuses from one state to the next.
#[derive(Default)]
pub(crate) struct Work {
    pub(crate) offers: Offers,
    pub(crate) joints: Joints,
    /// Those of the next state.
    ahead: Offers,
    ahead_joints: Joints,
    /// The state whose steps are looked for.
    pub(crate) cells: Vec<i64>,
    /// The state that a step leads to.
    pub(crate) next: Vec<i64>,
    pub(crate) words: Vec<u64>,
    moves: Vec<MoveId>,
    pub(crate) values: Vec<i64>,
    pub(crate) effort: Effort,
    pub(crate) used: Used,
}

impl ModelSpace {
    /// Gives a model its meaning. With `unfold`, some of its locations are only made when they are met.
    ///
    /// # Panics
    /// If it is not one that [`verify()`](crate::verify()) accepts, or [`verify_open`](crate::verify_open) for
    /// one that is unfolded, or does not [fit](Layout::fits).
    pub fn new(model: Model, unfold: Option<Box<dyn Unfold>>) -> ModelSpace {
        let atoms = Arc::new(Atoms::new(&model));
        ModelSpace { program: Program::new(model, unfold), atoms, long: Long::default() }
    }

    /// The same with other templates, whose edges have the same events. Names and propositions are shared.
    pub(crate) fn with_templates(&self, templates: Vec<crate::process::Template>) -> ModelSpace {
        ModelSpace {
            program: self.program.with_templates(templates),
            atoms: Arc::clone(&self.atoms),
            long: Long::default(),
        }
    }

    /// The model, without what of it has been unfolded.
    pub fn model(&self) -> &Model {
        &self.program.model
    }

    /// Where everything of a state is.
    pub fn layout(&self) -> &Layout {
        &self.program.layout
    }

    /// The event and the move of an edge, if they do not depend on the state.
    pub fn known(&self, part: Part) -> Option<(EventId, MoveId)> {
        let (slot, variant) = (part.slot as usize, part.variant as usize);
        let ready = self.program.ready(slot, variant, part.location as usize)?;
        ready.edges.get(part.edge as usize)?.known
    }

    /// How much work one step may take.
    pub fn limits(&self) -> Limits {
        self.program.limits
    }

    /// Sets how much work one step may take, before anything is explored.
    pub fn set_limits(&mut self, limits: Limits) {
        self.program.limits = limits;
    }

    pub(crate) fn work(&self) -> Work {
        let layout = &self.program.layout;
        Work {
            cells: vec![0; layout.cells],
            next: vec![0; layout.cells],
            words: vec![0; layout.words],
            ..Work::default()
        }
    }

    /// The cells of the initial state.
    fn start(&self, cells: &mut [i64]) -> Faulty<()> {
        let Program { model, layout, .. } = &self.program;
        let allowed = self.program.limits.statements;
        let mut effort = Effort { allowed, ..Effort::default() };
        cells.fill(0);
        for (variable, strip) in model.variables.iter().zip(&layout.variables) {
            for (at, cell) in strip.cells().enumerate() {
                cells[cell] = within(variable, variable.initial.get(at).copied().unwrap_or(0))?;
            }
        }
        if let Some(strip) = layout.holder {
            cells[strip.cell as usize] = -1;
        }
        for (at, slot) in model.slots.iter().enumerate() {
            let Some((template, arguments)) = &slot.start else { continue };
            let variants = &layout.slots[at].variants;
            let Some(variant) = variants.iter().position(|it| it.template == *template) else {
                return fault(format!("the process `{}` does not fit its slot", slot.name));
            };
            self.program.start(cells, at, variant, arguments)?;
            self.program.begin(cells, at, variant, &mut effort)?;
        }
        Ok(())
    }

    /// The words of the initial state.
    pub(crate) fn first_row(&self) -> Faulty<Vec<u64>> {
        let mut cells = vec![0; self.program.layout.cells];
        self.start(&mut cells)?;
        let mut words = vec![0; self.program.layout.words];
        self.program.layout.pack(&cells, &mut words);
        Ok(words)
    }

    /// Unpacks a state, and makes sure that the edges of its processes are there.
    pub(crate) fn unpack(&self, words: &[u64], work: &mut Work) {
        self.program.layout.unpack(words, &mut work.cells);
        if self.program.unfolds() {
            self.program.prepare_state(&mut work.used, &work.cells);
        }
    }

    /// Finds what is enabled in a state, which is unpacked; gives the value of a timeout there.
    pub(crate) fn find(&self, work: &mut Work) -> bool {
        let Work { offers, joints, cells, used, .. } = work;
        for timeout in [false, true] {
            offers.collect(&self.program, cells, timeout, false);
            offers.resolve(&self.program, used);
            joints.find(&self.program, cells, offers, timeout, false);
            if !joints.all.is_empty() || timeout {
                return timeout;
            }
        }
        true
    }

    /// Takes the privilege away from a process that cannot use it, so that states in which it makes
    /// no difference who had it last are the same.
    fn release(&self, work: &mut Work) {
        let Work { ahead, ahead_joints, next, .. } = work;
        let Some(strip) = self.program.layout.holder else { return };
        let holder = next[strip.cell as usize];
        let Ok(slot) = usize::try_from(holder) else { return };
        ahead.collect(&self.program, next, false, false);
        ahead.look_up(&self.program);
        ahead_joints.find(&self.program, next, ahead, false, false);
        if !ahead_joints.moves(ahead, slot) {
            next[strip.cell as usize] = -1;
        }
    }

    /// Appends the steps out of a packed state that are to be kept; whether one ran more statements than it
    /// may.
    pub(crate) fn interpret(
        &self,
        words: &[u64],
        work: &mut Work,
        steps: &mut Steps,
        keep: Option<Keep<'_>>,
    ) -> bool {
        let first = steps.actions.len();
        let mut slots = Vec::new();
        self.unpack(words, work);
        let statements = self.program.limits.statements;
        work.effort.allowed = statements / self.long.share(words) as u64;
        work.effort.most_run = 0;
        let timeout = self.find(work);
        work.joints.restrict(&self.program, &work.cells, &work.offers);
        for at in 0..work.joints.all.len() {
            if let Some(keep) = keep {
                slots.clear();
                let members = work.joints.members(work.joints.all[at]).iter();
                slots.extend(members.map(|&at| work.offers.all[at as usize].slot));
                if !keep(&slots) {
                    continue;
                }
            }
            self.expand_joint(work, at, timeout, (first, &mut *steps));
        }
        let run = work.effort.most_run;
        let is_long = run > work.effort.allowed;
        if is_long {
            self.long.fail(words);
        } else if run > statements / Long::SHARE as u64 {
            self.long.succeed(words);
        }
        is_long
    }

    /// Appends the step of the joint action at a position to those of the state, which begin at `first`.
    fn expand_joint(
        &self,
        work: &mut Work,
        at: usize,
        timeout: bool,
        (first, steps): (usize, &mut Steps),
    ) {
        let joint = work.joints.all[at];
        let members = work.joints.members(joint);
        let of = |at: &u32| &work.offers.all[*at as usize];
        work.moves.clear();
        work.moves.extend(members.iter().filter_map(|at| of(at).id));
        if members.len() == 2 && of(&members[0]).slot > of(&members[1]).slot {
            work.moves.reverse();
        }
        let names = &self.program.names;
        let event = match joint.way {
            Way::Fault(_) => names.fault,
            Way::Event | Way::Rendezvous => of(&members[0]).event.unwrap_or(names.fault),
        };
        let action = names.action_id(&mut work.used, event, &work.moves);
        match step::take(&self.program, work, joint, timeout) {
            Ok(()) => {
                self.release(work);
                self.program.layout.pack(&work.next, &mut work.words);
            }
            Err(fault) => {
                let again = |(step, known): &(usize, fairly_system::Fault)| {
                    *step >= first && steps.actions[*step] == action && *known == *fault
                };
                if matches!(joint.way, Way::Fault(_)) && steps.faults.iter().any(again) {
                    return;
                }
                steps.faults.push((steps.actions.len(), *fault));
            }
        }
        steps.actions.push(action);
        steps.rows.extend_from_slice(&work.words);
    }

    /// Appends the moves that are offered in an unpacked state.
    pub(crate) fn offers(&self, words: &[u64], work: &mut Work, out: &mut Vec<MoveId>) {
        self.unpack(words, work);
        self.find(work);
        let Work { offers, joints, .. } = &*work;
        let open = offers.all.iter().filter(|offer| !joints.barred(&self.program, offers, offer));
        out.extend(open.filter_map(|offer| offer.id));
    }
}

impl Space for ModelSpace {
    fn signature(&self) -> &Signature {
        &self.program.names.signature
    }

    fn width(&self) -> usize {
        self.program.layout.words
    }

    fn scratch(&self) -> Scratch {
        Scratch::new(self.work())
    }

    fn initial(&self, _scratch: &mut Scratch, out: &mut Steps) {
        match self.first_row() {
            Ok(row) => out.push(fairly_system::ActionId::IDLE, &row),
            Err(fault) => out.push_fault(fairly_system::ActionId::IDLE, *fault, self.width()),
        }
        out.end_row();
    }

    fn expand(&self, rows: &[u64], scratch: &mut Scratch, out: &mut Steps) {
        let interrupt = scratch.interrupt.take();
        let work = scratch.of::<Work>();
        work.effort.interrupt = interrupt;
        for row in rows.chunks_exact(self.width()) {
            self.interpret(row, work, out, None);
            out.end_row();
        }
        let interrupt = work.effort.interrupt.take();
        scratch.interrupt = interrupt;
    }

    fn offered(&self, row: &[u64], scratch: &mut Scratch, out: &mut Vec<MoveId>) {
        self.offers(row, scratch.of::<Work>(), out);
    }

    fn atom(&self, text: &str) -> Option<AtomIndex> {
        self.find_atom(text)
    }

    fn holds(&self, row: &[u64], atom: AtomIndex, scratch: &mut Scratch) -> bool {
        let work = scratch.of::<Work>();
        self.unpack(row, work);
        self.test_cells(atom, &work.cells, || self.has_nothing(&work.cells))
    }

    fn values(&self, row: &[u64]) -> StateValues {
        self.state_values(&self.cells(row))
    }

    fn valuation(&self, row: &[u64]) -> Vec<(String, String)> {
        self.valuation_of(&self.cells(row))
    }

    fn describe(&self, row: &[u64]) -> String {
        self.shown(&self.cells(row))
    }

    fn blocked(&self, row: &[u64], scratch: &mut Scratch) -> Vec<Blocked> {
        let mut offered = Vec::new();
        self.offered(row, scratch, &mut offered);
        self.find_blocked(&scratch.of::<Work>().cells, &offered)
    }
}

impl ModelSpace {
    fn cells(&self, row: &[u64]) -> Vec<i64> {
        let mut cells = vec![0; self.program.layout.cells];
        self.program.layout.unpack(row, &mut cells);
        cells
    }
}
