//! Facts come in: batches of events, kept for good before they are answered.
//!
//! Each brand has one writer in this process (`writer.rs`), so that batches that come at the same time share a commit.
//! Under the brand's lock it reads the links by which facts are attributed (`links.rs`, kept while the registry stands still),
//! and brings each kind of event to its rows. Whatever is sent again, split, reordered or completed later, comes to the
//! same rows.

mod attribution;
mod attribution_cache;
mod device_events;
mod dry_run;
mod gps;
mod incursions;
mod merge;
mod runtime;
mod stage_timings;
mod writer;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use domain::{BaseStationId, BrandId, Event, Invalid, Timestamp, TokenId};
use store::{Grant, Shares};
use tokio::sync::{mpsc, oneshot};

use crate::{App, Error, ErrorKind, Reporter, ReporterKind};
pub(crate) use attribution_cache::{AttributionCache, LinkLookup};
pub(crate) use merge::MAX_OPEN_DURATION;
pub(crate) use runtime::rebuild_pieces as cut_runtime;
use writer::Batch;

/// The most events of one batch, and of one transaction.
pub const MAX_BATCH_EVENTS: usize = 5_000;

/// How much may wait or be under way in this process: what is beyond is asked to come again. An event is a unit, or as many as the KiB it
/// takes: nearly all take less than one, tracks of thousands of positions take more.
const MAX_SLOTS: usize = 64_000;
/// How much of it one brand takes, and how much one token.
const MAX_SLOTS_PER_BRAND: usize = 48_000;
const MAX_SLOTS_PER_TOKEN: usize = 40_000;

/// What became of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventOutcome {
    /// It is kept.
    Accepted,
    /// All of it was known.
    Duplicate,
    /// It is not kept, for this reason.
    Rejected(Invalid),
}

/// What became of a batch.
#[derive(Clone, Debug)]
pub struct BatchOutcome {
    /// One for each event, in their order.
    pub outcomes: Vec<EventOutcome>,
    /// The brand's last change that it is part of.
    pub seq: i64,
}

/// An event with the time it arrived.
#[derive(Clone, Debug)]
pub struct ReceivedEvent {
    /// What is reported.
    pub event: Event,
    /// When it arrived.
    pub received_at: Timestamp,
}

/// Who speaks in a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventSource {
    /// One station, of itself.
    Station(BaseStationId),
    /// Any station of the brand, by its serial.
    AnyStation,
}

/// The queues of this process.
pub(crate) struct IngestQueue {
    writers: Mutex<HashMap<BrandId, mpsc::UnboundedSender<Batch>>>,
    /// What may be held in memory; the queues themselves need no other bound.
    slots: Shares<BrandId>,
    /// How much of it each token has.
    token_slots: Shares<TokenId>,
    counters: IngestCounters,
}

/// What came in since this process began.
#[derive(Default)]
struct IngestCounters {
    commits: AtomicU64,
    accepted: AtomicU64,
    duplicates: AtomicU64,
    rejected: AtomicU64,
}

/// How busy the intake is, for /metrics.
#[derive(Clone, Copy, Debug)]
pub struct IngestState {
    /// Transactions since this process began.
    pub commits: u64,
    /// Events that were kept.
    pub accepted: u64,
    /// Events of which everything was known.
    pub duplicates: u64,
    /// Events that could be read and were refused.
    pub rejected: u64,
    /// Events that wait for their commit; large ones count for several.
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

impl App {
    /// How busy the intake is.
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

    /// Takes in what a device reports. When this returns, everything accepted is kept for good.
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
            let detail = "Too much is coming in at once; send it again.";
            return Err(Error::new(ErrorKind::Unavailable, "intake_full", detail).retry_after(1));
        };
        self.enqueue_batch(brand, source, received, (of_brand, Some(of_token))).await
    }

    /// Takes in what is brought from elsewhere: an import, a simulation. Waits for room instead of refusing.
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
                // Its writer is gone with the runtime it ran on.
                *queue = self.start_writer(brand);
                let _ = queue.send(batch);
            }
        }
        answered.await.map_err(|_| Error::internal("the writer gave up on a batch"))?
    }
}

/// The room that a batch takes, of its brand and of its token.
type QueueSlots = (Grant<BrandId>, Option<Grant<TokenId>>);

/// How much room a batch takes. One that is larger than a token's share has all of it.
fn slots_needed(events: &[ReceivedEvent]) -> u32 {
    let units: usize = events.iter().map(|arrival| 1 + arrival.event.heap_bytes() / 1024).sum();
    u32::try_from(units.min(MAX_SLOTS_PER_TOKEN)).unwrap_or(u32::MAX)
}
