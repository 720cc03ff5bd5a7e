//! Footprints against the interpreter: a step changes only what its edges are said to write, and
//! steps that are said not to disturb each other can be swapped and neither enable nor disable each
//! other.

use fairly_explore::Explored;
use fairly_model::{
    Access, ChannelId, Footprint, Footprints, LocalId, LocationId, Model, ModelSpace, Owner,
    SlotId, TemplateId, VariableId, text,
};
use fairly_omega::StateId;
use fairly_system::{ActionId, Transition, TransitionSystem};
use fairly_testkit::Rng;

use fairly_modelkit::{Shape, cases, first_seed, random_model};

/// How many states of a model are looked at.
const STATES: usize = 60;

/// The template, the location and the position of the edge as its name.
fn number_edges(model: &mut Model) {
    for (template, it) in model.templates.iter_mut().enumerate() {
        for (location, it) in it.locations.iter_mut().enumerate() {
            for (edge, it) in it.edges.iter_mut().flatten().enumerate() {
                it.name = format!("{template} {location} {edge}");
            }
        }
    }
}

/// Each participant of an action with the footprint of its edge.
fn parts(
    system: &Explored<ModelSpace>,
    footprints: &Footprints<'_>,
    action: ActionId,
) -> Vec<(SlotId, Footprint)> {
    let moves = system.action(action).moves.iter();
    let part = |id: &fairly_system::MoveId| {
        let it = &system.signature().moves[id.index()];
        let numbers: Vec<u32> =
            it.name.split(' ').map(|number| number.parse().expect("a number")).collect();
        let [template, location, edge] = numbers[..] else { panic!("{}", it.name) };
        let footprint = footprints.edge(TemplateId(template), LocationId(location), edge as usize);
        (SlotId(it.process.0), footprint)
    };
    moves.map(part).collect()
}

/// Differences of two states.
fn changes(system: &Explored<ModelSpace>, before: StateId, after: StateId) -> Vec<Access> {
    let layout = system.space().layout();
    let unpacked = |state| {
        let mut cells = vec![0; layout.cells];
        layout.unpack(&system.row(state), &mut cells);
        cells
    };
    let (old, new) = (unpacked(before), unpacked(after));
    let differs = |cell: usize| cell < layout.state_cells && old[cell] != new[cell];
    let mut found = Vec::new();
    for (at, strip) in (0..).map(VariableId).zip(&layout.variables) {
        let elements = strip.cells().enumerate().filter(|&(_, cell)| differs(cell));
        found.extend(elements.map(|(element, _)| Access::Global(at, Some(element as u32))));
    }
    for (at, channel) in (0..).map(ChannelId).zip(&layout.channels) {
        let mut strips = channel.columns.iter().chain([&channel.length]);
        if strips.any(|strip| strip.cells().any(differs)) {
            found.push(Access::Channel(Some(at)));
        }
    }
    for (at, slot) in (0..).map(SlotId).zip(&layout.slots) {
        let owner = Owner::Slot(at);
        let kind = layout.variant(&new, at.index());
        if layout.variant(&old, at.index()) != kind {
            found.push(Access::Running(owner));
            continue;
        }
        if slot.location.cells().any(differs) {
            found.push(Access::Control(owner));
        }
        let Some(variant) = kind.map(|kind| &slot.variants[kind]) else { continue };
        for (local, strip) in (0..).map(LocalId).zip(&variant.locals) {
            let template = variant.template;
            let elements = strip.cells().enumerate().filter(|&(_, cell)| differs(cell));
            found.extend(elements.map(|(element, _)| {
                let element = Some(element as u32);
                Access::Local { owner, template, local, element }
            }));
        }
    }
    if layout.holder.is_some_and(|strip| strip.cells().any(differs)) {
        found.push(Access::Holder);
    }
    if layout.last_mover.is_some_and(|strip| strip.cells().any(differs)) {
        found.push(Access::LastMover);
    }
    found
}

/// A step that ends in no fault, with its parts.
struct Step {
    action: ActionId,
    target: StateId,
    parts: Vec<(SlotId, Footprint)>,
}

impl Step {
    fn disturbs(&self, other: &Step) -> bool {
        self.parts.iter().any(|(own, ours)| {
            other.parts.iter().any(|(its, theirs)| own == its || ours.disturbs(*own, theirs, *its))
        })
    }
}

fn steps(
    system: &mut Explored<ModelSpace>,
    footprints: &Footprints<'_>,
    state: StateId,
) -> Vec<Step> {
    let mut out: Vec<Transition> = Vec::new();
    system.enabled(state, &mut out);
    out.retain(|step| system.fault(step.target).is_none());
    let step = |Transition { target, action }| Step {
        action,
        target,
        parts: parts(system, footprints, action),
    };
    out.into_iter().map(step).collect()
}

fn check(model: &Model, case: &str) -> (usize, usize) {
    let footprints = Footprints::new(model);
    let mut system = Explored::new(ModelSpace::new(model.clone(), None));
    let mut todo = system.initial();
    let (mut at, mut changed, mut swapped) = (0, 0, 0);
    while at < todo.len().min(STATES) {
        let state = todo[at];
        at += 1;
        let here = steps(&mut system, &footprints, state);
        for step in &here {
            if !todo.contains(&step.target) {
                todo.push(step.target);
            }
            for change in changes(&system, state, step.target) {
                changed += 1;
                let told = step.parts.iter().any(|(own, footprint)| {
                    footprint.writes.iter().any(|write| write.meets(*own, change, *own))
                });
                assert!(told, "{case}: {change} is changed by {:?}", step.parts);
            }
        }
        for one in &here {
            let after = steps(&mut system, &footprints, one.target);
            for two in after.iter().filter(|two| !one.disturbs(two)) {
                // The same event may be taken by the same edges in several ways.
                let same = |other: &&Step| other.action == two.action;
                let Some(before) = here.iter().find(same) else {
                    panic!("{case}: {:?} enables {:?}", one.parts, two.parts);
                };
                let swap = steps(&mut system, &footprints, before.target);
                let meets = |last: &Step| last.action == one.action && last.target == two.target;
                assert!(swap.iter().any(meets), "{case}: {:?} and {:?}", one.parts, two.parts);
                swapped += 1;
            }
            for two in here.iter().filter(|two| !one.disturbs(two)) {
                let still = after.iter().any(|later| later.action == two.action);
                assert!(still, "{case}: {:?} disables {:?}", one.parts, two.parts);
            }
        }
    }
    (changed, swapped)
}

#[test]
fn random_models() {
    let first = first_seed(1);
    let (mut changed, mut swapped) = (0, 0);
    for seed in first..first + cases(400) {
        let rng = &mut Rng::new(seed);
        let shape = Shape {
            atomic: rng.chance(1, 3),
            last_mover: rng.chance(1, 3),
            timeout: rng.chance(1, 3),
            variables: 3,
            ..Shape::default()
        };
        let mut model = random_model(rng, &shape);
        number_edges(&mut model);
        let case = format!("seed {seed}\n{}", text::print(&model));
        let (more, pairs) = check(&model, &case);
        (changed, swapped) = (changed + more, swapped + pairs);
    }
    // Were everything said to disturb everything, nothing would have been tested.
    assert!(changed > 1000 && swapped > 1000 || cases(400) < 400, "{changed}, {swapped}");
}
