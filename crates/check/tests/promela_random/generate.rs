//! Small random Promela programs that SPIN accepts.
//!
//! Constructs that SPIN refuses are avoided: `else` beside channel operations, jumps in a circle, jumps out of
//! `d_step`, `d_step` that blocks after its first statement. Numbers stay small, but for those next to where
//! their type wraps around.

mod channels;
mod declarations;
mod expressions;
mod labels;
mod properties;
mod statements;

use fairly_testkit::Rng;

use crate::promela_random::program::{Kind, Process, Program, Step};

/// Values that a variable can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    /// One bit; anything can be assigned.
    Bit,
    Byte,
    Short,
    Int,
    /// Two bits; anything can be assigned.
    Two,
    /// Five bits.
    Five,
    Mtype,
    /// Of a set of symbols with a name.
    Size,
    /// A channel of the shape that is handed on.
    Chan,
    /// The structure that messages have.
    Message,
}

impl Type {
    fn is_number(self) -> bool {
        !matches!(self, Type::Mtype | Type::Size | Type::Chan | Type::Message)
    }
}

/// Something that can be assigned to; it may contain an index, which is `#`.
#[derive(Clone, Debug)]
struct Variable {
    text: String,
    kind: Type,
    /// The counter of a loop, or something else that is not to be assigned to.
    counts: bool,
}

impl Variable {
    fn new(text: impl Into<String>, kind: Type) -> Variable {
        Variable { text: text.into(), kind, counts: false }
    }
}

/// A channel that can be named, with an index that is `#` in an array, and its fields.
#[derive(Clone, Debug)]
struct Channel {
    name: String,
    fields: Vec<Type>,
    buffered: bool,
}

impl Channel {
    /// Whether one can be taken for the other.
    fn is_like(&self, other: &Channel) -> bool {
        self.fields == other.fields && self.buffered == other.buffered
    }
}

/// An inline that can be called.
#[derive(Clone, Debug)]
struct Called {
    name: String,
    /// The type of the first parameter.
    kind: Type,
    /// Whether it may be called inside `d_step`.
    d_step: bool,
}

struct Generator {
    rng: Rng,
    globals: Vec<Variable>,
    channels: Vec<Channel>,
    /// The channels that can be named in the process that is being written.
    visible: Vec<Channel>,
    /// The parameters of the proctype that is run; none if there is none.
    started: Option<Vec<Type>>,
    /// A channel like the one that is the last parameter.
    given: Option<Channel>,
    /// A channel like those that variables and messages hold.
    carried: Option<Channel>,
    inlines: Vec<Called>,
    /// Names of macros with two parameters.
    macros: Vec<String>,
    /// Labels and variables of processes that are written already, as conditions.
    elsewhere: Vec<String>,
    /// Whether `_last` is used.
    last: bool,
    /// Declarations for the process that is being written.
    pending: Vec<String>,
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
    /// Inside an inline: no jumps, no calls, no declarations.
    inline: bool,
    variables: Vec<Variable>,
    channels: Vec<Channel>,
}

impl Place {
    fn of(variables: Vec<Variable>, channels: Vec<Channel>) -> Place {
        Place {
            depth: 0,
            d_step: false,
            atomic: false,
            in_loop: false,
            waits: true,
            inline: false,
            variables,
            channels,
        }
    }
}

pub(crate) fn program(seed: u64) -> Program {
    let mut generator = Generator {
        rng: Rng::new(seed ^ 0x50_72_6f_6d_65_6c_61),
        globals: Vec::new(),
        channels: Vec::new(),
        visible: Vec::new(),
        started: None,
        given: None,
        carried: None,
        inlines: Vec::new(),
        macros: Vec::new(),
        elsewhere: Vec::new(),
        last: false,
        pending: Vec::new(),
        fresh: 0,
    };
    generator.program()
}

