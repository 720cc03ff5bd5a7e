//! Processes that are started and that end while others go on: reduced systems against whole ones, on random
//! Promela programs that start processes in loops, conditionally, in atomic sequences and by each other, with
//! parameters, numbers of processes and channels; and how many states are left of some.
//!
//! `FAIRLY_RANDOM_CASES` says how many programs, `FAIRLY_SEED` the seed of the first.

use fairly_check::claim::Effort;
use fairly_check::{Assumption, Options, Reduction, check};
use fairly_fairness::{Level, Notion, PrefixKind};
use fairly_search::Bounds;
use fairly_testkit::Rng;

use crate::common::languages::{PromelaFile, Question};
use crate::resetting_dead::{Said, of_claim, of_formula};
use fairly_modelkit::{cases, first_seed};

/// Parts of a random program.
struct Writer<'a> {
    rng: &'a mut Rng,
    /// Proctypes that are started.
    kinds: usize,
    /// Whether numbers of processes are used, and how many there are.
    numbers: bool,
    counts: bool,
    channels: bool,
    /// Whether processes have channels of their own.
    own: bool,
    /// Whether processes are given channels.
    gives: bool,
    /// Whether the process that is written was given channels.
    given: bool,
    /// Whether processes that are started go round for ever.
    endless: bool,
    fresh: usize,
}

