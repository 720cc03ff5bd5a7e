//! Certificates: answers that another program can verify.
//!
//! The certificate of "holds" lists the states that can be reached, with the nodes of the product with an automaton
//! of the negation whose states are sets of formulas, and puts every node into a class such that no edge leads to a
//! class of higher rank and no fair run stays in one. The program `fairly-verify` checks that state by state: see
//! its documentation for the rules and why they suffice.
//!
//! - `tableau.rs`: the automaton;
//! - `rank.rs`: the classes;
//! - `inherent.rs`: inherent fairness; `refinement.rs`: refinement;
//! - `model.rs`: models in their core form; `source.rs`: systems in the words of a certificate;
//! - `words.rs`: the words of the statement;
//! - `write.rs`: the bytes.
//!
//! A certificate is about the system as it is, so no reduction is used, and it is made after the search, which
//! it has nothing in common with.

mod inherent;
mod model;
mod rank;
mod refinement;
mod source;
mod tableau;
mod words;
mod write;

use std::time::Instant;

use fairly_fairness::{AnnotationLevel, Constraint, Notion, Selector, Strength};
use fairly_front::loaded::{Claim, Refinement};
use fairly_model::{Label, Model};
use fairly_omega::{BudgetError, Graph, MarkSetId, StateId, Step};
use fairly_search::{Binding, Bounds, Negation, Prefix, Product};
use fairly_system::{AtomIndex, EventPosition, Run, RunStep};
use hashbrown::HashMap;

use crate::assumption::Assumption;
use crate::property::Property;
use crate::systems::System;
use rank::{Conditions, Global, Marked, Reason};
use source::Source;
use tableau::{Tableau, subformulas};
use words::{Writer, notion};

/// Why there is no certificate of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProofError {
    /// Certificates do not cover this, in words.
    NotCovered(&'static str),
    /// A bound was reached.
    Bound,
    /// The automaton of the negation becomes too large.
    Refused(BudgetError),
    /// The answer is not what the classes say: a bug.
    Contradicted,
}

impl std::fmt::Display for ProofError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ProofError::NotCovered(what) => write!(f, "{what} is not covered by certificates"),
            ProofError::Bound => f.write_str("a bound was reached while the certificate was made"),
            ProofError::Refused(refused) => {
                write!(f, "the automaton of the negation has too many {refused}")
            }
            ProofError::Contradicted => f.write_str(
                "a fair run violates the property according to the certificate; this is a bug",
            ),
        }
    }
}

impl From<BudgetError> for ProofError {
    fn from(refused: BudgetError) -> ProofError {
        ProofError::Refused(refused)
    }
}

/// A certificate.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The file, for `fairly-verify`.
    pub bytes: Vec<u8>,
    /// States of the system.
    pub states: usize,
    /// Nodes of the product.
    pub nodes: usize,
}

/// A certificate names the text of the model, which a program's own type does not have.
const PROGRAM: ProofError = ProofError::NotCovered("a type of a program");

/// The certificate of a property that holds under an assumption.
///
/// # Errors
/// When there is none.
pub fn prove(
    system: &mut System,
    property: &Property,
    assumption: &Assumption,
    bounds: Bounds,
) -> Result<Proof, ProofError> {
    let asked = Asked { property, assumption, bounds, forged: None };
    match system {
        System::Model(system) => holds(system, &asked),
        System::Network(network) => holds_in(network, &asked),
        System::Program(..) => Err(PROGRAM),
    }
}

/// The certificate of a network.
///
/// # Errors
/// When there is none.
pub fn prove_network(
    network: &mut fairly_explore::Explored<fairly_system::Network>,
    property: &Property,
    assumption: &Assumption,
    bounds: Bounds,
) -> Result<Proof, ProofError> {
    holds_in(network, &Asked { property, assumption, bounds, forged: None })
}

/// A file that looks like a certificate, though the property may be violated: for tests of the verifier, which must not
/// accept it.
///
/// # Errors
/// As for a certificate.
#[doc(hidden)]
pub fn forge(
    network: &mut fairly_explore::Explored<fairly_system::Network>,
    property: &Property,
    assumption: &Assumption,
    how: u32,
) -> Result<Proof, ProofError> {
    let forged = Some(match how % 4 {
        0 => Reason::Acyclic,
        1 => Reason::Global,
        2 => Reason::Never(how as usize / 4),
        _ => Reason::Pairs(vec![how as usize / 4]),
    });
    holds_in(network, &Asked { property, assumption, bounds: Bounds::default(), forged })
}

