//! Explicit automata: states, edges with a label and marks, and an acceptance condition.
//!
//! An [`Automaton`] is frozen: edges lie sorted by source in compact arrays, twelve bytes each.
//! [`Builder`] collects edges in any order. If you only want to *search* something that you can
//! enumerate, implement [`crate::Graph`] instead; no automaton is needed for that.
//!
//! Acceptance is on edges. A state-based condition is an automaton whose edges out of one state
//! all carry the same marks ([`Automaton::state_marks`]), as HOA defines it.

use hashbrown::HashMap;

use crate::acceptance::Acceptance;
use crate::letters::{Import, Label, Letters, Prop};
use crate::marks::{MarkSet, MarkSetId, MarkTable};
use crate::refused::BudgetError;

fairly_source::ids! {
    /// A state of an automaton or a node of a graph; prints as its number, as in HOA.
    StateId;
}

/// One edge, without its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// Where it leads.
    pub target: StateId,
    /// The letters it is taken on.
    pub label: Label,
    /// The marks it carries.
    pub marks: MarkSetId,
}

/// An automaton on infinite words over valuations of propositions.
#[derive(Clone, Debug)]
pub struct Automaton {
    name: Option<String>,
    propositions: Vec<String>,
    letters: Letters,
    marks: MarkTable,
    acceptance: Acceptance,
    mark_count: u32,
    initial: Vec<StateId>,
    /// Edges of state `s` are `edges[first[s]..first[s + 1]]`.
    first: Vec<u32>,
    edges: Vec<Edge>,
    state_names: HashMap<StateId, String>,
}

impl Automaton {
    /// Name of the automaton, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The propositions that letters are valuations of.
    pub fn propositions(&self) -> &[String] {
        &self.propositions
    }

    /// The decision diagrams that labels refer to.
    pub fn letters(&self) -> &Letters {
        &self.letters
    }

    /// The same, to compute with labels.
    pub fn letters_mut(&mut self) -> &mut Letters {
        &mut self.letters
    }

    /// The mark sets that edges refer to.
    pub fn mark_table(&self) -> &MarkTable {
        &self.marks
    }

    /// The marks with this id.
    pub fn marks(&self, id: MarkSetId) -> &MarkSet {
        self.marks.get(id)
    }

    /// Which runs are accepted.
    pub fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }

    /// How many marks are declared; the acceptance condition may use fewer.
    pub fn mark_count(&self) -> u32 {
        self.mark_count
    }

    /// The initial states; a run starts in one of them.
    pub fn initial(&self) -> &[StateId] {
        &self.initial
    }

    /// How many states there are.
    pub fn state_count(&self) -> usize {
        self.first.len() - 1
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// All states.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = StateId> + use<> {
        (0..self.state_count()).map(StateId::from_index)
    }

    /// The edges that leave `state`.
    pub fn edges(&self, state: StateId) -> &[Edge] {
        let from = self.first[state.index()] as usize;
        let to = self.first[state.index() + 1] as usize;
        &self.edges[from..to]
    }

    /// All edges, sorted by source.
    pub fn all_edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Name of a state, if it has one.
    pub fn state_name(&self, state: StateId) -> Option<&str> {
        self.state_names.get(&state).map(String::as_str)
    }

    /// The marks of each state, if acceptance is state-based: all edges that leave one state carry
    /// the same marks. A state without edges has none.
    pub fn state_marks(&self) -> Option<Vec<MarkSetId>> {
        self.states()
            .map(|state| {
                let edges = self.edges(state);
                let marks = edges.first().map_or(MarkSetId::EMPTY, |edge| edge.marks);
                edges.iter().all(|edge| edge.marks == marks).then_some(marks)
            })
            .collect()
    }

    /// Whether each state has at most one run on each word, and there is one initial state.
    pub fn is_deterministic(&self) -> Result<bool, BudgetError> {
        let mut letters = self.letters.clone();
        if self.initial.len() > 1 {
            return Ok(false);
        }
        for state in self.states() {
            let mut used = Label::FALSE;
            for edge in self.edges(state) {
                if letters.and(used, edge.label)? != Label::FALSE {
                    return Ok(false);
                }
                used = letters.or(used, edge.label)?;
            }
        }
        Ok(true)
    }

    /// Whether every state has an edge on every letter.
    pub fn is_complete(&self) -> Result<bool, BudgetError> {
        let mut letters = self.letters.clone();
        for state in self.states() {
            let mut used = Label::FALSE;
            for edge in self.edges(state) {
                used = letters.or(used, edge.label)?;
            }
            if used != Label::TRUE {
                return Ok(false);
            }
        }
        Ok(!self.initial.is_empty())
    }

    /// A builder that starts with this automaton's propositions, letters, marks and acceptance, but
    /// without its states. Labels and mark set ids of this automaton stay valid in it.
    pub fn like(&self) -> Builder {
        Builder {
            name: None,
            propositions: self.propositions.clone(),
            letters: self.letters.clone(),
            marks: self.marks.clone(),
            acceptance: self.acceptance.clone(),
            mark_count: self.mark_count,
            initial: Vec::new(),
            states: 0,
            edges: Vec::new(),
            state_names: HashMap::new(),
        }
    }

    /// A builder that holds all of this automaton, to be changed.
    pub fn to_builder(&self) -> Builder {
        let mut builder = self.like();
        builder.name = self.name.clone();
        builder.states = self.state_count();
        builder.initial = self.initial.clone();
        builder.state_names = self.state_names.clone();
        for state in self.states() {
            builder.edges.extend(self.edges(state).iter().map(|&edge| (state, edge)));
        }
        builder
    }

    /// Bytes of the arrays, for the memory figures in the benchmarks.
    pub fn bytes(&self) -> usize {
        self.first.capacity() * 4
            + self.edges.capacity() * size_of::<Edge>()
            + self.marks.bytes()
            + self.letters.len() * 24
    }
}

