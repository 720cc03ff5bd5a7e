//! `fairly compare`: the same question answered in every way that there is, side by side.
//!
//! Each answer is found in a model that was read anew, so that none profits from another. Engines,
//! reductions and ways to make steps must agree; a stronger assumption must not lose what a weaker one has.
//! Where they do not, that is a bug, and the exit code says so.

use std::fmt::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use clap::Args;
use fairly_check::claim::{ClaimOutcome, Effort};
use fairly_check::{
    Asked, CheckError, Execution, Options, Outcome, Reduction, System, with_system,
};
use fairly_fairness::{AnnotationLevel, Level, Notion};
use fairly_report::{clipped, json};
use fairly_search::engines::{Engine, Question as Decides};
use fairly_source::escape::in_line;
use fairly_store::meter;
use serde_json::{Value, json};

use super::arguments::{Format, Model};
use super::file::File;
use super::load;
use super::next::{Setting, Suggestion, Urgency, options_of};
use super::questions::Question;
use super::tally::Choice;
use crate::failure::{self, CliError};
use crate::output;

#[derive(Args)]
pub(crate) struct Compare {
    #[command(flatten)]
    pub(crate) model: Model,
    /// A constraint to assume under every notion; written as for `fairly check`.
    #[arg(long = "constraint", value_name = "CONSTRAINT")]
    constraints: Vec<String>,
}

/// One way to answer a question.
#[derive(Clone, Copy)]
struct Way {
    notion: Notion,
    engine: Option<&'static Engine>,
    reduction: Reduction,
    interpreted: bool,
}

impl Way {
    fn usual(notion: Notion) -> Way {
        Way { notion, engine: None, reduction: Reduction::Sound, interpreted: false }
    }

    /// Name of its difference from the usual way.
    fn name(&self) -> String {
        let reduction = match self.reduction {
            Reduction::Sound => "",
            Reduction::Symmetry => "symmetry only",
            Reduction::DeadVariables => "dead variables only",
            Reduction::Merging => "merged statements only",
            Reduction::Local => "within processes only",
            Reduction::Paper => "printed ample sets",
            Reduction::Off => "no reduction",
        };
        match (self.engine, reduction, self.interpreted) {
            (Some(engine), ..) => format!("engine {}", engine.name),
            (_, _, true) => "interpreted".to_owned(),
            (None, "", false) => "as usual".to_owned(),
            (None, reduction, false) => reduction.to_owned(),
        }
    }
}

/// Result of a way.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Said {
    Holds,
    Violated,
    Unknown(String),
    /// It does not apply.
    Refused(String),
}

impl Said {
    fn word(&self) -> &'static str {
        match self {
            Said::Holds => "holds",
            Said::Violated => "violated",
            Said::Unknown(_) => "unknown",
            Said::Refused(_) => "refused",
        }
    }
}

/// One row.
struct Row {
    /// None for what no fairness bears on.
    notion: Option<Notion>,
    name: String,
    said: Said,
    /// States of the system, and nodes and steps of the product.
    states: usize,
    nodes: usize,
    steps: usize,
    engine: &'static str,
    reductions: String,
    time: Duration,
    /// The most bytes that were seen in use beyond those before.
    bytes: usize,
}

/// Everything about one question.
struct Compared {
    title: String,
    choice: Choice,
    rows: Vec<Row>,
    /// Answers that contradict each other.
    contradictions: Vec<String>,
}

pub(crate) fn compare(request: &Compare) -> Result<ExitCode, CliError> {
    match request.model.format {
        Format::Human | Format::Json => {}
        _ => return Err(CliError::usage("this command prints --format human or json")),
    }
    let setting = Setting::new("compare", &request.model, &request.model.files)
        .assuming(Vec::new(), &request.constraints);
    request.model.about(setting.clone());
    all(request, &setting).map_err(|failure| request.model.say(failure))
}

