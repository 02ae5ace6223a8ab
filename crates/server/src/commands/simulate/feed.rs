//! Feeds what happens in a world to the same use case as devices do.
//!
//! One thread makes the next batches while the store commits those before them.

use std::sync::Arc;

use app::{App, Arrival, FoundedTest, MOST_EVENTS, Verdict};
use domain::DeviceId;
use futures_util::stream::{FuturesOrdered, StreamExt};
use simulator::World;
use store::Brand;
use tokio::sync::mpsc;

use crate::commands::Failure;
use crate::commands::progress::{Progress, grouped};

/// How many batches are made ahead.
const AHEAD: usize = 2;

/// How many batches are on their way into the store.
const UNDER_WAY: usize = 3;

/// What was fed.
#[derive(Default)]
pub struct Fed {
    /// Events that were new.
    pub accepted: u64,
    /// Events that were there already, from before an interruption.
    pub known: u64,
    /// How many seconds it took.
    pub seconds: f64,
}

struct Batch {
    arrivals: Vec<Arrival>,
    /// The days that are complete with it.
    days: usize,
}

/// Brings in every event of every day, in the order of arrival.
pub async fn events(app: &Arc<App>, brand: &Brand, world: &Arc<World>) -> Result<Fed, Failure> {
    let mut progress = Progress::new(&app.clock, world.plan().days as u64, "days");
    let (sender, mut batches) = mpsc::channel(AHEAD);
    let maker = Arc::clone(world);
    let made = tokio::task::spawn_blocking(move || make(&maker, &sender));
    let (mut fed, mut days) = (Fed::default(), 0);
    let mut under_way = FuturesOrdered::new();
    let mut is_made = false;
    while !is_made || !under_way.is_empty() {
        tokio::select! {
            next = batches.recv(), if !is_made && under_way.len() < UNDER_WAY => {
                let Some(batch) = next else { is_made = true; continue };
                let Batch { arrivals, days } = batch;
                under_way.push_back(async move { (app.bring_in(brand.id, arrivals).await, days) });
            }
            Some((taken, complete)) = under_way.next() => {
                for verdict in taken?.verdicts {
                    match verdict {
                        Verdict::Accepted => fed.accepted += 1,
                        Verdict::Duplicate => fed.known += 1,
                        Verdict::Rejected(invalid) => {
                            return Err(Failure(format!("an event of the world was refused: {invalid}")));
                        }
                    }
                }
                days = complete.max(days);
                progress.at(days as u64, &format!("{} events", grouped(fed.accepted + fed.known)));
            }
        }
    }
    made.await.map_err(|error| Failure(format!("the world came to an end: {error}")))?;
    fed.seconds = progress.finish();
    Ok(fed)
}

/// Cuts the days into batches of the same size, whatever the days hold, so that the same world comes to the same commits.
fn make(world: &World, batches: &mpsc::Sender<Batch>) {
    let mut arrivals = Vec::with_capacity(MOST_EVENTS);
    for day in world.days() {
        for arrival in day.arrivals {
            if arrivals.len() == MOST_EVENTS {
                let arrivals = std::mem::replace(&mut arrivals, Vec::with_capacity(MOST_EVENTS));
                if batches.blocking_send(Batch { arrivals, days: day.number }).is_err() {
                    return;
                }
            }
            arrivals.push(Arrival { event: arrival.event, received_at: arrival.received_at });
        }
    }
    // Whoever has gone away says why.
    let _ = batches.blocking_send(Batch { arrivals, days: world.plan().days });
}

/// Lays down the tests at gates that are not there yet: they come in one order, so that those are the first.
pub async fn tag_tests(app: &App, brand: &Brand, world: &World, gates: &[DeviceId]) -> Result<u64, Failure> {
    let serials: Vec<_> = world.registry().tags.iter().map(|tag| tag.serial.clone()).collect();
    let tags = app.tags_by_serial(brand, &serials).await?;
    let there = usize::try_from(app.count_tests_at(brand, gates).await?).unwrap_or(0);
    let mut added = 0;
    let mut tests = world.tag_tests().skip(there).map(|test| FoundedTest {
        gate: gates[test.site],
        tag: tags[test.tag],
        tested_at: test.tested_at,
        passed: test.passed,
        battery: test.battery,
    });
    loop {
        let some: Vec<FoundedTest> = tests.by_ref().take(MOST_EVENTS).collect();
        if some.is_empty() {
            return Ok(there as u64 + added);
        }
        added += some.len() as u64;
        app.found_tests(brand, &some).await?;
    }
}
