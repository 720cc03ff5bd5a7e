//! Letters: Boolean formulas over propositions, as reduced ordered decision diagrams.
//!
//! An edge of an automaton is taken on every valuation of the propositions that satisfies its
//! [`Label`]. A label is a four-byte handle into the [`Letters`] of its automaton; two labels of
//! one automaton are equivalent exactly when the handles are equal.
//!
//! Why diagrams of our own. Cubes are simple, but negation (complement), implication (simulation)
//! and splitting into disjoint classes (determinization) blow up on them, and equivalent labels
//! look different. Of the diagram crates, `biodivine-lib-bdd` keeps each function as its own
//! vector: a label would be 24 bytes and some 70 more on the heap instead of four in all, and the
//! conjunctions of 200 random labels over eight propositions took 1.3 µs each there against
//! 0.5 µs here the first time and 0.3 µs when asked again, as products do. `oxidd` shares
//! nodes but a handle is reference-counted under a manager lock and it brings 44 crates. What the
//! automata need is little: hash-consing, a computed table, a hard bound on nodes that fails
//! cleanly, and irredundant covers for printing. That is this file.
//!
//! Everything is iterative: the depth of a diagram is the number of propositions, which a file
//! chooses.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::refused::{BudgetError, Resource};

/// A Boolean formula over the propositions of one automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(u32);

impl Label {
    /// No letter.
    pub const FALSE: Label = Label(0);
    /// Every letter.
    pub const TRUE: Label = Label(1);

    /// The position in the table of nodes, for tables indexed by label.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A proposition: its position in the automaton's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Prop(pub u32);

/// A conjunction of literals, sorted by proposition.
pub type Cube = Vec<(Prop, bool)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node {
    prop: u32,
    low: Label,
    high: Label,
}

/// Proposition number of the two constants: below every real one in the order.
const CONSTANT: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    And,
    Or,
    Xor,
}

/// The decision diagrams of one automaton's labels.
#[derive(Clone, Debug)]
pub struct Letters {
    nodes: Vec<Node>,
    unique: HashTable<u32>,
    hasher: DefaultHashBuilder,
    computed: Vec<(u8, Label, Label, Label)>,
    /// Stacks of [`Letters::apply`], kept so that an operation allocates nothing.
    tasks: Vec<Task>,
    results: Vec<Label>,
    limit: usize,
}

/// A step of an operation on two diagrams.
#[derive(Clone, Copy, Debug)]
enum Task {
    Solve(Label, Label),
    Join(u32, Label, Label),
}

impl Default for Letters {
    fn default() -> Self {
        Letters::new()
    }
}

impl Letters {
    /// Nodes a store may hold unless told otherwise: about 100 MB.
    pub const DEFAULT_LIMIT: usize = 1 << 22;

    /// A store with the two constants.
    pub fn new() -> Self {
        Letters::with_limit(Self::DEFAULT_LIMIT)
    }

    /// A store that refuses to hold more than `limit` nodes.
    pub fn with_limit(limit: usize) -> Self {
        let constant = |value| Node { prop: CONSTANT, low: value, high: value };
        Letters {
            nodes: vec![constant(Label::FALSE), constant(Label::TRUE)],
            unique: HashTable::new(),
            hasher: Default::default(),
            computed: Vec::new(),
            tasks: Vec::new(),
            results: Vec::new(),
            limit,
        }
    }

    /// Nodes held, the constants included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never true: the constants are always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The formula that is true when `prop` is.
    ///
    /// # Errors
    /// When the store is full; so for every operation below that returns a `Result`.
    pub fn prop(&mut self, prop: Prop) -> Result<Label, BudgetError> {
        self.node(prop.0, Label::FALSE, Label::TRUE)
    }

    /// The conjunction of literals. Later literals of one proposition win.
    pub fn cube(&mut self, literals: &[(Prop, bool)]) -> Result<Label, BudgetError> {
        let mut sorted = literals.to_vec();
        sorted.sort_by_key(|&(prop, _)| prop);
        let mut cube = Label::TRUE;
        let mut last = None;
        for &(prop, value) in sorted.iter().rev() {
            if last == Some(prop) {
                continue;
            }
            last = Some(prop);
            cube = if value {
                self.node(prop.0, Label::FALSE, cube)?
            } else {
                self.node(prop.0, cube, Label::FALSE)?
            };
        }
        Ok(cube)
    }

    /// Conjunction.
    pub fn and(&mut self, a: Label, b: Label) -> Result<Label, BudgetError> {
        self.apply(Op::And, a, b)
    }

