//! Models that have been read, as data that no language owns.
//!
//! A [`Loader`] turns texts into a [`Loaded`]: systems, questions about them, and where both are written. Nothing
//! after a loader asks which language a model was written in. Features that only some languages have are optional
//! fields. [`languages`](crate::languages) lists the loaders of this crate; a program may have others.

use std::sync::Arc;

use fairly_logic::Atom;
use fairly_model::{Expr, Model, Unfold};
use fairly_omega::{Automaton, BudgetError};
use fairly_source::{Diagnostic, Span};
use fairly_system::{EventId, EventPosition, Network, Sequences};

use crate::case::Constraint;
use crate::include::Includes;

/// Reads the texts of a language.
pub trait Loader: Sync {
    /// Reads the texts that make one model; there is at least one.
    ///
    /// # Errors
    /// When they are wrong, or the settings do not fit.
    fn load(&self, texts: &[Text], settings: Settings<'_>) -> Result<Loaded, LoadError>;
}

/// A text with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Name to show for it, and to find what it includes.
    pub name: String,
    /// The text.
    pub text: String,
}

/// How a model is read. A loader ignores what its language does not have.
pub struct Settings<'a> {
    /// Formulas that are asked although they are not in the file.
    pub formulas: &'a [String],
    /// Macros: `NAME`, which is 1, or `NAME=VALUE`.
    pub defines: &'a [String],
    /// Macros that are not defined; they count after `defines`.
    pub undefines: &'a [String],
    /// Gives the included files.
    pub includes: &'a mut dyn Includes,
    /// How many processes there is room for where it cannot be seen how many are started.
    pub processes: Option<u32>,
    /// Whether assertions inside the model are checked; if not, they are steps that do nothing.
    pub assertions: bool,
    /// Events that components take alone although several have them.
    pub interleaved: &'a [String],
    /// Events that a component has besides those on its transitions: `COMPONENT=EVENT,…`.
    pub alphabets: &'a [String],
}

impl<'a> Settings<'a> {
    /// The texts as they are.
    pub fn new(includes: &'a mut dyn Includes) -> Settings<'a> {
        Settings {
            formulas: &[],
            defines: &[],
            undefines: &[],
            includes,
            processes: None,
            assertions: true,
            interleaved: &[],
            alphabets: &[],
        }
    }
}

/// Why texts are no model.
#[derive(Clone, Debug)]
pub enum LoadError {
    /// One of them is wrong.
    Wrong(TextError),
    /// The settings do not fit, in a sentence.
    Refused(String),
}

/// Errors in a text.
#[derive(Clone, Debug)]
pub struct TextError {
    /// The text, with what it includes as [parts](fairly_source::parts).
    pub text: Text,
    /// The errors, at least one.
    pub diagnostics: Vec<Diagnostic>,
}

impl TextError {
    /// Errors in a formula that is not in the file.
    pub fn in_formula(formula: &str, diagnostics: Vec<Diagnostic>) -> TextError {
        let text = Text { name: "<formula>".to_owned(), text: formula.to_owned() };
        TextError { text, diagnostics }
    }
}

/// A model that has been read.
#[derive(Default)]
pub struct Loaded {
    /// Text in which spans are places, with what it includes as [parts](fairly_source::parts); none if the model
    /// has no text to show.
    pub text: Option<String>,
    /// The systems.
    pub systems: Vec<SystemSource>,
    /// The questions, in the order in which they are answered.
    pub questions: Vec<Question>,
    /// How questions are called.
    pub naming: Naming,
    /// Message for a model that asks nothing.
    pub nothing: &'static str,
    /// Constraints that are assumed under every notion.
    pub constraints: Vec<Constraint>,
    /// Whether fairness is asked for where events or statements are written.
    pub is_annotated: bool,
    /// Which event a position of a run reads, where no formula says so.
    pub reading: EventPosition,
    /// Lists the actions that are written, for languages in which the moves of a system do not tell.
    pub written: Option<WrittenIn>,
    /// The whole model in one text, as another tool can read it.
    pub exported: Option<String>,
    /// Numbers of statements in the trails of another tool, by event.
    pub statements: Option<Vec<(EventId, u32)>>,
}

/// Lists the actions that are written in some systems.
pub type WrittenIn = Box<dyn Fn(&[SystemIndex]) -> Written + Send + Sync>;

/// Position of a system among those of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SystemIndex(pub usize);

impl SystemIndex {
    /// The only system of a model that has one.
    pub const ONLY: SystemIndex = SystemIndex(0);
}

/// A system that can be made, again and again.
pub struct SystemSource {
    /// Its name, where a model has several.
    pub name: Option<String>,
    /// Makes it.
    pub lower: Lower,
}

/// Makes a system.
pub type Lower = Box<dyn Fn() -> Result<Lowered, Vec<Diagnostic>> + Send + Sync>;

impl SystemSource {
    /// The system of a model that is made already.
    pub fn of_model(model: Model) -> SystemSource {
        let lower = move || Ok(Lowered::model(model.clone()));
        SystemSource { name: None, lower: Box::new(lower) }
    }

