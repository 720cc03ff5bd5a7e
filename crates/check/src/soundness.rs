//! Which reduction keeps which answers: one table for each, and what decides by them.
//!
//! Partial-order reduction keeps, of every run, in which order what is *watched* happens. What is not
//! decided by that is refused, with the row of the table that says so. Whether the answers are the same
//! is tested against the whole system in `tests/reduction.rs` and `tests/lasting.rs`, and every row in
//! `tests/soundness.rs`.

use std::fmt;

use fairly_fairness::{Constraint, Notion, Predicate, Selector, StepFormula};
use fairly_logic::{Formula, Formulas, Node};
use fairly_reduce::{Asymmetric, Reduced, Reducible, Symmetry, Unsuited, Watched};
use fairly_search::Binding;
use fairly_system::EventReading;
use hashbrown::HashMap;

use crate::property::Property;

/// A row of the table: something that is asked, and whether a reduction keeps the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it is about.
    pub kind: RowKind,
    /// In a few words.
    pub what: &'static str,
    /// Whether partial-order reduction keeps the answer.
    pub kept: bool,
    /// Why, or why not.
    pub reason: &'static str,
}

/// What the rows of the table are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum RowKind {
    Errors,
    Deadlocks,
    Reachability,
    StateFormula,
    EventFormula,
    NoFairness,
    ProcessFairness,
    EventFairness,
    ActionFairness,
    Liveness,
    Justice,
    Own,
    MachineClosure,
    Next,
    Counting,
    Stopping,
    Never,
    CountingConstraint,
    Global,
    Inherent,
    Least,
    Refinement,
    Termination,
    Survey,
    Open,
    Priorities,
    Last,
    Alike,
    Followed,
    Indexed,
    Numbered,
    Numbers,
    Meeting,
    Waiting,
    Looked,
}

const fn row(kind: RowKind, what: &'static str, kept: bool, reason: &'static str) -> Row {
    Row { kind, what, kept, reason }
}