/// A file that looks like the certificate that a network refines another one, which it may not: for tests.
///
/// # Errors
/// As for a certificate.
#[doc(hidden)]
pub fn forge_refinement(
    network: &mut fairly_explore::Explored<fairly_system::Network>,
    specification: &mut fairly_explore::Explored<fairly_system::Network>,
    refinement: Refinement,
    is_forged: bool,
) -> Result<Proof, ProofError> {
    refinement::refines(network, specification, (refinement, is_forged), Bounds::default())
}

/// Subject of a certificate.
struct Asked<'a> {
    property: &'a Property,
    assumption: &'a Assumption,
    bounds: Bounds,
    /// A reason that is wrong where none is right.
    forged: Option<Reason>,
}

fn holds_in(
    network: &mut fairly_explore::Explored<fairly_system::Network>,
    asked: &Asked<'_>,
) -> Result<Proof, ProofError> {
    if network.space().components().iter().any(|it| it.initial().len() != 1) {
        return Err(ProofError::NotCovered("a component with several initial states"));
    }
    holds(network, asked)
}

/// Asks now and then whether to go on.
struct Patience {
    bounds: Bounds,
    count: usize,
}

impl Patience {
    fn new(bounds: Bounds) -> Patience {
        Patience { bounds, count: 0 }
    }

    fn tick(&mut self) -> Result<(), ProofError> {
        self.count += 1;
        let late = || self.bounds.deadline.is_some_and(|deadline| Instant::now() > deadline);
        let many = self.bounds.nodes.is_some_and(|most| self.count > most.saturating_mul(4));
        if many || self.count.is_multiple_of(1 << 10) && late() {
            return Err(ProofError::Bound);
        }
        Ok(())
    }
}

/// The product with the automaton of the negation, explored, and with the condition of its runs.
struct Explored {
    marked: Marked,
    /// Of each node, the state of the system and that of the automaton.
    pairs: Vec<(StateId, StateId)>,
    conditions: Conditions,
}

fn holds<S: Source>(system: &mut S, asked: &Asked<'_>) -> Result<Proof, ProofError> {
    let &Asked { property, assumption, bounds, .. } = asked;
    if property.never.is_some() {
        return Err(ProofError::NotCovered("a never claim"));
    }
    if let Notion::Inherent(reading) = assumption.notion {
        return inherent::continued(system, asked, reading);
    }
    let constraints = assumption.constraints(system, bounds).map_err(|_| ProofError::Bound)?;
    let atoms = property.formulas.atoms(property.formula);
    let bindings: Vec<Binding> = atoms.iter().map(|&atom| property.binding(atom)).collect();
    let tableau = Tableau::of_negation(&property.formulas, property.formula, &atoms)?;
    let is_global = assumption.notion == Notion::Global;
    let negation = Negation::new(&tableau.automaton, bindings).reading(property.reading);
    let mut product = Product::new(system, negation, constraints.clone());
    let starts = product.initial();
    let explored = explore(&mut product, &tableau, (&constraints, is_global, starts), bounds)?;
    let states = reachable(system, bounds)?;
    let mut writer = Writer::new(system);
    let (mut head, _) = statement(system, &mut writer, asked, "holds")?;
    head.extend(writer.assume(system, &assumption.extra)?);
    let by = Ranked { tableau: &tableau, explored: &explored, constraints: &constraints };
    ranked(system, writer, head, (asked, &by, &states))
}

/// The product that is to be divided into classes.
struct Ranked<'a> {
    tableau: &'a Tableau,
    explored: &'a Explored,
    constraints: &'a [Constraint],
}

