//! Inclusion and equivalence of languages, with a word that tells two languages apart.
//!
//! L(a) ⊆ L(b) when no word is accepted by a and rejected by b. The product of a with a
//! deterministic automaton for b is searched for one; neither the deterministic automaton
//! ([`super::Determinized`]) nor the product is built further than the search goes. If b is
//! deterministic already, its own states are used.
//!
//! Nodes of the product that cannot lead to a counterexample are left out: when the tree of b holds
//! a state that *simulates* the state of a (it can answer every edge by one on the same letters,
//! which accepts if the other does), all that a can still accept is accepted by b. This is what
//! makes the usual case, two automata for nearly the same language, cheap. (Simulation in place of
//! inclusion goes back to Dill, Hu and Wong-Toi, "Checking for language inclusion using simulation
//! preorders", CAV 1991.)
//!
//! The demand of b on a run that it rejects is written as Streett pairs, not as the dual parity formula: the
//! formula would be as deep as b has states, while pairs stay flat and suit the emptiness engine best.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::determinize::nba::{Kind, Nba, is_buchi};
use super::determinize::{Determinized, Event, prepare};
use super::membership::definite;
use super::parts::{Numbering, Renumbered, import_labels, join_propositions};
use super::{complete, trim};
use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, StateId};
use crate::emptiness::find_lasso;
use crate::graph::{Graph, Hop, Step};
use crate::letters::{Import, Label, Letters, Prop};
use crate::marks::{Mark, MarkSet, MarkSetId, MarkTable};
use crate::refused::{BudgetError, Limits, Resource};
use crate::scc::Components;
use crate::word::DefiniteWord;

/// Which of two automata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first one.
    Left,
    /// The second one.
    Right,
}

/// A word that one automaton accepts and the other rejects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The one that accepts it.
    pub accepted_by: Side,
    /// The word, over the propositions of both.
    pub word: DefiniteWord,
}

/// Is every word that `a` accepts accepted by `b`? `None` means yes; otherwise a word that `a`
/// accepts and `b` rejects, over the propositions of both. A proposition that an automaton does not
/// name does not matter to it.
///
/// ```
/// use fairly_omega::{Builder, Label, Limits, Prop, ops};
/// let always = |value: Option<bool>| {
///     let mut builder = Builder::new(vec!["p".into()]);
///     let here = builder.add_state();
///     builder.add_initial(here);
///     let literals: Vec<(Prop, bool)> = value.map(|value| (Prop(0), value)).into_iter().collect();
///     let label = builder.letters_mut().cube(&literals).unwrap();
///     builder.add_edge(here, label, Default::default(), here);
///     builder.build()
/// };
/// let (p, anything, limits) = (always(Some(true)), always(None), Limits::default());
/// assert_eq!(ops::includes(&p, &anything, limits).unwrap(), None);
/// let word = ops::includes(&anything, &p, limits).unwrap().unwrap();
/// assert_eq!(word.cycle[0], [(Prop(0), false)]);
/// ```
///
/// # Errors
/// When the search needs more states or edges than the limits allow and has not found a word by
/// then.
pub fn includes(
    a: &Automaton,
    b: &Automaton,
    limits: Limits,
) -> Result<Option<DefiniteWord>, BudgetError> {
    if a == b {
        return Ok(None);
    }
    let (propositions, rename) = join_propositions(&[b, a]);
    let mut rival = if b.is_deterministic()? {
        Rival::Given(Box::new(Given::new(b)?))
    } else {
        Rival::Trees(Box::new(Determinized::new(prepare(b, limits)?, limits)?))
    };
    let left = Left::new(a, &rename[1], rival.letters_mut())?;
    let simulated = match &mut rival {
        Rival::Given(_) => None,
        Rival::Trees(trees) => simulation(&left, trees.nba_mut())?,
    };
    let mut product = Product::new(left, rival, simulated, limits);
    let Some(lasso) = find_lasso(&mut product)? else {
        return product.refused.map_or(Ok(None), Err);
    };
    // A path that was found is one, even if others were given up.
    let cubes = |hops: &[Hop]| {
        hops.iter()
            .map(|&hop| definite(product.rival.letters(), product.label(hop), propositions.len()))
            .collect()
    };
    let (stem, cycle) = (cubes(&lasso.stem), cubes(&lasso.cycle));
    Ok(Some(DefiniteWord { propositions, stem, cycle }))
}

