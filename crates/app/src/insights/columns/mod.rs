//! The facts of each brand in columns, from which queries are answered.
//!
//! A brand's columns are loaded at its first query: from saved ones, which all hosts share, or else from the rows, the newest first. A
//! query whose facts they do not have yet uses SQL if these are few, and otherwise waits. Before each query they catch up with the brand's
//! last change, so that clients read their own writes. A brand that readers query is also followed in the background, so that there is
//! never much to catch up with.

mod brand;
mod building;
mod catch_up_error;
mod config;
mod expiry;
pub(crate) mod fact_list;
mod following;
mod loaded;
mod loading;
mod manifest;
mod part_cache;
mod parts;
mod permits;
mod reach;
mod save_rest;
mod saver;
mod state;
mod watermarks;
mod windows;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use blobs::Blobs;
use cube::{Attributes, ScanContext};
use domain::insights::{Answer, Question};
use domain::{BrandId, Clock, Monotonic, Random, encode_hex, sorted};
use store::{Grant, Scope, Store};
use warehouse::CopyId;

use crate::insights::warehouse::Warehouse;
use crate::{Error, ErrorKind, Feed, FeedLags};
pub(crate) use brand::Asker;
use brand::BrandColumns;
use catch_up_error::CatchUpError;
pub use config::{AnalyticsConfig, Engine};
pub(crate) use expiry::expire_saved_columns;
use following::{note_outdated, warn_of_damage};
use loaded::LoadedColumns;
pub(crate) use manifest::SavedColumns;
use part_cache::PartCache;
use parts::{FetchError, PartSource, PartStore};
use permits::AnalyticsPermits;
pub(crate) use permits::busy;
use reach::NeededPeriod;

/// If catching up takes longer, the caller is asked to retry.
const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(2);

/// How often columns that turn out to be damaged or outdated are made anew for one query.
const MAX_ATTEMPTS: usize = 3;

/// The columns of a brand while nobody else uses or changes them.
type LockedColumns = tokio::sync::OwnedMutexGuard<Option<LoadedColumns>>;

#[derive(Clone, Debug)]
pub(crate) struct Columns(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: AnalyticsConfig,
    store: Store,
    /// Uses connections that requests do not use, for loading and following columns.
    reserved_store: Store,
    /// Distinguishes this process from others that save columns.
    worker: String,
    setup: ColumnsSetup,
    /// Both are created at the first query, because the command line runs none.
    parts: OnceLock<PartStore>,
    pool: OnceLock<rayon::ThreadPool>,
    permits: AnalyticsPermits,
    brands: Mutex<HashMap<BrandId, Arc<BrandColumns>>>,
}

/// Where columns are saved and cached, where their lag is reported, and what answers instead of them.
#[derive(Clone, Debug)]
pub(crate) struct ColumnsSetup {
    pub blobs: Blobs,
    /// The data folder.
    pub data: PathBuf,
    pub clock: Clock,
    pub random: Random,
    pub feed_lags: FeedLags,
    /// None if none is configured.
    pub warehouse: Option<Arc<Warehouse>>,
    pub store_id: String,
}

/// What was done about a scan that failed.
enum Recovery {
    /// It can be repeated.
    Fetched,
    /// The columns were dropped, and are loaded again.
    Discarded,
}

/// Columns that are to be scanned.
struct ColumnsToScan {
    snapshot: cube::Snapshot,
    /// The changes that they include.
    seq: i64,
    load: u64,
    source: Option<Arc<PartSource>>,
}

impl ColumnsToScan {
    fn new(of: &LoadedColumns) -> Self {
        Self { snapshot: of.snapshot(), seq: of.seq(), load: of.load(), source: of.source() }
    }
}

/// The handling of a query that columns do not answer.
pub(crate) enum Fallback {
    /// Use SQL: the columns are not loaded yet, or do not fit.
    Sql,
    /// Return the error to the caller.
    Failed(Error),
}

