//! Which processes can be permuted together with their numbers.
//!
//! They are alike as in `detect.rs`, with two differences: their templates may also differ in constants, and
//! a process may ask for its own number or for others by number. How numbers are used is checked in
//! `numbers.rs`; what a permutation moves then is collected for `places.rs`.

use fairly_fairness::{Predicate, Selector, StepFormula};
use fairly_model::{Expr, Layout, Model, ModelSpace, Strip, Template, Variable};
use fairly_omega::Stop;
use fairly_system::EventId;
use hashbrown::{HashMap, HashSet};

use super::automorphism::Subject;
use super::detect::{self, Fit, Gathered, Shapes};
use super::named::Alike;
use super::numbers::{OWN, Type, Types, Typing};
use super::places::{Belongings, Cell, Column, Domain, Matrix, Need, Places, Reference};
use super::scheme::{Kind, Kinds, Scheme};
use super::{Asymmetric, Symmetry};
use crate::watched::{Watched, walk};

/// Finds permutations of a model with numbers that cannot be noticed by the watched question.
pub(super) fn detect(
    system: &ModelSpace,
    watched: &Watched,
    stop: Stop,
) -> Result<Symmetry, Asymmetric> {
    let (model, layout) = (system.model(), system.layout());
    let open = |template: &Template| template.locations.iter().any(|it| it.edges.is_none());
    if model.templates.iter().any(open) {
        return Err(Asymmetric::Open);
    }
    if layout.last_mover.is_some() {
        return Err(Asymmetric::Numbers);
    }
    let mut atoms = watched.values.clone();
    atoms.extend(watched.all_atoms().into_iter().filter_map(|it| system.atom_expression(it)));
    let found = Found::of(model, layout, &atoms, stop)?;
    if found.carries && watches_events(watched) {
        let events = "an event that the question is about, or may be".to_owned();
        return Err(Asymmetric::Used(events));
    }
    let mut named = found.named.clone();
    found.fits(model)?;
    found.name_by_room(layout, &mut named);
    let groups: Vec<&[usize]> = found.classes.iter().map(Vec::as_slice).collect();
    let families = Alike::new(system, &groups, &found.own).name(watched, &mut named);
    let free = |slots: &Vec<usize>| -> Vec<usize> {
        slots.iter().copied().filter(|&slot| !named[slot]).collect()
    };
    let groups: Vec<Vec<usize>> =
        found.classes.iter().map(free).filter(|it| it.len() > 1).collect();
    if groups.is_empty() {
        return Err(Asymmetric::Named);
    }
    super::heed(stop)?;
    let scheme = found.scheme();
    let subject = Subject::new(system, &scheme, watched, &atoms, (&families, &found.own));
    let groups = super::kept_by(&subject, &groups, stop)?;
    let places = Collector::new(&scheme, model, layout, &groups).places()?;
    let mut symmetry = Symmetry::numbered(places, model.slots.len(), found.carries);
    symmetry.own_events(&found.own);
    symmetry.moves_as(&subject)?;
    drop(subject);
    symmetry.follow(families, watched.constraints.len());
    Ok(symmetry)
}

/// Whether the property or a constraint is about events.
fn watches_events(watched: &Watched) -> bool {
    let mut found = !watched.events.is_empty();
    for constraint in &watched.constraints {
        for predicate in [&constraint.when, &constraint.then] {
            match predicate {
                Predicate::True => {}
                Predicate::Step(formula) => {
                    walk(formula, &mut |part| found |= matches!(part, StepFormula::Event(_)));
                }
                Predicate::Enabled(selector)
                | Predicate::Disabled(selector)
                | Predicate::Ready(selector)
                | Predicate::Taken(selector) => {
                    found |= !matches!(selector, Selector::Process(_));
                }
            }
        }
    }
    found
}

/// Processes that are alike up to their numbers.
struct Found<'m> {
    typing: Typing<'m>,
    classes: Vec<Vec<usize>>,
    /// By type that is one of numbers: the number of each process that may be permuted.
    numbers: HashMap<Type, Domain>,
    /// By slot: whether the model or the property has its number.
    named: Vec<bool>,
    own: Vec<Vec<EventId>>,
    /// Whether there are events with numbers in their names.
    carries: bool,
}

