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

use domain::{BaseStationId, BrandId, Event, Invalid, Timestamp, TokenId};
use store::{Grant, Shares};
use tokio::sync::{mpsc, oneshot};

use crate::{App, Error, Kind, Reporter, ReporterKind};
pub(crate) use links::{Links, Wanted};
pub(crate) use merge::LONGEST_OPEN;
pub(crate) use runtime::cut as cut_runtime;
use writer::Batch;

/// The most events of one batch, and of one transaction.
pub const MOST_EVENTS: usize = 5_000;

/// How much may wait or be under way in this process: what is beyond is asked to come again. An event is a unit, or as many as the KiB it
/// takes: nearly all take less than one, tracks of thousands of positions take more.
const ROOM: usize = 64_000;
/// How much of it one brand takes, and how much one token.
const ROOM_OF_BRAND: usize = 48_000;
const ROOM_OF_TOKEN: usize = 40_000;

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
    /// What may be held in memory; the queues themselves need no other bound.
    room: Shares<BrandId>,
    /// How much of it each token has.
    room_of_tokens: Shares<TokenId>,
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
    /// Events that wait for their commit; large ones count for several.
    pub waiting: u64,
}

impl Default for Intake {
    fn default() -> Self {
        Self {
            writers: Mutex::default(),
            room: Shares::new(ROOM, ROOM_OF_BRAND),
            room_of_tokens: Shares::new(usize::MAX, ROOM_OF_TOKEN),
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
            waiting: ROOM.saturating_sub(room.available()) as u64,
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
        let (brand, units) = (reporter.scope.brand(), units(&arrivals));
        let of_token = self.intake.room_of_tokens.try_take(reporter.token, units);
        let (Some(of_token), Some(of_brand)) = (of_token, self.intake.room.try_take(brand, units)) else {
            let detail = "Too much is coming in at once; send it again.";
            return Err(Error::new(Kind::Unavailable, "intake_full", detail).retry_after(1));
        };
        self.queue(brand, speaker, arrivals, (of_brand, Some(of_token))).await
    }

    /// Takes in what is brought from elsewhere: an import, a simulation. Waits for room instead of refusing.
    pub async fn bring_in(self: &Arc<Self>, brand: BrandId, arrivals: Vec<Arrival>) -> Result<Taken, Error> {
        let room = self.intake.room.take_many(brand, units(&arrivals)).await;
        self.queue(brand, Speaker::Any, arrivals, (room, None)).await
    }

    async fn queue(
        self: &Arc<Self>,
        brand: BrandId,
        speaker: Speaker,
        arrivals: Vec<Arrival>,
        room: Room,
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

/// The room that a batch takes, of its brand and of its token.
type Room = (Grant<BrandId>, Option<Grant<TokenId>>);

/// How much room a batch takes. One that is larger than a token's share has all of it.
fn units(arrivals: &[Arrival]) -> u32 {
    let units: usize = arrivals.iter().map(|arrival| 1 + arrival.event.heap_bytes() / 1024).sum();
    u32::try_from(units.min(ROOM_OF_TOKEN)).unwrap_or(u32::MAX)
}
