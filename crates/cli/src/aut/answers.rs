//! The subcommands that answer a question: `empty`, `includes`, `equivalent`, `accepts`.

use std::fmt::Write;
use std::process::ExitCode;

use fairly_omega::emptiness::{EmptinessError as OfGraph, Statistics, Why};
use fairly_omega::formats::hoa::{self, Shape};
use fairly_omega::{
    Automaton, Builder, Hop, Label, Lasso, Limits, MarkSet, StateId, Word, formats, ops,
};
use fairly_search::engines::{Engine, EngineError, Question};
use serde_json::{Value, json};

use super::arguments::{Accepts, Compare, Empty, Format};
use super::reading::NamedShape;
use super::{Reader, lasso};
use crate::failure::{self, CliError};
use crate::output;

/// A JSON answer with its schema.
pub(super) fn document(schema: &str, answers: &[Value]) -> String {
    format!("{:#}\n", json!({ "schema": schema, "automata": answers }))
}

/// The exit code for yes and no.
pub(super) fn verdict(yes: bool) -> ExitCode {
    if yes { ExitCode::SUCCESS } else { ExitCode::from(failure::NO) }
}

pub(super) fn empty(request: &Empty, reading: &Reader) -> Result<ExitCode, CliError> {
    let mut text = String::new();
    let mut documents = Vec::new();
    let mut all_empty = true;
    for NamedShape { source, shape } in reading.each_shape(&request.input.files)? {
        let automaton = match shape {
            Shape::Plain(automaton) => automaton,
            Shape::Alternating(alternating) => match ops::starting_parts(&alternating) {
                Some(starts) if request.engine.is_none() => {
                    let word = word_of(&starts)?;
                    all_empty &= word.is_none();
                    if request.format == Format::Json {
                        documents.push(json!({
                            "source": source,
                            "empty": word.is_none(),
                            "engine": "parts",
                            "lasso": word.map(|word| json!({ "word": word })),
                        }));
                        continue;
                    }
                    let found = if word.is_some() { "not empty" } else { "empty" };
                    let parts: Vec<String> = starts.iter().map(|it| it.len().to_string()).collect();
                    let _ = writeln!(
                        text,
                        "{found}  {source}   alternating · {} parts that start together",
                        parts.join(" or "),
                    );
                    if let Some(word) = word {
                        let _ = writeln!(text, "  word  {word}");
                    }
                    continue;
                }
                _ => ops::remove_alternation(&alternating, hoa::ALTERNATION)?,
            },
        };
        if request.finite {
            let word = ops::finite_word(&automaton).ok_or_else(|| super::not_on_states(&source))?;
            let letters = |word: &Vec<Label>| -> Vec<String> {
                word.iter().map(|&it| super::letters::label_text(&automaton, it)).collect()
            };
            let word = word.as_ref().map(letters);
            all_empty &= word.is_none();
            if request.format == Format::Json {
                documents.push(json!({
                    "source": source,
                    "empty": word.is_none(),
                    "engine": "finite",
                    "word": word,
                }));
                continue;
            }
            let found = if word.is_some() { "not empty" } else { "empty" };
            let _ = writeln!(text, "{found}  {source}   finite words");
            if let Some(word) = word {
                let word = if word.is_empty() { "(empty)".to_owned() } else { word.join("; ") };
                let _ = writeln!(text, "  word  {word}");
            }
            continue;
        }
        let engine = match &request.engine {
            None => Engine::planned(Question::Runs, automaton.acceptance()),
            Some(name) => Engine::named(name).expect("clap checked the name"),
        };
        let counts = request.statistics || request.format == Format::Json;
        let found = engine.find_path_counted(&mut automaton.graph(), counts);
        let (answer, statistics) = found.map_err(|undecided| match undecided {
            EngineError::Graph(OfGraph::TooHard(refused)) => CliError::Refused(refused),
            undecided => CliError::Usage {
                message: format!("{source}: {undecided}"),
                help: Some(failure::other_engine()),
            },
        })?;
        all_empty &= answer.lasso.is_none();
        let effort = answer.effort;
        if request.format == Format::Json {
            let steps = |hops: &[Hop]| -> Vec<Value> {
                hops.iter().map(|hop| step_json(&automaton, hop)).collect()
            };
            documents.push(json!({
                "source": source,
                "empty": answer.lasso.is_none(),
                "engine": engine.name,
                "explored": { "states": effort.nodes, "edges": effort.steps },
                "statistics": statistics.as_ref().map(statistics_json),
                "lasso": answer.lasso.as_ref().map(|lasso| json!({
                    "stem": steps(&lasso.stem),
                    "cycle": steps(&lasso.cycle),
                    "word": lasso::word(&automaton, lasso),
                })),
            }));
            continue;
        }
        let found = if answer.lasso.is_some() { "not empty" } else { "empty" };
        let _ = writeln!(
            text,
            "{found}  {source}   {} · {} states, {} edges explored · engine {}",
            automaton.acceptance().class(),
            effort.nodes,
            effort.steps,
            engine.name,
        );
        if let Some(statistics) = &statistics {
            text.push_str(&statistics_text(statistics, answer.lasso.as_ref()));
        }
        if let Some(lasso) = &answer.lasso {
            let _ = write!(
                text,
                "{}  word  {}\n  accepted, because for ever on the cycle\n{}",
                lasso::steps(&automaton, lasso),
                lasso::word(&automaton, lasso),
                lasso::reasons(&automaton, lasso),
            );
        }
    }
    if request.format == Format::Json {
        text = document("fairly.aut.empty/1", &documents);
    }
    output::write(&text, None)?;
    Ok(verdict(all_empty))
}

