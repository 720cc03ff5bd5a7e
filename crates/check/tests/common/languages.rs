//! Files of the two modelling languages, as the tests ask them: by what is written in the language.

use std::sync::Arc;

use fairly_check::claim::{self, ClaimVerdict, Effort};
use fairly_check::{
    AnswerError, Asked, BindingError, CheckError, Claim, Execution, ModelSystem, Property, System,
    SystemIndex, Systems,
};
use fairly_front::csp::syntax::{self, Assertion, FormulaText, Subject};
use fairly_front::csp::{self, Csp, Specification};
use fairly_front::include::NoFiles;
use fairly_front::loaded::{self, Kind, LoadError, Loaded, Loader, Settings, Text};
use fairly_front::promela::{self, Promela};
use fairly_front::trail::Trail;
use fairly_model::Model;
use fairly_search::Bounds;
use fairly_search::lossy::Room;
use fairly_source::Diagnostic;
use fairly_system::Run;

fn loaded(
    loader: &dyn Loader,
    text: &str,
    settings: Settings<'_>,
) -> Result<Loaded, Vec<Diagnostic>> {
    let text = Text { name: String::new(), text: text.to_owned() };
    loader.load(&[text], settings).map_err(|why| match why {
        LoadError::Wrong(wrong) => wrong.diagnostics,
        LoadError::Refused(why) => panic!("{why}"),
    })
}

fn diagnostics(why: BindingError) -> Vec<Diagnostic> {
    match why {
        BindingError::InModel(diagnostics) => diagnostics,
        BindingError::InFormula(wrong) => wrong.diagnostics,
    }
}

fn failure(why: AnswerError) -> CheckError {
    match why {
        AnswerError::Failed(failure) => failure,
        AnswerError::Wrong(wrong) => panic!("{wrong:?}"),
    }
}

fn model(systems: &mut Systems, system: SystemIndex) -> &mut ModelSystem {
    match systems.made(system) {
        System::Model(system) => system,
        _ => panic!("no model"),
    }
}

/// A Promela file.
pub(crate) struct PromelaFile {
    systems: Systems,
    text: String,
}

/// Something that a Promela file asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    Errors,
    EndStates,
    Progress,
    Acceptance,
    Formula(usize),
    Never(usize),
}

impl PromelaFile {
    pub(crate) fn parse(text: &str, formulas: &[String]) -> Result<Self, Vec<Diagnostic>> {
        PromelaFile::read(text, Settings { formulas, ..Settings::new(&mut NoFiles) })
    }

    pub(crate) fn without_assertions(
        text: &str,
        formulas: &[String],
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut files = NoFiles;
        let settings = Settings::new(&mut files);
        PromelaFile::read(text, Settings { formulas, assertions: false, ..settings })
    }

    fn read(text: &str, settings: Settings<'_>) -> Result<Self, Vec<Diagnostic>> {
        let mut systems = Systems::new(loaded(&Promela, text, settings)?, Execution::default());
        if !systems.loaded().systems.is_empty() {
            systems.system(SystemIndex::ONLY)?;
        }
        Ok(PromelaFile { systems, text: text.to_owned() })
    }

    pub(crate) fn execute(&mut self, execution: Execution) {
        self.systems.execute(execution);
        self.systems.system(SystemIndex::ONLY).expect("it was made before");
    }

    pub(crate) fn interpreter(&mut self) -> &mut ModelSystem {
        model(&mut self.systems, SystemIndex::ONLY)
    }

    pub(crate) fn model(&self) -> Model {
        let lowered = (self.systems.loaded().systems[0].lower)().expect("it was made before");
        match lowered {
            loaded::Lowered::Model { model, .. } => model,
            _ => panic!("no model"),
        }
    }

    pub(crate) fn expectations(&self) -> Vec<String> {
        let parsed = promela::parse(&self.text).expect("it was read before");
        let lowered = promela::lower(&parsed, promela::Options::new(&self.text));
        let lowered = lowered.expect("it was read before");
        lowered.expectations.into_iter().map(|remark| remark.text).collect()
    }

    pub(crate) fn questions(&self) -> Vec<Question> {
        let (mut formulas, mut claims) = (0.., 0..);
        let of_kind = |question: &loaded::Question| match question.kind {
            Kind::Errors => Question::Errors,
            Kind::EndStates => Question::EndStates,
            Kind::Progress => Question::Progress,
            Kind::Acceptance => Question::Acceptance,
            Kind::Formula => Question::Formula(formulas.next().expect("endless")),
            Kind::NeverClaim => Question::Never(claims.next().expect("endless")),
            other => panic!("{other:?}"),
        };
        self.systems.loaded().questions.iter().map(of_kind).collect()
    }

    fn at(&self, question: &Question) -> usize {
        self.questions().iter().position(|it| it == question).expect("it is asked")
    }

    pub(crate) fn title(&self, question: &Question) -> String {
        self.systems.loaded().questions[self.at(question)].title.clone()
    }

    /// The claim of a question that is no formula.
    pub(crate) fn claimed(&self, question: &Question) -> Option<Claim> {
        match &self.systems.loaded().questions[self.at(question)].asked {
            Ok(loaded::Asked::Claim(claim)) => Some(claim.clone()),
            _ => None,
        }
    }

