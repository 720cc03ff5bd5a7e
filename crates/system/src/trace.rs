//! Runs recorded as plain data: everything that a report shows of a run, without the system that it came from.

use fairly_omega::{StateId, Stop};
use fairly_source::Span;
use serde::{Deserialize, Serialize};

use crate::action::{Action, ActionId, MoveId, ProcessId, Signature};
use crate::blocked::Blocked;
use crate::run::{Run, RunStep};
use crate::transition_system::{Fault, Transition, TransitionSystem};
use crate::value::StateValues;

/// The part that a process has in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// It takes part.
    Taken,
    /// It could have moved, and does not.
    Enabled,
    /// It cannot move.
    Disabled,
}

/// A state of a recorded run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceState {
    /// The state on one line.
    pub shown: String,
    /// Its variables, channels and processes, with types.
    pub values: StateValues,
}

/// A step of a recorded run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceStep {
    /// The state that it leaves.
    pub from: TraceState,
    /// The event.
    pub event: String,
    /// The processes that take part: `P+Q`, or `nobody`.
    pub who: String,
    /// The action as the source has it; the event if it is written nowhere.
    pub action: String,
    /// Where the action is written.
    pub span: Option<Span>,
    /// The part of each process.
    pub parts: Vec<Part>,
    /// The process that sends, by position, if several take part and one sends to the others.
    pub sender: Option<usize>,
    /// The variables that the step changes, with their new values.
    pub changes: Vec<(String, String)>,
    /// The position of this step among those out of the state that are told in the same words.
    pub choice: usize,
}

/// Why nothing can happen in a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stuck {
    /// The error that the last step ended in.
    pub fault: Option<Fault>,
    /// Whether every process is where it may stay.
    pub terminated: bool,
    /// The obstacles of each process that has not ended.
    pub blocked: Vec<Blocked>,
}

/// A recorded run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The names of the processes.
    pub processes: Vec<String>,
    /// The position of the first state among the initial states that are described alike.
    pub start: usize,
    /// The steps, those of the loop last.
    pub steps: Vec<TraceStep>,
    /// The step that the loop begins with; none in a finite run.
    pub loops_to: Option<usize>,
    /// The last state of a finite run, or of a loop that closes but for values that nothing depends on.
    pub end: Option<TraceState>,
    /// The names of such values.
    pub varying: Vec<String>,
    /// Why nothing can happen at the end, or in the idle state of the loop.
    pub stuck: Option<Stuck>,
}

impl Trace {
    /// Records a run; one without a cycle ends after its last step.
    pub fn of<S: TransitionSystem>(system: &mut S, run: &Run) -> Trace {
        Trace::from_start(system, None, run)
    }

    /// Records a run that may have no steps, and then consists of the state that it starts in.
    pub fn from_start<S: TransitionSystem>(
        system: &mut S,
        start: impl Into<Option<StateId>>,
        run: &Run,
    ) -> Trace {
        Trace::until(system, start, run, Stop::default()).expect("there is no time to stop")
    }

    /// The same; `None` if it is time to stop before the last step: a run may have millions of them, and a state many
    /// variables.
    pub fn until<S: TransitionSystem>(
        system: &mut S,
        start: impl Into<Option<StateId>>,
        run: &Run,
        stop: Stop,
    ) -> Option<Trace> {
        let first = run.steps().next().map(|step| step.from).or(start.into());
        let last = run.steps().last().map(|step| step.to).or(first);
        let closes = run.cycle.first().is_some_and(|step| Some(step.from) == last);
        let mut values = None;
        let record = |step| (!stop.is_due()).then(|| TraceStep::record(system, step, &mut values));
        let steps: Option<Vec<TraceStep>> = run.steps().map(record).collect();
        let mut trace = Trace {
            processes: system.signature().processes.clone(),
            start: first.map_or(0, |first| position(system, first)),
            steps: steps?,
            loops_to: (!run.cycle.is_empty()).then_some(run.stem.len()),
            end: last.filter(|_| !closes).map(|state| TraceState::of(system, state)),
            ..Trace::default()
        };
        if let (Some(first), Some(last), false) = (run.cycle.first(), last, closes) {
            let (before, after) = (system.valuation(first.from), system.valuation(last));
            let changed = before.into_iter().filter(|value| !after.contains(value));
            trace.varying = changed.map(|(name, _)| name).collect();
        }
        let idles = run.cycle.iter().any(|step| step.action == ActionId::IDLE);
        if let (Some(last), true) = (last, idles || run.cycle.is_empty()) {
            trace.stuck = Stuck::of(system, last);
        }
        Some(trace)
    }

