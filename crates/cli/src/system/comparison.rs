//! `fairly check --report table`: every question without fairness, under weak and under strong fairness,
//! and beside it what SPIN says of a Promela model, if SPIN is installed.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use fairly_check::claim::Effort;
use fairly_check::{Asked, Options, Stored, Verdict, with_system};
use fairly_fairness::{Level, Notion};
use fairly_front::loaded::Kind;
use fairly_report::comparison::{self, Answers, Count, Row, Said};
use fairly_report::json;
use fairly_source::Style;

use super::arguments::{Check, Format};
use super::differences::{Difference, What, known};
use super::file::File;
use super::guard::{self, guarded};
use super::load;
use super::next::{Setting, Suggestion, Urgency};
use super::questions::{Question, Questions};
use super::selection::{Files, is_of_spin};
use super::several::{Names, worst};
use super::spin::{About, Runs, Session, Spin, SpinError};
use super::tally::Counts;
use crate::failure::{self, Absent, CliError};
use crate::output;

/// How long SPIN may take for one search if nothing is said.
const PATIENCE: Duration = Duration::from_secs(60);

/// Prints the table of all questions of the models, and gives the exit code that the verdicts have
/// without it.
pub(super) fn table(
    request: &Check,
    own: &dyn Fn(&[String]) -> Result<Check, CliError>,
    models: &[Files],
    style: Style,
) -> Result<ExitCode, CliError> {
    if request.about_fairness().is_some() || request.ladder || request.trace.is_some() {
        return Err(CliError::usage(
            "--report table is about verdicts: leave out --machine-closed, --feasible, --ladder and \
             --trace",
        ));
    }
    let spin = models.iter().any(is_of_spin).then(|| match request.run_spin {
        true => Spin::find(patience(request)),
        false => Err("--run-spin was not given".to_owned()),
    });
    let asked = spin.as_ref().and_then(|found| found.as_ref().ok());
    let (mut rows, mut codes, mut names) = (Vec::new(), Vec::new(), Names::default());
    let mut next: Option<Suggestion> = None;
    for files in models {
        let found = own(files).and_then(|mut own| {
            own.model.elsewhere = if models.len() > 1 { request.names() } else { Vec::new() };
            guarded(&files.join(" "), || of_model(&own, files, asked))?.map_err(CliError::Internal)
        });
        match found {
            Ok(Found { rows: found, counts, absent, broken }) => {
                names.learn(absent);
                for row in &found {
                    let new = suggestion(row, &request.setting(files));
                    if next.as_ref().is_none_or(|next| new.urgency < next.urgency) {
                        next = Some(new);
                    }
                }
                rows.extend(found);
                codes.push(if broken { failure::INTERNAL } else { counts.code() });
            }
            // A property with that name need not be in every model.
            Err(CliError::NoSuchName(absent)) if names.may_be_elsewhere(request, &absent) => {
                names.learn(absent);
            }
            Err(failure) => {
                codes.push(failure.code());
                failure.report(style);
            }
        }
    }
    let nowhere = names.nowhere();
    codes.extend(nowhere.as_ref().map(CliError::code));
    if !rows.is_empty() {
        print(&rows, request.model.format, spin.as_ref(), next.as_ref())?;
    }
    if let Some(nowhere) = nowhere {
        nowhere.report(style);
    }
    Ok(ExitCode::from(worst(codes.into_iter())))
}

fn patience(request: &Check) -> Duration {
    let asked = request.model.seconds().and_then(|it| Duration::try_from_secs_f64(it).ok());
    asked.unwrap_or(PATIENCE)
}

/// Suggestion from a row: to see the run, where there is one.
fn suggestion(row: &Row, setting: &Setting) -> Suggestion {
    let has = |wanted: Said| row.fairly.said.contains(&wanted);
    let urgency = match (has(Said::Violated), has(Said::Unknown)) {
        (true, _) => Urgency::Violated,
        (_, true) => Urgency::Unknown,
        _ => Urgency::Holds,
    };
    setting.after_table(urgency, &row.question)
}

fn print(
    rows: &[Row],
    format: Format,
    spin: Option<&Result<Spin, String>>,
    next: Option<&Suggestion>,
) -> Result<(), CliError> {
    let text = match format {
        Format::Human => {
            let remark = match spin {
                None => String::new(),
                Some(Ok(spin)) => format!("{}\n", spin.version),
                Some(Err(missing)) => {
                    format!("SPIN was not asked, so its columns are left out: {missing}\n")
                }
            };
            let next = next.map_or(String::new(), Suggestion::line);
            comparison::text(rows, output::width()) + &remark + &next
        }
        _ => json::text(&comparison::json(rows)),
    };
    output::write(&text, None)
}

/// Results for one model.
struct Found {
    rows: Vec<Row>,
    /// How its verdicts count.
    counts: Counts,
    /// Names of the arguments that it does not have.
    absent: Vec<Absent>,
    /// Whether a bug was in the way of an answer.
    broken: bool,
}

