//! Names of constraints: what a name means, and a name that means a constraint and nothing else.
//!
//! Every name that a report prints can be typed. A name that would be read as something else gets a prefix or
//! number that tells them apart: `process`, `event`, `internal` or `action` in front, quotes, or its number
//! among those that are called the same, as in `wf(P@skip #2)`.

use fairly_fairness::{Constraint, Notion, Predicate, Selector};
use fairly_front::case::{self, Demand, Target};
use fairly_source::suggest::near;
use fairly_system::{Annotation, EventId, EventKind, EventSet, MoveId, ProcessId, Signature};
use hashbrown::HashMap;

use crate::assumption::AssumptionError;

/// The names in a signature.
pub(crate) struct Names<'a> {
    signature: &'a Signature,
    processes: HashMap<&'a str, Vec<ProcessId>>,
    /// Events that can be spoken of.
    visible: HashMap<&'a str, Vec<EventId>>,
    internal: HashMap<&'a str, Vec<EventId>>,
    /// Moves, with their processes: `P@pick`. Those of one name are in the order in which they are written,
    /// as far as that tells them apart.
    moves: HashMap<String, Vec<MoveId>>,
}

/// Meaning of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Meant {
    Process(ProcessId),
    Event(EventId),
    /// All events that a pattern names, also those that are met later.
    Pattern(EventSet),
    Moves(Vec<MoveId>),
    Part(ProcessId, EventSet),
}

impl Meant {
    fn selector(self, name: &str, signature: &Signature) -> Selector {
        match self {
            Meant::Process(process) => Selector::Process(process),
            Meant::Event(event) => Selector::Events(match signature.event_kind(event) {
                // Where events are listed as they are met, names go further than numbers.
                EventKind::Visible | EventKind::Termination
                    if !signature.complete && signature.event_name(event) == name =>
                {
                    EventSet::matching(name, signature).without_idle()
                }
                _ => event.into(),
            }),
            Meant::Pattern(events) => Selector::Events(events),
            Meant::Moves(moves) => Selector::Moves(moves),
            Meant::Part(process, events) => Selector::Part(process, events),
        }
    }
}

/// A name without the number behind it, and the number.
fn numbered(name: &str) -> Option<(&str, usize)> {
    let (name, number) = name.rsplit_once('#')?;
    let number = number.parse::<usize>().ok()?.checked_sub(1)?;
    Some((name.trim_end(), number))
}

/// The one of this name, or of this name and number.
fn one<'n, T: Copy + 'n>(
    name: &str,
    find: impl Fn(&str) -> Option<&'n Vec<T>>,
) -> Result<Option<T>, AssumptionError> {
    match find(name).map(Vec::as_slice) {
        Some([one]) => return Ok(Some(*one)),
        Some([_, ..]) => return Err(AssumptionError::Ambiguous(name.to_owned())),
        _ => {}
    }
    let Some((name, number)) = numbered(name) else { return Ok(None) };
    Ok(find(name).and_then(|all| all.get(number)).copied())
}

