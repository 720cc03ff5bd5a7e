//! The fairness that is assumed of runs.

use fairly_fairness::{AnnotationLevel, Level, Notion, PrefixKind, Strength};

/// An assumption about runs, for [`Check::assume`](crate::Check::assume).
///
/// Assumptions are made by [`weak`], [`strong`], [`weak_live`], [`strong_live`], [`annotated`], [`global`] and
/// [`inherent`]. A text is one of the constraints that reports name, such as `wf(User0)` or `sf(Deliver.*)`.
/// Assumptions about states are made by [`Check::justice`](crate::Check::justice) and
/// [`Check::compassion`](crate::Check::compassion).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fairness(pub(crate) Assumed);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Assumed {
    Notion(Notion),
    /// A constraint as it is written.
    Text(String),
    /// Each event that a pattern names is a constraint.
    Each(Strength, String),
}

impl From<&str> for Fairness {
    fn from(text: &str) -> Self {
        Fairness(Assumed::Text(text.to_owned()))
    }
}

impl From<String> for Fairness {
    fn from(text: String) -> Self {
        Fairness(Assumed::Text(text))
    }
}

/// Weak or strong fairness; its methods say of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "it assumes nothing until it is said what is fair: `.processes()`"]
pub struct Fair(Strength);

/// Weak fairness: whatever can be done from some time on is done again and again. Every reasonable scheduler gives it
/// to processes.
///
/// ```
/// let scheduler: fairly::Fairness = fairly::weak().processes();
/// ```
pub fn weak() -> Fair {
    Fair(Strength::Weak)
}

/// Strong fairness: whatever can be done again and again is done again and again. A fair lock gives it to those who
/// wait, and a network that loses only some messages to their delivery.
///
/// ```
/// let network: fairly::Fairness = fairly::strong().each_event("Deliver.*");
/// ```
pub fn strong() -> Fair {
    Fair(Strength::Strong)
}

impl Fair {
    /// Of every process.
    ///
    /// ```
    /// let all = fairly::weak().processes();
    /// ```
    #[must_use]
    pub fn processes(self) -> Fairness {
        self.all(Level::Process)
    }

    /// Of every event. All states are explored first, since events are met on the way.
    ///
    /// ```
    /// let all = fairly::strong().events();
    /// ```
    #[must_use]
    pub fn events(self) -> Fairness {
        self.all(Level::Event)
    }

    /// Of every part that a process has in an event. All states are explored first.
    ///
    /// ```
    /// let all = fairly::weak().actions();
    /// ```
    #[must_use]
    pub fn actions(self) -> Fairness {
        self.all(Level::Action)
    }

    /// Of one process.
    ///
    /// ```
    /// assert_eq!(fairly::weak().process("User 0"), "wf(process \"User 0\")".into());
    /// ```
    #[must_use]
    pub fn process(self, name: &str) -> Fairness {
        self.of("process", name)
    }

    /// Of the events of a name or pattern, together: one of them is enough.
    ///
    /// ```
    /// assert_eq!(fairly::strong().event("Send.*"), "sf(event \"Send.*\")".into());
    /// ```
    #[must_use]
    pub fn event(self, pattern: &str) -> Fairness {
        self.of("event", pattern)
    }

    /// Of each event of a pattern, for itself. All states are explored first.
    ///
    /// ```
    /// let delivery = fairly::strong().each_event("Deliver.*");
    /// ```
    #[must_use]
    pub fn each_event(self, pattern: &str) -> Fairness {
        Fairness(Assumed::Each(self.0, pattern.to_owned()))
    }

    fn all(self, level: Level) -> Fairness {
        Fairness(Assumed::Notion(match self.0 {
            Strength::Weak => Notion::Weak(level),
            Strength::Strong => Notion::Strong(level),
        }))
    }

    fn of(self, keyword: &str, name: &str) -> Fairness {
        let kind = match self.0 {
            Strength::Weak => "wf",
            Strength::Strong => "sf",
        };
        let name = name.replace('\\', "\\\\").replace('"', "\\\"");
        Fairness(Assumed::Text(format!("{kind}({keyword} \"{name}\")")))
    }
}

/// Weak fairness of every event that processes are ready for, whether or not their partners are.
///
/// ```
/// let live = fairly::weak_live();
/// ```
#[must_use]
pub fn weak_live() -> Fairness {
    Fairness(Assumed::Notion(Notion::WeakLive))
}

/// Strong fairness of every event that processes are ready for, whether or not their partners are.
///
/// ```
/// let live = fairly::strong_live();
/// ```
#[must_use]
pub fn strong_live() -> Fairness {
    Fairness(Assumed::Notion(Notion::StrongLive))
}

/// The fairness that the [parts](crate::Part::annotation) of the model ask for: of the annotated events, or of the
/// annotated parts of single processes.
///
/// ```
/// let by_event = fairly::annotated(fairly::Annotations::Events);
/// ```
#[must_use]
pub fn annotated(of: Annotations) -> Fairness {
    Fairness(Assumed::Notion(Notion::Annotated(match of {
        Annotations::Events => AnnotationLevel::Name,
        Annotations::Parts => AnnotationLevel::Occurrence,
    })))
}

/// Subject of annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Annotations {
    /// An annotation is about every part with the same event.
    Events,
    /// An annotation is about the part where it stands.
    Parts,
}

/// Strong global fairness: every step of a state that is met again and again is taken again and again.
///
/// ```
/// let dice = fairly::global();
/// ```
#[must_use]
pub fn global() -> Fairness {
    Fairness(Assumed::Notion(Notion::Global))
}

/// Inherent fairness (relative liveness): every beginning of a run can be continued so that the property holds.
///
/// ```
/// let possible = fairly::inherent(fairly::Beginning::Run);
/// ```
#[must_use]
pub fn inherent(beginning: Beginning) -> Fairness {
    Fairness(Assumed::Notion(Notion::Inherent(match beginning {
        Beginning::Trace => PrefixKind::Trace,
        Beginning::Run => PrefixKind::Run,
    })))
}

/// Meaning of the beginning of a run for [`inherent`] fairness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// Its trace; another run that looks the same may be the one that is continued.
    Trace,
    /// The run itself.
    Run,
}
