//! States as a person reads them.

use fairly_omega::StateId;

use super::Interpreter;
use crate::ids::VariableId;
use crate::layout::Strip;
use crate::variable::{ABSENT, Variable};

impl Interpreter {
    /// What everything of a state is, by name, in an order that does not depend on the state: for
    /// reports that show what has changed. Where something went wrong it is the state before.
    ///
    /// Elements of an array are `a[0]`, or all together `[1,2]` if something counts them, variables of a process `P.x`, the messages of a channel
    /// `[1.2 3.4]`; a process is where its location is, and what is not there has no entry.
    pub fn valuation(&self, state: StateId) -> Vec<(String, String)> {
        self.reading(state, |cells| self.values(cells)).unwrap_or_default()
    }

    /// The state on one line.
    pub(super) fn show(&self, state: StateId) -> String {
        let mut line = String::new();
        if let Some(broken) = self.faults.get(&state) {
            line = format!("fault: {}", broken.fault.message);
        }
        for (name, value) in self.valuation(state) {
            let separator = if line.is_empty() { "" } else { " " };
            let sign = if self.program.model.slots.iter().any(|slot| slot.name == name) {
                "@"
            } else {
                "="
            };
            line.push_str(&format!("{separator}{name}{sign}{value}"));
        }
        line
    }

    fn values(&self, cells: &[i64]) -> Vec<(String, String)> {
        let (model, layout) = (&self.program.model, &self.program.layout);
        let mut values = Vec::new();
        let counts: Vec<VariableId> = model.variables.iter().filter_map(|it| it.count).collect();
        for (at, (variable, strip)) in model.variables.iter().zip(&layout.variables).enumerate() {
            // The elements show how many there are.
            if !counts.contains(&VariableId::from_index(at)) {
                self.elements(variable, strip, cells, "", &mut values);
            }
        }
        for (channel, of) in model.channels.iter().zip(&layout.channels) {
            if channel.capacity > 0 {
                let length = usize::try_from(cells[of.length.cell as usize]).unwrap_or(0);
                let message = |at: usize| -> String {
                    let values = of.columns.iter().map(|it| cells[it.cell as usize + at]);
                    let there = values.filter(|&value| value != ABSENT);
                    there.map(|value| value.to_string()).collect::<Vec<_>>().join(".")
                };
                let messages: Vec<String> = (0..length).map(message).collect();
                values.push((channel.name.clone(), format!("[{}]", messages.join(" "))));
            }
        }
        for (at, (slot, of)) in model.slots.iter().zip(&layout.slots).enumerate() {
            let Some(variant) = layout.variant(cells, at) else { continue };
            let template = model.template(of.variants[variant].template);
            let location = &template.locations[layout.location(cells, at)].name;
            let shown = match of.variants.len() {
                1 => location.clone(),
                _ => format!("{}.{location}", template.name),
            };
            values.push((slot.name.clone(), shown));
            for (variable, strip) in template.locals.iter().zip(&of.variants[variant].locals) {
                self.elements(variable, strip, cells, &format!("{}.", slot.name), &mut values);
            }
        }
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

    fn elements(
        &self,
        variable: &Variable,
        strip: &Strip,
        cells: &[i64],
        prefix: &str,
        values: &mut Vec<(String, String)>,
    ) {
        if strip.cell as usize >= self.program.layout.state_cells {
            return;
        }
        if let Some(count) =
            variable.count.and_then(|count| self.program.layout.variables.get(count.index()))
        {
            let used = usize::try_from(cells[count.cell as usize]).unwrap_or(0);
            let elements = strip.cells().take(used).map(|cell| cells[cell].to_string());
            let elements = elements.collect::<Vec<_>>().join(",");
            values.push((format!("{prefix}{}", variable.name), format!("[{elements}]")));
            return;
        }
        for (at, cell) in strip.cells().enumerate() {
            let name = match variable.length {
                None => format!("{prefix}{}", variable.name),
                Some(_) => format!("{prefix}{}[{at}]", variable.name),
            };
            values.push((name, cells[cell].to_string()));
        }
    }
}
