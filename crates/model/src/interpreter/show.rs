//! States as a person reads them.

use fairly_system::{ProcessValues, StateValues, Value};

use super::ModelSpace;
use crate::ids::VariableId;
use crate::layout::Strip;
use crate::shown::{Kind, Part, element_name, insert};
use crate::variable::{ABSENT, Variable};

impl ModelSpace {
    /// An unpacked state on one line.
    pub(super) fn shown(&self, cells: &[i64]) -> String {
        let is_process = |name: &str| self.program.model.slots.iter().any(|it| it.name == name);
        let part = |(name, value): (String, String)| {
            let sign = if is_process(&name) { "@" } else { "=" };
            format!("{name}{sign}{value}")
        };
        self.valuation_of(cells).into_iter().map(part).collect::<Vec<_>>().join(" ")
    }

    /// The parts of an unpacked state by name and with types.
    pub(super) fn state_values(&self, cells: &[i64]) -> StateValues {
        let (mut values, mut variables) = (StateValues::default(), Vec::new());
        self.each_part(cells, |part| match part {
            Piece::Variable { parts, elements, owner: None, .. } => {
                insert(&mut variables, &parts, &elements);
            }
            Piece::Variable { parts, elements, owner: Some(_), .. } => {
                if let Some(process) = values.processes.last_mut() {
                    insert(&mut process.variables, &parts, &elements);
                }
            }
            Piece::Channel(name, messages) => {
                values.channels.push((name.to_owned(), messages));
            }
            Piece::Process(name, at) => values.processes.push(ProcessValues {
                name: name.to_owned(),
                at,
                variables: Vec::new(),
            }),
        });
        values.variables = variables;
        values
    }

    /// The parts of an unpacked state by name, in an order that does not depend on the state: for reports that
    /// show what has changed.
    ///
    /// Elements of an array are `a[0]`, or all together `[1 2]` if something counts them; variables of a process
    /// are `P.x`, the messages of a channel `[1.2 3.4]`; a process is where its location is, and what is not there
    /// has no entry. Numbers that stand for something are shown as that: see [`Kind`].
    pub(super) fn valuation_of(&self, cells: &[i64]) -> Vec<(String, String)> {
        let (model, layout) = (&self.program.model, &self.program.layout);
        let mut values = Vec::new();
        self.each_part(cells, |part| match part {
            Piece::Variable { parts, elements, owner } => {
                let prefix = owner.map_or(String::new(), |owner| format!("{owner}."));
                for (at, value) in elements.iter().enumerate() {
                    let name = format!("{prefix}{}", element_name(&parts, at));
                    values.push((name, value.to_string()));
                }
            }
            Piece::Channel(name, messages) => {
                let message = |cells: &Vec<Value>| {
                    let cells: Vec<String> = cells.iter().map(ToString::to_string).collect();
                    cells.join(".")
                };
                let messages: Vec<String> = messages.iter().map(message).collect();
                values.push((name.to_owned(), format!("[{}]", messages.join(" "))));
            }
            Piece::Process(name, at) => values.push((name.to_owned(), at)),
        });
        let named = |strip: &Strip| {
            let slot = usize::try_from(cells[strip.cell as usize]).ok()?;
            Some(model.slots[slot].name.clone())
        };
        for (name, strip) in [("atomic", layout.holder), ("last", layout.last_mover)] {
            if let Some(slot) = strip.as_ref().and_then(named) {
                values.push((name.to_owned(), slot));
            }
        }
        values
    }

    /// Hands over everything that a state is made of: variables, channels, and each process with its own
    /// variables behind it.
    fn each_part<'a>(&'a self, cells: &[i64], mut hand: impl FnMut(Piece<'a>)) {
        let (model, layout) = (&self.program.model, &self.program.layout);
        let counts: Vec<VariableId> = model.variables.iter().filter_map(|it| it.count).collect();
        for (at, (variable, strip)) in model.variables.iter().zip(&layout.variables).enumerate() {
            // The elements show how many there are.
            if counts.contains(&VariableId::from_index(at)) {
                continue;
            }
            if let Some(piece) = self.variable(variable, strip, cells, None) {
                hand(piece);
            }
        }
        for (channel, of) in model.channels.iter().zip(&layout.channels) {
            let is_there = channel.owner.is_none_or(|(slot, template)| {
                let variant = layout.variant(cells, slot.index());
                let variants = &layout.slots[slot.index()].variants;
                variant.is_some_and(|variant| variants[variant].template == template)
            });
            if channel.capacity > 0 && is_there {
                let length = usize::try_from(cells[of.length.cell as usize]).unwrap_or(0);
                let message = |at: usize| -> Vec<Value> {
                    let kinds = channel.kinds.iter().map(Some).chain(std::iter::repeat(None));
                    let cell = |(column, kind): (&Strip, Option<&Kind>)| {
                        let number = cells[column.cell as usize + at];
                        (number != ABSENT)
                            .then(|| self.value_of(kind.unwrap_or(&Kind::Number), number))
                    };
                    of.columns.iter().zip(kinds).filter_map(cell).collect()
                };
                hand(Piece::Channel(&channel.name, (0..length).map(message).collect()));
            }
        }
        for (at, (slot, of)) in model.slots.iter().zip(&layout.slots).enumerate() {
            let Some(variant) = layout.variant(cells, at) else { continue };
            let template = model.template(of.variants[variant].template);
            let place = layout.location(cells, at);
            let location = &self.program.location(of.variants[variant].template, place).name;
            let shown = match of.variants.len() {
                1 => location.clone(),
                _ => format!("{}.{location}", template.name),
            };
            hand(Piece::Process(&slot.name, shown));
            for (variable, strip) in template.locals.iter().zip(&of.variants[variant].locals) {
                if let Some(piece) = self.variable(variable, strip, cells, Some(&slot.name)) {
                    hand(piece);
                }
            }
        }
    }

    /// A variable with its elements; none if the state does not keep it.
    fn variable<'a>(
        &'a self,
        variable: &Variable,
        strip: &Strip,
        cells: &[i64],
        owner: Option<&'a str>,
    ) -> Option<Piece<'a>> {
        if strip.cell as usize >= self.program.layout.state_cells {
            return None;
        }
        let Variable { name, length, shown, .. } = variable;
        let counted =
            variable.count.and_then(|count| self.program.layout.variables.get(count.index()));
        if let Some(count) = counted {
            let used = usize::try_from(cells[count.cell as usize]).unwrap_or(0);
            let elements =
                strip.cells().take(used).map(|cell| self.value_of(&shown.kind, cells[cell]));
            let parts = vec![Part { name: name.clone(), lengths: Vec::new() }];
            return Some(Piece::Variable {
                parts,
                elements: vec![Value::List(elements.collect())],
                owner,
            });
        }
        let elements = strip.cells().map(|cell| self.value_of(&shown.kind, cells[cell])).collect();
        Some(Piece::Variable { parts: shown.parts_of(name, *length), elements, owner })
    }

    /// Value that a number stands for.
    fn value_of(&self, kind: &Kind, number: i64) -> Value {
        let channels = &self.program.model.channels;
        kind.value(number, |at| channels.get(at).map(|channel| channel.name.as_str()))
    }
}

/// A part of a state.
enum Piece<'a> {
    /// A variable, of a process if it has an owner.
    Variable { parts: Vec<Part>, elements: Vec<Value>, owner: Option<&'a str> },
    /// A channel and its messages.
    Channel(&'a str, Vec<Vec<Value>>),
    /// A process and its location.
    Process(&'a str, String),
}
