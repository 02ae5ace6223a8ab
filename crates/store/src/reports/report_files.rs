//! The figures and the files of reports, which are objects, and the people whom the files name.

use domain::row::FromRow;
use domain::{
    BrandId, PersonId, Report, ReportContent, ReportFormat, ReportId, ReportState, Timestamp, UserId,
};

use crate::engine::row::Row;
use crate::engine::statement::{Value, sql};
use crate::reports::coverage::{self, OF_REPORTS, ReportCoverage};
use crate::reports::report_rows::ReportsOfBrand;
use crate::{Error, Tx};

/// People per statement.
const BATCH_SIZE: usize = 1_000;

/// The name of an object that holds the figures or a file of a report.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct ReportObject {
    #[row(column = "brand_id")]
    pub brand: BrandId,
    #[row(column = "id")]
    pub report: ReportId,
    /// Distinguishes the objects of the same report.
    pub upload: String,
}

/// The stored figures of a report, and what was known when they were computed.
#[derive(Clone, Debug)]
pub struct StoredFigures {
    pub content: ReportContent,
    /// Sequence number of the brand's last change that they include.
    pub seq: i64,
    /// A JSON list.
    pub time_zones: String,
    pub program: String,
    pub coverage: ReportCoverage,
    /// The people whom files made from them name.
    pub people: Vec<PersonId>,
}

#[derive(Clone, Debug)]
pub struct NewReportFile {
    pub format: ReportFormat,
    pub content: ReportContent,
}

/// A report that names people.
#[derive(macros::FromRow)]
struct NamingReport {
    id: ReportId,
    state: ReportState,
}

/// None without an object.
impl FromRow<Row> for Option<ReportContent> {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(match (row.get("size_bytes")?, row.get("sha256")?, row.get("upload")?) {
            (Some(size_bytes), Some(sha256), Some(upload)) => {
                Some(ReportContent { size_bytes, sha256, upload })
            }
            _ => None,
        })
    }
}

/// Removes the figures, the files and the people of a report, and returns the objects to delete.
pub(super) async fn remove_objects(
    tx: &mut Tx,
    brand: BrandId,
    id: ReportId,
) -> Result<Vec<ReportObject>, Error> {
    let text = "select brand_id, id, figures_upload as upload from reports
         where brand_id = $1 and id = $2 and figures_upload is not null";
    let mut gone: Vec<ReportObject> = tx.all(sql!(text, brand, id)).await?;
    gone.extend(remove_files(tx, brand, id).await?);
    let text = "delete from report_people where brand_id = $1 and report_id = $2";
    tx.execute(sql!(text, brand, id)).await?;
    let text = "update reports set figures_upload = null, figures_bytes = null, figures_sha256 = null
         where brand_id = $1 and id = $2";
    tx.execute(sql!(text, brand, id)).await?;
    Ok(gone)
}

/// Removes the files of a report alone.
async fn remove_files(tx: &mut Tx, brand: BrandId, id: ReportId) -> Result<Vec<ReportObject>, Error> {
    let text = "delete from report_files where brand_id = $1 and report_id = $2
         returning brand_id, report_id as id, upload";
    tx.all(sql!(text, brand, id)).await
}

