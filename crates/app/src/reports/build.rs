//! The report job: computes the figures with the author's current access, or reads the stored ones, and makes the file.

use std::sync::atomic::{AtomicI64, Ordering};

use domain::access::ReadInsights;
use domain::{Report, ReportContent, UserId};
use sha2::{Digest, Sha256};
use store::{NewReportFile, Scope, StoredFigures};

use super::PROGRAM;
use super::figures::Collected;
use super::lifecycle::{coverage_of_scope, report_not_found};
use super::report_run::{FIGURES_COMPLETE, ReportRun, Stop, percent_of_report, reason_of};
use super::request::ReportRequest;
use super::stored_figures::{encode, report_key, unused_object};
use crate::accounts::authors::Author;
use crate::platform::jobs::{AttemptEnd, Lease, LeaseStatus, ReportBuild};
use crate::{App, Error};

/// Where the figures of a run come from.
enum FiguresSource {
    Stored(ReportContent),
    /// They are computed with the access of the author.
    Author(Author),
}

/// The file of a run.
enum RunFile {
    New(NewReportFile),
    /// The report has a file with the same bytes, which stays.
    Unchanged,
}

#[macros::boxed]
impl App {
    /// Makes a queued report. A permanent failure ends it with a reason; any other is returned as an error, and the job may run again.
    pub async fn build_report(&self, lease: &Lease, job: &ReportBuild) -> Result<AttemptEnd, Error> {
        let brand = self.scope_of(job.brand);
        let mut tx = self.store.read().await?;
        let report = tx.reports_of(&brand).find(job.report).await?;
        let figures = tx.reports_of(&brand).figures(job.report).await?;
        drop(tx);
        let Some(report) = report.filter(|report| report.state.is_unfinished()) else {
            return self.finish_job(lease).await.map(AttemptEnd::Finished);
        };
        self.check_history(job.brand)?;
        let ended = match self.run_report(lease, &brand, report, figures).await {
            Ok(lease_status) => return Ok(AttemptEnd::Finished(lease_status)),
            Err(Stop::Superseded) => return self.abandon_report(lease, job).await,
            Err(Stop::NotAllowed(lookup)) => self.fail_report(lease, job, lookup.reason()).await,
            Err(Stop::Failed(error)) if error.is_permanent() => {
                // The row of one that was ready does not say it.
                tracing::info!("report {} was not made: {error}", job.report);
                self.fail_report(lease, job, reason_of(&error)).await
            }
            Err(Stop::Failed(error)) => Err(error),
        };
        ended.map(AttemptEnd::Finished)
    }

    /// Fails a report and finishes its job.
    pub async fn fail_report(
        &self,
        lease: &Lease,
        job: &ReportBuild,
        reason: &str,
    ) -> Result<LeaseStatus, Error> {
        let brand = self.scope_of(job.brand);
        let mut tx = self.store.begin().await?;
        tx.reports_of(&brand).fail(job.report, reason, self.clock.now()).await?;
        let lease_status = self.finish_job_in(&mut tx, lease).await?;
        if lease_status == LeaseStatus::Held {
            tx.commit().await?;
        }
        Ok(lease_status)
    }

