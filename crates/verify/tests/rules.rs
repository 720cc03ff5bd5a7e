//! A certificate by hand, and for each rule one that was forged from it and is rejected for that rule.

use fairly_verify::{MAGIC, Rule, verify};

const MODEL: &str = "model atomicity priority, exit any
event e0 idle : idle
event e1 a : visible
event e2 b : visible
variable g0 x : 0..3 = 0
template t0 P parameters 0 {
  location q0 on {
    -> q0 if g0 == 0 on e1 do { g0 := 1 } as a
    -> q0 if g0 == 1 on e2 do { g0 := 0 } as b
  }
}
slot p0 P : t0 start t0()
proposition zero : g0 == 0
";

/// `G F zero`: the negation is `true U (false R !zero)`, whose subformulas are `true`, `false`, `!zero`,
/// `false R !zero` and itself.
const STATEMENT: &str = "claim holds
fairness none
atom zero proposition 0
formula (G (F a0))
class - acyclic
class - postponed 4
set 4
set 3";

/// The values of the states with 0 and 1, and their nodes.
const STATES: [(&[u8], usize); 2] = [(&[0, 2, 0], 0), (&[2, 2, 0], 1)];
const LISTS: [&[(u8, u8)]; 2] = [&[(0, 1), (1, 0)], &[(0, 1)]];

fn text(out: &mut Vec<u8>, text: &str) {
    let mut length = text.len();
    while length >= 0x80 {
        out.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend(text.bytes());
}

fn certificate(
    statement: &str,
    model: &str,
    lists: &[&[(u8, u8)]],
    states: &[(&[u8], usize)],
) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    text(&mut out, statement);
    text(&mut out, model);
    out.push(lists.len() as u8);
    for list in lists {
        out.push(list.len() as u8);
        list.iter().for_each(|&(set, class)| out.extend([set, class]));
    }
    out.push(states.len() as u8);
    for (state, list) in states {
        out.push(state.len() as u8);
        out.extend(*state);
        out.push(*list as u8);
    }
    out
}

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
    assert_eq!(verified[0].statement, "every run under fairness none satisfies G F zero");
    assert_eq!((verified[0].states, verified[0].nodes, verified[0].edges), (2, 3, 3));
    // Two, one behind the other, are both looked at.
    assert_eq!(verify(&[&bytes[..], &bytes].concat()).map(|all| all.len()), Ok(2));
    rejected(Rule::Format, &[&bytes[..], b"more"].concat());
}

#[test]
fn every_index_is_in_its_range() {
    rejected(Rule::Format, b"fairly certificate 2\n");
    // A class and a set that are not there, a list that is not there, a class that has parts.
    rejected(Rule::Format, &certificate(STATEMENT, MODEL, &[&[(0, 2), (1, 0)], LISTS[1]], &STATES));
    rejected(Rule::Format, &certificate(STATEMENT, MODEL, &[&[(0, 1), (2, 0)], LISTS[1]], &STATES));
    rejected(Rule::Format, &certificate(STATEMENT, MODEL, &LISTS, &[STATES[0], (STATES[1].0, 2)]));
    stated(Rule::Format, "set 4", "class 1 acyclic\nset 4");
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
    rejected(Rule::Model, &with("on e1", "on e7"));
    rejected(Rule::Model, &with("slot p0 P : t0", "slot p0 P : t3"));
    rejected(Rule::Model, &with("event e0 idle : idle\n", ""));
    rejected(Rule::Fault, &with("0..3", "0..0"));
    rejected(Rule::Fault, &with("proposition zero : g0 == 0", "proposition zero : 1 / g0 == 0"));
    stated(Rule::Statement, "proposition 0", "proposition 1");
    stated(Rule::Statement, "fairness none", "fairness some");
    stated(Rule::Statement, "claim holds", "");
    stated(Rule::Statement, "claim holds", "claim holds\nclaim holds");
}

#[test]
fn states_nodes_and_expansions_are_all_there() {
    rejected(Rule::Initial, &certificate(STATEMENT, MODEL, &LISTS, &[STATES[1]]));
    rejected(Rule::Initial, &certificate(STATEMENT, MODEL, &[&[(1, 0)], LISTS[1]], &STATES));
    rejected(Rule::Closed, &certificate(STATEMENT, MODEL, &LISTS, &[STATES[0]]));
    rejected(Rule::Expansion, &certificate(STATEMENT, MODEL, &[&[(0, 1)], LISTS[1]], &STATES));
    stated(Rule::Expansion, "set 3", "set 2");
    // Nothing is left out: the automaton of another formula is another one.
    stated(Rule::Expansion, "(G (F a0))", "(G (F (not a0)))");
}

