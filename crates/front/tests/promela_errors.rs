//! Every error code of Promela: a file of `corpus/promela/bad` for each, and what has no file.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use fairly_front::promela::{MAX_DEPTH, MAX_TEXT, MOST_ERRORS, Options, lower, parse};
use fairly_source::{Diagnostic, Style, render};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela/bad")
}

fn errors(text: &str) -> Vec<Diagnostic> {
    match parse(text) {
        Ok(_) => panic!("this should be wrong:\n{text}"),
        Err(errors) => errors,
    }
}

fn codes(text: &str) -> Vec<&'static str> {
    errors(text).iter().map(|wrong| wrong.code).collect()
}

/// A text with one error: the code and the text that is marked.
fn only(code: &str, marked: &str, text: &str) {
    let errors = errors(text);
    assert_eq!(errors.len(), 1, "{text}\n{errors:#?}");
    let wrong = &errors[0];
    assert_eq!(wrong.code, code, "{text}\n{wrong:?}");
    assert_eq!(&text[wrong.span.start..wrong.span.end], marked, "{text}\n{wrong:?}");
}

#[test]
fn every_bad_file_has_its_error_and_no_other() {
    let mut seen = BTreeSet::new();
    let mut failures = String::new();
    for entry in fs::read_dir(folder()).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("text");
        // Features that cannot be turned into a model are found after reading.
        let errors = match parse(&text) {
            Err(errors) => errors,
            Ok(model) => lower(&model, Options::new(&text)).expect_err(&name),
        };
        if errors.len() != 1 || errors[0].code != &name[..5] || errors[0].help.is_none() {
            failures.extend(errors.iter().map(|wrong| render(wrong, &name, &text, Style::Plain)));
        }
        assert!(errors[0].span.end <= text.len());
        seen.insert(errors[0].code);
    }
    assert!(failures.is_empty(), "{failures}");
    // Too large for a file in the repository.
    let large = " ".repeat(MAX_TEXT + 1);
    assert_eq!(codes(&large), ["E1124"]);
    seen.insert("E1124");
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/errors.md");
    let page = fs::read_to_string(page).expect("the page");
    let listed: BTreeSet<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| E11")?.split_once(' '))
        .map(|(digits, _)| digits)
        .collect();
    // Those of trails are about another kind of file: `crates/cli/tests/newcomer.rs` has them.
    seen.extend(["E1185", "E1186", "E1187"]);
    // Those of included files are in `promela_include.rs`.
    seen.extend(["E1116", "E1117"]);
    let seen: BTreeSet<&str> = seen.iter().map(|code| &code[3..]).collect();
    assert_eq!(seen, listed);
}

#[test]
fn several_errors_are_reported_in_the_order_of_the_text() {
    let text = "byte x;
proctype P() {
  y = 1;
  if
  :: x == 1 -> x = = 2; z = 3
  :: else x.f = 1
  fi;
  break
  { x[1] = 2; goto nowhere }
}
nonsense;
init {
  run Q(); x = 1 2; c!3
}
";
    let found = codes(text);
    assert_eq!(
        found,
        [
            "E1140", "E1120", "E1140", "E1162", "E1128", "E1161", "E1145", "E1120", "E1143",
            "E1120", "E1140"
        ]
    );
}

#[test]
fn errors_are_few() {
    let text = format!("init {{ {} }}", "x = 1; y = 2; ".repeat(MOST_ERRORS));
    assert!(errors(&text).len() <= MOST_ERRORS);
    let text = format!("{} init {{ skip }}", "byte x;\n".repeat(10 * MOST_ERRORS));
    assert_eq!(errors(&text).len(), MOST_ERRORS);
}

