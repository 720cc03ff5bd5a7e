//! Every rule of the verifier has a model that breaks this rule and no other.

use std::collections::BTreeSet;

use fairly_model::{
    AnyVariable, ChannelQuery, Communication, Edge, Expr, Gathering, Label, LocalId, LocationId,
    Model, ModelErrorKind, NESTING, Overflow, Pattern, Pick, Place, Range, SlotId, Statement,
    StatementKind, Storage, Target, TemplateId, UnaryOp, VariableId, WhenFull, text, verify,
    verify_open,
};
use fairly_system::{EventId, EventKind};
use fairly_testkit::Rng;

use fairly_modelkit::{Shape, cases, first_seed, random_model};

/// A sound model to break: `a` is gathered, `b` is not; the edge 0 of `T` does nothing, the edge 1
/// sends and the edge 2 receives on a channel with two cells.
const SOUND: &str = "
model atomicity priority, exit any
event e0 idle : idle
event e1 a : visible
event e2 b : visible
gather e1 : all(p0, p1)
variable g0 x : 0..3 = 0
variable g1 array[2] : wrap 0..3 = 0, 1
channel c0 c capacity 1 : (0..1, wrap 0..3)
channel c1 meet capacity 0 : ()
template t0 T parameters 1 {
  local l0 i : 0..1 = 0
  local l1 j : 0..1 = 0
  local l2 tmp : scratch 0..1 = 0
  location q0 s {
    -> q0 on e2 do { skip } as nothing
    -> q1 send 0 (1, 2) on message as send
    -> q1 receive 0 (_, 2) on message do { skip } as receive
  }
  location q1 t {}
}
template t1 U parameters 0 {
  location q0 s {}
}
slot p0 P : t0, t1 start t0(1)
slot p1 Q : t1 start t1() rename d.1 to e2
proposition p : g0 == 0
proposition q : 1
";

fn edge(model: &mut Model, at: usize) -> &mut Edge {
    &mut model.templates[0].locations[0].edges.as_mut().expect("edges")[at]
}

fn doing(model: &mut Model, kind: StatementKind) {
    edge(model, 0).effect = vec![Statement::new(kind)];
}

fn assigning(model: &mut Model, variable: AnyVariable, index: Option<Expr>) {
    let place = Place { variable, index: index.map(Box::new) };
    doing(model, StatementKind::Assign(vec![(place, Expr::Const(0))]));
}

fn remote(template: u32, local: u32) -> AnyVariable {
    let (template, local) = (TemplateId(template), LocalId(local));
    AnyVariable::Remote { slot: Box::new(Expr::Own), template, local }
}

fn load(variable: AnyVariable, index: Option<Expr>) -> Expr {
    Expr::Load(Place { variable, index: index.map(Box::new) })
}

fn asserting(condition: Expr) -> Statement {
    Statement::new(StatementKind::Assert {
        condition,
        message: String::new(),
        kind: fairly_system::FaultKind::Error,
    })
}

fn deep(levels: u32) -> Expr {
    (1..levels).fold(Expr::Const(1), |inner, _| Expr::unary(UnaryOp::Not, inner))
}

type Break = fn(&mut Model);

/// A change that breaks each rule.
fn broken() -> Vec<(ModelErrorKind, Break)> {
    let mut all = tables();
    all.extend(processes());
    all.extend(around());
    all
}

