//! The arena of formulas: every distinct formula is stored once and named by a small id.
//!
//! [`Formulas`] owns the nodes; [`Formula`] is a `Copy` id into it, so that equality of formulas
//! is equality of integers and a memo table is a map from ids. Ids grow from the leaves up: a
//! child always has a smaller id than its parent, so walking ids in ascending order is walking
//! bottom-up, and no walk in this crate recurses over a formula.
//!
//! The constructors keep the formula as it was written, operators included (`->` stays `->`), and normalise
//! only trivialities: `!!a` is `a`, constants vanish from `&`, `|` and `!`, and `&` and `|` are flat sets,
//! sorted by id. Rewriting is [`crate::Simplifier`]'s and [`Formulas::nnf`]'s; text comes from
//! [`Formulas::parse`] and goes to [`Formulas::display`].

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use crate::atom::{Atom, AtomId};

/// A formula of some [`Formulas`]; meaningless in another one.
///
/// The order of ids is the order of construction, children before parents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Formula(u32);

impl Formula {
    /// The formula that always holds; the same id in every arena.
    pub const TRUE: Formula = Formula(0);
    /// The formula that never holds; the same id in every arena.
    pub const FALSE: Formula = Formula(1);

    /// The id as an index, for tables beside the arena.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether this is `true` or `false`.
    pub fn is_constant(self) -> bool {
        self == Formula::TRUE || self == Formula::FALSE
    }
}

/// Root of a formula: its operator and its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node<'a> {
    /// Always holds.
    True,
    /// Never holds.
    False,
    /// A proposition; [`Formulas::atom_of`] says which.
    Atom(AtomId),
    /// `!a`
    Not(Formula),
    /// `a & b & …`: at least two, ascending, none of them an `And` or a constant.
    And(&'a [Formula]),
    /// `a | b | …`: at least two, ascending, none of them an `Or` or a constant.
    Or(&'a [Formula]),
    /// `a -> b`
    Implies(Formula, Formula),
    /// `a <-> b`
    Iff(Formula, Formula),
    /// `a xor b`
    Xor(Formula, Formula),
    /// `X a`: at the next position.
    Next(Formula),
    /// `F a`: at some position from here on.
    Finally(Formula),
    /// `G a`: at every position from here on.
    Globally(Formula),
    /// `a U b`: `b` at some position, and `a` at every one before it.
    Until(Formula, Formula),
    /// `a R b`: `b` up to and including the first position where `a` holds, or for ever.
    Release(Formula, Formula),
    /// `a W b`: `a U b`, or `a` for ever.
    WeakUntil(Formula, Formula),
    /// `a M b`: `a R b`, and `a` does come.
    StrongRelease(Formula, Formula),
}

/// The operator alone, for tables and for rebuilding a node with other children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Op {
    True,
    False,
    Atom,
    Not,
    And,
    Or,
    Implies,
    Iff,
    Xor,
    Next,
    Finally,
    Globally,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
}

/// Facts that follow from the syntax of a formula alone; kept beside every node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Traits {
    /// No temporal operator.
    propositional: bool,
    /// No `X`.
    next_free: bool,
    /// A pure eventuality: true of a word, then true of every word that ends in it.
    eventual: bool,
    /// Purely universal: true of a word, then true of every suffix of it.
    universal: bool,
    /// Negation only at atoms, and no `->`, `<->`, `xor`.
    nnf: bool,
}

struct Cell {
    op: Op,
    /// Where the children lie in the pool; the atom's id for an atom.
    start: u32,
    len: u32,
    traits: Traits,
    size: u32,
    depth: u32,
}

/// An arena of formulas, each stored once.
///
/// ```
/// use fairly_logic::{Formulas, Node};
/// let mut formulas = Formulas::new();
/// let (p, q) = (formulas.name("p"), formulas.name("q"));
/// let eventually = formulas.finally(q);
/// let response = formulas.implies(p, eventually);
/// let always = formulas.globally(response);
/// assert_eq!(always, formulas.parse("[](p -> <>q)").unwrap());
/// assert!(matches!(formulas.node(always), Node::Globally(inner) if inner == response));
/// assert_eq!(formulas.display(always), "G(p -> F q)");
/// ```
pub struct Formulas {
    cells: Vec<Cell>,
    pool: Vec<Formula>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
    atoms: Vec<Atom>,
    atom_ids: HashMap<Atom, AtomId>,
}

