//! `fairly explore` and the pages that it serves.
//!
//! What the server refuses is asked over a plain connection. What a person sees is looked at in a browser, where there
//! is one: Chromium, or the program that `FAIRLY_BROWSER` names; without one these tests say so and do nothing.
//! `FAIRLY_BLESS=1` writes the pictures of the book anew.

mod attacks;
mod downloads;
mod kinds;
mod program;
mod views;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::common::Folder;
use crate::formats::{schema, wrong};

/// A model whose states are too many to be met.
const LARGE: &str =
    "int x, y;\nactive proctype P() { do :: x++ :: y++ od }\nltl small { [] (x >= 0 || y >= 0) }\n";
const SMALL: &str = "byte x;\nactive proctype P() { x = 1 }\nltl small { [] (x < 2) }\n";

/// A server, and the address that it prints.
pub(crate) struct Explorer {
    child: Child,
    from: BufReader<ChildStdout>,
    pub(crate) url: String,
    pub(crate) folder: Folder,
}

impl Explorer {
    /// Serves a model with this name and text.
    pub(crate) fn start(test: &str, name: &str, text: &str, words: &[&str]) -> Explorer {
        let folder = Folder::new(&format!("explorer-{test}"));
        fs::write(folder.0.join(name), text).expect("a folder of its own");
        Explorer::of(folder, name, words)
    }

    /// Serves a file of a folder.
    pub(crate) fn of(folder: Folder, name: &str, words: &[&str]) -> Explorer {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fairly"))
            .args(["explore", "--no-open"])
            .args(words)
            .arg(format!("./{name}"))
            .current_dir(&folder.0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        let mut from = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        from.read_line(&mut line).expect("a line");
        let url = line.split_whitespace().find(|word| word.starts_with("http://"));
        let url = url.unwrap_or_else(|| panic!("no address: {line}")).to_owned();
        Explorer { child, from, url, folder }
    }

    pub(crate) fn host(&self) -> &str {
        self.url.trim_start_matches("http://").split('/').next().expect("a host")
    }

    /// The process that serves.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// The path of the page, which is the token.
    pub(crate) fn path(&self) -> &str {
        &self.url["http://".len() + self.host().len()..]
    }

    /// Sends a request as it stands.
    pub(crate) fn send(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.host()).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        stream
    }

    /// The status and the body of the response.
    pub(crate) fn response(&self, request: &str) -> (u16, String) {
        let mut text = String::new();
        self.send(request).read_to_string(&mut text).expect("text");
        let status = text.split(' ').nth(1).and_then(|status| status.parse().ok());
        let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status.unwrap_or_else(|| panic!("no status: {text}")), body.to_owned())
    }

    pub(crate) fn get(&self, path: &str, more: &str) -> (u16, String) {
        self.response(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{more}\r\n", self.host()))
    }

    pub(crate) fn post(&self, call: &str, body: &Value) -> String {
        let body = body.to_string();
        format!(
            "POST {}api/v1/{call} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.path(),
            self.host(),
            body.len()
        )
    }

    /// The document that a call answers with.
    pub(crate) fn call(&self, call: &str, body: &Value) -> (u16, Value) {
        let (status, body) = self.response(&self.post(call, body));
        (status, serde_json::from_str(&body).unwrap_or_else(|_| panic!("no JSON: {body}")))
    }

    /// Asks a question.
    pub(crate) fn ask(&self, call: &str, body: &Value) -> Events {
        Events(BufReader::new(self.send(&self.post(call, body))))
    }
}

impl Drop for Explorer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A stream of events.
pub(crate) struct Events(BufReader<TcpStream>);

impl Events {
    /// The next event; none behind the last one.
    pub(crate) fn next(&mut self) -> Option<(String, Value)> {
        let mut event = None;
        let mut line = String::new();
        while self.0.read_line(&mut line).is_ok_and(|count| count > 0) {
            if let Some(name) = line.strip_prefix("event: ") {
                event = Some(name.trim().to_owned());
            }
            if let (Some(data), Some(event)) =
                (line.strip_prefix("data: "), event.take_if(|_| line.starts_with("data: ")))
            {
                return Some((event, serde_json::from_str(data).expect("JSON")));
            }
            line.clear();
        }
        None
    }

    /// The data of the next event of a kind.
    pub(crate) fn wait(&mut self, kind: &str) -> Value {
        loop {
            let (event, data) = self.next().unwrap_or_else(|| panic!("no {kind}"));
            if event == kind {
                return data;
            }
        }
    }
}

