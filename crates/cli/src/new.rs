//! `fairly new`: a model to begin with, which fails and teaches.

use std::path::Path;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::failure::Failure;
use crate::output;

#[derive(Args)]
pub(crate) struct New {
    /// The language.
    #[arg(value_enum)]
    language: Language,
    /// Where to write it; without it, lock.csp or lock.pml.
    file: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Language {
    /// CSP#, the language of PAT.
    Csp,
    /// Promela, the language of SPIN.
    Promela,
}

pub(crate) fn run(request: &New) -> Result<ExitCode, Failure> {
    let (name, text) = match request.language {
        Language::Csp => ("lock.csp", include_str!("new/lock.csp")),
        Language::Promela => ("lock.pml", include_str!("new/lock.pml")),
    };
    let file = request.file.as_deref().unwrap_or(name);
    // Also if it is a link that leads nowhere.
    if Path::new(file).symlink_metadata().is_ok() {
        return Err(Failure::Usage {
            message: format!("{file} exists already, and is left as it is"),
            help: Some("give another name behind the language".to_owned()),
        });
    }
    output::write(text, Some(file))?;
    let said = format!(
        "wrote {file}: two processes and a lock that one of them may never get\n\nnext: fairly {file}\n"
    );
    output::write(&said, None)?;
    Ok(ExitCode::SUCCESS)
}
