//! A certificate by hand, and for each rule one that was forged from it and is rejected for that rule.

mod made;

use std::io::Read;

use fairly_verify::{MAGIC, Rule, verify, verify_from};

use made::{LISTS, MODEL, STATEMENT, STATES, certificate};

/// The certificate is rejected for this rule.
fn rejected(rule: Rule, bytes: &[u8]) {
    match verify(bytes) {
        Ok(_) => panic!("accepted although `{rule}` is broken"),
        Err(rejected) => assert_eq!(rejected.rule, rule, "{rejected}"),
    }
}

/// The statement with a text in place of another.
fn stated(rule: Rule, from: &str, to: &str) {
    assert!(STATEMENT.contains(from), "{from}");
    rejected(rule, &certificate(&STATEMENT.replace(from, to), MODEL, &LISTS, &STATES));
}

#[test]
fn a_certificate_is_accepted() {
    let bytes = certificate(STATEMENT, MODEL, &LISTS, &STATES);
    let verified = verify(&bytes).unwrap_or_else(|rejected| panic!("{rejected}"));
    let claimed = "every run under fairness none satisfies G F zero; zero (a0) is `(== g0 0)`";
    assert_eq!(verified[0].statement, claimed);
    assert_eq!((verified[0].states, verified[0].nodes, verified[0].edges), (2, 3, 3));
    // Two, one behind the other, are both looked at.
    assert_eq!(verify(&[&bytes[..], &bytes].concat()).map(|all| all.len()), Ok(2));
    rejected(Rule::Format, &[&bytes[..], b"more"].concat());
}

#[test]
fn every_index_is_in_its_range() {
    rejected(Rule::Format, b"fairly certificate 3\n");
    // A class and a set that are not there, a list that is not there, a class that has parts.
    rejected(Rule::Format, &certificate(STATEMENT, MODEL, &[&[(0, 2), (1, 0)], LISTS[1]], &STATES));
    rejected(Rule::Format, &certificate(STATEMENT, MODEL, &[&[(0, 1), (2, 0)], LISTS[1]], &STATES));
    rejected(Rule::Format, &certificate(STATEMENT, MODEL, &LISTS, &[STATES[0], (STATES[1].0, 2)]));
    stated(Rule::Format, "(set 4)", "(class 1 acyclic) (set 4)");
    // A node with two classes; a state that is listed twice; one that is none.
    rejected(Rule::Format, &certificate(STATEMENT, MODEL, &[&[(0, 1), (0, 0)], LISTS[1]], &STATES));
    rejected(Rule::Format, &certificate(STATEMENT, MODEL, &LISTS, &[STATES[0], STATES[0]]));
    rejected(
        Rule::Format,
        &certificate(STATEMENT, MODEL, &LISTS, &[STATES[0], STATES[1], (&[2, 4, 0], 1)]),
    );
    // A constraint that is not there is never met: this was the hole.
    stated(Rule::Reason, "postponed 4", "unmet 0");
    stated(Rule::Reason, "postponed 4", "strong 0");
    stated(Rule::Reason, "postponed 4", "postponed 5");
    stated(Rule::Reason, "postponed 4", "postponed 3");
    stated(Rule::Expansion, "set 3", "set 9");
    stated(Rule::Expansion, "set 3", "set 3 3");
}

#[test]
fn the_model_and_the_statement_are_well_formed() {
    let with = |from: &str, to: &str| {
        assert!(MODEL.contains(from), "{from}");
        certificate(STATEMENT, &MODEL.replace(from, to), &LISTS, &STATES)
    };
    rejected(Rule::Model, &with("q0 e1", "q0 e7"));
    rejected(Rule::Model, &with("(t0)", "(t3)"));
    rejected(Rule::Model, &with("(event a idle)\n", ""));
    rejected(Rule::Model, &with("(== g0 0)", "(== g0)"));
    rejected(Rule::Model, &with("(== g0 0)", "(== g0 0 0)"));
    rejected(Rule::Model, &with("(set g0 1)", "(set g0 1 g0)"));
    rejected(Rule::Model, &with("(slot P", "(slot P ("));
    rejected(Rule::Model, &with("(slot P", ") (slot P"));
    rejected(Rule::Model, &with("(slot P", "(slot \"P"));
    rejected(Rule::Fault, &with("(0 3)", "(0 0)"));
    stated(Rule::Fault, "(== g0 0)", "(== (/ 1 g0) 0)");
    stated(Rule::Statement, "not a0", "not a1");
    stated(Rule::Statement, "R 1 2", "R 1 3");
    stated(Rule::Statement, "formula 4", "formula 5");
    stated(Rule::Statement, "fairness none", "fairness some");
    stated(Rule::Statement, "(claim holds)", "");
    stated(Rule::Statement, "(claim holds)", "(claim holds) (claim holds)");
}

