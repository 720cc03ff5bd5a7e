//! All pages together, and what they share.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::page::{self, Page, escape, resolve};
use crate::{SiteError, links, summary};

/// What every page loads: a style, and the script of the search. They are files of the site, so that a page works from
/// a disk and under a policy that allows no script inside a page.
const ASSETS: [(&str, &str); 2] = [
    ("site.css", include_str!("../assets/site.css")),
    ("site.js", include_str!("../assets/site.js")),
];

/// Characters of a section that the search knows.
const FOUND_IN: usize = 2_000;

/// A book that has been read, all of whose links lead somewhere.
#[derive(Debug)]
pub struct Site {
    book: PathBuf,
    pages: Vec<Page>,
}

impl Site {
    /// Reads the chapters that `SUMMARY.md` lists.
    ///
    /// # Errors
    /// If a file cannot be read, or a link leads nowhere.
    pub fn read(book: &Path) -> Result<Site, SiteError> {
        let list = book.join("SUMMARY.md");
        let entries =
            summary::read(&fs::read_to_string(&list).map_err(SiteError::file(list.clone()))?)?;
        let mut pages = Vec::new();
        for entry in entries {
            let path = book.join(&entry.file);
            let text = fs::read_to_string(&path).map_err(SiteError::file(path.clone()))?;
            let text = with_included(&path, &text)?;
            pages.push(page::read(&entry.title, &entry.file, entry.depth, &text));
        }
        let wrong = links::wrong(&pages, book);
        if !wrong.is_empty() {
            return Err(SiteError::Links(wrong));
        }
        Ok(Site { book: book.to_owned(), pages })
    }

    /// The pages in the order of the list.
    pub fn pages(&self) -> &[Page] {
        &self.pages
    }

    /// Writes the site into a folder, which is made if it is not there. What else is in it stays.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), SiteError> {
        for (at, page) in self.pages.iter().enumerate() {
            save(&folder.join(page.output()), self.document(at, page).as_bytes())?;
            for link in page.links.iter().filter(|link| link.is_picture) {
                let Some((file, _)) = resolve(&page.file, &link.target) else { continue };
                let path = self.book.join(&file);
                let picture = fs::read(&path).map_err(SiteError::file(path.clone()))?;
                save(&folder.join(&file), &picture)?;
            }
        }
        for (name, text) in ASSETS {
            save(&folder.join(name), text.as_bytes())?;
        }
        // A script and not JSON: a page that was opened from a disk may load no data.
        let index = format!("window.fairlyIndex = {};\n", self.index());
        save(&folder.join("search-index.js"), index.as_bytes())
    }

    /// What the search looks in: page, place, title, text.
    fn index(&self) -> serde_json::Value {
        let sections = self.pages.iter().flat_map(|page| {
            page.headings.iter().map(move |heading| {
                let words: Vec<&str> = heading.text.split_whitespace().collect();
                let text: String = words.join(" ").chars().take(FOUND_IN).collect();
                json!({
                    "url": format!("{}#{}", page.output(), heading.anchor),
                    "page": page.title,
                    "title": heading.title,
                    "text": text,
                })
            })
        });
        sections.collect()
    }

    fn document(&self, at: usize, page: &Page) -> String {
        let up = "../".repeat(page.file.matches('/').count());
        let link = |other: Option<&Page>, class: &str, sign: &str| {
            other.map_or(String::new(), |other| {
                let (href, title) = (other.output(), escape(&other.title));
                format!(
                    "<a class=\"{class}\" rel=\"{class}\" href=\"{up}{href}\">{sign} {title}</a>"
                )
            })
        };
        let previous = at.checked_sub(1).and_then(|at| self.pages.get(at));
        let title = match page.file.as_str() {
            "README.md" => "Fairly".to_owned(),
            _ => format!("{} · Fairly", escape(&page.title)),
        };
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'self' file:; \
             script-src 'self' file:; img-src 'self' file: data:\">\n\
             <title>{title}</title>\n<link rel=\"stylesheet\" href=\"{up}site.css\">\n\
             <script src=\"{up}search-index.js\" defer></script>\n<script src=\"{up}site.js\" defer></script>\n\
             </head>\n<body data-root=\"{up}\">\n<a class=\"skip\" href=\"#content\">To the text</a>\n\
             <header><button id=\"menu\" aria-controls=\"chapters\" aria-expanded=\"false\">Chapters</button>\
             <a class=\"home\" href=\"{up}index.html\">Fairly</a>\
             <label class=\"find\"><span>Search</span><input id=\"search\" type=\"search\" autocomplete=\"off\" \
             aria-controls=\"found\" placeholder=\"Search ( / )\"></label></header>\n\
             <ol id=\"found\" aria-live=\"polite\" hidden></ol>\n\
             <nav id=\"chapters\" aria-label=\"Chapters\">\n{chapters}</nav>\n\
             <main id=\"content\">\n{body}\n<footer>{before}{after}</footer>\n</main>\n</body>\n</html>\n",
            chapters = self.chapters(at, &up),
            body = page.html,
            before = link(previous, "prev", "←"),
            after = link(self.pages.get(at + 1), "next", "→"),
        )
    }

    /// The list of chapters, with the one that is shown marked.
    fn chapters(&self, at: usize, up: &str) -> String {
        let mut list = String::new();
        let mut depth = 0;
        list.push_str("<ul>\n");
        for (number, page) in self.pages.iter().enumerate() {
            while depth < page.depth {
                list.push_str("<li class=\"below\"><ul>\n");
                depth += 1;
            }
            while depth > page.depth {
                list.push_str("</ul></li>\n");
                depth -= 1;
            }
            let current = if number == at { " aria-current=\"page\"" } else { "" };
            let (href, title) = (page.output(), escape(&page.title));
            list.push_str(&format!("<li><a href=\"{up}{href}\"{current}>{title}</a></li>\n"));
        }
        for _ in 0..depth {
            list.push_str("</ul></li>\n");
        }
        list.push_str("</ul>\n");
        list
    }
}

/// A chapter with the files that it includes, as mdBook writes that: `{{#include file}}`.
fn with_included(path: &Path, text: &str) -> Result<String, SiteError> {
    let mut whole = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let name = line.trim().strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}"));
        match name {
            Some(name) => {
                let file = path.parent().unwrap_or(Path::new("")).join(name.trim());
                let included = fs::read_to_string(&file).map_err(SiteError::file(file.clone()))?;
                whole.push_str(&included);
            }
            None => whole.push_str(line),
        }
    }
    Ok(whole)
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), SiteError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(SiteError::file(folder))?;
    }
    fs::write(path, bytes).map_err(SiteError::file(path))
}
