//! Fair refinement: is every fair run of an implementation, as far as it is seen, a fair run of a specification?
//!
//! Sun, Liu, Dong and Wang (*Specifying and Verifying Event-based Fairness Enhanced Systems*, 2008) name it as future
//! work: under fairness trace refinement becomes stronger, because a branch that is fair may not be left out. It is
//! decided as inclusion of languages of infinite words, with fairness as acceptance:
//!
//! - The implementation is an automaton whose letters are its visible events and one more, *nothing*, for internal steps
//!   and for idling. Its condition is the fairness assumed of it, whatever form that has.
//! - The specification becomes a Büchi automaton over the same letters that reads *nothing* wherever it likes and takes
//!   its internal steps unseen. So it accepts every word that looks like one of its fair runs. A run that shows nothing
//!   more, because it is stuck or takes internal steps for ever, is one whose visible events end.
//! - A word of the first that is none of the second is looked for in the product with a deterministic automaton of the
//!   second, which is made as far as the search goes ([`fairly_omega::ops::includes`]).
//!
//! The cost is exponential in the specification and in how many strong constraints it is under; the implementation may
//! be large. Limits on that end in [`FairError::TooLarge`], never in an answer.
//!
//! A word that was found is judged again without a complement: [`performs`] looks for a fair run of the specification
//! that looks like it, in the product of the specification with that one word.

use std::borrow::Cow;

use fairly_fairness::Constraint;
use fairly_omega::emptiness::{Explored, find_lasso};
use fairly_omega::ops;
use fairly_omega::{
    Acceptance, Automaton, BudgetError, Builder, Cube, Graph, Hop, Label, Limits, Mark, MarkSet,
    MarkSetId, MarkTable, Prop, StateId, Step,
};
use fairly_system::{ActionId, EventKind, Run, TransitionSystem};
use hashbrown::HashMap;

use crate::bounded::{Bounds, Cut};
use crate::product::{Negation, Product};
use crate::stored::{Stored, anything};

/// Most states of an automaton that is made of a specification, unless the bound on nodes is smaller. What needs more
/// takes minutes, and most of it would need much more.
const MOST_STATES: usize = 200_000;
/// Most edges of one.
const MOST_EDGES: usize = 5_000_000;

/// Visible events of a run: some once, some for ever. If none come for ever, its visible events end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Seen once.
    pub stem: Vec<String>,
    /// Seen for ever.
    pub cycle: Vec<String>,
}

/// Whether an implementation refines a specification fairly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FairAnswer {
    /// Every fair run looks like a fair run of the specification.
    Refines,
    /// This one does not.
    Separated {
        /// A fair run of the implementation.
        run: Run,
        /// Its visible events.
        look: Look,
    },
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FairError {
    /// A bound was reached.
    Cut(Cut),
    /// An automaton would have become too large.
    TooLarge(BudgetError),
    /// A run-time error of the specification.
    Fault(String),
}

impl From<Cut> for FairError {
    fn from(cut: Cut) -> Self {
        FairError::Cut(cut)
    }
}

impl From<BudgetError> for FairError {
    fn from(refused: BudgetError) -> Self {
        FairError::TooLarge(refused)
    }
}

/// Number of what a step shows.
type Letter = u32;

/// Nothing is seen.
const NOTHING: Letter = 0;

/// Names of letters; those of both systems are the same if they have one name and are both termination or both not.
#[derive(Default)]
struct Alphabet {
    number: HashMap<(String, bool), Letter>,
    names: Vec<String>,
}

impl Alphabet {
    fn letter<S: TransitionSystem>(&mut self, system: &S, action: ActionId) -> Letter {
        let event = system.action(action).event;
        let signature = system.signature();
        let is_termination = match signature.event_kind(event) {
            EventKind::Internal | EventKind::Idle => return NOTHING,
            EventKind::Visible => false,
            EventKind::Termination => true,
        };
        let name = if is_termination { "✓" } else { signature.event_name(event) };
        *self.number.entry((name.to_owned(), is_termination)).or_insert_with(|| {
            self.names.push(name.to_owned());
            Letter::try_from(self.names.len()).expect("fewer events than steps")
        })
    }

