//! What a check says: of panics, of limits, of mistakes, of runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fairly::{Model, Outcome, Run, action, always, check, eventually, ltl, state, strong, weak};

/// Counts up to a number and begins again, or panics above another one.
#[derive(Clone)]
struct Counter {
    most: u32,
    panics_at: u32,
}

impl Model for Counter {
    type State = u32;
    type Action = &'static str;

    fn init(&self) -> Vec<u32> {
        vec![0]
    }

    fn actions(&self, count: &u32, actions: &mut Vec<&'static str>) {
        actions.push("up");
        if *count > 0 {
            actions.push("reset");
        }
    }

    fn next(&self, count: &u32, action: &'static str) -> Option<u32> {
        assert!(*count < self.panics_at, "too many: {count}");
        match action {
            "up" if *count < self.most => Some(count + 1),
            "reset" => Some(0),
            _ => None,
        }
    }
}

const FINE: Counter = Counter { most: 5, panics_at: 100 };

#[test]
fn a_panic_of_the_model_is_a_run() {
    let bad = Counter { panics_at: 3, ..FINE };
    let verdicts = check(&bad).always("small", |count| *count < 50).save_nothing().run();
    assert!(!verdicts.all_hold());
    let panics = verdicts.of("no panic");
    assert!(panics.is_violated());
    assert_eq!(panics.run().actions(), ["up", "up", "up"]);
    assert_eq!(panics.run().panics_with(), Some(&"up"));
    assert!(panics.report().contains("too many: 3"), "{panics}");
}

/// The property is answered before the search comes to where the model panics.
#[test]
fn a_panic_behind_the_answer_is_found_too() {
    let bad = Counter { panics_at: 4, ..FINE };
    let verdicts = check(&bad).eventually("begins", |count| *count == 0).save_nothing().run();
    assert!(verdicts.of("begins").holds());
    assert!(verdicts.of("no panic").is_violated());
}

#[test]
fn a_limit_is_no_answer() {
    let large = Counter { most: 1_000_000, panics_at: u32::MAX };
    let limited = || check(&large).always("small", |count| *count < 2_000_000).max_states(1000);
    let verdict = limited().verdict();
    assert_eq!(verdict.outcome(), Outcome::Unknown);
    assert!(verdict.why_unknown().is_some_and(|why| why.contains("1000")), "{verdict}");
    limited().allow_unknown().assert_holds();
    let late = check(&large).always("small", |count| *count < 2_000_000).timeout(Duration::ZERO);
    assert_eq!(late.verdict().outcome(), Outcome::Unknown);
    assert!(check(&large).max_states(1000).size().is_err());
    assert_eq!(check(&FINE).size().map(|size| (size.states, size.transitions)), Ok((6, 10)));
}

#[test]
#[should_panic(expected = "stopped after 1000 states")]
fn unknown_is_a_failure_unless_it_is_allowed() {
    let large = Counter { most: 1_000_000, panics_at: u32::MAX };
    check(&large).always("small", |count| *count < 2_000_000).max_states(1000).assert_holds();
}

#[test]
#[should_panic(expected = "nothing was promised")]
fn a_check_without_a_promise_fails() {
    check(&FINE).assert_holds();
}

#[test]
fn mistakes_are_told() {
    let wrong = |text: &str| {
        let checked = check(&FINE).property("p", text).save_nothing().try_run();
        checked.expect_err("a mistake").to_string()
    };
    assert!(wrong("G (up -> ").contains("E0504"), "{}", wrong("G (up -> "));
    assert!(wrong("G F upp").contains("did you mean `up`?"), "{}", wrong("G F upp"));
    let unknown = check(&FINE).property("p", "G F up").assume(weak().process("P7")).try_run();
    let said = unknown.expect_err("a mistake").to_string();
    assert!(said.contains("P7") && said.ends_with("its processes are system"), "{said}");
    let unread = check(&FINE).property("p", "G F up").assume("wf(").try_run();
    assert!(unread.is_err());
    let panics = check(&FINE).always("p", |count| 10 / count > 0).save_nothing().try_run();
    assert!(panics.expect_err("a mistake").to_string().contains("divide by zero"));
}

/// Each panic writes a message, so a test that panicked once is not asked again.
#[test]
fn a_test_that_panics_does_so_once() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let fails = move |_: &u32| -> bool {
        counted.fetch_add(1, Ordering::Relaxed);
        panic!("no idea")
    };
    assert!(check(&FINE).always("p", fails).save_nothing().try_run().is_err());
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

