//! Certificates as bytes.
//!
//! A certificate begins with [`MAGIC`], which ends with the version. Then come the statement, a text of lines; the
//! model, a text; node lists; and the states. Texts have their length before them. Lengths, counts and positions
//! are numbers of any size in bytes of seven bits, the lowest first, all but the last with the eighth bit set.
//!
//! A *node list* is a number of pairs of numbers, by increasing first number: a state of the automaton and a class,
//! or what else the claim says. A *state* is one byte, whose upper half says how many bytes it shares with the state
//! before and whose lower half how many others follow, 15 meaning that the number comes next; then these bytes; then
//! the position of its node list. States come by increasing bytes. Every [`BLOCK`]th shares nothing with the one
//! before, so that a state can be found without reading all before it. At last come the eight bytes of the
//! [`checksum`] of all bytes before, the lowest first.
//!
//! The checksum guards against accidents, and is no part of the argument for soundness: whoever forges a certificate
//! computes it. Some parts of a file are never looked at, such as the title of a statement and the names of
//! variables; a byte that changes there shows in nothing else. It is compared when all other rules have been found
//! kept, so that the rule that is named is the one that matters most.
//!
//! Several certificates may follow each other in a file; each must be accepted. They are read one after the other,
//! and only the one at hand is kept: its states as they are in the file, which are their own table, and eight bytes a
//! slot of a hash table that is at least a quarter full. Nothing is allocated for what a number only announces, so
//! the memory is bounded by what has been read.

use std::io::BufRead;

use crate::rejected::{Rejected, Rule, reject};
use crate::state::natural;

/// The first bytes of every certificate.
pub const MAGIC: &[u8] = b"fairly certificate 2\n";

/// States from one that shares nothing with the one before to the next.
pub const BLOCK: usize = 16;

/// Bytes of the longest text: a file that is nothing but a text could be longer than there is memory, and take no
/// room on a disk.
const LONGEST: usize = 1 << 25;

/// Pairs of numbers, by increasing first number.
pub(crate) type List = Vec<(u32, u32)>;

/// A certificate, taken apart.
pub(crate) struct File {
    pub(crate) statement: String,
    pub(crate) model: String,
    pub(crate) lists: Vec<List>,
    pub(crate) table: Table,
    /// Whether the checksum is that of the bytes before it.
    is_whole: bool,
}

/// The states of a certificate.
#[derive(Default)]
pub(crate) struct Table {
    pub(crate) count: usize,
    /// The states as they are written, and where each block begins.
    bytes: Vec<u8>,
    blocks: Vec<usize>,
    /// One more than a state's position, and some bits of its hash; zero where there is none.
    slots: Vec<(u32, u32)>,
}

fn ends<T>() -> Result<T, Rejected> {
    reject(Rule::Format, "the file ends too early")
}

/// The checksum of some bytes: FNV-1a with 64 bits. Each byte is brought in by a bijection of the checksums, and different
/// bytes lead to different ones, so no change of a single byte goes unnoticed.
pub fn checksum(bytes: &[u8]) -> u64 {
    continued(0xcbf2_9ce4_8422_2325, bytes)
}

fn continued(sum: u64, bytes: &[u8]) -> u64 {
    let with = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(sum, with)
}

/// The bytes of a file, read once, and their checksum.
struct Input<'a> {
    from: &'a mut dyn BufRead,
    sum: u64,
}

impl Input<'_> {
    fn take(&mut self, mut count: usize, out: &mut Vec<u8>) -> Result<(), Rejected> {
        while count > 0 {
            let Ok(found @ [_, ..]) = self.from.fill_buf() else { return ends() };
            let taken = found.len().min(count);
            out.extend_from_slice(&found[..taken]);
            self.sum = continued(self.sum, &found[..taken]);
            self.from.consume(taken);
            count -= taken;
        }
        Ok(())
    }

    /// Reads a number, and appends its bytes.
    fn number(&mut self, out: &mut Vec<u8>) -> Result<usize, Rejected> {
        let start = out.len();
        loop {
            self.take(1, out)?;
            if out[out.len() - 1] < 0x80 || out.len() - start > 9 {
                return match number(&mut &out[start..]) {
                    Some(number) => Ok(number),
                    None => reject(Rule::Format, "a number is too large"),
                };
            }
        }
    }

    fn count(&mut self) -> Result<usize, Rejected> {
        self.number(&mut Vec::new())
    }

    fn text(&mut self) -> Result<String, Rejected> {
        let (length, mut bytes) = (self.count()?, Vec::new());
        if length > LONGEST {
            return reject(Rule::Format, "a text is too long");
        }
        self.take(length, &mut bytes)?;
        String::from_utf8(bytes).or_else(|_| reject(Rule::Format, "a text is no text"))
    }

    fn list(&mut self) -> Result<List, Rejected> {
        let mut list = List::new();
        for _ in 0..self.count()? {
            let (Ok(first), Ok(second)) = (self.count()?.try_into(), self.count()?.try_into())
            else {
                return reject(Rule::Format, "a position is too large");
            };
            // Increasing, so that no node has two classes.
            if list.last().is_some_and(|&(last, _)| last >= first) {
                return reject(Rule::Format, "the nodes of a list are not in order");
            }
            list.push((first, second));
        }
        Ok(list)
    }

    /// Reads all states once, and sees to it that they are different.
    fn table(&mut self, lists: usize) -> Result<Table, Rejected> {
        let mut table = Table { count: self.count()?, ..Table::default() };
        if u32::try_from(table.count).is_err() {
            return ends();
        }
        let (mut state, mut before, mut hashes) = (Vec::new(), Vec::new(), Vec::new());
        for at in 0..table.count {
            let start = table.bytes.len();
            if at.is_multiple_of(BLOCK) {
                table.blocks.push(start);
            }
            self.take(1, &mut table.bytes)?;
            let lengths = table.bytes[start];
            let mut half = |half: u8, out: &mut Vec<u8>| match half {
                15 => self.number(out),
                few => Ok(usize::from(few)),
            };
            let shared = half(lengths >> 4, &mut table.bytes)?;
            let others = half(lengths & 15, &mut table.bytes)?;
            if shared > before.len() || at.is_multiple_of(BLOCK) && shared > 0 {
                return reject(Rule::Format, "a state shares more than there is");
            }
            let start = table.bytes.len();
            self.take(others, &mut table.bytes)?;
            state.truncate(shared);
            state.extend_from_slice(&table.bytes[start..]);
            if at > 0 && before >= state {
                return reject(Rule::Format, "the states are not in order");
            }
            if self.number(&mut table.bytes)? >= lists {
                return reject(Rule::Format, "a state has a node list that is not there");
            }
            before.clone_from(&state);
            hashes.push(hash(&state));
        }
        table.slots = vec![(0, 0); (2 * table.count).next_power_of_two()];
        let mask = table.slots.len() - 1;
        for (at, hash) in hashes.into_iter().enumerate() {
            let mut slot = hash as usize & mask;
            while table.slots[slot].0 != 0 {
                slot = (slot + 1) & mask;
            }
            table.slots[slot] = (at as u32 + 1, (hash >> 32) as u32);
        }
        Ok(table)
    }
}

