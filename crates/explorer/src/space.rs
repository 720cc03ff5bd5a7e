//! State spaces: whole ones that are small, neighbourhoods and components of others, and the product of one with the
//! automaton of a negated formula.

use fairly_check::{
    Asked, Assumption, BindingError, Object, ObjectError, Options, Parts, Question, SystemIndex,
    objects, pairs, with_system,
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
}

/// Draws a state space, or a part of one.
pub(crate) fn space(bench: &mut Bench, request: &Space) -> Result<Value, Vec<Problem>> {
    let (files, options) = (bench.model.files(), bench.model.options());
    let name = files.first().map_or("model", String::as_str);
    let most = request.most.unwrap_or(MOST).min(LIMIT);
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
        Some(mut found) => (graph::explore(&mut found.view, most), found.is_complete),
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
    let systems = bench.systems(request.text.as_deref(), &formulas)?;
    let questions = &systems.loaded().questions;
    let at = match (request.question, &request.formula) {
        (Some(at), None) if at < questions.len() => Some(at),
        (None, Some(_)) => questions.iter().position(|question| question.choice.is_none()),
        _ => None,
    };
    let at = at.ok_or_else(|| problem("the model has no such question"))?;
    let choice = questions[at].choice.clone();
    let mut question = systems.bind(at).map_err(|why| match why {
        BindingError::InModel(diagnostics) => {
            let text = systems.loaded().text.as_deref().unwrap_or_default();
            diagnostics.iter().map(|it| Problem::at(it, name, text)).collect::<Vec<Problem>>()
        }
        BindingError::InFormula(wrong) => {
            let place = |it| Problem::at(it, &wrong.text.name, &wrong.text.text);
            wrong.diagnostics.iter().map(place).collect()
        }
    })?;
    if matches!(question.asked, Asked::Claim(_)) {
        return Err(problem("this is no formula, so there is no automaton"));
    }
    let which = question.system;
    let alone = request.alone;
    let found = with_system!(systems.made(which), system => {
        paired(system, &mut question, most, alone)
    })?;
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

fn paired<S: TransitionSystem>(
    system: &mut S,
    question: &mut Question,
    most: usize,
    alone: bool,
) -> Result<Value, Vec<Problem>> {
    let assumption = Assumption::of(Notion::None);
    let deadline = Some(Instant::now() + PATIENCE);
    let bounds = Bounds { deadline, ..Bounds::default() };
    let options = Options { bounds, ..Options::default() };
    let no_formula = || problem("this is no formula, so there is no automaton");
    let shown = match &question.asked {
        Asked::Formula(_, shown) => shown.clone(),
        Asked::Claim(_) => return Err(no_formula()),
    };
    let property = question.property().ok_or_else(no_formula)?;
    let formula = shown;
    if alone {
        let parts = Parts {
            property: Some(property),
            assumption: &assumption,
            reading: EventPosition::default(),
            most,
        };
        let found = objects(system, Object::Negation, parts, &options);
        let found = found.map_err(|why| match why {
            ObjectError::Senseless(why) => problem(why),
            ObjectError::Unknown(why) => problem(&why.to_string()),
        })?;
        let automaton = found.and_then(|all| all.into_iter().next());
        let automaton = automaton.map(|automaton| document(&automaton));
        return Ok(json!({ "formula": formula, "automaton": automaton }));
    }
    let found = pairs(system, property, &assumption, &options, most);
    let found = found.map_err(|why| problem(&why.to_string()))?;
    let Some(pairs) = found else {
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
            PairDocument { state, shown, automaton: pair.automaton.index(), steps }
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
