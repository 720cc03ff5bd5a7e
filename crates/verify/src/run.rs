//! Runs that are written down: of a violation, one that is fair and does not satisfy the formula; or one that comes to
//! a state in which a condition does not hold, or to an error of the model.
//!
//! A run is written as its first state and its steps; `loop N` says that its last state is the `N`th, from which
//! on it repeats. It is made step by step, the formula is evaluated on it by definition, and every constraint that
//! is assumed is looked at on the loop. A constraint about what is not enabled, or not ready, anywhere on the
//! loop is met, so it is enough to look at those about what is.
//!
//! Which events are annotated may depend on all states, if the events of annotated edges do. Then the certificate of a
//! violation lists the states, too, and they are closed under steps.

use std::collections::BTreeSet;

use crate::check::{Checker, Counts, OfState};
use crate::fairness::{Constraint, Events, Notion, Selector};
use crate::fir::Kind;
use crate::ltl::Node;
use crate::rejected::{Rejected, Rule, reject};
use crate::state::write;
use crate::statement::Claim;
use crate::step::{IDLE, Move, Step};
use crate::words::Words;

/// A state of the run, with everything that is enabled there, and the step that is taken.
pub(crate) struct Position {
    pub(crate) cells: Vec<i64>,
    pub(crate) of: OfState,
    pub(crate) steps: Vec<(Step, usize)>,
    pub(crate) taken: usize,
    /// The moves that are offered there.
    offered: Vec<Move>,
}

/// A run: its steps, the values of its last state, and where it comes back to.
pub(crate) type Walk = (Vec<Position>, Vec<i64>, Option<usize>);

/// Values of targets of steps that are kept for a run.
const KEPT: usize = 1 << 26;

fn values(words: &mut Words<'_>) -> Result<Vec<u8>, Rejected> {
    let mut bytes = Vec::new();
    while !words.is_over() {
        match words.next()?.parse() {
            Ok(value) => write(&mut bytes, value),
            Err(_) => return reject(Rule::Statement, "a value of a state is no number"),
        }
    }
    Ok(bytes)
}

