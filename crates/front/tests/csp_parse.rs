//! CSP# as a tree: precedence, names, places, and constants that are computed.

use fairly_front::csp::syntax::{
    ActionKind, BinaryOperator, Claim, ExprKind, FormulaText, LocalKind, NodeId, Operator, Pattern,
    Process, ProcessKind, Specification, Type, Value,
};
use fairly_front::csp::{parse, print};
use fairly_logic::Formulas;
use fairly_source::Span;

fn read(text: &str) -> Specification {
    parse(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}"))
}

/// The nodes in prefix notation: an operator stands before its operands, in parentheses.
fn shape(spec: &Specification, id: NodeId) -> String {
    let of = |id: &NodeId| shape(spec, *id);
    let all = |ids: &[NodeId]| ids.iter().map(of).collect::<Vec<_>>().join(" ");
    match &spec.node(id).kind {
        ProcessKind::Stop => "Stop".to_owned(),
        ProcessKind::Skip => "Skip".to_owned(),
        ProcessKind::Reference { definition, .. } => {
            spec.definitions[definition.index()].name.text.clone()
        }
        ProcessKind::Prefix { action, then } => match &action.kind {
            ActionKind::Event(_) if spec.assignment(action).is_some() => {
                format!("(:= -> {})", of(then))
            }
            ActionKind::Event(event) => {
                format!("({} -> {})", spec.events[event.name.index()], of(then))
            }
            _ => format!("(. -> {})", of(then)),
        },
        ProcessKind::Alternatives { events, then } => {
            format!("({}? -> {})", events.len(), of(then))
        }
        ProcessKind::Assert(_) => "assert".to_owned(),
        ProcessKind::Guard { body, .. } => format!("([.] {})", of(body)),
        ProcessKind::If { then, otherwise, kind, .. } => format!(
            "({kind:?} {} {})",
            of(then),
            otherwise.map_or("-".to_owned(), |otherwise| of(&otherwise))
        ),
        ProcessKind::Case { branches, otherwise } => {
            let bodies: Vec<NodeId> =
                branches.iter().map(|&(_, body)| body).chain(*otherwise).collect();
            format!("(case {})", all(&bodies))
        }
        ProcessKind::Compose { operator, operands } => {
            format!("({} {})", sign(*operator), all(operands))
        }
        ProcessKind::Synchronised { operands, alphabets } => {
            let sizes: Vec<String> = alphabets.iter().map(|set| set.len().to_string()).collect();
            format!("(|[{}]| {})", sizes.join("|"), all(operands))
        }
        ProcessKind::Replicate { operator, bindings, body } => {
            format!("({}*{} {})", sign(*operator), bindings.len(), of(body))
        }
        ProcessKind::Copies { body, .. } => format!("(copies {})", of(body)),
        ProcessKind::Hide { body, events } => format!("(\\{} {})", events.len(), of(body)),
        ProcessKind::Atomic(body) => format!("(atomic {})", of(body)),
    }
}

fn sign(operator: Operator) -> &'static str {
    match operator {
        Operator::Interleave => "|||",
        Operator::Parallel => "||",
        Operator::GeneralChoice => "[]",
        Operator::InternalChoice => "<>",
        Operator::ExternalChoice => "[*]",
        Operator::Interrupt => "interrupt",
        Operator::Sequence => ";",
    }
}

/// The first definition, beside `x`, `c` and processes `P`, `Q`, `R`.
fn process(text: &str) -> (Specification, String) {
    let spec = read(&format!("M = {text};\nP = Stop; Q = Stop; R = Stop;\nvar x; channel c 1;"));
    let shown = shape(&spec, spec.definitions[0].body);
    (spec, shown)
}