impl Generator {
    fn program(&mut self) -> Program {
        let globals = self.declarations();
        self.visible = self.channels.clone();
        self.last = self.rng.chance(1, 12);
        self.parameters();
        let mut processes = Vec::new();
        for at in 0..self.rng.below(5).saturating_sub(2) {
            processes.push(self.inline(at));
        }
        if let Some(parameters) = self.started.clone() {
            processes.push(self.started_process(&parameters));
        }
        let inactive = processes.len();
        let count = if self.started.is_some() { 1 } else { 2 } + self.rng.below(2);
        let mut labels = Vec::new();
        let mut pid = 0;
        for at in 0..count {
            // A process that is run may get the number of one that is named.
            let named = self.started.is_none();
            let init = at + 1 == count && self.rng.chance(1, 6);
            let twice = !init && self.rng.chance(1, 8);
            let name = if init { "init".to_owned() } else { format!("P{at}") };
            let head = match (init, twice) {
                (true, _) => name.clone(),
                (_, true) => format!("active [2] proctype {name}()"),
                (_, false) => format!("active proctype {name}()"),
            };
            let process = self.process(head, Vec::new(), Vec::new());
            let mut found = Vec::new();
            labels::all(&process.body, &mut |label| found.push(label.to_owned()));
            if !init {
                let number = pid + usize::from(twice && self.rng.chance(1, 2));
                for label in found {
                    labels.push(format!("{name}[{number}]@{label}"));
                }
                if named {
                    self.elsewhere = labels.clone();
                    self.elsewhere.extend(local_number(&process, &name, number));
                }
            }
            pid += if twice { 2 } else { 1 };
            processes.push(process);
        }
        if self.rng.chance(1, 12) {
            // It may stand before what is referred to.
            let elsewhere = std::mem::take(&mut self.elsewhere);
            let condition = self.condition(&self.globals.clone(), false, 1);
            self.elsewhere = elsewhere;
            let at = inactive + self.rng.below(processes.len() - inactive);
            if processes[at].head != "init" {
                processes[at].provided = Some(condition);
            }
        }
        // Fairly keeps `_last` if something that can be reached asks for it, SPIN in any case.
        if let Some(process) = processes.last_mut().filter(|_| self.last) {
            process.body.insert(0, Step::plain("_last >= 0"));
        }
        let formulas = (0..self.rng.below(3)).map(|_| self.promise(&labels)).collect();
        let never = if self.rng.chance(1, 3) { self.never(&labels) } else { Vec::new() };
        Program { globals, processes, formulas, never }
    }

    /// Decides whether there is a proctype that is run, and what it is given.
    fn parameters(&mut self) {
        if !self.rng.chance(2, 5) {
            return;
        }
        let mut parameters = vec![*self.rng.pick(&[Type::Byte, Type::Bit, Type::Short])];
        if self.rng.chance(1, 4) {
            parameters.push(Type::Byte);
        }
        self.started = Some(parameters);
        if !self.channels.is_empty() && self.rng.chance(1, 2) {
            self.given = Some(self.rng.pick(&self.channels).clone());
        }
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
            variables.push(Variable::new(name, *kind));
        }
        let mut channels = Vec::new();
        if let Some(given) = &self.given {
            declared.push("chan c".to_owned());
            channels.push(Channel { name: "c".to_owned(), ..given.clone() });
        }
        let head = format!("proctype R({})", declared.join("; "));
        self.process(head, variables, channels)
    }

    /// An inline that assigns to its first parameter and reads the second.
    fn inline(&mut self, at: usize) -> Process {
        let name = format!("call{at}");
        let kind = *self.rng.pick(&[Type::Bit, Type::Byte]);
        let d_step = self.rng.chance(1, 2);
        let own =
            [Variable::new("x1", kind), Variable { counts: true, ..Variable::new("x2", kind) }];
        let variables = [&own[..], &self.globals[..]].concat();
        let mut place = Place::of(variables.clone(), self.channels.clone());
        (place.depth, place.d_step, place.waits, place.inline) = (2, d_step, !d_step, true);
        // It may be called inside an atomic sequence.
        place.atomic = true;
        let mut body = self.sequence(&place, 2);
        // The first statement of an option must be known where the inline is called.
        let first = self.assigned(&own[0], &variables);
        body.insert(0, Step::plain(first));
        self.inlines.push(Called { name: name.clone(), kind, d_step });
        let head = format!("inline {name}(x1, x2)");
        Process { head, provided: None, locals: Vec::new(), body }
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
                Some(value) if !declared.contains(" : ") => format!("{declared} = {value}"),
                _ => declared,
            });
            own.push(variable);
        }
        if self.rng.chance(1, 6) {
            let (channel, declared) = self.own_channel();
            if self.carried.as_ref().is_some_and(|carried| carried.is_like(&channel)) {
                // It can be sent, but is no variable that gets another channel.
                own.push(Variable { counts: true, ..Variable::new(&channel.name, Type::Chan) });
            }
            channels.push(channel);
            locals.push(declared);
        }
        if let Some(carried) = self.carried.clone().filter(|_| self.rng.chance(2, 3)) {
            self.fresh += 1;
            let name = format!("h{}", self.fresh);
            let start = carried.name.replace('#', "1");
            locals.push(format!("chan {name} = {start}"));
            own.push(Variable::new(name.clone(), Type::Chan));
            channels.push(Channel { name, ..carried });
        }
        own.extend(self.globals.clone());
        // Globals count twice: they are what the others see.
        own.extend(self.globals.clone());
        channels.extend(self.channels.clone());
        self.visible = channels.clone();
        let place = Place::of(own, channels);
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
        self.visible = self.channels.clone();
        locals.append(&mut self.pending);
        Process { head, provided: None, locals, body }
    }
}

/// A condition about the first local variable of a process that is a number.
fn local_number(process: &Process, name: &str, number: usize) -> Option<String> {
    let words = |local: &String| local.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let fits = |words: &Vec<String>| matches!(words[0].as_str(), "byte" | "bit" | "short");
    let words = process.locals.iter().map(words).find(fits)?;
    Some(format!("{name}[{number}]:{} == 1", words[1]))
}
