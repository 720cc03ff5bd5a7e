//! Terms as locations of control automata.

use fairly_model::{
    Communication, Edge, Expr, Growth, Label, LocalId as Cell, Location, LocationId, Model,
    Overflow, Place, Range, Statement, StatementKind, Storage, Target, Template, TemplateId,
    Unfold, Unfolded, Variable,
};
use fairly_source::Span;
use fairly_system::{Event, EventId, EventKind};
use hashbrown::{HashMap, HashSet};

use super::LowerError;
use super::before::before;
use super::cases::CASES;
use super::environment::{Leaf, as_cell};
use super::events::{Concrete, SetId};
use super::joint::{replaced, specialised};
use super::program::{LIMIT, SCRATCH};
use super::steps::{Step, StepLabel, known};
use super::term::{Settled, Term, settle};
use super::terms::Terms;
use crate::csp::syntax as csp;

/// Locations that a process gets before the search. One that needs more gets them on the way.
const EAGER: usize = 20_000;
/// Operands, steps and parts that are looked at before the search, for all processes together. A process
/// that needs more gets its locations on the way: few of them may ever be met.
const EAGER_WORK: u64 = 500_000;
/// Locations that a process may get at all.
const MAX_LOCATIONS: usize = 250_000;
/// Expressions and operators that its terms may be made of together.
const MAX_TOTAL: usize = 4_000_000;
/// Expressions and operators that one term may be made of.
const MAX_SIZE: usize = 500;
/// Cells of the state, and for one step, that a process has whose locations are made on the way.
const OPEN_CELLS: u32 = 16;
const OPEN_SCRATCH: u32 = 64;

/// A place where events are hidden, or everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Scope {
    /// Outside all hiding.
    World,
    /// In this one of the network's hidings.
    Hiding(usize),
}

/// The events of the model by what they are in the text.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// Events whose data are known: where, which, and whether others can take part.
    pub(super) ids: HashMap<(Scope, Concrete, bool), EventId>,
    /// Events that several processes take together, by their first word.
    pub(super) joint: HashMap<csp::EventId, HashSet<Concrete>>,
    /// Termination.
    pub(super) tick: Option<EventId>,
}

/// A kind of process and its terms.
#[derive(Debug)]
struct Automaton {
    terms: Vec<Term>,
    locations: HashMap<Term, LocationId>,
    /// The last of them, which the model does not have yet.
    made: Vec<Location>,
    /// How many cells each location uses.
    cells: Vec<u32>,
    /// The hidings around it, the inner ones first.
    hidings: Vec<(usize, SetId)>,
    /// Its internal event.
    tau: EventId,
    /// How many expressions and operators its terms are made of together.
    total: usize,
    /// Whether more locations may come, so that its cells have fixed numbers.
    open: bool,
}

/// Makes the locations of the processes of a model.
pub(super) struct Unfolder {
    pub(super) terms: Terms,
    pub(super) events: Events,
    automata: Vec<Automaton>,
    /// Events that are not in the model yet.
    named: Vec<Event>,
    /// How many expressions and operators a process may be made of before the search.
    eager: usize,
    /// How much work has been done when the rest is left for the search.
    work: u64,
}

impl Unfolder {
    /// With no processes yet.
    pub(super) fn new(terms: Terms, eager: usize) -> Unfolder {
        let work = terms.work.get().saturating_add(EAGER_WORK);
        Unfolder {
            terms,
            events: Events::default(),
            automata: Vec::new(),
            named: Vec::new(),
            eager,
            work,
        }
    }

    /// Whether some process gets locations during the search.
    pub(super) fn is_open(&self) -> bool {
        self.automata.iter().any(|automaton| automaton.open)
    }

