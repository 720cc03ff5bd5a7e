//! The command `fairly`: reads arguments and files, calls the libraries, prints.
//!
//! Results go to stdout, diagnostics and progress to stderr. Nothing of a model reaches a terminal that it
//! would obey: `output.rs` sees to stdout, `failure.rs` to stderr. Files are written by `files.rs` and read by
//! `input.rs` only. Exit codes: 0 as expected, 1 the answer is no (violated, not empty, not included, not
//! accepted), 2 usage or input error, 3 unknown because a limit was reached or the user interrupted, 4 nothing
//! to check, 70 internal error.

mod aut;
mod config;
mod edit;
mod explain;
mod failure;
mod files;
mod input;
mod interim;
mod ltl;
mod new;
mod output;
mod pages;
mod progress;
mod stepping;
mod system;
mod watch;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{ColorChoice, CommandFactory, Parser, Subcommand};
use fairly_source::escape;
use fairly_store::meter;

use progress::Progress;

/// Checks that concurrent systems keep their promises on every fair run.
///
/// `fairly FILE` checks everything that a model asks.
#[derive(Parser)]
#[command(name = "fairly", version, max_term_width = 100, arg_required_else_help = true)]
struct Cli {
    /// When to use colours; NO_COLOR in the environment means never.
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
    /// Print reports in ASCII, as for terminals that have nothing better.
    #[arg(long, global = true)]
    ascii: bool,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Work with automata on infinite words: HOA, never claims, Aldebaran.
    Aut(aut::Arguments),
    /// Does every fair run of a system satisfy the property? Also as `fairly FILE`.
    #[command(args_override_self = true)]
    Check(Box<system::Check>),
    /// Answer the same questions with every engine and reduction, side by side.
    #[command(args_override_self = true)]
    Compare(system::Compare),
    /// Print what a shell needs to complete commands and options.
    Completions(pages::Completions),
    /// Explains the code of a diagnostic, or a word such as `strong fairness`.
    Explain(explain::Explain),
    /// Show verdicts, runs and the state space in the browser; change assumptions and ask again.
    Explore(system::Explore),
    /// Draw the state space of a small model.
    Graph(system::Graph),
    /// The verdict under every notion of fairness, in one table.
    #[command(args_override_self = true)]
    Ladder(system::Ladder),
    /// The least fairness under which a property holds.
    #[command(args_override_self = true)]
    Least(system::Least),
    /// Rewrite, classify and translate a formula of linear temporal logic.
    Ltl(ltl::Arguments),
    /// Print the manual page of the command, or write those of all commands to a folder.
    Man(pages::Man),
    /// Write a small model that fails and teaches.
    New(new::New),
    /// Step through a model: by hand, at random, or along a trace.
    Sim(system::Sim),
    /// Show, verify or convert a trace that was saved.
    Trace(system::Trace),
    /// Watch an algorithm on a small model: a search with its colours or components, a translation, a
    /// degeneralization.
    #[command(visible_alias = "step")]
    Watch(system::Watch),
}

/// Stack that parsers need for the deepest nesting that they allow, several times over.
const STACK: usize = 16 << 20;

/// Runs the command on the arguments of the process.
pub fn main() -> ExitCode {
    meter::begin();
    // How large the stack of the main thread is, is for others to say. Where the system has no more threads,
    // it has to do.
    match std::thread::Builder::new().name("work".to_owned()).stack_size(STACK).spawn(work) {
        Ok(work) => work.join().unwrap_or(ExitCode::from(failure::INTERNAL)),
        Err(_) => work(),
    }
}

