//! Formulas: no panic, and every spelling of what is read reads back.
#![no_main]

use fairly_logic::{Formulas, Spelling};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let mut formulas = Formulas::new();
    let Ok(formula) = formulas.parse(text) else { return };
    let Ok(printed) = formulas.spell(formula, Spelling::Canonical) else { return };
    let again = formulas.parse(&printed).unwrap_or_else(|wrong| panic!("{wrong:?}\n{printed}"));
    assert_eq!(again, formula, "{printed}");
});