/// The table.
pub const SOUNDNESS: &[Row] = &[
    row(
        RowKind::Errors,
        "assertions and other errors of a model",
        true,
        "a step that goes wrong is never followed alone, and no cycle leaves it out",
    ),
    row(
        RowKind::Deadlocks,
        "deadlocks, invalid end states",
        true,
        "what is followed in a state cannot be disabled by what is left out",
    ),
    row(
        RowKind::Reachability,
        "states with a proposition or a value that can be reached",
        true,
        "steps that change it are never followed alone",
    ),
    row(
        RowKind::StateFormula,
        "LTL over states without X",
        true,
        "it does not matter how long a value lasts",
    ),
    row(
        RowKind::EventFormula,
        "LTL over events, or both, where steps without them may come anywhere",
        true,
        "F a, G !a, G (a -> F b), !a U b; a formula is recognised by its form",
    ),
    row(RowKind::NoFairness, "no fairness", true, "every run counts"),
    row(
        RowKind::ProcessFairness,
        "weak and strong fairness of processes",
        true,
        "a step is followed alone only if no fair process is more or less enabled after it, or what is \
         enabled stays so until it is taken",
    ),
    row(
        RowKind::EventFairness,
        "weak and strong fairness of events, wf(e), sf(e)",
        true,
        "a step is followed alone only if what is fair is enabled after it as it was before, or what is \
         enabled stays so until it is taken",
    ),
    row(
        RowKind::ActionFairness,
        "weak and strong fairness of single transitions",
        true,
        "a transition stays the same one wherever others happen",
    ),
    row(
        RowKind::Liveness,
        "weak and strong liveness, wl(e), sl(e)",
        true,
        "a step is followed alone only if what is live is ready after it as it was before, or what is \
         ready stays so until it is taken",
    ),
    row(
        RowKind::Justice,
        "justice(p), compassion(p, q), where steps in between make no difference to p and q",
        true,
        "as for formulas",
    ),
    row(
        RowKind::Own,
        "acceptance conditions of components",
        true,
        "transitions that may be taken only finitely often are never followed alone",
    ),
    row(
        RowKind::MachineClosure,
        "whether every finite run has a fair continuation",
        true,
        "every finite run can be continued to one that is followed",
    ),
    row(RowKind::Next, "formulas with X", false, "X counts steps, and steps are left out"),
    row(
        RowKind::Counting,
        "formulas over events that steps in between would change, such as a U b",
        false,
        "a step without these events may come earlier, and `a U b` does not hold there",
    ),
    row(
        RowKind::Stopping,
        "formulas about `deadlock` and `terminated`",
        false,
        "the last step to a deadlock changes them, and it may be any step",
    ),
    row(RowKind::Never, "never claims and automata", false, "an automaton may count steps"),
    row(
        RowKind::CountingConstraint,
        "constraints on steps that steps in between would change, such as justice(!a)",
        false,
        "steps without the event may be left out, or come elsewhere",
    ),
    row(
        RowKind::Global,
        "strong global fairness",
        false,
        "it asks for every transition of a state, and transitions are left out",
    ),
    row(
        RowKind::Inherent,
        "inherent fairness",
        false,
        "it is about every finite run, and finite runs are left out",
    ),
    row(
        RowKind::Least,
        "least sets of constraints",
        false,
        "many sets are tried on one system, and each would need another reduction",
    ),
    row(
        RowKind::Refinement,
        "refinement, determinism, divergence, non-termination",
        false,
        "they compare what is offered, and offers are left out",
    ),
    row(
        RowKind::Termination,
        "deadlock freedom where processes can terminate one by one",
        false,
        "it depends on the last step to a state, and that may be another one",
    ),
    row(
        RowKind::Survey,
        "constraints for every event or transition of a system that lists them as they are met",
        false,
        "all of them have to be met first, so the whole system is explored for that",
    ),
    row(
        RowKind::Open,
        "processes that are unfolded as they are explored",
        false,
        "what they may still do is not known",
    ),
    row(
        RowKind::Priorities,
        "models in which atomic actions go before others (CSP#)",
        false,
        "an action can keep any other from being enabled",
    ),
    row(
        RowKind::Last,
        "models that read who moved last, or whether others can move",
        false,
        "every step changes what they read, so none is independent of another",
    ),
];

/// The table for symmetry: one state for all in which processes that are alike have only changed places.
/// Whatever names a process takes it out of what is exchanged.
pub const SYMMETRY: &[Row] = &[
    row(
        RowKind::Reachability,
        "errors, deadlocks, states that can be reached",
        true,
        "an exchange of processes that are alike turns runs into runs",
    ),
    row(
        RowKind::Alike,
        "LTL, with X or without, and never claims, if two processes that are alike are not named",
        true,
        "no step is left out, one stands for those that nobody tells apart",
    ),
    row(RowKind::NoFairness, "no fairness", true, "every run counts"),
    row(
        RowKind::EventFairness,
        "fairness and liveness of events that all processes alike have, or none of them; justice",
        true,
        "an exchange changes neither what is asked for nor what is taken",
    ),
    row(
        RowKind::ProcessFairness,
        "fairness of some processes, and of their events and transitions",
        true,
        "these are named and stay where they are; the others are exchanged",
    ),
    row(
        RowKind::MachineClosure,
        "whether every finite run has a fair continuation",
        true,
        "an exchange of processes turns runs into runs",
    ),
    row(
        RowKind::Followed,
        "fairness of all processes that are alike, and of each one's own events and transitions",
        true,
        "each process is followed through the exchanges, with what is asked for it",
    ),
    row(
        RowKind::Numbered,
        "processes that know numbers of processes, in variables, messages and indices of arrays",
        true,
        "the numbers are exchanged too, if they are only assigned and compared for equality",
    ),
    row(
        RowKind::Indexed,
        "formulas and constraints that name all processes that are alike, or all but one",
        false,
        "whoever is named stays where it is, and nobody is left to be exchanged",
    ),
    row(
        RowKind::Global,
        "strong global fairness",
        false,
        "a run may take every transition of a state that stands for two, and of each only half",
    ),
    row(RowKind::Inherent, "inherent fairness", false, "it is decided on the whole system"),
    row(
        RowKind::Refinement,
        "refinement, determinism, divergence, non-termination",
        false,
        "they are decided on the whole system",
    ),
    row(
        RowKind::Numbers,
        "models that compute with numbers of processes or compare them by order, rings, who moved last",
        false,
        "an exchange changes the numbers, and not what was computed from them",
    ),
    row(
        RowKind::Open,
        "processes that are unfolded as they are explored",
        false,
        "whether they are alike is not known",
    ),
];

