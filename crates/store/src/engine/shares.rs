//! Divides a shared resource (connections, threads, memory) so that no single holder can take all of it.
//!
//! A [`Shares`] has a total and a smaller limit per holder: a brand, a token, an address. A holder that has reached its limit
//! waits or is refused. As long as the limit is below the total, room remains for the other holders.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A number of units, such as connections or bytes, of which each holder gets a limited share. Clones share the units.
pub struct Shares<K: Eq + Hash + Clone>(Arc<Inner<K>>);

struct Inner<K> {
    total: Arc<Semaphore>,
    per_holder: usize,
    /// Only holders that hold or wait for units, so that memory is bounded by the work in progress.
    holders: Mutex<HashMap<K, Share>>,
}

/// The share of one holder.
struct Share {
    units: Arc<Semaphore>,
    /// Number of grants and waiters that refer to this entry.
    references: usize,
}

/// Granted units, released when dropped.
pub struct Grant<K: Eq + Hash + Clone> {
    // In the order of release: the total comes first, so that a waiter of the same holder finds it free.
    total_permit: OwnedSemaphorePermit,
    holder_permit: OwnedSemaphorePermit,
    entry: Entry<K>,
}

/// Keeps the entry of a holder in the map.
struct Entry<K: Eq + Hash + Clone> {
    shares: Shares<K>,
    key: K,
    units: Arc<Semaphore>,
}

impl<K: Eq + Hash + Clone> Shares<K> {
    /// Creates `total` units, of which one holder gets at most `per_holder`.
    pub fn new(total: usize, per_holder: usize) -> Self {
        let total = total.min(Semaphore::MAX_PERMITS);
        Self(Arc::new(Inner {
            total: Arc::new(Semaphore::new(total)),
            per_holder: per_holder.min(total),
            holders: Mutex::default(),
        }))
    }

    /// Returns units for the holder if both its share and the total have enough of them now.
    pub fn try_acquire(&self, holder: K, units: u32) -> Option<Grant<K>> {
        let entry = self.entry(holder);
        let holder_permit = Arc::clone(&entry.units).try_acquire_many_owned(units).ok()?;
        let total_permit = Arc::clone(&self.0.total).try_acquire_many_owned(units).ok()?;
        Some(Grant { total_permit, holder_permit, entry })
    }

    /// Waits for one unit. Waiters are served in order, but a holder competes with no more than its share of waiters.
    pub async fn acquire(&self, holder: K) -> Grant<K> {
        self.acquire_many(holder, 1).await
    }

    /// Waits for several units together. A request for more than the holder's share waits until the whole share is free, and gets that.
    pub async fn acquire_many(&self, holder: K, units: u32) -> Grant<K> {
        let units = units.min(u32::try_from(self.0.per_holder).unwrap_or(u32::MAX));
        let entry = self.entry(holder);
        let holder_permit = acquire(&entry.units, units).await;
        let total_permit = acquire(&self.0.total, units).await;
        Grant { total_permit, holder_permit, entry }
    }

    /// Number of units that no holder has.
    pub fn available(&self) -> usize {
        self.0.total.available_permits()
    }

    fn entry(&self, key: K) -> Entry<K> {
        let mut holders = self.holders();
        let share = holders
            .entry(key.clone())
            .or_insert_with(|| Share { units: Arc::new(Semaphore::new(self.0.per_holder)), references: 0 });
        share.references += 1;
        Entry { shares: self.clone(), key, units: Arc::clone(&share.units) }
    }

