//! Arguments and settings of the command: no panic, and no message that a terminal would obey.
//!
//! The input is a `fairly.toml`, a line `--`, and one argument a line.
#![no_main]

use std::ffi::OsString;

use fairly_source::escape::is_harmless;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let (settings, words) = text.split_once("\n--\n").unwrap_or(("", text));
    let words = std::iter::once("fairly").chain(words.lines()).map(OsString::from).collect();
    if let Err(message) = fairly_cli::read_arguments(words, settings) {
        let bad = message.chars().find(|&sign| !is_harmless(sign) && sign != '\n' && sign != '\t');
        assert_eq!(bad, None, "{message:?}");
    }
});
