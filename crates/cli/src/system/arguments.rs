//! The arguments of the commands on systems.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, ValueEnum};
use fairly_check::workers::Workers;
use fairly_check::{Execution, Options, Reduction};
use fairly_fairness::{AnnotationLevel, Level, Notion, PrefixKind};
use fairly_front::languages::{LANGUAGES, Language};
use fairly_report::{Document, Look, formats, json};
use fairly_search::lossy::{Keep, Room};
use fairly_search::{Bounds, Engine};
use fairly_store::WorkerId;
use fairly_store::meter;

use super::AboutFairness;
use super::budget::{Budget, budget};
use super::next::{Setting, value_of};
use super::runs::RunsKept;
use crate::failure::CliError;
use crate::files::{self, Output};
use crate::input::Patience;
use crate::interim::{Answer, SoFar};
use crate::output;
use crate::progress::Progress;

/// Parts of the model to look at, and limits.
#[derive(Args)]
pub(crate) struct Model {
    /// A `.csp`, `.pml` or `.net` file, or components as `.aut` or HOA files; `-` is standard input.
    /// `check` takes several models, and directories with models in them.
    /// Without one, `check` takes those that fairly.toml lists.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Only the property with this name; of a `.csp` file, assertions by number or by a part of
    /// their text. In a name, `*` and `?` stand for any text and any character. May be given several
    /// times; `fairly check --list` prints the names.
    #[arg(short = 'p', long = "property", value_name = "NAME")]
    pub(super) properties: Vec<String>,
    /// A formula to check instead of those in the file; may be given several times.
    #[arg(short = 'f', long = "formula", value_name = "LTL", conflicts_with = "properties")]
    pub(super) formulas: Vec<String>,
    /// The language of the file, where its name does not tell: of standard input, or of a file with
    /// another ending.
    #[arg(long, value_name = "LANGUAGE", value_parser = languages())]
    pub(super) lang: Option<&'static Language>,
    /// A macro of a Promela model, as if the file began with a `#define`; without a value it is 1.
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    pub(super) defines: Vec<String>,
    /// A macro that is not defined, also if -D or fairly.toml defines it.
    #[arg(short = 'U', long = "undefine", value_name = "NAME")]
    pub(super) undefines: Vec<String>,
    /// A folder that a model may include files from, besides its own.
    #[arg(short = 'I', long = "include-dir", value_name = "DIR")]
    pub(super) include_dirs: Vec<String>,
    /// How many processes of a Promela model can be alive at once, where that cannot be seen from the model;
    /// at most 255, as in SPIN [default: 24].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=255))]
    pub(super) max_processes: Option<u32>,
    /// Events that components take alone although several have them.
    #[arg(long, value_name = "EVENT", value_delimiter = ',')]
    pub(super) interleave: Vec<String>,
    /// Events that a component takes part in besides those on its transitions.
    #[arg(long, value_name = "COMPONENT=EVENT,…")]
    pub(super) alphabet: Vec<String>,
    /// Which engine searches; the best one for the problem if not given.
    #[arg(long, value_name = "ENGINE", value_parser = engines())]
    engine: Option<String>,
    /// How many threads search at once; small questions are answered by one [default: as many as the program may
    /// use].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=63))]
    workers: Option<u8>,
    /// How inherent fairness is decided: as the paper that introduces it does, as its Section 6 does, or as its
    /// outlook proposes.
    #[arg(long, value_enum, value_name = "PROCEDURE", conflicts_with = "engine")]
    procedure: Option<PrefixProcedure>,
    /// Stop after so many states of the product; the answer is then unknown.
    #[arg(long, value_name = "N")]
    max_states: Option<usize>,
    /// Stop each question after so many seconds, or after a time such as 500ms, 2m or 1h; its answer is then
    /// unknown. Reading a model may take that long, too. The rows of a ladder share the time evenly. With
    /// a name, only for the properties of that name, such as `served=10s`. May be given several times; the
    /// last one that concerns a property counts.
    #[arg(long, value_name = "[NAME=]TIME", value_parser = budget)]
    pub(super) timeout: Vec<Budget>,
    /// Stop when so many bytes of memory are used, such as 500M or 8G; the answer is then unknown. The
    /// program itself is among them, so less than 24M is taken as 24M. Without it, there is no limit but
    /// the system's.
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    max_memory: Option<usize>,
    /// Have the steps of `.csp` and `.pml` models made by the reference interpreter alone; otherwise
    /// machine code makes them once there are enough states.
    #[arg(long)]
    interpret: bool,
    /// Follow every step of the system, also where fewer would give the same answer.
    #[arg(long)]
    pub(super) no_reduction: bool,
    /// Which reductions may be used where they are sound.
    #[arg(long, value_enum, value_name = "REDUCTION", conflicts_with = "no_reduction")]
    reduction: Option<ReductionChoice>,
    /// How to print the answer.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(super) format: Format,
    /// Say everything: what answers that hold rest on, runs that show them, every note of a kind.
    #[arg(short = 'v', long)]
    pub(super) verbose: bool,
    /// Say how the search for a run went: components, pruning, copies of nodes, the run before it was shortened.
    /// One worker searches then.
    #[arg(long)]
    pub(super) statistics: bool,
    /// Whether answers are written somewhere as JSON, which has statistics always.
    #[arg(skip)]
    pub(super) is_recorded: bool,
    /// Who shows how far a search is, and lets it be stopped.
    #[arg(skip)]
    pub(super) progress: Option<&'static Progress>,
    /// How reports are drawn.
    #[arg(skip)]
    pub(super) look: Look,
    /// The runs that the command keeps, for all models.
    #[arg(skip)]
    pub(super) kept: Arc<RunsKept>,
    /// Expected answers of properties, by their names; of all of them without a name.
    #[arg(skip)]
    pub(super) expectations: Vec<(Option<String>, Outcome)>,
    /// How much is said.
    #[arg(skip)]
    pub(super) detail: Detail,
    /// Names of properties that another of the models may have instead of this one.
    #[arg(skip)]
    pub(super) elsewhere: Vec<String>,
}

