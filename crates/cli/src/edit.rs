//! Lines that a person types at a terminal: editing, and a history to go back to.
//!
//! It is small on purpose. `rustyline` is a fine library, and brings twenty others along for completion, hints
//! and Windows consoles; what is needed here is moving in a line and asking for an earlier one, and `rustix`,
//! which is there already, switches the terminal without unsafe code. Where standard input is no terminal,
//! lines are read as they come.

use std::io::{self, BufRead, IsTerminal, Read, Write};

use rustix::termios::{
    self, InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};

use crate::output;

/// Lines of the history at most.
const MOST: usize = 500;
/// Characters of a line at most: nobody types more.
const LONGEST: usize = 4096;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Letter(char),
    Enter,
    Back,
    Delete,
    Left,
    Right,
    Home,
    End,
    Earlier,
    Later,
    /// Removes what is before the cursor.
    CutBefore,
    /// Removes what is behind the cursor.
    CutBehind,
    /// Removes the word before the cursor.
    CutWord,
    /// The end of the input, on an empty line.
    Eof,
    /// Ctrl-C: forgets the line, and ends on an empty one.
    Interrupt,
    Redraw,
    Nothing,
}

/// A line that is being typed.
#[derive(Clone, Debug, Default)]
struct Line {
    text: Vec<char>,
    at: usize,
    /// How far back in the history it is; 0 is the line itself.
    back: usize,
    /// What was typed before somebody went back.
    typed: Vec<char>,
}

/// What comes of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Done {
    /// Nothing yet.
    Open,
    /// The line is complete.
    Line,
    /// There is no more.
    Ended,
}

impl Line {
    /// Does what a key asks for.
    fn press(&mut self, key: Key, history: &[String]) -> Done {
        match key {
            Key::Letter(letter) if self.text.len() < LONGEST => {
                self.text.insert(self.at, letter);
                self.at += 1;
            }
            Key::Back if self.at > 0 => {
                self.at -= 1;
                self.text.remove(self.at);
            }
            Key::Delete if self.at < self.text.len() => {
                self.text.remove(self.at);
            }
            Key::Left => self.at = self.at.saturating_sub(1),
            Key::Right => self.at = (self.at + 1).min(self.text.len()),
            Key::Home => self.at = 0,
            Key::End => self.at = self.text.len(),
            Key::Earlier => self.go(self.back + 1, history),
            Key::Later if self.back > 0 => self.go(self.back - 1, history),
            Key::CutBefore => {
                self.text.drain(..self.at);
                self.at = 0;
            }
            Key::CutBehind => self.text.truncate(self.at),
            Key::CutWord => {
                let is_space = |at: usize| self.text[at].is_whitespace();
                let mut from = self.at;
                while from > 0 && is_space(from - 1) {
                    from -= 1;
                }
                while from > 0 && !is_space(from - 1) {
                    from -= 1;
                }
                self.text.drain(from..self.at);
                self.at = from;
            }
            Key::Enter => return Done::Line,
            Key::Eof if self.text.is_empty() => return Done::Ended,
            Key::Interrupt if self.text.is_empty() => return Done::Ended,
            Key::Interrupt => *self = Line::default(),
            _ => {}
        }
        Done::Open
    }

    /// Shows an earlier line, or the one that was typed.
    fn go(&mut self, back: usize, history: &[String]) {
        if back > history.len() {
            return;
        }
        if self.back == 0 {
            self.typed.clone_from(&self.text);
        }
        self.text = match back {
            0 => self.typed.clone(),
            back => history[history.len() - back].chars().collect(),
        };
        (self.back, self.at) = (back, self.text.len());
    }

    /// The line as it is drawn in so many columns, and where the cursor is.
    fn drawn(&self, prompt: &str, width: usize) -> String {
        let room = width.saturating_sub(prompt.chars().count() + 1).max(8);
        let first = (self.at + 1).saturating_sub(room);
        let shown: String = self.text.iter().skip(first).take(room).collect();
        let column = prompt.chars().count() + self.at - first;
        let forward = if column > 0 { format!("\x1b[{column}C") } else { String::new() };
        format!("\r\x1b[K{prompt}{shown}\r{forward}")
    }
}

/// Reads lines, and remembers them.
pub(crate) struct Editor {
    history: Vec<String>,
    is_terminal: bool,
}

