//! The parallel structure of a process as the slots of a model, and who takes which event together.

use std::cell::Cell;
use std::sync::Arc;

use fairly_model::{
    ABSENT, Channel, Gathering, Kind, Model, Overflow, Part, Range, Shown, Slot, SlotId,
    TemplateId, Unfold, Variable, WhenFull,
};
use fairly_source::Diagnostic;
use fairly_system::EventKind;
use hashbrown::{HashMap, HashSet};

use super::LowerError;
use super::alphabet::Which;
use super::environment::{Environment, Value};
use super::events::{Concrete, SetId};
use super::term::Term;
use super::terms::Terms;
use super::unfold::{Scope, Unfolder};
use crate::csp::syntax as csp;
use crate::csp::syntax::{ActionKind, NodeId, Operator, ProcessKind, Specification, Subject};

/// A process as a model.
pub struct Lowered {
    /// The model.
    pub model: Model,
    /// Makes the locations that are not made yet, if there are such.
    pub unfold: Option<Box<dyn Unfold>>,
}

/// How deep compositions may be nested in each other.
const MAX_NESTING: usize = 200;
/// How many references may follow each other before anything but a composition is met. Real models have fewer;
/// a process that refers to itself would double with each.
const MAX_REFERENCES: usize = 200;
/// How many processes there may be.
const MAX_PROCESSES: usize = 100_000;

/// The parallel structure of a process.
enum Structure {
    Leaf(usize),
    Interleave(Vec<Structure>),
    Parallel(Vec<(Structure, SetId)>),
    Hide(Box<Structure>, usize),
}

/// A process that is not laid out any further.
struct Leaf {
    name: String,
    node: NodeId,
    environment: Environment,
    hidings: Vec<(usize, SetId)>,
    /// The events that are written in it, if they are known and needed.
    written: Option<HashSet<Concrete>>,
}

/// Turns a process of a specification into a model, whose processes are the parts that the process is
/// composed of.
///
/// # Errors
/// When it cannot be: see the codes from E1090 on.
pub fn lower(
    specification: &Arc<Specification>,
    subject: &Subject,
) -> Result<Lowered, Vec<Diagnostic>> {
    lower_with(specification, subject, Plan::default())
}

/// How a process becomes a model. Whatever it says, the model does the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Treatment of the parts of a composition.
    pub parts: Parts,
    /// How many expressions and operators the locations of a process may be made of before the
    /// search; the others are made on the way. With 0, all of them are.
    pub eager: usize,
}

impl Default for Plan {
    fn default() -> Self {
        // Terms that grow cost more than others, and most likely none of them is ever met, so their
        // sizes are what counts.
        Plan { parts: Parts::Processes, eager: 100_000 }
    }
}

/// Treatment of the parts of a composition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// Each is a process of the model.
    Processes,
    /// All of them are one process. It does the same, by other code: see `tests/csp_semantics.rs`.
    OneProcess,
}

/// [`lower`], with a say in what becomes of the parts.
///
/// # Errors
/// As [`lower`].
pub fn lower_as(
    specification: &Arc<Specification>,
    subject: &Subject,
    parts: Parts,
) -> Result<Lowered, Vec<Diagnostic>> {
    lower_with(specification, subject, Plan { parts, ..Plan::default() })
}

/// [`lower`], by a plan.
///
/// # Errors
/// As [`lower`].
pub fn lower_with(
    specification: &Arc<Specification>,
    subject: &Subject,
    plan: Plan,
) -> Result<Lowered, Vec<Diagnostic>> {
    lower_counting(specification, subject, plan).map(|(lowered, _)| lowered)
}

