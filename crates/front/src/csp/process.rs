//! Process expressions.
//!
//! Operators from the loosest to the tightest, as PAT has them: `|||`, `||`, `[]`, `<>`, `[*]`,
//! `interrupt`, `\ {…}`, `;`, then guards and prefixes. Replicated forms such as `[] x:{0..2}@P`
//! reach as far to the right as they can. Chains of guards and prefixes and of operators are read
//! in loops, so that only brackets cost depth of the call stack.

use fairly_source::{Diagnostic, Span};
use fairly_system::Annotation;

use super::codes;
use super::expression::{are, constant, count};
use super::lexer::Kind;
use super::names::Global;
use super::parser::{Parsed, Parser};
use super::syntax::{
    Action, ActionKind, Binding, ChannelUse, DefinitionId, Domain, Event, EventSet, Expr, ExprKind,
    IfKind, LocalKind, NodeId, Operator, Pattern, ProcessKind, Statement, Type, Value,
};

/// Prefix of a process.
enum Layer {
    Guard(Expr),
    Prefix(Action),
    Alternatives(Vec<Event>),
}

/// An operator whose right side is still being read.
struct Open {
    operator: Operator,
    /// Those of `|[X]|`, which takes two operands.
    alphabets: Option<Vec<Vec<EventSet>>>,
    operands: Vec<NodeId>,
    start: Span,
}

impl<'a> Parser<'a> {
    /// Any process expression.
    pub(super) fn process(&mut self) -> Parsed<NodeId> {
        // `P <|b|> Q <|c|> R` is `P <|b|> (Q <|c|> R)`.
        let mut conditional: Vec<(Expr, NodeId, Span)> = Vec::new();
        loop {
            let start = self.span();
            let operand = self.composition()?;
            if !self.sees("<|") {
                let mut node = operand;
                for (condition, then, start) in conditional.into_iter().rev() {
                    let kind = ProcessKind::If {
                        kind: IfKind::Atomic,
                        condition,
                        then,
                        otherwise: Some(node),
                    };
                    node = self.node(self.since(start), kind, &[then, node])?;
                }
                return Ok(node);
            }
            conditional.push((self.between_triangles()?, operand, start));
        }
    }

    /// `<|b|>`.
    fn between_triangles(&mut self) -> Parsed<Expr> {
        self.at += 1;
        let mut close = self.at;
        while close < self.end && self.sign_at(close) != "|>" {
            close = self.partners[close] + 1;
        }
        let close = close.min(self.end);
        let outer = std::mem::replace(&mut self.end, close);
        let condition = self.condition().and_then(|condition| {
            if self.at < self.end {
                Err(self.unexpected("an operator or `|>`"))
            } else {
                Ok(condition)
            }
        });
        self.end = outer;
        let condition = condition?;
        self.expect("|>")?;
        Ok(condition)
    }

    /// A process expression without `<|b|>` around it.
    fn composition(&mut self) -> Parsed<NodeId> {
        // Operators whose right side is still being read, the loosest first.
        let mut open: Vec<Open> = Vec::new();
        let mut start = self.span();
        let mut operand = self.layers()?;
        loop {
            if self.sees("\\") {
                (operand, start) = self
                    .close(&mut open, operand, start, |top| top.operator == Operator::Sequence)?;
                operand = self.hide(operand, start)?;
                continue;
            }
            if self.sees("|") && matches!(self.sign_at(self.at + 1), "[" | "[]") {
                let joins = |top: &Open| top.operator >= Operator::Parallel;
                (operand, start) = self.close(&mut open, operand, start, joins)?;
                let alphabets = Some(self.alphabets()?);
                let operator = Operator::Parallel;
                open.push(Open { operator, alphabets, operands: vec![operand], start });
            } else {
                let Some(operator) = self.process_operator() else { break };
                let done = |top: &Open| {
                    top.operator > operator || top.operator == operator && top.alphabets.is_some()
                };
                (operand, start) = self.close(&mut open, operand, start, done)?;
                match open.last_mut() {
                    Some(top) if top.operator == operator => top.operands.push(operand),
                    _ => open.push(Open {
                        operator,
                        alphabets: None,
                        operands: vec![operand],
                        start,
                    }),
                }
                self.at += 1;
            }
            start = self.span();
            operand = self.layers()?;
        }
        Ok(self.close(&mut open, operand, start, |_| true)?.0)
    }