fn why(why: Why) -> &'static str {
    match why {
        Why::NeverMet => "never met",
        Why::AskedInVain => "asked in vain",
    }
}

fn statistics_json(statistics: &Statistics) -> Value {
    let unmet = statistics.failures.iter().map(|failure| {
        json!({
            "mark": failure.mark.map(|mark| mark.0),
            "why": why(failure.why),
            "times": failure.times,
        })
    });
    json!({
        "components": statistics.components,
        "largest_component": statistics.largest,
        "rounds": statistics.rounds,
        "nesting": statistics.nesting,
        "removed": statistics.removed,
        "copies": statistics.copies,
        "unmet": unmet.collect::<Vec<_>>(),
        "obligations": statistics.obligations,
        "walk": statistics.walk,
    })
}

fn statistics_text(statistics: &Statistics, lasso: Option<&Lasso>) -> String {
    let mut text = format!(
        "  components {} (largest {}) · pruning rounds {}, {} deep, {} removed · visited {}\n",
        statistics.components,
        statistics.largest,
        statistics.rounds,
        statistics.nesting,
        statistics.removed,
        statistics.copies,
    );
    for failure in &statistics.failures {
        let mark = failure.mark.map_or("the condition".to_owned(), |mark| format!("mark {mark}"));
        let _ = writeln!(text, "  {mark}: {}, {} times", why(failure.why), failure.times);
    }
    if let Some(lasso) = lasso {
        let _ = writeln!(
            text,
            "  demands settled on the cycle {} · cycle {} steps before shortening, {} after · stem {} steps",
            statistics.obligations,
            statistics.walk,
            lasso.cycle.len(),
            lasso.stem.len(),
        );
    }
    text
}

/// A word that all automata of one of the starting points accept, as text.
fn word_of(starts: &[Vec<Automaton>]) -> Result<Option<String>, CliError> {
    for parts in starts {
        if let Some(word) = ops::common_word(parts, hoa::ALTERNATION)? {
            return Ok(Some(formats::word::print_definite(&word)?));
        }
    }
    Ok(None)
}

/// The automaton that accepts the word alone, if its letters are definite.
fn reading_only(word: &Word, base: &Automaton) -> Automaton {
    let mut builder = Builder::new(base.propositions().to_vec());
    *builder.letters_mut() = base.letters().clone();
    builder.add_states(word.len());
    builder.add_initial(StateId(0));
    for (at, label) in word.labels().enumerate() {
        let [from, to] = [at, word.next(at)].map(StateId::from_index);
        builder.add_edge(from, label, MarkSet::new(), to);
    }
    builder.build()
}

fn step_json(automaton: &Automaton, hop: &Hop) -> Value {
    let edge = automaton.edges(hop.from)[hop.nth as usize];
    json!({
        "from": hop.from.0,
        "to": hop.to.0,
        "label": super::letters::label_text(automaton, edge.label),
        "marks": automaton.marks(edge.marks).iter().map(|mark| mark.0).collect::<Vec<_>>(),
    })
}

