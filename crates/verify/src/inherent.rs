//! Inherent fairness: whether every beginning of a run can go on such that the run satisfies the formula.
//!
//! The automaton is that of the formula itself. A node, a state of the system with a state of the automaton, is
//! *live* if a run and a way of the automaton along it start there that postpone no until for ever. A beginning leads to
//! nodes: those of the run itself, or, where traces are meant, of all runs that read the same.
//!
//! That it *holds*: nodes are listed with their distances, one for each until: the number of steps to the next one that
//! does not postpone it. From a node whose distance is zero, a step leads to a listed node without postponing;
//! from others, a step leads to a listed node that is nearer. So each is live: walk to the next step for one until,
//! then for the next until, and so on. And *families* are listed with states: listed nodes, at least one. A
//! family is listed with the initial state, whose nodes a run can begin in; and for each state, each family there and each
//! step, a family is listed with the target whose nodes the step, or one that reads the same, leads to. So
//! wherever a beginning leads, there is a family, and one of its nodes, which is live, is reached by a beginning that reads
//! the same.
//!
//! That it is *violated*: a beginning is written down, and the verifier finds all nodes it leads to. The classes say of
//! these and all behind them that no run goes on from there without postponing an until for ever, as they do for a
//! formula that holds.

use std::collections::BTreeSet;

use crate::check::{Checker, Counts, OfState};
use crate::fairness::Notion;
use crate::fir::Kind;
use crate::format::List;
use crate::forms::Form;
use crate::ltl::Node;
use crate::rejected::{Rejected, Rule, reject};
use crate::statement::Atom;
use crate::step::Step;

/// Nodes that a beginning can lead to.
const MANY: usize = 1 << 16;

/// What can be seen of a step: its event, if it is visible, and what holds in the state that is read.
type Seen = (Option<usize>, Vec<bool>);

impl<'a> Checker<'a> {
    fn is_of_runs(&self) -> bool {
        self.statement.fairness.1 == Notion::Inherent { run: true }
    }

    fn seen(&self, of: &OfState, (step, _): &(Step, usize)) -> Result<Seen, Rejected> {
        let (statement, inside) = (self.statement, self.machine.kind(step.event) == Kind::Internal);
        let holds =
            if statement.entering { self.propositions(&step.cells)? } else { of.holds.clone() };
        Ok(((!inside).then_some(step.event), holds))
    }

    /// Inherent fairness is assumed with nothing else, and the formula is about what can be seen.
    fn check_seen(&self) -> Result<(), Rejected> {
        let asks = |it: &Atom| matches!(it, Atom::Enabled(_) | Atom::Taken(_));
        if self.statement.assumed > 0 || self.statement.atoms.iter().any(asks) {
            return reject(Rule::Statement, "inherent fairness is about what can be seen alone");
        }
        Ok(())
    }

    /// The nodes that a step out of a node leads to, and the untils that are postponed on the way.
    fn onwards(
        &mut self,
        set: usize,
        of: &OfState,
        step: &(Step, usize),
    ) -> Result<Vec<(usize, Vec<usize>)>, Rejected> {
        let letter = self.letter_at(of, step)?;
        Ok(self.successors(set, &letter)?.to_vec())
    }

