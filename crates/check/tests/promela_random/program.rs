//! Random programs as trees of text: printing them, and making them smaller.

/// A statement with its labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) labels: Vec<String>,
    pub(crate) kind: Kind,
}

/// Kinds of statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Plain(String),
    Assert(String),
    /// `if`.
    If(Vec<Vec<Step>>),
    /// `do`.
    Do(Vec<Vec<Step>>),
    /// `atomic`.
    Atomic(Vec<Step>),
    /// `d_step`.
    DStep(Vec<Step>),
    /// Braces, with a declaration.
    Block(String, Vec<Step>),
    /// The text before the braces, `for (i : 0 .. 1)`, and the body.
    For(String, Vec<Step>),
    /// The main sequence, and the escape from it.
    Unless(Vec<Step>, Vec<Step>),
}

impl Step {
    pub(crate) fn plain(text: impl Into<String>) -> Step {
        Step::of(Kind::Plain(text.into()))
    }

    pub(crate) fn of(kind: Kind) -> Step {
        Step { labels: Vec::new(), kind }
    }

    /// The sequences in it.
    pub(crate) fn parts(&self) -> Vec<&Vec<Step>> {
        match &self.kind {
            Kind::Plain(_) | Kind::Assert(_) => Vec::new(),
            Kind::If(parts) | Kind::Do(parts) => parts.iter().collect(),
            Kind::Atomic(body) | Kind::DStep(body) | Kind::Block(_, body) | Kind::For(_, body) => {
                vec![body]
            }
            Kind::Unless(main, escape) => vec![main, escape],
        }
    }

    pub(crate) fn parts_mut(&mut self) -> Vec<&mut Vec<Step>> {
        match &mut self.kind {
            Kind::Plain(_) | Kind::Assert(_) => Vec::new(),
            Kind::If(parts) | Kind::Do(parts) => parts.iter_mut().collect(),
            Kind::Atomic(body) | Kind::DStep(body) | Kind::Block(_, body) | Kind::For(_, body) => {
                vec![body]
            }
            Kind::Unless(main, escape) => vec![main, escape],
        }
    }

    /// Whether something that this can begin with is plain and `is` that.
    pub(crate) fn begins(&self, is: &dyn Fn(&str) -> bool) -> bool {
        match &self.kind {
            Kind::Plain(text) => is(text),
            _ => self.parts().iter().any(|part| part.first().is_some_and(|it| it.begins(is))),
        }
    }
}

/// A proctype, `init` or an inline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    /// The text before the body: `active proctype P0()`.
    pub(crate) head: String,
    pub(crate) provided: Option<String>,
    pub(crate) locals: Vec<String>,
    pub(crate) body: Vec<Step>,
}

/// A formula over `p0`, `p1` and so on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Promise {
    pub(crate) shape: String,
    /// Definitions of `p0`, `p1` and so on.
    pub(crate) atoms: Vec<String>,
}

impl Promise {
    /// The formula as it is written in an `ltl` block.
    pub(crate) fn text(&self) -> String {
        // From the last on: `p1` is the beginning of `p10`.
        let numbered = self.atoms.iter().enumerate().rev();
        numbered.fold(self.shape.clone(), |text, (at, atom)| {
            text.replace(&format!("p{at}"), &format!("({atom})"))
        })
    }

    /// Whether it asks for the next state. SPIN reads no such formula.
    pub(crate) fn has_next(&self) -> bool {
        self.shape.contains('X')
    }
}

/// A state of a never claim: its label, and where its guards lead to; to the end if nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Watch {
    pub(crate) label: String,
    /// Whether it is written as `do`, so that an option without target stays.
    pub(crate) loops: bool,
    pub(crate) options: Vec<(String, Option<String>)>,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// Macros and declarations.
    pub(crate) globals: Vec<String>,
    /// Inlines, proctypes, `init`.
    pub(crate) processes: Vec<Process>,
    pub(crate) formulas: Vec<Promise>,
    /// The states of a never claim; none if there is none.
    pub(crate) never: Vec<Watch>,
}

/// Parts of a program to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// With assertions, without formulas.
    Safety,
    /// With formulas. Assertions do nothing, since an error is not what a formula is about, and
    /// labels do not accept, since SPIN would take them to be part of the claim.
    Formulas,
    /// The same, with those formulas only that SPIN reads.
    Readable,
    /// With neither.
    Progress,
    /// With the never claim.
    Never,
}

