//! "Did you mean": the nearest of the names there are, for the parsers of all languages.

/// With more names than this there are no suggestions: to compare them all, for each error, would
/// take longer than everything else.
pub(crate) const MOST_CANDIDATES: usize = 5000;

/// Names longer than this get no suggestions: the time to compare grows with the length.
const LONGEST: usize = 40;

/// The candidate that needs the fewest changes to become `name`: letters more, less or other, and
/// neighbours swapped. At most one change in short names and two in longer ones; case is free. Of
/// two that are as near, the first in the alphabet, so that the answer does not depend on a hash.
pub fn near<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let lower = |text: &str| -> Vec<char> { text.to_lowercase().chars().collect() };
    let wanted = lower(name);
    let allowed = match wanted.len() {
        0 | 1 => 0,
        2..=5 => 1,
        6..=LONGEST => 2,
        _ => return None,
    };
    candidates
        .into_iter()
        .take(MOST_CANDIDATES)
        .filter(|candidate| {
            *candidate != name && candidate.len().abs_diff(name.len()) <= 2 * allowed
        })
        .map(|candidate| (distance(&wanted, &lower(candidate), allowed), candidate))
        .filter(|&(changes, candidate)| changes <= allowed && candidate.len() > changes)
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many changes there are between the two, or some number above `most`. Only places that are
/// at most so far apart are compared, because there may be as many candidates as names in a text.
fn distance(a: &[char], b: &[char], most: usize) -> usize {
    let far = most + 1;
    let mut before: Vec<usize> = vec![far; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![far; b.len() + 1];
        row[0] = i;
        for j in i.saturating_sub(most).max(1)..=(i + most).min(b.len()) {
            let other = usize::from(a[i - 1] != b[j - 1]);
            let mut least = (last[j - 1] + other).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row[j] = least;
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn one_slip_in_a_short_name_is_forgiven_and_two_are_not() {
        for slip in ["hols", "holdss", "hodls", "HOLDS", "molds", "olds"] {
            assert_eq!(near(slip, ["violated", "holds"]), Some("holds"), "{slip}");
        }
        assert_eq!(near("hlod", ["holds"]), None);
        assert_eq!(near("a", ["b"]), None);
    }

    #[test]
    fn the_nearest_name_is_suggested() {
        assert_eq!(near("Phill", ["Fork", "Phil"]), Some("Phil"));
        assert_eq!(
            near("Specfication", ["Specification", "Implementation"]),
            Some("Specification")
        );
        assert_eq!(near("ab", ["ba", "xy"]), Some("ba"));
        assert_eq!(near("X", ["x"]), Some("x"));
        assert_eq!(near("x", ["y"]), None);
        assert_eq!(near("x1", ["x"]), None);
        assert_eq!(near("abc", ["abc"]), None);
        assert_eq!(near("eat1", ["eat2", "eat0"]), Some("eat0"));
        assert_eq!(near(&"a".repeat(100), ["b"]), None);
    }
}
