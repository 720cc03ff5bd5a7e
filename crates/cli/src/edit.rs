//! Lines that a person types at a terminal: editing, and a history to go back to.
//!
//! `rustyline` does that, and without its optional features it brings one crate that was not here before. Where
//! standard input is no terminal, lines are read as they come.

use std::io::{self, BufRead, IsTerminal, Write};

use rustyline::config::Builder;
use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor};

/// Lines of the history at most.
const MOST: usize = 500;

/// Reads lines, and remembers them.
pub(crate) struct Editor {
    terminal: Option<DefaultEditor>,
}

impl Editor {
    pub(crate) fn new() -> Editor {
        let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        let settings = Config::builder().auto_add_history(true).history_ignore_space(false);
        let settings = settings.max_history_size(MOST).map(Builder::build);
        let editor = || DefaultEditor::with_config(settings.ok()?).ok();
        Editor { terminal: is_terminal.then(editor).flatten() }
    }

    /// Whether what is typed is seen anyway.
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal.is_some()
    }

    /// The next line, without its end; none at the end of the input. Ctrl-C forgets what is typed, and ends the
    /// input when it is pressed again.
    pub(crate) fn line(&mut self, prompt: &str) -> io::Result<Option<String>> {
        let Some(terminal) = &mut self.terminal else {
            let mut stdout = io::stdout().lock();
            stdout.write_all(prompt.as_bytes())?;
            stdout.flush()?;
            let mut line = String::new();
            let count = io::stdin().lock().read_line(&mut line)?;
            return Ok((count > 0).then(|| line.trim_end_matches(['\n', '\r']).to_owned()));
        };
        let mut is_interrupted = false;
        loop {
            match terminal.readline(prompt) {
                Ok(line) => return Ok(Some(line)),
                Err(ReadlineError::Interrupted) if !is_interrupted => is_interrupted = true,
                Err(ReadlineError::Eof | ReadlineError::Interrupted) => return Ok(None),
                Err(error) => return Err(io::Error::other(error)),
            }
        }
    }
}