#[macros::boxed]
impl ReportsOfBrand<'_> {
    /// Returns the object of the stored figures, if there is one.
    pub async fn figures(&mut self, id: ReportId) -> Result<Option<ReportContent>, Error> {
        let text =
            "select figures_bytes as size_bytes, figures_sha256 as sha256, figures_upload as upload from reports
             where brand_id = $1 and id = $2";
        let found: Option<Option<ReportContent>> = self.0.optional(sql!(text, self.1.brand(), id)).await?;
        Ok(found.flatten())
    }

    /// Stores the figures of this generation, what they cover and whom they name; returns false if it has been superseded.
    pub async fn set_figures(
        &mut self,
        id: ReportId,
        generation: i64,
        figures: &StoredFigures,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let update = sql!(
            "update reports set figures_bytes = $1, figures_sha256 = $2, figures_upload = $3, seq = $4, time_zones = $5,
                 program = $6, figures_at = $7, all_projects = $8, version = version + 1, updated_at = $7",
            figures.content.size_bytes,
            figures.content.sha256.as_slice(),
            figures.content.upload.as_str(),
            figures.seq,
            figures.time_zones.as_str(),
            figures.program.as_str(),
            now,
            figures.coverage.is_all()
        );
        if !self.update_if_running(update, id, generation).await? {
            return Ok(false);
        }
        OF_REPORTS.replace(self.0, (self.1.brand(), id.0), &figures.coverage).await?;
        self.replace_people(id, &figures.people).await?;
        Ok(true)
    }

    async fn replace_people(&mut self, id: ReportId, people: &[PersonId]) -> Result<(), Error> {
        let brand = self.1.brand();
        let text = "delete from report_people where brand_id = $1 and report_id = $2";
        self.0.execute(sql!(text, brand, id)).await?;
        let mut people = people.to_vec();
        people.sort_unstable();
        people.dedup();
        for some in people.chunks(BATCH_SIZE) {
            let row = |person: &PersonId| -> [Value; 3] { [brand.into(), (*person).into(), id.into()] };
            let text = "insert into report_people (brand_id, person_id, report_id) values ";
            self.0.execute(coverage::push_rows(sql!(text), some.iter().map(row))).await?;
        }
        Ok(())
    }

    /// Adds a file of this generation in place of one of the same format, whose object is returned. Returns none if the generation
    /// has been superseded.
    pub async fn put_file(
        &mut self,
        id: ReportId,
        generation: i64,
        file: &NewReportFile,
        now: Timestamp,
    ) -> Result<Option<Vec<ReportObject>>, Error> {
        let (brand, format) = (self.1.brand(), file.format.as_str());
        // Also locks the row. Only the file of the requested format is shown with the report.
        let touched = self
            .0
            .execute(sql!(
                "update reports set version = case when format = $4 then version + 1 else version end,
                     updated_at = case when format = $4 then $5 else updated_at end
                 where brand_id = $1 and id = $2 and generation = $3 and state in ('running', 'ready')",
                brand,
                id,
                generation,
                format,
                now
            ))
            .await?;
        if touched == 0 {
            return Ok(None);
        }
        let text = "delete from report_files where brand_id = $1 and report_id = $2 and format = $3
             returning brand_id, report_id as id, upload";
        let replaced: Vec<ReportObject> = self.0.all(sql!(text, brand, id, format)).await?;
        self.0
            .execute(sql!(
                "insert into report_files (brand_id, report_id, format, size_bytes, sha256, upload, created_at)
                 values ($1, $2, $3, $4, $5, $6, $7)",
                brand,
                id,
                format,
                file.content.size_bytes,
                file.content.sha256.as_slice(),
                file.content.upload.as_str(),
                now
            ))
            .await?;
        Ok(Some(replaced))
    }

    pub async fn file(&mut self, id: ReportId, format: ReportFormat) -> Result<Option<ReportContent>, Error> {
        let text = "select size_bytes, sha256, upload from report_files
             where brand_id = $1 and report_id = $2 and format = $3";
        let found: Option<Option<ReportContent>> =
            self.0.optional(sql!(text, self.1.brand(), id, format.as_str())).await?;
        Ok(found.flatten())
    }

    /// Removes the files in other formats than this one, and returns the objects to delete. They are made again when they are asked for.
    pub async fn remove_other_files(
        &mut self,
        id: ReportId,
        format: ReportFormat,
    ) -> Result<Vec<ReportObject>, Error> {
        let text = "delete from report_files where brand_id = $1 and report_id = $2 and format <> $3
             returning brand_id, report_id as id, upload";
        self.0.all(sql!(text, self.1.brand(), id, format.as_str())).await
    }

    /// Ends a report that was found and locked: fails it if it was never ready, and expires it otherwise. Returns the objects to delete.
    pub async fn end(
        &mut self,
        report: &Report,
        reason: &str,
        now: Timestamp,
    ) -> Result<Vec<ReportObject>, Error> {
        let state = match report.state {
            ReportState::Queued | ReportState::Running if report.finished_at.is_none() => ReportState::Failed,
            ReportState::Queued | ReportState::Running | ReportState::Ready => ReportState::Expired,
            ReportState::Failed | ReportState::Expired => return Ok(Vec::new()),
        };
        self.0
            .execute(sql!(
                "update reports set state = $3, reason = $4, generation = generation + 1, version = version + 1,
                     expires_at = null, finished_at = coalesce(finished_at, $5), updated_at = $5
                 where brand_id = $1 and id = $2",
                self.1.brand(),
                report.id,
                state.as_str(),
                reason,
                now
            ))
            .await?;
        remove_objects(self.0, self.1.brand(), report.id).await
    }

    /// Queues a ready report again for a user; returns false if it is not ready. Its figures and files stay until there is a new file.
    pub async fn queue_again(
        &mut self,
        id: ReportId,
        requester: UserId,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let text = "update reports set state = 'queued', percent = 0, requester_id = $3, generation = generation + 1,
                 version = version + 1, updated_at = $4
             where brand_id = $1 and id = $2 and state = 'ready' and figures_upload is not null";
        Ok(self.0.execute(sql!(text, self.1.brand(), id, requester, now)).await? > 0)
    }

    /// Removes the files that name a person, under the brand's lock, and queues the reports that had them again. Reports with names that
    /// are running and have no figures yet are queued again, too, because it is not known yet whom they name. Returns the objects to
    /// delete and the reports that need a new job; the jobs of the others find their generation superseded.
    pub async fn erase_person(
        &mut self,
        person: PersonId,
        now: Timestamp,
    ) -> Result<(Vec<ReportObject>, Vec<ReportId>), Error> {
        let (brand, lock) = (self.1.brand(), self.0.row_lock());
        // Two statements: one that gets its figures while the first waits for its lock is found by the second, with its people.
        let text = "select id, state from reports
             where brand_id = $1 and names_people and state = 'running' and figures_upload is null order by id";
        let mut reports: Vec<NamingReport> = self.0.all(sql!(text, brand).push(lock)).await?;
        let text = "select r.id, r.state from reports r
             where r.brand_id = $1 and r.names_people and r.state in ('queued', 'running', 'ready')
                 and r.id in (select p.report_id from report_people p where p.brand_id = $1 and p.person_id = $2)
             order by r.id";
        let named: Vec<NamingReport> = self.0.all(sql!(text, brand, person).push(lock)).await?;
        reports.extend(named);
        let (mut gone, mut without_job) = (Vec::new(), Vec::new());
        for NamingReport { id, state } in reports {
            gone.extend(remove_files(self.0, brand, id).await?);
            // What is made again for this reason counts towards nobody's limit.
            let text = "update reports set requester_id = case when state = 'ready' then null else requester_id end,
                     state = 'queued', percent = 0, generation = generation + 1, version = version + 1, updated_at = $3
                 where brand_id = $1 and id = $2";
            self.0.execute(sql!(text, brand, id, now)).await?;
            if state == ReportState::Ready {
                without_job.push(id);
            }
        }
        let text = "delete from report_people where brand_id = $1 and person_id = $2";
        self.0.execute(sql!(text, brand, person)).await?;
        Ok((gone, without_job))
    }
}
