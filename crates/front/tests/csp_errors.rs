//! Every error of CSP#: a file for each code, several errors at once, and texts meant to exhaust
//! the parser.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Instant;

use fairly_front::csp::syntax::MAX_DEPTH;
use fairly_front::csp::{MAX_NESTING, MAX_TEXT, MOST_ERRORS, codes, parse};
use fairly_source::{Style, render};

/// The codes and marked texts of everything that is wrong.
fn wrong(text: &str) -> Vec<(&'static str, &str)> {
    let errors = parse(text).expect_err(text);
    errors.iter().map(|wrong| (wrong.code, &text[wrong.span.start..wrong.span.end])).collect()
}

/// The help of the first error.
fn help(text: &str) -> String {
    parse(text).expect_err(text)[0].help.clone().unwrap_or_default()
}

/// Each file says in its first line what the caret must stand under, and has only the error that
/// it is named after.
#[test]
fn every_code_has_a_file_that_shows_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/csp/bad");
    let mut shown = BTreeSet::new();
    for entry in fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("text");
        let marked = text.lines().next().and_then(|line| line.strip_prefix("// marks: "));
        let marked = marked.unwrap_or_else(|| panic!("{name}: no `// marks: ` in line 1"));
        let errors = parse(&text).expect_err(&name);
        assert_eq!(errors.len(), 1, "{name}: {errors:?}");
        let found = &errors[0];
        assert!(name.starts_with(found.code), "{name}: {found:?}");
        assert_eq!(&text[found.span.start..found.span.end], marked, "{name}");
        assert!(!found.label.is_empty() && found.help.is_some(), "{name}: {found:?}");
        assert!(render(found, &name, &text, Style::Plain).contains(found.code));
        shown.insert(found.code);
    }
    // A file of that size is too large to be kept; see the next test.
    shown.insert("E1000");
    assert_eq!(shown, codes::ALL.iter().copied().collect());
}

#[test]
fn a_text_can_be_too_long() {
    let long = " ".repeat(MAX_TEXT + 1);
    assert_eq!(wrong(&long), [("E1000", "")]);
    assert!(parse(&long[1..]).is_ok());
}

/// Uses of macros that use others twice: twice as many for each macro.
#[test]
fn macros_can_be_written_out_to_too_much() {
    let doubling = |count: usize| {
        let macros = (1..=count).map(|at| format!("#define m{at} m{0} + m{0};\n", at - 1));
        let macros: String = macros.collect();
        format!("var x = 0;\n#define m0 x;\n{macros}P = [m{count} == 0] a -> P;\n")
    };
    assert!(parse(&doubling(5)).is_ok());
    let long = doubling(20);
    let errors = parse(&long).expect_err("too long");
    assert_eq!(errors[0].code, "E1025");
    assert!(errors[0].message.contains("too long"), "{:?}", errors[0]);
    // Each of them is as deep as what it stands for.
    let chain = |count: usize| {
        let defines = (1..=count).map(|at| format!("#define m{at} m{} + 1;\n", at - 1));
        let defines: String = defines.collect();
        format!("var x = 0;\n#define m0 x;\n{defines}P = [m{count} == 0] a -> P;\n")
    };
    assert!(parse(&chain(400)).is_ok());
    let errors = parse(&chain(20_000)).expect_err("too deep");
    assert!(errors[0].message.contains("too deeply"), "{:?}", errors[0]);
}

#[test]
fn independent_errors_are_all_reported() {
    assert_eq!(
        wrong("var x = y;\nP = a -> Q;\n#assert P deadlokfree;\n"),
        [("E1031", "y"), ("E1032", "Q"), ("E1070", "deadlokfree")]
    );
}

