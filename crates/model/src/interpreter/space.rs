//! The reference interpreter as a [`Space`].

use std::collections::HashSet;
use std::sync::Arc;

use fairly_system::{
    ActionId, AtomIndex, Blocked, EventId, Fault, Growth, Holder, Long, MoveId, Scratch,
    SequenceLimits, Sequences, Signature, Space, StateValues, Steps,
};

use super::atoms::Atoms;
use super::join::{Joints, Way};
use super::names::Used;
use super::offers::Offers;
use super::program::Program;
use super::step;
use crate::eval::{Faulty, fault};
use crate::exec::{Effort, within};
use crate::expression::Expr;
use crate::layout::Layout;
use crate::limits::Limits;
use crate::model::{Model, Unfold};
use crate::native::Part;

/// The reference interpreter: the meaning of a [`Model`], as a [`Space`] whose rows are packed states.
///
/// ```
/// use fairly_model::{ModelSpace, text};
/// use fairly_system::{Space, Steps};
/// let model = text::parse("model atomicity priority, exit any
///     event e0 idle : idle
///     event e1 tick : visible
///     variable g0 x : wrap 0..3 = 3
///     template t0 Clock parameters 0 {
///       location q0 on { -> q0 on e1 do { g0 := g0 + 1 } as tick }
///     }
///     slot p0 Clock : t0 start t0()").unwrap();
/// let space = ModelSpace::new(model, None);
/// let (mut scratch, mut first, mut next) = (space.scratch(), Steps::default(), Steps::default());
/// space.initial(&mut scratch, &mut first);
/// assert_eq!(space.describe(&first.rows), "x=3 Clock@on");
/// space.expand(&first.rows, &mut scratch, &mut next);
/// assert_eq!(space.describe(&next.rows), "x=0 Clock@on");
/// ```
///
/// # What is enabled
///
/// First, what single processes offer. The parts of an edge are evaluated in this order, and not
/// beyond the first that says no:
///
/// 1. for an edge that leaves its slot, the rule of [`crate::Exit`];
/// 2. the guard, unless it reads the message that is received;
/// 3. the channel, and whether messages there have as many cells as the edge's;
/// 4. whether a buffered channel has room for a message, or a message;
/// 5. the cells of the message that is sent, or all values of the pattern;
/// 6. for each message that may be received, whether it matches, then the guard that reads it; in a
///    rendezvous only when there is someone who sends it;
/// 7. the values of the label.
///
/// Second, what comes of the offers: an event alone, a rendezvous of two slots, or a gathering. A
/// rendezvous has the event of the sender, and is not gathered even if that event otherwise is. An
/// edge is *possible* if it is part of an action by these rules. Actions fall away in which some
/// process would take an edge although one of smaller rank is possible for it. Whether the partners
/// of that smaller edge would really take part, having ranks of their own, is not asked: where ranks
/// bar each other in a ring there would be no answer. If nothing is left, all of this is done again
/// with [`Expr::Timeout`](crate::Expr::Timeout) true.
///
/// Third, atomic locations: with [`Atomicity::Priority`](crate::Atomicity::Priority) ranks at such
/// locations take nothing away, and only actions with an edge of rank 0 out of one are left, if
/// there are any. With [`Atomicity::Exclusive`](crate::Atomicity::Exclusive) only those of the
/// holder, if there is one; a rendezvous counts as a step of the one that sends.
///
/// # What a step does
///
/// One participant after the other communicates, runs its effect and goes to its next location: in
/// the order of their slots, in a rendezvous the sender first. An index of a place that is assigned
/// is evaluated when its turn comes. The last mover is the one who acts last.
///
/// # Faults
///
/// An error in an action is a fault of its step: see [`Steps::faults`]. If it goes wrong before the action has an event, in a guard, a
/// label or a message, the process takes the internal event `fault` alone. More than 2²⁰ ways to
/// take events together in one state, and a location that cannot be unfolded, are faults of
/// the kind [`FaultKind::Limit`](fairly_system::FaultKind::Limit).
///
/// # Moves
///
/// There is one move for each slot, template, location, edge and event. An edge whose event does not
/// depend on the state has one move whatever it takes part in: also when it receives in a rendezvous,
/// where the event of the action is that of the sender, or ends in a fault. So a move that is taken
/// is always one that was offered. An edge that receives in a rendezvous and whose event is that of
/// the message has one move for each channel, with the internal event `c?`, because it is ready
/// before there is a message.
///
/// # Propositions
///
/// - `deadlock`: nothing is enabled and some process is where it may not stay for ever;
/// - `terminated`: nothing is enabled and all processes, if any, are where they may stay. So a
///   front end lets the event of termination lead to such a location;
/// - the name of a proposition of the model; one in which something goes wrong does not hold;
/// - `P@q`: the process in the slot called `P` is at a location that is called `q` or has the
///   label `q`.
///
/// Offered are the moves whose guard holds, and no edge of smaller rank is enabled; partners and
/// atomic sequences make no difference. A guard that reads the message of a rendezvous is taken to hold.
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
    #[must_use]
    pub fn with_templates(&self, templates: Vec<crate::process::Template>) -> ModelSpace {
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

    /// The model with every location that has been unfolded, and with the propositions that were added. A location that
    /// has not been met has no edges, so this is the whole model once all states have been explored.
    pub fn unfolded_so_far(&self) -> Model {
        let propositions = self.atoms.conditions();
        Model { propositions, ..self.program.unfolded_so_far() }
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

    /// The edge behind a move; `None` if there is none because it could not be worked out.
    pub fn part(&self, id: MoveId) -> Option<Part> {
        let key = self.program.names.key(id);
        (key.edge != u32::MAX).then_some(Part {
            slot: key.slot,
            variant: key.variant,
            location: key.location,
            edge: key.edge,
        })
    }

    /// Says that events with these first parts may come, for a model whose labels are not all there yet.
    pub fn add_families(&self, added: &[String]) {
        let families = &self.signature().families;
        // There may be as many as a text has names.
        let mut known: HashSet<&str> = families.iter().map(String::as_str).collect();
        let new: Vec<&String> = added.iter().filter(|family| known.insert(family)).collect();
        for family in new {
            families.push(family.clone());
        }
    }

    /// The value of an expression in a state, which no process evaluates.
    ///
    /// # Errors
    /// When something goes wrong in it.
    pub fn value(&self, row: &[u64], expr: &Expr) -> Result<i64, Fault> {
        self.value_of_cells(&self.cells(row), expr)
    }

    /// The reason why a proposition does not hold in a state because something goes wrong in it, if it does.
    pub fn proposition_fault(&self, row: &[u64], atom: AtomIndex) -> Option<Fault> {
        let (_, expr) = self.condition(atom)?;
        self.test_condition(expr, &self.cells(row)).err().map(|fault| *fault)
    }

    /// Statements that a process may always run in one step, if the limit has been reached: where it is reached
    /// again and again, that is all.
    pub fn statements_left(&self) -> Option<u64> {
        let share = self.program.limits.statements / Long::SHARE as u64;
        self.long.has_failed().then_some(share)
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

    /// Appends the steps out of a packed state.
    fn interpret(&self, words: &[u64], work: &mut Work, steps: &mut Steps) {
        let first = steps.actions.len();
        self.unpack(words, work);
        let statements = self.program.limits.statements;
        work.effort.allowed = statements / self.long.share(words) as u64;
        work.effort.most_run = 0;
        let timeout = self.find(work);
        work.joints.restrict(&self.program, &work.cells, &work.offers);
        let size = match self.program.unfolds() {
            // Locations are made on the way, which takes much longer than a step.
            true => 1 << 12,
            false => work.cells.len() + self.program.layout.slots.len(),
        };
        for at in 0..work.joints.all.len() {
            if work.effort.is_stopped_before(size) {
                let action = self.action_of(work, at);
                steps.stop(first, action, self.width());
                break;
            }
            self.expand_joint(work, at, timeout, (first, &mut *steps));
        }
        let run = work.effort.most_run;
        if run > work.effort.allowed {
            self.long.fail(words);
        } else if run > statements / Long::SHARE as u64 {
            self.long.succeed(words);
        }
    }

    /// The action of the joint action at a position.
    fn action_of(&self, work: &mut Work, at: usize) -> ActionId {
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
        names.action_id(&mut work.used, event, &work.moves)
    }

    /// Appends the step of the joint action at a position to those of the state, which begin at `first`.
    fn expand_joint(
        &self,
        work: &mut Work,
        at: usize,
        timeout: bool,
        (first, steps): (usize, &mut Steps),
    ) {
        let action = self.action_of(work, at);
        let joint = work.joints.all[at];
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

    fn lasting(&self) -> usize {
        self.program.layout.lasting
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
        let stop = scratch.stop;
        let work = scratch.of::<Work>();
        work.effort.begin(stop);
        for row in rows.chunks_exact(self.width()) {
            self.interpret(row, work, out);
            out.end_row();
        }
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

    fn growth(
        &self,
        count: usize,
        read: &mut dyn FnMut(usize, &mut [u64]) -> bool,
    ) -> Option<Growth> {
        self.find_growth(count, read)
    }
}

impl Sequences for ModelSpace {
    fn holder(&self) -> Option<Holder> {
        self.program.layout.holding()
    }

    fn sequence_limits(&self) -> SequenceLimits {
        let Limits { inside, inside_words, ways, .. } = self.program.limits;
        SequenceLimits { states: inside, words: inside_words, ways }
    }
}

impl ModelSpace {
    fn cells(&self, row: &[u64]) -> Vec<i64> {
        let mut cells = vec![0; self.program.layout.cells];
        self.program.layout.unpack(row, &mut cells);
        cells
    }
}
