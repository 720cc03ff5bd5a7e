//! The subcommands that make automata.

use fairly_omega::formats::hoa::Shape;
use fairly_omega::formats::{aut, dot, hoa, never};
use fairly_omega::ops::{self, AlphabetisedConfig, ProductConfig, Waiting};
use fairly_omega::{Automaton, Limits};

use super::arguments::{Convert, Operation, Output, Target, WaitingMarks};
use super::reading::NamedShape;
use super::{Named, Reading};
use crate::failure::Failure;
use crate::output::Destination;

/// Runs an operation whose result is one automaton or several.
pub(super) fn run(operation: &Operation, reading: &Reading) -> Result<(), Failure> {
    // Before anything is made that could not be written.
    if let Some(output) = output_of(operation) {
        Destination::open(output.output.as_deref())?;
    }
    match operation {
        Operation::Product(request) => {
            let automata = reading.several(&request.input.files)?;
            let limits = request.output.limits();
            let result = if request.alphabetised {
                let waiting = match request.waiting {
                    WaitingMarks::State => Waiting::RepeatsStateMarks,
                    WaitingMarks::Nothing => Waiting::Silent,
                };
                let components: Vec<&Automaton> = automata.iter().collect();
                ops::alphabetised_product(&components, &AlphabetisedConfig { waiting, limits })?
            } else {
                let combine = if request.or { ops::Combine::Or } else { ops::Combine::And };
                let config = ProductConfig { combine, limits };
                fold(automata, |left, right| ops::product(left, right, &config))?
            };
            write(&[result], &request.output)
        }
        Operation::Intersect(request) => {
            let limits = request.output.limits();
            let automata = reading.several(&request.input.files)?;
            let result = fold(automata, |left, right| ops::intersection(left, right, limits))?;
            write(&[result], &request.output)
        }
        Operation::Union(request) => {
            let limits = request.output.limits();
            let automata = reading.several(&request.input.files)?;
            let result = fold(automata, |left, right| ops::union(left, right, limits))?;
            write(&[result], &request.output)
        }
        Operation::Degeneralize(request) => {
            each(reading, &request.input.files, &request.output, |automaton, limits| {
                let buchi = ops::to_buchi(automaton, limits)?;
                if request.state_based { ops::to_state_based(&buchi, limits) } else { Ok(buchi) }
            })
        }
        Operation::Complement(request) => {
            each(reading, &request.input.files, &request.output, |automaton, limits| {
                if request.buchi {
                    ops::complement_to_buchi(automaton, limits)
                } else {
                    ops::complement(automaton, limits)
                }
            })
        }
        Operation::Determinize(request) => {
            each(reading, &request.input.files, &request.output, ops::determinize)
        }
        Operation::Reduce(request) => {
            each(reading, &request.input.files, &request.output, |automaton, _| {
                ops::reduce(automaton)
            })
        }
        Operation::Trim(request) => {
            each(reading, &request.input.files, &request.output, |automaton, _| {
                Ok::<_, Failure>(ops::trim(automaton))
            })
        }
        Operation::Convert(request) => convert(request, reading),
        Operation::Stats(_)
        | Operation::Empty(_)
        | Operation::Includes(_)
        | Operation::Equivalent(_)
        | Operation::Accepts(_) => unreachable!("answered elsewhere"),
    }
}

/// Where the result of an operation goes.
fn output_of(operation: &Operation) -> Option<&Output> {
    match operation {
        Operation::Product(request) => Some(&request.output),
        Operation::Intersect(request) => Some(&request.output),
        Operation::Union(request) => Some(&request.output),
        Operation::Degeneralize(request) => Some(&request.output),
        Operation::Complement(request) => Some(&request.output),
        Operation::Determinize(request) => Some(&request.output),
        Operation::Reduce(request) => Some(&request.output),
        Operation::Trim(request) => Some(&request.output),
        Operation::Convert(request) => Some(&request.output),
        Operation::Stats(_)
        | Operation::Empty(_)
        | Operation::Includes(_)
        | Operation::Equivalent(_)
        | Operation::Accepts(_) => None,
    }
}

/// Combines the automata from left to right.
fn fold<E: Into<Failure>>(
    automata: Vec<Automaton>,
    combine: impl Fn(&Automaton, &Automaton) -> Result<Automaton, E>,
) -> Result<Automaton, Failure> {
    let mut automata = automata.into_iter();
    let first = automata.next().expect("at least two were read");
    automata.try_fold(first, |left, right| combine(&left, &right)).map_err(Into::into)
}

/// Applies an operation to every automaton of the input.
fn each<E: Into<Failure>>(
    reading: &Reading,
    files: &[String],
    output: &Output,
    operation: impl Fn(&Automaton, Limits) -> Result<Automaton, E>,
) -> Result<(), Failure> {
    let mut results = Vec::new();
    for Named { automaton, .. } in reading.each(files)? {
        results.push(operation(&automaton, output.limits()).map_err(Into::into)?);
    }
    write(&results, output)
}

/// Writes automata in another format or form. HOA has alternating automata, so they stay so there.
fn convert(request: &Convert, reading: &Reading) -> Result<(), Failure> {
    if request.state_based {
        return each(reading, &request.input.files, &request.output, ops::to_state_based);
    }
    if request.output.to != Target::Hoa {
        return each(reading, &request.input.files, &request.output, |automaton, _| {
            Ok::<_, Failure>(automaton.clone())
        });
    }
    let mut text = String::new();
    for NamedShape { shape, .. } in reading.each_shape(&request.input.files)? {
        match shape {
            Shape::Plain(automaton) => text.push_str(&hoa::print(&automaton)),
            Shape::Alternating(automaton) => text.push_str(&hoa::print_alternating(&automaton)),
        }
    }
    Destination::open(request.output.output.as_deref())?.write(&text)
}

/// Writes all results, or none if one of them cannot be expressed in the format.
fn write(automata: &[Automaton], output: &Output) -> Result<(), Failure> {
    let mut text = String::new();
    for automaton in automata {
        match output.to {
            Target::Hoa => text.push_str(&hoa::print(automaton)),
            Target::Dot => text.push_str(&dot::print(automaton)),
            Target::Never => {
                text.push_str(&never::print(automaton).map_err(|e| inexpressible(&e))?);
            }
            Target::Aut => text.push_str(&aut::print(automaton).map_err(|e| inexpressible(&e))?),
        }
    }
    Destination::open(output.output.as_deref())?.write(&text)
}

fn inexpressible(error: &impl std::fmt::Display) -> Failure {
    Failure::usage(error.to_string())
}
