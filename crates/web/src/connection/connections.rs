//! Who has a connection, and who gives theirs up when places run out.

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
use crate::connection::limits::Key;
use crate::connection::metrics::Metrics;

/// How long a full house waits for the connection that was asked to close before it asks another.
const CLOSING: Duration = Duration::from_millis(250);
/// Refused connections are logged together, at most so often.
const LOG_EVERY_S: u64 = 10;
/// What a connection's `idle_since` says while it is in use.
const BUSY: u64 = 0;

/// The connections of a process.
pub(crate) struct Connections {
    places: Arc<Semaphore>,
    per_address: u32,
    open: Mutex<Open>,
    started: Instant,
    logged_s: AtomicU64,
    unlogged: AtomicU64,
}

#[derive(Default)]
struct Open {
    next_id: u64,
    seats: HashMap<u64, Arc<Seat>>,
    /// How many each address has; trusted proxies are not counted, nor are connections that were asked to close.
    counts: HashMap<Key, u32>,
}

/// One connection, as others see it.
pub(crate) struct Seat {
    id: u64,
    counted: Option<Key>,
    started: Instant,
    /// Microseconds after the start since which it has waited for a request; [`BUSY`] while it is in use.
    idle_since: AtomicU64,
    is_leaving: AtomicBool,
    leave: Notify,
}

/// Holds a connection's seat while it is open.
pub(crate) struct Seated {
    pub seat: Arc<Seat>,
    connections: Arc<Connections>,
    _place: OwnedSemaphorePermit,
}

impl Connections {
    pub fn new(config: &Server) -> Arc<Self> {
        Arc::new(Self {
            places: Arc::new(Semaphore::new(config.max_connections as usize)),
            per_address: config.max_connections_per_address,
            open: Mutex::default(),
            started: Instant::now(),
            logged_s: AtomicU64::new(0),
            unlogged: AtomicU64::new(0),
        })
    }

    /// Waits for a free place. When there is none, the connection that has been idle longest is asked to close, then the next:
    /// newcomers do not wait behind connections that nobody uses.
    pub async fn place(&self, metrics: &Metrics) -> OwnedSemaphorePermit {
        loop {
            if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
                return place;
            }
            if self.open().evict(|_| true) {
                metrics.evicted_connections.inc();
            }
            let place = tokio::time::timeout(CLOSING, Arc::clone(&self.places).acquire_owned()).await;
            if let Ok(Ok(place)) = place {
                return place;
            }
        }
    }

    /// Seats a newcomer; none if its address has as many as it may and uses them all.
    pub fn seat(
        self: &Arc<Self>,
        address: IpAddr,
        is_trusted: bool,
        place: OwnedSemaphorePermit,
        metrics: &Metrics,
    ) -> Option<Seated> {
        let counted = (!is_trusted).then(|| Key::address(address));
        let mut open = self.open();
        if let Some(key) = counted
            && open.counts.get(&key).is_some_and(|count| *count >= self.per_address)
        {
            if !open.evict(|seat| seat.counted == Some(key)) {
                drop(open);
                metrics.refused_connections.inc();
                self.log_refusal(address);
                return None;
            }
            metrics.evicted_connections.inc();
        }
        open.next_id += 1;
        let seat = Arc::new(Seat {
            id: open.next_id,
            counted,
            started: self.started,
            idle_since: AtomicU64::new(BUSY),
            is_leaving: AtomicBool::new(false),
            leave: Notify::new(),
        });
        seat.idle();
        if let Some(key) = counted {
            *open.counts.entry(key).or_default() += 1;
        }
        open.seats.insert(seat.id, Arc::clone(&seat));
        drop(open);
        Some(Seated { seat, connections: Arc::clone(self), _place: place })
    }

    fn log_refusal(&self, address: IpAddr) {
        self.unlogged.fetch_add(1, Ordering::Relaxed);
        // Ahead by one interval, so that the first refusal is logged at once.
        let now = self.started.elapsed().as_secs() + LOG_EVERY_S;
        let last = self.logged_s.load(Ordering::Relaxed);
        let is_due = now >= last + LOG_EVERY_S;
        if is_due && self.logged_s.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            let count = self.unlogged.swap(0, Ordering::Relaxed);
            tracing::warn!(
                "{count} connections were refused because their address had {} open; the last came from {address}",
                self.per_address
            );
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// Asks the connection that has been idle longest to close; `false` if none of these is idle.
    fn evict(&mut self, may_go: impl Fn(&Seat) -> bool) -> bool {
        let idle =
            self.seats.values().filter(|seat| may_go(seat) && !seat.is_leaving.load(Ordering::Relaxed));
        let since =
            |seat: &Arc<Seat>| Some(seat.idle_since.load(Ordering::Relaxed)).filter(|since| *since != BUSY);
        let longest = idle.filter_map(|seat| Some((since(seat)?, seat))).min_by_key(|(since, _)| *since);
        let Some((_, seat)) = longest else { return false };
        let seat = Arc::clone(seat);
        seat.is_leaving.store(true, Ordering::Relaxed);
        seat.leave.notify_one();
        self.uncount(seat.counted);
        true
    }

    fn uncount(&mut self, counted: Option<Key>) {
        let Some(key) = counted else { return };
        if let Some(count) = self.counts.get_mut(&key) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&key);
            }
        }
    }
}

impl Seat {
    /// Says that bytes or a request have come.
    pub fn busy(&self) {
        self.idle_since.store(BUSY, Ordering::Relaxed);
    }

    /// Says that the next request is waited for.
    pub fn idle(&self) {
        let now = u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.idle_since.store(now.max(1), Ordering::Relaxed);
    }

    /// Done when the place is wanted by another.
    pub async fn asked_to_leave(&self) {
        self.leave.notified().await;
    }
}

impl Drop for Seated {
    fn drop(&mut self) {
        let mut open = self.connections.open();
        open.seats.remove(&self.seat.id);
        if !self.seat.is_leaving.load(Ordering::Relaxed) {
            open.uncount(self.seat.counted);
        }
    }
}

/// The body of an answer; when it is gone, its connection waits for the next request.
pub(crate) struct Answering {
    inner: Body,
    seat: Arc<Seat>,
}

impl Answering {
    pub fn new(inner: Body, seat: Arc<Seat>) -> Self {
        Self { inner, seat }
    }
}

impl HttpBody for Answering {
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

impl Drop for Answering {
    fn drop(&mut self) {
        self.seat.idle();
    }
}
