//! Runs as trails of another tool, and trails as runs.
//!
//! A trail lists statements of processes. The runs of a file pass through atomic sequences in one step,
//! so both ways lead over the reference interpreter, which makes each statement for itself, and both
//! walk the whole run: what cannot be walked is refused.

use fairly_explore::Explored;
use fairly_front::loaded::SystemIndex;
use fairly_front::trail::{Trail, TrailLine};
use fairly_model::{Model, ModelSpace};
use fairly_omega::StateId;
use fairly_source::{Diagnostic, Span};
use fairly_system::{
    ActionId, EventId, ProcessId, Run, RunStep, Sequences, Transition, TransitionSystem,
};
use hashbrown::{HashMap, HashSet};

use crate::execution::ModelSystem;
use crate::systems::{System, Systems};

/// How many statements that share a line are tried, and how often a cycle is gone round.
const MOST_MERGED: usize = 1_000;
const MOST_ROUNDS: usize = 8;

/// Who does what: a process, and the event of its statement.
type Part = (ProcessId, EventId);

impl Systems {
    /// A run as a trail: every statement for itself, without a claim. None if the statements have no numbers.
    ///
    /// # Errors
    /// When the steps of the run are not those of the model, statement by statement.
    pub fn trail(&mut self, run: &Run) -> Option<Result<Trail, String>> {
        let (system, walk) = self.walk()?;
        Some(trail(system, walk, run))
    }

    /// The run that a trail describes. Where statements were merged, a process executes what belongs to
    /// a line when it is needed; where a cycle is not closed for that reason, it is gone round again. None if the
    /// statements have no numbers.
    ///
    /// # Errors
    /// `E1187` when a line of the trail is not possible where it stands.
    pub fn follow(&mut self, trail: &Trail) -> Option<Result<Run, Diagnostic>> {
        let (system, walk) = self.walk()?;
        Some(follow(system, walk, trail))
    }

    /// The system whose statements have numbers, and the reference interpreter of its model.
    fn walk(&mut self) -> Option<(&mut ModelSystem, Walk)> {
        self.loaded().systems.first()?;
        self.system(SystemIndex::ONLY).ok()?;
        let numbers = self.loaded().statements.as_ref()?.iter().copied().collect();
        let System::Model(system) = self.made(SystemIndex::ONLY) else { return None };
        let walk = Walk::new(system.model().clone(), numbers);
        Some((system, walk))
    }
}

fn trail(system: &ModelSystem, mut walk: Walk, run: &Run) -> Result<Trail, String> {
    let mut trail = Trail::default();
    for (at, step) in run.steps().enumerate() {
        if at == run.stem.len() {
            trail.cycle = Some(trail.lines.len());
        }
        if step.action == ActionId::IDLE {
            continue;
        }
        let parts = parts(system, step.action);
        let end = system.describe(step.to);
        let number = at + 1;
        let path = walk.path(&parts, &end);
        let path = path.ok_or_else(|| format!("step {number} is not possible in the model"))?;
        for small in path {
            for part in walk.in_order(small.action) {
                let statement = walk.numbers.get(&part.1);
                let statement =
                    *statement.ok_or_else(|| format!("step {number} is no statement"))?;
                let process = part.0.0;
                trail.lines.push(TrailLine { process, statement, span: Span::at(0) });
            }
            walk.at = small.target;
        }
    }
    Ok(trail)
}

fn follow(system: &mut ModelSystem, mut walk: Walk, trail: &Trail) -> Result<Run, Diagnostic> {
    let cycle = trail.cycle.unwrap_or(trail.lines.len());
    let mut made = Vec::new();
    walk.follow(&trail.lines[..cycle], trail.merged, &mut made)?;
    let mut rounds = vec![(walk.at, made.len())];
    let mut back = None;
    while trail.cycle.is_some() && back.is_none() {
        walk.follow(&trail.lines[cycle..], trail.merged, &mut made)?;
        let known = rounds.iter().find(|(state, _)| *state == walk.at);
        back = known.map(|&(_, back)| back);
        rounds.push((walk.at, made.len()));
        if rounds.len() > MOST_ROUNDS {
            let span = trail.lines.last().map_or(Span::at(0), |line| line.span);
            return Err(wrong("the cycle of this trail does not close", span));
        }
    }
    let last = trail.lines.last().map_or(Span::at(0), |line| line.span);
    together(system, &walk, &made, back)
        .ok_or_else(|| wrong("this trail ends inside an atomic sequence", last))
}

