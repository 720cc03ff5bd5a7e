//! `fairly check --watch`: a check after every change, whatever is in the file, until Ctrl-C.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use crate::common::Folder;

const GOOD: &str = "byte x;\nactive proctype P() { x = 1 }\nltl small { [] (x < 2) }\n";

/// A command that watches, and the lines that it prints.
struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(folder: &Path, words: &[&str]) -> Watching {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fairly"))
            .args(["check", "--watch"])
            .args(words)
            .current_dir(folder)
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let (sender, lines) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let stderr = BufReader::new(child.stderr.take().expect("piped"));
        let other = sender.clone();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let _ = other.send(line);
            }
        });
        Watching { child, lines }
    }

    /// Waits for a line with this in it; gives everything up to it.
    fn until(&self, wanted: &str) -> String {
        let (mut all, since) = (String::new(), Instant::now());
        while since.elapsed() < Duration::from_secs(60) {
            if let Ok(line) = self.lines.recv_timeout(Duration::from_millis(100)) {
                all.push_str(&line);
                all.push('\n');
                if line.contains(wanted) {
                    return all;
                }
            }
        }
        panic!("no `{wanted}` in\n{all}");
    }

    fn interrupt(mut self) -> i32 {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status().expect("there is kill");
        assert!(sent.success());
        let since = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status.code().expect("it exits by itself");
            }
            assert!(since.elapsed() < Duration::from_secs(20), "Ctrl-C does not end it");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn a_change_is_checked_and_an_error_ends_nothing() {
    let folder = Folder::new("watch");
    let file = folder.0.join("a.pml");
    let write = |text: &str| std::fs::write(&file, text).expect("a file");
    write(GOOD);
    let watching = Watching::start(&folder.0, &["-p", "small", "a.pml"]);
    let first = watching.until("watching 1 file");
    assert!(first.contains("1 property: 1 holds"), "{first}");
    assert!(!first.contains('\u{1b}'), "nothing is cleared where no terminal is: {first:?}");
    write(&GOOD.replace("x = 1", "x = 2 "));
    let second = watching.until("watching 1 file");
    assert!(second.contains("a.pml has changed"), "{second}");
    assert!(second.contains("1 property: 1 violated"), "{second}");
    write("this is no model");
    assert!(watching.until("watching").contains("error["));
    std::fs::remove_file(&file).expect("it is there");
    assert!(watching.until("watching").contains("cannot read"));
    write(GOOD);
    assert!(watching.until("watching").contains("1 property: 1 holds"));
    assert_eq!(watching.interrupt(), 0);
}

#[test]
fn an_included_file_counts_too() {
    let folder = Folder::new("watch-include");
    // Whether it can be read or not: the files are followed.
    std::fs::write(folder.0.join("a.pml"), format!("#include \"b.h\"\n{GOOD}")).expect("a file");
    let watching = Watching::start(&folder.0, &["a.pml"]);
    watching.until("watching 2 files");
    std::fs::write(folder.0.join("b.h"), "/* here it is */\n").expect("a file");
    let second = watching.until("watching 2 files");
    assert!(second.contains("b.h has changed"), "{second}");
    watching.interrupt();
}

#[test]
fn a_long_check_is_given_up_when_the_file_changes() {
    let folder = Folder::new("watch-long");
    let file = folder.0.join("a.pml");
    let long = "active [6] proctype P() { byte a, b; do :: a++ :: b++ od }\nltl p { [] true }\n";
    std::fs::write(&file, long).expect("a file");
    let watching = Watching::start(&folder.0, &["-p", "assertions", "a.pml"]);
    std::thread::sleep(Duration::from_millis(600));
    std::fs::write(&file, GOOD).expect("a file");
    assert!(watching.until("watching 1 file").contains("1 holds"));
    watching.interrupt();
}

#[test]
fn standard_input_cannot_be_watched() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
    let done = command.args(["check", "--watch", "-"]).stdin(Stdio::null()).output();
    assert_eq!(done.expect("the binary runs").status.code(), Some(2));
}
