//! Counting rows where groups are so many that their counts are far from the processor: rows are put aside by the part of the counts
//! they belong to, and counted part by part, each of which stays near while it is.

use super::budget::Budget;
use crate::Error;

/// From so many groups on it is worth it.
const LEAST_GROUPS: usize = 1 << 20;
/// Groups of a part; what is put aside has 16 bits.
const PART: usize = 1 << 16;
/// The rows of a part that may be put aside.
const ROOM: usize = 1 << 14;
/// The most parts, so that what is put aside stays small.
const MOST_PARTS: usize = 1 << 10;

/// Rows that are put aside.
#[derive(Debug)]
pub(super) struct Aside {
    /// For each part its room, with the places of groups in the part.
    places: Vec<u16>,
    /// How many of each part are there.
    counts: Vec<usize>,
}

impl Aside {
    pub fn is_worth_it(groups: usize) -> bool {
        (LEAST_GROUPS..=PART * MOST_PARTS).contains(&groups)
    }

    pub fn new(groups: usize, budget: &Budget) -> Result<Self, Error> {
        let parts = groups.div_ceil(PART);
        Ok(Self { places: budget.zeroed(parts * ROOM)?, counts: vec![0; parts] })
    }

    /// Puts rows aside, and counts those of the parts that are full.
    pub fn add(&mut self, groups: &[u32], counts: &mut [u32]) {
        for group in groups {
            let part = (group >> 16) as usize;
            let count = &mut self.counts[part];
            self.places[part * ROOM + *count] = (group & 0xFFFF) as u16;
            *count += 1;
            if *count == ROOM {
                self.count(part, counts);
            }
        }
    }

    #[cold]
    fn count(&mut self, part: usize, counts: &mut [u32]) {
        let places = &self.places[part * ROOM..][..std::mem::take(&mut self.counts[part])];
        let own = &mut counts[part * PART..];
        match own.first_chunk_mut::<PART>() {
            Some(own) => places.iter().for_each(|place| own[usize::from(*place)] += 1),
            None => places.iter().for_each(|place| own[usize::from(*place)] += 1),
        }
    }

    /// Counts whatever is put aside.
    pub fn flush(&mut self, counts: &mut [u32]) {
        (0..self.counts.len()).for_each(|part| self.count(part, counts));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_were_put_aside_are_counted() {
        let groups = LEAST_GROUPS + 17;
        assert!(Aside::is_worth_it(groups) && !Aside::is_worth_it(LEAST_GROUPS - 1));
        let mut aside = Aside::new(groups, &Budget::new(1 << 30)).unwrap();
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
