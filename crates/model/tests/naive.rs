//! The interpreter against a naive one that shares nothing with it.

mod semantics;
mod values;

use std::collections::{BTreeMap, HashMap, VecDeque};

use fairly_explore::Explored;
use fairly_model::{Model, ModelSpace, Strip, text, verify};
use fairly_omega::StateId;
use fairly_system::{MoveId, TransitionSystem};
use fairly_testkit::Rng;
use semantics::{Naive, Part, Process, State, Step, Wrong};

use fairly_modelkit::{cases, first_seed, lively_model};

/// States of a random model that are looked at.
const STATES: usize = 60;

/// A state of the interpreter as the naive one has it, by its layout.
fn read(interpreter: &Explored<ModelSpace>, state: StateId) -> State {
    let packed = interpreter.row(state);
    let (layout, words) = (interpreter.space().layout(), packed.as_slice());
    let mut cells = vec![77; layout.cells];
    layout.unpack(words, &mut cells);
    let mut clean = vec![0; layout.cells];
    layout.unpack(words, &mut clean);
    assert_eq!(cells, clean, "whatever was there before");
    let mut again = vec![u64::MAX; layout.words];
    layout.pack(&cells, &mut again);
    assert_eq!(again, words, "packing again");
    let values = |strip: &Strip| cells[strip.cells()].to_vec();
    let direct =
        |strip: &Strip| -> Vec<i64> { (0..strip.length).map(|at| strip.get(words, at)).collect() };
    for strip in &layout.variables {
        assert_eq!(values(strip), direct(strip));
    }
    State {
        variables: layout.variables.iter().map(values).collect(),
        channels: layout
            .channels
            .iter()
            .map(|channel| {
                let message = |at: i64| {
                    channel.columns.iter().map(|column| values(column)[at as usize]).collect()
                };
                (0..values(&channel.length)[0]).map(message).collect()
            })
            .collect(),
        slots: layout
            .slots
            .iter()
            .enumerate()
            .map(|(at, slot)| {
                let variant = &slot.variants[layout.variant(&cells, at)?];
                Some(Process {
                    template: variant.template.index(),
                    location: layout.location(&cells, at),
                    locals: variant.locals.iter().map(values).collect(),
                })
            })
            .collect(),
        holder: layout.holder.and_then(|strip| usize::try_from(values(&strip)[0]).ok()),
        last: layout.last_mover.map_or(-1, |strip| values(&strip)[0]),
    }
}

fn part(interpreter: &Explored<ModelSpace>, id: MoveId) -> Part {
    let signature = interpreter.signature();
    let of = &signature.moves[id.index()];
    let event = signature.event_name(of.event).to_owned();
    (of.process.index(), event, of.annotation, of.span)
}

