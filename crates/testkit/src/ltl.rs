//! Whether an LTL formula holds of an ultimately periodic word, by the definition.
//!
//! [`Ltl`] is a formula as plain data, with every operator that Fairly reads, and
//! [`Ltl::holds`] looks at the word and nothing else: no rewriting, no automaton. A formula of
//! another crate gets here as text, in the prefix notation of LBT ([`Ltl::from_lbt`]), and goes
//! there as text too ([`Ltl::infix`]), so that no type is shared with what is judged.
//!
//! For whether an *automaton* accepts the word, see [`crate::words`].

use crate::{Rng, TinyWord};

/// An operator with the indices of its operands, which come earlier in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LtlNode {
    /// Always holds.
    True,
    /// Never holds.
    False,
    /// The proposition with this bit in the letters of a word.
    Atom(u8),
    /// Negation.
    Not(usize),
    /// Conjunction.
    And(usize, usize),
    /// Disjunction.
    Or(usize, usize),
    /// Implication.
    Implies(usize, usize),
    /// Equivalence.
    Iff(usize, usize),
    /// Exclusive or.
    Xor(usize, usize),
    /// At the next position.
    Next(usize),
    /// At some position from here on.
    Finally(usize),
    /// At every position from here on.
    Globally(usize),
    /// The right one at some position, the left one at every position before.
    Until(usize, usize),
    /// The right one up to and including the first position of the left one, or for ever.
    Release(usize, usize),
    /// Until, or the left one for ever.
    WeakUntil(usize, usize),
    /// Release, and the left one does come.
    StrongRelease(usize, usize),
}

/// A formula: operands before operators, the root last. No depth, so no recursion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ltl {
    /// The nodes; the last is the formula.
    pub nodes: Vec<LtlNode>,
}

/// Which random formulas.
#[derive(Clone, Debug)]
pub struct LtlShape {
    /// Operators and propositions in the formula.
    pub size: usize,
    /// How many propositions there are, at most eight.
    pub atoms: u8,
    /// The operators to choose from, as LBT writes them: of `!&|ie^XFGUVWM`.
    pub operators: &'static str,
}

impl Default for LtlShape {
    fn default() -> Self {
        LtlShape { size: 10, atoms: 3, operators: "!&|ie^XFGUVWM" }
    }
}

/// A random formula of exactly that size (one more if a last binary operator needs it).
///
/// ```
/// use fairly_testkit::{Rng, ltl};
/// let mut rng = Rng::new(3);
/// let formula = ltl::random_formula(&mut rng, &ltl::LtlShape::default());
/// let word = fairly_testkit::random_word(&mut rng, 3, 4, 4);
/// let negation = ltl::Ltl::from_lbt(&format!("! {}", formula.lbt())).unwrap();
/// assert_ne!(formula.holds(&word), negation.holds(&word));
/// ```
pub fn random_formula(rng: &mut Rng, shape: &LtlShape) -> Ltl {
    let operators: Vec<char> = shape.operators.chars().collect();
    let unary: Vec<char> = operators.iter().copied().filter(|c| "!XFG".contains(*c)).collect();
    // A formula in prefix notation, read left to right: so many operands are still to come.
    let mut text = String::new();
    let mut open: Vec<usize> = vec![shape.size];
    while let Some(size) = open.pop() {
        match size {
            0 | 1 => text.push_str(&match rng.below(20) {
                0 => "t ".to_owned(),
                1 => "f ".to_owned(),
                _ => format!("p{} ", rng.below(usize::from(shape.atoms))),
            }),
            2 if unary.is_empty() => open.push(1),
            _ => {
                let operator = *rng.pick(if size == 2 { &unary } else { &operators });
                text.push(operator);
                text.push(' ');
                if unary.contains(&operator) {
                    open.push(size - 1);
                } else {
                    let left = 1 + rng.below(size - 2);
                    open.push(size - 1 - left);
                    open.push(left);
                }
            }
        }
    }
    Ltl::from_lbt(&text).expect("the generator writes well-formed text")
}

