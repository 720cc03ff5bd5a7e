//! One chapter as HTML.

use std::collections::HashMap;
use std::path::{Component, Path};

use pulldown_cmark::{
    CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html,
};

/// A chapter that has been read.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its title in the list of chapters.
    pub title: String,
    /// Its source, relative to the book, with `/`.
    pub file: String,
    /// Its depth in the list of chapters.
    pub depth: usize,
    /// Its body.
    pub html: String,
    /// Its headings in their order.
    pub headings: Vec<Heading>,
    /// Places with a name that are no headings: `<a id="name"></a>`.
    pub places: Vec<String>,
    /// Links and pictures, as they are written.
    pub links: Vec<Link>,
}

/// A heading with the text below it, up to the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Name of its place in the page.
    pub anchor: String,
    /// Its text.
    pub title: String,
    /// 1 for the title of the page.
    pub level: u8,
    /// The words below it, for the search.
    pub text: String,
}

/// A link or a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// What it points to, as it is written.
    pub target: String,
    /// Whether it is a picture.
    pub is_picture: bool,
}

impl Page {
    /// The file of the site that shows it: `README.md` is the first page.
    pub fn output(&self) -> String {
        output(&self.file)
    }
}

/// The file of the site for a chapter.
fn output(file: &str) -> String {
    match file.strip_suffix(".md") {
        Some("README") => "index.html".to_owned(),
        Some(stem) => format!("{stem}.html"),
        None => file.to_owned(),
    }
}

/// The name of a heading's place in its page, as GitHub and mdBook make it.
pub fn anchor(title: &str) -> String {
    let mut name = String::new();
    for char in title.chars() {
        match char {
            _ if char.is_alphanumeric() => name.extend(char.to_lowercase()),
            ' ' | '-' => name.push('-'),
            '_' => name.push('_'),
            _ => {}
        }
    }
    name
}

/// Where a link of a page points to, relative to the book; `None` for an address with a scheme.
///
/// ```
/// use fairly_site::page::resolve;
/// assert_eq!(resolve("papers/001.md", "../ltl.md#notes"), Some(("ltl.md".into(), Some("notes".into()))));
/// assert_eq!(resolve("ltl.md", "#notes"), Some(("ltl.md".into(), Some("notes".into()))));
/// assert_eq!(resolve("ltl.md", "https://example.org/"), None);
/// ```
pub fn resolve(file: &str, target: &str) -> Option<(String, Option<String>)> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = match target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor.to_owned())),
        None => (target, None),
    };
    if path.is_empty() {
        return Some((file.to_owned(), anchor));
    }
    let beside = Path::new(file).parent().unwrap_or(Path::new("")).join(path);
    let mut parts: Vec<String> = Vec::new();
    for part in beside.components() {
        match part {
            Component::Normal(part) => parts.push(part.to_string_lossy().into_owned()),
            Component::ParentDir if parts.last().is_some_and(|last| last != "..") => {
                parts.pop();
            }
            Component::ParentDir => parts.push("..".to_owned()),
            _ => {}
        }
    }
    Some((parts.join("/"), anchor))
}

/// A link to a chapter becomes one to its page; all others stay.
fn rewrite(target: &str) -> String {
    let (path, anchor) = match target.split_once('#') {
        Some((path, anchor)) => (path, format!("#{anchor}")),
        None => (target, String::new()),
    };
    if target.contains("://") || !path.ends_with(".md") {
        return target.to_owned();
    }
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
    let separator = if folder.is_empty() { "" } else { "/" };
    format!("{folder}{separator}{}{anchor}", output(name))
}

/// Turns a chapter into a page.
pub fn read(title: &str, file: &str, depth: usize, text: &str) -> Page {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    let mut reader = Reader::default();
    let events: Vec<Event<'_>> = Parser::new_ext(text, options).collect();
    let mut shown = Vec::with_capacity(events.len());
    let mut at = 0;
    while at < events.len() {
        match &events[at] {
            Event::Start(Tag::Heading { level, .. }) => {
                let end = events[at..]
                    .iter()
                    .position(|event| matches!(event, Event::End(TagEnd::Heading(_))))
                    .map_or(events.len() - 1, |length| at + length);
                shown.extend(reader.heading(*level, &events[at + 1..end]));
                at = end;
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let language = info.split_whitespace().next().unwrap_or("text").to_owned();
                let end = events[at..]
                    .iter()
                    .position(|event| matches!(event, Event::End(TagEnd::CodeBlock)))
                    .map_or(events.len() - 1, |length| at + length);
                let code: String = events[at + 1..end]
                    .iter()
                    .filter_map(|event| match event {
                        Event::Text(text) => Some(text.as_ref()),
                        _ => None,
                    })
                    .collect();
                reader.add(&code);
                shown.push(Event::Html(block(&language, &code).into()));
                at = end;
            }
            event => shown.push(reader.event(event.clone())),
        }
        at += 1;
    }
    let mut html = String::new();
    html::push_html(&mut html, shown.into_iter());
    // A wide table scrolls in itself, not the page.
    let html = html
        .replace("<table>", "<div class=\"table\"><table>")
        .replace("</table>", "</table></div>");
    let Reader { headings, places, links, .. } = reader;
    let (title, file) = (title.to_owned(), file.to_owned());
    Page { title, file, depth, html, headings, places, links }
}

