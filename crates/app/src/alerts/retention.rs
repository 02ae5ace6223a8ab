//! How long firings are stored.

use domain::{BrandId, Span, Timestamp};

use crate::{App, Error};

/// Rows that are deleted in one transaction.
const BATCH_SIZE: i64 = 500;
const DAY: Span = Span::minutes(24 * 60);
/// What was sent without a firing, such as tests, is stored for this long.
const TESTS_RETENTION: Span = Span::minutes(30 * 24 * 60);

#[macros::boxed]
impl App {
    /// Deletes firings that cleared long ago, with what was sent for them; returns how many. A brand that keeps incursions for a shorter
    /// time keeps firings, which name incursions, for no longer.
    pub async fn delete_old_alerts(&self) -> Result<u64, Error> {
        let brands = self.store.read().await?.brands(&self.platform).all().await?;
        let mut deleted = 0;
        for brand in brands {
            deleted += self.delete_old_alerts_of(brand.id).await?;
        }
        Ok(deleted)
    }

    async fn delete_old_alerts_of(&self, brand: BrandId) -> Result<u64, Error> {
        let scope = self.scope_of(brand);
        let kept_incursions =
            self.store.read().await?.brand_settings(&scope).await?.values.retention.incursions_days;
        let now = self.clock.now();
        let before = deleted_before(now, self.alerts.setup.config.retention_days, kept_incursions);
        let mut deleted = 0;
        loop {
            let mut tx = self.store.begin().await?;
            let firings = tx.alert_firings(&scope).delete_before(before, BATCH_SIZE).await?;
            let tests =
                tx.alert_firings(&scope).delete_without_firing(now - TESTS_RETENTION, BATCH_SIZE).await?;
            tx.commit().await?;
            deleted += firings;
            if i64::try_from(firings.max(tests)).unwrap_or(i64::MAX) < BATCH_SIZE {
                return Ok(deleted);
            }
        }
    }
}

/// Returns the time before which firings must have cleared to be deleted.
fn deleted_before(now: Timestamp, retention_days: u32, kept_incursions: Option<i64>) -> Timestamp {
    let days = i64::from(retention_days);
    let days = kept_incursions.map_or(days, |kept| days.min(kept));
    now - Span::from_micros(DAY.micros().saturating_mul(days))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn firings_outlive_no_incursions() {
        let now = Timestamp::parse("2026-03-01T12:00:00Z").unwrap();
        for (kept, before) in [
            (None, "2025-03-01T12:00:00Z"),
            (Some(400), "2025-03-01T12:00:00Z"),
            (Some(30), "2026-01-30T12:00:00Z"),
        ] {
            assert_eq!(deleted_before(now, 365, kept).to_string(), before, "{kept:?}");
        }
    }
}
