//! Helpers that the random tests of this crate share: the testkit's networks and formulas as text.

pub(crate) mod files;
pub(crate) mod hunting;
pub(crate) mod languages;

use fairly_check::{Assumption, Options, Outcome, Property, check};
use fairly_explore::Explored;
use fairly_logic::Formulas;
use fairly_system::{
    Annotation, ComponentBuilder, Composition, EventPosition, Network, TransitionSystem,
};
use fairly_testkit::ltl::Ltl;
use fairly_testkit::network::{TinyAnnotation, TinyNetwork, TinyProposition};

/// How many random cases: `FAIRLY_RANDOM_CASES`, or else `usual`; from `FAIRLY_SEED` on.
pub(crate) fn seeds(usual: u64) -> std::ops::Range<u64> {
    let number = |name: &str| Some(std::env::var(name).ok()?.parse::<u64>().expect("a number"));
    let first = number("FAIRLY_SEED").unwrap_or(0);
    first..first + number("FAIRLY_RANDOM_CASES").unwrap_or(usual)
}

/// The network; component `n` is `Pn`, event `n` is `e.n`, states are numbers.
pub(crate) fn network_of(tiny: &TinyNetwork) -> Explored<Network> {
    let mut components = Vec::new();
    for (at, component) in tiny.components.iter().enumerate() {
        let mut builder = ComponentBuilder::new(&format!("P{at}"));
        (0..component.states).for_each(|state| _ = builder.add_state(state.to_string()));
        component.initial.iter().for_each(|&state| builder.add_initial(state as u32));
        component.alphabet.iter().for_each(|event| builder.add_event(&format!("e.{event}")));
        for it in &component.transitions {
            let annotation = it.annotation.map(|kind| match kind {
                TinyAnnotation::WeakFair => Annotation::WeakFair,
                TinyAnnotation::StrongFair => Annotation::StrongFair,
                TinyAnnotation::WeakLive => Annotation::WeakLive,
                TinyAnnotation::StrongLive => Annotation::StrongLive,
            });
            let event = format!("e.{}", it.event);
            builder.add_transition(it.from as u32, &event, it.to as u32, annotation);
        }
        components.push(builder.build());
    }
    let interleaved = tiny.interleaved.iter().map(|event| format!("e.{event}")).collect();
    Explored::new(
        Network::new(components, &Composition { interleaved }).expect("names are different"),
    )
}

/// The formula about the network, with its propositions written out.
pub(crate) fn written(
    formula: &Ltl,
    of: &[TinyProposition],
    network: &Explored<Network>,
) -> String {
    let mut text = formula.infix();
    for (at, proposition) in of.iter().enumerate() {
        let meant = match proposition {
            TinyProposition::Idle => "event(idle)".to_owned(),
            TinyProposition::At(component, state) => format!("\"P{component}@{state}\""),
            TinyProposition::Event(events) => {
                // An event that no component has does not exist in the network, and never happens.
                let names = events.iter().map(|event| format!("e.{event}"));
                let known: Vec<String> =
                    names.filter(|name| network.signature().event(name).is_some()).collect();
                if known.is_empty() {
                    "false".to_owned()
                } else {
                    format!("({})", known.join(" | "))
                }
            }
        };
        text = text.replace(&format!("p{at}"), &meant);
    }
    text
}

pub(crate) fn property<S: TransitionSystem>(
    system: &mut S,
    text: &str,
    reading: EventPosition,
) -> Property {
    let mut formulas = Formulas::new();
    let formula = formulas.parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    let bound = Property::bind("it", formulas, formula, system);
    let mut property = bound.unwrap_or_else(|unbound| panic!("{text}: {unbound}"));
    property.reading = reading;
    property
}

/// Whether the property holds; without a bound that is always known.
pub(crate) fn holds<S: fairly_reduce::Reducible>(
    system: &mut S,
    property: &mut Property,
    assumption: &Assumption,
) -> bool {
    match check(system, property, assumption, &Options::default()) {
        Ok(verdict) => match verdict.outcome {
            Outcome::Holds(_) => true,
            Outcome::Violated(_) | Outcome::Doomed(_) => false,
            Outcome::Unknown(why) => panic!("{}: unknown: {why}", verdict.formula),
        },
        Err(failure) => panic!("{} under {assumption}: {failure}", property.text()),
    }
}
