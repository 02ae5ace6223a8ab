//! The writer of a brand: takes the waiting batches and stores them in one commit.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::{BaseStationId, BrandId, EventPayload, Invalid};
use futures_util::FutureExt;
use store::{Scope, TaskOwner};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep, timeout_at};

use super::attribution_cache::{AttributionCache, LinkLookup};
use super::batch_context::BatchContext;
use super::events::{BatchOutcome, EventOutcome, EventSource, ReceivedEvent, ResolvedEvent};
use super::stage_timings::StageTimings;
use super::{MAX_BATCH_EVENTS, QueueSlots, device_events, gps, incursions, runtime};
use crate::{App, Error, ErrorKind};

/// Batches whose commit the database did not confirm are committed again for this long, and after each pause: until a successor of the
/// database has taken over, or the devices may better keep them.
const CONFIRM_TIMEOUT: Duration = Duration::from_secs(30);
const CONFIRM_PAUSE: Duration = Duration::from_millis(200);

pub(super) struct Batch {
    pub source: EventSource,
    pub events: Vec<ReceivedEvent>,
    pub reply: oneshot::Sender<Result<BatchOutcome, Error>>,
    pub _slots: QueueSlots,
}

impl App {
    pub(super) fn start_writer(self: &Arc<Self>, brand: BrandId) -> mpsc::UnboundedSender<Batch> {
        let (sender, receiver) = mpsc::unbounded_channel();
        // A weak reference, so that the queues end with the application.
        tokio::spawn(TaskOwner::job(brand).run(run_writer(Arc::downgrade(self), brand, receiver)));
        sender
    }

    /// Stores batches in one transaction.
    async fn commit_batches(
        &self,
        scope: &Scope,
        links: &mut AttributionCache,
        batches: &[&Batch],
    ) -> Result<Vec<BatchOutcome>, Error> {
        let received: Vec<(EventSource, &ReceivedEvent)> = batches
            .iter()
            .flat_map(|batch| batch.events.iter().map(|arrival| (batch.source, arrival)))
            .collect();
        let is_incursion = |arrival: &&(EventSource, &ReceivedEvent)| {
            matches!(arrival.1.event.payload, EventPayload::Incursion(_))
        };
        let incursions = received.iter().filter(is_incursion).count();
        let now = self.clock.now();
        let mut stages = StageTimings::new(&self.clock);
        let mut outcomes = vec![EventOutcome::Accepted; received.len()];
        let lookup = LinkLookup::of(&received);

        let numbers = i64::try_from(incursions).unwrap_or(i64::MAX);
        let timeline_before = self.store.server_timeline();
        let mut tx = self.store.begin().await?;
        // Comes first: from here to the commit nobody else changes the brand's facts or registry.
        let mut counters = tx.lock_and_allocate_seq(scope, numbers).await?;
        if !self.has_site_index_at(scope.brand(), counters.registry_version) {
            // Reading many boundaries takes a while, during which other brands would wait for this
            // transaction. It is rolled back and, once the index is fresh, begun again.
            drop(tx);
            self.site_index(scope.brand()).await?;
            tx = self.store.begin().await?;
            counters = tx.lock_and_allocate_seq(scope, numbers).await?;
        }
        let index = self.site_index_at(scope, counters.registry_version);
        let index = tx.keep_alive_while(index).await??;
        let timeline = self.store.server_timeline();
        links.keep_if_read_on(timeline);
        links.refresh(&mut tx, scope, counters.registry_version, index, &lookup).await?;
        let events = resolve_stations(&received, links, &mut outcomes);
        links.register_unknown_tags(&mut tx, scope, &events, now).await?;
        stages.end("links");
        let mut context = BatchContext {
            app: self,
            scope,
            tx: &mut tx,
            links,
            outcomes: &mut outcomes,
            now,
            first_seq: counters.last_seq - i64::try_from(incursions).unwrap_or(0) + 1,
            last_seq: counters.last_seq,
        };
        incursions::ingest(&mut context, &events).await?;
        stages.end("incursions");
        runtime::ingest(&mut context, &events).await?;
        stages.end("runtime");
        gps::ingest(&mut context, &events).await?;
        stages.end("gps");
        device_events::ingest(&mut context, &events).await?;
        stages.end("device_events");
        let seq = context.last_seq;
        let last_seen = links.record_last_seen(&mut tx, scope, &events, now).await?;
        stages.end("last_seen");
        tx.commit().await?;
        stages.end("commit");
        self.alerts.watch.facts_changed();
        self.live.facts_stored(scope.brand());
        links.remember_last_seen(last_seen);
        if [timeline_before, self.store.server_timeline()] != [timeline; 2] {
            // It is not certain to which server the connection leads, and so where the links were read.
            *links = AttributionCache::default();
        }
        self.count_outcomes(&outcomes);
        stages.log(received.len(), incursions);

        let mut rest = outcomes.into_iter();
        let taken =
            |batch: &&Batch| BatchOutcome { outcomes: rest.by_ref().take(batch.events.len()).collect(), seq };
        Ok(batches.iter().map(taken).collect())
    }
}