/// The rows of one model.
fn of_model(request: &Check, files: &Files, spin: Option<&Spin>) -> Result<Found, CliError> {
    let stem = Path::new(&files[0]).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut file = load::read(files, &request.model)?;
    of_file(request, &stem, &mut file, spin)
}

/// Notions that formulas are asked under: no, weak and strong fairness, and that of the command or the model,
/// if it is none of these.
fn notions(own: Notion) -> Vec<Notion> {
    let mut all = vec![Notion::None, Notion::Weak(Level::Process), Notion::Strong(Level::Process)];
    if !all.contains(&own) {
        all.push(own);
    }
    all
}

/// A verdict, as far as a table needs it.
struct Answer {
    said: Said,
    /// Whether nothing happens any more on the run that shows a violation.
    stops: bool,
    /// The states of the system, if all were looked at.
    states: Option<usize>,
}

impl Answer {
    fn of(verdict: &Verdict) -> Answer {
        let said = match verdict.outcome {
            fairly_check::Said::Holds => Said::Holds,
            fairly_check::Said::Violated => Said::Violated,
            fairly_check::Said::Unknown => Said::Unknown,
        };
        // A step without a process is taken only where nothing else happens.
        let stops = verdict.violation().is_some_and(|(run, _)| {
            run.steps[run.stem()..].iter().any(|step| step.parts.is_empty())
        });
        Answer { said, stops, states: verdict.stamp.states.filter(|_| verdict.stamp.exhaustive) }
    }
}

/// The states in the answers, where some search looked at all of them.
fn states(answers: &[Answer]) -> Count {
    let known = answers.iter().find_map(|answer| answer.states);
    known.map_or(Count::Unknown, Count::States)
}

/// Adds the verdict that counts for the exit code; one that is expected counts as one that holds.
fn count(counts: &mut Counts, said: Said, expected: Option<&str>) {
    let as_expected = match said {
        Said::Holds => expected.is_none_or(|expected| expected == "holds"),
        Said::Violated => expected == Some("violated"),
        Said::Unknown | Said::NotAsked => {
            counts.unknown += 1;
            return;
        }
    };
    match as_expected {
        true => counts.holding += 1,
        false => counts.violated += 1,
    }
}

/// A row without another tool.
fn alone(model: &str, question: &str, answers: &[Answer], stored: Count) -> Row {
    let said = answers.iter().map(|answer| answer.said).collect();
    Row {
        model: model.to_owned(),
        question: question.to_owned(),
        fairly: Answers { said, stored },
        spin: None,
        differs: false,
        why: String::new(),
    }
}

fn of_file(
    request: &Check,
    model: &str,
    file: &mut File,
    spin: Option<&Spin>,
) -> Result<Found, CliError> {
    let options = request.model.whole()?;
    let own = request.notion(file.systems.loaded().is_annotated);
    let notions = notions(own);
    let Questions { asked: mut questions, absent } = file.some_questions(&request.model)?;
    let mut counter = file.counter(&request.model)?;
    let mut session = match (spin, &file.systems.loaded().exported) {
        (Some(spin), Some(whole)) => Some(spin.open(whole.clone()).map_err(|error| {
            CliError::usage(format!("cannot make a temporary directory for SPIN: {error}"))
        })?),
        _ => None,
    };
    let (mut rows, mut counts, mut broken) = (Vec::new(), Counts::default(), false);
    for at in 0..questions.len() {
        let question = &mut questions[at];
        let (title, system, number) =
            (question.title.clone(), question.system(), question.bound.at);
        let done = guarded(&title, || match &question.bound.asked {
            Asked::Formula(..) => {
                let answers = under_each(request, file, question, &notions, &options)?;
                Ok((answers, notions.iter().position(|notion| *notion == own).unwrap_or(0)))
            }
            Asked::Claim(claimed) => {
                let bounds = request.model.options()?.bounds;
                let effort = Effort { fairness: Some(own), ..bounds.into() };
                let answer = file.systems.claim(claimed, system, effort);
                let answer = answer.map_err(|why| file.unanswered(why))?;
                let verdict = file.systems.recorded(system, answer, &title).verdict;
                Ok((vec![Answer::of(&verdict)], 0))
            }
        })?;
        let (answers, own) = match done {
            Ok(answered) => answered,
            Err(bug) => {
                broken = true;
                with_system!(file.system(system)?, system => {
                    guard::report(&request.model.files, &title, &bug, Some(system));
                });
                file.systems.restart();
                questions = file.chosen(&request.model)?.asked;
                (vec![Answer { said: Said::Unknown, stops: false, states: None }], 0)
            }
        };
        count(&mut counts, answers[own].said, request.model.expected(&title));
        let stored = counter.as_mut().and_then(|counter| {
            let mut question = counter.bind(number).ok()?;
            counter.stored(&mut question, &options)?.ok()
        });
        let count = stored.map_or_else(|| states(&answers), in_table);
        let mut row = alone(model, &title, &answers, count);
        if let Some(session) = &mut session {
            let loaded = file.systems.loaded();
            let about = about(loaded.questions[number].kind, &title);
            let comparable = request.constraints.is_empty() || answers.len() == 1;
            let model = loaded.text.as_deref().unwrap_or_default();
            Beside { session, model, about, comparable }.compare(&mut row, &answers, stored);
        }
        rows.push(row);
    }
    Ok(Found { rows, counts, absent, broken })
}

