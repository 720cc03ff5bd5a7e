//! Sets of events that also have a say in events met later, and what event a position reads.

use std::hash::{Hash, Hasher};

use fairly_logic::pattern_matches;

use crate::action::{EventId, EventKind, Signature};

/// A set of events: a list, or all that a pattern names.
///
/// Where a system lists its events as they are met, a pattern decides of each by its name.
/// [`EventSet::learn`] does that once an event, and [`EventSet::contains`] for those not learned yet,
/// so that no event is ever missed. Internal events are never in a pattern: their names are only for
/// showing.
#[derive(Clone, Debug)]
pub struct EventSet {
    /// Members among those that have been decided, in increasing order.
    members: Vec<EventId>,
    /// How many events have been decided.
    decided: usize,
    /// Pattern that decides about further events; without it none of them is in.
    pattern: Option<String>,
}

impl EventSet {
    /// The events that the pattern names, as [`pattern_matches`] reads it: those listed now and, if
    /// the signature is not complete, those to come.
    ///
    /// ```
    /// use fairly_system::{Event, EventKind, EventSet, Signature};
    /// let mut signature = Signature::new(vec![]);
    /// signature.complete = false;
    /// signature.families.push("send".to_owned());
    /// let sends = EventSet::matching("send.*", &signature);
    /// signature.events.push(Event { name: "send.3".to_owned(), kind: EventKind::Visible });
    /// let met = signature.event("send.3").unwrap();
    /// assert!(sends.contains(met, &signature));
    /// ```
    pub fn matching(pattern: &str, signature: &Signature) -> EventSet {
        let mut set =
            EventSet { members: Vec::new(), decided: 0, pattern: Some(pattern.to_owned()) };
        set.learn(signature);
        if signature.complete {
            // Two ways to name the same events are then the same set.
            set.pattern = None;
        }
        set
    }

    /// [`EventSet::matching`] if the pattern can name anything: an event that is listed, or one of a
    /// family that the model has, though it may never happen.
    pub fn named(pattern: &str, signature: &Signature) -> Option<EventSet> {
        let set = EventSet::matching(pattern, signature);
        // `send` of `send.3`, `c` of `c!1`.
        let first = pattern.split(['.', '!', '?', '[']).next().unwrap_or(pattern);
        let in_family = || signature.families.iter().any(|it| first == "*" || it == first);
        (!set.members.is_empty() || in_family()).then_some(set)
    }

    /// Decides of the events that have been listed since.
    pub fn learn(&mut self, signature: &Signature) {
        let Some(pattern) = &self.pattern else { return };
        for event in (self.decided..signature.events.len()).map(EventId::from_index) {
            if names(pattern, event, signature) {
                self.members.push(event);
            }
        }
        self.decided = self.decided.max(signature.events.len());
    }

    /// Whether the event is one of them.
    pub fn contains(&self, event: EventId, signature: &Signature) -> bool {
        match &self.pattern {
            Some(pattern) if event.index() >= self.decided => names(pattern, event, signature),
            _ => self.members.binary_search(&event).is_ok(),
        }
    }

    /// Whether events that are listed later may be in it.
    pub fn may_grow(&self) -> bool {
        self.pattern.is_some()
    }

    /// Those that are known, in increasing order.
    pub fn members(&self) -> &[EventId] {
        &self.members
    }

    /// Without the event of the idle step, which belongs to no process: the events that constraints are about.
    #[must_use]
    pub fn without_idle(mut self) -> EventSet {
        // Idle is the first event and has been decided, since every signature lists it.
        self.members.retain(|&event| event != EventId::IDLE);
        self
    }
}

/// Whether the pattern names the event.
fn names(pattern: &str, event: EventId, signature: &Signature) -> bool {
    signature.event_kind(event) != EventKind::Internal
        && pattern_matches(pattern, signature.event_name(event))
}

impl From<Vec<EventId>> for EventSet {
    fn from(mut members: Vec<EventId>) -> Self {
        members.sort_unstable();
        members.dedup();
        EventSet { members, decided: 0, pattern: None }
    }
}

impl From<EventId> for EventSet {
    fn from(event: EventId) -> Self {
        EventSet::from(vec![event])
    }
}

impl FromIterator<EventId> for EventSet {
    fn from_iter<I: IntoIterator<Item = EventId>>(events: I) -> Self {
        EventSet::from(events.into_iter().collect::<Vec<_>>())
    }
}

/// Whether they are the same now and later; how much has been learned makes no difference.
impl PartialEq for EventSet {
    fn eq(&self, other: &Self) -> bool {
        match (&self.pattern, &other.pattern) {
            (None, None) => self.members == other.members,
            (one, another) => one == another && self.contains_idle() == other.contains_idle(),
        }
    }
}

impl Eq for EventSet {}

impl Hash for EventSet {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.pattern {
            Some(pattern) => pattern.hash(state),
            None => self.members.hash(state),
        }
    }
}

impl EventSet {
    fn contains_idle(&self) -> bool {
        self.members.first() == Some(&EventId::IDLE)
    }
}

/// Which event a formula reads at a position of a run `s0 -e0-> s1 -e1-> …`, beside the propositions
/// of the state there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EventPosition {
    /// The event of the step that leaves the state: `(s0, e0) (s1, e1) …`.
    #[default]
    Leaving,
    /// The event of the step that led to the state, none at the first position:
    /// `(s0, –) (s1, e0) …`, as in CSP#.
    Entering,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Event;

    fn signature(complete: bool, events: &[(&str, EventKind)]) -> Signature {
        let mut signature = Signature::new(vec![]);
        signature.complete = complete;
        for &(name, kind) in events {
            signature.events.push(Event { name: name.to_owned(), kind });
        }
        signature
    }

    #[test]
    fn a_pattern_decides_of_events_that_come_later() {
        let later = signature(false, &[("send.1", EventKind::Visible)]);
        later.families.push("send".to_owned());
        let mut set = EventSet::named("send.*", &later).unwrap();
        assert!(EventSet::named("get.*", &later).is_none());
        assert!(EventSet::named("send.7", &later).is_some());
        assert_eq!(set.members(), [EventId(1)]);
        for name in ["get.1", "send.2"] {
            later.events.push(Event { name: name.to_owned(), kind: EventKind::Visible });
        }
        later.events.push(Event { name: "send.3".to_owned(), kind: EventKind::Internal });
        let inside = |set: &EventSet, later: &Signature| -> Vec<bool> {
            later.event_ids().map(|event| set.contains(event, later)).collect()
        };
        let expected = [false, true, false, true, false];
        assert_eq!(inside(&set, &later), expected);
        let before = set.clone();
        set.learn(&later);
        assert_eq!(inside(&set, &later), expected);
        assert_eq!(set.members(), [EventId(1), EventId(3)]);
        assert_eq!(set, before);
    }

    #[test]
    fn where_all_events_are_listed_a_pattern_is_a_list() {
        let all = signature(
            true,
            &[
                ("a.1", EventKind::Visible),
                ("a.2", EventKind::Internal),
                ("√", EventKind::Termination),
            ],
        );
        assert_eq!(EventSet::matching("a.*", &all), EventSet::from(EventId(1)));
        assert_eq!(EventSet::named("√", &all), Some(EventSet::from(EventId(3))));
        // Idle matches what it is called, but is not what a constraint is about.
        let idle = EventSet::matching("*", &all);
        assert_eq!(idle.members().len(), 3);
        assert_eq!(idle.without_idle().members().len(), 2);
        assert!(EventSet::named("b", &all).is_none());
    }
}
