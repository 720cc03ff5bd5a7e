//! "Did you mean": the nearest of the names there are.

/// The candidate nearest to `name`, if it is near enough to be meant.
pub(super) fn closest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    // Names that long are not typing mistakes of one another, and the table would be large.
    const LONGEST: usize = 64;
    if name.len() > LONGEST {
        return None;
    }
    let length = name.chars().count();
    // Of one letter nothing may differ but the case.
    let most = (length / 3).max(1).min(length.saturating_sub(1));
    candidates
        .into_iter()
        .take(10_000)
        .filter(|candidate| candidate.len() <= LONGEST)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|&(distance, _)| distance <= most)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions and replacements needed to turn `a` into `b`, ignoring case.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &y) in b.iter().enumerate() {
            let best = (diagonal + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], best);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested_and_far_ones_not() {
        assert_eq!(closest("crit1", ["crit2", "wait1"]), Some("crit2"));
        assert_eq!(closest("Req", ["req", "grant"]), Some("req"));
        assert_eq!(closest("a", ["grant", "b"]), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