fn tables() -> Vec<(ModelErrorKind, Break)> {
    use ModelErrorKind as F;
    vec![
        (F::MissingIdle, |m| m.events[0].name = "tick".to_owned()),
        (F::MissingIdle, |m| m.events[0].kind = EventKind::Visible),
        (F::SecondIdle, |m| m.events[2].kind = EventKind::Idle),
        (F::UnknownVariable, |m| edge(m, 0).guard = Expr::global(VariableId(2))),
        (F::UnknownVariable, |m| assigning(m, AnyVariable::Global(VariableId(9)), None)),
        (F::UnknownVariable, |m| m.propositions[0].1 = Expr::global(VariableId(2))),
        (F::UnknownLocal, |m| edge(m, 0).guard = Expr::local(LocalId(3))),
        (F::UnknownLocal, |m| edge(m, 0).guard = load(remote(1, 0), None)),
        (F::UnknownTemplate, |m| edge(m, 0).guard = load(remote(2, 0), None)),
        (F::UnknownTemplate, |m| {
            let template = TemplateId(2);
            let slot = Box::new(Expr::Const(0));
            m.propositions[0].1 = Expr::At { slot, template, locations: vec![LocationId(7)] };
        }),
        (F::UnknownTemplate, |m| {
            let template = TemplateId(2);
            doing(m, StatementKind::Start { template, arguments: vec![], slot: None });
        }),
        (F::UnknownTemplate, |m| m.slots[1].templates.push(TemplateId(2))),
        (F::UnknownLocation, |m| edge(m, 0).target = Target::Location(LocationId(2))),
        (F::UnknownLocation, |m| {
            let (slot, template) = (Box::new(Expr::Const(0)), TemplateId(1));
            m.propositions[0].1 = Expr::At { slot, template, locations: vec![LocationId(1)] };
        }),
        (F::UnknownSlot, |m| m.gatherings[0].1 = Gathering::Slot(SlotId(2))),
        (F::UnknownEvent, |m| edge(m, 0).label = Label::Event(EventId(3))),
        (F::UnknownEvent, |m| m.slots[1].renamed[0].1 = EventId(3)),
        (F::UnknownEvent, |m| m.gatherings[0].0 = EventId(3)),
        (F::UnknownChannel, |m| {
            edge(m, 0).guard = Expr::Channel(ChannelQuery::Full, Box::new(Expr::Const(2)));
        }),
        (F::UnknownChannel, |m| {
            edge(m, 0).guard = Expr::Channel(ChannelQuery::Full, Box::new(Expr::Const(-1)));
        }),
        (F::TooDeep, |m| edge(m, 0).guard = deep(NESTING + 1)),
        (F::TooDeep, |m| edge(m, 0).effect = vec![asserting(deep(NESTING))]),
        (F::TooDeep, |m| {
            let mut inner = StatementKind::Assign(vec![]);
            for _ in 0..NESTING {
                let body = vec![Statement::new(inner)];
                inner = StatementKind::While { condition: Expr::FALSE, body };
            }
            doing(m, inner);
        }),
        (F::TooDeep, |m| {
            let slot = Gathering::Slot(SlotId(0));
            m.gatherings[0].1 = (0..NESTING).fold(slot, |inner, _| Gathering::All(vec![inner]));
        }),
        (F::EmptyName, |m| m.variables[0].name.clear()),
        (F::EmptyName, |m| m.templates[0].locals[0].name.clear()),
        (F::EmptyName, |m| m.channels[0].name.clear()),
        (F::EmptyName, |m| m.templates[0].name.clear()),
        (F::EmptyName, |m| m.slots[0].name.clear()),
        (F::EmptyName, |m| m.events[1].name.clear()),
        (F::EmptyName, |m| m.propositions[0].0.clear()),
        (F::EmptyName, |m| {
            edge(m, 0).label = Label::Data { family: String::new(), values: vec![] }
        }),
        (F::RepeatedName, |m| m.variables[0].name = "array".to_owned()),
        (F::RepeatedName, |m| m.templates[0].locals[1].name = "i".to_owned()),
        (F::RepeatedName, |m| m.channels[0].name = "meet".to_owned()),
        (F::RepeatedName, |m| m.slots[0].name = "Q".to_owned()),
        (F::RepeatedName, |m| {
            m.add_event("b", EventKind::Visible);
        }),
        (F::TooLarge, |m| m.channels[0].capacity = u32::MAX),
        (F::RepeatedName, |m| m.propositions[0].0 = "q".to_owned()),
        (F::EmptyRange, |m| m.variables[0].range = Range::new(1, 0)),
        (F::EmptyRange, |m| m.channels[0].cells[0].0 = Range::new(1, 0)),
        (F::WideRange, |m| m.variables[0].range = Range::new(0, 1 << 32)),
        (F::WideRange, |m| m.templates[0].locals[1].range = Range::new(-(1 << 32) - 1, 0)),
        (F::WideRange, |m| m.variables[1].range = Range::new(i64::MIN, i64::MAX)),
        (F::WrapSize, |m| m.variables[1].range = Range::new(0, 2)),
        (F::WrapSize, |m| m.channels[0].cells[0] = (Range::new(1, 3), Overflow::Wrap)),
        (F::EmptyArray, |m| {
            m.variables[1].length = Some(0);
            m.variables[1].initial.clear();
        }),
        (F::UnknownVariable, |m| m.variables[1].count = Some(VariableId(9))),
        (F::UnknownVariable, |m| m.templates[0].locals[2].count = Some(VariableId(9))),
        (F::InitialCount, |m| m.variables[1].initial.push(0)),
        (F::InitialCount, |m| m.variables[0].initial.clear()),
        (F::InitialRange, |m| m.variables[1].initial[1] = 4),
        (F::InitialRange, |m| m.templates[0].locals[2].initial[0] = -1),
        (F::ScratchGlobal, |m| m.variables[0].storage = Storage::Scratch),
        (F::LossyRendezvous, |m| m.channels[1].when_full = WhenFull::Lose),
        (F::OwnerTemplate, |m| m.channels[0].owner = Some((SlotId(1), TemplateId(0)))),
        (F::OwnerTemplate, |m| m.channels[0].owner = Some((SlotId(1), TemplateId(7)))),
        (F::UnknownSlot, |m| m.channels[0].owner = Some((SlotId(2), TemplateId(0)))),
    ]
}