impl PartialEq for Automaton {
    /// The same states, edges in the same order, equivalent labels, the same marks, acceptance,
    /// propositions and names. How labels and mark sets are numbered does not count.
    fn eq(&self, other: &Self) -> bool {
        let shape = self.name == other.name
            && self.propositions == other.propositions
            && self.acceptance == other.acceptance
            && self.mark_count == other.mark_count
            && self.initial == other.initial
            && self.first == other.first
            && self.state_names == other.state_names;
        if !shape {
            return false;
        }
        let mut letters = self.letters.clone();
        let rename: Vec<Prop> = (0..).map(Prop).take(self.propositions.len()).collect();
        let mut import = Import::new(&other.letters, &rename);
        self.edges.iter().zip(&other.edges).all(|(mine, theirs)| {
            mine.target == theirs.target
                && self.marks(mine.marks) == other.marks(theirs.marks)
                && import.label(&mut letters, theirs.label) == Ok(mine.label)
        })
    }
}

/// Collects an automaton.
///
/// ```
/// use fairly_omega::{Acceptance, Builder, Label, Mark};
/// let mut builder = Builder::new(vec!["p".into()]);
/// builder.set_acceptance(Acceptance::buchi(), 1);
/// let start = builder.add_state();
/// builder.add_initial(start);
/// let p = builder.letters_mut().prop(fairly_omega::Prop(0)).unwrap();
/// let not_p = builder.letters_mut().not(p).unwrap();
/// builder.add_edge(start, p, [Mark(0)].into_iter().collect(), start);
/// builder.add_edge(start, not_p, Default::default(), start);
/// let gf_p = builder.build();
/// assert_eq!((gf_p.state_count(), gf_p.edge_count()), (1, 2));
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    name: Option<String>,
    propositions: Vec<String>,
    letters: Letters,
    marks: MarkTable,
    acceptance: Acceptance,
    mark_count: u32,
    initial: Vec<StateId>,
    states: usize,
    edges: Vec<(StateId, Edge)>,
    state_names: HashMap<StateId, String>,
}

impl Builder {
    /// An automaton without states over these propositions, which accepts every infinite run.
    pub fn new(propositions: Vec<String>) -> Self {
        Builder {
            name: None,
            propositions,
            letters: Letters::new(),
            marks: MarkTable::new(),
            acceptance: Acceptance::True,
            mark_count: 0,
            initial: Vec::new(),
            states: 0,
            edges: Vec::new(),
            state_names: HashMap::new(),
        }
    }

    /// Names the automaton.
    pub fn set_name(&mut self, name: Option<String>) {
        self.name = name;
    }

    /// Sets the condition and how many marks are declared; at least those it uses are.
    pub fn set_acceptance(&mut self, acceptance: Acceptance, mark_count: u32) {
        let used = acceptance.marks().iter().last().map_or(0, |mark| mark.0 + 1);
        self.mark_count = mark_count.max(used);
        self.acceptance = acceptance;
    }

    /// The propositions.
    pub fn propositions(&self) -> &[String] {
        &self.propositions
    }

