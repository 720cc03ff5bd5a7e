//! A printed specification is read back as the same tree, for random trees and for real texts.

use fairly_front::csp::syntax::{
    Action, ActionKind, BinaryOperator, Binding, Bounds, Channel, ChannelId, ChannelQuery,
    ChannelUse, Constant, Define, DefineId, Definition, DefinitionId, Domain, Event, EventId,
    EventSet, Expr, ExprKind, IfKind, Local, LocalId, LocalKind, Name, NodeId, Operator, Pattern,
    Place, PlaceKind, Process, ProcessKind, Specification, Statement, StatementKind, Type,
    UnaryOperator, Value, Variable, VariableId,
};
use fairly_front::csp::{parse, print};
use fairly_source::Span;
use fairly_system::Annotation;
use fairly_testkit::Rng;

const NOWHERE: Span = Span { start: 0, end: 0 };

fn name(text: &str) -> Name {
    Name { text: text.to_owned(), span: NOWHERE }
}

/// The tree as text without places.
fn placeless(spec: &Specification) -> String {
    let text = format!("{spec:#?}");
    let mut kept: Vec<&str> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim_start().starts_with("span: Span {") || line.trim() == "Span {" {
            // `start`, `end` and the brace.
            lines.by_ref().take(3).for_each(drop);
        } else {
            kept.push(line);
        }
    }
    kept.join("\n")
}

/// Makes trees as the parser would: children before parents, locals in the order of the text.
struct Maker<'r> {
    rng: &'r mut Rng,
    nodes: Vec<Process>,
    locals: Vec<Local>,
    /// The locals that are visible, and whether they are integers for certain.
    visible: Vec<(LocalId, bool)>,
}

fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr { kind, ty, span: NOWHERE }
}

fn int(value: i32) -> Expr {
    expr(ExprKind::Int(value), Type::Int)
}

