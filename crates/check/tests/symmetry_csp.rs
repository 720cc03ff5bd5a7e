//! Processes that are alike up to a parameter, as random texts in CSP#: channel arrays, arrays of one and two
//! dimensions, collections, parameters and variables in events, alphabets, hiding, monitors that name single processes,
//! annotations of one of them. The quotient is compared with the whole system, and so are all reductions
//! together: verdicts are the same under every fairness, and an internal error fails the test.
//!
//! `FAIRLY_RANDOM_CASES` raises the number of comparisons, `FAIRLY_SEED` is the first seed, so several programs
//! can share the work.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use fairly_check::claim::{ClaimOutcome, Effort};
use fairly_check::{
    AnswerError, Assumption, CheckError, Options, Outcome, Reduction, SystemIndex, check,
};
use fairly_fairness::{AnnotationLevel, Constraint, Level, Notion, Selector, Strength};
use fairly_front::csp::syntax::{Assertion, Claim};
use fairly_model::ModelSpace;
use fairly_model::{Model, Slot};
use fairly_omega::{StateId, Stop};
use fairly_reduce::{ModelSystem, Permutation, Reducible, Symmetry, Watched};
use fairly_search::{Bounds, reach};
use fairly_system::{ActionId, EventId, EventSet, ProcessId, TransitionSystem};
use fairly_testkit::{Rng, side_by_side};

use fairly_modelkit::{Shape, cases, first_seed, random_model};

use crate::common::languages::{CspFile, PromelaFile};

/// Pieces of texts. Each piece that may tell processes apart is in few texts, so that it is met alone.
struct Words {
    count: usize,
    /// Whether each process has a channel.
    channels: bool,
    /// Whether each has a channel without a buffer.
    meetings: bool,
    /// Whether each has a row of an array of two dimensions.
    rows: bool,
    /// Whether each has a row and a column of one.
    grid: bool,
    /// Whether there are choices that look at variables first, and steps that nothing comes between.
    shapes: bool,
    /// Whether numbers of processes are in collections.
    collections: bool,
    /// Whether numbers of processes are computed with.
    computes: bool,
    /// Whether some are named.
    names: bool,
}

impl Words {
    fn new(rng: &mut Rng) -> Words {
        Words {
            count: 2 + rng.below(3),
            channels: rng.chance(1, 4),
            meetings: rng.chance(1, 8),
            rows: rng.chance(1, 6),
            grid: rng.chance(1, 8),
            shapes: rng.chance(1, 6),
            collections: rng.chance(1, 4),
            computes: rng.chance(1, 8),
            names: rng.chance(1, 6),
        }
    }

    /// An index: the parameter, or a number.
    fn index(&self, rng: &mut Rng) -> String {
        match self.names && rng.chance(1, 4) {
            true => rng.below(self.count).to_string(),
            false => "i".to_owned(),
        }
    }

    /// One of these, or of those that a text may have as well.
    fn one(rng: &mut Rng, always: &[String], more: &[(bool, String)]) -> String {
        let more = more.iter().filter(|(is_there, _)| *is_there).map(|(_, it)| it.clone());
        let more: Vec<String> = more.collect();
        let from = if !more.is_empty() && rng.chance(1, 2) { &more } else { always };
        rng.pick(from).clone()
    }

    fn guard(&self, rng: &mut Rng) -> String {
        let i = self.index(rng);
        let always = [
            format!("turn == {i}"),
            format!("turn != {i}"),
            "turn == 9".to_owned(),
            "turn != 9".to_owned(),
            "x == 0".to_owned(),
            "x == 1".to_owned(),
            format!("a[{i}] == 0"),
            format!("a[{i}] == 1"),
            "cempty(c)".to_owned(),
            "!cfull(c)".to_owned(),
        ];
        let more = [
            (self.rows, format!("m[{i}][0] == 0")),
            (self.channels, format!("cempty(d[{i}])")),
            (self.channels, format!("call(cfull, d[{i}])")),
            (self.channels, "turn != 9 && cempty(d[turn])".to_owned()),
            (self.grid, format!("g[{i}][{i}] == 0")),
            (self.grid, format!("g[0][{i}] == 0")),
            (self.grid, format!("turn != 9 && g[{i}][turn] == 1")),
            (self.collections, "w.Count() < 2".to_owned()),
            (self.collections, format!("w.Contains({i})")),
            (self.collections, format!("!w.IsEmpty() && w.First() == {i}")),
            (self.collections, format!("s.Contains({i})")),
            (self.computes, format!("turn > {i}")),
        ];
        Words::one(rng, &always, &more)
    }

