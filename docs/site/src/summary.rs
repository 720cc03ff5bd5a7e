//! The list of chapters, as mdBook reads it: `SUMMARY.md`.

use crate::SiteError;

/// A chapter in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is called there.
    pub title: String,
    /// Its file, relative to the book.
    pub file: String,
    /// How many chapters it is below: 0 for one that stands by itself.
    pub depth: usize,
}

/// Reads the list of chapters.
///
/// # Errors
/// If a line is neither empty, nor a heading, nor a link with or without a bullet.
///
/// ```
/// let list = fairly_site::summary::read("# Summary\n\n[Book](README.md)\n\n- [A](a.md)\n  - [B](b/c.md)\n")?;
/// let depths: Vec<_> = list.iter().map(|entry| (entry.file.as_str(), entry.depth)).collect();
/// assert_eq!(depths, [("README.md", 0), ("a.md", 0), ("b/c.md", 1)]);
/// # Ok::<(), fairly_site::SiteError>(())
/// ```
pub fn read(text: &str) -> Result<Vec<Entry>, SiteError> {
    let mut entries = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let wrong = |reason| SiteError::Summary { line: number + 1, reason };
        let inner = line.trim_start();
        if inner.is_empty() || inner.starts_with('#') {
            continue;
        }
        let indent = line.len() - inner.len();
        let link = inner.strip_prefix("- ").unwrap_or(inner).trim();
        let (title, file) = link
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(')'))
            .and_then(|rest| rest.split_once("]("))
            .ok_or_else(|| wrong("expected a link: `- [Title](file.md)`"))?;
        if !file.ends_with(".md") {
            return Err(wrong("a chapter is a file that ends in `.md`"));
        }
        entries.push(Entry { title: title.to_owned(), file: file.to_owned(), depth: indent / 2 });
    }
    Ok(entries)
}
