//! Groups in the order that was asked for. `Groups::arrange` of the domain says what that is; here it is done on counters, since
//! there may be millions of groups of which a hundred are wanted.

use std::cmp;
use std::sync::atomic::{AtomicU32, Ordering};

use domain::insights::{Group, Grouping, Groups, Measure, Order};
use rayon::prelude::*;

use super::budget::Budget;
use super::figure::figure;
use super::found::Found;
use super::space::Space;
use crate::{Error, Snapshot};

/// Groups that one thread looks through at a time.
const STRETCH: usize = 1 << 16;

/// Groups that are passed by together.
const GLANCE: usize = 64;

/// What a thread has found so far.
struct Looking {
    places: Vec<Place>,
    /// Those that come after this are not among the first.
    worst: u64,
    limit: usize,
    /// From how many on those that are too many are left off.
    room: usize,
}

/// A group that may be among the first: the lower, the earlier it comes; of equal ones by their keys.
type Place = (u64, u32);

/// What arranging takes.
pub(super) struct Arranging<'a> {
    pub snapshot: &'a Snapshot,
    pub measures: &'a [Measure],
    pub grouping: &'a Grouping,
    pub space: &'a Space,
    pub found: &'a Found,
    pub budget: &'a Budget,
}

impl Arranging<'_> {
    /// The groups. To be called on the pool.
    pub fn arrange(&self) -> Result<Groups, Error> {
        let is_all = self.space.axes.is_empty();
        let limit = self.grouping.limit.unwrap_or(usize::MAX);
        let stretches = self.found.groups.len().div_ceil(STRETCH);
        let fewest = AtomicU32::new(0);
        let looked: Vec<(Vec<Place>, u64)> =
            (0..stretches).into_par_iter().map(|stretch| self.look(stretch, limit, &fewest)).collect();
        let count: u64 = looked.iter().map(|(_, count)| count).sum();
        if is_all && count == 0 {
            // Everything together is one group even if there is nothing.
            return Ok(self.groups(&[(0, 0)][..1.min(limit)], 1));
        }
        let kept: usize = looked.iter().map(|(places, _)| places.len()).sum();
        let each = 64 + self.space.axes.len() * 16 + self.measures.len() * 40;
        self.budget
            .take(kept.saturating_mul(size_of::<Place>() + 24) + kept.min(limit).saturating_mul(each))?;
        let places = looked.into_iter().flat_map(|(places, _)| places).collect();
        Ok(self.groups(&self.sorted(places, limit), count))
    }

    /// The groups of a stretch that may be among the first, and how many it has in all. By how many rows there are, most
    /// groups are passed by with a glance: those that have fewer than enough others, in this or another stretch.
    fn look(&self, stretch: usize, limit: usize, fewest: &AtomicU32) -> (Vec<Place>, u64) {
        let begin = stretch * STRETCH;
        let end = self.found.groups.len().min(begin + STRETCH);
        let mut looking =
            Looking { places: Vec::new(), worst: u64::MAX, limit, room: limit.saturating_mul(2).max(1_024) };
        let rows = self.found.totals.count.get(begin..end).unwrap_or_default();
        if self.found.runtime.is_some() || !self.is_by_rows() || rows.len() < end - begin {
            let there = (begin..end).filter(|group| self.found.is_there(*group));
            let count = there.map(|group| self.take(group, &mut looking)).count() as u64;
            return (self.cut(looking.places, limit), count);
        }
        let mut count = 0;
        for (at, rows) in rows.chunks(GLANCE).enumerate() {
            count += rows.iter().map(|rows| u64::from(*rows > 0)).sum::<u64>();
            let least = fewest.load(Ordering::Relaxed).max(1);
            if rows.iter().copied().max() < Some(least) {
                continue;
            }
            for (group, rows) in (begin + at * GLANCE..).zip(rows) {
                if *rows >= least && self.take(group, &mut looking) {
                    let own = looking.places.iter().map(|(_, group)| self.found.count(*group as usize)).min();
                    fewest.fetch_max(own.unwrap_or(u32::MAX), Ordering::Relaxed);
                }
            }
        }
        (self.cut(looking.places, limit), count)
    }

    /// Takes a group in, if it may be among the first. Whether there are just enough now.
    fn take(&self, group: usize, looking: &mut Looking) -> bool {
        let rank = self.rank(group);
        if rank > looking.worst {
            return false;
        }
        looking.places.push((rank, u32::try_from(group).unwrap_or(u32::MAX)));
        if looking.places.len() < looking.room {
            return false;
        }
        looking.places = self.cut(std::mem::take(&mut looking.places), looking.limit);
        looking.worst = looking.places.iter().map(|(rank, _)| *rank).max().unwrap_or(0);
        true
    }

    /// Whether those with the most rows come first.
    fn is_by_rows(&self) -> bool {
        matches!(self.grouping.order, Order::Falling(at) if self.measures.get(at) == Some(&Measure::Incursions))
    }

    /// Keeps the first so many.
    fn cut(&self, mut places: Vec<Place>, limit: usize) -> Vec<Place> {
        if limit == 0 {
            places.clear();
        } else if places.len() > limit {
            places.select_nth_unstable_by(limit - 1, |left, right| self.compare(*left, *right));
            places.truncate(limit);
        }
        places
    }

    fn compare(&self, left: Place, right: Place) -> cmp::Ordering {
        let number = |place: Place| self.found.groups.number(place.1 as usize);
        let by_keys = || self.space.compare(number(left), number(right), self.snapshot);
        left.0.cmp(&right.0).then_with(by_keys)
    }

    /// Where a group comes by the measure that orders, the lower the earlier; what has no value comes last.
    fn rank(&self, group: usize) -> u64 {
        let (at, is_falling) = match self.grouping.order {
            Order::Keys => return 0,
            Order::Rising(at) => (at, false),
            Order::Falling(at) => (at, true),
        };
        let Some(measure) = self.measures.get(at).copied() else { return 0 };
        let Ok(value) = figure(self.found, group, measure).value(measure) else { return u64::MAX };
        let bits = value.to_bits();
        // The order of `total_cmp`, as unsigned numbers.
        let rising = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
        if is_falling { !rising } else { rising }
    }

    /// The first so many, in order.
    fn sorted(&self, mut places: Vec<Place>, limit: usize) -> Vec<Place> {
        places = self.cut(places, limit);
        let Some(ranks) = self.key_ranks(&places) else {
            places.par_sort_unstable_by(|left, right| self.compare(*left, *right));
            return places;
        };
        let mut ranked: Vec<(u64, u64, u32)> =
            places.iter().zip(ranks).map(|((rank, group), by_keys)| (*rank, by_keys, *group)).collect();
        ranked.par_sort_unstable();
        ranked.into_iter().map(|(rank, _, group)| (rank, group)).collect()
    }

    /// For each group a number that orders it by its keys: what comparing keys again and again would cost is paid once
    /// for each place on an axis. Nothing if such numbers would be too large.
    fn key_ranks(&self, places: &[Place]) -> Option<Vec<u64>> {
        let mut ranks = vec![0_u64; places.len()];
        let mut size = 1_u64;
        for axis in 0..self.space.axes.len() {
            let of = |place: &Place| self.space.place(self.found.groups.number(place.1 as usize), axis);
            let own: Vec<u64> = places.par_iter().map(of).collect();
            let mut there = own.clone();
            there.par_sort_unstable();
            there.dedup();
            let key = |place: u64| {
                let key = self.space.axes[axis].key(place, self.snapshot);
                (key.is_none(), key, place)
            };
            let mut keys: Vec<_> = there.iter().map(|place| key(*place)).collect();
            keys.sort_unstable();
            let mut by_place: Vec<(u64, u64)> =
                keys.into_iter().zip(0..).map(|((_, _, place), rank)| (place, rank)).collect();
            by_place.sort_unstable();
            size = size.checked_mul(by_place.len().max(1) as u64)?;
            for (rank, place) in ranks.iter_mut().zip(own) {
                let found = by_place.binary_search_by_key(&place, |(place, _)| *place).unwrap_or(0);
                *rank = *rank * by_place.len() as u64 + by_place.get(found).map_or(0, |(_, rank)| *rank);
            }
        }
        Some(ranks)
    }

    fn groups(&self, places: &[Place], count: u64) -> Groups {
        let group = |place: &Place| {
            let at = place.1 as usize;
            let number = if at < self.found.groups.len() { self.found.groups.number(at) } else { 0 };
            let figures = self.measures.iter().map(|measure| figure(self.found, at, *measure)).collect();
            Group { keys: self.space.keys(number, self.snapshot), figures }
        };
        let groups: Vec<Group> = places.par_iter().with_min_len(1_024).map(group).collect();
        Groups { more: count - groups.len() as u64, groups }
    }
}
