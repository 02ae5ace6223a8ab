//! Live events for people who have a page open, and for programs that follow a brand.
//!
//! Each process has one hub for each brand that someone follows (`hub.rs`). It looks at the store once a second, and sooner when this
//! process has stored facts (`polling.rs`), and publishes the state of the brand. Streams (`stream.rs`) read nothing from the store: they
//! compare what is published with what they have sent, and leave out what their caller may not see.

mod access;
mod counters;
mod devices;
mod event;
mod fact_rounds;
mod hub;
mod open_alerts;
mod polling;
mod progress;
mod stream;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::BrandId;
use domain::access::ReadInsights;
use store::TaskOwner;

use crate::{App, Caller, Error, ErrorKind};
use counters::LiveCounters;
pub use counters::LiveStats;
pub use devices::DeviceStates;
pub use event::LiveEvent;
use hub::{BrandHub, Following};
pub use stream::LiveStream;

/// The most sequence numbers whose changes are counted for a stream that resumes. It may ask for any number, and often.
const MAX_RESUMED_SEQS: i64 = 10_000;

/// The hubs of this process.
#[derive(Default)]
pub(crate) struct LiveHubs {
    hubs: Mutex<HashMap<BrandId, Arc<BrandHub>>>,
    counters: Arc<LiveCounters>,
}

impl LiveHubs {
    /// This process has stored facts of a brand.
    pub fn facts_stored(&self, brand: BrandId) {
        if let Some(hub) = self.lock().get(&brand) {
            hub.facts_stored.notify_one();
        }
    }

    fn count_poll(&self, has_succeeded: bool) {
        self.counters.count_poll(has_succeeded);
    }

    /// Forgets a hub that nobody follows any more. Returns whether it did, so that the hub ends.
    fn remove_if_abandoned(&self, brand: BrandId, hub: &BrandHub) -> bool {
        // Under the lock, so that nobody begins to follow it meanwhile.
        let mut hubs = self.lock();
        let is_abandoned = hub.is_abandoned();
        if is_abandoned {
            hubs.remove(&brand);
        }
        is_abandoned
    }

    /// Registers a caller with the hub of their brand, which begins to poll if it is new.
    fn follow(&self, app: &Arc<App>, caller: &Caller<ReadInsights>) -> Following {
        let brand = caller.identity.brand();
        let mut hubs = self.lock();
        let hub = hubs.entry(brand).or_insert_with(|| {
            let hub = Arc::new(BrandHub::new());
            // A weak reference, so that the hub ends with the application.
            let polls = polling::run_hub(Arc::downgrade(app), Arc::clone(&hub), brand);
            tokio::spawn(TaskOwner::job(brand).run(polls));
            hub
        });
        hub.follow(Arc::clone(&caller.identity), caller.expires_at)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<BrandId, Arc<BrandHub>>> {
        self.hubs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[macros::boxed]
impl App {
    /// Opens a stream of what the caller may see of their brand. It begins with the current state, and with the changes of facts since
    /// `last_seq`, the number of the last facts that an earlier stream reported.
    pub async fn open_live_stream(
        self: &Arc<Self>,
        caller: &Caller<ReadInsights>,
        last_seq: Option<i64>,
    ) -> Result<LiveStream, Error> {
        let following = self.live.follow(self, caller);
        let scope = caller.scope();
        let mut stream = LiveStream::new(following, scope.clone(), Arc::clone(&self.live.counters));
        let Some(mut published) = stream.wait_for_poll().await else {
            let detail = "The current state could not be read in time. Try again later.";
            return Err(Error::new(ErrorKind::Unavailable, "too_busy", detail).retry_after(5));
        };
        if let Some(last) = last_seq
            && last > published.rounds.seq()
        {
            let in_database = self.store.read().await?.counters(scope).await?.last_seq;
            // The process that the caller followed before has looked later than this one.
            if last <= in_database
                && let Some(newer) = stream.wait_for_seq(last).await
            {
                published = newer;
            }
        }
        let seq = published.rounds.seq();
        match last_seq {
            Some(last) if published.rounds.begins_after(last) => stream.begin_after(last, last, &[]),
            Some(last) if last < seq => {
                let since = last.max(seq - MAX_RESUMED_SEQS);
                let mut tx = self.store.read().await?;
                let counts = tx.change_counts(scope).between(since, seq).await?;
                drop(tx);
                stream.begin_after(since, seq, &counts);
            }
            // A number that is ahead is of a database that was replaced by an older one.
            Some(_) | None => stream.begin_after(seq, seq, &[]),
        }
        Ok(stream)
    }

    /// Returns the numbers of live streams in this process, for /metrics.
    pub fn live_stats(&self) -> LiveStats {
        let hubs = self.live.lock().len();
        self.live.counters.stats(hubs)
    }
}
