//! `corpus/systems` against the oracle: every expectation, by independent code.

use std::fs;
use std::path::PathBuf;

use fairly_front::case::{self, Case, Demand, Expectation, Level, Notion, Target, Verdict};
use fairly_logic::{Formula, Formulas, Node, pattern_matches};
use fairly_omega::{Acceptance, Automaton};
use fairly_system::Annotation;
use fairly_testkit::network::{
    Prefixes, TinyAnnotation, TinyComponent, TinyDemand, TinyNetwork, TinyNotion, TinyProperty,
    TinyProposition, TinyStep, TinySystem, TinyTransition, demands, event_demand, has_fair_run,
    holds_inherently, is_feasible, is_machine_closed, moves_demand, process_demand,
};
use fairly_testkit::{TinyCondition, TinyEdge, TinyGraph};
use fairly_translate::{Options, translate};

fn corpus() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/systems");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "net"));
    files.sort();
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, fs::read_to_string(path).unwrap())
    };
    files.into_iter().map(read).collect()
}

/// A case as the oracle sees it.
struct Tiny {
    network: TinyNetwork,
    system: TinySystem,
    events: Vec<String>,
}

fn annotation(annotation: Annotation) -> TinyAnnotation {
    match annotation {
        Annotation::WeakFair => TinyAnnotation::WeakFair,
        Annotation::StrongFair => TinyAnnotation::StrongFair,
        Annotation::WeakLive => TinyAnnotation::WeakLive,
        Annotation::StrongLive => TinyAnnotation::StrongLive,
    }
}

impl Tiny {
    fn new(case: &Case) -> Tiny {
        let mut events: Vec<String> = Vec::new();
        let mut number = |event: &String| {
            events.iter().position(|known| known == event).unwrap_or_else(|| {
                events.push(event.clone());
                events.len() - 1
            })
        };
        let mut components = Vec::new();
        for component in &case.components {
            let transitions: Vec<TinyTransition> = component
                .transitions
                .iter()
                .map(|it| TinyTransition {
                    from: it.from as usize,
                    event: number(&it.event),
                    to: it.to as usize,
                    annotation: it.annotation.map(annotation),
                })
                .collect();
            let mut alphabet: Vec<usize> = component.alphabet.iter().map(&mut number).collect();
            alphabet.extend(transitions.iter().map(|it| it.event));
            components.push(TinyComponent {
                states: component.states.len(),
                initial: component.initial.iter().map(|&it| it as usize).collect(),
                alphabet,
                transitions,
            });
        }
        let interleaved = case.interleaved.iter().map(&mut number).collect();
        let network = TinyNetwork { components, events: events.len(), interleaved };
        let system = network.expand();
        Tiny { network, system, events }
    }

    /// Meaning of a proposition of a formula.
    fn proposition(&self, case: &Case, text: &str) -> TinyProposition {
        let text = text.trim_matches('"');
        if text == "idle" {
            return TinyProposition::Idle;
        }
        for (at, component) in case.components.iter().enumerate() {
            if let Some((name, state)) = text.split_once('@')
                && name == component.name
            {
                let state = component.states.iter().position(|it| it == state).unwrap();
                return TinyProposition::At(at, state);
            }
            let labelled = |it: &Vec<String>| it.iter().any(|label| label == text);
            if let Some(state) = component.labels.iter().position(labelled) {
                return TinyProposition::At(at, state);
            }
        }
        let matching = (0..self.events.len()).filter(|&at| pattern_matches(text, &self.events[at]));
        let matching: Vec<usize> = matching.collect();
        assert!(!matching.is_empty(), "nothing is called {text}");
        TinyProposition::Event(matching)
    }

    fn property(&self, case: &Case, automaton: &Automaton) -> TinyProperty {
        let propositions: Vec<TinyProposition> =
            automaton.propositions().iter().map(|text| self.proposition(case, text)).collect();
        assert!(propositions.len() <= 3);
        let mut edges = Vec::new();
        for state in automaton.states() {
            for edge in automaton.edges(state) {
                let on = |letter: &u32| {
                    automaton.letters().holds(edge.label, |prop| letter >> prop.0 & 1 == 1)
                };
                edges.push(TinyEdge {
                    from: state.index(),
                    to: edge.target.index(),
                    marks: automaton.marks(edge.marks).iter().fold(0, |set, it| set | 1 << it.0),
                    letters: (0..1u32 << propositions.len())
                        .filter(on)
                        .fold(0, |set, letter| set | 1 << letter),
                });
            }
        }
        let graph = TinyGraph {
            nodes: automaton.state_count(),
            initial: automaton.initial().iter().map(|it| it.index()).collect(),
            propositions: propositions.len() as u32,
            edges,
        };
        TinyProperty { graph, condition: condition(automaton.acceptance()), propositions }
    }

