//! "Did you mean": the nearest of the names there are.

/// The candidate that is one slip away from `name`: a letter more, less or other, two letters
/// swapped, or another case.
pub(super) fn near<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let lower = |text: &str| -> Vec<char> { text.to_lowercase().chars().collect() };
    let name = lower(name);
    // Names of one letter are all one slip away from each other.
    let slip = |candidate: &&str| {
        let candidate = lower(candidate);
        candidate == name || (name.len() > 1 && candidate.len() > 1 && one_slip(&name, &candidate))
    };
    candidates.into_iter().find(slip)
}

fn one_slip(a: &[char], b: &[char]) -> bool {
    let same_start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[same_start..], &b[same_start..]);
    match (a, b) {
        ([x, y, rest @ ..], [v, w, other @ ..]) if (x, y) == (w, v) && rest == other => true,
        ([_, a @ ..], [_, b @ ..]) if a == b => true,
        ([_, rest @ ..], _) if rest == b => true,
        (_, [_, rest @ ..]) if rest == a => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn one_slip_is_forgiven_and_two_are_not() {
        for slip in ["hols", "holdss", "hodls", "HOLDS", "molds", "olds"] {
            assert_eq!(near(slip, ["violated", "holds"]), Some("holds"), "{slip}");
        }
        assert_eq!(near("hlod", ["holds"]), None);
        assert_eq!(near("a", ["b"]), None);
    }
}
