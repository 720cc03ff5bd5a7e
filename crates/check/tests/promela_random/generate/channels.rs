//! Sending and receiving.

use super::{Channel, Generator, Place, Type, Variable};

use crate::promela_random::program::{Kind, Step};

impl Generator {
    /// The name of a channel. Its index does not change with what is received.
    pub(super) fn channel_name(&mut self, channel: &Channel) -> String {
        let index = *self.rng.pick(&["0", "1", "_pid & 1"]);
        channel.name.replace('#', index)
    }

    /// A channel like another one, of those that can be named.
    pub(super) fn channel_like(&mut self, like: &Channel, place: &Place) -> String {
        let fitting: Vec<Channel> =
            place.channels.iter().filter(|it| it.is_like(like)).cloned().collect();
        let chosen =
            if fitting.is_empty() { like.clone() } else { self.rng.pick(&fitting).clone() };
        self.channel_name(&chosen)
    }

    /// Sends or receives.
    pub(super) fn talk(&mut self, channel: &Channel, variables: &[Variable]) -> String {
        let name = self.channel_name(channel);
        if self.rng.chance(1, 2) {
            let sorted = self.rng.chance(1, 5) && !channel.fields.contains(&Type::Chan);
            let mut values = Vec::new();
            for &kind in &channel.fields {
                let value = self.value(variables, kind);
                // SPIN sorts by what a value was before it was made to fit.
                let fits = !kind.is_number() || !sorted;
                values.push(if fits { value } else { format!("({value}) & 1") });
            }
            let op = if sorted { "!!" } else { "!" };
            return match values.as_slice() {
                [first, rest @ ..] if channel.fields[0] == Type::Mtype && !rest.is_empty() => {
                    format!("{name}{op}{first}({})", rest.join(", "))
                }
                _ => format!("{name}{op}{}", values.join(", ")),
            };
        }
        let fields = self.pattern(channel, variables, true);
        match self.rng.below(8) {
            0 => format!("{name}??{fields}"),
            1 if channel.buffered => format!("{name}?<{fields}>"),
            2 if channel.buffered => format!("{name}??<{fields}>"),
            _ => format!("{name}?{fields}"),
        }
    }

    /// A first statement of a `d_step`: for one that begins with sending or receiving SPIN makes C that does
    /// not compile, or lets the two meet by halves.
    pub(super) fn guarded_talk(&mut self, channel: &Channel, variables: &[Variable]) -> Step {
        let sends = self.rng.chance(1, 2);
        let (guard, op) = if sends { ("nfull", "!") } else { ("nempty", "?") };
        let mut fields = Vec::new();
        for &kind in &channel.fields {
            let value = self.value(variables, kind);
            fields.push(if sends || kind == Type::Message { value } else { "_".to_owned() });
        }
        let (name, fields) = (self.channel_name(channel), fields.join(", "));
        let talk = Step::plain(format!("{name}{op}{fields}"));
        let guard = Step::plain(format!("{guard}({name})"));
        Step::of(Kind::Block(String::new(), vec![guard, talk]))
    }

    /// A condition about a channel.
    pub(super) fn channel_condition(&mut self, variables: &[Variable]) -> String {
        let channel = self.rng.pick(&self.visible).clone();
        let name = self.channel_name(&channel);
        match self.rng.below(6) {
            0 => format!("empty({name})"),
            1 => format!("nempty({name})"),
            2 => format!("full({name})"),
            3 => format!("nfull({name})"),
            // SPIN calls a poll of a rendezvous an error.
            sort if !channel.buffered || channel.fields == [Type::Message] => {
                format!("len({name}) == {}", sort - 4)
            }
            sort => {
                let fields = self.pattern(&channel, variables, false);
                format!("{name}{}[{fields}]", if sort == 4 { "?" } else { "??" })
            }
        }
    }

    /// Pattern to receive, or to look for unless it is stored.
    fn pattern(&mut self, channel: &Channel, variables: &[Variable], stores: bool) -> String {
        let mut fields = Vec::new();
        for &kind in &channel.fields {
            fields.push(self.field(kind, variables, stores));
        }
        // A variable that is stored twice, or compared and stored, depends on the order.
        let mut seen = fields.clone();
        seen.retain(|it| it.starts_with(['g', 'v', 'd', 'h', 'm', 'x']) || it.starts_with("eval"));
        if seen.len() > 1 {
            fields[1] = if stores { "_".to_owned() } else { "0".to_owned() };
        }
        fields.join(", ")
    }

    fn field(&mut self, kind: Type, variables: &[Variable], stores: bool) -> String {
        let plain = |it: &&Variable| !it.text.contains('#') && !it.counts;
        let fits = |it: &&Variable| it.kind == kind || (kind.is_number() && it.kind.is_number());
        let fitting: Vec<&Variable> = variables.iter().filter(plain).filter(fits).collect();
        // SPIN takes back what was received from where it was stored, which must not be narrower.
        let wide = |it: &&Variable| match kind {
            Type::Byte => matches!(it.kind, Type::Byte | Type::Short | Type::Int),
            Type::Short => matches!(it.kind, Type::Short | Type::Int),
            _ => true,
        };
        let wide: Vec<&Variable> = fitting.iter().copied().filter(wide).collect();
        match self.rng.below(6) {
            _ if kind == Type::Message => (*self.rng.pick(&["m0", "m1"])).to_owned(),
            0 | 1 if kind == Type::Mtype => (*self.rng.pick(&["red", "green"])).to_owned(),
            0 | 1 if kind != Type::Chan => self.rng.below(2).to_string(),
            2 if !fitting.is_empty() => {
                let text = &self.rng.pick(&fitting).text;
                match kind.is_number() && self.rng.chance(1, 3) {
                    true => format!("eval({text} & 1)"),
                    false => format!("eval({text})"),
                }
            }
            0 | 1 | 3 | 4 if stores && !wide.is_empty() => self.rng.pick(&wide).text.clone(),
            _ if stores => "_".to_owned(),
            _ if kind == Type::Mtype => "blue".to_owned(),
            _ if kind == Type::Chan => format!("eval({})", self.value(variables, kind)),
            _ => "1".to_owned(),
        }
    }
}

/// Whether a statement sends.
pub(super) fn sends(text: &str) -> bool {
    let named = |byte: u8| byte.is_ascii_alphanumeric() || byte == b']';
    text.as_bytes().windows(2).any(|pair| named(pair[0]) && pair[1] == b'!')
}
