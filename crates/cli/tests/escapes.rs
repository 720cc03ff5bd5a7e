//! Texts of strangers reach no terminal raw, and leave no document: names, strings, names of files, lines of
//! settings, traces, in every command and format.

use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Sequences that a terminal would obey: a title, a colour, C1, a turned direction, DEL, a bell, a line that
/// GitHub would take for a command, and the ends of a code span, a tag and a table.
const HOSTILE: &str =
    "x\u{1b}]0;t\u{7}\u{1b}[35;7m\u{9b}2J\u{202e}\u{2066}\u{7f}\r::error::`|<b>&'";

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("fairly-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder of its own");
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).expect("a file");
        name.to_owned()
    }

    fn fairly<W: AsRef<OsStr>>(&self, arguments: &[W], stdin: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
        command.args(arguments).current_dir(&self.0).env_remove("NO_COLOR");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary runs");
        let _ = child.stdin.take().expect("piped").write_all(stdin.as_bytes());
        child.wait_with_output().expect("it ends")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A text without the colours that we use ourselves.
fn without_colours(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.strip_prefix('[').and_then(|rest| rest.split_once('m'));
        match code {
            Some((code, rest))
                if code != "35;7" && code.chars().all(|it| it.is_ascii_digit() || it == ';') =>
            {
                plain.push_str(rest);
            }
            _ => plain.push_str(&format!("\u{1b}{part}")),
        }
    }
    plain
}

