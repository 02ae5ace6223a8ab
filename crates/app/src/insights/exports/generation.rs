//! The export job: checks the requester's current access, writes the file and records it in the row.

use std::time::Duration;

use ::exports::Writer;
use blobs::{Key, Upload};
use domain::access::ReadInsights;
use domain::insights::{Grouping, IncursionFilter, Measure};
use domain::preferences::Preferences;
use domain::{Export, ExportContent, ExportId, ExportState, IncursionDetails, Span, TimeZone, UserId};
use store::{AsOfPageRequest, ExportObject, ExportStart, Projects, Scope};
use tokio::time::Instant;

use super::formatting::FileFormatting;
use super::pipe::{Abort, PageSender, WrittenFile, write_object};
use super::pivot_table::PivotSheet;
use super::provenance::Provenance;
use super::request::{ExportRequest, ExportSource};
use super::{incursion_table, pivot_table, table_error};
use crate::accounts::authors::Author;
use crate::insights::incursion_pages::{FIRST_WINDOW, PAGE_ROWS, just_before, next_window};
use crate::insights::{PivotRequest, QueryScope, QuerySpec};
use crate::platform::jobs::{ExportBuild, Lease, LeaseStatus};
use crate::{App, Error};

/// Interval at which progress is recorded and cancellation is noticed.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// The number of incursions, with the time zones of their worksites.
pub(super) struct IncursionCount {
    pub rows: i64,
    time_zones: Vec<TimeZone>,
}

/// An export that is being generated.
struct ExportRun<'a> {
    id: ExportId,
    generation: i64,
    seq: i64,
    brand: &'a Scope,
    requester: &'a Author,
    request: &'a ExportRequest,
    preferences: &'a Preferences,
    key: &'a Key,
}

#[macros::boxed]
impl App {
    /// Generates the file of a queued export. A permanent failure ends the export with a reason; any other is returned as an error, and
    /// the job may run again.
    pub async fn generate_export(&self, lease: &Lease, job: &ExportBuild) -> Result<LeaseStatus, Error> {
        let brand = self.scope_of(job.brand);
        let export = self.store.read().await?.exports_of(&brand).find(job.export).await?;
        let Some(export) = export.filter(is_unfinished) else { return self.finish_job(lease).await };
        self.check_history(job.brand)?;
        let (request, preferences) = ExportRequest::from_row(&export)?;
        let preferences = match preferences {
            Some(preferences) => preferences,
            None => self.store.read().await?.preferences(&brand, export.user).get().await?.effective(),
        };
        let requester = match self.load_author::<ReadInsights>(job.brand, export.user).await? {
            Ok(requester) => requester,
            Err(lookup) => return self.fail_export(lease, job, lookup.reason()).await,
        };

        let mut tx = self.store.begin().await?;
        // Under the brand's lock: this fixes the sequence number of the export, and nobody is being erased meanwhile.
        let seq = tx.lock_and_allocate_seq(&brand, 0).await?.last_seq;
        let began = ExportStart {
            seq,
            projects: match requester.scope.projects() {
                Projects::All => None,
                Projects::Only(projects) => Some(serde_json::to_string(projects).map_err(Error::internal)?),
            },
            names_people: request.source.names_people(requester.names),
        };
        let generation = tx.exports_of(&brand).begin(export.id, &began, self.clock.now()).await?;
        tx.commit().await?;
        let Some(generation) = generation else { return self.finish_job(lease).await };

        let upload = Upload::begin(self.clock.now(), &self.random);
        let key = Key::Export(job.brand, export.id, upload.clone());
        let work = ExportRun {
            id: export.id,
            generation,
            seq,
            brand: &brand,
            requester: &requester,
            request: &request,
            preferences: &preferences,
            key: &key,
        };
        let written = match &request.source {
            ExportSource::Pivot(filter, pivot) => self.write_pivot(&work, filter, pivot).await,
            ExportSource::Incursions(filter) => self.write_incursions(&work, filter).await,
        };
        match written {
            Ok((made, seq)) => {
                let content = ExportContent {
                    size_bytes: i64::try_from(made.size_bytes).map_err(Error::internal)?,
                    sha256: made.sha256.to_vec(),
                    upload: upload.to_string(),
                };
                let rows = i64::try_from(made.rows).map_err(Error::internal)?;
                self.finish_export((lease, job), &work, export.user, &content, (rows, seq)).await
            }
            Err(Abort::Cancelled | Abort::WriterStopped) => self.abandon_export(lease, job).await,
            Err(Abort::Failed(error)) if error.is_permanent() => {
                let reason = error.fields.first().map_or(error.code, |fault| fault.invalid.code);
                self.fail_export(lease, job, reason).await
            }
            Err(Abort::Failed(error)) => Err(error),
        }
    }

