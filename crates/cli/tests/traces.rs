//! Traces as certificates: every genuine one is verified, at every level of every notion and for every kind
//! of claim, and none is after a change to any of its fields.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::common::{code, err, out};

/// A folder that is gone after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("fairly-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder of its own");
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("a file");
    }

    fn fairly(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
        command.args(arguments).current_dir(&self.0).env("NO_COLOR", "1");
        command.output().expect("the binary runs")
    }

    /// The traces that were kept, oldest names first; they are moved out of the way.
    fn take_traces(&self, number: &mut usize) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.0.join(".fairly")) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("one").path()).collect();
        paths.retain(|path| path.to_string_lossy().ends_with(".json"));
        paths.sort();
        let mut names = Vec::new();
        for path in paths {
            let name = format!("trace-{number}.json");
            *number += 1;
            std::fs::rename(path, self.0.join(&name)).expect("it is ours");
            names.push(name);
        }
        names
    }

    /// Verdict on each trace.
    fn verify(&self, traces: &[String]) -> Vec<String> {
        let mut said = Vec::new();
        // One more than one, so that each line names its file.
        for part in traces.chunks(400) {
            let mut arguments = vec!["trace", "verify", "nothing.json"];
            arguments.extend(part.iter().map(String::as_str));
            let output = self.fairly(&arguments);
            assert!(code(&output) != 70 && code(&output) != 101, "{}", err(&output));
            let text = out(&output);
            let lines: Vec<String> = text.lines().skip(1).map(str::to_owned).collect();
            assert_eq!(lines.len(), part.len(), "{text}{}", err(&output));
            said.extend(lines);
        }
        said
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const NOTIONS: [&[&str]; 12] = [
    &["none"],
    &["weak"],
    &["strong"],
    &["weak", "--level", "event"],
    &["strong", "--level", "event"],
    &["weak", "--level", "action"],
    &["strong", "--level", "action"],
    &["weak-live"],
    &["strong-live"],
    &["annotated"],
    &["annotated", "--annotations", "occurrence"],
    &["global"],
];

/// SplitMix64: the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % count as u64) as usize
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// A small Promela model: statements that are alike, a channel, an atomic sequence.
fn promela(random: &mut Random) -> String {
    let statements = [
        "x = 1 - x",
        "x = 1 - x",
        "y = (y + 1) % 3",
        "atomic { x == 1 -> x = 0; y = 0 }",
        "c!1",
        "c?_",
        "y == 2 -> skip",
        "skip",
    ];
    let mut text = "byte x, y; chan c = [1] of { byte };\n".to_owned();
    for process in 0..2 + random.below(2) {
        text.push_str(&format!("active proctype P{process}() {{ do"));
        for _ in 0..1 + random.below(3) {
            text.push_str(&format!(" :: {}", random.of(&statements)));
        }
        text.push_str(" od }\n");
    }
    for (at, formula) in
        ["[] (x == 0)", "[]<> (y == 2)", "<>[] (x == 1)", "[] (x == 1 -> <> (y == 1))"]
            .iter()
            .enumerate()
    {
        text.push_str(&format!("ltl f{at} {{ {formula} }}\n"));
    }
    text
}

/// A small CSP# model: choices that are alike, synchronisation, internal steps, annotations.
fn csp(random: &mut Random) -> String {
    let steps = ["a", "a", "b", "c.0", "wf(b)", "sf(a)", "tau{x = 1 - x;}"];
    let mut text = "var x = 0;\n#define one x == 1;\n".to_owned();
    for process in 0..2 {
        text.push_str(&format!("P{process}() = "));
        for at in 0..2 + random.below(2) {
            let or = if at == 0 { "" } else { " [] " };
            let (one, two) = (random.of(&steps), random.of(&steps));
            text.push_str(&format!("{or}{one} -> {two} -> P{process}()"));
        }
        text.push_str(";\n");
    }
    let operator = random.of(&["||", "|||"]);
    // Every event that formulas name is somewhere.
    text.push_str("P2() = a -> b -> P2();\n");
    text.push_str(&format!("System() = (P0() {operator} P1()) ||| P2();\n"));
    for formula in ["[]<> a", "<>[] one", "[] !b", "[] (a -> <> b)"] {
        text.push_str(&format!("#assert System() |= {formula};\n"));
    }
    text
}

/// A small network with steps that differ in nothing but where they lead.
fn network(random: &mut Random) -> String {
    let mut text = String::new();
    for component in 0..2 {
        text.push_str(&format!("component C{component} {{\n  initial 0\n"));
        for _ in 0..2 + random.below(4) {
            let (from, to) = (random.below(3), random.below(3));
            let event = random.of(&["a", "b", "t", "u"]);
            text.push_str(&format!("  {from} -{event}-> {to}\n"));
        }
        text.push_str("}\n");
    }
    text.push_str("property f: G F a\nproperty g: G !b\nproperty h: F G !a\n");
    text
}

#[test]
fn every_trace_of_random_models_is_verified() {
    let folder = Folder::new("certificates");
    let mut random = Random(16);
    let (mut number, mut traces) = (0, Vec::new());
    for round in 0..12 {
        let models = [
            ("m.pml", promela(&mut random)),
            ("m.csp", csp(&mut random)),
            ("m.net", network(&mut random)),
        ];
        for (ending, text) in models {
            let file = format!("{round}{ending}");
            folder.write(&file, &text);
            for notion in NOTIONS {
                let mut arguments = vec!["check", "--timeout", "10", "--fairness"];
                arguments.extend_from_slice(notion);
                arguments.push(&file);
                let checked = folder.fairly(&arguments);
                assert!(
                    [0, 1].contains(&code(&checked)) || ending == "m.net",
                    "{text}{}",
                    err(&checked)
                );
                traces.extend(folder.take_traces(&mut number));
            }
        }
    }
    assert!(traces.len() > 400, "{}", traces.len());
    for (trace, said) in traces.iter().zip(folder.verify(&traces)) {
        let text = std::fs::read_to_string(folder.0.join(trace)).expect("the trace");
        assert!(said.starts_with(&format!("{trace}: verified: ")), "{said}\n{text}");
    }
}

/// Models with a trace of every kind of claim, and what is asked of them.
const KINDS: [(&str, &str, &[&str]); 16] = [
    ("lasso.pml", "byte x; active proctype P() { do :: x = 1 - x od } ltl f { [] (x == 0) }", &[]),
    ("stops.pml", "byte x; active proctype P() { x = 1 } ltl f { []<> (x == 0) }", &[]),
    (
        "given.pml",
        "byte x; active [2] proctype P() { do :: x = 1 - x :: skip od }",
        &[
            "-f",
            "[]<> (x == 2)",
            "-f",
            "<> (x == 3)",
            "--fairness",
            "strong",
            "--constraint",
            "wf(P[1])",
        ],
    ),
    ("assert.pml", "byte x; active proctype P() { x = 1; assert(x == 0) }", &[]),
    ("end.pml", "chan c = [0] of { bit }; active proctype P() { c!1 }", &[]),
    ("start.pml", "active proctype P() { false }", &[]),
    (
        "progress.pml",
        "byte x; active proctype P() { do :: x = 1 - x :: skip; progress: skip od }",
        &[],
    ),
    (
        "never.pml",
        "byte x; active proctype P() { do :: x = 1 - x od } never { do :: x == 1 -> break :: true od; accept: do :: true od }",
        &[],
    ),
    (
        "divide.pml",
        "byte x; active proctype P() { x = 1; x = 2 } ltl f { [] (4 / (x - 1) < 9) }",
        &["-p", "f"],
    ),
    (
        "dead.csp",
        "P() = a -> b -> Stop;\n#assert P() deadlockfree;\n#assert P() nonterminating;\n",
        &[],
    ),
    (
        "diverge.csp",
        "P() = a -> (Q() \\ {b});\nQ() = b -> Q();\n#assert P() divergencefree;\n",
        &[],
    ),
    (
        "choice.csp",
        "P() = a -> b -> Stop [] a -> c -> Stop;\nQ() = a -> b -> Stop;\n#assert P() deterministic;\n#assert P() refines Q();\n#assert P() refines <F> Q();\n#assert P() refines <FD> Q();\n",
        &[],
    ),
    (
        "fault.csp",
        "var x = 1;\n#define fine x < 5;\nP() = a{x = x - 1;} -> b{x = 1 / x;} -> P();\n#assert P() |= [] fine;\n",
        &[],
    ),
    (
        "live.csp",
        "P() = a -> P() [] b -> P();\n#assert P() |= []<> b;\n",
        &["--fairness", "weak", "--level", "process"],
    ),
    (
        "global.csp",
        "var x = 0;\nP() = a{x = 1 - x;} -> P() [] b -> P();\n#define two x == 2;\n#assert P() |= <> two;\n",
        &["--fairness", "global"],
    ),
    (
        "net.net",
        "component A {\n  initial 0\n  0 -a-> 0\n  0 -b-> 1\n  1 -c-> 0\n}\nconstraint justice(b)\nproperty f: G !c\n",
        &["--constraint", "sf(c)"],
    ),
];

/// A change to a document, and where.
struct Mutant {
    what: String,
    value: Value,
}

/// Every change of one place.
fn mutants(value: &Value) -> Vec<Mutant> {
    let mut all = Vec::new();
    mutate(value, "", &|value| value, &mut all);
    all
}

type Rebuild<'a> = &'a dyn Fn(Value) -> Value;

fn mutate(value: &Value, at: &str, rebuild: Rebuild<'_>, all: &mut Vec<Mutant>) {
    let mut add = |what: &str, value: Value| {
        all.push(Mutant { what: format!("{at}: {what}"), value: rebuild(value) });
    };
    match value {
        Value::Null => add("changed", Value::from(1)),
        Value::Bool(is) => add("changed", Value::from(!is)),
        Value::Number(number) => {
            let number = number.as_i64().expect("an integer");
            add("more", Value::from(number + 1));
            add("less", Value::from(number - 1));
            add("a text", Value::from(number.to_string()));
            add("a fraction", Value::from(number as f64));
            add("nothing", Value::Null);
        }
        Value::String(text) => {
            add("longer", Value::from(format!("{text}x")));
            add("empty", Value::from(""));
            add("another", Value::from("x = 77"));
            add("nothing", Value::Null);
        }
        Value::Array(items) => {
            add("empty", Value::Array(Vec::new()));
            add("nothing", Value::Null);
            for at in 0..items.len() {
                let mut without = items.clone();
                let one = without.remove(at);
                add(&format!("without {at}"), Value::Array(without));
                let mut twice = items.clone();
                twice.insert(at, one);
                add(&format!("{at} twice"), Value::Array(twice));
            }
            if items.len() > 1 {
                let mut turned = items.clone();
                turned.rotate_left(1);
                add("turned", Value::Array(turned));
            }
            for (number, item) in items.iter().enumerate() {
                let rebuild = |value: Value| {
                    let mut items = items.clone();
                    items[number] = value;
                    rebuild(Value::Array(items))
                };
                mutate(item, &format!("{at}[{number}]"), &rebuild, all);
            }
        }
        Value::Object(fields) => {
            add("nothing", Value::Null);
            let mut more = fields.clone();
            more.insert("more".to_owned(), Value::from(0));
            add("more", Value::Object(more));
            for name in fields.keys() {
                let mut without = fields.clone();
                without.remove(name);
                add(&format!("without {name}"), Value::Object(without));
            }
            for (name, field) in fields {
                let rebuild = |value: Value| {
                    let mut fields = fields.clone();
                    fields.insert(name.clone(), value);
                    rebuild(Value::Object(fields))
                };
                mutate(field, &format!("{at}.{name}"), &rebuild, all);
            }
        }
    }
}

#[test]
fn no_field_of_a_trace_can_be_changed() {
    let folder = Folder::new("mutants");
    let mut number = 0;
    let (mut kinds, mut count) = (0, 0);
    for (file, text, arguments) in KINDS {
        folder.write(file, text);
        let arguments = [&["check", file], arguments].concat();
        let checked = folder.fairly(&arguments);
        assert_eq!(code(&checked), 1, "{file}: {}{}", out(&checked), err(&checked));
        let traces = folder.take_traces(&mut number);
        assert!(!traces.is_empty(), "{file}: {}", out(&checked));
        for (trace, said) in traces.iter().zip(folder.verify(&traces)) {
            assert!(said.contains(": verified: "), "{file}: {said}");
            kinds += 1;
            let text = std::fs::read_to_string(folder.0.join(trace)).expect("the trace");
            let value: Value = serde_json::from_str(&text).expect("JSON");
            let changed: Vec<Mutant> =
                mutants(&value).into_iter().filter(|mutant| mutant.value != value).collect();
            let mut names = Vec::new();
            for (at, mutant) in changed.iter().enumerate() {
                let name = format!("mutant-{at}.json");
                folder.write(&name, &mutant.value.to_string());
                names.push(name);
            }
            for (mutant, said) in changed.iter().zip(folder.verify(&names)) {
                assert!(!said.contains(": verified"), "{file}{}: {said}\n{text}", mutant.what);
            }
            count += changed.len();
        }
    }
    println!("{count} changes to {kinds} traces");
    assert!(kinds >= 20 && count > 3000, "{kinds} {count}");
}

#[test]
fn a_key_that_stands_twice_is_no_trace() {
    let folder = Folder::new("twice");
    let (file, text, _) = KINDS[0];
    folder.write(file, text);
    folder.fairly(&["check", file]);
    let name = folder.take_traces(&mut 0).remove(0);
    let text = std::fs::read_to_string(folder.0.join(&name)).expect("the trace");
    let twice = text.replacen("\"fairness\"", "\"fairness\": \"any\", \"fairness\"", 1);
    folder.write("twice.json", &twice);
    let output = folder.fairly(&["trace", "verify", "twice.json"]);
    assert_eq!(code(&output), 2, "{}", out(&output));
    assert!(err(&output).contains("stands twice"), "{}", err(&output));
}

#[test]
fn a_trail_that_shows_nothing_is_not_verified() {
    let folder = Folder::new("trails-verified");
    folder.write(
        "m.pml",
        "byte x; active proctype P() { x = 1; x = 2 } ltl f { [] (x < 2) } ltl g { [] (x < 9) }",
    );
    folder.write("m.pml.trail", "");
    let verify =
        |more: &[&str]| folder.fairly(&[&["trace", "verify", "m.pml.trail"], more].concat());
    for property in
        [&[][..], &["-p", "f"], &["-p", "g"], &["-p", "assertions"], &["-p", "end states"]]
    {
        let output = verify(property);
        assert_eq!(code(&output), 1, "{property:?}: {}{}", out(&output), err(&output));
    }
    assert_eq!(code(&verify(&["-p", "h"])), 2);
    // As `spin -a` and `pan` write it for `f`: the steps up to the state that is wrong.
    folder.fairly(&["check", "-p", "f", "m.pml"]);
    let trace = folder.take_traces(&mut 0).remove(0);
    let written = folder.fairly(&["trace", "convert", "--to", "trail", &trace]);
    let all = out(&written);
    let finite: String =
        all.lines().filter(|line| !line.starts_with('-')).map(|line| format!("{line}\n")).collect();
    folder.write("m.pml.trail", &finite);
    let output = verify(&["-p", "f"]);
    assert_eq!(code(&output), 0, "{all}{}{}", out(&output), err(&output));
    assert_eq!(code(&verify(&["-p", "g"])), 1);
    assert_eq!(code(&verify(&[])), 0);
    let short: String = finite.lines().take(1).map(|line| format!("{line}\n")).collect();
    folder.write("m.pml.trail", &short);
    let output = verify(&["-p", "f"]);
    assert_eq!(code(&output), 1, "{short}{}{}", out(&output), err(&output));
}

#[test]
fn a_trace_of_components_remembers_how_they_are_put_together() {
    let folder = Folder::new("components");
    folder.write("a.aut", "des (0, 1, 2)\n(0, \"go\", 1)\n");
    folder.write("b.aut", "des (0, 2, 2)\n(0, \"go\", 1)\n(1, \"back\", 0)\n");
    let check = ["check", "--interleave", "go", "-f", "G !back", "a.aut", "b.aut"];
    assert_eq!(code(&folder.fairly(&check)), 1);
    let trace = folder.take_traces(&mut 0).remove(0);
    assert!(Path::new(&folder.0.join(&trace)).exists());
    let output = folder.fairly(&["trace", "verify", &trace]);
    assert_eq!(code(&output), 0, "{}{}", out(&output), err(&output));
}

#[test]
fn an_error_in_one_of_several_given_formulas_is_verified() {
    let folder = Folder::new("given");
    let model = "byte x; byte a[2]; active proctype P() { do :: x = 1 - x od }\n";
    folder.write("a.pml", model);
    let second = "[] (a[x + 3] == 0)";
    folder.fairly(&["check", "-q", "-f", "[] (x < 2)", "-f", second, "a.pml"]);
    let traces = folder.take_traces(&mut 0);
    let said = folder.verify(&traces);
    assert_eq!(said.len(), 2);
    assert!(said.iter().all(|line| line.contains(": verified: ")), "{said:?}");
}
