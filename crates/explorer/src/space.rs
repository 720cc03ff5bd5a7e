//! State spaces: whole ones that are small, neighbourhoods and components of others, and the product of one with the
//! automaton of a negated formula.

use fairly_check::{
    Asked, Assumption, BindingError, CheckError, Object, ObjectError, Options, Parts, Portion,
    Question, SystemIndex, Systems, objects, pairs, with_system,
};
use fairly_fairness::Notion;
use fairly_omega::Automaton;
use fairly_omega::formats::hoa;
use fairly_report::document::Problem;
use fairly_report::graph::part::{self, Part};
use fairly_report::graph::{self, Drawn};
use fairly_report::{Source, json};
use fairly_search::Bounds;
use fairly_system::{EventPosition, TransitionSystem};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

use crate::ask::problem;
use crate::bench::Bench;
use crate::command::Command;
use crate::simulate::made;

/// States that are drawn, and most that a client may ask for.
const MOST: usize = 200;
const LIMIT: usize = 1_000;
/// Nodes of a product that are followed where only a part of it is drawn.
const MOST_BEHIND: usize = 24;
/// Time for an automaton.
const PATIENCE: Duration = Duration::from_secs(5);

/// The part of a state space that a client wants to see.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Space {
    text: Option<String>,
    system: usize,
    /// A state by its number, or the first in which a condition is true.
    around: Option<String>,
    depth: Option<usize>,
    component: bool,
    /// States that are drawn at most.
    most: Option<usize>,
    revision: Option<String>,
}

/// Draws a state space, or a part of one.
pub(crate) fn space(bench: &mut Bench, request: &Space) -> Result<Value, Vec<Problem>> {
    let (files, options) = (bench.model.files(), bench.model.options());
    let name = files.first().map_or("model", String::as_str);
    let most = request.most.unwrap_or(MOST).min(LIMIT);
    bench.expect(request.revision.as_deref())?;
    let systems = bench.systems(request.text.as_deref(), &[])?;
    let which = SystemIndex(request.system);
    made(systems, which, name)?;
    let text = systems.loaded().text.clone();
    let source = text.as_deref().map(|text| Source { name, text });
    let is_part = request.around.is_some() || request.depth.is_some() || request.component;
    let drawn = with_system!(systems.made(which), system => match is_part {
        false => Ok((graph::explore(system, most), true)),
        true => near(system, request, most),
    })?;
    let bytes = with_system!(systems.made(which), system => system.bytes());
    bench.forget_much(bytes);
    let depth = request.depth.map(|depth| depth.to_string());
    let mut command = Command::new("graph")
        .with("--around", request.around.as_deref())
        .with("--depth", depth.as_deref());
    if request.component {
        command = command.flag("--component");
    }
    let command = command.on(&files, &options);
    let (drawn, is_complete) = drawn;
    Ok(match drawn {
        None => json!({ "graph": null, "most": most, "command": command }),
        Some(drawn) => json!({
            "graph": json::value(&drawn.document(source)),
            "dot": drawn.dot(),
            "most": most,
            "is_part": is_part,
            "is_complete": is_complete,
            "command": command,
        }),
    })
}

fn near<S: TransitionSystem>(
    system: &mut S,
    request: &Space,
    most: usize,
) -> Result<(Option<Drawn>, bool), Vec<Problem>> {
    let Space { around, depth, component, .. } = request.clone();
    let found = part::find(system, &Part { around, depth, component }, most);
    let found = found.map_err(|why| problem(&why))?;
    Ok(match found {
        None => (None, true),
        Some(mut found) => (graph::explore_view(&mut found.view, most), found.is_complete),
    })
}

/// A product with the automaton of a negated formula.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Product {
    text: Option<String>,
    /// Position among the questions of the model.
    question: Option<usize>,
    /// A formula, instead.
    formula: Option<String>,
    most: Option<usize>,
    /// Only the automaton.
    alone: bool,
    /// Only what is behind a node: the position of a node among those that runs start in, then of each step.
    path: Option<Vec<usize>>,
    revision: Option<String>,
}

impl Product {
    /// The automaton of a formula that is tried on a text.
    pub(crate) fn tried(text: &str, formula: &str) -> Product {
        let (text, formula) = (Some(text.to_owned()), Some(formula.to_owned()));
        Product { text, formula, alone: true, ..Product::default() }
    }
}

