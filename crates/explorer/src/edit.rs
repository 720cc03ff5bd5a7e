//! Texts that are being edited: what is wrong with one, and saving it when that is asked for.

use fairly_check::{BindingError, SystemIndex};
use fairly_report::document::Problem;
use fairly_report::json;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::questions;
use crate::bench::Bench;
use crate::space::{Product, product};

/// A text that is being edited.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Edit {
    text: String,
    /// A formula that is tried on it.
    formula: Option<String>,
    /// Which contents of the file were edited.
    revision: Option<String>,
}

/// Everything that is wrong with a text, and the questions that it asks.
pub(crate) fn diagnose(bench: &mut Bench, request: &Edit) -> Result<Value, Vec<Problem>> {
    let files = bench.model.files();
    let name = files.first().map_or("model", String::as_str).to_owned();
    let systems = match bench.systems(Some(&request.text), &[]) {
        Ok(systems) => systems,
        Err(problems) => return Ok(json!({ "problems": json::value(&problems), "questions": [] })),
    };
    let text = systems.loaded().text.clone().unwrap_or_default();
    let place = |it: &fairly_source::Diagnostic| Problem::at(it, &name, &text);
    let mut problems: Vec<Problem> = Vec::new();
    let mut is_wrong = vec![false; systems.loaded().systems.len()];
    for (at, is_wrong) in is_wrong.iter_mut().enumerate() {
        if let Err(diagnostics) = systems.system(SystemIndex(at)) {
            *is_wrong = true;
            problems.extend(diagnostics.iter().map(place));
        }
    }
    for at in 0..systems.loaded().questions.len() {
        if is_wrong[systems.loaded().questions[at].system.0] {
            continue;
        }
        match systems.bind(at) {
            Ok(_) => {}
            Err(BindingError::InModel(diagnostics)) => {
                problems.extend(diagnostics.iter().map(place));
            }
            Err(BindingError::InFormula(wrong)) => {
                let place = |it| Problem::at(it, &wrong.text.name, &wrong.text.text);
                problems.extend(wrong.diagnostics.iter().map(place));
            }
        }
    }
    let questions = questions(systems.loaded(), &name);
    let is_right = problems.is_empty();
    let mut found = json!({ "problems": json::value(&problems), "questions": questions });
    if let (Some(formula), true) = (&request.formula, is_right) {
        found["tried"] = match product(bench, &Product::tried(&request.text, formula)) {
            Ok(tried) => tried,
            Err(problems) => json!({ "problems": json::value(&problems) }),
        };
    }
    Ok(found)
}

/// Saves a text to the file that it came from.
pub(crate) fn save(bench: &mut Bench, request: &Edit) -> Result<Value, Vec<Problem>> {
    let is_editable = bench.model.text()?.is_some_and(|text| text.is_editable);
    if !is_editable {
        return Err(crate::ask::problem("this model cannot be saved"));
    }
    bench.expect(request.revision.as_deref())?;
    bench.model.save(&request.text).map_err(|why| crate::ask::problem(&why))?;
    Ok(json!({ "saved": bench.model.files() }))
}
