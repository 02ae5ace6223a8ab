//! Worker permits: brands take turns, and none takes all workers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use app::jobs::Claimable;
use domain::BrandId;

/// The permits of the workers that share a queue in one process.
pub(crate) struct WorkerPermits {
    /// One worker does not take long jobs, so that mails do not wait for them.
    max_long: usize,
    /// A brand leaves one permit to others, of those for long jobs and of all.
    max_long_per_brand: usize,
    max_per_brand: usize,
    used: Arc<Mutex<UsedPermits>>,
    /// The brand that was served last. Held while claiming, because the number of running jobs is known only afterwards.
    last_brand: tokio::sync::Mutex<Option<BrandId>>,
}

/// The permits in use.
#[derive(Default)]
struct UsedPermits {
    long: usize,
    brands: HashMap<BrandId, BrandPermits>,
}

/// The permits that a brand uses.
#[derive(Clone, Copy, Default)]
struct BrandPermits {
    total: usize,
    long: usize,
}

/// The exclusive turn to claim a job.
pub(crate) struct ClaimTurn<'a> {
    permits: &'a WorkerPermits,
    last_brand: tokio::sync::MutexGuard<'a, Option<BrandId>>,
}

/// The permit of a running job, released when dropped.
pub(crate) struct WorkerPermit {
    used: Arc<Mutex<UsedPermits>>,
    brand: Option<BrandId>,
    is_long: bool,
}

impl WorkerPermits {
    pub fn new(workers: usize) -> Self {
        let long = workers.saturating_sub(1).max(1);
        Self {
            max_long: long,
            max_long_per_brand: long.saturating_sub(1).max(1),
            // With two workers, a brand can run a mail and an export at the same time.
            max_per_brand: workers.saturating_sub(1).max(2),
            used: Arc::default(),
            last_brand: tokio::sync::Mutex::default(),
        }
    }

    pub async fn lock_claim_turn(&self) -> ClaimTurn<'_> {
        ClaimTurn { permits: self, last_brand: self.last_brand.lock().await }
    }
}

impl ClaimTurn<'_> {
    pub fn last_brand(&self) -> Option<BrandId> {
        *self.last_brand
    }

    /// Returns the kinds for which there are permits, and the brands that are at their limit.
    pub fn claimable(&self, short: Vec<&'static str>, long: Vec<&'static str>) -> [Claimable; 2] {
        let used = lock(&self.permits.used);
        let full = |is_full: &dyn Fn(&BrandPermits) -> bool| -> Vec<BrandId> {
            used.brands.iter().filter(|(_, of)| is_full(of)).map(|(brand, _)| *brand).collect()
        };
        let WorkerPermits { max_per_brand: per_brand, max_long_per_brand: long_per_brand, .. } =
            *self.permits;
        let long = if used.long < self.permits.max_long { long } else { Vec::new() };
        [
            Claimable { kinds: short, brands_at_limit: full(&|of| of.total >= per_brand) },
            Claimable {
                kinds: long,
                brands_at_limit: full(&|of| of.total >= per_brand || of.long >= long_per_brand),
            },
        ]
    }

    /// Takes the permit for a claimed job.
    pub fn acquire(&mut self, brand: Option<BrandId>, is_long: bool) -> WorkerPermit {
        *self.last_brand = brand;
        let mut used = lock(&self.permits.used);
        used.long += usize::from(is_long);
        if let Some(brand) = brand {
            let of = used.brands.entry(brand).or_default();
            of.total += 1;
            of.long += usize::from(is_long);
        }
        WorkerPermit { used: Arc::clone(&self.permits.used), brand, is_long }
    }
}

impl Drop for WorkerPermit {
    fn drop(&mut self) {
        let mut used = lock(&self.used);
        used.long -= usize::from(self.is_long);
        if let Some(brand) = self.brand
            && let Some(of) = used.brands.get_mut(&brand)
        {
            of.total -= 1;
            of.long -= usize::from(self.is_long);
            if of.total == 0 {
                used.brands.remove(&brand);
            }
        }
    }
}

fn lock(used: &Mutex<UsedPermits>) -> MutexGuard<'_, UsedPermits> {
    used.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_brand_leaves_a_place_of_each_sort_to_others() {
        let places = WorkerPermits::new(4);
        let greedy = BrandId(1);
        let mut turn = places.lock_claim_turn().await;
        let claimable = |turn: &ClaimTurn<'_>| turn.claimable(vec!["short"], vec!["long"]);
        let _exports = [turn.acquire(Some(greedy), true), turn.acquire(Some(greedy), true)];
        let [short, long] = claimable(&turn);
        assert_eq!(
            (short.brands_at_limit, long.kinds, long.brands_at_limit),
            (vec![], vec!["long"], vec![greedy])
        );
        let mail = turn.acquire(Some(greedy), false);
        assert_eq!(claimable(&turn)[0].brands_at_limit, [greedy]);
        let modest = turn.acquire(Some(BrandId(2)), true);
        assert!(claimable(&turn)[1].kinds.is_empty());
        drop((mail, modest));
        assert!(claimable(&turn)[0].brands_at_limit.is_empty());
        assert_eq!(turn.last_brand(), Some(BrandId(2)));
    }
}