    fn name(&self, letter: Letter) -> &str {
        &self.names[letter as usize - 1]
    }

    /// Propositions that a letter is written with, in binary.
    fn bits(&self) -> u32 {
        usize::BITS - self.names.len().leading_zeros()
    }
}

/// A system that was explored, with what its steps show, by position.
struct Seen {
    stored: Stored,
    letters: Vec<Letter>,
}

impl Seen {
    fn of<S: TransitionSystem>(
        system: &mut S,
        constraints: Vec<Constraint>,
        alphabet: &mut Alphabet,
        bounds: Bounds,
    ) -> Result<Seen, Cut> {
        let anything = anything();
        let mut product = Product::new(system, Negation::new(&anything, vec![]), constraints);
        let stored = Stored::of(&mut product, bounds)?;
        let system = product.system();
        let letters = stored.transitions.iter().map(|step| alphabet.letter(system, step.action));
        let letters = letters.collect();
        Ok(Seen { stored, letters })
    }

    /// As an automaton.
    fn automaton(&self, bits: u32) -> Result<Automaton, BudgetError> {
        let explored = &self.stored.explored;
        let mut builder = Builder::new((0..bits).map(|bit| bit.to_string()).collect());
        let acceptance = explored.acceptance().clone();
        let marks = acceptance.marks().iter().last().map_or(0, |mark| mark.0 + 1);
        builder.set_acceptance(acceptance, marks);
        builder.add_states(explored.node_count());
        builder.set_initial(explored.starts().collect());
        let mut labels = Labels::new(bits);
        let used = MarkSet::first(marks);
        for node in explored.nodes() {
            for (position, step) in explored.positions(node).zip(explored.steps_of(node)) {
                let label = labels.of(&mut builder, self.letters[position])?;
                let marks = explored.mark_set(step.marks).intersection(&used);
                builder.add_edge(node, label, marks, step.target);
            }
        }
        Ok(builder.build())
    }
}

/// Letters as valuations of propositions.
struct Labels {
    bits: u32,
    known: HashMap<Letter, Label>,
}

impl Labels {
    fn new(bits: u32) -> Labels {
        Labels { bits, known: HashMap::new() }
    }

    fn of(&mut self, builder: &mut Builder, letter: Letter) -> Result<Label, BudgetError> {
        if let Some(&label) = self.known.get(&letter) {
            return Ok(label);
        }
        let cube: Vec<(Prop, bool)> =
            (0..self.bits).map(|bit| (Prop(bit), letter >> bit & 1 == 1)).collect();
        let label = builder.letters_mut().cube(&cube)?;
        self.known.insert(letter, label);
        Ok(label)
    }
}

/// A Büchi automaton taken apart: by state, its steps by letter, and whether they are accepting.
struct Apart {
    unseen: Vec<Vec<(u32, bool)>>,
    seen: Vec<Vec<(Letter, u32, bool)>>,
}

impl Apart {
    fn of(buchi: &Automaton, letters: Letter) -> Apart {
        let mut codes: HashMap<Label, Vec<Letter>> = HashMap::new();
        let (mut unseen, mut seen) = (Vec::new(), Vec::new());
        for state in buchi.states() {
            let (mut without, mut with) = (Vec::new(), Vec::new());
            for edge in buchi.edges(state) {
                let accepting = buchi.acceptance().accepts(buchi.marks(edge.marks));
                let codes = codes.entry(edge.label).or_insert_with(|| {
                    let holds = |letter: &Letter| {
                        buchi.letters().holds(edge.label, |prop| *letter >> prop.0 & 1 == 1)
                    };
                    (0..=letters).filter(holds).collect()
                });
                for &letter in codes.iter() {
                    match letter {
                        NOTHING => without.push((edge.target.0, accepting)),
                        letter => with.push((letter, edge.target.0, accepting)),
                    }
                }
            }
            unseen.push(without);
            seen.push(with);
        }
        Apart { unseen, seen }
    }