#[test]
fn ranks_and_reasons_are_right() {
    let (one, other) =
        ("class - acyclic\nclass - postponed 4", "class - postponed 4\nclass - acyclic");
    let swapped: [&[(u8, u8)]; 2] = [&[(0, 0), (1, 1)], &[(0, 0)]];
    rejected(Rule::Rank, &certificate(&STATEMENT.replace(one, other), MODEL, &swapped, &STATES));
    stated(Rule::Reason, "class - postponed 4", "class - acyclic");
    stated(Rule::Reason, "class - postponed 4", "class - global");
    let weak = "constraint weak enabled process p0 taken process p0";
    // It is met on each edge; and it is not assumed.
    stated(Rule::Reason, "class - postponed 4", &format!("{weak}\nclass - unmet 0"));
    stated(Rule::Constraint, "set 4", &format!("{weak}\nset 4"));
    // Under this fairness it is.
    let fair =
        STATEMENT.replace("none", "weak process").replace("set 4", &format!("{weak}\nset 4"));
    assert!(verify(&certificate(&fair, MODEL, &LISTS, &STATES)).is_ok());
    // A weak constraint in place of a strong one.
    stated(Rule::Reason, "class - postponed 4", &format!("{weak}\nclass - strong 0"));
}

/// The claim and its further lines about the same model.
fn claimed(claim: &str, formula: &str, lines: &str, listed: bool) -> Vec<u8> {
    let statement = format!("claim {claim}\natom zero proposition 0\nformula {formula}\n{lines}");
    let states: &[(&[u8], usize)] =
        if listed { &[(STATES[0].0, 0), (STATES[1].0, 0)] } else { &[] };
    certificate(&statement, MODEL, &[&[]], states)
}

#[test]
fn invariants_hold_in_every_state() {
    assert!(verify(&claimed("always", "(or a0 (not a0))", "", true)).is_ok());
    rejected(Rule::Invariant, &claimed("always", "a0", "", true));
    rejected(Rule::Statement, &claimed("always", "(G true)", "", true));
}

#[test]
fn runs_of_violations_are_runs_and_fair() {
    let a = "start 0 1 0\nstep \"a\" moves ((p0 t0 q0 0 \"a\")) 1 1 0";
    let b = "step \"b\" moves ((p0 t0 q0 1 \"b\")) 0 1 0";
    let lasso = format!("{a}\n{b}\nloop 0");
    let verified = verify(&claimed("violated", "(G a0)", &lasso, false));
    assert!(verified.is_ok(), "{verified:?}");
    rejected(Rule::Satisfied, &claimed("violated", "(G (F a0))", &lasso, false));
    rejected(Rule::Run, &claimed("violated", "(G a0)", a, false));
    rejected(Rule::Run, &claimed("violated", "(G a0)", &format!("{a}\nloop 0"), false));
    rejected(
        Rule::Run,
        &claimed("violated", "(G a0)", &lasso.replace("start 0", "start 1"), false),
    );
    rejected(Rule::Run, &claimed("violated", "(G a0)", &lasso.replace("q0 1", "q0 0"), false));
    let fair = format!("fairness strong event\n{lasso}");
    assert!(verify(&claimed("violated", "(G a0)", &fair, false)).is_ok());
    let owed = format!("assume weak true step (and a0 (not a0))\n{lasso}");
    rejected(Rule::Unfair, &claimed("violated", "(G a0)", &owed, false));
}

#[test]
fn work_on_a_single_state_is_bounded() {
    // A process that holds for ever.
    let model = MODEL
        .replace("atomicity priority", "atomicity exclusive")
        .replace("-> q0 if g0 == 0 on e1 do { g0 := 1 }", "-> q0 hold on e1");
    rejected(Rule::Limit, &certificate(STATEMENT, &model, &LISTS, &[(&[0, 2, 0, 1], 0)]));
    // A loop inside a step is one of too many statements, which is an error of the model.
    let model = MODEL.replace("do { g0 := 1 }", "do { while 1 { skip } }");
    rejected(Rule::Fault, &certificate(STATEMENT, &model, &LISTS, &STATES));
}

/// Whatever is changed in a certificate, the verifier ends, and if it accepts, it says what it accepts.
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
        let model = MODEL
            .replace("variable g0 x : 0..3 = 0", &format!("variable g0 x[{count}] : 0..3 = 0"));
        rejected(Rule::Model, &certificate(STATEMENT, &model, &LISTS, &STATES));
        let model =
            MODEL.replace("variable", &format!("channel c0 c capacity {count} : (0..1)\nvariable"));
        let _ = verify(&certificate(STATEMENT, &model, &LISTS, &STATES));
    }
    let deep = format!("(G {}a0{})", "(not ".repeat(100_000), ")".repeat(100_000));
    stated(Rule::Statement, "(G (F a0))", &deep);
    let deep = format!("proposition zero : {}g0{}", "(".repeat(100_000), ")".repeat(100_000));
    let model = MODEL.replace("proposition zero : g0 == 0", &deep);
    rejected(Rule::Model, &certificate(STATEMENT, &model, &LISTS, &STATES));
}
