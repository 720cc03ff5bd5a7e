//! Certificates: no panic, whatever the bytes are, and twice the same answer. Bytes that do not begin as a certificate
//! are a statement, a model and the rest with a zero byte between them, so that lengths are right more often. The
//! checksum is always made right, so that it hides nothing.
#![no_main]

fn text(out: &mut Vec<u8>, text: &[u8]) {
    let mut length = text.len();
    while length >= 0x80 {
        out.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend_from_slice(text);
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut whole = bytes.to_vec();
    if !bytes.starts_with(fairly_verify::MAGIC) {
        whole = fairly_verify::MAGIC.to_vec();
        let mut parts = bytes.splitn(3, |byte| *byte == 0);
        text(&mut whole, parts.next().unwrap_or_default());
        text(&mut whole, parts.next().unwrap_or_default());
        whole.extend_from_slice(parts.next().unwrap_or_default());
    } else {
        whole.truncate(whole.len().saturating_sub(8));
    }
    whole.extend(fairly_verify::checksum(&whole).to_le_bytes());
    let verified = fairly_verify::verify(&whole);
    assert_eq!(verified, fairly_verify::verify(&whole));
    if let Err(rejected) = verified {
        assert!(!rejected.why.contains("a bug"), "{rejected}");
    }
    let _ = fairly_verify::text(&mut &whole[..], &mut std::io::sink());
});
