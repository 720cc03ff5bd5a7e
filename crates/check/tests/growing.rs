//! Systems that list their events and moves as they are met: every answer is the one about the same
//! system with everything listed from the start, or "unknown" where not everything has been met.

use fairly_check::{Assumption, Least, Options, Outcome, WhyUnknown, check, ladder, least};
use fairly_explore::Explored;
use fairly_fairness::{AnnotationLevel, Level, Notion, PrefixKind};
use fairly_front::case::parse_constraint;
use fairly_omega::StateId;
use fairly_search::{Bounds, Cut, survey};
use fairly_system::{
    Action, ActionId, AtomIndex, Event, EventId, EventKind, EventPosition, Fault, Move, MoveId,
    Network, Signature, Transition, TransitionSystem,
};
use fairly_testkit::Rng;
use fairly_testkit::ltl::{LtlShape, random_formula};
use fairly_testkit::network::{NetworkShape, random_network, random_propositions};

use crate::common::{self, holds, network_of, property, written};

/// A network whose events and moves are listed in the order in which they are met.
struct Growing {
    inner: Explored<Network>,
    signature: Signature,
    events: Vec<Option<EventId>>,
    moves: Vec<Option<MoveId>>,
    actions: Vec<Option<Action>>,
    /// Events that are hidden from observers.
    hidden: Vec<&'static str>,
    /// A state, as it is described, where the tool goes no further.
    stop: Option<(&'static str, Fault)>,
}

impl Growing {
    fn new(inner: Explored<Network>, hidden: &[&'static str]) -> Self {
        let mut signature = Signature::new(inner.signature().processes.clone());
        signature.complete = false;
        signature.families.push("e".to_owned());
        let mut events = vec![None; inner.signature().events.len()];
        events[0] = Some(EventId::IDLE);
        let moves = vec![None; inner.signature().moves.len()];
        let idle = Action { event: EventId::IDLE, participants: vec![], moves: vec![] };
        let hidden = hidden.to_vec();
        Growing { inner, signature, events, moves, actions: vec![Some(idle)], hidden, stop: None }
    }

    fn event(&mut self, event: EventId) -> EventId {
        let Growing { inner, signature, events, hidden, .. } = self;
        *events[event.index()].get_or_insert_with(|| {
            let name = inner.signature().event_name(event).to_owned();
            let is_hidden = hidden.contains(&name.as_str());
            let kind = if is_hidden { EventKind::Internal } else { EventKind::Visible };
            signature.events.push(Event { name, kind });
            EventId::from_index(signature.events.len() - 1)
        })
    }

    fn local(&mut self, id: MoveId) -> MoveId {
        let of = self.inner.signature().moves[id.index()].clone();
        let event = self.event(of.event);
        let Growing { signature, moves, .. } = self;
        *moves[id.index()].get_or_insert_with(|| {
            signature.moves.push(Move { event, ..of });
            MoveId::from_index(signature.moves.len() - 1)
        })
    }
}

// Nothing is said of its processes, so it is never reduced.
impl fairly_reduce::Reducible for Growing {}

impl TransitionSystem for Growing {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn initial(&mut self) -> Vec<StateId> {
        self.inner.initial()
    }

    fn enabled(&mut self, state: StateId, out: &mut Vec<Transition>) {
        if self.fault(state).is_some() {
            return;
        }
        let before = out.len();
        self.inner.enabled(state, out);
        for transition in &out[before..] {
            let id = transition.action;
            if id.index() >= self.actions.len() {
                self.actions.resize(id.index() + 1, None);
            }
            if self.actions[id.index()].is_none() {
                let Action { event, participants, moves } = self.inner.action(id).clone();
                let event = self.event(event);
                let moves = moves.into_iter().map(|id| self.local(id)).collect();
                self.actions[id.index()] = Some(Action { event, participants, moves });
            }
        }
    }

    fn action(&self, action: ActionId) -> &Action {
        self.actions[action.index()].as_ref().expect("handed out")
    }

    fn offered(&mut self, state: StateId, out: &mut Vec<MoveId>) {
        let mut offered = Vec::new();
        self.inner.offered(state, &mut offered);
        out.extend(offered.into_iter().map(|id| self.local(id)));
    }

    fn atom(&mut self, text: &str) -> Option<AtomIndex> {
        self.inner.atom(text)
    }

