//! The systems of a model, and the one path from a question to its answer.
//!
//! [`Systems`] makes the systems of a [`Loaded`] model when they are first asked for, whichever language it was
//! written in. It remembers what the answers have in common: whether runs end with errors of the model, how many
//! states a system has, and an exploration that answers two questions. So a "holds" is given only where no run-time
//! error was found on the way, for [`answer`](Systems::answer), [`ladder`](Systems::ladder) and
//! [`least`](Systems::least) alike.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fairly_explore::Explored;
use fairly_fairness::{Constraint, Notion, PrefixKind, own_constraints};
use fairly_front::include::NoFiles;
use fairly_front::loaded::{
    self, Claim, EventTests, Kind, LoadError, Loaded, Loader, Lowered, Program, Settings,
    SystemIndex, SystemSource, Text, TextError,
};
use fairly_model::ModelSpace;
use fairly_omega::{StateId, Stop};
use fairly_reduce::SpaceSystem;
use fairly_search::Bounds;
use fairly_search::hiding::hide;
use fairly_source::Diagnostic;
use fairly_system::{AtomIndex, Fault, Network, TransitionSystem};

use crate::assumption::Assumption;
use crate::claim::{self, ClaimOutcome, ClaimVerdict, Effort};
use crate::errors::{Errors, errors, errors_of_steps, rests_on_all};
use crate::execution::{self, Execution, ModelSystem};
use crate::hiding::{HideError, Hiding};
use crate::hunt::not_lossy;
use crate::ladder::{Ladder, ladder_heard};
use crate::least::{Least, least_heard};
use crate::lint::{Needless, needless};
use crate::plan::{Plan, plan};
use crate::proof::{
    Proof, ProofError, prove, prove_claim, prove_doomed, prove_reached, prove_refinement,
    prove_violation,
};
use crate::property::Property;
use crate::question::{AnswerError, Asked, BindingError, Question, bind};
use crate::record::Verdict;
use crate::strengths::{Strengths, strengths};
use crate::verdict::{Answer, CheckError, Outcome, WhyUnknown};
use crate::verify::{Options, Reduction, check};

/// A system that can be searched.
#[expect(clippy::large_enum_variant, reason = "there is one for each process that is asked about")]
pub enum System {
    /// The system of a model.
    Model(ModelSystem),
    /// A network of explicit components.
    Network(Explored<Network>),
    /// A type of a program.
    Program(SpaceSystem, Arc<dyn EventTests>),
}

/// Does the same with a [`System`] of any kind: `with_system!(system, name => expression)`.
#[macro_export]
macro_rules! with_system {
    ($system:expr, $name:ident => $done:expr) => {
        match $system {
            $crate::System::Model($name) => $done,
            $crate::System::Network($name) => $done,
            $crate::System::Program($name, _) => $done,
        }
    };
}

impl System {
    fn new(lowered: Lowered, execution: Execution) -> System {
        match lowered {
            Lowered::Network(network) => System::Network(Explored::new(network)),
            Lowered::Program(Program { space, is_shared, tests }) => {
                System::Program(SpaceSystem::new(space, is_shared), tests)
            }
            Lowered::Model { model, unfold, families } => {
                let space = ModelSpace::new(model, unfold);
                space.add_families(&families);
                System::Model(execution::system(space, execution))
            }
        }
    }

    fn errors(
        &mut self,
        propositions: &[AtomIndex],
        options: &Options,
    ) -> Result<Errors, CheckError> {
        match self {
            System::Model(system) => errors(system, propositions, options),
            // A component has no statements that go wrong.
            System::Network(_) => Ok(Errors::None),
            // A program's own steps may panic; its propositions do not count as steps.
            System::Program(system, _) => errors_of_steps(system, options),
        }
    }
}

/// The systems of a model.
pub struct Systems {
    loaded: Loaded,
    execution: Execution,
    made: Vec<Option<System>>,
    known: Vec<Known>,
    /// By system, what it is an abstraction of, if it is one.
    hiding: Vec<Option<Hiding>>,
}

