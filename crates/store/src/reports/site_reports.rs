//! Written site reports: facts about a worksite, and the sentences that rest on them.

use domain::{
    JobId, ReportState, SiteReport, SiteReportFilter, SiteReportGenerator, SiteReportId, Slice, Sorting,
    Timestamp, UserId, Window, WorksiteId,
};

use crate::engine::page::Count;
use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};
use crate::engine::window::{self, Sorted};
use crate::reports::coverage::{OF_SITE_REPORTS, ReportCoverage};
use crate::reports::report_rows::SORT_COLUMNS;
use crate::{Error, Scope, Tx};

#[derive(Clone, Debug)]
pub struct NewSiteReport {
    pub author: UserId,
    pub worksite: WorksiteId,
    /// `en` or `de`.
    pub language: &'static str,
    /// Beginning and end of the period, in the form in which they are shown.
    pub from: String,
    pub to: String,
    pub coverage: ReportCoverage,
}

/// A finished site report.
#[derive(Clone, Debug)]
pub struct SiteReportText {
    /// The fact sheet and the sentences as JSON, without names.
    pub facts: String,
    pub sentences: String,
    pub generator: SiteReportGenerator,
    /// What was done with the answers of the model, as JSON.
    pub checks: String,
    pub fallback_reason: Option<String>,
    pub model: Option<String>,
    pub prompt_sha256: Option<Vec<u8>>,
    /// Sequence number of the brand's last change that the facts include.
    pub seq: i64,
    /// A JSON list.
    pub time_zones: String,
    pub program: String,
    pub coverage: ReportCoverage,
}

const COLUMNS: &str = "select r.id, u.kind as author_kind, r.author_id, u.name as author_name, r.worksite_id, r.language, r.from_cut,
    r.to_cut, r.state, r.reason, r.percent, r.generation, r.seq, r.time_zones, r.facts, r.sentences, r.generator, r.checks,
    r.fallback_reason, r.model, r.prompt_sha256, r.program, r.version, r.created_at, r.updated_at, r.finished_at, r.expires_at
    from site_reports r join users u on u.id = r.author_id";

#[derive(macros::FromRow)]
struct Generation(#[row(column = "generation")] i64);

/// Site reports have no name.
impl Sorted for SiteReport {
    fn id(&self) -> i64 {
        self.id.0
    }

    fn name_key(&self) -> &'static str {
        ""
    }

    fn created_at(&self) -> Timestamp {
        self.created_at
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }
}

/// The site reports of a brand whose projects are all visible in the scope.
pub struct VisibleSiteReports<'a>(&'a mut Tx, &'a Scope);

/// The site reports of a brand, for those who make and delete them.
pub struct SiteReportsOfBrand<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn visible_site_reports<'a>(&'a mut self, scope: &'a Scope) -> VisibleSiteReports<'a> {
        VisibleSiteReports(self, scope)
    }

    pub fn site_reports_of<'a>(&'a mut self, scope: &'a Scope) -> SiteReportsOfBrand<'a> {
        SiteReportsOfBrand(self, scope)
    }
}

#[macros::boxed]
impl VisibleSiteReports<'_> {
    pub async fn find(&mut self, id: SiteReportId) -> Result<Option<SiteReport>, Error> {
        let statement = self.visible(sql!(COLUMNS)).push_with(" and r.id = $?", [id.into()]);
        self.0.optional(statement).await
    }

    /// Finds a site report and locks its row until the end of the transaction.
    pub async fn find_locked(&mut self, id: SiteReportId) -> Result<Option<SiteReport>, Error> {
        // By itself, so that the author's row is not locked too.
        let lock = self.0.row_lock();
        let statement = self.visible(sql!("select r.id from site_reports r"));
        let locked: Option<Id<SiteReportId>> =
            self.0.optional(statement.push_with(" and r.id = $?", [id.into()]).push(lock)).await?;
        match locked {
            Some(Id(id)) => self.find(id).await,
            None => Ok(None),
        }
    }

    /// Returns a window of the list, in any order and from either end.
    pub async fn slice(
        &mut self,
        filter: &SiteReportFilter,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Slice<SiteReport>, Error> {
        let list = format!("site_reports {filter:?} {sorting:?}");
        let statement = self.filtered(sql!(COLUMNS), filter);
        let rows =
            self.0.all(window::apply_window(statement, &SORT_COLUMNS, sorting, &list, window)?).await?;
        Ok(window::into_slice(rows, sorting, &list, window))
    }

    /// Counts the site reports that match the filter.
    pub async fn count(&mut self, filter: &SiteReportFilter) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count from site_reports r"), filter);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(&self, statement: Statement, filter: &SiteReportFilter) -> Statement {
        let mut statement = self.visible(statement);
        if let Some(ids) = &filter.ids {
            statement = statement.and_in("r.id", ids.iter().copied()).uncached();
        }
        if !filter.states.is_empty() {
            statement =
                statement.and_in("r.state", filter.states.iter().map(|state| state.as_str())).uncached();
        }
        match filter.worksite {
            Some(worksite) => statement.push_with(" and r.worksite_id = $?", [worksite.into()]),
            None => statement,
        }
    }

    fn visible(&self, statement: Statement) -> Statement {
        let statement = statement.push_with(" where r.brand_id = $?", [self.1.brand().into()]);
        OF_SITE_REPORTS.and_visible(statement, self.1.projects())
    }
}

