//! The facts of brands in columns, kept up to date: what questions are answered from.
//!
//! A brand's columns come into being with the first question about it: from their files if there are any, else from the
//! rows. Until they are there, the engine's own `group by` answers. Before each question they are brought up to the brand's last
//! change, so that whoever has written reads it; in between, a brand that is asked about is followed, so that there is
//! never much to catch up with.

mod brand;
mod config;
mod files;
mod loaded;
mod permits;

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
use files::{ColumnFiles, ColumnSaver, Origin};
use loaded::LoadedColumns;
use permits::AnalyticsPermits;

/// How often a brand that is asked about is followed.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(50);
/// For how long it is followed after the last question.
const FOLLOW_IDLE_LIMIT: Duration = Duration::from_secs(10 * 60);
/// How long catching up may take before the caller is told to come again.
const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(2);

/// The columns of all brands.
#[derive(Clone, Debug)]
pub(crate) struct Columns(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: AnalyticsConfig,
    store: Store,
    /// By connections that requests do not use: what columns are made and followed with.
    reserved_store: Store,
    store_id: String,
    folder: PathBuf,
    /// Made with the first question: the command line asks none.
    pool: OnceLock<rayon::ThreadPool>,
    permits: AnalyticsPermits,
    brands: Mutex<HashMap<BrandId, Arc<BrandColumns>>>,
}

/// What to do with a question that columns do not answer.
pub(crate) enum Fallback {
    /// Ask the rows: the columns are not there yet, or would not fit.
    Sql,
    /// Tell the caller.
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

    /// Answers a question from the columns, and tells how far they went.
    pub async fn try_answer(&self, scope: &Scope, question: &Question) -> Result<(Answer, i64), Fallback> {
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
            Ok(Ok(())) => {}
            Ok(Err(loaded::CatchUpError::Columns(fault))) => {
                // What was saved is no good: it is made anew.
                tracing::warn!("the columns of brand {} are made anew: {fault}", scope.brand());
                *held = None;
                return Err(Fallback::Sql);
            }
            Ok(Err(loaded::CatchUpError::Store(error))) => return Err(error.into()),
            Err(_) => {
                let detail = "More has come in than could be counted in time.";
                let error = Error::new(ErrorKind::Unavailable, "numbers_behind", detail).retry_after(1);
                return Err(error.into());
            }
        }
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
                let detail = "The answer would take more memory than it may; ask for fewer groups, or a shorter period.";
                Err(Error::new(ErrorKind::Invalid, "too_many_groups", detail).into())
            }
            Err(cube::Error::Cancelled) => Err(Fallback::Sql),
            Err(fault @ (cube::Error::Damaged(_) | cube::Error::Unreadable(_))) => {
                tracing::warn!("the columns of brand {} are made anew: {fault}", scope.brand());
                brand.discard().await;
                Err(Fallback::Sql)
            }
        }
    }

    /// The columns of a brand, if they are there or come within the time one may wait.
    async fn wait_for_columns(
        &self,
        brand: &Arc<BrandColumns>,
        scope: &Scope,
    ) -> Result<Option<tokio::sync::OwnedMutexGuard<Option<LoadedColumns>>>, Fallback> {
        let wait_timeout = Duration::from_millis(self.0.config.column_wait_timeout_ms.into());
        let began = tokio::time::Instant::now();
        let Ok(held) = tokio::time::timeout(wait_timeout, brand.lock()).await else { return Ok(None) };
        if held.is_some() {
            return Ok(Some(held));
        }
        // Made by a task of its own: whoever asked may go, what was begun goes on.
        let (columns, of, scope) = (self.clone(), Arc::clone(brand), scope.clone());
        let made = tokio::spawn(async move {
            let brand = scope.brand();
            let made = columns.build(&of, scope, held).await;
            if let Err(error) = &made {
                tracing::warn!("the columns of brand {brand} were not made: {error}");
            }
            made
        });
        match tokio::time::timeout_at(began + wait_timeout, made).await {
            Ok(Ok(made)) => made.map_err(Fallback::from),
            Ok(Err(error)) => Err(Error::internal(error).into()),
            Err(_) => Ok(None),
        }
    }

    /// Makes the columns of a brand, from their files or from the rows, and follows it from then on.
    async fn build(
        &self,
        brand: &Arc<BrandColumns>,
        scope: Scope,
        mut held: tokio::sync::OwnedMutexGuard<Option<LoadedColumns>>,
    ) -> Result<Option<tokio::sync::OwnedMutexGuard<Option<LoadedColumns>>>, Error> {
        let inner = &self.0;
        // Taken under the brand's lock, so a brand waits for one at most.
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
            "the columns of brand {} were made of {origin:?} in {} ms: {} incursions, {} MB",
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

    /// Scans on the threads of the columns; ends when whoever asked has gone.
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
            // Held by the thread: one who goes away does not free a place that is still in use.
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

    /// A place to have the rows answer, which takes a connection for long; refused at once if there is none.
    pub fn try_sql_permit(&self, brand: BrandId) -> Result<Grant<BrandId>, Error> {
        self.0.permits.try_sql_permit(brand)
    }

    /// The same for what only the rows can answer: it waits for a place for as long as a question waits for columns.
    pub async fn sql_permit(&self, brand: BrandId) -> Result<Grant<BrandId>, Error> {
        self.0.permits.sql_permit(brand).await
    }

    /// How long the rows may take to answer.
    pub fn sql_timeout(&self) -> Duration {
        Duration::from_secs(self.0.config.sql_timeout_s.into())
    }

    /// How many brands are held, and how many bytes they take, for /metrics.
    pub fn stats(&self) -> (usize, usize) {
        let brands = self.0.brands();
        let held: Vec<usize> =
            brands.values().map(|brand| brand.bytes()).filter(|bytes| *bytes > 0).collect();
        (held.len(), held.iter().sum())
    }
}

