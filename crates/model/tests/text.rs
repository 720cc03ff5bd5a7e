//! The text form gives back the model that it shows, and says what is wrong with a text.

use std::collections::BTreeSet;

use fairly_model::{
    BinaryOp, Expr, Gathering, Model, NESTING, Place, SlotId, Statement, StatementKind, UnaryOp,
    VariableId, text, verify,
};
use fairly_source::{Style, render};
use fairly_testkit::Rng;

use fairly_modelkit::{Shape, cases, first_seed, random_model};

fn reads_back(model: &Model, case: &str) {
    let printed = text::print(model);
    match text::parse(&printed) {
        Ok(read) => assert_eq!(read, *model, "{case}\n{printed}"),
        Err(wrong) => panic!("{case}: {wrong:?}\n{printed}"),
    }
}

#[test]
fn random_models_read_back() {
    let first = first_seed(1);
    for seed in first..first + cases(2000) {
        let model = random_model(&mut Rng::new(seed), &Shape::default());
        reads_back(&model, &format!("seed {seed}"));
    }
}

#[test]
fn random_models_have_everything() {
    let all: Vec<String> = (1..400)
        .map(|seed| text::print(&random_model(&mut Rng::new(seed), &Shape::default())))
        .collect();
    let parts = [
        "priority",
        "exclusive",
        "exit any",
        "last_first",
        ": visible",
        ": internal",
        ": termination",
        "gather",
        "all(p",
        "one(p",
        "all(one(",
        "one(all(",
        "[2] :",
        "wrap",
        "..1 = ",
        "scratch",
        "capacity 0",
        "capacity 2",
        "lose",
        "atomic",
        "ends",
        "labels",
        "-> q",
        "-> exit",
        " if ",
        "rank 1",
        " hold",
        "begin {",
        " of p0 t",
        "int ",
        " else \"it",
        "send",
        "send sorted",
        "receive",
        "receive first",
        "receive keep",
        "message",
        "on data",
        " wf",
        " sl",
        "skip",
        ":=",
        "if ",
        "else {",
        "while",
        "assert",
        "start t",
        "into",
        "put ",
        "put sorted",
        "take",
        "take first",
        "keep",
        "t0[",
        ".l",
        ".{",
        "$0",
        "own",
        "running",
        "last ",
        "timeout",
        "executable(",
        "checked(",
        "poll(",
        "poll_first(",
        "length(",
        "mod",
        "<<",
        " ? ",
        "rename",
        "proposition",
        " @",
        "\\n",
        " start t0(",
    ];
    for part in parts {
        assert!(all.iter().any(|text| text.contains(part)), "none has `{part}`");
    }
}

#[test]
fn a_model_need_not_be_sound_to_read_back() {
    let first = first_seed(1);
    for seed in first..first + cases(500) {
        let rng = &mut Rng::new(seed);
        let mut model = random_model(rng, &Shape::default());
        model.templates[0].parameters = 77;
        model.templates[0].locations[0].edges = None;
        model.slots[0].templates.clear();
        model.gatherings.push((fairly_system::EventId(99), Gathering::One(vec![])));
        model.events.swap(0, 1);
        if let Some(variable) = model.variables.first_mut() {
            variable.initial.clear();
            variable.range.high = i64::MIN;
            variable.name.clear();
        }
        assert!(verify(&model).is_err());
        reads_back(&model, &format!("seed {seed}"));
    }
    reads_back(&Model { events: vec![], ..Model::new() }, "empty");
}

/// The model with the proposition, which is no more than an expression.
fn about(condition: Expr) -> Model {
    let mut model = Model::new();
    model.propositions.push(("p".to_owned(), condition));
    model
}

#[test]
fn constants_and_signs_are_kept_apart() {
    let negate = |inner| Expr::unary(UnaryOp::Negate, inner);
    for value in [0, 1, -1, i64::MAX, i64::MIN] {
        reads_back(&about(Expr::Const(value)), "a number");
        reads_back(&about(negate(Expr::Const(value))), "negated");
        reads_back(&about(negate(negate(Expr::Const(value)))), "twice");
        let minus = Expr::binary(BinaryOp::Subtract, Expr::Const(value), Expr::Const(value));
        reads_back(&about(minus), "subtracted");
    }
    let shown = text::print(&about(negate(Expr::Const(1))));
    assert!(shown.contains("proposition p : -(1)\n"), "{shown}");
}