    /// The first state; none in a trace without states.
    pub fn first(&self) -> Option<&TraceState> {
        self.steps.first().map(|step| &step.from).or(self.end.as_ref())
    }

    /// The state in which nothing can happen, if the run comes to one.
    pub fn stuck_in(&self) -> Option<(&Stuck, &StateValues)> {
        let state = self.end.as_ref().or(self.steps.last().map(|step| &step.from))?;
        Some((self.stuck.as_ref()?, &state.values))
    }

    /// How many steps come before the loop; all of them in a finite run.
    pub fn stem(&self) -> usize {
        self.loops_to.unwrap_or(self.steps.len())
    }

    /// The state that a step leads to, on one line.
    fn after(&self, at: usize) -> &str {
        let next = self.steps.get(at + 1).map(|step| &step.from).or(self.end.as_ref());
        let back = || Some(&self.steps[self.loops_to?].from);
        next.or_else(back).map_or("", |state| &state.shown)
    }

    /// The state of a system that the run starts in.
    pub fn find_start<S: TransitionSystem>(&self, system: &mut S) -> Option<StateId> {
        let shown = &self.first()?.shown;
        let alike = system.initial().into_iter().filter(|&it| system.describe(it) == *shown);
        alike.collect::<Vec<_>>().get(self.start).copied()
    }

    /// The transition of a system out of a state that a step describes.
    pub fn find<S: TransitionSystem>(
        &self,
        at: usize,
        system: &mut S,
        from: StateId,
    ) -> Option<Transition> {
        let step = self.steps.get(at)?;
        step.alike(system, from, self.after(at)).get(step.choice).copied()
    }

    /// As [`find`](Trace::find), or the only transition that is told in the same words, wherever it leads: in a later
    /// round of a loop other values may be in the state.
    pub fn find_alike<S: TransitionSystem>(
        &self,
        at: usize,
        system: &mut S,
        from: StateId,
    ) -> Option<Transition> {
        self.find(at, system, from).or_else(|| {
            match self.steps.get(at)?.told_alike(system, from).as_slice() {
                [only] => Some(*only),
                _ => None,
            }
        })
    }
}

/// The position of an initial state among those that are described alike.
fn position<S: TransitionSystem>(system: &mut S, first: StateId) -> usize {
    let initial = system.initial();
    let Some(at) = initial.iter().position(|&other| other == first) else { return 0 };
    let is_alike = |other: &&StateId| system.describe(**other) == system.describe(first);
    initial[..at].iter().filter(is_alike).count()
}

impl TraceState {
    fn of<S: TransitionSystem>(system: &S, state: StateId) -> TraceState {
        TraceState { shown: system.describe(state), values: system.state_values(state) }
    }
}

/// A state with its values by name.
type Valuation = (StateId, Vec<(String, String)>);

impl TraceStep {
    /// Records one step.
    pub fn of<S: TransitionSystem>(system: &mut S, step: &RunStep) -> TraceStep {
        TraceStep::record(system, step, &mut None)
    }

    /// Records a step. The values of the state that it leads to are kept for the next one.
    fn record<S: TransitionSystem>(
        system: &mut S,
        step: &RunStep,
        values: &mut Option<Valuation>,
    ) -> TraceStep {
        let mut steps = Vec::new();
        system.steps(step.from, &mut steps);
        let signature = system.signature();
        let mut parts = vec![Part::Disabled; signature.processes.len()];
        let mut set = |action: &Action, part: Part| {
            action.participants.iter().for_each(|process| parts[process.index()] = part);
        };
        steps.iter().for_each(|other| set(system.action(other.action), Part::Enabled));
        let action = system.action(step.action);
        set(action, Part::Taken);
        let (words, span) = signature.words(action);
        let before = match values.take() {
            Some((state, values)) if state == step.from => values,
            _ => system.valuation(step.from),
        };
        let after = system.valuation(step.to);
        let mut recorded = TraceStep {
            from: TraceState::of(system, step.from),
            event: signature.event_name(action.event).to_owned(),
            who: signature.who(action),
            action: words,
            span,
            parts,
            sender: signature.sender(action),
            changes: changes(signature, &before, &after),
            choice: 0,
        };
        *values = Some((step.to, after));
        let taken = Transition { action: step.action, target: step.to };
        let before = steps.iter().position(|&other| other == taken).unwrap_or(0);
        let is_alike = |other: &&Transition| {
            recorded.is_told_by(system.signature(), system.action(other.action))
                && system.describe(other.target) == system.describe(step.to)
        };
        recorded.choice = steps[..before].iter().filter(is_alike).count();
        recorded
    }

