//! Conditions on single states that a person types: `x == 3 && Worker[0]@wants`.
//!
//! A proposition of the system is taken as it is. Everything else is about the names and values that a state is
//! shown with: `NAME`, `NAME == VALUE` and the other comparisons, `PROCESS@PLACE`, with `!`, `&&`, `||` and
//! parentheses. Formulas of a model know more; they are compiled with it, before anybody types.

use fairly_omega::StateId;
use fairly_system::{AtomIndex, TransitionSystem};

/// A condition that has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A proposition of the system.
    Atom(AtomIndex),
    /// About names and values, as they are shown.
    Shown(Expression),
}

/// A condition about names and values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A name, and the value that it is compared with.
    Compare(String, Comparison, String),
    /// The negation.
    Not(Box<Expression>),
    /// All of them.
    Both(Vec<Expression>),
    /// One of them.
    Either(Vec<Expression>),
}

/// How a value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
}

const COMPARISONS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::Unequal),
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("<", Comparison::Less),
    (">", Comparison::More),
];

/// Parentheses and negations inside each other at most.
const DEEPEST: usize = 100;

impl Condition {
    /// Reads a condition on states of a system, of which one is given.
    ///
    /// # Errors
    /// The error in it.
    pub fn read<S: TransitionSystem>(
        text: &str,
        system: &mut S,
        state: StateId,
    ) -> Result<Condition, String> {
        if let Some(atom) = system.atom(text) {
            return Ok(Condition::Atom(atom));
        }
        let expression = parse(text)?;
        let known = values(system, state);
        let is_known = |name: &str| known.iter().any(|(known, _)| known == name);
        match expression.names().into_iter().find(|name| !is_known(name)) {
            None => Ok(Condition::Shown(expression)),
            Some(name) => {
                let names: Vec<&str> =
                    known.iter().map(|(name, _)| name.as_str()).take(12).collect();
                Err(format!("a state has no `{name}`; it has {}", names.join(", ")))
            }
        }
    }

    /// Whether it is true in a state.
    pub fn holds<S: TransitionSystem>(&self, system: &S, state: StateId) -> bool {
        match self {
            Condition::Atom(atom) => system.holds(state, *atom),
            Condition::Shown(expression) => expression.holds(&values(system, state)),
        }
    }
}

/// The names and values that a state is shown with.
fn values<S: TransitionSystem>(system: &S, state: StateId) -> Vec<(String, String)> {
    let values = system.valuation(state);
    if !values.is_empty() {
        return values;
    }
    let shown = system.describe(state);
    let words = shown.split_whitespace().filter_map(|word| word.split_once(['@', '=']));
    words.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

impl Expression {
    fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        let mut open = vec![self];
        while let Some(expression) = open.pop() {
            match expression {
                Expression::Compare(name, ..) => names.push(name.as_str()),
                Expression::Not(inner) => open.push(inner),
                Expression::Both(parts) | Expression::Either(parts) => open.extend(parts),
            }
        }
        names
    }

    fn holds(&self, values: &[(String, String)]) -> bool {
        match self {
            Expression::Compare(name, comparison, wanted) => {
                let value = values.iter().find(|(known, _)| known == name);
                value.is_some_and(|(_, value)| comparison.holds(value, wanted))
            }
            Expression::Not(inner) => !inner.holds(values),
            Expression::Both(parts) => parts.iter().all(|part| part.holds(values)),
            Expression::Either(parts) => parts.iter().any(|part| part.holds(values)),
        }
    }
}

impl Comparison {
    /// Compares numbers as numbers, and everything else as it is written.
    fn holds(self, value: &str, wanted: &str) -> bool {
        let number = |text: &str| match text {
            "true" => Some(1),
            "false" => Some(0),
            text => text.parse::<i64>().ok(),
        };
        let order = match (number(value), number(wanted)) {
            (Some(value), Some(wanted)) => value.cmp(&wanted),
            _ => value.cmp(wanted),
        };
        match self {
            Comparison::Equal => order.is_eq(),
            Comparison::Unequal => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::AtMost => order.is_le(),
            Comparison::More => order.is_gt(),
            Comparison::AtLeast => order.is_ge(),
        }
    }
}