    /// By state, whether a run from it is accepted that shows nothing.
    fn rests(&self) -> Result<Vec<bool>, BudgetError> {
        let mut builder = Builder::new(vec![]);
        builder.set_acceptance(Acceptance::buchi(), 1);
        builder.add_states(self.unseen.len());
        for (from, steps) in self.unseen.iter().enumerate() {
            let from = StateId::from_index(from);
            builder.add_initial(from);
            for &(to, accepting) in steps {
                let marks: MarkSet = accepting.then_some(Mark(0)).into_iter().collect();
                builder.add_edge(from, Label::TRUE, marks, StateId(to));
            }
        }
        let automaton = builder.build();
        let explored = Explored::of(&mut automaton.graph()).map_err(|_| too_many())?;
        let good = explored.productive()?;
        let mut rests = vec![false; self.unseen.len()];
        for node in explored.nodes() {
            rests[explored.original(node).index()] = good[node.index()];
        }
        Ok(rests)
    }

    /// States that internal steps lead to from a state, and whether one of them on the way is accepting, if it can be.
    fn closure(&self, from: u32) -> Vec<(u32, bool)> {
        let mut best: HashMap<u32, bool> = HashMap::from([(from, false)]);
        let mut open = vec![(from, false)];
        while let Some((state, accepting)) = open.pop() {
            for &(to, own) in &self.unseen[state as usize] {
                let now = accepting || own;
                let is_better = match best.get(&to) {
                    None => true,
                    Some(&before) => now && !before,
                };
                if is_better {
                    best.insert(to, now);
                    open.push((to, now));
                }
            }
        }
        let mut all: Vec<(u32, bool)> = best.into_iter().collect();
        all.sort_unstable();
        all
    }
}

fn too_many() -> BudgetError {
    BudgetError { resource: fairly_omega::Resource::States, limit: u32::MAX as usize }
}

/// The automaton of everything that looks like a word of this one: *nothing* may come anywhere and is left out anywhere.
fn looking_like(
    buchi: &Automaton,
    alphabet: &Alphabet,
    limits: Limits,
) -> Result<Automaton, BudgetError> {
    let letters = Letter::try_from(alphabet.names.len()).expect("fewer events than steps");
    let apart = Apart::of(buchi, letters);
    let rests = apart.rests()?;
    let bits = alphabet.bits();
    let mut builder = Builder::new((0..bits).map(|bit| bit.to_string()).collect());
    builder.set_acceptance(Acceptance::buchi(), 1);
    builder.add_states(buchi.state_count());
    builder.set_initial(buchi.initial().to_vec());
    let accepted: MarkSet = [Mark(0)].into_iter().collect();
    let mut labels = Labels::new(bits);
    let nothing = labels.of(&mut builder, NOTHING)?;
    // Everything has been seen.
    let end = builder.add_state();
    builder.add_edge(end, nothing, accepted.clone(), end);
    for state in buchi.states() {
        builder.add_edge(state, nothing, MarkSet::new(), state);
        if rests[state.index()] {
            builder.add_edge(state, nothing, MarkSet::new(), end);
        }
        let mut best: HashMap<(Letter, u32), bool> = HashMap::new();
        for (at, on_the_way) in apart.closure(state.0) {
            for &(letter, to, own) in &apart.seen[at as usize] {
                *best.entry((letter, to)).or_insert(false) |= on_the_way || own;
            }
        }
        let mut steps: Vec<((Letter, u32), bool)> = best.into_iter().collect();
        steps.sort_unstable();
        for ((letter, to), accepting) in steps {
            let label = labels.of(&mut builder, letter)?;
            let marks = if accepting { accepted.clone() } else { MarkSet::new() };
            builder.add_edge(state, label, marks, StateId(to));
        }
        if builder.edge_count() > limits.edges {
            let limit = limits.edges;
            return Err(BudgetError { resource: fairly_omega::Resource::Edges, limit });
        }
    }
    Ok(builder.build())
}

