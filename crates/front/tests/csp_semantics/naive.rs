//! A naive semantics: plain rules over processes in which values take the place of names.
//!
//! A state is a process, the values of the variables and the contents of the buffers, kept in hash
//! maps. Nothing is computed before it is needed, and nothing is shared with the front end.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::ast::{
    Action, Domain, Event, Ex, IfKind, Name, Op, Operator, P, Pattern, Query, Spec, Statement, Use,
    WORDS, channel_name, variable_name,
};
use super::put::{put, put_program};

/// Values for names.
pub(crate) type Values = BTreeMap<Name, i64>;

/// A part of a composition that has become another.
type Change = (usize, Arc<P>);

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Skip {
    /// Too many states, or a process that is too large.
    Large,
    /// Who takes an event together is not known before it happens.
    Alphabet,
}

/// Something went wrong in a run.
pub(crate) struct Wrong;

/// Variables and buffers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Store {
    pub(crate) variables: Vec<Vec<i64>>,
    /// By channel, those of arrays one after the other.
    pub(crate) buffers: Vec<Vec<Vec<i64>>>,
}

/// Observation of a step.
#[derive(Clone, Debug)]
enum Label {
    Tau,
    Tick,
    /// An event, and whether others can take part.
    Event(String, bool),
    Put(usize, Vec<i64>),
    Get(usize, Vec<i64>),
    /// Half of a communication.
    Send(usize, Vec<i64>),
    Receive(usize, Option<Ex>, Vec<Pattern>),
    Joint(String),
    Fault,
}

#[derive(Clone, Debug)]
struct Step {
    label: Label,
    program: Vec<Statement>,
    to: Arc<P>,
    atomic: bool,
}

impl Step {
    fn new(label: Label, to: Arc<P>) -> Step {
        Step { label, program: Vec::new(), to, atomic: false }
    }

    fn fault() -> Step {
        Step::new(Label::Fault, Arc::new(P::Stop))
    }

    fn ends(&self) -> bool {
        matches!(self.label, Label::Tick)
    }

    fn to(self, to: P) -> Step {
        Step { to: Arc::new(to), ..self }
    }
}

/// A state with its steps.
pub(crate) struct State {
    /// Variables and buffers, by name.
    pub(crate) shown: Vec<(String, String)>,
    pub(crate) terminated: bool,
    /// The event, and where to; `None` where something goes wrong.
    pub(crate) steps: Vec<(String, Option<usize>)>,
}

/// All states, the first one initial.
pub(crate) fn explore(spec: &Spec, most: usize) -> Result<Vec<State>, Skip> {
    let meaning = Meaning { spec };
    let store = Store {
        variables: spec.variables.iter().map(|variable| variable.initial.clone()).collect(),
        buffers: vec![Vec::new(); meaning.channel(spec.channels.len(), 0)],
    };
    let start = (Arc::new(P::Refer(0, Vec::new())), store);
    let mut numbers: HashMap<(Arc<P>, Store), usize> = HashMap::from([(start.clone(), 0)]);
    let mut open = vec![start];
    let mut states = Vec::new();
    while states.len() < open.len() {
        let (process, store) = open[states.len()].clone();
        if size(&process) > 300 {
            return Err(Skip::Large);
        }
        let mut steps: Vec<Step> = meaning.steps(&process, &store, 0)?;
        // Half a communication is none.
        steps.retain(|step| !matches!(step.label, Label::Send(..) | Label::Receive(..)));
        if steps.iter().any(|step| step.atomic) {
            steps.retain(|step| step.atomic);
        }
        let mut out = Vec::new();
        for step in steps {
            let mut next = store.clone();
            let name = match &step.label {
                Label::Tau | Label::Fault => "τ".to_owned(),
                Label::Tick => "✓".to_owned(),
                Label::Event(name, _) | Label::Joint(name) => name.clone(),
                Label::Put(channel, row) => {
                    next.buffers[*channel].push(row.clone());
                    format!("{}!{}", meaning.channel_shown(*channel), dotted(row))
                }
                Label::Get(channel, row) => {
                    next.buffers[*channel].remove(0);
                    format!("{}?{}", meaning.channel_shown(*channel), dotted(row))
                }
                Label::Send(..) | Label::Receive(..) => unreachable!("taken out"),
            };
            let is_fault = matches!(step.label, Label::Fault);
            let mut names = Values::new();
            let mut fuel = 100_000;
            if is_fault || meaning.run(&step.program, &mut next, &mut names, &mut fuel).is_err() {
                out.push((name, None));
                continue;
            }
            let key = (step.to, next);
            let fresh = numbers.len();
            let number = *numbers.entry(key.clone()).or_insert_with(|| {
                open.push(key);
                fresh
            });
            out.push((name, Some(number)));
        }
        states.push(State {
            shown: meaning.shown(&store),
            terminated: *process == P::Done,
            steps: out,
        });
        if open.len() > most {
            return Err(Skip::Large);
        }
    }
    Ok(states)
}

