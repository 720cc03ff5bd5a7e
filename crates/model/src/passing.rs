//! What is probably as it was at first in every state that is stored.
//!
//! A variable that an action uses and sets back, a location inside an atomic sequence, and who holds there
//! have a value that matters only on the way from one stored state to the next. The layout places them
//! behind everything else: words at the end that are the same in all states take no room in a table. This is
//! a guess, from what is written and not from what can happen, and nothing but room depends on it.

use crate::expression::{AnyVariable, Expr, Place};
use crate::ids::TemplateId;
use crate::model::Model;
use crate::process::{Edge, Statement, StatementKind, Target, Template};
use crate::variable::{Storage, Variable};

/// What probably passes within a step.
pub(crate) struct Passing {
    pub(crate) variables: Vec<bool>,
    /// By template, its variables.
    pub(crate) locals: Vec<Vec<bool>>,
    /// By template, whether it is at its first location whenever nobody holds.
    pub(crate) locations: Vec<bool>,
}

/// What is said of a variable by the actions that were looked at.
#[derive(Clone, Copy, Default)]
struct Said {
    /// Whether one of them changes it and sets it back.
    is_set_back: bool,
    /// Whether one of them leaves it changed, or may.
    is_left: bool,
    /// Of the present action.
    changed: bool,
    restored: bool,
}

impl Passing {
    pub(crate) fn of(model: &Model) -> Passing {
        let none = |variables: &[Variable]| vec![Said::default(); variables.len()];
        let mut all = All {
            model,
            variables: none(&model.variables),
            locals: model.templates.iter().map(|it| none(&it.locals)).collect(),
            met: Vec::new(),
        };
        for (at, template) in model.templates.iter().enumerate() {
            let own = TemplateId::from_index(at);
            // What arguments make of parameters differs from process to process.
            for parameter in &mut all.locals[at][..template.parameters as usize] {
                parameter.is_left = true;
            }
            all.action(&template.start, own);
            edges(template).for_each(|edge| all.action(&edge.effect, own));
        }
        let passing = |said: &Vec<Said>| -> Vec<bool> {
            said.iter().map(|said| said.is_set_back && !said.is_left).collect()
        };
        Passing {
            variables: passing(&all.variables),
            locals: all.locals.iter().map(passing).collect(),
            locations: model.templates.iter().map(is_elsewhere_only_while_holding).collect(),
        }
    }

    /// Nothing.
    pub(crate) fn none(model: &Model) -> Passing {
        let none = |variables: &[Variable]| vec![false; variables.len()];
        Passing {
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
    variables: Vec<Said>,
    locals: Vec<Vec<Said>>,
    /// The variables that the present action assigns.
    met: Vec<AnyVariable>,
}

impl All<'_> {
    /// Everything that happens in one step.
    fn action(&mut self, effect: &[Statement], own: TemplateId) {
        self.statements(effect, own);
        while let Some(variable) = self.met.pop() {
            let said = match variable {
                AnyVariable::Global(id) => &mut self.variables[id.index()],
                AnyVariable::Local(id) => &mut self.locals[own.index()][id.index()],
                AnyVariable::Remote { .. } => continue,
            };
            said.is_set_back |= said.changed && said.restored;
            said.is_left |= said.changed && !said.restored;
            (said.changed, said.restored) = (false, false);
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
        let (variable, said) = match &place.variable {
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
            said.is_left = true;
            return;
        }
        let first = variable.initial.first().copied().unwrap_or(0);
        match value {
            Some(Expr::Const(value)) if *value == first => said.restored = true,
            _ => said.changed = true,
        }
        self.met.push(place.variable.clone());
    }
}