/// [`lower_with`], with how many operands, steps, parts and events were looked at: a measure of the
/// work that does not depend on the machine.
///
/// # Errors
/// As [`lower`].
pub fn lower_counting(
    specification: &Arc<Specification>,
    subject: &Subject,
    plan: Plan,
) -> Result<(Lowered, u64), Vec<Diagnostic>> {
    let diagnostic = |trouble: LowerError| {
        vec![Diagnostic::error(trouble.code, trouble.message, trouble.span).label("here")]
    };
    let mut model = Model::new();
    let mut terms = Terms::new(Arc::clone(specification));
    for (at, variable) in specification.variables.iter().enumerate() {
        let elements = terms.collections.elements(at, variable);
        model.variables.push(elements.unwrap_or_else(|| global(variable)));
    }
    model.variables.extend_from_slice(terms.collections.more());
    for (channel, lengths) in specification.channels.iter().zip(&terms.lengths) {
        // A shorter message ends with cells that are not there.
        let range = match lengths.differ {
            true => Range::new(ABSENT, Range::INT.high),
            false => Range::INT,
        };
        for at in 0..channel.size.unwrap_or(1) {
            let name = match channel.size {
                Some(_) => format!("{}[{at}]", channel.name.text),
                None => channel.name.text.clone(),
            };
            model.channels.push(Channel {
                name,
                capacity: channel.capacity,
                cells: vec![(range, Overflow::Fault); lengths.most],
                kinds: Vec::new(),
                when_full: WhenFull::Wait,
                owner: None,
                span: Some(channel.name.span),
            });
        }
    }
    // All of them together: what one takes is taken from the others.
    let scope = terms.scope(&|_| None);
    for define in &specification.defines {
        let expr = scope.expr(&define.body).map_err(diagnostic)?;
        model.propositions.push((define.name.text.clone(), expr));
    }
    let mut layout = Layout { terms: &mut terms, leaves: Vec::new(), hidings: Vec::new() };
    let structure = layout.subject(subject, plan.parts).map_err(diagnostic)?;
    let Layout { mut leaves, hidings, .. } = layout;
    // Who does which event only matters where some are shared or hidden. To find it out takes as long as
    // there are events, of which few may ever happen.
    if shares(&structure) {
        for leaf in &mut leaves {
            leaf.written = terms.alphabet(leaf.node, &leaf.environment, Which::Written).ok();
        }
    }
    unique_names(&mut leaves);
    let mut unfolder = Unfolder::new(terms, plan.eager);
    events(&mut model, &mut unfolder, &structure, &leaves, &hidings);
    let mut kinds: HashMap<(Term, Vec<(usize, SetId)>), TemplateId> = HashMap::new();
    // Hidden sets may also name what is said over a channel.
    let channels: HashSet<csp::EventId> = (0..)
        .zip(&specification.events)
        .filter(|(_, word)| specification.channels.iter().any(|it| it.name.text == **word))
        .map(|(at, _)| csp::EventId(at))
        .collect();
    let mut by_channel: HashMap<SetId, Vec<Concrete>> = HashMap::new();
    for leaf in &leaves {
        let start = unfolder.terms.node(leaf.node, &leaf.environment);
        let key = (start.clone(), leaf.hidings.clone());
        let template = match kinds.get(&key) {
            Some(&known) => known,
            None => {
                let span = specification.node(leaf.node).span;
                let made = unfolder
                    .add(&mut model, &leaf.name, &start, leaf.hidings.clone(), span)
                    .map_err(diagnostic)?;
                kinds.insert(key, made);
                made
            }
        };
        let mut renamed: Vec<(String, fairly_system::EventId)> = Vec::new();
        let mut met: HashSet<Concrete> = HashSet::new();
        // The inner hiding comes first, and is the one that counts.
        for &(hiding, set) in &leaf.hidings {
            let hidden = unfolder.terms.sets.get(set);
            let mut events: Vec<&Concrete> = match &leaf.written {
                // Events that it never takes need not be hidden, or many processes with many events would take
                // their product.
                Some(written) if written.len() < hidden.len() => {
                    let said = by_channel.entry(set).or_insert_with(|| {
                        let of_channel = |event: &&Concrete| channels.contains(&event.family);
                        hidden.iter().filter(of_channel).cloned().collect()
                    });
                    let done = written.iter().filter(|event| hidden.contains(*event));
                    done.chain(said.iter()).collect()
                }
                _ => hidden.iter().collect(),
            };
            events.sort();
            events.dedup();
            unfolder.terms.worked(events.len());
            for event in events {
                let key = (Scope::Hiding(hiding), event.clone(), true);
                if let Some(&id) = unfolder.events.ids.get(&key)
                    && met.insert(event.clone())
                {
                    renamed.push((event.name(specification), id));
                }
            }
        }
        model.slots.push(Slot {
            name: leaf.name.clone(),
            templates: vec![template],
            start: Some((template, Vec::new())),
            renamed,
        });
    }
    if !fairly_model::Layout::fits(&model) {
        return Err(vec![too_large(&model, specification, subject)]);
    }
    let work = unfolder.terms.work.get();
    let unfold = unfolder.is_open().then(|| Box::new(unfolder) as Box<dyn Unfold>);
    Ok((Lowered { model, unfold }, work))
}