/// The steps of the file that these single steps make, with a cycle from the one at `back`.
fn together(
    system: &mut ModelSystem,
    walk: &Walk,
    made: &[Small],
    back: Option<usize>,
) -> Option<Run> {
    let mut at = *system.initial().first()?;
    let mut run = Run { stem: Vec::new(), cycle: Vec::new() };
    let mut next = 0;
    let mut starts = back.filter(|&back| back == 0).map(|_| 0);
    while next < made.len() {
        let mut steps = Vec::new();
        system.enabled(at, &mut steps);
        // A sequence that ends, if these steps end one; otherwise one that goes on for ever.
        let fits = |is_held: bool| {
            steps.iter().filter(|step| system.is_held(step.target) == is_held).find_map(|step| {
                Some((
                    *step,
                    walk.covered(
                        made,
                        next,
                        &parts(system, step.action),
                        &system.describe(step.target),
                    )?,
                ))
            })
        };
        let (step, end) = fits(false).or_else(|| fits(true))?;
        run.stem.push(RunStep { from: at, action: step.action, to: step.target });
        at = step.target;
        next = end;
        if back == Some(next) && starts.is_none() {
            starts = Some(run.stem.len());
        }
    }
    if back.is_some() {
        run.cycle = run.stem.split_off(starts?);
        if run.cycle.is_empty() {
            // Only the claim moves: the system has stopped.
            run.cycle.push(RunStep { from: at, action: ActionId::IDLE, to: at });
            let mut steps = Vec::new();
            system.steps(at, &mut steps);
            steps.iter().find(|step| step.action == ActionId::IDLE)?;
        }
    }
    Some(run)
}

fn wrong(message: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E1187", message, span).help(
        "the trail must be of this model as it is; `pan -d` lists the numbers of the statements",
    )
}

fn part<S: TransitionSystem>(system: &S, id: fairly_system::MoveId) -> Part {
    let of = &system.signature().moves[id.index()];
    (of.process, of.event)
}

fn parts(system: &ModelSystem, action: ActionId) -> Vec<Part> {
    system.action(action).moves.iter().map(|&id| part(system, id)).collect()
}

/// A single step of the interpreter.
#[derive(Clone, Copy, Debug)]
struct Small {
    action: ActionId,
    to: StateId,
}

/// A state on the way through an atomic sequence.
#[derive(Clone)]
struct Reached {
    at: StateId,
    /// By part of the sequence: whether it was on the way.
    covered: Vec<bool>,
    /// The position of the state before, and the step.
    last: Option<(usize, Transition)>,
}

/// The reference interpreter on its way through a run.
struct Walk {
    interpreter: Explored<ModelSpace>,
    at: StateId,
    numbers: HashMap<EventId, u32>,
    /// Who moved last.
    last: Option<ProcessId>,
}

impl Walk {
    fn new(model: Model, numbers: HashMap<EventId, u32>) -> Walk {
        let mut interpreter = Explored::new(ModelSpace::new(model, None));
        let at = interpreter.initial().first().copied().unwrap_or(StateId(0));
        Walk { interpreter, at, numbers, last: None }
    }

    fn enabled(&mut self, at: StateId) -> Vec<Transition> {
        let mut steps = Vec::new();
        self.interpreter.enabled(at, &mut steps);
        steps
    }

    /// The parts of a step, a sender before its receiver.
    fn in_order(&self, action: ActionId) -> Vec<Part> {
        let action = self.interpreter.action(action);
        let mut parts: Vec<Part> =
            action.moves.iter().map(|&id| part(&self.interpreter, id)).collect();
        parts.sort_by_key(|part| part.1 != action.event);
        parts
    }

    /// Single steps that have these parts, each once or more often, and lead to a state which is described
    /// so. Only inside an atomic sequence is there more than one.
    fn path(&mut self, parts: &[Part], end: &str) -> Option<Vec<Transition>> {
        let mut all = parts.to_vec();
        all.sort_unstable();
        all.dedup();
        let mut reached =
            vec![Reached { at: self.at, covered: vec![false; all.len()], last: None }];
        let mut known = HashSet::new();
        let mut next = 0;
        while next < reached.len() {
            let Reached { at, covered, last } = reached[next].clone();
            let is_goal = |interpreter: &Explored<ModelSpace>| {
                covered.iter().all(|&it| it) && interpreter.describe(at) == end
            };
            if last.is_some() && is_goal(&self.interpreter) {
                let (mut path, mut last) = (Vec::new(), last);
                while let Some((before, step)) = last {
                    path.push(step);
                    last = reached[before].last;
                }
                path.reverse();
                return Some(path);
            }
            if last.is_none() || self.is_held(at) {
                for step in self.enabled(at) {
                    let mut covered = covered.clone();
                    if self.cover(step.action, &all, &mut covered)
                        && known.insert((step.target, covered.clone()))
                    {
                        let last = Some((next, step));
                        reached.push(Reached { at: step.target, covered, last });
                    }
                }
            }
            next += 1;
        }
        None
    }

