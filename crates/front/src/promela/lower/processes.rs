//! Facts about all processes, before their edges are made.

use std::cell::Cell;

use fairly_model::{
    Expr, LocalId, LocationId, Model, Overflow, Place, Range, Shown, Slot, Statement,
    StatementKind, Storage, Template, TemplateId, Variable, VariableId,
};
use fairly_system::EventKind;
use hashbrown::HashMap;

use super::channels::{self, Assigned, Own, assigned, run};
use super::flow::{ElementId, Flow, Node};
use super::machine::{Machine, Marks};
use super::names::{Unique, Words};
use super::priority::Priorities;
use super::slots::{Plan, plan};
use super::trace::Trace;
use super::variables::{Leaf, Mapping, Stored, flatten, makes_channels, shown, variable};
use super::{Lower, Lowered, Options, numbers, properties, trouble};
use crate::promela::ast::{self, Base, Initial, LabelId, Proctype, ProctypeId, Start, StmtKind};
use crate::promela::finish::{inner, runs};

/// Who evaluates an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// A process of the proctype at this position.
    Process(usize),
    /// A property.
    Property,
}

/// A proctype.
#[derive(Clone, Debug)]
pub(super) struct Process<'a> {
    pub(super) of: &'a Proctype,
    /// By local of the proctype.
    pub(super) locals: Vec<Mapping<'a>>,
    /// The variables of the template.
    pub(super) variables: Vec<Variable>,
    pub(super) flow: Flow<'a>,
    pub(super) machine: Machine,
    /// The elements that are control states.
    pub(super) locations: Vec<ElementId>,
    pub(super) location_of: HashMap<ElementId, LocationId>,
    /// Its own channels.
    pub(super) channels: Own<'a>,
    /// The variable that has the number of a process just started, if one is needed.
    pub(super) started: Option<LocalId>,
}

impl Process<'_> {
    /// The locations with such marks.
    pub(super) fn marked(&self, is: impl Fn(Marks) -> bool) -> impl Iterator<Item = LocationId> {
        let found = self.locations.iter().enumerate().filter(move |&(_, &element)| {
            self.machine.marks.get(element).is_some_and(|&marks| is(marks))
        });
        found.map(|(at, _)| LocationId::from_index(at))
    }
}

/// Everything that is known while a model is made.
pub(super) struct Lowering<'a> {
    pub(super) ast: &'a ast::Model,
    pub(super) options: Options<'a>,
    pub(super) words: Words<'a>,
    pub(super) globals: Vec<Mapping<'a>>,
    pub(super) processes: Vec<Process<'a>>,
    pub(super) slots: Vec<Plan>,
    /// How each channel of the model is declared.
    shapes: Vec<&'a ast::Channel>,
    pub(super) trace: Option<Trace>,
    pub(super) priorities: Priorities,
    /// Whether the model says anything about priorities.
    pub(super) gives_priorities: bool,
    /// Whether this is to find out if some process is enabled, which must not ask that again.
    pub(super) asks_who_is_enabled: Cell<bool>,
    /// The numbers that SPIN gives to elements, by process, and to the statement of an event.
    element_numbers: Vec<Vec<u32>>,
    pub(super) numbers: Vec<(fairly_system::EventId, u32)>,
    pub(super) model: Model,
}

/// How many values a state may have before it is not even tried.
const MOST_VALUES: u64 = fairly_model::Layout::MOST_CELLS;