/// Divides the nodes of a product into classes, and writes the certificate that begins with some lines.
fn ranked<S: Source>(
    system: &mut S,
    writer: Writer,
    mut head: Vec<String>,
    (asked, by, states): (&Asked<'_>, &Ranked<'_>, &[StateId]),
) -> Result<Proof, ProofError> {
    let &Ranked { tableau, explored, constraints } = by;
    let divided = rank::divide(&explored.marked, &explored.conditions, asked.forged.clone());
    let (classes, class_of) = divided.map_err(|_| ProofError::Contradicted)?;
    let untils = tableau.untils.len();
    let mut used: Vec<usize> = Vec::new();
    let (mut weak, mut strong) = (Vec::new(), Vec::new());
    for (at, constraint) in constraints.iter().enumerate() {
        match constraint.strength {
            Strength::Weak => weak.push(at),
            Strength::Strong => strong.push(at),
        }
    }
    // Those that are assumed besides come first, and then those of the notion, as classes speak of them.
    let assumed = asked.assumption.extra.len();
    let mut number = |at: usize| {
        let extra = constraints.get(at).and_then(|constraint| writer.assumed(constraint));
        let own = || used.iter().position(|&other| other == at);
        extra.or_else(|| own().map(|it| assumed + it)).unwrap_or_else(|| {
            used.push(at);
            assumed + used.len() - 1
        })
    };
    let mut lines = Vec::new();
    for (parent, reason) in &classes {
        let parent = parent.map_or("-".to_owned(), |parent| parent.to_string());
        lines.push(match reason {
            Reason::Acyclic => format!("class {parent} acyclic"),
            Reason::Global => format!("class {parent} global"),
            Reason::Never(at) if *at < untils => {
                format!("class {parent} postponed {}", tableau.untils[*at])
            }
            Reason::Never(at) => format!(
                "class {parent} unmet {}",
                number(weak.get(*at - untils).copied().unwrap_or(*at))
            ),
            Reason::Pairs(pairs) => {
                let all: Vec<String> = pairs
                    .iter()
                    .map(|&at| number(strong.get(at).copied().unwrap_or(at)).to_string())
                    .collect();
                format!("class {parent} strong {}", all.join(" "))
            }
        });
    }
    lines.extend(tableau.sets.iter().map(|set| numbered("set", set.iter())));
    for at in used {
        // One that is not there is forged.
        let Some(constraint) = constraints.get(at) else { continue };
        head.push(writer.constraint(system, asked.assumption.notion, constraint)?);
    }
    head.extend(lines);
    let mut nodes: HashMap<StateId, Vec<(u32, u32)>> = HashMap::new();
    for (&(state, at), &class) in explored.pairs.iter().zip(&class_of) {
        nodes.entry(state).or_default().push((at.0, class));
    }
    Ok(finished(system, head, writer, (states, nodes, explored.pairs.len())))
}

/// A line of a word and numbers.
fn numbered<'n>(word: &str, numbers: impl Iterator<Item = &'n usize>) -> String {
    let mut line = word.to_owned();
    numbers.for_each(|number| line.push_str(&format!(" {number}")));
    line
}

/// The positions that states have in a certificate.
fn positions(system: &impl Source, model: &Model, states: &[StateId]) -> HashMap<StateId, usize> {
    let bytes = |&state: &StateId| {
        let mut values = Vec::new();
        system.values(state, model, &mut values);
        (write::state(&values), state)
    };
    let mut all: Vec<(Vec<u8>, StateId)> = states.iter().map(bytes).collect();
    all.sort_unstable();
    all.into_iter().enumerate().map(|(at, (_, state))| (state, at)).collect()
}

/// The nodes of states: for each the state of the automaton and the rank.
type NodesOf = HashMap<StateId, Vec<(u32, u32)>>;

/// The certificate with the lines of a statement, a model, and states with their nodes.
fn finished(
    system: &impl Source,
    head: Vec<String>,
    writer: Writer,
    (states, mut nodes, count): (&[StateId], NodesOf, usize),
) -> Proof {
    let Writer { model, further, nodes: formulas, .. } = writer;
    let mut values = Vec::new();
    let mut rows = write::Rows::default();
    for &state in states {
        values.clear();
        system.values(state, &model, &mut values);
        rows.add(&values, nodes.remove(&state).unwrap_or_default());
    }
    let lines = head.into_iter().chain(further).chain(formulas);
    let statement: String = lines.map(|line| format!("({line})\n")).collect();
    let model = model::print(&model, system.tells_last());
    let bytes = write::certificate(&statement, &model, rows);
    Proof { bytes, states: states.len(), nodes: count }
}

/// The certificate of a claim about states: every one that can be reached satisfies a condition.
///
/// # Errors
/// When there is none.
pub fn prove_claim(
    system: &mut System,
    claim: &Claim,
    bounds: Bounds,
) -> Result<Proof, ProofError> {
    match system {
        System::Model(system) => {
            let goal = match claim {
                Claim::Reaches { goal, best: None } => {
                    Some(system.space().add_proposition("goal", goal.clone()))
                }
                _ => None,
            };
            always(system, claim, goal, bounds)
        }
        System::Network(network) => always(network, claim, None, bounds),
        System::Program(..) => Err(PROGRAM),
    }
}

