//! A Promela file as a system and questions: assertions, end states, formulas, never claims, progress.

use fairly_model::{BinaryOp, Expr, LocationId, Target};
use fairly_omega::{
    Acceptance, Automaton, BudgetError, Builder, Label, Mark, MarkSet, Prop, StateId,
};
use fairly_source::{Diagnostic, Span};
use fairly_system::EventPosition;

use super::{Claim as Never, ClaimState, ClaimStep, Lowered, Options, Setup, ast, given};
use crate::loaded::{
    Asked, Claim, Counted, Formula, FormulaText, Kind, LoadError, Loaded, Loader, Question,
    Settings, SystemSource, Text, TextError,
};

/// Reads Promela. Formulas of the settings are read as `ltl` blocks at the end of the file, so that they see its
/// macros and variables.
pub struct Promela;

/// The name of the condition that some process is at an accept label.
const ACCEPTING: &str = "accept_";
/// The system has stopped: SPIN looks for cycles without progress, and there is none.
const STOPPED: &str = "\"deadlock\" || \"terminated\"";

impl Loader for Promela {
    fn load(&self, texts: &[Text], settings: Settings<'_>) -> Result<Loaded, LoadError> {
        let Text { name, text } = &texts[0];
        let Settings { formulas, defines, undefines, includes, processes, assertions, .. } =
            settings;
        let own = given::appended(text, formulas);
        let setup = Setup { name, defines, undefines, includes };
        let super::ParsedFile { text: whole, model, flat } = super::parse_with(&own, setup);
        let wrong = |diagnostics| {
            let whole = Text { name: name.clone(), text: whole.clone() };
            LoadError::Wrong(given::sorted(text, formulas, TextError { text: whole, diagnostics }))
        };
        let parsed = model.map_err(wrong)?;
        let options = Options::new(&whole);
        let processes = processes.unwrap_or(options.processes);
        let options = Options { assertions, processes, ..options };
        let mut lowered = super::lower(&parsed, options).map_err(wrong)?;
        match accepting(&lowered) {
            Some(any) => lowered.model.propositions.push((ACCEPTING.to_owned(), any)),
            // Only proctypes of which there is no process have such labels.
            None => lowered.accepting.clear(),
        }
        let questions = questions(&whole, &parsed, &lowered, formulas.len());
        let slots = lowered.model.slots.iter();
        let templates = slots.flat_map(|slot| &slot.templates);
        let locations = templates.flat_map(|&id| &lowered.model.template(id).locations);
        let mut edges = locations.filter_map(|location| location.edges.as_ref()).flatten();
        Ok(Loaded {
            is_annotated: edges.any(|edge| edge.annotation.is_some()),
            // Without a process there is nothing to look at.
            systems: (!lowered.model.slots.is_empty())
                .then(|| SystemSource::of_model(lowered.model))
                .into_iter()
                .collect(),
            questions,
            nothing: "no process is started; `active proctype` or `init` starts one",
            exported: Some(flat.unwrap_or_else(|| whole.clone())),
            statements: Some(lowered.numbers),
            text: Some(whole),
            ..Loaded::default()
        })
    }
}

/// Everything that the file asks, and the formulas that were given, which are the last of its formulas.
fn questions(whole: &str, parsed: &ast::Model, lowered: &Lowered, given: usize) -> Vec<Question> {
    if lowered.model.slots.is_empty() {
        return Vec::new();
    }
    let ends = Claim::EndsWell { unfinished: lowered.unfinished.clone() };
    let errors = Question::new("assertions", Kind::Errors, Asked::Claim(Claim::NoErrors));
    let ends = Question::new("end states", Kind::EndStates, Asked::Claim(ends));
    let says = |words: &str| Some(words.to_owned());
    let mut all = vec![
        Question { says: says("no assertion fails and no statement goes wrong"), ..errors },
        Question { says: says("processes end only where they may"), ..ends },
    ];
    for question in &mut all {
        question.counted = Some(Counted::System);
    }
    all.extend(lowered.no_progress.as_deref().map(progress));
    if !lowered.accepting.is_empty() {
        all.push(acceptance(lowered));
    }
    let of_file = lowered.formulas.len() - given;
    for (at, (name, logic)) in lowered.formulas.iter().enumerate() {
        let place = parsed.formulas[at].place.span;
        let shown = Some(braced(whole, place.end)).filter(|shown| !shown.is_empty());
        let mut question = Question::new(name, Kind::Formula, formula(name, logic, shown));
        if at < of_file {
            question.place = Some(place);
        } else {
            question.choice = None;
        }
        question.counted = Some(Counted::WithFormula);
        all.push(question);
    }
    all.extend(lowered.claims.iter().map(never));
    all
}

