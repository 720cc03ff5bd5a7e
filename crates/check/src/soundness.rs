//! Which reduction keeps which answers: one table for each, and what decides by them.
//!
//! Partial-order reduction keeps, of every run, in which order what is *watched* happens. What is not
//! decided by that is refused, with the row of the table that says so. Whether the answers are the same
//! is tested against the whole system in `tests/reduction.rs` and `tests/lasting.rs`, and every row in
//! `tests/soundness.rs`.

mod printed;
mod tables;

use std::fmt;

use fairly_fairness::{Constraint, Notion, Predicate, Selector, StepFormula};
use fairly_logic::{Formula, Formulas, Node};
use fairly_omega::Stop;
use fairly_reduce::{Asymmetric, Reduced, Reducible, Symmetry, Unsuited, Watched};
use fairly_search::Binding;
use fairly_system::EventPosition;
use hashbrown::HashMap;

use crate::property::Property;
pub(crate) use printed::seen as printed;
pub use tables::{MERGING, PRINTED, RESETTING_DEAD, Row, RowKind, SOUNDNESS, SYMMETRY};

/// Why nothing is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The table says so.
    Table(RowKind),
    /// Nothing could be left out.
    Nothing,
    /// No two processes are alike.
    Different,
    /// The number of a process is used here in a way that a permutation changes.
    Used(String),
    /// A permutation of processes that look alike would change this.
    Changed(String),
    /// It was not asked for.
    NotAsked,
    /// Nothing is known of the system.
    Unknown,
    /// It has too many steps to compare them all.
    Large,
    /// The time was up before it was known what can be left out.
    Stopped,
    /// The run of the system behind one that was found would be very long, or cannot be told.
    Long,
    /// The run that was found is shown as it is found without reduction, which is shorter.
    Shown,
    /// The table for the ample sets of the paper says so.
    Printed(RowKind),
}

impl From<Unsuited> for Refusal {
    fn from(why: Unsuited) -> Self {
        match why {
            Unsuited::Open => Refusal::Table(RowKind::Open),
            Unsuited::Priorities => Refusal::Table(RowKind::Priorities),
            Unsuited::Stuck => Refusal::Table(RowKind::Stopping),
            Unsuited::Nothing => Refusal::Nothing,
            Unsuited::Unknown => Refusal::Unknown,
            Unsuited::Large => Refusal::Large,
            Unsuited::Stopped => Refusal::Stopped,
        }
    }
}

