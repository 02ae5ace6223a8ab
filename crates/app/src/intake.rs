//! Facts come in: batches of events, kept for good before they are answered.
//!
//! Each brand has one writer in this process (`writer.rs`), so that batches that come at the same time share a commit.
//! Under the brand's lock it reads the links by which facts are attributed (`links.rs`, kept while the registry stands still),
//! and brings each kind of event to its rows. Whatever is sent again, split, reordered or completed later, comes to the
//! same rows.

mod attribution;
mod device_events;
mod gps;
mod incursions;
mod links;
mod merge;
mod rehearsal;
mod runtime;
mod stages;
mod writer;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use domain::{BaseStationId, BrandId, Event, Invalid, Timestamp};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use crate::{App, Error, Kind, Reporter, ReporterKind};
pub(crate) use links::{Links, Wanted};
pub(crate) use merge::LONGEST_OPEN;
pub(crate) use runtime::cut as cut_runtime;
use writer::Batch;

/// The most events of one batch, and of one transaction.
pub const MOST_EVENTS: usize = 5_000;

/// The most events that may wait or be under way in this process: what is beyond is asked to come again.
const MOST_WAITING: usize = 40_000;

/// What became of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is kept.
    Accepted,
    /// All of it was known.
    Duplicate,
    /// It is not kept, for this reason.
    Rejected(Invalid),
}

/// What became of a batch.
#[derive(Clone, Debug)]
pub struct Taken {
    /// One for each event, in their order.
    pub verdicts: Vec<Verdict>,
    /// The brand's last change that it is part of.
    pub seq: i64,
}

/// An event with the time it arrived.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// What is reported.
    pub event: Event,
    /// When it arrived.
    pub received_at: Timestamp,
}

/// Who speaks in a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speaker {
    /// One station, of itself.
    Station(BaseStationId),
    /// Any station of the brand, by its serial.
    Any,
}

/// The queues of this process.
pub(crate) struct Intake {
    writers: Mutex<HashMap<BrandId, mpsc::UnboundedSender<Batch>>>,
    /// A permit for each event that may be held in memory; the queues themselves need no other bound.
    room: Arc<Semaphore>,
    counts: Counts,
}

/// What came in since this process began.
#[derive(Default)]
struct Counts {
    commits: AtomicU64,
    accepted: AtomicU64,
    duplicates: AtomicU64,
    rejected: AtomicU64,
}

/// How busy the intake is, for /metrics.
#[derive(Clone, Copy, Debug)]
pub struct IntakeState {
    /// Transactions since this process began.
    pub commits: u64,
    /// Events that were kept.
    pub accepted: u64,
    /// Events of which everything was known.
    pub duplicates: u64,
    /// Events that could be read and were refused.
    pub rejected: u64,
    /// Events that wait for their commit.
    pub waiting: u64,
}

impl Default for Intake {
    fn default() -> Self {
        Self {
            writers: Mutex::default(),
            room: Arc::new(Semaphore::new(MOST_WAITING)),
            counts: Counts::default(),
        }
    }
}

impl App {
    /// How busy the intake is.
    pub fn intake_state(&self) -> IntakeState {
        let (counts, room) = (&self.intake.counts, &self.intake.room);
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        IntakeState {
            commits: of(&counts.commits),
            accepted: of(&counts.accepted),
            duplicates: of(&counts.duplicates),
            rejected: of(&counts.rejected),
            waiting: MOST_WAITING.saturating_sub(room.available_permits()) as u64,
        }
    }

    fn count_taken(&self, verdicts: &[Verdict]) {
        let counts = &self.intake.counts;
        counts.commits.fetch_add(1, Ordering::Relaxed);
        for verdict in verdicts {
            let count = match verdict {
                Verdict::Accepted => &counts.accepted,
                Verdict::Duplicate => &counts.duplicates,
                Verdict::Rejected(_) => &counts.rejected,
            };
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Takes in what a device reports. When this returns, everything accepted is kept for good.
    pub async fn take_in(self: &Arc<Self>, reporter: &Reporter, events: Vec<Event>) -> Result<Taken, Error> {
        let speaker = match reporter.kind {
            ReporterKind::Station(station) => Speaker::Station(station),
            ReporterKind::Gateway(_) => Speaker::Any,
        };
        let received_at = self.clock.now();
        let arrivals: Vec<Arrival> = events.into_iter().map(|event| Arrival { event, received_at }).collect();
        let Ok(room) = Arc::clone(&self.intake.room).try_acquire_many_owned(places(&arrivals)) else {
            let mut error =
                Error::new(Kind::Unavailable, "intake_full", "Too much is coming in at once; send it again.");
            error.retry_after_s = Some(1);
            return Err(error);
        };
        self.queue(reporter.scope.brand(), speaker, arrivals, room).await
    }

    /// Takes in what is brought from elsewhere: an import, a simulation. Waits for room instead of refusing.
    pub async fn bring_in(self: &Arc<Self>, brand: BrandId, arrivals: Vec<Arrival>) -> Result<Taken, Error> {
        let room = Arc::clone(&self.intake.room).acquire_many_owned(places(&arrivals));
        let room = room.await.map_err(Error::internal)?;
        self.queue(brand, Speaker::Any, arrivals, room).await
    }

    async fn queue(
        self: &Arc<Self>,
        brand: BrandId,
        speaker: Speaker,
        arrivals: Vec<Arrival>,
        room: OwnedSemaphorePermit,
    ) -> Result<Taken, Error> {
        let (answer, answered) = oneshot::channel();
        let batch = Batch { speaker, arrivals, answer, _room: room };
        {
            let mut writers = self.intake.writers.lock().unwrap_or_else(PoisonError::into_inner);
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

/// How many places a batch takes; one that is too large for them all would wait for ever.
fn places(arrivals: &[Arrival]) -> u32 {
    u32::try_from(arrivals.len().min(MOST_WAITING)).unwrap_or(u32::MAX)
}