impl<'m> Found<'m> {
    fn of(
        model: &'m Model,
        layout: &Layout,
        atoms: &[Expr],
        stop: Stop,
    ) -> Result<Found<'m>, Asymmetric> {
        super::heed(stop)?;
        let started = detect::kinds_started(model);
        let mut typing = Typing::of(model, atoms, |template| !started.contains(&template));
        let private = detect::private_events(model, layout);
        let template = |slot: usize| layout.slots[slot].variants[0].template;
        let own = |slot: usize| match layout.slots[slot].variants.len() {
            1 => detect::own_events(model, template(slot), slot, &private),
            _ => Vec::new(),
        };
        let gathered = Gathered::of(model);
        let mut classes: Vec<Vec<usize>> = Vec::new();
        let mut places: HashMap<_, usize> = HashMap::new();
        let mut shapes = Shapes::default();
        let mut fit = Fit::of(model, layout, &gathered);
        for slot in (0..model.slots.len()).filter(|&slot| fit.is_fit(slot)) {
            super::heed(stop)?;
            let of = template(slot);
            let shape =
                shapes.number(of, || without_constants(&detect::shape(model, of, slot, &private)));
            let key = detect::key(model, layout, slot, shape, &gathered);
            let class = *places.entry(key).or_insert(classes.len());
            classes.resize(classes.len().max(class + 1), Vec::new());
            classes[class].push(slot);
        }
        // Where constants of templates that are alike differ, they are numbers.
        let mut differing: HashSet<(usize, usize)> = HashSet::new();
        let mut vectors: Vec<(Type, Vec<(usize, i64)>)> = Vec::new();
        classes.retain(|slots| {
            let of = |slot: usize| template(slot).index();
            let first = of(slots[0]);
            let count = typing.constants[first].len();
            if slots.len() < 2 || slots.iter().any(|&it| typing.constants[of(it)].len() != count) {
                return false;
            }
            let mut numbers = Vec::new();
            for at in 0..count {
                let value = |&slot: &usize| (slot, typing.constants[of(slot)][at].value);
                let values: Vec<(usize, i64)> = slots.iter().map(value).collect();
                let different: HashSet<i64> = values.iter().map(|(_, value)| *value).collect();
                match different.len() {
                    1 => {}
                    many if many == slots.len() => numbers.push((at, values)),
                    _ => return false,
                }
            }
            for &other in &slots[1..] {
                for at in 0..typing.locals[first].len() {
                    let (one, other) = (typing.locals[first][at], typing.locals[of(other)][at]);
                    typing.join(one.value, other.value);
                    typing.join(one.index, other.index);
                }
                for at in 0..count {
                    let same = typing.constants[of(other)][at].of;
                    typing.join(typing.constants[first][at].of, same);
                }
            }
            for (at, values) in numbers {
                vectors.push((typing.constants[first][at].of, values));
                differing.extend(slots.iter().map(|&slot| (of(slot), at)));
            }
            true
        });
        typing.flatten();
        if classes.is_empty() {
            return Err(Asymmetric::Different);
        }
        let mut numbers: HashMap<Type, Domain> = HashMap::new();
        let slots = classes.iter().flatten();
        let small = |slot: usize| i64::try_from(slot).expect("a slot");
        vectors.push((OWN, slots.map(|&slot| (slot, small(slot))).collect()));
        for (of, values) in vectors {
            let domain = numbers.entry(typing.root(of)).or_default();
            for (slot, value) in values {
                if !domain.insert(slot, value) {
                    let text = format!("{} and another that meets it", model.slots[slot].name);
                    return Err(Asymmetric::Used(text));
                }
            }
        }
        if let Some(misuse) = typing.misuse(|of| numbers.contains_key(&of)) {
            return Err(Asymmetric::Used(misuse));
        }
        let mut named = vec![false; model.slots.len()];
        for (template, constants) in typing.constants.iter().enumerate() {
            for (at, constant) in constants.iter().enumerate() {
                let domain = numbers.get(&typing.root(constant.of));
                let slot = domain.and_then(|domain| domain.slots.get(&constant.value));
                if let (Some(&slot), false) = (slot, differing.contains(&(template, at))) {
                    named[slot] = true;
                }
            }
        }
        let carries = typing.is_in_names(|of| numbers.contains_key(&of));
        let own = (0..model.slots.len()).map(own).collect();
        Ok(Found { typing, classes, numbers, named, own, carries })
    }

    fn domain(&self, of: Type) -> Option<&Domain> {
        self.numbers.get(&self.typing.root(of))
    }

    /// Which values are numbers of processes, by what was found.
    fn scheme(&self) -> Scheme {
        let mut types: Vec<Type> = self.numbers.keys().copied().collect();
        // The type of slots is the first one.
        types.sort_unstable();
        let kind = |of: Type| -> Kind { types.binary_search(&self.typing.root(of)).ok() };
        let kinds = |of: &Types| Kinds { value: kind(of.value), index: kind(of.index) };
        let kind_of = |of: &Type| kind(*of);
        let typing = &self.typing;
        let families = typing.labels.iter();
        Scheme {
            domains: types.iter().map(|of| self.numbers[of].clone()).collect(),
            variables: typing.variables.iter().map(kinds).collect(),
            locals: typing.locals.iter().map(|all| all.iter().map(kinds).collect()).collect(),
            cells: typing.cells.iter().map(|all| all.iter().map(kind_of).collect()).collect(),
            families: families
                .map(|(key, types)| (key.clone(), types.iter().map(kind_of).collect()))
                .collect(),
        }
    }

    /// Whether every number is a value of whatever numbers are assigned to, and an index of the arrays that
    /// they are indices of: otherwise some of them would go wrong and others not.
    fn fits(&self, model: &Model) -> Result<(), Asymmetric> {
        let typing = &self.typing;
        let room = |of: Type, low: i64, high: i64| {
            let fit = |domain: &Domain| domain.slots.keys().all(|&it| low <= it && it <= high);
            self.domain(of).is_none_or(fit)
        };
        let variable = |(variable, types): &(&Variable, &Types)| {
            let last = i64::from(variable.length.unwrap_or(u32::MAX)) - 1;
            room(types.value, variable.range.low, variable.range.high) && room(types.index, 0, last)
        };
        let no_room = |name: &str| {
            Err(Asymmetric::Used(format!("{name}, which has no room for every number")))
        };
        let locals = model.templates.iter().zip(&typing.locals);
        let locals = locals.flat_map(|(template, types)| template.locals.iter().zip(types));
        let mut variables = model.variables.iter().zip(&typing.variables).chain(locals);
        if let Some((of, _)) = variables.find(|it| !variable(it)) {
            return no_room(&of.name);
        }
        for (channel, types) in model.channels.iter().zip(&typing.cells) {
            let mut cells = channel.cells.iter().zip(types);
            if !cells.all(|((range, _), &of)| room(of, range.low, range.high)) {
                return no_room(&channel.name);
            }
        }
        match typing.checked.iter().find(|(of, length)| !room(*of, 0, i64::from(*length) - 1)) {
            Some(_) => no_room("an array"),
            None => Ok(()),
        }
    }

    /// Where a state has room for some numbers only, since no others come there, they are names.
    fn name_by_room(&self, layout: &Layout, named: &mut [bool]) {
        let mut note = |strip: &Strip, of: Type| {
            let Some(domain) = self.domain(of) else { return };
            let range = strip.range();
            if domain.slots.keys().all(|&number| range.contains(number)) {
                return;
            }
            for (_, &slot) in domain.slots.iter().filter(|(number, _)| range.contains(**number)) {
                named[slot] = true;
            }
        };
        let is_stored = |strip: &Strip| (strip.cell as usize) < layout.state_cells;
        for (strip, types) in layout.variables.iter().zip(&self.typing.variables) {
            if is_stored(strip) {
                note(strip, types.value);
            }
        }
        for variant in layout.slots.iter().flat_map(|slot| &slot.variants) {
            let types = &self.typing.locals[variant.template.index()];
            for (strip, types) in variant.locals.iter().zip(types).filter(|it| is_stored(it.0)) {
                note(strip, types.value);
            }
        }
        for (channel, types) in layout.channels.iter().zip(&self.typing.cells) {
            for (column, &of) in channel.columns.iter().zip(types).filter(|it| it.0.length > 0) {
                note(column, of);
            }
        }
    }
}

