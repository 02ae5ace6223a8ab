//! Reports of all brands that have expired or were abandoned, and the objects that hold their figures and files.

use domain::row::FromRow;
use domain::{BrandId, ReportId, Timestamp};

use crate::engine::row::Row;
use crate::engine::statement::sql;
use crate::reports::report_files::{self, ReportObject};
use crate::reports::report_runs;
use crate::{Error, Platform, Tx};

/// The reason of what failed because its job was given up.
const GIVEN_UP: &str = "given_up";

/// An object of a report that is stored, with its size and hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReportObject {
    pub object: ReportObject,
    pub size_bytes: u64,
    pub sha256: Vec<u8>,
}

impl FromRow<Row> for StoredReportObject {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let size_bytes: i64 = row.get("size_bytes")?;
        Ok(Self {
            object: ReportObject::from_row(row)?,
            size_bytes: u64::try_from(size_bytes).unwrap_or_default(),
            sha256: row.get("sha256")?,
        })
    }
}

#[derive(macros::FromRow)]
struct DueReport {
    brand_id: BrandId,
    id: ReportId,
}

/// Returns up to `limit` stored objects after this one, ordered by report and upload.
pub(crate) async fn list_stored(
    tx: &mut Tx,
    (report, upload): (ReportId, String),
    limit: i64,
) -> Result<Vec<StoredReportObject>, Error> {
    tx.all(sql!(
        "select o.brand_id, o.id, o.upload, o.size_bytes, o.sha256 from (
             select brand_id, id, figures_upload as upload, figures_bytes as size_bytes, figures_sha256 as sha256
             from reports where id >= $1 and figures_upload is not null
             union all
             select brand_id, report_id as id, upload, size_bytes, sha256 from report_files where report_id >= $1) o
         where o.id > $1 or o.upload > $2 order by o.id, o.upload limit $3",
        report,
        upload,
        limit
    ))
    .await
}

/// The reports and site reports of all brands, for cleaning up.
pub struct ExpiredReports<'a>(&'a mut Tx);

impl Tx {
    pub fn expired_reports(&mut self, _: &Platform) -> ExpiredReports<'_> {
        ExpiredReports(self)
    }
}

