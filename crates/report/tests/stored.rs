//! A verdict that was stored and read back is the same verdict, and every format prints it as before, when the
//! system that it came from is gone.

use std::sync::Arc;

use fairly_check::{Assumed, Assumption, Options, Shows, Systems, Verdict};
use fairly_fairness::Notion;
use fairly_front::promela::Promela;
use fairly_report::document::{Document, Place};
use fairly_report::human::Aside;
use fairly_report::{Look, formats, human, itf, json};
use fairly_search::Bounds;

/// The verdicts on everything that a file asks.
fn verdicts(text: &str) -> Vec<Verdict> {
    let Ok(mut systems) = Systems::of_text(&Promela, text) else { return Vec::new() };
    let bounds = Bounds { nodes: Some(20_000), ..Bounds::default() };
    let options = Options { bounds, ..Options::default() };
    let assumption = Assumption::of(Notion::None);
    let assumed = Assumed { assumption: &assumption, strengths: false };
    let mut all = Vec::new();
    for at in 0..systems.loaded().questions.len() {
        let Ok(mut question) = systems.bind(at) else { continue };
        let answered = systems.answer(&mut question, &assumed, &options);
        all.push(answered.expect("no bug").verdict);
    }
    all
}

/// The verdict in every format.
fn printed(verdict: &Verdict) -> Vec<String> {
    let look = Look { verbose: true, ..Look::default() };
    let aside = Aside { look, ..Aside::default() };
    let origin = itf::Origin {
        files: &["model.pml".to_owned()],
        source: None,
        options: &[],
        property: itf::Asked::Property(verdict.property.clone()),
        place: None,
    };
    let trace = verdict.evidence.as_ref().map(|evidence| match &evidence.shows {
        Shows::End { .. } => itf::finite(&verdict.property, evidence, &origin),
        _ => json::value(&json::run(&evidence.run)),
    });
    let documents = [Document::Verdict(Arc::new(verdict.clone()), Place::default())];
    vec![
        human::verdict(verdict, &aside),
        json::text(&json::value(&documents)),
        json::text(&trace.unwrap_or_default()),
        formats::github(&documents),
        json::text(&json::value(&formats::sarif(&documents))),
        formats::junit(&documents),
        formats::markdown(&documents),
    ]
}

#[test]
fn a_stored_verdict_is_printed_as_before() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/promela");
    let (mut runs, mut loops) = (0, 0);
    for entry in std::fs::read_dir(folder).expect("the corpus") {
        let path = entry.expect("a file").path();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        for mut verdict in verdicts(&text) {
            // How a number is read is not what is tested here.
            (verdict.stamp.seconds, verdict.stamp.shortening_seconds) = (0.5, Some(0.25));
            let stored = serde_json::to_string(&verdict).expect("plain data");
            let read: Verdict = serde_json::from_str(&stored).expect("what was stored");
            assert_eq!(read, verdict, "{}", path.display());
            assert_eq!(printed(&read), printed(&verdict), "{}", path.display());
            let run = verdict.evidence.as_ref().map(|evidence| &evidence.run);
            runs += usize::from(run.is_some());
            loops += usize::from(run.is_some_and(|run| run.loops_to.is_some()));
        }
    }
    assert!(runs > 20 && loops > 5, "{runs} runs, {loops} with a loop");
}
