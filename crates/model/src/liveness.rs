//! Which variables of a process are *dead* where it is: whatever it does from there on, it reads none of
//! them before it has given it another value.
//!
//! This is the classical analysis of compilers, backwards over the control automaton of one template, from
//! what edges read: in guards, in what they say to others, in labels, in effects. What a state proposition
//! or another process reads is never dead. An assignment to a single variable ends its life; one to an
//! element of an array does not, because the others are still there. All that is read counts, also for the
//! sake of a variable that is dead itself: so what is dead depends on nothing but what is not, and a run
//! that repeats itself but for dead variables repeats itself altogether after one more round.
//!
//! Of the variables of the model those are dead that nothing reads at all. Variables of either kind that are
//! read for the sake of others that nothing depends on are found apart (`faint.rs`), and dead everywhere.
//!
//! The result is used in `reset_dead.rs`.

use hashbrown::HashSet;

use crate::expression::{AnyVariable, Expr, Pattern, Place};
use crate::faint::{Faint, Named};
use crate::ids::{LocalId, TemplateId, VariableId};
use crate::layout::Layout;
use crate::model::{Atomicity, Model};
use crate::process::{Communication, Edge, Label, Statement, StatementKind, Target, Template};
use crate::variable::Storage;
use crate::walk::any_statement;

/// Variables of processes, by template.
type Locals = HashSet<(TemplateId, LocalId)>;

/// A set of variables of one template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Set(Vec<u64>);

impl Set {
    fn empty(count: usize) -> Set {
        Set(vec![0; count.div_ceil(64)])
    }

    fn add(&mut self, local: LocalId) {
        self.0[local.index() / 64] |= 1 << (local.index() % 64);
    }

    fn remove(&mut self, local: LocalId) {
        self.0[local.index() / 64] &= !(1 << (local.index() % 64));
    }

    fn has(&self, local: LocalId) -> bool {
        self.0[local.index() / 64] >> (local.index() % 64) & 1 == 1
    }

    fn join(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }
}

/// Dead variables, by location.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dead {
    /// Variables of processes, by template and location.
    templates: Vec<Vec<Vec<LocalId>>>,
    /// Variables of the model, which are so everywhere.
    pub(crate) globals: Vec<VariableId>,
}

impl Dead {
    /// Computes the dead variables of a model, if propositions read these expressions.
    pub(crate) fn of(model: &Model, layout: &Layout, seen: &[Expr]) -> Dead {
        if is_open(model) {
            // A location that is unfolded later may read anything.
            return Dead::default();
        }
        let read = Read::of(model, seen);
        let held = Held::of_all(model);
        let mut all = Dead::faint(model, layout, seen, &held);
        for (at, faint) in all.templates.iter_mut().enumerate() {
            let dead = dead(model, TemplateId::from_index(at), &read.remote, &held[at].locals);
            for (faint, dead) in faint.iter_mut().zip(dead) {
                faint.extend(dead);
                faint.sort_unstable();
                faint.dedup();
            }
        }
        let kept: HashSet<&VariableId> = held.iter().flat_map(|held| &held.globals).collect();
        all.globals.extend((0..model.variables.len()).map(VariableId::from_index).filter(|id| {
            model.variables[id.index()].storage == Storage::State
                && !read.globals.contains(id)
                && !kept.contains(id)
        }));
        all.globals.sort_unstable();
        all.globals.dedup();
        all
    }

    /// Computes the variables of a model that are dead wherever processes are, if propositions read these
    /// expressions: see `faint.rs`.
    pub(crate) fn everywhere(model: &Model, layout: &Layout, seen: &[Expr]) -> Dead {
        if is_open(model) {
            return Dead::default();
        }
        let held = Held::of_all(model);
        Dead::faint(model, layout, seen, &held)
    }

    fn faint(model: &Model, layout: &Layout, seen: &[Expr], held: &[Held]) -> Dead {
        let faint = faint(model, layout, seen, held);
        let of_template = |(at, template): (usize, &Template)| {
            let locals = (0..template.locals.len()).map(LocalId::from_index);
            let locals = locals.filter(|&local| {
                template.local(local).storage == Storage::State
                    && faint.has_local(TemplateId::from_index(at), local)
            });
            vec![locals.collect::<Vec<LocalId>>(); template.locations.len()]
        };
        let globals = (0..model.variables.len()).map(VariableId::from_index).filter(|&id| {
            model.variables[id.index()].storage == Storage::State && faint.has_global(id)
        });
        Dead {
            templates: model.templates.iter().enumerate().map(of_template).collect(),
            globals: globals.collect(),
        }
    }

