//! Feeds simulated events into the same use case as devices do.
//!
//! A thread generates the next batches while the store commits the previous ones.

use std::sync::Arc;

use app::{App, BatchOutcome, EventOutcome, MAX_BATCH_EVENTS, ReceivedEvent, SeedTagTest};
use domain::DeviceId;
use futures_util::stream::{FuturesOrdered, StreamExt};
use simulator::World;
use store::Brand;
use tokio::sync::mpsc;

use crate::commands::Failure;
use crate::commands::progress::{Progress, group_digits};

/// The number of batches that are generated ahead.
const READ_AHEAD_BATCHES: usize = 2;

/// The number of batches that are committed concurrently.
const MAX_CONCURRENT_BATCHES: usize = 3;

#[derive(Default)]
pub struct FeedResult {
    /// The number of new events.
    pub accepted: u64,
    /// The number of events that were stored before an interruption.
    pub duplicates: u64,
    /// The number of events that were refused, because somebody has changed their station meanwhile.
    pub refused: u64,
    /// Why the first of them was.
    pub refusal: Option<String>,
    /// The elapsed time.
    pub seconds: f64,
}

impl FeedResult {
    /// Returns the number of events that are stored.
    pub fn stored(&self) -> u64 {
        self.accepted + self.duplicates
    }

    /// Adds what another part of the events came to.
    pub fn add(&mut self, part: Self) {
        self.accepted += part.accepted;
        self.duplicates += part.duplicates;
        self.refused += part.refused;
        self.refusal = self.refusal.take().or(part.refusal);
        self.seconds += part.seconds;
    }

    /// Counts the events of a batch.
    pub fn count(&mut self, taken: BatchOutcome) {
        for verdict in taken.outcomes {
            match verdict {
                EventOutcome::Accepted => self.accepted += 1,
                EventOutcome::Duplicate => self.duplicates += 1,
                EventOutcome::Rejected(invalid) => {
                    self.refused += 1;
                    self.refusal.get_or_insert_with(|| invalid.to_string());
                }
            }
        }
    }
}

struct Batch {
    arrivals: Vec<ReceivedEvent>,
    /// The number of days that are complete after this batch.
    days: usize,
}

/// Ingests all events of all days, in the order of arrival.
pub async fn feed_events(app: &Arc<App>, brand: &Brand, world: &Arc<World>) -> Result<FeedResult, Failure> {
    let mut progress = Progress::new(&app.clock, world.plan().days as u64, "days");
    let (sender, mut batches) = mpsc::channel(READ_AHEAD_BATCHES);
    let maker = Arc::clone(world);
    let made = tokio::task::spawn_blocking(move || produce_batches(&maker, &sender));
    let (mut fed, mut days) = (FeedResult::default(), 0);
    let mut in_flight = FuturesOrdered::new();
    let mut is_made = false;
    while !is_made || !in_flight.is_empty() {
        tokio::select! {
            next = batches.recv(), if !is_made && in_flight.len() < MAX_CONCURRENT_BATCHES => {
                let Some(batch) = next else { is_made = true; continue };
                let Batch { arrivals, days } = batch;
                in_flight.push_back(async move { (app.import_events(brand.id, arrivals).await, days) });
            }
            Some((taken, complete)) = in_flight.next() => {
                fed.count(taken?);
                if let Some(reason) = fed.refusal {
                    return Err(Failure(format!("a simulated event was refused: {reason}")));
                }
                days = complete.max(days);
                progress.update(days as u64, &format!("{} events", group_digits(fed.stored())));
            }
        }
    }
    made.await.map_err(|error| Failure(format!("the simulation failed: {error}")))?;
    fed.seconds = progress.finish();
    Ok(fed)
}

/// Cuts the days into batches of equal size, so that the same world leads to the same commits.
fn produce_batches(world: &World, batches: &mpsc::Sender<Batch>) {
    let mut arrivals = Vec::with_capacity(MAX_BATCH_EVENTS);
    for day in world.days() {
        for arrival in day.arrivals {
            if arrivals.len() == MAX_BATCH_EVENTS {
                let arrivals = std::mem::replace(&mut arrivals, Vec::with_capacity(MAX_BATCH_EVENTS));
                if batches.blocking_send(Batch { arrivals, days: day.number }).is_err() {
                    return;
                }
            }
            arrivals.push(ReceivedEvent { event: arrival.event, received_at: arrival.received_at });
        }
    }
    // If the receiver is gone, it reports the reason.
    let _ = batches.blocking_send(Batch { arrivals, days: world.plan().days });
}

/// Adds the tag tests that are missing. They have a fixed order, so the existing ones are the first.
pub async fn feed_tag_tests(
    app: &App,
    brand: &Brand,
    world: &World,
    gates: &[DeviceId],
) -> Result<u64, Failure> {
    let serials: Vec<_> = world.registry().tags.iter().map(|tag| tag.serial.clone()).collect();
    let tags = app.tags_by_serial(brand, &serials).await?;
    let existing = usize::try_from(app.count_tests_at(brand, gates).await?).unwrap_or(0);
    let mut added = 0;
    let mut tests = world.tag_tests().skip(existing).map(|test| SeedTagTest {
        gate: gates[test.site],
        tag: tags[test.tag],
        tested_at: test.tested_at,
        passed: test.passed,
        battery: test.battery,
    });
    loop {
        let some: Vec<SeedTagTest> = tests.by_ref().take(MAX_BATCH_EVENTS).collect();
        if some.is_empty() {
            return Ok(existing as u64 + added);
        }
        added += some.len() as u64;
        app.seed_tag_tests(brand, &some).await?;
    }
}
