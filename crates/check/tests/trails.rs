//! Trails against SPIN: statements have the numbers that `pan -d` lists, `spin -t` replays the trails that
//! are written and ends with the same values, and the trails that `pan` writes, with and without statement
//! merging, are runs.
//!
//! Without `spin` or a C compiler only what is written is read back. `FAIRLY_TRAIL_CASES` says how many
//! random programs, `FAIRLY_SEED` the seed of the first.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fairly_front::promela::{Options, lower, parse};
use fairly_front::trail::Trail;
use fairly_system::{Run, RunStep, TransitionSystem};
use fairly_testkit::Rng;

use crate::common::languages::PromelaFile;
use crate::promela_random::generate;
use crate::promela_random::program::Form;

/// SPIN with a C compiler, in a folder of its own.
struct Spin {
    compiler: &'static str,
    folder: PathBuf,
}

impl Drop for Spin {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.folder).ok();
    }
}

fn has(program: &str) -> bool {
    Command::new(program).arg("-v").stdin(Stdio::null()).output().is_ok()
}

impl Spin {
    fn find(test: &str) -> Option<Spin> {
        let compiler = ["tcc", "gcc", "cc"].into_iter().find(|name| has(name));
        let name = format!("fairly-trails-{test}-{}", std::process::id());
        match compiler.filter(|_| has("spin")) {
            None => {
                println!("skipped: spin and a C compiler are needed");
                None
            }
            Some(compiler) => Some(Spin { compiler, folder: std::env::temp_dir().join(name) }),
        }
    }

    fn cases(&self) -> u64 {
        let usual = if self.compiler == "tcc" { 40 } else { 8 };
        number("FAIRLY_TRAIL_CASES", usual)
    }

    fn run(&self, program: &str, arguments: &[&str]) -> String {
        let mut command = Command::new("timeout");
        command.args(["-k", "1", "10", program]).args(arguments).current_dir(&self.folder);
        let output = command.stdin(Stdio::null()).output().expect("it can be started");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    }

    /// Writes a model down.
    fn write(&self, text: &str) {
        fs::remove_dir_all(&self.folder).ok();
        fs::create_dir_all(&self.folder).expect("a folder");
        // The name is one that every preprocessor takes.
        fs::write(self.folder.join("m.c"), text).expect("a file");
    }

    /// Makes the verifier of the model; none if SPIN refuses it.
    fn build(&self, flags: &[&str]) -> Option<()> {
        let preprocessor = format!("-P{} -E", self.compiler);
        let said = self.run("spin", &[&[preprocessor.as_str()], flags, &["-a", "m.c"]].concat());
        let is_wrong = said.lines().any(|line| line.contains("rror:"));
        fs::remove_file(self.folder.join("pan")).ok();
        let arguments = ["-DNOREDUCE", "-DMEMLIM=1000", "-DNOCLAIM", "-w", "-o", "pan", "pan.c"];
        self.run(self.compiler, &arguments);
        (!is_wrong && self.folder.join("pan").exists()).then_some(())
    }
}

/// Without merging and other optimisations, as Fairly takes statements.
const PLAIN: &[&str] = &["-o1", "-o2", "-o3"];

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().map_or(usual, |text| text.parse().expect("a number"))
}

fn models(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries = fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("one").path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|it| it == "pml")).collect();
    paths.sort();
    let read =
        |path: PathBuf| (path.display().to_string(), fs::read_to_string(path).expect("text"));
    paths.into_iter().map(read).collect()
}

fn random(seed: u64) -> String {
    generate::program(seed).text(Form::Safety)
}

/// The numbers of the statements of each proctype.
type Numbers = BTreeMap<String, BTreeSet<u32>>;

fn listed(said: &str) -> Numbers {
    let mut numbers = Numbers::new();
    let mut of = None;
    for line in said.lines() {
        if let Some(name) = line.strip_prefix("proctype ").or(line.strip_prefix("init")) {
            let name = if name.is_empty() { "init" } else { name };
            of = Some(name.trim().trim_start_matches(':').trim_end_matches(':').to_owned());
        } else if !line.starts_with(['\t', ' ']) {
            of = None;
        }
        let id = line.split_once("[id ").and_then(|(_, rest)| rest.split_whitespace().next());
        if let (Some(of), Some(id)) = (&of, id.and_then(|id| id.parse().ok())) {
            numbers.entry(of.clone()).or_default().insert(id);
        }
    }
    numbers
}

fn ours(text: &str) -> Option<Numbers> {
    let model = parse(text).ok()?;
    let lowered = lower(&model, Options::new(text)).ok()?;
    let mut numbers = Numbers::new();
    for (event, number) in lowered.numbers {
        let name = &lowered.model.events[event.index()].name;
        let of = name.split([':', '.']).next().unwrap_or_default();
        numbers.entry(of.to_owned()).or_default().insert(number);
    }
    Some(numbers)
}

#[test]
fn statements_have_the_numbers_of_pan() {
    let Some(spin) = Spin::find("numbers") else { return };
    let first = number("FAIRLY_SEED", 0);
    let mut all = models("examples/promela");
    all.extend(models("corpus/promela"));
    all.extend((first..first + spin.cases()).map(|seed| (format!("seed {seed}"), random(seed))));
    let mut compared = 0;
    for (name, text) in all {
        let Some(ours) = ours(&text) else { continue };
        spin.write(&text);
        if spin.build(PLAIN).is_none() {
            continue;
        }
        let theirs = listed(&spin.run("./pan", &["-d"]));
        for (of, numbers) in &theirs {
            let known = ours.get(of).cloned().unwrap_or_default();
            // `pan` may list a jump out of an escape that is no step.
            let same = known.is_subset(numbers) && numbers.len() <= known.len() + 1;
            assert!(same, "{name}: {of} {known:?} {numbers:?}\n{text}");
        }
        compared += 1;
    }
    assert!(compared > 30, "only {compared} models were compared");
}

