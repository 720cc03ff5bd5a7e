//! Every error code of the case format, each with a text that gives it and nothing else.

use fairly_front::case::{MOST_ERRORS, parse};
use fairly_source::{Style, render};

/// A text with one error: the code, the text that is marked, and the whole.
fn only(code: &str, marked: &str, text: &str) {
    let errors = parse(text).expect_err(text);
    assert_eq!(errors.len(), 1, "{text}\n{errors:?}");
    let wrong = &errors[0];
    assert_eq!(wrong.code, code, "{text}\n{wrong:?}");
    assert_eq!(&text[wrong.span.start..wrong.span.end], marked, "{text}\n{wrong:?}");
    assert!(render(wrong, "case.net", text, Style::Plain).contains(code));
}

/// A good network, and what follows it.
fn after(rest: &str) -> String {
    format!(
        "component P {{\n  initial 0\n  0 -a-> 0\n}}\ncomponent a.b {{\n  initial 0\n  0 -both-> 0\n}}\ncomponent both {{\n  initial s\n}}\nproperty live: G F a\n{rest}\n"
    )
}

/// A good component but for one member.
fn within(member: &str) -> String {
    format!("component P {{\n  initial 0\n  0 -a-> 1\n  {member}\n}}\n")
}

#[test]
fn the_texts_around_the_errors_are_good() {
    parse(&after("")).unwrap();
    parse(&within("")).unwrap();
}

#[test]
fn lines_that_cannot_be_read() {
    only("E0701", "", &within("0 -"));
    only("E0701", "!b->", &within("0 -!b-> 1"));
    only("E0702", "\"b-> 1", &within("0 -\"b-> 1"));
    only("E0702", "\"\"-> 1", &within("0 -\"\"-> 1"));
    only("E0702", "\\", &within("0 -\"\\n\"-> 1"));
    only("E0703", "prperty", &after("prperty x: a"));
    only("E0703", "initial", &after("initial 0"));
    only("E0703", "-", &after("-a-> 0"));
    only("E0704", "=>", &within("0 -a => 1"));
    only("E0704", "2", &within("0 -a-> 1 2"));
    only("E0704", "", &within("0 -a"));
    only("E0704", "G", &after("property x G a"));
    only("E0704", "a, b)", &after("constraint justice(a, b)"));
    only("E0704", "", &after("constraint justice(a"));
    only("E0704", "holds", &after("expect live {\nholds\n}"));
    only("E0705", "component Q {", &after("component Q {\ninitial 0\nproperty x: true"));
    only("E0705", "expect live {", &after("expect live {\nnone: violated"));
    only("E0706", "}", &after("}"));
}

#[test]
fn components_that_make_no_sense() {
    only("E0707", "P", &after("component P {\ninitial 0\n}"));
    only("E0708", "Q", &after("component Q {\n0 -a-> 1\n}"));
    only("E0709", "idle", &within("1 -idle-> 1"));
    only("E0709", "idle", &within("alphabet b, idle"));
    only("E0710", "fair", &within("0 -a(fair)-> 1"));
    only("E0711", "1", &within("states 0, 2"));
    only("E0711", "3", "component P {\nstates 0, 1\ninitial 0\n0 -a-> 3\n}");
    only("E0712", "0", &within("initial 0"));
    only("E0712", "1", &within("states 0, 1, 1"));
    only("E0712", "0", &within("states 0, 1\nstates 0"));
    only("E0712", "b", &within("alphabet b, b"));
    only("E0712", "p", &within("label 0: p, q\nlabel 0: p"));
    only("E0712", "a", &after("interleave a, a"));
    only("E0725", "", "# nothing\n");
}

