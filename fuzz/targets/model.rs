//! Models as text: no panic in reading or checking, and what is read is printed so that it reads back
//! the same.
#![no_main]

use fairly_model::{text, verify};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(read) = text::parse(text) else { return };
    let printed = text::print(&read);
    let again = text::parse(&printed).unwrap_or_else(|wrong| panic!("{wrong:?}\n{printed}"));
    assert_eq!(again, read, "{printed}");
    let _ = verify(&read);
});