pub(super) fn includes(request: &Compare, reading: &Reader) -> Result<ExitCode, CliError> {
    let (first, second) = reading.two(&request.files)?;
    let limits = Limits { states: request.max_states, ..Limits::default() };
    let missing = ops::includes(&second.automaton, &first.automaton, limits)?;
    let yes = missing.is_none();
    let word = missing.map(|word| formats::word::print_definite(&word)).transpose()?;
    let text = match (request.format, &word) {
        (Format::Json, _) => document(
            "fairly.aut.includes/1",
            &[json!({
                "includes": yes,
                "first": first.source,
                "second": second.source,
                "word": word,
            })],
        ),
        (Format::Human, None) => {
            format!("included  {} accepts every word of {}\n", first.source, second.source)
        }
        (Format::Human, Some(word)) => format!(
            "not included  {} accepts this word and {} does not\n  word  {word}\n",
            second.source, first.source
        ),
    };
    output::write(&text, None)?;
    Ok(verdict(yes))
}

pub(super) fn equivalent(request: &Compare, reading: &Reader) -> Result<ExitCode, CliError> {
    let (left, right) = reading.two(&request.files)?;
    let limits = Limits { states: request.max_states, ..Limits::default() };
    let difference = ops::equivalent(&left.automaton, &right.automaton, limits)?;
    let yes = difference.is_none();
    let mut told = None;
    if let Some(difference) = difference {
        let (yes, no) = match difference.accepted_by {
            ops::Side::Left => (left.source.clone(), right.source.clone()),
            ops::Side::Right => (right.source.clone(), left.source.clone()),
        };
        told = Some((yes, no, formats::word::print_definite(&difference.word)?));
    }
    let text = match (request.format, told) {
        (Format::Json, told) => document(
            "fairly.aut.equivalent/1",
            &[json!({
                "equivalent": yes,
                "left": left.source,
                "right": right.source,
                "accepted_by": told.as_ref().map(|(yes, _, _)| yes),
                "word": told.as_ref().map(|(_, _, word)| word),
            })],
        ),
        (Format::Human, None) => {
            format!("equivalent  {} and {} accept the same words\n", left.source, right.source)
        }
        (Format::Human, Some((yes, no, word))) => {
            format!("not equivalent  {yes} accepts this word and {no} does not\n  word  {word}\n")
        }
    };
    output::write(&text, None)?;
    Ok(verdict(yes))
}

pub(super) fn accepts(request: &Accepts, reading: &Reader) -> Result<ExitCode, CliError> {
    let mut text = String::new();
    let mut documents = Vec::new();
    let mut all = true;
    for NamedShape { source, shape } in reading.each_shape(std::slice::from_ref(&request.file))? {
        let (mut automaton, starts) = match shape {
            Shape::Plain(automaton) => (automaton, None),
            Shape::Alternating(alternating) => match ops::starting_parts(&alternating) {
                Some(starts) => (alternating.base().clone(), Some(starts)),
                None => (ops::remove_alternation(&alternating, hoa::ALTERNATION)?, None),
            },
        };
        let propositions = automaton.propositions().to_vec();
        let word = formats::word::parse(&request.word, automaton.letters_mut(), &propositions)
            .map_err(|diagnostic| CliError::Input {
                name: "<word>".to_owned(),
                text: request.word.clone(),
                diagnostic: Box::new(diagnostic),
            })?;
        let accepted = match starts {
            None => ops::accepts(&automaton, &word)?.is_some(),
            Some(mut starts) => {
                let only = reading_only(&word, &automaton);
                starts.iter_mut().for_each(|parts| parts.push(only.clone()));
                word_of(&starts)?.is_some()
            }
        };
        all &= accepted;
        match request.format {
            Format::Json => {
                documents.push(json!({ "source": source, "accepted": accepted }));
            }
            Format::Human => {
                let said = if accepted { "accepted" } else { "rejected" };
                let _ = writeln!(text, "{said}  {source}");
            }
        }
    }
    if request.format == Format::Json {
        text = document("fairly.aut.accepts/1", &documents);
    }
    output::write(&text, None)?;
    Ok(verdict(all))
}
