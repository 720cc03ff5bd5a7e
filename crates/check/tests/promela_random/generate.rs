//! Small random Promela programs that SPIN accepts.
//!
//! What SPIN refuses is avoided: `else` beside channel operations, jumps in a circle, jumps out of
//! `d_step`, `d_step` that blocks after its first statement. Numbers stay small, but for those next
//! to where their type wraps around.

use fairly_testkit::Rng;

use crate::program::{Kind, Process, Program, Step};

/// What a variable can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    /// One bit; anything can be assigned.
    Bit,
    Byte,
    Short,
    Int,
    /// Two bits; anything can be assigned.
    Two,
    Mtype,
}

/// Something that can be assigned to; it may contain an index, which is `#`.
#[derive(Clone, Debug)]
struct Variable {
    text: String,
    kind: Type,
}

/// A channel that can be named, and its fields.
#[derive(Clone, Debug)]
struct Channel {
    name: String,
    fields: Vec<Type>,
    buffered: bool,
}

struct Generator {
    rng: Rng,
    globals: Vec<Variable>,
    channels: Vec<Channel>,
    /// The parameters of the proctype that is run; none if there is none.
    started: Option<Vec<Type>>,
    /// The position of the channel shape that the last parameter has.
    given: Option<usize>,
    fresh: usize,
}

/// Where a statement stands.
#[derive(Clone, Debug)]
struct Place {
    depth: usize,
    d_step: bool,
    atomic: bool,
    /// Inside a loop of the same `d_step` or outside of any.
    in_loop: bool,
    /// Whether it may wait.
    waits: bool,
    variables: Vec<Variable>,
    channels: Vec<Channel>,
}

pub(crate) fn program(seed: u64) -> Program {
    let mut generator = Generator {
        rng: Rng::new(seed ^ 0x50_72_6f_6d_65_6c_61),
        globals: Vec::new(),
        channels: Vec::new(),
        started: None,
        given: None,
        fresh: 0,
    };
    generator.program()
}

impl Generator {
    fn program(&mut self) -> Program {
        let mut globals = vec!["mtype = { red, green, blue }".to_owned()];
        for at in 0..1 + self.rng.below(3) {
            globals.push(self.global(at));
        }
        for at in 0..self.rng.below(3) {
            globals.push(self.channel(at));
        }
        if self.rng.chance(2, 5) {
            let mut parameters = vec![*self.rng.pick(&[Type::Byte, Type::Bit, Type::Short])];
            if self.rng.chance(1, 4) {
                parameters.push(Type::Byte);
            }
            self.started = Some(parameters);
            if !self.channels.is_empty() && self.rng.chance(1, 2) {
                self.given = Some(self.rng.below(self.channels.len()));
            }
        }
        let count =
            if self.started.is_some() { 1 + self.rng.below(2) } else { 2 + self.rng.below(2) };
        let mut processes = Vec::new();
        if let Some(parameters) = self.started.clone() {
            processes.push(self.started_process(&parameters));
        }
        for at in 0..count {
            let twice = self.rng.chance(1, 8);
            let head = format!("active {}proctype P{at}()", if twice { "[2] " } else { "" });
            processes.push(self.process(head, Vec::new(), Vec::new()));
        }
        if self.rng.chance(1, 12) {
            let condition = self.condition(&self.globals.clone(), false, 1);
            let at = self.rng.below(processes.len());
            processes[at].provided = Some(condition);
        }
        let mut labels = Vec::new();
        for process in &processes {
            if let Some(name) = process.head.strip_prefix("active proctype ") {
                let name = name.trim_end_matches("()");
                labels_of(&process.body, &mut |label| labels.push(format!("{name}@{label}")));
            }
        }
        let formulas = (0..self.rng.below(3)).map(|_| self.formula(3, &labels)).collect();
        Program { globals, processes, formulas }
    }

