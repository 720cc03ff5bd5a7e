//! Words: no panic, and what is read is printed so that it reads back the same.
#![no_main]

use fairly_omega::Letters;
use fairly_omega::formats::word;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let propositions = ["a", "b", "p1", "cycle", "x == 3", "GFa", "\"\\", ""].map(String::from);
    let mut letters = Letters::new();
    let Ok(read) = word::parse(text, &mut letters, &propositions) else { return };
    let printed = word::print(&read, &letters, &propositions).expect("few propositions");
    let again = word::parse(&printed, &mut letters, &propositions);
    assert_eq!(again.as_ref(), Ok(&read), "{printed}");
});
