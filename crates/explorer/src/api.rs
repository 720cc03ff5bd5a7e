//! The calls of `/api/v1`, and the files of the page. `docs/book/explorer.md` describes them for other clients.

use std::net::TcpStream;
use std::sync::Arc;

use fairly_fairness::Notion;
use fairly_front::loaded::{self, Asked, Loaded};
use fairly_report::document::Problem;
use fairly_report::{Source, json};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::ask::{Kind, problem};
use crate::assets;
use crate::bench::Bench;
use crate::http::{self, Request};
use crate::model::Text;
use crate::notions::{LEVELS, NOTIONS, own};
use crate::server::{Reply, State, refuse, respond};
use crate::{edit, simulate, space};

/// Where calls begin.
const CALLS: &str = "api/v1/";

/// Answers a request whose path goes on so behind the token.
pub(crate) fn route(state: &State, stream: &mut TcpStream, request: &Request, rest: &str) {
    let Some(call) = rest.strip_prefix(CALLS) else {
        let is_page = rest.is_empty() && request.path.ends_with('/');
        let name = if is_page { "index.html" } else { rest };
        return match (request.method.as_str(), assets::served(name)) {
            ("GET", Some((kind, text))) => http::respond(stream, 200, kind, text.as_bytes()),
            ("GET", None) => refuse(stream, 404, "there is no such file"),
            _ => refuse(stream, 405, "files are read with GET"),
        };
    };
    match (request.method.as_str(), call) {
        ("GET", "model") => respond(stream, state.view(|bench| of(described(bench)))),
        ("GET", "revision") => {
            let revision =
                |bench: &mut Bench| of(bench.revision().map(|it| json!({ "revision": it })));
            respond(stream, state.view(revision));
        }
        ("GET", "trace") => match state.model.trace() {
            Some(trace) => respond(stream, (200, trace)),
            None => refuse(stream, 404, "no trace was given"),
        },
        ("POST", _) => match request.content_type.as_deref() {
            // A form of another page cannot send this without asking first.
            Some("application/json") => post(state, stream, request, call),
            _ => refuse(stream, 415, "the body is application/json"),
        },
        _ => refuse(stream, 404, "there is no such call"),
    }
}

fn post(state: &State, stream: &mut TcpStream, request: &Request, call: &str) {
    let kind = match call {
        "check" => Kind::Verdict,
        "ladder" => Kind::Ladder,
        "least" => Kind::Least,
        "simulate" => return view(state, stream, request, simulate::simulate),
        "space" => return view(state, stream, request, space::space),
        "product" => return view(state, stream, request, space::product),
        "diagnose" => return view(state, stream, request, edit::diagnose),
        "save" => return view(state, stream, request, edit::save),
        _ => return refuse(stream, 404, "there is no such call"),
    };
    match body(request) {
        Ok(ask) => state.answer(stream, ask, kind),
        Err(reply) => respond(stream, reply),
    }
}

/// Answers a call that a person waits for.
fn view<T: DeserializeOwned + Send + 'static>(
    state: &State,
    stream: &mut TcpStream,
    request: &Request,
    work: fn(&mut Bench, &T) -> Result<Value, Vec<Problem>>,
) {
    let reply = match body::<T>(request) {
        Ok(request) => state.view(move |bench| of(work(bench, &request))),
        Err(reply) => reply,
    };
    respond(stream, reply);
}

/// The body of a request.
fn body<T: DeserializeOwned>(request: &Request) -> Result<T, Reply> {
    serde_json::from_slice(&request.body)
        .map_err(|error| (422, json::value(&problem(&error.to_string()))))
}

/// A document, or what is wrong.
pub(crate) fn of<T: Serialize>(found: Result<T, Vec<Problem>>) -> Reply {
    match found {
        Ok(document) => (200, json::value(&document)),
        Err(problems) => (422, json::value(&problems)),
    }
}

/// The schema of descriptions of models.
const MODEL_SCHEMA: &str = "fairly.model/1";

