//! `fairly check --report table`: every question without fairness, under weak and under strong fairness,
//! and beside it what SPIN says of a Promela model, if SPIN is installed.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use fairly_check::claim::ClaimOutcome;
use fairly_check::promela::{self, Stored};
use fairly_check::{Options, Outcome, Property};
use fairly_fairness::{Level, Notion};
use fairly_report::comparison::{self, Answers, Count, Row, Said};
use fairly_report::json;
use fairly_source::Style;
use fairly_system::ActionId;

use super::arguments::{Check, Format};
use super::differences::{Difference, What, known};
use super::file::File;
use super::guard::{self, guarded};
use super::load::{self, Loaded, Properties, Read};
use super::next::{Setting, Suggestion, Urgency};
use super::questions::{Asked, Question, Questions};
use super::selection::{Files, is_promela};
use super::several::{Names, worst};
use super::spin::{About, Runs, Session, Silence, Spin};
use super::{properties, tally::Counts};
use crate::failure::{self, Absent, Failure};
use crate::output;

/// How long SPIN may take for one search if nothing is said.
const PATIENCE: Duration = Duration::from_secs(60);

/// Prints the table of all questions of the models, and gives the exit code that the verdicts have
/// without it.
pub(super) fn table(
    request: &Check,
    own: &dyn Fn(&[String]) -> Result<Check, Failure>,
    models: &[Files],
    style: Style,
) -> Result<ExitCode, Failure> {
    if request.about_fairness().is_some() || request.ladder || request.trace.is_some() {
        return Err(Failure::usage(
            "--report table is about verdicts: leave out --machine-closed, --feasible, --ladder and \
             --trace",
        ));
    }
    let spin = models.iter().any(is_promela).then(|| match request.run_spin {
        true => Spin::find(patience(request)),
        false => Err("--run-spin was not given".to_owned()),
    });
    let asked = spin.as_ref().and_then(|found| found.as_ref().ok());
    let (mut rows, mut codes, mut names) = (Vec::new(), Vec::new(), Names::default());
    let mut next: Option<Suggestion> = None;
    for files in models {
        let found = own(files).and_then(|mut own| {
            own.model.elsewhere = if models.len() > 1 { request.names() } else { Vec::new() };
            guarded(&files.join(" "), || of_model(&own, files, asked))?.map_err(Failure::Internal)
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
            Err(Failure::NoSuchName(absent)) if names.may_be_elsewhere(request, &absent) => {
                names.learn(absent);
            }
            Err(failure) => {
                codes.push(failure.code());
                failure.report(style);
            }
        }
    }
    let nowhere = names.nowhere();
    codes.extend(nowhere.as_ref().map(Failure::code));
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

/// What a row suggests: to see the run, where there is one.
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
) -> Result<(), Failure> {
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

/// What came of one model.
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
fn of_model(request: &Check, files: &Files, spin: Option<&Spin>) -> Result<Found, Failure> {
    let stem = Path::new(&files[0]).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    match load::read(files, &request.model)? {
        Read::Network(mut loaded) => of_network(request, &stem, &mut loaded),
        Read::File(mut file) => of_file(request, &stem, &mut file, spin),
    }
}

/// What is asked of formulas: under no, weak and strong fairness, and under what the command or the
/// model asks for, if that is none of these.
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
    fn of(verdict: &fairly_check::Answer) -> Answer {
        let is_idle = |found: &fairly_check::Counterexample| {
            found.run.cycle.iter().any(|step| step.action == ActionId::IDLE)
        };
        let (said, stops) = match &verdict.outcome {
            Outcome::Holds(_) => (Said::Holds, false),
            Outcome::Violated(found) => (Said::Violated, is_idle(found)),
            Outcome::Doomed(_) => (Said::Violated, false),
            Outcome::Unknown(_) => (Said::Unknown, false),
        };
        let states = verdict.stamp.exhaustive.then_some(verdict.stamp.system.0);
        Answer { said, stops, states }
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

fn of_network(request: &Check, model: &str, loaded: &mut Loaded) -> Result<Found, Failure> {
    let own = request.assumption(loaded)?.notion;
    let notions = notions(own);
    let (mut rows, mut counts) = (Vec::new(), Counts::default());
    let Properties { asked, absent } = properties(&request.model, loaded)?;
    for mut property in asked {
        let mut answers = Vec::new();
        for &notion in &notions {
            let assumption = load::assumption(notion, &request.constraints, loaded)?;
            let network = &mut loaded.network;
            let options = request.model.whole()?;
            let verdict = fairly_check::check(network, &mut property, &assumption, &options)?;
            answers.push(Answer::of(&verdict));
        }
        let at = notions.iter().position(|notion| *notion == own).unwrap_or(0);
        count(&mut counts, answers[at].said, request.model.expected(&property.name));
        rows.push(alone(model, &property.name, &answers, states(&answers)));
    }
    Ok(Found { rows, counts, absent, broken: false })
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
) -> Result<Found, Failure> {
    let options = request.model.whole()?;
    let own = request.notion(file.is_annotated());
    let notions = notions(own);
    let Questions { asked: mut questions, absent } = file.chosen(&request.model)?;
    let mut counter = file.counter(&request.model)?;
    let whole = file.promela().map_or(String::new(), |file| file.flat().to_owned());
    let mut session = match (spin, &counter) {
        (Some(spin), Some(_)) => Some(spin.open(whole).map_err(|error| {
            Failure::usage(format!("cannot make a temporary directory for SPIN: {error}"))
        })?),
        _ => None,
    };
    let (mut rows, mut counts, mut broken) = (Vec::new(), Counts::default(), false);
    for at in 0..questions.len() {
        let Question { title, system, asked, of_promela, .. } = &mut questions[at];
        let (title, system, of_promela) = (title.clone(), *system, of_promela.clone());
        let done = guarded(&title, || {
            Ok(match asked {
                Asked::Formula(property, _) => {
                    let answers = under_each(request, file, system, property, &notions, &options)?;
                    (answers, notions.iter().position(|notion| *notion == own).unwrap_or(0))
                }
                Asked::Claim(claimed) => {
                    let bounds = request.model.options()?.bounds;
                    let verdict = file.claim(claimed, system, bounds)?;
                    let (said, all) = match verdict.outcome {
                        ClaimOutcome::Holds(shown) => (Said::Holds, shown.is_none()),
                        ClaimOutcome::Violated(shown) => (Said::Violated, shown.is_none()),
                        ClaimOutcome::Unknown(_) => (Said::Unknown, false),
                    };
                    let states = verdict.size.filter(|_| all).map(|size| size.states);
                    (vec![Answer { said, stops: false, states }], 0)
                }
            })
        })?;
        let (answers, own) = match done {
            Ok(answered) => answered,
            Err(bug) => {
                broken = true;
                guard::report(&request.model.files, &title, &bug, Some(file.interpreter(system)));
                file.read_again(&request.model)?;
                questions = file.chosen(&request.model)?.asked;
                (vec![Answer { said: Said::Unknown, stops: false, states: None }], 0)
            }
        };
        count(&mut counts, answers[own].said, request.model.expected(&title));
        let stored = match (&mut counter, &of_promela) {
            (Some(counter), Some(question)) => counter.stored(question, &options).ok(),
            _ => None,
        };
        let number = stored.map_or_else(|| states(&answers), in_table);
        let mut row = alone(model, &title, &answers, number);
        if let (Some(session), Some(question)) = (&mut session, &of_promela) {
            let about = about(question, &title);
            let comparable = request.constraints.is_empty() || answers.len() == 1;
            Beside { session, model: file.text(), about, comparable }
                .compare(&mut row, &answers, stored);
        }
        rows.push(row);
    }
    Ok(Found { rows, counts, absent, broken })
}

/// The answers under each notion.
fn under_each(
    request: &Check,
    file: &mut File,
    system: fairly_check::SystemIndex,
    property: &mut Property,
    notions: &[Notion],
    options: &Options,
) -> Result<Vec<Answer>, Failure> {
    let mut answers = Vec::new();
    for &notion in notions {
        let options = &Options { bounds: request.model.options()?.bounds, ..*options };
        let bounds = options.bounds;
        let assumption = file.assumption(notion, &request.constraints, system, bounds)?;
        let interpreter = file.interpreter(system);
        let verdict = fairly_check::check(interpreter, property, &assumption, options)?;
        answers.push(Answer::of(&verdict));
    }
    Ok(answers)
}

fn in_table(stored: Stored) -> Count {
    match stored {
        Stored::AsSpin(count) | Stored::UpToErrors(count) => Count::States(count),
        Stored::OwnAutomaton(count) => Count::OwnAutomaton(count),
    }
}

/// What SPIN is asked for a question.
fn about(question: &promela::Question, title: &str) -> About {
    match question {
        promela::Question::Errors => About::Assertions,
        promela::Question::EndStates => About::EndStates,
        promela::Question::Progress => About::Progress,
        promela::Question::Acceptance => About::Acceptance,
        promela::Question::Formula(_) | promela::Question::Never(_) => {
            About::Claim(title.to_owned())
        }
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

fn silent(why: &Silence) -> String {
    format!("SPIN: {why}")
}
