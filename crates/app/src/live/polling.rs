//! The polls of the store by a hub. All streams of a brand in this process share them.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::BrandId;
use futures_util::FutureExt;
use store::{Scope, Tx};

use super::access::AccessWatch;
use super::devices::DevicesPoll;
use super::fact_rounds::FactRounds;
use super::hub::{BrandHub, Published};
use super::open_alerts::AlertsPoll;
use super::progress::ProgressPoll;
use crate::{App, Error, Feed};

/// Time between two polls, which find what other processes stored, and after facts that this process stored.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(250);
/// The most sequence numbers whose changes one poll counts. If there are more, streams report that counts begin later.
const MAX_COUNTED_SEQS: i64 = 100_000;

/// Polls a brand until nobody has followed it for a while, or the application has ended.
pub(super) async fn run_hub(app: Weak<App>, hub: Arc<BrandHub>, brand: BrandId) {
    let mut poller = HubPoller::default();
    loop {
        {
            let Some(app) = app.upgrade() else { return };
            let scope = app.scope_of(brand);
            let poll = AssertUnwindSafe(poller.poll(&app, &scope, &hub)).catch_unwind().await;
            let outcome = poll.unwrap_or_else(|_| {
                poller = HubPoller::default();
                Err(Error::internal("a poll panicked"))
            });
            app.live.count_poll(outcome.is_ok());
            match outcome {
                Ok(()) => poller.has_failed = false,
                // Once, not every second.
                Err(error) if !poller.has_failed => {
                    let reason = error.operator_message();
                    tracing::warn!("the live streams of brand {brand} are behind: {reason}");
                    poller.has_failed = true;
                }
                Err(_) => {}
            }
            if app.live.remove_if_abandoned(brand, &hub) {
                app.feed_lags.end(Feed::Live, brand);
                return;
            }
        }
        tokio::time::sleep(MIN_POLL_INTERVAL).await;
        tokio::select! {
            () = hub.facts_stored.notified() => {}
            () = tokio::time::sleep(POLL_INTERVAL - MIN_POLL_INTERVAL) => {}
        }
    }
}

/// What the last polls found.
#[derive(Default)]
struct HubPoller {
    access: AccessWatch,
    rounds: Option<FactRounds>,
    alerts: AlertsPoll,
    progress: ProgressPoll,
    devices: DevicesPoll,
    /// Whether something has changed since the last time that it was published. A poll that fails half way leaves its news to the next.
    is_news: bool,
    has_failed: bool,
}

impl HubPoller {
    /// Looks once, and publishes what has changed.
    async fn poll(&mut self, app: &App, scope: &Scope, hub: &BrandHub) -> Result<(), Error> {
        let began_at = app.clock.monotonic();
        self.access.check(app, hub).await?;
        let now = app.clock.now();
        let mut tx = app.store.read().await?;
        self.is_news |= self.poll_facts(&mut tx, scope).await?;
        self.is_news |= self.alerts.poll(&mut tx, scope).await?;
        self.is_news |= self.progress.poll(&mut tx, scope, now).await?;
        self.is_news |= self.devices.poll(&mut tx, scope, now).await?;
        drop(tx);
        self.publish(hub);
        app.feed_lags.complete_as_of(Feed::Live, scope.brand(), began_at);
        Ok(())
    }

    /// Publishes what is known if something of it is news.
    fn publish(&mut self, hub: &BrandHub) {
        if self.is_news
            && let (Some(rounds), Some(alerts), Some(progress), Some(devices)) =
                (&self.rounds, &self.alerts.current, &self.progress.current, &self.devices.current)
        {
            hub.published.send_replace(Some(Arc::new(Published {
                rounds: rounds.clone(),
                alerts: Arc::clone(alerts),
                progress: Arc::clone(progress),
                devices: Arc::clone(devices),
            })));
            self.is_news = false;
        }
    }

    /// Counts the changes of facts since the last poll, and returns whether there are any.
    ///
    /// Numbers become visible in order, so that everything up to the last one is there when it is read.
    async fn poll_facts(&mut self, tx: &mut Tx, scope: &Scope) -> Result<bool, Error> {
        let last_seq = tx.counters(scope).await?.last_seq;
        let Some(rounds) = &mut self.rounds else {
            self.rounds = Some(FactRounds::starting_at(last_seq));
            return Ok(true);
        };
        if last_seq == rounds.seq() {
            return Ok(false);
        }
        if last_seq < rounds.seq() {
            // The database was replaced by an older one.
            *rounds = FactRounds::starting_at(last_seq);
            return Ok(true);
        }
        let after = rounds.seq().max(last_seq - MAX_COUNTED_SEQS);
        let counts = tx.change_counts(scope).between(after, last_seq).await?;
        rounds.push(after, last_seq, counts);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the whole of a poll has found.
    fn seen(is_news: bool) -> HubPoller {
        let mut poller =
            HubPoller { rounds: Some(FactRounds::starting_at(7)), is_news, ..HubPoller::default() };
        poller.alerts.current = Some(Arc::default());
        poller.progress.current = Some(Arc::default());
        poller.devices.current = Some(Arc::default());
        poller
    }

    #[tokio::test]
    async fn news_are_kept_until_they_are_published() {
        let hub = BrandHub::new();
        // The poll of the devices has failed so far.
        let mut poller = HubPoller { devices: DevicesPoll::default(), ..seen(true) };
        poller.publish(&hub);
        assert!(hub.published.borrow().is_none() && poller.is_news);
        poller.devices.current = Some(Arc::default());
        poller.publish(&hub);
        assert!(!poller.is_news);
        assert_eq!(hub.published.borrow().as_ref().map(|published| published.rounds.seq()), Some(7));
    }

    #[tokio::test]
    async fn nothing_is_published_twice() {
        let hub = BrandHub::new();
        let mut follower = hub.published.subscribe();
        for (is_news, is_told) in [(true, true), (false, false)] {
            seen(is_news).publish(&hub);
            assert_eq!(follower.has_changed().unwrap(), is_told);
            follower.mark_unchanged();
        }
    }
}
