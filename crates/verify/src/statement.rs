//! The statement of a certificate: what is claimed, and everything that is written beside the nodes.

use std::collections::BTreeSet;

use crate::fairness::{Constraint, Events, Notion, Selector, Selectors, position};
use crate::ltl::{Formula, Node, Normal};
use crate::rejected::{Rejected, Rule, reject};
use crate::step::Machine;
use crate::words::Words;

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
    Proposition(usize),
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
    pub(crate) fairness: Notion,
    pub(crate) fairness_text: String,
    pub(crate) formula: Formula,
    pub(crate) atoms: Vec<Atom>,
    pub(crate) names: Vec<String>,
    /// The meanings of propositions as they are written: a name alone may say anything.
    meanings: Vec<String>,
    pub(crate) assumed: Vec<Constraint>,
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) selectors: Selectors,
    pub(crate) classes: Vec<Class>,
    /// The states of the automaton: sets of subformulas of the negation.
    pub(crate) sets: Vec<Vec<usize>>,
    /// Distances to the next step that does not postpone an until, one for each until.
    pub(crate) distances: Vec<Vec<usize>>,
    pub(crate) families: Vec<Vec<Member>>,
    /// The lines of a run.
    pub(crate) run: Vec<String>,
    /// The depths of all classes together.
    nesting: usize,
}

/// How much classes may be nested, all together.
const NESTING: usize = 1 << 20;

impl Statement {
    pub(crate) fn read(text: &str, machine: &Machine) -> Result<Statement, Rejected> {
        let mut statement = Statement {
            claim: Claim::Holds,
            entering: false,
            fairness: Notion::None,
            fairness_text: "none".to_owned(),
            formula: Formula::True,
            atoms: Vec::new(),
            names: Vec::new(),
            meanings: Vec::new(),
            assumed: Vec::new(),
            constraints: Vec::new(),
            selectors: Vec::new(),
            classes: Vec::new(),
            sets: Vec::new(),
            distances: Vec::new(),
            families: Vec::new(),
            run: Vec::new(),
            nesting: 0,
        };
        let mut given = BTreeSet::new();
        for line in text.lines() {
            let (key, rest) = line.split_once(' ').unwrap_or((line, ""));
            let once = ["claim", "reading", "fairness", "formula"];
            if once.contains(&key) && !given.insert(key) {
                return reject(Rule::Statement, format!("`{key}` is given twice"));
            }
            statement.line(key, rest, machine)?;
        }
        if !given.contains("claim") || !given.contains("formula") {
            return reject(Rule::Statement, "there is no claim, or no formula");
        }
        Ok(statement)
    }

    fn line(&mut self, key: &str, rest: &str, machine: &Machine) -> Result<(), Rejected> {
        let unknown = || reject(Rule::Statement, format!("`{key} {rest}` means nothing"));
        let words = &mut Words::new(rest);
        match key {
            "title" => return Ok(()),
            "claim" => match CLAIMS.iter().find(|(name, _)| *name == rest) {
                Some(&(_, claim)) => self.claim = claim,
                None => return unknown(),
            },
            "reading" if rest == "leaving" || rest == "entering" => {
                self.entering = rest == "entering";
            }
            "fairness" => {
                self.fairness = Notion::read(rest)?;
                rest.clone_into(&mut self.fairness_text);
            }
            "start" | "step" | "loop" => self.run.push(format!("{key} {rest}")),
            "assume" => self.assumed.push(Constraint::read(rest, machine, &mut self.selectors)?),
            "constraint" => {
                self.constraints.push(Constraint::read(rest, machine, &mut self.selectors)?);
            }
            "set" => self.sets.push(words.numbers()?),
            "distances" => self.distances.push(words.numbers()?),
            "family" => {
                let (mut family, mut state) = (Vec::new(), None);
                while !words.is_over() {
                    match words.takes("at") {
                        true => state = Some(words.number()?),
                        false => family.push((state, words.number()?)),
                    }
                }
                self.families.push(family);
            }
            "class" => self.class(words)?,
            "atom" => {
                self.atom(words, machine)?;
                words.ends()?;
            }
            "formula" => {
                self.formula = Formula::read(words, 0)?;
                words.ends()?;
            }
            _ => return unknown(),
        }
        Ok(())
    }

    fn atom(&mut self, words: &mut Words<'_>, machine: &Machine) -> Result<(), Rejected> {
        self.names.push(words.name()?);
        let meaning = words.rest();
        let kind = words.next()?;
        self.atoms.push(match kind {
            "proposition" => {
                let at = words.number()?;
                if at >= machine.model.propositions.len() {
                    return reject(Rule::Statement, format!("there is no proposition {at}"));
                }
                let written = &machine.model.propositions[at].2;
                self.meanings.push(format!("`{written}`"));
                Atom::Proposition(at)
            }
            "deadlock" => Atom::Deadlock,
            "terminated" => Atom::Terminated,
            "event" => Atom::Event(words.several(|words| Events::read(words, machine))?),
            "enabled" | "taken" => {
                let selector = Selector::read(words, machine)?;
                let at = position(&mut self.selectors, selector);
                if kind == "enabled" { Atom::Enabled(at) } else { Atom::Taken(at) }
            }
            _ => return reject(Rule::Statement, format!("`{kind}` is no proposition")),
        });
        if self.meanings.len() < self.atoms.len() {
            self.meanings.push(meaning.to_owned());
        }
        Ok(())
    }

