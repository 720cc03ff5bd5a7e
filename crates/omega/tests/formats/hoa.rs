//! HOA: the parts of the format one by one, then everything at random.

use fairly_omega::formats::hoa;
use fairly_omega::{Acceptance, Automaton, Builder, Label, Mark, Prop, StateId};

use super::random::{self, Random};

/// The automaton with this header and body; `HOA: v1`, `AP:` and so on are up to the caller.
fn read(text: &str) -> Automaton {
    let mut all = hoa::parse(text).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"));
    assert_eq!(all.len(), 1);
    all.remove(0)
}

fn code(text: &str) -> &'static str {
    hoa::parse(text).expect_err(text).code
}

/// Labels of the edges of `state` as truth tables over `n` propositions, with targets and marks.
fn edges(automaton: &Automaton, state: u32, n: u32) -> Vec<(u64, u32, Vec<u32>)> {
    let table = |label: Label| {
        (0..1u64 << n)
            .filter(|v| automaton.letters().holds(label, |Prop(p)| v >> p & 1 == 1))
            .fold(0, |table, v| table | 1 << v)
    };
    let edge = |edge: &fairly_omega::Edge| {
        let marks = automaton.marks(edge.marks).iter().map(|mark| mark.0).collect();
        (table(edge.label), edge.target.0, marks)
    };
    automaton.edges(StateId(state)).iter().map(edge).collect()
}

#[test]
fn print_then_parse_is_the_identity() {
    for seed in 0..4000 {
        let automaton = random::automaton(&mut Random::new(seed));
        let text = hoa::print(&automaton);
        let again =
            hoa::parse(&text).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}\n{text}"));
        assert!(again.len() == 1 && again[0] == automaton, "seed {seed}\n{text}");
        assert_eq!(hoa::print(&again[0]), text, "seed {seed}");
    }
}

#[test]
fn a_stream_is_read_one_by_one() {
    let mut random = Random::new(7);
    let automata: Vec<Automaton> = (0..50).map(|_| random::automaton(&mut random)).collect();
    let text: String = automata.iter().map(hoa::print).collect();
    assert_eq!(hoa::parse(&text).unwrap(), automata);
    let broken = format!("{text} HOA: v1 States: 0 --BODY-- --END--");
    let mut reader = hoa::Reader::new(&broken);
    assert!((0..50).all(|_| reader.next().unwrap().is_ok()));
    assert_eq!(reader.next().unwrap().unwrap_err().code, "E0211");
    assert!(reader.next().is_none(), "nothing after the end");
}

/// Each of these is wrong in another way, and costs one automaton, not its neighbours.
#[test]
fn a_mistake_costs_one_automaton() {
    let good = "HOA: v1 States: 1 Start: 0 Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--";
    for (wrong, code) in [
        ("HOA: v1 States: 1 --BODY-- State: 0 --END--", "E0211"),
        ("HOA: v1 States: 1 Acceptance: 0 t --BODY-- State: 3 --END--", "E0221"),
        ("HOA: v1 Acceptance: 0 t --BODY-- State: 0 [t] ] --END--", "E0205"),
        ("HOA: v1 Acceptance: 0 t --BODY-- State: 0 $ --END--", "E0201"),
        ("HOA: v1 Acceptance: 0 t --BODY-- State: 0", "E0205"),
        ("HOA: v1 Acceptance: 0 t", "E0209"),
        ("HOA: v2 Acceptance: 0 t --BODY-- --END--", "E0208"),
        ("HOA: HOA: v1 Acceptance: 0 t --BODY-- 0 --END--", "E0205"),
        ("HOA: v1 name: \"HOA: --END--\" Acceptance: 1 t( --BODY-- --END--", "E0205"),
        ("HOA: v1 /* Acceptance: 0 t --BODY-- --END--", "E0202"),
        ("HOA: v1 name: \"x Acceptance: 0 t --BODY-- --END--", "E0203"),
        ("what is this", "E0206"),
        ("$", "E0201"),
    ] {
        let stream = format!("{good}\n{wrong}\n{good}");
        let read: Vec<_> = hoa::Reader::new(&stream).collect();
        let codes: Vec<_> = read.iter().filter_map(|read| read.as_ref().err()).collect();
        // Text behind one mistake may be another.
        assert!(!codes.is_empty() && codes[0].code == code, "{wrong}: {codes:?}");
        assert_eq!(read.iter().filter(|read| read.is_ok()).count(), 2, "{wrong}: {codes:?}");
        assert!(read[0].is_ok() && read[read.len() - 1].is_ok(), "{wrong}");
    }
}

