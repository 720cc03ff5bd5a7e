//! Never claims.

use fairly_omega::formats::never::{parse, print};
use fairly_omega::formats::{Format, PrintError, hoa};
use fairly_omega::{Automaton, Label, Prop, StateId};

use super::random::{self, Random};

fn read(text: &str) -> Automaton {
    let mut all = parse(text).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"));
    assert_eq!(all.len(), 1);
    all.remove(0)
}

/// `(truth table over the propositions, target, accepting)` of each edge.
fn edges(automaton: &Automaton, state: u32) -> Vec<(u64, u32, bool)> {
    let n = automaton.propositions().len();
    let table = |label: Label| {
        (0..1u64 << n)
            .filter(|v| automaton.letters().holds(label, |Prop(p)| v >> p & 1 == 1))
            .fold(0, |table, v| table | 1 << v)
    };
    automaton
        .edges(StateId(state))
        .iter()
        .map(|edge| (table(edge.label), edge.target.0, !automaton.marks(edge.marks).is_empty()))
        .collect()
}

#[test]
fn what_spin_writes() {
    let automaton = read(
        "never  {    /* !([]<>p) */\nT0_init:\n\tdo\n\t:: (! ((p))) -> goto accept_S4\n\t:: (1) -> goto \
         T0_init\n\tod;\naccept_S4:\n\tdo\n\t:: (! ((p))) -> goto accept_S4\n\tod;\n}\n",
    );
    assert_eq!(automaton.propositions(), ["p"]);
    assert_eq!(edges(&automaton, 0), [(1, 1, false), (3, 0, false)]);
    assert_eq!(edges(&automaton, 1), [(1, 1, true)]);
}

#[test]
fn what_ltl2ba_and_spot_write() {
    let automaton = read(
        "never { /* p U q */\nT0_init : /* init */\n if\n :: (p && !q) -> goto T0_init\n\
         :: (q) -> goto accept_all\n fi;\naccept_all : /* 1 */\n skip\n}",
    );
    assert_eq!(edges(&automaton, 0), [(0b0010, 0, false), (0b1100, 1, false)]);
    assert_eq!(edges(&automaton, 1), [(15, 1, true)]);
    let asserted = read(
        "never { T0_init: do :: atomic { ((p)) -> assert(!((p))) } :: (1) -> goto T0_init od; }",
    );
    assert_eq!(edges(&asserted, 0), [(2, 1, false), (3, 0, false)]);
    assert_eq!(edges(&asserted, 1), [(3, 1, true)], "after the assertion everything is accepted");
}

#[test]
fn states_in_other_shapes() {
    let automaton = read(
        "never claim_1 { // named
         T0_init: here: accept_x: /* three labels */
           if :: goto here :: p -> goto dead :: (q) -> skip fi
         dead: false;
         loop: do :: p :: q -> skip :: !p -> break od;
         last: (p) -> goto dead; }",
    );
    assert_eq!(automaton.name(), Some("claim_1"));
    assert_eq!(edges(&automaton, 0), [(15, 0, true), (0b1010, 1, true), (0b1100, 1, true)]);
    assert_eq!(edges(&automaton, 1), []);
    assert_eq!(edges(&automaton, 2), [(0b1010, 2, false), (0b1100, 2, false), (0b0101, 3, false)]);
    assert_eq!(edges(&automaton, 3), [(0b1010, 1, false)]);
    assert_eq!(read("never { }").state_count(), 0);
    assert_eq!(parse("never { a: skip } never { b: skip }").unwrap().len(), 2);
}

#[test]
fn expressions_are_kept_as_text() {
    let automaton = read(
        "never { T0_init: if
           :: ((x == 3) && !(P@crit) || (a[i + 1]  >=  2)) -> goto T0_init
           :: (len(q) < 3 && (y+1)*2 /* odd */ == z) -> goto T0_init
           :: !x != 4 -> goto T0_init
         fi; }",
    );
    assert_eq!(
        automaton.propositions(),
        ["(y+1)*2 == z", "P@crit", "a[i + 1] >= 2", "len(q) < 3", "x != 4", "x == 3"]
    );
    let printed = print(&automaton).unwrap();
    assert_eq!(read(&printed), automaton, "{printed}");
}

#[test]
fn print_then_parse_is_the_identity_on_what_was_parsed() {
    let mut printed = 0;
    for seed in 0..3000 {
        let automaton = random::automaton(&mut Random::new(seed));
        let Ok(text) = print(&automaton) else { continue };
        printed += 1;
        // Names, numbering and unused propositions may be lost the first time.
        let first = read(&text);
        let again = print(&first).unwrap();
        assert_eq!(read(&again), first, "seed {seed}\n{text}\n{again}");
        assert!(first.edge_count() >= automaton.edge_count(), "seed {seed}\n{text}");
    }
    assert!(printed > 100, "only {printed}");
}

#[test]
fn other_automata_are_refused_with_a_remedy() {
    let printed = |text: &str| print(&hoa::parse(text).unwrap()[0]);
    let streett = printed("HOA: v1 States: 0 Acceptance: 2 Fin(0)|Inf(1) --BODY-- --END--");
    let said = streett.unwrap_err().to_string();
    assert!(said.contains("fairly aut degeneralize --state-based"), "{said}");
    let edges = "HOA: v1 Acceptance: 1 Inf(0) --BODY-- State: 0 [t] 0 {0} [t] 0 --END--";
    assert!(matches!(printed(edges), Err(PrintError::TransitionBased { state: StateId(0), .. })));
    for name in ["", "a && b", "1", "true", "(", "a;b", "x  y", "/*", "goto"] {
        let text =
            format!("HOA: v1 AP: 1 \"{name}\" Acceptance: 0 t --BODY-- State: 0 [0] 0 --END--");
        let refused = PrintError::Name { format: Format::Never, name: name.into() };
        assert_eq!(printed(&text), Err(refused), "{name}");
    }
}

#[test]
fn deep_nesting_overflows_no_stack() {
    let depth = 200_000;
    let text =
        format!("never {{ a: if :: {}p{} -> goto a fi; }}", "(!".repeat(depth), ")".repeat(depth));
    assert_eq!(edges(&read(&text), 0), [(2, 0, false)]);
}