#[test]
fn only_who_has_the_address_is_answered() {
    let explorer = Explorer::start("refused", "small.pml", SMALL, &[]);
    let (host, path) = (explorer.host().to_owned(), explorer.path().to_owned());
    assert_eq!(explorer.get(&path, "").0, 200);
    let (status, model) = explorer.get(&format!("{path}api/v1/model"), "");
    assert!(status == 200 && model.contains("fairly.model/1"), "{model}");
    // Without the token, whatever the path is.
    for path in ["/", "/index.html", "/api/v1/model", "/0123456789abcdef0123456789abcdef/", "//"] {
        let (status, body) = explorer.get(path, "");
        assert!(status == 403 && !body.contains("small.pml"), "{path}: {body}");
    }
    // From a page of another origin, which has learned the address.
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        assert_eq!(explorer.get(&path, &format!("Origin: {origin}\r\n")).0, 403, "{origin}");
    }
    assert_eq!(explorer.get(&path, &format!("Origin: http://{host}\r\n")).0, 200);
    assert_eq!(explorer.get(&path, "Sec-Fetch-Site: cross-site\r\n").0, 403);
    // Under another name that leads here.
    let named = |name: &str| format!("GET {path} HTTP/1.1\r\nHost: {name}\r\n\r\n");
    assert_eq!(explorer.response(&named("rebound.example")).0, 403);
    assert_eq!(explorer.response(&named(&host.replace("127.0.0.1", "evil.example"))).0, 403);
    assert_eq!(explorer.response(&format!("GET {path} HTTP/1.1\r\n\r\n")).0, 403);
    // A form can send this without asking.
    let plain =
        explorer.post("check", &json!({ "question": 0 })).replace("application/json", "text/plain");
    assert_eq!(explorer.response(&plain).0, 415);
    // Nothing but the files of the page is read.
    for file in ["small.pml", "../small.pml", "%2e%2e/small.pml", "/etc/passwd"] {
        assert_eq!(explorer.get(&format!("{path}{file}"), "").0, 404, "{file}");
    }
}

#[test]
fn what_is_malformed_is_refused() {
    let explorer = Explorer::start("malformed", "small.pml", SMALL, &[]);
    assert_eq!(explorer.response("GET\r\n\r\n").0, 400);
    let long = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", "x".repeat(20_000));
    assert_eq!(explorer.response(&long).0, 431);
    let (host, path) = (explorer.host().to_owned(), explorer.path().to_owned());
    let large = format!(
        "POST {path}api/v1/save HTTP/1.1\r\nHost: {host}\r\nContent-Length: 999999999\r\n\r\n"
    );
    assert_eq!(explorer.response(&large).0, 413);
    for (call, body) in [
        ("check", json!({ "question": 99 })),
        ("check", json!({ "question": 0, "fairness": "unheard of" })),
        ("check", json!({ "formula": "[] (" })),
        ("check", json!({ "question": 2, "constraints": ["wf(nobody)"] })),
        ("ladder", json!({ "question": 0 })),
    ] {
        let problem = explorer.ask(call, &body).wait("problem");
        assert!(problem[0]["message"].is_string(), "{problem}");
    }
    assert_eq!(explorer.call("check", &json!({ "qestion": 0 })).0, 422);
    assert_eq!(explorer.call("simulate", &json!({ "path": [7] })).0, 422);
    assert_eq!(explorer.call("simulate", &json!({ "system": 3 })).0, 422);
    assert_eq!(explorer.call("simulate", &json!({ "along": {} })).0, 422);
    assert_eq!(explorer.call("space", &json!({ "around": "nothing" })).0, 422);
    assert_eq!(explorer.call("product", &json!({ "question": 0 })).0, 422);
    // Numbers as large as can be are numbers like others.
    let most = json!({ "depth": u64::MAX, "most": u64::MAX });
    assert_eq!(explorer.call("space", &most).0, 200);
    assert_eq!(explorer.call("product", &json!({ "question": 2, "path": [u64::MAX] })).0, 422);
    assert_eq!(explorer.call("simulate", &json!({ "start": u64::MAX })).0, 422);
    assert_eq!(explorer.call("simulate", &json!({ "random": u64::MAX, "seed": u64::MAX })).0, 200);
    assert_eq!(explorer.call("unheard-of", &json!({})).0, 404);
}

