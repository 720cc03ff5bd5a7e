//! The CSP# examples and the CSP# corpus: every answer that a file expects, from every engine that
//! can decide it.
//!
//! A file says what it expects in comments at its assertions:
//!
//! ```text
//! // expect: states 35
//! // expect: violated under weak process
//! // expect: holds not machine closed under annotated
//! #assert System() |= []<> eat.0;
//! ```
//!
//! Without `under`, the annotations of the file count if it has any, and otherwise nothing is assumed.
//! A plain `holds` says that the fairness assumed discards no finite run. Every process must run
//! without errors unless a `fault` is expected of it.

use std::fmt::{self, Write};
use std::path::{Path, PathBuf};

use fairly_check::claim::{self, ClaimOutcome, Effort};
use fairly_check::{
    AnswerError, Assumption, CheckError, Fairness, Options, Outcome, SystemIndex, check,
};
use fairly_fairness::{AnnotationLevel, Level, Notion, PrefixKind};
use fairly_front::csp;
use fairly_front::csp::syntax::{Assertion, Claim, FormulaText, ProcessKind};
use fairly_search::engines::{Engine, Question};
use fairly_search::{Bounds, reach};
use fairly_system::AtomIndex;

use crate::common::languages::CspFile;

/// How much is explored for one answer; what is not known by then is unknown.
const MOST: usize = 100_000;

/// Up to how many states engines are compared on.
const COMPARED: usize = 20_000;

/// Up to how many states the same process is tried inside several operators.
const SMALL: usize = 200;

/// Expected outcome of an assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Verdict(Said),
    /// The process comes to an error of the model.
    Fault,
    /// The process has so many reachable states.
    States(usize),
    /// The least or greatest value is this one.
    Optimum(i64),
}

/// An answer, as expectations write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Holds,
    HoldsNotMachineClosed,
    Infeasible,
    Violated,
    Unknown,
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Said::Holds => "holds",
            Said::HoldsNotMachineClosed => "holds not machine closed",
            Said::Infeasible => "infeasible",
            Said::Violated => "violated",
            Said::Unknown => "unknown",
        })
    }
}

/// An `// expect:` comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Expectation {
    what: What,
    notion: Option<Notion>,
}

const NOTIONS: [(&str, Notion); 14] = [
    ("none", Notion::None),
    ("annotated", Notion::Annotated(AnnotationLevel::Name)),
    ("annotated occurrence", Notion::Annotated(AnnotationLevel::Occurrence)),
    ("weak process", Notion::Weak(Level::Process)),
    ("weak event", Notion::Weak(Level::Event)),
    ("weak action", Notion::Weak(Level::Action)),
    ("strong process", Notion::Strong(Level::Process)),
    ("strong event", Notion::Strong(Level::Event)),
    ("strong action", Notion::Strong(Level::Action)),
    ("weak-live", Notion::WeakLive),
    ("strong-live", Notion::StrongLive),
    ("global", Notion::Global),
    ("inherent trace", Notion::Inherent(PrefixKind::Trace)),
    ("inherent run", Notion::Inherent(PrefixKind::Run)),
];

fn expectation(text: &str) -> Result<Expectation, String> {
    let (what, notion) = match text.split_once(" under ") {
        None => (text, None),
        Some((what, name)) => {
            let known = NOTIONS.iter().find(|(known, _)| *known == name.trim());
            let (_, notion) = known.ok_or_else(|| {
                let names: Vec<&str> = NOTIONS.iter().map(|(name, _)| *name).collect();
                format!("`{name}` is no notion of fairness; there are {}", names.join(", "))
            })?;
            (what, Some(*notion))
        }
    };
    let words: Vec<&str> = what.split_whitespace().collect();
    let number = |text: &str| text.parse::<i64>().map_err(|_| format!("`{text}` is no number"));
    let what = match words.as_slice() {
        ["holds"] => What::Verdict(Said::Holds),
        ["holds", "not", "machine", "closed"] => What::Verdict(Said::HoldsNotMachineClosed),
        ["infeasible"] => What::Verdict(Said::Infeasible),
        ["violated"] => What::Verdict(Said::Violated),
        ["unknown"] => What::Verdict(Said::Unknown),
        ["fault"] => What::Fault,
        ["states", count] => {
            let count = usize::try_from(number(count)?);
            What::States(count.map_err(|_| "there are not less than no states".to_owned())?)
        }
        ["optimum", value] => What::Optimum(number(value)?),
        _ => return Err(format!("`{}` is nothing that can be expected", words.join(" "))),
    };
    match (what, notion) {
        (What::Verdict(_), _) | (_, None) => Ok(Expectation { what, notion }),
        _ => Err("only verdicts depend on fairness".to_owned()),
    }
}

