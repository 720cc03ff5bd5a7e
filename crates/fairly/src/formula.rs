//! Properties of runs: formulas over closures, events and patterns of actions.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not};
use std::sync::Arc;

use fairly_logic::{Atom, Formula as Bound, Formulas};
use fairly_source::Diagnostic;

/// A property of runs, over the states and the actions of a model.
///
/// Formulas are made by [`always`], [`eventually`], [`leads_to`] and [`infinitely_often`], which need no knowledge of
/// temporal logic, by [`ltl`] from a text, and by the macro [`ltl!`](crate::ltl!). They are joined by `&`, `|`, `!`
/// and by methods. In all of them a proposition may be a closure on states, the name or pattern of events, or another
/// formula.
///
/// ```
/// use fairly::{Formula, always, infinitely_often, leads_to};
///
/// // The first parameter is the type of states, the second that of actions.
/// let served: Formula<u32, String> = leads_to(|s: &u32| *s == 1, "Enter.*");
/// let both = always(|s: &u32| *s < 9) & served;
/// assert_eq!(both.to_string(), r#"G"invariant" & G("cause" -> F Enter.*)"#);
/// # let _: Formula<u32, String> = infinitely_often(both);
/// ```
pub struct Formula<S, A>(Arc<Node<S, A>>);

enum Node<S, A> {
    Proposition(Proposition<S, A>),
    Text(String, Vec<Proposition<S, A>>),
    Unary(Unary, Formula<S, A>),
    Binary(Binary, Formula<S, A>, Formula<S, A>),
}

#[derive(Clone, Copy)]
enum Unary {
    Not,
    Next,
    Finally,
    Globally,
}

#[derive(Clone, Copy)]
enum Binary {
    And,
    Or,
    Implies,
    Until,
    WeakUntil,
    Release,
}

/// A mistake in a text, and the text.
pub(crate) type Unread = Box<(Diagnostic, String)>;
/// A test of a state.
pub(crate) type StateTest<S> = Arc<dyn Fn(&S) -> bool + Send + Sync>;
/// A test of an action.
pub(crate) type ActionTest<A> = Arc<dyn Fn(&A) -> bool + Send + Sync>;

/// The promise that a test has the same answer in every state.
pub(crate) struct Invariant<S> {
    pub(crate) name: String,
    pub(crate) test: StateTest<S>,
    pub(crate) wanted: bool,
}

pub(crate) struct Proposition<S, A> {
    pub(crate) name: String,
    pub(crate) meaning: Meaning<S, A>,
}

pub(crate) enum Meaning<S, A> {
    State(StateTest<S>),
    Action(ActionTest<A>),
    /// Events with this name, or that this pattern names.
    Event,
}

impl<S, A> Clone for Formula<S, A> {
    fn clone(&self) -> Self {
        Formula(Arc::clone(&self.0))
    }
}

impl<S, A> Clone for Proposition<S, A> {
    fn clone(&self) -> Self {
        Proposition { name: self.name.clone(), meaning: self.meaning.clone() }
    }
}

impl<S, A> Clone for Meaning<S, A> {
    fn clone(&self) -> Self {
        match self {
            Meaning::State(test) => Meaning::State(Arc::clone(test)),
            Meaning::Action(test) => Meaning::Action(Arc::clone(test)),
            Meaning::Event => Meaning::Event,
        }
    }
}

/// Tells the kinds of propositions apart, so that a closure, a text and a formula can stand at the same place. A
/// program has no use for it.
#[doc(hidden)]
pub mod kinds {
    /// A closure on states.
    pub enum Test {}
    /// A formula.
    pub enum Whole {}
    /// A text.
    pub enum Text {}
}

/// Stands where a formula is expected: a [`Formula`], a closure on states, or a text as [`ltl`] reads it.
///
/// ```
/// use fairly::{Formula, IntoFormula};
///
/// let test: Formula<u8, ()> = (|s: &u8| *s == 0).into_formula("empty");
/// let text: Formula<u8, ()> = "G F Enter.0".into_formula("whatever");
/// assert_eq!((test.to_string(), text.to_string()), (r#""empty""#.into(), "GF Enter.0".into()));
/// ```
pub trait IntoFormula<S, A, Kind> {
    /// The formula. A closure gets this name.
    fn into_formula(self, name: &str) -> Formula<S, A>;
}