    /// Whether nothing is dead anywhere.
    pub(crate) fn is_empty(&self) -> bool {
        self.globals.is_empty() && self.templates.iter().flatten().all(Vec::is_empty)
    }

    /// The dead variables at a location.
    pub(crate) fn at(&self, template: TemplateId, location: usize) -> &[LocalId] {
        let locations = self.templates.get(template.index());
        locations.and_then(|locations| locations.get(location)).map_or(&[], Vec::as_slice)
    }

    /// All that is dead somewhere, as what a proposition would have to read.
    pub(crate) fn all(&self) -> Read {
        let mut all = Read { globals: self.globals.iter().copied().collect(), ..Read::default() };
        for (at, locations) in self.templates.iter().enumerate() {
            let of = |&local: &LocalId| (TemplateId::from_index(at), local);
            all.remote.extend(locations.iter().flatten().map(of));
        }
        all
    }
}

impl Faint {
    /// The faint variables of a model if propositions read these expressions; none if edges are not known yet.
    pub fn new(model: &Model, layout: &Layout, seen: &[Expr]) -> Faint {
        if is_open(model) {
            return Faint::default();
        }
        let held = Held::of_all(model);
        faint(model, layout, seen, &held)
    }
}

/// The faint variables. What is remembered does not depend on them.
fn faint(model: &Model, layout: &Layout, seen: &[Expr], held: &[Held]) -> Faint {
    let kept = held.iter().enumerate().flat_map(|(at, held)| {
        let id = TemplateId::from_index(at);
        let locals = (0..model.templates[at].locals.len()).map(LocalId::from_index);
        let locals = locals.filter(|&local| held.locals.has(local));
        let locals = locals.map(move |local| Named::Local(id, local));
        locals.chain(held.globals.iter().map(|&global| Named::Global(global)))
    });
    Faint::of(model, layout, seen, kept)
}

/// Whether edges of some locations are not known yet.
fn is_open(model: &Model) -> bool {
    let mut locations = model.templates.iter().flat_map(|template| &template.locations);
    locations.any(|location| location.edges.is_none())
}

/// Variables that expressions read as those of the model, or of some process from outside.
#[derive(Clone, Debug, Default)]
pub(crate) struct Read {
    globals: HashSet<VariableId>,
    remote: Locals,
}

impl Read {
    /// All that a model reads, and these expressions do. Its propositions are not asked for.
    fn of(model: &Model, seen: &[Expr]) -> Read {
        let mut read = Read::default();
        seen.iter().for_each(|expr| read.add(expr));
        let mut note = |expr: &Expr| {
            read.add_one(expr);
            false
        };
        for template in &model.templates {
            any_statement(&template.start, &mut note);
            let edges = template.locations.iter().filter_map(|location| location.edges.as_ref());
            edges.flatten().for_each(|edge| {
                edge.any(&mut note);
            });
        }
        read
    }

    /// Adds the variables that an expression reads.
    pub(crate) fn add(&mut self, expr: &Expr) {
        expr.any(&mut |part| {
            self.add_one(part);
            false
        });
    }

    fn add_one(&mut self, expr: &Expr) {
        let Expr::Load(Place { variable, .. }) = expr else { return };
        match variable {
            AnyVariable::Global(global) => _ = self.globals.insert(*global),
            AnyVariable::Remote { template, local, .. } => {
                self.remote.insert((*template, *local));
            }
            AnyVariable::Local(_) => {}
        }
    }

    /// All that another one has, too.
    pub(crate) fn join(&mut self, other: Read) {
        self.globals.extend(other.globals);
        self.remote.extend(other.remote);
    }

    /// Whether both have something.
    pub(crate) fn meets(&self, other: &Read) -> bool {
        !self.globals.is_disjoint(&other.globals) || !self.remote.is_disjoint(&other.remote)
    }
}