/// The table for variables that are dead: those that no process reads again before it has given them another
/// value are forgotten. What is left is strongly bisimilar to the system, so only what asks whether two
/// states are the same one is not kept.
pub const FORGETTING: &[Row] = &[
    row(
        RowKind::Reachability,
        "errors, deadlocks, states that can be reached",
        true,
        "what is read there, or by a proposition, is not forgotten",
    ),
    row(
        RowKind::Alike,
        "LTL, with X or without, over states and events, and never claims",
        true,
        "every step is there, with its event and its propositions",
    ),
    row(RowKind::NoFairness, "no fairness", true, "every run counts"),
    row(
        RowKind::ProcessFairness,
        "weak and strong fairness of processes, events and transitions; liveness; justice",
        true,
        "the same is enabled, ready and taken",
    ),
    row(
        RowKind::MachineClosure,
        "whether every finite run has a fair continuation",
        true,
        "finite runs and what continues them are the same",
    ),
    row(
        RowKind::Inherent,
        "inherent fairness",
        true,
        "finite runs and what continues them are the same",
    ),
    row(
        RowKind::Global,
        "strong global fairness",
        false,
        "it asks for every transition of a state, and of two states that become one for only half each",
    ),
    row(
        RowKind::Refinement,
        "refinement, determinism, divergence, non-termination",
        false,
        "they are decided on the whole system",
    ),
    row(
        RowKind::Open,
        "processes that are unfolded as they are explored",
        false,
        "what they may still read is not known",
    ),
];

