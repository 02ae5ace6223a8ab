//! Facts follow the links: when one is corrected, what lies after its `effective_from` is attributed anew.
//!
//! Done as a job, a few hundred rows a transaction, so that nothing that comes in waits for it. What the job looks at was either
//! attributed before the correction, and then it is changed here, or after, and then it is right already. It may be begun
//! again at any time: what is right is left alone.

use std::time::Duration;

use domain::{BaseStationId, IncursionId, MachineId, Span, Timestamp};
use store::{ChangeCause, RuntimeWindow, ScanBy, Scope, StoredIncursion, Tx};
use tokio::sync::MutexGuard;

use crate::facts::ingest::{AttributionCache, LinkLookup, cut_runtime};
use crate::platform::jobs::{LinkChange, Reattribution};
use crate::{App, Error};

/// How many incursions are looked at in one go: changing all of them takes a small part of 50 ms.
const PAGE: i64 = 125;

/// How often a page lets what comes in go first: then it goes on all the same, so that steady ingest cannot stop it.
const MAX_WAITS: usize = 20;

/// How long one such wait takes.
const WAIT: Duration = Duration::from_millis(1);

/// How much time is looked at in one go where an index helps only with that.
const WINDOW: Span = Span::minutes(24 * 60);

impl App {
    /// Lets facts follow a link that changed from a moment on. Whoever changes one calls this in the same transaction, under the
    /// brand's lock. Where no facts lie after that moment, there is nothing to do: what comes later is attributed by the link as
    /// it is then.
    pub(crate) async fn enqueue_reattribution(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        change: LinkChange,
        from: Timestamp,
    ) -> Result<(), Error> {
        let is_needed =
            tx.incursions(scope).any_since(from).await? || tx.runtime(scope).any_since(from).await?;
        if is_needed {
            let brand = scope.brand();
            self.enqueue(tx, Some(brand), &Reattribution { brand, change, from }).await?;
        }
        Ok(())
    }

    /// Attributes anew what a change of links touched. Tells how many incursions and pieces of runtime it changed.
    pub async fn reattribute(&self, job: &Reattribution) -> Result<u64, Error> {
        let scope = self.scope_of(job.brand);
        let mut links = AttributionCache::default();
        let mut changed = 0;
        for by in self.affected_scans(&scope, job).await? {
            changed += self.reattribute_incursions(&scope, &mut links, by, job.from).await?;
        }
        for station in self.stations_with_runtime(&scope, job).await? {
            changed += self.reattribute_runtime(&scope, &mut links, station, job.from).await?;
        }
        Ok(changed)
    }

    /// The walks on which everything is met that a change may have touched.
    async fn affected_scans(&self, scope: &Scope, job: &Reattribution) -> Result<Vec<ScanBy>, Error> {
        Ok(match job.change {
            LinkChange::Station(station) => vec![ScanBy::Station(station)],
            LinkChange::Tag(tag) => vec![ScanBy::Tag(tag), ScanBy::OperatorTag(tag)],
            LinkChange::Machine(machine) => {
                let stations = self.stations_ever_on(scope, machine).await?;
                stations.into_iter().map(ScanBy::Station).collect()
            }
            LinkChange::Sites => vec![ScanBy::Time],
        })
    }

    async fn stations_ever_on(&self, scope: &Scope, machine: MachineId) -> Result<Vec<BaseStationId>, Error> {
        Ok(self.store.read().await?.fact_links(scope).stations_ever_on(machine).await?)
    }

    async fn stations_with_runtime(
        &self,
        scope: &Scope,
        job: &Reattribution,
    ) -> Result<Vec<BaseStationId>, Error> {
        let mut tx = self.store.read().await?;
        Ok(match job.change {
            LinkChange::Station(station) => vec![station],
            LinkChange::Tag(tag) => tx.runtime(scope).stations_driven_with(tag, job.from).await?,
            LinkChange::Machine(machine) => tx.fact_links(scope).stations_ever_on(machine).await?,
            LinkChange::Sites => tx.runtime(scope).stations_since(job.from).await?,
        })
    }

