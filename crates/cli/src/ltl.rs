//! `fairly ltl`: a formula rewritten, classified or translated.

use std::fmt::Write;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use fairly_logic::{Formula, Formulas, Premise, Spelling};
use fairly_omega::formats::{dot, hoa, never};
use fairly_omega::{Alternating, Automaton, BudgetError, Limits, Resource, ops};
use fairly_translate::classes::classify;
use fairly_translate::{
    Options, TRANSLATORS, Translator, gpvw_explained, translate, translate_alternating,
    translate_generic,
};

use serde_json::json;

use crate::failure::CliError;
use crate::{input, output, stepping};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The formula, in the spelling of SPIN, PAT, Spot or TLA; `-` reads standard input.
    #[arg(value_name = "LTL")]
    formula: String,
    /// Form to print: an automaton of the formula, or the formula in another tool's spelling.
    #[arg(long, value_enum, value_name = "FORM")]
    to: Option<Form>,
    /// Say in words what kind of property it is.
    #[arg(long)]
    class: bool,
    /// Negate the formula first, as a search for violations does.
    #[arg(long)]
    negate: bool,
    /// Rewrite the formula into a simpler one first.
    #[arg(long)]
    simplify: bool,
    /// Which condition the automaton has. Without it, generalized Büchi; a formula with fairness
    /// premises for which that is too large gets a generic condition, or a part for each premise.
    #[arg(long, value_enum, value_name = "KIND")]
    acceptance: Option<Kind>,
    /// Make an automaton that branches universally: a part for each fairness premise (HOA only).
    #[arg(long, conflicts_with = "acceptance")]
    alternating: bool,
    /// Which translator makes the automaton.
    #[arg(long, value_name = "NAME", value_parser = translators(), default_value = TRANSLATORS[0].name)]
    translator: String,
    /// Print the tableau construction step by step, with the sets of every node; needs `--translator gpvw`.
    #[arg(long, value_enum, value_name = "FORM", num_args = 0..=1, default_missing_value = "text", require_equals = true)]
    explain: Option<Steps>,
    /// Give up, with exit code 3, when the automaton has more states.
    #[arg(long, value_name = "N")]
    max_states: Option<usize>,
}

fn translators() -> clap::builder::PossibleValuesParser {
    let named = TRANSLATORS.iter().map(|translator| {
        clap::builder::PossibleValue::new(translator.name).help(translator.summary)
    });
    clap::builder::PossibleValuesParser::new(named)
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// An automaton in the Hanoi omega-automata format.
    Hoa,
    /// An automaton as a SPIN never claim.
    Never,
    /// An automaton for Graphviz.
    Dot,
    /// The formula as Spot writes it.
    Spot,
    /// The formula as SPIN writes it.
    Spin,
    /// The formula as PAT writes it.
    Pat,
    /// The formula in TLA-like words.
    Tla,
}

/// How steps are printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Steps {
    /// For people.
    Text,
    /// One JSON document.
    Json,
}

/// The construction of Gerth, Peled, Vardi and Wolper, step by step.
fn explained(
    formulas: &mut Formulas,
    formula: Formula,
    request: &Arguments,
    form: Steps,
) -> Result<String, CliError> {
    if request.translator != "gpvw" {
        return Err(CliError::Usage {
            message: "only the tableau has steps that can be printed".to_owned(),
            help: Some("add --translator gpvw".to_owned()),
        });
    }
    let limits = options(request).limits;
    let (automaton, explanation) = gpvw_explained(formulas, formula, limits)?;
    if form == Steps::Json {
        let document = json!({
            "schema": "fairly.ltl.tableau/1",
            "formula": explanation.formula,
            "steps": explanation.steps,
            "states": explanation.states,
        });
        return Ok(format!("{document:#}\n"));
    }
    let mut out = format!("{}\n\n", explanation.formula);
    for (at, step) in explanation.steps.iter().enumerate() {
        let (what, sets) = stepping::said_of(step);
        let _ = writeln!(out, "{:>3}  {what}\n     {}", at + 1, stepping::shown(sets));
    }
    let set = |formulas: &[String]| format!("{{{}}}", formulas.join(", "));
    out.push_str("\nstate  Incoming  Old  Next\n    0  initial\n");
    for (at, state) in explanation.states.iter().enumerate() {
        let incoming: Vec<String> = state.incoming.iter().map(u32::to_string).collect();
        let _ = writeln!(
            out,
            "{:>5}  {{{}}}  {}  {}",
            at + 1,
            incoming.join(", "),
            set(&state.old),
            set(&state.next),
        );
    }
    if request.to.is_none() {
        let _ = write!(out, "\n{}", hoa::print(&automaton));
    }
    Ok(out)
}

