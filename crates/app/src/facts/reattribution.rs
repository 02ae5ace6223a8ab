//! Reattribution: when a link is corrected, the facts after its `effective_from` are attributed again.
//!
//! It is a job that changes a few hundred rows per transaction, so that ingest does not wait for it. Each row was either attributed
//! before the correction, and is changed here, or after it, and is correct already. The job may be started again at any time.

use std::time::Duration;

use domain::{BaseStationId, ChangeCause, IncursionId, MachineId, Span, StoredIncursion, Timestamp};
use store::{RuntimeWindow, ScanBy, Scope, Tx};
use tokio::sync::MutexGuard;

use crate::facts::ingest::{AttributionCache, LinkLookup, cut_runtime};
use crate::platform::jobs::{LinkChange, Reattribution};
use crate::{App, Error};

/// Incursions per transaction: changing all of them takes a small part of 50 ms.
const PAGE: i64 = 125;

/// Maximum number of waits for ingest per page; then the job continues, so that steady ingest cannot stop it.
const MAX_WAITS: usize = 20;

/// Length of one such wait.
const WAIT: Duration = Duration::from_millis(1);

/// Length of the window that is scanned at a time where only an index on time helps.
const WINDOW: Span = Span::minutes(24 * 60);

#[macros::boxed]
impl App {
    /// Enqueues the reattribution of the facts that a changed link affects from a time on. The caller is in the transaction that
    /// changes the link and holds the brand's lock. Without facts after that time there is nothing to do: later facts are attributed
    /// by the new link anyway.
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

    /// Reattributes the facts that a changed link affects. Returns the number of incursions and runtime pieces it changed.
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

    /// Returns the scans that together cover everything a change may have affected.
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
        // Events may be a few minutes ahead of the clock.
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

    /// Waits until no other job works on a page and the ingest queue is empty.
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
        let index = self.site_index_at(scope, version).await?;
        links.refresh(&mut self.store.read().await?, scope, version, index, &lookup).await?;
        if changed_attributions(links, &page).is_empty() {
            return Ok(0);
        }
        self.yield_to_ingest().await;
        let mut tx = self.store.begin().await?;
        let count = i64::try_from(page.len()).unwrap_or(PAGE);
        let counters = tx.lock_and_allocate_seq(scope, count).await?;
        // From here on nobody else changes links, so that the written attribution is correct.
        let index = tx.keep_alive_while(self.site_index_at(scope, counters.registry_version)).await??;
        links.refresh(&mut tx, scope, counters.registry_version, index, &lookup).await?;
        let mut changed = changed_attributions(links, &page);
        for (place, (kept, _)) in changed.iter_mut().enumerate() {
            kept.row.seq = counters.last_seq - count + 1 + i64::try_from(place).unwrap_or(0);
        }
        // A row that has changed meanwhile is not replaced: it was attributed by links that are just as new.
        let replaced =
            tx.incursions(scope).replace(&changed, ChangeCause::Attribution, self.clock.now()).await?;
        tx.commit().await?;
        Ok(replaced)
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
            // Time without runtime is skipped.
            let Some(next) = next else { break };
            at = at.max(next);
            let until = at + WINDOW;
            let _turn = self.acquire_reattribution_lock().await;
            let mut tx = self.store.begin().await?;
            let mut version = tx.lock_and_allocate_seq(scope, 0).await?.registry_version;
            if !self.has_site_index_at(scope.brand(), version) {
                // Reading many boundaries takes a while, so it is done outside the transaction, as by the ingest writer.
                drop(tx);
                self.site_index(scope.brand()).await?;
                tx = self.store.begin().await?;
                version = tx.lock_and_allocate_seq(scope, 0).await?.registry_version;
            }
            let wanted = LinkLookup::of_ids([station], []);
            let index = tx.keep_alive_while(self.site_index_at(scope, version)).await??;
            links.refresh(&mut tx, scope, version, index, &wanted).await?;
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

/// Returns the rows whose attribution differs by these links, each with the sequence number it had.
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
