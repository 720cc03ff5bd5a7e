//! From a check to verdicts.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fairly_check::claim::ClaimOutcome;
use fairly_check::{
    Answer, Assumption, AssumptionError, CheckError, Least, Options, Outcome, Property, WhyUnknown,
};
use fairly_fairness::{Constraint, Level, Notion, Selector};
use fairly_front::case;
use fairly_logic::{Atom, Formulas, pattern_matches};
use fairly_omega::StateId;
use fairly_report::{human, itf, json};
use fairly_search::{Binding, Bounds, Cut};
use fairly_source::{Diagnostic, Style, render, suggest};
use fairly_system::{
    ActionId, EventId, EventKind, EventSet, RunStep, Sequences, Space, Steps, Trace,
    TransitionSystem,
};

use crate::check::{Check, Condition, Folder, Promise};
use crate::engine::{self, Decided, System};
use crate::fairness::Assumed;
use crate::formula::{ActionTest, Formula, Meaning, Proposition, StateTest};
use crate::model::Model;
use crate::printed;
use crate::rows::Rows;
use crate::run::Run;
use crate::sweep::{Keep, Swept, sweep};
use crate::verdict::{Mistake, Size, Verdict, Verdicts};

/// States that are explored to learn which events there are, before a formula that names one is read.
const FEW: usize = 10_000;
/// States that are expanded at once where nothing else is asked of them.
const BLOCK: usize = 4096;
/// Time for the least fairness of a violated property, which is a remark.
const AFFORDABLE: Duration = Duration::from_secs(2);
/// Name of the question whether the model panics.
pub(crate) const NO_PANIC: &str = "no panic";

/// A check whose propositions have names that are all different.
pub(crate) struct Prepared<M: Model> {
    pub(crate) system: System,
    pub(crate) rows: Arc<Rows<M>>,
    options: Options,
    names: Names,
    /// Names that the check itself explains.
    explained: Vec<String>,
    /// The events that were all met, or whether a limit came before.
    surveyed: Option<Result<(), WhyUnknown>>,
    /// Whether runs end with panics, once that is known.
    faults: Option<Faults>,
}

/// The names of propositions, by the closure behind each.
#[derive(Default)]
struct Names {
    of: HashMap<usize, String>,
    taken: Vec<String>,
}

impl Names {
    /// The name of a closure.
    fn give(&mut self, closure: usize, wanted: &str) -> String {
        if let Some(known) = self.of.get(&closure) {
            return known.clone();
        }
        let wanted = wanted.replace(['"', '\\'], "'");
        let is_free = |name: &String| !self.taken.contains(name) && name != "deadlock";
        let numbered = (2..).map(|number| format!("{wanted} #{number}"));
        let name = std::iter::once(wanted.clone()).chain(numbered).find(is_free);
        let name = name.unwrap_or(wanted);
        self.taken.push(name.clone());
        self.of.insert(closure, name.clone());
        name
    }
}

/// Tells closures apart.
fn address<T: ?Sized>(of: &Arc<T>) -> usize {
    Arc::as_ptr(of).cast::<()>().addr()
}

/// Whether runs of a model end with panics.
#[derive(Clone)]
enum Faults {
    None,
    Some,
    Unknown(WhyUnknown),
}

/// An assumption, or why it is not known what it means.
type Understood = Result<Assumption, WhyUnknown>;

