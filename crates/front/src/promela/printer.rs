//! A model as Promela text that SPIN reads as the same model: the same states, the same steps.
//!
//! Expansions in the tree (of inlines, macros, `for`, `select`, structs in messages) stay expanded, so this is
//! no formatter. A local or a label whose name is not alone in its process gets a number, since the tree no
//! longer says which braces were whose. Declarations come first, then processes, then formulas, each in their
//! order.

use std::fmt::Write;

use fairly_system::Annotation;
use hashbrown::HashMap;

use super::ast::{
    Asked, Base, BinaryLtl, BinaryOp, Choice, Expr, ExprKind, FieldRef, Initial, LabelId, Local,
    LocalId, Ltl, Model, MtypeId, Origin, Pattern, Probe, ProcessKind, Proctype, Sequence, Start,
    Stmt, StmtKind, Type, UnaryLtl, UnaryOp, VarRef, Variable, Visibility,
};
use super::token::OPERATORS;

/// Writes a model.
///
/// ```
/// use fairly_front::promela::{parse, print};
/// let model = parse("byte x; init { int i; for (i : 1 .. 2) { x++ } }").unwrap();
/// let text = print(&model);
/// assert!(text.contains(":: (i <= 2);"), "{text}");
/// assert_eq!(print(&parse(&text).unwrap()), text);
/// ```
pub fn print(model: &Model) -> String {
    let mut out = String::new();
    for remark in &model.expectations {
        let block = remark.text.contains('\n') && !remark.text.contains("*/");
        let (open, close) = if block { ("/*", " */") } else { ("//", "") };
        // A backslash at the end would hide the end of the line.
        let space = if remark.text.ends_with('\\') { " " } else { "" };
        let _ = writeln!(out, "{open} expect: {}{space}{close}", remark.text);
    }
    for (at, set) in model.mtypes.iter().enumerate() {
        if set.constants.is_empty() {
            continue;
        }
        let names: Vec<&str> = set.constants.iter().rev().map(|c| c.name.as_str()).collect();
        let id = MtypeId(u32::try_from(at).unwrap_or(u32::MAX));
        let _ =
            writeln!(out, "{} = {{ {} }};", type_name(model, Type::Mtype(id)), names.join(", "));
    }
    for typedef in &model.typedefs {
        let printer = Printer { model, process: None, names: Names::default() };
        let fields: Vec<String> =
            typedef.fields.iter().map(|field| printer.variable(field, &field.name)).collect();
        let _ = writeln!(out, "typedef {} {{ {} }};", typedef.name, fields.join("; "));
    }
    let globals = Printer { model, process: None, names: Names::default() };
    for variable in &model.globals {
        let _ = writeln!(out, "{};", globals.variable(variable, &variable.name));
    }
    for process in model.processes.iter().chain(&model.claims).chain(&model.trace) {
        let names = Names::of(model, process);
        Printer { model, process: Some(process), names }.process(process, &mut out);
    }
    for formula in &model.formulas {
        let _ = writeln!(out, "ltl {} {{ {} }}", formula.name, globals.ltl(&formula.ltl));
    }
    out
}

/// The names of the locals and labels of a process as they are printed.
#[derive(Default)]
struct Names {
    locals: Vec<String>,
    labels: Vec<String>,
}

impl Names {
    fn of(model: &Model, process: &Proctype) -> Names {
        let locals = process.locals.iter().map(|local| local.variable.name.as_str());
        let labels = process.labels.iter().map(|label| label.name.as_str());
        let mut count: HashMap<&str, usize> = HashMap::new();
        for name in locals.clone().chain(labels.clone()) {
            *count.entry(name).or_default() += 1;
        }
        // Names that were declared after the process are printed before it, and must not be hidden.
        let outside = model.globals.iter().map(|variable| &variable.name);
        let outside = outside.chain(model.processes.iter().map(|process| &process.name));
        let outside = outside.chain(model.typedefs.iter().map(|typedef| &typedef.name));
        let constants = model.mtypes.iter().flat_map(|set| &set.constants);
        for name in outside.chain(constants.map(|constant| &constant.name)) {
            if let Some(count) = count.get_mut(name.as_str()) {
                *count += 1;
            }
        }
        let unique = |kind: &str, at: usize, name: &str| {
            let mut unique = name.to_owned();
            if count[name] > 1 {
                unique = format!("{name}__{kind}{at}");
                while count.contains_key(unique.as_str()) {
                    unique.push('_');
                }
            }
            unique
        };
        Names {
            locals: locals.enumerate().map(|(at, name)| unique("v", at, name)).collect(),
            labels: labels.enumerate().map(|(at, name)| unique("l", at, name)).collect(),
        }
    }

