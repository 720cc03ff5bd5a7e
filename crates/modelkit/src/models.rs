//! Random models: small, finite, with every feature of the representation now and then.

use fairly_model::{
    Atomicity, Channel, Communication, Edge, Exit, Expr, Gathering, Kind, Label, Location,
    LocationId, Model, Order, Overflow, Part, Pick, Range, Shown, Slot, SlotId, Storage, Target,
    Template, TemplateId, Variable, WhenFull,
};
use fairly_source::Span;
use fairly_system::{Annotation, EventId, EventKind};
use fairly_testkit::Rng;

use super::expressions::{Context, Position};

/// How large a random model is, and what may be in it.
#[derive(Clone, Debug)]
pub struct Shape {
    /// At most so many variables of the model; as many of a template.
    pub variables: usize,
    /// At most so many channels.
    pub channels: usize,
    /// At most so many templates, at least one.
    pub templates: usize,
    /// At most so many locations of a template, at least one.
    pub locations: usize,
    /// At most so many edges of a location.
    pub edges: usize,
    /// At most so many slots, at least one.
    pub slots: usize,
    /// How deep expressions are nested.
    pub depth: u32,
    /// Whether guards may read [`Expr::Timeout`].
    pub timeout: bool,
    /// Whether [`Expr::LastMover`] may be read, which makes the states remember it.
    pub last_mover: bool,
    /// Whether variables of other processes may be read.
    pub remote: bool,
    /// Whether there are atomic locations.
    pub atomic: bool,
    /// Whether there are places in a source and names that need quotes.
    pub decorated: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Shape {
            variables: 2,
            channels: 2,
            templates: 2,
            locations: 3,
            edges: 3,
            slots: 3,
            depth: 2,
            timeout: true,
            last_mover: true,
            remote: true,
            atomic: true,
            decorated: true,
        }
    }
}

/// A model of this shape, which the verifier accepts. It may fault when it runs, though mostly it
/// does not at once.
pub fn random_model(rng: &mut Rng, shape: &Shape) -> Model {
    let mut model = Model::new();
    model.atomicity = *rng.pick(&[Atomicity::Priority, Atomicity::Exclusive]);
    model.exit = *rng.pick(&[Exit::Any, Exit::LastFirst]);
    for at in 0..rng.below(shape.variables + 1) {
        model.variables.push(variable(rng, shape, &format!("x{at}")));
    }
    for at in 0..rng.below(shape.channels + 1) {
        model.channels.push(channel(rng, shape, at));
    }
    let kinds = [EventKind::Visible, EventKind::Visible, EventKind::Internal];
    for at in 0..2 + rng.below(3) {
        let kind = *rng.pick(&kinds);
        model.add_event(name(rng, shape, &format!("a.{at}")), kind);
    }
    if rng.chance(1, 3) {
        model.add_event("terminate", EventKind::Termination);
    }
    for at in 0..1 + rng.below(shape.templates) {
        model.templates.push(template(rng, shape, at));
    }
    for at in 0..1 + rng.below(shape.slots) {
        let slot = slot(rng, shape, &model, at);
        model.slots.push(slot);
    }
    owners(rng, &mut model);
    gatherings(rng, &mut model);
    fill(rng, shape, &mut model);
    let context =
        Context { model: &model, shape, template: None, place: Position::Proposition, received: 0 };
    let propositions = (0..rng.below(3))
        .map(|at| (name(rng, shape, &format!("p{at}")), context.condition(rng, shape.depth)));
    model.propositions = propositions.collect();
    model
}

/// A place in a source, in some models.
pub(crate) fn span(rng: &mut Rng, shape: &Shape) -> Option<Span> {
    let start = rng.below(1000);
    (shape.decorated && rng.chance(1, 3)).then(|| Span::new(start, start + rng.below(50)))
}

/// The name, in some models with characters that need quotes.
fn name(rng: &mut Rng, shape: &Shape, plain: &str) -> String {
    const TAILS: [&str; 8] = ["", "", "", "", " \"x\"", "\\\n", "[é]", "->"];
    let tail = if shape.decorated { *rng.pick(&TAILS) } else { "" };
    format!("{plain}{tail}")
}

