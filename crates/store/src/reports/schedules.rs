//! Schedules of reports. `schedule_runs` has their slots, `recipients` the addresses that they mail to.

use domain::row::FromRow;
use domain::schedule::CadenceKind;
use domain::{
    Cadence, EmailAddress, Name, NextRun, Page, PageRequest, PauseReason, ReportFormat, ReportKind,
    ReportPeriod, ReportSchedule, ReportScheduleFilter, ReportScheduleId, ScheduleRule, Timestamp, UserId,
    WorksiteId,
};

use crate::engine::page::{self, Count, Keyed};
use crate::engine::row::{Id, Row};
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

/// The values of a new or changed schedule.
#[derive(Clone, Debug)]
pub struct NewSchedule {
    pub name: Name,
    pub kind: ReportKind,
    pub format: ReportFormat,
    /// The request as JSON, without a period.
    pub request: String,
    pub period: ReportPeriod,
    pub rule: ScheduleRule,
    /// The worksite by whose clock it runs; none for the brand's.
    pub zone_worksite: Option<WorksiteId>,
    pub paused_reason: Option<PauseReason>,
    /// None while it is paused.
    pub next: Option<NextRun>,
    pub recipients: Vec<EmailAddress>,
}

/// Whose schedules a caller sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleViewer {
    Author(UserId),
    Brand,
}

const COLUMNS: &str = "select s.id, u.kind as author_kind, s.author_id, u.name as author_name, s.name, s.name_key, s.kind, s.format,
    s.request, s.period, s.cadence, s.weekday, s.day_of_month, s.minute_of_day, s.zone_worksite_id, s.paused_reason, s.next_slot_at,
    s.next_run_at, s.last_slot_at, s.last_run_at, s.last_report_id, s.last_run_state, s.last_run_reason, s.version, s.created_at,
    s.updated_at
    from report_schedules s join users u on u.id = s.author_id";

impl FromRow<Row> for ScheduleRule {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let cadence = match row.parse("cadence", CadenceKind::parse)? {
            CadenceKind::Daily => Cadence::Daily,
            CadenceKind::Weekly => Cadence::Weekly { weekday: row.get("weekday")? },
            CadenceKind::Monthly => Cadence::Monthly { day_of_month: row.get("day_of_month")? },
        };
        Ok(Self { cadence, minute_of_day: row.get("minute_of_day")? })
    }
}

impl Keyed for ReportSchedule {
    fn key(&self) -> (&str, i64) {
        (&self.name_key, self.id.0)
    }
}

/// The schedules of a brand.
pub struct ReportSchedules<'a>(pub(super) &'a mut Tx, pub(super) &'a Scope);

impl Tx {
    pub fn report_schedules<'a>(&'a mut self, scope: &'a Scope) -> ReportSchedules<'a> {
        ReportSchedules(self, scope)
    }
}