/// The table for statements that are merged: a process does at once what it can do in any case, what cannot go
/// wrong, and what is about its own variables only. Whoever could tell a process that is about to do so from
/// one that has done it takes it out of what is merged. What is left has the same runs, but for when such
/// steps are taken.
pub const MERGING: &[Row] = &[
    row(
        RowKind::Errors,
        "errors, deadlocks, states that can be reached",
        true,
        "a step that can go wrong is not merged, and who has such a step to take is not stuck",
    ),
    row(
        RowKind::StateFormula,
        "LTL over states without X",
        true,
        "a step that changes what the formula reads is not merged",
    ),
    row(
        RowKind::EventFormula,
        "LTL over events, or both, where steps without them may come anywhere",
        true,
        "a step with one of these events is not merged",
    ),
    row(RowKind::NoFairness, "no fairness", true, "every run counts"),
    row(
        RowKind::ProcessFairness,
        "weak and strong fairness of processes, all or some",
        true,
        "who is about to do something that is merged can do it, and no other process depends on it",
    ),
    row(
        RowKind::Justice,
        "justice(p), compassion(p, q), where steps in between make no difference to p and q",
        true,
        "as for formulas",
    ),
    row(
        RowKind::MachineClosure,
        "whether every finite run has a fair continuation",
        true,
        "whoever is about to do something that is merged can do it first",
    ),
    row(
        RowKind::Looked,
        "steps to or from a place, or with a variable, that a formula or another process reads",
        false,
        "these are taken one by one, the others are merged",
    ),
    row(
        RowKind::Meeting,
        "processes with rendezvous, under fairness, beside atomic sequences or `else`",
        false,
        "another process waits while they do what would be merged",
    ),
    row(
        RowKind::Waiting,
        "models with `timeout`, under fairness",
        false,
        "there is no timeout while somebody does what would be merged",
    ),
    row(RowKind::Next, "formulas with X", false, "X counts steps"),
    row(
        RowKind::Counting,
        "formulas over events that steps in between would change, such as a U b",
        false,
        "a step without these events is merged into the one before",
    ),
    row(
        RowKind::Stopping,
        "formulas about `deadlock` and `terminated`",
        false,
        "the last step to a deadlock changes them, and it may be one that is merged",
    ),
    row(RowKind::Never, "never claims and automata", false, "an automaton may count steps"),
    row(
        RowKind::EventFairness,
        "fairness and liveness of events and single transitions",
        false,
        "what is enabled before and after a step that is merged need not be in between",
    ),
    row(
        RowKind::CountingConstraint,
        "constraints on steps that steps in between would change, such as justice(!a)",
        false,
        "steps without the event are merged into others",
    ),
    row(
        RowKind::Global,
        "strong global fairness",
        false,
        "it asks for every transition of a state, and states are passed",
    ),
    row(RowKind::Inherent, "inherent fairness", false, "it is decided step by step"),
    row(
        RowKind::Refinement,
        "refinement, determinism, divergence, non-termination, least sets of constraints",
        false,
        "they are decided on the whole system",
    ),
    row(
        RowKind::Last,
        "models that read who moved last, or whether others can move",
        false,
        "they tell a process that is about to move from one that has",
    ),
    row(
        RowKind::Open,
        "processes that are unfolded as they are explored, or with atomic actions that go first (CSP#)",
        false,
        "what they do next is not known, or goes before all others",
    ),
];

/// Why nothing is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The table says so.
    Table(RowKind),
    /// Nothing could be left out.
    Nothing,
    /// No two processes are alike.
    Different,
    /// The number of a process is used here in a way that an exchange changes.
    Used(String),
    /// Nobody wanted it.
    NotAsked,
    /// Nothing is known of the system.
    Unknown,
    /// The run that was found up to exchanges did not stand up to replay, which is a bug; so the whole
    /// system was searched.
    Replay,
    /// The run of the system behind one that was found would be very long, or cannot be told.
    Long,
    /// There are more ways through atomic sequences than are passed through.
    Ways,
    /// The run that was found is shown as it is found without reduction, which is shorter.
    Shown,
}

impl From<Unsuited> for Refusal {
    fn from(why: Unsuited) -> Self {
        match why {
            Unsuited::Open => Refusal::Table(RowKind::Open),
            Unsuited::Priorities => Refusal::Table(RowKind::Priorities),
            Unsuited::Stuck => Refusal::Table(RowKind::Stopping),
            Unsuited::Nothing => Refusal::Nothing,
            Unsuited::Unknown => Refusal::Unknown,
        }
    }
}

impl From<Asymmetric> for Refusal {
    fn from(why: Asymmetric) -> Self {
        match why {
            Asymmetric::Open => Refusal::Table(RowKind::Open),
            Asymmetric::Numbers => Refusal::Table(RowKind::Numbers),
            Asymmetric::Used(text) => Refusal::Used(text),
            Asymmetric::Named => Refusal::Table(RowKind::Indexed),
            Asymmetric::Different => Refusal::Different,
            Asymmetric::Unknown => Refusal::Unknown,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Table(kind) => {
                let row = SOUNDNESS.iter().chain(SYMMETRY).find(|row| row.kind == *kind);
                let row = row.expect("every kind has its row");
                write!(f, "{}: {}", row.what, row.reason)
            }
            Refusal::Nothing => f.write_str("no step can be left out"),
            Refusal::Different => f.write_str("no two processes are alike"),
            Refusal::Used(text) => {
                let row = SYMMETRY.iter().find(|row| row.kind == RowKind::Numbers);
                let reason = row.expect("it has its row").reason;
                write!(f, "the number of a process is used in {text}: {reason}")
            }
            Refusal::NotAsked => f.write_str("turned off"),
            Refusal::Replay => {
                f.write_str("a run that was found by symmetry does not stand up to replay")
            }
            Refusal::Long => f.write_str("the run behind one found by symmetry would be very long"),
            Refusal::Ways => {
                f.write_str("atomic sequences have too many ways to follow all of them")
            }
            Refusal::Shown => f.write_str("looked for again, to show a shortest run"),
            Refusal::Unknown => {
                f.write_str("nothing is known of how processes depend on each other")
            }
        }
    }
}