#[test]
fn parsing_goes_on_after_brackets_semicolons_and_declarations() {
    // Brackets of processes.
    assert_eq!(
        wrong("P = (a -> ) [] [x] (b -> ) [] Q;"),
        [("E1006", ""), ("E1031", "x"), ("E1006", ""), ("E1032", "Q")]
    );
    // Statements.
    assert_eq!(
        wrong("var x;\nP = a{x = ; x = y; x + 1; x = true;} -> P;"),
        [("E1006", ";"), ("E1031", "y"), ("E1015", "x"), ("E1053", "true")]
    );
    // Declarations, with a missing semicolon, bracket and brace.
    assert_eq!(
        wrong("#define N 3\nP = a -> (b -> P;\nQ = a{x = 1; -> Q;\nvar z = w;\n"),
        [("E1007", ""), ("E1008", "("), ("E1008", "{"), ("E1031", "w")]
    );
    // An unreadable part is not missed elsewhere.
    assert_eq!(wrong("var x = ;\nP = [x > 1] a -> P;\n#assert P reaches x;"), [("E1006", ";")]);
}

#[test]
fn at_most_a_hundred_errors_are_reported() {
    let text: String = (0..1000).map(|i| format!("P{i} = Q{i};\n")).collect();
    assert_eq!(parse(&text).unwrap_err().len(), MOST_ERRORS);
    assert_eq!(parse(&"§ ".repeat(1000)).unwrap_err().len(), MOST_ERRORS);
}

#[test]
fn names_of_the_wrong_kind() {
    let with = |process: &str| {
        format!(
            "#define N 3;\nvar x;\nvar a[2];\nvar b = true;\n#define c x > 0;\nchannel ch 1;\nchannel chs[2] 1;\nQ(i) = Skip;\nP = {process};\n"
        )
    };
    for (process, code, marked) in [
        ("[Q] a -> Skip", "E1038", "Q"),
        ("[Q(1)] a -> Skip", "E1038", "Q"),
        ("Q", "E1034", "Q"),
        ("Q(1, 2)", "E1034", "Q(1, 2)"),
        ("x", "E1032", "x"),
        ("N!1 -> Skip", "E1039", "N"),
        ("Q[1]!1 -> Skip", "E1039", "Q"),
        ("chs!1 -> Skip", "E1042", "chs"),
        ("ch[0]?y -> Skip", "E1042", "ch[0]"),
        ("chs[2]?y -> Skip", "E1065", "2"),
        ("ch?c -> Skip", "E1043", "c"),
        ("ch?a[0] + 1 -> Skip", "E1043", "a[0]"),
        ("ch?y.y + x -> Skip", "E1043", "x"),
        ("e{N = 1;} -> Skip", "E1040", "N"),
        ("e{c = true;} -> Skip", "E1040", "c"),
        ("e{a = 1;} -> Skip", "E1035", "a"),
        ("e{z = 1;} -> Skip", "E1031", "z"),
        ("ch?y{y = 1;} -> Skip", "E1040", "y"),
        ("[] k:{0..1}@e{k = 1;} -> Skip", "E1040", "k"),
        ("e{f(1);} -> Skip", "E1022", "f"),
        ("e{call(cfull, ch);} -> Skip", "E1015", "call(cfull, ch)"),
        ("[x[0] == 1] Skip", "E1036", "x"),
        ("[N[0] == 1] Skip", "E1036", "N"),
        ("[] y:{0..1}@[y[0] == 1] Skip", "E1036", "y"),
        ("ch?y -> [y[0][1] == 1] Skip", "E1037", "["),
        ("ch?y -> e{y[0] = 1;} -> Skip", "E1036", "y"),
        ("e.a -> Skip", "E1035", "a"),
        ("[a + 1 == 1] Skip", "E1035", "a"),
        ("[a[0][1] == 1] Skip", "E1037", "a[0][1]"),
        ("[a[-1] == 1] Skip", "E1065", "-1"),
        ("[a[b] == 1] Skip", "E1051", "b"),
        ("[!x] Skip", "E1050", "x"),
        ("[-b > 1] Skip", "E1051", "b"),
        ("[x && b] Skip", "E1050", "x"),
        ("[x < b] Skip", "E1051", "b"),
        ("[(x = 1)] Skip", "E1013", "="),
        ("ifa (x) { Skip }", "E1050", "x"),
        ("case { x: Skip }", "E1050", "x"),
        ("[] k:{2..1}@Skip", "E1064", "2..1"),
        ("|||{N - 3}@Skip", "E1064", "N - 3"),
        ("|||{b}@Skip", "E1051", "b"),
        ("Skip ||| ", "E1006", ";"),
        ("[] Skip", "E1006", "Skip"),
        ("a.0", "E1006", ";"),
        ("(a, b) -> c -> ", "E1006", ";"),
        ("(Skip; Skip) -> Skip", "E1012", "Skip"),
        ("Q(1) -> Skip", "E1014", "Q(1)"),
        ("case { default: Skip }", "E1006", "default"),
        ("[x > 0 and b] Skip", "E1006", "and"),
        ("Q([])", "E1006", "[]"),
        ("e{x = x $ 1;} -> Skip", "E1024", "x $ 1"),
        ("[a[0].f(1)] Skip", "E1024", "a[0].f"),
        ("[x == new Set()] Skip", "E1054", "new"),
        ("e{var<Set> y;} -> Skip", "E1023", "<"),
    ] {
        let text = with(process);
        assert_eq!(wrong(&text), [(code, marked)], "{process}");
    }
    assert!(parse(&with("Skip")).is_ok());
}