/// The lines that say of which states a claim is.
fn condition<S: Source>(
    system: &mut S,
    writer: &mut Writer,
    claim: &Claim,
    goal: Option<AtomIndex>,
) -> Result<Vec<String>, ProofError> {
    // The subformulas of the condition, itself the last.
    let (formula, further): (&[&str], _) = match claim {
        Claim::NoErrors => (&["true"], None),
        Claim::NonTerminating => (&["not a0", "not a1", "and 0 1"], None),
        Claim::EndsWell { unfinished: None } => (&["not a0"], None),
        Claim::EndsWell { unfinished: Some(name) } => match system.atom(name) {
            Some(missing) => {
                let formula = &["not a0", "not a1", "not a2", "or 1 2", "and 0 3"];
                (formula, Some((name.as_str(), missing)))
            }
            None => (&["not a0"], None),
        },
        Claim::Reaches { best: None, .. } if goal.is_some() => {
            (&["not a2"], goal.map(|goal| ("goal", goal)))
        }
        _ => return Err(ProofError::NotCovered("this kind of claim")),
    };
    let mut head =
        vec!["atom deadlock deadlock".to_owned(), "atom terminated terminated".to_owned()];
    writer.count = 2;
    if let Some((name, atom)) = further {
        head.push(writer.atom(system, name, &Binding::State(atom))?);
    }
    formula.iter().for_each(|node| _ = writer.node(node));
    head.push(format!("formula {}", formula.len() - 1));
    Ok(head)
}

fn always<S: Source>(
    system: &mut S,
    claim: &Claim,
    goal: Option<AtomIndex>,
    bounds: Bounds,
) -> Result<Proof, ProofError> {
    check_single(system)?;
    let states = reachable(system, bounds)?;
    let mut writer = Writer::new(system);
    let mut head = vec![title(&format!("{claim:?}")), "claim always".to_owned()];
    head.extend(condition(system, &mut writer, claim, goal)?);
    Ok(finished(system, head, writer, (&states, HashMap::new(), 0)))
}

/// The certificate of a run to a state, or to an error, that answers a claim.
///
/// # Errors
/// When there is none.
pub fn prove_reached(
    system: &mut System,
    claim: &Claim,
    prefix: &Prefix,
) -> Result<Proof, ProofError> {
    match system {
        System::Model(system) => {
            let goal = match claim {
                Claim::Reaches { goal, best: None } => {
                    Some(system.space().add_proposition("goal", goal.clone()))
                }
                _ => None,
            };
            reached(system, claim, goal, prefix)
        }
        System::Network(network) => reached(network, claim, None, prefix),
        System::Program(..) => Err(PROGRAM),
    }
}

fn reached<S: Source>(
    system: &mut S,
    claim: &Claim,
    goal: Option<AtomIndex>,
    prefix: &Prefix,
) -> Result<Proof, ProofError> {
    check_single(system)?;
    let mut writer = Writer::new(system);
    let fault = system.fault(prefix.end()).filter(|_| *claim == Claim::NoErrors);
    let mut steps = &prefix.steps[..];
    let mut head = vec![title(&format!("{claim:?}"))];
    if let Some(fault) = fault {
        if fault.kind == fairly_system::FaultKind::Limit {
            return Err(ProofError::NotCovered("a limit of the tool"));
        }
        // The state behind an error is none of the model.
        let Some((_, before)) = steps.split_last() else {
            return Err(ProofError::NotCovered("an error in the first state"));
        };
        steps = before;
        head.push("claim error".to_owned());
    } else if *claim == Claim::NoErrors {
        return Err(ProofError::NotCovered("an error that shows in no state"));
    } else {
        let mut onwards = Vec::new();
        system.enabled(prefix.end(), &mut onwards);
        if *claim == Claim::NonTerminating && !onwards.is_empty() {
            return Err(ProofError::NotCovered("a run that ends where another could go on"));
        }
        head.push("claim reached".to_owned());
        head.extend(condition(system, &mut writer, claim, goal)?);
    }
    head.extend(run_lines(system, &mut writer, prefix.start, steps)?);
    Ok(finished(system, head, writer, (&[], HashMap::new(), 0)))
}

