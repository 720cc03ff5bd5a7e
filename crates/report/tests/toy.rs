//! A language is a loader and nothing else: counters with guards get checks, ladders, least fairness, runs and
//! reports, and no other line of the program knows of them.

use std::fmt::Write;

use fairly_check::{
    Answered, Assumed, Least, Options, Question, Said, Shows, SystemIndex, Systems, Unused,
};
use fairly_fairness::{Level, Notion};
use fairly_front::include::NoFiles;
use fairly_front::loaded::{
    Asked, Claim, Formula, Kind, LoadError, Loaded, Loader, Question as Written, Settings,
    SystemSource, Text, TextError,
};
use fairly_model::{text, verify};
use fairly_report::human::Aside;
use fairly_report::trace::Saved;
use fairly_report::{Source, human, itf, json};
use fairly_source::{Diagnostic, Span};

/// Reads counters (`counter a 2`: from 0 to 2), steps (`up: a < 2, a + 1`), each a process of its own, and questions
/// (`ask served: G F up`).
struct Counters;

impl Loader for Counters {
    fn load(&self, texts: &[Text], _settings: Settings<'_>) -> Result<Loaded, LoadError> {
        let Text { text: whole, .. } = &texts[0];
        let mut model = "model atomicity priority, exit any\nevent e0 idle : idle\n".to_owned();
        let (mut counters, mut steps, mut questions) = (Vec::new(), 0, Vec::new());
        questions.push(Written::new("errors", Kind::Errors, Asked::Claim(Claim::NoErrors)));
        let ends = Asked::Claim(Claim::EndsWell { unfinished: None });
        questions.push(Written::new("ends", Kind::EndStates, ends));
        let mut start = 0;
        for line in whole.lines() {
            let span = Span::new(start, start + line.len());
            let wrong = || {
                let diagnostics = vec![Diagnostic::error("T0001", "this is no line", span)];
                LoadError::Wrong(TextError { text: texts[0].clone(), diagnostics })
            };
            if let Some(rest) = line.strip_prefix("counter ") {
                let (name, most) = rest.split_once(' ').ok_or_else(wrong)?;
                let at = counters.len();
                let _ = writeln!(model, "variable g{at} {name} : 0..{most} = 0");
                counters.push(name.to_owned());
            } else if let Some(rest) = line.strip_prefix("ask ") {
                let (name, formula) = rest.split_once(": ").ok_or_else(wrong)?;
                let asked = Formula::written(name, formula, span.end - formula.len());
                let question = Written::new(name, Kind::Formula, Asked::Formula(asked));
                questions.push(Written { place: Some(span), ..question });
            } else {
                let (name, rest) = line.split_once(": ").ok_or_else(wrong)?;
                let (guard, value) = rest.split_once(", ").ok_or_else(wrong)?;
                let counter = guard.split(' ').next().unwrap_or_default();
                let at = counters.iter().position(|known| known == counter).ok_or_else(wrong)?;
                let of_model = |text: &str| text.replace(counter, &format!("g{at}"));
                let (guard, value) = (of_model(guard), of_model(value));
                let Span { start, end } = span;
                let _ = write!(
                    model,
                    "event e{} {name} : visible\ntemplate t{steps} {name} parameters 0 {{\n\
                     location q0 here {{ -> q0 if {guard} on e{} do {{ g{at} := {value} }} \
                     as {name} @{start}..{end} }}\n}}\nslot p{steps} {name} : t{steps} start t{steps}()\n",
                    steps + 1,
                    steps + 1,
                );
                steps += 1;
            }
            start = span.end + 1;
        }
        let model = text::parse(&model).map_err(|diagnostics| {
            let text = Text { name: "the model".to_owned(), text: model };
            LoadError::Wrong(TextError { text, diagnostics })
        })?;
        assert!(verify(&model).is_ok());
        Ok(Loaded {
            text: Some(whole.clone()),
            systems: vec![SystemSource::of_model(model)],
            questions,
            ..Loaded::default()
        })
    }
}

const TEXT: &str = "counter a 2
counter b 2
up: a < 2, a + 1
reset: a == 2, a - 2
tick: b < 2, b + 1
back: b == 2, b - 2
ask served: G F tick
ask never: G !tick
ask starts: F (up || tick)";

fn systems(text: &str) -> Systems {
    Systems::of_text(&Counters, text).unwrap_or_else(|why| panic!("{why:?}"))
}

fn named(systems: &mut Systems, name: &str) -> Question {
    let mut questions = systems.loaded().questions.iter();
    let at = questions.position(|question| question.title == name).expect("it is asked");
    systems.bind(at).unwrap_or_else(|why| panic!("{why:?}"))
}

fn answer(systems: &mut Systems, name: &str, notion: Notion) -> Answered {
    let mut question = named(systems, name);
    let assumption = systems.assumption(question.system, notion).expect("it can be assumed");
    let assumed = Assumed { assumption: &assumption, strengths: true };
    systems.answer(&mut question, &assumed, &Options::default()).expect("an answer")
}