/// Reads the name of a language that can be chosen.
fn languages() -> impl TypedValueParser<Value = &'static Language> {
    let offered = LANGUAGES.iter().filter_map(|language| language.option);
    let values = offered.map(|(name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(values)
        .map(|name| Language::named(&name).expect("one of the possible values"))
}

/// How much is said.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Detail {
    /// A line a property.
    Quiet,
    #[default]
    Usual,
    /// Everything.
    Verbose,
}

/// Expected answer for a property.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Holds,
    Violated,
}

impl Outcome {
    pub(super) fn word(self) -> &'static str {
        match self {
            Outcome::Holds => "holds",
            Outcome::Violated => "violated",
        }
    }
}

/// `violated`, or `NAME=violated`.
fn expectation(text: &str) -> Result<(Option<String>, Outcome), String> {
    let (name, outcome) = match text.rsplit_once('=') {
        Some((name, outcome)) => (Some(name.trim().to_owned()), outcome),
        None => (None, text),
    };
    match outcome.trim() {
        "holds" => Ok((name, Outcome::Holds)),
        "violated" => Ok((name, Outcome::Violated)),
        other => Err(format!("`{other}` is neither holds nor violated")),
    }
}

fn engines() -> PossibleValuesParser {
    let named =
        Engine::offered().map(|engine| PossibleValue::new(engine.name).help(engine.summary));
    PossibleValuesParser::new(named)
}

/// A number of bytes, perhaps with a unit.
fn bytes(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        other => return Err(format!("`{other}` is no unit; write K, M or G")),
    };
    let number: usize = digits.parse().map_err(|_| "it is no number of bytes".to_owned())?;
    number.checked_mul(unit).ok_or_else(|| "so many bytes no machine has".to_owned())
}

/// Part of each state that a lossy search keeps, and in how many bytes if that is said.
#[derive(Clone)]
struct Kept {
    keep: Keep,
    table: Option<usize>,
    /// As it is written.
    text: String,
}

fn kept(text: &str) -> Result<Kept, String> {
    let (what, how) = text.split_once('=').map_or((text, None), |(what, how)| (what, Some(how)));
    let (keep, table) = match (what, how) {
        ("fingerprints", None | Some("64")) => (Keep::Fingerprints64, None),
        ("fingerprints", Some("32")) => (Keep::Fingerprints32, None),
        ("fingerprints", Some(_)) => return Err("a fingerprint has 32 or 64 bits".to_owned()),
        ("bits", None) => (Keep::Bits, None),
        ("bits", Some(size)) => (Keep::Bits, Some(bytes(size)?)),
        _ => return Err("it is neither `fingerprints` nor `bits`".to_owned()),
    };
    Ok(Kept { keep, table, text: text.to_owned() })
}

/// A text without its spaces, which make no difference to what it names.
pub(super) fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Options without a command.
#[derive(Parser)]
struct Words {
    #[command(flatten)]
    model: Model,
}

