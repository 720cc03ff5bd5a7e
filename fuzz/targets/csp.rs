//! CSP#: no panic, every caret in the text, and what is read is printed so that it reads back the
//! same.
#![no_main]

use fairly_front::csp;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let read = match csp::parse(text) {
        Ok(read) => read,
        Err(errors) => {
            assert!(!errors.is_empty() && errors.len() <= csp::MOST_ERRORS);
            for wrong in errors {
                assert!(text.get(wrong.span.start..wrong.span.end).is_some(), "{wrong:?}");
            }
            return;
        }
    };
    let printed = csp::print(&read);
    let again = csp::parse(&printed).unwrap_or_else(|wrong| panic!("{wrong:?}\n{printed}"));
    assert_eq!(csp::print(&again), printed);
    assert_eq!(again.nodes.len(), read.nodes.len(), "{printed}");
});
