//! Retention of facts: closes incursions whose end never arrived, and deletes facts past the retention period of their brand.
//!
//! Copies of facts leave out everything from before a watermark of retention, and so do questions by SQL. If retention has become longer,
//! the watermark is deleted, and copies are made anew.

use domain::{ChangeCause, IncursionId, Retention, Span, Timestamp};
use store::{FactWatermark, RetentionKind, ScanBy, Scope};

use crate::facts::ingest::MAX_OPEN_DURATION;
use crate::{App, Error};

/// Rows changed or deleted per transaction.
const PAGE: i64 = 250;

/// Length of the time window that is scanned at a time.
const WINDOW: Span = Span::minutes(24 * 60);

/// A watermark may be this much later than retention says: hosts have clocks of their own, and time makes up for a day.
const MARK_TOLERANCE: Span = Span::minutes(24 * 60);

#[macros::boxed]
impl App {
    /// Closes overdue incursions of every brand: their end was never reported.
    pub async fn close_overdue_incursions(&self) -> Result<u64, Error> {
        let mut closed = 0;
        for scope in self.all_scopes().await? {
            closed += self.close_overdue_incursions_of(&scope).await?;
        }
        Ok(closed)
    }

    /// Incursions that arrive later but started before the watermark are closed when they are ingested.
    async fn close_overdue_incursions_of(&self, scope: &Scope) -> Result<u64, Error> {
        let now = self.clock.now();
        let until = now - MAX_OPEN_DURATION;
        let mut tx = self.store.read().await?;
        let mut at = match tx.fact_retention(scope).watermark(FactWatermark::IncursionsClosedUntil).await? {
            Some(mark) => mark,
            None => match tx.incursion_scans(scope).next_page(ScanBy::Time, BEGINNING, until, 1).await?.pop()
            {
                Some(first) => first.row.started_at,
                None => return Ok(0),
            },
        };
        drop(tx);
        let mut closed = 0;
        while at < until {
            let to = until.min(at + WINDOW);
            // A scan continues after its position, so it starts just before the window.
            let from = (at - Span::from_micros(1), IncursionId(i64::MAX));
            loop {
                let mut tx = self.store.read().await?;
                let mut page = tx.incursion_scans(scope).next_page(ScanBy::Open, from, to, PAGE).await?;
                drop(tx);
                if page.is_empty() {
                    break;
                }
                let mut tx = self.store.begin().await?;
                let last_seq = tx.lock_and_allocate_seq(scope, PAGE).await?.last_seq;
                let replaced: Vec<_> = page.iter().map(|kept| kept.row.seq).collect();
                for (place, kept) in page.iter_mut().enumerate() {
                    kept.row.closed_at = Some(now);
                    kept.row.seq = last_seq - PAGE + 1 + i64::try_from(place).unwrap_or(0);
                }
                let replaced: Vec<_> = page.into_iter().zip(replaced).collect();
                // An incursion whose end has arrived meanwhile is not replaced, and the next page no longer returns it.
                closed += tx.incursions(scope).replace(&replaced, ChangeCause::Closing, now).await?;
                tx.commit().await?;
            }
            at = to;
        }
        let mut tx = self.store.begin().await?;
        tx.fact_retention(scope).raise_watermark(FactWatermark::IncursionsClosedUntil, until).await?;
        tx.commit().await?;
        Ok(closed)
    }

    /// Deletes the facts that are older than the retention period of their brand, and the watermarks of shorter periods.
    pub async fn delete_expired_facts(&self) -> Result<u64, Error> {
        let mut deleted = 0;
        for scope in self.all_scopes().await? {
            let keep = self.store.read().await?.brand_settings(&scope).await?.values.retention;
            self.delete_outdated_marks(&scope, &keep).await?;
            for (fact, days) in [
                (RetentionKind::Incursions, keep.incursions_days),
                (RetentionKind::Runtime, keep.runtime_days),
                (RetentionKind::Tracks, keep.tracks_days),
                (RetentionKind::Events, keep.events_days),
                (RetentionKind::Messages, keep.events_days),
                (RetentionKind::Tests, keep.tests_days),
            ] {
                if let Some(days) = days {
                    let before = self.clock.now() - days_long(days);
                    deleted += self.delete_expired_rows(&scope, fact, before).await?;
                }
            }
        }
        Ok(deleted)
    }