impl<'a> Lowering<'a> {
    pub(super) fn new(ast: &'a ast::Model, options: Options<'a>) -> Lower<Lowering<'a>> {
        let words = Words::new(options.text, ast);
        let mut lowering = Lowering {
            ast,
            options,
            words,
            globals: Vec::new(),
            processes: Vec::new(),
            slots: Vec::new(),
            shapes: Vec::new(),
            trace: None,
            priorities: Priorities::Equal,
            gives_priorities: false,
            asks_who_is_enabled: Cell::new(false),
            element_numbers: Vec::new(),
            numbers: Vec::new(),
            model: Model::new(),
        };
        let used = lowering.used_priorities()?;
        lowering.gives_priorities = used.place.is_some();
        lowering.declare_globals()?;
        for process in &ast.processes {
            let process = lowering.process(process)?;
            lowering.processes.push(process);
        }
        lowering.element_numbers = numbers::numbers(ast, &lowering.processes);
        lowering.slots = plan(&lowering)?;
        lowering.allot_channels()?;
        lowering.add_trace()?;
        lowering.add_priorities(&used)?;
        Ok(lowering)
    }

    fn declare_globals(&mut self) -> Lower<()> {
        let mut changed = Assigned::new();
        for process in &self.ast.processes {
            assigned(&process.body, &mut changed);
        }
        let mut total = 0;
        for (at, declared) in self.ast.globals.iter().enumerate() {
            let base = Base::Global(ast::GlobalId(small(at)));
            let mut mapping = Mapping::default();
            for (mut leaf, name) in flatten(self.ast, declared, Stored::Channels(0)) {
                total += leaf.count();
                if total > MOST_VALUES {
                    return Err(trouble(
                        "E1196",
                        "more variables than fit a state",
                        declared.place,
                    ));
                }
                let made = makes_channels(leaf.declared);
                let count = leaf.count();
                let first = small(self.model.channels.len());
                for element in 0..made.map_or(0, |_| count) {
                    let name = element_name(&name, &leaf, element);
                    let span = leaf.declared.place.span;
                    if let Some(made) = made {
                        self.model
                            .channels
                            .push(channels::channel(self.ast, name, made, None, span));
                        self.shapes.push(made);
                    }
                }
                leaf.place = Stored::Channels(first);
                let keeps = made.is_some() && !changed.contains(&(base, leaf.path.clone()));
                if !keeps {
                    let id = VariableId::from_index(self.model.variables.len());
                    leaf.place = Stored::Global(id);
                    let mut variable = variable(&leaf, name);
                    if made.is_some() {
                        let numbers = (0..).map(|at| i64::from(first) + at + 1);
                        variable.initial = numbers.take(variable.cells()).collect();
                    }
                    self.model.variables.push(variable);
                }
                mapping.leaves.push(leaf);
            }
            self.globals.push(mapping);
            self.initialise_global(at, declared)?;
        }
        Ok(())
    }

    /// Gives a global its first value, which may depend on those before it.
    fn initialise_global(&mut self, at: usize, declared: &'a ast::Variable) -> Lower<()> {
        for leaf in self.globals[at].leaves.clone() {
            let Stored::Global(id) = leaf.place else { continue };
            let field = if leaf.path.is_empty() { declared } else { leaf.declared };
            match &field.initial {
                Initial::Zero | Initial::Channel(_) => {}
                Initial::Value(value) => {
                    let value = self.expr(value, Scope::Property)?.expr;
                    let value = known(&value, &self.model.variables).unwrap_or(0);
                    let variable = &mut self.model.variables[id.index()];
                    let value = wrapped(value, variable.range);
                    variable.initial.fill(value);
                }
                Initial::List(values) => list(values, &mut self.model.variables[id.index()]),
            }
        }
        Ok(())
    }

    fn process(&self, of: &'a Proctype) -> Lower<Process<'a>> {
        let mut changed = Assigned::new();
        assigned(&of.body, &mut changed);
        let mut unique = Unique::default();
        let mut own = Own::default();
        let mut variables: Vec<Variable> = Vec::new();
        let mut locals = Vec::new();
        let mut total = 0;
        for (at, local) in of.locals.iter().enumerate() {
            let id = ast::LocalId(small(at));
            let mut mapping = Mapping::default();
            for (mut leaf, name) in flatten(self.ast, &local.variable, Stored::Channels(0)) {
                total += leaf.count();
                if total > MOST_VALUES {
                    let place = local.variable.place;
                    return Err(trouble("E1196", "more variables than fit a state", place));
                }
                let name = unique.name(&name, '#');
                // A parameter holds what it is given, also where its type declares channels.
                let made = makes_channels(leaf.declared).filter(|_| at >= of.parameters);
                let first = small(own.all.len());
                if let Some(made) = made {
                    for element in 0..leaf.count() {
                        own.all.push((element_name(&name, &leaf, element), made, id));
                    }
                }
                leaf.place = Stored::Channels(first);
                let base = Base::Local(id);
                if made.is_none() || changed.contains(&(base, leaf.path.clone())) {
                    leaf.place = Stored::Local(LocalId::from_index(variables.len()));
                    variables.push(variable(&leaf, name));
                    if made.is_some() {
                        // Found again when the start of the process is made.
                        mapping
                            .leaves
                            .push(Leaf { place: Stored::Channels(first), ..leaf.clone() });
                    }
                }
                mapping.leaves.insert(0, leaf);
            }
            mapping.leaves.sort_by(|one, two| one.path.cmp(&two.path));
            locals.push(mapping);
        }
        let started = self.needs_number(&of.body).then(|| {
            variables.push(self.scratch("run", 255));
            LocalId::from_index(variables.len() - 1)
        });
        let mut flow = Flow::of(of);
        let machine = Machine::of(&mut flow, &of.labels).map_err(|circle| {
            let place = flow.elements[circle.0].stmt.map_or(of.place, |stmt| stmt.place);
            trouble("E1193", "jumps that lead in a circle without a statement", place)
        })?;
        let mut locations = vec![machine.start];
        let mut location_of = HashMap::from([(machine.start, LocationId(0))]);
        let mut at = 0;
        while let Some(&from) = locations.get(at) {
            for target in machine.steps[from].iter().filter_map(|step| step.target) {
                location_of.entry(target).or_insert_with(|| {
                    locations.push(target);
                    LocationId::from_index(locations.len() - 1)
                });
            }
            at += 1;
        }
        let channels = own;
        Ok(Process {
            of,
            locals,
            variables,
            flow,
            machine,
            locations,
            location_of,
            channels,
            started,
        })
    }

    /// Whether more is done with the number of a new process than to store it.
    fn needs_number(&self, body: &ast::Sequence) -> bool {
        let in_statement = |stmt: &ast::Stmt| {
            let plain = match &stmt.kind {
                StmtKind::Condition(value) | StmtKind::Assign(_, value) => run(value).is_some(),
                _ => false,
            };
            !runs(stmt).is_empty() && (self.gives_priorities || !plain)
        };
        body.steps.iter().any(|stmt| {
            in_statement(stmt) || inner(&stmt.kind).into_iter().any(|it| self.needs_number(it))
        })
    }

    /// Gives each slot the channels of the processes that can be in it.
    fn allot_channels(&mut self) -> Lower<()> {
        for process in 0..self.processes.len() {
            let template = TemplateId::from_index(process);
            for slot in self.slots_of(template) {
                let first = small(self.model.channels.len());
                let own = &mut self.processes[process].channels;
                if own.all.is_empty() {
                    break;
                }
                own.first.push((slot, first));
                let own = &self.processes[process].channels;
                let slot_name = &self.slots[slot.index()].name;
                let of = self.processes[process].of;
                for (own_name, declared, local) in &own.all {
                    let span = of.locals[local.index()].variable.place.span;
                    let mut name = format!("{slot_name}.{own_name}");
                    if self.slots[slot.index()].templates.len() > 1 {
                        name = format!("{}[{}].{own_name}", of.name, slot.index());
                    }
                    let owner = Some((slot, template));
                    self.model
                        .channels
                        .push(channels::channel(self.ast, name, declared, owner, span));
                    self.shapes.push(declared);
                }
                if self.model.channels.len() > 100_000 {
                    return Err(trouble("E1196", "more channels than fit a state", of.place));
                }
            }
        }
        // A variable has room for the number of every channel.
        let bits = u64::BITS - (self.model.channels.len() as u64).leading_zeros();
        let range = Range::new(0, (1 << bits.max(8)) - 1);
        let widen = |variable: &mut Variable| variable.range = range;
        let chan = |leaf: &Leaf<'_>| leaf.kind == ast::Type::Chan;
        for mapping in &self.globals {
            for leaf in mapping.leaves.iter().filter(|leaf| chan(leaf)) {
                if let Stored::Global(id) = leaf.place {
                    widen(&mut self.model.variables[id.index()]);
                }
            }
        }
        for process in &mut self.processes {
            for leaf in process.locals.iter().flat_map(|mapping| &mapping.leaves) {
                if let (true, Stored::Local(id)) = (chan(leaf), leaf.place) {
                    widen(&mut process.variables[id.index()]);
                }
            }
        }
        for (channel, declared) in self.model.channels.iter_mut().zip(&self.shapes) {
            for (cell, kind) in channel.cells.iter_mut().zip(&declared.fields) {
                if *kind == ast::Type::Chan {
                    cell.0 = range;
                }
            }
        }
        Ok(())
    }

    /// The slots that a template can be in.
    pub(super) fn slots_of(&self, template: TemplateId) -> Vec<fairly_model::SlotId> {
        let holds = |plan: &Plan| plan.templates.contains(&template);
        let slots = self.slots.iter().enumerate().filter(|(_, plan)| holds(plan));
        slots.map(|(at, _)| fairly_model::SlotId::from_index(at)).collect()
    }

    /// The location of a label, if it is one.
    pub(super) fn labelled(&self, process: ProctypeId, label: LabelId) -> Vec<LocationId> {
        let process = &self.processes[process.index()];
        let element = process.flow.labels.get(label.index()).copied().flatten();
        let location = element.and_then(|element| process.location_of.get(&element));
        location.copied().into_iter().collect()
    }

    /// Makes the model.
    pub(super) fn finish(mut self) -> Lower<Lowered> {
        let mut accepting = Vec::new();
        for at in 0..self.processes.len() {
            let template = self.template(at)?;
            self.model.templates.push(template);
            let id = TemplateId::from_index(at);
            accepting
                .extend(self.processes[at].marked(|it| it.accept).map(|location| (id, location)));
        }
        for plan in std::mem::take(&mut self.slots) {
            self.model.slots.push(Slot {
                name: plan.name.clone(),
                templates: plan.templates.clone(),
                start: plan.start.map(|template| {
                    let parameters = self.model.template(template).parameters;
                    (template, vec![0; parameters as usize])
                }),
                renamed: Vec::new(),
            });
            self.slots.push(plan);
        }
        properties::finish(self, accepting)
    }

    fn template(&mut self, at: usize) -> Lower<Template> {
        let of = self.processes[at].of;
        let mut start = self.start(at)?;
        start.extend(self.assert_claims(at)?);
        let (locations, scratch) = self.locations(at)?;
        let process = &mut self.processes[at];
        let mut locals = std::mem::take(&mut process.variables);
        locals.extend(scratch);
        let parameters = process.locals.iter().take(of.parameters);
        let parameters = parameters.map(|mapping| mapping.leaves.len()).sum();
        Ok(Template {
            name: of.name.clone(),
            locals,
            parameters: small(parameters),
            locations,
            start,
            span: Some(of.place.span),
        })
    }

    /// First statements of a new process: initial values of its variables, unless they are always the same.
    fn start(&mut self, at: usize) -> Lower<Vec<Statement>> {
        let of = self.processes[at].of;
        let mut start = Vec::new();
        for (local, declared) in of.locals.iter().enumerate() {
            for leaf in self.processes[at].locals[local].leaves.clone() {
                let Stored::Local(id) = leaf.place else { continue };
                let elements: Vec<Option<i64>> = match leaf.lengths.is_empty() {
                    true => vec![None],
                    false => {
                        (0..).map(Some).take(usize::try_from(leaf.count()).unwrap_or(0)).collect()
                    }
                };
                let span = Some(leaf.declared.place.span);
                let mut assign = |index: Option<i64>, value: Expr| {
                    let index = index.map(|index| Box::new(Expr::Const(index)));
                    let place = Place { variable: fairly_model::AnyVariable::Local(id), index };
                    let kind = StatementKind::Assign(vec![(place, value)]);
                    start.push(Statement { kind, span });
                };
                let direct = leaf.path.is_empty().then_some(&declared.variable.initial);
                match direct.unwrap_or(&leaf.declared.initial) {
                    Initial::Zero => {}
                    _ if declared.start != Start::AtCreation => {}
                    Initial::Value(value) => {
                        let value = self.expr(value, Scope::Process(at))?.expr;
                        match value {
                            Expr::Const(value) => {
                                let variable = &mut self.processes[at].variables[id.index()];
                                let value = wrapped(value, variable.range);
                                variable.initial.fill(value);
                            }
                            value => {
                                for index in elements {
                                    assign(index, value.clone());
                                }
                            }
                        }
                    }
                    Initial::List(values) => {
                        list(values, &mut self.processes[at].variables[id.index()]);
                    }
                    Initial::Channel(_) => {
                        let twin =
                            self.processes[at].locals[local].leaves.iter().find_map(|twin| {
                                match twin.place {
                                    Stored::Channels(first) if twin.path == leaf.path => {
                                        Some(first)
                                    }
                                    _ => None,
                                }
                            });
                        let Some(first) = twin else { continue };
                        for (step, index) in (0..).zip(elements) {
                            let base = Base::Local(ast::LocalId(small(local)));
                            let scope = Scope::Process(at);
                            let number = self.channel_number(base, first + step, None, scope);
                            let one = Expr::Const(1);
                            let number = Expr::binary(fairly_model::BinaryOp::Add, number, one);
                            assign(index, number);
                        }
                    }
                }
            }
        }
        Ok(start)
    }

    /// A variable that only lasts for a step.
    pub(super) fn scratch(&self, name: &str, high: usize) -> Variable {
        Variable {
            name: name.to_owned(),
            range: Range::new(0, i64::try_from(high).unwrap_or(0)),
            overflow: Overflow::Fault,
            length: None,
            count: None,
            initial: vec![0],
            storage: Storage::Scratch,
            shown: Shown::default(),
            span: None,
        }
    }

    /// Notes which number SPIN gives to what an event is.
    pub(super) fn number(&mut self, event: fairly_system::EventId, at: usize, id: ElementId) {
        self.numbers.push((event, self.element_numbers[at][id]));
    }

    /// Adds an event that is seen.
    pub(super) fn event(&mut self, name: String) -> fairly_system::EventId {
        self.model.add_event(name, EventKind::Visible)
    }
}