/// Takes batches from the queue until the application ends.
async fn run_writer(app: Weak<App>, brand: BrandId, mut queue: mpsc::UnboundedReceiver<Batch>) {
    let mut links = AttributionCache::default();
    let mut next = None;
    loop {
        let first = match next.take() {
            Some(batch) => batch,
            None => match queue.recv().await {
                Some(batch) => batch,
                None => return,
            },
        };
        let Some(app) = app.upgrade() else { return };
        let mut events = first.events.len();
        let mut batches = vec![first];
        while let Ok(batch) = queue.try_recv() {
            events += batch.events.len();
            if events > MAX_BATCH_EVENTS {
                next = Some(batch);
                break;
            }
            batches.push(batch);
        }
        let scope = app.scope_of(brand);
        let outcomes =
            AssertUnwindSafe(commit_with_retries(&app, &scope, &mut links, &batches)).catch_unwind().await;
        match outcomes {
            Ok(outcomes) => reply(batches, outcomes),
            Err(_) => {
                // The waiting callers get an error because their channel closes. The cache may be incomplete
                // and is dropped.
                tracing::error!("the ingest writer of brand {brand} panicked");
                links = AttributionCache::default();
            }
        }
    }
}

/// Commits batches together and returns the outcome of each. If that fails, each of several batches is
/// retried once, alone: one of them is at fault, and the others must not fail with it. If the store is
/// unavailable, nothing more is retried here: the senders retry.
async fn commit_with_retries(
    app: &App,
    scope: &Scope,
    links: &mut AttributionCache,
    batches: &[Batch],
) -> Vec<Result<BatchOutcome, Error>> {
    let all: Vec<&Batch> = batches.iter().collect();
    let error = match commit_until_confirmed(app, scope, links, &all).await {
        Ok(taken) => return taken.into_iter().map(Ok).collect(),
        Err(error) => error,
    };
    if batches.len() == 1 || error.kind == ErrorKind::Unavailable {
        return fail_all(error, batches.len());
    }
    tracing::warn!("a shared commit of {} batches failed, each is retried alone: {error}", batches.len());
    let mut outcomes = Vec::with_capacity(batches.len());
    for batch in batches {
        match commit_until_confirmed(app, scope, links, &[batch]).await {
            // Each of the others would wait for the store as long, and those that are stored would wait for them all.
            Err(error) if error.kind == ErrorKind::Unavailable => {
                outcomes.extend(fail_all(error, batches.len() - outcomes.len()));
                break;
            }
            alone => outcomes.push(alone.map(|mut taken| taken.remove(0))),
        }
    }
    outcomes
}

