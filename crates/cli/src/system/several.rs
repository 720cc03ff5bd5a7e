//! `fairly check` of several models: each answered as if it were alone, and a table of all at the end.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use fairly_report::Document;
use fairly_source::Style;
use fairly_source::escape::in_line;

use super::arguments::{Check, Format};
use super::check_one;
use super::guard::guarded;
use super::next::{Suggestion, Urgency};
use super::selection::Files;
use super::tally::Counts;
use crate::failure::{self, Absent, CliError};
use crate::files::{self, slug};
use crate::output;

/// Result of one model.
struct Row {
    name: String,
    /// None if it could not be asked.
    counts: Option<Counts>,
    /// Why there are no counts, if there are none.
    why: String,
    code: u8,
}

/// Checks every model, prints the answers as they come, and gives the worst exit code.
pub(super) fn check(
    request: &Check,
    own: &dyn Fn(&[String]) -> Result<Check, CliError>,
    models: &[Files],
    style: Style,
) -> Result<ExitCode, CliError> {
    let traces = trace_files(request.trace.as_deref(), models);
    let (mut rows, mut documents, mut unwritten) = (Vec::new(), Vec::new(), Vec::new());
    let mut names = Names::default();
    let mut next: Option<Suggestion> = None;
    for ((files, trace_to), left) in models.iter().zip(traces).zip((0..models.len()).rev()) {
        request.model.models_left(left);
        let name = files.join(" ");
        let is_human = request.model.format == Format::Human;
        let answered = own(files).and_then(|mut own| {
            own.model.elsewhere = request.names();
            let trace_to = trace_to.as_deref();
            let done = guarded(&name, || check_one(&own, files, trace_to, false))?;
            done.map_err(CliError::Internal)
        });
        match answered {
            Ok(answered) => {
                names.learn(answered.absent);
                // The most urgent suggestion of all models, and the first of those.
                let (new, old) = (answered.next, next.take());
                next = match (old, new) {
                    (Some(old), Some(new)) if new.urgency < old.urgency => Some(new),
                    (old, new) => old.or(new),
                };
                unwritten.extend(answered.unwritten);
                if is_human && !request.quiet {
                    let text = format!("── {}\n\n{}\n", in_line(&name), answered.text);
                    output::write(&text, None).inspect_err(|_| answered.counts.remark())?;
                }
                documents.extend(answered.documents.into_iter().map(|mut document| {
                    if let Document::Verdict(_, place) = &mut document {
                        place.file.clone_from(&name);
                    }
                    document
                }));
                let (counts, code) = (Some(answered.counts), answered.code);
                rows.push(Row { name, counts, why: String::new(), code });
            }
            // A property with that name need not be in every model.
            Err(CliError::NoSuchName(absent)) if names.may_be_elsewhere(request, &absent) => {
                names.learn(absent);
            }
            Err(failure) => {
                let (why, code) = (failure.in_short(), failure.code());
                if is_human && !request.quiet {
                    output::write(&format!("── {}\n\n", in_line(&name)), None)?;
                }
                documents.extend(failure.documents(&name));
                failure.report(style);
                rows.push(Row { name, counts: None, why, code });
            }
        }
    }
    let nowhere = names.nowhere();
    if rows.is_empty() {
        return Err(nowhere.unwrap_or_else(|| CliError::Nothing("nothing to check".to_owned())));
    }
    let text = match request.model.format {
        Format::Human => {
            let next = next.unwrap_or_else(|| after_failures(&rows));
            let next = if request.quiet { String::new() } else { next.line() };
            summary(&rows) + &next
        }
        other => other.documents(&documents),
    };
    request.model.format.print(&text)?;
    unwritten.extend(request.write_reports(&documents));
    let mut codes: Vec<u8> = rows.iter().map(|row| row.code).collect();
    for failure in unwritten.into_iter().chain(nowhere) {
        codes.push(failure.code());
        failure.report(style);
    }
    Ok(ExitCode::from(worst(codes.into_iter())))
}

/// Names that arguments give for several models, each of which must be in one of them.
#[derive(Default)]
pub(super) struct Names {
    /// How many models said which names they do not have.
    asked: usize,
    /// The names that some model does not have, and how many do not.
    absent: Vec<(Absent, usize)>,
}

impl Names {
    /// Whether all these names are meant for any model, not for the one that does not have them.
    pub(super) fn may_be_elsewhere(&self, request: &Check, absent: &[Absent]) -> bool {
        let shared = request.names();
        absent.iter().all(|absent| shared.contains(&absent.name))
    }

    /// A model does not have these.
    pub(super) fn learn(&mut self, absent: Vec<Absent>) {
        self.asked += 1;
        for name in absent {
            let is_same = |(known, _): &&mut (Absent, usize)| {
                known.name == name.name && known.option == name.option
            };
            match self.absent.iter_mut().find(is_same) {
                Some((_, count)) => *count += 1,
                None => self.absent.push((name, 1)),
            }
        }
    }

    /// The names that no model has.
    pub(super) fn nowhere(self) -> Option<CliError> {
        let Names { asked, absent } = self;
        let nowhere = absent.into_iter().filter(|(_, count)| *count == asked);
        let nowhere: Vec<Absent> = nowhere
            .map(|(absent, _)| match asked {
                1 => absent,
                _ => Absent {
                    message: format!("{} {}: no model has it", absent.option, absent.name),
                    ..absent
                },
            })
            .collect();
        (!nowhere.is_empty()).then_some(CliError::NoSuchName(nowhere))
    }
}

