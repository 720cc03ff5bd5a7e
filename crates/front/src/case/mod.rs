//! Networks of explicit components with properties and what is expected of them: `.net` files.
//!
//! A *network* is components that synchronise on shared events; a *case* is a network with
//! properties and, for each, the verdict under each notion of fairness. [`parse`] reads the text,
//! [`print()`] writes it; [`Case::network`] gives the system. To compose `.aut` or HOA files, see
//! [`crate::aut`].
//!
//! ```
//! let text = "
//! ## Two users of one semaphore: weak fairness does not keep user 1 from starving.
//! component P1 {
//!   initial out
//!   out -p1(sf)-> in
//!   in -v1-> out
//! }
//! component P2 {
//!   initial out
//!   out -p2-> in
//!   in -v2-> out
//! }
//! component Sem {
//!   initial 0
//!   0 -p1-> 1
//!   1 -v1-> 0
//!   0 -p2-> 2
//!   2 -v2-> 0
//! }
//! property live: G F p1
//! expect live {
//!   weak process: violated
//!   strong process: holds
//!   annotated name: holds
//! }
//! ";
//! let case = fairly_front::case::parse(text).unwrap();
//! assert_eq!(case.components.len(), 3);
//! assert_eq!(case.properties[0].formula.text, "G F p1");
//! assert_eq!(case.expectations.len(), 3);
//! assert_eq!(fairly_front::case::parse(&fairly_front::case::print(&case)).unwrap().components,
//!            case.components);
//! ```
//!
//! # The grammar
//!
//! A file is read line by line. `#` starts a comment that runs to the end of the line, unless it
//! stands in a quoted name. Blank lines mean nothing, and neither does indentation. Items come in
//! any order.
//!
//! ```text
//! file        = { item }
//! item        = "component" name "{" line-end { member line-end } "}"
//!             | "interleave" name { "," name }
//!             | "property" name ":" formula
//!             | "constraint" constraint
//!             | "expect" name "{" line-end { expectation line-end } "}"
//!
//! member      = "initial" name { "," name }
//!             | "states" name { "," name }
//!             | "alphabet" name { "," name }
//!             | "label" name ":" name { "," name }
//!             | name "-" name [ "(" kind ")" ] "->" name
//! kind        = "wf" | "sf" | "wl" | "sl"
//!
//! constraint  = kind "(" target ")"
//!             | "justice" "(" formula ")"
//!             | "compassion" "(" formula "," formula ")"
//! target      = name | "process" name | "event" name | name "of" name
//!
//! expectation = notion ":" verdict { flag }
//! notion      = "none" | strength level | strength "live"
//!             | "annotated" ( "name" | "occurrence" )
//!             | "global" | "inherent" ( "trace" | "run" )
//! strength    = "weak" | "strong"
//! level       = "process" | "event" | "action"
//! verdict     = "holds" | "violated"
//! flag        = "infeasible" | "not-machine-closed"
//!
//! name        = word { "." word } | '"' { any character, `"` and `\` after a `\` } '"'
//! word        = one or more letters, digits and underscores
//! ```
//!
//! No word is reserved: a state may be called `initial`, since what follows it tells.
//!
//! # What it means
//!
//! - **Components.** A local state exists by being named; with a `states` line all of them must be
//!   listed there, which catches slips of the pen. Every component needs an `initial` state; with
//!   several, runs start in any. The alphabet is the events of the transitions and those of an
//!   `alphabet` line: the latter block an event that the component shares but never takes. The same
//!   transition may be written twice. A `label` line says which propositions hold in a local state.
//! - **Composition.** An event is taken jointly by all components that have it in their alphabet.
//!   An event of an `interleave` line is taken by one component at a time instead. A state in which
//!   nothing is enabled has one step to itself with the event `idle`, so no component may have an
//!   event of that name.
//! - **Properties.** The formula is LTL as `fairly_logic` reads it, to the end of the line.
//!   Propositions are events (`p1`, `eat.0`, `eat.*`, `idle`), quoted places (`"Sem@1"`: `Sem` is in
//!   its state `1`), labels, and `deadlock`. Whether they exist is asked when the property is bound
//!   to the system, not here.
//! - **Annotations** on transitions (`wf`, `sf`, `wl`, `sl`) count under the notions `annotated …`
//!   only. **Constraints** are assumed under *every* notion, on top of it. A target is a component
//!   (process fairness) or an event; where one name is both, say which with `process` or `event`.
//!   `get of P1` is the moves of one component with one event. `wl` and `sl` are about events.
//!   The formulas of `justice` and `compassion` have no temporal operators.
//! - **Expectations.** Without a flag, the notion is expected to be machine closed on this network:
//!   every reachable state has a fair continuation. `not-machine-closed` says that one has none,
//!   `infeasible` that no fair run exists at all, which implies it. `violated infeasible` is
//!   impossible. The `inherent` notions are no conditions on runs, so they have no flags, and a file
//!   with constraints has no expectations for them.
//!
//! # Errors
//!
//! Several errors of one text are reported together, at most [`MOST_ERRORS`].
//!
//! | code | what is wrong |
//! |---|---|
//! | `E0701` | a name is missing or holds a character that needs quotes |
//! | `E0702` | a quoted name that does not end, is empty, or has an unknown escape |
//! | `E0703` | a line that starts with no known word |
//! | `E0704` | something else was expected |
//! | `E0705` | a block without its `}` |
//! | `E0706` | a `}` without a block |
//! | `E0707` | two components with one name |
//! | `E0708` | a component without an initial state |
//! | `E0709` | an event called `idle` |
//! | `E0710` | an annotation that does not exist |
//! | `E0711` | a state that the `states` line does not list |
//! | `E0712` | something listed twice |
//! | `E0713` | an interleaved event that no component has |
//! | `E0714` | two properties with one name |
//! | `E0715` | a temporal operator in `justice` or `compassion` |
//! | `E0716` | a constraint that does not exist |
//! | `E0717` | a constraint on something that does not exist |
//! | `E0718` | a constraint on a name that is a component and an event |
//! | `E0719` | expectations of a property that does not exist |
//! | `E0720` | a notion that does not exist |
//! | `E0721` | two expectations of one property under one notion |
//! | `E0722` | a verdict or flag that does not exist |
//! | `E0723` | a verdict and flags that contradict each other |
//! | `E0724` | `inherent` expected of a network with constraints |
//! | `E0725` | no component at all |
//! | `E0726` | `wl` or `sl` on a component |
//!
//! Errors in a formula have the codes of `fairly_logic::parser`.

