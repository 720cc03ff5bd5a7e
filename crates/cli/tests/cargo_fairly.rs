//! `cargo fairly`: tests that check models are found by what they record, and the last run is shown.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("cargo-fairly-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("fairly")).expect("made");
        Folder(path)
    }

    /// `cargo fairly` with a folder to build in, and something in place of Cargo.
    fn run(&self, arguments: &[&str], cargo: &str) -> (Option<i32>, String) {
        let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_cargo-fairly"))
            .arg("fairly")
            .args(arguments)
            .env("CARGO_TARGET_DIR", &self.0)
            .env("CARGO", cargo)
            .env_remove("GITHUB_ACTIONS")
            .output()
            .expect("it runs");
        let text = String::from_utf8_lossy(&stdout) + String::from_utf8_lossy(&stderr);
        (status.code(), text.into_owned())
    }

    /// A program that does as if it were `cargo test`.
    #[cfg(unix)]
    fn cargo(&self, script: &str) -> String {
        use std::os::unix::fs::PermissionsExt;
        let path = self.0.join("cargo");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn nothing_is_known_before_tests_ran() {
    let folder = Folder::new("nothing");
    assert_eq!(folder.run(&["list"], "false").0, Some(4));
    assert_eq!(folder.run(&["last"], "false").0, Some(4));
    let (code, text) = folder.run(&["--help"], "false");
    assert!(code == Some(0) && text.contains("cargo fairly"), "{text}");
    assert_eq!(folder.run(&[], "/nonexistent/cargo").0, Some(2));
}

#[cfg(unix)]
#[test]
fn tests_are_run_listed_and_their_last_run_is_shown() {
    let folder = Folder::new("runs");
    let trace = folder.0.join("fairly/lock.served.itf.json");
    let model =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/systems/c02-semaphore.net");
    let made = folder.0.join("made.json");
    let checked = Command::new(env!("CARGO_BIN_EXE_fairly"))
        .args(["check", "--fairness", "weak", "--trace"])
        .args([&made, &model])
        .output()
        .expect("it runs");
    assert_eq!(checked.status.code(), Some(1));
    let cargo = folder.cargo(&format!(
        "echo \"$@\" >&2\n\
         printf 'lock.waits\\tserved\\tviolated\\t12\\t0.01\\nlock.other\\tsafe\\tholds\\t3\\t0.00\\n' >> \"$FAIRLY_RECORD\"\n\
         sleep 0.1\ncp '{}' '{}'\nexit 101",
        made.display(),
        trace.display()
    ));
    let (code, text) = folder.run(&["-p", "lock"], &cargo);
    assert_eq!(code, Some(1), "{text}");
    for expected in [
        "test -p lock",
        "FAIL  lock.waits: served   12 states · 0.01 s",
        "  ok  lock.other: safe",
        "2 properties in 2 tests: 1 hold, 1 violated, 0 unknown",
        "repeat from",
        "replay: fairly trace show",
    ] {
        assert!(text.contains(expected), "no `{expected}` in\n{text}");
    }
    let (code, text) = folder.run(&["list"], &cargo);
    assert_eq!((code, text.as_str()), (Some(0), "lock.other\nlock.waits\n"));
    let (code, text) = folder.run(&["last"], &cargo);
    assert!(code == Some(0) && text.contains("lock.served.itf.json"), "{text}");
    assert_eq!(folder.run(&["last", "--as-test"], &cargo).0, Some(2));
    assert_eq!(folder.run(&["last", "--as-test", "Lock"], &cargo).0, Some(2), "no test beside it");
    fs::write(folder.0.join("fairly/lock.served.rs"), "    let model = MODEL;\n").expect("written");
    let (code, text) = folder.run(&["last", "--as-test", "Lock"], &cargo);
    assert_eq!((code, text.as_str()), (Some(0), "    let model = Lock;\n"));
    let fine = folder.cargo("printf 'a\\tp\\tholds\\t1\\t0.00\\n' >> \"$FAIRLY_RECORD\"");
    assert_eq!(folder.run(&["run"], &fine).0, Some(0));
    let silent = folder.cargo("echo nothing");
    assert_eq!(folder.run(&[], &silent).0, Some(4));
    fs::write(&trace, "{").expect("written");
    assert_eq!(folder.run(&["last"], &fine).0, Some(2));
}
