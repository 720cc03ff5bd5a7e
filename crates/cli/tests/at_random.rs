//! Commands at random: options, settings and traces that no person would write. Each command ends soon, with an
//! exit code that means something, and without a panic.
//!
//! `FAIRLY_RANDOM=20000 cargo test -p fairly-cli --test all at_random` tries more of them; `FAIRLY_SEED` begins
//! elsewhere.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

const COMMANDS: &[&str] = &[
    "check",
    "check",
    "check",
    "check",
    "ladder",
    "least",
    "graph",
    "sim",
    "trace show",
    "trace verify",
    "trace convert",
    "aut stats",
    "aut empty",
    "aut convert",
    "aut union",
    "aut complement",
    "ltl",
    "explain",
    "man",
    "completions",
    "new",
    "help",
    "nonsense",
    "",
];

const OPTIONS: &[&str] = &[
    "--fairness",
    "--level",
    "--constraint",
    "--annotations",
    "--reading",
    "--machine-closed",
    "--feasible",
    "--ladder",
    "--report",
    "--spin-compat",
    "--expect",
    "--lossy",
    "--trace",
    "--format",
    "--property",
    "-p",
    "--formula",
    "-f",
    "--lang",
    "--interleave",
    "--alphabet",
    "--engine",
    "--max-states",
    "--timeout",
    "--max-memory",
    "--interpret",
    "--no-reduction",
    "--soundness",
    "--color",
    "--ascii",
    "--random",
    "--seed",
    "--steps",
    "--along",
    "--to",
    "--output",
    "-o",
    "--model",
    "--help",
    "-h",
    "--version",
    "--word",
    "--",
];

const VALUES: &[&str] = &[
    "weak",
    "strong",
    "global",
    "inherent",
    "annotated",
    "weak-live",
    "strong-live",
    "none",
    "event",
    "action",
    "process",
    "name",
    "occurrence",
    "trace",
    "run",
    "table",
    "runs",
    "json=out.json",
    "junit=/dev/null",
    "sarif=",
    "=x",
    "json",
    "sarif",
    "github",
    "junit",
    "markdown",
    "human",
    "f",
    "served",
    "1",
    "99",
    "-1",
    "0",
    "0.001",
    "1e999",
    "nan",
    "inf",
    "18446744073709551616",
    "1k",
    "8M",
    "64K",
    "",
    " ",
    "\n",
    "\u{1b}[31m",
    "wf(P)",
    "sf(P[0])",
    "wl(a)",
    "justice(x)",
    "compassion(a, b)",
    "wf(",
    "[]<> x",
    "<> (x == 1)",
    "G F a",
    "[] !b",
    "((((((((",
    "x U y",
    "violated",
    "f=violated",
    "=",
    "holds",
    "fingerprints",
    "bits",
    "bits=1K",
    "fingerprints=32",
    "promela",
    "csp",
    "dot",
    "mermaid",
    "itf",
    "trail",
    "hoa",
    "aut",
    "scc",
    "streett",
    "a,b",
    "A=a,b",
    "always",
    "never",
    "cycle{a}",
    "bash",
    "strong fairness",
    "E0001",
    "t.json",
    "no/such/t.json",
    ".",
    "/dev/null",
    "deep/../x",
];

const FILES: &[&str] = &[
    "m.pml",
    "m.csp",
    "m.net",
    "m.hoa",
    "m.aut",
    "t.json",
    "bad.json",
    "m.pml.trail",
    "empty.pml",
    "bin.pml",
    ".",
    "missing.pml",
    "folder",
    "-",
    "fairly.toml",
];

/// Settings that are nearly right.
fn toml(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(6) {
        let name = random.of(&[
            "fairness",
            "level",
            "timeout",
            "property",
            "formula",
            "expect",
            "constraint",
            "format",
            "max-states",
            "engine",
            "file",
            "run-spin",
            "report",
            "trace",
            "\"\\u001b\"",
        ]);
        let value = match random.below(5) {
            0 => random.below(1000).to_string(),
            1 => format!("[{:?}, 1]", random.of(VALUES)),
            2 => format!("{{ f = {:?} }}", random.of(VALUES)),
            3 => "[[[]]]".to_owned(),
            _ => format!("{:?}", random.of(VALUES)),
        };
        let table =
            random.of(&["", "", "[check]\n", "[[model]]\nfile = \"m.pml\"\n", "[model]\n", "[x"]);
        text.push_str(&format!("{table}{name} = {value}\n"));
    }
    text
}

