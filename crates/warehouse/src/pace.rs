//! How long the nodes of a step may take.
//!
//! The next step begins when all nodes have ended this one. So a node that is much slower than a replica of it would hold up the replica,
//! which questions are asked of: it is left out instead. Whoever has no faster replica is waited for, because nobody else answers.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::cluster::CHOICE_TIMEOUT;

/// A node may take this long for everything that it does in a step, or twice as long as the first of its replicas, as far as the replica
/// then ends the next step in the time for which a question waits.
const STEP_TIMEOUT: Duration = Duration::from_secs(1);
/// The next step begins about this long after a step.
const BETWEEN_STEPS: Duration = Duration::from_millis(250);
/// A node may take this long if no replica has ended the step.
pub(crate) const LONGEST_STEP: Duration = Duration::from_secs(10);
/// The same if there is a replica that rests: it can take over.
const LONGEST_STEP_WITH_SUBSTITUTE: Duration = Duration::from_secs(3);

/// Why a node was not waited for any longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Late {
    /// A replica was much faster.
    BehindReplica,
    /// It took longer than any node may.
    Altogether,
}

/// The pace of the nodes of one shard in a step.
#[derive(Debug)]
pub(crate) struct ShardPace {
    began: Instant,
    longest: Duration,
    /// How long the first node took that has ended the step.
    first: watch::Sender<Option<Duration>>,
}

impl ShardPace {
    /// Begins a step. The nodes of the shard may have a substitute, which takes no part.
    pub fn begin(has_substitute: bool) -> Self {
        let longest = if has_substitute { LONGEST_STEP_WITH_SUBSTITUTE } else { LONGEST_STEP };
        Self { began: Instant::now(), longest, first: watch::Sender::new(None) }
    }

    /// Does everything that a node does in a step, unless it takes too long.
    pub async fn keep<E>(&self, work: impl Future<Output = Result<(), E>>) -> Result<Result<(), E>, Late> {
        tokio::select! {
            biased;
            done = work => {
                if done.is_ok() {
                    self.first.send_if_modified(|first| {
                        let is_first = first.is_none();
                        first.get_or_insert_with(|| self.began.elapsed());
                        is_first
                    });
                }
                Ok(done)
            }
            late = self.end() => Err(late),
        }
    }

    /// Ends when a node has taken too long.
    async fn end(&self) -> Late {
        let end = self.began + self.longest;
        let mut first = self.first.subscribe();
        let took = match timeout_at(end, first.wait_for(Option::is_some)).await {
            Ok(Ok(found)) => *found,
            _ => None,
        };
        let Some(took) = took else { return Late::Altogether };
        sleep_until(end.min(self.began + limit_after(took))).await;
        Late::BehindReplica
    }
}

/// Returns how long a node may take if its fastest replica took this long.
fn limit_after(took: Duration) -> Duration {
    // A change that is stored at the beginning of a step reaches the replica in the next one.
    let in_time = CHOICE_TIMEOUT.saturating_sub(BETWEEN_STEPS + took);
    let limit = took.saturating_mul(2).max(STEP_TIMEOUT);
    // A replica that is too slow by itself is not helped by leaving others out.
    if in_time > took { limit.min(in_time) } else { limit }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    /// Returns what becomes of two replicas that take so many milliseconds.
    async fn replicas(times: [u64; 2]) -> [Result<Result<(), ()>, Late>; 2] {
        let pace = ShardPace::begin(false);
        let take = |time| async move {
            sleep(Duration::from_millis(time)).await;
            Ok(())
        };
        tokio::join!(pace.keep(take(times[0])), pace.keep(take(times[1]))).into()
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_that_is_much_slower_than_its_replica_is_not_waited_for() {
        assert_eq!(replicas([10, 900]).await, [Ok(Ok(())), Ok(Ok(()))]);
        assert_eq!(replicas([10, 1_100]).await, [Ok(Ok(())), Err(Late::BehindReplica)]);
        assert_eq!(replicas([8_000, 10]).await, [Err(Late::BehindReplica), Ok(Ok(()))]);
    }

    #[tokio::test(start_paused = true)]
    async fn nodes_that_are_equally_slow_are_waited_for() {
        assert_eq!(replicas([3_000, 5_900]).await, [Ok(Ok(())), Ok(Ok(()))]);
        assert_eq!(replicas([3_000, 6_100]).await, [Ok(Ok(())), Err(Late::BehindReplica)]);
        assert_eq!(replicas([20_000, 20_000]).await, [Err(Late::Altogether), Err(Late::Altogether)]);
    }

    #[test]
    fn a_replica_ends_the_next_step_in_time() {
        for ms in [0, 300, 500, 600, 750, 870] {
            let took = Duration::from_millis(ms);
            let limit = limit_after(took);
            assert!(limit > took && limit + BETWEEN_STEPS + took <= CHOICE_TIMEOUT, "{ms}: {limit:?}");
        }
        // It is late in any case.
        assert_eq!(limit_after(Duration::from_millis(900)), Duration::from_millis(1_800));
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_with_a_substitute_is_not_waited_for_as_long() {
        let step = async |has_substitute| {
            let work = async {
                sleep(Duration::from_secs(4)).await;
                Ok::<(), ()>(())
            };
            ShardPace::begin(has_substitute).keep(work).await
        };
        assert_eq!((step(true).await, step(false).await), (Err(Late::Altogether), Ok(Ok(()))));
    }

    #[tokio::test(start_paused = true)]
    async fn a_replica_that_has_failed_says_nothing_about_others() {
        let pace = ShardPace::begin(false);
        let slow = async {
            sleep(Duration::from_secs(5)).await;
            Ok::<(), &str>(())
        };
        let (failed, waited_for) = tokio::join!(pace.keep(async { Err("closed") }), pace.keep(slow));
        assert_eq!((failed, waited_for), (Ok(Err("closed")), Ok(Ok(()))));
    }
}
