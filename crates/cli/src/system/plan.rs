//! `fairly check --explain-plan`: how each question would be answered, and why so.

use std::fmt::Write;
use std::process::ExitCode;

use fairly_check::{Plan, WhyUnknown};
use fairly_report::{Look, Paint, counted, json};
use fairly_source::Style;
use fairly_source::escape::in_line;
use serde_json::{Value, json};

use super::arguments::{Check, Format};
use super::load;
use super::selection::Files;
use super::several::worst;
use crate::failure::{self, CliError};
use crate::output;

/// A question with its plan; what is no formula needs none.
struct Explained {
    title: String,
    formula: Option<String>,
    plan: Option<Result<Plan, WhyUnknown>>,
}

/// Prints the plans, and gives the exit code.
pub(super) fn explain(
    request: &Check,
    own: &dyn Fn(&[String]) -> Result<Check, CliError>,
    models: &[Files],
    style: Style,
) -> Result<ExitCode, CliError> {
    match request.model.format {
        Format::Human | Format::Json => {}
        _ => return Err(CliError::usage("--explain-plan prints --format human or json")),
    }
    let (mut text, mut documents, mut codes) = (String::new(), Vec::new(), vec![0]);
    for files in models {
        let name = files.join(" ");
        match own(files).and_then(|own| of_model(&own, files)) {
            Ok(explained) => {
                if models.len() > 1 {
                    let _ = writeln!(text, "── {}\n", in_line(&name));
                }
                for it in &explained {
                    if matches!(it.plan, Some(Err(_))) {
                        codes.push(failure::UNKNOWN);
                    }
                    text.push_str(&shown(it, &request.model.look));
                    documents.push(document(&name, it));
                }
            }
            Err(failure) if models.len() == 1 => return Err(failure),
            Err(failure) => {
                codes.push(failure.code());
                documents.extend(failure.documents(&name).iter().map(json::value));
                failure.report(style);
            }
        }
    }
    request.model.quiet();
    let text = match request.model.format {
        Format::Human => {
            let next = request.setting(&request.model.files).answered(&request.model);
            text + super::line(&next).trim_start()
        }
        _ => json::text(&Value::Array(documents)),
    };
    output::write(&text, None)?;
    Ok(ExitCode::from(worst(codes.into_iter())))
}

fn of_model(request: &Check, files: &[String]) -> Result<Vec<Explained>, CliError> {
    let mut all = Vec::new();
    let mut file = load::read(files, &request.model)?;
    let notion = request.notion(file.systems.loaded().is_annotated);
    for mut question in file.some_questions(&request.model)?.asked {
        let options = request.model.options_for(&question.names())?;
        let formula = question.formula().map(str::to_owned);
        let plan = match &formula {
            Some(_) => {
                let (constraints, bounds) = (&request.constraints, options.bounds);
                let assumed = file.assumption(notion, constraints, question.system(), bounds)?;
                file.systems.plan(&mut question.bound, &assumed, &options)
            }
            None => None,
        };
        all.push(Explained { title: question.title, formula, plan });
    }
    Ok(all)
}

fn shown(explained: &Explained, look: &Look) -> String {
    let Explained { title, formula, plan } = explained;
    let mut out = format!("{}\n", look.paint(Paint::Strong, &in_line(title)));
    let mut add = |name: &str, text: &str| {
        // The name stands where the first line is indented.
        let body = look.wrapped(22, text);
        let _ = write!(out, "   {name:18} {}", body.get(22..).unwrap_or_default());
    };
    match plan {
        None => {
            add("search", "reachable states, until one shows the answer");
            add("automaton", "none: it is no formula, so no fairness bears on it");
        }
        Some(Err(why)) => add("unknown", &why.to_string()),
        Some(Ok(plan)) => {
            if let Some(formula) = formula {
                add("formula", &formula.split_whitespace().collect::<Vec<&str>>().join(" "));
            }
            add("fairness", &of_fairness(plan));
            let (states, edges) = plan.automaton;
            let premises = match plan.premises {
                0 => String::new(),
                1 => ", 1 premise as marks".to_owned(),
                count => format!(", {count} premises as marks"),
            };
            let (states, edges) = (counted(states, "state"), counted(edges, "edge"));
            add("automaton", &format!("{states}, {edges}, of the negation{premises}"));
            add("acceptance", &format!("{}: {}", plan.class, plan.acceptance));
            add("engine", &format!("{}: {}", plan.engine.name, plan.engine.summary));
            add("", &plan.why);
            for reduction in &plan.reductions {
                let said = match &reduction.used {
                    Ok(how) => format!("used: {how}"),
                    Err(why) => format!("not used: {why}"),
                };
                add(reduction.name, &said);
            }
        }
    }
    out.push('\n');
    look.finish(out)
}

fn of_fairness(plan: &Plan) -> String {
    match plan.constraints.len() {
        0 => plan.fairness.clone(),
        1 => format!("{}: 1 constraint", plan.fairness),
        count => format!("{}: {count} constraints", plan.fairness),
    }
}

fn document(file: &str, explained: &Explained) -> Value {
    let Explained { title, formula, plan } = explained;
    let plan = match plan {
        None => json!({ "kind": "reachability" }),
        Some(Err(why)) => json!({ "kind": "unknown", "why": why.to_string() }),
        Some(Ok(plan)) => {
            let reductions: Vec<Value> = plan
                .reductions
                .iter()
                .map(|it| match &it.used {
                    Ok(how) => json!({ "name": it.name, "used": true, "how": how }),
                    Err(why) => json!({ "name": it.name, "used": false, "why": why }),
                })
                .collect();
            json!({
                "kind": "formula",
                "fairness": plan.fairness,
                "constraints": plan.constraints,
                "automaton": { "states": plan.automaton.0, "edges": plan.automaton.1 },
                "premises": plan.premises,
                "acceptance": { "class": plan.class, "condition": plan.acceptance },
                "engine": { "name": plan.engine.name, "why": plan.why },
                "reductions": reductions,
            })
        }
    };
    json!({
        "schema": "fairly.plan/1",
        "file": file,
        "title": title,
        "formula": formula,
        "plan": plan,
    })
}
