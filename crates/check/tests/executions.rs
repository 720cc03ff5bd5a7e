//! Random programs in CSP# and Promela by the interpreter and by native code: the same states, steps,
//! faults and propositions, and the same verdicts. Lossy searches are asked as well.
//!
//! `FAIRLY_RANDOM_CASES` says how many programs of each language, `FAIRLY_SEED` the seed of the first.
//! The meaning of the programs is compared elsewhere, with a naive semantics and with SPIN.

use std::fmt::Debug;
use std::sync::Arc;

use fairly_check::claim::{ClaimOutcome, ClaimVerdict};
use fairly_check::{Assumption, Execution, Options, Outcome, Property};
use fairly_fairness::{Level, Notion};
use fairly_front::csp::syntax::Claim;
use fairly_front::csp::{self, Parts, Plan};
use fairly_model::Model;
use fairly_modelkit::native as compare;
use fairly_reduce::ModelSystem;
use fairly_search::Bounds;
use fairly_testkit::Rng;
use fairly_testkit::csp::ast;
use fairly_testkit::csp::generate as csp_generate;

use crate::common::languages::{CspFile, PromelaFile, Question};
use crate::common::{hunting, seeds};
use crate::promela_random::generate as promela_generate;
use crate::promela_random::program::Form;

/// States of a program that are compared one by one.
const STATES: usize = 300;
/// Bounds of a verdict.
const BOUNDS: Bounds = Bounds { nodes: Some(3000), deadline: None, bytes: None, watch: None };

/// A verdict as far as it does not depend on the order of states; `None` if it is unknown.
type Said = Option<String>;

fn said_of_claim(verdict: &ClaimVerdict) -> Said {
    let told = |word: &str, shown: Option<usize>| Some(format!("{word} {shown:?}"));
    let length = |shown: &fairly_check::claim::Shown| shown.prefix.steps.len();
    match &verdict.outcome {
        // Everything was explored, so there is no order in how much that is.
        ClaimOutcome::Holds(None) => Some(format!("holds {:?}", verdict.size)),
        ClaimOutcome::Violated(None) => Some(format!("violated {:?}", verdict.size)),
        ClaimOutcome::Holds(Some(shown)) => told("holds", Some(length(shown))),
        ClaimOutcome::Violated(Some(shown)) => told("violated", Some(length(shown))),
        ClaimOutcome::Unknown(_) => None,
    }
}

/// Without fairness, and with the weak and the strong one.
fn said_of_formula(system: &mut ModelSystem, property: &mut Property) -> Vec<Said> {
    let options = Options { bounds: BOUNDS, ..Options::default() };
    let level = Level::Process;
    let notions = [Notion::None, Notion::Weak(level), Notion::Strong(level)];
    let judge = |notion| {
        let assumption = Assumption::of(notion);
        let verdict = fairly_check::check(system, property, &assumption, &options);
        match verdict.expect("it stands up to replay").outcome {
            Outcome::Holds(_) => Some("holds".to_owned()),
            Outcome::Violated(_) | Outcome::Doomed(_) => Some("violated".to_owned()),
            Outcome::Unknown(_) => None,
        }
    };
    notions.into_iter().map(judge).collect()
}

/// The answers that both gave are the same; how many there are.
fn same<T: Debug + PartialEq>(
    [interpreted, native]: [&[Option<T>]; 2],
    told: impl Fn() -> String,
) -> usize {
    assert_eq!(interpreted.len(), native.len(), "{}", told());
    let both =
        interpreted.iter().zip(native).filter(|(one, other)| one.is_some() && other.is_some());
    both.inspect(|(one, other)| assert_eq!(one, other, "{}", told())).count()
}

const EXECUTIONS: [Execution; 2] = [Execution::Interpreted, Execution::Native];

/// Counts over all programs.
#[derive(Debug, Default)]
struct Tally {
    states: usize,
    by_native: usize,
    verdicts: usize,
    found_lossily: usize,
}