    fn global(&mut self, at: usize) -> String {
        let name = format!("g{at}");
        let (text, declared, kind) = match self.rng.below(11) {
            0 => (name.clone(), format!("bit {name}"), Type::Bit),
            1 => (name.clone(), format!("bool {name} = true"), Type::Bit),
            2 => (name.clone(), format!("byte {name} = 255"), Type::Byte),
            3 => (name.clone(), format!("byte {name}"), Type::Byte),
            4 => (name.clone(), format!("short {name} = -1"), Type::Short),
            5 => (name.clone(), format!("int {name}"), Type::Int),
            6 => (name.clone(), format!("unsigned {name} : 2 = 3"), Type::Two),
            7 => (format!("{name}[#]"), format!("byte {name}[2]"), Type::Byte),
            8 => (format!("{name}[#]"), format!("bool {name}[2]"), Type::Byte),
            9 => (name.clone(), format!("mtype {name} = green"), Type::Mtype),
            _ => {
                let field = format!("{name}.a");
                self.globals.push(Variable { text: field, kind: Type::Bit });
                let declared =
                    format!("typedef T{at} {{ bit a; byte b[2]; unsigned c : 2 }};\nT{at} {name}");
                (format!("{name}.b[#]"), declared, Type::Byte)
            }
        };
        self.globals.push(Variable { text, kind });
        declared
    }

    fn channel(&mut self, at: usize) -> String {
        let name = format!("q{at}");
        let capacity = *self.rng.pick(&[0, 0, 1, 1, 2]);
        let (fields, shape) = match self.rng.below(4) {
            0 => (vec![Type::Byte], "byte"),
            1 => (vec![Type::Mtype], "mtype"),
            2 => (vec![Type::Mtype, Type::Bit], "mtype, bit"),
            _ => (vec![Type::Byte, Type::Short], "byte, short"),
        };
        self.channels.push(Channel { name: name.clone(), fields, buffered: capacity > 0 });
        format!("chan {name} = [{capacity}] of {{ {shape} }}")
    }

    fn started_process(&mut self, parameters: &[Type]) -> Process {
        let mut declared = Vec::new();
        let mut variables = Vec::new();
        for (at, kind) in parameters.iter().enumerate() {
            let name = format!("d{at}");
            let kind_name = match kind {
                Type::Bit => "bit",
                Type::Short => "short",
                _ => "byte",
            };
            declared.push(format!("{kind_name} {name}"));
            variables.push(Variable { text: name, kind: *kind });
        }
        let mut channels = Vec::new();
        if let Some(given) = self.given {
            declared.push("chan c".to_owned());
            channels.push(Channel { name: "c".to_owned(), ..self.channels[given].clone() });
        }
        let head = format!("proctype R({})", declared.join("; "));
        self.process(head, variables, channels)
    }

    fn process(
        &mut self,
        head: String,
        mut own: Vec<Variable>,
        mut channels: Vec<Channel>,
    ) -> Process {
        let mut locals = Vec::new();
        for _ in 0..self.rng.below(2) {
            let (variable, declared) = self.local();
            let known = [own.clone(), self.globals.clone()].concat();
            let start = self.rng.chance(1, 3).then(|| self.value(&known, variable.kind));
            locals.push(match start {
                Some(value) if !declared.contains(':') => format!("{declared} = {value}"),
                _ => declared,
            });
            own.push(variable);
        }
        own.extend(self.globals.clone());
        // Globals count twice: they are what the others see.
        own.extend(self.globals.clone());
        channels.extend(self.channels.clone());
        let place = Place {
            depth: 0,
            d_step: false,
            atomic: false,
            in_loop: false,
            waits: true,
            variables: own,
            channels,
        };
        let mut body = if self.rng.chance(1, 2) {
            let mut body = self.sequence(&place, 2);
            let inner = Place { depth: 1, in_loop: true, ..place.clone() };
            let parts = self.options(&inner);
            body.push(Step::of(Kind::Do(parts)));
            body
        } else {
            self.sequence(&place, 4)
        };
        self.label(&mut body);
        Process { head, provided: None, locals, body }
    }

    fn local(&mut self) -> (Variable, String) {
        self.fresh += 1;
        let name = format!("v{}", self.fresh);
        let (kind, declared) = match self.rng.below(5) {
            0 => (Type::Bit, format!("bit {name}")),
            1 => (Type::Byte, format!("byte {name}")),
            2 => (Type::Short, format!("short {name}")),
            3 => (Type::Two, format!("unsigned {name} : 2")),
            _ => (Type::Mtype, format!("mtype {name}")),
        };
        (Variable { text: name, kind }, declared)
    }

    fn sequence(&mut self, place: &Place, most: usize) -> Vec<Step> {
        let count = 1 + self.rng.below(most);
        let mut body: Vec<Step> = Vec::new();
        for at in 0..count {
            let mut here = place.clone();
            here.waits = place.waits && (at == 0 || !place.d_step);
            let jumps = at > 0 && at + 1 == count && !place.d_step && place.depth > 0;
            if jumps && self.rng.chance(1, 4) {
                body.push(Step::plain("goto"));
            } else if at > 0 && at + 1 == count && place.in_loop && self.rng.chance(1, 5) {
                body.push(Step::plain("break"));
            } else {
                body.push(self.step(&here));
            }
        }
        body
    }