/// Do both accept the same words? `None` means yes.
///
/// ```
/// use fairly_omega::{Builder, Label, Limits, ops};
/// let nothing = Builder::new(vec![]).build();
/// let mut builder = Builder::new(vec![]);
/// let here = builder.add_state();
/// builder.add_initial(here);
/// builder.add_edge(here, Label::TRUE, Default::default(), here);
/// let everything = builder.build();
/// let difference = ops::equivalent(&nothing, &everything, Limits::default()).unwrap().unwrap();
/// assert_eq!(difference.accepted_by, ops::Side::Right);
/// ```
///
/// # Errors
/// As [`includes`].
pub fn equivalent(
    left: &Automaton,
    right: &Automaton,
    limits: Limits,
) -> Result<Option<Difference>, BudgetError> {
    // A refusal in one direction leaves the hope that the other one finds a word.
    let forth = includes(left, right, limits);
    if let Ok(Some(word)) = forth {
        return Ok(Some(Difference { accepted_by: Side::Left, word }));
    }
    let back = includes(right, left, limits)?;
    if let Some(word) = back {
        return Ok(Some(Difference { accepted_by: Side::Right, word }));
    }
    forth.map(|_| None)
}

/// The automaton whose words are tried: its useful part, with labels in the rival's store.
struct Left {
    initial: Vec<u32>,
    edges: Vec<Vec<LeftEdge>>,
    acceptance: Acceptance,
    width: u32,
    sets: Vec<MarkSet>,
}

struct LeftEdge {
    target: u32,
    label: Label,
    /// Position in `Left::sets`.
    marks: u32,
    /// An edge that answers it in a simulation must accept.
    accepting: bool,
}

impl Left {
    fn new(
        automaton: &Automaton,
        rename: &[Prop],
        into: &mut Letters,
    ) -> Result<Self, BudgetError> {
        if is_buchi(automaton.acceptance()) {
            return Self::from_nba(&Nba::new(automaton)?, rename, into);
        }
        let trimmed = trim(automaton);
        let components = Components::of(&trimmed);
        let mut labels = import_labels(&trimmed, rename, into)?.into_iter();
        let Renumbered { acceptance, width, sets } = Renumbered::of(&trimmed, 0);
        let mut edges = Vec::with_capacity(trimmed.state_count());
        for state in trimmed.states() {
            let list = trimmed.edges(state).iter().zip(&mut labels).map(|(edge, label)| LeftEdge {
                target: edge.target.0,
                label,
                marks: edge.marks.index() as u32,
                // Which marks matter is not known here; an edge on a cycle may.
                accepting: components.together(state, edge.target),
            });
            edges.push(list.collect());
        }
        let initial = trimmed.initial().iter().map(|state| state.0).collect();
        Ok(Left { initial, edges, acceptance, width, sets })
    }

    fn from_nba(nba: &Nba, rename: &[Prop], into: &mut Letters) -> Result<Self, BudgetError> {
        let mut import = Import::new(&nba.letters, rename);
        let mut edges = Vec::with_capacity(nba.len());
        for list in &nba.edges {
            let mut out = Vec::with_capacity(list.len());
            for edge in list {
                let accepting = edge.kind == Kind::Accepting;
                let label = import.label(into, edge.label)?;
                let marks = u32::from(accepting);
                out.push(LeftEdge { target: edge.target, label, marks, accepting });
            }
            edges.push(out);
        }
        Ok(Left {
            initial: nba.initial.clone(),
            edges,
            acceptance: Acceptance::buchi(),
            width: 1,
            sets: vec![MarkSet::new(), MarkSet::first(1)],
        })
    }
}

/// A deterministic, complete automaton that stands for the other language.
enum Rival {
    Given(Box<Given>),
    Trees(Box<Determinized>),
}

struct Given {
    automaton: Automaton,
    rejects: Renumbered,
}

impl Given {
    fn new(automaton: &Automaton) -> Result<Self, BudgetError> {
        let automaton = complete(automaton)?;
        let rejects = Renumbered::of(&automaton, 0);
        Ok(Given { automaton, rejects })
    }
}

/// A step of a rival; what it means for the acceptance is a number that [`Rival::marks`] reads.
#[derive(Clone, Copy)]
struct RivalStep {
    label: Label,
    target: StateId,
    event: u32,
}