    /// The diagrams that labels refer to.
    pub fn letters(&self) -> &Letters {
        &self.letters
    }

    /// The same, to make labels with.
    pub fn letters_mut(&mut self) -> &mut Letters {
        &mut self.letters
    }

    /// The table that mark set ids refer to.
    pub fn mark_table_mut(&mut self) -> &mut MarkTable {
        &mut self.marks
    }

    /// A new state.
    pub fn add_state(&mut self) -> StateId {
        self.add_states(1)
    }

    /// Several new states with consecutive numbers; returns the first.
    pub fn add_states(&mut self, count: usize) -> StateId {
        let first = StateId::from_index(self.states);
        self.states += count;
        StateId::from_index(self.states);
        first
    }

    /// How many states there are so far.
    pub fn state_count(&self) -> usize {
        self.states
    }

    /// How many edges there are so far.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Lets runs start in `state` too; saying it twice changes nothing.
    pub fn add_initial(&mut self, state: StateId) {
        self.initial.push(state);
    }

    /// Replaces the initial states; repetitions are dropped. Unlike [`Builder::add_initial`] in a
    /// loop this is linear, for readers of files that may list millions.
    pub fn set_initial(&mut self, states: Vec<StateId>) {
        let mut known = hashbrown::HashSet::new();
        self.initial = states.into_iter().filter(|&state| known.insert(state)).collect();
    }

    /// Names a state.
    pub fn set_state_name(&mut self, state: StateId, name: String) {
        self.state_names.insert(state, name);
    }

    /// Adds an edge. One with an unsatisfiable label is left out: it can never be taken.
    pub fn add_edge(&mut self, from: StateId, label: Label, marks: MarkSet, target: StateId) {
        let marks = self.marks.intern(marks);
        self.add_interned(from, Edge { target, label, marks });
    }

    /// The same with a mark set that is in the table already.
    pub fn add_interned(&mut self, from: StateId, edge: Edge) {
        if edge.label != Label::FALSE {
            self.edges.push((from, edge));
        }
    }

    /// Changes the marks of every edge, for conditions that are rewritten once all edges are known.
    pub fn map_marks(&mut self, mut change: impl FnMut(&MarkSet) -> MarkSet) {
        let old = std::mem::take(&mut self.marks);
        let ids: Vec<MarkSetId> =
            old.iter().map(|(_, set)| self.marks.intern(change(set))).collect();
        for (_, edge) in &mut self.edges {
            edge.marks = ids[edge.marks.index()];
        }
    }

    /// The targets of all edges.
    pub(crate) fn targets(&self) -> impl Iterator<Item = StateId> {
        self.edges.iter().map(|(_, edge)| edge.target)
    }

    /// Renumbers the targets of all edges, for readers that learn numbers late.
    pub(crate) fn map_targets(&mut self, mut change: impl FnMut(StateId) -> StateId) {
        self.edges.iter_mut().for_each(|(_, edge)| edge.target = change(edge.target));
    }

    /// The automaton.
    ///
    /// # Panics
    /// If an edge or the list of initial states names a state that was not added.
    pub fn build(mut self) -> Automaton {
        let mut seen = hashbrown::HashSet::new();
        self.initial.retain(|&state| seen.insert(state));
        let mut first = vec![0u32; self.states + 1];
        for (from, _) in &self.edges {
            first[from.index() + 1] += 1;
        }
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        let known = |state: StateId| assert!(state.index() < self.states, "unknown state {state}");
        self.initial.iter().copied().for_each(known);
        // Edges often come sorted by source already; then they only need copying.
        let mut edges;
        if self.edges.is_sorted_by_key(|&(from, _)| from) {
            edges = self.edges.iter().map(|&(_, edge)| edge).collect::<Vec<_>>();
        } else {
            let filler = Edge { target: StateId(0), label: Label::FALSE, marks: MarkSetId::EMPTY };
            edges = vec![filler; self.edges.len()];
            let mut next = first.clone();
            for &(from, edge) in &self.edges {
                edges[next[from.index()] as usize] = edge;
                next[from.index()] += 1;
            }
        }
        edges.iter().for_each(|edge| known(edge.target));
        Automaton {
            name: self.name,
            propositions: self.propositions,
            letters: self.letters,
            marks: self.marks,
            acceptance: self.acceptance,
            mark_count: self.mark_count,
            initial: self.initial,
            first,
            edges,
            state_names: self.state_names,
        }
    }
}