/// The certificate that a system refines another one.
///
/// # Errors
/// When there is none.
pub fn prove_refinement(
    system: &mut System,
    specification: &mut System,
    refinement: Refinement,
    bounds: Bounds,
) -> Result<Proof, ProofError> {
    let is_single = |system: &System| match system {
        System::Network(network) => {
            network.space().components().iter().all(|it| it.initial().len() == 1)
        }
        System::Model(_) | System::Program(..) => true,
    };
    if !is_single(system) || !is_single(specification) {
        return Err(ProofError::NotCovered("a component with several initial states"));
    }
    let forged = (refinement, false);
    match (system, specification) {
        (System::Model(one), System::Model(other)) => {
            refinement::refines(one, other, forged, bounds)
        }
        (System::Model(one), System::Network(other)) => {
            refinement::refines(one, other, forged, bounds)
        }
        (System::Network(one), System::Model(other)) => {
            refinement::refines(one, other, forged, bounds)
        }
        (System::Network(one), System::Network(other)) => {
            refinement::refines(one, other, forged, bounds)
        }
        (System::Program(..), _) | (_, System::Program(..)) => Err(PROGRAM),
    }
}

/// The certificate of a run that violates a property.
///
/// # Errors
/// When there is none.
pub fn prove_violation(
    system: &mut System,
    property: &Property,
    assumption: &Assumption,
    run: &Run,
) -> Result<Proof, ProofError> {
    let asked = Asked { property, assumption, bounds: Bounds::default(), forged: None };
    match system {
        System::Model(system) => violated(system, &asked, run),
        System::Network(network) => violated(network, &asked, run),
        System::Program(..) => Err(PROGRAM),
    }
}

/// The certificate of a run of a network.
///
/// # Errors
/// As [`prove_violation`].
pub fn prove_network_violation(
    network: &mut fairly_explore::Explored<fairly_system::Network>,
    property: &Property,
    assumption: &Assumption,
    run: &Run,
) -> Result<Proof, ProofError> {
    violated(network, &Asked { property, assumption, bounds: Bounds::default(), forged: None }, run)
}

/// The certificate that a beginning of a run cannot go on such that the run satisfies the formula.
///
/// # Errors
/// When there is none.
pub fn prove_doomed(
    system: &mut System,
    property: &Property,
    assumption: &Assumption,
    prefix: &[RunStep],
) -> Result<Proof, ProofError> {
    match system {
        System::Model(system) => doomed(system, property, assumption, prefix),
        System::Network(network) => doomed(network, property, assumption, prefix),
        System::Program(..) => Err(PROGRAM),
    }
}

/// The same of a network.
///
/// # Errors
/// When there is none.
pub fn prove_network_doomed(
    network: &mut fairly_explore::Explored<fairly_system::Network>,
    property: &Property,
    assumption: &Assumption,
    prefix: &[RunStep],
) -> Result<Proof, ProofError> {
    doomed(network, property, assumption, prefix)
}

fn doomed<S: Source>(
    system: &mut S,
    property: &Property,
    assumption: &Assumption,
    prefix: &[RunStep],
) -> Result<Proof, ProofError> {
    let asked = Asked { property, assumption, bounds: Bounds::default(), forged: None };
    match assumption.notion {
        Notion::Inherent(reading) => inherent::doomed(system, &asked, (reading, prefix)),
        _ => Err(ProofError::NotCovered("a beginning under fairness of runs")),
    }
}

/// Whether an annotated step has an event that depends on the state: which events it annotates cannot be read off the
/// text of the model.
fn annotates_by_state(model: &Model) -> bool {
    let edges =
        model.templates.iter().flat_map(|it| &it.locations).flat_map(|it| &it.edges).flatten();
    edges
        .into_iter()
        .any(|edge| edge.annotation.is_some() && !matches!(edge.label, Label::Event(_)))
}

/// Whether a process may hold: what is offered inside an atomic sequence shows in no state of a certificate.
fn holds_somewhere(model: &Model) -> bool {
    let edges =
        model.templates.iter().flat_map(|it| &it.locations).flat_map(|it| &it.edges).flatten();
    edges.into_iter().any(|edge| edge.hold || edge.rank > 0)
}