    /// Takes note of the parts of a step among these, which are sorted; whether they are.
    fn cover(&self, action: ActionId, all: &[Part], covered: &mut [bool]) -> bool {
        let moves = &self.interpreter.action(action).moves;
        moves.iter().all(|&id| {
            let at = all.binary_search(&part(&self.interpreter, id));
            at.is_ok_and(|at| {
                covered[at] = true;
                true
            })
        })
    }

    /// Where the single steps end that have these parts, each once or more often, and lead to a state which
    /// is described so, if those from `next` on do.
    fn covered(&self, made: &[Small], next: usize, parts: &[Part], end: &str) -> Option<usize> {
        let mut all = parts.to_vec();
        all.sort_unstable();
        all.dedup();
        let mut covered = vec![false; all.len()];
        for (at, small) in made.iter().enumerate().skip(next) {
            if !self.cover(small.action, &all, &mut covered) {
                return None;
            }
            if covered.iter().all(|&it| it) && self.interpreter.describe(small.to) == end {
                return Some(at + 1);
            }
            if !self.is_held(small.to) {
                return None;
            }
        }
        None
    }

    /// Whether a process is inside an atomic sequence.
    fn is_held(&self, state: StateId) -> bool {
        let row = self.interpreter.own_row(state);
        row.is_some_and(|row| self.interpreter.space().is_held(&row))
    }

    /// Executes lines.
    fn follow(
        &mut self,
        lines: &[TrailLine],
        merged: bool,
        made: &mut Vec<Small>,
    ) -> Result<(), Diagnostic> {
        let mut next = 0;
        while let Some(line) = lines.get(next) {
            let after = lines.get(next + 1);
            let mut found = self.step(self.at, line, after);
            if found.is_none() && merged {
                // First the process that is to move, then the one that may still hold.
                for process in [Some(ProcessId(line.process)), self.last].into_iter().flatten() {
                    found = found.or_else(|| self.advance(process, line, after, made));
                }
            }
            let Some((step, count)) = found else {
                let TrailLine { process, statement, span } = *line;
                let message =
                    format!("process {process} cannot execute statement {statement} here");
                return Err(wrong(&message, span));
            };
            self.take(step, made);
            self.last = lines.get(next + count - 1).map(|line| ProcessId(line.process));
            next += count;
        }
        // The rest of an atomic sequence that shares its last line.
        for _ in 0..MOST_MERGED {
            let may_go_on = merged && self.is_held(self.at);
            let [step] = *self.enabled(self.at).as_slice() else { break };
            if !may_go_on {
                break;
            }
            self.take(step, made);
        }
        Ok(())
    }

    fn take(&mut self, step: Transition, made: &mut Vec<Small>) {
        made.push(Small { action: step.action, to: step.target });
        self.at = step.target;
    }

    /// The step that a line, or a line and the one after it, describes, and how many lines it takes.
    fn step(
        &mut self,
        at: StateId,
        line: &TrailLine,
        after: Option<&TrailLine>,
    ) -> Option<(Transition, usize)> {
        let steps = self.enabled(at);
        let is = |part: &Part, line: &TrailLine| {
            part.0 == ProcessId(line.process) && self.numbers.get(&part.1) == Some(&line.statement)
        };
        steps.into_iter().find_map(|step| match (self.in_order(step.action).as_slice(), after) {
            ([alone], _) if is(alone, line) => Some((step, 1)),
            ([sender, receiver], Some(after)) if is(sender, line) && is(receiver, after) => {
                Some((step, 2))
            }
            _ => None,
        })
    }

    /// Lets a process go on alone until a line can be executed, and gives that step.
    fn advance(
        &mut self,
        process: ProcessId,
        line: &TrailLine,
        after: Option<&TrailLine>,
        made: &mut Vec<Small>,
    ) -> Option<(Transition, usize)> {
        let mut ways: Vec<(StateId, Vec<Transition>)> = vec![(self.at, Vec::new())];
        let mut next = 0;
        while let Some((at, way)) = ways.get(next).cloned() {
            next += 1;
            if let Some(found) = self.step(at, line, after) {
                for step in way {
                    self.take(step, made);
                }
                return Some(found);
            }
            for step in self.enabled(at) {
                let alone =
                    matches!(self.in_order(step.action).as_slice(), [one] if one.0 == process);
                let is_new = ways.iter().all(|(known, _)| *known != step.target);
                if alone && is_new && ways.len() < MOST_MERGED {
                    let mut way = way.clone();
                    way.push(step);
                    ways.push((step.target, way));
                }
            }
        }
        None
    }
}
