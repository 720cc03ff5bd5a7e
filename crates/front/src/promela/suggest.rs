//! "Did you mean", as a line of help.

use crate::suggest::near;

/// A line of help with the candidate that is nearest to `name`, if one is near.
pub(super) fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    near(name, candidates).map(|found| format!("did you mean `{found}`?"))
}
