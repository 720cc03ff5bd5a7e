//! Values and conditions.

use super::{Generator, Type, Variable};

impl Generator {
    /// A variable with an index, if it needs one.
    pub(super) fn named(&mut self, variable: &Variable) -> String {
        if !variable.text.contains('#') {
            return variable.text.clone();
        }
        let plain: Vec<&Variable> = self
            .globals
            .iter()
            .filter(|it| it.kind.is_number() && !it.text.contains('#'))
            .collect();
        let index = match self.rng.below(4) {
            0 => "0".to_owned(),
            1 => "1".to_owned(),
            2 if !plain.is_empty() => format!("{} & 1", self.rng.pick(&plain).text),
            _ => "_pid & 1".to_owned(),
        };
        variable.text.replace('#', &index)
    }

    pub(super) fn assignment(&mut self, variables: &[Variable]) -> String {
        let free: Vec<&Variable> = variables.iter().filter(|it| !it.counts).collect();
        let variable = (*self.rng.pick(&free)).clone();
        self.assigned(&variable, variables)
    }

    /// An assignment to this variable.
    pub(super) fn assigned(&mut self, variable: &Variable, variables: &[Variable]) -> String {
        let name = self.named(variable);
        if matches!(variable.kind, Type::Bit | Type::Two) && self.rng.chance(1, 4) {
            return format!("{name}{}", self.rng.pick(&["++", "--"]));
        }
        format!("{name} = {}", self.value(variables, variable.kind))
    }

    /// A value for a variable.
    pub(super) fn value(&mut self, variables: &[Variable], kind: Type) -> String {
        let any = self.expression(variables, 1);
        match kind {
            Type::Mtype => self.symbol(variables, kind, &["red", "green", "blue"]),
            Type::Size => self.symbol(variables, kind, &["small", "large"]),
            Type::Message => (*self.rng.pick(&["m0", "m1"])).to_owned(),
            Type::Chan => {
                let carried =
                    self.carried.clone().expect("channels that hold channels are like it");
                let known: Vec<&Variable> = variables.iter().filter(|it| it.kind == kind).collect();
                if !known.is_empty() && self.rng.chance(1, 2) {
                    let chosen = (*self.rng.pick(&known)).clone();
                    return self.named(&chosen);
                }
                let like = |it: &&super::Channel| it.is_like(&carried);
                let all: Vec<super::Channel> = self.channels.iter().filter(like).cloned().collect();
                let chosen = self.rng.pick(&all).clone();
                self.channel_name(&chosen)
            }
            Type::Bit | Type::Two => any,
            _ if self.rng.chance(1, 3) => self.rng.below(3).to_string(),
            Type::Five if self.rng.chance(1, 2) => format!("31 + ({any} & 3)"),
            Type::Byte if self.rng.chance(1, 3) => format!("255 + ({any} & 1)"),
            Type::Short if self.rng.chance(1, 4) => format!("32767 + ({any} & 1)"),
            Type::Short if self.rng.chance(1, 4) => format!("-32768 - ({any} & 1)"),
            Type::Short | Type::Int | Type::Byte | Type::Five if self.rng.chance(1, 4) => {
                format!("-({any} & 1)")
            }
            _ => format!("({any}) & 1"),
        }
    }

    fn symbol(&mut self, variables: &[Variable], kind: Type, symbols: &[&str]) -> String {
        let known: Vec<&Variable> = variables.iter().filter(|it| it.kind == kind).collect();
        if !known.is_empty() && self.rng.chance(1, 3) {
            return self.rng.pick(&known).text.clone();
        }
        (*self.rng.pick(symbols)).to_owned()
    }

    pub(super) fn expression(&mut self, variables: &[Variable], depth: usize) -> String {
        if depth == 0 || self.rng.chance(1, 4) {
            return match self.rng.below(9) {
                0 | 1 => self.rng.below(3).to_string(),
                2 => (*self.rng.pick(&["_pid", "_nr_pr"])).to_owned(),
                3 if !self.visible.is_empty() => {
                    let channel = self.rng.pick(&self.visible).clone();
                    format!("len({})", self.channel_name(&channel))
                }
                4 if self.last => "_last".to_owned(),
                _ => {
                    let readable = |it: &&Variable| it.kind != Type::Chan;
                    let all: Vec<&Variable> = variables.iter().filter(readable).collect();
                    let variable = (*self.rng.pick(&all)).clone();
                    self.named(&variable)
                }
            };
        }
        let left = self.expression(variables, depth - 1);
        let right = self.expression(variables, depth - 1);
        if !self.macros.is_empty() && self.rng.chance(1, 8) {
            return format!("{}({left}, {right})", self.rng.pick(&self.macros));
        }
        match self.rng.below(15) {
            0..=2 => format!("({left} + {right})"),
            3 | 4 => format!("({left} - {right})"),
            5 => format!("({left} * {right})"),
            6 => format!("({left} ^ {right})"),
            7 => format!("({left} % 3)"),
            8 => format!("(({left} > 0) -> {right} : {left})"),
            9 => format!("(({left}) >> 1)"),
            10 => format!("({left} / 2)"),
            11 => format!("({left} | {right})"),
            12 => format!("(~{left})"),
            13 => format!("(({left} & 3) << 1)"),
            _ => format!("({left} == {right})"),
        }
    }

    /// A condition; `talks` if it may be about channels.
    pub(super) fn condition(
        &mut self,
        variables: &[Variable],
        talks: bool,
        depth: usize,
    ) -> String {
        if talks && !self.visible.is_empty() && self.rng.chance(1, 8) {
            return self.channel_condition(variables);
        }
        if !self.elsewhere.is_empty() && self.rng.chance(1, 10) {
            return self.rng.pick(&self.elsewhere).clone();
        }
        if depth > 0 && self.rng.chance(1, 5) {
            let left = self.condition(variables, talks, depth - 1);
            let right = self.condition(variables, talks, depth - 1);
            return format!("({left}) {} ({right})", self.rng.pick(&["&&", "||"]));
        }
        if self.rng.chance(1, 8) {
            return format!("!({})", self.condition(variables, false, 0));
        }
        if self.rng.chance(1, 8)
            && let Some(condition) = self.channels_equal(variables)
        {
            return condition;
        }
        let left = self.expression(variables, 1);
        let right = self.expression(variables, 0);
        let op = *self.rng.pick(&["==", "!=", "<", "<=", ">", ">=", "!=", "=="]);
        format!("{left} {op} {right}")
    }

    /// Whether a variable holds a channel.
    fn channels_equal(&mut self, variables: &[Variable]) -> Option<String> {
        let held = variables.iter().find(|it| it.kind == Type::Chan && !it.counts)?.text.clone();
        let other = self.value(variables, Type::Chan);
        Some(format!("{held} == {other}"))
    }
}
