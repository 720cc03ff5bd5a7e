//! The book as a site: one page a chapter, a list of chapters, search, and no dead link.
//!
//! `mdbook build docs` makes a site of the same folder. This crate exists so that nobody needs mdBook: it builds with
//! the workspace, its pages ask no other host for anything and work from a disk as well as from a server, and it
//! refuses a book with a link that leads nowhere, which mdBook does not.
//!
//! - [`summary`] reads the list of chapters;
//! - [`page`] turns one chapter into HTML, with its headings, links and text;
//! - [`links`] checks that every link and every picture is there;
//! - [`site`] puts them together and writes them.
//!
//! ```
//! use std::path::Path;
//! let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book");
//! let site = fairly_site::site::Site::read(&book)?;
//! assert!(site.pages().iter().any(|page| page.title == "Glossary"));
//! # Ok::<(), fairly_site::SiteError>(())
//! ```

use std::io;
use std::path::PathBuf;

pub mod links;
pub mod page;
pub mod site;
pub mod summary;

/// Why there is no site.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The list of chapters cannot be read.
    #[error("SUMMARY.md:{line}: {reason}")]
    Summary {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Links lead nowhere.
    #[error("{} links lead nowhere:\n{}", .0.len(), .0.join("\n"))]
    Links(Vec<String>),
}

impl SiteError {
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> SiteError {
        let path = path.into();
        move |source| SiteError::File { path, source }
    }
}