    /// `|[X]|`, `|[X|Y]|`: each a set of events, in braces or not.
    fn alphabets(&mut self) -> Parsed<Vec<Vec<EventSet>>> {
        self.at += 1;
        let alphabets = if self.takes("[]") {
            vec![Vec::new()]
        } else {
            let read = self.bracketed("[", |parser| {
                let mut alphabets = vec![parser.alphabet_of_a_side()?];
                if parser.takes("|") {
                    alphabets.push(parser.alphabet_of_a_side()?);
                }
                Ok(alphabets)
            })?;
            read.unwrap_or_else(|| vec![Vec::new()])
        };
        self.expect("|")?;
        Ok(alphabets)
    }

    fn alphabet_of_a_side(&mut self) -> Parsed<Vec<EventSet>> {
        if self.sees("{") {
            return Ok(self.bracketed("{", Self::event_sets)?.unwrap_or_default());
        }
        if self.sees("|") { Ok(Vec::new()) } else { self.event_sets() }
    }

    /// Completes the operators on top of `open` for which `done`, with `operand` as their last.
    fn close(
        &mut self,
        open: &mut Vec<Open>,
        mut operand: NodeId,
        mut start: Span,
        done: impl Fn(&Open) -> bool,
    ) -> Parsed<(NodeId, Span)> {
        while open.last().is_some_and(&done) {
            let Some(Open { operator, alphabets, mut operands, start: first }) = open.pop() else {
                break;
            };
            start = first;
            let kind = match alphabets {
                Some(alphabets) => {
                    let operands = [operands[0], operand];
                    ProcessKind::Synchronised { operands, alphabets }
                }
                None => {
                    operands.push(operand);
                    ProcessKind::Compose { operator, operands }
                }
            };
            let children = match &kind {
                ProcessKind::Synchronised { operands, .. } => operands.to_vec(),
                ProcessKind::Compose { operands, .. } => operands.clone(),
                _ => Vec::new(),
            };
            operand = self.node(self.since(start), kind, &children)?;
        }
        Ok((operand, start))
    }

    /// The operator that stands here, unless it is the semicolon at the end.
    fn process_operator(&self) -> Option<Operator> {
        match self.sign_at(self.at) {
            ";" => (self.at + 1 < self.end).then_some(Operator::Sequence),
            "" => self.sees_word("interrupt").then_some(Operator::Interrupt),
            sign => replicable(sign),
        }
    }

    fn hide(&mut self, body: NodeId, start: Span) -> Parsed<NodeId> {
        self.at += 1;
        let events = self.bracketed("{", Self::event_sets)?.unwrap_or_default();
        let span = self.since(start);
        self.node(span, ProcessKind::Hide { body, events }, &[body])
    }

    /// `a, b.0, x:{0..2}@c.x`, up to the end of the brackets.
    pub(super) fn event_sets(&mut self) -> Parsed<Vec<EventSet>> {
        let mut sets = Vec::new();
        while self.at < self.end {
            let visible = self.visible();
            let mut bindings: Vec<Binding> = Vec::new();
            if self.sign_at(self.at + 1) == ":" {
                bindings = self.bindings()?;
                self.expect("@")?;
            }
            let event = self.event()?;
            self.leave(visible);
            sets.push(EventSet { bindings, event });
            if !self.takes(",") {
                break;
            }
        }
        Ok(sets)
    }

    /// Guards and prefixes, and the process they stand before.
    fn layers(&mut self) -> Parsed<NodeId> {
        let visible = self.visible();
        let mut layers: Vec<(Layer, Span)> = Vec::new();
        loop {
            let start = self.span();
            let layer = if self.sees("[") {
                let condition = self.bracketed("[", Self::condition)?;
                Layer::Guard(condition.unwrap_or(Expr {
                    kind: ExprKind::Bool(true),
                    ty: Type::Bool,
                    span: start,
                }))
            } else if self.sees("(") && self.sign_at(self.partners[self.at] + 1) == "->" {
                let mut events = self.bracketed("(", Self::alternatives)?.unwrap_or_default();
                self.at += 1;
                if events.len() == 1 {
                    let event = events.remove(0);
                    let span = event.span;
                    let kind = ActionKind::Event(event);
                    Layer::Prefix(Action { kind, annotation: None, program: Vec::new(), span })
                } else {
                    Layer::Alternatives(events)
                }
            } else if let Some(action) = self.action()? {
                self.arrow()?;
                Layer::Prefix(action)
            } else {
                break;
            };
            layers.push((layer, start));
        }
        let mut below = self.primary()?;
        self.leave(visible);
        for (layer, start) in layers.into_iter().rev() {
            let kind = match layer {
                Layer::Guard(condition) => ProcessKind::Guard { condition, body: below },
                Layer::Prefix(action) => ProcessKind::Prefix { action, then: below },
                Layer::Alternatives(events) => ProcessKind::Alternatives { events, then: below },
            };
            let span = self.since(start);
            below = self.node(span, kind, &[below])?;
        }
        Ok(below)
    }

