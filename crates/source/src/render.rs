//! A diagnostic as text with a caret.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::escape::{in_line, is_harmless, visible};
use crate::{Diagnostic, Position, Severity, Span, parts};

/// Whether the text may hold terminal colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// No escape sequences.
    Plain,
    /// ANSI colours.
    Coloured,
}

/// Characters of a long line that are shown on each side of the caret.
const WINDOW: usize = 60;

/// Draws `diagnostic` over the line of `text` it is about, as `file`, or as the file of the [part](crate::parts)
/// that the line is in.
///
/// Only that one line is handed to the renderer, and of a long one only a window round the caret,
/// so that an error in a file of one 50 MB line costs and prints next to nothing.
pub fn render(diagnostic: &Diagnostic, file: &str, text: &str, style: Style) -> String {
    let part = parts::locate(file, text, diagnostic.span.start);
    let position = Position::of(part.text, part.offset);
    let span = Span::new(part.offset, diagnostic.span.end.saturating_sub(part.start));
    let (shown, caret) = window(part.text, span);
    // The message may quote the text.
    let (message, label) = (in_line(&diagnostic.message), in_line(&diagnostic.label));
    let help = diagnostic.help.as_deref().map(visible);
    let snippet = Snippet::source(shown.as_str())
        .line_start(position.line)
        .fold(false)
        .annotation(AnnotationKind::Primary.span(caret).label(label.as_ref()));
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = level.primary_title(message.as_ref()).id(diagnostic.code).element(snippet);
    if let Some(help) = &help {
        group = group.element(Level::HELP.message(help.as_ref()));
    }
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    };
    let drawn = renderer.render(&[group]);
    with_place(&drawn, part.file, position)
}

/// Puts ` --> file:line:column` under the title. The renderer could do it, but would count the
/// column inside the window we cut out of a long line.
fn with_place(drawn: &str, file: &str, position: Position) -> String {
    let mut lines = drawn.lines();
    let title = lines.next().unwrap_or_default();
    let indent = position.line.to_string().len();
    let file = in_line(file);
    let mut out = format!("{title}\n{:indent$}--> {file}:{position}\n", "");
    for line in lines {
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// The part of the line around the span, with control characters made harmless, and where the
/// span lies in it.
fn window(text: &str, span: Span) -> (String, std::ops::Range<usize>) {
    let mut start = span.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
    let mut end = span.end.clamp(start, line_end);
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let (before, marked, after) =
        (&text[line_start..start], &text[start..end], &text[end..line_end]);

    let mut shown = String::new();
    let skipped = before.chars().count().saturating_sub(WINDOW);
    if skipped > 0 {
        shown.push('…');
    }
    shown.extend(before.chars().skip(skipped).map(printable));
    let caret_start = shown.len();
    shown.extend(marked.chars().take(WINDOW).map(printable));
    let caret_end = shown.len();
    if marked.chars().nth(WINDOW).is_some() {
        shown.push('…');
    } else {
        shown.extend(after.chars().take(WINDOW).map(printable));
        if after.chars().nth(WINDOW).is_some() {
            shown.push('…');
        }
    }
    (shown, caret_start..caret_end)
}

fn printable(c: char) -> char {
    match c {
        '\t' => ' ',
        c if is_harmless(c) => c,
        _ => '\u{fffd}',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str, span: Span) -> String {
        let diagnostic = Diagnostic::error("E0001", "wrong", span).label("here").help("do better");
        render(&diagnostic, "f", text, Style::Plain)
    }

    #[test]
    fn the_caret_stands_under_the_span() {
        let shown = drawn("one\ntwo three\n", Span::new(8, 13));
        assert_eq!(
            shown,
            "error[E0001]: wrong\n --> f:2:5\n  |\n2 | two three\n  |     ^^^^^ here\n  |\n  = help: do better\n"
        );
    }

    #[test]
    fn the_end_of_the_text_can_be_marked() {
        assert!(drawn("a U", Span::at(3)).contains("  |    ^ here"));
        assert!(drawn("", Span::at(0)).contains("f:1:1"));
        assert!(drawn("a\n", Span::at(2)).contains("f:2:1"));
    }

    #[test]
    fn a_long_line_is_cut_round_the_caret() {
        let text = format!("{}X{}", "a".repeat(1_000_000), "b".repeat(1_000_000));
        let shown = drawn(&text, Span::new(1_000_000, 1_000_001));
        assert!(shown.len() < 1000 && shown.contains("f:1:1000001"), "{shown}");
        assert!(shown.contains("aXb"));
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let hostile = "\u{1b}[31m\u{9b}2J\u{202e}\u{7f}\r";
        let diagnostic = Diagnostic::error("E0001", hostile, Span::new(5, 6));
        let diagnostic = diagnostic.label(hostile).help(hostile);
        let shown = render(&diagnostic, hostile, &format!("{hostile} red"), Style::Plain);
        assert!(shown.chars().all(|sign| sign == '\n' || is_harmless(sign)), "{shown:?}");
    }
}