#[test]
fn parentheses_stand_only_where_needed() {
    let cases = [
        ("g0 + g1 * g2", "g0 + g1 * g2"),
        ("((g0 + g1)) * g2", "(g0 + g1) * g2"),
        ("g0 - (g1 - g2)", "g0 - (g1 - g2)"),
        ("(g0 - g1) - g2", "g0 - g1 - g2"),
        ("!(g0 && g1) || !g2", "!(g0 && g1) || !g2"),
        ("g0 ? g1 : g2 ? 1 : 2", "g0 ? g1 : g2 ? 1 : 2"),
        ("(g0 ? g1 : g2) ? 1 : 2", "(g0 ? g1 : g2) ? 1 : 2"),
        ("1 | 2 ^ 3 & 4 == 5 < 6 << 7 + 8 mod 9", "1 | 2 ^ 3 & 4 == 5 < 6 << 7 + 8 mod 9"),
        ("t0[g0 + 1].l1[2] + t0[own].{q0, q2}", "t0[g0 + 1].l1[2] + t0[own].{q0, q2}"),
        ("poll_first(0; _, (3))", "poll_first(0; _, 3)"),
        ("-g0 - -1", "-g0 - -1"),
        ("checked(g0, 4) + length(1)", "checked(g0, 4) + length(1)"),
    ];
    for (written, shown) in cases {
        let model = text::parse(&format!(
            "model atomicity priority, exit any\nproposition p : {written}\n"
        ));
        let printed = text::print(&model.unwrap_or_else(|wrong| panic!("{written}: {wrong:?}")));
        assert!(printed.ends_with(&format!("proposition p : {shown}\n")), "{printed}");
    }
}

#[test]
fn what_is_nested_as_deep_as_may_be_reads_back() {
    let not = |inner| Expr::unary(UnaryOp::Not, inner);
    let negate = |inner| Expr::unary(UnaryOp::Negate, inner);
    let left = |inner| Expr::binary(BinaryOp::Add, inner, Expr::Own);
    let right = |inner| Expr::binary(BinaryOp::Add, Expr::Own, inner);
    let between = |inner| Expr::Conditional(Box::new((inner, Expr::Own, Expr::Own)));
    let last = |inner| Expr::Conditional(Box::new((Expr::Own, Expr::Own, inner)));
    let asked = |inner| Expr::Executable(Box::new(inner));
    let index = |inner| {
        let place = Place { index: Some(Box::new(inner)), ..Place::global(VariableId(0)) };
        Expr::Load(place)
    };
    let ways: [&dyn Fn(Expr) -> Expr; 8] =
        [&not, &negate, &left, &right, &between, &last, &asked, &index];
    for (number, way) in ways.into_iter().enumerate() {
        let grow = |levels| (1..levels).fold(Expr::Const(7), |inner, _| way(inner));
        reads_back(&about(grow(NESTING)), &format!("way {number}"));
        let wrong = text::parse(&text::print(&about(grow(NESTING + 1)))).unwrap_err();
        assert_eq!(wrong[0].code, "E0909", "way {number}");
    }
    // Mixed with statements.
    let base = "model atomicity priority, exit any
        template t0 T parameters 0 { location q0 s { -> q0 on e1 as a } }";
    let mut model = text::parse(base).expect("a model");
    let condition = (1..NESTING / 2).fold(Expr::Const(7), |inner, _| not(left(inner)));
    let asserts = |condition: Expr| StatementKind::Assert {
        condition,
        message: String::new(),
        kind: fairly_system::FaultKind::Error,
    };
    let mut inner = asserts(Expr::Own);
    for _ in 2..NESTING {
        let then = vec![Statement::new(inner)];
        inner = StatementKind::If { condition: Expr::Own, then, otherwise: vec![] };
    }
    let edge = &mut model.templates[0].locations[0].edges.as_mut().expect("edges")[0];
    edge.effect = vec![Statement::new(asserts(condition)), Statement::new(inner)];
    reads_back(&model, "statements");
    let slot = Gathering::Slot(SlotId(0));
    let gathering = (1..NESTING).fold(slot, |inner, _| Gathering::All(vec![inner]));
    model.gatherings.push((fairly_system::EventId(1), gathering));
    reads_back(&model, "gatherings");
}

#[test]
fn hostile_texts_end() {
    for opening in ["(", "!", "-", "g0[", "t0[", "1 ? ", "1 ? 1 : ", "poll(", "1 + (", "~-"] {
        let text = format!(
            "model atomicity priority, exit any\nproposition p : {}",
            opening.repeat(200_000)
        );
        let wrong = text::parse(&text).unwrap_err();
        assert!(["E0909", "E0905", "E0904"].contains(&wrong[0].code), "{opening}: {wrong:?}");
    }
    let chain =
        format!("model atomicity priority, exit any\nproposition p : 1{}", "+1".repeat(200_000));
    assert_eq!(text::parse(&chain).unwrap_err()[0].code, "E0909");
    let blocks = "template t0 T parameters 0 { location q0 s { -> q0 on e1 do ";
    let text = format!("model atomicity priority, exit any\n{blocks}{}", "{ if 1 ".repeat(200_000));
    assert_eq!(text::parse(&text).unwrap_err()[0].code, "E0909");
    let wrong = text::parse(&"$\n".repeat(100_000)).unwrap_err();
    assert_eq!(wrong.len(), text::MOST_ERRORS);
    assert_eq!(text::parse(&"é".repeat(100_000)).unwrap_err().len(), text::MOST_ERRORS);
    // A number does not buy memory.
    text::parse("model atomicity priority, exit any\nvariable g0 x[4294967295] : 0..1 =")
        .expect("it is not sound, but it can be read");
}

