//! Every system of `corpus/systems` as a program's own type: all verdicts come out.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use fairly::{
    Annotation, Annotations, Beginning, Check, Fairness, Model, Outcome, Part, annotated, check,
    global, inherent, strong, strong_live, weak, weak_live,
};
use fairly_check::Fairness as Closure;
use fairly_front::case::{self, Case, Level, Notion};

/// A network of components, one of whose steps is a transition of each component that takes part.
#[derive(Clone)]
struct Network(Arc<Case>);

/// An event, with the component and the number of each transition in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Step {
    event: String,
    taken: Vec<(usize, usize)>,
}

impl Network {
    /// The components that have to take part in an event together.
    fn sharing(&self, event: &str) -> Vec<usize> {
        let all = self.0.components.iter().enumerate();
        let has = |it: &case::CaseComponent| {
            it.alphabet.iter().any(|known| known == event)
                || it.transitions.iter().any(|transition| transition.event == event)
        };
        all.filter(|(_, component)| has(component)).map(|(at, _)| at).collect()
    }

    fn event_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for component in &self.0.components {
            let of_transitions = component.transitions.iter().map(|transition| &transition.event);
            for name in of_transitions.chain(&component.alphabet) {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
        }
        names
    }

    /// The transitions of a component with an event out of its local state.
    fn local(&self, state: &[u32], component: usize, event: &str) -> Vec<usize> {
        let transitions = self.0.components[component].transitions.iter().enumerate();
        let here = transitions.filter(|(_, it)| it.event == event && it.from == state[component]);
        here.map(|(at, _)| at).collect()
    }

    fn part(&self, (component, at): (usize, usize)) -> Part {
        let transition = &self.0.components[component].transitions[at];
        let annotation: Option<Annotation> = transition.annotation;
        let name = format!("{at}.{}", transition.event);
        Part { process: component, event: transition.event.clone(), name, annotation }
    }
}

impl Model for Network {
    type State = Vec<u32>;
    type Action = Step;