impl From<Asymmetric> for Refusal {
    fn from(why: Asymmetric) -> Self {
        match why {
            Asymmetric::Open => Refusal::Table(RowKind::Open),
            Asymmetric::Numbers => Refusal::Table(RowKind::Numbers),
            Asymmetric::Used(text) => Refusal::Used(text),
            Asymmetric::Changed(text) => Refusal::Changed(text),
            Asymmetric::Named => Refusal::Table(RowKind::Indexed),
            Asymmetric::Different => Refusal::Different,
            Asymmetric::Unknown => Refusal::Unknown,
            Asymmetric::Stopped => Refusal::Stopped,
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
            Refusal::Printed(kind) => {
                let row = PRINTED.iter().find(|row| row.kind == *kind);
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
            Refusal::Changed(text) => {
                let row = SYMMETRY.iter().find(|row| row.kind == RowKind::Changed);
                let reason = row.expect("it has its row").reason;
                write!(f, "a permutation of processes that look alike changes {text}: {reason}")
            }
            Refusal::NotAsked => f.write_str("turned off"),
            Refusal::Long => f.write_str("the run behind one found by symmetry would be very long"),
            Refusal::Shown => f.write_str("looked for again, to show a shortest run"),
            Refusal::Large => f.write_str("the model has too many steps to compare them all"),
            Refusal::Stopped => f.write_str("the time was up while steps were compared"),
            Refusal::Unknown => {
                f.write_str("nothing is known of how processes depend on each other")
            }
        }
    }
}

/// Reductions that a question allows, or why one cannot be used.
pub(crate) struct Wanted {
    /// For partial orders.
    pub(crate) orders: Result<Watched, Refusal>,
    /// For symmetry.
    pub(crate) symmetry: Result<Watched, Refusal>,
    /// For resetting dead variables; `None` if it is not wanted.
    pub(crate) resetting_dead: Option<Watched>,
    /// For merging statements; `None` if it is not wanted, or does not keep the answer.
    pub(crate) merging: Option<Watched>,
    /// Whether it makes a difference that the last step to a deadlock was termination.
    pub(crate) ends: bool,
    /// For ample sets as the paper prints them; `None` if they are not wanted.
    pub(crate) printed: Option<Result<Watched, Refusal>>,
}

impl Wanted {
    /// No reduction.
    pub(crate) fn nothing() -> Wanted {
        let [orders, symmetry] = [Err(Refusal::NotAsked), Err(Refusal::NotAsked)];
        Wanted { orders, symmetry, resetting_dead: None, merging: None, ends: false, printed: None }
    }
}

/// Permutations of processes from which on symmetry is used although steps could be left out: four
/// processes that are alike. Partial orders do not shrink what so many do to shared variables, and
/// both together have not been shown to be sound here.
const MANY: u64 = 24;

/// Why a system is not reduced, or not in one of the ways.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refusals {
    /// Why nothing is left out, if nothing is.
    pub(crate) unreduced: Option<Refusal>,
    /// Why processes are not permuted although some look alike.
    pub(crate) asymmetric: Option<Refusal>,
}

/// The system, reduced if that is possible; if not, why not is noted. Statements are merged first, if that is
/// wanted, so that all else is about what is left. What is dead is reset as well, if that is wanted, unless
/// processes are followed through their permutations: both together are not done here.
pub(crate) fn reduce<'a, S: Reducible>(
    system: &'a mut S,
    mut wanted: Wanted,
    stop: Stop,
    refused: &mut Refusals,
) -> Reduced<'a, S> {
    let resetting_dead = wanted.resetting_dead.take();
    let mut reduced = Reduced::whole(system).heeding(stop);
    if let Some(watched) = wanted.printed {
        if let Err(why) = watched.and_then(|watched| printed::leave_out(&mut reduced, &watched)) {
            refused.unreduced = Some(why);
        }
        return reduced;
    }
    if let Some(watched) = wanted.merging.take() {
        reduced = reduced.merging(&watched);
    }
    let reduced = leave_out(reduced, wanted, refused);
    match resetting_dead {
        Some(watched) => reduced.resetting_dead(&watched),
        None => reduced,
    }
}

/// By symmetry, partial orders, or not at all.
fn leave_out<'a, S: Reducible>(
    mut reduced: Reduced<'a, S>,
    wanted: Wanted,
    refused: &mut Refusals,
) -> Reduced<'a, S> {
    let Wanted { orders, symmetry, ends, .. } = wanted;
    let alone = matches!(orders, Err(Refusal::NotAsked));
    let symmetry = symmetry.and_then(|watched| {
        let mut symmetry = reduced.find_symmetry(&watched)?;
        let mut saves =
            if alone { symmetry.orbit() } else { reduced.permutations_at_start(&mut symmetry) };
        // Following processes needs all of a quotient, so that is done where much is saved.
        if symmetry.is_followed() && saves < MANY && !alone {
            symmetry = reduced.find_symmetry(&Watched { followed: false, ..watched })?;
            saves = reduced.permutations_at_start(&mut symmetry);
        }
        // Processes that are different from the start on are hardly ever the same later.
        if saves > 1 { Ok((symmetry, saves)) } else { Err(Refusal::Different) }
    });
    match &symmetry {
        Ok((symmetry, saves)) if *saves >= MANY => {
            return reduced.up_to(symmetry.clone());
        }
        Ok(_) | Err(Refusal::Different | Refusal::Unknown | Refusal::NotAsked) => {}
        Err(why) => refused.asymmetric = Some(why.clone()),
    }
    let skeleton = orders.and_then(|watched| {
        let skeleton = reduced.skeleton(&watched).map_err(Refusal::from)?;
        match skeleton.is_reducible() {
            true if ends && !skeleton.ends_together() => Err(Refusal::Table(RowKind::Termination)),
            true => Ok((skeleton, watched)),
            false => Err(Refusal::Nothing),
        }
    });
    match (skeleton, symmetry) {
        (Ok((skeleton, watched)), _) => reduced.with(skeleton, watched),
        (Err(_), Ok((symmetry, _))) => reduced.up_to(symmetry),
        (Err(why), Err(why_not)) => {
            // A reduction that was not asked for needs no reason.
            refused.unreduced = Some(if why == Refusal::NotAsked { why_not } else { why });
            reduced
        }
    }
}

