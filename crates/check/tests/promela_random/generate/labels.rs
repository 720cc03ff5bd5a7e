//! Labels, and jumps to them.

use super::Generator;

use crate::promela_random::program::{Kind, Step};

type Act<'a> = &'a mut dyn FnMut(&mut Step, Inside);

/// Surroundings of a statement.
#[derive(Clone, Copy, Default)]
struct Inside {
    anything: bool,
    atomic: bool,
    /// It is the first there.
    begins: bool,
}

/// How many statements there are outside of `d_step`.
fn count(body: &[Step]) -> usize {
    let inner = |step: &Step| -> usize {
        let closed = matches!(step.kind, Kind::DStep(_));
        step.parts().into_iter().filter(|_| !closed).map(|part| count(part)).sum()
    };
    body.iter().map(|step| 1 + inner(step)).sum()
}

/// Does something with the statement of this number.
fn at(body: &mut [Step], number: &mut usize, inside: Inside, act: Act<'_>) {
    for (position, step) in body.iter_mut().enumerate() {
        if *number == 0 {
            act(step, Inside { begins: inside.anything && position == 0, ..inside });
        }
        *number = number.wrapping_sub(1);
        let atomic = inside.atomic || matches!(step.kind, Kind::Atomic(_));
        let inside = Inside { anything: true, atomic, begins: false };
        if !matches!(step.kind, Kind::DStep(_)) {
            step.parts_mut().into_iter().for_each(|part| at(part, number, inside, act));
        }
    }
}

/// All labels outside of `d_step`.
pub(super) fn all(body: &[Step], found: &mut dyn FnMut(&str)) {
    for step in body {
        for label in step.labels.iter().filter(|label| !label.starts_with("accept")) {
            found(label);
        }
        if !matches!(step.kind, Kind::DStep(_)) {
            step.parts().into_iter().for_each(|part| all(part, found));
        }
    }
}

impl Generator {
    /// Puts labels, and lets jumps lead to one of them.
    pub(super) fn label(&mut self, body: &mut Vec<Step>) {
        let all = count(body);
        let mut targets = Vec::new();
        for kind in ["L", "L", "L", "end", "progress", "accept", "progress"] {
            if kind != "L" && self.rng.chance(1, 2) {
                continue;
            }
            self.fresh += 1;
            let label = format!("{kind}{}", self.fresh);
            let mut number = self.rng.below(all);
            at(body, &mut number, Inside::default(), &mut |step, inside| {
                let plain = |text: &str| matches!(&step.kind, Kind::Plain(it) if it == text);
                let jumps = plain("goto") || plain("break");
                // Fairly does not see that a label inside an atomic sequence is passed.
                let passed = kind == "accept" && inside.atomic;
                // SPIN refuses a label at the beginning of what is inside of something.
                let closed = inside.begins || matches!(step.kind, Kind::DStep(_));
                if !jumps && !passed && !closed && step.labels.is_empty() {
                    step.labels.push(label.clone());
                    targets.push(label.clone());
                }
            });
        }
        self.jump(body, &targets);
    }

    fn jump(&mut self, body: &mut Vec<Step>, targets: &[String]) {
        self.fresh += 1;
        let end = format!("L{}", self.fresh);
        let mut used = false;
        for number in 0..count(body) {
            let mut number = number;
            let target = if targets.is_empty() { &end } else { self.rng.pick(targets) };
            at(body, &mut number, Inside::default(), &mut |step, _| {
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
}
