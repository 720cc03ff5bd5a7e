//! How long questions may take: `--timeout 60`, `--timeout 2m`, `--timeout served=10s`.

use std::time::{Duration, Instant};

use super::arguments::squeezed;
use super::names::{glob, is_glob};
use crate::failure::CliError;

/// The time of all questions, or of those with a name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Budget {
    /// The name of a property, with `*` and `?` for any text and any letter; all without one.
    pub(super) name: Option<String>,
    pub(super) seconds: f64,
}

impl Budget {
    /// Whether it is the time of a question that has these names.
    pub(super) fn is_for(&self, names: &[&str]) -> bool {
        let Some(own) = &self.name else { return true };
        let own = squeezed(own);
        names.iter().map(|name| squeezed(name)).any(|name| match is_glob(&own) {
            true => name == own || glob(&own, &name),
            false => name == own,
        })
    }

    /// When the time is over, if it begins now.
    pub(super) fn deadline(&self) -> Result<Instant, CliError> {
        let Budget { seconds, .. } = self;
        let time = Duration::try_from_secs_f64(*seconds)
            .map_err(|_| CliError::usage(format!("--timeout {seconds} is no time")))?;
        Ok(Instant::now() + time.min(Duration::from_secs(1 << 32)))
    }
}

/// Reads `[NAME=]TIME`. A name may have `=` in it, so the last one counts.
pub(super) fn budget(text: &str) -> Result<Budget, String> {
    let (name, time) = match text.rsplit_once('=') {
        Some((name, _)) if name.trim().is_empty() => return Err("the name is empty".to_owned()),
        Some((name, time)) => (Some(name.trim().to_owned()), time),
        None => (None, text),
    };
    Ok(Budget { name, seconds: seconds(time.trim())? })
}

/// A number of seconds, or of `ms`, `s`, `m` or `h`.
fn seconds(text: &str) -> Result<f64, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        other => return Err(format!("`{other}` is no unit of time; write ms, s, m or h")),
    };
    let number: f64 = digits.parse().map_err(|_| format!("`{text}` is no time"))?;
    Ok(number * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_and_names() {
        let plain = |seconds| Ok(Budget { name: None, seconds });
        assert_eq!(budget("60"), plain(60.0));
        assert_eq!(budget("0.5"), plain(0.5));
        assert_eq!(budget("2m"), plain(120.0));
        assert_eq!(budget("250ms"), plain(0.25));
        let named = Budget { name: Some("served".to_owned()), seconds: 10.0 };
        assert_eq!(budget("served=10s"), Ok(named));
        let assertion = budget("P() |= [] x == 1=3").expect("the last sign counts");
        assert_eq!((assertion.name.as_deref(), assertion.seconds), (Some("P() |= [] x == 1"), 3.0));
        for wrong in ["", "x", "10 parsecs", "=3", "served=", "3 4"] {
            assert!(budget(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_budget_is_for_the_questions_that_it_names() {
        let of = |text: &str| budget(text).expect("a budget");
        assert!(of("3").is_for(&["anything"]));
        assert!(of("served=3").is_for(&["served"]));
        assert!(!of("served=3").is_for(&["served2"]));
        assert!(of("serv*=3").is_for(&["served2"]));
        assert!(of("2=3").is_for(&["P() deadlockfree", "2"]));
        assert!(of("P()deadlockfree=3").is_for(&["P() deadlockfree", "2"]));
    }
}
