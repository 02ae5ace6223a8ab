//! The facts of each brand in columns, from which queries are answered.
//!
//! A brand's columns are loaded at its first query: from their files if there are any, otherwise from the rows. Until they are
//! loaded, queries use SQL. Before each query they catch up with the brand's last change, so that clients read their own writes. A
//! brand that is being queried is also followed in the background, so that there is never much to catch up with.

mod brand;
mod config;
pub(crate) mod fact_list;
mod files;
mod loaded;
mod permits;
mod saver;
mod state;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use cube::{Attributes, ScanContext};
use domain::BrandId;
use domain::insights::{Answer, Question};
use store::{Grant, Scope, Store};

use crate::{Error, ErrorKind};
use brand::BrandColumns;
pub use config::{AnalyticsConfig, Engine};
use files::ColumnFiles;
use loaded::LoadedColumns;
use permits::AnalyticsPermits;
use saver::{ColumnSaver, Origin};

/// Intervals at which a followed brand catches up: right after a query, and long after it. Queries catch up by themselves, too.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(50);
const MAX_FOLLOW_INTERVAL: Duration = Duration::from_secs(5);
/// A brand is followed for this long after its last query.
const FOLLOW_IDLE_LIMIT: Duration = Duration::from_secs(10 * 60);
/// If catching up takes longer, the caller is asked to retry.
const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(2);

/// The columns of a brand while nobody else uses or changes them.
type HeldColumns = tokio::sync::OwnedMutexGuard<Option<LoadedColumns>>;