/// Commits batches, and if it is unknown whether that took place, once more, until the database confirms it or the time is over. Events that
/// the first commit has stored after all are counted as duplicates. The lock on the brand waits for that commit, if the server still has it
/// open. After a failure nothing is left in the cache.
async fn commit_until_confirmed(
    app: &App,
    scope: &Scope,
    links: &mut AttributionCache,
    batches: &[&Batch],
) -> Result<Vec<BatchOutcome>, Error> {
    let mut error = match app.commit_batches(scope, links, batches).await {
        Ok(taken) => return Ok(taken),
        Err(error) => error,
    };
    *links = AttributionCache::default();
    if error.code != Error::OUTCOME_UNKNOWN {
        return Err(error);
    }
    tracing::warn!("{error}; {} batches are committed once more", batches.len());
    let deadline = Instant::now() + CONFIRM_TIMEOUT;
    while error.kind == ErrorKind::Unavailable {
        let commit = async {
            sleep(CONFIRM_PAUSE).await;
            app.commit_batches(scope, links, batches).await
        };
        let Ok(outcome) = timeout_at(deadline, commit).await else { break };
        match outcome {
            Ok(taken) => return Ok(taken),
            Err(again) => error = again,
        }
        *links = AttributionCache::default();
    }
    *links = AttributionCache::default();
    // Events that were stored are duplicates when they come again, so the devices may send them whatever happened.
    let is_temporary = error.kind == ErrorKind::Unavailable;
    Err(if is_temporary { error.retry_after(5) } else { error })
}

/// Returns the same error for each of several batches. Only the first has its cause, which cannot be copied.
fn fail_all(error: Error, batches: usize) -> Vec<Result<BatchOutcome, Error>> {
    let again = || {
        let mut again = Error::new(error.kind, error.code, error.detail.clone());
        again.retry_after_s = error.retry_after_s;
        again
    };
    let mut outcomes: Vec<_> = (1..batches).map(|_| Err(again())).collect();
    outcomes.insert(0, Err(error));
    outcomes
}

fn reply(batches: Vec<Batch>, outcomes: Vec<Result<BatchOutcome, Error>>) {
    for (batch, outcome) in batches.into_iter().zip(outcomes) {
        // A caller that has gone will send the batch again and learn that everything is a duplicate.
        let _ = batch.reply.send(outcome);
    }
}

/// Finds the station of each event; an event without one is rejected.
fn resolve_stations<'a>(
    received: &[(EventSource, &'a ReceivedEvent)],
    links: &AttributionCache,
    outcomes: &mut [EventOutcome],
) -> Vec<ResolvedEvent<'a>> {
    let mut known = Vec::with_capacity(received.len());
    for (index, (source, arrival)) in received.iter().enumerate() {
        match station_of(*source, arrival, links) {
            Ok(station) => known.push(ResolvedEvent { index, station, received: arrival }),
            Err(invalid) => outcomes[index] = EventOutcome::Rejected(invalid),
        }
    }
    known
}

fn station_of(
    source: EventSource,
    event: &ReceivedEvent,
    links: &AttributionCache,
) -> Result<BaseStationId, Invalid> {
    let named = event.event.base_station.as_ref();
    match (source, named) {
        (EventSource::Station(own), None) => Ok(own),
        (EventSource::Station(own), Some(serial)) if links.station(serial) == Some(own) => Ok(own),
        (EventSource::Station(_), Some(_)) => {
            Err(Invalid::new("foreign_base_station", "base_station: is not the station of this token"))
        }
        (EventSource::AnyStation, None) => Err(station_required()),
        (EventSource::AnyStation, Some(serial)) => links.station(serial).ok_or_else(unknown_station),
    }
}

/// Rejects an event that does not name its station.
pub(super) fn station_required() -> Invalid {
    Invalid::new("required", "base_station: must be given")
}

/// Rejects an event of an unregistered station.
pub(super) fn unknown_station() -> Invalid {
    Invalid::new("unknown_base_station", "base_station: is not the serial of a registered base station")
}
