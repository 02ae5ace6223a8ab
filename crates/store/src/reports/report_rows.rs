//! The rows of reports: what was asked, and who sees it. `report_runs` has how they are made, `report_files` their figures and files.

use domain::{
    JobId, Report, ReportFilter, ReportFormat, ReportId, ReportKind, ReportScheduleId, ReportSubject,
    SiteReportId, Slice, Sorting, Timestamp, UserId, Window,
};

use crate::engine::page::Count;
use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};
use crate::engine::window::{self, SortColumns, Sorted};
use crate::reports::coverage::OF_REPORTS;
use crate::{Error, Scope, Tx};

pub use crate::reports::coverage::ReportCoverage;

#[derive(Clone, Debug)]
pub struct NewReportRow {
    pub author: UserId,
    /// Among whose unfinished reports it counts: the author's, or those of whoever runs a schedule of someone else.
    pub requester: UserId,
    pub kind: ReportKind,
    pub format: ReportFormat,
    pub subject: ReportSubject,
    pub schedule: Option<ReportScheduleId>,
    pub site_report: Option<SiteReportId>,
    /// The request as JSON.
    pub request: String,
    /// Beginning and end of the period, in the form in which they are shown.
    pub from: String,
    pub to: String,
    pub coverage: ReportCoverage,
    /// True if its files will contain names of people.
    pub names_people: bool,
}

/// Whether the reader sees names; the scope says which projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportViewer {
    pub sees_names: bool,
}

const COLUMNS: &str = "select r.id, u.kind as author_kind, r.author_id, u.name as author_name, r.kind, r.format, r.project_id,
    r.worksite_id, r.machine_id, r.person_id, r.schedule_id, r.site_report_id, r.request, r.from_cut, r.to_cut, r.state, r.reason,
    r.percent, r.generation, r.names_people, r.seq, r.time_zones, r.program, r.figures_at, f.size_bytes, f.sha256, f.upload,
    r.version, r.created_at, r.updated_at, r.finished_at, r.expires_at
    from reports r join users u on u.id = r.author_id
    left join report_files f on f.brand_id = r.brand_id and f.report_id = r.id and f.format = r.format";

/// The columns of a list of reports or site reports.
pub(super) const SORT_COLUMNS: SortColumns = SortColumns {
    id: "r.id",
    name_key: "r.id",
    created_at: "r.created_at",
    updated_at: "r.updated_at",
    started_at: "r.created_at",
    registry_version: "r.id",
};

/// Reports have no name.
impl Sorted for Report {
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

/// The reports of a brand that a reader sees: those whose projects and names are covered by what they see.
pub struct VisibleReports<'a>(&'a mut Tx, &'a Scope, ReportViewer);

/// The reports of a brand, for those who make, mail and delete them.
pub struct ReportsOfBrand<'a>(pub(super) &'a mut Tx, pub(super) &'a Scope);

impl Tx {
    pub fn visible_reports<'a>(&'a mut self, scope: &'a Scope, viewer: ReportViewer) -> VisibleReports<'a> {
        VisibleReports(self, scope, viewer)
    }

    pub fn reports_of<'a>(&'a mut self, scope: &'a Scope) -> ReportsOfBrand<'a> {
        ReportsOfBrand(self, scope)
    }
}

#[macros::boxed]
impl VisibleReports<'_> {
    pub async fn find(&mut self, id: ReportId) -> Result<Option<Report>, Error> {
        let statement = self.visible(sql!(COLUMNS)).push_with(" and r.id = $?", [id.into()]);
        self.0.optional(statement).await
    }

    /// Finds a report and locks its row until the end of the transaction.
    pub async fn find_locked(&mut self, id: ReportId) -> Result<Option<Report>, Error> {
        // PostgreSQL cannot lock rows that an outer join may lack, so the row is locked by itself.
        let lock = self.0.row_lock();
        let statement = self.visible(sql!("select r.id from reports r"));
        let locked: Option<Id<ReportId>> =
            self.0.optional(statement.push_with(" and r.id = $?", [id.into()]).push(lock)).await?;
        match locked {
            Some(Id(id)) => self.find(id).await,
            None => Ok(None),
        }
    }