#[test]
fn names_that_do_not_exist() {
    only("E0713", "c", &after("interleave a, c"));
    only("E0714", "live", &after("property live: F a"));
    only("E0715", "F a", &after("constraint justice(F a)"));
    only("E0715", "X b", &after("constraint compassion(a & \"(\", X b)"));
    only("E0716", "fair", &after("constraint fair(P)"));
    only("E0717", "Q", &after("constraint sf(Q)"));
    only("E0717", "process a", &after("constraint sf(process a)"));
    only("E0717", "event P", &after("constraint sf(event P)"));
    only("E0717", "both of P", &after("constraint sf(both of P)"));
    only("E0717", "a of Q", &after("constraint sf(a of Q)"));
    only("E0718", "both", &after("constraint wf(both)"));
    only("E0726", "P", &after("constraint wl(P)"));
    only("E0726", "process both", &after("constraint sl(process both)"));
}

#[test]
fn expectations_that_cannot_be_met() {
    let expect = |line: &str| after(&format!("expect live {{\n{line}\n}}"));
    only("E0719", "liv", &after("expect liv {\n}"));
    only("E0720", "weak  proces", &expect("weak  proces: holds"));
    only("E0721", "none: holds", &expect("none: violated\nnone: holds"));
    only("E0721", "live", &after("expect live {\n}\nexpect live {\n}"));
    only("E0722", "hold", &expect("none: hold"));
    only("E0722", "", &expect("none:"));
    only("E0722", "unfeasible", &expect("none: holds unfeasible"));
    only("E0723", "infeasible", &expect("none: violated infeasible"));
    only("E0723", "not-machine-closed", &expect("inherent run: holds not-machine-closed"));
    let text = expect(
        "inherent trace: holds\n}\nconstraint wf(P)\nexpect other {\n}\nproperty other: a\ncomponent R {\ninitial 0",
    );
    only("E0724", "inherent trace: holds", &text);
}

#[test]
fn formulas_are_marked_where_they_are_wrong() {
    only("E0507", "q", &after("property x: a & p q"));
    only("E0510", "", &after("property x:"));
    only("E0504", "", &after("constraint justice(a &)"));
}

#[test]
fn slips_are_corrected() {
    for (text, help) in [
        (after("proprety x: a"), "did you mean `property`?"),
        (after("constraint sf(boht of P)"), ""),
        (after("expect liv {\n}"), "did you mean `live`?"),
        (after("expect live {\nstrong proces: holds\n}"), "did you mean `strong process`?"),
        (within("intial 0"), "did you mean `initial`?"),
        (within("states 0, 2\n2 -a-> 10"), ""),
    ] {
        let wrong = &parse(&text).unwrap_err()[0];
        assert_eq!(wrong.help.as_deref().unwrap_or_default(), help, "{text}");
    }
}

#[test]
fn several_errors_come_in_the_order_of_the_text() {
    let text = after("interleave zz\ncomponent Q {\n0 -> 1\n}\nexpect none {\nx: y\n}");
    let codes: Vec<&str> = parse(&text).unwrap_err().iter().map(|wrong| wrong.code).collect();
    assert_eq!(codes, ["E0713", "E0708", "E0701", "E0719", "E0720"]);
    let many = parse(&"?\n".repeat(10 * MOST_ERRORS)).unwrap_err();
    assert_eq!(many.len(), MOST_ERRORS);
}

#[test]
fn no_word_is_reserved() {
    let text = "component component {
  initial initial, states
  states initial, states, alphabet, label, property
  initial -initial-> states
  states -of-> alphabet
  label -component-> property
  alphabet -process-> label
  property -expect-> property
  label label: label, states
}
component of {
  initial 0
  0 -of-> 0
}
constraint sf(process of)
constraint wl(event process)
constraint wf(of of of)
constraint wf(process of component)
constraint sf(expect)
property property: G F \"component@label\" # comment
expect property {
  none: violated
}
";
    let case = parse(text).unwrap();
    assert_eq!(case.components[0].states.len(), 5);
    let constraints: Vec<String> = case.constraints.iter().map(ToString::to_string).collect();
    assert_eq!(
        constraints,
        [
            "sf(process of)",
            "wl(event process)",
            "wf(of of of)",
            "wf(process of component)",
            "sf(expect)"
        ]
    );
}