fn processes() -> Vec<(ModelErrorKind, Break)> {
    use ModelErrorKind as F;
    vec![
        (F::NoLocation, |m| m.templates[1].locations.clear()),
        (F::ParameterCount, |m| {
            m.templates[1].parameters = 1;
            m.slots[1].start = Some((TemplateId(1), vec![0]));
        }),
        (F::ParameterKind, |m| m.templates[0].locals[0].length = Some(1)),
        (F::ParameterKind, |m| m.templates[0].locals[0].storage = Storage::Scratch),
        (F::StrayStart, |m| {
            let (template, arguments, slot) = (TemplateId(1), vec![], None);
            let start = StatementKind::Start { template, arguments, slot };
            m.templates[1].start = vec![Statement::new(start)];
        }),
        (F::StrayTimeout, |m| m.templates[1].start = vec![asserting(Expr::Timeout)]),
        (F::StrayReceived, |m| m.templates[1].start = vec![asserting(Expr::Received(0))]),
        (F::Unexplored, |m| m.templates[0].locations[1].edges = None),
        (F::IdleTaken, |m| edge(m, 0).label = Label::Event(EventId::IDLE)),
        (F::IdleTaken, |m| m.slots[1].renamed[0].1 = EventId::IDLE),
        (F::IdleTaken, |m| m.gatherings[0].0 = EventId::IDLE),
        (F::NoMessage, |m| edge(m, 0).label = Label::Message),
        (F::GatheredMessage, |m| edge(m, 1).label = Label::Event(EventId(1))),
        (F::MessageWidth, |m| {
            let Communication::Send { message, .. } = &mut edge(m, 1).communication else { return };
            message.pop();
        }),
        (F::MessageWidth, |m| {
            let Communication::Receive { pattern, .. } = &mut edge(m, 2).communication else {
                return;
            };
            pattern.push(Pattern::Any);
        }),
        (F::MessageWidth, |m| {
            let (channel, pattern) = (Box::new(Expr::Const(0)), vec![]);
            m.propositions[0].1 = Expr::Poll { channel, pattern, pick: Pick::Head };
        }),
        (F::MessageWidth, |m| {
            let (channel, message) = (Expr::Const(0), vec![]);
            doing(m, StatementKind::Put { channel, message, order: Default::default() });
        }),
        (F::MessageWidth, |m| {
            let (channel, pattern) = (Expr::Const(0), vec![Pattern::Any; 2]);
            let (into, pick, keep) = (vec![None], Pick::Head, false);
            doing(m, StatementKind::Take { channel, pattern, into, pick, keep });
        }),
        (F::StrayReceived, |m| edge(m, 0).guard = Expr::Received(0)),
        (F::StrayReceived, |m| edge(m, 1).effect = vec![asserting(Expr::Received(0))]),
        (F::StrayReceived, |m| m.propositions[0].1 = Expr::Received(0)),
        (F::StrayReceived, |m| {
            let Communication::Receive { pattern, .. } = &mut edge(m, 2).communication else {
                return;
            };
            pattern[1] = Pattern::Equal(Expr::Received(0));
        }),
        (F::StrayReceived, |m| {
            let values = vec![Expr::Received(0)];
            edge(m, 2).label = Label::Data { family: "d".to_owned(), values };
        }),
        (F::ReceivedWidth, |m| edge(m, 2).guard = Expr::Received(2)),
        (F::ReceivedWidth, |m| edge(m, 2).effect = vec![asserting(Expr::Received(2))]),
        (F::Index, |m| edge(m, 0).guard = Expr::global(VariableId(1))),
        (F::Index, |m| assigning(m, AnyVariable::Local(LocalId(0)), Some(Expr::Const(0)))),
        (F::Index, |m| edge(m, 0).guard = load(remote(0, 0), Some(Expr::Const(0)))),
        (F::RemoteAssigned, |m| assigning(m, remote(0, 0), None)),
        (F::RemoteAssigned, |m| {
            let slot = Some(Place { variable: remote(0, 0), index: None });
            let template = TemplateId(1);
            doing(m, StatementKind::Start { template, arguments: vec![], slot });
        }),
        (F::RemoteAssigned, |m| {
            let (channel, pattern) = (Expr::Const(0), vec![Pattern::Any; 2]);
            let into = vec![None, Some(Place { variable: remote(0, 0), index: None })];
            let (pick, keep) = (Pick::Head, false);
            doing(m, StatementKind::Take { channel, pattern, into, pick, keep });
        }),
        (F::StrayScratch, |m| edge(m, 0).guard = Expr::local(LocalId(2))),
        (F::StrayScratch, |m| {
            let values = vec![Expr::local(LocalId(2))];
            edge(m, 0).label = Label::Data { family: "d".to_owned(), values };
        }),
        (F::StrayScratch, |m| edge(m, 0).effect = vec![asserting(load(remote(0, 2), None))]),
        (F::ArgumentCount, |m| {
            let template = TemplateId(0);
            doing(m, StatementKind::Start { template, arguments: vec![], slot: None });
        }),
        (F::StrayTimeout, |m| m.propositions[0].1 = Expr::Timeout),
        (F::StrayTimeout, |m| edge(m, 0).effect = vec![asserting(Expr::Timeout)]),
        (F::StrayExecutable, |m| edge(m, 0).guard = Expr::Executable(Box::new(Expr::Own))),
    ]
}

