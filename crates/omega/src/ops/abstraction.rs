//! Abstraction by hiding letters: the visible words of a system, and what they say about it.
//!
//! Nitsche and Wolper ("Relative liveness and behavior abstraction", PODC 1997) hide the letters that a property does not
//! speak of and ask about the small automaton that is left. What holds there in the sense of relative liveness (inherent
//! fairness) need not hold in the system: a word that was hidden may have decided what can still come. It carries over
//! if the abstraction is *weakly continuation-closed*: after every word *w* of the system there is a visible
//! continuation *v* of its image after which the system and the abstraction can go on with the same visible words
//! (Ultes-Nitsche and St James, "Improved verification of linear-time properties within fairness", 2005, decide it on
//! automata, as [`not_continued`] does). The other direction needs nothing: what does not hold of the abstraction does not
//! hold of the system.
//!
//! All words are finite and all languages closed under prefixes: every state is final. The abstraction is deterministic and
//! minimal. A word of the abstraction that cannot go on is *maximal*; the theorem needs that there is none, and
//! [`Abstraction::ends`] gives one if there is.
//!
//! Deviation from the papers: the system need not be deterministic, and its states may be counted instead of its words
//! ([`Beginning::Run`]), as in `docs/papers.md` 003-5.

use std::collections::VecDeque;

use hashbrown::{HashMap, HashSet};

use crate::refused::{BudgetError, Limits, Resource};

/// A number of a letter.
pub type LetterId = u32;

/// A system whose steps have letters; its states are numbers, all of them final.
///
/// ```
/// use fairly_omega::ops::abstraction::{Beginning, Labelled, abstraction, not_continued};
/// use fairly_omega::Limits;
/// // `b` is possible again and again, until the hidden `c` has been taken.
/// let mut system = Labelled::new(3);
/// let (with, without) = (system.add_state(), system.add_state());
/// system.initial.push(with);
/// system.add_step(with, 0, with); // a
/// system.add_step(with, 1, with); // b
/// system.add_step(with, 2, without); // c
/// system.add_step(without, 0, without);
/// let visible = [true, true, false];
/// let small = abstraction(&system, &visible, Limits::default()).unwrap();
/// assert_eq!(small.steps.len(), 1);
/// let after = not_continued(&system, &visible, Beginning::Word, Limits::default()).unwrap();
/// assert_eq!(after, Some(vec![2]), "after c, b is no longer possible, and the abstraction does not know");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Labelled {
    /// Number of letters.
    pub letters: u32,
    /// States to start in.
    pub initial: Vec<u32>,
    /// By state, its steps.
    pub steps: Vec<Vec<(LetterId, u32)>>,
}

impl Labelled {
    /// A system without states.
    pub fn new(letters: u32) -> Self {
        Labelled { letters, ..Labelled::default() }
    }

    /// Adds a state.
    pub fn add_state(&mut self) -> u32 {
        self.steps.push(Vec::new());
        u32::try_from(self.steps.len() - 1).expect("fewer than 2^32 states")
    }

    /// Adds a step.
    pub fn add_step(&mut self, from: u32, letter: LetterId, to: u32) {
        self.steps[from as usize].push((letter, to));
    }
}

/// The visible words of a system as a deterministic automaton with as few states as possible. It starts in state 0;
/// every state is final.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abstraction {
    /// By state, its steps in the order of their letters.
    pub steps: Vec<Vec<(LetterId, u32)>>,
    /// A shortest visible word after which nothing visible can come, if there is one.
    pub ends: Option<Vec<LetterId>>,
}

/// History of the system: a word, or a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Beginning {
    /// A word; the system may be in any state to which it leads.
    Word,
    /// A run; the system is in one state.
    Run,
}

/// The visible words of a system.
///
/// # Errors
/// When there would be more sets of states than the limits allow.
pub fn abstraction(
    system: &Labelled,
    visible: &[bool],
    limits: Limits,
) -> Result<Abstraction, BudgetError> {
    let mut sets = Sets::new(system, visible, limits);
    let start = sets.closed(system.initial.clone())?;
    sets.complete()?;
    let class = sets.classes();
    let mut number: HashMap<u32, u32> = HashMap::new();
    let mut order = vec![start];
    number.insert(class[start as usize], 0);
    let mut steps = Vec::new();
    let mut at = 0;
    while at < order.len() {
        let mut own = Vec::new();
        for &(letter, to) in sets.steps(order[at]) {
            let next = u32::try_from(number.len()).expect("fewer classes than sets");
            let to_class = *number.entry(class[to as usize]).or_insert_with(|| {
                order.push(to);
                next
            });
            own.push((letter, to_class));
        }
        steps.push(own);
        at += 1;
    }
    let ends = shortest(&steps, |state| steps[state as usize].is_empty());
    Ok(Abstraction { steps, ends })
}

