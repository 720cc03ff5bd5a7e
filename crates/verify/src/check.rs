//! The rules, checked.

use std::collections::{BTreeSet, HashMap};

use crate::fairness::{
    Constraint, Events, Notion, Predicate, Selector, Selectors, fixed_annotated, position,
};
use crate::fir::{Expr, parse};
use crate::format::{File, Table};
use crate::ltl::{Expansion, Formula, Node, Normal};
use crate::rejected::{Rejected, Rule, reject};
use crate::state::StepError;
use crate::step::{IDLE, Machine, Move, Step};
use crate::words::Words;

/// Kinds of claims.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Claim {
    /// Every fair run satisfies the formula.
    Holds,
    /// The formula, which has no temporal operator, holds in every state that can be reached.
    Always,
    /// A fair run does not satisfy the formula.
    Violated,
}

/// Meaning of a proposition of the formula.
#[derive(Debug)]
pub(crate) enum Atom {
    Proposition(usize),
    Deadlock,
    Terminated,
    Event(Vec<Events>),
    Enabled(usize),
    Taken(usize),
}

/// Why no fair run stays in a class.
#[derive(Debug)]
enum Reason {
    /// No edge is inside, or every edge inside postpones this until.
    Acyclic,
    Postponed(usize),
    /// No edge inside meets this weak constraint.
    Unmet(usize),
    /// *Then* of these strong constraints comes on no edge inside. Where *when* does, the edge is not looked at
    /// further, since a fair run takes such edges finitely often; the rest is divided again.
    Strong(Vec<usize>),
    /// The same for strong global fairness: edges out of a state, one of whose steps is on no edge inside.
    Global,
}

#[derive(Debug)]
struct Class {
    reason: Reason,
    /// The classes that it is in, from the largest, and itself.
    path: Vec<usize>,
    is_divided: bool,
}

/// The statement of a certificate: all that it says beside the nodes.
#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) claim: Claim,
    /// Whether a position reads the event of the step that led to its state, none at the first.
    pub(crate) entering: bool,
    pub(crate) fairness: Notion,
    pub(crate) fairness_text: String,
    pub(crate) formula: Formula,
    pub(crate) atoms: Vec<Atom>,
    pub(crate) names: Vec<String>,
    pub(crate) assumed: Vec<Constraint>,
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) selectors: Selectors,
    classes: Vec<Class>,
    /// The states of the automaton: sets of subformulas of the negation.
    sets: Vec<Vec<usize>>,
    /// The lines of a run.
    pub(crate) run: Vec<String>,
}

impl Statement {
    fn read(text: &str, machine: &Machine) -> Result<Statement, Rejected> {
        let mut statement = Statement {
            claim: Claim::Holds,
            entering: false,
            fairness: Notion::None,
            fairness_text: "none".to_owned(),
            formula: Formula::True,
            atoms: Vec::new(),
            names: Vec::new(),
            assumed: Vec::new(),
            constraints: Vec::new(),
            selectors: Vec::new(),
            classes: Vec::new(),
            sets: Vec::new(),
            run: Vec::new(),
        };
        let mut given = BTreeSet::new();
        for line in text.lines() {
            let (key, rest) = line.split_once(' ').unwrap_or((line, ""));
            let once = ["claim", "reading", "fairness", "formula"];
            if once.contains(&key) && !given.insert(key) {
                return reject(Rule::Statement, format!("`{key}` is given twice"));
            }
            let words = &mut Words::new(rest);
            match key {
                "title" | "#" => continue,
                "claim" => {
                    statement.claim = match rest {
                        "holds" => Claim::Holds,
                        "always" => Claim::Always,
                        "violated" => Claim::Violated,
                        _ => return reject(Rule::Statement, format!("`{rest}` is no claim")),
                    };
                    continue;
                }
                "reading" => {
                    statement.entering = match rest {
                        "leaving" => false,
                        "entering" => true,
                        _ => {
                            return reject(
                                Rule::Statement,
                                format!("events are not read `{rest}`"),
                            );
                        }
                    };
                    continue;
                }
                "fairness" => {
                    statement.fairness = Notion::read(rest)?;
                    rest.clone_into(&mut statement.fairness_text);
                    continue;
                }
                "formula" => statement.formula = Formula::read(words, 0)?,
                "atom" => statement.atom(words, machine)?,
                "assume" => {
                    let constraint = Constraint::read(rest, machine, &mut statement.selectors)?;
                    statement.assumed.push(constraint);
                    continue;
                }
                "constraint" => {
                    let constraint = Constraint::read(rest, machine, &mut statement.selectors)?;
                    statement.constraints.push(constraint);
                    continue;
                }
                "class" => statement.class(words)?,
                "set" => {
                    let mut set = Vec::new();
                    while !words.is_over() {
                        set.push(words.number()?);
                    }
                    statement.sets.push(set);
                }
                "start" | "step" | "loop" => {
                    statement.run.push(line.to_owned());
                    continue;
                }
                _ => return reject(Rule::Statement, format!("`{key}` means nothing")),
            }
            if !words.is_over() {
                return reject(Rule::Statement, format!("`{line}` has words behind it"));
            }
        }
        for key in ["claim", "formula"] {
            if !given.contains(key) {
                return reject(Rule::Statement, format!("there is no `{key}`"));
            }
        }
        Ok(statement)
    }

