//! Hiding events: the theorem that it rests on, on random systems, against naive procedures that share nothing with it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use fairly_omega::Limits;
use fairly_omega::ops::abstraction::{Beginning, Labelled, abstraction, not_continued};
use fairly_testkit::Rng;

/// A set of states.
type States = BTreeSet<u32>;

/// The states that hidden steps lead to.
fn closed(system: &Labelled, visible: &[bool], mut states: States) -> States {
    loop {
        let steps = states.iter().flat_map(|&state| &system.steps[state as usize]);
        let more: States =
            steps.filter(|(letter, _)| !visible[*letter as usize]).map(|step| step.1).collect();
        let before = states.len();
        states.extend(more);
        if states.len() == before {
            return states;
        }
    }
}

/// The states that a letter leads to.
fn after(system: &Labelled, states: &States, letter: u32) -> States {
    let steps = states.iter().flat_map(|&state| &system.steps[state as usize]);
    steps.filter(|step| step.0 == letter).map(|step| step.1).collect()
}

/// Whether two sets have the same visible words: pair by pair, until one of them can do what the other cannot.
fn same(system: &Labelled, visible: &[bool], one: &States, other: &States) -> bool {
    let mut met = BTreeSet::new();
    let mut open = vec![(one.clone(), other.clone())];
    while let Some((one, other)) = open.pop() {
        if one.is_empty() != other.is_empty() {
            return false;
        }
        if one.is_empty() || !met.insert((one.clone(), other.clone())) {
            continue;
        }
        for letter in (0..system.letters).filter(|&letter| visible[letter as usize]) {
            let next = |states: &States| closed(system, visible, after(system, states, letter));
            open.push((next(&one), next(&other)));
        }
    }
    true
}

/// The definition, read aloud: is there a visible word after which both can do the same?
fn is_continued(system: &Labelled, visible: &[bool], one: &States, other: &States) -> bool {
    let mut met = BTreeSet::new();
    let mut open = VecDeque::from([(one.clone(), other.clone())]);
    while let Some((one, other)) = open.pop_front() {
        if one.is_empty() || !met.insert((one.clone(), other.clone())) {
            continue;
        }
        if same(system, visible, &one, &other) {
            return true;
        }
        for letter in (0..system.letters).filter(|&letter| visible[letter as usize]) {
            let next = |states: &States| closed(system, visible, after(system, states, letter));
            open.push_back((next(&one), next(&other)));
        }
    }
    false
}

/// The beginnings of a system: what it may be in, with what its abstraction may be in, breadth first, and words to them.
fn beginnings(
    system: &Labelled,
    visible: &[bool],
    beginning: Beginning,
) -> Vec<(States, States, Vec<u32>)> {
    let all: States = system.initial.iter().copied().collect();
    let image = closed(system, visible, all.clone());
    let starts: Vec<States> = match beginning {
        Beginning::Word => vec![all],
        Beginning::Run => all.iter().map(|&state| States::from([state])).collect(),
    };
    let mut open: VecDeque<_> =
        starts.into_iter().map(|start| (start, image.clone(), Vec::new())).collect();
    let (mut met, mut found) = (BTreeSet::new(), Vec::new());
    while let Some((states, image, word)) = open.pop_front() {
        if states.is_empty() || !met.insert((states.clone(), image.clone())) {
            continue;
        }
        for letter in 0..system.letters {
            let to = after(system, &states, letter);
            let image = match visible[letter as usize] {
                true => closed(system, visible, after(system, &image, letter)),
                false => image.clone(),
            };
            let word: Vec<u32> = word.iter().copied().chain([letter]).collect();
            match beginning {
                Beginning::Word => open.push_back((to, image, word)),
                Beginning::Run => {
                    let single = |state| (States::from([state]), image.clone(), word.clone());
                    open.extend(to.into_iter().map(single));
                }
            }
        }
        found.push((states, image, word));
    }
    found
}

/// A deterministic Büchi automaton over visible letters: by state and letter the next state, and which are accepting.
struct Property {
    next: Vec<Vec<usize>>,
    accepting: Vec<bool>,
}

