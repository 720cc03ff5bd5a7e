//! A Promela file and the answers to what it asks: assertions, end states, formulas, never claims,
//! progress.

pub mod given;
mod stored;
mod trail;

use fairly_front::include::{Includes, NoFiles};
use fairly_front::promela::{self, Claim as Never, Lowered, Options as Lowering, Setup};
use fairly_logic::Formulas;
use fairly_model::{BinaryOp, Expr, LocationId, Model, ModelSpace, Target};
use fairly_omega::{Acceptance, Automaton, Builder, Label, Mark, MarkSet, Prop, Refused, StateId};
use fairly_reduce::ModelSystem;
use fairly_search::Binding;
use fairly_source::{Diagnostic, Span};
use fairly_system::TransitionSystem;

use crate::claim::{self, ClaimVerdict, Effort};
use crate::execution::{Execution, system};
use crate::property::Property;
use crate::question::{Claim, SystemIndex, Systems, Unanswered};
use crate::verdict::Failure;

pub use self::stored::Stored;

/// A Promela file.
pub struct PromelaFile {
    system: ModelSystem,
    lowered: Lowered,
    /// How many formulas at the end were not in the file.
    given: usize,
    /// The formulas as they are written.
    written: Vec<String>,
    /// Where the formulas are written.
    places: Vec<Span>,
    text: String,
    flat: Option<String>,
}

/// How a Promela file is read.
pub struct PromelaSource<'a> {
    /// Formulas that are asked besides those of the file.
    pub formulas: &'a [String],
    /// Whether assertions are checked; if not, they are steps that do nothing.
    pub assertions: bool,
    /// How many processes there is room for where it cannot be seen how many are started.
    pub processes: Option<u32>,
    /// Macros, and where included files come from.
    pub setup: Setup<'a>,
}

impl<'a> PromelaSource<'a> {
    /// A file as it is.
    pub fn new(includes: &'a mut dyn Includes) -> PromelaSource<'a> {
        let setup = Setup::new(includes);
        PromelaSource { formulas: &[], assertions: true, processes: None, setup }
    }
}

/// Errors in a Promela file, or in what it includes.
#[derive(Clone, Debug)]
pub struct PromelaErrors {
    /// The text that they are places in, as [`PromelaFile::text`] gives it.
    pub text: String,
    /// The errors, at least one.
    pub diagnostics: Vec<Diagnostic>,
}

/// The name of the condition that some process is at an accept label.
const ACCEPTING: &str = "accept_";
/// The system has stopped: SPIN looks for cycles without progress, and there is none.
const STOPPED: &str = "\"deadlock\" || \"terminated\"";

/// Something that a Promela file asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// No assertion fails, and nothing else goes wrong.
    Errors,
    /// Processes stop only at the ends of their bodies and at end labels.
    EndStates,
    /// Progress labels are passed again and again, unless the system stops.
    Progress,
    /// Accept labels are not passed again and again, and the system does not stop at one.
    Acceptance,
    /// The `ltl` block at this position.
    Formula(usize),
    /// The `never` claim at this position.
    Never(usize),
}

