//! The synchronous product: both automata read every letter.
//!
//! [`product`] builds it, [`ProductGraph`] explores it without building, for
//! [`crate::emptiness`]; [`intersection`] is the product without the states that do not matter. If the automata take
//! turns on letters of their own you want [`crate::ops::alphabetised_product`] instead.

use std::borrow::Cow;

use hashbrown::HashMap;

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, Builder, StateId};
use crate::graph::{Graph, Hop, Step};
use crate::letters::{Label, Letters};
use crate::marks::{MarkSet, MarkSetId, MarkTable};
use crate::ops::complete::complete;
use crate::ops::parts::{
    Numbering, Renumbered, first_edges, import_labels, join_propositions, within,
};
use crate::ops::trim::trim;
use crate::refused::{BudgetError, Limits};

/// Which runs of a product are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Combine {
    /// Both parts accept: the product accepts the intersection.
    #[default]
    And,
    /// One part accepts: the product accepts the union. Operands that cannot read every letter
    /// are completed first, since one that gets stuck would take the other with it.
    Or,
}

/// How [`product`] is built.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProductConfig {
    /// Which runs are accepted.
    pub combine: Combine,
    /// How large the result may become.
    pub limits: Limits,
}

/// The synchronous product, over the union of the propositions. Of the marks only those that a
/// condition names are kept; they are renumbered in a row, the left automaton's first. Only
/// reachable states are built, and states are named `left,right` where both parts have a name.
///
/// # Errors
/// When the result would pass the limits.
///
/// ```
/// use fairly_omega::ops::{ProductConfig, product};
/// use fairly_omega::{Acceptance, Builder, Label, Mark};
/// let always = |name: &str| {
///     let mut builder = Builder::new(vec![name.into()]);
///     builder.set_acceptance(Acceptance::buchi(), 1);
///     let state = builder.add_state();
///     builder.add_initial(state);
///     let label = builder.letters_mut().prop(fairly_omega::Prop(0)).unwrap();
///     builder.add_edge(state, label, [Mark(0)].into_iter().collect(), state);
///     builder.build()
/// };
/// let both = product(&always("p"), &always("q"), &ProductConfig::default()).unwrap();
/// assert_eq!(both.propositions(), ["p", "q"]);
/// assert_eq!(both.acceptance(), &Acceptance::generalized_buchi(2));
/// assert_eq!((both.state_count(), both.edge_count()), (1, 1));
/// ```
pub fn product(
    left: &Automaton,
    right: &Automaton,
    config: &ProductConfig,
) -> Result<Automaton, BudgetError> {
    match config.combine {
        Combine::And => Ok(product_pairs(left, right, config)?.0),
        Combine::Or => Ok(product_pairs(&complete(left)?, &complete(right)?, config)?.0),
    }
}

/// The product, and the pair of states behind each of its states.
pub(crate) fn product_pairs(
    left: &Automaton,
    right: &Automaton,
    config: &ProductConfig,
) -> Result<(Automaton, Vec<(StateId, StateId)>), BudgetError> {
    let (propositions, rename) = join_propositions(&[left, right]);
    let mut builder = Builder::new(propositions);
    let labels = [
        import_labels(left, &rename[0], builder.letters_mut())?,
        import_labels(right, &rename[1], builder.letters_mut())?,
    ];
    let first = [first_edges(left), first_edges(right)];
    let mut marks = PairMarks::new(left, right, config.combine);
    builder.set_acceptance(marks.acceptance.clone(), marks.width);
    let mut nodes: Numbering<(StateId, StateId)> = Numbering::new();
    for &a in left.initial() {
        for &b in right.initial() {
            let node = nodes.state((a, b), &mut builder);
            builder.add_initial(node);
        }
    }
    while let Some((node, (a, b))) = nodes.next() {
        if let (Some(a), Some(b)) = (left.state_name(a), right.state_name(b)) {
            builder.set_state_name(node, format!("{a},{b}"));
        }
        for (at, mine) in left.edges(a).iter().enumerate() {
            for (bt, theirs) in right.edges(b).iter().enumerate() {
                let label = builder.letters_mut().and(
                    labels[0][first[0][a.index()] + at],
                    labels[1][first[1][b.index()] + bt],
                )?;
                if label == Label::FALSE {
                    continue;
                }
                let target = nodes.state((mine.target, theirs.target), &mut builder);
                let both = marks.set(mine.marks, theirs.marks).clone();
                builder.add_edge(node, label, both, target);
                within(&builder, config.limits)?;
            }
        }
    }
    Ok((builder.build(), nodes.into_keys()))
}