    /// Checks that every beginning can be continued.
    pub(crate) fn check_continued(&mut self) -> Result<Counts, Rejected> {
        self.check_seen()?;
        let (statement, file) = (self.statement, self.file);
        let (sets, count) = (statement.sets.len(), file.table.count);
        let nodes = &statement.formulas.nodes;
        let is_until = |at: &usize| matches!(nodes[*at], Node::Until(..));
        let untils: Vec<usize> = (0..nodes.len()).filter(is_until).collect();
        // Where there is no until, each step counts.
        let marks = untils.len().max(1);
        let in_range = |&(at, set): &(Option<usize>, usize)| {
            set < sets && at.is_none_or(|at| at < count && !self.is_of_runs())
        };
        let families = statement.families.iter();
        let nodes = file.lists.iter().flatten();
        let fine = families.clone().all(|it| !it.is_empty() && it.iter().all(in_range))
            && statement.distances.iter().all(|it| it.len() == marks)
            && nodes.clone().all(|&(first, second)| match (first as usize).checked_sub(sets) {
                None => (second as usize) < statement.distances.len(),
                Some(family) => family < statement.families.len(),
            });
        if !fine {
            return reject(Rule::Format, "a node, a family or a distance is not there");
        }
        self.lenient = true;
        let cells = self.machine.initial()?;
        let (_, list) = self.listed(Rule::Initial, &cells)?;
        let first: BTreeSet<Vec<usize>> = self.first(&cells)?.into_iter().collect();
        let begins = |family: &usize| {
            let all = statement.families[*family].iter();
            all.clone().all(|(at, set)| at.is_none() && first.contains(&statement.sets[*set]))
        };
        if !families_of(list, sets).any(|family| begins(&family)) {
            return reject(Rule::Initial, "no family is listed where runs begin");
        }
        let (mut nodes, mut edges) = (0, 0);
        self.each_state((0, file.table.blocks()), |checker, at, cells, list| {
            nodes += list.len();
            edges += checker.check_live(at, cells, list, &untils)?;
            Ok(())
        })?;
        Ok((count, nodes, edges))
    }

    /// The nodes listed with a state are live, and each of its families has one behind each step.
    fn check_live(
        &mut self,
        at: usize,
        cells: &[i64],
        list: &'a List,
        untils: &[usize],
    ) -> Result<usize, Rejected> {
        let (statement, sets) = (self.statement, self.statement.sets.len());
        let steps = self.steps(cells)?;
        let of = self.state(cells, &steps)?;
        let mut targets = Vec::new();
        for (step, _) in &steps {
            targets.push(self.listed(Rule::Closed, &step.cells)?);
        }
        let mut edges = 0;
        for &(set, distances) in list.iter().filter(|node| (node.0 as usize) < sets) {
            let distances = &statement.distances[distances as usize];
            let mut reached = vec![false; distances.len()];
            for (step, (_, target)) in steps.iter().zip(&targets) {
                for (next, postponed) in self.onwards(set as usize, &of, step)? {
                    let Some(behind) = node(target, next) else { continue };
                    edges += 1;
                    let behind = &statement.distances[behind];
                    for (mark, reached) in reached.iter_mut().enumerate() {
                        let misses = untils.get(mark).is_some_and(|it| postponed.contains(it));
                        let (here, there) = (distances[mark], behind[mark]);
                        *reached |= if here == 0 { !misses } else { there < here };
                    }
                }
            }
            if reached.contains(&false) {
                return reject(Rule::Reason, format!("state {at}: a node comes no nearer"));
            }
        }
        for family in families_of(list, sets) {
            self.check_members(family, list)?;
            for (step, target) in steps.iter().zip(&targets) {
                let reached = self.reached(family, at, (&of, &steps), step)?;
                let is_reached = |&family: &usize| {
                    let mut all = statement.families[family].iter();
                    all.all(|&(at, set)| reached.contains(&(at.unwrap_or(target.0), set)))
                };
                edges += 1;
                if families_of(target.1, sets).find(is_reached).is_none() {
                    let why = format!("state {at}: a family has none behind a step");
                    return reject(Rule::Expansion, why);
                }
            }
        }
        Ok(edges)
    }

    /// The nodes of a family are listed, so they are live.
    fn check_members(&self, family: usize, own: &List) -> Result<(), Rejected> {
        for &(at, set) in &self.statement.families[family] {
            let list = at.and_then(|at| self.file.table.get(at, &mut Vec::new()));
            if node(list.map_or(own, |list| &self.file.lists[list]), set).is_none() {
                return reject(Rule::Format, "a node of a family is not listed");
            }
        }
        Ok(())
    }

