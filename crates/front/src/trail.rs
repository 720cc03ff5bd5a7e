//! Trails, the runs that SPIN's verifiers write: a line a step, `depth:process:statement`.
//!
//! The statement is a number that SPIN gives it while it reads the model
//! ([`Loaded::statements`](crate::loaded::Loaded::statements)). Lines with a negative depth say something of the
//! whole trail:
//!
//! | line | means |
//! |---|---|
//! | `-4:-4:-4` | statements have been merged: one line may stand for several steps of a process |
//! | `-2:n:-2` | there is a claim, which counts as process 0; all others have one more than their number |
//! | `-1:-1:-1` | a cycle begins |
//! | `-5` to `-8` | the order of processes was permuted, so the numbers mean something else |
//!
//! ```
//! use fairly_front::trail::Trail;
//! let trail = Trail::parse("-2:2:-2\n-4:-4:-4\n1:0:30\n2:1:4\n-1:-1:-1\n3:0:30\n4:2:9\n").unwrap();
//! let of_processes: Vec<_> = trail.lines.iter().map(|line| (line.process, line.statement)).collect();
//! assert_eq!(of_processes, [(0, 4), (1, 9)]);
//! assert_eq!(trail.cycle, Some(1));
//! ```

use std::fmt;

use fairly_source::{Diagnostic, Span};

/// The run of a verifier, without what its claim did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    /// Steps of the processes.
    pub lines: Vec<TrailLine>,
    /// The position of the first line of the cycle, if there is one.
    pub cycle: Option<usize>,
    /// Whether a line may stand for several steps.
    pub merged: bool,
}

/// Kind of a step of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrailLine {
    /// Its number, from 0.
    pub process: u32,
    /// The number of the statement.
    pub statement: u32,
    /// Where this is written.
    pub span: Span,
}

/// Advice where a trail is no use.
const HELP: &str = "a line is `depth:process:statement`, as `pan` writes them into FILE.trail";

impl Trail {
    /// Reads a trail.
    ///
    /// # Errors
    /// - `E1185`: a line that is no step and says nothing of the trail.
    /// - `E1186`: a trail of a search that permuted its processes, which only its `pan` can replay.
    pub fn parse(text: &str) -> Result<Trail, Diagnostic> {
        let mut trail = Trail::default();
        let mut claims = 0;
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let span = Span::new(start, start + line.trim_end().len());
            start += line.len();
            if line.trim().is_empty() {
                continue;
            }
            let wrong = || {
                let message = "this is no line of a trail";
                Diagnostic::error("E1185", message, span).help(HELP)
            };
            let mut numbers = line.trim().split(':').map(str::parse::<i64>);
            let three = (numbers.next(), numbers.next(), numbers.next(), numbers.next());
            let (Some(Ok(depth)), Some(Ok(process)), Some(Ok(statement)), None) = three else {
                return Err(wrong());
            };
            match depth {
                -1 => trail.cycle = Some(trail.lines.len()),
                -2 => claims = 1,
                -4 => trail.merged = true,
                -8..=-5 => {
                    let message = "this trail is of a search with permuted processes";
                    let help = "only the `pan` that wrote it can replay it: `./pan -r`";
                    return Err(Diagnostic::error("E1186", message, span).help(help));
                }
                0.. => {
                    // The claim looks at states and is no part of the system.
                    if process == 0 && claims == 1 {
                        continue;
                    }
                    let process = u32::try_from(process - claims).map_err(|_| wrong())?;
                    let statement = u32::try_from(statement).map_err(|_| wrong())?;
                    trail.lines.push(TrailLine { process, statement, span });
                }
                _ => return Err(wrong()),
            }
        }
        Ok(trail)
    }
}

impl fmt::Display for Trail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.merged {
            writeln!(f, "-4:-4:-4")?;
        }
        for (at, line) in self.lines.iter().enumerate() {
            if self.cycle == Some(at) {
                writeln!(f, "-1:-1:-1")?;
            }
            writeln!(f, "{}:{}:{}", at + 1, line.process, line.statement)?;
        }
        if self.cycle == Some(self.lines.len()) {
            writeln!(f, "-1:-1:-1")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_trail_is_refused() {
        let code = |text: &str| Trail::parse(text).map(|_| ()).map_err(|wrong| wrong.code);
        assert_eq!(code("1:0:3\n"), Ok(()));
        // The text may be wrong from the start.
        assert_eq!(code(""), Ok(()));
        for text in ["1:0", "1:0:3:4", "a:b:c", "-3:0:0", "1:-1:3", "9:1:99999999999"] {
            assert_eq!(code(text), Err("E1185"), "{text}");
        }
        assert_eq!(code("-5:1:2\n1:0:3\n"), Err("E1186"));
    }

    #[test]
    fn a_trail_is_printed_as_it_is_read() {
        for text in ["1:0:3\n2:1:0\n", "-4:-4:-4\n1:0:3\n-1:-1:-1\n2:0:4\n", "1:0:3\n-1:-1:-1\n"] {
            assert_eq!(Trail::parse(text).unwrap().to_string(), text);
        }
    }
}
