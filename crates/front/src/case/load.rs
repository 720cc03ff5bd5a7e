//! Networks of explicit components as systems and questions.

use fairly_system::{Component, Composition, Network, Space};

use super::{Case, parse};
use crate::loaded::{
    Asked, Formula, Kind, LoadError, Loaded, Loader, Question, Settings, SystemSource, Text,
    TextError,
};

/// Reads `.net` files.
pub struct Networks;

impl Loader for Networks {
    fn load(&self, texts: &[Text], settings: Settings<'_>) -> Result<Loaded, LoadError> {
        let text = &texts[0];
        let case = parse(&text.text).map_err(|diagnostics| {
            LoadError::Wrong(TextError { text: text.clone(), diagnostics })
        })?;
        let Case { interleaved, .. } = &case;
        let interleaved = [interleaved, settings.interleaved].concat();
        let loaded = composed(case.build(), interleaved, &settings)?;
        let of_file = case.properties.iter().map(|property| {
            let (name, written) = (&property.name, &property.formula);
            let formula = Formula::written(name, &written.text, written.span.start);
            let question = Question::new(name, Kind::Formula, Asked::Formula(formula));
            Question { place: Some(written.span), ..question }
        });
        let questions = of_file.chain(loaded.questions).collect();
        let text = Some(text.text.clone());
        Ok(Loaded { text, questions, constraints: case.constraints, ..loaded })
    }
}

/// Components as one system, with the formulas of the settings.
pub(crate) fn composed(
    mut components: Vec<Component>,
    interleaved: Vec<String>,
    settings: &Settings<'_>,
) -> Result<Loaded, LoadError> {
    let refused = |why: String| Err(LoadError::Refused(why));
    for text in settings.alphabets {
        let Some((name, events)) = text.split_once('=') else {
            return refused(format!("--alphabet {text}: write COMPONENT=EVENT,…"));
        };
        let Some(component) = components.iter_mut().find(|it| it.name() == name) else {
            return refused(format!("--alphabet: no component `{name}`"));
        };
        for event in events.split(',').map(str::trim) {
            if event.is_empty() {
                return refused(format!("--alphabet {text}: an event has no name"));
            }
            component.add_event(event);
        }
    }
    let has =
        |event: &String| components.iter().any(|component| component.alphabet().contains(event));
    if let Some(unknown) = interleaved.iter().find(|event| !has(event)) {
        return refused(format!("no component has the interleaved event `{unknown}`"));
    }
    let network = Network::new(components, &Composition { interleaved })
        .map_err(|error| LoadError::Refused(error.to_string()))?;
    let is_annotated = network.signature().moves.iter().any(|it| it.annotation.is_some());
    let is_only = settings.formulas.len() == 1;
    let questions = (1..).zip(settings.formulas).map(|(at, text)| {
        let name = if is_only { "-f".to_owned() } else { format!("-f{at}") };
        let formula = Formula::written(&name, text, 0);
        Question { choice: None, ..Question::new(name, Kind::Formula, Asked::Formula(formula)) }
    });
    Ok(Loaded {
        questions: questions.collect(),
        is_annotated,
        systems: vec![SystemSource::of_network(network)],
        nothing: "give a property with -f 'FORMULA'",
        ..Loaded::default()
    })
}
