//! "Did you mean": the known name nearest to one that was mistyped, for the parsers of all languages.

use strsim::osa_distance;

/// With more names than this there are no suggestions: to compare them all, for each error, would
/// take longer than everything else.
pub const MOST_CANDIDATES: usize = 5000;

/// Names longer than this get no suggestions: the time to compare grows with the length.
const LONGEST: usize = 40;

/// The candidate that needs the fewest changes to become `name`: letters more, less or other, and
/// neighbours swapped. At most one change in short names and two in longer ones; case is free. Of
/// two that are as near, the first in the alphabet, so that the answer does not depend on a hash.
pub fn near<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let wanted = name.to_lowercase();
    let allowed = match wanted.chars().count() {
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
        .map(|candidate| (osa_distance(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|&(changes, candidate)| changes <= allowed && candidate.len() > changes)
        .min()
        .map(|(_, candidate)| candidate)
}

/// A line of help with the candidate that is nearest to `name`, if one is near.
pub fn did_you_mean<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<String> {
    near(name, candidates).map(|near| format!("did you mean `{near}`?"))
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