/// Where each model's runs are written to: no two to the same file. Models of the same name are told apart
/// by the folders that they are in, and else by a number.
fn trace_files(asked: Option<&str>, models: &[Files]) -> Vec<Option<String>> {
    let Some(asked) = asked else { return vec![None; models.len()] };
    if files::is_stream(asked) {
        return vec![Some(asked.to_owned()); models.len()];
    }
    let stem = |files: &Files| {
        let stem = Path::new(&files[0]).file_stem().unwrap_or_default();
        slug(&stem.to_string_lossy()).to_lowercase()
    };
    let mut names = files::Names::default();
    let trace = |files: &Files| {
        let is_unique = models.iter().filter(|other| stem(other) == stem(files)).count() == 1;
        let path = Path::new(&files[0]);
        let named = if is_unique {
            slug(&path.file_stem().unwrap_or_default().to_string_lossy())
        } else {
            slug(&path.with_extension("").to_string_lossy())
        };
        names.give(&named, |_| true).map(|name| format!("{asked}.{name}"))
    };
    models.iter().map(trace).collect()
}

/// The exit code that outweighs the others: a bug, then wrong input, then a violation, then an unknown,
/// then nothing to check.
pub(super) fn worst(codes: impl Iterator<Item = u8>) -> u8 {
    const ORDER: [u8; 6] =
        [0, failure::NOTHING, failure::UNKNOWN, failure::NO, failure::USAGE, failure::INTERNAL];
    let weight = |code: &u8| ORDER.iter().position(|known| known == code).unwrap_or(ORDER.len());
    codes.max_by_key(weight).unwrap_or(0)
}

/// Suggestion if no model could be asked: see the meaning of the first error.
fn after_failures(rows: &[Row]) -> Suggestion {
    let code = |row: &Row| {
        let code = row.why.split(':').next().unwrap_or_default();
        let is_code = code.len() == 5 && code.starts_with('E');
        (is_code && code[1..].bytes().all(|it| it.is_ascii_digit())).then(|| code.to_owned())
    };
    let word = rows.iter().find_map(code).unwrap_or_else(|| "unknown".to_owned());
    Suggestion { urgency: Urgency::Unknown, command: format!("fairly explain {word}") }
}

/// One row a model.
fn summary(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).clamp(5, 52);
    let mut out = format!("{:width$}  holds  violated  unknown  exit\n", "model");
    for Row { name, counts, why, code } in rows {
        let name = shortened(&in_line(name), width);
        let _ = match counts {
            Some(Counts { holding, violated, unknown }) => writeln!(
                out,
                "{name:width$}  {:>5}  {:>8}  {:>7}  {code:>4}",
                number(*holding),
                number(*violated),
                number(*unknown)
            ),
            None => writeln!(out, "{name:width$}  {:22}  {code:>4}", clipped(why, 22)),
        };
    }
    let with = |wanted: &[u8]| rows.iter().filter(|row| wanted.contains(&row.code)).count();
    let known_bad =
        |row: &&Row| row.code == 0 && row.counts.is_some_and(|counts| counts.violated > 0);
    let known_bad = rows.iter().filter(known_bad).count();
    let kinds = [
        (with(&[0]) - known_bad, "hold"),
        (known_bad, "violated as expected"),
        (with(&[failure::NO]), "violated"),
        (with(&[failure::UNKNOWN]), "unknown"),
        (with(&[failure::NOTHING]), "nothing to check"),
        (with(&[failure::USAGE, failure::INTERNAL]), "not checked"),
    ];
    let some = kinds.iter().filter(|(count, _)| *count > 0);
    let words: Vec<String> = some.map(|(count, word)| format!("{count} {word}")).collect();
    let word = if rows.len() == 1 { "model" } else { "models" };
    let _ = writeln!(out, "\n{} {word}: {}", rows.len(), words.join(", "));
    out
}

/// A count, where none is not worth a digit.
fn number(count: usize) -> String {
    if count == 0 { "·".to_owned() } else { count.to_string() }
}

/// A text that is too wide for its column without its beginning, which paths have in common.
fn shortened(text: &str, width: usize) -> String {
    let count = text.chars().count();
    if count <= width {
        return text.to_owned();
    }
    "…".chars().chain(text.chars().skip(count + 1 - width)).collect()
}

/// A text that is too wide for its column without its end.
fn clipped(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_input_outweighs_a_violation_and_that_an_unknown() {
        assert_eq!(worst([0, 3, 1].into_iter()), 1);
        assert_eq!(worst([1, 2, 3].into_iter()), 2);
        assert_eq!(worst([0, 4].into_iter()), 4);
        assert_eq!(worst([70, 2].into_iter()), 70);
        assert_eq!(worst([].into_iter()), 0);
    }

    #[test]
    fn a_path_that_is_too_long_keeps_its_end() {
        assert_eq!(shortened("examples/promela/peterson.pml", 14), "…/peterson.pml");
        assert_eq!(shortened("short", 14), "short");
    }
}