#[test]
fn states_nodes_and_expansions_are_all_there() {
    rejected(Rule::Initial, &certificate(STATEMENT, MODEL, &LISTS, &[STATES[1]]));
    rejected(Rule::Initial, &certificate(STATEMENT, MODEL, &[&[(1, 0)], LISTS[1]], &STATES));
    rejected(Rule::Closed, &certificate(STATEMENT, MODEL, &LISTS, &[STATES[0]]));
    rejected(Rule::Expansion, &certificate(STATEMENT, MODEL, &[&[(0, 1)], LISTS[1]], &STATES));
    stated(Rule::Expansion, "set 3", "set 2");
    // Nothing is left out: the automaton of another formula is another one.
    stated(Rule::Expansion, "not a0", "a0");
}

#[test]
fn ranks_and_reasons_are_right() {
    let (one, other) =
        ("(class - acyclic)\n(class - postponed 4)", "(class - postponed 4)\n(class - acyclic)");
    let swapped: [&[(u8, u8)]; 2] = [&[(0, 0), (1, 1)], &[(0, 0)]];
    rejected(Rule::Rank, &certificate(&STATEMENT.replace(one, other), MODEL, &swapped, &STATES));
    stated(Rule::Reason, "class - postponed 4", "class - acyclic");
    stated(Rule::Reason, "class - postponed 4", "class - global");
    // It is not assumed; and under a fairness that assumes it, it is met on each edge, and is no strong one.
    let weak = "(constraint (process p0))";
    stated(Rule::Constraint, "(set 4)", &format!("{weak} (set 4)"));
    let fair = |class: &str| {
        let fair = STATEMENT.replace("none", "\"weak process\"");
        let fair = fair.replace("(class - acyclic)", &format!("{weak} (class - acyclic)"));
        certificate(&fair.replace("class - postponed 4", class), MODEL, &LISTS, &STATES)
    };
    assert!(verify(&fair("class - postponed 4")).is_ok());
    rejected(Rule::Reason, &fair("class - unmet 0"));
    rejected(Rule::Reason, &fair("class - strong 0"));
    // A constraint of another notion.
    let process =
        STATEMENT.replace("none", "\"weak event\"").replace("(set 4)", &format!("{weak} (set 4)"));
    rejected(Rule::Constraint, &certificate(&process, MODEL, &LISTS, &STATES));
}

#[test]
fn an_annotation_of_events_that_depend_on_the_state_is_that_of_all_moves_alike() {
    let model = |annotated: &str| {
        let more = format!("(q0 (if (== g0 2)) (data d g0) {annotated}) (q0 e2");
        MODEL.replace("(q0 e2", &more)
    };
    let of = |notion: &str, annotated: &str, subject: &str| {
        let lines = format!("(constraint {subject}) (set 4)");
        let statement = STATEMENT.replace("none", notion).replace("(set 4)", &lines);
        certificate(&statement, &model(annotated), &LISTS, &STATES)
    };
    // It is met in no state that is listed, so it is never ready: under any annotation of occurrences.
    let by_occurrence = "\"annotated occurrence\"";
    for annotated in ["(fair wl)", "(fair wf)", ""] {
        let verified = verify(&of(by_occurrence, annotated, "(wl p0 \"d.2\")"));
        assert!(verified.is_ok(), "{verified:?}");
    }
    rejected(Rule::Constraint, &of(by_occurrence, "(fair wl)", "(process p0)"));
    // Events that no edge annotates are not fair by their names, and the edge has none in any state that is listed.
    for subject in ["wl (events \"d.2\")", "wl (events \"a\")", "wf (events \"a\")"] {
        rejected(Rule::Constraint, &of("\"annotated name\"", "(fair wl)", subject));
    }
    // An event that is made of a constant is annotated by an edge that is never open.
    let closed = "(constraint wl (events \"d.2\")) (set 4)";
    let statement = STATEMENT.replace("none", "\"annotated name\"").replace("(set 4)", closed);
    let model =
        MODEL.replace("(q0 e2", "(q0 (if 0) (data d 2) (fair wl)) (q0 e2").replace("q0 1", "q0 2");
    assert!(verify(&certificate(&statement, &model, &LISTS, &STATES)).is_ok());
    let annotated = MODEL.replace("(q0 e1", "(q0 e1 (fair wf)");
    let statement = |word: &str| {
        let lines = format!("(constraint {word} (events \"a\")) (set 4)");
        let statement = STATEMENT.replace("none", "\"annotated name\"").replace("(set 4)", &lines);
        certificate(&statement, &annotated, &LISTS, &STATES)
    };
    assert!(verify(&statement("wf")).is_ok());
    rejected(Rule::Constraint, &statement("sf"));
}

