//! Work that runs in this process under a key, so that the same work is not begun twice.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// Whoever waits for work under the same key gives up after this long.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// The keys of the work that is running. Each has a channel that closes when its work ends, so that only those are woken who wait for it.
pub(crate) struct InFlight<K> {
    running: Mutex<HashMap<K, watch::Receiver<()>>>,
}

/// Removes its key when the work ends, however it ends.
pub(crate) struct InFlightGuard<'a, K: Eq + Hash> {
    in_flight: &'a InFlight<K>,
    key: K,
    /// Dropped after the key was removed, which wakes those who wait.
    _running: watch::Sender<()>,
}

impl<K> Default for InFlight<K> {
    fn default() -> Self {
        Self { running: Mutex::new(HashMap::new()) }
    }
}

impl<K: Clone + Eq + Hash> InFlight<K> {
    /// Begins work, or returns none if there is work under this key.
    pub fn begin(&self, key: &K) -> Option<InFlightGuard<'_, K>> {
        self.begin_or_follow(key).ok()
    }

    /// The same, but waits a while for the work that is running.
    pub async fn begin_after(&self, key: &K) -> Option<InFlightGuard<'_, K>> {
        let deadline = Instant::now() + MAX_WAIT;
        loop {
            let mut running = match self.begin_or_follow(key) {
                Ok(guard) => return Some(guard),
                Err(running) => running,
            };
            timeout_at(deadline, async { while running.changed().await.is_ok() {} }).await.ok()?;
        }
    }

    /// Begins work, or returns the channel that closes with the work that is running.
    fn begin_or_follow(&self, key: &K) -> Result<InFlightGuard<'_, K>, watch::Receiver<()>> {
        match self.running.lock().unwrap_or_else(PoisonError::into_inner).entry(key.clone()) {
            Entry::Occupied(entry) => Err(entry.get().clone()),
            Entry::Vacant(entry) => {
                let (sender, receiver) = watch::channel(());
                entry.insert(receiver);
                Ok(InFlightGuard { in_flight: self, key: key.clone(), _running: sender })
            }
        }
    }
}

impl<K: Eq + Hash> Drop for InFlightGuard<'_, K> {
    fn drop(&mut self) {
        self.in_flight.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_repeat_waits_for_the_first_and_gives_up_after_a_while() {
        let in_flight = InFlight::default();
        let first = in_flight.begin(&7);
        assert!(first.is_some() && in_flight.begin(&7).is_none());
        assert!(in_flight.begin_after(&7).await.is_none(), "the first is still running");
        let repeat = async { in_flight.begin_after(&7).await.is_some() };
        let end = async {
            tokio::task::yield_now().await;
            drop(first);
        };
        let (is_admitted, ()) = tokio::join!(repeat, end);
        assert!(is_admitted);
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_of_other_work_wakes_nobody() {
        let in_flight = InFlight::default();
        let (_first, other) = (in_flight.begin(&7), in_flight.begin(&8));
        let mut running = in_flight.begin_or_follow(&7).err().unwrap();
        drop(other);
        tokio::select! {
            biased;
            _ = running.changed() => panic!("woken by other work"),
            () = tokio::task::yield_now() => {}
        }
        assert!(in_flight.begin(&8).is_some());
    }
}
