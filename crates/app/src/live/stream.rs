//! One live stream: what it reports to its caller, from what the hub publishes.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use domain::{ChangeCount, SiteChanges, UserId, WorksiteId};
use store::{Projects, Scope};
use tokio::sync::watch;
use tokio::time::timeout;

use super::counters::LiveCounters;
use super::devices::Devices;
use super::event::LiveEvent;
use super::hub::{Following, Published};
use super::open_alerts::OpenAlerts;
use super::progress::ProgressByUser;

/// Time that a new stream waits for the first poll of its hub.
const FIRST_POLL_TIMEOUT: Duration = Duration::from_secs(10);

/// Time that a stream which resumes waits until its hub has seen what another process has reported already.
const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(5);

/// An open stream. It ends with the access of its caller.
pub struct LiveStream {
    following: Following,
    published: watch::Receiver<Option<Arc<Published>>>,
    scope: Scope,
    user: UserId,
    counters: Arc<LiveCounters>,
    /// Changes that were counted and not sent yet.
    unsent: BTreeMap<Option<WorksiteId>, SiteChanges>,
    /// The number after which the unsent changes begin.
    since: i64,
    /// The number up to which changes were counted.
    counted_to: i64,
    has_begun: bool,
    alerts: Sent<OpenAlerts>,
    progress: Sent<ProgressByUser>,
    devices: Sent<Devices>,
}

/// What was last seen of a state, and a hash of what was last sent of it. A copy would cost each stream as much as the hub.
struct Sent<T> {
    seen: Option<Arc<T>>,
    sent_hash: Option<u64>,
}

impl<T> Sent<T> {
    const NOTHING: Self = Self { seen: None, sent_hash: None };

    /// Returns the part of a state that the caller sees, if it differs from what was sent.
    fn news<V: Hash>(&mut self, state: &Arc<T>, visible: impl FnOnce(&T) -> V) -> Option<V> {
        if self.seen.as_ref().is_some_and(|seen| Arc::ptr_eq(seen, state)) {
            return None;
        }
        self.seen = Some(Arc::clone(state));
        let view = visible(state.as_ref());
        let mut hasher = DefaultHasher::new();
        view.hash(&mut hasher);
        let hash = hasher.finish();
        (self.sent_hash.replace(hash) != Some(hash)).then_some(view)
    }
}

impl LiveStream {
    pub(super) fn new(following: Following, scope: Scope, counters: Arc<LiveCounters>) -> Self {
        counters.count_opened();
        Self {
            published: following.hub.published.subscribe(),
            user: following.follower.identity.user,
            following,
            scope,
            counters,
            unsent: BTreeMap::new(),
            since: 0,
            counted_to: 0,
            has_begun: false,
            alerts: Sent::NOTHING,
            progress: Sent::NOTHING,
            devices: Sent::NOTHING,
        }
    }

    /// Waits for the first poll of the hub. Returns none if it takes too long.
    pub(super) async fn wait_for_poll(&mut self) -> Option<Arc<Published>> {
        let is_there = timeout(FIRST_POLL_TIMEOUT, self.published.wait_for(Option::is_some)).await;
        drop(is_there);
        self.published.borrow().clone()
    }

    /// Waits until the hub has seen everything up to a number, which the database has. Returns none if it takes too long.
    pub(super) async fn wait_for_seq(&mut self, seq: i64) -> Option<Arc<Published>> {
        let has_seen =
            |known: &Option<Arc<Published>>| known.as_ref().is_some_and(|known| known.rounds.seq() >= seq);
        self.following.hub.facts_stored.notify_one();
        let is_there = timeout(CATCH_UP_TIMEOUT, self.published.wait_for(has_seen)).await;
        drop(is_there);
        self.published.borrow().clone().filter(|known| known.rounds.seq() >= seq)
    }

    /// Begins after a number, with the changes up to another that were counted already.
    pub(super) fn begin_after(&mut self, since: i64, counted_to: i64, counts: &[ChangeCount]) {
        (self.since, self.counted_to) = (since, counted_to);
        self.add_counts(counts.iter());
    }

    /// Waits for the next events, which come together. Returns none when the access of the caller has ended or changed.
    ///
    /// A call that is dropped while it waits loses nothing.
    pub async fn next(&mut self) -> Option<Vec<LiveEvent>> {
        loop {
            if self.following.follower.has_ended() {
                self.counters.count_ended();
                return None;
            }
            let published = self.published.borrow_and_update().clone();
            if let Some(published) = published {
                let events = self.events_of(&published);
                if !events.is_empty() {
                    self.counters.count_events(&events);
                    return Some(events);
                }
            }
            self.published.changed().await.ok()?;
        }
    }

    fn events_of(&mut self, published: &Published) -> Vec<LiveEvent> {
        let mut events = Vec::new();
        let projects = self.scope.projects();
        let alerts = self.alerts.news(&published.alerts, |open| open.visible_in(projects));
        if let Some((open, has_more)) = alerts {
            events.push(LiveEvent::Alerts { open, has_more });
        }
        let own = |all: &ProgressByUser| all.get(&self.user).cloned().unwrap_or_default();
        if let Some(progress) = self.progress.news(&published.progress, own) {
            events.push(LiveEvent::Progress(progress));
        }
        if let Some(devices) = self.devices.news(&published.devices, |all| all.visible_in(projects)) {
            events.push(LiveEvent::Devices(devices));
        }
        events.extend(self.facts_of(published));
        events
    }

    fn facts_of(&mut self, published: &Published) -> Option<LiveEvent> {
        let rounds = &published.rounds;
        let seq = rounds.seq();
        if seq < self.counted_to || self.counted_to < rounds.base() {
            // The database was replaced by an older one, or the oldest changes are no longer known.
            self.unsent.clear();
            (self.since, self.counted_to) = (rounds.base(), rounds.base());
        }
        let has_moved = seq != self.counted_to;
        self.add_counts(rounds.after(self.counted_to));
        self.counted_to = seq;
        // What happens in other projects causes no event.
        let is_news = match self.scope.projects() {
            Projects::All => has_moved || !self.unsent.is_empty(),
            Projects::Only(_) => !self.unsent.is_empty(),
        };
        if !is_news && self.has_begun {
            return None;
        }
        self.has_begun = true;
        let worksites = std::mem::take(&mut self.unsent).into_values().collect();
        let since = std::mem::replace(&mut self.since, seq);
        Some(LiveEvent::Facts { seq, since, worksites })
    }

    fn add_counts<'c>(&mut self, counts: impl Iterator<Item = &'c ChangeCount>) {
        for count in counts {
            let is_visible = match self.scope.projects() {
                Projects::All => true,
                Projects::Only(seen) => count.project.is_some_and(|id| seen.contains(&id)),
            };
            if is_visible {
                let of_site = self.unsent.entry(count.worksite);
                let start = SiteChanges { worksite: count.worksite, ..SiteChanges::default() };
                of_site.or_insert(start).add(count);
            }
        }
    }
}

impl Drop for LiveStream {
    fn drop(&mut self) {
        self.counters.count_closed();
    }
}