    /// Fails an export and finishes its job.
    pub async fn fail_export(
        &self,
        lease: &Lease,
        job: &ExportBuild,
        reason: &str,
    ) -> Result<LeaseStatus, Error> {
        let brand = self.scope_of(job.brand);
        let mut tx = self.store.begin().await?;
        tx.exports_of(&brand).fail(job.export, reason, self.clock.now()).await?;
        let lease_status = self.finish_job_in(&mut tx, lease).await?;
        if lease_status == LeaseStatus::Held {
            tx.commit().await?;
        }
        Ok(lease_status)
    }

    /// Records the file of an export and finishes its job, if it is still wanted and the requester's access is unchanged.
    async fn finish_export(
        &self,
        (lease, job): (&Lease, &ExportBuild),
        work: &ExportRun<'_>,
        user: UserId,
        content: &ExportContent,
        (rows, seq): (i64, i64),
    ) -> Result<LeaseStatus, Error> {
        let object = ExportObject { brand: job.brand, export: job.export, upload: content.upload.clone() };
        match self.load_author::<ReadInsights>(job.brand, user).await? {
            Ok(requester) if requester == *work.requester => {}
            Ok(_) => {
                self.delete_export_files(&[object]).await;
                return Err(Error::internal(
                    "the access of the requester changed while the export was generated",
                ));
            }
            Err(lookup) => {
                self.delete_export_files(&[object]).await;
                return self.fail_export(lease, job, lookup.reason()).await;
            }
        }
        let now = self.clock.now();
        let expires_at = now + Span::minutes(i64::from(self.exports_config.retention_days) * 24 * 60);
        let mut tx = self.store.begin().await?;
        let is_taken = tx
            .exports_of(work.brand)
            .finish(work.id, work.generation, content, (rows, seq), (now, expires_at))
            .await?;
        let lease_status = match is_taken {
            true => self.finish_job_in(&mut tx, lease).await?,
            false => LeaseStatus::Lost,
        };
        if lease_status == LeaseStatus::Held {
            // If the commit fails, the file stays, because the row may refer to it. Otherwise it is removed as an orphaned object.
            tx.commit().await?;
            return Ok(lease_status);
        }
        drop(tx);
        self.delete_export_files(&[object]).await;
        if is_taken { Ok(lease_status) } else { self.abandon_export(lease, job).await }
    }

    /// Abandons an export that this worker may no longer generate: it has ended, or must be restarted.
    async fn abandon_export(&self, lease: &Lease, job: &ExportBuild) -> Result<LeaseStatus, Error> {
        let brand = self.scope_of(job.brand);
        let export = self.store.read().await?.exports_of(&brand).find(job.export).await?;
        match export.filter(is_unfinished) {
            Some(_) => {
                Err(Error::internal("the export was reset while it was generated, so it is restarted"))
            }
            None => self.finish_job(lease).await,
        }
    }

    pub(super) async fn count_incursions_to_export(
        &self,
        query_scope: QueryScope<'_>,
        filter: &IncursionFilter,
    ) -> Result<IncursionCount, Error> {
        let of = QuerySpec { filter, measures: vec![Measure::Incursions], groupings: vec![Grouping::by([])] };
        let mut asked = self.run_query_in(query_scope, of).await?;
        let all = asked.take_next_groups();
        let figure = all.groups.first().and_then(|group| group.figures.first());
        let rows = figure.and_then(|figure| figure.numerator).unwrap_or(0);
        Ok(IncursionCount { rows, time_zones: asked.time_zones })
    }

