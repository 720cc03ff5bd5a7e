//! Settings of random tests by the environment.

/// How many random cases to try: `FAIRLY_RANDOM_CASES` or the default.
///
/// # Panics
/// If the variable is no number.
pub fn cases(default: u64) -> u64 {
    number("FAIRLY_RANDOM_CASES").unwrap_or(default)
}

/// The seed of the first case: `FAIRLY_SEED` or the default.
///
/// # Panics
/// If the variable is no number.
pub fn first_seed(default: u64) -> u64 {
    number("FAIRLY_SEED").unwrap_or(default)
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")))
}