/// Answers all properties.
pub(crate) fn run<M: Model>(check: Check<M>) -> Result<Verdicts<M>, Mistake> {
    if let Some(all) = swept(&check)? {
        return Ok(noted(all));
    }
    let Check { model, assumed, conditions, properties, atoms, limits, folder, least, .. } = check;
    let mut prepared = Prepared::new(
        model,
        &properties,
        &conditions,
        &atoms,
        limits.options(Instant::now()),
        limits.memory,
    );
    let assumption = prepared.assumption(&assumed, &conditions)?;
    let mut all = Vec::new();
    for (name, formula) in &properties {
        let mut verdict = match &assumption {
            Ok(assumption) => prepared.answer(name, formula, assumption, least)?,
            Err(why) => {
                // A formula that is wrong is wrong whatever is assumed.
                prepared.bind(name, formula)?;
                unknown(name, formula, why)
            }
        };
        verdict.saved = save(&folder, &verdict, &assumed);
        all.push(verdict);
    }
    if prepared.rows.failures().has_faults
        && let Some(mut panics) = prepared.panics()?
    {
        panics.saved = save(&folder, &panics, &[]);
        all.push(panics);
    }
    Ok(noted(all))
}

/// Verdicts, of which `cargo fairly` hears.
fn noted<M: Model>(all: Vec<Verdict<M>>) -> Verdicts<M> {
    for verdict in &all {
        let stamp = &verdict.record.stamp;
        printed::record(verdict.property(), verdict.word(), verdict.states(), stamp.seconds);
    }
    Verdicts { all }
}

/// Answers all properties by one pass over the states, if each of them is about single states and none is violated.
fn swept<M: Model>(check: &Check<M>) -> Result<Option<Vec<Verdict<M>>>, Mistake> {
    let Check { model, assumed, conditions, properties, atoms, limits, keep, .. } = check;
    let promises: Option<Vec<_>> =
        properties.iter().map(|(_, formula)| formula.invariant()).collect();
    let Some(promises) = promises.filter(|all| !all.is_empty()) else { return Ok(None) };
    // Whole states are left to the engines, which keep them as well.
    if *keep == Keep::Whole || !assumed.is_empty() || !conditions.is_empty() {
        return Ok(None);
    }
    let started = Instant::now();
    let options = limits.options(started);
    let within = (options.bounds, limits.memory, options.workers.count.get());
    let found = sweep(model, &promises, within, *keep);
    let why = match &found {
        Swept::Abandoned => return Ok(None),
        Swept::Wrong(said) => return Err(Mistake::new(said.clone())),
        Swept::Cut(why, _) => Some(why.clone()),
        Swept::Holds { .. } if *keep == Keep::Hash => Some(WhyUnknown::Lossy),
        Swept::Holds { .. } => None,
    };
    let seconds = started.elapsed().as_secs_f64();
    let mut prepared =
        Prepared::new(model.clone(), properties, conditions, atoms, options, limits.memory);
    let mut all = Vec::new();
    for (name, formula) in properties {
        let shown = prepared.bind(name, formula)?.text();
        let mut record = match &why {
            Some(why) => fairly_check::Verdict::unknown(name, why),
            None => fairly_check::Verdict::holds(name),
        };
        record.formula = Some(shown);
        record.processes = prepared.system.signature().processes.clone();
        let stamp = &mut record.stamp;
        stamp.fairness = Some(Notion::None.to_string());
        stamp.constraints = Some(Vec::new());
        stamp.engine = Some("reach".to_owned());
        stamp.exhaustive = why.is_none();
        stamp.seconds = seconds;
        match found {
            Swept::Holds { states, transitions } => {
                (stamp.states, stamp.transitions) = (Some(states), Some(transitions));
            }
            Swept::Cut(_, states) => stamp.states = Some(states),
            _ => {}
        }
        all.push(Verdict { record, run: None, saved: None, least: None });
    }
    Ok(Some(all))
}

