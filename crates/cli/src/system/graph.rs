//! `fairly graph`: a small state space, a part of one, or a product with an automaton, drawn.

mod object;

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use fairly_check::{Assumption, Portion, Property, with_system};
use fairly_fairness::Notion;
use fairly_report::Source;
use fairly_report::graph::part::{self, Part};
use fairly_report::graph::{self, Drawn};
use fairly_system::TransitionSystem;

pub(super) use self::object::{Fair, Which, automata};
use super::arguments::{FairnessName, LevelName, Model};
use super::load;
use super::with::{Work, on_system};
use crate::failure::{self, CliError};
use crate::files;
use crate::output::Destination;

#[derive(Args)]
pub(crate) struct Graph {
    #[command(flatten)]
    pub(crate) model: Model,
    /// How to draw it.
    #[arg(long, value_enum, default_value_t = To::Dot)]
    to: To,
    /// Only what is near a state: one that a picture numbers, such as s12, or the first in which a condition
    /// of the model is true. The states themselves may be many.
    #[arg(long, value_name = "STATE")]
    around: Option<String>,
    /// How many steps are near, forwards and backwards; from the start, if no state is given.
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    /// Only the strongly connected component of the state; without a state, the largest one.
    #[arg(long, conflicts_with = "depth")]
    component: bool,
    /// The product with the automaton of a negated formula, which -p or -f names: a violating run is a path
    /// whose cycle has the marks that acceptance asks for.
    #[arg(long, conflicts_with_all = ["around", "depth", "component"])]
    product: bool,
    /// Object to draw, as an automaton that `fairly aut` reads. With -f it is the product, with --fairness alone the
    /// system with its marks, with --to hoa the system. The propositions are those of the formula that -p or -f names;
    /// without one, the events and values of the system.
    #[arg(long, value_enum, value_name = "OBJECT", conflicts_with_all = ["product", "around", "depth", "component"])]
    object: Option<Which>,
    /// The fairness that the object has marks for. Without it: the model's annotations if it has any, else none.
    #[arg(long, value_enum, value_name = "NOTION", conflicts_with_all = ["around", "depth", "component"])]
    fairness: Option<FairnessName>,
    /// Subject of weak and strong fairness.
    #[arg(long, value_enum, default_value_t = LevelName::Process)]
    level: LevelName,
    /// A further constraint, written as for `fairly check`.
    #[arg(long = "constraint", value_name = "CONSTRAINT", conflicts_with_all = ["around", "depth", "component"])]
    constraints: Vec<String>,
    /// Where to write it; without it, to standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum To {
    /// Graphviz; components are coloured by the fairness of the runs that stay in them.
    Dot,
    /// Aldebaran, as CADP and mCRL2 read it.
    Aut,
    /// The Hanoi format: a Büchi automaton whose propositions are events and values of states.
    Hoa,
    /// Mermaid's state diagram, which GitHub draws.
    Mermaid,
}

/// States that can still be drawn.
pub(super) const MOST: usize = 500;