impl File {
    /// Reads a certificate.
    pub(crate) fn read(from: &mut dyn BufRead) -> Result<File, Rejected> {
        let (mut input, mut magic) = (Input { from, sum: checksum(&[]) }, Vec::new());
        if input.take(MAGIC.len(), &mut magic).is_err() || magic != MAGIC {
            return reject(Rule::Format, "this is no certificate of a version that is known");
        }
        let (statement, model) = (input.text()?, input.text()?);
        let mut lists = Vec::new();
        for _ in 0..input.count()? {
            lists.push(input.list()?);
        }
        let table = input.table(lists.len())?;
        let (sum, mut given) = (input.sum, Vec::new());
        input.take(8, &mut given)?;
        Ok(File { statement, model, lists, table, is_whole: given == sum.to_le_bytes() })
    }

    /// Checks that the bytes are those that were written.
    pub(crate) fn check_whole(&self) -> Result<(), Rejected> {
        if self.is_whole {
            return Ok(());
        }
        reject(Rule::Checksum, "the bytes are not those that were written: the file is damaged")
    }
}

/// The number at the start of some bytes.
fn number(bytes: &mut &[u8]) -> Option<usize> {
    usize::try_from(natural(bytes)?).ok()
}

fn hash(state: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for part in state.chunks(8) {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 32;
    }
    hash
}

/// The states of a table from one on.
#[derive(Clone, Copy)]
pub(crate) struct States<'a> {
    rest: &'a [u8],
}

impl<'a> States<'a> {
    /// The next state: how many bytes it shares with the one before, the others, and its node list. They have been
    /// read before, so they are there.
    fn next(&mut self) -> Option<(usize, &'a [u8], usize)> {
        let (&lengths, rest) = self.rest.split_first()?;
        self.rest = rest;
        let mut half = |half: u8| match half {
            15 => number(&mut self.rest),
            few => Some(usize::from(few)),
        };
        let (shared, others) = (half(lengths >> 4)?, half(lengths & 15)?);
        let (others, rest) = self.rest.split_at_checked(others)?;
        self.rest = rest;
        Some((shared, others, number(&mut self.rest)?))
    }

    /// Makes the next state of the one before, and gives its node list.
    pub(crate) fn advance(&mut self, state: &mut Vec<u8>) -> Option<usize> {
        let (shared, others, list) = self.next()?;
        state.truncate(shared);
        state.extend_from_slice(others);
        Some(list)
    }
}

impl Table {
    /// The states from the beginning of a block on.
    pub(crate) fn block(&self, block: usize) -> States<'_> {
        let start = self.blocks.get(block).map_or(self.bytes.len(), |&start| start);
        States { rest: &self.bytes[start..] }
    }

    pub(crate) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The bytes of a state, and its node list.
    pub(crate) fn get(&self, at: usize, state: &mut Vec<u8>) -> Option<usize> {
        let (mut states, mut list) = (self.block(at / BLOCK), None);
        state.clear();
        for _ in 0..=at % BLOCK {
            list = states.advance(state);
        }
        list.filter(|_| at < self.count)
    }

    /// The position and the node list of a state, if it is listed.
    pub(crate) fn find(&self, state: &[u8]) -> Option<(usize, usize)> {
        let hash = hash(state);
        let mask = self.slots.len().wrapping_sub(1);
        let mut slot = hash as usize & mask;
        loop {
            let (number, bits) = *self.slots.get(slot)?;
            let at = (number as usize).checked_sub(1)?;
            if bits == (hash >> 32) as u32 {
                let mut states = self.block(at / BLOCK);
                // How many of the first bytes of the last one read are those of the state.
                let (mut same, mut is_it, mut list) = (0, false, 0);
                for _ in 0..=at % BLOCK {
                    let (shared, others, of) = states.next()?;
                    list = of;
                    if shared <= same {
                        let rest = &state[shared..];
                        let more = rest.iter().zip(others).take_while(|(one, other)| one == other);
                        same = shared + more.count();
                        is_it = same == state.len() && others.len() == rest.len();
                    } else {
                        is_it = false;
                    }
                }
                if is_it {
                    return Some((at, list));
                }
            }
            slot = (slot + 1) & mask;
        }
    }
}
