//! `cargo run -p fairly-release -- sbom`: what the binaries are made of, in CycloneDX.
//! `cargo run -p fairly-release -- licenses`: whether all licenses are allowed by `deny.toml`.

use std::path::Path;
use std::process::ExitCode;

use fairly_release::{ReleaseError, licenses, parts, sbom};

/// The packages whose binaries are released.
const RELEASED: [&str; 2] = ["fairly-cli", "fairly-verify"];

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let asked = std::env::args().nth(1);
    let done = match asked.as_deref() {
        Some("sbom") => write_sbom(&root),
        Some("licenses") => judge(&root),
        _ => {
            eprintln!("usage: fairly-release sbom|licenses");
            return ExitCode::from(2);
        }
    };
    done.unwrap_or_else(|error| {
        eprintln!("fairly-release: {error}");
        ExitCode::FAILURE
    })
}

fn write_sbom(root: &Path) -> Result<ExitCode, ReleaseError> {
    let parts = parts::of(root, &RELEASED)?;
    let bill = sbom::cyclone_dx("fairly", env!("CARGO_PKG_VERSION"), &parts);
    println!("{bill:#}");
    Ok(ExitCode::SUCCESS)
}

fn judge(root: &Path) -> Result<ExitCode, ReleaseError> {
    let allowed = licenses::allowed(&root.join("deny.toml"))?;
    let parts = parts::of(root, &RELEASED)?;
    let refused = licenses::refused(&parts, &allowed);
    for (part, license) in &refused {
        eprintln!("{} {}: license {license} is not allowed by deny.toml", part.name, part.version);
    }
    println!("{} parts, {} with a license that is not allowed", parts.len(), refused.len());
    Ok(if refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