    fn arrow(&mut self) -> Parsed<()> {
        if self.takes("->") {
            return Ok(());
        }
        Err(self.unexpected_with("`->`", Some("after an event comes `->` and what happens next; to end there, write `-> Skip` or `-> Stop`")))
    }

    fn alternatives(&mut self) -> Parsed<Vec<Event>> {
        let mut events = Vec::new();
        loop {
            let event = self.event()?;
            self.occurs(&event);
            events.push(event);
            if !self.takes(",") {
                return Ok(events);
            }
        }
    }

    /// Parses the action before an arrow, if there is one.
    fn action(&mut self) -> Parsed<Option<Action>> {
        let start = self.span();
        let word = self.word_at(self.at);
        let next = self.sign_at(self.at + 1);
        let mut annotation = None;
        let (kind, mut program) = match self.kind() {
            Some(Kind::Sign("{")) => (ActionKind::Tau, Vec::new()),
            Some(Kind::Keyword) if word == "tau" => {
                self.at += 1;
                (ActionKind::Tau, Vec::new())
            }
            Some(Kind::Name) if next == "(" => {
                let after = self.sign_at(self.partners[self.at + 1] + 1);
                let Some(named) = Annotation::named(word).filter(|_| matches!(after, "->" | "{"))
                else {
                    return Ok(None);
                };
                self.at += 1;
                annotation = Some(named);
                match self.bracketed_open("(", Self::happening)? {
                    Some(happening) => happening,
                    None => (ActionKind::Tau, Vec::new()),
                }
            }
            Some(Kind::Name) if self.is_happening(word, next) => self.happening()?,
            _ => return Ok(None),
        };
        if program.is_empty() && self.sees("{") {
            program = self.program()?;
        }
        Ok(Some(Action { kind, annotation, program, span: self.since(start) }))
    }

    /// As [`Parser::bracketed`], but what is bound inside stays visible.
    fn bracketed_open<T>(
        &mut self,
        open: &str,
        inner: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<Option<T>> {
        let close = self.partners[self.at];
        self.expect(open)?;
        let outer = std::mem::replace(&mut self.end, close);
        let read = inner(self).and_then(|value| {
            if self.at < self.end { Err(self.unexpected("`)`")) } else { Ok(value) }
        });
        self.end = outer;
        self.at = close + 1;
        Ok(read.ok())
    }

    /// Whether the word here is an event or channel, by the sign after it.
    fn is_happening(&self, word: &str, next: &str) -> bool {
        match next {
            "." | "{" | "->" | ":=" => true,
            // In a `case` the next condition may start with `!`, right after a process.
            "!" | "?" => {
                matches!(self.global(word), Some(Global::Channel(_) | Global::Broken))
                    || self.names.definition(word).is_none()
            }
            "[" => matches!(self.sign_after_indices(), "!" | "?" | ":="),
            _ => false,
        }
    }

    /// The sign behind the name here and its indices.
    fn sign_after_indices(&self) -> &'static str {
        let mut after = self.at + 1;
        while self.sign_at(after) == "[" {
            after = self.partners[after] + 1;
        }
        self.sign_at(after)
    }

    /// An event, assignment, output or input, and the program that it brings.
    fn happening(&mut self) -> Parsed<(ActionKind, Vec<Statement>)> {
        if self.takes_word("tau") {
            return Ok((ActionKind::Tau, Vec::new()));
        }
        if self.sees("{") {
            return Ok((ActionKind::Tau, self.program()?));
        }
        if !matches!(self.kind(), Some(Kind::Name)) {
            return Err(self.unexpected("an event"));
        }
        let kind = match self.sign_after_indices() {
            ":=" => return self.assignment_event(),
            after @ ("!" | "?") => {
                let channel = self.channel_use()?;
                self.at += 1;
                if after == "!" { self.output(channel)? } else { self.input(channel)? }
            }
            _ => {
                let event = self.event()?;
                self.occurs(&event);
                ActionKind::Event(event)
            }
        };
        Ok((kind, Vec::new()))
    }