fn range(rng: &mut Rng) -> (Range, Overflow) {
    match rng.below(4) {
        0 => (Range::new(0, 1), Overflow::Wrap),
        1 => (Range::new(-2, 1), Overflow::Wrap),
        2 => (Range::BOOL, if rng.chance(1, 3) { Overflow::Limit } else { Overflow::Fault }),
        _ => {
            let low = rng.below(3) as i64 - 1;
            (Range::new(low, low + 1 + rng.below(2) as i64), Overflow::Fault)
        }
    }
}

fn within(rng: &mut Rng, range: Range) -> i64 {
    let size = range.high - range.low + 1;
    range.low + rng.below(size as usize) as i64
}

fn variable(rng: &mut Rng, shape: &Shape, plain: &str) -> Variable {
    let (range, overflow) = range(rng);
    let length = rng.chance(1, 4).then(|| 1 + rng.below(3) as u32);
    let initial = (0..length.unwrap_or(1)).map(|_| within(rng, range)).collect();
    Variable {
        name: name(rng, shape, plain),
        range,
        overflow,
        length,
        count: None,
        initial,
        storage: Storage::State,
        shown: shown(range, length),
        span: span(rng, shape),
    }
}

/// Meanings of numbers, which must make no difference to the behaviour of a model. It takes nothing from the
/// generator, so that the models of a seed stay the same.
fn kind(range: Range) -> Kind {
    match range.high.rem_euclid(5) {
        0 => Kind::Truth,
        1 => Kind::Named(["red", "green light"].map(str::to_owned).into()),
        2 => Kind::Channel,
        _ => Kind::Number,
    }
}

fn shown(range: Range, length: Option<u32>) -> Shown {
    let part = |name: &str, lengths: Vec<u32>| Part { name: name.to_owned(), lengths };
    let parts = match length {
        _ if range.low % 2 == 0 => Vec::new(),
        Some(length) => vec![part("all", vec![1]), part("each", vec![length])],
        None => vec![part("record", Vec::new()), part("a field", Vec::new())],
    };
    Shown { kind: kind(range), parts }
}

fn channel(rng: &mut Rng, shape: &Shape, at: usize) -> Channel {
    let capacity = rng.below(3) as u32;
    let cells: Vec<(Range, Overflow)> = (0..rng.below(3)).map(|_| range(rng)).collect();
    let lose = capacity > 0 && rng.chance(1, 4);
    Channel {
        name: name(rng, shape, &format!("c{at}")),
        capacity,
        kinds: if capacity == 1 {
            Vec::new()
        } else {
            cells.iter().map(|&(it, _)| kind(it)).collect()
        },
        cells,
        when_full: if lose { WhenFull::Lose } else { WhenFull::Wait },
        owner: None,
        span: span(rng, shape),
    }
}

/// A template without its edges.
fn template(rng: &mut Rng, shape: &Shape, at: usize) -> Template {
    let mut locals = Vec::new();
    let parameters = rng.below(2) as u32;
    for parameter in 0..parameters {
        let plain = format!("i{parameter}");
        let mut parameter = variable(rng, shape, &plain);
        parameter.length = None;
        parameter.initial.truncate(1);
        locals.push(parameter);
    }
    for local in 0..rng.below(shape.variables + 1) {
        let mut local = variable(rng, shape, &format!("y{local}"));
        if rng.chance(1, 3) {
            local.storage = Storage::Scratch;
        }
        locals.push(local);
    }
    // The counter of loops has a name by which the statements know to leave it alone.
    if rng.chance(1, 2) {
        let mut counter = Variable::scalar("loop", Range::new(0, 7), 0);
        counter.storage = Storage::Scratch;
        locals.push(counter);
    }
    let location = |(at, rng): (usize, &mut Rng)| Location {
        name: name(rng, shape, &format!("s{at}")),
        edges: Some(Vec::new()),
        atomic: shape.atomic && rng.chance(1, 5),
        may_end: rng.chance(1, 4),
        labels: (0..rng.below(2)).map(|label| name(rng, shape, &format!("m{label}"))).collect(),
        span: span(rng, shape),
    };
    let count = 1 + rng.below(shape.locations);
    let locations = (0..count).map(|at| location((at, &mut *rng))).collect();
    Template {
        name: name(rng, shape, &format!("T{at}")),
        locals,
        parameters,
        locations,
        start: Vec::new(),
        span: span(rng, shape),
    }
}

