//! Asks SPIN the questions of a Promela model, where SPIN and a C compiler are installed.
//!
//! All searches are exhaustive and without reduction: `spin -o1 -o2 -o3 -a`, compiled with `-DNOREDUCE`.
//! Everything happens in a temporary directory, which is removed with the [`Session`].

use std::collections::HashMap;
use std::fs::{self, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// An installed SPIN.
pub(super) struct Spin {
    /// Text of its version.
    pub(super) version: String,
    compiler: &'static str,
    /// How long one search may take.
    patience: Duration,
}

/// Subject of a question to SPIN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum About {
    Assertions,
    EndStates,
    Progress,
    /// Accept labels of processes.
    Acceptance,
    /// An `ltl` block or a `never` claim with this name.
    Claim(String),
}

/// Which runs count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runs {
    All,
    /// `pan -f`
    WeaklyFair,
}

/// Why SPIN gives no answer, in a few words.
pub(super) type SpinError = String;

/// The verifiers that are made of one model; they differ in how they are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Verifier {
    Safety,
    Claims,
    Labels,
    Progress,
}

impl Verifier {
    fn flags(self) -> &'static [&'static str] {
        match self {
            Verifier::Safety => &["-DSAFETY", "-DNOCLAIM"],
            Verifier::Claims => &["-DNFAIR=3"],
            Verifier::Labels => &["-DNOCLAIM", "-DNFAIR=3"],
            Verifier::Progress => &["-DNP", "-DNOCLAIM", "-DNFAIR=3"],
        }
    }

    /// Defines assertions away where cycles are looked for. `pan -A` would not do: SPIN makes an
    /// assertion of a safety formula, too.
    fn preamble(self) -> &'static str {
        match self {
            Verifier::Safety => "",
            Verifier::Claims | Verifier::Labels | Verifier::Progress => "#define assert(e) skip\n",
        }
    }
}

impl About {
    fn verifier(&self) -> Verifier {
        match self {
            About::Assertions | About::EndStates => Verifier::Safety,
            About::Progress => Verifier::Progress,
            About::Acceptance => Verifier::Labels,
            About::Claim(_) => Verifier::Claims,
        }
    }

    /// Options of the verifier for this question.
    fn search(&self) -> Vec<&str> {
        match self {
            // Invalid end states are no errors then, nor assertions in the other.
            About::Assertions => vec!["-E"],
            About::EndStates => vec!["-A"],
            About::Progress => vec!["-l"],
            About::Acceptance => vec!["-a", "-E"],
            About::Claim(name) => vec!["-a", "-N", name],
        }
    }

    /// Words of an error that answers the question.
    fn errors(&self) -> &'static [&'static str] {
        match self {
            About::Assertions => &["assertion violated"],
            About::EndStates => &["invalid end state"],
            About::Progress => &["non-progress cycle"],
            About::Acceptance => &["acceptance cycle"],
            About::Claim(_) => {
                &["acceptance cycle", "claim violated", "assertion violated", "end state in claim"]
            }
        }
    }
}

impl Spin {
    /// Looks for SPIN and a C compiler.
    ///
    /// # Errors
    /// The missing program.
    pub(super) fn find(patience: Duration) -> Result<Spin, String> {
        if !is_on_path("spin") {
            return Err("no `spin` on PATH".to_owned());
        }
        let said = Command::new("spin").arg("-V").stdin(Stdio::null()).output();
        let said = said.map(|it| String::from_utf8_lossy(&it.stdout).trim().to_owned());
        let version = said.ok().filter(|said| said.starts_with("Spin Version"));
        let Some(version) = version else {
            return Err("the `spin` on PATH is not the model checker".to_owned());
        };
        // Most models are small, so the compiler that is fast itself comes first.
        let compiler = ["tcc", "gcc", "cc"].into_iter().find(|name| is_on_path(name));
        let Some(compiler) = compiler else {
            return Err("no C compiler (tcc or gcc) on PATH".to_owned());
        };
        Ok(Spin { version, compiler, patience })
    }

    /// Begins to ask about one model.
    pub(super) fn open(&self, model: String) -> std::io::Result<Session<'_>> {
        let folder = Folder::new()?;
        Ok(Session { spin: self, model, folder, built: HashMap::new() })
    }
}

/// One model, and the verifiers that have been made of it.
pub(super) struct Session<'a> {
    spin: &'a Spin,
    model: String,
    folder: Folder,
    built: HashMap<Verifier, Result<PathBuf, SpinError>>,
}