#[test]
fn answers_are_those_of_the_command() {
    let explorer = Explorer::start("answers", "lock.pml", include_str!("../src/new/lock.pml"), &[]);
    let answer = explorer.ask("check", &json!({ "question": 3 })).wait("answer");
    let command = answer["command"].as_str().expect("a command");
    assert_eq!(command, "fairly check -p served ./lock.pml");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let output = Command::new(env!("CARGO_BIN_EXE_fairly"))
        .args(words)
        .args(["--format", "json"])
        .current_dir(&explorer.folder.0)
        .output()
        .expect("the binary runs");
    let printed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for part in ["outcome", "run", "ledger", "upgrade", "formula", "schema", "line"] {
        assert_eq!(printed[0][part], answer["verdict"][part], "{part}");
    }
    assert_eq!(answer["trace"]["#meta"]["schema"], "fairly.trace/2");
    // The constraint that is said to exclude the run does, and the property holds with it.
    assert_eq!(answer["excluded_by"][0], "sf(Worker[0])");
    let with = json!({ "question": 3, "constraints": ["sf(Worker[0])"] });
    assert_eq!(explorer.ask("check", &with).wait("answer")["verdict"]["outcome"], "holds");
    let strong = json!({ "question": 3, "fairness": "strong" });
    let answer = explorer.ask("check", &strong).wait("answer");
    assert_eq!(answer["command"], "fairly check -p served --fairness strong ./lock.pml");
    let least = explorer.ask("least", &json!({ "question": 3 })).wait("answer");
    assert_eq!(least["least"]["sets"], json!([["sf(Worker[0])"]]));
    let ladder = explorer.ask("ladder", &json!({ "question": 3 })).wait("answer");
    assert_eq!(ladder["ladder"]["rungs"].as_array().map(Vec::len), Some(10));
    // A text that is not the one of the file is asked about, and the file stays as it is.
    let text = include_str!("../src/new/lock.pml").replace("free -> free", "true -> free");
    let other = json!({ "question": 2, "text": text });
    assert_eq!(explorer.ask("check", &other).wait("answer")["verdict"]["outcome"], "violated");
    let saved = fs::read_to_string(explorer.folder.0.join("lock.pml")).expect("the file");
    assert_eq!(saved, include_str!("../src/new/lock.pml"));
    assert_eq!(explorer.call("save", &json!({ "text": text })).0, 200);
    assert_eq!(fs::read_to_string(explorer.folder.0.join("lock.pml")).expect("the file"), text);
}

#[test]
fn a_run_is_made_step_by_step_and_begun_from_another() {
    let explorer = Explorer::start("steps", "lock.pml", include_str!("../src/new/lock.pml"), &[]);
    let (_, start) = explorer.call("simulate", &json!({}));
    assert_eq!(start["possible"], 2);
    let answer = explorer.ask("check", &json!({ "question": 3 })).wait("answer");
    let count = answer["trace"]["states"].as_array().map_or(0, Vec::len);
    let along = json!({ "along": answer["trace"], "steps": 3 });
    let (status, run) = explorer.call("simulate", &along);
    assert!(status == 200 && count > 3);
    assert_eq!(run["path"].as_array().map(Vec::len), Some(3));
    let said = |at: usize| run["trace"]["states"][at]["state"].clone();
    assert!((0..3).all(|at| said(at) == answer["trace"]["states"][at]["state"]));
    let (_, walked) = explorer.call(
        "simulate",
        &json!({ "path": run["path"], "random": 500, "seed": 7, "until": "Worker[1]@works" }),
    );
    assert!(
        walked["stopped"].as_str().is_some_and(|said| said.contains("Worker[1]@works")),
        "{walked}"
    );
    // On to what the automaton of a negated formula accepts by: `served` fails where a worker wants for ever.
    let (_, on) = explorer.call("simulate", &json!({ "path": run["path"], "accepting": 3 }));
    assert!(on["stopped"].as_str().is_some_and(|said| said.contains("¬served accepts")), "{on}");
    let length = |run: &Value| run["path"].as_array().map_or(0, Vec::len);
    assert!(length(&on) > length(&run), "{on}");
    // Nothing is accepted of a formula that cannot fail, and nothing of a claim that is none.
    let (_, never) = explorer.call("simulate", &json!({ "accepting": 2 }));
    assert!(
        never["stopped"].as_str().is_some_and(|said| said.contains("no acceptance")),
        "{never}"
    );
    assert_eq!(explorer.call("simulate", &json!({ "accepting": 0 })).0, 422);
    // The same run again, also by way of a trail of SPIN.
    let (_, trail) =
        explorer.call("simulate", &json!({ "path": walked["path"], "to_trail": true }));
    let (status, back) = explorer.call("simulate", &json!({ "trail": trail["trail"] }));
    assert!(status == 200 && back["path"] == walked["path"], "{back}");
    assert_eq!(explorer.call("simulate", &json!({ "trail": "no trail" })).0, 422);
    let (_, again) = explorer.call("simulate", &json!({ "path": walked["path"] }));
    assert_eq!(again["trace"], walked["trace"]);
}