    fn notion(&self, notion: Notion) -> Vec<TinyDemand> {
        let tiny = match notion {
            Notion::None => TinyNotion::None,
            Notion::Weak(Level::Process) => TinyNotion::WeakProcess,
            Notion::Weak(Level::Event) => TinyNotion::WeakEvent,
            Notion::Weak(Level::Action) => TinyNotion::WeakAction,
            Notion::Strong(Level::Process) => TinyNotion::StrongProcess,
            Notion::Strong(Level::Event) => TinyNotion::StrongEvent,
            Notion::Strong(Level::Action) => TinyNotion::StrongAction,
            Notion::WeakLive => TinyNotion::WeakLive,
            Notion::StrongLive => TinyNotion::StrongLive,
            Notion::AnnotatedName => TinyNotion::AnnotatedName,
            Notion::AnnotatedOccurrence => TinyNotion::AnnotatedOccurrence,
            Notion::Global => TinyNotion::Global,
            Notion::InherentTrace | Notion::InherentRun => unreachable!("no condition on runs"),
        };
        demands(&self.network, &self.system, tiny)
    }

    /// The constraints of the file.
    fn constraints(&self, case: &Case) -> Vec<TinyDemand> {
        case.constraints.iter().map(|it| self.demand(case, &it.demand)).collect()
    }

    fn demand(&self, case: &Case, demand: &Demand) -> TinyDemand {
        let process = |name: &String| case.components.iter().position(|it| it.name == *name);
        let event = |name: &String| self.events.iter().position(|it| it == name);
        let set = |text: &str| -> Vec<bool> {
            let mut formulas = Formulas::new();
            let formula = formulas.parse(text).unwrap();
            let steps = self.system.steps.iter();
            steps.map(|step| self.holds(case, &formulas, formula, step)).collect()
        };
        match demand {
            Demand::Justice(p) => TinyDemand {
                strong: false,
                when: vec![true; self.system.steps.len()],
                then: set(&p.text),
            },
            Demand::Compassion(p, q) => {
                TinyDemand { strong: true, when: set(&p.text), then: set(&q.text) }
            }
            Demand::Fair(kind, target) => {
                let kind = annotation(*kind);
                let strong =
                    matches!(kind, TinyAnnotation::StrongFair | TinyAnnotation::StrongLive);
                match target {
                    Target::Process(name) => {
                        process_demand(&self.system, strong, process(name).unwrap())
                    }
                    Target::Name(name) if process(name).is_some() => {
                        process_demand(&self.system, strong, process(name).unwrap())
                    }
                    Target::Name(name) | Target::Event(name) => {
                        event_demand(&self.network, &self.system, kind, event(name).unwrap())
                    }
                    Target::EventOf { event: wanted, process: name } => {
                        let at = process(name).unwrap();
                        let wanted = event(wanted).unwrap();
                        let all = self.network.components[at].transitions.iter().enumerate();
                        let moves: Vec<usize> = all
                            .filter(|(_, it)| it.event == wanted)
                            .map(|(number, _)| number)
                            .collect();
                        moves_demand(&self.network, &self.system, kind, at, &moves)
                    }
                }
            }
        }
    }

    /// Whether a formula without temporal operators holds of a step.
    fn holds(&self, case: &Case, formulas: &Formulas, f: Formula, step: &TinyStep) -> bool {
        let of = |f: Formula| self.holds(case, formulas, f, step);
        match formulas.node(f) {
            Node::True => true,
            Node::False => false,
            Node::Atom(atom) => {
                let text = formulas.atom_of(atom).to_string();
                let property = TinyProperty {
                    propositions: vec![self.proposition(case, &text)],
                    ..TinyProperty::anything()
                };
                property.letter(&self.system, step) == 1
            }
            Node::Not(a) => !of(a),
            Node::And(parts) => parts.iter().all(|&part| of(part)),
            Node::Or(parts) => parts.iter().any(|&part| of(part)),
            Node::Implies(a, b) => !of(a) || of(b),
            Node::Iff(a, b) => of(a) == of(b),
            Node::Xor(a, b) => of(a) != of(b),
            _ => panic!("a temporal operator"),
        }
    }

