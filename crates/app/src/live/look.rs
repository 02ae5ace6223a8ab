//! The looks of a hub at the store. All streams of a brand in this process share them.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::BrandId;
use futures_util::FutureExt;
use store::{Scope, Tx};

use super::access::AccessWatch;
use super::devices::DevicesLook;
use super::fact_rounds::FactRounds;
use super::hub::{BrandHub, Published};
use super::open_alerts::AlertsLook;
use super::progress::ProgressLook;
use crate::{App, Error};

/// Time between two looks, which find what other processes stored, and after facts that this process stored.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
const MIN_LOOK_INTERVAL: Duration = Duration::from_millis(250);
/// The most sequence numbers whose changes one look counts. If there are more, streams report that counts begin later.
const MAX_COUNTED_SEQS: i64 = 100_000;

/// Looks at a brand until nobody has followed it for a while, or the application has ended.
pub(super) async fn run_hub(app: Weak<App>, hub: Arc<BrandHub>, brand: BrandId) {
    let mut looking = Looking::default();
    loop {
        {
            let Some(app) = app.upgrade() else { return };
            let scope = app.scope_of(brand);
            let look = AssertUnwindSafe(looking.look(&app, &scope, &hub)).catch_unwind().await;
            let outcome = look.unwrap_or_else(|_| {
                looking = Looking::default();
                Err(Error::internal("a look panicked"))
            });
            app.live.count_look(outcome.is_ok());
            match outcome {
                Ok(()) => looking.has_failed = false,
                // Once, not every second.
                Err(error) if !looking.has_failed => {
                    let reason = error.operator_message();
                    tracing::warn!("the live streams of brand {brand} are behind: {reason}");
                    looking.has_failed = true;
                }
                Err(_) => {}
            }
            if app.live.remove_if_abandoned(brand, &hub) {
                return;
            }
        }
        tokio::time::sleep(MIN_LOOK_INTERVAL).await;
        tokio::select! {
            () = hub.facts_stored.notified() => {}
            () = tokio::time::sleep(LOOK_INTERVAL - MIN_LOOK_INTERVAL) => {}
        }
    }
}

/// What the last looks found.
#[derive(Default)]
struct Looking {
    access: AccessWatch,
    rounds: Option<FactRounds>,
    alerts: AlertsLook,
    progress: ProgressLook,
    devices: DevicesLook,
    /// Whether something has changed since the last time that it was published. A look that fails half way leaves its news to the next.
    is_news: bool,
    has_failed: bool,
}

impl Looking {
    /// Looks once, and publishes what has changed.
    async fn look(&mut self, app: &App, scope: &Scope, hub: &BrandHub) -> Result<(), Error> {
        self.access.check(app, hub).await?;
        let now = app.clock.now();
        let mut tx = app.store.read().await?;
        self.is_news |= self.look_at_facts(&mut tx, scope).await?;
        self.is_news |= self.alerts.look(&mut tx, scope).await?;
        self.is_news |= self.progress.look(&mut tx, scope, now).await?;
        self.is_news |= self.devices.look(&mut tx, scope, now).await?;
        drop(tx);
        self.publish(hub);
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

    /// Counts the changes of facts since the last look, and returns whether there are any.
    ///
    /// Numbers become visible in order, so that everything up to the last one is there when it is read.
    async fn look_at_facts(&mut self, tx: &mut Tx, scope: &Scope) -> Result<bool, Error> {
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

    /// What the whole of a look has found.
    fn seen(is_news: bool) -> Looking {
        let mut looking = Looking { rounds: Some(FactRounds::starting_at(7)), is_news, ..Looking::default() };
        looking.alerts.current = Some(Arc::default());
        looking.progress.current = Some(Arc::default());
        looking.devices.current = Some(Arc::default());
        looking
    }

    #[tokio::test]
    async fn news_are_kept_until_they_are_published() {
        let hub = BrandHub::new();
        // The look at the devices has failed so far.
        let mut looking = Looking { devices: DevicesLook::default(), ..seen(true) };
        looking.publish(&hub);
        assert!(hub.published.borrow().is_none() && looking.is_news);
        looking.devices.current = Some(Arc::default());
        looking.publish(&hub);
        assert!(!looking.is_news);
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