/// Reads a condition about names and values.
fn parse(text: &str) -> Result<Expression, String> {
    let mut reader = Reader { rest: text.trim() };
    let expression = reader.either(0)?;
    match reader.rest {
        "" => Ok(expression),
        rest => Err(format!("`{rest}` cannot stand here")),
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Whether this comes next; then it is passed.
    fn takes(&mut self, wanted: &str) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn either(&mut self, depth: usize) -> Result<Expression, String> {
        let mut parts = vec![self.both(depth)?];
        while self.takes("||") {
            parts.push(self.both(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::Either(parts) })
    }

    fn both(&mut self, depth: usize) -> Result<Expression, String> {
        let mut parts = vec![self.one(depth)?];
        while self.takes("&&") {
            parts.push(self.one(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::Both(parts) })
    }

    fn one(&mut self, depth: usize) -> Result<Expression, String> {
        if depth > DEEPEST {
            return Err("the condition is nested too deeply".to_owned());
        }
        if !self.rest.starts_with("!=") && self.takes("!") {
            return Ok(Expression::Not(Box::new(self.one(depth + 1)?)));
        }
        if self.takes("(") {
            let inner = self.either(depth + 1)?;
            return match self.takes(")") {
                true => Ok(inner),
                false => Err("a `)` is missing".to_owned()),
            };
        }
        let name = self.word()?;
        if let Some((process, place)) = name.split_once('@') {
            let (process, place) = (process.to_owned(), place.to_owned());
            return Ok(Expression::Compare(process, Comparison::Equal, place));
        }
        for (sign, comparison) in COMPARISONS {
            if self.takes(sign) {
                let value = self.word()?;
                return Ok(Expression::Compare(name.to_owned(), comparison, value.to_owned()));
            }
        }
        Ok(Expression::Compare(name.to_owned(), Comparison::Unequal, "0".to_owned()))
    }

    /// A name or a value: up to a space or a sign; what is in brackets belongs to it.
    fn word(&mut self) -> Result<&'a str, String> {
        let mut brackets = 0usize;
        let mut end = self.rest.len();
        for (at, letter) in self.rest.char_indices() {
            match letter {
                // A parenthesis behind a name is its parameter, as in `Worker(0)`.
                '[' => brackets += 1,
                '(' if at > 0 => brackets += 1,
                ']' | ')' if brackets > 0 => brackets -= 1,
                _ if brackets > 0 => {}
                letter if letter.is_whitespace() || "()&|=!<>".contains(letter) => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        let (word, rest) = self.rest.split_at(end);
        if word.is_empty() {
            return Err(match rest {
                "" => "the condition ends too early".to_owned(),
                rest => format!("a name or a value should stand before `{rest}`"),
            });
        }
        self.rest = rest.trim_start();
        Ok(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str) -> bool {
        let values =
            [("x", "3"), ("free", "0"), ("P[0]", "wants"), ("P[0].y", "-2"), ("Q(1)", "2")];
        let values: Vec<(String, String)> =
            values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        parse(text).unwrap_or_else(|why| panic!("{text}: {why}")).holds(&values)
    }

    #[test]
    fn conditions_are_about_names_and_values() {
        for right in [
            "x == 3",
            "x",
            "!free",
            "free == false",
            "P[0]@wants",
            "x>2&&x<=3",
            "P[0].y == -2",
            "Q(1)@2",
            "x == 4 || (x == 3 && !(free == 1))",
            "x != 4",
            "!!x",
            "x < 10",
        ] {
            assert!(holds(right), "{right}");
        }
        for wrong in ["x == 30", "free", "P[0]@works", "x < 3", "x == 3 && free", "!x", "Q(1) > 2"]
        {
            assert!(!holds(wrong), "{wrong}");
        }
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for wrong in ["", "x ==", "== 3", "(x", "x)", "x y", "x = 3", "x && ", "!", "x === 3"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert!(parse(&"(".repeat(100_000)).is_err());
        assert!(parse(&"!".repeat(100_000)).is_err());
    }
}