    /// Adds a kind of process that starts with a term, and all its locations if there are not too
    /// many.
    pub(super) fn add(
        &mut self,
        model: &mut Model,
        name: &str,
        start: &Term,
        hidings: Vec<(usize, SetId)>,
        span: Span,
    ) -> Result<TemplateId, LowerError> {
        let template = TemplateId::from_index(model.templates.len());
        debug_assert_eq!(template.index(), self.automata.len(), "one automaton for each template");
        model.templates.push(Template {
            name: name.to_owned(),
            locals: Vec::new(),
            parameters: 0,
            locations: Vec::new(),
            start: Vec::new(),
            span: Some(span),
        });
        let tau = model.add_event("τ", EventKind::Internal);
        self.automata.push(Automaton {
            terms: Vec::new(),
            locations: HashMap::new(),
            made: Vec::new(),
            cells: Vec::new(),
            hidings,
            tau,
            total: 0,
            open: false,
        });
        let start = self.terms.head(start, 0)?;
        let Settled { term, cells } = settle(&start);
        debug_assert!(cells.is_empty(), "nothing has been captured before the first step");
        let term = self.terms.alike(&term);
        self.location(template, &term, 0);
        self.enter(model, template);
        let mut scratch = 0;
        let mut next = 0;
        while next < model.templates[template.index()].locations.len() {
            if next >= EAGER
                || self.automata[template.index()].total > self.eager
                || self.terms.work.get() > self.work
            {
                self.automata[template.index()].open = true;
                break;
            }
            match self.edges(model, template, LocationId::from_index(next)) {
                Ok(made) => {
                    self.terms.worked(made.edges.len());
                    scratch = scratch.max(made.scratch);
                    let location = &mut model.templates[template.index()].locations[next];
                    (location.edges, location.atomic) = (Some(made.edges), made.atomic);
                }
                // It may never come to that point; if it does, it is said then.
                Err(Stuck::Growth(_)) => self.automata[template.index()].open = true,
                Err(Stuck::Failed(trouble)) => return Err(trouble),
            }
            self.enter(model, template);
            next += 1;
        }
        self.number_cells(model, template, scratch);
        Ok(template)
    }

    /// Gives the cells of a process their variables.
    fn number_cells(&self, model: &mut Model, template: TemplateId, scratch: u32) {
        let automaton = &self.automata[template.index()];
        let most = automaton.cells.iter().copied().max().unwrap_or(0);
        let (cells, scratch) = match automaton.open {
            true => (OPEN_CELLS.max(most), OPEN_SCRATCH.max(scratch)),
            false => (most, scratch),
        };
        let limit = Variable {
            storage: Storage::Scratch,
            overflow: Overflow::Limit,
            ..Variable::scalar("an index that depends on the state", CASES, 0)
        };
        let limit = (automaton.open || self.terms.limited.get()).then_some(limit);
        let template = &mut model.templates[template.index()];
        template.locals = (0..cells)
            .map(|at| Variable::scalar(format!("v{at}"), Range::INT, 0))
            .chain((0..scratch).map(|at| Variable {
                storage: Storage::Scratch,
                ..Variable::scalar(format!("s{at}"), Range::INT, 0)
            }))
            .chain(limit)
            .collect();
        let last = Cell::from_index(template.locals.len().saturating_sub(1));
        for edge in template.locations.iter_mut().filter_map(|it| it.edges.as_mut()).flatten() {
            renumber(edge, cells, last);
        }
    }

    /// Gives the model the locations and events that were made for it.
    fn enter(&mut self, model: &mut Model, template: TemplateId) {
        let made = &mut self.automata[template.index()].made;
        model.templates[template.index()].locations.append(made);
        model.events.append(&mut self.named);
    }

    fn location(&mut self, template: TemplateId, term: &Term, cells: u32) -> LocationId {
        let automaton = &mut self.automata[template.index()];
        if let Some(&known) = automaton.locations.get(term) {
            return known;
        }
        let id = LocationId::from_index(automaton.terms.len());
        automaton.total += term.size(MAX_SIZE);
        automaton.terms.push(term.clone());
        automaton.cells.push(cells);
        automaton.locations.insert(term.clone(), id);
        let span = self.terms.span_of(term);
        automaton.made.push(Location {
            name: id.0.to_string(),
            edges: None,
            atomic: false,
            may_end: *term == Term::Done,
            labels: Vec::new(),
            span,
        });
        id
    }