impl Program {
    pub(crate) fn text(&self, form: Form) -> String {
        let mut text = String::new();
        for global in &self.globals {
            let end = if global.starts_with('#') { "" } else { ";" };
            text.push_str(&format!("{global}{end}\n"));
        }
        for process in &self.processes {
            let provided = process.provided.as_ref();
            let provided = provided.map_or(String::new(), |it| format!(" provided ({it})"));
            text.push_str(&format!("{}{provided} {{\n", process.head));
            for local in &process.locals {
                text.push_str(&format!("    {local};\n"));
            }
            write(&process.body, 1, form, &mut text);
            text.push_str("}\n");
        }
        if matches!(form, Form::Formulas | Form::Readable) {
            let written = |it: &&(usize, &Promise)| form == Form::Formulas || !it.1.has_next();
            for (at, formula) in self.formulas.iter().enumerate().filter(|it| written(&it)) {
                text.push_str(&format!("ltl f{at} {{ {} }}\n", formula.text()));
            }
        }
        // Before the claim: its labels are those that accept.
        if form != Form::Safety {
            text = text.replace("accept", "passed");
        }
        if form == Form::Never {
            text.push_str(&self.claim());
        }
        text
    }

    fn claim(&self) -> String {
        let mut text = "never {\n".to_owned();
        for state in &self.never {
            let (open, close) = if state.loops { ("do", "od") } else { ("if", "fi") };
            text.push_str(&format!("{}:\n    {open}\n", state.label));
            for (guard, target) in &state.options {
                let jump = target.as_ref().map_or(String::new(), |to| format!(" -> goto {to}"));
                text.push_str(&format!("    :: {guard}{jump}\n"));
            }
            text.push_str(&format!("    {close};\n"));
        }
        text + "done:\n    skip\n}\n"
    }

    pub(crate) fn has_provided(&self) -> bool {
        self.processes.iter().any(|process| process.provided.is_some())
    }

    /// Whether there is a channel without room.
    pub(crate) fn has_rendezvous(&self) -> bool {
        self.text(Form::Safety).contains("= [0] of")
    }

    /// Whether some label starts so.
    pub(crate) fn has_label(&self, start: &str) -> bool {
        fn any(body: &[Step], start: &str) -> bool {
            body.iter().any(|step| {
                step.labels.iter().any(|label| label.starts_with(start))
                    || step.parts().into_iter().any(|part| any(part, start))
            })
        }
        self.processes.iter().any(|process| any(&process.body, start))
    }

    /// Programs that are a little smaller. Some are none.
    pub(crate) fn smaller(&self) -> Vec<Program> {
        let mut all = Vec::new();
        for at in 0..self.processes.len() {
            let mut less = self.clone();
            less.processes.remove(at);
            all.push(less);
        }
        for at in 0..self.formulas.len() {
            let mut less = self.clone();
            less.formulas.remove(at);
            all.push(less);
        }
        if !self.never.is_empty() {
            all.push(Program { never: Vec::new(), ..self.clone() });
        }
        for at in 0..self.never.len() {
            for option in 0..self.never[at].options.len() {
                let mut less = self.clone();
                less.never[at].options.remove(option);
                if less.never[at].options.is_empty() {
                    less.never.remove(at);
                }
                all.push(less);
            }
        }
        for at in 0..self.globals.len() {
            let mut less = self.clone();
            less.globals.remove(at);
            all.push(less);
        }
        for (at, process) in self.processes.iter().enumerate() {
            let mut put = |changed: Process| {
                let mut less = self.clone();
                less.processes[at] = changed;
                all.push(less);
            };
            if process.provided.is_some() {
                put(Process { provided: None, ..process.clone() });
            }
            for local in 0..process.locals.len() {
                let mut changed = process.clone();
                changed.locals.remove(local);
                put(changed);
            }
            for body in smaller(&process.body) {
                put(Process { body, ..process.clone() });
            }
        }
        all
    }
}