#[test]
fn random_promela() {
    let mut tally = Tally::default();
    for seed in seeds(120) {
        let text = promela_generate::program(seed).text(Form::Formulas);
        let told = || format!("FAIRLY_SEED={seed}\n{text}");
        let Ok(mut file) = PromelaFile::parse(&text, &[]) else { continue };
        let (states, by_native) = compare::compare_up_to(&file.model(), STATES)
            .unwrap_or_else(|difference| panic!("{}\n{difference}", told()));
        tally.states += states;
        tally.by_native += by_native;
        let answers = EXECUTIONS.map(|execution| {
            file.execute(execution);
            let mut said = Vec::new();
            for question in file.questions() {
                match file.property(&question) {
                    Err(_) => {}
                    Ok(None) => {
                        let verdict = file.claim(&question, BOUNDS);
                        said.push(said_of_claim(&verdict.expect("it stands up to replay")));
                    }
                    Ok(Some(mut property)) => {
                        said.extend(said_of_formula(file.interpreter(), &mut property));
                    }
                }
            }
            said
        });
        tally.verdicts += same([&answers[0], &answers[1]], told);
        for question in [Question::Errors, Question::EndStates] {
            let compared = hunting::promela(&mut file, &question, BOUNDS);
            tally.found_lossily += compared.unwrap_or_else(|why| panic!("{}\n{why}", told()));
        }
    }
    println!("{tally:?}");
    assert!(tally.by_native * 2 > tally.states, "{tally:?}");
}

/// The model of the first process of a file, unless it grows: that would be unfolded on the way, which
/// is not compiled, and takes long to find out at the usual limit.
fn closed(text: &str) -> Option<Model> {
    let parsed = Arc::new(csp::parse(text).ok()?);
    let plan = Plan { parts: Parts::Processes, eager: 1000 };
    let lowered = csp::lower_with(&parsed, &parsed.assertions[0].process, plan).ok()?;
    lowered.unfold.is_none().then_some(lowered.model)
}

#[test]
fn random_csp() {
    let mut tally = Tally::default();
    for seed in seeds(500) {
        let spec = csp_generate::generate(&mut Rng::new(seed));
        let mut text = spec.to_string();
        for asked in ["nonterminating", "divergencefree", "|= []<> a", "|= [](a -> <> b)"] {
            text.push_str(&format!("#assert P0() {asked};\n"));
        }
        let number = spec.variables.iter().position(|variable| !variable.is_array);
        if let Some(name) = number.map(ast::variable_name) {
            text.push_str(&format!("#define goal {name} == 1;\n#assert P0() reaches goal;\n"));
        }
        let told = || format!("FAIRLY_SEED={seed}\n{text}");
        let Some(model) = closed(&text) else { continue };
        let (states, by_native) = compare::compare_up_to(&model, STATES)
            .unwrap_or_else(|difference| panic!("{}\n{difference}", told()));
        tally.states += states;
        tally.by_native += by_native;
        let answers = EXECUTIONS.map(|execution| {
            let mut file = CspFile::parse(&text).ok()?;
            file.execute(execution);
            let assertions = file.specification().assertions.clone();
            let mut said = Vec::new();
            for assertion in &assertions {
                let system = file.system(&assertion.process).ok()?;
                match &assertion.claim {
                    Claim::Satisfies(formula) => {
                        let property = file.property(system, "P0", formula);
                        let Ok(mut property) = property else { continue };
                        said.extend(said_of_formula(file.interpreter(system), &mut property));
                    }
                    claim => {
                        let verdict = file.claim(system, claim, BOUNDS).expect("an answer");
                        said.push(said_of_claim(&verdict));
                    }
                }
            }
            Some((file, said))
        });
        let [Some((mut plain, interpreted)), Some((_, native))] = answers else { continue };
        tally.verdicts += same([&interpreted, &native], told);
        let compared = hunting::csp(&mut plain, BOUNDS);
        tally.found_lossily += compared.unwrap_or_else(|why| panic!("{}\n{why}", told()));
    }
    println!("{tally:?}");
    assert!(tally.by_native * 4 > tally.states, "{tally:?}");
}