/// What a question rests on, for each reduction, or why it cannot be used.
pub(crate) struct Wanted {
    /// For partial orders.
    pub(crate) orders: Result<Watched, Refusal>,
    /// For symmetry.
    pub(crate) symmetry: Result<Watched, Refusal>,
    /// For forgetting what is dead; nothing if nobody wants that.
    pub(crate) forgetting: Option<Watched>,
    /// For merging statements; nothing if nobody wants that, or it does not keep the answer.
    pub(crate) merging: Option<Watched>,
    /// Whether it makes a difference that the last step to a deadlock was termination.
    pub(crate) ends: bool,
}

impl Wanted {
    /// Nobody wants any.
    pub(crate) fn nothing() -> Wanted {
        let [orders, symmetry] = [Err(Refusal::NotAsked), Err(Refusal::NotAsked)];
        Wanted { orders, symmetry, forgetting: None, merging: None, ends: false }
    }
}

/// Exchanges of processes from which on symmetry is used although steps could be left out: four
/// processes that are alike. Partial orders do not shrink what so many do to shared variables, and
/// both together have not been shown to be sound here.
const MANY: u64 = 24;

/// Why a system is not reduced, or not in one of the ways.
#[derive(Debug, Default)]
pub(crate) struct Refused {
    /// Why nothing is left out, if nothing is.
    pub(crate) unreduced: Option<Refusal>,
    /// Why processes are not exchanged although some look alike.
    pub(crate) asymmetric: Option<Refusal>,
}

/// The system, reduced if that is possible; if not, why not is noted. Statements are merged first, if that is
/// wanted, so that all else is about what is left. What is dead is forgotten as well, if that is wanted, unless
/// processes are followed through their exchanges: both together are not done here.
pub(crate) fn reduce<'a, S: Reducible>(
    system: &'a mut S,
    mut wanted: Wanted,
    refused: &mut Refused,
) -> Reduced<'a, S> {
    let forgetting = wanted.forgetting.take();
    if let Some(watched) = wanted.merging.take() {
        system.merge(&watched);
    }
    let reduced = leave_out(system, wanted, refused);
    match forgetting {
        Some(watched) => reduced.forgetting(&watched),
        None => reduced,
    }
}