    /// Deletes the watermarks of a brand that keeps facts for longer by now, so that facts from before them count, and lets all copies be
    /// made anew: columns in memory by the change that they must include from then on, the copy in a warehouse by another token. Saved
    /// columns are forgotten, because nothing shows any more whether they have facts that were deleted.
    async fn delete_outdated_marks(&self, scope: &Scope, keep: &Retention) -> Result<(), Error> {
        let now = self.clock.now();
        let state = self.store.read().await?.fact_changes(scope).state().await?;
        let is_outdated = |mark: &Timestamp, days: Option<i64>| {
            days.is_none_or(|days| now - days_long(days) + MARK_TOLERANCE < *mark)
        };
        let incursions = state.incursions_kept_from.filter(|mark| is_outdated(mark, keep.incursions_days));
        let runtime = state.runtime_kept_from.filter(|mark| is_outdated(mark, keep.runtime_days));
        if incursions.is_none() && runtime.is_none() {
            return Ok(());
        }
        let mut tx = self.store.begin().await?;
        let seq = tx.lock_and_allocate_seq(scope, 1).await?.last_seq;
        let mut is_deleted = false;
        for (mark, at) in
            [(FactWatermark::IncursionsKeptFrom, incursions), (FactWatermark::RuntimeKeptFrom, runtime)]
        {
            if let Some(at) = at {
                is_deleted |= tx.fact_retention(scope).delete_watermark(mark, at).await?;
            }
        }
        if !is_deleted {
            return Ok(());
        }
        tx.fact_retention(scope).outdate_copies(seq).await?;
        tx.column_manifests(scope).forget().await?;
        let mut copies = tx.warehouse_copies(&self.platform);
        if let Some(token) = copies.token(scope.brand()).await? {
            copies.replace(scope.brand(), token, self.random_token()).await?;
        }
        tx.commit().await?;
        tracing::info!("brand {} keeps facts for longer; copies of them are made anew", scope.brand());
        Ok(())
    }

    async fn delete_expired_rows(
        &self,
        scope: &Scope,
        fact: RetentionKind,
        before: Timestamp,
    ) -> Result<u64, Error> {
        let mut deleted = 0;
        loop {
            let mut tx = self.store.begin().await?;
            tx.lock_and_allocate_seq(scope, 0).await?;
            let count = tx.fact_retention(scope).delete_expired(fact, before, PAGE).await?;
            if count == 0 {
                return Ok(deleted);
            }
            deleted += count;
            // Followers of the change feed notice deletions by this watermark, because a deleted row has no sequence number.
            match fact {
                RetentionKind::Incursions => {
                    tx.fact_retention(scope)
                        .raise_watermark(FactWatermark::IncursionsKeptFrom, before)
                        .await?;
                }
                RetentionKind::Runtime => {
                    tx.fact_retention(scope).raise_watermark(FactWatermark::RuntimeKeptFrom, before).await?;
                }
                RetentionKind::Tracks
                | RetentionKind::Events
                | RetentionKind::Messages
                | RetentionKind::Tests => {}
            }
            tx.commit().await?;
        }
    }

    async fn all_scopes(&self) -> Result<Vec<Scope>, Error> {
        let brands = self.store.read().await?.brands(&self.platform).all().await?;
        Ok(brands.into_iter().map(|brand| self.scope_of(brand.id)).collect())
    }
}

fn days_long(days: i64) -> Span {
    Span::minutes(days * 24 * 60)
}

/// A position before every row.
const BEGINNING: (Timestamp, IncursionId) = (Timestamp::from_micros(i64::MIN), IncursionId(0));
