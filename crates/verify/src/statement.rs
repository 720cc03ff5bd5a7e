//! The statement of a certificate: what is claimed, and everything that is written beside the nodes.

use std::collections::BTreeSet;

use crate::fairness::{
    Constraint, Events, NOTIONS, Notion, Predicate, Selector, Selectors, Subject, position,
};
use crate::fir::{Expr, expr};
use crate::forms::{Form, Forms, shown};
use crate::ltl::{Formulas, Node};
use crate::rejected::{Rejected, Rule, reject};
use crate::step::Machine;

/// Kinds of claims.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Claim {
    /// Every fair run satisfies the formula.
    Holds,
    /// The formula, which has no temporal operator, holds in every state that can be reached.
    Always,
    /// A fair run does not satisfy the formula.
    Violated,
    /// A run comes to a state in which the formula, which has no temporal operator, does not hold.
    Reached,
    /// In a step out of a state that can be reached, something goes wrong.
    Error,
    /// The system refines the one of the certificate behind this one.
    Refines(Observed),
    /// This system is what another one refines.
    Specification,
}

/// Observations of a system that are compared.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) enum Observed {
    Traces,
    Failures,
    Divergences,
}

const CLAIMS: [(&str, Claim); 9] = [
    ("holds", Claim::Holds),
    ("always", Claim::Always),
    ("violated", Claim::Violated),
    ("reached", Claim::Reached),
    ("error", Claim::Error),
    ("refines traces", Claim::Refines(Observed::Traces)),
    ("refines failures", Claim::Refines(Observed::Failures)),
    ("refines failures and divergences", Claim::Refines(Observed::Divergences)),
    ("specification", Claim::Specification),
];

/// Meaning of a proposition of the formula.
#[derive(Debug)]
pub(crate) enum Atom {
    Condition(Expr),
    Deadlock,
    Terminated,
    Event(Vec<Events>),
    Enabled(usize),
    Taken(usize),
}

/// Why no fair run stays in a class.
#[derive(Debug)]
pub(crate) enum Reason {
    /// No edge is inside, or every edge inside postpones this until.
    Acyclic,
    Postponed(usize),
    /// No edge inside meets this weak constraint.
    Unmet(usize),
    /// *Then* of these strong constraints comes on no edge inside. Where *when* does, the edge is not looked at
    /// further, since a fair run takes such edges finitely often; the rest is divided again.
    Strong(Vec<usize>),
    /// The same for strong global fairness: edges out of a state, one of whose steps is on no edge inside.
    Global,
}

#[derive(Debug)]
pub(crate) struct Class {
    pub(crate) reason: Reason,
    /// The classes that it is in, from the largest, and itself.
    pub(crate) path: Vec<usize>,
    pub(crate) is_divided: bool,
}

/// A member of a family: a state by its position, or the one that the family is listed at, and a number: a state of
/// the automaton, or nothing where the claim is a refinement.
pub(crate) type Member = (Option<usize>, usize);

/// The statement of a certificate.
#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) claim: Claim,
    /// Whether a position reads the event of the step that led to its state, none at the first.
    pub(crate) entering: bool,
    pub(crate) fairness: (&'static str, Notion),
    pub(crate) formulas: Formulas,
    /// The formula, or its negation: see [`Statement::is_negated`].
    pub(crate) root: usize,
    pub(crate) atoms: Vec<Atom>,
    names: Vec<String>,
    /// The meanings of propositions as they are written: a name alone may say anything.
    meanings: Vec<String>,
    /// Those that are assumed, and then those of the notion that classes speak of.
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) assumed: usize,
    pub(crate) subjects: Vec<Subject>,
    pub(crate) selectors: Selectors,
    pub(crate) classes: Vec<Class>,
    /// The states of the automaton: sets of subformulas.
    pub(crate) sets: Vec<Vec<usize>>,
    /// Distances to the next step that does not postpone an until, one for each until.
    pub(crate) distances: Vec<Vec<usize>>,
    pub(crate) families: Vec<Vec<Member>>,
    /// The depths of all classes together.
    nesting: usize,
}

/// How much classes may be nested, all together.
const NESTING: usize = 1 << 20;

