//! Formulas that are asked of a file without standing in it, such as those of a command line.
//!
//! They are read as `ltl` blocks at the end of the file, so that they see its macros and variables.

use fairly_source::{Diagnostic, Span};

use crate::loaded::TextError;

/// Name of the formula with this number, from 1.
fn name(number: usize) -> String {
    format!("given_{number}")
}

/// The text with the formulas in blocks at its end.
pub(super) fn appended(text: &str, formulas: &[String]) -> String {
    let mut whole = text.to_owned();
    for (number, formula) in (1..).zip(formulas) {
        whole += &opening(number);
        whole += formula;
        whole += CLOSING;
    }
    whole
}

/// Finds the formula that a diagnostic about the whole text is about: its position, and the diagnostic
/// with its place in the formula. None for what is wrong in the file.
fn located(
    text: &str,
    formulas: &[String],
    diagnostic: &Diagnostic,
) -> Option<(usize, Diagnostic)> {
    let Span { start, end } = diagnostic.span;
    let (mut found, mut block) = (None, text.len());
    for (at, formula) in formulas.iter().enumerate() {
        // A gap that is noticed between two formulas is missing in the first, and before all in the file.
        let first = block + opening(at + 1).len();
        if start < first {
            break;
        }
        found = Some((at, first));
        block = first + formula.len() + CLOSING.len();
    }
    let (at, first) = found?;
    // Included files come behind the last formula.
    if start > block {
        return None;
    }
    let inside = |place: usize| place.saturating_sub(first).min(formulas[at].len());
    let span = Span::new(inside(start), inside(end));
    Some((at, Diagnostic { span, ..diagnostic.clone() }))
}

/// Errors in the whole text as errors in the file or, if there are none, in one of the formulas: what is wrong in the
/// file may be why a formula is.
pub(super) fn sorted(text: &str, formulas: &[String], wrong: TextError) -> TextError {
    let located = |diagnostic: &Diagnostic| located(text, formulas, diagnostic);
    let is_in_file = |diagnostic: &&Diagnostic| located(diagnostic).is_none();
    let in_file: Vec<Diagnostic> = wrong.diagnostics.iter().filter(is_in_file).cloned().collect();
    let first = wrong.diagnostics.first().and_then(located).filter(|_| in_file.is_empty());
    let Some((first, _)) = first else { return TextError { diagnostics: in_file, ..wrong } };
    let same = wrong.diagnostics.iter().filter_map(located).filter(|(at, _)| *at == first);
    TextError::in_formula(&formulas[first], same.map(|(_, diagnostic)| diagnostic).collect())
}

const CLOSING: &str = " }";

fn opening(number: usize) -> String {
    format!("\nltl {} {{ ", name(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_the_whole_text_is_found_in_its_formula() {
        let (text, formulas) = ("byte x;", ["[] x".to_owned(), "<> y == 1".to_owned()]);
        let whole = appended(text, &formulas);
        let find = |word: &str| {
            let at = whole.find(word).expect("it is there");
            let wrong = Diagnostic::error("E0001", "wrong", Span::new(at, at + word.len()));
            located(text, &formulas, &wrong).map(|(at, wrong)| (at, wrong.span))
        };
        assert_eq!(find("byte"), None);
        assert_eq!(find("[] x"), Some((0, Span::new(0, 4))));
        assert_eq!(find("y == 1"), Some((1, Span::new(3, 9))));
        // The brace is ours: the caret goes to the end of what was given.
        let end = Diagnostic::error("E0001", "wrong", Span::at(whole.len()));
        assert_eq!(located(text, &formulas, &end).map(|it| it.1.span), Some(Span::at(9)));
    }
}
