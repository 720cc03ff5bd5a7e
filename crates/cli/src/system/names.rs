//! Names of properties that arguments and settings give: which of them a model has, and what to say of
//! the others. A name that nothing has is an error, never a question that is not asked.

use fairly_front::loaded::{Loaded, Naming};
use fairly_source::suggest::near;

use super::arguments::{Model, squeezed};
use super::budget::Budget;
use super::questions;
use crate::failure::{Absent, CliError};

/// Properties of a model with this name.
pub(super) struct Known {
    /// The word for one of them: `property`, `assertion`.
    pub(super) what: &'static str,
    /// Their titles.
    pub(super) titles: Vec<String>,
    /// Whether they are also known by their numbers.
    pub(super) numbered: bool,
}

/// How many names are listed.
const LISTED: usize = 12;
/// A part of a name that is shorter says nothing.
const SHORTEST: usize = 3;

impl Known {
    /// Which of the names that choose properties nothing has; `has` says of each whether something does.
    ///
    /// # Errors
    /// When a name must be here and is not, or when none of them is.
    pub(super) fn chosen(
        &self,
        model: &Model,
        has: impl Fn(&str) -> bool,
    ) -> Result<Vec<Absent>, CliError> {
        let missing: Vec<&String> = model.properties.iter().filter(|name| !has(name)).collect();
        let absent: Vec<Absent> = missing.iter().map(|name| self.absent("-p", name)).collect();
        let is_needed = missing.iter().any(|name| !model.elsewhere.contains(name));
        let nothing_left = !missing.is_empty() && missing.len() == model.properties.len();
        if is_needed || nothing_left { Err(CliError::NoSuchName(absent)) } else { Ok(absent) }
    }

    /// Which of the names that something is expected of nothing has.
    ///
    /// # Errors
    /// When a name must be here and is not.
    pub(super) fn expected(&self, model: &Model) -> Result<Vec<Absent>, CliError> {
        let mut names: Vec<&String> = Vec::new();
        for name in model.expectations.iter().filter_map(|(name, _)| name.as_ref()) {
            let is = |title: &String| squeezed(title) == squeezed(name);
            // An error of the model has an answer of its own, called after the process.
            let is_error = self.titles.iter().any(|title| is(&without_errors(title)));
            if !is_error && !self.titles.iter().any(is) && !names.contains(&name) {
                names.push(name);
            }
        }
        let is_needed = names.iter().any(|name| !model.elsewhere.contains(name));
        let absent = names.iter().map(|name| self.absent("--expect", name)).collect();
        if is_needed { Err(CliError::NoSuchName(absent)) } else { Ok(absent) }
    }

    /// Which of the names that a time is given for nothing has.
    ///
    /// # Errors
    /// When a name must be here and is not.
    pub(super) fn timed(&self, model: &Model) -> Result<Vec<Absent>, CliError> {
        let named = model.timeout.iter().filter(|budget| budget.name.is_some());
        let has = |budget: &&Budget| {
            let number =
                |at: usize| if self.numbered { (at + 1).to_string() } else { String::new() };
            let mut titles = self.titles.iter().enumerate();
            titles.any(|(at, title)| budget.is_for(&[title, &number(at)]))
        };
        let missing: Vec<&String> =
            named.filter(|budget| !has(budget)).filter_map(|it| it.name.as_ref()).collect();
        let is_needed = missing.iter().any(|name| !model.elsewhere.contains(name));
        let absent = missing.iter().map(|name| self.absent("--timeout", name)).collect();
        if is_needed { Err(CliError::NoSuchName(absent)) } else { Ok(absent) }
    }

    fn absent(&self, option: &'static str, name: &str) -> Absent {
        let Known { what, titles, numbered } = self;
        let message = match option {
            "--expect" => format!("something is expected of `{name}`, but there is no such {what}"),
            "--timeout" => format!("a time is given for `{name}`, but there is no such {what}"),
            _ => format!("the file has no {what} `{name}`"),
        };
        let number = |title: &str| {
            let at = titles.iter().position(|known| known == title);
            at.filter(|_| *numbered).map_or(String::new(), |at| format!("{}: ", at + 1))
        };
        let quoted = |title: &str| format!("{}`{title}`", number(title));
        let folded = squeezed(name).to_lowercase();
        let similar = near(name, titles.iter().map(String::as_str)).or_else(|| {
            let mut titles = titles.iter().map(String::as_str);
            titles.find(|title| {
                let title = squeezed(title).to_lowercase();
                folded.len() >= SHORTEST && (title.contains(&folded) || folded.contains(&title))
            })
        });
        let listed = |titles: &[String]| {
            let named: Vec<String> = titles.iter().take(LISTED).map(|it| quoted(it)).collect();
            let more = match titles.len().saturating_sub(LISTED) {
                0 => String::new(),
                more => format!(" and {more} more; `fairly check --list` shows all"),
            };
            format!("there are {}{more}", named.join(", "))
        };
        let help = match (similar, titles.as_slice()) {
            (_, []) => None,
            (Some(similar), [_]) => Some(format!("did you mean {}?", quoted(similar))),
            (Some(similar), titles) => {
                Some(format!("did you mean {}? {}", quoted(similar), listed(titles)))
            }
            (None, titles) => Some(listed(titles)),
        };
        Absent { option, name: name.to_owned(), message, help }
    }
}