impl Ltl {
    /// Reads LBT's prefix notation: `t f p0 p1 … ! & | i e ^ X F G U V W M`, separated by spaces.
    /// `None` if it is something else.
    pub fn from_lbt(text: &str) -> Option<Ltl> {
        let mut nodes = Vec::new();
        let mut operands: Vec<usize> = Vec::new();
        // From the right, so that operands come before their operators.
        for token in text.split_whitespace().rev() {
            let mut operand = || operands.pop();
            let node = match token {
                "t" => LtlNode::True,
                "f" => LtlNode::False,
                "!" => LtlNode::Not(operand()?),
                "&" => LtlNode::And(operand()?, operand()?),
                "|" => LtlNode::Or(operand()?, operand()?),
                "i" => LtlNode::Implies(operand()?, operand()?),
                "e" => LtlNode::Iff(operand()?, operand()?),
                "^" => LtlNode::Xor(operand()?, operand()?),
                "X" => LtlNode::Next(operand()?),
                "F" => LtlNode::Finally(operand()?),
                "G" => LtlNode::Globally(operand()?),
                "U" => LtlNode::Until(operand()?, operand()?),
                "V" => LtlNode::Release(operand()?, operand()?),
                "W" => LtlNode::WeakUntil(operand()?, operand()?),
                "M" => LtlNode::StrongRelease(operand()?, operand()?),
                name => LtlNode::Atom(name.strip_prefix('p')?.parse().ok().filter(|&p| p < 8)?),
            };
            operands.push(nodes.len());
            nodes.push(node);
        }
        (operands.len() == 1).then_some(Ltl { nodes })
    }

    /// The formula in LBT's prefix notation.
    pub fn lbt(&self) -> String {
        self.written(|name, operands| match operands {
            [] => name.to_owned(),
            [a] => format!("{name} {a}"),
            [a, b, ..] => format!("{name} {a} {b}"),
        })
    }

    /// The formula with parentheses round every operand and propositions `p0`, `p1`, …: the
    /// safest text for a parser that is to be tested.
    pub fn infix(&self) -> String {
        self.written(|name, operands| match (name, operands) {
            ("t", _) => "true".to_owned(),
            ("f", _) => "false".to_owned(),
            (_, []) => name.to_owned(),
            (_, [a]) => format!("{name} ({a})"),
            (_, [a, b, ..]) => {
                let name = match name {
                    "i" => "->",
                    "e" => "<->",
                    other => other,
                };
                format!("({a}) {name} ({b})")
            }
        })
    }

    fn written(&self, write: impl Fn(&str, &[&str]) -> String) -> String {
        let mut texts: Vec<String> = Vec::new();
        for node in &self.nodes {
            let of = |i: usize| texts[i].as_str();
            let text = match *node {
                LtlNode::True => write("t", &[]),
                LtlNode::False => write("f", &[]),
                LtlNode::Atom(p) => write(&format!("p{p}"), &[]),
                LtlNode::Not(a) => write("!", &[of(a)]),
                LtlNode::And(a, b) => write("&", &[of(a), of(b)]),
                LtlNode::Or(a, b) => write("|", &[of(a), of(b)]),
                LtlNode::Implies(a, b) => write("i", &[of(a), of(b)]),
                LtlNode::Iff(a, b) => write("e", &[of(a), of(b)]),
                LtlNode::Xor(a, b) => write("^", &[of(a), of(b)]),
                LtlNode::Next(a) => write("X", &[of(a)]),
                LtlNode::Finally(a) => write("F", &[of(a)]),
                LtlNode::Globally(a) => write("G", &[of(a)]),
                LtlNode::Until(a, b) => write("U", &[of(a), of(b)]),
                LtlNode::Release(a, b) => write("V", &[of(a), of(b)]),
                LtlNode::WeakUntil(a, b) => write("W", &[of(a), of(b)]),
                LtlNode::StrongRelease(a, b) => write("M", &[of(a), of(b)]),
            };
            texts.push(text);
        }
        texts.pop().expect("a formula has a root")
    }