#[test]
fn operators_bind_as_in_pat() {
    for (text, expected) in [
        // Each operator with the next tighter one on either side.
        ("P ||| Q || R", "(||| P (|| Q R))"),
        // The notation of Sun and others.
        ("P |[a]| Q || R", "(|| (|[1]| P Q) R)"),
        ("P || Q |[a, x:{0..1}@b.x]| R || P", "(|| (|[2]| (|| P Q) R) P)"),
        ("P [] Q |[{a}|{b, c}]| R ||| P", "(||| (|[1|2]| ([] P Q) R) P)"),
        ("P |[]| Q |[{}]| R", "(|[0]| (|[0]| P Q) R)"),
        ("P |[a]|[x > 0] Q", "(|[1]| P ([.] Q))"),
        ("P ||| Q <|x > 0|> R; P <|x<1|> Q", "(Atomic (||| P Q) (Atomic (; R P) Q))"),
        ("[] i:{0..1}@P <| x == i |> Q", "([]*1 (Atomic P Q))"),
        ("x := x + 1 -> wf(x:=1) -> P", "(:= -> (:= -> P))"),
        ("sf({x = 1}) -> P; x := 2 -> Q", "(; (. -> P) (:= -> Q))"),
        ("P || Q ||| R", "(||| (|| P Q) R)"),
        ("P || Q [] R", "(|| P ([] Q R))"),
        ("P [] Q || R", "(|| ([] P Q) R)"),
        ("P [] Q <> R", "([] P (<> Q R))"),
        ("P <> Q [] R", "([] (<> P Q) R)"),
        ("P <> Q [*] R", "(<> P ([*] Q R))"),
        ("P [*] Q <> R", "(<> ([*] P Q) R)"),
        ("P [*] Q interrupt R", "([*] P (interrupt Q R))"),
        ("P interrupt Q [*] R", "([*] (interrupt P Q) R)"),
        ("P interrupt Q \\ {a}", "(interrupt P (\\1 Q))"),
        ("P \\ {a} interrupt R", "(interrupt (\\1 P) R)"),
        ("P; Q \\ {a}", "(\\1 (; P Q))"),
        ("P interrupt Q; R", "(interrupt P (; Q R))"),
        ("P; Q interrupt R", "(interrupt (; P Q) R)"),
        ("a -> P; Q", "(; (a -> P) Q)"),
        ("[x > 0] a -> P; Q", "(; ([.] (a -> P)) Q)"),
        ("[x > 0] a -> P [] b -> Q", "([] ([.] (a -> P)) (b -> Q))"),
        ("a -> b -> P", "(a -> (b -> P))"),
        ("a -> (P; Q)", "(a -> (; P Q))"),
        ("a -> [x > 0] b -> P", "(a -> ([.] (b -> P)))"),
        // Chains are flat, unless parentheses make them otherwise.
        ("P [] Q [] R", "([] P Q R)"),
        ("P [] (Q [] R)", "([] P ([] Q R))"),
        ("((P)) [] Q", "([] P Q)"),
        ("P; Q; R", "(; P Q R)"),
        ("P \\ {a} \\ {b, c.1}", "(\\2 (\\1 P))"),
        // Replicated forms reach as far as they can.
        ("[] i:{0..2}@a.i -> P ||| Q", "([]*1 (||| (a -> P) Q))"),
        ("P ||| [] i:{0..2}@Q ||| R", "(||| P ([]*1 (||| Q R)))"),
        ("(|| i:{0..2}; j:{1, 2}@P) ||| Q", "(||| (||*2 P) Q)"),
        ("<> i:{x..x + 1}@[*] j:{i}@P; Q", "(<>*1 ([*]*1 (; P Q)))"),
        ("|||{3}@P || Q", "(copies (|| P Q))"),
        ("||| i:{1..2}@P", "(|||*1 P)"),
        // The rest.
        ("if (x > 0) { P } else if (x > 1) { Q } else { R }", "(Plain P (Plain Q R))"),
        ("if (x > 0) { P [] Q }", "(Plain ([] P Q) -)"),
        ("ifa (x > 0) { P } else { Q } [] R", "([] (Atomic P Q) R)"),
        ("ifb (x > 0) { P }; Q", "(; (Blocking P -) Q)"),
        ("case { x > 0: P x > 1: a -> Q default: R; R }", "(case P (a -> Q) (; R R))"),
        ("case { x > 0: P !(x > 1): Skip (x > 2): R }", "(case P Skip R)"),
        ("atomic { a -> P }; Q", "(; (atomic (a -> P)) Q)"),
        ("assert(x > 0); Skip", "(; assert Skip)"),
        ("(a, b.1) -> P", "(2? -> P)"),
        ("(a) -> P", "(a -> P)"),
        ("tau -> {x = 1} -> c!1 -> c?y -> Stop()", "(. -> (. -> (. -> (. -> Stop))))"),
    ] {
        let (spec, shown) = process(text);
        assert_eq!(shown, expected, "{text}");
        // And what is printed means the same.
        let again = read(&print(&spec));
        assert_eq!(shape(&again, again.definitions[0].body), expected, "{}", print(&spec));
    }
}

