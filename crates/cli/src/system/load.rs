//! From files and flags to a system and properties.

use fairly_check::{Assumption, Execution, Property, Unusable, WhyUnknown, parse_for};
use fairly_explore::Explored;
use fairly_fairness::{Notion, own_constraints};
use fairly_front::aut;
use fairly_front::case::{self, Case};
use fairly_front::guess::{Foreign, Guess, foreign_ending, guess};
use fairly_logic::Formulas;
use fairly_omega::formats;
use fairly_search::Bounds;
use fairly_source::{Diagnostic, Span};
use fairly_system::{Component, Composition, Network, TransitionSystem};

use super::arguments::Model;
use super::file::{File, Language};
use super::names::{self, Known};
use crate::failure::{Absent, Failure};
use crate::input::{self, Encoding, Input};

/// A system with what its file says besides.
pub(super) struct Loaded {
    pub(super) network: Explored<Network>,
    /// The `.net` file it came from, if it is one.
    source: Option<(Input, Case)>,
}

impl Loaded {
    /// The text of the `.net` file.
    pub(super) fn text(&self) -> Option<&str> {
        self.source.as_ref().map(|(input, _)| input.text.as_str())
    }

    /// Where the properties of the file are written.
    pub(super) fn places(&self) -> Vec<(String, Span)> {
        let case = self.source.iter().flat_map(|(_, case)| &case.properties);
        case.map(|property| (property.name.clone(), property.formula.span)).collect()
    }
}

/// What the arguments name.
pub(super) enum Read {
    /// Explicit components.
    Network(Box<Loaded>),
    /// A file of a modelling language.
    File(Box<File>),
}

/// Reads files that make one model.
pub(super) fn read(files: &[String], model: &Model) -> Result<Read, Failure> {
    read_as(files, model, model.execution())
}

/// Reads files that make one model, whose steps are made in a given way.
pub(super) fn read_as(
    files: &[String],
    model: &Model,
    execution: Execution,
) -> Result<Read, Failure> {
    if files.is_empty() {
        return Err(Failure::usage("there is no model: name a file"));
    }
    model.reading(files)?;
    let encoding = |path: &str| match model.lang.or_else(|| Language::of(path)) {
        Some(language) => language.encoding(),
        None => Encoding::Utf8,
    };
    let mut inputs = input::read_all(files, encoding, model.patience())?;
    let named = || inputs.iter().find_map(|input| Language::of(&input.name));
    let language = match (model.lang.or_else(named), inputs.as_slice()) {
        (None, [input]) => guessed(input)?,
        (language, _) => language,
    };
    let Some(language) = language else {
        return network(inputs, model).map(|loaded| Read::Network(Box::new(loaded)));
    };
    match (inputs.pop(), inputs.as_slice()) {
        (Some(input), []) => {
            let Input { name, text } = &input;
            match File::read(&input, language, model, execution) {
                Ok(file) => Ok(Read::File(Box::new(file))),
                // What is wrong with a text of another language is of no interest.
                Err(failure) => Err(match (&failure, guess(text)) {
                    (Failure::Inputs { .. }, Guess::Foreign(foreign)) => other(name, foreign),
                    (Failure::Inputs { .. }, Guess::Binary) => no_text(name),
                    _ => failure,
                }),
            }
        }
        _ => Err(Failure::usage("a CSP# or Promela file is checked alone")),
    }
}

/// The language of a text whose name does not tell it; none for explicit components.
fn guessed(input: &Input) -> Result<Option<Language>, Failure> {
    let ending = std::path::Path::new(&input.name).extension();
    let explicit = ending.is_some_and(|ending| ending == "net" || ending == "aut");
    if explicit || formats::Format::detect(&input.text).is_some() {
        return Ok(None);
    }
    if let Some(foreign) = foreign_ending(&input.name) {
        return Err(other(&input.name, foreign));
    }
    match guess(&input.text) {
        Guess::Csp => Ok(Some(Language::Csp)),
        Guess::Promela => Ok(Some(Language::Promela)),
        Guess::Network => Ok(None),
        Guess::Foreign(foreign) => Err(other(&input.name, foreign)),
        Guess::Binary => Err(no_text(&input.name)),
        Guess::Unknown => Err(Failure::Unreadable {
            code: "E0006",
            message: format!(
                "{} is no model: it is neither CSP#, Promela, a network nor an automaton; if it is, \
                 say so with --lang or by the ending of its name",
                input.name
            ),
        }),
    }
}