#[macros::boxed]
impl ExpiredReports<'_> {
    /// Fails up to `limit` unfinished reports whose job has failed, for instance because its workers died. Returns how many they were, and
    /// the objects to delete. A report that has been ready before is ready again.
    pub async fn fail_abandoned(
        &mut self,
        now: Timestamp,
        limit: i64,
    ) -> Result<(u64, Vec<ReportObject>), Error> {
        let lock = self.0.queue_lock();
        let text = "select brand_id, id from reports where state in ('queued', 'running')
                 and exists (select 1 from jobs j where j.id = reports.job_id and j.state = 'failed')
             order by id limit $1";
        let abandoned: Vec<DueReport> = self.0.all(sql!(text, limit).push(lock)).await?;
        let mut gone = Vec::new();
        for DueReport { brand_id, id } in &abandoned {
            let removed = report_runs::fail(self.0, (*brand_id, *id), GIVEN_UP, now).await?;
            gone.extend(removed.unwrap_or_default());
        }
        Ok((abandoned.len() as u64, gone))
    }

    /// The same for site reports, which have no objects.
    pub async fn fail_abandoned_site_reports(&mut self, now: Timestamp, limit: i64) -> Result<u64, Error> {
        let lock = self.0.queue_lock();
        let text = "update site_reports set state = 'failed', reason = $3, version = version + 1, finished_at = $1, updated_at = $1
             where id in (select s.id from site_reports s where s.state in ('queued', 'running')
                 and exists (select 1 from jobs j where j.id = s.job_id and j.state = 'failed')
             order by s.id limit $2";
        self.0.execute(sql!(text, now, limit, GIVEN_UP).push(lock).push(")")).await
    }

    /// Expires up to `limit` reports past their retention, and returns how many they were and the objects to delete.
    pub async fn expire_due(
        &mut self,
        now: Timestamp,
        limit: i64,
    ) -> Result<(u64, Vec<ReportObject>), Error> {
        // Those that another writer has locked are left to the next time.
        let lock = self.0.queue_lock();
        let text = "select brand_id, id from reports where state = 'ready' and expires_at <= $1
             order by expires_at, id limit $2";
        let due: Vec<DueReport> = self.0.all(sql!(text, now, limit).push(lock)).await?;
        let mut gone = Vec::new();
        for DueReport { brand_id, id } in &due {
            gone.extend(report_files::remove_objects(self.0, *brand_id, *id).await?);
            let text =
                "update reports set state = 'expired', generation = generation + 1, version = version + 1,
                     updated_at = $3
                 where brand_id = $1 and id = $2";
            self.0.execute(sql!(text, *brand_id, *id, now)).await?;
        }
        Ok((due.len() as u64, gone))
    }

    /// Expires up to `limit` site reports past their retention, and returns how many.
    pub async fn expire_site_reports(&mut self, now: Timestamp, limit: i64) -> Result<u64, Error> {
        let lock = self.0.queue_lock();
        let text = "update site_reports set state = 'expired', facts = null, sentences = null, checks = null,
                 version = version + 1, updated_at = $1
             where id in (select s.id from site_reports s where s.state = 'ready' and s.expires_at <= $1
             order by s.expires_at, s.id limit $2";
        self.0.execute(sql!(text, now, limit).push(lock).push(")")).await
    }

    /// Returns up to `limit` stored objects after this one, ordered by report and upload.
    pub async fn stored(
        &mut self,
        after: (ReportId, String),
        limit: i64,
    ) -> Result<Vec<StoredReportObject>, Error> {
        list_stored(self.0, after, limit).await
    }

    /// Returns the objects of these reports that rows refer to.
    pub async fn objects(&mut self, reports: &[ReportId]) -> Result<Vec<ReportObject>, Error> {
        let figures = sql!(
            "select brand_id, id, figures_upload as upload from reports where figures_upload is not null"
        );
        let mut objects: Vec<ReportObject> =
            self.0.all(figures.and_in("id", reports.iter().copied())).await?;
        let files = sql!(
            "select f.brand_id, f.report_id as id, f.upload from reports r
             join report_files f on f.brand_id = r.brand_id and f.report_id = r.id where 1 = 1"
        );
        let files: Vec<ReportObject> = self.0.all(files.and_in("r.id", reports.iter().copied())).await?;
        objects.extend(files);
        Ok(objects)
    }

    /// Forgets objects that are missing. A file can be made again from its figures; without figures, a report that was ready has expired,
    /// and one that never was is computed anew.
    pub async fn forget_missing(&mut self, objects: &[ReportObject], now: Timestamp) -> Result<(), Error> {
        for ReportObject { brand, report, upload } in objects {
            let text = "delete from report_files where brand_id = $1 and report_id = $2 and upload = $3";
            let files = self.0.execute(sql!(text, *brand, *report, upload.as_str())).await?;
            let text = "update reports set state = case when finished_at is null then state else 'expired' end,
                     reason = case when finished_at is null then reason else 'figures_missing' end,
                     expires_at = case when finished_at is null then expires_at else $4 end, generation = generation + 1
                 where brand_id = $1 and id = $2 and figures_upload = $3";
            if self.0.execute(sql!(text, *brand, *report, upload.as_str(), now)).await? > 0 {
                // Without their row, the other objects become orphaned.
                report_files::remove_objects(self.0, *brand, *report).await?;
            } else if files == 0 {
                continue;
            }
            let text =
                "update reports set version = version + 1, updated_at = $3 where brand_id = $1 and id = $2";
            self.0.execute(sql!(text, *brand, *report, now)).await?;
        }
        Ok(())
    }

    /// Deletes up to `limit` reports, and as many site reports, that failed or expired before a time, the oldest first. Returns how many
    /// they were together.
    pub async fn delete_before(&mut self, before: Timestamp, limit: i64) -> Result<u64, Error> {
        let lock = self.0.queue_lock();
        let mut deleted = 0;
        for text in [
            "delete from reports where id in (select r.id from reports r
                 where r.state in ('failed', 'expired') and r.updated_at < $1 order by r.updated_at, r.id limit $2",
            "delete from site_reports where id in (select r.id from site_reports r
                 where r.state in ('failed', 'expired') and r.updated_at < $1 order by r.updated_at, r.id limit $2",
        ] {
            deleted += self.0.execute(sql!(text, before, limit).push(lock).push(")")).await?;
        }
        Ok(deleted)
    }
}