/// Procedures for inherent fairness, by the names that the paper has for them.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum PrefixProcedure {
    /// Five steps on whole automata, with a complement (Section 4).
    Naive,
    /// Sets of states of the property, two conditions one after the other (Section 6).
    #[value(name = "section-6")]
    SectionSix,
    /// Live states first (Section 9).
    Improved,
}

impl Model {
    /// The engine that is asked for, by its name or by that of a procedure.
    fn chosen_engine(&self) -> Option<&'static Engine> {
        match (&self.engine, self.procedure) {
            (Some(name), _) => Engine::named(name),
            (None, Some(PrefixProcedure::Naive)) => Engine::named("naive"),
            (None, Some(PrefixProcedure::SectionSix)) => Engine::named("section-6"),
            (None, Some(PrefixProcedure::Improved)) => Engine::named("inherent"),
            (None, None) => None,
        }
    }

    /// How steps are made.
    pub(super) fn execution(&self) -> Execution {
        if self.interpret { Execution::Interpreted } else { Execution::default() }
    }

    /// Has searches watched, and reports drawn so.
    pub(crate) fn equip(&mut self, progress: &'static Progress, look: Look) {
        self.progress = Some(progress);
        self.look = Look { verbose: self.verbose, statistics: self.statistics, ..look };
        if let Some(bytes) = self.max_memory {
            meter::limit(bytes);
            progress.within(bytes);
        }
        progress.at_most(self.max_states.unwrap_or(0));
    }

    /// Lets it be known how answers are printed, and to which files, if the work cannot go on.
    pub(super) fn announce(&self, reports: Vec<(Format, String)>) {
        if let Some(progress) = self.progress {
            progress.interim().command(self.format, self.look, reports);
        }
    }

    /// Something is asked about a model; it is not known what as long as the model is read, for which there
    /// is as much time as for an answer.
    pub(super) fn reading(&self, files: &[String]) -> Result<(), CliError> {
        let deadline = self.deadline(&[])?;
        if let Some(progress) = self.progress {
            progress.interim().ask(files.join(" "), Vec::new());
            progress.begin_work("reading the model");
            progress.until(deadline);
        }
        Ok(())
    }

    /// The command is about this, which counts if the work cannot go on.
    pub(super) fn about(&self, setting: Setting) {
        if let Some(progress) = self.progress {
            progress.interim().about(setting);
        }
    }

    /// So many models come after this one.
    pub(super) fn models_left(&self, count: usize) {
        if let Some(progress) = self.progress {
            progress.interim().models_left(count);
        }
    }

    /// These questions are going to be answered.
    pub(super) fn asking(&self, file: &str, titles: Vec<String>) {
        if let Some(progress) = self.progress {
            progress.interim().ask(file.to_owned(), titles);
        }
    }

    /// A question is answered.
    pub(super) fn answered(&self, title: &str, answer: Answer) {
        if let Some(progress) = self.progress {
            progress.interim().answer(title, answer);
        }
    }

    /// So much is known of the question that is being answered.
    pub(super) fn so_far(&self, title: &str, answer: SoFar) {
        if let Some(progress) = self.progress {
            progress.interim().so_far(title, answer);
        }
    }

    /// Expected answer of a property: `holds` or `violated`.
    pub(super) fn expected(&self, title: &str) -> Option<&'static str> {
        let title = squeezed(title);
        // The last word counts: flags come after settings.
        let is_meant = |name: &Option<String>| name.as_ref().is_none_or(|it| squeezed(it) == title);
        let found = self.expectations.iter().rev().find(|(name, _)| is_meant(name));
        found.map(|(_, outcome)| outcome.word())
    }

    /// The same model, with everything that is asked of it.
    pub(super) fn everything(&self) -> Model {
        let words = ["fairly".to_owned(), "--interpret".to_owned()];
        let formulas = self.formulas.iter().map(|formula| format!("--formula={formula}"));
        // Nothing else counts once the files are read, but how they are read if that is done again.
        let parsed = Model::of_words(words.into_iter().chain(formulas).chain(self.of_the_files()));
        parsed.unwrap_or_else(|_| unreachable!("options that exist"))
    }

    /// The arguments that these words are, of which the first is a command.
    pub(super) fn of_words(words: impl IntoIterator<Item = String>) -> Result<Model, clap::Error> {
        Words::try_parse_from(words).map(|words| words.model)
    }

    /// The options that make another model of the same files, as they are written.
    pub(super) fn of_the_files(&self) -> Vec<String> {
        let lang = self.lang.and_then(|language| language.option);
        let lang = lang.iter().map(|(name, _)| format!("--lang={name}"));
        let interleave = self.interleave.iter().map(|event| format!("--interleave={event}"));
        let alphabet = self.alphabet.iter().map(|events| format!("--alphabet={events}"));
        let defines = self.defines.iter().map(|define| format!("--define={define}"));
        let undefines = self.undefines.iter().map(|name| format!("--undefine={name}"));
        let folders = self.include_dirs.iter().map(|folder| format!("--include-dir={folder}"));
        let processes = self.max_processes.map(|most| format!("--max-processes={most}"));
        let promela = defines.chain(undefines).chain(folders).chain(processes);
        lang.chain(interleave).chain(alphabet).chain(promela).collect()
    }

    /// How long reading the model may take.
    pub(super) fn patience(&self) -> Patience {
        let time = self.seconds().and_then(|it| Duration::try_from_secs_f64(it).ok());
        Patience { watch: self.progress.map(Progress::watch), time }
    }

    /// Has a failure said in the format of the answers, beside the words on stderr.
    pub(super) fn say(&self, failure: CliError) -> CliError {
        if self.format != Format::Human {
            let documents = failure.documents(&self.files.join(" "));
            // The failure is what counts.
            let _ = self.format.print(&self.format.documents(&documents));
        }
        failure
    }

    /// A search for this begins.
    pub(super) fn begin(&self, what: &str) {
        if let Some(progress) = self.progress {
            progress.begin(what);
        }
    }

    /// Searches are over; what is printed now does not meet a half-drawn line.
    pub(super) fn quiet(&self) {
        if let Some(progress) = self.progress {
            progress.quiet();
        }
    }

    /// The reductions that may be used.
    fn reduction(&self) -> Reduction {
        match self.reduction {
            None if self.no_reduction => Reduction::Off,
            None | Some(ReductionChoice::Sound) => Reduction::Sound,
            Some(ReductionChoice::Symmetry) => Reduction::Symmetry,
            Some(ReductionChoice::DeadVariables) => Reduction::DeadVariables,
            Some(ReductionChoice::Merging) => Reduction::Merging,
            Some(ReductionChoice::Paper) => Reduction::Paper,
            Some(ReductionChoice::Off) => Reduction::Off,
        }
    }

    /// The same options, for a search whose states are counted: of the whole system.
    pub(super) fn whole(&self) -> Result<Options, CliError> {
        Ok(Options { reduction: Reduction::Off, ..self.options()? })
    }

    /// The time of a question that no name is given for, in seconds.
    pub(super) fn seconds(&self) -> Option<f64> {
        let all = self.timeout.iter().rev().find(|budget| budget.name.is_none());
        all.map(|budget| budget.seconds)
    }

    /// The limits on time (in seconds), states and memory (in bytes).
    pub(super) fn limits(&self) -> (Option<f64>, Option<usize>, Option<usize>) {
        (self.seconds(), self.max_states, self.max_memory)
    }

    /// When the time of a question with these names is over, if it begins now.
    fn deadline(&self, names: &[&str]) -> Result<Option<Instant>, CliError> {
        let own = self.timeout.iter().rev().find(|budget| budget.is_for(names));
        own.map(Budget::deadline).transpose()
    }

    /// The options of work on no question in particular; the clock starts now.
    pub(super) fn options(&self) -> Result<Options, CliError> {
        self.options_for(&[])
    }

    /// How many threads may search at once.
    fn workers(&self) -> NonZeroUsize {
        if self.statistics {
            return NonZeroUsize::MIN;
        }
        let asked = self.workers.and_then(|count| NonZeroUsize::new(count.into()));
        // The limits of the group that the program runs in are taken into account.
        let available = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let most = const { NonZeroUsize::new(WorkerId::MOST).expect("some") };
        asked.unwrap_or_else(available).min(most)
    }

    /// The options of a question that has these names; the clock starts now.
    pub(super) fn options_for(&self, names: &[&str]) -> Result<Options, CliError> {
        let deadline = self.deadline(names)?;
        if let Some(progress) = self.progress {
            progress.until(deadline);
        }
        let watch = self.progress.map(Progress::watch);
        Ok(Options {
            engine: self.chosen_engine(),
            bounds: Bounds { nodes: self.max_states, deadline, bytes: self.max_memory, watch },
            reduction: self.reduction(),
            workers: Workers { count: self.workers(), ..Workers::default() },
            counts: self.statistics || self.is_recorded || self.format == Format::Json,
            ..Options::default()
        })
    }
}

