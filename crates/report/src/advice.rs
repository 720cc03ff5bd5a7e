//! Advice on a counterexample: which fairness excludes it, whether the property then holds, and whether that
//! fairness is one to assume.

use fairly_check::{Strengths, Upgrade};

use crate::human::painted;
use crate::look::{Look, Paint};

/// Subject of a constraint.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// A whole process, weakly: whenever it can move for ever, it moves.
    WeakProcess,
    /// A whole process, strongly.
    StrongProcess,
    /// One statement or event: a choice that a process or its surroundings make.
    Choice,
    /// Something else.
    Other,
}

impl Scope {
    fn of(constraint: &str, processes: &[String]) -> Scope {
        let Some((strength, name)) = constraint.split_once('(') else { return Scope::Other };
        let name = name.strip_suffix(')').unwrap_or(name);
        let is_process = processes.iter().any(|process| process == name);
        match strength {
            "wf" if is_process => Scope::WeakProcess,
            "sf" if is_process => Scope::StrongProcess,
            "wf" | "sf" | "wl" | "sl" => Scope::Choice,
            _ => Scope::Other,
        }
    }
}

/// Names the constraint that would exclude the run, its effect on the property, and how to take that.
pub(crate) fn advice(
    upgrade: Option<&Upgrade>,
    strengths: Option<Strengths>,
    processes: &[String],
    look: &Look,
) -> String {
    let mut out = "\n".to_owned();
    match upgrade {
        None => out.push_str("   No fairness of a process or an event excludes this run.\n"),
        Some(Upgrade { constraint, suffices }) => {
            let bold = look.paint(Paint::Strong, constraint);
            out.push_str(&format!("   {bold} excludes this run.\n"));
            let effect = match suffices {
                Some(true) => format!("Checked again with {constraint}: the property holds."),
                Some(false) => format!(
                    "Checked again with {constraint}: the property still fails, on another run."
                ),
                None => {
                    format!("Whether the property holds with {constraint} was not found out.")
                }
            };
            out.push_str(&look.wrapped(3, &effect));
        }
    }
    if let Some(strengths) = strengths {
        out.push_str(&look.wrapped(3, &line(strengths)));
    }
    if let Some(help) = help(upgrade, strengths, processes) {
        out.push_str(&painted(look, Paint::Faint, &look.wrapped(3, &format!("help: {help}"))));
    }
    out
}

/// `Ladder: none ✗  weak ✗  strong ✓ (property holds)`.
fn line(Strengths { none, weak, strong }: Strengths) -> String {
    let sign = |answer: Option<bool>| match answer {
        Some(true) => "✓",
        Some(false) => "✗",
        None => "?",
    };
    let said = match (weak, strong) {
        (Some(true), _) | (_, Some(true)) => "property holds",
        (_, Some(false)) => "no fairness of processes helps",
        (_, None) => "? not asked: it would take longer",
    };
    format!("Ladder: none {}  weak {}  strong {}  ({said})", sign(none), sign(weak), sign(strong))
}

/// Explains how to take the result. It recommends nothing that has been seen to fail.
fn help(
    upgrade: Option<&Upgrade>,
    strengths: Option<Strengths>,
    processes: &[String],
) -> Option<&'static str> {
    let suffices = upgrade.filter(|upgrade| upgrade.suffices == Some(true));
    if let Some(Upgrade { constraint, .. }) = suffices {
        return match Scope::of(constraint, processes) {
            Scope::WeakProcess => Some("weak fairness is what every reasonable scheduler gives"),
            Scope::StrongProcess => {
                Some("assume strong fairness only if your lock or scheduler guarantees it")
            }
            Scope::Choice => Some(
                "this is about one choice, not about a process, and no scheduler gives it: assume it \
                 only if what makes the choice is fair in this way",
            ),
            Scope::Other => None,
        };
    }
    match strengths {
        Some(Strengths { weak: Some(true), .. }) => Some(
            "one constraint is not enough, but weak fairness of all processes is, which every \
             reasonable scheduler gives",
        ),
        Some(Strengths { strong: Some(true), .. }) => Some(
            "one constraint is not enough, but strong fairness of all processes is; assume it only if \
             your locks and scheduler guarantee it",
        ),
        Some(Strengths { strong: Some(false), .. }) => Some(
            "a scheduler cannot help here: look at the choices that the model makes, or at the property",
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(constraint: &str, suffices: Option<bool>, strengths: Option<Strengths>) -> String {
        let upgrade = Upgrade { constraint: constraint.to_owned(), suffices };
        let processes = ["P[0]".to_owned(), "Sender[1]".to_owned()];
        advice(Some(&upgrade), strengths, &processes, &Look::default())
    }

    #[test]
    fn what_fails_is_not_recommended() {
        let failing = Strengths { none: Some(false), weak: Some(false), strong: Some(false) };
        for constraint in ["sf(P[0])", "wf(P[0])", "sf(Sender:38)"] {
            let text = of(constraint, Some(false), Some(failing));
            assert!(text.contains("still fails"), "{text}");
            assert!(!text.contains("assume strong") && !text.contains("reasonable"), "{text}");
            assert!(text.contains("Ladder: none ✗  weak ✗  strong ✗"), "{text}");
            let text = of(constraint, Some(false), None);
            assert!(!text.contains("help:"), "{text}");
        }
    }

    #[test]
    fn a_choice_is_not_what_a_scheduler_gives() {
        let text = of("wf(Sender:38)", Some(true), None);
        assert!(text.contains("no scheduler gives it"), "{text}");
        assert!(!text.contains("reasonable"), "{text}");
        let text = of("wf(P[0])", Some(true), None);
        assert!(text.contains("reasonable scheduler"), "{text}");
    }
}
