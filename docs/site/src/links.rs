//! Every link leads somewhere.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use crate::page::{Page, resolve};

/// What is wrong with the links of some pages, a line each: chapters that are not in the list, places that are in no
/// page, files that are not there. Addresses of other hosts are not asked.
pub fn wrong(pages: &[Page], book: &Path) -> Vec<String> {
    let anchors: HashMap<&str, BTreeSet<&str>> = pages
        .iter()
        .map(|page| {
            let headings = page.headings.iter().map(|heading| &heading.anchor);
            let names = headings.chain(&page.places).map(String::as_str).collect();
            (page.file.as_str(), names)
        })
        .collect();
    let mut wrong = Vec::new();
    for page in pages {
        for link in &page.links {
            let Some((file, anchor)) = resolve(&page.file, &link.target) else { continue };
            let said = match (anchors.get(file.as_str()), &anchor) {
                (Some(names), Some(anchor)) if !names.contains(anchor.as_str()) => {
                    format!("there is no place `#{anchor}` in {file}")
                }
                (Some(_), _) => continue,
                (None, _) if file.starts_with("..") => format!("{file} is outside of the book"),
                (None, _) if file.ends_with(".md") => {
                    format!("{file} is not in the list of chapters")
                }
                (None, _) if !book.join(&file).is_file() => format!("there is no file {file}"),
                (None, _) => continue,
            };
            wrong.push(format!("{}: `{}`: {said}", page.file, link.target));
        }
    }
    wrong
}