    pub(crate) fn claim(
        &mut self,
        question: &Question,
        effort: impl Into<Effort>,
    ) -> Result<ClaimVerdict, CheckError> {
        let claim = self.claimed(question).expect("properties of runs are checked elsewhere");
        self.systems.claim(&claim, SystemIndex::ONLY, effort).map_err(failure)
    }

    pub(crate) fn hunt(
        &mut self,
        claim: &Claim,
        room: Room,
        bounds: Bounds,
    ) -> Result<ClaimVerdict, CheckError> {
        let asked = Asked::Claim(claim.clone());
        self.systems.hunt(&asked, SystemIndex::ONLY, room, bounds).map_err(failure)
    }

    pub(crate) fn errors_and_end_states(
        &mut self,
        effort: impl Into<Effort>,
    ) -> Result<(ClaimVerdict, Option<ClaimVerdict>), CheckError> {
        let Some(Claim::EndsWell { unfinished }) = self.claimed(&Question::EndStates) else {
            panic!("another claim")
        };
        claim::faultless_and_stops_well(self.interpreter(), unfinished.as_deref(), effort)
    }

    pub(crate) fn property(
        &mut self,
        question: &Question,
    ) -> Result<Option<Property>, Vec<Diagnostic>> {
        let bound = self.systems.bind(self.at(question)).map_err(diagnostics)?;
        Ok(match bound.asked {
            Asked::Formula(property, _) => Some(*property),
            Asked::Claim(_) => None,
        })
    }

    pub(crate) fn trail(&mut self, run: &Run) -> Result<Trail, String> {
        self.systems.trail(run).expect("statements have numbers")
    }

    pub(crate) fn follow(&mut self, trail: &Trail) -> Result<Run, Diagnostic> {
        self.systems.follow(trail).expect("statements have numbers")
    }
}

/// A CSP# file.
pub(crate) struct CspFile {
    systems: Systems,
    specification: Arc<Specification>,
}

impl CspFile {
    pub(crate) fn parse(text: &str) -> Result<CspFile, Vec<Diagnostic>> {
        let loaded = loaded(&Csp, text, Settings::new(&mut NoFiles))?;
        let specification = Arc::new(csp::parse(text)?);
        Ok(CspFile { systems: Systems::new(loaded, Execution::default()), specification })
    }

    pub(crate) fn specification(&self) -> &Arc<Specification> {
        &self.specification
    }

    fn find(&self, is_it: impl Fn(&Assertion) -> bool) -> usize {
        self.specification.assertions.iter().position(is_it).expect("an assertion of the file")
    }

    pub(crate) fn title(&self, assertion: &Assertion) -> String {
        let at = self.find(|it| it.span == assertion.span);
        self.systems.loaded().questions[at].title.clone()
    }

    /// The process of an assertion as it is written.
    pub(crate) fn subject_name(&self, subject: &Subject) -> String {
        let at = self.find(|it| it.process == *subject);
        let loaded = self.systems.loaded();
        let system = loaded.questions[at].system;
        loaded.systems[system.0].name.clone().expect("a process has a name")
    }

    /// The system of the process of an assertion.
    pub(crate) fn system(&mut self, subject: &Subject) -> Result<SystemIndex, Vec<Diagnostic>> {
        let at = self.find(|it| it.process == *subject);
        let system = self.systems.loaded().questions[at].system;
        self.systems.system(system)?;
        Ok(system)
    }

    pub(crate) fn execute(&mut self, execution: Execution) {
        self.systems.execute(execution);
    }

    pub(crate) fn interpreter(&mut self, system: SystemIndex) -> &mut ModelSystem {
        model(&mut self.systems, system)
    }

    pub(crate) fn property(
        &mut self,
        system: SystemIndex,
        name: &str,
        formula: &FormulaText,
    ) -> Result<Property, Vec<Diagnostic>> {
        let at = self
            .find(|it| matches!(&it.claim, syntax::Claim::Satisfies(other) if other == formula));
        let bound = self.systems.bind(at).map_err(diagnostics)?;
        assert_eq!(bound.system, system);
        let Asked::Formula(mut property, _) = bound.asked else { panic!("a claim") };
        property.name = name.to_owned();
        Ok(*property)
    }

    pub(crate) fn claimed(&mut self, claim: &syntax::Claim) -> Result<Claim, Vec<Diagnostic>> {
        if *claim == syntax::Claim::NonTerminating {
            return Ok(Claim::NonTerminating);
        }
        let at = self.find(|it| it.claim == *claim);
        match self.systems.loaded().questions[at].asked.clone()? {
            loaded::Asked::Claim(claim) => Ok(claim),
            _ => panic!("a formula"),
        }
    }

    pub(crate) fn claim(
        &mut self,
        system: SystemIndex,
        claim: &syntax::Claim,
        effort: impl Into<Effort>,
    ) -> Result<ClaimVerdict, AnswerError> {
        let claim = self.claimed(claim)?;
        self.systems.claim(&claim, system, effort)
    }

    pub(crate) fn hunt(
        &mut self,
        claim: &Claim,
        system: SystemIndex,
        room: Room,
        bounds: Bounds,
    ) -> Result<ClaimVerdict, CheckError> {
        let asked = Asked::Claim(claim.clone());
        self.systems.hunt(&asked, system, room, bounds).map_err(failure)
    }
}
