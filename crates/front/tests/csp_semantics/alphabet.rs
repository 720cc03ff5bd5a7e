//! Which events a process takes together with others.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::ast::{Action, Domain, Event, EventSet, Ex, Name, P, Spec};
use super::naive::{Meaning, Skip, Store, Values, children, event_name};

/// A definition that has been looked into: with which arguments, and what was hidden around it.
pub(crate) type Met = (usize, Vec<Option<i64>>, Vec<String>);

impl Meaning<'_> {
    pub(crate) fn events_of(
        &self,
        sets: &[EventSet],
        names: &Values,
    ) -> Result<BTreeSet<String>, Skip> {
        let mut events = BTreeSet::new();
        for set in sets {
            let (name, low, high) = set.binding.unwrap_or((Name::MAX, 0, 0));
            for value in low..=high {
                let mut names = names.clone();
                names.insert(name, value);
                let data: Option<Vec<i64>> =
                    set.event.data.iter().map(|part| constant(part, &names)).collect();
                events.insert(event_name(set.event.word, &data.ok_or(Skip::Alphabet)?));
            }
        }
        Ok(events)
    }

    /// All events that are written in a process and in what it refers to, unless they are declared.
    /// Names that are not known stand for nothing.
    pub(crate) fn alphabet(
        &self,
        process: &Arc<P>,
        names: &Values,
        hidden: &BTreeSet<String>,
        found: &mut BTreeSet<String>,
        met: &mut HashSet<Met>,
    ) -> Result<(), Skip> {
        let mut note = |event: &Event| -> Result<(), Skip> {
            let data: Option<Vec<i64>> =
                event.data.iter().map(|part| constant(part, names)).collect();
            let name = event_name(event.word, &data.ok_or(Skip::Alphabet)?);
            if !hidden.contains(&name) {
                found.insert(name);
            }
            Ok(())
        };
        match &**process {
            P::Prefix(Action::Event(event), program, _) if program.is_empty() => note(event)?,
            P::Alternatives(events, _) => events.iter().try_for_each(note)?,
            P::Refer(at, arguments) => {
                let definition = &self.spec.definitions[*at];
                let values: Vec<Option<i64>> =
                    arguments.iter().map(|argument| constant(argument, names)).collect();
                let known: Values = (definition.parameters.iter().zip(&values))
                    .filter_map(|(&name, value)| Some((name, (*value)?)))
                    .collect();
                if let Some(sets) = &definition.alphabet {
                    let events = self.events_of(sets, &known)?;
                    found.extend(events.into_iter().filter(|event| !hidden.contains(event)));
                    return Ok(());
                }
                if met.len() > 500 {
                    return Err(Skip::Alphabet);
                }
                if met.insert((*at, values, hidden.iter().cloned().collect())) {
                    self.alphabet(&definition.body, &known, hidden, found, met)?;
                }
                return Ok(());
            }
            P::Hide(body, sets) => {
                let more = self.events_of(sets, names)?;
                let hidden = hidden.union(&more).cloned().collect();
                return self.alphabet(body, names, &hidden, found, met);
            }
            P::Indexed(_, name, domain, body) => {
                let values: Option<Vec<i64>> = match domain {
                    Domain::Range(low, high) => constant(low, names)
                        .zip(constant(high, names))
                        .map(|(low, high)| (low..=high).collect()),
                    Domain::List(values) => {
                        values.iter().map(|value| constant(value, names)).collect()
                    }
                };
                for value in values.ok_or(Skip::Alphabet)? {
                    let mut names = names.clone();
                    names.insert(*name, value);
                    self.alphabet(body, &names, hidden, found, met)?;
                }
                return Ok(());
            }
            // None of no copies.
            P::Copies(count, _) if constant(count, names) == Some(0) => return Ok(()),
            _ => {}
        }
        for child in children(process) {
            self.alphabet(child, names, hidden, found, met)?;
        }
        Ok(())
    }
}

/// The value of an expression without variables.
fn constant(expr: &Ex, names: &Values) -> Option<i64> {
    fn known(expr: &Ex, names: &Values) -> bool {
        match expr {
            Ex::Int(_) | Ex::Bool(_) => true,
            Ex::Name(name) => names.contains_key(name),
            Ex::Global(_) | Ex::Element(..) | Ex::Query(..) => false,
            Ex::Not(inner) => known(inner, names),
            Ex::Binary(_, both) => known(&both.0, names) && known(&both.1, names),
        }
    }
    let spec = Spec { variables: Vec::new(), channels: Vec::new(), definitions: Vec::new() };
    let nothing = Store { variables: Vec::new(), buffers: Vec::new() };
    known(expr, names).then(|| Meaning { spec: &spec }.eval(expr, &nothing, names).ok()).flatten()
}
