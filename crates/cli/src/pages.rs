//! `fairly completions` and `fairly man`: made from the definition of the arguments.

use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;

use crate::failure::Failure;
use crate::output;

#[derive(Args)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn completions(
    request: &Completions,
    command: &mut Command,
) -> Result<ExitCode, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(request.shell, command, "fairly", &mut text);
    output::write(&String::from_utf8_lossy(&text), None)?;
    Ok(ExitCode::SUCCESS)
}

#[derive(Args)]
pub(crate) struct Man {
    /// Write a page for each command to this folder, which must exist.
    #[arg(long, value_name = "FOLDER")]
    to: Option<String>,
}

pub(crate) fn man(request: &Man, command: Command) -> Result<ExitCode, Failure> {
    let Some(folder) = &request.to else {
        let mut text = Vec::new();
        clap_mangen::Man::new(command).render(&mut text)?;
        output::write(&String::from_utf8_lossy(&text), None)?;
        return Ok(ExitCode::SUCCESS);
    };
    let written = clap_mangen::generate_to(command, Path::new(folder));
    written.map_err(|error| Failure::usage(format!("cannot write to {folder}: {error}")))?;
    Ok(ExitCode::SUCCESS)
}