    fn holders(&self) -> MutexGuard<'_, HashMap<K, Share>> {
        self.0.holders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[expect(clippy::expect_used, reason = "the semaphores of this module are never closed")]
async fn acquire(semaphore: &Arc<Semaphore>, units: u32) -> OwnedSemaphorePermit {
    Arc::clone(semaphore).acquire_many_owned(units).await.expect("a semaphore that is never closed")
}

impl<K: Eq + Hash + Clone> Grant<K> {
    /// Acquires more units for the same holder. Returns `false`, without any change, if its share or the total has too few.
    pub fn try_grow(&mut self, units: u32) -> bool {
        let Ok(holder_permit) = Arc::clone(&self.entry.units).try_acquire_many_owned(units) else {
            return false;
        };
        let total = Arc::clone(&self.entry.shares.0.total);
        let Ok(total_permit) = total.try_acquire_many_owned(units) else { return false };
        self.holder_permit.merge(holder_permit);
        self.total_permit.merge(total_permit);
        true
    }
}

impl<K: Eq + Hash + Clone> Drop for Entry<K> {
    fn drop(&mut self) {
        let mut holders = self.shares.holders();
        if let Some(share) = holders.get_mut(&self.key) {
            share.references -= 1;
            if share.references == 0 {
                holders.remove(&self.key);
            }
        }
    }
}

impl<K: Eq + Hash + Clone> Clone for Shares<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K: Eq + Hash + Clone> fmt::Debug for Shares<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shares")
            .field("available", &self.available())
            .field("per_holder", &self.0.per_holder)
            .finish_non_exhaustive()
    }
}

impl<K: Eq + Hash + Clone> fmt::Debug for Grant<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grant").field("units", &self.total_permit.num_permits()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::task::{Context, Poll, Waker};

    use super::*;

    #[test]
    fn a_greedy_holder_leaves_room_for_a_modest_one() {
        let shares = Shares::new(4, 3);
        let greedy: Vec<_> = (0..3).filter_map(|_| shares.try_acquire("greedy", 1)).collect();
        assert_eq!(greedy.len(), 3);
        assert!(shares.try_acquire("greedy", 1).is_none());
        assert!(shares.try_acquire("modest", 1).is_some());
    }

    #[test]
    fn all_holders_together_never_exceed_the_total() {
        let shares = Shares::new(4, 3);
        let _first = shares.try_acquire(1, 3);
        let mut second = shares.try_acquire(2, 1).unwrap();
        assert!(!second.try_grow(1));
        assert!(shares.try_acquire(3, 1).is_none());
        drop(second);
        assert!(shares.try_acquire(3, 1).is_some());
    }

    #[test]
    fn a_grant_grows_within_its_share_and_gives_all_back() {
        let shares = Shares::new(100, 60);
        let mut grant = shares.try_acquire("one", 10).unwrap();
        assert!(grant.try_grow(50));
        assert!(!grant.try_grow(1));
        assert_eq!(shares.available(), 40);
        drop(grant);
        assert_eq!(shares.available(), 100);
    }

    #[test]
    fn whoever_holds_nothing_is_forgotten() {
        let shares = Shares::new(2, 1);
        let held = shares.try_acquire(1, 1);
        assert!(shares.try_acquire(1, 1).is_none());
        drop(shares.try_acquire(2, 1));
        assert_eq!(shares.holders().len(), 1);
        drop(held);
        assert!(shares.holders().is_empty());
    }

    #[test]
    fn a_waiter_that_goes_away_leaves_nothing_behind() {
        let shares = Shares::new(2, 1);
        let held = shares.try_acquire(1, 1);
        let mut waiting = Box::pin(shares.acquire(1));
        assert!(waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        drop(held);
        match waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(grant) => drop(grant),
            Poll::Pending => panic!("the unit is free"),
        }
        drop(waiting);
        let held = shares.try_acquire(1, 1);
        let mut gone = Box::pin(shares.acquire(1));
        assert!(gone.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        drop(gone);
        drop(held);
        assert!(shares.holders().is_empty());
        assert_eq!(shares.available(), 2);
    }

    #[test]
    fn those_who_wait_for_their_own_share_do_not_hold_up_others() {
        let shares = Shares::new(2, 1);
        let _held = shares.try_acquire("greedy", 1);
        let mut waiting: Vec<_> = (0..10).map(|_| Box::pin(shares.acquire("greedy"))).collect();
        for one in &mut waiting {
            assert!(one.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        let mut modest = Box::pin(shares.acquire("modest"));
        assert!(modest.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
    }
}