/// Sizes of the reductions, in the words of a verdict; empty if nothing was left out or reset.
pub(crate) fn said<S: Reducible>(reduced: &Reduced<'_, S>) -> Vec<String> {
    let left_out = match reduced.symmetry() {
        Some(symmetry) => Some(said_of(symmetry, reduced.stood_for())),
        None => {
            let saved = reduced.saved();
            let share = share("partial order left out", saved.left_out(), saved.enabled);
            let given_up = match saved.given_up {
                0 => String::new(),
                count => format!(" (given up at {count} of {} places)", saved.places),
            };
            share.map(|share| share + &given_up)
        }
    };
    let dead_resets = reduced.dead_resets().unwrap_or_default();
    let dead_resets = share("dead variables reset:", dead_resets.changed, dead_resets.steps);
    let merged = match reduced.merged() {
        0 => None,
        1 => Some("statements merged: 1 location passed".to_owned()),
        count => Some(format!("statements merged: {count} locations passed")),
    };
    left_out.into_iter().chain(merged).chain(dead_resets).collect()
}

/// Whether a run of the reduced system may be longer than one of the system: what is reset makes none
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

fn said_of(symmetry: &Symmetry, count: f64) -> String {
    let sizes: Vec<String> = symmetry.groups().map(|size| size.to_string()).collect();
    let count = match count {
        _ if !count.is_finite() => "more than 10^300".to_owned(),
        _ if count >= 1e6 => format!("10^{:.0}", count.log10()),
        _ if count >= 100.0 => format!("{count:.0}"),
        _ => format!("{count:.1}"),
    };
    format!("symmetry: {} alike, a state for {count}", sizes.join(" + "))
}

/// Subjects that must be watched so that the answer is the same when processes are permuted: all that the
/// property and the constraints speak of. The rest of the system keeps its steps one by one, so any condition
/// on runs is kept.
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
                // Nothing but what is bisimilar keeps these: see `RowKind::Asked`.
                Binding::Enabled(_) | Binding::Taken(_) => {}
            }
        }
    }
    watched
}

/// Subjects that must be watched so that the answer to a property under constraints is the same.
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
        if property.asks_fairness() {
            return Err(Refusal::Table(RowKind::Asked));
        }
        check_formula(property)?;
        watched.atoms = property.propositions();
        watched.events = property.events().into_iter().cloned().collect();
    }
    Ok(watched)
}

/// Subjects that must be watched so that the answer is the same when statements are merged, given those for
/// partial orders: nothing but fairness of whole processes may ask which processes are enabled.
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
        Binding::Event(_) | Binding::Taken(_) => Form { never: true, ..Form::default() },
        Binding::Enabled(_) => Form::default(),
        Binding::State(_) => match reading {
            EventPosition::Leaving => Form { next: true, ..Form::default() },
            EventPosition::Entering => Form { before: true, ..Form::default() },
        },
    })?;
    // With events that lead to a state, no step comes before the first position.
    match reading {
        EventPosition::Leaving if !form.next => Err(Refusal::Table(RowKind::Counting)),
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