#[test]
fn what_cannot_be_expected_is_said() {
    let weak = Some(Notion::Weak(Level::Event));
    let holds = What::Verdict(Said::Holds);
    assert_eq!(
        expectation("holds under weak event"),
        Ok(Expectation { what: holds, notion: weak })
    );
    assert_eq!(
        expectation("optimum -17"),
        Ok(Expectation { what: What::Optimum(-17), notion: None })
    );
    for wrong in [
        "",
        "hold",
        "holds under",
        "holds under weak",
        "holds under weak event please",
        "holds machine closed",
        "states",
        "states many",
        "states -1",
        "states 3 under none",
        "fault under weak event",
        "optimum",
    ] {
        assert!(expectation(wrong).is_err(), "{wrong}");
    }
}

/// One file on its way through the test.
struct Checked {
    name: String,
    text: String,
    file: CspFile,
    annotated: bool,
    wrong: String,
    expectations: usize,
    compared: usize,
}

fn bounds() -> Bounds {
    Bounds { nodes: Some(MOST), ..Bounds::default() }
}

/// Every way to decide a notion, the usual one first.
fn ways(notion: Notion, small: bool) -> Vec<(String, Options)> {
    let usual = Options { bounds: bounds(), ..Options::default() };
    let mut ways = vec![("the usual engine".to_owned(), usual)];
    if small {
        let question = match notion {
            Notion::Global => Question::GlobalRuns,
            Notion::Inherent(_) => Question::Prefixes,
            _ => Question::Runs,
        };
        ways.extend(Engine::offered_for(question).map(|engine| {
            (format!("engine {}", engine.name), Options { engine: Some(engine), ..usual })
        }));
    }
    ways
}

impl Checked {
    fn line(&self, offset: usize) -> usize {
        self.text[..offset].matches('\n').count() + 1
    }

    /// Notes a difference.
    fn note(&mut self, offset: usize, message: &str) {
        let line = self.line(offset);
        let _ = writeln!(self.wrong, "{}:{line}: {message}", self.name);
    }

    fn run(&mut self) {
        let specification = self.file.specification().clone();
        for remark in &specification.stray_remarks {
            self.note(remark.span.start, "the expectation stands at no assertion");
        }
        for assertion in &specification.assertions {
            self.assertion(assertion);
        }
    }

    fn assertion(&mut self, assertion: &Assertion) {
        let at = assertion.span.start;
        let title = self.file.title(assertion);
        let mut expected = Vec::new();
        for remark in &assertion.remarks {
            match expectation(&remark.text) {
                Ok(read) => expected.push((remark.span.start, read)),
                Err(why) => self.note(remark.span.start, &why),
            }
        }
        if assertion.remarks.is_empty() {
            self.note(at, &format!("nothing is expected of `{title}`"));
        }
        let system = match self.file.system(&assertion.process) {
            Ok(system) => system,
            Err(wrong) => {
                self.note(at, &format!("`{title}`: {}", wrong[0]));
                return;
            }
        };
        let propositions = match &assertion.claim {
            Claim::Satisfies(formula) => match self.file.property(system, &title, formula) {
                Ok(property) => property.propositions(),
                Err(wrong) => {
                    self.note(at, &format!("`{title}`: {}", wrong[0]));
                    return;
                }
            },
            _ => Vec::new(),
        };
        let is_fault = expected.iter().any(|(_, it)| it.what == What::Fault);
        self.faults(at, &title, system, &propositions, is_fault);
        for (at, expectation) in expected {
            self.expectations += 1;
            match expectation.what {
                What::Fault => {}
                What::States(count) => self.states(at, &title, system, count),
                What::Optimum(value) => self.optimum(at, &title, system, &assertion.claim, value),
                What::Verdict(said) => match (&assertion.claim, expectation.notion) {
                    (Claim::Satisfies(formula), notion) => {
                        self.formula(at, &title, system, formula, notion, said);
                    }
                    (claim @ Claim::RefinesFairly { .. }, notion) => {
                        let notion = notion.unwrap_or(self.usual());
                        let effort = Effort { fairness: Some(notion), ..bounds().into() };
                        self.claim(at, &title, system, claim, effort, said);
                    }
                    (_, Some(_)) => {
                        self.note(at, &format!("`{title}` does not depend on fairness"));
                    }
                    (claim, None) => self.claim(at, &title, system, claim, bounds().into(), said),
                },
            }
        }
    }

