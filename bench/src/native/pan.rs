//! SPIN's verifiers of a model, made and run in a folder of their own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::models::Model;

/// Cost of a command.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Times {
    /// On the wall.
    pub(super) wall: Duration,
    /// Of the processors, in all its processes.
    pub(super) processor: Duration,
}

/// Statistics of SPIN about a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    /// States in its table.
    pub(super) stored: usize,
    /// How long its stack became.
    pub(super) depth: usize,
    /// Its cost; making the verifier is not counted.
    pub(super) times: Times,
}

/// Which verifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// All states; nothing can go wrong.
    Safety,
    /// A formula, on all runs.
    Always(&'a str),
    /// A formula, on weakly fair runs.
    Weak(&'a str),
}

impl Kind<'_> {
    /// How the program is translated. SPIN leaves out states by looking at the program, unless told
    /// otherwise; where states are compared it is told.
    fn generation(self) -> &'static str {
        match self {
            Kind::Safety => "spin -o1 -o2 -o3 -a m.pml",
            Kind::Always(_) | Kind::Weak(_) => "spin -a m.pml",
        }
    }

    fn compilation(self, processes: usize) -> String {
        let flags = match self {
            Kind::Safety => "-DSAFETY -DNOCLAIM".to_owned(),
            Kind::Always(_) => "-DNOFAIR".to_owned(),
            Kind::Weak(_) => format!("-DNFAIR={}", processes / 4 + 2),
        };
        format!("gcc -O3 -DNOREDUCE {flags} -o pan pan.c")
    }

    /// Depth of the search, from the number of states. SPIN counts the steps inside atomic sequences, too, so a
    /// path may be longer than there are states.
    fn depth(self, states: usize) -> usize {
        let product = match self {
            Kind::Safety => states,
            Kind::Always(_) | Kind::Weak(_) => 3 * states,
        };
        (3 * product).max(10_000)
    }

    /// A search whose stack and table are fitted to the system: on a small one it would do nothing
    /// but clear them.
    fn search(self, states: usize, depth: usize) -> String {
        let product = if self == Kind::Safety { states } else { 2 * states };
        let table = product.next_power_of_two().ilog2().max(14);
        match self {
            Kind::Safety => format!("./pan -E -A -m{depth} -w{table}"),
            Kind::Always(name) => format!("./pan -a -N {name} -m{depth} -w{table}"),
            Kind::Weak(name) => format!("./pan -a -f -N {name} -m{depth} -w{table}"),
        }
    }
}

/// Whether SPIN and a C compiler can be run; if not, a remark.
///
/// # Errors
/// With the remark.
pub(super) fn available() -> Result<String, String> {
    let version =
        Command::new("spin").arg("-V").output().map_err(|error| format!("spin: {error}"))?;
    Command::new("gcc").arg("--version").output().map_err(|error| format!("gcc: {error}"))?;
    Ok(String::from_utf8_lossy(&version.stdout).trim().to_owned())
}

/// A folder with a model in it, which is removed in the end.
pub(super) struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Folder {
    /// Writes the model into a new folder.
    ///
    /// # Panics
    /// If that is not possible.
    pub(super) fn new(model: &Model) -> Folder {
        let name = format!("fairly-native-{}-{}", std::process::id(), model.n);
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        std::fs::write(folder.join("m.pml"), &model.text).expect("a file in it");
        Folder(folder)
    }

    /// The model.
    pub(super) fn file(&self) -> PathBuf {
        self.0.join("m.pml")
    }

    /// Makes a verifier and runs it.
    ///
    /// # Panics
    /// If it fails or finds an error: a benchmark of wrong answers is worth nothing.
    pub(super) fn search(&self, model: &Model, kind: Kind<'_>, states: usize) -> Search {
        timed(&self.0, kind.generation());
        timed(&self.0, &kind.compilation(model.processes));
        let run = |depth: usize| {
            let (text, times) = timed(&self.0, &kind.search(states, depth));
            let found = format!("SPIN on {} {}, {kind:?}:\n{text}", model.name, model.n);
            assert!(text.contains("errors: 0") && !text.contains("too small"), "{found}");
            let stored = stored(&text).expect(&found);
            Search { stored, depth: depth_reached(&text).expect(&found), times }
        };
        let mut best = run(kind.depth(states));
        // Again, with a stack that fits, unless it hardly matters.
        let repeats = if best.times.processor < Duration::from_secs(5) { 2 } else { 0 };
        for _ in 0..repeats {
            let again = run(best.depth + 10);
            if again.times.processor < best.times.processor {
                best = again;
            }
        }
        best
    }

    /// Everything that is to be done for an answer, from the text of the model on.
    pub(super) fn end_to_end(&self, model: &Model, kind: Kind<'_>, states: usize) -> Times {
        let compilation = kind.compilation(model.processes);
        let search = kind.search(states, kind.depth(states));
        timed(&self.0, &format!("spin -a m.pml && {compilation} && {search}")).1
    }
}

/// Runs a command in a folder, with what it printed and what it took.
///
/// # Panics
/// If it cannot be run, or fails.
pub(super) fn timed(folder: &Path, command: &str) -> (String, Times) {
    // The shell tells the times of its children on standard error.
    let script = format!("TIMEFORMAT='%3R %3U %3S'; time {{ {command}; }} 2>/dev/null");
    let output = Command::new("bash").args(["-c", &script]).current_dir(folder).output();
    let output = output.expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command} failed:\n{text}");
    let times = String::from_utf8_lossy(&output.stderr);
    let seconds: Vec<f64> = times.split_whitespace().filter_map(|it| it.parse().ok()).collect();
    let [wall, user, system] = seconds[..] else { panic!("times of {command}: {times}") };
    let times = Times {
        wall: Duration::from_secs_f64(wall),
        processor: Duration::from_secs_f64(user + system),
    };
    (text, times)
}

/// The number of states in what a verifier prints.
fn stored(text: &str) -> Option<usize> {
    let line = text.lines().find(|line| line.contains("states, stored"))?;
    let number = line.split_whitespace().next()?;
    number.parse::<f64>().ok().map(|number| number as usize)
}

/// The depth of the search in what a verifier prints.
fn depth_reached(text: &str) -> Option<usize> {
    let (_, rest) = text.split_once("depth reached ")?;
    rest.split_once(',')?.0.parse().ok()
}