/// A state with more values than a state can have, at the declaration that has most of them.
fn too_large(model: &Model, specification: &Specification, subject: &Subject) -> Diagnostic {
    let variables = specification.variables.iter().zip(&model.variables);
    let variables = variables.map(|(it, of)| (u64::from(of.length.unwrap_or(1)), it.name.span));
    let of_channel = |span: fairly_source::Span| {
        let own = model.channels.iter().filter(|channel| channel.span == Some(span));
        own.map(|it| it.cells.len() as u64 * u64::from(it.capacity)).sum::<u64>()
    };
    let channels = specification.channels.iter();
    let channels = channels.map(|it| (of_channel(it.name.span), it.name.span));
    let most = variables.chain(channels).max_by_key(|(values, _)| *values);
    let span = most.map_or(subject.span, |(_, span)| span);
    let limit = fairly_model::Layout::MOST_CELLS;
    Diagnostic::error("E1087", format!("a state would have more than {limit} values"), span)
        .label("most of them are here")
        .help("declare smaller arrays, and channels with less room")
}

pub(super) fn global(variable: &csp::Variable) -> Variable {
    let number = |value: &csp::Value| match value {
        csp::Value::Int(value) => i64::from(*value),
        csp::Value::Bool(value) => i64::from(*value),
    };
    let range = match (variable.bounds, variable.ty) {
        (Some(bounds), _) => Range::new(
            bounds.low.map_or(Range::INT.low, i64::from),
            bounds.high.map_or(Range::INT.high, i64::from),
        ),
        (None, csp::Type::Bool) => Range::BOOL,
        (None, _) => Range::INT,
    };
    let length = match variable.dimensions.as_slice() {
        [] => None,
        sizes => Some(sizes.iter().product()),
    };
    let kind = if variable.ty == csp::Type::Bool { Kind::Truth } else { Kind::Number };
    let parts = match variable.dimensions.as_slice() {
        [] | [_] => Vec::new(),
        sizes => vec![Part { name: variable.name.text.clone(), lengths: sizes.to_vec() }],
    };
    Variable {
        length,
        shown: Shown { kind, parts },
        initial: variable.initial.iter().map(number).collect(),
        span: Some(variable.name.span),
        ..Variable::scalar(variable.name.text.clone(), range, 0)
    }
}

/// Whether some events are shared or hidden.
fn shares(structure: &Structure) -> bool {
    match structure {
        Structure::Leaf(_) => false,
        Structure::Interleave(parts) => parts.iter().any(shares),
        Structure::Parallel(_) | Structure::Hide(..) => true,
    }
}

fn unique_names(leaves: &mut [Leaf]) {
    let mut count: HashMap<String, usize> = HashMap::new();
    for leaf in leaves.iter() {
        *count.entry(leaf.name.clone()).or_default() += 1;
    }
    let mut next: HashMap<String, usize> = HashMap::new();
    for leaf in leaves {
        if count[&leaf.name] > 1 {
            let number = next.entry(leaf.name.clone()).or_default();
            *number += 1;
            leaf.name = format!("{}#{number}", leaf.name);
        }
    }
}

/// Lays out the structure.
struct Layout<'a> {
    terms: &'a mut Terms,
    leaves: Vec<Leaf>,
    hidings: Vec<SetId>,
}

/// Where in the structure something stands.
#[derive(Clone)]
struct Context {
    name: String,
    hidings: Vec<(usize, SetId)>,
    nesting: usize,
    references: usize,
}