    fn program(&self, rng: &mut Rng) -> String {
        let i = self.index(rng);
        let always = [
            format!("turn = {i};"),
            "turn = 9;".to_owned(),
            "x = 1 - x;".to_owned(),
            "x = 0;".to_owned(),
            format!("a[{i}] = 1 - a[{i}];"),
            format!("a[{i}] = 0; turn = {i};"),
            format!("if (turn == {i}) {{ turn = 9; }} else {{ x = 1 - x; }}"),
        ];
        let more = [
            (self.rows, format!("m[{i}][1] = 1 - m[{i}][1];")),
            (self.rows, format!("m[{i}][0] = x;")),
            (self.grid, format!("g[{i}][{i}] = 1 - g[{i}][{i}];")),
            (self.grid, format!("if (turn != 9) {{ g[{i}][turn] = 1; }}")),
            (self.grid, format!("if (turn != 9) {{ g[turn][{i}] = 0; }}")),
            (self.collections, format!("if (w.Count() < 2) {{ w.Enqueue({i}); }}")),
            (self.collections, "if (!w.IsEmpty()) { turn = w.Dequeue(); }".to_owned()),
            (self.collections, "if (!w.IsEmpty()) { w.Dequeue(); }".to_owned()),
            (self.collections, format!("s.Add({i});")),
            (self.collections, format!("if (s.Remove({i})) {{ x = 1 - x; }}")),
            (self.computes, format!("x = ({i} + x) % 2;")),
        ];
        Words::one(rng, &always, &more)
    }

    fn event(&self, rng: &mut Rng) -> String {
        let i = self.index(rng);
        let always = [
            "go".to_owned(),
            "stay".to_owned(),
            format!("e.{i}"),
            format!("e.{i}"),
            format!("f.{i}.x"),
            "e.turn".to_owned(),
        ];
        let more = [(self.computes, "e.x".to_owned()), (self.names, format!("f.turn.{i}"))];
        Words::one(rng, &always, &more)
    }

    fn step(&self, rng: &mut Rng) -> String {
        let i = self.index(rng);
        let event = self.event(rng);
        let always = [
            format!("{event}{{{}}}", self.program(rng)),
            format!("{event}{{{}}}", self.program(rng)),
            event.clone(),
            event.clone(),
            rng.pick(&["c!1", "c!x", "c!i", "c?1", "c?y", "c?i"]).to_string(),
            rng.pick(&["r!i", "r?y", "r!0", "r?0", "r?turn"]).to_string(),
            format!("{}({event})", rng.pick(&["wf", "sf", "wl", "sl"])),
            format!("tau{{{}}}", self.program(rng)),
        ];
        let more = [
            (self.channels, format!("d[{i}]!{}", rng.pick(&["1", "x", "i"]))),
            (self.channels, format!("d[{i}]?{}", rng.pick(&["1", "y", "i"]))),
            (self.meetings, format!("q[{i}]!{}", rng.pick(&["1", "x", "i"]))),
            (self.meetings, format!("q[{i}]?{}", rng.pick(&["1", "y", "i"]))),
        ];
        Words::one(rng, &always, &more)
    }

    fn process(&self, rng: &mut Rng, name: &str) -> String {
        let mut ways = Vec::new();
        for _ in 0..1 + rng.below(2) {
            let mut way = String::new();
            if self.shapes && rng.chance(1, 3) {
                let steps = format!("{} -> {}", self.step(rng), self.step(rng));
                ways.push(match rng.chance(1, 2) {
                    true => format!("(atomic{{{steps} -> Skip}}; {name})"),
                    false => {
                        let (guard, other) = (self.guard(rng), self.step(rng));
                        let kind = rng.pick(&["if", "ifa"]);
                        format!("{kind} ({guard}) {{{steps} -> {name}}} else {{{other} -> {name}}}")
                    }
                });
                continue;
            }
            if self.channels && rng.chance(1, 6) {
                let _ = write!(way, "[turn != 9] d[turn]{} -> ", rng.pick(&["!1", "!i", "?y"]));
            } else if rng.chance(1, 2) {
                let _ = write!(way, "[{}] ", self.guard(rng));
            }
            for _ in 0..1 + rng.below(3) {
                let _ = write!(way, "{} -> ", self.step(rng));
            }
            way += if rng.chance(1, 6) { "Stop" } else { name };
            ways.push(way);
        }
        ways.join(" [] ")
    }