mod lines;
mod load;
mod parser;
mod printer;

use std::fmt;

pub use fairly_source::Fragment as FormulaText;
use fairly_source::Span;
use fairly_system::{
    Annotation, Component, ComponentBuilder, Composition, LocalTransition, Network, NetworkError,
};

pub use load::Networks;
pub(crate) use load::composed;
pub use parser::{MOST_ERRORS, parse, parse_constraint};
pub use printer::print;

/// A network with properties and expectations, as plain data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// The components, in the order of the text.
    pub components: Vec<CaseComponent>,
    /// Events that components do not share although several have them.
    pub interleaved: Vec<String>,
    /// The properties, in the order of the text.
    pub properties: Vec<Property>,
    /// Constraints that are assumed under every notion.
    pub constraints: Vec<Constraint>,
    /// Expected answers; those of one property stand together.
    pub expectations: Vec<Expectation>,
}

/// A component as it is written. [`CaseComponent::build`] makes the component of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseComponent {
    /// Its name.
    pub name: String,
    /// The names of its local states, in the order in which they are first named.
    pub states: Vec<String>,
    /// Where it starts, as positions in `states`.
    pub initial: Vec<u32>,
    /// The events of its `alphabet` line; those of transitions need not be here.
    pub alphabet: Vec<String>,
    /// Its transitions; their marks are empty.
    pub transitions: Vec<LocalTransition>,
    /// The propositions of each local state, one list a state.
    pub labels: Vec<Vec<String>>,
}

/// A named property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// The formula.
    pub formula: FormulaText,
}

/// A constraint that is assumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// The demand.
    pub demand: Demand,
    /// Where it stands in the file.
    pub span: Span,
}

/// Demand of a constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Demand {
    /// `wf(…)`, `sf(…)`, `wl(…)`, `sl(…)`.
    Fair(Annotation, Target),
    /// `justice(p)`: `p` again and again.
    Justice(FormulaText),
    /// `compassion(p, q)`: if `p` again and again, then `q` again and again.
    Compassion(FormulaText, FormulaText),
}

/// Subject of a fairness constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A component or an event, whichever has this name.
    Name(String),
    /// A component.
    Process(String),
    /// An event, no matter which process takes it.
    Event(String),
    /// The moves of one component with one event.
    EventOf {
        /// The event.
        event: String,
        /// The component.
        process: String,
    },
}

/// Subject of a notion of fairness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Every process.
    Process,
    /// Every event.
    Event,
    /// Every local transition.
    Action,
}

