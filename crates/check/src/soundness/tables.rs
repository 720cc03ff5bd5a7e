//! Tables of the reductions: the answers that each keeps, and the reasons to refuse it, a row each.

/// A row of the table: something that is asked, and whether a reduction keeps the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Subject of the row.
    pub kind: RowKind,
    /// In a few words.
    pub what: &'static str,
    /// Whether partial-order reduction keeps the answer.
    pub kept: bool,
    /// Why, or why not.
    pub reason: &'static str,
}

/// Subject of the rows of the table.
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
    Asked,
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
    Changed,
    Meeting,
    Waiting,
    Looked,
    Started,
    Faint,
    Faulty,
    Rounds,
    Several,
    FollowedBySeveral,
    Annotated,
    Unannotated,
    Unprintable,
    PrintedEvents,
    PrintedEnds,
    PrintedSilent,
    PrintedGuards,
    Foreign,
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
    row(
        RowKind::Started,
        "processes that are started, and that end",
        true,
        "starting and ending are independent of all else where no fairness and no event is asked for and nothing \
         tells numbers of processes apart; elsewhere they depend on each other",
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
    row(
        RowKind::Asked,
        "formulas about `enabled(…)` and `taken(…)`",
        false,
        "what is left out may enable or take it; only dead variables are reset",
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
        "refinement, also of fair runs, determinism, divergence, non-termination",
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
    row(
        RowKind::Several,
        "several workers at once",
        true,
        "an ample set depends on the state alone, so each worker decides it for itself, in any order",
    ),
];

/// The table for symmetry: one state for all in which processes that are alike have only changed places.
/// A process that something names is not permuted.
pub const SYMMETRY: &[Row] = &[
    row(
        RowKind::Reachability,
        "errors, deadlocks, states that can be reached",
        true,
        "a permutation of processes that are alike turns runs into runs",
    ),
    row(
        RowKind::Alike,
        "LTL, with X or without, and never claims, if two processes that are alike are not named",
        true,
        "no step is left out, one stands for those that are not told apart",
    ),
    row(RowKind::NoFairness, "no fairness", true, "every run counts"),
    row(
        RowKind::EventFairness,
        "fairness and liveness of events that all processes alike have, or none of them; justice",
        true,
        "a permutation changes neither what is asked for nor what is taken",
    ),
    row(
        RowKind::ProcessFairness,
        "fairness of some processes, and of their events and transitions",
        true,
        "these are named and stay where they are; the others are permuted",
    ),
    row(
        RowKind::MachineClosure,
        "whether every finite run has a fair continuation",
        true,
        "a permutation of processes turns runs into runs",
    ),
    row(
        RowKind::Followed,
        "fairness of all processes that are alike, and of each one's own events and transitions",
        true,
        "each process is followed through the permutations, with what is asked for it",
    ),
    row(
        RowKind::Numbered,
        "processes that know numbers of processes, in variables, messages and indices of arrays",
        true,
        "the numbers are permuted too, if they are only assigned and compared for equality",
    ),
    row(
        RowKind::Indexed,
        "formulas and constraints that name all processes that are alike, or all but one",
        false,
        "named processes stay where they are, and none is left to be permuted",
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
        "refinement, also of fair runs, determinism, divergence, non-termination",
        false,
        "they are decided on the whole system",
    ),
    row(
        RowKind::Numbers,
        "models that compute with numbers of processes or compare them by order, rings, who moved last",
        false,
        "a permutation changes the numbers, and not what was computed from them",
    ),
    row(
        RowKind::Changed,
        "processes that look alike but have a channel each, or events that others take part in by name",
        false,
        "permutations are used only if the whole model is the same after them",
    ),
    row(
        RowKind::Open,
        "processes that are unfolded as they are explored",
        false,
        "whether they are alike is not known",
    ),
    row(
        RowKind::Several,
        "several workers at once, where processes need not be followed",
        true,
        "the state that stands for others depends on the state alone",
    ),
    row(
        RowKind::FollowedBySeveral,
        "several workers at once, where processes are followed through their permutations",
        false,
        "a process is known from the way to a state, so the quotient is explored by one worker",
    ),
];

/// The table for variables that are dead: those that no process reads again before it has given them another
/// value, and those that nothing depends on, are reset. What is left is strongly bisimilar to the system, so only what asks whether two
/// states are the same one is not kept.
pub const RESETTING_DEAD: &[Row] = &[
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
        RowKind::Faint,
        "variables that are read only to compute their own next value, or others of this kind",
        true,
        "nothing that happens or is asked for depends on them, so every state has the same future with any value",
    ),
    row(
        RowKind::Faulty,
        "variables that decide whether something goes wrong: a divisor, an index, a value that may leave its range",
        false,
        "the error would be missed; a value that wraps goes nowhere",
    ),
    row(
        RowKind::Rounds,
        "variables that an atomic sequence changes while it goes round",
        false,
        "such a sequence ends where it comes to a state for the second time",
    ),
    row(
        RowKind::Global,
        "strong global fairness",
        false,
        "it asks for every transition of a state, and of two states that become one for only half each",
    ),
    row(
        RowKind::Refinement,
        "refinement, also of fair runs, determinism, divergence, non-termination",
        false,
        "they are decided on the whole system",
    ),
    row(
        RowKind::Open,
        "processes that are unfolded as they are explored",
        false,
        "what they may still read is not known",
    ),
    row(
        RowKind::Several,
        "several workers at once",
        true,
        "what is dead depends on the state alone",
    ),
];

