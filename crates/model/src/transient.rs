//! Finds transient variables: those whose value matters only inside a step.
//!
//! A variable that an action uses and sets back, a location inside an atomic sequence, and the process that holds
//! there matter only on the way from one stored state to the next. The layout places them behind everything else:
//! words at the end that are the same in all states take no room in a table. The analysis is a guess from the text
//! of the model, not from its reachable states, and nothing but room depends on it.

use crate::expression::{AnyVariable, Expr, Place};
use crate::ids::TemplateId;
use crate::model::Model;
use crate::process::{Edge, Statement, StatementKind, Target, Template};
use crate::variable::{Storage, Variable};

/// Variables and locations that are probably transient.
pub(crate) struct Transient {
    pub(crate) variables: Vec<bool>,
    /// By template, its variables.
    pub(crate) locals: Vec<Vec<bool>>,
    /// By template, whether it is at its first location whenever no process holds.
    pub(crate) locations: Vec<bool>,
}

/// Summary of how the actions seen so far use a variable.
#[derive(Clone, Copy, Default)]
struct Use {
    /// Whether one of them changes it and sets it back.
    is_set_back: bool,
    /// Whether one of them leaves it changed, or may.
    is_left: bool,
    /// Of the present action.
    changed: bool,
    restored: bool,
}

impl Transient {
    pub(crate) fn of(model: &Model) -> Transient {
        let none = |variables: &[Variable]| vec![Use::default(); variables.len()];
        let mut all = All {
            model,
            variables: none(&model.variables),
            locals: model.templates.iter().map(|it| none(&it.locals)).collect(),
            met: Vec::new(),
        };
        for (at, template) in model.templates.iter().enumerate() {
            let own = TemplateId::from_index(at);
            // Arguments give parameters values that differ from process to process.
            for parameter in &mut all.locals[at][..template.parameters as usize] {
                parameter.is_left = true;
            }
            all.action(&template.start, own);
            edges(template).for_each(|edge| all.action(&edge.effect, own));
        }
        let transient = |usage: &Vec<Use>| -> Vec<bool> {
            usage.iter().map(|usage| usage.is_set_back && !usage.is_left).collect()
        };
        Transient {
            variables: transient(&all.variables),
            locals: all.locals.iter().map(transient).collect(),
            locations: model.templates.iter().map(is_elsewhere_only_while_holding).collect(),
        }
    }

    /// Nothing.
    pub(crate) fn none(model: &Model) -> Transient {
        let none = |variables: &[Variable]| vec![false; variables.len()];
        Transient {
            variables: none(&model.variables),
            locals: model.templates.iter().map(|it| none(&it.locals)).collect(),
            locations: vec![false; model.templates.len()],
        }
    }
}

fn edges(template: &Template) -> impl Iterator<Item = &Edge> {
    template.locations.iter().filter_map(|location| location.edges.as_ref()).flatten()
}

fn is_elsewhere_only_while_holding(template: &Template) -> bool {
    edges(template).all(|edge| match edge.target {
        Target::Location(target) => target.index() == 0 || edge.hold,
        Target::Exit => true,
    })
}

struct All<'a> {
    model: &'a Model,
    variables: Vec<Use>,
    locals: Vec<Vec<Use>>,
    /// The variables that the present action assigns.
    met: Vec<AnyVariable>,
}

impl All<'_> {
    /// Everything that happens in one step.
    fn action(&mut self, effect: &[Statement], own: TemplateId) {
        self.statements(effect, own);
        while let Some(variable) = self.met.pop() {
            let usage = match variable {
                AnyVariable::Global(id) => &mut self.variables[id.index()],
                AnyVariable::Local(id) => &mut self.locals[own.index()][id.index()],
                AnyVariable::Remote { .. } => continue,
            };
            usage.is_set_back |= usage.changed && usage.restored;
            usage.is_left |= usage.changed && !usage.restored;
            (usage.changed, usage.restored) = (false, false);
        }
    }

    fn statements(&mut self, statements: &[Statement], own: TemplateId) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Assign(pairs) => {
                    for (place, value) in pairs {
                        self.assign(place, Some(value), own);
                    }
                }
                StatementKind::If { then, otherwise, .. } => {
                    self.statements(then, own);
                    self.statements(otherwise, own);
                }
                StatementKind::While { body, .. } => self.statements(body, own),
                StatementKind::Start { slot, .. } => {
                    slot.iter().for_each(|place| self.assign(place, None, own));
                }
                StatementKind::Take { into, .. } => {
                    into.iter().flatten().for_each(|place| self.assign(place, None, own));
                }
                StatementKind::Assert { .. } | StatementKind::Put { .. } => {}
            }
        }
    }

    fn assign(&mut self, place: &Place, value: Option<&Expr>, own: TemplateId) {
        let (variable, usage) = match &place.variable {
            AnyVariable::Global(id) => {
                (&self.model.variables[id.index()], &mut self.variables[id.index()])
            }
            AnyVariable::Local(id) => {
                let local = self.model.template(own).local(*id);
                (local, &mut self.locals[own.index()][id.index()])
            }
            AnyVariable::Remote { template, local, .. } => {
                self.locals[template.index()][local.index()].is_left = true;
                return;
            }
        };
        if place.index.is_some() || variable.storage == Storage::Scratch {
            usage.is_left = true;
            return;
        }
        let first = variable.initial.first().copied().unwrap_or(0);
        match value {
            Some(Expr::Const(value)) if *value == first => usage.restored = true,
            _ => usage.changed = true,
        }
        self.met.push(place.variable.clone());
    }
}
