//! `fairly aut`: operations on automata, composable in a pipe.

mod answers;
mod arguments;
mod lasso;
mod letters;
mod operations;
mod stats;

use std::process::ExitCode;

use fairly_omega::{Automaton, formats};

use crate::failure::Failure;
use crate::input::{self, Encoding, Input, Patience};

pub(crate) use arguments::Arguments;
use arguments::Operation;

/// An automaton with the name of the input it came from.
struct Named {
    source: String,
    automaton: Automaton,
}

/// Runs one operation.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    match &arguments.operation {
        Operation::Stats(request) => stats::run(request),
        Operation::Empty(request) => answers::empty(request),
        Operation::Includes(request) => answers::includes(request),
        Operation::Equivalent(request) => answers::equivalent(request),
        Operation::Accepts(request) => answers::accepts(request),
        other => operations::run(other).map(|()| ExitCode::SUCCESS),
    }
}

/// Reads every automaton of every input; all of them, or none.
fn read_automata(paths: &[String]) -> Result<Vec<Named>, Failure> {
    let mut automata = Vec::new();
    for Input { name, text } in input::read_all(paths, |_| Encoding::Utf8, Patience::default())? {
        match formats::read_any(&text) {
            Ok(read) => {
                let several = read.len() > 1;
                for (at, automaton) in (1..).zip(read) {
                    let source = if several { format!("{name}#{at}") } else { name.clone() };
                    automata.push(Named { source, automaton });
                }
            }
            Err(diagnostic) => {
                return Err(Failure::Input { name, text, diagnostic: Box::new(diagnostic) });
            }
        }
    }
    if automata.is_empty() {
        return Err(Failure::usage("no automaton in the input"));
    }
    Ok(automata)
}

/// Reads exactly two automata, from one input or two.
fn read_two(paths: &[String]) -> Result<(Named, Named), Failure> {
    let count = |automata: &[Named]| {
        Failure::usage(format!("this takes two automata; the input has {}", automata.len()))
    };
    let automata = read_automata(paths)?;
    <[Named; 2]>::try_from(automata)
        .map(|[first, second]| (first, second))
        .map_err(|automata| count(&automata))
}