#[test]
fn declarations_that_make_no_sense() {
    for (text, code, marked) in [
        ("var x, y;", "E1006", ","),
        ("var x:{3..1};", "E1064", "3..1"),
        ("var x:{1..3};", "E1063", "x"),
        ("var x:{..0} = 1;", "E1063", "1"),
        ("var a[2]:{0..1} = [0, 2];", "E1063", "2"),
        ("var a[2] = 1;", "E1062", "1"),
        ("var a[2] = [true, 0];", "E1053", "0"),
        ("var a[2][2] = [1(3)];", "E1062", "[1(3)]"),
        ("var a = [0(0)];", "E1062", "[0(0)]"),
        ("var a[0];", "E1061", "0"),
        ("var a[1000][1000][1000];", "E1061", "a"),
        ("var a = [0..2000000];", "E1061", "0..2000000"),
        ("var a = [1(9999999)];", "E1061", "9999999"),
        ("var x = true + 1;", "E1051", "true"),
        ("channel c -1;", "E1061", "-1"),
        ("channel c[0] 1;", "E1061", "0"),
        ("channel c;", "E1006", ";"),
        ("enum {A, A};", "E1030", "A"),
        ("enum {A, if};", "E1012", "if"),
        ("enum {};", "E1006", ""),
        ("#define N;", "E1006", ";"),
        ("#define N N + 1;", "E1041", "N"),
        ("#define f {1}; P = a{f;} -> P;", "E1006", "1"),
        ("#define f(a) a + 1; P = [f > 0] a -> P;", "E1025", "f"),
        ("#ifdef N", "E1011", "#ifdef"),
        ("foo bar;", "E1006", "foo"),
        ("P(i, i) = Skip;", "E1030", "i"),
        ("P = Skip; P = Stop;", "E1030", "P"),
        ("P(i,) = Skip;", "E1006", ")"),
        ("P = Skip; #alphabet Q {a};", "E1032", "Q"),
        ("P = Skip; #alphabet P {a}; #alphabet P {b};", "E1030", "P"),
        ("P = Skip; #alphabet P {a.x};", "E1031", "x"),
        ("P(i) = Skip; #assert P() deadlockfree;", "E1034", "P()"),
        ("var x; P(i) = Skip; #assert P(x) deadlockfree;", "E1060", "x"),
        ("P = Skip; #assert P refines<T> P;", "E1006", "T"),
        ("P = Skip; #assert P reaches q;", "E1071", "q"),
        ("var x; P = Skip; #assert P reaches x;", "E1050", "x"),
        ("var x; #define c x > 0; P = Skip; #assert P reaches c with least(x);", "E1006", "least"),
    ] {
        assert_eq!(wrong(text), [(code, marked)], "{text}");
    }
}