#[macros::boxed]
impl SiteReportsOfBrand<'_> {
    /// Adds a queued site report with its coverage.
    pub async fn add(&mut self, new: &NewSiteReport, now: Timestamp) -> Result<SiteReportId, Error> {
        let Id(id): Id<SiteReportId> = self
            .0
            .one(sql!(
                "insert into site_reports (brand_id, author_id, worksite_id, language, from_cut, to_cut, state, percent,
                     generation, all_projects, version, created_at, updated_at)
                 values ($1, $2, $3, $4, $5, $6, 'queued', 0, 0, $7, 1, $8, $8) returning id",
                self.1.brand(),
                new.author,
                new.worksite,
                new.language,
                new.from.as_str(),
                new.to.as_str(),
                new.coverage.is_all(),
                now
            ))
            .await?;
        OF_SITE_REPORTS.replace(self.0, (self.1.brand(), id.0), &new.coverage).await?;
        Ok(id)
    }

    pub async fn set_job(&mut self, id: SiteReportId, job: JobId) -> Result<(), Error> {
        let text = "update site_reports set job_id = $3 where brand_id = $1 and id = $2";
        self.0.execute(sql!(text, self.1.brand(), id, job)).await?;
        Ok(())
    }

    pub async fn find(&mut self, id: SiteReportId) -> Result<Option<SiteReport>, Error> {
        let values = [self.1.brand().into(), id.into()];
        self.0.optional(sql!(COLUMNS).push_with(" where r.brand_id = $? and r.id = $?", values)).await
    }

    /// Counts the author's site reports that are queued or running.
    pub async fn count_unfinished(&mut self, author: UserId) -> Result<i64, Error> {
        let text = "select count(*) as count from site_reports
             where brand_id = $1 and author_id = $2 and state in ('queued', 'running')";
        let Count(count) = self.0.one(sql!(text, self.1.brand(), author)).await?;
        Ok(count)
    }

    /// Starts or restarts an unfinished site report, and returns its new generation; none if it does not exist or has ended.
    pub async fn begin(&mut self, id: SiteReportId, now: Timestamp) -> Result<Option<i64>, Error> {
        let text = "update site_reports set state = 'running', percent = 0, generation = generation + 1, version = version + 1,
                 updated_at = $3
             where brand_id = $1 and id = $2 and state in ('queued', 'running') returning generation";
        let found: Option<Generation> = self.0.optional(sql!(text, self.1.brand(), id, now)).await?;
        Ok(found.map(|Generation(generation)| generation))
    }

    /// Stores the progress; returns false if this generation has been superseded.
    pub async fn record_progress(
        &mut self,
        id: SiteReportId,
        generation: i64,
        percent: i64,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let text = "update site_reports set percent = $1, version = version + 1, updated_at = $2";
        self.update_if_running(sql!(text, percent, now), id, generation).await
    }

    /// Stores the text and what it covers; returns false if this generation has been superseded.
    pub async fn finish(
        &mut self,
        id: SiteReportId,
        generation: i64,
        text: &SiteReportText,
        (now, expires_at): (Timestamp, Timestamp),
    ) -> Result<bool, Error> {
        let update = sql!(
            "update site_reports set state = 'ready', reason = null, percent = 100, facts = $1, sentences = $2, generator = $3,
                 checks = $4, fallback_reason = $5, model = $6, prompt_sha256 = $7, seq = $8, time_zones = $9, program = $10,
                 all_projects = $11, version = version + 1, finished_at = $12, updated_at = $12, expires_at = $13",
            text.facts.as_str(),
            text.sentences.as_str(),
            text.generator.as_str(),
            text.checks.as_str(),
            text.fallback_reason.as_deref(),
            text.model.as_deref(),
            text.prompt_sha256.as_deref(),
            text.seq,
            text.time_zones.as_str(),
            text.program.as_str(),
            text.coverage.is_all(),
            now,
            expires_at
        );
        if !self.update_if_running(update, id, generation).await? {
            return Ok(false);
        }
        OF_SITE_REPORTS.replace(self.0, (self.1.brand(), id.0), &text.coverage).await?;
        Ok(true)
    }

    /// Fails a site report that is queued or running, and returns whether it was.
    pub async fn fail(&mut self, id: SiteReportId, reason: &str, now: Timestamp) -> Result<bool, Error> {
        let text = "update site_reports set state = 'failed', reason = $3, version = version + 1, finished_at = $4, updated_at = $4
             where brand_id = $1 and id = $2 and state in ('queued', 'running')";
        Ok(self.0.execute(sql!(text, self.1.brand(), id, reason, now)).await? > 0)
    }

    /// Ends a site report that was found and locked: fails it if it is unfinished, and removes its text if it is ready.
    pub async fn end(&mut self, report: &SiteReport, reason: &str, now: Timestamp) -> Result<(), Error> {
        let state = match report.state {
            ReportState::Queued | ReportState::Running => ReportState::Failed,
            ReportState::Ready => ReportState::Expired,
            ReportState::Failed | ReportState::Expired => return Ok(()),
        };
        self.0
            .execute(sql!(
                "update site_reports set state = $3, reason = $4, facts = null, sentences = null, checks = null,
                     generation = generation + 1, version = version + 1, expires_at = null,
                     finished_at = coalesce(finished_at, $5), updated_at = $5
                 where brand_id = $1 and id = $2",
                self.1.brand(),
                report.id,
                state.as_str(),
                reason,
                now
            ))
            .await?;
        Ok(())
    }

    async fn update_if_running(
        &mut self,
        update: Statement,
        id: SiteReportId,
        generation: i64,
    ) -> Result<bool, Error> {
        let update = update.push_with(
            " where brand_id = $? and id = $? and generation = $? and state = 'running'",
            [self.1.brand().into(), id.into(), generation.into()],
        );
        Ok(self.0.execute(update).await? > 0)
    }
}