/// By location of a template: what is dead there.
fn dead(model: &Model, id: TemplateId, kept: &Locals, passed: &Set) -> Vec<Vec<LocalId>> {
    let template = model.template(id);
    let candidates: Vec<LocalId> = (0..template.locals.len())
        .map(LocalId::from_index)
        .filter(|&local| template.local(local).storage == Storage::State)
        .filter(|&local| !kept.contains(&(id, local)) && !passed.has(local))
        .collect();
    if candidates.is_empty() {
        return vec![Vec::new(); template.locations.len()];
    }
    let live = live(template);
    let at = |live: &Set| candidates.iter().copied().filter(|&local| !live.has(local)).collect();
    live.iter().map(at).collect()
}

/// By location of a template: what may be read from there on before it is assigned. Every location has
/// its edges.
fn live(template: &Template) -> Vec<Set> {
    let count = template.locations.len();
    let edges = |at: usize| template.locations[at].edges.iter().flatten();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
    for at in 0..count {
        for edge in edges(at) {
            if let Target::Location(to) = edge.target {
                before[to.index()].push(at);
            }
        }
    }
    let mut live = vec![Set::empty(template.locals.len()); count];
    let mut waits = vec![true; count];
    let mut waiting: Vec<usize> = (0..count).collect();
    while let Some(at) = waiting.pop() {
        waits[at] = false;
        let mut now = Set::empty(template.locals.len());
        for edge in edges(at) {
            let after = match edge.target {
                Target::Location(to) => live[to.index()].clone(),
                // Nothing is left of a process that has ended.
                Target::Exit => Set::empty(template.locals.len()),
            };
            now.join(&before_edge(edge, after));
        }
        if now != live[at] {
            live[at] = now;
            for &from in &before[at] {
                if !std::mem::replace(&mut waits[from], true) {
                    waiting.push(from);
                }
            }
        }
    }
    live
}

/// The live variables before an edge, given those after it.
fn before_edge(edge: &Edge, after: Set) -> Set {
    let mut live = after;
    before_all(&edge.effect, &mut live);
    read(&edge.guard, &mut live);
    match &edge.communication {
        Communication::None => {}
        Communication::Send { channel, message, .. } => {
            read(channel, &mut live);
            read_all(message, &mut live);
        }
        Communication::Receive { channel, pattern, .. } => {
            read(channel, &mut live);
            read_pattern(pattern, &mut live);
        }
    }
    if let Label::Data { values, .. } = &edge.label {
        read_all(values, &mut live);
    }
    live
}

fn before_all(statements: &[Statement], live: &mut Set) {
    for statement in statements.iter().rev() {
        before_statement(&statement.kind, live);
    }
}

fn before_statement(kind: &StatementKind, live: &mut Set) {
    match kind {
        StatementKind::Assign(pairs) => {
            // All values come first, then one place after the other with its index.
            pairs.iter().rev().for_each(|(place, _)| assign(place, live));
            pairs.iter().for_each(|(_, value)| read(value, live));
        }
        StatementKind::If { condition, then, otherwise } => {
            let mut other = live.clone();
            before_all(then, live);
            before_all(otherwise, &mut other);
            live.join(&other);
            read(condition, live);
        }
        StatementKind::While { condition, body } => {
            read(condition, live);
            loop {
                let mut round = live.clone();
                before_all(body, &mut round);
                round.join(live);
                if round == *live {
                    break;
                }
                *live = round;
            }
        }
        StatementKind::Assert { condition, .. } => read(condition, live),
        StatementKind::Start { arguments, slot, .. } => {
            slot.iter().for_each(|place| assign(place, live));
            read_all(arguments, live);
        }
        StatementKind::Put { channel, message, .. } => {
            read(channel, live);
            read_all(message, live);
        }
        StatementKind::Take { channel, pattern, into, .. } => {
            into.iter().flatten().rev().for_each(|place| assign(place, live));
            read(channel, live);
            read_pattern(pattern, live);
        }
    }
}

fn assign(place: &Place, live: &mut Set) {
    match (&place.variable, &place.index) {
        (&AnyVariable::Local(local), None) => live.remove(local),
        (_, Some(index)) => read(index, live),
        _ => {}
    }
}

fn read(expr: &Expr, live: &mut Set) {
    expr.any(&mut |part| {
        if let Expr::Load(Place { variable: AnyVariable::Local(local), .. }) = part {
            live.add(*local);
        }
        false
    });
}

fn read_all(exprs: &[Expr], live: &mut Set) {
    exprs.iter().for_each(|expr| read(expr, live));
}