    /// The edges of a location.
    fn edges(
        &mut self,
        model: &Model,
        template: TemplateId,
        location: LocationId,
    ) -> Result<Made, Stuck> {
        let automaton = &self.automata[template.index()];
        let term = automaton.terms[location.index()].clone();
        let cells_before = automaton.cells[location.index()];
        let mut found = Vec::new();
        self.terms.unfolded = 0;
        self.terms.steps(&term, 0, &mut found)?;
        let mut steps = Vec::with_capacity(found.len());
        for step in found {
            match &step.label {
                // By its name alone it would be the event that others take part in.
                StepLabel::Event { family, shared: false, .. } => {
                    specialised(
                        step.clone(),
                        self.events.joint.get(family).into_iter(),
                        &mut steps,
                    );
                }
                _ => steps.push(step),
            }
        }
        steps.retain(|step| step.guard != Expr::FALSE);
        for step in &mut steps {
            // It is never made, so that what would follow need not be unfolded: that may have no end.
            if self.terms.always_fails(&step.guard) {
                step.target = Term::Stop;
            }
        }
        let some_atomic = steps.iter().any(|step| step.atomic);
        let mut edges = Vec::with_capacity(steps.len());
        let mut scratch = 0;
        for step in steps {
            let first = settle(&step.target);
            let second = settle(&self.terms.head(&first.term, 0)?);
            let left = self.terms.alike(&second.term);
            // The second one numbers the cells of the first anew.
            let cells: Vec<Expr> = second
                .cells
                .iter()
                .map(|cell| {
                    let at = as_cell(cell).expect("only cells are left").index();
                    before(&first.cells[at], &step.communication)
                })
                .collect();
            self.bounded(template, &left, &cells)?;
            let after = u32::try_from(cells.len()).expect("bounded");
            let target = self.location(template, &left, after);
            let (effect, used) = effect(&step, &cells, cells_before);
            scratch = scratch.max(used);
            let name = self.terms.name_of(model, &step);
            edges.push(Edge {
                target: Target::Location(target),
                guard: step.guard,
                rank: u8::from(some_atomic && !step.atomic),
                hold: false,
                label: self.label(model, template, &step.label),
                communication: step.communication,
                annotation: step.annotation,
                effect,
                name,
                span: Some(step.span),
            });
        }
        Ok(Made { edges, scratch, atomic: some_atomic })
    }

    fn bounded(&self, template: TemplateId, term: &Term, cells: &[Expr]) -> Result<(), Stuck> {
        let automaton = &self.automata[template.index()];
        let grows = |what: &str| Stuck::Growth(self.terms.growth(term, what));
        if term.size(MAX_SIZE) >= MAX_SIZE {
            return Err(grows("becomes longer and longer"));
        }
        let most = if automaton.open { OPEN_CELLS } else { SCRATCH };
        if cells.len() > most as usize {
            return Err(grows("remembers more and more values"));
        }
        if automaton.terms.len() >= MAX_LOCATIONS || automaton.total >= MAX_TOTAL {
            return Err(grows("takes more and more forms"));
        }
        Ok(())
    }