    /// Whether the process, or a proposition of the formula, comes to an error exactly if that is
    /// expected.
    fn faults(
        &mut self,
        at: usize,
        title: &str,
        system: SystemIndex,
        propositions: &[AtomIndex],
        expected: bool,
    ) {
        let interpreter = self.file.interpreter(system);
        let space = interpreter.shared_space();
        let wrong =
            |row: &[u64]| propositions.iter().find_map(|&atom| space.proposition_fault(row, atom));
        match claim::faultless(interpreter, &[], wrong, bounds()).map(|verdict| verdict.outcome) {
            Ok(ClaimOutcome::Violated(shown)) => {
                if !expected {
                    let why = shown.map_or_else(String::new, |shown| shown.conclusion.clone());
                    self.note(at, &format!("the process of `{title}` comes to an error: {why}"));
                }
            }
            Ok(_) if expected => self.note(at, &format!("`{title}`: no error is found")),
            Ok(_) => {}
            Err(failure) => self.note(at, &format!("`{title}`: {failure}")),
        }
    }

    /// The notion that is assumed where none is written.
    fn usual(&self) -> Notion {
        match self.annotated {
            true => Notion::Annotated(AnnotationLevel::Name),
            false => Notion::None,
        }
    }

    fn states(&mut self, at: usize, title: &str, system: SystemIndex, expected: usize) {
        let counted = reach::count(self.file.interpreter(system), bounds());
        match counted {
            Ok(size) if size.states == expected => {}
            Ok(size) => {
                self.note(at, &format!("`{title}`: {} states, not {expected}", size.states));
            }
            Err(cut) => self.note(at, &format!("`{title}`: the states cannot be counted: {cut:?}")),
        }
    }

    fn optimum(
        &mut self,
        at: usize,
        title: &str,
        system: SystemIndex,
        claim: &Claim,
        expected: i64,
    ) {
        let Claim::Reaches { optimum: Some((_, value)), .. } = claim else {
            self.note(at, &format!("`{title}` asks for no optimum"));
            return;
        };
        let specification = self.file.specification().clone();
        let value = csp::expression(&specification, value).expect("it was checked");
        match self.file.claim(system, claim, bounds()).map(|verdict| verdict.outcome) {
            Ok(ClaimOutcome::Holds(Some(shown))) => {
                let found = self.file.interpreter(system).value(shown.prefix.end(), &value);
                if found.as_ref().ok() != Some(&expected) {
                    self.note(at, &format!("`{title}`: {found:?}, not {expected}"));
                }
            }
            Ok(other) => self.note(at, &format!("`{title}`: {other:?}")),
            Err(why) => self.note(at, &format!("`{title}`: {}", said_of(&why))),
        }
    }

    fn claim(
        &mut self,
        at: usize,
        title: &str,
        system: SystemIndex,
        claim: &Claim,
        effort: Effort,
        expected: Said,
    ) {
        let said = match self.file.claim(system, claim, effort).map(|verdict| verdict.outcome) {
            Ok(ClaimOutcome::Holds(_)) => Said::Holds,
            Ok(ClaimOutcome::Violated(_)) => Said::Violated,
            Ok(ClaimOutcome::Unknown(_)) => Said::Unknown,
            Err(why) => {
                self.note(at, &format!("`{title}`: {}", said_of(&why)));
                return;
            }
        };
        self.compared += 1;
        if said != expected {
            self.note(at, &format!("`{title}`: {said}, expected {expected}"));
        }
    }

