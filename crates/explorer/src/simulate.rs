//! Simulation: a run that a client makes, step by step.
//!
//! A run is the position of its first state among the initial ones, and for each step the position of the transition
//! among those that leave the state. A system gives them in the same order every time, so nothing has to be kept for a
//! client, and a run is good for as long as the model is the same.

use fairly_check::{Approach, CheckError, Property, SystemIndex, Systems, approach, with_system};
use fairly_front::trail::Trail;
use fairly_omega::StateId;
use fairly_report::condition::Condition;
use fairly_report::document::Problem;
use fairly_report::simulation::{NotFollowed, Simulation};
use fairly_report::trace::Saved;
use fairly_report::{Source, itf};
use fairly_system::{Run, RunStep, Stuck, TraceStep, Transition, TransitionSystem};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ask::problem;
use crate::bench::Bench;
use crate::space::{bound, no_formula, soon};

/// The schema of simulations.
const SCHEMA: &str = "fairly.simulation/1";
/// Steps of a run.
const LONGEST: usize = 20_000;
/// Steps that a run is continued by at once.
const FAR: usize = 10_000;
/// Nodes of a product that are searched for an acceptance.
const MOST_SEARCHED: usize = 100_000;
/// Steps that are offered.
const MOST_OFFERED: usize = 500;
/// Steps of a run that are sent back as a trace.
const MOST_SHOWN: usize = 2_000;

/// A run, and how it goes on.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Simulate {
    /// The text of the model, if it is not the one of the file.
    text: Option<String>,
    /// A formula of the question that the run belongs to.
    formula: Option<String>,
    system: usize,
    /// Position of the first state among the initial states.
    start: usize,
    path: Vec<usize>,
    /// Steps to be taken at random.
    random: Option<usize>,
    seed: u64,
    /// Random steps end when this becomes true, or in a step of this line.
    until: Option<String>,
    /// Steps are taken to a loop that the automaton of a negated formula accepts, and once round it: the position of the
    /// formula among the questions of the model.
    accepting: Option<usize>,
    /// A trace whose steps are taken.
    along: Option<Value>,
    /// How many of them; all of them if it is not said.
    steps: Option<usize>,
    /// A trail of another tool, instead.
    trail: Option<String>,
    /// Whether the run is also wanted as such a trail.
    to_trail: bool,
    revision: Option<String>,
}

#[derive(Serialize)]
struct SimulationDocument {
    schema: &'static str,
    system: usize,
    start: usize,
    /// How many states runs may start in.
    starts: usize,
    path: Vec<usize>,
    /// `fairly.trace/2`, of a run that is not too long; then of its end.
    trace: Value,
    /// Steps in front of those of the trace.
    omitted: usize,
    offered: Vec<OfferedDocument>,
    /// How many steps are possible.
    possible: usize,
    /// Why nothing can happen, if nothing can.
    stuck: Option<StuckDocument>,
    /// Why random steps, or steps along a trace, ended.
    stopped: Option<String>,
    seed: u64,
    command: String,
    /// The run as a trail of another tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    trail: Option<String>,
}

/// A step that can be taken.
#[derive(Serialize)]
struct OfferedDocument {
    choice: usize,
    who: String,
    event: String,
    action: String,
    line: Option<usize>,
    file: Option<String>,
    /// The variables that it changes.
    changes: Vec<(String, String)>,
    /// For how many steps those who take it could have moved and did not.
    waited: usize,
}

#[derive(Serialize)]
struct StuckDocument {
    why: String,
    /// Whether everything has ended, so that nothing has to happen.
    terminated: bool,
}

/// Makes the run, and says what can happen then.
pub(crate) fn simulate(bench: &mut Bench, request: &Simulate) -> Result<Value, Vec<Problem>> {
    let (files, options) = (bench.model.files(), bench.model.options());
    let command = crate::command::Command::new("sim").on(&files, &options);
    let formulas: Vec<String> = request.formula.iter().cloned().collect();
    bench.expect(request.revision.as_deref())?;
    let systems = bench.systems(request.text.as_deref(), &formulas)?;
    let which = SystemIndex(request.system);
    let text = systems.loaded().text.clone();
    made(systems, which, files.first().map_or("model", String::as_str))?;
    let source = text.as_deref().zip(files.first()).map(|(text, name)| Source { name, text });
    let mut request = request.clone();
    if let Some(text) = request.trail.take() {
        let run = followed(systems, &text)?;
        (request.start, request.path) =
            with_system!(systems.made(which), system => choices(system, &run));
    }
    let reached = match request.accepting {
        Some(at) => Some(accepted(systems, &mut request, at, &files)?),
        None => None,
    };
    let about =
        About { request: &request, source, files: &files, options: &options, command, reached };
    let mut document = with_system!(systems.made(which), system => about.made(system))?;
    if request.to_trail {
        let run = with_system!(systems.made(which), system => {
            rebuilt(system, document.start, &document.path)
        });
        let trail = run.and_then(|run| systems.trail(&run)).ok_or_else(no_trail)?;
        document.trail = Some(trail.map_err(|why| problem(&why))?.to_string());
    }
    let bytes = with_system!(systems.made(which), system => system.bytes());
    bench.forget_much(bytes);
    Ok(fairly_report::json::value(&document))
}

