//! The job's part of a site report: the facts are computed with the author's current access, and what was written is stored.

use std::collections::BTreeMap;

use domain::access::ReadInsights;
use domain::{PeriodBound, SiteReport, SiteReportId, UserId};
use narrative::{Prompt, Roles, Sentence, Subject};
use store::{ReportCoverage, Scope, SiteReportText};
use texts::Language;

use super::facts::CollectedFacts;
use super::lifecycle::check_worksite;
use super::view::StoredTexts;
use super::{SiteReportDraft, SiteReportStep, StoredFacts, WrittenSiteReport};
use crate::accounts::authors::Author;
use crate::platform::jobs::{AttemptEnd, Lease, LeaseStatus, SiteReportBuild};
use crate::reports::PROGRAM;
use crate::reports::figures::WrittenFigure;
use crate::reports::report_run::reason_of;
use crate::{App, Error, Names};

/// Progress in percent when the work has begun, and when the facts are known.
const BEGUN: i64 = 10;
const FACTS_KNOWN: i64 = 50;

#[macros::boxed]
impl App {
    /// Computes the facts of a queued site report; the caller has them written. A permanent failure ends the report with a reason; any
    /// other is returned as an error, and the job may run again.
    pub async fn begin_site_report(
        &self,
        lease: &Lease,
        job: &SiteReportBuild,
    ) -> Result<SiteReportStep, Error> {
        let brand = self.scope_of(job.brand);
        let found = self.store.read().await?.site_reports_of(&brand).find(job.site_report).await?;
        let Some(report) = found.filter(|report| report.state.is_unfinished()) else {
            return self.finish_job(lease).await.map(SiteReportStep::finished);
        };
        self.check_history(job.brand)?;
        let user = report.author.id.ok_or_else(|| Error::internal("a site report has no author"))?;
        let author = match self.load_author::<ReadInsights>(job.brand, UserId(user)).await? {
            Ok(author) => author,
            Err(lookup) => {
                let failed = self.fail_site_report(lease, job, lookup.reason()).await;
                return failed.map(SiteReportStep::finished);
            }
        };
        let mut tx = self.store.begin().await?;
        let now = self.clock.now();
        let generation = tx.site_reports_of(&brand).begin(report.id, now).await?;
        if let Some(generation) = generation {
            tx.site_reports_of(&brand).record_progress(report.id, generation, BEGUN, now).await?;
        }
        tx.commit().await?;
        let Some(generation) = generation else {
            return self.finish_job(lease).await.map(SiteReportStep::finished);
        };
        let draft = match self.draft_site_report(author, &report, generation).await {
            Ok(draft) => draft,
            Err(error) if error.is_permanent() => {
                let failed = self.fail_site_report(lease, job, reason_of(&error)).await;
                return failed.map(SiteReportStep::finished);
            }
            Err(error) => return Err(error),
        };
        match self.record_site_report_progress(&brand, report.id, generation, FACTS_KNOWN).await? {
            true => Ok(SiteReportStep::Write(Box::new(draft))),
            false => self.abandon_site_report(lease, job).await.map(SiteReportStep::Done),
        }
    }

    /// Stores what was written and finishes the job, if it is still wanted and the author's access is unchanged.
    pub async fn finish_site_report(
        &self,
        lease: &Lease,
        job: &SiteReportBuild,
        draft: &SiteReportDraft,
        written: &WrittenSiteReport,
    ) -> Result<AttemptEnd, Error> {
        let brand = self.scope_of(job.brand);
        match self.load_author::<ReadInsights>(job.brand, draft.author.user).await? {
            Ok(author) if author == draft.author => {}
            // What was computed with other access is not stored.
            Ok(_) => return self.abandon_site_report(lease, job).await,
            Err(lookup) => {
                let failed = self.fail_site_report(lease, job, lookup.reason()).await;
                return failed.map(AttemptEnd::Finished);
            }
        }
        let text = stored_text(draft, written)?;
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        // Under the brand's lock: nobody shortens the retention meanwhile.
        tx.lock_and_allocate_seq(&brand, 0).await?;
        let expires_at = self.report_expiry(&mut tx, &brand, now).await?;
        let is_taken = tx
            .site_reports_of(&brand)
            .finish(job.site_report, draft.generation, &text, (now, expires_at))
            .await?;
        if !is_taken {
            drop(tx);
            return self.abandon_site_report(lease, job).await;
        }
        let lease_status = self.finish_job_in(&mut tx, lease).await?;
        if lease_status == LeaseStatus::Held {
            tx.commit().await?;
        }
        Ok(AttemptEnd::Finished(lease_status))
    }

    /// Fails a site report and finishes its job.
    pub async fn fail_site_report(
        &self,
        lease: &Lease,
        job: &SiteReportBuild,
        reason: &str,
    ) -> Result<LeaseStatus, Error> {
        let brand = self.scope_of(job.brand);
        let mut tx = self.store.begin().await?;
        tx.site_reports_of(&brand).fail(job.site_report, reason, self.clock.now()).await?;
        let lease_status = self.finish_job_in(&mut tx, lease).await?;
        if lease_status == LeaseStatus::Held {
            tx.commit().await?;
        }
        Ok(lease_status)
    }