/// The negation of `G zero`.
const EVENTUALLY_NOT: [&str; 3] = ["true", "not a0", "U 0 1"];

/// The claim and its further lines about the same model.
fn claimed(claim: &str, nodes: &[&str], lines: &str, listed: bool) -> Vec<u8> {
    let table: String = nodes.iter().map(|node| format!("(node {node})")).collect();
    let (claim, root) =
        (format!("(claim {claim}) (atom zero condition (== g0 0))"), nodes.len() - 1);
    let statement = format!("{claim} {table} (formula {root})\n{lines}");
    let states: &[(&[u8], usize)] =
        if listed { &[(STATES[0].0, 0), (STATES[1].0, 0)] } else { &[] };
    certificate(&statement, MODEL, &[&[]], states)
}

#[test]
fn invariants_hold_in_every_state() {
    assert!(verify(&claimed("always", &["a0", "not a0", "or 0 1"], "", true)).is_ok());
    rejected(Rule::Invariant, &claimed("always", &["a0"], "", true));
    rejected(Rule::Statement, &claimed("always", &["false", "true", "R 0 1"], "", true));
}

#[test]
fn runs_of_violations_are_runs_and_fair() {
    let a = "(start 0 1 0) (step \"a\" (moves (p0 t0 q0 0 \"a\")) 1 1 0)";
    let b = "(step \"b\" (moves (p0 t0 q0 1 \"b\")) 0 1 0)";
    let lasso = format!("{a} {b} (loop 0)");
    let verified = verify(&claimed("violated", &EVENTUALLY_NOT, &lasso, false));
    assert!(verified.is_ok(), "{verified:?}");
    rejected(
        Rule::Satisfied,
        &claimed("violated", &["true", "false", "not a0", "R 1 2", "U 0 3"], &lasso, false),
    );
    rejected(Rule::Run, &claimed("violated", &EVENTUALLY_NOT, a, false));
    rejected(Rule::Run, &claimed("violated", &EVENTUALLY_NOT, &format!("{a} (loop 0)"), false));
    rejected(
        Rule::Run,
        &claimed("violated", &EVENTUALLY_NOT, &lasso.replace("start 0", "start 1"), false),
    );
    rejected(
        Rule::Run,
        &claimed("violated", &EVENTUALLY_NOT, &lasso.replace("q0 1", "q0 0"), false),
    );
    let fair = format!("(fairness \"strong event\") {lasso}");
    assert!(verify(&claimed("violated", &EVENTUALLY_NOT, &fair, false)).is_ok());
    let owed = format!("(node false) (assume weak true (step 3)) {lasso}");
    rejected(Rule::Unfair, &claimed("violated", &EVENTUALLY_NOT, &owed, false));
}

/// What the first statements of a process leave in a scratch variable is gone before its first step.
#[test]
fn scratch_variables_are_as_at_first_when_a_run_begins() {
    let model = MODEL
        .replace("(location on", "(local y scratch (0 3) 1) (begin (set l0 0)) (location on")
        .replace("(do (set g0 1))", "(do (set g0 (/ 1 l0)))");
    let run = "(start 0 1 0) (step \"a\" (moves (p0 t0 q0 0 \"a\")) 1 1 0)\
               (step \"b\" (moves (p0 t0 q0 1 \"b\")) 0 1 0) (loop 0)";
    let statement =
        "(claim violated) (atom zero condition (== g0 0)) (node true) (node not a0) (node U 0 1)";
    let bytes = certificate(&format!("{statement} (formula 2) {run}"), &model, &[&[]], &[]);
    assert!(verify(&bytes).is_ok(), "{:?}", verify(&bytes));
}

