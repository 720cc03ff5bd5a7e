//! The tree of a Promela text: precedences, scopes, expansion, numbers, and expansions of SPIN. Most cases are
//! compared through [`print`], which shows everything in the tree.

use fairly_front::promela::ast::{
    Base, Expr, ExprKind, Ltl, Origin, ProcessKind, Start, Stmt, StmtKind, Type, UnaryLtl,
};
use fairly_front::promela::{ExpansionKind, Model, parse, print};
use fairly_source::{Style, render};
use fairly_system::Annotation;

fn read(text: &str) -> Model {
    parse(text).unwrap_or_else(|errors| {
        let shown: String =
            errors.iter().map(|wrong| render(wrong, "model.pml", text, Style::Plain)).collect();
        panic!("{shown}\n{text}")
    })
}

/// The statements of the last process, printed in one line each.
fn body(text: &str) -> Vec<String> {
    let model = read(text);
    let printed = print(&model);
    assert_eq!(print(&read(&printed)), printed, "printing is not stable");
    let start = printed.rfind("init {").expect("an init");
    let end = printed[start..].find("\n}").expect("its end") + start;
    printed[start..end].lines().skip(1).map(|line| line.trim().to_owned()).collect()
}

/// A statement inside a process with some variables.
fn statement(text: &str) -> String {
    let around = format!(
        "mtype = {{ red, green }}; typedef T {{ byte f; byte g[2] }}; chan c = [2] of {{ byte, byte }};
         byte a, b, d, r[4]; T t; chan q = [2] of {{ T }}; proctype P(byte n) {{ skip }}
         init {{ {text} }}"
    );
    body(&around).join(" ")
}

#[test]
fn precedences_are_those_of_spin() {
    for (written, grouped) in [
        ("a = b + d * 2", "a = (b + (d * 2));"),
        ("a = b - d - 2", "a = ((b - d) - 2);"),
        ("!a == b", "(!(a) == b);"),
        ("a & b == d", "(a & (b == d));"),
        ("a | b ^ d & 1", "(a | (b ^ (d & 1)));"),
        ("a && b || d && 1", "((a && b) || (d && 1));"),
        ("a < b == d > 1", "((a < b) == (d > 1));"),
        ("a << 1 + b", "(a << (1 + b));"),
        ("-a * ~b", "(-(a) * ~(b));"),
        ("a = (b -> d : 2)", "a = (b -> d : 2);"),
        ("a = (b -> (d -> 1 : 2) : 3) + 1", "a = ((b -> (d -> 1 : 2) : 3) + 1);"),
        ("a = b % 2 / 3", "a = ((b % 2) / 3);"),
        ("a -> b", "(a); (b);"),
        ("full(c) && len(c) > 1 || nempty(c)", "((full(c) && (len(c) > 1)) || nempty(c));"),
        ("a = '\\n' + 'a'", "a = (10 + 97);"),
        ("a++; r[a]--", "a = (a + 1); r[a] = (r[a] - 1);"),
    ] {
        assert_eq!(statement(written), grouped, "{written}");
    }
}

#[test]
fn formulas_group_as_in_spin() {
    for (written, grouped) in [
        ("[] a -> <> b", "(([] (a)) -> (<> (b)))"),
        ("a U b U d", "(((a) U (b)) U (d))"),
        ("!a U b && d", "(((!(a)) U (b)) && (d))"),
        ("[] (a -> <> b)", "([] ((a) -> (<> (b))))"),
        ("always eventually a > 1 implies b", ""),
        ("[] <> (a > 1) <-> b W d", "(([] (<> ((a > 1)))) <-> ((b) W (d)))"),
        ("X a V b || next d", "(((X (a)) V (b)) || (X (d)))"),
        ("a weakuntil b release d stronguntil a", "((((a) W (b)) V (d)) U (a))"),
        ("a == 1 U b < 2", "(((a == 1)) U ((b < 2)))"),
        ("[] ((a -> b) -> <> d)", "([] (((!(a) || b)) -> (<> (d))))"),
        ("<> (a <-> b)", "(<> ((!(a) == !(b))))"),
        ("<>(P@L && P[1]:n == 2)", "(<> ((P@L && (P[1]:n == 2))))"),
        ("[] (a /\\ b) \\/ <> d", "(([] ((a && b))) || (<> (d)))"),
        ("[] !full(c)", "([] (!(full(c))))"),
    ] {
        let text = format!(
            "byte a, b, d; chan c = [1] of {{ byte }}; proctype P(byte n) {{ skip; L: skip }} ltl p {{ {written} }} init {{ skip }}"
        );
        match parse(&text) {
            Ok(model) => {
                let printed = print(&model);
                let line = printed.lines().last().expect("the formula");
                assert_eq!(line, format!("ltl p {{ {grouped} }}"), "{written}");
            }
            Err(errors) => assert_eq!((errors[0].code, grouped), ("E1130", ""), "{written}"),
        }
    }
    let model = read("byte x; ltl { <> (x == 1) } ltl { [] x } init { skip }");
    assert_eq!(model.formulas[1].name, "ltl_1");
    let Ltl::Unary(UnaryLtl::Eventually, inner) = &model.formulas[0].ltl else { panic!() };
    assert!(matches!(**inner, Ltl::Proposition(Expr { kind: ExprKind::Binary(..), .. })));
}