impl Rival {
    fn letters(&self) -> &Letters {
        match self {
            Rival::Given(given) => given.automaton.letters(),
            Rival::Trees(trees) => trees.letters(),
        }
    }

    fn letters_mut(&mut self) -> &mut Letters {
        match self {
            Rival::Given(given) => given.automaton.letters_mut(),
            Rival::Trees(trees) => trees.letters_mut(),
        }
    }

    fn initial(&self) -> StateId {
        match self {
            Rival::Given(given) => given.automaton.initial()[0],
            Rival::Trees(trees) => trees.initial(),
        }
    }

    fn steps(&mut self, state: StateId, out: &mut Vec<RivalStep>) -> Result<(), BudgetError> {
        match self {
            Rival::Given(given) => {
                out.extend(given.automaton.edges(state).iter().map(|edge| RivalStep {
                    label: edge.label,
                    target: edge.target,
                    event: edge.marks.index() as u32,
                }));
            }
            Rival::Trees(trees) => out.extend(trees.steps(state)?.iter().map(|step| RivalStep {
                label: step.label,
                target: step.target,
                event: match step.event {
                    Event::Nothing => 0,
                    Event::Removed(age) => 2 * age + 1,
                    Event::Green(age) => 2 * age + 2,
                },
            })),
        }
        Ok(())
    }

    /// The marks of an event, counted from `offset`.
    fn marks(&self, event: u32, offset: u32) -> MarkSet {
        match self {
            Rival::Given(given) => given.rejects.sets[event as usize].shifted(offset),
            // The mark 2e says that age e is green, 2e + 1 that it cannot be trusted.
            Rival::Trees(trees) => match event {
                0 => MarkSet::new(),
                odd if odd % 2 == 1 => {
                    (odd / 2..trees.ages()).map(|age| Mark(offset + 2 * age + 1)).collect()
                }
                even => [Mark(offset + even - 2)].into_iter().collect(),
            },
        }
    }

    /// Condition on a run to be rejected, over marks counted from `offset`.
    fn rejection(&self, offset: u32) -> Acceptance {
        match self {
            Rival::Given(given) => {
                given.rejects.acceptance.dual().rename(|mark| Mark(mark.0 + offset))
            }
            Rival::Trees(trees) => Acceptance::and((0..trees.ages()).map(|age| {
                let green = Mark(offset + 2 * age);
                Acceptance::or([Acceptance::Fin(green), Acceptance::Inf(Mark(green.0 + 1))])
            })),
        }
    }
}

/// Most pairs of edges that a simulation is computed for; beyond, the search is on its own.
const MOST_PAIRS: usize = 1 << 20;

