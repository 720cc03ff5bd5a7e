//! Never claims: no panic. Printing may drop propositions that no guard depends on, so the second
//! reading is compared with the third.
#![no_main]

use fairly_omega::formats::never;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(automata) = never::parse(text) else { return };
    for automaton in automata {
        let Ok(printed) = never::print(&automaton) else { continue };
        let read = |text: &str| {
            let mut all = never::parse(text).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"));
            assert_eq!(all.len(), 1);
            all.remove(0)
        };
        let first = read(&printed);
        assert_eq!(first.state_count(), automaton.state_count().max(1), "{printed}");
        assert_eq!(first.edge_count(), automaton.edge_count(), "{printed}");
        let again = never::print(&first).expect("it was printed once");
        assert_eq!(read(&again), first, "{printed}\n{again}");
    }
});