fn slot(rng: &mut Rng, shape: &Shape, model: &Model, at: usize) -> Slot {
    let all: Vec<TemplateId> = (0..model.templates.len()).map(TemplateId::from_index).collect();
    let first = *rng.pick(&all);
    let more = all.into_iter().filter(|&other| other != first && rng.chance(1, 3));
    let mut templates: Vec<TemplateId> = more.collect();
    templates.insert(0, first);
    let started = at == 0 || rng.chance(3, 4);
    let start = started.then(|| {
        let kind = *rng.pick(&templates);
        let template = model.template(kind);
        let parameters = &template.locals[..template.parameters as usize];
        (kind, parameters.iter().map(|local| within(rng, local.range)).collect())
    });
    let mut renamed = Vec::new();
    if rng.chance(1, 4) {
        renamed.push((name(rng, shape, "d.1"), event(rng, model)));
    }
    if rng.chance(1, 4) {
        renamed.push(("c0!1".to_owned(), event(rng, model)));
    }
    Slot { name: name(rng, shape, &format!("P{at}")), templates, start, renamed }
}

/// Gives some channels to processes.
fn owners(rng: &mut Rng, model: &mut Model) {
    for channel in &mut model.channels {
        if rng.chance(1, 4) {
            let slot = rng.below(model.slots.len());
            let template = *rng.pick(&model.slots[slot].templates);
            channel.owner = Some((SlotId::from_index(slot), template));
        }
    }
}

fn event(rng: &mut Rng, model: &Model) -> EventId {
    EventId::from_index(1 + rng.below(model.events.len() - 1))
}

fn gatherings(rng: &mut Rng, model: &mut Model) {
    for event in 1..model.events.len() {
        if rng.chance(1, 2) {
            continue;
        }
        let slots = (0..model.slots.len()).map(SlotId::from_index);
        let mut slots: Vec<SlotId> = slots.filter(|_| rng.chance(3, 4)).collect();
        if let Some(gathering) = gathering(rng, &mut slots, 3) {
            model.gatherings.push((EventId::from_index(event), gathering));
        }
    }
}

/// All of the slots, each once, one within the other up to `depth` deep.
fn gathering(rng: &mut Rng, slots: &mut Vec<SlotId>, depth: u32) -> Option<Gathering> {
    if slots.len() <= 1 || depth == 0 {
        return slots.pop().map(Gathering::Slot);
    }
    let mut parts = Vec::new();
    while !slots.is_empty() {
        let mut some = slots.split_off(slots.len() - 1 - rng.below(slots.len()));
        parts.extend(gathering(rng, &mut some, depth - 1));
    }
    Some(if rng.chance(1, 2) { Gathering::All(parts) } else { Gathering::One(parts) })
}

/// Gives all locations their edges.
fn fill(rng: &mut Rng, shape: &Shape, model: &mut Model) {
    for template in (0..model.templates.len()).map(TemplateId::from_index) {
        for location in 0..model.template(template).locations.len() {
            let edges = (0..rng.below(shape.edges + 1)).map(|_| edge(rng, shape, model, template));
            let edges: Vec<Edge> = edges.collect();
            model.templates[template.index()].locations[location].edges = Some(edges);
        }
        if rng.chance(1, 4) {
            let place = Position::Start;
            let first = Context { model, shape, template: Some(template), place, received: 0 };
            let start = first.statements(rng, 2, 1);
            model.templates[template.index()].start = start;
        }
    }
}

