//! The writer of a brand: takes what waits, and brings it to the store in one commit.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};

use domain::{BaseStationId, BrandId, Invalid, Report, Timestamp};
use futures_util::FutureExt;
use store::{Holder, Scope, Tx};
use tokio::sync::{mpsc, oneshot};

use super::links::{Links, Wanted};
use super::stages::Stages;
use super::{Arrival, MOST_EVENTS, Room, Speaker, Taken, Verdict, device_events, gps, incursions, runtime};
use crate::{App, Error, Kind};

/// A batch that waits for its commit.
pub(super) struct Batch {
    pub speaker: Speaker,
    pub arrivals: Vec<Arrival>,
    pub answer: oneshot::Sender<Result<Taken, Error>>,
    pub _room: Room,
}

/// An event whose station is known.
pub(super) struct Known<'a> {
    /// Where it stands among all events of the commit.
    pub index: usize,
    /// Whose it is.
    pub station: BaseStationId,
    /// What came.
    pub arrival: &'a Arrival,
}

/// What every part of the intake needs.
pub(super) struct Intaking<'a> {
    pub app: &'a App,
    pub scope: &'a Scope,
    pub tx: &'a mut Tx,
    pub links: &'a mut Links,
    pub verdicts: &'a mut [Verdict],
    pub now: Timestamp,
    /// The first of the numbers taken for incursions.
    pub first_seq: i64,
    /// The last number taken so far.
    pub last_seq: i64,
}

impl App {
    pub(super) fn start_writer(self: &Arc<Self>, brand: BrandId) -> mpsc::UnboundedSender<Batch> {
        let (sender, receiver) = mpsc::unbounded_channel();
        // Weak, so that the queues end with the application.
        tokio::spawn(Holder::job(brand).run(write(Arc::downgrade(self), brand, receiver)));
        sender
    }

    /// Brings batches to the store in one transaction.
    async fn commit_batches(
        &self,
        scope: &Scope,
        links: &mut Links,
        batches: &[&Batch],
    ) -> Result<Vec<Taken>, Error> {
        let arrivals: Vec<(Speaker, &Arrival)> = batches
            .iter()
            .flat_map(|batch| batch.arrivals.iter().map(|arrival| (batch.speaker, arrival)))
            .collect();
        let is_incursion =
            |arrival: &&(Speaker, &Arrival)| matches!(arrival.1.event.report, Report::Incursion(_));
        let incursions = arrivals.iter().filter(is_incursion).count();
        let now = self.clock.now();
        let mut stages = Stages::new(&self.clock);
        let mut verdicts = vec![Verdict::Accepted; arrivals.len()];
        let wanted = Wanted::of(&arrivals);

        let numbers = i64::try_from(incursions).unwrap_or(i64::MAX);
        let mut tx = self.store.begin().await?;
        // Taken first: from here to the commit nobody else changes the brand's facts or registry.
        let mut counters = tx.take_seq(scope, numbers).await?;
        if !self.has_site_index_at(scope.brand(), counters.registry_version) {
            // Many boundaries take a while to read, during which other brands would wait for this transaction.
            drop(tx);
            self.site_index(scope.brand()).await?;
            tx = self.store.begin().await?;
            counters = tx.take_seq(scope, numbers).await?;
        }
        let index = self.site_index_at(scope, counters.registry_version).await?;
        links
            .bring_up(&mut self.store.read().await?, scope, counters.registry_version, index, &wanted)
            .await?;
        let known = resolve(&arrivals, links, &mut verdicts);
        links.register_unknown(&mut tx, scope, &known, now).await?;
        stages.end("links");
        let mut intaking = Intaking {
            app: self,
            scope,
            tx: &mut tx,
            links,
            verdicts: &mut verdicts,
            now,
            first_seq: counters.last_seq - i64::try_from(incursions).unwrap_or(0) + 1,
            last_seq: counters.last_seq,
        };
        incursions::take(&mut intaking, &known).await?;
        stages.end("incursions");
        runtime::take(&mut intaking, &known).await?;
        stages.end("runtime");
        gps::take(&mut intaking, &known).await?;
        stages.end("gps");
        device_events::take(&mut intaking, &known).await?;
        stages.end("device_events");
        let seq = intaking.last_seq;
        let heard = links.heard_of(&mut tx, scope, &known, now).await?;
        stages.end("heard_of");
        tx.commit().await?;
        stages.end("commit");
        links.remember(heard);
        self.count_taken(&verdicts);
        stages.tell(arrivals.len(), incursions);

        let mut rest = verdicts.into_iter();
        let taken =
            |batch: &&Batch| Taken { verdicts: rest.by_ref().take(batch.arrivals.len()).collect(), seq };
        Ok(batches.iter().map(taken).collect())
    }
}

