//! `fairly watch`: an algorithm on a small model, one event after the other.

use std::fmt::Write;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use fairly_omega::Automaton;
use fairly_omega::emptiness::{Event, degeneralization};
use fairly_search::engines::{Engine, Question};
use fairly_source::escape::in_line;
use fairly_translate::{Explanation, gpvw_explained};
use serde_json::{Value, json};

use super::arguments::{FairnessName, Format, LevelName, Model};
use super::graph::{Fair, MOST, Which, automata, too_many};
use super::load;
use crate::failure::CliError;
use crate::{output, stepping};

/// Algorithm to watch, and on which part of a check.
#[derive(Args)]
pub(crate) struct Watch {
    #[command(flatten)]
    pub(crate) model: Model,
    /// Algorithm to watch.
    #[arg(long, value_enum, default_value_t = Algorithm::Search)]
    algorithm: Algorithm,
    /// Part of the check that it works on: without a formula the system with its fairness, otherwise the product
    /// with the automaton of the negated formula.
    #[arg(long, value_enum, value_name = "OBJECT")]
    object: Option<Which>,
    /// The fairness that the runs are to have. Without it: the model's annotations if it has any, else none.
    #[arg(long, value_enum, value_name = "NOTION")]
    fairness: Option<FairnessName>,
    /// Subject of weak and strong fairness.
    #[arg(long, value_enum, default_value_t = LevelName::Process)]
    level: LevelName,
    /// A further constraint, written as for `fairly check`.
    #[arg(long = "constraint", value_name = "CONSTRAINT")]
    constraints: Vec<String>,
}

/// Algorithm to watch.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Algorithm {
    /// The search for a fair run that violates the formula, by the engine that --engine names.
    Search,
    /// The generalized Büchi condition as one set: which steps wait for a set and which pass it.
    Degeneralization,
    /// The translation of the negated formula by Gerth, Peled, Vardi and Wolper.
    Gpvw,
}

pub(crate) fn watch(request: &Watch) -> Result<ExitCode, CliError> {
    if !matches!(request.model.format, Format::Human | Format::Json) {
        return Err(CliError::usage("this command prints --format human or json"));
    }
    if request.algorithm == Algorithm::Gpvw {
        return tableau(request);
    }
    let has_formula = !request.model.formulas.is_empty() || !request.model.properties.is_empty();
    let object = request.object.unwrap_or(match has_formula {
        true => Which::Product,
        false => Which::Fair,
    });
    let fair = Fair {
        fairness: request.fairness,
        level: request.level,
        constraints: &request.constraints,
    };
    let most = request.model.options()?.bounds.nodes.unwrap_or(MOST);
    let built = automata(&request.model, object, &fair, most)?;
    request.model.quiet();
    let Some(built) = built else { return Ok(too_many(most)) };
    for automaton in built {
        let (name, events) = request.events(&automaton)?;
        request.print(name, &automaton, &events)?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Watch {
    /// The algorithm that was watched, and what it did.
    fn events(&self, automaton: &Automaton) -> Result<(&'static str, Vec<Event>), CliError> {
        let mut graph = automaton.graph();
        if self.algorithm == Algorithm::Degeneralization {
            let events = degeneralization(&mut graph);
            let events = events.map_err(|undecided| CliError::usage(undecided.to_string()))?;
            let why = || {
                let condition = automaton.acceptance();
                CliError::usage(format!(
                    "{condition} is not generalized Büchi: try --fairness weak"
                ))
            };
            return Ok(("degeneralization", events.ok_or_else(why)?));
        }
        let chosen = self.model.options()?.engine;
        let engine =
            chosen.unwrap_or_else(|| Engine::planned(Question::Runs, automaton.acceptance()));
        let mut events = Vec::new();
        let answer = engine.find_path_observed(&mut graph, &mut events);
        answer.map_err(|undecided| CliError::usage(undecided.to_string()))?;
        Ok((engine.name, events))
    }

    fn print(&self, name: &str, automaton: &Automaton, events: &[Event]) -> Result<(), CliError> {
        let source = self.model.files.join(" ");
        if self.model.format == Format::Json {
            let document = json!({
                "schema": "fairly.watch/1",
                "source": source,
                "algorithm": name,
                "graph": stepping::graph(automaton),
                "events": events,
            });
            return written(&document);
        }
        let mut head = format!("{}   {name} · {} steps\n", in_line(&source), events.len());
        let _ = writeln!(head, "  {}", automaton.acceptance());
        head.push_str(&stepping::legend(automaton));
        stepping::show(&head, stepping::of_search(events))
    }
}

/// The translation of the negated formula.
fn tableau(request: &Watch) -> Result<ExitCode, CliError> {
    let model = &request.model;
    let mut file = load::read(&model.files, model)?;
    let mut questions = file.questions(model)?;
    questions.retain(|question| question.formula().is_some());
    let [question] = questions.as_mut_slice() else {
        return Err(CliError::Usage {
            message: format!("this is about one formula, and there are {}", questions.len()),
            help: Some("choose one with -p NAME, or give one with -f LTL".to_owned()),
        });
    };
    let property = question.bound.property();
    let property = property.filter(|property| property.is_formula()).ok_or_else(|| {
        CliError::usage("a never claim is an automaton already, so there is nothing to translate")
    })?;
    let negated = property.formulas.negate(property.formula);
    let limits = model.options()?.translation.limits;
    let (automaton, explanation) = gpvw_explained(&mut property.formulas, negated, limits)?;
    model.quiet();
    let source = model.files.join(" ");
    if model.format == Format::Json {
        let Explanation { formula, steps, states } = &explanation;
        let document = json!({
            "schema": "fairly.watch/1",
            "source": source,
            "algorithm": "gpvw",
            "formula": formula,
            "graph": stepping::graph(&automaton),
            "events": steps,
            "states": states,
        });
        written(&document)?;
        return Ok(ExitCode::SUCCESS);
    }
    let head = format!(
        "{}   gpvw · {} steps\n  {}\n",
        in_line(&source),
        explanation.steps.len(),
        in_line(&explanation.formula)
    );
    stepping::show(&head, stepping::of_tableau(&explanation))?;
    Ok(ExitCode::SUCCESS)
}

fn written(document: &Value) -> Result<(), CliError> {
    output::write(&format!("{document:#}\n"), None)
}