/// A shortest word of the system, hidden letters included, after which no visible continuation leads to where system and
/// abstraction can do the same; `None` if the abstraction is weakly continuation-closed.
///
/// # Errors
/// When there would be more sets of states than the limits allow.
pub fn not_continued(
    system: &Labelled,
    visible: &[bool],
    beginning: Beginning,
    limits: Limits,
) -> Result<Option<Vec<LetterId>>, BudgetError> {
    let mut sets = Sets::new(system, visible, limits);
    let words = Words::new(system, visible, beginning, &mut sets, limits)?;
    sets.complete()?;
    let class = sets.classes();
    let open = words.pairs();
    let good = continued(&sets, &class, open);
    Ok(words.first(|pair| !good[&pair]))
}

/// A set of states that the same visible word leads to, by number.
type SetId = u32;

/// Possible states of the system and of its abstraction, each as a set.
type Pair = (SetId, SetId);

/// Sets of states closed under hidden steps, with their visible steps.
struct Sets<'a> {
    system: &'a Labelled,
    visible: &'a [bool],
    limits: Limits,
    number: HashMap<Vec<u32>, SetId>,
    members: Vec<Vec<u32>>,
    /// By set, as far as they are known.
    steps: Vec<Vec<(LetterId, SetId)>>,
    /// Steps of all sets, and members of all sets.
    edges: usize,
    held: usize,
}

impl<'a> Sets<'a> {
    fn new(system: &'a Labelled, visible: &'a [bool], limits: Limits) -> Self {
        let (number, members, steps) = (HashMap::new(), Vec::new(), Vec::new());
        Sets { system, visible, limits, number, members, steps, edges: 0, held: 0 }
    }

    /// The set of these states and of those that hidden steps lead to from them.
    fn closed(&mut self, mut states: Vec<u32>) -> Result<SetId, BudgetError> {
        let mut known: HashSet<u32> = states.iter().copied().collect();
        let mut at = 0;
        while at < states.len() {
            for &(letter, to) in &self.system.steps[states[at] as usize] {
                if !self.visible[letter as usize] && known.insert(to) {
                    states.push(to);
                }
            }
            at += 1;
        }
        states.sort_unstable();
        states.dedup();
        if let Some(&number) = self.number.get(&states) {
            return Ok(number);
        }
        let limit = self.limits.states;
        if self.members.len() >= limit {
            return Err(BudgetError { resource: Resource::States, limit });
        }
        let number = u32::try_from(self.members.len())
            .map_err(|_| BudgetError { resource: Resource::States, limit })?;
        self.held += states.len();
        if self.held > self.limits.edges {
            let limit = self.limits.edges;
            return Err(BudgetError { resource: Resource::Members, limit });
        }
        self.members.push(states.clone());
        self.number.insert(states, number);
        Ok(number)
    }

    /// Finds the steps of all sets.
    fn complete(&mut self) -> Result<(), BudgetError> {
        while self.steps.len() < self.members.len() {
            let mut targets: Vec<(LetterId, u32)> = Vec::new();
            for &state in &self.members[self.steps.len()] {
                let steps = self.system.steps[state as usize].iter();
                targets.extend(steps.filter(|(letter, _)| self.visible[*letter as usize]));
            }
            targets.sort_unstable();
            targets.dedup();
            let mut own = Vec::new();
            for group in targets.chunk_by(|one, other| one.0 == other.0) {
                let to = self.closed(group.iter().map(|step| step.1).collect())?;
                own.push((group[0].0, to));
            }
            self.edges += own.len();
            if self.edges > self.limits.edges {
                let limit = self.limits.edges;
                return Err(BudgetError { resource: Resource::Edges, limit });
            }
            self.steps.push(own);
        }
        Ok(())
    }

    fn steps(&self, set: SetId) -> &[(LetterId, SetId)] {
        &self.steps[set as usize]
    }

    /// By set, a number that it shares with those that have the same visible words: Moore's algorithm.
    fn classes(&self) -> Vec<u32> {
        let mut class = vec![0; self.steps.len()];
        let mut count = 1;
        loop {
            let mut known: HashMap<(u32, Vec<(LetterId, u32)>), u32> = HashMap::new();
            let next: Vec<u32> = (0..self.steps.len())
                .map(|set| {
                    let own = self.steps[set].iter();
                    let own = own.map(|&(letter, to)| (letter, class[to as usize])).collect();
                    let fresh = u32::try_from(known.len()).expect("fewer classes than sets");
                    *known.entry((class[set], own)).or_insert(fresh)
                })
                .collect();
            class = next;
            if known.len() == count {
                return class;
            }
            count = known.len();
        }
    }
}

/// The words, or the runs, of a system, each with what can still come.
struct Words {
    /// By node: the pair, and where it was met from.
    nodes: Vec<(Pair, Option<Before>)>,
}

/// The node before, and the letter between.
type Before = (u32, LetterId);