    fn formula(
        &mut self,
        at: usize,
        title: &str,
        system: SystemIndex,
        formula: &FormulaText,
        notion: Option<Notion>,
        expected: Said,
    ) {
        let notion = notion.unwrap_or(self.usual());
        let size = reach::count(self.file.interpreter(system), bounds());
        let small = size.is_ok_and(|size| size.states < COMPARED);
        for (number, (way, options)) in ways(notion, small).into_iter().enumerate() {
            let property = self.file.property(system, title, formula);
            let mut property = property.expect("it was bound before");
            let interpreter = self.file.interpreter(system);
            let verdict = check(interpreter, &mut property, &Assumption::of(notion), &options);
            let said = match verdict.map(|verdict| verdict.outcome) {
                Ok(Outcome::Holds(fairness)) => match fairness {
                    Fairness::NotAssumed | Fairness::MachineClosed => Said::Holds,
                    Fairness::NotMachineClosed(_) => Said::HoldsNotMachineClosed,
                    Fairness::Infeasible => Said::Infeasible,
                    Fairness::NotKnown => Said::Unknown,
                },
                Ok(Outcome::Violated(_) | Outcome::Doomed(_)) => Said::Violated,
                // Only the usual way must come to an answer.
                Ok(Outcome::Unknown(_)) if number > 0 => continue,
                Ok(Outcome::Unknown(_)) => Said::Unknown,
                // An engine may decline a condition; then it says so, and nothing is compared.
                Err(CheckError::Engine(_)) if number > 0 => continue,
                Err(failure) => {
                    self.note(at, &format!("`{title}` under {notion} by {way}: {failure}"));
                    continue;
                }
            };
            self.compared += 1;
            if said != expected {
                let what =
                    format!("`{title}` under {notion} by {way}: {said}, expected {expected}");
                self.note(at, &what);
            }
        }
    }
}

fn said_of(why: &AnswerError) -> String {
    match why {
        AnswerError::Wrong(diagnostics) => diagnostics[0].to_string(),
        AnswerError::Failed(failure) => failure.to_string(),
    }
}

/// The models in a folder, if it is there.
fn models(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "csp"))
        .collect();
    files.sort();
    files
}

/// Goes through a folder; how many files, expectations and compared answers there were.
fn whole(folder: &str) -> (usize, usize, usize) {
    let mut wrong = String::new();
    let (mut expectations, mut compared) = (0, 0);
    let files = models(folder);
    for path in &files {
        let started = std::time::Instant::now();
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).expect("readable");
        let file = match CspFile::parse(&text) {
            Ok(file) => file,
            Err(errors) => {
                let _ = writeln!(wrong, "{name}: {}", errors[0]);
                continue;
            }
        };
        let annotated = file.specification().nodes.iter().any(|node| match &node.kind {
            ProcessKind::Prefix { action, .. } => action.annotation.is_some(),
            _ => false,
        });
        let mut checked = Checked {
            name,
            text,
            file,
            annotated,
            wrong: String::new(),
            expectations: 0,
            compared: 0,
        };
        checked.run();
        println!("{:>6.2} s  {}", started.elapsed().as_secs_f64(), checked.name);
        expectations += checked.expectations;
        compared += checked.compared;
        wrong.push_str(&checked.wrong);
    }
    assert!(wrong.is_empty(), "in {folder}:\n{wrong}");
    println!("{} files, {expectations} expectations, {compared} answers", files.len());
    (files.len(), expectations, compared)
}

#[test]
fn the_examples_answer_as_they_say() {
    let (files, expectations, compared) = whole("examples/csp");
    assert!(files >= 20 && expectations >= 200 && compared > expectations);
}

#[test]
fn the_examples_of_the_papers_answer_as_they_say() {
    let (files, expectations, _) = whole("examples/csp/paper");
    assert!(files >= 6 && expectations >= 20);
}

#[test]
fn the_corpus_answers_as_it_says() {
    whole("corpus/csp");
}

/// Processes that are indistinguishable from the one in place of the dots, with the facts to compare.
const SAME: [(&str, Compared); 8] = [
    ("(…); Skip", Compared { size: true, processes: false, endless: true }),
    ("… interrupt Stop", Compared { size: true, processes: false, endless: false }),
    ("atomic{…}", Compared { size: true, processes: false, endless: false }),
    ("… || Skip", Compared { size: true, processes: true, endless: false }),
    ("… ||| Skip", Compared { size: true, processes: true, endless: false }),
    ("… \\ {unused__}", Compared { size: true, processes: true, endless: false }),
    ("Stop [] …", Compared { size: false, processes: false, endless: false }),
    ("… [*] Stop", Compared { size: false, processes: false, endless: false }),
];

