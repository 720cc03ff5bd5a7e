//! Statements.

use super::channels::sends;
use super::{Channel, Generator, Place, Type, Variable};

use crate::promela_random::program::{Kind, Step};

impl Generator {
    pub(super) fn sequence(&mut self, place: &Place, most: usize) -> Vec<Step> {
        let count = 1 + self.rng.below(most);
        let mut body: Vec<Step> = Vec::new();
        for at in 0..count {
            let mut here = place.clone();
            here.waits = place.waits && (at == 0 || !place.d_step);
            let ends = at > 0 && at + 1 == count;
            let jumps = ends && !place.d_step && !place.inline && place.depth > 0;
            if jumps && self.rng.chance(1, 4) {
                body.push(Step::plain("goto"));
            } else if ends && place.in_loop && self.rng.chance(1, 5) {
                body.push(Step::plain("break"));
            } else {
                body.push(self.step(&here));
            }
        }
        body
    }

    fn step(&mut self, place: &Place) -> Step {
        let inner = Place { depth: place.depth + 1, ..place.clone() };
        if place.depth >= 3 || !self.rng.chance(2, 5) {
            return self.plain(place);
        }
        match self.rng.below(if place.d_step { 5 } else { 12 }) {
            0..=2 => {
                let mut parts = self.options(&inner);
                if place.d_step && !place.waits {
                    self.complete(&mut parts, &inner);
                }
                Step::of(Kind::If(parts))
            }
            // A loop that counts ends.
            3 if place.inline => self.plain(place),
            // SPIN takes some of these inside `d_step` for jumps into it.
            3 if place.d_step && self.rng.chance(2, 3) => self.plain(place),
            3 => self.counted(&inner),
            // SPIN does not see that it goes round inside an atomic sequence.
            4 | 5 if !place.atomic && !place.d_step => {
                let parts = self.options(&Place { in_loop: true, ..inner });
                Step::of(Kind::Do(parts))
            }
            4..=7 => {
                let inner = Place { atomic: true, ..inner };
                Step::of(Kind::Atomic(self.sequence(&inner, 3)))
            }
            8 | 9 => {
                let inner = Place { d_step: true, in_loop: false, ..inner };
                // SPIN refuses remote references there.
                let elsewhere = std::mem::take(&mut self.elsewhere);
                let mut body = self.sequence(&inner, 3);
                self.elsewhere = elsewhere;
                if body.first().is_some_and(unguarded) {
                    body.insert(0, Step::plain("true"));
                }
                Step::of(Kind::DStep(body))
            }
            10 if !place.inline => self.block(inner),
            _ => self.unless(&inner),
        }
    }

    /// `for`, with a variable of its own, or over the messages of a channel.
    fn counted(&mut self, inner: &Place) -> Step {
        let holds = |it: &Channel| it.fields == [Type::Message] && it.buffered;
        if !inner.d_step && self.visible.iter().any(holds) && self.rng.chance(2, 3) {
            let head = format!("for ({} in qm)", self.rng.pick(&["m0", "m1"]));
            let inner = Place { in_loop: true, ..inner.clone() };
            return Step::of(Kind::For(head, self.sequence(&inner, 2)));
        }
        self.fresh += 1;
        let name = format!("i{}", self.fresh);
        let kind = *self.rng.pick(&["byte", "int", "short"]);
        self.pending.push(format!("{kind} {name}"));
        let array = |it: &&Variable| it.text.ends_with("[#]") && !it.text.contains('.');
        let arrays: Vec<String> =
            self.globals.iter().filter(array).map(|it| it.text.replace("[#]", "")).collect();
        let head = if !arrays.is_empty() && self.rng.chance(1, 3) {
            format!("for ({name} in {})", self.rng.pick(&arrays))
        } else {
            let low = self.rng.below(2);
            format!("for ({name} : {low} .. {})", low + self.rng.below(3))
        };
        let counter = Variable { counts: true, ..Variable::new(name, Type::Int) };
        let mut inner = Place { in_loop: true, waits: !inner.d_step, ..inner.clone() };
        inner.variables.extend([counter.clone(), counter]);
        let mut body = self.sequence(&inner, 2);
        let stays = |step: &Step| !matches!(step.kind, Kind::Plain(ref it) if it == "break");
        body.retain(|step| stays(step) || !inner.d_step);
        Step::of(Kind::For(head, body))
    }

    fn block(&mut self, mut inner: Place) -> Step {
        let (variable, declared) = self.local();
        let value = self.value(&inner.variables.clone(), variable.kind);
        let declared = match declared.contains(" : ") || self.rng.chance(1, 2) {
            true => declared,
            false => format!("{declared} = {value}"),
        };
        inner.variables.extend([variable.clone(), variable]);
        Step::of(Kind::Block(declared, self.sequence(&inner, 3)))
    }

