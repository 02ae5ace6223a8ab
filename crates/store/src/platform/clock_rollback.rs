//! Repairs timestamps that were written while the clock was ahead, after it has been set back.
//!
//! A row with a creation time and an end time implies a duration. If its creation time is in the future, the clock was ahead: the
//! creation time is set to now, and the end time to one duration from now.

use domain::{Span, Timestamp, UNUSED_PASSWORD_LIFETIME};

use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// Longer than any lease on a brand's alerts, and than the time after which they are looked at again.
const LONGEST_ALERT_WAIT: Span = Span::minutes(2);

/// At least as long as any lease on the copy of a brand in a warehouse.
const LONGEST_COPY_LEASE: Span = Span::seconds(15);

/// At least as long as any lease on the saved columns of a brand.
const LONGEST_COLUMN_LEASE: Span = Span::minutes(10);

#[macros::boxed]
impl Tx {
    /// Repairs every row with a timestamp after `ahead` and returns the number of rows. The gap between `now` and `ahead` is the
    /// tolerated difference between the clocks of hosts.
    pub async fn clamp_future_timestamps(
        &mut self,
        _: &Platform,
        now: Timestamp,
        ahead: Timestamp,
    ) -> Result<u64, Error> {
        let statements = [
            sql!(
                "update sessions set
                     expires_at = case when created_at > $1 then expires_at - created_at + $1 else expires_at end,
                     created_at = case when created_at > $1 then $1 else created_at end,
                     last_used_at = case when last_used_at > $1 then $1 else last_used_at end,
                     refreshed_at = case when refreshed_at > $1 then $1 else refreshed_at end,
                     proven_at = case when proven_at > $1 then $1 else proven_at end
                 where ended_at is null
                     and (created_at > $2 or last_used_at > $2 or refreshed_at > $2 or proven_at > $2)",
                now,
                ahead
            ),
            // The overlap of a replaced token counts from the time at which it was replaced.
            sql!(
                "update service_tokens set expires_at = expires_at - replaced_at + $1, replaced_at = $1
                 where ended_at is null and replaced_at > $2",
                now,
                ahead
            ),
            sql!(
                "update account_links set expires_at = expires_at - created_at + $1, created_at = $1
                 where created_at > $2",
                now,
                ahead
            ),
            // Both the wait before a retry and the lease count from `updated_at`.
            sql!(
                "update jobs set run_at = run_at - updated_at + $1, leased_until = leased_until - updated_at + $1,
                     updated_at = $1
                 where state in ('waiting', 'running') and updated_at > $2",
                now,
                ahead
            ),
            sql!(
                "update exports set expires_at = expires_at - finished_at + $1, finished_at = $1
                 where finished_at > $2",
                now,
                ahead
            ),
            // Requests that wait for video, and uploads with the time of their last byte.
            sql!(
                "update video_clips set
                     expires_at = case when created_at > $1 then expires_at - created_at + $1 else expires_at end,
                     created_at = case when created_at > $1 then $1 else created_at end,
                     updated_at = case when updated_at > $1 then $1 else updated_at end
                 where state in ('requested', 'uploading') and (created_at > $2 or updated_at > $2)",
                now,
                ahead
            ),
            // The retention of video counts from the time at which it became available.
            sql!(
                "update video_clips set available_at = $1 where state = 'available' and available_at > $2",
                now,
                ahead
            ),
            // Messages that a station has not fetched yet.
            sql!(
                "update messages set expires_at = expires_at - queued_at + $1, queued_at = $1, updated_at = $1
                 where delivered_at is null and queued_at > $2",
                now,
                ahead
            ),
            sql!("update idempotency_keys set created_at = $1 where created_at > $2", now, ahead),
            // The initial password, whose row has no creation time.
            sql!(
                "update users set password_expires_at = $1 where password_expires_at > $2",
                now + UNUSED_PASSWORD_LIFETIME,
                ahead + UNUSED_PASSWORD_LIFETIME
            ),
            sql!(
                "update alert_cursors set leased_until = $1, next_due_at = $1
                 where leased_until > $2 or next_due_at > $2",
                now,
                ahead + LONGEST_ALERT_WAIT
            ),
            sql!(
                "update warehouse_copies set leased_until = $1 where leased_until > $2",
                now,
                ahead + LONGEST_COPY_LEASE
            ),
            sql!(
                "update column_manifests set leased_until = $1 where leased_until > $2",
                now,
                ahead + LONGEST_COLUMN_LEASE
            ),
            sql!(
                "update saved_columns set leased_until = $1 where leased_until > $2",
                now,
                ahead + LONGEST_COLUMN_LEASE
            ),
            // The cool-down of an alert counts from the last clearing, and the limit of missing data from its beginning.
            sql!(
                "update alert_firings set
                     cleared_at = case when cleared_at > $1 then $1 else cleared_at end,
                     no_data_since = case when no_data_since > $1 then $1 else no_data_since end
                 where cleared_at > $2 or no_data_since > $2",
                now,
                ahead
            ),
            sql!("update alert_rules set judged_at = $1 where judged_at > $2", now, ahead),
            // A digest waits from its creation; what is held waits for an hour of the day, which stays.
            sql!(
                "update alert_messages set
                     send_at = case when kind = 'digest' then send_at - created_at + $1 else send_at end,
                     created_at = $1
                 where created_at > $2",
                now,
                ahead
            ),
            // The day after which a webhook is given up counts from the creation of the delivery.
            sql!(
                "update alert_deliveries set next_attempt_at = next_attempt_at - created_at + $1, created_at = $1
                 where created_at > $2",
                now,
                ahead
            ),
            sql!(
                "update webhooks set old_secret_until = old_secret_until - secret_since + $1, secret_since = $1
                 where secret_since > $2",
                now,
                ahead
            ),
            // Slots taken in the future would be skipped when their time comes.
            sql!("delete from job_slots where taken_at > $1", ahead),
        ];
        let mut touched = 0;
        for statement in statements {
            touched += self.execute(statement).await?;
        }
        Ok(touched)
    }
}