/// `|[X]|`, `<|b|>` and `x := e`.
#[test]
fn the_notation_of_papers_has_carets() {
    for (body, code, marked) in [
        ("Q |[a] R", "E1006", "R"),
        ("Q |[a|b|c]| R", "E1006", "|"),
        ("Q |[a,, b]| R", "E1006", ","),
        ("Q |[a b]| R", "E1006", "b"),
        ("Q |[{a}, b]| R", "E1006", ","),
        ("Q |[a.y]| R", "E1031", "y"),
        ("Q |[a]|", "E1006", ";"),
        ("Q <|x > 0 R", "E1006", "R"),
        ("Q <|x|> R", "E1050", "x"),
        ("Q <||> R", "E1006", ""),
        ("Q <|x > 0|>", "E1006", ";"),
        ("Q |> R", "E1006", "|>"),
        ("x := -> Q", "E1006", "->"),
        ("x := 1 Q", "E1006", "Q"),
        ("x := 1{x = 2} -> Q", "E1006", "{"),
        ("x := true -> Q", "E1053", "true"),
        ("x := 7 -> Q", "E1063", "7"),
        ("y := 1 -> Q", "E1031", "y"),
        ("i := 1 -> Q", "E1040", "i"),
        ("v[2] := 1 -> Q", "E1065", "2"),
        ("wf(x := ) -> Q", "E1006", ""),
        ("wf({x = }) -> Q", "E1006", ""),
        ("wf({x = 1}, a) -> Q", "E1006", ","),
        ("(x := 1, a) -> Q", "E1006", ":="),
    ] {
        let text = format!("var x:{{0..3}}; var v[2];\nQ = a -> Q; R = a -> R;\nP(i) = {body};\n");
        let found = wrong(&text).first().copied();
        assert_eq!(found, Some((code, marked)), "{body}");
    }
}

#[test]
fn formulas_name_what_the_model_has() {
    let with = |formula: &str| {
        format!(
            "#define N 1;\nvar x;\n#define low x < 1;\n#define sum x + 1;\nchannel ch 1;\nchannel chs[2] 1;\nP = eat.0 -> get.0.1 -> stop -> ch!1 -> x := x + 1 -> P;\n#assert P |= {formula};\n"
        )
    };
    for (formula, code, marked) in [
        ("[] lwo", "E1071", "lwo"),
        ("<> eta.0", "E1071", "eta"),
        ("<> eat", "E1071", "eat"),
        ("<> eat.0.1", "E1071", "eat.0.1"),
        ("<> get.0.1.*", "E1071", "get.0.1.*"),
        ("<> stop.1", "E1071", "stop.1"),
        ("<> x", "E1071", "x"),
        ("<> sum", "E1050", "sum"),
        ("<> N", "E1050", "N"),
        ("<> eat.y", "E1031", "y"),
        ("<> eat.x", "E1060", "x"),
        ("<> \"d!1\"", "E1071", "d"),
        ("<> \"é é\"", "E1071", "\"é é\""),
        ("<> \"chs[2]!1\"", "E1071", "chs"),
        ("<> ch", "E1071", "ch"),
        ("<> chs!1", "E1042", "chs"),
        ("<> chs[x]!1", "E1060", "x"),
        ("<> state(eat)", "E1071", "eat"),
        ("[] (low -> )", "E1006", ""),
        ("low && && low", "E1006", "&&"),
        ("low low", "E1006", "low"),
        ("", "E1006", ";"),
        ("[] x == y", "E1031", "y"),
        ("[] x < 1 < 2", "E1051", "x < 1"),
        ("[] (x < )", "E1006", ""),
        ("[] x == 1 x == 1", "E1006", "x"),
        ("[] x + 1 -> low", "E1071", "x"),
        ("<> \"y := 1\"", "E1071", "\"y := 1\""),
        ("<> \"x := 1.1\"", "E1071", "\"x := 1.1\""),
    ] {
        let text = with(formula);
        let found = wrong(&text).first().copied();
        assert_eq!(found, Some((code, marked)), "{formula}");
    }
    for good in [
        "<> eat.*",
        "get.*.1",
        "\"ch!1\" U ch?N",
        "ch.1",
        "chs[1]?2",
        "tau",
        "event(eat.0)",
        "X stop",
        "[] x == 1",
        "x + 1 > 0 U 2 < x && !(x == 3) -> state(x != N)",
        "<> \"x := x + 1\" && event(x:=x+1)",
    ] {
        assert!(parse(&with(good)).is_ok(), "{good}");
    }
}