/// Findings about a system that several answers rest on.
#[derive(Default)]
struct Known {
    /// The propositions of all formulas that were bound, each with the position of its question.
    propositions: Vec<(usize, AtomIndex)>,
    /// Whether there are errors, once that will not change.
    errors: Option<Errors>,
    /// The first question whose answer rests on all runs.
    rests: Option<usize>,
    /// How many states the last search had that came to its end.
    complete: Option<usize>,
    /// Question about the ends of runs, if it is asked together with [`Claim::NoErrors`].
    ends: Option<Claim>,
    /// The answer to that, once the search for errors has found it.
    end_states: Option<ClaimVerdict>,
}

impl Known {
    fn own_propositions(&self) -> Vec<AtomIndex> {
        self.propositions.iter().map(|&(_, atom)| atom).collect()
    }
}

/// Assumptions that a formula is checked under, and further findings that are asked for.
pub struct Assumed<'a> {
    /// The fairness.
    pub assumption: &'a Assumption,
    /// Whether to look for the strengths of fairness under which a violated formula would hold.
    pub strengths: bool,
}

/// An answer, and what a suggestion needs besides.
pub struct Answered {
    /// The answer.
    pub verdict: Verdict,
    /// Why there is none.
    pub why: Option<WhyUnknown>,
    /// Whether the formula holds without any fairness.
    pub is_needless: bool,
    /// When to give up writing it down: by then it is to be shown, or else shown without its run.
    pub until: Stop,
}

/// Why fairness cannot be assumed.
#[derive(Debug)]
pub enum ConstraintError {
    /// A condition of the components is none that can be assumed, in a sentence.
    Condition(String),
    /// A constraint of the model means nothing.
    Wrong(Vec<Diagnostic>),
}

/// Time that writing an answer down may take beyond the deadline of its question: most runs are short.
const GRACE: Duration = Duration::from_millis(450);

/// When to give up writing an answer down.
fn written_by(options: &Options) -> Stop {
    let stop = options.bounds.stop();
    Stop { deadline: stop.deadline.map(|deadline| deadline + GRACE), wish: None, ..stop }
}

/// A ladder or least sets need a formula.
const FORMULA: &str = "it is asked of formulas only";

impl Systems {
    /// The systems of a model, none of which is made yet.
    pub fn new(loaded: Loaded, execution: Execution) -> Systems {
        let count = loaded.systems.len();
        let made = (0..count).map(|_| None).collect();
        let known = (0..count).map(|_| Known::default()).collect();
        let hiding = (0..count).map(|_| None).collect();
        Systems { loaded, execution, made, known, hiding }
    }

    /// The systems of a text that includes no others.
    ///
    /// # Errors
    /// When it is wrong: the diagnostics.
    pub fn of_text(loader: &dyn Loader, text: &str) -> Result<Systems, LoadError> {
        let text = Text { name: "model".to_owned(), text: text.to_owned() };
        let loaded = loader.load(&[text], Settings::new(&mut NoFiles))?;
        Ok(Systems::new(loaded, Execution::default()))
    }

    /// Puts an abstraction of a system in its place: what an observer sees who does not see the events that these
    /// patterns name. Whatever was bound to the system has to be bound again. Inherent fairness is what can be asked of
    /// it.
    ///
    /// # Errors
    /// When there is none.
    pub fn hide(
        &mut self,
        system: SystemIndex,
        events: &[String],
        prefixes: PrefixKind,
        bounds: Bounds,
    ) -> Result<(), HideError> {
        if !self.loaded.constraints.is_empty() {
            return Err(HideError::Constrained);
        }
        let mut whole = self.fresh(system).map_err(HideError::Wrong)?;
        if let System::Network(network) = &whole
            && !own_constraints(network.space()).is_ok_and(|own| own.is_empty())
        {
            return Err(HideError::Constrained);
        }
        let hidden = with_system!(&mut whole, whole => {
            hide(whole, events, prefixes, bounds).map_err(|why| HideError::of(why, whole))
        })?;
        self.hiding[system.0] = Some(Hiding::of(&hidden));
        let name = self.loaded.systems[system.0].name.take();
        self.loaded.systems[system.0] =
            SystemSource { name, ..SystemSource::of_network(hidden.network) };
        // Claims are about steps that are not there any more.
        self.loaded.questions.retain(|question| question.kind == Kind::Formula);
        self.loaded.written = None;
        self.made[system.0] = None;
        self.known[system.0] = Known::default();
        Ok(())
    }

    /// The model.
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// Resets every system that was made, and with it what is bound to it. What is known of errors stays.
    pub fn restart(&mut self) {
        for (made, known) in self.made.iter_mut().zip(&mut self.known) {
            *made = None;
            known.propositions.clear();
            (known.ends, known.end_states) = (None, None);
        }
    }