impl Layout<'_> {
    fn subject(&mut self, subject: &Subject, parts: Parts) -> Result<Structure, LowerError> {
        let environment = self.terms.arguments(&subject.arguments, &Environment::default())?;
        let definition = &self.terms.specification.definitions[subject.definition.index()];
        let context = Context {
            name: shown(&definition.name.text, &environment),
            hidings: Vec::new(),
            nesting: 0,
            references: 0,
        };
        let body = definition.body;
        match parts {
            Parts::Processes => self.node(body, &environment, context),
            Parts::OneProcess => self.leaf(body, &environment, context),
        }
    }

    fn node(
        &mut self,
        node: NodeId,
        environment: &Environment,
        context: Context,
    ) -> Result<Structure, LowerError> {
        let specification = Arc::clone(&self.terms.specification);
        let process = specification.node(node);
        // One process for all that is deeper would be another system: fairness of processes tells them apart.
        if context.nesting > MAX_NESTING {
            if context.references > specification.definitions.len() {
                return Err(self.terms.endless(node));
            }
            return Err(LowerError {
                code: "E1086",
                message: format!("processes are composed in more than {MAX_NESTING} levels"),
                span: process.span,
            });
        }
        match &process.kind {
            ProcessKind::Reference { definition, arguments } => {
                let inner = self.terms.arguments(arguments, environment)?;
                if !inner.values().all(|value| matches!(value, Value::Known(_))) {
                    return self.leaf(node, environment, context);
                }
                let definition = &specification.definitions[definition.index()];
                let name = shown(&definition.name.text, &inner);
                let references = context.references + 1;
                if references > MAX_REFERENCES {
                    return Err(self.terms.endless(node));
                }
                self.node(definition.body, &inner, Context { name, references, ..context })
            }
            ProcessKind::Compose { operator: Operator::Interleave, .. }
            | ProcessKind::Replicate { operator: Operator::Interleave, .. }
            | ProcessKind::Copies { .. } => {
                let operands = self.terms.operands(node, environment, None)?;
                let mut parts = Vec::with_capacity(operands.len());
                for (at, (node, environment)) in operands.iter().enumerate() {
                    parts.push(self.node(*node, environment, context.part(at))?);
                }
                Ok(Structure::Interleave(parts))
            }
            ProcessKind::Compose { operator: Operator::Parallel, .. }
            | ProcessKind::Replicate { operator: Operator::Parallel, .. } => {
                let operands = self.terms.operands(node, environment, None)?;
                let mut parts = Vec::with_capacity(operands.len());
                for (at, (node, environment)) in operands.iter().enumerate() {
                    let alphabet = self.terms.alphabet_set(*node, environment)?;
                    parts.push((self.node(*node, environment, context.part(at))?, alphabet));
                }
                Ok(Structure::Parallel(parts))
            }
            ProcessKind::Synchronised { operands, alphabets } => {
                let mut parts = Vec::with_capacity(operands.len());
                for (at, &operand) in operands.iter().enumerate() {
                    let alphabet = self.terms.own_alphabet(alphabets, at, environment)?;
                    parts.push((self.node(operand, environment, context.part(at))?, alphabet));
                }
                Ok(Structure::Parallel(parts))
            }
            // `Skip; P` is `P`.
            ProcessKind::Compose { operator: Operator::Sequence, operands }
                if operands.split_last().is_some_and(|(_, before)| {
                    before.iter().all(|&operand| self.terms.skips(operand))
                }) =>
            {
                let last = operands.last().expect("at least two operands");
                let nesting = context.nesting + 1;
                self.node(*last, environment, Context { nesting, ..context })
            }
            ProcessKind::Hide { body, events } => {
                let hidden = self.terms.hidden_set(events, environment)?;
                let at = self.hidings.len();
                self.hidings.push(hidden);
                let mut inner = context;
                inner.hidings.insert(0, (at, hidden));
                inner.nesting += 1;
                Ok(Structure::Hide(Box::new(self.node(*body, environment, inner)?), at))
            }
            _ => self.leaf(node, environment, context),
        }
    }

    fn leaf(
        &mut self,
        node: NodeId,
        environment: &Environment,
        context: Context,
    ) -> Result<Structure, LowerError> {
        if self.leaves.len() >= MAX_PROCESSES {
            return Err(self.terms.endless(node));
        }
        self.leaves.push(Leaf {
            name: context.name,
            node,
            environment: environment.clone(),
            hidings: context.hidings,
            written: None,
        });
        Ok(Structure::Leaf(self.leaves.len() - 1))
    }
}

impl Context {
    fn part(&self, at: usize) -> Context {
        Context {
            name: format!("{}.{}", self.name, at + 1),
            hidings: self.hidings.clone(),
            nesting: self.nesting + 1,
            references: self.references,
        }
    }
}