    /// Processes beside those that are alike, with the events that they take together.
    fn monitor(&self, rng: &mut Rng) -> (String, String) {
        let one = rng.below(self.count);
        let mut events: Vec<String> = (0..self.count).map(|at| format!("e.{at}")).collect();
        if rng.chance(1, 3) {
            events.remove(one);
        }
        let all = events.join(", ");
        let choice =
            |then: &str| events.iter().map(|it| format!("{it} -> {then}")).collect::<Vec<_>>();
        match rng.below(5) {
            0 => (
                format!("M() = {};\n#alphabet M {{{all}}};\n", choice("M()").join(" [] ")),
                "M()".to_owned(),
            ),
            1 => (
                format!("M() = e.{one} -> go{{x = 1;}} -> M();\n#alphabet M {{{all}}};\n"),
                "M()".to_owned(),
            ),
            2 => ("M() = [turn != 9] e.turn -> M();\n".to_owned(), "M()".to_owned()),
            3 => (
                format!("M() = [turn != 9] e.turn -> M();\n#alphabet M {{{all}}};\n"),
                "M()".to_owned(),
            ),
            _ => {
                let of = if self.meetings { "q" } else { "d" };
                (format!("M() = {of}[{one}]?y -> c!{one} -> M();\n"), "M()".to_owned())
            }
        }
    }
}

/// A text with some assertions.
pub(crate) fn text(rng: &mut Rng) -> String {
    let words = Words::new(rng);
    let count = words.count;
    let mut text = format!(
        "#import \"PAT.Lib.Queue\"; #import \"PAT.Lib.Set\";\n\
         var<Queue> w; // capacity: 2\n\
         var<Set> s; // capacity: 4\n\
         var turn = 9; var x:{{0..1}} = 0; var a[{count}]; var m[{count}][2];\n\
         var g[{count}][{count}];\n\
         channel c 1; channel r 0; channel d[{count}] 1; channel q[{count}] 0;\n\
         P(i) = {};\n",
        words.process(rng, "P(i)")
    );
    if rng.chance(1, 8) {
        text += *rng.pick::<&str>(&["#alphabet P {e.i};\n", "#alphabet P {e.i, go};\n"]);
    }
    let mut system = match rng.below(3) {
        0 => format!("||| i:{{0..{}}} @ P(i)", count - 1),
        1 if rng.chance(1, 2) => format!("|| i:{{0..{}}} @ P(i)", count - 1),
        _ => {
            let between = if rng.chance(1, 6) { " || " } else { " ||| " };
            let hides = rng.chance(1, 8);
            let one = |at: usize| match hides {
                true => format!("(P({at}) \\ {{e.{at}}})"),
                false => format!("P({at})"),
            };
            (0..count).map(one).collect::<Vec<_>>().join(between)
        }
    };
    if rng.chance(1, 4) {
        let mut hidden = vec![format!("e.{}", rng.below(count))];
        if rng.chance(1, 2) {
            hidden = (0..count).map(|at| format!("e.{at}")).collect();
        }
        system = format!("({system}) \\ {{{}}}", hidden.join(", "));
    }
    if rng.chance(1, 4) {
        let (monitor, name) = words.monitor(rng);
        text += &monitor;
        let between = if rng.chance(2, 3) { "||" } else { "|||" };
        system = format!("({system}) {between} {name}");
    }
    let one = rng.below(count);
    let _ = write!(
        text,
        "System() = {system};\n\
         #define p0 x == 1; #define p1 turn == 9; #define p2 cempty(c);\n\
         #define p3 turn == {one}; #define p4 a[{one}] == 1; #define p5 m[{one}][1] == 1;\n\
         #define p6 cempty(d[{one}]); #define p7 g[{one}][{one}] == 1;\n"
    );
    let atoms = ["p0", "p1", "p2", "go", "stay", "p3", "p4", "p5", "p6", "p7"].map(str::to_owned);
    let mut atoms: Vec<String> = atoms.into();
    atoms.push(format!("e.{one}"));
    for _ in 0..3 {
        let from = if rng.chance(2, 3) { &atoms[..5] } else { &atoms[..] };
        let (p, q) = (rng.pick(from).clone(), rng.pick(from).clone());
        let formula = match rng.below(8) {
            0 => format!("[]<> {p}"),
            1 => format!("<>[] !{p}"),
            2 => format!("[] !{p}"),
            3 => format!("[] ({p} -> <> {q})"),
            4 => format!("[]<> {p} -> []<> {q}"),
            5 => format!("[] ({p} -> X {q})"),
            6 => format!("[] X !{p}"),
            _ => format!("<> ({p} && <> {q})"),
        };
        let _ = writeln!(text, "#assert System() |= {formula};");
    }
    let goal = rng.pick(&["p0", "p1", "p3", "p4"]);
    let _ = write!(text, "#assert System() deadlockfree;\n#assert System() reaches {goal};\n");
    text
}

