//! `fairly check --list`: what files ask, without an answer.

use std::fmt::Write;
use std::process::ExitCode;

use fairly_report::{Source, json};
use fairly_source::escape::in_line;
use serde_json::{Value, json};

use super::arguments::{Check, Format};
use super::load;
use super::selection::Files;
use super::several::worst;
use crate::failure::CliError;
use crate::output;

/// One thing that a file asks.
struct Listed {
    /// Name that `-p` chooses it by.
    name: String,
    kind: &'static str,
    line: Option<usize>,
    /// The formula, or the whole assertion where there is none.
    text: String,
}

/// Prints what the models ask, and gives the exit code.
pub(super) fn list(
    request: &Check,
    own: &dyn Fn(&[String]) -> Result<Check, CliError>,
    models: &[Files],
    style: fairly_source::Style,
) -> Result<ExitCode, CliError> {
    match request.model.format {
        Format::Human | Format::Json => {}
        _ => return Err(CliError::usage("--list prints --format human or json")),
    }
    let (mut text, mut documents, mut codes) = (String::new(), Vec::new(), vec![0]);
    for files in models {
        let name = files.join(" ");
        match own(files).and_then(|own| of_model(&own, files)) {
            Ok(listed) => {
                if models.len() > 1 {
                    let _ = writeln!(text, "── {}\n", in_line(&name));
                }
                text.push_str(&table(&listed));
                if models.len() > 1 {
                    text.push('\n');
                }
                documents.push(document(&name, &listed));
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
        Format::Human => text,
        _ => json::text(&Value::Array(documents)),
    };
    output::write(&text, None)?;
    Ok(ExitCode::from(worst(codes.into_iter())))
}

/// Questions of one model, or those that the arguments choose of it.
fn of_model(request: &Check, files: &[String]) -> Result<Vec<Listed>, CliError> {
    let mut file = load::read(files, &request.model)?;
    let questions = file.some_questions(&request.model)?.asked;
    let source = file.text().map(|text| Source { name: &files[0], text });
    let listed = questions.iter().map(|question| {
        let asked = &file.systems.loaded().questions[question.bound.at];
        let text = asked.says.as_deref().or(question.formula()).unwrap_or(&question.title);
        Listed {
            name: question.choice.clone().unwrap_or_else(|| "-f".to_owned()),
            kind: asked.kind.words(),
            line: source.zip(question.place).and_then(|(source, place)| source.line(place.start)),
            text: text.to_owned(),
        }
    });
    Ok(listed.collect())
}

fn table(listed: &[Listed]) -> String {
    let wide = |part: fn(&Listed) -> &str| {
        listed.iter().map(|it| part(it).chars().count()).max().unwrap_or(0)
    };
    let names = wide(|it| &it.name).clamp(4, 32);
    let kinds = wide(|it| it.kind).max(4);
    let mut out = format!("{:names$}  {:kinds$}  line  formula\n", "name", "kind");
    for Listed { name, kind, line, text } in listed {
        let line = line.map_or("-".to_owned(), |line| line.to_string());
        let text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
        let _ = writeln!(out, "{:names$}  {kind:kinds$}  {line:>4}  {text}", in_line(name));
    }
    out
}

fn document(file: &str, listed: &[Listed]) -> Value {
    let properties: Vec<Value> = listed
        .iter()
        .map(|Listed { name, kind, line, text }| {
            json!({ "name": name, "kind": kind, "line": line, "formula": text })
        })
        .collect();
    json!({ "schema": "fairly.properties/1", "file": file, "properties": properties })
}