impl Writer<'_> {
    /// A value that a process knows.
    fn value(&mut self) -> String {
        let mut values = vec!["0", "1", "2", "x", "x", "g", "h"];
        if self.numbers {
            values.push("_pid");
        }
        if self.counts {
            values.push("_nr_pr");
        }
        let value = (*self.rng.pick(&values)).to_owned();
        if self.rng.chance(1, 4) { format!("({value} + 1) % 3") } else { format!("{value} % 3") }
    }

    fn condition(&mut self) -> String {
        if self.gives && self.rng.chance(1, 5) {
            let channel = self.channel();
            let ask = *self.rng.pick(&["nempty", "empty", "nfull", "full"]);
            // Whether a rendezvous is full is a question that SPIN does not answer.
            return match channel.as_str() {
                "r" => "(g == 0)".to_owned(),
                channel => format!("({ask}({channel}))"),
            };
        }
        let left = self.value();
        let right = self.rng.below(3);
        let op = *self.rng.pick(&["==", "!=", "<="]);
        format!("({left} {op} {right})")
    }

    /// A channel that the process knows.
    fn channel(&mut self) -> String {
        let mut all = vec!["c", "c", "r"];
        if self.gives {
            all = vec!["q[0]", "q[1]", "c"];
        }
        if self.given {
            all.extend(["from", "from", "to", "to", "to"]);
        }
        (*self.rng.pick(&all)).to_owned()
    }

    /// The channels that a process is given.
    fn gifts(&mut self) -> String {
        if !self.gives {
            return String::new();
        }
        let others: &[&str] =
            if self.given { &["to", "from", "q[x % 2]"] } else { &["q[x % 2]", "q[1]"] };
        let (one, two) = (*self.rng.pick(others), *self.rng.pick(others));
        format!(", {one}, {two}")
    }

    /// A statement that never waits.
    fn assignment(&mut self) -> String {
        let value = self.value();
        match self.rng.below(9) {
            0..=3 => format!("x = {value}"),
            4 | 5 => format!("g = {value}"),
            6 => format!("h = {value}"),
            7 => "w++".to_owned(),
            _ => format!("w = w + {value}"),
        }
    }

    fn start(&mut self) -> String {
        let kind = self.rng.below(self.kinds);
        let value = self.value();
        let gifts = self.gifts();
        let run = format!("run W{kind}({value}, left - 1{gifts})");
        match self.rng.below(6) {
            0 if self.numbers => format!("if :: left > 0 -> x = {run} :: else fi"),
            1 => format!("atomic {{ if :: left > 0 -> {run} :: else fi }}"),
            2 => format!("if :: left > 0 -> {run} :: true fi"),
            3 => {
                let condition = self.condition();
                format!("if :: left > 0 && {condition} -> {run} :: else fi")
            }
            _ => format!("if :: left > 0 -> {run} :: else fi"),
        }
    }

    fn statement(&mut self, depth: usize) -> String {
        match self.rng.below(20) {
            0..=6 => self.assignment(),
            7 => self.condition(),
            8 | 9 if self.channels => {
                let channel = self.channel();
                let value = self.value();
                match self.rng.chance(1, 2) {
                    true => format!("{channel}!{value}"),
                    false => format!("{channel}?x"),
                }
            }
            10 if self.own => "o!1".to_owned(),
            10 => "skip".to_owned(),
            11 | 12 => self.start(),
            13 => {
                let condition = self.condition();
                format!("assert{condition}")
            }
            14 if depth > 0 => format!("atomic {{ {} }}", self.sequence(depth - 1, 2)),
            15 | 16 if depth > 0 => {
                let (one, two) = (self.sequence(depth - 1, 2), self.sequence(depth - 1, 2));
                let last = *self.rng.pick(&["", ":: else "]);
                let condition = self.condition();
                format!("if :: {condition} -> {one} :: true -> {two} {last}fi").replace(
                    ":: true -> ",
                    if last.is_empty() { ":: true -> " } else { ":: (g == 1) -> " },
                )
            }
            17 if depth > 0 => {
                let body = self.sequence(depth - 1, 2);
                self.fresh += 1;
                let counter = format!("k{}", self.fresh);
                format!(
                    "byte {counter}; do :: {counter} < 2 -> {body}; {counter}++ :: else -> break od"
                )
            }
            18 if depth > 0 && self.rng.chance(1, 2) => {
                let body = self.sequence(depth - 1, 2);
                let out = *self.rng.pick(&["", ":: break "]);
                format!("do :: {body} {out}od")
            }
            19 if self.rng.chance(1, 4) => "timeout".to_owned(),
            _ => self.assignment(),
        }
    }

    fn sequence(&mut self, depth: usize, most: usize) -> String {
        let count = 1 + self.rng.below(most);
        (0..count).map(|_| self.statement(depth)).collect::<Vec<_>>().join("; ")
    }

    fn locals(&mut self) -> String {
        let own = if self.own { "chan o = [1] of { byte }; " } else { "" };
        format!("byte x; {own}")
    }

    fn program(&mut self) -> String {
        let mut text =
            "byte g, h; int w; chan c = [2] of { byte }; chan r = [0] of { byte };\n".to_owned();
        let gifts = if self.gives { "; chan from; chan to" } else { "" };
        if self.gives {
            text.push_str("chan q[2] = [1] of { byte };\n");
        }
        for kind in 0..self.kinds {
            self.given = self.gives;
            let (locals, body) = (self.locals(), self.sequence(2, 3));
            let body = if self.endless { format!("do :: {body} od") } else { body };
            self.given = false;
            text.push_str(&format!(
                "proctype W{kind}(byte p; byte left{gifts}) {{ {locals}L: x = p; {body} }}\n"
            ));
        }
        for at in 0..self.rng.below(2) {
            let (locals, body) = (self.locals(), self.sequence(1, 3));
            text.push_str(&format!(
                "active proctype A{at}() {{ byte left = 1; {locals}{body} }}\n"
            ));
        }
        let times = 1 + self.rng.below(3);
        let left = self.rng.below(2);
        let kind = self.rng.below(self.kinds);
        let value = *self.rng.pick(&["i", "1"]);
        let gifts = if self.gives { ", q[i % 2], q[(i + 1) % 2]" } else { "" };
        let run = format!("run W{kind}({value}, {left}{gifts})");
        let round = format!("i < {times} -> {run}; i++ :: else -> break");
        let starting = match self.rng.below(4) {
            0 => format!("atomic {{ do :: {round} od }}"),
            1 => format!("do :: atomic {{ i < {times} -> {run}; i++ }} :: else -> break od"),
            _ => format!("do :: {round} od"),
        };
        let after = if self.rng.chance(1, 2) { self.sequence(1, 2) } else { "skip".to_owned() };
        let locals = self.locals();
        text.push_str(&format!("init {{ byte i; byte left = 1; {locals}{starting}; {after} }}\n"));
        let mut atoms = vec!["g == 1", "h == 1", "g == 2", "g == h", "W0[1]@L"];
        if self.counts {
            atoms.extend(["_nr_pr > 2", "_nr_pr == 1"]);
        }
        for at in 0..1 + self.rng.below(2) {
            let (a, b) = (*self.rng.pick(&atoms), *self.rng.pick(&atoms));
            let formula = match self.rng.below(7) {
                0 => format!("[] <> ({a})"),
                1 => format!("<> [] ({a})"),
                2 => format!("[] !({a})"),
                3 => format!("<> ({a})"),
                4 => format!("[] (({a}) -> <> ({b}))"),
                5 => format!("!({a}) U ({b})"),
                _ => format!("([] <> ({a})) -> ([] <> ({b}))"),
            };
            text.push_str(&format!("ltl f{at} {{ {formula} }}\n"));
        }
        text
    }
}

