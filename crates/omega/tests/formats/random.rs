//! Random automata that are awkward to print: odd names, wide marks, every kind of acceptance.

use fairly_omega::{Acceptance, Automaton, Builder, Label, Letters, Mark, MarkSet, Prop, StateId};

/// A small generator, so that a failing seed can be run again.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) % u64::from(bound)) as u32
    }

    pub(crate) fn chance(&mut self, one_in: u32) -> bool {
        self.below(one_in) == 0
    }

    /// A name with characters that need care somewhere.
    pub(crate) fn name(&mut self) -> String {
        const PIECES: [&str; 20] = [
            "p", "q", "crit", "_", "1", " ", "\"", "\\", "é", "\n", "--END--", "/*", "*/", "&",
            "@", "<b>", "{0}", "[", "::", "%",
        ];
        (0..self.below(5)).map(|_| PIECES[self.below(20) as usize]).collect()
    }
}

pub(crate) fn acceptance(random: &mut Random) -> Acceptance {
    let few = random.below(4);
    match random.below(11) {
        0 => Acceptance::True,
        1 => Acceptance::False,
        2 => Acceptance::buchi(),
        3 => Acceptance::co_buchi(),
        4 => Acceptance::generalized_buchi(few),
        5 => Acceptance::streett(few),
        6 => Acceptance::rabin(few),
        7 => {
            let infs: Vec<u32> = (0..few).map(|_| random.below(3)).collect();
            Acceptance::generalized_rabin(&infs)
        }
        8 => Acceptance::parity(random.chance(2), random.chance(2), few + random.below(3)),
        9 => Acceptance::streett(70 + random.below(60)),
        _ => formula(random, 4),
    }
}

fn formula(random: &mut Random, depth: u32) -> Acceptance {
    let mark = Mark(if random.chance(5) { 100 + random.below(400) } else { random.below(5) });
    match random.below(if depth == 0 { 2 } else { 4 }) {
        0 => Acceptance::Inf(mark),
        1 => Acceptance::Fin(mark),
        kind => {
            let parts: Vec<_> =
                (0..1 + random.below(3)).map(|_| formula(random, depth - 1)).collect();
            if kind == 2 { Acceptance::and(parts) } else { Acceptance::or(parts) }
        }
    }
}

pub(crate) fn label(random: &mut Random, letters: &mut Letters, propositions: u32) -> Label {
    if propositions == 0 {
        return Label::TRUE;
    }
    let mut sum = Label::FALSE;
    let most = if random.chance(8) { 60 } else { 3 };
    for _ in 0..1 + random.below(most) {
        let literals: Vec<(Prop, bool)> = (0..random.below(propositions + 1))
            .map(|_| (Prop(random.below(propositions)), random.chance(2)))
            .collect();
        let cube = letters.cube(&literals).unwrap();
        sum =
            if random.chance(5) { letters.xor(sum, cube) } else { letters.or(sum, cube) }.unwrap();
    }
    sum
}

pub(crate) fn propositions(random: &mut Random) -> Vec<String> {
    let most = if random.chance(4) { 12 } else { 4 };
    let count = random.below(most);
    let mut names: Vec<String> = Vec::new();
    while names.len() < count as usize {
        let mut name = random.name();
        if names.contains(&name) {
            name = format!("{name}{}", names.len());
        }
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

pub(crate) fn automaton(random: &mut Random) -> Automaton {
    let propositions = propositions(random);
    let count = propositions.len() as u32;
    let mut builder = Builder::new(propositions);
    if random.chance(2) {
        builder.set_name(Some(random.name()));
    }
    let acceptance = acceptance(random);
    let width = acceptance.marks().iter().last().map_or(0, |mark| mark.0 + 1);
    let declared = width + if random.chance(3) { random.below(3) } else { 0 };
    builder.set_acceptance(acceptance, declared);
    let states = random.below(7);
    builder.add_states(states as usize);
    if states > 0 {
        for _ in 0..random.below(3) {
            builder.add_initial(StateId(random.below(states)));
        }
    }
    let state_based = random.chance(3);
    for from in 0..states {
        let state_marks = marks(random, declared);
        if random.chance(3) {
            builder.set_state_name(StateId(from), random.name());
        }
        for _ in 0..random.below(4) {
            let label = label(random, builder.letters_mut(), count);
            let marks = if state_based { state_marks.clone() } else { marks(random, declared) };
            builder.add_edge(StateId(from), label, marks, StateId(random.below(states)));
        }
    }
    builder.build()
}

fn marks(random: &mut Random, declared: u32) -> MarkSet {
    if declared == 0 {
        return MarkSet::new();
    }
    (0..random.below(4)).map(|_| Mark(random.below(declared))).collect()
}