/// The table for merging statements: a process does at once any statement that is always possible, cannot go
/// wrong, and uses its own variables only. A question that could tell a process before such a statement from
/// one behind it takes it out of merging. The rest of the system has the same runs, but for the time at which
/// such steps are taken.
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
        "a process before a merged statement can execute it first",
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
        "there is no timeout while a process executes a merged statement",
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
        "refinement, also of fair runs, determinism, divergence, non-termination, least sets of constraints",
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
    row(
        RowKind::Several,
        "several workers at once",
        true,
        "it is done before the search; what is left is a model like any other",
    ),
];

/// The table for the ample sets of Sun, Liu, Dong and Wang as they are printed (`docs/papers.md` 004-20 to
/// 004-26): a reference to compare with, which is used only if it is asked for. Each refusal that is one of
/// soundness names the case in which the printed procedure would give a wrong answer.
pub const PRINTED: &[Row] = &[
    row(
        RowKind::StateFormula,
        "LTL over states without X",
        true,
        "an event that changes what the formula reads is visible",
    ),
    row(
        RowKind::EventFormula,
        "LTL over events, or both, where steps without them may come anywhere",
        true,
        "an event of the formula is visible",
    ),
    row(RowKind::NoFairness, "no fairness", true, "every run counts"),
    row(
        RowKind::Annotated,
        "fairness and liveness of events, annotated or all of them",
        true,
        "an event is visible if it may change which of these are enabled or ready",
    ),
    row(
        RowKind::Deadlocks,
        "deadlocks, errors, states that can be reached",
        true,
        "some step is followed where one is enabled, and no other process disables it",
    ),
    row(RowKind::Next, "formulas with X", false, "Theorem 2 is about formulas without it"),
    row(
        RowKind::PrintedEvents,
        "formulas over events that steps in between would change, such as a U b",
        false,
        "Theorem 2 claims them: corpus/systems/c25-reduction-event-until.net shows that it is wrong",
    ),
    row(
        RowKind::PrintedEnds,
        "systems in which a process may end",
        false,
        "all that it can do, which is nothing, is enabled, so nothing is followed: \
         corpus/systems/c24-reduction-terminated.net",
    ),
    row(
        RowKind::PrintedSilent,
        "systems in which processes take internal steps or terminate",
        false,
        "what is enabled leaves these out, so they are never taken: corpus/csp/printed_silent_step.csp",
    ),
    row(
        RowKind::PrintedGuards,
        "systems in which a guard reads what another process writes",
        false,
        "only what events read and write is compared: corpus/csp/printed_guard_of_another.csp",
    ),
    row(
        RowKind::Unannotated,
        "fairness of processes and transitions, strong global and inherent fairness, constraints on steps",
        false,
        "the paper has fairness of events only",
    ),
    row(
        RowKind::Stopping,
        "formulas about `deadlock` and `terminated`",
        false,
        "the last step to a deadlock changes them, and it may be any step",
    ),
    row(
        RowKind::Never,
        "never claims, automata, formulas about `enabled(…)` and `taken(…)`",
        false,
        "the paper has formulas over states and events",
    ),
    row(
        RowKind::Foreign,
        "atomic sequences, timeouts, ranks of steps, processes that are started or unfolded",
        false,
        "the language of the paper has none",
    ),
    row(
        RowKind::Unprintable,
        "refinement, also of fair runs, determinism, divergence, non-termination, least sets of constraints",
        false,
        "the paper has formulas only",
    ),
];