impl Statement {
    /// Reads the forms of a statement. Those of a run are looked at later.
    pub(crate) fn read(all: &[Form<'_>], machine: &Machine) -> Result<Statement, Rejected> {
        let mut statement = Statement {
            claim: Claim::Holds,
            entering: false,
            fairness: NOTIONS[0],
            formulas: Formulas::default(),
            root: 0,
            atoms: Vec::new(),
            names: Vec::new(),
            meanings: Vec::new(),
            constraints: Vec::new(),
            assumed: 0,
            subjects: Vec::new(),
            selectors: Vec::new(),
            classes: Vec::new(),
            sets: Vec::new(),
            distances: Vec::new(),
            families: Vec::new(),
            nesting: 0,
        };
        let mut given = BTreeSet::new();
        for form in all {
            let mut words = Forms::of(form, Rule::Statement);
            let key = words.peek();
            let once = ["claim", "reading", "fairness", "formula"];
            if once.contains(&key) && !given.insert(key) {
                return reject(Rule::Statement, format!("`{key}` is given twice"));
            }
            statement.line(&mut words, machine)?;
            words.ends()?;
        }
        if !given.contains("claim") {
            return reject(Rule::Statement, "there is no claim");
        }
        statement.check_indices()?;
        Ok(statement)
    }

    fn line(&mut self, words: &mut Forms<'_>, machine: &Machine) -> Result<(), Rejected> {
        match words.word()? {
            "title" => _ = words.name()?,
            "claim" => self.claim = words.one_of(&CLAIMS)?,
            "reading" => {
                self.entering = words.one_of(&[("leaving", false), ("entering", true)])?;
            }
            "fairness" => self.fairness = words.one_of(&NOTIONS.map(|it| (it.0, it)))?,
            "atom" => self.atom(words, machine)?,
            "node" => self.formulas.read(words)?,
            "formula" => self.root = words.number()?,
            "assume" => {
                let assumed = Constraint::read(words, machine, &mut self.selectors)?;
                self.constraints.insert(self.assumed, assumed);
                self.assumed += 1;
            }
            "constraint" => match self.fairness.1.subject(words, machine)? {
                Some(subject) => {
                    self.constraints.push(Constraint::of(&subject, &mut self.selectors));
                    self.subjects.push(subject);
                }
                None => return reject(Rule::Constraint, "a constraint is none of the notion's"),
            },
            "class" => self.class(words)?,
            "set" => self.sets.push(words.each(Forms::number)?),
            "distances" => self.distances.push(words.each(Forms::number)?),
            "family" => {
                let mut state = None;
                let member = |words: &mut Forms<'_>| {
                    while words.takes("at") {
                        state = Some(words.number()?);
                    }
                    Ok((state, words.number()?))
                };
                self.families.push(words.each(member)?);
            }
            // The lines of a run are read when it is made.
            "start" | "step" | "loop" => words.rest = &[],
            _ => return words.fail("a line of a statement"),
        }
        Ok(())
    }

    fn atom(&mut self, words: &mut Forms<'_>, machine: &Machine) -> Result<(), Rejected> {
        self.names.push(words.name()?);
        let meaning = shown(words.rest);
        self.meanings.push(meaning.strip_prefix("condition ").unwrap_or(&meaning).to_owned());
        self.atoms.push(match words.word()? {
            "condition" => Atom::Condition(expr(words)?),
            "deadlock" => Atom::Deadlock,
            "terminated" => Atom::Terminated,
            "event" => Atom::Event(words.each(|words| Events::read(words, machine))?),
            "enabled" => {
                Atom::Enabled(position(&mut self.selectors, Selector::read(words, machine)?))
            }
            "taken" => Atom::Taken(position(&mut self.selectors, Selector::read(words, machine)?)),
            _ => return words.fail("a kind of proposition"),
        });
        Ok(())
    }

    fn class(&mut self, words: &mut Forms<'_>) -> Result<(), Rejected> {
        let mut path = Vec::new();
        if !words.takes("-") {
            let Some(parent) = self.classes.get_mut(words.number()?) else {
                return reject(Rule::Statement, "a class is in one that does not come before it");
            };
            parent.is_divided = true;
            path.clone_from(&parent.path);
        }
        self.nesting += path.len();
        if self.nesting > NESTING {
            return reject(Rule::Limit, "classes are nested too deep");
        }
        path.push(self.classes.len());
        let reason = match words.word()? {
            "acyclic" => Reason::Acyclic,
            "global" => Reason::Global,
            "postponed" => Reason::Postponed(words.number()?),
            "unmet" => Reason::Unmet(words.number()?),
            "strong" => Reason::Strong(words.each(Forms::number)?),
            _ => return words.fail("a reason"),
        };
        self.classes.push(Class { reason, path, is_divided: false });
        Ok(())
    }

    pub(crate) fn is_inherent(&self) -> bool {
        matches!(self.fairness.1, Notion::Inherent { .. })
    }

