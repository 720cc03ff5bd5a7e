//! What files of modelling languages ask, and what the arguments ask of them.

use fairly_check::csp::CspFile;
use fairly_check::promela::{self, PromelaErrors, PromelaFile};
use fairly_check::{Claim, Property, SystemIndex, parse_for};
use fairly_front::csp::syntax::{Assertion, Claim as Asserted};
use fairly_logic::Formulas;
use fairly_source::{Diagnostic, Span};
use fairly_system::EventReading;

use super::arguments::{Model, squeezed};
use super::names::{self, Known};
use super::tally::{About, Choice};
use crate::failure::{Absent, Failure};
use crate::input::Input;

/// Everything to be answered.
pub(super) struct Questions {
    pub(super) asked: Vec<Question>,
    /// Names of the arguments that this model does not have, where another one may.
    pub(super) absent: Vec<Absent>,
}

/// One thing to be answered.
pub(super) struct Question {
    pub(super) title: String,
    pub(super) system: SystemIndex,
    pub(super) asked: Asked,
    /// What it is to a Promela file.
    pub(super) of_promela: Option<promela::Question>,
    /// Where it is asked, if that is in the file.
    pub(super) place: Option<Span>,
    /// What `-p` chooses it by; none for what the arguments ask.
    pub(super) choice: Option<String>,
}

impl Question {
    /// What arguments may call it.
    pub(super) fn names(&self) -> Vec<&str> {
        [Some(&self.title), self.choice.as_ref()]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect()
    }

    /// What its answer is about.
    pub(super) fn about(&self) -> About {
        let choice = match (&self.choice, &self.asked) {
            (Some(choice), _) => Choice::Property(choice.clone()),
            (None, Asked::Formula(_, formula)) => Choice::Formula(formula.clone()),
            (None, _) => Choice::Property(self.title.clone()),
        };
        About { title: self.title.clone(), place: self.place, choice }
    }
}

pub(super) enum Asked {
    /// A formula, and how it is written.
    Formula(Box<Property>, String),
    /// Something else.
    Claim(Claim),
}

/// What is wrong in a file.
pub(super) fn wrong(input: &Input, diagnostics: Vec<Diagnostic>) -> Failure {
    let Input { name, text } = input;
    Failure::Inputs { name: name.clone(), text: text.clone(), diagnostics }
}

/// What is wrong in a Promela file, in what it includes, or in a formula of the arguments that was read with it.
pub(super) fn wrong_in_promela(
    input: &Input,
    formulas: &[String],
    PromelaErrors { text, diagnostics }: PromelaErrors,
) -> Failure {
    let located =
        |diagnostic: &Diagnostic| promela::given::located(&input.text, formulas, diagnostic);
    let is_in_file = |diagnostic: &&Diagnostic| located(diagnostic).is_none();
    let in_file: Vec<Diagnostic> = diagnostics.iter().filter(is_in_file).cloned().collect();
    let first = diagnostics.first().and_then(located).filter(|_| in_file.is_empty());
    // What is wrong in the file may be why a formula is, so the file comes first.
    let Some((first, _)) = first else {
        return Failure::Inputs { name: input.name.clone(), text, diagnostics: in_file };
    };
    let same = diagnostics.iter().filter_map(located).filter(|(at, _)| *at == first);
    Failure::Inputs {
        name: "<formula>".to_owned(),
        text: formulas[first].clone(),
        diagnostics: same.map(|(_, diagnostic)| diagnostic).collect(),
    }
}

/// What a CSP# file and the arguments ask.
pub(super) fn of_csp(
    file: &mut CspFile,
    input: &Input,
    model: &Model,
) -> Result<Questions, Failure> {
    let specification = file.specification().clone();
    let titles: Vec<String> = specification.assertions.iter().map(|it| file.title(it)).collect();
    let mut known = Known { what: "assertion", titles, numbered: true };
    if !model.formulas.is_empty() {
        let asked = formulas(file, input, model, specification.assertions.first())?;
        known.titles.extend(asked.iter().map(|question| question.title.clone()));
        let mut absent = known.expected(model)?;
        absent.extend(known.timed(model)?);
        return Ok(Questions { asked, absent });
    }
    // By number, or by any part of what is written.
    let means = |wanted: &str, number: usize, title: &str| match wanted.parse::<usize>() {
        Ok(wanted) => wanted == number,
        Err(_) => {
            let (wanted, title) = (squeezed(wanted), squeezed(title));
            !wanted.is_empty() && (title.contains(&wanted) || names::means(&wanted, &title))
        }
    };
    if known.titles.is_empty() && model.properties.is_empty() {
        return Err(Failure::Nothing(
            "nothing to check: the file has no #assert; give a formula with -f 'FORMULA'"
                .to_owned(),
        ));
    }
    let mut absent = known
        .chosen(model, |wanted| (1..).zip(&known.titles).any(|(at, it)| means(wanted, at, it)))?;
    absent.extend(known.expected(model)?);
    absent.extend(known.timed(model)?);
    let mut questions = Vec::new();
    for (number, assertion) in (1..).zip(&specification.assertions) {
        let title = file.title(assertion);
        let mut wanted = model.properties.iter();
        if !model.properties.is_empty() && !wanted.any(|wanted| means(wanted, number, &title)) {
            continue;
        }
        let system = file.system(&assertion.process).map_err(|it| wrong(input, it))?;
        let asked = match &assertion.claim {
            Asserted::Satisfies(formula) => {
                let name = file.subject_name(&assertion.process);
                let property =
                    file.property(system, &name, formula).map_err(|it| wrong(input, it))?;
                let written = &input.text[formula.span.start..formula.span.end];
                Asked::Formula(Box::new(property), written.trim().to_owned())
            }
            other => Asked::Claim(file.claimed(other).map_err(|it| wrong(input, it))?),
        };
        questions.push(Question {
            title,
            system,
            asked,
            of_promela: None,
            place: Some(assertion.span),
            choice: Some(number.to_string()),
        });
    }
    Ok(Questions { asked: questions, absent })
}

