//! How a question would be answered, without answering it: the automaton, the acceptance condition of the
//! product, the engine, and which reductions apply, or why they do not.
//!
//! The parts are made by the same functions that [`crate::check()`] uses, so a plan and the stamp of the verdict
//! cannot disagree about them. How much a reduction saves is known only afterwards; the stamp says it.

use fairly_fairness::Notion;
use fairly_omega::Graph;
use fairly_reduce::{Reducible, Symmetry, Watched};
use fairly_search::engines::Question;
use fairly_search::{Engine, Product};

use crate::assumption::Assumption;
use crate::property::Property;
use crate::soundness::{self, Refusal, Refusals, RowKind};
use crate::verdict::WhyUnknown;
use crate::verify::{Options, Reduction, as_negation, negation, wanted};

/// How a formula would be checked.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The fairness assumed, in words.
    pub fairness: String,
    /// Every constraint of it, by name.
    pub constraints: Vec<String>,
    /// States and edges of the automaton of the negated property.
    pub automaton: (usize, usize),
    /// How many premises of the property are marks of the product and no states of the automaton.
    pub premises: usize,
    /// The acceptance condition of the product.
    pub acceptance: String,
    /// Name of such a condition.
    pub class: String,
    /// The engine.
    pub engine: &'static Engine,
    /// Why it is this one.
    pub why: String,
    /// Every reduction, and what comes of it.
    pub reductions: Vec<Planned>,
}

/// A reduction, and what comes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// Name of the reduction.
    pub name: &'static str,
    /// How it is used, or why it is not.
    pub used: Result<String, String>,
}

const ORDERS: &str = "partial order";
const SYMMETRY: &str = "symmetry";
const RESETTING_DEAD: &str = "dead variables";
const MERGING: &str = "merged statements";
const PRINTED: &str = "printed ample sets";
const DEAD_RESETS: &str = "values that are written before they are read again are reset";

/// How a formula would be checked.
///
/// # Errors
/// Why it would stay unknown before any search.
pub fn plan<S: Reducible>(
    system: &mut S,
    property: &mut Property,
    assumption: &Assumption,
    options: &Options,
) -> Result<Plan, WhyUnknown> {
    let constraints = assumption
        .constraints(system, options.bounds)
        .map_err(|cut| WhyUnknown::cut(cut, system))?;
    let names = constraints.iter().map(|constraint| constraint.name.clone()).collect();
    let (mut lifted, bindings) = negation(property, options)?;
    let automaton = (lifted.automaton.state_count(), lifted.automaton.edge_count());
    let premises = lifted.constraints.len();
    let refused_by_notion = match assumption.notion {
        Notion::Global => Some(Refusal::Table(RowKind::Global)),
        Notion::Inherent(_) => Some(Refusal::Table(RowKind::Inherent)),
        _ => None,
    };
    let mut is_followed = false;
    let reductions = match &refused_by_notion {
        Some(why) => {
            let mut all = refused(&why.to_string());
            let resets_dead = matches!(assumption.notion, Notion::Inherent(_))
                && matches!(
                    options.reduction,
                    Reduction::Sound | Reduction::DeadVariables | Reduction::Local
                );
            if let Some(resetting_dead) =
                all.iter_mut().find(|it| resets_dead && it.name == RESETTING_DEAD)
            {
                resetting_dead.used = Ok(DEAD_RESETS.to_owned());
            }
            all
        }
        None => {
            let followed = options.chosen(Question::Runs).is_none();
            let watched = Watched { followed, ..soundness::seen(Some(property), &constraints) };
            let wanted = wanted(Some(property), &constraints, watched, options);
            let orders = wanted.orders.as_ref().err().map(ToString::to_string);
            let wants = (wanted.resetting_dead.is_some(), wanted.merging.is_some());
            let mut refused = Refusals::default();
            let stop = options.bounds.stop();
            let reduced = soundness::reduce(system, wanted, stop, &mut refused);
            is_followed = reduced.symmetry().is_some_and(Symmetry::is_followed);
            let printed = refused.unreduced.as_ref().map(ToString::to_string);
            let mut all = planned(&reduced, orders, wants, refused);
            if options.reduction == Reduction::Paper {
                let used = printed.map_or(Ok("as the paper prints them".to_owned()), Err);
                all.push(Planned { name: PRINTED, used });
            }
            all
        }
    };
    let reading = property.reading;
    let negation = as_negation(&mut lifted.automaton, &lifted.constraints, bindings, reading)?;
    let product = Product::new(system, negation, constraints);
    let acceptance = product.acceptance();
    let (class, condition) = (acceptance.class().to_string(), acceptance.to_string());
    let question = match assumption.notion {
        Notion::Global => Question::GlobalRuns,
        Notion::Inherent(_) => Question::Prefixes,
        _ if is_followed && Engine::able(Question::QuotientRuns, acceptance).is_some() => {
            Question::QuotientRuns
        }
        _ => Question::Runs,
    };
    let engine = options.engine_for(question, acceptance);
    let why = match options.chosen(question) {
        Some(engine) if !engine.decides(acceptance) => {
            format!("--engine asks for it, but it cannot decide such a condition ({class})")
        }
        Some(_) => "--engine asks for it".to_owned(),
        None if engine.reason.is_empty() => {
            "the first of the engines that decides such a condition".to_owned()
        }
        None => engine.reason.to_owned(),
    };
    Ok(Plan {
        fairness: assumption.to_string(),
        constraints: names,
        automaton,
        premises,
        acceptance: condition,
        class,
        engine,
        why,
        reductions,
    })
}