/// Does what the arguments ask for.
fn work() -> ExitCode {
    // A panic is a bug of ours. It must not look like a verdict, so it has its own exit code.
    std::panic::set_hook(Box::new(|panic| {
        output::remark(&format!("fairly: internal error: {panic}"));
        eprintln!("This is a bug in fairly; please report it with the command and the input.");
    }));
    // A write beyond the limit on the size of files (`ulimit -f`) is an error, not the end.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    let outcome = std::panic::catch_unwind(|| {
        let words = with_command(std::env::args_os().map(without_marks).collect());
        let settings = match Settings::find(words) {
            Ok(settings) => settings,
            Err(failure) => return failure.report(output::style(ColorChoice::Auto)),
        };
        let cli = match Cli::try_parse_from(settings.arguments(None)) {
            Ok(cli) => cli,
            Err(error) => return refuse(&error),
        };
        let style = output::style(cli.color);
        let look = output::look(cli.color, cli.ascii);
        let result = match cli.command {
            Command::Aut(arguments) => aut::run(&arguments, style),
            Command::Check(mut arguments) => {
                if arguments.model.files.is_empty() {
                    arguments.model.files = settings.files();
                }
                if arguments.watch {
                    return system::watch(&arguments)
                        .unwrap_or_else(|failure| failure.report(style));
                }
                let progress = Progress::start(look);
                arguments.equip(progress, look);
                // Each model has its own settings.
                let of_file = |file: &str| match Cli::try_parse_from(settings.arguments(Some(file)))
                {
                    Ok(Cli { command: Command::Check(mut own), .. }) => {
                        own.equip(progress, look);
                        Ok(*own)
                    }
                    Ok(_) => unreachable!("the command is the same"),
                    Err(error) => Err(failure::CliError::usage(format!(
                        "settings for {file}: {}",
                        error.to_string().lines().next().unwrap_or_default()
                    ))),
                };
                system::check(&arguments, &of_file, style)
            }
            Command::Compare(mut arguments) => {
                arguments.model.equip(Progress::start(look), look);
                system::compare(&arguments)
            }
            Command::Completions(arguments) => pages::completions(&arguments, &mut Cli::command()),
            Command::Explain(arguments) => explain::run(&arguments),
            Command::Explore(arguments) => system::explore(&arguments),
            Command::Graph(mut arguments) => {
                arguments.model.equip(Progress::start(look), look);
                system::graph(&arguments)
            }
            Command::Ladder(mut arguments) => {
                arguments.model.equip(Progress::start(look), look);
                system::ladder(&arguments)
            }
            Command::Least(mut arguments) => {
                arguments.model.equip(Progress::start(look), look);
                system::least(&arguments)
            }
            Command::Ltl(arguments) => ltl::run(&arguments),
            Command::Man(arguments) => pages::man(&arguments, Cli::command()),
            Command::New(arguments) => new::run(&arguments),
            Command::Sim(arguments) => system::sim(&arguments, look),
            Command::Trace(arguments) => system::trace(&arguments, look),
            Command::Watch(mut arguments) => {
                arguments.model.equip(Progress::start(look), look);
                system::step(&arguments)
            }
        };
        result.unwrap_or_else(|failure| {
            if let failure::CliError::Internal(bug) = &failure {
                system::whole_command(bug);
            }
            failure.report(style)
        })
    });
    outcome.unwrap_or_else(|_| {
        let message = "a panic outside of any question".to_owned();
        system::whole_command(&failure::Bug { message, run: None });
        ExitCode::from(failure::INTERNAL)
    })
}

/// Reads arguments, the name of the program first, under the text of a `fairly.toml`, as the command does, and
/// runs nothing. Fails with the message that a person would see.
pub fn read_arguments(words: Vec<OsString>, settings: &str) -> Result<(), String> {
    let words = with_command(words.into_iter().map(without_marks).collect());
    let name = "fairly.toml".to_owned();
    let input = input::Input { name: name.clone(), text: settings.to_owned() };
    let config = config::Config::parse(input, Path::new("")).map_err(|failure| match failure {
        failure::CliError::Input { text, diagnostic, .. } => {
            fairly_source::render(&diagnostic, &name, &text, fairly_source::Style::Plain)
        }
        failure::CliError::Usage { message, .. } => message,
        // Neither happens: the text is there already.
        _ => "the settings cannot be read".to_owned(),
    })?;
    let settings = Settings { command: Settings::command(&words), words, config };
    let files = settings.config.files(Path::new(""));
    for file in std::iter::once(None).chain(files.iter().map(|file| Some(file.as_str()))) {
        let parsed = Cli::try_parse_from(settings.arguments(file));
        parsed.map_err(|error| escape::visible(&error.to_string()).into_owned())?;
    }
    Ok(())
}

/// An argument without the characters that mark colours.
fn without_marks(word: OsString) -> OsString {
    match word.into_string() {
        Ok(text) => OsString::from(escape::without_noncharacters(text)),
        Err(word) => word,
    }
}

/// Prints what is wrong with the arguments, or the help that they ask for.
fn refuse(error: &clap::Error) -> ExitCode {
    let text = error.to_string();
    if is_shown(&text) {
        // With colours where they are possible. If there is no reader, the exit code still tells.
        let _ = error.print();
    } else {
        output::remark(text.trim_end());
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(failure::USAGE))
}

/// Whether a terminal shows a text and obeys nothing in it.
fn is_shown(text: &str) -> bool {
    text.chars().all(|sign| escape::is_harmless(sign) || sign == '\n' || sign == '\t')
}

/// The arguments as they were given, and what goes before them.
struct Settings {
    words: Vec<OsString>,
    /// Where the command is among the words, if settings concern it.
    command: Option<(usize, String)>,
    config: config::Config,
}

impl Settings {
    fn find(words: Vec<OsString>) -> Result<Settings, failure::CliError> {
        let command = Settings::command(&words);
        let config = match (&command, std::env::current_dir()) {
            (Some(_), Ok(here)) => config::Config::find(&here)?.unwrap_or_default(),
            _ => config::Config::default(),
        };
        Ok(Settings { words, command, config })
    }

