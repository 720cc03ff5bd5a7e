//! Obligations of a formula for this position and the next, as a decision diagram.
//!
//! The diagram of `f` is over three kinds of variables: propositions; *next* variables, "this
//! formula holds at the next position"; and *promise* variables, "this formula was promised and
//! did not come now". Every satisfying cube is a way to satisfy `f`: a label, an obligation for the
//! next state, and the marks the edge does not carry (a mark for `b` is carried by the edges that do
//! not promise `b`, and an accepting run carries it again and again).
//!
//! J.-M. Couvreur, "On-the-fly verification of linear temporal logic", FM 1999. Deviations:
//!
//! - Propositions, next and promise variables are numbered together in the order of a walk over the
//!   formula, so that those of one subformula are neighbours. With all propositions on top, as
//!   usual, a disjunction of n conditions on n propositions takes 2ⁿ nodes; this way it takes n.
//! - A promise is named by what was promised in the end, so `F b`, `a U b`, `b M a` and
//!   `c U (a U b)` share one mark.
//! - Below `G`, an obligation that `G` renews is not passed on: `G F b` is
//!   `(b ∨ promise b) ∧ next(G F b)`. That is what keeps fairness premises at one state
//!   (`docs/papers.md` 004-30).

use std::rc::Rc;

use hashbrown::{HashMap, HashSet};

use fairly_logic::{AtomId, Formula, Formulas, Node};
use fairly_omega::{BudgetError, Label, Letters, Prop, Resource};

/// Meaning of a variable of the diagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    /// A proposition holds.
    Letter(AtomId),
    /// The formula holds at the next position.
    Next(Formula),
    /// The promise with this number is made, not kept.
    Promise(u32),
}

/// The letters on which a function becomes another one without letters.
pub(crate) type Cofactors = Rc<[(Label, Label)]>;

/// The successor functions of one formula and of the obligations that come out of it.
pub(crate) struct Successors {
    pub(crate) diagrams: Letters,
    variables: Vec<Variable>,
    letter: HashMap<AtomId, Prop>,
    next: HashMap<Formula, Prop>,
    promise: HashMap<Formula, Prop>,
    promises: u32,
    functions: HashMap<Formula, Label>,
    cofactors: HashMap<Label, Cofactors>,
}

impl Successors {
    /// Numbers the variables of `f`, which is in negation normal form.
    pub(crate) fn new(formulas: &Formulas, f: Formula, nodes: usize) -> Self {
        let mut this = Successors {
            diagrams: Letters::with_limit(nodes),
            variables: Vec::new(),
            letter: HashMap::new(),
            next: HashMap::new(),
            promise: HashMap::new(),
            promises: 0,
            functions: HashMap::new(),
            cofactors: HashMap::new(),
        };
        let mut seen: HashSet<Formula> = HashSet::new();
        let mut stack = vec![(f, false)];
        while let Some((g, done)) = stack.pop() {
            if done {
                this.number(formulas, g);
            } else if seen.insert(g) {
                // The variables of an operator come between those of its operands: in a chain of
                // operators to the right, each stays with its own left operand.
                let children = formulas.children(g);
                let (first, others) = children.split_at(children.len().min(1));
                stack.extend(others.iter().rev().map(|&child| (child, false)));
                stack.push((g, true));
                stack.extend(first.iter().map(|&child| (child, false)));
            }
        }
        this
    }

    fn number(&mut self, formulas: &Formulas, g: Formula) {
        let promised = match formulas.node(g) {
            Node::Atom(atom) => {
                self.letter.insert(atom, Prop(self.variables.len() as u32));
                self.variables.push(Variable::Letter(atom));
                return;
            }
            Node::Next(a) => {
                let parts = match formulas.node(a) {
                    Node::And(parts) => parts,
                    _ => &[a],
                };
                for &part in parts.iter().filter(|part| !part.is_constant()) {
                    self.number_next(part);
                }
                return;
            }
            Node::Finally(b) | Node::Until(_, b) | Node::StrongRelease(b, _) => Some(b),
            Node::Globally(_) | Node::Release(..) | Node::WeakUntil(..) => None,
            _ => return,
        };
        if let Some(b) = promised {
            let goal = goal(formulas, b);
            if !self.promise.contains_key(&goal) {
                self.promise.insert(goal, Prop(self.variables.len() as u32));
                self.variables.push(Variable::Promise(self.promises));
                self.promises += 1;
            }
        }
        self.number_next(g);
    }

    fn number_next(&mut self, g: Formula) {
        if !self.next.contains_key(&g) {
            self.next.insert(g, Prop(self.variables.len() as u32));
            self.variables.push(Variable::Next(g));
        }
    }

    /// How many promises there are; as many marks.
    pub(crate) fn promises(&self) -> u32 {
        self.promises
    }

