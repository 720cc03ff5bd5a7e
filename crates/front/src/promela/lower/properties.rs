//! Formulas and claims.

use fairly_model::{Expr, LocationId, Model, TemplateId};
use hashbrown::HashMap;

use super::flow::{ElementId, Flow, Node};
use super::machine::Machine;
use super::names::Unique;
use super::processes::{Lowering, Scope};
use super::{Lower, Lowered, trouble};
use crate::promela::ast::{self, BinaryLtl, ExprKind, Ltl, Proctype, StmtKind, UnaryLtl};

/// A `never` claim: an automaton that reads the states of a run and must not accept.
///
/// It takes a step in every state of the run, the first included, by a step whose guard holds there.
/// The run is wrong if the claim comes to a state that [ends](ClaimState::ends), or passes states that
/// [accept](ClaimState::accepts) again and again. If no guard holds, the run is fine. A run that
/// ends in a deadlock stays in its last state for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// Its states; it starts in the first.
    pub states: Vec<ClaimState>,
}

/// A state of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimState {
    /// As it is shown.
    pub name: String,
    /// Whether it has a label that starts with `accept`.
    pub accepts: bool,
    /// Whether the claim is complete here: the run is wrong whatever follows.
    pub ends: bool,
    /// What leads on.
    pub steps: Vec<ClaimStep>,
}

/// A step of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimStep {
    /// The name of the proposition of the model that must hold; `None` for true.
    pub guard: Option<String>,
    /// The position of the state it leads to.
    pub target: usize,
}

/// The propositions of a model.
#[derive(Default)]
struct Propositions {
    named: Vec<(String, Expr)>,
    unique: Unique,
}

impl Propositions {
    /// The name of a condition, which is written so.
    fn name(&mut self, words: &str, condition: Expr) -> String {
        if let Some((name, _)) = self.named.iter().find(|(_, known)| *known == condition) {
            return name.clone();
        }
        // These words mean something else where propositions are looked up.
        let taken = matches!(words, "deadlock" | "terminated" | "") || words.contains('@');
        let words = if taken { format!("({words})") } else { words.to_owned() };
        let name = self.unique.name(&words, ' ');
        self.named.push((name.clone(), condition));
        name
    }
}

/// Adds formulas and claims.
pub(super) fn finish(
    lowering: Lowering<'_>,
    accepting: Vec<(TemplateId, LocationId)>,
) -> Lower<Lowered> {
    let mut propositions = Propositions::default();
    let mut formulas = Vec::new();
    for formula in &lowering.ast.formulas {
        let mut text = String::new();
        lowering.formula(&formula.ltl, &mut propositions, &mut text)?;
        formulas.push((formula.name.clone(), text));
    }
    let mut claims = Vec::new();
    for claim in &lowering.ast.claims {
        claims.push(lowering.claim(claim, &mut propositions)?);
    }
    // A label that no process ever comes to is there all the same, and asks for progress.
    let mut labels = lowering.processes.iter().flat_map(|process| &process.of.labels);
    let progress = labels.any(ast::Label::is_progress);
    let no_progress = progress.then(|| propositions.name("np_", lowering.no_progress()));
    let model = Model { propositions: propositions.named, ..lowering.model };
    let expectations = lowering.ast.expectations.clone();
    Ok(Lowered { model, formulas, claims, expectations, no_progress, accepting })
}

impl<'a> Lowering<'a> {
    fn formula(
        &self,
        ltl: &'a Ltl,
        propositions: &mut Propositions,
        text: &mut String,
    ) -> Lower<()> {
        match ltl {
            Ltl::Proposition(expr) => {
                match expr.kind {
                    ExprKind::Number(0) => text.push_str("false"),
                    ExprKind::Number(_) => text.push_str("true"),
                    _ => {
                        let condition = self.expr(expr, Scope::Property)?.expr;
                        let name = propositions.name(&self.words.at(expr.place), condition);
                        text.push_str(&quoted(&name));
                    }
                }
                Ok(())
            }
            Ltl::Unary(op, operand) => {
                text.push_str(match op {
                    UnaryLtl::Not => "!",
                    UnaryLtl::Next => "X ",
                    UnaryLtl::Always => "[] ",
                    UnaryLtl::Eventually => "<> ",
                });
                self.operand(operand, propositions, text)
            }
            Ltl::Binary(op, left, right) => {
                self.operand(left, propositions, text)?;
                text.push_str(match op {
                    BinaryLtl::And => " && ",
                    BinaryLtl::Or => " || ",
                    BinaryLtl::Implies => " -> ",
                    BinaryLtl::Equivalent => " <-> ",
                    BinaryLtl::Until => " U ",
                    BinaryLtl::WeakUntil => " W ",
                    BinaryLtl::Release => " V ",
                });
                self.operand(right, propositions, text)
            }
        }
    }