/// Constructs that were met, so that a generator which no longer makes one is noticed.
#[derive(Default)]
struct Tally(BTreeMap<&'static str, usize>);

impl Tally {
    fn count(&mut self, what: &'static str, is: bool) {
        *self.0.entry(what).or_default() += usize::from(is);
    }

    fn step(&mut self, before: &State, step: &Step) {
        self.count("steps", true);
        self.count("steps of several", step.parts.len() > 1);
        self.count("steps of three", step.parts.len() > 2);
        let Ok(after) = &step.target else {
            self.count("faults in guards", step.event == "fault");
            self.count("faults in effects", step.event != "fault");
            self.count("joint faults", step.parts.len() > 1);
            return;
        };
        let processes = |state: &State| state.slots.iter().flatten().count();
        self.count("processes started", processes(after) > processes(before));
        self.count("processes that leave", processes(after) < processes(before));
        self.count("messages put", after.channels > before.channels);
        self.count("steps of a holder", before.holder.is_some_and(|it| it == step.parts[0].0));
        let holds = |holder: usize| step.parts.iter().any(|part| part.0 == holder);
        assert!(before.holder.is_none_or(holds), "a holder lets nobody else go on");
        let gone = |at: &usize| before.slots[*at].is_some() && after.slots[*at].is_none();
        let leaves = (0..before.slots.len()).any(|at| gone(&at));
        let fewer = before.channels.iter().zip(&after.channels);
        let emptied = fewer.filter(|(before, after)| before.len() > after.len() + 1).count();
        self.count("channels that go with their process", leaves && emptied > 0);
        let rendezvous = step.parts.iter().any(|part| part.1 != step.event);
        self.count("rendezvous", rendezvous);
        self.count("rendezvous that pass the privilege on", rendezvous && after.holder.is_some());
    }
}

/// Compares all that can be asked of both, in the states that are met first.
fn compare(model: &Model, tally: &mut Tally) {
    let naive = Naive::new(model);
    let mut interpreter = Explored::new(ModelSpace::new(model.clone(), None));
    let complete = interpreter.signature().complete.then(|| interpreter.signature().clone());
    let initial = interpreter.initial();
    assert_eq!(initial.len(), 1);
    let start = match naive.initial() {
        Ok(start) => start,
        Err(Wrong(span)) => {
            let fault = interpreter.fault(initial[0]).expect("a fault at the start");
            assert_eq!(fault.span, span);
            return tally.count("faults at the start", true);
        }
    };
    assert_eq!(read(&interpreter, initial[0]), start);
    let mut seen: HashMap<State, StateId> = HashMap::from([(start, initial[0])]);
    let mut open: VecDeque<StateId> = VecDeque::from(initial);
    let atoms: Vec<_> =
        model.propositions.iter().map(|(name, _)| interpreter.atom(name).unwrap()).collect();
    let [deadlock, terminated] =
        ["deadlock", "terminated"].map(|name| interpreter.atom(name).unwrap());
    while let Some(id) = open.pop_front() {
        let state = read(&interpreter, id);
        // Asked before anything else is, and again when the steps are known.
        let ended = naive.ended(&state);
        assert_eq!((interpreter.holds(id, deadlock), interpreter.holds(id, terminated)), ended);
        let mut offered = Vec::new();
        interpreter.offered(id, &mut offered);
        let mut offered: Vec<Part> = offered.iter().map(|&id| part(&interpreter, id)).collect();
        offered.sort();
        assert_eq!(offered, naive.offered(&state), "offered in {state:?}");
        let mut transitions = Vec::new();
        interpreter.enabled(id, &mut transitions);
        let mut found = Vec::new();
        for transition in &transitions {
            let action = interpreter.action(transition.action);
            let parts: Vec<Part> = action.moves.iter().map(|&id| part(&interpreter, id)).collect();
            let processes = action.participants.iter().map(|process| process.index());
            assert!(processes.eq(parts.iter().map(|part| part.0)));
            let event = interpreter.signature().event_name(action.event).to_owned();
            let target = match interpreter.fault(transition.target) {
                Some(fault) => Err(Wrong(fault.span)),
                None => Ok(read(&interpreter, transition.target)),
            };
            match &target {
                Ok(state) if seen.len() < STATES => {
                    let known = *seen.entry(state.clone()).or_insert_with(|| {
                        open.push_back(transition.target);
                        transition.target
                    });
                    assert_eq!(known, transition.target, "one number for {state:?}");
                }
                Ok(_) => {}
                Err(_) => {
                    let mut none = Vec::new();
                    interpreter.enabled(transition.target, &mut none);
                    assert_eq!(none, []);
                }
            }
            found.push(Step { event, parts, target });
        }
        found.iter().for_each(|step| tally.step(&state, step));
        tally.count("deadlocks", ended.0);
        tally.count("ends", ended.1);
        tally.count("offers without partners", offered.len() > found.len());
        tally.count("timeouts", !found.is_empty() && naive.waits(&state));
        found.sort();
        // Faults in two ways that are one to the naive interpreter.
        found.dedup_by(|a, b| a == b && a.target.is_err());
        let expected = naive.steps(&state);
        assert_eq!(found, expected, "steps of {state:?}");
        assert_eq!((interpreter.holds(id, deadlock), interpreter.holds(id, terminated)), ended);
        for (at, &atom) in atoms.iter().enumerate() {
            assert_eq!(interpreter.holds(id, atom), naive.holds(&state, at), "{at} in {state:?}");
        }
        let mut again = Vec::new();
        interpreter.enabled(id, &mut again);
        assert_eq!(again, transitions, "asked twice");
    }
    if let Some(complete) = complete {
        assert_eq!(*interpreter.signature(), complete, "it was complete");
    }
}

#[test]
fn random_models_mean_what_the_naive_interpreter_says() {
    let first = first_seed(1);
    let mut tally = Tally::default();
    for seed in first..first + cases(5000) {
        let mut rng = Rng::new(seed);
        let model = lively_model(&mut rng);
        if let Err(flaws) = verify(&model) {
            panic!("seed {seed}: {flaws:?}");
        }
        let shown = text::print(&model);
        let mut own = std::mem::take(&mut tally);
        let result = std::panic::catch_unwind(move || {
            compare(&model, &mut own);
            own
        });
        tally = result.unwrap_or_else(|_| panic!("seed {seed}\n{shown}"));
    }
    for (what, &count) in &tally.0 {
        println!("{count} {what}");
        assert!(count > 0 || cases(5000) < 5000, "no {what}");
    }
}