impl Maker<'_> {
    fn bind(&mut self, kind: LocalKind, integer: bool) -> LocalId {
        let id = LocalId(u32::try_from(self.locals.len()).unwrap());
        self.locals.push(Local { name: name(&format!("l{}", id.0)), kind });
        self.visible.push((id, integer));
        id
    }

    /// An integer that is not constant, so that nothing is computed.
    fn integer(&mut self, depth: usize) -> Expr {
        use BinaryOperator as B;
        if depth == 0 || self.rng.chance(1, 3) {
            return match self.rng.below(5) {
                0 => expr(ExprKind::Variable(VariableId(0)), Type::Int),
                1 => expr(ExprKind::Query(ChannelQuery::Count, self.channel(0)), Type::Int),
                2 if !self.visible.is_empty() => {
                    let (id, integer) = self.visible[self.rng.below(self.visible.len())];
                    expr(ExprKind::Local(id), if integer { Type::Int } else { Type::Unknown })
                }
                3 if depth > 0 => {
                    let indices = vec![self.integer(depth - 1), int(1)];
                    expr(ExprKind::Element(VariableId(1), indices), Type::Int)
                }
                _ => expr(ExprKind::Variable(VariableId(3)), Type::Int),
            };
        }
        if self.rng.chance(1, 6) {
            let operand = Box::new(self.integer(depth - 1));
            return expr(ExprKind::Unary(UnaryOperator::Negate, operand), Type::Int);
        }
        let operators = [
            B::BitAnd,
            B::BitOr,
            B::BitXor,
            B::Add,
            B::Subtract,
            B::Multiply,
            B::Divide,
            B::Modulo,
        ];
        let operator = *self.rng.pick(&operators);
        let left = Box::new(self.integer(depth - 1));
        let right = Box::new(if self.rng.chance(1, 4) {
            int([0, 1, -1, 17, i32::MAX, i32::MIN][self.rng.below(6)])
        } else {
            self.integer(depth - 1)
        });
        expr(ExprKind::Binary(operator, left, right), Type::Int)
    }

    fn truth(&mut self, depth: usize) -> Expr {
        use BinaryOperator as B;
        let kind = match self.rng.below(if depth == 0 { 2 } else { 6 }) {
            0 => ExprKind::Variable(VariableId(2)),
            1 => ExprKind::Define(DefineId(0)),
            2 => ExprKind::Unary(UnaryOperator::Not, Box::new(self.truth(depth - 1))),
            3 => {
                let visible = self.visible.len();
                let bindings = self.bindings(1);
                let body = Box::new(self.truth(depth - 1));
                self.visible.truncate(visible);
                ExprKind::Quantified(*self.rng.pick(&[B::And, B::Or, B::Xor]), bindings, body)
            }
            4 => {
                let operators =
                    [B::Equal, B::NotEqual, B::Less, B::LessEqual, B::Greater, B::GreaterEqual];
                let operator = *self.rng.pick(&operators);
                let left = Box::new(self.integer(depth - 1));
                ExprKind::Binary(operator, left, Box::new(self.integer(depth - 1)))
            }
            _ => {
                let operator = *self.rng.pick(&[B::And, B::Or, B::Xor, B::Equal, B::NotEqual]);
                let left = Box::new(self.truth(depth - 1));
                ExprKind::Binary(operator, left, Box::new(self.truth(depth - 1)))
            }
        };
        expr(kind, Type::Bool)
    }

    fn bindings(&mut self, depth: usize) -> Vec<Binding> {
        let mut bindings = Vec::new();
        for _ in 0..=self.rng.below(2) {
            let domain = if self.rng.chance(1, 2) {
                Domain::Range(int(0), self.integer(depth))
            } else {
                Domain::List(vec![int(3), self.integer(0)])
            };
            let integer = match &domain {
                Domain::Range(..) => true,
                Domain::List(values) => values.iter().all(|value| value.ty == Type::Int),
            };
            let local = self.bind(LocalKind::Index, integer);
            bindings.push(Binding { local, domain, span: NOWHERE });
        }
        bindings
    }

    fn channel(&mut self, depth: usize) -> ChannelUse {
        let array = depth > 0 && self.rng.chance(1, 2);
        let index = array.then(|| Box::new(self.integer(depth - 1)));
        ChannelUse { channel: ChannelId(u32::from(array)), index, span: NOWHERE }
    }

    fn event(&mut self, depth: usize) -> Event {
        let event = EventId(u32::try_from(self.rng.below(3)).unwrap());
        let arguments = (0..self.rng.below(3)).map(|_| self.integer(depth)).collect();
        Event { name: event, arguments, span: NOWHERE }
    }

    fn event_sets(&mut self) -> Vec<EventSet> {
        let mut sets = Vec::new();
        for _ in 0..self.rng.below(3) {
            let visible = self.visible.len();
            let bindings = if self.rng.chance(1, 2) { self.bindings(0) } else { Vec::new() };
            let event = self.event(1);
            self.visible.truncate(visible);
            sets.push(EventSet { bindings, event });
        }
        sets
    }

    fn statements(&mut self, depth: usize) -> Vec<Statement> {
        let visible = self.visible.len();
        let mut statements = Vec::new();
        for _ in 0..1 + self.rng.below(3) {
            let kind = match self.rng.below(if depth == 0 { 2 } else { 5 }) {
                0 => {
                    let target = if self.rng.chance(1, 2) {
                        PlaceKind::Variable(VariableId(0))
                    } else {
                        let indices = vec![int(2), self.integer(1)];
                        PlaceKind::Element(VariableId(1), indices)
                    };
                    let target = Place { kind: target, span: NOWHERE };
                    StatementKind::Assign { target, value: self.integer(2) }
                }
                1 => {
                    let value = self.integer(1);
                    let integer = value.ty == Type::Int;
                    StatementKind::Declare { local: self.bind(LocalKind::Program, integer), value }
                }
                2 => {
                    let condition = self.truth(2);
                    let then = self.statements(depth - 1);
                    let otherwise =
                        if self.rng.chance(1, 2) { self.statements(depth - 1) } else { Vec::new() };
                    StatementKind::If { condition, then, otherwise }
                }
                3 => {
                    let condition = self.truth(2);
                    StatementKind::While { condition, body: self.statements(depth - 1) }
                }
                _ => StatementKind::Block(self.statements(depth - 1)),
            };
            statements.push(Statement { kind, span: NOWHERE });
        }
        self.visible.truncate(visible);
        statements
    }

    fn action(&mut self) -> Action {
        let kind = match self.rng.below(5) {
            0 | 1 => ActionKind::Event(self.event(2)),
            2 => ActionKind::Tau,
            3 => {
                let channel = self.channel(2);
                let message = (0..1 + self.rng.below(2)).map(|_| self.integer(2)).collect();
                ActionKind::Output { channel, message }
            }
            _ => {
                let channel = self.channel(1);
                let mut message = Vec::new();
                for _ in 0..1 + self.rng.below(2) {
                    message.push(if self.rng.chance(1, 3) {
                        Pattern::Match(int(5))
                    } else {
                        Pattern::Bind(self.bind(LocalKind::Received, false), NOWHERE)
                    });
                }
                let guard = self.rng.chance(1, 3).then(|| self.truth(2));
                ActionKind::Input { channel, guard, message }
            }
        };
        let program = if self.rng.chance(1, 3) { self.statements(2) } else { Vec::new() };
        let annotation = self.rng.chance(1, 4).then(|| *self.rng.pick(&Annotation::ALL));
        Action { kind, annotation, program, span: NOWHERE }
    }

    fn node(&mut self, kind: ProcessKind) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap());
        self.nodes.push(Process { id, span: NOWHERE, kind });
        id
    }

    fn process(&mut self, depth: usize) -> NodeId {
        let visible = self.visible.len();
        let choice = if depth == 0 { self.rng.below(4) } else { 4 + self.rng.below(14) };
        let kind = match choice {
            0 => ProcessKind::Stop,
            1 => ProcessKind::Skip,
            2 => ProcessKind::Assert(self.truth(1)),
            3 => {
                let arguments = vec![self.integer(1), self.truth(1)];
                ProcessKind::Reference { definition: DefinitionId(1), arguments }
            }
            4..=6 => {
                let action = self.action();
                ProcessKind::Prefix { action, then: self.process(depth - 1) }
            }
            7 => {
                let events = vec![self.event(1), self.event(1)];
                ProcessKind::Alternatives { events, then: self.process(depth - 1) }
            }
            8 => {
                let condition = self.truth(2);
                ProcessKind::Guard { condition, body: self.process(depth - 1) }
            }
            9 => {
                let kind = *self.rng.pick(&[IfKind::Plain, IfKind::Atomic, IfKind::Blocking]);
                let condition = self.truth(1);
                let then = self.process(depth - 1);
                let wanted = kind != IfKind::Blocking && self.rng.chance(1, 2);
                let otherwise = wanted.then(|| self.process(depth - 1));
                ProcessKind::If { kind, condition, then, otherwise }
            }
            10 => {
                let mut branches = Vec::new();
                for _ in 0..1 + self.rng.below(2) {
                    let condition = self.truth(2);
                    branches.push((condition, self.process(depth - 1)));
                }
                let otherwise = self.rng.chance(1, 2).then(|| self.process(depth - 1));
                ProcessKind::Case { branches, otherwise }
            }
            11 => {
                let operator = *self.rng.pick(&REPLICABLE);
                let bindings = self.bindings(1);
                ProcessKind::Replicate { operator, bindings, body: self.process(depth - 1) }
            }
            12 => match self.rng.below(3) {
                0 => ProcessKind::Copies { count: self.integer(1), body: self.process(depth - 1) },
                1 => ProcessKind::Atomic(self.process(depth - 1)),
                _ => {
                    let body = self.process(depth - 1);
                    self.visible.truncate(visible);
                    ProcessKind::Hide { body, events: self.event_sets() }
                }
            },
            13 => {
                let count = 1 + self.rng.below(2);
                let left = self.process(depth - 1);
                self.visible.truncate(visible);
                let alphabets = (0..count).map(|_| self.event_sets()).collect();
                let operands = [left, self.process(depth - 1)];
                ProcessKind::Synchronised { operands, alphabets }
            }
            _ => {
                let all = [&REPLICABLE[..], &[Operator::Interrupt, Operator::Sequence]].concat();
                let operator = *self.rng.pick(&all);
                let operands =
                    (0..2 + self.rng.below(2)).map(|_| self.process(depth - 1)).collect();
                ProcessKind::Compose { operator, operands }
            }
        };
        self.visible.truncate(visible);
        self.node(kind)
    }
}