#[test]
fn runs_to_states_and_errors_are_runs() {
    let a = "(start 0 1 0) (step \"a\" (moves (p0 t0 q0 0 \"a\")) 1 1 0)";
    assert!(verify(&claimed("reached", &["a0"], a, false)).is_ok());
    rejected(Rule::Satisfied, &claimed("reached", &["not a0"], a, false));
    rejected(Rule::Run, &claimed("reached", &["a0"], "", false));
    rejected(Rule::Run, &claimed("reached", &["a0"], "(start 1 1 0)", false));
    rejected(Rule::Statement, &claimed("reached", &["false", "a0", "R 0 1"], a, false));
    // What is enabled is known of no state alone: it would be false everywhere.
    for claim in ["always", "reached"] {
        let enabled = "(atom some enabled (process p0)) (node not a0) (formula 0)";
        let statement = format!("(claim {claim}) {enabled}");
        rejected(Rule::Statement, &certificate(&statement, MODEL, &LISTS, &STATES));
    }
    let start = "(start 0 1 0)";
    let broken = MODEL.replace("(0 3)", "(0 0)");
    let error = |model: &str| certificate(&format!("(claim error) {start}"), model, &[&[]], &[]);
    assert!(verify(&error(&broken)).is_ok());
    rejected(Rule::Run, &error(MODEL));
    // A limit of the tool is no error of the model.
    rejected(Rule::Limit, &error(&MODEL.replace("(0 3)", "(0 0 limit)")));
}