#[test]
fn documents_are_as_their_schemas_say() {
    let is_right = |document: &Value, name: &str| {
        let mut all = Vec::new();
        wrong(document, &schema(name), name, &mut all);
        assert_eq!(all, Vec::<String>::new(), "{document}");
    };
    let text = include_str!("../../../examples/promela/two_phase_commit.pml");
    let explorer = Explorer::start("schemas", "commit.pml", text, &[]);
    let (_, model) = explorer.get(&format!("{}api/v1/model", explorer.path()), "");
    let model: Value = serde_json::from_str(&model).expect("JSON");
    is_right(&model, "model-1.json");
    for question in 0..model["questions"].as_array().map_or(0, Vec::len) {
        let answer = explorer.ask("check", &json!({ "question": question })).wait("answer");
        is_right(&answer, "answer-1.json");
        is_right(&answer["verdict"], "verdict-2.json");
    }
    let formula = json!({ "question": 3 });
    is_right(&explorer.ask("ladder", &formula).wait("answer")["ladder"], "ladder-2.json");
    is_right(&explorer.ask("least", &formula).wait("answer")["least"], "least-1.json");
    for body in
        [json!({}), json!({ "random": 200, "seed": 3 }), json!({ "path": [0], "to_trail": true })]
    {
        is_right(&explorer.call("simulate", &body).1, "simulation-1.json");
    }
    let (_, whole) = explorer.call("product", &json!({ "question": 3 }));
    let (_, part) = explorer.call("product", &json!({ "question": 3, "path": [0, 0] }));
    let first = &part["product"]["nodes"][0];
    let nodes = |found: &Value| found["product"]["nodes"].as_array().map_or(0, Vec::len);
    assert!(nodes(&part) > 0 && first["shown"].is_string(), "{part}");
    let step = &whole["product"]["nodes"][0]["steps"][0]["to"];
    let to = step.as_u64().map(|to| &whole["product"]["nodes"][to as usize]);
    assert!(
        to.is_none_or(|to| to["shown"] == first["shown"] && to["automaton"] == first["automaton"])
    );
    assert_eq!(explorer.call("product", &json!({ "question": 3, "path": [0, 999] })).0, 422);
    let (_, space) = explorer.call("space", &json!({ "around": "s0", "depth": 2 }));
    is_right(&space["graph"], "graph-1.json");
    let (_, problems) = explorer.call("diagnose", &json!({ "text": "byte x = ;" }));
    is_right(&problems["problems"][0], "error-1.json");
}

#[test]
fn a_second_question_waits_and_a_closed_connection_stops_its_search() {
    let words = ["--max-states", "50000000"];
    let explorer = Explorer::start("waiting", "large.pml", LARGE, &words);
    let large = json!({ "question": 2 });
    let mut first = explorer.ask("check", &large);
    let progress = first.wait("progress");
    assert!(progress["states"].is_u64() && progress["memory"].is_u64(), "{progress}");
    let mut second = explorer.ask("check", &large);
    assert_eq!(second.wait("waiting")["before"], 1);
    // A view waits for no question.
    assert_eq!(explorer.call("simulate", &json!({ "random": 50 })).0, 200);
    drop(first);
    second.wait("progress");
    // One that is closed while it waits is never begun.
    let mut third = explorer.ask("check", &large);
    third.wait("waiting");
    drop(third);
    drop(second);
    let mut small = explorer.ask("check", &json!({ "question": 2, "max_states": 10 }));
    assert_eq!(small.wait("answer")["verdict"]["outcome"], "unknown");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_at_once() {
    let mut explorer =
        Explorer::start("interrupt", "large.pml", LARGE, &["--max-states", "50000000"]);
    let mut question = explorer.ask("check", &json!({ "question": 2 }));
    question.wait("progress");
    let process = explorer.child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &process]).status().expect("kill");
    assert!(sent.success());
    // It ends by itself: nothing else ends it before this returns.
    explorer.child.wait().expect("a child");
    let mut rest = String::new();
    explorer.from.read_to_string(&mut rest).expect("text");
    assert!(rest.contains("Ctrl-C"), "{rest}");
}

#[test]
fn a_page_of_its_own_has_everything_in_it() {
    let folder = Folder::new("explorer-page");
    write(&folder.0, "lock.pml", include_str!("../src/new/lock.pml"));
    let status = Command::new(env!("CARGO_BIN_EXE_fairly"))
        .args(["check", "--quiet", "--report", "html=page.html", "lock.pml"])
        .current_dir(&folder.0)
        .stdout(Stdio::null())
        .status()
        .expect("the binary runs");
    assert_eq!(status.code(), Some(1));
    let page = fs::read_to_string(folder.0.join("page.html")).expect("the page");
    let data = page.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>"));
    let data: Value = serde_json::from_str(data.expect("data").0).expect("JSON");
    assert_eq!(data["answers"].as_array().map(Vec::len), Some(4));
    assert_eq!(data["answers"][3]["answer"]["command"], "fairly check -p served lock.pml");
    assert_eq!(data["answers"][3]["answer"]["trace"]["loop"], 1);
    assert_eq!(page.matches("<script>").count(), 1);
    assert!(!page.contains("src=") || !page.contains("<script src"));
}

pub(crate) fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("a folder of its own");
}
