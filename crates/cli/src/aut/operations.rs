//! The subcommands that make automata.

use fairly_omega::formats::hoa::Shape;
use fairly_omega::formats::{aut, dot, hoa, never};
use fairly_omega::ops::{self, AlphabetisedConfig, ProductConfig, Waiting};
use fairly_omega::{Automaton, BudgetError};

use super::arguments::{
    Complement, Convert, Degeneralize, Operation, Output, Product, Target, Transform, WaitingMarks,
};
use super::reading::NamedShape;
use super::{Named, Reader};
use crate::failure::CliError;
use crate::output::Destination;

/// Runs an operation whose result is one automaton or several, and writes it.
pub(super) fn run(
    operation: &Operation,
    through: &Transform,
    reading: &Reader,
) -> Result<(), CliError> {
    // Before anything is made that could not be written.
    Destination::open(through.output.output.as_deref())?;
    let limits = through.output.limits();
    let several = || reading.several(&through.input.files);
    let each = |change: &dyn Fn(&Automaton) -> Result<Automaton, BudgetError>| {
        let all = reading.each(&through.input.files)?.into_iter();
        Ok(all.map(|Named { automaton, .. }| change(&automaton)).collect::<Result<Vec<_>, _>>()?)
    };
    let made: Result<Vec<Automaton>, CliError> = match operation {
        Operation::Product(Product { alphabetised: true, waiting, .. }) => {
            let waiting = match waiting {
                WaitingMarks::State => Waiting::RepeatsStateMarks,
                WaitingMarks::Nothing => Waiting::Silent,
            };
            let automata = several()?;
            let components: Vec<&Automaton> = automata.iter().collect();
            let config = AlphabetisedConfig { waiting, limits };
            Ok(vec![ops::alphabetised_product(&components, &config)?])
        }
        Operation::Product(Product { or, .. }) => {
            let combine = if *or { ops::Combine::Or } else { ops::Combine::And };
            let config = ProductConfig { combine, limits };
            fold(several()?, |left, right| ops::product(left, right, &config))
        }
        Operation::Intersect(_) => {
            fold(several()?, |left, right| ops::intersection(left, right, limits))
        }
        Operation::Union(_) => fold(several()?, |left, right| ops::union(left, right, limits)),
        Operation::Degeneralize(Degeneralize { state_based, .. }) => each(&|automaton| {
            let buchi = ops::to_buchi(automaton, limits)?;
            if *state_based { ops::to_state_based(&buchi, limits) } else { Ok(buchi) }
        }),
        Operation::Complement(Complement { finite: true, .. }) => {
            finite(through, reading, |it| ops::finite_complement(it, limits))
        }
        Operation::Limit(_) => finite(through, reading, |it| ops::limit(it, limits)),
        Operation::AllFinal(_) => each(&|automaton| Ok(ops::all_final(automaton))),
        Operation::Prefixes(_) => each(&|automaton| Ok(ops::prefixes(automaton))),
        Operation::Complement(Complement { buchi: true, .. }) => {
            each(&|automaton| ops::complement_to_buchi(automaton, limits))
        }
        Operation::Complement(_) => each(&|automaton| ops::complement(automaton, limits)),
        Operation::Determinize(_) => each(&|automaton| ops::determinize(automaton, limits)),
        Operation::Reduce(_) => each(&ops::reduce),
        Operation::Trim(_) => each(&|automaton| Ok(ops::trim(automaton))),
        Operation::Convert(Convert { state_based: true, .. }) => {
            each(&|automaton| ops::to_state_based(automaton, limits))
        }
        // HOA has alternating automata, so they stay so there.
        Operation::Convert(_) if through.output.to == Target::Hoa => {
            return copy(through, reading);
        }
        Operation::Convert(_) => each(&|automaton| Ok(automaton.clone())),
        Operation::Stats(_)
        | Operation::Empty(_)
        | Operation::Step(_)
        | Operation::Project(_)
        | Operation::Includes(_)
        | Operation::Equivalent(_)
        | Operation::Accepts(_) => unreachable!("answered elsewhere"),
    };
    write(&made?, &through.output)
}

/// Changes automata that are read as automata on finite words.
fn finite(
    through: &Transform,
    reading: &Reader,
    change: impl Fn(&Automaton) -> Result<Option<Automaton>, BudgetError>,
) -> Result<Vec<Automaton>, CliError> {
    let changed =
        reading.each(&through.input.files)?.into_iter().map(|Named { source, automaton }| {
            change(&automaton)?.ok_or_else(|| super::not_on_states(&source))
        });
    changed.collect()
}

/// Combines the automata from left to right.
fn fold<E: Into<CliError>>(
    automata: Vec<Automaton>,
    combine: impl Fn(&Automaton, &Automaton) -> Result<Automaton, E>,
) -> Result<Vec<Automaton>, CliError> {
    let mut automata = automata.into_iter();
    let first = automata.next().expect("at least two were read");
    let all = automata.try_fold(first, |left, right| combine(&left, &right));
    all.map(|all| vec![all]).map_err(Into::into)
}

/// Writes automata in HOA as they are.
fn copy(through: &Transform, reading: &Reader) -> Result<(), CliError> {
    let mut text = String::new();
    for NamedShape { shape, .. } in reading.each_shape(&through.input.files)? {
        match shape {
            Shape::Plain(automaton) => text.push_str(&hoa::print(&automaton)),
            Shape::Alternating(automaton) => text.push_str(&hoa::print_alternating(&automaton)),
        }
    }
    Destination::open(through.output.output.as_deref())?.write(&text)
}

/// Writes all results, or none if one of them cannot be expressed in the format.
pub(super) fn write(automata: &[Automaton], output: &Output) -> Result<(), CliError> {
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

fn inexpressible(error: &impl std::fmt::Display) -> CliError {
    CliError::usage(error.to_string())
}