    /// Returns the stored facts and sentences of a site report that the author sees, for a report that renders them.
    pub(crate) async fn written_figure(
        &self,
        author: &Author,
        id: SiteReportId,
    ) -> Result<WrittenFigure, Error> {
        let found = self.store.read().await?.visible_site_reports(&author.scope).find(id).await?;
        let Some(report) = found else {
            let text = "is not a site report that you see";
            return Err(Error::missing_relation("site_report_id", "unknown_site_report", text));
        };
        let (Some(facts), Some(generator)) = (report.stored_facts()?, report.generator) else {
            let text = "has no text: it is not ready, expired or was deleted";
            return Err(Error::missing_relation("site_report_id", "unknown_site_report", text));
        };
        let zones = report.time_zones.as_deref().unwrap_or("[]");
        Ok(WrittenFigure {
            sentences: report.stored_sentences()?,
            generator: generator.as_str().to_owned(),
            model: report.model,
            fallback_reason: report.fallback_reason,
            seq: report.seq.unwrap_or(0),
            time_zones: serde_json::from_str(zones).map_err(Error::internal)?,
            written_at: report.finished_at,
            projects: facts.projects,
            facts: facts.sheet,
        })
    }

    /// Abandons a site report that this worker may no longer write: it has ended, or must be started again.
    async fn abandon_site_report(&self, lease: &Lease, job: &SiteReportBuild) -> Result<AttemptEnd, Error> {
        let brand = self.scope_of(job.brand);
        let report = self.store.read().await?.site_reports_of(&brand).find(job.site_report).await?;
        match report.filter(|report| report.state.is_unfinished()) {
            Some(_) => Ok(AttemptEnd::Superseded),
            None => self.finish_job(lease).await.map(AttemptEnd::Finished),
        }
    }

    async fn record_site_report_progress(
        &self,
        brand: &Scope,
        id: SiteReportId,
        generation: i64,
        percent: i64,
    ) -> Result<bool, Error> {
        let mut tx = self.store.begin().await?;
        let now = self.clock.now();
        let is_held = tx.site_reports_of(brand).record_progress(id, generation, percent, now).await?;
        tx.commit().await?;
        Ok(is_held)
    }

    /// Computes the facts and prepares the prompt. The subjects have names in it only if the brand and the author's role allow it.
    async fn draft_site_report(
        &self,
        author: Author,
        report: &SiteReport,
        generation: i64,
    ) -> Result<SiteReportDraft, Error> {
        let bound = |text: &str| PeriodBound::parse(text).map_err(Error::internal);
        let period = (bound(&report.from)?, bound(&report.to)?);
        let language = Language::parse(&report.language).unwrap_or(Language::English);
        // Someone who lost the worksite meanwhile gets no report about it, not an empty one.
        check_worksite(&mut self.store.read().await?, &author.scope, report.worksite).await?;
        let facts = Box::pin(self.collect_facts(&author, report.worksite, period)).await?;
        let CollectedFacts { sheet, coverage, seq, time_zones } = facts;
        let settings = self.store.read().await?.brand_settings(&author.scope).await?.values;
        let roles = match settings.ai_sees_names && author.names == Names::Shown {
            true => {
                let names = self.names_of_subjects(author.query_scope(), &sheet.subjects()).await?;
                let name = |subject: Subject| Some((subject, names.name_of(subject)?.to_owned()));
                let names: BTreeMap<Subject, String> =
                    sheet.subjects().into_iter().filter_map(name).collect();
                Roles::named(&sheet, language, &names)
            }
            false => Roles::anonymous(&sheet, language),
        };
        let prompt = Prompt::new(&sheet, language, &roles);
        Ok(SiteReportDraft { sheet, language, roles, prompt, author, generation, seq, time_zones, coverage })
    }
}

/// Returns the row of what was written.
fn stored_text(draft: &SiteReportDraft, written: &WrittenSiteReport) -> Result<SiteReportText, Error> {
    let projects = match &draft.coverage {
        ReportCoverage::AllProjects => None,
        ReportCoverage::Projects(projects) => Some(projects.iter().map(|project| project.0).collect()),
    };
    let facts = StoredFacts { sheet: draft.sheet.clone(), projects };
    Ok(SiteReportText {
        facts: serde_json::to_string(&facts).map_err(Error::internal)?,
        sentences: serde_json::to_string::<Vec<Sentence>>(&written.sentences).map_err(Error::internal)?,
        generator: written.generator,
        checks: written.checks.to_string(),
        fallback_reason: written.fallback_reason.clone(),
        model: written.model.clone(),
        prompt_sha256: written.prompt_sha256.clone(),
        seq: draft.seq,
        time_zones: serde_json::to_string(&draft.time_zones).map_err(Error::internal)?,
        program: PROGRAM.to_owned(),
        coverage: draft.coverage.clone(),
    })
}
