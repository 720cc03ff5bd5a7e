//! States and actions as reports show them, made of their `Debug` text.
//!
//! The text is read as far as derived implementations write it: structs, tuples, lists, maps, strings. Whatever else
//! it holds is taken as it is.

use std::fmt::Debug;

/// A text that is longer than this is shown in its parts, if it has any.
const LONG: usize = 24;
/// Deeper parts are shown as they are.
const DEEP: usize = 6;

/// The name of the event of an action: the words of its `Debug` text without the names of fields, joined by dots.
pub(crate) fn event_name(action: &impl Debug) -> String {
    let name = words(action);
    // A list that is empty has no words.
    if name.is_empty() { "action".to_owned() } else { name }
}

/// The words of a value's `Debug` text, joined by dots; those that are the names of fields are left out.
pub(crate) fn words(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    let mut name = String::new();
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let is_number = first == '-' && rest[1..].starts_with(|next: char| next.is_ascii_digit());
        let length = match is_number {
            true => 1 + word_length(&rest[1..]),
            false => word_length(rest),
        };
        if length == 0 {
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (word, after) = rest.split_at(length);
        rest = after;
        // The name of a field.
        if after.starts_with(": ") {
            continue;
        }
        if !name.is_empty() {
            name.push('.');
        }
        name.push_str(word);
    }
    name
}

fn word_length(text: &str) -> usize {
    text.find(|sign: char| !sign.is_alphanumeric() && sign != '_').unwrap_or(text.len())
}

/// The parts of a value by name.
pub(crate) fn fields(value: &impl Debug) -> Vec<(String, String)> {
    let text = format!("{value:?}");
    let mut out = Vec::new();
    flatten("", &text, 0, &mut out);
    out
}

/// Appends the parts of a text under a name.
fn flatten(name: &str, text: &str, depth: usize, out: &mut Vec<(String, String)>) {
    let is_whole = depth > 0 && text.chars().count() <= LONG || depth > DEEP;
    if let (false, Some(parts)) = (is_whole, parts(text)) {
        if parts.is_list && depth > 0 {
            // Parts that come later have no value before, so that only the length tells of them.
            out.push((format!("{name}.len"), parts.parts.len().to_string()));
        }
        for (at, (part, value)) in parts.parts.into_iter().enumerate() {
            let inner = match (part, name) {
                (Some(part), "") => part.to_owned(),
                (Some(part), name) => format!("{name}.{part}"),
                (None, "") => format!("[{at}]"),
                (None, name) => format!("{name}[{at}]"),
            };
            flatten(&inner, value, depth + 1, out);
        }
        return;
    }
    let name = if name.is_empty() { "state" } else { name };
    out.push((name.to_owned(), text.to_owned()));
}

/// The parts of a text.
struct Parts<'a> {
    is_list: bool,
    /// The names of fields, and their texts.
    parts: Vec<(Option<&'a str>, &'a str)>,
}

/// The fields of `Name { a: 1, b: 2 }` or the elements of `[1, 2]`, `(1, 2)` and `Name(1, 2)`; none for anything else.
fn parts(text: &str) -> Option<Parts<'_>> {
    let head = word_length(text);
    let rest = &text[head..];
    let (open, close) = match rest.trim_start().chars().next()? {
        '{' if head > 0 => ('{', '}'),
        '[' if head == 0 => ('[', ']'),
        '(' => ('(', ')'),
        _ => return None,
    };
    let inner = rest.trim_start().strip_prefix(open)?.strip_suffix(close)?;
    let mut parts = Vec::new();
    for part in split(inner)? {
        let part = part.trim();
        if part.is_empty() {
            continue;
        }
        match open {
            '{' => {
                let (name, value) = part.split_once(": ")?;
                parts.push((Some(name), value.trim()));
            }
            _ => parts.push((None, part)),
        }
    }
    // `Some(3)` is read more easily as a whole.
    let is_list = open == '[';
    if parts.is_empty() || open == '(' && parts.len() == 1 && head > 0 {
        return None;
    }
    Some(Parts { is_list, parts })
}

/// A text cut at the commas that are inside no brackets and no quotes.
fn split(text: &str) -> Option<Vec<&str>> {
    let (mut depth, mut start, mut all) = (0_usize, 0, Vec::new());
    let mut signs = text.char_indices();
    while let Some((at, sign)) = signs.next() {
        match sign {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            '"' => loop {
                match signs.next()?.1 {
                    '\\' => {
                        signs.next()?;
                    }
                    '"' => break,
                    _ => {}
                }
            },
            // A character such as `'{'`, and no lifetime: `Debug` texts have none.
            '\'' => {
                if signs.next()?.1 == '\\' {
                    signs.next()?;
                }
                signs.find(|(_, sign)| *sign == '\'')?;
            }
            ',' if depth == 0 => {
                all.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    all.push(&text[start..]);
    (depth == 0).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    #[expect(dead_code, reason = "they are read by their `Debug` text")]
    enum Action {
        Idle,
        Enter(usize),
        Send { to: i32, what: (Kind, Option<u8>) },
        Say(&'static str),
    }

    #[derive(Debug)]
    enum Kind {
        Ping,
    }

    #[test]
    fn events_are_words_joined_by_dots() {
        let send = Action::Send { to: -1, what: (Kind::Ping, Some(3)) };
        for (action, expected) in [
            (Action::Idle, "Idle"),
            (Action::Enter(2), "Enter.2"),
            (send, "Send.-1.Ping.Some.3"),
            (Action::Say("a, b"), "Say.a.b"),
        ] {
            assert_eq!(event_name(&action), expected);
        }
        assert_eq!(event_name(&[0; 0]), "action");
    }

    fn shown(value: &impl Debug) -> String {
        let all: Vec<String> =
            fields(value).into_iter().map(|(name, text)| format!("{name}={text}")).collect();
        all.join(" ")
    }

    #[derive(Debug, Clone)]
    #[expect(dead_code, reason = "they are read by their `Debug` text")]
    struct Node {
        role: Option<u8>,
        log: Vec<u32>,
        name: String,
    }

    #[derive(Debug)]
    #[expect(dead_code, reason = "they are read by their `Debug` text")]
    struct State {
        nodes: Vec<Node>,
        turn: u8,
    }

    #[test]
    fn long_values_are_shown_in_their_parts() {
        let node = Node { role: Some(1), log: vec![1, 2], name: "a \"}, [".to_owned() };
        let state = State { nodes: vec![node], turn: 3 };
        assert_eq!(
            shown(&state),
            "nodes.len=1 nodes[0].role=Some(1) nodes[0].log=[1, 2] nodes[0].name=\"a \\\"}, [\" turn=3"
        );
        assert_eq!(shown(&7), "state=7");
        assert_eq!(shown(&[true, false]), "[0]=true [1]=false");
        assert_eq!(shown(&("x", '}')), "[0]=\"x\" [1]='}'");
        assert_eq!(shown(&Some(3)), "state=Some(3)");
    }

    struct Odd(&'static str);

    impl Debug for Odd {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(self.0)
        }
    }

    #[test]
    fn a_text_that_nobody_derives_is_taken_as_it_is() {
        for text in ["", "{", "[1, 2", "(]", "A { b }", "\"", "'", "A(\"", "a b c", "é(1, 2)"] {
            let _ = event_name(&Odd(text));
            assert!(!fields(&Odd(text)).is_empty(), "{text}");
        }
    }
}