#[macros::boxed]
impl ReportSchedules<'_> {
    pub async fn add(
        &mut self,
        author: UserId,
        new: &NewSchedule,
        now: Timestamp,
    ) -> Result<ReportSchedule, Error> {
        let (weekday, day_of_month) = days_of(new.rule.cadence);
        let Id(id): Id<ReportScheduleId> = self
            .0
            .one(sql!(
                "insert into report_schedules (brand_id, author_id, name, name_key, kind, format, request, period, cadence,
                     weekday, day_of_month, minute_of_day, zone_worksite_id, paused_reason, next_slot_at, next_run_at, version,
                     created_at, updated_at)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 1, $17, $17)
                 returning id",
                self.1.brand(),
                author,
                new.name.as_str(),
                new.name.key(),
                new.kind.as_str(),
                new.format.as_str(),
                new.request.as_str(),
                new.period.as_str(),
                new.rule.cadence.kind().as_str(),
                weekday,
                day_of_month,
                new.rule.minute_of_day,
                new.zone_worksite,
                new.paused_reason.map(PauseReason::as_str),
                new.next.map(|next| next.slot_at),
                new.next.map(|next| next.run_at),
                now
            ))
            .await?;
        self.replace_recipients(id, &new.recipients).await?;
        self.one(id).await
    }

    pub async fn find(
        &mut self,
        id: ReportScheduleId,
        viewer: ScheduleViewer,
    ) -> Result<Option<ReportSchedule>, Error> {
        let statement = self.visible(sql!(COLUMNS), viewer).push_with(" and s.id = $?", [id.into()]);
        self.0.optional(statement).await
    }

    /// Finds a schedule and locks its row until the end of the transaction.
    pub async fn find_locked(
        &mut self,
        id: ReportScheduleId,
        viewer: ScheduleViewer,
    ) -> Result<Option<ReportSchedule>, Error> {
        // By itself, so that the author's row is not locked too.
        let lock = self.0.row_lock();
        let statement = self.visible(sql!("select s.id from report_schedules s"), viewer);
        let locked: Option<Id<ReportScheduleId>> =
            self.0.optional(statement.push_with(" and s.id = $?", [id.into()]).push(lock)).await?;
        match locked {
            Some(Id(id)) => self.find(id, viewer).await,
            None => Ok(None),
        }
    }

    /// Changes a schedule that was found and locked. Recipients who stay keep their ids.
    pub async fn change(
        &mut self,
        id: ReportScheduleId,
        to: &NewSchedule,
        now: Timestamp,
    ) -> Result<ReportSchedule, Error> {
        let (weekday, day_of_month) = days_of(to.rule.cadence);
        self.0
            .execute(sql!(
                "update report_schedules set name = $3, name_key = $4, kind = $5, format = $6, request = $7, period = $8,
                     cadence = $9, weekday = $10, day_of_month = $11, minute_of_day = $12, zone_worksite_id = $13,
                     paused_reason = $14, next_slot_at = $15, next_run_at = $16, version = version + 1, updated_at = $17
                 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                to.name.as_str(),
                to.name.key(),
                to.kind.as_str(),
                to.format.as_str(),
                to.request.as_str(),
                to.period.as_str(),
                to.rule.cadence.kind().as_str(),
                weekday,
                day_of_month,
                to.rule.minute_of_day,
                to.zone_worksite,
                to.paused_reason.map(PauseReason::as_str),
                to.next.map(|next| next.slot_at),
                to.next.map(|next| next.run_at),
                now
            ))
            .await?;
        self.replace_recipients(id, &to.recipients).await?;
        self.one(id).await
    }

    /// Deletes a schedule with its recipients. Its reports stay.
    pub async fn delete(&mut self, id: ReportScheduleId) -> Result<(), Error> {
        let text = "delete from report_schedules where brand_id = $1 and id = $2";
        self.0.execute(sql!(text, self.1.brand(), id)).await?;
        Ok(())
    }

    /// Returns a page, sorted by name.
    pub async fn page(
        &mut self,
        filter: &ReportScheduleFilter,
        viewer: ScheduleViewer,
        page: &PageRequest,
    ) -> Result<Page<ReportSchedule>, Error> {
        let list = format!("report_schedules {filter:?} {viewer:?}");
        let order = (" and (s.name_key, s.id) > ($?, $?)", " order by s.name_key, s.id");
        let statement = self.filtered(sql!(COLUMNS), filter, viewer);
        let rows = self.0.all(page::order_by_key(statement, order, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    pub async fn count(
        &mut self,
        filter: &ReportScheduleFilter,
        viewer: ScheduleViewer,
    ) -> Result<i64, Error> {
        let statement = sql!("select count(*) as count from report_schedules s");
        let Count(count) = self.0.one(self.filtered(statement, filter, viewer)).await?;
        Ok(count)
    }

    /// Counts the schedules of an author.
    pub async fn count_of(&mut self, author: UserId) -> Result<i64, Error> {
        self.count(&ReportScheduleFilter::default(), ScheduleViewer::Author(author)).await
    }

    async fn one(&mut self, id: ReportScheduleId) -> Result<ReportSchedule, Error> {
        let statement = self.visible(sql!(COLUMNS), ScheduleViewer::Brand);
        self.0.one(statement.push_with(" and s.id = $?", [id.into()])).await
    }

    fn filtered(
        &self,
        statement: Statement,
        filter: &ReportScheduleFilter,
        viewer: ScheduleViewer,
    ) -> Statement {
        let statement = self.visible(statement, viewer);
        let statement = match filter.paused {
            Some(true) => statement.push(" and s.paused_reason is not null"),
            Some(false) => statement.push(" and s.paused_reason is null"),
            None => statement,
        };
        match &filter.q {
            Some(q) => {
                statement.push_with(" and s.name_key like $? escape '!'", [page::like_pattern(q).into()])
            }
            None => statement,
        }
    }

    fn visible(&self, statement: Statement, viewer: ScheduleViewer) -> Statement {
        let statement = statement.push_with(" where s.brand_id = $?", [self.1.brand().into()]);
        match viewer {
            ScheduleViewer::Author(author) => statement.push_with(" and s.author_id = $?", [author.into()]),
            ScheduleViewer::Brand => statement,
        }
    }
}

/// Returns the weekday and the day of the month of a cadence.
fn days_of(cadence: Cadence) -> (Option<i64>, Option<i64>) {
    match cadence {
        Cadence::Daily => (None, None),
        Cadence::Weekly { weekday } => (Some(weekday), None),
        Cadence::Monthly { day_of_month } => (None, Some(day_of_month)),
    }
}