#[test]
fn suggestions_are_near() {
    assert_eq!(help("Phil = a -> Phill;"), "did you mean `Phil`?");
    assert_eq!(help("var count = 1; P = [cuont > 0] a -> P;"), "did you mean `count`?");
    assert_eq!(help("P(index) = a.indx -> P(1);"), "did you mean `index`?");
    assert_eq!(help("channel data 1; P = dta!1 -> P;"), "did you mean `data`?");
    assert_eq!(help("P = eat -> P; #assert P |= <> eta;"), "did you mean `eat`?");
    assert_eq!(help("P = a -> P; #assert P deadlock_free;"), "did you mean `deadlockfree`?");
    assert_eq!(help("#asert P deadlockfree;"), "did you mean `#assert`?");
    assert_eq!(help("vra x = 1;"), "did you mean `var`?");
    assert_eq!(
        help("P(i) = eat(i, 1) -> P(i);"),
        "write `eat.i.1 -> …` for an event, `eat(…); …` for a process that ends"
    );
}

/// For every text the parser comes back, quickly, and without using up its stack: tests run on threads of 2
/// MiB.
#[test]
fn nothing_exhausts_the_parser() {
    let many = 100_000;
    let chain = |unit: &str, end: &str| format!("P = {}{end};", unit.repeat(many));
    for (text, code) in [
        (chain("(", "Skip"), "E1008"),
        (format!("P = {}Skip{};", "(".repeat(many), ")".repeat(many)), "E1010"),
        (format!("P = {}Skip{};", "atomic{".repeat(many), "}".repeat(many)), "E1010"),
        (format!("P = {}Skip{};", "if(true){".repeat(many), "}".repeat(many)), "E1010"),
        (format!("P = a{}{};", "{".repeat(many), "}".repeat(many)), "E1010"),
        (format!("P = [{}1{} == 1] Skip;", "(".repeat(many), ")".repeat(many)), "E1010"),
        (format!("var a[2]; P = [{}0{} == 1] Skip;", "a[".repeat(many), "]".repeat(many)), "E1010"),
        (format!("P = [{}true] Skip;", "!".repeat(many)), "E1010"),
        (format!("P = [1 == {}1] Skip;", "- ".repeat(many)), "E1010"),
        (format!("var x; P = [x == {}1] Skip;", "x + ".repeat(many)), "E1010"),
        (chain("a -> ", "Skip"), "E1010"),
        (chain("[true] ", "Skip"), "E1010"),
        (chain("[] x:{0..1}@", "Skip"), "E1010"),
        (chain("if (true) {Skip} else ", "{Skip}"), "E1010"),
        (format!("P = Skip{};", " \\ {a}".repeat(many)), "E1010"),
        (format!("P = a{{{}}} -> Skip;", "if (true) ".repeat(many)), "E1010"),
        (format!("var x; P = [{}x > 0] Skip;", "&& i:{0..1}@".repeat(many)), "E1010"),
        (format!("P = a -> P; #assert P |= {}a;", "[]".repeat(many)), "E1010"),
        (format!("P = a -> P; #assert P |= {}a{};", "(".repeat(many), ")".repeat(many)), "E1010"),
        (format!("P = a -> P; #assert P |= a{};", " -> a".repeat(many)), "E1010"),
        ("P(\n".repeat(many), "E1008"),
        ("P = {\n".repeat(many), "E1008"),
        ("P = a{\n".repeat(many), "E1008"),
        ("P = (a;\n".repeat(many), "E1008"),
        ("#define P\n".repeat(many), "E1030"),
        ("} ".repeat(many), "E1009"),
        ("[".repeat(many), "E1008"),
        (format!("P = Q{};", "x".repeat(many)), "E1032"),
        ((0..many).map(|i| format!("Process{i:010}x = Process{i:010};\n")).collect(), "E1032"),
        ((0..many).map(|i| format!("var v{i} = w{i};\n")).collect(), "E1031"),
    ] {
        let start = Instant::now();
        let errors = parse(&text).expect_err(&text[..60]);
        assert!(errors.iter().any(|wrong| wrong.code == code), "{}: {:?}", &text[..60], errors[0]);
        assert!(start.elapsed().as_secs() < 60, "{}", &text[..60]);
    }
    // Wide is fine.
    for text in [
        format!("P = Skip{};", " [] Skip".repeat(many)),
        format!("P = Skip{};", "; Skip".repeat(many)),
        format!("var x; P = a{{{}}} -> Skip;", "x = 1;".repeat(many)),
        format!("P = a{{{}}} -> Skip;", "var x = 1;".repeat(many)),
        format!("P = a{} -> Skip;", ".1".repeat(many)),
        format!("P = a -> P; #assert P |= a{};", " && a".repeat(many / 2)),
        format!("#define N 1{};", " + 1".repeat(many)),
        (0..many).map(|i| format!("P{i} = a -> P{i};\n")).collect(),
        (0..many).map(|i| format!("#define c{i} {i};\n")).collect(),
    ] {
        let read = parse(&text);
        assert!(read.is_ok(), "{}: {:?}", &text[..60], read.unwrap_err()[0]);
    }
}