/// By symmetry, partial orders, or not at all.
fn leave_out<'a, S: Reducible>(
    system: &'a mut S,
    wanted: Wanted,
    refused: &mut Refused,
) -> Reduced<'a, S> {
    let Wanted { orders, symmetry, ends, .. } = wanted;
    let alone = matches!(orders, Err(Refusal::NotAsked));
    let symmetry = symmetry.and_then(|watched| {
        if system.is_cut() {
            return Err(Refusal::Ways);
        }
        let mut symmetry = system.symmetry(&watched)?;
        let mut saves =
            if alone { symmetry.orbit() } else { system.exchanges_at_start(&mut symmetry) };
        // Following processes needs all of a quotient, so that is done where much is saved.
        if symmetry.is_followed() && saves < MANY && !alone {
            symmetry = system.symmetry(&Watched { followed: false, ..watched })?;
            saves = system.exchanges_at_start(&mut symmetry);
        }
        // Processes that are different from the start on are hardly ever the same later.
        if saves > 1 { Ok((symmetry, saves)) } else { Err(Refusal::Different) }
    });
    match &symmetry {
        Ok((symmetry, saves)) if *saves >= MANY => {
            return Reduced::up_to(system, symmetry.clone());
        }
        Ok(_) | Err(Refusal::Different | Refusal::Unknown | Refusal::NotAsked) => {}
        Err(why) => refused.asymmetric = Some(why.clone()),
    }
    let skeleton = orders.and_then(|watched| {
        let skeleton = system.skeleton(&watched).map_err(Refusal::from)?;
        match skeleton.is_reducible() {
            true if ends && !skeleton.ends_together() => Err(Refusal::Table(RowKind::Termination)),
            true => Ok((skeleton, watched)),
            false => Err(Refusal::Nothing),
        }
    });
    match (skeleton, symmetry) {
        (Ok((skeleton, watched)), _) => Reduced::with(system, skeleton, watched),
        (Err(_), Ok((symmetry, _))) => Reduced::up_to(system, symmetry),
        (Err(why), Err(why_not)) => {
            // Why a reduction that nobody asked for was not used says nothing.
            refused.unreduced = Some(if why == Refusal::NotAsked { why_not } else { why });
            Reduced::whole(system)
        }
    }
}

/// What was left out and forgotten, as a verdict says it; empty if it was nothing.
pub(crate) fn said<S: Reducible>(reduced: &Reduced<'_, S>) -> Vec<String> {
    let left_out = match reduced.symmetry() {
        Some(symmetry) => Some(said_of(symmetry)),
        None => {
            share("partial order left out", reduced.saved().left_out(), reduced.saved().enabled)
        }
    };
    let forgotten = reduced.forgotten().unwrap_or_default();
    let forgotten = share("dead variables reset:", forgotten.changed, forgotten.steps);
    let merged = match reduced.merged() {
        0 => None,
        1 => Some("statements merged: 1 location passed".to_owned()),
        count => Some(format!("statements merged: {count} locations passed")),
    };
    left_out.into_iter().chain(merged).chain(forgotten).collect()
}

/// Whether a run of the reduced system may be longer than one of the system: what is forgotten makes none
/// longer, but a process that never rests between two statements may take one that it need not.
pub(crate) fn makes_detours<S: Reducible>(reduced: &Reduced<'_, S>) -> bool {
    reduced.symmetry().is_some() || reduced.saved().left_out() > 0 || reduced.merged() > 0
}

/// States may be looked at again, to show a way, so only the share means something.
fn share(what: &str, part: usize, all: usize) -> Option<String> {
    (part > 0).then(|| match 100 * part / all {
        0 => format!("{what} less than 1 %"),
        share => format!("{what} {share} %"),
    })
}

fn said_of(symmetry: &Symmetry) -> String {
    let sizes: Vec<String> = symmetry.groups().map(|size| size.to_string()).collect();
    let count = symmetry.stood_for();
    let count = match count {
        _ if !count.is_finite() => "more than 10^300".to_owned(),
        _ if count >= 1e6 => format!("10^{:.0}", count.log10()),
        _ if count >= 100.0 => format!("{count:.0}"),
        _ => format!("{count:.1}"),
    };
    format!("symmetry: {} alike, a state for {count}", sizes.join(" + "))
}

/// What has to be watched so that the answer is the same when processes are exchanged: all that the
/// property and the constraints speak of. The rest of the system keeps its steps one by one, so any
/// condition on runs is kept.
pub(crate) fn seen(property: Option<&Property>, constraints: &[Constraint]) -> Watched {
    let mut watched = Watched { constraints: constraints.to_vec(), ..Watched::default() };
    if let Some(property) = property {
        watched.atoms = property.propositions();
        watched.events = property.events().into_iter().cloned().collect();
        let never = property.never.iter().flat_map(|never| &never.bindings);
        for binding in never {
            match binding {
                Binding::State(atom) => watched.atoms.push(*atom),
                Binding::Event(events) => watched.events.push(events.clone()),
            }
        }
    }
    watched
}

