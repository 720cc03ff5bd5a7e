//! Parts of a model that no run executes.

use fairly_front::loaded::{SystemIndex, Written};
use fairly_source::Span;
use fairly_system::{Move, MoveId, Signature, TransitionSystem};
use hashbrown::HashSet;

use crate::lint::{Coverage, coverage, executed};
use crate::systems::{System, Systems};
use crate::verify::Options;
use crate::with_system;

/// A part of a model that no run executes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Unused {
    /// A place of the text.
    Place(Span),
    /// A statement, as it is shown.
    Statement(Span, String),
    /// An event of a component.
    Event {
        /// The component.
        component: String,
        /// The event.
        event: String,
    },
}

impl Systems {
    /// Parts that no run of these systems executes; none if that was not found out.
    pub fn unused(&mut self, systems: &[SystemIndex], options: &Options) -> Option<Vec<Unused>> {
        if let Some(written) = &self.loaded().written {
            let written = written(systems);
            return self.unwritten(systems, &written, options);
        }
        let (mut all, mut statements) = (Vec::new(), Vec::new());
        for &system in systems {
            let made = self.system(system).ok()?;
            match made {
                System::Model(made) => statements.push(moves(made, options, statement)?),
                System::Network(made) => all.extend(unmade(moves(made, options, event)?)),
                // Its actions are known once they are taken.
                System::Program(..) => {}
            }
        }
        let text = self.loaded().text.as_deref().unwrap_or_default();
        // A statement of a process is the same for all processes like it: it is enough if one executes it.
        let line =
            |(span, name): (Span, String)| (text[..span.start].matches('\n').count(), span, name);
        let of_lines = |all: Vec<(Span, String)>| all.into_iter().map(line);
        for (made, unmade) in statements {
            let made: HashSet<(usize, String)> =
                of_lines(made).map(|(line, _, name)| (line, name)).collect();
            let unmade =
                of_lines(unmade).filter(|(line, _, name)| !made.contains(&(*line, name.clone())));
            all.extend(unmade.map(|(_, span, name)| Unused::Statement(span, name)));
        }
        Some(all)
    }

    /// Of the actions that are written, those that are not executed.
    fn unwritten(
        &mut self,
        systems: &[SystemIndex],
        written: &Written,
        options: &Options,
    ) -> Option<Vec<Unused>> {
        let places: HashSet<Span> = written.places.iter().map(|place| place.span).collect();
        let mut seen = HashSet::new();
        for &system in systems {
            let made = self.system(system).ok()?;
            seen.extend(with_system!(made, made => executed(made, &places, options))?);
        }
        let executed = || written.places.iter().filter(|place| seen.contains(&place.span));
        // A step that parts of one process take together is known by one of the places, but all of them
        // have the same event.
        let heads: HashSet<&Option<String>> =
            executed().filter(|_| written.joins).map(|place| &place.head).collect();
        // Steps of parts that go on in the same way are known by the place of one of them.
        let kinds: HashSet<(u32, &Option<String>)> =
            executed().map(|place| (place.kind, &place.head)).collect();
        let missing = written
            .places
            .iter()
            .filter(|place| !kinds.contains(&(place.kind, &place.head)))
            .filter(|place| !heads.contains(&place.head));
        Some(missing.map(|place| Unused::Place(place.span)).collect())
    }
}

/// The moves that some run makes and those that none makes, as far as they have a name of this kind.
fn moves<S: TransitionSystem, T>(
    system: &mut S,
    options: &Options,
    named: impl Fn(&Signature, &Move) -> Option<T>,
) -> Option<(Vec<T>, Vec<T>)> {
    let Coverage { made, unmade } = coverage(system, options)?;
    let signature = system.signature();
    let all = |ids: Vec<MoveId>| {
        ids.iter().filter_map(|id| named(signature, &signature.moves[id.index()])).collect()
    };
    Some((all(made), all(unmade)))
}

/// A statement; the end of a process is written nowhere.
fn statement(_: &Signature, it: &Move) -> Option<(Span, String)> {
    Some((it.span?, it.name.clone())).filter(|(_, name)| name != "-end-")
}

/// An event of a component, which may have several transitions with it.
fn event(signature: &Signature, it: &Move) -> Option<Unused> {
    let component = signature.process_name(it.process).to_owned();
    Some(Unused::Event { component, event: signature.event_name(it.event).to_owned() })
}

/// Those that are not made under the same name.
fn unmade((made, mut unmade): (Vec<Unused>, Vec<Unused>)) -> Vec<Unused> {
    unmade.retain(|name| !made.contains(name));
    unmade.dedup();
    unmade
}
