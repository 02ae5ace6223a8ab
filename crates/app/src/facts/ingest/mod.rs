//! Ingest: batches of events are stored durably before they are answered.
//!
//! Each brand has one writer in this process (`writer.rs`), so that batches that arrive at the same time share a commit. Under the
//! brand's lock, the writer refreshes the links by which facts are attributed (`attribution_cache.rs`) and stores each kind of event.
//! Events that are sent again, split, reordered or completed later lead to the same rows.

mod attribution;
mod attribution_cache;
mod batch_context;
mod device_events;
mod dry_run;
mod events;
mod gps;
mod incursions;
mod merge;
mod runtime;
mod runtime_pieces;
mod stage_timings;
mod writer;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use domain::{BrandId, Event, TokenId};
use store::{Grant, Shares};
use tokio::sync::{mpsc, oneshot};

use crate::{App, Error, ErrorKind, Reporter, ReporterKind};
pub(crate) use attribution_cache::{AttributionCache, LinkLookup};
use events::EventSource;
pub use events::{BatchOutcome, EventOutcome, ReceivedEvent};
pub(crate) use merge::MAX_OPEN_DURATION;
pub(crate) use runtime_pieces::rebuild_pieces as cut_runtime;
use writer::Batch;

/// Maximum number of events in a batch, and in a transaction.
pub const MAX_BATCH_EVENTS: usize = 5_000;

/// Slots for events that wait or are being written in this process; batches beyond them are refused until later. An event takes
/// one slot, or as many as its size in KiB: nearly all are smaller than one KiB, tracks of thousands of positions are larger.
const MAX_SLOTS: usize = 64_000;
/// Of these, the most that one brand and one token may take.
const MAX_SLOTS_PER_BRAND: usize = 48_000;
const MAX_SLOTS_PER_TOKEN: usize = 40_000;

/// The queues of this process, one per brand.
pub(crate) struct IngestQueue {
    writers: Mutex<HashMap<BrandId, mpsc::UnboundedSender<Batch>>>,
    /// Bounds the memory of all queues; the channels themselves are unbounded.
    slots: Shares<BrandId>,
    token_slots: Shares<TokenId>,
    counters: IngestCounters,
}

/// Counters since this process started.
#[derive(Default)]
struct IngestCounters {
    commits: AtomicU64,
    accepted: AtomicU64,
    duplicates: AtomicU64,
    rejected: AtomicU64,
}

/// State of the ingest queue, for /metrics.
#[derive(Clone, Copy, Debug)]
pub struct IngestState {
    /// Transactions since this process started.
    pub commits: u64,
    pub accepted: u64,
    /// Events whose content was stored already.
    pub duplicates: u64,
    /// Events that could be parsed but were refused.
    pub rejected: u64,
    /// Slots taken by events that wait for their commit; large events take several.
    pub queued: u64,
}

impl Default for IngestQueue {
    fn default() -> Self {
        Self {
            writers: Mutex::default(),
            slots: Shares::new(MAX_SLOTS, MAX_SLOTS_PER_BRAND),
            token_slots: Shares::new(usize::MAX, MAX_SLOTS_PER_TOKEN),
            counters: IngestCounters::default(),
        }
    }
}

#[macros::boxed]
impl App {
    pub fn ingest_state(&self) -> IngestState {
        let (counts, room) = (&self.ingest_queue.counters, &self.ingest_queue.slots);
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        IngestState {
            commits: of(&counts.commits),
            accepted: of(&counts.accepted),
            duplicates: of(&counts.duplicates),
            rejected: of(&counts.rejected),
            queued: MAX_SLOTS.saturating_sub(room.available()) as u64,
        }
    }

    fn count_outcomes(&self, outcomes: &[EventOutcome]) {
        let counts = &self.ingest_queue.counters;
        counts.commits.fetch_add(1, Ordering::Relaxed);
        for verdict in outcomes {
            let count = match verdict {
                EventOutcome::Accepted => &counts.accepted,
                EventOutcome::Duplicate => &counts.duplicates,
                EventOutcome::Rejected(_) => &counts.rejected,
            };
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Stores the events of a device. When this returns, every accepted event is durable.
    pub async fn ingest_events(
        self: &Arc<Self>,
        reporter: &Reporter,
        events: Vec<Event>,
    ) -> Result<BatchOutcome, Error> {
        let source = match reporter.kind {
            ReporterKind::Station(station) => EventSource::Station(station),
            ReporterKind::Gateway(_) => EventSource::AnyStation,
        };
        let received_at = self.clock.now();
        let received: Vec<ReceivedEvent> =
            events.into_iter().map(|event| ReceivedEvent { event, received_at }).collect();
        let (brand, units) = (reporter.scope.brand(), slots_needed(&received));
        let of_token = self.ingest_queue.token_slots.try_acquire(reporter.token, units);
        let (Some(of_token), Some(of_brand)) = (of_token, self.ingest_queue.slots.try_acquire(brand, units))
        else {
            let detail = "Too many events are waiting to be stored; send the batch again.";
            return Err(Error::new(ErrorKind::Unavailable, "intake_full", detail).retry_after(1));
        };
        self.enqueue_batch(brand, source, received, (of_brand, Some(of_token))).await
    }

    /// Stores events from an import or a simulation. Waits for slots instead of refusing.
    pub async fn import_events(
        self: &Arc<Self>,
        brand: BrandId,
        events: Vec<ReceivedEvent>,
    ) -> Result<BatchOutcome, Error> {
        let room = self.ingest_queue.slots.acquire_many(brand, slots_needed(&events)).await;
        self.enqueue_batch(brand, EventSource::AnyStation, events, (room, None)).await
    }

    async fn enqueue_batch(
        self: &Arc<Self>,
        brand: BrandId,
        source: EventSource,
        events: Vec<ReceivedEvent>,
        slots: QueueSlots,
    ) -> Result<BatchOutcome, Error> {
        let (answer, answered) = oneshot::channel();
        let batch = Batch { source, events, reply: answer, _slots: slots };
        {
            let mut writers = self.ingest_queue.writers.lock().unwrap_or_else(PoisonError::into_inner);
            let queue = writers.entry(brand).or_insert_with(|| self.start_writer(brand));
            if let Err(mpsc::error::SendError(batch)) = queue.send(batch) {
                // The writer ended with the runtime it ran on.
                *queue = self.start_writer(brand);
                let _ = queue.send(batch);
            }
        }
        answered.await.map_err(|_| Error::internal("the writer dropped a batch"))?
    }
}

/// The slots of a batch, of its brand and of its token.
type QueueSlots = (Grant<BrandId>, Option<Grant<TokenId>>);

/// Returns the slots that a batch takes, at most all slots of a token.
fn slots_needed(events: &[ReceivedEvent]) -> u32 {
    let units: usize = events.iter().map(|arrival| 1 + arrival.event.heap_bytes() / 1024).sum();
    u32::try_from(units.min(MAX_SLOTS_PER_TOKEN)).unwrap_or(u32::MAX)
}
