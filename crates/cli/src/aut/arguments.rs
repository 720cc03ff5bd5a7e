//! The arguments of `fairly aut`.

use clap::{Args, Subcommand, ValueEnum};
use fairly_omega::Limits;
use fairly_search::Engine;

#[derive(Args)]
#[command(
    arg_required_else_help = true,
    after_help = "Every FILE may be `-` for standard input and may hold several automata. HOA, SPIN \
                  never claims and Aldebaran files are told apart by their content. Exit codes: 0 \
                  done or yes, 1 the answer is no, 2 wrong usage or input, 3 given up at a limit."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(super) operation: Operation,
}

#[derive(Subcommand)]
pub(super) enum Operation {
    /// Says what kind of automaton it is: sizes, condition, components, strength.
    Stats(Stats),
    /// Is there no accepted word? Prints an accepted lasso and exits with 1 if there is one.
    Empty(Empty),
    /// The product of several automata, which read every letter together.
    Product(Product),
    /// An automaton for the words that all accept.
    Intersect(Transform),
    /// An automaton for the words that one of them accepts.
    Union(Transform),
    /// Turns any condition into a single Büchi set.
    Degeneralize(Degeneralize),
    /// An automaton for the words that are not accepted.
    Complement(Complement),
    /// A deterministic parity automaton for the same words.
    Determinize(Transform),
    /// Does the first automaton accept every word of the second? Prints a word that tells.
    Includes(Compare),
    /// Do both accept the same words? Prints a word that tells them apart.
    Equivalent(Compare),
    /// A smaller automaton for the same words, by simulation.
    Reduce(Transform),
    /// Removes what no accepted run visits.
    Trim(Transform),
    /// Drops propositions that an observer does not see; with --events, hides events.
    Project(Project),
    /// Writes the automaton in another format or another form of acceptance.
    Convert(Convert),
    /// All states final: what a finite word may end in is any state.
    AllFinal(Transform),
    /// The prefixes of the accepted words: trimmed, all states final.
    Prefixes(Transform),
    /// The infinite words with infinitely many prefixes among the finite words of the automaton.
    Limit(Transform),
    /// Shows a search for an accepted path, or a degeneralization, step by step.
    Step(Step),
    /// Is an ultimately periodic word accepted? Exits with 1 if not.
    Accepts(Accepts),
}

#[derive(Args)]
pub(super) struct Files {
    /// Automata to read; `-` is standard input.
    #[arg(value_name = "FILE", default_value = "-")]
    pub(super) files: Vec<String>,
}

#[derive(Args)]
pub(super) struct Output {
    /// Format of the result.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Target::Hoa)]
    pub(super) to: Target,
    /// Where to write it instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<String>,
    /// Give up, with exit code 3, when the result has more states.
    #[arg(long, value_name = "N", default_value_t = Limits::default().states)]
    pub(super) max_states: usize,
}

impl Output {
    pub(super) fn limits(&self) -> Limits {
        Limits { states: self.max_states, ..Limits::default() }
    }
}

impl Operation {
    /// Formats of input and output, where the result is one automaton or several.
    pub(super) fn through(&self) -> Option<&Transform> {
        match self {
            Operation::Product(Product { through, .. })
            | Operation::Degeneralize(Degeneralize { through, .. })
            | Operation::Complement(Complement { through, .. })
            | Operation::Convert(Convert { through, .. })
            | Operation::Project(Project { through, .. })
            | Operation::Intersect(through)
            | Operation::Union(through)
            | Operation::Determinize(through)
            | Operation::Reduce(through)
            | Operation::AllFinal(through)
            | Operation::Prefixes(through)
            | Operation::Limit(through)
            | Operation::Trim(through) => Some(through),
            Operation::Stats(_)
            | Operation::Empty(_)
            | Operation::Step(_)
            | Operation::Includes(_)
            | Operation::Equivalent(_)
            | Operation::Accepts(_) => None,
        }
    }
}

/// A format to write.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Target {
    /// Hanoi omega-automata format, version 1.
    Hoa,
    /// A SPIN never claim; needs a state-based Büchi condition.
    Never,
    /// Graphviz.
    Dot,
    /// Aldebaran; has no acceptance condition.
    Aut,
}

/// How an answer is printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people.
    Human,
    /// One JSON document, with a versioned schema.
    Json,
}

#[derive(Args)]
pub(super) struct Stats {
    #[command(flatten)]
    pub(super) input: Files,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(super) format: Format,
}