    async fn run_report(
        &self,
        lease: &Lease,
        brand: &Scope,
        report: Report,
        figures: Option<ReportContent>,
    ) -> Result<LeaseStatus, Stop> {
        let request = ReportRequest::from_report(&report)?;
        let source = match figures {
            Some(content) => FiguresSource::Stored(content),
            None => FiguresSource::Author(self.author_of_report(brand, &report).await?),
        };
        // What stored figures cover, and whether they are shown with names, was decided when they were computed.
        let (coverage, names_people) = match &source {
            FiguresSource::Stored(_) => (coverage_of_scope(brand), report.names_people),
            FiguresSource::Author(author) => {
                (coverage_of_scope(&author.scope), request.names_people(author.names))
            }
        };
        let mut tx = self.store.begin().await?;
        // Under the brand's lock: nobody is being erased meanwhile.
        tx.lock_and_allocate_seq(brand, 0).await?;
        let begun = tx.reports_of(brand).begin(report.id, &coverage, names_people, self.clock.now()).await?;
        tx.commit().await?;
        let Some(generation) = begun else { return Ok(self.finish_job(lease).await?) };

        let run = ReportRun { brand, report: report.id, request: &request, generation, names_people };
        let (figures, report) = match source {
            FiguresSource::Stored(content) => (content, report),
            FiguresSource::Author(author) => self.collect_report(&run, &report, &author).await?,
        };
        let file = self.write_report_file(&run, &report, &figures).await?;
        // Before it is ready for the first time, also if an earlier attempt has stored the figures: a schedule mails it now.
        if report.finished_at.is_none()
            && let Err(stop) = self.author_of_report(brand, &report).await
        {
            self.delete_unused_file(&run, &file).await;
            return Err(stop);
        }
        self.finish_report(lease, &run, &report, &file).await
    }

    async fn author_of_report(&self, brand: &Scope, report: &Report) -> Result<Author, Stop> {
        let id = report.author.id.ok_or_else(|| Error::internal("a report has no author"))?;
        let found = self.load_author::<ReadInsights>(brand.brand(), UserId(id)).await?;
        found.map_err(Stop::NotAllowed)
    }

    /// Computes the figures and stores them, if the author's access did not change meanwhile. Returns where they are stored, with the row
    /// that describes them: every file is made from what is read there.
    async fn collect_report(
        &self,
        run: &ReportRun<'_>,
        report: &Report,
        author: &Author,
    ) -> Result<(ReportContent, Report), Stop> {
        self.check_references(author, run.request).await?;
        self.check_report_size(author, run.request).await?;
        let done = AtomicI64::new(0);
        let progress = |percent: i64| done.store(percent, Ordering::Relaxed);
        let percent = || percent_of_report(done.load(Ordering::Relaxed));
        let collected = tokio::select! {
            collected = self.collect_figures(author, run.request, &progress) => collected?,
            stop = self.record_until_superseded(run, &percent) => return Err(stop),
        };
        match self.load_author::<ReadInsights>(run.brand.brand(), author.user).await? {
            Ok(still) if still == *author => {}
            // What was computed with other access is not stored.
            Ok(_) => return Err(Stop::Superseded),
            Err(lookup) => return Err(Stop::NotAllowed(lookup)),
        }
        let Collected { figures, coverage, people, seq, time_zones } = collected;
        let bytes = self.compute(move || encode(&figures)).await??;
        let key = self.new_report_key(run.brand.brand(), report.id);
        let stored = StoredFigures {
            content: self.write_report_object(&key, &bytes).await?,
            seq,
            time_zones: serde_json::to_string(&time_zones).map_err(Error::internal)?,
            program: PROGRAM.to_owned(),
            coverage,
            people: run.named_people(people),
        };
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        let is_taken = tx.reports_of(run.brand).set_figures(report.id, run.generation, &stored, now).await?
            && tx
                .reports_of(run.brand)
                .record_progress(report.id, run.generation, FIGURES_COMPLETE, now)
                .await?;
        if !is_taken {
            drop(tx);
            let unused = unused_object(run.brand.brand(), report.id, &stored.content);
            self.delete_report_objects(&[unused]).await;
            return Err(Stop::Superseded);
        }
        let report = tx.reports_of(run.brand).find(report.id).await?.ok_or_else(report_not_found)?;
        tx.commit().await?;
        Ok((stored.content, report))
    }