    fn output(&mut self, channel: Option<ChannelUse>) -> Parsed<ActionKind> {
        let mut message = vec![self.value_or_array()?];
        while self.takes(".") {
            message.push(self.value_or_array()?);
        }
        Ok(channel.map_or(ActionKind::Tau, |channel| ActionKind::Output { channel, message }))
    }

    fn input(&mut self, channel: Option<ChannelUse>) -> Parsed<ActionKind> {
        // The guard stands before what it is about; it is read after that.
        let guard = self.at;
        if self.sees("[") {
            self.at = self.partners[guard] + 1;
        }
        let mut message = vec![self.pattern()?];
        while self.takes(".") {
            message.push(self.pattern()?);
        }
        let after = self.at;
        let mut condition = None;
        if self.sign_at(guard) == "[" {
            self.at = guard;
            condition = self.bracketed("[", Self::condition)?;
            self.at = after;
        }
        Ok(channel.map_or(ActionKind::Tau, |channel| ActionKind::Input {
            channel,
            guard: condition,
            message,
        }))
    }

    /// A part of a message that is received: a new name, or a value that it must have. A name that
    /// is bound already is a value, because PAT puts values for bound names before it goes on.
    fn pattern(&mut self) -> Parsed<Pattern> {
        let span = self.span();
        let alone = match self.kind_at(self.at + 1) {
            Some(Kind::Sign(sign)) => matches!(sign, "." | "->" | "{" | ")"),
            Some(_) => false,
            None => true,
        };
        let name = self.slice(span);
        let fresh = self.local(name).is_none()
            && matches!(self.global(name), None | Some(Global::Broken | Global::Channel(_)));
        if matches!(self.kind(), Some(Kind::Name)) && alone && fresh {
            let name = self.name("a received value")?;
            let local = self.bind(name, LocalKind::Received, Type::Unknown);
            return Ok(Pattern::Bind(local, span));
        }
        let value = self.expression()?;
        if let Some(global) = global_in(&value) {
            let name = self.slice(global);
            self.note(
                Diagnostic::error(
                    codes::PATTERN,
                    "a received value is compared with a global variable",
                    global,
                )
                .label("changes with the state")
                .help(format!("receive a new name, and compare in a guard: `c?[x == {name}]x`")),
            );
        }
        Ok(Pattern::Match(value))
    }

    /// `get.i.(i+1)%N`: each part is a sum.
    pub(super) fn event(&mut self) -> Parsed<Event> {
        let name = self.name("an event")?;
        let word = self.slice(name.span);
        let mut arguments = Vec::new();
        while self.takes(".") {
            arguments.push(self.sum()?);
        }
        let span = self.since(name.span);
        Ok(Event { name: self.event_id(word), arguments, span })
    }

    /// Remembers that an event may happen, for the formulas. The first word may be that of a channel:
    /// `c.1` is also the event of a rendezvous, for specifications that speak of it.
    fn occurs(&mut self, event: &Event) {
        let parts = self.occurring.entry(event.name).or_default();
        if !parts.contains(&event.arguments.len()) {
            parts.push(event.arguments.len());
        }
    }

    fn primary(&mut self) -> Parsed<NodeId> {
        let start = self.span();
        match self.kind() {
            Some(Kind::Sign("(")) => self.in_brackets("("),
            Some(Kind::Sign(sign)) if replicable(sign).is_some() => self.replicated(start),
            Some(Kind::Name) => self.reference(start),
            Some(Kind::Keyword) => match self.word_at(self.at) {
                "Stop" => self.leaf(ProcessKind::Stop),
                "Skip" => self.leaf(ProcessKind::Skip),
                "if" | "ifa" | "ifb" => self.conditional(start),
                "case" => self.case(start),
                "atomic" => {
                    self.at += 1;
                    let body = self.in_brackets("{")?;
                    let span = self.since(start);
                    self.node(span, ProcessKind::Atomic(body), &[body])
                }
                "assert" => {
                    self.at += 1;
                    let condition = self.bracketed("(", Self::condition)?;
                    let span = self.since(start);
                    match condition {
                        Some(condition) => self.node(span, ProcessKind::Assert(condition), &[]),
                        None => self.stand_in(span),
                    }
                }
                _ => Err(self.unexpected("a process")),
            },
            _ => Err(self.unexpected("a process")),
        }
    }