/// A text in the language of another tool.
fn other(name: &str, foreign: Foreign) -> Failure {
    let Foreign { name: language, help } = foreign;
    Failure::Unreadable { code: "E0005", message: format!("{name} is {language}: {help}") }
}

fn no_text(name: &str) -> Failure {
    Failure::Unreadable { code: "E0006", message: format!("{name} is no model: it is no text") }
}

/// Explicit components.
fn network(mut inputs: Vec<Input>, model: &Model) -> Result<Loaded, Failure> {
    if inputs.len() == 1 && formats::Format::detect(&inputs[0].text).is_none() {
        let input = inputs.pop().expect("one input");
        return case_file(input, model);
    }
    let mut components = Vec::new();
    for Input { name, text } in inputs {
        let stem = std::path::Path::new(&name)
            .file_stem()
            .map_or_else(|| name.clone(), |stem| stem.to_string_lossy().into_owned());
        match aut::read(&stem, &text) {
            Ok(component) => components.push(component),
            Err(diagnostic) => {
                return Err(Failure::Input { name, text, diagnostic: Box::new(diagnostic) });
            }
        }
    }
    compose(components, model.interleave.clone(), model)
        .map(|network| Loaded { network, source: None })
}

fn case_file(input: Input, model: &Model) -> Result<Loaded, Failure> {
    let case = match case::parse(&input.text) {
        Ok(case) => case,
        Err(diagnostics) => {
            return Err(Failure::Inputs { name: input.name, text: input.text, diagnostics });
        }
    };
    let mut interleaved = case.interleaved.clone();
    interleaved.extend(model.interleave.iter().cloned());
    let network = compose(case.build(), interleaved, model)?;
    Ok(Loaded { network, source: Some((input, case)) })
}

fn compose(
    mut components: Vec<Component>,
    interleaved: Vec<String>,
    model: &Model,
) -> Result<Explored<Network>, Failure> {
    for text in &model.alphabet {
        let (name, events) = text
            .split_once('=')
            .ok_or_else(|| Failure::usage(format!("--alphabet {text}: write COMPONENT=EVENT,…")))?;
        let component = components
            .iter_mut()
            .find(|component| component.name() == name)
            .ok_or_else(|| Failure::usage(format!("--alphabet: no component `{name}`")))?;
        for event in events.split(',').map(str::trim) {
            if event.is_empty() {
                return Err(Failure::usage(format!("--alphabet {text}: an event has no name")));
            }
            component.add_event(event);
        }
    }
    let has =
        |event: &String| components.iter().any(|component| component.alphabet().contains(event));
    if let Some(nobody) = interleaved.iter().find(|event| !has(event)) {
        return Err(Failure::usage(format!("no component has the interleaved event `{nobody}`")));
    }
    Network::new(components, &Composition { interleaved })
        .map(Explored::new)
        .map_err(|error| Failure::usage(error.to_string()))
}

/// The properties that the arguments choose, bound to the system.
pub(super) struct Properties {
    pub(super) asked: Vec<Property>,
    /// Names of the arguments that this model does not have, where another one may.
    pub(super) absent: Vec<Absent>,
}

/// The properties that the arguments choose, bound to the system; every name of the arguments must be
/// there.
pub(super) fn properties(model: &Model, loaded: &mut Loaded) -> Result<Vec<Property>, Failure> {
    Ok(chosen(model, loaded)?.asked)
}

/// The properties that the arguments choose, and which names of the arguments another model must have.
pub(super) fn chosen(model: &Model, loaded: &mut Loaded) -> Result<Properties, Failure> {
    let mut properties = Vec::new();
    let case = loaded.source.iter().flat_map(|(_, case)| &case.properties);
    let titles = case.map(|property| property.name.clone()).collect();
    let mut known = Known { what: "property", titles, numbered: false };
    if !model.formulas.is_empty() {
        for (at, text) in (1..).zip(&model.formulas) {
            let name = if model.formulas.len() == 1 { "-f".to_owned() } else { format!("-f{at}") };
            let place = ("<formula>", text.as_str(), Span::new(0, text.len()));
            properties.push(bind(&name, text, place, &mut loaded.network)?);
        }
        known.titles.extend(properties.iter().map(|property| property.name.clone()));
        let mut absent = known.expected(model)?;
        absent.extend(known.timed(model)?);
        return Ok(Properties { asked: properties, absent });
    }
    let mut absent = known
        .chosen(model, |wanted| known.titles.iter().any(|title| names::means(wanted, title)))?;
    absent.extend(known.expected(model)?);
    absent.extend(known.timed(model)?);
    let Some((input, case)) = &loaded.source else {
        return Ok(Properties { asked: properties, absent });
    };
    for property in &case.properties {
        let mut wanted = model.properties.iter();
        let is_wanted = wanted.any(|wanted| names::means(wanted, &property.name));
        if !model.properties.is_empty() && !is_wanted {
            continue;
        }
        let place = (input.name.as_str(), input.text.as_str(), property.formula.span);
        properties.push(bind(&property.name, &property.formula.text, place, &mut loaded.network)?);
    }
    Ok(Properties { asked: properties, absent })
}