/// No reduction, for one reason.
fn refused(why: &str) -> Vec<Planned> {
    let all = [ORDERS, SYMMETRY, RESETTING_DEAD, MERGING];
    all.into_iter().map(|name| Planned { name, used: Err(why.to_owned()) }).collect()
}

/// Outcome of each reduction for this system; `orders` is the reason why partial orders are out of the
/// question, if they are.
fn planned<S: Reducible>(
    reduced: &fairly_reduce::Reduced<'_, S>,
    orders: Option<String>,
    (resetting_dead, merging): (bool, bool),
    refused: Refusals,
) -> Vec<Planned> {
    let off = || Refusal::NotAsked.to_string();
    let sizes = reduced.symmetry().map(|symmetry| {
        let sizes: Vec<String> = symmetry.groups().map(|size| size.to_string()).collect();
        format!(
            "{} processes are alike: one state for all that differ by a permutation",
            sizes.join(" + ")
        )
    });
    let left_out = refused.unreduced.as_ref().map(ToString::to_string);
    let of_orders = match (&sizes, orders, left_out) {
        (_, Some(why), _) => Err(why),
        (Some(_), None, _) => {
            Err("symmetry saves more, and both together are not done here".to_owned())
        }
        (None, None, Some(why)) => Err(why),
        (None, None, None) => Ok("steps of other processes that commute are left out".to_owned()),
    };
    let of_symmetry = match (sizes, refused.asymmetric) {
        (Some(sizes), _) => Ok(sizes),
        (None, Some(why)) => Err(why.to_string()),
        (None, None) if of_orders == Err(off()) => Err(off()),
        (None, None) if of_orders.is_ok() => {
            Err("no two processes are alike, or too few for it to save more than partial order"
                .to_owned())
        }
        (None, None) => Err("no two processes are alike".to_owned()),
    };
    let of_resetting_dead = match (reduced.dead_resets(), resetting_dead) {
        (Some(_), _) => Ok(DEAD_RESETS.to_owned()),
        (None, false) => Err(off()),
        (None, true) if reduced.symmetry().is_some() => {
            Err("processes are followed through their permutations".to_owned())
        }
        (None, true) => Err("no variable is dead anywhere".to_owned()),
    };
    let of_merging = match (reduced.merged(), merging) {
        (0, true) => Err("no statement can be merged into the one before it".to_owned()),
        (0, false) => match &of_orders {
            Err(why) if reduced.symmetry().is_none() => Err(why.clone()),
            _ => Err("the property or the fairness asks what is enabled in between".to_owned()),
        },
        (1, _) => Ok("1 location is passed".to_owned()),
        (count, _) => Ok(format!("{count} locations are passed")),
    };
    vec![
        Planned { name: ORDERS, used: of_orders },
        Planned { name: SYMMETRY, used: of_symmetry },
        Planned { name: RESETTING_DEAD, used: of_resetting_dead },
        Planned { name: MERGING, used: of_merging },
    ]
}