/// Whether every fair run of the implementation looks like a fair run of the specification. The constraints are those of
/// each system.
///
/// ```
/// use fairly_explore::Explored;
/// use fairly_fairness::{Constraint, Selector, Strength};
/// use fairly_search::Bounds;
/// use fairly_search::refinement::{FairAnswer, refines_fairly};
/// use fairly_system::{ComponentBuilder, Composition, EventSet, Network, TransitionSystem};
/// let network = |events: &[&str]| {
///     let mut builder = ComponentBuilder::new("P");
///     let here = builder.add_state("0");
///     builder.add_initial(here);
///     for event in events {
///         builder.add_transition(here, event, here, None);
///     }
///     Explored::new(Network::new(vec![builder.build()], &Composition::default()).unwrap())
/// };
/// // Both events are possible again and again in the specification, and it has to take both.
/// let (mut only_a, mut both) = (network(&["a"]), network(&["a", "b"]));
/// let strong = |system: &Explored<Network>, event: &str| {
///     let events = EventSet::matching(event, system.signature());
///     Constraint::fair(Strength::Strong, event, Selector::Events(events))
/// };
/// let assumed = vec![strong(&both, "a"), strong(&both, "b")];
/// type Small = Explored<Network>;
/// let ask = |one: &mut Small, other: &mut Small, assumed: Vec<Constraint>| {
///     refines_fairly(one, other, [vec![], assumed], Bounds::default()).unwrap()
/// };
/// assert_eq!(ask(&mut only_a, &mut both, vec![]), FairAnswer::Refines);
/// let FairAnswer::Separated { look, .. } = ask(&mut only_a, &mut both, assumed) else { panic!() };
/// assert_eq!(look.cycle, ["a"]);
/// ```
///
/// # Errors
/// When a bound is reached, or an automaton would become too large.
pub fn refines_fairly<I: TransitionSystem, S: TransitionSystem>(
    implementation: &mut I,
    specification: &mut S,
    [of_one, of_other]: [Vec<Constraint>; 2],
    bounds: Bounds,
) -> Result<FairAnswer, FairError> {
    let mut alphabet = Alphabet::default();
    let other = Seen::of(specification, of_other, &mut alphabet, bounds)?;
    faultless(specification, &other)?;
    let one = Seen::of(implementation, of_one, &mut alphabet, bounds)?;
    let limits =
        Limits { states: bounds.nodes.unwrap_or(MOST_STATES).min(MOST_STATES), edges: MOST_EDGES };
    let bits = alphabet.bits();
    let left = one.automaton(bits)?;
    let buchi = ops::to_buchi(&ops::reduce(&other.automaton(bits)?)?, limits)?;
    let right = ops::reduce(&looking_like(&buchi, &alphabet, limits)?)?;
    let Some(word) = ops::includes(&left, &right, limits)? else { return Ok(FairAnswer::Refines) };
    let code = |cube: &Cube| -> Letter {
        let bits = cube.iter().filter(|literal| literal.1);
        bits.map(|&(prop, _)| 1 << letter_bit(&word.propositions, prop)).sum()
    };
    let letters: Vec<Letter> = word.stem.iter().chain(&word.cycle).map(code).collect();
    let along = Along::new(&one, letters, word.stem.len());
    let run = along.run()?.expect("the word is one of the implementation's");
    let look = look(implementation, &run);
    Ok(FairAnswer::Separated { run, look })
}

/// The place of a proposition in a letter, which is its name.
fn letter_bit(propositions: &[String], prop: Prop) -> u32 {
    propositions[prop.0 as usize].parse().expect("propositions are numbers")
}