impl<S, A, T> IntoFormula<S, A, kinds::Test> for T
where
    T: Fn(&S) -> bool + Send + Sync + 'static,
{
    fn into_formula(self, name: &str) -> Formula<S, A> {
        state(name, self)
    }
}

impl<S, A> IntoFormula<S, A, kinds::Whole> for Formula<S, A> {
    fn into_formula(self, _: &str) -> Formula<S, A> {
        self
    }
}

impl<S, A> IntoFormula<S, A, kinds::Text> for &str {
    fn into_formula(self, _: &str) -> Formula<S, A> {
        ltl(self)
    }
}

/// A proposition about states, with a name for reports.
///
/// ```
/// use fairly::{Formula, always, state};
///
/// let few: Formula<Vec<u8>, ()> = always(state("at most three", |s: &Vec<u8>| s.len() <= 3));
/// assert_eq!(few.to_string(), r#"G"at most three""#);
/// ```
pub fn state<S, A>(
    name: impl Into<String>,
    test: impl Fn(&S) -> bool + Send + Sync + 'static,
) -> Formula<S, A> {
    proposition(name, Meaning::State(Arc::new(test)))
}

/// A proposition about the action that is taken next, with a name for reports.
///
/// ```
/// use fairly::{Formula, action, infinitely_often};
///
/// #[derive(Debug)]
/// enum Action { Enter(u8), Leave(u8) }
/// let enters = action("enters", |a: &Action| matches!(a, Action::Enter(_)));
/// let often: Formula<(), Action> = infinitely_often(enters);
/// # let _ = Action::Leave(0);
/// ```
pub fn action<S, A>(
    name: impl Into<String>,
    test: impl Fn(&A) -> bool + Send + Sync + 'static,
) -> Formula<S, A> {
    proposition(name, Meaning::Action(Arc::new(test)))
}

/// The proposition that the next action has an event of this name, or one that the pattern names: `Send.*`.
///
/// ```
/// let sends: fairly::Formula<(), ()> = fairly::event("Send.*.Ping");
/// assert_eq!(sends.to_string(), "Send.*.Ping");
/// ```
pub fn event<S, A>(pattern: impl Into<String>) -> Formula<S, A> {
    proposition(pattern, Meaning::Event)
}

fn proposition<S, A>(name: impl Into<String>, meaning: Meaning<S, A>) -> Formula<S, A> {
    // Quotes would end the name where formulas are written.
    let name = name.into().replace(['"', '\\'], "'");
    let name = name.trim();
    let name = if name.is_empty() { "p" } else { name }.to_owned();
    Formula(Arc::new(Node::Proposition(Proposition { name, meaning })))
}

/// Linear temporal logic as text, in the spellings of SPIN, PAT, Spot and TLA. Names with dots are events, and so is
/// every other name that [`Formula::atom`] does not explain. A text that is wrong is reported, with its place, when
/// the property is checked; the macro [`ltl!`](crate::ltl!) reports it when the program is compiled.
///
/// ```
/// use fairly::{Formula, ltl};
///
/// let served: Formula<[bool; 2], ()> =
///     ltl("G (waiting(0) -> F Enter.0)").atom("waiting(0)", |s: &[bool; 2]| s[0]);
/// ```
pub fn ltl<S, A>(text: impl Into<String>) -> Formula<S, A> {
    Formula(Arc::new(Node::Text(text.into(), Vec::new())))
}

/// In every state of every run. A violation is a finite run.
///
/// ```
/// let safe: fairly::Formula<u8, ()> = fairly::always(|s: &u8| *s < 3);
/// ```
pub fn always<S, A, K>(good: impl IntoFormula<S, A, K>) -> Formula<S, A> {
    unary(Unary::Globally, good.into_formula("invariant"))
}