    fn atom(&mut self, words: &mut Words<'_>, machine: &Machine) -> Result<(), Rejected> {
        self.names.push(words.name()?);
        let kind = words.next()?;
        self.atoms.push(match kind {
            "proposition" => {
                let at = words.number()?;
                if at >= machine.model.propositions.len() {
                    return reject(Rule::Statement, format!("there is no proposition {at}"));
                }
                Atom::Proposition(at)
            }
            "deadlock" => Atom::Deadlock,
            "terminated" => Atom::Terminated,
            "event" => Atom::Event(words.several(|words| Events::read(words, machine))?),
            "enabled" | "taken" => {
                let selector = Selector::read(words, machine)?;
                let at = position(&mut self.selectors, selector);
                if kind == "enabled" { Atom::Enabled(at) } else { Atom::Taken(at) }
            }
            _ => return reject(Rule::Statement, format!("`{kind}` is no proposition")),
        });
        Ok(())
    }

    fn class(&mut self, words: &mut Words<'_>) -> Result<(), Rejected> {
        let mut path = Vec::new();
        if !words.takes("-") {
            let parent = words.number()?;
            let Some(parent) = self.classes.get_mut(parent) else {
                return reject(Rule::Statement, "a class is in one that does not come before it");
            };
            parent.is_divided = true;
            path.clone_from(&parent.path);
        }
        path.push(self.classes.len());
        let mut constraints = Vec::new();
        let reason = words.next()?;
        while !words.is_over() {
            constraints.push(words.number()?);
        }
        let reason = match (reason, &constraints[..]) {
            ("acyclic", []) => Reason::Acyclic,
            ("global", []) => Reason::Global,
            ("postponed", &[until]) => Reason::Postponed(until),
            ("unmet", &[constraint]) => Reason::Unmet(constraint),
            ("strong", [_, ..]) => Reason::Strong(constraints),
            _ => return reject(Rule::Statement, format!("`{reason}` is no reason")),
        };
        self.classes.push(Class { reason, path, is_divided: false });
        Ok(())
    }

    /// Checks every index of the statement. One that names nothing would make a reason true that says nothing:
    /// a mark that does not exist never comes.
    fn check_indices(&self, normal: &Normal) -> Result<(), Rejected> {
        for class in &self.classes {
            let strength = |at: usize| self.constraints.get(at).map(|it| it.strong);
            let fits = match &class.reason {
                Reason::Acyclic => true,
                Reason::Global => self.fairness == Notion::Global,
                Reason::Postponed(until) => {
                    matches!(normal.nodes.get(*until), Some(Node::Until(..)))
                }
                Reason::Unmet(constraint) => strength(*constraint) == Some(false),
                Reason::Strong(all) => all.iter().all(|&at| strength(at) == Some(true)),
            };
            if !fits {
                return reject(Rule::Reason, "a reason speaks of something that is not there");
            }
        }
        for set in &self.sets {
            let sorted = set.is_sorted_by(|one, other| one < other);
            if !sorted || set.last().is_some_and(|&last| last >= normal.nodes.len()) {
                return reject(
                    Rule::Expansion,
                    "a state of the automaton is no set of subformulas",
                );
            }
        }
        Ok(())
    }
}

