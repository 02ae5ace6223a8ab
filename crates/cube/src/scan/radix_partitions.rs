//! Counting rows where groups are so many that their counts are far from the processor: rows are put aside by the part of the counts
//! they belong to, and counted part by part, each of which stays near while it is.

use super::budget::MemoryBudget;
use crate::Error;

/// From so many groups on it is worth it.
const MIN_GROUPS: usize = 1 << 20;
/// Groups of a part; what is put aside has 16 bits.
const PARTITION_GROUPS: usize = 1 << 16;
/// The rows of a part that may be put aside.
const PARTITION_CAPACITY: usize = 1 << 14;
/// The most parts, so that what is put aside stays small.
const MAX_PARTITIONS: usize = 1 << 10;

/// Rows that are put aside.
#[derive(Debug)]
pub(super) struct RadixPartitions {
    /// For each part its room, with the places of groups in the part.
    buffered_offsets: Vec<u16>,
    /// How many of each part are there.
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

    /// Puts rows aside, and counts those of the parts that are full.
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

    /// Counts whatever is put aside.
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
