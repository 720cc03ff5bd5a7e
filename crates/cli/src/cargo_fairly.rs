//! `cargo fairly`: runs the tests of a package that check models, says how far they are, and shows the last run that
//! violates a property.
//!
//! A check of the library `fairly` appends a line to the file that the variable `FAIRLY_RECORD` names. So this program
//! knows which tests check models without reading their sources.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, SystemTime};

use fairly_report::{Look, terminal, trace};

const HELP: &str = "\
Runs the tests that check models, and shows the last run that violates a property.

Usage: cargo fairly [COMMAND] [OPTIONS OF cargo test]

Commands:
  run   runs the tests, one line for each property; the default
  list  names the tests that checked models the last time
  last  shows the last run that violates a property
  last --as-test MODEL  prints that run as a Rust test; MODEL is the expression that makes the model there

Every other argument is given to `cargo test`.
";

const NOTHING_SAVED: &str = "no run was saved\n";

fn main() -> ExitCode {
    let mut words: Vec<String> = env::args().skip(1).collect();
    // Cargo gives the name of the subcommand first.
    if words.first().is_some_and(|word| word == "fairly") {
        words.remove(0);
    }
    let done = match words.first().map(String::as_str) {
        Some("-h" | "--help" | "help") => say(HELP).map(|()| ExitCode::SUCCESS),
        Some("list") => list(),
        Some("last") if words.get(1).is_some_and(|word| word == "--as-test") => {
            as_test(words.get(2).map(String::as_str))
        }
        Some("last") => last(SystemTime::UNIX_EPOCH).map(|shown| match shown {
            true => ExitCode::SUCCESS,
            false => ExitCode::from(4),
        }),
        Some("run") => run(&words[1..]),
        _ => run(&words),
    };
    done.unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "error: {error}");
        ExitCode::from(2)
    })
}

fn say(text: &str) -> io::Result<()> {
    io::stdout().lock().write_all(text.as_bytes())
}

/// The folder of the library's files, in the folder that Cargo builds in.
fn folder() -> io::Result<PathBuf> {
    if let Some(target) = env::var_os("CARGO_TARGET_DIR") {
        return Ok(PathBuf::from(target).join("fairly"));
    }
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let metadata =
        Command::new(cargo).args(["metadata", "--no-deps", "--format-version", "1"]).output()?;
    if !metadata.status.success() {
        let said = String::from_utf8_lossy(&metadata.stderr);
        return Err(io::Error::other(said.trim().trim_start_matches("error: ").to_owned()));
    }
    let document: serde_json::Value = serde_json::from_slice(&metadata.stdout)?;
    let target = document["target_directory"].as_str();
    let target = target.ok_or_else(|| io::Error::other("cargo names no folder to build in"))?;
    Ok(Path::new(target).join("fairly"))
}

/// The file that checks are recorded in.
fn record(folder: &Path) -> PathBuf {
    folder.join("checks.tsv")
}

/// A property that was checked.
struct Checked<'a> {
    test: &'a str,
    property: &'a str,
    outcome: &'a str,
    states: &'a str,
    seconds: &'a str,
}