fn dotted(row: &[i64]) -> String {
    row.iter().map(ToString::to_string).collect::<Vec<_>>().join(".")
}

fn size(process: &P) -> usize {
    1 + children(process).into_iter().map(|child| size(child)).sum::<usize>()
}

pub(crate) fn children(process: &P) -> Vec<&Arc<P>> {
    match process {
        P::Stop | P::Skip | P::Done | P::Refer(..) | P::Assert(_) => Vec::new(),
        P::Prefix(_, _, then) | P::Alternatives(_, then) => vec![then],
        P::Guard(_, body)
        | P::Indexed(_, _, _, body)
        | P::Copies(_, body)
        | P::Hide(body, _)
        | P::Atomic(body) => vec![body],
        P::If(_, _, then, otherwise) => [then].into_iter().chain(otherwise).collect(),
        P::Case(branches, otherwise) => {
            branches.iter().map(|(_, body)| body).chain(otherwise).collect()
        }
        P::Compose(_, parts) => parts.iter().collect(),
        P::Synchronised(parts, _) => parts.iter().collect(),
        P::Joined(parts) => parts.iter().map(|(part, _)| part).collect(),
    }
}

/// Whether a process as it is written is nothing but `Skip`, so that `;` goes on without a step.
fn only_skips(process: &P) -> bool {
    match process {
        P::Skip => true,
        P::Indexed(operator, _, _, _) | P::Compose(operator, _)
            if matches!(operator, Operator::Internal | Operator::Interrupt) =>
        {
            false
        }
        P::Compose(..)
        | P::Synchronised(..)
        | P::Joined(_)
        | P::Indexed(..)
        | P::Copies(..)
        | P::Atomic(_) => children(process).into_iter().all(|child| only_skips(child)),
        // A name, a condition or a hidden set around it makes it another.
        _ => false,
    }
}

/// Semantics of a specification.
pub(crate) struct Meaning<'a> {
    pub(crate) spec: &'a Spec,
}

