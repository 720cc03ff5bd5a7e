//! A system as an observer sees it: steps that are τ, ✓ or a name, kept once they were asked for.

use std::ops::Range;

use fairly_omega::StateId;
use fairly_system::{ActionId, EventId, EventKind, RunStep, Transition, TransitionSystem};
use hashbrown::HashMap;

use crate::bounded::{Bounds, Budget, Cut};
use crate::product::is_limit;

/// Symbol of a step for an observer. Two systems are compared by one [`Alphabet`], so that the same name has
/// the same symbol in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Symbol(u32);

impl Symbol {
    /// An internal step, whatever its name.
    pub(super) const TAU: Symbol = Symbol(0);
    /// Termination, whatever its name: two languages may write it differently and mean the same.
    pub(super) const TICK: Symbol = Symbol(1);
}

/// The names of symbols.
struct Alphabet {
    names: Vec<String>,
    symbols: HashMap<String, Symbol>,
    /// Whether a system has said what it calls termination.
    tick_named: bool,
}

impl Alphabet {
    fn symbol(&mut self, kind: EventKind, name: &str) -> Symbol {
        match kind {
            EventKind::Internal => Symbol::TAU,
            EventKind::Termination => {
                if !self.tick_named {
                    name.clone_into(&mut self.names[1]);
                    self.tick_named = true;
                }
                Symbol::TICK
            }
            EventKind::Visible | EventKind::Idle => {
                if let Some(&known) = self.symbols.get(name) {
                    return known;
                }
                let next = u32::try_from(self.names.len()).expect("fewer than 2^32 names");
                self.names.push(name.to_owned());
                self.symbols.insert(name.to_owned(), Symbol(next));
                Symbol(next)
            }
        }
    }
}

/// Context of one question for all systems in it: the names and the bounds.
pub(super) struct Context {
    alphabet: Alphabet,
    budget: Budget,
    spent: usize,
    turns: usize,
    /// Bytes of what is stored, about.
    held: usize,
}

impl Context {
    /// Without names yet; the bounds begin to count now.
    pub(super) fn new(bounds: Bounds) -> Self {
        let names = vec!["τ".to_owned(), "✓".to_owned()];
        let alphabet = Alphabet { names, symbols: HashMap::new(), tick_named: false };
        Context { alphabet, budget: Budget::new(bounds), spent: 0, turns: 0, held: 0 }
    }

    /// Before something is stored: one node of the bounds.
    pub(super) fn spend(&mut self) -> Result<(), Cut> {
        self.budget.allows_another(self.spent)?;
        self.spent += 1;
        // A met node, with the way to it, in a list and a map.
        self.held += 48;
        self.tick()
    }

    /// Before work that stores nothing.
    pub(super) fn tick(&mut self) -> Result<(), Cut> {
        let turn = self.turns;
        self.turns += 1;
        self.budget.goes_on(turn, || self.held)
    }

    /// Takes note of what is stored: so many bytes more.
    pub(super) fn hold(&mut self, bytes: usize) {
        self.held += bytes;
    }

    pub(super) fn name(&self, symbol: Symbol) -> String {
        self.alphabet.names[symbol.0 as usize].clone()
    }

    /// The names in alphabetical order: symbols are numbered as they are met, which would show in
    /// reports the order in which the search happened to go.
    pub(super) fn names(&self, symbols: &[Symbol]) -> Vec<String> {
        let mut names: Vec<String> = symbols.iter().map(|&symbol| self.name(symbol)).collect();
        names.sort_unstable();
        names
    }
}

/// A step out of a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) symbol: Symbol,
    pub(super) action: ActionId,
    pub(super) target: StateId,
}

impl Edge {
    pub(super) fn step(self, from: StateId) -> RunStep {
        RunStep { from, action: self.action, to: self.target }
    }
}

/// A system explored as far as it was asked. The edges of a state are kept, because the state is
/// asked for once in every pair and set it belongs to, and a system may work hard for them.
pub(super) struct View<'a, S> {
    system: &'a mut S,
    symbols: Vec<Option<Symbol>>,
    edges: Vec<Edge>,
    /// By state, where its edges are.
    ranges: Vec<Option<Range<usize>>>,
    /// By state, whether a τ-cycle goes through it, if that is known.
    cyclic: Vec<Option<bool>>,
    scratch: Vec<Transition>,
}

impl<'a, S: TransitionSystem> View<'a, S> {
    pub(super) fn new(system: &'a mut S) -> Self {
        View {
            system,
            symbols: Vec::new(),
            edges: Vec::new(),
            ranges: Vec::new(),
            cyclic: Vec::new(),
            scratch: Vec::new(),
        }
    }

    pub(super) fn initial(&mut self) -> Vec<StateId> {
        self.system.initial()
    }

    /// Where the edges of a state are; [`View::edge`] reads them.
    pub(super) fn edges(
        &mut self,
        state: StateId,
        context: &mut Context,
    ) -> Result<Range<usize>, Cut> {
        if let Some(Some(known)) = self.ranges.get(state.index()) {
            return Ok(known.clone());
        }
        context.spend()?;
        if is_limit(self.system, state) {
            return Err(Cut::Limit(state));
        }
        self.scratch.clear();
        self.system.enabled(state, &mut self.scratch);
        let start = self.edges.len();
        for at in 0..self.scratch.len() {
            let Transition { target, action } = self.scratch[at];
            let event = self.system.action(action).event;
            if let Some(symbol) = self.symbol(event, context) {
                self.edges.push(Edge { symbol, action, target });
            }
        }
        if self.ranges.len() <= state.index() {
            self.ranges.resize(state.index() + 1, None);
        }
        let range = start..self.edges.len();
        context.hold(range.len() * size_of::<Edge>() + size_of::<Option<Range<usize>>>());
        self.ranges[state.index()] = Some(range.clone());
        Ok(range)
    }