const NOTIONS: [Notion; 13] = [
    Notion::None,
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
    Notion::Weak(Level::Process),
];

/// An assertion, asked in one way: whether it holds, and whether processes were permuted. Nothing where there
/// is no answer.
fn asked(
    file: &mut CspFile,
    system: SystemIndex,
    assertion: &Assertion,
    assumption: &Assumption,
    options: &Options,
) -> Option<(bool, bool)> {
    let used = |reductions: &[String]| reductions.iter().any(|it| it.starts_with("symmetry"));
    if let Claim::Satisfies(formula) = &assertion.claim {
        let mut property = file.property(system, "it", formula).ok()?;
        let verdict = check(file.interpreter(system), &mut property, assumption, options);
        let verdict = match verdict {
            Ok(verdict) => verdict,
            Err(failure @ CheckError::Internal { .. }) => panic!("{failure}"),
            Err(_) => return None,
        };
        return match verdict.outcome {
            Outcome::Holds(_) => Some((true, used(&verdict.stamp.reductions))),
            Outcome::Violated(_) | Outcome::Doomed(_) => {
                Some((false, used(&verdict.stamp.reductions)))
            }
            Outcome::Unknown(_) => None,
        };
    }
    let verdict = match file.claim(system, &assertion.claim, Effort::from(options)) {
        Ok(verdict) => verdict,
        Err(AnswerError::Failed(failure @ CheckError::Internal { .. })) => panic!("{failure}"),
        Err(_) => return None,
    };
    match verdict.outcome {
        ClaimOutcome::Holds(_) => Some((true, used(&verdict.reductions))),
        ClaimOutcome::Violated(_) => Some((false, used(&verdict.reductions))),
        ClaimOutcome::Unknown(_) => None,
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    texts: u64,
    compared: u64,
    violated: u64,
    permuted: u64,
}

/// Compares the answers to one text.
fn compare(seed: u64) -> Count {
    let mut rng = Rng::new(seed);
    let text = text(&mut rng);
    let mut count = Count::default();
    let Ok(mut file) = CspFile::parse(&text) else { return count };
    let assertions = file.specification().assertions.clone();
    let Ok(system) = file.system(&assertions[0].process) else { return count };
    let small = Bounds { nodes: Some(1500), ..Bounds::default() };
    if reach::count(file.interpreter(system), small).is_err() {
        return count;
    }
    count.texts = 1;
    for assertion in &assertions {
        let mut assumption = Assumption::of(*rng.pick(&NOTIONS));
        if rng.chance(1, 5) {
            let signature = file.interpreter(system).signature();
            let of = match rng.chance(1, 2) {
                true => Some(Selector::Process(ProcessId::from_index(
                    rng.below(signature.processes.len()),
                ))),
                false => EventSet::named("e.0", signature).map(Selector::Events),
            };
            let strength = *rng.pick(&[Strength::Weak, Strength::Strong]);
            assumption.extra.extend(of.map(|of| Constraint::fair(strength, "one", of)));
        }
        let any_run = rng.chance(2, 3);
        let bounds = Bounds { nodes: Some(20_000), ..Bounds::default() };
        let mut whole = None;
        for reduction in [Reduction::Off, Reduction::Symmetry, Reduction::Sound] {
            // Each is asked of a system of its own, so that none has numbered the states before.
            let mut file = CspFile::parse(&text).expect("it was read before");
            let system = file.system(&assertion.process).expect("it was made before");
            // Constraints of events need the events that are met on the way.
            let _ = reach::count(file.interpreter(system), small);
            let options = Options { bounds, reduction, any_run, ..Options::default() };
            let told = || {
                let title = file.title(assertion);
                format!("seed {seed}: {title} under {assumption} by {reduction:?}\n{text}")
            };
            let told = told();
            let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                asked(&mut file, system, assertion, &assumption, &options)
            }));
            let answer = answer.unwrap_or_else(|_| panic!("a failure with {told}"));
            let Some((holds, is_permuted)) = answer else {
                if whole.is_none() {
                    break;
                }
                continue;
            };
            match whole {
                None => whole = Some(holds),
                Some(expected) => {
                    assert_eq!(expected, holds, "{told}");
                    count.compared += 1;
                    count.violated += u64::from(!holds);
                    count.permuted += u64::from(is_permuted);
                }
            }
        }
    }
    count
}