/// Formulas of the command line, about the process of the first assertion.
fn formulas(
    file: &mut CspFile,
    input: &Input,
    model: &Model,
    first: Option<&Assertion>,
) -> Result<Vec<Question>, Failure> {
    let Some(first) = first else {
        return Err(Failure::usage(
            "-f is about the process of the first #assert, and the file has none",
        ));
    };
    let system = file.system(&first.process).map_err(|it| wrong(input, it))?;
    let name = file.subject_name(&first.process);
    let mut questions = Vec::new();
    for text in &model.formulas {
        let at_fault = |diagnostic| Failure::Input {
            name: "<formula>".to_owned(),
            text: text.clone(),
            diagnostic: Box::new(diagnostic),
        };
        let interpreter = file.interpreter(system);
        let mut formulas = Formulas::new();
        let parsed = parse_for(&mut formulas, text, interpreter).map_err(at_fault)?;
        let mut property =
            Property::bind(&name, formulas, parsed, interpreter).map_err(|unbound| {
                let whole = Span::new(0, text.len());
                let wrong = Diagnostic::error("E0801", unbound.to_string(), whole);
                at_fault(match unbound.similar {
                    Some(similar) => wrong.help(format!("did you mean `{similar}`?")),
                    None => wrong,
                })
            })?;
        property.reading = EventReading::Entering;
        let asked = Asked::Formula(Box::new(property), text.clone());
        let title = format!("{name} |= {text}");
        questions.push(Question {
            title,
            system,
            asked,
            of_promela: None,
            place: None,
            choice: None,
        });
    }
    Ok(questions)
}

/// What a Promela file and the arguments ask. Formulas of the arguments have been read with the file.
pub(super) fn of_promela(
    file: &mut PromelaFile,
    input: &Input,
    model: &Model,
) -> Result<Questions, Failure> {
    if file.model().slots.is_empty() {
        return Err(Failure::Nothing(
            "nothing to check: no process is started; `active proctype` or `init` starts one"
                .to_owned(),
        ));
    }
    let all = file.questions();
    let titles = all.iter().map(|question| file.title(question)).collect();
    let known = Known { what: "property", titles, numbered: false };
    let means = |wanted: &str, question: &promela::Question, title: &str| {
        // Claims are rarely named, so the keyword chooses them.
        let is_never = matches!(question, promela::Question::Never(_));
        names::means(wanted, title) || (wanted == "never" && is_never)
    };
    let mut absent = known.chosen(model, |wanted| {
        all.iter().zip(&known.titles).any(|(question, title)| means(wanted, question, title))
    })?;
    absent.extend(known.expected(model)?);
    absent.extend(known.timed(model)?);
    let mut questions = Vec::new();
    for question in all {
        let title = file.title(&question);
        // Formulas of the command line are asked instead of what the file asks.
        let is_given = file.is_given(&question);
        let chosen = match model.properties.as_slice() {
            [] => is_given || model.formulas.is_empty(),
            wanted => wanted.iter().any(|wanted| means(wanted, &question, &title)),
        };
        if !chosen {
            continue;
        }
        let asked = match file.claimed(&question) {
            Some(claim) => Asked::Claim(claim),
            None => {
                let property = file.property(&question).map_err(|it| wrong(input, it))?;
                let property = property.expect("what is no claim is a property");
                let written = file.written(&question).map(str::to_owned);
                let text = written.unwrap_or_else(|| property.text());
                Asked::Formula(Box::new(property), text)
            }
        };
        let place = file.place(&question);
        let choice = (!is_given).then(|| match question {
            promela::Question::Never(_) => "never".to_owned(),
            _ => title.clone(),
        });
        questions.push(Question {
            title,
            system: SystemIndex::ONLY,
            asked,
            of_promela: Some(question),
            place,
            choice,
        });
    }
    Ok(Questions { asked: questions, absent })
}
