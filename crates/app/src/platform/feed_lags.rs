//! How far the copies of facts that this process holds are behind the change feed.
//!
//! A copy is read in rounds: each takes the changes up to the last number that was committed when it began. So a copy has everything that was
//! committed before the beginning of its last round that succeeded, and its lag is the time since then.

use std::collections::HashMap;
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
pub struct FeedLags(Arc<Mutex<HashMap<(Feed, BrandId), Monotonic>>>);

impl FeedLags {
    /// A copy has everything that was committed before this time. Of rounds that overlap, the one that began last counts.
    pub fn complete_as_of(&self, feed: Feed, brand: BrandId, at: Monotonic) {
        let mut copies = self.lock();
        let known = copies.entry((feed, brand)).or_insert(at);
        *known = at.max(*known);
    }

    /// A copy is not kept up to date any more, because nobody asks for it.
    pub fn end(&self, feed: Feed, brand: BrandId) {
        self.lock().remove(&(feed, brand));
    }

    /// Returns the lag of the copy of a kind that is furthest behind; none if there is none.
    pub fn longest(&self, feed: Feed, now: Monotonic) -> Option<Span> {
        let copies = self.lock();
        let of_feed = copies.iter().filter(|((kind, _), _)| *kind == feed);
        of_feed.map(|(_, at)| (now - *at).max(Span::ZERO)).max()
    }

    /// Returns the lag of the copy of any kind that is furthest behind.
    pub fn longest_of_all(&self, now: Monotonic) -> Option<Span> {
        Feed::ALL.into_iter().filter_map(|feed| self.longest(feed, now)).max()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(Feed, BrandId), Monotonic>> {
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
}