fn around() -> Vec<(ModelErrorKind, Break)> {
    use ModelErrorKind as F;
    vec![
        (F::StrayOwn, |m| m.propositions[0].1 = Expr::Own),
        (F::StrayOwn, |m| m.propositions[0].1 = Expr::local(LocalId(0))),
        (F::NoTemplate, |m| m.slots[0].templates.clear()),
        (F::RepeatedTemplate, |m| m.slots[0].templates.push(TemplateId(0))),
        (F::StartTemplate, |m| m.slots[1].start = Some((TemplateId(0), vec![0]))),
        (F::ArgumentCount, |m| m.slots[0].start = Some((TemplateId(0), vec![]))),
        (F::ArgumentRange, |m| m.slots[0].start = Some((TemplateId(0), vec![2]))),
        (F::RepeatedRenaming, |m| m.slots[1].renamed.push(("d.1".to_owned(), EventId(1)))),
        (F::RepeatedGathering, |m| {
            m.gatherings.push((EventId(1), Gathering::Slot(SlotId(0))));
        }),
        (F::RepeatedSlot, |m| {
            let one = Gathering::One(vec![Gathering::Slot(SlotId(0))]);
            m.gatherings[0].1 = Gathering::All(vec![one, Gathering::Slot(SlotId(0))]);
        }),
        (F::EmptyGathering, |m| m.gatherings[0].1 = Gathering::All(vec![])),
        (F::EmptyGathering, |m| {
            let slot = Gathering::Slot(SlotId(0));
            m.gatherings[0].1 = Gathering::All(vec![slot, Gathering::One(vec![])]);
        }),
    ]
}