    fn holds(&self, state: StateId, atom: AtomIndex) -> bool {
        self.inner.holds(state, atom)
    }

    fn describe(&self, state: StateId) -> String {
        self.inner.describe(state)
    }

    fn fault(&self, state: StateId) -> Option<&Fault> {
        let (place, fault) = self.stop.as_ref()?;
        (self.describe(state) == *place).then_some(fault)
    }
}

const NOTIONS: [Notion; 13] = [
    Notion::None,
    Notion::Weak(Level::Process),
    Notion::Strong(Level::Process),
    Notion::Weak(Level::Event),
    Notion::Strong(Level::Event),
    Notion::Weak(Level::Action),
    Notion::Strong(Level::Action),
    Notion::WeakLive,
    Notion::StrongLive,
    Notion::Annotated(AnnotationLevel::Name),
    Notion::Annotated(AnnotationLevel::Occurrence),
    Notion::Global,
    Notion::Inherent(PrefixKind::Trace),
];

const CONSTRAINTS: [&str; 10] = [
    "sf(e.1)",
    "wf(e.2)",
    "justice(e.*)",
    "sl(e.0)",
    "wl(e.2)",
    "sf(e.0 of P0)",
    "sl(e.1 of P0)",
    "sf(P0)",
    "justice(e.0 || e.1)",
    "compassion(e.0, e.1)",
];

#[test]
fn random_networks_met_step_by_step() {
    let seeds = common::seeds(300);
    let (mut yes, mut no, mut constrained) = (0u32, 0u32, 0u32);
    for seed in seeds.clone() {
        let mut rng = Rng::new(seed);
        let tiny = random_network(&mut rng, &NetworkShape::default());
        let propositions = random_propositions(&mut rng, &tiny, 3);
        let mut whole = network_of(&tiny);
        let shape = LtlShape { size: 2 + rng.below(6), ..LtlShape::default() };
        let text = written(&random_formula(&mut rng, &shape), &propositions, &whole);
        let reading =
            if rng.chance(1, 3) { EventPosition::Entering } else { EventPosition::Leaving };
        let mut known = property(&mut whole, &text, reading);
        let mut explored = Growing::new(network_of(&tiny), &[]);
        survey(&mut explored, Bounds::default()).unwrap();
        let annotated = |signature: &Signature| {
            signature.moves.iter().filter(|it| it.annotation.is_some()).count()
        };
        let all_offered = annotated(&explored.signature) == annotated(whole.signature());
        for notion in NOTIONS {
            // By name, an annotation counts for other moves too, even if it is written at one that is
            // never offered; and only then does it make a difference that this one is never met.
            if notion == Notion::Annotated(AnnotationLevel::Name) && !all_offered {
                continue;
            }
            // A new one each time, so that nothing has been met.
            let mut growing = Growing::new(network_of(&tiny), &[]);
            let mut met = property(&mut growing, &text, reading);
            assert_eq!(growing.signature.events.len(), 1, "binding explores nothing");
            let mut here = Assumption::of(notion);
            let mut there = Assumption::of(notion);
            if !matches!(notion, Notion::Inherent(_)) && rng.chance(1, 2) {
                let constraint =
                    parse_constraint(CONSTRAINTS[rng.below(CONSTRAINTS.len())]).unwrap();
                // Objects that the whole system lacks can still be asked of the other, where they never ask for
                // anything.
                if here.add(&constraint, &mut whole).is_ok() {
                    there.add(&constraint, &mut growing).unwrap();
                    constrained += 1;
                }
            }
            let expected = holds(&mut whole, &mut known, &here);
            let found = holds(&mut growing, &mut met, &there);
            assert_eq!(found, expected, "seed {seed}: {text} {reading:?} under {there}");
            *(if found { &mut yes } else { &mut no }) += 1;
        }
        let options = Options::default();
        let mut growing = Growing::new(network_of(&tiny), &[]);
        let mut met = property(&mut growing, &text, reading);
        let answers = |ladder: fairly_check::Ladder| -> Vec<_> {
            ladder.rungs.into_iter().map(|rung| rung.holds).collect()
        };
        let expected = answers(ladder(&mut whole, &mut known, &[], &options).unwrap());
        let found = answers(ladder(&mut growing, &mut met, &[], &options).unwrap());
        assert_eq!(found, expected, "seed {seed}: {text}");
        let sets = |answer: Least| {
            let Least::Sets { mut sets, .. } = answer else { panic!("seed {seed}: {answer:?}") };
            // The events are listed in another order.
            sets.iter_mut().for_each(|set| set.sort());
            sets.sort();
            sets
        };
        let mut growing = Growing::new(network_of(&tiny), &[]);
        let mut met = property(&mut growing, &text, reading);
        let expected = least(&mut whole, &mut known, Level::Event, &[], &options).unwrap();
        let found = least(&mut growing, &mut met, Level::Event, &[], &options).unwrap();
        assert_eq!(sets(found), sets(expected), "seed {seed}: {text}");
    }
    println!("seeds {seeds:?}: {yes} hold, {no} do not; {constrained} with a constraint");
    assert!(seeds.end - seeds.start < 100 || yes.min(no).min(constrained) > 500);
}

/// `P` counts up to ten with `e.0 … e.9`, and then does `e.10` or `e.11` for ever.
fn counter() -> Explored<Network> {
    let mut builder = fairly_system::ComponentBuilder::new("P");
    (0..=10).for_each(|state: u32| _ = builder.add_state(state.to_string()));
    builder.add_initial(0);
    for state in 0..10 {
        builder.add_transition(state, &format!("e.{state}"), state + 1, None);
    }
    builder.add_transition(10, "e.10", 10, None);
    builder.add_transition(10, "e.11", 10, None);
    Explored::new(
        Network::new(vec![builder.build()], &fairly_system::Composition::default()).unwrap(),
    )
}

#[test]
fn constraints_that_are_not_all_known_are_no_assumption() {
    let nodes = |nodes| Options {
        bounds: Bounds { nodes: Some(nodes), ..Bounds::default() },
        ..Options::default()
    };
    // A violation lies within the bound; only the events are not all known.
    let text = "G !e.1";
    for (notion, known) in [
        (Notion::None, true),
        (Notion::Weak(Level::Process), true),
        (Notion::Weak(Level::Event), false),
        (Notion::Strong(Level::Action), false),
        (Notion::WeakLive, false),
        (Notion::Annotated(AnnotationLevel::Name), false),
    ] {
        let mut growing = Growing::new(counter(), &[]);
        let mut property = property(&mut growing, text, EventPosition::Leaving);
        let assumption = Assumption::of(notion);
        // The automaton stays where it is after the violation, so the product is hardly larger.
        let verdict = check(&mut growing, &mut property, &assumption, &nodes(30)).unwrap();
        assert!(matches!(verdict.outcome, Outcome::Violated(_)), "{notion}: {verdict:?}");
        let mut growing = Growing::new(counter(), &[]);
        let verdict = check(&mut growing, &mut property, &assumption, &nodes(5)).unwrap();
        let cut = matches!(verdict.outcome, Outcome::Unknown(WhyUnknown::Cut(Cut::Nodes(5))));
        assert!(cut, "{notion}: {verdict:?}");
        // Five states are enough to see some constraints, which must not be taken for all.
        if !known {
            assert!(verdict.stamp.constraints.is_empty(), "{notion}: {verdict:?}");
        }
    }
    let mut growing = Growing::new(counter(), &[]);
    let mut property = property(&mut growing, text, EventPosition::Leaving);
    let cut = least(&mut growing, &mut property, Level::Event, &[], &nodes(5)).unwrap();
    assert!(matches!(cut, Least::Unknown(WhyUnknown::Cut(_))), "{cut:?}");
    let rungs = ladder(&mut growing, &mut property, &[], &nodes(5)).unwrap().rungs;
    assert!(rungs[2].holds.is_err() && rungs[4].holds.is_err(), "{rungs:?}");
}

#[test]
fn hidden_events_have_no_name_but_are_owed_fairness() {
    let ask = |hidden: &[&'static str], text: &str, notion: Notion| {
        let mut growing = Growing::new(counter(), hidden);
        let mut property = property(&mut growing, text, EventPosition::Leaving);
        holds(&mut growing, &mut property, &Assumption::of(notion))
    };
    let none = Notion::None;
    assert!(!ask(&[], "G !e.3", none) && ask(&["e.3"], "G !e.3", none));
    assert!(ask(&[], "G e.*", none) && !ask(&["e.3"], "G e.*", none));
    // Were the hidden event not owed fairness, e.10 alone would be a fair run.
    let both = Notion::Weak(Level::Event);
    assert!(ask(&["e.11"], "F G e.* -> false", both));
    assert!(!ask(&["e.11"], "F G e.* -> false", none));
    assert!(ask(&["e.11"], "F G e.* -> false", Notion::WeakLive));
    // A constraint by name does not mean it.
    let mut growing = Growing::new(counter(), &["e.11"]);
    let mut property = property(&mut growing, "F G e.* -> false", EventPosition::Leaving);
    let mut assumption = Assumption::of(Notion::None);
    assumption.add(&parse_constraint("sf(e.11)").unwrap(), &mut growing).unwrap();
    assert!(!holds(&mut growing, &mut property, &assumption));
}

#[test]
fn names_that_may_come_and_names_that_may_not() {
    let mut growing = Growing::new(counter(), &[]);
    let bind = |text: &str, growing: &mut Growing| {
        let mut formulas = fairly_logic::Formulas::new();
        let formula = formulas.parse(text).unwrap();
        fairly_check::Property::bind("it", formulas, formula, growing).map(|_| ())
    };
    assert!(bind("F e.3", &mut growing).is_ok());
    assert!(bind("F e.77.1", &mut growing).is_ok());
    assert!(bind("F f.3", &mut growing).is_err());
    assert!(bind("F \"P@3\"", &mut growing).is_ok());
    assert!(bind("F nothing", &mut growing).is_err());
    let mut assumption = Assumption::of(Notion::None);
    for (constraint, usable) in
        [("sf(e.3)", true), ("sf(f.3)", false), ("sf(e.3 of P)", true), ("sf(e.3 of Q)", false)]
    {
        let constraint_read = parse_constraint(constraint).unwrap();
        let added = assumption.add(&constraint_read, &mut growing);
        assert_eq!(added.is_ok(), usable, "{constraint}");
    }
}

#[test]
fn a_run_is_excluded_by_what_is_owed_on_it_even_if_it_was_just_met() {
    // e.11 is enabled on the cycle but was never taken; the advice must know of it.
    let mut growing = Growing::new(counter(), &[]);
    let mut property = property(&mut growing, "F e.11", EventPosition::Leaving);
    let none = Assumption::of(Notion::None);
    let verdict = check(&mut growing, &mut property, &none, &Options::default()).unwrap();
    let Outcome::Violated(found) = &verdict.outcome else { panic!("{verdict:?}") };
    let upgrade = found.upgrade.as_ref().unwrap();
    assert_eq!((upgrade.constraint.as_str(), upgrade.suffices), ("wf(e.11)", Some(true)));
}

#[test]
fn where_the_tool_goes_no_further_nothing_holds_and_nothing_idles() {
    let stopped = || {
        let mut growing = Growing::new(counter(), &[]);
        growing.stop = Some(("P@5", Fault::limit("more than five", None)));
        growing
    };
    let options = Options::default();
    let unknown = |why: &WhyUnknown| *why == WhyUnknown::Limit("more than five".to_owned());
    // For a reader that takes the state to idle there, none of these holds.
    for text in ["F e.5", "F e.10", "G !e.3", "G \"P@0\" | F \"P@7\""] {
        for reading in [EventPosition::Leaving, EventPosition::Entering] {
            let begin = || {
                let mut growing = stopped();
                let asked = property(&mut growing, text, reading);
                (growing, asked)
            };
            for notion in NOTIONS {
                let (mut growing, mut asked) = begin();
                let assumption = Assumption::of(notion);
                let verdict = check(&mut growing, &mut asked, &assumption, &options).unwrap();
                let Outcome::Unknown(why) = &verdict.outcome else { panic!("{text}: {verdict:?}") };
                assert!(unknown(why), "{text} {reading:?} {notion}: {why:?}");
            }
            let (mut growing, mut asked) = begin();
            let rungs = ladder(&mut growing, &mut asked, &[], &options).unwrap().rungs;
            assert!(rungs.iter().all(|rung| rung.holds.is_err()), "{text}: {rungs:?}");
            for level in [Level::Process, Level::Event] {
                let (mut growing, mut asked) = begin();
                let answer = least(&mut growing, &mut asked, level, &[], &options).unwrap();
                let Least::Unknown(why) = answer else { panic!("{text}: {answer:?}") };
                assert!(unknown(&why), "{text} {level}: {why:?}");
            }
        }
    }
}