impl Default for Formulas {
    fn default() -> Self {
        Formulas::new()
    }
}

impl Formulas {
    /// An arena that holds the two constants only.
    pub fn new() -> Self {
        let mut formulas = Formulas {
            cells: Vec::new(),
            pool: Vec::new(),
            table: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            atoms: Vec::new(),
            atom_ids: HashMap::new(),
        };
        let tt = formulas.intern(Op::True, 0, &[]);
        let ff = formulas.intern(Op::False, 0, &[]);
        debug_assert!(tt == Formula::TRUE && ff == Formula::FALSE);
        formulas
    }

    /// How many distinct formulas there are; every id's index is below it.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Never: the constants are always there.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    // ---- building -------------------------------------------------------------------------

    /// The formula of one proposition.
    pub fn atom(&mut self, atom: Atom) -> Formula {
        let id = match self.atom_ids.get(&atom) {
            Some(&id) => id,
            None => {
                let id = AtomId::new(self.atoms.len());
                self.atoms.push(atom.clone());
                self.atom_ids.insert(atom, id);
                id
            }
        };
        self.atom_with_id(id)
    }

    /// The formula of a proposition of this arena.
    pub fn atom_with_id(&mut self, id: AtomId) -> Formula {
        assert!(id.index() < self.atoms.len(), "{id:?} is of another arena");
        self.intern(Op::Atom, id.index() as u32, &[])
    }

    /// The proposition of that name, see [`Atom::name`].
    pub fn name(&mut self, name: &str) -> Formula {
        self.atom(Atom::name(name))
    }

    /// `!a`; `!!a` is `a`, and the negation of a constant is the other one.
    pub fn not(&mut self, a: Formula) -> Formula {
        match self.node(a) {
            Node::True => Formula::FALSE,
            Node::False => Formula::TRUE,
            Node::Not(inner) => inner,
            _ => self.intern(Op::Not, 0, &[a]),
        }
    }

    /// The conjunction of any number of formulas.
    pub fn and(&mut self, items: impl IntoIterator<Item = Formula>) -> Formula {
        self.flat(Op::And, Formula::TRUE, Formula::FALSE, items)
    }

    /// The disjunction of any number of formulas.
    pub fn or(&mut self, items: impl IntoIterator<Item = Formula>) -> Formula {
        self.flat(Op::Or, Formula::FALSE, Formula::TRUE, items)
    }

    fn flat(
        &mut self,
        op: Op,
        unit: Formula,
        zero: Formula,
        items: impl IntoIterator<Item = Formula>,
    ) -> Formula {
        let mut flat = Vec::new();
        for item in items {
            if self.op(item) == op {
                flat.extend_from_slice(self.children(item));
            } else if item != unit {
                flat.push(item);
            }
        }
        flat.sort_unstable();
        flat.dedup();
        if flat.contains(&zero) {
            return zero;
        }
        match flat[..] {
            [] => unit,
            [only] => only,
            _ => self.intern(op, 0, &flat),
        }
    }

    /// `a -> b`
    pub fn implies(&mut self, a: Formula, b: Formula) -> Formula {
        self.intern(Op::Implies, 0, &[a, b])
    }

    /// `a <-> b`
    pub fn iff(&mut self, a: Formula, b: Formula) -> Formula {
        self.intern(Op::Iff, 0, &[a, b])
    }

    /// `a xor b`
    pub fn xor(&mut self, a: Formula, b: Formula) -> Formula {
        self.intern(Op::Xor, 0, &[a, b])
    }

    /// `X a`
    pub fn next(&mut self, a: Formula) -> Formula {
        self.intern(Op::Next, 0, &[a])
    }

    /// `F a`
    pub fn finally(&mut self, a: Formula) -> Formula {
        self.intern(Op::Finally, 0, &[a])
    }

    /// `G a`
    pub fn globally(&mut self, a: Formula) -> Formula {
        self.intern(Op::Globally, 0, &[a])
    }

    /// `a U b`
    pub fn until(&mut self, a: Formula, b: Formula) -> Formula {
        self.intern(Op::Until, 0, &[a, b])
    }

