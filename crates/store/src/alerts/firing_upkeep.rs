//! Changes of firings: peaks, missing data, what was sent, and the end of several at once.

use domain::{AlertFiringId, AlertRuleId, ClearReason, PersonId, Timestamp};

use crate::Error;
use crate::alerts::firings::{AlertFirings, BATCH_SIZE, PeakValue};
use crate::engine::dialect::{BulkStatement, Rows};
use crate::engine::statement::sql;

const RAISE_PEAKS: BulkStatement = BulkStatement {
    before: "update alert_firings set peak_numerator = v.column3, peak_denominator = v.column4, updated_at = v.column5,
                 version = version + 1
             from ",
    after: "where alert_firings.brand_id = v.column1 and alert_firings.id = v.column2 and alert_firings.cleared_at is null",
};

#[macros::boxed]
impl AlertFirings<'_> {
    /// Sets since when an open firing has had no data, or that it has some again.
    pub async fn set_no_data(&mut self, id: AlertFiringId, since: Option<Timestamp>) -> Result<(), Error> {
        let text = "update alert_firings set no_data_since = $3 where brand_id = $1 and id = $2 and cleared_at is null";
        self.0.execute(sql!(text, self.1.brand(), id, since)).await?;
        Ok(())
    }

    /// Replaces the peaks of open firings.
    pub async fn raise_peaks(&mut self, peaks: &[PeakValue], now: Timestamp) -> Result<(), Error> {
        let brand = self.1.brand();
        let rows = Rows::default()
            .column(peaks.iter().map(|_| brand))
            .column(peaks.iter().map(|peak| peak.firing))
            .column(peaks.iter().map(|peak| peak.value.numerator))
            .column(peaks.iter().map(|peak| peak.value.denominator))
            .column(peaks.iter().map(|_| now));
        self.0.execute_bulk(RAISE_PEAKS, rows).await?;
        Ok(())
    }

    /// Records that people are notified now of firings which were held.
    pub async fn set_told(&mut self, ids: &[AlertFiringId], now: Timestamp) -> Result<(), Error> {
        self.end_holding(ids, true, now).await
    }

    /// Records that nobody is notified any more of firings which were held.
    pub async fn set_not_told(&mut self, ids: &[AlertFiringId], now: Timestamp) -> Result<(), Error> {
        self.end_holding(ids, false, now).await
    }

    async fn end_holding(
        &mut self,
        ids: &[AlertFiringId],
        is_told: bool,
        now: Timestamp,
    ) -> Result<(), Error> {
        let text =
            "update alert_firings set held_until = null, is_told = $2, version = version + 1, updated_at = $3
             where brand_id = $1";
        for some in ids.chunks(BATCH_SIZE) {
            let statement = sql!(text, self.1.brand(), is_told, now);
            self.0.execute(statement.and_in_padded("id", some.iter().copied())).await?;
        }
        Ok(())
    }

    /// Records that firings which are held are held until another time.
    pub async fn set_held_until(
        &mut self,
        ids: &[AlertFiringId],
        until: Timestamp,
        now: Timestamp,
    ) -> Result<(), Error> {
        let text = "update alert_firings set held_until = $2, version = version + 1, updated_at = $3
             where brand_id = $1 and held_until <> $2";
        for some in ids.chunks(BATCH_SIZE) {
            let statement = sql!(text, self.1.brand(), until, now);
            self.0.execute(statement.and_in_padded("id", some.iter().copied())).await?;
        }
        Ok(())
    }

    /// Clears all open firings of a rule, and returns how many.
    pub async fn close_all(
        &mut self,
        rule: AlertRuleId,
        reason: ClearReason,
        now: Timestamp,
    ) -> Result<u64, Error> {
        let text = "update alert_firings set cleared_at = $3, clear_reason = $4, version = version + 1, updated_at = $3
             where brand_id = $1 and rule_id = $2 and cleared_at is null";
        self.0.execute(sql!(text, self.1.brand(), rule, now, reason.as_str())).await
    }

    /// Removes a person from all firings about them; open ones clear. Returns how many there were. The person is also removed from what
    /// the rules of other firings were restricted to.
    pub async fn erase_person(&mut self, id: PersonId, now: Timestamp) -> Result<u64, Error> {
        let brand = self.1.brand();
        self.0.lock_alert_cursor(brand).await?;
        let erased = self
            .0
            .execute(sql!(
                "update alert_firings set person_id = null, split_key = 'erased:' || cast(id as text),
                     clear_reason = case when cleared_at is null then $4 else clear_reason end,
                     cleared_at = coalesce(cleared_at, $3), version = version + 1, updated_at = $3
                 where brand_id = $1 and person_id = $2",
                brand,
                id,
                now,
                ClearReason::PersonErased.as_str()
            ))
            .await?;
        self.erase_from_scopes(id).await?;
        if erased > 0 {
            self.0.bump_alert_cursor(brand, now).await?;
        }
        Ok(erased)
    }
}