#[test]
fn quotients_of_csp_give_the_same_verdicts() {
    let (first, wanted) = (first_seed(1), cases(2_000));
    let mut all = Count::default();
    let mut seeds: Vec<u64> = (first..first + 64).collect();
    while all.compared < wanted {
        for Count { texts, compared, violated, permuted } in side_by_side(&seeds, |&it| compare(it))
        {
            all.texts += texts;
            all.compared += compared;
            all.violated += violated;
            all.permuted += permuted;
        }
        let next = seeds[seeds.len() - 1] + 1;
        seeds = (next..next + 64).collect();
    }
    println!("{all:?}, seeds up to {}", seeds[0]);
    assert!(8 * all.permuted > all.compared, "too little symmetry: {all:?}");
    assert!(8 * all.violated > all.compared, "too few violations: {all:?}");
    assert!(8 * (all.compared - all.violated) > all.compared, "too few that hold: {all:?}");
}

/// A step after a permutation, but for its event: its participants with their edges, and its target.
type Step = (Vec<(usize, Option<[u32; 3]>)>, Result<StateId, String>);

fn steps(
    system: &mut ModelSystem,
    state: StateId,
    moved: &Permutation,
    target: &mut dyn FnMut(&mut ModelSystem, StateId) -> StateId,
) -> Vec<(Step, EventId)> {
    let mut out = Vec::new();
    system.enabled(state, &mut out);
    let mut steps = Vec::new();
    for transition in out {
        if transition.action == ActionId::IDLE {
            continue;
        }
        let action = system.action(transition.action).clone();
        let part = |id: &fairly_system::MoveId| {
            let slot = system.signature().moves[id.index()].process.index();
            let edge =
                system.space().part(*id).map(|part| [part.variant, part.location, part.edge]);
            (moved.of(slot), edge)
        };
        let mut parts: Vec<_> = action.moves.iter().map(part).collect();
        parts.sort_unstable();
        let to = match system.fault(transition.target) {
            Some(fault) => Err(format!("{:?}", fault.kind)),
            None => Ok(target(system, transition.target)),
        };
        steps.push(((parts, to), action.event));
    }
    steps.sort();
    steps
}

/// The state with its processes permuted.
fn permuted(
    system: &mut ModelSystem,
    state: StateId,
    symmetry: &mut Symmetry,
    moved: &Permutation,
) -> StateId {
    let mut row = system.row(state);
    symmetry.permute(&mut row, moved);
    system.number(&row)
}

