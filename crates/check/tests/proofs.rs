//! Certificates: every answer has one that `fairly-verify` accepts.
//!
//! `FAIRLY_RANDOM_CASES` says how many random systems, and `FAIRLY_SEED` the seed of the first; `FAIRLY_SECONDS` ends the
//! random tests earlier. What is forged is in `forged.rs`.

#[allow(dead_code, reason = "this is a program of its own, which needs a part of what they share")]
mod common;
mod forged;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use fairly_check::proof::{ProofError, prove, prove_claim, prove_doomed, prove_violation};
use fairly_check::{
    Asked, Assumed, Assumption, Claim, Execution, Options, Outcome, Said, System, Systems, check,
};
use fairly_fairness::{AnnotationLevel, Level, Notion, PrefixKind};
use fairly_front::include::NoFiles;
use fairly_front::languages::LANGUAGES;
use fairly_front::loaded::{Settings, Text};
use fairly_model::ModelSpace;
use fairly_modelkit::lively_model;
use fairly_reduce::ModelSystem;
use fairly_search::Bounds;
use fairly_system::{EventPosition, TransitionSystem};
use fairly_testkit::Rng;
use fairly_testkit::ltl::{LtlShape, random_formula};

use common::{property, seeds};

pub(crate) const NOTIONS: [Notion; 14] = [
    Notion::None,
    Notion::Weak(Level::Process),
    Notion::Weak(Level::Event),
    Notion::Weak(Level::Action),
    Notion::Strong(Level::Process),
    Notion::Strong(Level::Event),
    Notion::Strong(Level::Action),
    Notion::WeakLive,
    Notion::StrongLive,
    Notion::Annotated(AnnotationLevel::Name),
    Notion::Annotated(AnnotationLevel::Occurrence),
    Notion::Global,
    Notion::Inherent(PrefixKind::Trace),
    Notion::Inherent(PrefixKind::Run),
];

/// Seeds of random systems, up to the moment at which `FAIRLY_SECONDS` are over.
pub(crate) fn timed_seeds(usual: u64) -> impl Iterator<Item = u64> {
    let started = Instant::now();
    let seconds = std::env::var("FAIRLY_SECONDS").map(|it| it.parse().expect("a number"));
    let most = seconds.map(Duration::from_secs);
    seeds(usual)
        .take_while(move |_| most.as_ref().is_ok_and(|&it| started.elapsed() < it) || most.is_err())
}

/// Files with models, in a fixed order.
fn models(folders: &[&str]) -> Vec<std::path::PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in folders {
        for entry in std::fs::read_dir(root.join(folder)).expect("the folder") {
            found.push(entry.expect("an entry").path());
        }
    }
    found.sort();
    found
}

/// Certifies what holds in the files of some folders; gives how many answers were, and why others were not.
fn certified(folders: &[&str], most: usize) -> (usize, BTreeMap<String, usize>) {
    let bounds = Bounds { nodes: Some(most), ..Bounds::default() };
    let options = Options { bounds, ..Options::default() };
    let (mut count, mut without, mut turn) = (0, BTreeMap::new(), 0);
    let mut rng = Rng::new(24);
    for path in models(folders) {
        let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        let Some(language) =
            LANGUAGES.iter().find(|language| language.endings.contains(&ending.as_str()))
        else {
            continue;
        };
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if std::env::var("FAIRLY_FILE").is_ok_and(|only| only != name) {
            continue;
        }
        let texts = [Text { name: name.clone(), text }];
        let Ok(loaded) = language.loader.load(&texts, Settings::new(&mut NoFiles)) else {
            continue;
        };
        let questions = loaded.questions.len();
        let mut systems = Systems::new(loaded, Execution::default());
        for at in 0..questions {
            // Without fairness, and under one notion after the other; under all of them where there is time.
            let all = std::env::var("FAIRLY_RANDOM_CASES").is_ok();
            for (number, notion) in NOTIONS.into_iter().enumerate() {
                turn += usize::from(number == 0);
                if !all && number != 0 && number != 1 + turn % 13 {
                    continue;
                }
                systems.restart();
                let Ok(mut question) = systems.bind(at) else { break };
                let is_formula = question.property().is_some();
                if !is_formula && notion != Notion::None {
                    break;
                }
                let Ok(assumption) = systems.assumption(question.system, notion) else { continue };
                let assumed = Assumed { assumption: &assumption, strengths: false };
                let Ok(answered) = systems.answer(&mut question, &assumed, &options) else {
                    continue;
                };
                let is_reach = matches!(&question.asked, Asked::Claim(Claim::Reaches { .. }));
                let proof = match answered.verdict.outcome {
                    Said::Violated if is_reach => systems.proof(&question, &assumption, bounds),
                    Said::Holds if !is_reach => systems.proof(&question, &assumption, bounds),
                    Said::Violated | Said::Holds => {
                        systems.refutation(&mut question, &assumption, &options)
                    }
                    Said::Unknown => continue,
                };
                let told = format!("{name}: {} under {notion}", answered.verdict.property);
                match proof {
                    Ok(proof) => match fairly_verify::verify(&proof.bytes) {
                        Ok(_) => {
                            count += 1;
                            forged::check_damage(&mut rng, &proof.bytes, 2, &told);
                        }
                        Err(rejected) => {
                            if let Ok(file) = std::env::var("FAIRLY_KEEP") {
                                std::fs::write(file, &proof.bytes).expect("a file");
                            }
                            panic!("{told}: {rejected}");
                        }
                    },
                    Err(ProofError::Contradicted) => panic!("{told}: contradicted"),
                    Err(why) => {
                        if std::env::var("FAIRLY_TOLD").is_ok() {
                            eprintln!("{told}: {why}");
                        }
                        *without.entry(why.to_string()).or_default() += 1;
                    }
                }
            }
        }
    }
    (count, without)
}

