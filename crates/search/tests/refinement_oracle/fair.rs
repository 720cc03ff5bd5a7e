//! Fair refinement, compared with a naive procedure that tries what runs may look like, one after the other.

use std::collections::BTreeSet;

use fairly_fairness::{Constraint, Selector, Strength};
use fairly_search::refinement::{FairAnswer, Look, look, performs, refines_fairly};
use fairly_search::{Bounds, survey};
use fairly_system::{EventSet, TransitionSystem};
use fairly_testkit::Rng;

use super::lts::{A, B, C, LABELS, Label, Lts, TAU, TICK, Tiny, name};
use super::{check, random_pair, seeds};

/// Fairness of events.
type Fair = Vec<(Strength, Label)>;

/// Name of a label in what is seen of a run.
fn shown(label: Label) -> String {
    if label == TICK { "✓".to_owned() } else { name(label).to_owned() }
}

/// An edge between nodes, which are pairs of a state and a place in the word.
struct Edge {
    from: usize,
    to: usize,
    /// The state that it leaves, and its label; none if the system idles.
    source: usize,
    label: Option<Label>,
    /// Whether it begins the cycle again, or comes after everything has been seen.
    is_last: bool,
}

/// Whether a system has a fair run that looks like this: by the definition, on the graph of all of its steps along it.
fn naively_performs(tiny: &Tiny, fair: &Fair, look: &Look) -> bool {
    let mut word: Vec<Option<String>> =
        look.stem.iter().chain(&look.cycle).cloned().map(Some).collect();
    if look.cycle.is_empty() {
        word.push(None);
    }
    let length = word.len();
    let mut edges = Vec::new();
    for source in 0..tiny.states {
        let own: Vec<(Option<Label>, usize)> = tiny
            .edges
            .iter()
            .filter(|edge| edge.0 == source)
            .map(|edge| (Some(edge.1), edge.2))
            .collect();
        let own = if own.is_empty() { vec![(None, source)] } else { own };
        for (label, target) in own {
            for (at, expected) in word.iter().enumerate() {
                let seen = label.filter(|&label| label != TAU).map(shown);
                let (next, is_last) = match seen {
                    None => (at, expected.is_none()),
                    Some(event) if expected.as_ref() != Some(&event) => continue,
                    Some(_) if at + 1 < length => (at + 1, false),
                    Some(_) => (look.stem.len(), true),
                };
                let (from, to) = (source * length + at, target * length + next);
                edges.push(Edge { from, to, source, label, is_last });
            }
        }
    }
    let mut met: BTreeSet<usize> = tiny.initial.iter().map(|state| state * length).collect();
    loop {
        let before = met.len();
        edges
            .iter()
            .filter(|edge| met.contains(&edge.from))
            .map(|edge| edge.to)
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(|to| _ = met.insert(to));
        if met.len() == before {
            break;
        }
    }
    has_fair_part(tiny, fair, &edges, &met)
}

fn enables(tiny: &Tiny, state: usize, label: Label) -> bool {
    tiny.edges.iter().any(|edge| (edge.0, edge.1) == (state, label))
}

