//! A type of a program in the explorer: the views of a model that has no text.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};

use fairly::{Check, Model, action, check, infinitely_often, leads_to, ltl, weak};
use serde_json::{Value, json};

use super::views::{ANSWERED, browser, is_clean, pictures};

/// Two users of one lock that has no queue.
#[derive(Clone)]
struct Lock;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    holder: Option<usize>,
    waits: [bool; 2],
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Action {
    Ask(usize),
    Enter(usize),
    Leave(usize),
}
use Action::{Ask, Enter, Leave};

impl Model for Lock {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        vec![State { holder: None, waits: [false; 2] }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for user in 0..2 {
            match state.holder {
                Some(holder) if holder == user => actions.push(Leave(user)),
                _ if !state.waits[user] => actions.push(Ask(user)),
                None => actions.push(Enter(user)),
                Some(_) => {}
            }
        }
    }

    fn next(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        match action {
            Ask(user) => next.waits[user] = true,
            Enter(user) => (next.holder, next.waits[user]) = (Some(user), false),
            Leave(_) => next.holder = None,
        }
        Some(next)
    }

    fn processes(&self) -> Vec<String> {
        vec!["User0".to_owned(), "User1".to_owned()]
    }

    fn process(&self, action: &Action) -> usize {
        match *action {
            Ask(user) | Enter(user) | Leave(user) => user,
        }
    }
}

/// Counts to a number, and is set to zero there: its last event comes late.
#[derive(Clone)]
struct Counter(u32);

impl Model for Counter {
    type State = u32;
    type Action = &'static str;

    fn init(&self) -> Vec<u32> {
        vec![0]
    }

    fn actions(&self, state: &u32, actions: &mut Vec<&'static str>) {
        actions.push(if *state == self.0 { "Reset" } else { "Count" });
    }

    fn next(&self, state: &u32, action: &'static str) -> Option<u32> {
        match (action, state) {
            ("Reset", 7) => panic!("a counter of seven is never set to zero"),
            ("Reset", _) => Some(0),
            _ => Some(state + 1),
        }
    }
}

/// Serves a check; the address.
fn served<M: Model>(check: Check<M>) -> String {
    let at = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let explorer = check.explorer(at).expect("the check is right");
    let url = explorer.url();
    std::thread::spawn(move || explorer.serve());
    url
}

fn lock() -> Check<Lock> {
    let enters = infinitely_often(action("somebody enters", |a: &Action| matches!(a, Enter(_))));
    check(&Lock)
        .leads_to("served", |s| s.waits[0], |s| s.holder == Some(0))
        .property("lively", enters)
        .property("returns", leads_to(|s: &State| s.holder.is_some(), "Leave.*"))
        .property(
            "alone",
            ltl("G !both").atom("both", |s: &State| s.waits == [true; 2] && s.holder.is_some()),
        )
        .assume(weak().processes())
}