fn no_trail() -> Vec<Problem> {
    problem("only runs of Promela models are trails")
}

/// Goes on to a loop that the automaton of a negated formula accepts, and once round it; says what came of it.
fn accepted(
    systems: &mut Systems,
    request: &mut Simulate,
    at: usize,
    files: &[String],
) -> Result<String, Vec<Problem>> {
    let name = files.first().map_or("model", String::as_str);
    let mut question = bound(systems, (Some(at), false), name)?;
    if question.system.0 != request.system {
        return Err(problem("the formula is about another system"));
    }
    let title = systems.loaded().questions[at].title.clone();
    let (start, path) = (request.start, request.path.as_slice());
    let found = systems.settled(&mut question, |systems, question| {
        let which = question.system;
        let Some(property) = question.property() else { return Ok(Err(no_formula())) };
        Ok::<_, CheckError>(with_system!(systems.made(which), system => {
            ahead(system, property, (start, path))
        }))
    });
    let (stem, cycle) = match found.map_err(|why| problem(&why.to_string()))?? {
        Ahead::Loop(stem, cycle) => (stem, cycle),
        Ahead::Never => {
            return Ok(format!(
                "there is no acceptance: however this run goes on, it satisfies {title}"
            ));
        }
        Ahead::TooFar(nodes) => {
            return Ok(format!(
                "no loop that the automaton of ¬{title} accepts was found among {nodes} nodes of the product"
            ));
        }
    };
    let before = request.path.len() + stem.len();
    if before + cycle.len() > LONGEST {
        return Ok(format!("the way to an acceptance is longer than {LONGEST} steps"));
    }
    request.path.extend(stem);
    request.path.extend(&cycle);
    Ok(match cycle.len() {
        // A deadlock is a loop of one idle step, which is no choice.
        0 => format!("the run stays here for ever, which the automaton of ¬{title} accepts"),
        1 => format!(
            "step {} can be taken for ever, which the automaton of ¬{title} accepts",
            before + 1
        ),
        count => format!(
            "steps {} to {} can be taken round and round, which the automaton of ¬{title} accepts",
            before + 1,
            before + count
        ),
    })
}

/// How a run goes on to an acceptance, as choices.
enum Ahead {
    Loop(Vec<usize>, Vec<usize>),
    Never,
    TooFar(usize),
}

fn ahead<S: TransitionSystem>(
    system: &mut S,
    property: &mut Property,
    (start, path): (usize, &[usize]),
) -> Result<Ahead, Vec<Problem>> {
    let run = rebuilt(system, start, path);
    let run = run.ok_or_else(|| problem("the run is one of another model"))?;
    let first = system.initial()[start];
    let taken = run.steps().map(|step| Transition { action: step.action, target: step.to });
    let taken: Vec<Transition> = taken.collect();
    let last = taken.last().map_or(first, |step| step.target);
    let found = approach(system, property, (first, &taken), &soon(), MOST_SEARCHED);
    Ok(match found.map_err(|why| problem(&why.to_string()))? {
        Approach::Loop { stem, cycle } => {
            let entry = stem.last().map_or(last, |step| step.target);
            Ahead::Loop(chosen(system, last, &stem), chosen(system, entry, &cycle))
        }
        Approach::Never => Ahead::Never,
        Approach::TooFar(nodes) => Ahead::TooFar(nodes),
    })
}

/// Transitions as positions among those that leave each state.
fn chosen<S: TransitionSystem>(system: &mut S, from: StateId, way: &[Transition]) -> Vec<usize> {
    let mut at = from;
    let mut choices = Vec::new();
    for step in way {
        let mut enabled = Vec::new();
        system.enabled(at, &mut enabled);
        // The idle step of a state in which nothing can happen is no choice.
        let Some(choice) = enabled.iter().position(|other| other == step) else { break };
        choices.push(choice);
        at = step.target;
    }
    choices
}

