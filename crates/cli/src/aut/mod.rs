//! `fairly aut`: operations on automata, composable in a pipe.

mod answers;
mod arguments;
mod lasso;
mod letters;
mod operations;
mod project;
mod reading;
mod stats;
mod step;

use std::process::ExitCode;

use fairly_source::Style;

use crate::failure::{self, CliError};

pub(crate) use arguments::Arguments;
use arguments::Operation;
use reading::{Named, Reader};

/// An automaton cannot be read as one on finite words.
fn not_on_states(source: &str) -> CliError {
    CliError::Usage {
        message: format!("{source}: its marks are on edges, so no state is final"),
        help: Some("fairly aut convert --state-based puts them on states".to_owned()),
    }
}

/// Runs one operation. Automata of a stream that are wrong are left out where each is taken by
/// itself; the exit code says so in the end.
pub(crate) fn run(arguments: &Arguments, style: Style) -> Result<ExitCode, CliError> {
    let reading = Reader::new(style);
    let code = match (&arguments.operation, arguments.operation.through()) {
        (Operation::Stats(request), _) => stats::run(request, &reading),
        (Operation::Empty(request), _) => answers::empty(request, &reading),
        (Operation::Step(request), _) => step::run(request, &reading),
        (Operation::Includes(request), _) => answers::includes(request, &reading),
        (Operation::Equivalent(request), _) => answers::equivalent(request, &reading),
        (Operation::Accepts(request), _) => answers::accepts(request, &reading),
        (Operation::Project(request), _) => project::run(request, &reading),
        (made, Some(through)) => {
            operations::run(made, through, &reading).map(|()| ExitCode::SUCCESS)
        }
        (_, None) => unreachable!("everything else makes automata"),
    }?;
    Ok(if reading.left_out() { ExitCode::from(failure::USAGE) } else { code })
}