fn edge(rng: &mut Rng, shape: &Shape, model: &Model, template: TemplateId) -> Edge {
    let at = |place, received| Context { model, shape, template: Some(template), place, received };
    let outside = at(Position::Communication, 0);
    let channel = if rng.chance(1, 2) { outside.channel(rng, |_| true) } else { None };
    let mut received = 0;
    let communication = match channel {
        None => Communication::None,
        Some(channel) if rng.chance(1, 2) => Communication::Send {
            channel: outside.channel_number(rng, channel),
            message: outside.message(rng, channel),
            order: if rng.chance(2, 3) { Order::Fifo } else { Order::Sorted },
        },
        Some(channel) => {
            let buffered = model.channels[channel.index()].capacity > 0;
            received = model.channels[channel.index()].cells.len() as u32;
            Communication::Receive {
                channel: outside.channel_number(rng, channel),
                pattern: outside.pattern(rng, channel, 1),
                pick: if buffered && rng.chance(1, 3) { Pick::First } else { Pick::Head },
                keep: buffered && rng.chance(1, 4),
            }
        }
    };
    let silent = communication == Communication::None;
    let label = match rng.below(4) {
        0 => Label::Data {
            family: name(rng, shape, "d"),
            values: (0..rng.below(3)).map(|_| outside.expr(rng, 1)).collect(),
        },
        1 | 2 if !silent => Label::Message,
        _ => {
            let all = (1..model.events.len()).map(EventId::from_index);
            let gathered = |event| model.gatherings.iter().any(|&(other, _)| other == event);
            let all: Vec<EventId> = all.filter(|&event| silent || !gathered(event)).collect();
            match all.is_empty() {
                true => Label::Message,
                false => Label::Event(*rng.pick(&all)),
            }
        }
    };
    let guard = at(Position::Guard, received);
    let effect = at(Position::Effect, received);
    let locations = model.template(template).locations.len();
    Edge {
        target: match rng.below(10) {
            0 => Target::Exit,
            _ => Target::Location(LocationId::from_index(rng.below(locations))),
        },
        guard: match shape.timeout && rng.chance(1, 10) {
            true => Expr::Timeout,
            false => guard.condition(rng, shape.depth),
        },
        rank: rng.below(5).saturating_sub(3) as u8,
        hold: shape.atomic && rng.chance(1, 4),
        communication,
        label,
        annotation: rng.chance(1, 5).then(|| *rng.pick(&Annotation::ALL)),
        effect: effect.statements(rng, 2, 2),
        name: name(rng, shape, "do"),
        span: span(rng, shape),
    }
}

/// A random model of a random shape; half of them are made livelier.
pub fn lively_model(rng: &mut Rng) -> Model {
    let shape = Shape {
        timeout: rng.chance(1, 2),
        last_mover: rng.chance(1, 3),
        atomic: rng.chance(1, 2),
        edges: 2 + rng.below(3),
        slots: 2 + rng.below(3),
        ..Shape::default()
    };
    let mut model = random_model(rng, &shape);
    if rng.chance(1, 2) {
        enliven(rng, &mut model);
    }
    model
}

/// Makes a random model livelier: fewer guards and faults, more room in channels, and more events
/// that are gathered although their edges communicate, which only a renaming can bring about.
fn enliven(rng: &mut Rng, model: &mut Model) {
    let gathered = model.gatherings.first().map(|&(event, _)| event).filter(|_| rng.chance(1, 3));
    for channel in model.channels.iter_mut().filter(|channel| channel.capacity > 0) {
        channel.capacity += 1;
    }
    let locations = model.templates.iter_mut().flat_map(|template| &mut template.locations);
    for edge in locations.filter_map(|location| location.edges.as_mut()).flatten() {
        if rng.chance(2, 3) {
            edge.guard = Expr::TRUE;
        }
        if rng.chance(1, 2) {
            edge.effect.clear();
        }
        if rng.chance(1, 2) {
            edge.rank = 0;
        }
        if gathered.is_some() && rng.chance(1, 2) {
            edge.label = Label::Data { family: "d".to_owned(), values: vec![Expr::Const(1)] };
        }
    }
    if let Some(event) = gathered {
        for slot in &mut model.slots {
            slot.renamed = vec![("d.1".to_owned(), event)];
        }
    }
}
