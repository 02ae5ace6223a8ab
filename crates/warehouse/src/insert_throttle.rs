//! Keeps inserts into a table of a node apart: each makes a part, which ClickHouse merges with others in the background.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// Two inserts a second.
const BETWEEN_INSERTS: Duration = Duration::from_millis(500);
/// Tables that were written longer ago are forgotten when there are many.
const MAX_REMEMBERED: usize = 10_000;

/// When each table of each node may be written next.
#[derive(Debug, Default)]
pub(crate) struct InsertThrottle(Mutex<HashMap<(usize, String), Instant>>);

impl InsertThrottle {
    /// Waits for the turn of an insert.
    pub async fn wait(&self, node: usize, table: &str) {
        let at = self.reserve(node, table, Instant::now());
        sleep_until(at).await;
    }

    /// Returns when an insert may begin, and keeps the next one away from it.
    fn reserve(&self, node: usize, table: &str, now: Instant) -> Instant {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if turns.len() >= MAX_REMEMBERED {
            turns.retain(|_, next| *next > now);
        }
        let next = turns.entry((node, table.to_owned())).or_insert(now);
        let at = now.max(*next);
        *next = at + BETWEEN_INSERTS;
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_table_is_written_twice_a_second() {
        let (throttle, now) = (InsertThrottle::default(), Instant::now());
        let mut turns = Vec::new();
        for _ in 0..4 {
            turns.push(throttle.reserve(1, "a", now) - now);
        }
        assert_eq!(turns, [0, 500, 1_000, 1_500].map(Duration::from_millis));
        // Other tables and other nodes do not wait for it.
        assert_eq!((throttle.reserve(1, "b", now), throttle.reserve(2, "a", now)), (now, now));
        let later = now + Duration::from_secs(60);
        assert_eq!(throttle.reserve(1, "a", later), later);
    }
}