impl Checker<'_> {
    /// Checks the run of a violation, or to a state.
    pub(crate) fn check_run(&mut self) -> Result<Counts, Rejected> {
        let (run, cells, back) = self.walk()?;
        match (self.statement.claim, back) {
            (Claim::Error, None) => match self.machine.steps(&cells, false) {
                Err(rejected) if rejected.rule == Rule::Fault => {}
                Err(rejected) => return Err(rejected),
                Ok(_) => return reject(Rule::Run, "nothing goes wrong at its end"),
            },
            (Claim::Reached, None) => {
                let letter = self.letter(&self.propositions(&cells)?, None);
                if self.statement.formula.holds(&letter) != Some(false) {
                    return reject(Rule::Satisfied, "the condition holds at the end of the run");
                }
            }
            (Claim::Violated, Some(back)) => {
                if !self.violates(&run, back) {
                    return reject(Rule::Satisfied, "the run satisfies the formula");
                }
                let by_name = self.statement.fairness == Notion::AnnotatedName;
                if by_name && self.machine.annotates_by_state {
                    self.check_states()?;
                    self.listed(Rule::Initial, &self.machine.initial()?)?;
                }
                self.check_fairness(&run[back..])?;
            }
            _ => return reject(Rule::Run, "a run that does not come back, or one that does"),
        }
        Ok((run.len(), 0, 0))
    }

    /// Makes the run that is written down.
    pub(crate) fn walk(&mut self) -> Result<Walk, Rejected> {
        let (machine, statement) = (self.machine, self.statement);
        let (mut cells, mut bytes) = (machine.initial()?, Vec::new());
        machine.encode(&cells, &mut bytes);
        let mut states = vec![bytes];
        let mut run: Vec<Position> = Vec::new();
        let (mut back, mut kept) = (None, 0);
        for (at, line) in statement.run.iter().enumerate() {
            let words = &mut Words::new(line);
            match (words.next()?, at) {
                ("start", 0) => {
                    if values(words)? != states[0] {
                        return reject(Rule::Run, "the run does not begin in the initial state");
                    }
                }
                ("step", 1..) if back.is_none() => {
                    let position = self.position(&cells, words, &mut states)?;
                    kept += position.steps.len() * cells.len();
                    if kept > KEPT {
                        return reject(Rule::Limit, "a run is too long");
                    }
                    cells.clone_from(&position.steps[position.taken].0.cells);
                    run.push(position);
                }
                ("loop", 1..) if back.is_none() => {
                    let to = words.number()?;
                    if to >= run.len() || states.last() != states.get(to) {
                        let why = "the run does not come back to where it is said to";
                        return reject(Rule::Run, why);
                    }
                    back = Some(to);
                }
                _ => return reject(Rule::Run, "the lines of the run are out of order"),
            }
        }
        if statement.run.is_empty() {
            return reject(Rule::Run, "there is no run");
        }
        Ok((run, cells, back))
    }

    /// The step that a line says, out of the state with these values.
    fn position(
        &mut self,
        cells: &[i64],
        words: &mut Words<'_>,
        states: &mut Vec<Vec<u8>>,
    ) -> Result<Position, Rejected> {
        let machine = self.machine;
        let steps = self.steps(cells)?;
        let event = Events::read(words, machine)?;
        let Selector::Moves(moves) = Selector::read(words, machine)? else {
            return reject(Rule::Run, "a step says no moves");
        };
        let target = values(words)?;
        let is = |(step, _): &(Step, usize)| {
            let mut bytes = Vec::new();
            machine.encode(&step.cells, &mut bytes);
            let one = |of: &Move| {
                moves
                    .iter()
                    .filter(|it| Selector::Moves(vec![(*it).clone()]).has(of, machine))
                    .count()
                    == 1
            };
            event.has(step.event, machine)
                && bytes == target
                && step.moves.len() == moves.len()
                && step.moves.iter().all(one)
        };
        let Some(taken) = steps.iter().position(is) else {
            return reject(Rule::Run, format!("step {} of the run is none", states.len() - 1));
        };
        states.push(target);
        let of = self.state(cells, &steps)?;
        Ok(Position { cells: cells.to_vec(), of, steps, taken, offered: machine.offered(cells) })
    }

    /// Whether the run satisfies the negation of the formula: every subformula is evaluated at every position.
    fn violates(&self, run: &[Position], back: usize) -> bool {
        let action = |position: &Position| position.steps[position.taken].1;
        let mut letters: Vec<Vec<bool>>;
        let mut back = back;
        if self.statement.entering {
            letters = vec![self.letter(&run[0].of.holds, None)];
            let behind = run.iter().skip(1).chain([&run[back]]).zip(run);
            letters.extend(behind.map(|(to, from)| self.letter(&to.of.holds, Some(action(from)))));
            back += 1;
        } else {
            let letter = |it: &Position| self.letter(&it.of.holds, Some(action(it)));
            letters = run.iter().map(letter).collect();
        }
        let count = letters.len();
        let next = |at: usize| if at + 1 < count { at + 1 } else { back };
        let mut truths: Vec<Vec<bool>> = Vec::new();
        for node in &self.normal.nodes {
            let of = |it: usize, at: usize| truths[it][at];
            let mut truth = vec![matches!(node, Node::True | Node::Release(..)); count];
            // Twice round is enough: what holds at a position depends on the positions behind it, once each.
            for at in (0..count).rev().chain((0..count).rev()) {
                truth[at] = match *node {
                    Node::True => true,
                    Node::False => false,
                    Node::Atom(atom, holds) => letters[at].get(atom).is_some_and(|&it| it == holds),
                    Node::And(one, other) => of(one, at) && of(other, at),
                    Node::Or(one, other) => of(one, at) || of(other, at),
                    Node::Next(one) => of(one, next(at)),
                    Node::Until(one, other) => of(other, at) || of(one, at) && truth[next(at)],
                    Node::Release(one, other) => of(other, at) && (of(one, at) || truth[next(at)]),
                };
            }
            truths.push(truth);
        }
        truths[self.normal.root][0]
    }

    /// Every constraint that is assumed is met on the loop of the run.
    fn check_fairness(&self, cycle: &[Position]) -> Result<(), Rejected> {
        for constraint in &self.statement.assumed {
            let Constraint { strong, when, then, text } = constraint;
            let is =
                |it: &Position, predicate| self.is_true(predicate, &it.of, it.steps[it.taken].1);
            let met = is_met(*strong, cycle.iter().map(|it| (is(it, when), is(it, then))));
            if !met {
                return reject(Rule::Unfair, format!("the run does not meet `{text}`"));
            }
        }
        if self.statement.fairness == Notion::Global {
            return check_global(cycle);
        }
        let machine = self.machine;
        for (strong, ready, selector) in self.candidates(cycle) {
            let taken = |step: &Step| selector.has_action(step.event, &step.moves, machine);
            let asked = |it: &Position| match ready {
                true => it.offered.iter().any(|of| selector.has(of, machine)),
                false => it.steps.iter().any(|(step, _)| step.event != IDLE && taken(step)),
            };
            let both = cycle.iter().map(|it| (asked(it), taken(&it.steps[it.taken].0)));
            if !is_met(strong, both) {
                return reject(Rule::Unfair, format!("the run is not fair to {selector:?}"));
            }
        }
        Ok(())
    }
}