    /// `a R b`
    pub fn release(&mut self, a: Formula, b: Formula) -> Formula {
        self.intern(Op::Release, 0, &[a, b])
    }

    /// `a W b`
    pub fn weak_until(&mut self, a: Formula, b: Formula) -> Formula {
        self.intern(Op::WeakUntil, 0, &[a, b])
    }

    /// `a M b`
    pub fn strong_release(&mut self, a: Formula, b: Formula) -> Formula {
        self.intern(Op::StrongRelease, 0, &[a, b])
    }

    /// `a ~> b`, that is `G(a -> F b)`.
    pub fn leads_to(&mut self, a: Formula, b: Formula) -> Formula {
        let later = self.finally(b);
        let step = self.implies(a, later);
        self.globally(step)
    }

    /// A node by its operator, through the constructor that normalises it.
    pub(crate) fn make(&mut self, op: Op, children: &[Formula]) -> Formula {
        match op {
            Op::True => Formula::TRUE,
            Op::False => Formula::FALSE,
            Op::Not => self.not(children[0]),
            Op::And => self.and(children.iter().copied()),
            Op::Or => self.or(children.iter().copied()),
            Op::Atom => unreachable!("an atom has no children to be made of"),
            _ => self.intern(op, 0, children),
        }
    }

    // ---- looking --------------------------------------------------------------------------