/// The answers under each notion.
fn under_each(
    request: &Check,
    file: &mut File,
    question: &mut Question,
    notions: &[Notion],
    options: &Options,
) -> Result<Vec<Answer>, CliError> {
    let system = question.system();
    let Some(property) = question.bound.property() else { return Ok(Vec::new()) };
    let mut answers = Vec::new();
    for &notion in notions {
        let options = &Options { bounds: request.model.options()?.bounds, ..*options };
        let assumption = file.assumption(notion, &request.constraints, system, options.bounds)?;
        let verdict = with_system!(file.system(system)?, system => {
            fairly_check::check(system, property, &assumption, options)?
                .record(system, property, None)
        });
        answers.push(Answer::of(&verdict));
    }
    Ok(answers)
}

fn in_table(stored: Stored) -> Count {
    match stored {
        Stored::Same(count) | Stored::UpToErrors(count) => Count::States(count),
        Stored::OwnAutomaton(count) => Count::OwnAutomaton(count),
    }
}

/// Question to SPIN.
fn about(kind: Kind, title: &str) -> About {
    match kind {
        Kind::Errors => About::Assertions,
        Kind::EndStates => About::EndStates,
        Kind::Progress => About::Progress,
        Kind::Acceptance => About::Acceptance,
        _ => About::Claim(title.to_owned()),
    }
}

/// SPIN beside one question of a model.
struct Beside<'a, 'b> {
    session: &'a mut Session<'b>,
    model: &'a str,
    about: About,
    /// Whether SPIN can assume what was assumed.
    comparable: bool,
}

impl Beside<'_, '_> {
    /// Asks SPIN the same and fills in the row.
    fn compare(mut self, row: &mut Row, answers: &[Answer], stored: Option<Stored>) {
        let mut reasons: Vec<String> = Vec::new();
        let mut said = Vec::new();
        for (answer, runs) in answers.iter().zip([Runs::All, Runs::WeaklyFair]) {
            if !self.comparable {
                said.push(Said::NotAsked);
                continue;
            }
            let (spin, reason) = self.verdict(answer, runs);
            said.push(spin);
            row.differs |=
                spin != Said::Unknown && answer.said != Said::Unknown && spin != answer.said;
            reasons.extend(reason);
        }
        let cycles = said.contains(&Said::Violated) && answers.len() > 1;
        let (count, reason) = self.states(stored, cycles);
        let differs = |here: Stored, there: Count| match (in_table(here), there) {
            (Count::States(here), Count::States(there)) => here != there,
            _ => false,
        };
        row.differs |= stored.is_some_and(|stored| differs(stored, count));
        reasons.extend(reason);
        reasons.dedup();
        row.spin = Some(Answers { said, stored: count });
        row.why = reasons.join("; ");
    }

    /// SPIN's verdict, and why it differs or is missing.
    fn verdict(&mut self, answer: &Answer, runs: Runs) -> (Said, Option<String>) {
        let holds = match self.session.holds(&self.about, runs) {
            Ok(holds) => holds,
            Err(silence) => return (Said::Unknown, Some(silent(&silence))),
        };
        let what = match (answer.said, holds) {
            (Said::Violated, true) => What::OnlyFairlyFindsIt { runs, stops: answer.stops },
            (Said::Holds, false) => What::OnlySpinFindsIt { runs },
            _ => return (if holds { Said::Holds } else { Said::Violated }, None),
        };
        (if holds { Said::Holds } else { Said::Violated }, Some(self.explain(what)))
    }

    /// SPIN's number of states, and why it differs or is missing; `cycles` if it reports cycles.
    fn states(&mut self, stored: Option<Stored>, cycles: bool) -> (Count, Option<String>) {
        let own_automaton = matches!(stored, Some(Stored::OwnAutomaton(_)));
        let count = match self.session.stored(&self.about) {
            Ok(count) if own_automaton => return (Count::OwnAutomaton(count), None),
            Ok(count) => count,
            // Nothing would be compared.
            Err(_) if own_automaton => return (Count::Unknown, None),
            Err(silence) => return (Count::Unknown, Some(silent(&silence))),
        };
        let reason = stored.filter(|here| here.count() != count).map(|here| {
            self.explain(What::States {
                up_to_errors: matches!(here, Stored::UpToErrors(_)),
                more_with_cycles: cycles && count > here.count(),
            })
        });
        (Count::States(count), reason)
    }

    fn explain(&self, what: What) -> String {
        let difference = Difference { model: self.model, about: &self.about, what };
        match known(&difference) {
            Some(known) => format!("{}: {}", known.says, known.page),
            None => "not known: please report this model".to_owned(),
        }
    }
}

fn silent(why: &SpinError) -> String {
    format!("SPIN: {why}")
}