/// The body of `#define e …;`, printed with all parentheses.
fn expression(text: &str) -> String {
    fn show(spec: &Specification, expr: &fairly_front::csp::syntax::Expr) -> String {
        match &expr.kind {
            ExprKind::Int(value) => value.to_string(),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Variable(id) => spec.variables[id.index()].name.text.clone(),
            ExprKind::Unary(operator, a) => format!("({operator:?} {})", show(spec, a)),
            ExprKind::Binary(operator, a, b) => {
                format!("({operator:?} {} {})", show(spec, a), show(spec, b))
            }
            ExprKind::Quantified(operator, bindings, body) => {
                format!("({operator:?}*{} {})", bindings.len(), show(spec, body))
            }
            other => format!("{other:?}"),
        }
    }
    let spec = read(&format!("var x; var y; var b = true;\n#define e {text};"));
    match spec.defines.first() {
        Some(define) => show(&spec, &define.body),
        None => match spec.constants[0].value {
            Value::Int(value) => value.to_string(),
            Value::Bool(value) => value.to_string(),
        },
    }
}

#[test]
fn expressions_bind_as_in_pat_and_are_computed() {
    for (text, expected) in [
        ("b || b && b", "(Or b (And b b))"),
        ("b && b xor b", "(And b (Xor b b))"),
        ("b xor b == b", "(Xor b (Equal b b))"),
        ("x & y + 1 | 2 ^ x", "(BitXor (BitOr (BitAnd x (Add y 1)) 2) x)"),
        ("x + y * 2 - 1", "(Subtract (Add x (Multiply y 2)) 1)"),
        ("x - y - 1", "(Subtract (Subtract x y) 1)"),
        ("x - (y - 1)", "(Subtract x (Subtract y 1))"),
        ("x % 2 * 3 / y", "(Divide (Multiply (Modulo x 2) 3) y)"),
        ("!b && b", "(And (Not b) b)"),
        ("-x + y", "(Add (Negate x) y)"),
        ("x + 1 < y == b", "(Equal (Less (Add x 1) y) b)"),
        ("&& i:{0..1}@x == i || b", "(And*1 (Or (Equal x Local(LocalId(0))) b))"),
        ("b || (|| i:{0,1}; j:{2}@x == i)", "(Or b (Or*2 (Equal x Local(LocalId(0)))))"),
        ("1 + 2 * 3", "7"),
        ("(0-1) % 3", "2"),
        ("-7 / 2", "-3"),
        ("-7 % 3", "2"),
        ("7 % -3", "1"),
        ("5 & 3 | 8 ^ 1", "8"),
        ("1 < 2 && !(2 == 3) xor false", "true"),
        ("+3", "3"),
    ] {
        assert_eq!(expression(text), expected, "{text}");
    }
}

#[test]
fn parts_of_events_are_sums() {
    let spec = read("#define N 3;\nP(i) = get.i.(i+1)%N -> put.i-1.2*i.N -> P(i);");
    let ProcessKind::Prefix { action, then } = &spec.node(spec.definitions[0].body).kind else {
        panic!("a prefix")
    };
    let ActionKind::Event(event) = &action.kind else { panic!("an event") };
    assert_eq!(event.arguments.len(), 2);
    let ExprKind::Binary(BinaryOperator::Modulo, left, _) = &event.arguments[1].kind else {
        panic!("the whole of (i+1)%N")
    };
    assert!(matches!(left.kind, ExprKind::Binary(BinaryOperator::Add, ..)));
    let ProcessKind::Prefix { action, .. } = &spec.node(*then).kind else { panic!("a prefix") };
    let ActionKind::Event(event) = &action.kind else { panic!("an event") };
    assert_eq!(event.arguments.len(), 3);
    assert_eq!(event.arguments[2].kind, ExprKind::Int(3));
}

#[test]
fn names_become_ids() {
    let text = "channel c 1;\nvar g;\nP(i) = c?x.i.1 -> e{var t = x; g = t + i;} -> [] k:{0..1}@c?k.y -> P(k);";
    let spec = read(text);
    let definition = &spec.definitions[0];
    let locals: Vec<(&str, LocalKind)> =
        definition.locals.iter().map(|local| (local.name.text.as_str(), local.kind)).collect();
    assert_eq!(
        locals,
        [
            ("i", LocalKind::Parameter(None)),
            ("x", LocalKind::Received),
            ("t", LocalKind::Program),
            ("k", LocalKind::Index),
            ("y", LocalKind::Received),
        ]
    );
    let ProcessKind::Prefix { action, .. } = &spec.node(definition.body).kind else {
        panic!("a prefix")
    };
    let ActionKind::Input { message, .. } = &action.kind else { panic!("an input") };
    // A new name, a name that is bound already, a constant.
    assert!(matches!(message[0], Pattern::Bind(local, _) if local.0 == 1));
    assert!(
        matches!(&message[1], Pattern::Match(expr) if matches!(expr.kind, ExprKind::Local(id) if id.0 == 0))
    );
    assert!(matches!(&message[2], Pattern::Match(expr) if expr.kind == ExprKind::Int(1)));
    for (index, node) in spec.nodes.iter().enumerate() {
        assert_eq!(node.id.index(), index);
    }
    assert_eq!(spec.node(definition.body).id.index(), spec.nodes.len() - 1);
}