/// The words that both automata accept: the product without states that no accepting run visits.
///
/// # Errors
/// When the product would pass the limits.
pub fn intersection(
    left: &Automaton,
    right: &Automaton,
    limits: Limits,
) -> Result<Automaton, BudgetError> {
    Ok(trim(&product(left, right, &ProductConfig { combine: Combine::And, limits })?))
}

/// The marks of pairs of edges, each pair of sets joined once.
#[derive(Clone, Debug)]
struct PairMarks {
    acceptance: Acceptance,
    width: u32,
    left: Vec<MarkSet>,
    right: Vec<MarkSet>,
    joined: HashMap<(MarkSetId, MarkSetId), MarkSetId>,
    table: MarkTable,
}

impl PairMarks {
    fn new(left: &Automaton, right: &Automaton, combine: Combine) -> Self {
        let left = Renumbered::of(left, 0);
        let right = Renumbered::of(right, left.width);
        let parts = [left.acceptance, right.acceptance];
        PairMarks {
            acceptance: match combine {
                Combine::And => Acceptance::and(parts),
                Combine::Or => Acceptance::or(parts),
            },
            width: left.width + right.width,
            left: left.sets,
            right: right.sets,
            joined: HashMap::new(),
            table: MarkTable::new(),
        }
    }

    fn id(&mut self, left: MarkSetId, right: MarkSetId) -> MarkSetId {
        *self.joined.entry((left, right)).or_insert_with(|| {
            self.table.intern(self.left[left.index()].union(&self.right[right.index()]))
        })
    }

    fn set(&mut self, left: MarkSetId, right: MarkSetId) -> &MarkSet {
        let id = self.id(left, right);
        self.table.get(id)
    }
}

/// The product for the intersection, explored on demand: no node or label is made before it is
/// asked for.
///
/// A [`Graph`] cannot refuse, so nothing here can: whether two labels have a letter in common is
/// found by walking both diagrams, not by building their conjunction.
///
/// ```
/// use fairly_omega::ops::ProductGraph;
/// use fairly_omega::{Builder, Label, emptiness};
/// let mut builder = Builder::new(vec!["p".into()]);
/// let state = builder.add_state();
/// builder.add_initial(state);
/// builder.add_edge(state, Label::TRUE, Default::default(), state);
/// let all = builder.build();
/// let mut graph = ProductGraph::new(&all, &all).unwrap();
/// assert!(emptiness::find_lasso(&mut graph).unwrap().is_some());
/// ```
#[derive(Clone, Debug)]
pub struct ProductGraph<'a> {
    left: &'a Automaton,
    right: &'a Automaton,
    propositions: Vec<String>,
    letters: Letters,
    labels: [Vec<Label>; 2],
    first: [Vec<usize>; 2],
    meets: HashMap<(Label, Label), bool>,
    marks: PairMarks,
    nodes: Numbering<(StateId, StateId)>,
}

impl<'a> ProductGraph<'a> {
    /// The product of two automata.
    ///
    /// # Errors
    /// When the labels of both do not fit in one store.
    pub fn new(left: &'a Automaton, right: &'a Automaton) -> Result<Self, BudgetError> {
        let (propositions, rename) = join_propositions(&[left, right]);
        let mut letters = Letters::new();
        let labels = [
            import_labels(left, &rename[0], &mut letters)?,
            import_labels(right, &rename[1], &mut letters)?,
        ];
        Ok(ProductGraph {
            left,
            right,
            propositions,
            letters,
            labels,
            first: [first_edges(left), first_edges(right)],
            meets: HashMap::new(),
            marks: PairMarks::new(left, right, Combine::And),
            nodes: Numbering::new(),
        })
    }

    /// The propositions of the product's letters: the left automaton's, then what the right one
    /// adds.
    pub fn propositions(&self) -> &[String] {
        &self.propositions
    }