#[derive(Args)]
pub(super) struct Empty {
    #[command(flatten)]
    pub(super) input: Files,
    /// Which engine decides; the best one for the condition if not given.
    #[arg(long, value_name = "ENGINE", value_parser = engine_names())]
    pub(super) engine: Option<String>,
    /// Ask about finite words: those that end in a state whose marks the condition accepts.
    #[arg(long, conflicts_with = "engine")]
    pub(super) finite: bool,
    /// Say how the search went.
    #[arg(long)]
    pub(super) statistics: bool,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(super) format: Format,
}

/// Search or construction to step through. In a terminal Enter goes on and `q` ends it.
#[derive(Args)]
pub(super) struct Step {
    #[command(flatten)]
    pub(super) input: Files,
    /// Which engine searches; the best one for the condition if not given.
    #[arg(long, value_name = "ENGINE", value_parser = engine_names())]
    pub(super) engine: Option<String>,
    /// Show the degeneralization instead: which steps wait for a set and which pass it.
    #[arg(long, conflicts_with = "engine")]
    pub(super) degeneralize: bool,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(super) format: Format,
}

fn engine_names() -> clap::builder::PossibleValuesParser {
    let named = Engine::of_graphs()
        .map(|engine| clap::builder::PossibleValue::new(engine.name).help(engine.summary));
    clap::builder::PossibleValuesParser::new(named)
}

/// Input, and destination of the result.
#[derive(Args)]
pub(super) struct Transform {
    #[command(flatten)]
    pub(super) input: Files,
    #[command(flatten)]
    pub(super) output: Output,
}

#[derive(Args)]
pub(super) struct Product {
    /// Components of a system: propositions are events, shared ones are taken together, others by
    /// one component alone.
    #[arg(long)]
    pub(super) alphabetised: bool,
    /// Contribution to acceptance of a component that does not take part.
    #[arg(long, value_enum, default_value_t = WaitingMarks::State, requires = "alphabetised")]
    pub(super) waiting: WaitingMarks,
    /// Accept what one of them accepts, instead of what all accept.
    #[arg(long, conflicts_with = "alphabetised")]
    pub(super) or: bool,
    #[command(flatten)]
    pub(super) through: Transform,
}

/// See `fairly_omega::ops::Waiting`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum WaitingMarks {
    /// The marks of the state it waits in.
    State,
    /// Nothing.
    Nothing,
}

#[derive(Args)]
pub(super) struct Degeneralize {
    /// Put the Büchi set on states, as never claims need it.
    #[arg(long)]
    pub(super) state_based: bool,
    #[command(flatten)]
    pub(super) through: Transform,
}

#[derive(Args)]
pub(super) struct Complement {
    /// Give a nondeterministic Büchi automaton instead of one with a parity or dual condition.
    #[arg(long)]
    pub(super) buchi: bool,
    /// Complement the finite words instead: those that end in a state whose marks the condition accepts.
    #[arg(long, conflicts_with = "buchi")]
    pub(super) finite: bool,
    #[command(flatten)]
    pub(super) through: Transform,
}

#[derive(Args)]
pub(super) struct Compare {
    /// Two automata: in two files, or one after the other in one.
    #[arg(value_name = "FILE", num_args = 1..=2, required = true)]
    pub(super) files: Vec<String>,
    /// Give up, with exit code 3, after this many states.
    #[arg(long, value_name = "N", default_value_t = Limits::default().states)]
    pub(super) max_states: usize,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(super) format: Format,
}

#[derive(Args)]
pub(super) struct Convert {
    /// Put the marks on states: all edges that leave a state carry the same.
    #[arg(long)]
    pub(super) state_based: bool,
    #[command(flatten)]
    pub(super) through: Transform,
}

#[derive(Args)]
pub(super) struct Project {
    /// Propositions that are not seen.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', required = true)]
    pub(super) hide: Vec<String>,
    /// Propositions are events, of which one happens at a time: a step with a hidden one is not seen at all, and the
    /// result is the minimal automaton of the visible words.
    #[arg(long)]
    pub(super) events: bool,
    /// Ask instead whether the result is weakly continuation-closed, so that what is inherently fair of it is so of
    /// the automaton. Exits with 1, and a word, if not.
    #[arg(long, requires = "events")]
    pub(super) closed: bool,
    /// How to print the answer to that.
    #[arg(long, value_enum, default_value_t = Format::Human, requires = "closed")]
    pub(super) format: Format,
    #[command(flatten)]
    pub(super) through: Transform,
}

#[derive(Args)]
pub(super) struct Accepts {
    /// The automaton.
    #[arg(value_name = "FILE")]
    pub(super) file: String,
    /// The word, such as `a & !b; cycle{a; b}`.
    #[arg(value_name = "WORD")]
    pub(super) word: String,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(super) format: Format,
}