/// Text behind the first line, and the codes with the text under the caret.
const WRONG: &[(&str, &[(&str, &str)])] = &[
    ("variable g0 x : 0..1 = é 0", &[("E0900", "é")]),
    ("variable g0 \"x : 0..1 = 0", &[("E0901", "\"")]),
    ("variable g0 \"x\\y\" : 0..1 = 0", &[("E0902", "\\")]),
    ("variable g0 x : 0..1 = 99999999999999999999", &[("E0903", "99999999999999999999")]),
    ("variable g0 x : 0..9223372036854775808 = 0", &[("E0903", "9223372036854775808")]),
    ("channel c0 c capacity 4294967296 : ()", &[("E0903", "4294967296")]),
    ("variable g0 x 0..1 = 0", &[("E0904", "0")]),
    ("event e0 a : loud", &[("E0904", "loud")]),
    ("proposition p : g0 +\nslot p0 P :", &[("E0904", "slot")]),
    ("proposition p : g0 g1", &[("E0907", "g1")]),
    ("proposition p : (1", &[("E0905", "")]),
    ("template t0 T parameters 0 {", &[("E0905", "")]),
    ("variables g0 x : 0..1 = 0", &[("E0907", "variables")]),
    ("variable g1 x : 0..1 = 0", &[("E0908", "g1")]),
    ("event e0 a : idle\nevent e0 b : idle", &[("E0908", "e0")]),
    (
        "template t0 T parameters 0 { location q0 s { -> q0 on e1 do { g0, g1 := 1 } as a } }",
        &[("E0910", ":=")],
    ),
    // Reading goes on at the next line, inside the block.
    (
        "template t0 T parameters 0 {
  local l0 : 0..1 = 0
  location q0 s {
    -> q0 one e1 as a
    -> q0 on e1 as b
    -> x on e1 as c
  }
}
gather e0 : some(p0)",
        &[("E0904", ":"), ("E0904", "one"), ("E0904", "x"), ("E0904", "some")],
    ),
    // A block that is not closed is closed by what cannot be in it.
    (
        "template t0 T parameters 0 {
  location q0 s {
    -> q0 on e1 as a
slot p0 P : t0",
        &[("E0904", "slot")],
    ),
];

#[test]
fn each_error_has_its_code_and_its_place() {
    let first = "model atomicity priority, exit any\n";
    let mut met = BTreeSet::new();
    for (rest, expected) in WRONG {
        let text = format!("{first}{rest}");
        let wrong = text::parse(&text).unwrap_err();
        let found: Vec<(&str, &str)> =
            wrong.iter().map(|one| (one.code, &text[one.span.start..one.span.end])).collect();
        assert_eq!(found, *expected, "{text}");
        met.extend(wrong.iter().map(|one| one.code));
    }
    let wrong = text::parse("# nothing\nnet").unwrap_err();
    met.insert(wrong[0].code);
    assert_eq!((wrong.len(), wrong[0].code), (1, "E0906"));
    let deep = format!("{first}proposition p : {}1", "!".repeat(NESTING as usize));
    met.insert(text::parse(&deep).unwrap_err()[0].code);
    // The table of the module, which the book's page repeats, is complete.
    let module = include_str!("../src/text/mod.rs");
    let table = module.lines().filter_map(|line| line.strip_prefix("//! | `E")?.split_once('`'));
    let table: BTreeSet<String> = table.map(|(digits, _)| format!("E{digits}")).collect();
    assert_eq!(met.iter().map(|&code| code.to_owned()).collect::<BTreeSet<_>>(), table);
}

#[test]
fn an_error_is_drawn_with_a_caret() {
    let text = "model atomicity priority, exit any\nproposition p : g0 + * 2\n";
    let wrong = text::parse(text).unwrap_err();
    assert_eq!(
        render(&wrong[0], "a.fir", text, Style::Plain),
        "error[E0904]: this cannot stand here
 --> a.fir:2:22
  |
2 | proposition p : g0 + * 2
  |                      ^ expected an expression
"
    );
}

#[test]
fn what_is_damaged_is_refused_without_a_panic() {
    let first = first_seed(1);
    for seed in first..first + cases(500) {
        let rng = &mut Rng::new(seed);
        let printed = text::print(&random_model(rng, &Shape::default()));
        let bytes: Vec<char> = printed.chars().collect();
        let (from, to) = (rng.below(bytes.len()), rng.below(bytes.len()));
        let (from, to) = (from.min(to), from.max(to).min(from.min(to) + rng.below(30)));
        let damaged: String = bytes[..from].iter().chain(&bytes[to..]).collect();
        if let Ok(model) = text::parse(&damaged) {
            reads_back(&model, &format!("seed {seed}\n{damaged}"));
        }
    }
}