#[test]
fn an_error_in_an_expansion_is_marked_in_the_definition_and_names_the_use() {
    let text = "#define inc(v) v = v + stpe\nbyte step, x;\ninit {\n  inc(x)\n}\n";
    let wrong = &errors(text)[0];
    assert_eq!(&text[wrong.span.start..wrong.span.end], "stpe");
    assert_eq!(
        wrong.help.as_deref(),
        Some("did you mean `step`?; this is part of the macro `inc`, used at 4:3")
    );
    let text = "byte x;\n#define ONE y\ninline set(v) { v = ONE }\ninit { set(x); set(x) }\n";
    let found = errors(text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(&text[found[0].span.start..found[0].span.end], "y");
    assert!(found[0].help.as_deref().is_some_and(|help| help.ends_with("`ONE`, used at 4:8")));
    // An error in an argument is marked where the argument stands.
    only("E1140", "zz", "byte x;\ninline set(v) { x = v }\ninit { set(zz) }\n");
}

#[test]
fn marks_are_where_the_mistake_is() {
    only("E1120", "2", "byte x; init { x = 1 2 }");
    only("E1120", "+", "byte a, b;\ninit {\n  a = b\n  + 1;\n}\n");
    // The parenthesis is missing, not a brace.
    only("E1120", "(", "byte x; init { if :: (x == 0 -> x = 1 :: else fi }");
    only("E1120", "(", "byte x; inline f(a) { x = a }\ninit { f(1 }\ninit { skip }");
    only("E1160", "a", "byte a[2]; init { a == 1 }");
    only("E1167", "c!x,x", "chan c = [1] of { byte }; byte x; init { c!x,x }");
    only("E1141", "x", "init { byte x; { byte x; skip } }");
    only("E1141", "x", "init { if :: byte x; skip :: byte x; skip fi }");
    only("E1140", "x", "init { { byte x; skip }; x = 1 }");
    only("E1140", "x", "init { byte y; y = 1 } ltl p { x > 0 }");
    only("E1134", "break", "init { do :: d_step { skip; break } od }");
    only("E1175", "run P() && run P()", "proctype P() { skip } init { run P() && run P() }");
    only("E1163", "p", "typedef T { byte x } proctype P(T p) { skip } init { P[0]:p == 1 }");
    only("E1163", "1", "typedef T { byte x } proctype P(T p) { skip } init { run P(1) }");
}

#[test]
fn depth_is_bounded() {
    let deep = |open: &str, close: &str| {
        let many = 50_000;
        format!("byte x; init {{ {}x == 1{} }}", open.repeat(many), close.repeat(many))
    };
    for (open, close) in [
        ("(", ")"),
        ("{", "}"),
        ("!", ""),
        ("- ", ""),
        ("if :: ", " fi"),
        ("atomic {", "}"),
        ("x + (", ")"),
        ("x == 1 unless ", ""),
    ] {
        let found = codes(&deep(open, close));
        assert!(found.contains(&"E1122") || found.contains(&"E1120"), "{open} {found:?}");
    }
    let labels =
        format!("init {{ {} skip }}", (0..50_000).map(|i| format!("L{i}:")).collect::<String>());
    assert!(parse(&labels).is_ok(), "labels do not nest");
    let chain = format!("byte x; init {{ x = {} 1 }}", "1 + ".repeat(50_000));
    assert_eq!(codes(&chain), ["E1122"]);
    assert_eq!(codes(&format!("init {{ {}", "if :: ".repeat(50_000))), ["E1122"]);
    let fine = format!(
        "byte x; init {{ x = {}1{} }}",
        "(".repeat(MAX_DEPTH / 2),
        ")".repeat(MAX_DEPTH / 2)
    );
    assert!(parse(&fine).is_ok());
    let formula = format!("byte x; ltl {{ {} x }} init {{ skip }}", "[]".repeat(50_000));
    assert_eq!(codes(&formula), ["E1122"]);
    let structs: String =
        (1..60).map(|i| format!("typedef T{i} {{ T{} a; T{} b }};\n", i - 1, i - 1)).collect();
    let text = format!(
        "typedef T0 {{ byte a }};\n{structs}chan c = [1] of {{ T59 }}; T59 t; init {{ c!t }}"
    );
    assert_eq!(codes(&text), ["E1167", "E1140"]);
}
