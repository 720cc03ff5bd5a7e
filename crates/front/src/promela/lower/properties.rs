//! Questions about a model: formulas, claims and progress, over its propositions.

use fairly_model::{Expr, LocationId, Model, SlotId, TemplateId};
use fairly_source::Diagnostic;

use super::names::Unique;
use super::processes::{Lowering, Scope};
use super::{Lower, LowerError, Lowered};
use crate::promela::ast::{self, Asked, BinaryLtl, ExprKind, Ltl, UnaryLtl};

/// The propositions of a model.
#[derive(Default)]
pub(super) struct Propositions {
    named: Vec<(String, Expr)>,
    unique: Unique,
}

impl Propositions {
    /// The name of a condition, which is written so.
    pub(super) fn name(&mut self, words: &str, condition: Expr) -> String {
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
    let unfinished = lowering.trace_unfinished();
    let unfinished = unfinished.map(|open| propositions.name("trace not complete", open));
    let model = Model { propositions: propositions.named, ..lowering.model };
    let expectations = lowering.ast.expectations.clone();
    let numbers = lowering.numbers;
    Ok(Lowered {
        model,
        formulas,
        claims,
        expectations,
        no_progress,
        accepting,
        unfinished,
        numbers,
    })
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
            Ltl::Asked(asked) => {
                let word = if asked.is_taken { "taken" } else { "enabled" };
                text.push_str(&quoted(&format!("{word}({})", self.asked(*asked)?)));
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

    /// Name of the process that a formula asks about.
    fn asked(&self, asked: Asked) -> Lower<String> {
        let slots = self.slots_of(TemplateId(asked.proctype.0));
        let wrong = |message: &str, help: &str| {
            Err(LowerError(vec![Diagnostic::error("E1130", message, asked.place.span).help(help)]))
        };
        let named = |slot: SlotId| Ok(self.model.slots[slot.index()].name.clone());
        match (asked.pid, slots.as_slice()) {
            (Some(pid), slots) => {
                let is_it = |slot: &&SlotId| i64::from(slot.0) == i64::from(pid);
                match slots.iter().find(is_it) {
                    Some(&slot) => named(slot),
                    None => wrong(
                        "no process of this proctype ever has this number",
                        "processes are numbered as they are started, from 0",
                    ),
                }
            }
            (None, &[slot]) => named(slot),
            (None, _) => wrong(
                "there may be several processes of this proctype",
                "say which one by its number: `taken(P[1])`",
            ),
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
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}
