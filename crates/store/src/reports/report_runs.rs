//! The runs of reports. Each has a generation, so that what a superseded run has made is refused.

use domain::{BrandId, ReportId, ReportState, Span, Timestamp};

use crate::engine::statement::{Statement, sql};
use crate::reports::coverage::{OF_REPORTS, ReportCoverage};
use crate::reports::report_files::{self, ReportObject};
use crate::reports::report_rows::ReportsOfBrand;
use crate::{Error, Tx};

#[derive(macros::FromRow)]
struct Started {
    generation: i64,
    figures_upload: Option<String>,
}

#[derive(macros::FromRow)]
struct State(#[row(column = "state")] ReportState);

/// Fails a report that is queued or running, and returns the objects to delete; none if it has ended. One that has been ready before is
/// ready again, without a reason: its figures and the files that it had are still there.
pub(super) async fn fail(
    tx: &mut Tx,
    (brand, id): (BrandId, ReportId),
    reason: &str,
    now: Timestamp,
) -> Result<Option<Vec<ReportObject>>, Error> {
    let found: Option<State> = tx
        .optional(sql!(
            "update reports set state = case when finished_at is null then 'failed' else 'ready' end,
                 reason = case when finished_at is null then $3 else null end,
                 percent = case when finished_at is null then percent else 100 end, version = version + 1,
                 finished_at = coalesce(finished_at, $4), updated_at = $4
             where brand_id = $1 and id = $2 and state in ('queued', 'running') returning state",
            brand,
            id,
            reason,
            now
        ))
        .await?;
    match found {
        None => Ok(None),
        Some(State(ReportState::Failed)) => report_files::remove_objects(tx, brand, id).await.map(Some),
        Some(State(_)) => Ok(Some(Vec::new())),
    }
}

#[macros::boxed]
impl ReportsOfBrand<'_> {
    /// Starts or restarts an unfinished report, and returns its new generation, which is valid until the next start. Returns none if
    /// the report does not exist or has ended. What it covers and whether it names people stays as it is once there are figures.
    ///
    /// Must be called under the brand's lock: an erasure then either finds the report running, or precedes its reads.
    pub async fn begin(
        &mut self,
        id: ReportId,
        coverage: &ReportCoverage,
        names_people: bool,
        now: Timestamp,
    ) -> Result<Option<i64>, Error> {
        let found: Option<Started> = self
            .0
            .optional(sql!(
                "update reports set state = 'running', percent = 0, generation = generation + 1, version = version + 1,
                     all_projects = case when figures_upload is null then $3 else all_projects end,
                     names_people = case when figures_upload is null then $4 else names_people end, updated_at = $5
                 where brand_id = $1 and id = $2 and state in ('queued', 'running')
                 returning generation, figures_upload",
                self.1.brand(),
                id,
                coverage.is_all(),
                names_people,
                now
            ))
            .await?;
        let Some(Started { generation, figures_upload }) = found else { return Ok(None) };
        if figures_upload.is_none() {
            OF_REPORTS.replace(self.0, (self.1.brand(), id.0), coverage).await?;
        }
        Ok(Some(generation))
    }

    /// Stores the progress; returns false if this generation has been superseded.
    pub async fn record_progress(
        &mut self,
        id: ReportId,
        generation: i64,
        percent: i64,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let update =
            sql!("update reports set percent = $1, version = version + 1, updated_at = $2", percent, now);
        self.update_if_running(update, id, generation).await
    }

    /// Marks the report as ready; returns false if this generation has been superseded. A remake expires when the report would have.
    pub async fn finish(
        &mut self,
        id: ReportId,
        generation: i64,
        (now, expires_at): (Timestamp, Timestamp),
    ) -> Result<bool, Error> {
        let update = sql!(
            "update reports set state = 'ready', reason = null, percent = 100, version = version + 1, finished_at = $1,
                 updated_at = $1, expires_at = coalesce(expires_at, $2)",
            now,
            expires_at
        );
        self.update_if_running(update, id, generation).await
    }

    /// Fails a report that is queued or running, and returns whether it was. One that has been ready before is ready again, as it was.
    /// Otherwise what was stored of it becomes orphaned.
    pub async fn fail(&mut self, id: ReportId, reason: &str, now: Timestamp) -> Result<bool, Error> {
        Ok(fail(self.0, (self.1.brand(), id), reason, now).await?.is_some())
    }

    /// Lets the reports and site reports of the brand expire so long after they were computed, if they would later.
    pub async fn shorten_retention(&mut self, retention: Span, now: Timestamp) -> Result<(), Error> {
        for text in [
            "update reports set expires_at = figures_at + $2, version = version + 1, updated_at = $3
             where brand_id = $1 and state in ('queued', 'running', 'ready') and expires_at > figures_at + $2",
            "update site_reports set expires_at = finished_at + $2, version = version + 1, updated_at = $3
             where brand_id = $1 and state = 'ready' and expires_at > finished_at + $2",
        ] {
            self.0.execute(sql!(text, self.1.brand(), retention.micros(), now)).await?;
        }
        Ok(())
    }

    pub(super) async fn update_if_running(
        &mut self,
        update: Statement,
        id: ReportId,
        generation: i64,
    ) -> Result<bool, Error> {
        let update = update.push_with(
            " where brand_id = $? and id = $? and generation = $? and state = 'running'",
            [self.1.brand().into(), id.into(), generation.into()],
        );
        Ok(self.0.execute(update).await? > 0)
    }
}
