//! What the copies of all brands share in a process: the connection that reads pages, and the memory of what is filled.

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::Error;

/// A brand with more changes than this is large: filling its nodes can take hours.
const MAX_CHANGES_OF_SMALL: i64 = 1_000_000;

/// The turns of those who write copies.
#[derive(Debug)]
pub(super) struct WriterTurns {
    /// Lets one page be read at a time: few of the connections for that exist.
    reads: Semaphore,
    /// Lets one of those who fill nodes wait for that, so that whoever follows waits for at most one of their pages.
    filler_reads: Semaphore,
    /// Each fill has rows in memory until they are written.
    fills: Semaphore,
    /// A place that large brands leave to others.
    small_fills: Semaphore,
}

impl Default for WriterTurns {
    fn default() -> Self {
        let one = || Semaphore::new(1);
        Self { reads: one(), filler_reads: one(), fills: one(), small_fills: one() }
    }
}

/// The turn to read a page.
#[derive(Debug)]
pub(super) struct ReadTurn<'a> {
    _read: SemaphorePermit<'a>,
    _filler: Option<SemaphorePermit<'a>>,
}

impl WriterTurns {
    /// Waits for the turn to read a page.
    pub async fn read(&self, is_filler: bool) -> Result<ReadTurn<'_>, Error> {
        let filler = match is_filler {
            true => Some(self.filler_reads.acquire().await.map_err(Error::internal)?),
            false => None,
        };
        let read = self.reads.acquire().await.map_err(Error::internal)?;
        Ok(ReadTurn { _read: read, _filler: filler })
    }

    /// Waits for the turn to fill nodes with a brand that has had this many changes.
    pub async fn fill(&self, changes: i64) -> Result<SemaphorePermit<'_>, Error> {
        let turn = if changes <= MAX_CHANGES_OF_SMALL {
            tokio::select! {
                turn = self.small_fills.acquire() => turn,
                turn = self.fills.acquire() => turn,
            }
        } else {
            self.fills.acquire().await
        };
        turn.map_err(Error::internal)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn whoever_follows_waits_for_at_most_one_page_of_those_who_fill() {
        let turns = WriterTurns::default();
        let first = turns.read(true).await.unwrap();
        let mut second = Box::pin(turns.read(true));
        assert!((&mut second).now_or_never().is_none());
        let mut follower = Box::pin(turns.read(false));
        assert!((&mut follower).now_or_never().is_none());
        drop(first);
        assert!((&mut second).now_or_never().is_none());
        let turn = (&mut follower).now_or_never();
        assert!(turn.is_some_and(|turn| turn.is_ok()));
    }

    #[tokio::test]
    async fn two_brands_are_filled_at_a_time_and_one_of_them_is_small() {
        let turns = WriterTurns::default();
        let large = turns.fill(MAX_CHANGES_OF_SMALL + 1).await.unwrap();
        assert!(turns.fill(MAX_CHANGES_OF_SMALL + 1).now_or_never().is_none());
        let small = turns.fill(MAX_CHANGES_OF_SMALL).await.unwrap();
        assert!(turns.fill(1).now_or_never().is_none());
        drop(large);
        let second = turns.fill(1).await.unwrap();
        assert!(turns.fill(1).now_or_never().is_none());
        drop((small, second));
    }
}