impl Editor {
    pub(crate) fn new() -> Editor {
        let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        Editor { history: Vec::new(), is_terminal }
    }

    /// Whether what is typed is seen anyway.
    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// The next line, without its end; none at the end of the input.
    pub(crate) fn line(&mut self, prompt: &str) -> io::Result<Option<String>> {
        let line = match self.is_terminal.then(Raw::enter).flatten() {
            Some(raw) => {
                let line = self.typed(prompt);
                drop(raw);
                line?
            }
            None => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(prompt.as_bytes())?;
                stdout.flush()?;
                let mut line = String::new();
                let count = io::stdin().lock().read_line(&mut line)?;
                (count > 0).then(|| line.trim_end_matches(['\n', '\r']).to_owned())
            }
        };
        if let Some(line) = &line
            && !line.trim().is_empty()
            && self.history.last() != Some(line)
        {
            self.history.push(line.clone());
            if self.history.len() > MOST {
                self.history.remove(0);
            }
        }
        Ok(line)
    }

    fn typed(&self, prompt: &str) -> io::Result<Option<String>> {
        let mut line = Line::default();
        let mut stdin = io::stdin().lock();
        loop {
            let mut stdout = io::stdout().lock();
            stdout.write_all(line.drawn(prompt, output::width()).as_bytes())?;
            stdout.flush()?;
            let Some(key) = key(&mut stdin)? else { return Ok(None) };
            match line.press(key, &self.history) {
                Done::Open => {}
                Done::Line => {
                    stdout.write_all(b"\n")?;
                    return Ok(Some(line.text.into_iter().collect()));
                }
                Done::Ended => {
                    stdout.write_all(b"\n")?;
                    return Ok(None);
                }
            }
        }
    }
}

/// The next key; none at the end of the input.
fn key(input: &mut impl Read) -> io::Result<Option<Key>> {
    let Some(first) = byte(input)? else { return Ok(None) };
    Ok(Some(match first {
        b'\r' | b'\n' => Key::Enter,
        0x7f | 0x08 => Key::Back,
        0x01 => Key::Home,
        0x02 => Key::Left,
        0x03 => Key::Interrupt,
        0x04 => Key::Eof,
        0x05 => Key::End,
        0x06 => Key::Right,
        0x0b => Key::CutBehind,
        0x0c => Key::Redraw,
        0x0e => Key::Later,
        0x10 => Key::Earlier,
        0x15 => Key::CutBefore,
        0x17 => Key::CutWord,
        0x1b => escape(input)?,
        0x00..=0x1f => Key::Nothing,
        first => letter(first, input)?,
    }))
}