    /// Answer of the oracle for a property under a notion.
    fn expectation(&self, case: &Case, property: &str, notion: Notion) -> Expectation {
        let text = &case.property(property).unwrap().formula.text;
        let automaton = |text: &str| {
            let mut formulas = Formulas::new();
            let formula = formulas.parse(text).unwrap();
            translate(&mut formulas, formula, &Options::default()).unwrap()
        };
        let (mut feasible, mut machine_closed) = (true, true);
        let small = "small enough for the oracle";
        let holds = if notion.is_inherent() {
            let wanted = self.property(case, &automaton(text));
            let prefixes = match notion {
                Notion::InherentTrace => Prefixes::Traces,
                _ => Prefixes::Runs,
            };
            holds_inherently(&self.system, &wanted, prefixes).expect(small)
        } else {
            let negation = self.property(case, &automaton(&format!("!({text})")));
            let mut demands = self.notion(notion);
            demands.extend(self.constraints(case));
            feasible = is_feasible(&self.system, &demands).expect(small);
            machine_closed = is_machine_closed(&self.system, &demands).expect(small);
            !has_fair_run(&self.system, &demands, &negation).expect(small)
        };
        Expectation {
            property: property.to_owned(),
            notion,
            verdict: if holds { Verdict::Holds } else { Verdict::Violated },
            feasible,
            machine_closed,
            span: fairly_source::Span::at(0),
        }
    }
}

fn condition(acceptance: &Acceptance) -> TinyCondition {
    match acceptance {
        Acceptance::True => TinyCondition::True,
        Acceptance::False => TinyCondition::False,
        Acceptance::Inf(mark) => TinyCondition::Inf(mark.0),
        Acceptance::Fin(mark) => TinyCondition::Fin(mark.0),
        Acceptance::And(parts) => TinyCondition::And(parts.iter().map(condition).collect()),
        Acceptance::Or(parts) => TinyCondition::Or(parts.iter().map(condition).collect()),
    }
}

fn read(name: &str, text: &str) -> Case {
    case::parse(text).unwrap_or_else(|wrong| {
        let style = fairly_source::Style::Plain;
        let shown: Vec<String> =
            wrong.iter().map(|it| fairly_source::render(it, name, text, style)).collect();
        panic!("{}", shown.join("\n"))
    })
}

#[test]
fn every_expectation_of_the_corpus_is_right() {
    let (mut of_the_28, mut others) = (0, 0);
    for (name, text) in corpus() {
        let case = read(&name, &text);
        case.network().unwrap();
        let tiny = Tiny::new(&case);
        for property in &case.properties {
            let stated = case.expectations.iter().any(|it| it.property == property.name);
            assert!(stated, "{name}: nothing is expected of {}", property.name);
        }
        for expected in &case.expectations {
            let found = tiny.expectation(&case, &expected.property, expected.notion);
            let found = Expectation { span: expected.span, ..found };
            assert_eq!(*expected, found, "{name}");
            let numbered = name.starts_with('c') && name.as_bytes()[1].is_ascii_digit();
            *(if numbered { &mut of_the_28 } else { &mut others }) += 1;
        }
    }
    assert_eq!(of_the_28, 298);
    assert!(others > 100, "{others}");
}

/// Prints the table of a file that has none, for authors of new cases; the expectations still have to be
/// *reasoned*, and compared with this: `FAIRLY_CASE=corpus/systems/x.net cargo test -p fairly-front --test all
/// corpus:: -- --nocapture`.
#[test]
fn the_table_of_a_new_case() {
    let Ok(path) = std::env::var("FAIRLY_CASE") else { return };
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    let text = fs::read_to_string(&path).unwrap();
    let mut case = read("case", &text);
    let tiny = Tiny::new(&case);
    let annotated = case.components.iter().flat_map(|it| &it.transitions);
    let annotated = annotated.filter(|it| it.annotation.is_some()).count() > 0;
    case.expectations.clear();
    for property in case.properties.clone() {
        for notion in Notion::ALL {
            let about_annotations =
                matches!(notion, Notion::AnnotatedName | Notion::AnnotatedOccurrence);
            if (about_annotations && !annotated)
                || (notion.is_inherent() && !case.constraints.is_empty())
            {
                continue;
            }
            let expected = tiny.expectation(&case, &property.name, notion);
            case.expectations.push(expected);
        }
    }
    println!("{}", case::print(&case));
}
