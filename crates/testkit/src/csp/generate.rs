//! Random specifications.

use std::sync::Arc;

use crate::Rng;

use super::ast::{
    Action, Channel, Definition, Domain, Event, EventSet, Ex, IfKind, Name, Op, Operator, P,
    Pattern, Query, Spec, Statement, Use, Variable,
};

/// A random specification.
pub fn generate(rng: &mut Rng) -> Spec {
    let mut variables = Vec::new();
    for _ in 0..rng.below(3) {
        let high = 1 + i64::from(rng.chance(1, 2));
        let is_array = rng.chance(1, 3);
        let length = if is_array { 2 } else { 1 };
        let initial = (0..length).map(|_| rng.below(2) as i64).collect();
        variables.push(Variable { low: 0, high, initial, is_array });
    }
    let mut channels = Vec::new();
    for _ in 0..rng.below(3) {
        channels.push(Channel {
            capacity: if rng.chance(2, 3) { 0 } else { 1 + rng.below(2) },
            width: 1 + usize::from(rng.chance(1, 4)),
            size: rng.chance(1, 4).then_some(2),
        });
    }
    let count = 1 + rng.below(4);
    let arities: Vec<usize> =
        (0..count).map(|at| if at == 0 { 0 } else { [0, 0, 1, 1, 2][rng.below(5)] }).collect();
    let risky = rng.chance(1, 4);
    let open_data = rng.chance(1, 3);
    let atomic = rng.chance(1, 4);
    let mut definitions = Vec::new();
    for at in 0..count {
        let mut generator = Generator {
            rng,
            variables: &variables,
            channels: &channels,
            arities: &arities,
            at,
            next: 0,
            names: Vec::new(),
            risky,
            open_data,
            atomic,
        };
        let parameters: Vec<Name> = (0..arities[at]).map(|_| generator.fresh()).collect();
        generator.names.clone_from(&parameters);
        let depth = if at == 0 { 4 } else { 3 };
        let body = generator.process(depth, Position { guarded: false, tail: true });
        let alphabet = generator.rng.chance(1, 4).then(|| generator.alphabet());
        definitions.push(Definition { parameters, body: Arc::new(body), alphabet });
    }
    Spec { variables, channels, definitions }
}

/// Where in a definition a process stands.
#[derive(Clone, Copy)]
struct Position {
    /// Whether there has been a step.
    guarded: bool,
    /// Whether nothing is around it that would grow if it came back here.
    tail: bool,
}

struct Generator<'a> {
    rng: &'a mut Rng,
    variables: &'a [Variable],
    channels: &'a [Channel],
    arities: &'a [usize],
    at: usize,
    next: Name,
    /// The names that can be used.
    names: Vec<Name>,
    /// Whether expressions may go wrong.
    risky: bool,
    /// Whether the data of events may depend on the state.
    open_data: bool,
    /// Whether `atomic` may be used.
    atomic: bool,
}

