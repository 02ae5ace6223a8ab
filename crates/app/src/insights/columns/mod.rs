//! The facts of brands in columns, kept up to date: what questions are answered from.
//!
//! A brand's columns come into being with the first question about it: from their files if there are any, else from the
//! rows. Until they are there, the engine's own `group by` answers. Before each question they are brought up to the brand's last
//! change, so that whoever has written reads it; in between, a brand that is asked about is followed, so that there is
//! never much to catch up with.

mod brand;
mod config;
mod files;
mod held;
mod shares;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use cube::{Attributes, Scan};
use domain::BrandId;
use domain::insights::{Answer, Question};
use store::{Grant, Scope, Store};

use crate::{Error, Kind};
use brand::BrandColumns;
pub use config::{AnalyticsConfig, Engine};
use files::{Files, Origin, Saving};
use held::Held;
use shares::AnalyticsShares;

/// How often a brand that is asked about is followed.
const FOLLOWED_EVERY: Duration = Duration::from_millis(50);
/// For how long it is followed after the last question.
const FOLLOWED_FOR: Duration = Duration::from_secs(10 * 60);
/// How long catching up may take before the caller is told to come again.
const CATCHING_UP: Duration = Duration::from_secs(2);

/// The columns of all brands.
#[derive(Clone, Debug)]
pub(crate) struct Columns(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: AnalyticsConfig,
    store: Store,
    /// By connections that requests do not use: what columns are made and followed with.
    apart: Store,
    store_id: String,
    folder: PathBuf,
    /// Made with the first question: the command line asks none.
    pool: OnceLock<rayon::ThreadPool>,
    shares: AnalyticsShares,
    brands: Mutex<HashMap<BrandId, Arc<BrandColumns>>>,
}

/// What to do with a question that columns do not answer.
pub(crate) enum Unanswered {
    /// Ask the rows: the columns are not there yet, or would not fit.
    AskRows,
    /// Tell the caller.
    Failed(Error),
}