    /// Disjunction.
    pub fn or(&mut self, a: Label, b: Label) -> Result<Label, BudgetError> {
        self.apply(Op::Or, a, b)
    }

    /// Exclusive disjunction.
    pub fn xor(&mut self, a: Label, b: Label) -> Result<Label, BudgetError> {
        self.apply(Op::Xor, a, b)
    }

    /// Negation.
    pub fn not(&mut self, a: Label) -> Result<Label, BudgetError> {
        self.apply(Op::Xor, a, Label::TRUE)
    }

    /// The letters of `a` that are not in `b`.
    pub fn minus(&mut self, a: Label, b: Label) -> Result<Label, BudgetError> {
        let not_b = self.not(b)?;
        self.and(a, not_b)
    }

    /// Whether every letter of `a` is in `b`.
    pub fn implies(&mut self, a: Label, b: Label) -> Result<bool, BudgetError> {
        Ok(a == b || b == Label::TRUE || self.minus(a, b)? == Label::FALSE)
    }

    /// Whether the valuation satisfies `label`.
    pub fn holds(&self, label: Label, valuation: impl Fn(Prop) -> bool) -> bool {
        let mut at = label;
        while at.0 > 1 {
            let node = self.nodes[at.index()];
            at = if valuation(Prop(node.prop)) { node.high } else { node.low };
        }
        at == Label::TRUE
    }

    /// Some satisfying literals, or `None` for the unsatisfiable formula; propositions that are
    /// not mentioned are free.
    pub fn witness(&self, label: Label) -> Option<Cube> {
        if label == Label::FALSE {
            return None;
        }
        let mut cube = Cube::new();
        let mut at = label;
        while at != Label::TRUE {
            let node = self.nodes[at.index()];
            // In a reduced diagram every node but the constant false is satisfiable.
            let value = node.low == Label::FALSE;
            cube.push((Prop(node.prop), value));
            at = if value { node.high } else { node.low };
        }
        Some(cube)
    }

    /// The top proposition with the two cofactors, or `None` for a constant.
    pub fn branch(&self, label: Label) -> Option<(Prop, Label, Label)> {
        let node = self.nodes[label.index()];
        (node.prop != CONSTANT).then_some((Prop(node.prop), node.low, node.high))
    }

    /// The propositions that the formula depends on, in order.
    pub fn support(&self, label: Label) -> Vec<Prop> {
        let mut props: Vec<Prop> = self
            .reachable(label)
            .into_iter()
            .map(|node| Prop(self.nodes[node.index()].prop))
            .collect();
        props.sort_unstable();
        props.dedup();
        props
    }

    /// The inner nodes below and including `label`, children before parents.
    pub fn reachable(&self, label: Label) -> Vec<Label> {
        let mut seen = hashbrown::HashSet::new();
        let mut order = Vec::new();
        let mut stack = vec![(label, false)];
        while let Some((at, done)) = stack.pop() {
            if at.0 <= 1 {
                continue;
            }
            if done {
                order.push(at);
            } else if seen.insert(at) {
                let node = self.nodes[at.index()];
                stack.push((at, true));
                stack.push((node.high, false));
                stack.push((node.low, false));
            }
        }
        order
    }

    /// An irredundant set of cubes whose disjunction is `label`, or `None` when there would be
    /// more than `most` of them.
    ///
    /// The recursion of Minato ("Fast generation of irredundant sum-of-products forms from binary
    /// decision diagrams", SASIMI 1992), recursing on the number of propositions in the support,
    /// which is bounded here: above 512 of them the answer is `None`.
    pub fn cover(&mut self, label: Label, most: usize) -> Result<Option<Vec<Cube>>, BudgetError> {
        if self.support(label).len() > 512 {
            // One cube can still be read off without recursion.
            return Ok(self.single_cube(label).map(|cube| vec![cube]));
        }
        let mut cubes = Vec::new();
        let mut budget = most;
        Ok(self.isop(label, label, &mut Vec::new(), &mut cubes, &mut budget)?.map(|_| cubes))
    }

    /// The literals of `label` if it is one conjunction of literals.
    pub fn single_cube(&self, label: Label) -> Option<Cube> {
        let mut cube = Cube::new();
        let mut at = label;
        while at.0 > 1 {
            let node = self.nodes[at.index()];
            let value = node.low == Label::FALSE;
            if !value && node.high != Label::FALSE {
                return None;
            }
            cube.push((Prop(node.prop), value));
            at = if value { node.high } else { node.low };
        }
        (at == Label::TRUE).then_some(cube)
    }

