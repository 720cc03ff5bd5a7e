//! Processes that grow without end, or go round without a step: what is said of them is said in good
//! time and names the definition, and no call stack or memory runs out.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

use fairly_explore::Explored;
use fairly_front::csp::{self, Lowered, Parts, Plan};
use fairly_model::ModelSpace;
use fairly_system::{FaultKind, TransitionSystem};

/// Fate of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    /// Not a model, with the code and the message.
    Refused(&'static str, String),
    /// A run comes to a limit, with the message.
    Limit(String),
    /// So many states.
    States(usize),
    /// More states than were looked at.
    More,
}

/// The process of the first assertion, in a thread with a small stack.
fn end_of(text: &str, parts: Parts, most: usize) -> End {
    let text = text.to_owned();
    let small = std::thread::Builder::new().stack_size(2 << 20);
    // Less than usual before the search, so that the test is done before anybody waits for it.
    let plan = Plan { parts, eager: 1000 };
    let work = move || {
        let parsed = match csp::parse(&text) {
            Ok(parsed) => Arc::new(parsed),
            Err(wrong) => return End::Refused(wrong[0].code, wrong[0].message.clone()),
        };
        let Lowered { model, unfold } =
            match csp::lower_with(&parsed, &parsed.assertions[0].process, plan) {
                Ok(lowered) => lowered,
                Err(wrong) => return End::Refused(wrong[0].code, wrong[0].message.clone()),
            };
        let mut system = match unfold {
            Some(unfold) => Explored::new(ModelSpace::new(model, Some(unfold))),
            None => Explored::new(ModelSpace::new(model, None)),
        };
        let mut open = system.initial();
        let mut met: HashSet<_> = open.iter().copied().collect();
        let mut next = 0;
        while let Some(&state) = open.get(next) {
            next += 1;
            let mut steps = Vec::new();
            system.enabled(state, &mut steps);
            for step in steps {
                if let Some(fault) = system.fault(step.target)
                    && fault.kind == FaultKind::Limit
                {
                    return End::Limit(fault.message.clone());
                }
                if met.insert(step.target) {
                    open.push(step.target);
                }
            }
            if open.len() > most {
                return End::More;
            }
        }
        End::States(open.len())
    };
    small.spawn(work).expect("a thread").join().expect("it neither panics nor overflows")
}

fn both(text: &str, most: usize) -> [End; 2] {
    [Parts::Processes, Parts::OneProcess].map(|parts| end_of(text, parts, most))
}

#[test]
fn growth_is_a_limit_that_names_the_definition() {
    for text in [
        "Grow = a -> (Grow ||| Stop); #assert Grow deadlockfree;",
        "Grow = (a -> Grow); b -> Skip; #assert Grow deadlockfree;",
        "Grow = a -> (Grow interrupt Stop); #assert Grow deadlockfree;",
        "Grow = a -> (Grow || Stop); #assert Grow deadlockfree;",
        "Grow(n) = c?m -> (Grow(m) ||| c!m -> Stop); Start = c!1 -> Stop ||| Grow(0);
         channel c 0; #assert Start deadlockfree;",
    ] {
        for end in both(text, 100_000) {
            let End::Limit(message) = &end else { panic!("{text}\n{end:?}") };
            assert!(message.contains("`Grow"), "{text}\n{message}");
        }
    }
}

#[test]
fn what_is_hidden_twice_does_not_grow() {
    for (text, states) in [
        ("P = a -> atomic{P}; #assert P deadlockfree;", 2),
        ("P = a -> (P \\ {b}); #assert P deadlockfree;", 2),
        ("P = a -> (Q \\ {b}); Q = b -> (P \\ {c}); #assert P deadlockfree;", 4),
    ] {
        let ends = both(text, 100);
        assert_eq!(ends, [End::States(states), End::States(states)], "{text}");
    }
}

#[test]
fn what_stands_before_a_semicolon_does_not_grow() {
    for (text, states) in [
        ("P = a -> (Skip; P); #assert P deadlockfree;", 1),
        ("P = a -> ((Skip ||| Skip); P); #assert P deadlockfree;", 1),
        ("P = a -> (Stop; P); #assert P deadlockfree;", 2),
    ] {
        let ends = both(text, 100);
        assert_eq!(ends, [End::States(states), End::States(states)], "{text}");
    }
}

#[test]
fn growth_in_all_directions_is_more_states_than_anybody_wants() {
    for text in [
        "P = a -> (P ||| b -> Stop); #assert P deadlockfree;",
        "P = a -> (P ||| P); #assert P deadlockfree;",
        "P = a -> (P || a -> P); #assert P deadlockfree;",
        "P = a -> (P interrupt b -> P); #assert P deadlockfree;",
    ] {
        for end in both(text, 200) {
            assert!(matches!(end, End::More | End::Limit(_)), "{text}\n{end:?}");
        }
    }
}

#[test]
fn a_counter_goes_on_until_somebody_stops_it() {
    let text = "Count(n) = up -> Count(n + 1); #assert Count(0) deadlockfree;";
    assert_eq!(both(text, 30_000), [End::More, End::More]);
}

