//! A product that has been explored to the end, with the system's part of every step.

use fairly_omega::emptiness::Explored;
use fairly_omega::{Automaton, Builder, Hop, Label, MarkSet, StateId, Stop};
use fairly_system::{RunStep, Transition, TransitionSystem};

use crate::bounded::{Bounded, Bounds, Cut};
use crate::prefix::Prefix;
use crate::product::Product;

/// A stored product.
pub(crate) struct Stored {
    pub(crate) explored: Explored,
    /// The state of the system, by node.
    pub(crate) states: Vec<StateId>,
    /// The state of the property's automaton, by node.
    pub(crate) property: Vec<StateId>,
    /// The transition of the system, by position of the step.
    pub(crate) transitions: Vec<Transition>,
}

impl Stored {
    /// Explores the product to its end.
    ///
    /// # Errors
    /// When a bound is reached first.
    pub(crate) fn of<S: TransitionSystem>(
        product: &mut Product<'_, S>,
        bounds: Bounds,
    ) -> Result<Self, Cut> {
        product.system_mut().stop_at(bounds.stop());
        let mut bounded = Bounded::new(product, bounds);
        let explored = Explored::of(&mut bounded);
        let cut = bounded.cut();
        product.system_mut().stop_at(Stop::default());
        if let Some(cut) = cut {
            return Err(cut);
        }
        if let Some(cut) = product.cut() {
            return Err(cut);
        }
        let explored = explored.map_err(|_| Cut::Nodes(u32::MAX as usize))?;
        let mut states = Vec::with_capacity(explored.node_count());
        let mut property = Vec::with_capacity(explored.node_count());
        let mut transitions = Vec::with_capacity(explored.edge_count());
        for node in explored.nodes() {
            let original = explored.original(node);
            let (state, at) = product.pair(original);
            states.push(state);
            property.push(at);
            product.transitions(original, &mut transitions);
        }
        debug_assert_eq!(transitions.len(), explored.edge_count());
        Ok(Stored { explored, states, property, transitions })
    }

    /// Step of the system in a hop of the explored graph.
    pub(crate) fn run_step(&self, hop: &Hop) -> RunStep {
        let position = self.explored.positions(hop.from).start + hop.nth as usize;
        RunStep {
            from: self.states[hop.from.index()],
            action: self.transitions[position].action,
            to: self.states[hop.to.index()],
        }
    }

    /// Steps of the system on a shortest way to a node.
    pub(crate) fn prefix_to(&self, node: StateId) -> Prefix {
        let path = self.explored.path_to(node);
        let start = path.first().map_or(node, |hop| hop.from);
        Prefix {
            start: self.states[start.index()],
            steps: path.iter().map(|hop| self.run_step(hop)).collect(),
        }
    }
}

/// The automaton of the property that every run has.
pub(crate) fn anything() -> Automaton {
    let mut builder = Builder::new(vec![]);
    let here = builder.add_state();
    builder.add_initial(here);
    builder.add_edge(here, Label::TRUE, MarkSet::new(), here);
    builder.build()
}