#[test]
fn every_answer_of_the_corpus_is_certified() {
    let folders = ["corpus/systems", "corpus/promela", "corpus/csp"];
    let (count, without) = certified(&folders, 5_000);
    eprintln!("{count} certified; {without:?}");
    assert!(count > 100, "{count}");
}

#[test]
fn every_answer_of_the_examples_is_certified() {
    let folders = ["examples/promela", "examples/csp"];
    let (count, without) = certified(&folders, 5_000);
    eprintln!("{count} certified; {without:?}");
    assert!(count > 50, "{count}");
}

/// Seeds of models of which a right certificate was rejected once: scratch variables where a run begins, an event made of
/// a constant, and an annotation in a process that is never there.
const REJECTED_ONCE: [u64; 4] = [11_003_797, 12_000_180, 91_001_619, 900_000_799];

/// The verifier's interpreter and the reference interpreter make the same steps of random models, and what holds of
/// these is certified.
#[test]
fn random_models_are_certified() {
    let (mut sound, mut held, mut violated, mut certified, mut without) = (0, 0, 0, 0, 0);
    for seed in REJECTED_ONCE.into_iter().chain(timed_seeds(150)) {
        let mut rng = Rng::new(seed);
        let model = lively_model(&mut rng);
        if fairly_model::verify(&model).is_err() {
            continue;
        }
        let names = model.propositions.iter().map(|(name, _)| name.clone());
        let is_plain = |name: &String| name.bytes().all(|byte| byte.is_ascii_alphabetic());
        let names: Vec<String> = names.filter(is_plain).collect();
        let mut system = System::Model(ModelSystem::new(ModelSpace::new(model, None), None));
        let bounds = Bounds { nodes: Some(500), ..Bounds::default() };
        // Only of models that come to no error, and are small.
        let Ok(proof) = prove_claim(&mut system, &Claim::NoErrors, bounds) else { continue };
        let told = format!("seed {seed}");
        let verified = fairly_verify::verify(&proof.bytes);
        let verified = verified.unwrap_or_else(|rejected| panic!("{told}: {rejected}"));
        sound += 1;
        let System::Model(model) = &mut system else { unreachable!("it was made so") };
        let mut steps = 0;
        let (mut states, mut at) = (model.initial(), 0);
        while at < states.len() {
            let mut out = Vec::new();
            model.steps(states[at], &mut out);
            steps += out.len();
            let new: Vec<_> =
                out.iter().map(|step| step.target).filter(|it| !states.contains(it)).collect();
            new.into_iter().for_each(|it| {
                if !states.contains(&it) {
                    states.push(it);
                }
            });
            at += 1;
        }
        assert_eq!((verified[0].states, verified[0].edges), (states.len(), steps), "{told}");
        for _ in 0..3 {
            let formula = random_formula(&mut rng, &LtlShape { size: 5, ..LtlShape::default() });
            let pick = |rng: &mut Rng| match rng.below(4) {
                0 => "\"deadlock\"".to_owned(),
                1 => "event(*)".to_owned(),
                2 if !names.is_empty() => format!("\"{}\"", rng.pick(&names)),
                _ => "\"terminated\"".to_owned(),
            };
            let mut text = formula.infix();
            for at in 0..3 {
                text = text.replace(&format!("p{at}"), &pick(&mut rng));
            }
            let assumption = Assumption::of(*rng.pick(&NOTIONS));
            let told = format!("{told}: {text} under {assumption}");
            let System::Model(model) = &mut system else { unreachable!("it was made so") };
            let mut property = property(model, &text, EventPosition::Leaving);
            let options = Options { bounds, ..Options::default() };
            // Prefixes read no events that are hidden, nor what is enabled.
            let Ok(answer) = check(model, &mut property, &assumption, &options) else { continue };
            let proof = match answer.outcome {
                Outcome::Holds(_) => {
                    held += 1;
                    prove(&mut system, &property, &assumption, bounds)
                }
                Outcome::Violated(found) => {
                    violated += 1;
                    prove_violation(&mut system, &property, &assumption, &found.run)
                }
                Outcome::Doomed(found) => {
                    violated += 1;
                    prove_doomed(&mut system, &property, &assumption, &found.prefix)
                }
                Outcome::Unknown(_) => continue,
            };
            match proof {
                Ok(proof) => {
                    if let Err(rejected) = fairly_verify::verify(&proof.bytes) {
                        panic!("{told}: {rejected}\n{}", String::from_utf8_lossy(&proof.bytes));
                    }
                    certified += 1;
                }
                Err(ProofError::Contradicted) => panic!("{told}: contradicted"),
                Err(_) => without += 1,
            }
        }
    }
    eprintln!(
        "models: {sound} without errors, all certified and accepted; {held} formulas hold, {violated} are violated, \
         {certified} certified and accepted, {without} not covered"
    );
    assert!(sound > 5 && held > 5 && violated > 5, "{sound} {held} {violated}");
}