impl From<Error> for Fallback {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<store::Error> for Fallback {
    fn from(error: store::Error) -> Self {
        Self::Failed(error.into())
    }
}

#[macros::boxed]
impl Columns {
    pub fn new(config: AnalyticsConfig, store: Store, setup: ColumnsSetup) -> Self {
        Self(Arc::new(Inner {
            permits: AnalyticsPermits::new(&config),
            config,
            reserved_store: store.with_reserved_connections(),
            store,
            worker: encode_hex(&setup.random.bytes::<8>()),
            setup,
            parts: OnceLock::new(),
            pool: OnceLock::new(),
            brands: Mutex::default(),
        }))
    }

    /// Answers a question from the columns, and returns the sequence number that the answer includes.
    pub async fn answer_from_columns(
        &self,
        scope: &Scope,
        question: &Question,
        asker: Asker,
    ) -> Result<(Answer, i64), Fallback> {
        let (inner, period) = (&self.0, NeededPeriod::of_question(question));
        for _ in 0..MAX_ATTEMPTS {
            let (brand, mut held) = self.hold_current(scope, period, asker).await?;
            let Some(of) = held.as_mut() else { return Err(Fallback::Sql) };
            let attributes = match needs_kinds(question) {
                true => of.attributes(&inner.store, scope).await?,
                false => Arc::default(),
            };
            let columns = ColumnsToScan::new(of);
            brand.set_bytes(of.bytes());
            drop(held);
            inner.evict_idle_brands(scope.brand());
            loop {
                let (snapshot, attributes) = (columns.snapshot.clone(), Arc::clone(&attributes));
                match self.scan(scope.brand(), snapshot, question.clone(), attributes).await? {
                    Ok(answer) => return Ok((answer, columns.seq)),
                    Err(cube::Error::TooLarge { .. }) => return Err(too_many_groups().into()),
                    Err(cube::Error::Cancelled) => return Err(Fallback::Sql),
                    Err(fault) => match self.recover(&brand, scope, &columns, fault, period).await? {
                        Recovery::Fetched => {}
                        Recovery::Discarded => break,
                    },
                }
            }
        }
        Err(Fallback::Sql)
    }

    /// Fetches the parts that a scan misses, so that it can be repeated. Damaged columns are discarded. Fails if parts are out of reach for
    /// now.
    async fn recover(
        &self,
        brand: &BrandColumns,
        scope: &Scope,
        columns: &ColumnsToScan,
        fault: cube::Error,
        period: NeededPeriod,
    ) -> Result<Recovery, Fallback> {
        let fault = match (fault, &columns.source) {
            (cube::Error::NotAtHand(parts), Some(source)) => match self.fetch_in_time(source, &parts).await {
                Ok(()) => return Ok(Recovery::Fetched),
                Err(FetchError::Unreachable(reason)) => {
                    return Err(self.fall_back_from(scope, period, &reason).await);
                }
                Err(FetchError::Lost(reason)) => cube::Error::Unreadable(reason),
            },
            (fault, _) => fault,
        };
        warn_of_damage(scope.brand(), &fault);
        brand.discard(columns.load).await;
        Ok(Recovery::Discarded)
    }

    /// Fetches parts, all of them within the time that a question may take.
    async fn fetch_in_time(&self, source: &PartSource, parts: &[u64]) -> Result<(), FetchError> {
        let fetched = tokio::time::timeout(self.sql_timeout(), source.fetch(parts)).await;
        let too_slow = || FetchError::Unreachable("the object store is too slow".to_owned());
        fetched.unwrap_or_else(|_| Err(too_slow()))
    }

