//! What goes out with a release.
//!
//! - [`parts`] asks Cargo which packages the command is made of;
//! - [`licenses`] judges their licenses by the list in `deny.toml`, which `cargo deny check` reads too;
//! - [`sbom`] writes them down in CycloneDX, the format that scanners of supply chains read.
//!
//! `cargo deny` also knows of packages with known faults, for which it needs a database from another host; what is here
//! needs nothing but the sources of the packages, so the tests ask it every time.

use std::path::PathBuf;

pub mod licenses;
pub mod parts;
pub mod sbom;

/// Why the parts of a release are not known.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    /// Cargo could not be asked.
    #[error("cargo metadata: {0}")]
    Cargo(String),
    /// A file could not be read.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
}
