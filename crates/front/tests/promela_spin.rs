//! Promela against SPIN: the same states, and the same errors.
//!
//! Every model of `examples/promela` and `corpus/promela` is explored, by SPIN's verifier without its
//! optimisations and by the interpreter, and what was found is compared: how many states there are,
//! whether an assertion can fail, and whether a run can end where it should not.
//!
//! Without `spin` or a C compiler this says so and passes; what is written in the models is compared
//! all the same. `FAIRLY_PROMELA_CORPUS` names a folder with
//! more models, `FAIRLY_PROMELA_STATES` how many states of one are looked at before it is skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fairly_explore::Explored;
use fairly_front::promela::{Options, lower, parse};
use fairly_model::ModelSpace;
use fairly_omega::StateId;
use fairly_system::{FaultKind, TransitionSystem};
use fairly_testkit::side_by_side;

/// Result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    /// SPIN's states: those in which no process goes on alone.
    states: usize,
    assertion: bool,
    invalid_end: bool,
}

fn has(program: &str) -> bool {
    let asked = Command::new(program).arg("-v").stdin(Stdio::null()).output();
    asked.is_ok()
}

/// A C compiler; the one that is fast to compile first, since most models are small.
fn compiler() -> Option<&'static str> {
    ["tcc", "gcc", "cc"].into_iter().find(|name| has(name))
}

fn most_states() -> usize {
    let asked = std::env::var("FAIRLY_PROMELA_STATES").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(200_000)
}

/// Explores a model. With `assertions` off, an assertion is a step that does nothing.
///
/// # Errors
/// Why it cannot be.
fn explore(text: &str, assertions: bool) -> Result<Found, String> {
    let model = parse(text).map_err(|wrong| format!("not read: {}", wrong[0]))?;
    let options = Options { assertions, ..Options::new(text) };
    let lowered = lower(&model, options).map_err(|wrong| format!("refused: {}", wrong[0]))?;
    let mut system = Explored::new(ModelSpace::new(lowered.model, None));
    let deadlock = system.atom("deadlock").expect("every system has it");
    let terminated = system.atom("terminated").expect("every system has it");
    let unfinished = lowered.unfinished.and_then(|name| system.atom(&name));
    let holder = system.space().layout().holder;
    let mut found = Found { states: 0, assertion: false, invalid_end: false };
    let mut steps = Vec::new();
    system.initial();
    let mut at = 0;
    while at < system.state_count() {
        if at > most_states() {
            return Err(format!("more than {} states", most_states()));
        }
        let state = StateId::from_index(at);
        at += 1;
        if let Some(fault) = system.fault(state) {
            match fault.kind {
                FaultKind::Limit => return Err(format!("a limit: {}", fault.message)),
                FaultKind::Error if is_assertion(&fault.message) => found.assertion = true,
                FaultKind::Error => return Err(format!("an error: {}", fault.message)),
            }
            continue;
        }
        steps.clear();
        system.enabled(state, &mut steps);
        let held = holder.is_some_and(|strip| strip.get(&system.row(state), 0) >= 0);
        found.states += usize::from(!held);
        found.invalid_end |= system.holds(state, deadlock);
        if let Some(unfinished) = unfinished {
            let stopped = system.holds(state, terminated);
            found.invalid_end |= stopped && system.holds(state, unfinished);
        }
    }
    Ok(found)
}

/// Whether an error is what SPIN calls an assertion that is violated: of a process, of `xr` or `xs`, or
/// of a trace.
fn is_assertion(message: &str) -> bool {
    ["the assertion", "the trace", "the notrace"].iter().any(|it| message.starts_with(it))
}

/// Asks SPIN.
///
/// # Errors
/// Why it cannot be asked.
fn ask_spin(path: &Path, compiler: &str, folder: &Path) -> Result<Found, String> {
    fs::remove_dir_all(folder).ok();
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    fs::copy(path, folder.join("m.pml")).map_err(|error| error.to_string())?;
    let run = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        let output = command.args(arguments).current_dir(folder).stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("{program}: {error}"))?;
        let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok::<_, String>(words(&output.stdout) + &words(&output.stderr))
    };
    let said = run("spin", &["-o1", "-o2", "-o3", "-a", "m.pml"])?;
    if !folder.join("pan.c").exists() {
        return Err(format!("spin: {}", said.lines().last().unwrap_or("")));
    }
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let build = |name: &str, reduction: &[&str]| {
        let flags = ["-DSAFETY", "-DNOCLAIM", "-DMEMLIM=3000", "-w", "-o", name, "pan.c"];
        let said = run(compiler, &[reduction, &flags[..]].concat())?;
        match folder.join(name).exists() {
            true => Ok(()),
            false => Err(format!("{compiler}: {}", said.lines().last().unwrap_or(""))),
        }
    };
    // With its compression SPIN takes states to be the same that differ in a priority only.
    let compression: &[&str] = if text.contains("priority") { &["-DNOCOMP"] } else { &[] };
    build("pan", &[&["-DNOREDUCE"], compression].concat())?;
    let limit = ["-k", "5", "120", "./pan", "-n", "-m1000000"];
    let counted = run("timeout", &[&limit[..], &["-A", "-E", "-c0"]].concat())?;
    let judged = run("timeout", &[&limit[..], &["-c0"]].concat())?;
    let line = counted.lines().find(|line| line.contains("states, stored"));
    let states = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    let states = states.ok_or_else(|| {
        format!("pan: {}", counted.lines().find(|it| it.starts_with("pan")).unwrap_or("no answer"))
    })?;
    if counted.contains("max search depth too small") {
        return Err("pan: the search is too deep".to_owned());
    }
    let reports = |said: &str, what: &str| {
        said.lines().any(|line| line.starts_with("pan:") && line.contains(what))
    };
    let mut assertion =
        reports(&judged, "assertion violated") || reports(&judged, "event_trace error");
    if text.contains("xr ") || text.contains("xs ") {
        // Only the reduction relies on what they say, and only with it they are checked.
        build("reduced", &[])?;
        let limit = ["-k", "5", "120", "./reduced", "-n", "-m1000000", "-E"];
        assertion |= reports(&run("timeout", &limit)?, "assertion violated");
    }
    let invalid_end = reports(&judged, "invalid end state");
    Ok(Found { states: states as usize, assertion, invalid_end })
}