fn all(request: &Compare, setting: &Setting) -> Result<ExitCode, CliError> {
    let Compare { model, constraints } = request;
    let titles = titles(model)?;
    let names = titles.iter().map(|(title, _)| title.clone()).collect();
    model.asking(&model.files.join(" "), names);
    let mut compared = Vec::new();
    for (at, (title, choice)) in titles.into_iter().enumerate() {
        model.begin(&title);
        let rows = rows(model, constraints, at, &title)?;
        let contradictions = contradictions(&rows);
        compared.push(Compared { title, choice, rows, contradictions });
    }
    model.quiet();
    let is_broken = compared.iter().any(|it| !it.contradictions.is_empty());
    let is_open = |row: &Row| matches!(row.said, Said::Unknown(_));
    let open = compared.iter().any(|it| it.rows.iter().any(is_open));
    let text = match model.format {
        Format::Human => {
            let tables: String = compared.iter().map(|it| table(it, model.look.width)).collect();
            model.look.finish(tables) + &next(&compared, setting).line()
        }
        _ => json::text(&Value::Array(compared.iter().map(|it| document(model, it)).collect())),
    };
    output::write(&text, None)?;
    let code = match (is_broken, open) {
        (true, _) => failure::INTERNAL,
        (_, true) => failure::UNKNOWN,
        _ => 0,
    };
    if is_broken {
        output::remark("internal error: answers contradict each other; please report this model");
    }
    Ok(ExitCode::from(code))
}

/// Questions, and how they are chosen.
fn titles(model: &Model) -> Result<Vec<(String, Choice)>, CliError> {
    let mut file = load::read(&model.files, model)?;
    let asked = file.some_questions(model)?.asked;
    Ok(asked.iter().map(|it| (it.title.clone(), it.about().choice)).collect())
}