/// The body of the response to a request.
fn asked(url: &str, method: &str, call: &str, body: &Value) -> (u16, String) {
    let rest = url.trim_start_matches("http://");
    let (host, path) = rest.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(host).expect("it listens");
    let body = if method == "GET" { String::new() } else { body.to_string() };
    let length = body.len();
    write!(
        stream,
        "{method} /{path}api/v1/{call} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .expect("it reads");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("text");
    let status = text.split(' ').nth(1).and_then(|it| it.parse().ok()).expect("a status");
    (status, text.split_once("\r\n\r\n").map_or("", |(_, body)| body).to_owned())
}

fn posted(url: &str, call: &str, body: &Value) -> Value {
    let (status, text) = asked(url, "POST", call, body);
    assert_eq!(status, 200, "{text}");
    serde_json::from_str(&text).expect("JSON")
}

/// The answer to a question.
fn answer(url: &str, call: &str, body: &Value) -> Value {
    let (_, text) = asked(url, "POST", call, body);
    let (_, data) = text.split_once("event: answer\ndata: ").unwrap_or_else(|| panic!("{text}"));
    serde_json::from_str(data.lines().next().expect("a line")).expect("JSON")
}

fn number(model: &Value, title: &str) -> usize {
    let questions = model["questions"].as_array().expect("a list");
    questions.iter().position(|it| it["title"] == title).unwrap_or_else(|| panic!("{model}"))
}

fn described(url: &str) -> Value {
    serde_json::from_str(&asked(url, "GET", "model", &Value::Null).1).expect("JSON")
}

#[test]
fn answers_are_those_of_the_check() {
    let url = served(lock());
    let model = described(&url);
    assert_eq!((&model["name"], &model["text"]), (&json!("Lock"), &Value::Null));
    for verdict in &lock().save_nothing().run() {
        let question = json!({ "question": number(&model, verdict.property()) });
        let found = answer(&url, "check", &question);
        assert_eq!(found["verdict"]["outcome"], verdict.data().outcome.word(), "{question}");
        assert_eq!(found["command"], ".assume(weak().processes())");
    }
    let served = number(&model, "served");
    let strong = json!({ "question": served, "fairness": "strong", "constraints": ["wf(User1)"] });
    let found = answer(&url, "check", &strong);
    assert_eq!(found["verdict"]["outcome"], "holds");
    assert_eq!(found["command"], ".assume(strong().processes()).assume(\"wf(User1)\")");
    let ladder = answer(&url, "ladder", &json!({ "question": served }));
    assert_eq!(ladder["ladder"]["rungs"].as_array().map(Vec::len), Some(10), "{ladder}");
    let least = answer(&url, "least", &json!({ "question": served }));
    let is_needed =
        |set: &Value| set.as_array().is_some_and(|set| set.contains(&json!("sf(User0)")));
    assert!(least["least"]["sets"].as_array().is_some_and(|sets| sets.iter().all(is_needed)));
    // A formula of one's own, with events and with the names of closures; and one that means nothing.
    for (formula, outcome) in
        [("G F Leave.1", "violated"), ("G !\"both\"", "holds"), ("F \"somebody enters\"", "holds")]
    {
        let found = answer(&url, "check", &json!({ "formula": formula, "fairness": "weak" }));
        assert_eq!(found["verdict"]["outcome"], outcome, "{formula}");
    }
    let (_, wrong) = asked(&url, "POST", "check", &json!({ "formula": "G F Leaves.1" }));
    assert!(wrong.contains("event: problem") && wrong.contains("Leaves.1"), "{wrong}");
    // A simulation goes to an acceptance, and along a saved run.
    let violated = answer(&url, "check", &json!({ "question": served }));
    let run = posted(&url, "simulate", &json!({ "along": violated["trace"] }));
    assert!(run["path"].as_array().is_some_and(|path| !path.is_empty()), "{run}");
    let on = posted(&url, "simulate", &json!({ "accepting": served }));
    assert!(on["stopped"].as_str().is_some_and(|said| said.contains("¬served accepts")), "{on}");
    let drawn = posted(&url, "space", &json!({}));
    let size = lock().size().expect("it is small").states;
    assert_eq!(drawn["graph"]["states"].as_array().map(Vec::len), Some(size));
    let product = posted(&url, "product", &json!({ "question": served }));
    assert!(product["product"]["nodes"].as_array().is_some_and(|nodes| nodes.len() > 8));
    // Nothing can be written.
    assert_eq!(asked(&url, "POST", "save", &json!({ "text": "" })).0, 422);
}

#[test]
fn events_that_come_late_and_panics_count() {
    // Later than what is looked at before a formula is read.
    let resets = infinitely_often(action("resets", |a: &&str| *a == "Reset"));
    let never = ltl("F G !\"resets\"").action_atom("resets", |a: &&str| *a == "Reset");
    let late = Counter(12_000);
    let url = served(check(&late).property("resets", resets).property("settles", never));
    let model = described(&url);
    for (title, outcome) in [("resets", "holds"), ("settles", "violated"), ("no panic", "holds")] {
        let found = answer(&url, "check", &json!({ "question": number(&model, title) }));
        assert_eq!(found["verdict"]["outcome"], outcome, "{title}");
    }
    let url = served(check(&Counter(7)).always("small", |n| *n < 8));
    let model = described(&url);
    let found = answer(&url, "check", &json!({ "question": number(&model, "no panic") }));
    assert_eq!(found["verdict"]["outcome"], "violated");
    assert!(found.to_string().contains("a counter of seven is never set to zero"), "{found}");
    // What is wrong is said before anything is served.
    let at = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let wrong = check(&Lock).property("odd", ltl("G F Entr.0")).explorer(at).err();
    assert!(wrong.is_some_and(|it| it.to_string().contains("did you mean `Enter.0`")));
}

#[test]
fn every_view_of_a_program_is_seen_in_the_browser() {
    let Some(mut page) = browser("program") else { return };
    let url = served(lock());
    page.look((1280, 800), "light");
    page.open(&url);
    page.wait(ANSWERED);
    page.wait("document.querySelector('.answer.violated .lasso')");
    assert_eq!(page.value("document.querySelectorAll('.question.violated').length"), json!(1));
    assert!(page.text(".program").contains("no text to edit"));
    assert!(page.text(".answer.violated").contains("no lines"));
    let (_kept, pictures) = pictures();
    page.picture(&pictures.join("program-light.png"));
    assert_eq!(
        page.value("[...document.querySelectorAll('nav a')].map((it) => it.textContent)"),
        json!(["Verdicts", "Two runs", "Simulate", "States", "Fairness"])
    );
    // The ledger's button adds the constraint and asks again.
    page.click("button.add", "Add and ask again");
    page.wait("document.querySelectorAll('.question.holds').length === 5");
    assert!(page.text(".detail .command code").contains(".assume(\"sf(User0)\")"));
    // Without it again.
    page.click(".chip button", "×");
    page.wait("document.querySelectorAll('.question.violated').length === 1");
    page.value("location.hash = 'simulate'");
    page.wait("document.querySelector('.offered .step')");
    page.press("1", 49);
    page.wait("document.querySelector('.offered h2').textContent.startsWith('Step 2')");
    page.click("button", "To an acceptance");
    page.wait("document.querySelector('.said').textContent.includes('accepts')");
    page.value("location.hash = 'states'");
    page.wait("document.querySelectorAll('.graph .node').length === 8");
    page.value("(() => { const it = document.querySelector('.space select'); it.value = '1'; it.dispatchEvent(new Event('change')); })()");
    page.wait("document.querySelectorAll('.pair .graph').length === 2");
    page.value("location.hash = 'fairness'");
    page.wait("document.querySelector('.lattice')");
    page.wait(
        "document.querySelector('.notion.violated') && document.querySelector('.notion.holds')",
    );
    page.wait("document.querySelector('.fairness .set')");
    is_clean(&mut page, &url);
}
