//! What this process says of itself, and what is known of all processes of the installation.

use std::sync::atomic::{AtomicBool, Ordering};

use domain::{
    Clock, Host, HostRole, Random, ServerConnections, Span, Timestamp, encode_hex, is_wrong_clock, sorted,
};
use store::HostHeartbeat;

use crate::platform::audit_heads::host_name;
use crate::{App, Error, Feed};

/// Processes that have said nothing for this long are forgotten.
const FORGOTTEN_AFTER: Span = Span::minutes(60);

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// This process.
#[derive(Debug)]
pub(crate) struct ThisHost {
    id: String,
    started_at: Timestamp,
    /// Whether the clock was wrong at the last heartbeat, so that it is logged once.
    is_clock_wrong: AtomicBool,
}

impl ThisHost {
    pub fn new(clock: &Clock, random: &Random) -> Self {
        let id = encode_hex(&random.bytes::<8>());
        Self { id, started_at: clock.now(), is_clock_wrong: AtomicBool::new(false) }
    }
}

/// All processes of the installation, and what the server of its database says.
#[derive(Clone, Debug)]
pub struct Fleet {
    /// By name, then by id.
    pub hosts: Vec<Host>,
    /// None on SQLite.
    pub connections: Option<ServerConnections>,
    /// The id of the installation key with which the database is sealed.
    pub key_id: Option<String>,
}

impl Fleet {
    /// Returns the processes that run, without those that were killed or cannot reach the database.
    pub fn running(&self) -> impl Iterator<Item = &Host> {
        self.hosts.iter().filter(|host| !host.is_silent())
    }

    /// Returns the most connections that all processes together open to the server.
    pub fn max_connections(&self) -> i64 {
        self.running().map(|host| host.max_connections).sum()
    }
}

#[macros::boxed]
impl App {
    /// Says in the database that this process runs, and forgets those that have said nothing for long.
    pub async fn record_heartbeat(&self, role: HostRole) -> Result<(), Error> {
        let clock_offset = self.clock_offset().await?;
        self.warn_of_clock(clock_offset);
        let (keys, name) = (self.keys(), host_name());
        let heartbeat = HostHeartbeat {
            id: &self.this_host.id,
            name: &name,
            role,
            version: VERSION,
            key_id: &keys.key_id,
            clock_offset,
            max_connections: self.store.max_server_connections(),
            feed_lag: self.feed_lags.longest_of_all(self.clock.monotonic()),
            started_at: self.this_host.started_at,
        };
        let mut tx = self.store.begin().await?;
        tx.hosts(&self.platform).record(&heartbeat).await?;
        tx.hosts(&self.platform).delete_silent(FORGOTTEN_AFTER).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Forgets this process, which stops.
    pub async fn end_heartbeats(&self) -> Result<(), Error> {
        let mut tx = self.store.begin().await?;
        tx.hosts(&self.platform).delete(&self.this_host.id).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Returns by how much the clock of this host is ahead of the clock of the database, to within half of a round trip.
    pub async fn clock_offset(&self) -> Result<Span, Error> {
        let mut tx = self.store.read().await?;
        let before = self.clock.now();
        let of_database = tx.hosts(&self.platform).database_time().await?;
        let round_trip = self.clock.now() - before;
        Ok(before + Span::from_micros(round_trip.micros() / 2) - of_database)
    }

    /// Returns what is known of all processes of the installation.
    pub async fn fleet(&self) -> Result<Fleet, Error> {
        let mut tx = self.store.read().await?;
        let mut hosts = tx.hosts(&self.platform).all().await?;
        sorted::sort_by(&mut hosts, |a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        let key_id = tx.installation(&self.platform).key_state().await?.key_id;
        Ok(Fleet { hosts, connections: tx.server_connections().await?, key_id })
    }

    /// Returns the lag of the copy of each kind that is furthest behind in this process.
    pub fn feed_lags(&self) -> impl Iterator<Item = (Feed, Span)> {
        let now = self.clock.monotonic();
        Feed::ALL.into_iter().filter_map(move |feed| Some((feed, self.feed_lags.longest(feed, now)?)))
    }

    fn warn_of_clock(&self, offset: Span) {
        let is_wrong = is_wrong_clock(offset);
        if self.this_host.is_clock_wrong.swap(is_wrong, Ordering::Relaxed) == is_wrong {
            return;
        }
        let millis = offset.micros() / 1_000;
        if is_wrong {
            tracing::warn!("the clock of this host is {millis} ms ahead of the clock of the database");
        } else {
            tracing::info!(
                "the clock of this host is right again, {millis} ms ahead of the clock of the database"
            );
        }
    }
}
