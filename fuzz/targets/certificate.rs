//! Certificates: no panic, whatever the bytes are, and twice the same answer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let verified = fairly_verify::verify(bytes);
    assert_eq!(verified, fairly_verify::verify(bytes));
});
