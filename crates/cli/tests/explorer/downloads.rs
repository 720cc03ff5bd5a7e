//! What a page saves as files, opened again by those who read such files.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::Explorer;
use super::views::{ANSWERED, browser, is_clean};
use crate::common::browser::Browser;

const LOCK: &str = include_str!("../../src/new/lock.pml");

/// The contents of a file that a page saves, once it is there.
fn saved(folder: &Path, name: &str) -> Vec<u8> {
    let file = folder.join(name);
    for _ in 0..1_000 {
        // A file that is being written has another name until it is whole.
        if let Ok(bytes) = fs::read(&file)
            && !bytes.is_empty()
        {
            return bytes;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{name} is not saved")
}

fn text(folder: &Path, name: &str) -> String {
    String::from_utf8(saved(folder, name)).expect("text")
}

/// The exit code of the command in a folder.
fn code(folder: &Path, words: &[&str]) -> Option<i32> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
    let command = command.args(words).current_dir(folder);
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("the binary runs").code()
}

/// The nodes and edges of a picture in the language of Graphviz.
fn drawn(dot: &str) -> (usize, HashSet<(String, String)>) {
    assert!(dot.starts_with("digraph ") && dot.trim_end().ends_with('}'), "{dot}");
    // A node is a letter and a number; what begins with a word is about the whole picture.
    let is_node = |line: &&str| {
        let number = line.trim().split(' ').next().and_then(|name| name.get(1..)).unwrap_or("");
        !line.contains("->") && number.parse::<usize>().is_ok()
    };
    let names = |line: &str| {
        let (from, to) = line.trim().split_once(" -> ")?;
        Some((from.to_owned(), to.split([' ', ';']).next()?.to_owned()))
    };
    let is_start = |line: &&str| line.contains("shape=point") || line.contains("label=\"\"]");
    let nodes = dot.lines().filter(is_node).filter(|line| !is_start(line)).count();
    (nodes, dot.lines().filter_map(names).collect())
}

/// Opens a picture as a page of its own: its size, which it has only if it can be read.
fn size(page: &mut Browser, file: &Path) -> (f64, f64) {
    page.open(&format!("file://{}", file.display()));
    let found = page.value(
        "(() => { const it = document.querySelector('img'); \
         const box = document.documentElement.getBoundingClientRect(); \
         return it ? [it.naturalWidth, it.naturalHeight] : [box.width, box.height]; })()",
    );
    (found[0].as_f64().expect("a width"), found[1].as_f64().expect("a height"))
}

#[test]
fn pictures_and_runs_that_are_saved_can_be_read() {
    let Some(mut page) = browser("downloads") else { return };
    let explorer = Explorer::start("downloads", "lock.pml", LOCK, &[]);
    let folder = explorer.folder.0.join("saved");
    fs::create_dir(&folder).expect("a folder");
    page.save_in(&folder);
    page.look((1280, 800), "light");
    page.open(&format!("{}#states", explorer.url));
    page.wait("document.querySelector('.graph .node')");
    let (_, space) = explorer.call("space", &json!({}));
    let states = space["graph"]["states"].as_array().map_or(0, Vec::len);
    assert!(states > 10);
    for kind in ["SVG", "PNG", "DOT"] {
        page.click(".space .tools button", kind);
    }
    let svg = text(&folder, "states.svg");
    let labels = space["graph"]["states"].as_array().expect("a list");
    assert!(svg.starts_with("<svg") && !svg.contains("class=") && !svg.contains("var("), "{svg}");
    assert!(svg.matches("<rect").count() > states, "{svg}");
    assert!(!labels.is_empty() && svg.contains("Worker"), "{svg}");
    let (nodes, edges) = drawn(&text(&folder, "states.dot"));
    assert_eq!(nodes, states);
    let known: HashSet<String> = space["graph"]["edges"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|edge| format!("{}-{}", edge["from"], edge["to"]))
        .collect();
    assert!(edges.len() >= known.len(), "{} {}", edges.len(), known.len());
    assert!(saved(&folder, "states.png").starts_with(b"\x89PNG\r\n\x1a\n"));
    // The product, and the automaton beside it.
    page.value("(() => { const it = document.querySelector('.space select'); it.value = '3'; it.dispatchEvent(new Event('change')); })()");
    page.wait("document.querySelectorAll('.pair .graph').length === 2");
    page.click(".space .tools button", "HOA");
    let hoa = text(&folder, "automaton.hoa");
    assert!(hoa.starts_with("HOA: v1"), "{hoa}");
    assert_eq!(code(&folder, &["aut", "stats", "automaton.hoa"]), Some(0));
    page.value("[...document.querySelectorAll('.space .tools button')].find((it) => it.textContent === 'DOT').click()");
    let (nodes, _) = drawn(&text(&folder, "product.dot"));
    let (_, product) = explorer.call("product", &json!({ "question": 3 }));
    assert_eq!(Some(nodes), product["product"]["nodes"].as_array().map(Vec::len));
    // A run: as a trace that stands up to replay, and as a trail that is followed again.
    page.value("location.hash = 'verdicts'");
    page.wait(ANSWERED);
    page.wait("document.querySelector('.answer.violated .lasso')");
    page.click(".answer button", "Save the trace");
    let trace: Value = serde_json::from_slice(&saved(&folder, "served.itf.json")).expect("JSON");
    assert_eq!(trace["#meta"]["schema"], "fairly.trace/2");
    assert!(trace["loop"].is_u64());
    // The files that it names are beside it.
    fs::copy(explorer.folder.0.join("lock.pml"), folder.join("lock.pml")).expect("a copy");
    assert_eq!(code(&folder, &["trace", "verify", "served.itf.json"]), Some(0));
    page.value("location.hash = 'simulate'");
    page.wait("document.querySelector('.offered .step')");
    for step in 2..5 {
        page.press("1", 49);
        page.wait(&format!(
            "document.querySelector('.offered h2').textContent.startsWith('Step {step}')"
        ));
    }
    page.click(".simulate button", "Save the trace");
    page.click(".simulate button", "as SPIN's trail");
    let by_hand: Value =
        serde_json::from_slice(&saved(&folder, "simulation.itf.json")).expect("JSON");
    let trail = text(&folder, "simulation.trail");
    let path = json!([0, 0, 0]);
    let (_, followed) = explorer.call("simulate", &json!({ "trail": trail }));
    assert_eq!(followed["path"], path, "{trail}");
    let (_, along) = explorer.call("simulate", &json!({ "along": by_hand }));
    assert_eq!(along["path"], path);
    is_clean(&mut page, &explorer.url);
    // Other programs can read the pictures: the browser itself, as pages of their own.
    let (width, height) = size(&mut page, &folder.join("states.svg"));
    assert!(width > 100.0 && height > 100.0, "{width} {height}");
    let (wide, high) = size(&mut page, &folder.join("states.png"));
    // A picture of points is twice as sharp, as far as a canvas can be.
    let scale = (8000.0 / width.max(height)).min(2.0);
    assert!((wide - width * scale).abs() < 3.0 && (high - height * scale).abs() < 3.0, "{wide}");
}
