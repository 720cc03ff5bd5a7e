//! A printed case is read back as the same, for random cases; and no text makes the parser panic.

use fairly_front::case::{
    Case, CaseComponent, Constraint, Demand, Expectation, FormulaText, Notion, Property, Target,
    Verdict, parse, print,
};
use fairly_omega::MarkSet;
use fairly_source::Span;
use fairly_system::{Annotation, LocalTransition};
use fairly_testkit::Rng;

const NAMES: [&str; 14] = [
    "a",
    "b",
    "P1",
    "eat.0",
    "get.1.2",
    "0",
    "17",
    "process",
    "of",
    "initial",
    "with space",
    "quote\"\\",
    "#-> 1",
    "größe",
];

fn pick(rng: &mut Rng) -> String {
    (*rng.pick(&NAMES)).to_owned()
}

/// Up to `most` different names.
fn some(rng: &mut Rng, most: usize) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for _ in 0..rng.below(most + 1) {
        let name = pick(rng);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

const NOWHERE: Span = Span { start: 0, end: 0 };

fn formula(rng: &mut Rng, propositional: bool) -> FormulaText {
    let texts: &[&str] = if propositional {
        &["a", "a & !b", "\"P1@0\" | {x, y}", "true", "event(a,b)"]
    } else {
        &["G F a", "a U (b | \"P1@# 0\")", "[]<>eat.*", "false"]
    };
    FormulaText { text: (*rng.pick(texts)).to_owned(), span: NOWHERE }
}

fn component(rng: &mut Rng, name: String) -> CaseComponent {
    let mut states = some(rng, 5);
    if states.is_empty() {
        states.push("0".to_owned());
    }
    let state = |rng: &mut Rng| rng.below(states.len()) as u32;
    let mut initial = vec![state(rng)];
    let second = state(rng);
    if rng.chance(1, 4) && second != initial[0] {
        initial.push(second);
    }
    let transitions = (0..rng.below(6))
        .map(|_| LocalTransition {
            from: state(rng),
            event: pick(rng),
            to: state(rng),
            annotation: rng.chance(1, 3).then(|| *rng.pick(&Annotation::ALL)),
            marks: MarkSet::new(),
        })
        .collect();
    let labels =
        states.iter().map(|_| if rng.chance(1, 4) { some(rng, 2) } else { vec![] }).collect();
    CaseComponent { name, initial, alphabet: some(rng, 2), transitions, labels, states }
}

fn case(rng: &mut Rng) -> Case {
    let mut names = some(rng, 3);
    if names.is_empty() {
        names.push("P".to_owned());
    }
    let components: Vec<CaseComponent> =
        names.into_iter().map(|name| component(rng, name)).collect();
    let mut events: Vec<String> = components
        .iter()
        .flat_map(|it| it.alphabet.iter().chain(it.transitions.iter().map(|it| &it.event)))
        .cloned()
        .collect();
    events.sort();
    events.dedup();
    let interleaved = events.iter().filter(|_| rng.chance(1, 4)).cloned().collect();
    let mut constraints = Vec::new();
    for _ in 0..rng.below(4) {
        let process = rng.pick(&components);
        let name = process.name.clone();
        let fair = *rng.pick(&[Annotation::WeakFair, Annotation::StrongFair]);
        let demand = match rng.below(5) {
            0 => Demand::Fair(fair, Target::Process(name)),
            1 if !events.is_empty() => {
                Demand::Fair(*rng.pick(&Annotation::ALL), Target::Event(rng.pick(&events).clone()))
            }
            2 if !process.transitions.is_empty() => {
                let event = rng.pick(&process.transitions).event.clone();
                Demand::Fair(fair, Target::EventOf { event, process: name })
            }
            3 => Demand::Justice(formula(rng, true)),
            4 if !events.contains(&name) => Demand::Fair(fair, Target::Name(name)),
            _ => Demand::Compassion(formula(rng, true), formula(rng, true)),
        };
        constraints.push(Constraint { demand, span: NOWHERE });
    }
    let properties: Vec<Property> = some(rng, 2)
        .into_iter()
        .map(|name| Property { name, formula: formula(rng, false) })
        .collect();
    let mut expectations = Vec::new();
    for property in &properties {
        for notion in Notion::ALL {
            if rng.chance(1, 2) || (notion.is_inherent() && !constraints.is_empty()) {
                continue;
            }
            let verdict = *rng.pick(&[Verdict::Holds, Verdict::Violated]);
            let feasible = notion.is_inherent() || verdict == Verdict::Violated || rng.chance(3, 4);
            let machine_closed = feasible && (notion.is_inherent() || rng.chance(3, 4));
            let property = property.name.clone();
            let span = NOWHERE;
            let expected =
                Expectation { property, notion, verdict, feasible, machine_closed, span };
            expectations.push(expected);
        }
    }
    Case { components, interleaved, properties, constraints, expectations }
}

fn without_places(mut case: Case) -> Case {
    for constraint in &mut case.constraints {
        constraint.span = NOWHERE;
        match &mut constraint.demand {
            Demand::Fair(..) => {}
            Demand::Justice(p) => p.span = NOWHERE,
            Demand::Compassion(p, q) => (p.span, q.span) = (NOWHERE, NOWHERE),
        }
    }
    case.properties.iter_mut().for_each(|property| property.formula.span = NOWHERE);
    case.expectations.iter_mut().for_each(|expected| expected.span = NOWHERE);
    case
}

#[test]
fn what_is_printed_reads_back_as_the_same() {
    for seed in 0..3_000 {
        let original = case(&mut Rng::new(seed));
        let text = print(&original);
        let read = parse(&text).unwrap_or_else(|wrong| panic!("seed {seed}:\n{text}\n{wrong:?}"));
        for property in &read.properties {
            let FormulaText { text: formula, span } = &property.formula;
            assert_eq!(&text[span.start..span.end], formula, "seed {seed}");
        }
        assert_eq!(without_places(read), original, "seed {seed}:\n{text}");
        original.network().unwrap_or_else(|wrong| panic!("seed {seed}:\n{text}\n{wrong}"));
    }
}

#[test]
fn no_text_makes_the_parser_panic() {
    const PIECES: [&str; 24] = [
        "component",
        "P",
        "{",
        "}",
        "\n",
        "\n",
        "initial",
        "0",
        " ",
        "-",
        "->",
        "a",
        "(wf)",
        "\"",
        "\\",
        "expect",
        ":",
        "property",
        "constraint",
        "sf(",
        ")",
        ",",
        "é",
        "#",
    ];
    let (mut good, mut bad) = (0, 0);
    for seed in 0..20_000 {
        let mut rng = Rng::new(seed);
        let mut text = String::new();
        if rng.chance(1, 2) {
            text = print(&case(&mut rng));
            // A good text with something cut out or put in.
            for _ in 0..=rng.below(3) {
                let mut at = rng.below(text.len() + 1);
                while !text.is_char_boundary(at) {
                    at -= 1;
                }
                if rng.chance(1, 2) {
                    text.insert_str(at, PIECES[rng.below(PIECES.len())]);
                } else if at < text.len() {
                    text.remove(at);
                }
            }
        } else {
            for _ in 0..rng.below(40) {
                text.push_str(PIECES[rng.below(PIECES.len())]);
            }
        }
        match parse(&text) {
            Ok(case) => {
                good += 1;
                assert_eq!(without_places(parse(&print(&case)).unwrap()), without_places(case));
            }
            Err(errors) => {
                bad += 1;
                assert!(!errors.is_empty(), "seed {seed}");
                for wrong in &errors {
                    let span = wrong.span;
                    assert!(text.get(span.start..span.end).is_some(), "seed {seed}: {wrong:?}");
                }
            }
        }
    }
    assert!(good > 500 && bad > 5_000, "{good} {bad}");
}