fn models(folder: &Path, deep: bool, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() && deep {
            models(&path, deep, found);
        } else if path
            .extension()
            .is_some_and(|it| ["pml", "prom", "spin"].iter().any(|e| it == *e))
        {
            found.push(path);
        }
    }
}

/// The models of this repository.
fn own_models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    models(&root.join("examples/promela"), false, &mut found);
    models(&root.join("corpus/promela"), false, &mut found);
    found
}

/// The results of SPIN when a model was written stand in it, so that a change is seen without SPIN.
#[test]
fn models_have_as_many_states_as_they_say() {
    let mut compared = 0;
    for path in own_models() {
        let text = fs::read_to_string(&path).expect("a model");
        let model = parse(&text).unwrap_or_else(|wrong| panic!("{}: {wrong:?}", path.display()));
        let says = |remark: &str| remark.strip_prefix("states ")?.trim().parse::<usize>().ok();
        let Some(states) = model.expectations.iter().find_map(|it| says(&it.text)) else {
            continue;
        };
        match explore(&text, false) {
            Ok(found) => assert_eq!(found.states, states, "{}", path.display()),
            Err(why) if why.starts_with("more than") => continue,
            Err(why) => panic!("{}: {why}", path.display()),
        }
        compared += 1;
    }
    assert!(compared > 50, "{compared}");
}

/// A remark in models on which SPIN's verifier ends with a signal instead of an answer.
const CRASHES: &str = "// SPIN's verifier crashes here";

#[test]
fn models_have_the_states_and_errors_that_spin_finds() {
    let mut ours = own_models();
    let own = ours.len();
    if let Some(folder) = std::env::var_os("FAIRLY_PROMELA_CORPUS") {
        models(Path::new(&folder), true, &mut ours);
    }
    let (true, Some(compiler)) = (has("spin"), compiler()) else {
        println!("skipped: spin and a C compiler are needed");
        return;
    };
    let folder = std::env::temp_dir().join(format!("fairly-promela-{}", std::process::id()));
    let (mut same, mut different, mut skipped) = (0, Vec::new(), 0);
    let numbered: Vec<(usize, &PathBuf)> = ours.iter().enumerate().collect();
    let compared = side_by_side(&numbered, |&(at, path)| {
        let text = fs::read_to_string(path).ok()?;
        if text.contains(CRASHES) {
            return None;
        }
        let folder = folder.join(at.to_string());
        let compared = ask_spin(path, compiler, &folder).and_then(|spin| {
            let counted = explore(&text, false)?;
            let judged = explore(&text, true);
            Ok((spin, counted, judged))
        });
        fs::remove_dir_all(folder).ok();
        Some(compared)
    });
    for (&(at, path), compared) in numbered.iter().zip(compared) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(compared) = compared else { continue };
        match compared {
            Ok((spin, counted, judged)) => {
                let assertion = judged.as_ref().map_or(spin.assertion, |judged| judged.assertion);
                let here = Found { assertion, ..counted };
                if here == spin {
                    same += 1;
                    println!("same: {name}: {} states", spin.states);
                } else {
                    println!("DIFFERENT: {}: spin {spin:?}, fairly {here:?}", path.display());
                    different.push(name);
                }
            }
            Err(why) if at >= own || why.starts_with("more than") => {
                skipped += 1;
                println!("skipped: {}: {why}", path.display());
            }
            Err(why) => {
                println!("DIFFERENT: {}: {why}", path.display());
                different.push(name);
            }
        }
    }
    fs::remove_dir_all(&folder).ok();
    println!("{same} the same, {} different, {skipped} skipped", different.len());
    assert!(different.is_empty(), "{different:?}");
}
