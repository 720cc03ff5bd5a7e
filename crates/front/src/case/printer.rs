//! [`Case`] to text.

use std::fmt::{self, Write as _};

use super::lines::written;
use super::{Case, CaseComponent, Constraint, Demand, Target};

/// The case as a file that [`super::parse`] reads back as the same case, but for the places.
///
/// ```
/// use fairly_front::case::{parse, print};
/// let text = "component P {\n  initial 0\n  0 -a(wf)-> 0\n}\n\nproperty live: G F a\n";
/// assert_eq!(print(&parse(text).unwrap()), text);
/// ```
pub fn print(case: &Case) -> String {
    let mut text = String::new();
    write(case, &mut text).expect("a string takes everything");
    text
}

fn write(case: &Case, out: &mut String) -> fmt::Result {
    for (at, component) in case.components.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        write_component(component, out)?;
    }
    if !case.interleaved.is_empty() {
        writeln!(out, "\ninterleave {}", list(&case.interleaved))?;
    }
    if !case.constraints.is_empty() {
        out.push('\n');
    }
    for constraint in &case.constraints {
        writeln!(out, "constraint {constraint}")?;
    }
    if !case.properties.is_empty() {
        out.push('\n');
    }
    for property in &case.properties {
        writeln!(out, "property {}: {}", written(&property.name), property.formula.text)?;
    }
    for group in case.expectations.chunk_by(|a, b| a.property == b.property) {
        writeln!(out, "\nexpect {} {{", written(&group[0].property))?;
        for expected in group {
            write!(out, "  {}: {}", expected.notion, expected.verdict)?;
            if !expected.feasible {
                out.push_str(" infeasible");
            } else if !expected.machine_closed {
                out.push_str(" not-machine-closed");
            }
            out.push('\n');
        }
        out.push_str("}\n");
    }
    Ok(())
}

fn list(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| written(name)).collect();
    names.join(", ")
}

fn write_component(component: &CaseComponent, out: &mut String) -> fmt::Result {
    let state = |number: u32| written(&component.states[number as usize]);
    writeln!(out, "component {} {{", written(&component.name))?;
    if !in_order(component) {
        writeln!(out, "  states {}", list(&component.states))?;
    }
    if !component.initial.is_empty() {
        let initial: Vec<_> = component.initial.iter().map(|&at| state(at)).collect();
        writeln!(out, "  initial {}", initial.join(", "))?;
    }
    if !component.alphabet.is_empty() {
        writeln!(out, "  alphabet {}", list(&component.alphabet))?;
    }
    for transition in &component.transitions {
        write!(out, "  {} -{}", state(transition.from), written(&transition.event))?;
        if let Some(annotation) = transition.annotation {
            write!(out, "({annotation})")?;
        }
        writeln!(out, "-> {}", state(transition.to))?;
    }
    for (at, labels) in (0..).zip(&component.labels) {
        if !labels.is_empty() {
            writeln!(out, "  label {}: {}", state(at), list(labels))?;
        }
    }
    out.push_str("}\n");
    Ok(())
}

/// Whether the lines that follow name the states in the order in which they are numbered.
fn in_order(component: &CaseComponent) -> bool {
    let transitions = component.transitions.iter().flat_map(|it| [it.from, it.to]);
    let labelled = (0u32..).zip(&component.labels).filter(|(_, labels)| !labels.is_empty());
    let named = component.initial.iter().copied().chain(transitions);
    let mut known = 0;
    for state in named.chain(labelled.map(|(at, _)| at)) {
        if state > known {
            return false;
        }
        known = known.max(state + 1);
    }
    known as usize == component.states.len()
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Name(name) => write!(f, "{}", written(name)),
            Target::Process(name) => write!(f, "process {}", written(name)),
            Target::Event(name) => write!(f, "event {}", written(name)),
            Target::EventOf { event, process } => {
                write!(f, "{} of {}", written(event), written(process))
            }
        }
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.demand {
            Demand::Fair(kind, target) => write!(f, "{kind}({target})"),
            Demand::Justice(p) => write!(f, "justice({})", p.text),
            Demand::Compassion(p, q) => write!(f, "compassion({}, {})", p.text, q.text),
        }
    }
}