impl Process<'_> {
    /// Name of a control state: its label, or its line.
    pub(super) fn location_name(&self, element: ElementId, words: &Words<'_>) -> String {
        let of = &self.flow.elements[element];
        let named = of.labels.iter().filter_map(|label| self.of.labels.get(label.index()));
        if let Some(label) = named.map(|label| &label.name).next() {
            return label.clone();
        }
        match (of.node, of.stmt) {
            (Node::End, _) => "-end-".to_owned(),
            (_, Some(stmt)) => words.line(stmt.place).to_string(),
            (_, None) => words.line(self.of.place).to_string(),
        }
    }
}

fn list(values: &[i32], variable: &mut Variable) {
    let range = variable.range;
    for (place, &value) in variable.initial.iter_mut().zip(values) {
        *place = wrapped(value.into(), range);
    }
}

/// The value that a variable of this range gets.
fn wrapped(value: i64, range: Range) -> i64 {
    let size = range.high - range.low + 1;
    range.low + (value - range.low).rem_euclid(size.max(1))
}

/// The value of an expression over variables that have their first values.
fn known(expr: &Expr, variables: &[Variable]) -> Option<i64> {
    // A model with nothing but these variables says what the expression is.
    let model = Model { variables: variables.to_vec(), ..Model::new() };
    let space = fairly_model::ModelSpace::new(model, None);
    let mut first = fairly_system::Steps::default();
    fairly_system::Space::initial(&space, &mut fairly_system::Space::scratch(&space), &mut first);
    if first.faults.is_empty() { space.value(&first.rows, expr).ok() } else { None }
}

fn element_name(name: &str, leaf: &Leaf<'_>, element: u64) -> String {
    match leaf.lengths.is_empty() {
        true => name.to_owned(),
        false => {
            let length = u32::try_from(leaf.count()).ok();
            let parts = shown(leaf, name).parts_of(name, length);
            fairly_model::element_name(&parts, usize::try_from(element).unwrap_or(usize::MAX))
        }
    }
}

pub(super) fn small(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
