//! Ultimately periodic words.

use fairly_omega::formats::word::{parse, print};
use fairly_omega::{Label, Letters, Word};

use super::random::{self, Random};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn words_are_read() {
    let propositions = names(&["a", "b", "x == 3", "say \"hi\" \\"]);
    let mut letters = Letters::new();
    let mut read = |text: &str| parse(text, &mut letters, &propositions).unwrap();
    let word = read("a & !b; 1; cycle{a; !a | b}");
    assert_eq!((word.stem.len(), word.cycle.len()), (2, 2));
    assert_eq!(word.stem[1], Label::TRUE);
    assert_eq!(read(" a&&!b ;true; cycle { a; (!a) || b ; } "), word, "spaces and other signs");
    assert_eq!(read("cycle{1}"), Word { stem: vec![], cycle: vec![Label::TRUE] });
    assert_eq!(read(r#"cycle{"x == 3" & "a"}"#).cycle, read(r#"cycle{a & "x == 3"}"#).cycle);
    assert_ne!(read(r#"cycle{"say \"hi\" \\"}"#).cycle, [Label::TRUE]);
}

#[test]
fn a_proposition_may_be_called_cycle() {
    let propositions = names(&["cycle", "a"]);
    let mut letters = Letters::new();
    let word = parse("cycle & a; cycle{cycle}", &mut letters, &propositions).unwrap();
    assert_eq!(word.len(), 2);
    assert_eq!(print(&word, &letters, &propositions).unwrap(), r#""cycle" & a; cycle{"cycle"}"#);
}

#[test]
fn each_mistake_has_its_code() {
    let propositions = names(&["request", "b"]);
    let deep = "(".repeat(200_000);
    let bits = 24;
    let many: Vec<String> = (0..2 * bits).map(|p| format!("p{p}")).collect();
    let same = (0..bits).map(|p| format!("(p{p} & p{q} | !p{p} & !p{q})", q = p + bits));
    let same = format!("cycle{{{}}}", same.collect::<Vec<_>>().join(" & "));
    for (text, propositions, code) in [
        ("b; cycle{b # b}", &propositions, "E0601"),
        ("cycle{\"b}", &propositions, "E0602"),
        ("b b; cycle{b}", &propositions, "E0603"),
        ("cycle{b", &propositions, "E0603"),
        ("cycle{b} b", &propositions, "E0603"),
        ("cycle{b &}", &propositions, "E0603"),
        ("; cycle{b}", &propositions, "E0603"),
        (deep.as_str(), &propositions, "E0603"),
        ("cycle{requests}", &propositions, "E0604"),
        ("", &propositions, "E0605"),
        ("b; b", &propositions, "E0605"),
        ("b; cycle{}", &propositions, "E0605"),
        ("b & !b; cycle{b}", &propositions, "E0606"),
        (same.as_str(), &many, "E0607"),
    ] {
        // A small store, so that the last one fails soon.
        let mut letters = Letters::with_limit(10_000);
        let wrong = parse(text, &mut letters, propositions).expect_err(text);
        assert_eq!(wrong.code, code, "{text:.80}: {wrong:?}");
    }
    let near = parse("cycle{requests}", &mut Letters::new(), &propositions).unwrap_err();
    assert_eq!(near.help.as_deref(), Some("there is a proposition `request`"));
}

#[test]
fn print_then_parse_is_the_identity() {
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let propositions = random::propositions(&mut random);
        let mut letters = Letters::new();
        let mut some = |random: &mut Random, least: u32| -> Vec<Label> {
            let count = least + random.below(3);
            (0..count)
                .map(|_| random::label(random, &mut letters, propositions.len() as u32))
                .map(|label| if label == Label::FALSE { Label::TRUE } else { label })
                .collect()
        };
        let word = Word { stem: some(&mut random, 0), cycle: some(&mut random, 1) };
        let text = print(&word, &letters, &propositions).unwrap();
        assert_eq!(parse(&text, &mut letters, &propositions).as_ref(), Ok(&word), "{seed}: {text}");
    }
}