/// A mistake in a check is shown at the line of the check.
#[test]
fn a_mistake_is_shown_where_it_is() {
    let (tell, told) = std::sync::mpsc::channel();
    let before = std::panic::take_hook();
    let own = std::thread::current().id();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == own {
            let _ = tell.send(info.location().map(|it| it.file().to_owned()));
        } else {
            before(info);
        }
    }));
    let wrong = std::panic::catch_unwind(|| check(&FINE).property("p", "G F upp").assert_holds());
    drop(std::panic::take_hook());
    assert!(wrong.is_err());
    let file = told.recv().ok().flatten().unwrap_or_default();
    assert!(file.ends_with("answers.rs"), "{file}");
}

#[test]
fn tests_of_actions_are_exact() {
    let ups = action("ups", |action: &&str| *action == "up");
    let verdict = check(&FINE).property("ups", eventually(ups.clone())).verdict();
    assert!(verdict.holds(), "{verdict}");
    let only = check(&FINE).property("only ups", always(ups)).save_nothing().verdict();
    assert_eq!(only.run().actions().last(), Some(&"reset"));
    let named = ltl("G (high -> X (resets || rises))")
        .atom("high", |count: &u32| *count > 3)
        .action_atom("resets", |action: &&str| *action == "reset")
        .action_atom("rises", |action: &&str| *action == "up");
    check(&FINE).property("named", named).assert_holds();
}

/// Two closures of one name are two propositions.
#[test]
fn names_may_be_used_twice() {
    let low = state("here", |count: &u32| *count == 0);
    let high = state("here", |count: &u32| *count == 5);
    let both = eventually(low) & !eventually(high);
    let verdict =
        check(&FINE).assume(strong().actions()).property("both", both).save_nothing().verdict();
    assert!(verdict.is_violated());
    assert!(verdict.report().contains("here #2"), "{verdict}");
}

#[test]
fn a_run_is_a_test() {
    let verdict = check(&FINE).eventually("five", |count| *count == 5).save_nothing().verdict();
    let run = verdict.run();
    let again = Run::of_actions(
        &FINE,
        0,
        &run.actions()
            .iter()
            .map(|action| match *action {
                "up" => "\"up\"",
                _ => "\"reset\"",
            })
            .collect::<Vec<_>>(),
        run.loops_to(),
    );
    assert_eq!(again.expect("the same run").states(), run.states());
    let test = run.as_test("FINE");
    assert!(test.contains("fn five_is_violated()") && test.contains("\"\\\"up\\\"\""), "{test}");
    assert!(Run::of_actions(&FINE, 0, &["\"reset\""], None).is_err());
    assert!(Run::of_actions(&FINE, 1, &[], None).is_err());
}

/// The texts that `as_test` gives, in one file, which is a part of this program: they compile, and they run.
mod printed {
    use super::*;

    include!("answers/printed.rs");
}

#[test]
fn printed_tests_compile() {
    let bad = Counter { panics_at: 2, ..FINE };
    let about = |name: &str, formula: &str| {
        let asked = check(&FINE).property(name, formula).atom("five", |count| *count == 5);
        asked.save_nothing().verdict().run().as_test("FINE")
    };
    let panics = check(&bad).always("p", |_| true).save_nothing().run();
    let texts = [
        about("five", "F five"),
        about("G (up -> \"X\" {up})", "G (up -> X up)"),
        about("\u{e9}t\u{e9} 2", "G !five"),
        about("begins twice", "X (!up)"),
        panics.of("no panic").run().as_test("Counter { panics_at: 2, ..FINE }"),
    ];
    let text = format!(
        "// What `Run::as_test` prints, written by `printed_tests_compile`.\n\n{}",
        texts.join("\n")
    );
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/answers/printed.rs");
    if std::env::var_os("FAIRLY_BLESS").is_some() {
        std::fs::write(&path, &text).expect("written");
    }
    let known = std::fs::read_to_string(path).expect("the file");
    assert_eq!(text, known, "FAIRLY_BLESS=1 writes the file anew");
}

#[test]
fn several_workers_give_the_same_answers() {
    let large = Counter { most: 60_000, panics_at: u32::MAX };
    for workers in [1, 2] {
        let check = || check(&large).workers(workers).save_nothing();
        assert!(check().always("small", |count| *count <= 60_000).verdict().holds());
        let found = check().always("smaller", |count| *count < 60_000).verdict();
        assert_eq!(found.run().actions().len(), 60_000);
        let returns = check().infinitely_often("begins", |count| *count == 0);
        assert!(returns.assume(weak().event("reset")).verdict().holds());
    }
}