/// In no state of any run.
///
/// ```
/// let safe: fairly::Formula<u8, ()> = fairly::never(|s: &u8| *s >= 3);
/// assert_eq!(safe.to_string(), r#"G!"bad""#);
/// ```
pub fn never<S, A, K>(bad: impl IntoFormula<S, A, K>) -> Formula<S, A> {
    unary(Unary::Globally, unary(Unary::Not, bad.into_formula("bad")))
}

/// On every run, at some time.
///
/// ```
/// let ends: fairly::Formula<u8, ()> = fairly::eventually(|s: &u8| *s == 3);
/// ```
pub fn eventually<S, A, K>(goal: impl IntoFormula<S, A, K>) -> Formula<S, A> {
    unary(Unary::Finally, goal.into_formula("goal"))
}

/// Whenever the first is so, the second is so then or later.
///
/// ```
/// let served: fairly::Formula<(bool, bool), ()> =
///     fairly::leads_to(|s: &(bool, bool)| s.0, |s: &(bool, bool)| s.1);
/// assert_eq!(served.to_string(), r#"G("cause" -> F"effect")"#);
/// ```
pub fn leads_to<S, A, K, L>(
    cause: impl IntoFormula<S, A, K>,
    effect: impl IntoFormula<S, A, L>,
) -> Formula<S, A> {
    let effect = unary(Unary::Finally, effect.into_formula("effect"));
    unary(Unary::Globally, binary(Binary::Implies, cause.into_formula("cause"), effect))
}

/// Again and again, for ever.
///
/// ```
/// let works: fairly::Formula<u8, ()> = fairly::infinitely_often(|s: &u8| *s == 0);
/// assert_eq!(works.to_string(), r#"GF"recurring""#);
/// ```
pub fn infinitely_often<S, A, K>(recurring: impl IntoFormula<S, A, K>) -> Formula<S, A> {
    unary(Unary::Globally, unary(Unary::Finally, recurring.into_formula("recurring")))
}

/// From some time on, in every state.
///
/// ```
/// let settles: fairly::Formula<u8, ()> = fairly::eventually_always(|s: &u8| *s == 3);
/// ```
pub fn eventually_always<S, A, K>(stable: impl IntoFormula<S, A, K>) -> Formula<S, A> {
    unary(Unary::Finally, unary(Unary::Globally, stable.into_formula("stable")))
}

fn unary<S, A>(operator: Unary, inner: Formula<S, A>) -> Formula<S, A> {
    Formula(Arc::new(Node::Unary(operator, inner)))
}

fn binary<S, A>(operator: Binary, one: Formula<S, A>, other: Formula<S, A>) -> Formula<S, A> {
    Formula(Arc::new(Node::Binary(operator, one, other)))
}

impl<S, A> Formula<S, A> {
    /// Says what a name in the text of [`ltl`] means: a test of states. It changes nothing in a formula that is not
    /// made of a text.
    ///
    /// ```
    /// use fairly::{Formula, ltl};
    /// let free: Formula<u8, ()> = ltl("G F free").atom("free", |s: &u8| *s == 0);
    /// ```
    #[must_use]
    pub fn atom(self, name: &str, test: impl Fn(&S) -> bool + Send + Sync + 'static) -> Self {
        self.explained(name, Meaning::State(Arc::new(test)))
    }

    /// The same with a test of the action that is taken next.
    ///
    /// ```
    /// use fairly::{Formula, ltl};
    /// let often: Formula<(), u8> = ltl("G F even").action_atom("even", |a: &u8| a % 2 == 0);
    /// ```
    #[must_use]
    pub fn action_atom(
        self,
        name: &str,
        test: impl Fn(&A) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.explained(name, Meaning::Action(Arc::new(test)))
    }

    fn explained(self, name: &str, meaning: Meaning<S, A>) -> Self {
        let Node::Text(text, known) = &*self.0 else { return self };
        let mut known = known.clone();
        known.push(Proposition { name: name.to_owned(), meaning });
        Formula(Arc::new(Node::Text(text.clone(), known)))
    }

    /// At the next position of the run.
    ///
    /// ```
    /// let next: fairly::Formula<u8, ()> = fairly::event("Ask.0").next();
    /// assert_eq!(next.to_string(), "X Ask.0");
    /// ```
    #[must_use]
    pub fn next(self) -> Self {
        unary(Unary::Next, self)
    }