/// Reductions that may be used.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReductionChoice {
    /// All of them.
    Sound,
    /// One state for all that differ by a permutation of processes that are alike.
    Symmetry,
    /// Dead variables are reset: those that are not read again.
    DeadVariables,
    /// Statements that make no difference to other processes are merged.
    Merging,
    /// Ample sets as Sun, Liu, Dong and Wang print them: a reference, which is refused where it would be wrong.
    Paper,
    /// None, as with --no-reduction.
    Off,
}

/// How an answer is printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Human,
    /// JSON with a versioned schema.
    Json,
    /// Annotations of GitHub Actions, at the lines of the properties.
    Github,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit's XML, one test case a property.
    Junit,
    /// A table and the runs, for a comment or a summary.
    Markdown,
    /// A page of its own with the runs to be walked, for artefacts, mails and papers.
    Html,
}

impl Format {
    /// Answers as a text in this format.
    pub(crate) fn documents(self, documents: &[Document]) -> String {
        match self {
            Format::Human | Format::Json => json::text(&json::value(&documents)),
            Format::Github => formats::github(documents),
            Format::Sarif => json::text(&json::value(&formats::sarif(documents))),
            Format::Junit => formats::junit(documents),
            Format::Markdown => formats::markdown(documents),
            Format::Html => fairly_explorer::page::page(documents),
        }
    }

