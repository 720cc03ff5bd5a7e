//! Opening a page in the browser of the system.

use std::process::{Command, Stdio};

/// Has the system open a page. It is no failure if there is nothing to open it with: the address has been printed.
pub fn open(url: &str) {
    let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(url);
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Ok(mut child) = quiet.spawn() {
        let wait = move || child.wait();
        let _ = std::thread::Builder::new().name("browser".to_owned()).spawn(wait);
    }
}
