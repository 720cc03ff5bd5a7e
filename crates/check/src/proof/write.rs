//! The bytes of a certificate. The format is in the documentation of `format.rs` of the crate `fairly-verify`.

use hashbrown::HashMap;

/// The first bytes of a certificate.
const MAGIC: &[u8] = b"fairly certificate 2\n";
/// States from one that shares nothing with the one before to the next.
const BLOCK: usize = 16;

/// States with their nodes.
#[derive(Default)]
pub(super) struct Rows {
    bytes: Vec<u8>,
    /// Where the bytes of a state are, and its list of nodes.
    states: Vec<(usize, usize, u32)>,
    lists: Vec<Vec<(u32, u32)>>,
    known: HashMap<Vec<(u32, u32)>, u32>,
    /// How often each list is used.
    uses: Vec<usize>,
}

impl Rows {
    /// Adds a state by its values, with pairs of a state of the automaton and a class.
    pub(super) fn add(&mut self, values: &[i64], mut nodes: Vec<(u32, u32)>) {
        nodes.sort_unstable();
        let list = match self.known.get(&nodes) {
            Some(&known) => known,
            None => {
                let new = u32::try_from(self.lists.len()).expect("fewer than 2^32 lists");
                self.lists.push(nodes.clone());
                self.uses.push(0);
                self.known.insert(nodes, new);
                new
            }
        };
        self.uses[list as usize] += 1;
        let start = self.bytes.len();
        append(&mut self.bytes, values);
        self.states.push((start, self.bytes.len(), list));
    }
}

/// The bytes of a state.
pub(super) fn state(values: &[i64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    append(&mut bytes, values);
    bytes
}

fn append(out: &mut Vec<u8>, values: &[i64]) {
    for &value in values {
        number(out, (value.wrapping_shl(1) ^ (value >> 63)).cast_unsigned());
    }
}

fn number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(u8::try_from(value & 0x7f).expect("seven bits") | 0x80);
        value >>= 7;
    }
    out.push(u8::try_from(value).expect("seven bits"));
}

fn length(out: &mut Vec<u8>, value: usize) {
    number(out, value as u64);
}

/// A certificate with this statement about this model.
pub(super) fn certificate(statement: &str, model: &str, mut rows: Rows) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    for text in [statement, model] {
        length(&mut out, text.len());
        out.extend_from_slice(text.as_bytes());
    }
    // Lists that are used often have small numbers.
    let mut order: Vec<usize> = (0..rows.lists.len()).collect();
    order.sort_by_key(|&list| std::cmp::Reverse(rows.uses[list]));
    let mut place = vec![0; order.len()];
    length(&mut out, order.len());
    for (at, &list) in order.iter().enumerate() {
        place[list] = at;
        length(&mut out, rows.lists[list].len());
        for &(set, class) in &rows.lists[list] {
            number(&mut out, set.into());
            number(&mut out, class.into());
        }
    }
    length(&mut out, rows.states.len());
    let bytes = &rows.bytes;
    rows.states.sort_unstable_by(|one, other| bytes[one.0..one.1].cmp(&bytes[other.0..other.1]));
    let mut before: &[u8] = &[];
    for (at, &(start, end, list)) in rows.states.iter().enumerate() {
        let state = &bytes[start..end];
        let same = || before.iter().zip(state).take_while(|(one, other)| one == other).count();
        let shared = if at.is_multiple_of(BLOCK) { 0 } else { same() };
        let others = state.len() - shared;
        let half = |count: usize| u8::try_from(count.min(15)).expect("four bits");
        out.push(half(shared) << 4 | half(others));
        for count in [shared, others] {
            if count >= 15 {
                length(&mut out, count);
            }
        }
        out.extend_from_slice(&state[shared..]);
        length(&mut out, place[list as usize]);
        before = state;
    }
    let sum = checksum(&out);
    out.extend(sum.to_le_bytes());
    out
}

/// FNV-1a with 64 bits.
fn checksum(bytes: &[u8]) -> u64 {
    let with = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, with)
}