/// Whether a constraint is met where *when* and *then* are as they are on a loop.
fn is_met(strong: bool, mut both: impl Iterator<Item = (bool, bool)>) -> bool {
    if !strong {
        return both.any(|(when, then)| !when || then);
    }
    let all: Vec<(bool, bool)> = both.collect();
    all.iter().any(|(_, then)| *then) || !all.iter().any(|(when, _)| *when)
}

/// Every step of a state on the loop is taken on the loop.
fn check_global(cycle: &[Position]) -> Result<(), Rejected> {
    for here in cycle {
        let same = |it: &&Position| it.cells == here.cells;
        let taken: BTreeSet<usize> = cycle.iter().filter(same).map(|it| it.taken).collect();
        if taken.len() < here.steps.len() {
            return reject(Rule::Unfair, "a step of a state on the loop is not taken there");
        }
    }
    Ok(())
}

impl Checker<'_> {
    /// The constraints of the notion that may be owed something on a loop.
    fn candidates(&self, cycle: &[Position]) -> Vec<(bool, bool, Selector)> {
        let machine = self.machine;
        let mut moves: BTreeSet<Move> =
            cycle.iter().flat_map(|it| it.offered.iter().copied()).collect();
        let mut events: BTreeSet<usize> = BTreeSet::new();
        for (step, _) in cycle.iter().flat_map(|it| &it.steps) {
            moves.extend(&step.moves);
            events.insert(step.event);
        }
        events.extend(moves.iter().map(|of| of.event));
        events.remove(&IDLE);
        let named = |&event: &usize| match machine.kind(event) {
            Kind::Visible => Selector::Events(vec![Events::Named(machine.event_name(event))]),
            _ => Selector::Events(vec![Events::Other(event)]),
        };
        let single = |of: &Move| {
            let event = match machine.kind(of.event) {
                Kind::Visible => Events::Named(machine.event_name(of.event)),
                _ => Events::Other(of.event),
            };
            (of.slot, of.template, of.location, of.edge, event)
        };
        let word = |of: &Move| machine.edge(of).and_then(|edge| edge.annotation.clone());
        let kinds =
            [("wf", false, false), ("sf", true, false), ("wl", false, true), ("sl", true, true)];
        let slots = 0..machine.model.slots.len();
        match self.statement.fairness {
            Notion::None | Notion::Global | Notion::Inherent { .. } => Vec::new(),
            Notion::Process { strong } => {
                slots.map(|it| (strong, false, Selector::Process(it))).collect()
            }
            Notion::Event { strong } => {
                events.iter().map(|it| (strong, false, named(it))).collect()
            }
            Notion::Live { strong } => events.iter().map(|it| (strong, true, named(it))).collect(),
            Notion::Action { strong } => {
                moves.iter().map(|of| (strong, false, Selector::Moves(vec![single(of)]))).collect()
            }
            // An annotation of an event may be anywhere.
            Notion::AnnotatedName => {
                let is_annotated = |word: &str, event: usize| {
                    let same = |it: &Move| named(&it.event) == named(&event);
                    self.annotated.iter().any(|(of, it)| of == word && same(it))
                };
                let all = kinds.iter().flat_map(|&(word, strong, ready)| {
                    let of = events.iter().filter(|event| is_annotated(word, **event)).map(named);
                    of.map(|it| (strong, ready, it)).collect::<Vec<_>>()
                });
                all.collect()
            }
            Notion::AnnotatedOccurrence => {
                let mut all = Vec::new();
                for first in &moves {
                    let Some(kind) =
                        kinds.iter().find(|kind| word(first).as_deref() == Some(kind.0))
                    else {
                        continue;
                    };
                    let alike = moves.iter().filter(|of| {
                        (of.slot, of.event) == (first.slot, first.event) && word(of) == word(first)
                    });
                    all.push((kind.1, kind.2, Selector::Moves(alike.map(single).collect())));
                }
                all
            }
        }
    }
}
