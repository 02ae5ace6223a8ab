//! What time does to facts: ends that never came are given up, and what is too old is taken away.

use domain::{IncursionId, Span, Timestamp};
use store::{AgedFact, ChangeCause, FactMark, Scope, WalkedBy};

use crate::facts::intake::LONGEST_OPEN;
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
        let until = now - LONGEST_OPEN;
        let mut tx = self.store.read().await?;
        let mut at = match tx.fact_retention(scope).mark(FactMark::IncursionsClosedUntil).await? {
            Some(mark) => mark,
            None => match tx.incursion_walks(scope).next(WalkedBy::Time, BEGINNING, until, 1).await?.pop() {
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
                let mut page = tx.incursion_walks(scope).next(WalkedBy::Open, from, to, PAGE).await?;
                drop(tx);
                if page.is_empty() {
                    break;
                }
                let mut tx = self.store.begin().await?;
                let last_seq = tx.take_seq(scope, PAGE).await?.last_seq;
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
        tx.fact_retention(scope).set_mark(FactMark::IncursionsClosedUntil, until).await?;
        tx.commit().await?;
        Ok(closed)
    }

    /// Takes away what is older than each brand wants to keep it.
    pub async fn forget_old_facts(&self) -> Result<u64, Error> {
        let mut taken = 0;
        for scope in self.all_scopes().await? {
            let keep = self.store.read().await?.brand_settings(&scope).await?.values.keep;
            for (fact, days) in [
                (AgedFact::Incursions, keep.incursions_days),
                (AgedFact::Runtime, keep.runtime_days),
                (AgedFact::Tracks, keep.tracks_days),
                (AgedFact::Events, keep.events_days),
                (AgedFact::Messages, keep.events_days),
                (AgedFact::Tests, keep.tests_days),
            ] {
                if let Some(days) = days {
                    let before = self.clock.now() - Span::minutes(days * 24 * 60);
                    taken += self.take_away(&scope, fact, before).await?;
                }
            }
        }
        Ok(taken)
    }

    async fn take_away(&self, scope: &Scope, fact: AgedFact, before: Timestamp) -> Result<u64, Error> {
        let mut taken = 0;
        loop {
            let mut tx = self.store.begin().await?;
            tx.take_seq(scope, 0).await?;
            let count = tx.fact_retention(scope).take_away(fact, before, PAGE).await?;
            if count == 0 {
                return Ok(taken);
            }
            taken += count;
            // Whoever follows the changes learns of it by this: a row that is gone has no number.
            match fact {
                AgedFact::Incursions => {
                    tx.fact_retention(scope).set_mark(FactMark::IncursionsKeptFrom, before).await?;
                }
                AgedFact::Runtime => {
                    tx.fact_retention(scope).set_mark(FactMark::RuntimeKeptFrom, before).await?;
                }
                AgedFact::Tracks | AgedFact::Events | AgedFact::Messages | AgedFact::Tests => {}
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
