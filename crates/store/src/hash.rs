//! Hash functions, which give each row its place.

/// A function from rows to 64 bits, of which all should be equally good: a table takes its shard, the
/// bucket and the tag from different ones. Equal rows have equal hashes, always.
///
/// A lossless table is right with any function; only its speed depends on it. Tests use bad ones.
pub trait RowHash: Send + Sync {
    /// The hash of a row.
    fn hash(&self, row: &[u64]) -> u64;

    /// The hash of a word, for sets of single [`Words`](crate::Words): it need not be what
    /// [`hash`](RowHash::hash) says of a row of one.
    #[inline]
    fn hash_word(&self, word: u64) -> u64 {
        self.hash(&[word])
    }
}

/// [rapidhash](https://github.com/Nicoshev/rapidhash) V3 with its default secrets, over the words with
/// their lowest byte first: the same on every machine and in every run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rapid;

impl RowHash for Rapid {
    #[inline]
    fn hash(&self, row: &[u64]) -> u64 {
        use rapidhash::v3::{DEFAULT_RAPID_SECRETS, rapidhash_v3_inline};
        // Words are the whole of the input, so the common widths are hashed without a branch on them.
        #[cfg(target_endian = "little")]
        let hash = |row: &[u64]| {
            let bytes = crate::memory::bytes_of(row);
            rapidhash_v3_inline::<true, false, false>(bytes, &DEFAULT_RAPID_SECRETS)
        };
        #[cfg(not(target_endian = "little"))]
        let hash = |row: &[u64]| {
            let bytes: Vec<u8> = row.iter().flat_map(|word| word.to_le_bytes()).collect();
            rapidhash_v3_inline::<true, false, false>(&bytes, &DEFAULT_RAPID_SECRETS)
        };
        match row {
            [_] => hash(&row[..1]),
            [_, _] => hash(&row[..2]),
            [_, _, _, _] => hash(&row[..4]),
            _ => hash(row),
        }
    }

    /// One round of what rapidhash is made of, with two of its secrets: hashing words is a good part of
    /// what a search does.
    #[inline]
    fn hash_word(&self, word: u64) -> u64 {
        let product = u128::from(word ^ 0x2d35_8dcc_aa6c_78a5) * 0x8bb8_4b93_962e_acc9;
        (product >> 64) as u64 ^ product as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A change of these numbers changes what lossy searches omit, and the order of nothing else.
    #[test]
    fn hashes_are_the_same_on_every_machine() {
        let rows: [&[u64]; 4] = [&[0], &[1, 2], &[1, 2, 3, 4], &[7; 16]];
        let portable = |row: &[u64]| {
            let bytes: Vec<u8> = row.iter().flat_map(|word| word.to_le_bytes()).collect();
            rapidhash::v3::rapidhash_v3(&bytes)
        };
        for row in rows {
            assert_eq!(Rapid.hash(row), portable(row), "{row:?}");
        }
        assert_eq!(Rapid.hash(&[1, 2, 3, 4]), RECORDED);
    }

    const RECORDED: u64 = 18_059_965_176_303_890_394;
}
