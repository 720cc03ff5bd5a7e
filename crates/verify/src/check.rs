//! The rules, checked: every state that is listed, with its nodes and the edges out of them, is looked at once.

use std::collections::{BTreeSet, HashMap};
use std::io::BufRead;
use std::num::NonZero;
use std::thread::{Builder, Scope, ScopedJoinHandle, available_parallelism, scope};

use crate::fairness::{
    Annotated, Constraint, Notion, Predicate, Selector, Subject, annotated, fixed_annotated,
};
use crate::fir::{Op, parse};
use crate::format::{BLOCK, File, List};
use crate::forms::forms;
use crate::ltl::Expansion;
use crate::rejected::{Rejected, Rule, reject};
use crate::state::StepError;
use crate::statement::{Atom, Claim, Reason, Statement};
use crate::step::{IDLE, Machine, Move, Step};

/// A certificate that has been accepted, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The claim that has been verified, in a sentence.
    pub statement: String,
    /// States of the system.
    pub states: usize,
    /// Nodes of the product with the automaton, or members of a relation.
    pub nodes: usize,
    /// Edges of the product, or steps where there is none.
    pub edges: usize,
}

/// Facts about an action that are the same in every state.
struct OfAction {
    /// By selector: whether it is selected.
    selected: Vec<bool>,
    /// By proposition: whether it is one of events that holds, or one of what is taken.
    holds: Vec<bool>,
}

/// The state of the automaton that an expansion leads to, and the untils that it postpones.
pub(crate) type Successor = (usize, Vec<usize>);

/// States, nodes and edges.
pub(crate) type Counts = (usize, usize, usize);

pub(crate) struct Checker<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) statement: &'a Statement,
    pub(crate) file: &'a File,
    pub(crate) by_set: HashMap<&'a [usize], usize>,
    /// What is known of actions: by event, and then by the moves in the order in which they were made.
    actions: HashMap<(usize, Vec<Move>), usize>,
    of_action: Vec<OfAction>,
    letters: HashMap<Vec<bool>, usize>,
    /// By letter and state of the automaton: where it leads.
    expansions: HashMap<(usize, usize), Vec<Successor>>,
    /// Which propositions of the model ask what else is enabled.
    waits: Vec<bool>,
    asks_ready: bool,
    /// Whether expansions may be left out: where it is shown that there is a run, not that there is none.
    pub(crate) lenient: bool,
    pub(crate) annotated: Annotated,
}

/// Facts about a state: by selector, whether it is enabled, and whether it is ready; and by proposition.
pub(crate) struct OfState {
    pub(crate) enabled: Vec<bool>,
    ready: Vec<bool>,
    pub(crate) holds: Vec<bool>,
}

/// Verifies the certificates of a file, one or several, one behind the other.
///
/// # Errors
/// The first rule that is found broken.
pub fn verify(bytes: &[u8]) -> Result<Vec<Verified>, Rejected> {
    verify_from(&mut &bytes[..])
}

/// Verifies the certificates of a file that is read as it is verified; only the one at hand is kept.
///
/// # Errors
/// The first rule that is found broken, or that the file cannot be read.
pub fn verify_from(from: &mut (dyn BufRead + Send)) -> Result<Vec<Verified>, Rejected> {
    scope(|scope| {
        let work = || {
            let mut all = Vec::new();
            while all.is_empty() || from.fill_buf().is_ok_and(|rest| !rest.is_empty()) {
                all.push(verify_next(from)?);
            }
            Ok(all)
        };
        joined(spawned(scope, work)?)
    })
}

/// Starts a thread: nested parts are read and evaluated by recursion, as deep as the reader allows.
fn spawned<'s, T: Send + 's>(
    scope: &'s Scope<'s, '_>,
    work: impl FnOnce() -> Result<T, Rejected> + Send + 's,
) -> Result<ScopedJoinHandle<'s, Result<T, Rejected>>, Rejected> {
    const STACK: usize = 256 << 20;
    let thread = Builder::new().stack_size(STACK).spawn_scoped(scope, work);
    thread.or_else(|_| reject(Rule::Limit, "there is no memory for a thread"))
}

