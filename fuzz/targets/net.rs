//! Networks of components: no panic, and what is read is printed so that it reads back the same.
#![no_main]

use fairly_front::case;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(read) = case::parse(text) else { return };
    let printed = case::print(&read);
    let again = case::parse(&printed).unwrap_or_else(|wrong| panic!("{wrong:?}\n{printed}"));
    assert_eq!(again.components, read.components, "{printed}");
    assert_eq!(again.expectations.len(), read.expectations.len(), "{printed}");
});
