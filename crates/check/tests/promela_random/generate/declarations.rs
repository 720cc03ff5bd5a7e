//! Declarations before the processes.

use super::{Channel, Generator, Type, Variable};

impl Generator {
    /// Macros, types, variables and channels.
    pub(super) fn declarations(&mut self) -> Vec<String> {
        let mut all = vec!["mtype = { red, green, blue }".to_owned()];
        if self.rng.chance(1, 5) {
            all.push("#define MIX(a, b) ((a) + 2 * (b))".to_owned());
            self.macros.push("MIX".to_owned());
        }
        if self.rng.chance(1, 5) {
            all.push("#define LESS(a, b) ((a) < (b) -> 1 : 0)".to_owned());
            self.macros.push("LESS".to_owned());
        }
        for at in 0..1 + self.rng.below(3) {
            all.push(self.global(at));
        }
        for at in 0..self.rng.below(3) {
            all.push(self.channel(at));
        }
        if !self.channels.is_empty() && self.rng.chance(1, 4) {
            self.carried = Some(self.rng.pick(&self.channels).clone());
            all.push(self.carrier());
        }
        if self.rng.chance(1, 8) {
            all.push(self.messages());
        }
        all
    }

    fn global(&mut self, at: usize) -> String {
        let name = format!("g{at}");
        let (text, declared, kind) = match self.rng.below(15) {
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
            10 => (name.clone(), format!("unsigned {name} : 5 = 31"), Type::Five),
            11 => {
                let declared =
                    format!("mtype:size{at} = {{ small, large }};\nmtype:size{at} {name} = small");
                // Symbols are declared once.
                if self.globals.iter().any(|it| it.kind == Type::Size) {
                    (name.clone(), format!("byte {name} = 254"), Type::Byte)
                } else {
                    (name.clone(), declared, Type::Size)
                }
            }
            12 => {
                let declared = format!(
                    "typedef I{at} {{ bit a; short b }};\ntypedef O{at} {{ I{at} i[2]; byte c }};\nO{at} {name}"
                );
                self.globals.push(Variable::new(format!("{name}.i[#].a"), Type::Bit));
                self.globals.push(Variable::new(format!("{name}.c"), Type::Byte));
                (format!("{name}.i[#].b"), declared, Type::Short)
            }
            _ => {
                self.globals.push(Variable::new(format!("{name}.a"), Type::Bit));
                self.globals.push(Variable::new(format!("{name}.c"), Type::Two));
                let declared =
                    format!("typedef T{at} {{ bit a; byte b[2]; unsigned c : 2 }};\nT{at} {name}");
                (format!("{name}.b[#]"), declared, Type::Byte)
            }
        };
        self.globals.push(Variable::new(text, kind));
        declared
    }

    fn channel(&mut self, at: usize) -> String {
        let (channel, declared) = self.any_channel(&format!("q{at}"));
        self.channels.push(channel);
        declared
    }

    fn any_channel(&mut self, name: &str) -> (Channel, String) {
        let (fields, shape) = match self.rng.below(4) {
            0 => (vec![Type::Byte], "byte"),
            1 => (vec![Type::Mtype], "mtype"),
            2 => (vec![Type::Mtype, Type::Bit], "mtype, bit"),
            _ => (vec![Type::Byte, Type::Short], "byte, short"),
        };
        let capacity = *self.rng.pick(&[0, 0, 1, 1, 2]);
        let array = self.rng.chance(1, 5);
        let (text, size) =
            if array { (format!("{name}[#]"), "[2]") } else { (name.to_owned(), "") };
        let declared = format!("chan {name}{size} = [{capacity}] of {{ {shape} }}");
        (Channel { name: text, fields, buffered: capacity > 0 }, declared)
    }

    /// A channel for channels.
    fn carrier(&mut self) -> String {
        let capacity = self.rng.below(2);
        let (fields, shape) = match self.rng.below(2) {
            0 => (vec![Type::Chan], "chan"),
            _ => (vec![Type::Chan, Type::Byte], "chan, byte"),
        };
        self.channels.push(Channel { name: "qc".to_owned(), fields, buffered: capacity > 0 });
        format!("chan qc = [{capacity}] of {{ {shape} }}")
    }

    /// A channel for structures, and two variables.
    fn messages(&mut self) -> String {
        let capacity = self.rng.below(3);
        let fields = vec![Type::Message];
        self.channels.push(Channel { name: "qm".to_owned(), fields, buffered: capacity > 0 });
        self.globals.push(Variable::new("m0.a", Type::Byte));
        self.globals.push(Variable::new("m1.b", Type::Bit));
        format!("typedef M {{ byte a; bit b }};\nM m0;\nM m1;\nchan qm = [{capacity}] of {{ M }}")
    }

    /// A channel of a process; like the one that processes are given, if that is needed.
    pub(super) fn own_channel(&mut self) -> (Channel, String) {
        self.fresh += 1;
        let name = format!("l{}", self.fresh);
        let like = self.given.clone().or(self.carried.clone());
        loop {
            let (channel, declared) = self.any_channel(&name);
            let fits = |like: &Channel| channel.is_like(like) || like.fields.contains(&Type::Chan);
            if like.as_ref().is_none_or(fits) || self.rng.chance(1, 20) {
                return (channel, declared);
            }
        }
    }

    pub(super) fn local(&mut self) -> (Variable, String) {
        self.fresh += 1;
        let name = format!("v{}", self.fresh);
        let (kind, declared) = match self.rng.below(5) {
            0 => (Type::Bit, format!("bit {name}")),
            1 => (Type::Byte, format!("byte {name}")),
            2 => (Type::Short, format!("short {name}")),
            3 => (Type::Two, format!("unsigned {name} : 2")),
            _ => (Type::Mtype, format!("mtype {name}")),
        };
        (Variable::new(name, kind), declared)
    }
}