/// Explores all states.
pub(crate) fn size<M: Model>(check: Check<M>) -> Result<Size, Mistake> {
    let Check { model, properties, conditions, atoms, limits, .. } = check;
    let options = limits.options(Instant::now());
    let mut prepared =
        Prepared::new(model, &properties, &conditions, &atoms, options, limits.memory);
    let system = &mut prepared.system;
    let (mut stuck, mut failed) = (0, None);
    let mut steps = Vec::new();
    let mut known: Vec<StateId> = system.initial();
    let mut seen = hashbrown::HashSet::<StateId>::from_iter(known.iter().copied());
    let mut transitions = 0;
    while let Some(state) = known.pop() {
        if let Some(fault) = system.fault(state) {
            failed.get_or_insert(fault.message.clone());
            continue;
        }
        steps.clear();
        system.enabled(state, &mut steps);
        transitions += steps.len();
        stuck += usize::from(steps.is_empty());
        known.extend(steps.iter().map(|step| step.target).filter(|&target| seen.insert(target)));
        if options.bounds.nodes.is_some_and(|most| seen.len() > most) {
            return Err(Mistake::new(format!("there are more than {} states", seen.len() - 1)));
        }
        if options.bounds.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Mistake::new(format!("the time was up after {} states", seen.len())));
        }
    }
    match failed {
        Some(message) => Err(Mistake::new(message)),
        None => Ok(Size { states: seen.len(), transitions, stuck }),
    }
}

/// The verdict under every notion, as a table.
pub(crate) fn ladder<M: Model>(check: Check<M>) -> Result<String, Mistake> {
    let Check { model, assumed, conditions, properties, atoms, limits, .. } = check;
    let options = limits.options(Instant::now());
    let mut prepared =
        Prepared::new(model, &properties, &conditions, &atoms, options, limits.memory);
    let extra = match prepared.assumption(&assumed, &conditions)? {
        Ok(Assumption { notion: Notion::None, extra }) => extra,
        Ok(_) => {
            return Err(Mistake::new(
                "a ladder is about all notions of fairness: assume single constraints only",
            ));
        }
        Err(why) => return Err(Mistake::new(format!("unknown: {why}"))),
    };
    let mut out = String::new();
    for (name, formula) in &properties {
        let mut property = prepared.bind(name, formula)?;
        let system = &mut prepared.system;
        let ladder = engine::ladder(system, &mut property, &extra, &options);
        let ladder = ladder.map_err(|failure| failed(&failure))?;
        out.push_str(&human::ladder(name, &property.text(), &ladder, None, &printed::look()));
    }
    if let Some(said) = prepared.rows.failures().test {
        return Err(Mistake::new(said));
    }
    match prepared.faults() {
        Faults::None => Ok(fairly_report::terminal(&out)),
        Faults::Some => Err(Mistake::new("the model panics: check a property to see the run")),
        Faults::Unknown(why) => Err(Mistake::new(format!("unknown: {why}"))),
    }
}

impl<M: Model> Prepared<M> {
    pub(crate) fn new(
        model: M,
        properties: &[Promise<M>],
        conditions: &[Condition<M::State>],
        explained: &[(String, StateTest<M::State>)],
        options: Options,
        memory: Option<usize>,
    ) -> Prepared<M> {
        let mut names = Names::default();
        let mut atoms: Vec<(String, StateTest<M::State>)> = Vec::new();
        let mut tests: Vec<(String, ActionTest<M::Action>)> = Vec::new();
        let mut state = |names: &mut Names, name: &str, test: &StateTest<M::State>| {
            let name = names.give(address(test), name);
            if !atoms.iter().any(|(known, _)| *known == name) {
                atoms.push((name, Arc::clone(test)));
            }
        };
        // These keep their names: formulas of a text speak of them.
        for (name, test) in explained {
            state(&mut names, name, test);
        }
        let mut propositions = Vec::new();
        properties.iter().for_each(|(_, formula)| formula.propositions(&mut propositions));
        // Events have their names already.
        let events = propositions.iter().filter(|it| matches!(it.meaning, Meaning::Event));
        names.taken.extend(events.map(|it| it.name.clone()));
        for Proposition { name, meaning } in &propositions {
            match meaning {
                Meaning::State(test) => state(&mut names, name, test),
                Meaning::Action(test) => {
                    let name = names.give(address(test), name);
                    if !tests.iter().any(|(known, _)| *known == name) {
                        tests.push((name, Arc::clone(test)));
                    }
                }
                Meaning::Event => {}
            }
        }
        for condition in conditions {
            match condition {
                Condition::Justice(name, test) => state(&mut names, name, test),
                Condition::Compassion(when, then) => {
                    state(&mut names, &when.0, &when.1);
                    state(&mut names, &then.0, &then.1);
                }
            }
        }
        let is_shared = options.workers.count.get() > 1;
        let rows = Arc::new(Rows::new(model, atoms, tests, memory));
        let explained = explained.iter().map(|(name, _)| name.clone()).collect();
        let system = System::new(Arc::clone(&rows) as Arc<dyn Sequences>, is_shared);
        Prepared { system, rows, options, names, explained, surveyed: None, faults: None }
    }