    /// Has the steps of systems made so that are made from now on.
    pub fn execute(&mut self, execution: Execution) {
        self.execution = execution;
        self.restart();
    }

    /// A system, made when it is first asked for.
    ///
    /// # Errors
    /// When the model is wrong there.
    pub fn system(&mut self, system: SystemIndex) -> Result<&mut System, Vec<Diagnostic>> {
        if self.made[system.0].is_none() {
            self.made[system.0] = Some(self.fresh(system)?);
        }
        Ok(self.made(system))
    }

    /// A system that has been asked for.
    ///
    /// # Panics
    /// If it was not.
    pub fn made(&mut self, system: SystemIndex) -> &mut System {
        self.made[system.0].as_mut().expect("a system that has been asked for")
    }

    /// A system of which nothing has been explored.
    ///
    /// # Errors
    /// When the model is wrong there.
    pub fn fresh(&self, system: SystemIndex) -> Result<System, Vec<Diagnostic>> {
        let lowered = (self.loaded.systems[system.0].lower)()?;
        Ok(System::new(lowered, self.execution))
    }

    /// A question of the model with its meaning. Errors in its propositions count for all answers about the system.
    ///
    /// # Errors
    /// When it means nothing.
    pub fn bind(&mut self, at: usize) -> Result<Question, BindingError> {
        let system = self.loaded.questions[at].system;
        self.system(system).map_err(BindingError::InModel)?;
        let question = &self.loaded.questions[at];
        let made = self.made[system.0].as_mut().expect("made above");
        let asked = bind(question, made).map_err(|diagnostics| match &question.asked {
            Ok(loaded::Asked::Formula(formula)) if question.choice.is_none() => {
                BindingError::InFormula(TextError::in_formula(&formula.text.logic, diagnostics))
            }
            _ => BindingError::InModel(diagnostics),
        })?;
        if let Asked::Formula(property, _) = &asked {
            let own = property.propositions().into_iter().map(|atom| (at, atom));
            self.known[system.0].propositions.extend(own);
        }
        Ok(Question { at, system, asked })
    }