    /// Covers a function between `lower` and `upper`; returns the function covered.
    fn isop(
        &mut self,
        lower: Label,
        upper: Label,
        prefix: &mut Cube,
        out: &mut Vec<Cube>,
        budget: &mut usize,
    ) -> Result<Option<Label>, BudgetError> {
        if lower == Label::FALSE {
            return Ok(Some(Label::FALSE));
        }
        if upper == Label::TRUE {
            if *budget == 0 {
                return Ok(None);
            }
            *budget -= 1;
            out.push(prefix.clone());
            return Ok(Some(Label::TRUE));
        }
        let prop = self.nodes[lower.index()].prop.min(self.nodes[upper.index()].prop);
        let (lower0, lower1) = self.cofactors(lower, prop);
        let (upper0, upper1) = self.cofactors(upper, prop);
        let only0 = self.minus(lower0, upper1)?;
        let only1 = self.minus(lower1, upper0)?;
        prefix.push((Prop(prop), false));
        let done0 = self.isop(only0, upper0, prefix, out, budget)?;
        prefix.pop();
        let Some(done0) = done0 else { return Ok(None) };
        prefix.push((Prop(prop), true));
        let done1 = self.isop(only1, upper1, prefix, out, budget)?;
        prefix.pop();
        let Some(done1) = done1 else { return Ok(None) };
        let left0 = self.minus(lower0, done0)?;
        let left1 = self.minus(lower1, done1)?;
        let left = self.or(left0, left1)?;
        let both = self.and(upper0, upper1)?;
        let Some(shared) = self.isop(left, both, prefix, out, budget)? else { return Ok(None) };
        let low = self.or(done0, shared)?;
        let high = self.or(done1, shared)?;
        self.node(prop, low, high).map(Some)
    }

    fn cofactors(&self, label: Label, prop: u32) -> (Label, Label) {
        let node = self.nodes[label.index()];
        if node.prop == prop { (node.low, node.high) } else { (label, label) }
    }

    fn node(&mut self, prop: u32, low: Label, high: Label) -> Result<Label, BudgetError> {
        if low == high {
            return Ok(low);
        }
        let node = Node { prop, low, high };
        let (nodes, hasher) = (&self.nodes, &self.hasher);
        let entry = self.unique.entry(
            hasher.hash_one(node),
            |&id| nodes[id as usize] == node,
            |&id| hasher.hash_one(nodes[id as usize]),
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(found) => Ok(Label(*found.get())),
            hashbrown::hash_table::Entry::Vacant(free) => {
                if self.nodes.len() >= self.limit {
                    return Err(BudgetError { resource: Resource::LetterNodes, limit: self.limit });
                }
                let id = u32::try_from(self.nodes.len()).expect("the limit is below 2^32");
                free.insert(id);
                self.nodes.push(node);
                Ok(Label(id))
            }
        }
    }

    fn terminal(op: Op, a: Label, b: Label) -> Option<Label> {
        match op {
            Op::And if a == Label::FALSE || b == Label::FALSE => Some(Label::FALSE),
            Op::And if a == Label::TRUE || a == b => Some(b),
            Op::And if b == Label::TRUE => Some(a),
            Op::Or if a == Label::TRUE || b == Label::TRUE => Some(Label::TRUE),
            Op::Or if a == Label::FALSE || a == b => Some(b),
            Op::Or if b == Label::FALSE => Some(a),
            Op::Xor if a == b => Some(Label::FALSE),
            Op::Xor if a == Label::FALSE => Some(b),
            Op::Xor if b == Label::FALSE => Some(a),
            _ => None,
        }
    }