    /// Explores all states once, so that all events are known.
    fn survey(&mut self) -> Result<(), WhyUnknown> {
        if let Some(known) = &self.surveyed {
            return known.clone();
        }
        let done = engine::survey(&mut self.system, self.options.bounds);
        let done = done.map_err(|cut| WhyUnknown::cut(cut, &self.system));
        self.surveyed = Some(done.clone());
        done
    }

    /// The assumptions of a check.
    pub(crate) fn assumption(
        &mut self,
        assumed: &[crate::Fairness],
        conditions: &[Condition<M::State>],
    ) -> Result<Understood, Mistake> {
        let mut assumption = Assumption::of(Notion::None);
        for fairness in assumed {
            let done = match &fairness.0 {
                Assumed::Notion(notion) => self.add_notion(*notion, &mut assumption)?,
                Assumed::Text(text) => self.add_text(text, &mut assumption)?,
                Assumed::Each(strength, pattern) => match self.survey() {
                    Err(why) => Err(why),
                    Ok(()) => {
                        let signature = self.system.signature();
                        let each = |event: EventId| {
                            let name = signature.event_name(event);
                            pattern_matches(pattern, name).then(|| {
                                let selector = Selector::Events(EventSet::from(event));
                                Constraint::fair(*strength, name, selector)
                            })
                        };
                        let is_visible =
                            |event: &EventId| signature.event_kind(*event) == EventKind::Visible;
                        let all: Vec<Constraint> =
                            signature.event_ids().filter(is_visible).filter_map(each).collect();
                        if all.is_empty() {
                            return Err(no_event(pattern, &self.system));
                        }
                        add_all(&mut assumption, all);
                        Ok(())
                    }
                },
            };
            if let Err(why) = done {
                return Ok(Err(why));
            }
        }
        for condition in conditions {
            let text = self.condition(condition);
            if let Err(why) = self.add_text(&text, &mut assumption)? {
                return Ok(Err(why));
            }
        }
        Ok(Ok(assumption))
    }

    /// A condition on states as it is written.
    pub(crate) fn condition(&mut self, condition: &Condition<M::State>) -> String {
        let mut name = |of: &(String, StateTest<M::State>)| {
            format!("\"{}\"", self.names.give(address(&of.1), &of.0))
        };
        match condition {
            Condition::Justice(given, test) => {
                format!("justice({})", name(&(given.clone(), Arc::clone(test))))
            }
            Condition::Compassion(when, then) => {
                format!("compassion({}, {})", name(when), name(then))
            }
        }
    }

    fn add_notion(
        &mut self,
        notion: Notion,
        assumption: &mut Assumption,
    ) -> Result<Result<(), WhyUnknown>, Mistake> {
        if assumption.notion == notion {
            return Ok(Ok(()));
        }
        let is_whole = |notion: Notion| matches!(notion, Notion::Global | Notion::Inherent(_));
        let other = match (assumption.notion, is_whole(notion)) {
            (Notion::None, _) => {
                assumption.notion = notion;
                return Ok(Ok(()));
            }
            (before, true) if is_whole(before) => {
                return Err(Mistake::new(format!(
                    "{before} and {notion} are not assumed together"
                )));
            }
            (before, true) => {
                assumption.notion = notion;
                before
            }
            (_, false) => notion,
        };
        if other.needs_tables()
            && let Err(why) = self.survey()
        {
            return Ok(Err(why));
        }
        add_all(assumption, other.constraints(self.system.signature()).unwrap_or_default());
        Ok(Ok(()))
    }