/// Takes batches from the queue until the application is gone.
async fn write(app: Weak<App>, brand: BrandId, mut queue: mpsc::UnboundedReceiver<Batch>) {
    let mut links = Links::default();
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
        let mut events = first.arrivals.len();
        let mut batches = vec![first];
        while let Ok(batch) = queue.try_recv() {
            events += batch.arrivals.len();
            if events > MOST_EVENTS {
                next = Some(batch);
                break;
            }
            batches.push(batch);
        }
        let scope = app.scope_of(brand);
        let done = AssertUnwindSafe(answer(&app, &scope, &mut links, batches)).catch_unwind().await;
        if done.is_err() {
            // Whoever waited is told so by the end of their channel; what is kept here may be half done.
            tracing::error!("the intake of brand {brand} panicked");
            links = Links::default();
        }
    }
}

async fn answer(app: &App, scope: &Scope, links: &mut Links, batches: Vec<Batch>) {
    let all: Vec<&Batch> = batches.iter().collect();
    let outcomes: Vec<Result<Taken, Error>> = match app.commit_batches(scope, links, &all).await {
        Ok(taken) => taken.into_iter().map(Ok).collect(),
        Err(error) => {
            *links = Links::default();
            if batches.len() == 1 || error.kind == Kind::Unavailable {
                let again = || {
                    let mut again = Error::new(error.kind, error.code, error.detail.clone());
                    again.retry_after_s = error.retry_after_s;
                    again
                };
                let mut outcomes: Vec<_> = batches.iter().skip(1).map(|_| Err(again())).collect();
                outcomes.insert(0, Err(error));
                outcomes
            } else {
                // One of them is at fault; the others must not pay for it.
                tracing::warn!("{} batches could not share a commit: {error}", batches.len());
                let mut outcomes = Vec::new();
                for batch in &batches {
                    let alone = app.commit_batches(scope, links, &[batch]).await;
                    if alone.is_err() {
                        *links = Links::default();
                    }
                    outcomes.push(alone.map(|mut taken| taken.remove(0)));
                }
                outcomes
            }
        }
    };
    for (batch, outcome) in batches.into_iter().zip(outcomes) {
        // A caller who has gone misses nothing: it will send again, and be told that all is known.
        let _ = batch.answer.send(outcome);
    }
}

/// Finds the station of each event; one without is refused.
fn resolve<'a>(
    arrivals: &[(Speaker, &'a Arrival)],
    links: &Links,
    verdicts: &mut [Verdict],
) -> Vec<Known<'a>> {
    let mut known = Vec::with_capacity(arrivals.len());
    for (index, (speaker, arrival)) in arrivals.iter().enumerate() {
        match station_of(*speaker, arrival, links) {
            Ok(station) => known.push(Known { index, station, arrival }),
            Err(invalid) => verdicts[index] = Verdict::Rejected(invalid),
        }
    }
    known
}

fn station_of(speaker: Speaker, arrival: &Arrival, links: &Links) -> Result<BaseStationId, Invalid> {
    let named = arrival.event.base_station.as_ref();
    match (speaker, named) {
        (Speaker::Station(own), None) => Ok(own),
        (Speaker::Station(own), Some(serial)) if links.station(serial) == Some(own) => Ok(own),
        (Speaker::Station(_), Some(_)) => {
            Err(Invalid::new("foreign_base_station", "base_station: is not the station of this token"))
        }
        (Speaker::Any, None) => Err(no_station()),
        (Speaker::Any, Some(serial)) => links.station(serial).ok_or_else(unknown_station),
    }
}

/// Refuses an event that does not say whose it is.
pub(super) fn no_station() -> Invalid {
    Invalid::new("required", "base_station: must be given")
}

/// Refuses an event of a station that nobody registered.
pub(super) fn unknown_station() -> Invalid {
    Invalid::new("unknown_base_station", "base_station: is not the serial of a registered base station")
}