#[test]
fn the_limits_themselves_are_allowed() {
    let nested = |depth: usize| format!("P = {}Skip{};", "(".repeat(depth), ")".repeat(depth));
    assert!(parse(&nested(MAX_NESTING)).is_ok());
    assert_eq!(wrong(&nested(MAX_NESTING + 1))[0].0, "E1010");
    let chain = |depth: usize| format!("P = {}Skip;", "a -> ".repeat(depth - 1));
    assert!(parse(&chain(MAX_DEPTH)).is_ok());
    assert_eq!(wrong(&chain(MAX_DEPTH + 1))[0].0, "E1010");
    let sum = |depth: usize| format!("var x; P = [x {}> 1] Skip;", "+ x ".repeat(depth - 2));
    assert!(parse(&sum(MAX_DEPTH)).is_ok());
    assert_eq!(wrong(&sum(MAX_DEPTH + 1))[0].0, "E1010");
}

/// Cuts and swaps of a text with everything in it: the parser must come back with an answer, and
/// every caret must lie in the text.
#[test]
fn broken_texts_give_errors_in_place() {
    let text = include_str!("csp_everything.csp");
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let mut texts: Vec<String> = Vec::new();
    for (number, &at) in ends.iter().enumerate() {
        texts.push(text[..at].to_owned());
        let other = ends[(number * 7919) % ends.len()];
        texts.push(format!("{}{}", &text[..at.min(other)], &text[at.max(other)..]));
        texts.push(format!("{}{}", &text[..at], &text[at + 1..]));
    }
    for text in texts {
        for wrong in parse(&text).err().unwrap_or_default() {
            assert!(text.get(wrong.span.start..wrong.span.end).is_some(), "{wrong:?}\n{text}");
        }
    }
}
