//! Counts rows if there are so many groups that their counters do not fit into the cache. Rows are buffered by partition, and counted one
//! partition at a time, whose counters stay in the cache meanwhile.

use super::budget::MemoryBudget;
use crate::Error;

/// The number of groups from which partitioning is worth it.
const MIN_GROUPS: usize = 1 << 20;
/// The number of groups in a partition; buffered offsets have 16 bits.
const PARTITION_GROUPS: usize = 1 << 16;
/// The number of rows that are buffered per partition.
const PARTITION_CAPACITY: usize = 1 << 14;
/// The maximum number of partitions, which limits the size of the buffers.
const MAX_PARTITIONS: usize = 1 << 10;

/// Buffers of rows per partition.
#[derive(Debug)]
pub(super) struct RadixPartitions {
    /// The buffers of all partitions, with offsets of groups in their partition.
    buffered_offsets: Vec<u16>,
    /// The number of buffered rows per partition.
    buffered_counts: Vec<usize>,
}

impl RadixPartitions {
    pub fn is_worth_it(groups: usize) -> bool {
        (MIN_GROUPS..=PARTITION_GROUPS * MAX_PARTITIONS).contains(&groups)
    }

    pub fn new(groups: usize, budget: &MemoryBudget) -> Result<Self, Error> {
        let parts = groups.div_ceil(PARTITION_GROUPS);
        Ok(Self {
            buffered_offsets: budget.zeroed(parts * PARTITION_CAPACITY)?,
            buffered_counts: vec![0; parts],
        })
    }

    /// Buffers rows, and counts the partitions that are full.
    pub fn add(&mut self, groups: &[u32], counts: &mut [u32]) {
        for group in groups {
            let part = (group >> 16) as usize;
            let count = &mut self.buffered_counts[part];
            self.buffered_offsets[part * PARTITION_CAPACITY + *count] = (group & 0xFFFF) as u16;
            *count += 1;
            if *count == PARTITION_CAPACITY {
                self.drain_partition(part, counts);
            }
        }
    }

    #[cold]
    fn drain_partition(&mut self, part: usize, counts: &mut [u32]) {
        let places = &self.buffered_offsets[part * PARTITION_CAPACITY..]
            [..std::mem::take(&mut self.buffered_counts[part])];
        let own = &mut counts[part * PARTITION_GROUPS..];
        match own.first_chunk_mut::<PARTITION_GROUPS>() {
            Some(own) => places.iter().for_each(|place| own[usize::from(*place)] += 1),
            None => places.iter().for_each(|place| own[usize::from(*place)] += 1),
        }
    }

    /// Counts all buffered rows.
    pub fn flush(&mut self, counts: &mut [u32]) {
        (0..self.buffered_counts.len()).for_each(|part| self.drain_partition(part, counts));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_were_put_aside_are_counted() {
        let groups = MIN_GROUPS + 17;
        assert!(RadixPartitions::is_worth_it(groups) && !RadixPartitions::is_worth_it(MIN_GROUPS - 1));
        let mut aside = RadixPartitions::new(groups, &MemoryBudget::new(1 << 30)).unwrap();
        let (mut counts, mut plain) = (vec![0; groups], vec![0; groups]);
        let last = u32::try_from(groups - 1).unwrap();
        for round in 0..40_000_u32 {
            let own = [last, round * 97 % last, 70_000];
            aside.add(&own, &mut counts);
            own.iter().for_each(|group| plain[*group as usize] += 1);
        }
        aside.flush(&mut counts);
        assert!(counts == plain);
    }
}