    /// Prints a text in this format.
    pub(super) fn print(self, text: &str) -> Result<(), CliError> {
        match self {
            Format::Github => output::write_commands(text),
            _ => output::write(text, None),
        }
    }
}

#[derive(Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) model: Model,
    /// The fairness to assume. Without it: the model's annotations if it has any, else none.
    #[arg(long, value_enum, value_name = "NOTION")]
    fairness: Option<FairnessName>,
    /// Subject of weak and strong fairness.
    #[arg(long, value_enum, default_value_t = LevelName::Process)]
    level: LevelName,
    /// A further constraint: wf(NAME), sf(NAME), wl(EVENT), sl(EVENT), justice(p), compassion(p, q). A name is
    /// that of a process, an event or an action, as `fairly least` prints it.
    #[arg(long = "constraint", value_name = "CONSTRAINT")]
    pub(super) constraints: Vec<String>,
    /// The object that annotations in the model are attached to.
    #[arg(long, value_enum, default_value_t = AnnotationName::Name)]
    annotations: AnnotationName,
    /// Meaning of a prefix under inherent fairness.
    #[arg(long, value_enum, default_value_t = PrefixName::Trace)]
    reading: PrefixName,
    /// Hide events: ask only about what an observer of the others sees, in a small system that is made of it first. For
    /// inherent fairness. May be given several times; `*` and `?` stand for any text and any character.
    #[arg(long, value_name = "EVENT,…", value_delimiter = ',', conflicts_with_all = [
        "machine_closed", "feasible", "ladder", "spin_compat", "lossy", "list", "explain_plan", "certificate",
        "certify",
    ])]
    pub(super) hide: Vec<String>,
    /// Instead of an answer: print the properties of the file, with their kinds, lines and formulas.
    #[arg(long, conflicts_with_all = ["machine_closed", "feasible", "ladder", "report", "spin_compat", "trace"])]
    pub(super) list: bool,
    /// Instead of an answer: print how each property would be checked: the automaton, the acceptance
    /// condition, the engine, and which reductions apply, or why they do not.
    #[arg(long, conflicts_with_all = ["list", "machine_closed", "feasible", "ladder", "report", "lossy", "trace"])]
    pub(super) explain_plan: bool,
    /// Check again whenever the model, a file that it includes, or fairly.toml changes, until Ctrl-C.
    #[arg(long, conflicts_with = "list")]
    pub(crate) watch: bool,
    /// Print a line a property, and nothing else: no runs, no notes, no progress, no suggestion.
    #[arg(short, long, conflicts_with_all = ["verbose", "ladder"])]
    pub(super) quiet: bool,
    /// Instead of anything else: print which answers a reduction keeps, and why not the others.
    #[arg(long, exclusive = true)]
    pub(super) soundness: bool,
    /// Instead of a property: can every finite run be continued to a fair one?
    #[arg(long)]
    machine_closed: bool,
    /// Instead of a property: does any run meet the fairness assumed?
    #[arg(long, conflicts_with = "machine_closed")]
    feasible: bool,
    /// Also: the verdict under every notion of fairness.
    #[arg(long)]
    pub(super) ladder: bool,
    /// Report to print: answers with their `runs`, or one `table`, for Promela with SPIN's answers beside if
    /// --run-spin allows it. FORMAT=FILE also writes the answers to a file, as with --format: junit=report.xml.
    #[arg(long, value_parser = report, default_value = "runs", value_name = "WHAT")]
    pub(super) report: Vec<Report>,
    /// Also: how many states SPIN stores for each question of a Promela file, without reduction.
    #[arg(long)]
    pub(super) spin_compat: bool,
    /// Have `--report table` run SPIN. SPIN's verifier is a C program that is made of the model, with any C
    /// code that the model has in it: it is compiled and run on this machine. Only for models that you
    /// trust as you trust a program.
    #[arg(long)]
    pub(super) run_spin: bool,
    /// Expected answer: `violated`, or `NAME=violated` of one property. An expected answer counts as passed.
    #[arg(long, value_name = "[NAME=]OUTCOME", value_parser = expectation)]
    pub(super) expect: Vec<(Option<String>, Outcome)>,
    /// Look for errors without keeping whole states, where they do not fit into memory: `fingerprints`
    /// keeps 64 bits of each, `fingerprints=32` half of that, `bits` three bits in an array, `bits=500M`
    /// in one of that size. What is found is real; if nothing is, the answer is unknown. The memory is
    /// that of --max-memory, or 256M.
    #[arg(long, value_name = "KEEP", value_parser = kept, conflicts_with_all = [
        "fairness", "constraints", "machine_closed", "feasible", "ladder", "report", "spin_compat",
        "run_spin", "engine",
    ])]
    lossy: Option<Kept>,
    /// Write the violating run to a file, as an ITF trace; with several properties, to FILE.NAME, with
    /// several models, to FILE.MODEL.NAME, where names are shortened to letters, digits, `_` and `-`.
    #[arg(long, value_name = "FILE")]
    pub(super) trace: Option<String>,
    /// Write certificates of the answers to a file, for `fairly-verify`, which shares no code with this program.
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "list", "explain_plan", "machine_closed", "feasible", "lossy", "watch",
    ])]
    pub(super) certificate: Option<String>,
    /// Have a certificate of each answer verified, and say so beside the answer.
    #[arg(long, conflicts_with_all = ["list", "explain_plan", "machine_closed", "feasible", "lossy"])]
    pub(super) certify: bool,
}