/// The run that a trail describes.
fn followed(systems: &mut Systems, text: &str) -> Result<Run, Vec<Problem>> {
    let wrong = |diagnostic| vec![Problem::at(&diagnostic, "<trail>", text)];
    let trail = Trail::parse(text).map_err(wrong)?;
    systems.follow(&trail).ok_or_else(no_trail)?.map_err(wrong)
}

/// A run as choices, up to where nothing can happen: the first state, and the steps.
fn choices<S: TransitionSystem>(system: &mut S, run: &Run) -> (usize, Vec<usize>) {
    let first = run.steps().next().map(|step| step.from);
    let start = system.initial().iter().position(|&state| Some(state) == first).unwrap_or(0);
    let mut path = Vec::new();
    for step in run.steps().take(LONGEST) {
        let mut enabled = Vec::new();
        system.enabled(step.from, &mut enabled);
        let is_it = |other: &Transition| other.action == step.action && other.target == step.to;
        let Some(choice) = enabled.iter().position(is_it) else { break };
        path.push(choice);
    }
    (start, path)
}

/// The run that choices describe.
fn rebuilt<S: TransitionSystem>(system: &mut S, start: usize, path: &[usize]) -> Option<Run> {
    let mut run = Simulation::begin(*system.initial().get(start)?);
    for &choice in path {
        let step = run.enabled(system).get(choice).copied()?;
        run.take(step);
    }
    Some(Run { stem: run.taken().to_vec(), cycle: Vec::new() })
}

/// Makes a system, if there is one with this position.
pub(crate) fn made(
    systems: &mut Systems,
    which: SystemIndex,
    name: &str,
) -> Result<(), Vec<Problem>> {
    if which.0 >= systems.loaded().systems.len() {
        return Err(problem("the model has no such system"));
    }
    let wrong = systems.system(which).err();
    match wrong {
        None => Ok(()),
        Some(diagnostics) => {
            let text = systems.loaded().text.as_deref().unwrap_or_default();
            Err(diagnostics.iter().map(|it| Problem::at(it, name, text)).collect())
        }
    }
}

struct About<'a> {
    request: &'a Simulate,
    source: Option<Source<'a>>,
    files: &'a [String],
    options: &'a [String],
    command: String,
    /// What came of going on to an acceptance.
    reached: Option<String>,
}