/// That nothing in it does anything but stand in its place.
fn harmless(what: &str, bytes: &[u8], coloured: bool) {
    let text = std::str::from_utf8(bytes).unwrap_or_else(|_| panic!("{what}: no UTF-8"));
    let text = if coloured { without_colours(text) } else { text.to_owned() };
    let is_bad = |sign: char| {
        (sign.is_control() && sign != '\n' && sign != '\t')
            || matches!(sign, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if let Some(at) = text.find(is_bad) {
        let end = text.len().min(at + 60);
        let end = (end..=text.len()).find(|&end| text.is_char_boundary(end)).unwrap_or(text.len());
        panic!("{what}: {:?}", &text[at..end]);
    }
}

#[test]
fn nothing_of_a_model_reaches_a_terminal_raw() {
    let folder = Folder::new("hostile");
    // Names of events, components and properties, in quotes.
    let name = HOSTILE.replace('\r', "");
    let net = folder.write(
        &format!("n{name}.net"),
        &format!(
            "component \"{name}\" {{\n  initial 0\n  0 -\"{name}\"-> 1\n  1 -b-> 0\n}}\nproperty \"{name}\": G !b\n"
        ),
    );
    let pml = folder.write(
        &format!("p{name}.pml"),
        &format!(
            "byte x; /* {HOSTILE} */ active proctype P() {{ do :: printf(\"{name}\\n\"); x = 1 - x od }}\nltl f {{ [] (x == 0) }}\n"
        ),
    );
    let csp = folder.write(
        &format!("c{name}.csp"),
        &format!(
            "// {HOSTILE}\nP() = a -> b -> P();\n#assert P() |= [] !b;\n#assert P() deadlockfree;\n"
        ),
    );
    let wrong =
        folder.write(&format!("w{name}.pml"), &format!("active proctype P() {{ {HOSTILE} }}"));
    let net_wrong =
        folder.write(&format!("w{name}.net"), &format!("property \"{name}\": G {HOSTILE}\n"));
    let csp_wrong = folder.write(&format!("w{name}.csp"), &format!("P() = {HOSTILE} -> Stop;\n"));
    let hoa = folder.write(
        "h.hoa",
        &format!(
            "HOA: v1\nname: \"{name}\"\nStates: 1\nStart: 0\nAP: 1 \"{name}\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[0] 0 {{0}}\n--END--\n"
        ),
    );
    let no_hoa = folder.write("w.hoa", &format!("HOA: v1\n{HOSTILE}\n"));
    let missing = format!("missing{name}.pml");
    let files = [&net, &pml, &csp, &wrong, &net_wrong, &csp_wrong, &missing];

    let mut commands: Vec<Vec<String>> = Vec::new();
    let mut add = |words: &[&str]| commands.push(words.iter().map(ToString::to_string).collect());
    for file in files {
        for format in ["human", "json", "github", "sarif", "junit", "markdown"] {
            add(&["check", "--format", format, file]);
            add(&["check", "--format", format, "-f", &format!("G \"{name}\""), file]);
        }
        add(&["check", "--ladder", file]);
        add(&["check", "--report", "table", file]);
        add(&["check", "--report", "table", "--format", "json", file]);
        add(&["check", "--machine-closed", file]);
        add(&["check", "-p", HOSTILE, file]);
        add(&["check", "--expect", &format!("{name}=violated"), file]);
        add(&["check", "--constraint", &format!("wf(\"{name}\")"), file]);
        add(&["check", "--constraint", HOSTILE, file]);
        add(&["check", "--trace", &format!("no{name}/t"), file]);
        add(&["check", "--fairness", HOSTILE, file]);
        add(&["check", "--alphabet", HOSTILE, "--interleave", HOSTILE, file]);
        for command in ["ladder", "least"] {
            add(&[command, file]);
            add(&[command, "--format", "json", file]);
            add(&[command, "--format", "markdown", file]);
        }
        for to in ["dot", "aut", "hoa", "mermaid"] {
            add(&["graph", "--to", to, file]);
        }
        add(&["sim", "--random", file]);
        add(&["sim", file]);
        add(&["sim", "--along", file, file]);
        add(&["trace", "show", file]);
        add(&["trace", "verify", file, file]);
    }
    add(&["check", &net, &pml, &csp, &wrong]);
    add(&["check", "."]);
    add(&["aut", "stats", &hoa]);
    add(&["aut", "empty", &hoa]);
    add(&["aut", "includes", &hoa, &hoa]);
    add(&["aut", "stats", &no_hoa]);
    add(&["aut", "accepts", "--word", HOSTILE, &hoa]);
    add(&["ltl", HOSTILE]);
    add(&["ltl", &format!("G \"{name}\"")]);
    add(&["explain", HOSTILE]);
    add(&["new", "promela", &format!("new{name}/m.pml")]);
    add(&["new", HOSTILE]);
    add(&[HOSTILE]);
    add(&["check", &format!("--{HOSTILE}")]);
    for command in &commands {
        for colour in ["never", "always"] {
            let words: Vec<&str> =
                ["--color", colour].into_iter().chain(command.iter().map(String::as_str)).collect();
            let output = folder.fairly(&words, &format!("1\ns\nt\n{HOSTILE}\nr 3\nq\n"));
            let what = format!("{command:?}");
            harmless(&what, &output.stdout, colour == "always");
            harmless(&what, &output.stderr, colour == "always");
            assert!(!matches!(output.status.code(), Some(70 | 101) | None), "{what}");
        }
    }
    // Traces of all of them, and one that says worse than any model could.
    let kept = std::fs::read_dir(folder.0.join(".fairly")).expect("runs");
    let mut traces: Vec<String> =
        kept.map(|entry| entry.expect("one").path().to_string_lossy().into_owned()).collect();
    traces.retain(|path| path.ends_with(".json"));
    assert!(traces.len() >= 3, "{traces:?}");
    let text = std::fs::read_to_string(&traces[0]).expect("a trace");
    let mut value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    poison(&mut value);
    traces.push(folder.write("poisoned.json", &value.to_string()));
    for trace in &traces {
        let harmless_both = |words: &[&str]| {
            for colour in ["never", "always"] {
                let words = [&["--color", colour], words].concat();
                let output = folder.fairly(&words, "\n\ns\nt\nq\n");
                harmless(&format!("{words:?}"), &output.stdout, colour == "always");
                harmless(&format!("{words:?}"), &output.stderr, colour == "always");
            }
        };
        harmless_both(&["trace", "show", trace]);
        harmless_both(&["trace", "verify", trace]);
        harmless_both(&["trace", "verify", trace, trace]);
        harmless_both(&["sim", "--along", trace, &net]);
        for to in ["itf", "mermaid", "plantuml", "dot", "markdown", "trail"] {
            harmless_both(&["trace", "convert", "--to", to, trace]);
        }
        let written = std::fs::read(folder.0.join(trace)).expect("a trace");
        if !trace.ends_with("poisoned.json") {
            harmless(trace, &written, false);
        }
    }
}

/// Makes every text hostile, except what says that it is a trace.
fn poison(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::String(text) => text.push_str(&format!("{HOSTILE}\nnext line")),
        serde_json::Value::Array(items) => items.iter_mut().for_each(poison),
        serde_json::Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                if name != "source" && name != "schema" {
                    poison(field);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn settings_are_shown_harmlessly() {
    let folder = Folder::new("hostile-toml");
    folder.write("m.pml", "byte x; active proctype P() { x = 1 } ltl f { <> (x == 2) }");
    let quoted: String =
        HOSTILE.chars().map(|sign| format!("\\U{:08x}", u32::from(sign))).collect();
    for text in [
        format!("[check]\nfairness = \"{quoted}\"\n"),
        format!("[check]\n\"{quoted}\" = 1\n"),
        format!("# {}\n{HOSTILE}\n", "x"),
        format!("[{HOSTILE}]\n"),
        format!("\"{quoted}\" = 1\n"),
        format!("[[model]]\nfile = \"{quoted}.pml\"\n"),
        format!("[[model]]\nfile = \"m.pml\"\nlevel = \"{quoted}\"\n"),
        format!("[check]\nproperty = \"{quoted}\"\n"),
        format!("[check]\nconstraint = [\"{quoted}\"]\n"),
        format!("[check]\nexpect = {{ \"{quoted}\" = \"violated\" }}\n"),
        format!("[check]\nformat = \"{quoted}\"\n"),
        format!("[check]\ntimeout = \"{quoted}\"\n"),
    ] {
        folder.write("fairly.toml", &text);
        for words in [
            &["check"][..],
            &["check", "m.pml"],
            &["least", "m.pml"],
            &["m.pml", "--color", "always"],
        ] {
            let output = folder.fairly(words, "");
            let coloured = words.contains(&"always");
            harmless(&text, &output.stdout, coloured);
            harmless(&text, &output.stderr, coloured);
            assert!(!matches!(output.status.code(), Some(70 | 101) | None), "{text}");
        }
    }
}