/// Reads a formula and binds it; `place` is the file, its text, and where the formula stands in it.
fn bind(
    name: &str,
    formula: &str,
    (file, text, span): (&str, &str, Span),
    network: &mut Explored<Network>,
) -> Result<Property, Failure> {
    let at_fault = |diagnostic| Failure::Input {
        name: file.to_owned(),
        text: text.to_owned(),
        diagnostic: Box::new(diagnostic),
    };
    let mut formulas = Formulas::new();
    let parsed = parse_for(&mut formulas, formula, network).map_err(|mut diagnostic| {
        diagnostic.span.start += span.start;
        diagnostic.span.end += span.start;
        at_fault(diagnostic)
    })?;
    Property::bind(name, formulas, parsed, network).map_err(|unbound| {
        // The first place where the name stands is where the caret helps most.
        let word = unbound.atom.text();
        let found = formula.find(word).map(|at| span.start + at);
        let span = found.map_or(span, |at| Span::new(at, at + word.len()));
        let mut diagnostic = Diagnostic::error("E0801", unbound.to_string(), span);
        if let Some(similar) = unbound.similar {
            diagnostic = diagnostic.help(if similar == word {
                format!("`{similar}` is an event: write it without quotes")
            } else {
                format!("did you mean `{similar}`?")
            });
        }
        at_fault(diagnostic)
    })
}

/// The notion with the constraints of the file and of the command line.
pub(super) fn assumption(
    notion: Notion,
    texts: &[String],
    loaded: &mut Loaded,
) -> Result<Assumption, Failure> {
    let mut assumption = Assumption::of(notion);
    assumption.extra = own_constraints(loaded.network.space())
        .map_err(|inexpressible| Failure::usage(inexpressible.to_string()))?;
    if let Some((input, case)) = &loaded.source {
        for constraint in &case.constraints {
            assumption.add(constraint, &mut loaded.network).map_err(|unknown| Failure::Input {
                name: input.name.clone(),
                text: input.text.clone(),
                diagnostic: Box::new(unusable(&unknown, constraint.span)),
            })?;
        }
    }
    add_constraints(&mut assumption, texts, &mut loaded.network)?;
    Ok(assumption)
}

/// What is wrong with a constraint.
fn unusable(unusable: &Unusable, span: Span) -> Diagnostic {
    let wrong = Diagnostic::error("E0802", unusable.to_string(), span);
    match unusable.help() {
        Some(help) => wrong.help(help),
        None => wrong,
    }
}

/// Adds the constraints of the command line.
pub(super) fn add_constraints<S: TransitionSystem>(
    assumption: &mut Assumption,
    texts: &[String],
    system: &mut S,
) -> Result<(), Failure> {
    add_within(assumption, texts, system, Bounds::default())
}

/// Adds the constraints of the command line. Those about single actions may need the system to be explored,
/// within these bounds.
pub(super) fn add_within<S: TransitionSystem>(
    assumption: &mut Assumption,
    texts: &[String],
    system: &mut S,
    bounds: Bounds,
) -> Result<(), Failure> {
    for text in texts {
        let wrong = |diagnostic| Failure::Input {
            name: "<constraint>".to_owned(),
            text: text.clone(),
            diagnostic: Box::new(diagnostic),
        };
        let constraint = case::parse_constraint(text).map_err(wrong)?;
        let added = assumption.add_within(&constraint, system, bounds).map_err(|cut| {
            let why = WhyUnknown::cut(cut, system);
            Failure::Unknown(format!("looking for the actions that {text} may mean: {why}"))
        })?;
        added.map_err(|unknown| wrong(unusable(&unknown, Span::new(0, text.len()))))?;
    }
    Ok(())
}