    /// Whether the formula that is written is the negation of the one that is claimed of all runs: the search is for a run
    /// that satisfies it. What inherent fairness asks is whether runs can go on such that they satisfy the formula.
    pub(crate) fn is_negated(&self) -> bool {
        matches!(self.claim, Claim::Holds | Claim::Violated) && !self.is_inherent()
    }

    /// Checks every index of the statement. One that names nothing would make a reason true that says nothing:
    /// a mark that does not exist never comes.
    fn check_indices(&self) -> Result<(), Rejected> {
        let nodes = &self.formulas.nodes;
        let of_formula =
            matches!(self.claim, Claim::Holds | Claim::Violated | Claim::Always | Claim::Reached);
        let is_there = |node: &Node| match node {
            Node::Atom(atom, _) => *atom < self.atoms.len(),
            _ => true,
        };
        if of_formula && self.root >= nodes.len() || !nodes.iter().all(is_there) {
            return reject(Rule::Statement, "there is no formula, or a proposition is not there");
        }
        // A state alone has no event, and nothing is taken there.
        let of_states =
            |it: &Atom| matches!(it, Atom::Condition(_) | Atom::Deadlock | Atom::Terminated);
        let at_once = matches!(self.claim, Claim::Always | Claim::Reached);
        if at_once && !(self.formulas.is_plain(self.root) && self.atoms.iter().all(of_states)) {
            return reject(Rule::Statement, "a condition is about more than a state");
        }
        let is_plain = |it: &Predicate| match it {
            Predicate::Step(at) => self.formulas.is_plain(*at),
            _ => true,
        };
        if !self.constraints.iter().all(|it| is_plain(&it.when) && is_plain(&it.then)) {
            return reject(Rule::Statement, "a constraint is about more than a step");
        }
        let strength = |at: usize| self.constraints.get(at).map(|it| it.strong);
        for class in &self.classes {
            let fits = match &class.reason {
                Reason::Acyclic => true,
                Reason::Global => self.fairness.1 == Notion::Global,
                Reason::Postponed(until) => matches!(nodes.get(*until), Some(Node::Until(..))),
                Reason::Unmet(constraint) => strength(*constraint) == Some(false),
                Reason::Strong(all) => all.iter().all(|&at| strength(at) == Some(true)),
            };
            if !fits {
                return reject(Rule::Reason, "a reason speaks of something that is not there");
            }
        }
        let is_set = |set: &Vec<usize>| {
            set.is_sorted_by(|one, other| one < other)
                && set.last().is_none_or(|&last| last < nodes.len())
        };
        if !self.sets.iter().all(is_set) {
            return reject(Rule::Expansion, "a state of the automaton is no set of subformulas");
        }
        Ok(())
    }

    /// The claim in a sentence, with what the names in it mean.
    pub(crate) fn sentence(&self) -> Result<String, Rejected> {
        let mut formula = String::new();
        if self.root < self.formulas.nodes.len() {
            self.formulas.show((self.root, self.is_negated()), &self.names, &mut formula)?;
        }
        let mut assumed = vec![format!("fairness {}", self.fairness.0)];
        assumed.extend(self.constraints[..self.assumed].iter().map(|it| it.text.clone()));
        let fairness = assumed.join(" and ");
        let claimed = match self.claim {
            Claim::Error => return Ok("a run comes to an error of the model".to_owned()),
            Claim::Holds if self.is_inherent() => format!(
                "every beginning of a run ({fairness}) can go on such that it satisfies {formula}"
            ),
            Claim::Violated if self.is_inherent() => format!(
                "a beginning of a run ({fairness}) cannot go on such that it satisfies {formula}"
            ),
            Claim::Holds => format!("every run under {fairness} satisfies {formula}"),
            Claim::Violated => format!("a run under {fairness} violates {formula}"),
            Claim::Always => format!(
                "nothing goes wrong in a step, and every state that can be reached satisfies {formula}"
            ),
            Claim::Reached => format!("a run comes to a state that does not satisfy {formula}"),
            Claim::Refines(observed) => {
                let observed = format!("{observed:?}").to_lowercase();
                format!("the system refines the next one, as far as {observed} show")
            }
            Claim::Specification => "the states of a specification".to_owned(),
        };
        let one = |(at, (name, meaning)): (usize, (&String, &String))| {
            format!("; {name} (a{at}) is `{meaning}`")
        };
        let all = self.names.iter().zip(&self.meanings).enumerate().map(one);
        Ok(claimed + &all.collect::<String>())
    }
}
