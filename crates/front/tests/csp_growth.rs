//! Processes that grow without end, or go round without a step: what is said of them is said in good
//! time and names the definition, and no call stack or memory runs out.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::rc::Rc;

use fairly_front::csp::{self, Lowered, Parts};
use fairly_model::Interpreter;
use fairly_system::{FaultKind, TransitionSystem};

/// What comes of a process.
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
    let work = move || {
        let parsed = Rc::new(csp::parse(&text).unwrap_or_else(|wrong| panic!("{wrong:?}")));
        let Lowered { model, unfold } =
            match csp::lower_as(&parsed, &parsed.assertions[0].process, parts) {
                Ok(lowered) => lowered,
                Err(wrong) => return End::Refused(wrong[0].code, wrong[0].message.clone()),
            };
        let mut system = match unfold {
            Some(unfold) => Interpreter::open(model, unfold),
            None => Interpreter::new(model),
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
        "Grow = a -> (Grow ||| b -> Stop); #assert Grow deadlockfree;",
        "Grow = (a -> Grow); b -> Skip; #assert Grow deadlockfree;",
        "Grow = a -> (Grow interrupt b -> Stop); #assert Grow deadlockfree;",
        "Grow = a -> (tau -> Grow [*] b -> Stop); #assert Grow deadlockfree;",
        "Grow = a -> atomic{Grow}; #assert Grow deadlockfree;",
        "Grow = a -> (Grow \\ {b}); #assert Grow deadlockfree;",
        "Grow = a -> (Grow || a -> Grow); #assert Grow deadlockfree;",
        "Grow = (Grow2 ||| Grow2); Grow2 = a -> Grow; #assert Grow deadlockfree;",
    ] {
        for end in both(text, 100_000) {
            let End::Limit(message) = &end else { panic!("{text}\n{end:?}") };
            assert!(message.contains("`Grow"), "{text}\n{message}");
        }
    }
}

#[test]
fn a_counter_goes_on_until_somebody_stops_it() {
    let text = "Count(n) = up -> Count(n + 1); #assert Count(0) deadlockfree;";
    assert_eq!(both(text, 30_000), [End::More, End::More]);
    let end = both("Count(n) = up -> Count(n + 1); #assert Count(0) deadlockfree;", usize::MAX);
    for end in end {
        let End::Limit(message) = end else { panic!("{end:?}") };
        assert!(message.contains("`Count`"), "{message}");
    }
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
        format!("P = {}a -> Skip{}; #assert P deadlockfree;", open.repeat(count), close.repeat(count))
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
        for count in [50, 190] {
            // Whatever the answer, there is one.
            let ends = both(&nested(open, close, count), 300);
            assert!(!ends.iter().any(|end| matches!(end, End::States(0))), "{open} {ends:?}");
        }
    }
}
