//! Loads the columns of a brand: from saved ones if there are any, otherwise from the rows.

use std::sync::Arc;
use std::time::Duration;

use store::Scope;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use warehouse::CopyId;

use super::brand::{BrandColumns, LoadingTurn};
use super::catch_up_error::CatchUpError;
use super::following::{follow, note_outdated, warn_of_damage};
use super::loaded::LoadedColumns;
use super::parts::BrandParts;
use super::reach::NeededPeriod;
use super::saver::ColumnSaver;
use super::{Columns, Fallback, LockedColumns};
use crate::{Error, ErrorKind};

/// The database answers questions about no more facts than this while columns are being loaded; others wait for the columns. It takes about
/// a second for them.
const MAX_FACTS_BY_SQL: usize = 200_000;

/// Columns of a brand with a copy in the warehouse are not loaded if they would exceed the memory limit with this many bytes per fact,
/// which is a little more than they take.
const BYTES_PER_FACT: usize = 64;
/// Counting the facts of such a brand may take this long. If it takes longer, its copy answers sooner than its columns could be loaded,
/// unless it is not filled.
const COUNT_TIMEOUT: Duration = Duration::from_secs(5);

/// The source from which columns were loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Objects,
    Rows,
}

/// Whether the columns of a brand fit, by the number of its facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    Fits,
    TooLarge,
    /// The facts could not be counted in time.
    Unknown,
}

#[macros::boxed]
impl Columns {
    /// Returns the columns of a brand as soon as they have all facts of a period. None if the database answers sooner, because there are
    /// few facts, or if there will be no columns.
    pub(super) async fn wait_for_columns(
        &self,
        brand: &Arc<BrandColumns>,
        scope: &Scope,
        period: NeededPeriod,
    ) -> Result<Option<LockedColumns>, Fallback> {
        let began = Instant::now();
        let mut until = began + Duration::from_millis(self.0.config.column_wait_timeout_ms.into());
        let deadline = until.max(began + self.sql_timeout());
        let mut progress = brand.progress();
        let failures = progress.borrow().failures;
        loop {
            // Before the look, so that no progress after it is missed.
            let has_failed = progress.borrow_and_update().failures > failures;
            if let Ok(held) = tokio::time::timeout_at(until, brand.lock()).await
                && held.as_ref().is_some_and(|of| of.covers(period))
            {
                return Ok(Some(held));
            }
            if has_failed || brand.is_too_large() {
                return Ok(None);
            }
            self.begin_loading(brand, scope);
            if tokio::time::timeout_at(until, progress.changed()).await.is_ok() {
                continue;
            }
            if until >= deadline {
                let detail = "The numbers of this period are still being loaded; try again.";
                let error = Error::new(ErrorKind::Unavailable, "numbers_behind", detail).retry_after(5);
                return Err(error.into());
            }
            if !self.has_many_facts(scope, period).await? {
                return Ok(None);
            }
            until = deadline;
        }
    }

    /// Whether a period has so many facts that the database would take long for a question about them.
    async fn has_many_facts(&self, scope: &Scope, period: NeededPeriod) -> Result<bool, Error> {
        let (store, scope) = (self.0.reserved_store.clone(), scope.clone());
        // On a task of its own: the connections that the caller may use could all be in use, which is for the query itself to report.
        let counted: JoinHandle<Result<bool, Error>> = tokio::spawn(async move {
            // Every fact has a number of its own.
            let state = store.read().await?.fact_changes(&scope).state().await?;
            if usize::try_from(state.last_seq).is_ok_and(|facts| facts <= MAX_FACTS_BY_SQL) {
                return Ok(false);
            }
            let mut snapshot = store.snapshot().await?;
            let bounds = (period.from, period.to);
            let is_many = snapshot.fact_changes(&scope).are_more_than(MAX_FACTS_BY_SQL, bounds).await?;
            snapshot.end().await?;
            Ok(is_many)
        });
        counted.await.map_err(Error::internal)?
    }

    /// Returns how a question is answered whose columns are out of reach for now: by SQL if it is about few facts.
    pub(super) async fn fall_back_from(&self, scope: &Scope, period: NeededPeriod, reason: &str) -> Fallback {
        tracing::warn!("parts of the columns of brand {} are out of reach: {reason}", scope.brand());
        match self.has_many_facts(scope, period).await {
            Ok(false) => Fallback::Sql,
            Ok(true) => {
                let detail = "The object store, which has the numbers of this period, cannot be reached.";
                Error::new(ErrorKind::Unavailable, "objects_unavailable", detail).retry_after(5).into()
            }
            Err(error) => error.into(),
        }
    }

