//! Aldebaran files: no panic, and what is read is printed so that it reads back the same.
#![no_main]

use fairly_omega::formats::aut;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(automaton) = aut::parse(text) else { return };
    let Ok(printed) = aut::print(&automaton) else { return };
    let again = aut::parse(&printed).unwrap_or_else(|wrong| panic!("{wrong:?}\n{printed}"));
    assert_eq!(again, automaton, "{printed}");
});