    /// `Stop` or `Skip`, perhaps with `()`.
    fn leaf(&mut self, kind: ProcessKind) -> Parsed<NodeId> {
        let start = self.span();
        self.at += 1;
        if self.sees("(") && self.sign_at(self.at + 1) == ")" {
            self.at += 2;
        }
        let span = self.since(start);
        self.node(span, kind, &[])
    }

    /// A process in brackets; if it is wrong, a stand-in for it.
    fn in_brackets(&mut self, open: &str) -> Parsed<NodeId> {
        let start = self.span();
        match self.bracketed(open, Self::process)? {
            Some(node) => Ok(node),
            None => self.stand_in(self.since(start)),
        }
    }

    /// `P`, `P(1, x)`.
    fn reference(&mut self, start: Span) -> Parsed<NodeId> {
        self.at += 1;
        // In a `case`, parentheses before a colon are the next condition.
        let next = self.sees("(") && self.sign_at(self.partners[self.at] + 1) == ":";
        let arguments = if self.sees("(") && !next {
            self.bracketed("(", Self::arguments)?
        } else {
            Some(Vec::new())
        };
        let span = self.since(start);
        if self.sees("->") {
            return Err(self.process_before_arrow(start, span));
        }
        let definition = self.definition(start);
        let (Some(definition), Some(arguments)) = (definition, arguments) else {
            return self.stand_in(span);
        };
        self.arity(definition, arguments.len(), span);
        self.node(span, ProcessKind::Reference { definition, arguments }, &[])
    }

    fn process_before_arrow(&mut self, start: Span, span: Span) -> super::parser::ParseError {
        let name = self.slice(start);
        let inside = self.slice(span)[name.len()..].trim_matches(['(', ')', ' ']);
        let event = if inside.is_empty() {
            name.to_owned()
        } else {
            format!("{name}.{}", inside.replace(", ", ".").replace(',', "."))
        };
        self.stop(
            Diagnostic::error(codes::ARROW, "a process stands before an arrow", span)
                .label("only an event can stand here")
                .help(format!(
                    "write `{event} -> …` for an event, `{name}(…); …` for a process that ends"
                )),
        )
    }