/// The condition of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// One set of edges to be met infinitely often.
    Buchi,
    /// Several such sets.
    GeneralizedBuchi,
    /// Any combination of `Inf` and `Fin`: what is said of the limit costs no states.
    #[value(alias = "emerson-lei")]
    Generic,
}

/// More fairness premises `GF a -> GF b` than this, each of which doubles a generalized Büchi
/// automaton, are not tried.
const MOST_DOUBLED: usize = 8;

/// An automaton with a generic condition that was not asked for has at most so many edges; with more, the
/// automaton branches universally.
const MOST_UNASKED: usize = 5_000;

/// Result of a translation.
enum Made {
    Plain(Automaton),
    Alternating(Alternating),
}

pub(crate) fn run(request: &Arguments) -> Result<ExitCode, CliError> {
    let (name, text) = if request.formula == "-" {
        let input = input::read("-")?;
        (input.name, input.text)
    } else {
        ("<formula>".to_owned(), request.formula.clone())
    };
    let mut formulas = Formulas::new();
    let mut formula = formulas.parse(&text).map_err(|diagnostic| CliError::Input {
        name,
        text: text.clone(),
        diagnostic: Box::new(diagnostic),
    })?;
    // There is no model that could tell a state proposition from an event.
    formula = formulas.replace_atoms(formula, |formulas, id| {
        let atom = formulas.atom_of(id).clone().unquoted();
        formulas.atom(atom)
    });
    if request.negate {
        formula = formulas.negate(formula);
    }
    if request.simplify {
        formula = formulas.simplify(formula);
    }
    let mut out = String::new();
    if let Some(form) = request.explain {
        out.push_str(&explained(&mut formulas, formula, request, form)?);
    }
    if request.class {
        out.push_str(&class(&mut formulas, formula, request));
    }
    match request.to {
        None if request.class || request.explain.is_some() => {}
        None => {
            let _ = writeln!(out, "{}", formulas.display(formula));
        }
        Some(Form::Spot) => spelled(&formulas, formula, Spelling::Spot, &mut out)?,
        Some(Form::Spin) => spelled(&formulas, formula, Spelling::Spin, &mut out)?,
        Some(Form::Pat) => spelled(&formulas, formula, Spelling::Pat, &mut out)?,
        Some(Form::Tla) => spelled(&formulas, formula, Spelling::Tla, &mut out)?,
        Some(form) => {
            let made = make(&mut formulas, formula, request, form)?;
            let limits = options(request).limits;
            match (form, made) {
                (Form::Dot, Made::Plain(automaton)) => out.push_str(&dot::print(&automaton)),
                (Form::Never, Made::Plain(automaton)) => {
                    let buchi = ops::to_state_based(&ops::to_buchi(&automaton, limits)?, limits)?;
                    let claim =
                        never::print(&buchi).map_err(|error| CliError::usage(error.to_string()))?;
                    out.push_str(&claim);
                }
                (Form::Hoa, Made::Alternating(automaton)) => {
                    out.push_str(&hoa::print_alternating(&automaton));
                }
                (_, Made::Alternating(_)) => {
                    let message = "only HOA can express universal branching";
                    return Err(CliError::usage(message));
                }
                (_, Made::Plain(automaton)) => out.push_str(&hoa::print(&automaton)),
            }
        }
    }
    output::write(&out, None)?;
    Ok(ExitCode::SUCCESS)
}

