//! Drawings: only what a person must find in them.

use fairly_omega::formats::{dot, hoa};

use super::random::{self, Random};

fn drawn(text: &str) -> String {
    dot::print(&hoa::parse(text).unwrap()[0])
}

#[test]
fn marks_are_badges_on_edges_and_in_the_title() {
    let text = drawn(
        "HOA: v1 name: \"<G F p>\" Start: 0 AP: 1 \"p\" Acceptance: 2 Fin(0) | Inf(1)
         --BODY-- State: 0 [0] 0 {0 1} [!0] 0 --END--",
    );
    assert!(text.contains("&lt;G F p&gt;"));
    assert!(text.contains("Streett 1"));
    let title = text.lines().find(|line| line.contains("labelloc")).unwrap();
    assert!(title.contains("<b>0</b></font>)") && title.contains("<b>1</b></font>)"), "{title}");
    for badge in ["<b>&#160;0&#160;</b>", "<b>&#160;1&#160;</b>"] {
        assert_eq!(text.matches(badge).count(), 1, "{text}");
    }
    assert_eq!(text.matches("  0 -> 0 [").count(), 1, "parallel edges are one arrow:\n{text}");
}

#[test]
fn accepting_states_of_a_buchi_automaton_have_a_double_border() {
    let text = drawn(
        "HOA: v1 Start: 0 AP: 0 Acceptance: 1 Inf(0)
         --BODY-- State: 0 [t] 1 State: 1 \"end\" {0} [t] 1 --END--",
    );
    assert_eq!(text.matches("peripheries=2").count(), 1);
    assert!(text.contains("1 [label=<end>, peripheries=2]"));
}

#[test]
fn brackets_balance_whatever_the_names_are() {
    for seed in 0..300 {
        let text = dot::print(&random::automaton(&mut Random::new(seed)));
        let opened = text.matches('<').count();
        assert_eq!(opened, text.matches('>').count() - text.matches(" -> ").count(), "{text}");
    }
}
