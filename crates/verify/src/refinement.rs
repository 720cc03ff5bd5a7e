//! Refinement: everything that can be observed of a system can be observed of another one, its specification.
//!
//! With each state of the system, families of states of the specification are listed. A family that is listed with a
//! state after some visible events has one state at least, and its states are such that the specification can be in
//! each of them after the same events: each is the target of a step from a family before, with the
//! same event, or of an internal step from one that comes before it in the family. So, if the events of the system lead from a
//! state with a family to one with a family, step by step:
//!
//! - *traces*: the specification can do what the system does;
//! - *failures*: where the system can refuse events, since it has no internal step, a state of the family refuses
//!   at least as much;
//! - *divergences*: internal steps of the system lead to states of lower rank, so they do not go on for ever, unless a
//!   state of the family is listed as one from which the specification can take internal steps for ever. What
//!   comes behind such a family is settled: after it, everything is allowed.
//!
//! Termination is the last event, and a state that offers it refuses everything else.

use std::collections::{BTreeSet, HashMap};
use std::io::BufRead;

use crate::check::{Checker, Counts};
use crate::fir::{Kind, parse};
use crate::format::File;
use crate::forms::forms;
use crate::rejected::{Rejected, Rule, reject};
use crate::statement::{Claim, Member, Observed, Statement};
use crate::step::{Machine, Step};

/// Events as they are observed, by number: internal ones, termination, and the others by their names.
const INTERNAL: usize = 0;
const TERMINATION: usize = 1;
/// Steps of a specification, which are kept.
const MANY: usize = 1 << 24;

/// The steps of a specification by state, and which of its states can take internal steps for ever.
#[derive(Default)]
struct Specification {
    steps: Vec<Vec<(usize, usize)>>,
    insists: Vec<Option<BTreeSet<usize>>>,
    diverges: BTreeSet<usize>,
    initial: usize,
    events: HashMap<String, usize>,
}

impl Specification {
    /// The observation of a step.
    fn event(&mut self, machine: &Machine, step: &Step) -> usize {
        let next = self.events.len() + 2;
        match machine.kind(step.event) {
            Kind::Internal => INTERNAL,
            Kind::Termination => TERMINATION,
            _ => *self.events.entry(machine.event_name(step.event)).or_insert(next),
        }
    }

    /// Reads the certificate that lists the states of the specification.
    fn read(from: &mut dyn BufRead) -> Result<Specification, Rejected> {
        let file = File::read(from)?;
        let machine = Machine::new(parse(&file.model)?)?;
        let statement = Statement::read(&forms(&file.statement, Rule::Statement)?, &machine)?;
        let mut checker = Checker::new(&machine, &statement, &file)?;
        if statement.claim != Claim::Specification {
            return reject(Rule::Statement, "there is no specification behind a refinement");
        }
        let (mut this, mut edges) = (Specification::default(), 0);
        this.initial = checker.listed(Rule::Initial, &machine.initial()?)?.0;
        checker.each_state((0, file.table.blocks()), |checker, _, cells, _| {
            let mut steps = Vec::new();
            for step in machine.steps(cells, false)? {
                let (target, _) = checker.listed(Rule::Closed, &step.cells)?;
                steps.push((this.event(&machine, &step), target));
            }
            edges += steps.len();
            if edges > MANY {
                return reject(Rule::Limit, "a specification has too many steps");
            }
            this.insists.push(insists(steps.iter().map(|step| step.0).collect()));
            this.steps.push(steps);
            Ok(())
        })?;
        this.diverges = statement.families.iter().flatten().map(|member| member.1).collect();
        for &state in &this.diverges {
            let goes_on = |&(event, target): &(usize, usize)| {
                event == INTERNAL && this.diverges.contains(&target)
            };
            if !this.steps.get(state).is_some_and(|steps| steps.iter().any(goes_on)) {
                return reject(Rule::Reason, "a state of the specification does not diverge");
            }
        }
        file.check_whole()?;
        Ok(this)
    }