/// The visible events of a run.
pub fn look<S: TransitionSystem>(system: &S, run: &Run) -> Look {
    let mut alphabet = Alphabet::default();
    let mut seen = |steps: &[fairly_system::RunStep]| -> Vec<String> {
        let letters: Vec<Letter> =
            steps.iter().map(|step| alphabet.letter(system, step.action)).collect();
        let shown = letters.into_iter().filter(|&letter| letter != NOTHING);
        shown.map(|letter| alphabet.name(letter).to_owned()).collect()
    };
    Look { stem: seen(&run.stem), cycle: seen(&run.cycle) }
}

fn faultless<S: TransitionSystem>(system: &S, seen: &Seen) -> Result<(), FairError> {
    match seen.stored.states.iter().find_map(|&state| system.fault(state)) {
        Some(fault) => Err(FairError::Fault(fault.message.clone())),
        None => Ok(()),
    }
}

/// A stored system along one word, step by step.
struct Along<'a> {
    seen: &'a Seen,
    word: Vec<Letter>,
    /// Where the word begins again.
    turn: usize,
}

impl<'a> Along<'a> {
    fn new(seen: &'a Seen, word: Vec<Letter>, turn: usize) -> Along<'a> {
        Along { seen, word, turn }
    }

    fn apart(&self, node: StateId) -> (StateId, usize) {
        let length = self.word.len();
        (StateId::from_index(node.index() / length), node.index() % length)
    }

    fn joined(&self, node: StateId, at: usize) -> StateId {
        StateId::from_index(node.index() * self.word.len() + at)
    }

    /// The steps of a node that the word allows, with their positions among all of its steps.
    fn allowed(&self, node: StateId) -> impl Iterator<Item = (u32, Step)> + '_ {
        let (of, at) = self.apart(node);
        let next = if at + 1 == self.word.len() { self.turn } else { at + 1 };
        let explored = &self.seen.stored.explored;
        let steps = (0..).zip(explored.positions(of)).zip(explored.steps_of(of));
        steps.filter(move |((_, position), _)| self.seen.letters[*position] == self.word[at]).map(
            move |((nth, _), step)| (nth, Step { target: self.joined(step.target, next), ..step }),
        )
    }

    /// A fair run of the system that has exactly these letters.
    fn run(mut self) -> Result<Option<Run>, BudgetError> {
        let Some(lasso) = find_lasso(&mut self)? else { return Ok(None) };
        let step = |hop: &Hop| {
            let (nth, _) = self.allowed(hop.from).nth(hop.nth as usize).expect("it was taken");
            let (from, to) = (self.apart(hop.from).0, self.apart(hop.to).0);
            self.seen.stored.run_step(&Hop { from, nth, to })
        };
        let steps = |hops: &[Hop]| hops.iter().map(step).collect();
        Ok(Some(Run { stem: steps(&lasso.stem), cycle: steps(&lasso.cycle) }))
    }
}

impl Graph for Along<'_> {
    fn initial(&mut self) -> Vec<StateId> {
        self.seen.stored.explored.starts().map(|node| self.joined(node, 0)).collect()
    }

    fn steps(&mut self, node: StateId, steps: &mut Vec<Step>) {
        steps.extend(self.allowed(node).map(|(_, step)| step));
    }

    fn marks(&self, id: MarkSetId) -> Cow<'_, MarkSet> {
        Cow::Borrowed(self.seen.stored.explored.mark_set(id))
    }

    fn acceptance(&self) -> &Acceptance {
        self.seen.stored.explored.acceptance()
    }
}

