//! Loads a simulation week by week, the newest first, so that the service can answer before it has everything.
//!
//! The log records each week that is complete, with its tag tests in one transaction. After an interruption the week that was not complete
//! is fed once more, of which the events that are stored change nothing.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use app::{App, LoadingHistory, ReceivedEvent, SeedTagTest};
use domain::{Day, DeviceId, TagId};
use futures_util::FutureExt;
use futures_util::stream::{self, StreamExt};
use indicatif::MultiProgress;
use simulator::{Arrival, Week, World};
use store::Brand;

use super::feed::FeedResult;
use super::finish;
use crate::commands::Failure;
use crate::commands::progress::{Progress, group_digits};

/// The number of events in a batch. It is small, because whoever uses the service meanwhile waits for a commit at a time.
const BATCH_EVENTS: usize = 2_000;

/// The number of batches that are committed concurrently.
const MAX_CONCURRENT_BATCHES: usize = 2;

/// The pause before a week that could not be loaded beside the service is tried again.
const RETRY_PAUSE: Duration = Duration::from_secs(10);

/// A simulation of which some weeks are loaded.
pub struct WeekFeed {
    app: Arc<App>,
    brand: Brand,
    world: Arc<World>,
    gates: Vec<DeviceId>,
    tags: Vec<TagId>,
    /// What is not loaded, the newest last.
    weeks: Vec<Week>,
    loaded_days: usize,
    days: usize,
    incursions_before: i64,
    fed: FeedResult,
}

impl WeekFeed {
    /// Continues a simulation, of which everything from a day on is loaded.
    pub async fn new(
        app: &Arc<App>,
        brand: Brand,
        (world, gates): (Arc<World>, Vec<DeviceId>),
        complete_from: Option<Day>,
    ) -> Result<Self, Failure> {
        let serials: Vec<_> = world.registry().tags.iter().map(|tag| tag.serial.clone()).collect();
        let tags = app.tags_by_serial(&brand, &serials).await?;
        let mut weeks = world.weeks();
        let days: usize = weeks.iter().map(Week::days).sum();
        weeks.retain(|week| complete_from.is_none_or(|loaded| week.first_day < loaded));
        weeks.reverse();
        let loaded_days = days - weeks.iter().map(Week::days).sum::<usize>();
        let incursions_before = app.count_incursions(&brand).await?;
        let fed = FeedResult::default();
        let app = Arc::clone(app);
        let feed = Self { app, brand, world, gates, tags, weeks, loaded_days, days, incursions_before, fed };
        // Nothing is missing after the last day either.
        let after = |week: &Week| Day::from_number(week.first_day.number() + week.days() as i64);
        if let Some(loaded) = complete_from.or_else(|| feed.weeks.last().map(after)) {
            feed.note(loaded, feed.loaded_days);
        }
        Ok(feed)
    }

    /// Returns whether no week is loaded yet.
    pub fn is_empty(&self) -> bool {
        self.loaded_days == 0
    }

    /// Returns the progress of the whole simulation.
    pub fn progress(&self) -> Progress {
        Progress::new(&self.app.clock, self.days as u64, "days")
    }

    /// Loads the newest week that is missing. Returns whether there was one.
    pub async fn load_next(&mut self, progress: &mut Progress) -> Result<bool, Failure> {
        let Some(week) = self.weeks.last().cloned() else { return Ok(false) };
        let maker = (Arc::clone(&self.world), week.clone());
        let made = tokio::task::spawn_blocking(move || {
            (maker.0.events_of(&maker.1), maker.0.tag_tests_of(&maker.1))
        });
        let (arrivals, tests) =
            made.await.map_err(|error| Failure(format!("the simulation failed: {error}")))?;
        let fed = self.feed_events(arrivals, week.days(), progress).await?;
        let tests: Vec<SeedTagTest> = tests
            .into_iter()
            .map(|test| SeedTagTest {
                gate: self.gates[test.site],
                tag: self.tags[test.tag],
                tested_at: test.tested_at,
                passed: test.passed,
                battery: test.battery,
            })
            .collect();
        self.app.complete_simulated_part(&self.brand, week.first_day, &tests).await?;
        // Only now, because a week that fails is fed once more.
        self.fed.add(fed);
        self.weeks.pop();
        self.loaded_days += week.days();
        self.note(week.first_day, self.loaded_days);
        Ok(true)
    }