    fn add_text(
        &mut self,
        text: &str,
        assumption: &mut Assumption,
    ) -> Result<Result<(), WhyUnknown>, Mistake> {
        let parsed =
            case::parse_constraint(text).map_err(|wrong| mistake(&wrong, "assumption", text))?;
        match engine::add(assumption, &parsed, &mut self.system, self.options.bounds) {
            Err(cut) => Ok(Err(WhyUnknown::cut(cut, &self.system))),
            Ok(Ok(())) => Ok(Ok(())),
            Ok(Err(wrong)) => {
                let help = match (wrong.help(), &wrong) {
                    (None, AssumptionError::Unknown { .. }) => {
                        let processes = &self.system.signature().processes;
                        format!("; its processes are {}", processes.join(", "))
                    }
                    (help, _) => help.map_or(String::new(), |help| format!("; {help}")),
                };
                Err(Mistake::new(format!("{wrong}{help}")))
            }
        }
    }

    /// A formula with a meaning for each of its propositions, as far as the events are known.
    pub(crate) fn bind(
        &mut self,
        name: &str,
        formula: &Formula<M::State, M::Action>,
    ) -> Result<Property, Mistake> {
        let explained: Vec<&str> = self.explained.iter().map(String::as_str).collect();
        let named = |it: &Proposition<M::State, M::Action>| {
            let given = |address: usize| self.names.of.get(&address).cloned().unwrap_or_default();
            match &it.meaning {
                Meaning::State(test) => Atom::state(&given(address(test))),
                Meaning::Action(test) => Atom::event(&given(address(test))),
                Meaning::Event if explained.contains(&it.name.as_str()) => Atom::state(&it.name),
                Meaning::Event => Atom::event(&it.name),
            }
        };
        let mut formulas = Formulas::new();
        let built = formula.build(&mut formulas, &explained, &named);
        let built = built.map_err(|unread| mistake(&unread.0, name, &unread.1))?;
        let rows = Arc::clone(&self.rows);
        let is_test = |event: &str| rows.is_test(event);
        for id in formulas.atoms(built) {
            if let Atom::Event(event) = formulas.atom_of(id)
                && !is_test(event)
            {
                let event = event.clone();
                self.look_for(&event)?;
            }
        }
        let known = |atom: &Atom| match atom {
            Atom::Event(test) if is_test(test) => {
                Some(Binding::Event(rows.passing(test).into_iter().collect()))
            }
            _ => None,
        };
        engine::bind(name, formulas, built, &mut self.system, &known)
            .map_err(|unbound| Mistake::new(format!("the property `{name}` is wrong: {unbound}")))
    }

    /// Looks for an event that a formula names, so that one that there is not is told from one that comes late.
    fn look_for(&mut self, pattern: &str) -> Result<(), Mistake> {
        let is_met =
            |system: &System| !EventSet::matching(pattern, system.signature()).members().is_empty();
        if is_met(&self.system) {
            return Ok(());
        }
        let nodes = self.options.bounds.nodes.map_or(FEW, |nodes| nodes.min(FEW));
        let bounds = Bounds { nodes: Some(nodes), ..self.options.bounds };
        let is_whole = engine::survey(&mut self.system, bounds).is_ok();
        if is_met(&self.system) {
            return Ok(());
        }
        if is_whole {
            return Err(no_event(pattern, &self.system));
        }
        let family = pattern.split('.').next().unwrap_or(pattern);
        self.system.signature().families.push(family.to_owned());
        Ok(())
    }