    /// Root of `f`: its operator and its operands.
    pub fn node(&self, f: Formula) -> Node<'_> {
        let cell = &self.cells[f.index()];
        let children = self.children(f);
        match cell.op {
            Op::True => Node::True,
            Op::False => Node::False,
            Op::Atom => Node::Atom(AtomId::new(cell.start as usize)),
            Op::Not => Node::Not(children[0]),
            Op::And => Node::And(children),
            Op::Or => Node::Or(children),
            Op::Implies => Node::Implies(children[0], children[1]),
            Op::Iff => Node::Iff(children[0], children[1]),
            Op::Xor => Node::Xor(children[0], children[1]),
            Op::Next => Node::Next(children[0]),
            Op::Finally => Node::Finally(children[0]),
            Op::Globally => Node::Globally(children[0]),
            Op::Until => Node::Until(children[0], children[1]),
            Op::Release => Node::Release(children[0], children[1]),
            Op::WeakUntil => Node::WeakUntil(children[0], children[1]),
            Op::StrongRelease => Node::StrongRelease(children[0], children[1]),
        }
    }

    pub(crate) fn op(&self, f: Formula) -> Op {
        self.cells[f.index()].op
    }

    /// The operands of `f`, left to right.
    pub fn children(&self, f: Formula) -> &[Formula] {
        let cell = &self.cells[f.index()];
        match cell.op {
            Op::Atom => &[],
            _ => &self.pool[cell.start as usize..(cell.start + cell.len) as usize],
        }
    }

    /// The proposition an id stands for.
    pub fn atom_of(&self, id: AtomId) -> &Atom {
        &self.atoms[id.index()]
    }

    /// `f` as an atom or a negated one: the atom, and whether it is positive.
    pub fn literal(&self, f: Formula) -> Option<(AtomId, bool)> {
        match self.node(f) {
            Node::Atom(id) => Some((id, true)),
            Node::Not(inner) => match self.node(inner) {
                Node::Atom(id) => Some((id, false)),
                _ => None,
            },
            _ => None,
        }
    }

    /// `f` and everything below it, each once, children before parents.
    pub fn subformulas(&self, f: Formula) -> Vec<Formula> {
        self.reachable(&[f])
    }

    pub(crate) fn reachable(&self, roots: &[Formula]) -> Vec<Formula> {
        let mut seen: hashbrown::HashSet<Formula> = roots.iter().copied().collect();
        let mut order: Vec<Formula> = seen.iter().copied().collect();
        let mut next = 0;
        while next < order.len() {
            for &child in self.children(order[next]) {
                if seen.insert(child) {
                    order.push(child);
                }
            }
            next += 1;
        }
        order.sort_unstable();
        order
    }

    /// The propositions in `f`, ascending.
    pub fn atoms(&self, f: Formula) -> Vec<AtomId> {
        let mut atoms: Vec<AtomId> = self
            .subformulas(f)
            .into_iter()
            .filter_map(|g| match self.node(g) {
                Node::Atom(id) => Some(id),
                _ => None,
            })
            .collect();
        atoms.sort_unstable();
        atoms
    }

    /// Operators and atoms of `f` written out as a tree with binary `&` and `|`, a negated atom
    /// counted as one; `u32::MAX` if it would be more.
    ///
    /// Simplification never makes it larger than it is in negation normal form.
    pub fn size(&self, f: Formula) -> u32 {
        self.cells[f.index()].size
    }

    /// The longest way from the root to a leaf, 0 for a leaf.
    pub fn depth(&self, f: Formula) -> u32 {
        self.cells[f.index()].depth
    }

    /// Whether `f` has no temporal operator: it speaks of one position only.
    pub fn is_propositional(&self, f: Formula) -> bool {
        self.cells[f.index()].traits.propositional
    }

    /// Whether `f` has no `X`. Over state propositions alone such a formula cannot tell a word
    /// from one with a letter repeated; over events see [`Formulas::is_interruptible`].
    pub fn is_next_free(&self, f: Formula) -> bool {
        self.cells[f.index()].traits.next_free
    }

    /// Whether `f` is, by its syntax, a pure eventuality (Etessami and Holzmann, CONCUR 2000):
    /// if it holds of a word it holds of every word that ends in that one, so `F f = f`.
    pub fn is_eventual(&self, f: Formula) -> bool {
        self.cells[f.index()].traits.eventual
    }

    /// Whether `f` is, by its syntax, purely universal: if it holds of a word it holds of every
    /// suffix, so `G f = f`.
    pub fn is_universal(&self, f: Formula) -> bool {
        self.cells[f.index()].traits.universal
    }

    /// Whether negation stands only at atoms and `->`, `<->`, `xor` do not occur.
    pub fn is_nnf(&self, f: Formula) -> bool {
        self.cells[f.index()].traits.nnf
    }

    /// The formula with every proposition replaced by what `to` says; for resolving names, for
    /// projections.
    ///
    /// ```
    /// # use fairly_logic::{Atom, Formulas};
    /// let mut formulas = Formulas::new();
    /// let f = formulas.parse("p U q").unwrap();
    /// let g = formulas.replace_atoms(f, |formulas, id| match formulas.atom_of(id).text() {
    ///     "p" => formulas.atom(Atom::event("eat.0")),
    ///     _ => formulas.atom_with_id(id),
    /// });
    /// assert_eq!(formulas.display(g), "eat.0 U q");
    /// ```
    pub fn replace_atoms(
        &mut self,
        f: Formula,
        mut to: impl FnMut(&mut Formulas, AtomId) -> Formula,
    ) -> Formula {
        let mut done: HashMap<Formula, Formula> = HashMap::new();
        for g in self.subformulas(f) {
            let new = match self.node(g) {
                Node::Atom(id) => to(self, id),
                _ => {
                    let children: Vec<Formula> =
                        self.children(g).iter().map(|child| done[child]).collect();
                    self.make(self.op(g), &children)
                }
            };
            done.insert(g, new);
        }
        done[&f]
    }

    // ---- interning ------------------------------------------------------------------------

    fn intern(&mut self, op: Op, atom: u32, children: &[Formula]) -> Formula {
        let hash = self.hasher.hash_one((op, atom, children));
        let (cells, pool) = (&self.cells, &self.pool);
        let found = self.table.find(hash, |&id| {
            let cell = &cells[id as usize];
            if cell.op != op {
                return false;
            }
            if op == Op::Atom {
                return cell.start == atom;
            }
            pool[cell.start as usize..(cell.start + cell.len) as usize] == *children
        });
        if let Some(&id) = found {
            return Formula(id);
        }
        let id = u32::try_from(self.cells.len()).expect("fewer than 2^32 formulas");
        let start = match op {
            Op::Atom => atom,
            _ => u32::try_from(self.pool.len()).expect("fewer than 2^32 operands"),
        };
        let cell = Cell {
            op,
            start,
            len: children.len() as u32,
            traits: self.traits(op, children),
            size: self.tree_size(op, children),
            depth: children.iter().map(|&c| self.depth(c) + 1).max().unwrap_or(0),
        };
        self.pool.extend_from_slice(children);
        self.cells.push(cell);
        let (cells, pool, hasher) = (&self.cells, &self.pool, &self.hasher);
        self.table.insert_unique(hash, id, |&id| {
            let cell = &cells[id as usize];
            let (atom, children) = match cell.op {
                Op::Atom => (cell.start, &[][..]),
                _ => (0, &pool[cell.start as usize..(cell.start + cell.len) as usize]),
            };
            hasher.hash_one((cell.op, atom, children))
        });
        Formula(id)
    }

    fn tree_size(&self, op: Op, children: &[Formula]) -> u32 {
        let below = children.iter().fold(0u32, |sum, &c| sum.saturating_add(self.size(c)));
        let own = match op {
            Op::Not if self.op(children[0]) == Op::Atom => 0,
            Op::And | Op::Or => children.len() as u32 - 1,
            _ => 1,
        };
        below.saturating_add(own)
    }

    /// The rules for eventual and universal go beyond the paper's grammar where the definition
    /// allows it: `a R e` and `a M e` are eventual as soon as `e` is, because `e` then holds at
    /// all earlier positions; `a U u` and `a W u` are universal by duality.
    fn traits(&self, op: Op, children: &[Formula]) -> Traits {
        let of = |i: usize| self.cells[children[i].index()].traits;
        let all = |pick: fn(Traits) -> bool| (0..children.len()).all(|i| pick(of(i)));
        let mut traits = Traits {
            propositional: all(|t| t.propositional),
            next_free: all(|t| t.next_free),
            eventual: all(|t| t.eventual),
            universal: all(|t| t.universal),
            nnf: all(|t| t.nnf),
        };
        match op {
            Op::True | Op::False | Op::And | Op::Or => {}
            Op::Atom => (traits.eventual, traits.universal) = (false, false),
            Op::Not => {
                (traits.eventual, traits.universal) = (of(0).universal, of(0).eventual);
                traits.nnf = self.op(children[0]) == Op::Atom;
            }
            Op::Implies => {
                traits.eventual = of(0).universal && of(1).eventual;
                traits.universal = of(0).eventual && of(1).universal;
                traits.nnf = false;
            }
            Op::Iff | Op::Xor => {
                let both = traits.eventual && traits.universal;
                (traits.eventual, traits.universal, traits.nnf) = (both, both, false);
            }
            Op::Next => (traits.propositional, traits.next_free) = (false, false),
            Op::Finally => (traits.propositional, traits.eventual) = (false, true),
            Op::Globally => (traits.propositional, traits.universal) = (false, true),
            Op::Until | Op::Release => {
                traits.propositional = false;
                (traits.eventual, traits.universal) = (of(1).eventual, of(1).universal);
            }
            Op::WeakUntil => (traits.propositional, traits.universal) = (false, of(1).universal),
            Op::StrongRelease => (traits.propositional, traits.eventual) = (false, of(1).eventual),
        }
        traits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_formulas_have_equal_ids() {
        let mut fs = Formulas::new();
        let (p, q) = (fs.name("p"), fs.name("q"));
        assert_eq!(fs.and([p, q]), fs.and([q, p, q, Formula::TRUE]));
        let pq = fs.and([p, q]);
        let r = fs.name("r");
        let nested = fs.and([r, pq]);
        assert_eq!(fs.children(nested).len(), 3);
        assert_eq!(fs.or([p, Formula::TRUE]), Formula::TRUE);
        assert_eq!(fs.and([]), Formula::TRUE);
        let not = fs.not(p);
        assert_eq!(fs.not(not), p);
    }

    #[test]
    fn sizes_count_a_literal_as_one() {
        let mut fs = Formulas::new();
        for (text, size) in [("p", 1), ("!p", 1), ("p & q & r", 5), ("!(p U q)", 4), ("GF p", 3)] {
            let f = fs.parse(text).unwrap();
            assert_eq!(fs.size(f), size, "{text}");
        }
    }

    #[test]
    fn a_size_beyond_counting_saturates() {
        let mut fs = Formulas::new();
        let mut f = fs.name("p");
        for _ in 0..100 {
            let x = fs.next(f);
            f = fs.until(f, x);
        }
        assert_eq!(fs.size(f), u32::MAX);
        assert_eq!(fs.depth(f), 200);
    }
}
