//! Whether a license is allowed.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;

use crate::ReleaseError;
use crate::parts::Part;

#[derive(Deserialize)]
struct Policy {
    licenses: Licenses,
}

#[derive(Deserialize)]
struct Licenses {
    allow: BTreeSet<String>,
}

/// Reads the licenses that `deny.toml` allows.
///
/// # Errors
/// If the file cannot be read.
pub fn allowed(policy: &Path) -> Result<BTreeSet<String>, ReleaseError> {
    let unread = |reason: String| ReleaseError::File { path: policy.to_owned(), reason };
    let text = std::fs::read_to_string(policy).map_err(|error| unread(error.to_string()))?;
    let policy: Policy = toml::from_str(&text).map_err(|error| unread(error.to_string()))?;
    Ok(policy.licenses.allow)
}

/// Whether an expression in SPDX's words leaves a choice that is allowed. `OR` binds less than `AND`; `/` is an old way to
/// write `OR`.
///
/// ```
/// let allowed = ["MIT", "Apache-2.0"].map(str::to_owned).into();
/// use fairly_release::licenses::is_allowed;
/// assert!(is_allowed("MIT OR GPL-3.0", &allowed));
/// assert!(!is_allowed("MIT AND GPL-3.0", &allowed));
/// assert!(is_allowed("(MIT OR GPL-3.0) AND Apache-2.0", &allowed));
/// ```
pub fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let is_allowed = any(&words, &mut at, allowed);
    is_allowed && at == words.len()
}

fn any(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let mut is_allowed = all(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        is_allowed |= all(words, at, allowed);
    }
    is_allowed
}

fn all(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let mut is_allowed = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        is_allowed &= one(words, at, allowed);
    }
    is_allowed
}

fn one(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let Some(&word) = words.get(*at) else { return false };
    *at += 1;
    if word == "(" {
        let is_allowed = any(words, at, allowed);
        let is_closed = words.get(*at) == Some(&")");
        *at += usize::from(is_closed);
        return is_allowed && is_closed;
    }
    // `Apache-2.0 WITH LLVM-exception` is a license with a name of three words.
    if words.get(*at) == Some(&"WITH") {
        let exception = words.get(*at + 1).copied().unwrap_or_default();
        *at += 2;
        return allowed.contains(&format!("{word} WITH {exception}"));
    }
    allowed.contains(word)
}

/// The parts whose license is not allowed, with what they say.
pub fn refused<'a>(parts: &'a [Part], allowed: &BTreeSet<String>) -> Vec<(&'a Part, &'a str)> {
    let said = |part: &'a Part| (part, part.license.as_deref().unwrap_or("none"));
    parts.iter().map(said).filter(|(_, license)| !is_allowed(license, allowed)).collect()
}