#[derive(Serialize)]
struct AutomatonDocument {
    initial: Vec<usize>,
    states: usize,
    edges: Vec<AutomatonEdge>,
    acceptance: String,
    /// The same in the Hanoi format.
    hoa: String,
}

#[derive(Serialize)]
struct AutomatonEdge {
    from: usize,
    to: usize,
    /// The letter that a position reads, as a formula.
    label: String,
    marks: Vec<u32>,
}

#[derive(Serialize)]
struct PairDocument {
    /// State of the system, by its number among those of the picture.
    state: usize,
    shown: String,
    automaton: usize,
    steps: Vec<PairStepDocument>,
    /// Whether its steps are left out.
    is_open: bool,
}

#[derive(Serialize)]
struct PairStepDocument {
    to: usize,
    label: String,
    who: String,
    marks: Vec<u32>,
}

/// Draws the automaton of a negated formula and the product with it.
pub(crate) fn product(bench: &mut Bench, request: &Product) -> Result<Value, Vec<Problem>> {
    let (files, options) = (bench.model.files(), bench.model.options());
    let name = files.first().map_or("model", String::as_str);
    let most = request.most.unwrap_or(MOST).min(LIMIT);
    let formulas: Vec<String> = request.formula.iter().cloned().collect();
    bench.expect(request.revision.as_deref())?;
    let systems = bench.systems(request.text.as_deref(), &formulas)?;
    let mut question = bound(systems, (request.question, request.formula.is_some()), name)?;
    let choice = systems.loaded().questions[question.at].choice.clone();
    let portion = Portion {
        path: request.path.as_deref().unwrap_or_default(),
        most: if request.path.is_some() { most.min(MOST_BEHIND) } else { most },
        is_whole: request.path.is_none(),
    };
    let alone = request.alone;
    let which = question.system;
    let found = systems.settled(&mut question, |systems, question| {
        Ok::<_, CheckError>(with_system!(systems.made(which), system => match alone {
            true => negated(system, question, most),
            false => paired(system, question, portion),
        }))
    });
    let found = found.map_err(|why| problem(&why.to_string()))??;
    let bytes = with_system!(systems.made(which), system => system.bytes());
    bench.forget_much(bytes);
    let command = Command::new("graph")
        .flag("--product")
        .with("-p", choice.as_deref())
        .with("--formula", request.formula.as_deref())
        .on(&files, &options);
    let mut found = found;
    found["command"] = command.into();
    found["most"] = most.into();
    Ok(found)
}

/// The formula at a position among the questions of a model, or the one that was given.
pub(crate) fn bound(
    systems: &mut Systems,
    (at, is_given): (Option<usize>, bool),
    name: &str,
) -> Result<Question, Vec<Problem>> {
    let questions = &systems.loaded().questions;
    let at = match (at, is_given) {
        (Some(at), false) if at < questions.len() => Some(at),
        (None, true) => questions.iter().position(|question| question.choice.is_none()),
        _ => None,
    };
    let at = at.ok_or_else(|| problem("the model has no such question"))?;
    let question = systems.bind(at).map_err(|why| match why {
        BindingError::InModel(diagnostics) => {
            let text = systems.loaded().text.as_deref().unwrap_or_default();
            diagnostics.iter().map(|it| Problem::at(it, name, text)).collect::<Vec<Problem>>()
        }
        BindingError::InFormula(wrong) => {
            let place = |it| Problem::at(it, &wrong.text.name, &wrong.text.text);
            wrong.diagnostics.iter().map(place).collect()
        }
    })?;
    match question.asked {
        Asked::Formula(..) => Ok(question),
        Asked::Claim(_) => Err(no_formula()),
    }
}

pub(crate) fn no_formula() -> Vec<Problem> {
    problem("this is no formula, so there is no automaton")
}

/// Options of what a person waits for.
pub(crate) fn soon() -> Options {
    let deadline = Some(Instant::now() + PATIENCE);
    Options { bounds: Bounds { deadline, ..Bounds::default() }, ..Options::default() }
}

/// The formula of a question as it is shown.
fn shown(question: &Question) -> Result<String, Vec<Problem>> {
    match &question.asked {
        Asked::Formula(_, shown) => Ok(shown.clone()),
        Asked::Claim(_) => Err(no_formula()),
    }
}