    /// The formula that says of `(s0, e0) (s1, e1) …` what this one says of
    /// `(s0, –) (s1, e0) (s2, e1) …`, where the events have moved one position on and the first has
    /// none. The propositions with a bit in `events` are events, the others are of the states.
    ///
    /// Position *i* of the first word is position *i + 1* of the second, but for the states, which are
    /// then those of the next position: `later` rewrites by that alone. The first position of the second
    /// word is peeled off by the expansion laws of the operators: `first`.
    #[must_use]
    pub fn events_entering(&self, events: u8) -> Ltl {
        let mut later: Vec<String> = Vec::new();
        let mut first: Vec<String> = Vec::new();
        for node in &self.nodes {
            let unary = |name: &str, a: usize, of: &[String]| format!("{name} {}", of[a]);
            let binary = |name: &str, a: usize, b: usize, of: &[String]| {
                format!("{name} {} {}", of[a], of[b])
            };
            let (then, now) = match *node {
                LtlNode::True => ("t".to_owned(), "t".to_owned()),
                LtlNode::False => ("f".to_owned(), "f".to_owned()),
                LtlNode::Atom(p) if events >> p & 1 == 1 => (format!("p{p}"), "f".to_owned()),
                LtlNode::Atom(p) => (format!("X p{p}"), format!("p{p}")),
                LtlNode::Not(a) => (unary("!", a, &later), unary("!", a, &first)),
                LtlNode::And(a, b) => (binary("&", a, b, &later), binary("&", a, b, &first)),
                LtlNode::Or(a, b) => (binary("|", a, b, &later), binary("|", a, b, &first)),
                LtlNode::Implies(a, b) => (binary("i", a, b, &later), binary("i", a, b, &first)),
                LtlNode::Iff(a, b) => (binary("e", a, b, &later), binary("e", a, b, &first)),
                LtlNode::Xor(a, b) => (binary("^", a, b, &later), binary("^", a, b, &first)),
                LtlNode::Next(a) => (unary("X", a, &later), later[a].clone()),
                LtlNode::Finally(a) => {
                    let then = unary("F", a, &later);
                    let now = format!("| {} {then}", first[a]);
                    (then, now)
                }
                LtlNode::Globally(a) => {
                    let then = unary("G", a, &later);
                    let now = format!("& {} {then}", first[a]);
                    (then, now)
                }
                LtlNode::Until(a, b) | LtlNode::WeakUntil(a, b) => {
                    let name = if matches!(node, LtlNode::Until(..)) { "U" } else { "W" };
                    let then = binary(name, a, b, &later);
                    let now = format!("| {} & {} {then}", first[b], first[a]);
                    (then, now)
                }
                LtlNode::Release(a, b) | LtlNode::StrongRelease(a, b) => {
                    let name = if matches!(node, LtlNode::Release(..)) { "V" } else { "M" };
                    let then = binary(name, a, b, &later);
                    let now = format!("& {} | {} {then}", first[b], first[a]);
                    (then, now)
                }
            };
            later.push(then);
            first.push(now);
        }
        let text = first.pop().expect("a formula has a root");
        Ltl::from_lbt(&text).expect("written as it is read")
    }

    /// Whether the formula holds at the first position of the word.
    ///
    /// # Panics
    /// If the cycle is empty.
    pub fn holds(&self, word: &TinyWord) -> bool {
        self.values(word)[0]
    }

    /// The value at every position of the stem and then of the cycle.
    ///
    /// # Panics
    /// If the cycle is empty.
    pub fn values(&self, word: &TinyWord) -> Vec<bool> {
        assert!(!word.cycle.is_empty(), "an infinite word has a cycle");
        let letters: Vec<u8> = word.stem.iter().chain(&word.cycle).copied().collect();
        let places = Places { stem: word.stem.len(), count: letters.len() };
        let mut values: Vec<Vec<bool>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let at = |i: usize, place: usize| values[i][place];
            let value = (0..places.count).map(|place| match *node {
                LtlNode::True => true,
                LtlNode::False => false,
                LtlNode::Atom(p) => letters[place] >> p & 1 == 1,
                LtlNode::Not(a) => !at(a, place),
                LtlNode::And(a, b) => at(a, place) && at(b, place),
                LtlNode::Or(a, b) => at(a, place) || at(b, place),
                LtlNode::Implies(a, b) => !at(a, place) || at(b, place),
                LtlNode::Iff(a, b) => at(a, place) == at(b, place),
                LtlNode::Xor(a, b) => at(a, place) != at(b, place),
                LtlNode::Next(a) => at(a, places.after(place)),
                LtlNode::Finally(a) => places.from(place).any(|later| at(a, later)),
                LtlNode::Globally(a) => places.from(place).all(|later| at(a, later)),
                LtlNode::Until(a, b) => places
                    .from(place)
                    .find(|&later| at(b, later) || !at(a, later))
                    .is_some_and(|later| at(b, later)),
                LtlNode::WeakUntil(a, b) => places
                    .from(place)
                    .find(|&later| at(b, later) || !at(a, later))
                    .is_none_or(|later| at(b, later)),
                LtlNode::Release(a, b) => places
                    .from(place)
                    .find(|&later| at(a, later) || !at(b, later))
                    .is_none_or(|later| at(b, later)),
                LtlNode::StrongRelease(a, b) => places
                    .from(place)
                    .find(|&later| at(a, later) || !at(b, later))
                    .is_some_and(|later| at(b, later)),
            });
            let value = value.collect();
            values.push(value);
        }
        values.pop().expect("a formula has a root")
    }
}

/// The positions of an ultimately periodic word.
#[derive(Clone, Copy)]
struct Places {
    stem: usize,
    count: usize,
}

