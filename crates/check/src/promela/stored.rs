//! How many states SPIN stores: without partial order reduction, compression and its optimisations
//! (`spin -o1 -o2 -o3`, `-DNOREDUCE`), in a search that no error stops (`pan -c0`).

use fairly_front::promela::{Claim, ClaimState, ClaimStep};
use fairly_omega::{Graph, StateId};
use fairly_reduce::ModelSystem;
use fairly_search::{Bounded, Bounds, Negation, Product, reach};
use fairly_system::{FaultKind, TransitionSystem};

use super::{PromelaFile, Question};
use crate::verdict::WhyUnknown;
use crate::verify::{self, Options};

/// States that a search stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// Those that SPIN stores, too.
    AsSpin(usize),
    /// Those up to errors other than assertions: here a run ends with them, and SPIN goes on.
    UpToErrors(usize),
    /// Those of a product with our automaton of a formula, in place of which SPIN has another.
    OwnAutomaton(usize),
}

impl Stored {
    /// How many.
    pub fn count(self) -> usize {
        match self {
            Stored::AsSpin(count) | Stored::UpToErrors(count) | Stored::OwnAutomaton(count) => {
                count
            }
        }
    }
}

impl PromelaFile {
    /// How many states the search for an answer stores, if nothing stops it. The file has to be read
    /// [without assertions](PromelaFile::without_assertions).
    ///
    /// # Errors
    /// When a bound is reached.
    pub fn stored(&mut self, question: &Question, options: &Options) -> Result<Stored, WhyUnknown> {
        match question {
            // Accept labels are in the states of the processes, and no claim is beside them.
            Question::Errors | Question::EndStates | Question::Acceptance => {
                self.states(options.bounds)
            }
            Question::Never(at) => {
                let claim = self.lowered.claims[*at].clone();
                self.with_claim(&claim, options)
            }
            Question::Progress => {
                let claim = no_progress(self.lowered.no_progress.clone());
                self.with_claim(&claim, options)
            }
            Question::Formula(_) => self.with_own_automaton(question, options),
        }
    }

    /// The states of the model.
    fn states(&mut self, bounds: Bounds) -> Result<Stored, WhyUnknown> {
        let (mut count, mut errors) = (0, false);
        let searched = reach::state(&mut self.system, bounds, |system, state| {
            errors |= is_error(system, state);
            count += usize::from(is_stored(system, state));
            false
        });
        searched.map_err(|cut| WhyUnknown::cut(cut, &self.system))?;
        Ok(if errors { Stored::UpToErrors(count) } else { Stored::AsSpin(count) })
    }

    /// The states of the model with those of a claim.
    fn with_claim(&mut self, claim: &Claim, options: &Options) -> Result<Stored, WhyUnknown> {
        let mut claim = claim.clone();
        // SPIN reports a claim that has come to its end, and follows the run no further.
        claim.states.iter_mut().for_each(|state| state.ends = false);
        let property = self.never(&claim).map_err(WhyUnknown::Refused)?;
        let never = property.never.expect("made of a claim");
        let negation = Negation::new(&never.automaton, never.bindings);
        let (count, errors) = explored(&mut self.system, negation, options.bounds)?;
        Ok(if errors { Stored::UpToErrors(count) } else { Stored::AsSpin(count) })
    }

    fn with_own_automaton(
        &mut self,
        question: &Question,
        options: &Options,
    ) -> Result<Stored, WhyUnknown> {
        let property = self.property(question).ok().flatten();
        let mut property = property.expect("the formula was bound when it was asked");
        let (mut lifted, bindings) = verify::negation(&mut property, options)?;
        let reading = property.reading;
        let negation =
            verify::as_negation(&mut lifted.automaton, &lifted.constraints, bindings, reading)?;
        let (count, _) = explored(&mut self.system, negation, options.bounds)?;
        Ok(Stored::OwnAutomaton(count))
    }
}

/// The stored nodes of a product, and whether there are errors among them.
fn explored(
    system: &mut ModelSystem,
    negation: Negation<'_>,
    bounds: Bounds,
) -> Result<(usize, bool), WhyUnknown> {
    let mut product = Product::new(system, negation, Vec::new());
    let (mut steps, mut next) = (Vec::new(), 0);
    let mut graph = Bounded::new(&mut product, bounds);
    let mut nodes = graph.initial();
    let most = nodes.iter().map(|node| node.index()).max();
    let mut met = vec![false; most.map_or(0, |most| most + 1)];
    nodes.iter().for_each(|node| met[node.index()] = true);
    while let Some(&node) = nodes.get(next) {
        next += 1;
        steps.clear();
        graph.steps(node, &mut steps);
        for step in &steps {
            if step.target.index() >= met.len() {
                met.resize(step.target.index() + 1, false);
            }
            if !std::mem::replace(&mut met[step.target.index()], true) {
                nodes.push(step.target);
            }
        }
    }
    let cut = graph.cut().or_else(|| product.cut());
    if let Some(cut) = cut {
        return Err(WhyUnknown::cut(cut, product.system()));
    }
    let states: Vec<StateId> = nodes.iter().map(|&node| product.pair(node).0).collect();
    let system = product.system();
    let count = states.iter().filter(|&&state| is_stored(system, state)).count();
    Ok((count, states.iter().any(|&state| is_error(system, state))))
}

/// Whether SPIN stores a state: none within an atomic sequence, and none after an error.
fn is_stored(system: &ModelSystem, state: StateId) -> bool {
    system.fault(state).is_none() && !system.is_held(state)
}

fn is_error(system: &ModelSystem, state: StateId) -> bool {
    system.fault(state).is_some_and(|fault| fault.kind == FaultKind::Error)
}

/// The claim that SPIN looks for cycles without progress with: from some point on, there is none.
fn no_progress(idle: Option<String>) -> Claim {
    let state = |name: &str, accepts, steps| ClaimState {
        name: name.to_owned(),
        accepts,
        ends: false,
        steps,
    };
    let idles = ClaimStep { guard: idle, target: 1 };
    let anything = ClaimStep { guard: None, target: 0 };
    Claim {
        name: "progress".to_owned(),
        states: vec![
            state("start", false, vec![anything, idles.clone()]),
            state("idle", true, vec![idles]),
        ],
    }
}
