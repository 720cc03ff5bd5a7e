//! The command `fairly`: reads arguments and files, calls the libraries, prints.
//!
//! Results go to stdout, diagnostics to stderr. Exit codes: 0 as expected, 1 the answer is no
//! (violated, not empty, not included, not accepted), 2 usage or input error, 3 unknown because a
//! limit was reached, 4 nothing to check, 70 internal error.

mod aut;
mod explain;
mod failure;
mod input;
mod ltl;
mod output;
mod system;

use std::process::ExitCode;

use clap::{ColorChoice, Parser, Subcommand};

/// Checks that concurrent systems keep their promises on every fair run.
#[derive(Parser)]
#[command(name = "fairly", version, max_term_width = 100, arg_required_else_help = true)]
struct Cli {
    /// When to use colours; NO_COLOR in the environment means never.
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    color: ColorChoice,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Work with automata on infinite words: HOA, never claims, Aldebaran.
    Aut(aut::Arguments),
    /// Does every fair run of a system satisfy the property?
    Check(system::Check),
    /// What the code of a diagnostic means.
    Explain(explain::Explain),
    /// The verdict under every notion of fairness, in one table.
    Ladder(system::Ladder),
    /// The least fairness under which a property holds.
    Least(system::Least),
    /// Rewrite, classify and translate a formula of linear temporal logic.
    Ltl(ltl::Arguments),
}

fn main() -> ExitCode {
    // A panic is a bug of ours. It must not look like a verdict, so it has its own exit code.
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("fairly: internal error: {panic}");
        eprintln!("This is a bug in fairly; please report it with the command and the input.");
    }));
    let outcome = std::panic::catch_unwind(|| {
        let cli = Cli::parse();
        let style = output::style(cli.color);
        let result = match cli.command {
            Command::Aut(arguments) => aut::run(&arguments),
            Command::Check(arguments) => system::check(&arguments, style),
            Command::Explain(arguments) => explain::run(&arguments),
            Command::Ladder(arguments) => system::ladder(&arguments),
            Command::Least(arguments) => system::least(&arguments),
            Command::Ltl(arguments) => ltl::run(&arguments),
        };
        result.unwrap_or_else(|failure| failure.report(style))
    });
    outcome.unwrap_or(ExitCode::from(failure::INTERNAL))
}
