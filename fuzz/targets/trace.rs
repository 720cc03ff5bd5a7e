//! Traces: no panic, and whatever a trace says, it is shown in every format without anything that a terminal
//! would obey.
#![no_main]

use fairly_report::trace::{Saved, parse};
use fairly_report::{Look, terminal};
use fairly_source::escape::is_harmless;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(value) = parse(text) else { return };
    let Ok(trace) = Saved::read(&value) else { return };
    let shown = terminal(&trace.show(Look::default()));
    let drawn = [trace.mermaid(), trace.plantuml(), trace.dot(), trace.markdown()];
    for text in drawn.iter().chain([&shown]) {
        let bad = text.chars().find(|&sign| !is_harmless(sign) && sign != '\n' && sign != '\t');
        assert_eq!(bad, None, "{text:?}");
    }
    let json = fairly_report::json::text(&value);
    assert_eq!(parse(&json).as_ref(), Ok(&value), "{json}");
});