#[test]
fn scopes_end_where_the_process_does() {
    // The received value is not visible in what follows the semicolon.
    let errors = parse("channel c 1;\nP = c?x -> Skip; a.x -> Skip;").unwrap_err();
    assert_eq!((errors.len(), errors[0].code), (1, "E1031"));
    // Nor is a variable of a program after it, nor one of a block after the block.
    let errors = parse("P = a{var t = 1;} -> b.t -> Skip;").unwrap_err();
    assert_eq!((errors.len(), errors[0].code), (1, "E1031"));
    let errors = parse("var x; P = a{{var t = 1;} x = t;} -> Skip;").unwrap_err();
    assert_eq!((errors.len(), errors[0].code), (1, "E1031"));
    // An inner name hides an outer one.
    let spec = read("var x; P(x) = a.x -> Skip;");
    let ProcessKind::Prefix { action, .. } = &spec.node(spec.definitions[0].body).kind else {
        panic!("a prefix")
    };
    let ActionKind::Event(event) = &action.kind else { panic!("an event") };
    assert!(matches!(event.arguments[0].kind, ExprKind::Local(_)));
}

#[test]
fn declarations_have_values() {
    let spec = read(
        "#define N 2; #define M N + 1; enum {A, B}; #define OFF -3;\n\
         var x; var y:{0..M} = B; var z:{..5} = OFF;\n\
         var a[N][M] = [1(2), 6..8, B]; var b = [true, false]; var d = [3..1]; hvar h = true;\n\
         channel c 0; channel e[M] N;",
    );
    let constants: Vec<(&str, Value)> =
        spec.constants.iter().map(|c| (c.name.text.as_str(), c.value)).collect();
    assert_eq!(
        constants,
        [
            ("N", Value::Int(2)),
            ("M", Value::Int(3)),
            ("A", Value::Int(0)),
            ("B", Value::Int(1)),
            ("OFF", Value::Int(-3)),
        ]
    );
    let ints = |values: &[i32]| values.iter().map(|&value| Value::Int(value)).collect::<Vec<_>>();
    let initial: Vec<&[Value]> = spec.variables.iter().map(|v| v.initial.as_slice()).collect();
    assert_eq!(initial[0], ints(&[0]));
    assert_eq!(initial[1], ints(&[1]));
    assert_eq!(initial[2], ints(&[-3]));
    assert_eq!(initial[3], ints(&[1, 1, 6, 7, 8, 1]));
    assert_eq!(initial[4], [Value::Bool(true), Value::Bool(false)]);
    assert_eq!(initial[5], ints(&[3, 2, 1]));
    assert_eq!(spec.variables[3].dimensions, [2, 3]);
    assert_eq!(spec.variables[5].dimensions, [3]);
    assert_eq!((spec.variables[6].hidden, spec.variables[6].ty), (true, Type::Bool));
    let channels: Vec<_> = spec.channels.iter().map(|c| (c.size, c.capacity)).collect();
    assert_eq!(channels, [(None, 0), (Some(3), 2)]);
}

#[test]
fn declarations_may_come_in_any_order() {
    let spec = read("P = [late] a.K -> Q;\nvar x = K;\n#define late x > K;\n#define K 3;\nQ = P;");
    assert_eq!(spec.variables[0].initial, [Value::Int(3)]);
    assert_eq!(spec.defines[0].name.text, "late");
}

