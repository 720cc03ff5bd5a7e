//! "Did you mean": the nearest of the names there are.

/// A line of help with the candidate that is one slip away from `name`: a character more, less or
/// other, or two swapped.
pub(super) fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let slip = |candidate: &&str| {
        name.len() > 1 && candidate.len() > 1 && *candidate != name && one_slip(name, candidate)
    };
    let found = candidates.into_iter().filter(slip).min()?;
    Some(format!("did you mean `{found}`?"))
}

/// Names are ASCII, so bytes are characters.
fn one_slip(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let start = a.iter().zip(b).take_while(|(x, y)| x.eq_ignore_ascii_case(y)).count();
    let (a, b) = (&a[start..], &b[start..]);
    match (a, b) {
        ([], []) => true,
        ([x, y, rest @ ..], [v, w, other @ ..]) if (x, y) == (w, v) && rest == other => true,
        ([_, rest @ ..], [_, other @ ..]) if rest == other => true,
        ([_, rest @ ..], _) if rest == b => true,
        (_, [_, rest @ ..]) if rest == a => true,
        _ => false,
    }
}
