//! Names of steps, places and processes.

use fairly_source::parts;
use hashbrown::HashMap;

use crate::promela::ast;
use crate::promela::place::{ExpansionKind, Place};

/// The words of a text.
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    text: &'a str,
    model: &'a ast::Model,
    /// Where lines end: a model may have as many statements as its text is long.
    ends: Vec<usize>,
    /// Where included files begin.
    parts: Vec<usize>,
}

impl<'a> Words<'a> {
    pub(super) fn new(text: &'a str, model: &'a ast::Model) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at).collect();
        Words { text, model, ends, parts: parts::starts(text) }
    }

    /// Text at a place, on one line.
    pub(super) fn at(&self, place: Place) -> String {
        let span = whole(self.text, place.span.start, place.span.end);
        let text = without_comments(self.text.get(span).unwrap_or(""));
        let mut line = String::new();
        for word in text.split_whitespace() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        line
    }

    /// The line a person looks at: inside an inline that of its definition, but where a macro is
    /// used that of its use.
    pub(super) fn line(&self, mut place: Place) -> usize {
        while let Some(id) = place.expansion {
            match self.model.expansions.get(id.0 as usize) {
                Some(used) if used.kind == ExpansionKind::Macro => place = used.call,
                _ => break,
            }
        }
        let at = place.span.start;
        let part = self.parts[..self.parts.partition_point(|&start| start <= at)].last();
        let before = |place: usize| self.ends.partition_point(|&end| end < place);
        before(at) - before(part.copied().unwrap_or(0)) + 1
    }
}

/// The range with the parentheses around it that it has one side of: an expression that begins or ends with
/// something in parentheses is known by what is inside.
fn whole(text: &str, mut start: usize, mut end: usize) -> std::ops::Range<usize> {
    let Some(inside) = text.get(start..end) else { return start..end };
    let inside = without_comments(inside);
    let (mut closed, mut open) = (0, 0);
    for sign in inside.chars() {
        match sign {
            '(' => open += 1,
            ')' if open > 0 => open -= 1,
            ')' => closed += 1,
            _ => {}
        }
    }
    for _ in 0..open {
        let rest = &text[end..];
        let Some(after) = rest.trim_start().strip_prefix(')') else { break };
        end += rest.len() - after.len();
    }
    for _ in 0..closed {
        let Some(before) = text[..start].trim_end().strip_suffix('(') else { break };
        start = before.len();
    }
    start..end
}

/// A text with a blank in place of each comment; what is in quotes stays.
fn without_comments(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.contains("//") && !text.contains("/*") {
        return text.into();
    }
    let (mut kept, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(['/', '"']) {
        kept.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = if rest.starts_with("//") {
            kept.push(' ');
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            kept.push(' ');
            comment.find("*/").map_or(rest.len(), |end| end + 4)
        } else if let Some(string) = rest.strip_prefix('"') {
            let end = string.find('"').map_or(rest.len(), |end| end + 2);
            kept.push_str(&rest[..end]);
            end
        } else {
            kept.push('/');
            1
        };
        rest = &rest[end..];
    }
    kept.push_str(rest);
    kept.into()
}

/// Makes names different from each other.
#[derive(Clone, Debug, Default)]
pub(super) struct Unique {
    used: HashMap<String, u32>,
}

impl Unique {
    /// The name, or one with a number behind it.
    pub(super) fn name(&mut self, name: &str, separator: char) -> String {
        let count = self.used.entry(name.to_owned()).or_insert(0);
        *count += 1;
        if *count == 1 {
            return name.to_owned();
        }
        let mut number = *count;
        loop {
            let longer = format!("{name}{separator}{number}");
            if !self.used.contains_key(&longer) {
                self.used.insert(longer.clone(), 1);
                return longer;
            }
            number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{whole, without_comments};

    #[test]
    fn comments_are_left_out_and_strings_are_not() {
        assert_eq!(without_comments("a // b\nc /* d */ e"), "a  \nc   e");
        assert_eq!(without_comments("printf(\"http://x\") / 2"), "printf(\"http://x\") / 2");
        assert_eq!(without_comments("a /* open"), "a  ");
        assert_eq!(without_comments("\"open // "), "\"open // ");
    }

    #[test]
    fn parentheses_are_whole() {
        let cut = |text: &str, inside: &str| {
            let start = text.find(inside).expect("it is there");
            text[whole(text, start, start + inside.len())].to_owned()
        };
        assert_eq!(cut("if :: !(x%2) -> y", "!(x%2"), "!(x%2)");
        assert_eq!(cut("(x + 1) * (y - (2 ) ) -> z", "x + 1) * (y - (2"), "(x + 1) * (y - (2 ) )");
        assert_eq!(cut("(x > 0) -> z", "x > 0"), "x > 0");
        assert_eq!(cut("f(a, b", "f(a"), "f(a");
        assert_eq!(cut("x /* ( */ > 0) -> z", "x /* ( */ > 0"), "x /* ( */ > 0");
    }
}