#[derive(Default)]
struct Reader {
    headings: Vec<Heading>,
    places: Vec<String>,
    links: Vec<Link>,
    /// How often an anchor was given.
    given: HashMap<String, usize>,
}

impl Reader {
    /// Text for the search, below the last heading.
    fn add(&mut self, text: &str) {
        if let Some(heading) = self.headings.last_mut() {
            heading.text.push_str(text);
            heading.text.push(' ');
        }
    }

    fn heading<'a>(&mut self, level: HeadingLevel, inner: &[Event<'a>]) -> Vec<Event<'a>> {
        let title: String = inner
            .iter()
            .filter_map(|event| match event {
                Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
                _ => None,
            })
            .collect();
        let mut name = anchor(&title);
        let given = self.given.entry(name.clone()).or_insert(0);
        if *given > 0 {
            name = format!("{name}-{given}");
        }
        *given += 1;
        let number = level as u8;
        self.headings.push(Heading {
            anchor: name.clone(),
            title,
            level: number,
            text: String::new(),
        });
        let mut shown: Vec<Event<'a>> =
            vec![Event::Html(format!("<h{number} id=\"{name}\"><a href=\"#{name}\">").into())];
        shown.extend(inner.iter().map(|event| self.event(event.clone())));
        shown.push(Event::Html(format!("</a></h{number}>\n").into()));
        shown
    }

    fn event<'a>(&mut self, event: Event<'a>) -> Event<'a> {
        match event {
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                self.links.push(Link { target: dest_url.to_string(), is_picture: false });
                let dest_url: CowStr<'a> = rewrite(&dest_url).into();
                Event::Start(Tag::Link { link_type, dest_url, title, id })
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                self.links.push(Link { target: dest_url.to_string(), is_picture: true });
                Event::Start(Tag::Image { link_type, dest_url, title, id })
            }
            Event::Text(text) => {
                self.add(&text);
                Event::Text(text)
            }
            Event::Code(text) => {
                self.add(&text);
                Event::Code(text)
            }
            // Of HTML in a chapter, comments are for people who edit it, and a place may have a name; the rest is text.
            Event::InlineHtml(html) if place(&html).is_some() => {
                self.places.extend(place(&html).map(str::to_owned));
                Event::InlineHtml(html)
            }
            Event::InlineHtml(html) if html.as_ref() == "</a>" => Event::InlineHtml(html),
            Event::Html(html) | Event::InlineHtml(html)
                if html.trim_start().starts_with("<!--") =>
            {
                Event::Html("".into())
            }
            Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
            event => event,
        }
    }
}

/// The name of a place that is written as `<a id="name">`.
fn place(html: &str) -> Option<&str> {
    let name = html.strip_prefix("<a id=\"")?.strip_suffix("\">")?;
    name.chars().all(|char| char.is_ascii_alphanumeric() || "-_".contains(char)).then_some(name)
}

/// A block of code; in a dialogue with a shell, the lines that a person types stand out.
fn block(language: &str, code: &str) -> String {
    let mut html = format!("<pre class=\"code {}\"><code>", escape(language));
    for line in code.lines() {
        match line.strip_prefix("$ ") {
            Some(command) if language == "console" => {
                html.push_str("<span class=\"prompt\">$ </span><span class=\"typed\">");
                html.push_str(&escape(command));
                html.push_str("</span>\n");
            }
            _ => {
                html.push_str(&escape(line));
                html.push('\n');
            }
        }
    }
    html.push_str("</code></pre>\n");
    html
}

/// A text as HTML.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            char => escaped.push(char),
        }
    }
    escaped
}