#[test]
fn a_process_that_never_makes_a_step_is_refused() {
    for text in [
        "P = P; #assert P deadlockfree;",
        "P = Q; Q = P; #assert P deadlockfree;",
        "P = P [] a -> P; #assert P deadlockfree;",
        "P = P [*] a -> P; #assert P deadlockfree;",
        "P = P ||| P; #assert P deadlockfree;",
        "P = P || P; #assert P deadlockfree;",
        "P = (P); a -> Skip; #assert P deadlockfree;",
        "P = P interrupt a -> P; #assert P deadlockfree;",
        "P = P \\ {a}; #assert P deadlockfree;",
        "P = atomic{P}; #assert P deadlockfree;",
        "P = [true] P; #assert P deadlockfree;",
        "P = ifa (true) { P }; #assert P deadlockfree;",
        "P(n) = P(n + 1) [] a -> Stop; #assert P(0) deadlockfree;",
        "var x = 0; P(n) = P(x) [] a -> Stop; #assert P(0) deadlockfree;",
        "P = a -> Q; Q = Q ||| Q; #assert P deadlockfree;",
    ] {
        for end in both(text, 1000) {
            let refused = match &end {
                End::Refused(code, message) => *code == "E1097" && message.contains('`'),
                End::Limit(message) => message.contains('`'),
                _ => false,
            };
            assert!(refused, "{text}\n{end:?}");
        }
    }
}

#[test]
fn what_is_nested_as_deeply_as_can_be_read() {
    // Prefixes, guards and operators without brackets go up to the depth of the tree.
    let chain = |before: &str, count: usize, last: &str| {
        let mut text = "P = ".to_owned();
        (0..count).for_each(|_| text += before);
        write!(text, "{last}; #assert P deadlockfree;").expect("a string");
        text
    };
    assert_eq!(both(&chain("a -> ", 990, "Stop"), 2000), [End::States(991), End::States(991)]);
    assert_eq!(both(&chain("[true] ", 990, "a -> Stop"), 2000).len(), 2);
    let nested = |open: &str, close: &str, count: usize| {
        format!(
            "P = {}a -> Skip{}; #assert P deadlockfree;",
            open.repeat(count),
            close.repeat(count)
        )
    };
    for (open, close) in [
        ("(", ")"),
        ("(b -> Skip ||| ", ")"),
        ("(b -> Skip || ", ")"),
        ("(b -> Skip [] ", ")"),
        ("(b -> Skip [*] ", ")"),
        ("(b -> Skip <> ", ")"),
        ("(b -> Skip interrupt ", ")"),
        ("(b -> Skip; ", ")"),
        ("(", "; b -> Skip)"),
        ("(", " interrupt b -> Skip)"),
        ("(", " \\ {b})"),
        ("atomic{", "}"),
        ("if (true) {", "}"),
        ("ifa (true) {", "}"),
        ("case { true: ", "}"),
        ("(|||{1}@", ")"),
        ("([] i:{0..0}@", ")"),
    ] {
        for count in [90, 190] {
            // There is always an answer; only brackets that the parser counts twice are too deep for it.
            for end in both(&nested(open, close, count), 5) {
                let too_deep = matches!(end, End::Refused("E1010", _));
                let answered = matches!(end, End::States(_) | End::More);
                assert!(answered || too_deep && count == 190, "{open} {count} {end:?}");
            }
        }
    }
}

/// How much is looked at to make the model of the first assertion.
fn work(text: &str, parts: Parts) -> u64 {
    let parsed = Arc::new(csp::parse(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}")));
    let plan = Plan { parts, ..Plan::default() };
    let subject = &parsed.assertions[0].process;
    let lowered = csp::lower_counting(&parsed, subject, plan);
    lowered.unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}")).1
}

#[test]
fn twice_the_text_is_twice_the_work() {
    let texts: [fn(usize) -> String; 8] = [
        |n| format!("P = [] i:{{1..{n}}}@ e.i -> P; #assert P deadlockfree;"),
        |n| format!("P = [] i:{{1..{n}}}@ e.i -> Q(i); Q(i) = f.i -> P; #assert P deadlockfree;"),
        |n| format!("P = <> i:{{1..{n}}}@ e.i -> P; #assert P deadlockfree;"),
        |n| {
            format!(
                "P = [] i:{{1..{n}}}@ e.i -> P; Q = [] i:{{1..{n}}}@ e.i -> Q;
                 S = a -> (P || Q); #assert S deadlockfree;"
            )
        },
        |n| {
            format!(
                "channel c 0; P = [] i:{{1..{n}}}@ c!i -> P; Q = [] i:{{1..{n}}}@ e.i -> Q;
                 S = a -> (P ||| Q); #assert S deadlockfree;"
            )
        },
        |n| format!("P(i) = e.i -> P(i); S = || i:{{1..{n}}}@ P(i); #assert S deadlockfree;"),
        |n| {
            format!(
                "P(i) = e.i -> P(i); S = (||| i:{{1..{n}}}@ P(i)) \\ {{x:{{1..{n}}}@e.x}};
                 #assert S deadlockfree;"
            )
        },
        |n| {
            let mut text = String::new();
            for at in 0..n {
                writeln!(text, "P{at}(i) = e.i -> P{}(i);", (at + 1) % n).expect("a string");
            }
            text + "#assert P0(1) deadlockfree;"
        },
    ];
    for text in texts {
        let (once, twice) = (text(400), text(800));
        // One process with many parts is bounded by the size of its term, not by what its text says.
        let parts = Parts::Processes;
        let (before, after) = (work(&once, parts), work(&twice, parts));
        assert!(after < 3 * before, "{before} {after}: {once}");
    }
}
