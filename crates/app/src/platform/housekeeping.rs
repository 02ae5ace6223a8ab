//! What has to be done now and then, looking only at the state of the store.

use std::collections::BTreeMap;

use domain::{Email, Span, Timestamp};
use serde_json::json;

use crate::accounts::login_buckets::UNKNOWN;
use crate::platform::audit::Act;
use crate::platform::once;
use crate::{App, Error};

/// How many counts are taken up in one transaction; the rest waits for the next time.
const MOST_ROWS: i64 = 1_000;
/// How long ended things are kept after they stopped mattering.
const KEPT: Span = Span::minutes(30 * 24 * 60);
/// How long jobs are kept: done ones to be looked at, given-up ones until someone has had the time to.
const DONE_JOBS_KEPT: Span = Span::minutes(7 * 24 * 60);
const FAILED_JOBS_KEPT: Span = Span::minutes(90 * 24 * 60);
/// How long exports without a file are kept, for those who asked for them to look at.
const EXPORTS_KEPT: Span = Span::minutes(90 * 24 * 60);
/// How long ticks are kept; longer than clocks of hosts ever differ.
const SLOTS_KEPT: Span = Span::minutes(3 * 24 * 60);

impl App {
    /// Puts refused logins of past minutes into the audit log, one row per account and minute, and one for all accounts that do
    /// not exist; forgets those that make nobody wait any more.
    pub async fn sum_refused_logins(&self) -> Result<(), Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        self.lock_audit_log(&mut tx).await?;
        let window = Span::minutes(i64::from(self.config.attempts.window_minutes) + 1);
        let forgotten = (now - window).minute();
        // First this, then the other: logins lock the rows of both in that order.
        tx.login_throttle(&self.platform).forget(forgotten, now + Span::minutes(1)).await?;
        let taken = tx.login_refusals(&self.platform).take(now.minute(), MOST_ROWS).await?;
        let mut sums: BTreeMap<(Timestamp, String), (i64, i64)> = BTreeMap::new();
        for refusals in taken {
            let (count, addresses) = sums.entry((refusals.minute, refusals.account)).or_default();
            *count += refusals.count;
            *addresses += 1;
        }
        for ((minute, account), (refusals, addresses)) in sums {
            if account == UNKNOWN {
                let act = Act::of_service(None, None).on_kind("login.refused", "account");
                self.record(&mut tx, act.with(json!({ "minute": minute, "refusals": refusals }))).await?;
                continue;
            }
            let user = match Email::parse(&account) {
                Ok(email) => tx.users(&self.platform).by_email(&email).await?,
                Err(_) => None,
            };
            self.record(
                &mut tx,
                Act::of_service(user.map(|found| found.user.brand), None)
                    .on_kind("login.refused", "account")
                    .with(json!({ "minute": minute, "refusals": refusals, "addresses": addresses }))
                    .with_personal(&json!({ "account": account })),
            )
            .await?;
        }
        tx.login_refusals(&self.platform).forget(forgotten).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Forgets what nothing asks for any more: sessions, answers, links, jobs, exports.
    pub async fn forget_old(&self) -> Result<(), Error> {
        let now = self.clock.now();
        let before = now - KEPT;
        let mut tx = self.store.begin().await?;
        tx.sessions(&self.platform).forget(before).await?;
        tx.idempotency_keys().forget(now - once::KEPT).await?;
        tx.account_links(&self.platform).forget(before).await?;
        tx.jobs(&self.platform).forget(now - DONE_JOBS_KEPT, now - FAILED_JOBS_KEPT).await?;
        tx.old_exports(&self.platform).forget(now - EXPORTS_KEPT).await?;
        tx.jobs(&self.platform).forget_slots(now - SLOTS_KEPT).await?;
        tx.commit().await?;
        Ok(())
    }
}
