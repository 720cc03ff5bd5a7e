//! HOA: no panic, and what is read is printed so that it reads back the same.
#![no_main]

use fairly_omega::formats::{dot, hoa};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(automata) = hoa::parse(text) else { return };
    let printed: String = automata.iter().map(hoa::print).collect();
    let again = hoa::parse(&printed).unwrap_or_else(|wrong| panic!("{wrong:?}\n{printed}"));
    assert_eq!(again, automata, "{printed}");
    automata.iter().for_each(|automaton| drop(dot::print(automaton)));
});