impl Generator<'_> {
    fn fresh(&mut self) -> Name {
        self.next += 1;
        self.next - 1
    }

    fn process(&mut self, depth: usize, position: Position) -> P {
        let guarded = Position { guarded: true, ..position };
        let inner = Position { tail: false, ..position };
        if depth == 0 {
            return self.leaf(position);
        }
        match self.rng.below(if depth > 2 { 40 } else { 34 }) {
            0..=7 => self.prefix(depth, guarded),
            8 => {
                let events = (0..2).map(|_| self.event()).collect();
                P::Alternatives(events, self.below(depth, guarded))
            }
            9 | 10 => self.leaf(position),
            11 | 12 => P::Guard(self.condition(), self.below(depth, position)),
            13 | 14 => {
                let kind = *self.rng.pick(&[IfKind::Plain, IfKind::Atomic, IfKind::Blocking]);
                let otherwise = kind != IfKind::Blocking && self.rng.chance(2, 3);
                let position = if kind == IfKind::Atomic { position } else { guarded };
                let condition = self.condition();
                let then = self.below(depth, position);
                P::If(kind, condition, then, otherwise.then(|| self.below(depth, position)))
            }
            15 => {
                let mut branches = Vec::new();
                for _ in 0..1 + self.rng.below(2) {
                    let condition = self.condition();
                    branches.push((condition, self.below(depth, guarded)));
                }
                let otherwise = self.rng.chance(1, 2);
                P::Case(branches, otherwise.then(|| self.below(depth, guarded)))
            }
            16..=18 => {
                let first = self.below(depth, inner);
                let second = self.below(depth, Position { guarded: false, ..position });
                P::Compose(Operator::Sequence, vec![first, second])
            }
            19 | 20 => self.compose(Operator::General, depth, position),
            21 => self.compose(Operator::Internal, depth, guarded),
            22 => self.compose(Operator::External, depth, inner),
            23 => self.compose(Operator::Interrupt, depth, inner),
            24 => {
                let events = (0..1 + self.rng.below(2)).map(|_| self.event_set()).collect();
                P::Hide(self.below(depth, inner), events)
            }
            25 => match self.atomic {
                true => P::Atomic(self.below(depth, inner)),
                false => self.prefix(depth, guarded),
            },
            26 => {
                let operator = *self.rng.pick(&[
                    Operator::Interleave,
                    Operator::Parallel,
                    Operator::General,
                    Operator::Internal,
                    Operator::External,
                ]);
                let domain = match self.rng.below(3) {
                    0 => Domain::List(vec![Ex::Int(2), Ex::Int(0)]),
                    1 => Domain::Range(Ex::Int(0), Ex::Int(0)),
                    _ => Domain::Range(Ex::Int(0), Ex::Int(1)),
                };
                let name = self.fresh();
                self.names.push(name);
                let body = self.below(depth, inner);
                self.names.pop();
                P::Indexed(operator, name, domain, body)
            }
            27 => P::Copies(Ex::Int(1 + self.rng.below(2) as i64), self.below(depth, inner)),
            28 => self.compose(Operator::Interleave, depth, inner),
            29 => self.compose(Operator::Parallel, depth, inner),
            30 | 31 => self.synchronised(depth, inner),
            32 => {
                let condition = self.condition();
                let then = self.below(depth, position);
                P::If(IfKind::Between, condition, then, Some(self.below(depth, position)))
            }
            33 => self.assignment(depth, guarded),
            34..=36 => self.compose(Operator::Interleave, depth, inner),
            _ => self.compose(Operator::Parallel, depth, inner),
        }
    }

    fn below(&mut self, depth: usize, position: Position) -> Arc<P> {
        Arc::new(self.process(depth - 1, position))
    }

    fn compose(&mut self, operator: Operator, depth: usize, position: Position) -> P {
        let count = 2 + usize::from(self.rng.chance(1, 5));
        P::Compose(operator, (0..count).map(|_| self.below(depth, position)).collect())
    }

    fn synchronised(&mut self, depth: usize, position: Position) -> P {
        let count = 1 + self.rng.below(2);
        let alphabets = (0..count)
            .map(|_| (0..self.rng.below(3)).map(|_| self.event_set()).collect())
            .collect();
        P::Synchronised([self.below(depth, position), self.below(depth, position)], alphabets)
    }

    /// `x0 := (x1+1)%2 -> …`.
    fn assignment(&mut self, depth: usize, position: Position) -> P {
        if self.variables.is_empty() {
            return self.prefix(depth, position);
        }
        let at = self.rng.below(self.variables.len());
        let Variable { high, is_array, .. } = self.variables[at];
        let index = is_array.then(|| self.rng.below(2) as i64);
        let place = match index {
            Some(index) => format!("{}[{index}]", super::ast::variable_name(at)),
            None => super::ast::variable_name(at),
        };
        let most = Ex::Int(high + 1);
        let scalar = self.variables.iter().position(|variable| !variable.is_array);
        let (text, data, value) = match (self.rng.below(3), scalar) {
            (0, _) if !self.names.is_empty() => {
                let name = *self.rng.pick(&self.names);
                let value = binary(Op::Modulo, Ex::Name(name), most);
                (format!("v{name}%{}", high + 1), vec![Ex::Name(name)], value)
            }
            (1, Some(other)) => {
                let more = binary(Op::Add, Ex::Global(other), Ex::Int(1));
                let text = format!("({}+1)%{}", super::ast::variable_name(other), high + 1);
                (text, Vec::new(), binary(Op::Modulo, more, most))
            }
            _ => {
                let value = self.rng.below(2) as i64;
                (value.to_string(), Vec::new(), Ex::Int(value))
            }
        };
        let action = Action::Assign(format!("{place}:={text}"), data);
        let program = vec![Statement::Set(at, index.map(Ex::Int), value)];
        P::Prefix(action, program, self.below(depth, position))
    }

    fn leaf(&mut self, position: Position) -> P {
        let first = match position {
            Position { guarded: true, tail: true } => 0,
            // Now and then something that grows.
            Position { guarded: true, tail: false } if self.rng.chance(1, 12) => 0,
            _ => self.at + 1,
        };
        match self.rng.below(8) {
            0 => P::Stop,
            1 | 2 => P::Skip,
            3 => match self.rng.chance(1, 2) {
                true => P::Assert(self.condition()),
                false => P::Skip,
            },
            _ if first < self.arities.len() => {
                let definition = first + self.rng.below(self.arities.len() - first);
                let arguments = (0..self.arities[definition]).map(|_| self.argument()).collect();
                P::Refer(definition, arguments)
            }
            _ => P::Prefix(Action::Event(self.event()), Vec::new(), Arc::new(P::Skip)),
        }
    }

    fn prefix(&mut self, depth: usize, position: Position) -> P {
        let before = self.names.len();
        let action = match self.rng.below(10) {
            0 => Action::Tau,
            1..=5 if !self.channels.is_empty() => {
                let channel = self.rng.below(self.channels.len());
                let Channel { width, size, .. } = self.channels[channel];
                let index = size.map(|size| match self.risky && self.rng.chance(1, 4) {
                    true => self.number(2),
                    false => Ex::Int(self.rng.below(size) as i64),
                });
                let of = Use { channel, index };
                if self.rng.chance(1, 2) {
                    Action::Send(of, (0..width).map(|_| self.number(1)).collect())
                } else {
                    self.receive(of, width)
                }
            }
            _ => Action::Event(self.event()),
        };
        let program = match self.rng.chance(1, 3) && !self.variables.is_empty() {
            true => self.program(1),
            false => Vec::new(),
        };
        let then = self.below(depth, position);
        self.names.truncate(before);
        P::Prefix(action, program, then)
    }

    fn receive(&mut self, from: Use, width: usize) -> Action {
        let mut message = Vec::new();
        for _ in 0..width {
            message.push(match self.rng.below(4) {
                0 => Pattern::Match(Ex::Int(self.rng.below(2) as i64)),
                1 if !self.names.is_empty() => {
                    Pattern::Match(Ex::Name(*self.rng.pick(&self.names)))
                }
                _ => {
                    let name = self.fresh();
                    self.names.push(name);
                    Pattern::Bind(name)
                }
            });
        }
        let guard = self.rng.chance(1, 3).then(|| self.condition());
        Action::Receive(from, guard, message)
    }

    fn event(&mut self) -> Event {
        let word = self.rng.below(3);
        let data = match self.rng.below(6) {
            0 if !self.names.is_empty() => vec![Ex::Name(*self.rng.pick(&self.names))],
            1 => vec![Ex::Int(self.rng.below(2) as i64)],
            2 if self.open_data => vec![self.number(1)],
            3 if self.rng.chance(1, 4) => {
                vec![Ex::Int(self.rng.below(2) as i64), Ex::Int(self.rng.below(2) as i64)]
            }
            _ => Vec::new(),
        };
        Event { word, data }
    }

    fn event_set(&mut self) -> EventSet {
        let word = self.rng.below(3);
        match self.rng.below(4) {
            0 => {
                let name = self.fresh();
                let event = Event { word, data: vec![Ex::Name(name)] };
                EventSet { binding: Some((name, 0, 1)), event }
            }
            1 => {
                let data = vec![Ex::Int(self.rng.below(2) as i64)];
                EventSet { binding: None, event: Event { word, data } }
            }
            2 if !self.names.is_empty() => {
                let data = vec![Ex::Name(*self.rng.pick(&self.names))];
                EventSet { binding: None, event: Event { word, data } }
            }
            _ => EventSet { binding: None, event: Event { word, data: Vec::new() } },
        }
    }

    fn alphabet(&mut self) -> Vec<EventSet> {
        (0..1 + self.rng.below(3)).map(|_| self.event_set()).collect()
    }

    fn program(&mut self, depth: usize) -> Vec<Statement> {
        let mut program = Vec::new();
        let before = self.names.len();
        let mut own = Vec::new();
        for _ in 0..1 + self.rng.below(2) {
            match self.rng.below(10) {
                0 if depth > 0 => {
                    let condition = self.condition();
                    let then = self.program(depth - 1);
                    let otherwise = match self.rng.chance(1, 2) {
                        true => self.program(depth - 1),
                        false => Vec::new(),
                    };
                    program.push(Statement::If(condition, then, otherwise));
                }
                1 => {
                    let value = self.number(1);
                    let name = self.fresh();
                    program.push(Statement::Declare(name, value));
                    self.names.push(name);
                    own.push(name);
                }
                2 if !own.is_empty() => {
                    let name = *self.rng.pick(&own);
                    program.push(Statement::SetName(name, self.number(1)));
                }
                3 if depth > 0 => {
                    let scalar = self.variables.iter().position(|variable| !variable.is_array);
                    if let Some(at) = scalar {
                        let more = binary(Op::Add, Ex::Global(at), Ex::Int(1));
                        let small = binary(Op::Less, Ex::Global(at), Ex::Int(1));
                        let body = vec![Statement::Set(at, None, more)];
                        program.push(Statement::While(small, body));
                    }
                }
                _ => {
                    let at = self.rng.below(self.variables.len());
                    let Variable { high, is_array, .. } = self.variables[at];
                    let index = is_array.then(|| match self.risky {
                        true => self.number(1),
                        false => Ex::Int(self.rng.below(2) as i64),
                    });
                    let value = self.number(2);
                    let value = match self.risky && self.rng.chance(1, 2) {
                        true => value,
                        // It stays in its range.
                        false => binary(Op::Modulo, value, Ex::Int(high + 1)),
                    };
                    program.push(Statement::Set(at, index, value));
                }
            }
        }
        self.names.truncate(before);
        program
    }

    /// An argument, of few values if it goes round, and never wrong.
    fn argument(&mut self) -> Ex {
        match self.rng.below(6) {
            0 | 1 if !self.names.is_empty() => Ex::Name(*self.rng.pick(&self.names)),
            2 if !self.names.is_empty() => {
                let more = binary(Op::Add, Ex::Name(*self.rng.pick(&self.names)), Ex::Int(1));
                binary(Op::Modulo, more, Ex::Int(2))
            }
            3 | 4 if !self.variables.is_empty() => self.number(0),
            _ => Ex::Int(self.rng.below(2) as i64),
        }
    }

    fn number(&mut self, depth: usize) -> Ex {
        if depth > 0 && self.rng.chance(1, 3) {
            let op = match self.risky {
                true => {
                    *self.rng.pick(&[Op::Add, Op::Subtract, Op::Multiply, Op::Divide, Op::Modulo])
                }
                false => *self.rng.pick(&[Op::Add, Op::Add, Op::Subtract]),
            };
            let (left, right) = (self.number(depth - 1), self.number(depth - 1));
            let both = binary(op, left, right);
            // Only a few values, or there is no end of states.
            return binary(Op::Modulo, both, Ex::Int(if self.risky { -2 } else { 3 }));
        }
        match self.rng.below(6) {
            0 | 1 if !self.names.is_empty() => Ex::Name(*self.rng.pick(&self.names)),
            2..=4 if !self.variables.is_empty() => {
                let at = self.rng.below(self.variables.len());
                match self.variables[at].is_array {
                    true => Ex::Element(at, Box::new(self.index())),
                    false => Ex::Global(at),
                }
            }
            5 if !self.channels.is_empty() && self.rng.chance(1, 2) => {
                match self.channels.iter().position(|it| it.size.is_none() && it.capacity > 0) {
                    Some(channel) => Ex::Query(Query::Count, channel),
                    None => Ex::Int(1),
                }
            }
            _ => Ex::Int(self.rng.below(3) as i64),
        }
    }

    fn index(&mut self) -> Ex {
        match self.risky && self.rng.chance(1, 2) && !self.names.is_empty() {
            true => Ex::Name(*self.rng.pick(&self.names)),
            false => Ex::Int(self.rng.below(2) as i64),
        }
    }

    fn condition(&mut self) -> Ex {
        match self.rng.below(10) {
            0 => Ex::Not(Box::new(self.condition())),
            1 => binary(Op::And, self.condition(), self.condition()),
            2 => binary(Op::Or, self.condition(), self.condition()),
            3 => Ex::Bool(self.rng.chance(2, 3)),
            4 => match self.channels.iter().position(|it| it.size.is_none() && it.capacity > 0) {
                Some(channel) if self.rng.chance(1, 2) => Ex::Query(Query::Empty, channel),
                Some(channel) => Ex::Query(Query::Full, channel),
                None => Ex::Bool(true),
            },
            _ => {
                let op = *self.rng.pick(&[Op::Equal, Op::NotEqual, Op::Less, Op::LessEqual]);
                let left = self.number(1);
                binary(op, left, self.number(0))
            }
        }
    }
}

fn binary(op: Op, left: Ex, right: Ex) -> Ex {
    Ex::Binary(op, Box::new((left, right)))
}