/// A shape with the values of constants taken out.
fn without_constants(shape: &str) -> String {
    let mut parts = shape.split("Const(");
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        all += "Const";
        all += part.split_once(')').map_or(part, |(_, rest)| rest);
    }
    all
}

/// Collects what a permutation moves.
struct Collector<'a> {
    scheme: &'a Scheme,
    model: &'a Model,
    layout: &'a Layout,
    places: Places,
    permuted: HashSet<usize>,
}

impl<'a> Collector<'a> {
    fn new(
        scheme: &'a Scheme,
        model: &'a Model,
        layout: &'a Layout,
        groups: &[Vec<usize>],
    ) -> Self {
        let groups: Vec<Belongings> = groups
            .iter()
            .map(|slots| Belongings { slots: slots.clone(), ..Belongings::default() })
            .collect();
        let permuted: HashSet<usize> = groups.iter().flat_map(|it| it.slots.clone()).collect();
        let mut places = Places { groups, holder: layout.holder, ..Places::default() };
        for all in &scheme.domains {
            let kept = all.numbers.iter().filter(|(slot, _)| permuted.contains(*slot));
            let numbers: HashMap<usize, i64> = kept.map(|(&slot, &value)| (slot, value)).collect();
            let slots = numbers.iter().map(|(&slot, &value)| (value, slot)).collect();
            places.domains.push(Domain { numbers, slots });
        }
        Collector { scheme, model, layout, places, permuted }
    }