#[test]
fn a_formula_may_name_what_comes_later() {
    let model = read("ltl p { [] (x == one) } mtype = { one }; mtype x; init { x = one }");
    assert_eq!(model.formulas.len(), 1);
}

#[test]
fn constants_of_mtypes_count_down_and_go_on() {
    let model = read(
        "mtype = { a, b, c }; mtype { d e }; mtype:f = { g, h }; mtype:f = { i }; init { skip }",
    );
    let names = |at: usize| -> Vec<&str> {
        model.mtypes[at].constants.iter().map(|constant| constant.name.as_str()).collect()
    };
    assert_eq!(names(0), ["c", "b", "a", "e", "d"]);
    assert_eq!(names(1), ["h", "g", "i"]);
}

#[test]
fn late_declarations_are_statements() {
    let model = read(
        "typedef T { byte f } init { byte a = 1, b[2]; chan c = [1] of { byte }; a++; byte d = a; \
         { int e; T t; e = 1 }; if :: byte g; g++ fi }",
    );
    let process = &model.processes[0];
    let starts: Vec<(&str, Start)> =
        process.locals.iter().map(|local| (local.variable.name.as_str(), local.start)).collect();
    assert_eq!(
        starts,
        [
            ("a", Start::AtCreation),
            ("b", Start::AtCreation),
            ("c", Start::AtCreation),
            ("d", Start::ByStatement),
            ("e", Start::ByStatement),
            ("t", Start::ByStatement),
            ("g", Start::ByStatement),
        ]
    );
    let scopes: Vec<u32> = process.locals.iter().map(|local| local.scope).collect();
    assert_eq!(scopes, [0, 0, 0, 0, 1, 1, 0], "options are no scopes");
    assert!(matches!(process.body.steps[1].kind, StmtKind::Declare(_, Some(_))));
    let StmtKind::Block(block) = &process.body.steps[2].kind else { panic!() };
    assert!(matches!(block.steps[1].kind, StmtKind::Declare(_, None)));
    assert_eq!(block.steps.len(), 3);
}

#[test]
fn each_pair_of_braces_has_its_own_variables() {
    let model = read("init { { byte x; x = 1 }; { byte x; x = 2 } }");
    let bases: Vec<Base> = model.processes[0]
        .body
        .steps
        .iter()
        .map(|step| {
            let StmtKind::Block(block) = &step.kind else { panic!() };
            let StmtKind::Assign(variable, _) = &block.steps[1].kind else { panic!() };
            variable.base
        })
        .collect();
    assert_ne!(bases[0], bases[1]);
    assert!(print(&model).contains("byte x__v1"));
}

#[test]
fn line_ends_separate_as_in_spin() {
    let text = "init {
  int a = 1
  int b = 2
  a = b
  -a
  if
  :: a == 1 -> skip
  :: else
  fi
  do
  :: a > 0
     -> a--
  :: else -> break
  od
  a = (b
       + 1)
  { a = 3 } unless
    { b == 9 }
  a = 2
}
";
    assert_eq!(
        body(text),
        [
            "int a = 1;",
            "int b = 2;",
            "a = b;",
            "(-(a));",
            "if",
            ":: (a == 1);",
            "skip;",
            ":: else;",
            "fi;",
            "do",
            ":: (a > 0);",
            "a = (a - 1);",
            ":: else;",
            "break;",
            "od;",
            "a = (b + 1);",
            "{",
            "a = 3;",
            "} unless {",
            "(b == 9);",
            "};",
            "a = 2;"
        ]
    );
}