    /// Whether the specification can be in all states of a family if it can be in one of some.
    fn leads_to(&self, before: &BTreeSet<usize>, family: &[Member]) -> bool {
        let mut all = BTreeSet::new();
        for &(_, state) in family {
            let internal = |other: &usize| self.steps[*other].contains(&(INTERNAL, state));
            if !before.contains(&state) && !all.iter().any(internal) {
                return false;
            }
            all.insert(state);
        }
        true
    }
}

/// The events of which a state that offers these refuses no other; none if it refuses nothing.
fn insists(offered: BTreeSet<usize>) -> Option<BTreeSet<usize>> {
    if offered.contains(&TERMINATION) {
        return Some(BTreeSet::from([TERMINATION]));
    }
    (!offered.contains(&INTERNAL)).then_some(offered)
}

impl Checker<'_> {
    /// Checks that the system refines the one of the certificate behind this one.
    pub(crate) fn check_refinement(
        &mut self,
        observed: Observed,
        from: &mut dyn BufRead,
    ) -> Result<Counts, Rejected> {
        let (file, families) = (self.file, &self.statement.families);
        let mut of = Specification::read(from)?;
        let in_range = |&(at, state): &Member| at.is_none() && state < of.steps.len();
        let is_family = |family: &Vec<Member>| !family.is_empty() && family.iter().all(in_range);
        let listed = file.lists.iter().flatten().all(|node| (node.0 as usize) < families.len());
        if !listed || !families.iter().all(is_family) {
            return reject(Rule::Format, "a family, or a state of it, is not there");
        }
        let (_, list) = self.listed(Rule::Initial, &self.machine.initial()?)?;
        let start = BTreeSet::from([of.initial]);
        if !list.iter().any(|node| of.leads_to(&start, &families[node.0 as usize])) {
            return reject(Rule::Initial, "no family is listed where runs begin");
        }
        let (mut nodes, mut edges) = (0, 0);
        self.each_state((0, file.table.blocks()), |checker, at, cells, list| {
            let mut steps = Vec::new();
            for step in checker.machine.steps(cells, false)? {
                let (_, target) = checker.listed(Rule::Closed, &step.cells)?;
                steps.push((of.event(checker.machine, &step), target));
            }
            let refused = insists(steps.iter().map(|step| step.0).collect());
            let settled = |family: &[Member]| {
                let diverges = |member: &Member| of.diverges.contains(&member.1);
                observed == Observed::Divergences && family.iter().any(diverges)
            };
            for &(family, rank) in list {
                nodes += 1;
                let family = &families[family as usize];
                if settled(family) {
                    continue;
                }
                for &(event, target) in &steps {
                    edges += 1;
                    let behind = family.iter().flat_map(|&(_, state)| &of.steps[state]);
                    let behind = behind.filter(|step| step.0 == event).map(|step| step.1);
                    let mut before: BTreeSet<usize> = behind.collect();
                    if event == INTERNAL {
                        before.extend(family.iter().map(|member| member.1));
                    }
                    let follows = |&(next, lower): &(u32, u32)| {
                        let next = &families[next as usize];
                        let falls = event != INTERNAL
                            || observed != Observed::Divergences
                            || lower < rank
                            || settled(next);
                        falls && of.leads_to(&before, next)
                    };
                    let ended = event == TERMINATION && !before.is_empty();
                    if !ended && !target.iter().any(follows) {
                        let why = format!("state {at}: no family is listed behind a step");
                        return reject(Rule::Expansion, why);
                    }
                }
                let refuses = |insisted: &BTreeSet<usize>| {
                    let mut all =
                        family.iter().filter_map(|&(_, state)| of.insists[state].as_ref());
                    all.any(|all| all.is_subset(insisted))
                };
                if observed != Observed::Traces && refused.as_ref().is_some_and(|it| !refuses(it)) {
                    return reject(Rule::Reason, format!("state {at} refuses too much"));
                }
            }
            Ok(())
        })?;
        Ok((file.table.count, nodes, edges))
    }
}