    /// The diagrams that [`ProductGraph::label`] answers in.
    pub fn letters(&self) -> &Letters {
        &self.letters
    }

    /// The states that a node, met before, is made of.
    pub fn pair(&self, node: StateId) -> (StateId, StateId) {
        self.nodes.key(node)
    }

    /// The edges that a step is made of: positions among the edges of the left and of the right
    /// state.
    ///
    /// # Panics
    /// If the node has no such step.
    pub fn edges(&mut self, hop: Hop) -> (usize, usize) {
        let (a, b) = self.nodes.key(hop.from);
        let nth = hop.nth as usize;
        self.pairs(a, b).into_iter().nth(nth).expect("a step of this graph")
    }

    /// The letters that a step is taken on.
    ///
    /// # Errors
    /// When the conjunction does not fit in the store.
    ///
    /// # Panics
    /// If the node has no such step.
    pub fn label(&mut self, hop: Hop) -> Result<Label, BudgetError> {
        let (a, b) = self.nodes.key(hop.from);
        let (at, bt) = self.edges(hop);
        let (left, right) = (self.label_of(0, a, at), self.label_of(1, b, bt));
        self.letters.and(left, right)
    }

    fn label_of(&self, side: usize, state: StateId, nth: usize) -> Label {
        self.labels[side][self.first[side][state.index()] + nth]
    }

    /// Positions of the pairs of edges that can be taken together.
    fn pairs(&mut self, a: StateId, b: StateId) -> Vec<(usize, usize)> {
        let (rows, columns) = (self.left.edges(a).len(), self.right.edges(b).len());
        let mut pairs = Vec::new();
        for at in 0..rows {
            for bt in 0..columns {
                let key = (self.label_of(0, a, at), self.label_of(1, b, bt));
                let letters = &self.letters;
                if *self.meets.entry(key).or_insert_with(|| meet(letters, key.0, key.1)) {
                    pairs.push((at, bt));
                }
            }
        }
        pairs
    }
}

impl Graph for ProductGraph<'_> {
    fn initial(&mut self) -> Vec<StateId> {
        let mut nodes = Vec::new();
        for &a in self.left.initial() {
            for &b in self.right.initial() {
                nodes.push(self.nodes.id((a, b)));
            }
        }
        nodes
    }

    fn steps(&mut self, node: StateId, steps: &mut Vec<Step>) {
        let (a, b) = self.nodes.key(node);
        for (at, bt) in self.pairs(a, b) {
            let (mine, theirs) = (self.left.edges(a)[at], self.right.edges(b)[bt]);
            let target = self.nodes.id((mine.target, theirs.target));
            steps.push(Step { target, marks: self.marks.id(mine.marks, theirs.marks) });
        }
    }

    fn marks(&self, id: MarkSetId) -> Cow<'_, MarkSet> {
        Cow::Borrowed(self.marks.table.get(id))
    }

    fn acceptance(&self) -> &Acceptance {
        &self.marks.acceptance
    }
}

/// Whether some letter satisfies both labels. Looks for one path to the constant true through both
/// diagrams at once, and makes no node.
fn meet(letters: &Letters, a: Label, b: Label) -> bool {
    let mut seen: hashbrown::HashSet<(Label, Label)> = hashbrown::HashSet::new();
    let mut stack = vec![(a, b)];
    while let Some((a, b)) = stack.pop() {
        if a == Label::FALSE || b == Label::FALSE {
            continue;
        }
        // Every diagram but the constant false is satisfiable.
        if a == Label::TRUE || b == Label::TRUE || a == b {
            return true;
        }
        if !seen.insert((a, b)) {
            continue;
        }
        let (Some((p, a0, a1)), Some((q, b0, b1))) = (letters.branch(a), letters.branch(b)) else {
            continue;
        };
        match p.cmp(&q) {
            std::cmp::Ordering::Less => stack.extend([(a0, b), (a1, b)]),
            std::cmp::Ordering::Greater => stack.extend([(a, b0), (a, b1)]),
            std::cmp::Ordering::Equal => stack.extend([(a0, b0), (a1, b1)]),
        }
    }
    false
}