    /// The direct-mapped table of results: one slot a hash, the newest wins. It starts small, since
    /// most automata have a handful of labels, and grows with the nodes.
    fn slot(&mut self, op: Op, a: Label, b: Label) -> usize {
        let wanted = (self.nodes.len() * 2).next_power_of_two().clamp(256, 1 << 18);
        if self.computed.len() < wanted {
            self.computed = vec![(u8::MAX, Label::FALSE, Label::FALSE, Label::FALSE); wanted];
        }
        let key = (u64::from(a.0) << 34) ^ (u64::from(b.0) << 2) ^ op as u64;
        let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 40) as usize & (self.computed.len() - 1)
    }

    /// The result of an operation that was computed before and not yet overwritten.
    fn known(&mut self, op: Op, a: Label, b: Label) -> Option<Label> {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let slot = self.slot(op, a, b);
        let (known_op, known_a, known_b, result) = self.computed[slot];
        (known_op == op as u8 && known_a == a && known_b == b).then_some(result)
    }

    fn apply(&mut self, op: Op, a: Label, b: Label) -> Result<Label, BudgetError> {
        if let Some(result) = Self::terminal(op, a, b) {
            return Ok(result);
        }
        if let Some(known) = self.known(op, a, b) {
            return Ok(known);
        }
        let mut tasks = std::mem::take(&mut self.tasks);
        let mut results = std::mem::take(&mut self.results);
        tasks.clear();
        results.clear();
        tasks.push(Task::Solve(a, b));
        while let Some(task) = tasks.pop() {
            match task {
                Task::Solve(a, b) => {
                    if let Some(result) = Self::terminal(op, a, b) {
                        results.push(result);
                        continue;
                    }
                    if let Some(known) = self.known(op, a, b) {
                        results.push(known);
                        continue;
                    }
                    let prop = self.nodes[a.index()].prop.min(self.nodes[b.index()].prop);
                    let (a0, a1) = self.cofactors(a, prop);
                    let (b0, b1) = self.cofactors(b, prop);
                    tasks.push(Task::Join(prop, a, b));
                    tasks.push(Task::Solve(a1, b1));
                    tasks.push(Task::Solve(a0, b0));
                }
                Task::Join(prop, a, b) => {
                    let high = results.pop().expect("both halves were solved");
                    let low = results.pop().expect("both halves were solved");
                    let joined = self.node(prop, low, high)?;
                    let (a, b) = if a <= b { (a, b) } else { (b, a) };
                    let slot = self.slot(op, a, b);
                    self.computed[slot] = (op as u8, a, b, joined);
                    results.push(joined);
                }
            }
        }
        let result = results.pop().expect("one result for one question");
        (self.tasks, self.results) = (tasks, results);
        Ok(result)
    }

    fn if_then_else(
        &mut self,
        prop: Prop,
        then: Label,
        other: Label,
    ) -> Result<Label, BudgetError> {
        let above = |letters: &Self, label: Label| letters.nodes[label.index()].prop > prop.0;
        if above(self, then) && above(self, other) {
            return self.node(prop.0, other, then);
        }
        let yes = self.prop(prop)?;
        let with = self.and(yes, then)?;
        let without = self.minus(other, yes)?;
        self.or(with, without)
    }

    /// Splits `classes`, which are disjoint, so that each is inside `label` or outside it.
    ///
    /// # Errors
    /// When there would be more than `most` classes, or the store is full.
    pub fn split(
        &mut self,
        classes: &mut Vec<Label>,
        label: Label,
        most: usize,
    ) -> Result<(), BudgetError> {
        for at in 0..classes.len() {
            let inside = self.and(classes[at], label)?;
            if inside == Label::FALSE || inside == classes[at] {
                continue;
            }
            let outside = self.minus(classes[at], label)?;
            classes[at] = inside;
            classes.push(outside);
            if classes.len() > most {
                return Err(BudgetError { resource: Resource::LetterClasses, limit: most });
            }
        }
        Ok(())
    }
}

/// Carries labels from one store to another, renaming propositions.
pub struct Import<'a> {
    from: &'a Letters,
    rename: &'a [Prop],
    known: hashbrown::HashMap<Label, Label>,
}

impl<'a> Import<'a> {
    /// An import from `from`, whose proposition `p` is `rename[p]` in the store it goes to.
    pub fn new(from: &'a Letters, rename: &'a [Prop]) -> Self {
        Import { from, rename, known: hashbrown::HashMap::new() }
    }