    fn step(&mut self, place: &Place) -> Step {
        let inner = Place { depth: place.depth + 1, ..place.clone() };
        if place.depth < 3 && self.rng.chance(2, 5) {
            return match self.rng.below(if place.d_step { 3 } else { 10 }) {
                0..=2 => {
                    let mut parts = self.options(&inner);
                    if place.d_step && !place.waits {
                        self.complete(&mut parts, &inner);
                    }
                    Step::of(Kind::If(parts))
                }
                // SPIN does not see that it goes round inside an atomic sequence.
                3 | 4 if !place.atomic => {
                    let parts = self.options(&Place { in_loop: true, ..inner });
                    Step::of(Kind::Do(parts))
                }
                3..=6 => {
                    let inner = Place { atomic: true, ..inner };
                    Step::of(Kind::Atomic(self.sequence(&inner, 3)))
                }
                7 => {
                    let inner = Place { d_step: true, in_loop: false, ..inner };
                    Step::of(Kind::DStep(self.sequence(&inner, 3)))
                }
                8 => {
                    let (variable, declared) = self.local();
                    let mut inner = inner;
                    let value = self.value(&inner.variables.clone(), variable.kind);
                    let declared = match declared.contains(':') || self.rng.chance(1, 2) {
                        true => declared,
                        false => format!("{declared} = {value}"),
                    };
                    inner.variables.extend([variable.clone(), variable]);
                    Step::of(Kind::Block(declared, self.sequence(&inner, 3)))
                }
                _ => {
                    let main = self.sequence(&inner, 2);
                    let mut escape = self.sequence(&inner, 2);
                    // SPIN loses the order of the escapes at a rendezvous that nobody answers.
                    if escape.first().is_some_and(|step| step.begins(&sends)) {
                        let condition = self.condition(&inner.variables.clone(), true, 2);
                        escape.insert(0, Step::plain(condition));
                    }
                    Step::of(Kind::Unless(main, escape))
                }
            };
        }
        self.plain(place)
    }

    fn options(&mut self, place: &Place) -> Vec<Vec<Step>> {
        let mut parts = Vec::new();
        for _ in 0..1 + self.rng.below(3) {
            let mut part = self.sequence(place, 2);
            let conditional = self.rng.chance(2, 3);
            if conditional {
                let condition = self.condition(&place.variables.clone(), true, 2);
                part.insert(0, Step::plain(condition));
            }
            // Options that are no conditions do not count for SPIN when it asks whether a `d_step`
            // can begin; and `unless` is refused at the beginning of an option.
            let escapes = matches!(part.first(), Some(Step { kind: Kind::Unless(..), .. }));
            if escapes || (place.d_step && !conditional) {
                part.insert(0, Step::plain("true"));
            }
            // SPIN refuses a loop of one step that does nothing.
            let idle = match part.as_slice() {
                [Step { kind: Kind::Plain(text), .. }] => {
                    text == "skip" || text == "true" || text.starts_with("printf")
                }
                [Step { kind: Kind::Assert(_), .. }] => true,
                _ => false,
            };
            if idle {
                part.push(Step::plain(self.assignment(&place.variables.clone())));
            }
            parts.push(part);
        }
        if self.rng.chance(2, 5) {
            self.complete(&mut parts, place);
        }
        parts
    }

    /// Adds an `else`, if that can be; takes options away where it cannot.
    fn complete(&mut self, parts: &mut Vec<Vec<Step>>, place: &Place) {
        let words = ["?", "full", "empty", "else", "timeout"];
        let talks = |text: &str| sends(text) || words.iter().any(|word| text.contains(word));
        parts.retain(|part| !part.first().is_some_and(|step| step.begins(&talks)));
        let place = Place { waits: false, ..place.clone() };
        let mut rest = if place.d_step { Vec::new() } else { self.sequence(&place, 1) };
        if place.in_loop && self.rng.chance(1, 2) {
            rest = vec![Step::plain("break")];
        }
        rest.insert(0, Step::plain("else"));
        parts.push(rest);
    }