impl Places {
    fn after(self, place: usize) -> usize {
        if place + 1 == self.count { self.stem } else { place + 1 }
    }

    /// This position and the following ones, until all that ever come have been seen, in order.
    fn from(self, place: usize) -> impl Iterator<Item = usize> {
        let mut next = place;
        (0..self.count).map(move |_| {
            let here = next;
            next = self.after(here);
            here
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(lbt: &str, stem: &[u8], cycle: &[u8]) -> bool {
        let word = TinyWord { stem: stem.to_vec(), cycle: cycle.to_vec() };
        Ltl::from_lbt(lbt).unwrap().holds(&word)
    }

    #[test]
    fn the_definitions_by_hand() {
        assert!(holds("U p0 p1", &[1, 1, 2], &[0]));
        assert!(!holds("U p0 p1", &[1, 0, 2], &[0]));
        assert!(!holds("U p0 p1", &[], &[1]) && holds("W p0 p1", &[], &[1]));
        assert!(holds("V p0 p1", &[2, 3], &[0]) && !holds("V p0 p1", &[2, 1], &[0]));
        assert!(holds("V p0 p1", &[], &[2]) && !holds("M p0 p1", &[], &[2]));
        assert!(holds("M p0 p1", &[2, 3], &[0]));
        assert!(holds("G F p0", &[], &[0, 1]) && !holds("F G p0", &[], &[0, 1]));
        assert!(holds("X p0", &[0], &[1]) && holds("X X p0", &[0], &[0, 1]));
        assert!(holds("X p0", &[], &[1]) && holds("e p0 p1", &[3], &[0]));
        assert!(holds("^ p0 p1", &[1], &[0]) && holds("i p0 p1", &[0], &[0]));
        assert!(holds("F p0", &[0], &[0, 0, 1]) && !holds("G p0", &[1], &[1, 0]));
    }

    #[test]
    fn the_operators_agree_with_each_other() {
        let mut rng = Rng::new(1);
        let shape = LtlShape { size: 6, ..LtlShape::default() };
        for _ in 0..500 {
            let (a, b) =
                (random_formula(&mut rng, &shape).lbt(), random_formula(&mut rng, &shape).lbt());
            let word = crate::random_word(&mut rng, 3, 5, 5);
            for (one, other) in [
                (format!("U {a} {b}"), format!("| {b} & {a} X U {a} {b}")),
                (format!("W {a} {b}"), format!("| G {a} U {a} {b}")),
                (format!("V {a} {b}"), format!("! U ! {a} ! {b}")),
                (format!("M {a} {b}"), format!("U {b} & {a} {b}")),
                (format!("F {a}"), format!("U t {a}")),
                (format!("G {a}"), format!("! F ! {a}")),
            ] {
                let [x, y] = [&one, &other].map(|text| Ltl::from_lbt(text).unwrap().holds(&word));
                assert_eq!(x, y, "{one} and {other} on {word}");
            }
        }
    }

    #[test]
    fn moving_the_events_is_the_same_as_moving_the_formula() {
        let mut rng = Rng::new(5);
        let (mut yes, mut no) = (0, 0);
        for _ in 0..2_000 {
            let shape = LtlShape { size: 1 + rng.below(8), ..LtlShape::default() };
            let formula = random_formula(&mut rng, &shape);
            let events = 1u8 << rng.below(3) | 1 << rng.below(3);
            let word = crate::random_word(&mut rng, 3, 4, 4);
            let moved = word.events_entering(events);
            let holds = formula.holds(&moved);
            let told = formula.events_entering(events).holds(&word);
            assert_eq!(holds, told, "{} on {word} and {moved}, events {events}", formula.lbt());
            *(if holds { &mut yes } else { &mut no }) += 1;
        }
        assert!(yes > 300 && no > 300, "{yes} {no}");
    }

    #[test]
    fn the_generator_keeps_to_its_shape() {
        let mut rng = Rng::new(2);
        for size in 1..40 {
            let formula = random_formula(&mut rng, &LtlShape { size, ..LtlShape::default() });
            assert_eq!(formula.nodes.len(), size);
            assert_eq!(Ltl::from_lbt(&formula.lbt()), Some(formula));
        }
        let shape = LtlShape { size: 9, atoms: 1, operators: "&U" };
        let text = random_formula(&mut rng, &shape).lbt();
        assert!(!text.contains(['!', 'X', 'F', '|']), "{text}");
        for wrong in ["", "U p0", "p0 p1", "p9", "? p0"] {
            assert_eq!(Ltl::from_lbt(wrong), None, "{wrong}");
        }
    }
}