impl PromelaFile {
    /// Reads a file that includes no others, with further formulas as if they stood in `ltl` blocks at its
    /// end.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str, formulas: &[String]) -> Result<PromelaFile, Vec<Diagnostic>> {
        let mut files = NoFiles;
        let source = PromelaSource { formulas, ..PromelaSource::new(&mut files) };
        PromelaFile::read(text, source).map_err(|wrong| wrong.diagnostics)
    }

    /// Reads a file in which assertions are steps that do nothing, as `pan -A` takes them: no run ends
    /// with one, so what comes after them has its states.
    ///
    /// # Errors
    /// As [`PromelaFile::parse`].
    pub fn without_assertions(
        text: &str,
        formulas: &[String],
    ) -> Result<PromelaFile, Vec<Diagnostic>> {
        let mut files = NoFiles;
        let source =
            PromelaSource { formulas, assertions: false, ..PromelaSource::new(&mut files) };
        PromelaFile::read(text, source).map_err(|wrong| wrong.diagnostics)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it, or with what it includes.
    pub fn read(text: &str, source: PromelaSource<'_>) -> Result<PromelaFile, PromelaErrors> {
        let PromelaSource { formulas, assertions, processes, setup } = source;
        let own = given::appended(text, formulas);
        let promela::Reading { text: whole, model, flat } = promela::parse_with(&own, setup);
        let wrong = |diagnostics| PromelaErrors { text: whole.clone(), diagnostics };
        let parsed = model.map_err(wrong)?;
        let options = Lowering::new(&whole);
        let processes = processes.unwrap_or(options.processes);
        let options = Lowering { assertions, processes, ..options };
        let mut lowered = promela::lower(&parsed, options).map_err(wrong)?;
        match accepting(&lowered) {
            Some(any) => lowered.model.propositions.push((ACCEPTING.to_owned(), any)),
            // Only proctypes of which there is no process have such labels.
            None => lowered.accepting.clear(),
        }
        let system = system(ModelSpace::new(lowered.model.clone(), None), Execution::default());
        let written = parsed.formulas.iter().map(|formula| braced(&whole, formula.place.span.end));
        let written = written.collect();
        let places = parsed.formulas.iter().map(|formula| formula.place.span).collect();
        let given = formulas.len();
        Ok(PromelaFile { system, lowered, given, written, places, text: whole, flat })
    }

    /// The text that spans are places in: the file, the formulas that were given, and each included file as
    /// a [part](fairly_source::parts).
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The file with the formulas that were given, with included files in place and with the macros of the
    /// arguments, as another tool can read it.
    pub fn flat(&self) -> &str {
        self.flat.as_deref().unwrap_or(&self.text)
    }

    /// Has the steps made so, from now on. What has been learned of the system is forgotten.
    pub fn execute(&mut self, execution: Execution) {
        self.system = system(ModelSpace::new(self.lowered.model.clone(), None), execution);
    }

    /// The system.
    pub fn interpreter(&mut self) -> &mut ModelSystem {
        &mut self.system
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.lowered.model
    }

    /// What stands after `expect:` in comments.
    pub fn expectations(&self) -> impl Iterator<Item = &str> {
        self.lowered.expectations.iter().map(|remark| remark.text.as_str())
    }

    /// Everything that the file asks.
    pub fn questions(&self) -> Vec<Question> {
        let mut all = vec![Question::Errors, Question::EndStates];
        all.extend(self.lowered.no_progress.iter().map(|_| Question::Progress));
        if !self.lowered.accepting.is_empty() {
            all.push(Question::Acceptance);
        }
        all.extend((0..self.lowered.formulas.len()).map(Question::Formula));
        all.extend((0..self.lowered.claims.len()).map(Question::Never));
        all
    }

    /// What a question is called.
    pub fn title(&self, question: &Question) -> String {
        match question {
            Question::Errors => "assertions".to_owned(),
            Question::EndStates => "end states".to_owned(),
            Question::Progress => "progress".to_owned(),
            Question::Acceptance => "acceptance".to_owned(),
            Question::Formula(at) => self.lowered.formulas[*at].0.clone(),
            Question::Never(at) => self.lowered.claims[*at].name.clone(),
        }
    }

    /// A formula as it is written.
    pub fn written(&self, question: &Question) -> Option<&str> {
        match question {
            Question::Formula(at) => Some(&self.written[*at]).filter(|it| !it.is_empty()),
            _ => None,
        }
        .map(String::as_str)
    }

    /// Where a formula is written; none for what stands nowhere.
    pub fn place(&self, question: &Question) -> Option<Span> {
        match question {
            Question::Formula(at) => self.places.get(*at).copied(),
            _ => None,
        }
        .filter(|_| !self.is_given(question))
    }

    /// Whether the question was not in the file.
    pub fn is_given(&self, question: &Question) -> bool {
        let of_file = self.lowered.formulas.len() - self.given;
        matches!(question, Question::Formula(at) if *at >= of_file)
    }

    /// A question about reachable states only, as data; none for formulas, claims and progress: see
    /// [`PromelaFile::property`].
    pub fn claimed(&self, question: &Question) -> Option<Claim> {
        match question {
            Question::Errors => Some(Claim::NoErrors),
            Question::EndStates => {
                Some(Claim::EndsWell { unfinished: self.lowered.unfinished.clone() })
            }
            Question::Progress
            | Question::Acceptance
            | Question::Formula(_)
            | Question::Never(_) => None,
        }
    }

    /// The answer to what is about reachable states only.
    ///
    /// # Errors
    /// When what was found does not stand up to replay, which is a bug.
    ///
    /// # Panics
    /// On formulas, claims and progress: see [`PromelaFile::property`].
    pub fn claim(
        &mut self,
        question: &Question,
        effort: impl Into<Effort>,
    ) -> Result<ClaimVerdict, Failure> {
        let claim = self.claimed(question).expect("properties of runs are checked elsewhere");
        match claim.ask(self, SystemIndex::ONLY, effort) {
            Ok(verdict) => Ok(verdict),
            Err(Unanswered::Failed(failure)) => Err(failure),
            Err(Unanswered::Wrong(_)) => unreachable!("the file has been read"),
        }
    }

    /// The answers to [`Question::Errors`] and [`Question::EndStates`], from one exploration; the second only
    /// where it comes with the first.
    ///
    /// # Errors
    /// As [`PromelaFile::claim`].
    pub fn errors_and_end_states(
        &mut self,
        effort: impl Into<Effort>,
    ) -> Result<(ClaimVerdict, Option<ClaimVerdict>), Failure> {
        let unfinished = self.lowered.unfinished.as_deref();
        claim::faultless_and_stops_well(&mut self.system, unfinished, effort)
    }

    /// The property behind a question; none for a [claim](PromelaFile::claimed) about reachable states.
    ///
    /// # Errors
    /// When its propositions mean nothing, or a claim is no automaton.
    pub fn property(&mut self, question: &Question) -> Result<Option<Property>, Vec<Diagnostic>> {
        let (name, text) = match question {
            Question::Errors | Question::EndStates => return Ok(None),
            Question::Never(at) => {
                let claim = self.lowered.claims[*at].clone();
                let span = fairly_source::Span::at(0);
                return self.never(&claim).map(Some).map_err(|refused| {
                    vec![Diagnostic::error("E0801", refused.to_string(), span)]
                });
            }
            Question::Formula(at) => self.lowered.formulas[*at].clone(),
            Question::Progress => {
                let idle = self.lowered.no_progress.clone().unwrap_or_default();
                let idle = idle.escape_default();
                ("progress".to_owned(), format!("[]<> (!\"{idle}\" || {STOPPED})"))
            }
            // A run that stops stays where it is, here for SPIN, too.
            Question::Acceptance => {
                self.refuse_hidden_labels()?;
                ("acceptance".to_owned(), format!("<>[] !\"{}\"", ACCEPTING.escape_default()))
            }
        };
        let mut formulas = Formulas::new();
        let parsed = formulas.parse(&text).map_err(|diagnostic| vec![diagnostic])?;
        let bound = Property::bind(&name, formulas, parsed, &mut self.system);
        bound.map(Some).map_err(|unbound| {
            let span = fairly_source::Span::at(0);
            vec![Diagnostic::error("E0801", unbound.to_string(), span)]
        })
    }

    /// Refuses to answer where an accept label is inside an atomic sequence: a step leads past it, and
    /// that no run passes it would be a guess.
    fn refuse_hidden_labels(&self) -> Result<(), Vec<Diagnostic>> {
        let model = &self.lowered.model;
        let hidden = self.lowered.accepting.iter().filter_map(|&(template, location)| {
            let template = model.template(template);
            let edges = template.locations.iter().filter_map(|it| it.edges.as_ref()).flatten();
            let held = Target::Location(location);
            let mut inside = edges.filter(|edge| edge.hold && edge.target == held);
            inside.next().map(|_| template.location(location).span.unwrap_or(Span::at(0)))
        });
        let wrong: Vec<Diagnostic> = hidden
            .map(|span| {
                let message = "an accept label inside an atomic sequence is not seen";
                Diagnostic::error("E0803", message, span).label("steps lead past it").help(
                    "put it in front of the sequence, or ask only for other properties with `-p`",
                )
            })
            .collect();
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }

    /// A never claim as the property that no run is accepted by it.
    fn never(&mut self, claim: &Never) -> Result<Property, Refused> {
        let guards = claim.states.iter().flat_map(|state| &state.steps);
        let mut names: Vec<String> = guards.filter_map(|step| step.guard.clone()).collect();
        names.sort();
        names.dedup();
        let automaton = automaton(claim, &names)?;
        let bindings = names
            .iter()
            .map(|name| Binding::State(self.system.atom(name).expect("a proposition of the model")))
            .collect();
        Ok(Property::never(&claim.name, automaton, bindings))
    }
}

