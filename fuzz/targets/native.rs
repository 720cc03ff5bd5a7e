//! Models as text: native code and the interpreter say the same of every state.
#![no_main]

use fairly_model::{Layout, text, verify};
use fairly_modelkit::native::compare;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(model) = text::parse(text) else { return };
    if verify(&model).is_err() || !Layout::fits(&model) || Layout::of(&model, &[]).cells > 4096 {
        return;
    }
    if let Err(difference) = compare(&model) {
        panic!("{difference}\n{}", text::print(&model));
    }
});