/// A certificate that has been accepted, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The claim that has been verified, in a sentence.
    pub statement: String,
    /// States of the system.
    pub states: usize,
    /// Nodes of the product with the automaton of the negation.
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
type Successor = (usize, Vec<usize>);

pub(crate) struct Checker<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) statement: &'a Statement,
    pub(crate) normal: Normal,
    by_set: HashMap<Vec<usize>, usize>,
    actions: HashMap<(usize, Vec<Move>), usize>,
    of_action: Vec<OfAction>,
    letters: HashMap<Vec<bool>, usize>,
    /// By letter and state of the automaton: the state it leads to and the untils that are postponed.
    expansions: HashMap<(usize, usize), Vec<Successor>>,
    /// Which propositions of the model ask what else is enabled.
    waits: Vec<bool>,
    asks_ready: bool,
    annotated: BTreeSet<(String, Move)>,
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
    // Nested parts are read by recursion, as deep as the reader allows.
    const STACK: usize = 256 << 20;
    std::thread::scope(|scope| {
        let work = || {
            let (mut all, mut rest) = (Vec::new(), bytes);
            while all.is_empty() || !rest.is_empty() {
                let (verified, behind) = verify_here(rest)?;
                all.push(verified);
                rest = behind;
            }
            Ok(all)
        };
        match std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
            Ok(thread) => thread.join().unwrap_or_else(|_| {
                reject(Rule::Limit, "the verifier failed; this is a bug in it")
            }),
            Err(_) => reject(Rule::Limit, "there is no memory for a thread"),
        }
    })
}

/// Verifies the first certificate, and gives what is behind it.
fn verify_here(bytes: &[u8]) -> Result<(Verified, &[u8]), Rejected> {
    let file = File::read(bytes)?;
    let machine = Machine::new(parse(file.model)?)?;
    let statement = Statement::read(file.statement, &machine)?;
    let normal = Normal::negation(&statement.formula)?;
    statement.check_indices(&normal)?;
    let mut checker = Checker::new(&machine, &statement, normal)?;
    let shown = |formula: &str| {
        let mut assumed = vec![format!("fairness {}", statement.fairness_text)];
        assumed.extend(statement.assumed.iter().map(|constraint| constraint.text.clone()));
        let run = match statement.claim {
            Claim::Holds => format!("every run under {} satisfies", assumed.join(" and ")),
            Claim::Always => {
                "nothing goes wrong in a step, and every state that can be reached satisfies"
                    .to_owned()
            }
            Claim::Violated => format!("a run under {} violates", assumed.join(" and ")),
        };
        format!("{run} {formula}")
    };
    let claim = shown(&statement.formula.show(&statement.names));
    let table = Table::new(&file)?;
    let (states, nodes, edges) = match statement.claim {
        Claim::Violated => checker.check_run()?,
        Claim::Holds | Claim::Always => checker.check_all(&file, &table)?,
    };
    Ok((Verified { statement: claim, states, nodes, edges }, table.behind))
}