impl Session<'_> {
    /// Whether it holds.
    pub(super) fn holds(&mut self, about: &About, runs: Runs) -> Result<bool, SpinError> {
        let mut arguments = about.search();
        if runs == Runs::WeaklyFair {
            arguments.push("-f");
        }
        let said = self.search(about.verifier(), &arguments)?;
        let errors: Vec<&str> = said.lines().filter_map(|it| it.strip_prefix("pan:1: ")).collect();
        let is_asked = |error: &&str| about.errors().iter().any(|words| error.contains(words));
        match errors.first() {
            Some(error) if is_asked(error) => Ok(false),
            Some(error) => Err(format!("another error: {error}")),
            None => {
                is_complete(&said)?;
                Ok(true)
            }
        }
    }

    /// How many states are stored if no error stops the search.
    pub(super) fn stored(&mut self, about: &About) -> Result<usize, SpinError> {
        let mut arguments = about.search();
        if about.verifier() == Verifier::Safety {
            arguments = vec!["-A", "-E"];
        }
        arguments.push("-c0");
        let said = self.search(about.verifier(), &arguments)?;
        is_complete(&said)?;
        let line = said.lines().find(|line| line.contains("states, stored"));
        // Large numbers are written as 1.5e+06.
        let count = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        count.map(|count| count as usize).ok_or_else(|| "no count of states".to_owned())
    }

    /// Runs a verifier.
    fn search(&mut self, verifier: Verifier, arguments: &[&str]) -> Result<String, SpinError> {
        let program = self.verifier(verifier)?;
        let folder = program.parent().unwrap_or(&self.folder.path);
        // Room for a deep search costs more than most searches, so it is not taken at once; nor is a
        // table for many millions of states.
        let mut said = String::new();
        for depth in ["-m10000", "-m1000000"] {
            let arguments = [&["-n", "-w20", depth], arguments].concat();
            said = run(&program, &arguments, folder, self.spin.patience)?;
            if !said.contains(TOO_DEEP) {
                break;
            }
        }
        if said.contains("errors: ") { Ok(said) } else { Err(last_line("pan", &said)) }
    }

    /// Makes a verifier, once.
    fn verifier(&mut self, verifier: Verifier) -> Result<PathBuf, SpinError> {
        if let Some(built) = self.built.get(&verifier) {
            return built.clone();
        }
        let built = self.build(verifier);
        self.built.insert(verifier, built.clone());
        built
    }

    fn build(&self, verifier: Verifier) -> Result<PathBuf, SpinError> {
        let Spin { compiler, patience, .. } = *self.spin;
        let folder = self.folder.path.join(format!("{verifier:?}"));
        let unwritten =
            |error: std::io::Error| format!("cannot write {}: {error}", folder.display());
        fs::create_dir(&folder).map_err(unwritten)?;
        let model = format!("{}{}", verifier.preamble(), self.model);
        fs::write(folder.join("model.pml"), model).map_err(unwritten)?;
        let arguments = ["-o1", "-o2", "-o3", "-a", "model.pml"];
        let said = run(Path::new("spin"), &arguments, &folder, patience)?;
        // SPIN may write a program in spite of an error.
        let is_error = |line: &&str| !line.starts_with("ltl ") && line.contains("rror: ");
        if let Some(error) = said.lines().find(is_error) {
            return Err(error.to_owned());
        }
        if !folder.join("pan.c").exists() {
            return Err(last_line("spin", &said));
        }
        let fixed = ["-O1", "-w", "-DNOREDUCE", "-DMEMLIM=4000", "-o", "pan", "pan.c"];
        let arguments = [verifier.flags(), &fixed[..]].concat();
        let said = run(Path::new(compiler), &arguments, &folder, patience)?;
        let program = folder.join("pan");
        if program.exists() { Ok(program) } else { Err(last_line(compiler, &said)) }
    }
}

/// Message of a verifier whose search had no room to go on.
const TOO_DEEP: &str = "max search depth too small";

/// That the search was exhaustive, if no error was found.
fn is_complete(said: &str) -> Result<(), SpinError> {
    let limits = [TOO_DEEP, "out of memory", "memory limit", "aborting"];
    match limits.iter().find(|words| said.contains(*words)) {
        Some(words) => Err((*words).to_owned()),
        None => Ok(()),
    }
}

/// Last line of a program that fails.
fn last_line(program: &str, said: &str) -> SpinError {
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    format!("{program}: {}", last.unwrap_or("no answer"))
}

/// Runs a program to its end and gives everything it printed.
fn run(
    program: &Path,
    arguments: &[&str],
    folder: &Path,
    patience: Duration,
) -> Result<String, SpinError> {
    let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let failed = |error: std::io::Error| format!("{name}: {error}");
    // A file, since a pipe without a reader would stop a program that says much.
    let path = folder.join("output");
    let output = File::create(&path).map_err(failed)?;
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stderr(output.try_clone().map_err(failed)?)
        .stdout(output)
        .spawn()
        .map_err(failed)?;
    let started = Instant::now();
    let mut pause = Duration::from_millis(1);
    while child.try_wait().map_err(failed)?.is_none() {
        if started.elapsed() > patience {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("{name}: no answer in {} s", patience.as_secs_f64()));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
    let bytes = fs::read(&path).map_err(failed)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a program can be started by its name.
fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// A directory that is removed when it is no longer needed.
struct Folder {
    path: PathBuf,
}

impl Folder {
    fn new() -> std::io::Result<Folder> {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        loop {
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            let name = format!("fairly-spin-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match builder().create(&path) {
                Ok(()) => return Ok(Folder { path }),
                // Left over by another process with our number.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Makes directories that other users can neither look into nor write to.
fn builder() -> fs::DirBuilder {
    let mut builder = fs::DirBuilder::new();
    builder.mode(0o700);
    builder
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nothing depends on it any more; what cannot be removed is the system's to clean up.
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_is_gone_with_its_owner() {
        let folder = Folder::new().expect("a directory");
        let path = folder.path.clone();
        fs::write(path.join("file"), "text").expect("written");
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn a_search_that_was_cut_off_is_no_answer() {
        assert_eq!(is_complete("State-vector 20 byte, depth reached 9, errors: 0"), Ok(()));
        assert!(is_complete("error: max search depth too small\nerrors: 0").is_err());
    }
}