    fn command(words: &[OsString]) -> Option<(usize, String)> {
        let is_command = |(_, word): &(usize, &OsString)| config::concerns(&word.to_string_lossy());
        let command = words.iter().enumerate().skip(1).take(3).find(is_command);
        command.map(|(at, word)| (at, word.to_string_lossy().into_owned()))
    }

    /// All arguments, with those of the settings in front; with those for a file, if one is given.
    fn arguments(&self, file: Option<&str>) -> Vec<OsString> {
        let mut all = self.words.clone();
        let Some((at, command)) = &self.command else { return all };
        let mut more = self.config.arguments(command, file);
        more.extend(config::of_environment(command));
        // A question that is asked by hand is the only one.
        let given = |names: &[&str]| {
            self.words.iter().any(|word| {
                let word = word.to_string_lossy();
                names.iter().any(|name| word == *name || word.starts_with(&format!("{name}=")))
            })
        };
        if given(&["-p", "--property", "-f", "--formula"]) {
            more.retain(|word| !word.starts_with("--property=") && !word.starts_with("--formula="));
        }
        // It is no matter of runs, so what is always assumed of them is left out.
        if given(&["--lossy"]) {
            let about_runs = ["--fairness=", "--constraint=", "--engine="];
            more.retain(|word| !about_runs.iter().any(|option| word.starts_with(option)));
        }
        let more = more.into_iter().map(|word| without_marks(OsString::from(word)));
        all.splice(at + 1..at + 1, more);
        all
    }

    /// The models that the settings list.
    fn files(&self) -> Vec<String> {
        std::env::current_dir().map(|here| self.config.files(&here)).unwrap_or_default()
    }
}

/// The arguments, with `check` put in where the first word is no command but a file; options may come before
/// it.
fn with_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let command = Cli::command();
    let mut at = 1;
    while let Some(word) = arguments.get(at) {
        let word = word.to_string_lossy();
        match word.as_ref() {
            option if option.starts_with('-') && option != "-" => {
                at += if takes_next(&command, option) { 2 } else { 1 }
            }
            word => {
                let known = command
                    .get_subcommands()
                    .any(|it| it.get_name_and_visible_aliases().contains(&word));
                if !known && word != "help" && names_model(word) {
                    arguments.insert(1, OsString::from("check"));
                }
                break;
            }
        }
    }
    arguments
}

/// Whether the word behind an option is its value.
fn takes_next(command: &clap::Command, option: &str) -> bool {
    let check = command.find_subcommand("check").into_iter();
    let mut options = [command].into_iter().chain(check).flat_map(clap::Command::get_arguments);
    let is_it = |argument: &&clap::Arg| {
        let long = argument.get_long().is_some_and(|long| option == format!("--{long}"));
        long || argument.get_short().is_some_and(|short| option == format!("-{short}"))
    };
    options.find(is_it).is_some_and(|it| it.get_action().takes_values())
}

/// Whether a word is the name of a file or folder, even of one that is not there.
fn names_model(word: &str) -> bool {
    let path = Path::new(word);
    let is_model = path.extension().is_some_and(|ending| {
        ["csp", "pml", "promela", "prom", "pr", "net", "aut", "hoa"]
            .iter()
            .any(|known| ending == *known)
    });
    // A command has no dot and no slash in it.
    is_model || word == "-" || path.exists() || word.contains(['.', '/', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(words: &[&str]) -> Vec<String> {
        let words = words.iter().map(OsString::from).collect();
        with_command(words).into_iter().map(|it| it.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_file_alone_is_checked() {
        assert_eq!(completed(&["fairly", "a.pml"]), ["fairly", "check", "a.pml"]);
        assert_eq!(
            completed(&["fairly", "--color", "never", "a.pml", "-p", "x"]),
            ["fairly", "check", "--color", "never", "a.pml", "-p", "x"]
        );
        assert_eq!(
            completed(&["fairly", "--fairness", "strong", "-p", "x", "--interpret", "a.pml"]),
            ["fairly", "check", "--fairness", "strong", "-p", "x", "--interpret", "a.pml"]
        );
        assert_eq!(completed(&["fairly", "check", "a.pml"]), ["fairly", "check", "a.pml"]);
        assert_eq!(completed(&["fairly", "chekc"]), ["fairly", "chekc"]);
        assert_eq!(completed(&["fairly", "no/lock"]), ["fairly", "check", "no/lock"]);
        assert_eq!(completed(&["fairly", "lock.txt"]), ["fairly", "check", "lock.txt"]);
        assert_eq!(completed(&["fairly"]), ["fairly"]);
        assert_eq!(completed(&["fairly", "-"]), ["fairly", "check", "-"]);
    }

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
