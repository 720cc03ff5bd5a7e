//! `#include`: which file is meant, and where it stands in the text.

use std::rc::Rc;

use fairly_source::{Span, parts};

use super::super::super::include::{IncludeError, Included};
use super::super::lexer::lex;
use super::super::parser::{MAX_TEXT, too_large};
use super::super::place::{ParseError, Place};
use super::super::token::{Kind, Sign, Token};
use super::{ARGUMENTS, MAX_FILES, MAX_INCLUSIONS, Preprocessor};

/// A file that is included somewhere.
pub(super) struct Inclusion {
    /// The directive.
    pub(super) line: Span,
    /// Where the file stands in the text.
    pub(super) part: Span,
}

/// A part of the text with the files in place that it includes. Inclusions are in the order of their lines,
/// and nest as deep as files may.
pub(super) fn flat(text: &str, part: Span, inclusions: &[Inclusion]) -> String {
    let mut out = String::new();
    let mut at = part.start;
    let first = inclusions.partition_point(|it| it.line.start < part.start);
    for inclusion in inclusions[first..].iter().take_while(|it| it.line.start < part.end) {
        out.push_str(&text[at..inclusion.line.start]);
        out.push('\n');
        out.push_str(&flat(text, inclusion.part, inclusions));
        out.push('\n');
        at = inclusion.line.end;
    }
    out.push_str(&text[at..part.end]);
    out
}

impl Preprocessor<'_> {
    /// Reads the file that a line names, before what comes after the line.
    pub(super) fn include(&mut self, place: Place, line: &[Token]) {
        let Some(path) = self.path(place, line) else { return };
        let from = self.files.last().map_or("", |file| file.name.as_str()).to_owned();
        if self.files.len() >= MAX_FILES {
            let wrong =
                ParseError::new("E1116", "these files include each other without end", place)
                    .label(format!("more than {MAX_FILES} files deep"))
                    .help(format!("the chain is {}", self.chain(&path)));
            return self.give_up(wrong);
        }
        let Included { name, text } = match self.includes.include(&path, &from) {
            Ok(included) => included,
            Err(why) => return self.wrong(not_included(&path, &why, place)),
        };
        let most = self.inclusions.len() >= MAX_INCLUSIONS;
        let bytes = self.text.len() + text.len();
        if most || bytes > MAX_TEXT {
            let wrong = too_large(place).label(match most {
                true => format!("more than {MAX_INCLUSIONS} inclusions"),
                false => format!("more than {MAX_TEXT} bytes with this file"),
            });
            return self.give_up(wrong);
        }
        let start = parts::append(&mut self.text, &name, &text);
        let lexed = lex(&text).shifted(start, self.notes.len());
        self.inclusions
            .push(Inclusion { line: place.span, part: Span::new(start, self.text.len()) });
        self.open_file(name, lexed, start);
    }

    /// The file that a line names.
    fn path(&mut self, place: Place, line: &[Token]) -> Option<String> {
        let mut tokens = line.to_vec();
        if matches!(line.first(), Some(Token { kind: Kind::Word(_), .. })) {
            // A macro may stand for the name.
            let line: Rc<[Token]> = line.into();
            tokens.clear();
            self.expand(line, 0, false, &mut tokens);
        }
        let wrong = match tokens.as_slice() {
            [Token { kind: Kind::Text(text), .. }] if text.len() > 2 => {
                return Some(text[1..text.len() - 1].to_owned());
            }
            [first, ..] if first.is(Sign::Less) => {
                ParseError::new("E1106", "there are no system files to include", place)
                    .label("`<…>` names a file of the C compiler")
                    .help("C has no meaning in a model; a file of your own stands in quotes, as in `#include \"file\"`")
            }
            _ => ParseError::new("E1106", "`#include` needs the name of a file", place)
                .help("write `#include \"file\"`"),
        };
        self.wrong(wrong);
        None
    }

    /// The files that are being read, with what is to be read next; the middle of a long chain is left out.
    fn chain(&self, next: &str) -> String {
        const SHOWN: usize = 4;
        let files = self.files.iter().map(|file| file.name.as_str());
        let files: Vec<&str> =
            files.filter(|&name| name != ARGUMENTS).chain([next]).take(SHOWN).collect();
        format!("{} → …", files.join(" → "))
    }

    /// Reports an error after which nothing more is read.
    fn give_up(&mut self, wrong: ParseError) {
        self.wrong(wrong);
        self.exhausted = true;
    }
}

fn not_included(path: &str, why: &IncludeError, place: Place) -> ParseError {
    match why {
        IncludeError::Missing(folders) => {
            ParseError::new("E1106", format!("there is no file `{path}`"), place)
                .label(format!("not in {}", listed(folders)))
                .help("`-I DIR` names a further folder with files to include")
        }
        IncludeError::Outside => {
            ParseError::new("E1117", format!("`{path}` is outside the folder of the model"), place)
                .label("it is not read")
                .help("`-I DIR` allows the folder DIR and what is in it")
        }
        IncludeError::Unreadable(why) => {
            ParseError::new("E1106", format!("`{path}` cannot be read"), place).label(why.clone())
        }
        IncludeError::NoFiles => ParseError::new("E1106", "files are not included here", place)
            .label("the text has to be complete")
            .help("put the text of that file here"),
    }
}

fn listed(folders: &[String]) -> String {
    let quoted: Vec<String> = folders.iter().map(|folder| format!("`{folder}`")).collect();
    quoted.join(" or ")
}