fn formula(text: &str) -> FormulaText {
    let spec = read(&format!(
        "#define N 1; var x; #define p x > 0; #define q x > 1; #define T true; channel c 1; channel s 0; channel d[2] 1; var v[2];\n\
         P = r -> eat.0 -> eat.1 -> c!1 -> s?2 -> X -> v[0] := v[1] -> P;\n#assert P |= {text};"
    ));
    match &spec.assertions[0].claim {
        Claim::Satisfies(formula) => formula.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn formulas_group_as_in_pat() {
    let mut formulas = Formulas::new();
    for (text, expected) in [
        ("[]<> eat.0", "G F eat.0"),
        ("p || q && r", "(state(p) | state(q)) & event(r)"),
        ("p && q || r", "(state(p) & state(q)) | event(r)"),
        ("p -> q -> r", "(state(p) -> state(q)) -> event(r)"),
        ("p -> q || r", "(state(p) -> state(q)) | event(r)"),
        ("p && q && r", "state(p) & state(q) & event(r)"),
        ("p <-> q -> r", "(state(p) <-> state(q)) -> event(r)"),
        ("p U q U r", "(state(p) U state(q)) U event(r)"),
        ("p && q U r", "state(p) & (state(q) U event(r))"),
        ("p V q R r", "(state(p) R state(q)) R event(r)"),
        ("p U (q U r)", "state(p) U (state(q) U event(r))"),
        ("! p U q", "(!state(p)) U state(q)"),
        ("[] p -> q", "(G state(p)) -> state(q)"),
        ("[](p -> q)", "G(state(p) -> state(q))"),
        ("G F p /\\ X q \\/ r", "((G F state(p)) & X state(q)) | event(r)"),
        ("eat.N", "eat.1"),
        ("<> c!1", "F event(c!1)"),
        ("c?N -> s.2", "event(c?1) -> event(s.2)"),
        ("\"c ! N\" && \"eat.0\"", "event(c!1) & eat.0"),
        ("d[N]!1 && \"d[0]?N\"", "event(d[1]!1) & event(d[0]?1)"),
        ("<> c!*", "F event(c!*)"),
        ("X X", "X event(X)"),
        ("X && r", "event(X) & event(r)"),
        ("p xor true", "state(p) xor true"),
        ("[] T", "G true"),
        ("eat.* W tau", "eat.* W event(tau)"),
        ("state(p) && event(r)", "state(p) & event(r)"),
        ("[](v[N] > 0 -> <> eat.0)", "G(state(v[1] > 0) -> F eat.0)"),
        ("[] 1+v[0]<2 && p", "(G state(1 + v[0] < 2)) & state(p)"),
        ("!v[0]==1 U (N < 2)", "!state(v[0] == 1) U true"),
        ("<> \"v[0] := v[1]\"", "F event(v[0]:=v[1])"),
    ] {
        let logic = formula(text).logic;
        let expected = formulas.parse(expected).unwrap();
        assert_eq!(formulas.parse(&logic).unwrap(), expected, "{text}: {logic}");
        // Written again, it means the same.
        assert_eq!(formula(&logic).logic, logic, "{text}");
    }
}

#[test]
fn places_in_a_formula_lead_back_to_the_file() {
    let text = "var x; #define p x > 0; P = r -> P;\n#assert P |= []( p  -> r);";
    let spec = read(text);
    let Claim::Satisfies(formula) = &spec.assertions[0].claim else { panic!("a formula") };
    assert_eq!(formula.logic, "[](state(p) -> event(r))");
    let at = |logic: &str| {
        let start = formula.logic.find(logic).unwrap();
        formula.place(Span::new(start, start)).start
    };
    assert_eq!(at("state"), text.rfind('p').unwrap());
    assert_eq!(at("event"), text.rfind("r)").unwrap());
    assert_eq!(&text[formula.span.start..formula.span.end], "[]( p  -> r)");
}

#[test]
fn expectations_stay_with_their_assertions() {
    let text = "P = a -> P;\n// expect: stray\nvar x;\n// expect: one\n// a comment\n//expect:two under EWF\n\n#assert P deadlockfree; // expect: three\n// expect: four\n#assert P\n  nonterminating; // expect: five\n// expect: end\n";
    let spec = read(text);
    let remarks = |index: usize| -> Vec<&str> {
        spec.assertions[index].remarks.iter().map(|remark| remark.text.as_str()).collect()
    };
    assert_eq!(remarks(0), ["one", "two under EWF", "three"]);
    assert_eq!(remarks(1), ["four", "five"]);
    let stray: Vec<&str> = spec.stray_remarks.iter().map(|remark| remark.text.as_str()).collect();
    assert_eq!(stray, ["stray", "end"]);
    for remark in spec.assertions.iter().flat_map(|assertion| &assertion.remarks) {
        assert_eq!(&text[remark.span.start..remark.span.end], remark.text);
    }
}

#[test]
fn places_are_those_of_the_text() {
    let text = "P = (a.1 -> Skip) [] b{x = 1;} -> Stop;\nvar x;";
    let spec = read(text);
    let shown = |process: &Process| &text[process.span.start..process.span.end];
    let spans: Vec<&str> = spec.nodes.iter().map(shown).collect();
    assert_eq!(
        spans,
        ["Skip", "a.1 -> Skip", "Stop", "b{x = 1;} -> Stop", "(a.1 -> Skip) [] b{x = 1;} -> Stop"]
    );
}
