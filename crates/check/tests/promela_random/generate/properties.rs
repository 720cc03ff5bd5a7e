//! Formulas and never claims.

use super::{Generator, Type};

use crate::promela_random::program::{Promise, Watch};

impl Generator {
    /// A formula; with `X`, which SPIN does not read, in one of three.
    pub(super) fn promise(&mut self, labels: &[String]) -> Promise {
        let next = self.rng.chance(1, 3);
        let mut promise = Promise { shape: String::new(), atoms: Vec::new() };
        promise.shape = self.formula(3, next, labels, &mut promise.atoms);
        promise
    }

    fn formula(
        &mut self,
        depth: usize,
        next: bool,
        labels: &[String],
        atoms: &mut Vec<String>,
    ) -> String {
        if depth == 0 {
            atoms.push(self.atom(labels));
            return format!("p{}", atoms.len() - 1);
        }
        let (left, right) = (self.rng.below(depth), self.rng.below(depth));
        let one = self.formula(left, next, labels, atoms);
        let choice = self.rng.below(if next { 18 } else { 14 });
        match choice {
            0..=2 => return format!("([] {one})"),
            3..=5 => return format!("(<> {one})"),
            11 => return format!("(! {one})"),
            14..=17 => return format!("(X {one})"),
            _ => {}
        }
        let two = self.formula(right, next, labels, atoms);
        match choice {
            // SPIN does not come to an end with several of them.
            12 if next || left + right == 0 => format!("({one} W {two})"),
            13 => format!("({one} <-> {two})"),
            6 => format!("({one} U {two})"),
            7 => format!("({one} && {two})"),
            8 => format!("({one} || {two})"),
            9 => format!("({one} -> {two})"),
            _ => format!("({one} V {two})"),
        }
    }

    /// A condition on a state that a formula or a claim can be about.
    fn atom(&mut self, labels: &[String]) -> String {
        if !labels.is_empty() && self.rng.chance(1, 4) {
            return self.rng.pick(labels).clone();
        }
        if !self.elsewhere.is_empty() && self.rng.chance(1, 8) {
            return self.rng.pick(&self.elsewhere).clone();
        }
        if self.last && self.rng.chance(1, 4) {
            return format!("_last == {}", self.rng.below(2));
        }
        if !self.channels.is_empty() && self.rng.chance(1, 8) {
            let name = self.rng.pick(&self.channels).name.replace('#', "1");
            // SPIN does not negate `empty` and the like.
            return format!("len({name}) == {}", self.rng.below(2));
        }
        let variable = self.rng.pick(&self.globals).clone();
        let name = variable.text.replace('#', "0");
        match variable.kind {
            Type::Mtype => format!("{name} == {}", self.rng.pick(&["red", "green", "blue"])),
            Type::Size => format!("{name} == {}", self.rng.pick(&["small", "large"])),
            _ => {
                let op = *self.rng.pick(&["==", "!=", ">", "<="]);
                format!("{name} {op} {}", self.rng.below(2))
            }
        }
    }

    pub(super) fn never(&mut self, labels: &[String]) -> Vec<Watch> {
        let count = 1 + self.rng.below(3);
        let mut names = Vec::new();
        for at in 0..count {
            let accepts = self.rng.chance(1, 2);
            names.push(format!("{}S{at}", if accepts { "accept_" } else { "" }));
        }
        let mut states = Vec::new();
        for label in names.clone() {
            let loops = self.rng.chance(1, 2);
            let mut options = Vec::new();
            for _ in 0..1 + self.rng.below(3) {
                let guard = match self.rng.below(6) {
                    0 => "true".to_owned(),
                    1 => format!("!({})", self.atom(labels)),
                    _ => format!("({})", self.atom(labels)),
                };
                options.push((guard, self.target(&names)));
            }
            if self.rng.chance(1, 3) {
                options.push(("else".to_owned(), self.target(&names)));
            }
            states.push(Watch { label, loops, options });
        }
        states
    }

    fn target(&mut self, names: &[String]) -> Option<String> {
        match self.rng.below(12) {
            0 => Some("done".to_owned()),
            1 => None,
            _ => Some(self.rng.pick(names).clone()),
        }
    }
}