impl<'a> Names<'a> {
    pub(crate) fn of(signature: &'a Signature) -> Names<'a> {
        let mut names = Names {
            signature,
            processes: HashMap::new(),
            visible: HashMap::new(),
            internal: HashMap::new(),
            moves: HashMap::new(),
        };
        for (at, name) in signature.processes.iter().enumerate() {
            names.processes.entry(name).or_default().push(ProcessId::from_index(at));
        }
        for event in signature.event_ids() {
            let table = match signature.event_kind(event) {
                EventKind::Idle => continue,
                EventKind::Internal => &mut names.internal,
                EventKind::Visible | EventKind::Termination => &mut names.visible,
            };
            table.entry(signature.event_name(event)).or_default().push(event);
        }
        for id in signature.move_ids() {
            names.moves.entry(names.move_name(id)).or_default().push(id);
        }
        let place = |id: &MoveId| {
            let it = &signature.moves[id.index()];
            (it.span.map(|span| (span.start, span.end)), signature.event_name(it.event), *id)
        };
        for same in names.moves.values_mut() {
            same.sort_by_key(place);
        }
        names
    }

    fn move_name(&self, id: MoveId) -> String {
        let of = &self.signature.moves[id.index()];
        format!("{}@{}", self.signature.process_name(of.process), of.name)
    }

    fn process(&self, name: &str) -> Result<Option<ProcessId>, AssumptionError> {
        one(name, |name| self.processes.get(name))
    }

    /// Events that can be spoken of, by name or pattern.
    fn events(&self, name: &str) -> Result<Option<Meant>, AssumptionError> {
        match self.visible.get(name).map(Vec::as_slice) {
            Some([event]) => return Ok(Some(Meant::Event(*event))),
            // Without a number, all that are called so.
            Some(_) => {}
            None => {
                if let Some(event) = one(name, |name| self.visible.get(name)).ok().flatten() {
                    return Ok(Some(Meant::Event(event)));
                }
            }
        }
        let signature = self.signature;
        let named = EventSet::named(name, signature).map(EventSet::without_idle);
        // In a complete signature a name that only idle has is none.
        let named = named.filter(|set| !signature.complete || !set.members().is_empty());
        Ok(named.map(Meant::Pattern))
    }

    fn internal(&self, name: &str) -> Result<Option<Meant>, AssumptionError> {
        let found = one(name, |name| self.internal.get(name))?;
        Ok(found.map(Meant::Event))
    }

    fn action(&self, name: &str) -> Result<Option<Meant>, AssumptionError> {
        let found = one(name, |name| self.moves.get(name))?;
        if let Some(id) = found {
            return Ok(Some(Meant::Moves(vec![id])));
        }
        // By their numbers alone, where nothing else is left.
        let numbers: Option<Vec<MoveId>> = name
            .split_whitespace()
            .map(|word| {
                let number: usize = word.strip_prefix('#')?.parse().ok()?;
                let at = number.checked_sub(1)?;
                (at < self.signature.moves.len()).then(|| MoveId::from_index(at))
            })
            .collect();
        Ok(numbers.filter(|numbers| !numbers.is_empty()).map(Meant::Moves))
    }

    /// Meaning of a target.
    fn meant(&self, target: &Target) -> Result<Meant, AssumptionError> {
        let found = match target {
            Target::Process(name) => self.process(name)?.map(Meant::Process),
            Target::Event(name) => match self.events(name)? {
                Some(found) => Some(found),
                None => self.internal(name)?,
            },
            Target::Name(name) => self.anything(name)?,
            Target::EventOf { event, process } => {
                let unknown = || self.unknown(process);
                let owner = self.process(process)?.ok_or_else(unknown)?;
                let events = match self.events(event)? {
                    Some(Meant::Pattern(events)) => Some(events),
                    Some(Meant::Event(_)) => {
                        Some(EventSet::matching(event, self.signature).without_idle())
                    }
                    _ => None,
                };
                let selected = events.map(|events| Selector::Part(owner, events));
                let is_known = |selector: &Selector| {
                    let mut moves = self.signature.move_ids();
                    !self.signature.complete
                        || moves.any(|id| selector.selects_move(id, self.signature))
                };
                match selected.filter(is_known) {
                    Some(Selector::Part(owner, events)) => Some(Meant::Part(owner, events)),
                    _ => return Err(self.unknown(event)),
                }
            }
        };
        found.ok_or_else(|| match target {
            Target::Name(name) | Target::Process(name) | Target::Event(name) => self.unknown(name),
            Target::EventOf { event, .. } => self.unknown(event),
        })
    }

    /// Whether more would be known of what a target means if all moves were listed.
    pub(crate) fn needs_tables(&self, target: &Target) -> bool {
        match self.meant(target) {
            Ok(Meant::Process(_) | Meant::Event(_) | Meant::Pattern(_) | Meant::Part(..)) => false,
            Ok(Meant::Moves(_)) | Err(_) => true,
        }
    }

    /// Meaning of a name without `process` or `event`: the first of these that there is.
    fn anything(&self, name: &str) -> Result<Option<Meant>, AssumptionError> {
        if let Some(process) = self.process(name)? {
            return Ok(Some(Meant::Process(process)));
        }
        if let Some(events) = self.events(name)? {
            return Ok(Some(events));
        }
        if let Some(event) = self.internal(name)? {
            return Ok(Some(event));
        }
        if let Some(moves) = self.action(name)? {
            return Ok(Some(moves));
        }
        if let Some(name) = name.strip_prefix("internal ") {
            return self.internal(name);
        }
        match name.strip_prefix("action ") {
            Some(name) => self.action(name),
            None => Ok(None),
        }
    }

    fn unknown(&self, name: &str) -> AssumptionError {
        let names = self.processes.keys().chain(self.visible.keys()).copied();
        let similar = near(name, names.chain(self.moves.keys().map(String::as_str)));
        AssumptionError::Unknown { name: name.to_owned(), similar: similar.map(str::to_owned) }
    }

    /// Fairness or liveness of what a target means. It needs no tables where it is about processes and
    /// events: the events are those that the name matches, whenever they are met.
    pub(crate) fn constraint(
        &self,
        annotation: Annotation,
        target: &Target,
    ) -> Result<Constraint, AssumptionError> {
        let is_live = matches!(annotation, Annotation::WeakLive | Annotation::StrongLive);
        let meant = self.meant(target)?;
        if let (Meant::Process(process), true) = (&meant, is_live) {
            let name = self.signature.process_name(*process);
            return Err(AssumptionError::LiveProcess(name.to_owned()));
        }
        let (what, name) = match target {
            Target::Name(name) => (name.clone(), name.as_str()),
            Target::Process(name) | Target::Event(name) => (target.to_string(), name.as_str()),
            Target::EventOf { event, process } => (format!("{event} of {process}"), event.as_str()),
        };
        let selector = meant.selector(name, self.signature);
        let mut constraint = Constraint::annotated(annotation, &what, selector);
        self.rename(&mut constraint);
        Ok(constraint)
    }

    /// Gives a constraint a name that means it.
    pub(crate) fn rename(&self, constraint: &mut Constraint) {
        let Some((kind, inside)) = constraint.name.split_once('(') else { return };
        let (Some(annotation), Some(inside)) = (Annotation::named(kind), inside.strip_suffix(')'))
        else {
            return;
        };
        let Predicate::Taken(selector) = &constraint.then else { return };
        let means_it = |text: &str| {
            let demand = case::parse_constraint(text).map(|it| it.demand);
            let Ok(Demand::Fair(read, target)) = demand else { return false };
            read == annotation
                && self.meant(&target).is_ok_and(|meant| self.is_same(&meant, selector))
        };
        let plain = |what: &str| format!("{kind}({what})");
        // A keyword in front of quotes is one; inside them it is a part of the name.
        let quoted = |keyword: &str, name: &str| {
            let name = name.replace('\\', "\\\\").replace('"', "\\\"");
            match keyword {
                "internal " | "action " => format!("{kind}(\"{keyword}{name}\")"),
                _ => format!("{kind}({keyword}\"{name}\")"),
            }
        };
        if means_it(&constraint.name) {
            return;
        }
        let (keyword, name, number) = self.spelled(selector, inside);
        let mut spellings = Vec::new();
        for name in [name.clone(), format!("{name} #{number}")] {
            for keyword in ["", keyword] {
                spellings.push(plain(&format!("{keyword}{name}")));
                spellings.push(quoted(keyword, &name));
            }
        }
        let numbers = |moves: &[MoveId]| {
            let numbers: Vec<String> =
                moves.iter().map(|id| format!("#{}", id.index() + 1)).collect();
            format!("action {}", numbers.join(" "))
        };
        if let Selector::Moves(moves) = selector {
            spellings.push(plain(&numbers(moves)));
        }
        if let Some(found) = spellings.into_iter().find(|text| means_it(text)) {
            constraint.name = found;
        }
    }

    /// Prefix of a selector's name, the name, and its number among those with the same name.
    fn spelled(&self, selector: &Selector, shown: &str) -> (&'static str, String, usize) {
        fn position<T: PartialEq>(all: Option<&Vec<T>>, one: &T) -> usize {
            all.and_then(|all| all.iter().position(|other| other == one)).map_or(1, |at| at + 1)
        }
        match selector {
            Selector::Process(process) => {
                let name = self.signature.process_name(*process);
                ("process ", name.to_owned(), position(self.processes.get(name), process))
            }
            Selector::Events(events) => match events.members() {
                [event] => {
                    let name = self.signature.event_name(*event);
                    match self.signature.event_kind(*event) {
                        EventKind::Internal => {
                            let number = position(self.internal.get(name), event);
                            ("internal ", name.to_owned(), number)
                        }
                        _ => ("event ", name.to_owned(), position(self.visible.get(name), event)),
                    }
                }
                _ => ("event ", shown.to_owned(), 1),
            },
            Selector::Moves(moves) => match moves.as_slice() {
                [id] => {
                    let name = self.move_name(*id);
                    let number = position(self.moves.get(&name), id);
                    ("action ", name, number)
                }
                _ => ("", self.part(moves).unwrap_or_else(|| shown.to_owned()), 1),
            },
            Selector::Part(..) => ("", shown.to_owned(), 1),
        }
    }

    /// Moves as the part of one process in one event.
    fn part(&self, moves: &[MoveId]) -> Option<String> {
        let first = &self.signature.moves[moves.first()?.index()];
        let event = self.signature.event_name(first.event);
        Some(format!("{event} of {}", self.signature.process_name(first.process)))
    }

    /// Whether a name means what a selector selects.
    fn is_same(&self, meant: &Meant, selector: &Selector) -> bool {
        let signature = self.signature;
        match (meant, selector) {
            (Meant::Process(one), Selector::Process(other)) => one == other,
            (Meant::Event(one), Selector::Events(other)) => match other.members() {
                [other] => one == other,
                _ => false,
            },
            (Meant::Pattern(one), Selector::Events(other)) => one == other,
            (Meant::Moves(one), Selector::Moves(other)) => one == other,
            (Meant::Part(process, events), Selector::Part(other, others)) => {
                process == other && events == others
            }
            (Meant::Part(process, events), Selector::Moves(moves)) if signature.complete => {
                let part = Selector::Part(*process, events.clone());
                let selected = signature.move_ids().filter(|&id| part.selects_move(id, signature));
                selected.eq(moves.iter().copied())
            }
            _ => false,
        }
    }
}

/// The constraints of a notion, with names that mean them.
pub(crate) fn constraints(notion: Notion, signature: &Signature) -> Vec<Constraint> {
    let mut all = notion.constraints(signature).unwrap_or_default();
    if !all.is_empty() {
        let names = Names::of(signature);
        all.iter_mut().for_each(|constraint| names.rename(constraint));
    }
    all
}
