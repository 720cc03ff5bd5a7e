//! Processes that the property and the constraints tell apart from others that are alike.
//!
//! A process that a property names stays where it is. A constraint may be about a process that is permuted if
//! there is the same one about each of the others, and the search follows it through the permutations
//! ([`Watched::followed`]); otherwise it names the process as well.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

use fairly_fairness::{Constraint, Predicate, Selector, StepFormula};
use fairly_model::ModelSpace;
use fairly_system::{EventId, EventSet, Space};
use hashbrown::HashMap;

use crate::watched::{Watched, walk};

/// Which processes are alike, and the events that only one of them has.
pub(super) struct Alike<'a> {
    pub(super) system: &'a ModelSpace,
    /// Slots that could be permuted.
    pub(super) groups: &'a [&'a [usize]],
    /// By slot: its own events, in the same order for all of a group.
    pub(super) own: &'a [Vec<EventId>],
    /// By event that only one process has: its group, its slot, and its place among those of the slot.
    owners: HashMap<EventId, (usize, usize, usize)>,
}

/// By slot: the constraints about the process in it, so that those at the same place ask the same.
pub(super) type Families = Vec<Vec<u32>>;

impl<'a> Alike<'a> {
    pub(super) fn new(
        system: &'a ModelSpace,
        groups: &'a [&'a [usize]],
        own: &'a [Vec<EventId>],
    ) -> Alike<'a> {
        let mut owners = HashMap::new();
        for (group, slots) in groups.iter().enumerate() {
            for &slot in *slots {
                let events = own[slot].iter().enumerate();
                owners.extend(events.map(|(at, &event)| (event, (group, slot, at))));
            }
        }
        Alike { system, groups, own, owners }
    }

    /// Notes the slots that are told apart from others of their group, and gives the constraints about
    /// single processes which are not.
    pub(super) fn name(&self, watched: &Watched, named: &mut [bool]) -> Families {
        for set in &watched.events {
            self.name_by_events(set, named);
        }
        let mut about: Vec<Vec<(String, u32)>> = vec![Vec::new(); named.len()];
        for (number, constraint) in (0u32..).zip(&watched.constraints) {
            match self.subject(constraint) {
                Subject::Nobody => {}
                Subject::One(slot, what) if watched.followed => about[slot].push((what, number)),
                Subject::One(slot, _) => named[slot] = true,
                Subject::Some => self.name_all(constraint, named),
            }
        }
        about.iter_mut().for_each(|all| all.sort_unstable());
        let asked = |slot: usize| about[slot].iter().map(|(what, _)| what).collect::<Vec<_>>();
        for slots in self.groups {
            // The most that are asked the same of stay together; the first of those, if there are several.
            let free = || slots.iter().copied().filter(|&slot| !named[slot]);
            let mut count: HashMap<Vec<&String>, (usize, Reverse<usize>)> = HashMap::new();
            for slot in free() {
                let first = (0, Reverse(slot));
                count.entry(asked(slot)).or_insert(first).0 += 1;
            }
            let Some((most, _)) = count.into_iter().max_by_key(|(_, count)| *count) else {
                continue;
            };
            let others: Vec<usize> = free().filter(|&slot| asked(slot) != most).collect();
            others.into_iter().for_each(|slot| named[slot] = true);
        }
        let numbers = |all: Vec<(String, u32)>| all.into_iter().map(|(_, number)| number).collect();
        about.into_iter().map(numbers).collect()
    }

    /// An event that only one process has is its name, unless the others' are meant as well.
    fn name_by_events(&self, set: &EventSet, named: &mut [bool]) {
        for (group, members) in self.of_groups(set) {
            let mut count: HashMap<usize, usize> = HashMap::new();
            for (_, at) in &members {
                *count.entry(*at).or_default() += 1;
            }
            for (slot, at) in members {
                if count[&at] < self.groups[group].len() {
                    named[slot] = true;
                }
            }
        }
    }

    /// By group: the members of a set that only one process has, with its slot and their place among its own.
    /// Events that only one process has are those of the model, so a set has decided of them.
    fn of_groups(&self, set: &EventSet) -> BTreeMap<usize, Vec<(usize, usize)>> {
        let mut found: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for event in set.members() {
            if let Some(&(group, slot, at)) = self.owners.get(event) {
                found.entry(group).or_default().push((slot, at));
            }
        }
        found.values_mut().for_each(|members| members.sort_unstable());
        found
    }

    /// Names the processes that a constraint is about.
    fn name_all(&self, constraint: &Constraint, named: &mut [bool]) {
        for predicate in [&constraint.when, &constraint.then] {
            match predicate {
                Predicate::True => {}
                Predicate::Step(formula) => walk(formula, &mut |part| {
                    if let StepFormula::Event(set) = part {
                        self.name_by_events(set, named);
                    }
                }),
                Predicate::Enabled(selector)
                | Predicate::Disabled(selector)
                | Predicate::Ready(selector)
                | Predicate::Taken(selector) => match selector {
                    Selector::Process(process) => named[process.index()] = true,
                    Selector::Part(process, set) => {
                        named[process.index()] = true;
                        self.name_by_events(set, named);
                    }
                    Selector::Events(set) => self.name_by_events(set, named),
                    Selector::Moves(moves) => moves.iter().for_each(|id| {
                        named[self.system.signature().moves[id.index()].process.index()] = true;
                    }),
                },
            }
        }
    }

    /// Subject of a constraint.
    fn subject(&self, constraint: &Constraint) -> Subject {
        let mut what = format!("{:?}", constraint.strength);
        let mut slot = None;
        for predicate in [&constraint.when, &constraint.then] {
            let (kind, selector) = match predicate {
                Predicate::True => ("true", None),
                Predicate::Enabled(selector) => ("enabled", Some(selector)),
                Predicate::Disabled(selector) => ("disabled", Some(selector)),
                Predicate::Ready(selector) => ("ready", Some(selector)),
                Predicate::Taken(selector) => ("taken", Some(selector)),
                // Its events are looked at one by one.
                Predicate::Step(_) => return Subject::Some,
            };
            let _ = write!(what, " {kind}");
            match selector.map(|selector| self.subject_of(selector)) {
                None => {}
                Some(Subject::Some) => return Subject::Some,
                Some(Subject::Nobody) => {
                    let _ = write!(what, " {:?}", selector.expect("it was looked at"));
                }
                Some(Subject::One(one, which)) => {
                    if slot.is_some_and(|slot| slot != one) {
                        return Subject::Some;
                    }
                    slot = Some(one);
                    what += &which;
                }
            }
        }
        slot.map_or(Subject::Nobody, |slot| Subject::One(slot, what))
    }

    fn subject_of(&self, selector: &Selector) -> Subject {
        match selector {
            Selector::Process(process) => Subject::One(process.index(), " it".to_owned()),
            Selector::Part(process, set) => match self.subject_of_events(set) {
                Subject::Nobody => Subject::One(process.index(), format!(" its {set:?}")),
                Subject::One(slot, which) if slot == process.index() => {
                    Subject::One(slot, format!(" part{which}"))
                }
                _ => Subject::Some,
            },
            Selector::Events(set) => self.subject_of_events(set),
            Selector::Moves(moves) => {
                let of = |id: &fairly_system::MoveId| {
                    self.system.signature().moves[id.index()].process.index()
                };
                let Some(slot) = moves.first().map(of) else { return Subject::Nobody };
                let mut parts = Vec::new();
                for id in moves {
                    let event = self.system.signature().moves[id.index()].event;
                    let own = self.own[slot].iter().position(|&own| own == event);
                    match self.system.part(*id) {
                        Some(part) if of(id) == slot => {
                            let event = own.map_or(Ok(event), Err);
                            parts.push((part.variant, part.location, part.edge, event));
                        }
                        _ => return Subject::Some,
                    }
                }
                parts.sort_unstable();
                Subject::One(slot, format!(" {parts:?}"))
            }
        }
    }

    /// A set of events is about a process if it has some that only this one has, but not those of the
    /// others.
    fn subject_of_events(&self, set: &EventSet) -> Subject {
        let mut subject = Subject::Nobody;
        for (group, members) in self.of_groups(set) {
            let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for (slot, at) in members {
                places.entry(slot).or_default().push(at);
            }
            let mut all = places.values();
            let first = all.next();
            if places.len() == self.groups[group].len() && all.all(|it| Some(it) == first) {
                continue;
            }
            for (slot, places) in places {
                let own = &self.own[slot];
                let shared = |event: &&EventId| !own.contains(event);
                let others: Vec<&EventId> = set.members().iter().filter(shared).collect();
                match subject {
                    Subject::Nobody => {
                        let which = format!(" own {places:?} and {others:?}");
                        subject = Subject::One(slot, which);
                    }
                    _ => return Subject::Some,
                }
            }
        }
        subject
    }
}

/// Subject of a constraint, and its demand without the subject.
enum Subject {
    /// No process, or all alike.
    Nobody,
    One(usize, String),
    Some,
}