fn joined<T>(thread: ScopedJoinHandle<'_, Result<T, Rejected>>) -> Result<T, Rejected> {
    let failed = |_| reject(Rule::Limit, "the verifier failed; this is a bug in it");
    thread.join().unwrap_or_else(failed)
}

/// Verifies the next certificate, and the one behind it where that is what it speaks of.
fn verify_next(from: &mut dyn BufRead) -> Result<Verified, Rejected> {
    let file = File::read(from)?;
    let machine = Machine::new(parse(&file.model)?)?;
    let lines = forms(&file.statement, Rule::Statement)?;
    let statement = Statement::read(&lines, &machine)?;
    let mut checker = Checker::new(&machine, &statement, &file)?;
    let (states, nodes, edges) = match (statement.claim, statement.is_inherent()) {
        (Claim::Holds, true) => checker.check_continued()?,
        (Claim::Violated, true) => checker.check_doomed(&lines)?,
        (Claim::Holds | Claim::Always, _) => {
            checker.check_initial()?;
            checker.check_states()?
        }
        (Claim::Violated | Claim::Reached | Claim::Error, _) => checker.check_run(&lines)?,
        (Claim::Refines(observed), _) => checker.check_refinement(observed, from)?,
        (Claim::Specification, _) => {
            return reject(Rule::Statement, "a specification without what refines it");
        }
    };
    file.check_whole()?;
    Ok(Verified { statement: statement.sentence()?, states, nodes, edges })
}

/// Edges out of the nodes of one state.
const MANY: usize = 1 << 22;