    fn unless(&mut self, inner: &Place) -> Step {
        let main = self.sequence(inner, 2);
        let mut escape = self.sequence(inner, 2);
        // SPIN loses the order of the escapes at a rendezvous that is not answered.
        if escape.first().is_some_and(|step| step.begins(&sends)) {
            let condition = self.condition(&inner.variables.clone(), true, 2);
            escape.insert(0, Step::plain(condition));
        }
        Step::of(Kind::Unless(main, escape))
    }

    pub(super) fn options(&mut self, place: &Place) -> Vec<Vec<Step>> {
        let mut parts = Vec::new();
        for _ in 0..1 + self.rng.below(3) {
            parts.push(self.option(place));
        }
        if self.rng.chance(2, 5) {
            self.complete(&mut parts, place);
        }
        parts
    }

    fn option(&mut self, place: &Place) -> Vec<Step> {
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
        part
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
        match self.rng.below(23) {
            0..=7 => Step::plain(self.assignment(variables)),
            8 if place.waits => Step::plain(self.condition(variables, true, 2)),
            9..=14 if place.waits && !channels.is_empty() => {
                let channel = self.rng.pick(channels).clone();
                match (place.d_step, channel.buffered) {
                    (true, true) => self.guarded_talk(&channel, variables),
                    (true, false) => Step::plain(self.condition(variables, true, 2)),
                    (false, _) => Step::plain(self.talk(&channel, variables)),
                }
            }
            15 => self.assertion(variables),
            16 if self.started.is_some() && !place.d_step && !place.inline => self.run(place),
            17 => Step::plain("skip"),
            18 if place.waits && !place.d_step && self.rng.chance(1, 2) => Step::plain("timeout"),
            19 => Step::plain(*self.rng.pick(&["printf(\"x\\n\")", "printm(red)"])),
            20 if !place.inline => Step::plain(self.select(variables)),
            21 | 22 if !place.inline => Step::plain(self.call(place)),
            _ => Step::plain(self.assignment(variables)),
        }
    }

    /// An assertion; without `_last`, which is no part of the states if it is only in assertions and
    /// these are left out.
    fn assertion(&mut self, variables: &[Variable]) -> Step {
        let last = std::mem::take(&mut self.last);
        let condition = self.condition(variables, false, 2);
        self.last = last;
        Step::of(Kind::Assert(condition))
    }

    fn select(&mut self, variables: &[Variable]) -> String {
        let fits = |it: &&Variable| it.kind.is_number() && it.kind != Type::Bit && !it.counts;
        let plain = |it: &&Variable| !it.text.contains(['#', '.']);
        let all: Vec<&Variable> = variables.iter().filter(fits).filter(plain).collect();
        if all.is_empty() {
            return self.assignment(variables);
        }
        let low = self.rng.below(2);
        format!("select ({} : {low} .. {})", self.rng.pick(&all).text, low + self.rng.below(3))
    }

    /// Calls an inline.
    fn call(&mut self, place: &Place) -> String {
        let variables = &place.variables.clone();
        let fits: Vec<_> =
            self.inlines.iter().filter(|it| it.d_step || !place.d_step).cloned().collect();
        if fits.is_empty() {
            return self.assignment(variables);
        }
        let inline = self.rng.pick(&fits).clone();
        let free = |it: &&Variable| it.kind == inline.kind && !it.counts;
        let targets: Vec<Variable> = variables.iter().filter(free).cloned().collect();
        if targets.is_empty() {
            return self.assignment(variables);
        }
        let target = self.rng.pick(&targets).clone();
        let (first, second) = (self.named(&target), self.expression(variables, 0));
        format!("{}({first}, {second})", inline.name)
    }

    /// Starts a process, while there are few.
    fn run(&mut self, place: &Place) -> Step {
        let mut arguments = Vec::new();
        for kind in self.started.clone().unwrap_or_default() {
            arguments.push(self.value(&place.variables, kind));
        }
        if let Some(given) = self.given.clone() {
            arguments.push(self.channel_like(&given, place));
        }
        let run = format!("run R({})", arguments.join(", "));
        let holds = |it: &&Variable| it.kind == Type::Byte && !it.text.contains('#') && !it.counts;
        let kept: Vec<&Variable> = place.variables.iter().filter(holds).collect();
        let run = match self.rng.chance(1, 5) && !kept.is_empty() {
            true => format!("{} = {run}", self.rng.pick(&kept).text),
            false => run,
        };
        Step::of(Kind::Atomic(vec![Step::plain("_nr_pr < 4"), Step::plain(run)]))
    }
}

/// Whether a `d_step` that begins so is executed by SPIN also while a process looks for a partner in a
/// rendezvous.
fn unguarded(step: &Step) -> bool {
    match &step.kind {
        Kind::Assert(_) => true,
        Kind::Plain(text) => ["print", "select"].iter().any(|word| text.starts_with(word)),
        Kind::Atomic(body) | Kind::Block(_, body) => body.first().is_some_and(unguarded),
        _ => false,
    }
}
