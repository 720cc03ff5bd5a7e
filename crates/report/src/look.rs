//! How a report is drawn: how wide, in which signs, with or without colours, and with the text that
//! the model was read from.

/// What the reader's terminal can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Columns that a line may have.
    pub width: usize,
    /// Whether only ASCII can be shown.
    pub ascii: bool,
    /// Whether colours can be shown, and are wanted.
    pub coloured: bool,
}

impl Default for Look {
    /// A wide terminal without colours.
    fn default() -> Self {
        Look { width: 120, ascii: false, coloured: false }
    }
}

/// The text of a model, for the lines in it that steps come from.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// What the file is called.
    pub name: &'a str,
    /// What is in it.
    pub text: &'a str,
}

impl Source<'_> {
    /// The line of a place, from 1; none behind the end, where nothing was written.
    pub fn line(&self, offset: usize) -> Option<usize> {
        let before = self.text.as_bytes().get(..offset).filter(|_| offset < self.text.len())?;
        Some(1 + before.iter().filter(|&&byte| byte == b'\n').count())
    }
}

/// What a colour is for.
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

impl Look {
    /// The text in a colour, if colours are shown. Its width does not change, but the number of its
    /// characters does: fill up to a column first.
    pub fn paint(&self, paint: Paint, text: &str) -> String {
        if !self.coloured || text.trim().is_empty() {
            return text.to_owned();
        }
        let code = match paint {
            Paint::Good => "32",
            Paint::Bad => "1;31",
            Paint::Warning => "33",
            Paint::Strong => "1",
            Paint::Faint => "2",
            Paint::Loop => "36",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
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

/// The text in lines of at most so many characters, where its words allow. Several spaces are kept
/// together inside a line.
pub(crate) fn lines(text: &str, width: usize) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut gap = 0;
    for word in text.split(' ') {
        if word.is_empty() {
            gap += 1;
            continue;
        }
        let length = word.chars().count();
        match all.last_mut() {
            Some(line) if line.chars().count() + 1 + gap + length <= width => {
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
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_only() {
        assert_eq!(lines("one two  three", 8), ["one two", "three"]);
        assert_eq!(lines("a  b", 8), ["a  b"]);
        assert_eq!(lines("overlong", 3), ["overlong"]);
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
    fn a_place_behind_the_end_has_no_line() {
        let source = Source { name: "a", text: "one\ntwo\n" };
        assert_eq!((source.line(0), source.line(5), source.line(8)), (Some(1), Some(2), None));
    }
}