impl About<'_> {
    fn made<S: TransitionSystem>(self, system: &mut S) -> Result<SimulationDocument, Vec<Problem>> {
        let Simulate { random, along, seed, .. } = self.request;
        let mut seed = *seed;
        let (mut path, mut stopped) = (self.request.path.clone(), self.reached.clone());
        if path.len() > LONGEST {
            return Err(problem("the run is too long"));
        }
        let initial = system.initial();
        let mut start = self.request.start;
        if let Some(trace) = along {
            let saved = Saved::read(trace).map_err(|why| problem(&why))?;
            let found = saved.run.find_start(system);
            let found = found.ok_or_else(|| {
                problem("the model does not start in the first state of the trace")
            })?;
            start = initial.iter().position(|&it| it == found).unwrap_or(0);
            (path, stopped) = self.follow(system, found, &saved)?;
        }
        let first =
            *initial.get(start).ok_or_else(|| problem("the model has no such initial state"))?;
        let mut run = Simulation::begin(first);
        for &choice in &path {
            let step = run.enabled(system).get(choice).copied();
            run.take(step.ok_or_else(|| problem("the run is one of another model"))?);
        }
        if let Some(steps) = random {
            stopped = self.walk(system, &mut run, &mut path, (*steps).min(FAR), &mut seed)?;
        }
        let left_out = run.taken().len().saturating_sub(MOST_SHOWN);
        let trace = self.trace(system, &run, left_out);
        let enabled = run.enabled(system);
        let offered = (0..enabled.len().min(MOST_OFFERED)).map(|at| self.offered(system, &run, at));
        Ok(SimulationDocument {
            schema: SCHEMA,
            system: self.request.system,
            start,
            starts: initial.len(),
            trace,
            omitted: left_out,
            offered: offered.collect(),
            possible: enabled.len(),
            stuck: Stuck::of(system, run.at()).map(|stuck| StuckDocument {
                why: match &stuck.fault {
                    Some(fault) => format!("error in the model: {}", fault.message),
                    None if stuck.terminated => "the end: every process has terminated".to_owned(),
                    None => "deadlock: nothing is enabled".to_owned(),
                },
                terminated: stuck.terminated && stuck.fault.is_none(),
            }),
            path,
            stopped,
            seed,
            command: self.command,
            trail: None,
        })
    }

    /// Takes the steps of a trace: the choices that they are, and why they ended early.
    fn follow<S: TransitionSystem>(
        &self,
        system: &mut S,
        start: StateId,
        saved: &Saved,
    ) -> Result<(Vec<usize>, Option<String>), Vec<Problem>> {
        let most = self.request.steps.unwrap_or(saved.run.steps.len()).min(LONGEST);
        let mut run = Simulation::begin(start);
        let mut path = Vec::new();
        while path.len() < most {
            let enabled = run.enabled(system);
            match run.follow(system, &saved.run) {
                Ok(()) => {
                    let Some(&RunStep { action, to, .. }) = run.taken().last() else { break };
                    let is_it = |step: &Transition| step.action == action && step.target == to;
                    // The idle step of a run that ends is no choice.
                    let Some(choice) = enabled.iter().position(is_it) else { break };
                    path.push(choice);
                }
                Err(NotFollowed::Over) => break,
                Err(NotFollowed::Impossible(event)) => {
                    let said =
                        format!("the trace goes on with {event}, which is not possible here");
                    return Ok((path, Some(said)));
                }
            }
        }
        Ok((path, None))
    }

    /// Takes random steps until something that is asked for happens.
    fn walk<S: TransitionSystem>(
        &self,
        system: &mut S,
        run: &mut Simulation,
        path: &mut Vec<usize>,
        steps: usize,
        seed: &mut u64,
    ) -> Result<Option<String>, Vec<Problem>> {
        let until = self.request.until.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let line = until.and_then(|text| text.parse::<usize>().ok());
        let condition = match until.filter(|_| line.is_none()) {
            None => None,
            Some(text) => {
                let at = run.at();
                Some(Condition::read(text, system, at).map_err(|why| problem(&why))?)
            }
        };
        for count in 1..=steps {
            if path.len() >= LONGEST {
                return Ok(Some(format!("the run has {LONGEST} steps, which is the most")));
            }
            let Some(choice) = run.random(system, seed) else {
                return Ok(
                    (count > 1).then(|| format!("it goes no further, after {} steps", count - 1))
                );
            };
            path.push(choice);
            let Some(&step) = run.taken().last() else { break };
            let is_met = match (&condition, line) {
                (Some(condition), _) => {
                    condition.holds(system, step.to) && !condition.holds(system, step.from)
                }
                (None, Some(line)) => self.place(system, &step).0 == Some(line),
                (None, None) => false,
            };
            if let (true, Some(text)) = (is_met, until) {
                return Ok(Some(format!("stopped at {text}, after {count} steps")));
            }
        }
        Ok(until.map(|text| format!("{text} did not happen in {steps} steps")))
    }

    fn place<S: TransitionSystem>(
        &self,
        system: &S,
        step: &RunStep,
    ) -> (Option<usize>, Option<String>) {
        let (_, span) = system.signature().words(system.action(step.action));
        let Some((source, span)) = self.source.zip(span) else { return (None, None) };
        (source.line(span.start), source.included(span.start).map(str::to_owned))
    }

    fn offered<S: TransitionSystem>(
        &self,
        system: &mut S,
        run: &Simulation,
        choice: usize,
    ) -> OfferedDocument {
        let step = run.enabled(system)[choice];
        let step = RunStep { from: run.at(), action: step.action, to: step.target };
        let recorded = TraceStep::of(system, &step);
        let (line, file) = self.place(system, &step);
        let participants = system.action(step.action).participants.clone();
        let waited = participants.iter().map(|&process| run.waited(system, process)).min();
        OfferedDocument {
            choice,
            who: recorded.who,
            event: recorded.event,
            action: recorded.action,
            line,
            file,
            changes: recorded.changes,
            waited: waited.unwrap_or(0),
        }
    }

    /// The run as a trace, without so many of its first steps.
    fn trace<S: TransitionSystem>(
        &self,
        system: &mut S,
        run: &Simulation,
        left_out: usize,
    ) -> Value {
        let origin = itf::Origin {
            files: self.files,
            source: self.source,
            options: self.options,
            property: itf::Asked::Nothing,
            place: None,
        };
        let shown = match run.taken().get(left_out) {
            Some(first) if left_out > 0 => {
                let mut end = Simulation::begin(first.from);
                for step in &run.taken()[left_out..] {
                    let target = step.to;
                    end.take(Transition { target, action: step.action });
                }
                end
            }
            _ => run.clone(),
        };
        let evidence = shown.record(system, "made by hand");
        itf::finite("a simulation", &evidence, &origin)
    }
}