#[test]
fn abort_drops_one_automaton_wherever_it_stands() {
    let good = "HOA: v1 name: \"good\" States: 1 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0)
                --BODY-- State: 0 [0 & (t)] 0 {0} --END--";
    // Cut after each token.
    let mut cuts: Vec<usize> =
        good.char_indices().filter(|(_, c)| c.is_whitespace()).map(|(at, _)| at).collect();
    cuts.extend(good.char_indices().filter(|(_, c)| "[]{}()&".contains(*c)).map(|(at, _)| at + 1));
    for cut in cuts {
        let text = format!("{} --ABORT-- {good}", &good[..cut]);
        assert_eq!(hoa::parse(&text).unwrap().len(), 1, "{text}");
    }
    assert_eq!(hoa::parse("--ABORT-- --ABORT--").unwrap(), []);
    assert_eq!(hoa::parse(" /* nothing */ \u{a}").unwrap(), []);
    let glued =
        "HOA: v1 tool: \"x\" properties: foo--ABORT-- States: 0 Acceptance: 0 t --BODY----END--";
    assert_eq!(hoa::parse(glued).unwrap().len(), 1, "an identifier may contain the marker");
}

#[test]
fn comments_nest_and_may_stand_anywhere() {
    let text =
        "/* a /* b */ c */HOA:/**/v1/*[*/States: 1 Start: 0 Acceptance: 1 /* /* */ */ Inf(/*x*/0)
        AP: 2 \"a\" \"/* not a comment */\" --BODY-- State: 0
        [0 /* ] & f */ & 1] 0 { /* } */ 0 } --END-- /**/";
    let automaton = read(text);
    assert_eq!(automaton.propositions()[1], "/* not a comment */");
    assert_eq!(edges(&automaton, 0, 2), [(0b1000, 0, vec![0])]);
}

