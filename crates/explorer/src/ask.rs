//! Heavy questions: verdicts, ladders and least fairness.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use fairly_check::{
    AnswerError, Asked, Assumed, Assumption, BindingError, ConstraintError, Ladder, Options,
    Question, SystemIndex, Systems, Verdict, with_system,
};
use fairly_fairness::{Level, Notion};
use fairly_front::case;
use fairly_omega::StateId;
use fairly_report::document::Problem;
use fairly_report::{Source, itf, json};
use fairly_search::{Bounds, Watch};
use fairly_source::{Diagnostic, Span};
use fairly_system::{Run, RunStep, Trace, TransitionSystem};
use fairly_witness::{Ledger, Reason};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::{Origin, answer};
use crate::bench::Bench;
use crate::command::Command;
use crate::model::Model;
use crate::notions::{level, notion, own};
use crate::server::Limits;

/// A question as a client asks it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Ask {
    /// Position among the questions of the model.
    question: Option<usize>,
    /// A formula, instead.
    formula: Option<String>,
    /// As `--fairness` has it; the model's own if none is given.
    fairness: Option<String>,
    level: Option<String>,
    constraints: Vec<String>,
    /// The text of the model, if it is not the one of the file.
    text: Option<String>,
    /// Seconds.
    timeout: Option<f64>,
    max_states: Option<usize>,
    /// Which contents of the file the question is about.
    revision: Option<String>,
}

/// The kind of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Verdict,
    Ladder,
    Least,
}

/// Something that a client hears.
pub(crate) type Event = (&'static str, Value);

/// Constraints that are listed as excluding a run.
const MOST_EXCLUDING: usize = 40;

impl Ask {
    fn formulas(&self) -> Vec<String> {
        self.formula.iter().cloned().collect()
    }
}

/// Answers a question; what is wrong with it is an answer, too.
pub(crate) fn answered(
    bench: &mut Bench,
    (ask, kind): (&Ask, Kind),
    limits: &Limits,
    watch: &'static Watch,
    out: &Sender<Event>,
) {
    // If this fails, the client is gone.
    let say = |event: &'static str, data: Value| {
        let _ = out.send((event, data));
    };
    let mut work = || -> Result<usize, Vec<Problem>> {
        let options = options(ask, limits, watch)?;
        let setting = Setting {
            files: bench.model.files(),
            options: bench.model.options(),
            model: Arc::clone(&bench.model),
        };
        bench.expect(ask.revision.as_deref())?;
        let systems = bench.systems(ask.text.as_deref(), &ask.formulas())?;
        let mut asked = Asking { systems, setting, ask };
        let mut question = asked.question()?;
        match kind {
            Kind::Verdict => {
                let (answer, beside) = asked.verdict(&mut question, &options)?;
                for found in beside {
                    say("beside", found);
                }
                say("answer", answer);
            }
            Kind::Ladder => asked.ladder(&mut question, &options, &say)?,
            Kind::Least => asked.least(&mut question, &options, &say)?,
        }
        let made = asked.systems.made(question.system);
        Ok(with_system!(made, made => made.bytes()))
    };
    match work() {
        Ok(bytes) => bench.forget_much(bytes),
        Err(problems) => say("problem", json::value(&problems)),
    }
}

/// The model as a command line names it.
struct Setting {
    files: Vec<String>,
    options: Vec<String>,
    model: Arc<dyn Model>,
}

/// A question with the systems that it is about.
struct Asking<'a> {
    systems: &'a mut Systems,
    setting: Setting,
    ask: &'a Ask,
}

/// A problem at no place.
pub(crate) fn problem(message: &str) -> Vec<Problem> {
    vec![Problem::new(None, message, None)]
}