    fn local(&self, id: LocalId) -> &str {
        self.locals.get(id.index()).map_or("", String::as_str)
    }

    fn label(&self, id: LabelId) -> &str {
        self.labels.get(id.index()).map_or("", String::as_str)
    }
}

fn type_name(model: &Model, kind: Type) -> String {
    let name = match kind {
        Type::Bit => "bit",
        Type::Bool => "bool",
        Type::Byte => "byte",
        Type::Pid => "pid",
        Type::Short => "short",
        Type::Int => "int",
        Type::Unsigned(_) => "unsigned",
        Type::Chan => "chan",
        Type::Struct(id) => &model.typedefs[id.index()].name,
        Type::Mtype(id) => {
            return match &model.mtypes[id.index()].name {
                Some(name) => format!("mtype:{name}"),
                None => "mtype".to_owned(),
            };
        }
    };
    name.to_owned()
}

struct Printer<'a> {
    model: &'a Model,
    process: Option<&'a Proctype>,
    names: Names,
}

impl Printer<'_> {
    /// A declaration without its separator.
    fn variable(&self, variable: &Variable, name: &str) -> String {
        let mut out = match variable.visibility {
            Visibility::Normal => "",
            Visibility::Hidden => "hidden ",
            Visibility::Show => "show ",
            Visibility::Local => "local ",
        }
        .to_owned();
        let _ = write!(out, "{} {name}", type_name(self.model, variable.kind));
        if let Type::Unsigned(bits) = variable.kind {
            let _ = write!(out, " : {bits}");
        }
        if let Some(length) = variable.length {
            let _ = write!(out, "[{length}]");
        }
        match &variable.initial {
            Initial::Zero => {}
            Initial::Value(value) => {
                let _ = write!(out, " = {}", self.expr(value));
            }
            Initial::List(values) => {
                let values: Vec<String> = values.iter().map(|&value| integer(value)).collect();
                let _ = write!(out, " = {{ {} }}", values.join(", "));
            }
            Initial::Channel(channel) => {
                let fields = channel.declared.iter().map(|&kind| type_name(self.model, kind));
                let fields: Vec<String> = fields.collect();
                let _ = write!(out, " = [{}] of {{ {} }}", channel.capacity, fields.join(", "));
            }
        }
        out
    }

    fn process(&self, process: &Proctype, out: &mut String) {
        let (parameters, locals) = process.locals.split_at(process.parameters);
        match process.kind {
            ProcessKind::Proctype { active, deterministic } => {
                if active > 0 {
                    let _ = write!(out, "active [{active}] ");
                }
                let word = if deterministic { "D_proctype" } else { "proctype" };
                let parameters: Vec<String> = parameters
                    .iter()
                    .zip(&self.names.locals)
                    .map(|(local, name)| self.variable(&local.variable, name))
                    .collect();
                let _ = write!(out, "{word} {}({})", process.name, parameters.join("; "));
            }
            ProcessKind::Init => out.push_str("init"),
            ProcessKind::Never => {
                let _ = write!(out, "never {}", process.name);
            }
            ProcessKind::Trace => out.push_str("trace"),
            ProcessKind::NoTrace => out.push_str("notrace"),
        }
        if let Some(priority) = process.priority {
            let _ = write!(out, " priority {priority}");
        }
        if let Some(provided) = &process.provided {
            let _ = write!(out, " provided ({})", self.expr(provided));
        }
        out.push_str(" {\n");
        let named = locals.iter().zip(&self.names.locals[process.parameters..]);
        let first = |local: &Local| matches!(local.start, Start::AtCreation | Start::Counter);
        for (local, name) in named.filter(|(local, _)| first(local)) {
            let _ = writeln!(out, "  {};", self.variable(&local.variable, name));
        }
        for exclusive in &process.exclusive {
            let word = if exclusive.sends { "xs" } else { "xr" };
            let _ = writeln!(out, "  {word} {};", self.reference(&exclusive.channel));
        }
        self.steps(&process.body, 1, out);
        out.push_str("}\n");
    }

    fn steps(&self, sequence: &Sequence, depth: usize, out: &mut String) {
        for stmt in &sequence.steps {
            out.push_str(&"  ".repeat(depth));
            self.stmt(stmt, depth, out);
            out.push_str(";\n");
        }
    }

    fn stmt(&self, stmt: &Stmt, depth: usize, out: &mut String) {
        out.push_str(&note(stmt.annotation));
        for &label in &stmt.labels {
            let _ = write!(out, "{}: ", self.names.label(label));
        }
        let indent = "  ".repeat(depth);
        let mut block = |word: &str, sequence: &Sequence| {
            let _ = writeln!(out, "{word}{{");
            self.steps(sequence, depth + 1, out);
            let _ = write!(out, "{indent}}}");
        };
        let text = match &stmt.kind {
            StmtKind::Atomic(sequence) => return block("atomic ", sequence),
            StmtKind::DStep(sequence) => return block("d_step ", sequence),
            StmtKind::Block(sequence) => return block("", sequence),
            StmtKind::Unless(main, escape) => {
                block("", main);
                return block(" unless ", escape);
            }
            StmtKind::If(choices) => return self.choices("if", "fi", choices, depth, out),
            StmtKind::Do(choices) => return self.choices("do", "od", choices, depth, out),
            // In a trace only a label alone may stand for `skip`.
            StmtKind::Condition(_) if stmt.origin == Origin::Label && self.in_trace() => return,
            StmtKind::Condition(value) => self.condition(value),
            StmtKind::Else => "else".to_owned(),
            StmtKind::Assign(target, value) => {
                format!("{} = {}", self.reference(target), self.expr(value))
            }
            StmtKind::Declare(local, value) => {
                let Some(process) = self.process else { return };
                let variable = &process.locals[local.index()].variable;
                let text = self.variable(variable, self.names.local(*local));
                match value {
                    Some(value) => format!("{text} = {}", self.expr(value)),
                    None => text,
                }
            }
            StmtKind::Send { channel, fields, sorted } => {
                let sign = if *sorted { "!!" } else { "!" };
                format!("{}{sign}{}", self.reference(channel), self.list(fields))
            }
            StmtKind::Receive { channel, fields, random, peek } => {
                let (open, close) = if *peek { ("<", ">") } else { ("", "") };
                let sign = if *random { "??" } else { "?" };
                let fields = self.patterns(fields);
                format!("{}{sign}{open}{fields}{close}", self.reference(channel))
            }
            StmtKind::Assert(value) => format!("assert({})", self.expr(value)),
            StmtKind::Printf(format, values) => {
                let comma = if values.is_empty() { "" } else { ", " };
                format!("printf({format}{comma}{})", self.list(values))
            }
            StmtKind::Printm(value) => format!("printm({})", self.expr(value)),
            StmtKind::SetPriority(process, priority) => {
                format!("set_priority({}, {})", self.expr(process), self.expr(priority))
            }
            StmtKind::Goto(label) => format!("goto {}", self.names.label(*label)),
            StmtKind::Break => "break".to_owned(),
        };
        out.push_str(&text);
    }

    fn in_trace(&self) -> bool {
        let kind = self.process.map(|process| process.kind);
        matches!(kind, Some(ProcessKind::Trace | ProcessKind::NoTrace))
    }

    /// `skip`, or a condition: one that starts with a name would need care, parentheses do not.
    fn condition(&self, value: &Expr) -> String {
        match value.kind {
            ExprKind::Number(1) => "skip".to_owned(),
            _ => {
                let text = self.expr(value);
                if text.starts_with('(') { text } else { format!("({text})") }
            }
        }
    }

    fn choices(&self, open: &str, close: &str, choices: &[Choice], depth: usize, out: &mut String) {
        let indent = "  ".repeat(depth);
        let _ = writeln!(out, "{open}");
        for choice in choices {
            let _ = write!(out, "{indent}{}:: ", note(choice.annotation));
            for (at, stmt) in choice.body.steps.iter().enumerate() {
                if at > 0 {
                    out.push_str(&"  ".repeat(depth + 1));
                }
                self.stmt(stmt, depth + 1, out);
                out.push_str(";\n");
            }
        }
        let _ = write!(out, "{indent}{close}");
    }

    fn list(&self, values: &[Expr]) -> String {
        values.iter().map(|value| self.expr(value)).collect::<Vec<_>>().join(", ")
    }

    fn patterns(&self, fields: &[Pattern]) -> String {
        let pattern = |field: &Pattern| match field {
            Pattern::Store(variable) => self.reference(variable),
            Pattern::Any => "_".to_owned(),
            Pattern::Equal(value) => match value.kind {
                ExprKind::Number(number) => number.to_string(),
                ExprKind::Constant(..) => self.expr(value),
                _ => format!("eval({})", self.expr(value)),
            },
        };
        fields.iter().map(pattern).collect::<Vec<_>>().join(", ")
    }

    fn reference(&self, variable: &VarRef) -> String {
        let mut kind = None;
        let mut out = match variable.base {
            Base::Global(id) => {
                let global = &self.model.globals[id.index()];
                kind = Some(global.kind);
                global.name.clone()
            }
            Base::Local(id) => {
                if let Some(process) = self.process {
                    kind = Some(process.locals[id.index()].variable.kind);
                }
                self.names.local(id).to_owned()
            }
            Base::Pid => "_pid".to_owned(),
            Base::Processes => "_nr_pr".to_owned(),
            Base::Last => "_last".to_owned(),
            Base::Priority => "_priority".to_owned(),
            Base::Scratch => "_".to_owned(),
        };
        if let Some(index) = &variable.index {
            let _ = write!(out, "[{}]", self.expr(index));
        }
        for FieldRef { field, index } in &variable.fields {
            let Some(Type::Struct(id)) = kind else { break };
            let found = &self.model.typedefs[id.index()].fields[*field];
            kind = Some(found.kind);
            let _ = write!(out, ".{}", found.name);
            if let Some(index) = index {
                let _ = write!(out, "[{}]", self.expr(index));
            }
        }
        out
    }

    fn expr(&self, expr: &Expr) -> String {
        match &expr.kind {
            // A number above the range of an `int` is cut when it is read; a sign would be an operator.
            ExprKind::Number(value) if *value < 0 => (i64::from(*value) & 0xffff_ffff).to_string(),
            ExprKind::Number(value) => value.to_string(),
            ExprKind::Constant(set, value) => {
                let at = usize::try_from(*value - 1).unwrap_or(0);
                self.model.mtypes[set.index()].constants[at].name.clone()
            }
            ExprKind::Variable(variable) => self.reference(variable),
            ExprKind::Unary(op, operand) => {
                let sign = match op {
                    UnaryOp::Not => "!",
                    UnaryOp::Minus => "-",
                    UnaryOp::BitNot => "~",
                };
                format!("{sign}({})", self.expr(operand))
            }
            ExprKind::Binary(op, left, right) => {
                format!("({} {} {})", self.expr(left), sign(*op), self.expr(right))
            }
            ExprKind::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                let (then, otherwise) = (self.expr(then), self.expr(otherwise));
                format!("({} -> {then} : {otherwise})", self.expr(condition))
            }
            ExprKind::Run(run) => {
                let name = &self.model.processes[run.proctype.index()].name;
                let priority = match run.priority {
                    Some(priority) => format!(" priority {priority}"),
                    None => String::new(),
                };
                format!("run {name}({}){priority}", self.list(&run.arguments))
            }
            ExprKind::Length(channel) => format!("len({})", self.reference(channel)),
            ExprKind::Probe(probe, channel) => {
                let word = match probe {
                    Probe::Full => "full",
                    Probe::Empty => "empty",
                    Probe::NotFull => "nfull",
                    Probe::NotEmpty => "nempty",
                };
                format!("{word}({})", self.reference(channel))
            }
            ExprKind::Poll { channel, fields, random } => {
                let sign = if *random { "??" } else { "?" };
                format!("{}{sign}[{}]", self.reference(channel), self.patterns(fields))
            }
            ExprKind::Timeout => "timeout".to_owned(),
            ExprKind::NonProgress => "np_".to_owned(),
            ExprKind::Enabled(process) => format!("enabled({})", self.expr(process)),
            ExprKind::PcValue(process) => format!("pc_value({})", self.expr(process)),
            ExprKind::GetPriority(process) => format!("get_priority({})", self.expr(process)),
            ExprKind::RemoteLabel(proctype, pid, label) => {
                let process = &self.model.processes[proctype.index()];
                let names = Names::of(self.model, process);
                format!("{}{}@{}", process.name, self.pid(pid.as_deref()), names.label(*label))
            }
            ExprKind::RemoteVariable(remote) => {
                let process = &self.model.processes[remote.proctype.index()];
                let names = Names::of(self.model, process);
                let mut out = process.name.clone() + &self.pid(remote.pid.as_ref());
                let _ = write!(out, ":{}", names.local(remote.local));
                if let Some(index) = &remote.index {
                    let _ = write!(out, "[{}]", self.expr(index));
                }
                out
            }
        }
    }

    fn pid(&self, pid: Option<&Expr>) -> String {
        pid.map_or(String::new(), |pid| format!("[{}]", self.expr(pid)))
    }

    fn ltl(&self, ltl: &Ltl) -> String {
        match ltl {
            Ltl::Proposition(value) => format!("({})", self.expr(value)),
            Ltl::Asked(Asked { is_taken, proctype, pid, .. }) => {
                let word = if *is_taken { "taken" } else { "enabled" };
                let pid = pid.map_or(String::new(), |pid| format!("[{pid}]"));
                let name = &self.model.processes[proctype.index()].name;
                format!("{word}({name}{pid})")
            }
            Ltl::Unary(op, operand) => {
                let sign = match op {
                    UnaryLtl::Not => "!",
                    UnaryLtl::Next => "X ",
                    UnaryLtl::Always => "[] ",
                    UnaryLtl::Eventually => "<> ",
                };
                format!("({sign}{})", self.ltl(operand))
            }
            Ltl::Binary(op, left, right) => {
                let sign = match op {
                    BinaryLtl::And => "&&",
                    BinaryLtl::Or => "||",
                    BinaryLtl::Implies => "->",
                    BinaryLtl::Equivalent => "<->",
                    BinaryLtl::Until => "U",
                    BinaryLtl::WeakUntil => "W",
                    BinaryLtl::Release => "V",
                };
                format!("({} {sign} {})", self.ltl(left), self.ltl(right))
            }
        }
    }
}

/// The least number cannot be written as one.
fn integer(value: i32) -> String {
    if value == i32::MIN { format!("{} - 1", value + 1) } else { value.to_string() }
}

fn note(annotation: Option<Annotation>) -> String {
    annotation.map_or(String::new(), |annotation| format!("/*@ {annotation} */ "))
}

fn sign(op: BinaryOp) -> &'static str {
    OPERATORS.iter().find(|(_, known, _)| *known == op).map_or("", |(sign, ..)| sign.text())
}