/// The automaton of a negated formula.
fn negated<S: TransitionSystem>(
    system: &mut S,
    question: &mut Question,
    most: usize,
) -> Result<Value, Vec<Problem>> {
    let formula = shown(question)?;
    let parts = Parts {
        property: Some(question.property().ok_or_else(no_formula)?),
        assumption: &Assumption::of(Notion::None),
        reading: EventPosition::default(),
        most,
    };
    let found = objects(system, Object::Negation, parts, &soon());
    let found = found.map_err(|why| match why {
        ObjectError::Senseless(why) => problem(why),
        ObjectError::Unknown(why) => problem(&why.to_string()),
    })?;
    let automaton = found.and_then(|all| all.into_iter().next());
    let automaton = automaton.map(|automaton| document(&automaton));
    Ok(json!({ "formula": formula, "automaton": automaton }))
}

fn paired<S: TransitionSystem>(
    system: &mut S,
    question: &mut Question,
    portion: Portion<'_>,
) -> Result<Value, Vec<Problem>> {
    let formula = shown(question)?;
    let property = question.property().ok_or_else(no_formula)?;
    let assumption = Assumption::of(Notion::None);
    let found = pairs(system, property, &assumption, &soon(), portion);
    let found = found.map_err(|why| problem(&why.to_string()))?;
    let Some(pairs) = found else {
        if !portion.is_whole {
            return Err(problem("the product has no such path"));
        }
        return Ok(json!({ "formula": formula, "automaton": null, "product": null }));
    };
    let mut states = Vec::new();
    let nodes: Vec<PairDocument> = pairs
        .nodes
        .iter()
        .map(|pair| {
            let known = states.iter().position(|&state| state == pair.state);
            let state = known.unwrap_or_else(|| {
                states.push(pair.state);
                states.len() - 1
            });
            let steps = pair.steps.iter().map(|step| {
                let signature = system.signature();
                let action = system.action(step.transition.action);
                let (label, who) = (signature.words(action).0, signature.who(action));
                PairStepDocument { to: step.to, label, who, marks: step.marks.clone() }
            });
            let steps = steps.collect();
            let shown = system.describe(pair.state);
            let (automaton, is_open) = (pair.automaton.index(), pair.is_open);
            PairDocument { state, shown, automaton, steps, is_open }
        })
        .collect();
    Ok(json!({
        "formula": formula,
        "automaton": document(&pairs.automaton),
        "product": { "initial": pairs.initial, "acceptance": pairs.acceptance, "nodes": nodes },
    }))
}

/// An automaton with its labels as formulas.
fn document(automaton: &Automaton) -> AutomatonDocument {
    let mut copy = automaton.clone();
    let names: Vec<String> = copy.propositions().to_vec();
    let mut edges = Vec::new();
    for from in automaton.states() {
        for edge in automaton.edges(from) {
            let label = label(&mut copy, edge.label, &names);
            let marks = automaton.marks(edge.marks).iter().map(|mark| mark.0).collect();
            edges.push(AutomatonEdge { from: from.index(), to: edge.target.index(), label, marks });
        }
    }
    AutomatonDocument {
        initial: automaton.initial().iter().map(|state| state.index()).collect(),
        states: automaton.state_count(),
        edges,
        acceptance: automaton.acceptance().to_string(),
        hoa: hoa::print(automaton),
    }
}

/// A label as a formula in disjunctive form.
fn label(automaton: &mut Automaton, label: fairly_omega::Label, names: &[String]) -> String {
    /// Cubes of a label that are shown.
    const MOST_CUBES: usize = 4;
    if label == fairly_omega::Label::TRUE {
        return "true".to_owned();
    }
    let Ok(Some(cubes)) = automaton.letters_mut().cover(label, MOST_CUBES) else {
        return "…".to_owned();
    };
    let literal = |(prop, value): (fairly_omega::Prop, bool)| {
        let name = names.get(prop.0 as usize).map_or("?", String::as_str);
        if value { name.to_owned() } else { format!("!{name}") }
    };
    let cube = |cube: fairly_omega::Cube| {
        let literals: Vec<String> = cube.into_iter().map(literal).collect();
        literals.join(" & ")
    };
    let cubes: Vec<String> = cubes.into_iter().map(cube).collect();
    cubes.join(" | ")
}