/// The question answered in every way.
fn rows(
    model: &Model,
    constraints: &[String],
    at: usize,
    title: &str,
) -> Result<Vec<Row>, CliError> {
    let usual = Way::usual(Notion::None);
    let mut rows = Vec::new();
    let (first, Kind { is_formula, is_about_fairness, is_model, is_annotated }) =
        row(model, constraints, at, title, &usual)?;
    rows.push(first);
    let mut ways = Vec::new();
    let mut notions = vec![Notion::None];
    if is_about_fairness {
        notions.extend([Notion::Weak(Level::Process), Notion::Strong(Level::Process)]);
        if is_annotated {
            notions.push(Notion::Annotated(AnnotationLevel::Name));
        }
    }
    for notion in notions {
        let usual = Way::usual(notion);
        if notion != Notion::None {
            ways.push(usual);
        }
        if is_formula {
            let engines = Engine::offered_for(Decides::Runs);
            ways.extend(engines.map(|engine| Way { engine: Some(engine), ..usual }));
        }
        let alone = [Reduction::Symmetry, Reduction::DeadVariables, Reduction::Merging];
        if is_model {
            ways.extend(alone.map(|reduction| Way { reduction, ..usual }));
        }
        ways.push(Way { reduction: Reduction::Off, ..usual });
        if is_formula {
            ways.push(Way { reduction: Reduction::Paper, ..usual });
        }
        if is_model {
            ways.push(Way { interpreted: true, ..usual });
        }
    }
    for way in ways {
        let (row, _) = row(model, constraints, at, title, &way)?;
        // Most systems are beyond the ample sets of the paper.
        if way.reduction != Reduction::Paper || !matches!(row.said, Said::Refused(_)) {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// Kind of a question, and its system.
#[derive(Clone, Copy)]
struct Kind {
    is_formula: bool,
    /// Whether the answer depends on the fairness assumed.
    is_about_fairness: bool,
    /// Whether the system is that of a model, and no network of components.
    is_model: bool,
    is_annotated: bool,
}

/// One row, and what kind of question it answers.
fn row(
    model: &Model,
    constraints: &[String],
    at: usize,
    title: &str,
    way: &Way,
) -> Result<(Row, Kind), CliError> {
    // Machine code from the first state on, so that there is something to compare in a small model.
    let execution = if way.interpreted { Execution::Interpreted } else { Execution::Native };
    let mut file = load::read_as(&model.files, model, execution)?;
    let before = meter::used().unwrap_or(0);
    let options = Options {
        engine: way.engine,
        reduction: way.reduction,
        any_run: true,
        ..model.options_for(&[title])?
    };
    let mut asked = file.some_questions(model)?.asked;
    let question = &mut asked[at];
    let is_formula = question.formula().is_some();
    let is_about_fairness = question.bound.depends_on_fairness();
    let is_model = matches!(file.system(question.system())?, System::Model(_));
    let is_annotated = file.systems.loaded().is_annotated;
    let kind = Kind { is_formula, is_about_fairness, is_model, is_annotated };
    let (answer, most) =
        sampled(|| answered(&mut file, question, constraints, way.notion, &options));
    let Answer { said, states, nodes, steps, engine, reductions, time } = answer?;
    let row = Row {
        notion: is_about_fairness.then_some(way.notion),
        name: way.name(),
        said,
        states,
        nodes,
        steps,
        engine,
        reductions,
        time,
        bytes: most.saturating_sub(before),
    };
    Ok((row, kind))
}

/// Part of an answer that a row needs.
struct Answer {
    said: Said,
    states: usize,
    nodes: usize,
    steps: usize,
    engine: &'static str,
    reductions: String,
    time: Duration,
}

fn answered(
    file: &mut File,
    question: &mut Question,
    constraints: &[String],
    notion: Notion,
    options: &Options,
) -> Result<Answer, CliError> {
    let system = question.system();
    let claim = match &mut question.bound.asked {
        Asked::Formula(property, _) => {
            let assumption = file.assumption(notion, constraints, system, options.bounds)?;
            return Ok(with_system!(file.system(system)?, system => {
                of_verdict(fairly_check::check(system, property, &assumption, options))
            }));
        }
        Asked::Claim(claim) => claim,
    };
    let effort = Effort { fairness: Some(notion), ..options.into() };
    let verdict = file.systems.claim(claim, system, effort);
    let verdict = verdict.map_err(|why| file.unanswered(why))?;
    let said = match &verdict.outcome {
        ClaimOutcome::Holds(_) => Said::Holds,
        ClaimOutcome::Violated(_) => Said::Violated,
        ClaimOutcome::Unknown(why) => Said::Unknown(why.to_string()),
    };
    let (states, steps) = verdict.size.map_or((0, 0), |size| (size.states, size.transitions));
    let reductions = match verdict.reductions.as_slice() {
        [] => verdict.unreduced.map_or(String::new(), |why| why.to_string()),
        some => some.join("; "),
    };
    let (nodes, time) = (states, verdict.time);
    let engine = verdict.engine.name;
    Ok(Answer { said, states, nodes, steps, engine, reductions, time })
}

fn of_verdict(checked: Result<fairly_check::Answer, CheckError>) -> Answer {
    let refused = |why: String, word: fn(String) -> Said| Answer {
        said: word(why),
        states: 0,
        nodes: 0,
        steps: 0,
        engine: "",
        reductions: String::new(),
        time: Duration::ZERO,
    };
    let verdict = match checked {
        Ok(verdict) => verdict,
        Err(CheckError::Engine(why) | CheckError::Reduction(why)) => {
            return refused(why, Said::Refused);
        }
        Err(CheckError::Senseless(why)) => return refused(why.to_owned(), Said::Refused),
        Err(why @ (CheckError::Internal { .. } | CheckError::Stopped | CheckError::Test(_))) => {
            return refused(why.to_string(), Said::Unknown);
        }
    };
    let stamp = verdict.stamp;
    let said = match verdict.outcome {
        Outcome::Holds(_) => Said::Holds,
        Outcome::Violated(_) | Outcome::Doomed(_) => Said::Violated,
        Outcome::Unknown(why) => Said::Unknown(why.to_string()),
    };
    let reductions = match stamp.reductions.as_slice() {
        [] => stamp.unreduced.map_or(String::new(), |why| why.to_string()),
        some => some.join("; "),
    };
    let ((states, _), (nodes, steps)) = (stamp.system, stamp.product);
    Answer {
        said,
        states,
        nodes,
        steps,
        engine: stamp.engine.map_or("none", |engine| engine.name),
        reductions,
        time: stamp.time,
    }
}

/// Does the work while another thread looks how much memory is in use.
fn sampled<T>(work: impl FnOnce() -> T) -> (T, usize) {
    const PAUSE: Duration = Duration::from_micros(500);
    let (most, is_done) = (AtomicUsize::new(0), AtomicBool::new(false));
    let look = || {
        most.fetch_max(meter::used().unwrap_or(0), Ordering::Relaxed);
    };
    let done = std::thread::scope(|scope| {
        let sampler = std::thread::Builder::new().name("memory".to_owned());
        // Without a thread, what is in use at the end has to do.
        let _ = sampler.spawn_scoped(scope, || {
            while !is_done.load(Ordering::Relaxed) {
                look();
                std::thread::sleep(PAUSE);
            }
        });
        let done = work();
        look();
        is_done.store(true, Ordering::Relaxed);
        done
    });
    (done, most.load(Ordering::Relaxed))
}

/// Whether an answer under a notion is one under another, if it is that the property holds.
fn implies(weaker: Option<Notion>, stronger: Option<Notion>) -> bool {
    match (weaker, stronger) {
        (one, other) if one == other => true,
        (Some(Notion::None), Some(_)) => true,
        (Some(Notion::Weak(one)), Some(Notion::Strong(other))) => one == other,
        _ => false,
    }
}

/// The pairs of answers that cannot both be right.
fn contradictions(rows: &[Row]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, holds) in rows.iter().enumerate() {
        for (other, violated) in rows.iter().enumerate() {
            let is_pair = holds.said == Said::Holds && violated.said == Said::Violated;
            if at != other && is_pair && implies(holds.notion, violated.notion) {
                found.push(format!(
                    "it holds ({}{}) and is violated ({}{})",
                    holds.name,
                    under(holds.notion),
                    violated.name,
                    under(violated.notion)
                ));
            }
        }
    }
    found
}

fn under(notion: Option<Notion>) -> String {
    match notion {
        None => String::new(),
        Some(Notion::None) => ", no fairness".to_owned(),
        Some(notion) => format!(", {notion}"),
    }
}

/// A number of bytes in few characters.
fn memory(bytes: usize) -> String {
    match bytes {
        // Less than the allocator takes at a time is noise.
        0..0x1_0000 => "< 64 KiB".to_owned(),
        0x1_0000..0xa0_0000 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}

fn table(compared: &Compared, width: usize) -> String {
    let Compared { title, rows, contradictions, .. } = compared;
    let mut out = format!("{}\n", in_line(title));
    // As narrow as the contents allow, so that all columns fit a terminal.
    let widest = |heading: &str, cell: &dyn Fn(&Row) -> String| {
        let answered = rows.iter().filter(|row| !matches!(row.said, Said::Refused(_)));
        answered.map(|row| cell(row).chars().count()).max().unwrap_or(0).max(heading.len())
    };
    let time = |row: &Row| format!("{:.2} s", row.time.as_secs_f64());
    let wide = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let nodes = widest("nodes", &|row| row.nodes.to_string());
    let steps = widest("steps", &|row| row.steps.to_string());
    let times = widest("time", &time);
    let bytes = widest("memory", &|row| memory(row.bytes));
    let engines = widest("engine", &|row| row.engine.to_owned());
    let mut last = None;
    for row in rows {
        if last != Some(row.notion) {
            last = Some(row.notion);
            let heading = match row.notion {
                None => "no fairness bears on it".to_owned(),
                Some(Notion::None) => "under no fairness".to_owned(),
                Some(notion) => format!("under {notion}"),
            };
            let _ = writeln!(
                out,
                "\n  {heading}\n    {:wide$}  {:8}  {:>nodes$}  {:>steps$}  {:>times$}  {:>bytes$}  engine",
                "", "answer", "nodes", "steps", "time", "memory"
            );
        }
        let numbers = match &row.said {
            Said::Refused(_) => String::new(),
            _ => format!(
                "{:>nodes$}  {:>steps$}  {:>times$}  {:>bytes$}  {:engines$}",
                row.nodes,
                row.steps,
                time(row),
                memory(row.bytes),
                row.engine
            ),
        };
        let line = format!("    {:wide$}  {:8}  {numbers}", row.name, row.said.word());
        let line = line.trim_end();
        let room = width.saturating_sub(line.chars().count() + 2);
        let more = match &row.said {
            Said::Unknown(why) | Said::Refused(why) => clipped(why, room),
            // Half a sentence says nothing; the JSON form has all of it.
            _ if row.reductions.chars().count() > room => String::new(),
            _ => row.reductions.clone(),
        };
        let _ = writeln!(out, "{}", format!("{line}  {more}").trim_end());
    }
    out.push('\n');
    for contradiction in contradictions {
        let _ = writeln!(out, "  CONTRADICTION: {contradiction}");
    }
    out
}

/// Suggestion from the answers: the fairness that the first question needs that does not hold without.
fn next(compared: &[Compared], setting: &Setting) -> Suggestion {
    let usual = |it: &Compared, wanted: &Said| {
        let mut rows = it.rows.iter().filter(|row| row.name == "as usual");
        rows.find(|row| row.said == *wanted).map(|row| row.notion)
    };
    let violated =
        compared.iter().find(|it| it.rows.first().is_some_and(|row| row.said == Said::Violated));
    let Some(violated) = violated else {
        return setting.after_table(Urgency::Holds, "");
    };
    let fairness = match usual(violated, &Said::Holds) {
        Some(Some(notion)) => options_of(notion),
        _ => Vec::new(),
    };
    setting.checking(fairness, &violated.choice)
}

fn document(model: &Model, compared: &Compared) -> Value {
    let rows: Vec<Value> = compared
        .rows
        .iter()
        .map(|row| {
            let why = match &row.said {
                Said::Unknown(why) | Said::Refused(why) => Some(why),
                _ => None,
            };
            json!({
                "fairness": row.notion.map(|notion| match notion {
                    Notion::None => "no fairness".to_owned(),
                    notion => notion.to_string(),
                }),
                "way": row.name,
                "engine": row.engine,
                "outcome": row.said.word(),
                "why": why,
                "states": row.states,
                "nodes": row.nodes,
                "steps": row.steps,
                "seconds": row.time.as_secs_f64(),
                "bytes": row.bytes,
                "reductions": row.reductions,
            })
        })
        .collect();
    json!({
        "schema": "fairly.compare/1",
        "file": model.files.join(" "),
        "title": compared.title,
        "answers": rows,
        "contradictions": compared.contradictions,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(notion: Notion, said: Said) -> Row {
        Row {
            notion: Some(notion),
            name: "as usual".to_owned(),
            said,
            states: 0,
            nodes: 0,
            steps: 0,
            engine: Engine::general().name,
            reductions: String::new(),
            time: Duration::ZERO,
            bytes: 0,
        }
    }

    #[test]
    fn answers_that_cannot_both_be_right_are_found() {
        let (weak, strong) = (Notion::Weak(Level::Process), Notion::Strong(Level::Process));
        let of = |rows: &[Row]| contradictions(rows).len();
        assert_eq!(of(&[row(weak, Said::Violated), row(strong, Said::Holds)]), 0);
        assert_eq!(of(&[row(weak, Said::Holds), row(strong, Said::Violated)]), 1);
        assert_eq!(of(&[row(Notion::None, Said::Holds), row(strong, Said::Violated)]), 1);
        assert_eq!(of(&[row(weak, Said::Holds), row(weak, Said::Violated)]), 1);
        let open = Said::Unknown("stopped".to_owned());
        assert_eq!(of(&[row(weak, Said::Holds), row(weak, open)]), 0);
        let other = Notion::Strong(Level::Event);
        assert_eq!(of(&[row(weak, Said::Holds), row(other, Said::Violated)]), 0);
    }
}