    fn plain(&mut self, place: &Place) -> Step {
        let variables = &place.variables.clone();
        let channels = &place.channels;
        let choice = self.rng.below(20);
        match choice {
            0..=7 => Step::plain(self.assignment(variables)),
            8 if place.waits => Step::plain(self.condition(variables, true, 2)),
            9..=14 if place.waits && !channels.is_empty() => {
                let channel = self.rng.pick(channels).clone();
                // For a `d_step` that begins with it SPIN makes C that does not compile, or lets the
                // two meet by halves.
                match (place.d_step, channel.buffered) {
                    (true, true) => {
                        let sends = self.rng.chance(1, 2);
                        let (guard, op) = if sends { ("nfull", "!") } else { ("nempty", "?") };
                        let mut fields = Vec::new();
                        for &kind in &channel.fields {
                            let value = self.value(variables, kind);
                            fields.push(if sends { value } else { "_".to_owned() });
                        }
                        let (name, fields) = (&channel.name, fields.join(", "));
                        let talk = Step::plain(format!("{name}{op}{fields}"));
                        let guard = Step::plain(format!("{guard}({name})"));
                        Step::of(Kind::Block(String::new(), vec![guard, talk]))
                    }
                    (true, false) => Step::plain(self.condition(variables, true, 2)),
                    (false, _) => Step::plain(self.talk(&channel, variables)),
                }
            }
            15 => Step::of(Kind::Assert(self.condition(variables, false, 2))),
            16 if self.started.is_some() && !place.d_step => {
                let mut arguments = Vec::new();
                for kind in self.started.clone().unwrap_or_default() {
                    arguments.push(self.value(variables, kind));
                }
                if let Some(given) = self.given {
                    arguments.push(self.channels[given].name.clone());
                }
                let run = format!("run R({})", arguments.join(", "));
                Step::of(Kind::Atomic(vec![Step::plain("_nr_pr < 4"), Step::plain(run)]))
            }
            17 => Step::plain("skip"),
            18 if place.waits && !place.d_step && self.rng.chance(1, 2) => Step::plain("timeout"),
            19 => Step::plain("printf(\"x\\n\")"),
            _ => Step::plain(self.assignment(variables)),
        }
    }

    fn named(&mut self, variable: &Variable) -> String {
        if !variable.text.contains('#') {
            return variable.text.clone();
        }
        let plain: Vec<&Variable> =
            self.globals.iter().filter(|it| !it.text.contains('#')).collect();
        let index = match self.rng.below(4) {
            0 => "0".to_owned(),
            1 => "1".to_owned(),
            2 if !plain.is_empty() => format!("{} & 1", self.rng.pick(&plain).text),
            _ => "_pid & 1".to_owned(),
        };
        variable.text.replace('#', &index)
    }

    fn assignment(&mut self, variables: &[Variable]) -> String {
        let variable = self.rng.pick(variables).clone();
        let name = self.named(&variable);
        if matches!(variable.kind, Type::Bit | Type::Two) && self.rng.chance(1, 4) {
            return format!("{name}{}", self.rng.pick(&["++", "--"]));
        }
        format!("{name} = {}", self.value(variables, variable.kind))
    }

    /// A value for a variable.
    fn value(&mut self, variables: &[Variable], kind: Type) -> String {
        let any = self.expression(variables, 1);
        match kind {
            Type::Mtype => {
                let known: Vec<&Variable> =
                    variables.iter().filter(|it| it.kind == Type::Mtype).collect();
                if !known.is_empty() && self.rng.chance(1, 3) {
                    return self.rng.pick(&known).text.clone();
                }
                (*self.rng.pick(&["red", "green", "blue"])).to_owned()
            }
            Type::Bit | Type::Two => any,
            _ if self.rng.chance(1, 3) => self.rng.below(3).to_string(),
            Type::Byte if self.rng.chance(1, 3) => format!("255 + ({any} & 1)"),
            Type::Short if self.rng.chance(1, 3) => format!("32767 + ({any} & 1)"),
            Type::Short | Type::Int | Type::Byte if self.rng.chance(1, 4) => {
                format!("-({any} & 1)")
            }
            _ => format!("({any}) & 1"),
        }
    }

    fn expression(&mut self, variables: &[Variable], depth: usize) -> String {
        if depth == 0 || self.rng.chance(1, 4) {
            return match self.rng.below(8) {
                0 | 1 => self.rng.below(3).to_string(),
                2 => (*self.rng.pick(&["_pid", "_nr_pr"])).to_owned(),
                3 if !self.channels.is_empty() => {
                    let channel = self.rng.pick(&self.channels).clone();
                    format!("len({})", channel.name)
                }
                _ => {
                    let variable = self.rng.pick(variables).clone();
                    self.named(&variable)
                }
            };
        }
        let left = self.expression(variables, depth - 1);
        let right = self.expression(variables, depth - 1);
        match self.rng.below(12) {
            0..=2 => format!("({left} + {right})"),
            3 | 4 => format!("({left} - {right})"),
            5 => format!("({left} * {right})"),
            6 => format!("({left} ^ {right})"),
            7 => format!("({left} % 3)"),
            8 => format!("(({left} > 0) -> {right} : {left})"),
            9 => format!("(({left}) >> 1)"),
            10 => format!("({left} / 2)"),
            _ => format!("({left} == {right})"),
        }
    }