    /// The nodes that a family leads to with a step out of its state, or with all that read the same.
    fn reached(
        &mut self,
        family: usize,
        own: usize,
        (of, steps): (&OfState, &[(Step, usize)]),
        step: &(Step, usize),
    ) -> Result<BTreeSet<(usize, usize)>, Rejected> {
        let mut reached = BTreeSet::new();
        let seen = self.seen(of, step)?;
        for &(at, set) in &self.statement.families[family] {
            let mut follow = |checker: &mut Self, of: &OfState, step: &(Step, usize)| {
                let (target, _) = checker.listed(Rule::Closed, &step.0.cells)?;
                let onwards = checker.onwards(set, of, step)?;
                reached.extend(onwards.into_iter().map(|(next, _)| (target, next)));
                Ok(())
            };
            if self.is_of_runs() {
                follow(self, of, step)?;
                continue;
            }
            let (mut bytes, mut cells) = (Vec::new(), Vec::new());
            let elsewhere = match at.filter(|&at| at != own) {
                None => None,
                Some(at) => {
                    self.file.table.get(at, &mut bytes);
                    if self.machine.decode(&bytes, &mut cells).is_none() {
                        return reject(Rule::Format, format!("state {at} is none of the model"));
                    }
                    let steps = self.steps(&cells)?;
                    Some((self.state(&cells, &steps)?, steps))
                }
            };
            let (of, steps) = elsewhere.as_ref().map_or((of, steps), |(of, steps)| (of, steps));
            for other in steps {
                if self.seen(of, other)? == seen {
                    follow(self, of, other)?;
                }
            }
        }
        Ok(reached)
    }

    /// Checks that a beginning cannot be continued.
    pub(crate) fn check_doomed(&mut self, lines: &[Form<'_>]) -> Result<Counts, Rejected> {
        self.check_seen()?;
        let (run, _, None) = self.walk(lines)? else {
            return reject(Rule::Run, "a beginning does not come back");
        };
        let start = self.machine.initial()?;
        let mut nodes: BTreeSet<(Vec<i64>, Vec<usize>)> = BTreeSet::new();
        for set in self.first(&start)? {
            nodes.insert((start.clone(), set));
        }
        for position in &run {
            let taken = &position.steps[position.taken];
            let seen = self.seen(&position.of, taken)?;
            let mut onwards = BTreeSet::new();
            for (cells, set) in &nodes {
                let steps = self.steps(cells)?;
                let of = self.state(cells, &steps)?;
                for step in &steps {
                    let is_it = match self.is_of_runs() {
                        true => (step.1, &step.0.cells) == (taken.1, &taken.0.cells),
                        false => self.seen(&of, step)? == seen,
                    };
                    if is_it {
                        let letter = self.letter_at(&of, step)?;
                        let all = self.statement.formulas.expand(set, &letter)?.into_iter();
                        onwards.extend(all.map(|it| (step.0.cells.clone(), it.next)));
                    }
                }
            }
            nodes = onwards;
            if nodes.len() > MANY {
                return reject(Rule::Limit, "a beginning leads to too many nodes");
            }
        }
        for (cells, set) in &nodes {
            let (_, list) = self.listed(Rule::Initial, cells)?;
            self.check_node(list, self.by_set.get(&set[..]).copied())?;
        }
        self.check_states()
    }
}

/// The second number of a node, if it is listed.
fn node(list: &List, set: usize) -> Option<usize> {
    let found = list.binary_search_by_key(&set, |node| node.0 as usize).ok()?;
    Some(list[found].1 as usize)
}

/// The families in a list: they come behind the states of the automaton.
fn families_of(list: &List, sets: usize) -> impl Iterator<Item = usize> {
    list.iter().filter_map(move |node| (node.0 as usize).checked_sub(sets))
}