/// A process with its arguments, all of them known.
fn shown(name: &str, environment: &Environment) -> String {
    let values: Vec<String> = environment
        .values()
        .map(|value| match value {
            Value::Known(value) => value.to_string(),
            _ => "?".to_owned(),
        })
        .collect();
    if values.is_empty() { name.to_owned() } else { format!("{name}({})", values.join(",")) }
}

/// Makes the events that several processes may take together, and those that are hidden.
fn events(
    model: &mut Model,
    unfolder: &mut Unfolder,
    structure: &Structure,
    leaves: &[Leaf],
    hidings: &[SetId],
) {
    let tick = model.add_event("terminate", EventKind::Termination);
    unfolder.events.tick = Some(tick);
    if leaves.len() > 1 {
        let all = (0..leaves.len()).map(|at| Gathering::Slot(SlotId::from_index(at))).collect();
        model.gatherings.push((tick, Gathering::All(all)));
    }
    let specification = Arc::clone(&unfolder.terms.specification);
    let with_programs: HashSet<csp::EventId> = specification
        .nodes
        .iter()
        .filter_map(|node| match &node.kind {
            ProcessKind::Prefix { action, .. } if !action.program.is_empty() => Some(action),
            _ => None,
        })
        .filter_map(|action| match &action.kind {
            ActionKind::Event(event) => Some(event.name),
            _ => None,
        })
        .collect();
    let mut alphabets: HashSet<SetId> = HashSet::new();
    let mut scopes = vec![(Scope::World, structure)];
    collect(structure, &mut alphabets, &mut scopes);
    let sets = &unfolder.terms.sets;
    let mut shared: Vec<&Concrete> = alphabets
        .iter()
        .flat_map(|&set| sets.get(set))
        .collect::<HashSet<_>>()
        .into_iter()
        .collect();
    shared.sort();
    for &(scope, top) in &scopes {
        let mut events: Vec<&Concrete> = match scope {
            Scope::World => shared.clone(),
            // Hidden ones get ids even where they are not shared: their data may only be known when they
            // happen.
            Scope::Hiding(at) => sets.get(hidings[at]).iter().collect(),
        };
        events.sort();
        let asked: HashSet<&Concrete> = events.iter().copied().collect();
        let work = &unfolder.terms.work;
        let mut found = Gatherings { leaves, sets, hidings, asked: &asked, work }.of(top);
        for event in events {
            let joint = found.remove(event).filter(several);
            let kind = match scope {
                Scope::World if joint.is_none() => continue,
                Scope::World => EventKind::Visible,
                Scope::Hiding(_) => EventKind::Internal,
            };
            let name = event.name(&specification);
            let id = model.add_event(name.clone(), kind);
            unfolder.events.ids.insert((scope, event.clone(), true), id);
            if let Some(joint) = joint {
                model.gatherings.push((id, joint));
                unfolder.events.joint.entry(event.family).or_default().insert(event.clone());
                // The same event with a program belongs to one process alone.
                if with_programs.contains(&event.family) {
                    let free = model.add_event(name, kind);
                    unfolder.events.ids.insert((scope, event.clone(), false), free);
                }
            }
        }
    }
}

/// All alphabets, and the insides of all hidings.
fn collect<'a>(
    structure: &'a Structure,
    alphabets: &mut HashSet<SetId>,
    scopes: &mut Vec<(Scope, &'a Structure)>,
) {
    match structure {
        Structure::Leaf(_) => {}
        Structure::Interleave(parts) => {
            parts.iter().for_each(|part| collect(part, alphabets, scopes));
        }
        Structure::Parallel(parts) => {
            for (part, alphabet) in parts {
                alphabets.insert(*alphabet);
                collect(part, alphabets, scopes);
            }
        }
        Structure::Hide(inner, at) => {
            scopes.push((Scope::Hiding(*at), inner));
            collect(inner, alphabets, scopes);
        }
    }
}

/// Who takes events together, found for all events at once: a part is only asked for those that it
/// can take.
struct Gatherings<'a> {
    leaves: &'a [Leaf],
    sets: &'a super::events::Sets,
    hidings: &'a [SetId],
    asked: &'a HashSet<&'a Concrete>,
    work: &'a Cell<u64>,
}