#[test]
fn messages_in_all_spellings() {
    for (written, same) in [
        ("c!1(2)", "c!1, 2;"),
        ("c!!a+1,b", "c!!(a + 1), b;"),
        ("c?a(b)", "c?a, b;"),
        ("c?(a,b)", "c?a, b;"),
        ("c??eval(a+1),_", "c??eval((a + 1)), _;"),
        ("c?<1,-2>", "c?<1, -2>;"),
        ("c??<a,b>", "c??<a, b>;"),
        ("c?[a,b] && a", "(c?[a, b] && a);"),
        ("c??[eval(a),_]", "(c??[eval(a), _]);"),
        ("c?red,green", "c?red, green;"),
        ("q!t", "q!t.f, t.g[0], t.g[1];"),
        ("q?t", "q?t.f, t.g[0], t.g[1];"),
        ("c!t.f,t.g[a]", "c!t.f, t.g[a];"),
        ("c!len(c)", "c!len(c);"),
        ("xr c; xs q; skip", "xr c; xs q; skip;"),
        (
            "atomic { run P(1) priority 3; a = run P(b) }",
            "atomic { (run P(1) priority 3); a = run P(b); };",
        ),
        ("printf(\"%d\\n\", a, b); printm(red)", "printf(\"%d\\n\", a, b); printm(red);"),
        ("assert(a > 1); assert a", "assert((a > 1)); assert(a);"),
        (
            "set_priority(_pid, 2); a = get_priority(0)",
            "set_priority(_pid, 2); a = get_priority(0);",
        ),
        (
            "timeout -> enabled(1) && pc_value(2) > _nr_pr",
            "(timeout); (enabled(1) && (pc_value(2) > _nr_pr));",
        ),
    ] {
        assert_eq!(statement(written), same, "{written}");
    }
}

#[test]
fn loops_are_written_out() {
    assert_eq!(
        statement("skip; L: for (a : 1 .. b + 1) { d++ }; goto L"),
        "skip; a = 1; L: do :: (a <= (b + 1)); d = (d + 1); a = (a + 1); :: else; break; od; goto L;"
    );
    assert_eq!(
        statement("for (a in r) { if :: r[a] -> break :: else fi }"),
        "a = 0; do :: (a <= 3); if :: (r[a]); break; :: else; fi; a = (a + 1); :: else; break; od;"
    );
    assert_eq!(
        statement("skip; for (t in q) { skip }"),
        "byte _for_0; skip; _for_0 = 0; do :: (_for_0 < len(q)); q?t.f, t.g[0], t.g[1]; q!t.f, t.g[0], t.g[1]; skip; _for_0 = (_for_0 + 1); :: else; break; od;"
    );
    assert_eq!(statement("L: select (a : 1 .. 2)"), "L: if :: a = 1; :: a = 2; fi;");
    assert_eq!(
        statement("L: select (a : 0 .. 40)"),
        "L: a = 0; do :: (a < 40); a = (a + 1); :: break; od;"
    );
    assert_eq!(
        statement("L: select (a : b .. 3)"),
        "a = b; L: do :: break; :: (a < 3); a = (a + 1); od;"
    );
}

#[test]
fn labels_go_where_spin_puts_them() {
    assert_eq!(statement("L: M: a = 1; goto L"), "L: M: a = 1; goto L;");
    assert_eq!(statement("goto end; end:"), "goto end; end: skip;");
    assert_eq!(statement("progress: goto progress"), "progress: skip; goto progress;");
    assert_eq!(
        statement("L: atomic { a = 1 } unless b"),
        "L: atomic { { a = 1; } unless { (b); }; };"
    );
    assert_eq!(statement("a = 1 unless { b -> d = 1 }"), "{ a = 1; } unless { (b); d = 1; };");
    // An inner label does not hide an outer one, and each block may have its own.
    let text = "init { { skip; L: skip; goto L }; { skip; L: skip; goto L } }";
    let model = read(text);
    let targets: Vec<_> = model.processes[0]
        .body
        .steps
        .iter()
        .map(|step| {
            let StmtKind::Block(block) = &step.kind else { panic!() };
            let StmtKind::Goto(label) = block.steps[2].kind else { panic!() };
            assert_eq!(block.steps[1].labels, [label]);
            label
        })
        .collect();
    assert_ne!(targets[0], targets[1]);
    // A label that is looked at from outside has a state even on a jump.
    let model = read("active proctype P() { L: goto L } ltl { [] P@L }");
    assert_eq!(model.processes[0].body.steps.len(), 2);
}

