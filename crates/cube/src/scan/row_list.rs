//! Lists of rows of a block.

use super::kernels::filter_flags;
use crate::storage::BLOCK_ROWS;

/// Collects the positions of set bytes into a list.
pub(super) fn collect_rows(mask: &[u8], rows: &mut RowList) {
    let (groups, rest) = mask.as_chunks::<64>();
    let (mut from, mut count) = (0, 0);
    for group in groups {
        let mut left = pack_bits(group);
        let own = left.count_ones() as usize;
        // Always writes eight positions, because mispredicting how many are needed would cost more.
        let Some(room) = rows.rows.get_mut(count..count + 64) else { break };
        let (first, others) = room.split_at_mut(8);
        for place in first {
            *place = from + (left.trailing_zeros() as u16);
            left &= left.wrapping_sub(1);
        }
        for place in others.iter_mut().take(own.saturating_sub(8)) {
            *place = from + (left.trailing_zeros() as u16);
            left &= left.wrapping_sub(1);
        }
        count += own;
        from += 64;
    }
    for mask in rest {
        if *mask != 0 {
            rows.rows[count] = from;
            count += 1;
        }
        from += 1;
    }
    rows.count = count;
}

/// Positions in a block, with a capacity of one block.
#[derive(Debug)]
pub(super) struct RowList {
    rows: Vec<u16>,
    count: usize,
}

impl RowList {
    pub fn new() -> Self {
        Self { rows: vec![0; BLOCK_ROWS + 64], count: 0 }
    }

    pub fn as_slice(&self) -> &[u16] {
        &self.rows[..self.count]
    }

    /// Keeps the positions for which the predicate holds. It is branch-free, because a branch would often be mispredicted.
    #[inline(always)]
    pub fn retain(&mut self, holds: impl Fn(usize) -> bool) {
        let mut kept = 0;
        for at in 0..self.count {
            let place = self.rows[at];
            self.rows[kept] = place;
            kept += usize::from(holds(usize::from(place)));
        }
        self.count = kept;
    }

    /// Adds positions as far as there is room, and returns the others.
    pub fn fill<'a>(&mut self, places: &'a [u16]) -> &'a [u16] {
        let (own, others) = places.split_at(places.len().min(BLOCK_ROWS.saturating_sub(self.count)));
        self.rows[self.count..self.count + own.len()].copy_from_slice(own);
        self.count += own.len();
        others
    }

    pub fn clear(&mut self) {
        self.count = 0;
    }

    pub fn push(&mut self, place: u16) {
        self.rows[self.count] = place;
        self.count += 1;
    }
}

/// Packs bytes of 0 and 1 into bits.
#[inline(always)]
fn pack_bits(bytes: &[u8; 64]) -> u64 {
    // This multiplication gathers the lowest bits of eight bytes in the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let eights = bytes.as_chunks::<8>().0.iter().rev();
    eights.fold(0, |bits, eight| bits << 8 | u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56)
}

/// Collects the positions of rows without a flag.
pub(super) fn collect_rows_without_flag(flags: &[u8], flag: u8, mask: &mut Vec<u8>, rows: &mut RowList) {
    mask.clear();
    mask.resize(flags.len(), 1);
    filter_flags(mask, flags, flag, 0);
    collect_rows(mask, rows);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_collected_by_their_places() {
        let mask: Vec<u8> = (0..1_003_u32).map(|at| u8::from(at % 7 == 0 || at > 1_000)).collect();
        for mask in [mask, vec![1; BLOCK_ROWS], vec![0; BLOCK_ROWS]] {
            let mut rows = RowList::new();
            collect_rows(&mask, &mut rows);
            let places = 0..u16::try_from(mask.len()).unwrap();
            let plain: Vec<u16> = places.filter(|at| mask[usize::from(*at)] == 1).collect();
            assert_eq!(rows.as_slice(), plain);
        }
    }
}