fn write(body: &[Step], depth: usize, form: Form, text: &mut String) {
    let indent = "    ".repeat(depth);
    for (at, step) in body.iter().enumerate() {
        for label in &step.labels {
            text.push_str(&format!("{label}:\n"));
        }
        text.push_str(&indent);
        match &step.kind {
            Kind::Plain(plain) => text.push_str(plain),
            Kind::Assert(condition) if form == Form::Safety => {
                text.push_str(&format!("assert({condition})"));
            }
            Kind::Assert(_) => text.push_str("skip"),
            Kind::If(parts) | Kind::Do(parts) => {
                let loops = matches!(step.kind, Kind::Do(_));
                text.push_str(if loops { "do\n" } else { "if\n" });
                for part in parts {
                    text.push_str(&format!("{indent}::\n"));
                    write(part, depth + 1, form, text);
                }
                text.push_str(&format!("{indent}{}", if loops { "od" } else { "fi" }));
            }
            Kind::Atomic(body) => braces("atomic ", "", body, depth, form, text),
            Kind::DStep(body) => braces("d_step ", "", body, depth, form, text),
            Kind::Block(declared, body) => braces("", declared, body, depth, form, text),
            Kind::For(head, body) => braces(&format!("{head} "), "", body, depth, form, text),
            Kind::Unless(main, escape) => {
                braces("", "", main, depth, form, text);
                braces(" unless ", "", escape, depth, form, text);
            }
        }
        text.push_str(if at + 1 < body.len() { ";\n" } else { "\n" });
    }
}

fn braces(
    before: &str,
    declared: &str,
    body: &[Step],
    depth: usize,
    form: Form,
    text: &mut String,
) {
    let indent = "    ".repeat(depth);
    text.push_str(&format!("{before}{{\n"));
    if !declared.is_empty() {
        text.push_str(&format!("{indent}    {declared};\n"));
    }
    write(body, depth + 1, form, text);
    text.push_str(&format!("{indent}}}"));
}

fn smaller(body: &[Step]) -> Vec<Vec<Step>> {
    let mut all = Vec::new();
    for (at, step) in body.iter().enumerate() {
        let mut put = |instead: Vec<Step>| {
            let mut changed = body.to_vec();
            changed.splice(at..=at, instead);
            all.push(changed);
        };
        if body.len() > 1 {
            put(Vec::new());
        }
        for part in step.parts() {
            put(part.clone());
        }
        for label in 0..step.labels.len() {
            let mut changed = step.clone();
            changed.labels.remove(label);
            put(vec![changed]);
        }
        match &step.kind {
            Kind::If(parts) | Kind::Do(parts) if parts.len() > 1 => {
                for gone in 0..parts.len() {
                    let mut changed = step.clone();
                    if let Kind::If(parts) | Kind::Do(parts) = &mut changed.kind {
                        parts.remove(gone);
                    }
                    put(vec![changed]);
                }
            }
            Kind::Block(declared, body) if !declared.is_empty() => {
                let kind = Kind::Block(String::new(), body.clone());
                put(vec![Step { kind, ..step.clone() }]);
            }
            Kind::Plain(text) if text != "skip" => {
                put(vec![Step { kind: Kind::Plain("skip".to_owned()), ..step.clone() }]);
            }
            Kind::Assert(_) => {
                put(vec![Step { kind: Kind::Plain("skip".to_owned()), ..step.clone() }]);
            }
            _ => {}
        }
        for inner in 0..step.parts().len() {
            for less in smaller(step.parts()[inner]) {
                let mut changed = step.clone();
                *changed.parts_mut()[inner] = less;
                put(vec![changed]);
            }
        }
    }
    all
}

/// Makes a program smaller while it stays `wanted`.
pub(crate) fn shrink(program: Program, mut wanted: impl FnMut(&Program) -> bool) -> Program {
    let mut least = program;
    // A candidate costs a run of SPIN.
    let mut tries = 2_000;
    let mut from = 0;
    loop {
        let candidates = least.smaller();
        // A part that could not be left out of the larger program rarely can of the smaller one.
        let order = (0..candidates.len()).map(|at| (at + from) % candidates.len().max(1));
        let mut found = None;
        for at in order {
            tries -= 1;
            if tries == 0 {
                return least;
            }
            if wanted(&candidates[at]) {
                found = Some((at, candidates[at].clone()));
                break;
            }
        }
        match found {
            Some((at, next)) => (from, least) = (at, next),
            None => return least,
        }
    }
}