/// For each state of the left automaton the states of the right one that simulate it, as rows of a
/// matrix; `None` when that would take too long.
fn simulation(left: &Left, right: &mut Nba) -> Result<Option<Vec<bool>>, BudgetError> {
    let pairs = |left: usize, right: usize| left.checked_mul(right).is_some_and(|n| n < MOST_PAIRS);
    let (rows, columns) = (left.edges.len(), right.len());
    let edges = (left.edges.iter().map(Vec::len).sum(), right.edges.iter().map(Vec::len).sum());
    if !pairs(rows, columns) || !pairs(edges.0, edges.1) {
        return Ok(None);
    }
    let mut simulated = vec![true; rows * columns];
    loop {
        let mut changed = false;
        for row in 0..rows {
            for column in 0..columns {
                let at = row * columns + column;
                if simulated[at] && !answers(left, right, row, column, &simulated)? {
                    simulated[at] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            return Ok(Some(simulated));
        }
    }
}

/// Whether the right state has an answer to every edge of the left one.
fn answers(
    left: &Left,
    right: &mut Nba,
    row: usize,
    column: usize,
    simulated: &[bool],
) -> Result<bool, BudgetError> {
    let columns = right.len();
    if right.universal[column] {
        return Ok(true);
    }
    for edge in &left.edges[row] {
        let mut open = edge.label;
        for answer in &right.edges[column] {
            // An edge between components is taken once, so it need not accept.
            let accepts = answer.kind == Kind::Accepting || answer.leaves;
            if (edge.accepting && !accepts)
                || !simulated[edge.target as usize * columns + answer.target as usize]
            {
                continue;
            }
            open = right.letters.minus(open, answer.label)?;
            if open == Label::FALSE {
                break;
            }
        }
        if open != Label::FALSE {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The product, explored on demand.
struct Product {
    left: Left,
    rival: Rival,
    simulated: Option<Vec<bool>>,
    limits: Limits,
    acceptance: Acceptance,
    table: MarkTable,
    joined: HashMap<(u32, u32), MarkSetId>,
    nodes: Numbering<(u32, StateId)>,
    /// Where the steps of a node lie, once they are known.
    known: Vec<Option<(usize, usize)>>,
    steps: Vec<Step>,
    labels: Vec<Label>,
    buffer: Vec<RivalStep>,
    /// Why some steps are missing, if any are.
    refused: Option<BudgetError>,
}

impl Product {
    fn new(left: Left, rival: Rival, simulated: Option<Vec<bool>>, limits: Limits) -> Self {
        let acceptance = Acceptance::and([left.acceptance.clone(), rival.rejection(left.width)]);
        Product {
            left,
            rival,
            simulated,
            limits,
            acceptance,
            table: MarkTable::new(),
            joined: HashMap::new(),
            nodes: Numbering::new(),
            known: Vec::new(),
            steps: Vec::new(),
            labels: Vec::new(),
            buffer: Vec::new(),
            refused: None,
        }
    }

    /// The label of a step.
    fn label(&self, hop: Hop) -> Label {
        let (from, _) = self.known[hop.from.index()].expect("hops are steps that were asked for");
        self.labels[from + hop.nth as usize]
    }

    /// Whether everything that is accepted from here is accepted by the rival too.
    fn hopeless(&self, state: u32, rival: StateId) -> bool {
        let Rival::Trees(trees) = &self.rival else { return false };
        if trees.is_universal(rival) {
            return true;
        }
        let Some(simulated) = &self.simulated else { return false };
        let columns = trees.nba().len();
        let row = &simulated[state as usize * columns..][..columns];
        trees.members(rival).any(|member| row[member as usize])
    }

    fn expand(&mut self, node: StateId) -> Result<(), BudgetError> {
        let (state, rival) = self.nodes.key(node);
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        let expanded = self.rival.steps(rival, &mut buffer);
        for at in 0..self.left.edges[state as usize].len() {
            let LeftEdge { target, label, marks, .. } = self.left.edges[state as usize][at];
            for step in &buffer {
                let both = self.rival.letters_mut().and(label, step.label)?;
                if both == Label::FALSE || self.hopeless(target, step.target) {
                    continue;
                }
                let target = self.nodes.id((target, step.target));
                if self.nodes.len() > self.limits.states {
                    let limit = self.limits.states;
                    return Err(BudgetError { resource: Resource::States, limit });
                }
                let marks = self.join(marks, step.event);
                self.steps.push(Step { target, marks });
                self.labels.push(both);
            }
        }
        self.buffer = buffer;
        if self.steps.len() > self.limits.edges {
            return Err(BudgetError { resource: Resource::Edges, limit: self.limits.edges });
        }
        expanded
    }

    fn join(&mut self, left: u32, event: u32) -> MarkSetId {
        if let Some(&id) = self.joined.get(&(left, event)) {
            return id;
        }
        let set = self.left.sets[left as usize].union(&self.rival.marks(event, self.left.width));
        let id = self.table.intern(set);
        self.joined.insert((left, event), id);
        id
    }
}

impl Graph for Product {
    fn initial(&mut self) -> Vec<StateId> {
        let rival = self.rival.initial();
        let left: Vec<u32> =
            self.left.initial.iter().copied().filter(|&s| !self.hopeless(s, rival)).collect();
        left.into_iter().map(|state| self.nodes.id((state, rival))).collect()
    }

    /// A node whose steps cannot be computed within the limits has those that could be, from then
    /// on; [`Product::refused`] remembers it.
    fn steps(&mut self, node: StateId, steps: &mut Vec<Step>) {
        if self.known.len() <= node.index() {
            self.known.resize(node.index() + 1, None);
        }
        let (from, to) = match self.known[node.index()] {
            Some(range) => range,
            None => {
                let from = self.steps.len();
                if self.refused.is_none()
                    && let Err(refused) = self.expand(node)
                {
                    self.refused = Some(refused);
                }
                let range = (from, self.steps.len());
                self.known[node.index()] = Some(range);
                range
            }
        };
        steps.extend_from_slice(&self.steps[from..to]);
    }

    fn marks(&self, id: MarkSetId) -> Cow<'_, MarkSet> {
        Cow::Borrowed(self.table.get(id))
    }

    fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }
}
