//! What the metrics of tags, base stations and visits are measured from. `device_history` has the same for the past.

use domain::{
    BaseStationId, MachineId, PersonId, ProjectId, TagId, TimeZone, Timestamp, VisitId, WorksiteId,
};

use crate::engine::row::Id;
use crate::engine::statement::sql;
use crate::people::visitor_sessions::PROJECT_AT_CHECK_IN;
use crate::{Error, Scope, Tx};

/// How long a tag has waited for a test.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct TagTestAge {
    #[row(column = "tag_id")]
    pub tag: TagId,
    /// Who wears it now.
    #[row(column = "person_id")]
    pub person: PersonId,
    /// Time of the last passed test.
    pub tested_at: Option<Timestamp>,
    /// Time of the first assignment.
    pub worn_since: Timestamp,
}

impl TagTestAge {
    /// Returns since when it has waited: since the last passed test, else since it was first worn.
    pub fn since(&self) -> Timestamp {
        self.tested_at.unwrap_or(self.worn_since)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct TagBattery {
    #[row(column = "tag_id")]
    pub tag: TagId,
    /// Who wears it now.
    #[row(column = "person_id")]
    pub person: PersonId,
    #[row(column = "battery_percent")]
    pub percent: i64,
    /// When that was reported, if it is known.
    #[row(column = "battery_at")]
    pub reported_at: Option<Timestamp>,
}

/// How long a base station has been silent.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct StationContact {
    #[row(column = "base_station_id")]
    pub station: BaseStationId,
    /// The machine that it is installed on now.
    #[row(column = "machine_id")]
    pub machine: MachineId,
    #[row(column = "worksite_id")]
    pub worksite: Option<WorksiteId>,
    #[row(column = "project_id")]
    pub project: Option<ProjectId>,
    /// Time of the last contact.
    pub last_seen_at: Option<Timestamp>,
    /// The same, else the time of the installation.
    pub since: Timestamp,
}

/// A visit with an expected end.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct VisitOverdue {
    #[row(column = "visit_id")]
    pub visit: VisitId,
    #[row(column = "person_id")]
    pub person: PersonId,
    #[row(column = "worksite_id")]
    pub worksite: Option<WorksiteId>,
    /// Of the worksite at the check-in.
    #[row(column = "project_id")]
    pub project: Option<ProjectId>,
    pub expected_until: Timestamp,
    pub checked_in_at: Timestamp,
}

#[derive(macros::FromRow)]
struct MachineSite {
    machine_id: MachineId,
    worksite_id: Option<WorksiteId>,
}

#[derive(macros::FromRow)]
struct WorksiteZone {
    id: WorksiteId,
    time_zone: TimeZone,
    project_id: Option<ProjectId>,
}

/// The tags `t` with their current assignments `a`.
pub(super) const WORN_TAGS: &str = " from tags t
    join tag_assignments a on a.tag_id = t.id and a.ended_at is null";

pub(super) const ARE_WORN: &str = " where t.brand_id = $1 and t.retired_at is null";

/// The installations `i` of base stations `s` on machines `m` at worksites `w`, as of now.
pub(super) const INSTALLED_STATIONS: &str = " from installations i
    join base_stations s on s.id = i.base_station_id join machines m on m.id = i.machine_id
    left join machine_assignments a on a.machine_id = m.id and a.to_at is null
    left join worksites w on w.id = a.worksite_id";

pub(super) const ARE_INSTALLED: &str = " where i.brand_id = $1 and i.to_at is null and m.archived_at is null";

/// Begins a query of visits `v`; their project follows.
pub(super) const VISIT_COLUMNS: &str = "select v.id as visit_id, v.person_id, v.worksite_id, v.expected_until, v.checked_in_at, v.checked_out_at, ";

/// Tags across the brand's projects, and the stations, visits, machines and worksites that are visible in the scope.
pub struct DeviceValues<'a>(pub(super) &'a mut Tx, pub(super) &'a Scope);

impl Tx {
    pub fn device_values<'a>(&'a mut self, scope: &'a Scope) -> DeviceValues<'a> {
        DeviceValues(self, scope)
    }
}

