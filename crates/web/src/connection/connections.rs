//! The open connections of the process, and the eviction of idle ones when the limit is reached.

use std::collections::HashMap;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::config::Server;
use crate::connection::metrics::Metrics;
use crate::connection::rate_limits::CallerKey;

/// The wait for an evicted connection to close before another one is evicted.
const EVICTION_WAIT: Duration = Duration::from_millis(250);
/// Refused connections are logged together, at most once per interval.
const LOG_INTERVAL_S: u64 = 10;
/// The value of `idle_since` while a connection is in use.
const BUSY: u64 = 0;

pub(crate) struct Connections {
    permits: Arc<Semaphore>,
    max_per_address: u32,
    open: Mutex<OpenConnections>,
    started: Instant,
    last_logged_s: AtomicU64,
    unlogged_refusals: AtomicU64,
}

#[derive(Default)]
struct OpenConnections {
    next_id: u64,
    by_id: HashMap<u64, Arc<ConnectionState>>,
    /// The number of connections per address, without trusted proxies and without connections that are closing.
    count_by_address: HashMap<CallerKey, u32>,
}

/// The shared state of one connection.
pub(crate) struct ConnectionState {
    id: u64,
    counted_key: Option<CallerKey>,
    started: Instant,
    /// Microseconds after the start of the process since which the connection has waited for a request; [`BUSY`] while it is in use.
    idle_since: AtomicU64,
    is_closing: AtomicBool,
    close_requested: Notify,
}

/// Keeps a connection registered while it is open.
pub(crate) struct ConnectionGuard {
    pub state: Arc<ConnectionState>,
    connections: Arc<Connections>,
    _permit: OwnedSemaphorePermit,
}

impl Connections {
    pub fn new(config: &Server) -> Arc<Self> {
        Arc::new(Self {
            permits: Arc::new(Semaphore::new(config.max_connections as usize)),
            max_per_address: config.max_connections_per_address,
            open: Mutex::default(),
            started: Instant::now(),
            last_logged_s: AtomicU64::new(0),
            unlogged_refusals: AtomicU64::new(0),
        })
    }

    /// Waits for a permit. If there is none, the connection that has been idle longest is asked to close, then the next, so that
    /// newcomers do not wait behind unused connections.
    pub async fn acquire_permit(&self, metrics: &Metrics) -> OwnedSemaphorePermit {
        loop {
            if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
                return permit;
            }
            if self.lock_open().evict_longest_idle(|_| true) {
                metrics.evicted_connections.inc();
            }
            let permit = tokio::time::timeout(EVICTION_WAIT, Arc::clone(&self.permits).acquire_owned()).await;
            if let Ok(Ok(permit)) = permit {
                return permit;
            }
        }
    }

    /// Registers a new connection. Returns `None` if its address has reached its limit and none of its connections is idle.
    pub fn register(
        self: &Arc<Self>,
        address: IpAddr,
        is_trusted: bool,
        permit: OwnedSemaphorePermit,
        metrics: &Metrics,
    ) -> Option<ConnectionGuard> {
        let counted = (!is_trusted).then(|| CallerKey::address(address));
        let mut open = self.lock_open();
        if let Some(key) = counted
            && open.count_by_address.get(&key).is_some_and(|count| *count >= self.max_per_address)
        {
            if !open.evict_longest_idle(|connection| connection.counted_key == Some(key)) {
                drop(open);
                metrics.refused_connections.inc();
                self.log_refusal(address);
                return None;
            }
            metrics.evicted_connections.inc();
        }
        open.next_id += 1;
        let connection = Arc::new(ConnectionState {
            id: open.next_id,
            counted_key: counted,
            started: self.started,
            idle_since: AtomicU64::new(BUSY),
            is_closing: AtomicBool::new(false),
            close_requested: Notify::new(),
        });
        connection.mark_idle();
        if let Some(key) = counted {
            *open.count_by_address.entry(key).or_default() += 1;
        }
        open.by_id.insert(connection.id, Arc::clone(&connection));
        drop(open);
        Some(ConnectionGuard { state: connection, connections: Arc::clone(self), _permit: permit })
    }

    fn log_refusal(&self, address: IpAddr) {
        self.unlogged_refusals.fetch_add(1, Ordering::Relaxed);
        // One interval is added so that the first refusal is logged immediately.
        let now = self.started.elapsed().as_secs() + LOG_INTERVAL_S;
        let last = self.last_logged_s.load(Ordering::Relaxed);
        let is_due = now >= last + LOG_INTERVAL_S;
        if is_due
            && self.last_logged_s.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        {
            let count = self.unlogged_refusals.swap(0, Ordering::Relaxed);
            tracing::warn!(
                "{count} connections were refused because their address had {} open; the last was from {address}",
                self.max_per_address
            );
        }
    }

    fn lock_open(&self) -> MutexGuard<'_, OpenConnections> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenConnections {
    /// Asks the longest idle connection to close. Returns `false` if none of the candidates is idle.
    fn evict_longest_idle(&mut self, is_evictable: impl Fn(&ConnectionState) -> bool) -> bool {
        let idle = self
            .by_id
            .values()
            .filter(|connection| is_evictable(connection) && !connection.is_closing.load(Ordering::Relaxed));
        let since = |connection: &Arc<ConnectionState>| {
            Some(connection.idle_since.load(Ordering::Relaxed)).filter(|since| *since != BUSY)
        };
        let longest = idle
            .filter_map(|connection| Some((since(connection)?, connection)))
            .min_by_key(|(since, _)| *since);
        let Some((_, connection)) = longest else { return false };
        let connection = Arc::clone(connection);
        connection.is_closing.store(true, Ordering::Relaxed);
        connection.close_requested.notify_one();
        self.decrement_count(connection.counted_key);
        true
    }

    fn decrement_count(&mut self, counted: Option<CallerKey>) {
        let Some(key) = counted else { return };
        if let Some(count) = self.count_by_address.get_mut(&key) {
            *count -= 1;
            if *count == 0 {
                self.count_by_address.remove(&key);
            }
        }
    }
}

impl ConnectionState {
    /// Called when bytes or a request have arrived.
    pub fn mark_busy(&self) {
        self.idle_since.store(BUSY, Ordering::Relaxed);
    }

    /// Called when the connection waits for the next request.
    pub fn mark_idle(&self) {
        let now = u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.idle_since.store(now.max(1), Ordering::Relaxed);
    }

    /// Completes when the connection is asked to close.
    pub async fn close_requested(&self) {
        self.close_requested.notified().await;
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        let mut open = self.connections.lock_open();
        open.by_id.remove(&self.state.id);
        if !self.state.is_closing.load(Ordering::Relaxed) {
            open.decrement_count(self.state.counted_key);
        }
    }
}

/// A response body that marks its connection as idle when it is dropped.
pub(crate) struct TrackedBody {
    inner: Body,
    connection: Arc<ConnectionState>,
}

impl TrackedBody {
    pub fn new(inner: Body, connection: Arc<ConnectionState>) -> Self {
        Self { inner, connection }
    }
}

impl HttpBody for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.inner).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for TrackedBody {
    fn drop(&mut self) {
        self.connection.mark_idle();
    }
}