    fn places(mut self) -> Result<Places, Asymmetric> {
        for number in 0..self.places.groups.len() {
            self.collect_slots(number);
        }
        let state_cells = self.layout.state_cells;
        for (strip, kinds) in self.layout.variables.iter().zip(&self.scheme.variables) {
            if (strip.cell as usize) < state_cells {
                self.collect_shared(*strip, *kinds, None);
            }
        }
        for (slot, of) in self.layout.slots.iter().enumerate() {
            if self.permuted.contains(&slot) {
                continue;
            }
            for (kind, variant) in (1i64..).zip(&of.variants) {
                let kinds = &self.scheme.locals[variant.template.index()];
                for (strip, kinds) in variant.locals.iter().zip(kinds) {
                    if (strip.cell as usize) >= state_cells {
                        continue;
                    }
                    let own_array = kinds.index.is_some() && strip.length > 1;
                    if own_array && (of.variants.len() > 1 || kinds.value.is_some()) {
                        let text = format!("an array of {}", self.model.slots[slot].name);
                        return Err(Asymmetric::Used(text));
                    }
                    self.collect_shared(*strip, *kinds, Some((of.kind, Need::Is(kind))));
                }
            }
        }
        for (channel, kinds) in self.layout.channels.iter().zip(&self.scheme.cells) {
            for (column, &kind) in channel.columns.iter().zip(kinds) {
                let Some(domain) = kind else { continue };
                self.places.references.extend((0..column.length).map(|at| Reference {
                    cell: (*column, at),
                    domain,
                    only_if: Some((channel.length, Need::Above(i64::from(at)))),
                }));
            }
        }
        Ok(self.places)
    }

    /// Collects the contents of the slots of a group.
    fn collect_slots(&mut self, number: usize) {
        let slots = self.places.groups[number].slots.clone();
        let layout = self.layout;
        let column = |cells: Vec<Cell>, domain| Column { cells, domain };
        let mut columns = Vec::new();
        let mut matrices = Vec::new();
        let of = |slot: usize| &layout.slots[slot];
        columns.push(column(slots.iter().map(|&slot| (of(slot).kind, 0)).collect(), None));
        columns.push(column(slots.iter().map(|&slot| (of(slot).location, 0)).collect(), None));
        let first = &of(slots[0]).variants[0];
        let kinds = &self.scheme.locals[first.template.index()];
        for (local, (strip, kinds)) in first.locals.iter().zip(kinds).enumerate() {
            if (strip.cell as usize) >= layout.state_cells {
                continue;
            }
            let domain = kinds.value;
            let index = kinds.index.filter(|_| strip.length > 1);
            let strip_of = |slot: usize| of(slot).variants[0].locals[local];
            let over = index.map(|index| &self.places.domains[index]);
            for element in 0..strip.length {
                let owner = over.and_then(|over| over.slots.get(&i64::from(element)));
                if owner.is_none() {
                    let cells = slots.iter().map(|&slot| (strip_of(slot), element)).collect();
                    columns.push(column(cells, domain));
                }
            }
            if let Some(over) = over {
                let inside = |number: i64| {
                    u32::try_from(number).ok().filter(|&number| number < strip.length)
                };
                let row = |&slot: &usize| {
                    let numbers = over.numbers.iter();
                    let cell = |(&other, &number): (&usize, &i64)| {
                        Some((other, (strip_of(slot), inside(number)?)))
                    };
                    numbers.filter_map(cell).collect()
                };
                matrices.push(Matrix { cells: slots.iter().map(row).collect(), domain });
            }
        }
        let group = &mut self.places.groups[number];
        group.columns.extend(columns);
        group.matrices.extend(matrices);
    }

    /// Collects the contents outside of permuted slots: cells may belong to processes, or be their numbers.
    fn collect_shared(&mut self, strip: Strip, kinds: Kinds, only_if: Option<(Strip, Need)>) {
        let index = kinds.index.filter(|_| strip.length > 1);
        let inside =
            |number: i64| u32::try_from(number).ok().filter(|&number| number < strip.length);
        if let Some(index) = index {
            let owned = &self.places.domains[index].numbers;
            for group in &mut self.places.groups {
                let cell = |slot: &usize| Some((strip, inside(*owned.get(slot)?)?));
                let cells: Option<Vec<Cell>> = group.slots.iter().map(cell).collect();
                if let Some(cells) = cells {
                    group.columns.push(Column { cells, domain: kinds.value });
                }
            }
        }
        let Some(domain) = kinds.value else { return };
        let owners = index.map(|index| &self.places.domains[index].slots);
        let is_owned =
            |element: &u32| owners.is_some_and(|owners| owners.contains_key(&i64::from(*element)));
        let rest = (0..strip.length).filter(|element| !is_owned(element));
        self.places.references.extend(rest.map(|element| Reference {
            cell: (strip, element),
            domain,
            only_if,
        }));
    }
}
