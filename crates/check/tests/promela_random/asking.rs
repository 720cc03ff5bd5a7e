//! Answers of Fairly about a program.

use fairly_check::{Assumption, Options, Outcome, Property};
use fairly_explore::Explored;
use fairly_fairness::{Level, Notion};
use fairly_front::promela::{Options as Lowering, lower, parse};
use fairly_logic::Formulas;
use fairly_model::ModelSpace;
use fairly_omega::StateId;
use fairly_source::Diagnostic;
use fairly_system::{FaultKind, TransitionSystem};

use crate::common::languages::{PromelaFile, Question};
use crate::promela_random::program::{Form, Program};

/// States beyond which a program is left out.
pub(crate) const MOST: usize = 3_000;

/// The answer to a question that is named: a number or a verdict, 1 for a violation.
pub(crate) type Answer = (String, Option<usize>);

/// Answers to several questions.
pub(crate) type Answers = Vec<Answer>;

/// How many states there are outside atomic sequences, whether an assertion can fail, and whether
/// a run can end where it should not.
fn explore(text: &str, assertions: bool) -> Result<(usize, bool, bool), String> {
    let model = parse(text).map_err(|wrong| format!("not read: {}", wrong[0]))?;
    let options = Lowering { assertions, ..Lowering::new(text) };
    let lowered = lower(&model, options).map_err(|wrong| format!("refused: {}", wrong[0]))?;
    let mut system = Explored::new(ModelSpace::new(lowered.model, None));
    let deadlock = system.atom("deadlock").expect("every system has it");
    let holder = system.space().layout().holder;
    let (mut states, mut assertion, mut invalid_end) = (0, false, false);
    let mut steps = Vec::new();
    system.initial();
    let mut at = 0;
    while at < system.state_count() {
        if at > 8 * MOST {
            return Err("many states".to_owned());
        }
        let state = StateId::from_index(at);
        at += 1;
        if let Some(fault) = system.fault(state) {
            if fault.kind == FaultKind::Limit || !fault.message.starts_with("the assertion") {
                return Err(format!("fault: {}", fault.message));
            }
            assertion = true;
            continue;
        }
        steps.clear();
        system.enabled(state, &mut steps);
        let held = holder.is_some_and(|strip| strip.get(&system.row(state), 0) >= 0);
        states += usize::from(!held);
        invalid_end |= system.holds(state, deadlock);
    }
    Ok((states, assertion, invalid_end))
}

/// Whether a run can stop.
pub(crate) fn stops(program: &Program) -> bool {
    let Ok(mut file) = PromelaFile::parse(&program.text(Form::Progress), &[]) else { return false };
    let system = file.interpreter();
    let mut formulas = Formulas::new();
    let never = formulas.parse("[] !(\"deadlock\" || \"terminated\")").expect("a formula");
    let property = Property::bind("never", formulas, never, system).expect("every system has them");
    judge(&mut file, property, Notion::None) == Ok(1)
}

/// Answers of Fairly about a program.
///
/// # Errors
/// Why it says nothing.
pub(crate) fn fairly(program: &Program) -> Result<Answers, String> {
    let text = program.text(Form::Safety);
    let (states, _, invalid_end) = explore(&text, false)?;
    if states > MOST {
        return Err("many states".to_owned());
    }
    let (_, assertion, _) = explore(&text, true)?;
    let mut answers = vec![
        ("states".to_owned(), Some(states)),
        ("assertion violated".to_owned(), Some(usize::from(assertion))),
        ("invalid end state".to_owned(), Some(usize::from(invalid_end))),
    ];
    if program.has_label("accept") {
        let mut file = PromelaFile::without_assertions(&text, &[]).map_err(refused)?;
        // A label that no process comes to is not asked about.
        let asked = file.questions().contains(&Question::Acceptance);
        let both = match asked {
            true => both_ways(&mut file, &Question::Acceptance, program, None)?,
            false if program.has_provided() => vec![Some(0)],
            false => vec![Some(0), Some(0)],
        };
        answers.extend(named("acceptance", both));
    }
    if !program.formulas.is_empty() {
        let text = program.text(Form::Formulas);
        let mut file = PromelaFile::parse(&text, &[]).map_err(refused)?;
        let lowered = parse(&text).and_then(|model| lower(&model, Lowering::new(&text)));
        for (at, (name, written)) in lowered.map_err(refused)?.formulas.iter().enumerate() {
            let both = both_ways(&mut file, &Question::Formula(at), program, Some(written))?;
            answers.extend(named(name, both));
        }
    }
    if !program.never.is_empty() {
        let mut file = PromelaFile::parse(&program.text(Form::Never), &[]).map_err(refused)?;
        let mut both = both_ways(&mut file, &Question::Never(0), program, None)?;
        // Runs that stop: SPIN sees some that a claim matches, and others not.
        if both.last() == Some(&Some(1)) && both.len() > 1 && stops(program) {
            both[1] = None;
        }
        answers.extend(named("never", both));
    }
    if program.has_label("progress") {
        let mut file = PromelaFile::parse(&program.text(Form::Progress), &[]).map_err(refused)?;
        let both = both_ways(&mut file, &Question::Progress, program, None)?;
        answers.extend(named("progress", both));
    }
    Ok(answers)
}

/// Verdicts without and with fairness under the names of their questions.
pub(crate) fn named(name: &str, verdicts: Vec<Option<usize>>) -> Answers {
    let names = [name.to_owned(), format!("{name} fair")];
    names.into_iter().zip(verdicts).collect()
}

/// The verdict without fairness and, unless something is `provided`, with weak fairness; the formula
/// if the question is one.
fn both_ways(
    file: &mut PromelaFile,
    question: &Question,
    program: &Program,
    formula: Option<&String>,
) -> Result<Vec<Option<usize>>, String> {
    let property = file.property(question).map_err(refused)?.ok_or("no property")?;
    let mut verdicts = vec![Some(judge(file, property, Notion::None)?)];
    if program.has_provided() {
        return Ok(verdicts);
    }
    let weak = Notion::Weak(Level::Process);
    let property = file.property(question).map_err(refused)?.ok_or("no property")?;
    let mut verdict = Some(judge(file, property, weak)?);
    if let (Some(1), Some(formula)) = (verdict, formula) {
        // Runs that stop: SPIN sees some that violate a formula, and others not.
        let text = format!("(<> (\"deadlock\" || \"terminated\")) || ({formula})");
        let mut formulas = Formulas::new();
        let parsed = formulas.parse(&text).map_err(|wrong| wrong.to_string())?;
        let property = Property::bind("f", formulas, parsed, file.interpreter());
        let property = property.map_err(|unbound| unbound.to_string())?;
        verdict = Some(judge(file, property, weak)?).filter(|&it| it == 1);
    }
    verdicts.push(verdict);
    Ok(verdicts)
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn refused(wrong: Vec<Diagnostic>) -> String {
    format!("refused: {}", wrong[0])
}

fn judge(file: &mut PromelaFile, mut property: Property, notion: Notion) -> Result<usize, String> {
    let (assumption, options) = (Assumption::of(notion), Options::default());
    let verdict = fairly_check::check(file.interpreter(), &mut property, &assumption, &options);
    match verdict.map_err(|failure| format!("failure: {failure}"))?.outcome {
        Outcome::Holds(_) => Ok(0),
        Outcome::Violated(_) | Outcome::Doomed(_) => Ok(1),
        Outcome::Unknown(why) => Err(format!("unknown: {why}")),
    }
}