fn read_pattern(pattern: &[Pattern], live: &mut Set) {
    for cell in pattern {
        if let Pattern::Equal(value) = cell {
            read(value, live);
        }
    }
}

/// Variables that a process may assign in a round that it goes without another one moving on its own.
///
/// A sequence of such steps is one step (`collapsed.rs` of `fairly_explore`), which ends where it comes to a state for the
/// second time. It must end there whether dead variables are reset or not, or the steps would not be
/// the same ones: so what changes on the way is never reset.
struct Held {
    locals: Set,
    globals: HashSet<VariableId>,
}

impl Held {
    /// By template.
    fn of_all(model: &Model) -> Vec<Held> {
        let may_hold = model.atomicity == Atomicity::Exclusive && model.has_holding_edge();
        let of = |template: &Template| {
            let locals = Set::empty(template.locals.len());
            let mut held = Held { locals, globals: HashSet::new() };
            if may_hold {
                rounds(model, template).into_iter().for_each(|edge| held.assigned(&edge.effect));
            }
            held
        };
        model.templates.iter().map(of).collect()
    }

    fn assigned(&mut self, statements: &[Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Assign(pairs) => {
                    pairs.iter().for_each(|(place, _)| self.note(place));
                }
                StatementKind::Start { template: _, arguments: _, slot } => {
                    slot.iter().for_each(|place| self.note(place));
                }
                StatementKind::Take { into, .. } => {
                    into.iter().flatten().for_each(|place| self.note(place));
                }
                StatementKind::Assert { .. } | StatementKind::Put { .. } => {}
                StatementKind::If { then, otherwise, .. } => {
                    self.assigned(then);
                    self.assigned(otherwise);
                }
                StatementKind::While { body, .. } => self.assigned(body),
            }
        }
    }

    fn note(&mut self, place: &Place) {
        match &place.variable {
            AnyVariable::Local(local) => self.locals.add(*local),
            AnyVariable::Global(global) => _ = self.globals.insert(*global),
            AnyVariable::Remote { .. } => {}
        }
    }
}

/// The edges that may be taken again and again in a sequence in which no other process moves on its own.
fn rounds<'m>(model: &Model, template: &'m Template) -> Vec<&'m Edge> {
    let meets = |edge: &Edge| match &edge.communication {
        Communication::None => false,
        Communication::Send { channel, .. } | Communication::Receive { channel, .. } => {
            let known = match channel {
                Expr::Const(at) => usize::try_from(*at).ok(),
                _ => None,
            };
            known.and_then(|at| model.channels.get(at)).is_none_or(|it| it.capacity == 0)
        }
    };
    let gathers = !model.gatherings.is_empty();
    let count = template.locations.len();
    let mut steps: Vec<(usize, usize, &Edge)> = Vec::new();
    for (from, location) in template.locations.iter().enumerate() {
        for edge in location.edges.iter().flatten() {
            if let Target::Location(to) = edge.target
                && (edge.hold || gathers || meets(edge))
            {
                steps.push((from, to.index(), edge));
            }
        }
    }
    // When all edges from nowhere or to nowhere are taken away, the rest has all rounds. Each step that goes
    // may leave others with nowhere to come from or to go to.
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut arriving: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (at, &(from, to, _)) in steps.iter().enumerate() {
        leaving[from].push(at);
        arriving[to].push(at);
    }
    let mut ways_in: Vec<usize> = arriving.iter().map(Vec::len).collect();
    let mut ways_out: Vec<usize> = leaving.iter().map(Vec::len).collect();
    let mut gone = vec![false; steps.len()];
    let lonely = |&at: &usize| ways_in[at] == 0 || ways_out[at] == 0;
    let mut open: Vec<usize> = (0..count).filter(lonely).collect();
    while let Some(location) = open.pop() {
        for &at in leaving[location].iter().chain(&arriving[location]) {
            if std::mem::replace(&mut gone[at], true) {
                continue;
            }
            let (from, to, _) = steps[at];
            ways_out[from] -= 1;
            ways_in[to] -= 1;
            open.extend((ways_out[from] == 0).then_some(from));
            open.extend((ways_in[to] == 0).then_some(to));
        }
    }
    let left = steps.iter().zip(gone).filter(|(_, gone)| !gone);
    left.map(|(&(_, _, edge), _)| edge).collect()
}