/// Facts that are compared of two processes besides verdicts that only events matter for.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Compared {
    /// How many states and transitions there are.
    size: bool,
    /// Verdicts for which it matters what is a process.
    processes: bool,
    /// Only if the process does not terminate.
    endless: bool,
}

/// Facts about the process of an assertion with a formula; `None` if it is large.
fn found(file: &mut CspFile, assertion: &Assertion, compared: Compared) -> Option<String> {
    let Claim::Satisfies(formula) = &assertion.claim else { return None };
    let small = Bounds { nodes: Some(SMALL), ..Bounds::default() };
    // Not every process has an alphabet that ends.
    let system = file.system(&assertion.process).ok()?;
    let claim = file.claim(system, &Claim::NonTerminating, small).ok()?;
    if compared.endless && !matches!(claim.outcome, ClaimOutcome::Holds(_)) {
        return None;
    }
    let size = reach::count(file.interpreter(system), small).ok()?;
    let mut all = if compared.size { format!("{size:?}; ") } else { String::new() };
    for (name, notion) in NOTIONS {
        match notion {
            Notion::None | Notion::Weak(Level::Event) | Notion::Strong(Level::Event) => {}
            Notion::Weak(Level::Process) | Notion::Strong(Level::Process) => {
                if !compared.processes {
                    continue;
                }
            }
            _ => continue,
        }
        // An event that never happens may not even be known.
        let mut property = file.property(system, "same", formula).ok()?;
        let options = Options { bounds: bounds(), ..Options::default() };
        let interpreter = file.interpreter(system);
        let verdict = check(interpreter, &mut property, &Assumption::of(notion), &options);
        let said = match verdict.expect("decided").outcome {
            Outcome::Holds(_) => "holds",
            Outcome::Violated(_) | Outcome::Doomed(_) => "violated",
            Outcome::Unknown(_) => "unknown",
        };
        let _ = write!(all, "{said} under {name}; ");
    }
    Some(all)
}

/// A composition at the top becomes many processes, one inside other operators a single process whose steps are
/// computed together; no observer may see a difference.
#[test]
fn a_process_is_the_same_inside_operators_that_do_nothing() {
    let mut wrong = String::new();
    let mut pairs = 0;
    for path in models("examples/csp").into_iter().chain(models("corpus/csp")) {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).expect("readable");
        let Ok(mut file) = CspFile::parse(&text) else { continue };
        let specification = file.specification().clone();
        for assertion in &specification.assertions {
            let Claim::Satisfies(formula) = &assertion.claim else { continue };
            let written = &text[formula.span.start..formula.span.end];
            let subject = file.subject_name(&assertion.process);
            let mut alone: Vec<(Compared, Option<String>)> = Vec::new();
            for (around, compared) in SAME {
                // Inside `atomic`, what is atomic itself goes before nothing else.
                if around.starts_with("atomic") && text.contains("atomic{") {
                    continue;
                }
                let known = alone.iter().find(|(of, _)| *of == compared);
                let plain = known.map_or_else(
                    || found(&mut file, assertion, compared),
                    |(_, plain)| plain.clone(),
                );
                alone.push((compared, plain.clone()));
                let Some(plain) = plain else { continue };
                let body = around.replace('…', &subject);
                let inner = format!(
                    "{text}\nUnused__ = unused__ -> Stop;\nInner__() = {body};\n\
                     #assert Inner__() |= {written};"
                );
                let mut other = CspFile::parse(&inner).expect("parses as before");
                let last = other.specification().assertions.last().expect("added").clone();
                let Some(inner) = found(&mut other, &last, compared) else { continue };
                pairs += 1;
                if plain != inner {
                    let _ = writeln!(wrong, "{name}: {body}: |= {written}\n  {plain}\n  {inner}");
                }
            }
        }
    }
    println!("{pairs} pairs");
    assert!(wrong.is_empty(), "{wrong}");
    assert!(pairs > 300);
}