    /// Looks for events of these names, and takes note of the families of those that may come late.
    #[cfg(feature = "explorer")]
    pub(crate) fn look_for_all(&mut self, names: &[String]) {
        for name in names {
            let is_other = self.rows.is_test(name) || self.explained.contains(name);
            if !is_other && self.rows.atom(name).is_none() {
                // A name that means nothing is reported with its place where the formula is asked.
                let _: Result<(), Mistake> = self.look_for(name);
            }
        }
    }

    /// The verdict on a property.
    fn answer(
        &mut self,
        name: &str,
        formula: &Formula<M::State, M::Action>,
        assumption: &Assumption,
        wants_least: bool,
    ) -> Result<Verdict<M>, Mistake> {
        let mut tests = Vec::new();
        formula.propositions(&mut tests);
        tests.retain(|it| matches!(it.meaning, Meaning::Action(_)));
        if !tests.is_empty() {
            let few = Bounds { nodes: Some(FEW), ..self.options.bounds };
            let _: Result<_, Cut> = engine::survey(&mut self.system, few);
        }
        // Tests of actions are asked of each event once it is met. An answer stands if no event was met on the way
        // to it that passes one and was not known before.
        let (mut property, answer) = loop {
            let mut property = self.bind(name, formula)?;
            let known: Vec<usize> = self.passed(&tests);
            let answer = engine::check(&mut self.system, &mut property, assumption, &self.options);
            if self.passed(&tests) == known {
                break (property, answer);
            }
        };
        self.refuse_tests()?;
        let mut answer = answer.map_err(|failure| failed(&failure))?;
        if let Outcome::Holds(_) = answer.outcome {
            self.qualify(&mut answer);
        }
        let fairness = answer.stamp.fairness.clone();
        let decided =
            engine::record(&mut self.system, &mut property, assumption, answer, &self.options);
        let Decided { record, run, is_lasting } = decided.map_err(|failure| failed(&failure))?;
        let loops_to = record.evidence.as_ref().and_then(|it| it.run.loops_to);
        let about = (name.to_owned(), fairness);
        // What is violated for good is shown up to there; how a fair run goes on is in the trace.
        let decided = record.violation().and_then(|(_, violation)| violation.decided);
        let run = run.map(|steps| match decided {
            Some(shown) => self.as_run(&steps[..shown.min(steps.len())], None, about),
            None => self.as_run(&steps, loops_to, about),
        });
        let mut verdict = Verdict { record, run, saved: None, least: None };
        if wants_least && is_lasting {
            verdict.least = self.least(&mut property, assumption);
        }
        self.refuse_tests()?;
        Ok(verdict)
    }

    /// How many events pass each of some tests.
    fn passed(&self, tests: &[Proposition<M::State, M::Action>]) -> Vec<usize> {
        let name = |it: &Proposition<M::State, M::Action>| match &it.meaning {
            Meaning::Action(test) => self.names.of.get(&address(test)).cloned().unwrap_or_default(),
            _ => String::new(),
        };
        tests.iter().map(|it| self.rows.passing(&name(it)).len()).collect()
    }

    /// # Errors
    /// If a test went wrong, on which answers rest.
    fn refuse_tests(&self) -> Result<(), Mistake> {
        self.rows.failures().test.map_or(Ok(()), |said| Err(Mistake::new(said)))
    }

    /// Makes "holds" unknown where it is not known whether the model panics.
    fn qualify(&mut self, answer: &mut Answer) {
        if let Faults::Unknown(why) = self.faults() {
            answer.outcome = Outcome::Unknown(WhyUnknown::Errors(Box::new(why)));
            answer.stamp.exhaustive = false;
            answer.notes.clear();
        }
    }

    /// Whether runs end with panics: follows the steps of all states that were met and not followed.
    fn faults(&mut self) -> Faults {
        if let Some(known) = &self.faults {
            return known.clone();
        }
        let found = self.follow_all();
        if !matches!(found, Faults::Unknown(_)) {
            self.faults = Some(found.clone());
        }
        found
    }