impl Systems for PromelaFile {
    fn system(&mut self, _system: SystemIndex) -> &mut ModelSystem {
        &mut self.system
    }

    fn fresh(&self, _system: SystemIndex) -> Result<ModelSystem, Vec<Diagnostic>> {
        Ok(system(ModelSpace::new(self.lowered.model.clone(), None), Execution::default()))
    }
}

/// The condition that some process is at a label that starts with `accept`.
fn accepting(lowered: &Lowered) -> Option<Expr> {
    let mut any: Option<Expr> = None;
    for (at, slot) in (0i64..).zip(&lowered.model.slots) {
        for &template in &slot.templates {
            let places = lowered.accepting.iter().filter(|(of, _)| *of == template);
            let locations: Vec<LocationId> = places.map(|&(_, location)| location).collect();
            if locations.is_empty() {
                continue;
            }
            let here = Expr::At { slot: Box::new(Expr::Const(at)), template, locations };
            any = Some(match any {
                None => here,
                Some(others) => Expr::binary(BinaryOp::Or, others, here),
            });
        }
    }
    any
}

/// What stands in the next braces of a text, on one line; empty if there are none.
fn braced(text: &str, from: usize) -> String {
    let rest = text.get(from..).unwrap_or_default();
    let Some(open) = rest.find('{') else { return String::new() };
    let mut depth = 0usize;
    for (at, c) in rest[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let words: Vec<&str> = rest[open + 1..open + at].split_whitespace().collect();
            return words.join(" ");
        }
    }
    String::new()
}

/// The automaton of a claim, whose propositions are those named, in order.
fn automaton(claim: &Never, names: &[String]) -> Result<Automaton, Refused> {
    let mut builder = Builder::new(names.to_vec());
    builder.set_acceptance(Acceptance::Inf(Mark(0)), 1);
    builder.add_states(claim.states.len());
    builder.add_initial(StateId(0));
    let accepts: MarkSet = [Mark(0)].into_iter().collect();
    for (at, state) in claim.states.iter().enumerate() {
        let from = StateId::from_index(at);
        if state.ends {
            // The run is wrong whatever follows.
            builder.add_edge(from, Label::TRUE, accepts.clone(), from);
            continue;
        }
        let marks = if state.accepts { accepts.clone() } else { MarkSet::new() };
        for step in &state.steps {
            let label = match &step.guard {
                None => Label::TRUE,
                Some(name) => {
                    let prop = names.binary_search(name).expect("collected before");
                    let prop = Prop(u32::try_from(prop).expect("few"));
                    builder.letters_mut().prop(prop)?
                }
            };
            builder.add_edge(from, label, marks.clone(), StateId::from_index(step.target));
        }
    }
    Ok(builder.build())
}
