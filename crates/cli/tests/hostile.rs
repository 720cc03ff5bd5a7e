//! The scripts of `tests/hostile`, on the binary that was just built.

use std::path::PathBuf;
use std::process::Command;

#[test]
fn every_script_passes() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let run = root.join("tests/hostile/run");
    let output = match Command::new("bash").arg(&run).arg(env!("CARGO_BIN_EXE_fairly")).output() {
        Ok(output) => output,
        // Nothing here but the scripts needs a shell.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
        Err(error) => panic!("bash does not start: {error}"),
    };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}