/// A formula in which propositions of the model stand in quotes.
fn formula(name: &str, logic: &str, shown: Option<String>) -> Asked {
    Asked::Formula(Formula {
        name: name.to_owned(),
        text: FormulaText { span: Span::at(0), logic: logic.to_owned(), places: Vec::new() },
        shown,
        reading: EventPosition::default(),
        has_bare_names: false,
    })
}

/// Progress labels are passed again and again, unless the system stops.
fn progress(idle: &str) -> Question {
    let logic = format!("[]<> (!\"{}\" || {STOPPED})", idle.escape_default());
    let asked = formula("progress", &logic, None);
    let counted = Some(Counted::With(automaton(&no_progress(idle))));
    Question { counted, ..Question::new("progress", Kind::Progress, asked) }
}

/// Accept labels are not passed again and again, and the system does not stop at one. A run that stops stays where
/// it is, here and for SPIN.
fn acceptance(lowered: &Lowered) -> Question {
    let logic = format!("<>[] !\"{}\"", ACCEPTING.escape_default());
    let asked = formula("acceptance", &logic, None);
    let question = Question::new("acceptance", Kind::Acceptance, asked);
    let question = Question { counted: Some(Counted::System), ..question };
    match hidden_labels(lowered) {
        wrong if wrong.is_empty() => question,
        wrong => Question { asked: Err(wrong), ..question },
    }
}

/// Accept labels inside atomic sequences: a step leads past them, and that no run passes one would be a guess.
fn hidden_labels(lowered: &Lowered) -> Vec<Diagnostic> {
    let hidden = lowered.accepting.iter().filter_map(|&(template, location)| {
        let template = lowered.model.template(template);
        let edges = template.locations.iter().filter_map(|it| it.edges.as_ref()).flatten();
        let held = Target::Location(location);
        let mut inside = edges.filter(|edge| edge.hold && edge.target == held);
        inside.next().map(|_| template.location(location).span.unwrap_or(Span::at(0)))
    });
    let wrong = hidden.map(|span| {
        let message = "an accept label inside an atomic sequence is not seen";
        Diagnostic::error("E0803", message, span)
            .label("steps lead past it")
            .help("put it in front of the sequence, or ask only for other properties with `-p`")
    });
    wrong.collect()
}

/// No run is accepted by a never claim.
fn never(claim: &Never) -> Question {
    let refused =
        |refused: BudgetError| vec![Diagnostic::error("E0801", refused.to_string(), Span::at(0))];
    // SPIN reports a claim that has come to its end, and follows the run no further.
    let mut counted = claim.clone();
    counted.states.iter_mut().for_each(|state| state.ends = false);
    Question {
        title: claim.name.clone(),
        // Claims are rarely named, so the keyword chooses them.
        choice: Some("never".to_owned()),
        system: crate::loaded::SystemIndex::ONLY,
        kind: Kind::NeverClaim,
        asked: automaton(claim).map(Asked::Never).map_err(refused),
        place: None,
        says: None,
        counted: Some(Counted::With(automaton(&counted))),
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

/// The claim that SPIN looks for cycles without progress with: from some point on, there is none.
fn no_progress(idle: &str) -> Never {
    let state = |name: &str, accepts, steps| ClaimState {
        name: name.to_owned(),
        accepts,
        ends: false,
        steps,
    };
    let idles = ClaimStep { guard: Some(idle.to_owned()), target: 1 };
    let anything = ClaimStep { guard: None, target: 0 };
    Never {
        name: "progress".to_owned(),
        states: vec![
            state("start", false, vec![anything, idles.clone()]),
            state("idle", true, vec![idles]),
        ],
    }
}

/// The automaton of a claim, whose propositions are named as those of the model.
fn automaton(claim: &Never) -> Result<Automaton, BudgetError> {
    let guards = claim.states.iter().flat_map(|state| &state.steps);
    let mut names: Vec<String> = guards.filter_map(|step| step.guard.clone()).collect();
    names.sort();
    names.dedup();
    let mut builder = Builder::new(names.clone());
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

/// The contents of the next braces of a text, on one line; empty if there are none.
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