/// Meaning of `--report`.
fn report(text: &str) -> Result<Report, String> {
    match text.split_once('=') {
        None if text == "runs" => Ok(Report::Runs),
        None if text == "table" => Ok(Report::Table),
        None => Err("write runs, table, or FORMAT=FILE".to_owned()),
        Some((format, file)) => match Format::from_str(format, true) {
            Ok(format) if format != Format::Human && !file.is_empty() => {
                Ok(Report::File(format, file.to_owned()))
            }
            _ => Err(
                "write json=FILE, junit=FILE, sarif=FILE, github=FILE, markdown=FILE or html=FILE"
                    .to_owned(),
            ),
        },
    }
}

impl Check {
    /// The names of properties that are given: what is chosen, what something is expected of, and what has a
    /// time of its own.
    pub(super) fn names(&self) -> Vec<String> {
        let expected = self.expect.iter().filter_map(|(name, _)| name.clone());
        let timed = self.model.timeout.iter().filter_map(|budget| budget.name.clone());
        self.model.properties.iter().cloned().chain(expected).chain(timed).collect()
    }

    /// Whether one table is asked for.
    pub(super) fn is_table(&self) -> bool {
        self.report.contains(&Report::Table)
    }

    /// How much is said.
    pub(super) fn detail(&self) -> Detail {
        match (self.quiet, self.model.verbose) {
            (true, _) => Detail::Quiet,
            (_, true) => Detail::Verbose,
            _ => Detail::Usual,
        }
    }

    /// Has searches watched, and reports drawn so.
    pub(crate) fn equip(&mut self, progress: &'static Progress, look: Look) {
        self.model.is_recorded = self.writes_reports();
        self.model.equip(progress, look);
    }

    /// Lets it be known where answers are wanted, if the work cannot go on.
    pub(super) fn announce(&self) {
        let file = |report: &Report| match report {
            Report::File(format, file) => Some((*format, file.clone())),
            Report::Runs | Report::Table => None,
        };
        let reports = self.report.iter().filter_map(file).collect();
        self.model.announce(reports);
        if let (true, Some(progress)) = (self.quiet, self.model.progress) {
            progress.interim().lines();
        }
    }