/// Translates the formula into the kind of automaton that is asked for, or else the first that is
/// not too large.
fn make(
    formulas: &mut Formulas,
    formula: Formula,
    request: &Arguments,
    form: Form,
) -> Result<Made, CliError> {
    let options = options(request);
    if request.alternating {
        return Ok(Made::Alternating(translate_alternating(formulas, formula, &options)?));
    }
    let made = match request.acceptance {
        Some(Kind::Buchi) => {
            ops::to_buchi(&translate(formulas, formula, &options)?, options.limits)?
        }
        Some(Kind::GeneralizedBuchi) => translate(formulas, formula, &options)?,
        Some(Kind::Generic) => translate_generic(formulas, formula, &options)?,
        None => return unasked(formulas, formula, &options, form),
    };
    Ok(Made::Plain(made))
}

fn unasked(
    formulas: &mut Formulas,
    formula: Formula,
    options: &Options,
    form: Form,
) -> Result<Made, CliError> {
    let simple = formulas.simplify(formula);
    let premises = formulas.lift(simple).premises;
    let doubled = premises.iter().filter(|it| matches!(it, Premise::Compassion(..))).count();
    let own_translator = options.translator.name != TRANSLATORS[0].name;
    let first = if doubled <= MOST_DOUBLED || form == Form::Never || own_translator {
        translate(formulas, formula, options)
    } else {
        Err(BudgetError { resource: Resource::States, limit: options.limits.states })
    };
    let refused = match first {
        Ok(automaton) => return Ok(Made::Plain(automaton)),
        Err(refused) => refused,
    };
    if form == Form::Never || own_translator {
        return Err(refused.into());
    }
    let limits = Limits { edges: options.limits.edges.min(MOST_UNASKED), ..options.limits };
    let small = Options { limits, ..*options };
    if let Ok(automaton) = translate_generic(formulas, formula, &small) {
        return Ok(Made::Plain(automaton));
    }
    if form != Form::Hoa {
        return Err(refused.into());
    }
    match translate_alternating(formulas, formula, options) {
        Ok(automaton) => {
            output::note(
                "the automaton branches universally: without that, this formula takes an edge for \
                 each set of its premises; --acceptance chooses the condition",
            );
            Ok(Made::Alternating(automaton))
        }
        Err(_) => Err(refused.into()),
    }
}

fn options(request: &Arguments) -> Options {
    let translator = Translator::named(&request.translator).expect("clap checked the name");
    let defaults = Options::default();
    let limits = match request.max_states {
        None => defaults.limits,
        Some(states) => {
            Limits { states, edges: states.saturating_mul(100).max(defaults.limits.edges) }
        }
    };
    Options { translator, limits }
}

fn spelled(
    formulas: &Formulas,
    formula: Formula,
    spelling: Spelling,
    out: &mut String,
) -> Result<(), CliError> {
    let text = formulas
        .spell(formula, spelling)
        .map_err(|_| CliError::usage("the formula is too long to be written in this spelling"))?;
    let _ = writeln!(out, "{text}");
    Ok(())
}

/// Kind of property: by its language where that can be found out, else by its syntax.
fn class(formulas: &mut Formulas, formula: Formula, request: &Arguments) -> String {
    let mut out = format!("{}\n", formulas.display(formula));
    match classify(formulas, formula, &options(request)) {
        Ok(semantic) => {
            for line in semantic.to_string().lines() {
                let _ = writeln!(out, "  {line}");
            }
        }
        Err(_) => {
            let smallest = formulas.classes(formula).smallest();
            let _ = writeln!(out, "  by its syntax: {}", smallest.describe());
            let stutter = if formulas.is_next_free(formula) {
                "stutter-invariant: it has no X"
            } else {
                "may tell repeated states apart: it has an X"
            };
            let _ = writeln!(out, "  {stutter}");
        }
    }
    let events = if formulas.is_interruptible(formula) {
        "interruptible: events it does not name can come in between"
    } else {
        "not seen to be interruptible: an event it does not name may change it"
    };
    let _ = writeln!(out, "  {events}");
    out
}