impl<'a> Checker<'a> {
    pub(crate) fn new(
        machine: &'a Machine,
        statement: &'a Statement,
        file: &'a File,
    ) -> Result<Checker<'a>, Rejected> {
        let waits = statement.atoms.iter().map(|atom| match atom {
            Atom::Condition(it) => it.any(&|op| matches!(op, Op::Timeout | Op::Executable)),
            _ => false,
        });
        let asks_ready = statement.constraints.iter().any(|constraint| {
            [&constraint.when, &constraint.then].iter().any(|it| matches!(it, Predicate::Ready(_)))
        });
        if statement.entering && statement.atoms.iter().any(|it| matches!(it, Atom::Enabled(_))) {
            return reject(Rule::Limit, "what is enabled where a step leads is not covered");
        }
        Ok(Checker {
            machine,
            statement,
            file,
            by_set: statement.sets.iter().enumerate().map(|(at, set)| (&set[..], at)).collect(),
            actions: HashMap::new(),
            of_action: Vec::new(),
            letters: HashMap::new(),
            expansions: HashMap::new(),
            waits: waits.collect(),
            asks_ready,
            lenient: false,
            annotated: fixed_annotated(machine),
        })
    }

    /// The facts about an action, found out once.
    fn action(&mut self, step: &Step) -> usize {
        let (machine, statement) = (self.machine, self.statement);
        let key = (step.event, step.moves.clone());
        if let Some(&known) = self.actions.get(&key) {
            return known;
        }
        let has = |it: &Selector| it.has_action(step.event, &step.moves, machine);
        let selected: Vec<bool> = statement.selectors.iter().map(has).collect();
        let holds = statement.atoms.iter().map(|atom| match atom {
            Atom::Event(events) => events.iter().any(|it| it.has(step.event, machine)),
            Atom::Taken(selector) => selected[*selector],
            _ => false,
        });
        self.of_action.push(OfAction { holds: holds.collect(), selected });
        self.actions.insert(key, self.of_action.len() - 1);
        self.of_action.len() - 1
    }

    /// The facts about a state.
    pub(crate) fn state(
        &self,
        cells: &[i64],
        steps: &[(Step, usize)],
    ) -> Result<OfState, Rejected> {
        let mut enabled = vec![false; self.statement.selectors.len()];
        for (_, action) in steps.iter().filter(|(step, _)| step.event != IDLE) {
            for (enabled, selected) in enabled.iter_mut().zip(&self.of_action[*action].selected) {
                *enabled |= selected;
            }
        }
        let mut ready = vec![false; enabled.len()];
        if self.asks_ready {
            for of in self.machine.offered(cells) {
                for (ready, selector) in ready.iter_mut().zip(&self.statement.selectors) {
                    *ready |= selector.has(&of, self.machine);
                }
            }
        }
        let mut holds = self.propositions(cells)?;
        for (holds, atom) in holds.iter_mut().zip(&self.statement.atoms) {
            if let Atom::Enabled(selector) = atom {
                *holds = enabled[*selector];
            }
        }
        Ok(OfState { enabled, ready, holds })
    }

    /// By proposition: whether it holds in a state, as far as its values decide that.
    pub(crate) fn propositions(&self, cells: &[i64]) -> Result<Vec<bool>, Rejected> {
        let machine = self.machine;
        let holds = |(at, atom): (usize, &Atom)| match atom {
            Atom::Condition(expr) => {
                machine.holds(cells, expr, self.waits[at]).or_else(|StepError(why)| {
                    reject(Rule::Fault, format!("in the proposition a{at}, {why}"))
                })
            }
            Atom::Deadlock => Ok(machine.is_stuck(cells) && !machine.all_may_end(cells)),
            Atom::Terminated => Ok(machine.is_stuck(cells) && machine.all_may_end(cells)),
            _ => Ok(false),
        };
        self.statement.atoms.iter().enumerate().map(holds).collect()
    }

    /// Whether the formula, which is about states alone, holds in a state.
    pub(crate) fn condition(&self, cells: &[i64]) -> Result<bool, Rejected> {
        let letter = self.letter(&self.propositions(cells)?, None);
        Ok(self.statement.formulas.truths(&letter)[self.statement.root])
    }

    /// The letter of a state and an action; none before the first step.
    pub(crate) fn letter(&self, holds: &[bool], action: Option<usize>) -> Vec<bool> {
        let none: &[bool] = &[];
        let of_action = action.map_or(none, |action| &self.of_action[action].holds);
        let happens = of_action.iter().copied().chain(std::iter::repeat(false));
        holds.iter().zip(happens).map(|(holds, happens)| *holds || happens).collect()
    }

    /// The letter that is read at a step.
    pub(crate) fn letter_at(
        &self,
        of: &OfState,
        (step, action): &(Step, usize),
    ) -> Result<Vec<bool>, Rejected> {
        if self.statement.entering {
            return Ok(self.letter(&self.propositions(&step.cells)?, Some(*action)));
        }
        Ok(self.letter(&of.holds, Some(*action)))
    }

    /// Forgets what is known of actions, letters and expansions, if that is much.
    fn forget(&mut self) {
        const MUCH: usize = 1 << 20;
        let Statement { atoms, selectors, .. } = self.statement;
        let kept = self.letters.len() * atoms.len()
            + self.of_action.len() * (atoms.len() + selectors.len())
            + self.expansions.len();
        if kept > MUCH {
            (self.actions, self.of_action) = (HashMap::new(), Vec::new());
            (self.letters, self.expansions) = (HashMap::new(), HashMap::new());
        }
    }

    /// The number of a letter.
    fn number(&mut self, letter: &[bool]) -> usize {
        if let Some(&known) = self.letters.get(letter) {
            return known;
        }
        self.letters.insert(letter.to_vec(), self.letters.len());
        self.letters.len() - 1
    }

    /// Where a state of the automaton leads under a letter. Every expansion must be a state of the automaton, unless
    /// those that are will do.
    pub(crate) fn successors(
        &mut self,
        set: usize,
        letter: &[bool],
    ) -> Result<&[Successor], Rejected> {
        let key = (self.number(letter), set);
        self.expand(key, letter)?;
        Ok(&self.expansions[&key])
    }

    fn expand(&mut self, key: (usize, usize), letter: &[bool]) -> Result<(), Rejected> {
        if self.expansions.contains_key(&key) {
            return Ok(());
        }
        let mut all = Vec::new();
        for Expansion { next, postponed } in
            self.statement.formulas.expand(&self.statement.sets[key.1], letter)?
        {
            match self.by_set.get(&next[..]) {
                Some(&next) => all.push((next, postponed)),
                None if self.lenient => {}
                None => {
                    let why =
                        format!("the automaton has no state {next:?}, which {} leads to", key.1);
                    return reject(Rule::Expansion, why);
                }
            }
        }
        self.expansions.insert(key, all);
        Ok(())
    }

    /// Whether *when* and *then* of a constraint are true of a step.
    pub(crate) fn is_true(&self, predicate: &Predicate, of: &OfState, action: usize) -> bool {
        match predicate {
            Predicate::True => true,
            Predicate::Enabled(selector) => of.enabled[*selector],
            Predicate::Disabled(selector) => !of.enabled[*selector],
            Predicate::Ready(selector) => of.ready[*selector],
            Predicate::Taken(selector) => self.of_action[action].selected[*selector],
            // Constraints are about steps, whichever event a position of the formula reads.
            Predicate::Step(at) => {
                self.statement.formulas.truths(&self.letter(&of.holds, Some(action)))[*at]
            }
        }
    }

    /// The steps out of a state, or the idle step where there are none, each with its action.
    pub(crate) fn steps(&mut self, cells: &[i64]) -> Result<Vec<(Step, usize)>, Rejected> {
        let one_will_do = matches!(self.statement.claim, Claim::Reached | Claim::Error);
        let mut steps = self.machine.steps(cells, one_will_do)?;
        if steps.is_empty() {
            steps.push(Step { event: IDLE, moves: Vec::new(), cells: cells.to_vec() });
        }
        if self.machine.annotates_by_state {
            let offered = self.machine.offered(cells);
            let taken = steps.iter().flat_map(|step| &step.moves);
            self.annotated.extend(annotated(self.machine, offered.iter().chain(taken)));
        }
        let with_action = |step: Step| {
            let action = self.action(&step);
            (step, action)
        };
        Ok(steps.into_iter().map(with_action).collect())
    }

    /// The states of the automaton that a run can begin in.
    pub(crate) fn first(&self, cells: &[i64]) -> Result<Vec<Vec<usize>>, Rejected> {
        let root = vec![self.statement.root];
        if !self.statement.entering {
            return Ok(vec![root]);
        }
        // The first letter is read before the first step.
        let letter = self.letter(&self.propositions(cells)?, None);
        let all = self.statement.formulas.expand(&root, &letter)?;
        Ok(all.into_iter().map(|it| it.next).collect())
    }

    /// The node list of a state that must be listed.
    pub(crate) fn listed(&self, rule: Rule, cells: &[i64]) -> Result<(usize, &'a List), Rejected> {
        let mut bytes = Vec::new();
        self.machine.encode(cells, &mut bytes);
        match self.file.table.find(&bytes) {
            Some((at, list)) => Ok((at, &self.file.lists[list])),
            None => reject(rule, "a state is not listed"),
        }
    }

    /// The initial state is listed, with the nodes that the automaton can begin in.
    fn check_initial(&mut self) -> Result<(), Rejected> {
        let cells = self.machine.initial()?;
        let (_, list) = self.listed(Rule::Initial, &cells)?;
        if self.statement.claim != Claim::Holds {
            return Ok(());
        }
        for set in self.first(&cells)? {
            self.check_node(list, self.by_set.get(&set[..]).copied())?;
        }
        Ok(())
    }

    pub(crate) fn check_node(&self, list: &List, set: Option<usize>) -> Result<(), Rejected> {
        if set.is_some_and(|set| list.iter().any(|node| node.0 as usize == set)) {
            return Ok(());
        }
        reject(Rule::Initial, "a node is not listed where runs begin")
    }

    /// Checks the rules in every state that is listed: parts of the states at the same time, each with a machine of
    /// its own. What is annotated by events that depend on the state is learned by one.
    pub(crate) fn check_states(&mut self) -> Result<Counts, Rejected> {
        /// States that are worth a thread.
        const WORTH: usize = 4096;
        let statement = self.statement;
        for &(set, class) in self.file.lists.iter().flatten() {
            let leaf = statement.classes.get(class as usize).is_some_and(|it| !it.is_divided);
            if set as usize >= statement.sets.len() || !leaf {
                return reject(Rule::Format, "a node is of a set or class that is not there");
            }
        }
        let (blocks, count) = (self.file.table.blocks(), self.file.table.count);
        let threads = available_parallelism().map_or(1, NonZero::get).min(1 + count / WORTH);
        let counts = if threads == 1 || self.machine.annotates_by_state {
            vec![self.check_blocks(0, blocks)?]
        } else {
            let (machine, file) = (self.machine, self.file);
            scope(|scope| {
                let part = |at: usize| {
                    let (from, to) = (blocks * at / threads, blocks * (at + 1) / threads);
                    let machine = machine.clone();
                    spawned(scope, move || {
                        Checker::new(&machine, statement, file)?.check_blocks(from, to)
                    })
                };
                let parts: Result<Vec<_>, Rejected> = (0..threads).map(part).collect();
                parts?.into_iter().map(joined).collect::<Result<Vec<_>, Rejected>>()
            })?
        };
        // At last, since annotated moves are met on the way.
        if statement.fairness.1 == Notion::AnnotatedName {
            let is_annotated = |(how, selector): &Subject| match selector {
                Selector::Events(events) => self.annotated.contains(&(*how, events[0].clone())),
                _ => false,
            };
            if let Some(at) = statement.subjects.iter().position(|it| !is_annotated(it)) {
                return reject(Rule::Constraint, format!("nothing annotates constraint {at}"));
            }
        }
        let sum = |all: (usize, usize), one: &(usize, usize)| (all.0 + one.0, all.1 + one.1);
        let (nodes, edges) = counts.iter().fold((0, 0), sum);
        Ok((count, nodes, edges))
    }

    /// Checks the states of some blocks; gives the number of nodes and of edges.
    fn check_blocks(&mut self, from: usize, to: usize) -> Result<(usize, usize), Rejected> {
        let (mut nodes, mut edges) = (0, 0);
        self.each_state((from, to), |checker, at, cells, list| {
            nodes += list.len();
            let count = checker.check_state(cells, list);
            edges += count.map_err(|mut rejected| {
                rejected.why = format!("state {at}: {}", rejected.why);
                rejected
            })?;
            Ok(())
        })?;
        Ok((nodes, edges))
    }

    /// Does something with each state of some blocks: its position, its values and its node list.
    pub(crate) fn each_state(
        &mut self,
        (from, to): (usize, usize),
        mut what: impl FnMut(&mut Checker<'a>, usize, &[i64], &'a List) -> Result<(), Rejected>,
    ) -> Result<(), Rejected> {
        let (mut state, mut cells, table) = (Vec::new(), Vec::new(), &self.file.table);
        let mut states = table.block(from);
        for at in from * BLOCK..(to * BLOCK).min(table.count) {
            let list = states.advance(&mut state).and_then(|list| self.file.lists.get(list));
            let decoded = self.machine.decode(&state, &mut cells);
            let (Some(list), Some(())) = (list, decoded) else {
                return reject(Rule::Format, format!("state {at} is none of the model"));
            };
            what(self, at, &cells, list)?;
        }
        Ok(())
    }

    /// The steps out of a state lead to states and nodes that are listed, and no edge breaks the rank or the
    /// reason of a class. Gives the number of edges.
    fn check_state(&mut self, cells: &[i64], list: &'a List) -> Result<usize, Rejected> {
        self.forget();
        let steps = self.steps(cells)?;
        let mut targets = Vec::with_capacity(steps.len());
        for (step, _) in &steps {
            targets.push(self.listed(Rule::Closed, &step.cells)?.1);
        }
        if self.statement.claim == Claim::Always {
            if self.condition(cells)? {
                return Ok(steps.len());
            }
            return reject(Rule::Invariant, "the condition does not hold");
        }
        if list.is_empty() {
            return Ok(steps.len());
        }
        let of = self.state(cells, &steps)?;
        let mut all = Vec::new();
        for (at, (step, target)) in steps.iter().zip(&targets).enumerate() {
            let letter = self.letter_at(&of, step)?;
            let letter_number = self.number(&letter);
            for &(set, class) in list {
                let key = (letter_number, set as usize);
                self.expand(key, &letter)?;
                for (number, (next, _)) in self.expansions[&key].iter().enumerate() {
                    let found = target.binary_search_by_key(next, |node| node.0 as usize);
                    let Ok(found) = found else {
                        let why = format!("a node of {set} lacks a successor");
                        return reject(Rule::Expansion, why);
                    };
                    let (from, to) = (class as usize, target[found].1 as usize);
                    all.push(Edge { from, to, step: at, action: step.1, key, number });
                }
                if all.len() > MANY {
                    return reject(Rule::Limit, "too many edges leave the nodes of a state");
                }
            }
        }
        for edge in &all {
            self.check_edge(edge, &of, &all, steps.len())?;
        }
        Ok(all.len())
    }

    /// An edge leads to no class of higher rank, and one inside a class does not break its reason.
    fn check_edge(
        &self,
        edge: &Edge,
        of: &OfState,
        all: &[Edge],
        steps: usize,
    ) -> Result<(), Rejected> {
        let classes = &self.statement.classes;
        let (from, to) = (&classes[edge.from].path, &classes[edge.to].path);
        for (level, &class) in from.iter().enumerate() {
            match to.get(level) {
                Some(&other) if other == class => {}
                // Classes that are parts of the same one are ranked by their numbers.
                Some(&other) if other < class => return Ok(()),
                _ => return reject(Rule::Rank, format!("an edge leads up from class {class}")),
            }
            let broken = |why: &str| reject(Rule::Reason, format!("{why} inside class {class}"));
            let constraint = |at: usize| &self.statement.constraints[at];
            let when = |it: &Constraint| self.is_true(&it.when, of, edge.action);
            let then = |it: &Constraint| self.is_true(&it.then, of, edge.action);
            match &classes[class].reason {
                Reason::Acyclic => return broken("there is an edge"),
                Reason::Postponed(until) => {
                    if self.expansions[&edge.key][edge.number].1.contains(until) {
                        return Ok(());
                    }
                    return broken("an until is not postponed");
                }
                Reason::Unmet(at) => {
                    if when(constraint(*at)) && !then(constraint(*at)) {
                        return Ok(());
                    }
                    return broken("a weak constraint is met");
                }
                Reason::Strong(all) => {
                    if all.iter().any(|&at| then(constraint(at))) {
                        return broken("a strong constraint is met");
                    }
                    if all.iter().any(|&at| when(constraint(at))) {
                        return Ok(());
                    }
                }
                Reason::Global => {
                    let inside = |edge: &&Edge| {
                        let is = |end: usize| classes[end].path.get(level) == Some(&class);
                        is(edge.from) && is(edge.to)
                    };
                    let taken: BTreeSet<usize> =
                        all.iter().filter(inside).map(|edge| edge.step).collect();
                    if taken.len() < steps {
                        return Ok(());
                    }
                }
            }
        }
        reject(Rule::Reason, format!("an edge stays in class {}, which nothing forbids", edge.from))
    }
}

/// An edge of the product out of the nodes of one state.
struct Edge {
    from: usize,
    to: usize,
    /// The step of the system, and its action.
    step: usize,
    action: usize,
    /// Where its expansion is found.
    key: (usize, usize),
    number: usize,
}