/// For permutations that are found in a system: permuting a state and stepping leads where stepping and permuting
/// does, and events become events in one way. How many states were compared.
fn commutes(system: &mut ModelSystem, rng: &mut Rng, told: &str) -> u64 {
    let base = system.base().expect("a model");
    let Ok(mut symmetry) = base.symmetry(&Watched::default(), Stop::default()) else { return 0 };
    let groups: Vec<Vec<usize>> = symmetry.slots().map(<[usize]>::to_vec).collect();
    let slots = system.signature().processes.len();
    let nobody = Permutation::identity(slots);
    // Where something goes wrong at the start, there is nothing behind the state to permute.
    let mut states = system.initial();
    states.retain(|&state| system.fault(state).is_none());
    if states.is_empty() {
        return 0;
    }
    let mut at = 0;
    while at < states.len() && states.len() < 200 {
        let mut out = Vec::new();
        system.enabled(states[at], &mut out);
        for transition in out {
            if system.fault(transition.target).is_none() && !states.contains(&transition.target) {
                states.push(transition.target);
            }
        }
        at += 1;
    }
    let mut compared = 0;
    for group in groups {
        let other = 1 + rng.below(group.len() - 1);
        for through in [vec![group[0], group[other]], group.clone()] {
            let moved = Permutation::cycle(slots, &through);
            let mut events: HashMap<EventId, EventId> = HashMap::new();
            for _ in 0..12 {
                let state = *rng.pick(&states);
                let there = permuted(system, state, &mut symmetry, &moved);
                let expected = steps(system, state, &moved, &mut |system, target| {
                    permuted(system, target, &mut symmetry, &moved)
                });
                let found = steps(system, there, &nobody, &mut |_, target| target);
                let plain = |all: &[(Step, EventId)]| -> Vec<Step> {
                    all.iter().map(|(step, _)| step.clone()).collect()
                };
                assert_eq!(plain(&expected), plain(&found), "{through:?} {told}");
                let mut times: BTreeMap<&Step, usize> = BTreeMap::new();
                found.iter().for_each(|(step, _)| *times.entry(step).or_default() += 1);
                for ((step, event), (_, other)) in expected.iter().zip(&found) {
                    if times[step] == 1 {
                        let known = *events.entry(*event).or_insert(*other);
                        assert_eq!(known, *other, "an event becomes two: {through:?} {told}");
                    }
                    let kind = |event: EventId| system.signature().event_kind(event);
                    assert_eq!(kind(*event), kind(*other), "{told}");
                }
                compared += 1;
            }
            let mut images: Vec<EventId> = events.values().copied().collect();
            images.sort_unstable();
            images.dedup();
            assert_eq!(images.len(), events.len(), "two events become one: {through:?} {told}");
        }
    }
    compared
}

/// A model with slots for processes of one kind each, of which there are few.
fn alike(rng: &mut Rng) -> Model {
    let shape = Shape {
        variables: 1 + rng.below(2),
        channels: rng.below(2),
        templates: 1 + rng.below(2),
        locations: 2 + rng.below(2),
        edges: 1 + rng.below(2),
        slots: 3 + rng.below(2),
        depth: 1,
        timeout: rng.chance(1, 4),
        last_mover: false,
        remote: rng.chance(1, 4),
        atomic: rng.chance(1, 3),
        decorated: rng.chance(1, 2),
    };
    let model = random_model(rng, &shape);
    let mut same = model.clone();
    let first = rng.below(same.slots.len());
    for slot in 0..same.slots.len() {
        let name = same.slots[slot].name.clone();
        let renamed = same.slots[slot].renamed.clone();
        same.slots[slot] = Slot { name, renamed, ..same.slots[first].clone() };
    }
    if rng.chance(3, 4) && fairly_model::verify(&same).is_ok() { same } else { model }
}

#[test]
fn permuting_and_stepping_commute() {
    let (first, wanted) = (first_seed(1), cases(400));
    let work = |&seed: &u64| {
        let mut rng = Rng::new(seed);
        let mut compared = 0;
        let text = text(&mut rng);
        if let Ok(mut file) = CspFile::parse(&text) {
            let assertions = file.specification().assertions.clone();
            if let Ok(system) = file.system(&assertions[0].process) {
                let told = format!("seed {seed}\n{text}");
                compared += commutes(file.interpreter(system), &mut rng, &told);
            }
        }
        let model = alike(&mut rng);
        let told = format!("seed {seed}\n{}", fairly_model::text::print(&model));
        let mut system = ModelSystem::new(ModelSpace::new(model, None), None);
        compared += commutes(&mut system, &mut rng, &told);
        let program = crate::symmetry_random::program(&mut rng);
        if let Ok(mut file) = PromelaFile::parse(&program, &[]) {
            let told = format!("seed {seed}\n{program}");
            compared += commutes(file.interpreter(), &mut rng, &told);
        }
        compared
    };
    let mut seeds: Vec<u64> = (first..first + 32).collect();
    let mut compared = 0;
    while compared < wanted {
        compared += side_by_side(&seeds, work).into_iter().sum::<u64>();
        let next = seeds[seeds.len() - 1] + 1;
        seeds = (next..next + 32).collect();
    }
    println!("{compared} states");
}