    fn follow_all(&mut self) -> Faults {
        let rows = Arc::clone(&self.rows);
        let Bounds { nodes, deadline, .. } = self.options.bounds;
        let started = Instant::now();
        let (mut scratch, mut steps, mut left) = (rows.scratch(), Steps::default(), Vec::new());
        loop {
            if rows.failures().has_faults {
                return Faults::Some;
            }
            if rows.states().are_all_expanded() {
                return Faults::None;
            }
            if let Some(most) = nodes.filter(|&most| rows.states().len() > most) {
                return Faults::Unknown(WhyUnknown::Cut(Cut::Nodes(most)));
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Faults::Unknown(WhyUnknown::Cut(Cut::Time(started.elapsed())));
            }
            left.clear();
            steps.clear();
            rows.states().unexpanded(BLOCK, &mut left);
            rows.expand(&left, &mut scratch, &mut steps);
            if let Some((_, fault)) = steps.faults.first()
                && !rows.failures().has_faults
            {
                return Faults::Unknown(WhyUnknown::Limit(fault.message.clone()));
            }
        }
    }

    /// The run that ends in a panic.
    fn panics(&mut self) -> Result<Option<Verdict<M>>, Mistake> {
        let found = engine::faultless(&mut self.system, &self.options, NO_PANIC);
        let (found, record) = found.map_err(|failure| failed(&failure))?;
        let ClaimOutcome::Violated(Some(shown)) = &found.outcome else { return Ok(None) };
        let about = (NO_PANIC.to_owned(), "no fairness".to_owned());
        let run = Some(self.as_run(&shown.prefix.steps, None, about));
        Ok(Some(Verdict { record, run, saved: None, least: None }))
    }

    /// The least fairness under which a property holds, to read, and one such set.
    fn least(
        &mut self,
        property: &mut Property,
        assumption: &Assumption,
    ) -> Option<(String, Vec<String>)> {
        if matches!(assumption.notion, Notion::Global | Notion::Inherent(_)) {
            return None;
        }
        let soon = Instant::now() + AFFORDABLE;
        let deadline = self.options.bounds.deadline.map_or(soon, |deadline| deadline.min(soon));
        let bounds = Bounds { deadline: Some(deadline), ..self.options.bounds };
        let options = Options { bounds, ..self.options };
        for level in [Level::Process, Level::Event] {
            let found =
                engine::least(&mut self.system, property, level, &assumption.extra, &options);
            let Ok(Least::Sets { sets, .. } | Least::Some { sets, .. }) = &found else { continue };
            let Some(first) = sets.first().filter(|set| !set.is_empty()) else { continue };
            // A "holds" is said only where nothing goes wrong that was not looked for.
            if !matches!(self.faults(), Faults::None) {
                return None;
            }
            let look = printed::look();
            let list: Vec<String> =
                sets.iter().map(|set| format!("   {}\n", set.join("  "))).collect();
            let assume: Vec<String> =
                first.iter().map(|constraint| format!(".assume({constraint:?})")).collect();
            let text = format!(
                "{}\n{}\n   next: {}\n",
                look.wrapped(
                    3,
                    "It holds under each of these least sets of assumptions, and under nothing less:"
                ),
                list.concat(),
                assume.concat()
            );
            return Some((text, first.clone()));
        }
        None
    }

    /// A run in the states and actions of the model.
    fn as_run(
        &mut self,
        steps: &[RunStep],
        loops_to: Option<usize>,
        about: (String, String),
    ) -> Run<M> {
        let initial = self.system.initial();
        let first = steps.first().map(|step| step.from).or(initial.first().copied());
        let state = |at: StateId| self.rows.state(&self.system.row(at)).clone();
        let start_state = state(first.unwrap_or(StateId(0)));
        let start = self.rows.model().init().iter().position(|it| *it == start_state).unwrap_or(0);
        let (mut states, mut actions) = (vec![start_state], Vec::new());
        let (mut is_idle, mut panics_with) = (false, None);
        for step in steps {
            if step.action == ActionId::IDLE {
                is_idle = true;
                break;
            }
            let from = state(step.from);
            if self.system.fault(step.to).is_some() {
                panics_with = self.rows.find_action(&from, step.action, None);
                break;
            }
            let to = state(step.to);
            let Some(action) = self.rows.find_action(&from, step.action, Some(&to)) else { break };
            actions.push(action);
            states.push(to);
        }
        let loops_to = loops_to.filter(|_| !is_idle && panics_with.is_none());
        Run { start, states, actions, loops_to, panics_with, about }
    }
}

