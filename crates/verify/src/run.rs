//! Runs that are written down: of a violation, one that is fair and does not satisfy the formula; or one that comes to
//! a state in which a condition does not hold, or to an error of the model.
//!
//! A run is written as its first state and its steps; `(loop N)` says that its last state is the `N`th, from which
//! on it repeats. It is made step by step, the formula is evaluated on it by definition, and every constraint that
//! is assumed is looked at on the loop. A constraint about what is not enabled, or not ready, anywhere on the
//! loop is met, so it is enough to look at those about what is.
//!
//! Which events are annotated may depend on all states, if the events of annotated edges do. Then the certificate of a
//! violation lists the states, too, and they are closed under steps.

use std::collections::BTreeSet;

use crate::check::{Checker, Counts, OfState};
use crate::fairness::{Constraint, Events, Notion, Selector};
use crate::forms::{Form, Forms};
use crate::rejected::{Rejected, Rule, reject};
use crate::state::write;
use crate::statement::Claim;
use crate::step::{IDLE, Move, Step};

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

/// Values of targets of steps, and truths, that are kept for a run.
const KEPT: usize = 1 << 26;

/// All that is left, as the bytes of a state.
fn state(words: &mut Forms<'_>) -> Result<Vec<u8>, Rejected> {
    let mut bytes = Vec::new();
    while !words.is_over() {
        write(&mut bytes, words.integer()?);
    }
    Ok(bytes)
}

