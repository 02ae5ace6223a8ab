//! How far the copies of facts that this process holds are behind the change feed.
//!
//! A copy is read in rounds: each takes the changes up to the last number that was committed when it began. So a copy has everything that was
//! committed before the beginning of its last round that succeeded, and its lag is the time since then.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::{BrandId, Monotonic, Span};

/// A kind of copy that follows the feed of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feed {
    /// The columns in memory.
    Columns,
    /// What live streams report.
    Live,
    /// The tables of a warehouse.
    Warehouse,
}

impl Feed {
    pub const ALL: [Self; 3] = [Self::Columns, Self::Live, Self::Warehouse];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Columns => "columns",
            Self::Live => "live",
            Self::Warehouse => "warehouse",
        }
    }
}

/// The copies that this process keeps up to date. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct FeedLags(Arc<Mutex<HashMap<CopyKey, Monotonic>>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct CopyKey {
    feed: Feed,
    brand: BrandId,
    /// The holder of the copy; [`ONLY_HOLDER`] if there is never more than one.
    holder: u64,
}

const ONLY_HOLDER: u64 = 0;

/// A copy whose holder may be replaced while it is still at work. The copy of each holder counts until that is dropped.
#[derive(Debug)]
pub(crate) struct HeldCopy {
    lags: FeedLags,
    key: CopyKey,
}

impl HeldCopy {
    /// Distinguishes the holder from others.
    pub fn holder(&self) -> u64 {
        self.key.holder
    }

    /// The copy has everything that was committed before this time.
    pub fn complete_as_of(&self, at: Monotonic) {
        self.lags.note(self.key, at);
    }
}

impl Drop for HeldCopy {
    fn drop(&mut self) {
        self.lags.lock().remove(&self.key);
    }
}

impl FeedLags {
    /// A copy has everything that was committed before this time. Of rounds that overlap, the one that began last counts.
    pub fn complete_as_of(&self, feed: Feed, brand: BrandId, at: Monotonic) {
        self.note(CopyKey { feed, brand, holder: ONLY_HOLDER }, at);
    }

    /// Begins to hold a copy, which is behind from this time on until it is complete.
    pub(crate) fn hold(&self, feed: Feed, brand: BrandId, at: Monotonic) -> HeldCopy {
        static HOLDERS: AtomicU64 = AtomicU64::new(ONLY_HOLDER + 1);
        let key = CopyKey { feed, brand, holder: HOLDERS.fetch_add(1, Ordering::Relaxed) };
        self.note(key, at);
        HeldCopy { lags: self.clone(), key }
    }

    fn note(&self, key: CopyKey, at: Monotonic) {
        let mut copies = self.lock();
        let known = copies.entry(key).or_insert(at);
        *known = at.max(*known);
    }

    /// A copy is not kept up to date any more, because nobody asks for it.
    pub fn end(&self, feed: Feed, brand: BrandId) {
        self.lock().remove(&CopyKey { feed, brand, holder: ONLY_HOLDER });
    }

    /// Returns the lag of the copy of a kind that is furthest behind; none if there is none.
    pub fn longest(&self, feed: Feed, now: Monotonic) -> Option<Span> {
        let copies = self.lock();
        let of_feed = copies.iter().filter(|(key, _)| key.feed == feed);
        of_feed.map(|(_, at)| (now - *at).max(Span::ZERO)).max()
    }

    /// Returns the lag of the copy of any kind that is furthest behind.
    pub fn longest_of_all(&self, now: Monotonic) -> Option<Span> {
        Feed::ALL.into_iter().filter_map(|feed| self.longest(feed, now)).max()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CopyKey, Monotonic>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_copy_that_is_furthest_behind_counts() {
        let (lags, at) = (FeedLags::default(), |seconds: i64| Monotonic::from_micros(seconds * 1_000_000));
        assert_eq!(lags.longest_of_all(at(10)), None);
        lags.complete_as_of(Feed::Live, BrandId(1), at(10));
        lags.complete_as_of(Feed::Live, BrandId(2), at(7));
        lags.complete_as_of(Feed::Columns, BrandId(1), at(4));
        // A round that began earlier and took longer.
        lags.complete_as_of(Feed::Columns, BrandId(1), at(2));
        let of = |feed| lags.longest(feed, at(10)).map(Span::whole_seconds);
        assert_eq!([of(Feed::Live), of(Feed::Columns), of(Feed::Warehouse)], [Some(3), Some(6), None]);
        lags.end(Feed::Columns, BrandId(1));
        assert_eq!(lags.longest_of_all(at(10)), Some(Span::seconds(3)));
    }

    #[test]
    fn a_holder_that_is_late_to_end_does_not_hide_the_copy_of_the_next() {
        let (lags, at) = (FeedLags::default(), |seconds: i64| Monotonic::from_micros(seconds * 1_000_000));
        let lag = || lags.longest(Feed::Warehouse, at(10)).map(Span::whole_seconds);
        let first = lags.hold(Feed::Warehouse, BrandId(1), at(1));
        let second = lags.hold(Feed::Warehouse, BrandId(1), at(4));
        assert_ne!(first.holder(), second.holder());
        drop(first);
        assert_eq!(lag(), Some(6));
        second.complete_as_of(at(8));
        assert_eq!(lag(), Some(2));
        drop(second);
        assert_eq!(lag(), None);
    }
}