fn violated<S: Source>(system: &mut S, asked: &Asked<'_>, run: &Run) -> Result<Proof, ProofError> {
    let by_name = asked.assumption.notion == Notion::Annotated(AnnotationLevel::Name);
    // Which events are annotated shows only in all states.
    let states = match by_name && annotates_by_state(&system.model()) {
        true => reachable(system, asked.bounds)?,
        false => Vec::new(),
    };
    let mut writer = Writer::new(system);
    if by_name && system.omits_annotations(&writer.model) {
        return Err(ProofError::NotCovered("an annotation in a process that is never there"));
    }
    let (mut head, _) = statement(system, &mut writer, asked, "violated")?;
    head.extend(writer.assume(system, &asked.assumption.extra)?);
    let steps: Vec<RunStep> = run.steps().copied().collect();
    let Some(first) = steps.first() else {
        return Err(ProofError::NotCovered("a run without steps"));
    };
    // A run may come back to a state that only differs in what nothing depends on.
    if run.cycle.first().zip(steps.last()).is_none_or(|(first, last)| first.from != last.to) {
        return Err(ProofError::NotCovered("a loop that comes back to a state that is only alike"));
    }
    head.extend(run_lines(system, &mut writer, first.from, &steps)?);
    head.push(format!("loop {}", run.stem.len()));
    Ok(finished(system, head, writer, (&states, HashMap::new(), 0)))
}

/// The lines of a run.
fn run_lines<S: Source>(
    system: &mut S,
    writer: &mut Writer,
    first: StateId,
    steps: &[RunStep],
) -> Result<Vec<String>, ProofError> {
    if steps.iter().any(|step| system.fault(step.to).is_some() || system.is_held(step.to)) {
        return Err(ProofError::NotCovered(
            "a run on which something goes wrong, or inside an atomic sequence",
        ));
    }
    let model = &writer.model;
    let shown = |system: &S, state: StateId| -> String {
        let mut values = Vec::new();
        system.values(state, model, &mut values);
        values.iter().map(|value| format!(" {value}")).collect()
    };
    let mut lines = vec![format!("start{}", shown(system, first))];
    for step in steps {
        let action = system.action(step.action).clone();
        let event = source::event(system, model.events.len(), action.event);
        let moves = writer.selector(system, &Selector::Moves(action.moves))?;
        lines.push(format!("step {event} {moves}{}", shown(system, step.to)));
    }
    Ok(lines)
}

/// The line with what people call it.
fn title(text: &str) -> String {
    format!("title {}", source::quoted(text))
}

/// A model begins in one state.
fn check_single<S: Source>(system: &mut S) -> Result<(), ProofError> {
    match system.initial()[..] {
        [_] => Ok(()),
        _ => Err(ProofError::NotCovered("a component with several initial states")),
    }
}

/// The first lines of a statement about a formula; and the formula's propositions.
fn statement<S: Source>(
    system: &mut S,
    writer: &mut Writer,
    asked: &Asked<'_>,
    claim: &str,
) -> Result<(Vec<String>, Vec<Binding>), ProofError> {
    let &Asked { property, assumption, .. } = asked;
    if property.never.is_some() {
        return Err(ProofError::NotCovered("a never claim"));
    }
    check_single(system)?;
    let by_name = assumption.notion == Notion::Annotated(AnnotationLevel::Name);
    if by_name && annotates_by_state(&writer.model) && holds_somewhere(&writer.model) {
        return Err(ProofError::NotCovered(
            "an annotation of events that depend on the state, beside atomic sequences,",
        ));
    }
    let atoms = property.formulas.atoms(property.formula);
    let bindings: Vec<Binding> = atoms.iter().map(|&atom| property.binding(atom)).collect();
    let reading = match property.reading {
        EventPosition::Leaving => "leaving",
        EventPosition::Entering => "entering",
    };
    let mut head = vec![
        title(&property.text()),
        format!("claim {claim}"),
        format!("reading {reading}"),
        format!("fairness {}", source::quoted(notion(assumption.notion))),
    ];
    for (&atom, binding) in atoms.iter().zip(&bindings) {
        let name = property.formulas.atom_of(atom).text().to_owned();
        head.push(writer.atom(system, &name, binding)?);
    }
    // The verifier looks for a run that satisfies what is written, or for a way to go on that does.
    let holds = matches!(assumption.notion, Notion::Inherent(_));
    let (nodes, root) = subformulas(&property.formulas, (property.formula, holds), &atoms)?;
    nodes.iter().for_each(|node| _ = writer.node(&node.to_string()));
    head.push(format!("formula {root}"));
    Ok((head, bindings))
}