    /// This, or not the other way round: if this holds, so does the other.
    ///
    /// ```
    /// use fairly::{Formula, event};
    /// let it: Formula<u8, ()> = event("Ask.0").implies(event("Enter.0"));
    /// assert_eq!(it.to_string(), "Ask.0 -> Enter.0");
    /// ```
    #[must_use]
    pub fn implies(self, other: Self) -> Self {
        binary(Binary::Implies, self, other)
    }

    /// This holds until the other does, which it does at some time.
    ///
    /// ```
    /// use fairly::{Formula, event};
    /// let it: Formula<u8, ()> = event("Ask.0").until(event("Enter.0"));
    /// assert_eq!(it.to_string(), "Ask.0 U Enter.0");
    /// ```
    #[must_use]
    pub fn until(self, other: Self) -> Self {
        binary(Binary::Until, self, other)
    }

    /// This holds until the other does, or for ever.
    ///
    /// ```
    /// use fairly::{Formula, event};
    /// let it: Formula<u8, ()> = event("Ask.0").unless(event("Enter.0"));
    /// assert_eq!(it.to_string(), "Ask.0 W Enter.0");
    /// ```
    #[must_use]
    pub fn unless(self, other: Self) -> Self {
        binary(Binary::WeakUntil, self, other)
    }

    /// The other holds up to and with the time when this does, or for ever.
    ///
    /// ```
    /// use fairly::{Formula, event};
    /// let it: Formula<u8, ()> = event("Ask.0").release(event("Enter.0"));
    /// assert_eq!(it.to_string(), "Ask.0 R Enter.0");
    /// ```
    #[must_use]
    pub fn release(self, other: Self) -> Self {
        binary(Binary::Release, self, other)
    }

    /// What is promised of every state, if the formula promises that a test is true in all of them, or false in all.
    pub(crate) fn invariant(&self) -> Option<Invariant<S>> {
        let Node::Unary(Unary::Globally, inner) = &*self.0 else { return None };
        let (inner, wanted) = match &*inner.0 {
            Node::Unary(Unary::Not, inner) => (inner, false),
            _ => (inner, true),
        };
        match &*inner.0 {
            Node::Proposition(Proposition { name, meaning: Meaning::State(test) }) => {
                Some(Invariant { name: name.clone(), test: Arc::clone(test), wanted })
            }
            _ => None,
        }
    }

    /// Appends the propositions in it, from left to right.
    pub(crate) fn propositions(&self, out: &mut Vec<Proposition<S, A>>) {
        match &*self.0 {
            Node::Proposition(it) => out.push(it.clone()),
            Node::Text(_, all) => out.extend(all.iter().cloned()),
            Node::Unary(_, inner) => inner.propositions(out),
            Node::Binary(_, one, other) => {
                one.propositions(out);
                other.propositions(out);
            }
        }
    }

    /// The formula in an arena; `atom` gives the atom of each proposition, and of each name in a text, where these
    /// other names are known.
    ///
    /// # Errors
    /// The error in a text in it, and the text.
    pub(crate) fn build(
        &self,
        formulas: &mut Formulas,
        odd: &[&str],
        atom: &impl Fn(&Proposition<S, A>) -> Atom,
    ) -> Result<Bound, Unread> {
        Ok(match &*self.0 {
            Node::Proposition(it) => {
                let atom = atom(it);
                formulas.atom(atom)
            }
            Node::Text(text, known) => parse(formulas, text, known, odd, atom)?,
            Node::Unary(operator, inner) => {
                let inner = inner.build(formulas, odd, atom)?;
                match operator {
                    Unary::Not => formulas.not(inner),
                    Unary::Next => formulas.next(inner),
                    Unary::Finally => formulas.finally(inner),
                    Unary::Globally => formulas.globally(inner),
                }
            }
            Node::Binary(operator, one, other) => {
                let (one, other) =
                    (one.build(formulas, odd, atom)?, other.build(formulas, odd, atom)?);
                match operator {
                    Binary::And => formulas.and([one, other]),
                    Binary::Or => formulas.or([one, other]),
                    Binary::Implies => formulas.implies(one, other),
                    Binary::Until => formulas.until(one, other),
                    Binary::WeakUntil => formulas.weak_until(one, other),
                    Binary::Release => formulas.release(one, other),
                }
            }
        })
    }
}