impl From<Error> for Unanswered {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<store::Error> for Unanswered {
    fn from(error: store::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl Columns {
    pub fn new(config: AnalyticsConfig, store: Store, store_id: &str, data: &Path) -> Self {
        Self(Arc::new(Inner {
            shares: AnalyticsShares::new(&config),
            config,
            apart: store.apart(),
            store,
            store_id: store_id.to_owned(),
            folder: data.join("columns"),
            pool: OnceLock::new(),
            brands: Mutex::default(),
        }))
    }

    /// Answers a question from the columns, and tells how far they went.
    pub async fn answer(&self, scope: &Scope, question: &Question) -> Result<(Answer, i64), Unanswered> {
        let inner = &self.0;
        if inner.config.engine == Engine::Sql {
            return Err(Unanswered::AskRows);
        }
        let brand = inner.brand(scope.brand());
        brand.is_asked();
        if brand.is_too_large() {
            return Err(Unanswered::AskRows);
        }
        let Some(mut held) = self.held(&brand, scope).await? else { return Err(Unanswered::AskRows) };
        let Some(of) = held.as_mut() else { return Err(Unanswered::AskRows) };
        let caught_up = tokio::time::timeout(CATCHING_UP, of.catch_up(&inner.store, scope)).await;
        match caught_up {
            Ok(Ok(())) => {}
            Ok(Err(held::Fault::Columns(fault))) => {
                // What was saved is no good: it is made anew.
                tracing::warn!("the columns of brand {} are made anew: {fault}", scope.brand());
                *held = None;
                return Err(Unanswered::AskRows);
            }
            Ok(Err(held::Fault::Store(error))) => return Err(error.into()),
            Err(_) => {
                let detail = "More has come in than could be counted in time.";
                let error = Error::new(Kind::Unavailable, "numbers_behind", detail).retry_after(1);
                return Err(error.into());
            }
        }
        let attributes = match needs_kinds(question) {
            true => of.attributes(&inner.store, scope).await?,
            false => Arc::default(),
        };
        let (snapshot, seq) = (of.snapshot(), of.seq());
        brand.weighs(of.bytes());
        drop(held);
        inner.make_room(scope.brand());
        match self.scan(scope.brand(), snapshot, question.clone(), attributes).await? {
            Ok(answer) => Ok((answer, seq)),
            Err(cube::Error::TooLarge { .. }) => {
                let detail = "The answer would take more memory than it may; ask for fewer groups, or a shorter period.";
                Err(Error::new(Kind::Invalid, "too_many_groups", detail).into())
            }
            Err(cube::Error::Cancelled) => Err(Unanswered::AskRows),
            Err(fault @ (cube::Error::Damaged(_) | cube::Error::Unreadable(_))) => {
                tracing::warn!("the columns of brand {} are made anew: {fault}", scope.brand());
                brand.forget().await;
                Err(Unanswered::AskRows)
            }
        }
    }

    /// The columns of a brand, if they are there or come within the time one may wait.
    async fn held(
        &self,
        brand: &Arc<BrandColumns>,
        scope: &Scope,
    ) -> Result<Option<tokio::sync::OwnedMutexGuard<Option<Held>>>, Unanswered> {
        let patience = Duration::from_millis(self.0.config.wait_ms.into());
        let began = tokio::time::Instant::now();
        let Ok(held) = tokio::time::timeout(patience, brand.lock()).await else { return Ok(None) };
        if held.is_some() {
            return Ok(Some(held));
        }
        // Made by a task of its own: whoever asked may go, what was begun goes on.
        let (columns, of, scope) = (self.clone(), Arc::clone(brand), scope.clone());
        let made = tokio::spawn(async move {
            let brand = scope.brand();
            let made = columns.make(&of, scope, held).await;
            if let Err(error) = &made {
                tracing::warn!("the columns of brand {brand} were not made: {error}");
            }
            made
        });
        match tokio::time::timeout_at(began + patience, made).await {
            Ok(Ok(made)) => made.map_err(Unanswered::from),
            Ok(Err(error)) => Err(Error::internal(error).into()),
            Err(_) => Ok(None),
        }
    }

    /// Makes the columns of a brand, from their files or from the rows, and follows it from then on.
    async fn make(
        &self,
        brand: &Arc<BrandColumns>,
        scope: Scope,
        mut held: tokio::sync::OwnedMutexGuard<Option<Held>>,
    ) -> Result<Option<tokio::sync::OwnedMutexGuard<Option<Held>>>, Error> {
        let inner = &self.0;
        // Taken under the brand's lock, so a brand waits for one at most.
        let _place = inner.shares.to_build(scope.brand()).await;
        let mut saving = Saving::new(Files::new(&inner.folder, scope.brand(), &inner.store_id));
        let began = tokio::time::Instant::now();
        let opened = Held::open(&inner.apart, &scope, saving.files()).await?;
        let (found, origin) = match opened {
            Some(found) => (Some(found), Origin::Files),
            None => (Held::build(&inner.apart, &scope, inner.brand_bytes()).await?, Origin::Rows),
        };
        let Some(found) = found.filter(|found| found.bytes() <= inner.brand_bytes()) else {
            brand.set_too_large(scope.brand());
            return Ok(None);
        };
        tracing::info!(
            "the columns of brand {} were made of {origin:?} in {} ms: {} incursions, {} MB",
            scope.brand(),
            began.elapsed().as_millis(),
            found.incursions(),
            found.bytes() / 1_000_000
        );
        brand.weighs(found.bytes());
        if brand.begin_following() {
            saving.begins_with(&found, origin);
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
        let place = self.0.shares.to_scan(brand).await?;
        let gone = Gone(Arc::default());
        let (inner, flag) = (Arc::clone(&self.0), Arc::clone(&gone.0));
        let scanned = tokio::task::spawn_blocking(move || {
            // Held by the thread: one who goes away does not free a place that is still in use.
            let _place = place;
            let scan = Scan {
                pool: inner.pool()?,
                attributes: &attributes,
                memory_bytes: inner.config.answer_mb as usize * 1_000_000,
                is_cancelled: &|| flag.load(Ordering::Relaxed),
            };
            Ok(snapshot.answer(&question, &scan))
        });
        scanned.await.map_err(Error::internal)?
    }

    /// A place to have the rows answer, which takes a connection for long; refused at once if there is none.
    pub fn place_to_ask_rows(&self, brand: BrandId) -> Result<Grant<BrandId>, Error> {
        self.0.shares.to_ask_rows(brand)
    }

    /// The same for what only the rows can answer: it waits for a place for as long as a question waits for columns.
    pub async fn wait_to_ask_rows(&self, brand: BrandId) -> Result<Grant<BrandId>, Error> {
        self.0.shares.wait_to_ask_rows(brand).await
    }

    /// How long the rows may take to answer.
    pub fn rows_deadline(&self) -> Duration {
        Duration::from_secs(self.0.config.rows_deadline_s.into())
    }

    /// How many brands are held, and how many bytes they take, for /metrics.
    pub fn state(&self) -> (usize, usize) {
        let brands = self.0.brands();
        let held: Vec<usize> =
            brands.values().map(|brand| brand.bytes()).filter(|bytes| *bytes > 0).collect();
        (held.len(), held.iter().sum())
    }
}

/// Tells a scan that nobody waits for it any more.
struct Gone(Arc<AtomicBool>);

impl Drop for Gone {
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

    fn memory_bytes(&self) -> usize {
        self.config.memory_mb as usize * 1_000_000
    }

    /// How much of it one brand may take: what is left keeps the columns of others.
    fn brand_bytes(&self) -> usize {
        self.config.memory_per_brand_mb() as usize * 1_000_000
    }

    /// Lets go of the brands that were not asked about for the longest time, until the rest fits. They are read from their
    /// files again, or built, when someone asks.
    fn make_room(&self, keep: BrandId) {
        let mut others: Vec<Arc<BrandColumns>> = Vec::new();
        let mut total = 0;
        for (id, brand) in self.brands().iter() {
            total += brand.bytes();
            if *id != keep && brand.bytes() > 0 {
                others.push(Arc::clone(brand));
            }
        }
        others.sort_by_key(|brand| brand.asked_at());
        for brand in others {
            if total <= self.memory_bytes() {
                return;
            }
            total -= brand.let_go();
        }
    }
}

/// Keeps a brand's columns near its last change while it is asked about, and saves them now and then.
async fn follow(inner: Weak<Inner>, brand: Arc<BrandColumns>, scope: Scope, mut saving: Saving) {
    loop {
        tokio::time::sleep(FOLLOWED_EVERY).await;
        let Some(inner) = inner.upgrade() else { return };
        let mut held = brand.lock().await;
        let is_asked = brand.asked_for() < FOLLOWED_FOR;
        let Some(of) = held.as_mut().filter(|_| is_asked) else {
            // Under the lock: whoever makes them anew follows them anew.
            brand.end_following();
            if let Some(of) = held.as_ref() {
                saving.save_all(of).await;
            }
            return;
        };
        match of.catch_up(&inner.apart, &scope).await {
            Ok(()) if of.bytes() > inner.brand_bytes() => {
                brand.set_too_large(scope.brand());
                *held = None;
                continue;
            }
            Ok(()) => brand.weighs(of.bytes()),
            Err(held::Fault::Columns(fault)) => {
                tracing::warn!("the columns of brand {} are made anew: {fault}", scope.brand());
                *held = None;
                continue;
            }
            // Whoever asks is told; here it is tried again.
            Err(held::Fault::Store(error)) => tracing::debug!("columns were not followed: {error}"),
        }
        let due = saving.is_due(of);
        let copy = due.then(|| of.saved_state());
        drop(held);
        if let Some(copy) = copy {
            saving.save(copy).await;
        }
    }
}

fn needs_kinds(question: &Question) -> bool {
    use domain::insights::Dimension;
    let kinds = [Dimension::WorksiteKind, Dimension::MachineKind, Dimension::PersonKind];
    question.groupings.iter().any(|grouping| grouping.by.iter().any(|by| kinds.contains(by)))
}
