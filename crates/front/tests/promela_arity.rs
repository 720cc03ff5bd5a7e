//! Messages with more or fewer fields than those of their channel.
//!
//! SPIN speaks of them where they are sent or received, not before: a statement that cannot be
//! executed does no harm. What it says has been recorded as a rule ([`goes_wrong`]), with which all
//! cases are compared, and where `spin` and a C compiler are installed some of them are asked anew;
//! with `FAIRLY_RANDOM_CASES` set, so many.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use fairly_explore::Explored;
use fairly_front::promela::{Options, lower, parse};
use fairly_model::ModelSpace;
use fairly_omega::StateId;
use fairly_system::TransitionSystem;
use fairly_testkit::side_by_side;

/// How a process gets at a channel whose messages have two fields: declarations outside, declarations
/// and statements inside, the channel.
const ACCESSES: [(&str, &str, &str, &str); 9] = [
    ("a global channel", "chan q = [2] of { byte, byte };", "", "q"),
    ("a local channel", "", "chan q = [2] of { byte, byte };", "q"),
    ("an element", "chan q[2] = [2] of { byte, byte };", "", "q[1]"),
    ("some element", "byte i = 1; chan q[2] = [2] of { byte, byte };", "", "q[i]"),
    ("a variable", "chan g = [2] of { byte, byte }; chan q;", "q = g;", "q"),
    ("another name", "chan g = [2] of { byte, byte };", "chan q = g;", "q"),
    (
        "another channel",
        "chan g = [2] of { byte, byte }; chan q = [1] of { byte, byte };",
        "q = g;",
        "q",
    ),
    ("a parameter", "chan g = [2] of { byte, byte };", "", "p"),
    ("one that was received", "chan g = [2] of { byte, byte };", "chan q; via!g; via?q;", "q"),
];

/// The deed, with `C` for the channel and `F` for the fields, which are these; and the fields that are compared
/// with the message `1,2`.
const DEEDS: [(&str, [&str; 3], Deed); 19] = [
    ("C!F", ["1", "2", "3"], Deed::Send),
    ("C!!F", ["1", "2", "3"], Deed::Send),
    ("C?F", ["x", "y", "z"], Deed::Receive),
    ("C?F", ["1", "2", "3"], Deed::Receive),
    ("C?F", ["_", "_", "_"], Deed::Receive),
    ("C?F", ["eval(x)", "y", "eval(z)"], Deed::Receive),
    ("C?F", ["7", "2", "3"], Deed::Nothing),
    ("C??F", ["x", "y", "z"], Deed::Receive),
    ("C??F", ["1", "2", "3"], Deed::Receive),
    ("C??F", ["7", "y", "z"], Deed::Nothing),
    ("C?<F>", ["x", "y", "z"], Deed::Look),
    ("C?<F>", ["1", "2", "3"], Deed::Look),
    ("C??<F>", ["1", "y", "z"], Deed::Look),
    ("C?[F]", ["1", "2", "3"], Deed::Ask),
    ("C?[F]", ["1", "2", "_"], Deed::Nothing),
    ("C?[F]", ["x", "y", "z"], Deed::Nothing),
    ("C?[F]", ["7", "2", "3"], Deed::Nothing),
    ("C??[F]", ["1", "2", "3"], Deed::Ask),
    ("C??[F]", ["7", "2", "3"], Deed::Nothing),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Send,
    Receive,
    /// Without taking the message.
    Look,
    /// In a condition.
    Ask,
    /// Nothing that could go wrong.
    Nothing,
}

#[derive(Clone, Debug)]
struct Case {
    text: String,
    deed: Deed,
    fields: usize,
    /// How many messages are in the channel before.
    filled: usize,
}