impl Checker<'_> {
    /// Checks the run of a violation, or to a state.
    pub(crate) fn check_run(&mut self, forms: &[Form<'_>]) -> Result<Counts, Rejected> {
        let (run, cells, back) = self.walk(forms)?;
        match (self.statement.claim, back) {
            (Claim::Error, None) => match self.machine.steps(&cells, false) {
                Err(rejected) if rejected.rule == Rule::Fault => {}
                Err(rejected) => return Err(rejected),
                Ok(_) => return reject(Rule::Run, "nothing goes wrong at its end"),
            },
            (Claim::Reached, None) => {
                if self.condition(&cells)? {
                    return reject(Rule::Satisfied, "the condition holds at the end of the run");
                }
            }
            (Claim::Violated, Some(back)) => {
                if !self.violates(&run, back)? {
                    return reject(Rule::Satisfied, "the run satisfies the formula");
                }
                let by_name = self.statement.fairness.1 == Notion::AnnotatedName;
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
    pub(crate) fn walk(&mut self, forms: &[Form<'_>]) -> Result<Walk, Rejected> {
        let machine = self.machine;
        let (mut cells, mut bytes) = (machine.initial()?, Vec::new());
        machine.encode(&cells, &mut bytes);
        let mut states = vec![bytes];
        let mut run: Vec<Position> = Vec::new();
        let (mut begins, mut back, mut kept) = (false, None, 0);
        for form in forms {
            let words = &mut Forms::of(form, Rule::Run);
            match words.word()? {
                "start" if !begins => {
                    begins = true;
                    if state(words)? != states[0] {
                        return reject(Rule::Run, "the run does not begin in the initial state");
                    }
                }
                "step" if begins && back.is_none() => {
                    let position = self.position(&cells, words, &mut states)?;
                    kept += position.steps.len() * cells.len() + self.statement.atoms.len();
                    if kept > KEPT {
                        return reject(Rule::Limit, "a run is too long");
                    }
                    cells.clone_from(&position.steps[position.taken].0.cells);
                    run.push(position);
                }
                "loop" if begins && back.is_none() => {
                    let to = words.number()?;
                    if to >= run.len() || states.last() != states.get(to) {
                        let why = "the run does not come back to where it is said to";
                        return reject(Rule::Run, why);
                    }
                    back = Some(to);
                }
                "start" | "step" | "loop" => {
                    return reject(Rule::Run, "the lines of the run are out of order");
                }
                _ => {}
            }
        }
        if begins { Ok((run, cells, back)) } else { reject(Rule::Run, "there is no run") }
    }

    /// The step that a line says, out of the state with these values.
    fn position(
        &mut self,
        cells: &[i64],
        words: &mut Forms<'_>,
        states: &mut Vec<Vec<u8>>,
    ) -> Result<Position, Rejected> {
        let machine = self.machine;
        let steps = self.steps(cells)?;
        let event = Events::read(words, machine)?;
        let Selector::Moves(moves) = Selector::read(words, machine)? else {
            return reject(Rule::Run, "a step says no moves");
        };
        let target = state(words)?;
        let is_said = |of: &Move| {
            let said = |it: &&_| Selector::Moves(vec![Clone::clone(*it)]).has(of, machine);
            moves.iter().filter(said).count() == 1
        };
        let is = |(step, _): &(Step, usize)| {
            let mut bytes = Vec::new();
            machine.encode(&step.cells, &mut bytes);
            event.has(step.event, machine)
                && bytes == target
                && step.moves.len() == moves.len()
                && step.moves.iter().all(is_said)
        };
        let Some(taken) = steps.iter().position(is) else {
            return reject(Rule::Run, format!("step {} of the run is none", states.len() - 1));
        };
        states.push(target);
        let of = self.state(cells, &steps)?;
        Ok(Position { cells: cells.to_vec(), of, steps, taken, offered: machine.offered(cells) })
    }

    /// Whether the run satisfies the negation of the formula, by definition.
    fn violates(&self, run: &[Position], back: usize) -> Result<bool, Rejected> {
        let action = |position: &Position| position.steps[position.taken].1;
        let (mut letters, mut start) = (Vec::new(), back);
        if self.statement.entering {
            letters.push(self.letter(&run[0].of.holds, None));
            let behind = run.iter().skip(1).chain([&run[back]]).zip(run);
            letters.extend(behind.map(|(to, from)| self.letter(&to.of.holds, Some(action(from)))));
            start += 1;
        } else {
            letters.extend(run.iter().map(|it| self.letter(&it.of.holds, Some(action(it)))));
        }
        Ok(self.statement.formulas.evaluate(&letters, start)?[self.statement.root][0])
    }

    /// Every constraint that is assumed is met on the loop of the run, and so is every one of the notion that is asked
    /// for there.
    fn check_fairness(&self, cycle: &[Position]) -> Result<(), Rejected> {
        let (machine, statement) = (self.machine, self.statement);
        for Constraint { strong, when, then, text } in &statement.constraints[..statement.assumed] {
            let is =
                |it: &Position, predicate| self.is_true(predicate, &it.of, it.steps[it.taken].1);
            if !is_met(*strong, cycle.iter().map(|it| (is(it, when), is(it, then)))) {
                return reject(Rule::Unfair, format!("the run does not meet `{text}`"));
            }
        }
        if statement.fairness.1 == Notion::Global {
            return check_global(cycle);
        }
        let mut moves: BTreeSet<Move> =
            cycle.iter().flat_map(|it| it.offered.iter().copied()).collect();
        let mut events: BTreeSet<usize> = BTreeSet::new();
        for (step, _) in cycle.iter().flat_map(|it| &it.steps) {
            moves.extend(&step.moves);
            events.insert(step.event);
        }
        events.extend(moves.iter().map(|of| of.event));
        events.remove(&IDLE);
        let all = statement.fairness.1.subjects(&moves, &events, machine, &self.annotated);
        for (how, selector) in all {
            let taken = |step: &Step| selector.has_action(step.event, &step.moves, machine);
            let asked = |it: &Position| match how.ready {
                true => it.offered.iter().any(|of| selector.has(of, machine)),
                false => it.steps.iter().any(|(step, _)| step.event != IDLE && taken(step)),
            };
            let both = cycle.iter().map(|it| (asked(it), taken(&it.steps[it.taken].0)));
            if !is_met(how.strong, both) {
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
