//! By which clock a schedule runs, and in which time zones the days of its reports must be over.

use domain::{
    BrandId, ReportKind, ReportPeriod, ReportSchedule, RunTimes, ScheduleRule, TimeZone, WorksiteId,
};
use store::{Scope, Tx};

use crate::reports::NewReport;
use crate::{App, Error};

/// What decides when a schedule runs.
pub(super) struct Timing<'a> {
    pub rule: ScheduleRule,
    pub period: ReportPeriod,
    pub zone_worksite: Option<WorksiteId>,
    pub report: &'a NewReport,
}

impl<'a> Timing<'a> {
    pub fn of(schedule: &ReportSchedule, report: &'a NewReport) -> Self {
        Self { rule: schedule.rule, period: schedule.period, zone_worksite: schedule.zone_worksite, report }
    }
}

impl App {
    /// Returns when a schedule runs whose author sees what is in this scope.
    pub(super) async fn run_times(
        &self,
        tx: &mut Tx,
        author: &Scope,
        timing: &Timing<'_>,
    ) -> Result<RunTimes, Error> {
        let worksite = clock_of(timing.zone_worksite, timing.report);
        Ok(RunTimes {
            rule: timing.rule,
            period: timing.period,
            clock: self.zone_of_clock(tx, author.brand(), worksite).await?,
            zones: zones_of_days(tx, author, timing.report).await?,
        })
    }

    /// Returns the current time zone of a worksite, or that of the brand if there is none or it is gone.
    pub(super) async fn zone_of_clock(
        &self,
        tx: &mut Tx,
        brand: BrandId,
        worksite: Option<WorksiteId>,
    ) -> Result<TimeZone, Error> {
        let scope = self.scope_of(brand);
        let found = match worksite {
            Some(id) => tx.worksites(&scope).find_without_boundary(id).await?,
            None => None,
        };
        match found {
            Some(found) => TimeZone::parse(&found.time_zone).map_err(Error::internal),
            None => Ok(tx.brand_settings(&scope).await?.values.time_zone),
        }
    }
}

/// Returns the worksite by whose clock a schedule runs; none for the brand's.
pub(super) fn clock_of(chosen: Option<WorksiteId>, report: &NewReport) -> Option<WorksiteId> {
    chosen.or(report.subject.worksite)
}

/// Returns the time zones of the days that a report covers: those of its worksites, and the brand's, in which days without a worksite are
/// counted. Where machines and people have been is known only when the figures are computed, so that all worksites count at which they
/// can have been.
async fn zones_of_days(tx: &mut Tx, author: &Scope, report: &NewReport) -> Result<Vec<TimeZone>, Error> {
    let filter = report.merged_filter()?;
    let names = tx.worksites(author).time_zones_of(&filter).await?;
    let zones: Result<Vec<TimeZone>, _> = names.iter().map(|name| TimeZone::parse(name)).collect();
    let mut zones = zones.map_err(Error::internal)?;
    // Tags belong to no worksite.
    let counts_tag_days = matches!(report.kind, ReportKind::Person | ReportKind::TagTestCompliance);
    if counts_tag_days || filter.worksites.is_empty() {
        zones.push(tx.brand_settings(author).await?.values.time_zone);
    }
    Ok(zones)
}
