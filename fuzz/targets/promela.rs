//! Promela: no panic, and what is read is printed so that it reads back the same.
#![no_main]

use fairly_front::promela;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(model) = promela::parse(text) else { return };
    let printed = promela::print(&model);
    match promela::parse(&printed) {
        Ok(again) => assert_eq!(promela::print(&again), printed),
        // What is printed nests deeper and is longer, since it has more parentheses.
        Err(wrong) => assert!(
            wrong.iter().all(|wrong| matches!(wrong.code, "E1122" | "E1124")),
            "{wrong:?}\n{printed}"
        ),
    }
});