#[test]
fn strings_are_unescaped() {
    let automaton = read(
        r#"HOA: v1 name: "a \"b\" \\ \n" States: 1 Acceptance: 0 t --BODY-- State: 0 "\\" --END--"#,
    );
    assert_eq!(automaton.name(), Some(r#"a "b" \ n"#));
    assert_eq!(automaton.state_name(StateId(0)), Some(r"\"));
}

#[test]
fn labels_have_the_usual_priorities() {
    let body = |label: &str| {
        let text = format!(
            "HOA: v1 AP: 3 \"a\" \"b\" \"c\" Alias: @b 1 Alias: @bc !@b|2 Acceptance: 0 t
             --BODY-- State: 0 [{label}] 0 --END--"
        );
        edges(&read(&text), 0, 3).first().map_or(0, |edge| edge.0)
    };
    let (a, b, c) = (0b1010_1010, 0b1100_1100, 0b1111_0000);
    assert_eq!(body("t"), 255);
    assert_eq!(body("f"), 0);
    assert_eq!(body("0 | 1 & 2"), a | b & c);
    assert_eq!(body("(0 | 1) & 2"), (a | b) & c);
    assert_eq!(body("!0 & 1 | 2"), !a & b & 255 | c);
    assert_eq!(body("!(0 & 1) | 2"), !(a & b) & 255 | c);
    assert_eq!(body("!!0 & !!!1"), a & !b);
    assert_eq!(body("0 & !0"), 0);
    assert_eq!(body("0 & 0 & (t | f)"), a);
    assert_eq!(body("@bc & 0"), (!b & 255 | c) & a);
    assert_eq!(body("((((2))))"), c);
}

#[test]
fn implicit_labels_are_counted_in_binary() {
    let automaton = read(
        "HOA: v1 States: 2 Start: 1 AP: 2 \"a\" \"b\" Acceptance: 2 Inf(0) | Inf(1)
         properties: implicit-labels --BODY--
         State: 1 {1} 0 1 {0} 0 1
         State: 0 \"dead\" --END--",
    );
    assert_eq!(
        edges(&automaton, 1, 2),
        [(1, 0, vec![1]), (2, 1, vec![0, 1]), (4, 0, vec![1]), (8, 1, vec![1])]
    );
    assert!(automaton.edges(StateId(0)).is_empty());
    let none = read("HOA: v1 Acceptance: 0 t --BODY-- State: 0 0 --END--");
    assert_eq!(none.edges(StateId(0))[0].label, Label::TRUE, "no propositions: one letter");
}

#[test]
fn state_labels_and_marks_go_to_the_edges() {
    let automaton = read(
        "HOA: v1 States: 2 Start: 0 Start: 1 Start: 0 AP: 1 \"a\" Acceptance: 2 Inf(0)&Inf(1)
         properties: state-labels explicit-labels --BODY--
         State: [0] 0 \"yes\" {0} 0 1 {1} State: [!0] 1 0 1 --END--",
    );
    assert_eq!(automaton.initial(), [StateId(0), StateId(1)]);
    assert_eq!(edges(&automaton, 0, 1), [(2, 0, vec![0]), (2, 1, vec![0, 1])]);
    assert_eq!(edges(&automaton, 1, 1), [(1, 0, vec![]), (1, 1, vec![])]);
    assert_eq!(automaton.state_name(StateId(0)), Some("yes"));
}

#[test]
fn complemented_sets_get_a_mark_of_their_own() {
    let automaton = read(
        "HOA: v1 AP: 0 Acceptance: 2 Inf(!0) & Fin(1) | Fin(!0) --BODY--
         State: 0 [t] 0 {0} [t] 0 {1} [t] 0 --END--",
    );
    assert_eq!(automaton.mark_count(), 3);
    assert_eq!(automaton.acceptance().to_string(), "(Inf(2) & Fin(1)) | Fin(2)");
    let marks: Vec<_> = edges(&automaton, 0, 0).into_iter().map(|edge| edge.2).collect();
    assert_eq!(marks, [vec![0], vec![1, 2], vec![2]]);
}

#[test]
fn headers_come_in_any_order() {
    let automaton = read(
        "HOA: v1 acc-name: Rabin 1 Alias: @x 1 unknown: 99999999999 t \"x\" y Start: 0
         spot.highlight.edges: 1 2 tool: \"hand\" \"1\" Acceptance: 2 Fin(0) & Inf(1)
         AP: 2 \"a\" \"b\" properties: x y --BODY-- State: 0 [@x] 0 --END--",
    );
    assert_eq!(edges(&automaton, 0, 2), [(0b1100, 0, vec![])]);
}

#[test]
fn acceptance_names_should_fit() {
    let ok = |name: &str, formula: &str| {
        let text =
            format!("HOA: v1 acc-name: {name} Acceptance: {formula} States: 0 --BODY-- --END--");
        let read = hoa::Reader::new(&text).next().expect("one").expect("well-formed");
        read.warnings.first().map_or(Ok(()), |warning| Err(warning.code))
    };
    for (name, formula) in [
        ("all", "0 t"),
        ("none", "0 f"),
        ("Buchi", "1 Inf(0)"),
        ("co-Buchi", "1 Fin(0)"),
        ("generalized-Buchi 0", "0 t"),
        ("generalized-Buchi 2", "2 Inf(1)&Inf(0)"),
        ("generalized-co-Buchi 2", "2 Fin(0)|Fin(1)"),
        ("Streett 2", "4 (Fin(0)|Inf(1))&(Fin(2)|Inf(3))"),
        ("Rabin 1", "2 Inf(1) & Fin(0)"),
        ("generalized-Rabin 2 1 2", "5 Fin(0)&Inf(1) | Fin(2)&Inf(3)&Inf(4)"),
        ("generalized-Rabin 1 2", "3 Fin(0)&Inf(1)&Inf(2)"),
        ("parity min odd 4", "4 Fin(0) & (Inf(1) | (Fin(2) & Inf(3)))"),
        ("parity min odd 4", "4 Fin(0)&Inf(1) | Fin(0)&Fin(2)&Inf(3)"),
        ("parity max even 0", "0 f"),
        ("our-own t 3 x", "1 Inf(0)"),
    ] {
        assert_eq!(ok(name, formula), Ok(()), "{name} is {formula}");
    }
    for (name, formula) in [
        ("Buchi", "1 Fin(0)"),
        ("Buchi", "1 Inf(!0)"),
        ("Buchi 1", "1 Inf(0)"),
        ("Streett", "2 Fin(0)|Inf(1)"),
        ("Streett 2", "2 Fin(0)|Inf(1)"),
        ("Streett 99999999999", "2 Fin(0)|Inf(1)"),
        ("Rabin 1", "2 Fin(1)&Inf(0)"),
        ("parity max odd x", "0 t"),
        ("parity min odd 2000000000", "1 Fin(0)"),
        ("generalized-Rabin 3 1", "2 Fin(0)&Inf(1)"),
    ] {
        assert_eq!(ok(name, formula), Err("E0212"), "{name} is not {formula}");
    }
}

#[test]
fn canonical_conditions_are_printed_with_their_name() {
    let printed = |acceptance: Acceptance, declared| {
        let mut builder = Builder::new(Vec::new());
        builder.set_acceptance(acceptance, declared);
        let text = hoa::print(&builder.build());
        let name = text.lines().find_map(|line| line.strip_prefix("acc-name: "));
        name.map(str::to_owned)
    };
    assert_eq!(printed(Acceptance::streett(3), 6).as_deref(), Some("Streett 3"));
    assert_eq!(printed(Acceptance::parity(true, true, 2), 2).as_deref(), Some("parity max odd 2"));
    assert_eq!(
        printed(Acceptance::parity(false, true, 200), 200).as_deref(),
        Some("parity min odd 200")
    );
    assert_eq!(printed(Acceptance::buchi(), 2), None, "a set too many");
    let reversed = Acceptance::and([Acceptance::Inf(Mark(1)), Acceptance::Inf(Mark(0))]);
    assert_eq!(printed(reversed, 2), None, "the order is part of the name");
}

#[test]
fn large_labels_are_printed_with_aliases() {
    // Parity of 16 propositions: 2^15 cubes, 31 nodes.
    let mut builder = Builder::new((0..16).map(|p| format!("p{p}")).collect());
    let state = builder.add_state();
    let mut parity = Label::FALSE;
    for p in 0..16 {
        let prop = builder.letters_mut().prop(Prop(p)).unwrap();
        parity = builder.letters_mut().xor(parity, prop).unwrap();
    }
    builder.add_edge(state, parity, Default::default(), state);
    let not = builder.letters_mut().not(parity).unwrap();
    builder.add_edge(state, not, Default::default(), state);
    let automaton = builder.build();
    let text = hoa::print(&automaton);
    assert!(text.len() < 2500, "{text}");
    assert!(text.contains(" complete deterministic\n"));
    assert_eq!(hoa::parse(&text).unwrap(), [automaton]);
}

#[test]
fn a_long_conjunction_costs_little() {
    let count = 20_000;
    let names: String = (0..count).map(|p| format!(" \"p{p}\"")).collect();
    let label = (0..count).map(|p| format!("!{p}")).collect::<Vec<_>>().join("&");
    let text =
        format!("HOA: v1 AP: {count}{names} Acceptance: 0 t --BODY-- State: 0 [{label}] 0 --END--");
    let automaton = read(&text);
    assert_eq!(hoa::parse(&hoa::print(&automaton)).unwrap(), [automaton]);
}

#[test]
fn deep_nesting_overflows_no_stack() {
    let depth = 300_000;
    let (open, close) = ("(".repeat(depth), ")".repeat(depth));
    let automaton = read(&format!(
        "HOA: v1 AP: 1 \"a\" Acceptance: 1 {open}Inf(0){close} --BODY--
         State: 0 [{open}!0{close}] 0 [{}0] 0 --END--",
        "!".repeat(depth)
    ));
    assert_eq!(edges(&automaton, 0, 1), [(1, 0, vec![]), (2, 0, vec![])]);
    // Alternating connectives stay nested, so they are limited.
    let nested = |depth: usize| {
        let formula: String = (0..depth)
            .map(|at| format!("Inf({}) {} (", at % 7, if at % 2 == 0 { "&" } else { "|" }))
            .collect();
        format!(
            "HOA: v1 Acceptance: 8 {formula}Inf(7){} States: 0 --BODY-- --END--",
            ")".repeat(depth)
        )
    };
    let deepest = fairly_omega::MAX_DEPTH as usize;
    let automaton = read(&nested(deepest));
    assert_eq!(hoa::parse(&hoa::print(&automaton)).unwrap(), [automaton]);
    assert_eq!(code(&nested(deepest + 1)), "E0213");
    assert_eq!(code(&nested(depth)), "E0213");
    // Without parentheses the priorities nest as well.
    let comments = "/*".repeat(depth) + &"*/".repeat(depth);
    assert_eq!(hoa::parse(&comments).unwrap(), []);
}

#[test]
fn declared_numbers_buy_no_memory() {
    let start = std::time::Instant::now();
    let body = "--BODY-- State: 0 [t] 0 State: 1 State: 2 --END--";
    let many = format!("HOA: v1 States: 1000000000 Acceptance: 0 t {body}");
    assert_eq!(read(&many).state_count(), 3, "nothing leads to the others");
    assert_eq!(code(&format!("HOA: v1 Start: 2000000000 Acceptance: 0 t {body}")), "E0223");
    assert_eq!(code(&format!("HOA: v1 States: 3 Acceptance: 4000000000 t {body}")), "E0204");
    assert_eq!(code(&format!("HOA: v1 States: 3 Acceptance: 2000000000 t {body}")), "E0214");
    assert_eq!(code(&format!("HOA: v1 AP: 1000000000 Acceptance: 0 t {body}")), "E0215");
    let far = "HOA: v1 Acceptance: 0 t --BODY-- State: 2147483647 --END--";
    assert_eq!(code(far), "E0223");
    let far = "HOA: v1 Acceptance: 0 t --BODY-- State: 0 [t] 2147483647 --END--";
    assert_eq!(code(far), "E0223");
    let props: String = (0..40).map(|p| format!(" \"{p}\"")).collect();
    let wide = format!("HOA: v1 AP: 40 {props} Acceptance: 0 t --BODY-- State: 0 0 0 --END--");
    assert_eq!(code(&wide), "E0225");
    assert!(start.elapsed().as_secs() < 5);
}

#[test]
fn many_complements_of_many_sets_are_refused() {
    let sets = 10_000;
    let formula = (0..sets).map(|set| format!("Inf(!{set})")).collect::<Vec<_>>().join("&");
    let edges: String = (0..sets).map(|set| format!("[t] 0 {{{set}}}")).collect();
    let text = format!("HOA: v1 Acceptance: {sets} {formula} --BODY-- State: 0 {edges} --END--");
    assert_eq!(code(&text), "E0228");
}

#[test]
fn states_may_be_defined_in_any_order() {
    let count = 1000;
    let states: String = (0..count).rev().map(|state| format!("State: {state} [t] 0 ")).collect();
    let text =
        format!("HOA: v1 States: {count} Start: 5 Acceptance: 0 t --BODY-- {states} --END--");
    assert_eq!(read(&text).state_count(), count);
    let twice = text.replace("--END--", "State: 500 --END--");
    assert_eq!(code(&twice), "E0222");
}

/// A state without its `State:` is odd, and wrong only if something leads to it.
#[test]
fn states_that_are_not_listed_may_not_be_used() {
    let file = |states: &str, start: &str, body: &str| {
        format!("HOA: v1 {states} Start: {start} Acceptance: 0 t --BODY-- {body} --END--")
    };
    for (text, count) in [
        (file("States: 3", "1", "State: 0 [t] 1 State: 1 [t] 0"), 3),
        (file("States: 3", "2", "State: 0 [t] 2 State: 2 [t] 0"), 3),
        (file("", "2", "State: 0 [t] 2 State: 2 [t] 0"), 3),
        (file("States: 2000000000", "0", "State: 0 [t] 0"), 1),
    ] {
        let read = hoa::Reader::new(&text).next().unwrap().unwrap();
        assert_eq!(read.warnings[0].code, "E0223", "{text}");
        assert_eq!(read.automaton(hoa::ALTERNATION).unwrap().state_count(), count, "{text}");
    }
    for text in [
        file("States: 3", "2", "State: 0 [t] 1 State: 1 [t] 0"),
        file("States: 3", "0", "State: 0 [t] 2 State: 1 [t] 0"),
        file("States: 3", "0&2", "State: 0 [t] 0 State: 1 [t] 0"),
        file("States: 4", "0", "State: 0 [t] 0&3 State: 1 [t] 0"),
        file("", "0", "State: 0 [t] 0 State: 100000 [t] 0"),
    ] {
        assert_eq!(code(&text), "E0223", "{text}");
    }
}

#[test]
fn properties_must_hold() {
    let with = |properties: &str, body: &str| {
        let text = format!(
            "HOA: v1 AP: 1 \"a\" Acceptance: 2 Inf(0) properties: {properties} --BODY-- {body} --END--"
        );
        hoa::parse(&text).map(|_| ()).map_err(|wrong| wrong.code)
    };
    let edges = "State: 0 [0] 0 {0} [!0] 0 {1}";
    for properties in
        ["trans-acc trans-labels explicit-labels", "deterministic complete colored", "weak foo"]
    {
        assert_eq!(with(properties, edges), Ok(()), "{properties}");
    }
    for (properties, body) in [
        ("state-acc", edges),
        ("state-labels", edges),
        ("implicit-labels", edges),
        ("trans-acc", "State: 0 {0} [0] 0"),
        ("trans-labels", "State: [0] 0 0"),
        ("implicit-labels", "State: [0] 0 0"),
        ("explicit-labels", "State: 0 0 0"),
        ("state-labels", "State: 0 0 0"),
        ("colored", "State: 0 {0 1} [0] 0"),
        ("colored", "State: 0 [0] 0"),
        ("deterministic", "State: 0 [0] 0 [t] 0"),
        ("complete", "State: 0 [0] 0"),
        ("complete", ""),
    ] {
        assert_eq!(with(properties, body), Err("E0226"), "{properties}: {body}");
    }
    for properties in ["!weak !foo", "!deterministic", "!univ-branch no-univ-branch", "!colored"] {
        assert_eq!(with(properties, edges), Ok(()), "{properties}");
    }
    for (properties, body) in [
        ("weak !weak", edges),
        ("!complete complete", edges),
        ("univ-branch no-univ-branch", edges),
        ("!univ-branch", "State: 0 [0] 0&1 State: 1"),
        ("no-univ-branch", "State: 0 [0] 0&1 State: 1"),
    ] {
        assert_eq!(with(properties, body), Err("E0226"), "{properties}: {body}");
    }
    let none = "HOA: v1 Start: 0 acc-name: parity max even 0 Acceptance: 0 f properties: colored --BODY-- State: 0 [t] 0 --END--";
    assert!(hoa::parse(none).is_ok(), "where there are no sets, no edge lacks one");
    let two = "HOA: v1 Start: 0 Start: 1 Acceptance: 0 t properties: deterministic --BODY-- State: 0 State: 1 --END--";
    assert_eq!(code(two), "E0226");
}

#[test]
fn every_prefix_of_a_file_is_judged_without_panic() {
    let text = hoa::print(&random::automaton(&mut Random::new(11)));
    for cut in (0..text.len()).filter(|&cut| text.is_char_boundary(cut)) {
        let _ = hoa::parse(&text[..cut]);
        let _ = hoa::parse(&text[cut..]);
    }
}
