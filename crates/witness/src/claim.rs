//! Does an automaton accept the run?
//!
//! For properties that are given by an automaton of the runs that violate them, as SPIN's never
//! claims are.

use fairly_omega::{Automaton, Label, Prop, Refused, Word, ops};
use fairly_system::{Run, RunStep, TransitionSystem};

use crate::formula::Meaning;

/// Whether the automaton accepts the run. `meaning` tells what each of its propositions stands for;
/// events are read where they leave a state.
///
/// # Errors
/// When the automaton's letters are full.
pub fn accepted<S: TransitionSystem>(
    system: &S,
    run: &Run,
    automaton: &Automaton,
    meaning: impl Fn(Prop) -> Meaning,
) -> Result<bool, Refused> {
    let mut automaton = automaton.clone();
    let count = u32::try_from(automaton.propositions().len()).unwrap_or(u32::MAX);
    let mut letter = |step: &RunStep| -> Result<Label, Refused> {
        let mut all = Label::TRUE;
        for prop in (0..count).map(Prop) {
            let holds = match meaning(prop) {
                Meaning::Event(events) => {
                    events.contains(system.action(step.action).event, system.signature())
                }
                Meaning::State(atom) => system.holds(step.from, atom),
            };
            let letters = automaton.letters_mut();
            let mut one = letters.prop(prop)?;
            if !holds {
                one = letters.not(one)?;
            }
            all = letters.and(all, one)?;
        }
        Ok(all)
    };
    let stem = run.stem.iter().map(&mut letter).collect::<Result<_, _>>()?;
    let cycle = run.cycle.iter().map(&mut letter).collect::<Result<_, _>>()?;
    Ok(ops::accepts(&automaton, &Word { stem, cycle })?.is_some())
}
