//! Linear temporal logic into automata on infinite words.
//!
//! Two translators stand in one table, [`TRANSLATORS`]:
//!
//! | translator | result | from |
//! |---|---|---|
//! | `fast`, the default | small, marks on edges, deterministic where that is cheap | Couvreur 1999 and others, see [`fast()`] |
//! | `gpvw` | marks on states, nothing simplified: the reference | Gerth, Peled, Vardi, Wolper 1995 |
//!
//! Both give generalized Büchi automata. [`translate_generic`] and [`translate_alternating`] turn
//! what a formula says of the limit into the acceptance condition or into parts of its own. If the formula is a property `(∧ cᵢ) -> ψ` with fairness
//! premises, [`translate_lifted`] keeps the premises as conditions on letters, which cost no
//! states; a search that takes fairness constraints should use that. What a formula *is*
//! (safety, stutter-invariant …) by its language and not by its syntax is in [`classes`].
//!
//! The propositions of an automaton are the atoms of the formula as it was given, each as
//! [`fairly_logic::Atom::plain_text`] has it, state propositions and events alike, in the order in
//! which the arena first met them.
//!
//! ```
//! use fairly_logic::Formulas;
//! use fairly_translate::{Options, translate};
//! let mut formulas = Formulas::new();
//! let f = formulas.parse("G(request -> F grant)").unwrap();
//! let automaton = translate(&mut formulas, f, &Options::default()).unwrap();
//! assert_eq!(automaton.propositions(), ["request", "grant"]);
//! assert_eq!(automaton.state_count(), 2);
//! assert!(automaton.is_deterministic().unwrap());
//! ```

pub mod classes;
mod fast;
mod generic;
mod gpvw;
mod lifted;

use fairly_logic::{AtomId, Formula, Formulas};
use fairly_omega::{Automaton, BudgetError, Limits};

pub use fast::fast;
pub use generic::{translate_alternating, translate_generic};
pub use gpvw::{Expansion, Explanation, NodeSets, gpvw, gpvw_explained};
pub use lifted::{LetterConstraint, Lifted, translate_lifted};

/// A translator of the table.
#[derive(Debug)]
pub struct Translator {
    /// Name on the command line.
    pub name: &'static str,
    /// One line for the help text.
    pub summary: &'static str,
    /// Where it comes from.
    pub origin: &'static str,
    run: fn(&mut Formulas, Formula, Limits) -> Result<Automaton, BudgetError>,
}

impl Translator {
    /// The translator with this name.
    pub fn named(name: &str) -> Option<&'static Translator> {
        TRANSLATORS.iter().find(|translator| translator.name == name)
    }
}

/// All translators, the default first.
pub static TRANSLATORS: &[Translator] = &[
    Translator {
        name: "fast",
        summary: "small transition-based automata, deterministic where that is cheap",
        origin: "Couvreur 1999; Dax, Eisinger, Klaedtke 2007",
        run: fast,
    },
    Translator {
        name: "gpvw",
        summary: "the textbook tableau with marks on states, for comparison",
        origin: "Gerth, Peled, Vardi, Wolper 1995",
        run: gpvw,
    },
];

/// How to translate.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Which translator.
    pub translator: &'static Translator,
    /// How large the automaton may become.
    pub limits: Limits,
}

impl Default for Options {
    /// The first translator of the table; what ends within seconds.
    fn default() -> Self {
        Options { translator: &TRANSLATORS[0], limits: Limits { states: 20_000, edges: 200_000 } }
    }
}

/// The automaton of a formula: it accepts the words that satisfy `f`.
///
/// # Errors
/// When the automaton, or something on the way to it, would be too large.
pub fn translate(
    formulas: &mut Formulas,
    f: Formula,
    options: &Options,
) -> Result<Automaton, BudgetError> {
    (options.translator.run)(formulas, f, options.limits)
}

/// The names of the propositions of a formula's automaton.
fn propositions(formulas: &Formulas, f: Formula) -> Vec<String> {
    propositions_of(formulas, &formulas.atoms(f))
}

fn propositions_of(formulas: &Formulas, atoms: &[AtomId]) -> Vec<String> {
    atoms.iter().map(|&atom| formulas.atom_of(atom).plain_text()).collect()
}