    pub(super) fn edge(&self, at: usize) -> Edge {
        self.edges[at]
    }

    /// The symbol of an event; none for idling, which is no step of the system and which
    /// [`TransitionSystem::enabled`] does not give.
    fn symbol(&mut self, event: EventId, context: &mut Context) -> Option<Symbol> {
        if self.symbols.len() <= event.index() {
            self.symbols.resize(event.index() + 1, None);
        }
        if self.symbols[event.index()].is_none() {
            let signature = self.system.signature();
            let kind = signature.event_kind(event);
            debug_assert_ne!(kind, EventKind::Idle, "idling is not enabled");
            if kind != EventKind::Idle {
                let symbol = context.alphabet.symbol(kind, signature.event_name(event));
                self.symbols[event.index()] = Some(symbol);
            }
        }
        self.symbols[event.index()]
    }

    /// Acceptance set of a state, in increasing order: it refuses everything else. None if it refuses nothing,
    /// because an internal step may still change what it offers.
    ///
    /// A state that can terminate insists on ✓ alone, whatever else it offers, since its environment cannot
    /// prevent it from terminating (Roscoe 1997: if s⌢⟨✓⟩ is a trace, (s, Σ) is a failure).
    pub(super) fn acceptance(
        &mut self,
        state: StateId,
        context: &mut Context,
    ) -> Result<Option<Vec<Symbol>>, Cut> {
        let range = self.edges(state, context)?;
        let mut offered: Vec<Symbol> = self.edges[range].iter().map(|edge| edge.symbol).collect();
        if offered.contains(&Symbol::TICK) {
            return Ok(Some(vec![Symbol::TICK]));
        }
        if offered.contains(&Symbol::TAU) {
            return Ok(None);
        }
        offered.sort_unstable();
        offered.dedup();
        Ok(Some(offered))
    }

    /// Whether a τ-cycle goes through the state.
    ///
    /// Tarjan's algorithm on the τ-steps, with an explicit stack. What is known from an earlier
    /// call is a union of components that are explored to their end, and is not entered again.
    pub(super) fn on_tau_cycle(
        &mut self,
        state: StateId,
        context: &mut Context,
    ) -> Result<bool, Cut> {
        if let Some(known) = self.known_cyclic(state) {
            return Ok(known);
        }
        let mut numbers: HashMap<StateId, usize> = HashMap::new();
        let mut low: Vec<usize> = Vec::new();
        let mut open: Vec<StateId> = Vec::new();
        let mut path: Vec<(StateId, Range<usize>)> = Vec::new();
        let mut enter = Some(state);
        loop {
            if let Some(next) = enter.take() {
                numbers.insert(next, low.len());
                low.push(low.len());
                open.push(next);
                path.push((next, self.edges(next, context)?));
            }
            let Some((here, left)) = path.last_mut() else { break };
            let here = *here;
            let number = numbers[&here];
            if let Some(at) = left.next() {
                context.tick()?;
                let edge = self.edges[at];
                if edge.symbol != Symbol::TAU || self.known_cyclic(edge.target).is_some() {
                    continue;
                }
                match numbers.get(&edge.target) {
                    Some(&seen) => low[number] = low[number].min(seen),
                    None => enter = Some(edge.target),
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                let parent = numbers[parent];
                low[parent] = low[parent].min(low[number]);
            }
            if low[number] == number {
                let first = open.iter().rposition(|&other| other == here).expect("it is open");
                let alone = first + 1 == open.len();
                let cyclic = !alone || self.has_tau_loop(here, context)?;
                for member in open.split_off(first) {
                    self.set_cyclic(member, cyclic);
                }
            }
        }
        Ok(self.known_cyclic(state) == Some(true))
    }

    fn has_tau_loop(&mut self, state: StateId, context: &mut Context) -> Result<bool, Cut> {
        let range = self.edges(state, context)?;
        let is_loop = |edge: &Edge| edge.symbol == Symbol::TAU && edge.target == state;
        Ok(self.edges[range].iter().any(is_loop))
    }

    fn known_cyclic(&self, state: StateId) -> Option<bool> {
        self.cyclic.get(state.index()).copied().flatten()
    }

    fn set_cyclic(&mut self, state: StateId, cyclic: bool) {
        if self.cyclic.len() <= state.index() {
            self.cyclic.resize(state.index() + 1, None);
        }
        self.cyclic[state.index()] = Some(cyclic);
    }

    /// A shortest τ-cycle through a state that is on one.
    pub(super) fn tau_cycle(
        &mut self,
        state: StateId,
        context: &mut Context,
    ) -> Result<Vec<RunStep>, Cut> {
        let mut came: HashMap<StateId, RunStep> = HashMap::new();
        let mut queue = vec![state];
        let mut next = 0;
        while !came.contains_key(&state) && next < queue.len() {
            let from = queue[next];
            next += 1;
            for at in self.edges(from, context)? {
                context.tick()?;
                let edge = self.edges[at];
                if edge.symbol == Symbol::TAU && !came.contains_key(&edge.target) {
                    came.insert(edge.target, edge.step(from));
                    queue.push(edge.target);
                }
            }
        }
        let mut cycle = vec![came[&state]];
        while let Some(step) = cycle.last().filter(|step| step.from != state) {
            cycle.push(came[&step.from]);
        }
        cycle.reverse();
        Ok(cycle)
    }
}

/// Whether every member of `small` is one of `large`; both increase.
pub(super) fn subset<T: Ord>(small: &[T], large: &[T]) -> bool {
    let mut rest = large.iter();
    small.len() <= large.len()
        && small.iter().all(|wanted| rest.by_ref().find(|&it| it >= wanted) == Some(wanted))
}