/// Tells a scan that nobody waits for it any more.
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

    /// The threads that scan.
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

    /// How much of it one brand may take: what is left keeps the columns of others.
    fn max_brand_bytes(&self) -> usize {
        self.config.max_memory_per_brand_mb() as usize * 1_000_000
    }

    /// Lets go of the brands that were not asked about for the longest time, until the rest fits. They are read from their
    /// files again, or built, when someone asks.
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

/// Keeps a brand's columns near its last change while it is asked about, and saves them now and then.
async fn follow(inner: Weak<Inner>, brand: Arc<BrandColumns>, scope: Scope, mut saving: ColumnSaver) {
    loop {
        tokio::time::sleep(FOLLOW_INTERVAL).await;
        let Some(inner) = inner.upgrade() else { return };
        let mut held = brand.lock().await;
        let is_asked = brand.idle_for() < FOLLOW_IDLE_LIMIT;
        let Some(of) = held.as_mut().filter(|_| is_asked) else {
            // Under the lock: whoever makes them anew follows them anew.
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
                tracing::warn!("the columns of brand {} are made anew: {fault}", scope.brand());
                *held = None;
                continue;
            }
            // Whoever asks is told; here it is tried again.
            Err(loaded::CatchUpError::Store(error)) => tracing::debug!("columns were not followed: {error}"),
        }
        let due = saving.is_due(of);
        let copy = due.then(|| of.state_to_save());
        drop(held);
        if let Some(copy) = copy {
            saving.save(copy).await;
        }
    }
}

fn needs_kinds(question: &Question) -> bool {
    use domain::insights::Dimension;
    let kinds = [Dimension::WorksiteKind, Dimension::MachineKind, Dimension::PersonKind];
    question.groupings.iter().any(|grouping| grouping.dimensions.iter().any(|by| kinds.contains(by)))
}