    /// The same formula in `into`, which must be one and the same store at every call.
    pub fn label(&mut self, into: &mut Letters, label: Label) -> Result<Label, BudgetError> {
        if label.0 <= 1 {
            return Ok(label);
        }
        if let Some(&known) = self.known.get(&label) {
            return Ok(known);
        }
        let translate = |known: &hashbrown::HashMap<Label, Label>, label: Label| {
            if label.0 <= 1 { label } else { known[&label] }
        };
        for at in self.from.reachable(label) {
            if self.known.contains_key(&at) {
                continue;
            }
            let node = self.from.nodes[at.index()];
            let (low, high) = (translate(&self.known, node.low), translate(&self.known, node.high));
            let renamed = into.if_then_else(self.rename[node.prop as usize], high, low)?;
            self.known.insert(at, renamed);
        }
        Ok(self.known[&label])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Truth tables over four propositions as the independent meaning.
    fn table(letters: &Letters, label: Label) -> u16 {
        (0..16u16)
            .filter(|&v| letters.holds(label, |p| v >> p.0 & 1 == 1))
            .fold(0, |t, v| t | 1 << v)
    }

    fn from_table(letters: &mut Letters, table: u16) -> Label {
        let mut sum = Label::FALSE;
        for v in (0..16).filter(|v| table >> v & 1 == 1) {
            let cube: Cube = (0..4).map(|p| (Prop(p), v >> p & 1 == 1)).collect();
            let cube = letters.cube(&cube).unwrap();
            sum = letters.or(sum, cube).unwrap();
        }
        sum
    }

    #[test]
    fn operations_agree_with_truth_tables() {
        let mut letters = Letters::new();
        let mut x = 0x0123_4567_89AB_CDEF_u64;
        for _ in 0..2000 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (ta, tb) = ((x >> 20) as u16, (x >> 40) as u16);
            let (a, b) = (from_table(&mut letters, ta), from_table(&mut letters, tb));
            assert_eq!(table(&letters, a), ta);
            let and = letters.and(a, b).unwrap();
            let or = letters.or(a, b).unwrap();
            let xor = letters.xor(a, b).unwrap();
            let not = letters.not(a).unwrap();
            assert_eq!(table(&letters, and), ta & tb);
            assert_eq!(table(&letters, or), ta | tb);
            assert_eq!(table(&letters, xor), ta ^ tb);
            assert_eq!(table(&letters, not), !ta);
            assert_eq!(letters.implies(a, b).unwrap(), ta & !tb == 0);
            assert_eq!(from_table(&mut letters, ta), a, "canonical");
            let cubes = letters.cover(a, 16).unwrap().unwrap();
            let mut sum = Label::FALSE;
            for cube in &cubes {
                let cube = letters.cube(cube).unwrap();
                assert!(letters.implies(cube, a).unwrap());
                sum = letters.or(sum, cube).unwrap();
            }
            assert_eq!(sum, a);
            match letters.witness(a) {
                None => assert_eq!(ta, 0),
                Some(cube) => {
                    let cube = letters.cube(&cube).unwrap();
                    assert!(letters.implies(cube, a).unwrap());
                }
            }
            // Reversing the order of the propositions twice is the identity.
            let mirror = [Prop(3), Prop(2), Prop(1), Prop(0)];
            let mut other = Letters::new();
            let there = Import::new(&letters, &mirror).label(&mut other, a).unwrap();
            let mut home = Letters::new();
            let back = Import::new(&other, &mirror).label(&mut home, there).unwrap();
            assert_eq!(table(&home, back), ta);
        }
    }

    #[test]
    fn a_full_store_refuses() {
        let mut letters = Letters::with_limit(100);
        // The parity of many propositions doubles nothing, so take the equality of two words with
        // the bad order: exponential.
        let mut all = Label::TRUE;
        let refused = (0..12).find_map(|bit| {
            let step = (|| {
                let x = letters.prop(Prop(bit))?;
                let y = letters.prop(Prop(bit + 12))?;
                let differ = letters.xor(x, y)?;
                letters.minus(all, differ)
            })();
            match step {
                Ok(label) => {
                    all = label;
                    None
                }
                Err(refused) => Some(refused),
            }
        });
        assert_eq!(refused, Some(BudgetError { resource: Resource::LetterNodes, limit: 100 }));
    }

    #[test]
    fn a_hundred_thousand_propositions_overflow_nothing() {
        let mut letters = Letters::new();
        let literals: Cube = (0..100_000).map(|p| (Prop(p), p % 2 == 0)).collect();
        let cube = letters.cube(&literals).unwrap();
        let not = letters.not(cube).unwrap();
        assert_eq!(letters.or(cube, not).unwrap(), Label::TRUE);
        assert_eq!(letters.cover(cube, 4).unwrap(), Some(vec![literals]));
    }

    #[test]
    fn classes_are_split_into_disjoint_ones() {
        let mut letters = Letters::new();
        let (a, b) = (letters.prop(Prop(0)).unwrap(), letters.prop(Prop(1)).unwrap());
        let mut classes = vec![Label::TRUE];
        letters.split(&mut classes, a, 16).unwrap();
        letters.split(&mut classes, b, 16).unwrap();
        letters.split(&mut classes, a, 16).unwrap();
        assert_eq!(classes.len(), 4);
        assert!(letters.split(&mut vec![Label::TRUE], a, 1).is_err());
    }
}