    /// Makes the file in the requested format and writes it to an object, unless the report has a file with the same bytes.
    async fn write_report_file(
        &self,
        run: &ReportRun<'_>,
        report: &Report,
        figures: &ReportContent,
    ) -> Result<RunFile, Stop> {
        let (format, percent) = (report.format, || FIGURES_COMPLETE);
        let making = async {
            let place = self.acquire_render_place().await?;
            // If they are missing, a report that was ready has expired, and another is computed anew.
            let found = self.read_report_figures(run.brand.brand(), report.id, figures).await?;
            let figures = found.ok_or(Stop::Superseded)?;
            Ok::<_, Stop>(self.make_report_file(place, run.brand, report, figures, format).await?)
        };
        let bytes = tokio::select! {
            made = making => made?,
            stop = self.record_until_superseded(run, &percent) => return Err(stop),
        };
        let brand = run.brand.brand();
        let stored = self.store.read().await?.reports_of(run.brand).file(report.id, format).await?;
        if let Some(stored) = stored.filter(|stored| stored.sha256 == Sha256::digest(&bytes).to_vec())
            && self.blobs.head(&report_key(brand, report.id, &stored)?).await.map_err(Error::from)?.is_some()
        {
            return Ok(RunFile::Unchanged);
        }
        let key = self.new_report_key(brand, report.id);
        let content = self.write_report_object(&key, &bytes).await?;
        Ok(RunFile::New(NewReportFile { format, content }))
    }

    /// Records the file, has it mailed if it is the first of a schedule's report, and finishes the job. Only now, files of earlier runs
    /// are removed; those in other formats are made again when they are asked for.
    async fn finish_report(
        &self,
        lease: &Lease,
        run: &ReportRun<'_>,
        report: &Report,
        file: &RunFile,
    ) -> Result<LeaseStatus, Stop> {
        let (brand, now) = (run.brand.brand(), self.clock.now());
        let mut tx = self.store.begin().await?;
        // Under the brand's lock: nobody shortens the retention meanwhile.
        tx.lock_and_allocate_seq(run.brand, 0).await?;
        let mut reports = tx.reports_of(run.brand);
        let replaced = match file {
            RunFile::New(file) => reports.put_file(report.id, run.generation, file, now).await?,
            RunFile::Unchanged => Some(Vec::new()),
        };
        let expires_at = self.report_expiry(&mut tx, run.brand, report.figures_at.unwrap_or(now)).await?;
        let is_taken = replaced.is_some()
            && tx.reports_of(run.brand).finish(report.id, run.generation, (now, expires_at)).await?;
        let lease_status = match is_taken {
            true => self.finish_job_in(&mut tx, lease).await?,
            false => LeaseStatus::Lost,
        };
        if lease_status == LeaseStatus::Held {
            let mut gone = replaced.unwrap_or_default();
            gone.extend(tx.reports_of(run.brand).remove_other_files(report.id, report.format).await?);
            if report.schedule.is_some() && report.finished_at.is_none() {
                self.enqueue_report_mails(&mut tx, brand, report).await?;
            }
            // If the commit fails, the file stays, because the row may refer to it. Otherwise it is removed as an orphaned object.
            tx.commit().await?;
            self.delete_report_objects(&gone).await;
            return Ok(lease_status);
        }
        drop(tx);
        self.delete_unused_file(run, file).await;
        if is_taken { Ok(lease_status) } else { Err(Stop::Superseded) }
    }

    /// Deletes the file of a run that is not recorded.
    async fn delete_unused_file(&self, run: &ReportRun<'_>, file: &RunFile) {
        if let RunFile::New(file) = file {
            let unused = unused_object(run.brand.brand(), run.report, &file.content);
            self.delete_report_objects(&[unused]).await;
        }
    }

    /// Abandons a report that this worker may no longer make: it has ended, or must be started again.
    async fn abandon_report(&self, lease: &Lease, job: &ReportBuild) -> Result<AttemptEnd, Error> {
        let brand = self.scope_of(job.brand);
        let report = self.store.read().await?.reports_of(&brand).find(job.report).await?;
        match report.filter(|report| report.state.is_unfinished()) {
            Some(_) => Ok(AttemptEnd::Superseded),
            None => self.finish_job(lease).await.map(AttemptEnd::Finished),
        }
    }
}
