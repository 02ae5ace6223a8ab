//! Periodic housekeeping that depends only on the state of the store.

use domain::{EmailAddress, SortedMap, Span};
use serde_json::json;

use crate::accounts::login_buckets::UNKNOWN_ACCOUNT;
use crate::platform::audit::AuditEntry;
use crate::platform::idempotency;
use crate::{App, Error};

/// Failed logins per transaction; the rest is processed the next time.
const MAX_ROWS: i64 = 1_000;
/// Ended sessions and links are stored for this long.
const ENDED_RETENTION: Span = Span::minutes(30 * 24 * 60);
/// Jobs are stored for this long: completed ones for inspection, failed ones until someone has had time to look at them.
const DONE_JOBS_RETENTION: Span = Span::minutes(7 * 24 * 60);
const FAILED_JOBS_RETENTION: Span = Span::minutes(90 * 24 * 60);
/// Exports without a file are stored for this long, so that their users can see what became of them.
const EXPORTS_RETENTION: Span = Span::minutes(90 * 24 * 60);
/// The same for reports and site reports.
const REPORTS_RETENTION: Span = Span::minutes(90 * 24 * 60);
/// Slots are stored for this long, which is longer than the clocks of hosts ever differ.
const SLOTS_RETENTION: Span = Span::minutes(3 * 24 * 60);

#[macros::boxed]
impl App {
    /// Writes failed logins of past minutes to the audit log, one row per account and minute, and one for all unknown accounts; deletes
    /// those that no longer throttle anyone.
    pub async fn audit_failed_logins(&self) -> Result<(), Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        self.lock_audit_log(&mut tx).await?;
        let window = Span::minutes(i64::from(self.config.attempts.window_minutes) + 1);
        let cutoff = (now - window).truncate_to_minute();
        // In this order, because logins lock the rows of both tables in the same order.
        tx.login_throttle(&self.platform).delete_outside(cutoff, now + Span::minutes(1)).await?;
        let taken =
            tx.failed_logins(&self.platform).take_unaudited(now.truncate_to_minute(), MAX_ROWS).await?;
        let taken = taken.into_iter().map(|one| ((one.minute, one.account), (one.count, 1)));
        let totals = SortedMap::merged(taken, |total, more| {
            total.0 += more.0;
            total.1 += more.1;
        });
        for ((minute, account), (refusals, addresses)) in totals {
            if account == UNKNOWN_ACCOUNT {
                let audit_entry = AuditEntry::by_service(None, None).on_kind("login.refused", "account");
                self.record_audit(
                    &mut tx,
                    audit_entry.with_details(json!({ "minute": minute, "refusals": refusals })),
                )
                .await?;
                continue;
            }
            let user = match EmailAddress::parse_stored(&account) {
                Ok(email) => tx.users(&self.platform).by_email(&email).await?,
                Err(_) => None,
            };
            self.record_audit(
                &mut tx,
                AuditEntry::by_service(user.map(|found| found.user.brand), None)
                    .on_kind("login.refused", "account")
                    .with_details(json!({ "minute": minute, "refusals": refusals, "addresses": addresses }))
                    .with_personal(&json!({ "account": account })),
            )
            .await?;
        }
        tx.failed_logins(&self.platform).delete_audited(cutoff).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Deletes expired sessions, stored responses, links, jobs, exports, reports and slots, and firings of alerts that cleared long ago.
    pub async fn delete_expired(&self) -> Result<(), Error> {
        let now = self.clock.now();
        let before = now - ENDED_RETENTION;
        let mut tx = self.store.begin().await?;
        tx.sessions(&self.platform).delete_before(before).await?;
        tx.idempotency_keys().delete_before(now - idempotency::RETENTION).await?;
        tx.account_links(&self.platform).delete_before(before).await?;
        tx.jobs(&self.platform)
            .delete_finished(now - DONE_JOBS_RETENTION, now - FAILED_JOBS_RETENTION)
            .await?;
        tx.expired_exports(&self.platform).delete_before(now - EXPORTS_RETENTION).await?;
        tx.jobs(&self.platform).delete_slots_before(now - SLOTS_RETENTION).await?;
        tx.commit().await?;
        // By the retention of each brand, hence in transactions of their own.
        self.delete_old_alerts().await?;
        self.delete_ended_reports(now - REPORTS_RETENTION).await
    }

    /// Empties SQLite's write-ahead log, in which texts that were erased stay until it is written over. If a reader prevents it, the next
    /// attempt does it.
    pub async fn empty_write_ahead_log(&self) -> Result<(), Error> {
        self.store.empty_write_ahead_log().await?;
        Ok(())
    }
}
