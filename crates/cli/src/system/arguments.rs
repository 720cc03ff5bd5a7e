//! The arguments of the commands on systems.

use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use fairly_check::{Assumption, Execution, Options, Reduction};
use fairly_fairness::{AnnotationLevel, Level, Notion, Reading};
use fairly_omega::emptiness::{ENGINES, Engine};
use fairly_search::Bounds;
use fairly_system::{Network, TransitionSystem};

use super::AboutFairness;
use super::load::{self, Loaded};
use crate::failure::Failure;

/// What to look at, and how hard.
#[derive(Args)]
pub(crate) struct Model {
    /// A `.csp`, `.pml` or `.net` file, or components as `.aut` or HOA files; `-` is standard input.
    /// `check` takes several models, and directories with models in them.
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<String>,
    /// Only the property with this name; of a `.csp` file, assertions by number or by a part of
    /// their text.
    #[arg(short = 'p', long = "property", value_name = "NAME")]
    pub(super) property: Option<String>,
    /// A formula to check instead of those in the file; may be given several times.
    #[arg(short = 'f', long = "formula", value_name = "LTL", conflicts_with = "property")]
    pub(super) formulas: Vec<String>,
    /// Events that components take alone although several have them.
    #[arg(long, value_name = "EVENT", value_delimiter = ',')]
    pub(super) interleave: Vec<String>,
    /// Events that a component takes part in besides those on its transitions.
    #[arg(long, value_name = "COMPONENT=EVENT,…")]
    pub(super) alphabet: Vec<String>,
    /// Which engine searches; the best one for the problem if not given.
    #[arg(long, value_name = "ENGINE", value_parser = engines())]
    engine: Option<String>,
    /// Stop after so many states of the product; the answer is then unknown.
    #[arg(long, value_name = "N")]
    max_states: Option<usize>,
    /// Stop after so many seconds; the answer is then unknown. Each model has its own.
    #[arg(long, value_name = "SECONDS")]
    pub(super) timeout: Option<f64>,
    /// Stop when the search holds so many bytes, such as 500M or 8G; the answer is then unknown.
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    max_memory: Option<usize>,
    /// Have the steps of `.csp` and `.pml` models made by the reference interpreter, not by machine
    /// code.
    #[arg(long)]
    pub(super) interpret: bool,
    /// Follow every step of the system, also where fewer would give the same answer.
    #[arg(long)]
    pub(super) no_reduction: bool,
    /// How to print the answer.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(super) format: Format,
}

fn engines() -> clap::builder::PossibleValuesParser {
    let named = ENGINES
        .iter()
        .map(|engine| clap::builder::PossibleValue::new(engine.name).help(engine.summary));
    clap::builder::PossibleValuesParser::new(named)
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

impl Model {
    /// How the steps of models are made.
    pub(super) fn execution(&self) -> Execution {
        if self.interpret { Execution::Interpreted } else { Execution::Native }
    }

    /// The same options, for a search whose states are counted: of the whole system.
    pub(super) fn whole(&self) -> Result<Options, Failure> {
        Ok(Options { reduction: Reduction::Off, ..self.options()? })
    }

    /// The options of the check; the clock starts now.
    pub(super) fn options(&self) -> Result<Options, Failure> {
        let deadline = match self.timeout {
            None => None,
            Some(seconds) => {
                let time = Duration::try_from_secs_f64(seconds)
                    .map_err(|_| Failure::usage(format!("--timeout {seconds} is no time")))?;
                Some(Instant::now() + time.min(Duration::from_secs(1 << 32)))
            }
        };
        Ok(Options {
            engine: self.engine.as_deref().and_then(Engine::named),
            bounds: Bounds { nodes: self.max_states, deadline, bytes: self.max_memory },
            reduction: if self.no_reduction { Reduction::Off } else { Reduction::Sound },
            ..Options::default()
        })
    }
}

/// How an answer is printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people.
    Human,
    /// JSON with a versioned schema.
    Json,
}

#[derive(Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(super) model: Model,
    /// The fairness to assume. Without it: the model's annotations if it has any, else none.
    #[arg(long, value_enum, value_name = "NOTION")]
    fairness: Option<FairnessName>,
    /// What weak and strong fairness are about.
    #[arg(long, value_enum, default_value_t = LevelName::Process)]
    level: LevelName,
    /// A further constraint: wf(NAME), sf(NAME), wl(EVENT), sl(EVENT), justice(p), compassion(p, q).
    #[arg(long = "constraint", value_name = "CONSTRAINT")]
    pub(super) constraints: Vec<String>,
    /// What annotations in the model are attached to.
    #[arg(long, value_enum, default_value_t = AnnotationName::Name)]
    annotations: AnnotationName,
    /// What a prefix is under inherent fairness.
    #[arg(long, value_enum, default_value_t = ReadingName::Trace)]
    reading: ReadingName,
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
    /// What to print: answers with their runs, or one table, for Promela with SPIN's answers beside.
    #[arg(long, value_enum, default_value_t = Report::Runs, value_name = "WHAT")]
    pub(super) report: Report,
    /// Also: how many states SPIN stores for each question of a Promela file, without reduction.
    #[arg(long)]
    pub(super) spin_compat: bool,
    /// Write the violating run to a file, as an ITF trace; with several properties, to FILE.NAME, with
    /// several models, to FILE.MODEL.NAME.
    #[arg(long, value_name = "FILE")]
    pub(super) trace: Option<String>,
}

impl Check {
    /// What is assumed of runs.
    pub(super) fn assumption(&self, loaded: &mut Loaded) -> Result<Assumption, Failure> {
        let notion = self.notion(is_annotated(&loaded.network));
        load::assumption(notion, &self.constraints, loaded)
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
                ReadingName::Trace => Reading::Trace,
                ReadingName::Run => Reading::Run,
            }),
        }
    }
}

/// Whether the model asks for fairness where its transitions are written.
fn is_annotated(network: &Network) -> bool {
    network.signature().moves.iter().any(|it| it.annotation.is_some())
}

/// What is printed of the answers.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Report {
    /// Every answer, with the run that shows it.
    Runs,
    /// One row a question: the verdict without fairness, under weak and under strong fairness, the
    /// states stored, and the same from SPIN where it is installed.
    Table,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FairnessName {
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
    /// What the model's annotations ask for.
    Annotated,
    /// Every transition that is possible again and again is taken again and again.
    Global,
    /// Every finite run has a continuation that satisfies the property.
    Inherent,
}

/// What fairness is about.
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
enum ReadingName {
    /// The word it reads.
    Trace,
    /// The run itself.
    Run,
}

#[derive(Args)]
pub(crate) struct Ladder {
    #[command(flatten)]
    pub(super) model: Model,
    /// A constraint to assume under every notion; written as for `fairly check`.
    #[arg(long = "constraint", value_name = "CONSTRAINT")]
    pub(super) constraints: Vec<String>,
}

#[derive(Args)]
pub(crate) struct Least {
    #[command(flatten)]
    pub(super) model: Model,
    /// What the constraints are about.
    #[arg(long, value_enum, default_value_t = LevelName::Process)]
    pub(super) level: LevelName,
    /// A constraint to assume in any case; written as for `fairly check`.
    #[arg(long = "constraint", value_name = "CONSTRAINT")]
    pub(super) constraints: Vec<String>,
}