    /// Returns the columns of a brand, locked and as of its last change, with all facts of a period.
    async fn hold_current(
        &self,
        scope: &Scope,
        period: NeededPeriod,
        asker: Asker,
    ) -> Result<(Arc<BrandColumns>, LockedColumns), Fallback> {
        let inner = &self.0;
        if inner.config.engine != Engine::Columns {
            return Err(Fallback::Sql);
        }
        let brand = inner.brand(scope.brand());
        brand.touch(asker);
        for _ in 0..MAX_ATTEMPTS {
            if brand.is_too_large() {
                break;
            }
            let held = self.wait_for_columns(&brand, scope, period).await?;
            let Some(mut held) = held else { break };
            let Some(of) = held.as_mut() else { break };
            let began_at = inner.setup.clock.monotonic();
            let caught_up = tokio::time::timeout(CATCH_UP_TIMEOUT, of.catch_up(&inner.store, scope)).await;
            match caught_up {
                Ok(Ok(())) => {
                    inner.note_caught_up(&brand, scope.brand(), began_at);
                    return Ok((brand, held));
                }
                // They are made anew.
                Ok(Err(CatchUpError::Columns(fault))) => {
                    warn_of_damage(scope.brand(), &fault);
                    brand.discard_held(&mut held);
                }
                Ok(Err(CatchUpError::Outdated(reason))) => {
                    note_outdated(scope.brand(), reason);
                    *held = None;
                    brand.set_bytes(0);
                }
                Ok(Err(CatchUpError::Unreachable(reason))) => {
                    drop(held);
                    return Err(self.fall_back_from(scope, period, &reason).await);
                }
                Ok(Err(CatchUpError::Store(error))) => return Err(error.into()),
                Err(_) => {
                    let detail = "The latest changes could not be counted in time; try again.";
                    let error = Error::new(ErrorKind::Unavailable, "numbers_behind", detail);
                    return Err(error.retry_after(1).into());
                }
            }
        }
        Err(Fallback::Sql)
    }

    /// Scans on the threads of the columns; stops when the caller goes away.
    async fn scan(
        &self,
        brand: BrandId,
        snapshot: cube::Snapshot,
        question: Question,
        attributes: Arc<Attributes>,
    ) -> Result<Result<Answer, cube::Error>, Error> {
        let place = self.0.permits.scan_permit(brand).await?;
        let gone = CancelOnDrop(Arc::default());
        let (inner, flag) = (Arc::clone(&self.0), Arc::clone(&gone.0));
        let max_memory_bytes = self.max_query_bytes();
        let scanned = tokio::task::spawn_blocking(move || {
            // Held by the thread: a caller who goes away does not free a permit that is still in use.
            let _place = place;
            let scan = ScanContext {
                pool: inner.pool()?,
                attributes: &attributes,
                max_memory_bytes,
                is_cancelled: &|| flag.load(Ordering::Relaxed),
            };
            Ok(snapshot.answer(&question, &scan))
        });
        scanned.await.map_err(Error::internal)?
    }

    /// Acquires a permit for an SQL query, which holds a connection for long; fails immediately if there is none.
    pub fn try_sql_permit(&self, brand: BrandId) -> Result<Grant<BrandId>, Error> {
        self.0.permits.try_sql_permit(brand)
    }

    /// The same for queries that only SQL can answer: waits for a permit as long as a query waits for columns.
    pub async fn sql_permit(&self, brand: BrandId) -> Result<Grant<BrandId>, Error> {
        self.0.permits.sql_permit(brand).await
    }

    /// Deletes the files of the cache on this host that were not used for long, also if there is no cache any more.
    pub async fn remove_unused_cached_parts(&self) -> Result<(), Error> {
        let folder = cache_folder(&self.0.setup.data);
        let removed = tokio::task::spawn_blocking(move || part_cache::remove_unused(&folder)).await;
        removed.map_err(Error::internal)?.map_err(Error::internal)
    }

    pub fn engine(&self) -> Engine {
        self.0.config.engine
    }

    /// Whether the columns of a brand exceed the memory limit of a brand, or are taken to do so for now.
    pub fn is_too_large(&self, brand: BrandId) -> bool {
        self.0.brand(brand).is_too_large()
    }

    /// Whether it is unknown if a brand, whose columns may be loaded, has a copy in the warehouse.
    pub fn must_learn_of_copy(&self, brand: BrandId) -> bool {
        self.engine() == Engine::Columns && !self.0.brand(brand).is_copy_known()
    }

    /// Records which copy a brand has in the warehouse, if any.
    pub fn note_copy(&self, brand: BrandId, copy: Option<CopyId>) {
        self.0.brand(brand).note_copy(copy);
    }