impl<'a> Checker<'a> {
    fn new(
        machine: &'a Machine,
        statement: &'a Statement,
        normal: Normal,
    ) -> Result<Checker<'a>, Rejected> {
        let by_set = statement.sets.iter().enumerate().map(|(at, set)| (set.clone(), at)).collect();
        let waits = machine
            .model
            .propositions
            .iter()
            .map(|(_, it)| it.any(&|expr| matches!(expr, Expr::Timeout | Expr::Executable(_))));
        let asks_ready = statement.constraints.iter().chain(&statement.assumed).any(|constraint| {
            [&constraint.when, &constraint.then].iter().any(|it| matches!(it, Predicate::Ready(_)))
        });
        // Events and what is taken are known of no state alone.
        let plain =
            |formula: &Formula| formula.holds(&vec![false; statement.atoms.len()]).is_some();
        for constraint in statement.constraints.iter().chain(&statement.assumed) {
            for predicate in [&constraint.when, &constraint.then] {
                if matches!(predicate, Predicate::Step(formula) if !plain(formula)) {
                    return reject(Rule::Statement, "a constraint is about more than a step");
                }
            }
        }
        if statement.entering && statement.atoms.iter().any(|it| matches!(it, Atom::Enabled(_))) {
            return reject(Rule::Limit, "what is enabled where a step leads is not covered");
        }
        Ok(Checker {
            machine,
            statement,
            by_set,
            actions: HashMap::new(),
            of_action: Vec::new(),
            letters: HashMap::new(),
            expansions: HashMap::new(),
            waits: waits.collect(),
            asks_ready,
            annotated: fixed_annotated(machine),
            normal,
        })
    }

    /// The facts about an action, found out once.
    fn action(&mut self, step: &Step) -> usize {
        let key = (step.event, step.moves.clone());
        if let Some(&known) = self.actions.get(&key) {
            return known;
        }
        let machine = self.machine;
        for of in &step.moves {
            if let Some(word) = machine.edge(of).and_then(|edge| edge.annotation.clone()) {
                self.annotated.insert((word, *of));
            }
        }
        let selected: Vec<bool> = self
            .statement
            .selectors
            .iter()
            .map(|it| it.has_action(step.event, &step.moves, machine))
            .collect();
        let holds = self.statement.atoms.iter().map(|atom| match atom {
            Atom::Event(events) => events.iter().any(|it| it.has(step.event, machine)),
            Atom::Taken(selector) => selected[*selector],
            _ => false,
        });
        self.of_action.push(OfAction { holds: holds.collect(), selected });
        self.actions.insert(key, self.of_action.len() - 1);
        self.of_action.len() - 1
    }

    /// The facts about a state.
    pub(crate) fn state(&mut self, cells: &[i64], steps: &[Step]) -> Result<OfState, Rejected> {
        let machine = self.machine;
        let mut enabled = vec![false; self.statement.selectors.len()];
        for step in steps.iter().filter(|step| step.event != IDLE) {
            let action = self.action(step);
            for (enabled, selected) in enabled.iter_mut().zip(&self.of_action[action].selected) {
                *enabled |= selected;
            }
        }
        let mut ready = vec![false; enabled.len()];
        if self.asks_ready {
            for of in machine.offered(cells) {
                for (ready, selector) in ready.iter_mut().zip(&self.statement.selectors) {
                    *ready |= selector.has(&of, machine);
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
    fn propositions(&self, cells: &[i64]) -> Result<Vec<bool>, Rejected> {
        let machine = self.machine;
        let holds = |atom: &Atom| match atom {
            Atom::Proposition(at) => {
                let (name, expr) = &machine.model.propositions[*at];
                machine.holds(cells, expr, self.waits[*at]).or_else(|StepError(why)| {
                    reject(Rule::Fault, format!("in the proposition `{name}`, {why}"))
                })
            }
            Atom::Deadlock => Ok(machine.is_stuck(cells) && !machine.all_may_end(cells)),
            Atom::Terminated => Ok(machine.is_stuck(cells) && machine.all_may_end(cells)),
            _ => Ok(false),
        };
        self.statement.atoms.iter().map(holds).collect()
    }

    /// The letter of a state and an action; none before the first step.
    pub(crate) fn letter(&self, holds: &[bool], action: Option<usize>) -> Vec<bool> {
        let none: &[bool] = &[];
        let of_action = action.map_or(none, |action| &self.of_action[action].holds);
        let happens = of_action.iter().copied().chain(std::iter::repeat(false));
        holds.iter().zip(happens).map(|(holds, happens)| *holds || happens).collect()
    }

    /// Where a state of the automaton leads under a letter: every expansion must be a state of the automaton.
    fn expand(&mut self, set: usize, letter: &[bool]) -> Result<(usize, usize), Rejected> {
        let number = match self.letters.get(letter) {
            Some(&known) => known,
            None => {
                self.letters.insert(letter.to_vec(), self.letters.len());
                self.letters.len() - 1
            }
        };
        if !self.expansions.contains_key(&(number, set)) {
            let mut all = Vec::new();
            for Expansion { next, postponed } in
                self.normal.expand(&self.statement.sets[set], letter)?
            {
                match self.by_set.get(&next) {
                    Some(&next) => all.push((next, postponed)),
                    None => {
                        let why =
                            format!("the automaton has no state {next:?}, which {set} leads to");
                        return reject(Rule::Expansion, why);
                    }
                }
            }
            self.expansions.insert((number, set), all);
        }
        Ok((number, set))
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
            Predicate::Step(formula) => {
                formula.holds(&self.letter(&of.holds, Some(action))).unwrap_or(false)
            }
        }
    }

    /// The steps out of a state, or the idle step where there are none, each with its action.
    pub(crate) fn steps(&mut self, cells: &[i64]) -> Result<Vec<(Step, usize)>, Rejected> {
        let mut steps = self.machine.steps(cells)?;
        if steps.is_empty() {
            steps.push(Step { event: IDLE, moves: Vec::new(), cells: cells.to_vec() });
        }
        Ok(steps
            .into_iter()
            .map(|step| {
                let action = self.action(&step);
                (step, action)
            })
            .collect())
    }

    /// Checks the rules in every state that is listed.
    fn check_all(
        &mut self,
        file: &File<'_>,
        table: &Table<'_>,
    ) -> Result<(usize, usize, usize), Rejected> {
        let (machine, statement) = (self.machine, self.statement);
        let holds = statement.claim == Claim::Holds;
        for list in &file.lists {
            for &(set, class) in list {
                let leaf = statement.classes.get(class as usize).is_some_and(|it| !it.is_divided);
                if set as usize >= statement.sets.len() || !leaf || !holds {
                    return reject(Rule::Format, "a node is of a set or class that is not there");
                }
            }
        }
        let (mut cells, mut bytes) = (machine.initial()?, Vec::new());
        machine.encode(&cells, &mut bytes);
        self.check_initial(&cells, table.find(&bytes).map(|at| &file.lists[at][..]))?;
        let mut states = file.states();
        let (mut nodes, mut edges) = (0, 0);
        for at in 0..file.count {
            states.advance()?;
            if machine.decode(&states.state, &mut cells).is_none() {
                return reject(Rule::Format, format!("state {at} is none of the model"));
            }
            let list = &file.lists[states.list];
            nodes += list.len();
            edges += self
                .check_state(&cells, list, |step| {
                    bytes.clear();
                    machine.encode(step, &mut bytes);
                    match table.find(&bytes) {
                        Some(list) => Ok(&file.lists[list]),
                        None => reject(
                            Rule::Closed,
                            format!("a step of state {at} leads to none that is listed"),
                        ),
                    }
                })
                .map_err(|mut rejected| {
                    rejected.why = format!("state {at}: {}", rejected.why);
                    rejected
                })?;
        }
        // At last, since annotated moves are met on the way.
        for constraint in &statement.constraints {
            let assumed = statement.assumed.iter().any(|other| other.text == constraint.text);
            let (selectors, annotated) = (&statement.selectors, &self.annotated);
            if !assumed && !constraint.is_of(statement.fairness, selectors, machine, annotated) {
                let why = format!("`{}` is not assumed", constraint.text);
                return reject(Rule::Constraint, why);
            }
        }
        Ok((file.count, nodes, edges))
    }

    /// The initial state is listed, with the nodes that the automaton can begin in.
    fn check_initial(
        &mut self,
        cells: &[i64],
        list: Option<&[(u32, u32)]>,
    ) -> Result<(), Rejected> {
        let Some(list) = list else {
            return reject(Rule::Initial, "the initial state is not listed");
        };
        if self.statement.claim != Claim::Holds {
            return Ok(());
        }
        let root = vec![self.normal.root];
        let mut first = vec![root];
        if self.statement.entering {
            // The first letter is read before the first step.
            let letter = self.letter(&self.propositions(cells)?, None);
            first = self.normal.expand(&first[0], &letter)?.into_iter().map(|it| it.next).collect();
        }
        for set in first {
            let known = self.by_set.get(&set);
            if !known.is_some_and(|&set| list.iter().any(|node| node.0 as usize == set)) {
                return reject(Rule::Initial, "the initial state lacks a node");
            }
        }
        Ok(())
    }

    /// The steps out of a state lead to states and nodes that are listed, and no edge breaks the rank or the
    /// reason of a class. Gives the number of edges.
    fn check_state<'l>(
        &mut self,
        cells: &[i64],
        list: &[(u32, u32)],
        mut find: impl FnMut(&[i64]) -> Result<&'l Vec<(u32, u32)>, Rejected>,
    ) -> Result<usize, Rejected> {
        let steps = self.steps(cells)?;
        let targets: Result<Vec<&Vec<(u32, u32)>>, Rejected> =
            steps.iter().map(|(step, _)| find(&step.cells)).collect();
        let targets = targets?;
        if self.statement.claim == Claim::Always {
            let letter = self.letter(&self.propositions(cells)?, None);
            return match self.statement.formula.holds(&letter) {
                Some(true) => Ok(steps.len()),
                Some(false) => reject(Rule::Invariant, "the condition does not hold"),
                None => reject(Rule::Statement, "an invariant has a temporal operator"),
            };
        }
        if list.is_empty() {
            return Ok(steps.len());
        }
        let only: Vec<Step> = steps.iter().map(|(step, _)| step.clone()).collect();
        let of = self.state(cells, &only)?;
        let mut all = Vec::new();
        for (at, ((step, action), target)) in steps.iter().zip(&targets).enumerate() {
            let letter = match self.statement.entering {
                false => self.letter(&of.holds, Some(*action)),
                true => self.letter(&self.propositions(&step.cells)?, Some(*action)),
            };
            for &(set, class) in list {
                let key = self.expand(set as usize, &letter)?;
                for (number, (next, _)) in self.expansions[&key].iter().enumerate() {
                    let Ok(found) = target.binary_search_by_key(next, |node| node.0 as usize)
                    else {
                        return reject(
                            Rule::Expansion,
                            format!("a node of {set} lacks a successor"),
                        );
                    };
                    let to = target[found].1 as usize;
                    all.push(Edge {
                        from: class as usize,
                        to,
                        step: at,
                        action: *action,
                        key,
                        number,
                    });
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
        let postponed = &self.expansions[&edge.key][edge.number].1;
        for (level, &class) in from.iter().enumerate() {
            match to.get(level) {
                Some(&other) if other == class => {}
                // Classes that are parts of the same one are ranked by their numbers.
                Some(&other) if other < class => return Ok(()),
                _ => return reject(Rule::Rank, format!("an edge leads up from class {class}")),
            }
            let broken = |why: &str| reject(Rule::Reason, format!("{why} inside class {class}"));
            match &classes[class].reason {
                Reason::Acyclic => return broken("there is an edge"),
                Reason::Postponed(until) => {
                    if postponed.contains(until) {
                        return Ok(());
                    }
                    return broken("an until is not postponed");
                }
                Reason::Unmet(constraint) => {
                    let Constraint { when, then, .. } = &self.statement.constraints[*constraint];
                    if self.is_true(when, of, edge.action) && !self.is_true(then, of, edge.action) {
                        return Ok(());
                    }
                    return broken("a weak constraint is met");
                }
                Reason::Strong(constraints) => {
                    let all = || constraints.iter().map(|&at| &self.statement.constraints[at]);
                    if all().any(|it| self.is_true(&it.then, of, edge.action)) {
                        return broken("a strong constraint is met");
                    }
                    if all().any(|it| self.is_true(&it.when, of, edge.action)) {
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