#[test]
fn every_question_is_answered_and_reported() {
    let mut systems = systems(TEXT);
    let weak = Notion::Weak(Level::Process);
    for (name, notion, expected) in [
        ("errors", Notion::None, Said::Holds),
        ("ends", Notion::None, Said::Holds),
        ("served", Notion::None, Said::Violated),
        ("served", weak, Said::Holds),
        ("never", weak, Said::Violated),
        ("starts", Notion::None, Said::Holds),
    ] {
        let Answered { verdict, why, .. } = answer(&mut systems, name, notion);
        assert_eq!(verdict.outcome, expected, "{name} {why:?}");
        let source = Source { name: "counters.toy", text: TEXT };
        let aside = Aside { source: Some(source), ..Aside::default() };
        let text = human::verdict(&verdict, &aside);
        assert!(text.contains(name), "{text}");
        assert!(json::text(&json::value(&verdict.stamp)).contains("exhaustive"));
    }
}

#[test]
fn a_step_that_no_run_takes_is_named() {
    let mut systems = systems(&format!("{TEXT}\ndead: b > 2, b - 2"));
    let unused = systems.unused(&[SystemIndex::ONLY], &Options::default());
    let span = Span::new(TEXT.len() + 1, TEXT.len() + 19);
    assert_eq!(unused, Some(vec![Unused::Statement(span, "dead".to_owned())]));
}

#[test]
fn a_violation_is_a_run_in_the_words_of_the_text() {
    let mut systems = systems(TEXT);
    let verdict = answer(&mut systems, "served", Notion::None).verdict;
    let (run, violation) = verdict.violation().expect("a run with a loop");
    let looped = &run.steps[run.stem()..];
    assert!(!looped.is_empty() && looped.iter().all(|step| step.event != "tick"), "{run:?}");
    let upgrade = violation.upgrade.as_ref().expect("fairness excludes it");
    assert!(upgrade.constraint.contains("tick") || upgrade.constraint.contains("back"));
    let origin = itf::Origin {
        files: &["counters.toy".to_owned()],
        source: Some(Source { name: "counters.toy", text: TEXT }),
        options: &[],
        property: itf::Asked::Property("served".to_owned()),
        place: None,
    };
    let guilty = itf::Guilty {
        property: "served",
        formula: verdict.formula.as_deref().expect("a formula"),
        fairness: verdict.stamp.fairness.as_deref().expect("said, if none"),
        constraints: &[],
        run,
        ledger: &violation.ledger,
    };
    let trace = itf::trace(&guilty, &origin);
    let saved = Saved::read(&trace).expect("it is read back");
    assert_eq!(saved.run.steps.len(), run.steps.len());
    assert!(saved.mermaid().contains("up"));
}

#[test]
fn ladder_and_least_fairness_come_along() {
    let mut systems = systems(TEXT);
    let mut served = named(&mut systems, "served");
    let ladder = systems.ladder(&mut served, &[], &Options::default()).expect("a ladder");
    let holds = |notion: Notion| {
        let rung = ladder.rungs.iter().find(|rung| rung.notion == notion).expect("a rung");
        rung.holds.clone().ok()
    };
    assert_eq!(holds(Notion::None), Some(false));
    assert_eq!(holds(Notion::Weak(Level::Process)), Some(true));
    let least = systems.least(&mut served, Level::Process, &[], &Options::default());
    let Ok(Least::Sets { sets, .. }) = least else { panic!("{least:?}") };
    assert_eq!(sets.len(), 1, "weak fairness of `tick` and of `back`, and of nothing else");
}

#[test]
fn an_error_is_found_beside_an_answer_that_rests_on_all_runs() {
    // The last counter leaves its range.
    let more = "counter c 1\nover: c >= 0, c + 1\nask single: G !(up && tick)";
    let mut systems = systems(&format!("{TEXT}\n{more}"));
    let mut single = named(&mut systems, "single");
    let ladder = systems.ladder(&mut single, &[], &Options::default()).expect("a ladder");
    assert!(ladder.rungs.iter().any(|rung| rung.holds == Ok(true)));
    let found = systems.errors_found();
    let [(system, _, error)] = found.as_slice() else { panic!("{}", found.len()) };
    let shown = systems.recorded(*system, error.clone(), "errors").verdict;
    let evidence = shown.evidence.expect("a run into the error");
    assert!(matches!(evidence.shows, Shows::End { .. }));
    assert_eq!(evidence.run.steps.last().map(|step| step.event.as_str()), Some("over"));
}

#[test]
fn a_line_that_is_wrong_is_told_with_its_place() {
    let text = Text { name: "counters.toy".to_owned(), text: format!("{TEXT}\nnonsense") };
    let Err(LoadError::Wrong(wrong)) = Counters.load(&[text], Settings::new(&mut NoFiles)) else {
        panic!("it is read")
    };
    assert_eq!(wrong.diagnostics[0].span, Span::new(TEXT.len() + 1, TEXT.len() + 9));
}