    pub fn sql_timeout(&self) -> Duration {
        Duration::from_secs(self.0.config.sql_timeout_s.into())
    }

    /// The maximum memory of one query on this host.
    pub fn max_query_bytes(&self) -> usize {
        self.0.config.max_query_memory_mb as usize * 1_000_000
    }

    /// Returns the number of loaded brands and their size in bytes, for /metrics.
    pub fn stats(&self) -> (usize, usize) {
        let brands = self.0.brands();
        let held: Vec<usize> =
            brands.values().map(|brand| brand.bytes()).filter(|bytes| *bytes > 0).collect();
        (held.len(), held.iter().sum())
    }
}

/// Cancels a scan when its caller goes away.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Inner {
    fn brands(&self) -> std::sync::MutexGuard<'_, HashMap<BrandId, Arc<BrandColumns>>> {
        self.brands.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn brand(&self, id: BrandId) -> Arc<BrandColumns> {
        Arc::clone(self.brands().entry(id).or_default())
    }

    /// Records that columns have everything that was committed before this time. Only while they are followed: nobody would notice that
    /// others fall behind, which matters to no question, because each catches up first.
    fn note_caught_up(&self, brand: &BrandColumns, id: BrandId, began_at: Monotonic) {
        if brand.is_followed() {
            self.setup.feed_lags.complete_as_of(Feed::Columns, id, began_at);
        }
    }

    /// Returns where parts are saved and cached. Objects that are files on this host are not cached.
    fn part_store(&self) -> PartStore {
        let store = self.parts.get_or_init(|| {
            let ColumnsSetup { blobs, data, clock, random, .. } = self.setup.clone();
            let cache =
                PartCache::new(&cache_folder(&data), u64::from(self.config.max_part_cache_mb) * 1_000_000);
            let is_cached = !blobs.is_local() && self.config.max_part_cache_mb > 0;
            PartStore { blobs, cache: is_cached.then(|| Arc::new(cache)), clock, random }
        });
        store.clone()
    }

    /// Returns the threads that scan.
    fn pool(&self) -> Result<&rayon::ThreadPool, Error> {
        if let Some(pool) = self.pool.get() {
            return Ok(pool);
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.config.threads as usize)
            .thread_name(|number| format!("columns-{number}"))
            .build()
            .map_err(Error::internal)?;
        Ok(self.pool.get_or_init(|| pool))
    }

    fn max_bytes(&self) -> usize {
        self.config.max_memory_mb as usize * 1_000_000
    }

    /// Returns the memory limit of one brand; the rest remains for the columns of others.
    fn max_brand_bytes(&self) -> usize {
        self.config.max_memory_per_brand_mb() as usize * 1_000_000
    }

    /// Drops the columns of the brands that have been idle longest, until the rest fits. They are loaded again when they are needed.
    fn evict_idle_brands(&self, keep: BrandId) {
        let mut others = Vec::new();
        let mut total = 0;
        for (id, brand) in self.brands().iter() {
            total += brand.bytes();
            if *id != keep && brand.bytes() > 0 {
                // Read once, because questions change it meanwhile.
                others.push((brand.last_used_at(), Arc::clone(brand)));
            }
        }
        sorted::sort_by_key(&mut others, |(last_used_at, _)| *last_used_at);
        for (_, brand) in others {
            if total <= self.max_bytes() {
                return;
            }
            total -= brand.try_evict();
        }
    }
}

/// Returns the folder of cached parts in the data folder.
fn cache_folder(data: &Path) -> PathBuf {
    data.join("columns")
}

fn too_many_groups() -> Error {
    let detail = "The result would exceed the memory limit; ask for fewer groups or a shorter period.";
    Error::new(ErrorKind::Invalid, "too_many_groups", detail)
}

fn needs_kinds(question: &Question) -> bool {
    use domain::insights::Dimension;
    let kinds = [Dimension::WorksiteKind, Dimension::MachineKind, Dimension::PersonKind];
    question.filter.needs_kinds()
        || question.groupings.iter().any(|grouping| grouping.dimensions.iter().any(|by| kinds.contains(by)))
}