    /// Arguments up to the end of the parentheses.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut arguments = Vec::new();
        while self.at < self.end {
            arguments.push(self.value_or_array()?);
            if !self.takes(",") {
                break;
            }
        }
        Ok(arguments)
    }

    /// Notes a wrong number of arguments.
    pub(super) fn arity(&mut self, definition: DefinitionId, given: usize, span: Span) {
        let Some(wanted) = self.arities[definition.index()].filter(|&wanted| wanted != given)
        else {
            return;
        };
        let name = &self.spec.definitions[definition.index()].name.text;
        let message = format!(
            "`{name}` has {} and {} given",
            count(wanted, "parameter"),
            are(given, "argument", "arguments")
        );
        self.note(
            Diagnostic::error(codes::ARGUMENTS, message, span)
                .label(format!("expected {}", count(wanted, "argument")))
                .help("give one argument for each parameter"),
        );
    }

    /// `[] x:{0..2}@P`, `|||{3}@P`.
    fn replicated(&mut self, start: Span) -> Parsed<NodeId> {
        let operator = replicable(self.sign_at(self.at)).unwrap_or(Operator::Interleave);
        self.at += 1;
        let visible = self.visible();
        if operator == Operator::Interleave && self.sees("{") {
            return self.copies(start);
        }
        if !matches!(self.kind(), Some(Kind::Name)) || self.sign_at(self.at + 1) != ":" {
            return Err(self.unexpected_with(
                "an index such as `x:{0..2}@`",
                Some("an operator stands between two processes, or before an index"),
            ));
        }
        let bindings = self.bindings()?;
        self.expect("@")?;
        let body = self.nested(Self::process)?;
        self.leave(visible);
        let span = self.since(start);
        if bindings.is_empty() {
            return Ok(body);
        }
        self.node(span, ProcessKind::Replicate { operator, bindings, body }, &[body])
    }

    fn copies(&mut self, start: Span) -> Parsed<NodeId> {
        if self.sign_at(self.at + 1) == ".." {
            let span = self.since(start);
            return Err(self.refuse(
                codes::UNBOUNDED,
                "a system of any number of processes",
                span,
                "say how many: `|||{3}@…`; one more than can be busy at a time shows the same events",
            ));
        }
        let count = self.bracketed("{", Self::sum)?;
        self.expect("@")?;
        let body = self.nested(Self::process)?;
        let span = self.since(start);
        let Some(count) = count else { return Ok(body) };
        self.want(&count, Type::Int);
        if let Some(Value::Int(value)) = constant(&count)
            && value < 1
        {
            self.note(
                Diagnostic::error(codes::EMPTY, format!("{value} copies of a process"), count.span)
                    .label("at least 1 is needed")
                    .help("look at the constants it is computed from"),
            );
        }
        self.node(span, ProcessKind::Copies { count, body }, &[body])
    }

    /// `if (b) {P} else if (c) {Q} else {R}`.
    fn conditional(&mut self, start: Span) -> Parsed<NodeId> {
        let mut tests = Vec::new();
        let mut otherwise = None;
        let mut begin = start;
        loop {
            let kind = match self.word_at(self.at) {
                "if" => IfKind::Plain,
                "ifa" => IfKind::Atomic,
                _ => IfKind::Blocking,
            };
            self.at += 1;
            let condition = self.bracketed("(", Self::condition)?;
            let then = self.in_brackets("{")?;
            let stand_in = Expr { kind: ExprKind::Bool(true), ty: Type::Bool, span: begin };
            tests.push((kind, condition.unwrap_or(stand_in), then, begin));
            if kind == IfKind::Blocking || !self.takes_word("else") {
                break;
            }
            begin = self.span();
            if !matches!(self.word_at(self.at), "if" | "ifa" | "ifb") {
                otherwise = Some(self.in_brackets("{")?);
                break;
            }
        }
        // The innermost was read last.
        let mut node = otherwise;
        for (kind, condition, then, begin) in tests.into_iter().rev() {
            let children: Vec<NodeId> = node.into_iter().chain([then]).collect();
            let kind = ProcessKind::If { kind, condition, then, otherwise: node };
            let span = self.since(begin);
            node = Some(self.node(span, kind, &children)?);
        }
        node.map_or_else(|| self.stand_in(start), Ok)
    }

    fn case(&mut self, start: Span) -> Parsed<NodeId> {
        self.at += 1;
        let read = self.bracketed("{", |parser| {
            let mut branches = Vec::new();
            loop {
                let condition = parser.condition()?;
                parser.expect(":")?;
                branches.push((condition, parser.process()?));
                if parser.takes_word("default") {
                    parser.expect(":")?;
                    return Ok((branches, Some(parser.process()?)));
                }
                if parser.at == parser.end {
                    return Ok((branches, None));
                }
            }
        })?;
        let span = self.since(start);
        let Some((branches, otherwise)) = read else { return self.stand_in(span) };
        let children: Vec<NodeId> =
            branches.iter().map(|&(_, node)| node).chain(otherwise).collect();
        self.node(span, ProcessKind::Case { branches, otherwise }, &children)
    }
}

/// The operator that can be replicated, written so.
fn replicable(sign: &str) -> Option<Operator> {
    Some(match sign {
        "|||" => Operator::Interleave,
        "||" => Operator::Parallel,
        "[]" => Operator::GeneralChoice,
        "<>" => Operator::InternalChoice,
        "[*]" => Operator::ExternalChoice,
        _ => return None,
    })
}

/// Where the expression depends on a global variable, if it does.
fn global_in(expr: &Expr) -> Option<Span> {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Local(_) => None,
        ExprKind::ElementOf(_, index) => global_in(index),
        ExprKind::Variable(_)
        | ExprKind::Element(..)
        | ExprKind::Define(_)
        | ExprKind::Query(..)
        | ExprKind::Method(_)
        | ExprKind::SameContents(..) => Some(expr.span),
        ExprKind::Math(_, operands) | ExprKind::List(operands) => {
            operands.iter().find_map(global_in)
        }
        ExprKind::Unary(_, a) => global_in(a),
        ExprKind::Binary(_, a, b) => global_in(a).or_else(|| global_in(b)),
        ExprKind::Quantified(_, bindings, body) => {
            let domains = bindings.iter().flat_map(|binding| match &binding.domain {
                Domain::Range(low, high) => vec![low, high],
                Domain::List(values) => values.iter().collect(),
            });
            domains.chain([body.as_ref()]).find_map(global_in)
        }
    }
}