/// Whether some nodes can be gone round for ever, all of them, fairly.
fn has_fair_part(tiny: &Tiny, fair: &Fair, edges: &[Edge], within: &BTreeSet<usize>) -> bool {
    let reach = |from: usize| -> BTreeSet<usize> {
        let mut met = BTreeSet::new();
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            for edge in edges {
                let is_inside = within.contains(&edge.from) && within.contains(&edge.to);
                if edge.from == node && is_inside && met.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
        met
    };
    let mut done: BTreeSet<usize> = BTreeSet::new();
    for &node in within {
        if done.contains(&node) {
            continue;
        }
        let forth = reach(node);
        if !forth.contains(&node) {
            continue;
        }
        let part: BTreeSet<usize> =
            forth.into_iter().filter(|&other| reach(other).contains(&node)).collect();
        done.extend(&part);
        let inside: Vec<&Edge> = edges
            .iter()
            .filter(|edge| part.contains(&edge.from) && part.contains(&edge.to))
            .collect();
        if !inside.iter().any(|edge| edge.is_last) {
            continue;
        }
        let taken = |label: Label| inside.iter().any(|edge| edge.label == Some(label));
        let asks = |label: Label| inside.iter().any(|edge| enables(tiny, edge.source, label));
        let rests = |label: Label| inside.iter().any(|edge| !enables(tiny, edge.source, label));
        let weakly = fair.iter().filter(|it| it.0 == Strength::Weak);
        if weakly.clone().any(|&(_, label)| !taken(label) && !rests(label)) {
            continue;
        }
        let strongly = fair.iter().filter(|it| it.0 == Strength::Strong);
        let failed: Vec<Label> =
            strongly.map(|it| it.1).filter(|&label| asks(label) && !taken(label)).collect();
        if failed.is_empty() {
            return true;
        }
        let asking: BTreeSet<usize> = inside
            .iter()
            .filter(|edge| failed.iter().any(|&label| enables(tiny, edge.source, label)))
            .map(|edge| edge.from)
            .collect();
        let less = part.difference(&asking).copied().collect();
        if has_fair_part(tiny, fair, edges, &less) {
            return true;
        }
    }
    false
}

/// What runs may look like: up to two events once, and up to three for ever.
fn looks() -> Vec<Look> {
    let words = |most: usize| {
        let mut all: Vec<Vec<String>> = vec![vec![]];
        let mut longest = all.clone();
        for _ in 0..most {
            longest = longest
                .iter()
                .flat_map(|word| {
                    [TICK, A, B, C].map(|label| [word.clone(), vec![shown(label)]].concat())
                })
                .collect();
            all.extend(longest.iter().cloned());
        }
        all
    };
    let cycles = words(3);
    let stems = words(2);
    let pair = |stem: &Vec<String>| {
        let stem = stem.clone();
        cycles.iter().map(move |cycle| Look { stem: stem.clone(), cycle: cycle.clone() })
    };
    stems.iter().flat_map(pair).collect()
}

fn constraints(system: &mut Lts, fair: &Fair) -> Vec<Constraint> {
    survey(system, Bounds::default()).expect("there is no bound");
    let of = |&(strength, label): &(Strength, Label)| {
        let events = EventSet::matching(name(label), system.signature());
        Constraint::fair(strength, name(label), Selector::Events(events))
    };
    fair.iter().map(of).collect()
}

fn random_fairness(rng: &mut Rng) -> Fair {
    let mut fair = Vec::new();
    for label in A..LABELS {
        match rng.below(4) {
            0 => fair.push((Strength::Weak, label)),
            1 => fair.push((Strength::Strong, label)),
            _ => {}
        }
    }
    fair
}

/// Compares one answer; whether the systems refine.
fn agrees(systems: &[Tiny], fair: &[Fair; 2], looks: &[Look]) -> Result<bool, String> {
    let [implementation, specification] = systems else { unreachable!("a pair") };
    let (mut one, mut other) = (implementation.system(), specification.system());
    let assumed = [constraints(&mut one, &fair[0]), constraints(&mut other, &fair[1])];
    let has = |at: usize, look: &Look| naively_performs(&systems[at], &fair[at], look);
    let answer = refines_fairly(&mut one, &mut other, assumed.clone(), Bounds::default());
    match answer.map_err(|why| format!("{why:?}"))? {
        FairAnswer::Separated { run, look: found } => {
            if look(&one, &run) != found {
                return Err(format!("the run does not look like {found:?}"));
            }
            if !has(0, &found) {
                return Err(format!("no fair run of the implementation looks like {found:?}"));
            }
            if has(1, &found) {
                return Err(format!("a fair run of the specification looks like {found:?}"));
            }
            let found = performs(&mut other, assumed[1].clone(), &found, Bounds::default());
            if found.map_err(|why| format!("{why:?}"))?.is_some() {
                return Err("it is performed all the same".to_owned());
            }
            Ok(false)
        }
        FairAnswer::Refines => match looks.iter().find(|look| has(0, look) && !has(1, look)) {
            Some(look) => Err(format!("this separates them: {look:?}")),
            None => Ok(true),
        },
    }
}

#[test]
fn random_pairs_refine_fairly_as_the_definition_says() {
    let looks = looks();
    let (mut yes, mut no) = (0u64, 0u64);
    let range = seeds(150);
    for seed in range.clone() {
        let mut rng = Rng::new(seed);
        let systems = random_pair(&mut rng, 4);
        let fair = [random_fairness(&mut rng), random_fairness(&mut rng)];
        match agrees(&systems, &fair, &looks) {
            Ok(true) => yes += 1,
            Ok(false) => no += 1,
            Err(_) => check(seed, systems, |systems| {
                agrees(systems, &fair, &looks)
                    .map(|_| ())
                    .map_err(|error| format!("{error} under {fair:?}"))
            }),
        }
    }
    println!("{yes} pairs refine fairly and {no} do not");
    assert!(range.end - range.start < 150 || yes.min(no) * 10 > yes + no);
}

#[test]
fn a_run_is_performed_if_it_is_by_the_definition() {
    let looks = looks();
    for seed in seeds(40) {
        let mut rng = Rng::new(seed ^ 0x5eed);
        let tiny = Tiny::random(&mut rng, 4);
        let fair = random_fairness(&mut rng);
        let mut system = tiny.system();
        let assumed = constraints(&mut system, &fair);
        for look in looks.iter().filter(|_| rng.chance(1, 40)) {
            let found = performs(&mut system, assumed.clone(), look, Bounds::default()).unwrap();
            assert_eq!(found.is_some(), naively_performs(&tiny, &fair, look), "{seed}: {look:?}");
            if let Some(run) = found {
                let seen = super::fair::look(&system, &run);
                let unrolled = |look: &Look| {
                    let round = look.cycle.iter().cycle().take(24 * look.cycle.len().min(1));
                    look.stem.iter().chain(round).take(12).cloned().collect::<Vec<_>>()
                };
                assert_eq!(unrolled(&seen), unrolled(look), "{seed}");
            }
        }
    }
}

#[test]
fn a_branch_that_is_fair_may_not_be_left_out() {
    // The specification takes a and b in any order and is strongly fair to both; the implementation never takes b.
    let both = Tiny::of(1, &[(0, A, 0), (0, B, 0)]);
    let only = Tiny::of(1, &[(0, A, 0)]);
    let strong: Fair = vec![(Strength::Strong, A), (Strength::Strong, B)];
    let looks = looks();
    let ask = |systems: [&Tiny; 2], fair: [&Fair; 2]| {
        agrees(&systems.map(Clone::clone), &fair.map(Clone::clone), &looks).unwrap()
    };
    assert!(ask([&only, &both], [&vec![], &vec![]]), "its traces are those of the specification");
    assert!(!ask([&only, &both], [&strong, &strong]));
    assert!(ask([&both, &both], [&strong, &strong]));
    // What shows nothing for ever is a run whose events end, and the specification has none that end.
    let silent = Tiny::of(2, &[(0, A, 1), (1, TAU, 1)]);
    assert!(!ask([&silent, &both], [&vec![], &vec![]]));
    // A deadlock shows the same as that.
    let stuck = Tiny::of(2, &[(0, A, 1)]);
    assert!(
        ask([&silent, &stuck], [&vec![], &vec![]]) && ask([&stuck, &silent], [&vec![], &vec![]])
    );
}
