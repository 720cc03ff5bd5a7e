//! The tree as text that reads back as the same tree, but for places.
//!
//! Constants come first, each as a `#define`, then channels, variables, conditions, processes with
//! their alphabets, and assertions. Parentheses stand only where they are needed.

use std::fmt::Write;

use super::expression::{Level, QUERIES, level, sign};
use super::library::{Class, Collection, MathFunction, MethodCall, ObjectValue};
use super::syntax::{
    Action, ActionKind, Assertion, BinaryOperator, Binding, Bounds, ChannelUse, Claim, Definition,
    Domain, Event, EventSet, Expr, ExprKind, Extreme, IfKind, Local, LocalId, LocalKind, NodeId,
    Operator, Pattern, Place, PlaceKind, ProcessKind, Refinement, Specification, Statement,
    StatementKind, Subject, UnaryOperator, Value, Variable, VariableId,
};

/// Writes a specification.
///
/// ```
/// use fairly_front::csp::{parse, print};
/// let text = "P(i) = [i > 0] a.i -> (P(i - 1) [] Skip);\n";
/// assert_eq!(print(&parse(text).unwrap()), text);
/// ```
pub fn print(spec: &Specification) -> String {
    let mut printer = Printer { spec, out: String::new(), locals: &[] };
    for library in &spec.imports {
        printer.put(&format!("#import \"{}\";\n", library.name()));
    }
    for constant in &spec.constants {
        printer.put(&format!("#define {} {};\n", constant.name.text, value(constant.value)));
    }
    for channel in &spec.channels {
        let size = channel.size.map_or(String::new(), |size| format!("[{size}]"));
        printer.put(&format!("channel {}{size} {};\n", channel.name.text, channel.capacity));
    }
    // The field of a collection is declared with it.
    for variable in spec.variables.iter().filter(|it| !it.name.text.contains('$')) {
        printer.variable(variable);
    }
    for define in spec.defines.iter().filter(|define| !define.inline) {
        printer.locals = &define.locals;
        printer.put(&format!("#define {} ", define.name.text));
        printer.expr(&define.body, Level::Or);
        printer.put(";\n");
    }
    for definition in &spec.definitions {
        printer.definition(definition);
    }
    printer.locals = &[];
    for assertion in &spec.assertions {
        printer.assertion(assertion);
    }
    printer.out
}

/// `x := e` without spaces: what its event is called.
pub(super) fn assignment_text(
    spec: &Specification,
    locals: &[Local],
    target: &Place,
    value: &Expr,
) -> String {
    let mut printer = Printer { spec, out: String::new(), locals };
    printer.place(target);
    printer.put(":=");
    printer.expr(value, Level::Or);
    printer.out.retain(|c| c != ' ');
    printer.out
}

/// A condition over global variables.
pub(super) fn condition_text(spec: &Specification, locals: &[Local], condition: &Expr) -> String {
    let mut printer = Printer { spec, out: String::new(), locals };
    printer.expr(condition, Level::Or);
    printer.out
}

fn value(value: Value) -> String {
    match value {
        // There is no way to write it otherwise: the number without its sign is too large.
        Value::Int(i32::MIN) => "(-2147483647 - 1)".to_owned(),
        Value::Int(value) => value.to_string(),
        Value::Bool(value) => value.to_string(),
    }
}

fn bounds(bounds: Bounds) -> String {
    let end = |end: Option<i32>| end.map_or(String::new(), |end| value(Value::Int(end)));
    format!(":{{{}..{}}}", end(bounds.low), end(bounds.high))
}

fn operator_sign(operator: Operator) -> &'static str {
    match operator {
        Operator::Interleave => "|||",
        Operator::Parallel => "||",
        Operator::GeneralChoice => "[]",
        Operator::InternalChoice => "<>",
        Operator::ExternalChoice => "[*]",
        Operator::Interrupt => "interrupt",
        Operator::Sequence => ";",
    }
}

