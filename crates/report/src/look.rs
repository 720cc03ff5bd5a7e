//! How a report is drawn: how wide, in which signs, with or without colours, and with the text that
//! the model was read from.
//!
//! Styles are those of `anstyle`, which writes their escape sequences; the crate was there already, below `clap` and
//! `annotate-snippets`.

use std::collections::HashMap;
use std::fmt::Write;

use anstyle::{AnsiColor, Reset, Style};
use fairly_source::{Span, escape, parts};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Capabilities of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Columns that a line may have.
    pub width: usize,
    /// Whether only ASCII can be shown.
    pub ascii: bool,
    /// Whether colours can be shown, and are wanted.
    pub coloured: bool,
    /// Whether everything is said that there is to say: of properties that hold, too, and every note of a kind.
    pub verbose: bool,
    /// Whether statistics of searches are shown.
    pub statistics: bool,
    /// Lines that are seen at a time.
    pub height: usize,
}

impl Default for Look {
    /// A wide terminal without colours.
    fn default() -> Self {
        let (ascii, coloured, verbose, statistics) = (false, false, false, false);
        Look { width: 120, ascii, coloured, verbose, statistics, height: 40 }
    }
}

/// The text of a model, for the lines in it that steps come from. Files that it includes are
/// [parts](fairly_source::parts) of the text.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Name of the file.
    pub name: &'a str,
    /// Contents of the file.
    pub text: &'a str,
}

impl<'a> Source<'a> {
    /// The line of a place in its file, from 1; none behind the end, where nothing was written.
    pub fn line(&self, offset: usize) -> Option<usize> {
        if offset >= self.text.len() {
            return None;
        }
        let part = parts::locate(self.name, self.text, offset);
        let before = part.text.as_bytes().get(..part.offset)?;
        Some(1 + before.iter().filter(|&&byte| byte == b'\n').count())
    }

    /// The included file that a place is in; none for the model's own text.
    pub fn included(&self, offset: usize) -> Option<&'a str> {
        let is_included = !parts::is_in_main(self.text, offset);
        is_included.then(|| parts::locate(self.name, self.text, offset).file)
    }

    /// The line of a place as a report shows it: `12`, or `lib.h:12` in an included file.
    pub fn shown_line(&self, offset: usize) -> Option<String> {
        Some(shown_line(self.line(offset)?, self.included(offset)))
    }
}

/// Where places are in a text. A run comes to the same few places again and again, and each is looked for once.
#[derive(Default)]
pub(crate) struct Places<'a> {
    known: HashMap<usize, (Option<usize>, Option<&'a str>)>,
}

impl<'a> Places<'a> {
    /// The line of a place, and the included file that it is in.
    pub(crate) fn find(
        &mut self,
        source: Option<Source<'a>>,
        span: Option<Span>,
    ) -> (Option<usize>, Option<&'a str>) {
        let Some((source, span)) = source.zip(span) else { return (None, None) };
        let look = || (source.line(span.start), source.included(span.start));
        *self.known.entry(span.start).or_insert_with(look)
    }

    /// The line as [`Source::shown_line`] says it.
    pub(crate) fn shown(
        &mut self,
        source: Option<Source<'a>>,
        span: Option<Span>,
    ) -> Option<String> {
        let (line, file) = self.find(source, span);
        Some(shown_line(line?, file))
    }
}

fn shown_line(line: usize, file: Option<&str>) -> String {
    match file {
        Some(file) => format!("{}:{line}", escape::in_line(file)),
        None => line.to_string(),
    }
}

/// Role of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// As hoped.
    Good,
    /// Not as hoped.
    Bad,
    /// Worth a look.
    Warning,
    /// Something that stands out.
    Strong,
    /// Something that stands back.
    Faint,
    /// The bracket of a loop.
    Loop,
}

/// The mark behind a text in a colour.
const PLAIN: char = '\u{fdd0}';

impl Paint {
    const ALL: [Paint; 6] =
        [Paint::Good, Paint::Bad, Paint::Warning, Paint::Strong, Paint::Faint, Paint::Loop];

    /// The mark before a text in the colour. Marks are characters that no text has: Unicode sets them aside for
    /// a program's own use, and readers of texts take them out
    /// ([`fairly_source::escape::without_noncharacters`]).
    fn mark(self) -> char {
        match self {
            Paint::Good => '\u{fdd1}',
            Paint::Bad => '\u{fdd2}',
            Paint::Warning => '\u{fdd3}',
            Paint::Strong => '\u{fdd4}',
            Paint::Faint => '\u{fdd5}',
            Paint::Loop => '\u{fdd6}',
        }
    }

    fn style(self) -> Style {
        match self {
            Paint::Good => AnsiColor::Green.on_default(),
            Paint::Bad => AnsiColor::Red.on_default().bold(),
            Paint::Warning => AnsiColor::Yellow.on_default(),
            Paint::Strong => Style::new().bold(),
            Paint::Faint => Style::new().dimmed(),
            Paint::Loop => AnsiColor::Cyan.on_default(),
        }
    }
}

/// Whether a character is a mark of a colour and takes no room.
pub(crate) fn is_mark(sign: char) -> bool {
    sign == PLAIN || Paint::ALL.iter().any(|paint| paint.mark() == sign)
}