    async fn reattribute_incursions(
        &self,
        scope: &Scope,
        links: &mut AttributionCache,
        by: ScanBy,
        from: Timestamp,
    ) -> Result<u64, Error> {
        let mut changed = 0;
        // Events may be a few minutes ahead.
        let end = self.clock.now() + Span::minutes(10);
        let (mut after, mut window_end) = ((from, IncursionId(0)), from);
        while window_end < end {
            window_end = match by {
                ScanBy::OperatorTag(_) | ScanBy::Time | ScanBy::Open => window_end + WINDOW,
                ScanBy::Station(_) | ScanBy::Tag(_) => end,
            };
            loop {
                let _turn = self.acquire_reattribution_lock().await;
                let mut tx = self.store.read().await?;
                let page = tx.incursion_scans(scope).next_page(by, after, window_end, PAGE).await?;
                drop(tx);
                let Some(last) = page.last() else { break };
                after = (last.row.started_at, last.id);
                let is_last = i64::try_from(page.len()).unwrap_or(PAGE) < PAGE;
                changed += self.reattribute_page(scope, links, page).await?;
                if is_last {
                    break;
                }
            }
            after = after.max((window_end, IncursionId(0)));
        }
        Ok(changed)
    }

    /// Waits until no other job looks at a page, and until what comes in is kept.
    async fn acquire_reattribution_lock(&self) -> MutexGuard<'_, ()> {
        let turn = self.reattribution_lock.lock().await;
        self.yield_to_ingest().await;
        turn
    }

    async fn yield_to_ingest(&self) {
        for _ in 0..MAX_WAITS {
            if self.ingest_state().queued == 0 {
                break;
            }
            tokio::time::sleep(WAIT).await;
        }
    }

    async fn reattribute_page(
        &self,
        scope: &Scope,
        links: &mut AttributionCache,
        page: Vec<StoredIncursion>,
    ) -> Result<u64, Error> {
        let lookup = LinkLookup::of_rows(&page);
        let version = self.store.read().await?.counters(scope).await?.registry_version;
        self.refresh_attribution_cache(scope, links, version, &lookup).await?;
        if changed_attributions(links, &page).is_empty() {
            return Ok(0);
        }
        self.yield_to_ingest().await;
        let mut tx = self.store.begin().await?;
        let count = i64::try_from(page.len()).unwrap_or(PAGE);
        let counters = tx.lock_and_allocate_seq(scope, count).await?;
        // Now nobody else changes links: what is written is right.
        self.refresh_attribution_cache(scope, links, counters.registry_version, &lookup).await?;
        let mut changed = changed_attributions(links, &page);
        for (place, (kept, _)) in changed.iter_mut().enumerate() {
            kept.row.seq = counters.last_seq - count + 1 + i64::try_from(place).unwrap_or(0);
        }
        // One that was changed meanwhile is left alone: whoever changed it attributed it by links that are as new.
        let replaced =
            tx.incursions(scope).replace(&changed, ChangeCause::Attribution, self.clock.now()).await?;
        tx.commit().await?;
        Ok(replaced)
    }

    async fn refresh_attribution_cache(
        &self,
        scope: &Scope,
        links: &mut AttributionCache,
        version: i64,
        lookup: &LinkLookup,
    ) -> Result<(), Error> {
        let index = self.site_index_at(scope, version).await?;
        links.refresh(&mut self.store.read().await?, scope, version, index, lookup).await
    }

    async fn reattribute_runtime(
        &self,
        scope: &Scope,
        links: &mut AttributionCache,
        station: BaseStationId,
        from: Timestamp,
    ) -> Result<u64, Error> {
        let mut changed = 0;
        let end = self.clock.now() + Span::minutes(10);
        let mut at = from;
        while at < end {
            let next = self.store.read().await?.runtime(scope).next_report(station, at).await?;
            // Stretches without runtime need no look.
            let Some(next) = next else { break };
            at = at.max(next);
            let until = at + WINDOW;
            let _turn = self.acquire_reattribution_lock().await;
            let mut tx = self.store.begin().await?;
            let version = tx.lock_and_allocate_seq(scope, 0).await?.registry_version;
            let wanted = LinkLookup::of_ids([station], []);
            self.refresh_attribution_cache(scope, links, version, &wanted).await?;
            let window = RuntimeWindow { base_station: station, from: at, to: until };
            let count = cut_runtime(&mut tx, scope, links, &[window], self.clock.now()).await?;
            if count > 0 {
                tx.commit().await?;
            }
            changed += u64::try_from(count).unwrap_or(0);
            at = until;
        }
        Ok(changed)
    }
}

/// The rows that are other people's, machines' or sites' by these links, each with the number it had.
fn changed_attributions(links: &AttributionCache, page: &[StoredIncursion]) -> Vec<(StoredIncursion, i64)> {
    let mut changed = Vec::new();
    for kept in page {
        let row = &kept.row;
        let attribution =
            links.attribute(row.base_station, row.tag, row.operator_tag, row.position, row.started_at);
        if attribution != row.attribution {
            let mut corrected = kept.clone();
            corrected.row.attribution = attribution;
            changed.push((corrected, row.seq));
        }
    }
    changed
}