    /// Finds out, before anything is searched, whether what `--report` and `--trace` ask for can be
    /// written.
    pub(super) fn try_outputs(&self, models: &[String]) -> Result<(), CliError> {
        self.keep_outputs_apart(models)?;
        for path in self.outputs() {
            Output::open(path)?;
        }
        Ok(())
    }

    /// Finds out whether all that is written leaves the models, and each other, as they are.
    pub(super) fn keep_outputs_apart(&self, models: &[String]) -> Result<(), CliError> {
        files::keep_apart(self.outputs(), models)
    }

    /// The files that are written.
    fn outputs(&self) -> impl Iterator<Item = &str> {
        let reports = self.report.iter().filter_map(|report| match report {
            Report::File(_, file) => Some(file),
            Report::Runs | Report::Table => None,
        });
        reports.chain(&self.trace).chain(&self.certificate).map(String::as_str)
    }

    /// Whether `--report` names files.
    pub(super) fn writes_reports(&self) -> bool {
        self.report.iter().any(|report| matches!(report, Report::File(..)))
    }

    /// Writes the files that `--report` names; gives what went wrong.
    pub(super) fn write_reports(&self, documents: &[Document]) -> Vec<CliError> {
        let mut unwritten = Vec::new();
        for report in &self.report {
            if let Report::File(format, file) = report {
                let text = format.documents(documents);
                unwritten.extend(Output::open(file).and_then(|to| to.write(&text)).err());
            }
        }
        unwritten
    }

    /// Memory of a lossy search, if one is asked for, and its division: three quarters are for fingerprints,
    /// half is for bits, unless it is said otherwise, the rest for states that wait to be expanded. Of the
    /// larger examples 4 to 7 % of all states have to wait at a time, and those are whole.
    pub(super) fn room(&self) -> Result<Option<Room>, CliError> {
        /// The default.
        const MEMORY: usize = 256 << 20;
        let Some(Kept { keep, table, .. }) = self.lossy else { return Ok(None) };
        let (table, frontier) = match (table, self.model.max_memory) {
            (None, all) => {
                let all = all.unwrap_or(MEMORY);
                let waits = if keep == Keep::Bits { all / 2 } else { all / 4 };
                (all - waits, waits)
            }
            (Some(table), None) => (table, table.max(1 << 20)),
            (Some(table), Some(all)) if table < all => (table, all - table),
            (Some(_), Some(_)) => {
                return Err(CliError::Usage {
                    message: "--lossy bits=… leaves nothing of --max-memory for the search"
                        .to_owned(),
                    help: Some("say `--lossy bits`: it takes half of it".to_owned()),
                });
            }
        };
        // The divided memory is for states; all other memory comes on top.
        if let Some(all) = self.model.max_memory {
            meter::limit(all.saturating_add(2 * meter::PROGRAM));
        }
        Ok(Some(Room { keep, table, frontier }))
    }

    /// The fairness that was asked for, as options.
    pub(super) fn fairness_options(&self) -> Vec<String> {
        let Some(fairness) = &self.fairness else { return Vec::new() };
        let mut words = vec!["--fairness".to_owned(), value_of(fairness)];
        let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
        match fairness {
            FairnessName::Weak | FairnessName::Strong if self.level != LevelName::Process => {
                add("--level", value_of(&self.level));
            }
            FairnessName::Annotated if self.annotations != AnnotationName::Name => {
                add("--annotations", value_of(&self.annotations));
            }
            FairnessName::Inherent if self.reading != PrefixName::Trace => {
                add("--reading", value_of(&self.reading));
            }
            _ => {}
        }
        words
    }

    /// Context of the command, for the one that is suggested in the end.
    pub(super) fn setting(&self, files: &[String]) -> Setting {
        let setting = Setting::new("check", &self.model, files);
        let lossy = self.lossy.as_ref().map(|kept| kept.text.clone());
        setting.assuming(self.fairness_options(), &self.constraints).keeping(lossy)
    }

    /// The question about fairness that is asked instead of a property, if one is.
    pub(super) fn about_fairness(&self) -> Option<AboutFairness> {
        match (self.machine_closed, self.feasible) {
            (true, _) => Some(AboutFairness::MachineClosed),
            (_, true) => Some(AboutFairness::Feasible),
            _ => None,
        }
    }