    /// Meaning of a variable.
    pub(crate) fn variable(&self, prop: Prop) -> Variable {
        self.variables[prop.0 as usize]
    }

    /// For each variable the position of its proposition among `atoms`; the others have none.
    pub(crate) fn letter_positions(&self, atoms: &[AtomId]) -> Vec<Prop> {
        self.variables
            .iter()
            .map(|variable| match variable {
                Variable::Letter(atom) => {
                    let at = atoms.binary_search(atom).expect("an atom of the formula");
                    Prop(at as u32)
                }
                _ => Prop(u32::MAX - 1),
            })
            .collect()
    }

    /// The successor function of `f`: the formula given at the start, a part of it, or a Boolean
    /// combination of its parts.
    ///
    /// # Errors
    /// When the diagrams are full.
    pub(crate) fn function(
        &mut self,
        formulas: &Formulas,
        f: Formula,
    ) -> Result<Label, BudgetError> {
        if let Some(&known) = self.functions.get(&f) {
            return Ok(known);
        }
        for g in formulas.subformulas(f) {
            if !self.functions.contains_key(&g) {
                let function = self.unfold(formulas, g)?;
                self.functions.insert(g, function);
            }
        }
        Ok(self.functions[&f])
    }

    /// One step of [`Successors::function`]; the parts of `g` are done.
    fn unfold(&mut self, formulas: &Formulas, g: Formula) -> Result<Label, BudgetError> {
        match formulas.node(g) {
            Node::True => Ok(Label::TRUE),
            Node::False => Ok(Label::FALSE),
            Node::Atom(atom) => self.diagrams.prop(self.letter[&atom]),
            Node::Not(a) => self.diagrams.not(self.functions[&a]),
            Node::And(parts) => {
                let mut all = Label::TRUE;
                for part in parts.iter().rev() {
                    all = self.diagrams.and(self.functions[part], all)?;
                }
                Ok(all)
            }
            Node::Or(parts) => {
                let mut any = Label::FALSE;
                for part in parts.iter().rev() {
                    any = self.diagrams.or(self.functions[part], any)?;
                }
                Ok(any)
            }
            Node::Next(a) => self.later(formulas, a),
            Node::Finally(b) | Node::Until(_, b) => {
                let again = self.later(formulas, g)?;
                let wait = self.waiting(formulas, g)?;
                let wait = self.diagrams.and(wait, again)?;
                self.diagrams.or(self.functions[&b], wait)
            }
            Node::WeakUntil(a, b) => {
                let again = self.later(formulas, g)?;
                let wait = self.diagrams.and(self.functions[&a], again)?;
                self.diagrams.or(self.functions[&b], wait)
            }
            Node::Release(a, b) => {
                let again = self.later(formulas, g)?;
                let end = self.diagrams.or(self.functions[&a], again)?;
                self.diagrams.and(self.functions[&b], end)
            }
            Node::StrongRelease(a, b) => {
                let again = self.later(formulas, g)?;
                let promise = self.promised(formulas, a)?;
                let wait = self.diagrams.and(promise, again)?;
                let end = self.diagrams.or(self.functions[&a], wait)?;
                self.diagrams.and(self.functions[&b], end)
            }
            Node::Globally(a) => {
                let now = self.renewed(formulas, a)?;
                let again = self.later(formulas, g)?;
                self.diagrams.and(now, again)
            }
            Node::Implies(..) | Node::Iff(..) | Node::Xor(..) => {
                unreachable!("not in negation normal form")
            }
        }
    }

    /// Obligation of `F b` or `a U b` at this position when `b` does not come.
    fn waiting(&mut self, formulas: &Formulas, g: Formula) -> Result<Label, BudgetError> {
        let (a, b) = match formulas.node(g) {
            Node::Finally(b) => (Label::TRUE, b),
            Node::Until(a, b) => (self.functions[&a], b),
            _ => unreachable!("only these wait"),
        };
        let promise = self.promised(formulas, b)?;
        self.diagrams.and(a, promise)
    }

    /// The promise of `b`.
    fn promised(&mut self, formulas: &Formulas, b: Formula) -> Result<Label, BudgetError> {
        self.diagrams.prop(self.promise[&goal(formulas, b)])
    }

    /// The function of `a` without the obligations that the `G` above it renews anyway.
    fn renewed(&mut self, formulas: &Formulas, a: Formula) -> Result<Label, BudgetError> {
        let parts = match formulas.node(a) {
            Node::And(parts) => parts,
            _ => &[a],
        };
        let mut all = Label::TRUE;
        for &part in parts.iter().rev() {
            let now = match formulas.node(part) {
                Node::Finally(b) | Node::Until(_, b) => {
                    let wait = self.waiting(formulas, part)?;
                    self.diagrams.or(self.functions[&b], wait)?
                }
                Node::WeakUntil(c, b) => {
                    self.diagrams.or(self.functions[&c], self.functions[&b])?
                }
                Node::Release(_, b) => self.functions[&b],
                Node::StrongRelease(c, b) => {
                    let promise = self.promised(formulas, c)?;
                    let end = self.diagrams.or(self.functions[&c], promise)?;
                    self.diagrams.and(self.functions[&b], end)?
                }
                _ => self.functions[&part],
            };
            all = self.diagrams.and(now, all)?;
        }
        Ok(all)
    }