/// What has to be watched so that the answer to a property under constraints is the same.
///
/// # Errors
/// When no reduction is known to keep it.
pub(crate) fn watched(
    property: Option<&Property>,
    notion: Notion,
    constraints: &[Constraint],
) -> Result<Watched, Refusal> {
    match notion {
        Notion::Global => return Err(Refusal::Table(RowKind::Global)),
        Notion::Inherent(_) => return Err(Refusal::Table(RowKind::Inherent)),
        _ => {}
    }
    for constraint in constraints {
        check_constraint(constraint)?;
    }
    let mut watched = Watched { constraints: constraints.to_vec(), ..Watched::default() };
    if let Some(property) = property {
        if property.never.is_some() {
            return Err(Refusal::Table(RowKind::Never));
        }
        check_formula(property)?;
        watched.atoms = property.propositions();
        watched.events = property.events().into_iter().cloned().collect();
    }
    Ok(watched)
}

/// What has to be watched so that the answer is the same when statements are merged, given that for partial
/// orders: nothing but fairness of whole processes may ask what is enabled.
pub(crate) fn mergeable(watched: &Watched) -> Option<Watched> {
    let fits = |constraint: &Constraint| match (&constraint.when, &constraint.then) {
        (Predicate::True | Predicate::Step(_), Predicate::True | Predicate::Step(_)) => true,
        (
            Predicate::Enabled(Selector::Process(one)),
            Predicate::Taken(Selector::Process(other)),
        ) => one == other,
        _ => false,
    };
    watched.constraints.iter().all(fits).then(|| watched.clone())
}

/// How a formula behaves at a position that a quiet step puts in: one with none of the events of the
/// formula, and the propositions of its neighbour.
///
/// For a formula all of whose temporal parts have one of the forms below, taking out or putting in such
/// positions changes no value at the others. Siegel and Yan (*Action-based model checking*, CAV 2020)
/// call such formulas interruptible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Form {
    /// False there.
    never: bool,
    /// True there.
    always: bool,
    /// As at the next position.
    next: bool,
    /// As at the position before.
    before: bool,
}

impl Form {
    const TRUE: Form = Form { never: false, always: true, next: true, before: true };

    fn not(self) -> Form {
        Form { never: self.always, always: self.never, ..self }
    }

    fn both(self, other: Form) -> Form {
        Form {
            never: self.never || other.never,
            always: self.always && other.always,
            next: self.next && other.next,
            before: self.before && other.before,
        }
    }

    fn one(self, other: Form) -> Form {
        self.not().both(other.not()).not()
    }

    /// Of `self U other` and `self W other`; `None` if positions put in change its value elsewhere.
    fn until(self, other: Form) -> Option<Form> {
        let mut form = Form::default();
        let mut known = false;
        if self.always && (other.never || other.next) || self.next && other.next {
            (form.next, known) = (true, true);
        }
        if self.before && other.before {
            (form.before, known) = (true, true);
        }
        // At the position put in its value is neither that of the next nor that of the one before,
        // but where it was there before, it is the same.
        known |= self.always && other.before;
        known |= self.before && (other.never || other.next);
        known.then_some(form)
    }
}

fn check_formula(property: &Property) -> Result<(), Refusal> {
    let mut known = HashMap::new();
    let Property { formulas, formula, reading, .. } = property;
    let form = form_of(formulas, *formula, &mut known, &|atom| match property.binding(atom) {
        Binding::Event(_) => Form { never: true, ..Form::default() },
        Binding::State(_) => match reading {
            EventReading::Leaving => Form { next: true, ..Form::default() },
            EventReading::Entering => Form { before: true, ..Form::default() },
        },
    })?;
    // With events that lead to a state, no step comes before the first position.
    match reading {
        EventReading::Leaving if !form.next => Err(Refusal::Table(RowKind::Counting)),
        _ => Ok(()),
    }
}