/// A text with some bytes changed.
fn mutated(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len().max(1)).min(bytes.len().saturating_sub(1));
        match random.below(5) {
            0 => bytes[at] = (random.next() & 0xff) as u8,
            1 => drop(bytes.remove(at)),
            2 => {
                let end = (at + random.below(40)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            3 => bytes.truncate(at.max(1)),
            _ => {
                let digits = b"0123456789-\"{}[],:n";
                bytes[at] = digits[random.below(digits.len())];
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

/// Runs a command to its end, or for as long as anybody would wait.
fn run(folder: &Path, words: &[String], stdin: &str) -> Result<(i32, String), String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
    command.args(words).current_dir(folder).env("NO_COLOR", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary runs");
    let _ = child.stdin.take().expect("piped").write_all(stdin.as_bytes());
    let mut streams: Vec<Box<dyn Read + Send>> = vec![
        Box::new(child.stdout.take().expect("piped")),
        Box::new(child.stderr.take().expect("piped")),
    ];
    let readers: Vec<_> = streams
        .drain(..)
        .map(|mut stream| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                let _ = stream.read_to_end(&mut bytes);
                bytes
            })
        })
        .collect();
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("it is ours") {
            break status;
        }
        if started.elapsed() > Duration::from_secs(60) {
            let _ = child.kill();
            let _ = child.wait();
            return Err("it does not end".to_owned());
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let bytes: Vec<u8> = readers.into_iter().flat_map(|it| it.join().expect("read")).collect();
    let text = String::from_utf8(bytes).map_err(|_| "it prints what is no text".to_owned())?;
    match status.code() {
        Some(code) => Ok((code, text)),
        None => Err(format!("it was ended by a signal: {status}")),
    }
}

#[test]
fn commands_at_random_end_with_an_answer_or_a_reason() {
    let folder = std::env::temp_dir().join(format!("fairly-at-random-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("folder")).expect("a folder");
    let write =
        |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("a file");
    write("m.pml", b"byte x; active [2] proctype P() { do :: x = 1 - x :: x > 1 -> assert(false) od } ltl f { []<> (x == 1) }\n");
    write("m.csp", b"var x = 0;\n#define one x == 1;\nP() = a{x = 1 - x;} -> b -> P();\nS() = P() ||| P();\n#assert S() |= []<> a;\n#assert S() deadlockfree;\n#assert P() |= [] one;\n");
    write("m.net", b"component A {\n  initial 0\n  0 -a-> 1\n  1 -b-> 0\n}\nproperty f: G !b\nexpect f {\n  none: violated\n}\n");
    write("m.hoa", b"HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"a\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[0] 0 {0}\n[!0] 0\n--END--\n");
    write("m.aut", b"des (0, 2, 2)\n(0, \"a\", 1)\n(1, \"b\", 0)\n");
    write("m.pml.trail", b"1:0:1\n2:1:1\n");
    write("empty.pml", b"");
    write("bin.pml", &[0xff, 0, 0x1b]);
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<String>>();
    run(&folder, &words(&["check", "--trace", "t.json", "-f", "[] (x == 0)", "m.pml"]), "")
        .expect("a trace");
    let trace = std::fs::read(folder.join("t.json")).expect("a trace");
    write("bad.json", &trace);

    let number = |name: &str, usual: u64| -> u64 {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (count, first) = (number("FAIRLY_RANDOM", 300), number("FAIRLY_SEED", 1));
    for seed in first..first + count {
        let random = &mut Random(seed.wrapping_mul(0x1234_5678_9abc_def1));
        match random.below(4) {
            0 => write("fairly.toml", toml(random).as_bytes()),
            1 => write("fairly.toml", &mutated(b"[check]\nfairness = \"weak\"\n[[model]]\nfile = \"m.pml\"\nexpect = { f = \"violated\" }\n", random)),
            _ => drop(std::fs::remove_file(folder.join("fairly.toml"))),
        }
        if random.one_in(3) {
            write("bad.json", &mutated(&trace, random));
        }
        let mut all: Vec<String> =
            random.of(COMMANDS).split_whitespace().map(str::to_owned).collect();
        for _ in 0..random.below(5) {
            let option = random.of(OPTIONS);
            all.push(option.to_owned());
            if random.one_in(3) {
                continue;
            }
            all.push(random.of(VALUES).to_owned());
        }
        for _ in 0..random.below(3) {
            all.push(random.of(FILES).to_owned());
        }
        // Nothing that is asked here takes long, but nothing need be searched to its end either.
        if all.first().is_some_and(|it| it == "check") && !all.iter().any(|it| it == "--timeout") {
            all.insert(1, "--timeout=5".to_owned());
        }
        let said = run(&folder, &all, random.of(&["", "1\nq\n", "byte x;", "r 5\nt\ns\nu 2\nq\n"]));
        let settings = std::fs::read_to_string(folder.join("fairly.toml")).unwrap_or_default();
        let (code, text) =
            said.unwrap_or_else(|why| panic!("seed {seed}: {all:?}: {why}\n{settings}"));
        assert!((0..=4).contains(&code), "seed {seed}: {all:?}: exit {code}\n{settings}\n{text}");
        let is_raw = |sign: char| sign.is_control() && sign != '\n' && sign != '\t';
        assert!(!text.contains(is_raw), "seed {seed}: {all:?}: {text:?}");
        for left in std::fs::read_dir(&folder).expect("ours") {
            let left = left.expect("one").file_name().to_string_lossy().into_owned();
            assert!(!left.starts_with(".fairly-"), "seed {seed}: {all:?}: left {left}");
        }
    }
    let _ = std::fs::remove_dir_all(PathBuf::from(&folder));
}
