//! The hub of one brand in this process: what is published, and who follows.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::Timestamp;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::devices::Devices;
use super::fact_rounds::FactRounds;
use super::open_alerts::OpenAlerts;
use super::progress::ProgressByUser;
use crate::UserIdentity;

/// Time for which a hub goes on after its last follower has left. Whoever connects again soon finds what was missed in memory.
const LINGER: Duration = Duration::from_secs(30);

/// The state of a brand at the last poll.
#[derive(Debug)]
pub(super) struct Published {
    pub rounds: FactRounds,
    pub alerts: Arc<OpenAlerts>,
    pub progress: Arc<ProgressByUser>,
    pub devices: Arc<Devices>,
}

pub(super) struct BrandHub {
    /// None before the first poll.
    pub published: watch::Sender<Option<Arc<Published>>>,
    /// Notified when this process has stored facts of the brand.
    pub facts_stored: Notify,
    followers: Mutex<Followers>,
    /// Whether someone has begun to follow since access was last checked.
    has_newcomers: AtomicBool,
}

struct Followers {
    next_id: u64,
    by_id: HashMap<u64, Arc<Follower>>,
    last_left_at: Instant,
}

/// One who follows: the caller of a stream.
pub(super) struct Follower {
    pub identity: Arc<UserIdentity>,
    /// Time at which the presented credential expires.
    pub expires_at: Option<Timestamp>,
    has_ended: AtomicBool,
}

/// Keeps a follower registered until it is dropped.
pub(super) struct Following {
    pub hub: Arc<BrandHub>,
    pub follower: Arc<Follower>,
    id: u64,
}

impl BrandHub {
    pub fn new() -> Self {
        let followers = Followers { next_id: 0, by_id: HashMap::new(), last_left_at: Instant::now() };
        Self {
            published: watch::Sender::new(None),
            facts_stored: Notify::new(),
            followers: Mutex::new(followers),
            has_newcomers: AtomicBool::new(false),
        }
    }

    pub fn follow(self: &Arc<Self>, identity: Arc<UserIdentity>, expires_at: Option<Timestamp>) -> Following {
        let follower = Arc::new(Follower { identity, expires_at, has_ended: AtomicBool::new(false) });
        let mut followers = self.lock();
        let id = followers.next_id;
        followers.next_id += 1;
        followers.by_id.insert(id, Arc::clone(&follower));
        drop(followers);
        self.has_newcomers.store(true, Ordering::SeqCst);
        Following { hub: Arc::clone(self), follower, id }
    }

    pub fn followers(&self) -> Vec<Arc<Follower>> {
        self.lock().by_id.values().cloned().collect()
    }

    /// Returns whether someone has begun to follow since the last call.
    pub fn take_newcomers(&self) -> bool {
        self.has_newcomers.swap(false, Ordering::SeqCst)
    }

    /// Whether nobody has followed for so long that the hub can end.
    pub fn is_abandoned(&self) -> bool {
        let followers = self.lock();
        followers.by_id.is_empty() && followers.last_left_at.elapsed() >= LINGER
    }

    /// Ends the streams of these followers.
    pub fn end(&self, followers: &[Arc<Follower>]) {
        for follower in followers {
            follower.has_ended.store(true, Ordering::SeqCst);
        }
        if !followers.is_empty() {
            // Wakes all streams, each of which asks whether it has ended.
            self.published.send_modify(|_| {});
        }
    }

    fn lock(&self) -> MutexGuard<'_, Followers> {
        self.followers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Follower {
    pub fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::SeqCst)
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let mut followers = self.hub.lock();
        followers.by_id.remove(&self.id);
        followers.last_left_at = Instant::now();
    }
}