    /// A condition; `talks` if it may be about channels.
    fn condition(&mut self, variables: &[Variable], talks: bool, depth: usize) -> String {
        if talks && !self.channels.is_empty() && self.rng.chance(1, 8) {
            let channel = self.rng.pick(&self.channels).clone();
            let name = &channel.name;
            return match self.rng.below(6) {
                0 => format!("empty({name})"),
                1 => format!("nempty({name})"),
                2 => format!("full({name})"),
                3 => format!("nfull({name})"),
                // SPIN calls a poll of a rendezvous an error.
                sort if !channel.buffered => {
                    format!("len({name}) == {}", sort - 4)
                }
                sort => {
                    let fields = self.pattern(&channel, variables, false);
                    format!("{name}{}[{fields}]", if sort == 4 { "?" } else { "??" })
                }
            };
        }
        if depth > 0 && self.rng.chance(1, 5) {
            let left = self.condition(variables, talks, depth - 1);
            let right = self.condition(variables, talks, depth - 1);
            return format!("({left}) {} ({right})", self.rng.pick(&["&&", "||"]));
        }
        if self.rng.chance(1, 8) {
            return format!("!({})", self.condition(variables, false, 0));
        }
        let left = self.expression(variables, 1);
        let right = self.expression(variables, 0);
        let op = *self.rng.pick(&["==", "!=", "<", "<=", ">", ">=", "!=", "=="]);
        format!("{left} {op} {right}")
    }

    fn pattern(&mut self, channel: &Channel, variables: &[Variable], stores: bool) -> String {
        let mut fields = Vec::new();
        for &kind in &channel.fields {
            let fitting: Vec<&Variable> = variables
                .iter()
                .filter(|it| it.kind == kind || (kind != Type::Mtype && it.kind != Type::Mtype))
                .filter(|it| !it.text.contains('#'))
                .collect();
            // SPIN takes back what was received from where it was stored, which must not be narrower.
            let wide: Vec<&Variable> = fitting
                .iter()
                .copied()
                .filter(|it| match kind {
                    Type::Byte => matches!(it.kind, Type::Byte | Type::Short | Type::Int),
                    Type::Short => matches!(it.kind, Type::Short | Type::Int),
                    _ => true,
                })
                .collect();
            fields.push(match self.rng.below(6) {
                0 | 1 if kind == Type::Mtype => (*self.rng.pick(&["red", "green"])).to_owned(),
                0 | 1 => self.rng.below(2).to_string(),
                2 if !fitting.is_empty() => format!("eval({})", self.rng.pick(&fitting).text),
                3 | 4 if stores && !wide.is_empty() => self.rng.pick(&wide).text.clone(),
                _ if stores => "_".to_owned(),
                _ if kind == Type::Mtype => "blue".to_owned(),
                _ => "1".to_owned(),
            });
        }
        // A variable that is stored twice, or compared and stored, depends on the order.
        let mut seen = fields.clone();
        seen.retain(|it| it.starts_with(['g', 'v', 'd']) || it.starts_with("eval"));
        if seen.len() > 1 {
            fields[1] = if stores { "_".to_owned() } else { "0".to_owned() };
        }
        fields.join(", ")
    }

    fn talk(&mut self, channel: &Channel, variables: &[Variable]) -> String {
        let name = &channel.name;
        if self.rng.chance(1, 2) {
            let sorted = self.rng.chance(1, 5);
            let mut values = Vec::new();
            for &kind in &channel.fields {
                let value = self.value(variables, kind);
                // SPIN sorts by what a value was before it was made to fit.
                let fits = kind == Type::Mtype || !sorted;
                values.push(if fits { value } else { format!("({value}) & 1") });
            }
            let op = if sorted { "!!" } else { "!" };
            return format!("{name}{op}{}", values.join(", "));
        }
        let fields = self.pattern(channel, variables, true);
        match self.rng.below(8) {
            0 => format!("{name}??{fields}"),
            1 if channel.buffered => format!("{name}?<{fields}>"),
            2 if channel.buffered => format!("{name}??<{fields}>"),
            _ => format!("{name}?{fields}"),
        }
    }