#[test]
fn inlines_replace_tokens_and_open_a_block() {
    let text = "byte x; inline twice(a, b) { byte k = a; b = k * 2 }
inline id(v) { return v }
init { twice(x + 1, x); twice(2, x); x = id(x + 3); L: twice(3, x); goto L }";
    let model = read(text);
    let steps = &model.processes[0].body.steps;
    assert_eq!(steps[0].origin, Origin::Inline);
    assert_eq!(model.processes[0].locals.len(), 3);
    assert_eq!(&text[steps[0].place.span.start..steps[0].place.span.end], "twice(x + 1, x)");
    let StmtKind::Block(block) = &steps[0].kind else { panic!() };
    let StmtKind::Declare(_, Some(value)) = &block.steps[0].kind else { panic!() };
    assert_eq!(&text[value.place.span.start..value.place.span.end], "x + 1");
    let argument = value.place.expansion.expect("an argument");
    assert_eq!(model.expansions[argument.0 as usize].kind, ExpansionKind::Argument);
    let assignment = &block.steps[1].place;
    assert_eq!(&text[assignment.span.start..assignment.span.end], "b = k * 2");
    let inner = block.steps[1].place.expansion.expect("from the inline");
    let expansion = &model.expansions[inner.0 as usize];
    assert_eq!((expansion.kind, expansion.name.as_str()), (ExpansionKind::Inline, "twice"));
    assert_eq!(&text[expansion.call.span.start..expansion.call.span.end], "twice(x + 1, x)");
    assert!(print(&model).contains("x = (x + 3)"));
    // The text is replaced, not the value.
    let text = "byte x; inline f(a) { x = a * 2 } init { f(1 + 2) }";
    assert_eq!(body(text), ["{", "x = (1 + (2 * 2));", "};"]);
}

#[test]
fn macros_expand_as_in_c() {
    for (directives, written, read) in [
        ("#define N 3", "a = N", "a = 3;"),
        ("#define N 3\n#define M N + N", "a = M * 2", "a = (3 + (3 * 2));"),
        ("#define max(x, y) ((x) > (y) -> (x) : (y))", "a = max(b, (1, 2))", ""),
        (
            "#define max(x, y) ((x) > (y) -> (x) : (y))",
            "a = max(b, max(d, 1))",
            "a = ((b > ((d > 1) -> d : 1)) -> b : ((d > 1) -> d : 1));",
        ),
        ("#define a a + 1", "b = a", "b = (a + 1);"),
        ("#define f(x) x f", "f(a =)(b)", ""),
        ("#define cat(x, y) x##y", "cat(a, ) = cat(1, 2)", "a = 12;"),
        ("#define show(x) printf(#x)", "show(a + b)", "printf(\"a + b\");"),
        ("#define NOTHING", "a = 1 NOTHING; NOTHING b = 2", "a = 1; b = 2;"),
        ("#define two(x) x; \\\n  x", "two(a++)", "a = (a + 1); a = (a + 1);"),
        (
            "#define N 3\n#undef N\n#ifdef N\n#define M 1\n#else\n#define M 2\n#endif",
            "a = M",
            "a = 2;",
        ),
        (
            "#define N 3\n#if defined(N) && N > 2 || !defined M\n#define M 1\n#elif 1\n#define M 2\n#endif",
            "a = M",
            "a = 1;",
        ),
        (
            "#if 0\n don't \"read ' this $\n#endif\n#ifndef X\n#define Y 7\n#endif",
            "a = Y",
            "a = 7;",
        ),
        ("#define f(x) x", "a = f", ""),
    ] {
        let text = format!("byte a, b, d;\n{directives}\ninit {{\n {written}\n}}\n");
        match parse(&text) {
            Ok(_) => assert_eq!(body(&text).join(" "), read, "{text}"),
            Err(errors) => assert_eq!(read, "", "{text}\n{errors:#?}"),
        }
    }
}