#[derive(Serialize)]
struct ModelDocument {
    schema: &'static str,
    /// Of the program.
    version: &'static str,
    files: Vec<String>,
    /// What the model is called.
    name: String,
    /// What tells these contents of the file from others; calls that give it are refused once it is another one.
    revision: String,
    /// The text that can be edited.
    text: Option<TextDocument>,
    questions: Vec<QuestionDocument>,
    /// The systems that questions are about.
    systems: Vec<Option<String>>,
    notions: Vec<NotionDocument>,
    levels: &'static [&'static str],
    /// Whether the model says itself which fairness it assumes.
    is_annotated: bool,
    /// The fairness that is assumed unless another one is chosen.
    fairness: String,
    /// Constraints that the model assumes under every notion.
    constraints: usize,
    /// Message where the model asks nothing.
    nothing: &'static str,
    has_trace: bool,
    /// Whether runs can be read and written as trails of another tool.
    has_trails: bool,
    /// Errors in the model; then there is nothing else.
    problems: Value,
}

#[derive(Serialize)]
struct TextDocument {
    name: String,
    text: String,
    is_editable: bool,
}

#[derive(Serialize)]
pub(crate) struct QuestionDocument {
    title: String,
    /// How `-p` chooses it.
    choice: Option<String>,
    kind: &'static str,
    formula: Option<String>,
    /// Whether fairness bears on it.
    is_formula: bool,
    line: Option<usize>,
    /// The file that the line is in, if the model includes it.
    file: Option<String>,
    system: usize,
}

#[derive(Serialize)]
struct NotionDocument {
    name: &'static str,
    words: &'static str,
    has_levels: bool,
}

/// The model as it stands in its files.
fn described(bench: &mut Bench) -> Result<ModelDocument, Vec<Problem>> {
    let text = bench.model.text()?;
    let (files, revision) = (bench.model.files(), bench.revision()?);
    let name = match files.is_empty() {
        true => bench.model.name(),
        false => files.join(" "),
    };
    let model = Arc::clone(&bench.model);
    let mut document = ModelDocument {
        name,
        schema: MODEL_SCHEMA,
        revision,
        version: env!("CARGO_PKG_VERSION"),
        text: text.map(|Text { name, text, is_editable }| TextDocument { name, text, is_editable }),
        questions: Vec::new(),
        systems: Vec::new(),
        notions: NOTIONS
            .iter()
            .map(|it| NotionDocument { name: it.name, words: it.words, has_levels: it.has_levels })
            .collect(),
        levels: &LEVELS,
        is_annotated: false,
        fairness: Notion::None.to_string(),
        constraints: 0,
        nothing: "",
        has_trace: bench.model.trace().is_some(),
        has_trails: false,
        problems: Value::Array(Vec::new()),
        files,
    };
    let name = document.files.first().cloned().unwrap_or_default();
    match bench.systems(None, &[]) {
        Ok(systems) => {
            let loaded = systems.loaded();
            document.questions = questions(loaded, &name);
            document.systems = loaded.systems.iter().map(|system| system.name.clone()).collect();
            document.is_annotated = loaded.is_annotated;
            document.fairness = own(&*model, loaded).to_string();
            document.constraints = loaded.constraints.len();
            document.has_trails = loaded.statements.is_some();
            document.nothing = loaded.nothing;
        }
        Err(problems) => document.problems = json::value(&problems),
    }
    Ok(document)
}

/// The questions of a model.
pub(crate) fn questions(loaded: &Loaded, name: &str) -> Vec<QuestionDocument> {
    let source = loaded.text.as_deref().map(|text| Source { name, text });
    loaded.questions.iter().map(|it| question(it, source)).collect()
}

fn question(question: &loaded::Question, source: Option<Source<'_>>) -> QuestionDocument {
    let at = source.zip(question.place);
    let formula = match &question.asked {
        Ok(Asked::Formula(formula)) => {
            Some(formula.shown.clone().unwrap_or_else(|| formula.text.logic.clone()))
        }
        _ => None,
    };
    QuestionDocument {
        title: question.title.clone(),
        choice: question.choice.clone(),
        kind: question.kind.words(),
        is_formula: matches!(&question.asked, Ok(Asked::Formula(_) | Asked::Never(_))),
        formula,
        line: at.and_then(|(source, place)| source.line(place.start)),
        file: at.and_then(|(source, place)| source.included(place.start)).map(str::to_owned),
        system: question.system.0,
    }
}