    /// Returns a window of the list, in any order and from either end.
    pub async fn slice(
        &mut self,
        filter: &ReportFilter,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Slice<Report>, Error> {
        let list = format!("reports {filter:?} {sorting:?}");
        let statement = self.filtered(sql!(COLUMNS), filter);
        let rows =
            self.0.all(window::apply_window(statement, &SORT_COLUMNS, sorting, &list, window)?).await?;
        Ok(window::into_slice(rows, sorting, &list, window))
    }

    /// Counts the reports that match the filter.
    pub async fn count(&mut self, filter: &ReportFilter) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count from reports r"), filter);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(&self, statement: Statement, filter: &ReportFilter) -> Statement {
        let mut statement = self.visible(statement);
        if let Some(ids) = &filter.ids {
            statement = statement.and_in("r.id", ids.iter().copied()).uncached();
        }
        if !filter.kinds.is_empty() {
            statement = statement.and_in("r.kind", filter.kinds.iter().map(|kind| kind.as_str())).uncached();
        }
        if !filter.states.is_empty() {
            statement =
                statement.and_in("r.state", filter.states.iter().map(|state| state.as_str())).uncached();
        }
        let subject = &filter.subject;
        for (condition, id) in [
            (" and r.project_id = $?", subject.project.map(|id| id.0)),
            (" and r.worksite_id = $?", subject.worksite.map(|id| id.0)),
            (" and r.machine_id = $?", subject.machine.map(|id| id.0)),
            (" and r.person_id = $?", subject.person.map(|id| id.0)),
            (" and r.schedule_id = $?", filter.schedule.map(|id| id.0)),
            (" and r.author_id = $?", filter.author.map(|id| id.0)),
        ] {
            if let Some(id) = id {
                statement = statement.push_with(condition, [id.into()]);
            }
        }
        statement
    }

    fn visible(&self, statement: Statement) -> Statement {
        let statement = statement.push_with(" where r.brand_id = $?", [self.1.brand().into()]);
        let statement = if self.2.sees_names { statement } else { statement.push(" and not r.names_people") };
        OF_REPORTS.and_visible(statement, self.1.projects())
    }
}

#[macros::boxed]
impl ReportsOfBrand<'_> {
    /// Adds a queued report with its coverage.
    pub async fn add(&mut self, new: &NewReportRow, now: Timestamp) -> Result<ReportId, Error> {
        let Id(id): Id<ReportId> = self
            .0
            .one(sql!(
                "insert into reports (brand_id, author_id, requester_id, kind, format, project_id, worksite_id, machine_id,
                     person_id, schedule_id, site_report_id, request, from_cut, to_cut, state, percent, generation,
                     all_projects, names_people, version, created_at, updated_at)
                 values ($1, $2, $17, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'queued', 0, 0, $14, $15, 1, $16, $16)
                 returning id",
                self.1.brand(),
                new.author,
                new.kind.as_str(),
                new.format.as_str(),
                new.subject.project,
                new.subject.worksite,
                new.subject.machine,
                new.subject.person,
                new.schedule,
                new.site_report,
                new.request.as_str(),
                new.from.as_str(),
                new.to.as_str(),
                new.coverage.is_all(),
                new.names_people,
                now,
                new.requester
            ))
            .await?;
        OF_REPORTS.replace(self.0, (self.1.brand(), id.0), &new.coverage).await?;
        Ok(id)
    }

    pub async fn set_job(&mut self, id: ReportId, job: JobId) -> Result<(), Error> {
        let text = "update reports set job_id = $3 where brand_id = $1 and id = $2";
        self.0.execute(sql!(text, self.1.brand(), id, job)).await?;
        Ok(())
    }

    pub async fn find(&mut self, id: ReportId) -> Result<Option<Report>, Error> {
        let values = [self.1.brand().into(), id.into()];
        self.0.optional(sql!(COLUMNS).push_with(" where r.brand_id = $? and r.id = $?", values)).await
    }

    /// Counts the reports that are queued or running because a user requested them or has them made again.
    pub async fn count_unfinished(&mut self, requester: UserId) -> Result<i64, Error> {
        let text = "select count(*) as count from reports
             where brand_id = $1 and requester_id = $2 and state in ('queued', 'running')";
        let Count(count) = self.0.one(sql!(text, self.1.brand(), requester)).await?;
        Ok(count)
    }

    /// The same for all users of the brand. Those that an erasure queued are not counted.
    pub async fn count_unfinished_of_brand(&mut self) -> Result<i64, Error> {
        let text = "select count(*) as count from reports
             where brand_id = $1 and requester_id is not null and state in ('queued', 'running')";
        let Count(count) = self.0.one(sql!(text, self.1.brand())).await?;
        Ok(count)
    }
}
