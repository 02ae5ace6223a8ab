//! The ids of a filter, translated into codes.

use std::collections::HashSet;

use crate::dictionary::Dictionary;
use crate::storage::PRESENCE_BITS;

/// If a set of codes keeps fewer than one in so many rows, the remaining rows are checked one by one.
pub(super) const SPARSE_DIVISOR: usize = 8;

/// The codes of a list of ids.
#[derive(Clone, Debug)]
pub(super) struct CodeSet {
    /// In ascending order. Ids that no fact has are left out.
    pub codes: Vec<u32>,
    /// For each code 1 if it is in the set, otherwise 0.
    pub table: Vec<u8>,
    bits: [u64; PRESENCE_BITS / 64],
}

/// How a summary overlaps with a set of codes.
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

    /// Returns the intersection of two sets.
    pub fn intersect(mut self, other: &Self) -> Self {
        self.codes.retain(|code| other.contains(*code));
        self.table.iter_mut().zip(&other.table).for_each(|(own, other)| *own &= other);
        self.bits.iter_mut().zip(other.bits).for_each(|(own, other)| *own &= other);
        self
    }

    pub fn contains(&self, code: u32) -> bool {
        self.table.get(code as usize) == Some(&1)
    }

    /// Decides whether a chunk has rows with these codes, from the presence bits in its summary.
    pub fn overlap(&self, presence: &[u64; PRESENCE_BITS / 64]) -> Overlap {
        let both = || presence.iter().zip(&self.bits);
        if both().all(|(there, asked)| there & asked == 0) {
            return Overlap::None;
        }
        // If codes share bits, a bit does not identify one code.
        let is_exact = self.table.len() <= PRESENCE_BITS;
        if is_exact && both().all(|(there, asked)| there & !asked == 0) {
            Overlap::All
        } else {
            Overlap::Some
        }
    }
}