    async fn feed_events(
        &self,
        arrivals: Vec<Arrival>,
        days: usize,
        progress: &mut Progress,
    ) -> Result<FeedResult, Failure> {
        let (mut fed, count, mut done) = (FeedResult::default(), arrivals.len().max(1), 0);
        let mut rest = arrivals.into_iter();
        let batches = std::iter::from_fn(|| {
            let batch: Vec<ReceivedEvent> = rest
                .by_ref()
                .take(BATCH_EVENTS)
                .map(|arrival| ReceivedEvent { event: arrival.event, received_at: arrival.received_at })
                .collect();
            (!batch.is_empty()).then_some(batch)
        });
        let (app, brand) = (Arc::clone(&self.app), self.brand.id);
        let ingest = |batch| app.import_events(brand, batch);
        let mut outcomes = stream::iter(batches).map(ingest).buffered(MAX_CONCURRENT_BATCHES);
        let loaded = app.loading_history(brand);
        while let Some(taken) = outcomes.next().await {
            let taken = taken?;
            done += taken.outcomes.len();
            fed.count(taken);
            let loaded_days = self.loaded_days + days * done / count;
            let events = group_digits(self.fed.stored() + fed.stored());
            progress.update(loaded_days as u64, &format!("{events} events"));
            if let Some(loaded) = loaded {
                self.note(loaded.complete_from, loaded_days);
            }
        }
        Ok(fed)
    }

    /// Tells the service from which day on nothing is missing, and how many days are loaded, of which the last may not be complete.
    fn note(&self, complete_from: Day, loaded_days: usize) {
        let percent = u8::try_from(100 * loaded_days / self.days).unwrap_or(100);
        self.app.note_loading_history(self.brand.id, LoadingHistory { complete_from, percent });
    }

    /// Loads what is missing, and prints a summary.
    pub async fn load(mut self) -> Result<(), Failure> {
        let mut progress = self.progress();
        while self.load_next(&mut progress).await? {}
        self.complete(progress).await
    }

    /// The same beside the service, which goes on whatever happens to it.
    pub async fn load_beside_service(mut self, bars: MultiProgress) {
        let name = self.brand.name.clone();
        let mut progress = self.progress().among(&bars);
        if AssertUnwindSafe(self.load_rest(&mut progress)).catch_unwind().await.is_err() {
            tracing::error!(
                "loading the history of {name} has panicked; until the next start, which continues it, no alerts of {name} are \
                 judged"
            );
            return;
        }
        match self.complete(progress).await {
            Ok(()) => tracing::info!("the history of {name} is loaded"),
            Err(error) => {
                tracing::error!(
                    "the history of {name} is loaded, but it could not be recorded as complete or summarized: {error}"
                );
            }
        }
    }

    /// Loads what is missing. A week that cannot be loaded, for example because the disk is full, is tried again.
    async fn load_rest(&mut self, progress: &mut Progress) {
        loop {
            match self.load_next(progress).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    let name = &self.brand.name;
                    tracing::error!(
                        "a week of {name} could not be loaded and is tried again; until all are loaded, no alerts of {name} are \
                         judged: {error}"
                    );
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
            }
        }
    }

    async fn complete(mut self, progress: Progress) -> Result<(), Failure> {
        self.fed.seconds = progress.finish();
        // All weeks are there, also if that cannot be recorded now.
        self.app.note_complete_history(self.brand.id);
        if let Some(reason) = &self.fed.refusal {
            tracing::warn!("{} events of {} were left out: {reason}", self.fed.refused, self.brand.name);
        }
        let tests = self.app.count_tests_at(&self.brand, &self.gates).await?;
        finish(
            &self.app,
            &self.brand,
            &self.world,
            (self.incursions_before, u64::try_from(tests).unwrap_or(0)),
            &self.fed,
        )
        .await
    }
}