/// The rule.
fn goes_wrong(case: &Case) -> bool {
    let waits = case.filled > 0;
    match case.deed {
        Deed::Send => case.filled < 2 && case.fields != 2,
        Deed::Receive => waits && case.fields != 2,
        Deed::Look | Deed::Ask => waits && case.fields > 2,
        Deed::Nothing => false,
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (_, outside, inside, channel) in ACCESSES {
        for (deed, parts, kind) in DEEDS {
            for fields in 1..=3 {
                for filled in 0..=2 {
                    let deed = deed.replace('F', &parts[..fields].join(", "));
                    let fill = format!("{channel}!1,2; ").repeat(filled);
                    let body = format!("{inside} {fill}if :: {deed} -> r = 1 :: r = 2 fi");
                    let body = body.replace('C', channel);
                    let process = match channel {
                        "p" => format!("proctype P(chan p) {{ {body} }} init {{ run P(g) }}"),
                        _ => format!("active proctype P() {{ {body} }}"),
                    };
                    // A channel that is wide enough for what is sent, or SPIN refuses the model.
                    let text = format!(
                        "chan via = [1] of {{ chan }};\nchan wide = [1] of {{ byte, byte, byte }};\n\
                         byte x = 1, y = 2, z = 3, r;\n{outside}\n{process}\n"
                    );
                    cases.push(Case { text, deed: kind, fields, filled });
                }
            }
        }
    }
    cases
}

/// Whether a run goes wrong.
fn here(text: &str) -> bool {
    let model = parse(text).unwrap_or_else(|wrong| panic!("{text}{}", wrong[0]));
    let lowered = lower(&model, Options::new(text));
    let lowered = lowered.unwrap_or_else(|wrong| panic!("{text}{}", wrong[0]));
    if let Err(flaws) = fairly_model::verify(&lowered.model) {
        panic!("{text}{flaws:?}");
    }
    let mut system = Explored::new(ModelSpace::new(lowered.model, None));
    system.initial();
    let (mut at, mut wrong) = (0, false);
    let mut steps = Vec::new();
    while at < system.state_count() {
        let state = StateId::from_index(at);
        at += 1;
        assert!(at < 10_000, "{text}");
        wrong |= system.fault(state).is_some();
        steps.clear();
        system.enabled(state, &mut steps);
    }
    wrong
}

#[test]
fn a_message_of_another_width_goes_wrong_where_it_is_sent_or_received() {
    for case in cases() {
        assert_eq!(here(&case.text), goes_wrong(&case), "{case:?}\n{}", case.text);
    }
}

/// Pairs that meet: the sender's statement, the receiver's, and whether something goes wrong.
const MEETINGS: [(&str, &str, bool); 8] = [
    ("C!1,2", "C?x,y", false),
    ("C!1,2", "C?x", true),
    ("C!1,2", "C?x,y,z", true),
    ("C!1,2", "C?7", false),
    ("C!1,2", "C?1,7,3", false),
    ("C!1,2", "C?1,2,3", true),
    // The sender has said it before anybody could receive it.
    ("C!1", "C?7,y", true),
    ("C!1,2,3", "C?7,y", true),
];

fn meetings() -> Vec<(String, bool)> {
    let mut all = Vec::new();
    for (send, receive, wrong) in MEETINGS {
        for (outside, inside) in [
            ("chan q = [0] of { byte, byte };", ""),
            ("chan g = [0] of { byte, byte };", "chan q = g;"),
        ] {
            let process = |name: &str, deed: &str| {
                let deed = deed.replace('C', "q");
                format!("active proctype {name}() {{ {inside} if :: {deed} :: r = 1 fi }}\n")
            };
            let text = format!(
                "chan wide = [1] of {{ byte, byte, byte }};\nbyte x, y, z, r;\n{outside}\n{}{}",
                process("S", send),
                process("R", receive)
            );
            all.push((text, wrong));
        }
    }
    all
}

#[test]
fn and_where_two_meet() {
    for (text, wrong) in meetings() {
        assert_eq!(here(&text), wrong, "{text}");
    }
}

#[test]
fn inside_a_d_step() {
    for (deed, wrong) in [
        ("q!1", true),
        ("q!1,2", false),
        ("q!1,2,3", true),
        ("q!1,2; q?x", true),
        ("q!1,2; q?x,y", false),
        ("q!1,2; q?x,y,z", true),
        ("q!1,2; q?<x>", false),
        ("q!1,2; q?<x,y,z>", true),
        ("q!1,2; if :: q?[7] -> x = 2 :: else -> x = 3 fi", false),
        ("q!1,2; if :: q?[7,2,3] -> x = 2 :: else -> x = 3 fi", false),
    ] {
        for inside in ["", "chan q = g;"] {
            let outside = match inside {
                "" => "chan q = [1] of { byte, byte };",
                _ => "chan g = [1] of { byte, byte };",
            };
            let text = format!(
                "chan wide = [1] of {{ byte, byte, byte }};\nbyte x, y, z;\n{outside}\n\
                 active proctype P() {{ {inside} d_step {{ x = 0; {deed} }} }}\n"
            );
            assert_eq!(here(&text), wrong, "{text}");
        }
    }
}

#[test]
fn more_than_any_channel_has_is_refused() {
    for (text, refused) in [
        ("chan q = [1] of { byte }; init { q!1,2 }", true),
        ("chan q = [1] of { byte }; init { chan c = q; c!!1,2 }", true),
        ("init { chan c; c!1 }", true),
        (
            "chan q = [1] of { byte }; init { q!1,2 } proctype P() { chan w = [1] of { byte, byte } }",
            false,
        ),
        (
            "typedef T { byte a; byte b; byte c }; T t; chan q = [1] of { byte, byte }; init { q!t }",
            true,
        ),
        ("chan q = [1] of { byte }; byte x; init { q?x,x }", false),
        ("chan q = [1] of { byte }; byte x; init { q?[1,2] }", false),
    ] {
        let codes: Vec<&str> = match parse(text) {
            Ok(_) => Vec::new(),
            Err(wrong) => wrong.iter().map(|wrong| wrong.code).collect(),
        };
        assert_eq!(codes, if refused { vec!["E1167"] } else { Vec::new() }, "{text}");
    }
}

fn has(program: &str) -> bool {
    Command::new(program).arg("-v").stdin(Stdio::null()).output().is_ok()
}

/// Whether SPIN's verifier says that something goes wrong with a message.
fn asked(text: &str, compiler: &str, folder: &Path) -> Result<bool, String> {
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    fs::write(folder.join("m.pml"), text).map_err(|error| error.to_string())?;
    let run = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        let output = command.args(arguments).current_dir(folder).stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("{program}: {error}"))?;
        let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok::<_, String>(words(&output.stdout) + &words(&output.stderr))
    };
    run("spin", &["-o1", "-o2", "-o3", "-a", "m.pml"])?;
    run(compiler, &["-DSAFETY", "-DNOREDUCE", "-w", "-o", "pan", "pan.c"])?;
    let said = run("timeout", &["-k", "5", "60", "./pan", "-n", "-E", "-c0"])?;
    let wrong = [
        "too few parameters in send",
        "too many parameters in send",
        "missing pars in receive",
        "wrong nr of msg fields",
        "too many fields in recv",
    ];
    let found = wrong.iter().any(|what| said.contains(what));
    match found || said.contains("errors: 0") {
        true => Ok(found),
        false => Err(said),
    }
}