    /// A network of components.
    pub fn of_network(network: Network) -> SystemSource {
        let lower = move || Ok(Lowered::Network(network.clone()));
        SystemSource { name: None, lower: Box::new(lower) }
    }
}

/// The meaning of a model, before it is explored.
#[expect(clippy::large_enum_variant, reason = "a model has a few of them, and they are not copied")]
pub enum Lowered {
    /// A model of the intermediate representation.
    Model {
        /// The model.
        model: Model,
        /// Makes the locations that are not made yet, if there are such.
        unfold: Option<Box<dyn Unfold>>,
        /// First words of events that formulas may name although they cannot happen.
        families: Vec<String>,
    },
    /// Explicit components.
    Network(Network),
    /// A type of a program, which no text describes.
    Program(Program),
}

/// A type of a program as a space.
#[derive(Clone)]
pub struct Program {
    /// The space.
    pub space: Arc<dyn Sequences>,
    /// Whether several workers may search it.
    pub is_shared: bool,
    /// Names that stand for sets of events.
    pub tests: Arc<dyn EventTests>,
}

/// Tests that a program makes of its actions. Each is asked of an event once, when it is met.
pub trait EventTests: Send + Sync {
    /// The events, among those that have been met, that pass the test with a name; none if no test has it.
    fn passing(&self, name: &str) -> Option<Vec<EventId>>;

    /// How often an event has passed a test. While it is the same, so are all sets.
    fn count(&self) -> usize;

    /// Why answers that rest on tests mean nothing, if they do not: one has panicked, say.
    fn failure(&self) -> Option<String>;
}

impl Lowered {
    /// A model all of whose locations are made.
    pub fn model(model: Model) -> Lowered {
        Lowered::Model { model, unfold: None, families: Vec::new() }
    }
}

/// How the questions of a model are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Naming {
    /// The word for one of them.
    pub word: &'static str,
    /// Whether they are chosen by their numbers and by parts of their titles.
    pub numbered: bool,
}

impl Default for Naming {
    fn default() -> Self {
        Naming { word: "property", numbered: false }
    }
}

/// A question about a system.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its title.
    pub title: String,
    /// Name or number that chooses it; none for a formula of the settings.
    pub choice: Option<String>,
    /// The system that it is about.
    pub system: SystemIndex,
    /// Its kind.
    pub kind: Kind,
    /// Subject of the question, or why it cannot be asked.
    pub asked: Result<Asked, Vec<Diagnostic>>,
    /// Where it is asked, if that is in the file.
    pub place: Option<Span>,
    /// The question in words, where neither formula nor title is enough in a list.
    pub says: Option<String>,
    /// How the states are counted that another tool stores to answer it.
    pub counted: Option<Counted>,
}

impl Question {
    /// A question that stands nowhere.
    pub fn new(title: impl Into<String>, kind: Kind, asked: Asked) -> Question {
        let title = title.into();
        Question {
            choice: Some(title.clone()),
            title,
            system: SystemIndex::ONLY,
            kind,
            asked: Ok(asked),
            place: None,
            says: None,
            counted: None,
        }
    }
}

/// The kind of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No assertion fails, and nothing else goes wrong.
    Errors,
    /// Processes end only where they may.
    EndStates,
    /// Marked progress is made again and again.
    Progress,
    /// Marked places are not passed again and again.
    Acceptance,
    /// A formula.
    Formula,
    /// An automaton that no run may be accepted by.
    NeverClaim,
    /// Some state is reached.
    Reachability,
    /// Another system does all of it, too.
    Refinement,
    /// Another claim about what can happen.
    Behaviour,
}

impl Kind {
    /// The kind in words.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Errors => "assertions",
            Kind::EndStates => "end states",
            Kind::Progress => "progress",
            Kind::Acceptance => "acceptance",
            Kind::Formula => "formula",
            Kind::NeverClaim => "never claim",
            Kind::Reachability => "reachability",
            Kind::Refinement => "refinement",
            Kind::Behaviour => "behaviour",
        }
    }
}

/// Subject of a question.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a model has a few of them, and they are not copied")]
pub enum Asked {
    /// Every run satisfies a formula.
    Formula(Formula),
    /// No run is accepted by an automaton, whose propositions are named as those of the system.
    Never(Automaton),
    /// A claim that is no formula.
    Claim(Claim),
}