/// A run of so many steps that ends where it ends.
fn walk(file: &mut PromelaFile, steps: usize, random: &mut Rng) -> Run {
    let system = file.interpreter();
    let mut at = system.initial()[0];
    let mut run = Run { stem: Vec::new(), cycle: Vec::new() };
    for _ in 0..steps {
        let mut enabled = Vec::new();
        system.enabled(at, &mut enabled);
        if enabled.is_empty() {
            break;
        }
        let step = enabled[random.below(enabled.len())];
        run.stem.push(RunStep { from: at, action: step.action, to: step.target });
        at = step.target;
    }
    run
}

#[test]
fn what_is_written_is_read_and_replayed() {
    let spin = Spin::find("replayed");
    let cases = spin.as_ref().map_or(60, Spin::cases);
    let first = number("FAIRLY_SEED", 0);
    let (mut read, mut replayed, mut failures) = (0, 0, 0);
    for seed in first..first + cases {
        let text = random(seed);
        let Ok(mut file) = PromelaFile::parse(&text, &[]) else { continue };
        let run = walk(&mut file, 30, &mut Rng::new(seed));
        let trail = match file.trail(&run) {
            Ok(trail) => trail,
            Err(why) => {
                // An atomic sequence without end is no sequence of statements.
                println!("seed {seed}: {why}\n{text}");
                failures += 1;
                continue;
            }
        };
        let again = Trail::parse(&trail.to_string()).expect("it is a trail");
        let followed = file.follow(&again);
        assert_eq!(followed.as_ref(), Ok(&run), "seed {seed}\n{trail}\n{text}");
        read += 1;
        let (Some(spin), Some(last)) = (&spin, run.stem.last()) else { continue };
        let end = last.to;
        // SPIN stops at an error, or goes on otherwise; and a simulation has another last mover than a
        // verifier.
        if file.interpreter().fault(end).is_some() || text.contains("_last") {
            continue;
        }
        spin.write(&text);
        fs::write(spin.folder.join("m.c.trail"), trail.to_string()).expect("a file");
        let preprocessor = format!("-P{} -E", spin.compiler);
        let said = spin.run("spin", &[&preprocessor, "-t", "-p", "m.c"]);
        let count = trail.lines.len();
        let ends = said.contains(&format!("spin: trail ends after {count} steps"));
        assert!(ends, "seed {seed}\n{said}\n{trail}\n{text}");
        let failed = ["transition failed", "no matching", "invalid statement", "stop error"];
        if failed.iter().any(|it| said.contains(it)) {
            // A simulation does not take every condition as a verifier does: `nfull` of a rendezvous.
            println!("seed {seed}: SPIN does not follow\n{said}\n{text}");
            failures += 1;
            continue;
        }
        // A simulation keeps what is too large for a bit otherwise than a verifier.
        if said.contains("truncated") {
            continue;
        }
        // Without processes nothing is listed.
        let Some((_, values)) = said.split_once("#processes:") else { continue };
        for (name, value) in file.interpreter().valuation(end) {
            let shown = format!("\t\t{name} = ");
            let theirs = values.lines().find_map(|line| line.strip_prefix(&shown));
            if let (Some(theirs), Ok(ours)) = (theirs, value.parse::<i64>())
                && let Ok(theirs) = theirs.trim().parse::<i64>()
            {
                assert_eq!(ours, theirs, "seed {seed}: {name}\n{said}\n{trail}\n{text}");
                replayed += 1;
            }
        }
    }
    println!("{read} read again, {replayed} values compared with SPIN's");
    assert!(failures * 20 <= cases, "{failures} trails are not followed by SPIN");
    assert!(read * 2 > cases, "only {read} of {cases} programs have steps");
    assert!(spin.is_none() || replayed * 2 > cases, "only {replayed} values");
}

#[test]
fn trails_of_pan_are_runs() {
    let Some(spin) = Spin::find("followed") else { return };
    let first = number("FAIRLY_SEED", 0);
    let mut all = models("examples/promela");
    all.extend((first..first + spin.cases()).map(|seed| (format!("seed {seed}"), random(seed))));
    let (mut followed, mut refused) = ([0, 0], 0);
    for (name, text) in all {
        let Ok(mut file) = PromelaFile::parse(&text, &[]) else { continue };
        spin.write(&text);
        for (merged, flags) in [PLAIN, &[]].into_iter().enumerate() {
            if spin.build(flags).is_none() {
                continue;
            }
            fs::remove_file(spin.folder.join("m.c.trail")).ok();
            spin.run("./pan", &["-a", "-m10000", "-w14"]);
            let Ok(trail) = fs::read_to_string(spin.folder.join("m.c.trail")) else { continue };
            let parsed = Trail::parse(&trail).expect("pan writes trails");
            let run = file.follow(&parsed);
            match (run, merged) {
                (Ok(_), _) => followed[merged] += 1,
                (Err(why), 0) if !why.message.contains("inside an atomic") => {
                    panic!("{name}: {why:?}\n{trail}\n{text}")
                }
                // Merged statements may have changed variables that another process sees.
                (Err(_), _) => refused += 1,
            }
        }
    }
    let [plain, merged] = followed;
    println!(
        "{plain} trails followed, {merged} with merged statements; {refused} of those refused"
    );
    assert!(refused * 4 <= merged, "{refused} trails with merged statements are refused");
    assert!(followed.iter().all(|&count| count > 5), "only {followed:?}");
}
