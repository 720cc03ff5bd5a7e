//! `fairly completions` and `fairly man`: made from the definition of the arguments.

use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;

use crate::failure::CliError;
use crate::files::Output;
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
) -> Result<ExitCode, CliError> {
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

pub(crate) fn man(request: &Man, command: Command) -> Result<ExitCode, CliError> {
    let Some(folder) = &request.to else {
        let mut text = Vec::new();
        clap_mangen::Man::new(command).render(&mut text)?;
        output::write(&String::from_utf8_lossy(&text), None)?;
        return Ok(ExitCode::SUCCESS);
    };
    let mut command = command;
    command.build();
    // A page for a command, and for each of its commands: there are two levels, and `help` needs none.
    let mut open = vec![("fairly".to_owned(), command)];
    while let Some((name, command)) = open.pop() {
        for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
            open.push((format!("{name}-{}", inner.get_name()), inner.clone()));
        }
        let mut text = Vec::new();
        clap_mangen::Man::new(command).render(&mut text)?;
        let file = Path::new(folder).join(format!("{name}.1"));
        Output::open(&file.to_string_lossy())?.write(&String::from_utf8_lossy(&text))?;
    }
    Ok(ExitCode::SUCCESS)
}