/// A formula about a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// Name of the property.
    pub name: String,
    /// The formula.
    pub text: FormulaText,
    /// The formula as it is shown; as `fairly_logic` writes it if none.
    pub shown: Option<String>,
    /// Which event a position of a run reads.
    pub reading: EventPosition,
    /// Whether words that are names of the system are read as names, even where they look like operators.
    pub has_bare_names: bool,
}

impl Formula {
    /// A formula that is written as `fairly_logic` reads it, from an offset of its text on.
    pub fn written(name: impl Into<String>, logic: impl Into<String>, start: usize) -> Formula {
        Formula {
            name: name.into(),
            text: FormulaText::written(logic, start),
            shown: None,
            reading: EventPosition::default(),
            has_bare_names: true,
        }
    }
}

/// A formula and where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaText {
    /// Where it is written: in the file, or in itself if it is not in the file.
    pub span: Span,
    /// The same formula for `fairly_logic::Formulas::parse`.
    pub logic: String,
    /// Which byte of the text each byte of `logic` belongs to: pairs of offsets, both growing, each
    /// good up to the next.
    pub places: Vec<(usize, usize)>,
}

impl FormulaText {
    /// A formula that is written as `fairly_logic` reads it, from an offset of its text on.
    pub fn written(logic: impl Into<String>, start: usize) -> FormulaText {
        let logic = logic.into();
        let span = Span::new(start, start + logic.len());
        FormulaText { span, logic, places: vec![(0, start)] }
    }

    /// Where an atom of the formula is written: the first place, or the whole formula.
    pub fn place_of(&self, atom: &Atom) -> Span {
        let word = atom.text();
        let found = self.logic.find(word);
        found.map_or(self.span, |at| self.place(Span::new(at, at + word.len())))
    }

    /// Where `span`, a range of [`FormulaText::logic`], stands in the file.
    pub fn place(&self, span: Span) -> Span {
        let find = |offset: usize| {
            let next = self.places.partition_point(|&(logic, _)| logic <= offset);
            next.checked_sub(1).map_or(self.span.start, |before| {
                let (logic, file) = self.places[before];
                let limit = self.places.get(next).map_or(self.span.end, |&(_, file)| file);
                (file + (offset - logic)).min(limit)
            })
        };
        let start = find(span.start);
        Span::new(start, find(span.end).max(start))
    }
}

/// A claim about a system that is no formula.
#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    /// No run comes to an error of the model.
    NoErrors,
    /// No run stops before all processes have ended, nor in a state with the proposition of this name.
    EndsWell {
        /// Something is missing where it holds, although all processes have ended.
        unfinished: Option<String>,
    },
    /// No run ends.
    NonTerminating,
    /// Internal steps do not go on for ever.
    DivergenceFree,
    /// The same events lead to the same state.
    Deterministic,
    /// The system does nothing that another one does not.
    Refines {
        /// Observations that are compared.
        model: Refinement,
        /// The other system.
        specification: SystemIndex,
    },
    /// Every fair run of the system looks like a fair run of another one.
    RefinesFairly {
        /// The other system.
        specification: SystemIndex,
    },
    /// Some run comes to a state in which a condition holds.
    Reaches {
        /// The condition.
        goal: Expr,
        /// A value to be made as small or as large as it can be there.
        best: Option<(Extreme, Expr)>,
    },
}

/// Semantic model of a refinement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refinement {
    /// Events that a system can do.
    Traces,
    /// Events that it can do, and refuse.
    Failures,
    /// Events that it can do, refuse, and where it diverges.
    FailuresDivergences,
}

/// Which value is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// The least.
    Least,
    /// The greatest.
    Greatest,
}

/// The states that another tool stores to answer a question.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a model has a few of them, and they are not copied")]
pub enum Counted {
    /// Those of the system.
    System,
    /// Those of the system with an automaton.
    With(Result<Automaton, BudgetError>),
    /// Those of the system with an automaton for the formula, of which the other tool has another one.
    WithFormula,
}

/// Every action that is written in some systems.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The places, in the order of the text.
    pub places: Vec<WrittenAction>,
    /// Whether parts of what becomes one process of a model may take a step together. Such a step is
    /// known by the place of one of them only.
    pub joins: bool,
}

/// An action that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenAction {
    /// Its place, by which steps are known.
    pub span: Span,
    /// The first word of the event, or the channel; none for what is silent.
    pub head: Option<String>,
    /// The same number for places from which the text goes on in the same way, apart from what it computes. A step from
    /// one of them may be known by the place of another: what is left of a process is compared as a term.
    pub kind: u32,
}