/// From which pairs of a state and one of the property a run goes on that has infinitely many visible letters whose word is
/// accepted: a cycle over a visible step into an accepting state, and whatever leads there.
fn live(system: &Labelled, visible: &[bool], property: &Property) -> BTreeSet<(u32, usize)> {
    let steps = |(state, at): (u32, usize)| {
        system.steps[state as usize].iter().map(move |&(letter, to)| {
            let seen = visible[letter as usize];
            let at = if seen { property.next[at][letter as usize] } else { at };
            ((to, at), seen && property.accepting[at])
        })
    };
    let states = 0..u32::try_from(system.steps.len()).unwrap();
    let nodes: Vec<(u32, usize)> =
        states.flat_map(|state| (0..property.accepting.len()).map(move |at| (state, at))).collect();
    let reach = |from: (u32, usize)| {
        let (mut met, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(node) = open.pop() {
            open.extend(steps(node).map(|step| step.0).filter(|&to| met.insert(to)));
        }
        met
    };
    let reached: BTreeMap<_, _> = nodes.iter().map(|&node| (node, reach(node))).collect();
    let is_good = |&node: &(u32, usize)| {
        steps(node).any(|(to, good)| good && (to == node || reached[&to].contains(&node)))
    };
    let good: Vec<_> = nodes.iter().copied().filter(is_good).collect();
    nodes
        .iter()
        .copied()
        .filter(|node| good.iter().any(|it| it == node || reached[node].contains(it)))
        .collect()
}

/// Whether every beginning can be continued to a run with the property.
fn holds(system: &Labelled, visible: &[bool], property: &Property, beginning: Beginning) -> bool {
    let live = live(system, visible, property);
    let starts: Vec<BTreeSet<(u32, usize)>> = {
        let all = system.initial.iter().map(|&state| (state, 0));
        match beginning {
            Beginning::Word => vec![all.collect()],
            Beginning::Run => all.map(|node| BTreeSet::from([node])).collect(),
        }
    };
    let (mut met, mut open) = (BTreeSet::new(), starts);
    while let Some(set) = open.pop() {
        if set.is_empty() || !met.insert(set.clone()) {
            continue;
        }
        if !set.iter().any(|node| live.contains(node)) {
            return false;
        }
        for letter in 0..system.letters {
            let to = set.iter().flat_map(|&(state, at)| {
                let at = match visible[letter as usize] {
                    true => property.next[at][letter as usize],
                    false => at,
                };
                let steps = system.steps[state as usize].iter();
                steps.filter(move |step| step.0 == letter).map(move |step| (step.1, at))
            });
            let to: BTreeSet<_> = to.collect();
            match beginning {
                Beginning::Word => open.push(to),
                Beginning::Run => open.extend(to.into_iter().map(|node| BTreeSet::from([node]))),
            }
        }
    }
    true
}

fn random_system(rng: &mut Rng) -> (Labelled, Vec<bool>) {
    let letters = 2 + rng.below(3) as u32;
    let visible: Vec<bool> = (0..letters).map(|at| at == 0 || rng.chance(1, 2)).collect();
    let mut system = Labelled::new(letters);
    let states = 1 + rng.below(5);
    (0..states).for_each(|_| {
        system.add_state();
    });
    system.initial.push(0);
    if rng.chance(1, 4) {
        system.initial.push(rng.below(states) as u32);
    }
    for from in 0..states {
        for _ in 0..1 + rng.below(3) {
            let (letter, to) = (rng.below(letters as usize) as u32, rng.below(states) as u32);
            system.add_step(from as u32, letter, to);
        }
    }
    (system, visible)
}

fn random_property(rng: &mut Rng, letters: u32) -> Property {
    let states = 1 + rng.below(3);
    let next = (0..states).map(|_| (0..letters).map(|_| rng.below(states)).collect()).collect();
    Property { next, accepting: (0..states).map(|_| rng.chance(1, 2)).collect() }
}

#[test]
fn what_holds_of_a_continued_abstraction_holds_of_the_system() {
    let cases: u64 =
        std::env::var("FAIRLY_RANDOM_CASES").ok().and_then(|it| it.parse().ok()).unwrap_or(1_500);
    let (mut carried, mut misled, mut violated) = (0, 0, 0);
    for seed in 0..cases {
        let mut rng = Rng::new(seed);
        let (system, visible) = random_system(&mut rng);
        let beginning = if rng.chance(1, 2) { Beginning::Word } else { Beginning::Run };
        let place = format!("seed {seed}, {beginning:?}: {system:?} {visible:?}");
        let small = abstraction(&system, &visible, Limits::default()).unwrap();
        let broken = not_continued(&system, &visible, beginning, Limits::default()).unwrap();

        // By the definition, and a shortest word of those that break it.
        let naive = beginnings(&system, &visible, beginning)
            .into_iter()
            .find(|(one, image, _)| {
                let own = closed(&system, &visible, one.clone());
                !is_continued(&system, &visible, &own, image)
            })
            .map(|(_, _, word)| word);
        assert_eq!(broken.as_ref().map(Vec::len), naive.as_ref().map(Vec::len), "{place}");

        // The abstraction as a system of its own, in which nothing is hidden.
        let mut as_system = Labelled::new(system.letters);
        small.steps.iter().for_each(|_| {
            as_system.add_state();
        });
        as_system.initial.push(0);
        for (from, steps) in (0..).zip(&small.steps) {
            steps.iter().for_each(|&(letter, to)| as_system.add_step(from, letter, to));
        }
        let ends = small.steps.iter().any(Vec::is_empty);
        assert_eq!(small.ends.is_some(), ends, "{place}");
        if ends {
            continue;
        }
        let property = random_property(&mut rng, system.letters);
        let whole = holds(&system, &visible, &property, beginning);
        let everything = vec![true; visible.len()];
        let left = holds(&as_system, &everything, &property, Beginning::Word);
        assert!(left || !whole, "{place}: it holds of the system and not of the abstraction");
        match (broken.is_none(), left, whole) {
            (true, true, _) => {
                assert!(whole, "{place}: the abstraction is continued");
                carried += 1;
            }
            (false, true, false) => misled += 1,
            (_, false, _) => violated += 1,
            (false, true, true) => {}
        }
    }
    assert!(
        cases < 1_500 || (carried > 100 && misled > 10 && violated > 100),
        "{carried} {misled} {violated}"
    );
}

/// Sets that differ have different words: no two states of the abstraction do the same.
#[test]
fn the_abstraction_is_minimal() {
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let (system, visible) = random_system(&mut rng);
        let small = abstraction(&system, &visible, Limits::default()).unwrap();
        let mut as_system = Labelled::new(system.letters);
        small.steps.iter().for_each(|_| {
            as_system.add_state();
        });
        for (from, steps) in (0..).zip(&small.steps) {
            steps.iter().for_each(|&(letter, to)| as_system.add_step(from, letter, to));
        }
        let everything = vec![true; visible.len()];
        let states = u32::try_from(small.steps.len()).unwrap();
        for one in 0..states {
            for other in 0..one {
                let [one, other] = [one, other].map(|state| States::from([state]));
                assert!(!same(&as_system, &everything, &one, &other), "seed {seed}");
            }
        }
        let start: States = system.initial.iter().copied().collect();
        let start = closed(&system, &visible, start);
        // The words are those of the system: both are explored together.
        let mut met = BTreeSet::new();
        let mut open = vec![(start, 0u32)];
        while let Some((set, state)) = open.pop() {
            if !met.insert((set.clone(), state)) {
                continue;
            }
            for letter in (0..system.letters).filter(|&letter| visible[letter as usize]) {
                let to = closed(&system, &visible, after(&system, &set, letter));
                let step = small.steps[state as usize].iter().find(|step| step.0 == letter);
                assert_eq!(to.is_empty(), step.is_none(), "seed {seed}");
                open.extend(step.map(|step| (to, step.1)));
            }
        }
    }
}
