//! Certificates as bytes.
//!
//! A file begins with [`MAGIC`], which ends with the version. Then come the statement, a text of lines; the model,
//! a text; node lists; and the states. Texts have their length before them. Lengths, counts and positions are
//! numbers of any size in bytes of seven bits, the lowest first, all but the last with the eighth bit set.
//!
//! A *node list* is a number of pairs of a state of the automaton and a class, by increasing state. A *state* is
//! one byte, whose upper half says how many bytes it shares with the state before and whose lower half how many
//! others follow, 15 meaning that the number comes next; then these bytes; then the position of its node list.
//! States come by increasing bytes. Every [`BLOCK`]th shares nothing with the one before, so that a state can be
//! found without reading all before it.
//!
//! Several certificates may follow each other in a file; each must be accepted.
//!
//! The file is its own table: beside it, a verifier needs eight bytes a slot of a hash table that is at most
//! half full. So the memory it takes is bounded by the size of the file.

use crate::rejected::{Rejected, Rule, reject};

/// The first bytes of every certificate.
pub const MAGIC: &[u8] = b"fairly certificate 1\n";

/// States from one that shares nothing with the one before to the next.
pub const BLOCK: usize = 16;

/// A reader of bytes.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'a> {
    rest: &'a [u8],
}

fn ends<T>() -> Result<T, Rejected> {
    reject(Rule::Format, "the file ends too early")
}

impl<'a> Bytes<'a> {
    pub(crate) fn number(&mut self) -> Result<usize, Rejected> {
        let mut value = 0u64;
        for shift in (0..63).step_by(7) {
            let Some((&byte, rest)) = self.rest.split_first() else { return ends() };
            self.rest = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return usize::try_from(value).or_else(|_| ends());
            }
        }
        reject(Rule::Format, "a number is too large")
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Rejected> {
        match self.rest.split_at_checked(count) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => ends(),
        }
    }

    fn text(&mut self) -> Result<&'a str, Rejected> {
        let length = self.number()?;
        std::str::from_utf8(self.take(length)?)
            .or_else(|_| reject(Rule::Format, "a text is no text"))
    }
}

/// A file, taken apart.
pub(crate) struct File<'a> {
    pub(crate) statement: &'a str,
    pub(crate) model: &'a str,
    /// Node lists: pairs of a state of the automaton and a class.
    pub(crate) lists: Vec<Vec<(u32, u32)>>,
    pub(crate) count: usize,
    states: Bytes<'a>,
}

/// The states of a file in their order.
#[derive(Clone)]
pub(crate) struct States<'a> {
    bytes: Bytes<'a>,
    at: usize,
    pub(crate) state: Vec<u8>,
    pub(crate) list: usize,
}

impl<'a> File<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Result<File<'a>, Rejected> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return reject(Rule::Format, "this is no certificate of a version that is known");
        };
        let mut bytes = Bytes { rest };
        let (statement, model) = (bytes.text()?, bytes.text()?);
        let mut lists = Vec::new();
        for _ in 0..bytes.number()? {
            let mut list: Vec<(u32, u32)> = Vec::new();
            for _ in 0..bytes.number()? {
                let small = |number: usize| {
                    u32::try_from(number)
                        .or_else(|_| reject(Rule::Format, "a position is too large"))
                };
                let node = (small(bytes.number()?)?, small(bytes.number()?)?);
                // Increasing, so that no node has two classes.
                if list.last().is_some_and(|last| last.0 >= node.0) {
                    return reject(Rule::Format, "the nodes of a list are not in order");
                }
                list.push(node);
            }
            lists.push(list);
        }
        let count = bytes.number()?;
        Ok(File { statement, model, lists, count, states: bytes })
    }

    pub(crate) fn states(&self) -> States<'a> {
        States { bytes: self.states, at: 0, state: Vec::new(), list: 0 }
    }
}

impl States<'_> {
    /// Reads the next state.
    pub(crate) fn advance(&mut self) -> Result<(), Rejected> {
        let lengths = self.bytes.take(1)?[0];
        let mut half = |half: u8| match half {
            15 => self.bytes.number(),
            few => Ok(usize::from(few)),
        };
        let (shared, others) = (half(lengths >> 4)?, half(lengths & 15)?);
        if shared > self.state.len() || self.at.is_multiple_of(BLOCK) && shared > 0 {
            return reject(Rule::Format, "a state shares more than there is with the one before");
        }
        self.state.truncate(shared);
        self.state.extend_from_slice(self.bytes.take(others)?);
        self.list = self.bytes.number()?;
        self.at += 1;
        Ok(())
    }
}

/// The states of a file by their bytes.
pub(crate) struct Table<'a> {
    /// At the beginning of each block.
    blocks: Vec<Bytes<'a>>,
    /// One more than a state's position, and some bits of its hash; zero where there is none.
    slots: Vec<(u32, u32)>,
    /// The bytes behind the states.
    pub(crate) behind: &'a [u8],
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

impl<'a> Table<'a> {
    /// Reads all states once, and sees to it that they are different.
    pub(crate) fn new(file: &File<'a>) -> Result<Table<'a>, Rejected> {
        // A state takes two bytes at least, so this is bounded by the size of the file.
        if file.count > file.states.rest.len() || u32::try_from(file.count).is_err() {
            return ends();
        }
        let slots = vec![(0, 0); (2 * file.count).next_power_of_two()];
        let mut table = Table { blocks: Vec::new(), slots, behind: &[] };
        let mut states = file.states();
        let mut before = Vec::new();
        for at in 0..file.count {
            if at.is_multiple_of(BLOCK) {
                table.blocks.push(states.bytes);
            }
            states.advance()?;
            if at > 0 && before >= states.state {
                return reject(Rule::Format, "the states are not in order");
            }
            if states.list >= file.lists.len() {
                return reject(Rule::Format, "a state has a node list that is not there");
            }
            before.clone_from(&states.state);
            let hash = hash(&states.state);
            let mask = table.slots.len() - 1;
            let mut slot = hash as usize & mask;
            while table.slots[slot].0 != 0 {
                slot = (slot + 1) & mask;
            }
            table.slots[slot] = (at as u32 + 1, (hash >> 32) as u32);
        }
        table.behind = states.bytes.rest;
        Ok(table)
    }

    /// The node list of a state, if it is listed.
    pub(crate) fn find(&self, state: &[u8]) -> Option<usize> {
        let hash = hash(state);
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let (number, bits) = self.slots[slot];
            let at = (number as usize).checked_sub(1)?;
            if bits == (hash >> 32) as u32 {
                let bytes = *self.blocks.get(at / BLOCK)?;
                let mut states = States { bytes, at: at - at % BLOCK, state: Vec::new(), list: 0 };
                for _ in 0..=at % BLOCK {
                    states.advance().ok()?;
                }
                if states.state == state {
                    return Some(states.list);
                }
            }
            slot = (slot + 1) & mask;
        }
    }
}