#[test]
fn annotations_and_expectations_are_kept() {
    let model = read(
        "// expect: deadlock holds\nbyte x;\ninit { do /*@ sf */ :: x++ :: /*@ wf */ x-- -> /*@ wl */ skip od }\n/* expect: ltl p violated */",
    );
    let texts: Vec<&str> = model.expectations.iter().map(|remark| remark.text.as_str()).collect();
    assert_eq!(texts, ["deadlock holds", "ltl p violated"]);
    let StmtKind::Do(choices) = &model.processes[0].body.steps[0].kind else { panic!() };
    assert_eq!(choices[0].annotation, Some(Annotation::StrongFair));
    assert_eq!(choices[0].body.steps[0].annotation, None);
    let second: Vec<_> = choices[1].body.steps.iter().map(|stmt| stmt.annotation).collect();
    assert_eq!(second, [Some(Annotation::WeakFair), Some(Annotation::WeakLive)]);
}

#[test]
fn the_parts_of_a_model() {
    let model = read(
        "hidden byte h; show int s; local short l; unsigned u : 3 = 5; bool b; pid p; int arr[3] = { 1, 2 };
chan cc[2] = [1] of { mtype, chan, bool }; byte n = 2; byte m[n];
active [n] proctype A() provided (h > 0) { skip }
D_proctype D(byte x, y; chan c) priority 4 { c!x(y) }
init { run D(1, 2, cc[0]) }
never { accept_all: do :: h > 1 :: goto accept_all od }
notrace { do :: cc[1]?_ od }",
    );
    assert_eq!(model.globals[3].kind, Type::Unsigned(3));
    assert_eq!(model.globals[9].length, Some(2));
    let kinds: Vec<ProcessKind> = model.processes.iter().map(|process| process.kind).collect();
    assert_eq!(kinds[0], ProcessKind::Proctype { active: 2, deterministic: false });
    assert_eq!(kinds[1], ProcessKind::Proctype { active: 0, deterministic: true });
    assert_eq!(kinds[2], ProcessKind::Init);
    assert_eq!(model.processes[1].parameters, 3);
    assert_eq!(model.claims[0].name, "never_0");
    assert_eq!(model.trace.as_ref().map(|trace| trace.kind), Some(ProcessKind::NoTrace));
    let printed = print(&model);
    assert_eq!(print(&read(&printed)), printed);
}

#[test]
fn a_struct_may_hold_structs_and_arrays() {
    let model = read(
        "typedef In { byte v[2]; chan c = [1] of { byte } }; typedef Out { In a[3]; byte w = 4 };
         Out o; init { o.a[1].v[0] = o.w; o.a[2].c!3 }",
    );
    let StmtKind::Assign(target, _) = &model.processes[0].body.steps[0].kind else { panic!() };
    let path: Vec<usize> = target.fields.iter().map(|step| step.field).collect();
    assert_eq!((path, target.kind), (vec![0, 0], Type::Byte));
    let Stmt { kind: StmtKind::Send { channel, .. }, .. } = &model.processes[0].body.steps[1]
    else {
        panic!()
    };
    assert_eq!(channel.kind, Type::Chan);
}

#[test]
fn numbers_that_are_cut_are_printed_as_they_are_read() {
    let text = "int x = 9223237036854775808; init { x = 4294967295; x = -1 }";
    let printed = print(&read(text));
    assert_eq!(print(&read(&printed)), printed);
}

#[test]
fn one_of_everything_is_read_and_printed() {
    let model = read(include_str!("promela_everything.pml"));
    let printed = print(&model);
    assert_eq!(print(&read(&printed)), printed);
    assert_eq!((model.processes.len(), model.formulas.len()), (3, 2));
    assert!(model.trace.is_some());
}

/// What SPIN has no words for; its own `enabled` is of a number.
#[test]
fn a_formula_may_ask_of_a_process_what_fairness_asks() {
    let text = "byte taken; active [2] proctype P() { skip } active proctype Q() { skip }
        ltl { [] (enabled(Q) -> <> enabled(1)) && <> enabled(P[1]) && taken == 0 }";
    let model = read(text);
    let printed = print(&model);
    let line = printed.lines().last().expect("the formula");
    assert!(line.contains("enabled(Q)") && line.contains("enabled(P[1])"), "{line}");
    assert_eq!(print(&read(&printed)), printed);
    for wrong in ["taken(x)", "taken(1)", "taken(P[x])", "taken(P) + 1 == 2", "[] taken(P[1]:y)"] {
        let text = format!("byte x; active [2] proctype P() {{ byte y; y = x }} ltl {{ {wrong} }}");
        assert!(parse(&text).is_err(), "{wrong}");
    }
}
