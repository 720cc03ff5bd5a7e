//! `fairly check --watch`: checks again whenever a file changes.
//!
//! Each check is a process of its own, the same command without `--watch`: whatever happens to it, the next
//! one begins anew. Files are looked at several times a second; asking the system to tell would need
//! another library for every system, and be no faster for a person.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use fairly_source::escape::in_line;

use crate::failure::{self, CliError};
use crate::input;
use crate::output;

/// How often files are looked at.
const PAUSE: Duration = Duration::from_millis(150);
/// How long a check may take to end after Ctrl-C.
const GRACE: Duration = Duration::from_secs(2);
/// Files that are followed at most: a folder may hold anything.
const MOST: usize = 2_000;
/// The largest file that is looked into for others that it includes.
const LARGEST: u64 = 4 << 20;

/// Facts about a file without reading it; `None` if it is not there.
type State = Option<(SystemTime, u64)>;

/// Checks until the user ends it. `models` gives the files of the models as they are now, `folders` are those
/// that included files may be in.
pub(crate) fn watch(
    models: &dyn Fn() -> Vec<String>,
    folders: &[String],
) -> Result<ExitCode, CliError> {
    let ended = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&ended);
    ctrlc::set_handler(move || told.store(true, Ordering::Relaxed))
        .map_err(|error| CliError::usage(format!("cannot wait for Ctrl-C: {error}")))?;
    let mut last = 0;
    loop {
        let seen = files(&models(), folders);
        let before: Vec<State> = seen.iter().map(|path| state(path)).collect();
        if std::io::stdout().is_terminal() {
            output::clear_screen();
        }
        let mut check = again()?;
        let mut is_running = true;
        // Until something changes, or everything ends.
        loop {
            std::thread::sleep(PAUSE);
            if is_running && let Some(status) = waited(&mut check)? {
                is_running = false;
                last = status;
                let count = seen.len();
                let word = if count == 1 { "file" } else { "files" };
                output::remark(&format!("watching {count} {word}; Ctrl-C ends"));
            }
            if ended.load(Ordering::Relaxed) {
                if is_running {
                    last = end(&mut check)?;
                }
                return Ok(ExitCode::from(last));
            }
            let changed = seen.iter().zip(&before).find(|(path, before)| state(path) != **before);
            let Some((path, _)) = changed else { continue };
            if is_running {
                // Its answer would be about what is no longer there.
                let _ = check.kill();
                let _ = check.wait();
            }
            output::remark(&format!("{} has changed\n", in_line(&path.to_string_lossy())));
            break;
        }
    }
}

/// Begins the same command without `--watch`.
fn again() -> Result<Child, CliError> {
    let cannot = |error| CliError::usage(format!("cannot begin a check: {error}"));
    let program = std::env::current_exe().map_err(cannot)?;
    let words = std::env::args_os().skip(1).filter(|word| word != "--watch");
    Command::new(program).args(words).spawn().map_err(cannot)
}

/// The exit code of a check that has ended.
fn waited(check: &mut Child) -> Result<Option<u8>, CliError> {
    let cannot = |error| CliError::usage(format!("cannot wait for a check: {error}"));
    let status = check.try_wait().map_err(cannot)?;
    let code =
        |status: std::process::ExitStatus| status.code().and_then(|it| u8::try_from(it).ok());
    Ok(status.map(|status| code(status).unwrap_or(failure::INTERNAL)))
}

/// Gives a check the time to report what it knows, as Ctrl-C asks of it, too.
fn end(check: &mut Child) -> Result<u8, CliError> {
    let since = Instant::now();
    while since.elapsed() < GRACE {
        if let Some(code) = waited(check)? {
            return Ok(code);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = check.kill();
    let _ = check.wait();
    Ok(failure::UNKNOWN)
}

fn state(path: &Path) -> State {
    let data = std::fs::metadata(path).ok()?;
    Some((data.modified().ok()?, data.len()))
}

/// The models, what they include, and the settings of the project.
fn files(models: &[String], folders: &[String]) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = models.iter().map(PathBuf::from).collect();
    let mut at = 0;
    while at < all.len().min(MOST) {
        for included in includes(&all[at]) {
            let beside = all[at].parent().map(Path::to_owned).unwrap_or_default();
            let folders = [beside].into_iter().chain(folders.iter().map(PathBuf::from));
            for folder in folders {
                let path = folder.join(&included);
                if !all.contains(&path) {
                    // Also if it is not there: it may come.
                    all.push(path);
                }
            }
        }
        at += 1;
    }
    if let Ok(here) = std::env::current_dir() {
        let settings = here.ancestors().map(|folder| folder.join("fairly.toml"));
        all.extend(settings.into_iter().find(|path| path.is_file()));
    }
    all.truncate(MOST);
    all
}

/// The names of files that a file includes: `#include "NAME"`, in any language.
fn includes(path: &Path) -> Vec<String> {
    let text = input::glance(path, LARGEST);
    let name = |line: &str| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        let rest = rest.strip_prefix("include").or_else(|| rest.strip_prefix("import"))?;
        let rest = rest.trim_start();
        let close = match rest.chars().next()? {
            '"' => '"',
            '<' => '>',
            _ => return None,
        };
        let (name, _) = rest[1..].split_once(close)?;
        (!name.is_empty() && !name.contains('\0')).then(|| name.to_owned())
    };
    text.lines().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn included_files_are_found_and_loops_end() {
        let folder = std::env::temp_dir().join(format!("fairly-watch-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).expect("a file");
            path
        };
        let first = write("a.pml", "#include \"b.h\"\n  # include <c.h>\n#include nothing\n");
        let second = write("b.h", "#include \"a.pml\"\n");
        let found = files(&[first.to_string_lossy().into_owned()], &[]);
        let third = folder.join("c.h");
        assert!(found.starts_with(&[first, second, third]), "{found:?}");
        let _ = std::fs::remove_dir_all(&folder);
    }
}
