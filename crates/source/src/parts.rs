//! One text made of several files, in which a span alone tells the file.
//!
//! A file that includes others is read as one text: its own, and behind it a *part* for each inclusion. A part
//! starts with a header line that no file can hold, because its first character is one of those that
//! [`without_noncharacters`](crate::escape::without_noncharacters) takes out of every input. Spans, slices and
//! comparisons of positions therefore work as in a text of one file, and [`locate`] finds the file again where
//! something is shown.
//!
//! ```
//! use fairly_source::parts;
//! let mut text = "#include \"lib.h\"\n".to_owned();
//! let start = parts::append(&mut text, "lib.h", "byte x\nbyte y\n");
//! let place = parts::locate("main.pml", &text, start + 7);
//! assert_eq!((place.file, place.text, place.offset), ("lib.h", "byte x\nbyte y\n", 7));
//! assert_eq!(parts::locate("main.pml", &text, 3).file, "main.pml");
//! ```

/// Starts the header of a part. Unicode sets this character aside for a program's own use.
const HEADER: char = '\u{fdde}';

/// A place in one of the files that a text is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located<'a> {
    /// Name of the file.
    pub file: &'a str,
    /// Text of the file alone.
    pub text: &'a str,
    /// The place, counted in the file.
    pub offset: usize,
    /// Where the file begins in the whole text.
    pub start: usize,
}

/// Adds a file to a text and returns where it begins there.
pub fn append(whole: &mut String, name: &str, text: &str) -> usize {
    whole.push('\n');
    whole.push(HEADER);
    whole.extend(name.chars().map(|sign| if sign == '\n' { ' ' } else { sign }));
    whole.push('\n');
    let start = whole.len();
    whole.push_str(text);
    start
}

/// Finds the file that a place in a text belongs to; `main` is the name of the first one.
pub fn locate<'a>(main: &'a str, whole: &'a str, offset: usize) -> Located<'a> {
    let mut offset = offset.min(whole.len());
    while !whole.is_char_boundary(offset) {
        offset -= 1;
    }
    // A part ends before the line end that `append` puts in front of a header.
    let end = |from: usize| {
        let next = whole[from..].find(HEADER);
        next.map_or(whole.len(), |next| (from + next).saturating_sub(1).max(from))
    };
    let Some(header) = whole[..offset].rfind(HEADER) else {
        return Located { file: main, text: &whole[..end(0)], offset, start: 0 };
    };
    let named = header + HEADER.len_utf8();
    let length = whole[named..].find('\n').unwrap_or(whole.len() - named);
    let start = (named + length + 1).min(whole.len());
    Located {
        file: &whole[named..named + length],
        text: &whole[start..end(start)],
        offset: offset.saturating_sub(start),
        start,
    }
}

/// Where the files begin that follow the first one, in order.
pub fn starts(whole: &str) -> Vec<usize> {
    let line_end =
        |header: usize| whole[header..].find('\n').map_or(whole.len(), |at| header + at + 1);
    whole.match_indices(HEADER).map(|(header, _)| line_end(header)).collect()
}

/// Tells whether a place is in the first file of a text.
pub fn is_in_main(whole: &str, offset: usize) -> bool {
    let offset = offset.min(whole.len());
    !whole.as_bytes()[..offset].windows(HEADER.len_utf8()).any(is_header)
}

fn is_header(bytes: &[u8]) -> bool {
    bytes == HEADER.encode_utf8(&mut [0; 4]).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_found_in_its_file() {
        let mut whole = "main\n".to_owned();
        let first = append(&mut whole, "a\nb", "");
        let second = append(&mut whole, "c", "é\n");
        let at = |offset| {
            let Located { file, text, offset, .. } = locate("m", &whole, offset);
            (file, text, offset)
        };
        assert_eq!(at(2), ("m", "main\n", 2));
        assert_eq!(at(5), ("m", "main\n", 5));
        assert_eq!(at(first), ("a b", "", 0));
        assert_eq!(at(second + 1), ("c", "é\n", 0), "inside é");
        assert_eq!(at(whole.len()), ("c", "é\n", 3));
        assert_eq!(at(usize::MAX), ("c", "é\n", 3));
        assert_eq!(starts(&whole), [first, second]);
        assert!(is_in_main(&whole, 5) && !is_in_main(&whole, first));
    }

    #[test]
    fn a_text_of_one_file_is_itself() {
        assert_eq!(locate("m", "x", 9), Located { file: "m", text: "x", offset: 1, start: 0 });
    }
}