    /// The notion asked for, or the model's own.
    pub(super) fn notion(&self, is_annotated: bool) -> Notion {
        let level = self.level.level();
        let annotated = Notion::Annotated(match self.annotations {
            AnnotationName::Name => AnnotationLevel::Name,
            AnnotationName::Occurrence => AnnotationLevel::Occurrence,
        });
        match self.fairness {
            None if !is_annotated => Notion::None,
            None | Some(FairnessName::Annotated) => annotated,
            Some(FairnessName::None) => Notion::None,
            Some(FairnessName::Weak) => Notion::Weak(level),
            Some(FairnessName::Strong) => Notion::Strong(level),
            Some(FairnessName::WeakLive) => Notion::WeakLive,
            Some(FairnessName::StrongLive) => Notion::StrongLive,
            Some(FairnessName::Global) => Notion::Global,
            Some(FairnessName::Inherent) => Notion::Inherent(match self.reading {
                PrefixName::Trace => PrefixKind::Trace,
                PrefixName::Run => PrefixKind::Run,
            }),
        }
    }
}

/// Fairness that is asked for, where annotations are read by name and prefixes as traces.
pub(super) fn notion(
    fairness: Option<FairnessName>,
    level: LevelName,
    is_annotated: bool,
) -> Notion {
    let level = level.level();
    let annotated = Notion::Annotated(AnnotationLevel::Name);
    match fairness {
        None if is_annotated => annotated,
        None | Some(FairnessName::None) => Notion::None,
        Some(FairnessName::Annotated) => annotated,
        Some(FairnessName::Weak) => Notion::Weak(level),
        Some(FairnessName::Strong) => Notion::Strong(level),
        Some(FairnessName::WeakLive) => Notion::WeakLive,
        Some(FairnessName::StrongLive) => Notion::StrongLive,
        Some(FairnessName::Global) => Notion::Global,
        Some(FairnessName::Inherent) => Notion::Inherent(PrefixKind::Trace),
    }
}

/// Part of the answers to print.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Report {
    /// Every answer, with the run that shows it.
    Runs,
    /// One row a question: the verdict without fairness, under weak and under strong fairness, the
    /// states stored, and the same from SPIN where it is installed.
    Table,
    /// Also a file in a format.
    File(Format, String),
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FairnessName {
    /// Every run counts.
    None,
    /// Weak fairness of everything at the level.
    Weak,
    /// Strong fairness of everything at the level.
    Strong,
    /// No event is ready for ever without being taken.
    WeakLive,
    /// No event is ready again and again without being taken again and again.
    StrongLive,
    /// Fairness as the annotations of the model ask for it.
    Annotated,
    /// Every transition that is possible again and again is taken again and again.
    Global,
    /// Every finite run has a continuation that satisfies the property.
    Inherent,
}

/// Subject of fairness.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LevelName {
    /// Processes.
    Process,
    /// Events.
    Event,
    /// Single transitions of single processes.
    Action,
}

impl LevelName {
    pub(super) fn level(self) -> Level {
        match self {
            LevelName::Process => Level::Process,
            LevelName::Event => Level::Event,
            LevelName::Action => Level::Action,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AnnotationName {
    /// To the event's name: any process's occurrence counts.
    Name,
    /// To the annotated transitions themselves.
    Occurrence,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PrefixName {
    /// The word it reads.
    Trace,
    /// The run itself.
    Run,
}

#[derive(Args)]
pub(crate) struct Ladder {
    #[command(flatten)]
    pub(crate) model: Model,
    /// A constraint to assume under every notion; written as for `fairly check`.
    #[arg(long = "constraint", value_name = "CONSTRAINT")]
    pub(super) constraints: Vec<String>,
}

#[derive(Args)]
pub(crate) struct Least {
    #[command(flatten)]
    pub(crate) model: Model,
    /// Subject of the constraints.
    #[arg(long, value_enum, default_value_t = LevelName::Process)]
    pub(super) level: LevelName,
    /// A constraint to assume in any case; written as for `fairly check`.
    #[arg(long = "constraint", value_name = "CONSTRAINT")]
    pub(super) constraints: Vec<String>,
}

impl Ladder {
    /// Context of the command, for the one that is suggested in the end.
    pub(super) fn setting(&self, files: &[String]) -> Setting {
        Setting::new("ladder", &self.model, files).assuming(Vec::new(), &self.constraints)
    }
}

impl Least {
    /// Context of the command, for the one that is suggested in the end.
    pub(super) fn setting(&self, files: &[String]) -> Setting {
        let level = match self.level {
            LevelName::Process => Vec::new(),
            level => vec!["--level".to_owned(), value_of(&level)],
        };
        Setting::new("least", &self.model, files).assuming(level, &self.constraints)
    }
}