#[test]
fn spin_says_the_same() {
    let compiler = ["tcc", "gcc", "cc"].into_iter().find(|name| has(name));
    let (true, Some(compiler)) = (has("spin"), compiler) else {
        println!("skipped: spin or a C compiler is missing");
        return;
    };
    let all: Vec<(String, bool)> = cases()
        .iter()
        .map(|case| (case.text.clone(), goes_wrong(case)))
        .chain(meetings())
        .collect();
    let wanted = std::env::var("FAIRLY_RANDOM_CASES").ok().and_then(|text| text.parse().ok());
    let stride = (all.len() / wanted.unwrap_or(24_usize).max(1)).max(1);
    // The accesses and deeds come round in different ways if the stride has no factor of theirs.
    let some: Vec<(usize, &(String, bool))> =
        all.iter().enumerate().filter(|(at, _)| at % stride == stride / 2).collect();
    let folder = std::env::temp_dir().join(format!("fairly-arity-{}", std::process::id()));
    let answers = side_by_side(&some, |(at, (text, _))| {
        let folder = folder.join(at.to_string());
        let answer = asked(text, compiler, &folder);
        fs::remove_dir_all(folder).ok();
        answer
    });
    fs::remove_dir_all(&folder).ok();
    for ((_, (text, expected)), answer) in some.iter().zip(answers) {
        assert_eq!(answer, Ok(*expected), "{text}");
    }
}