#[derive(Clone, Debug)]
pub(crate) struct Columns(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: AnalyticsConfig,
    store: Store,
    /// Uses connections that requests do not use, for loading and following columns.
    reserved_store: Store,
    store_id: String,
    folder: PathBuf,
    /// Created at the first query, because the command line runs none.
    pool: OnceLock<rayon::ThreadPool>,
    permits: AnalyticsPermits,
    brands: Mutex<HashMap<BrandId, Arc<BrandColumns>>>,
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
    pub fn new(config: AnalyticsConfig, store: Store, store_id: &str, data: &Path) -> Self {
        Self(Arc::new(Inner {
            permits: AnalyticsPermits::new(&config),
            config,
            reserved_store: store.with_reserved_connections(),
            store,
            store_id: store_id.to_owned(),
            folder: data.join("columns"),
            pool: OnceLock::new(),
            brands: Mutex::default(),
        }))
    }

    /// Answers a question from the columns, and returns the sequence number that the answer includes.
    pub async fn answer_from_columns(
        &self,
        scope: &Scope,
        question: &Question,
    ) -> Result<(Answer, i64), Fallback> {
        let inner = &self.0;
        let (brand, mut held) = self.hold_current(scope).await?;
        let Some(of) = held.as_mut() else { return Err(Fallback::Sql) };
        let attributes = match needs_kinds(question) {
            true => of.attributes(&inner.store, scope).await?,
            false => Arc::default(),
        };
        let (snapshot, seq) = (of.snapshot(), of.seq());
        brand.set_bytes(of.bytes());
        drop(held);
        inner.evict_idle_brands(scope.brand());
        match self.scan(scope.brand(), snapshot, question.clone(), attributes).await? {
            Ok(answer) => Ok((answer, seq)),
            Err(cube::Error::TooLarge { .. }) => {
                let detail =
                    "The result would exceed the memory limit; ask for fewer groups or a shorter period.";
                Err(Error::new(ErrorKind::Invalid, "too_many_groups", detail).into())
            }
            Err(cube::Error::Cancelled) => Err(Fallback::Sql),
            Err(fault @ (cube::Error::Damaged(_) | cube::Error::Unreadable(_))) => {
                tracing::warn!("the columns of brand {} will be rebuilt: {fault}", scope.brand());
                brand.discard().await;
                Err(Fallback::Sql)
            }
        }
    }

    /// Returns the columns of a brand, locked and as of its last change.
    async fn hold_current(&self, scope: &Scope) -> Result<(Arc<BrandColumns>, HeldColumns), Fallback> {
        let inner = &self.0;
        if inner.config.engine == Engine::Sql {
            return Err(Fallback::Sql);
        }
        let brand = inner.brand(scope.brand());
        brand.touch();
        if brand.is_too_large() {
            return Err(Fallback::Sql);
        }
        let Some(mut held) = self.wait_for_columns(&brand, scope).await? else { return Err(Fallback::Sql) };
        let Some(of) = held.as_mut() else { return Err(Fallback::Sql) };
        let caught_up = tokio::time::timeout(CATCH_UP_TIMEOUT, of.catch_up(&inner.store, scope)).await;
        match caught_up {
            Ok(Ok(())) => Ok((brand, held)),
            Ok(Err(loaded::CatchUpError::Columns(fault))) => {
                // The saved columns are damaged and will be rebuilt.
                tracing::warn!("the columns of brand {} will be rebuilt: {fault}", scope.brand());
                *held = None;
                Err(Fallback::Sql)
            }
            Ok(Err(loaded::CatchUpError::Store(error))) => Err(error.into()),
            Err(_) => {
                let detail = "The latest changes could not be counted in time; try again.";
                Err(Error::new(ErrorKind::Unavailable, "numbers_behind", detail).retry_after(1).into())
            }
        }
    }

    /// Returns the columns of a brand, if they are loaded within the wait timeout.
    async fn wait_for_columns(
        &self,
        brand: &Arc<BrandColumns>,
        scope: &Scope,
    ) -> Result<Option<HeldColumns>, Fallback> {
        let wait_timeout = Duration::from_millis(self.0.config.column_wait_timeout_ms.into());
        let began = tokio::time::Instant::now();
        let Ok(held) = tokio::time::timeout(wait_timeout, brand.lock()).await else { return Ok(None) };
        if held.is_some() {
            return Ok(Some(held));
        }
        // Loaded by a task of its own, which continues if the caller goes away.
        let (columns, of, scope) = (self.clone(), Arc::clone(brand), scope.clone());
        let made = tokio::spawn(async move {
            let brand = scope.brand();
            let made = columns.build(&of, scope, held).await;
            if let Err(error) = &made {
                tracing::warn!("the columns of brand {brand} could not be loaded: {error}");
            }
            made
        });
        match tokio::time::timeout_at(began + wait_timeout, made).await {
            Ok(Ok(made)) => made.map_err(Fallback::from),
            Ok(Err(error)) => Err(Error::internal(error).into()),
            Err(_) => Ok(None),
        }
    }

    /// Loads the columns of a brand, from their files or from the rows, and follows the brand from then on.
    async fn build(
        &self,
        brand: &Arc<BrandColumns>,
        scope: Scope,
        mut held: HeldColumns,
    ) -> Result<Option<HeldColumns>, Error> {
        let inner = &self.0;
        // Acquired under the brand's lock, so that a brand waits for at most one permit.
        let _place = inner.permits.build_permit(scope.brand()).await;
        let mut saving = ColumnSaver::new(ColumnFiles::new(&inner.folder, scope.brand(), &inner.store_id));
        let began = tokio::time::Instant::now();
        let opened = LoadedColumns::open(&inner.reserved_store, &scope, saving.files()).await?;
        let (found, origin) = match opened {
            Some(found) => (Some(found), Origin::Files),
            None => (
                LoadedColumns::build(&inner.reserved_store, &scope, inner.max_brand_bytes()).await?,
                Origin::Rows,
            ),
        };
        let Some(found) = found.filter(|found| found.bytes() <= inner.max_brand_bytes()) else {
            brand.set_too_large(scope.brand());
            return Ok(None);
        };
        tracing::info!(
            "the columns of brand {} were loaded from {origin:?} in {} ms: {} incursions, {} MB",
            scope.brand(),
            began.elapsed().as_millis(),
            found.incursion_count(),
            found.bytes() / 1_000_000
        );
        brand.set_bytes(found.bytes());
        if brand.begin_following() {
            saving.assume_saved(&found, origin);
            tokio::spawn(follow(Arc::downgrade(inner), Arc::clone(brand), scope, saving));
        }
        *held = Some(found);
        Ok(Some(held))
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
        let scanned = tokio::task::spawn_blocking(move || {
            // Held by the thread: a caller who goes away does not free a permit that is still in use.
            let _place = place;
            let scan = ScanContext {
                pool: inner.pool()?,
                attributes: &attributes,
                max_memory_bytes: inner.config.max_query_memory_mb as usize * 1_000_000,
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

    pub fn sql_timeout(&self) -> Duration {
        Duration::from_secs(self.0.config.sql_timeout_s.into())
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
        let mut others: Vec<Arc<BrandColumns>> = Vec::new();
        let mut total = 0;
        for (id, brand) in self.brands().iter() {
            total += brand.bytes();
            if *id != keep && brand.bytes() > 0 {
                others.push(Arc::clone(brand));
            }
        }
        others.sort_by_key(|brand| brand.last_used_at());
        for brand in others {
            if total <= self.max_bytes() {
                return;
            }
            total -= brand.try_evict();
        }
    }
}

/// Keeps a brand's columns near its last change while it is being queried, and saves them from time to time.
async fn follow(inner: Weak<Inner>, brand: Arc<BrandColumns>, scope: Scope, mut saving: ColumnSaver) {
    loop {
        tokio::time::sleep(follow_interval(brand.idle_for())).await;
        let Some(inner) = inner.upgrade() else { return };
        let mut held = brand.lock().await;
        let is_asked = brand.idle_for() < FOLLOW_IDLE_LIMIT;
        let Some(of) = held.as_mut().filter(|_| is_asked) else {
            // Under the lock, so that whoever loads the columns again also starts following again.
            brand.end_following();
            if let Some(of) = held.as_ref() {
                saving.save_if_changed(of).await;
            }
            return;
        };
        match of.catch_up(&inner.reserved_store, &scope).await {
            Ok(()) if of.bytes() > inner.max_brand_bytes() => {
                brand.set_too_large(scope.brand());
                *held = None;
                continue;
            }
            Ok(()) => brand.set_bytes(of.bytes()),
            Err(loaded::CatchUpError::Columns(fault)) => {
                tracing::warn!("the columns of brand {} will be rebuilt: {fault}", scope.brand());
                *held = None;
                continue;
            }
            // Queries report the error; here the next round tries again.
            Err(loaded::CatchUpError::Store(error)) => tracing::debug!("columns could not catch up: {error}"),
        }
        let due = saving.is_due(of);
        let copy = due.then(|| of.state_to_save());
        drop(held);
        if let Some(copy) = copy {
            saving.save(copy).await;
        }
    }
}

/// Returns when a brand that was last asked this long ago catches up again. Alerts ask about many brands once a minute, for which looking
/// for changes all the time would cost more than the questions.
fn follow_interval(idle_for: Duration) -> Duration {
    (idle_for / 10).clamp(FOLLOW_INTERVAL, MAX_FOLLOW_INTERVAL)
}

fn needs_kinds(question: &Question) -> bool {
    use domain::insights::Dimension;
    let kinds = [Dimension::WorksiteKind, Dimension::MachineKind, Dimension::PersonKind];
    question.filter.needs_kinds()
        || question.groupings.iter().any(|grouping| grouping.dimensions.iter().any(|by| kinds.contains(by)))
}