    fn class(&mut self, words: &mut Words<'_>) -> Result<(), Rejected> {
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
        let reason = words.next()?;
        let numbers = words.numbers()?;
        let reason = match (reason, &numbers[..]) {
            ("acyclic", []) => Reason::Acyclic,
            ("global", []) => Reason::Global,
            ("postponed", &[until]) => Reason::Postponed(until),
            ("unmet", &[constraint]) => Reason::Unmet(constraint),
            ("strong", [_, ..]) => Reason::Strong(numbers),
            _ => return reject(Rule::Statement, format!("`{reason}` is no reason")),
        };
        self.classes.push(Class { reason, path, is_divided: false });
        Ok(())
    }

    /// Checks every index of the statement. One that names nothing would make a reason true that says nothing:
    /// a mark that does not exist never comes.
    pub(crate) fn check_indices(&self, normal: &Normal) -> Result<(), Rejected> {
        let is_plain = |formula: &Formula| formula.holds(&vec![false; self.atoms.len()]).is_some();
        // A state alone has no event, and nothing is taken there.
        let of_states =
            |it: &Atom| matches!(it, Atom::Proposition(_) | Atom::Deadlock | Atom::Terminated);
        let at_once = matches!(self.claim, Claim::Always | Claim::Reached);
        if at_once && !(is_plain(&self.formula) && self.atoms.iter().all(of_states)) {
            return reject(Rule::Statement, "a condition is about more than a state");
        }
        for constraint in self.constraints.iter().chain(&self.assumed) {
            if constraint.formulas().any(|formula| !is_plain(formula)) {
                return reject(Rule::Statement, "a constraint is about more than a step");
            }
        }
        for class in &self.classes {
            let strength = |at: usize| self.constraints.get(at).map(|it| it.strong);
            let fits = match &class.reason {
                Reason::Acyclic => true,
                Reason::Global => self.fairness == Notion::Global,
                Reason::Postponed(until) => {
                    matches!(normal.nodes.get(*until), Some(Node::Until(..)))
                }
                Reason::Unmet(constraint) => strength(*constraint) == Some(false),
                Reason::Strong(all) => all.iter().all(|&at| strength(at) == Some(true)),
            };
            if !fits {
                return reject(Rule::Reason, "a reason speaks of something that is not there");
            }
        }
        for set in &self.sets {
            let sorted = set.is_sorted_by(|one, other| one < other);
            if !sorted || set.last().is_some_and(|&last| last >= normal.nodes.len()) {
                return reject(
                    Rule::Expansion,
                    "a state of the automaton is no set of subformulas",
                );
            }
        }
        Ok(())
    }

    /// The claim in a sentence, with what the names in it mean.
    pub(crate) fn sentence(&self) -> String {
        let one = |(at, (name, meaning)): (usize, (&String, &String))| {
            format!("; {name} (a{at}) is {meaning}")
        };
        let all = self.names.iter().zip(&self.meanings).enumerate().map(one);
        let all = all.collect::<String>();
        if self.claim == Claim::Error { self.claimed() } else { self.claimed() + &all }
    }

    fn claimed(&self) -> String {
        let mut assumed = vec![format!("fairness {}", self.fairness_text)];
        assumed.extend(self.assumed.iter().map(|constraint| constraint.text.clone()));
        let (fairness, formula) = (assumed.join(" and "), self.formula.show(&self.names));
        let inherent = matches!(self.fairness, Notion::Inherent { .. });
        match self.claim {
            Claim::Holds if inherent => {
                format!(
                    "every beginning of a run ({fairness}) can go on such that it satisfies {formula}"
                )
            }
            Claim::Violated if inherent => {
                format!(
                    "a beginning of a run ({fairness}) cannot go on such that it satisfies {formula}"
                )
            }
            Claim::Holds => format!("every run under {fairness} satisfies {formula}"),
            Claim::Violated => format!("a run under {fairness} violates {formula}"),
            Claim::Always => format!(
                "nothing goes wrong in a step, and every state that can be reached satisfies {formula}"
            ),
            Claim::Reached => format!("a run comes to a state that does not satisfy {formula}"),
            Claim::Error => "a run comes to an error of the model".to_owned(),
            Claim::Refines(observed) => {
                let observed = format!("{observed:?}").to_lowercase();
                format!("the system refines the next one, as far as {observed} show")
            }
            Claim::Specification => "the states of a specification".to_owned(),
        }
    }
}
