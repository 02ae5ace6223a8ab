//! The hours of the day in which most incursions begin. All reports use this definition, so that two of them about one worksite name the
//! same hours.

use std::cmp::Reverse;

/// How many hours in a row are looked at.
const HOURS: usize = 3;

/// The hours in a row with most incursions; of equal ones the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BusiestHours {
    /// The hour at which they begin, and the one at which they end, which is 24 for midnight.
    pub from: u8,
    pub to: u8,
    pub incursions: u64,
    /// The incursions of all hours.
    pub all: u64,
}

impl BusiestHours {
    /// Finds them among the incursions of each hour of the day; none without any incursion.
    pub fn find(incursions: &[u64; 24]) -> Option<Self> {
        let windows = windows(incursions).enumerate();
        let (from, most) = windows.max_by_key(|(from, count)| (*count, Reverse(*from)))?;
        if most == 0 {
            return None;
        }
        Some(Self {
            from: u8::try_from(from).ok()?,
            to: u8::try_from(from + HOURS).ok()?,
            incursions: most,
            all: incursions.iter().sum(),
        })
    }

    /// Returns the sum of what belongs to these hours of the day.
    pub fn sum(self, hours: &[u64; 24]) -> u64 {
        hours[usize::from(self.from)..usize::from(self.to)].iter().sum()
    }
}

/// Returns among how many hours in a row the busiest were chosen: those with anything in them.
pub(crate) fn count_candidates(hours: &[u64; 24]) -> u64 {
    windows(hours).filter(|sum| *sum > 0).count() as u64
}

fn windows(hours: &[u64; 24]) -> impl Iterator<Item = u64> + '_ {
    hours.windows(HOURS).map(|hours| hours.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(values: &[(usize, u64)]) -> [u64; 24] {
        let mut hours = [0; 24];
        for (hour, value) in values {
            hours[*hour] = *value;
        }
        hours
    }

    #[test]
    fn three_hours_with_most_in_a_row_are_the_busiest() {
        let found = BusiestHours::find(&hours(&[(7, 30), (8, 20), (9, 10), (14, 40)])).unwrap();
        assert_eq!(found, BusiestHours { from: 7, to: 10, incursions: 60, all: 100 });
        assert_eq!(found.sum(&hours(&[(6, 1), (7, 2), (9, 4), (10, 8)])), 6);
        // The last ones end at midnight, and of equal ones the first are taken.
        assert_eq!(
            BusiestHours::find(&hours(&[(23, 4)])).map(|found| (found.from, found.to)),
            Some((21, 24))
        );
        assert_eq!(BusiestHours::find(&hours(&[(3, 4), (12, 4)])).map(|found| found.from), Some(1));
        assert_eq!(BusiestHours::find(&[0; 24]), None);
    }

    #[test]
    fn only_hours_with_anything_in_them_are_candidates() {
        assert_eq!(count_candidates(&[1; 24]), 22);
        assert_eq!(count_candidates(&hours(&[(8, 1)])), 3);
        assert_eq!(count_candidates(&[0; 24]), 0);
    }
}