/// `G F zero` under inherent fairness: the table is of the formula itself.
const INHERENT: &str = "(claim holds)
(fairness \"inherent run\")
(atom zero condition (== g0 0))
(node false)
(node true)
(node a0)
(node U 1 2)
(node R 0 3)
(formula 4)
(set 4)
(set 3 4)
(distances 0)
(distances 1)
(family 0)
(family 1)";

/// The nodes and the families of both states.
const LIVE: [&[(u8, u8)]; 2] = [&[(0, 0), (1, 0), (2, 0), (3, 0)], &[(0, 1), (2, 0)]];

#[test]
fn beginnings_go_on_as_inherent_fairness_says() {
    let of = |statement: &str, lists: &[&[(u8, u8)]]| certificate(statement, MODEL, lists, &STATES);
    let with = |from: &str, to: &str| of(&INHERENT.replace(from, to), &LIVE);
    for reading in ["run", "trace"] {
        let verified = verify(&with("run", reading)).unwrap_or_else(|why| panic!("{why}"));
        assert!(verified[0].statement.contains("can go on such that it satisfies G F zero"));
    }
    // A node that is nearer than it is, one that is as near as the next, and distances of other untils.
    rejected(Rule::Reason, &with("distances 1", "distances 0"));
    rejected(Rule::Reason, &with("distances 0", "distances 1"));
    rejected(Rule::Format, &with("distances 1", "distances 1 0"));
    rejected(Rule::Format, &with("distances 1", "distances"));
    // A family without members, with one that is not live, is not there, or is elsewhere.
    rejected(Rule::Format, &with("family 1", "family"));
    rejected(Rule::Format, &with("family 1", "family 2"));
    rejected(Rule::Format, &with("family 1", "family at 1 0"));
    rejected(Rule::Format, &with("\n(family 1)", ""));
    rejected(Rule::Format, &of(INHERENT, &[&[(0, 0), (2, 0), (3, 0)], LIVE[1]]));
    rejected(Rule::Expansion, &of(INHERENT, &[&[(0, 0), (1, 0), (2, 0)], LIVE[1]]));
    rejected(Rule::Expansion, &of(INHERENT, &[LIVE[0], &[(0, 1)]]));
    rejected(Rule::Initial, &of(INHERENT, &[&[(0, 0), (1, 0), (3, 0)], LIVE[1]]));
    rejected(Rule::Closed, &certificate(INHERENT, MODEL, &LIVE, &STATES[..1]));
    rejected(Rule::Statement, &with("(formula", "(assume weak true true) (formula"));
    // What is shown of one formula does not show another.
    rejected(Rule::Reason, &with("node a0", "node not a0"));
}

#[test]
fn beginnings_do_not_go_on_as_inherent_fairness_says() {
    let of = |statement: &str, lists: &[&[(u8, u8)]]| certificate(statement, MODEL, lists, &STATES);
    let doomed = "(claim violated) (fairness \"inherent run\") (atom zero condition (== g0 0))\n\
                  (node false) (node a0) (node R 0 1) (formula 2) (set 2) (class - acyclic)\n\
                  (start 0 1 0)\n(step \"a\" (moves (p0 t0 q0 0 \"a\")) 1 1 0)";
    let lists: [&[(u8, u8)]; 2] = [&[], &[(0, 0)]];
    for reading in ["run", "trace"] {
        let verified = verify(&of(&doomed.replace("run", reading), &lists));
        assert!(verified.is_ok(), "{verified:?}");
    }
    rejected(Rule::Initial, &of(doomed, &[&[], &[]]));
    rejected(Rule::Run, &of(&format!("{doomed} (loop 0)"), &lists));
    rejected(
        Rule::Initial,
        &of(
            &doomed.replace("(node false) (node a0) (node R", "(node true) (node a0) (node U"),
            &lists,
        ),
    );
    let start = &doomed[..doomed.find("\n(step").unwrap()];
    rejected(Rule::Initial, &of(start, &lists));
}

#[test]
fn families_of_a_specification_show_a_refinement() {
    let (impl_, spec) = ("(family 0) (family 1)", "(claim specification)");
    let lists: [&[(u8, u8)]; 2] = [&[(0, 0)], &[(1, 0)]];
    let bare: [(&[u8], usize); 2] = [(STATES[0].0, 0), (STATES[1].0, 0)];
    let of = |observed: &str, families: &str, lists: &[&[(u8, u8)]], spec: &str, model: &str| {
        let statement = format!("(claim \"refines {observed}\") {families}");
        let mut bytes = certificate(&statement, MODEL, lists, &STATES);
        bytes.extend(certificate(spec, model, &[&[]], &bare));
        bytes
    };
    for observed in ["traces", "failures", "failures and divergences"] {
        let verified = verify(&of(observed, impl_, &lists, spec, MODEL));
        assert!(verified.is_ok(), "{verified:?}");
        // Another event; and one more that may be done or refused.
        let other = MODEL.replace("event b", "event c");
        rejected(Rule::Expansion, &of(observed, impl_, &lists, spec, &other));
        let more = MODEL.replace("(q0 e2", "(q0 e3) (q0 e2");
        let more = more.replace("(event b visible)", "(event b visible) (event c visible)");
        match observed {
            "traces" => assert!(verify(&of(observed, impl_, &lists, spec, &more)).is_ok()),
            _ => rejected(Rule::Reason, &of(observed, impl_, &lists, spec, &more)),
        }
    }
    let traces = |families: &str, lists: &[&[(u8, u8)]], spec: &str| {
        of("traces", families, lists, spec, MODEL)
    };
    rejected(Rule::Initial, &traces(impl_, &[&[(1, 0)], &[(1, 0)]], spec));
    rejected(Rule::Expansion, &traces(impl_, &[&[(0, 0)], &[(0, 0)]], spec));
    rejected(Rule::Format, &traces(&impl_.replace("family 1", "family"), &lists, spec));
    rejected(Rule::Format, &traces(&impl_.replace("family 1", "family 2"), &lists, spec));
    rejected(Rule::Format, &traces("(family 0)", &lists, spec));
    rejected(Rule::Statement, &traces(impl_, &lists, "(claim always) (node true) (formula 0)"));
    rejected(Rule::Statement, &certificate(spec, MODEL, &[&[]], &bare));
    rejected(
        Rule::Format,
        &certificate(&format!("(claim \"refines traces\") {impl_}"), MODEL, &lists, &STATES),
    );
    // It takes no internal step, so it does not diverge, and nothing is settled.
    rejected(Rule::Reason, &traces(impl_, &lists, &format!("{spec} (family 0)")));
    // Internal steps for ever: their rank does not fall, unless the specification may take them, too.
    let inner = MODEL.replace("visible", "internal");
    let of = |observed: &str, ranks: [u8; 2], spec: &str| {
        let lists: [&[(u8, u8)]; 2] = [&[(0, ranks[0])], &[(0, ranks[1])]];
        let statement = format!("(claim \"refines {observed}\") (family 0 1)");
        let mut bytes = certificate(&statement, &inner, &lists, &STATES);
        bytes.extend(certificate(spec, &inner, &[&[]], &bare));
        bytes
    };
    assert!(verify(&of("failures", [0, 0], spec)).is_ok());
    rejected(Rule::Expansion, &of("failures and divergences", [1, 0], spec));
    let diverges = format!("{spec} (family 0 1)");
    assert!(verify(&of("failures and divergences", [0, 0], &diverges)).is_ok());
}

#[test]
fn work_on_a_single_state_is_bounded() {
    // A process that holds for ever.
    let model = MODEL.replace("(model)", "(model exclusive)");
    let model = model.replace("(q0 e1 (if (== g0 0)) (do (set g0 1)))", "(q0 hold e1)");
    rejected(Rule::Limit, &certificate(STATEMENT, &model, &LISTS, &[(&[0, 2, 0, 1], 0)]));
    // A loop inside a step is one of too many statements, which is a limit of the verifier, and no error of the model.
    let model = MODEL.replace("(do (set g0 1))", "(do (while 1 (set)))");
    rejected(Rule::Limit, &certificate(STATEMENT, &model, &LISTS, &STATES));
}

#[test]
fn a_text_that_never_ends_is_not_read_to_its_end() {
    // Its length is said to be more than any memory has.
    let mut bytes = MAGIC.to_vec();
    bytes.extend([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
    let mut endless = std::io::BufReader::new(bytes.as_slice().chain(std::io::repeat(b' ')));
    let rejected = verify_from(&mut endless).expect_err("no certificate");
    assert_eq!(rejected.rule, Rule::Format, "{rejected}");
    // What is no certificate is rejected by its first bytes.
    let mut endless = std::io::BufReader::new(std::io::repeat(0));
    let rejected = verify_from(&mut endless).expect_err("no certificate");
    assert_eq!(rejected.rule, Rule::Format, "{rejected}");
}

/// Whatever is changed in a certificate, the verifier ends.
#[test]
fn no_change_of_a_byte_makes_it_fail() {
    let bytes = certificate(STATEMENT, MODEL, &LISTS, &STATES);
    for at in 0..bytes.len() {
        let _ = verify(&bytes[..at]);
        for flip in [1, 2, 8, 0x80] {
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            let _ = verify(&changed);
        }
    }
    // Lengths and counts that say more than there is buy no memory.
    for at in MAGIC.len()..bytes.len() {
        let mut changed = bytes.clone();
        changed.splice(at..=at, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
        let _ = verify(&changed);
    }
    for count in ["4000000000", "4000000"] {
        let channel = format!("(channel c {count} ((0 1)))\n(variable");
        let model = MODEL.replace("(variable", &channel);
        let _ = verify(&certificate(STATEMENT, &model, &LISTS, &STATES));
    }
    // What is nested too deep, in each of the texts.
    let deep = format!("{}g0{}", "(! ".repeat(100_000), ")".repeat(100_000));
    stated(Rule::Statement, "(== g0 0)", &deep);
    let model = MODEL.replace("(== g0 0)", &deep);
    rejected(Rule::Model, &certificate(STATEMENT, &model, &LISTS, &STATES));
    let open = "(".repeat(100_000);
    rejected(Rule::Model, &certificate(STATEMENT, &open, &LISTS, &STATES));
    // As deep as may be is read and evaluated.
    let deep = format!("{}g0{}", "(! ".repeat(1_900), ")".repeat(1_900));
    let _ = verify(&certificate(&STATEMENT.replace("(== g0 0)", &deep), MODEL, &LISTS, &STATES));
    // A table of formulas can be deep, and its formula long beyond all bounds.
    let line = |at: usize, of: &str| match of {
        "X" => format!("(node X {at})"),
        _ => format!("(node and {at} {at})"),
    };
    for (of, count) in [("X", 90_000), ("and", 1_000)] {
        let more: String = (4..4 + count).map(|at| line(at, of)).collect();
        let formula = format!("{more} (formula {})", 4 + count);
        let _ = verify(&certificate(
            &STATEMENT.replace("(formula 4)", &formula),
            MODEL,
            &LISTS,
            &STATES,
        ));
        let run = "(start 0 1 0) (step \"a\" (moves (p0 t0 q0 0 \"a\")) 1 1 0)\
                   (step \"b\" (moves (p0 t0 q0 1 \"b\")) 0 1 0) (loop 0)";
        let statement =
            STATEMENT.replace("(formula 4)", &formula).replace("holds", "violated") + run;
        let _ = verify(&certificate(&statement, MODEL, &[&[]], &[]));
    }
    // Processes that start each other.
    let start = MODEL.replace("(location", "(begin (start t0 _)) (location")
        + &"(slot P (t0))".repeat(3000);
    let forged = verify(&certificate(STATEMENT, &start, &LISTS, &STATES)).unwrap_err();
    assert!(forged.why.contains("a limit of statements"), "{forged}");
    let classes = "(class 0 acyclic)".repeat(3000);
    let nested: String = (0..3000).map(|at| format!("(class {at} acyclic)")).collect();
    for classes in [classes, nested] {
        let _ = verify(&certificate(&format!("{STATEMENT}{classes}"), MODEL, &LISTS, &STATES));
    }
}

/// A certificate that is rejected for a rule.
fn forged(rule: Rule) -> Vec<u8> {
    let stated =
        |from: &str, to: &str| certificate(&STATEMENT.replace(from, to), MODEL, &LISTS, &STATES);
    let about =
        |from: &str, to: &str| certificate(STATEMENT, &MODEL.replace(from, to), &LISTS, &STATES);
    let a = "(start 0 1 0) (step \"a\" (moves (p0 t0 q0 0 \"a\")) 1 1 0)";
    let lasso = format!("{a} (step \"b\" (moves (p0 t0 q0 1 \"b\")) 0 1 0) (loop 0)");
    match rule {
        Rule::Format => certificate(STATEMENT, MODEL, &LISTS, &[STATES[1], STATES[0]]),
        Rule::Model => about("q0 e1", "q0 e7"),
        Rule::Statement => stated("not a0", "not a1"),
        Rule::Fault => about("(0 3)", "(0 0)"),
        Rule::Initial => certificate(STATEMENT, MODEL, &LISTS, &[STATES[1]]),
        Rule::Closed => certificate(STATEMENT, MODEL, &LISTS, &[STATES[0]]),
        Rule::Expansion => stated("not a0", "a0"),
        Rule::Rank => {
            let swapped: [&[(u8, u8)]; 2] = [&[(0, 0), (1, 1)], &[(0, 0)]];
            let (one, other) = ("acyclic)\n(class - postponed 4", "postponed 4)\n(class - acyclic");
            certificate(&STATEMENT.replace(one, other), MODEL, &swapped, &STATES)
        }
        Rule::Reason => stated("class - postponed 4", "class - acyclic"),
        Rule::Constraint => stated("(set 4)", "(constraint (process p0)) (set 4)"),
        Rule::Invariant => claimed("always", &["a0"], "", true),
        Rule::Run => claimed("violated", &EVENTUALLY_NOT, a, false),
        Rule::Unfair => {
            let owed = format!("(node false) (assume weak true (step 3)) {lasso}");
            claimed("violated", &EVENTUALLY_NOT, &owed, false)
        }
        Rule::Satisfied => {
            claimed("violated", &["true", "false", "not a0", "R 1 2", "U 0 3"], &lasso, false)
        }
        Rule::Limit => about("(set g0 1)", "(while 1 (set))"),
        Rule::Checksum => {
            let mut bytes = stated("(claim holds)", "(title one) (claim holds)");
            let at = bytes.windows(3).position(|it| it == b"one").expect("the title");
            bytes[at] = b'n';
            bytes
        }
    }
}

#[test]
fn every_rule_has_a_forgery_that_is_rejected_for_it_and_is_explained() {
    let explained = include_str!("../src/lib.rs");
    for (at, rule) in Rule::ALL.into_iter().enumerate() {
        assert_eq!(rule as usize, at, "all rules, in their order");
        rejected(rule, &forged(rule));
        assert!(explained.contains(&format!("[`Rule::{rule:?}`]")), "{rule} is not explained");
    }
    assert_eq!(Rule::Checksum as usize + 1, Rule::ALL.len(), "the last one");
}