    fn init(&self) -> Vec<Vec<u32>> {
        let mut all = vec![Vec::new()];
        for component in &self.0.components {
            let with = |state: &Vec<u32>| {
                let more = |&local: &u32| [state.as_slice(), &[local]].concat();
                component.initial.iter().map(more).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(with).collect();
        }
        all
    }

    fn actions(&self, state: &Vec<u32>, actions: &mut Vec<Step>) {
        for event in self.event_names() {
            let sharing = self.sharing(&event);
            if self.0.interleaved.contains(&event) {
                for component in sharing {
                    for at in self.local(state, component, &event) {
                        actions.push(Step { event: event.clone(), taken: vec![(component, at)] });
                    }
                }
                continue;
            }
            let mut joint: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
            for component in sharing {
                let own = self.local(state, component, &event);
                let with = |taken: &Vec<(usize, usize)>| {
                    let more = |&at: &usize| [taken.as_slice(), &[(component, at)]].concat();
                    own.iter().map(more).collect::<Vec<_>>()
                };
                joint = joint.iter().flat_map(with).collect();
            }
            let step = |taken| Step { event: event.clone(), taken };
            actions.extend(joint.into_iter().filter(|taken| !taken.is_empty()).map(step));
        }
    }

    fn next(&self, state: &Vec<u32>, step: Step) -> Option<Vec<u32>> {
        let mut next = state.clone();
        for (component, at) in step.taken {
            next[component] = self.0.components[component].transitions[at].to;
        }
        Some(next)
    }

    fn processes(&self) -> Vec<String> {
        self.0.components.iter().map(|component| component.name.clone()).collect()
    }

    fn events(&self) -> Vec<String> {
        self.event_names()
    }

    fn event(&self, step: &Step) -> String {
        step.event.clone()
    }

    fn parts(&self, step: &Step) -> Vec<Part> {
        step.taken.iter().map(|&taken| self.part(taken)).collect()
    }

    fn offered(&self, state: &Vec<u32>, offers: &mut Vec<Part>) {
        for (component, of) in self.0.components.iter().enumerate() {
            let here =
                of.transitions.iter().enumerate().filter(|(_, it)| it.from == state[component]);
            offers.extend(here.map(|(at, _)| self.part((component, at))));
        }
    }
}

/// The check of a network, with a proposition for each local state and each label.
fn propositions(case: &Arc<Case>) -> Check<Network> {
    let mut checked = check(&Network(Arc::clone(case))).save_nothing().without_least();
    let events = Network(Arc::clone(case)).event_names();
    let mut labels: Vec<String> = Vec::new();
    for (at, component) in case.components.iter().enumerate() {
        for (number, local) in (0_u32..).zip(&component.states) {
            let name = format!("{}@{local}", component.name);
            checked = checked.atom(&name, move |state| state[at] == number);
        }
        labels.extend(component.labels.iter().flatten().cloned());
    }
    labels.sort();
    labels.dedup();
    // A plain name is the event, where there are both.
    for label in labels.into_iter().filter(|label| !events.contains(label)) {
        let holds: Vec<Vec<bool>> = case
            .components
            .iter()
            .map(|component| component.labels.iter().map(|all| all.contains(&label)).collect())
            .collect();
        checked = checked.atom(&label, move |state| {
            let own = |(at, of): (usize, &Vec<bool>)| of.get(state[at] as usize) == Some(&true);
            holds.iter().enumerate().any(own)
        });
    }
    checked
}

fn fairness(notion: Notion) -> Option<Fairness> {
    let at = |fair: fairly::Fair, level: Level| match level {
        Level::Process => fair.processes(),
        Level::Event => fair.events(),
        Level::Action => fair.actions(),
    };
    Some(match notion {
        Notion::None => return None,
        Notion::Weak(level) => at(weak(), level),
        Notion::Strong(level) => at(strong(), level),
        Notion::WeakLive => weak_live(),
        Notion::StrongLive => strong_live(),
        Notion::AnnotatedName => annotated(Annotations::Events),
        Notion::AnnotatedOccurrence => annotated(Annotations::Parts),
        Notion::Global => global(),
        Notion::InherentTrace => inherent(Beginning::Trace),
        Notion::InherentRun => inherent(Beginning::Run),
    })
}

#[test]
fn every_verdict_of_the_corpus_comes_out_of_a_model() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/systems");
    let entries = std::fs::read_dir(folder).expect("the corpus is there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "net"));
    files.sort();
    let (mut verdicts, mut wrong) = (0, String::new());
    for path in &files {
        let text = std::fs::read_to_string(path).expect("readable");
        let case = Arc::new(case::parse(&text).unwrap_or_else(|errors| panic!("{}", errors[0])));
        for expected in &case.expectations {
            verdicts += 1;
            let property = case.property(&expected.property).expect("the file was checked");
            let mut checked = propositions(&case).property("p", property.formula.text.as_str());
            for constraint in &case.constraints {
                checked = checked.assume(constraint.to_string());
            }
            // With several workers, every other one, so that both ways are seen.
            checked = checked.workers(1 + verdicts % 2);
            if let Some(fairness) = fairness(expected.notion) {
                checked = checked.assume(fairness);
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let mut differs = |said: String| {
                let _ = writeln!(wrong, "{name} {}: {said}", expected.notion);
            };
            let verdict = match checked.try_run() {
                Ok(verdicts) => verdicts.into_iter().next().expect("one answer"),
                Err(mistake) => {
                    differs(mistake.to_string());
                    continue;
                }
            };
            let said = match verdict.outcome() {
                Outcome::Holds => case::Verdict::Holds,
                Outcome::Violated => case::Verdict::Violated,
                Outcome::Unknown => {
                    differs(format!("unknown: {:?}", verdict.why_unknown()));
                    continue;
                }
            };
            if said != expected.verdict {
                differs(format!("{said:?}, expected {:?}", expected.verdict));
            }
            if let (Some(closure), false) = (&verdict.data().closure, expected.notion.is_inherent())
            {
                let feasible = *closure != Closure::Infeasible;
                let closed = !matches!(
                    closure,
                    Closure::NotMachineClosed(_) | Closure::Infeasible | Closure::NotKnown
                );
                if (feasible, closed) != (expected.feasible, expected.machine_closed) {
                    differs(format!("feasible {feasible}, machine closed {closed}"));
                }
            }
            if let Some(run) = verdict.counterexample() {
                let again = run.replay(&Network(Arc::clone(&case)));
                assert_eq!(again.expect("the same run").states(), run.states());
            }
        }
    }
    assert!(verdicts >= 298, "the corpus shrank to {verdicts} verdicts");
    assert!(wrong.is_empty(), "\n{wrong}");
}
