//! Expiry of reports: deletes old figures and files, and fails reports whose job was given up.

use blobs::{Key, Upload};
use domain::{Span, Timestamp};
use store::{ReportObject, Scope, Tx};

use crate::{App, Error};

/// Reports per transaction, so that other writers do not wait for long.
const BATCH_SIZE: i64 = 100;
const DAY_MINUTES: i64 = 24 * 60;

#[macros::boxed]
impl App {
    /// Deletes the figures and files of reports, and the texts of site reports, past their retention, and fails those whose job was
    /// given up; returns how many. The rows change before the objects are deleted, so that everything that is listed exists.
    pub async fn expire_reports(&self) -> Result<u64, Error> {
        let now = self.clock.now();
        let mut ended = 0;
        loop {
            let mut tx = self.store.begin().await?;
            let mut expired = tx.expired_reports(&self.platform);
            let (abandoned, mut gone) = expired.fail_abandoned(now, BATCH_SIZE).await?;
            let (due, objects) = expired.expire_due(now, BATCH_SIZE).await?;
            let texts = expired.fail_abandoned_site_reports(now, BATCH_SIZE).await?
                + expired.expire_site_reports(now, BATCH_SIZE).await?;
            if abandoned + due + texts == 0 {
                return Ok(ended);
            }
            tx.commit().await?;
            ended += abandoned + due + texts;
            gone.extend(objects);
            self.delete_report_objects(&gone).await;
        }
    }

    /// Deletes the rows of reports and site reports that failed or expired before a time.
    pub(crate) async fn delete_ended_reports(&self, before: Timestamp) -> Result<(), Error> {
        loop {
            let mut tx = self.store.begin().await?;
            if tx.expired_reports(&self.platform).delete_before(before, BATCH_SIZE).await? == 0 {
                return Ok(());
            }
            tx.commit().await?;
        }
    }

    /// Deletes objects that no row refers to any more. One that cannot be deleted now is removed later as an orphaned object.
    pub(crate) async fn delete_report_objects(&self, gone: &[ReportObject]) {
        for ReportObject { brand, report, upload } in gone {
            if let Some(upload) = Upload::parse(upload)
                && let Err(error) = self.blobs.delete(&Key::Report(*brand, *report, upload)).await
            {
                tracing::warn!("an object of report {report} could not be deleted: {error}");
            }
        }
    }

    /// Returns when something expires that was computed from facts at a time: after the configured retention, but not later than
    /// incursions of that time are deleted. Must be called under the brand's lock, in the transaction that stores the time: a shorter
    /// retention is then known here, or finds what is stored.
    pub(crate) async fn report_expiry(
        &self,
        tx: &mut Tx,
        brand: &Scope,
        computed_at: Timestamp,
    ) -> Result<Timestamp, Error> {
        let retention = tx.brand_settings(brand).await?.values.retention;
        let configured = i64::from(self.reports_setup.config.retention_days);
        let days = retention.incursions_days.map_or(configured, |days| days.min(configured));
        Ok(computed_at + Span::minutes(days * DAY_MINUTES))
    }
}