fn add_all(assumption: &mut Assumption, constraints: Vec<Constraint>) {
    for constraint in constraints {
        if !assumption.extra.contains(&constraint) {
            assumption.extra.push(constraint);
        }
    }
}

/// A verdict without an answer.
fn unknown<M: Model>(
    name: &str,
    formula: &Formula<M::State, M::Action>,
    why: &WhyUnknown,
) -> Verdict<M> {
    let mut record = fairly_check::Verdict::unknown(name, why);
    record.formula = Some(formula.to_string());
    Verdict { record, run: None, saved: None, least: None }
}

/// Saves the run of a verdict.
fn save<M: Model>(
    folder: &Folder,
    verdict: &Verdict<M>,
    assumed: &[crate::Fairness],
) -> Option<std::path::PathBuf> {
    let record = &verdict.record;
    let evidence = record.evidence.as_ref()?;
    let (files, options) = (Vec::new(), Vec::new());
    let origin = itf::Origin {
        files: &files,
        source: None,
        options: &options,
        property: itf::Asked::Property(record.property.clone()),
        place: None,
    };
    let constraints: Vec<String> = assumed
        .iter()
        .filter_map(|fairness| match &fairness.0 {
            Assumed::Text(text) => Some(text.clone()),
            _ => None,
        })
        .collect();
    let document = match record.violation() {
        Some((run, violation)) => {
            let run: &Trace = run;
            itf::trace(
                &itf::Guilty {
                    property: &record.property,
                    formula: record.formula.as_deref().unwrap_or_default(),
                    fairness: record.stamp.fairness.as_deref().unwrap_or_default(),
                    constraints: &constraints,
                    run,
                    ledger: &violation.ledger,
                },
                &origin,
            )
        }
        None if record.formula.is_none() => itf::finite(&record.property, evidence, &origin),
        None => return None,
    };
    let as_test = verdict.run.as_ref().map(|run| run.as_test(printed::MODEL));
    printed::save(folder, &record.property, &json::text(&document), as_test.as_deref())
}

/// A mistake in a text, with its place.
fn mistake(wrong: &Diagnostic, what: &str, text: &str) -> Mistake {
    Mistake::new(format!("\n{}", render(wrong, what, text, Style::Plain)))
}

/// The mistake of naming an event that there is not.
fn no_event(pattern: &str, system: &System) -> Mistake {
    let signature = system.signature();
    let known = signature.event_ids().filter(|&event| event != EventId::IDLE);
    let names: Vec<&str> = known.map(|event| signature.event_name(event)).collect();
    let near = suggest::near(pattern, names.iter().copied());
    let help = match (near, names.first()) {
        (Some(near), _) => format!("; did you mean `{near}`?"),
        (None, Some(first)) => format!("; one that there is is `{first}`"),
        (None, None) => String::new(),
    };
    Mistake::new(format!("no action of the model has the event `{pattern}`{help}"))
}

/// A check that failed for a reason that is no answer.
fn failed(failure: &CheckError) -> Mistake {
    Mistake::new(match failure {
        CheckError::Internal { flaw, .. } => format!(
            "a run that was found is no run when it is looked at again: {flaw}. Either the model does not always do \
             the same in the same state (it reads a clock, a random number, or the order of a `HashMap`), or this is \
             a bug of Fairly"
        ),
        other => other.to_string(),
    })
}