/// A fair run of a system that looks like this, if there is one.
///
/// # Errors
/// When a bound is reached.
pub fn performs<S: TransitionSystem>(
    system: &mut S,
    constraints: Vec<Constraint>,
    look: &Look,
    bounds: Bounds,
) -> Result<Option<Run>, FairError> {
    let mut alphabet = Alphabet::default();
    let seen = Seen::of(system, constraints, &mut alphabet, bounds)?;
    let explored = &seen.stored.explored;
    // Its letters, of which nothing but the names is compared.
    let mut names: Vec<Option<&str>> = vec![None];
    names.extend(alphabet.names.iter().map(|name| Some(name.as_str())));
    let last = explored.acceptance().marks().iter().last().map_or(0, |mark| mark.0 + 1);
    let mut unfolded = Unfolded {
        seen: &seen,
        word: look.stem.iter().chain(&look.cycle).map(|name| Some(name.as_str())).collect(),
        turn: look.stem.len(),
        names,
        acceptance: Acceptance::and([explored.acceptance().clone(), Acceptance::Inf(Mark(last))]),
        last: Mark(last),
        table: MarkTable::default(),
    };
    if look.cycle.is_empty() {
        // The end, where nothing more is seen.
        unfolded.word.push(None);
    }
    let Some(lasso) = find_lasso(&mut unfolded)? else { return Ok(None) };
    let step = |hop: &Hop| {
        let (nth, _) = unfolded.allowed(hop.from).into_iter().nth(hop.nth as usize).expect("taken");
        let (from, to) = (unfolded.apart(hop.from).0, unfolded.apart(hop.to).0);
        seen.stored.run_step(&Hop { from, nth, to })
    };
    let steps = |hops: &[Hop]| hops.iter().map(step).collect();
    Ok(Some(Run { stem: steps(&lasso.stem), cycle: steps(&lasso.cycle) }))
}

/// A stored system along what is seen: steps that show nothing stay at their place.
struct Unfolded<'a> {
    seen: &'a Seen,
    /// By place, the event that comes there; `None` at the end, where none does.
    word: Vec<Option<&'a str>>,
    turn: usize,
    names: Vec<Option<&'a str>>,
    acceptance: Acceptance,
    /// Carried by steps that have to come again and again: those that begin the cycle again, and all at the end.
    last: Mark,
    table: MarkTable,
}

impl Unfolded<'_> {
    fn apart(&self, node: StateId) -> (StateId, usize) {
        let length = self.word.len();
        (StateId::from_index(node.index() / length), node.index() % length)
    }

    /// Positions of the steps that what is seen allows, where they lead, and whether they carry the last mark.
    fn allowed(&self, node: StateId) -> Vec<(u32, (Step, bool))> {
        let (of, at) = self.apart(node);
        let length = self.word.len();
        let explored = &self.seen.stored.explored;
        let steps = (0..).zip(explored.positions(of)).zip(explored.steps_of(of));
        let mut allowed = Vec::new();
        for ((nth, position), step) in steps {
            let shown = self.names[self.seen.letters[position] as usize];
            let (next, is_last) = match shown {
                None => (at, self.word[at].is_none()),
                Some(_) if shown != self.word[at] => continue,
                Some(_) if at + 1 == length => (self.turn, true),
                Some(_) => (at + 1, false),
            };
            let target = StateId::from_index(step.target.index() * length + next);
            allowed.push((nth, (Step { target, ..step }, is_last)));
        }
        allowed
    }
}

impl Graph for Unfolded<'_> {
    fn initial(&mut self) -> Vec<StateId> {
        let length = self.word.len();
        let starts = self.seen.stored.explored.starts();
        starts.map(|node| StateId::from_index(node.index() * length)).collect()
    }

    fn steps(&mut self, node: StateId, steps: &mut Vec<Step>) {
        for (_, (step, is_last)) in self.allowed(node) {
            let mut marks = self.seen.stored.explored.mark_set(step.marks).clone();
            if is_last {
                marks.insert(self.last);
            }
            let marks = self.table.intern(marks);
            steps.push(Step { marks, ..step });
        }
    }

    fn marks(&self, id: MarkSetId) -> Cow<'_, MarkSet> {
        Cow::Borrowed(self.table.get(id))
    }

    fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }
}