/// The form of a formula. The depth is that of the formula, which its reader bounds.
fn form_of(
    formulas: &Formulas,
    formula: Formula,
    known: &mut HashMap<Formula, Form>,
    atom: &impl Fn(fairly_logic::AtomId) -> Form,
) -> Result<Form, Refusal> {
    if let Some(&form) = known.get(&formula) {
        return Ok(form);
    }
    let mut of = |part: Formula| form_of(formulas, part, known, atom);
    let counts = Refusal::Table(RowKind::Counting);
    let form = match formulas.node(formula) {
        Node::True => Form::TRUE,
        Node::False => Form::TRUE.not(),
        Node::Atom(id) => atom(id),
        Node::Not(a) => of(a)?.not(),
        Node::And(parts) => {
            parts.iter().try_fold(Form::TRUE, |all, &part| Ok::<_, Refusal>(all.both(of(part)?)))?
        }
        Node::Or(parts) => {
            let none = Form::TRUE.not();
            parts.iter().try_fold(none, |all, &part| Ok::<_, Refusal>(all.one(of(part)?)))?
        }
        Node::Implies(a, b) => of(a)?.not().one(of(b)?),
        Node::Iff(a, b) | Node::Xor(a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            a.both(b).one(a.not().both(b.not()))
        }
        Node::Next(_) => return Err(Refusal::Table(RowKind::Next)),
        Node::Finally(a) => Form::TRUE.until(of(a)?).ok_or(counts)?,
        Node::Globally(a) => Form::TRUE.until(of(a)?.not()).ok_or(counts)?.not(),
        Node::Until(a, b) | Node::WeakUntil(a, b) => of(a)?.until(of(b)?).ok_or(counts)?,
        Node::Release(a, b) | Node::StrongRelease(a, b) => {
            of(a)?.not().until(of(b)?.not()).ok_or(counts)?.not()
        }
    };
    // That of an exclusive or is the negation of what is above.
    let form = if let Node::Xor(..) = formulas.node(formula) { form.not() } else { form };
    known.insert(formula, form);
    Ok(form)
}

/// Constraints are about steps that leave a state, infinitely often or not.
fn check_constraint(constraint: &Constraint) -> Result<(), Refusal> {
    let counts = Refusal::Table(RowKind::CountingConstraint);
    let fits = |formula: &StepFormula| {
        let form = form_of_step(formula);
        form.never || form.next
    };
    match (&constraint.strength, &constraint.when, &constraint.then) {
        (_, Predicate::Step(when), Predicate::Step(then)) => {
            let strong = constraint.strength == fairly_fairness::Strength::Strong;
            if strong && fits(when) && fits(then) { Ok(()) } else { Err(counts) }
        }
        (fairly_fairness::Strength::Strong, Predicate::Step(one), _)
        | (fairly_fairness::Strength::Strong, _, Predicate::Step(one))
        | (_, Predicate::True, Predicate::Step(one)) => {
            if fits(one) {
                Ok(())
            } else {
                Err(counts)
            }
        }
        (_, Predicate::Step(_), _) | (_, _, Predicate::Step(_)) => Err(counts),
        // Weak: again and again it is not taken; with fewer steps it may be taken always.
        (fairly_fairness::Strength::Weak, Predicate::Taken(_), _) => Err(counts),
        _ => Ok(()),
    }
}

fn form_of_step(formula: &StepFormula) -> Form {
    match formula {
        StepFormula::Event(_) => Form { never: true, ..Form::default() },
        StepFormula::State(_) => Form { next: true, ..Form::default() },
        StepFormula::Not(inner) => form_of_step(inner).not(),
        StepFormula::And(parts) => {
            parts.iter().fold(Form::TRUE, |all, part| all.both(form_of_step(part)))
        }
        StepFormula::Or(parts) => {
            parts.iter().fold(Form::TRUE.not(), |all, part| all.one(form_of_step(part)))
        }
    }
}
