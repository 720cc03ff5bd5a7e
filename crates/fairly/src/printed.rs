//! Where reports and runs go: the terminal of a test, and a folder that Cargo builds in.

use std::env;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::thread;

use fairly_report::Look;

use crate::check::Folder;

/// How reports are drawn: in colours if tests write to a terminal that has them.
pub(crate) fn look() -> Look {
    let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let is_plain = set("NO_COLOR").is_some() || set("TERM").is_some_and(|term| term == "dumb");
    let coloured = match set("CARGO_TERM_COLOR").as_deref() {
        Some("always") => true,
        Some("never") => false,
        _ => io::stderr().is_terminal() && !is_plain,
    };
    let width = set("COLUMNS").and_then(|text| text.parse().ok()).filter(|&width| width > 0);
    Look { coloured, width: width.unwrap_or(Look::default().width), ..Look::default() }
}

/// The folder `fairly` in the folder that Cargo builds in.
fn usual_folder() -> Option<PathBuf> {
    if let Some(target) = env::var_os("CARGO_TARGET_DIR") {
        return Some(PathBuf::from(target).join("fairly"));
    }
    // Cargo marks the folder, and a test lies in `debug/deps` below it.
    let program = env::current_exe().ok()?;
    let marked = program.ancestors().skip(1).find(|folder| folder.join("CACHEDIR.TAG").is_file());
    marked.map(|target| target.join("fairly"))
}

/// A name for a file: letters, digits and dashes.
fn slug(text: &str) -> String {
    let mut out = String::new();
    for sign in text.chars().take(80) {
        match sign.is_ascii_alphanumeric() {
            true => out.push(sign),
            false if !out.ends_with('-') && !out.is_empty() => out.push('-'),
            false => {}
        }
    }
    let out = out.trim_end_matches('-');
    if out.is_empty() { "run".to_owned() } else { out.to_owned() }
}

/// The name of the test that runs, or of the program where there is none.
pub(crate) fn test_name() -> String {
    let thread = thread::current().name().map(str::to_owned);
    let program = env::current_exe().ok();
    let program = program.as_deref().and_then(Path::file_stem).map(|stem| stem.to_string_lossy());
    // Cargo appends a hash.
    let program =
        program.as_deref().map_or("check", |name| name.rsplit_once('-').map_or(name, |it| it.0));
    match thread.filter(|name| name != "main") {
        Some(test) => format!("{program}.{}", test.replace("::", ".")),
        None => program.to_owned(),
    }
}

/// Stands for the model in a saved test.
pub(crate) const MODEL: &str = "MODEL";

/// Saves the run of a violated property, and the test that takes it again, and gives the file of the run; none if it
/// cannot be saved.
pub(crate) fn save(
    folder: &Folder,
    property: &str,
    text: &str,
    as_test: Option<&str>,
) -> Option<PathBuf> {
    let folder = match folder {
        Folder::Usual => usual_folder()?,
        Folder::Chosen(folder) => folder.clone(),
        Folder::Nowhere => return None,
    };
    fs::create_dir_all(&folder).ok()?;
    let test: Vec<String> = test_name().split('.').map(slug).collect();
    let name = format!("{}.{}", test.join("."), slug(property));
    // Another test may read the folder while this one writes.
    let writer = slug(&format!("{:?}", thread::current().id()));
    let unfinished = folder.join(format!(".{}-{writer}.tmp", process::id()));
    let write = |ending: &str, text: &str| {
        let path = folder.join(format!("{name}.{ending}"));
        fs::write(&unfinished, text).ok()?;
        fs::rename(&unfinished, &path).ok()?;
        Some(path)
    };
    if let Some(test) = as_test {
        write("rs", test)?;
    }
    write("itf.json", text)
}

/// Appends the answer for a property to the file that `cargo fairly` reads, if it runs the test.
pub(crate) fn record(property: &str, outcome: &str, states: usize, seconds: f64) {
    let Some(path) = env::var_os("FAIRLY_RECORD") else { return };
    let one = |text: &str| text.replace(['\t', '\n', '\r'], " ");
    let line =
        format!("{}\t{}\t{outcome}\t{states}\t{seconds:.2}\n", one(&test_name()), one(property));
    let file = fs::OpenOptions::new().create(true).append(true).open(path);
    // A line at once, so that those of several tests do not mix. What cannot be written is not missed.
    if let Ok(mut file) = file {
        let _ = file.write_all(line.as_bytes());
    }
}

/// A path as it is shown: seen from the current folder, if it is below.
pub(crate) fn shown_path(path: &Path) -> String {
    let here = env::current_dir().ok();
    let short = here.as_deref().and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path);
    short.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_harmless() {
        for (text, expected) in
            [("served", "served"), ("G (a -> F b)", "G-a-F-b"), ("../", "run"), ("", "run")]
        {
            assert_eq!(slug(text), expected);
        }
        assert!(test_name().contains("names_of_files_are_harmless"));
    }
}