#[test]
fn each_rule_is_broken_alone() {
    let sound = text::parse(SOUND).expect("a model");
    assert_eq!(verify(&sound), Ok(()));
    let mut met = BTreeSet::new();
    for (at, (kind, change)) in broken().into_iter().enumerate() {
        let mut model = sound.clone();
        change(&mut model);
        assert_ne!(model, sound, "case {at} changes nothing");
        let flaws = verify(&model).expect_err(&format!("case {at} of {kind:?}"));
        let kinds: Vec<ModelErrorKind> = flaws.iter().map(|flaw| flaw.kind).collect();
        assert_eq!(kinds, [kind], "case {at}: {flaws:?}");
        let (place, what) = flaws[0].message.split_once(": ").expect("a place and what is wrong");
        assert!(!place.is_empty() && !what.is_empty(), "{}", flaws[0]);
        met.insert(kind);
    }
    let all: BTreeSet<ModelErrorKind> = ModelErrorKind::ALL.iter().copied().collect();
    assert_eq!(met, all);
}

#[test]
fn each_rule_is_in_the_list() {
    let source = include_str!("../src/verify.rs");
    let list: String = source.lines().take_while(|line| line.starts_with("//!")).collect();
    for kind in ModelErrorKind::ALL {
        assert!(list.contains(&format!("[`ModelErrorKind::{kind:?}`]")), "{kind:?}");
    }
}

#[test]
fn what_is_nested_as_deep_as_may_be_is_sound() {
    let mut model = text::parse(SOUND).expect("a model");
    edge(&mut model, 0).guard = deep(NESTING);
    edge(&mut model, 0).effect = vec![asserting(deep(NESTING - 1))];
    assert_eq!(verify(&model), Ok(()));
}

#[test]
fn an_open_model_may_have_locations_without_edges() {
    let mut model = text::parse(SOUND).expect("a model");
    model.templates[0].locations[1].edges = None;
    assert_eq!(verify_open(&model), Ok(()));
    edge(&mut model, 0).label = Label::Message;
    assert_eq!(verify_open(&model).unwrap_err()[0].kind, ModelErrorKind::NoMessage);
}

#[test]
fn a_message_names_the_place() {
    let mut model = text::parse(SOUND).expect("a model");
    edge(&mut model, 2).guard = Expr::Received(2);
    let flaws = verify(&model).unwrap_err();
    assert_eq!(
        flaws[0].to_string(),
        "template t0 `T`, location q0, edge 2, guard: the cell $2 of a message of 2 is read"
    );
}

#[test]
fn random_models_are_sound() {
    let first = first_seed(1);
    for seed in first..first + cases(2000) {
        let model = random_model(&mut Rng::new(seed), &Shape::default());
        assert_eq!(verify(&model), Ok(()), "seed {seed}\n{}", text::print(&model));
    }
}