/// Explores the product from some nodes on, and lists its edges.
fn explore<S: Source>(
    product: &mut Product<'_, S>,
    tableau: &Tableau,
    (constraints, is_global, starts): (&[Constraint], bool, Vec<StateId>),
    bounds: Bounds,
) -> Result<Explored, ProofError> {
    let mut patience = Patience::new(bounds);
    let mut numbers: Vec<u32> = Vec::new();
    let mut nodes: Vec<StateId> = Vec::new();
    let mut number = |node: StateId, nodes: &mut Vec<StateId>| -> u32 {
        if numbers.len() <= node.index() {
            numbers.resize((node.index() + 1).max(2 * numbers.len()), u32::MAX);
        }
        if numbers[node.index()] == u32::MAX {
            numbers[node.index()] = u32::try_from(nodes.len()).expect("fewer than 2^32 nodes");
            nodes.push(node);
        }
        numbers[node.index()]
    };
    for node in starts {
        number(node, &mut nodes);
    }
    let mut marked = Marked { first: vec![0], ..Marked::default() };
    let mut sets: HashMap<MarkSetId, u32> = HashMap::new();
    let mut global = is_global.then(Global::default);
    let (mut steps, mut transitions): (Vec<Step>, Vec<_>) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < nodes.len() {
        patience.tick()?;
        steps.clear();
        product.steps(nodes[at], &mut steps);
        for step in &steps {
            let marks = *sets.entry(step.marks).or_insert_with(|| {
                marked.marks.push(product.marks(step.marks).into_owned());
                u32::try_from(marked.marks.len() - 1).expect("fewer than 2^32 sets")
            });
            marked.edges.push((number(step.target, &mut nodes), marks));
        }
        marked.first.push(marked.edges.len());
        if let Some(global) = &mut global {
            let (state, _) = product.pair(nodes[at]);
            let mut all = Vec::new();
            product.system_mut().steps(state, &mut all);
            global.counts.insert(state.0, all.len());
            global.states.push(state.0);
            transitions.clear();
            product.transitions(nodes[at], &mut transitions);
            for transition in &transitions {
                let step = all.iter().position(|other| other == transition);
                let step = step.expect("a step of the state");
                global.steps.push(u32::try_from(step).expect("fewer than 2^32 steps"));
            }
        }
        at += 1;
    }
    if product.cut().is_some() {
        return Err(ProofError::Bound);
    }
    marked.global = global;
    let mut conditions = Conditions::default();
    conditions.again.extend((0u32..).take(tableau.untils.len()).map(fairly_omega::Mark));
    let mut next = u32::try_from(tableau.untils.len()).expect("few untils");
    let mut fresh = || {
        next += 1;
        fairly_omega::Mark(next - 1)
    };
    for constraint in constraints {
        match constraint.strength {
            Strength::Weak => conditions.again.push(fresh()),
            Strength::Strong => conditions.pairs.push((fresh(), fresh())),
        }
    }
    let pairs = nodes.iter().map(|&node| product.pair(node)).collect();
    Ok(Explored { marked, pairs, conditions })
}

/// All states that can be reached.
fn reachable<S: Source>(system: &mut S, bounds: Bounds) -> Result<Vec<StateId>, ProofError> {
    let initial = system.initial();
    reachable_from(system, initial, bounds)
}

/// All states that can be reached from some.
fn reachable_from<S: Source>(
    system: &mut S,
    starts: Vec<StateId>,
    bounds: Bounds,
) -> Result<Vec<StateId>, ProofError> {
    let mut patience = Patience::new(bounds);
    let mut states = Vec::new();
    let mut seen: Vec<bool> = Vec::new();
    let mut meet = |state: StateId, states: &mut Vec<StateId>| {
        if seen.len() <= state.index() {
            seen.resize((state.index() + 1).max(2 * seen.len()), false);
        }
        if !std::mem::replace(&mut seen[state.index()], true) {
            states.push(state);
        }
    };
    for state in starts {
        meet(state, &mut states);
    }
    let mut steps = Vec::new();
    let mut at = 0;
    while at < states.len() {
        patience.tick()?;
        if system.fault(states[at]).is_some() {
            return Err(ProofError::NotCovered("a system in which something goes wrong"));
        }
        if system.is_held(states[at]) {
            return Err(ProofError::NotCovered("an atomic sequence that may go on for ever"));
        }
        steps.clear();
        system.enabled(states[at], &mut steps);
        for step in &steps {
            meet(step.target, &mut states);
        }
        at += 1;
    }
    Ok(states)
}