const REPLICABLE: [Operator; 5] = [
    Operator::Interleave,
    Operator::Parallel,
    Operator::GeneralChoice,
    Operator::InternalChoice,
    Operator::ExternalChoice,
];

fn variable(text: &str, dimensions: &[u32], initial: &[Value]) -> Variable {
    let ty = if matches!(initial[0], Value::Int(_)) { Type::Int } else { Type::Bool };
    Variable {
        name: name(text),
        hidden: false,
        dimensions: dimensions.to_vec(),
        bounds: None,
        ty,
        initial: initial.to_vec(),
        collection: None,
    }
}

fn specification(rng: &mut Rng) -> Specification {
    let mut maker = Maker { rng, nodes: Vec::new(), locals: Vec::new(), visible: Vec::new() };
    // A first definition that has all events in order, so that their ids are those of the parser.
    let mut then = maker.node(ProcessKind::Skip);
    for event in (0..3).rev() {
        let event = Event { name: EventId(event), arguments: Vec::new(), span: NOWHERE };
        let kind = ActionKind::Event(event);
        let action = Action { kind, annotation: None, program: Vec::new(), span: NOWHERE };
        then = maker.node(ProcessKind::Prefix { action, then });
    }
    let first = Definition {
        name: name("All"),
        parameters: 0,
        locals: Vec::new(),
        body: then,
        alphabet: None,
        span: NOWHERE,
    };
    let bounds = Bounds { low: Some(0), high: None };
    maker.bind(LocalKind::Parameter(None), false);
    maker.bind(LocalKind::Parameter(Some(bounds)), true);
    let body = maker.process(4);
    let alphabet = maker.rng.chance(1, 2).then(|| maker.event_sets());
    let second = Definition {
        name: name("P"),
        parameters: 2,
        locals: std::mem::take(&mut maker.locals),
        body,
        alphabet,
        span: NOWHERE,
    };
    maker.visible.clear();
    // About variables only, and about no other condition.
    let body = loop {
        let body = maker.truth(2);
        if !format!("{body:?}").contains("Define") && !matches!(body.kind, ExprKind::Bool(_)) {
            break body;
        }
        maker.locals.clear();
    };
    let define = Define { name: name("cond"), inline: false, body, locals: maker.locals };
    let zero = Value::Int(0);
    Specification {
        imports: Vec::new(),
        constants: vec![Constant { name: name("N"), value: Value::Int(i32::MIN) }],
        variables: vec![
            variable("x", &[], &[Value::Int(-3)]),
            variable("a", &[3, 2], &[zero, zero, Value::Int(1), zero, zero, zero]),
            variable("b", &[], &[Value::Bool(true)]),
            Variable { hidden: true, bounds: Some(bounds), ..variable("y", &[], &[zero]) },
        ],
        channels: vec![
            Channel { name: name("c"), size: None, capacity: 0 },
            Channel { name: name("d"), size: Some(3), capacity: 2 },
        ],
        defines: vec![define],
        definitions: vec![first, second],
        events: vec!["e".to_owned(), "f".to_owned(), "wf".to_owned()],
        nodes: maker.nodes,
        assertions: Vec::new(),
        stray_remarks: Vec::new(),
    }
}

#[test]
fn random_trees_are_read_as_they_were_printed() {
    let number = |key: &str| std::env::var(key).ok().and_then(|text| text.parse().ok());
    let first: u64 = number("FAIRLY_SEED").unwrap_or(0);
    let cases: u64 = number("FAIRLY_RANDOM_CASES").unwrap_or(1000);
    for seed in first..first + cases {
        let spec = specification(&mut Rng::new(seed));
        let text = print(&spec);
        let again = parse(&text).unwrap_or_else(|wrong| {
            let wrong = fairly_source::render(&wrong[0], "", &text, fairly_source::Style::Plain);
            panic!("FAIRLY_SEED={seed}\n{text}\n{wrong}")
        });
        assert_eq!(placeless(&again), placeless(&spec), "FAIRLY_SEED={seed}\n{text}");
    }
}

#[test]
fn a_text_with_everything_is_printed_and_read_again() {
    let spec = parse(include_str!("csp_everything.csp")).expect("a good text");
    let text = print(&spec);
    let again = parse(&text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}"));
    assert_eq!(print(&again), text);
}