    fn operand(
        &self,
        ltl: &'a Ltl,
        propositions: &mut Propositions,
        text: &mut String,
    ) -> Lower<()> {
        let wrap = matches!(ltl, Ltl::Binary(..));
        text.push_str(if wrap { "(" } else { "" });
        self.formula(ltl, propositions, text)?;
        text.push_str(if wrap { ")" } else { "" });
        Ok(())
    }

    fn claim(&self, of: &'a Proctype, propositions: &mut Propositions) -> Lower<Claim> {
        let mut flow = Flow::of(of);
        let machine = Machine::of(&mut flow, &of.labels).map_err(|circle| {
            let place = flow.elements[circle.0].stmt.map_or(of.place, |stmt| stmt.place);
            trouble("E1193", "jumps that lead in a circle without a statement", place)
        })?;
        let mut found: Vec<ElementId> = vec![machine.start];
        let mut number: HashMap<ElementId, usize> = HashMap::from([(machine.start, 0)]);
        let mut states = Vec::new();
        while let Some(&from) = found.get(states.len()) {
            let element = &flow.elements[from];
            let ends = matches!(element.node, Node::End);
            let mut steps = Vec::new();
            let mut blocked = Some((Expr::TRUE, Vec::new()));
            for step in machine.steps[from].iter().filter(|_| !ends) {
                let (guard, words) = match flow.elements[step.element].node {
                    Node::Basic(stmt) => match &stmt.kind {
                        StmtKind::Condition(condition) => {
                            (self.condition(condition)?, self.words.at(condition.place))
                        }
                        StmtKind::Printf(..) | StmtKind::Printm(_) => (Expr::TRUE, String::new()),
                        _ => {
                            let message = "a claim that does more than to look at states";
                            return Err(trouble("E1195", message, stmt.place));
                        }
                    },
                    Node::Else => match &blocked {
                        Some((guard, words)) => {
                            (guard.clone(), format!("!({})", words.join(" || ")))
                        }
                        None => (Expr::FALSE, "false".to_owned()),
                    },
                    Node::DStep(_) | Node::Unless => {
                        let message = "a claim with `d_step` or `unless`";
                        return Err(trouble("E1195", message, of.place));
                    }
                    _ => (Expr::TRUE, String::new()),
                };
                blocked = match (blocked, flow.elements[step.element].node) {
                    (_, Node::Else) | (None, _) => None,
                    (Some((before, mut all)), _) => {
                        all.push(words.clone());
                        Some((before.and(guard.clone().negated()), all))
                    }
                };
                let Some(target) = step.target else { continue };
                let next = found.len();
                let target = *number.entry(target).or_insert_with(|| {
                    found.push(target);
                    next
                });
                let guard = match guard {
                    Expr::TRUE => None,
                    guard => Some(propositions.name(&words, guard)),
                };
                steps.push(ClaimStep { guard, target });
            }
            let label = element.labels.iter().find_map(|label| of.labels.get(label.index()));
            let name = match label {
                Some(label) => label.name.clone(),
                None => format!("s{}", states.len()),
            };
            states.push(ClaimState { name, accepts: machine.marks[from].accept, ends, steps });
        }
        Ok(Claim { name: of.name.clone(), states })
    }

    fn condition(&self, condition: &'a ast::Expr) -> Lower<Expr> {
        Ok(self.expr(condition, Scope::Property)?.expr)
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}
