//! A specification made deterministic, set by set as the search asks (the normal form of Roscoe,
//! *Model-checking CSP*, 1994).

use std::rc::Rc;

use fairly_omega::StateId;
use fairly_system::TransitionSystem;
use hashbrown::{HashMap, HashSet};

use super::view::{Context, Symbol, View, subset};
use crate::bounded::Cut;

/// A set of states that one trace leads to, closed under τ-steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SetId(u32);

impl SetId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

struct Set {
    /// In increasing order.
    members: Rc<[StateId]>,
    /// The least sets that some member insists on, each in increasing order; when asked for.
    acceptances: Option<Vec<Vec<Symbol>>>,
    diverges: Option<bool>,
    terminates: Option<bool>,
}

/// The normal form as far as it was asked for.
pub(super) struct Normal<'a, S> {
    view: View<'a, S>,
    sets: Vec<Set>,
    ids: HashMap<Rc<[StateId]>, SetId>,
    after: HashMap<(SetId, Symbol), Option<SetId>>,
}

impl<'a, S: TransitionSystem> Normal<'a, S> {
    pub(super) fn new(system: &'a mut S) -> Self {
        Normal {
            view: View::new(system),
            sets: Vec::new(),
            ids: HashMap::new(),
            after: HashMap::new(),
        }
    }

    /// The states that the empty trace leads to.
    pub(super) fn initial(&mut self, context: &mut Context) -> Result<SetId, Cut> {
        let initial = self.view.initial();
        self.closed(initial, context)
    }

    pub(super) fn members(&self, set: SetId) -> &[StateId] {
        &self.sets[set.index()].members
    }

    /// Whether some member can terminate.
    pub(super) fn terminates(&mut self, set: SetId, context: &mut Context) -> Result<bool, Cut> {
        if let Some(known) = self.sets[set.index()].terminates {
            return Ok(known);
        }
        let terminates = !self.targets(set, Symbol::TICK, context)?.is_empty();
        self.sets[set.index()].terminates = Some(terminates);
        Ok(terminates)
    }

    /// Where an event leads from a set, if it can happen there.
    pub(super) fn after(
        &mut self,
        set: SetId,
        symbol: Symbol,
        context: &mut Context,
    ) -> Result<Option<SetId>, Cut> {
        if let Some(&known) = self.after.get(&(set, symbol)) {
            return Ok(known);
        }
        let targets = self.targets(set, symbol, context)?;
        let after = if targets.is_empty() { None } else { Some(self.closed(targets, context)?) };
        self.after.insert((set, symbol), after);
        Ok(after)
    }

    fn targets(
        &mut self,
        set: SetId,
        symbol: Symbol,
        context: &mut Context,
    ) -> Result<Vec<StateId>, Cut> {
        let mut targets = Vec::new();
        for &member in &*Rc::clone(&self.sets[set.index()].members) {
            context.tick()?;
            for at in self.view.edges(member, context)? {
                let edge = self.view.edge(at);
                if edge.symbol == symbol {
                    targets.push(edge.target);
                }
            }
        }
        Ok(targets)
    }

    /// The set of these states and of what τ-steps reach from them.
    fn closed(&mut self, mut left: Vec<StateId>, context: &mut Context) -> Result<SetId, Cut> {
        let mut members: HashSet<StateId> = HashSet::new();
        while let Some(state) = left.pop() {
            if !members.insert(state) {
                continue;
            }
            context.tick()?;
            for at in self.view.edges(state, context)? {
                let edge = self.view.edge(at);
                if edge.symbol == Symbol::TAU {
                    left.push(edge.target);
                }
            }
        }
        let mut members: Vec<StateId> = members.into_iter().collect();
        members.sort_unstable();
        if let Some(&known) = self.ids.get(members.as_slice()) {
            return Ok(known);
        }
        // A set takes as much memory as it has members, so that is what it costs.
        for _ in 0..members.len().max(1) {
            context.spend()?;
        }
        let id = SetId(u32::try_from(self.sets.len()).expect("fewer than 2^32 sets"));
        let members: Rc<[StateId]> = members.into();
        self.ids.insert(Rc::clone(&members), id);
        self.sets.push(Set { members, acceptances: None, diverges: None, terminates: None });
        Ok(id)
    }

    /// Whether a member can do τ-steps for ever. A set is closed under τ-steps, so it is enough to
    /// ask whether a τ-cycle goes through a member.
    pub(super) fn diverges(&mut self, set: SetId, context: &mut Context) -> Result<bool, Cut> {
        if let Some(known) = self.sets[set.index()].diverges {
            return Ok(known);
        }
        let mut diverges = false;
        for &member in &*Rc::clone(&self.sets[set.index()].members) {
            diverges = diverges || self.view.on_tau_cycle(member, context)?;
        }
        self.sets[set.index()].diverges = Some(diverges);
        Ok(diverges)
    }

    /// The least sets of events that a member insists on: everything else may be refused, and
    /// nothing more than that.
    pub(super) fn acceptances(
        &mut self,
        set: SetId,
        context: &mut Context,
    ) -> Result<&[Vec<Symbol>], Cut> {
        if self.sets[set.index()].acceptances.is_none() {
            let mut all = Vec::new();
            for &member in &*Rc::clone(&self.sets[set.index()].members) {
                all.extend(self.view.acceptance(member, context)?);
            }
            // Smaller ones first, so that whatever a set contains comes before it.
            all.sort_unstable_by(|one, two| one.len().cmp(&two.len()).then_with(|| one.cmp(two)));
            all.dedup();
            let mut least: Vec<Vec<Symbol>> = Vec::new();
            for acceptance in all {
                context.tick()?;
                if !least.iter().any(|smaller| subset(smaller, &acceptance)) {
                    least.push(acceptance);
                }
            }
            self.sets[set.index()].acceptances = Some(least);
        }
        Ok(self.sets[set.index()].acceptances.as_deref().unwrap_or_default())
    }
}