    /// Puts labels, and lets jumps lead to one of them.
    fn label(&mut self, body: &mut Vec<Step>) {
        fn count(body: &[Step]) -> usize {
            body.iter().map(|step| 1 + inner(step).map(|part| count(part)).sum::<usize>()).sum()
        }
        fn inner(step: &Step) -> impl Iterator<Item = &Vec<Step>> {
            let closed = matches!(step.kind, Kind::DStep(_));
            step.parts().into_iter().filter(move |_| !closed)
        }
        type Act<'a> = &'a mut dyn FnMut(&mut Step, bool);
        fn at(body: &mut [Step], number: &mut usize, inside: bool, act: Act<'_>) {
            for (position, step) in body.iter_mut().enumerate() {
                if *number == 0 {
                    act(step, inside && position == 0);
                }
                *number = number.wrapping_sub(1);
                if !matches!(step.kind, Kind::DStep(_)) {
                    step.parts_mut().into_iter().for_each(|part| at(part, number, true, act));
                }
            }
        }
        let all = count(body);
        let mut targets = Vec::new();
        for kind in ["L", "L", "L", "end", "progress", "accept", "progress"] {
            if kind != "L" && self.rng.chance(1, 2) {
                continue;
            }
            self.fresh += 1;
            let label = format!("{kind}{}", self.fresh);
            let mut number = self.rng.below(all);
            at(body, &mut number, false, &mut |step, begins| {
                let plain = |text: &str| matches!(&step.kind, Kind::Plain(it) if it == text);
                // SPIN refuses a label at the beginning of what is inside of something.
                let closed = matches!(step.kind, Kind::DStep(_));
                if !plain("goto") && !plain("break") && !begins && !closed && step.labels.is_empty()
                {
                    step.labels.push(label.clone());
                    targets.push(label.clone());
                }
            });
        }
        self.fresh += 1;
        let end = format!("L{}", self.fresh);
        let mut used = false;
        for number in 0..all {
            let mut number = number;
            let target = if targets.is_empty() { &end } else { self.rng.pick(&targets) };
            at(body, &mut number, false, &mut |step, _| {
                if matches!(&step.kind, Kind::Plain(text) if text == "goto") {
                    used |= targets.is_empty();
                    step.kind = Kind::Plain(format!("goto {target}"));
                }
            });
        }
        if used {
            let mut last = Step::plain("skip");
            last.labels.push(end);
            body.push(last);
        }
    }

    fn formula(&mut self, depth: usize, labels: &[String]) -> String {
        if depth == 0 {
            if !labels.is_empty() && self.rng.chance(1, 4) {
                return format!("({})", self.rng.pick(labels));
            }
            let variables = self.globals.clone();
            let variable = self.rng.pick(&variables).clone();
            let name = variable.text.replace('#', "0");
            if variable.kind == Type::Mtype {
                return format!("({name} == {})", self.rng.pick(&["red", "green", "blue"]));
            }
            let op = *self.rng.pick(&["==", "!=", ">", "<="]);
            return format!("({name} {op} {})", self.rng.below(2));
        }
        let (left, right) = (self.rng.below(depth), self.rng.below(depth));
        let one = self.formula(left, labels);
        let two = self.formula(right, labels);
        match self.rng.below(14) {
            // SPIN does not come to an end with several of them.
            12 if left + right == 0 => format!("({one} W {two})"),
            13 => format!("({one} <-> {two})"),
            0..=2 => format!("([] {one})"),
            3..=5 => format!("(<> {one})"),
            6 => format!("({one} U {two})"),
            7 => format!("({one} && {two})"),
            8 => format!("({one} || {two})"),
            9 => format!("({one} -> {two})"),
            10 => format!("({one} V {two})"),
            _ => format!("(! {one})"),
        }
    }
}

/// Whether a statement sends.
fn sends(text: &str) -> bool {
    let behind = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    behind.len() < text.len() && behind.starts_with('!')
}

/// All labels outside of `d_step`.
fn labels_of(body: &[Step], found: &mut dyn FnMut(&str)) {
    for step in body {
        for label in step.labels.iter().filter(|label| !label.starts_with("accept")) {
            found(label);
        }
        if !matches!(step.kind, Kind::DStep(_)) {
            step.parts().into_iter().for_each(|part| labels_of(part, found));
        }
    }
}