impl<'a> Checked<'a> {
    fn read(line: &'a str) -> Option<Checked<'a>> {
        let mut cells = line.split('\t');
        let (test, property, outcome) = (cells.next()?, cells.next()?, cells.next()?);
        Some(Checked { test, property, outcome, states: cells.next()?, seconds: cells.next()? })
    }

    fn line(&self) -> String {
        let sign = match self.outcome {
            "holds" => "  ok",
            "violated" => "FAIL",
            _ => "  ??",
        };
        let Checked { test, property, states, seconds, .. } = self;
        format!("{sign}  {test}: {property}   {states} states · {seconds} s\n")
    }
}

/// Runs the tests.
fn run(arguments: &[String]) -> io::Result<ExitCode> {
    let folder = folder()?;
    fs::create_dir_all(&folder)?;
    let file = record(&folder);
    if let Err(error) = fs::remove_file(&file)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    let started = SystemTime::now();
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut tests = Command::new(cargo)
        .arg("test")
        .args(arguments)
        .env("FAIRLY_RECORD", &file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    // Output of tests is not shown, but has to be read.
    let output = tests.stdout.take();
    let reader = thread::spawn(move || output.map(io::read_to_string));
    let mut shown = 0;
    let status = loop {
        let status = tests.try_wait()?;
        shown = progress(&file, shown)?;
        if let Some(status) = status {
            break status;
        }
        thread::sleep(Duration::from_millis(100));
    };
    let output = reader.join().ok().flatten().and_then(Result::ok).unwrap_or_default();
    let text = fs::read_to_string(&file).unwrap_or_default();
    let checked: Vec<Checked<'_>> = text.lines().filter_map(Checked::read).collect();
    if checked.is_empty() {
        say(&terminal(&output))?;
        say("no test has checked a model\n")?;
        return Ok(ExitCode::from(if status.success() { 4 } else { 1 }));
    }
    let tests: BTreeSet<&str> = checked.iter().map(|it| it.test).collect();
    let count = |outcome: &str| checked.iter().filter(|it| it.outcome == outcome).count();
    say(&format!(
        "\n{} properties in {} tests: {} hold, {} violated, {} unknown\n",
        checked.len(),
        tests.len(),
        count("holds"),
        count("violated"),
        count("unknown"),
    ))?;
    if status.success() {
        return Ok(ExitCode::SUCCESS);
    }
    if !last(started)? {
        say(&terminal(&output))?;
    }
    Ok(ExitCode::from(1))
}

/// Prints the lines that have come since.
fn progress(file: &Path, shown: usize) -> io::Result<usize> {
    let text = fs::read_to_string(file).unwrap_or_default();
    // The last line may not be whole.
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    if let Some(new) = text.get(shown..whole) {
        for checked in new.lines().filter_map(Checked::read) {
            say(&terminal(&checked.line()))?;
        }
    }
    Ok(whole.max(shown))
}

fn list() -> io::Result<ExitCode> {
    let text = fs::read_to_string(record(&folder()?)).unwrap_or_default();
    let tests: BTreeSet<&str> = text.lines().filter_map(Checked::read).map(|it| it.test).collect();
    if tests.is_empty() {
        say("no test has checked a model yet: cargo fairly\n")?;
        return Ok(ExitCode::from(4));
    }
    for test in tests {
        say(&terminal(&format!("{test}\n")))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The newest run that was saved since a time.
fn newest(since: SystemTime) -> io::Result<Option<PathBuf>> {
    let Ok(entries) = fs::read_dir(folder()?) else { return Ok(None) };
    let mut newest: Option<(SystemTime, PathBuf)> = None;
    for entry in entries {
        let path = entry?.path();
        let is_trace = path.to_string_lossy().ends_with(".itf.json");
        let Ok(time) = fs::metadata(&path).and_then(|it| it.modified()) else { continue };
        if is_trace && time >= since && newest.as_ref().is_none_or(|(other, _)| time > *other) {
            newest = Some((time, path));
        }
    }
    Ok(newest.map(|(_, path)| path))
}

/// Prints the newest run that was saved as a Rust test.
fn as_test(model: Option<&str>) -> io::Result<ExitCode> {
    let Some(model) = model else {
        let said = "which model? `cargo fairly last --as-test Lock`, with the expression that makes it in the test";
        return Err(io::Error::other(said));
    };
    let Some(path) = newest(SystemTime::UNIX_EPOCH)? else {
        say(NOTHING_SAVED)?;
        return Ok(ExitCode::from(4));
    };
    // The library writes the test beside the trace.
    let test = PathBuf::from(path.to_string_lossy().replace(".itf.json", ".rs"));
    let text = fs::read_to_string(&test)
        .map_err(|error| io::Error::other(format!("{}: {error}", test.display())))?;
    say(&text.replace("let model = MODEL;", &format!("let model = {model};")))?;
    Ok(ExitCode::SUCCESS)
}

/// Shows the newest run that was saved since a time; whether there is one.
fn last(since: SystemTime) -> io::Result<bool> {
    let Some(path) = newest(since)? else {
        say(NOTHING_SAVED)?;
        return Ok(false);
    };
    let text = fs::read_to_string(&path)?;
    let saved = trace::parse(&text).and_then(|value| trace::Saved::read(&value));
    let saved = saved.map_err(|why| io::Error::other(format!("{}: {why}", path.display())))?;
    let is_plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let coloured = io::stdout().is_terminal() && !is_plain;
    let shown = saved.show(Look { coloured, ..Look::default() });
    let name = path.display();
    say(&terminal(&format!("\n{shown}\n{name}\nreplay: fairly trace show {name}\n")))?;
    Ok(true)
}