impl<'a> Gatherings<'a> {
    /// Computes the participants of each event in a part of the structure; events that no process there can
    /// take are left out.
    fn of(&self, structure: &Structure) -> HashMap<&'a Concrete, Gathering> {
        let found = self.found(structure);
        self.work.set(self.work.get() + found.len() as u64);
        found
    }

    fn found(&self, structure: &Structure) -> HashMap<&'a Concrete, Gathering> {
        let mut all: HashMap<&'a Concrete, Vec<Gathering>> = HashMap::new();
        match structure {
            Structure::Leaf(at) => {
                let slot = Gathering::Slot(SlotId::from_index(*at));
                let Some(written) = &self.leaves[*at].written else {
                    return self.asked.iter().map(|&it| (it, slot.clone())).collect();
                };
                return match written.len() < self.asked.len() {
                    true => {
                        let found = written.iter().filter_map(|event| self.asked.get(event));
                        found.map(|&event| (event, slot.clone())).collect()
                    }
                    false => {
                        let found = self.asked.iter().filter(|event| written.contains(**event));
                        found.map(|&event| (event, slot.clone())).collect()
                    }
                };
            }
            Structure::Hide(part, at) => {
                let hidden = self.sets.get(self.hidings[*at]);
                let mut found = self.of(part);
                found.retain(|event, _| !hidden.contains(*event));
                return found;
            }
            Structure::Interleave(parts) => {
                for part in parts {
                    for (event, gathering) in self.of(part) {
                        all.entry(event).or_default().push(gathering);
                    }
                }
            }
            Structure::Parallel(parts) => {
                let mut together: HashMap<&'a Concrete, Vec<Gathering>> = HashMap::new();
                for (part, alphabet) in parts {
                    let alphabet = self.sets.get(*alphabet);
                    let mut found = self.of(part);
                    let mut join = |event: &'a Concrete, found: Option<Gathering>| {
                        // A process that could take part but never does keeps the others from it.
                        let who = found.unwrap_or_else(|| somebody(part));
                        together.entry(event).or_default().push(who);
                    };
                    if alphabet.len() < self.asked.len() {
                        for event in alphabet.iter().filter_map(|event| self.asked.get(event)) {
                            join(event, found.remove(*event));
                        }
                    } else {
                        for event in self.asked.iter().filter(|event| alphabet.contains(**event)) {
                            join(event, found.remove(*event));
                        }
                    }
                    for (event, gathering) in found {
                        all.entry(event).or_default().push(gathering);
                    }
                }
                for (event, mut joint) in together {
                    let joint = match joint.len() {
                        1 => joint.pop().expect("one"),
                        _ => Gathering::All(joint),
                    };
                    all.entry(event).or_default().insert(0, joint);
                }
            }
        }
        all.into_iter().filter_map(|(event, parts)| Some((event, one(parts)?))).collect()
    }
}

fn one(mut parts: Vec<Gathering>) -> Option<Gathering> {
    match parts.len() {
        0 => None,
        1 => parts.pop(),
        _ => Some(Gathering::One(parts)),
    }
}

/// Any process of a part.
fn somebody(structure: &Structure) -> Gathering {
    let mut structure = structure;
    loop {
        structure = match structure {
            Structure::Leaf(at) => return Gathering::Slot(SlotId::from_index(*at)),
            Structure::Interleave(parts) => match parts.first() {
                Some(part) => part,
                // There is no participant; the first slot never takes an event that it does not have.
                None => return Gathering::Slot(SlotId(0)),
            },
            Structure::Parallel(parts) => &parts[0].0,
            Structure::Hide(part, _) => part,
        };
    }
}

/// Whether an event is taken by several.
fn several(gathering: &Gathering) -> bool {
    match gathering {
        Gathering::Slot(_) => false,
        Gathering::All(_) => true,
        Gathering::One(parts) => parts.iter().any(several),
    }
}

/// A condition or value over global variables as an expression of the models of a specification.
///
/// # Errors
/// When it cannot be expressed there.
pub fn expression(
    specification: &Arc<Specification>,
    expr: &csp::Expr,
) -> Result<fairly_model::Expr, Vec<Diagnostic>> {
    let terms = Terms::new(Arc::clone(specification));
    terms.scope(&|_| None).expr(expr).map_err(|trouble| {
        vec![Diagnostic::error(trouble.code, trouble.message, trouble.span).label("here")]
    })
}