/// A notion of fairness as a case names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Notion {
    /// `none`: every run counts (that satisfies the constraints of the file).
    None,
    /// `weak process`, `weak event`, `weak action`
    Weak(Level),
    /// `strong process`, `strong event`, `strong action`
    Strong(Level),
    /// `weak live`: of every event.
    WeakLive,
    /// `strong live`: of every event.
    StrongLive,
    /// `annotated name`: an annotation is about the event, no matter which process takes it.
    AnnotatedName,
    /// `annotated occurrence`: an annotation is about the annotated transitions.
    AnnotatedOccurrence,
    /// `global`: every transition of a state that is visited again and again is taken.
    Global,
    /// `inherent trace`: every prefix, as a word, has a satisfying continuation.
    InherentTrace,
    /// `inherent run`: every prefix, as a run, has a satisfying continuation.
    InherentRun,
}

impl Notion {
    /// All of them.
    pub const ALL: [Notion; 14] = [
        Notion::None,
        Notion::Weak(Level::Process),
        Notion::Strong(Level::Process),
        Notion::Weak(Level::Event),
        Notion::Strong(Level::Event),
        Notion::Weak(Level::Action),
        Notion::Strong(Level::Action),
        Notion::WeakLive,
        Notion::StrongLive,
        Notion::AnnotatedName,
        Notion::AnnotatedOccurrence,
        Notion::Global,
        Notion::InherentTrace,
        Notion::InherentRun,
    ];

    /// The notion written so, with single spaces.
    pub fn named(text: &str) -> Option<Notion> {
        Notion::ALL.into_iter().find(|notion| notion.text() == text)
    }

    /// Whether this is relative liveness, which is no condition on runs.
    pub fn is_inherent(self) -> bool {
        matches!(self, Notion::InherentTrace | Notion::InherentRun)
    }

    fn text(self) -> &'static str {
        match self {
            Notion::None => "none",
            Notion::Weak(Level::Process) => "weak process",
            Notion::Weak(Level::Event) => "weak event",
            Notion::Weak(Level::Action) => "weak action",
            Notion::Strong(Level::Process) => "strong process",
            Notion::Strong(Level::Event) => "strong event",
            Notion::Strong(Level::Action) => "strong action",
            Notion::WeakLive => "weak live",
            Notion::StrongLive => "strong live",
            Notion::AnnotatedName => "annotated name",
            Notion::AnnotatedOccurrence => "annotated occurrence",
            Notion::Global => "global",
            Notion::InherentTrace => "inherent trace",
            Notion::InherentRun => "inherent run",
        }
    }
}

impl fmt::Display for Notion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Expected answer for a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every fair run satisfies it.
    Holds,
    /// Some fair run does not.
    Violated,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
        })
    }
}

/// Expected answer for a property under a notion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The name of the property.
    pub property: String,
    /// The notion.
    pub notion: Notion,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether there is a fair run at all.
    pub feasible: bool,
    /// Whether every reachable state has a fair continuation; never without `feasible`. Both are
    /// true and mean nothing for the inherent notions.
    pub machine_closed: bool,
    /// Where the line stands in the file.
    pub span: Span,
}

impl CaseComponent {
    /// The component of a system.
    ///
    /// # Panics
    /// If a position in `initial` or `transitions` is not one of `states`, which [`parse`] never
    /// gives.
    pub fn build(&self) -> Component {
        let mut builder = ComponentBuilder::new(&self.name);
        for state in &self.states {
            builder.add_state(state);
        }
        for (at, labels) in (0u32..).zip(&self.labels) {
            builder.set_labels(at, labels.clone());
        }
        for &state in &self.initial {
            builder.add_initial(state);
        }
        for event in &self.alphabet {
            builder.add_event(event);
        }
        for LocalTransition { from, event, to, annotation, .. } in &self.transitions {
            builder.add_transition(*from, event, *to, *annotation);
        }
        builder.build()
    }
}

impl Case {
    /// The components, ready to be put together.
    pub fn build(&self) -> Vec<Component> {
        self.components.iter().map(CaseComponent::build).collect()
    }

    /// How they are put together.
    pub fn composition(&self) -> Composition {
        Composition { interleaved: self.interleaved.clone() }
    }

    /// The system.
    ///
    /// # Errors
    /// When names clash or a component has nowhere to start; a case from [`parse`] has no such
    /// faults.
    pub fn network(&self) -> Result<Network, NetworkError> {
        Network::new(self.build(), &self.composition())
    }

    /// The property with this name.
    pub fn property(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.name == name)
    }
}