    /// Whether an action is told in the words of this step.
    fn is_told_by(&self, signature: &Signature, action: &Action) -> bool {
        signature.event_name(action.event) == self.event
            && signature.who(action) == self.who
            && signature.words(action).0 == self.action
    }

    /// The transitions out of a state that are told in the words of this step, wherever they lead.
    fn told_alike<S: TransitionSystem>(&self, system: &mut S, from: StateId) -> Vec<Transition> {
        let mut steps = Vec::new();
        system.steps(from, &mut steps);
        steps.retain(|step| self.is_told_by(system.signature(), system.action(step.action)));
        steps
    }

    /// Those of them that lead to a state described so.
    fn alike<S: TransitionSystem>(
        &self,
        system: &mut S,
        from: StateId,
        to: &str,
    ) -> Vec<Transition> {
        let mut steps = self.told_alike(system, from);
        steps.retain(|step| system.describe(step.target) == to);
        steps
    }
}

impl Stuck {
    /// Why nothing can happen in a state; nothing if something can.
    pub fn of<S: TransitionSystem>(system: &mut S, state: StateId) -> Option<Stuck> {
        let mut enabled = Vec::new();
        system.enabled(state, &mut enabled);
        if !enabled.is_empty() {
            return None;
        }
        let fault = system.fault(state).cloned();
        let terminated = system.atom("terminated").is_some_and(|it| system.holds(state, it));
        let blocked = if fault.is_none() { system.blocked(state) } else { Vec::new() };
        Some(Stuck { fault, terminated, blocked })
    }
}

/// The variables that have another value after a step. The locations of processes are told by the steps.
fn changes(
    signature: &Signature,
    before: &[(String, String)],
    after: &[(String, String)],
) -> Vec<(String, String)> {
    // The process that runs alone, or moved last, is no variable of the model.
    let is_variable =
        |name: &String| !signature.processes.contains(name) && name != "atomic" && name != "last";
    // Variables of a process that the step starts have no value to change.
    let old = |at: usize, name: &String| {
        let is_it = |pair: &&(String, String)| pair.0 == *name;
        before.get(at).filter(is_it).or_else(|| before.iter().find(is_it))
    };
    let all = after.iter().enumerate();
    let changed = all.filter(|(at, (name, value))| {
        old(*at, name).is_some_and(|(_, old)| old != value) && is_variable(name)
    });
    changed.map(|(_, pair)| pair.clone()).collect()
}

impl Signature {
    /// The processes that take part in an action: `P+Q`, or `nobody`.
    pub fn who(&self, action: &Action) -> String {
        let who: Vec<&str> =
            action.participants.iter().map(|&process| self.process_name(process)).collect();
        if who.is_empty() { "nobody".to_owned() } else { who.join("+") }
    }

    /// An action as the source has it, with the place; of an atomic sequence, all its statements. The event if it is
    /// written nowhere.
    pub fn words(&self, action: &Action) -> (String, Option<Span>) {
        const SHOWN: usize = 4;
        let event = self.event_name(action.event);
        let moves = || action.moves.iter().map(|id: &MoveId| &self.moves[id.index()]);
        let span = moves().find_map(|part| part.span);
        let words: Vec<&str> = moves()
            .filter(|part| part.span.is_some() && !says_more(event, &part.name))
            .map(|part| part.name.as_str())
            .collect();
        let words = match words.len() {
            0 => event.to_owned(),
            // Both sides of a rendezvous, of which the event names one.
            count if count > 1 && action.participants.len() == count => {
                let sent = words.iter().find(|words| words.contains('!') && !words.contains('?'));
                sent.unwrap_or(&words[0]).to_string()
            }
            count if count <= SHOWN => words.join("; "),
            count => format!("{}; … {} more", words[..SHOWN].join("; "), count - SHOWN),
        };
        (words, span)
    }

    /// The process that sends, if several take part in an action and one sends to the others.
    fn sender(&self, action: &Action) -> Option<usize> {
        let moves = action.moves.iter().map(|id: &MoveId| &self.moves[id.index()]);
        let mut sends = moves.filter(|part| part.name.contains('!') && !part.name.contains('?'));
        let first = sends.next()?;
        let is_one = sends.next().is_none() && action.participants.len() > 1;
        is_one.then_some(ProcessId::index(first.process))
    }
}

/// Whether an event tells more than the name of a move, with the values: `c!1` and `c[0]!1` more than `c!`.
fn says_more(event: &str, name: &str) -> bool {
    let channel = name.strip_suffix(['!', '?']).filter(|channel| !channel.is_empty());
    event.starts_with(name) || channel.is_some_and(|channel| event.starts_with(channel))
}