    /// "`f` holds at the next position": a conjunction by its parts, and `a R b` together with `b`,
    /// which follows from it. Without the latter a chain of `R` has exponentially many cubes that
    /// differ in nothing.
    fn later(&mut self, formulas: &Formulas, f: Formula) -> Result<Label, BudgetError> {
        let mut all = Label::TRUE;
        let mut todo = vec![f];
        while let Some(part) = todo.pop() {
            match formulas.node(part) {
                Node::True => continue,
                Node::False => return Ok(Label::FALSE),
                Node::And(parts) => {
                    todo.extend(parts);
                    continue;
                }
                Node::Release(_, b) | Node::StrongRelease(_, b) => {
                    let parts = match formulas.node(b) {
                        Node::And(parts) => parts,
                        _ => &[b],
                    };
                    todo.extend(parts.iter().filter(|part| self.next.contains_key(*part)));
                }
                _ => {}
            }
            if let Some(&next) = self.next.get(&part) {
                let one = self.diagrams.prop(next)?;
                all = self.diagrams.and(one, all)?;
            }
        }
        Ok(all)
    }

    /// The formulas that a function may oblige the next position to.
    pub(crate) fn obligations(&self, function: Label) -> impl Iterator<Item = Formula> + '_ {
        let props = self.diagrams.support(function);
        props.into_iter().filter_map(|prop| match self.variable(prop) {
            Variable::Next(g) => Some(g),
            _ => None,
        })
    }

    /// The letters grouped by what is left of `function` when they are read. The groups are
    /// disjoint and cover every letter.
    ///
    /// # Errors
    /// When there are more than `most` groups, or the diagrams are full.
    pub(crate) fn cofactors(
        &mut self,
        function: Label,
        most: usize,
    ) -> Result<Cofactors, BudgetError> {
        for node in self.diagrams.reachable(function) {
            if !self.cofactors.contains_key(&node) {
                let groups = self.cofactors_of(node, most)?;
                self.cofactors.insert(node, groups);
            }
        }
        Ok(self.groups(function))
    }

    fn groups(&self, function: Label) -> Cofactors {
        match self.diagrams.branch(function) {
            None => Rc::from([(Label::TRUE, function)]),
            Some(_) => Rc::clone(&self.cofactors[&function]),
        }
    }

    fn cofactors_of(&mut self, node: Label, most: usize) -> Result<Cofactors, BudgetError> {
        let (prop, low, high) = self.diagrams.branch(node).expect("an inner node");
        let (low, high) = (self.groups(low), self.groups(high));
        let yes = self.diagrams.prop(prop)?;
        let mut order: Vec<Label> = Vec::new();
        let mut found: HashMap<Label, Label> = HashMap::new();
        let mut add = |diagrams: &mut Letters, on: Label, left: Label| {
            let known = match found.get(&left) {
                Some(&known) => known,
                None if order.len() >= most => {
                    return Err(BudgetError { resource: Resource::LetterClasses, limit: most });
                }
                None => {
                    order.push(left);
                    Label::FALSE
                }
            };
            found.insert(left, diagrams.or(known, on)?);
            Ok(())
        };
        if matches!(self.variable(prop), Variable::Letter(_)) {
            for &(on, left) in low.iter() {
                let on = self.diagrams.minus(on, yes)?;
                add(&mut self.diagrams, on, left)?;
            }
            for &(on, left) in high.iter() {
                let on = self.diagrams.and(on, yes)?;
                add(&mut self.diagrams, on, left)?;
            }
        } else {
            for &(on_low, left_low) in low.iter() {
                for &(on_high, left_high) in high.iter() {
                    let on = self.diagrams.and(on_low, on_high)?;
                    if on == Label::FALSE {
                        continue;
                    }
                    // Functions only grow with these variables, so this is if-then-else.
                    let with = self.diagrams.and(yes, left_high)?;
                    let left = self.diagrams.or(left_low, with)?;
                    add(&mut self.diagrams, on, left)?;
                }
            }
        }
        Ok(order.into_iter().map(|left| (found[&left], left)).collect())
    }
}

/// The formula promised in the end: the `c` of `c`, `F c`, `a U c`, `a U (b U c)` and so on. An edge on which
/// no `c` is promised has kept all these promises.
fn goal(formulas: &Formulas, b: Formula) -> Formula {
    let mut goal = b;
    while let Node::Finally(c) | Node::Until(_, c) = formulas.node(goal) {
        goal = c;
    }
    goal
}
