//! `fairly explore`: verdicts, runs and state spaces in the browser.

use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use fairly_explorer::{Limits, Server, Settings, Text, open};
use fairly_front::loaded::{self, Loaded};
use fairly_report::document::{Document, Problem};
use fairly_source::escape::without_noncharacters;
use fairly_store::meter;
use serde_json::Value;

use super::arguments::Model;
use super::{load, trace};
use crate::failure::CliError;
use crate::files::{self, Output};
use crate::input;
use crate::output;

#[derive(Args)]
pub(crate) struct Explore {
    #[command(flatten)]
    model: Model,
    /// The port; any that is free, if it is 0.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// The address to listen at. Any other than a loopback address lets other machines in that know the token.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// Print the address and open no browser.
    #[arg(long)]
    no_open: bool,
}

/// Memory of all questions together, unless it is said otherwise: a page that is left open must not take all of it.
const MEMORY: usize = 2 << 30;

pub(crate) fn explore(request: &Explore) -> Result<ExitCode, CliError> {
    let (model, trace) = given(&request.model)?;
    let limits = limits(&request.model)?;
    if let Some(bytes) = limits.bytes {
        meter::limit(bytes);
    }
    let shown = model.files.join(" ");
    let settings = Settings { address: request.bind, port: request.port, limits };
    let explored = Explored::new(model, trace)?;
    let server = Server::bind(Box::new(explored), &settings).map_err(|error| {
        CliError::usage(format!("cannot listen at {}:{}: {error}", request.bind, request.port))
    })?;
    let url = server.url();
    output::write(&format!("{shown} is explored at {url}\nCtrl-C ends it.\n"), None)?;
    if !request.bind.is_loopback() {
        output::remark(
            "fairly: other machines can reach this address; who knows the token can read the model",
        );
    }
    if !request.no_open {
        open(&url);
    }
    server.run();
    Ok(ExitCode::SUCCESS)
}

fn limits(model: &Model) -> Result<Limits, CliError> {
    let (seconds, states, bytes) = model.limits();
    let options = model.options()?;
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let limits = Limits {
        time,
        states,
        bytes: Some(bytes.unwrap_or(MEMORY)),
        engine: options.engine,
        ..Limits::default()
    };
    Ok(limits.with_workers(NonZeroUsize::max(options.workers.count, NonZeroUsize::MIN)))
}

/// The model that the arguments name, or the one of a saved trace.
fn given(model: &Model) -> Result<(Model, Option<Value>), CliError> {
    let is_trace = |file: &str| file.ends_with(".json");
    match model.files.as_slice() {
        [] => Err(CliError::usage("there is no model to explore: name a file")),
        [file] if is_trace(file) => {
            let (document, saved) = trace::read_whole(file)?;
            Ok((trace::arguments(&saved, &[])?, Some(document)))
        }
        files => {
            let words = ["fairly".to_owned()].into_iter().chain(model.of_the_files());
            let words = words.chain(["--".to_owned()]).chain(files.iter().cloned());
            let model =
                Model::of_words(words).map_err(|error| CliError::usage(error.to_string()))?;
            Ok((model, None))
        }
    }
}

/// The files of a model, read whenever it is asked about.
struct Explored {
    /// Options that make the model, as the arguments of a command.
    words: Vec<String>,
    files: Vec<String>,
    options: Vec<String>,
    /// Texts that can be read only once.
    kept: Option<Vec<loaded::Text>>,
    trace: Option<Value>,
}

impl Explored {
    fn new(model: Model, trace: Option<Value>) -> Result<Explored, CliError> {
        let mut words = vec!["fairly".to_owned()];
        words.extend(model.of_the_files());
        words.push("--".to_owned());
        words.extend(model.files.iter().cloned());
        let options = model.of_the_files();
        let is_gone = model.files.iter().any(|file| files::is_stream(file));
        let kept = if is_gone { Some(texts(&model)?) } else { None };
        let explored = Explored { words, options, kept, trace, files: model.files };
        if explored.kept.is_none() {
            // A file that is not there is said before a page is opened.
            explored.texts()?;
        }
        Ok(explored)
    }

    fn model(&self) -> Result<Model, CliError> {
        Model::of_words(self.words.iter().cloned())
            .map_err(|error| CliError::usage(error.to_string()))
    }

    fn texts(&self) -> Result<Vec<loaded::Text>, CliError> {
        match &self.kept {
            Some(texts) => Ok(texts.clone()),
            None => texts(&self.model()?),
        }
    }

    fn read(&self, text: Option<&str>, formulas: &[String]) -> Result<Loaded, CliError> {
        let mut model = self.model()?;
        model.formulas = formulas.to_vec();
        let mut texts = self.texts()?;
        if let (Some(text), Some(first)) = (text, texts.first_mut()) {
            first.text = without_noncharacters(text.to_owned());
        }
        let language = load::language(&texts, model.lang)?;
        load::load(&texts, language, &model, true)
    }

    fn problems(&self, failure: &CliError) -> Vec<Problem> {
        let documents = failure.documents(self.files.first().map_or("model", String::as_str));
        let problem = |document| match document {
            Document::Problem(problem) => Some(problem),
            _ => None,
        };
        documents.into_iter().filter_map(problem).collect()
    }
}

fn texts(model: &Model) -> Result<Vec<loaded::Text>, CliError> {
    let encoding = |path: &str| load::encoding(path, model.lang);
    input::read_all(&model.files, encoding, model.patience())
}

impl fairly_explorer::Model for Explored {
    fn files(&self) -> Vec<String> {
        self.files.clone()
    }

    fn options(&self) -> Vec<String> {
        self.options.clone()
    }

    fn text(&self) -> Result<Option<Text>, Vec<Problem>> {
        let texts = self.texts().map_err(|failure| self.problems(&failure))?;
        let is_editable = self.kept.is_none() && texts.len() == 1;
        let first = texts.into_iter().next();
        Ok(first.map(|text| Text { name: text.name, text: text.text, is_editable }))
    }

    fn load(&self, text: Option<&str>, formulas: &[String]) -> Result<Loaded, Vec<Problem>> {
        self.read(text, formulas).map_err(|failure| self.problems(&failure))
    }

    fn save(&self, text: &str) -> Result<(), String> {
        match self.files.as_slice() {
            [file] if self.kept.is_none() => {
                let written = Output::open(file).and_then(|to| to.write(text));
                written.map_err(|failure| failure.in_short())
            }
            _ => Err("only a model of one file is saved".to_owned()),
        }
    }

    fn trace(&self) -> Option<Value> {
        self.trace.clone()
    }
}