    fn label(&mut self, model: &Model, template: TemplateId, label: &StepLabel) -> Label {
        let automaton = &self.automata[template.index()];
        match label {
            StepLabel::Tick => Label::Event(self.events.tick.expect("made before all processes")),
            StepLabel::Internal(_) => Label::Event(automaton.tau),
            StepLabel::Message(_) => Label::Message,
            StepLabel::Joint(channel, values) => Label::Data {
                family: model.channels[*channel as usize].name.clone(),
                values: values.clone(),
            },
            StepLabel::Never => Label::Event(automaton.tau),
            StepLabel::Event { family, values, shared } => {
                let word = self.terms.specification.events[family.index()].clone();
                let Some(event) = known(*family, values) else {
                    return Label::Data { family: word, values: values.clone() };
                };
                let hiding = automaton
                    .hidings
                    .iter()
                    .find(|(_, set)| self.terms.sets.get(*set).contains(&event));
                let scope = hiding.map_or(Scope::World, |&(at, _)| Scope::Hiding(at));
                if let Some(&id) = self.events.ids.get(&(scope, event.clone(), *shared)) {
                    return Label::Event(id);
                }
                // While the model is searched, no event can be added to it; its name will do, since
                // those that others take part in have been made before.
                if automaton.open {
                    return match scope {
                        Scope::World => Label::Data { family: word, values: values.clone() },
                        Scope::Hiding(_) => Label::Event(automaton.tau),
                    };
                }
                let kind = match scope {
                    Scope::World => EventKind::Visible,
                    Scope::Hiding(_) => EventKind::Internal,
                };
                // No process takes part in it, so one id is enough.
                let other = (scope, event.clone(), !shared);
                let id = match self.events.ids.get(&other) {
                    Some(&id) => id,
                    None => {
                        let id = EventId::from_index(model.events.len() + self.named.len());
                        let name = event.name(&self.terms.specification);
                        self.named.push(Event { name, kind });
                        id
                    }
                };
                self.events.ids.insert((scope, event, *shared), id);
                Label::Event(id)
            }
        }
    }
}

impl Unfold for Unfolder {
    fn unfold(
        &mut self,
        model: &Model,
        template: TemplateId,
        location: LocationId,
    ) -> Result<Unfolded, Growth> {
        match self.edges(model, template, location) {
            Ok(Made { mut edges, scratch, atomic }) => {
                let locals = &model.templates[template.index()].locals;
                let of = |storage| locals.iter().filter(|local| local.storage == storage).count();
                // The last of them is the one that nothing can be assigned to.
                if scratch as usize >= of(Storage::Scratch) {
                    let term = &self.automata[template.index()].terms[location.index()];
                    return Err(self.terms.growth(term, "needs too many values for one step"));
                }
                let cells = u32::try_from(of(Storage::State)).expect("few");
                let last = Cell::from_index(locals.len() - 1);
                edges.iter_mut().for_each(|edge| renumber(edge, cells, last));
                let locations = std::mem::take(&mut self.automata[template.index()].made);
                Ok(Unfolded { edges, atomic, locations })
            }
            Err(Stuck::Growth(growth)) => Err(growth),
            Err(Stuck::Failed(trouble)) => {
                Err(Growth { message: trouble.message, span: Some(trouble.span) })
            }
        }
    }
}

/// Puts the cells that live for one step directly behind those of the state; the last of all is [`LIMIT`].
fn renumber(edge: &mut Edge, cells: u32, last: Cell) {
    let leaf: Leaf<'_> = &mut |leaf| {
        as_cell(leaf).filter(|cell| cell.0 >= SCRATCH).map(|cell| match cell {
            LIMIT => Expr::local(last),
            cell => Expr::local(Cell(cell.0 - SCRATCH + cells)),
        })
    };
    // Guards, labels and messages are evaluated before the step, where those cells have no value.
    for statement in &mut edge.effect {
        *statement = replaced(statement, leaf);
    }
}

/// The edges of a location.
struct Made {
    edges: Vec<Edge>,
    /// How many cells for one step they use.
    scratch: u32,
    /// Whether some of them are inside `atomic`.
    atomic: bool,
}

/// Why a term has no edges.
enum Stuck {
    Growth(Growth),
    Failed(LowerError),
}

impl From<LowerError> for Stuck {
    fn from(trouble: LowerError) -> Self {
        Stuck::Failed(trouble)
    }
}