fn byte(input: &mut impl Read) -> io::Result<Option<u8>> {
    let mut one = [0];
    loop {
        match input.read(&mut one) {
            Ok(0) => return Ok(None),
            Ok(_) => return Ok(Some(one[0])),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// What follows an escape character: `[A`, `OH`, `[3~` and the like.
fn escape(input: &mut impl Read) -> io::Result<Key> {
    let Some(b'[' | b'O') = byte(input)? else { return Ok(Key::Nothing) };
    let mut number = 0u32;
    loop {
        let Some(next) = byte(input)? else { return Ok(Key::Nothing) };
        return Ok(match next {
            b'0'..=b'9' => {
                number = number.saturating_mul(10).saturating_add(u32::from(next - b'0'));
                continue;
            }
            // Modifiers make no difference.
            b';' => continue,
            b'A' => Key::Earlier,
            b'B' => Key::Later,
            b'C' => Key::Right,
            b'D' => Key::Left,
            b'H' => Key::Home,
            b'F' => Key::End,
            b'~' => match number {
                1 | 7 => Key::Home,
                3 => Key::Delete,
                4 | 8 => Key::End,
                _ => Key::Nothing,
            },
            _ => Key::Nothing,
        });
    }
}

/// A character that begins with this byte, in UTF-8.
fn letter(first: u8, input: &mut impl Read) -> io::Result<Key> {
    let more = match first {
        0x00..0x80 => 0,
        0xc0..0xe0 => 1,
        0xe0..0xf0 => 2,
        0xf0..0xf8 => 3,
        _ => return Ok(Key::Nothing),
    };
    let mut bytes = vec![first];
    for _ in 0..more {
        let Some(next) = byte(input)? else { return Ok(Key::Nothing) };
        bytes.push(next);
    }
    let text = String::from_utf8(bytes).ok();
    let letter = text.and_then(|text| text.chars().next());
    Ok(letter.filter(|letter| !letter.is_control()).map_or(Key::Nothing, Key::Letter))
}

/// A terminal that gives every key as it is pressed, until this is dropped.
struct Raw {
    before: Termios,
}

impl Raw {
    fn enter() -> Option<Raw> {
        let before = tcgetattr(io::stdin()).ok()?;
        let mut now = before.clone();
        now.local_modes -=
            LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN;
        now.input_modes -= InputModes::IXON | InputModes::ICRNL;
        now.special_codes[SpecialCodeIndex::VMIN] = 1;
        now.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(io::stdin(), OptionalActions::Drain, &now).ok()?;
        Some(Raw { before })
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // If the terminal is gone, there is nothing to put right.
        let _ = termios::tcsetattr(io::stdin(), OptionalActions::Drain, &self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read when these bytes are typed after these lines.
    fn typed(bytes: &str, history: &[&str]) -> Option<String> {
        let history: Vec<String> = history.iter().map(|line| (*line).to_owned()).collect();
        let (mut input, mut line) = (bytes.as_bytes(), Line::default());
        while let Some(key) = key(&mut input).expect("bytes in memory") {
            match line.press(key, &history) {
                Done::Open => {}
                Done::Line => return Some(line.text.into_iter().collect()),
                Done::Ended => return None,
            }
        }
        None
    }

    #[test]
    fn a_line_is_edited() {
        let line = |bytes: &str| typed(&format!("{bytes}\r"), &[]);
        assert_eq!(line("abc").as_deref(), Some("abc"));
        assert_eq!(line("abc\x7f\x7fd").as_deref(), Some("ad"));
        assert_eq!(line("ac\x1b[Db").as_deref(), Some("abc"));
        assert_eq!(line("bc\x01a\x05d").as_deref(), Some("abcd"));
        assert_eq!(line("\x1b[Hx\x1b[F\x1b[3~y").as_deref(), Some("xy"));
        assert_eq!(line("abc\x1b[D\x1b[D\x1b[3~").as_deref(), Some("ac"));
        assert_eq!(line("one two\x17three").as_deref(), Some("one three"));
        assert_eq!(line("abc\x15d").as_deref(), Some("d"));
        assert_eq!(line("abc\x02\x02\x0b").as_deref(), Some("a"));
        assert_eq!(line("größe ∀\x7f").as_deref(), Some("größe "));
        assert_eq!(line("a\x03b").as_deref(), Some("b"), "Ctrl-C forgets the line");
        assert_eq!(
            line("a\x1b[1;5Cb\x1b[99~\x00").as_deref(),
            Some("ab"),
            "unknown keys do nothing"
        );
    }

    #[test]
    fn earlier_lines_come_back() {
        let line = |bytes: &str| typed(&format!("{bytes}\r"), &["r 5", "b x == 1"]);
        assert_eq!(line("\x1b[A").as_deref(), Some("b x == 1"));
        assert_eq!(line("\x1b[A\x1b[A\x1b[A").as_deref(), Some("r 5"));
        assert_eq!(line("new\x1b[A\x1b[B").as_deref(), Some("new"), "what was typed is kept");
        assert_eq!(line("\x1b[A\x7f2").as_deref(), Some("b x == 2"));
        assert_eq!(line("\x1b[B").as_deref(), Some(""));
    }

    #[test]
    fn the_input_ends() {
        assert_eq!(typed("\x04", &[]), None);
        assert_eq!(typed("\x03", &[]), None);
        assert_eq!(typed("abc", &[]), None);
        assert_eq!(typed("\x1b", &[]), None);
        assert_eq!(typed("a\x04\r", &[]).as_deref(), Some("a"), "not in the middle of a line");
    }

    #[test]
    fn a_long_line_is_drawn_around_the_cursor() {
        let mut line = Line::default();
        for letter in "abcdefghijklmnopqrstuvwxyz".chars() {
            line.press(Key::Letter(letter), &[]);
        }
        let drawn = line.drawn("> ", 13);
        assert!(drawn.contains("> rstuvwxyz\r"), "{drawn:?}");
        line.press(Key::Home, &[]);
        assert!(line.drawn("> ", 13).contains("> abcdefghij\r"));
    }
}
