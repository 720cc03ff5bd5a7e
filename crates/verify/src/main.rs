//! `fairly-verify FILE…`: says of each certificate whether it is accepted, and if not, which rule it breaks.
//! `fairly-verify --text FILE…` prints certificates as text and verifies nothing.

use std::fs::File;
use std::io::{BufRead, BufReader, Write, stderr, stdout};
use std::process::ExitCode;

use fairly_verify::{Verified, text, verify_from};

/// What an accepted certificate does not show.
const TRUSTED: &str = "trusted beside this: fairly-verify, the compiler that made it, and that the model in the \
                       certificate is what its source says";

fn main() -> ExitCode {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let as_text = files.first().is_some_and(|first| first == "--text");
    files.drain(..usize::from(as_text));
    if files.is_empty() || files.iter().any(|file| file.starts_with('-')) {
        eprintln!("usage: fairly-verify [--text] FILE…");
        return ExitCode::from(2);
    }
    let (mut code, mut accepted) = (0, false);
    for file in &files {
        // A folder can be opened, but not read.
        let opened = File::open(file).map(BufReader::new).and_then(|mut from| {
            from.fill_buf()?;
            Ok(from)
        });
        let mut from = match opened {
            Ok(from) => from,
            Err(error) => {
                let _ = writeln!(Plain(stderr()), "{file}: {error}");
                code = 2;
                continue;
            }
        };
        let verified = match as_text {
            true => text(&mut from, &mut Plain(stdout())).map(|()| Vec::new()),
            false => verify_from(&mut from),
        };
        match verified {
            Ok(all) => {
                for Verified { statement, states, nodes, edges } in all {
                    accepted = true;
                    let counts = format!("{states} states, {nodes} nodes, {edges} edges");
                    print(&format!("{file}: verified: {statement} ({counts})\n"));
                }
            }
            Err(rejected) => {
                print(&format!("{file}: not verified: {rejected}\n"));
                code = code.max(1);
            }
        }
    }
    if accepted {
        print(&format!("{TRUSTED}\n"));
    }
    ExitCode::from(code)
}

fn print(text: &str) {
    // Whoever reads it may be gone.
    let _ = Plain(stdout()).write_all(text.as_bytes());
}

/// Writes text without the characters that a terminal obeys, which names in a file may have.
struct Plain<W>(W);

impl<W: Write> Write for Plain<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let plain = |it: char| if it.is_control() && it != '\n' { '\u{fffd}' } else { it };
        self.0.write_all(text.chars().map(plain).collect::<String>().as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}