pub(crate) fn graph(request: &Graph) -> Result<ExitCode, CliError> {
    files::keep_apart(request.output.as_deref(), &request.model.files)?;
    let destination = Destination::open(request.output.as_deref())?;
    let most = request.model.options()?.bounds.nodes.unwrap_or(MOST);
    let part =
        Part { around: request.around.clone(), depth: request.depth, component: request.component };
    let is_part = part.around.is_some() || part.depth.is_some() || part.component;
    if let Some(which) = request.which(is_part) {
        let fair = Fair {
            fairness: request.fairness,
            level: request.level,
            constraints: &request.constraints,
        };
        let automata = automata(&request.model, which, &fair, most)?;
        request.model.quiet();
        let Some(automata) = automata else { return Ok(too_many(most)) };
        destination.write(&object::text(&automata, request.to)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let is_product = request.product || !request.model.formulas.is_empty() && !is_part;
    let drawn = match (is_product, is_part) {
        (true, _) => product(&request.model, most)?,
        (_, true) => on_system(&request.model, Near { part, most })?,
        _ => on_system(&request.model, Explore { most })?,
    };
    request.model.quiet();
    let Some(drawn) = drawn else { return Ok(too_many(most)) };
    let text = match request.to {
        To::Dot => drawn.dot(),
        To::Aut => drawn.aut(),
        To::Hoa => drawn.hoa(),
        To::Mermaid => drawn.mermaid(),
    };
    destination.write(&text)?;
    Ok(ExitCode::SUCCESS)
}

impl Graph {
    /// The object that is drawn as an automaton; none for a picture of states.
    fn which(&self, is_part: bool) -> Option<Which> {
        let is_fair = self.fairness.is_some() || !self.constraints.is_empty();
        let is_product = self.product || !self.model.formulas.is_empty();
        match self.object {
            Some(which) => Some(which),
            None if is_part => None,
            None if is_product && (is_fair || self.to == To::Hoa) => Some(Which::Product),
            None if is_product => None,
            None if is_fair => Some(Which::Fair),
            None => (self.to == To::Hoa).then_some(Which::System),
        }
    }
}

/// The answer where there is too much to draw.
pub(super) fn too_many(most: usize) -> ExitCode {
    eprintln!(
        "unknown: there are more than {most} states; --max-states N draws more, --around STATE and \
         --depth N draw a part, and `fairly sim` looks at a few"
    );
    ExitCode::from(failure::UNKNOWN)
}

/// One formula is chosen, or none where none is needed.
fn one_formula(count: usize) -> Result<(), CliError> {
    match count {
        0 | 1 => Ok(()),
        count => Err(CliError::Usage {
            message: format!("this is about one formula, and there are {count}"),
            help: Some("choose one with -p NAME".to_owned()),
        }),
    }
}

struct Explore {
    most: usize,
}

impl Work for Explore {
    type Output = Option<Drawn>;

    fn run<S: TransitionSystem>(
        self,
        system: &mut S,
        _source: Option<Source<'_>>,
    ) -> Result<Option<Drawn>, CliError> {
        Ok(graph::explore(system, self.most))
    }
}

/// A part of the state space.
struct Near {
    part: Part,
    most: usize,
}

impl Work for Near {
    type Output = Option<Drawn>;

    fn run<S: TransitionSystem>(
        self,
        system: &mut S,
        _source: Option<Source<'_>>,
    ) -> Result<Option<Drawn>, CliError> {
        let found = part::find(system, &self.part, self.most).map_err(CliError::usage)?;
        Ok(found.and_then(|mut found| {
            if !found.is_complete {
                eprintln!(
                    "there are more than {} states; the part is one of those that were explored",
                    part::EXPLORED
                );
            }
            graph::explore_view(&mut found.view, self.most)
        }))
    }
}

/// The product with the automaton of the formula that the arguments choose.
fn product(model: &Model, most: usize) -> Result<Option<Drawn>, CliError> {
    let none = || CliError::Usage {
        message: "--product is about a formula, and there is none".to_owned(),
        help: Some("choose one with -p NAME, or give one with -f LTL".to_owned()),
    };
    let several = |count: usize| match count {
        0 | 1 => Ok(()),
        count => Err(CliError::Usage {
            message: format!("--product is about one formula, and there are {count}"),
            help: Some("choose one with -p NAME".to_owned()),
        }),
    };
    let mut file = load::read(&model.files, model)?;
    let questions = file.questions(model)?;
    let mut formulas: Vec<_> =
        questions.into_iter().filter(|question| question.formula().is_some()).collect();
    several(formulas.len())?;
    let question = formulas.first_mut().ok_or_else(none)?;
    let system = file.system(question.system())?;
    let property = question.bound.property().ok_or_else(none)?;
    with_system!(system, system => of_formula(system, property, model, most))
}

fn of_formula<S: TransitionSystem>(
    system: &mut S,
    property: &mut Property,
    model: &Model,
    most: usize,
) -> Result<Option<Drawn>, CliError> {
    let assumption = Assumption::of(Notion::None);
    let options = model.options()?;
    let whole = Portion { path: &[], most, is_whole: true };
    let pairs = fairly_check::pairs(system, property, &assumption, &options, whole)
        .map_err(|why| CliError::Unknown(why.to_string()))?;
    let Some(pairs) = pairs else { return Ok(None) };
    if pairs.nodes.is_empty() {
        let why = "nothing to draw: the product is empty, since no run can violate the formula";
        return Err(CliError::Nothing(why.to_owned()));
    }
    Ok(graph::product(system, &pairs, most))
}