#[macros::boxed]
impl DeviceValues<'_> {
    /// Returns since when each tag that is worn waits for a test, by tag.
    pub async fn tag_tests(&mut self) -> Result<Vec<TagTestAge>, Error> {
        let statement = sql!(
            "select t.id as tag_id, a.person_id,
                 (select x.tested_at from tag_tests x where x.brand_id = t.brand_id and x.tag_id = t.id and x.passed
                     order by x.tested_at desc limit 1) as tested_at,
                 (select min(y.assigned_at) from tag_assignments y where y.brand_id = t.brand_id and y.tag_id = t.id) as worn_since",
            self.1.brand()
        );
        self.0.all(statement.push(WORN_TAGS).push(ARE_WORN).push(" order by t.id")).await
    }

    /// Returns the batteries of the tags that are worn, as far as they are known, by tag.
    pub async fn tag_batteries(&mut self) -> Result<Vec<TagBattery>, Error> {
        let columns = "select t.id as tag_id, a.person_id, t.battery_percent, t.battery_at";
        let statement = sql!(columns, self.1.brand())
            .push(WORN_TAGS)
            .push(ARE_WORN)
            .push(" and t.battery_percent is not null order by t.id");
        self.0.all(statement).await
    }

    /// Returns since when each installed station is silent, by station. Stations on archived machines are left out.
    pub async fn stations(&mut self) -> Result<Vec<StationContact>, Error> {
        let statement = sql!(
            "select i.base_station_id, i.machine_id, w.id as worksite_id, w.project_id, s.last_seen_at,
                 coalesce(s.last_seen_at, i.from_at) as since",
            self.1.brand()
        );
        let statement = statement
            .push(INSTALLED_STATIONS)
            .push(ARE_INSTALLED)
            .and_in_projects(self.1.projects(), "w.project_id")
            .push(" order by i.base_station_id");
        self.0.all(statement).await
    }

    /// Returns the open visits whose expected end has come, the most overdue first.
    pub async fn overdue_visits(&mut self, now: Timestamp) -> Result<Vec<VisitOverdue>, Error> {
        let statement = sql!(VISIT_COLUMNS, self.1.brand(), now)
            .push(PROJECT_AT_CHECK_IN)
            .push(" as project_id from visitor_sessions v where v.brand_id = $1 and v.checked_out_at is null")
            .push(" and v.expected_until <= $2")
            .and_in_projects(self.1.projects(), PROJECT_AT_CHECK_IN)
            .push(" order by v.expected_until, v.id");
        self.0.all(statement).await
    }

    /// Returns the people of the brand who were erased, by id.
    pub async fn erased_people(&mut self) -> Result<Vec<PersonId>, Error> {
        let text = "select id from people where brand_id = $1 and erased_at is not null order by id";
        let found: Vec<Id<PersonId>> = self.0.all(sql!(text, self.1.brand())).await?;
        Ok(found.into_iter().map(|Id(id)| id).collect())
    }

    /// Returns the current worksite of each machine, archived or not, by machine. In a restricted scope, only machines at visible ones.
    pub async fn machine_sites(&mut self) -> Result<Vec<(MachineId, Option<WorksiteId>)>, Error> {
        let statement = sql!(
            "select m.id as machine_id, w.id as worksite_id from machines m
             left join machine_assignments a on a.machine_id = m.id and a.to_at is null
             left join worksites w on w.id = a.worksite_id where m.brand_id = $1",
            self.1.brand()
        );
        let statement = statement.and_in_projects(self.1.projects(), "w.project_id").push(" order by m.id");
        let found: Vec<MachineSite> = self.0.all(statement).await?;
        Ok(found.into_iter().map(|one| (one.machine_id, one.worksite_id)).collect())
    }

    /// Returns the current time zone and project of each worksite, archived or not, by worksite.
    pub async fn worksite_zones(&mut self) -> Result<Vec<(WorksiteId, TimeZone, Option<ProjectId>)>, Error> {
        let text = "select id, time_zone, project_id from worksites where brand_id = $1";
        let statement = sql!(text, self.1.brand()).and_in_projects(self.1.projects(), "project_id");
        let found: Vec<WorksiteZone> = self.0.all(statement.push(" order by id")).await?;
        Ok(found.into_iter().map(|one| (one.id, one.time_zone, one.project_id)).collect())
    }
}