impl Meaning<'_> {
    /// The number of a channel; of an array, of one of its channels.
    fn channel(&self, channel: usize, index: usize) -> usize {
        let before = self.spec.channels[..channel].iter();
        before.map(|channel| channel.size.unwrap_or(1)).sum::<usize>() + index
    }

    fn channel_shown(&self, number: usize) -> String {
        let mut number = number;
        for (at, channel) in self.spec.channels.iter().enumerate() {
            let size = channel.size.unwrap_or(1);
            if number < size {
                return match channel.size {
                    Some(_) => format!("{}[{number}]", channel_name(at)),
                    None => channel_name(at),
                };
            }
            number -= size;
        }
        unreachable!("no such channel")
    }

    fn shown(&self, store: &Store) -> Vec<(String, String)> {
        let mut shown = Vec::new();
        for (at, (variable, values)) in self.spec.variables.iter().zip(&store.variables).enumerate()
        {
            for (index, value) in values.iter().enumerate() {
                let name = match variable.is_array {
                    true => format!("{}[{index}]", variable_name(at)),
                    false => variable_name(at),
                };
                shown.push((name, value.to_string()));
            }
        }
        for (at, channel) in self.spec.channels.iter().enumerate() {
            for index in (0..channel.size.unwrap_or(1)).filter(|_| channel.capacity > 0) {
                let number = self.channel(at, index);
                let rows: Vec<String> =
                    store.buffers[number].iter().map(|row| dotted(row)).collect();
                shown.push((self.channel_shown(number), format!("[{}]", rows.join(" "))));
            }
        }
        shown
    }

    pub(crate) fn eval(&self, expr: &Ex, store: &Store, names: &Values) -> Result<i64, Wrong> {
        Ok(match expr {
            Ex::Int(value) => *value,
            Ex::Bool(value) => i64::from(*value),
            Ex::Name(name) => names[name],
            Ex::Global(at) => store.variables[*at][0],
            Ex::Element(at, index) => {
                let index = self.eval(index, store, names)?;
                let index = usize::try_from(index).map_err(|_| Wrong)?;
                *store.variables[*at].get(index).ok_or(Wrong)?
            }
            Ex::Not(inner) => i64::from(self.eval(inner, store, names)? == 0),
            Ex::Binary(op, both) => {
                let a = self.eval(&both.0, store, names)?;
                match op {
                    Op::And if a == 0 => return Ok(0),
                    Op::Or if a != 0 => return Ok(1),
                    _ => {}
                }
                let b = self.eval(&both.1, store, names)?;
                match op {
                    Op::Add => a + b,
                    Op::Subtract => a - b,
                    Op::Multiply => a * b,
                    Op::Divide | Op::Modulo if b == 0 => return Err(Wrong),
                    Op::Divide => a / b,
                    Op::Modulo if a % b < 0 => a % b + b,
                    Op::Modulo => a % b,
                    Op::Equal => i64::from(a == b),
                    Op::NotEqual => i64::from(a != b),
                    Op::Less => i64::from(a < b),
                    Op::LessEqual => i64::from(a <= b),
                    Op::And | Op::Or => i64::from(b != 0),
                }
            }
            Ex::Query(query, channel) => {
                let length = store.buffers[self.channel(*channel, 0)].len();
                let capacity = self.spec.channels[*channel].capacity;
                match query {
                    Query::Empty => i64::from(length == 0),
                    Query::Full => i64::from(length == capacity),
                    Query::Count => i64::try_from(length).expect("short"),
                }
            }
        })
    }

    /// An expression in which no name is free.
    fn value(&self, expr: &Ex, store: &Store) -> Result<i64, Wrong> {
        self.eval(expr, store, &Values::new())
    }

    fn values(&self, exprs: &[Ex], store: &Store) -> Result<Vec<i64>, Wrong> {
        exprs.iter().map(|expr| self.value(expr, store)).collect()
    }

    fn run(
        &self,
        program: &[Statement],
        store: &mut Store,
        names: &mut Values,
        fuel: &mut u32,
    ) -> Result<(), Wrong> {
        for statement in program {
            *fuel = fuel.checked_sub(1).ok_or(Wrong)?;
            match statement {
                Statement::Set(at, index, value) => {
                    let value = self.eval(value, store, names)?;
                    let index = match index {
                        None => 0,
                        Some(index) => {
                            let index = self.eval(index, store, names)?;
                            usize::try_from(index).map_err(|_| Wrong)?
                        }
                    };
                    let variable = &self.spec.variables[*at];
                    if value < variable.low || value > variable.high {
                        return Err(Wrong);
                    }
                    *store.variables[*at].get_mut(index).ok_or(Wrong)? = value;
                }
                Statement::Declare(name, value) | Statement::SetName(name, value) => {
                    let value = self.eval(value, store, names)?;
                    names.insert(*name, value);
                }
                Statement::If(condition, then, otherwise) => {
                    let way =
                        if self.eval(condition, store, names)? != 0 { then } else { otherwise };
                    self.run(way, store, names, fuel)?;
                }
                Statement::While(condition, body) => {
                    while self.eval(condition, store, names)? != 0 {
                        *fuel = fuel.checked_sub(1).ok_or(Wrong)?;
                        self.run(body, store, names, fuel)?;
                    }
                }
                Statement::Assert(condition) => {
                    if self.eval(condition, store, names)? == 0 {
                        return Err(Wrong);
                    }
                }
            }
        }
        Ok(())
    }

    fn event(&self, event: &Event, store: &Store) -> Result<String, Wrong> {
        Ok(event_name(event.word, &self.values(&event.data, store)?))
    }

    /// The steps of a process, without the order that `atomic` brings.
    fn steps(&self, process: &Arc<P>, store: &Store, depth: usize) -> Result<Vec<Step>, Skip> {
        if depth > 150 {
            return Err(Skip::Large);
        }
        let inner = |process: &Arc<P>| {
            let steps = self.steps(process, store, depth + 1)?;
            if steps.len() > 100 { Err(Skip::Large) } else { Ok(steps) }
        };
        let silent = |to: &Arc<P>| vec![Step::new(Label::Tau, Arc::clone(to))];
        let fault = || vec![Step::fault()];
        let skip = Arc::new(P::Skip);
        Ok(match &**process {
            P::Stop | P::Done => Vec::new(),
            P::Skip => vec![Step::new(Label::Tick, Arc::new(P::Done))],
            P::Refer(definition, arguments) => {
                let definition = &self.spec.definitions[*definition];
                match self.values(arguments, store) {
                    Err(Wrong) => fault(),
                    Ok(values) => {
                        let values: Values =
                            definition.parameters.iter().copied().zip(values).collect();
                        inner(&put(&definition.body, &values))?
                    }
                }
            }
            P::Prefix(action, program, then) => match self.prefix(action, program, then, store) {
                Err(Wrong) => fault(),
                Ok(step) => step.into_iter().collect(),
            },
            P::Alternatives(events, then) => events
                .iter()
                .map(|event| match self.event(event, store) {
                    Ok(name) => Step::new(Label::Event(name, true), Arc::clone(then)),
                    Err(Wrong) => Step::fault(),
                })
                .collect(),
            P::Assert(condition) => vec![Step {
                program: vec![Statement::Assert(condition.clone())],
                ..Step::new(Label::Tick, Arc::new(P::Done))
            }],
            P::Guard(condition, body) => match self.value(condition, store) {
                Err(Wrong) => fault(),
                Ok(0) => Vec::new(),
                Ok(_) => inner(body)?,
            },
            P::If(kind, condition, then, otherwise) => {
                let otherwise = otherwise.as_ref().unwrap_or(&skip);
                match (kind, self.value(condition, store)) {
                    (_, Err(Wrong)) => fault(),
                    (IfKind::Plain, Ok(0)) => silent(otherwise),
                    (IfKind::Atomic | IfKind::Between, Ok(0)) => inner(otherwise)?,
                    (IfKind::Blocking, Ok(0)) => Vec::new(),
                    (IfKind::Plain | IfKind::Blocking, Ok(_)) => silent(then),
                    (IfKind::Atomic | IfKind::Between, Ok(_)) => inner(then)?,
                }
            }
            P::Case(branches, otherwise) => {
                for (condition, body) in branches {
                    match self.value(condition, store) {
                        Err(Wrong) => return Ok(fault()),
                        Ok(0) => {}
                        Ok(_) => return Ok(silent(body)),
                    }
                }
                silent(otherwise.as_ref().unwrap_or(&skip))
            }
            P::Indexed(operator, name, domain, body) => {
                let values = match domain {
                    Domain::Range(low, high) => {
                        match (self.value(low, store), self.value(high, store)) {
                            (Ok(low), Ok(high)) => (low..=high).collect(),
                            _ => return Ok(fault()),
                        }
                    }
                    Domain::List(values) => match self.values(values, store) {
                        Ok(values) => values,
                        Err(Wrong) => return Ok(fault()),
                    },
                };
                let part = |value| put(body, &Values::from([(*name, value)]));
                let parts = values.into_iter().map(part).collect();
                inner(&Arc::new(P::Compose(*operator, parts)))?
            }
            P::Copies(count, body) => match self.value(count, store) {
                Err(Wrong) => fault(),
                Ok(count) => {
                    let parts = (0..count).map(|_| Arc::clone(body)).collect();
                    inner(&Arc::new(P::Compose(Operator::Interleave, parts)))?
                }
            },
            P::Compose(operator, parts) => self.compose(*operator, parts, store, depth)?,
            P::Joined(parts) => self.joined(parts, store, depth)?,
            P::Synchronised(parts, sets) => {
                let mut joined = Vec::new();
                for (at, part) in parts.iter().enumerate() {
                    let own = self.events_of(sets.get(at).unwrap_or(&sets[0]), &Values::new())?;
                    joined.push((Arc::clone(part), Arc::new(own.into_iter().collect())));
                }
                self.joined(&joined, store, depth)?
            }
            P::Hide(body, sets) => {
                let hidden = self.events_of(sets, &Values::new())?;
                let hide = |step: Step| {
                    let label = match step.label {
                        Label::Event(name, _) if hidden.contains(&name) => Label::Tau,
                        label => label,
                    };
                    let step = Step { label, ..step };
                    let left = P::Hide(Arc::clone(&step.to), sets.clone());
                    if step.ends() { step } else { step.to(left) }
                };
                inner(body)?.into_iter().map(hide).collect()
            }
            P::Atomic(body) => {
                let first = |step: Step| {
                    let step = Step { atomic: true, ..step };
                    let left = P::Atomic(Arc::clone(&step.to));
                    if step.ends() { step } else { step.to(left) }
                };
                inner(body)?.into_iter().map(first).collect()
            }
        })
    }

    fn prefix(
        &self,
        action: &Action,
        program: &[Statement],
        then: &Arc<P>,
        store: &Store,
    ) -> Result<Option<Step>, Wrong> {
        let step = |label| Step { program: program.to_vec(), ..Step::new(label, Arc::clone(then)) };
        Ok(Some(match action {
            Action::Event(event) => {
                step(Label::Event(self.event(event, store)?, program.is_empty()))
            }
            Action::Assign(text, data) => {
                let data = self.values(data, store)?;
                let data: String = data.iter().map(|value| format!(".{value}")).collect();
                step(Label::Event(format!("{text}{data}"), false))
            }
            Action::Tau => step(Label::Tau),
            Action::Send(to, message) => {
                let (channel, capacity) = self.used(to, store)?;
                if capacity > 0 && store.buffers[channel].len() == capacity {
                    return Ok(None);
                }
                let row = self.values(message, store)?;
                let label =
                    if capacity > 0 { Label::Put(channel, row) } else { Label::Send(channel, row) };
                step(label)
            }
            Action::Receive(from, guard, message) => {
                // A guard that is not about the message needs none.
                if let Some(guard) = guard
                    && !has_names(guard)
                    && self.value(guard, store)? == 0
                {
                    return Ok(None);
                }
                let (channel, capacity) = self.used(from, store)?;
                let label = Label::Receive(channel, guard.clone(), message.clone());
                if capacity == 0 {
                    return Ok(Some(step(label)));
                }
                let Some(row) = store.buffers[channel].first() else { return Ok(None) };
                let Some(received) = self.received(&step(label), row, store)? else {
                    return Ok(None);
                };
                Step { label: Label::Get(channel, row.clone()), ..received }
            }
        }))
    }

    /// A step that receives, when this message comes; `None` if it does not want it.
    fn received(&self, step: &Step, row: &[i64], store: &Store) -> Result<Option<Step>, Wrong> {
        let Label::Receive(_, guard, message) = &step.label else { unreachable!("it receives") };
        let mut values = Values::new();
        for (part, &value) in message.iter().zip(row) {
            match part {
                Pattern::Bind(name) => _ = values.insert(*name, value),
                Pattern::Match(wanted) => {
                    if self.eval(wanted, store, &values)? != value {
                        return Ok(None);
                    }
                }
            }
        }
        if let Some(guard) = guard
            && self.eval(guard, store, &values)? == 0
        {
            return Ok(None);
        }
        Ok(Some(Step {
            program: put_program(&step.program, &values),
            to: put(&step.to, &values),
            ..step.clone()
        }))
    }

    fn used(&self, channel: &Use, store: &Store) -> Result<(usize, usize), Wrong> {
        let declared = &self.spec.channels[channel.channel];
        let index = match &channel.index {
            None => 0,
            Some(index) => {
                let index = usize::try_from(self.value(index, store)?).map_err(|_| Wrong)?;
                if index >= declared.size.unwrap_or(1) {
                    return Err(Wrong);
                }
                index
            }
        };
        Ok((self.channel(channel.channel, index), declared.capacity))
    }

    fn compose(
        &self,
        operator: Operator,
        parts: &[Arc<P>],
        store: &Store,
        depth: usize,
    ) -> Result<Vec<Step>, Skip> {
        let inner = |process: &Arc<P>| {
            let steps = self.steps(process, store, depth + 1)?;
            if steps.len() > 100 { Err(Skip::Large) } else { Ok(steps) }
        };
        let mut out = Vec::new();
        match operator {
            Operator::General => {
                for part in parts {
                    out.extend(inner(part)?);
                }
            }
            Operator::Internal => {
                out.extend(parts.iter().map(|part| Step::new(Label::Tau, Arc::clone(part))));
            }
            Operator::External => {
                for (at, part) in parts.iter().enumerate() {
                    for step in inner(part)? {
                        out.push(match step.label {
                            Label::Tau => {
                                let mut left = parts.to_vec();
                                left[at] = Arc::clone(&step.to);
                                step.to(P::Compose(operator, left))
                            }
                            _ => step,
                        });
                    }
                }
            }
            Operator::Interrupt => {
                let (last, first) = parts.split_last().expect("an operand");
                if first.is_empty() {
                    return inner(last);
                }
                let first = Arc::new(P::Compose(operator, first.to_vec()));
                let both = |a: &Arc<P>, b: &Arc<P>| {
                    P::Compose(operator, vec![Arc::clone(a), Arc::clone(b)])
                };
                for step in inner(&first)? {
                    let left = both(&step.to, last);
                    out.push(if step.ends() { step } else { step.to(left) });
                }
                for step in inner(last)? {
                    let left = both(&first, &step.to);
                    out.push(match step.label {
                        Label::Tau => step.to(left),
                        _ => step,
                    });
                }
            }
            Operator::Sequence => {
                let (first, rest) = parts.split_first().expect("an operand");
                if rest.is_empty() {
                    return inner(first);
                }
                if only_skips(first) {
                    return inner(&Arc::new(P::Compose(operator, rest.to_vec())));
                }
                for step in inner(first)? {
                    let rest = rest.iter().cloned();
                    out.push(match step.label {
                        Label::Tick => Step { label: Label::Tau, ..step }
                            .to(P::Compose(operator, rest.collect())),
                        _ => {
                            let left = [Arc::clone(&step.to)].into_iter().chain(rest).collect();
                            step.to(P::Compose(operator, left))
                        }
                    });
                }
            }
            Operator::Interleave => {
                let mut steps = Vec::new();
                for part in parts {
                    steps.push(inner(part)?);
                }
                let left = |changes: &[(usize, Arc<P>)]| {
                    let mut left = parts.to_vec();
                    for (at, to) in changes {
                        left[*at] = Arc::clone(to);
                    }
                    P::Compose(operator, left)
                };
                for (at, steps) in steps.iter().enumerate() {
                    for step in steps.iter().filter(|step| !step.ends()) {
                        out.push(step.clone().to(left(&[(at, Arc::clone(&step.to))])));
                    }
                }
                self.everywhere(&steps, &left, store, &mut out);
            }
            Operator::Parallel => {
                let mut joined = Vec::new();
                for part in parts {
                    let mut found = BTreeSet::new();
                    let mut met = HashSet::new();
                    self.alphabet(part, &BTreeMap::new(), &BTreeSet::new(), &mut found, &mut met)?;
                    joined.push((Arc::clone(part), Arc::new(found.into_iter().collect())));
                }
                return self.joined(&joined, store, depth);
            }
        }
        Ok(out)
    }

    fn joined(
        &self,
        parts: &[(Arc<P>, Arc<Vec<String>>)],
        store: &Store,
        depth: usize,
    ) -> Result<Vec<Step>, Skip> {
        let mut steps = Vec::new();
        for (part, _) in parts {
            steps.push(self.steps(part, store, depth + 1)?);
        }
        let left = |changes: &[(usize, Arc<P>)]| {
            let mut left = parts.to_vec();
            for (at, to) in changes {
                left[*at].0 = Arc::clone(to);
            }
            P::Joined(left)
        };
        let shares = |at: usize, step: &Step| match &step.label {
            Label::Event(name, true) => parts[at].1.contains(name).then(|| name.clone()),
            _ => None,
        };
        let mut out = Vec::new();
        let mut names = BTreeSet::new();
        for (at, steps) in steps.iter().enumerate() {
            for step in steps.iter().filter(|step| !step.ends()) {
                match shares(at, step) {
                    Some(name) => _ = names.insert(name),
                    None => out.push(step.clone().to(left(&[(at, Arc::clone(&step.to))]))),
                }
            }
        }
        for name in names {
            let sharing: Vec<usize> =
                (0..parts.len()).filter(|&at| parts[at].1.contains(&name)).collect();
            // All ways to choose one step of each.
            let mut ways: Vec<(Vec<Change>, bool)> = vec![(Vec::new(), false)];
            for at in sharing {
                let those: Vec<&Step> = steps[at]
                    .iter()
                    .filter(|step| shares(at, step).as_ref() == Some(&name))
                    .collect();
                ways = ways
                    .iter()
                    .flat_map(|(way, atomic)| {
                        those.iter().map(move |step| {
                            let mut way = way.clone();
                            way.push((at, Arc::clone(&step.to)));
                            (way, *atomic || step.atomic)
                        })
                    })
                    .collect();
            }
            for (way, atomic) in ways {
                let step = Step::new(Label::Event(name.clone(), true), Arc::new(left(&way)));
                out.push(Step { atomic, ..step });
            }
        }
        self.everywhere(&steps, &left, store, &mut out);
        Ok(out)
    }

    /// Steps that parts of every composition take together: termination and communication.
    fn everywhere(
        &self,
        steps: &[Vec<Step>],
        left: &dyn Fn(&[Change]) -> P,
        store: &Store,
        out: &mut Vec<Step>,
    ) {
        let end = Step::new(Label::Tick, Arc::new(P::Done));
        let mut ends_together = vec![end];
        for steps in steps {
            let ticks: Vec<&Step> = steps.iter().filter(|step| step.ends()).collect();
            ends_together = ends_together
                .iter()
                .flat_map(|before| {
                    ticks.iter().map(move |tick| Step {
                        program: [before.program.clone(), tick.program.clone()].concat(),
                        atomic: before.atomic || tick.atomic,
                        ..before.clone()
                    })
                })
                .collect();
        }
        // Ways to end that do the same are one.
        let mut ends: Vec<Step> = Vec::new();
        for end in ends_together {
            if !ends.iter().any(|it| it.program == end.program && it.atomic == end.atomic) {
                ends.push(end);
            }
        }
        out.append(&mut ends);
        for (sender, sends) in steps.iter().enumerate() {
            for send in sends {
                let Label::Send(channel, row) = &send.label else { continue };
                for (receiver, receives) in steps.iter().enumerate() {
                    for receive in receives.iter().filter(|_| sender != receiver) {
                        if !matches!(&receive.label, Label::Receive(other, ..) if other == channel)
                        {
                            continue;
                        }
                        let atomic = send.atomic || receive.atomic;
                        match self.received(receive, row, store) {
                            Err(Wrong) => out.push(Step { atomic, ..Step::fault() }),
                            Ok(None) => {}
                            Ok(Some(receive)) => {
                                let name =
                                    format!("{}.{}", self.channel_shown(*channel), dotted(row));
                                let to =
                                    left(&[(sender, Arc::clone(&send.to)), (receiver, receive.to)]);
                                out.push(Step {
                                    label: Label::Joint(name),
                                    program: [send.program.clone(), receive.program].concat(),
                                    to: Arc::new(to),
                                    atomic,
                                });
                            }
                        }
                    }
                }
            }
        }
    }
}

pub(crate) fn event_name(word: usize, data: &[i64]) -> String {
    let data: String = data.iter().map(|value| format!(".{value}")).collect();
    format!("{}{data}", WORDS[word])
}

fn has_names(expr: &Ex) -> bool {
    match expr {
        Ex::Name(_) => true,
        Ex::Int(_) | Ex::Bool(_) | Ex::Global(_) | Ex::Query(..) => false,
        Ex::Element(_, inner) | Ex::Not(inner) => has_names(inner),
        Ex::Binary(_, both) => has_names(&both.0) || has_names(&both.1),
    }
}