/// A random program in which processes are started.
pub(crate) fn program(seed: u64) -> String {
    let rng = &mut Rng::new(seed ^ 0x73_74_61_72_74);
    let [numbers, counts, own] = [(1, 3), (1, 4), (1, 8)].map(|(one, of)| rng.chance(one, of));
    let (kinds, channels) = (1 + rng.below(2), rng.chance(1, 2));
    let (gives, endless) = (channels && rng.chance(1, 2), rng.chance(1, 3));
    let given = false;
    Writer { rng, kinds, numbers, counts, channels, own, gives, given, endless, fresh: 0 }.program()
}

const BOUNDS: Bounds = Bounds { nodes: Some(1500), deadline: None, bytes: None, watch: None };

/// Under these notions a formula is asked.
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
    Notion::Annotated(fairly_fairness::AnnotationLevel::Name),
    Notion::Inherent(PrefixKind::Run),
    Notion::Inherent(PrefixKind::Trace),
    Notion::Global,
];

/// Answers to a question under each notion.
fn answers(file: &mut PromelaFile, question: &Question, reduction: Reduction) -> Vec<Said> {
    match file.property(question) {
        Err(_) => Vec::new(),
        Ok(None) => {
            let effort = Effort { bounds: BOUNDS, reduction, any_run: true, ..Effort::default() };
            vec![of_claim(&file.claim(question, effort).expect("it stands up to replay"))]
        }
        Ok(Some(mut property)) => {
            let options =
                Options { bounds: BOUNDS, reduction, any_run: true, ..Options::default() };
            let ask = |notion| {
                let verdict =
                    check(file.interpreter(), &mut property, &Assumption::of(notion), &options);
                of_formula(&verdict.expect("it stands up to replay"))
            };
            NOTIONS.into_iter().map(ask).collect()
        }
    }
}

#[test]
fn random_programs() {
    let (mut compared, mut less, mut violated, mut refused) = (0, 0, 0, 0);
    let first = first_seed(0);
    for seed in first..first + cases(24) {
        let text = program(seed);
        let mut file = match PromelaFile::parse(&text, &[]) {
            Ok(file) => file,
            Err(why) => {
                refused += 1;
                assert!(!why.is_empty());
                if std::env::var_os("FAIRLY_PROMELA_VERBOSE").is_some() {
                    println!("{seed}: {}\n{text}", why[0].message);
                }
                continue;
            }
        };
        for question in file.questions() {
            let whole = answers(&mut file, &question, Reduction::Off);
            // Variables that nothing depends on are assigned in most of these programs.
            let by = if seed % 4 == 0 { Reduction::DeadVariables } else { Reduction::Sound };
            let small = answers(&mut file, &question, by);
            for (at, (whole, small)) in whole.iter().zip(&small).enumerate() {
                let (Some(holds), Some(same)) = (whole.0, small.0) else { continue };
                let told =
                    || format!("{question:?} {:?} FAIRLY_SEED={seed}\n{text}", NOTIONS.get(at));
                assert_eq!(holds, same, "whole, reduced: {}", told());
                compared += 1;
                violated += usize::from(!holds);
                less += usize::from(small.1);
            }
        }
    }
    println!(
        "{compared} verdicts, {violated} of them violated, {less} with less; {refused} refused"
    );
    assert!(refused * 10 < cases(24), "most programs should be read");
    assert!(less * 4 > compared, "too little was left out");
}

/// The states that are left for the search for errors, and what is said.
fn left_of(text: &str) -> Said {
    let mut file = PromelaFile::parse(text, &[]).expect("a model");
    let verdict = file.claim(&Question::Errors, Effort::default()).expect("it stands up to replay");
    of_claim(&verdict)
}

/// As many states as SPIN has, or fewer.
#[test]
fn loops_that_start_processes() {
    let worker = "proctype W(byte p) { byte x; x = p; x = x + 1 }";
    let round = |times: u32| format!("do :: i < {times} -> run W(i); i++ :: else -> break od");
    for (times, most) in [(11, 58), (40, 203)] {
        let text = format!("{worker} init {{ byte i; {} }}", round(times));
        let (holds, _, states) = left_of(&text);
        assert!(holds == Some(true) && states <= most, "{holds:?}, {states} states of {text}");
    }
    let text = format!("{worker} init {{ byte i; atomic {{ {} }} }}", round(11));
    let (holds, _, states) = left_of(&text);
    assert!(holds == Some(true) && states <= 25, "{holds:?}, {states} states of {text}");
    let text =
        format!("{worker} proctype S() {{ byte i; {} }} init {{ run S(); run S() }}", round(4));
    let (holds, _, states) = left_of(&text);
    assert!(holds == Some(true) && states <= 48, "{holds:?}, {states} states of {text}");
}