    /// Announces what will be asked, so that one exploration can answer two questions.
    pub fn announce<'q>(&mut self, questions: &(impl Iterator<Item = &'q Question> + Clone)) {
        let claims = || {
            questions.clone().filter_map(|question| match &question.asked {
                Asked::Claim(claim) => Some((question.system, claim)),
                Asked::Formula(..) => None,
            })
        };
        let first = claims().find(|(_, claim)| **claim == Claim::NoErrors);
        let Some((system, _)) = first else { return };
        let mut ends =
            claims().filter(|(of, claim)| *of == system && matches!(claim, Claim::EndsWell { .. }));
        self.known[system.0].ends = ends.next().map(|(_, claim)| claim.clone());
    }

    /// The fairness of a notion, with the constraints that are a part of the model.
    ///
    /// # Errors
    /// When one of these cannot be assumed.
    pub fn assumption(
        &mut self,
        system: SystemIndex,
        notion: Notion,
    ) -> Result<Assumption, ConstraintError> {
        let mut assumption = Assumption::of(notion);
        self.system(system).map_err(ConstraintError::Wrong)?;
        let made = self.made[system.0].as_mut().expect("made above");
        if let System::Network(network) = made {
            assumption.extra = own_constraints(network.space())
                .map_err(|inexpressible| ConstraintError::Condition(inexpressible.to_string()))?;
        }
        for constraint in &self.loaded.constraints {
            with_system!(&mut *made, made => assumption.add(constraint, made)).map_err(
                |unusable| ConstraintError::Wrong(vec![unusable.diagnostic(constraint.span)]),
            )?;
        }
        Ok(assumption)
    }

    /// The answer to a question.
    ///
    /// # Errors
    /// When the model is wrong where the question leads, the engine that was chosen cannot decide it, or what was
    /// found does not stand up to replay, which is a bug.
    pub fn answer(
        &mut self,
        question: &mut Question,
        assumed: &Assumed<'_>,
        options: &Options,
    ) -> Result<Answered, AnswerError> {
        self.settled(question, |systems, question| systems.answer_once(question, assumed, options))
    }

    fn answer_once(
        &mut self,
        question: &mut Question,
        assumed: &Assumed<'_>,
        options: &Options,
    ) -> Result<Answered, AnswerError> {
        let (at, system) = (question.at, question.system);
        match &mut question.asked {
            Asked::Formula(property, shown) => {
                let (mut answer, strengths) =
                    self.formula((at, system), property, assumed, options)?;
                if let Some(hiding) = &self.hiding[system.0] {
                    hiding.qualify(&mut answer);
                }
                let answer = Answer { formula: shown.clone(), ..answer };
                let made = self.made(system);
                let verdict = with_system!(made, made => {
                    answer.record_until(made, property, strengths, written_by(options))
                });
                let is_needless = answer.needless == Some(Needless::Everything);
                let why = match answer.outcome {
                    Outcome::Unknown(why) => Some(why),
                    _ => None,
                };
                Ok(Answered { verdict, why, is_needless, until: written_by(options) })
            }
            Asked::Claim(claim) => {
                let verdict = self.asserted((at, system), claim, assumed.assumption, options)?;
                let title = &self.loaded.questions[at].title.clone();
                Ok(self.recorded_until(system, verdict, title, written_by(options)))
            }
        }
    }

    /// Does some work on a question until no event was met on the way that passes a test of actions and was not known
    /// before: a formula that speaks of such a test means the events that are known when it is bound.
    ///
    /// # Errors
    /// Those of the work, or when a test went wrong.
    pub fn settled<T, E: From<CheckError>>(
        &mut self,
        question: &mut Question,
        mut work: impl FnMut(&mut Systems, &mut Question) -> Result<T, E>,
    ) -> Result<T, E> {
        loop {
            let known = self.passed(question.system);
            let done = work(self, question);
            if let Some(System::Program(_, tests)) = &self.made[question.system.0]
                && let Some(said) = tests.failure()
            {
                return Err(CheckError::Test(said).into());
            }
            if self.passed(question.system) == known {
                return done;
            }
            // What was bound can be bound again: names do not go away.
            let Ok(again) = self.bind(question.at) else { return done };
            *question = again;
        }
    }

    /// How often events have passed tests.
    fn passed(&self, system: SystemIndex) -> usize {
        match &self.made[system.0] {
            Some(System::Program(_, tests)) => tests.count(),
            _ => 0,
        }
    }

    /// A certificate of a formula that holds under an assumption.
    ///
    /// # Errors
    /// When there is none, and why.
    pub fn proof(
        &mut self,
        question: &Question,
        assumption: &Assumption,
        bounds: fairly_search::Bounds,
    ) -> Result<Proof, ProofError> {
        match &question.asked {
            Asked::Formula(property, _) => {
                prove(self.made(question.system), property, assumption, bounds)
            }
            Asked::Claim(Claim::Refines { model, specification }) => {
                let other = self.fresh(*specification);
                let mut other = other.map_err(|_| ProofError::NotCovered("a wrong model"))?;
                prove_refinement(self.made(question.system), &mut other, *model, bounds)
            }
            Asked::Claim(Claim::RefinesFairly { .. }) => {
                Err(ProofError::NotCovered("fair refinement"))
            }
            Asked::Claim(claim) => prove_claim(self.made(question.system), claim, bounds),
        }
    }

    /// A certificate of a formula that is violated, or of a claim that a run answers: the run that shows it.
    ///
    /// # Errors
    /// When there is none, and why.
    pub fn refutation(
        &mut self,
        question: &mut Question,
        assumption: &Assumption,
        options: &Options,
    ) -> Result<Proof, ProofError> {
        let at = question.system;
        let property = match &mut question.asked {
            Asked::Formula(property, _) => property,
            Asked::Claim(claim) => {
                if let Claim::RefinesFairly { .. } = claim {
                    return Err(ProofError::NotCovered("fair refinement"));
                }
                let options = Options { reduction: Reduction::Off, ..*options };
                let answer = self.claim(claim, at, &options).map(|answer| answer.outcome);
                let Ok(ClaimOutcome::Holds(Some(shown)) | ClaimOutcome::Violated(Some(shown))) =
                    answer
                else {
                    return Err(ProofError::Bound);
                };
                return prove_reached(self.made(at), claim, &shown.prefix);
            }
        };
        let system = self.made(at);
        let answer =
            with_system!(&mut *system, system => check(system, property, assumption, options));
        match answer.map(|answer| answer.outcome) {
            Ok(Outcome::Violated(found)) => {
                prove_violation(system, property, assumption, &found.run)
            }
            Ok(Outcome::Doomed(found)) => prove_doomed(system, property, assumption, &found.prefix),
            _ => Err(ProofError::Bound),
        }
    }

    /// The answer to a claim as plain data.
    pub fn recorded(&mut self, system: SystemIndex, answer: ClaimVerdict, title: &str) -> Answered {
        self.recorded_until(system, answer, title, Stop::default())
    }

    fn recorded_until(
        &mut self,
        system: SystemIndex,
        answer: ClaimVerdict,
        title: &str,
        stop: Stop,
    ) -> Answered {
        let verdict = with_system!(self.made(system), system => {
            answer.record_until(system, title, stop)
        });
        let why = match answer.outcome {
            ClaimOutcome::Unknown(why) => Some(why),
            _ => None,
        };
        Answered { verdict, why, is_needless: false, until: stop }
    }

    fn formula(
        &mut self,
        (at, system): (usize, SystemIndex),
        property: &mut Property,
        assumed: &Assumed<'_>,
        options: &Options,
    ) -> Result<(Answer, Option<Strengths>), CheckError> {
        let Assumed { assumption, .. } = *assumed;
        let made = self.made(system);
        let mut answer = with_system!(made, made => check(made, property, assumption, options))?;
        if let Outcome::Holds(_) = answer.outcome {
            self.errors_beside(at, system, options)?.qualify(&mut answer);
        }
        if let Outcome::Unknown(why) = &mut answer.outcome {
            self.without_growth(system, why);
        }
        let stamp = &answer.stamp;
        self.learn_size(system, stamp.exhaustive.then_some(stamp.system.0));
        let made = self.made(system);
        let needless = with_system!(made, made => {
            needless(made, property, assumption, &answer, options)
        })?;
        answer.notes.extend(needless.as_ref().map(ToString::to_string));
        answer.needless = needless;
        if !assumed.strengths {
            return Ok((answer, None));
        }
        let made = self.made(system);
        let strengths = with_system!(made, made => {
            strengths(made, property, assumption, &answer, options)
        })?;
        Ok((answer, self.without_doubt(strengths, system, options)?))
    }

    fn asserted(
        &mut self,
        (at, system): (usize, SystemIndex),
        claim: &Claim,
        assumption: &Assumption,
        options: &Options,
    ) -> Result<ClaimVerdict, AnswerError> {
        let mut verdict = self.claim_or_known(claim, system, assumption, options)?;
        // The search for errors is what this asks for; one that shows some stands for itself.
        if *claim == Claim::NoErrors {
            if !matches!(verdict.outcome, ClaimOutcome::Unknown(_)) {
                self.known[system.0].errors = Some(Errors::None);
            }
        } else if rests_on_all(&verdict.outcome) {
            self.errors_beside(at, system, options)?.qualify_claim(&mut verdict);
        }
        if let ClaimOutcome::Unknown(why) = &mut verdict.outcome {
            self.without_growth(system, why);
        }
        let is_complete = matches!(verdict.outcome, ClaimOutcome::Holds(_));
        let size = verdict.size.filter(|_| is_complete);
        self.learn_size(system, size.map(|size| size.states));
        Ok(verdict)
    }

    /// The answer to a claim, which another exploration may have found already.
    fn claim_or_known(
        &mut self,
        claim: &Claim,
        system: SystemIndex,
        assumption: &Assumption,
        options: &Options,
    ) -> Result<ClaimVerdict, AnswerError> {
        let known = &mut self.known[system.0];
        match claim {
            Claim::NoErrors => {
                if let Some(Claim::EndsWell { unfinished }) = known.ends.take() {
                    let made = self.made(system);
                    let (errors, ends) = with_system!(made, made => {
                        claim::faultless_and_stops_well(made, unfinished.as_deref(), options)
                    })?;
                    self.known[system.0].end_states = ends;
                    return Ok(errors);
                }
            }
            Claim::EndsWell { .. } => {
                if let Some(known) = known.end_states.take() {
                    return Ok(known);
                }
            }
            Claim::RefinesFairly { .. } if !assumption.extra.is_empty() => {
                let why = "constraints beside a notion are about one system, and fair refinement compares two";
                let outcome = ClaimOutcome::Unknown(WhyUnknown::Limit(why.to_owned()));
                return Ok(ClaimVerdict { outcome, ..not_lossy() });
            }
            _ => {}
        }
        self.claim(claim, system, Effort { fairness: Some(assumption.notion), ..options.into() })
    }

    /// The plan for a formula; a claim needs none.
    pub fn plan(
        &mut self,
        question: &mut Question,
        assumption: &Assumption,
        options: &Options,
    ) -> Option<Result<Plan, WhyUnknown>> {
        let made = self.made(question.system);
        let Asked::Formula(property, _) = &mut question.asked else { return None };
        Some(with_system!(made, made => plan(made, property, assumption, options)))
    }

    /// The verdict on a formula under every notion, with these constraints besides.
    ///
    /// # Errors
    /// As [`Systems::answer`].
    ///
    /// # Panics
    /// On a claim.
    pub fn ladder(
        &mut self,
        question: &mut Question,
        extra: &[Constraint],
        options: &Options,
    ) -> Result<Ladder, CheckError> {
        self.ladder_heard(question, extra, options, &mut |_| ())
    }

    /// The same; tells after each rung what is known by then.
    ///
    /// # Errors
    /// As [`Systems::answer`].
    ///
    /// # Panics
    /// On a claim.
    pub fn ladder_heard(
        &mut self,
        question: &mut Question,
        extra: &[Constraint],
        options: &Options,
        hear: &mut dyn FnMut(&Ladder),
    ) -> Result<Ladder, CheckError> {
        self.settled(question, |systems, question| {
            systems.ladder_once(question, extra, options, hear)
        })
    }

    fn ladder_once(
        &mut self,
        question: &mut Question,
        extra: &[Constraint],
        options: &Options,
        hear: &mut dyn FnMut(&Ladder),
    ) -> Result<Ladder, CheckError> {
        let (at, system) = (question.at, question.system);
        let property = question.property().expect(FORMULA);
        let made = self.made(system);
        let mut ladder = with_system!(made, made => {
            ladder_heard(made, property, extra, options, hear)
        })?;
        if ladder.rungs.iter().any(|rung| rung.holds == Ok(true)) {
            self.errors_beside(at, system, options)?.qualify_ladder(&mut ladder);
        }
        Ok(ladder)
    }

    /// The least sets of constraints under which a formula holds, with these besides.
    ///
    /// # Errors
    /// As [`Systems::answer`].
    ///
    /// # Panics
    /// On a claim.
    pub fn least(
        &mut self,
        question: &mut Question,
        level: fairly_fairness::Level,
        extra: &[Constraint],
        options: &Options,
    ) -> Result<Least, CheckError> {
        self.least_heard(question, level, extra, options, &mut |_| ())
    }

    /// The same; tells after each set which are known by then.
    ///
    /// # Errors
    /// As [`Systems::answer`].
    ///
    /// # Panics
    /// On a claim.
    pub fn least_heard(
        &mut self,
        question: &mut Question,
        level: fairly_fairness::Level,
        extra: &[Constraint],
        options: &Options,
        hear: &mut dyn FnMut(&[Vec<String>]),
    ) -> Result<Least, CheckError> {
        self.settled(question, |systems, question| {
            systems.least_once(question, level, extra, options, hear)
        })
    }

    fn least_once(
        &mut self,
        question: &mut Question,
        level: fairly_fairness::Level,
        extra: &[Constraint],
        options: &Options,
        hear: &mut dyn FnMut(&[Vec<String>]),
    ) -> Result<Least, CheckError> {
        let (at, system) = (question.at, question.system);
        let property = question.property().expect(FORMULA);
        let made = self.made(system);
        let mut least = with_system!(made, made => {
            least_heard(made, property, level, extra, options, hear)
        })?;
        if !matches!(least, Least::Unknown(_)) {
            self.errors_beside(at, system, options)?.qualify_least(&mut least);
        }
        Ok(least)
    }

    /// Errors of the model that were found beside answers that rest on all runs: of each system the first of these
    /// questions, and the answer to the claim that there are none. An error in a proposition of a formula that is not
    /// of the model comes with that formula: nothing else has the proposition.
    pub fn errors_found(&self) -> Vec<(SystemIndex, usize, ClaimVerdict)> {
        let found = self.known.iter().enumerate().filter_map(|(at, known)| {
            match (&known.errors, known.rests) {
                (Some(Errors::Some(verdict)), Some(question)) => {
                    let guilty = self.guilty(SystemIndex(at), verdict).unwrap_or(question);
                    Some((SystemIndex(at), guilty, (**verdict).clone()))
                }
                _ => None,
            }
        });
        found.collect()
    }

    /// The given formula in a proposition of which something goes wrong at the end of a run.
    fn guilty(&self, system: SystemIndex, verdict: &ClaimVerdict) -> Option<usize> {
        let ClaimOutcome::Violated(Some(shown)) = &verdict.outcome else { return None };
        let Some(System::Model(made)) = &self.made[system.0] else { return None };
        let end = shown.prefix.end();
        let is_given = |at: usize| self.loaded.questions[at].choice.is_none();
        let mut propositions = self.known[system.0].propositions.iter();
        let found = propositions
            .find(|&&(at, atom)| is_given(at) && made.proposition_fault(end, atom).is_some());
        found.map(|&(at, _)| at)
    }

    /// Whether errors of the model have to be looked for before something is said to hold.
    pub fn is_doubted(&mut self, system: SystemIndex) -> bool {
        let known = &self.known[system.0];
        match &self.made[system.0] {
            Some(System::Model(made)) => {
                known.errors.is_none() && !made.is_known_to_be_faultless(&known.own_propositions())
            }
            Some(System::Program(..)) => known.errors.is_none(),
            _ => false,
        }
    }

    /// Error in a proposition of a formula that was bound, in a state that is no error itself.
    pub fn proposition_fault(&mut self, system: SystemIndex, state: StateId) -> Option<Fault> {
        let Some(System::Model(made)) = &self.made[system.0] else { return None };
        let mut propositions = self.known[system.0].propositions.iter();
        propositions
            .find_map(|&(_, atom)| made.proposition_fault(state, atom))
            .filter(|_| made.fault(state).is_none())
    }

    /// Whether errors of the model are in the way of the answer to a question, which rests on all runs.
    fn errors_beside(
        &mut self,
        at: usize,
        system: SystemIndex,
        options: &Options,
    ) -> Result<Errors, CheckError> {
        let errors = self.errors(system, options)?;
        self.known[system.0].rests.get_or_insert(at);
        Ok(errors)
    }

    /// Whether there are errors of the model. What is known is not looked for again; another question may have
    /// the time for the rest.
    fn errors(&mut self, system: SystemIndex, options: &Options) -> Result<Errors, CheckError> {
        let known = &self.known[system.0];
        if let Some(errors) = &known.errors {
            return Ok(errors.clone());
        }
        let made = self.made[system.0].as_mut().expect("a system that was searched");
        let errors = made.errors(&known.own_propositions(), options)?;
        if !errors.is_open() {
            self.known[system.0].errors = Some(errors.clone());
        }
        Ok(errors)
    }

    /// Remembers how many states a system had when a question was answered by all that could matter for it.
    fn learn_size(&mut self, system: SystemIndex, states: Option<usize>) {
        if states.is_some() {
            self.known[system.0].complete = states;
        }
    }

    /// Takes back that something grows, if an earlier question came to an end with as many states: a search
    /// in a product can be cut where the states of the system are all known.
    fn without_growth(&self, system: SystemIndex, why: &mut WhyUnknown) {
        let met = why.growth().map_or(usize::MAX, |growth| growth.states);
        if self.known[system.0].complete.is_some_and(|states| met <= states) {
            *why = why.clone().without_growth();
        }
    }

    /// The strengths of fairness, without what errors of the model put in doubt.
    fn without_doubt(
        &mut self,
        strengths: Option<Strengths>,
        system: SystemIndex,
        options: &Options,
    ) -> Result<Option<Strengths>, CheckError> {
        let Some(mut strengths) = strengths else { return Ok(None) };
        if strengths.weak == Some(true) || strengths.strong == Some(true) {
            // It is a remark, so it may not take long.
            let soon = Instant::now() + Duration::from_secs(1);
            let deadline = options.bounds.deadline.map_or(soon, |it| it.min(soon));
            let bounds = fairly_search::Bounds { deadline: Some(deadline), ..options.bounds };
            if self.errors(system, &Options { bounds, ..*options })?.is_open() {
                strengths.doubt();
            }
        }
        Ok(Some(strengths))
    }
}
