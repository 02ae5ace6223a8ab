//! A list of ids that a filter asks for, as codes.

use std::collections::HashSet;

use crate::dictionary::Dictionary;
use crate::storage::PRESENCE_BITS;

/// The codes of the ids in a list.
#[derive(Clone, Debug)]
pub(super) struct CodeSet {
    /// Rising; those ids that no fact has are not among them.
    pub codes: Vec<u32>,
    /// For each code 1 if it is one of them, else 0.
    pub table: Vec<u8>,
    bits: [u64; PRESENCE_BITS / 64],
}

/// What a summary says of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overlap {
    None,
    Some,
    All,
}

impl CodeSet {
    pub fn new(ids: impl IntoIterator<Item = i64>, dictionary: &Dictionary) -> Self {
        let ids: HashSet<i64> = ids.into_iter().collect();
        let found = dictionary.ids().zip(1_u32..).filter(|(id, _)| ids.contains(id));
        let codes: Vec<u32> = found.map(|(_, code)| code).collect();
        let mut table = vec![0; dictionary.code_count()];
        let mut bits = [0; PRESENCE_BITS / 64];
        for code in &codes {
            table[*code as usize] = 1;
            let bit = *code as usize % PRESENCE_BITS;
            bits[bit / 64] |= 1 << (bit % 64);
        }
        Self { codes, table, bits }
    }

    /// Those that are in both lists.
    pub fn intersect(mut self, other: &Self) -> Self {
        self.codes.retain(|code| other.contains(*code));
        self.table.iter_mut().zip(&other.table).for_each(|(own, other)| *own &= other);
        self.bits.iter_mut().zip(other.bits).for_each(|(own, other)| *own &= other);
        self
    }

    pub fn contains(&self, code: u32) -> bool {
        self.table.get(code as usize) == Some(&1)
    }

    /// Whether rows with these codes are in a chunk, by the presence in its summary.
    pub fn overlap(&self, presence: &[u64; PRESENCE_BITS / 64]) -> Overlap {
        let both = || presence.iter().zip(&self.bits);
        if both().all(|(there, asked)| there & asked == 0) {
            return Overlap::None;
        }
        // Where codes share bits, a bit does not say which one is there.
        let is_exact = self.table.len() <= PRESENCE_BITS;
        if is_exact && both().all(|(there, asked)| there & !asked == 0) {
            Overlap::All
        } else {
            Overlap::Some
        }
    }
}