/// A text with the names that are explained, which may be no words: `waiting(0)`.
fn parse<S, A>(
    formulas: &mut Formulas,
    text: &str,
    known: &[Proposition<S, A>],
    others: &[&str],
    atom: &impl Fn(&Proposition<S, A>) -> Atom,
) -> Result<Bound, Unread> {
    let is_word = |name: &&str| name.chars().all(|sign| sign.is_alphanumeric() || sign == '_');
    let names = || known.iter().map(|it| it.name.as_str()).chain(others.iter().copied());
    let quoted = with_quotes(text, names().filter(|name| !is_word(name)).collect());
    let is_name = |word: &str| names().any(|name| name == word);
    let parsed = formulas
        .parse_with(&quoted, &is_name)
        .map_err(|wrong| Box::new((wrong, quoted.clone())))?;
    Ok(formulas.replace_atoms(parsed, |formulas, id| {
        let read = formulas.atom_of(id).clone();
        let meant = match known.iter().find(|it| it.name == read.text()) {
            Some(known) => atom(known),
            // What is enabled and taken is asked of the system.
            None if matches!(&read, Atom::State(text) if text.contains('(')) => read,
            None => {
                let name = read.text().to_owned();
                match name.as_str() {
                    "deadlock" => Atom::state(&name),
                    _ => atom(&Proposition { name, meaning: Meaning::Event }),
                }
            }
        };
        formulas.atom(meant)
    }))
}

/// The text with quotes around names that are no words, where they stand outside quotes.
fn with_quotes(text: &str, mut names: Vec<&str>) -> String {
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let mut out = String::new();
    let (mut rest, mut is_quoted, mut in_word) = (text, false, false);
    while let Some(sign) = rest.chars().next() {
        let name = names.iter().find(|name| rest.starts_with(**name));
        if let (Some(name), false, false) = (name, is_quoted, in_word) {
            out.extend(["\"", name, "\""]);
            rest = &rest[name.len()..];
            continue;
        }
        is_quoted ^= sign == '"';
        in_word = sign.is_alphanumeric() || sign == '_';
        out.push(sign);
        rest = &rest[sign.len_utf8()..];
    }
    out
}

impl<S, A> Not for Formula<S, A> {
    type Output = Self;

    fn not(self) -> Self {
        unary(Unary::Not, self)
    }
}

impl<S, A> BitAnd for Formula<S, A> {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        binary(Binary::And, self, other)
    }
}

impl<S, A> BitOr for Formula<S, A> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        binary(Binary::Or, self, other)
    }
}

/// The formula as it is written; the text itself where it cannot be read.
impl<S, A> fmt::Display for Formula<S, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut formulas = Formulas::new();
        let atom = |it: &Proposition<S, A>| match it.meaning {
            Meaning::State(_) => Atom::state(&it.name),
            Meaning::Action(_) | Meaning::Event => Atom::event(&it.name),
        };
        match self.build(&mut formulas, &[], &atom) {
            Ok(formula) => f.write_str(&formulas.display(formula)),
            Err(unread) => f.write_str(&unread.1),
        }
    }
}

impl<S, A> fmt::Debug for Formula<S, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_no_words_are_quoted_where_they_stand() {
        let names = vec!["w(1)", "w(10)", "x == 1"];
        for (text, expected) in [
            ("G(w(1) -> F w(10))", "G(\"w(1)\" -> F \"w(10)\")"),
            ("G \"w(1)\" && x == 1", "G \"w(1)\" && \"x == 1\""),
            ("row(1)", "row(1)"),
        ] {
            assert_eq!(with_quotes(text, names.clone()), expected);
        }
    }

    #[test]
    fn a_text_that_is_wrong_is_shown_as_it_is() {
        let wrong: Formula<(), ()> = ltl("G (a -> ");
        assert_eq!(wrong.to_string(), "G (a -> ");
    }
}
