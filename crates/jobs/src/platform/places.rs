//! Whose jobs are done: each brand in its turn, and none takes all workers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use app::jobs::Claimable;
use domain::BrandId;

/// The places of one process's workers.
pub(crate) struct Places {
    /// Of all workers one is kept free of long jobs, so that mails do not wait for them.
    long: usize,
    /// Of the places for long jobs, and of all, a brand leaves one to others.
    long_per_brand: usize,
    per_brand: usize,
    held: Arc<Mutex<Held>>,
    /// The brand that had the last turn. Whoever claims holds the lock: what is under way is known only after that.
    last: tokio::sync::Mutex<Option<BrandId>>,
}

/// What is under way.
#[derive(Default)]
struct Held {
    long: usize,
    brands: HashMap<BrandId, OfBrand>,
}

/// What is under way for a brand.
#[derive(Clone, Copy, Default)]
struct OfBrand {
    all: usize,
    long: usize,
}

/// A turn to claim a job.
pub(crate) struct Turn<'a> {
    places: &'a Places,
    last: tokio::sync::MutexGuard<'a, Option<BrandId>>,
}

/// The place of a job in hand, given back when dropped.
pub(crate) struct Place {
    held: Arc<Mutex<Held>>,
    brand: Option<BrandId>,
    is_long: bool,
}

impl Places {
    pub fn new(workers: usize) -> Self {
        let long = workers.saturating_sub(1).max(1);
        Self {
            long,
            long_per_brand: long.saturating_sub(1).max(1),
            // With two workers, one brand's mails and its exports go on side by side.
            per_brand: workers.saturating_sub(1).max(2),
            held: Arc::default(),
            last: tokio::sync::Mutex::default(),
        }
    }

    /// Waits for the turn to claim.
    pub async fn turn(&self) -> Turn<'_> {
        Turn { places: self, last: self.last.lock().await }
    }
}

impl Turn<'_> {
    /// The brand that had the last turn.
    pub fn last(&self) -> Option<BrandId> {
        *self.last
    }

    /// What there are places for, of these kinds.
    pub fn claimable(&self, short: Vec<&'static str>, long: Vec<&'static str>) -> [Claimable; 2] {
        let held = lock(&self.places.held);
        let full = |is_full: &dyn Fn(&OfBrand) -> bool| -> Vec<BrandId> {
            held.brands.iter().filter(|(_, of)| is_full(of)).map(|(brand, _)| *brand).collect()
        };
        let Places { per_brand, long_per_brand, .. } = *self.places;
        let long = if held.long < self.places.long { long } else { Vec::new() };
        [
            Claimable { kinds: short, full: full(&|of| of.all >= per_brand) },
            Claimable { kinds: long, full: full(&|of| of.all >= per_brand || of.long >= long_per_brand) },
        ]
    }

    /// The place of a job that was claimed.
    pub fn take(&mut self, brand: Option<BrandId>, is_long: bool) -> Place {
        *self.last = brand;
        let mut held = lock(&self.places.held);
        held.long += usize::from(is_long);
        if let Some(brand) = brand {
            let of = held.brands.entry(brand).or_default();
            of.all += 1;
            of.long += usize::from(is_long);
        }
        Place { held: Arc::clone(&self.places.held), brand, is_long }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut held = lock(&self.held);
        held.long -= usize::from(self.is_long);
        if let Some(brand) = self.brand
            && let Some(of) = held.brands.get_mut(&brand)
        {
            of.all -= 1;
            of.long -= usize::from(self.is_long);
            if of.all == 0 {
                held.brands.remove(&brand);
            }
        }
    }
}

fn lock(held: &Mutex<Held>) -> MutexGuard<'_, Held> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_brand_leaves_a_place_of_each_sort_to_others() {
        let places = Places::new(4);
        let greedy = BrandId(1);
        let mut turn = places.turn().await;
        let claimable = |turn: &Turn<'_>| turn.claimable(vec!["short"], vec!["long"]);
        let _exports = [turn.take(Some(greedy), true), turn.take(Some(greedy), true)];
        let [short, long] = claimable(&turn);
        assert_eq!((short.full, long.kinds, long.full), (vec![], vec!["long"], vec![greedy]));
        let mail = turn.take(Some(greedy), false);
        assert_eq!(claimable(&turn)[0].full, [greedy]);
        let modest = turn.take(Some(BrandId(2)), true);
        assert!(claimable(&turn)[1].kinds.is_empty());
        drop((mail, modest));
        assert!(claimable(&turn)[0].full.is_empty());
        assert_eq!(turn.last(), Some(BrandId(2)));
    }
}