/// Where a process stands, for parentheses: how tight it must be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tight {
    Anything,
    /// Operand of the operator.
    Above(Operator),
    /// Before `\`: a sequence or tighter.
    Hidden,
    /// After a guard or arrow.
    Prefix,
}

struct Printer<'s> {
    spec: &'s Specification,
    out: String,
    locals: &'s [Local],
}

impl<'s> Printer<'s> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn list<T>(&mut self, items: &[T], between: &str, mut each: impl FnMut(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.put(between);
            }
            each(self, item);
        }
    }

    fn local(&mut self, id: LocalId) {
        let locals = self.locals;
        self.put(&locals[id.index()].name.text);
    }

    fn variable(&mut self, variable: &Variable) {
        self.put(if variable.hidden { "hvar" } else { "var" });
        if let Some(collection) = variable.collection {
            return self.collection(variable, collection);
        }
        self.put(" ");
        self.put(&variable.name.text);
        for size in &variable.dimensions {
            let _ = write!(self.out, "[{size}]");
        }
        self.put(&variable.bounds.map_or(String::new(), bounds));
        self.put(" = ");
        if variable.dimensions.is_empty() {
            self.list(&variable.initial, "", |printer, &initial| printer.put(&value(initial)));
        } else {
            self.put("[");
            // Runs of one value are written with their number, so that large arrays stay short.
            let mut rest = &variable.initial[..];
            while let Some(&first) = rest.first() {
                let run = rest.iter().take_while(|&&other| other == first).count();
                self.put(&value(first));
                if run > 1 {
                    let _ = write!(self.out, "({run})");
                }
                rest = &rest[run..];
                self.put(if rest.is_empty() { "" } else { ", " });
            }
            self.put("]");
        }
        self.put(";\n");
    }

    fn definition(&mut self, definition: &'s Definition) {
        self.locals = &definition.locals;
        self.put(&definition.name.text);
        self.put("(");
        let parameters = &definition.locals[..definition.parameters];
        self.list(parameters, ", ", |printer, local| {
            printer.put(&local.name.text);
            if let LocalKind::Parameter(Some(range)) = local.kind {
                printer.put(&bounds(range));
            }
        });
        self.put(") = ");
        self.process(definition.body, Tight::Anything);
        self.put(";\n");
        if let Some(alphabet) = &definition.alphabet {
            self.put(&format!("#alphabet {} ", definition.name.text));
            self.event_sets(alphabet);
            self.put(";\n");
        }
    }

    fn process(&mut self, id: NodeId, tight: Tight) {
        let spec = self.spec;
        let kind = &spec.node(id).kind;
        let loose = match kind {
            ProcessKind::Compose { operator: Operator::Sequence, .. } => {
                tight > Tight::Hidden || tight == Tight::Above(Operator::Sequence)
            }
            ProcessKind::Compose { operator, .. } => match tight {
                Tight::Anything => false,
                Tight::Above(above) => *operator <= above,
                Tight::Hidden | Tight::Prefix => true,
            },
            ProcessKind::Synchronised { .. } => match tight {
                Tight::Anything => false,
                Tight::Above(above) => Operator::Parallel <= above,
                Tight::Hidden | Tight::Prefix => true,
            },
            ProcessKind::Hide { .. } => {
                tight >= Tight::Hidden || tight == Tight::Above(Operator::Sequence)
            }
            // These reach as far to the right as they can.
            ProcessKind::Replicate { .. } | ProcessKind::Copies { .. } => tight != Tight::Anything,
            ProcessKind::Guard { .. }
            | ProcessKind::Prefix { .. }
            | ProcessKind::Alternatives { .. } => false,
            _ => false,
        };
        if loose {
            self.put("(");
            self.kind(kind);
            self.put(")");
        } else {
            self.kind(kind);
        }
    }

    fn kind(&mut self, kind: &'s ProcessKind) {
        match kind {
            ProcessKind::Stop => self.put("Stop"),
            ProcessKind::Skip => self.put("Skip"),
            ProcessKind::Reference { definition, arguments } => {
                let name = &self.spec.definitions[definition.index()].name.text;
                self.put(name);
                self.put("(");
                self.list(arguments, ", ", |printer, argument| printer.expr(argument, Level::Or));
                self.put(")");
            }
            ProcessKind::Prefix { action, then } => {
                self.action(action);
                self.put(" -> ");
                self.process(*then, Tight::Prefix);
            }
            ProcessKind::Alternatives { events, then } => {
                self.put("(");
                self.list(events, ", ", Self::event);
                self.put(") -> ");
                self.process(*then, Tight::Prefix);
            }
            ProcessKind::Assert(condition) => {
                self.put("assert(");
                self.expr(condition, Level::Or);
                self.put(")");
            }
            ProcessKind::Guard { condition, body } => {
                self.put("[");
                self.expr(condition, Level::Or);
                self.put("] ");
                self.process(*body, Tight::Prefix);
            }
            ProcessKind::If { kind, condition, then, otherwise } => {
                self.put(match kind {
                    IfKind::Plain => "if (",
                    IfKind::Atomic => "ifa (",
                    IfKind::Blocking => "ifb (",
                });
                self.expr(condition, Level::Or);
                self.put(") ");
                self.braced(*then);
                if let Some(otherwise) = otherwise {
                    self.put(" else ");
                    self.braced(*otherwise);
                }
            }
            ProcessKind::Case { branches, otherwise } => {
                self.put("case { ");
                for (condition, body) in branches {
                    // In parentheses, or a name at its end and the next condition could be a call.
                    self.expr(condition, Level::Or);
                    self.put(": (");
                    self.process(*body, Tight::Anything);
                    self.put(") ");
                }
                if let Some(otherwise) = otherwise {
                    self.put("default: (");
                    self.process(*otherwise, Tight::Anything);
                    self.put(") ");
                }
                self.put("}");
            }
            ProcessKind::Compose { operator, operands } => {
                let between = match operator {
                    Operator::Sequence => "; ".to_owned(),
                    operator => format!(" {} ", operator_sign(*operator)),
                };
                self.list(operands, &between, |printer, &operand| {
                    printer.process(operand, Tight::Above(*operator));
                });
            }
            ProcessKind::Synchronised { operands, alphabets } => {
                self.process(operands[0], Tight::Above(Operator::Parallel));
                self.put(" |[");
                self.list(alphabets, " | ", |printer, sets| printer.event_sets(sets));
                self.put("]| ");
                self.process(operands[1], Tight::Above(Operator::Parallel));
            }
            ProcessKind::Replicate { operator, bindings, body } => {
                self.put(operator_sign(*operator));
                self.put(" ");
                self.bindings(bindings);
                self.put("@");
                self.process(*body, Tight::Anything);
            }
            ProcessKind::Copies { count, body } => {
                self.put("|||{");
                self.expr(count, Level::Sum);
                self.put("}@");
                self.process(*body, Tight::Anything);
            }
            ProcessKind::Hide { body, events } => {
                self.process(*body, Tight::Hidden);
                self.put(" \\ ");
                self.event_sets(events);
            }
            ProcessKind::Atomic(body) => {
                self.put("atomic ");
                self.braced(*body);
            }
        }
    }

    fn braced(&mut self, body: NodeId) {
        self.put("{ ");
        self.process(body, Tight::Anything);
        self.put(" }");
    }

    fn action(&mut self, action: &Action) {
        if let Some(annotation) = action.annotation {
            let _ = write!(self.out, "{annotation}(");
        }
        if let Some((target, value)) = self.spec.assignment(action) {
            self.place(target);
            self.put(" := ");
            self.expr(value, Level::Or);
            return self.put(if action.annotation.is_some() { ")" } else { "" });
        }
        match &action.kind {
            ActionKind::Event(event) => self.event(event),
            ActionKind::Tau => self.put("tau"),
            ActionKind::Output { channel, message } => {
                self.channel(channel);
                self.put("!");
                self.list(message, ".", |printer, part| printer.part(part, Level::Or));
            }
            ActionKind::Input { channel, guard, message } => {
                self.channel(channel);
                self.put("?");
                if let Some(guard) = guard {
                    self.put("[");
                    self.expr(guard, Level::Or);
                    self.put("]");
                }
                self.list(message, ".", |printer, part| match part {
                    Pattern::Bind(local, _) => printer.local(*local),
                    Pattern::Match(value) => printer.part(value, Level::Or),
                });
            }
        }
        if action.annotation.is_some() {
            self.put(")");
        }
        if !action.program.is_empty() {
            self.block(&action.program);
        }
    }

    fn channel(&mut self, channel: &ChannelUse) {
        let spec = self.spec;
        self.put(&spec.channels[channel.channel.index()].name.text);
        if let Some(index) = &channel.index {
            self.put("[");
            self.expr(index, Level::Or);
            self.put("]");
        }
    }

    fn event(&mut self, event: &Event) {
        let spec = self.spec;
        self.put(&spec.events[event.name.index()]);
        for argument in &event.arguments {
            self.put(".");
            self.part(argument, Level::Sum);
        }
    }

    /// A part of an event or message. `x.cfull(c)` would be a method, `x.(cfull(c))` is none.
    fn part(&mut self, part: &Expr, least: Level) {
        let mut first = part;
        while let ExprKind::Binary(_, left, _) = &first.kind {
            first = left;
        }
        if matches!(first.kind, ExprKind::Query(..) | ExprKind::Method(..)) {
            self.put("(");
            self.expr(part, Level::Or);
            self.put(")");
        } else {
            self.expr(part, least);
        }
    }

    fn event_sets(&mut self, sets: &[EventSet]) {
        self.put("{");
        self.list(sets, ", ", |printer, set| {
            if !set.bindings.is_empty() {
                printer.bindings(&set.bindings);
                printer.put("@");
            }
            printer.event(&set.event);
        });
        self.put("}");
    }

    fn bindings(&mut self, bindings: &[Binding]) {
        self.list(bindings, "; ", |printer, binding| {
            printer.local(binding.local);
            printer.put(":{");
            match &binding.domain {
                Domain::Range(low, high) => {
                    printer.expr(low, Level::Sum);
                    printer.put("..");
                    printer.expr(high, Level::Sum);
                }
                Domain::List(values) => {
                    printer.list(values, ", ", |printer, value| printer.expr(value, Level::Sum));
                }
            }
            printer.put("}");
        });
    }

    fn block(&mut self, statements: &[Statement]) {
        self.put("{");
        self.list(statements, " ", Self::statement);
        self.put("}");
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Assign { target, value } => {
                self.place(target);
                self.put(" = ");
                self.expr(value, Level::Or);
                self.put(";");
            }
            StatementKind::Declare { local, value } => {
                self.put("var ");
                self.local(*local);
                self.put(" = ");
                self.expr(value, Level::Or);
                self.put(";");
            }
            StatementKind::If { condition, then, otherwise } => {
                self.put("if (");
                self.expr(condition, Level::Or);
                self.put(") ");
                self.block(then);
                if !otherwise.is_empty() {
                    self.put(" else ");
                    self.block(otherwise);
                }
            }
            StatementKind::While { condition, body } => {
                self.put("while (");
                self.expr(condition, Level::Or);
                self.put(") ");
                self.block(body);
            }
            StatementKind::Peek { target, channel } => {
                self.out.push_str(&self.spec.variables[target.index()].name.text);
                self.out.push_str(" = call(cpeek, ");
                self.channel(channel);
                self.out.push_str(");");
            }
            StatementKind::Block(statements) => self.block(statements),
            StatementKind::Method(call) => {
                self.method(call);
                self.put(";");
            }
            StatementKind::Replace { target, value } => {
                self.global(*target);
                self.put(" = ");
                self.object(value);
                self.put(";");
            }
        }
    }

    fn global(&mut self, id: VariableId) {
        let spec = self.spec;
        self.put(&spec.variables[id.index()].name.text);
    }

    /// A declaration, after `var`.
    fn collection(&mut self, variable: &Variable, collection: Collection) {
        let class = collection.class.name();
        let _ = write!(self.out, "<{class}> {} = new {class}(", variable.name.text);
        let in_brackets = !variable.initial.is_empty() && collection.class != Class::Dbm;
        self.put(if in_brackets { "[" } else { "" });
        self.list(&variable.initial, ", ", |printer, &initial| printer.put(&value(initial)));
        self.put(if in_brackets { "]);" } else { ");" });
        if let Some(capacity) = collection.capacity {
            let _ = write!(self.out, " // capacity: {capacity}");
        }
        self.put("\n");
    }

    fn method(&mut self, call: &MethodCall) {
        self.global(call.object);
        let _ = write!(self.out, ".{}(", call.signature.name);
        self.list(&call.arguments, ", ", |printer, argument| printer.expr(argument, Level::Or));
        if let Some(other) = call.other {
            self.global(other);
        }
        self.put(")");
    }

    fn object(&mut self, value: &ObjectValue) {
        match value {
            ObjectValue::New(class, elements) => {
                let _ = write!(self.out, "new {}(", class.name());
                let in_brackets = !elements.is_empty() && *class != Class::Dbm;
                self.elements(elements, in_brackets);
                self.put(")");
            }
            ObjectValue::Kept(call) => {
                self.global(call.object);
                let _ = write!(self.out, ".{}(", call.signature.name);
                if let Some(set) = call.other {
                    self.global(set);
                    self.put(".GetSubsetByIndex(");
                }
                self.elements(&call.arguments, call.other.is_none());
                self.put(if call.other.is_some() { "))" } else { ")" });
            }
            ObjectValue::Copy(id) => self.global(*id),
            ObjectValue::Combined(signature, one, other) => {
                self.global(*one);
                let _ = write!(self.out, ".{}(", signature.name);
                self.global(*one);
                self.put(", ");
                self.global(*other);
                self.put(")");
            }
        }
    }

    fn elements(&mut self, elements: &[Expr], in_brackets: bool) {
        self.put(if in_brackets { "[" } else { "" });
        self.list(elements, ", ", |printer, element| printer.expr(element, Level::Or));
        self.put(if in_brackets { "]" } else { "" });
    }

    fn place(&mut self, place: &Place) {
        let spec = self.spec;
        match &place.kind {
            PlaceKind::Variable(id) => self.put(&spec.variables[id.index()].name.text),
            PlaceKind::Element(id, indices) => {
                self.put(&spec.variables[id.index()].name.text);
                self.indices(indices);
            }
            PlaceKind::Local(id) => self.local(*id),
        }
    }

    fn indices(&mut self, indices: &[Expr]) {
        for index in indices {
            self.put("[");
            self.expr(index, Level::Or);
            self.put("]");
        }
    }

    /// The expression where operators of at least `least` can stand.
    fn expr(&mut self, expr: &Expr, least: Level) {
        let spec = self.spec;
        match &expr.kind {
            ExprKind::Int(number) => self.put(&value(Value::Int(*number))),
            ExprKind::Bool(truth) => self.put(&value(Value::Bool(*truth))),
            ExprKind::Variable(id) => self.put(&spec.variables[id.index()].name.text),
            ExprKind::Element(id, indices) => {
                self.put(&spec.variables[id.index()].name.text);
                self.indices(indices);
            }
            ExprKind::Local(id) => self.local(*id),
            ExprKind::ElementOf(id, index) => {
                self.local(*id);
                self.put("[");
                self.expr(index, Level::Or);
                self.put("]");
            }
            ExprKind::Define(id) => self.put(&spec.defines[id.index()].name.text),
            ExprKind::Unary(operator, operand) => {
                self.put(match operator {
                    UnaryOperator::Not => "!",
                    UnaryOperator::Negate => "- ",
                });
                self.expr(operand, Level::Operand);
            }
            ExprKind::Binary(operator, left, right) => {
                let own = level(*operator);
                let open = own < least;
                self.put(if open { "(" } else { "" });
                self.expr(left, own);
                self.put(&format!(" {} ", sign(*operator)));
                self.expr(right, own.next());
                self.put(if open { ")" } else { "" });
            }
            ExprKind::Query(query, channel) => {
                let word = QUERIES.iter().find(|(_, known)| known == query);
                self.put(word.map_or("", |(word, _)| word));
                self.put("(");
                self.channel(channel);
                self.put(")");
            }
            ExprKind::Quantified(operator, bindings, body) => {
                self.quantified(*operator, bindings, body);
            }
            ExprKind::Method(call) => self.method(call),
            ExprKind::List(elements) => {
                self.put("[");
                for (at, element) in elements.iter().enumerate() {
                    self.put(if at > 0 { ", " } else { "" });
                    self.expr(element, Level::Or);
                }
                self.put("]");
            }
            // In parentheses: it is read as one operand.
            ExprKind::SameContents(one, other) => {
                self.put("(");
                self.global(*one);
                self.put(" == ");
                self.global(*other);
                self.put(")");
            }
            ExprKind::Math(function, operands) => {
                let names = MathFunction::ALL;
                let name = names.iter().find(|(_, known, _)| known == function);
                self.put("call(");
                self.put(name.map_or("", |(name, ..)| name));
                for operand in operands {
                    self.put(", ");
                    self.expr(operand, Level::Or);
                }
                self.put(")");
            }
        }
    }

    /// Always in parentheses: the body reaches as far to the right as it can.
    fn quantified(&mut self, operator: BinaryOperator, bindings: &[Binding], body: &Expr) {
        self.put(&format!("({} ", sign(operator)));
        self.bindings(bindings);
        self.put("@");
        self.expr(body, Level::Or);
        self.put(")");
    }

    fn assertion(&mut self, assertion: &Assertion) {
        for remark in &assertion.remarks {
            self.put(&format!("// expect: {}\n", remark.text));
        }
        self.put("#assert ");
        self.subject(&assertion.process);
        self.put(" ");
        match &assertion.claim {
            Claim::DeadlockFree => self.put("deadlockfree"),
            Claim::NonTerminating => self.put("nonterminating"),
            Claim::DivergenceFree => self.put("divergencefree"),
            Claim::Deterministic => self.put("deterministic"),
            Claim::Reaches { condition, optimum } => {
                self.put("reaches ");
                self.expr(condition, Level::Or);
                if let Some((goal, expr)) = optimum {
                    self.put(match goal {
                        Extreme::Least => " with min(",
                        Extreme::Greatest => " with max(",
                    });
                    self.expr(expr, Level::Or);
                    self.put(")");
                }
            }
            Claim::Satisfies(formula) => {
                self.put("|= ");
                self.put(&formula.logic);
            }
            Claim::RefinesFairly { specification } => {
                self.put("refines<fair> ");
                self.subject(specification);
            }
            Claim::Refines { model, specification } => {
                self.put(match model {
                    Refinement::Traces => "refines ",
                    Refinement::Failures => "refines<F> ",
                    Refinement::FailuresDivergences => "refines<FD> ",
                });
                self.subject(specification);
            }
        }
        self.put(";\n");
    }

    fn subject(&mut self, subject: &Subject) {
        let spec = self.spec;
        self.put(&spec.definitions[subject.definition.index()].name.text);
        self.put("(");
        self.list(&subject.arguments, ", ", |printer, argument| printer.expr(argument, Level::Or));
        self.put(")");
    }
}