/// Stations of a ring that are given their channels are reduced like stations that name theirs: what each receives is
/// its own affair, and one of them in the ring is enough to keep all from going round for ever unseen.
#[test]
fn rings_of_started_processes() {
    let node = "chan q[4] = [2] of { byte }; byte got;
        proctype node(chan from, to; byte me) {
          byte nr;
          to!me;
          end: do :: from?nr -> if :: nr > me -> to!nr :: nr == me -> got++ :: else fi od
        }";
    let run = "run node(q[p], q[(p + 1) % 4], p + 1); p++";
    let text =
        format!("{node} init {{ byte p; atomic {{ do :: p < 4 -> {run} :: else -> break od }} }}");
    let (holds, _, states) = left_of(&text);
    assert!(holds == Some(true) && states <= 60, "{holds:?}, {states} states of {text}");
    // The same with claims, and with numbers that are chosen first.
    let claims = node.replace("byte nr;", "byte nr; xr from; xs to;");
    let text = format!(
        "{claims} init {{ byte p, ids[4]; atomic {{
           do :: p < 4 -> if :: ids[0] == 0 -> ids[0] = p + 1 :: ids[1] == 0 -> ids[1] = p + 1
                             :: ids[2] == 0 -> ids[2] = p + 1 :: ids[3] == 0 -> ids[3] = p + 1 fi; p++
              :: else -> break od;
           p = 0;
           do :: p < 4 -> run node(q[p], q[(p + 1) % 4], ids[p]); p++ :: else -> break od }} }}"
    );
    let (holds, _, states) = left_of(&text);
    // As few as SPIN has, of 7,701.
    assert!(holds == Some(true) && states <= 649, "{holds:?}, {states} states of {text}");
}

/// Processes that are started, never end and have no numbers are permuted: how many are where is all that counts.
#[test]
fn started_processes_are_permuted() {
    let kind = "byte turn; proctype P() {
        byte x; do :: x == 0 -> x = 1 :: x == 1 -> x = 2 :: x == 2 -> x = 0; turn = 1 - turn od }";
    let twice = "run P(); run P(); run P(); run P(); run P(); run P(); run P(); run P()";
    for starting in ["do :: i < 8 -> run P(); i++ :: else -> break od", twice] {
        let text = format!(
            "{kind} init {{ byte i; atomic {{ {starting} }} }} ltl p {{ [] <> (turn == 1) }}"
        );
        let mut file = PromelaFile::parse(&text, &[]).expect("a model");
        for question in file.questions() {
            // Without fairness and under that of all processes it is decided within the bounds, as it is not otherwise.
            let said = answers(&mut file, &question, Reduction::Sound);
            assert!(
                said.iter().take(2).all(|it| it.0 == Some(true)),
                "{said:?}: {question:?} of {text}"
            );
        }
    }
    // Its number is kept, or it may end: then it makes a difference who is where.
    for text in [
        "byte g; proctype P() { do :: g = 1 - g od } init { byte n; n = run P(); n = run P(); assert(n == 1) }",
        "byte g; proctype P() { do :: g == 3 -> break :: g < 3 -> g++ od; assert(_pid == 1) }
         init { run P(); run P(); run P(); run P() }",
    ] {
        assert_eq!(left_of(text).0, Some(false), "{text}");
    }
}

/// Numbers of processes depend on who has ended before another starts, which SPIN overlooks when it leaves
/// something out.
#[test]
fn numbers_of_processes_are_told_apart() {
    for text in [
        "proctype W() { assert(_pid == 1) } init { run W(); run W() }",
        "proctype W() { skip } init { byte n; n = run W(); n = run W(); assert(n == 1) }",
        "proctype W() { skip } init { run W(); run W(); assert(_nr_pr < 3) }",
        "proctype W() { skip } init { run W(); run W(); assert(_nr_pr == 3) }",
        "byte g; proctype W() { g++; g-- } init { run W(); run W(); assert(g == 0) }",
        "chan c = [2] of { chan }; proctype W() { chan o = [1] of { bit }; c!o }
         init { chan x; run W(); c?x; run W(); x!1 }",
    ] {
        assert_eq!(left_of(text).0, Some(false), "{text}");
    }
}

/// Processes that end leave at once here, but need not: that there may be too many is not missed.
#[test]
fn too_many_processes_are_not_overlooked() {
    for (text, wanted) in [
        ("proctype W() { skip } init { do :: run W() od }", None),
        ("proctype W() { skip } init { do :: run W(); _nr_pr == 1 od }", Some(true)),
        (
            "proctype W() { skip } init { short i; do :: i < 300 -> run W(); i++ :: else -> break od }",
            None,
        ),
        (
            "proctype W() { skip } init { short i; do :: i < 200 -> run W(); i++ :: else -> break od }",
            Some(true),
        ),
        ("proctype W() { assert(false) } init { do :: run W() od }", Some(false)),
    ] {
        assert_eq!(left_of(text).0, wanted, "{text}");
    }
}