    async fn write_pivot(
        &self,
        work: &ExportRun<'_>,
        filter: &IncursionFilter,
        asked: &PivotRequest,
    ) -> Result<(WrittenFile, i64), Abort> {
        let (asker, format) = (work.requester.query_scope(), work.request.format);
        let formatting = FileFormatting::new(format, work.preferences);
        let mut pivot = self.pivot_in(asker, filter, asked, formatting.preferences()).await?;
        let formatting = formatting.with_time_zones(&pivot.result.time_zones);
        pivot_table::format_date_labels(&mut pivot, asked, formatting.preferences().date_format);
        let seq = pivot.result.seq;
        let table = pivot_table::table(&pivot, asked, format).map_err(table_error)?;
        table.check(format).map_err(table_error)?;
        let of = Provenance {
            time_zones: &pivot.result.time_zones,
            seq,
            more: pivot.totals.more,
            formatting: &formatting,
        };
        let table = self.add_provenance(asker, work.request, table, of).await?;
        let sheet = PivotSheet { pivot, request: asked.clone(), format };
        let feed = async |feed: &PageSender<PivotSheet>| feed.send(sheet).await;
        Ok((write_object(&self.blobs, work.key, (format, table), pivot_table::write, feed).await?, seq))
    }

    async fn write_incursions(
        &self,
        work: &ExportRun<'_>,
        filter: &IncursionFilter,
    ) -> Result<(WrittenFile, i64), Abort> {
        let (asker, format) = (work.requester.query_scope(), work.request.format);
        let counted = self.count_incursions_to_export(asker, filter).await?;
        format.check(counted.rows.unsigned_abs(), incursion_table::COLUMNS as u64, 1).map_err(table_error)?;
        let formatting = FileFormatting::new(format, work.preferences).with_time_zones(&counted.time_zones);
        let of =
            Provenance { time_zones: &counted.time_zones, seq: work.seq, more: 0, formatting: &formatting };
        let table = incursion_table::table(&formatting).map_err(table_error)?;
        let table = self.add_provenance(asker, work.request, table, of).await?;
        let feed = async |feed: &PageSender<_>| self.send_incursions(work, filter, counted.rows, feed).await;
        let write = move |writer: &mut Writer<'_>, page: Vec<IncursionDetails>| {
            incursion_table::write(writer, &page, &formatting)
        };
        Ok((write_object(&self.blobs, work.key, (format, table), write, feed).await?, work.seq))
    }

    /// Sends all incursions as they were at the start of the export, page by page in order of time.
    async fn send_incursions(
        &self,
        work: &ExportRun<'_>,
        filter: &IncursionFilter,
        expected: i64,
        feed: &PageSender<Vec<IncursionDetails>>,
    ) -> Result<(), Abort> {
        let (from, to) = work.request.period();
        let (begin, end) = (from.earliest(), to.latest());
        let (scope, names) = (&work.requester.scope, work.requester.names);
        let (mut after, mut window) = (just_before(begin), FIRST_WINDOW);
        let (mut done, mut reported_at) = (0, Instant::now());
        self.report_progress(work, (0, expected)).await?;
        while after.0 < end {
            let until = end.min(after.0 + window);
            let began = Instant::now();
            let mut snapshot = self.store.snapshot().await?;
            let of = AsOfPageRequest { filter, seq: work.seq, after, until, limit: PAGE_ROWS };
            let page = snapshot.incursions_as_of(scope).page(of, self.clock.now()).await?;
            snapshot.end().await?;
            let (took, found) = (began.elapsed(), i64::try_from(page.len()).unwrap_or(PAGE_ROWS));
            window = next_window(window, took, found);
            after = match page.last() {
                Some(last) if found == PAGE_ROWS => (last.stored.row.started_at, last.stored.id),
                _ => just_before(until),
            };
            done += found;
            if !page.is_empty() {
                feed.send(page.into_iter().map(|row| names.redact_record(row)).collect()).await?;
            }
            if until == end && found < PAGE_ROWS {
                break;
            }
            if reported_at.elapsed() >= PROGRESS_INTERVAL {
                self.report_progress(work, (done, expected)).await?;
                reported_at = Instant::now();
            }
        }
        Ok(())
    }

    /// Records progress; aborts if this worker may no longer generate the export.
    async fn report_progress(&self, work: &ExportRun<'_>, rows: (i64, i64)) -> Result<(), Abort> {
        let mut tx = self.store.begin().await?;
        let now = self.clock.now();
        let is_held = tx.exports_of(work.brand).record_progress(work.id, work.generation, rows, now).await?;
        tx.commit().await?;
        if is_held { Ok(()) } else { Err(Abort::Cancelled) }
    }
}

fn is_unfinished(export: &Export) -> bool {
    matches!(export.state, ExportState::Queued | ExportState::Running)
}
