//! What time does to facts: ends that never came are given up, and what is too old is taken away.

use domain::{IncursionId, Span, Timestamp};
use store::{ChangeCause, FactWatermark, RetentionKind, ScanBy, Scope};

use crate::facts::ingest::MAX_OPEN_DURATION;
use crate::{App, Error};

/// How many rows are changed or taken away in one transaction.
const PAGE: i64 = 250;

/// How much time is looked through in one go.
const WINDOW: Span = Span::minutes(24 * 60);

impl App {
    /// Gives up waiting for ends that are overdue, in every brand.
    pub async fn close_overdue_incursions(&self) -> Result<u64, Error> {
        let mut closed = 0;
        for scope in self.all_scopes().await? {
            closed += self.close_overdue_incursions_of(&scope).await?;
        }
        Ok(closed)
    }

    /// What comes in later and began before the mark is closed when it comes in.
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
            // From just before it on: a walk goes on after its position.
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
                // One whose end came meanwhile is left alone, and not met again.
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

    /// Takes away what is older than each brand wants to keep it.
    pub async fn delete_expired_facts(&self) -> Result<u64, Error> {
        let mut deleted = 0;
        for scope in self.all_scopes().await? {
            let keep = self.store.read().await?.brand_settings(&scope).await?.values.retention;
            for (fact, days) in [
                (RetentionKind::Incursions, keep.incursions_days),
                (RetentionKind::Runtime, keep.runtime_days),
                (RetentionKind::Tracks, keep.tracks_days),
                (RetentionKind::Events, keep.events_days),
                (RetentionKind::Messages, keep.events_days),
                (RetentionKind::Tests, keep.tests_days),
            ] {
                if let Some(days) = days {
                    let before = self.clock.now() - Span::minutes(days * 24 * 60);
                    deleted += self.delete_expired_rows(&scope, fact, before).await?;
                }
            }
        }
        Ok(deleted)
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
            // Whoever follows the changes learns of it by this: a row that is gone has no number.
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

/// Before everything.
const BEGINNING: (Timestamp, IncursionId) = (Timestamp::from_micros(i64::MIN), IncursionId(0));