/// A report as a terminal may have it: with colours where there are marks, and with everything written out
/// that a terminal would obey. Nothing that a model says becomes an escape sequence.
pub fn terminal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_mark) {
        out.push_str(&escape::visible(&rest[..at]));
        let mark = rest[at..].chars().next().unwrap_or(PLAIN);
        let _ = match Paint::ALL.iter().find(|paint| paint.mark() == mark) {
            Some(paint) => write!(out, "{}", paint.style()),
            None => write!(out, "{Reset}"),
        };
        rest = &rest[at + mark.len_utf8()..];
    }
    out.push_str(&escape::visible(rest));
    out
}

impl Look {
    /// The text in a colour, if colours are shown: between marks, which [`terminal`] replaces. Its width does
    /// not change, but the number of its characters does: fill up to a column first.
    pub fn paint(&self, paint: Paint, text: &str) -> String {
        if !self.coloured || text.trim().is_empty() {
            return text.to_owned();
        }
        format!("{}{text}{PLAIN}", paint.mark())
    }

    /// The text with the signs that the terminal has. Every sign is replaced by one of the same width,
    /// so columns stay where they are.
    pub fn finish(&self, text: String) -> String {
        if !self.ascii || text.is_ascii() {
            return text;
        }
        let plain = |sign: char| match sign {
            '▶' | '→' => '>',
            '●' => 'o',
            '·' => '.',
            '┌' | '└' | '▷' | '✓' => '+',
            '─' | '–' | '—' => '-',
            '│' => '|',
            '⋮' => ':',
            '…' => '~',
            '✗' => 'x',
            'ω' => 'w',
            '≠' => '#',
            '¬' => '!',
            other => other,
        };
        text.chars().map(plain).collect()
    }

    /// The text in lines of at most the width, all of them indented so.
    pub fn wrapped(&self, indent: usize, text: &str) -> String {
        let mut out = String::new();
        for line in lines(text, self.width.saturating_sub(indent).max(24)) {
            out.push_str(&" ".repeat(indent));
            out.push_str(&line);
            out.push('\n');
        }
        out
    }
}

/// How many columns of a terminal a text takes.
pub fn breadth(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The text, filled up to a column.
pub(crate) fn filled(text: &str, width: usize) -> String {
    format!("{text}{:1$}", "", width.saturating_sub(breadth(text)))
}

/// So many of something, in words: `1 state`, `2 states`.
pub fn counted(count: usize, what: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {what}{ending}")
}

/// Space between a number and its unit, where no line breaks.
pub(crate) const TIGHT: char = '\u{a0}';

/// The text in lines of at most so many columns, where its words allow. Several spaces are kept
/// together inside a line.
pub(crate) fn lines(text: &str, width: usize) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut gap = 0;
    for word in text.split(' ') {
        if word.is_empty() {
            gap += 1;
            continue;
        }
        let length = breadth(word);
        let word = &word.replace(TIGHT, " ");
        match all.last_mut() {
            Some(line) if breadth(line) + 1 + gap + length <= width => {
                line.push_str(&" ".repeat(1 + gap));
                line.push_str(word);
            }
            _ => all.push(word.to_owned()),
        }
        gap = 0;
    }
    all
}

/// A text that is too wide for its column, without its end.
pub fn clipped(text: &str, width: usize) -> String {
    if breadth(text) <= width {
        return text.to_owned();
    }
    let mut room = width.saturating_sub(1);
    let fits = |sign: &char| {
        let wide = UnicodeWidthChar::width(*sign).unwrap_or(0);
        let fits = wide <= room;
        room = if fits { room - wide } else { 0 };
        fits
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_only() {
        assert_eq!(lines("one two  three", 8), ["one two", "three"]);
        assert_eq!(lines("a  b", 8), ["a  b"]);
        assert_eq!(lines("overlong", 3), ["overlong"]);
        assert_eq!(lines(&format!("in 0.00{TIGHT}s"), 7), ["in", "0.00 s"]);
    }

    #[test]
    fn signs_of_two_columns_count_twice() {
        assert_eq!(breadth("日本語"), 6);
        assert_eq!(clipped("日本語", 6), "日本語");
        assert_eq!(clipped("日本語", 5), "日本…");
        assert_eq!(clipped("日本語", 4), "日…");
        assert_eq!(filled("日", 4), "日  ");
        assert_eq!(lines("日本 語", 5), ["日本", "語"]);
    }

    #[test]
    fn signs_keep_their_width() {
        let look = Look { ascii: true, ..Look::default() };
        let text = "┌─ ▶ ● · │ └─ ✓ ✗ …";
        let plain = look.finish(text.to_owned());
        assert!(plain.is_ascii(), "{plain}");
        assert_eq!(plain.chars().count(), text.chars().count());
    }

    #[test]
    fn only_marks_become_escape_sequences() {
        let look = Look { coloured: true, ..Look::default() };
        let text = look.paint(Paint::Bad, "a\u{1b}[2Jb\n") + "\u{9b}c\r";
        let shown = terminal(&text);
        assert_eq!(shown, "\u{1b}[1m\u{1b}[31ma\\u{1b}[2Jb\n\u{1b}[0m\\u{9b}c\\u{d}");
    }

    #[test]
    fn a_place_behind_the_end_has_no_line() {
        let source = Source { name: "a", text: "one\ntwo\n" };
        assert_eq!((source.line(0), source.line(5), source.line(8)), (Some(1), Some(2), None));
    }
}
