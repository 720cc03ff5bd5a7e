//! Where results go.

use std::borrow::Cow;
use std::io::{IsTerminal, Write};

use clap::ColorChoice;
use fairly_report::{Look, terminal};
use fairly_source::{Style, escape};

use crate::failure::CliError;
use crate::files::Output;

/// Whether diagnostics are coloured.
pub(crate) fn style(choice: ColorChoice) -> Style {
    let coloured = match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            !refused && std::io::stderr().is_terminal()
        }
    };
    if coloured { Style::Coloured } else { Style::Plain }
}

/// How reports on stdout are drawn: in colours on a terminal that may have them, in ASCII on one that has
/// nothing better.
pub(crate) fn look(choice: ColorChoice, ascii: bool) -> Look {
    let is_terminal = std::io::stdout().is_terminal();
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let is_dumb = set("TERM").is_some_and(|term| term == "dumb");
    let coloured = match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => is_terminal && !is_dumb && set("NO_COLOR").is_none(),
    };
    // As the C library does: the first of these that is set says it all.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| set(name));
    let has_signs = locale.is_none_or(|locale| {
        let locale = locale.to_ascii_uppercase();
        locale.contains("UTF-8") || locale.contains("UTF8")
    });
    let ascii = ascii || (is_terminal && (is_dumb || !has_signs));
    Look { width: width(), ascii, coloured, height: height(), ..Look::default() }
}

/// How many columns a result may have: those of the terminal, or of COLUMNS, or enough for a wide one.
pub(crate) fn width() -> usize {
    const ELSEWHERE: usize = 120;
    let asked = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    asked.or_else(terminal).filter(|&width| width > 0).unwrap_or(ELSEWHERE)
}

/// How many lines of a result are seen at a time: those of the terminal, or of LINES, or what most show.
fn height() -> usize {
    let asked = std::env::var("LINES").ok().and_then(|text| text.parse().ok());
    let terminal = || {
        let size = terminal_size::terminal_size().filter(|_| std::io::stdout().is_terminal());
        size.map(|(_, height)| usize::from(height.0))
    };
    let height = asked.or_else(terminal).filter(|&height| height > 0);
    height.unwrap_or(Look::default().height)
}

/// How many columns text to be read may have: those of a terminal, but not more than are pleasant.
pub(crate) fn prose_width() -> usize {
    const USUAL: usize = 80;
    const PLEASANT: usize = 100;
    let asked = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let width = asked.or_else(terminal).filter(|&width| width > 0).unwrap_or(USUAL);
    width.clamp(20, PLEASANT)
}

/// Writes a whole report to stdout, or to a file when one is named. On stdout, nothing that a terminal or a
/// workflow on GitHub would obey comes from a model.
pub(crate) fn write(text: &str, file: Option<&str>) -> Result<(), CliError> {
    match file {
        None | Some("-") => to_stdout(&unheeded(&terminal(text))),
        Some(path) => Output::open(path)?.write(text),
    }
}

/// Writes commands for a workflow on GitHub to stdout.
pub(crate) fn write_commands(text: &str) -> Result<(), CliError> {
    to_stdout(&terminal(text))
}

/// The text, with no line in it that a workflow on GitHub takes for a command, where one runs. It looks for `::`
/// behind the spaces that a line begins with.
pub(crate) fn unheeded(text: &str) -> Cow<'_, str> {
    let is_workflow = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    if is_workflow { without_commands(text) } else { Cow::Borrowed(text) }
}

fn without_commands(text: &str) -> Cow<'_, str> {
    let is_command = |line: &str| line.trim_start().starts_with("::");
    if !text.split(['\n', '\r']).any(is_command) {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive(['\n', '\r']);
    lines
        .map(|line| if is_command(line) { line.replacen("::", ": :", 1) } else { line.to_owned() })
        .collect()
}

/// Prints what another program reads as it is; a terminal does not get what it would obey.
pub(crate) fn write_data(text: &str) -> Result<(), CliError> {
    if std::io::stdout().is_terminal() { write(text, None) } else { to_stdout(text) }
}

fn to_stdout(text: &str) -> Result<(), CliError> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    match written {
        // The reader has seen enough; the exit code still tells the answer.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// Clears a terminal, for what is printed next.
pub(crate) fn clear_screen() {
    let _ = to_stdout("\x1b[2J\x1b[3J\x1b[H");
}

/// Tells the person something beside the results.
pub(crate) fn remark(text: &str) {
    // If stderr is gone, there is no reader.
    let _ = writeln!(std::io::stderr(), "{}", escape::visible(text));
}

/// Where a result goes: a file that was tried, or stdout.
pub(crate) enum Destination {
    Stdout,
    File(Output),
}

impl Destination {
    /// Finds out whether anything can be written there.
    pub(crate) fn open(file: Option<&str>) -> Result<Destination, CliError> {
        match file {
            None | Some("-") => Ok(Destination::Stdout),
            Some(path) => Output::open(path).map(Destination::File),
        }
    }

    /// Writes a whole result that another program reads.
    pub(crate) fn write(&self, text: &str) -> Result<(), CliError> {
        match self {
            Destination::Stdout => write_data(text),
            Destination::File(output) => output.write(text),
        }
    }
}

/// Writes to stdout or stderr although another thread may hold its lock, and be stopped.
#[cfg(unix)]
pub(crate) fn without_lock(stream: &impl std::os::fd::AsFd, text: &str) {
    if let Ok(stream) = stream.as_fd().try_clone_to_owned() {
        let _ = std::fs::File::from(stream).write_all(text.as_bytes());
    }
}

/// The same where that is not possible: to stderr.
#[cfg(not(unix))]
pub(crate) fn without_lock(_: &impl Sized, text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// A line on standard error about what was done.
pub(crate) fn note(text: &str) {
    // If stderr is gone, notes have no reader.
    let _ = std::io::stderr().write_all(escape::visible(&format!("note: {text}\n")).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_begins_like_a_command() {
        let quiet = ["", "a ::error::b\n", "  : :\n"];
        assert!(quiet.iter().all(|text| matches!(without_commands(text), Cow::Borrowed(_))));
        let text = "a\n  ::error file=a::b ::x\n::add-mask::e\n\u{a0}::x\nz\r::y";
        let said = "a\n  : :error file=a::b ::x\n: :add-mask::e\n\u{a0}: :x\nz\r: :y";
        assert_eq!(without_commands(text), said);
    }
}
