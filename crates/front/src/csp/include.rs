//! `#include "file";`: the declarations of another file, which become [parts](fairly_source::parts) of one
//! text.
//!
//! Declarations come in any order, so it does not matter where an included text stands. A file that has
//! been included already is not read again: files may include each other.

use fairly_source::{Diagnostic, Span, parts};
use hashbrown::HashSet;

use super::lexer::{self, Kind};
use super::{MAX_TEXT, codes};
use crate::include::{IncludeError, Included, Includes};

/// How many files one text may be made of.
const MAX_FILES: usize = 200;

/// A text with the files that it includes.
pub(super) struct Whole {
    /// The text, and a part for each file.
    pub(super) text: String,
    /// Files that could not be included.
    pub(super) errors: Vec<Diagnostic>,
}

/// Puts the files that a text includes behind it.
pub(super) fn whole(text: &str, name: &str, includes: &mut dyn Includes) -> Whole {
    let mut whole = Whole { text: text.to_owned(), errors: Vec::new() };
    let mut known: HashSet<String> = HashSet::new();
    known.insert(normal(name));
    // Files whose own inclusions have not been looked for: the name, and where the text is.
    let mut open: Vec<(String, usize, usize)> = vec![(name.to_owned(), 0, text.len())];
    while let Some((from, start, end)) = open.pop() {
        for (path, span) in inclusions(&whole.text[start..end]) {
            let span = Span::new(span.start + start, span.end + start);
            let Included { name, text } = match includes.include(&path, &from) {
                Ok(included) => included,
                Err(why) => {
                    whole.errors.push(not_included(&path, &why, span));
                    continue;
                }
            };
            let shown = normal(&name);
            if !known.insert(shown.clone()) {
                continue;
            }
            if known.len() > MAX_FILES || whole.text.len() + text.len() > MAX_TEXT {
                whole.errors.push(
                    Diagnostic::error(codes::SIZE, "the text is too long with this file", span)
                        .label(format!("more than {MAX_TEXT} bytes or {MAX_FILES} files"))
                        .help("include less"),
                );
                return whole;
            }
            let start = parts::append(&mut whole.text, &shown, &text);
            open.push((name, start, whole.text.len()));
        }
    }
    whole
}

/// A path without `.` and `x/..`, so that files which include each other are known again.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            "" if !parts.is_empty() => {}
            ".." if parts.last().is_some_and(|&last| last != ".." && !last.is_empty()) => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The files that a text names, and where.
fn inclusions(text: &str) -> Vec<(String, Span)> {
    // Most texts have none, and reading them twice takes time.
    if !text.contains("include") {
        return Vec::new();
    }
    let tokens = lexer::tokens(text).tokens;
    let word = |span: Span| &text[span.start..span.end];
    let mut found = Vec::new();
    for three in tokens.windows(3) {
        if three[0].kind == Kind::Sign("#")
            && three[1].kind == Kind::Name
            && word(three[1].span) == "include"
            && three[2].kind == Kind::Text
        {
            let quoted = word(three[2].span);
            let path = quoted.trim_matches('"').replace('\\', "/");
            found.push((path, three[0].span.to(three[2].span)));
        }
    }
    found
}

fn not_included(path: &str, why: &IncludeError, span: Span) -> Diagnostic {
    let error = |message: String| Diagnostic::error(codes::INCLUDE, message, span);
    match why {
        IncludeError::Missing(folders) => {
            let quoted: Vec<String> = folders.iter().map(|folder| format!("`{folder}`")).collect();
            error(format!("there is no file `{path}`"))
                .label(format!("not in {}", quoted.join(" or ")))
                .help("`-I DIR` names a further folder with files to include")
        }
        IncludeError::Outside => error(format!("`{path}` is outside the folder of the model"))
            .label("it is not read")
            .help("`-I DIR` allows the folder DIR and what is in it"),
        IncludeError::Unreadable(why) => error(format!("`{path}` cannot be read"))
            .label(why.clone())
            .help("the file must be a CSP# text"),
        IncludeError::NoFiles => error("files are not included here".to_owned())
            .label("the text has to be complete")
            .help("put the text of that file here"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Files(&'static [(&'static str, &'static str)]);

    impl Includes for Files {
        fn include(&mut self, path: &str, from: &str) -> Result<Included, IncludeError> {
            let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
            let name = if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
            let found = self.0.iter().find(|(known, _)| *known == normal(&name));
            found
                .map(|(_, text)| Included { name, text: (*text).to_owned() })
                .ok_or(IncludeError::Missing(vec![folder.to_owned()]))
        }
    }

    #[test]
    fn files_may_include_each_other() {
        let mut files = Files(&[
            ("sub/lib.csp", "#include \"../main.csp\";\n#include \"more.csp\"; #define N 2;"),
            ("sub/more.csp", "#include \"lib.csp\";\nP = a -> P;"),
            ("main.csp", ""),
        ]);
        let text = "#include \"sub\\lib.csp\"; var x[N];\n#assert P deadlockfree;";
        let reading = super::super::parse_with(text, "main.csp", &mut files);
        let specification = reading.specification.expect("no errors");
        assert_eq!(specification.variables[0].dimensions, [2]);
        let place = specification.definitions[0].name.span;
        assert_eq!(parts::locate("main.csp", &reading.text, place.start).file, "sub/more.csp");
        assert_eq!(&reading.text[place.start..place.end], "P");
    }

    #[test]
    fn a_file_that_is_not_there_is_the_only_error() {
        let text = "#include \"no.csp\";\nP = Q;";
        let errors =
            super::super::parse_with(text, "", &mut Files(&[])).specification.expect_err("no file");
        assert_eq!(errors.len(), 1);
        assert_eq!((errors[0].code, errors[0].span), ("E1021", Span::new(0, 17)));
    }
}
