//! `fairly-verify FILE…`: says of each certificate whether it is accepted, and if not, which rule it breaks.

use std::process::ExitCode;

use fairly_verify::Verified;

fn main() -> ExitCode {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() || files.iter().any(|file| file.starts_with('-')) {
        eprintln!("usage: fairly-verify FILE…");
        return ExitCode::from(2);
    }
    let mut code = 0;
    for file in &files {
        let bytes = match std::fs::read(file) {
            Ok(bytes) => bytes,
            Err(error) => {
                eprintln!("{file}: {error}");
                code = 2;
                continue;
            }
        };
        match fairly_verify::verify(&bytes) {
            Ok(all) => {
                for Verified { statement, states, nodes, edges } in all {
                    println!(
                        "{file}: verified: {statement} ({states} states, {nodes} nodes, {edges} edges)"
                    );
                }
            }
            Err(rejected) => {
                println!("{file}: not verified: {rejected}");
                code = code.max(1);
            }
        }
    }
    ExitCode::from(code)
}
