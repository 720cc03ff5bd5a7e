//! How time and memory grow with the number of states: a power law fitted to what was measured.
//!
//! The exponent is the slope of the line of least squares through the logarithms: 1 is linear. Points that take less than
//! half a millisecond are left out, since they show the cost of beginning.

use std::fmt::Write;

use crate::units::grouped;

/// A run.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// States that were stored.
    pub states: usize,
    /// Processor time.
    pub seconds: f64,
    /// Peak of the allocator.
    pub bytes: usize,
}

/// A family, over its sizes.
#[derive(Clone, Debug)]
pub struct Growing {
    /// In words.
    pub family: String,
    /// What was measured, from the smallest size on.
    pub measured: Vec<Measured>,
}

/// A power law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// The exponent.
    pub exponent: f64,
    /// How much of the variance it explains, up to 1.
    pub explained: f64,
}

/// Runs shorter than this are not fitted.
const SHORT: f64 = 0.5e-3;

/// The power law through some points; none if there are fewer than three, or they have the same abscissa.
pub fn fit(points: &[(f64, f64)]) -> Option<Fit> {
    if points.len() < 3 {
        return None;
    }
    let logarithms: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logarithms.len() as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| logarithms.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(&|point| point.0), mean(&|point| point.1));
    let xx: f64 = logarithms.iter().map(|point| (point.0 - x).powi(2)).sum();
    let xy: f64 = logarithms.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let yy: f64 = logarithms.iter().map(|point| (point.1 - y).powi(2)).sum();
    if xx < 1e-9 {
        return None;
    }
    let explained = if yy < 1e-12 { 1.0 } else { xy * xy / (xx * yy) };
    Some(Fit { exponent: xy / xx, explained })
}

/// The exponents of all families, in Markdown.
pub fn table(families: &[Growing]) -> String {
    let mut out = String::from(
        "| family | sizes fitted | states, least | most | time: exponent | R² | memory: exponent | R² |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for Growing { family, measured } in families {
        let long: Vec<&Measured> = measured.iter().filter(|run| run.seconds >= SHORT).collect();
        let points = |of: &dyn Fn(&Measured) -> f64| -> Vec<(f64, f64)> {
            long.iter().map(|run| (run.states as f64, of(run))).collect()
        };
        let cells = |fit: Option<Fit>| match fit {
            Some(Fit { exponent, explained }) => format!("{exponent:.2} | {explained:.3}"),
            None => "– | –".to_owned(),
        };
        let states =
            |run: Option<&&Measured>| run.map_or("–".to_owned(), |run| grouped(run.states));
        let _ = writeln!(
            out,
            "| {family} | {} | {} | {} | {} | {} |",
            long.len(),
            states(long.first()),
            states(long.last()),
            cells(fit(&points(&|run| run.seconds))),
            cells(fit(&points(&|run| run.bytes.max(1) as f64))),
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_found() {
        let square: Vec<(f64, f64)> =
            (1..9).map(|x| (f64::from(x), 3.0 * f64::from(x * x))).collect();
        let found = fit(&square).unwrap();
        assert!((found.exponent - 2.0).abs() < 1e-9 && found.explained > 0.999, "{found:?}");
        assert_eq!(fit(&square[..2]), None);
        assert_eq!(fit(&[(2.0, 1.0), (2.0, 2.0), (2.0, 3.0)]), None);
    }
}