/// The program of a step, and what its target's cells get; with the number of cells for one step.
fn effect(step: &Step, cells: &[Expr], before: u32) -> (Vec<Statement>, u32) {
    let mut scratch = step.scratch;
    let mut first = Vec::new();
    let mut updates: Vec<(Place, Expr)> = Vec::new();
    for (at, expr) in cells.iter().enumerate() {
        let cell = Cell::from_index(at);
        if as_cell(expr) == Some(cell) {
            continue;
        }
        let stays = matches!(expr, Expr::Const(_) | Expr::Received(_)) || as_cell(expr).is_some();
        // A program may change what the value is made of.
        if step.program.is_empty() || stays {
            updates.push((Place::local(cell), expr.clone()));
        } else {
            let kept = Cell(SCRATCH + scratch);
            scratch += 1;
            first.push((Place::local(kept), expr.clone()));
            updates.push((Place::local(cell), Expr::local(kept)));
        }
    }
    // Cells that are no longer used are the same in all states.
    let after = u32::try_from(cells.len()).expect("few");
    updates.extend((after..before).map(|at| (Place::local(Cell(at)), Expr::Const(0))));
    let mut effect = Vec::new();
    if !first.is_empty() {
        effect.push(Statement::new(StatementKind::Assign(first)));
    }
    effect.extend(step.program.iter().cloned());
    if !updates.is_empty() {
        effect.push(Statement::new(StatementKind::Assign(updates)));
    }
    (effect, scratch)
}

impl Terms {
    /// Where the first part of a term is written.
    fn span_of(&self, term: &Term) -> Option<Span> {
        let mut term = term;
        loop {
            term = match term {
                Term::Stop | Term::Skip | Term::Done => return None,
                Term::Node(node, _) => return Some(self.specification.node(*node).span),
                Term::Sequence(first, _) | Term::Interrupt(first, _) => first,
                Term::External(terms) | Term::Interleave(terms) => terms.first()?,
                Term::Parallel(terms) => &terms.first()?.0,
                Term::Hide(inner, _) | Term::Atomic(inner) => inner,
            };
        }
    }

    /// A step as it is shown.
    fn name_of(&self, model: &Model, step: &Step) -> String {
        let channel = |id: crate::csp::syntax::ChannelId| {
            self.specification.channels[id.index()].name.text.clone()
        };
        match &step.label {
            StepLabel::Tick => "terminate".to_owned(),
            StepLabel::Internal(None) => "τ".to_owned(),
            StepLabel::Internal(Some(name)) => format!("τ({name})"),
            StepLabel::Event { family, values, .. } => match known(*family, values) {
                Some(event) => event.name(&self.specification),
                None => self.specification.events[family.index()].clone(),
            },
            StepLabel::Message(id) => match step.communication {
                Communication::Send { .. } => format!("{}!", channel(*id)),
                _ => format!("{}?", channel(*id)),
            },
            StepLabel::Joint(number, _) => model.channels[*number as usize].name.clone(),
            StepLabel::Never => "fault".to_owned(),
        }
    }

    /// Description of a term that grows: the definition that most of it comes from.
    fn growth(&self, term: &Term, what: &str) -> Growth {
        let mut counts: Vec<usize> = vec![0; self.specification.definitions.len()];
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            match term {
                Term::Stop | Term::Skip | Term::Done => {}
                Term::Node(node, _) => {
                    let span = self.specification.node(*node).span;
                    let inside = |definition: &crate::csp::syntax::Definition| {
                        definition.span.start <= span.start && span.end <= definition.span.end
                    };
                    if let Some(at) = self.specification.definitions.iter().position(inside) {
                        counts[at] += 1;
                    }
                }
                Term::Sequence(a, b) | Term::Interrupt(a, b) => open.extend([&**a, &**b]),
                Term::External(terms) | Term::Interleave(terms) => {
                    open.extend(terms.iter().map(|term| &**term));
                }
                Term::Parallel(terms) => open.extend(terms.iter().map(|(term, _)| &**term)),
                Term::Hide(term, _) | Term::Atomic(term) => open.push(term),
            }
        }
        let most = (0..counts.len()).max_by_key(|&at| (counts[at], std::cmp::Reverse(at)));
        let definition = most.map(|at| &self.specification.definitions[at]);
        Growth {
            message: format!(
                "the process {what} each time it comes back to `{}`",
                definition.map_or("?", |definition| &definition.name.text)
            ),
            span: definition.map(|definition| definition.name.span),
        }
    }
}