/// Whether a name stands for several: it has `*` or `?` in it.
pub(super) fn is_glob(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// Whether a text is as a pattern says, in which `*` stands for any text and `?` for any character.
pub(super) fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut seen) = (0, 0);
    // Where the last star was, and how much of the text it stands for at least.
    let mut star: Option<(usize, usize)> = None;
    while seen < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(&letter) if letter == '?' || letter == text[seen] => {
                at += 1;
                seen += 1;
            }
            _ => {
                let Some((before, taken)) = star else { return false };
                star = Some((before, taken + 1));
                (at, seen) = (before + 1, taken + 1);
            }
        }
    }
    pattern[at..].iter().all(|&letter| letter == '*')
}

/// Whether a typed name means a property with this name: it is the name, or a pattern of it.
pub(super) fn means(wanted: &str, name: &str) -> bool {
    wanted == name || (is_glob(wanted) && glob(&squeezed(wanted), &squeezed(name)))
}

/// The question of a model that a name means.
///
/// # Errors
/// When it has none.
pub(super) fn question(loaded: &Loaded, name: &str) -> Result<usize, CliError> {
    let all = &loaded.questions;
    let found = all.iter().position(|question| question.title == name);
    let chosen = || all.iter().position(|question| questions::means(loaded.naming, name, question));
    let Naming { word, numbered } = loaded.naming;
    let titles = all.iter().map(|question| question.title.clone()).collect();
    let known = Known { what: word, titles, numbered };
    found.or_else(chosen).ok_or_else(|| CliError::NoSuchName(vec![known.absent("-p", name)]))
}

/// Title of the answer that says whether errors of the model are in the way of another answer.
pub(super) fn without_errors(title: &str) -> String {
    let process = title.split_whitespace().next().unwrap_or_default();
    // A trace names the formula itself, and another command may give it as the only one.
    let number = process.strip_prefix("given_").map(str::parse::<usize>);
    let process = if let Some(Ok(_)) = number { "given" } else { process };
    format!("{process} runs without errors")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested_or_all_are_listed() {
        let titles = ["served", "exclusive"].map(str::to_owned).to_vec();
        let known = Known { what: "property", titles, numbered: false };
        let help = |name: &str| known.absent("-p", name).help.expect("some help");
        let both = "did you mean `served`? there are `served`, `exclusive`";
        assert_eq!(help("servd"), both);
        assert_eq!(help("SERVED"), both);
        assert_eq!(help("serv"), both);
        assert_eq!(help("q"), "there are `served`, `exclusive`");
        assert_eq!(help(""), "there are `served`, `exclusive`");
    }

    #[test]
    fn patterns_stand_for_several_names() {
        for (pattern, text) in [
            ("*", ""),
            ("*", "abc"),
            ("a*c", "abbc"),
            ("a?c", "abc"),
            ("*b*b*", "abcb"),
            ("a**", "a"),
        ] {
            assert!(glob(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in
            [("a*c", "abcd"), ("?", ""), ("a?c", "ac"), ("*b*b*", "abc"), ("", "a")]
        {
            assert!(!glob(pattern, text), "{pattern} {text}");
        }
        // Not exponential in the number of stars.
        assert!(!glob(&"*a".repeat(30), &"a".repeat(29)));
        assert!(means("serv*", "served") && means("a*b", "a*b") && !means("serve", "served"));
    }

    /// The definition, by trying everything.
    fn naive(pattern: &[char], text: &[char]) -> bool {
        match pattern.split_first() {
            None => text.is_empty(),
            Some(('*', rest)) => (0..=text.len()).any(|at| naive(rest, &text[at..])),
            Some((letter, rest)) => text.split_first().is_some_and(|(first, text)| {
                (*letter == '?' || letter == first) && naive(rest, text)
            }),
        }
    }

    /// All words of at most so many letters.
    fn words(letters: &str, most: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut last = all.clone();
        for _ in 0..most {
            let longer =
                last.iter().flat_map(|word| letters.chars().map(move |it| format!("{word}{it}")));
            last = longer.collect();
            all.extend(last.iter().cloned());
        }
        all
    }

    #[test]
    fn short_patterns_are_as_the_definition_says() {
        for pattern in words("ab*?", 4) {
            for text in words("ab", 4) {
                let chars = |text: &str| text.chars().collect::<Vec<char>>();
                let expected = naive(&chars(&pattern), &chars(&text));
                assert_eq!(glob(&pattern, &text), expected, "{pattern} {text}");
            }
        }
    }

    #[test]
    fn assertions_are_suggested_with_their_numbers() {
        let titles = ["P() deadlockfree", "P() |= [] a"].map(str::to_owned).to_vec();
        let known = Known { what: "assertion", titles, numbered: true };
        let help = known.absent("-p", "P()|=[]a;").help;
        let all = "there are 1: `P() deadlockfree`, 2: `P() |= [] a`";
        assert_eq!(help, Some(format!("did you mean 2: `P() |= [] a`? {all}")));
    }
}