impl Words {
    /// Explores them breadth first, and makes the sets that they need.
    fn new(
        system: &Labelled,
        visible: &[bool],
        beginning: Beginning,
        sets: &mut Sets<'_>,
        limits: Limits,
    ) -> Result<Words, BudgetError> {
        let starts = match beginning {
            Beginning::Word => vec![system.initial.clone()],
            Beginning::Run => system.initial.iter().map(|&state| vec![state]).collect(),
        };
        let image = sets.closed(system.initial.clone())?;
        let mut nodes = Vec::new();
        let mut met: HashSet<(Vec<u32>, SetId)> = HashSet::new();
        let mut open: VecDeque<(Vec<u32>, SetId, Option<Before>)> = VecDeque::new();
        open.extend(starts.into_iter().map(|start| (sorted(start), image, None)));
        while let Some((states, image, from)) = open.pop_front() {
            if !met.insert((states.clone(), image)) {
                continue;
            }
            let limit = limits.states;
            if nodes.len() >= limit {
                return Err(BudgetError { resource: Resource::States, limit });
            }
            let here = u32::try_from(nodes.len())
                .map_err(|_| BudgetError { resource: Resource::States, limit })?;
            nodes.push(((sets.closed(states.clone())?, image), from));
            // The steps of the image's set may not be there yet.
            sets.complete()?;
            let mut targets: Vec<(LetterId, u32)> = states
                .iter()
                .flat_map(|&state| system.steps[state as usize].iter().copied())
                .collect();
            targets.sort_unstable();
            targets.dedup();
            for group in targets.chunk_by(|one, other| one.0 == other.0) {
                let letter = group[0].0;
                let image = match visible[letter as usize] {
                    false => image,
                    true => {
                        let own = sets.steps(image);
                        let at = own.binary_search_by_key(&letter, |step| step.0);
                        own[at.expect("what the system can do its image can do")].1
                    }
                };
                let all: Vec<u32> = group.iter().map(|step| step.1).collect();
                let from = Some((here, letter));
                match beginning {
                    Beginning::Word => open.push_back((all, image, from)),
                    Beginning::Run => {
                        open.extend(all.into_iter().map(|state| (vec![state], image, from)));
                    }
                }
            }
        }
        Ok(Words { nodes })
    }

    fn pairs(&self) -> Vec<Pair> {
        self.nodes.iter().map(|node| node.0).collect()
    }

    /// The word of the first node whose pair is chosen.
    fn first(&self, is_chosen: impl Fn(Pair) -> bool) -> Option<Vec<LetterId>> {
        let at = self.nodes.iter().position(|node| is_chosen(node.0))?;
        let mut word = Vec::new();
        let mut before = self.nodes[at].1;
        while let Some((node, letter)) = before {
            word.push(letter);
            before = self.nodes[node as usize].1;
        }
        word.reverse();
        Some(word)
    }
}

fn sorted(mut states: Vec<u32>) -> Vec<u32> {
    states.sort_unstable();
    states.dedup();
    states
}

/// By pair, whether some visible word leads to sets of the same class. A word that only the abstraction has leads
/// nowhere: what is left of the system then has no continuation at all, and never has the same as a set with a state.
fn continued(sets: &Sets<'_>, class: &[u32], starts: Vec<Pair>) -> HashMap<Pair, bool> {
    let mut good: HashMap<Pair, bool> = HashMap::new();
    let mut before: HashMap<Pair, Vec<Pair>> = HashMap::new();
    let mut open = starts;
    let mut settled = Vec::new();
    while let Some(pair) = open.pop() {
        if good.contains_key(&pair) {
            continue;
        }
        let (own, image) = pair;
        let is_same = class[own as usize] == class[image as usize];
        good.insert(pair, is_same);
        if is_same {
            settled.push(pair);
            continue;
        }
        for &(letter, to) in sets.steps(own) {
            let image = sets.steps(image);
            let at = image.binary_search_by_key(&letter, |step| step.0);
            let next = (to, image[at.expect("what the system can do its image can do")].1);
            before.entry(next).or_default().push(pair);
            open.push(next);
        }
    }
    while let Some(pair) = settled.pop() {
        for earlier in before.remove(&pair).unwrap_or_default() {
            let is_good = good.get_mut(&earlier).expect("it was met");
            if !*is_good {
                *is_good = true;
                settled.push(earlier);
            }
        }
    }
    good
}

/// A shortest word from state 0 to a state that is chosen.
fn shortest(
    steps: &[Vec<(LetterId, u32)>],
    is_chosen: impl Fn(u32) -> bool,
) -> Option<Vec<LetterId>> {
    let mut before: HashMap<u32, Option<(u32, LetterId)>> = HashMap::from([(0, None)]);
    let mut open = VecDeque::from([0]);
    while let Some(state) = open.pop_front() {
        if is_chosen(state) {
            let mut word = Vec::new();
            let mut at = state;
            while let Some((from, letter)) = before[&at] {
                word.push(letter);
                at = from;
            }
            word.reverse();
            return Some(word);
        }
        for &(letter, to) in &steps[state as usize] {
            before.entry(to).or_insert_with(|| {
                open.push_back(to);
                Some((state, letter))
            });
        }
    }
    None
}