fn options(ask: &Ask, limits: &Limits, watch: &'static Watch) -> Result<Options, Vec<Problem>> {
    let time = match ask.timeout {
        None => limits.time,
        Some(seconds) => {
            let asked = Duration::try_from_secs_f64(seconds);
            let asked = asked.map_err(|_| problem("the time is none"))?;
            Some(limits.time.map_or(asked, |limit| limit.min(asked)))
        }
    };
    let nodes = match (ask.max_states, limits.states) {
        (Some(asked), Some(limit)) => Some(asked.min(limit)),
        (asked, limit) => asked.or(limit),
    };
    let deadline = time.and_then(|time| Instant::now().checked_add(time));
    let bounds = Bounds { nodes, deadline, bytes: limits.bytes, watch: Some(watch) };
    let Limits { engine, workers, .. } = *limits;
    Ok(Options { bounds, engine, workers, counts: true, ..Options::default() })
}

impl Asking<'_> {
    fn name(&self) -> &str {
        self.setting.files.first().map_or("model", String::as_str)
    }

    /// Problems at places of the model's text.
    fn wrong(&self, diagnostics: &[Diagnostic]) -> Vec<Problem> {
        let text = self.systems.loaded().text.as_deref().unwrap_or_default();
        diagnostics.iter().map(|it| Problem::at(it, self.name(), text)).collect()
    }

    /// The question with its meaning.
    fn question(&mut self) -> Result<Question, Vec<Problem>> {
        let questions = &self.systems.loaded().questions;
        let at = match (self.ask.question, &self.ask.formula) {
            (None, Some(_)) => questions.iter().position(|question| question.choice.is_none()),
            (Some(at), None) if at < questions.len() => Some(at),
            (Some(_), None) => return Err(problem("the model has no such question")),
            _ => return Err(problem("a question has a number or a formula")),
        };
        let at = at.ok_or_else(|| problem("the model takes no formula"))?;
        self.systems.bind(at).map_err(|why| match why {
            BindingError::InModel(diagnostics) => self.wrong(&diagnostics),
            BindingError::InFormula(wrong) => {
                let place = |it| Problem::at(it, &wrong.text.name, &wrong.text.text);
                wrong.diagnostics.iter().map(place).collect()
            }
        })
    }

    /// The assumption under a notion, with the constraints that are asked for.
    fn assumption(
        &mut self,
        notion: Notion,
        system: SystemIndex,
        bounds: Bounds,
    ) -> Result<Assumption, Vec<Problem>> {
        let assumed = self.systems.assumption(system, notion);
        let mut assumption = assumed.map_err(|why| match why {
            ConstraintError::Condition(why) => problem(&why),
            ConstraintError::Wrong(diagnostics) => self.wrong(&diagnostics),
        })?;
        for text in &self.ask.constraints {
            let wrong =
                |diagnostic: Diagnostic| vec![Problem::at(&diagnostic, "<constraint>", text)];
            let constraint = case::parse_constraint(text).map_err(wrong)?;
            let added = with_system!(self.systems.made(system), made => {
                assumption.add_within(&constraint, made, bounds)
            });
            let added = added.map_err(|_| {
                problem(&format!("a limit was reached while looking for what {text} means"))
            })?;
            added.map_err(|why| wrong(why.diagnostic(Span::new(0, text.len()))))?;
        }
        Ok(assumption)
    }

    fn unanswered(&self, why: AnswerError) -> Vec<Problem> {
        match why {
            AnswerError::Wrong(diagnostics) => self.wrong(&diagnostics),
            AnswerError::Failed(failure) => problem(&failure.to_string()),
        }
    }

    /// How the command line chooses the question.
    fn asked(&self, question: &Question) -> itf::Asked {
        match (&self.ask.formula, &self.systems.loaded().questions[question.at].choice) {
            (Some(formula), _) => itf::Asked::Formula(formula.clone()),
            (None, Some(choice)) => itf::Asked::Property(choice.clone()),
            (None, None) => itf::Asked::Nothing,
        }
    }

    fn command(&self, name: &str, question: &Question) -> String {
        if self.setting.files.is_empty() {
            let own = own(&*self.setting.model, self.systems.loaded());
            let notion = notion(self.ask.fairness.as_deref(), self.ask.level.as_deref(), own);
            return match (name, notion) {
                ("check", Ok(notion)) => {
                    self.setting.model.assumptions(notion, &self.ask.constraints)
                }
                _ => String::new(),
            };
        }
        let mut command = Command::new(name);
        command = match &self.asked(question) {
            itf::Asked::Property(choice) => command.with("-p", Some(choice)),
            itf::Asked::Formula(formula) => command.with("--formula", Some(formula)),
            itf::Asked::Nothing => command,
        };
        if name == "check" {
            command = command.with("--fairness", self.ask.fairness.as_deref());
        }
        let has_level = name == "least"
            || name == "check" && matches!(self.ask.fairness.as_deref(), Some("weak" | "strong"));
        let level = self.ask.level.as_deref().filter(|level| has_level && *level != "process");
        command = command.with("--level", level);
        for constraint in &self.ask.constraints {
            command = command.with("--constraint", Some(constraint));
        }
        let timeout = self.ask.timeout.map(|seconds| seconds.to_string());
        let states = self.ask.max_states.map(|states| states.to_string());
        command = command.with("--timeout", timeout.as_deref());
        command
            .with("--max-states", states.as_deref())
            .on(&self.setting.files, &self.setting.options)
    }

    /// A verdict as a document.
    fn document(
        &self,
        verdict: &Verdict,
        question: &Question,
        title: &str,
        excluding: &[String],
    ) -> Value {
        let source = self.systems.loaded().text.as_deref();
        let command = self.command("check", question);
        answer(
            verdict,
            excluding,
            &Origin {
                files: &self.setting.files,
                options: &self.setting.options,
                source: source.map(|text| Source { name: self.name(), text }),
                asked: self.asked(question),
                place: self.systems.loaded().questions[question.at].place,
                title,
                constraints: &self.ask.constraints,
                command: &command,
            },
        )
    }

    /// The verdict, and errors of the model that were found beside it.
    fn verdict(
        &mut self,
        question: &mut Question,
        options: &Options,
    ) -> Result<(Value, Vec<Value>), Vec<Problem>> {
        let own = own(&*self.setting.model, self.systems.loaded());
        let (fairness, level) = (self.ask.fairness.as_deref(), self.ask.level.as_deref());
        let notion = notion(fairness, level, own).map_err(|why| problem(&why))?;
        let system = question.system;
        let assumption = match question.depends_on_fairness() {
            true => self.assumption(notion, system, options.bounds)?,
            false => Assumption::of(Notion::None),
        };
        let assumed = Assumed { assumption: &assumption, strengths: true };
        let answered = self.systems.answer(question, &assumed, options);
        let verdict = answered.map_err(|why| self.unanswered(why))?.verdict;
        let excluding = match verdict.violation() {
            Some((run, violation)) => {
                let first = violation.upgrade.as_ref().map(|upgrade| upgrade.constraint.clone());
                let known = verdict.stamp.constraints.clone().unwrap_or_default();
                with_system!(self.systems.made(system), made => {
                    excluding(made, run, first, &known, options.bounds)
                })
            }
            None => Vec::new(),
        };
        let title = self.systems.loaded().questions[question.at].title.clone();
        let found = self.document(&verdict, question, &title, &excluding);
        let beside = self.systems.errors_found().into_iter().map(|(system, _, verdict)| {
            let title = format!("{title}, without errors of the model");
            let verdict = self.systems.recorded(system, verdict, &title).verdict;
            self.document(&verdict, question, &title, &[])
        });
        Ok((found, beside.collect()))
    }

    /// The formula of the question, with its name.
    fn formula(&self, question: &mut Question) -> Result<(String, String), Vec<Problem>> {
        let shown = match &question.asked {
            Asked::Formula(_, shown) => shown.clone(),
            Asked::Claim(_) => {
                return Err(problem("this is no formula, so no fairness bears on it"));
            }
        };
        let name = question.property().map_or(String::new(), |property| property.name.clone());
        Ok((name, shown))
    }

    fn ladder(
        &mut self,
        question: &mut Question,
        options: &Options,
        say: &dyn Fn(&'static str, Value),
    ) -> Result<(), Vec<Problem>> {
        let (name, formula) = self.formula(question)?;
        let extra = self.assumption(Notion::None, question.system, options.bounds)?.extra;
        let command = self.command("ladder", question);
        let told = |ladder: &Ladder| json!({ "ladder": json::ladder(&name, &formula, ladder), "command": command });
        let doubted = self.systems.is_doubted(question.system);
        // A "holds" that errors of the model may take back is not told before it is certain.
        let hear = &mut |ladder: &Ladder| {
            if !doubted {
                say("partial", told(ladder));
            }
        };
        let ladder = self.systems.ladder_heard(question, &extra, options, hear);
        let ladder = ladder.map_err(|why| problem(&why.to_string()))?;
        say("answer", told(&ladder));
        Ok(())
    }

    fn least(
        &mut self,
        question: &mut Question,
        options: &Options,
        say: &dyn Fn(&'static str, Value),
    ) -> Result<(), Vec<Problem>> {
        let (name, formula) = self.formula(question)?;
        let level: Level = level(self.ask.level.as_deref()).map_err(|why| problem(&why))?;
        let system = question.system;
        let extra = self.assumption(Notion::None, system, options.bounds)?.extra;
        let command = self.command("least", question);
        let least = self.systems.least(question, level, &extra, options);
        let least = least.map_err(|why| problem(&why.to_string()))?;
        let all = with_system!(self.systems.made(system), made => {
            let mut constraints = |notion| named(notion, made, options.bounds);
            json!({
                "weak": constraints(Notion::Weak(level)),
                "strong": constraints(Notion::Strong(level)),
            })
        });
        let least = json::least(&name, &formula, &least);
        say("answer", json!({ "least": least, "constraints": all, "command": command }));
        Ok(())
    }
}

/// The names of the constraints of a notion; none if they cannot be known within the bounds.
fn named<S: TransitionSystem>(notion: Notion, system: &mut S, bounds: Bounds) -> Vec<String> {
    let all = Assumption::of(notion).constraints(system, bounds).unwrap_or_default();
    all.into_iter().map(|constraint| constraint.name).collect()
}

/// Single constraints of fairness that a run does not meet, so that each of them excludes it; the one that is known
/// already comes first.
fn excluding<S: TransitionSystem>(
    system: &mut S,
    trace: &Trace,
    first: Option<String>,
    known: &[String],
    bounds: Bounds,
) -> Vec<String> {
    let mut names: Vec<String> = first.into_iter().collect();
    let Some(run) = walked(system, trace) else { return names };
    let levels = [Level::Process, Level::Event, Level::Action];
    let notions = levels.into_iter().flat_map(|level| [Notion::Weak(level), Notion::Strong(level)]);
    for notion in notions {
        // What is listed as it is met is not explored to its end for a remark.
        if notion.needs_tables() && !system.signature().complete {
            continue;
        }
        let Ok(constraints) = Assumption::of(notion).constraints(system, bounds) else { continue };
        let ledger = Ledger::of(system, &run, &constraints);
        let unmet = ledger.entries.into_iter().filter(|entry| entry.reason == Reason::NotMet);
        for entry in unmet {
            if !names.contains(&entry.name) && !known.contains(&entry.name) {
                names.push(entry.name);
            }
        }
    }
    names.truncate(MOST_EXCLUDING);
    names
}

/// A recorded run with loop, walked on its system.
fn walked<S: TransitionSystem>(system: &mut S, trace: &Trace) -> Option<Run> {
    let back = trace.loops_to?;
    let mut at: StateId = trace.find_start(system)?;
    let mut steps = Vec::new();
    for number in 0..trace.steps.len() {
        let step = trace.find(number, system, at)?;
        steps.push(RunStep { from: at, action: step.action, to: step.target });
        at = step.target;
    }
    let cycle = steps.split_off(back);
    // A loop that closes but for values that nothing depends on is judged by those who found it.
    (cycle.first()?.from == at).then_some(Run { stem: steps, cycle })
}
