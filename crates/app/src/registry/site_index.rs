//! An in-memory index of each brand's boundaries that finds the worksite of a position. It follows the registry version.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::{BrandId, Timestamp, WorksiteId};
use geography::{Boundary, BoundaryTerm, Position, SiteIndex};
use store::{DatedBoundary, Scope};

use crate::{App, Error};

/// Maximum number of brands whose index is in memory.
const MAX_BRANDS: usize = 256;

/// The indexes of this process, one per brand.
#[derive(Default)]
pub(crate) struct SiteIndexes(Mutex<HashMap<BrandId, Arc<tokio::sync::Mutex<CachedIndex>>>>);

/// A brand's index with the rows it was built from.
struct CachedIndex {
    /// The timeline of the server that the rows were read from.
    timeline: i64,
    /// The registry version that the index reflects.
    registry_version: i64,
    /// The boundaries of each worksite, with the version of the worksite at which they were read.
    sites: HashMap<WorksiteId, (i64, Vec<BoundaryTerm>)>,
    index: Arc<SiteIndex>,
}

impl CachedIndex {
    fn empty_on(timeline: i64) -> Self {
        let (sites, index) = (HashMap::new(), Arc::new(SiteIndex::new([])));
        Self { timeline, registry_version: 0, sites, index }
    }

    fn has_reached(&self, version: i64, timeline: i64) -> bool {
        self.registry_version >= version && self.timeline == timeline
    }
}

impl SiteIndexes {
    fn entry(&self, brand: BrandId) -> Arc<tokio::sync::Mutex<CachedIndex>> {
        let mut brands = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if brands.len() >= MAX_BRANDS && !brands.contains_key(&brand) {
            let one = brands.keys().next().copied();
            one.and_then(|one| brands.remove(&one));
        }
        let none = || CachedIndex::empty_on(0);
        Arc::clone(brands.entry(brand).or_insert_with(|| Arc::new(tokio::sync::Mutex::new(none()))))
    }
}

#[macros::boxed]
impl App {
    /// Finds the worksite at a position and time. If there are several, the one with the smallest area is returned. Archived worksites
    /// do not count.
    pub async fn find_site_at(
        &self,
        scope: &Scope,
        position: Position,
        at: Timestamp,
    ) -> Result<Option<WorksiteId>, Error> {
        Ok(self.site_index(scope.brand()).await?.site_at(position, at))
    }

    /// Returns the brand's index at the current registry version, whichever process wrote last.
    pub(crate) async fn site_index(&self, brand: BrandId) -> Result<Arc<SiteIndex>, Error> {
        let scope = self.scope_of(brand);
        let now = self.store.read().await?.counters(&scope).await?.registry_version;
        let cached = self.site_indexes.entry(brand);
        // Locked while it is rebuilt, so that concurrent callers wait for the same rebuild.
        let mut cached = cached.lock().await;
        if !cached.has_reached(now, self.store.server_timeline()) {
            self.refresh_sites(&scope, &mut cached).await?;
        }
        Ok(Arc::clone(&cached.index))
    }

    /// Whether the index has reached a registry version, as far as can be determined without waiting.
    pub(crate) fn has_site_index_at(&self, brand: BrandId, version: i64) -> bool {
        let timeline = self.store.server_timeline();
        self.site_indexes.entry(brand).try_lock().is_ok_and(|cached| cached.has_reached(version, timeline))
    }

    /// Returns the brand's index at a registry version that the caller has read. A caller that holds the
    /// brand's lock has refreshed the index before its transaction. If the registry has changed since then,
    /// boundaries are read here, on a second connection beside that transaction: other requests share the
    /// index, so it must not contain rows that are not committed.
    pub(crate) async fn site_index_at(&self, scope: &Scope, version: i64) -> Result<Arc<SiteIndex>, Error> {
        let cached = self.site_indexes.entry(scope.brand());
        let mut cached = cached.lock().await;
        if !cached.has_reached(version, self.store.server_timeline()) {
            self.refresh_sites(scope, &mut cached).await?;
        }
        Ok(Arc::clone(&cached.index))
    }

    /// Reads what has changed. The registry version is read first, so that a later commit only makes the next caller read again.
    async fn refresh_sites(&self, scope: &Scope, cached: &mut CachedIndex) -> Result<(), Error> {
        let timeline = self.store.server_timeline();
        if cached.timeline != timeline {
            // The server before may have had versions that this one lacks, or will give to something else.
            *cached = CachedIndex::empty_on(timeline);
        }
        let mut tx = self.store.read().await?;
        let registry_version = tx.counters(scope).await?.registry_version;
        let versions = tx.worksites(scope).versions().await?;
        let is_known = |id, version| cached.sites.get(&id).is_some_and(|(known, _)| *known == version);
        let changed: Vec<_> = versions.iter().filter(|site| !is_known(site.id, site.version)).collect();
        if changed.is_empty() && versions.len() == cached.sites.len() {
            cached.registry_version = registry_version;
            return Ok(());
        }
        let rows = if cached.sites.is_empty() {
            tx.worksite_terms(scope).boundaries(None).await?
        } else {
            let mut rows = Vec::new();
            for site in &changed {
                rows.extend(tx.worksite_terms(scope).boundaries(Some(site.id)).await?);
            }
            rows
        };
        drop(tx);
        // Parsing thousands of vertices must not block the threads that serve requests.
        let read = self.compute(move || parse_boundaries(rows)).await?;
        let mut fresh: HashMap<WorksiteId, Vec<BoundaryTerm>> = HashMap::new();
        for (site, dated) in read {
            fresh.entry(site).or_default().push(dated);
        }
        let mut previous_sites = std::mem::take(&mut cached.sites);
        cached.sites = versions
            .iter()
            .map(|site| {
                let old = previous_sites.remove(&site.id).filter(|(version, _)| *version == site.version);
                let boundaries =
                    old.map_or_else(|| fresh.remove(&site.id).unwrap_or_default(), |(_, old)| old);
                (site.id, (site.version, boundaries))
            })
            .collect();
        let all = cached.sites.iter().flat_map(|(id, (_, all))| all.iter().map(|one| (*id, one.clone())));
        cached.index = Arc::new(SiteIndex::new(all));
        cached.registry_version = registry_version;
        Ok(())
    }
}

pub(crate) fn parse_boundaries(rows: Vec<DatedBoundary>) -> Vec<(WorksiteId, BoundaryTerm)> {
    let read = |row: DatedBoundary| {
        let boundary = Boundary::from_stored(&row.boundary.text, row.boundary.area_m2);
        if boundary.is_none() {
            tracing::error!("cannot read the boundary of worksite {} from {} on", row.worksite, row.from);
        }
        Some((row.worksite, BoundaryTerm { from: row.from, to: row.to, boundary: Arc::new(boundary?) }))
    };
    rows.into_iter().filter_map(read).collect()
}