    /// Loads the columns on a task of its own, which continues if the caller goes away, unless one does already.
    fn begin_loading(&self, brand: &Arc<BrandColumns>, scope: &Scope) {
        let Some(turn) = LoadingTurn::take(brand) else { return };
        let (columns, scope) = (self.clone(), scope.clone());
        tokio::spawn(async move {
            match columns.load(&turn.brand, &scope).await {
                Ok(()) => turn.succeed(),
                Err(error) => {
                    tracing::warn!("the columns of brand {} could not be loaded: {error}", scope.brand());
                }
            }
        });
    }

    /// Loads the columns of a brand, and follows the brand from then on.
    async fn load(&self, brand: &Arc<BrandColumns>, scope: &Scope) -> Result<(), Error> {
        let inner = &self.0;
        let _place = inner.permits.build_permit(scope.brand()).await;
        if brand.lock().await.as_ref().is_some_and(LoadedColumns::is_complete) {
            return Ok(());
        }
        if let Some(copy) = brand.copy() {
            match self.fit_of(scope).await? {
                Fit::TooLarge => {
                    brand.set_too_large(scope.brand());
                    return Ok(());
                }
                Fit::Unknown if self.is_copy_filled(copy).await => {
                    brand.leave_to_copy(scope.brand());
                    return Ok(());
                }
                Fit::Fits | Fit::Unknown => {}
            }
        }
        let began = Instant::now();
        let parts = BrandParts { store: inner.part_store(), brand: scope.brand() };
        let store = inner.reserved_store.clone();
        let saving = ColumnSaver::new(store, scope.clone(), parts, inner.worker.clone());
        let mut origin = Origin::Objects;
        if !self.open_saved(brand, scope, saving.parts()).await? {
            origin = Origin::Rows;
            if !self.build_from_rows(brand, scope).await? {
                return Ok(());
            }
        }
        let mut held = brand.lock().await;
        let Some(found) = held.as_ref() else { return Ok(()) };
        if found.bytes() > inner.max_brand_bytes() {
            brand.set_too_large(scope.brand());
            *held = None;
            return Ok(());
        }
        tracing::info!(
            "the columns of brand {} were loaded from {origin:?} in {} ms: {} incursions, {} MB",
            scope.brand(),
            began.elapsed().as_millis(),
            found.incursion_count(),
            found.bytes() / 1_000_000
        );
        brand.set_bytes(found.bytes());
        if brand.begin_following() {
            tokio::spawn(follow(Arc::downgrade(inner), Arc::clone(brand), scope.clone(), saving));
        }
        Ok(())
    }

    /// Whether a copy can answer.
    async fn is_copy_filled(&self, copy: CopyId) -> bool {
        let setup = &self.0.setup;
        match setup.warehouse.as_deref() {
            Some(warehouse) => warehouse.is_known_to_be_filled(copy, &setup.store_id).await,
            None => false,
        }
    }

    /// Returns whether a brand has so many facts that its columns would exceed the memory limit. A brand has a copy in the warehouse
    /// because its columns did so before, so that most of them need not be loaded again, only to find that out.
    async fn fit_of(&self, scope: &Scope) -> Result<Fit, Error> {
        let store = &self.0.reserved_store;
        let max_facts = self.0.max_brand_bytes() / BYTES_PER_FACT;
        let _turn = self.0.permits.reader_permit(scope.brand()).await;
        // Every fact has a number of its own.
        let state = store.read().await?.fact_changes(scope).state().await?;
        if usize::try_from(state.last_seq).is_ok_and(|facts| facts <= max_facts) {
            return Ok(Fit::Fits);
        }
        let mut snapshot = store.snapshot().await?;
        let mut changes = snapshot.fact_changes(scope);
        let are_more = match changes.are_more_than_within(max_facts, (None, None), COUNT_TIMEOUT).await {
            Err(store::Error::TimedOut) => return Ok(Fit::Unknown),
            counted => counted?,
        };
        snapshot.end().await?;
        Ok(if are_more { Fit::TooLarge } else { Fit::Fits })
    }

    /// Opens saved columns and applies the changes since; returns false if there are none that can be used.
    async fn open_saved(
        &self,
        brand: &Arc<BrandColumns>,
        scope: &Scope,
        parts: &BrandParts,
    ) -> Result<bool, Error> {
        let store = &self.0.reserved_store;
        let distrusted = brand.distrusted_revision();
        let opened = LoadedColumns::open(store, scope, parts, distrusted).await?;
        let Some(mut found) = opened else { return Ok(false) };
        match found.catch_up(store, scope).await {
            Ok(()) => {}
            Err(CatchUpError::Store(error)) => return Err(error),
            Err(CatchUpError::Columns(fault)) => {
                warn_of_damage(scope.brand(), &fault);
                return Ok(false);
            }
            Err(CatchUpError::Outdated(reason)) => {
                note_outdated(scope.brand(), reason);
                return Ok(false);
            }
            Err(CatchUpError::Unreachable(reason)) => {
                tracing::warn!("{reason}; the columns of brand {} are built from the rows", scope.brand());
                return Ok(false);
            }
        }
        *brand.lock().await = Some(found);
        Ok(true)
    }
}
