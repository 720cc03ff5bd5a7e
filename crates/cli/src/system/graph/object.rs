//! `fairly graph --object`: what a check is made of, as automata that `fairly aut` reads.

use clap::ValueEnum;
use fairly_check::{
    Assumption, Object, ObjectError, Parts, Property, SystemIndex, objects, with_system,
};
use fairly_omega::Automaton;
use fairly_omega::formats::{dot, hoa};
use fairly_source::escape::visible;
use fairly_system::{EventPosition, TransitionSystem};

use super::{To, one_formula};
use crate::failure::CliError;
use crate::system::arguments::{FairnessName, LevelName, Model, notion};
use crate::system::load;
use crate::system::questions::Question;

/// Object that is drawn.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Which {
    /// The processes, an automaton each.
    Processes,
    /// The asynchronous product of the processes, without the values that they read.
    Interleaving,
    /// The system as a Büchi automaton that accepts all its runs.
    System,
    /// The system as a Kripke structure that was turned into an automaton.
    Kripke,
    /// The system with marks for the fairness: generalized Büchi, Streett, or both.
    Fair,
    /// The automaton of the negated formula.
    Negation,
    /// The system, the fairness and the automaton of the negated formula; empty exactly if the formula holds.
    Product,
    /// The monitor of weak fairness of all processes.
    WeakMonitor,
    /// The monitors of strong fairness, one for each process.
    StrongMonitor,
    /// The system with the monitor of weak fairness.
    WithWeakMonitor,
    /// The system with the monitors of strong fairness.
    WithStrongMonitor,
}

impl Which {
    fn object(self) -> Object {
        match self {
            Which::Processes => Object::Processes,
            Which::Interleaving => Object::Interleaving,
            Which::System => Object::System,
            Which::Kripke => Object::Kripke,
            Which::Fair => Object::Fair,
            Which::Negation => Object::Negation,
            Which::Product => Object::Product,
            Which::WeakMonitor => Object::WeakMonitor,
            Which::StrongMonitor => Object::StrongMonitors,
            Which::WithWeakMonitor => Object::WeaklyMonitored,
            Which::WithStrongMonitor => Object::StronglyMonitored,
        }
    }
}

/// The fairness that is drawn.
pub(in crate::system) struct Fair<'a> {
    pub(in crate::system) fairness: Option<FairnessName>,
    pub(in crate::system) level: LevelName,
    pub(in crate::system) constraints: &'a [String],
}

/// Builds the automata; none if there are too many states.
pub(in crate::system) fn automata(
    model: &Model,
    which: Which,
    fair: &Fair<'_>,
    most: usize,
) -> Result<Option<Vec<Automaton>>, CliError> {
    let options = model.options()?;
    // Without a formula that is chosen, all names of the system are letters.
    let is_chosen = !model.formulas.is_empty()
        || !model.properties.is_empty()
        || matches!(which, Which::Negation | Which::Product);
    let mut file = load::read(&model.files, model)?;
    let notion = notion(fair.fairness, fair.level, file.systems.loaded().is_annotated);
    let reading = file.systems.loaded().reading;
    let mut questions = file.questions(model)?;
    let first = questions.first().map_or(SystemIndex::ONLY, Question::system);
    questions.retain(|question| question.formula().is_some());
    if is_chosen {
        one_formula(questions.len())?;
    }
    let mut chosen = questions.first_mut().filter(|_| is_chosen);
    let system = chosen.as_ref().map_or(first, |question| question.system());
    let assumption = file.assumption(notion, fair.constraints, system, options.bounds)?;
    let property = chosen.as_mut().and_then(|question| question.bound.property());
    let system = file.system(system)?;
    with_system!(system, system => {
        made(system, which, property, &assumption, reading, most, &options)
    })
}

fn made<S: TransitionSystem>(
    system: &mut S,
    which: Which,
    property: Option<&mut Property>,
    assumption: &Assumption,
    reading: EventPosition,
    most: usize,
    options: &fairly_check::Options,
) -> Result<Option<Vec<Automaton>>, CliError> {
    let parts = Parts { property, assumption, reading, most };
    objects(system, which.object(), parts, options).map_err(|why| match why {
        ObjectError::Senseless(why) => CliError::usage(why),
        ObjectError::Unknown(why) => CliError::Unknown(why.to_string()),
    })
}

/// The automata as text, one after the other.
pub(super) fn text(automata: &[Automaton], to: To) -> Result<String, CliError> {
    let print = match to {
        To::Hoa => hoa::print,
        To::Dot => dot::print,
        To::Aut | To::Mermaid => {
            return Err(CliError::usage("automata are drawn with --to hoa or --to dot"));
        }
    };
    // Names of a model are material: what a terminal would obey is shown instead.
    Ok(automata.iter().map(|automaton| visible(&print(automaton)).into_owned()).collect())
}
