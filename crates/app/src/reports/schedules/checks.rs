//! What is refused before a schedule is created or changed: by what its author sees, because its reports are the author's.

use domain::access::ScheduleReports;
use domain::insights::IncursionFilter;
use domain::preferences::Preferences;
use domain::{Day, Period, ReportKind, ReportPeriod, Review, TimeZone, UserId, WorksiteId};
use store::{Scope, Tx};

use crate::accounts::authors::Author;
use crate::reports::NewReport;
use crate::{App, AuthorLookup, Caller, Error};

impl App {
    /// Returns the author of a schedule with their current access, or why they may not have one.
    pub(super) async fn load_schedule_author(
        &self,
        caller: &Caller<ScheduleReports>,
        author: UserId,
    ) -> Result<Result<Author, AuthorLookup>, Error> {
        if author == caller.identity.user {
            return Ok(Ok(Author::of_caller(caller)));
        }
        self.load_author::<ScheduleReports>(caller.scope().brand(), author).await
    }

    /// Refuses a report that could not be made for its author if the schedule ran now.
    pub(super) async fn check_next_report(
        &self,
        author: &Author,
        report: &NewReport,
        (period, zone): (ReportPeriod, &TimeZone),
        preferences: Preferences,
    ) -> Result<(), Error> {
        let now = self.clock.now();
        let today = Day::from_number(zone.local(now).day);
        let report = with_period(report, period.before(today));
        self.resolve_report(author, &report, preferences, now).await?;
        Ok(())
    }
}

/// Refuses the clock of a worksite that the author does not see.
pub(super) async fn check_clock(tx: &mut Tx, author: &Scope, worksite: WorksiteId) -> Result<(), Error> {
    match tx.worksites(author).find_without_boundary(worksite).await? {
        Some(_) => Ok(()),
        None => {
            let text = "is not a worksite that you see";
            Err(Error::missing_relation("zone_worksite_id", "unknown_worksite", text))
        }
    }
}

/// Says in a refusal that it is the author who does not see something, for someone else who changes the schedule.
pub(super) fn unseen_by_author(mut error: Error) -> Error {
    let reword = |text: &str| text.replace("that you see", "that the author of the schedule sees");
    error.detail = reword(&error.detail).into();
    for fault in &mut error.fields {
        fault.invalid.message = reword(&fault.invalid.message).into();
    }
    error
}

/// Returns the report of a run: with its period.
fn with_period(report: &NewReport, period: Period) -> NewReport {
    let mut report = report.clone();
    let usual = || IncursionFilter { reviews: Review::COUNTED.to_vec(), ..IncursionFilter::default() };
    match &mut report.pivot {
        Some((filter, _)) => filter.period = Some(period),
        // A pivot that is missing is reported as such.
        None if report.kind == ReportKind::Pivot => {}
        None => report.filter.get_or_insert_with(|| Box::new(usual())).period = Some(period),
    }
    report
}
